//! `assigns`: what a function or a loop does not change.
//!
//! When all of the program is lowered, its operations are looked through. A variable that is not listed must not be
//! assigned in a loop, and must have its old value when a function returns. A store in the function itself, in those that it calls,
//! or in the loop, must hit a place that is listed. What is called finds the places in globals that only contracts know
//! ([`Active`]). Where a store may as well hit an object that is new since, and where nobody knows what is called,
//! the claim is left open: such a program is not proved.

use super::state::{ActiveLoop, Allowed, Bytes, Obligation, Promise, Use};
use crate::check::check_before;
use crate::context::Lowerer;
use crate::function_state::Local;
use crate::global::Definition;
use crate::input::Fallible;
use crate::value::Where;
use bolide_base::HashSet;
use bolide_base::arena::Id;
use bolide_c_syntax::ast::{Clause, ClauseKind};
use bolide_cfa::{
    AllocKind, Check, CompareOp, Edge, EdgeId, Expr, ExprId, ExternalEffect, FunctionId, IntType,
    LocId, NondetSource, Op, Origin, Program, Property, Role, Type, VarId, VariableKind,
};

/// A function whose `assigns` is to be checked.
pub struct Frame {
    allowed: Option<Allowed>,
    /// Where its places are known.
    opened: LocId,
}

/// The frame of the function that runs, for those that it calls: whether there is one, and its places.
struct Active {
    flag: VarId,
    ranges: Vec<(VarId, VarId)>,
}

/// What the functions that can be called from one do.
#[derive(Default)]
struct Effects {
    globals: HashSet<VarId>,
    /// Writes memory that is not of their own variables.
    memory: bool,
    /// Something that nobody knows.
    anything: bool,
    makes_objects: bool,
    frees: bool,
    /// The functions, without the one that calls them.
    called: Vec<FunctionId>,
    /// The one that calls them is called by them.
    recursive: bool,
}

impl Lowerer<'_> {
    /// Evaluates the places of `assigns` where the function begins.
    pub(super) fn open_frame(&mut self, promises: &[Promise], values: &[Option<Local>]) -> Frame {
        let clauses: Vec<&Promise> =
            promises.iter().filter(|p| self.clause(p).kind == ClauseKind::Assigns).collect();
        if clauses.is_empty() {
            let allowed = self.lists_nothing(promises).then(|| Allowed {
                span: self.clause(&promises[0]).span,
                words: "__CPROVER_assigns()".to_owned(),
                ..Allowed::default()
            });
            return self.opened(allowed);
        }
        let mut allowed = Allowed::default();
        for promise in clauses {
            let result =
                self.in_clause(promise, values, |this, clause| this.allow(clause, &mut allowed));
            if let Err(diagnostic) = result {
                self.fail_contract(*diagnostic);
            }
        }
        self.opened(Some(allowed))
    }

    fn opened(&mut self, allowed: Option<Allowed>) -> Frame {
        let (opened, next) = (self.out.location(), self.out.location());
        self.out.join(opened);
        self.out.join(next);
        Frame { allowed, opened }
    }

    /// Whether the contract is one of CBMC's that lists nothing: then nothing may be assigned. In ACSL that means anything.
    pub(super) fn lists_nothing(&self, promises: &[Promise]) -> bool {
        let is_cbmc = |clause: &Clause| !clause.is_acsl && clause.kind != ClauseKind::Assigns;
        self.input.options.modular
            && !promises.is_empty()
            && promises.iter().all(|promise| is_cbmc(self.clause(promise)))
    }

    fn allow(&mut self, clause: &Clause, allowed: &mut Allowed) -> Fallible<()> {
        allowed.span = clause.span;
        allowed.words = self.input.snippet(clause.span).trim_end_matches(';').to_owned();
        let guard = self.assumed(clause)?;
        for &place in &clause.terms {
            match self.bytes_of_place(place, clause.span)? {
                Ok(Bytes { first, mut count }) => {
                    if let Some(guard) = guard {
                        let none = self.out.int(0, IntType::signed(128));
                        count = self.out.ite(guard, count, none);
                    }
                    let (first, count) = (self.out.save(first), self.out.save(count));
                    allowed.ranges.push(Bytes { first, count });
                }
                Err(_) if guard.is_some() => {
                    return self.unsupported(clause.span, "a condition on a variable is");
                }
                Err(place) => {
                    if let Where::Vars { vars, first } = &place.at {
                        let count = self.types.leaf_count(place.ty.ty);
                        allowed.variables.extend(&vars[*first..*first + count]);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a clause assumes, as one saved value; none where it always counts.
    pub(super) fn assumed(&mut self, clause: &Clause) -> Fallible<Option<ExprId>> {
        let mut all: Option<ExprId> = None;
        for &assumed in &clause.assumes {
            let condition = self.formula(assumed, Use::Value)?;
            all = Some(all.map_or(condition, |all| self.out.and(all, condition)));
        }
        Ok(all.map(|all| self.out.save(all)))
    }

    /// Where the function has returned.
    pub(super) fn close_frame(&mut self, frame: Frame, name: &str) {
        let Some(allowed) = frame.allowed else {
            return self.close_without_frame(name);
        };
        let Some(start) = self.f.logic.start else { return };
        let end = self.out.location();
        self.out.goto(end);
        self.out.at.cur = Some(end);
        // Old values are read behind what was read before.
        let first = self.out.program.add_location(self.out.at.id);
        self.out.program.add_edge(start, first, Op::Skip, Origin::default());
        self.f.logic.start = Some(first);
        self.contracts.obligations.push(Obligation {
            allowed,
            function: self.out.at.id,
            name: name.to_owned(),
            ends: Some((start, frame.opened, end)),
            edges: 0..0,
            head: None,
            older: 0,
        });
        let next = self.out.location();
        self.out.goto(next);
        self.out.at.cur = Some(next);
    }

    /// Where calls go by contract, a function must not free what its caller has.
    fn close_without_frame(&mut self, name: &str) {
        if self.input.options.modular
            && let Some(end) = self.out.at.cur
        {
            self.contracts.returns.push((self.out.at.id, end, name.to_owned()));
            let next = self.out.location();
            self.out.goto(next);
            self.out.at.cur = Some(next);
        }
    }

    /// Behind a loop: what it may change was evaluated before it.
    pub(super) fn check_loop_assigns(&mut self, active: &ActiveLoop) {
        let unit = self.input.ast();
        let clauses: Vec<&Clause> = active
            .clauses
            .iter()
            .map(|&i| &unit.contracts.clauses[i])
            .filter(|c| c.kind == ClauseKind::LoopAssigns)
            .collect();
        if clauses.is_empty() {
            return;
        }
        let last = self.out.program.edges.len();
        let is_acsl = clauses.iter().any(|clause| clause.is_acsl);
        let mut allowed = Allowed::default();
        for clause in clauses {
            let done = self.in_logic(clause.is_acsl, |this| {
                this.at_start(true, clause.span, |this| this.allow(clause, &mut allowed))
            });
            if let Err(diagnostic) = done {
                return self.fail_contract(*diagnostic);
            }
        }
        self.contracts.obligations.push(Obligation {
            allowed,
            function: self.out.at.id,
            name: "the loop".to_owned(),
            ends: None,
            edges: active.first_edge..last,
            head: active.head.get().filter(|_| !is_acsl),
            older: active.older,
        });
    }

    /// When all is lowered: checks what the functions and loops change.
    pub fn check_frames(&mut self) {
        for (function, end, name) in std::mem::take(&mut self.contracts.returns) {
            if self.effects(function, true).frees {
                let span = self.out.program.functions[function].span;
                let description =
                    format!("`{name}` may free memory, of which its contract says nothing");
                let check = Check { property: Property::Contract, description, span };
                let edges = self.out.program.locations[end].outgoing.clone();
                let bad = self.out.bool(true);
                self.check_openly(end, &edges, bad, check);
            }
        }
        for obligation in std::mem::take(&mut self.contracts.obligations) {
            match obligation.ends {
                Some(ends) => self.check_function_frame(&obligation, ends),
                None => self.check_loop_frame(&obligation),
            }
        }
    }

    fn check_function_frame(
        &mut self,
        obligation: &Obligation,
        (start, opened, end): (LocId, LocId, LocId),
    ) {
        let own = obligation.function;
        let effects = self.effects(own, true);
        let called = self.effects(own, false);
        let mut changed: Vec<VarId> = effects
            .globals
            .iter()
            .copied()
            .filter(|v| !obligation.allowed.variables.contains(v))
            .collect();
        changed.sort_unstable();
        for var in changed {
            let before = self.kept_from(start, own, var);
            let value = self.out.read(var);
            let bad = self.out.compare(CompareOp::Ne, before, value);
            let name = self.out.program.variables[var].name.clone();
            let check = self.broken(obligation, &format!("changes `{name}`"));
            let program = &mut self.out.program;
            let edges = program.locations[end].outgoing.clone();
            check_before(program, end, &edges, bad, check);
        }
        if called.anything || self.input.options.modular && effects.frees {
            self.leave_open(obligation, end);
        } else if called.memory || called.recursive && effects.memory {
            let active = self.activate(obligation, (opened, end), called.recursive);
            let flag = self.out.read(active.flag);
            let ranges: Vec<Bytes> = self.ranges_of(&active);
            for &function in &called.called {
                let edges = self.edges_of(function);
                // Functions of the library have memory of their own.
                let uncertain = effects.makes_objects || !self.is_of_program(function);
                self.check_stores(obligation, &edges, &ranges, Some(flag), uncertain);
            }
        }
        let edges = self.edges_of(own);
        self.check_stores(
            obligation,
            &edges,
            &obligation.allowed.ranges,
            None,
            effects.makes_objects,
        );
    }

    fn edges_of(&self, function: FunctionId) -> Vec<EdgeId> {
        let program = &self.out.program;
        let is_own = |e: &EdgeId| program.locations[program.edges[*e].from].function == function;
        program.edges.ids().filter(is_own).collect()
    }

    /// Whether a function is defined by the program, as far as its name tells.
    fn is_of_program(&self, function: FunctionId) -> bool {
        let name = &self.out.program.functions[function].name;
        self.linkage.globals.values().any(|global| {
            let unit = match global.definition {
                Some(Definition::Function(unit, _)) => unit,
                _ => return false,
            };
            unit < self.input.first_model && global.name == *name
        })
    }

    /// From the start of a function to its end its frame is the active one. Where it may be active already, each of its places must be
    /// within one of the frame before: else what is written by the second call may be nothing that the first one lists.
    fn activate(
        &mut self,
        obligation: &Obligation,
        (start, end): (LocId, LocId),
        recursive: bool,
    ) -> Active {
        let own = obligation.function;
        let name = format!("frame#{}", obligation.name);
        let flag = self.ghost(&name, Type::BOOL);
        let listed = &obligation.allowed.ranges;
        let ranges = (0..listed.len()).map(|i| {
            let first = self.ghost(&format!("{name}.{i}.first"), Type::Pointer);
            (first, self.ghost(&format!("{name}.{i}.count"), Type::signed(128)))
        });
        let active = Active { flag, ranges: ranges.collect() };
        // Each is put before those that were there: the last one here comes first.
        let yes = self.out.bool(true);
        insert(&mut self.out.program, start, Op::Assign { target: flag, value: yes });
        for (&(first, count), range) in active.ranges.iter().zip(listed) {
            insert(&mut self.out.program, start, Op::Assign { target: first, value: range.first });
            insert(&mut self.out.program, start, Op::Assign { target: count, value: range.count });
        }
        if !recursive {
            let no = self.out.bool(false);
            insert(&mut self.out.program, end, Op::Assign { target: flag, value: no });
            return active;
        }
        let (mut fits, outer) = (self.out.bool(true), self.ranges_of(&active));
        for &range in listed {
            let inside = self.within_one(&outer, range.first, range.count);
            let zero = self.out.int(0, IntType::signed(128));
            let none = self.out.compare(CompareOp::Le, range.count, zero);
            let inside = self.out.or(none, inside);
            fits = self.out.and(fits, inside);
        }
        let all = active.ranges.iter().flat_map(|&(first, count)| [first, count]);
        for var in all.chain([flag]) {
            let value = self.kept_from(start, own, var);
            insert(&mut self.out.program, end, Op::Assign { target: var, value });
        }
        let again = self.out.read(flag);
        let not = self.out.not(fits);
        let bad = self.out.and(again, not);
        let check = self.broken(obligation, "may write elsewhere when it calls itself");
        let edges = self.out.program.locations[start].outgoing.clone();
        self.check_openly(start, &edges, bad, check);
        active
    }

    fn ranges_of(&mut self, active: &Active) -> Vec<Bytes> {
        let read = |&(first, count): &(VarId, VarId)| Bytes {
            first: self.out.read(first),
            count: self.out.read(count),
        };
        active.ranges.iter().map(read).collect()
    }

    /// The value that a variable has at a location, for as long as the function runs.
    fn kept_from(&mut self, at: LocId, own: FunctionId, var: VarId) -> ExprId {
        let (name, ty) =
            (&self.out.program.variables[var].name, self.out.program.variables[var].ty);
        let saved = self.temporary_of(own, format!("old#{name}"), ty);
        let value = self.out.read(var);
        insert(&mut self.out.program, at, Op::Assign { target: saved, value });
        self.out.read(saved)
    }

    fn temporary_of(&mut self, function: FunctionId, name: String, ty: Type) -> VarId {
        let new = bolide_cfa::Variable::new(name, ty, Some(function), VariableKind::Temporary);
        let var = self.out.program.variables.push(new);
        self.out.program.functions[function].locals.push(var);
        var
    }

    fn check_loop_frame(&mut self, obligation: &Obligation) {
        let mut edges: Vec<EdgeId> = obligation.edges.clone().map(EdgeId::from_index).collect();
        let program = &self.out.program;
        if let Some(head) = obligation.head {
            edges = rounds(program, &edges, head);
        }
        let mut wrong: Vec<(EdgeId, String)> = Vec::new();
        let (mut open, mut makes) = (None, false);
        for &edge in &edges {
            let op = program.edges[edge].op.clone();
            if let Some(var) = written(&op)
                && var.index() < obligation.older
                && !obligation.allowed.variables.contains(&var)
                && matches!(
                    program.variables[var].kind,
                    VariableKind::Global | VariableKind::Local | VariableKind::Parameter
                )
            {
                wrong.push((edge, program.variables[var].name.clone()));
            }
            match op {
                Op::Call { function, .. } => {
                    let effects = self.effects(function, true);
                    let others =
                        effects.globals.iter().any(|v| !obligation.allowed.variables.contains(v));
                    makes |= effects.makes_objects;
                    if effects.memory || effects.anything || others {
                        open = Some(edge);
                    }
                }
                Op::CallIndirect { .. } => open = Some(edge),
                Op::External { effect: ExternalEffect::Havoc, .. } => open = Some(edge),
                Op::Alloc { .. } => makes = true,
                _ => {}
            }
        }
        for (edge, name) in wrong {
            let check = self.broken(obligation, &format!("changes `{name}`"));
            let program = &mut self.out.program;
            let (from, bad) = (program.edges[edge].from, program.exprs.bool(true));
            check_before(program, from, &[edge], bad, check);
        }
        if let Some(edge) = open {
            let from = self.out.program.edges[edge].from;
            self.leave_open(obligation, from);
        }
        // What is listed may mean another place in a later round.
        let listed = &obligation.allowed.ranges;
        self.check_stores(obligation, &edges, listed, None, makes || !listed.is_empty());
    }

    /// Each store must hit what is listed, or only where a flag is set. Where that is `uncertain`, a store elsewhere shows nothing.
    fn check_stores(
        &mut self,
        obligation: &Obligation,
        edges: &[EdgeId],
        ranges: &[Bytes],
        flag: Option<ExprId>,
        uncertain: bool,
    ) {
        for &edge in edges {
            let Some((pointer, size)) = stored(&mut self.out.program, edge) else { continue };
            if self.is_own_variable(pointer, obligation) {
                continue;
            }
            let size = self.out.cast(Type::signed(128), size);
            let mut ok = self.within_one(ranges, pointer, size);
            let from = self.out.program.edges[edge].from;
            for local in self.locals_in_memory(from).into_iter().filter(|_| uncertain) {
                let local = self.out.read(local);
                let same = self.is_same_object(pointer, local);
                ok = self.out.or(ok, same);
            }
            let text =
                self.input.sources.snippet(self.out.program.edges[edge].origin.span).to_owned();
            let check = self.broken(obligation, &format!("writes elsewhere in `{}`", text.trim()));
            let mut bad = self.out.not(ok);
            if let Some(flag) = flag {
                bad = self.out.and(flag, bad);
            }
            match uncertain {
                false => check_before(&mut self.out.program, from, &[edge], bad, check),
                true => self.check_openly(from, &[edge], bad, check),
            }
        }
    }

    /// The addresses of the variables in memory of the function of a location.
    fn locals_in_memory(&self, at: LocId) -> Vec<VarId> {
        let program = &self.out.program;
        let locals = &program.functions[program.locations[at].function].locals;
        let is_address = |var: &VarId| program.variables[*var].kind == VariableKind::Address;
        locals.iter().copied().filter(is_address).collect()
    }

    fn within_one(&mut self, ranges: &[Bytes], first: ExprId, count: ExprId) -> ExprId {
        let mut ok = self.out.bool(false);
        for &range in ranges {
            let inside = self.holds(range, first, count);
            ok = self.out.or(ok, inside);
        }
        ok
    }

    /// Whether an address is that of a variable of the function itself, or, for a loop, of one that is declared in it.
    fn is_own_variable(&self, pointer: ExprId, obligation: &Obligation) -> bool {
        let program = &self.out.program;
        let root = program.exprs.without_offset(pointer).0;
        let mut root = root;
        while let Expr::PointerAdd(base, _) = *program.exprs.get(root) {
            root = base;
        }
        match *program.exprs.get(root) {
            Expr::Var(var) if self.contracts.kept.contains(&var) => true,
            Expr::Var(var) => {
                program.variables[var].kind == VariableKind::Address
                    && (obligation.ends.is_some() || var.index() >= obligation.older)
            }
            _ => false,
        }
    }

    /// The claim cannot be decided here.
    fn leave_open(&mut self, obligation: &Obligation, at: LocId) {
        let check = self.broken(obligation, "may write elsewhere in a function that it calls");
        let edges = self.out.program.locations[at].outgoing.clone();
        let bad = self.out.bool(true);
        self.check_openly(at, &edges, bad, check);
    }

    /// A check whose violation shows nothing: it rests on a value that nobody knows.
    fn check_openly(&mut self, at: LocId, edges: &[EdgeId], bad: ExprId, check: Check) {
        let what = self
            .input
            .with_place(&format!("`{}`, which is not decided", check.description), check.span);
        let function = self.out.program.locations[at].function;
        let target = self.temporary_of(function, "open#".to_owned(), Type::BOOL);
        let program = &mut self.out.program;
        let middle = program.add_location(function);
        program.locations[at].outgoing.retain(|edge| !edges.contains(edge));
        for &edge in edges {
            program.edges[edge].from = middle;
            program.locations[middle].outgoing.push(edge);
        }
        let origin = Origin { span: check.span, role: Role::Check };
        program.add_edge(
            at,
            middle,
            Op::Nondet { target, source: NondetSource::Unmodelled(what) },
            origin,
        );
        let open = self.out.read(target);
        let bad = self.out.and(open, bad);
        check_before(&mut self.out.program, middle, edges, bad, check);
    }

    fn broken(&self, obligation: &Obligation, how: &str) -> Check {
        let description =
            format!("`{}` {how}, against `{}`", obligation.name, obligation.allowed.words);
        Check {
            property: Property::Contract,
            description: description.replace("`the loop`", "the loop"),
            span: obligation.allowed.span,
        }
    }

    /// What a function does, with those that it calls; or only those.
    fn effects(&self, function: FunctionId, with_own: bool) -> Effects {
        let program = &self.out.program;
        let mut effects = Effects::default();
        let (mut seen, mut work) = (HashSet::default(), vec![function]);
        seen.insert(function);
        while let Some(at) = work.pop() {
            let counts = with_own || at != function;
            for edge in program.edges.values().filter(|e| program.locations[e.from].function == at)
            {
                if let Some(var) = written(&edge.op)
                    && program.variables[var].kind == VariableKind::Global
                    && !program.variables[var].name.contains('#')
                {
                    effects.globals.insert(var);
                }
                match &edge.op {
                    Op::Call { function: next, .. } => {
                        effects.recursive |= *next == function;
                        if seen.insert(*next) {
                            work.push(*next);
                            effects.called.push(*next);
                        }
                    }
                    Op::CallIndirect { .. } => (effects.anything, effects.frees) = (true, true),
                    Op::Free { .. } => effects.frees = true,
                    Op::External { effect: ExternalEffect::Havoc, .. } => effects.anything = true,
                    Op::Alloc {
                        kind: AllocKind::Heap | AllocKind::Stack | AllocKind::Alloca,
                        ..
                    } => effects.makes_objects = true,
                    Op::Store { access, .. } if counts => {
                        effects.memory |= !self.is_local(access.pointer)
                    }
                    Op::Copy { to, .. } | Op::Fill { to, .. } if counts => {
                        effects.memory |= !self.is_local(*to)
                    }
                    _ => {}
                }
            }
        }
        effects
    }

    /// Whether an address is that of a local variable.
    fn is_local(&self, pointer: ExprId) -> bool {
        let program = &self.out.program;
        let mut root = pointer;
        while let Expr::PointerAdd(base, _) = *program.exprs.get(root) {
            root = base;
        }
        matches!(*program.exprs.get(root), Expr::Var(var) if program.variables[var].kind == VariableKind::Address)
    }
}

/// The variable that an operation changes.
fn written(op: &Op) -> Option<VarId> {
    match op {
        Op::Assign { target, .. } | Op::Nondet { target, .. } | Op::Alloc { target, .. } => {
            Some(*target)
        }
        Op::Call { result, .. }
        | Op::CallIndirect { result, .. }
        | Op::External { result, .. }
        | Op::Output { result, .. } => *result,
        _ => None,
    }
}

/// The address and the number of bytes that an operation writes in memory.
fn stored(program: &mut bolide_cfa::Program, edge: EdgeId) -> Option<(ExprId, ExprId)> {
    match program.edges[edge].op.clone() {
        Op::Store { access, .. } => {
            let bytes = match access.bits {
                Some(bits) => (u64::from(bits.offset) + u64::from(bits.width)).div_ceil(8),
                None => access.ty.size(program.target),
            };
            let int = program.target.size_type();
            let size = program.expr(Expr::Int { bits: u128::from(bytes), ty: int });
            Some((access.pointer, size))
        }
        Op::Copy { to, size, .. } | Op::Fill { to, size, .. } => Some((to, size)),
        _ => None,
    }
}

/// Puts an operation between a location and all that follows it.
pub(super) fn insert(program: &mut bolide_cfa::Program, at: LocId, op: Op) {
    let next = program.add_location(program.locations[at].function);
    let moved = std::mem::take(&mut program.locations[at].outgoing);
    for &edge in &moved {
        program.edges[edge].from = next;
    }
    program.locations[next].outgoing = moved;
    program.add_edge(at, next, op, Origin::default());
}

/// Those of the edges that lie on a way from a loop's head back to it.
fn rounds(program: &Program, edges: &[EdgeId], head: LocId) -> Vec<EdgeId> {
    let reach = |from: fn(&Edge) -> LocId, to: fn(&Edge) -> LocId| {
        let mut reached: HashSet<LocId> = [head].into_iter().collect();
        loop {
            let known = reached.len();
            for &id in edges {
                let edge = &program.edges[id];
                if reached.contains(&from(edge)) {
                    reached.insert(to(edge));
                }
            }
            if reached.len() == known {
                return reached;
            }
        }
    };
    let (behind, before) = (reach(|e| e.from, |e| e.to), reach(|e| e.to, |e| e.from));
    let is_within = |id: &EdgeId| {
        behind.contains(&program.edges[*id].from) && before.contains(&program.edges[*id].to)
    };
    edges.iter().copied().filter(is_within).collect()
}

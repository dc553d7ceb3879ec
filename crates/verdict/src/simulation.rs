//! Whether a reduced program shows all that the whole one does.
//!
//! Slicing, the removal of dead assignments and the joining of empty steps leave a smaller program, and a proof
//! speaks of that one. Nobody has to believe these passes: here the two programs are
//! compared after the fact, as a translation validator does (Pnueli, Siegel, Singerman: Translation validation,
//! TACAS 1998). What is looked for is a simulation with stuttering, a set of pairs of locations
//! such that for each pair and each step of the whole program
//!
//! - the reduced program has a step that stands for it and does the same, or leaves more open; or
//! - the reduced program stays where it is, and the step writes nothing that it may still read from there on,
//!
//! and the pair that follows is in the set again; where the whole program is at an error the reduced one is at the same error, and
//! where a function of the whole one returns, so does that of the reduced one. States in a pair agree on what is live in
//! the reduced program. So every run into an error has a run into the same error there.
//!
//! Locations from which no error can be reached need no partner. Two things are trusted: which variables are
//! live (the encoding of blocks rests on this too), and where memory is followed by formulas ([`Memory`]).

use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::analysis::uses::{Walker, regions_touched};
use bolide_cfa::analysis::{CallGraph, Flow, Liveness, ModRef};
use bolide_cfa::transform::{Mapped, VariableOrigin};
use bolide_cfa::{
    AllocKind, EdgeId, Expr, ExprId, FunctionId, LocId, ObjectPart, Op, Program, RegionId, VarId,
};

/// Stands for expressions that are compared apart.
fn anything(_: ExprId) -> ExprId {
    ExprId::from_index(0)
}

/// Whose contents a load gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Of all regions.
    All,
    /// Of regions whose accesses all have one type: to formulas a load from others yields any
    /// value, so nothing depends on what is written there.
    Typed,
}

/// Checks that `reduced` reaches every error that `whole`, the program it was made from, reaches.
pub fn simulates(whole: &Program, reduced: &Mapped, memory: Memory) -> Result<(), String> {
    let mut simulation = Simulation::new(whole, reduced, memory);
    simulation.same_start()?;
    for (small, function) in reduced.program.functions.iter() {
        let Some(body) = function.body else { continue };
        let large = reduced.functions[small].and_then(|f| whole.functions[f].body);
        let large = large.ok_or_else(|| format!("the function `{}` is new", function.name))?;
        simulation.meet(large.entry, body.entry);
    }
    while let Some(pair) = simulation.pending.pop() {
        simulation.step(pair)?;
    }
    Ok(())
}

struct Simulation<'a> {
    whole: &'a Program,
    reduced: &'a Program,
    map: &'a Mapped,
    /// By variable of the whole program: the one of the reduced program.
    kept: HashMap<VarId, VarId>,
    liveness: Liveness,
    /// Results of functions that no call takes and nobody reads.
    ignored: HashSet<VarId>,
    reads: Reads,
    /// Locations of the whole program from which an error can be reached.
    dangerous: Vec<bool>,
    /// What functions of the whole program do, with all that they call.
    effects: ModRef,
    /// By function of the whole program: whether it must not be left out, whatever variables it writes.
    lasting: Vec<bool>,
    /// The pairs; of a location of the whole and one of the reduced program.
    seen: HashSet<(LocId, LocId)>,
    pending: Vec<(LocId, LocId)>,
    /// Pairs of expressions that were found to be the same.
    same: HashSet<(ExprId, ExprId)>,
    walker: Walker,
}

/// What memory the reduced program reads, anywhere.
#[derive(Default)]
struct Reads {
    contents: HashSet<RegionId>,
    lifetimes: HashSet<RegionId>,
    /// Whether it looks at what is allocated at all.
    heap: bool,
}

impl Reads {
    fn new(program: &Program, memory: Memory) -> Reads {
        let mut reads = Reads::default();
        let mut walker = Walker::new();
        let followed = |region: RegionId| {
            memory == Memory::All
                || region == RegionId::ALL
                || program.regions[region].cell.is_some()
        };
        for edge in program.edges.values() {
            if let Op::Copy { from_region, .. } = edge.op
                && followed(from_region)
            {
                reads.contents.insert(from_region);
            }
            walker.walk(&program.exprs, &edge.op.operands(), |_, expr| match *expr {
                Expr::Load(access) if followed(access.region) => {
                    reads.contents.insert(access.region);
                }
                Expr::Valid { region, .. } | Expr::Freeable { region, .. } => {
                    reads.lifetimes.insert(region);
                }
                Expr::ObjectSize(_) => {
                    reads.lifetimes.insert(RegionId::ALL);
                }
                Expr::HeapInUse | Expr::Leaked => {
                    reads.heap = true;
                    reads.lifetimes.insert(RegionId::ALL);
                    if *expr == Expr::Leaked {
                        reads.contents.insert(RegionId::ALL);
                    }
                }
                _ => {}
            });
        }
        reads
    }
}

/// Whether one of the regions may be a part of another.
fn overlaps(read: &HashSet<RegionId>, written: RegionId) -> bool {
    match written {
        RegionId::ALL => !read.is_empty(),
        _ => read.contains(&written) || read.contains(&RegionId::ALL),
    }
}

impl<'a> Simulation<'a> {
    fn new(whole: &'a Program, map: &'a Mapped, memory: Memory) -> Simulation<'a> {
        let reduced = &map.program;
        let flow = Flow::new(reduced);
        let calls = CallGraph::new(reduced);
        let effects = ModRef::new(reduced, &calls);
        let liveness = Liveness::new(reduced, &flow, &calls, &effects);
        let kept = map
            .variables
            .iter()
            .filter_map(|(small, origin)| match *origin {
                VariableOrigin::Variable(large) => Some((large, small)),
                _ => None,
            })
            .collect();
        let calls = CallGraph::new(whole);
        let reads = Reads::new(reduced, memory);
        Simulation {
            whole,
            reduced,
            map,
            kept,
            liveness,
            ignored: ignored_results(reduced),
            dangerous: dangerous(whole),
            effects: ModRef::new(whole, &calls),
            lasting: lasting(whole, &calls, &reads),
            reads,
            seen: HashSet::default(),
            pending: Vec::new(),
            same: HashSet::default(),
            walker: Walker::new(),
        }
    }

    /// Both programs begin with the same values, and their functions take the same parameters.
    fn same_start(&mut self) -> Result<(), String> {
        let (whole, reduced, map) = (self.whole, self.reduced, self.map);
        if map.functions[reduced.entry] != Some(whole.entry) {
            return Err("another function is the entry".into());
        }
        // Required: everything below looks at direct calls only.
        if whole.edges.values().any(|edge| matches!(edge.op, Op::CallIndirect { .. })) {
            return Err("a call through a pointer has unknown targets".into());
        }
        if self.kept.len() != reduced.variables.len() {
            return Err("variables are new, or two of them were one".into());
        }
        let differs = |name: &str| Err(format!("`{name}` is not what it was"));
        for (small, variable) in reduced.variables.iter() {
            let VariableOrigin::Variable(large) = map.variables[small] else {
                return differs(&variable.name);
            };
            let old = &whole.variables[large];
            let initial = match (variable.initial, old.initial) {
                (Some(a), Some(b)) => self.same(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            let home = variable.function.map(|f| map.functions[f]);
            if !initial || variable.ty != old.ty || home != old.function.map(Some) {
                return differs(&variable.name);
            }
        }
        for (small, object) in reduced.objects.iter() {
            let old = &whole.objects[map.objects[small]];
            let pairs: Vec<_> = object.initial.iter().zip(&old.initial).collect();
            let initial = object.initial.len() == old.initial.len()
                && pairs.iter().all(|(a, b)| {
                    (a.offset, a.bits) == (b.offset, b.bits) && self.same(a.value, b.value)
                });
            let plain = (object.size, object.constant, object.external);
            if !initial || plain != (old.size, old.constant, old.external) {
                return differs(&object.name);
            }
        }
        for (small, function) in reduced.functions.iter() {
            let Some(large) = map.functions[small] else { return differs(&function.name) };
            let old = &whole.functions[large];
            let variable = |v: &VarId| self.kept.get(v).copied();
            let parameters: Vec<Option<VarId>> = old.parameters.iter().map(variable).collect();
            let own: Vec<Option<VarId>> = function.parameters.iter().copied().map(Some).collect();
            let result = old.result.as_ref().and_then(variable);
            if parameters != own || function.result.is_some() && function.result != result {
                return differs(&function.name);
            }
        }
        let cells =
            |program: &Program| -> Vec<_> { program.regions.values().map(|r| r.cell).collect() };
        let known: HashSet<ObjectPart> = whole.object_parts.iter().copied().collect();
        let old = |part: &ObjectPart| ObjectPart { object: map.objects[part.object], ..*part };
        if cells(whole) != cells(reduced)
            || whole.external_region != reduced.external_region
            || !reduced.object_parts.iter().all(|part| known.contains(&old(part)))
        {
            return Err("the regions of memory are others".into());
        }
        Ok(())
    }

    /// Notes a pair, unless the whole program can do no harm from there on.
    fn meet(&mut self, large: LocId, small: LocId) {
        if self.dangerous[large.index()] && self.seen.insert((large, small)) {
            self.pending.push((large, small));
        }
    }

    fn step(&mut self, (large, small): (LocId, LocId)) -> Result<(), String> {
        let whole = self.whole;
        let location = &whole.locations[large];
        let near = self.near(small);
        if let Some(check) = location.error {
            let found = near.iter().any(|&l| self.reduced.locations[l].error == Some(check));
            return if found { Ok(()) } else { Err(format!("the error at {large:?} is missed")) };
        }
        let is_exit = |program: &Program, at: LocId| {
            program.functions[program.locations[at].function].body.is_some_and(|b| b.exit == at)
        };
        if is_exit(whole, large) && !near.iter().any(|&l| is_exit(self.reduced, l)) {
            return Err(format!("a function does not return at {large:?}"));
        }
        for &edge in &location.outgoing {
            let to = whole.edges[edge].to;
            if !self.dangerous[to.index()] && !self.enters_danger(edge) {
                continue;
            }
            let partner = self.partner(edge, &near);
            let again = partner.is_some_and(|partner| self.is_done_again(edge, partner));
            match partner {
                Some(partner) if !again || !self.may_wait(edge, small) => {
                    self.meet(to, self.reduced.edges[partner].to);
                }
                _ if self.may_wait(edge, small) => self.meet(to, small),
                _ => return Err(format!("the step {edge:?} has no counterpart at {small:?}")),
            }
        }
        Ok(())
    }

    /// Where empty steps lead.
    fn near(&self, small: LocId) -> Vec<LocId> {
        let mut found = vec![small];
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            next += 1;
            for &edge in &self.reduced.locations[at].outgoing {
                let edge = &self.reduced.edges[edge];
                if edge.op == Op::Skip && !found.contains(&edge.to) {
                    found.push(edge.to);
                }
            }
        }
        found
    }

    /// Whether a call leads to an error that is reached before it returns.
    fn enters_danger(&self, edge: EdgeId) -> bool {
        match &self.whole.edges[edge].op {
            Op::Call { function, .. } => self.whole.functions[*function]
                .body
                .is_some_and(|body| self.dangerous[body.entry.index()]),
            _ => false,
        }
    }

    /// The step of the reduced program that stands for one of the whole program.
    fn partner(&mut self, edge: EdgeId, near: &[LocId]) -> Option<EdgeId> {
        let (reduced, map) = (self.reduced, self.map);
        let candidates = near.iter().flat_map(|&at| &reduced.locations[at].outgoing);
        candidates.copied().find(|&e| map.edges[e].contains(&edge) && self.does_the_same(edge, e))
    }

    /// Whether the steps that follow, as long as the reduced program joined them with this one, do the same again, as in
    /// `i = 0; i = 0;`: then that is the one it kept. Where the way forks, it need not be.
    fn is_done_again(&mut self, edge: EdgeId, partner: EdgeId) -> bool {
        let (whole, joined) = (self.whole, &self.map.edges[partner]);
        let mut at = whole.edges[edge].to;
        for _ in joined {
            let [next] = whole.locations[at].outgoing[..] else { return false };
            if !joined.contains(&next) {
                return false;
            }
            if self.does_the_same(next, partner) {
                return true;
            }
            at = whole.edges[next].to;
        }
        false
    }

    /// Whether a step of the reduced program allows all that the step of the whole one does.
    fn does_the_same(&mut self, large: EdgeId, small: EdgeId) -> bool {
        let (before, after) = (&self.whole.edges[large].op, &self.reduced.edges[small].op);
        let to = self.reduced.edges[small].to;
        if let Op::Nondet { target, .. } = after {
            let same = VariableOrigin::Variable;
            let target = self.map.variables[*target];
            return match before {
                Op::Nondet { target: old, .. } | Op::Assign { target: old, .. } => {
                    target == same(*old)
                }
                _ => false,
            };
        }
        if let (Op::Call { function, arguments, result }, Op::Call { arguments: old, .. }) =
            (after, before)
        {
            let Op::Call { function: called, result: into, .. } = before else { return false };
            return self.map.functions[*function] == Some(*called)
                && arguments.len() == old.len()
                && arguments.iter().zip(old).enumerate().all(|(position, (&a, &b))| {
                    self.same(a, b) || !self.uses_parameter(*function, position)
                })
                && self.same_result(*result, *into, to);
        }
        if let (Op::Halt { .. }, Op::Halt { .. }) = (before, after) {
            return true;
        }
        // Apart from expressions and a result that nobody reads, the operations are equal.
        if after.operands().len() != before.operands().len()
            || !after.operands().into_iter().zip(before.operands()).all(|(a, b)| self.same(a, b))
        {
            return false;
        }
        if !self.same_result(after.target(), before.target(), to) {
            return false;
        }
        self.shell(after, true) == self.shell(before, false)
    }

    /// Whether a variable is written in both programs, or nobody reads it in the reduced one.
    fn same_result(&self, small: Option<VarId>, large: Option<VarId>, at: LocId) -> bool {
        match (small, large) {
            (Some(small), Some(large)) => {
                self.map.variables[small] == VariableOrigin::Variable(large)
            }
            (None, Some(large)) => !self.is_live(large, at),
            (small, None) => small.is_none(),
        }
    }

    /// An operation without its expressions and without the result of a call.
    fn shell(&self, op: &Op, small: bool) -> Op {
        let mut shell = op.clone();
        shell.map_operands(anything);
        if let Op::External { result, .. } | Op::Output { result, .. } = &mut shell {
            *result = None;
        }
        if small {
            let variable = |v: VarId| match self.map.variables[v] {
                VariableOrigin::Variable(old) => old,
                _ => v,
            };
            let function = |f: FunctionId| self.map.functions[f].unwrap_or(f);
            shell.rename(variable, function);
        }
        shell
    }

    fn uses_parameter(&self, function: FunctionId, position: usize) -> bool {
        let function = &self.reduced.functions[function];
        function.body.is_none_or(|body| {
            self.liveness.is_live(self.reduced, body.entry, function.parameters[position])
        })
    }

    /// Whether the reduced program may still read a variable of the whole one.
    fn is_live(&self, large: VarId, at: LocId) -> bool {
        let small = self.kept.get(&large);
        small.is_some_and(|&var| {
            !self.ignored.contains(&var) && self.liveness.is_live(self.reduced, at, var)
        })
    }

    /// Whether the reduced program can do without a step: nothing it writes is read from there on.
    fn may_wait(&mut self, edge: EdgeId, at: LocId) -> bool {
        let op = &self.whole.edges[edge].op;
        if op.target().is_some_and(|var| self.is_live(var, at)) {
            return false;
        }
        match op {
            Op::Skip | Op::Assume(_) | Op::Halt { .. } => true,
            Op::Assign { .. } | Op::Nondet { .. } | Op::Output { .. } => true,
            // An object that nobody knows is seen only by who looks at all of them.
            Op::Alloc { kind, .. } => *kind != AllocKind::Heap || !self.reads.heap,
            Op::Free { region, .. } | Op::EndLifetime { region, .. } => {
                !overlaps(&self.reads.lifetimes, *region)
            }
            Op::External { .. } | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => {
                let (_, written) = regions_touched(self.whole, &mut self.walker, op);
                !written.into_iter().any(|region| overlaps(&self.reads.contents, region))
            }
            Op::Call { function, .. } => {
                let mut globals = self.effects.globals_written(*function);
                !self.lasting[function.index()] && !globals.any(|var| self.is_live(var, at))
            }
            Op::CallIndirect { .. } => false,
        }
    }

    /// Whether an expression of the reduced program is one of the whole program.
    fn same(&mut self, small: ExprId, large: ExprId) -> bool {
        let mut pending = vec![(small, large)];
        let mut visited: HashSet<(ExprId, ExprId)> = HashSet::default();
        while let Some((small, large)) = pending.pop() {
            if self.same.contains(&(small, large)) || !visited.insert((small, large)) {
                continue;
            }
            let (a, b) = (self.reduced.exprs.get(small), self.whole.exprs.get(large));
            let is_same = match (a, b) {
                (&Expr::Var(a), &Expr::Var(b)) => {
                    self.map.variables[a] == VariableOrigin::Variable(b)
                }
                (&Expr::Object(a), &Expr::Object(b)) => self.map.objects[a] == b,
                (&Expr::Function(a), &Expr::Function(b)) => self.map.functions[a] == Some(b),
                _ => a.map_operands(anything) == b.map_operands(anything),
            };
            if !is_same {
                return false;
            }
            pending.extend(a.operands().zip(b.operands()));
        }
        self.same.extend(visited);
        true
    }
}

/// Results that no call takes and nobody reads: liveness takes every result to be read at the exit.
fn ignored_results(program: &Program) -> HashSet<VarId> {
    let mut found: HashSet<VarId> = program.functions.values().filter_map(|f| f.result).collect();
    let mut walker = Walker::new();
    for edge in program.edges.values() {
        if let Op::Call { function, result: Some(_), .. } = edge.op
            && let Some(result) = program.functions[function].result
        {
            found.remove(&result);
        }
        for var in walker.variables(&program.exprs, &edge.op.operands()) {
            found.remove(&var);
        }
    }
    found
}

/// Locations from which an error may be reached, through calls and returns.
fn dangerous(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.locations.len()];
    let mut calls_of: Vec<Vec<EdgeId>> = vec![Vec::new(); program.functions.len()];
    for (id, edge) in program.edges.iter() {
        if let Op::Call { function, .. } = edge.op {
            calls_of[function.index()].push(id);
        }
    }
    let mut pending: Vec<LocId> =
        program.locations.iter().filter(|(_, l)| l.error.is_some()).map(|(id, _)| id).collect();
    while let Some(at) = pending.pop() {
        if std::mem::replace(&mut found[at.index()], true) {
            continue;
        }
        let location = &program.locations[at];
        for &edge in &location.incoming {
            pending.push(program.edges[edge].from);
            // What is called before comes back from its exit.
            if let Op::Call { function, .. } = program.edges[edge].op {
                pending.extend(program.functions[function].body.map(|body| body.exit));
            }
        }
        let body = program.functions[location.function].body;
        if body.is_some_and(|body| body.entry == at) {
            let callers = &calls_of[location.function.index()];
            pending.extend(callers.iter().map(|&call| program.edges[call].from));
        }
    }
    found
}

/// Functions that must not be left out whatever variables they write: they contain an error, they write memory that is
/// read, or lives of objects that matter begin or end in them, themselves or by what they call.
fn lasting(program: &Program, calls: &CallGraph, reads: &Reads) -> Vec<bool> {
    let mut found = vec![false; program.functions.len()];
    let mut walker = Walker::new();
    for location in program.locations.values() {
        found[location.function.index()] |= location.error.is_some();
    }
    for edge in program.edges.values() {
        found[program.locations[edge.from].function.index()] |= match &edge.op {
            Op::Alloc { kind, .. } => *kind == AllocKind::Heap && reads.heap,
            Op::Free { region, .. } | Op::EndLifetime { region, .. } => {
                overlaps(&reads.lifetimes, *region)
            }
            op => {
                let (_, written) = regions_touched(program, &mut walker, op);
                written.into_iter().any(|region| overlaps(&reads.contents, region))
            }
        };
    }
    // Callees come first.
    for component in calls.bottom_up() {
        let lasts = component
            .iter()
            .any(|&f| found[f.index()] || calls.callees(f).iter().any(|g| found[g.index()]));
        component.iter().for_each(|f| found[f.index()] |= lasts);
    }
    found
}

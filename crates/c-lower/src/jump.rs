//! Scopes, the objects that live in them, and jumps between them.
//!
//! An object of a block lives from the entry of the block, however it is
//! entered, to its end, however it is left. Its address is kept in a variable;
//! the allocations stand at the head of the block. A jump ends the lives of what
//! lies in the scopes it leaves and begins those of the scopes it enters. What a
//! scope holds is known only when it has been lowered, so jumps are collected
//! and made into edges at the end of the function.
//!
//! Variable-length arrays live from their declaration on; each has a number, and
//! a jump remembers how many had been declared where it starts and where it ends.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::function_state::{
    Begin, Destination, FunctionState, Jump, Living, LocalObject, Scope, ScopeId,
};
use crate::input::Fallible;
use crate::scope::unique;
use crate::types::QualType;
use bolide_base::Span;
use bolide_cfa::{
    AllocKind, Expr, ExprId, LocId, NondetSource, Op, Origin, RegionId, Role, Type, VarId,
    Variable, VariableKind,
};

impl OpenBlock {
    /// The scope around the block.
    pub fn outer(&self) -> ScopeId {
        self.outer
    }
}

/// An open block: what must be remembered until it is closed.
pub struct OpenBlock {
    entry: Option<LocId>,
    first_jump: usize,
    span: Span,
    outer: ScopeId,
}

impl Emission {
    fn end_lifetime(&mut self, var: VarId) {
        let pointer = self.read(var);
        self.emit(Op::EndLifetime { pointer, region: RegionId::ALL });
    }

    /// Adds a path of at least one step.
    pub fn add_steps(&mut self, from: LocId, to: LocId, steps: Vec<(Op, Origin)>) {
        let mut at = from;
        let last = steps.len() - 1;
        for (i, (op, origin)) in steps.into_iter().enumerate() {
            let next = if i == last { to } else { self.location() };
            self.program.add_edge(at, next, op, origin);
            at = next;
        }
    }

    pub fn address_variable(&mut self, name: &str, span: Span) -> VarId {
        let name = unique(&mut self.at.names, name.to_owned());
        let function = self.at.active.then_some(self.at.id);
        let scope = self.at.block;
        self.add_variable(Variable {
            span,
            scope,
            ..Variable::new(name, Type::Pointer, function, VariableKind::Address)
        })
    }

    fn make_jump(&mut self, jump: Jump, mut steps: Vec<Op>) {
        if !matches!(jump.op, Op::Skip) || steps.is_empty() {
            steps.insert(0, jump.op);
        }
        let implicit = Origin { role: Role::Implicit, ..jump.origin };
        let origin = |i: usize| if i == 0 { jump.origin } else { implicit };
        let steps = steps.into_iter().enumerate().map(|(i, op)| (op, origin(i))).collect();
        self.add_steps(jump.from, jump.to, steps);
    }
}

impl FunctionState {
    /// Inserts the allocations of a scope between `entry` and all that follows it.
    fn allocate_at_head(
        &mut self,
        out: &mut Emission,
        scope: ScopeId,
        entry: LocId,
        first_jump: usize,
    ) {
        let objects: Vec<LocalObject> = self.scopes[scope]
            .objects
            .iter()
            .copied()
            .filter(|o| !matches!(o.begin, Begin::Declaration(_)))
            .collect();
        if objects.is_empty() {
            return;
        }
        let mut steps = Vec::new();
        for object in &objects {
            let span = out.program.variables[object.var].span;
            let origin = Origin { span, role: Role::Declaration };
            steps.extend(self.begin_lifetime(out, object).into_iter().map(|op| (op, origin)));
        }
        self.insert_at_head(out, entry, steps, first_jump);
    }

    /// Inserts steps between `entry` and all that follows it.
    pub fn insert_at_head(
        &mut self,
        out: &mut Emission,
        entry: LocId,
        steps: Vec<(Op, Origin)>,
        first_jump: usize,
    ) {
        let start = out.location();
        let moved = std::mem::take(&mut out.program.locations[entry].outgoing);
        for &edge in &moved {
            out.program.edges[edge].from = start;
        }
        out.program.locations[start].outgoing = moved;
        for jump in &mut self.jumps[first_jump..] {
            if jump.from == entry {
                jump.from = start;
            }
        }
        if out.at.cur == Some(entry) {
            out.at.cur = Some(start);
        }
        out.add_steps(entry, start, steps);
    }

    /// The allocation, and the note for functions within this one where the object is.
    fn begin_lifetime(&mut self, out: &mut Emission, object: &LocalObject) -> Vec<Op> {
        let null = out.expr(Expr::Null);
        let mut steps = vec![beginning(object, null)];
        steps.extend(self.note_in_frame(out, object.var));
        steps
    }

    /// A full expression ends, and with it what calls in it returned.
    pub fn end_temporaries(&mut self, out: &mut Emission, before: usize) {
        for var in self.returned.split_off(before) {
            out.end_lifetime(var);
        }
    }

    /// Allocates a variable-length array of `size` bytes here.
    pub fn allocate_vla(
        &mut self,
        out: &mut Emission,
        name: &str,
        size: ExprId,
        align: u64,
        span: Span,
    ) -> ExprId {
        let var = out.address_variable(name, span);
        let begin = Begin::Declaration(self.vlas);
        self.vlas += 1;
        let object = LocalObject { var, size, align, begin };
        out.emit(allocation(&object));
        let scope = self.scope;
        self.scopes[scope].objects.push(object);
        out.read(var)
    }

    /// Leaves the function, if control can come here.
    pub fn leave(&mut self, out: &mut Emission) {
        if let Some(cur) = out.at.cur.take() {
            let (exit, origin) = (self.exit, out.at.origin);
            self.add_jump_to(out, cur, exit, Op::Skip, Destination::Exit, origin);
        }
    }

    /// Notes a jump whose first step is `op`.
    pub fn add_jump_to(
        &mut self,
        out: &mut Emission,
        from: LocId,
        to: LocId,
        op: Op,
        destination: Destination,
        origin: Origin,
    ) {
        out.at.jump_targets.insert(to);
        let living = self.living();
        self.jumps.push(Jump { from, to, op, living, destination, origin });
    }

    /// Makes edges of all jumps. The function's outermost scope gets its
    /// allocations at the entry.
    pub fn resolve_jumps(&mut self, out: &mut Emission) {
        self.end_allocas(out);
        let root = self.scope;
        if let Some(body) = out.program.functions[out.at.id].body {
            self.allocate_at_head(out, root, body.entry, 0);
        }
        for jump in std::mem::take(&mut self.jumps) {
            let living = match jump.destination {
                Destination::Exit => None,
                Destination::Place(living) => Some(living),
                Destination::Label(table, name) => {
                    match self.labels.all.get(&(table, name)).and_then(|l| l.defined) {
                        // Reported when the label's table was closed.
                        None => continue,
                        living => living,
                    }
                }
            };
            let steps = self.lifetime_steps(out, jump.living, living);
            out.make_jump(jump, steps);
        }
    }

    fn lifetime_steps(&mut self, out: &mut Emission, from: Living, to: Option<Living>) -> Vec<Op> {
        let alive = to.map_or(0, |to| to.vlas);
        let scopes = &self.scopes;
        let depth = |s: Option<ScopeId>| s.map_or(0, |s| scopes[s].depth + 1);
        let parent = |s: Option<ScopeId>| s.and_then(|s| scopes[s].parent);
        let (mut a, mut b) = (Some(from.scope), to.map(|to| to.scope));
        let (mut left, mut entered) = (Vec::new(), Vec::new());
        while a != b {
            if depth(a) >= depth(b) {
                left.extend(a);
                a = parent(a);
            } else {
                entered.extend(b);
                b = parent(b);
            }
        }
        let mut ended: Vec<VarId> = Vec::new();
        for scope in left {
            let objects = scopes[scope].objects.iter().rev();
            let begun = |o: &&LocalObject| match o.begin {
                Begin::Declaration(n) => n < from.vlas,
                Begin::Scope | Begin::Call => true,
            };
            ended.extend(objects.filter(begun).map(|o| o.var));
        }
        // A jump back over the declaration of a VLA ends it though its scope stays.
        let mut common = a;
        while let Some(scope) = common {
            let objects = scopes[scope].objects.iter().rev();
            let left = |o: &&LocalObject| matches!(o.begin, Begin::Declaration(n) if n < from.vlas && n >= alive);
            ended.extend(objects.filter(left).map(|o| o.var));
            common = parent(common);
        }
        let mut steps = Vec::new();
        for var in ended {
            let pointer = out.read(var);
            steps.push(Op::EndLifetime { pointer, region: RegionId::ALL });
        }
        for scope in entered.into_iter().rev() {
            let objects = self.scopes[scope].objects.clone();
            for object in objects.iter().filter(|o| !matches!(o.begin, Begin::Declaration(_))) {
                steps.extend(self.begin_lifetime(out, object));
            }
            steps.extend(
                self.scopes[scope]
                    .scalars
                    .iter()
                    .map(|&target| Op::Nondet { target, source: NondetSource::Uninitialized }),
            );
        }
        steps
    }
}

impl Lowerer<'_> {
    /// Opens a block: a scope for names and objects.
    pub fn open_block(&mut self, span: Span) -> OpenBlock {
        let unit = self.input.unit;
        self.linkage.names[unit].enter();
        if unit < self.input.first_model {
            self.out.blocks.insert((unit, span));
        }
        let f = &mut self.f;
        let outer = f.scope;
        let depth = f.scopes[outer].depth + 1;
        f.scope = f.scopes.push(Scope { parent: Some(outer), depth, ..Scope::default() });
        let open = OpenBlock {
            entry: self.out.at.cur,
            first_jump: f.jumps.len(),
            span: self.out.at.block,
            outer,
        };
        self.out.at.block = self.input.span(span);
        open
    }

    /// Closes a block: its objects are allocated at its head and end here.
    pub fn close_block(&mut self, open: OpenBlock) {
        let unit = self.input.unit;
        self.linkage.names[unit].leave();
        let scope = self.f.scope;
        let objects = self.f.scopes[scope].objects.clone();
        let origin = self.out.at.origin;
        self.out.at.origin.role = Role::Implicit;
        for object in objects.iter().rev() {
            self.out.end_lifetime(object.var);
        }
        if let Some(entry) = open.entry {
            self.f.allocate_at_head(&mut self.out, scope, entry, open.first_jump);
        }
        self.out.at.origin = origin;
        self.f.scope = open.outer;
        self.out.at.block = open.span;
    }

    /// Gives a local of the present scope an object in memory; the address.
    pub fn allocate_local(
        &mut self,
        name: &str,
        ty: QualType,
        span: Span,
        align: u64,
    ) -> Fallible<ExprId> {
        let Some(size) = self.types.size(ty.ty) else {
            return self.error(
                span,
                format!("`{name}` has the incomplete type `{}`", self.types.spell(ty.ty)),
            );
        };
        let align = align.max(self.types.align_qualified(ty));
        let size = self.out.size(size);
        let var = self.out.address_variable(name, span);
        let scope = self.f.scope;
        if self.f.unevaluated == 0 {
            self.f.scopes[scope].objects.push(LocalObject {
                var,
                size,
                align,
                begin: Begin::Scope,
            });
        }
        Ok(self.out.read(var))
    }

    /// Allocates what a call returns; it lives until the full expression ends (C11 6.2.4).
    pub fn allocate_temporary(&mut self, name: &str, ty: QualType) -> Fallible<ExprId> {
        let pointer = self.allocate_local(name, ty, Span::NONE, 0)?;
        let scope = self.f.scope;
        if self.f.unevaluated == 0
            && let Some(object) = self.f.scopes[scope].objects.last_mut()
        {
            object.begin = Begin::Call;
            let object = *object;
            // Heuristic: where nobody says that the expression has ended, it ends with its next evaluation.
            self.out.end_lifetime(object.var);
            self.out.emit(allocation(&object));
            self.f.returned.push(object.var);
        }
        Ok(pointer)
    }
}

/// What entering its scope does to an object that is not declared there.
fn beginning(object: &LocalObject, null: ExprId) -> Op {
    match object.begin {
        Begin::Call => Op::Assign { target: object.var, value: null },
        _ => allocation(object),
    }
}

fn allocation(object: &LocalObject) -> Op {
    Op::Alloc {
        target: object.var,
        size: object.size,
        align: object.align,
        kind: AllocKind::Stack,
        zeroed: false,
        frame: None,
        region: RegionId::ALL,
    }
}

//! Where pointers point: a unification-based analysis with fields.
//!
//! After Steensgaard (POPL 1996) with the field- and array-sensitivity of data
//! structure analysis (Lattner, Lenharth, Adve, PLDI 2007) in the form that
//! works without types (Gurfinkel, Navas, SAS 2017). Flow- and
//! context-insensitive, almost linear. Every scalar value of the program, whatever its
//! type, has at most one cell that it may point to; assignments, calls, loads and
//! stores join cells. The [`graph`] tells how offsets are kept.
//!
//! What the analysis relies on, beyond the semantics of [`crate::program`]:
//! - Pointer arithmetic does not leave the object ([`Expr::PointerAdd`] out of
//!   bounds never meets another object), and `base + i * stride` does not get back to the
//!   base by wrapping around the address space.
//! - Integers as wide as a pointer carry pointers through copies, sums,
//!   differences, bit operations and shifts; narrower ones only through copies
//!   (a loop that copies bytes), not through arithmetic or conversions. Products, quotients and
//!   floats computed from an address are not addresses any more.
//! - An integer that was never a pointer, converted to one, may point to any
//!   object whose address was converted to an integer somewhere.
//!
//! External code is one universal node: it holds what was passed to external
//! functions that may change memory, what they return and pointers that are inputs (if these are followed: [`nowhere`]), and
//! objects declared but not defined. A pointer compared with one of those may
//! be equal to it, so its target joins them.

pub mod graph;
mod nowhere;
mod offsets;

use self::graph::{Cell, Graph, NodeId, Place, Shape, Signature};
use self::nowhere::Targets;
pub use self::offsets::{Offset, offset_of};
use crate::analysis::graph::reached;
use crate::analysis::uses::Walker;
use crate::analysis::{BitSet, CallGraph};
use crate::expr::{Access, BinaryOp, BitRange, Expr, ExprId};
use crate::program::{
    Edge, EdgeId, ExternalEffect, FunctionId, NondetSource, ObjectId, Op, Program, VarId,
};
use crate::types::Type;
use bolide_base::arena::Id;

/// The result: what each expression, variable and object may point to.
#[derive(Clone, Debug)]
pub struct PointsTo {
    graph: Graph,
    /// By expression, for those in code that can run: the cell it points to.
    values: Vec<Option<Cell>>,
    variables: Vec<Option<Cell>>,
    objects: Vec<Option<Cell>>,
    functions: Vec<Option<Cell>>,
    universe: Cell,
    /// Conversions from integers to pointers.
    from_integers: Vec<ExprId>,
    /// Pointers converted to integers.
    exposed: Vec<Cell>,
    compared: Vec<(Cell, Cell)>,
    /// Variables that get pointers from inputs and external functions.
    from_nowhere: Vec<VarId>,
    copies: Vec<(Cell, Option<u64>)>,
    /// Calls through pointers: the callee, and what goes in and comes out.
    indirect: Vec<(Cell, Vec<Cell>)>,
    /// Functions without a body.
    bodiless: BitSet,
    pointer_bits: u8,
}

impl PointsTo {
    /// Analyses what the program's entry can reach.
    pub fn new(program: &Program) -> PointsTo {
        let mut graph = Graph::default();
        let universe = graph.fresh();
        graph.node_mut(universe.node).universal = true;
        graph.collapse(universe);
        graph.access(universe, 1, Shape::Mixed, false, false);
        let content = graph.content(universe);
        graph.unify(content, universe);
        let mut analysis = PointsTo {
            graph,
            values: vec![None; program.exprs.len()],
            variables: vec![None; program.variables.len()],
            objects: vec![None; program.objects.len()],
            functions: vec![None; program.functions.len()],
            universe,
            from_integers: Vec::new(),
            exposed: Vec::new(),
            compared: Vec::new(),
            from_nowhere: Vec::new(),
            copies: Vec::new(),
            indirect: Vec::new(),
            bodiless: BitSet::new(program.functions.len()),
            pointer_bits: program.target.pointer_bits,
        };
        for (id, function) in program.functions.iter() {
            if function.body.is_none() {
                analysis.bodiless.insert(id.index());
            }
        }
        let calls = CallGraph::new(program);
        let runs = |edge: &Edge| calls.is_reachable(program.locations[edge.from].function);
        let edges = || program.edges.iter().filter(|(_, edge)| runs(edge));
        let mut roots: Vec<ExprId> = edges().flat_map(|(_, edge)| edge.op.operands()).collect();
        roots.extend(program.variables.values().filter_map(|variable| variable.initial));
        let (used, objects) = mentioned(program, &roots);
        for id in used {
            analysis.expression(program, id);
        }
        for (id, edge) in edges() {
            analysis.operation(program, id, &edge.op);
        }
        for (var, variable) in program.variables.iter() {
            if let Some(value) = variable.initial {
                analysis.assign(program, var, value);
            }
        }
        for object in objects {
            analysis.initial_values(program, object);
        }
        analysis.close();
        let operations: Vec<&Op> = edges().map(|(_, edge)| &edge.op).collect();
        analysis.meet_nowhere(program, &operations);
        analysis
    }

    /// Pointers from nowhere point to all that external code may know, if that matters.
    fn meet_nowhere(&mut self, program: &Program, operations: &[&Op]) {
        let from_nowhere = std::mem::take(&mut self.from_nowhere);
        let (graph, values, universe) = (&mut self.graph, &self.values[..], self.universe);
        let targets = Targets { graph, values, universe };
        let matters = nowhere::is_followed(targets, program, operations, &from_nowhere);
        for var in from_nowhere {
            let cell = self.variable(var);
            if matters {
                self.graph.unify(cell, self.universe);
            } else {
                let root = self.graph.find(cell).node;
                self.graph.node_mut(root).unknown = true;
            }
        }
        if matters {
            self.close();
        }
    }

    fn initial_values(&mut self, program: &Program, object: ObjectId) {
        let at = self.object(object);
        if program.objects[object].external {
            self.graph.unify(at, self.universe);
        }
        for init in &program.objects[object].initial {
            let ty = program.exprs.type_of(init.value);
            let cell = at.moved(init.offset as i64);
            let (size, shape) = extent(program, ty, init.bits);
            self.graph.access(cell, size, shape, false, false);
            if let Some(value) = self.values[init.value.index()] {
                let content = self.graph.content(cell);
                self.graph.unify(content, value);
            }
        }
    }

    /// Rules that ask about the outcome, until nothing changes.
    fn close(&mut self) {
        loop {
            self.graph.changed = false;
            let mut wild = false;
            for id in std::mem::take(&mut self.from_integers) {
                let origin = self.values[id.index()];
                let known = origin.is_some_and(|cell| {
                    let root = self.graph.find(cell).node;
                    let node = self.graph.node(root);
                    !node.places.is_empty() || !node.functions.is_empty()
                });
                if known {
                    self.from_integers.push(id);
                } else if let Some(cell) = origin {
                    wild = true;
                    self.graph.unify(cell, self.universe);
                }
            }
            if wild {
                for cell in std::mem::take(&mut self.exposed) {
                    self.graph.unify(cell, self.universe);
                }
            }
            for (a, b) in self.compared.clone() {
                let (a, b) = (self.graph.find(a), self.graph.find(b));
                if self.graph.node(a.node).universal != self.graph.node(b.node).universal {
                    self.graph.unify(a, b);
                }
            }
            // An unknown function may be an external one, and one without a body is.
            for (callee, values) in self.indirect.clone() {
                let root = self.graph.find(callee).node;
                let node = self.graph.node(root);
                let is_outside = |f: &FunctionId| self.bodiless.contains(f.index());
                if node.universal || node.functions.iter().any(is_outside) {
                    for cell in values {
                        self.graph.unify(cell, self.universe);
                    }
                }
            }
            // A copy of unknown extent is one operation on one field.
            for (cell, size) in self.copies.clone() {
                if !self.copy_splits(cell, size) {
                    let root = self.graph.find(cell).node;
                    if self.graph.node(root).fields.len() > 1 {
                        self.graph.collapse(cell);
                    }
                }
            }
            for root in self.graph.roots().collect::<Vec<_>>() {
                if self.graph.node(root).universal && self.graph.node(root).period != 1 {
                    self.graph.collapse(Cell { node: root, offset: 0 });
                }
            }
            if !self.graph.changed {
                return;
            }
        }
    }

    /// Whether a copy of `size` bytes meets each field of its node at most once.
    pub(crate) fn copy_splits(&mut self, cell: Cell, size: Option<u64>) -> bool {
        let at = self.graph.find(cell);
        let period = self.graph.node(at.node).period;
        size.is_some_and(|size| {
            size < 1 << 16 && (period == 0 || at.offset as u64 + size <= period)
        })
    }

    fn fresh_in(graph: &mut Graph, slot: &mut Option<Cell>) -> Cell {
        *slot.get_or_insert_with(|| graph.fresh())
    }

    fn variable(&mut self, var: VarId) -> Cell {
        Self::fresh_in(&mut self.graph, &mut self.variables[var.index()])
    }

    fn object(&mut self, object: ObjectId) -> Cell {
        if let Some(cell) = self.objects[object.index()] {
            return cell;
        }
        let cell = self.graph.fresh();
        self.graph.node_mut(cell.node).places.push((Place::Static(object), 0));
        self.objects[object.index()] = Some(cell);
        cell
    }

    fn function(&mut self, program: &Program, function: FunctionId) -> Cell {
        if let Some(cell) = self.functions[function.index()] {
            return cell;
        }
        let cell = self.graph.fresh();
        self.functions[function.index()] = Some(cell);
        let definition = &program.functions[function];
        let parameters = definition.parameters.iter().map(|&p| Some(self.variable(p))).collect();
        let result = definition.result.map(|r| self.variable(r));
        let node = self.graph.node_mut(cell.node);
        node.functions.push(function);
        node.signature = Some(Signature { parameters, result });
        cell
    }

    /// Whether values of this type keep their target through arithmetic and
    /// conversions.
    fn is_address_wide(&self, ty: Type) -> bool {
        match ty {
            Type::Pointer => true,
            Type::Int(t) => t.bits >= self.pointer_bits,
            Type::Float(_) => false,
        }
    }

    fn expression(&mut self, program: &Program, id: ExprId) {
        let exprs = &program.exprs;
        let value = |a: &Self, e: ExprId| a.values[e.index()];
        let ty = exprs.type_of(id);
        let result = match exprs.get(id) {
            Expr::Var(var) if ty != Type::BOOL => Some(self.variable(*var)),
            Expr::Object(object) => Some(self.object(*object)),
            Expr::Function(function) => Some(self.function(program, *function)),
            Expr::Load(access) => {
                let cell = self.touch(program, access);
                (ty != Type::BOOL).then(|| self.graph.content(cell))
            }
            Expr::Unary(_, a) if self.is_address_wide(ty) => {
                let cell = value(self, *a);
                if let Some(cell) = cell {
                    self.graph.collapse(cell);
                }
                cell
            }
            Expr::Binary(op, a, b) if self.is_address_wide(ty) => {
                self.arithmetic(program, *op, *a, *b)
            }
            Expr::Ite(_, a, b) => {
                let (a, b) = (value(self, *a), value(self, *b));
                if let (Some(a), Some(b)) = (a, b) {
                    self.graph.unify(a, b);
                }
                a.or(b)
            }
            Expr::Cast(to, a) => {
                let from = exprs.type_of(*a);
                if self.is_address_wide(*to) && self.is_address_wide(from) {
                    let mut cell = value(self, *a);
                    match (from, to) {
                        (Type::Pointer, Type::Int(_)) => self.exposed.extend(cell),
                        (Type::Int(_), Type::Pointer) if exprs.as_int(*a).is_none() => {
                            self.from_integers.push(id);
                            cell = cell.or_else(|| Some(self.graph.fresh()));
                        }
                        _ => {}
                    }
                    cell
                } else if *to == Type::Pointer && exprs.as_int(*a).is_none() {
                    // A narrow integer made a pointer: from nowhere.
                    self.from_integers.push(id);
                    Some(self.graph.fresh())
                } else {
                    if from == Type::Pointer && *to != Type::BOOL {
                        self.exposed.extend(value(self, *a));
                    }
                    None
                }
            }
            Expr::PointerAdd(p, offset) => match value(self, *p) {
                Some(base) => {
                    let Offset { constant, stride } = offset_of(exprs, *offset);
                    self.graph.fold(base, stride);
                    Some(base.moved(constant))
                }
                None => {
                    // An address made from the null pointer.
                    let cell = value(self, *offset);
                    if let Some(cell) = cell {
                        self.graph.collapse(cell);
                    }
                    cell
                }
            },
            Expr::SameObject(a, b) | Expr::Compare(_, a, b)
                if exprs.type_of(*a) == Type::Pointer =>
            {
                if let (Some(a), Some(b)) = (value(self, *a), value(self, *b)) {
                    self.compared.push((a, b));
                }
                None
            }
            _ => None,
        };
        self.values[id.index()] = result;
    }

    fn arithmetic(
        &mut self,
        program: &Program,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Option<Cell> {
        use BinaryOp::*;
        let (x, y) = (self.values[a.index()], self.values[b.index()]);
        match (op, program.exprs.as_int(a), program.exprs.as_int(b)) {
            (Mul | Div | Rem, ..) => None,
            (Add, Some(c), None) => y.map(|cell| cell.moved(c as i64)),
            (Add, None, Some(c)) => x.map(|cell| cell.moved(c as i64)),
            (Sub, None, Some(c)) => x.map(|cell| cell.moved((c as i64).wrapping_neg())),
            _ => {
                // The amount of a shift is no address.
                let y = if matches!(op, Shl | Shr) { None } else { y };
                if let (Some(x), Some(y)) = (x, y) {
                    self.graph.unify(x, y);
                }
                let cell = x.or(y)?;
                self.graph.collapse(cell);
                Some(cell)
            }
        }
    }

    /// Records the access and returns its cell.
    fn touch(&mut self, program: &Program, access: &Access) -> Cell {
        let cell = self.values[access.pointer.index()].unwrap_or(self.universe);
        let (size, shape) = extent(program, access.ty, access.bits);
        self.graph.access(cell, size, shape, access.volatile, true);
        cell
    }

    fn assign(&mut self, program: &Program, target: VarId, value: ExprId) {
        if program.variables[target].ty != Type::BOOL
            && let Some(cell) = self.values[value.index()]
        {
            let target = self.variable(target);
            self.graph.unify(target, cell);
        }
    }

    fn operation(&mut self, program: &Program, id: EdgeId, op: &Op) {
        let value = |a: &Self, e: ExprId| a.values[e.index()];
        match op {
            Op::Assign { target, value } => self.assign(program, *target, *value),
            Op::Store { access, value: stored } => {
                let cell = self.touch(program, access);
                if let Some(stored) = value(self, *stored) {
                    let content = self.graph.content(cell);
                    self.graph.unify(content, stored);
                }
            }
            Op::Nondet { target, source }
                if program.variables[*target].ty == Type::Pointer
                    && *source != NondetSource::Uninitialized =>
            {
                self.from_nowhere.push(*target);
            }
            Op::Alloc { target, frame, .. } => {
                let cell = self.graph.fresh();
                self.graph.node_mut(cell.node).places.push((Place::Site(id), 0));
                let target = self.variable(*target);
                self.graph.unify(target, cell);
                // Who asks whether the object lives asks for its frame.
                if let Some(frame) = frame.and_then(|frame| value(self, frame)) {
                    self.graph.unify(target, frame);
                }
            }
            Op::Copy { to, from, size, .. } => {
                if let (Some(to), Some(from)) = (value(self, *to), value(self, *from)) {
                    self.graph.unify(to, from);
                    let size = program.exprs.as_int(*size).and_then(|s| u64::try_from(s).ok());
                    self.copies.push((to, size));
                }
            }
            Op::Call { function, arguments, result } => {
                let definition = &program.functions[*function];
                for (&parameter, &argument) in definition.parameters.iter().zip(arguments) {
                    self.assign(program, parameter, argument);
                }
                if let (Some(from), Some(to)) = (definition.result, result) {
                    let (from, to) = (self.variable(from), self.variable(*to));
                    self.graph.unify(from, to);
                }
            }
            Op::CallIndirect { callee, arguments, result, .. } => {
                let Some(callee) = value(self, *callee) else { return };
                let parameters: Vec<_> = arguments.iter().map(|&a| value(self, a)).collect();
                let result = result.map(|r| self.variable(r));
                self.indirect
                    .push((callee, parameters.iter().copied().flatten().chain(result).collect()));
                let cell = self.graph.fresh();
                self.graph.node_mut(cell.node).signature = Some(Signature { parameters, result });
                self.graph.collapse(cell);
                self.graph.unify(cell, callee);
            }
            Op::External { arguments, result, effect, .. } => {
                let known = arguments.iter().filter(|_| *effect != ExternalEffect::Pure);
                let known: Vec<Cell> = known.filter_map(|&e| value(self, e)).collect();
                for cell in known {
                    self.graph.unify(cell, self.universe);
                }
                let is_pointer = |var: &VarId| program.variables[*var].ty == Type::Pointer;
                self.from_nowhere.extend(result.filter(is_pointer));
            }
            Op::Output { arguments, .. } => {
                for &argument in arguments {
                    if program.exprs.type_of(argument) == Type::Pointer
                        && let Some(cell) = value(self, argument)
                    {
                        let root = self.graph.find(cell).node;
                        // Joining nodes keeps the mark.
                        self.graph.node_mut(root).printed = true;
                    }
                }
            }
            _ => {}
        }
    }

    /// The cell that an expression points to; none for what is no pointer, for
    /// constants, and for code that cannot run.
    pub fn of_expr(&mut self, id: ExprId) -> Option<Cell> {
        let cell = self.values.get(id.index()).copied().flatten()?;
        Some(self.graph.find(cell))
    }

    /// The cell of an access: that of its pointer, or the universe for a
    /// pointer from nowhere.
    pub fn of_pointer(&mut self, pointer: ExprId) -> Cell {
        self.of_expr(pointer).unwrap_or_else(|| self.universe())
    }

    /// The cell of a static object's first byte, if code mentions it.
    pub fn of_object(&mut self, object: ObjectId) -> Option<Cell> {
        self.objects[object.index()].map(|cell| self.graph.find(cell))
    }

    /// The cell that a variable points to.
    pub fn of_variable(&mut self, var: VarId) -> Option<Cell> {
        self.variables[var.index()].map(|cell| self.graph.find(cell))
    }

    /// All that external code may know.
    pub fn universe(&mut self) -> Cell {
        self.graph.find(self.universe)
    }

    /// The graph.
    pub fn graph(&mut self) -> &mut Graph {
        &mut self.graph
    }

    /// The functions that a pointer may call, sorted, and whether it may also
    /// be something that the analysis does not know.
    pub fn call_targets(&mut self, callee: ExprId) -> (Vec<FunctionId>, bool) {
        let Some(cell) = self.of_expr(callee) else { return (Vec::new(), false) };
        let node = self.graph.node(cell.node);
        let mut functions = node.functions.clone();
        functions.sort_unstable();
        functions.dedup();
        (functions, node.universal)
    }

    /// The functions whose address can be found from these cells on, sorted.
    pub fn functions_from(&mut self, cells: &[Cell]) -> Vec<FunctionId> {
        let starts: Vec<NodeId> = cells.iter().map(|&cell| self.graph.find(cell).node).collect();
        let nodes = reached(starts, |node| {
            let contents = self.graph.node(node).fields.values().filter_map(|f| f.content);
            let contents: Vec<Cell> = contents.collect();
            contents.into_iter().map(|cell| self.graph.find(cell).node).collect::<Vec<_>>()
        });
        let functions = nodes.into_iter().flat_map(|node| &self.graph.node(node).functions);
        let mut found: Vec<FunctionId> = functions.copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The root nodes in order.
    pub fn roots(&self) -> Vec<NodeId> {
        self.graph.roots().collect()
    }
}

/// How many bytes an access has, and how it looks to its field.
fn extent(program: &Program, ty: Type, bits: Option<BitRange>) -> (u64, Shape) {
    match bits {
        Some(BitRange { offset, width }) => {
            ((u64::from(offset) + u64::from(width)).div_ceil(8), Shape::Mixed)
        }
        None => (ty.size(program.target), Shape::One(ty)),
    }
}

/// All expressions and objects that `roots` mention, sorted. Objects bring their initial values.
fn mentioned(program: &Program, roots: &[ExprId]) -> (Vec<ExprId>, Vec<ObjectId>) {
    let mut walker = Walker::new();
    let mut used = walker.bottom_up(&program.exprs, roots);
    let mut objects = BitSet::new(program.objects.len());
    let mut next = 0;
    while next < used.len() {
        if let Expr::Object(object) = program.exprs.get(used[next])
            && objects.insert(object.index())
        {
            let values: Vec<ExprId> =
                program.objects[*object].initial.iter().map(|init| init.value).collect();
            used.extend(walker.bottom_up(&program.exprs, &values));
        }
        next += 1;
    }
    used.sort_unstable();
    used.dedup();
    (used, objects.iter().map(ObjectId::from_index).collect())
}

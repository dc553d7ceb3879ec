//! Compiles expressions into straight code for a register machine.
//!
//! A program is compiled once before it runs. Each variable has a slot: globals
//! at the bottom, together with all constants and the registers that hold
//! intermediate results (a call happens between expressions, so registers need
//! not be saved), those of a function relative to its frame. An expression
//! becomes instructions on slots, operands first; what a shared expression
//! yields is computed once. `Ite` jumps when an arm can fault or overflow, because only the
//! chosen arm is evaluated.

use super::code::{Code, Opcode, Place};
use super::slot::Norm;
use crate::analysis::Liveness;
use crate::expr::{Access, BinaryOp, CompareOp, Expr, ExprId, UnaryOp};
use crate::program::{Edge, EdgeId, FunctionId, LocId, Op, Program, VarId};
use crate::types::{IntType, Target, Type};
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};
use std::ops::Range;

/// An edge ready to be executed: code for its operands, and where they are.
/// The code of an `Assign` also writes the variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub(super) code: Range<usize>,
    pub(super) operands: Vec<Place>,
}

/// How execution leaves a location.
#[derive(Clone, Debug)]
pub(super) enum Exit {
    /// No edges.
    None,
    /// One edge.
    One(EdgeId),
    /// The second edge's condition is the negation of the first's.
    Either(EdgeId, EdgeId),
    /// All conditions must be looked at.
    Many,
}

/// The frame of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) size: usize,
    pub(super) parameters: Vec<Place>,
    pub(super) result: Option<Place>,
}

/// A program ready to run.
pub(super) struct Compiled {
    pub(super) code: Vec<Code>,
    pub(super) accesses: Vec<Access>,
    pub(super) steps: Vec<Step>,
    pub(super) exits: Vec<Exit>,
    /// Initial values: first those of variables that have one, then those of
    /// objects, in order.
    pub(super) initials: Vec<Step>,
    pub(super) layouts: Vec<Layout>,
    /// The slot of each variable.
    pub(super) places: Vec<Place>,
    /// Constants and their slots; objects and functions get their addresses
    /// when memory exists.
    pub(super) constants: Vec<(usize, ExprId)>,
    /// Slots below the first frame.
    pub(super) absolute: usize,
    /// Where leaks are looked for: which temporaries may still be read where.
    pub(super) temporaries: Option<Liveness>,
}

/// Compiles all edges of a program.
pub(super) fn compile(program: &Program) -> Compiled {
    let mut places = vec![Place(0); program.variables.len()];
    let mut absolute = 0;
    let mut layouts = vec![Layout::default(); program.functions.len()];
    for (id, variable) in program.variables.iter() {
        places[id.index()] = match variable.function {
            None => {
                absolute += 1;
                Place::absolute(absolute - 1)
            }
            Some(f) => {
                let layout = &mut layouts[f.index()];
                layout.size += 1;
                Place(layout.size as u32 - 1)
            }
        };
    }
    for (id, function) in program.functions.iter() {
        let place = |v: &VarId| places[v.index()];
        let layout = &mut layouts[id.index()];
        layout.parameters = function.parameters.iter().map(place).collect();
        layout.result = function.result.as_ref().map(place);
    }
    let offsets = offsets(program);
    let mut compiler = Compiler {
        program,
        total: total(program, &offsets),
        offsets,
        at_end: false,
        places,
        code: Vec::new(),
        accesses: Vec::new(),
        constants: HashMap::default(),
        constant_list: Vec::new(),
        absolute,
        registers: 0,
        free_register: 0,
        known: HashMap::default(),
        trail: Vec::new(),
    };
    let steps = program.edges.values().map(|e| compiler.edge(e)).collect();
    let globals = program.variables.values().filter_map(|v| v.initial);
    let cells = program.objects.values().flat_map(|o| o.initial.iter().map(|i| i.value));
    let initials = globals.chain(cells).map(|e| compiler.value(e)).collect();
    let exits = program.locations.values().map(|l| exit(program, &l.outgoing)).collect();
    let Compiler { code, accesses, places, constant_list, absolute, registers, .. } = compiler;
    let mut compiled = Compiled {
        code,
        accesses,
        steps,
        exits,
        initials,
        layouts,
        places,
        constants: constant_list,
        absolute: absolute + registers,
        temporaries: program.checks_leaks().then(|| Liveness::of(program)),
    };
    compiled.relocate(absolute);
    compiled
}

/// By how much pointers are moved: lowering scales indices there, in a signed type. That this
/// does not overflow is a matter of the pointer, not of arithmetic.
fn offsets(program: &Program) -> HashSet<ExprId> {
    let moved = |id| match *program.exprs.get(id) {
        Expr::PointerAdd(_, offset) => Some(offset),
        _ => None,
    };
    program.exprs.ids().filter_map(moved).collect()
}

/// For each expression whether its evaluation always succeeds, and whether anybody may see that it was
/// evaluated: signed arithmetic may overflow, which the run remembers.
fn total(program: &Program, offsets: &HashSet<ExprId>) -> Vec<bool> {
    let mut total = Vec::with_capacity(program.exprs.len());
    for id in program.exprs.ids() {
        let expr = program.exprs.get(id);
        let signed = program.exprs.type_of(id).as_int().is_some_and(|t| t.signed);
        let own = match expr {
            Expr::Load(_) | Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ..) | Expr::Leaked => false,
            Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, ..) => false,
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
            | Expr::Unary(UnaryOp::Neg, _) => !signed || offsets.contains(&id),
            _ => true,
        };
        let all = own && expr.operands().all(|a: ExprId| total[a.index()]);
        total.push(all);
    }
    total
}

/// Whether the run ends here if some conditions hold.
fn is_at_end(program: &Program, mut at: LocId) -> bool {
    // The checks of memory at the end, of which there are two.
    const CHECKS: usize = 3;
    for _ in 0..CHECKS {
        let edges = || program.locations[at].outgoing.iter().map(|&e| &program.edges[e]);
        if edges().any(|e| matches!(e.op, Op::Halt { .. })) {
            return true;
        }
        let mut on = edges()
            .filter(|e| matches!(e.op, Op::Assume(_)) && program.locations[e.to].error.is_none());
        match on.next() {
            Some(edge) => at = edge.to,
            None => return false,
        }
    }
    false
}

fn exit(program: &Program, outgoing: &[EdgeId]) -> Exit {
    match *outgoing {
        [] => Exit::None,
        [e] => Exit::One(e),
        [a, b] => match (&program.edges[a].op, &program.edges[b].op) {
            (Op::Assume(x), Op::Assume(y)) if program.exprs.are_opposite(*x, *y) => {
                Exit::Either(a, b)
            }
            _ => Exit::Many,
        },
        _ => Exit::Many,
    }
}

/// Registers are numbered from here until all constants are known.
const REGISTER: usize = 1 << 30;

struct Compiler<'a> {
    program: &'a Program,
    total: Vec<bool>,
    offsets: HashSet<ExprId>,
    /// The edge that is compiled stands right before the end of the run.
    at_end: bool,
    places: Vec<Place>,
    code: Vec<Code>,
    accesses: Vec<Access>,
    constants: HashMap<ExprId, Place>,
    constant_list: Vec<(usize, ExprId)>,
    absolute: usize,
    registers: usize,
    free_register: usize,
    /// Where the value of an expression already is, in the current operation.
    known: HashMap<ExprId, Place>,
    /// Expressions that became known, to forget them when an arm ends.
    trail: Vec<ExprId>,
}

/// What is left to do; a stack instead of recursion.
enum Work {
    Visit(ExprId),
    Emit(ExprId),
    /// The condition of an `Ite` that jumps is computed.
    Condition(ExprId),
    /// Its first arm is computed; patch this jump, forget down to this mark.
    FirstArm(ExprId, Place, usize, usize),
    SecondArm(ExprId, Place, usize, usize),
}

impl Compiler<'_> {
    fn edge(&mut self, edge: &Edge) -> Step {
        self.begin();
        self.at_end = is_at_end(self.program, edge.from);
        let start = self.code.len();
        let target = edge.op.target().map(|v| self.places[v.index()]);
        let mut step = Step::default();
        if let (Op::Assign { value, .. }, Some(d)) = (&edge.op, target) {
            let a = self.expr(*value, target);
            if a != d {
                self.push(Opcode::Move, d, a, a);
            }
        } else {
            for operand in edge.op.operands() {
                let at = self.expr(operand, None);
                step.operands.push(at);
            }
        }
        step.code = start..self.code.len();
        step
    }

    /// Code for one value.
    fn value(&mut self, e: ExprId) -> Step {
        self.begin();
        let start = self.code.len();
        let operands = vec![self.expr(e, None)];
        Step { code: start..self.code.len(), operands }
    }

    /// Nothing is computed yet.
    fn begin(&mut self) {
        self.forget(0);
        self.free_register = 0;
    }

    fn register(&mut self) -> Place {
        self.free_register += 1;
        self.registers = self.registers.max(self.free_register);
        Place::absolute(REGISTER + self.free_register - 1)
    }

    fn learn(&mut self, e: ExprId, at: Place) {
        self.known.insert(e, at);
        self.trail.push(e);
    }

    fn forget(&mut self, mark: usize) {
        for e in self.trail.drain(mark..) {
            self.known.remove(&e);
        }
    }

    fn constant(&mut self, e: ExprId) -> Place {
        if let Some(&place) = self.constants.get(&e) {
            return place;
        }
        let place = Place::absolute(self.absolute);
        self.constant_list.push((self.absolute, e));
        self.absolute += 1;
        self.constants.insert(e, place);
        place
    }

    /// Emits code for an expression and says where its value will be: in
    /// `wanted` if it is not just a variable or constant.
    fn expr(&mut self, root: ExprId, wanted: Option<Place>) -> Place {
        let mut work = vec![Work::Visit(root)];
        while let Some(item) = work.pop() {
            match item {
                Work::Visit(e) => {
                    if self.known.contains_key(&e) {
                        continue;
                    }
                    match *self.program.exprs.get(e) {
                        Expr::Int { .. }
                        | Expr::Float { .. }
                        | Expr::Null
                        | Expr::Object(_)
                        | Expr::Function(_) => {
                            let at = self.constant(e);
                            self.learn(e, at);
                        }
                        Expr::Var(v) => self.learn(e, self.places[v.index()]),
                        Expr::Ite(c, a, b) if !(self.total[a.index()] && self.total[b.index()]) => {
                            work.push(Work::Condition(e));
                            work.push(Work::Visit(c));
                        }
                        ref expr => {
                            work.push(Work::Emit(e));
                            let before = work.len();
                            work.extend(expr.operands().map(Work::Visit));
                            work[before..].reverse();
                        }
                    }
                }
                Work::Emit(e) => {
                    if self.known.contains_key(&e) {
                        continue;
                    }
                    let d = match wanted {
                        Some(place) if e == root => place,
                        _ => self.register(),
                    };
                    self.emit(e, d);
                    self.learn(e, d);
                }
                Work::Condition(e) => {
                    let Expr::Ite(c, a, _) = *self.program.exprs.get(e) else { continue };
                    // Each arm writes it last, so it may be a variable that
                    // the arms read.
                    let d = match wanted {
                        Some(place) if e == root => place,
                        _ => self.register(),
                    };
                    let jump = self.code.len();
                    let condition = self.known[&c];
                    self.push(Opcode::JumpIfZero(0), condition, condition, condition);
                    work.push(Work::FirstArm(e, d, jump, self.trail.len()));
                    work.push(Work::Visit(a));
                }
                Work::FirstArm(e, d, jump, mark) => {
                    let Expr::Ite(_, a, b) = *self.program.exprs.get(e) else { continue };
                    let value = self.known[&a];
                    self.push(Opcode::Move, d, value, value);
                    let over = self.code.len();
                    self.push(Opcode::Jump(0), d, d, d);
                    self.patch(jump);
                    self.forget(mark);
                    work.push(Work::SecondArm(e, d, over, mark));
                    work.push(Work::Visit(b));
                }
                Work::SecondArm(e, d, over, mark) => {
                    let Expr::Ite(_, _, b) = *self.program.exprs.get(e) else { continue };
                    let value = self.known[&b];
                    self.push(Opcode::Move, d, value, value);
                    self.patch(over);
                    self.forget(mark);
                    self.learn(e, d);
                }
            }
        }
        self.known[&root]
    }

    /// Lets a jump lead to the next instruction.
    fn patch(&mut self, at: usize) {
        let here = self.code.len() as u32;
        match &mut self.code[at].op {
            Opcode::Jump(to) | Opcode::JumpIfZero(to) => *to = here,
            _ => unreachable!("only jumps are patched"),
        }
    }

    /// An instruction on two slots, or on one.
    fn push(&mut self, op: Opcode, d: Place, a: Place, b: Place) {
        self.code.push(Code { op, d, a, b });
    }

    fn emit(&mut self, e: ExprId, d: Place) {
        let exprs = &self.program.exprs;
        let ty = |e: ExprId| exprs.type_of(e);
        let (op, a, b) = match *exprs.get(e) {
            Expr::Unary(UnaryOp::Not, a) => (Opcode::Not, a, a),
            Expr::Unary(op, a) => (Opcode::Unary(op, ty(a)), a, a),
            Expr::Binary(op, a, b) => {
                (arithmetic(op, ty(a), ty(b), self.offsets.contains(&e)), a, b)
            }
            Expr::Compare(op, a, b) => (comparison(op, ty(a)), a, b),
            Expr::Ite(c, a, b) => (Opcode::Select(self.known[&c]), a, b),
            Expr::Cast(to, a) => (conversion(ty(a), to, self.program.target), a, a),
            Expr::PointerAdd(a, b) => (Opcode::PointerAdd, a, b),
            Expr::PointerDiff(a, b) => {
                (Opcode::PointerDiff(Norm::of(self.program.target.offset_type())), a, b)
            }
            Expr::Pattern(to, a) => (Opcode::Pattern(ty(a), to), a, a),
            Expr::FloatFn(op, a) => (Opcode::FloatFn(op, ty(a)), a, a),
            Expr::FloatTest(op, a) => (Opcode::FloatTest(op, ty(a)), a, a),
            Expr::Overflows(op, a, b) => (Opcode::Overflows(op, ty(a), ty(b)), a, b),
            Expr::Valid { pointer, size, .. } => (Opcode::Valid, pointer, size),
            Expr::Freeable { pointer, .. } => (Opcode::Freeable, pointer, pointer),
            Expr::Coincide(a, b) => (Opcode::Coincide, a, b),
            Expr::SameObject(a, b) => (Opcode::SameObject, a, b),
            Expr::ReadOnly(a) => (Opcode::ReadOnly, a, a),
            Expr::ObjectSize(a) => (Opcode::ObjectSize, a, a),
            Expr::Offset(a) => (Opcode::Offset(Norm::of(self.program.target.offset_type())), a, a),
            Expr::Load(access) => (self.load(access), access.pointer, access.pointer),
            Expr::Leaked => return self.push(Opcode::Leaked(self.at_end), d, d, d),
            Expr::HeapInUse => return self.push(Opcode::HeapInUse, d, d, d),
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Null
            | Expr::Var(_)
            | Expr::Object(_)
            | Expr::Function(_) => unreachable!("leaves have their place"),
        };
        self.push(op, d, self.known[&a], self.known[&b]);
    }

    fn load(&mut self, access: Access) -> Opcode {
        match (access.ty, access.bits) {
            (Type::Int(t), None) if t.bits <= 64 && t.bits >= 8 => {
                Opcode::Load(Norm::of(t), t.bits / 8)
            }
            (Type::Pointer, None) => Opcode::LoadPointer,
            _ => {
                self.accesses.push(access);
                Opcode::LoadAny(self.accesses.len() as u32 - 1)
            }
        }
    }
}

/// The instruction for a two-place operator; `is_offset` where it says by how much a pointer moves.
fn arithmetic(op: BinaryOp, ty: Type, other: Type, is_offset: bool) -> Opcode {
    let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    let (t, n) = match (ty, other) {
        (Type::Int(t), Type::Int(amount))
            if t.bits <= 64 && amount.bits <= 64 && (t == amount || is_shift) =>
        {
            (t, Norm::of(t))
        }
        _ => return Opcode::Binary(op, ty, other),
    };
    match op {
        BinaryOp::Add => Opcode::Add(n),
        BinaryOp::Sub => Opcode::Sub(n),
        BinaryOp::Mul if is_offset => Opcode::Scale(n),
        BinaryOp::Mul => Opcode::Mul(n),
        BinaryOp::BitAnd => Opcode::And,
        BinaryOp::BitOr => Opcode::Or,
        BinaryOp::BitXor => Opcode::Xor,
        BinaryOp::Div | BinaryOp::Rem => Opcode::Divide(op, t),
        BinaryOp::Shl | BinaryOp::Shr => Opcode::Shift(op, t),
    }
}

fn comparison(op: CompareOp, ty: Type) -> Opcode {
    let signed = match ty {
        Type::Int(t) if t.bits <= 64 => t.signed,
        Type::Pointer if op.is_symmetric() => {
            return Opcode::SamePointer(op == CompareOp::Ne);
        }
        Type::Pointer => false,
        _ => return Opcode::Compare(op, ty),
    };
    match (op, signed) {
        (CompareOp::Eq, _) => Opcode::Equal,
        (CompareOp::Ne, _) => Opcode::Unequal,
        (CompareOp::Lt, true) => Opcode::LessSigned,
        (CompareOp::Lt, false) => Opcode::LessUnsigned,
        (CompareOp::Le, true) => Opcode::AtMostSigned,
        (CompareOp::Le, false) => Opcode::AtMostUnsigned,
    }
}

fn conversion(from: Type, to: Type, target: Target) -> Opcode {
    match (from, to) {
        (Type::Int(f), Type::Int(IntType::BOOL)) if f.bits <= 64 => Opcode::IsNonzero,
        (Type::Int(f), Type::Int(t)) if f.bits <= 64 && t.bits <= 64 => Opcode::Norm(Norm::of(t)),
        (Type::Pointer, Type::Int(IntType::BOOL)) => Opcode::IsNonzero,
        (Type::Pointer, Type::Int(t)) if t.bits <= target.pointer_bits => {
            Opcode::PointerToInt(Norm::of(t))
        }
        (Type::Int(f), Type::Pointer) if f.bits <= 64 => Opcode::IntToPointer,
        (Type::Pointer, Type::Pointer) => Opcode::Move,
        (from, to) => Opcode::Cast(from, to),
    }
}

impl Compiled {
    /// Moves registers behind the constants, whose number is known now.
    fn relocate(&mut self, start: usize) {
        let fix = |p: &mut Place| {
            let index = (p.0 & !Place::ABSOLUTE) as usize;
            if p.0 & Place::ABSOLUTE != 0 && index >= REGISTER {
                *p = Place::absolute(index - REGISTER + start);
            }
        };
        for code in &mut self.code {
            code.places_mut(fix);
        }
        for step in self.steps.iter_mut().chain(&mut self.initials) {
            step.operands.iter_mut().for_each(fix);
        }
    }

    /// The function's frame.
    pub(super) fn layout(&self, function: FunctionId) -> &Layout {
        &self.layouts[function.index()]
    }
}

//! Expressions on intervals, and what a condition says about its variables.

use super::interval::{self, Interval};
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId, UnaryOp};
use crate::program::{Program, VarId};
use crate::types::{IntType, Type};
use bolide_base::HashMap;

/// Evaluates integer expressions where the ranges of variables are given.
pub struct Evaluator<'a> {
    program: &'a Program,
    variable: Box<dyn Fn(VarId) -> Interval + 'a>,
    done: HashMap<ExprId, Interval>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for one place.
    pub fn new(program: &'a Program, variable: impl Fn(VarId) -> Interval + 'a) -> Self {
        Evaluator { program, variable: Box::new(variable), done: HashMap::default() }
    }

    /// The range of an expression; any integer for what is no integer.
    pub fn range(&mut self, root: ExprId) -> Interval {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.done.contains_key(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let expr = self.program.exprs.get(id);
            if needs_operands(expr) {
                stack.extend(expr.operands().filter(|e| !self.done.contains_key(e)));
            }
            if stack.len() == before {
                let range = self.combine(id);
                self.done.insert(id, range);
                stack.pop();
            }
        }
        self.done[&root]
    }

    fn combine(&self, id: ExprId) -> Interval {
        let exprs = &self.program.exprs;
        let done = |e: &ExprId| self.done[e];
        let Some(ty) = exprs.type_of(id).as_int() else { return Interval::ANY };
        match exprs.get(id) {
            Expr::Int { bits, ty } if ty.bits == 128 && *bits >= i128::MAX as u128 => {
                Interval::unknown(*ty)
            }
            Expr::Int { bits, ty } => Interval::exactly(ty.value(*bits)),
            Expr::Var(var) => (self.variable)(*var),
            Expr::Load(access) => match access.bits {
                Some(bits) if bits.width < ty.bits => {
                    let width = u32::from(bits.width);
                    if ty.signed {
                        Interval { lo: -(1i128 << (width - 1)), hi: (1i128 << (width - 1)) - 1 }
                    } else {
                        Interval { lo: 0, hi: (1i128 << width) - 1 }
                    }
                }
                _ => Interval::of_type(ty),
            },
            Expr::Unary(op, a) => interval::unary(*op, done(a), ty),
            Expr::Binary(op, a, b) => interval::binary(*op, done(a), done(b), ty),
            Expr::Compare(op, a, b) if exprs.type_of(*a).as_int().is_some() => {
                Interval::truth(interval::compare(*op, done(a), done(b)))
            }
            Expr::Ite(c, a, b) => match done(c).value() {
                Some(0) => done(b),
                Some(_) => done(a),
                None => done(a).join(done(b)),
            },
            Expr::Cast(Type::Int(to), a) => match exprs.type_of(*a) {
                Type::Int(from) => interval::convert(done(a), from, *to),
                _ => Interval::of_type(*to),
            },
            Expr::Overflows(op, a, b) => {
                let Some(ty) = exprs.type_of(*a).as_int() else { return Interval::EITHER };
                let plain = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
                let operands = Interval::of_type(ty);
                let (a, b) = (done(a), done(b));
                let stays = ty.signed
                    && ty.bits < 128
                    && plain
                    && operands.includes(a)
                    && operands.includes(b)
                    && interval::binary(*op, a, b, ty) != Interval::ANY;
                Interval::truth(stays.then_some(false))
            }
            Expr::PointerDiff(..) | Expr::Offset(_) => Interval::ANY,
            Expr::ObjectSize(_) => Interval::of_type(ty),
            Expr::Compare(..)
            | Expr::FloatTest(..)
            | Expr::Coincide(..)
            | Expr::SameObject(..)
            | Expr::ReadOnly(_)
            | Expr::Valid { .. }
            | Expr::Freeable { .. }
            | Expr::Leaked
            | Expr::HeapInUse => Interval::EITHER,
            _ => Interval::unknown(ty),
        }
    }
}

/// The range of an expression in a state.
pub(super) fn range_of(program: &Program, state: &State, e: ExprId) -> Interval {
    Evaluator::new(program, |var| lookup(program, state, var)).range(e)
}

/// Whether the range of an expression depends on those of its operands.
fn needs_operands(expr: &Expr) -> bool {
    !matches!(
        expr,
        Expr::Load(_)
            | Expr::PointerDiff(..)
            | Expr::Coincide(..)
            | Expr::SameObject(..)
            | Expr::ReadOnly(_)
            | Expr::ObjectSize(_)
            | Expr::Offset(_)
            | Expr::Valid { .. }
            | Expr::Freeable { .. }
            | Expr::FloatTest(..)
    )
}

/// What is known of variables that differs from nothing.
pub(super) type State = HashMap<VarId, Interval>;

pub(super) fn lookup(program: &Program, state: &State, var: VarId) -> Interval {
    match state.get(&var) {
        Some(range) => *range,
        None => default(program, var),
    }
}

pub(super) fn default(program: &Program, var: VarId) -> Interval {
    program.variables[var].ty.as_int().map_or(Interval::ANY, Interval::unknown)
}

/// At the start of the run: a global is zero where nothing else is said.
pub(super) fn initial(program: &Program, var: VarId) -> Interval {
    match program.variables[var].initial {
        Some(value) => Evaluator::new(program, |var| default(program, var)).range(value),
        None => Interval::exactly(0),
    }
}

pub(super) fn set(program: &Program, state: &mut State, var: VarId, range: Interval) {
    if program.variables[var].ty.as_int().is_none() || range == default(program, var) {
        state.remove(&var);
    } else {
        state.insert(var, range);
    }
}

/// Restricts the state to executions where the condition has this truth
/// value; false when there are none.
pub(super) fn assume(program: &Program, state: &mut State, condition: ExprId) -> bool {
    let exprs = &program.exprs;
    let mut stack = vec![(condition, true)];
    let mut steps = 0;
    while let Some((id, wanted)) = stack.pop() {
        steps += 1;
        if steps > 1000 {
            // Heuristic: further conjuncts of huge conditions are not used.
            return true;
        }
        match *exprs.get(id) {
            Expr::Unary(UnaryOp::Not, a) => stack.push((a, !wanted)),
            Expr::Binary(BinaryOp::BitAnd, a, b) if wanted && exprs.type_of(id) == Type::BOOL => {
                stack.extend([(b, true), (a, true)]);
            }
            Expr::Binary(BinaryOp::BitOr, a, b) if !wanted && exprs.type_of(id) == Type::BOOL => {
                stack.extend([(b, false), (a, false)]);
            }
            Expr::Compare(op, a, b) => {
                if let Some((inner, truth)) = exprs.as_test(op, a, b) {
                    stack.push((inner, truth == wanted));
                    continue;
                }
                let Some(ty) = exprs.type_of(a).as_int() else { continue };
                if ty.bits == 128 && !ty.signed {
                    continue;
                }
                let (op, a, b) = if wanted { (op, a, b) } else { op.negated(a, b) };
                if !compare(program, state, op, a, b) {
                    return false;
                }
            }
            Expr::Var(_) => {
                if !restrict(program, state, id, Interval::exactly(i128::from(wanted))) {
                    return false;
                }
            }
            Expr::Cast(Type::Int(IntType::BOOL), a) if exprs.type_of(a).as_int().is_some() => {
                let range = range_of(program, state, a);
                let narrowed = if wanted {
                    without(range, Interval::exactly(0))
                } else {
                    range.meet(Interval::exactly(0))
                };
                if !narrowed.is_some_and(|range| restrict(program, state, a, range)) {
                    return false;
                }
            }
            _ => {
                let range = range_of(program, state, id);
                if !range.contains(i128::from(wanted)) {
                    return false;
                }
            }
        }
    }
    true
}

fn compare(program: &Program, state: &mut State, op: CompareOp, a: ExprId, b: ExprId) -> bool {
    let (x, y) = {
        let mut evaluator = Evaluator::new(program, |var| lookup(program, state, var));
        (evaluator.range(a), evaluator.range(b))
    };
    let above = |r: Interval, by: i128| Interval { lo: r.moved(by).lo, hi: i128::MAX };
    let below = |r: Interval, by: i128| Interval { lo: i128::MIN, hi: r.moved(by).hi };
    let (for_a, for_b) = match op {
        CompareOp::Eq => (x.meet(y), x.meet(y)),
        CompareOp::Ne => (without(x, y), without(y, x)),
        CompareOp::Lt => (x.meet(below(y, -1)), y.meet(above(x, 1))),
        CompareOp::Le => (x.meet(below(y, 0)), y.meet(above(x, 0))),
    };
    let (Some(for_a), Some(for_b)) = (for_a, for_b) else { return false };
    restrict(program, state, a, for_a) && restrict(program, state, b, for_b)
}

/// `range` without the one value of `other`, where that is at an end.
fn without(range: Interval, other: Interval) -> Option<Interval> {
    let Some(value) = other.value() else { return Some(range) };
    let lo = if range.lo == value { value + 1 } else { range.lo };
    let hi = if range.hi == value { value - 1 } else { range.hi };
    Interval::new(lo, hi)
}

/// Uses that an expression lies in a range; false when it cannot.
fn restrict(program: &Program, state: &mut State, expr: ExprId, range: Interval) -> bool {
    let exprs = &program.exprs;
    let (mut at, mut range) = (expr, range);
    loop {
        match *exprs.get(at) {
            Expr::Var(var) => {
                let Some(range) = lookup(program, state, var).meet(range) else { return false };
                set(program, state, var, range);
                return true;
            }
            // Through what keeps values: conversions of values that fit, and
            // moves by a constant that do not overflow.
            Expr::Cast(Type::Int(to), a) if to != IntType::BOOL => {
                let Some(_) = exprs.type_of(a).as_int() else { return true };
                let inner = range_of(program, state, a);
                let finite = inner.lo != i128::MIN && inner.hi != i128::MAX;
                if !(finite && Interval::of_type(to).includes(inner)) {
                    return true;
                }
                at = a;
            }
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let Some(ty) = exprs.type_of(at).as_int() else { return true };
                let (inner, constant) = match (op, exprs.as_int(a), exprs.as_int(b)) {
                    (_, None, Some(c)) => (a, c),
                    (BinaryOp::Add, Some(c), None) => (b, c),
                    _ => return true,
                };
                let by = if op == BinaryOp::Add { constant } else { -constant };
                let before = range_of(program, state, inner);
                let exact = before.moved(by);
                let finite = before.lo != i128::MIN && before.hi != i128::MAX;
                if !(finite && Interval::of_type(ty).includes(exact)) {
                    return true;
                }
                range = range.moved(-by);
                at = inner;
            }
            _ => return true,
        }
    }
}

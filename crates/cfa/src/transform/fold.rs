//! Constant folding.
//!
//! Expressions over constants are evaluated with the concrete semantics of
//! [`crate::value`] (so that folding and running agree), and simplified by the identities that hold
//! for every value; conditions that always hold become `skip`, and edges that cannot be
//! taken go.
//!
//! Signed operations that overflow and divisions by zero are left as they are:
//! formulas and the interpreter read them differently.

use super::Mapped;
use super::compact::compact;
use crate::analysis::{BitSet, Ranges};
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId, UnaryOp};
use crate::program::*;
use crate::types::{IntType, Type};
use crate::value::{self, Value};
use bolide_base::arena::Id;

/// Folds constants. Of variables nothing is known but their types.
pub fn fold(mapped: &mut Mapped) {
    let ranges = Ranges::unknown(&mapped.program);
    let program = &mut mapped.program;
    let mut folded: Vec<ExprId> = Vec::with_capacity(program.exprs.len());
    for id in program.exprs.ids() {
        let expr = program.exprs.get(id).map_operands(|operand| folded[operand.index()]);
        folded.push(simplify(program, expr));
    }
    let mut removed = BitSet::new(program.edges.len());
    for id in program.edges.ids() {
        let mut op = program.edges[id].op.clone();
        if let Op::Assume(condition) = op {
            let from = program.edges[id].from;
            let known = program
                .exprs
                .as_int(folded[condition.index()])
                .or_else(|| ranges.evaluator(program, from).range(condition).value());
            match known {
                Some(0) => {
                    removed.insert(id.index());
                    continue;
                }
                Some(_) => op = Op::Skip,
                None => {}
            }
        }
        op.map_operands(|e| folded[e.index()]);
        program.edges[id].op = op;
    }
    compact(mapped, &removed);
}

/// Interns an expression whose operands are folded already, folded.
pub(crate) fn simplify(program: &mut Program, expr: Expr) -> ExprId {
    if let Some(literal) = evaluate(program, &expr).and_then(Value::literal) {
        return program.expr(literal);
    }
    if let Some(same) = identity(program, &expr) {
        return same;
    }
    match expr {
        Expr::Unary(UnaryOp::Not, a) => program.exprs.not(a),
        Expr::Cast(ty, a) => program.exprs.cast(ty, a),
        // A literal offset behind a literal offset.
        Expr::PointerAdd(p, offset) => {
            if let (&Expr::PointerAdd(base, inner), Some(outer)) =
                (program.exprs.get(p), program.exprs.as_int(offset))
                && let Some(inner) = program.exprs.as_int(inner)
            {
                let sum = program.exprs.int(inner + outer, program.target.offset_type());
                return simplify(program, Expr::PointerAdd(base, sum));
            }
            program.expr(expr)
        }
        expr => program.expr(expr),
    }
}

fn evaluate(program: &Program, expr: &Expr) -> Option<Value> {
    let get = |id: ExprId| Value::of(program.exprs.get(id));
    match *expr {
        // The negation of the least signed value overflows.
        Expr::Unary(UnaryOp::Neg, a) if matches!(get(a)?, Value::Int { bits, ty } if ty.signed && ty.value(bits) == ty.min()) => {
            None
        }
        Expr::Binary(op, a, b) if leaves_type(op, get(a)?, get(b)?) => None,
        // Out of range the result is not C's to say.
        Expr::Cast(Type::Int(_), a) if matches!(get(a)?, Value::Float { .. }) => None,
        Expr::Valid { pointer, size, .. } => {
            let size = program.exprs.as_int(size)?;
            let (object, offset) = static_address(program, pointer)?;
            let definition = &program.objects[object];
            (!definition.external).then(|| {
                let inside =
                    offset >= 0 && size >= 0 && offset + size <= i128::from(definition.size);
                Value::bool(inside)
            })
        }
        Expr::ReadOnly(pointer) => {
            let (object, _) = static_address(program, pointer)?;
            Some(Value::bool(program.objects[object].constant))
        }
        Expr::ObjectSize(pointer) => {
            let (object, _) = static_address(program, pointer)?;
            let definition = &program.objects[object];
            (!definition.external)
                .then(|| Value::int(i128::from(definition.size), program.target.size_type()))
        }
        _ => value::expression(expr, get, program.target),
    }
}

/// Whether an operation on integers overflows, or shifts by too much.
fn leaves_type(op: BinaryOp, a: Value, b: Value) -> bool {
    let Value::Int { ty, .. } = a else { return false };
    match op {
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => false,
        BinaryOp::Shl | BinaryOp::Shr => value::undefined(op, a, b) != Ok(false),
        _ => ty.signed && value::undefined(op, a, b) != Ok(false),
    }
}

/// A static object and a constant offset that lies in it.
fn static_address(program: &Program, pointer: ExprId) -> Option<(ObjectId, i128)> {
    let (base, offset) = program.exprs.without_offset(pointer);
    let Expr::Object(object) = *program.exprs.get(base) else { return None };
    let size = i128::from(program.objects[object].size);
    (0..=size).contains(&offset).then_some((object, offset))
}

/// An operand that the expression is always equal to.
fn identity(program: &mut Program, expr: &Expr) -> Option<ExprId> {
    use BinaryOp::*;
    let int = |program: &Program, id: ExprId| program.exprs.as_int(id);
    match *expr {
        Expr::Binary(op, a, b) => {
            let ty = program.exprs.type_of(a).as_int()?;
            let (x, y) = (int(program, a), int(program, b));
            let ones = ty.value(ty.truncate(u128::MAX));
            match (op, x, y) {
                (Add | BitOr | BitXor, Some(0), _) => Some(b),
                (Add | Sub | BitOr | BitXor | Shl | Shr, _, Some(0)) => Some(a),
                (Mul, Some(1), _) => Some(b),
                (Mul | Div, _, Some(1)) => Some(a),
                (BitAnd, Some(n), _) if n == ones => Some(b),
                (BitAnd, _, Some(n)) if n == ones => Some(a),
                (Mul | BitAnd, Some(0), _) => Some(a),
                (Mul | BitAnd, _, Some(0)) => Some(b),
                (BitOr, Some(n), _) if n == ones => Some(a),
                (BitOr, _, Some(n)) if n == ones => Some(b),
                (BitAnd | BitOr, ..) if a == b => Some(a),
                (Sub | BitXor, ..) if a == b => Some(program.exprs.int(0, ty)),
                _ => None,
            }
        }
        Expr::Ite(c, a, b) => match int(program, c) {
            Some(0) => Some(b),
            Some(_) => Some(a),
            None if a == b => Some(a),
            None => None,
        },
        Expr::PointerAdd(p, offset) if int(program, offset) == Some(0) => Some(p),
        Expr::Compare(op, a, b) if a == b => {
            // Not a number differs from itself.
            (!matches!(program.exprs.type_of(a), Type::Float(_)))
                .then(|| program.exprs.bool(matches!(op, CompareOp::Eq | CompareOp::Le)))
        }
        Expr::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) => {
            match program.exprs.as_test(op, a, b) {
                Some((condition, true)) => Some(condition),
                Some((condition, false)) => Some(program.exprs.not(condition)),
                None => compare_pointers(program, op, a, b)
                    .or_else(|| compare_addresses(program, op, a, b)),
            }
        }
        Expr::Cast(to, a) => cast_of_cast(program, to, a),
        _ => None,
    }
}

/// Pointers that are compared as integers, as `(unsigned long)p == (unsigned long)q` and `(unsigned long)p != 0` do
/// in programs that a tool wrote: a comparison of pointers says the same, and formulas need neither addresses nor
/// remainders for it. Required: later passes open comparisons of pointers where C leaves the outcome open.
fn compare_pointers(program: &mut Program, op: CompareOp, a: ExprId, b: ExprId) -> Option<ExprId> {
    let a_pointer = pointer_of(program, a);
    let b_pointer = pointer_of(program, b);
    a_pointer.or(b_pointer)?;
    let null = |program: &mut Program, id: ExprId| {
        (program.exprs.as_int(id) == Some(0)).then(|| program.expr(Expr::Null))
    };
    let a = a_pointer.or_else(|| null(program, a))?;
    let b = b_pointer.or_else(|| null(program, b))?;
    Some(simplify(program, Expr::Compare(op, a, b)))
}

/// The pointer of which an integer is the whole address. An integer on its way through a pointer is none.
fn pointer_of(program: &Program, id: ExprId) -> Option<ExprId> {
    let Expr::Cast(Type::Int(ty), pointer) = *program.exprs.get(id) else { return None };
    let is_pointer = program.exprs.type_of(pointer) == Type::Pointer
        && !matches!(program.exprs.get(pointer), Expr::Cast(..));
    (is_pointer && ty.bits >= program.target.pointer_bits).then_some(pointer)
}

/// Functions and static objects have addresses of their own, none null.
fn compare_addresses(program: &mut Program, op: CompareOp, a: ExprId, b: ExprId) -> Option<ExprId> {
    let named = |program: &Program, id: ExprId| match program.exprs.get(id) {
        Expr::Function(f) => Some((0, f.index())),
        Expr::Object(o) if program.objects[*o].size > 0 && !program.objects[*o].external => {
            Some((1, o.index()))
        }
        Expr::Null => Some((2, 0)),
        _ => None,
    };
    let equal = named(program, a)? == named(program, b)?;
    // Required: string literals may share their bytes; they are not compared here.
    let literal = |id: ExprId| matches!(program.exprs.get(id), Expr::Object(o) if program.objects[*o].constant);
    if literal(a) && literal(b) {
        return None;
    }
    Some(program.exprs.bool(equal == (op == CompareOp::Eq)))
}

/// A conversion back from a wider type, or of a condition.
fn cast_of_cast(program: &mut Program, to: Type, a: ExprId) -> Option<ExprId> {
    let Expr::Cast(Type::Int(middle), inner) = *program.exprs.get(a) else { return None };
    let from = program.exprs.type_of(inner).as_int()?;
    let widens = middle.bits > from.bits && (middle.signed || !from.signed);
    match to {
        // To a condition: whether it differs from zero, which widening keeps.
        Type::Int(IntType::BOOL) if widens => {
            Some(program.exprs.cast(Type::Int(IntType::BOOL), inner))
        }
        Type::Int(t) if widens && t == from => Some(inner),
        _ => None,
    }
}

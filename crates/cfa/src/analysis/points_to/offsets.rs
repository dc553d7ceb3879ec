//! Offsets of pointer arithmetic as a constant plus multiples of a stride.

use crate::expr::{BinaryOp, Expr, ExprId, ExprPool, UnaryOp};
use crate::types::{IntType, Type};
use bolide_base::integer::gcd_u64;

/// All values `constant + k * stride`; stride 0 is the constant alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// Bytes.
    pub constant: i64,
    /// Bytes between two possible offsets.
    pub stride: u64,
}

/// The constant and the stride of an offset in bytes.
///
/// Sums, products with constants and shifts by constants are looked through,
/// also below widening conversions: where the narrow arithmetic can wrap, its
/// modulus counts as a stride too.
pub fn offset_of(exprs: &ExprPool, offset: ExprId) -> Offset {
    let width = exprs.type_of(offset).as_int().map_or(64, |t| t.bits);
    let (mut constant, mut stride) = (0i128, 0u64);
    let mut stack = vec![(offset, 1i128)];
    let mut steps = 0;
    let bits = |e: ExprId| exprs.type_of(e).as_int().map_or(0, |t| t.bits);
    while let Some((id, factor)) = stack.pop() {
        steps += 1;
        if steps > 10_000 || factor.unsigned_abs() > 1 << 62 {
            // Heuristic: nobody writes such offsets; every offset is possible.
            return Offset { constant: 0, stride: 1 };
        }
        let mut leaf = false;
        match *exprs.get(id) {
            Expr::Int { bits, ty } => {
                match ty.value(bits).checked_mul(factor).and_then(|p| constant.checked_add(p)) {
                    Some(sum) => constant = sum,
                    None => return Offset { constant: 0, stride: 1 },
                }
            }
            Expr::Binary(BinaryOp::Add, a, b) => stack.extend([(a, factor), (b, factor)]),
            Expr::Binary(BinaryOp::Sub, a, b) => stack.extend([(a, factor), (b, -factor)]),
            Expr::Unary(UnaryOp::Neg, a) => stack.push((a, -factor)),
            Expr::Binary(BinaryOp::Mul, a, b) => match (exprs.as_int(a), exprs.as_int(b)) {
                (Some(c), _) if c.unsigned_abs() < 1 << 32 => stack.push((b, factor * c)),
                (_, Some(c)) if c.unsigned_abs() < 1 << 32 => stack.push((a, factor * c)),
                _ => leaf = true,
            },
            Expr::Binary(BinaryOp::Shl, a, b) => match exprs.as_int(b) {
                Some(c) if (0..32).contains(&c) => stack.push((a, factor << c)),
                _ => leaf = true,
            },
            Expr::Cast(Type::Int(to), a) => match exprs.type_of(a) {
                Type::Int(from)
                    if widens(from, to) || (from.bits == to.bits && to.bits == width) =>
                {
                    stack.push((a, factor));
                    continue;
                }
                _ => leaf = true,
            },
            _ => leaf = true,
        }
        if leaf {
            stride = gcd_u64(stride, factor.unsigned_abs() as u64);
        } else if bits(id) < width && !matches!(exprs.get(id), Expr::Int { .. }) {
            let modulus = factor.unsigned_abs().checked_shl(u32::from(bits(id)));
            let modulus =
                modulus.filter(|&m| m < 1 << 63 && m >> bits(id) == factor.unsigned_abs());
            // Too far to meet the same object again: no stride.
            stride = gcd_u64(stride, modulus.map_or(0, |m| m as u64));
        }
    }
    match i64::try_from(constant) {
        Ok(constant) => Offset { constant, stride },
        Err(_) => Offset { constant: 0, stride: 1 },
    }
}

/// Whether the conversion keeps every value.
fn widens(from: IntType, to: IntType) -> bool {
    to.bits > from.bits && (to.signed || !from.signed)
}

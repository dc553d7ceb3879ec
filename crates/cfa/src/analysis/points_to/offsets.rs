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
/// modulus counts as a stride too. A product of unknowns is a multiple of the powers of two that divide its
/// factors, as the rows of an array of unknown width are.
pub fn offset_of(exprs: &ExprPool, offset: ExprId) -> Offset {
    let width = exprs.type_of(offset).as_int().map_or(64, |t| t.bits);
    offset_within(exprs, offset, width, 0)
}

/// Heuristic: products of products are looked through so often.
const PRODUCTS: u32 = 3;

/// The power of two that divides all values of an expression, in arithmetic of so many bits.
fn divisor(exprs: &ExprPool, factor: ExprId, width: u8, depth: u32) -> u64 {
    if depth == PRODUCTS {
        return 1;
    }
    let Offset { constant, stride } = offset_within(exprs, factor, width, depth + 1);
    let divisor = gcd_u64(constant.unsigned_abs(), stride);
    // Required: a power of two, which divides what is left of a product that wraps around.
    1 << divisor.trailing_zeros().min(62)
}

fn offset_within(exprs: &ExprPool, offset: ExprId, width: u8, depth: u32) -> Offset {
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
        // What divides a value of which no more is known.
        let mut leaf: Option<u64> = None;
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
                _ => {
                    let [a, b] = [a, b].map(|part| divisor(exprs, part, width, depth));
                    leaf = Some(a.checked_mul(b).unwrap_or(1));
                }
            },
            Expr::Binary(BinaryOp::Shl, a, b) => match exprs.as_int(b) {
                Some(c) if (0..32).contains(&c) => stack.push((a, factor << c)),
                _ => leaf = Some(1),
            },
            Expr::Cast(Type::Int(to), a) => match exprs.type_of(a) {
                Type::Int(from)
                    if widens(from, to) || (from.bits == to.bits && to.bits == width) =>
                {
                    stack.push((a, factor));
                    continue;
                }
                _ => leaf = Some(1),
            },
            _ => leaf = Some(1),
        }
        if let Some(divisor) = leaf {
            let step = factor.unsigned_abs().checked_mul(u128::from(divisor));
            let step = step.and_then(|step| u64::try_from(step).ok());
            stride = gcd_u64(stride, step.unwrap_or(factor.unsigned_abs() as u64));
        }
        if leaf != Some(1) && bits(id) < width && !matches!(exprs.get(id), Expr::Int { .. }) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;
    use crate::ids::VarId;
    use bolide_base::arena::Id;

    #[test]
    fn rows_of_unknown_width_are_multiples_of_a_cell() {
        let mut exprs = ExprPool::new(Target::LP64);
        let (signed, unsigned) = (IntType::signed(64), IntType::unsigned(64));
        let row = exprs.var(VarId::from_index(0), Type::Int(signed));
        let width = exprs.var(VarId::from_index(1), Type::Int(unsigned));
        for (cell, divisor) in [(4, 4), (12, 4), (3, 1)] {
            let cell = exprs.int(cell, unsigned);
            let bytes = exprs.intern(Expr::Binary(BinaryOp::Mul, width, cell));
            let bytes = exprs.cast(Type::Int(signed), bytes);
            let offset = exprs.intern(Expr::Binary(BinaryOp::Mul, row, bytes));
            assert_eq!(offset_of(&exprs, offset), Offset { constant: 0, stride: divisor });
        }
    }
}

//! The operators of bit-vectors as circuits, over whatever takes the place of truth values.
//!
//! Over truth values a circuit computes; over formulas it is what a solver asserts; over gates it
//! is what a checker compares with. That the circuits compute what evaluation says is a test of
//! this module, for all values of a few bits.
//!
//! Bit 0 is the least significant one.
//! - sum: full adders, `s = (a xor b) xor c`, carry `ite(a xor b, c, a)`; several summands from
//!   the left; negation is the complement plus one;
//! - product: the multiplicand anded with each bit of the multiplier, shifted,
//!   added from the lowest row on;
//! - quotient and remainder: restoring division from the highest bit on, on one bit more
//!   than the width; the carry of `rest + not divisor + 1` is the bit of the quotient. Division by
//!   zero needs no case of its own;
//! - shifts: one stage of `ite` for each bit of the amount that counts less than the
//!   width, lowest first, then one for the rest of the amount;
//! - unsigned less: from the lowest bit on, `less = ite(a xor b, b, less)`; signed: the same with
//!   the roles exchanged at the highest bit; equality: all bits equivalent.

use crate::{Op, TermId, TermStore};

/// What circuits are made of.
pub trait Gates {
    /// A truth value, or what stands for one.
    type Bit: Copy;

    /// A constant.
    fn constant(&mut self, value: bool) -> Self::Bit;
    /// The complement.
    fn not(&mut self, a: Self::Bit) -> Self::Bit;
    /// The conjunction; true of nothing.
    fn and(&mut self, inputs: &[Self::Bit]) -> Self::Bit;
    /// The disjunction; false of nothing.
    fn or(&mut self, inputs: &[Self::Bit]) -> Self::Bit;
    /// Exclusive or.
    fn xor(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit;
    /// The second where the first holds, else the third.
    fn ite(&mut self, c: Self::Bit, a: Self::Bit, b: Self::Bit) -> Self::Bit;
}

impl Gates for TermStore {
    type Bit = TermId;

    fn constant(&mut self, value: bool) -> TermId {
        self.mk_bool(value)
    }

    fn not(&mut self, a: TermId) -> TermId {
        self.mk_not(a)
    }

    fn and(&mut self, inputs: &[TermId]) -> TermId {
        self.mk_and(inputs)
    }

    fn or(&mut self, inputs: &[TermId]) -> TermId {
        self.mk_or(inputs)
    }

    fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_xor(a, b)
    }

    fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        self.mk_ite(c, a, b)
    }
}

/// The bits of an operation over those of its arguments; one for a comparison. A condition has one
/// bit. None for operators that are no circuits, or only move bits.
pub fn circuit<G: Gates>(gates: &mut G, op: Op, inputs: &[&[G::Bit]]) -> Option<Vec<G::Bit>> {
    let (&first, rest) = inputs.split_first()?;
    Some(match op {
        Op::BvNot => complement(gates, first),
        Op::BvNeg => {
            let (complements, zero) = (complement(gates, first), gates.constant(false));
            let one = gates.constant(true);
            sum(gates, &complements, &vec![zero; first.len()], one).0
        }
        Op::BvAnd | Op::BvOr | Op::BvXor => (0..first.len())
            .map(|i| {
                let column: Vec<G::Bit> = inputs.iter().map(|input| input[i]).collect();
                match op {
                    Op::BvAnd => gates.and(&column),
                    Op::BvOr => gates.or(&column),
                    _ => column[1..].iter().fold(column[0], |a, &b| gates.xor(a, b)),
                }
            })
            .collect(),
        Op::BvAdd => rest.iter().fold(first.to_vec(), |a, b| {
            let zero = gates.constant(false);
            sum(gates, &a, b, zero).0
        }),
        Op::BvMul => rest.iter().fold(first.to_vec(), |a, b| product(gates, &a, b)),
        Op::BvUdiv => divide(gates, first, rest[0]).0,
        Op::BvUrem => divide(gates, first, rest[0]).1,
        Op::BvShl | Op::BvLshr | Op::BvAshr => shift(gates, op, first, rest[0]),
        Op::Ite => rest[0].iter().zip(rest[1]).map(|(&a, &b)| gates.ite(first[0], a, b)).collect(),
        Op::Eq => {
            let mut same = Vec::with_capacity(first.len());
            for (&a, &b) in first.iter().zip(rest[0]) {
                let different = gates.xor(a, b);
                same.push(gates.not(different));
            }
            vec![gates.and(&same)]
        }
        Op::BvUlt | Op::BvSlt => vec![less(gates, first, rest[0], op == Op::BvSlt)],
        _ => return None,
    })
}

fn complement<G: Gates>(gates: &mut G, bits: &[G::Bit]) -> Vec<G::Bit> {
    bits.iter().map(|&bit| gates.not(bit)).collect()
}

fn sum<G: Gates>(
    gates: &mut G,
    a: &[G::Bit],
    b: &[G::Bit],
    mut carry: G::Bit,
) -> (Vec<G::Bit>, G::Bit) {
    let mut bits = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let half = gates.xor(x, y);
        bits.push(gates.xor(half, carry));
        carry = gates.ite(half, carry, x);
    }
    (bits, carry)
}

fn product<G: Gates>(gates: &mut G, a: &[G::Bit], b: &[G::Bit]) -> Vec<G::Bit> {
    let width = a.len();
    let zero = gates.constant(false);
    let mut result: Vec<G::Bit> = Vec::new();
    for (j, &multiplier) in b.iter().enumerate() {
        let row: Vec<G::Bit> =
            a[..width - j].iter().map(|&bit| gates.and(&[bit, multiplier])).collect();
        if j == 0 {
            result = row;
        } else {
            let high = result.split_off(j);
            result.extend(sum(gates, &high, &row, zero).0);
        }
    }
    result
}

fn divide<G: Gates>(gates: &mut G, a: &[G::Bit], b: &[G::Bit]) -> (Vec<G::Bit>, Vec<G::Bit>) {
    let width = a.len();
    let (zero, one) = (gates.constant(false), gates.constant(true));
    let mut divisor = complement(gates, b);
    divisor.push(one);
    let mut quotient = vec![zero; width];
    let mut rest = vec![zero; width];
    for i in (0..width).rev() {
        let mut shifted = vec![a[i]];
        shifted.extend_from_slice(&rest);
        let (difference, fits) = sum(gates, &shifted, &divisor, one);
        quotient[i] = fits;
        for k in 0..width {
            rest[k] = gates.ite(fits, difference[k], shifted[k]);
        }
    }
    (quotient, rest)
}

fn shift<G: Gates>(gates: &mut G, op: Op, a: &[G::Bit], amount: &[G::Bit]) -> Vec<G::Bit> {
    let width = a.len();
    let fill = if op == Op::BvAshr { a[width - 1] } else { gates.constant(false) };
    let mut bits = a.to_vec();
    let mut too_far = Vec::new();
    for (k, &by) in amount.iter().enumerate() {
        let distance = if k < 31 { 1usize << k } else { usize::MAX };
        if distance >= width {
            too_far.push(by);
            continue;
        }
        bits = (0..width)
            .map(|i| {
                let moved = match op {
                    Op::BvShl if i >= distance => bits[i - distance],
                    Op::BvShl => fill,
                    _ => bits.get(i + distance).copied().unwrap_or(fill),
                };
                gates.ite(by, moved, bits[i])
            })
            .collect();
    }
    let too_far = gates.or(&too_far);
    bits.into_iter().map(|bit| gates.ite(too_far, fill, bit)).collect()
}

fn less<G: Gates>(gates: &mut G, a: &[G::Bit], b: &[G::Bit], signed: bool) -> G::Bit {
    let mut less = gates.constant(false);
    for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
        let differ = gates.xor(x, y);
        let winner = if signed && i + 1 == a.len() { x } else { y };
        less = gates.ite(differ, winner, less);
    }
    less
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::bitvector::{fold_binary, to_signed};
    use bolide_base::Integer;

    /// Circuits over truth values compute.
    pub(crate) trait Computes {}

    struct Truth;

    impl Computes for Truth {}

    impl<T: Computes> Gates for T {
        type Bit = bool;

        fn constant(&mut self, value: bool) -> bool {
            value
        }

        fn not(&mut self, a: bool) -> bool {
            !a
        }

        fn and(&mut self, inputs: &[bool]) -> bool {
            inputs.iter().all(|&bit| bit)
        }

        fn or(&mut self, inputs: &[bool]) -> bool {
            inputs.iter().any(|&bit| bit)
        }

        fn xor(&mut self, a: bool, b: bool) -> bool {
            a ^ b
        }

        fn ite(&mut self, c: bool, a: bool, b: bool) -> bool {
            if c { a } else { b }
        }
    }

    fn bits(value: u32, width: u32) -> Vec<bool> {
        (0..width).map(|i| value >> i & 1 == 1).collect()
    }

    #[test]
    fn circuits_compute_what_evaluation_says() {
        for width in 1..=5 {
            for a in 0..1u32 << width {
                let (x, ones) = (bits(a, width), (1u32 << width) - 1);
                let unary = |op| circuit(&mut Truth, op, &[&x]);
                assert_eq!(unary(Op::BvNot), Some(bits(!a & ones, width)));
                assert_eq!(unary(Op::BvNeg), Some(bits(a.wrapping_neg() & ones, width)));
                for b in 0..1u32 << width {
                    let y = bits(b, width);
                    let of = |op| circuit(&mut Truth, op, &[&x, &y]);
                    let (m, n) = (Integer::from(a), Integer::from(b));
                    for op in [
                        Op::BvAnd,
                        Op::BvOr,
                        Op::BvXor,
                        Op::BvAdd,
                        Op::BvMul,
                        Op::BvUdiv,
                        Op::BvUrem,
                        Op::BvShl,
                        Op::BvLshr,
                        Op::BvAshr,
                    ] {
                        let value = fold_binary(op, &m, &n, width).and_then(|v| v.to_u32());
                        assert_eq!(of(op), value.map(|v| bits(v, width)), "{op:?} {a} {b} {width}");
                    }
                    let less = to_signed(&m, width) < to_signed(&n, width);
                    assert_eq!(of(Op::BvSlt), Some(vec![less]), "{a} {b} {width}");
                    assert_eq!(of(Op::BvUlt), Some(vec![a < b]), "{a} {b} {width}");
                    assert_eq!(of(Op::Eq), Some(vec![a == b]), "{a} {b} {width}");
                    for c in [false, true] {
                        let chosen = circuit(&mut Truth, Op::Ite, &[&[c], &x, &y]);
                        assert_eq!(chosen.as_ref(), Some(if c { &x } else { &y }));
                    }
                }
            }
        }
    }
}

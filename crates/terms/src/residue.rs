//! Integers as bits: residues modulo powers of two, ranges, and images of atoms.
//!
//! Taking an integer modulo two to the width is a homomorphism of sums and products, and `div` and `mod` by
//! powers of two move its bits. So the low bits of any integer term can be computed from the low bits of its
//! leaves, whatever their values: [`residue`], over whatever takes the place of vectors of bits. Over terms it is
//! what the builder makes of a conversion ([`conversion`](crate::conversion)); over the gates of a
//! [`circuit`] it is the *image* of an atom: where the ranges of the leaves exclude an
//! overflow, an inequality between integers is the signed comparison of its two sides ([`image`]).
//!
//! A solver asserts images, and a checker builds them again. That they are right for all values of a few bits is
//! a test of this module.

use crate::bitvector::power_of_two;
use crate::circuit::{Gates, circuit};
use crate::{LinearForm, Op, SortId, TermId, TermStore};
use bolide_base::{HashMap, Integer};

/// What residues are computed with.
pub trait Residues {
    /// Some bits, the lowest first.
    type Vector: Clone;

    /// The terms.
    fn store(&self) -> &TermStore;
    /// A number.
    fn number(&mut self, value: &Integer, width: u32) -> Self::Vector;
    /// Sum of two vectors of one width.
    fn sum(&mut self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Product of two vectors of one width.
    fn product(&mut self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// A multiple of a vector.
    fn multiple(&mut self, factor: &Integer, a: Self::Vector) -> Self::Vector;
    /// As many bits as the width says, from number `low` on.
    fn slice(&mut self, a: Self::Vector, low: u32, width: u32) -> Self::Vector;
    /// Widened by zeros.
    fn zero_extend(&mut self, a: Self::Vector, width: u32) -> Self::Vector;
    /// The one where the formula holds, else the other.
    fn choose(&mut self, condition: TermId, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The bits of a bit-vector term, cut or widened by zeros.
    fn vector(&mut self, term: TermId, width: u32) -> Self::Vector;
    /// The lowest bits of an integer of which nothing is known here.
    fn leaf(&mut self, leaf: TermId, width: u32) -> Self::Vector;
}

/// Heuristic: quotients by greater powers of two are leaves, since all bits below count.
const FARTHEST_SHIFT: u32 = 1 << 12;

/// How the low bits of an integer term follow from others.
enum Shape {
    Sum(LinearForm),
    Product,
    Choice,
    /// Modulo two to this.
    Remainder(u32),
    /// Divided by two to this.
    Quotient(u32),
    Vector,
    Leaf,
}

fn shape(store: &TermStore, term: TermId) -> Shape {
    let divisor = || {
        let number = store.number(store.arg(term, 1))?;
        power_of_two(&number.to_integer()?).filter(|&exponent| exponent <= FARTHEST_SHIFT)
    };
    match store.op(term) {
        Op::Number(_) | Op::Add => Shape::Sum(store.linear_form(term)),
        Op::Mul if store.is_monomial(term) => Shape::Product,
        Op::Mul => Shape::Sum(store.linear_form(term)),
        Op::Ite => Shape::Choice,
        Op::Mod => divisor().map_or(Shape::Leaf, Shape::Remainder),
        Op::Div => divisor().map_or(Shape::Leaf, Shape::Quotient),
        Op::BvToInt => Shape::Vector,
        _ => Shape::Leaf,
    }
}

/// Which residues a residue follows from.
fn parts(store: &TermStore, term: TermId, width: u32) -> Vec<(TermId, u32)> {
    match shape(store, term) {
        Shape::Sum(form) => form.terms.iter().map(|&(leaf, _)| (leaf, width)).collect(),
        Shape::Product => store.args(term).iter().map(|&factor| (factor, width)).collect(),
        Shape::Choice => store.args(term)[1..].iter().map(|&branch| (branch, width)).collect(),
        Shape::Remainder(exponent) => vec![(store.arg(term, 0), exponent.min(width))],
        Shape::Quotient(exponent) => vec![(store.arg(term, 0), exponent + width)],
        Shape::Vector | Shape::Leaf => Vec::new(),
    }
}

/// The lowest `width` bits of an integer term in two's complement.
pub fn residue<R: Residues>(of: &mut R, term: TermId, width: u32) -> R::Vector {
    let mut known: HashMap<(TermId, u32), R::Vector> = HashMap::default();
    let mut work = vec![(term, width)];
    while let Some(&(top, width)) = work.last() {
        if known.contains_key(&(top, width)) {
            work.pop();
            continue;
        }
        let parts = parts(of.store(), top, width);
        let before = work.len();
        work.extend(parts.iter().filter(|part| !known.contains_key(part)));
        if work.len() > before {
            continue;
        }
        work.pop();
        let inputs: Vec<R::Vector> = parts.iter().map(|part| known[part].clone()).collect();
        let vector = join(of, top, width, inputs);
        known.insert((top, width), vector);
    }
    known.remove(&(term, width)).expect("computed above")
}

/// One step of [`residue`].
fn join<R: Residues>(of: &mut R, term: TermId, width: u32, inputs: Vec<R::Vector>) -> R::Vector {
    let mut inputs = inputs.into_iter();
    let mut next = || inputs.next().expect("as many as there are parts");
    match shape(of.store(), term) {
        Shape::Sum(form) => {
            let mut sum = None;
            for (_, coefficient) in &form.terms {
                let summand = of.multiple(&coefficient.numerator(), next());
                sum = Some(match sum {
                    Some(sum) => of.sum(sum, summand),
                    None => summand,
                });
            }
            let constant = form.constant.numerator();
            match sum {
                Some(sum) if constant.is_zero() => sum,
                Some(sum) => {
                    let constant = of.number(&constant, width);
                    of.sum(sum, constant)
                }
                None => of.number(&constant, width),
            }
        }
        Shape::Product => {
            let first = next();
            inputs.fold(first, |product, factor| of.product(product, factor))
        }
        Shape::Choice => {
            let condition = of.store().arg(term, 0);
            let (then, other) = (next(), next());
            of.choose(condition, then, other)
        }
        Shape::Remainder(exponent) if exponent < width => {
            let low = next();
            of.zero_extend(low, width)
        }
        Shape::Remainder(_) => next(),
        Shape::Quotient(exponent) => {
            let all = next();
            of.slice(all, exponent, width)
        }
        Shape::Vector => {
            let vector = of.store().arg(term, 0);
            of.vector(vector, width)
        }
        Shape::Leaf => of.leaf(term, width),
    }
}

// ---- ranges ----

/// The least and the greatest value of an integer.
pub type Range = (Integer, Integer);

/// The range of an integer term, where those of some leaves are given; or a leaf that would have to be.
pub fn range(
    store: &TermStore,
    term: TermId,
    given: &HashMap<TermId, Range>,
) -> Result<Range, TermId> {
    let mut known: HashMap<TermId, Range> = HashMap::default();
    let mut work = vec![term];
    while let Some(&top) = work.last() {
        if known.contains_key(&top) {
            work.pop();
            continue;
        }
        if let Some(range) = given.get(&top) {
            known.insert(top, range.clone());
            continue;
        }
        let modulus = || {
            let number = store.number(store.arg(top, 1))?.to_integer()?;
            number.is_positive().then_some(number)
        };
        let (parts, op): (Vec<TermId>, Op) = match store.op(top) {
            op @ (Op::Number(_) | Op::Add) => {
                (store.linear_form(top).terms.iter().map(|t| t.0).collect(), op)
            }
            Op::Mul if store.is_monomial(top) => (store.args(top).to_vec(), Op::Mul),
            Op::Mul => (vec![store.scaled_leaf(top).0], Op::Add),
            Op::Ite => (store.args(top)[1..].to_vec(), Op::Ite),
            Op::Div if modulus().is_some() => (vec![store.arg(top, 0)], Op::Div),
            Op::Mod if modulus().is_some() => (Vec::new(), Op::Mod),
            Op::BvToInt => (Vec::new(), Op::BvToInt),
            _ => return Err(top),
        };
        let before = work.len();
        work.extend(parts.iter().filter(|part| !known.contains_key(part)));
        if work.len() > before {
            continue;
        }
        work.pop();
        let inputs: Vec<&Range> = parts.iter().map(|part| &known[part]).collect();
        let range = match (op, modulus) {
            (Op::Ite, _) => hull(&[&inputs[0].0, &inputs[0].1, &inputs[1].0, &inputs[1].1]),
            (Op::Mul, _) => inputs.iter().fold((Integer::ONE, Integer::ONE), |(a, b), (c, d)| {
                hull(&[&(&a * c), &(&a * d), &(&b * c), &(&b * d)])
            }),
            (Op::Div, modulus) => {
                let modulus = modulus().expect("seen above");
                (inputs[0].0.div_floor(&modulus), inputs[0].1.div_floor(&modulus))
            }
            (Op::Mod, modulus) => (Integer::ZERO, modulus().expect("seen above") - Integer::ONE),
            (Op::BvToInt, _) => {
                let width = store.width(store.arg(top, 0));
                (Integer::ZERO, Integer::pow2(width) - Integer::ONE)
            }
            _ => sum_range(&store.linear_form(top), &inputs),
        };
        known.insert(top, range);
    }
    Ok(known.remove(&term).expect("computed above"))
}

fn hull(values: &[&Integer]) -> Range {
    let least = values.iter().min().expect("some values");
    let greatest = values.iter().max().expect("some values");
    ((*least).clone(), (*greatest).clone())
}

fn sum_range(form: &LinearForm, leaves: &[&Range]) -> Range {
    let (mut least, mut greatest) = (form.constant.numerator(), form.constant.numerator());
    for ((_, coefficient), (low, high)) in form.terms.iter().zip(leaves) {
        let coefficient = coefficient.numerator();
        let (low, high) = if coefficient.is_negative() { (high, low) } else { (low, high) };
        least += &coefficient * low;
        greatest += &coefficient * high;
    }
    (least, greatest)
}

/// How many bits two's complement takes for the number.
pub fn signed_width(value: &Integer) -> u32 {
    let magnitude = if value.is_negative() { -value - Integer::ONE } else { value.clone() };
    magnitude.bit_length() + 1
}

// ---- images ----

/// Gates over the bits of terms.
pub trait Source: Gates {
    /// The terms.
    fn store(&self) -> &TermStore;
    /// A formula.
    fn formula(&mut self, formula: TermId) -> Self::Bit;
    /// A bit of a bit-vector term.
    fn vector_bit(&mut self, term: TermId, index: u32) -> Self::Bit;
    /// A bit of an integer in two's complement.
    fn integer_bit(&mut self, leaf: TermId, index: u32) -> Self::Bit;
}

impl Source for TermStore {
    fn store(&self) -> &TermStore {
        self
    }

    fn formula(&mut self, formula: TermId) -> TermId {
        formula
    }

    fn vector_bit(&mut self, term: TermId, index: u32) -> TermId {
        self.mk_bit(term, index)
    }

    fn integer_bit(&mut self, leaf: TermId, index: u32) -> TermId {
        let bits = self.mk_leaf_bits(leaf, index + 1);
        self.mk_bit(bits, index)
    }
}

/// Vectors of gates.
struct Blasted<'a, S: Source> {
    source: &'a mut S,
    /// Leaves have no bits of their own beyond their ranges: those are copies of the sign. None where all bits
    /// count.
    given: Option<&'a HashMap<TermId, Range>>,
}

impl<S: Source> Residues for Blasted<'_, S> {
    type Vector = Vec<S::Bit>;

    fn store(&self) -> &TermStore {
        self.source.store()
    }

    fn number(&mut self, value: &Integer, width: u32) -> Vec<S::Bit> {
        let value = crate::bitvector::to_unsigned(value, width);
        (0..width).map(|i| self.source.constant(value.bit(i))).collect()
    }

    fn sum(&mut self, a: Vec<S::Bit>, b: Vec<S::Bit>) -> Vec<S::Bit> {
        circuit(self.source, Op::BvAdd, &[&a, &b]).expect("a sum has a circuit")
    }

    fn product(&mut self, a: Vec<S::Bit>, b: Vec<S::Bit>) -> Vec<S::Bit> {
        circuit(self.source, Op::BvMul, &[&a, &b]).expect("a product has a circuit")
    }

    fn multiple(&mut self, factor: &Integer, a: Vec<S::Bit>) -> Vec<S::Bit> {
        // Shifted and added for each bit of the factor that is set: numbers have few.
        let width = a.len();
        let magnitude = factor.abs();
        let zero = self.source.constant(false);
        let mut product: Option<Vec<S::Bit>> = None;
        for shift in (0..width).filter(|&i| magnitude.bit(i as u32)) {
            let mut shifted = vec![zero; shift];
            shifted.extend_from_slice(&a[..width - shift]);
            product = Some(match product {
                Some(product) => self.sum(product, shifted),
                None => shifted,
            });
        }
        let product = product.unwrap_or_else(|| vec![zero; width]);
        if factor.is_negative() {
            return circuit(self.source, Op::BvNeg, &[&product]).expect("a negation has a circuit");
        }
        product
    }

    fn slice(&mut self, a: Vec<S::Bit>, low: u32, width: u32) -> Vec<S::Bit> {
        a[low as usize..(low + width) as usize].to_vec()
    }

    fn zero_extend(&mut self, mut a: Vec<S::Bit>, width: u32) -> Vec<S::Bit> {
        let zero = self.source.constant(false);
        a.resize(width as usize, zero);
        a
    }

    fn choose(&mut self, condition: TermId, a: Vec<S::Bit>, b: Vec<S::Bit>) -> Vec<S::Bit> {
        let condition = self.source.formula(condition);
        circuit(self.source, Op::Ite, &[&[condition], &a, &b]).expect("a choice has a circuit")
    }

    fn vector(&mut self, term: TermId, width: u32) -> Vec<S::Bit> {
        let own = self.store().width(term).min(width);
        let bits = (0..own).map(|i| self.source.vector_bit(term, i)).collect();
        self.zero_extend(bits, width)
    }

    fn leaf(&mut self, leaf: TermId, width: u32) -> Vec<S::Bit> {
        let mut own = width;
        let mut sign = None;
        if let Some(given) = self.given
            && let Ok((low, high)) = range(self.source.store(), leaf, given)
        {
            own = own.min(range_width((&low, &high)));
            sign = low.is_negative().then(|| own - 1);
        }
        let mut bits: Vec<S::Bit> = (0..own).map(|i| self.source.integer_bit(leaf, i)).collect();
        let fill = match sign {
            Some(sign) => bits[sign as usize],
            None => self.source.constant(false),
        };
        bits.resize(width as usize, fill);
        bits
    }
}

/// The lowest bits of an integer, as gates over those of its leaves.
pub fn low_bits<S: Source>(source: &mut S, term: TermId, width: u32) -> Vec<S::Bit> {
    residue(&mut Blasted { source, given: None }, term, width)
}

/// How many bits of its own an integer in this range has.
pub fn range_width((low, high): (&Integer, &Integer)) -> u32 {
    if low.is_negative() { signed_width(low).max(signed_width(high)) } else { high.bit_length() }
}

/// Both sides of an inequality or equality over integers, without negative coefficients.
fn sides(store: &TermStore, atom: TermId) -> Option<(LinearForm, LinearForm)> {
    let &[left, right] = store.args(atom) else { return None };
    if !matches!(store.op(atom), Op::Le | Op::Eq) || store.sort(left) != SortId::INT {
        return None;
    }
    let form = store.linear_difference(left, right);
    let (mut left, mut right) = (LinearForm::zero(), LinearForm::zero());
    for (leaf, coefficient) in form.terms {
        if coefficient.is_negative() {
            right.terms.push((leaf, -coefficient));
        } else {
            left.terms.push((leaf, coefficient));
        }
    }
    if form.constant.is_negative() {
        right.constant = -form.constant;
    } else {
        left.constant = form.constant;
    }
    Some((left, right))
}

/// The leaves of an atom over integers.
pub fn leaves(store: &TermStore, atom: TermId) -> Vec<TermId> {
    let Some((left, right)) = sides(store, atom) else { return Vec::new() };
    left.terms.iter().chain(&right.terms).map(|term| term.0).collect()
}

/// In how many bits neither side of an atom over integers overflows, or a leaf whose range is missing.
pub fn image_width(
    store: &TermStore,
    atom: TermId,
    given: &HashMap<TermId, Range>,
) -> Result<u32, TermId> {
    let (left, right) = sides(store, atom).ok_or(atom)?;
    let mut width = 1;
    for side in [left, right] {
        let mut ranges = Vec::with_capacity(side.terms.len());
        for &(leaf, _) in &side.terms {
            ranges.push(range(store, leaf, given)?);
        }
        let (low, high) = sum_range(&side, &ranges.iter().collect::<Vec<_>>());
        width = width.max(signed_width(&low)).max(signed_width(&high));
    }
    Ok(width)
}

/// What an atom over integers says of the bits of its leaves.
///
/// Required: the leaves are in the given ranges, and the width is at least [`image_width`]. An atom about a
/// single leaf speaks of all its bits, so that it says what the range means for them; others take the bits
/// beyond the range for granted.
pub fn image<S: Source>(
    source: &mut S,
    atom: TermId,
    width: u32,
    given: &HashMap<TermId, Range>,
) -> Option<S::Bit> {
    let (left, right) = sides(source.store(), atom)?;
    let is_single = left.terms.len() + right.terms.len() == 1;
    let mut blasted = Blasted { source, given: (!is_single).then_some(given) };
    let [left, right] = [left, right].map(|side| {
        let constant = blasted.number(&side.constant.numerator(), width);
        side.terms.iter().fold(constant, |sum, (leaf, coefficient)| {
            let bits = residue(&mut blasted, *leaf, width);
            let summand = blasted.multiple(&coefficient.numerator(), bits);
            blasted.sum(sum, summand)
        })
    });
    let (op, a, b) = match source.store().op(atom) {
        Op::Eq => (Op::Eq, left, right),
        _ => (Op::BvSlt, right, left),
    };
    let compared = circuit(source, op, &[&a, &b])?[0];
    Some(if op == Op::Eq { compared } else { source.not(compared) })
}

#[cfg(test)]
mod tests;

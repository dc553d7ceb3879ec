//! Polynomial candidates for invariants: what the program multiplies, and what samples show.
//!
//! The comparisons of a program are read as polynomials over its variables ([`comparisons`]); in a program
//! that asserts `x == q * y + r` this is mostly what holds at the head of its loop, too. And the
//! polynomials that vanish on all samples of a head are found degree by degree ([`vanishing`]), as in
//! the algorithm of Buchberger and Möller: with the leading products of what was found already
//! all multiples of them are left out, so that an equality is found once and not in all its
//! multiples. (Polynomial invariants of loops: Rodríguez-Carbonell and Kapur, SAS 2004; from samples:
//! Sharma et al., ESOP 2013; Nguyen, Kapur, Weimer and Forrest, TOSEM 2014.)
//!
//! Casts are read as if they changed nothing; as all of this is guessing, that is sound.

use crate::quantities::{Index, Place, Quantity, cell_width};
use crate::samples::{Linear, Polynomial, Samples};
use bolide_base::HashSet;
use bolide_cfa::{BinaryOp, Expr, ExprId, Op, Program, Type, UnaryOp, VarId};
use std::collections::BTreeMap;

/// Expressions that are nested deeper are not read.
const DEPTH: usize = 24;

/// The highest degree that is looked at.
const DEGREE: usize = 6;

/// Heuristic: so many products are compared at once.
const PRODUCTS: usize = 70;

/// Heuristic: when so many equalities were found, they are accidents.
const EQUALITIES: usize = 24;

/// Heuristic: an equality with larger numbers, or of more products, is an accident.
const COEFFICIENT: i64 = 40;
const TERMS: usize = 10;

/// A sum of products, each sorted; the constant is the empty product.
type Sum = BTreeMap<Vec<Quantity>, i64>;

/// The two sides of each comparison, as the polynomial "left minus right", where only
/// `quantities` occur; in the order of the program, each once.
pub fn comparisons(program: &Program, quantities: &[Quantity]) -> Vec<Polynomial> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: Vec<Polynomial> = Vec::new();
    let mut seen: HashSet<ExprId> = HashSet::default();
    for edge in program.edges.values() {
        if !matches!(edge.op, Op::Assume(_) | Op::Assign { .. }) {
            continue;
        }
        for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
            let &Expr::Compare(_, a, b) = program.exprs.get(id) else { continue };
            if !matches!(program.exprs.type_of(a), Type::Int(_) | Type::Pointer) || !seen.insert(id)
            {
                continue;
            }
            let difference = || {
                let mut sum = read(program, quantities, a, 0)?;
                add(&mut sum, &read(program, quantities, b, 0)?, -1)?;
                Some(sum)
            };
            let Some(fact) = difference().map(polynomial) else { continue };
            // Heuristic: what is only assigned bounds nothing, and is of interest for its products.
            let guard = matches!(edge.op, Op::Assume(_)) || as_linear(&fact).is_none();
            if guard && !fact.terms.is_empty() && !found.contains(&fact) {
                found.push(fact);
            }
        }
    }
    found
}

/// Bounds that make accesses valid, and those that are left when a loop has made its last one: the offset
/// is not negative, the place ends, or begins, where the object ends.
pub fn bounds_of_accesses(program: &Program, quantities: &[Quantity]) -> Vec<Linear> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: Vec<Linear> = Vec::new();
    let mut seen: HashSet<ExprId> = HashSet::default();
    let pointers = quantities.iter().filter(|q| matches!(q, Quantity::Size(_)));
    for edge in program.edges.values() {
        for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
            let &Expr::Valid { pointer, size, .. } = program.exprs.get(id) else { continue };
            if !seen.insert(id) {
                continue;
            }
            let read = |expr| read(program, quantities, expr, 0);
            let (Some(begin), Some(length)) = (read(pointer), read(size)) else { continue };
            // Required by nothing: where the access is through another pointer, samples contradict.
            for &whole in pointers.clone() {
                let mut bounds = vec![begin.clone(), begin.clone(), Sum::new()];
                for bound in &mut bounds[..2] {
                    add(bound, &Sum::from([(vec![whole], 1)]), -1);
                }
                add(&mut bounds[1], &length, 1);
                add(&mut bounds[2], &begin, -1);
                found.extend(bounds.into_iter().filter_map(|sum| as_linear(&polynomial(sum))));
            }
        }
    }
    let mut seen: HashSet<Linear> = HashSet::default();
    found.retain(|fact| !fact.terms.is_empty() && seen.insert(fact.clone()));
    found
}

/// A pointer that is computed from a variable by adding whole cells, some number of them and as many as an
/// integer variable says.
pub fn cell_at(program: &Program, base: VarId, pointer: ExprId, width: i64) -> Option<Place> {
    let integers = program.variables.iter().filter(|(_, v)| matches!(v.ty, Type::Int(_)));
    let mut quantities = vec![Quantity::Offset(base)];
    quantities.extend(integers.map(|(var, _)| Quantity::Value(var)));
    let mut sum = read(program, &quantities, pointer, 0)?;
    add(&mut sum, &Sum::from([(vec![Quantity::Offset(base)], 1)]), -1)?;
    let shift = sum.remove(&[][..]).unwrap_or(0);
    let mut rest = sum.into_iter();
    let index = match rest.next() {
        Some((product, factor)) if factor == width => match product[..] {
            [Quantity::Value(index)] => Some(Index::Value(index)),
            _ => return None,
        },
        Some(_) => return None,
        None => None,
    };
    (rest.next().is_none() && shift % width == 0).then_some(Place::At(index, shift / width))
}

/// That a sum is at most zero.
fn polynomial(mut sum: Sum) -> Polynomial {
    let constant = i128::from(sum.remove(&[][..]).unwrap_or(0));
    Polynomial { terms: sum.into_iter().collect(), constant, equality: false }
}

/// Adds `factor` times a sum; none where numbers become too large to be meant.
fn add(sum: &mut Sum, other: &Sum, factor: i64) -> Option<()> {
    for (product, coefficient) in other {
        let own = sum.entry(product.clone()).or_default();
        *own = own.checked_add(coefficient.checked_mul(factor)?)?;
        if *own == 0 {
            sum.remove(product);
        }
    }
    Some(())
}

fn multiply(a: &Sum, b: &Sum) -> Option<Sum> {
    let mut result = Sum::new();
    for (x, &factor) in a {
        let mut partial = Sum::new();
        for (y, coefficient) in b {
            let mut product: Vec<Quantity> = x.iter().chain(y).copied().collect();
            product.sort_unstable();
            if product.len() > DEGREE {
                return None;
            }
            partial.insert(product, *coefficient);
        }
        add(&mut result, &partial, factor)?;
    }
    Some(result)
}

/// An expression as a sum of products; none where it is none.
fn read(program: &Program, quantities: &[Quantity], expr: ExprId, depth: usize) -> Option<Sum> {
    if depth > DEPTH {
        return None;
    }
    let below = |e: ExprId| read(program, quantities, e, depth + 1);
    match program.exprs.get(expr) {
        Expr::Int { bits, ty } if ty.bits < 128 => {
            let value = i64::try_from(ty.value(*bits)).ok()?;
            Some(if value == 0 { Sum::new() } else { Sum::from([(Vec::new(), value)]) })
        }
        Expr::Var(var) => {
            let quantity = match program.variables[*var].ty {
                Type::Pointer => Quantity::Offset(*var),
                _ => Quantity::Value(*var),
            };
            quantities.contains(&quantity).then(|| Sum::from([(vec![quantity], 1)]))
        }
        Expr::Load(access) if access.bits.is_none() => {
            let (base, steps) = program.exprs.without_offset(access.pointer);
            let &Expr::Var(var) = program.exprs.get(base) else { return None };
            let width = i128::from(cell_width(program, access.region)?);
            let place = Place::At(None, i64::try_from(steps / width).ok()?);
            let cell = Quantity::Cell(var, access.region, place);
            let known = steps % width == 0 && quantities.contains(&cell);
            known.then(|| Sum::from([(vec![cell], 1)]))
        }
        // Of pointers, their offsets.
        Expr::Object(_) => Some(Sum::new()),
        Expr::Cast(Type::Int(_), a) => below(*a),
        Expr::Unary(UnaryOp::Neg, a) => {
            let mut negated = Sum::new();
            add(&mut negated, &below(*a)?, -1)?;
            Some(negated)
        }
        Expr::Binary(BinaryOp::Add, a, b) | Expr::PointerAdd(a, b) => {
            let mut sum = below(*a)?;
            add(&mut sum, &below(*b)?, 1)?;
            Some(sum)
        }
        Expr::Binary(BinaryOp::Sub, a, b) | Expr::PointerDiff(a, b) => {
            let mut sum = below(*a)?;
            add(&mut sum, &below(*b)?, -1)?;
            Some(sum)
        }
        Expr::Binary(BinaryOp::Mul, a, b) => multiply(&below(*a)?, &below(*b)?),
        _ => None,
    }
}

/// Polynomial facts near a comparison that samples do not contradict: it is an equality, or
/// holds one way or the other.
pub fn near(comparison: &Polynomial, samples: &Samples) -> Vec<Polynomial> {
    let mut negated = comparison.clone();
    negated.constant = -negated.constant;
    for (_, coefficient) in &mut negated.terms {
        *coefficient = -*coefficient;
    }
    let equal = Polynomial { equality: true, ..comparison.clone() };
    let mut found = vec![equal, comparison.clone(), negated];
    found.retain(|fact| samples.satisfy_polynomial(fact));
    found
}

/// A comparison without products.
pub fn as_linear(comparison: &Polynomial) -> Option<Linear> {
    let single = |(product, c): &(Vec<Quantity>, i64)| match product[..] {
        [var] => Some((var, *c)),
        _ => None,
    };
    let terms: Option<Vec<(Quantity, i64)>> = comparison.terms.iter().map(single).collect();
    Some(Linear { terms: terms?, constant: comparison.constant, equality: comparison.equality })
}

/// Equalities of at most this degree between products of the variables but `without` that hold
/// of all samples, so that all others follow that samples can show. Those without a product are
/// left to [`Samples::facts`].
pub fn vanishing(samples: &Samples, without: Option<Quantity>, degree: usize) -> Vec<Polynomial> {
    let positions: Vec<usize> =
        (0..samples.quantities.len()).filter(|&i| Some(samples.quantities[i]) != without).collect();
    // Products that no other equality expresses, by degree; those that one does.
    let mut free: Vec<Vec<usize>> = positions.iter().map(|&i| vec![i]).collect();
    let mut leads: Vec<Vec<usize>> = Vec::new();
    let mut last = free.clone();
    let mut found: Vec<Polynomial> = Vec::new();
    for degree in 1..=degree.min(DEGREE) {
        if degree > 1 {
            last = next_degree(&last, &positions, &leads);
            free.extend(last.iter().cloned());
        }
        if last.is_empty() || free.len() > PRODUCTS {
            break;
        }
        for fact in samples.equalities_of(&free) {
            let lead = |product: &&Vec<usize>| {
                let named: Vec<Quantity> = product.iter().map(|&i| samples.quantities[i]).collect();
                fact.terms.iter().any(|(product, _)| *product == named)
            };
            let lead = free.iter().rev().find(lead).expect("a fact is about some product").clone();
            free.retain(|product| *product != lead);
            last.retain(|product| *product != lead);
            leads.push(lead);
            found.push(fact);
        }
        if found.len() > EQUALITIES {
            return Vec::new();
        }
    }
    let small = |fact: &Polynomial| fact.terms.iter().all(|(_, c)| c.abs() <= COEFFICIENT);
    found.retain(|fact| as_linear(fact).is_none() && fact.terms.len() <= TERMS && small(fact));
    found
}

/// Products with one more factor, without multiples of any lead.
fn next_degree(last: &[Vec<usize>], positions: &[usize], leads: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    for product in last {
        for &i in positions.iter().filter(|&&i| Some(&i) >= product.last()) {
            let mut longer = product.clone();
            longer.push(i);
            if !leads.iter().any(|lead| divides(lead, &longer)) {
                found.push(longer);
            }
        }
    }
    found
}

/// Whether one product divides another, both sorted.
fn divides(divisor: &[usize], product: &[usize]) -> bool {
    let mut rest = product.iter();
    divisor.iter().all(|factor| rest.any(|other| other == factor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Sample;
    use bolide_base::arena::Id;

    #[test]
    fn samples_of_cubes_are_described_without_multiples() {
        let quantities: Vec<Quantity> =
            (0..4).map(|i| Quantity::Value(VarId::from_index(i))).collect();
        let [n, x, y, _] = quantities[..] else { panic!("four of them") };
        // Consecutive cubes by Cohen: x = n^3, y = 3 n^2 + 3 n + 1, and an input.
        let values: Vec<Sample> = (0..60)
            .map(|i: i128| (i % 12, (i * i * 7) % 23))
            .map(|(n, input)| vec![n, n * n * n, 3 * n * n + 3 * n + 1, input])
            .collect();
        let samples = Samples { quantities: quantities.clone(), values };
        let found = vanishing(&samples, None, 2);
        let square = Polynomial {
            terms: vec![(vec![n], 3), (vec![y], -1), (vec![n, n], 3)],
            constant: 1,
            equality: true,
        };
        assert!(found.contains(&square), "{found:?}");
        assert!(found.iter().all(|fact| samples.satisfy_polynomial(fact)));
        // n * n is expressed by y, so nothing else is said of it.
        let squares = |fact: &&Polynomial| fact.terms.iter().any(|t| t.0 == [n, n]);
        assert_eq!(found.iter().filter(squares).count(), 1, "{found:?}");
        assert!(found.iter().any(|fact| fact.terms.iter().any(|t| t.0 == [x])), "{found:?}");
        assert!(vanishing(&samples, Some(y), 2).is_empty());
    }
}

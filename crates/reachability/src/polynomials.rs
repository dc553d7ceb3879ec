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
type Sum = BTreeMap<Vec<VarId>, i64>;

/// The two sides of each comparison, as the polynomial "left minus right", where only
/// `variables` occur; in the order of the program, each once.
pub fn comparisons(program: &Program, variables: &[VarId]) -> Vec<Polynomial> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: Vec<Polynomial> = Vec::new();
    let mut seen: HashSet<ExprId> = HashSet::default();
    for edge in program.edges.values() {
        if !matches!(edge.op, Op::Assume(_) | Op::Assign { .. }) {
            continue;
        }
        for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
            let &Expr::Compare(_, a, b) = program.exprs.get(id) else { continue };
            if !matches!(program.exprs.type_of(a), Type::Int(_)) || !seen.insert(id) {
                continue;
            }
            let difference = || {
                let mut sum = read(program, variables, a, 0)?;
                add(&mut sum, &read(program, variables, b, 0)?, -1)?;
                Some(sum)
            };
            let Some(mut sum) = difference() else { continue };
            let constant = i128::from(sum.remove(&[][..]).unwrap_or(0));
            let fact = Polynomial { terms: sum.into_iter().collect(), constant, equality: false };
            // Heuristic: what is only assigned bounds nothing, and is of interest for its products.
            let guard = matches!(edge.op, Op::Assume(_)) || as_linear(&fact).is_none();
            if guard && !fact.terms.is_empty() && !found.contains(&fact) {
                found.push(fact);
            }
        }
    }
    found
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
            let mut product: Vec<VarId> = x.iter().chain(y).copied().collect();
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
fn read(program: &Program, variables: &[VarId], expr: ExprId, depth: usize) -> Option<Sum> {
    if depth > DEPTH {
        return None;
    }
    let below = |e: ExprId| read(program, variables, e, depth + 1);
    match program.exprs.get(expr) {
        Expr::Int { bits, ty } if ty.bits < 128 => {
            let value = i64::try_from(ty.value(*bits)).ok()?;
            Some(if value == 0 { Sum::new() } else { Sum::from([(Vec::new(), value)]) })
        }
        Expr::Var(var) if variables.contains(var) => Some(Sum::from([(vec![*var], 1)])),
        Expr::Cast(Type::Int(_), a) => below(*a),
        Expr::Unary(UnaryOp::Neg, a) => {
            let mut negated = Sum::new();
            add(&mut negated, &below(*a)?, -1)?;
            Some(negated)
        }
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            let mut sum = below(*a)?;
            add(&mut sum, &below(*b)?, if *op == BinaryOp::Add { 1 } else { -1 })?;
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
    let single = |(product, c): &(Vec<VarId>, i64)| match product[..] {
        [var] => Some((var, *c)),
        _ => None,
    };
    let terms: Option<Vec<(VarId, i64)>> = comparison.terms.iter().map(single).collect();
    Some(Linear { terms: terms?, constant: comparison.constant, equality: comparison.equality })
}

/// Equalities of at most this degree between products of the variables but `without` that hold
/// of all samples, so that all others follow that samples can show. Those without a product are
/// left to [`Samples::facts`].
pub fn vanishing(samples: &Samples, without: Option<VarId>, degree: usize) -> Vec<Polynomial> {
    let positions: Vec<usize> =
        (0..samples.variables.len()).filter(|&i| Some(samples.variables[i]) != without).collect();
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
                let named: Vec<VarId> = product.iter().map(|&i| samples.variables[i]).collect();
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
        let variables: Vec<VarId> = (0..4).map(VarId::from_index).collect();
        let [n, x, y, _] = variables[..] else { panic!("four of them") };
        // Consecutive cubes by Cohen: x = n^3, y = 3 n^2 + 3 n + 1, and an input.
        let values: Vec<Sample> = (0..60)
            .map(|i: i128| (i % 12, (i * i * 7) % 23))
            .map(|(n, input)| vec![n, n * n * n, 3 * n * n + 3 * n + 1, input])
            .collect();
        let samples = Samples { variables: variables.clone(), values };
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

//! Candidates for invariants at loop heads, before anybody asks whether they hold.
//!
//! Bounds of variables by constants of the program, comparisons of two variables,
//! remainders, what the program compares ([`guards`]), and what
//! executions suggest ([`samples`](crate::samples)). No sample contradicts a candidate.
//!
//! Fewer are better: each costs the solver time, and most are accidents. Where a
//! head has many variables, only those are compared that the program itself brings together in one
//! statement (as the packs of octagons in Astree), and of the constants that bound a
//! variable the few nearest to the samples are taken.

use crate::block::BlockProgram;
use crate::encode::Slot;
use crate::facts::Fact;
use crate::float_guesses;
use crate::guards;
use crate::guesses::{Guesses, Head};
use crate::pointers;
use crate::polynomials::{self, vanishing};
use crate::quantities::Quantity;
use crate::samples::{FEW_VARIABLES, Linear, Samples};
use bolide_base::HashSet;
use bolide_cfa::{BinaryOp, CompareOp, Expr, IntType, LocId, Op, Type, VarId};
use bolide_terms::{SortId, TermStore};
use std::collections::BTreeSet;

/// Heuristic: of more variables than this, only products of two are looked at.
const FACTORS: usize = 6;

/// Heuristic: the highest degree of equalities that samples suggest.
const DEGREE: usize = 4;

/// Heuristic: of so many masks of the program each variable may have steady bits.
const MASKS: usize = 8;

/// Heuristic: larger steps are no strides.
const STRIDE: i128 = 64;

/// Heuristic: what so many different values have in common is no accident, and larger powers of two are.
const SEVERAL: usize = 4;
const LARGEST_POWER: u32 = 6;

/// Constants that occur in comparisons and assignments, near zero first.
pub fn interesting_constants(program: &BlockProgram<'_>, limit: usize) -> Vec<i128> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: Vec<i128> = vec![0, 1, -1];
    for edge in program.program.edges.values() {
        if !matches!(edge.op, Op::Assume(_) | Op::Assign { .. } | Op::Store { .. }) {
            continue;
        }
        for id in walker.bottom_up(&program.program.exprs, &edge.op.operands()) {
            if let Expr::Int { bits, ty } = program.program.exprs.get(id)
                && ty.bits > 1
                && ty.bits < 128
            {
                found.push(ty.value(*bits));
            }
        }
    }
    for variable in program.program.variables.values() {
        if let Some(initial) = variable.initial {
            found.extend(program.program.exprs.as_int(initial));
        }
    }
    found.sort_by_key(|&c| (c.unsigned_abs(), c < 0));
    found.dedup();
    found.truncate(limit);
    found
}

/// Integer variables that matter at a location, at most `limit` of them.
pub fn integer_variables(program: &BlockProgram<'_>, location: LocId, limit: usize) -> Vec<VarId> {
    program
        .slots
        .ids()
        .filter(|&slot| program.matters(slot, location))
        .filter_map(|slot| match program.slots.slot(slot) {
            Slot::Value(var) => Some(var),
            _ => None,
        })
        .filter(|&var| {
            matches!(program.program.variables[var].ty, Type::Int(ty) if ty != IntType::BOOL)
        })
        .take(limit)
        .collect()
}

/// Candidates for one location, at most so many: what the samples suggest, and templates that
/// no sample contradicts.
pub fn guess(
    program: &BlockProgram<'_>,
    store: &TermStore,
    head: &Head<'_>,
    most: usize,
) -> Vec<Fact> {
    let values: Vec<Quantity> = head.variables.iter().map(|&v| Quantity::Value(v)).collect();
    let samples = &head.sightings.samples(&values);
    let few = values.len() <= FEW_VARIABLES;
    let mut found = float_guesses::guesses(program, head.location);
    found.extend(pointers::guess(program, head));
    found.extend(samples.facts().into_iter().map(Fact::Linear));
    for slot in program.slots.ids() {
        let constant = program.slots.constant(slot);
        if store.sort(constant) == SortId::BOOL && program.matters(slot, head.location) {
            found.push(Fact::Condition(program.slots.slot(slot), true));
            found.push(Fact::Condition(program.slots.slot(slot), false));
        }
    }
    let mut linear = Guesses { samples, found: Vec::new() };
    for &x in &values {
        linear.bounds(program.program, x, head.constants);
    }
    let related = if few { HashSet::default() } else { related(program) };
    linear.comparisons(|x, y| {
        let (x, y) = (x.variable(), y.variable());
        few || x.zip(y).is_some_and(|(x, y)| related.contains(&(x.min(y), x.max(y))))
    });
    let comparisons = polynomials::comparisons(program.program, &values);
    let atoms: Vec<Linear> = comparisons.iter().filter_map(polynomials::as_linear).collect();
    for fact in atoms.iter().flat_map(guards::bounds) {
        linear.add(fact.terms, fact.constant, fact.equality);
    }
    found.extend(linear.found.into_iter().map(Fact::Linear));
    // Heuristic: remainders matter to programs that compute them.
    let moduli: &[i128] = if computes_remainders(program) { &[2, 3, 4] } else { &[] };
    found.extend(residues(program, samples, &values, moduli));
    found.extend(phases_of_steps(program, samples, &values));
    if compares_for_equality(program) {
        found.extend(powers_of_two(program, samples, &values));
    }
    for (outside, fact) in guards::phases(&atoms, samples, !moduli.is_empty()) {
        found.push(Fact::Phase(outside, Box::new(fact)));
    }
    // Heuristic: squares matter to programs that multiply.
    if multiplies(program) {
        for comparison in comparisons.iter().filter(|c| polynomials::as_linear(c).is_none()) {
            found.extend(polynomials::near(comparison, samples).into_iter().map(Fact::Polynomial));
        }
        for (bound, first) in guards::unless_first(&atoms, samples) {
            found.push(Fact::Phase(bound, Box::new(Fact::Linear(first))));
        }
        // Heuristic: what is of a higher degree than all that the program compares is an accident.
        let degrees = comparisons.iter().flat_map(|c| c.terms.iter().map(|(p, _)| p.len()));
        let highest = if values.len() <= FACTORS { DEGREE } else { 2 };
        let degree = degrees.max().unwrap_or(0).clamp(2, highest);
        found.extend(vanishing(samples, None, degree).into_iter().map(Fact::Polynomial));
        if values.len() <= FACTORS {
            for (outside, fact) in guards::polynomial_phases(&atoms, samples) {
                found.push(Fact::Phase(outside, Box::new(Fact::Polynomial(fact))));
            }
        }
    }
    for (x, k, divisor) in guards::multiples(samples) {
        found.push(Fact::Multiple(k, divisor, x));
    }
    let mut seen: HashSet<Fact> = HashSet::default();
    found.retain(|fact| seen.insert(fact.clone()));
    // Heuristic: what the samples suggest comes first.
    found.truncate(most);
    found
}

/// What moves by a stride has the same remainder by it at all times: every third cell, from the second on.
fn phases_of_steps(
    program: &BlockProgram<'_>,
    samples: &Samples,
    values: &[Quantity],
) -> Vec<Fact> {
    let exprs = &program.program.exprs;
    let mut found = Vec::new();
    for edge in program.program.edges.values() {
        let Op::Assign { target, value } = edge.op else { continue };
        let &Expr::Binary(BinaryOp::Add | BinaryOp::Sub, of, by) = exprs.get(value) else {
            continue;
        };
        let x = Quantity::Value(target);
        let (Some(by), Some(i)) = (exprs.as_int(by), values.iter().position(|&v| v == x)) else {
            continue;
        };
        let mut rests = samples.values.iter().map(|sample| sample[i].rem_euclid(by.max(1)));
        let first = rests.next();
        if matches!(exprs.get(of), Expr::Var(var) if *var == target)
            && (2..=STRIDE).contains(&by)
            && let Some(rest) = first
            && rests.all(|r| r == rest)
        {
            found.push(Fact::Remainder(x, by, rest));
        }
    }
    found
}

/// The remainders by some moduli, and the bits under masks of the program, that are the same in all samples.
fn residues(
    program: &BlockProgram<'_>,
    samples: &Samples,
    values: &[Quantity],
    moduli: &[i128],
) -> Vec<Fact> {
    let mut found = Vec::new();
    let masks = masks(program);
    for (i, &x) in values.iter().enumerate() {
        let seen = || samples.values.iter().map(|s| s[i]);
        for &modulus in moduli {
            let mut rests = seen().map(|value| value.rem_euclid(modulus));
            let Some(rest) = rests.next() else { continue };
            if rests.all(|r| r == rest) {
                found.push(Fact::Remainder(x, modulus, rest));
            }
        }
        for &mask in &masks {
            let steady = steady_bits(mask, seen());
            found.extend(steady.map(|(mask, bits)| Fact::Bits(x, mask, bits)));
        }
    }
    found
}

/// The remainders of computed variables by the largest power of two for which they are the same in all samples.
fn powers_of_two(program: &BlockProgram<'_>, samples: &Samples, values: &[Quantity]) -> Vec<Fact> {
    let exprs = &program.program.exprs;
    let mut computed: HashSet<VarId> = HashSet::default();
    for edge in program.program.edges.values() {
        if let Op::Assign { target, value } = edge.op
            && matches!(exprs.get(value), Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..))
        {
            computed.insert(target);
        }
    }
    let mut found = Vec::new();
    for (i, &x) in values.iter().enumerate() {
        let seen: BTreeSet<i128> = samples.values.iter().map(|s| s[i]).collect();
        let Some(&first) = seen.first() else { continue };
        let is_computed = x.variable().is_some_and(|var| computed.contains(&var));
        if !is_computed || seen.len() < SEVERAL {
            continue;
        }
        let common = seen.iter().map(|value| (value ^ first).trailing_zeros()).min().unwrap_or(0);
        if common > 0 {
            let modulus = 1 << common.min(LARGEST_POWER);
            found.push(Fact::Remainder(x, modulus, first.rem_euclid(modulus)));
        }
    }
    found
}

/// Pairs of variables that occur in one statement, the smaller first.
fn related(program: &BlockProgram<'_>) -> HashSet<(VarId, VarId)> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found = HashSet::default();
    for edge in program.program.edges.values() {
        let mut mentioned: Vec<VarId> = edge.op.target().into_iter().collect();
        for id in walker.bottom_up(&program.program.exprs, &edge.op.operands()) {
            if let Expr::Var(var) = program.program.exprs.get(id) {
                mentioned.push(*var);
            }
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        // Heuristic: a statement about everything relates nothing.
        if mentioned.len() <= 6 {
            for (i, &x) in mentioned.iter().enumerate() {
                found.extend(mentioned[i + 1..].iter().map(|&y| (x, y)));
            }
        }
    }
    found
}

/// The constants of `&`, `|` and `^`, and what they leave out: which bits belong together.
fn masks(program: &BlockProgram<'_>) -> Vec<i128> {
    let exprs = &program.program.exprs;
    let mut found: Vec<i128> = Vec::new();
    any_expression(program, |expr| {
        use BinaryOp::{BitAnd, BitOr, BitXor};
        if let Expr::Binary(BitAnd | BitOr | BitXor, a, b) = *expr
            && let Type::Int(ty) = exprs.type_of(a)
            && (2..=64).contains(&ty.bits)
        {
            for mask in [a, b].into_iter().filter_map(|e| exprs.as_int(e)) {
                let all = IntType::unsigned(ty.bits).max();
                found.extend([mask & all, !mask & all]);
            }
        }
        found.len() > 2 * MASKS
    });
    found.sort_unstable();
    found.dedup();
    // Remainders say one bit, and two.
    found.retain(|mask| !matches!(mask, 0 | 1 | 3));
    found.truncate(MASKS);
    found
}

/// The bits of a mask that never change, and which they are.
fn steady_bits(mask: i128, mut values: impl Iterator<Item = i128>) -> Option<(i128, i128)> {
    let first = values.next()?;
    let steady = values.fold(mask, |steady, value| steady & !(value ^ first));
    (steady != 0).then_some((steady, first & steady))
}

/// Whether the program has `%` or `&`.
fn computes_remainders(program: &BlockProgram<'_>) -> bool {
    let exprs = &program.program.exprs;
    any_expression(program, |expr| {
        matches!(expr, Expr::Binary(BinaryOp::Rem | BinaryOp::BitAnd, a, _)
            if exprs.type_of(*a) != Type::BOOL)
    })
}

/// Whether the program asks if integers are the same, other than whether one is zero or one.
fn compares_for_equality(program: &BlockProgram<'_>) -> bool {
    let exprs = &program.program.exprs;
    any_expression(program, |expr| {
        matches!(*expr, Expr::Compare(CompareOp::Eq | CompareOp::Ne, a, b)
            if matches!(exprs.type_of(a), Type::Int(ty) if ty.bits > 8)
                && [a, b].iter().all(|&e| exprs.as_int(e).is_none_or(|n| n > 1)))
    })
}

/// Whether the program multiplies variables with each other.
fn multiplies(program: &BlockProgram<'_>) -> bool {
    let exprs = &program.program.exprs;
    any_expression(program, |expr| {
        matches!(expr, Expr::Binary(BinaryOp::Mul, a, b)
            if exprs.as_int(*a).is_none() && exprs.as_int(*b).is_none())
    })
}

fn any_expression(program: &BlockProgram<'_>, mut wanted: impl FnMut(&Expr) -> bool) -> bool {
    let (exprs, edges) = (&program.program.exprs, program.program.edges.values());
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut operands = edges.map(|edge| walker.bottom_up(exprs, &edge.op.operands()));
    operands.any(|all| all.into_iter().any(|id| wanted(exprs.get(id))))
}

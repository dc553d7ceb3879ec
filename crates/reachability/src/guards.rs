//! Candidates for invariants from what the program itself compares.
//!
//! A loop that ends at `i < 1000000 * k` is about `i - 1000000 * k`, and a loop
//! that changes its ways at `x < 50` has one invariant before and another
//! after. So the comparisons of the program are read as linear forms ([`atoms`]):
//! bounds of these forms are candidates, and comparisons of one variable with
//! a constant split the samples of a loop head into phases ([`phases`]), each of
//! which has facts of its own (splitter predicates after Sharma, Dillig, Dillig and
//! Aiken, "Simplifying loop invariant generation using splitter predicates", CAV 2011).
//! Where samples are multiples of another variable that stays small, the remainder
//! is stated value by value ([`multiples`]): divisors must be constants.
//!
//! Casts are read as if they changed nothing; as all of this is guessing, that is sound.

use crate::facts::Fact;
use crate::samples::{FEW_VARIABLES, Linear, Quadratic, Samples};
use bolide_base::HashSet;
use bolide_cfa::{BinaryOp, Expr, ExprId, Op, Program, Type, UnaryOp, VarId};

/// Expressions that are nested deeper are not read.
const DEPTH: usize = 12;

/// At most so many guards split the samples of one location.
const SPLITTERS: usize = 6;

/// The largest divisor whose multiples are looked for.
const DIVISOR: i128 = 12;

/// The two sides of each comparison in a condition, as the linear form "left
/// minus right", where only `variables` occur; in the order of the program,
/// each once.
pub fn atoms(program: &Program, variables: &[VarId]) -> Vec<Linear> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: Vec<Linear> = Vec::new();
    let mut seen: HashSet<ExprId> = HashSet::default();
    for edge in program.edges.values() {
        let Op::Assume(condition) = edge.op else { continue };
        for id in walker.bottom_up(&program.exprs, &[condition]) {
            let &Expr::Compare(_, a, b) = program.exprs.get(id) else { continue };
            if !matches!(program.exprs.type_of(a), Type::Int(_)) || !seen.insert(id) {
                continue;
            }
            let mut form = Linear { terms: Vec::new(), constant: 0, equality: false };
            let read = add(program, variables, &mut form, 1, a, 0)
                .and_then(|()| add(program, variables, &mut form, -1, b, 0));
            form.terms.retain(|t| t.1 != 0);
            form.terms.sort_unstable();
            if read.is_some() && !form.terms.is_empty() && !found.contains(&form) {
                found.push(form);
            }
        }
    }
    found
}

/// Adds `factor` times an expression to a linear form; none where it is not linear.
fn add(
    program: &Program,
    variables: &[VarId],
    form: &mut Linear,
    factor: i64,
    expr: ExprId,
    depth: usize,
) -> Option<()> {
    if depth > DEPTH {
        return None;
    }
    let exprs = &program.exprs;
    let mut below = |factor, e| add(program, variables, form, factor, e, depth + 1);
    match exprs.get(expr) {
        Expr::Int { bits, ty } if ty.bits < 128 => {
            let value = ty.value(*bits).checked_mul(i128::from(factor))?;
            form.constant = form.constant.checked_add(value)?;
            Some(())
        }
        Expr::Var(var) if variables.contains(var) => {
            match form.terms.iter_mut().find(|t| t.0 == *var) {
                Some(term) => term.1 = term.1.checked_add(factor)?,
                None => form.terms.push((*var, factor)),
            }
            Some(())
        }
        Expr::Cast(Type::Int(_), a) => below(factor, *a),
        Expr::Unary(UnaryOp::Neg, a) => below(factor.checked_neg()?, *a),
        Expr::Binary(BinaryOp::Add, a, b) => {
            below(factor, *a)?;
            below(factor, *b)
        }
        Expr::Binary(BinaryOp::Sub, a, b) => {
            below(factor, *a)?;
            below(factor.checked_neg()?, *b)
        }
        Expr::Binary(BinaryOp::Mul, a, b) => {
            let (constant, other) = match (exprs.as_int(*a), exprs.as_int(*b)) {
                (Some(constant), _) => (constant, *b),
                (_, Some(constant)) => (constant, *a),
                _ => return None,
            };
            below(factor.checked_mul(i64::try_from(constant).ok()?)?, other)
        }
        _ => None,
    }
}

/// Bounds near the linear forms: what a guard and its step may leave.
pub fn bounds(form: &Linear) -> Vec<Linear> {
    let mut found = vec![Linear { equality: true, ..form.clone() }];
    for slack in [-1, 0, 1] {
        let halves = form.halves().into_iter();
        found.extend(halves.map(|half| Linear { constant: half.constant + slack, ..half }));
    }
    found
}

/// Facts of one phase each: the comparison that holds outside of it, and what
/// the samples inside have in common.
pub fn phases(forms: &[Linear], samples: &Samples, remainders: bool) -> Vec<(Linear, Fact)> {
    let mut found = Vec::new();
    let splitters = forms.iter().filter(|f| f.terms.len() == 1).take(SPLITTERS);
    for splitter in splitters.flat_map(Linear::halves) {
        let inside = inside(samples, &splitter);
        if inside.values.len() < samples.values.len() {
            let mut facts = inside.facts();
            if samples.variables.len() > FEW_VARIABLES {
                facts.retain(|fact| fact.equality && fact.terms.len() <= 3);
            }
            found.extend(facts.into_iter().map(|fact| (splitter.clone(), Fact::Linear(fact))));
        }
        if remainders {
            for (position, &x) in inside.variables.iter().enumerate() {
                for rest in 0..2 {
                    // A phase that no sample reached may have either.
                    if inside.values.iter().all(|s| s[position].rem_euclid(2) == rest) {
                        found.push((splitter.clone(), Fact::Remainder(x, 2, rest)));
                    }
                }
            }
        }
    }
    found
}

/// As [`phases`], for equalities between products, where any comparison of the program
/// begins a phase. Of the variables that it compares each is left out in turn: at the end of a loop one of
/// them is what the other says, and the fact is to be about what stays.
pub fn quadratic_phases(forms: &[Linear], samples: &Samples) -> Vec<(Linear, Quadratic)> {
    let mut found = Vec::new();
    for splitter in forms.iter().take(SPLITTERS).flat_map(Linear::halves) {
        let inside = inside(samples, &splitter);
        if inside.values.len() == samples.values.len() {
            continue;
        }
        for &(var, _) in &splitter.terms {
            let facts = inside.quadratics(Some(var));
            found.extend(facts.into_iter().map(|fact| (splitter.clone(), fact)));
        }
    }
    found
}

/// The samples of the phase in which a comparison does not hold.
fn inside(samples: &Samples, splitter: &Linear) -> Samples {
    let values = samples.values.iter().filter(|s| !samples.holds(splitter, s)).cloned().collect();
    Samples { variables: samples.variables.clone(), values }
}

/// Pairs of variables of which the first is a multiple of the second in all
/// samples, with the values that the second may have for that.
pub fn multiples(samples: &Samples) -> Vec<(VarId, VarId, i128)> {
    let mut found = Vec::new();
    for (i, &x) in samples.variables.iter().enumerate() {
        for (j, &k) in samples.variables.iter().enumerate() {
            let divides = |s: &Vec<i128>| if s[j] == 0 { s[i] == 0 } else { s[i] % s[j] == 0 };
            let telling = samples.values.iter().filter(|s| s[j] > 1 && s[i] != 0).count();
            let small = samples.values.iter().all(|s| (0..=40).contains(&s[j]));
            if i != j && small && telling >= 3 && samples.values.iter().all(divides) {
                found.extend((2..=DIVISOR).map(|divisor| (x, k, divisor)));
            }
        }
    }
    found
}

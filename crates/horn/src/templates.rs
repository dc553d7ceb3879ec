//! Templates: simple facts about all relations, found before any search.
//!
//! Each relation has an abstract value: affine equalities, bounds on
//! parameters and on sums and differences of two of them, remainders, and truth values. A
//! clause that the values do not satisfy has a model, whose head arguments are joined
//! into the value of the head, until there is none ([`make_inductive`]). It ends because
//! equalities can be lost only as often as there are dimensions and bounds
//! move only along thresholds, the numbers of the system, and then away.
//!
//! So counters do not make the engines diverge: what holds between them is
//! known before they start.

use crate::system::{Interpretation, RelationId, System};
use bolide_base::affine::equalities;
use bolide_base::{Budget, Exhausted, HashMap, Integer, Rational};
use bolide_smt::houdini::{Effort, Guess, Hull, make_inductive};
use bolide_terms::{LinearForm, SortId, TermId, TermStore, Value};
use std::collections::{BTreeMap, BTreeSet};

// Heuristic: relations with more numbers get no equalities and no pairs.
const AFFINE: usize = 40;
const PAIRS: usize = 12;
/// Numbers of the system that bounds may stop at.
const THRESHOLDS: usize = 24;

/// How many facts an interpretation of the relations was given by guessing, as a figure.
pub const GUESSED: &str = "guessed facts";

/// The figure of what was guessed; none for nothing.
pub(crate) fn figure(
    store: &TermStore,
    system: &System,
    known: &Interpretation,
) -> Option<(&'static str, u64)> {
    let facts = |id: RelationId| match known.get(id) {
        TermId::TRUE => 0,
        formula => store.conjuncts(formula).len() as u64,
    };
    let count: u64 = system.relations.ids().map(facts).sum();
    (count > 0).then_some((GUESSED, count))
}

/// Facts that hold of everything derivable; nothing if `checks` solver calls do not suffice.
pub fn invariants(
    store: &mut TermStore,
    system: &System,
    checks: usize,
    budget: &Budget,
) -> Result<Option<Interpretation>, Exhausted> {
    if checks == 0 {
        return Ok(None);
    }
    let thresholds = thresholds(store, system);
    let mut values: HashMap<RelationId, Abstract<'_>> = system
        .relations
        .iter()
        .map(|(id, relation)| (id, Abstract::new(store, &relation.parameters, &thresholds)))
        .collect();
    let implications = system.implications(store, &Interpretation::new());
    let mut effort = Effort { budget, questions: checks as u64 };
    if !make_inductive(store, &implications, &mut values, &mut effort)? {
        return Ok(None);
    }
    let mut result = Interpretation::new();
    for id in system.relations.ids() {
        result.set(id, store.mk_and(&values[&id].conjuncts));
    }
    Ok(Some(result))
}

/// Numbers of the constraints, and their neighbours.
fn thresholds(store: &TermStore, system: &System) -> Vec<Rational> {
    let mut counts: BTreeMap<Rational, usize> = BTreeMap::new();
    for clause in &system.clauses {
        let mut roots = vec![clause.constraint];
        roots.extend(clause.head.iter().flat_map(|head| head.arguments.iter().copied()));
        for term in store.subterms(&roots) {
            if let Some(number) = store.number(term) {
                for near in [number.clone(), -number.clone()] {
                    *counts.entry(near).or_default() += 1;
                }
            }
        }
    }
    let mut list: Vec<(usize, Rational)> = counts.into_iter().map(|(n, c)| (c, n)).collect();
    list.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    list.truncate(THRESHOLDS);
    let special = [Rational::MINUS_ONE, Rational::ZERO, Rational::ONE];
    let all = list.into_iter().map(|(_, n)| n).chain(special);
    let near = all.flat_map(|n| [&n + &Rational::ONE, &n - &Rational::ONE, n]);
    near.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A bound that moves along thresholds.
#[derive(Clone, Debug)]
struct Range {
    /// Indices of numeric parameters with their factors.
    terms: Vec<(usize, i64)>,
    low: Option<Rational>,
    high: Option<Rational>,
}

/// What is known of one relation.
struct Abstract<'a> {
    parameters: &'a [TermId],
    thresholds: &'a [Rational],
    /// The same as formulas.
    conjuncts: Vec<TermId>,
    /// Positions of numeric parameters.
    numbers: Vec<usize>,
    sort: Vec<SortId>,
    /// Affinely independent; empty before anything was derived.
    points: Vec<Vec<Rational>>,
    ranges: Vec<Range>,
    /// For numeric parameters of sort `Int`: modulus (zero: one value only) and value.
    remainders: Vec<Option<(Integer, Integer)>>,
    /// For each parameter: its truth value, if it is always the same.
    truths: Vec<Option<bool>>,
}

impl Guess for Abstract<'_> {
    fn conjuncts(&self) -> &[TermId] {
        &self.conjuncts
    }

    fn observed(&self) -> &[TermId] {
        self.parameters
    }

    fn weaken(&mut self, store: &mut TermStore, values: &[Option<Value>]) -> bool {
        self.join(values);
        let said = self.formulas(store);
        // A value that cannot be said is not joined by trying again.
        let changed = said != self.conjuncts;
        self.conjuncts = said;
        changed
    }
}

impl<'a> Abstract<'a> {
    fn new(
        store: &TermStore,
        parameters: &'a [TermId],
        thresholds: &'a [Rational],
    ) -> Abstract<'a> {
        let numbers: Vec<usize> =
            (0..parameters.len()).filter(|&i| store.sort(parameters[i]).is_arithmetic()).collect();
        Abstract {
            parameters,
            thresholds,
            conjuncts: vec![TermId::FALSE],
            sort: numbers.iter().map(|&i| store.sort(parameters[i])).collect(),
            numbers,
            points: Vec::new(),
            ranges: Vec::new(),
            remainders: Vec::new(),
            truths: Vec::new(),
        }
    }

    fn join(&mut self, point: &[Option<Value>]) {
        let thresholds = self.thresholds;
        let numbers: Vec<Rational> = self
            .numbers
            .iter()
            .map(|&i| point[i].as_ref().and_then(Value::as_rational).unwrap_or(Rational::ZERO))
            .collect();
        let truth = |value: &Option<Value>| match value {
            Some(Value::Bool(b)) => Some(*b),
            _ => None,
        };
        if self.points.is_empty() {
            self.start(&numbers);
            self.truths = point.iter().map(truth).collect();
            return;
        }
        for (known, value) in self.truths.iter_mut().zip(point) {
            if *known != truth(value) {
                *known = None;
            }
        }
        for range in &mut self.ranges {
            let value = sum(&range.terms, &numbers);
            if range.low.as_ref().is_some_and(|low| value < *low) {
                range.low = thresholds.iter().rev().find(|t| **t <= value).cloned();
            }
            if range.high.as_ref().is_some_and(|high| value > *high) {
                range.high = thresholds.iter().find(|t| **t >= value).cloned();
            }
        }
        for (remainder, value) in self.remainders.iter_mut().zip(&numbers) {
            let (Some((modulus, residue)), Some(value)) = (&*remainder, value.to_integer()) else {
                continue;
            };
            let modulus = modulus.gcd(&(&value - residue));
            *remainder = (!modulus.is_one()).then(|| {
                let residue =
                    if modulus.is_zero() { residue.clone() } else { residue.mod_floor(&modulus) };
                (modulus, residue)
            });
        }
        if self.points.len() <= numbers.len()
            && equalities(&self.points).iter().any(|(a, c)| {
                let mut total = -c.clone();
                for (coefficient, value) in a.iter().zip(&numbers) {
                    total.add_mul(coefficient, value);
                }
                !total.is_zero()
            })
        {
            self.points.push(numbers);
        }
    }

    fn start(&mut self, numbers: &[Rational]) {
        self.points.push(numbers.to_vec());
        let n = numbers.len();
        let mut templates: Vec<Vec<(usize, i64)>> = (0..n).map(|i| vec![(i, 1)]).collect();
        if n <= PAIRS {
            for i in 0..n {
                for j in i + 1..n {
                    if self.sort[i] == self.sort[j] {
                        templates.push(vec![(i, 1), (j, -1)]);
                        templates.push(vec![(i, 1), (j, 1)]);
                    }
                }
            }
        }
        for terms in templates {
            let value = sum(&terms, numbers);
            self.ranges.push(Range { terms, low: Some(value.clone()), high: Some(value) });
        }
        self.remainders = numbers
            .iter()
            .zip(&self.sort)
            .map(|(value, &sort)| {
                let value = (sort == SortId::INT).then(|| value.to_integer()).flatten();
                value.map(|value| (Integer::ZERO, value))
            })
            .collect();
    }

    fn formulas(&self, store: &mut TermStore) -> Vec<TermId> {
        let mut parts = Vec::new();
        for (&parameter, truth) in self.parameters.iter().zip(&self.truths) {
            parts.extend(truth.map(|truth| store.mk_literal(parameter, truth)));
        }
        let uniform = self.sort.windows(2).all(|pair| pair[0] == pair[1]);
        if self.numbers.len() <= AFFINE && uniform && !self.numbers.is_empty() {
            let terms: Vec<TermId> = self.numbers.iter().map(|&i| self.parameters[i]).collect();
            parts.extend(Hull::said(store, &terms, &self.points, self.sort[0]));
        }
        for range in &self.ranges {
            let mut form = LinearForm::zero();
            for &(i, factor) in &range.terms {
                form.add_term(self.parameters[self.numbers[i]], &Rational::from(factor));
            }
            let sort = self.sort[range.terms[0].0];
            for (bound, form, sign) in [
                (&range.high, form.clone(), Rational::MINUS_ONE),
                (&range.low, form.negated(), Rational::ONE),
            ] {
                if let Some(bound) = bound {
                    let mut form = form;
                    form.constant.add_mul(bound, &sign);
                    parts.push(store.mk_nonpositive(form, sort, false));
                }
            }
        }
        for (remainder, &i) in self.remainders.iter().zip(&self.numbers) {
            if let Some((modulus, residue)) = remainder
                && !modulus.is_zero()
            {
                let modulus = store.mk_int(modulus.clone());
                let residue = store.mk_int(residue.clone());
                let remainder = store.mk_mod(self.parameters[i], modulus);
                parts.push(store.mk_eq(remainder, residue));
            }
        }
        parts.retain(|&part| part != TermId::TRUE);
        parts
    }
}

fn sum(terms: &[(usize, i64)], numbers: &[Rational]) -> Rational {
    let mut total = Rational::ZERO;
    for &(i, factor) in terms {
        total.add_mul(&Rational::from(factor), &numbers[i]);
    }
    total
}

//! Model-based projection.
//!
//! `exists x: F` is, in general, a large disjunction. Given a model of `F`, one
//! disjunct that the model satisfies is enough for a search that asks again
//! afterwards (Komuravelli, Gurfinkel and Chaki, *SMT-based model checking for
//! recursive programs*, CAV 2014). Two steps:
//!
//! - [`implicant`]: literals that hold in the model and imply the formula;
//!   conditionals are decided as the model decides them;
//! - [`project`]: the variables are eliminated from the literals one by one. Equalities
//!   are solved; truth values are substituted; arrays lose their writes by what the model says
//!   about indices, and then their reads become numbers (`arrays`);
//!   reals are eliminated after Loos and Weispfenning, integers after Cooper,
//!   with `div` and `mod` by numbers as congruences (`arithmetic`). What none
//!   of these can eliminate is replaced by its value, which is sound but as
//!   weak as can be.
//!
//! The result always implies `exists x: F` and holds in the model.

mod arithmetic;
mod arrays;

use bolide_base::{HashMap, HashSet};
use bolide_terms::{Evaluator, Model, Op, TermId, TermStore, evaluate};

/// Literals that hold in the model and together imply the formulas, which hold too.
pub fn implicant(store: &mut TermStore, model: &Model, formulas: &[TermId]) -> Vec<TermId> {
    let mut literals: Vec<TermId> = Vec::new();
    let mut seen: HashSet<(TermId, bool)> = HashSet::default();
    let mut work: Vec<(TermId, bool)> = formulas.iter().rev().map(|&f| (f, true)).collect();
    // Atoms to be negated, and those with conditionals inside to be rewritten and looked at
    // again.
    let mut conditional: Vec<(TermId, bool)> = Vec::new();
    loop {
        let mut evaluator = Evaluator::new(store, model);
        while let Some((term, positive)) = work.pop() {
            if !seen.insert((term, positive)) {
                continue;
            }
            let op = store.op(term);
            match op {
                Op::True | Op::False => {}
                Op::Not => work.push((store.arg(term, 0), !positive)),
                Op::And | Op::Or if (op == Op::And) == positive => {
                    work.extend(store.args(term).iter().rev().map(|&arg| (arg, positive)));
                }
                Op::And | Op::Or => {
                    let args = store.args(term);
                    // Heuristic: what is claimed already costs nothing.
                    let chosen =
                        args.iter().copied().find(|&arg| seen.contains(&(arg, positive))).or_else(
                            || args.iter().copied().find(|&arg| evaluator.holds(arg) == positive),
                        );
                    if let Some(arg) = chosen {
                        work.push((arg, positive));
                    }
                }
                Op::Eq if store.is_bool(store.arg(term, 0)) => {
                    for &arg in store.args(term) {
                        work.push((arg, evaluator.holds(arg)));
                    }
                }
                Op::Ite => {
                    let condition = store.arg(term, 0);
                    let holds = evaluator.holds(condition);
                    work.push((store.arg(term, if holds { 1 } else { 2 }), positive));
                    work.push((condition, holds));
                }
                _ if positive && outermost_conditionals(store, term).is_empty() => {
                    literals.push(term);
                }
                _ => conditional.push((term, positive)),
            }
        }
        if conditional.is_empty() {
            break;
        }
        for (atom, positive) in std::mem::take(&mut conditional) {
            let found = outermost_conditionals(store, atom);
            if found.is_empty() {
                literals.push(store.mk_not(atom));
                continue;
            }
            let mut map = HashMap::default();
            let mut evaluator = Evaluator::new(store, model);
            for term in found {
                let condition = store.arg(term, 0);
                let holds = evaluator.holds(condition);
                map.insert(term, store.arg(term, if holds { 1 } else { 2 }));
                work.push((condition, holds));
            }
            let atom = store.substitute(atom, &map);
            work.push((atom, positive));
        }
    }
    literals.sort_unstable();
    literals.dedup();
    literals
}

/// The conditional terms of an atom that stand in no other conditional.
fn outermost_conditionals(store: &TermStore, atom: TermId) -> Vec<TermId> {
    let mut seen: HashSet<TermId> = HashSet::default();
    let mut work = vec![atom];
    let mut found = Vec::new();
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        if store.op(term) == Op::Ite {
            found.push(term);
        } else {
            work.extend_from_slice(store.args(term));
        }
    }
    found.sort_unstable();
    found
}

/// Literals without the variables that hold in the model and imply that some
/// values of the variables satisfy the given literals.
pub fn project(
    store: &mut TermStore,
    model: &Model,
    literals: &[TermId],
    variables: &[TermId],
) -> Vec<TermId> {
    let mut state = Projection {
        literals: literals.to_vec(),
        variables: variables.iter().copied().collect(),
        model: model.clone(),
    };
    state.solve(store);
    state.truth_values(store);
    state.arrays(store);
    state.solve(store);
    state.arithmetic(store);
    state.values(store);
    let mut result = state.literals;
    result.retain(|&literal| literal != TermId::TRUE);
    result.sort_unstable();
    result.dedup();
    debug_assert!({
        let mut evaluator = Evaluator::new(store, model);
        result.iter().all(|&literal| evaluator.holds(literal))
    });
    result
}

/// A projection under way.
struct Projection {
    literals: Vec<TermId>,
    /// To be eliminated.
    variables: HashSet<TermId>,
    /// Holds; extended by values for constants that the projection introduces.
    model: Model,
}

impl Projection {
    fn mentions(&self, store: &TermStore, term: TermId) -> bool {
        let symbols = store.symbols(term);
        self.variables.iter().any(|&v| {
            let function = store.function_of(v).expect("a variable is a constant");
            symbols.binary_search(&function).is_ok()
        })
    }

    /// The variables that still occur, in the order of ids.
    fn occurring(&self, store: &TermStore) -> Vec<TermId> {
        let terms = store.subterms(&self.literals);
        terms.into_iter().filter(|t| self.variables.contains(t)).collect()
    }

    fn substitute(&mut self, store: &mut TermStore, map: &HashMap<TermId, TermId>) {
        if map.is_empty() {
            return;
        }
        let mut result = Vec::with_capacity(self.literals.len());
        for &literal in &self.literals {
            let literal = store.substitute(literal, map);
            flatten(store, literal, &mut result);
        }
        result.sort_unstable();
        result.dedup();
        self.literals = result;
    }

    /// Replaces variables that equal a term.
    fn solve(&mut self, store: &mut TermStore) {
        loop {
            let found = self.literals.clone().into_iter().find_map(|literal| {
                store.solved(literal, |variable| self.variables.contains(&variable))
            });
            let Some((variable, value)) = found else { return };
            self.replace(store, variable, value);
        }
    }

    /// Replaces one term.
    fn replace(&mut self, store: &mut TermStore, old: TermId, new: TermId) {
        self.substitute(store, &HashMap::from_iter([(old, new)]));
    }

    fn truth_values(&mut self, store: &mut TermStore) {
        self.fix(store, |store, variable| store.is_bool(variable));
    }

    /// Replaces what is left by values.
    fn values(&mut self, store: &mut TermStore) {
        self.fix(store, |_, _| true);
    }

    /// Replaces variables by their values.
    fn fix(&mut self, store: &mut TermStore, chosen: impl Fn(&TermStore, TermId) -> bool) {
        let mut variables = self.occurring(store);
        variables.retain(|&variable| chosen(store, variable));
        self.fix_all(store, &variables);
    }

    fn fix_all(&mut self, store: &mut TermStore, variables: &[TermId]) {
        let mut map = HashMap::default();
        for &variable in variables {
            if let Ok(value) = evaluate(store, &self.model, variable) {
                map.insert(variable, store.mk_value(&value));
            }
        }
        self.substitute(store, &map);
    }
}

/// The literals of a term that is a literal or a conjunction, after a substitution.
fn flatten(store: &TermStore, term: TermId, into: &mut Vec<TermId>) {
    match store.op(term) {
        Op::And => {
            for &arg in store.args(term) {
                flatten(store, arg, into);
            }
        }
        Op::True => {}
        _ => into.push(term),
    }
}

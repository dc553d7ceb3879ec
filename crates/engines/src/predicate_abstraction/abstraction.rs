//! Predicate abstraction: the strongest combination of predicates that a
//! formula implies.
//!
//! Boolean abstraction enumerates the valuations of the predicates in models of
//! the formula, blocking each once it was seen (Lahiri, Nieuwenhuis, Oliveras,
//! CAV 2006). Two things keep it small. Conjuncts and predicates without common
//! symbols cannot influence each other, so each connected component is done by
//! itself and the result is their conjunction. And an enumeration that exceeds
//! a limit becomes Cartesian: only literals that hold in all models are
//! kept. What is returned is always implied by the formula; what the solver
//! cannot decide makes it weaker, never wrong.

use bolide_base::arena::Id;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_reachability::verdict::Reason;
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{FunctionId, Op, TermId, TermStore};

/// A predicate as it is called, and what it says of the state in question.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Over state constants; the result is made of these.
    pub predicate: TermId,
    /// Over the constants of the formula.
    pub said: TermId,
}

/// What the abstraction of a formula cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Calls of the solver.
    pub checks: u64,
    /// Enumerations that became Cartesian.
    pub given_up: u64,
}

/// The strongest combination of predicates that `formula` implies: `false` when
/// it has no model. `limit` bounds the valuations of one component; 0 asks for
/// Cartesian abstraction.
pub fn abstraction(
    store: &mut TermStore,
    formula: TermId,
    questions: &[Question],
    limit: usize,
    budget: &Budget,
    effort: &mut Effort,
) -> Result<TermId, Reason> {
    let mut parts = Vec::new();
    for component in components(store, formula, questions) {
        budget.poll()?;
        let part = one_component(store, &component, limit, budget, effort)?;
        if part == TermId::FALSE {
            return Ok(part);
        }
        parts.push(part);
    }
    Ok(store.mk_and(&parts))
}

struct Component {
    conjuncts: Vec<TermId>,
    questions: Vec<Question>,
}

fn one_component(
    store: &mut TermStore,
    component: &Component,
    limit: usize,
    budget: &Budget,
    effort: &mut Effort,
) -> Result<TermId, Reason> {
    let questions = &component.questions;
    let mut solver = Solver::new(Config::default());
    for &conjunct in &component.conjuncts {
        solver.assert(store, conjunct, 0);
    }
    let mut seen: Vec<Vec<bool>> = Vec::new();
    let complete = loop {
        effort.checks += 1;
        match solver.check(store, &[], budget) {
            Answer::Unsat => break true,
            Answer::Unknown(_) => {
                budget.poll()?;
                break false;
            }
            Answer::Sat => {}
        }
        let model = solver.take_model().expect("a satisfiable check has a model");
        let mut evaluator = Evaluator::new(store, &model);
        let valuation: Vec<bool> = questions.iter().map(|q| evaluator.holds(q.said)).collect();
        if questions.is_empty() {
            return Ok(TermId::TRUE);
        }
        if seen.len() >= limit || seen.contains(&valuation) {
            seen.push(valuation);
            break false;
        }
        let differs: Vec<TermId> =
            questions.iter().zip(&valuation).map(|(q, &v)| literal(store, q.said, !v)).collect();
        let clause = store.mk_or(&differs);
        seen.push(valuation);
        solver.assert(store, clause, 0);
    };
    if complete {
        let predicates: Vec<TermId> = questions.iter().map(|q| q.predicate).collect();
        return Ok(disjunction(store, &predicates, seen));
    }
    effort.given_up += 1;
    cartesian(store, &mut solver, questions, &seen, budget, effort)
}

/// The literals that hold in all models. Those that hold in all models seen
/// are candidates; as long as some model violates one of them, what it
/// violates is dropped.
fn cartesian(
    store: &mut TermStore,
    solver: &mut Solver,
    questions: &[Question],
    seen: &[Vec<bool>],
    budget: &Budget,
    effort: &mut Effort,
) -> Result<TermId, Reason> {
    // What the solver knows by now excludes valuations that were seen. The
    // candidates hold in these.
    let Some(first) = seen.first() else { return Ok(TermId::TRUE) };
    let mut candidates: Vec<(Question, bool)> = questions
        .iter()
        .enumerate()
        .filter(|(i, _)| seen.iter().all(|v| v[*i] == first[*i]))
        .map(|(i, &question)| (question, first[i]))
        .collect();
    while !candidates.is_empty() {
        budget.poll()?;
        let violations: Vec<TermId> =
            candidates.iter().map(|(q, value)| literal(store, q.said, !value)).collect();
        let some = store.mk_or(&violations);
        effort.checks += 1;
        solver.push(store);
        solver.assert(store, some, 0);
        let answer = solver.check(store, &[], budget);
        let model = solver.take_model();
        solver.pop(store, 1);
        let before = candidates.len();
        match (answer, model) {
            (Answer::Unsat, _) => break,
            (Answer::Sat, Some(model)) => {
                let mut evaluator = Evaluator::new(store, &model);
                candidates.retain(|(q, value)| evaluator.holds(q.said) == *value);
            }
            _ => {}
        }
        if candidates.len() == before {
            // Undecided, or the model does not show what it violates.
            return one_by_one(store, solver, &candidates, budget, effort);
        }
    }
    let kept: Vec<TermId> =
        candidates.iter().map(|(q, value)| literal(store, q.predicate, *value)).collect();
    Ok(store.mk_and(&kept))
}

/// Of the candidates, those that the solver can prove.
fn one_by_one(
    store: &mut TermStore,
    solver: &mut Solver,
    candidates: &[(Question, bool)],
    budget: &Budget,
    effort: &mut Effort,
) -> Result<TermId, Reason> {
    let mut kept = Vec::new();
    for &(question, value) in candidates {
        budget.poll()?;
        let negated = literal(store, question.said, !value);
        effort.checks += 1;
        if solver.check(store, &[negated], budget) == Answer::Unsat {
            kept.push(literal(store, question.predicate, value));
        }
    }
    Ok(store.mk_and(&kept))
}

fn literal(store: &mut TermStore, atom: TermId, value: bool) -> TermId {
    if value { atom } else { store.mk_not(atom) }
}

/// Valuations as a formula: what they agree on, and a disjunction of merged
/// cubes over the rest.
fn disjunction(store: &mut TermStore, predicates: &[TermId], seen: Vec<Vec<bool>>) -> TermId {
    let Some(first) = seen.first() else { return TermId::FALSE };
    let fixed: Vec<bool> =
        (0..predicates.len()).map(|i| seen.iter().all(|v| v[i] == first[i])).collect();
    let mut conjuncts = Vec::new();
    for (i, &predicate) in predicates.iter().enumerate() {
        if fixed[i] {
            conjuncts.push(literal(store, predicate, first[i]));
        }
    }
    let mut cubes = Vec::new();
    for cube in merge(seen) {
        let literals: Vec<TermId> = (0..predicates.len())
            .filter(|&i| !fixed[i])
            .filter_map(|i| cube[i].map(|v| literal(store, predicates[i], v)))
            .collect();
        cubes.push(store.mk_and(&literals));
    }
    conjuncts.push(store.mk_or(&cubes));
    store.mk_and(&conjuncts)
}

type Cube = Vec<Option<bool>>;

/// Merges cubes that differ in one predicate only, until none do.
fn merge(seen: Vec<Vec<bool>>) -> Vec<Cube> {
    let mut cubes: Vec<Cube> =
        seen.into_iter().map(|v| v.into_iter().map(Some).collect()).collect();
    cubes.sort();
    cubes.dedup();
    loop {
        let mut merged: Vec<Cube> = Vec::new();
        let mut used = vec![false; cubes.len()];
        let index: HashMap<Cube, usize> =
            cubes.iter().cloned().enumerate().map(|(i, c)| (c, i)).collect();
        for i in 0..cubes.len() {
            for k in 0..cubes[i].len() {
                if used[i] {
                    break;
                }
                let Some(value) = cubes[i][k] else { continue };
                let mut partner = cubes[i].clone();
                partner[k] = Some(!value);
                if let Some(&j) = index.get(&partner)
                    && !used[j]
                {
                    used[i] = true;
                    used[j] = true;
                    partner[k] = None;
                    merged.push(partner);
                }
            }
        }
        if merged.is_empty() {
            return cubes;
        }
        merged.extend(cubes.iter().zip(&used).filter(|(_, u)| !**u).map(|(c, _)| c.clone()));
        merged.sort();
        merged.dedup();
        cubes = merged;
    }
}

/// Splits conjuncts and predicates into groups without common symbols.
fn components(store: &TermStore, formula: TermId, questions: &[Question]) -> Vec<Component> {
    let mut conjuncts = Vec::new();
    let mut work = vec![formula];
    let mut listed = HashSet::default();
    while let Some(part) = work.pop() {
        match store.op(part) {
            Op::And => work.extend(store.args(part).iter().rev()),
            Op::True => {}
            _ if listed.insert(part) => conjuncts.push(part),
            _ => {}
        }
    }
    let all: Vec<TermId> =
        conjuncts.iter().copied().chain(questions.iter().map(|q| q.said)).collect();
    let mut parent: Vec<usize> = (0..all.len()).collect();
    let mut owner: HashMap<FunctionId, usize> = HashMap::default();
    for (i, &term) in all.iter().enumerate() {
        for &symbol in store.symbols(term).iter() {
            let other = *owner.entry(symbol).or_insert(i);
            let (a, b) = (find(&mut parent, i), find(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Component> = Vec::new();
    let mut group_of: HashMap<usize, usize> = HashMap::default();
    for i in 0..all.len() {
        let root = find(&mut parent, i);
        let group = *group_of.entry(root).or_insert_with(|| {
            groups.push(Component { conjuncts: Vec::new(), questions: Vec::new() });
            groups.len() - 1
        });
        match i.checked_sub(conjuncts.len()) {
            None => groups[group].conjuncts.push(conjuncts[i]),
            Some(q) => groups[group].questions.push(questions[q]),
        }
    }
    // Heuristic: contradictions are cheapest to find where nothing is enumerated.
    groups.sort_by_key(|g| (g.questions.len(), g.conjuncts.first().map_or(0, |c| c.index())));
    groups
}

fn find(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::SortId;

    fn check(limit: usize) -> String {
        let mut store = TermStore::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| store.mk_const(n, SortId::INT));
        let [zero, one] = [0, 1].map(|n| store.mk_int(n));
        let same = store.mk_eq(x, y);
        let positive = store.mk_ge(z, one);
        let bounds = [store.mk_ge(x, zero), store.mk_le(x, one)];
        let formula = store.mk_and(&[same, positive, bounds[0], bounds[1]]);
        let predicates = [
            store.mk_eq(x, zero),
            store.mk_eq(y, zero),
            store.mk_ge(z, zero),
            store.mk_eq(z, zero),
        ];
        let questions = predicates.map(|predicate| Question { predicate, said: predicate });
        let mut effort = Effort::default();
        let budget = Budget::unlimited();
        let result = abstraction(&mut store, formula, &questions, limit, &budget, &mut effort);
        store.infix(result.unwrap())
    }

    #[test]
    fn boolean_abstraction_keeps_what_belongs_together() {
        let expected =
            expect_test::expect!["z >= 0 and (x != 0 and y != 0 or x = 0 and y = 0) and z != 0"];
        expected.assert_eq(&check(100));
    }

    #[test]
    fn cartesian_abstraction_keeps_single_literals() {
        expect_test::expect!["z >= 0 and z != 0"].assert_eq(&check(0));
    }
}

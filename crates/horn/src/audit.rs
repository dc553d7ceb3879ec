//! The audit: no answer leaves without having been checked.
//!
//! An interpretation is checked clause by clause: constraint, body and negated
//! head must contradict each other, by a fresh solver whose proof the
//! independent checker accepts. A derivation is replayed step by step: the
//! values must satisfy the constraint of the clause by evaluation, and the
//! arguments of each body atom must be those that its premise derived. No
//! solver is involved in that.

use crate::system::{Clause, Derivation, Interpretation, System};
use bolide_base::{Budget, NoAnswer};
use bolide_smt::discharge::discharge;
use bolide_terms::{Evaluator, Model, Op, TermId, TermStore, Value};

/// Checks that the interpretation makes all clauses true. Returns how many
/// obligations were discharged, or why one was not.
pub fn interpretation(
    store: &mut TermStore,
    system: &System,
    interpretation: &Interpretation,
    budget: &Budget,
) -> Result<usize, NoAnswer> {
    for (id, relation) in system.relations.iter() {
        // Required: a formula about anything else would not define a relation.
        let formula = interpretation.get(id);
        if store.constants(formula).iter().any(|c| !relation.parameters.contains(c)) {
            let why = format!("what is said of {} mentions something else", relation.name);
            return Err(NoAnswer::NotCertified(why));
        }
    }
    for (number, clause) in system.clauses.iter().enumerate() {
        let mut conjuncts = system.premises(store, interpretation, clause);
        if let Some(head) = &clause.head {
            let head = system.instance(store, interpretation, head);
            conjuncts.push(store.mk_not(head));
        }
        discharge(store, &conjuncts, budget, || format!("clause {number}"))?;
    }
    Ok(system.clauses.len())
}

/// Replays the derivation. Returns how many steps it has, or why one is none.
pub fn derivation(
    store: &TermStore,
    system: &System,
    derivation: &Derivation,
) -> Result<usize, NoAnswer> {
    replay(store, system, derivation).map_err(NoAnswer::NotReplayed)?;
    Ok(derivation.steps.len())
}

fn replay(store: &TermStore, system: &System, derivation: &Derivation) -> Result<(), String> {
    // The arguments that each step derives.
    let mut facts: Vec<Option<Vec<Value>>> = Vec::with_capacity(derivation.steps.len());
    for (number, step) in derivation.steps.iter().enumerate() {
        let clause =
            system.clauses.get(step.clause).ok_or(format!("step {number} is of no clause"))?;
        let model = Model::of(store, &step.values).ok_or("a value of no variable")?;
        let mut evaluator = Evaluator::new(store, &model);
        if !evaluator.holds(clause.constraint) {
            return Err(format!("step {number}: the constraint of its clause does not hold"));
        }
        if divides_by_zero(store, &mut evaluator, clause) {
            return Err(format!("step {number}: its meaning depends on a division by zero"));
        }
        if step.premises.len() != clause.body.len() {
            return Err(format!("step {number}: not as many premises as body atoms"));
        }
        for (atom, &premise) in clause.body.iter().zip(&step.premises) {
            if premise >= number {
                return Err(format!("step {number}: a premise comes later"));
            }
            let by = &system.clauses[derivation.steps[premise].clause];
            if by.defines() != Some(atom.relation) {
                return Err(format!("step {number}: a premise is of another relation"));
            }
            let derived = facts[premise].as_ref().ok_or("a premise without a head")?;
            let used = values(&mut evaluator, &atom.arguments)?;
            if *derived != used {
                return Err(format!("step {number}: a premise has other arguments"));
            }
        }
        facts.push(match &clause.head {
            Some(head) => Some(values(&mut evaluator, &head.arguments)?),
            None => None,
        });
    }
    let last = derivation.steps.last().ok_or("the derivation is empty")?;
    if system.clauses[last.clause].head.is_some() {
        return Err("the derivation does not end in a query".to_owned());
    }
    Ok(())
}

/// Whether some division of the clause has the divisor zero: its value is then
/// anybody's choice, and a derivation must not choose.
fn divides_by_zero(store: &TermStore, evaluator: &mut Evaluator<'_>, clause: &Clause) -> bool {
    clause.subterms(store).into_iter().any(|term| {
        matches!(store.op(term), Op::Div | Op::Mod | Op::Quotient)
            && evaluator
                .value(store.arg(term, 1))
                .ok()
                .and_then(|value| value.as_rational())
                .is_none_or(|divisor| divisor.is_zero())
    })
}

fn values(evaluator: &mut Evaluator<'_>, terms: &[TermId]) -> Result<Vec<Value>, String> {
    terms.iter().map(|&t| evaluator.value(t).map_err(|e| format!("{e:?}"))).collect()
}

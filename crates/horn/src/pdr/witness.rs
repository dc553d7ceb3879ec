//! From facts to a derivation.
//!
//! A fact is a cube all of whose states are derivable by its clause from its
//! premises. So values are chosen from the query downward: a model of the
//! clause with its head fixed and its premises in their facts gives values to
//! the premises, and so on. Each question is about one clause.

use super::frames::Pdr;
use crate::system::{Derivation, Step};
use bolide_base::{HashMap, NoAnswer};
use bolide_smt::discharge::model_of;
use bolide_terms::{Evaluator, TermId, Value};

type Goal = (usize, Vec<Value>);

struct Open {
    goal: Goal,
    step: Step,
    premises: Vec<Goal>,
}

impl Pdr<'_> {
    /// The derivation that ends in the fact of a query; none if a projection was wrong.
    pub(super) fn derivation(&mut self, query: usize) -> Result<Option<Derivation>, NoAnswer> {
        let mut derivation = Derivation::default();
        let mut done: HashMap<Goal, usize> = HashMap::default();
        let mut stack: Vec<Open> = Vec::new();
        let Some(root) = self.choose((query, Vec::new()))? else { return Ok(None) };
        stack.push(root);
        while let Some(top) = stack.last() {
            self.budget.poll()?;
            if let Some(next) = top.premises.iter().find(|goal| !done.contains_key(*goal)) {
                let next = next.clone();
                let Some(open) = self.choose(next)? else { return Ok(None) };
                stack.push(open);
                continue;
            }
            let top = stack.pop().expect("just seen");
            let premises = top.premises.iter().map(|goal| done[goal]).collect();
            done.insert(top.goal.clone(), derivation.steps.len());
            derivation.steps.push(Step { premises, ..top.step });
        }
        Ok(Some(derivation))
    }

    /// Values for the clause of a fact whose head has the given arguments.
    fn choose(&mut self, goal: Goal) -> Result<Option<Open>, NoAnswer> {
        let fact = self.facts[goal.0].clone();
        let clause = &self.system.clauses[fact.clause];
        let mut formulas = vec![clause.constraint];
        if let Some(head) = &clause.head {
            let values: Vec<TermId> = goal.1.iter().map(|v| self.store.mk_value(v)).collect();
            formulas.extend(self.store.mk_eqs(&head.arguments, &values));
        }
        for (position, &premise) in fact.premises.iter().enumerate() {
            formulas.push(self.fact_instance(fact.clause, position, premise));
        }
        let Some(model) = model_of(self.store, &formulas, self.budget)? else { return Ok(None) };
        let mut evaluator = Evaluator::new(self.store, &model);
        let step = clause.step(fact.clause, self.store, |v| v, &mut evaluator, Vec::new())?;
        let mut value =
            |term: TermId| evaluator.value(term).map_err(|why| NoAnswer::solver(why.to_string()));
        let mut premises = Vec::new();
        for (atom, &premise) in clause.body.iter().zip(&fact.premises) {
            let arguments =
                atom.arguments.iter().map(|&t| value(t)).collect::<Result<Vec<_>, NoAnswer>>()?;
            premises.push((premise, arguments));
        }
        Ok(Some(Open { goal, step, premises }))
    }
}

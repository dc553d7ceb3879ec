//! From facts to a derivation.
//!
//! A fact is a cube all of whose states are derivable by its clause from its
//! premises. So values are chosen from the query downward: a model of the
//! clause with its head fixed and its premises in their facts gives values to
//! the premises, and so on. Each question is about one clause.

use super::Pdr;
use crate::system::{Derivation, Step};
use bolide_base::{HashMap, NoAnswer};
use bolide_smt::solver::{Answer, Solver};
use bolide_terms::{Evaluator, TermId, Value};

type Goal = (usize, Vec<Value>);

struct Open {
    goal: Goal,
    values: Vec<(TermId, Value)>,
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
            let clause = self.facts[top.goal.0].clause;
            derivation.steps.push(Step { clause, values: top.values, premises });
        }
        Ok(Some(derivation))
    }

    /// Values for the clause of a fact whose head has the given arguments.
    fn choose(&mut self, goal: Goal) -> Result<Option<Open>, NoAnswer> {
        let fact = self.facts[goal.0].clone();
        let clause = &self.system.clauses[fact.clause];
        let mut solver = Solver::default();
        solver.assert(self.store, clause.constraint, 0);
        if let Some(head) = &clause.head {
            for (&argument, value) in head.arguments.iter().zip(&goal.1) {
                let value = self.store.mk_value(value);
                let equal = self.store.mk_eq(argument, value);
                solver.assert(self.store, equal, 0);
            }
        }
        for (position, &premise) in fact.premises.iter().enumerate() {
            let instance = self.fact_instance(fact.clause, position, premise);
            solver.assert(self.store, instance, 0);
        }
        match solver.check(self.store, &[], self.budget) {
            Answer::Sat => {}
            Answer::Unsat => return Ok(None),
            Answer::Unknown(why) => return Err(why),
        }
        let model = solver.take_model().expect("a satisfiable check has a model");
        let mut evaluator = Evaluator::new(self.store, &model);
        let mut value =
            |term: TermId| evaluator.value(term).map_err(|why| NoAnswer::solver(why.to_string()));
        let mut values = Vec::new();
        for variable in clause.variables(self.store) {
            values.push((variable, value(variable)?));
        }
        let mut premises = Vec::new();
        for (atom, &premise) in clause.body.iter().zip(&fact.premises) {
            let arguments =
                atom.arguments.iter().map(|&t| value(t)).collect::<Result<Vec<_>, NoAnswer>>()?;
            premises.push((premise, arguments));
        }
        Ok(Some(Open { goal, values, premises }))
    }
}

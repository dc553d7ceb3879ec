//! Systems of clauses and answers about them, in the terms of another store: engines that work side by
//! side have one each.

use crate::system::{
    Atom, Clause, Derivation, Interpretation, Relation, Step, System, Verdict as Answer,
};
use bolide_terms::translate::{self, translate_sort};
use bolide_terms::{Evaluator, Model, SortId, TermId, TermStore, Value};

/// From one store to another; remembers what it has translated.
#[derive(Default)]
pub(crate) struct Translation {
    terms: translate::Translation,
}

impl Translation {
    pub(crate) fn term(&mut self, from: &TermStore, to: &mut TermStore, root: TermId) -> TermId {
        self.terms.term(from, to, root)
    }

    fn atom(&mut self, from: &TermStore, to: &mut TermStore, atom: &Atom) -> Atom {
        let arguments = atom.arguments.iter().map(|&t| self.term(from, to, t)).collect();
        Atom { relation: atom.relation, arguments }
    }

    /// The system with the same relations and clauses, by number.
    pub(crate) fn system(
        &mut self,
        from: &TermStore,
        to: &mut TermStore,
        system: &System,
    ) -> System {
        let mut result = System::new();
        for (_, relation) in system.relations.iter() {
            let function = from.function(relation.function);
            let sorts: Vec<SortId> =
                function.arguments.iter().map(|&s| translate_sort(from, to, s)).collect();
            let function = to.declare_fn(from.name(function.name), &sorts, SortId::BOOL);
            let parameters = relation.parameters.iter().map(|&t| self.term(from, to, t)).collect();
            let name = relation.name.clone();
            result.relations.push(Relation { name, function, parameters });
        }
        for clause in &system.clauses {
            let body = clause.body.iter().map(|atom| self.atom(from, to, atom)).collect();
            let head = clause.head.as_ref().map(|atom| self.atom(from, to, atom));
            let constraint = self.term(from, to, clause.constraint);
            result.clauses.push(Clause { head, body, constraint, line: clause.line });
        }
        result
    }

    /// An answer about the system in the words of the other store. None if a value has no term.
    pub(crate) fn answer(
        &mut self,
        from: &mut TermStore,
        to: &mut TermStore,
        system: &System,
        answer: Answer,
    ) -> Option<Answer> {
        Some(match answer {
            Answer::Sat(found) => {
                let mut result = Interpretation::new();
                for relation in system.relations.ids() {
                    result.set(relation, self.term(from, to, found.get(relation)));
                }
                Answer::Sat(result)
            }
            Answer::Unsat(found) => {
                let mut result = Derivation::default();
                for step in found.steps {
                    let mut values = Vec::new();
                    for (variable, value) in step.values {
                        let value = self.value(from, to, value)?;
                        values.push((self.term(from, to, variable), value));
                    }
                    values.sort_by_key(|(variable, _)| *variable);
                    result.steps.push(Step { values, ..step });
                }
                Answer::Unsat(result)
            }
            Answer::Unknown(why) => Answer::Unknown(why),
        })
    }

    fn value(&mut self, from: &mut TermStore, to: &mut TermStore, value: Value) -> Option<Value> {
        match value {
            Value::Array(_) | Value::Element { .. } => {
                let term = from.mk_value(&value);
                let term = self.term(from, to, term);
                Evaluator::new(to, &Model::new()).value(term).ok()
            }
            // Numbers and truth values belong to no store.
            plain => Some(plain),
        }
    }
}

//! Systems of clauses and answers about them, in the terms of another store: engines that work side by
//! side have one each.

use crate::system::{
    Atom, Clause, Derivation, Interpretation, Relation, Step, System, Verdict as Answer,
};
use bolide_terms::translate::{Translation, translate_sort};
use bolide_terms::{Evaluator, Model, SortId, TermId, TermStore, Value};

/// The system with the same relations and clauses, by number.
pub(crate) fn system(from: &TermStore, to: &mut TermStore, system: &System) -> System {
    let mut terms = Translation::default();
    let mut all = |to: &mut TermStore, list: &[TermId]| -> Vec<TermId> {
        list.iter().map(|&t| terms.term(from, to, t)).collect()
    };
    let mut result = System::new();
    for (_, relation) in system.relations.iter() {
        let function = from.function(relation.function);
        let sorts: Vec<SortId> =
            function.arguments.iter().map(|&s| translate_sort(from, to, s)).collect();
        let function = to.declare_fn(from.name(function.name), &sorts, SortId::BOOL);
        let parameters = all(to, &relation.parameters);
        let (name, kept) = (relation.name.clone(), relation.kept);
        result.relations.push(Relation { name, function, parameters, kept });
    }
    for clause in &system.clauses {
        let mut atom =
            |atom: &Atom| Atom { relation: atom.relation, arguments: all(to, &atom.arguments) };
        let body = clause.body.iter().map(&mut atom).collect();
        let head = clause.head.as_ref().map(atom);
        let constraint = all(to, &[clause.constraint])[0];
        result.clauses.push(Clause { head, body, constraint, line: clause.line });
    }
    result
}

/// An answer about the system in the words of the other store. None if a value has no term.
pub(crate) fn answer(
    from: &mut TermStore,
    to: &mut TermStore,
    system: &System,
    answer: Answer,
) -> Option<Answer> {
    let mut terms = Translation::default();
    Some(match answer {
        Answer::Sat(found) => {
            let mut result = Interpretation::new();
            for relation in system.relations.ids() {
                result.set(relation, terms.term(from, to, found.get(relation)));
            }
            Answer::Sat(result)
        }
        Answer::Unsat(found) => {
            let mut result = Derivation::default();
            for step in found.steps {
                let mut values = Vec::new();
                for (variable, value) in step.values {
                    let value = match value {
                        Value::Array(_) | Value::Element { .. } => {
                            let term = from.mk_value(&value);
                            let term = terms.term(from, to, term);
                            Evaluator::new(to, &Model::new()).value(term).ok()?
                        }
                        // Numbers and truth values belong to no store.
                        plain => plain,
                    };
                    values.push((terms.term(from, to, variable), value));
                }
                values.sort_by_key(|(variable, _)| *variable);
                result.steps.push(Step { values, ..step });
            }
            Answer::Unsat(result)
        }
        Answer::Unknown(why) => Answer::Unknown(why),
    })
}

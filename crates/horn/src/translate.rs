//! Terms of one store as terms of another.
//!
//! A store belongs to one thread, so engines that work side by side have one
//! each. Constants and functions keep their names and sorts, which makes them the same
//! ones wherever a term goes; everything else is rebuilt bottom-up by the
//! constructors of the other store.

use crate::system::{
    Atom, Clause, Derivation, Interpretation, Relation, Step, System, Verdict as Answer,
};
use bolide_base::HashMap;
use bolide_terms::{Evaluator, Model, Op, Sort, SortId, TermId, TermStore, Value};

/// From one store to another; remembers what it has translated.
#[derive(Default)]
pub(crate) struct Translation {
    terms: HashMap<TermId, TermId>,
}

impl Translation {
    pub(crate) fn term(&mut self, from: &TermStore, to: &mut TermStore, root: TermId) -> TermId {
        if let Some(&known) = self.terms.get(&root) {
            return known;
        }
        for term in from.subterms(&[root]) {
            if self.terms.contains_key(&term) {
                continue;
            }
            let sort = sort(from, to, from.sort(term));
            let arguments: Vec<TermId> = from.args(term).iter().map(|a| self.terms[a]).collect();
            let result = match from.op(term) {
                Op::Number(number) => to.mk_number(from.number_value(number).clone(), sort),
                Op::BvNumber(_) => {
                    let number = from.bv_number(term).expect("a bit-vector");
                    to.mk_bv(number, from.width(term))
                }
                Op::Apply(function) => {
                    let function = from.function(function);
                    let arguments_sorts: Vec<SortId> =
                        function.arguments.iter().map(|&s| self::sort(from, to, s)).collect();
                    let name = from.name(function.name);
                    let function = to.declare_fn(name, &arguments_sorts, sort);
                    to.mk_app(function, &arguments)
                }
                op => to.rebuild(op, sort, &arguments),
            };
            self.terms.insert(term, result);
        }
        self.terms[&root]
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
                function.arguments.iter().map(|&s| sort(from, to, s)).collect();
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

fn sort(from: &TermStore, to: &mut TermStore, id: SortId) -> SortId {
    match from.sort_kind(id) {
        Sort::Array(index, element) => {
            let (index, element) = (sort(from, to, index), sort(from, to, element));
            to.mk_array_sort(index, element)
        }
        Sort::Uninterpreted(name) => to.mk_uninterpreted_sort(from.name(name)),
        kind => to.mk_sort(kind),
    }
}

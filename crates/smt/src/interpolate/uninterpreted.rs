//! Arrays as elements of sorts without meaning, and back.
//!
//! Each sort of arrays becomes an uninterpreted sort, and reading, writing, constant arrays and the
//! index at which two arrays differ become functions that nothing is known about. What is
//! unsatisfiable there is unsatisfiable with arrays, and what follows there follows with arrays;
//! whoever needs an axiom has to assert the instance. Functions and constants that have to do with
//! arrays get a namesake over the other sorts.

use bolide_base::HashMap;
use bolide_base::arena::Id;
use bolide_terms::{FunctionId, Op, SortId, TermId, TermStore};

/// A translation there and back.
#[derive(Default)]
pub(super) struct Uninterpreted {
    translated: HashMap<TermId, TermId>,
    /// What a function stands for, with the sort of its result.
    meanings: HashMap<FunctionId, (Op, SortId)>,
}

impl Uninterpreted {
    /// The term without arrays.
    pub fn translate(&mut self, store: &mut TermStore, term: TermId) -> TermId {
        if let Some(&known) = self.translated.get(&term) {
            return known;
        }
        for part in store.subterms(&[term]) {
            if self.translated.contains_key(&part) {
                continue;
            }
            let arguments: Vec<TermId> =
                store.args(part).iter().map(|argument| self.translated[argument]).collect();
            let (op, sort) = (store.op(part), store.sort(part));
            let value = match op {
                Op::Select => self.apply(store, "@select", op, sort, &arguments),
                Op::Store => self.apply(store, "@store", op, sort, &arguments),
                Op::ConstArray => self.apply(store, "@const", op, sort, &arguments),
                Op::Diff => self.apply(store, "@diff", op, sort, &arguments),
                Op::Apply(function)
                    if arguments != store.args(part) || plain(store, sort) != sort =>
                {
                    let name = store.function_name(function).to_owned();
                    self.apply(store, &name, op, sort, &arguments)
                }
                _ if arguments == store.args(part) => part,
                _ => store.rebuild(op, sort, &arguments),
            };
            self.translated.insert(part, value);
        }
        self.translated[&term]
    }

    /// The application of the function of that name that stands for the operator.
    fn apply(
        &mut self,
        store: &mut TermStore,
        name: &str,
        op: Op,
        sort: SortId,
        arguments: &[TermId],
    ) -> TermId {
        let sorts: Vec<SortId> = arguments.iter().map(|&argument| store.sort(argument)).collect();
        let result = plain(store, sort);
        let function = store.declare_fn(name, &sorts, result);
        self.meanings.insert(function, (op, sort));
        store.mk_app(function, arguments)
    }

    /// The term with arrays that a translated one stands for.
    pub fn restore(&self, store: &mut TermStore, term: TermId) -> TermId {
        store.rewrite(term, |store, part, arguments| match store.op(part) {
            Op::Apply(function) => {
                let &(op, sort) = self.meanings.get(&function)?;
                Some(store.rebuild(op, sort, arguments))
            }
            _ => None,
        })
    }
}

/// The sort without meaning that stands for a sort of arrays; other sorts stay.
fn plain(store: &mut TermStore, sort: SortId) -> SortId {
    match store.array_sorts(sort) {
        Some(_) => store.mk_uninterpreted_sort(&format!("@array{}", sort.index())),
        None => sort,
    }
}

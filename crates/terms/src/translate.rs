//! Terms of one store as terms of another.
//!
//! A store belongs to one thread and one purpose: engines that work side by side have one each, and
//! the audit of a proof has its own. Constants and functions keep their names and sorts, which
//! makes them the same ones wherever a term goes; everything else is rebuilt bottom-up by the
//! constructors of the other store.

use crate::{Op, Sort, SortId, TermId, TermStore};
use bolide_base::HashMap;

/// From one store to another; remembers what it has translated.
#[derive(Default)]
pub struct Translation {
    terms: HashMap<TermId, TermId>,
}

impl Translation {
    /// The term in the other store.
    pub fn term(&mut self, from: &TermStore, to: &mut TermStore, root: TermId) -> TermId {
        if let Some(&known) = self.terms.get(&root) {
            return known;
        }
        for term in from.subterms(&[root]) {
            if self.terms.contains_key(&term) {
                continue;
            }
            let sort = translate_sort(from, to, from.sort(term));
            let arguments: Vec<TermId> = from.args(term).iter().map(|a| self.terms[a]).collect();
            let result = match from.op(term) {
                Op::Number(number) => to.mk_number(from.number_value(number).clone(), sort),
                Op::BvNumber(_) => {
                    let number = from.bv_number(term).expect("a bit-vector");
                    to.mk_bv(number, from.width(term))
                }
                Op::Apply(function) => {
                    let function = from.function(function);
                    let sorts: Vec<SortId> =
                        function.arguments.iter().map(|&s| translate_sort(from, to, s)).collect();
                    let function = to.declare_fn(from.name(function.name), &sorts, sort);
                    to.mk_app(function, &arguments)
                }
                op => to.rebuild(op, sort, &arguments),
            };
            self.terms.insert(term, result);
        }
        self.terms[&root]
    }
}

/// The sort in the other store.
pub fn translate_sort(from: &TermStore, to: &mut TermStore, id: SortId) -> SortId {
    match from.sort_kind(id) {
        Sort::Array(index, element) => {
            let index = translate_sort(from, to, index);
            let element = translate_sort(from, to, element);
            to.mk_array_sort(index, element)
        }
        Sort::Uninterpreted(name) => to.mk_uninterpreted_sort(from.name(name)),
        kind => to.mk_sort(kind),
    }
}

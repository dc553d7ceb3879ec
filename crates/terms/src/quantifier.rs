//! Quantifiers as syntax.
//!
//! A bound variable is `Bound(i)` with its sort, and the quantifier lists its
//! bound variables as its first arguments. The index is larger than that of
//! any quantifier inside the body (Pouillard and Pottier's "canonical names by
//! binder height"). So no index has to be shifted when terms move, names that
//! the user chose do not matter, and a quantifier built from the same formula
//! twice is the same term. Alpha-equivalence is not decided in full: after a
//! substitution that brings in quantifiers the indices may be larger than
//! needed.

use crate::{Op, SortId, TermId, TermStore};
use bolide_base::{HashMap, HashSet};

impl TermStore {
    /// The largest index bound by a quantifier in the term; zero without
    /// quantifiers.
    pub fn binder_height(&self, term: TermId) -> u32 {
        let mut height = 0;
        let mut seen = HashSet::default();
        let mut stack = vec![term];
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.op(t) {
                // Its own index is above all inside.
                Op::Forall | Op::Exists => height = height.max(self.binder_index(t)),
                _ => stack.extend_from_slice(self.args(t)),
            }
        }
        height
    }

    fn binder_index(&self, quantifier: TermId) -> u32 {
        let (_, bound) = self.args(quantifier).split_last().expect("a quantifier has a body");
        bound
            .iter()
            .map(|&b| match self.op(b) {
                Op::Bound(index) => index,
                _ => 0,
            })
            .max()
            .unwrap_or(0)
    }

    pub(crate) fn mk_bound(&mut self, index: u32, sort: SortId) -> TermId {
        self.intern(Op::Bound(index), sort, &[])
    }

    pub(crate) fn mk_quantifier(&mut self, op: Op, variables: &[TermId], body: TermId) -> TermId {
        debug_assert!(self.is_bool(body));
        if variables.is_empty() || self.is_value(body) {
            return body;
        }
        let base = self.binder_height(body);
        let mut map = HashMap::default();
        let mut args = Vec::with_capacity(variables.len() + 1);
        for (i, &variable) in variables.iter().enumerate() {
            let bound = self.mk_bound(base + 1 + i as u32, self.sort(variable));
            args.push(bound);
            // The last of two variables with one name hides the first.
            map.insert(variable, bound);
        }
        map.retain(|from, to| from != to);
        let body = self.substitute(body, &map);
        args.push(body);
        self.intern(op, SortId::BOOL, &args)
    }

    /// Bound variables and body of a quantifier.
    pub fn quantifier_parts(&self, term: TermId) -> Option<(&[TermId], TermId)> {
        match self.op(term) {
            Op::Forall | Op::Exists => {
                let (&body, bound) = self.args(term).split_last()?;
                Some((bound, body))
            }
            _ => None,
        }
    }

    /// The body of a quantifier with `terms` in place of its variables.
    pub fn instantiate(&mut self, quantifier: TermId, terms: &[TermId]) -> TermId {
        let (bound, body) = self.quantifier_parts(quantifier).expect("a quantifier");
        debug_assert_eq!(bound.len(), terms.len());
        let bound = bound.to_vec();
        self.replace_all(body, &bound, terms)
    }
}

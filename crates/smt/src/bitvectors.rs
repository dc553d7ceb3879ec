//! Bit-vectors.

use crate::combination::Combination;
use crate::context::Context;
use bolide_base::Integer;
use bolide_sat::{Actions, Var};
use bolide_terms::model::Model;
use bolide_terms::{TermId, TermStore};

#[derive(Default)]
pub(crate) struct BitVectors {}

impl BitVectors {
    pub fn register_atom(&mut self, _context: &mut Context<'_>, _var: Var) {}
    pub fn push_scope(&mut self) {}
    pub fn pop_scopes(&mut self, _count: usize) {}
    pub fn final_check(
        &mut self,
        _context: &mut Context<'_>,
        _combination: &mut Combination,
        _actions: &mut Actions<'_>,
    ) -> bool {
        false
    }

    pub fn value(
        &self,
        _store: &TermStore,
        _term: TermId,
        _truth: &dyn Fn(TermId) -> Option<bool>,
    ) -> Option<Integer> {
        None
    }

    pub fn constants(
        &self,
        _store: &TermStore,
        _truth: &dyn Fn(TermId) -> Option<bool>,
        _model: &mut Model,
    ) {
    }
}

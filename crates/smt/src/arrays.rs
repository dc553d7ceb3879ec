//! Arrays.

use crate::combination::Combination;
use crate::context::Context;
use bolide_sat::Var;

#[derive(Default)]
pub(crate) struct Arrays {}

impl Arrays {
    pub fn register_atom(&mut self, _context: &mut Context<'_>, _var: Var) {}
    pub fn push_scope(&mut self) {}
    pub fn pop_scopes(&mut self, _count: usize) {}
    pub fn final_check(
        &mut self,
        _context: &mut Context<'_>,
        _combination: &mut Combination,
    ) -> bool {
        false
    }
}

//! Quotients behind factors.
//!
//! A factor `a mod k` is `a - k * (a div k)`, and while the quotient is open a product with it says little of a product
//! with `a`. In programs the quotient counts how often something wrapped around, mostly never or once. So its present
//! value becomes a case of its own, and where it is fixed the equality is multiplied like others.

use bolide_base::HashSet;
use bolide_terms::{Op, TermId};

use super::Nonlinear;
use crate::context::Context;
use crate::linear::Linear;

// Heuristic: so many cases in one check.
const CASES: usize = 24;
// Heuristic: after so many rounds of other clauses, which mostly suffice.
const PATIENCE: usize = 4;

impl Nonlinear {
    /// Bounds that fix quotients behind factors at their present values, as far as nobody has asked for them.
    pub fn quotients(&mut self, context: &mut Context<'_>, linear: &Linear) -> Vec<TermId> {
        let mut seen: HashSet<TermId> = HashSet::default();
        let mut bounds = Vec::new();
        if self.rounds < PATIENCE {
            return bounds;
        }
        for product in &self.products {
            for factor in [product.left, product.right] {
                let store = &mut *context.store;
                let (Op::Mod, &[dividend, divisor]) = (store.op(factor), store.args(factor)) else {
                    continue;
                };
                if store.number(divisor).is_none() || !seen.insert(factor) {
                    continue;
                }
                let quotient = store.mk_div_plain(dividend, divisor);
                let Some(column) = linear.known_column(store, quotient) else { continue };
                if linear.simplex.is_fixed(column) || self.cases == CASES {
                    continue;
                }
                let value = store.mk_int(linear.simplex.value(column).standard.floor());
                let sides = [store.mk_ge(quotient, value), store.mk_le(quotient, value)];
                let is_new = |&bound: &TermId| {
                    context.shared.atoms.var(context.store.atom_and_sign(bound).0).is_none()
                };
                if sides.iter().any(is_new) {
                    self.cases += 1;
                    bounds.extend(sides);
                }
            }
        }
        bounds
    }
}

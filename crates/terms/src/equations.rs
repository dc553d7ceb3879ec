//! Equations read as definitions: a constant that a formula makes equal to a term can be replaced by it.

use crate::{Op, SortId, TermId, TermStore};
use bolide_base::{HashMap, HashSet, Rational};

impl TermStore {
    /// `constant = value` read off a literal, for a constant that may be replaced.
    pub fn solved(
        &mut self,
        literal: TermId,
        usable: impl Fn(TermId) -> bool,
    ) -> Option<(TermId, TermId)> {
        let (atom, positive) = self.atom_and_sign(literal);
        if self.is_const(atom) && usable(atom) {
            return Some((atom, self.mk_bool(positive)));
        }
        if !positive || self.op(atom) != Op::Eq {
            return None;
        }
        let (a, b) = (self.arg(atom, 0), self.arg(atom, 1));
        for (x, t) in [(a, b), (b, a)] {
            if self.is_const(x) && usable(x) && !self.occurs(x, t) {
                return Some((x, t));
            }
        }
        let sort = self.sort(a);
        if !sort.is_arithmetic() {
            return None;
        }
        let form = self.linear_difference(a, b);
        for (leaf, coefficient) in &form.terms {
            let unit = coefficient.is_one() || coefficient.is_minus_one();
            let divisible = sort == SortId::REAL || unit;
            if !self.is_const(*leaf) || !divisible || !usable(*leaf) {
                continue;
            }
            let (_, mut rest) = form.isolate(*leaf);
            rest.scale(&(Rational::MINUS_ONE / coefficient));
            let value = self.mk_linear(&rest, sort);
            if !self.occurs(*leaf, value) {
                return Some((*leaf, value));
            }
        }
        None
    }

    /// Replaces constants that conjuncts of the formula define, as long as there are any: what is left of the
    /// formula, and the values, in which no replaced constant occurs. The formula holds for some values of the
    /// constants exactly when the rest does, and then for these.
    pub fn solve_equations(
        &mut self,
        mut formula: TermId,
        usable: &HashSet<TermId>,
    ) -> (TermId, HashMap<TermId, TermId>) {
        let mut values: HashMap<TermId, TermId> = HashMap::default();
        loop {
            // Definitions that do not mention each other are replaced at once.
            let mut batch: HashMap<TermId, TermId> = HashMap::default();
            let mut mentioned: HashSet<TermId> = HashSet::default();
            for conjunct in self.conjuncts(formula) {
                let found = self.solved(conjunct, |x| {
                    usable.contains(&x) && !batch.contains_key(&x) && !mentioned.contains(&x)
                });
                let Some((constant, value)) = found else { continue };
                let constants = self.constants(value);
                if constants.iter().all(|c| !batch.contains_key(c)) {
                    mentioned.extend(constants);
                    batch.insert(constant, value);
                }
            }
            if batch.is_empty() {
                return (formula, values);
            }
            formula = self.substitute(formula, &batch);
            for value in values.values_mut() {
                *value = self.substitute(*value, &batch);
            }
            values.extend(batch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x = y + 1`, `y = 2 and b`, `not b` of a literal, and a cycle that has no solution to read off.
    #[test]
    fn definitions_are_replaced_until_none_is_left() {
        let mut store = TermStore::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| store.mk_const(name, SortId::INT));
        let b = store.mk_const("b", SortId::BOOL);
        let (one, two, five) = (store.mk_int(1), store.mk_int(2), store.mk_int(5));
        let next = store.mk_add(&[y, one]);
        let conjuncts = [
            store.mk_eq(x, next),
            store.mk_eq(y, two),
            store.mk_not(b),
            store.mk_lt(z, x),
            store.mk_lt(x, five),
        ];
        let formula = store.mk_and(&conjuncts);
        let usable = HashSet::from_iter([x, y, b]);
        let (rest, values) = store.solve_equations(formula, &usable);
        let three = store.mk_int(3);
        assert_eq!(rest, store.mk_lt(z, three));
        assert_eq!((values[&x], values[&y], values[&b]), (three, two, TermId::FALSE));
    }

    #[test]
    fn what_may_not_be_replaced_stays() {
        let mut store = TermStore::new();
        let [x, y] = ["x", "y"].map(|name| store.mk_const(name, SortId::INT));
        let twice = store.mk_add(&[y, y]);
        let formula = store.mk_eq(x, twice);
        let (rest, values) = store.solve_equations(formula, &HashSet::from_iter([y]));
        assert_eq!((rest, values.len()), (formula, 0), "two does not divide every integer");
    }
}

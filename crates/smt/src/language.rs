//! Restriction languages: formulas with small numbers.
//!
//! `L_k` has the atoms whose numbers are small or near to those that the program mentions, and whose depth is bounded. Of these it
//! can enumerate bounds of `x`, `x - y`, `x + y`, `x + a y` with its factors, and of `x + y - z` with any signs; see
//! [`Vocabulary`](crate::vocabulary::Vocabulary).

use bolide_base::{Integer, Rational};
use bolide_terms::{TermId, TermStore};
use std::collections::BTreeSet;

/// The last language that restricts anything.
pub const LAST: u32 = 5;

/// Heuristic: larger factors are not looked for.
const FACTOR: i64 = 16;

/// Heuristic: of places with more variables no sums of three, no scaled ones, none of two.
pub const TRIPLES: usize = 10;
pub const SCALED: usize = 16;
pub const PAIRS: usize = 64;

/// A language `L_k`.
#[derive(Clone, Debug, Default)]
pub struct Language {
    k: u32,
    /// Magnitudes that the program mentions, and their neighbours; sorted.
    mentioned: Vec<Integer>,
    /// The same as machine numbers, where they are some.
    near: Vec<i128>,
    /// Magnitudes that the program mentions itself.
    exact: Vec<i128>,
    /// The greatest numbers of types among those that the program mentions.
    greatest: Vec<Integer>,
}

impl Language {
    /// The language of all formulas.
    pub fn unrestricted() -> Language {
        Language { k: LAST + 1, ..Language::default() }
    }

    /// `L_0` for a program that mentions these numbers.
    pub fn of(numbers: impl IntoIterator<Item = Integer>) -> Language {
        let magnitudes: BTreeSet<Integer> = numbers.into_iter().map(|n| n.abs()).collect();
        let power = |bits: u32| Integer::from((1i128 << bits) - 1);
        let widths = [8, 16, 32, 64].into_iter().flat_map(|bits| [bits - 1, bits]);
        let greatest: Vec<Integer> = widths.map(power).collect();
        // Strict bounds over integers are written with the next number.
        let near = |magnitude: &Integer| {
            let magnitude = magnitude.clone();
            (-2..=2).map(move |near| magnitude.clone() + Integer::from(near))
        };
        // Also bounds of types, and the wrap-around between them.
        let mentioned: BTreeSet<Integer> =
            magnitudes.iter().chain(&greatest).flat_map(near).collect();
        let machine = |all: &BTreeSet<Integer>| all.iter().filter_map(Integer::to_i128).collect();
        let (near, exact) = (machine(&mentioned), machine(&magnitudes));
        let greatest = greatest.into_iter().filter(|n| magnitudes.contains(n)).collect();
        Language { k: 0, mentioned: mentioned.into_iter().collect(), near, exact, greatest }
    }

    /// That an integer is in one of the types whose greatest numbers the program mentions: bounds that it may have.
    pub fn bounds(&self, store: &mut TermStore, integer: TermId) -> Vec<TermId> {
        let mut atoms = Vec::new();
        for greatest in &self.greatest {
            let numbers = [greatest.clone(), -(greatest.clone() + Integer::from(1))];
            let [most, least] = numbers.map(|number| store.mk_int(number));
            atoms.extend([store.mk_le(integer, most), store.mk_ge(integer, least)]);
        }
        let zero = store.mk_int(0);
        atoms.push(store.mk_ge(integer, zero));
        atoms.into_iter().map(|atom| store.atom_and_sign(atom).0).collect()
    }

    /// Which one it is.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// Whether any formula at all is excluded.
    pub fn restricts(&self) -> bool {
        self.k <= LAST
    }

    /// The next larger language.
    pub fn raise(&mut self) {
        self.k += 1;
    }

    fn is_mentioned(&self, magnitude: &Integer) -> bool {
        self.mentioned.binary_search(magnitude).is_ok()
    }

    /// The numbers of the language from `least` to `most` that are nearest to zero: of those that the program mentions,
    /// and of all.
    pub fn numbers_between(&self, least: i128, most: i128) -> impl Iterator<Item = i128> {
        let (from, to, sign) = match (least > 0, most < 0) {
            (true, _) => (least, most, 1),
            (_, true) => (-most, -least, -1),
            _ => (0, 0, 1),
        };
        let nearest = |magnitudes: &[i128]| {
            let at = magnitudes.partition_point(|&m| m < from);
            magnitudes.get(at).copied().filter(|&m| m <= to)
        };
        let small = (from <= self.small()).then_some(from);
        let exact = nearest(&self.exact).or(small);
        let any = [small, nearest(&self.near)].into_iter().flatten().min();
        let other = any.filter(|_| any != exact);
        exact.into_iter().chain(other).map(move |magnitude| sign * magnitude)
    }

    /// Heuristic: how unlikely it is that something has to be said with a number.
    pub fn cost(&self, number: i128) -> u64 {
        let magnitude = i128::try_from(number.unsigned_abs()).unwrap_or(i128::MAX);
        match magnitude {
            0 => 0,
            _ if magnitude == 1 || self.exact.binary_search(&magnitude).is_ok() => 2,
            _ if magnitude <= self.small() => 3,
            _ => 4,
        }
    }

    fn small(&self) -> i128 {
        1 << (self.k + 1)
    }

    /// The factors above one, of which those that the program mentions are taken up to [`FACTOR`].
    pub fn coefficients(&self) -> Vec<i64> {
        let all = 2..=FACTOR.max(1 << (self.k + 1));
        all.filter(|&f| f <= 1 << (self.k + 1) || self.is_mentioned(&Integer::from(f))).collect()
    }

    /// Whether an atom bounds a sum that is enumerated at places with so many variables.
    pub fn enumerates(&self, store: &TermStore, atom: TermId, variables: usize) -> bool {
        let Some((form, _)) = store.linear_constraint(atom, true) else {
            return store.is_const(atom);
        };
        let factors: Option<Vec<i64>> =
            form.terms.iter().map(|(_, f)| f.abs().to_integer().and_then(|f| f.to_i64())).collect();
        let Some(mut factors) = factors else { return false };
        factors.sort_unstable();
        let has = match factors[..] {
            [1] => true,
            [1, 1] => variables <= PAIRS,
            [1, f] => variables <= SCALED && self.coefficients().contains(&f),
            [1, 1, 1] => variables <= TRIPLES,
            _ => false,
        };
        has && form.terms.iter().all(|&(leaf, _)| store.is_const(leaf))
    }

    /// Whether a formula is in the language.
    pub fn contains(&self, store: &TermStore, formula: TermId) -> bool {
        !self.restricts()
            || store.atoms(formula).into_iter().all(|atom| self.contains_atom(store, atom))
    }

    /// Whether an atom is in the language.
    pub fn contains_atom(&self, store: &TermStore, atom: TermId) -> bool {
        let small = Rational::from(Integer::from(1i64 << (self.k + 1)));
        let allowed = |value: &Rational| {
            value.abs() <= small || value.abs().to_integer().is_some_and(|m| self.is_mentioned(&m))
        };
        !self.restricts()
            || store.depth(atom) <= 6 + 2 * self.k
                && store.subterms(&[atom]).into_iter().all(|t| store.number(t).is_none_or(allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::SortId;

    #[test]
    fn languages_grow() {
        let mut language = Language::of([Integer::from(1000)]);
        let mut store = TermStore::new();
        let x = store.mk_const("x", SortId::INT);
        let mut least = |value: i64| {
            let value = store.mk_int(value);
            store.mk_ge(x, value)
        };
        let (two, seven, thousand, many) = (least(2), least(7), least(-1001), least(70_000_003));
        let store = &store;
        assert!(language.contains(store, two));
        assert!(language.contains(store, thousand), "a neighbour of what the program mentions");
        assert!(!language.contains(store, seven));
        while !language.contains(store, seven) {
            language.raise();
        }
        assert_eq!(language.k(), 2);
        assert!(!language.contains(store, many));
        while language.restricts() {
            language.raise();
        }
        assert!(language.contains(store, many));
    }
}

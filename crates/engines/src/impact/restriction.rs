//! Restriction languages: what interpolants may say.
//!
//! "Lazy abstraction with interpolants", section 3, *a weak notion of
//! completeness*: of the interpolants of a path, those are taken that lie in a
//! language `L_k` with bounded chains; when a path has none there, `k` is
//! raised. A loop that would be unrolled with `x <= 1`, `x <= 2`, `x <= 3` and so
//! on is so pressed for something that holds of all rounds. As in the paper the languages bound
//! the numbers of a formula and the depth of its atoms: `L_0` has small numbers and those
//! that the program mentions (and their neighbours).
//!
//! The prover does not compute restricted interpolants as such. Where those that it gives are not in
//! the language, `REFINE` looks for others ([`split`](super::split)); only where there are none, `k` is raised,
//! and the labels stay as they are (they are in the larger language, too).
//! From [`LAST`] on nothing is restricted.

use bolide_base::{Integer, Rational};
use bolide_cfa::{Expr, Program};
use bolide_terms::{TermId, TermStore};

/// The last language that restricts anything.
pub const LAST: u32 = 5;

/// Heuristic: larger factors are not looked for.
const FACTOR: i64 = 16;

/// A language `L_k`.
#[derive(Clone, Debug)]
pub struct Language {
    k: u32,
    /// Magnitudes that the program mentions, and their neighbours; sorted.
    mentioned: Vec<Integer>,
}

impl Language {
    /// `L_0` for a program.
    pub fn of(program: &Program) -> Language {
        let mut walker = bolide_cfa::analysis::uses::Walker::new();
        let mut mentioned: Vec<i128> = Vec::new();
        let mut add = |value: i128| {
            let magnitude = value.saturating_abs();
            // Strict bounds over integers are written with the next number.
            mentioned.extend((-2..=2).map(|near| magnitude.saturating_add(near)));
        };
        for edge in program.edges.values() {
            for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
                if let Expr::Int { bits, ty } = program.exprs.get(id)
                    && ty.bits < 128
                {
                    add(ty.value(*bits));
                }
            }
        }
        for bits in [8, 16, 32, 64] {
            // Bounds of types, and the wrap-around between them.
            add((1 << bits) - 1);
            add((1 << (bits - 1)) - 1);
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        Language { k: 0, mentioned: mentioned.into_iter().map(Integer::from).collect() }
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

    /// The number of the language nearest to zero from `least` to below `greatest`.
    pub fn number_between(&self, least: &Integer, greatest: &Integer) -> Option<Integer> {
        let within = |number: &Integer| least <= number && number < greatest;
        let small = (0..=1i64 << (self.k + 1)).map(Integer::from);
        let magnitudes = small.chain(self.mentioned.iter().cloned());
        magnitudes.flat_map(|m| [m.clone(), -m]).find(within)
    }

    /// The factors above one, of which those that the program mentions are taken up to [`FACTOR`].
    pub fn coefficients(&self) -> Vec<i64> {
        let all = 2..=FACTOR.max(1 << (self.k + 1));
        all.filter(|&f| {
            f <= 1 << (self.k + 1) || self.mentioned.binary_search(&Integer::from(f)).is_ok()
        })
        .collect()
    }

    /// Whether a formula is in the language.
    pub fn contains(&self, store: &TermStore, formula: TermId) -> bool {
        !self.restricts()
            || store.atoms(formula).into_iter().all(|atom| self.contains_atom(store, atom))
    }

    /// Whether an atom is in the language.
    pub fn contains_atom(&self, store: &TermStore, atom: TermId) -> bool {
        if !self.restricts() {
            return true;
        }
        let small = Rational::from(Integer::from(1i64 << (self.k + 1)));
        let allowed = |value: &Rational| {
            let magnitude = if *value < Rational::from(Integer::from(0)) {
                -value.clone()
            } else {
                value.clone()
            };
            magnitude <= small
                || magnitude.to_integer().is_some_and(|m| self.mentioned.binary_search(&m).is_ok())
        };
        store.depth(atom) <= 6 + 2 * self.k
            && store.subterms(&[atom]).into_iter().all(|t| store.number(t).is_none_or(allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::SortId;

    const PROGRAM: &str = r#"
program LP64
entry main
function main() -> result : i32
  local x : i32
  entry L0 exit L1
  L0 -> L1 : x := 1000:i32
"#;

    #[test]
    fn languages_grow() {
        let program = bolide_cfa::text::parse(PROGRAM).unwrap_or_else(|e| panic!("{e}"));
        let mut language = Language::of(&program);
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

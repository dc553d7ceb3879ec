//! Interpolants in a restriction language, whenever there are some.
//!
//! "Lazy abstraction with interpolants" (McMillan, CAV 2006), section 3, *a weak notion of completeness*: of the
//! interpolants of a path, those are taken that lie in a language `L_k` with bounded chains; when a path has none
//! there, `k` is raised. A loop that would be unrolled with `x <= 1`, `x <= 2`, `x <= 3` and so on is so pressed for
//! something that holds of all rounds. As in the paper the languages bound the numbers of a formula and the
//! depth of its atoms: `L_0` has small numbers and those that the program mentions (and their neighbours).
//!
//! The prover does not compute restricted interpolants as such. The tree (a path is one) is [split](crate::split): its formulas
//! tell each other which atoms hold, and nothing else. Has the split tree a model, then an atom of the language
//! that tells apart the two states of the model at a joint is added, until there are interpolants in these atoms; where no
//! atom of the language tells them apart, no interpolants in the language exist.
//!
//! Deviations. The atoms are those that somebody mentions, and bounds of `x - y`, `x`, `x + y`, `x + a y` with the
//! factors of the language, and `x + y - z` with any signs, over the integer variables of a joint, with the numbers of
//! the language; so the search is complete for these. Which atom tells states apart is a heuristic: that whose number is nearest to zero, and of these
//! differences first, because they hold of all rounds of a loop. Each question adds an atom of a finite language, so the
//! search ends. Trees with more than [`STATES`] variables at their joints are not asked.

use crate::split::Split;
use bolide_base::{HashMap, Integer, Rational};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{Model, TermId, TermStore, Value};
use std::collections::BTreeSet;

/// The last language that restricts anything.
pub const LAST: u32 = 5;

/// Heuristic: larger factors are not looked for.
const FACTOR: i64 = 16;

/// Heuristic: more variables at all joints together are too many.
pub const STATES: usize = 400;

/// A language `L_k`.
#[derive(Clone, Debug)]
pub struct Language {
    k: u32,
    /// Magnitudes that the program mentions, and their neighbours; sorted.
    mentioned: Vec<Integer>,
    /// The greatest numbers of types among those that the program mentions.
    greatest: Vec<Integer>,
}

impl Language {
    /// The language of all formulas.
    pub fn unrestricted() -> Language {
        Language { k: LAST + 1, mentioned: Vec::new(), greatest: Vec::new() }
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
        let mentioned = mentioned.into_iter().collect();
        let greatest = greatest.into_iter().filter(|n| magnitudes.contains(n)).collect();
        Language { k: 0, mentioned, greatest }
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

    /// The number of the language nearest to zero from `least` to below `greatest`.
    fn number_between(&self, least: &Integer, greatest: &Integer) -> Option<Integer> {
        let within = |number: &Integer| least <= number && number < greatest;
        let small = (0..=1i64 << (self.k + 1)).map(Integer::from);
        let magnitudes = small.chain(self.mentioned.iter().cloned());
        magnitudes.flat_map(|m| [m.clone(), -m]).find(within)
    }

    /// The factors above one, of which those that the program mentions are taken up to [`FACTOR`].
    fn coefficients(&self) -> Vec<i64> {
        let all = 2..=FACTOR.max(1 << (self.k + 1));
        all.filter(|&f| f <= 1 << (self.k + 1) || self.is_mentioned(&Integer::from(f))).collect()
    }

    /// Whether a formula is in the language.
    pub fn contains(&self, store: &TermStore, formula: TermId) -> bool {
        !self.restricts()
            || store.atoms(formula).into_iter().all(|atom| self.contains_atom(store, atom))
    }

    fn contains_atom(&self, store: &TermStore, atom: TermId) -> bool {
        let small = Rational::from(Integer::from(1i64 << (self.k + 1)));
        let allowed = |value: &Rational| {
            value.abs() <= small || value.abs().to_integer().is_some_and(|m| self.is_mentioned(&m))
        };
        !self.restricts()
            || store.depth(atom) <= 6 + 2 * self.k
                && store.subterms(&[atom]).into_iter().all(|t| store.number(t).is_none_or(allowed))
    }
}

/// Formulas that form a tree, and what is between them.
pub struct Tree<'a> {
    /// The formulas.
    pub formulas: &'a [TermId],
    /// The root is its own parent.
    pub parents: &'a [usize],
    /// What each formula may tell its parent; the root tells nobody.
    pub joints: Vec<Joint>,
}

/// A place between a formula of a tree and its parent.
#[derive(Clone, Debug, Default)]
pub struct Joint {
    /// Where the constants of facts are in the tree.
    pub copies: HashMap<TermId, TermId>,
    /// The constants that atoms may be made of.
    pub variables: Vec<TermId>,
}

/// What somebody knows of formulas.
pub enum Decided {
    /// They have no model, and interpolants as in [`interpolate`](crate::interpolate).
    Refuted(Vec<TermId>),
    /// A model.
    Model(Model),
    /// Nothing.
    Open,
}

/// Interpolants of a tree whose atoms are in the language, if there are some. `facts` are formulas over the constants of joints
/// whose atoms are tried first.
pub fn interpolants<E>(
    store: &mut TermStore,
    language: &Language,
    tree: &Tree<'_>,
    facts: &[TermId],
    mut decide: impl FnMut(&mut TermStore, &[TermId]) -> Result<Decided, E>,
) -> Result<Option<Vec<TermId>>, E> {
    let mut atoms: Vec<TermId> = facts.iter().flat_map(|&fact| store.atoms(fact)).collect();
    atoms.retain(|&atom| language.contains_atom(store, atom));
    // Heuristic: of what the facts speak there is mostly something to say, and it is little.
    let spoken: BTreeSet<TermId> = facts.iter().flat_map(|&fact| store.constants(fact)).collect();
    let few = |joint: &Joint| {
        let some = joint.variables.iter().copied().filter(|v| spoken.contains(v));
        Joint { copies: joint.copies.clone(), variables: some.collect() }
    };
    let few = Tree { joints: tree.joints.iter().map(few).collect(), ..*tree };
    if few.size() <= STATES {
        let found = few.interpolants(store, language, atoms.clone(), &mut decide)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    if tree.size() <= STATES && tree.size() > few.size() {
        return tree.interpolants(store, language, atoms, &mut decide);
    }
    Ok(None)
}

impl Tree<'_> {
    /// How many variables there are at all joints together.
    fn size(&self) -> usize {
        self.joints.iter().map(|joint| joint.variables.len()).sum()
    }

    /// Interpolants in some atoms and those of the language that are missing.
    fn interpolants<E>(
        &self,
        store: &mut TermStore,
        language: &Language,
        mut atoms: Vec<TermId>,
        decide: &mut impl FnMut(&mut TermStore, &[TermId]) -> Result<Decided, E>,
    ) -> Result<Option<Vec<TermId>>, E> {
        loop {
            let said: Vec<Vec<TermId>> =
                self.joints.iter().map(|joint| joint.said(store, &atoms)).collect();
            let mut split = Split::new(store, self.formulas, self.parents, &said);
            let model = match decide(store, &split.formulas)? {
                Decided::Refuted(found) => {
                    return Ok(Some(found.into_iter().map(|i| split.meaning(store, i)).collect()));
                }
                Decided::Model(model) => model,
                Decided::Open => return Ok(None),
            };
            let known = atoms.len();
            for (node, joint) in self.joints.iter().enumerate() {
                let states = [node, self.parents[node]]
                    .map(|side| joint.state(store, &mut split, side, &model));
                for atom in telling_apart(store, language, &joint.variables, &states) {
                    if !atoms.contains(&atom) {
                        atoms.push(atom);
                    }
                }
            }
            if atoms.len() == known {
                return Ok(None);
            }
        }
    }
}

impl Joint {
    /// Those of the atoms that can be said here.
    fn said(&self, store: &mut TermStore, atoms: &[TermId]) -> Vec<TermId> {
        let mut said = Vec::new();
        for &atom in atoms {
            if store.constants(atom).iter().all(|c| self.copies.contains_key(c)) {
                said.push(store.substitute(atom, &self.copies));
            }
        }
        said
    }

    /// The values of the variables on one side.
    fn state(
        &self,
        store: &mut TermStore,
        split: &mut Split,
        side: usize,
        model: &Model,
    ) -> Vec<Option<Value>> {
        let said: Vec<TermId> =
            self.variables.iter().map(|v| split.own(store, side, self.copies[v])).collect();
        let mut evaluator = Evaluator::new(store, model);
        said.into_iter().map(|term| evaluator.value(term).ok()).collect()
    }
}

/// Atoms that hold in one of two states only.
fn telling_apart(
    store: &mut TermStore,
    language: &Language,
    variables: &[TermId],
    [before, after]: &[Vec<Option<Value>>; 2],
) -> Vec<TermId> {
    let mut numbers: Vec<(TermId, Integer, Integer)> = Vec::new();
    for (&variable, values) in variables.iter().zip(before.iter().zip(after)) {
        match values {
            (Some(Value::Bool(b)), Some(Value::Bool(a))) if a != b => return vec![variable],
            (Some(Value::Int(b)), Some(Value::Int(a))) => {
                numbers.push((variable, b.clone(), a.clone()));
            }
            _ => {}
        }
    }
    // Heuristic: what is nearest to zero, on either side of the border.
    let near = |(_, number): &(Row, Integer)| {
        [number.clone(), number.clone() + Integer::from(1)].map(|n| n.abs()).into_iter().min()
    };
    let told = rows(numbers.len(), language.coefficients()).filter_map(|row| {
        let sum = |side: fn(&(TermId, Integer, Integer)) -> &Integer| {
            row.iter().fold(Integer::from(0), |sum, &(i, factor)| {
                sum + side(&numbers[i]).clone() * Integer::from(factor)
            })
        };
        let (b, a) = (sum(|n| &n.1), sum(|n| &n.2));
        let (least, greatest) = if a < b { (a, b) } else { (b, a) };
        language.number_between(&least, &greatest).map(|number| (row, number))
    });
    let Some((row, number)) = told.min_by_key(near) else {
        return Vec::new();
    };
    let scaled: Vec<TermId> = row
        .iter()
        .map(|&(i, factor)| store.mk_scale(&Rational::from(Integer::from(factor)), numbers[i].0))
        .collect();
    let (sum, number) = (store.mk_add(&scaled), store.mk_int(number));
    let (most, less) = (store.mk_le(sum, number), store.mk_ge(sum, number));
    vec![store.atom_and_sign(most).0, store.atom_and_sign(less).0]
}

/// A sum of variables, by their positions, with factors.
type Row = Vec<(usize, i64)>;

/// The sums that atoms may bound, the likely ones first.
fn rows(variables: usize, factors: Vec<i64>) -> impl Iterator<Item = Row> {
    let pairs = move || (0..variables).flat_map(|x| (0..x).map(move |y| (x, y)));
    let pair = move |p: i64, q: i64| pairs().map(move |(x, y)| vec![(x, p), (y, q)]);
    let scaled = factors
        .into_iter()
        .flat_map(move |f| pair(1, -f).chain(pair(f, -1)).chain(pair(1, f)).chain(pair(f, 1)));
    let triples = [(1, -1), (-1, 1), (-1, -1), (1, 1)].into_iter().flat_map(move |(q, r)| {
        pairs().flat_map(move |(x, y)| (0..y).map(move |z| vec![(x, 1), (y, q), (z, r)]))
    });
    let single = (0..variables).map(|x| vec![(x, 1)]);
    pair(1, -1).chain(single).chain(pair(1, 1)).chain(scaled).chain(triples)
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

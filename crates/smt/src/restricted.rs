//! Interpolants in a restriction language, whenever there are some.
//!
//! "Lazy abstraction with interpolants" (McMillan, CAV 2006), section 3, *a weak notion of completeness*: of the
//! interpolants of a path, those are taken that lie in a [language](crate::language) `L_k` with bounded chains; when a path has none
//! there, `k` is raised. A loop that would be unrolled with `x <= 1`, `x <= 2`, `x <= 3` and so on is so pressed for
//! something that holds of all rounds.
//!
//! The prover does not compute restricted interpolants as such. The tree (a path is one) is [split](crate::split): its formulas
//! tell each other which atoms hold, and nothing else. Has the split tree a model, then it has at each joint two
//! states that nobody tells apart, and the [vocabulary](crate::vocabulary) learns a word that does, until there are interpolants in
//! it; where no word of the language tells any two of them apart, no interpolants in the language exist. The vocabulary outlives the
//! tree: so a path is first refuted in the words that were chosen for those before it, a new word comes only where all that are known do
//! not suffice, and of these the cheapest are used.
//!
//! A [path](of_path) has joints where loops start, only: what is between them is one formula. What holds in between the prover
//! says, asked about the piece from one loop head to the next with what was found to hold there. So the labels of
//! single statements do not decide whether the search ends: there are finitely many such pieces between formulas of a finite
//! language.
//!
//! Deviations. The companion paper (Jhala, McMillan, TACAS 2006) has one prover for each formula, which exchange
//! facts; here one prover decides the split tree. Atoms that are no words (of elements of arrays, of remainders) are those that somebody
//! mentions. Trees with more than [`STATES`] variables at their joints are not asked.

pub use crate::language::Language;
use crate::split::Split;
use crate::vocabulary::{Pair, Vocabulary, Word};
use bolide_base::HashMap;
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{Model, TermId, TermStore};
use std::collections::BTreeSet;

/// Heuristic: more variables at all joints together are too many.
pub const STATES: usize = 400;

/// Heuristic: so often a cheaper choice of known words is tried, where all of them suffice.
const CHOICES: usize = 40;

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
    /// The constants that words may be made of.
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

/// Interpolants of a tree over these atoms, if there are some.
pub fn in_atoms<E>(
    store: &mut TermStore,
    tree: &Tree<'_>,
    atoms: &[TermId],
    mut decide: impl FnMut(&mut TermStore, &[TermId]) -> Result<Decided, E>,
) -> Result<Option<Vec<TermId>>, E> {
    match tree.ask(store, atoms, &[], &mut decide)? {
        (split, Decided::Refuted(found)) => Ok(Some(split.meanings(store, found))),
        _ => Ok(None),
    }
}

/// Interpolants of a tree whose atoms are in the language, if there are some. `known` are atoms that may be used anyway,
/// `facts` formulas over the constants of joints whose atoms are used where they are no words.
pub fn interpolants<E>(
    store: &mut TermStore,
    vocabulary: &mut Vocabulary,
    tree: &Tree<'_>,
    (known, facts): (&[TermId], &[TermId]),
    mut decide: impl FnMut(&mut TermStore, &[TermId]) -> Result<Decided, E>,
) -> Result<Option<Vec<TermId>>, E> {
    let spoken: BTreeSet<TermId> = facts.iter().flat_map(|&fact| store.constants(fact)).collect();
    let sizes = tree.joints.iter().map(|joint| joint.variables.len());
    let (all, most) = (sizes.clone().sum::<usize>(), sizes.max().unwrap_or(0));
    let some = |v: &TermId| all <= STATES || spoken.contains(v);
    if tree.joints.iter().flat_map(|j| &j.variables).filter(|v| some(v)).count() > STATES {
        return Ok(None);
    }
    let mut given = known.to_vec();
    for atom in facts.iter().flat_map(|&fact| store.atoms(fact)).collect::<Vec<_>>() {
        let language = vocabulary.language();
        if language.contains_atom(store, atom) && !language.enumerates(store, atom, most) {
            given.push(atom);
        }
    }
    vocabulary.turn_to(spoken.iter().copied());
    // In what was chosen for earlier trees, or in all that is known; then words are learnt.
    let mut all = false;
    let in_all = loop {
        let words = if all { vocabulary.known() } else { vocabulary.words() };
        let (mut split, decided) = tree.ask(store, &given, words, &mut decide)?;
        let model = match decided {
            Decided::Refuted(found) if all => break split.meanings(store, found),
            Decided::Refuted(found) => return Ok(Some(split.meanings(store, found))),
            Decided::Model(model) => model,
            Decided::Open => return Ok(None),
        };
        let pairs = tree.pairs(store, &mut split, &some, &model);
        if !vocabulary.demand(&pairs) || all && !vocabulary.learn() {
            return Ok(None);
        }
        all = true;
    };
    // All that is known suffices; of this the cheapest.
    for _ in 0..CHOICES {
        vocabulary.choose();
        let words = vocabulary.words();
        let (mut split, decided) = tree.ask(store, &given, words, &mut decide)?;
        let model = match decided {
            Decided::Refuted(found) => return Ok(Some(split.meanings(store, found))),
            Decided::Model(model) => model,
            Decided::Open => break,
        };
        let pairs = tree.pairs(store, &mut split, &some, &model);
        if !vocabulary.demand(&pairs) {
            break;
        }
    }
    Ok(Some(in_all))
}

/// Interpolants of a path, one between each two of its formulas, where `joints` are those places at which they must be in the
/// language. `decide` gives interpolants of sequences.
pub fn of_path<E>(
    store: &mut TermStore,
    vocabulary: &mut Vocabulary,
    formulas: &[TermId],
    joints: &[Option<Joint>],
    facts: &[TermId],
    mut decide: impl FnMut(&mut TermStore, &[TermId]) -> Result<Decided, E>,
) -> Result<Option<Vec<TermId>>, E> {
    let mut ends: Vec<usize> = (0..joints.len()).filter(|&at| joints[at].is_some()).collect();
    let mut path: Vec<Joint> = joints.iter().flatten().cloned().collect();
    path.push(Joint::default());
    ends.push(formulas.len() - 1);
    let mut pieces = Vec::new();
    let mut start = 0;
    for &end in &ends {
        pieces.push(&formulas[start..=end]);
        start = end + 1;
    }
    let joined: Vec<TermId> = pieces.iter().map(|piece| store.mk_and(piece)).collect();
    let parents = crate::interpolate::chain(joined.len());
    let tree = Tree { formulas: &joined, parents: &parents, joints: path };
    let Some(mut at_ends) = interpolants(store, vocabulary, &tree, (&[], facts), &mut decide)?
    else {
        return Ok(None);
    };
    at_ends.truncate(joined.len() - 1);
    at_ends.push(TermId::FALSE);
    let (mut found, mut before) = (Vec::new(), TermId::TRUE);
    for (piece, after) in pieces.into_iter().zip(at_ends) {
        let inner = piece.len() - 1;
        if after == TermId::TRUE || before == TermId::FALSE {
            found.extend(vec![if before == TermId::FALSE { before } else { after }; inner]);
        } else if inner > 0 {
            let mut formulas = vec![before];
            formulas.extend(piece);
            formulas.push(store.mk_not(after));
            let Decided::Refuted(between) = decide(store, &formulas)? else { return Ok(None) };
            found.extend(&between[1..=inner]);
        }
        found.push(after);
        before = after;
    }
    // Behind the last formula there is nothing to say.
    found.pop();
    Ok(Some(found))
}

impl Tree<'_> {
    /// What there is to know of the tree whose formulas tell each other these atoms and words only.
    fn ask<E>(
        &self,
        store: &mut TermStore,
        atoms: &[TermId],
        words: &[Word],
        decide: &mut impl FnMut(&mut TermStore, &[TermId]) -> Result<Decided, E>,
    ) -> Result<(Split, Decided), E> {
        let mut atoms = atoms.to_vec();
        for word in words {
            atoms.extend(word.atoms(store));
        }
        atoms.sort_unstable();
        atoms.dedup();
        let said: Vec<Vec<TermId>> =
            self.joints.iter().map(|joint| joint.said(store, &atoms)).collect();
        let split = Split::new(store, self.formulas, self.parents, &said);
        let decided = decide(store, &split.formulas)?;
        Ok((split, decided))
    }

    /// The two states that a model of the split tree has at each joint, as far as variables are taken into account.
    fn pairs(
        &self,
        store: &mut TermStore,
        split: &mut Split,
        some: &impl Fn(&TermId) -> bool,
        model: &Model,
    ) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (node, joint) in self.joints.iter().enumerate() {
            let sides = [node, self.parents[node]];
            let variables: Vec<TermId> = joint.variables.iter().copied().filter(some).collect();
            pairs.push(joint.pair(store, split, sides, &variables, model));
        }
        pairs
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

    /// The values of variables on both sides.
    fn pair(
        &self,
        store: &mut TermStore,
        split: &mut Split,
        sides: [usize; 2],
        variables: &[TermId],
        model: &Model,
    ) -> Pair {
        let mut pair = Vec::new();
        for &variable in variables {
            let own = sides.map(|side| split.own(store, side, self.copies[&variable]));
            let mut evaluator = Evaluator::new(store, model);
            let [before, after] = own.map(|term| evaluator.value(term).ok());
            pair.extend(before.zip(after).map(|(before, after)| (variable, before, after)));
        }
        pair
    }
}

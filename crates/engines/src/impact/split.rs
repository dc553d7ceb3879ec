//! Interpolants in a restriction language, whenever there are some.
//!
//! A path is [split](bolide_smt::split) at its vertices: its formulas tell each other which atoms hold, and
//! nothing else. Has the split path a model, then an atom of the language that tells apart the two states of the model
//! at a cut is added, until there are interpolants in these atoms; where no atom of the language tells them apart,
//! no interpolants in the language exist.
//!
//! Deviations. The atoms are those that somebody mentions, and bounds of `x - y`, `x`, `x + y`, `x + a y` with the
//! factors of the language, and `x + y - z` with any signs, over the integer variables that matter at a cut, with the numbers of
//! the language; so the search is complete for these. Which atom tells states apart is a heuristic: that whose number is nearest to zero, and of these
//! differences first, because they hold of all rounds of a loop. Each question adds an atom of a finite language, so the
//! search ends. Paths with more than [`STATES`] variables at their cuts are not asked.

use super::restriction::Language;
use bolide_base::{HashMap, Integer, Rational};
use bolide_reachability::prover::{Feasibility, Prover};
use bolide_reachability::verdict::Reason;
use bolide_smt::split::Split;
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{Model, TermId, TermStore, Value};
use std::collections::BTreeSet;

/// Heuristic: more variables at all cuts together are too many.
pub const STATES: usize = 400;

/// A place between two formulas of a path.
pub struct Cut {
    /// Where the state constants of variables that matter, and of all in the atoms, are on the path.
    pub copies: HashMap<TermId, TermId>,
    /// The state constants of variables that matter.
    pub variables: Vec<TermId>,
}

/// Interpolants of a path whose atoms are in the language, if there are some; over the constants of the
/// path. `atoms` are those to begin with, over state constants.
pub fn interpolants(
    store: &mut TermStore,
    prover: &mut Prover,
    language: &Language,
    formulas: &[TermId],
    cuts: &[Cut],
    atoms: &[TermId],
) -> Result<Option<Vec<TermId>>, Reason> {
    // A sequence is a tree in which each formula has the next as its parent.
    let parents: Vec<usize> = (1..=cuts.len()).chain([cuts.len()]).collect();
    let mut atoms = atoms.to_vec();
    loop {
        prover.poll()?;
        let said: Vec<Vec<TermId>> = cuts.iter().map(|cut| cut.said(store, &atoms)).collect();
        let mut split = Split::new(store, formulas, &parents, &said);
        match prover.feasibility(store, &split.formulas) {
            Ok(Feasibility::Infeasible(found)) => {
                return Ok(Some(found.into_iter().map(|i| split.meaning(store, i)).collect()));
            }
            Ok(Feasibility::Feasible(model)) => {
                let known = atoms.len();
                for (position, cut) in cuts.iter().enumerate() {
                    let states = [position, position + 1]
                        .map(|side| cut.state(store, &mut split, side, &model));
                    for atom in telling_apart(store, language, &cut.variables, &states) {
                        if !atoms.contains(&atom) {
                            atoms.push(atom);
                        }
                    }
                }
                if atoms.len() == known {
                    return Ok(None);
                }
            }
            Err(Reason::Solver(_)) => return Ok(None),
            Err(reason) => return Err(reason),
        }
    }
}

impl Cut {
    /// The cut with some of its variables.
    pub fn only(&self, some: &BTreeSet<TermId>) -> Cut {
        let variables = self.variables.iter().copied().filter(|v| some.contains(v)).collect();
        Cut { copies: self.copies.clone(), variables }
    }

    /// Those of the atoms that can be said here.
    fn said(&self, store: &mut TermStore, atoms: &[TermId]) -> Vec<TermId> {
        let here = |store: &TermStore, atom| {
            store.constants(atom).into_iter().all(|c| self.copies.contains_key(&c))
        };
        let mut said = Vec::new();
        for &atom in atoms {
            if here(store, atom) {
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

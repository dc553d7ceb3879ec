//! Which facts a proof lacks, for people.
//!
//! Where the guesses that prove each other do not exclude an error, one that was given up often would. So this goes backwards: a guess at
//! a head that would exclude the error is wanted there; whoever comes to the head has to establish it; where what is
//! known there does not, a guess there is wanted in turn. Of several the weakest is taken, as it is the likeliest to hold, and none that the start
//! of the program refutes.
//!
//! Nothing of this is proved, or else it would not be missing. It is the reason of an `unknown`: somebody may confirm it by a loop
//! invariant, and add what makes it inductive ([`claims`](crate::claims)).

use crate::prover::Prover;
use crate::verdict::Reason;
use bolide_base::HashMap;
use bolide_cfa::LocId;
use bolide_smt::houdini::Implication;
use bolide_terms::{TermId, TermStore};

/// Heuristic: nobody reads more of them.
const MOST: usize = 4;

/// Formulas by location.
pub type Formulas = HashMap<LocId, Vec<TermId>>;

/// Facts out of `guesses` that would exclude errors, each with where it is wanted.
///
/// # Errors
/// When the budget is exhausted.
pub fn missing(
    store: &mut TermStore,
    prover: &mut Prover,
    implications: &[Implication<'_, LocId>],
    (known, guesses): (&Formulas, &Formulas),
    is_error: &dyn Fn(LocId) -> bool,
) -> Result<Vec<(LocId, TermId)>, Reason> {
    let mut lack = Lack { implications, known, guesses, wanted: Vec::new() };
    let errors = implications.iter().filter(|i| is_error(i.goal.0));
    let mut open: Vec<_> = errors.map(|i| (i, TermId::FALSE)).collect();
    while let Some((implication, fact)) = open.pop() {
        let Some(&(from, _)) = implication.assumed.first() else { continue };
        if lack.wanted.len() == MOST || lack.follows(store, prover, implication, fact, None)? {
            continue;
        }
        if let Some(best) = lack.weakest(store, prover, implication, from, fact)? {
            lack.wanted.push((from, best));
            open.extend(implications.iter().filter(|i| i.goal.0 == from).map(|i| (i, best)));
        }
    }
    Ok(lack.wanted)
}

struct Lack<'i, 'a> {
    implications: &'i [Implication<'a, LocId>],
    known: &'i Formulas,
    guesses: &'i Formulas,
    wanted: Vec<(LocId, TermId)>,
}

impl Lack<'_, '_> {
    /// Whether an implication gives a fact of its goal, with one more guess where it starts.
    fn follows(
        &self,
        store: &mut TermStore,
        prover: &mut Prover,
        implication: &Implication<'_, LocId>,
        fact: TermId,
        more: Option<TermId>,
    ) -> Result<bool, Reason> {
        let mut premises = implication.premises.clone();
        for (at, said) in &implication.assumed {
            let mut all = self.known.get(at).cloned().unwrap_or_default();
            all.extend(self.wanted.iter().filter(|w| w.0 == *at).map(|w| w.1).chain(more));
            let all = store.mk_and(&all);
            premises.push(said(store, all));
        }
        let premise = store.mk_and(&premises);
        let goal = (implication.goal.1)(store, fact);
        prover.entails(store, premise, goal)
    }

    /// The weakest guess with which it does.
    fn weakest(
        &self,
        store: &mut TermStore,
        prover: &mut Prover,
        implication: &Implication<'_, LocId>,
        from: LocId,
        fact: TermId,
    ) -> Result<Option<TermId>, Reason> {
        let known = self.known.get(&from).map_or(&[][..], |list| list);
        let mut best: Option<TermId> = None;
        for &guess in self.guesses.get(&from).into_iter().flatten() {
            if known.contains(&guess) || self.wanted.contains(&(from, guess)) {
                continue;
            }
            if let Some(best) = best
                && !prover.entails(store, best, guess)?
            {
                continue;
            }
            if self.follows(store, prover, implication, fact, Some(guess))?
                && self.may_hold(store, prover, from, guess)?
            {
                best = Some(guess);
            }
        }
        Ok(best)
    }

    /// Whether a guess does not contradict what is known, and holds where nothing but the start of the program comes before.
    fn may_hold(
        &self,
        store: &mut TermStore,
        prover: &mut Prover,
        at: LocId,
        guess: TermId,
    ) -> Result<bool, Reason> {
        let mut all = self.known.get(&at).cloned().unwrap_or_default();
        all.push(guess);
        let all = store.mk_and(&all);
        if prover.entails(store, all, TermId::FALSE)? {
            return Ok(false);
        }
        let guessed = |from: &LocId| self.guesses.get(from).is_some_and(|list| !list.is_empty());
        for implication in self.implications.iter().filter(|i| i.goal.0 == at) {
            let from_start = !implication.assumed.iter().any(|(from, _)| guessed(from));
            if from_start && !self.follows(store, prover, implication, guess, None)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_base::Budget;
    use bolide_base::arena::Id;
    use bolide_smt::houdini::Said;
    use bolide_terms::SortId;

    #[test]
    fn a_fact_is_wanted_where_it_excludes_the_error_and_wherever_that_comes_from() {
        let mut store = TermStore::new();
        let x = store.mk_const("x", SortId::INT);
        let [minus, zero, one, five, nine] = [-1, 0, 1, 5, 9].map(|n| store.mk_int(n));
        let next = store.mk_add(&[x, one]);
        let [first, second, error] = [0, 1, 2].map(LocId::from_index);
        let becomes = |value: TermId| -> Said<'static> {
            let map = HashMap::from_iter([(x, value)]);
            Box::new(move |store, formula| store.substitute(formula, &map))
        };
        let same = || becomes(x);
        let large = store.mk_lt(nine, x);
        let implications = [
            Implication { premises: vec![], assumed: vec![], goal: (first, becomes(zero)) },
            Implication {
                premises: vec![],
                assumed: vec![(first, same())],
                goal: (first, becomes(next)),
            },
            Implication {
                premises: vec![],
                assumed: vec![(first, same())],
                goal: (second, same()),
            },
            Implication {
                premises: vec![large],
                assumed: vec![(second, same())],
                goal: (error, same()),
            },
        ];
        let [negative, low, high] = [minus, five, nine].map(|bound| store.mk_le(x, bound));
        let guesses = vec![negative, low, high];
        let guesses = Formulas::from_iter([(first, guesses.clone()), (second, guesses)]);
        let mut prover = Prover::new(Budget::unlimited());
        let mut lacking = |known: &Formulas| {
            let guessed = (known, &guesses);
            missing(&mut store, &mut prover, &implications, guessed, &|at| at == error).unwrap()
        };
        // The lower bound would keep the other one; nothing keeps it.
        let expected = [(second, high), (first, high), (first, low)];
        assert_eq!(lacking(&Formulas::default()), expected);
        assert_eq!(lacking(&Formulas::from_iter([(second, vec![low])])), []);
    }
}

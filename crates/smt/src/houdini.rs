//! Guesses about points, weakened until they are inductive.
//!
//! A *point* is whatever formulas can be about: a cut point of a program, the exit of a
//! function, a relation of Horn clauses. [`Implication`]s lead from points to a
//! point: premises and what is said of the points assumed imply what is said of the goal. A
//! guess at each point is *inductive* when all implications hold. The loop ([`make_inductive`])
//! looks for an implication that does not hold; its counterexample is a state that the guess at the goal
//! must allow, so the guess is weakened by it, and the implications that assume it are looked at again.
//!
//! What a guess is, is left open ([`Guess`]), and two old friends are one:
//!
//! - a conjunction of *candidates* (`Vec<TermId>`) drops what is false in the
//!   counterexample. This is Houdini (Flanagan and Leino, *Houdini, an annotation assistant for
//!   ESC/Java*, FME 2001). Each dropped candidate is false in a real successor of
//!   states that satisfy what is left, so the result is the greatest inductive subset, whatever the order;
//! - an *abstract value* that starts with `false` joins the counterexample: symbolic
//!   abstraction from below (Reps, Sagiv and Yorsh, VMCAI 2004; Thakur, Elder and Reps, SAS 2012). The result
//!   is the least inductive one that joins can reach.
//!
//! The order is fixed: always the first implication that is not known to hold. Whoever lists them in the
//! order in which points are reached has inner loops settled before what comes after them.
//!
//! Candidates whose question the solver does not decide are dropped. An attempt that takes
//! too long is given up as a whole, since half-weakened guesses are inductive in nobody's eyes.
//! Nothing here is trusted by anybody: what is built upon guesses is audited like all else.

use crate::solver::{Answer, Solver};
use bolide_base::affine::equalities;
use bolide_base::{Budget, Exhausted, HashMap, Rational};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::model::Value;
use bolide_terms::{LinearForm, SortId, TermId, TermStore};
use std::collections::BTreeSet;
use std::hash::Hash;

/// How a formula about a point is said in an implication.
pub type Said<'a> = Box<dyn Fn(&mut TermStore, TermId) -> TermId + 'a>;

/// Premises, and what is said of the points assumed, imply what is said of the goal.
pub struct Implication<'a, P> {
    /// Hold in any case.
    pub premises: Vec<TermId>,
    /// Whose guesses are assumed.
    pub assumed: Vec<(P, Said<'a>)>,
    /// Whose guess is to hold.
    pub goal: (P, Said<'a>),
}

/// What is said of a point for the time being.
pub trait Guess {
    /// What it says.
    fn conjuncts(&self) -> &[TermId];

    /// Terms whose values in a counterexample it wants to know.
    fn observed(&self) -> &[TermId];

    /// Says less, so that it allows a state with these values. Whether it does.
    fn weaken(&mut self, store: &mut TermStore, values: &[Option<Value>]) -> bool;

    /// Its conjuncts, if any of them may be dropped.
    fn droppable(&mut self) -> Option<&mut Vec<TermId>> {
        None
    }
}

impl Guess for Vec<TermId> {
    fn conjuncts(&self) -> &[TermId] {
        self
    }

    fn observed(&self) -> &[TermId] {
        self
    }

    fn weaken(&mut self, _: &mut TermStore, values: &[Option<Value>]) -> bool {
        let before = self.len();
        let mut values = values.iter();
        self.retain(|_| values.next() == Some(&Some(Value::Bool(true))));
        self.len() < before
    }

    fn droppable(&mut self) -> Option<&mut Vec<TermId>> {
        Some(self)
    }
}

/// Equalities with larger coefficients are accidents.
const COEFFICIENT: i64 = 1_000;

/// The affine hull of the values that some terms of sort `Int` have: all linear equalities that no counterexample
/// contradicts. Starts with `false`.
pub struct Hull {
    terms: Vec<TermId>,
    /// Affinely independent.
    points: Vec<Vec<Rational>>,
    conjuncts: Vec<TermId>,
}

impl Hull {
    /// Of no values yet.
    pub fn new(terms: Vec<TermId>) -> Hull {
        Hull { terms, points: Vec::new(), conjuncts: vec![TermId::FALSE] }
    }

    /// The equalities of some points as formulas over the terms, but for accidents.
    pub fn said(
        store: &mut TermStore,
        terms: &[TermId],
        points: &[Vec<Rational>],
        sort: SortId,
    ) -> Vec<TermId> {
        let mut found = Vec::new();
        for (coefficients, constant) in equalities(points) {
            let mut form = LinearForm::from_constant(-constant);
            for (coefficient, &term) in coefficients.iter().zip(terms) {
                form.add_term(term, coefficient);
            }
            form.scale(&form.primitive_factor());
            let limit = Rational::from(COEFFICIENT);
            if form.terms.iter().all(|(_, c)| c.abs() <= limit) {
                found.push(store.mk_zero(form, sort));
            }
        }
        found.retain(|&said| said != TermId::TRUE);
        found
    }
}

impl Guess for Hull {
    fn conjuncts(&self) -> &[TermId] {
        &self.conjuncts
    }

    fn observed(&self) -> &[TermId] {
        &self.terms
    }

    fn weaken(&mut self, store: &mut TermStore, values: &[Option<Value>]) -> bool {
        let number = |value: &Option<Value>| value.as_ref().and_then(Value::as_rational);
        let Some(point) = values.iter().map(number).collect() else { return false };
        self.points.push(point);
        let said = Hull::said(store, &self.terms, &self.points, SortId::INT);
        let changed = said != self.conjuncts;
        self.conjuncts = said;
        changed
    }

    fn droppable(&mut self) -> Option<&mut Vec<TermId>> {
        Some(&mut self.conjuncts)
    }
}

/// How much may be done.
pub struct Effort<'a> {
    /// Stops it from outside.
    pub budget: &'a Budget,
    /// So many questions may still be asked.
    pub questions: u64,
}

/// Weakens the guesses until they are inductive. False where that takes too many questions, or
/// a guess cannot be made weak enough; the guesses are then worth nothing.
///
/// Nothing is said of points without a guess.
pub fn make_inductive<P: Copy + Eq + Hash, G: Guess>(
    store: &mut TermStore,
    implications: &[Implication<'_, P>],
    guesses: &mut HashMap<P, G>,
    effort: &mut Effort<'_>,
) -> Result<bool, Exhausted> {
    let mut assuming: HashMap<P, Vec<usize>> = HashMap::default();
    for (number, implication) in implications.iter().enumerate() {
        for &(point, _) in &implication.assumed {
            assuming.entry(point).or_default().push(number);
        }
    }
    let mut open: BTreeSet<usize> = (0..implications.len()).collect();
    while let Some(number) = open.pop_first() {
        let implication = &implications[number];
        match weaken_goal(store, implication, guesses, effort)? {
            Weakened::No => {}
            // Perhaps this very one is among them.
            Weakened::Yes => open.extend(assuming.get(&implication.goal.0).into_iter().flatten()),
            Weakened::Never => return Ok(false),
        }
    }
    Ok(true)
}

/// Whether a guess was weakened.
enum Weakened {
    No,
    Yes,
    /// It should be, and cannot be.
    Never,
}

/// Weakens the guess at the goal until one implication holds.
fn weaken_goal<P: Copy + Eq + Hash, G: Guess>(
    store: &mut TermStore,
    implication: &Implication<'_, P>,
    guesses: &mut HashMap<P, G>,
    effort: &mut Effort<'_>,
) -> Result<Weakened, Exhausted> {
    let (goal, said) = &implication.goal;
    if guesses.get(goal).is_none_or(|guess| guess.conjuncts().is_empty()) {
        return Ok(Weakened::No);
    }
    let mut premises = implication.premises.clone();
    for (point, said) in &implication.assumed {
        let conjuncts = guesses.get(point).map_or(&[][..], |guess| guess.conjuncts());
        premises.extend(conjuncts.iter().map(|&conjunct| said(store, conjunct)));
    }
    if premises.contains(&TermId::FALSE) {
        return Ok(Weakened::No);
    }
    let mut solver = Solver::default();
    for premise in premises {
        solver.assert(store, premise, 0);
    }
    let guess = guesses.get_mut(goal).expect("looked at above");
    let mut weakened = Weakened::No;
    while !guess.conjuncts().is_empty() {
        let goals: Vec<TermId> = guess.conjuncts().iter().map(|&c| said(store, c)).collect();
        let all = store.mk_and(&goals);
        let violated = store.mk_not(all);
        // That the weaker guess fails implies that the stronger one does: what was asserted
        // before needs no retraction.
        solver.assert(store, violated, 0);
        if effort.questions == 0 {
            return Ok(Weakened::Never);
        }
        match effort.ask(store, &mut solver, &[])? {
            Answer::Unsat => return Ok(weakened),
            Answer::Sat => {
                let model = solver.take_model().expect("a satisfiable check has a model");
                let seen: Vec<TermId> = guess.observed().iter().map(|&t| said(store, t)).collect();
                let mut evaluator = Evaluator::new(store, &model);
                let values: Vec<_> = seen.iter().map(|&t| evaluator.value(t).ok()).collect();
                if !guess.weaken(store, &values) {
                    // The model does not show what fails: give up on all.
                    let Some(list) = guess.droppable() else { return Ok(Weakened::Never) };
                    list.clear();
                }
                weakened = Weakened::Yes;
            }
            Answer::Unknown(_) => {
                let Some(list) = guess.droppable() else { return Ok(Weakened::Never) };
                // What the solver knows says that some candidate fails: if one
                // cannot be it, it holds wherever one does, and elsewhere all hold.
                let before = list.len();
                let mut kept = Vec::new();
                for (&candidate, &goal) in list.iter().zip(&goals) {
                    let violated = store.mk_not(goal);
                    if effort.ask(store, &mut solver, &[violated])? == Answer::Unsat {
                        kept.push(candidate);
                    }
                }
                *list = kept;
                return Ok(if list.len() < before { Weakened::Yes } else { weakened });
            }
        }
    }
    Ok(weakened)
}

impl Effort<'_> {
    fn ask(
        &mut self,
        store: &mut TermStore,
        solver: &mut Solver,
        assumptions: &[TermId],
    ) -> Result<Answer, Exhausted> {
        self.questions = self.questions.saturating_sub(1);
        let question = self.budget.progress().ask();
        let answer = solver.check(store, assumptions, self.budget);
        drop(question);
        self.budget.poll()?;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x = 0, y = 0; loop { if (x > 5) y = -1; x = x + 1 }`, its two points being the start and the head.
    fn counting(store: &mut TermStore) -> (Vec<Implication<'static, u8>>, TermId, TermId) {
        let (x, y) = (store.mk_const("x", SortId::INT), store.mk_const("y", SortId::INT));
        let (zero, one, five) = (store.mk_int(0), store.mk_int(1), store.mk_int(5));
        let next = store.mk_add(&[x, one]);
        let (small, minus) = (store.mk_le(x, five), store.mk_int(-1));
        let other = store.mk_ite(small, y, minus);
        let becomes = |new_x: TermId, new_y: TermId| -> Said<'static> {
            let map: HashMap<TermId, TermId> = [(x, new_x), (y, new_y)].into_iter().collect();
            Box::new(move |store, formula| store.substitute(formula, &map))
        };
        let start =
            Implication { premises: vec![], assumed: vec![], goal: (0, becomes(zero, zero)) };
        let same: Said<'static> = Box::new(|_, formula| formula);
        let step = Implication {
            premises: vec![],
            assumed: vec![(0, same)],
            goal: (0, becomes(next, other)),
        };
        (vec![start, step], x, y)
    }

    #[test]
    fn what_a_step_breaks_is_dropped_and_what_rests_on_it() {
        let mut store = TermStore::new();
        let (implications, x, y) = counting(&mut store);
        let (zero, five) = (store.mk_int(0), store.mk_int(5));
        let (positive, small) = (store.mk_ge(x, zero), store.mk_le(x, five));
        // Holds as long as x is small.
        let depends = store.mk_ge(y, zero);
        let all = || HashMap::from_iter([(0_u8, vec![positive, small, depends])]);
        let (budget, mut guesses) = (Budget::unlimited(), all());
        let mut effort = Effort { budget: &budget, questions: 100 };
        let done = make_inductive(&mut store, &implications, &mut guesses, &mut effort);
        assert_eq!((done, &guesses[&0][..]), (Ok(true), &[positive][..]));
        let mut little = Effort { budget: &budget, questions: 2 };
        let done = make_inductive(&mut store, &implications, &mut all(), &mut little);
        assert_eq!(done, Ok(false));
        budget.stop(Exhausted::Time);
        let done = make_inductive(&mut store, &implications, &mut all(), &mut effort);
        assert_eq!(done, Err(Exhausted::Time));
    }

    /// `x` between zero and the greatest seen, or anything above zero after a few joins.
    struct Above(Vec<TermId>, TermId, u8);

    impl Guess for Above {
        fn conjuncts(&self) -> &[TermId] {
            &self.0
        }

        fn observed(&self) -> &[TermId] {
            std::slice::from_ref(&self.1)
        }

        fn weaken(&mut self, store: &mut TermStore, values: &[Option<Value>]) -> bool {
            let zero = store.mk_int(0);
            self.0 = vec![store.mk_ge(self.1, zero)];
            if self.2 > 0 {
                let most = store.mk_value(values[0].as_ref().expect("a number"));
                self.0.push(store.mk_le(self.1, most));
                self.2 -= 1;
            }
            true
        }
    }

    #[test]
    fn what_starts_with_nothing_grows_until_it_is_inductive() {
        let mut store = TermStore::new();
        let (implications, x, _) = counting(&mut store);
        let mut guesses = HashMap::from_iter([(0_u8, Above(vec![TermId::FALSE], x, 3))]);
        let mut effort = Effort { budget: &Budget::unlimited(), questions: 100 };
        let done = make_inductive(&mut store, &implications, &mut guesses, &mut effort);
        let zero = store.mk_int(0);
        assert_eq!((done, &guesses[&0].0[..]), (Ok(true), &[store.mk_ge(x, zero)][..]));
    }
}

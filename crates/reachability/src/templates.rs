//! Invariants from templates, kept only where they are inductive.
//!
//! Refinement learns from one path at a time and may unroll a loop for ever on
//! facts that a simple template states at once. So before (or beside) the
//! search, candidates are guessed for each loop head ([`candidates`]), and which values of
//! variables go together is found by running the program with everything else unknown ([`tables`]). The
//! strongest inductive conjunction of them is found by deletion (Flanagan and Leino, Houdini, FME
//! 2001): start with all; as long as some transition leads from
//! states that satisfy all to one that does not, drop what fails there.
//!
//! Claims of a witness are candidates too ([`claims`]), tried before the guesses so that many of
//! those do not cost the few.
//!
//! Each dropped candidate is false in a real successor of states that satisfy what is
//! left, so the result is the greatest inductive subset, whatever the order. It
//! is a heuristic for the search only: certificates contain it and are audited like all else.

use crate::block::{BlockProgram, Transition};
use crate::candidates::{self, FEW_VARIABLES, Head};
use crate::claims;
use crate::facts::{self, Fact, Facts};
use crate::prover::Prover;
use crate::samples;
use crate::verdict::Reason;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::analysis::ranges::tables;
use bolide_cfa::{CheckId, LocId, VarId};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{Op, TermId, TermStore};
use std::rc::Rc;

/// How many candidates to try.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// At most so many variables at one location.
    pub variables: usize,
    /// At most so many constants for bounds.
    pub constants: usize,
    /// At most so many candidates at one location.
    pub candidates: usize,
    /// About so many candidates at all locations together.
    pub all_candidates: usize,
    /// At most so many questions to the solver for one attempt.
    pub questions: u64,
    /// At most so many polls of the budget for one attempt, which bounds its
    /// time; many times as many where there are few variables.
    pub polls: u64,
    /// How much is tried to find out which values go together.
    pub tables: tables::Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            variables: 16,
            constants: 12,
            candidates: 400,
            all_candidates: 2_000,
            questions: 400,
            polls: 150_000,
            tables: tables::Limits::default(),
        }
    }
}

/// The strongest inductive conjunction of template candidates at each loop
/// head; locations without an entry have the invariant true.
pub fn inductive_invariants(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: Options,
) -> Result<HashMap<LocId, Vec<TermId>>, Reason> {
    let facts = inductive_facts(program, store, prover, options, &[])?;
    Ok(facts::formulas(program, store, &facts))
}

/// As [`inductive_invariants`], in a form that all engines on the program can use.
///
/// First the claims, whose checks are `claimed`; then the simple candidates, which is quick;
/// then all, upon what was found. An attempt that takes too long is given up, and what was found before it counts.
pub fn inductive_facts(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: Options,
    claimed: &[CheckId],
) -> Result<Facts, Reason> {
    if !program.program.locations.ids().any(|l| program.is_loop_head(l)) {
        return Ok(Facts::default());
    }
    let locations = cut_points(program, store);
    let constants = candidates::interesting_constants(program, options.constants);
    let heads: HashMap<LocId, Vec<VarId>> = locations
        .iter()
        .filter(|&&l| program.is_loop_head(l))
        .map(|&l| (l, candidates::integer_variables(program, l, options.variables)))
        .collect();
    let samples = samples::collect(program.program, &heads, prover.budget());
    let share = options.all_candidates / heads.len().max(1);
    let options = Options { candidates: options.candidates.min(share), ..options };
    let mut all: Candidates = HashMap::default();
    let mut seen: HashSet<(LocId, TermId)> = HashSet::default();
    let claimed: HashSet<CheckId> = claimed.iter().copied().collect();
    for &location in &locations {
        let Some(variables) = heads.get(&location) else { continue };
        let samples = &samples[&location];
        let head = Head { location, variables, samples, constants: &constants };
        let mut list = Vec::new();
        let mut facts = claims::claims(program, location, &claimed);
        facts.extend(candidates::guess(program, store, &head, options));
        for fact in facts {
            let formula = fact.formula(program, store);
            if formula != TermId::TRUE
                && formula != TermId::FALSE
                && seen.insert((location, formula))
            {
                list.push(Candidate { fact, formula });
            }
        }
        if !list.is_empty() {
            all.insert(location, list);
        }
    }
    let rows = tables_of_values(program, store, prover, options, &locations)?;
    for (location, table) in rows {
        all.entry(location).or_default().extend(table);
    }
    let many = heads.values().any(|variables| variables.len() > FEW_VARIABLES);
    // Heuristic: where there are few variables, invariants are more often all there is to find.
    let polls = if many { options.polls } else { 20 * options.polls };
    let mut known: Candidates = HashMap::default();
    let any_claims = all.values().flatten().any(|c| c.fact.is_claim());
    for attempt in [Attempt::Claims, Attempt::Simple, Attempt::All] {
        let mut tried = all.clone();
        if attempt == Attempt::Claims {
            if !any_claims {
                continue;
            }
            tried.values_mut().for_each(|list| list.retain(|c| c.fact.is_claim()));
        } else if attempt == Attempt::Simple {
            tried.values_mut().for_each(|l| l.retain(|c| c.fact.is_claim() || c.fact.is_simple()));
        } else if many {
            // Heuristic: what was refuted among the simple ones is not tried again.
            for (location, list) in &mut tried {
                let kept = known.get(location).map_or(&[][..], |list| list);
                list.retain(|c| !c.fact.is_simple() || kept.contains(c));
            }
        }
        let budget = prover.budget().child_for("templates", polls);
        let mut houdini =
            Houdini { program, store, budget, questions: options.questions, asked: 0 };
        let finished = houdini.delete_until_inductive(&locations, &mut tried);
        prover.statistics.models += houdini.asked;
        let finished = match finished {
            Ok(finished) => finished,
            Err(reason) => {
                // Out of its own budget, or of ours?
                prover.poll()?;
                if !matches!(reason, Reason::Exhausted(_)) {
                    return Err(reason);
                }
                false
            }
        };
        match (attempt, finished) {
            (_, true) => known = tried,
            (Attempt::Claims, false) => continue,
            (_, false) => break,
        }
        // Heuristic: a good witness needs no guesses.
        if attempt == Attempt::Claims && is_enough(program, store, prover, &locations, &known)? {
            break;
        }
    }
    known.retain(|_, list| !list.is_empty());
    let mut found = Facts::default();
    for &location in &locations {
        if let Some(list) = known.remove(&location) {
            let kept = prune(store, prover, list)?;
            found.insert(location, kept.into_iter().map(|c| c.fact).collect());
        }
    }
    Ok(found)
}

/// Which values go together at loop heads, as far as that can be proved.
fn tables_of_values(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: Options,
    locations: &[LocId],
) -> Result<Candidates, Reason> {
    let mut found: Candidates = HashMap::default();
    for (head, table) in tables::tables(program.program, options.tables, prover.budget()) {
        let fact = Fact::Table(table);
        let formula = fact.formula(program, store);
        if formula != TermId::TRUE && formula != TermId::FALSE {
            found.insert(head, vec![Candidate { fact, formula }]);
        }
    }
    prover.poll()?;
    let budget = prover.budget().child_for("tables of values", options.polls);
    let mut houdini = Houdini { program, store, budget, questions: options.questions, asked: 0 };
    let finished = houdini.delete_until_inductive(locations, &mut found);
    prover.statistics.models += houdini.asked;
    prover.poll()?;
    Ok(if matches!(finished, Ok(true)) { found } else { HashMap::default() })
}

/// Which candidates are tried together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// Alone, as the invariants of a good witness need no others.
    Claims,
    /// And the claims.
    Simple,
    All,
}

/// A guess, with its formula over state constants.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    fact: Fact,
    formula: TermId,
}

type Candidates = HashMap<LocId, Vec<Candidate>>;

/// All cut points that can be reached from the entry, in order of discovery.
fn cut_points(program: &mut BlockProgram<'_>, store: &mut TermStore) -> Vec<LocId> {
    let mut found = vec![program.entry()];
    let mut seen: HashSet<LocId> = found.iter().copied().collect();
    let mut next = 0;
    while next < found.len() {
        for transition in program.transitions(store, found[next]).iter() {
            if seen.insert(transition.to) {
                found.push(transition.to);
            }
        }
        next += 1;
    }
    found
}

/// Whether no error is reached from states that satisfy the candidates.
fn is_enough(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    locations: &[LocId],
    known: &Candidates,
) -> Result<bool, Reason> {
    for &from in locations {
        for transition in program.transitions(store, from).iter() {
            if program.program.locations[transition.to].error.is_none() {
                continue;
            }
            let mut formulas: Vec<TermId> =
                known.get(&from).into_iter().flatten().map(|c| c.formula).collect();
            formulas.push(transition.formula);
            if from == program.entry() {
                formulas.push(program.initial());
            }
            let reached = store.mk_and(&formulas);
            if !prover.entails(store, reached, TermId::FALSE)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Deletion of candidates until the rest is inductive.
struct Houdini<'a, 'p> {
    program: &'a mut BlockProgram<'p>,
    store: &'a mut TermStore,
    budget: Budget,
    /// Questions that it may ask.
    questions: u64,
    /// Questions that it asked.
    asked: u64,
}

impl Houdini<'_, '_> {
    /// Deletes until what is left is inductive; false when that takes too long.
    fn delete_until_inductive(
        &mut self,
        locations: &[LocId],
        candidates: &mut Candidates,
    ) -> Result<bool, Reason> {
        let mut pending: Vec<LocId> = locations.iter().rev().copied().collect();
        let mut waiting: HashSet<LocId> = locations.iter().copied().collect();
        while let Some(from) = pending.pop() {
            waiting.remove(&from);
            for transition in self.program.transitions(self.store, from).iter() {
                let to = transition.to;
                if candidates.get(&to).is_none_or(Vec::is_empty) {
                    continue;
                }
                if self.asked > self.questions {
                    return Ok(false);
                }
                // What holds at `to` became weaker: its successors are checked
                // again. That may be this very location: a loop's own block uses its
                // candidates as premise too.
                if self.delete_failing(transition, candidates)? && waiting.insert(to) {
                    pending.push(to);
                }
            }
        }
        Ok(true)
    }

    /// Drops candidates that fail after one transition; says whether any did.
    fn delete_failing(
        &mut self,
        transition: &Rc<Transition>,
        candidates: &mut Candidates,
    ) -> Result<bool, Reason> {
        let (program, store) = (&*self.program, &mut *self.store);
        let mut solver = Solver::new(Config::default());
        solver.assert(store, transition.formula, 0);
        if transition.from == program.entry() {
            solver.assert(store, program.initial(), 0);
        }
        if let Some(list) = candidates.get(&transition.from) {
            for candidate in list {
                solver.assert(store, candidate.formula, 0);
            }
        }
        let renaming: HashMap<TermId, TermId> = transition
            .outputs
            .iter()
            .map(|&(slot, value)| (program.slots.constant(slot), value))
            .collect();
        let list = candidates.remove(&transition.to).unwrap_or_default();
        let before = list.len();
        let mut left: Vec<(Candidate, TermId)> = list
            .into_iter()
            .map(|candidate| {
                let after = store.substitute(candidate.formula, &renaming);
                (candidate, after)
            })
            .collect();
        let finished = self.keep_holding(&mut solver, &mut left);
        let dropped = left.len() < before;
        candidates.insert(transition.to, left.into_iter().map(|(c, _)| c).collect());
        finished.map(|()| dropped)
    }

    /// Keeps what holds in every model of what the solver was told.
    fn keep_holding(
        &mut self,
        solver: &mut Solver,
        left: &mut Vec<(Candidate, TermId)>,
    ) -> Result<(), Reason> {
        while !left.is_empty() {
            let after: Vec<TermId> = left.iter().map(|&(_, after)| after).collect();
            let all = self.store.mk_and(&after);
            let violated = self.store.mk_not(all);
            // That one of fewer fails implies that one of more does: what was asserted
            // before needs no retraction.
            solver.assert(self.store, violated, 0);
            match self.ask(solver, &[])? {
                Answer::Unsat => return Ok(()),
                Answer::Unknown(_) => return self.keep_decided(solver, left),
                Answer::Sat => {
                    let model = solver.take_model().expect("a satisfiable check has a model");
                    let count = left.len();
                    let mut evaluator = Evaluator::new(self.store, &model);
                    left.retain(|&(_, after)| evaluator.holds(after));
                    if left.len() == count {
                        // The model does not show which one fails: give up on all.
                        left.clear();
                    }
                }
            }
        }
        Ok(())
    }

    /// Where the question about all candidates is undecided: keeps those whose
    /// own question is decided in their favour.
    fn keep_decided(
        &mut self,
        solver: &mut Solver,
        left: &mut Vec<(Candidate, TermId)>,
    ) -> Result<(), Reason> {
        let mut kept = Vec::new();
        for (candidate, after) in std::mem::take(left) {
            // What the solver knows says that some candidate fails: if this one
            // cannot be it, it holds wherever one does, and elsewhere all hold.
            let violated = self.store.mk_not(after);
            if self.ask(solver, &[violated])? == Answer::Unsat {
                kept.push((candidate, after));
            }
        }
        *left = kept;
        Ok(())
    }

    fn ask(&mut self, solver: &mut Solver, assumptions: &[TermId]) -> Result<Answer, Reason> {
        self.asked += 1;
        let question = self.budget.progress().ask();
        let answer = solver.check(self.store, assumptions, &self.budget);
        drop(question);
        self.budget.poll()?;
        Ok(answer)
    }
}

/// Drops what the rest implies: readers and the solver are thankful for it.
fn prune(
    store: &mut TermStore,
    prover: &mut Prover,
    mut list: Vec<Candidate>,
) -> Result<Vec<Candidate>, Reason> {
    // Equalities say most; then what was found first.
    list.sort_by_key(|c| store.op(c.formula) != Op::Eq);
    let conjunction = |store: &mut TermStore, list: &[Candidate]| {
        let formulas: Vec<TermId> = list.iter().map(|c| c.formula).collect();
        store.mk_and(&formulas)
    };
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in list {
        let known = conjunction(store, &kept);
        if !prover.entails(store, known, candidate.formula)? {
            kept.push(candidate);
        }
    }
    // A later bound may imply an earlier one.
    let mut position = 0;
    while position < kept.len() {
        let candidate = kept.remove(position);
        let known = conjunction(store, &kept);
        if !prover.entails(store, known, candidate.formula)? {
            kept.insert(position, candidate);
            position += 1;
        }
    }
    Ok(kept)
}

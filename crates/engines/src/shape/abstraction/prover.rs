//! One session of the heap logic for many questions about a path.
//!
//! What is asked of a path differs little from one question to the next: the same commands, the same predicates, another
//! Boolean heap at the start or another predicate at the end. So a path has one session. What a heap
//! says and what is to be refuted of a goal are guarded by switches, and a question is a choice of switches
//! (assumptions of the prover). Instances of axioms and what the prover learned serve all later questions. This takes
//! the place of the transition relations of section 6.2.2, which the thesis computes once and
//! again where a context has become weaker. The enumeration of abstract objects ([`super::post`]) has another one.
//!
//! Required: what is known of a path without any switch holds in all its executions; everything else stands behind one.
//! The objects that refute a goal are the same constants for all goals of a session. Only one goal is
//! asked at a time, and behind the switches of the others nothing is claimed of them.

use bolide_base::{Budget, HashMap, HashSet};
use bolide_heap::program::aliases::Aliases;
use bolide_heap::program::execution::Execution;
use bolide_heap::program::uses::needed;
use bolide_heap::program::view::{Command, View};
use bolide_heap::{FieldId, Formula, Kind, Session, State, Statistics, Symbol, Undecided};
use bolide_terms::TermId;
use std::rc::Rc;

/// Instances after which a session is too slow to go on with.
const INSTANCES: u64 = 12_000;

/// The path cannot be executed from states in which the parts hold, or it leads to where the goal holds.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'q> {
    /// What holds at the start.
    pub parts: &'q [Formula],
    /// What is to hold at the end.
    pub goal: Option<&'q Formula>,
    /// It is a guess: where it is not decided, it does not hold.
    pub guessed: bool,
}

/// Answers questions about one path.
pub struct PathProver<'a> {
    view: &'a View,
    pub(super) execution: Execution<'a>,
    start: Rc<State>,
    /// What questions may speak of, at the start and at the end.
    symbols: [HashSet<Symbol>; 2],
    parts: HashMap<Formula, TermId>,
    goals: HashMap<Formula, TermId>,
    truths: HashMap<Formula, TermId>,
    /// The switches behind which what was found is excluded, by the truth values that were known before.
    seen: HashMap<Vec<Option<bool>>, TermId>,
    /// Any object of the state at the end.
    any: Option<TermId>,
    used: bool,
    counted: Statistics,
}

impl<'a> PathProver<'a> {
    /// Executes the commands in an empty session. `symbols` are those that questions may speak of, at the start and at
    /// the end.
    pub fn new(
        view: &'a View,
        reach: &[FieldId],
        aliases: &Aliases,
        commands: &[Command],
        symbols: [HashSet<Symbol>; 2],
    ) -> PathProver<'a> {
        let mut wanted = needed(commands, symbols[1].clone());
        wanted.extend(symbols[0].iter().copied());
        wanted.remove(&view.bound);
        wanted.extend(aliases.originals(&wanted));
        let mut execution = Execution::new(view, reach, &wanted, aliases, Session::new(false));
        let start = Rc::clone(&execution.state);
        execution.run(commands);
        PathProver {
            view,
            execution,
            start,
            symbols,
            parts: HashMap::default(),
            goals: HashMap::default(),
            truths: HashMap::default(),
            seen: HashMap::default(),
            any: None,
            used: false,
            counted: Statistics::default(),
        }
    }

    /// Whether it can answer one more question that speaks of some variables at the start and at the end.
    pub fn serves(&self, symbols: &[HashSet<Symbol>; 2]) -> bool {
        self.counted.instances < INSTANCES
            && symbols.iter().zip(&self.symbols).all(|(wanted, own)| wanted.is_subset(own))
    }

    /// What was done since the last time.
    pub(super) fn count(&mut self, count: &mut Count) {
        let done = self.execution.session.statistics;
        count.sessions += u64::from(!self.used);
        count.checks += done.checks - self.counted.checks;
        count.rounds += done.rounds - self.counted.rounds;
        count.instances += done.instances - self.counted.instances;
        self.counted = done;
        self.used = true;
    }

    /// The switch behind which a part of the state at the start is.
    fn part(&mut self, part: &Formula) -> TermId {
        if let Some(&known) = self.parts.get(part) {
            return known;
        }
        let session = &mut self.execution.session;
        let switch = if part.is_quantified() {
            let switch = session.switch();
            session.assume_if(switch, &self.start, part);
            switch
        } else {
            session.ground(&self.start, part)
        };
        self.parts.insert(part.clone(), switch);
        switch
    }

    /// The switch behind which the goal does not hold at the end.
    fn goal(&mut self, goal: &Formula) -> TermId {
        if let Some(&known) = self.goals.get(goal) {
            return known;
        }
        let session = &mut self.execution.session;
        let switch = session.switch();
        session.refute_if(switch, &self.execution.state, goal);
        self.goals.insert(goal.clone(), switch);
        switch
    }

    pub(super) fn switches(&mut self, parts: &[Formula], goal: Option<&Formula>) -> Vec<TermId> {
        let mut all: Vec<TermId> = parts.iter().map(|part| self.part(part)).collect();
        all.extend(goal.map(|goal| self.goal(goal)));
        all
    }

    /// Whether the claim holds.
    pub fn refutes(
        &mut self,
        claim: Claim<'_>,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<bool, Undecided> {
        let switches = self.switches(claim.parts, claim.goal);
        // Heuristic: most guesses fail, and what fails is expensive.
        self.execution.session.thorough = !claim.guessed;
        let answer = self.execution.session.refutes(&switches, budget);
        self.count(count);
        match answer {
            Err(Undecided::Prover(_)) if claim.guessed => Ok(false),
            answer => answer,
        }
    }

    /// The numbers of the parts that suffice for the claim; none when it does not hold.
    pub fn refuted(
        &mut self,
        claim: Claim<'_>,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Undecided> {
        if !self.refutes(claim, count, budget)? {
            return Ok(None);
        }
        // Heuristic: not minimised. What that would save in later questions, it costs in this one.
        let core = self.execution.session.core();
        let needed = |part: &&Formula| core.contains(&self.parts[*part]);
        let all = claim.parts.iter().enumerate();
        Ok(Some(all.filter(|(_, part)| needed(part)).map(|(number, _)| number).collect()))
    }

    /// The switch behind which abstract objects are excluded that were found where these truth values were known.
    pub(super) fn seen(&mut self, decided: &[Option<bool>]) -> TermId {
        if let Some(&known) = self.seen.get(decided) {
            return known;
        }
        let switch = self.execution.session.switch();
        self.seen.insert(decided.to_vec(), switch);
        switch
    }

    /// Any object of the state at the end.
    pub(super) fn any(&mut self) -> TermId {
        let session = &mut self.execution.session;
        *self.any.get_or_insert_with(|| session.constant("v", Kind::Object))
    }

    /// The truth value of a predicate at the end, of any object where it is a domain predicate.
    pub(super) fn truth(&mut self, predicate: &Formula) -> TermId {
        if let Some(&known) = self.truths.get(predicate) {
            return known;
        }
        let bound = [(self.view.bound, self.any())];
        let session = &mut self.execution.session;
        let term = session.define(&self.execution.state, &bound, predicate);
        self.truths.insert(predicate.clone(), term);
        term
    }
}

/// How much work was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Sessions of the heap logic.
    pub sessions: u64,
    /// Queries.
    pub checks: u64,
    /// Calls of the prover.
    pub rounds: u64,
    /// Instances.
    pub instances: u64,
}

impl Count {
    /// Adds what was done elsewhere.
    pub fn merge(&mut self, other: Count) {
        self.sessions += other.sessions;
        self.checks += other.checks;
        self.rounds += other.rounds;
        self.instances += other.instances;
    }

    /// Adds what a session did.
    pub fn add(&mut self, execution: &Execution<'_>) {
        let done = execution.session.statistics;
        self.sessions += 1;
        self.checks += done.checks;
        self.rounds += done.rounds;
        self.instances += done.instances;
    }
}

//! Hoare triples, decided as cheaply as can be.
//!
//! A *question* is a premise (precondition and statement) and goals (what
//! predicates mean after the statement). In order: a goal that is a conjunct of the premise holds (so does
//! every predicate whose variables the statement does not write); what was
//! asked before is remembered; a known model of the premise in which a goal is
//! false refutes it; a goal that shares no symbol with a satisfiable premise does
//! not follow; only then the solver is asked, about all remaining goals at once.
//!
//! An undecided query counts as "does not hold": the automaton gets one edge
//! less.

use super::alphabet::LetterId;
use bolide_base::{HashMap, HashSet};
use bolide_reachability::prover::Prover;
use bolide_reachability::verdict::Reason;
use bolide_terms::evaluate::holds;
use bolide_terms::{Model, Op, TermId, TermStore};

/// What holds after a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Post {
    /// The statement cannot be executed from here: `false` holds.
    Infeasible,
    /// Which goals hold.
    Goals(Vec<bool>),
}

/// How the triples were decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Triples asked for.
    pub triples: u64,
    /// Decided by looking.
    pub syntactic: u64,
    /// Asked before.
    pub remembered: u64,
    /// Refuted by a model that was known.
    pub by_model: u64,
    /// Decided by the solver.
    pub by_solver: u64,
    /// Decided by a proof from the database.
    pub by_store: u64,
    /// Queries to the solver.
    pub queries: u64,
}

/// Answers from somewhere else than the solver; whatever it says is checked by
/// whoever implements this.
pub trait Oracle {
    /// What is known of a question.
    fn recall(&mut self, store: &mut TermStore, premise: TermId, goals: &[TermId]) -> Option<Post>;
    /// What the solver found out.
    fn learn(&mut self, store: &mut TermStore, premise: TermId, goals: &[TermId], post: &Post);
}

/// What is known of a premise.
#[derive(Default)]
struct Known {
    feasible: Option<bool>,
    goals: HashMap<TermId, bool>,
}

/// Models kept for a letter.
const MODELS: usize = 24;

/// Decides triples and remembers.
#[derive(Default)]
pub struct HoareChecker<'o> {
    known: HashMap<TermId, Known>,
    models: HashMap<LetterId, Vec<Model>>,
    oracle: Option<&'o mut dyn Oracle>,
    /// Whether predicates may be tautologies that only the solver sees as such.
    thorough: bool,
    /// How they were decided.
    pub statistics: Statistics,
}

impl<'o> HoareChecker<'o> {
    /// A checker that asks `oracle` before the solver.
    pub fn new(oracle: Option<&'o mut dyn Oracle>) -> Self {
        HoareChecker { oracle, ..HoareChecker::default() }
    }

    /// From now on every goal that is not decided by a model is asked. Heuristic: only where a trace came back.
    pub fn be_thorough(&mut self) {
        if !self.thorough {
            self.thorough = true;
            self.known.clear();
        }
    }

    /// Which goals hold after `letter`, whose premise is given.
    pub fn post(
        &mut self,
        store: &mut TermStore,
        prover: &mut Prover,
        letter: LetterId,
        premise: TermId,
        goals: &[TermId],
    ) -> Result<Post, Reason> {
        self.statistics.triples += goals.len() as u64 + 1;
        if premise == TermId::FALSE {
            self.statistics.syntactic += 1;
            return Ok(Post::Infeasible);
        }
        let mut question = self.look(store, premise, goals);
        if question.feasible == Some(false) {
            return Ok(Post::Infeasible);
        }
        if !question.is_open() {
            return Ok(question.post());
        }
        // What the oracle is asked must not depend on what was asked before.
        let whole = self.not_syntactic(store, premise, goals);
        let mut recalled = false;
        if let Some(oracle) = &mut self.oracle
            && let Some(post) = oracle.recall(store, premise, &whole)
        {
            recalled = true;
            self.statistics.by_store += question.open_goals().len() as u64 + 1;
            question.answer(&whole, &post);
        }
        if question.is_open() {
            self.try_models(store, letter, premise, &mut question);
        }
        if question.is_open() {
            self.statistics.by_solver += question.open_goals().len() as u64;
            self.solve(store, prover, letter, premise, &mut question)?;
        }
        if !recalled && let Some(oracle) = &mut self.oracle {
            oracle.learn(store, premise, &whole, &question.post_for(&whole));
        }
        let known = self.known.entry(premise).or_default();
        known.feasible = question.feasible;
        for goal in whole {
            known.goals.insert(goal, question.holds(goal));
        }
        Ok(question.post())
    }

    /// The goals that one cannot just see, each once.
    fn not_syntactic(&self, store: &TermStore, premise: TermId, goals: &[TermId]) -> Vec<TermId> {
        if self.oracle.is_none() {
            return goals.to_vec();
        }
        let conjuncts = flat(store, premise);
        let mut whole: Vec<TermId> = Vec::new();
        for &goal in goals {
            if goal != TermId::TRUE && !conjuncts.contains(&goal) && !whole.contains(&goal) {
                whole.push(goal);
            }
        }
        whole
    }

    /// Decides what needs nothing but memory.
    fn look(&mut self, store: &TermStore, premise: TermId, goals: &[TermId]) -> Question {
        let conjuncts = flat(store, premise);
        let known = self.known.entry(premise).or_default();
        let mut question = Question {
            goals: goals.to_vec(),
            decided: vec![None; goals.len()],
            feasible: known.feasible.or((premise == TermId::TRUE).then_some(true)),
        };
        for (position, &goal) in goals.iter().enumerate() {
            if goal == TermId::TRUE || conjuncts.contains(&goal) {
                self.statistics.syntactic += 1;
                question.decided[position] = Some(true);
            } else if let Some(&answer) = known.goals.get(&goal) {
                self.statistics.remembered += 1;
                question.decided[position] = Some(answer);
            }
        }
        question
    }

    /// Refutes goals by models that are known.
    fn try_models(
        &mut self,
        store: &TermStore,
        letter: LetterId,
        premise: TermId,
        question: &mut Question,
    ) {
        for model in self.models.get(&letter).into_iter().flatten() {
            if holds(store, model, premise) {
                question.feasible = Some(true);
                self.statistics.by_model += question.refute(store, model);
            }
        }
        if question.feasible == Some(true) && !self.thorough {
            self.statistics.syntactic += question.drop_unrelated(store, premise);
        }
    }

    /// Asks the solver: first whether the statement can be executed at all,
    /// then about all goals, without those that a model refutes.
    fn solve(
        &mut self,
        store: &mut TermStore,
        prover: &mut Prover,
        letter: LetterId,
        premise: TermId,
        question: &mut Question,
    ) -> Result<(), Reason> {
        if question.feasible.is_none() {
            self.statistics.queries += 1;
            match prover.model(store, premise) {
                Ok(None) => {
                    question.feasible = Some(false);
                    return Ok(());
                }
                Ok(Some(model)) => {
                    question.refute(store, &model);
                    self.remember(letter, model);
                }
                Err(Reason::Solver(_)) => {}
                Err(other) => return Err(other),
            }
            question.feasible = Some(true);
            if !self.thorough {
                question.drop_unrelated(store, premise);
            }
        }
        let mut together = true;
        loop {
            let open = question.open_goals();
            let Some(&first) = open.first() else { return Ok(()) };
            let asked = if together { open } else { vec![first] };
            let all = store.mk_and(&asked);
            let violated = store.mk_not(all);
            let query = store.mk_and(&[premise, violated]);
            self.statistics.queries += 1;
            match prover.model(store, query) {
                Ok(None) => question.decide(&asked, true),
                Ok(Some(model)) => {
                    if question.refute(store, &model) == 0 {
                        // The model does not evaluate the goals as the solver does.
                        question.decide(&asked, false);
                    }
                    self.remember(letter, model);
                }
                Err(Reason::Solver(_)) if asked.len() > 1 => together = false,
                Err(Reason::Solver(_)) => question.decide(&asked, false),
                Err(other) => return Err(other),
            }
        }
    }

    fn remember(&mut self, letter: LetterId, model: Model) {
        let models = self.models.entry(letter).or_default();
        if models.len() >= MODELS {
            models.remove(0);
        }
        models.push(model);
    }
}

/// All conjuncts of a formula.
fn flat(store: &TermStore, formula: TermId) -> HashSet<TermId> {
    let mut found: HashSet<TermId> = HashSet::default();
    let mut pending = vec![formula];
    while let Some(t) = pending.pop() {
        if found.insert(t) && store.op(t) == Op::And {
            pending.extend_from_slice(store.args(t));
        }
    }
    found
}

/// Goals that are being decided.
struct Question {
    goals: Vec<TermId>,
    decided: Vec<Option<bool>>,
    feasible: Option<bool>,
}

impl Question {
    fn is_open(&self) -> bool {
        self.feasible.is_none() || self.decided.contains(&None)
    }

    fn open_goals(&self) -> Vec<TermId> {
        let mut open: Vec<TermId> = Vec::new();
        for (&goal, decided) in self.goals.iter().zip(&self.decided) {
            if decided.is_none() && !open.contains(&goal) {
                open.push(goal);
            }
        }
        open
    }

    fn decide(&mut self, goals: &[TermId], answer: bool) {
        for (goal, decided) in self.goals.iter().zip(&mut self.decided) {
            if decided.is_none() && goals.contains(goal) {
                *decided = Some(answer);
            }
        }
    }

    /// Refutes open goals that are false in a model of the premise; says how many.
    fn refute(&mut self, store: &TermStore, model: &Model) -> u64 {
        let mut count = 0;
        for (&goal, decided) in self.goals.iter().zip(&mut self.decided) {
            if decided.is_none() && !holds(store, model, goal) {
                *decided = Some(false);
                count += 1;
            }
        }
        count
    }

    /// Goals about nothing that a satisfiable premise mentions do not follow, if they are no tautologies.
    fn drop_unrelated(&mut self, store: &TermStore, premise: TermId) -> u64 {
        let mut count = 0;
        if self.decided.contains(&None) {
            let symbols: HashSet<TermId> = store.constants(premise).into_iter().collect();
            for (&goal, decided) in self.goals.iter().zip(&mut self.decided) {
                let constants = store.constants(goal);
                if decided.is_none()
                    && !constants.is_empty()
                    && !constants.iter().any(|c| symbols.contains(c))
                {
                    *decided = Some(false);
                    count += 1;
                }
            }
        }
        count
    }

    fn answer(&mut self, open: &[TermId], post: &Post) {
        match post {
            Post::Infeasible => self.feasible = Some(false),
            Post::Goals(answers) => {
                self.feasible = Some(true);
                for (goal, &answer) in open.iter().zip(answers) {
                    self.decide(&[*goal], answer);
                }
            }
        }
    }

    fn holds(&self, goal: TermId) -> bool {
        self.feasible == Some(false)
            || self.goals.iter().zip(&self.decided).any(|(&g, d)| g == goal && *d == Some(true))
    }

    fn post_for(&self, goals: &[TermId]) -> Post {
        match self.feasible {
            Some(false) => Post::Infeasible,
            _ => Post::Goals(goals.iter().map(|&g| self.holds(g)).collect()),
        }
    }

    fn post(&self) -> Post {
        self.post_for(&self.goals)
    }
}

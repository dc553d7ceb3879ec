//! The search: state a problem, solve it, read the answer.
//!
//! Which part is where: unit propagation in `propagation`, learning in `analysis`,
//! scopes, clause-database reduction and compaction in `maintenance`. The loop itself is
//! [`Solver::solve`].
//!
//! Scopes. Every clause carries the number of the innermost user scope on which it
//! depends; a learnt clause the greatest of those of its antecedents. Popping
//! removes the clauses of the popped scopes and the variables
//! created in them, and shortens the trail of level zero to what it was at the
//! push. Learnt clauses that do not depend on the popped scopes survive.

use bolide_base::{Budget, NoAnswer};

use crate::clauses::{ClauseArena, ClauseRef};
use crate::heap::VarHeap;
use crate::literal::{Lit, Var};
use crate::phases::Phases;
use crate::proof::ProofId;
use crate::restarts::{Glue, Restarts};
use crate::theory::{Actions, FinalCheck, Queue, Theory};

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The present assignment satisfies all clauses and the theory.
    Sat,
    /// The clauses and the theory exclude the assumptions: see
    /// [`Solver::core`].
    Unsat,
    /// Neither was found: the budget was exhausted, or the theory could not decide.
    Unknown(NoAnswer),
}

/// Why a literal is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Decision,
    Clause(ClauseRef),
    /// The unit clause with this number.
    Unit(u32),
    /// The theory knows, by this token.
    Theory(u32),
}

/// A clause in the list of a literal that it watches, with another of its literals: while that is true nothing
/// needs to be done, and of a clause of two literals it is all there is to know.
#[derive(Clone, Copy)]
pub(crate) struct Watch {
    pub clause: ClauseRef,
    /// Twice the literal, plus one for a clause of two.
    blocker: u32,
}

impl Watch {
    #[inline]
    pub fn new(clause: ClauseRef, blocker: Lit, is_binary: bool) -> Watch {
        Watch { clause, blocker: (blocker.code() as u32) << 1 | u32::from(is_binary) }
    }

    #[inline]
    pub fn blocker(self) -> Lit {
        Lit::from_code((self.blocker >> 1) as usize)
    }

    #[inline]
    pub fn is_binary(self) -> bool {
        self.blocker & 1 != 0
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Unit {
    pub lit: Lit,
    pub scope: usize,
    pub proof: ProofId,
    /// Found by the search, not part of the problem.
    pub learnt: bool,
}

/// What to return to when a user scope is popped.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    pub vars: usize,
    pub trail: usize,
    pub clauses: usize,
    pub units: usize,
}

/// After so many decisions and conflicts, or so many visits, the budget is polled. Heuristic: some ten microseconds.
const ROUNDS: u32 = 64;
const VISITS: u64 = 300;

/// Counts since the solver was made.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Statistics {
    pub conflicts: u64,
    pub decisions: u64,
    pub propagations: u64,
    /// Watches that propagation looked at.
    pub visits: u64,
    pub restarts: u64,
    /// Clauses that theories added.
    pub lemmas: u64,
}

/// A CDCL solver. Every method that may touch the theory takes the object that
/// implements it (and the proof sink), so that this object can borrow
/// what it likes between calls.
pub struct Solver {
    /// By literal: positive when true, negative when false, zero when open.
    pub(crate) values: Vec<i8>,
    pub(crate) levels: Vec<u32>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) positions: Vec<u32>,
    pub(crate) phases: Phases,
    /// Proof of the unit clause of a level-zero literal, once one was needed.
    pub(crate) unit_proofs: Vec<ProofId>,
    pub(crate) seen: Vec<u8>,
    pub(crate) watches: Vec<Vec<Watch>>,
    pub(crate) arena: ClauseArena,
    /// Watched clauses in order of addition.
    pub(crate) clauses: Vec<ClauseRef>,
    pub(crate) units: Vec<Unit>,
    pub(crate) trail: Vec<Lit>,
    pub(crate) level_starts: Vec<usize>,
    pub(crate) head: usize,
    pub(crate) theory_head: usize,
    pub(crate) scopes: Vec<Scope>,
    /// The empty clause was derived: in which scope, with which proof.
    pub(crate) refuted: Option<(usize, ProofId)>,
    /// The empty clause was among those given: in which scope.
    pub(crate) contradiction: Option<usize>,
    pub(crate) heap: VarHeap,
    /// Redundant clauses that there are, and that there have been.
    pub(crate) redundant: usize,
    pub(crate) learnt: u64,
    pub(crate) reductions: u64,
    /// The number of learnt clauses at which the next reduction is due.
    pub(crate) reduce_at: u64,
    pub(crate) queue: Queue,
    pub(crate) core: Vec<Lit>,
    pub(crate) core_proof: ProofId,
    pub(crate) statistics: Statistics,
    pub(crate) glue: Glue,
    pub(crate) buffers: Buffers,
}

// Heuristic: redundant clauses that are not worth a reduction.
const FEW: usize = 2000;

/// Vectors that are reused from conflict to conflict.
#[derive(Default)]
pub(crate) struct Buffers {
    pub explanation: Vec<Lit>,
    pub learnt: Vec<Lit>,
    pub chain: Vec<(Lit, ProofId)>,
    pub to_clear: Vec<Var>,
    pub zero: Vec<Var>,
    pub stack: Vec<(Lit, usize)>,
    pub removed: Vec<Var>,
    pub stamps: Stamps,
    pub clause: Vec<Lit>,
}

/// Which levels were met in the present clause.
#[derive(Default)]
pub(crate) struct Stamps {
    stamps: Vec<u32>,
    stamp: u32,
}

impl Stamps {
    /// How many levels the literals come from.
    pub fn distinct(&mut self, lits: &[Lit], levels: &[u32]) -> usize {
        self.stamp += 1;
        let mut count = 0;
        for lit in lits {
            let level = levels[lit.var().index()] as usize;
            if self.stamps.len() <= level {
                self.stamps.resize(level + 1, 0);
            }
            if self.stamps[level] != self.stamp {
                self.stamps[level] = self.stamp;
                count += 1;
            }
        }
        count
    }
}

impl Default for Solver {
    fn default() -> Self {
        Solver::new()
    }
}

impl Solver {
    /// A solver without variables and clauses.
    pub fn new() -> Self {
        Solver {
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            positions: Vec::new(),
            phases: Phases::default(),
            unit_proofs: Vec::new(),
            seen: Vec::new(),
            watches: Vec::new(),
            arena: ClauseArena::default(),
            clauses: Vec::new(),
            units: Vec::new(),
            trail: Vec::new(),
            level_starts: Vec::new(),
            head: 0,
            theory_head: 0,
            scopes: Vec::new(),
            refuted: None,
            contradiction: None,
            heap: VarHeap::new(),
            redundant: 0,
            learnt: 0,
            reductions: 0,
            reduce_at: 0,
            queue: Queue::default(),
            core: Vec::new(),
            core_proof: ProofId::NONE,
            statistics: Statistics::default(),
            glue: Glue::default(),
            buffers: Buffers::default(),
        }
    }

    // State a problem.

    /// A new variable, in the present scope.
    pub fn new_var(&mut self) -> Var {
        let var = Var::new(self.levels.len());
        // `Actions::new_var` has already made room for the value.
        self.values.resize(2 * (var.index() + 1), 0);
        self.levels.push(0);
        self.reasons.push(Reason::Decision);
        self.positions.push(0);
        self.phases.add_var();
        self.unit_proofs.push(ProofId::NONE);
        self.seen.push(0);
        self.watches.push(Vec::new());
        self.watches.push(Vec::new());
        self.heap.add_var();
        var
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.levels.len()
    }

    /// Asserts a clause in the present scope.
    pub fn add_clause<C: Theory>(&mut self, context: &mut C, lits: &[Lit], proof: ProofId) {
        self.backtrack(context, 0);
        let scope = self.scopes.len();
        self.add_at_root(context, lits, scope, proof);
    }

    /// Adds a clause that is valid by the meaning of its variables, hence is
    /// kept as long as they exist.
    pub fn add_valid_clause<C: Theory>(&mut self, context: &mut C, lits: &[Lit], proof: ProofId) {
        self.backtrack(context, 0);
        let scope = self.scope_of_vars(lits);
        self.add_at_root(context, lits, scope, proof);
    }

    fn add_at_root<C: Theory>(
        &mut self,
        context: &mut C,
        lits: &[Lit],
        scope: usize,
        proof: ProofId,
    ) {
        if self.refuted.is_some() {
            // The clause must not be lost: the scope of the refutation may be popped before
            // that of the clause.
            self.insert_inert(lits, scope, proof);
            return;
        }
        if let Some(conflict) = self.insert(context, lits, false, scope, proof) {
            self.refute(context, conflict);
        }
    }

    // Solve.

    /// Searches for an assignment that satisfies the clauses, the theory and
    /// the assumptions. After `Sat` the assignment stays until the next call
    /// that changes the problem.
    pub fn solve<C: Theory>(
        &mut self,
        context: &mut C,
        assumptions: &[Lit],
        budget: &Budget,
    ) -> Outcome {
        self.core.clear();
        self.core_proof = ProofId::NONE;
        self.backtrack(context, 0);
        let mut restarts = Restarts::new();
        let (mut rounds, mut polled) = (0, self.statistics.visits);
        loop {
            if let Some((_, proof)) = self.refuted {
                self.core_proof = proof;
                return Outcome::Unsat;
            }
            rounds += 1;
            // A poll stands for work: in large problems a round may be much.
            if rounds >= ROUNDS || self.statistics.visits - polled >= VISITS {
                (rounds, polled) = (0, self.statistics.visits);
                if let Err(limit) = budget.poll() {
                    return Outcome::Unknown(limit.into());
                }
            }
            if let Some(conflict) = self.propagate(context) {
                self.statistics.conflicts += 1;
                restarts.note_conflict();
                if restarts.is_stable() {
                    let start = self.level_starts.last().copied().unwrap_or_default();
                    self.phases.note(&self.trail[..start]);
                }
                self.resolve_conflict(context, conflict);
                continue;
            }
            if self.refuted.is_some() {
                continue;
            }
            if restarts.is_due(&self.glue) && self.level() > assumptions.len() {
                restarts.restarted();
                self.statistics.restarts += 1;
                let level = self.reusable_level(assumptions.len());
                self.backtrack(context, level);
                if restarts.is_stable() {
                    self.phases.change(self.statistics.conflicts);
                }
                continue;
            }
            if self.learnt >= self.reduce_at && self.redundant >= FEW {
                self.reduce();
            }
            if self.arena.wants_compaction() {
                self.compact();
            }
            let decision = if self.level() < assumptions.len() {
                let assumption = assumptions[self.level()];
                if self.value(assumption) == Some(false) {
                    self.analyze_final(context, assumption);
                    return Outcome::Unsat;
                }
                assumption
            } else if let Some(lit) = self.pick(context, restarts.is_stable()) {
                self.statistics.decisions += 1;
                lit
            } else {
                match self.conclude(context, budget) {
                    Some(outcome) => return outcome,
                    None => {
                        self.raise_first(context, assumptions.len());
                        continue;
                    }
                }
            };
            self.level_starts.push(self.trail.len());
            context.push_level();
            if self.value(decision).is_none() {
                self.enqueue(decision, Reason::Decision);
            }
        }
    }

    /// What there is to say when all variables are assigned; nothing when the search goes on.
    fn conclude<C: Theory>(&mut self, context: &mut C, budget: &Budget) -> Option<Outcome> {
        match self.full_assignment(context) {
            Full::Model => return Some(Outcome::Sat),
            Full::Stop(reason) => {
                let limit = budget.poll().err().map(NoAnswer::from);
                return Some(Outcome::Unknown(limit.unwrap_or(NoAnswer::solver(reason))));
            }
            Full::Continue(None) => {}
            Full::Continue(Some(conflict)) => {
                self.statistics.conflicts += 1;
                self.resolve_conflict(context, conflict);
            }
        }
        budget.poll().err().map(|limit| Outcome::Unknown(limit.into()))
    }

    /// Starts again where variables are to be decided before all others.
    fn raise_first<C: Theory>(&mut self, context: &mut C, level: usize) {
        if self.queue.first.is_empty() {
            return;
        }
        for var in std::mem::take(&mut self.queue.first) {
            self.heap.raise(var);
        }
        if self.level() > level {
            self.backtrack(context, level);
        }
    }

    /// The theory's word on a full assignment.
    fn full_assignment<C: Theory>(&mut self, context: &mut C) -> Full {
        let mut actions = Actions {
            variables: self.levels.len(),
            values: &mut self.values,
            queue: &mut self.queue,
        };
        let verdict = context.final_check(&mut actions);
        if !self.queue.is_empty() {
            return Full::Continue(self.take_in(context));
        }
        match verdict {
            FinalCheck::Consistent => Full::Model,
            FinalCheck::Continue => Full::Stop("the theory wants to go on but says nothing"),
            FinalCheck::GiveUp(reason) => Full::Stop(reason),
        }
    }

    /// How many levels a restart would repeat: those whose decisions come before all that is open (van der Tak,
    /// Ramos and Heule, *Reusing the assignment trail in CDCL solvers*, 2011).
    fn reusable_level(&mut self, least: usize) -> usize {
        while let Some(var) = self.heap.first() {
            if self.value(var.lit(true)).is_none() {
                let kept = self.level_starts[least..].iter().take_while(|&&start| {
                    let decision = self.trail.get(start).map(|lit| lit.var());
                    decision.is_some_and(|decision| self.heap.is_before(decision, var))
                });
                return least + kept.count();
            }
            self.heap.pop();
        }
        least
    }

    /// The next decision; none when all variables have a value.
    fn pick<C: Theory>(&mut self, context: &mut C, is_stable: bool) -> Option<Lit> {
        while let Some(var) = self.heap.pop() {
            if self.value(var.lit(true)).is_none() {
                let phase = self.phases.of(var, is_stable).or_else(|| context.phase(var));
                return Some(var.lit(phase.unwrap_or(false)));
            }
        }
        None
    }

    // Read the answer.

    /// The value of a literal in the present assignment.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.values[lit.code()] {
            0 => None,
            v => Some(v > 0),
        }
    }

    /// After `Unsat`: the assumptions that the refutation used.
    pub fn core(&self) -> &[Lit] {
        &self.core
    }

    /// After `Unsat`, if the proof is wanted: the proof of the clause that consists
    /// of the negated [`core`](Self::core). None when the core is two
    /// assumptions that contradict each other.
    pub fn core_proof(&self) -> ProofId {
        self.core_proof
    }

    /// What happened so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// How many clauses are kept, and in how many words.
    pub fn size(&self) -> (usize, usize) {
        (self.clauses.len(), self.arena.words())
    }

    /// Forgets the present assignment, down to level zero.
    pub fn reset_assignment<C: Theory>(&mut self, context: &mut C) {
        self.backtrack(context, 0);
    }

    // Internals shared by the other files.

    #[inline]
    pub(crate) fn level(&self) -> usize {
        self.level_starts.len()
    }

    #[inline]
    pub(crate) fn enqueue(&mut self, lit: Lit, reason: Reason) {
        debug_assert!(self.value(lit).is_none());
        let var = lit.var().index();
        self.values[lit.code()] = 1;
        self.values[(!lit).code()] = -1;
        self.levels[var] = self.level_starts.len() as u32;
        self.reasons[var] = reason;
        self.positions[var] = self.trail.len() as u32;
        self.trail.push(lit);
    }

    /// Undoes all decisions above `level`.
    pub(crate) fn backtrack<C: Theory>(&mut self, context: &mut C, level: usize) {
        if self.level() <= level {
            return;
        }
        context.pop_levels(self.level() - level);
        let start = self.level_starts[level];
        self.level_starts.truncate(level);
        self.unassign_from(start);
    }

    /// Shortens the trail.
    pub(crate) fn unassign_from(&mut self, start: usize) {
        for i in (start..self.trail.len()).rev() {
            let lit = self.trail[i];
            let var = lit.var();
            self.values[lit.code()] = 0;
            self.values[(!lit).code()] = 0;
            self.phases.save(lit);
            self.unit_proofs[var.index()] = ProofId::NONE;
            if let Reason::Clause(clause) = self.reasons[var.index()]
                && self.arena.is_explanation(clause)
            {
                self.arena.delete(clause);
            }
            self.reasons[var.index()] = Reason::Decision;
            self.heap.insert(var);
        }
        self.trail.truncate(start);
        self.head = self.head.min(start);
        self.theory_head = self.theory_head.min(start);
    }
}

enum Full {
    Model,
    Continue(Option<ClauseRef>),
    Stop(&'static str),
}

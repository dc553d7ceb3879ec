//! What the search asks of a theory, and what a theory may tell the search.
//!
//! The search calls, in this order as often as needed: [`Theory::assign`] for
//! each literal that became true, in the order of the trail; then
//! [`Theory::propagate`]; at a full assignment [`Theory::final_check`]. A
//! decision is announced by [`Theory::push_level`] before its literal is
//! assigned; [`Theory::pop_levels`] undoes the assignments of the last levels
//! (but not the existence of variables that were created in them).
//! [`Theory::push_scope`] and [`Theory::pop_scopes`] come from the user, at decision level
//! zero only; popping a scope undoes the assignments *and* retires the
//! variables that were created in it.
//!
//! A theory answers through [`Actions`]: clauses (conflicts, lemmas, splits:
//! over old and new variables, whatever their present values), and
//! propagations whose reason is asked for only when the analysis of a conflict
//! meets them ([`Theory::explain`]).

use crate::literal::{Lit, Var};
use crate::proof::{ProofId, ProofSink};

/// How a theory judges a full assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalCheck {
    /// There is a model: the search ends with `Sat`.
    Consistent,
    /// Clauses, variables or propagations were added: the search goes on.
    Continue,
    /// The theory cannot decide this assignment: the search ends with
    /// `Unknown`.
    GiveUp(&'static str),
}

/// How long a clause of a theory is to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// As long as its variables exist: definitions, splits, axioms.
    Always,
    /// As long as the search finds it useful: conflicts, learnt facts.
    WhileUseful,
}

/// A decision procedure for conjunctions of literals that takes part in the
/// search. All methods have a default that does nothing, except those without
/// which a theory is none.
pub trait Theory: ProofSink {
    /// `lit` became true. Every literal of every variable is reported; a theory
    /// skips those that mean nothing to it.
    fn assign(&mut self, lit: Lit);

    /// A new decision level begins.
    fn push_level(&mut self);

    /// Undo the assignments of the last `count` decision levels.
    fn pop_levels(&mut self, count: usize);

    /// A user's scope begins (at decision level zero).
    fn push_scope(&mut self) {}

    /// Undo all assignments since the matching
    /// [`push_scope`](Self::push_scope) and forget the variables from
    /// number `first_retired` on.
    fn pop_scopes(&mut self, _count: usize, _first_retired: usize) {}

    /// Look for conflicts and consequences of what has been assigned. May be
    /// incomplete; is called at every fixpoint of unit propagation.
    fn propagate(&mut self, actions: &mut Actions<'_>);

    /// Decide the full assignment, completely.
    fn final_check(&mut self, actions: &mut Actions<'_>) -> FinalCheck;

    /// Appends to `clause` the reason of a propagated literal: a clause that
    /// contains `lit` and otherwise only literals that were false *before*
    /// `lit` was propagated. `reason` is what
    /// [`Actions::propagate`] was given. Returns where the proof of that
    /// clause is found.
    fn explain(&mut self, lit: Lit, reason: u32, clause: &mut Vec<Lit>) -> ProofId;

    /// The value to try first for a variable that never had one.
    fn phase(&mut self, _var: Var) -> Option<bool> {
        None
    }
}

/// Nothing but clauses, and no proof.
pub struct NoTheory;

impl ProofSink for NoTheory {}

impl Theory for NoTheory {
    fn assign(&mut self, _lit: Lit) {}

    fn push_level(&mut self) {}

    fn pop_levels(&mut self, _count: usize) {}

    fn propagate(&mut self, _actions: &mut Actions<'_>) {}

    fn final_check(&mut self, _actions: &mut Actions<'_>) -> FinalCheck {
        FinalCheck::Consistent
    }

    fn explain(&mut self, _lit: Lit, _reason: u32, _clause: &mut Vec<Lit>) -> ProofId {
        unreachable!("nothing is propagated")
    }
}

/// What a theory wants to tell the search; takes effect when the call returns.
pub struct Actions<'a> {
    pub(crate) values: &'a mut Vec<i8>,
    pub(crate) queue: &'a mut Queue,
    pub(crate) variables: usize,
}

/// What theories have said and the search has not yet taken in.
#[derive(Default)]
pub(crate) struct Queue {
    /// Flat literals of `clauses`.
    pub lits: Vec<Lit>,
    pub clauses: Vec<QueuedClause>,
    pub propagations: Vec<(Lit, u32)>,
    /// How many variables were asked for.
    pub new_vars: usize,
    /// Variables to be decided before all others.
    pub first: Vec<Var>,
}

pub(crate) struct QueuedClause {
    pub start: usize,
    pub end: usize,
    pub keep: Keep,
    pub proof: ProofId,
}

impl Queue {
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.propagations.is_empty() && self.new_vars == 0
    }
}

impl Actions<'_> {
    /// A new variable; it may be used at once in clauses of this call.
    pub fn new_var(&mut self) -> Var {
        let var = Var::new(self.variables);
        self.variables += 1;
        self.queue.new_vars += 1;
        self.values.push(0);
        self.values.push(0);
        var
    }

    /// How many variables there are, those made in this call included.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The value of `lit` before what this call has queued.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.values[lit.code()] {
            0 => None,
            v => Some(v > 0),
        }
    }

    /// A clause that is valid in the theory, whatever the present values of its
    /// literals: a conflict when all are false, a propagation when all but one
    /// are, a lemma otherwise.
    pub fn clause(&mut self, lits: &[Lit], keep: Keep, proof: ProofId) {
        let start = self.queue.lits.len();
        self.queue.lits.extend_from_slice(lits);
        let end = self.queue.lits.len();
        self.queue.clauses.push(QueuedClause { start, end, keep, proof });
    }

    /// `lit` follows from the literals assigned so far;
    /// [`Theory::explain`] will be asked with `reason` if anyone wants to know
    /// why.
    pub fn propagate(&mut self, lit: Lit, reason: u32) {
        self.queue.propagations.push((lit, reason));
    }

    /// At a full assignment: the search starts again, and this variable is the next to be decided. For
    /// distinctions on which much of what has been decided should depend.
    pub fn decide_first(&mut self, var: Var) {
        self.queue.first.push(var);
    }

    /// Whether anything was said in this call.
    pub fn is_silent(&self) -> bool {
        self.queue.is_empty()
    }
}

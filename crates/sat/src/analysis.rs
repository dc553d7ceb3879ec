//! Learning from conflicts, with exact resolution chains.
//!
//! The first unique implication point is found as usual; the clause is minimised
//! by removing literals implied by the others (Sorensson and Biere). When a proof
//! is wanted, the chain consists of the reasons met on the way in reverse
//! order of the trail, then the reasons that minimisation used, likewise ordered,
//! then the unit clauses of the level-zero literals: each pivot occurs when
//! its turn comes and never returns.

use crate::clauses::ClauseRef;
use crate::literal::Lit;
use crate::proof::ProofId;
use crate::solver::{Reason, Solver, Unit};
use crate::theory::Theory;

const OPEN: u8 = 0;
/// In the clause being learnt, or resolved away already.
const SOURCE: u8 = 1;
/// Found to be implied by the other literals.
const REMOVABLE: u8 = 2;
/// Found not to be.
const FAILED: u8 = 3;

/// Levels in a clause that is always kept (Audemard and Simon call it glue).
pub(crate) const BEST: usize = 2;
// Heuristic: levels in a clause that two reductions spare after it was used, not one (Oh's tiers).
const GOOD: usize = 6;

/// How many reductions spare a clause that was used.
fn lives(lbd: usize) -> usize {
    if lbd <= GOOD { 2 } else { 1 }
}

impl Solver {
    /// Learns from a clause that is false at the present level, and goes back.
    pub(crate) fn resolve_conflict<C: Theory>(&mut self, context: &mut C, conflict: ClauseRef) {
        // A theory may find the conflict of an earlier level late.
        let top = self.arena.lits(conflict).iter().map(|l| self.levels[l.var().index()]).max();
        self.backtrack(context, top.unwrap_or(0) as usize);
        if self.level() == 0 {
            self.refute(context, conflict);
            return;
        }
        let scope = self.analyze(context, conflict);
        let learnt = std::mem::take(&mut self.buffers.learnt);
        let proof = context.derive(self.arena.proof(conflict), &self.buffers.chain, &learnt);
        self.heap.decay();
        if learnt.len() == 1 {
            self.backtrack(context, 0);
            let index = self.units.len() as u32;
            self.units.push(Unit { lit: learnt[0], scope, proof, learnt: true });
            self.enqueue(learnt[0], Reason::Unit(index));
        } else {
            let second = self.levels[learnt[1].var().index()] as usize;
            let lbd = self.lbd(&learnt);
            self.glue.note(lbd);
            self.backtrack(context, second);
            let clause = self.arena.add(&learnt, true, scope, proof);
            self.arena.set_lbd(clause, lbd);
            self.arena.set_used(clause, lives(lbd));
            self.redundant += 1;
            self.learnt += 1;
            self.attach(clause);
            self.enqueue(learnt[0], Reason::Clause(clause));
        }
        self.buffers.learnt = learnt;
    }

    /// Leaves the learnt clause (asserting literal first, then one of the level
    /// to go back to) and its chain in the buffers; returns its scope.
    fn analyze<C: Theory>(&mut self, context: &mut C, conflict: ClauseRef) -> usize {
        let wants = context.wants_proof();
        let current = self.level() as u32;
        let mut scope = 0;
        self.buffers.chain.clear();
        self.buffers.zero.clear();
        self.buffers.to_clear.clear();
        self.buffers.removed.clear();
        let mut learnt = std::mem::take(&mut self.buffers.learnt);
        learnt.clear();
        learnt.push(Lit::from_code(0));
        let mut open = 0usize;
        let mut index = self.trail.len();
        let mut clause = conflict;
        let mut pivot: Option<Lit> = None;
        loop {
            scope = scope.max(self.arena.scope(clause));
            self.bump_clause(clause);
            if let Some(pivot) = pivot
                && wants
            {
                self.buffers.chain.push((pivot, self.arena.proof(clause)));
            }
            for i in 0..self.arena.lits(clause).len() {
                let lit = self.arena.lits(clause)[i];
                let var = lit.var();
                if pivot == Some(lit) || self.seen[var.index()] != OPEN {
                    continue;
                }
                self.seen[var.index()] = SOURCE;
                self.buffers.to_clear.push(var);
                if self.levels[var.index()] == 0 {
                    self.buffers.zero.push(var);
                    continue;
                }
                self.heap.bump(var);
                if self.levels[var.index()] == current {
                    open += 1;
                } else {
                    learnt.push(lit);
                }
            }
            loop {
                index -= 1;
                let var = self.trail[index].var();
                if self.seen[var.index()] != OPEN && self.levels[var.index()] == current {
                    break;
                }
            }
            let lit = self.trail[index];
            open -= 1;
            if open == 0 {
                learnt[0] = !lit;
                break;
            }
            clause = self.reason_clause(context, lit);
            pivot = Some(lit);
        }
        scope = scope.max(self.minimise(context, &mut learnt));
        let zero_scope = self.resolve_zero(context);
        scope = scope.max(zero_scope);
        for i in 0..self.buffers.to_clear.len() {
            let var = self.buffers.to_clear[i];
            self.seen[var.index()] = OPEN;
        }
        if learnt.len() > 1 {
            let best = (1..learnt.len())
                .max_by_key(|&i| self.levels[learnt[i].var().index()])
                .expect("not empty");
            learnt.swap(1, best);
        }
        self.buffers.learnt = learnt;
        scope
    }

    /// Removes literals implied by the others; returns the scope of the reasons
    /// used. Appends to the chain.
    fn minimise<C: Theory>(&mut self, context: &mut C, learnt: &mut Vec<Lit>) -> usize {
        let mut scope = 0;
        let mut kept = 1;
        for i in 1..learnt.len() {
            let lit = learnt[i];
            if self.is_removable(context, lit) {
                self.buffers.removed.push(lit.var());
            } else {
                learnt[kept] = lit;
                kept += 1;
            }
        }
        if kept == learnt.len() {
            return 0;
        }
        learnt.truncate(kept);
        if !context.wants_proof() && self.scopes.is_empty() {
            // Nobody asks what the removals rest on.
            return 0;
        }
        // What was removed, and what those removals resolve with in turn.
        // Literals of the learnt clause end the walk.
        let mut removed = std::mem::take(&mut self.buffers.removed);
        for lit in learnt.iter() {
            self.seen[lit.var().index()] = FAILED;
        }
        for var in &removed {
            self.seen[var.index()] = REMOVABLE + 2;
        }
        let mut next = 0;
        while next < removed.len() {
            let var = removed[next];
            next += 1;
            let lit = var.lit(self.values[var.lit(true).code()] > 0);
            let clause = self.reason_clause(context, lit);
            for i in 0..self.arena.lits(clause).len() {
                let other = self.arena.lits(clause)[i].var();
                if other == var {
                    continue;
                }
                if self.levels[other.index()] == 0 {
                    if self.seen[other.index()] == OPEN {
                        self.seen[other.index()] = SOURCE;
                        self.buffers.to_clear.push(other);
                        self.buffers.zero.push(other);
                    }
                } else if self.seen[other.index()] == REMOVABLE {
                    self.seen[other.index()] = REMOVABLE + 2;
                    removed.push(other);
                }
            }
        }
        removed.sort_unstable_by_key(|var| std::cmp::Reverse(self.positions[var.index()]));
        for &var in &removed {
            let lit = var.lit(self.values[var.lit(true).code()] > 0);
            let clause = self.reason_clause(context, lit);
            scope = scope.max(self.arena.scope(clause));
            if context.wants_proof() {
                self.buffers.chain.push((lit, self.arena.proof(clause)));
            }
        }
        self.buffers.removed = removed;
        scope
    }

    /// Whether the falsity of `lit` follows from that of marked literals.
    fn is_removable<C: Theory>(&mut self, context: &mut C, lit: Lit) -> bool {
        if self.reasons[lit.var().index()] == Reason::Decision {
            return false;
        }
        let mut stack = std::mem::take(&mut self.buffers.stack);
        stack.clear();
        stack.push((!lit, 0));
        let result = 'walk: loop {
            let Some(&mut (lit, ref mut next)) = stack.last_mut() else { break true };
            let position = *next;
            *next += 1;
            let clause = self.reason_clause(context, lit);
            let Some(&other) = self.arena.lits(clause).get(position) else {
                stack.pop();
                let var = lit.var();
                if self.seen[var.index()] == OPEN {
                    self.seen[var.index()] = REMOVABLE;
                    self.buffers.to_clear.push(var);
                }
                continue;
            };
            let var = other.var();
            if var == lit.var() || self.levels[var.index()] == 0 {
                continue;
            }
            match self.seen[var.index()] {
                SOURCE | REMOVABLE => continue,
                OPEN if self.reasons[var.index()] != Reason::Decision
                    // Heuristic: long detours seldom end well.
                    && stack.len() < 1000 =>
                {
                    stack.push((!other, 0));
                }
                _ => {
                    // Nothing on the stack can be removed, except what is
                    // itself a literal of the clause and stays there.
                    for var in stack.iter().map(|(lit, _)| lit.var()).chain([var]) {
                        if self.seen[var.index()] == OPEN {
                            self.seen[var.index()] = FAILED;
                            self.buffers.to_clear.push(var);
                        }
                    }
                    break 'walk false;
                }
            }
        };
        self.buffers.stack = stack;
        result
    }

    /// Resolves the collected level-zero literals away.
    fn resolve_zero<C: Theory>(&mut self, context: &mut C) -> usize {
        let mut scope = 0;
        let zero = std::mem::take(&mut self.buffers.zero);
        for &var in &zero {
            let lit = var.lit(self.values[var.lit(true).code()] > 0);
            let (proof, own) = self.why_zero(context, lit);
            scope = scope.max(own);
            self.buffers.chain.push((lit, proof));
        }
        self.buffers.zero = zero;
        scope
    }

    /// The reason of a true literal as a clause; asks the theory if need be.
    fn reason_clause<C: Theory>(&mut self, context: &mut C, lit: Lit) -> ClauseRef {
        match self.reasons[lit.var().index()] {
            Reason::Clause(clause) => clause,
            Reason::Theory(token) => {
                let mut buffer = std::mem::take(&mut self.buffers.explanation);
                buffer.clear();
                let proof = context.explain(lit, token, &mut buffer);
                debug_assert!(buffer.contains(&lit), "an explanation contains what it explains");
                debug_assert!(buffer.iter().all(|&l| l == lit
                    || (self.value(l) == Some(false)
                        && self.positions[l.var().index()] < self.positions[lit.var().index()])));
                let scope = self.scope_of_vars(&buffer);
                let clause = self.arena.add(&buffer, true, scope, proof);
                self.arena.set_explanation(clause);
                self.buffers.explanation = buffer;
                self.reasons[lit.var().index()] = Reason::Clause(clause);
                clause
            }
            Reason::Decision | Reason::Unit(_) => {
                unreachable!("decisions and units are not resolved upon by their reason")
            }
        }
    }

    /// The proof of the unit clause of a literal that is true at level zero.
    fn unit_proof<C: Theory>(&mut self, context: &mut C, lit: Lit) -> ProofId {
        let mut stack = vec![lit];
        while let Some(&lit) = stack.last() {
            let var = lit.var().index();
            if self.unit_proofs[var].is_some() {
                stack.pop();
                continue;
            }
            if let Reason::Unit(index) = self.reasons[var] {
                self.unit_proofs[var] = self.units[index as usize].proof;
                stack.pop();
                continue;
            }
            let clause = self.reason_clause(context, lit);
            let before = stack.len();
            for &other in self.arena.lits(clause) {
                if other != lit && !self.unit_proofs[other.var().index()].is_some() {
                    stack.push(!other);
                }
            }
            if stack.len() > before {
                continue;
            }
            let chain: Vec<(Lit, ProofId)> = self
                .arena
                .lits(clause)
                .iter()
                .filter(|&&other| other != lit)
                .map(|&other| (!other, self.unit_proofs[other.var().index()]))
                .collect();
            self.unit_proofs[var] = context.derive(self.arena.proof(clause), &chain, &[lit]);
            stack.pop();
        }
        self.unit_proofs[lit.var().index()]
    }

    /// The proof of a literal that is true at level zero, and the scope on which it depends.
    fn why_zero<C: Theory>(&mut self, context: &mut C, lit: Lit) -> (ProofId, usize) {
        let scope = self.scope_of_position(self.positions[lit.var().index()] as usize);
        let proof =
            if context.wants_proof() { self.unit_proof(context, lit) } else { ProofId::NONE };
        (proof, scope)
    }

    /// All literals of the clause are false at level zero: the problem is
    /// contradictory.
    pub(crate) fn refute<C: Theory>(&mut self, context: &mut C, conflict: ClauseRef) {
        let mut scope = self.arena.scope(conflict);
        let mut chain = Vec::new();
        for i in 0..self.arena.lits(conflict).len() {
            let lit = !self.arena.lits(conflict)[i];
            let (proof, own) = self.why_zero(context, lit);
            scope = scope.max(own);
            chain.push((lit, proof));
        }
        let proof = context.derive(self.arena.proof(conflict), &chain, &[]);
        self.note_refutation(scope, proof);
    }

    /// The unit clause contradicts what holds at level zero.
    pub(crate) fn refute_unit<C: Theory>(&mut self, context: &mut C, index: u32) {
        let unit = self.units[index as usize];
        let (why, scope) = self.why_zero(context, !unit.lit);
        let proof = context.derive(unit.proof, &[(!unit.lit, why)], &[]);
        self.note_refutation(unit.scope.max(scope), proof);
    }

    pub(crate) fn note_refutation(&mut self, scope: usize, proof: ProofId) {
        // The refutation that survives most pops is the better one.
        if self.refuted.is_none_or(|(old, _)| scope < old) {
            self.refuted = Some((scope, proof));
        }
    }

    /// The assumption is false: which assumptions are to blame?
    pub(crate) fn analyze_final<C: Theory>(&mut self, context: &mut C, assumption: Lit) {
        let wants = context.wants_proof();
        self.core.clear();
        self.core.push(assumption);
        self.core_proof = ProofId::NONE;
        let var = assumption.var();
        let truth = !assumption;
        if self.levels[var.index()] == 0 {
            if wants {
                self.core_proof = self.unit_proof(context, truth);
            }
            return;
        }
        if self.reasons[var.index()] == Reason::Decision {
            self.core.push(truth);
            return;
        }
        self.buffers.chain.clear();
        self.buffers.zero.clear();
        let mut first = None;
        let mut to_clear = vec![var];
        self.seen[var.index()] = SOURCE;
        for i in (self.level_starts[0]..=self.positions[var.index()] as usize).rev() {
            let lit = self.trail[i];
            if self.seen[lit.var().index()] == OPEN {
                continue;
            }
            if self.reasons[lit.var().index()] == Reason::Decision {
                self.core.push(lit);
                continue;
            }
            let clause = self.reason_clause(context, lit);
            match first {
                None => first = Some(self.arena.proof(clause)),
                Some(_) => self.buffers.chain.push((lit, self.arena.proof(clause))),
            }
            for &other in self.arena.lits(clause) {
                let var = other.var();
                if self.seen[var.index()] == OPEN {
                    self.seen[var.index()] = SOURCE;
                    to_clear.push(var);
                    if self.levels[var.index()] == 0 {
                        self.buffers.zero.push(var);
                    }
                }
            }
        }
        for var in to_clear {
            self.seen[var.index()] = OPEN;
        }
        if wants {
            self.resolve_zero(context);
            let first = first.expect("a propagated literal has a reason");
            let clause: Vec<Lit> = self.core.iter().map(|&lit| !lit).collect();
            self.core_proof = context.derive(first, &self.buffers.chain, &clause);
        }
    }

    /// How many decision levels the literals come from.
    fn lbd(&mut self, lits: &[Lit]) -> usize {
        self.buffers.stamps.distinct(lits, &self.levels)
    }

    fn bump_clause(&mut self, clause: ClauseRef) {
        if !self.arena.is_redundant(clause) {
            return;
        }
        // A clause that is used again may have become better.
        let mut lbd = self.arena.lbd(clause);
        if lbd > BEST {
            let now = self.buffers.stamps.distinct(self.arena.lits(clause), &self.levels);
            if now < lbd {
                lbd = now;
                self.arena.set_lbd(clause, lbd);
            }
        }
        self.arena.set_used(clause, lives(lbd));
    }

    /// The proof ids that are still needed, to be visited or replaced.
    pub fn for_each_proof(&mut self, mut visit: impl FnMut(&mut ProofId)) {
        let clauses: Vec<ClauseRef> = self.arena.iter().collect();
        for clause in clauses {
            let mut proof = self.arena.proof(clause);
            visit(&mut proof);
            self.arena.set_proof(clause, proof);
        }
        for unit in &mut self.units {
            visit(&mut unit.proof);
        }
        for proof in self.unit_proofs.iter_mut().filter(|proof| proof.is_some()) {
            visit(proof);
        }
        if let Some((_, proof)) = &mut self.refuted {
            visit(proof);
        }
        if self.core_proof.is_some() {
            visit(&mut self.core_proof);
        }
    }
}

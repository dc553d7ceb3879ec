//! Scopes, reduction of the clause database, compaction.

use crate::analysis::BEST;
use crate::clauses::ClauseRef;
use crate::literal::Lit;
use crate::solver::{Reason, Scope, Solver};
use crate::theory::Theory;

// Heuristic: clauses are learnt between two reductions, more each time by so many (Biere).
const INTERVAL: u64 = 300;

impl Solver {
    /// Opens a scope.
    pub fn push<C: Theory>(&mut self, context: &mut C) {
        self.backtrack(context, 0);
        // Required: all that follows from the outer scopes alone is on the trail
        // before the mark, so that no clause is unit below it after the pop.
        if self.refuted.is_none()
            && let Some(conflict) = self.propagate(context)
        {
            self.resolve_conflict(context, conflict);
        }
        self.scopes.push(Scope {
            vars: self.levels.len(),
            trail: self.trail.len(),
            clauses: self.clauses.len(),
            units: self.units.len(),
        });
        context.push_scope();
    }

    /// Closes the last `count` scopes: their clauses and variables are gone.
    pub fn pop<C: Theory>(&mut self, context: &mut C, count: usize) {
        if count == 0 {
            return;
        }
        self.backtrack(context, 0);
        let kept = self.scopes.len().checked_sub(count).expect("as many scopes are open");
        let scope = self.scopes[kept];
        self.unassign_from(scope.trail);
        self.scopes.truncate(kept);
        context.pop_scopes(count, scope.vars);

        let mut dirty: Vec<Lit> = Vec::new();
        let mut surviving = Vec::new();
        for clause in self.clauses.split_off(scope.clauses.min(self.clauses.len())) {
            for &lit in &self.arena.lits(clause)[..2] {
                dirty.push(lit);
            }
            if self.arena.scope(clause) > kept {
                if self.arena.is_redundant(clause) {
                    self.redundant -= 1;
                }
                self.arena.delete(clause);
            } else {
                surviving.push(clause);
            }
        }
        dirty.sort_unstable();
        dirty.dedup();
        for lit in dirty {
            if lit.var().index() < scope.vars {
                let arena = &self.arena;
                self.watches[lit.code()].retain(|watch| !arena.is_deleted(watch.clause));
            }
        }
        self.retire_vars(scope.vars);

        let mut units = self.units.split_off(scope.units);
        units.retain(|unit| unit.scope <= kept);
        self.units.append(&mut units);
        if self.refuted.is_some_and(|(scope, _)| scope > kept) {
            self.refuted = None;
        }
        self.contradiction = self.contradiction.filter(|&scope| scope <= kept);
        self.core.clear();
        self.readmit(context, scope.units, surviving);
    }

    fn retire_vars(&mut self, count: usize) {
        self.heap.truncate(count);
        self.values.truncate(2 * count);
        self.levels.truncate(count);
        self.reasons.truncate(count);
        self.positions.truncate(count);
        self.phases.truncate(count);
        self.unit_proofs.truncate(count);
        self.seen.truncate(count);
        self.watches.truncate(2 * count);
    }

    /// Units and clauses that outlived the scope in which they were found may be
    /// unit or false under what remains of the trail.
    fn readmit<C: Theory>(
        &mut self,
        context: &mut C,
        first_unit: usize,
        surviving: Vec<ClauseRef>,
    ) {
        for index in first_unit..self.units.len() {
            let lit = self.units[index].lit;
            match self.value(lit) {
                Some(true) => {}
                None => self.enqueue(lit, Reason::Unit(index as u32)),
                Some(false) => self.refute_unit(context, index as u32),
            }
        }
        for clause in surviving {
            // The watches may be false by literals that stay on the trail.
            self.clauses.push(clause);
            let lits = self.arena.lits(clause);
            let open = |lit: Lit| self.value(lit) != Some(false);
            if open(lits[0]) && open(lits[1]) {
                continue;
            }
            let (old_a, old_b) = (lits[0], lits[1]);
            for lit in [old_a, old_b] {
                self.watches[lit.code()].retain(|watch| watch.clause != clause);
            }
            self.clauses.pop();
            let values = &self.values;
            let lits = self.arena.lits_mut(clause);
            lits.sort_by_key(|lit| std::cmp::Reverse(values[lit.code()]));
            let (a, b) = (lits[0], lits[1]);
            self.attach(clause);
            match (self.value(a), self.value(b)) {
                (Some(false), _) => self.refute(context, clause),
                (None, Some(false)) => self.enqueue(a, Reason::Clause(clause)),
                _ => {}
            }
        }
    }

    /// Whether the clause is the reason of a literal.
    fn is_locked(&self, clause: ClauseRef) -> bool {
        self.arena.lits(clause)[..2].iter().any(|&lit| {
            self.value(lit) == Some(true)
                && self.reasons[lit.var().index()] == Reason::Clause(clause)
        })
    }

    /// Drops most of the redundant clauses that were not used of late, the worst first.
    pub(crate) fn reduce(&mut self) {
        let mut candidates = Vec::new();
        for &clause in &self.clauses {
            if !self.arena.is_redundant(clause) || self.arena.lbd(clause) <= BEST {
                continue;
            }
            match self.arena.used(clause) {
                0 if !self.is_locked(clause) => candidates.push(clause),
                0 => {}
                used => self.arena.set_used(clause, used - 1),
            }
        }
        let badness = |c: ClauseRef| (self.arena.lbd(c), self.arena.lits(c).len());
        candidates.sort_by_key(|&clause| std::cmp::Reverse(badness(clause)));
        candidates.truncate(candidates.len() * 3 / 4);
        for &clause in &candidates {
            self.arena.delete(clause);
            self.redundant -= 1;
        }
        self.drop_deleted();
        self.reductions += 1;
        self.reduce_at = self.learnt + INTERVAL * (self.reductions + 1);
    }

    /// Takes deleted clauses out of watch lists and the list of clauses.
    fn drop_deleted(&mut self) {
        let arena = &self.arena;
        for watches in &mut self.watches {
            watches.retain(|watch| !arena.is_deleted(watch.clause));
        }
        let mut kept = 0;
        let mut next_scope = 0;
        for i in 0..self.clauses.len() {
            while next_scope < self.scopes.len() && self.scopes[next_scope].clauses == i {
                self.scopes[next_scope].clauses = kept;
                next_scope += 1;
            }
            if !self.arena.is_deleted(self.clauses[i]) {
                self.clauses[kept] = self.clauses[i];
                kept += 1;
            }
        }
        for scope in &mut self.scopes[next_scope..] {
            scope.clauses = kept;
        }
        self.clauses.truncate(kept);
    }

    /// Moves the clauses together in memory.
    pub(crate) fn compact(&mut self) {
        let forwarding = self.arena.compact();
        for clause in &mut self.clauses {
            *clause = forwarding.of(*clause);
        }
        for watch in self.watches.iter_mut().flatten() {
            watch.clause = forwarding.of(watch.clause);
        }
        for lit in &self.trail {
            if let Reason::Clause(clause) = &mut self.reasons[lit.var().index()] {
                *clause = forwarding.of(*clause);
            }
        }
    }
}

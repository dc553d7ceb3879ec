//! Unit propagation with two watched literals, the exchange with the theory,
//! and the insertion of clauses whatever the present assignment.
//!
//! Invariant of the watches: when a watched literal is false, the other is true, or
//! the clause has been found unit or conflicting. A clause that was unit at a level
//! below the one where its literal was enqueued may lose that literal on
//! backtracking; such a missed propagation costs time, never an answer, because
//! falsifying the other watch still finds the conflict.

use crate::clauses::ClauseRef;
use crate::literal::Lit;
use crate::proof::ProofId;
use crate::solver::{Reason, Solver, Unit, Watch};
use crate::theory::{Actions, Keep, Theory};

impl Solver {
    /// Propagates through clauses and theory to the fixpoint, or to a clause
    /// all of whose literals are false.
    pub(crate) fn propagate<C: Theory>(&mut self, context: &mut C) -> Option<ClauseRef> {
        loop {
            if let Some(conflict) = self.unit_propagate() {
                return Some(conflict);
            }
            if self.refuted.is_some() {
                return None;
            }
            while self.theory_head < self.trail.len() {
                context.assign(self.trail[self.theory_head]);
                self.theory_head += 1;
            }
            let mut actions = Actions {
                variables: self.levels.len(),
                values: &mut self.values,
                queue: &mut self.queue,
            };
            context.propagate(&mut actions);
            if self.queue.is_empty() {
                return None;
            }
            // Until the theory is silent: it may have been told something again.
            if let Some(conflict) = self.take_in(context) {
                return Some(conflict);
            }
            if self.refuted.is_some() {
                return None;
            }
        }
    }

    fn unit_propagate(&mut self) -> Option<ClauseRef> {
        let mut conflict = None;
        while self.head < self.trail.len() && conflict.is_none() {
            let falsified = !self.trail[self.head];
            self.head += 1;
            self.statistics.propagations += 1;
            let mut watches = std::mem::take(&mut self.watches[falsified.code()]);
            let (mut from, mut to) = (0, 0);
            'watches: while from < watches.len() {
                let watch = watches[from];
                from += 1;
                let blocker = watch.blocker();
                let value = self.values[blocker.code()];
                if value > 0 || watch.is_binary() {
                    watches[to] = watch;
                    to += 1;
                    if value < 0 {
                        conflict = Some(watch.clause);
                        break;
                    }
                    if value == 0 {
                        self.enqueue(blocker, Reason::Clause(watch.clause));
                    }
                    continue;
                }
                let lits = self.arena.lits_mut(watch.clause);
                if lits[0] == falsified {
                    lits.swap(0, 1);
                }
                let first = lits[0];
                let watch = Watch::new(watch.clause, first, false);
                if self.values[first.code()] > 0 {
                    watches[to] = watch;
                    to += 1;
                    continue;
                }
                for k in 2..lits.len() {
                    if self.values[lits[k].code()] >= 0 {
                        lits.swap(1, k);
                        self.watches[lits[1].code()].push(watch);
                        continue 'watches;
                    }
                }
                watches[to] = watch;
                to += 1;
                if self.values[first.code()] < 0 {
                    conflict = Some(watch.clause);
                    break;
                }
                self.enqueue(first, Reason::Clause(watch.clause));
            }
            self.statistics.visits += from as u64;
            watches.copy_within(from.., to);
            let kept = to + watches.len() - from;
            watches.truncate(kept);
            self.watches[falsified.code()] = watches;
        }
        conflict
    }

    /// Takes in what the theory has said. The result is a clause that is false
    /// at the present level.
    pub(crate) fn take_in<C: Theory>(&mut self, context: &mut C) -> Option<ClauseRef> {
        let mut queue = std::mem::take(&mut self.queue);
        for _ in 0..queue.new_vars {
            self.new_var();
        }
        queue.new_vars = 0;
        let mut conflict = None;
        // Propagations first: they rest on the present assignment, which
        // clauses may undo.
        for &(lit, reason) in &queue.propagations {
            match self.value(lit) {
                Some(true) => {}
                None => self.enqueue(lit, Reason::Theory(reason)),
                Some(false) => {
                    let mut clause = std::mem::take(&mut self.buffers.explanation);
                    clause.clear();
                    let proof = context.explain(lit, reason, &mut clause);
                    let scope = self.scope_of_vars(&clause);
                    conflict = self.insert(context, &clause, true, scope, proof);
                    self.buffers.explanation = clause;
                    break;
                }
            }
        }
        queue.propagations.clear();
        for clause in &queue.clauses {
            self.statistics.lemmas += 1;
            let lits = &queue.lits[clause.start..clause.end];
            let redundant = clause.keep == Keep::WhileUseful;
            let scope = self.scope_of_vars(lits);
            if self.refuted.is_some() {
                self.insert_inert(lits, scope, clause.proof);
                continue;
            }
            // Inserting may go back below the level of an earlier conflict, which
            // then is none any more.
            let level = self.level();
            let new = self.insert(context, lits, redundant, scope, clause.proof);
            if self.level() < level {
                conflict = None;
            }
            conflict = conflict.or(new);
            if let Some(c) = conflict
                && self.level() == 0
            {
                self.refute(context, c);
                conflict = None;
            }
        }
        queue.clauses.clear();
        queue.lits.clear();
        self.queue = queue;
        conflict
    }

    /// Adds a clause and makes the watches right for the present assignment;
    /// backtracks where the clause is false. Returns it if it is
    /// then false at the present level.
    pub(crate) fn insert<C: Theory>(
        &mut self,
        context: &mut C,
        lits: &[Lit],
        redundant: bool,
        scope: usize,
        proof: ProofId,
    ) -> Option<ClauseRef> {
        let mut clause = std::mem::take(&mut self.buffers.clause);
        clause.clear();
        clause.extend_from_slice(lits);
        clause.sort_unstable();
        clause.dedup();
        let tautology = clause.windows(2).any(|pair| pair[0].var() == pair[1].var());
        let result = match clause.len() {
            _ if tautology => None,
            0 => {
                self.insert_empty(scope, proof);
                None
            }
            1 => self.insert_unit(context, clause[0], scope, proof),
            _ => self.insert_long(context, &mut clause, redundant, scope, proof),
        };
        self.buffers.clause = clause;
        result
    }

    fn insert_unit<C: Theory>(
        &mut self,
        context: &mut C,
        lit: Lit,
        scope: usize,
        proof: ProofId,
    ) -> Option<ClauseRef> {
        let index = self.units.len() as u32;
        let var = lit.var().index();
        if self.value(lit) == Some(true) && self.levels[var] == 0 {
            // Kept only if it will outlive what implies it now.
            if scope < self.scope_of_position(self.positions[var] as usize) {
                self.units.push(Unit { lit, scope, proof, learnt: false });
            }
            return None;
        }
        self.units.push(Unit { lit, scope, proof, learnt: false });
        self.backtrack(context, 0);
        match self.value(lit) {
            Some(true) => {}
            None => self.enqueue(lit, Reason::Unit(index)),
            Some(false) => self.refute_unit(context, index),
        }
        None
    }

    fn insert_long<C: Theory>(
        &mut self,
        context: &mut C,
        clause: &mut [Lit],
        redundant: bool,
        scope: usize,
        proof: ProofId,
    ) -> Option<ClauseRef> {
        // The two best literals in front: true or open ones, else the last
        // falsified.
        for slot in 0..2 {
            let best = (slot..clause.len())
                .max_by_key(|&i| (self.watch_worth(clause[i]), std::cmp::Reverse(i)))
                .expect("the clause has two literals");
            clause.swap(slot, best);
        }
        let reference = self.arena.add(clause, redundant, scope, proof);
        self.attach(reference);
        if redundant {
            self.redundant += 1;
            self.learnt += 1;
            self.arena.set_lbd(reference, clause.len());
        }
        if self.value(clause[1]) != Some(false) {
            return None;
        }
        let second = self.levels[clause[1].var().index()] as usize;
        match self.value(clause[0]) {
            Some(true) => None,
            None => {
                if second == 0 {
                    self.backtrack(context, 0);
                }
                self.enqueue(clause[0], Reason::Clause(reference));
                None
            }
            Some(false) => {
                let first = self.levels[clause[0].var().index()] as usize;
                if second < first {
                    self.backtrack(context, second);
                    self.enqueue(clause[0], Reason::Clause(reference));
                    None
                } else {
                    self.backtrack(context, first);
                    Some(reference)
                }
            }
        }
    }

    /// Greater is better to watch.
    fn watch_worth(&self, lit: Lit) -> u64 {
        match self.value(lit) {
            Some(true) => u64::MAX,
            None => u64::MAX - 1,
            Some(false) => {
                // By level, then by position on the trail.
                u64::from(self.levels[lit.var().index()]) << 32
                    | u64::from(self.positions[lit.var().index()])
            }
        }
    }

    pub(crate) fn attach(&mut self, clause: ClauseRef) {
        let lits = self.arena.lits(clause);
        let (a, b) = (lits[0], lits[1]);
        let is_binary = lits.len() == 2;
        self.watches[a.code()].push(Watch::new(clause, b, is_binary));
        self.watches[b.code()].push(Watch::new(clause, a, is_binary));
        self.clauses.push(clause);
    }

    fn insert_empty(&mut self, scope: usize, proof: ProofId) {
        self.contradiction = Some(self.contradiction.map_or(scope, |old| old.min(scope)));
        self.note_refutation(scope, proof);
    }

    /// Stores a clause while the problem is refuted anyway; the watches are put
    /// right when the refutation is popped.
    pub(crate) fn insert_inert(&mut self, lits: &[Lit], scope: usize, proof: ProofId) {
        let mut clause = lits.to_vec();
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).any(|pair| pair[0].var() == pair[1].var()) {
            return;
        }
        match clause[..] {
            [] => self.insert_empty(scope, proof),
            [lit] => self.units.push(Unit { lit, scope, proof, learnt: false }),
            _ => {
                let reference = self.arena.add(&clause, false, scope, proof);
                self.attach(reference);
            }
        }
    }

    /// The innermost scope that created a variable of the clause.
    pub(crate) fn scope_of_vars(&self, lits: &[Lit]) -> usize {
        let newest = lits.iter().map(|lit| lit.var().index()).max().unwrap_or(0);
        self.scopes.partition_point(|scope| scope.vars <= newest)
    }

    /// The scope in which the level-zero literal at this position was found.
    pub(crate) fn scope_of_position(&self, position: usize) -> usize {
        self.scopes.partition_point(|scope| scope.trail <= position)
    }
}

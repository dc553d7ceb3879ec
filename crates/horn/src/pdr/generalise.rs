//! From a blocked cube to a lemma.
//!
//! A lemma that blocks one cube only is of little use. So literals of the cube
//! are dropped as long as the rest stays inductive relative to the frame below
//! (Bradley's inductive generalisation). What is left may still speak of
//! several numbers where their relation to each other is the point: an
//! interpolant between the clauses and the cube sums the literals up as the
//! Farkas coefficients of the proof say, and its clauses are lemmas as well.
//! Then the lemma is moved up as far as it holds.

use super::clauses::Possible;
use super::frames::Pdr;
use crate::system::RelationId;
use bolide_base::NoAnswer;
use bolide_smt::discharge::{Decided, decide};
use bolide_smt::interpolate::{Labelling, Options, interpolate_sequence};
use bolide_terms::{Op, TermId};

// Heuristic: larger interpolants are not read.
const INTERPOLANT: usize = 200;
const CLAUSES: usize = 4;

impl Pdr<'_> {
    /// Learns a lemma that excludes the cube at the level or higher; returns the
    /// level that it holds at.
    pub(super) fn block(
        &mut self,
        relation: RelationId,
        core: Vec<TermId>,
        level: u32,
        top: u32,
    ) -> Result<u32, NoAnswer> {
        let needed = self.drop_literals(relation, core, level)?;
        let mut lemmas = self.interpolated(relation, &needed, level)?;
        if lemmas.is_empty() {
            lemmas.push(needed);
        }
        let mut lowest = top;
        for cube in lemmas {
            let mut reached = level;
            while reached < top && self.is_blocked(relation, &cube, reached, true)?.is_some() {
                reached += 1;
            }
            self.add_lemma(relation, cube, reached);
            lowest = lowest.min(reached);
        }
        Ok(lowest)
    }

    /// Literals of a blocked cube that are blocked too.
    fn drop_literals(
        &mut self,
        relation: RelationId,
        mut cube: Vec<TermId>,
        level: u32,
    ) -> Result<Vec<TermId>, NoAnswer> {
        let mut needed: Vec<TermId> = Vec::new();
        // Heuristic: what talks about much is dropped first.
        cube.sort_by_key(|&literal| (self.store.dag_size(literal), literal));
        while let Some(candidate) = cube.pop() {
            let trial: Vec<TermId> = needed.iter().chain(&cube).copied().collect();
            match self.is_blocked(relation, &trial, level - 1, true)? {
                Some(core) => {
                    // Required: what remains must be blocked by itself, which a core of a check
                    // that excluded the larger cube does not promise.
                    let smaller: Vec<TermId> =
                        trial.iter().copied().filter(|l| core.contains(l)).collect();
                    if smaller.len() < trial.len()
                        && self.is_blocked(relation, &smaller, level - 1, true)?.is_some()
                    {
                        needed.retain(|l| smaller.contains(l));
                        cube.retain(|l| smaller.contains(l));
                    }
                }
                None => needed.push(candidate),
            }
        }
        Ok(needed)
    }

    /// Cubes that an interpolant between the clauses of the relation and a blocked cube
    /// excludes; together they contain the cube. None if that is no improvement.
    fn interpolated(
        &mut self,
        relation: RelationId,
        cube: &[TermId],
        level: u32,
    ) -> Result<Vec<Vec<TermId>>, NoAnswer> {
        let numeric = |&&literal: &&TermId| {
            let (atom, _) = self.store.atom_and_sign(literal);
            matches!(self.store.op(atom), Op::Le | Op::Lt)
        };
        if cube.iter().filter(numeric).count() < 2 {
            return Ok(Vec::new());
        }
        let Some(interpolant) = self.interpolant(relation, cube, level)? else {
            return Ok(Vec::new());
        };
        let parts = self.store.conjuncts(interpolant);
        if self.store.dag_size(interpolant) > INTERPOLANT || parts.len() > CLAUSES {
            return Ok(Vec::new());
        }
        let mut lemmas = Vec::new();
        for part in parts {
            let disjuncts = self.store.disjuncts(part);
            let literals: Vec<TermId> =
                disjuncts.into_iter().map(|l| self.store.mk_not(l)).collect();
            // Required: interpolation excluded the cube from the premises as well, so each part
            // must hold without that.
            if self.is_blocked(relation, &literals, level - 1, true)?.is_none() {
                return Ok(Vec::new());
            }
            lemmas.push(self.drop_literals(relation, literals, level)?);
        }
        Ok(lemmas)
    }

    /// A formula over the parameters of the relation that its clauses imply, from the frames below
    /// and without the cube, and that excludes the cube.
    fn interpolant(
        &mut self,
        relation: RelationId,
        cube: &[TermId],
        level: u32,
    ) -> Result<Option<TermId>, NoAnswer> {
        let conjunction = self.store.mk_and(cube);
        let excluded = self.store.mk_not(conjunction);
        let mut cases = Vec::new();
        for number in self.definitions(Some(relation)) {
            let clause = &self.system.clauses[number];
            if level == 1 && !clause.body.is_empty() {
                continue;
            }
            let mut parts = vec![clause.constraint];
            for atom in &clause.body {
                parts.extend(self.frame(atom, level - 1));
                if atom.relation == relation {
                    parts.push(self.system.instantiate(self.store, excluded, atom));
                }
            }
            if let Some(head) = &clause.head {
                let parameters = &self.system.relations[relation].parameters;
                parts.extend(self.store.mk_eqs(parameters, &head.arguments));
            }
            cases.push(self.store.mk_and(&parts));
        }
        let clauses = self.store.mk_or(&cases);
        let Ok(Decided::Unsat(proof)) = decide(self.store, &[clauses, conjunction], self.budget)
        else {
            self.budget.poll()?;
            return Ok(None);
        };
        let options = Options {
            labelling: Labelling::Weak,
            budget: self.budget.clone(),
            ..Options::default()
        };
        match interpolate_sequence(self.store, &proof, 2, &options) {
            Ok(points) => Ok(Some(points[1])),
            Err(_) => {
                self.budget.poll()?;
                Ok(None)
            }
        }
    }

    /// Whether no clause leads from the frames of a level into the cube; if so,
    /// the literals that mattered. With `relative`, the cube itself is no premise.
    pub(super) fn is_blocked(
        &mut self,
        relation: RelationId,
        cube: &[TermId],
        below: u32,
        relative: bool,
    ) -> Result<Option<Vec<TermId>>, NoAnswer> {
        let mut core = Vec::new();
        for number in self.definitions(Some(relation)) {
            match self.possible(number, cube, below, relative.then_some(cube))? {
                Possible::No(part) => core.extend(part),
                Possible::Yes(_) => return Ok(None),
            }
        }
        core.sort_unstable();
        core.dedup();
        Ok(Some(core))
    }
}

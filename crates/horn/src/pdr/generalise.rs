//! From a blocked cube to a lemma.
//!
//! A lemma that blocks one cube only is of little use. So literals of the cube
//! are dropped as long as the rest stays inductive relative to the frame below
//! (Bradley's inductive generalisation), and the lemma is moved up as far as it
//! holds.

use super::{Pdr, Stop, clauses::Possible};
use crate::system::RelationId;
use bolide_terms::TermId;

impl Pdr<'_> {
    /// Learns a lemma that excludes the cube at the level or higher; returns the
    /// level that it holds at.
    pub(super) fn block(
        &mut self,
        relation: RelationId,
        core: Vec<TermId>,
        level: u32,
        top: u32,
    ) -> Result<u32, Stop> {
        let mut cube = core;
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
        let mut level = level;
        while level < top && self.is_blocked(relation, &needed, level, true)?.is_some() {
            level += 1;
        }
        self.add_lemma(relation, needed, level);
        Ok(level)
    }

    /// Whether no clause leads from the frames of a level into the cube; if so,
    /// the literals that mattered. With `relative`, the cube itself is no premise.
    pub(super) fn is_blocked(
        &mut self,
        relation: RelationId,
        cube: &[TermId],
        below: u32,
        relative: bool,
    ) -> Result<Option<Vec<TermId>>, Stop> {
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

//! For which cells a claim is a candidate.
//!
//! A claim about the cell at an index becomes one about all cells between two *landmarks*: places that the loop at hand reaches next, where these
//! lay when control came to the loop, the numbers and places that moving indices are compared with, and where other loops stopped, by the variables
//! that keep this. With all pairs of landmarks there would be too many candidates, so each kind of range takes
//! its few: from the first cell on, behind a place that a loop counts down, between two indices of one loop, from where an index began, and
//! between two ends that stand still.

use super::{BOUNDS, Bounds, Cells, Claim, Limits, Marks, add};
use crate::block::Transition;
use crate::encode::Slot;
use crate::instances::{self, index, without_wraps};
use bolide_base::{HashMap, HashSet, Rational};
use bolide_cfa::LocId;
use bolide_terms::{LinearForm, SortId, TermId, TermStore};

/// Heuristic: so many of them with something else than zero as start.
const FEW: usize = 2;

/// Heuristic: so many places between two of which cells may lie.
const SEVERAL: usize = 3;

impl Cells<'_, '_> {
    /// Where the places that the loop at a head reaches lie when control comes there from elsewhere, over the state at the
    /// head, and whether they go down from there.
    pub fn firsts(
        &self,
        store: &mut TermStore,
        blocks: &[&Transition],
        head: LocId,
        reached: &[TermId],
    ) -> Vec<(TermId, bool)> {
        let mut found = Vec::new();
        for block in blocks.iter().filter(|b| b.to == head && b.from != head) {
            let values = block.new_values(&self.program.slots);
            // What the block chose has the name of the variable that keeps it.
            let chosen = block.outputs.iter().filter(|(_, v)| block.locals.contains(v));
            let kept: HashMap<TermId, TermId> =
                chosen.map(|&(slot, v)| (v, self.program.slots.constant(slot))).collect();
            for &place in reached {
                let first = store.substitute(place, &values);
                let first = store.substitute(first, &kept);
                let first = without_wraps(store, first);
                if first == place || !self.is_of_state(store, first) {
                    continue;
                }
                let is_round = |b: &&&Transition| b.from == head && b.to == head;
                let down = blocks.iter().filter(is_round).any(|round| {
                    let values = round.new_values(&self.program.slots);
                    let next = store.substitute(place, &values);
                    let next = without_wraps(store, next);
                    let by = store.linear_difference(next, place);
                    by.as_constant().is_some_and(|by| *by < Rational::ZERO)
                });
                if !found.contains(&(first, down)) {
                    found.push((first, down));
                }
            }
        }
        found
    }

    /// The places that a loop reaches last, by the variables that are given the place, or its index, behind the loop.
    pub fn kept_by_others(
        &self,
        store: &mut TermStore,
        blocks: &[&Transition],
        head: LocId,
        reached: &[TermId],
        found: &mut Vec<TermId>,
    ) {
        for block in blocks.iter().filter(|b| b.from == head && b.to != head) {
            for &(slot, value) in &block.outputs {
                let number = self.program.slots.constant(slot);
                if store.sort(number) != SortId::INT {
                    continue;
                }
                let value = without_wraps(store, value);
                let form = store.linear_form(value);
                let moves = |(leaf, by): &&(TermId, Rational)| {
                    *leaf != number && by.abs() == Rational::ONE && self.moving.contains(leaf)
                };
                let Some((leaf, by)) = form.terms.iter().find(moves).cloned() else { continue };
                // The leaf, by the number.
                let (_, mut rest) = form.isolate(leaf);
                rest = rest.negated();
                rest.add_term(number, &Rational::ONE);
                rest.scale(&by);
                let kept = store.mk_linear(&rest, SortId::INT);
                for &place in reached {
                    if !store.occurs(leaf, place) {
                        continue;
                    }
                    let place = store.substitute(place, &HashMap::from_iter([(leaf, kept)]));
                    if self.is_of_state(store, place) {
                        add(found, place);
                    }
                }
            }
        }
    }

    /// The claims at a head, each for the cells between two of the places that loops come to.
    pub fn ranges(
        &self,
        store: &mut TermStore,
        head: LocId,
        marks: &Marks,
        limits: &Limits,
    ) -> Vec<TermId> {
        let index = index(store);
        let zero = store.mk_int(0);
        let negative = store.mk_lt(index, zero);
        let mut found: Vec<TermId> = Vec::new();
        for claim in &self.claims {
            let bounds = self.bounds(store, head, claim, marks, limits);
            if !claim.others.is_empty() {
                // What is known of single cells is about the first of the two.
                let [first, second] = instances::indices(store);
                let turned = HashMap::from_iter([(first, second), (second, first)]);
                let pairs = self.of_pairs(store, claim, marks, &bounds);
                found.extend(pairs.into_iter().map(|said| store.substitute(said, &turned)));
                continue;
            }
            for &behind in &bounds.behind {
                found.push(store.mk_or(&[negative, behind, claim.said]));
            }
            for (start, end) in bounds.between {
                found.push(store.mk_or(&[start, end, claim.said]));
            }
        }
        let counts = |f| self.is_of_state(store, f) && self.matters(store, f, head);
        found.retain(|&f| f != TermId::TRUE && counts(f));
        let mut seen = HashSet::default();
        found.retain(|&f| seen.insert(f));
        found
    }

    /// A claim about two cells, the first of which lies before the second: both lie in a range, or the first before a place that
    /// loops reach, or the second behind one.
    fn of_pairs(
        &self,
        store: &mut TermStore,
        claim: &Claim,
        marks: &Marks,
        bounds: &Bounds,
    ) -> Vec<TermId> {
        let [index, other] = instances::indices(store);
        let zero = store.mk_int(0);
        let (negative, order) = (store.mk_lt(other, zero), store.mk_le(index, other));
        let mut found = Vec::new();
        for &behind in &bounds.behind {
            found.push(store.mk_or(&[negative, order, behind, claim.said]));
        }
        if claim.in_order {
            return found;
        }
        for &end in &bounds.still {
            for &pattern in claim.others.iter().take(1) {
                let pattern = self.relative(store, pattern);
                for &place in marks.reached.iter().take(FEW) {
                    let place = self.relative(store, place);
                    let first = store.mk_le(place, pattern);
                    found.push(store.mk_or(&[negative, order, first, end, claim.said]));
                }
            }
        }
        for &(start, end) in bounds.between.iter().take(BOUNDS) {
            found.push(store.mk_or(&[negative, order, start, end, claim.said]));
        }
        found
    }

    /// Which cells a claim may be about at a head: those before the places that loops reach, and where they end; those behind such a
    /// place up to the end, where they count down; those between two of them, and from where one began.
    fn bounds(
        &self,
        store: &mut TermStore,
        head: LocId,
        claim: &Claim,
        marks: &Marks,
        limits: &Limits,
    ) -> Bounds {
        let index = index(store);
        let (mut before, mut from, mut behind) = (Vec::new(), Vec::new(), Vec::new());
        let (mut begun, mut came) = (Vec::new(), Vec::new());
        for &pattern in &claim.places {
            let pattern = self.relative(store, pattern);
            for &place in marks.reached.iter().chain(&limits.places) {
                let is_here = marks.reached.contains(&place);
                let place = self.relative(store, place);
                if is_here {
                    add(&mut before, store.mk_lt(pattern, place));
                    add(&mut from, store.mk_le(pattern, place));
                }
                add(&mut behind, store.mk_le(place, pattern));
            }
            for &(first, down) in &marks.firsts {
                let first = self.relative(store, first);
                if down {
                    add(&mut came, store.mk_lt(first, pattern));
                } else if store.number(first).is_none() {
                    add(&mut begun, store.mk_lt(pattern, first));
                }
            }
        }
        let mut ends: Vec<TermId> = limits.indices.clone();
        ends.retain(|&end| self.matters(store, end, head));
        // Those that stand still end what was counted down.
        let moves = |store: &TermStore, end: TermId| {
            store.constants(end).iter().filter(|c| self.moving.contains(c)).count()
        };
        let mut still = ends.clone();
        still.sort_by_key(|&end| moves(store, end));
        let mut end_at = |end| store.mk_le(end, index);
        behind.extend(ends.into_iter().map(&mut end_at));
        let mut still: Vec<TermId> = still.into_iter().take(SEVERAL).map(&mut end_at).collect();
        let between_ends = still.clone();
        still.extend(came.into_iter().take(1));
        let places = if before.len() > 1 { before.clone() } else { Vec::new() };
        for (list, most) in
            [(&mut before, FEW), (&mut from, FEW), (&mut begun, FEW), (&mut behind, BOUNDS)]
        {
            list.retain(|&bound| self.matters(store, bound, head));
            list.truncate(most);
        }
        let mut between = Vec::new();
        // Loops that count down.
        for &start in before.iter().chain(&from) {
            between.extend(still.iter().map(|&end| (start, end)));
        }
        // Between the places of two indices, and from where one began.
        for &start in places.iter().take(SEVERAL) {
            let others = places.iter().take(SEVERAL).filter(|&&other| other != start);
            between.extend(others.map(|&other| (start, store.mk_not(other))));
        }
        // A part of the array that no loop here moves along.
        for &start in &between_ends {
            let others = between_ends.iter().filter(|&&other| other != start);
            between.extend(others.map(|&end| (store.mk_not(start), end)));
        }
        for &start in &begun {
            between.extend(behind.iter().take(SEVERAL).map(|&end| (start, end)));
        }
        // Where other loops stopped, last: nothing else is left out for it.
        let others = self.behind_others(store, head, claim, marks, &behind);
        behind.extend(others.into_iter().take(FEW));
        Bounds { behind, between, still }
    }

    /// The places where other loops stopped, which the cells of a claim lie before.
    fn behind_others(
        &self,
        store: &mut TermStore,
        head: LocId,
        claim: &Claim,
        marks: &Marks,
        known: &[TermId],
    ) -> Vec<TermId> {
        let index = index(store);
        let mut others = Vec::new();
        for &pattern in &claim.places {
            let pattern = self.relative(store, pattern);
            for &place in &marks.stopped {
                let place = self.relative(store, place);
                // One of the cells that the claim is about, where the index moves as the other one did.
                let factor = store.linear_form(pattern).coefficient(index);
                let form = store.linear_form(place);
                let moves = form.terms.iter().any(|(_, by)| *by == factor);
                let bound = store.mk_le(place, pattern);
                if moves && self.matters(store, bound, head) && !known.contains(&bound) {
                    add(&mut others, bound);
                }
            }
        }
        others
    }

    /// A place without the offset of an array that does not move.
    fn relative(&self, store: &mut TermStore, place: TermId) -> TermId {
        let mut form: LinearForm = store.linear_form(place);
        form.terms.retain(|&(leaf, _)| {
            let slot =
                self.program.slots.of_constant(leaf).map(|slot| self.program.slots.slot(slot));
            !matches!(slot, Some(Slot::Offset(_))) || self.moving.contains(&leaf)
        });
        store.mk_linear(&form, SortId::INT)
    }

    fn matters(&self, store: &TermStore, formula: TermId, head: LocId) -> bool {
        // The address of an array may say where a cell is that nobody will ask for by this name.
        store.constants(formula).into_iter().filter(|c| self.moving.contains(c)).all(|c| {
            let slot = self.program.slots.of_constant(c);
            slot.is_none_or(|slot| self.program.matters(slot, head))
        })
    }
}

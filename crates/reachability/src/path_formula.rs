//! Paths as formulas in static single assignment form.
//!
//! A path is a chain of [`Transition`]s. Each step renames the state constants
//! of its transition to the copies that are current before the step and its
//! local constants to copies of their own, and defines new copies for the slots
//! it changes. [`Ssa`] is the map from slots to current copies; it is shared
//! between paths with a common prefix, so that an unwinding computes each step once.

use crate::block::Transition;
use crate::encode::{SlotId, Slots};
use bolide_base::HashMap;
use bolide_terms::{TermId, TermStore};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Which copy of each slot is current. Slots that are not listed are at their
/// first copy.
#[derive(Clone, Debug, Default)]
pub struct Ssa {
    copies: Rc<BTreeMap<SlotId, TermId>>,
}

/// A transition at one place of a path.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The transition.
    pub transition: Rc<Transition>,
    /// What its constants stand for.
    renaming: Rc<HashMap<TermId, TermId>>,
}

/// One step of a path as a formula.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is taken.
    pub instance: Instance,
    /// The formula over copies.
    pub formula: TermId,
    /// The copies that are current after the step.
    pub after: Ssa,
}

/// All copies that were made, to find the way back to state constants.
#[derive(Debug, Default)]
pub struct Copies {
    state_constant: HashMap<TermId, TermId>,
}

impl Copies {
    /// The formula of one step at depth `depth`, following `before`.
    pub fn step(
        &mut self,
        store: &mut TermStore,
        slots: &Slots,
        before: &Ssa,
        transition: &Rc<Transition>,
        depth: usize,
    ) -> Step {
        let mut renaming: HashMap<TermId, TermId> = HashMap::default();
        for &slot in &transition.inputs {
            let copy = self.current(store, slots, before, slot);
            renaming.insert(slots.constant(slot), copy);
        }
        for &local in transition.locals.iter() {
            let name = format!("{}@{depth}", name_of(store, local));
            let copy = store.mk_const(&name, store.sort(local));
            renaming.insert(local, copy);
        }
        let mut copies = (*before.copies).clone();
        let mut conjuncts = vec![store.substitute(transition.formula, &renaming)];
        for &(slot, value) in &transition.outputs {
            let value = store.substitute(value, &renaming);
            let copy = self.copy(store, slots, slot, depth + 1);
            copies.insert(slot, copy);
            conjuncts.push(store.mk_eq(copy, value));
        }
        Step {
            instance: Instance::new(transition.clone(), renaming),
            formula: store.mk_and(&conjuncts),
            after: Ssa { copies: Rc::new(copies) },
        }
    }

    fn copy(&mut self, store: &mut TermStore, slots: &Slots, slot: SlotId, n: usize) -> TermId {
        let constant = slots.constant(slot);
        let name = format!("{}@{n}", name_of(store, constant));
        let copy = store.mk_const(&name, store.sort(constant));
        self.state_constant.insert(copy, constant);
        copy
    }

    /// New copies of some slots, for a new activation of a function or after a
    /// call; the other slots are as in `before`.
    pub fn renew(
        &mut self,
        store: &mut TermStore,
        slots: &Slots,
        before: &Ssa,
        renewed: impl IntoIterator<Item = SlotId>,
        depth: usize,
    ) -> Ssa {
        let mut copies = (*before.copies).clone();
        for slot in renewed {
            copies.insert(slot, self.copy(store, slots, slot, depth + 1));
        }
        Ssa { copies: Rc::new(copies) }
    }

    /// A copy of an entry constant, for one activation of its function.
    pub fn entry_copy(&mut self, store: &mut TermStore, constant: TermId, depth: usize) -> TermId {
        let name = format!("{}@{depth}", name_of(store, constant));
        let copy = store.mk_const(&name, store.sort(constant));
        self.state_constant.insert(copy, constant);
        copy
    }

    /// The copy of a slot that is current.
    pub fn current(
        &mut self,
        store: &mut TermStore,
        slots: &Slots,
        ssa: &Ssa,
        slot: SlotId,
    ) -> TermId {
        match ssa.copies.get(&slot) {
            Some(&copy) => copy,
            None => self.copy(store, slots, slot, 0),
        }
    }

    /// A formula over state constants, said of the current copies.
    pub fn at(
        &mut self,
        store: &mut TermStore,
        slots: &Slots,
        ssa: &Ssa,
        formula: TermId,
    ) -> TermId {
        let mut renaming: HashMap<TermId, TermId> = HashMap::default();
        for constant in store.constants(formula) {
            if let Some(slot) = slots.of_constant(constant) {
                renaming.insert(constant, self.current(store, slots, ssa, slot));
            }
        }
        store.substitute(formula, &renaming)
    }

    /// A formula over copies of one point of a path, said of state constants.
    pub fn to_state(&self, store: &mut TermStore, formula: TermId) -> TermId {
        let renaming: HashMap<TermId, TermId> = store
            .constants(formula)
            .into_iter()
            .filter_map(|c| Some((c, *self.state_constant.get(&c)?)))
            .collect();
        store.substitute(formula, &renaming)
    }
}

impl Instance {
    /// A transition whose state and local constants stand for these terms.
    pub fn new(transition: Rc<Transition>, renaming: HashMap<TermId, TermId>) -> Instance {
        Instance { transition, renaming: Rc::new(renaming) }
    }

    /// A term of the transition, said of what its constants stand for here.
    pub fn term(&self, store: &mut TermStore, term: TermId) -> TermId {
        store.substitute(term, &self.renaming)
    }
}

impl Ssa {
    /// Before the first step.
    pub fn start() -> Ssa {
        Ssa::default()
    }
}

/// The name of a constant.
pub fn name_of(store: &TermStore, constant: TermId) -> &str {
    store.function_of(constant).map_or("?", |f| store.function_name(f))
}

//! The symbolic state: which constants of the logic stand for which part of a
//! program's state.
//!
//! A state of the program is a vector of *slots*. A variable of integer, condition or
//! float type is one slot; a pointer variable is two, its object and its
//! offset. A region of memory is an array from objects to arrays from offsets to
//! cells (two such arrays where the cells are pointers). Sizes and lives of
//! objects are arrays over objects; the number of the next object is an integer.
//!
//! The *state constant* of a slot is the constant that invariants and
//! predicates speak about. Path formulas use numbered copies of it.

use super::exactness::Exactness;
use bolide_base::arena::Id;
use bolide_base::{Arena, HashMap, define_id};
use bolide_cfa::{Op, Program, RegionId, Type, VarId};
use bolide_terms::{SortId, TermId, TermStore};
use std::collections::BTreeMap;
use std::rc::Rc;

define_id!(
    /// A slot of the symbolic state.
    pub struct SlotId
);

/// What a slot stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// The value of an integer, condition or float variable.
    Value(VarId),
    /// The object that a pointer variable points into.
    Object(VarId),
    /// Where in the object a pointer variable points, in bytes.
    Offset(VarId),
    /// The cells of a region; of a region of pointers, their objects.
    Cells(RegionId),
    /// The offsets of a region of pointers.
    CellOffsets(RegionId),
    /// The sizes of objects.
    Sizes,
    /// Which objects live: 0 dead, 1 live, 2 live on the heap; -n as long as object n.
    Lives,
    /// The number that the next object gets.
    NextObject,
    /// How many heap objects live.
    HeapObjects,
}

/// All slots of a program with their state constants.
#[derive(Clone, Debug)]
pub struct Slots {
    slots: Arena<SlotId, Slot>,
    /// The state constant of each slot.
    constants: Rc<Vec<TermId>>,
    ids: HashMap<Slot, SlotId>,
    of_constant: HashMap<TermId, SlotId>,
    /// Which operations are the machine's.
    pub exact: Exactness,
    /// Whether some objects live as long as another: only then lives are looked up twice.
    pub frames: bool,
}

impl Slots {
    /// The slots of `program`, with constants named after its variables.
    pub fn new(program: &Program, store: &mut TermStore) -> Slots {
        let mut slots = Slots {
            slots: Arena::new(),
            constants: Rc::default(),
            ids: HashMap::default(),
            of_constant: HashMap::default(),
            exact: Exactness::default(),
            frames: program
                .edges
                .values()
                .any(|edge| matches!(edge.op, Op::Alloc { frame: Some(_), .. })),
        };
        for (id, variable) in program.variables.iter() {
            // Names must be unique over the whole program.
            let name = match variable.function {
                None => variable.name.clone(),
                Some(f) => format!("{}::{}", program.functions[f].name, variable.name),
            };
            let (int, bool) = (SortId::INT, SortId::BOOL);
            match variable.ty {
                Type::Pointer => {
                    slots.add(store, Slot::Object(id), &format!("{name}.obj"), int);
                    slots.add(store, Slot::Offset(id), &format!("{name}.off"), int);
                }
                Type::BOOL => slots.add(store, Slot::Value(id), &name, bool),
                _ => slots.add(store, Slot::Value(id), &name, int),
            }
        }
        let per_offset = store.mk_array_sort(SortId::INT, SortId::INT);
        let per_object = store.mk_array_sort(SortId::INT, per_offset);
        for (id, region) in program.regions.iter() {
            let name = format!("mem:{}:{}", id.index(), region.name);
            match region.cell {
                None => {}
                Some(Type::Pointer) => {
                    slots.add(store, Slot::Cells(id), &format!("{name}.obj"), per_object);
                    slots.add(store, Slot::CellOffsets(id), &format!("{name}.off"), per_object);
                }
                Some(_) => slots.add(store, Slot::Cells(id), &name, per_object),
            }
        }
        let table = store.mk_array_sort(SortId::INT, SortId::INT);
        slots.add(store, Slot::Sizes, "mem:size", table);
        slots.add(store, Slot::Lives, "mem:live", table);
        slots.add(store, Slot::NextObject, "mem:next", SortId::INT);
        slots.add(store, Slot::HeapObjects, "mem:heap", SortId::INT);
        slots
    }

    fn add(&mut self, store: &mut TermStore, slot: Slot, name: &str, sort: SortId) {
        let constant = store.mk_const(name, sort);
        let id = self.slots.push(slot);
        Rc::make_mut(&mut self.constants).push(constant);
        self.ids.insert(slot, id);
        self.of_constant.insert(constant, id);
    }

    /// The id of a slot; none where the region is not tracked.
    pub fn find(&self, slot: Slot) -> Option<SlotId> {
        self.ids.get(&slot).copied()
    }

    /// What the slot stands for.
    pub fn slot(&self, id: SlotId) -> Slot {
        self.slots[id]
    }

    /// The slot's state constant.
    pub fn constant(&self, id: SlotId) -> TermId {
        self.constants[id.index()]
    }

    /// The slot whose state constant this is.
    pub fn of_constant(&self, constant: TermId) -> Option<SlotId> {
        self.of_constant.get(&constant).copied()
    }

    /// All slots in order.
    pub fn ids(&self) -> impl Iterator<Item = SlotId> + use<> {
        (0..self.slots.len()).map(SlotId::from_index)
    }
}

/// The symbolic values of all slots at some point: terms over the state
/// constants (and local constants) of where a block began. Only what differs
/// from the beginning is stored: programs have many slots, blocks change few.
#[derive(Clone, Debug)]
pub struct Environment {
    constants: Rc<Vec<TermId>>,
    changed: BTreeMap<SlotId, TermId>,
}

impl Environment {
    /// Each slot has its state constant as value.
    pub fn initial(slots: &Slots) -> Environment {
        Environment { constants: slots.constants.clone(), changed: BTreeMap::new() }
    }

    /// The value of a slot.
    pub fn get(&self, slot: SlotId) -> TermId {
        self.changed.get(&slot).copied().unwrap_or_else(|| self.constants[slot.index()])
    }

    /// Gives a slot a value.
    pub fn set(&mut self, slot: SlotId, value: TermId) {
        if self.constants[slot.index()] == value {
            self.changed.remove(&slot);
        } else {
            self.changed.insert(slot, value);
        }
    }

    /// The slots whose value differs from the beginning, in order.
    pub fn changes(&self) -> impl Iterator<Item = (SlotId, TermId)> + '_ {
        self.changed.iter().map(|(&slot, &value)| (slot, value))
    }
}

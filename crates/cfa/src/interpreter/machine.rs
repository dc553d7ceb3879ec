//! The machine's state: slots, frames and memory, what of it is not determined, and how it looks from
//! outside.
//!
//! What the machine does stands elsewhere: [`super::execute`] takes edges, [`super::eval`] computes
//! expressions, [`super::output`] writes, [`super::determined`] keeps track of what is open.

use super::choices::{Choices, MemoryPlace};
use super::code::Place;
use super::compile::Compiled;
use super::memory::Memory;
use super::outcome::{Config, Fault, Reason, Run};
use super::slot::Slot;
use crate::expr::Expr;
use crate::program::*;
use crate::types::Type;
use crate::value::{Pointer, Provenance, Undefined, Value};
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};

/// Why the next step cannot be made.
pub(super) enum Stop {
    Undefined(Reason),
    OutOfInputs,
    OutOfMemory,
    /// See [`super::determined`].
    Undetermined,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Undefined(Reason::Memory(fault))
    }
}

impl From<Undefined> for Stop {
    fn from(undefined: Undefined) -> Stop {
        Stop::Undefined(Reason::Value(undefined))
    }
}

/// A call that has not returned.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) function: FunctionId,
    pub(super) base: usize,
    /// What the caller does with the result, and where it goes on.
    pub(super) result: Option<VarId>,
    pub(super) return_to: LocId,
    pub(super) edge: EdgeId,
}

pub(super) struct Machine<'a, O> {
    pub(super) program: &'a Program,
    pub(super) compiled: &'a Compiled,
    pub(super) memory: Memory,
    pub(super) slots: Vec<Slot>,
    /// Where the current frame begins.
    pub(super) base: usize,
    /// The edge that is executed.
    pub(super) edge: EdgeId,
    pub(super) frames: Vec<Frame>,
    /// What ends with an object: those whose frame it is.
    pub(super) dependents: HashMap<Provenance, Vec<Pointer>>,
    pub(super) config: &'a Config,
    pub(super) choices: &'a mut dyn Choices,
    pub(super) observer: &'a mut O,
    /// How often each edge allocated.
    pub(super) births: HashMap<EdgeId, u32>,
    pub(super) started: bool,
    /// What is not determined, if somebody wants to know.
    pub(super) open: Option<Open>,
    /// Objects whose addresses became numbers, which may become pointers again.
    pub(super) exposed: HashSet<Provenance>,
    /// Before so many steps nobody looks for leaks again.
    pub(super) next_look: u64,
    pub(super) run: Run,
}

/// The state as an [`Observer`] may look at it.
pub struct View<'a> {
    program: &'a Program,
    compiled: &'a Compiled,
    memory: &'a Memory,
    slots: &'a [Slot],
    base: usize,
    function: Option<FunctionId>,
    overflowed: bool,
}

impl View<'_> {
    /// Whether signed arithmetic has overflowed on the way.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// The value of a global or of a variable of the current function.
    pub fn variable(&self, variable: VarId) -> Option<Value> {
        let v = &self.program.variables[variable];
        let place = self.compiled.places[variable.index()];
        let index = match v.function {
            None => (place.0 & !Place::ABSOLUTE) as usize,
            Some(_) if v.function == self.function => self.base + place.0 as usize,
            Some(_) => return None,
        };
        Some(self.slots[index].value(v.ty))
    }

    /// Bytes in memory, if they may be read; unwritten ones are zero.
    pub fn bytes(&self, pointer: Pointer, size: usize) -> Option<Vec<u8>> {
        self.memory.read(pointer, size).ok().map(|(bytes, _)| bytes)
    }

    /// A scalar in memory; none when it may not be read or was never written.
    pub fn scalar(&self, pointer: Pointer, ty: Type) -> Option<Value> {
        if ty == Type::Pointer {
            return self.memory.read_pointer(pointer).ok()?.map(Value::Pointer);
        }
        let size = ty.size(self.program.target) as usize;
        let (bytes, written) = self.memory.read(pointer, size).ok()?;
        let bits = bytes.iter().rev().fold(0, |n: u128, &b| n << 8 | u128::from(b));
        written.iter().all(|&w| w).then(|| Value::from_bits(ty, bits))
    }

    /// The static objects that expressions of the program name, with their addresses.
    pub fn static_objects(&self) -> Vec<(ObjectId, Pointer)> {
        let constants = self.compiled.constants.iter();
        constants
            .filter_map(|&(slot, e)| match *self.program.exprs.get(e) {
                Expr::Object(object) => Some((object, self.slots[slot].pointer())),
                _ => None,
            })
            .collect()
    }

    /// Where a static object lies; none when the program never takes its address.
    pub fn object(&self, object: ObjectId) -> Option<Pointer> {
        self.static_objects().into_iter().find(|(other, _)| *other == object).map(|(_, p)| p)
    }

    /// The pointer to whatever lives at an address.
    pub fn pointer(&self, address: u64) -> Pointer {
        Pointer { address, provenance: self.memory.find(address) }
    }

    /// Where a pointer points, independently of addresses.
    pub fn place(&self, pointer: Pointer) -> Option<MemoryPlace> {
        self.memory.place(pointer)
    }

    /// The live object that a pointer has to do with, as a number of this run; where the pointer points,
    /// counted from its first byte; and its size.
    pub fn target(&self, pointer: Pointer) -> Option<(u64, i64, u64)> {
        self.memory.target(pointer)
    }

    /// How many heap objects live.
    pub fn heap_objects(&self) -> usize {
        self.memory.heap_objects()
    }

    /// The size of the live object that is pointed into.
    pub fn object_size(&self, pointer: Pointer) -> u64 {
        self.memory.object_size(pointer)
    }
}

/// Watches a run. All methods do nothing unless they are overridden.
pub trait Observer {
    /// The edge is about to be executed (its `Assume`, if it is one, holds).
    fn step(&mut self, _edge: EdgeId, _view: &View<'_>) {}

    /// A variable of the current frame, or a global, got a value.
    fn assigned(&mut self, _edge: EdgeId, _variable: VarId, _value: Value) {}

    /// A value was written to memory.
    fn stored(&mut self, _edge: EdgeId, _pointer: Pointer, _value: Value) {}

    /// Memory that nothing wrote was read, and this value chosen for it.
    fn unwritten(&mut self, _edge: EdgeId, _value: Value) {}

    /// The life of the object that the pointer points to has ended.
    fn released(&mut self, _edge: EdgeId, _pointer: Pointer) {}

    /// A function was entered, with these arguments.
    fn entered(&mut self, _function: FunctionId, _arguments: &[Value]) {}

    /// A function was left.
    fn left(&mut self, _function: FunctionId, _result: Option<Value>) {}

    /// Whether what is told by values is worth preparing: all but [`step`](Self::step) and [`unwritten`](Self::unwritten).
    fn is_watching(&self) -> bool {
        true
    }
}

/// Watches nothing.
impl Observer for () {
    fn is_watching(&self) -> bool {
        false
    }
}

/// For each slot whether its value is open.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) slots: Vec<bool>,
    /// The present instruction read memory that was never written.
    pub(super) unwritten: bool,
    /// Bytes that count as written because a bit-field in them is: which of their bits are open, by address.
    pub(super) bits: HashMap<u64, u8>,
}

impl Open {
    pub(super) fn has_bits(&self, address: u64, size: u64) -> bool {
        !self.bits.is_empty() && (0..size).any(|i| self.bits.contains_key(&(address + i)))
    }

    /// All bits of these bytes were written, or the bytes count as unwritten.
    pub(super) fn overwritten(&mut self, address: u64, size: u64) {
        if !self.bits.is_empty() {
            self.bits.retain(|&at, _| at < address || at >= address + size);
        }
    }

    /// Bytes were copied.
    pub(super) fn copied(&mut self, to: u64, from: u64, size: u64) {
        if !self.bits.is_empty() {
            let inside = |&at: &u64| at >= from && at < from + size;
            let moved: Vec<(u64, u8)> = self
                .bits
                .iter()
                .filter(|(at, _)| inside(at))
                .map(|(at, &bits)| (at - from + to, bits))
                .collect();
            self.overwritten(to, size);
            self.bits.extend(moved);
        }
    }
}

impl<O: Observer> Machine<'_, O> {
    #[inline(always)]
    pub(super) fn index(&self, p: Place) -> usize {
        let i = p.0 & !Place::ABSOLUTE;
        if p.0 & Place::ABSOLUTE != 0 { i as usize } else { self.base + i as usize }
    }

    #[inline(always)]
    pub(super) fn get(&self, p: Place) -> Slot {
        self.slots[self.index(p)]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, p: Place, value: Slot) {
        let i = self.index(p);
        self.slots[i] = value;
    }

    /// Whether the value of a slot is not determined.
    pub(super) fn is_open(&self, place: Place) -> bool {
        let index = self.index(place);
        self.open.as_ref().is_some_and(|open| open.slots.get(index).copied().unwrap_or(false))
    }

    /// Marks a slot.
    pub(super) fn mark(&mut self, place: Place, is_open: bool) {
        let index = self.index(place);
        let Some(open) = &mut self.open else { return };
        if index >= open.slots.len() {
            open.slots.resize(index + 1, false);
        }
        open.slots[index] = is_open;
    }

    /// A frame begins here: nothing in it has a value yet.
    pub(super) fn open_frame(&mut self, base: usize) {
        let length = self.slots.len();
        if let Some(open) = &mut self.open {
            open.slots.resize(base, false);
            open.slots.resize(length, true);
        }
    }

    /// Tells the observer. Where it does nothing with it, nothing is left of this.
    #[inline]
    pub(super) fn observe(&mut self, tell: impl FnOnce(&mut O, &View<'_>)) {
        let view = View {
            program: self.program,
            compiled: self.compiled,
            memory: &self.memory,
            slots: &self.slots,
            base: self.base,
            function: self.frames.last().map(|f| f.function),
            overflowed: self.run.overflow.is_some(),
        };
        tell(self.observer, &view);
    }

    /// Gives a variable of the current frame a value.
    pub(super) fn assign(&mut self, variable: VarId, value: Slot, is_open: bool) {
        let place = self.compiled.places[variable.index()];
        self.set(place, value);
        self.mark(place, is_open);
        self.assigned(variable);
    }

    #[inline]
    pub(super) fn assigned(&mut self, variable: VarId) {
        if self.observer.is_watching() {
            let slot = self.get(self.compiled.places[variable.index()]);
            let value = slot.value(self.program.variables[variable].ty);
            self.observer.assigned(self.edge, variable, value);
        }
    }
}

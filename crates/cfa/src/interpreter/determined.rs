//! Whether a run is the only one that the program has.
//!
//! A program that asks for nothing has one run, and executing it to its end decides every check. But programs
//! look at what the language leaves open without asking anybody: variables and memory
//! that were never written, where objects lie, what a function without a body returns. So
//! here the machine carries along for every slot whether its value is *determined*, the same in
//! all runs that came here. Memory needs no further mark: a byte counts as written while
//! its value is determined. Only for bytes that bit-fields share, the bits that are still open are remembered.
//!
//! What is not determined may be computed with, stored, copied and printed. As soon as control, an address,
//! the size of an object or the end of a lifetime depends on it, the run ends as [`Stop::Undetermined`].
//! Up to there every run of the program takes the same edges; a run that comes to its
//! end is therefore the only one. Inputs are values like others that are not determined: a
//! program may ask for them as long as nothing depends on the answer.
//!
//! Addresses: a pointer as such is determined (its object and its offset are), the number that it becomes is not, nor are
//! its bytes. Equality of pointers is determined where both point into different objects that live, and order only
//! within one object. Literals of text may share their memory, so they are not compared.

use super::Observer;
use super::code::{Code, Place};
use super::compile::Step;
use super::execute::{Machine, Stop};
use super::slot::Slot;
use crate::expr::{Access, BitRange};
use crate::program::{EdgeId, OutputKind};
use crate::types::Type;
use crate::value::{Pointer, Provenance, Value};
use bolide_base::HashMap;
use bolide_base::arena::Id;

/// For each slot whether its value is open.
#[derive(Debug, Default)]
pub(super) struct Open {
    slots: Vec<bool>,
    /// The present instruction read memory that was never written.
    unwritten: bool,
    /// Bytes that count as written because a bit-field in them is: which of their bits are open, by address.
    bits: HashMap<u64, u8>,
}

impl Open {
    fn has_bits(&self, address: u64, size: u64) -> bool {
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

/// The bytes of a bit-field, and which of their bits belong to it.
fn field_bytes(range: BitRange) -> impl Iterator<Item = (u64, u8)> {
    let (first, end) = (u32::from(range.offset), u32::from(range.offset) + u32::from(range.width));
    (0..end.div_ceil(8)).map(move |byte| {
        let own = (0..8).filter(|bit| (first..end).contains(&(8 * byte + bit)));
        (u64::from(byte), own.fold(0, |mask, bit| mask | 1 << bit))
    })
}

impl<O: Observer> Machine<'_, O> {
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

    /// Memory that was never written is read; says whether that is nothing to ask about.
    pub(super) fn reads_unwritten(&mut self) -> bool {
        match &mut self.open {
            Some(open) => {
                open.unwritten = true;
                true
            }
            None => false,
        }
    }

    /// Ends the run if the value of one of these slots is open.
    pub(super) fn demand(&self, places: &[Place]) -> Result<(), Stop> {
        match self.open {
            Some(_) if places.iter().any(|&p| self.is_open(p)) => Err(Stop::Undetermined),
            _ => Ok(()),
        }
    }

    /// Ends the run: what comes now is left to others.
    pub(super) fn undetermined(&self) -> Result<(), Stop> {
        if self.open.is_some() { Err(Stop::Undetermined) } else { Ok(()) }
    }

    /// Whether it is the condition of the edge itself that is open, not something on the way to it.
    pub(super) fn assumes_open(&self, edge: EdgeId) -> bool {
        self.is_open(self.compiled.steps[edge.index()].operands[0])
    }

    /// Whether the result of an instruction is open, as far as that can be told before it is executed; an error where it
    /// cannot be executed at all.
    pub(super) fn before(&mut self, code: &Code) -> Result<bool, Stop> {
        match *code {
            Code::Load { a, .. }
            | Code::LoadPointer { a, .. }
            | Code::LoadAny { a, .. }
            | Code::JumpIfZero { a, .. } => self.demand(&[a])?,
            // One may be zero.
            Code::Divide { a, b, .. } => self.demand(&[a, b])?,
            _ => {}
        }
        let mut operands_open = false;
        let mut is_result = true;
        let mut code = *code;
        code.places_mut(|place| {
            operands_open |= !is_result && self.is_open(*place);
            is_result = false;
        });
        Ok(operands_open || self.depends_on_addresses(&code))
    }

    /// Marks the result of an instruction that was executed.
    pub(super) fn after(&mut self, code: &Code, was_open: bool) {
        let d = match *code {
            Code::Jump { .. } | Code::JumpIfZero { .. } => return,
            mut code => {
                let mut first = None;
                code.places_mut(|place| first = first.or(Some(*place)));
                first
            }
        };
        let Some(d) = d else { return };
        // An object lies at an address that the program made up.
        let guessed =
            matches!(code, Code::IntToPointer { .. } | Code::Cast { to: Type::Pointer, .. })
                && self.get(d).pointer().provenance != Provenance::NONE;
        let unwritten = self.open.as_mut().is_some_and(|open| std::mem::take(&mut open.unwritten));
        self.mark(d, was_open || guessed || unwritten);
    }

    /// Whether the result depends on where objects lie.
    fn depends_on_addresses(&self, code: &Code) -> bool {
        let at = |place: Place| self.get(place).pointer();
        match *code {
            Code::SamePointer { a, b, .. } => self.memory.equality_is_open(at(a), at(b)),
            Code::LessUnsigned { a, b, .. }
            | Code::AtMostUnsigned { a, b, .. }
            | Code::PointerDiff { a, b, .. } => at(a).provenance != at(b).provenance,
            Code::PointerToInt { a, .. } | Code::Cast { from: Type::Pointer, a, .. } => {
                at(a).provenance != Provenance::NONE
            }
            Code::Load { size, a, .. } => {
                self.memory.holds_pointers(at(a), u64::from(size))
                    || self.reads_open_bits(at(a), u64::from(size), None)
            }
            Code::LoadPointer { a, .. } => {
                let size = u64::from(self.program.target.pointer_bits / 8);
                self.memory.is_guessed_pointer(at(a)) || self.reads_open_bits(at(a), size, None)
            }
            Code::LoadAny { access, a, .. } => {
                let access = self.compiled.accesses[access as usize];
                let size = access.ty.size(self.program.target);
                access.ty != Type::Pointer && self.memory.holds_pointers(at(a), size)
                    || self.reads_open_bits(at(a), size, access.bits)
            }
            _ => false,
        }
    }

    /// Whether bits are open that an access reads: those of a bit-field, or all.
    fn reads_open_bits(&self, pointer: Pointer, size: u64, field: Option<BitRange>) -> bool {
        let Some(open) = &self.open else { return false };
        let is_open = |byte: u64, mask: u8| {
            open.bits.get(&(pointer.address + byte)).is_some_and(|bits| bits & mask != 0)
        };
        match field {
            None => open.has_bits(pointer.address, size),
            Some(range) => field_bytes(range).any(|(byte, mask)| is_open(byte, mask)),
        }
    }

    /// Stores a value and remembers whether it is determined.
    pub(super) fn store_marked(
        &mut self,
        access: &Access,
        pointer: Pointer,
        value: Slot,
        is_open: bool,
    ) -> Result<(), Stop> {
        let fields: Vec<(u64, u8, bool)> = match (access.bits, &self.open) {
            (Some(range), Some(_)) => field_bytes(range)
                .map(|(byte, mask)| {
                    let at = Pointer { address: pointer.address + byte, ..pointer };
                    (at.address, mask, self.memory.is_written(at, 1))
                })
                .collect(),
            _ => Vec::new(),
        };
        self.store(access, pointer, value)?;
        let Some(open) = &mut self.open else { return Ok(()) };
        if access.bits.is_none() {
            let size = access.ty.size(self.program.target);
            open.overwritten(pointer.address, size);
            if is_open {
                self.memory.unwrite(pointer, size);
            }
            return Ok(());
        }
        for (address, mask, was_written) in fields {
            let known = open.bits.get(&address).copied().unwrap_or(0);
            let before = if was_written { known } else { u8::MAX };
            match if is_open { before | mask } else { before & !mask } {
                0 => open.bits.remove(&address),
                bits => open.bits.insert(address, bits),
            };
        }
        Ok(())
    }

    /// Whether what the library makes of these values is open.
    pub(super) fn output_is_open(&self, kind: OutputKind, step: &Step, values: &[Value]) -> bool {
        let is_open_text = |value: &Value| match value {
            Value::Pointer(p) => {
                p.provenance != Provenance::NONE && !self.memory.is_written_text(*p)
            }
            _ => false,
        };
        // `%p` prints where an object lies; a format in which a `p` is a letter is not worth more.
        let shows_address = |value: &Value| match value {
            Value::Pointer(p) => self.memory.read_string(*p, None).is_ok_and(|t| t.contains(&b'p')),
            _ => false,
        };
        let operands_open = step.operands.iter().any(|&p| self.is_open(p));
        match kind {
            OutputKind::Opaque => true,
            OutputKind::Putchar | OutputKind::Math(_) => operands_open,
            _ => {
                let has_pointers = values.iter().skip(1).any(|v| v.ty() == Type::Pointer);
                operands_open
                    || values.iter().any(is_open_text)
                    || has_pointers && values.iter().any(shows_address)
            }
        }
    }
}

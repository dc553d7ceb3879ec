//! Whether a run is the only one that the program has.
//!
//! A program that asks for nothing has one run, and executing it to its end decides every check. But programs
//! look at what the language leaves open without asking anybody: variables and memory
//! that were never written, where objects lie, what a function without a body returns. So
//! here the machine carries along for every slot whether its value is *determined*, the same in
//! all runs that came here. Memory needs no further mark: a byte counts as written while
//! its value is determined.
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
use crate::expr::Access;
use crate::program::{EdgeId, OutputKind};
use crate::types::Type;
use crate::value::{Pointer, Provenance, Value};
use bolide_base::arena::Id;

/// For each slot whether its value is open.
#[derive(Debug, Default)]
pub(super) struct Open {
    slots: Vec<bool>,
    /// The present instruction read memory that was never written.
    unwritten: bool,
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
            Code::Load { size, a, .. } => self.memory.holds_pointers(at(a), u64::from(size)),
            Code::LoadPointer { a, .. } => self.memory.is_guessed_pointer(at(a)),
            Code::LoadAny { access, a, .. } => {
                let access = self.compiled.accesses[access as usize];
                access.ty != Type::Pointer
                    && self.memory.holds_pointers(at(a), access.ty.size(self.program.target))
            }
            _ => false,
        }
    }

    /// Stores a value and remembers whether it is determined. Bits beside a bit-field that were never
    /// written make all of their byte open.
    pub(super) fn store_marked(
        &mut self,
        access: &Access,
        pointer: Pointer,
        value: Slot,
        is_open: bool,
    ) -> Result<(), Stop> {
        let size = match access.bits {
            Some(bits) => (u64::from(bits.offset) + u64::from(bits.width)).div_ceil(8),
            None => access.ty.size(self.program.target),
        };
        let stays_open = self.open.is_some()
            && (is_open || access.bits.is_some() && !self.memory.is_written(pointer, size));
        self.store(access, pointer, value)?;
        if stays_open {
            self.memory.unwrite(pointer, size);
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

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

use super::code::{Code, Opcode, Place};
use super::compile::Step;
use super::machine::{Machine, Observer, Stop};
use super::slot::Slot;
use crate::expr::{Access, BitRange};
use crate::program::{EdgeId, OutputKind};
use crate::types::Type;
use crate::value::{Pointer, Provenance, Value};
use bolide_base::arena::Id;

/// The bytes of a bit-field, and which of their bits belong to it.
fn field_bytes(range: BitRange) -> impl Iterator<Item = (u64, u8)> {
    let (first, end) = (u32::from(range.offset), u32::from(range.offset) + u32::from(range.width));
    (0..end.div_ceil(8)).map(move |byte| {
        let own = (0..8).filter(|bit| (first..end).contains(&(8 * byte + bit)));
        (u64::from(byte), own.fold(0, |mask, bit| mask | 1 << bit))
    })
}

impl<O: Observer> Machine<'_, O> {
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
        match code.op {
            Opcode::Load(..)
            | Opcode::LoadPointer
            | Opcode::LoadAny(_)
            | Opcode::JumpIfZero(_)
            // One may be zero.
            | Opcode::Divide(..) => self.demand(&[code.a, code.b])?,
            _ => {}
        }
        let operands_open = code.operands().any(|place| self.is_open(place));
        Ok(operands_open || self.depends_on_addresses(code))
    }

    /// Marks the result of an instruction that was executed.
    pub(super) fn after(&mut self, code: &Code, was_open: bool) {
        let Some(d) = code.result() else { return };
        // An object lies at an address that the program made up.
        let guessed = matches!(code.op, Opcode::IntToPointer | Opcode::Cast(_, Type::Pointer))
            && self.get(d).pointer().provenance != Provenance::NONE;
        let unwritten = self.open.as_mut().is_some_and(|open| std::mem::take(&mut open.unwritten));
        self.mark(d, was_open || guessed || unwritten);
    }

    /// Whether the result depends on where objects lie.
    fn depends_on_addresses(&self, code: &Code) -> bool {
        let (p, q) = (self.get(code.a).pointer(), self.get(code.b).pointer());
        match code.op {
            Opcode::SamePointer(_) => self.memory.equality_is_open(p, q),
            Opcode::LessUnsigned | Opcode::AtMostUnsigned | Opcode::PointerDiff(_) => {
                p.provenance != q.provenance
            }
            Opcode::PointerToInt(_) | Opcode::Cast(Type::Pointer, _) => {
                p.provenance != Provenance::NONE
            }
            Opcode::Load(_, size) => {
                self.memory.holds_pointers(p, u64::from(size))
                    || self.reads_open_bits(p, u64::from(size), None)
            }
            Opcode::LoadPointer => {
                let size = u64::from(self.program.target.pointer_bits / 8);
                self.memory.is_guessed_pointer(p) || self.reads_open_bits(p, size, None)
            }
            Opcode::LoadAny(access) => {
                let access = self.compiled.accesses[access as usize];
                let size = access.ty.size(self.program.target);
                access.ty != Type::Pointer && self.memory.holds_pointers(p, size)
                    || self.reads_open_bits(p, size, access.bits)
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

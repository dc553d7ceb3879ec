//! Memory: objects of bytes at addresses.
//!
//! After Miri: an object is an array of bytes, a mask of those that were
//! written, and for each pointer stored in it the object that the pointer may
//! access. A pointer is an address with such a provenance. Objects get
//! addresses that are aligned as the C ABI asks, keep a gap between each
//! other, and are not handed out again while there are others left, so that
//! equal addresses mean equal objects; on ILP32, gaps of dead objects are
//! reused when 4 GiB are used up.
//!
//! An integer that becomes a pointer gets the provenance of the live object at
//! that address, if there is one: pointers survive being copied as bytes, as
//! integers and through unions.

use super::choices::{Birth, MemoryPlace, environment};
use super::outcome::Fault;
use crate::program::{AllocKind, FunctionId};
use crate::types::Target;
use crate::value::{Pointer, Provenance};
use bolide_base::arena::Id;

/// What an object is; decides who may end its life and write to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Static,
    Constant,
    Heap,
    Stack,
    Alloca,
    /// The program did not make it.
    Environment,
    Dead,
}

impl From<AllocKind> for Kind {
    fn from(kind: AllocKind) -> Kind {
        match kind {
            AllocKind::Heap => Kind::Heap,
            AllocKind::Stack => Kind::Stack,
            AllocKind::Alloca => Kind::Alloca,
            AllocKind::Static => Kind::Static,
        }
    }
}

#[derive(Clone, Debug)]
struct Object {
    base: u64,
    size: u64,
    /// Counts the objects that had this slot; part of the provenance, so that
    /// pointers to a dead object do not reach its successor.
    generation: u32,
    kind: Kind,
    birth: Birth,
    bytes: Vec<u8>,
    /// Which bytes were written; unused when `all_written`.
    written: Vec<u64>,
    all_written: bool,
    /// Provenance of pointers at aligned offsets, by word; empty when none was
    /// stored yet.
    words: Vec<Provenance>,
    /// Pointers at other offsets (packed structures), few if any.
    unaligned: Vec<(u64, Provenance)>,
}

/// Where a live object lies.
#[derive(Clone, Copy, Debug)]
struct Extent {
    base: u64,
    slot: u32,
    generation: u32,
}

/// All objects.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    target: Target,
    objects: Vec<Object>,
    free_slots: Vec<u32>,
    /// Sorted by base; dead ones stay until they are half.
    extents: Vec<Extent>,
    dead_extents: usize,
    /// Where the next object goes, and where that free space ends.
    next: u64,
    end: u64,
    used: u64,
    limit: u64,
    live_heap: usize,
    functions: u64,
}

/// Bytes between objects, so that a pointer just behind one belongs to it.
const GAP: u64 = 16;
/// About what the record of an object takes, which counts as memory that is used: small objects are mostly that.
const RECORD: u64 = 256;
/// Bytes of code that each function seems to have.
const FUNCTION_SIZE: u64 = 16;
const FUNCTION_TAG: u64 = 0xffff_ffff;

impl Memory {
    /// How many bytes of memory are used.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    pub(super) fn new(target: Target, functions: usize, limit: u64) -> Memory {
        let functions = functions as u64;
        let (next, end) = Self::room(target, functions);
        Memory {
            target,
            objects: Vec::new(),
            free_slots: Vec::new(),
            extents: Vec::new(),
            dead_extents: 0,
            next,
            end,
            used: 0,
            limit,
            live_heap: 0,
            functions,
        }
    }

    /// Where objects may lie: behind the code.
    fn room(target: Target, functions: u64) -> (u64, u64) {
        let start = Self::code(target) + (functions + 1) * FUNCTION_SIZE;
        let end = if target.pointer_bits == 32 { 0xffff_0000 } else { 0x7fff_ffff_0000 };
        (start.next_multiple_of(4096), end)
    }

    /// The address of the first function. High on LP64, so that an address cut
    /// to `int` is lost as it is in a position-independent executable.
    fn code(target: Target) -> u64 {
        if target.pointer_bits == 32 { 0x0804_9000 } else { 0x5555_5555_4000 }
    }

    pub(super) fn function_pointer(&self, function: FunctionId) -> Pointer {
        let index = function.index() as u64;
        Pointer {
            address: Self::code(self.target) + index * FUNCTION_SIZE,
            provenance: Provenance(index << 32 | FUNCTION_TAG),
        }
    }

    /// The function that a pointer is the address of.
    pub(super) fn function_at(&self, pointer: Pointer) -> Option<FunctionId> {
        let p = pointer.provenance.0;
        let function = FunctionId::from_index((p >> 32) as usize);
        (p as u32 as u64 == FUNCTION_TAG
            && self.function_pointer(function).address == pointer.address)
            .then_some(function)
    }

    /// Makes an object; none when there is no room for it.
    pub(super) fn allocate(
        &mut self,
        size: u64,
        align: u64,
        kind: Kind,
        birth: Birth,
        zeroed: bool,
    ) -> Option<Pointer> {
        if size > self.limit || self.used + size + RECORD > self.limit {
            return None;
        }
        let align = align.max(1).next_power_of_two().min(1 << 20);
        // As gcc places them; a program may ask for the address of a buffer.
        let align = if kind == Kind::Heap || size >= 16 { align.max(16) } else { align };
        let mut base = self.next.next_multiple_of(align);
        if base + size + GAP > self.end {
            self.find_room(size + align + GAP)?;
            base = self.next.next_multiple_of(align);
        }
        self.next = base + size + GAP;
        Some(self.place_at(base, size, kind, birth, zeroed))
    }

    /// The pointer to memory of the environment, which is made if it is not there.
    pub(super) fn environment(&mut self, address: u64) -> Pointer {
        let known = self.find(address);
        let Some((number, _)) = environment::place(address) else {
            return Pointer { address, provenance: known };
        };
        if known == Provenance::NONE {
            let (base, size) = environment::extent(number);
            self.place_at(base, size, Kind::Environment, Birth::Environment(number), false);
        }
        Pointer { address, provenance: self.find(address) }
    }

    /// Where an address lies, independently of addresses.
    pub(super) fn place(&self, pointer: Pointer) -> Option<MemoryPlace> {
        let (slot, offset) = self.locate(pointer, 0).ok()?;
        let birth = self.objects[slot].birth;
        let offset = match birth {
            Birth::Environment(_) => environment::place(pointer.address)?.1,
            _ => offset as i64,
        };
        Some(MemoryPlace { object: birth, offset })
    }

    fn place_at(
        &mut self,
        base: u64,
        size: u64,
        kind: Kind,
        birth: Birth,
        zeroed: bool,
    ) -> Pointer {
        self.used += size + RECORD;
        self.live_heap += usize::from(kind == Kind::Heap);
        let bytes = vec![0; size as usize];
        let written =
            if zeroed || size == 0 { Vec::new() } else { vec![0; size.div_ceil(64) as usize] };
        let object = |generation| Object {
            base,
            size,
            generation,
            kind,
            birth,
            bytes,
            written,
            all_written: zeroed || size == 0,
            words: Vec::new(),
            unaligned: Vec::new(),
        };
        let slot = match self.free_slots.pop() {
            Some(slot) => {
                let generation = self.objects[slot as usize].generation.wrapping_add(1);
                self.objects[slot as usize] = object(generation);
                slot
            }
            None => {
                self.objects.push(object(1));
                self.objects.len() as u32 - 1
            }
        };
        let generation = self.objects[slot as usize].generation;
        let extent = Extent { base, slot, generation };
        match self.extents.last() {
            Some(last) if last.base > base => {
                let at = self.extents.partition_point(|e| e.base < base);
                self.extents.insert(at, extent);
            }
            _ => self.extents.push(extent),
        }
        Pointer { address: base, provenance: Self::provenance(slot, generation) }
    }

    fn provenance(slot: u32, generation: u32) -> Provenance {
        Provenance(u64::from(generation) << 32 | u64::from(slot + 1))
    }

    /// Moves to the largest gap between live objects.
    fn find_room(&mut self, size: u64) -> Option<()> {
        self.forget_dead();
        let (mut start, last) = Self::room(self.target, self.functions);
        let mut best = (0, 0);
        for e in &self.extents {
            if e.base.saturating_sub(start) > best.1 - best.0 {
                best = (start, e.base);
            }
            start = e.base + self.objects[e.slot as usize].size + GAP;
        }
        if last - start > best.1 - best.0 {
            best = (start, last);
        }
        (best.1 - best.0 >= size + GAP).then(|| (self.next, self.end) = (best.0, best.1 - GAP))
    }

    fn forget_dead(&mut self) {
        let objects = &self.objects;
        self.extents.retain(|e| {
            let o = &objects[e.slot as usize];
            o.generation == e.generation && o.kind != Kind::Dead
        });
        self.dead_extents = 0;
    }

    /// The live object, whatever the offset.
    fn live(&self, provenance: Provenance) -> Result<usize, Fault> {
        let slot = (provenance.0 as u32).wrapping_sub(1) as usize;
        match self.objects.get(slot) {
            Some(o) if o.generation == (provenance.0 >> 32) as u32 && o.kind != Kind::Dead => {
                Ok(slot)
            }
            Some(_) => Err(Fault::Dead),
            None if provenance == Provenance::NONE => Err(Fault::NoObject),
            None => Err(Fault::Function),
        }
    }

    /// The object and the offset, if `size` bytes from there on lie within it.
    #[inline]
    fn locate(&self, pointer: Pointer, size: u64) -> Result<(usize, usize), Fault> {
        let slot = match self.live(pointer.provenance) {
            Ok(slot) => slot,
            Err(Fault::NoObject) if pointer.address == 0 => return Err(Fault::Null),
            Err(fault) => return Err(fault),
        };
        let object = &self.objects[slot];
        let mut offset = pointer.address.wrapping_sub(object.base);
        if self.target.pointer_bits == 32 {
            offset &= 0xffff_ffff;
        }
        if size > object.size || offset > object.size - size {
            return Err(Fault::OutOfBounds);
        }
        Ok((slot, offset as usize))
    }

    fn writable(&self, pointer: Pointer, size: u64) -> Result<(usize, usize), Fault> {
        let (slot, offset) = self.locate(pointer, size)?;
        if self.objects[slot].kind == Kind::Constant {
            return Err(Fault::ReadOnly);
        }
        Ok((slot, offset))
    }

    /// Forbids further writing.
    pub(super) fn make_constant(&mut self, pointer: Pointer) {
        if let Ok(slot) = self.live(pointer.provenance) {
            self.objects[slot].kind = Kind::Constant;
        }
    }

    /// Ends the life of an object of one of the kinds, at its start.
    pub(super) fn release(&mut self, pointer: Pointer, kinds: &[Kind]) -> Result<(), Fault> {
        let (slot, offset) = self.locate(pointer, 0)?;
        if offset != 0 || !kinds.contains(&self.objects[slot].kind) {
            return Err(Fault::NotAllocated);
        }
        self.kill(slot);
        Ok(())
    }

    fn kill(&mut self, slot: usize) {
        let object = &mut self.objects[slot];
        self.used -= object.size + RECORD;
        self.live_heap -= usize::from(object.kind == Kind::Heap);
        object.kind = Kind::Dead;
        object.bytes = Vec::new();
        object.written = Vec::new();
        object.words = Vec::new();
        object.unaligned = Vec::new();
        self.free_slots.push(slot as u32);
        self.dead_extents += 1;
        if self.dead_extents > 64 && self.dead_extents * 2 > self.extents.len() {
            self.forget_dead();
        }
    }

    /// Whether `size` bytes from the pointer on lie within one live object.
    pub(super) fn is_valid(&self, pointer: Pointer, size: u64) -> bool {
        self.locate(pointer, size).is_ok()
    }

    /// Whether two pointers have to do with different objects.
    pub(super) fn are_apart(&self, p: Pointer, q: Pointer) -> bool {
        let object = |p: Pointer| {
            p.provenance != Provenance::NONE && p.provenance.0 as u32 as u64 != FUNCTION_TAG
        };
        p.provenance != q.provenance && object(p) && object(q)
    }

    /// Whether C leaves open if two pointers are equal: they have to do with different objects, and one
    /// does not point to a byte of a live one, or both point into constants, which
    /// may share their bytes.
    pub(super) fn equality_is_open(&self, p: Pointer, q: Pointer) -> bool {
        // Where no object can lie: null, and the small numbers that mark something.
        let nowhere = |p: Pointer| {
            p.provenance == Provenance::NONE && (p.address < 4096 || p.address > u64::MAX - 4096)
        };
        if p.provenance == q.provenance || nowhere(p) || nowhere(q) {
            return false;
        }
        let constant = |p: Pointer| match self.locate(p, 1) {
            Ok((slot, offset)) if self.objects[slot].kind == Kind::Constant => Some(offset),
            _ => None,
        };
        match (constant(p), constant(q)) {
            (Some(i), Some(j)) => i != 0 || j != 0,
            _ => !self.is_inside(p) || !self.is_inside(q),
        }
    }

    /// Whether `free` accepts the pointer.
    pub(super) fn is_freeable(&self, pointer: Pointer) -> bool {
        pointer.address == 0
            || matches!(self.locate(pointer, 0), Ok((slot, 0)) if self.objects[slot].kind == Kind::Heap)
    }

    /// Whether the pointer points into an object that must not be written.
    pub(super) fn is_constant(&self, pointer: Pointer) -> bool {
        self.live(pointer.provenance).is_ok_and(|slot| self.objects[slot].kind == Kind::Constant)
    }

    /// The live object of a pointer, the offset of the pointer from its start, and its size.
    pub(super) fn target(&self, pointer: Pointer) -> Option<(u64, i64, u64)> {
        let object = &self.objects[self.live(pointer.provenance).ok()?];
        let mut offset = pointer.address.wrapping_sub(object.base) as i64;
        if self.target.pointer_bits == 32 {
            offset = i64::from(offset as i32);
        }
        Some((pointer.provenance.0, offset, object.size))
    }

    /// The size of the live object pointed into, 0 without one.
    pub(super) fn object_size(&self, pointer: Pointer) -> u64 {
        self.live(pointer.provenance).map_or(0, |slot| self.objects[slot].size)
    }

    /// Where the object begins that is pointed into, 0 without one; none where it lives no more.
    pub(super) fn start(&self, pointer: Pointer) -> Option<u64> {
        if pointer.provenance == Provenance::NONE {
            return Some(0);
        }
        if pointer.provenance.0 as u32 as u64 == FUNCTION_TAG {
            let function = FunctionId::from_index((pointer.provenance.0 >> 32) as usize);
            return Some(self.function_pointer(function).address);
        }
        self.live(pointer.provenance).ok().map(|slot| self.objects[slot].base)
    }

    /// How many heap objects are live.
    pub(super) fn heap_objects(&self) -> usize {
        self.live_heap
    }

    /// Whether some heap object is live.
    pub(super) fn heap_in_use(&self) -> bool {
        self.live_heap > 0
    }

    /// The live object at an address: the provenance of integers that become
    /// pointers.
    pub(super) fn find(&self, address: u64) -> Provenance {
        let code = Self::code(self.target);
        if address >= code && address < code + self.functions * FUNCTION_SIZE {
            let index = (address - code) / FUNCTION_SIZE;
            return Provenance(index << 32 | FUNCTION_TAG);
        }
        let mut at = self.extents.partition_point(|e| e.base <= address);
        while at > 0 {
            at -= 1;
            let e = self.extents[at];
            let o = &self.objects[e.slot as usize];
            if o.generation == e.generation && o.kind != Kind::Dead {
                // A pointer just behind its object still belongs to it.
                let inside = address - o.base <= o.size;
                return if inside {
                    Self::provenance(e.slot, e.generation)
                } else {
                    Provenance::NONE
                };
            }
        }
        Provenance::NONE
    }

    /// Reads up to 8 bytes; `None` when some were never written.
    #[inline]
    pub(super) fn read_word(&self, pointer: Pointer, size: usize) -> Result<Option<u64>, Fault> {
        let (slot, offset) = self.locate(pointer, size as u64)?;
        let object = &self.objects[slot];
        if !object.all_written && !object.is_written(offset, size) {
            return Ok(None);
        }
        let bytes = &object.bytes[offset..offset + size];
        Ok(Some(match *bytes {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)),
        }))
    }

    /// Writes up to 8 bytes that are no pointer.
    #[inline]
    pub(super) fn write_word(
        &mut self,
        pointer: Pointer,
        size: usize,
        value: u64,
    ) -> Result<(), Fault> {
        let (slot, offset) = self.writable(pointer, size as u64)?;
        let object = &mut self.objects[slot];
        let bytes = value.to_le_bytes();
        match &mut object.bytes[offset..offset + size] {
            [a] => *a = bytes[0],
            four @ [_, _, _, _] => four.copy_from_slice(&bytes[..4]),
            other => other.copy_from_slice(&bytes[..size]),
        }
        object.overwritten(offset, size, self.target);
        Ok(())
    }

    /// Reads bytes as they are; `written` tells of each whether it was written.
    pub(super) fn read(
        &self,
        pointer: Pointer,
        size: usize,
    ) -> Result<(Vec<u8>, Vec<bool>), Fault> {
        let (slot, offset) = self.locate(pointer, size as u64)?;
        let object = &self.objects[slot];
        let written = (offset..offset + size).map(|i| object.is_written(i, 1)).collect();
        Ok((object.bytes[offset..offset + size].to_vec(), written))
    }

    /// Writes bytes that are no pointers.
    pub(super) fn write(&mut self, pointer: Pointer, bytes: &[u8]) -> Result<(), Fault> {
        let (slot, offset) = self.writable(pointer, bytes.len() as u64)?;
        let object = &mut self.objects[slot];
        object.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        object.overwritten(offset, bytes.len(), self.target);
        Ok(())
    }

    /// Gives bytes that were never written a value, without being a write of
    /// the program (constant objects too).
    pub(super) fn settle(&mut self, pointer: Pointer, bytes: &[u8]) -> Result<(), Fault> {
        let (slot, offset) = self.locate(pointer, bytes.len() as u64)?;
        let object = &mut self.objects[slot];
        for (i, &b) in bytes.iter().enumerate() {
            if !object.is_written(offset + i, 1) {
                object.bytes[offset + i] = b;
                object.set_written(offset + i, 1, true);
            }
        }
        Ok(())
    }

    fn pointer_size(&self) -> usize {
        usize::from(self.target.pointer_bits / 8)
    }

    /// Reads a pointer; `None` when some bytes were never written.
    #[inline]
    pub(super) fn read_pointer(&self, at: Pointer) -> Result<Option<Pointer>, Fault> {
        let size = self.pointer_size();
        let Some(address) = self.read_word(at, size)? else { return Ok(None) };
        let (slot, offset) = self.locate(at, size as u64)?;
        let stored = self.objects[slot].pointer_at(offset, size);
        let provenance = match stored {
            Some(p) if p != Provenance::NONE => p,
            _ if address == 0 => Provenance::NONE,
            _ => self.find(address),
        };
        Ok(Some(Pointer { address, provenance }))
    }

    /// Writes a pointer.
    #[inline]
    pub(super) fn write_pointer(&mut self, at: Pointer, value: Pointer) -> Result<(), Fault> {
        let size = self.pointer_size();
        self.write_word(at, size, value.address)?;
        if value.provenance != Provenance::NONE {
            let (slot, offset) = self.locate(at, size as u64)?;
            self.objects[slot].set_pointer(offset, size, value.provenance);
        }
        Ok(())
    }

    /// Copies bytes with all that is known of them.
    pub(super) fn copy(&mut self, to: Pointer, from: Pointer, size: u64) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        let n = size as usize;
        let word = self.pointer_size();
        let (source, from_offset) = self.locate(from, size)?;
        let (destination, to_offset) = self.writable(to, size)?;
        let object = &self.objects[source];
        // What was never written is zero from here on, in both places: a copy
        // must not differ from what it copied.
        let bytes = object.bytes[from_offset..from_offset + n].to_vec();
        let pointers = object.pointers_in(from_offset, n, word);
        self.objects[source].set_written(from_offset, n, true);
        let object = &mut self.objects[destination];
        object.bytes[to_offset..to_offset + n].copy_from_slice(&bytes);
        object.overwritten(to_offset, n, self.target);
        for (offset, provenance) in pointers {
            object.set_pointer(to_offset + offset, word, provenance);
        }
        Ok(())
    }

    /// Copies bytes and leaves those that were never written as they are, in both places. Says whether
    /// no pointer was cut in two.
    pub(super) fn copy_as_written(
        &mut self,
        to: Pointer,
        from: Pointer,
        size: u64,
    ) -> Result<bool, Fault> {
        if size == 0 {
            return Ok(true);
        }
        let (source, from_offset) = self.locate(from, size)?;
        let word = self.pointer_size();
        let whole = self.objects[source].pointers_in(from_offset, size as usize, word).len();
        let all = self.objects[source].pointers_near(from_offset, size as usize, word).count();
        let written = self.read(from, size as usize)?.1;
        self.copy(to, from, size)?;
        for (offset, _) in written.iter().enumerate().filter(|&(_, &w)| !w) {
            for start in [from, to] {
                self.unwrite(Pointer { address: start.address + offset as u64, ..start }, 1);
            }
        }
        Ok(whole == all)
    }

    /// The object that a stored pointer leads to of which some byte lies in the range.
    pub(super) fn pointer_under(&self, pointer: Pointer, size: u64) -> Option<Provenance> {
        let (slot, offset) = self.locate(pointer, size).ok()?;
        let word = self.pointer_size();
        let object = &self.objects[slot];
        let words = offset / word..(offset + size as usize).div_ceil(word);
        let mut found = words.filter_map(|i| object.words.get(i).copied());
        found.find(|&p| p != Provenance::NONE)
    }

    /// Bytes count as never written.
    pub(super) fn unwrite(&mut self, pointer: Pointer, size: u64) {
        if let Ok((slot, offset)) = self.locate(pointer, size) {
            self.objects[slot].set_written(offset, size as usize, false);
        }
    }

    /// Whether all of these bytes were written.
    pub(super) fn is_written(&self, pointer: Pointer, size: u64) -> bool {
        self.locate(pointer, size)
            .is_ok_and(|(slot, offset)| self.objects[slot].is_written(offset, size as usize))
    }

    /// Whether some of these bytes belong to a pointer.
    pub(super) fn holds_pointers(&self, pointer: Pointer, size: u64) -> bool {
        let word = self.pointer_size();
        self.locate(pointer, size).is_ok_and(|(slot, offset)| {
            self.objects[slot].pointers_near(offset, size as usize, word).next().is_some()
        })
    }

    /// Whether what is read there as a pointer was written as something else, and leads to an
    /// object all the same.
    pub(super) fn is_guessed_pointer(&self, at: Pointer) -> bool {
        let word = self.pointer_size();
        let Ok(Some(read)) = self.read_pointer(at) else { return false };
        let Ok((slot, offset)) = self.locate(at, word as u64) else { return false };
        let stored = self.objects[slot].pointer_at(offset, word).unwrap_or(Provenance::NONE);
        read.provenance != Provenance::NONE && stored == Provenance::NONE
    }

    /// Whether a live object (or a function) has a byte of its own at the pointer.
    pub(super) fn is_inside(&self, pointer: Pointer) -> bool {
        self.function_at(pointer).is_some() || self.locate(pointer, 1).is_ok()
    }

    /// Whether the text there is written up to its end.
    pub(super) fn is_written_text(&self, pointer: Pointer) -> bool {
        let Ok(text) = self.read_string(pointer, None) else { return false };
        self.is_written(pointer, text.len() as u64 + 1)
    }

    /// Sets all bytes of a range to one value.
    pub(super) fn fill(&mut self, to: Pointer, byte: u8, size: u64) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        let (slot, offset) = self.writable(to, size)?;
        let object = &mut self.objects[slot];
        object.bytes[offset..offset + size as usize].fill(byte);
        object.overwritten(offset, size as usize, self.target);
        Ok(())
    }

    /// The bytes up to the first zero, for output.
    pub(super) fn read_string(
        &self,
        pointer: Pointer,
        most: Option<usize>,
    ) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        if most == Some(0) {
            return Ok(out);
        }
        let (slot, offset) = self.locate(pointer, 1)?;
        for &b in &self.objects[slot].bytes[offset..] {
            if b == 0 || most.is_some_and(|m| out.len() >= m) {
                return Ok(out);
            }
            out.push(b);
        }
        if most == Some(out.len()) { Ok(out) } else { Err(Fault::OutOfBounds) }
    }

    /// How much there is to look at.
    pub(super) fn size(&self) -> usize {
        self.objects.len()
    }

    /// The first live heap object that cannot be reached from `roots`, from
    /// static and stack objects, or from what these reach.
    pub(super) fn lost(&self, roots: impl Iterator<Item = Provenance>) -> Option<Birth> {
        if self.live_heap == 0 {
            return None;
        }
        let mut reached = vec![false; self.objects.len()];
        let mut work = Vec::new();
        let mut reach = |p: Provenance, work: &mut Vec<usize>| {
            if let Ok(slot) = self.live(p)
                && !std::mem::replace(&mut reached[slot], true)
            {
                work.push(slot);
            }
        };
        for p in roots {
            reach(p, &mut work);
        }
        for (slot, o) in self.objects.iter().enumerate() {
            if !matches!(o.kind, Kind::Dead | Kind::Heap) {
                reach(Self::provenance(slot as u32, o.generation), &mut work);
            }
        }
        while let Some(slot) = work.pop() {
            let o = &self.objects[slot];
            for &p in o.words.iter().chain(o.unaligned.iter().map(|(_, p)| p)) {
                reach(p, &mut work);
            }
        }
        let mut lost =
            self.objects.iter().zip(&reached).filter(|(o, r)| o.kind == Kind::Heap && !**r);
        lost.next().map(|(o, _)| o.birth)
    }
}

impl Object {
    fn is_written(&self, offset: usize, size: usize) -> bool {
        if self.all_written {
            return true;
        }
        let (first, shift) = (offset / 64, offset % 64);
        if shift + size <= 64 {
            let mask = u64::MAX >> (64 - size.max(1)) << shift;
            return self.written.get(first).is_none_or(|w| w & mask == mask);
        }
        (offset..offset + size).all(|i| self.written[i / 64] >> (i % 64) & 1 == 1)
    }

    fn set_written(&mut self, offset: usize, size: usize, value: bool) {
        if size == 0 || self.all_written && value {
            return;
        }
        if self.all_written {
            self.all_written = false;
            self.written = vec![u64::MAX; self.bytes.len().div_ceil(64)];
        }
        if value && size == self.bytes.len() {
            self.all_written = true;
            self.written = Vec::new();
            return;
        }
        let (first, shift) = (offset / 64, offset % 64);
        if shift + size <= 64 {
            let mask = u64::MAX >> (64 - size) << shift;
            let word = &mut self.written[first];
            *word = if value { *word | mask } else { *word & !mask };
            return;
        }
        for i in offset..offset + size {
            let bit = 1 << (i % 64);
            let word = &mut self.written[i / 64];
            *word = if value { *word | bit } else { *word & !bit };
        }
    }

    fn pointer_at(&self, offset: usize, word: usize) -> Option<Provenance> {
        if offset.is_multiple_of(word) {
            return self.words.get(offset / word).copied();
        }
        self.unaligned.iter().find(|&&(o, _)| o == offset as u64).map(|&(_, p)| p)
    }

    fn set_pointer(&mut self, offset: usize, word: usize, provenance: Provenance) {
        if offset.is_multiple_of(word) {
            if self.words.is_empty() {
                self.words = vec![Provenance::NONE; self.bytes.len() / word];
            }
            self.words[offset / word] = provenance;
        } else {
            self.unaligned.push((offset as u64, provenance));
        }
    }

    /// Bytes from `offset` on got a value that is no pointer.
    #[inline]
    fn overwritten(&mut self, offset: usize, size: usize, target: Target) {
        self.forget_pointers(offset, size, target);
        if !self.all_written {
            self.set_written(offset, size, true);
        }
    }

    /// Pointers that overlap these bytes are gone.
    #[inline]
    fn forget_pointers(&mut self, offset: usize, size: usize, target: Target) {
        if self.words.is_empty() && self.unaligned.is_empty() {
            return;
        }
        let word = usize::from(target.pointer_bits / 8);
        let end = (offset + size).div_ceil(word).min(self.words.len());
        if offset / word < end {
            self.words[offset / word..end].fill(Provenance::NONE);
        }
        let (start, end) = (offset as u64, (offset + size) as u64);
        self.unaligned.retain(|&(o, _)| o >= end || o + word as u64 <= start);
    }

    /// Where pointers lie that have bytes in the range, and what they may access.
    fn pointers_near(
        &self,
        offset: usize,
        size: usize,
        word: usize,
    ) -> impl Iterator<Item = (usize, Provenance)> {
        let end = (offset + size).div_ceil(word).min(self.words.len());
        let words = (offset / word..end).map(move |i| (i * word, self.words[i]));
        let unaligned = self.unaligned.iter().map(|&(o, p)| (o as usize, p));
        let near = move |&(o, _): &(usize, Provenance)| o < offset + size && o + word > offset;
        words.filter(|(_, p)| *p != Provenance::NONE).chain(unaligned.filter(near))
    }

    /// Pointers that lie wholly in the range, with offsets from its start.
    fn pointers_in(&self, offset: usize, size: usize, word: usize) -> Vec<(usize, Provenance)> {
        let inside = |&(o, _): &(usize, Provenance)| o >= offset && o + word <= offset + size;
        let found = self.pointers_near(offset, size, word).filter(inside);
        found.map(|(o, p)| (o - offset, p)).collect()
    }
}

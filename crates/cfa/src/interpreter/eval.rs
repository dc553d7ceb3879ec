//! Executes the code of expressions on the slots.

use super::choices::{Birth, Request, Source};
use super::code::{Code, Opcode};
use super::machine::{Machine, Observer, Stop};
use super::slot::Slot;
use crate::expr::{Access, BinaryOp, BitRange, UnaryOp};
use crate::program::{LocId, VarId, VariableKind};
use crate::types::{FloatKind, IntType, Target, Type};
use crate::value::{self, Pointer, Provenance, Undefined, Value};
use std::ops::Range;

impl<O: Observer> Machine<'_, O> {
    /// Executes a stretch of code.
    pub(super) fn eval(&mut self, range: &Range<usize>) -> Result<(), Stop> {
        if self.open.is_none() {
            self.evaluate::<false>(range)
        } else {
            self.evaluate::<true>(range)
        }
    }

    /// Likewise; with what is determined, if asked.
    // Long: one arm for each instruction.
    fn evaluate<const DETERMINED: bool>(&mut self, range: &Range<usize>) -> Result<(), Stop> {
        let code = &self.compiled.code;
        let mut at = range.start;
        while at < range.end {
            let open = DETERMINED && self.before(&code[at])?;
            let Code { op, d, a, b } = code[at];
            let (left, right) = (self.get(a), self.get(b));
            let (x, y) = (left.lo, right.lo);
            let result: Slot = match op {
                Opcode::Jump(to) => {
                    at = to as usize;
                    continue;
                }
                Opcode::JumpIfZero(to) => {
                    at = if x == 0 { to as usize } else { at + 1 };
                    continue;
                }
                Opcode::Move => left,
                Opcode::Select(c) => {
                    if self.get(c).lo != 0 {
                        left
                    } else {
                        right
                    }
                }
                Opcode::Add(n) => {
                    let sum = n.apply(x.wrapping_add(y));
                    if n.signed && ((x ^ sum) & (y ^ sum)) >> 63 != 0 {
                        self.overflowed();
                    }
                    Slot::int(sum)
                }
                Opcode::Sub(n) => {
                    let difference = n.apply(x.wrapping_sub(y));
                    if n.signed && ((x ^ y) & (x ^ difference)) >> 63 != 0 {
                        self.overflowed();
                    }
                    Slot::int(difference)
                }
                Opcode::Mul(n) => {
                    let product = n.apply(x.wrapping_mul(y));
                    let exact = (x as i64).checked_mul(y as i64);
                    if n.signed && exact != Some(product as i64) {
                        self.overflowed();
                    }
                    Slot::int(product)
                }
                Opcode::Scale(n) => Slot::int(n.apply(x.wrapping_mul(y))),
                Opcode::And => Slot::int(x & y),
                Opcode::Or => Slot::int(x | y),
                Opcode::Xor => Slot::int(x ^ y),
                Opcode::Divide(op, ty) => Slot::int(divide(op, ty, x, y)?),
                Opcode::Shift(op, ty) => {
                    // As `value::undefined` says it of all widths.
                    if y >= u64::from(ty.bits) {
                        self.overflowed();
                    }
                    let amount = value::shift_amount(u128::from(y), ty.bits);
                    Slot::int(match op {
                        BinaryOp::Shl => super::slot::Norm::of(ty).apply(x << amount),
                        _ if ty.signed => (x as i64 >> amount) as u64,
                        _ => x >> amount,
                    })
                }
                Opcode::Not => Slot::truth(x == 0),
                Opcode::Norm(n) => Slot::int(n.apply(x)),
                Opcode::IsNonzero => Slot::truth(x != 0),
                Opcode::Equal => Slot::truth(x == y),
                Opcode::Unequal => Slot::truth(x != y),
                Opcode::SamePointer(negated) => {
                    let same = self.compare_pointers(left.pointer(), right.pointer());
                    Slot::truth(same != negated)
                }
                Opcode::LessSigned => Slot::truth((x as i64) < y as i64),
                Opcode::LessUnsigned => Slot::truth((x < y) != self.order_is_turned(left, right)),
                Opcode::AtMostSigned => Slot::truth(x as i64 <= y as i64),
                Opcode::AtMostUnsigned => {
                    Slot::truth((x <= y) != self.order_is_turned(left, right))
                }
                Opcode::PointerAdd => Slot { lo: self.address(x.wrapping_add(y)), hi: left.hi },
                Opcode::PointerDiff(n) => Slot::int(n.apply(x.wrapping_sub(y))),
                Opcode::PointerToInt(n) => {
                    if self.compiled.temporaries.is_some() {
                        self.exposed.insert(Provenance(left.hi));
                    }
                    Slot::int(n.apply(x))
                }
                Opcode::IntToPointer => self.pointer_from(x).into(),
                Opcode::Load(n, size) => Slot::int(n.apply(self.load_word(left.pointer(), size)?)),
                Opcode::LoadPointer => self.load_pointer(left.pointer())?.into(),
                Opcode::LoadAny(access) => {
                    let access = self.compiled.accesses[access as usize];
                    self.load(&access, left.pointer())?.into()
                }
                Opcode::Unary(op, ty) => {
                    let operand = left.value(ty);
                    if let (UnaryOp::Neg, Value::Int { bits, ty }) = (op, operand)
                        && ty.signed
                        && ty.value(bits) == ty.min()
                    {
                        self.overflowed();
                    }
                    value::unary(op, operand)?.into()
                }
                Opcode::Binary(op, ty, amount) => {
                    let (x, y) = (left.value(ty), right.value(amount));
                    let v = value::binary(op, x, y)?;
                    let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                    if ty.as_int().is_some_and(|t| t.signed || is_shift)
                        && value::undefined(op, x, y)?
                    {
                        self.overflowed();
                    }
                    v.into()
                }
                Opcode::Compare(op, ty) => {
                    Slot::truth(value::compare(op, left.value(ty), right.value(ty))?)
                }
                Opcode::Cast(from, to) => {
                    let before = left.value(from);
                    if let (Value::Float { bits, kind }, Type::Int(to)) = (before, to)
                        && to != IntType::BOOL
                        && !value::float::fits(bits, kind, to)
                    {
                        self.overflowed();
                    }
                    match value::cast(to, before, self.program.target) {
                        Value::Pointer(p) => self.pointer_from(p.address).into(),
                        v => v.into(),
                    }
                }
                Opcode::Pattern(from, to) => value::pattern(to, left.value(from))?.into(),
                Opcode::FloatFn(op, ty) => value::float_fn(op, left.value(ty))?.into(),
                Opcode::FloatTest(op, ty) => Slot::truth(value::float_test(op, left.value(ty))?),
                Opcode::Overflows(op, ty, amount) => {
                    Slot::truth(value::overflows(op, left.value(ty), right.value(amount))?)
                }
                Opcode::Valid => Slot::truth(self.memory.is_valid(left.pointer(), y)),
                Opcode::Freeable => Slot::truth(self.memory.is_freeable(left.pointer())),
                Opcode::Coincide => {
                    let apart = self.memory.are_apart(left.pointer(), right.pointer());
                    Slot::truth(apart && x == y)
                }
                Opcode::ReadOnly => Slot::truth(self.memory.is_constant(left.pointer())),
                Opcode::ObjectSize => Slot::int(self.memory.object_size(left.pointer())),
                Opcode::SameObject => {
                    let starts = [left, right].map(|slot| self.start_of(slot.pointer()));
                    Slot::truth(starts[0] == starts[1])
                }
                Opcode::Offset(n) => {
                    let start = self.start_of(left.pointer());
                    Slot::int(n.apply(x.wrapping_sub(start)))
                }
                Opcode::Leaked(at_end) => {
                    let location = self.program.edges[self.edge].from;
                    let looks = at_end || self.may_look_for_leaks();
                    Slot::truth(looks && self.lost(location).is_some())
                }
                Opcode::HeapInUse => Slot::truth(self.memory.heap_in_use()),
            };
            self.set(d, result);
            if DETERMINED {
                self.after(&code[at], open);
            }
            at += 1;
        }
        Ok(())
    }

    /// Reads an integer of at most 8 bytes.
    fn load_word(&mut self, p: Pointer, size: u8) -> Result<u64, Stop> {
        if self.compiled.temporaries.is_some() {
            // Bytes of a pointer may be put together again.
            self.exposed.extend(self.memory.pointer_under(p, u64::from(size)));
        }
        if let Some(x) = self.memory.read_word(p, usize::from(size))? {
            return Ok(x);
        }
        self.settle(p, Type::unsigned(size * 8), usize::from(size))?;
        Ok(self.memory.read_word(p, usize::from(size))?.unwrap_or(0))
    }

    /// Signed arithmetic left its type, a shift its width, or a number does not fit where it is converted to.
    #[cold]
    fn overflowed(&mut self) {
        self.run.overflow = self.run.overflow.or(Some(self.edge));
    }

    /// Where the object lies into which a pointer points; 0 without one.
    fn start_of(&mut self, pointer: Pointer) -> u64 {
        let start = self.memory.start(pointer);
        if start.is_none() {
            // What is left of a pointer whose object died is nothing defined.
            self.overflowed();
        }
        start.unwrap_or(0)
    }

    /// Cuts to the width of addresses.
    #[inline(always)]
    fn address(&self, x: u64) -> u64 {
        if self.program.target.pointer_bits == 32 { x & 0xffff_ffff } else { x }
    }

    pub(super) fn pointer_from(&self, x: u64) -> Pointer {
        let address = self.address(x);
        let provenance = if address == 0 { Provenance::NONE } else { self.memory.find(address) };
        Pointer { address, provenance }
    }

    /// Asks for the value of memory that was never written, and keeps it.
    fn settle(&mut self, pointer: Pointer, ty: Type, size: usize) -> Result<(), Stop> {
        if self.reads_unwritten() {
            return Ok(());
        }
        let place = self.memory.place(pointer);
        let value = self.ask(&Request { source: Source::Memory, ty, edge: self.edge, place })?;
        let bytes = value.bits().to_le_bytes();
        let mut all = vec![0; size];
        let n = size.min(16);
        all[..n].copy_from_slice(&bytes[..n]);
        Ok(self.memory.settle(pointer, &all)?)
    }

    fn load_pointer(&mut self, at: Pointer) -> Result<Pointer, Stop> {
        if let Some(p) = self.memory.read_pointer(at)? {
            return Ok(p);
        }
        let size = usize::from(self.program.target.pointer_bits / 8);
        self.settle(at, Type::Pointer, size)?;
        Ok(self.memory.read_pointer(at)?.unwrap_or(Pointer::NULL))
    }

    /// Reads a value of any type, or a bit-field.
    pub(super) fn load(&mut self, access: &Access, pointer: Pointer) -> Result<Value, Stop> {
        if access.ty == Type::Pointer && access.bits.is_none() {
            return Ok(Value::Pointer(self.load_pointer(pointer)?));
        }
        // The bytes that carry the value; those of padding may be anything.
        let size = match access.bits {
            Some(BitRange { offset, width }) => usize::from(offset) + usize::from(width),
            None => significant_bytes(access.ty, self.program.target) * 8,
        }
        .div_ceil(8);
        // Required: all bytes of the type must be there.
        let whole = match access.bits {
            Some(_) => size,
            None => access.ty.size(self.program.target) as usize,
        };
        let (_, written) = self.memory.read(pointer, whole)?;
        if !written[..size].iter().all(|&w| w) {
            self.settle(pointer, access.ty, size)?;
        }
        let (bytes, _) = self.memory.read(pointer, size)?;
        Ok(match access.bits {
            None if access.ty == Type::BOOL => Value::bool(bytes[0] != 0),
            None => Value::from_bits(access.ty, pattern(&bytes, 0)),
            Some(BitRange { offset, width }) => {
                let raw = pattern(&bytes, offset);
                let unused = 128 - u32::from(width);
                let signed = access.ty.as_int().is_some_and(|t| t.signed);
                let extended = if signed {
                    ((raw << unused) as i128 >> unused) as u128
                } else {
                    raw << unused >> unused
                };
                Value::from_bits(access.ty, extended)
            }
        })
    }

    /// Writes a value of any type, or a bit-field.
    pub(super) fn store(
        &mut self,
        access: &Access,
        pointer: Pointer,
        slot: Slot,
    ) -> Result<(), Stop> {
        match (access.ty, access.bits) {
            (Type::Pointer, None) => self.memory.write_pointer(pointer, slot.pointer())?,
            (Type::Int(t), None) if t.bits <= 64 => {
                let size = usize::from(t.bits.div_ceil(8));
                self.memory.write_word(pointer, size, slot.lo)?;
            }
            (ty, None) => {
                let bytes = slot.value(ty).bits().to_le_bytes();
                let whole = ty.size(self.program.target) as usize;
                if !self.memory.is_valid(pointer, whole as u64) {
                    // For the right fault.
                    self.memory.read(pointer, whole)?;
                }
                let size = significant_bytes(ty, self.program.target);
                self.memory.write(pointer, &bytes[..size])?;
            }
            (ty, Some(BitRange { offset, width })) => {
                let size = (usize::from(offset) + usize::from(width)).div_ceil(8);
                let (mut bytes, _) = self.memory.read(pointer, size)?;
                let value = slot.value(ty).bits();
                for i in 0..usize::from(width) {
                    let bit = usize::from(offset) + i;
                    let mask = 1u8 << (bit % 8);
                    if value >> i & 1 == 1 {
                        bytes[bit / 8] |= mask;
                    } else {
                        bytes[bit / 8] &= !mask;
                    }
                }
                self.memory.write(pointer, &bytes)?;
            }
        }
        Ok(())
    }

    /// Looking for leaks takes no more time than all other steps.
    fn may_look_for_leaks(&mut self) -> bool {
        let due = self.next_look <= self.run.steps;
        if due {
            self.next_look = self.run.steps + self.memory.size() as u64;
        }
        due
    }

    /// A heap object that nothing leads to, by the edge that made it; none while all are tracked. The
    /// next step starts at `location`. See the module's essay for what counts as a root.
    pub(super) fn lost(&self, location: LocId) -> Option<Birth> {
        use bolide_base::arena::Id;
        let (program, variables) = (self.program, &self.program.variables);
        let pointers = variables.iter().filter(|(_, v)| v.ty == Type::Pointer);
        let mut roots: Vec<Provenance> = self.exposed.iter().copied().collect();
        let mut of_function = vec![Vec::new(); program.functions.len()];
        for (id, v) in pointers {
            match v.function {
                None => roots.push(Provenance(self.get(self.compiled.places[id.index()]).hi)),
                Some(f) => of_function[f.index()].push(id),
            }
        }
        for (i, frame) in self.frames.iter().enumerate() {
            // Where the function goes on.
            let at = self.frames.get(i + 1).map_or(location, |called| called.return_to);
            let counts = |var: VarId| match variables[var].kind {
                VariableKind::Temporary | VariableKind::Result => {
                    let temporaries = self.compiled.temporaries.as_ref();
                    temporaries.is_some_and(|t| t.may_be_read(program, at, var))
                }
                _ => true,
            };
            let held = of_function[frame.function.index()].iter().filter(|&&var| counts(var));
            let slot = |&var: &VarId| frame.base + self.compiled.places[var.index()].0 as usize;
            roots.extend(held.map(|var| Provenance(self.slots[slot(var)].hi)));
        }
        self.memory.lost(roots.into_iter())
    }
}

/// Quotient or remainder of integers of up to 64 bits.
fn divide(op: BinaryOp, ty: IntType, x: u64, y: u64) -> Result<u64, Undefined> {
    let is_quotient = op == BinaryOp::Div;
    if y == 0 {
        return Err(Undefined::DivisionByZero);
    }
    if !ty.signed {
        return Ok(if is_quotient { x / y } else { x % y });
    }
    let (x, y) = (x as i64, y as i64);
    if y == -1 && i128::from(x) == ty.min() {
        return Err(Undefined::DivisionOverflow);
    }
    Ok((if is_quotient { x / y } else { x % y }) as u64)
}

/// Bytes of a type that carry its value.
fn significant_bytes(ty: Type, target: Target) -> usize {
    match ty {
        Type::Float(FloatKind::F80) => 10,
        ty => ty.size(target) as usize,
    }
}

/// The number that starts at bit `offset` (0 to 7) of the bytes, at most 17.
fn pattern(bytes: &[u8], offset: u8) -> u128 {
    let mut low = 0;
    for (i, &b) in bytes.iter().take(16).enumerate() {
        low |= u128::from(b) << (8 * i);
    }
    let high = bytes.get(16).copied().unwrap_or(0);
    match offset {
        0 => low,
        n => low >> n | u128::from(high) << (128 - u32::from(n)),
    }
}

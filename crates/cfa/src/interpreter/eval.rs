//! Executes the code of expressions on the slots.

use super::choices::{Birth, Request, Source};
use super::code::{Code, Opcode, Place};
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
            match op {
                Opcode::Move => self.set(d, self.get(a)),
                Opcode::Add(n) => {
                    let (x, y) = (self.get(a).lo, self.get(b).lo);
                    let sum = n.apply(x.wrapping_add(y));
                    if n.signed && ((x ^ sum) & (y ^ sum)) >> 63 != 0 {
                        self.overflowed();
                    }
                    self.set(d, Slot::int(sum));
                }
                Opcode::Sub(n) => {
                    let (x, y) = (self.get(a).lo, self.get(b).lo);
                    let difference = n.apply(x.wrapping_sub(y));
                    if n.signed && ((x ^ y) & (x ^ difference)) >> 63 != 0 {
                        self.overflowed();
                    }
                    self.set(d, Slot::int(difference));
                }
                Opcode::Mul(n) => {
                    let (x, y) = (self.get(a).lo, self.get(b).lo);
                    let product = n.apply(x.wrapping_mul(y));
                    let exact = (x as i64).checked_mul(y as i64);
                    if n.signed && exact != Some(product as i64) {
                        self.overflowed();
                    }
                    self.set(d, Slot::int(product));
                }
                Opcode::Scale(n) => {
                    let x = self.get(a).lo.wrapping_mul(self.get(b).lo);
                    self.set(d, Slot::int(n.apply(x)));
                }
                Opcode::And => self.set(d, Slot::int(self.get(a).lo & self.get(b).lo)),
                Opcode::Or => self.set(d, Slot::int(self.get(a).lo | self.get(b).lo)),
                Opcode::Xor => self.set(d, Slot::int(self.get(a).lo ^ self.get(b).lo)),
                Opcode::Divide(op, ty) => {
                    let (x, y) = (self.get(a).lo, self.get(b).lo);
                    if y == 0 {
                        return Err(Undefined::DivisionByZero.into());
                    }
                    let result = if ty.signed {
                        let (x, y) = (x as i64, y as i64);
                        if y == -1 && i128::from(x) == ty.min() {
                            return Err(Undefined::DivisionOverflow.into());
                        }
                        (if op == BinaryOp::Div { x / y } else { x % y }) as u64
                    } else if op == BinaryOp::Div {
                        x / y
                    } else {
                        x % y
                    };
                    self.set(d, Slot::int(result));
                }
                Opcode::Shift(op, ty) => {
                    let (x, by, bits) = (self.get(a).lo, self.get(b).lo, u64::from(ty.bits));
                    // As `value::undefined` says it of all widths.
                    if by >= bits {
                        self.overflowed();
                    }
                    let amount = value::shift_amount(u128::from(by), ty.bits);
                    let result = match op {
                        BinaryOp::Shl => super::slot::Norm::of(ty).apply(x << amount),
                        _ if ty.signed => (x as i64 >> amount) as u64,
                        _ => x >> amount,
                    };
                    self.set(d, Slot::int(result));
                }
                Opcode::Not => self.set(d, Slot::int(u64::from(self.get(a).lo == 0))),
                Opcode::Norm(n) => self.set(d, Slot::int(n.apply(self.get(a).lo))),
                Opcode::IsNonzero => {
                    self.set(d, Slot::int(u64::from(self.get(a).lo != 0)));
                }
                Opcode::Equal => self.truth(d, self.get(a).lo == self.get(b).lo),
                Opcode::Unequal => self.truth(d, self.get(a).lo != self.get(b).lo),
                Opcode::SamePointer(negated) => {
                    let (p, q) = (self.get(a).pointer(), self.get(b).pointer());
                    let same = self.compare_pointers(p, q);
                    self.truth(d, same != negated);
                }
                Opcode::LessSigned => {
                    self.truth(d, (self.get(a).lo as i64) < self.get(b).lo as i64);
                }
                Opcode::LessUnsigned => {
                    let (a, b) = (self.get(a), self.get(b));
                    let turned = self.order_is_turned(a, b);
                    self.truth(d, (a.lo < b.lo) != turned);
                }
                Opcode::AtMostSigned => {
                    self.truth(d, (self.get(a).lo as i64) <= self.get(b).lo as i64);
                }
                Opcode::AtMostUnsigned => {
                    let (a, b) = (self.get(a), self.get(b));
                    let turned = self.order_is_turned(a, b);
                    self.truth(d, (a.lo <= b.lo) != turned);
                }
                Opcode::PointerAdd => {
                    let p = self.get(a);
                    let address = self.address(p.lo.wrapping_add(self.get(b).lo));
                    self.set(d, Slot { lo: address, hi: p.hi });
                }
                Opcode::PointerDiff(n) => {
                    let x = self.get(a).lo.wrapping_sub(self.get(b).lo);
                    self.set(d, Slot::int(n.apply(x)));
                }
                Opcode::PointerToInt(n) => {
                    if self.compiled.temporaries.is_some() {
                        self.exposed.insert(Provenance(self.get(a).hi));
                    }
                    self.set(d, Slot::int(n.apply(self.get(a).lo)));
                }
                Opcode::IntToPointer => {
                    let p = self.pointer_from(self.get(a).lo);
                    self.set(d, p.into());
                }
                Opcode::Load(n, size) => {
                    let p = self.get(a).pointer();
                    if self.compiled.temporaries.is_some() {
                        // Bytes of a pointer may be put together again.
                        self.exposed.extend(self.memory.pointer_under(p, u64::from(size)));
                    }
                    let x = match self.memory.read_word(p, usize::from(size))? {
                        Some(x) => x,
                        None => {
                            let ty = Type::unsigned(size * 8);
                            self.settle(p, ty, usize::from(size))?;
                            self.memory.read_word(p, usize::from(size))?.unwrap_or(0)
                        }
                    };
                    self.set(d, Slot::int(n.apply(x)));
                }
                Opcode::LoadPointer => {
                    let at = self.get(a).pointer();
                    let p = self.load_pointer(at)?;
                    self.set(d, p.into());
                }
                Opcode::LoadAny(access) => {
                    let access = self.compiled.accesses[access as usize];
                    let value = self.load(&access, self.get(a).pointer())?;
                    self.set(d, value.into());
                }
                Opcode::Unary(op, ty) => {
                    if let (UnaryOp::Neg, Value::Int { bits, ty }) = (op, self.get(a).value(ty))
                        && ty.signed
                        && ty.value(bits) == ty.min()
                    {
                        self.overflowed();
                    }
                    let v = value::unary(op, self.get(a).value(ty))?;
                    self.set(d, v.into());
                }
                Opcode::Binary(op, ty, amount) => {
                    let (x, y) = (self.get(a).value(ty), self.get(b).value(amount));
                    let v = value::binary(op, x, y)?;
                    let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                    if ty.as_int().is_some_and(|t| t.signed || is_shift)
                        && value::undefined(op, x, y)?
                    {
                        self.overflowed();
                    }
                    self.set(d, v.into());
                }
                Opcode::Compare(op, ty) => {
                    let holds = value::compare(op, self.get(a).value(ty), self.get(b).value(ty))?;
                    self.truth(d, holds);
                }
                Opcode::Cast(from, to) => {
                    let before = self.get(a).value(from);
                    if let (Value::Float { bits, kind }, Type::Int(to)) = (before, to)
                        && to != IntType::BOOL
                        && !value::float::fits(bits, kind, to)
                    {
                        self.overflowed();
                    }
                    let mut v = value::cast(to, before, self.program.target);
                    if let Value::Pointer(p) = v {
                        v = Value::Pointer(self.pointer_from(p.address));
                    }
                    self.set(d, v.into());
                }
                Opcode::FloatFn(op, ty) => {
                    let v = value::float_fn(op, self.get(a).value(ty))?;
                    self.set(d, v.into());
                }
                Opcode::FloatTest(op, ty) => {
                    let holds = value::float_test(op, self.get(a).value(ty))?;
                    self.truth(d, holds);
                }
                Opcode::Overflows(op, ty, amount) => {
                    let (x, y) = (self.get(a).value(ty), self.get(b).value(amount));
                    let holds = value::overflows(op, x, y)?;
                    self.truth(d, holds);
                }
                Opcode::Valid => {
                    let holds = self.memory.is_valid(self.get(a).pointer(), self.get(b).lo);
                    self.truth(d, holds);
                }
                Opcode::Freeable => {
                    let holds = self.memory.is_freeable(self.get(a).pointer());
                    self.truth(d, holds);
                }
                Opcode::Coincide => {
                    let (p, q) = (self.get(a).pointer(), self.get(b).pointer());
                    let apart = self.memory.are_apart(p, q);
                    self.truth(d, apart && p.address == q.address);
                }
                Opcode::ReadOnly => {
                    let holds = self.memory.is_constant(self.get(a).pointer());
                    self.truth(d, holds);
                }
                Opcode::ObjectSize => {
                    let size = self.memory.object_size(self.get(a).pointer());
                    self.set(d, Slot::int(size));
                }
                Opcode::Leaked(at_end) => {
                    let location = self.program.edges[self.edge].from;
                    let holds =
                        (at_end || self.may_look_for_leaks()) && self.lost(location).is_some();
                    self.truth(d, holds);
                }
                Opcode::HeapInUse => self.truth(d, self.memory.heap_in_use()),
                Opcode::Jump(to) => {
                    at = to as usize;
                    continue;
                }
                Opcode::JumpIfZero(to) => {
                    if self.get(a).lo == 0 {
                        at = to as usize;
                        continue;
                    }
                }
                Opcode::Select(c) => {
                    let chosen = if self.get(c).lo != 0 { a } else { b };
                    self.set(d, self.get(chosen));
                }
            }
            if DETERMINED {
                self.after(&code[at], open);
            }
            at += 1;
        }
        Ok(())
    }

    /// Signed arithmetic left its type, a shift its width, or a number does not fit where it is converted to.
    #[cold]
    fn overflowed(&mut self) {
        self.run.overflow = self.run.overflow.or(Some(self.edge));
    }

    #[inline(always)]
    fn truth(&mut self, d: Place, holds: bool) {
        self.set(d, Slot::int(u64::from(holds)));
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

//! Bit-fields as bytes.
//!
//! A bit-field shares its bytes with its neighbours, and a region has cells of
//! one type. So a read becomes the bits of the bytes it lies in, taken out by a shift and
//! a mask; a write puts them back byte by byte, and leaves the other bits of a byte as they are. All accesses
//! are then accesses to whole bytes, which regions and scalars are made of, and formulas
//! know shifts and masks by constants exactly.
//!
//! Bytes rather than the unit of the declared type: no byte is touched that
//! the bit-field does not occupy, whatever the layout (packed structures end anywhere).
//!
//! Volatile accesses and bit-fields beyond 64 bits from the first byte on stay as they are.

use super::Mapped;
use crate::expr::{Access, BinaryOp, BitRange, CompareOp, Expr, ExprId};
use crate::program::*;
use crate::types::{IntType, Type};
use bolide_base::arena::Id;
use std::collections::BTreeMap;

const BYTE: IntType = IntType::unsigned(8);

/// Makes accesses to bytes of all accesses to bit-fields.
pub fn bit_fields(mapped: &mut Mapped) {
    let program = &mut mapped.program;
    initial_values(program);
    let is_read = |e: &Expr| matches!(e, Expr::Load(access) if bits_of(access).is_some());
    let exprs = &program.exprs;
    let any_read = exprs.ids().any(|e| is_read(exprs.get(e)));
    let any_written = |e: &Edge| matches!(&e.op, Op::Store { access, .. } if access.bits.is_some());
    if !any_read && !program.edges.values().any(any_written) {
        return;
    }
    // Operands come before what uses them.
    let mut new: Vec<ExprId> = Vec::with_capacity(program.exprs.len());
    for id in program.exprs.ids() {
        let expr = program.exprs.get(id).map_operands(|operand| new[operand.index()]);
        new.push(match expr {
            Expr::Load(access) if bits_of(&access).is_some() => read(program, &access),
            expr => program.expr(expr),
        });
    }
    for id in mapped.program.edges.ids().collect::<Vec<_>>() {
        mapped.program.edges[id].op.map_operands(|e| new[e.index()]);
        if let Op::Store { access, value } = mapped.program.edges[id].op
            && let Some(bits) = bits_of(&access)
        {
            let ops = write(mapped, id, access, bits, value);
            mapped.replace_by_sequence(id, ops);
        }
    }
}

/// The bits of an access that is to become one of bytes.
fn bits_of(access: &Access) -> Option<BitRange> {
    let bits = access.bits?;
    let fits = u32::from(bits.offset) + u32::from(bits.width) <= 64;
    (fits && !access.volatile && matches!(access.ty, Type::Int(_))).then_some(bits)
}

/// An unsigned type that holds the bytes of a bit-field.
fn wide(bits: BitRange) -> IntType {
    IntType::unsigned(if bits.offset + bits.width <= 32 { 32 } else { 64 })
}

fn bytes(bits: BitRange) -> u8 {
    (bits.offset + bits.width).div_ceil(8)
}

fn ones(count: u8) -> i128 {
    (1 << count) - 1
}

/// The access to one byte.
fn byte(program: &mut Program, access: &Access, pointer: ExprId, index: u8) -> Access {
    let pointer = match index {
        0 => pointer,
        _ => {
            let offset = program.exprs.int(i128::from(index), program.target.offset_type());
            program.expr(Expr::PointerAdd(pointer, offset))
        }
    };
    Access { pointer, ty: Type::Int(BYTE), bits: None, ..*access }
}

fn constant(program: &mut Program, op: BinaryOp, a: ExprId, value: i128, ty: IntType) -> ExprId {
    let value = program.exprs.int(value, ty);
    program.expr(Expr::Binary(op, a, value))
}

/// The value of a bit-field.
pub(super) fn read(program: &mut Program, access: &Access) -> ExprId {
    let (Some(bits), Type::Int(ty)) = (access.bits, access.ty) else {
        unreachable!("asked for bit-fields of integers only")
    };
    let wide = wide(bits);
    let mut sum = None;
    for index in 0..bytes(bits) {
        let access = byte(program, access, access.pointer, index);
        let value = program.expr(Expr::Load(access));
        let mut value = program.exprs.cast(Type::Int(wide), value);
        if index > 0 {
            value = constant(program, BinaryOp::Shl, value, i128::from(8 * index), wide);
        }
        sum = Some(match sum {
            None => value,
            Some(sum) => program.expr(Expr::Binary(BinaryOp::Add, sum, value)),
        });
    }
    let mut value = sum.expect("a bit-field has bits");
    if bits.offset > 0 {
        value = constant(program, BinaryOp::Shr, value, i128::from(bits.offset), wide);
    }
    if bits.offset + bits.width < 8 * bytes(bits) {
        value = constant(program, BinaryOp::BitAnd, value, ones(bits.width), wide);
    }
    if ty == IntType::BOOL || !ty.signed || bits.width >= ty.bits {
        return program.exprs.cast(access.ty, value);
    }
    // The upper half of the patterns are the negative numbers. The power itself may be out of the
    // type's range; its half is not.
    let half = 1i128 << (bits.width - 1);
    let limit = program.exprs.int(half, wide);
    let small = program.expr(Expr::Compare(CompareOp::Lt, value, limit));
    let value = program.exprs.cast(access.ty, value);
    let lower = constant(program, BinaryOp::Sub, value, half, ty);
    let negative = constant(program, BinaryOp::Sub, lower, half, ty);
    program.expr(Expr::Ite(small, value, negative))
}

/// What writing a bit-field does to its bytes.
pub(super) fn write(
    mapped: &mut Mapped,
    edge: EdgeId,
    access: Access,
    bits: BitRange,
    value: ExprId,
) -> Vec<Op> {
    let wide = wide(bits);
    let mut ops = Vec::new();
    let mut value = mapped.program.exprs.cast(Type::Int(wide), value);
    let mut pointer = access.pointer;
    if bytes(bits) > 1 {
        // Required: the value and the address are those before the first byte is written.
        let from = mapped.program.edges[edge].from;
        let function = mapped.program.locations[from].function;
        for (part, ty, name) in
            [(&mut value, Type::Int(wide), "bits"), (&mut pointer, Type::Pointer, "field")]
        {
            let target = mapped.temporary(function, name, ty);
            ops.push(Op::Assign { target, value: *part });
            *part = mapped.program.read(target);
        }
    }
    let program = &mut mapped.program;
    for index in 0..bytes(bits) {
        let first = bits.offset.max(8 * index);
        let count = (bits.offset + bits.width).min(8 * index + 8) - first;
        let mut part = value;
        if first > bits.offset {
            part = constant(program, BinaryOp::Shr, part, i128::from(first - bits.offset), wide);
        }
        part = constant(program, BinaryOp::BitAnd, part, ones(count), wide);
        let access = byte(program, &access, pointer, index);
        let within = first - 8 * index;
        if within > 0 {
            part = constant(program, BinaryOp::Shl, part, i128::from(within), wide);
        }
        if count < 8 {
            let old = program.expr(Expr::Load(access));
            let old = program.exprs.cast(Type::Int(wide), old);
            let others = 0xff & !(ones(count) << within);
            let old = constant(program, BinaryOp::BitAnd, old, others, wide);
            part = program.expr(Expr::Binary(BinaryOp::Add, old, part));
        }
        let value = program.exprs.cast(Type::Int(BYTE), part);
        ops.push(Op::Store { access, value });
    }
    ops
}

/// Initial values of bit-fields as those of their bytes. Bits that nothing is said of are zero.
fn initial_values(program: &mut Program) {
    for id in program.objects.ids().collect::<Vec<_>>() {
        if !program.objects[id].initial.iter().any(|entry| entry.bits.is_some()) {
            continue;
        }
        let mut patterns: BTreeMap<u64, i128> = BTreeMap::new();
        let mut initial = Vec::new();
        let mut all_known = true;
        for entry in &program.objects[id].initial {
            match (entry.bits, program.exprs.as_int(entry.value)) {
                (None, _) => initial.push(*entry),
                (Some(bits), Some(value)) if bits.offset + bits.width <= 64 => {
                    let pattern = (value & ones(bits.width)) << bits.offset;
                    for index in 0..bytes(bits) {
                        *patterns.entry(entry.offset + u64::from(index)).or_default() |=
                            (pattern >> (8 * index)) & 0xff;
                    }
                }
                _ => all_known = false,
            }
        }
        let overlaps = initial.iter().any(|entry: &InitialValue| {
            let size = program.exprs.type_of(entry.value).size(program.target);
            patterns.range(entry.offset..entry.offset + size).next().is_some()
        });
        if !all_known || overlaps {
            continue;
        }
        for (offset, pattern) in patterns {
            let value = program.exprs.int(pattern, BYTE);
            initial.push(InitialValue { offset, bits: None, value });
        }
        initial.sort_by_key(|entry| entry.offset);
        program.objects[id].initial = initial;
    }
}

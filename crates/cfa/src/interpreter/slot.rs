//! How values lie in the slots of the machine: 16 bytes, without a type.
//!
//! An integer of up to 64 bits is kept extended (with its sign or zeros) in
//! `lo`, so that comparing and converting need no masks. A pointer has its
//! address in `lo` and its provenance in `hi`. Wider values and floats are
//! their bit pattern.

use crate::types::{FloatKind, IntType, Type};
use crate::value::{Pointer, Provenance, Value};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) lo: u64,
    pub(super) hi: u64,
}

/// How a 64-bit result is cut to a type of at most 64 bits and extended again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Norm {
    shift: u8,
    pub(super) signed: bool,
}

impl Norm {
    pub(super) fn of(ty: IntType) -> Norm {
        Norm { shift: 64 - ty.bits.min(64), signed: ty.signed }
    }

    #[inline(always)]
    pub(super) fn apply(self, x: u64) -> u64 {
        if self.signed {
            ((x << self.shift) as i64 >> self.shift) as u64
        } else {
            x << self.shift >> self.shift
        }
    }
}

impl Slot {
    #[inline(always)]
    pub(super) fn int(lo: u64) -> Slot {
        Slot { lo, hi: 0 }
    }

    #[inline(always)]
    pub(super) fn truth(holds: bool) -> Slot {
        Slot::int(u64::from(holds))
    }

    #[inline(always)]
    pub(super) fn pointer(self) -> Pointer {
        Pointer { address: self.lo, provenance: Provenance(self.hi) }
    }

    fn pattern(self) -> u128 {
        u128::from(self.hi) << 64 | u128::from(self.lo)
    }

    pub(super) fn value(self, ty: Type) -> Value {
        match ty {
            Type::Int(t) if t.bits <= 64 => {
                Value::Int { bits: t.truncate(u128::from(self.lo)), ty: t }
            }
            Type::Int(t) => Value::Int { bits: self.pattern(), ty: t },
            Type::Float(kind @ (FloatKind::F32 | FloatKind::F64)) => {
                Value::Float { bits: u128::from(self.lo), kind }
            }
            Type::Float(kind) => Value::Float { bits: self.pattern(), kind },
            Type::Pointer => Value::Pointer(self.pointer()),
        }
    }
}

impl From<Pointer> for Slot {
    #[inline(always)]
    fn from(p: Pointer) -> Slot {
        Slot { lo: p.address, hi: p.provenance.0 }
    }
}

impl From<Value> for Slot {
    fn from(value: Value) -> Slot {
        match value {
            Value::Int { bits, ty } if ty.bits <= 64 => Slot::int(Norm::of(ty).apply(bits as u64)),
            Value::Int { bits, .. } | Value::Float { bits, .. } => {
                Slot { lo: bits as u64, hi: (bits >> 64) as u64 }
            }
            Value::Pointer(p) => p.into(),
        }
    }
}

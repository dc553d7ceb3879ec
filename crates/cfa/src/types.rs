//! The scalar types of expressions, variables and memory accesses.
//!
//! Aggregates do not appear: lowering splits them into scalars or lays them
//! out in memory objects.

/// An integer type: a width in bits and a sign.
///
/// Width 1 is the type of conditions and of C's `_Bool` (values 0 and 1, one
/// byte in memory). All other widths are 8, 16, 32, 64 or 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntType {
    /// 1, 8, 16, 32, 64 or 128.
    pub bits: u8,
    /// Two's complement when true.
    pub signed: bool,
}

impl IntType {
    /// The type of conditions and of `_Bool`.
    pub const BOOL: IntType = IntType { bits: 1, signed: false };

    /// A signed type of `bits` bits.
    pub const fn signed(bits: u8) -> Self {
        IntType { bits, signed: true }
    }

    /// An unsigned type of `bits` bits.
    pub const fn unsigned(bits: u8) -> Self {
        IntType { bits, signed: false }
    }

    /// Cuts `bits` down to the width of the type: the canonical pattern of a value.
    pub fn truncate(self, bits: u128) -> u128 {
        if self.bits >= 128 { bits } else { bits & ((1u128 << self.bits) - 1) }
    }

    /// The value of a canonical pattern as a signed number. Only unsigned
    /// 128-bit values above `i128::MAX` do not fit; they come out negative.
    pub fn value(self, bits: u128) -> i128 {
        if self.signed && self.bits < 128 && bits >> (self.bits - 1) & 1 == 1 {
            (bits | !((1u128 << self.bits) - 1)) as i128
        } else {
            bits as i128
        }
    }

    /// The least value.
    pub fn min(self) -> i128 {
        if self.signed { -1i128 << (self.bits - 1) } else { 0 }
    }

    /// The greatest value; for unsigned 128 bits, the greatest `i128` (callers
    /// that must be exact there look at the type).
    pub fn max(self) -> i128 {
        match (self.signed, self.bits) {
            (true, 128) | (false, 128) => i128::MAX,
            (true, n) => (1i128 << (n - 1)) - 1,
            (false, n) => (1i128 << n) - 1,
        }
    }
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// x87 extended (C's `long double` on x86): 10 bytes, stored in 12 or 16.
    F80,
    /// IEEE binary128 (`_Float128`).
    F128,
}

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// An integer; conditions have [`IntType::BOOL`].
    Int(IntType),
    /// A floating-point number.
    Float(FloatKind),
    /// A pointer to anything: a pair of object and offset in bytes.
    Pointer,
}

impl Type {
    /// The type of conditions.
    pub const BOOL: Type = Type::Int(IntType::BOOL);

    /// A signed integer type.
    pub const fn signed(bits: u8) -> Type {
        Type::Int(IntType::signed(bits))
    }

    /// An unsigned integer type.
    pub const fn unsigned(bits: u8) -> Type {
        Type::Int(IntType::unsigned(bits))
    }

    /// The integer type, if it is one.
    pub fn as_int(self) -> Option<IntType> {
        match self {
            Type::Int(t) => Some(t),
            _ => None,
        }
    }

    /// Bytes that a value of this type occupies in memory.
    pub fn size(self, target: Target) -> u64 {
        match self {
            Type::Int(t) => u64::from(t.bits).div_ceil(8),
            Type::Float(FloatKind::F32) => 4,
            Type::Float(FloatKind::F64) => 8,
            Type::Float(FloatKind::F80) => {
                if target.pointer_bits == 32 {
                    12
                } else {
                    16
                }
            }
            Type::Float(FloatKind::F128) => 16,
            Type::Pointer => u64::from(target.pointer_bits / 8),
        }
    }
}

/// What the program runs on. Always little-endian, as gcc on x86.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// 32 (ILP32) or 64 (LP64).
    pub pointer_bits: u8,
}

impl Target {
    /// int, long and pointers of 32 bits.
    pub const ILP32: Target = Target { pointer_bits: 32 };
    /// int of 32, long and pointers of 64 bits.
    pub const LP64: Target = Target { pointer_bits: 64 };

    /// The signed integer type as wide as a pointer: offsets and differences.
    pub fn offset_type(self) -> IntType {
        IntType::signed(self.pointer_bits)
    }

    /// The unsigned integer type as wide as a pointer: sizes.
    pub fn size_type(self) -> IntType {
        IntType::unsigned(self.pointer_bits)
    }
}

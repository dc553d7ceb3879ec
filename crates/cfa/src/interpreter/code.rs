//! The instructions that expressions are compiled to.

use super::slot::Norm;
use crate::expr::{BinaryOp, CompareOp, FloatFn, FloatTest, UnaryOp};
use crate::types::{IntType, Type};

/// A slot: relative to the frame, or absolute when the top bit is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(pub(super) u32);

impl Place {
    pub(super) const ABSOLUTE: u32 = 1 << 31;

    pub(super) fn absolute(index: usize) -> Place {
        Place(index as u32 | Self::ABSOLUTE)
    }
}

/// One instruction: computes `d` from `a` and `b`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    Move {
        d: Place,
        a: Place,
    },
    /// Integer arithmetic up to 64 bits.
    Add {
        n: Norm,
        d: Place,
        a: Place,
        b: Place,
    },
    Sub {
        n: Norm,
        d: Place,
        a: Place,
        b: Place,
    },
    Mul {
        n: Norm,
        d: Place,
        a: Place,
        b: Place,
    },
    /// An index times the size of an element: part of an address, so that nobody computes with it.
    Scale {
        n: Norm,
        d: Place,
        a: Place,
        b: Place,
    },
    And {
        d: Place,
        a: Place,
        b: Place,
    },
    Or {
        d: Place,
        a: Place,
        b: Place,
    },
    Xor {
        d: Place,
        a: Place,
        b: Place,
    },
    Divide {
        op: BinaryOp,
        ty: IntType,
        d: Place,
        a: Place,
        b: Place,
    },
    Shift {
        op: BinaryOp,
        ty: IntType,
        d: Place,
        a: Place,
        b: Place,
    },
    Not {
        d: Place,
        a: Place,
    },
    /// Conversion between integers up to 64 bits.
    Norm {
        n: Norm,
        d: Place,
        a: Place,
    },
    IsNonzero {
        d: Place,
        a: Place,
    },
    /// Comparison of integers up to 64 bits and of pointers.
    Equal {
        d: Place,
        a: Place,
        b: Place,
    },
    Unequal {
        d: Place,
        a: Place,
        b: Place,
    },
    LessSigned {
        d: Place,
        a: Place,
        b: Place,
    },
    LessUnsigned {
        d: Place,
        a: Place,
        b: Place,
    },
    AtMostSigned {
        d: Place,
        a: Place,
        b: Place,
    },
    AtMostUnsigned {
        d: Place,
        a: Place,
        b: Place,
    },
    PointerAdd {
        d: Place,
        a: Place,
        b: Place,
    },
    PointerDiff {
        n: Norm,
        d: Place,
        a: Place,
        b: Place,
    },
    PointerToInt {
        n: Norm,
        d: Place,
        a: Place,
    },
    IntToPointer {
        d: Place,
        a: Place,
    },
    /// Reads an integer of at most 8 bytes.
    Load {
        n: Norm,
        size: u8,
        d: Place,
        a: Place,
    },
    LoadPointer {
        d: Place,
        a: Place,
    },
    /// Any other read, by its number in `Compiled::accesses`.
    LoadAny {
        access: u32,
        d: Place,
        a: Place,
    },
    /// Through the general definitions of [`crate::value`].
    Unary {
        op: UnaryOp,
        ty: Type,
        d: Place,
        a: Place,
    },
    Binary {
        op: BinaryOp,
        ty: Type,
        amount: Type,
        d: Place,
        a: Place,
        b: Place,
    },
    Compare {
        op: CompareOp,
        ty: Type,
        d: Place,
        a: Place,
        b: Place,
    },
    Cast {
        from: Type,
        to: Type,
        d: Place,
        a: Place,
    },
    FloatFn {
        op: FloatFn,
        ty: Type,
        d: Place,
        a: Place,
    },
    FloatTest {
        op: FloatTest,
        ty: Type,
        d: Place,
        a: Place,
    },
    Overflows {
        op: BinaryOp,
        ty: IntType,
        amount: IntType,
        d: Place,
        a: Place,
        b: Place,
    },
    Valid {
        d: Place,
        a: Place,
        b: Place,
    },
    /// Whether two pointers are equal, or not.
    SamePointer {
        negated: bool,
        d: Place,
        a: Place,
        b: Place,
    },
    Coincide {
        d: Place,
        a: Place,
        b: Place,
    },
    Freeable {
        d: Place,
        a: Place,
    },
    ReadOnly {
        d: Place,
        a: Place,
    },
    ObjectSize {
        d: Place,
        a: Place,
    },
    /// Not at the end of the run: then it may be overlooked for a while, since what is lost stays
    /// lost, and looking takes time.
    Leaked {
        d: Place,
        at_end: bool,
    },
    HeapInUse {
        d: Place,
    },
    /// Only the address of the target, as an index into the code.
    Jump {
        to: u32,
    },
    JumpIfZero {
        a: Place,
        to: u32,
    },
    Select {
        d: Place,
        c: Place,
        a: Place,
        b: Place,
    },
}

impl Code {
    pub(super) fn places_mut(&mut self, mut f: impl FnMut(&mut Place)) {
        match self {
            Code::Move { d, a }
            | Code::Not { d, a }
            | Code::Norm { d, a, .. }
            | Code::IsNonzero { d, a }
            | Code::PointerToInt { d, a, .. }
            | Code::IntToPointer { d, a }
            | Code::Load { d, a, .. }
            | Code::LoadPointer { d, a }
            | Code::LoadAny { d, a, .. }
            | Code::Unary { d, a, .. }
            | Code::Cast { d, a, .. }
            | Code::FloatFn { d, a, .. }
            | Code::FloatTest { d, a, .. }
            | Code::Freeable { d, a }
            | Code::ReadOnly { d, a }
            | Code::ObjectSize { d, a } => [d, a].into_iter().for_each(f),
            Code::Add { d, a, b, .. }
            | Code::Sub { d, a, b, .. }
            | Code::Mul { d, a, b, .. }
            | Code::Scale { d, a, b, .. }
            | Code::And { d, a, b }
            | Code::Or { d, a, b }
            | Code::Xor { d, a, b }
            | Code::Divide { d, a, b, .. }
            | Code::Shift { d, a, b, .. }
            | Code::Equal { d, a, b }
            | Code::SamePointer { d, a, b, .. }
            | Code::Coincide { d, a, b }
            | Code::Unequal { d, a, b }
            | Code::LessSigned { d, a, b }
            | Code::LessUnsigned { d, a, b }
            | Code::AtMostSigned { d, a, b }
            | Code::AtMostUnsigned { d, a, b }
            | Code::PointerAdd { d, a, b }
            | Code::PointerDiff { d, a, b, .. }
            | Code::Binary { d, a, b, .. }
            | Code::Compare { d, a, b, .. }
            | Code::Overflows { d, a, b, .. }
            | Code::Valid { d, a, b } => [d, a, b].into_iter().for_each(f),
            Code::Select { d, c, a, b } => [d, c, a, b].into_iter().for_each(f),
            Code::Leaked { d, .. } | Code::HeapInUse { d } => f(d),
            Code::JumpIfZero { a, .. } => f(a),
            Code::Jump { .. } => {}
        }
    }
}

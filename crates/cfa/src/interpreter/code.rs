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

/// One instruction: computes slot `d` from slots `a` and `b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    pub(super) op: Opcode,
    pub(super) d: Place,
    pub(super) a: Place,
    /// The same as `a` where there is one operand only.
    pub(super) b: Place,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opcode {
    Move,
    /// Integer arithmetic up to 64 bits.
    Add(Norm),
    Sub(Norm),
    Mul(Norm),
    /// An index times the size of an element: part of an address, so that nobody computes with it.
    Scale(Norm),
    And,
    Or,
    Xor,
    Divide(BinaryOp, IntType),
    Shift(BinaryOp, IntType),
    Not,
    /// Conversion between integers up to 64 bits.
    Norm(Norm),
    IsNonzero,
    /// Comparison of integers up to 64 bits and of pointers.
    Equal,
    Unequal,
    LessSigned,
    LessUnsigned,
    AtMostSigned,
    AtMostUnsigned,
    PointerAdd,
    PointerDiff(Norm),
    PointerToInt(Norm),
    IntToPointer,
    /// Reads an integer of at most 8 bytes: so many.
    Load(Norm, u8),
    LoadPointer,
    /// Any other read, by its number in `Compiled::accesses`.
    LoadAny(u32),
    /// Through the general definitions of [`crate::value`].
    Unary(UnaryOp, Type),
    /// With the type of each operand.
    Binary(BinaryOp, Type, Type),
    Compare(CompareOp, Type),
    /// From one type to another.
    Cast(Type, Type),
    /// From one type to another.
    Pattern(Type, Type),
    FloatFn(FloatFn, Type),
    FloatTest(FloatTest, Type),
    /// With the type of each operand.
    Overflows(BinaryOp, Type, Type),
    Valid,
    /// Whether two pointers are equal; the flag negates it.
    SamePointer(bool),
    Coincide,
    SameObject,
    Freeable,
    ReadOnly,
    ObjectSize,
    Offset(Norm),
    /// The flag says whether the run ends here. Else it may be overlooked for a while, since what is
    /// lost stays lost, and looking takes time.
    Leaked(bool),
    HeapInUse,
    /// To this index into the code.
    Jump(u32),
    JumpIfZero(u32),
    /// `a` if this slot holds, else `b`.
    Select(Place),
}

impl Code {
    /// The slots that it reads.
    pub(super) fn operands(&self) -> impl Iterator<Item = Place> + use<> {
        let count = match self.op {
            Opcode::Leaked(_) | Opcode::HeapInUse | Opcode::Jump(_) => 0,
            Opcode::Select(_) => 3,
            _ => 2,
        };
        let condition = if let Opcode::Select(c) = self.op { c } else { self.a };
        [self.a, self.b, condition].into_iter().take(count)
    }

    /// The slot that it writes; none for jumps.
    pub(super) fn result(&self) -> Option<Place> {
        (!matches!(self.op, Opcode::Jump(_) | Opcode::JumpIfZero(_))).then_some(self.d)
    }

    pub(super) fn places_mut(&mut self, mut f: impl FnMut(&mut Place)) {
        [&mut self.d, &mut self.a, &mut self.b].into_iter().for_each(&mut f);
        if let Opcode::Select(c) = &mut self.op {
            f(c);
        }
    }
}

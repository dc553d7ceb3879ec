//! Integer promotions and the usual arithmetic conversions (C11 6.3.1).
//!
//! A bit-field wider than `int` keeps its declared type; that gcc computes in its exact
//! width is a matter of operands (`operators`), not of types.

use super::{CType, IntKind, TyId, TypeStore};
use bolide_cfa::FloatKind;

impl TypeStore {
    /// The integer kind that represents an integer, enum or `_Bool`.
    pub fn int_kind_of(&self, ty: TyId) -> Option<IntKind> {
        match self.get(ty) {
            CType::Bool => Some(IntKind::UChar),
            CType::Int(kind) => Some(*kind),
            CType::Enum(e) => Some(self.enums[*e].repr),
            _ => None,
        }
    }

    /// The type after integer promotion; `width` is that of a bit-field.
    pub fn promote(&self, ty: TyId, width: Option<u8>) -> TyId {
        let Some(kind) = self.int_kind_of(ty) else { return ty };
        if let Some(width) = width {
            if width < 32 || (width == 32 && kind.is_signed()) {
                return self.int();
            }
            if width == 32 {
                return self.int_kind(IntKind::UInt);
            }
        }
        if kind.rank() < IntKind::Int.rank() { self.int() } else { self.int_kind(kind) }
    }

    /// The type in which two promoted operands are combined; none when one is
    /// not arithmetic.
    pub fn usual(&mut self, a: TyId, b: TyId) -> Option<TyId> {
        let float = |t: &CType| match t {
            CType::Float(kind) => Some(*kind),
            _ => None,
        };
        if !self.is_arithmetic(a) || !self.is_arithmetic(b) {
            return None;
        }
        match (float(self.get(a)), float(self.get(b))) {
            (Some(x), Some(y)) => return Some(if x >= y { a } else { b }),
            (Some(_), None) => return Some(a),
            (None, Some(_)) => return Some(b),
            (None, None) => {}
        }
        let (a, b) = (self.promote(a, None), self.promote(b, None));
        if a == b {
            return Some(a);
        }
        let (x, y) = (self.int_kind_of(a)?, self.int_kind_of(b)?);
        if x.is_signed() == y.is_signed() {
            return Some(if x.rank() >= y.rank() { a } else { b });
        }
        let (signed, unsigned) = if x.is_signed() { (x, y) } else { (y, x) };
        Some(self.int_kind(if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(self.target) > unsigned.bits(self.target) {
            signed
        } else {
            signed.to_unsigned()
        }))
    }

    /// The type of an argument without prototype.
    pub fn promote_argument(&mut self, ty: TyId, width: Option<u8>) -> TyId {
        match self.get(ty) {
            CType::Float(FloatKind::F32) => self.float(FloatKind::F64),
            _ => self.promote(ty, width),
        }
    }
}

//! Types whose values are several scalars of one type: vectors and complex numbers.
//!
//! Together with records they are the *composite* types: their values are leaves or lie in memory.

use super::{CType, QualType, TyId, TypeStore};

/// What a vector or a complex number consists of.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// The type of each lane.
    pub element: TyId,
    /// How many there are; the parts of a complex number are two.
    pub count: u64,
}

impl TypeStore {
    /// The lanes of a vector, the two parts of a complex number; none for others.
    pub fn lanes(&self, ty: TyId) -> Option<Lanes> {
        match *self.get(ty) {
            CType::Complex(element) => Some(Lanes { element, count: 2 }),
            CType::Vector(element, bytes) => {
                let size = self.size(element).filter(|&size| size != 0)?;
                Some(Lanes { element, count: bytes / size })
            }
            _ => None,
        }
    }

    /// A GNU vector.
    pub fn is_vector(&self, ty: TyId) -> bool {
        matches!(self.get(ty), CType::Vector(..))
    }

    /// The type of the parts of a complex number.
    pub fn complex_part(&self, ty: TyId) -> Option<TyId> {
        match *self.get(ty) {
            CType::Complex(part) => Some(part),
            _ => None,
        }
    }

    /// A struct, a union, a complex number or a vector.
    pub fn is_composite(&self, ty: TyId) -> bool {
        matches!(self.get(ty), CType::Record(_) | CType::Complex(_) | CType::Vector(..))
    }

    /// Whether a vector lies in a value of the type.
    pub fn holds_vector(&self, ty: TyId) -> bool {
        match self.get(ty) {
            CType::Vector(..) => true,
            CType::Record(r) => {
                self.records[*r].fields.iter().any(|field| self.holds_vector(field.ty.ty))
            }
            _ => false,
        }
    }

    /// What an index into an array or a vector selects.
    pub fn element(&self, ty: TyId) -> Option<QualType> {
        match *self.get(ty) {
            CType::Array(of, _) => Some(of),
            CType::Vector(of, _) => Some(of.into()),
            _ => None,
        }
    }

    /// The type in which a complex number and another number are combined; none when neither is
    /// complex, or one is no number. Equal types stay as they are, even narrow ones: complex
    /// numbers are not promoted.
    pub fn complex_usual(&mut self, a: TyId, b: TyId) -> Option<TyId> {
        let (x, y) = (self.complex_part(a), self.complex_part(b));
        if x.is_none() && y.is_none() {
            return None;
        }
        if a == b {
            return Some(a);
        }
        let part = self.usual(x.unwrap_or(a), y.unwrap_or(b))?;
        Some(self.intern(CType::Complex(part)))
    }
}

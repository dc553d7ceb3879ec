//! Sorts and the names of symbols.

use bolide_base::define_id;

define_id! {
    /// An interned name.
    pub struct SymbolId
}

define_id! {
    /// An interned [`Sort`].
    pub struct SortId
}

impl SortId {
    /// The truth values.
    pub const BOOL: SortId = SortId(0);
    /// The mathematical integers.
    pub const INT: SortId = SortId(1);
    /// The real numbers.
    pub const REAL: SortId = SortId(2);

    /// Whether this is `Int` or `Real`.
    #[inline]
    pub fn is_arithmetic(self) -> bool {
        self == SortId::INT || self == SortId::REAL
    }
}

/// What a term ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The truth values.
    Bool,
    /// The mathematical integers.
    Int,
    /// The real numbers.
    Real,
    /// Vectors of that many bits, at least one.
    BitVec(u32),
    /// Total maps from the first sort to the second.
    Array(SortId, SortId),
    /// A declared sort without further meaning. Applications of a declared
    /// sort constructor are interned under their whole text as name.
    Uninterpreted(SymbolId),
}

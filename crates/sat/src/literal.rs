//! Variables and literals.
//!
//! A literal is twice its variable, plus one when negated, so that a literal
//! indexes the watch lists directly and negation is one exclusive or.

/// A propositional variable; numbered from zero in order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

impl Var {
    /// The variable with this number.
    #[inline]
    pub fn new(index: usize) -> Var {
        debug_assert!(index < (u32::MAX / 4) as usize);
        Var(index as u32)
    }

    /// The number of the variable.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that is true when the variable is `value`.
    #[inline]
    pub fn lit(self, value: bool) -> Lit {
        Lit(self.0 << 1 | u32::from(!value))
    }
}

impl std::fmt::Debug for Var {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The variable of the literal.
    #[inline]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether the literal is the variable itself rather than its negation.
    #[inline]
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// A number that is unique among literals: `2 * var + negated`.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal with this [`code`](Self::code).
    #[inline]
    pub fn from_code(code: usize) -> Lit {
        Lit(code as u32)
    }

    /// The literal itself when `keep`, else its negation.
    #[inline]
    pub fn negate_unless(self, keep: bool) -> Lit {
        Lit(self.0 ^ u32::from(!keep))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Lit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", if self.is_positive() { "" } else { "-" }, self.var())
    }
}

//! The operators that terms are made of after normalisation.

use bolide_base::define_id;

define_id! {
    /// A declared function or constant.
    pub struct FunctionId
}

define_id! {
    /// An interned number of a [`TermStore`](crate::TermStore).
    pub struct NumberId
}

/// The head of a term. SMT-LIB operators that are missing here are expressed
/// by those that are present when a term is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// The constant `true`; always [`TermId::TRUE`](crate::TermId::TRUE).
    True,
    /// The constant `false`; always [`TermId::FALSE`](crate::TermId::FALSE).
    False,
    /// Negation; its argument is neither a constant nor a negation.
    Not,
    /// Conjunction; at least two arguments, sorted, distinct, no conjunction
    /// small enough to be flattened among them.
    And,
    /// Disjunction, like [`Op::And`].
    Or,
    /// Condition, then, else, of any sort; the condition is not a negation.
    Ite,
    /// Equality of two terms of one sort (over `Bool`: if and only if).
    Eq,

    /// A number; the sort says whether `Int` or `Real`.
    Number(NumberId),
    /// A sum in linear normal form: leaves and multiples of leaves in the order
    /// of the leaves' ids, then at most one number.
    Add,
    /// Either number times leaf (two arguments, the number first), or a
    /// non-linear monomial: sorted factors that are not numbers.
    Mul,
    /// `t <= k`: see [`arithmetic`](crate::arithmetic).
    Le,
    /// `t < k`, over `Real` only.
    Lt,
    /// Integer quotient, rounded so that the remainder is not negative.
    Div,
    /// Integer remainder, never negative.
    Mod,
    /// Division of reals by something that is not a number other than zero.
    Quotient,
    /// The integer as a real.
    ToReal,
    /// The largest integer not above the real.
    ToInt,

    /// Two to the power of an integer, zero below zero. The exponent is no number that is small enough to be one:
    /// see [`powers`](crate::powers).
    Pow2,
    /// The conjunction of the lowest `k` bits of two integers: `k` (no small number), then the two, sorted.
    LowAnd,

    /// A declared function applied to its arguments; a constant has none.
    Apply(FunctionId),

    /// Array, index.
    Select,
    /// Array, index, value.
    Store,
    /// The array of this sort that holds the argument everywhere.
    ConstArray,
    /// An index where the two arrays differ, if they do: the witness of
    /// extensionality. Arguments are sorted.
    Diff,

    /// A bit-vector constant, as the number that it denotes unsigned.
    BvNumber(NumberId),
    /// Bitwise complement.
    BvNot,
    /// Two's complement negation.
    BvNeg,
    /// Bitwise conjunction of at least two sorted arguments.
    BvAnd,
    /// Bitwise disjunction of at least two sorted arguments.
    BvOr,
    /// Bitwise exclusive disjunction of at least two sorted arguments.
    BvXor,
    /// Sum modulo the width, at least two sorted arguments.
    BvAdd,
    /// Product modulo the width, at least two arguments: sorted, a number last.
    BvMul,
    /// Unsigned quotient; all ones when dividing by zero.
    BvUdiv,
    /// Unsigned remainder; the dividend when dividing by zero.
    BvUrem,
    /// Shift left.
    BvShl,
    /// Shift right, filling with zeros.
    BvLshr,
    /// Shift right, filling with the sign.
    BvAshr,
    /// Concatenation, most significant first; at least two arguments.
    BvConcat,
    /// The bits from `low` upward; the sort's width says how many.
    BvExtract {
        /// Index of the lowest bit taken.
        low: u32,
    },
    /// Widening by copies of the sign bit; the sort's width says to what.
    BvSignExtend,
    /// Unsigned less-than.
    BvUlt,
    /// Signed less-than.
    BvSlt,
    /// The lowest bits of an integer's two's complement; the sort's width says how many. The argument is
    /// a leaf of arithmetic, and the width 64 or a greater power of two: see
    /// [`conversion`](crate::conversion).
    IntToBv,
    /// The integer that the bits denote, unsigned.
    BvToInt,

    /// A variable bound by a quantifier further out; see
    /// [`quantifier`](crate::quantifier).
    Bound(u32),
    /// Universal quantification: bound variables, then the body.
    Forall,
    /// Existential quantification: bound variables, then the body.
    Exists,
}

//! What a proof consists of.

use bolide_base::{Rational, define_id};
use bolide_terms::{TermId, TermStore};

define_id! {
    /// The position of a step in its proof.
    pub struct StepId
}

/// The part of the input that an assertion belongs to; for interpolation.
pub type Partition = u32;

/// A Boolean term or its negation. The atom is never itself a negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// Any Boolean term but a negation: atoms of theories and compound
    /// formulas alike.
    pub atom: TermId,
    /// Whether the literal is the atom itself.
    pub positive: bool,
}

impl Literal {
    /// The literal of a Boolean term; a negation becomes the negative literal
    /// of its argument.
    pub fn new(store: &TermStore, formula: TermId) -> Literal {
        let (atom, positive) = store.atom_and_sign(formula);
        Literal { atom, positive }
    }

    /// The literal as a term.
    pub fn term(self, store: &mut TermStore) -> TermId {
        store.mk_literal(self.atom, self.positive)
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal { atom: self.atom, positive: !self.positive }
    }
}

/// A clause that is valid by the meaning of one operator. The checker
/// looks the operator up in the clause itself; the names say which
/// definition is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tautology {
    /// `true`, or `not false`.
    Constant,
    /// `not (and a..) or a_i`, or `(and a..) or not a_1 or ..`.
    And(TermId),
    /// `not (or a..) or a_1 or ..`, or `(or a..) or not a_i`.
    Or(TermId),
    /// One of the four clauses that define `a = b` over Bool.
    Iff(TermId),
    /// One of the six clauses that follow from `ite c a b` over Bool: four define
    /// it, two (without the condition) help propagation.
    IteBool(TermId),
    /// Of the `ite c a b` of another sort: `not c or ite = a`, or
    /// `c or ite = b`.
    Ite(TermId),
    /// `a = b or a < b or a > b` over Int or Real.
    Trichotomy(TermId),
    /// `not (a = b) or a <= b`, or `not (a = b) or a >= b`.
    EqualityBound(TermId),
    /// Bounds of the quotient `x div k`: `k * (x div k) <= x`, or
    /// `x <= k * (x div k) + |k| - 1`.
    Div(TermId),
    /// `x mod k = x - k * (x div k)`, as one of two inequalities or the equality.
    Mod(TermId),
    /// `to_int x <= x`, or `x < to_int x + 1`.
    ToInt(TermId),
    /// `y = 0 or x / y * y = x` over Real, for a divisor that is no number.
    Quotient(TermId),
    /// For `s = store(a, i, v)`: `select(s, i) = v`.
    ReadWritten(TermId),
    /// For `s = store(a, i, v)` and any `j`: `i = j or select(s, j) = select(a, j)`.
    ReadOther {
        /// The `store` term.
        store: TermId,
        /// The index that is read.
        index: TermId,
    },
    /// For arrays `a`, `b`: `a = b or not (select(a, diff(a, b)) = select(b, diff(a, b)))`.
    Extensionality {
        /// One array.
        left: TermId,
        /// The other.
        right: TermId,
    },
    /// For `c = const(v)` and any `i`: `select(c, i) = v`.
    ReadConstant {
        /// The constant array.
        array: TermId,
        /// The index that is read.
        index: TermId,
    },
    /// A unit clause: bit number `bit` of the bit-vector `term` is equivalent to its
    /// circuit over the bits of the arguments; or, for a Boolean term (an
    /// equality or a comparison of bit-vectors), the term is equivalent to
    /// its circuit. The bit `i` of `t` is the atom `extract(i, i, t) = #b1`;
    /// the circuits are those of [`bolide_terms::circuit`].
    Bits {
        /// The operation.
        term: TermId,
        /// Which of its bits; zero for Boolean terms.
        bit: u32,
    },
    /// For the number `n` that `w` bits denote: `n >= 0`, or `n <= 2^w - 1`.
    BitRange(TermId),
    /// Where the negated literals bound leaves from both sides so that nothing overflows in `width` bits: the
    /// atom over integers is equivalent to its circuit over the bits of its leaves. One literal of the clause
    /// is that equivalence; the circuit is the one of [`bolide_terms::residue::image`].
    Image {
        /// An inequality or an equality over integers.
        atom: TermId,
        /// In how many bits both sides are compared.
        width: u32,
    },
    /// `not equality or circuit`: both sides of an equality over integers have the same lowest bits.
    Residue {
        /// The equality.
        equality: TermId,
        /// How many bits.
        width: u32,
    },
    /// For `s mod c` and `t mod c`, where `s - t` is a sum of multiples of `c` when each `u mod c` in it is taken
    /// for `u`: `c = 0 or s mod c <= t mod c`.
    Remainders {
        /// One remainder.
        left: TermId,
        /// The other.
        right: TermId,
    },
    /// For `p = int.pow2 x` and a number `c`: `p >= 0`; `x >= 0 or p <= 0`; `x < 0 or p > x`; `x < c or p >= 2^c`;
    /// `x > c or p <= 2^c`; or `x < c or circuit`, where the lowest `c` bits of `p` are zero.
    Power {
        /// The power.
        power: TermId,
        /// The number.
        at: u32,
    },
    /// For two powers with exponents `x` and `y`: `x + d > y or 2^d * int.pow2 x <= int.pow2 y`.
    PowerOrder {
        /// The one with `x`.
        low: TermId,
        /// The one with `y`.
        high: TermId,
        /// What lies between them.
        difference: u32,
    },
    /// For `a = piand k x y` and a number `c`: `a >= 0`; `x < 0 or a <= x`, and of `y`; `k > c or a < 2^c`;
    /// `k < c or circuit`, where the lowest `c` bits of `a` are the conjunction of those of `x` and `y`. Where
    /// `x` and `y` are at least zero and below `int.pow2 k`: `a >= x + y - int.pow2 k + 1`, and `a >= x` where `x = y`.
    LowAnd {
        /// The conjunction.
        conjunction: TermId,
        /// The number.
        at: u32,
    },
    /// The sign of `left * right`, multiplied out, is the product of the signs of `left` and
    /// `right`: the clause bounds all three by zero. Incremental linearisation needs no other
    /// rule: `x * y` is bounded by the tangent plane at `(a, b)` because of the signs of
    /// `x - a` and `y - b`, two inequalities are multiplied with each other by their differences, and a
    /// multiple of zero is zero.
    Product {
        /// A term.
        left: TermId,
        /// Another.
        right: TermId,
    },
}

/// Why a clause is valid in a theory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// One coefficient for each literal of the clause, in order. The negated literals,
    /// multiplied by their coefficients and added, give `0 <= c` with a negative
    /// `c`, or `0 < 0`. Coefficients are positive, but of an equality
    /// (a literal `not (a = b)` of the clause) any sign is allowed. Over
    /// Int the negation of `t <= k` is `t >= k + 1`.
    Farkas(Vec<Rational>),
    /// The negated literals contradict equality and congruence of all
    /// functions, together with: different values differ.
    Congruence,
}

/// How a clause is justified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The input; the clause is the unit clause of the formula.
    Assertion {
        /// What was asserted.
        formula: TermId,
        /// Where it belongs.
        partition: Partition,
    },
    /// Valid by the meaning of an operator.
    Tautology(Tautology),
    /// Valid in a theory.
    Lemma(Certificate),
    /// From `first`, resolve with each step of the chain in order. The literal
    /// beside a step is the pivot as it occurs in that step's clause; its negation
    /// occurs in the resolvent so far.
    Resolution {
        /// Where the chain starts.
        first: StepId,
        /// What it is resolved with.
        chain: Vec<(Literal, StepId)>,
    },
}

/// One clause with its justification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// A set, in any order (for [`Certificate::Farkas`] the order of the
    /// coefficients).
    pub clause: Vec<Literal>,
    /// Why it holds.
    pub rule: Rule,
}

/// Steps, each using only earlier ones; the last concludes what is proven,
/// mostly the empty clause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// In an order in which each step comes after those it uses.
    pub steps: Vec<Step>,
}

impl Proof {
    /// The step with this id.
    pub fn step(&self, id: StepId) -> &Step {
        use bolide_base::arena::Id;
        &self.steps[id.index()]
    }

    /// What is proven: the clause of the last step.
    pub fn conclusion(&self) -> Option<&[Literal]> {
        self.steps.last().map(|step| step.clause.as_slice())
    }
}

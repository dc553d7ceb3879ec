//! What the encoding of expressions, of bits and of memory have in common: symbolic values with their intervals,
//! and the constants, facts and reads that evaluation leaves behind.

use super::slots::Slots;
use crate::float_interval::has_ranks;
use bolide_base::arena::Id;
use bolide_cfa::{
    Access, BinaryOp, ExprId, FloatKind, FunctionId, IntType, ObjectId, Program, RegionId, Type,
};
use bolide_terms::{SortId, TermId, TermStore};

/// An interval of integers; either end may be open.
pub type Interval = (Option<i128>, Option<i128>);

/// No bound at all.
pub const UNBOUNDED: Interval = (None, None);

/// The symbolic value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbolic {
    /// An integer or a float's pattern, with an interval that holds it.
    Int(TermId, Interval),
    /// A condition.
    Bool(TermId),
    /// A pointer: object and offset.
    Pointer(TermId, TermId),
}

impl Symbolic {
    /// The term of an integer.
    pub fn int(self, store: &mut TermStore) -> TermId {
        match self {
            Symbolic::Int(t, _) => t,
            Symbolic::Bool(b) => bool_to_int(store, b),
            Symbolic::Pointer(_, offset) => offset,
        }
    }

    /// The term of a condition.
    pub fn bool(self, store: &mut TermStore) -> TermId {
        match self {
            Symbolic::Bool(b) => b,
            Symbolic::Int(t, _) => {
                let zero = store.mk_int(0);
                store.mk_neq(t, zero)
            }
            Symbolic::Pointer(object, offset) => {
                let null = is_null(store, object, offset);
                store.mk_not(null)
            }
        }
    }

    /// Object and offset of a pointer.
    pub fn pointer(self, store: &mut TermStore) -> (TermId, TermId) {
        match self {
            Symbolic::Pointer(object, offset) => (object, offset),
            other => {
                let zero = store.mk_int(0);
                (zero, other.int(store))
            }
        }
    }
}

/// One or zero.
pub fn bool_to_int(store: &mut TermStore, b: TermId) -> TermId {
    let (one, zero) = (store.mk_int(1), store.mk_int(0));
    store.mk_ite(b, one, zero)
}

/// Whether a pointer is null.
pub fn is_null(store: &mut TermStore, object: TermId, offset: TermId) -> TermId {
    let zero = store.mk_int(0);
    let a = store.mk_eq(object, zero);
    let b = store.mk_eq(offset, zero);
    store.mk_and(&[a, b])
}

/// Two to the power of `n`, as a number of the logic.
pub fn power_of_two(store: &mut TermStore, n: u32) -> TermId {
    store.mk_int(bolide_base::Integer::pow2(n))
}

/// The number of a static object.
pub fn object_number(object: ObjectId) -> i64 {
    object.index() as i64 + 1
}

/// The number that the first allocation gets.
pub fn first_free_object(program: &Program) -> i64 {
    program.objects.len() as i64 + 1
}

/// The number of a function, as an object.
pub fn function_number(function: FunctionId) -> i64 {
    -(function.index() as i64) - 1
}

/// Evaluates expressions in an environment.
pub struct Evaluator<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its slots.
    pub slots: &'a Slots,
    /// The terms.
    pub store: &'a mut TermStore,
    /// Intervals of signed variables that hold where the expression is
    /// evaluated; none where nothing is known.
    pub intervals: &'a dyn Fn(ExprId) -> Interval,
    /// Ranks in which a float may lie, by cases that are the same for all expressions.
    pub pieces: &'a dyn Fn(ExprId) -> Vec<Interval>,
    /// Facts that hold of the values so far: to be assumed with them.
    pub facts: Vec<TermId>,
    /// Local constants made so far.
    pub locals: Vec<TermId>,
    /// The prefix of local constants.
    pub prefix: &'a str,
    /// What was read from memory so far.
    pub reads: Vec<Read>,
    /// Rows of which only that is said what reads ask for.
    pub rewritten: Vec<Rewritten>,
    /// Sums and differences of floats so far.
    pub sums: Vec<Sum>,
    /// The values of all expressions so far, in the order of evaluation.
    pub trail: Vec<(ExprId, Symbolic)>,
    /// The expression that is being evaluated.
    pub(super) at: Option<ExprId>,
}

/// One part of the cells of an object after a copy or a fill of more cells than formulas list: a constant, of which the law
/// that defines it is said where it is read.
#[derive(Clone, Copy, Debug)]
pub struct Rewritten {
    /// The cells afterwards, and before.
    pub rows: [TermId; 2],
    /// Of which memory.
    pub region: RegionId,
    /// Where the bytes begin that were written, and where they end.
    pub bytes: [TermId; 2],
    /// What was written.
    pub with: Written,
    /// When whole cells became whole cells.
    pub fits: TermId,
}

/// What is in cells after a copy or a fill.
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// The same everywhere.
    Value(TermId),
    /// What is in this row, in this memory, so many bytes further on.
    Row(TermId, RegionId, TermId),
    /// Nobody knows.
    Anything,
}

/// A sum or difference of floats, by their patterns.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Which of the two.
    pub op: BinaryOp,
    /// The format.
    pub kind: FloatKind,
    /// Of what.
    pub operands: [TermId; 2],
    /// Its value.
    pub result: TermId,
}

/// A value that was read from memory.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// As what.
    pub access: Access,
    /// From which object.
    pub object: TermId,
    /// From where in it.
    pub offset: TermId,
    /// What was read.
    pub value: Symbolic,
}

impl<'a> Evaluator<'a> {
    /// With nothing evaluated yet.
    pub fn new(
        program: &'a Program,
        slots: &'a Slots,
        store: &'a mut TermStore,
        intervals: &'a dyn Fn(ExprId) -> Interval,
        prefix: &'a str,
    ) -> Evaluator<'a> {
        let (facts, locals, reads, rewritten, sums, trail) = Default::default();
        let at = None;
        Evaluator {
            program,
            slots,
            store,
            intervals,
            pieces: &|_| Vec::new(),
            facts,
            locals,
            prefix,
            reads,
            rewritten,
            sums,
            trail,
            at,
        }
    }

    /// All intervals in which an operand may lie.
    pub fn hoped(&self, e: ExprId) -> Vec<Interval> {
        let mut all = vec![(self.intervals)(e)];
        if !self.is_exact() {
            all.extend((self.pieces)(e));
        }
        all
    }

    /// Whether what is being evaluated is to be what the machine computes.
    pub fn is_exact(&self) -> bool {
        self.slots.exact.covers(self.at)
    }

    /// A fresh local constant.
    pub fn fresh(&mut self, sort: SortId) -> TermId {
        let name = format!("{}{}", self.prefix, self.locals.len());
        let constant = self.store.mk_const(&name, sort);
        self.locals.push(constant);
        constant
    }

    /// Any value of a type.
    pub fn any(&mut self, ty: Type) -> Symbolic {
        match ty {
            Type::BOOL => Symbolic::Bool(self.fresh(SortId::BOOL)),
            Type::Int(int) => {
                let value = self.fresh(SortId::INT);
                self.assume_in_type(value, int);
                Symbolic::Int(value, type_interval(int))
            }
            Type::Float(kind) => {
                let pattern = self.fresh(SortId::INT);
                self.float(pattern, kind)
            }
            Type::Pointer => Symbolic::Pointer(self.fresh(SortId::INT), self.fresh(SortId::INT)),
        }
    }

    /// The float with this pattern, which has no more bits than its kind.
    pub fn float(&mut self, pattern: TermId, kind: FloatKind) -> Symbolic {
        if !self.is_exact() && !has_ranks(kind) {
            return Symbolic::Int(pattern, UNBOUNDED);
        }
        let zero = self.store.mk_int(0);
        let end = power_of_two(self.store, pattern_width(kind));
        let bounds = [self.store.mk_le(zero, pattern), self.store.mk_lt(pattern, end)];
        self.facts.extend(bounds);
        Symbolic::Int(pattern, pattern_interval(kind))
    }

    /// Records that an integer lies in the range of its type.
    pub fn assume_in_type(&mut self, value: TermId, ty: IntType) {
        let (low, high) = type_bounds(self.store, ty);
        let a = self.store.mk_le(low, value);
        let b = self.store.mk_le(value, high);
        self.facts.extend([a, b]);
    }

    /// The result of an operation in its type: unsigned results wrap, signed
    /// ones stay as they are.
    pub fn wrapped(&mut self, value: TermId, interval: Interval, ty: IntType) -> Symbolic {
        if ty.signed {
            return Symbolic::Int(value, interval);
        }
        self.wrap(value, interval, ty)
    }

    /// `value` modulo the type, signed or not.
    pub fn wrap(&mut self, value: TermId, interval: Interval, ty: IntType) -> Symbolic {
        if ty == IntType::BOOL {
            return Symbolic::Bool(Symbolic::Int(value, interval).bool(self.store));
        }
        if ty.bits == 128 {
            return Symbolic::Int(self.wrap_by_mod(value, ty), UNBOUNDED);
        }
        let (min, max) = (ty.min(), ty.max());
        let period = 1i128 << ty.bits;
        if let (Some(low), Some(high)) = interval {
            if low >= min && high <= max {
                return Symbolic::Int(value, interval);
            }
            if low >= min.saturating_sub(period) && high <= max.saturating_add(period) {
                let p = self.store.mk_int(bolide_base::Integer::from(period));
                let mut result = value;
                if high > max {
                    let limit = self.store.mk_int(bolide_base::Integer::from(max));
                    let above = self.store.mk_gt(value, limit);
                    let lowered = self.store.mk_sub(value, p);
                    result = self.store.mk_ite(above, lowered, result);
                }
                if low < min {
                    let limit = self.store.mk_int(bolide_base::Integer::from(min));
                    let below = self.store.mk_lt(value, limit);
                    let raised = self.store.mk_add(&[value, p]);
                    result = self.store.mk_ite(below, raised, result);
                }
                return Symbolic::Int(result, type_interval(ty));
            }
        }
        Symbolic::Int(self.wrap_by_mod(value, ty), type_interval(ty))
    }

    fn wrap_by_mod(&mut self, value: TermId, ty: IntType) -> TermId {
        let modulus = power_of_two(self.store, u32::from(ty.bits));
        if !ty.signed {
            return self.store.mk_mod(value, modulus);
        }
        let half = power_of_two(self.store, u32::from(ty.bits) - 1);
        let shifted = self.store.mk_add(&[value, half]);
        let reduced = self.store.mk_mod(shifted, modulus);
        self.store.mk_sub(reduced, half)
    }

    /// An uninterpreted function.
    pub fn apply(&mut self, name: &str, arguments: &[TermId], result: SortId) -> TermId {
        let sorts: Vec<SortId> = arguments.iter().map(|&a| self.store.sort(a)).collect();
        let function = self.store.declare_fn(name, &sorts, result);
        self.store.mk_app(function, arguments)
    }
}

/// The bounds of an integer type as numbers of the logic.
pub fn type_bounds(store: &mut TermStore, ty: IntType) -> (TermId, TermId) {
    let low = store.mk_int(bolide_base::Integer::from(ty.min()));
    let high = if ty.bits == 128 && !ty.signed {
        let one = store.mk_int(1);
        let power = power_of_two(store, 128);
        store.mk_sub(power, one)
    } else {
        store.mk_int(bolide_base::Integer::from(ty.max()))
    };
    (low, high)
}

/// The interval of a type's values; unsigned 128 bits only has a lower end.
pub fn type_interval(ty: IntType) -> Interval {
    (Some(ty.min()), if ty.bits == 128 && !ty.signed { None } else { Some(ty.max()) })
}

/// Bits of a float's pattern as memory has it.
pub fn pattern_width(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::F32 => 32,
        FloatKind::F64 => 64,
        FloatKind::F80 => 80,
        FloatKind::F128 => 128,
    }
}

/// The interval of the patterns of a kind of floats.
pub fn pattern_interval(kind: FloatKind) -> Interval {
    (Some(0), 1i128.checked_shl(pattern_width(kind)).and_then(|power| power.checked_sub(1)))
}

/// The interval that is known of a value.
pub fn interval_of(value: Symbolic) -> Interval {
    match value {
        Symbolic::Int(_, interval) => interval,
        Symbolic::Bool(_) => (Some(0), Some(1)),
        Symbolic::Pointer(..) => UNBOUNDED,
    }
}

/// The sum, where both are known.
pub fn add(a: Option<i128>, b: Option<i128>) -> Option<i128> {
    a?.checked_add(b?)
}

/// The difference, where both are known.
pub fn sub(a: Option<i128>, b: Option<i128>) -> Option<i128> {
    a?.checked_sub(b?)
}

/// All of an interval, moved.
pub fn shift(i: Interval, by: i128) -> Interval {
    (add(i.0, Some(by)), add(i.1, Some(by)))
}

/// What holds both.
pub fn join(a: Interval, b: Interval) -> Interval {
    (a.0.zip(b.0).map(|(x, y)| x.min(y)), a.1.zip(b.1).map(|(x, y)| x.max(y)))
}

/// What both hold.
pub fn meet(a: Interval, b: Interval) -> Interval {
    let pick = |x: Option<i128>, y: Option<i128>, f: fn(i128, i128) -> i128| match (x, y) {
        (Some(x), Some(y)) => Some(f(x, y)),
        (x, y) => x.or(y),
    };
    (pick(a.0, b.0, i128::max), pick(a.1, b.1, i128::min))
}

/// What holds all products.
pub fn product_interval(i: Interval, j: Interval) -> Interval {
    let (Some(a), Some(b), Some(c), Some(d)) = (i.0, i.1, j.0, j.1) else { return UNBOUNDED };
    let corners = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
    let mut all = Vec::new();
    for corner in corners {
        let Some(corner) = corner else { return UNBOUNDED };
        all.push(corner);
    }
    (all.iter().copied().min(), all.iter().copied().max())
}

//! Floats: the integer that a pattern denotes, and operations on patterns.
//!
//! As long as nobody asks for the machine's operations ([`Slots::exact`](super::Slots)) those that round are uninterpreted
//! functions: equal operands give equal results, and in which interval the result lies when the operands lie in
//! those where they probably do ([`float_ranges`](crate::float_ranges)). Comparisons, signs and classes are exact, by the
//! *rank* of a float ([`float_interval`](crate::float_interval)), a linear term of its pattern. With the machine's
//! operations each is its circuit over bit-vectors (`bolide_terms::float`), rounding to nearest.
//!
//! All NaNs are one there, while the machine has many, and which one an operation yields C does not say. So
//! whoever looks at the bits or the sign of a NaN sees any (of its kind).

use super::evaluator::{
    Evaluator, Interval, Symbolic, UNBOUNDED, pattern_interval, pattern_width, type_interval,
};
use super::ranks::{between, is_number, lies_in, number, rank, signed};
use super::rounding::{bound, bound_converted, compare_sums, hoped, relate, relate_function};
use crate::float_interval::{FloatInterval, has_ranks, infinity, least_normal, sign_bit};
use bolide_cfa::{BinaryOp, CompareOp, FloatFn, FloatKind, FloatTest, IntType, Type, UnaryOp};
use bolide_terms::{FloatFormat, RoundingMode, SortId, TermId, TermStore};

pub(super) fn format(kind: FloatKind) -> FloatFormat {
    match kind {
        FloatKind::F32 => FloatFormat::SINGLE,
        FloatKind::F64 => FloatFormat::DOUBLE,
        FloatKind::F80 => FloatFormat::EXTENDED,
        FloatKind::F128 => FloatFormat::QUADRUPLE,
    }
}

/// The value of a float as a bit-vector in the form of its format.
pub(super) fn value(ev: &mut Evaluator<'_>, kind: FloatKind, a: Symbolic) -> TermId {
    let pattern = a.int(ev.store);
    let bits = ev.store.mk_int_to_bv(pattern_width(kind), pattern);
    match kind {
        FloatKind::F80 => ev.store.mk_float_from_x87(bits),
        _ => bits,
    }
}

/// The pattern of a value.
pub(super) fn pattern(ev: &mut Evaluator<'_>, kind: FloatKind, value: TermId) -> Symbolic {
    let bits = match kind {
        FloatKind::F80 => ev.store.mk_float_to_x87(value),
        _ => value,
    };
    Symbolic::Int(ev.store.mk_bv_to_int(bits, false), pattern_interval(kind))
}

pub(super) fn nearest(store: &mut TermStore) -> TermId {
    store.mk_rounding_mode(RoundingMode::NearestEven)
}

/// A function of which only the name is known.
fn opaque(ev: &mut Evaluator<'_>, name: &str, arguments: &[Symbolic], sort: SortId) -> TermId {
    let arguments: Vec<TermId> = arguments.iter().map(|a| a.int(ev.store)).collect();
    ev.apply(name, &arguments, sort)
}

/// A float of which only the function is known that gives it, and what it was given.
pub(super) fn opaque_float(
    ev: &mut Evaluator<'_>,
    name: &str,
    arguments: &[Symbolic],
    kind: FloatKind,
) -> Symbolic {
    let pattern = opaque(ev, name, arguments, SortId::INT);
    ev.float(pattern, kind)
}

/// `-a`.
pub fn unary(ev: &mut Evaluator<'_>, op: UnaryOp, a: Symbolic, kind: FloatKind) -> Symbolic {
    if !ev.is_exact() && op == UnaryOp::Neg && has_ranks(kind) {
        let (pattern, sign) = (a.int(ev.store), number(ev, sign_bit(kind)));
        let is_signed = signed(ev, a, kind);
        let lower = ev.store.mk_sub(pattern, sign);
        let higher = ev.store.mk_add(&[pattern, sign]);
        return Symbolic::Int(ev.store.mk_ite(is_signed, lower, higher), pattern_interval(kind));
    }
    if !ev.is_exact() || op != UnaryOp::Neg {
        let name = format!("{op:?}.{:?}", Type::Float(kind));
        return opaque_float(ev, &name, &[a], kind);
    }
    let x = value(ev, kind, a);
    let negated = ev.store.mk_float_neg(format(kind), x);
    pattern(ev, kind, negated)
}

/// `+`, `-`, `*` and `/`, of operands that probably have these ranks.
pub fn binary(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    (a, i): (Symbolic, &[Interval]),
    (b, j): (Symbolic, &[Interval]),
    kind: FloatKind,
) -> Symbolic {
    use BinaryOp::{Add, Div, Mul, Sub};
    if !ev.is_exact() || !matches!(op, Add | Sub | Mul | Div) {
        let name = format!("{op:?}.{:?}", Type::Float(kind));
        let result = opaque_float(ev, &name, &[a, b], kind);
        for (&i, &j) in i.iter().zip(j) {
            let (i, j) = (hoped(i, kind), hoped(j, kind));
            let interval = match op {
                Mul if a == b => i.map(FloatInterval::squared),
                _ => i.zip(j).and_then(|(i, j)| i.binary(op, j)),
            };
            bound(ev, &[(a, i), (b, j)], result, interval);
        }
        if has_ranks(kind) {
            relate(ev, op, [a, b], result, kind);
            compare_sums(ev, op, [a, b], result, kind);
        }
        return result;
    }
    let mode = nearest(ev.store);
    rounded(ev, op, mode, [a, b], kind)
}

/// The circuit of `+`, `-`, `*` or `/`.
pub(super) fn rounded(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    mode: TermId,
    [a, b]: [Symbolic; 2],
    kind: FloatKind,
) -> Symbolic {
    use BinaryOp::{Add, Mul, Sub};
    let (x, y) = (value(ev, kind, a), value(ev, kind, b));
    let (format, store) = (format(kind), &mut *ev.store);
    let result = match op {
        Add => store.mk_float_add(format, mode, x, y),
        Sub => store.mk_float_sub(format, mode, x, y),
        Mul => store.mk_float_mul(format, mode, x, y),
        _ => store.mk_float_div(format, mode, x, y),
    };
    pattern(ev, kind, result)
}

/// Comparisons of C.
pub fn compare(
    ev: &mut Evaluator<'_>,
    op: CompareOp,
    a: Symbolic,
    b: Symbolic,
    kind: FloatKind,
) -> TermId {
    if op == CompareOp::Ne {
        let equal = compare(ev, CompareOp::Eq, a, b, kind);
        return ev.store.mk_not(equal);
    }
    if !ev.is_exact() && has_ranks(kind) {
        let (x, y) = (rank(ev, a, kind), rank(ev, b, kind));
        let related = match op {
            CompareOp::Lt => ev.store.mk_lt(x, y),
            CompareOp::Le => ev.store.mk_le(x, y),
            _ => ev.store.mk_eq(x, y),
        };
        let numbers = [a, b].map(|side| is_number(ev, side, kind));
        return ev.store.mk_and(&[related, numbers[0], numbers[1]]);
    }
    if !ev.is_exact() {
        return opaque(ev, &format!("{op:?}.{:?}", Type::Float(kind)), &[a, b], SortId::BOOL);
    }
    let (x, y) = (value(ev, kind, a), value(ev, kind, b));
    let format = format(kind);
    match op {
        CompareOp::Lt => ev.store.mk_float_lt(format, x, y),
        CompareOp::Le => ev.store.mk_float_le(format, x, y),
        _ => ev.store.mk_float_eq(format, x, y),
    }
}

/// Functions that yield a float of the same kind, of an operand that probably has such a rank.
pub fn function(
    ev: &mut Evaluator<'_>,
    f: FloatFn,
    (a, i): (Symbolic, &[Interval]),
    kind: FloatKind,
) -> Symbolic {
    if !ev.is_exact() && f == FloatFn::Abs && has_ranks(kind) {
        let (pattern, sign) = (a.int(ev.store), number(ev, sign_bit(kind)));
        let is_signed = signed(ev, a, kind);
        let lower = ev.store.mk_sub(pattern, sign);
        return Symbolic::Int(ev.store.mk_ite(is_signed, lower, pattern), pattern_interval(kind));
    }
    if !ev.is_exact() {
        let name = format!("{f:?}.{:?}", Type::Float(kind));
        let result = opaque_float(ev, &name, &[a], kind);
        for &i in i {
            let i = hoped(i, kind);
            bound(ev, &[(a, i)], result, i.and_then(|i| i.function(f)));
        }
        if has_ranks(kind) {
            relate_function(ev, f, a, result, kind);
        }
        return result;
    }
    let x = value(ev, kind, a);
    let (format, store) = (format(kind), &mut *ev.store);
    let result = match f {
        FloatFn::Abs => store.mk_float_abs(format, x),
        FloatFn::Sqrt => {
            let mode = nearest(store);
            store.mk_float_sqrt(format, mode, x)
        }
        FloatFn::Floor => store.mk_float_whole(format, RoundingMode::TowardNegative, x),
        FloatFn::Ceil => store.mk_float_whole(format, RoundingMode::TowardPositive, x),
        FloatFn::Trunc => store.mk_float_whole(format, RoundingMode::TowardZero, x),
        FloatFn::Round => store.mk_float_whole(format, RoundingMode::NearestAway, x),
        FloatFn::RoundEven => store.mk_float_whole(format, RoundingMode::NearestEven, x),
    };
    pattern(ev, kind, result)
}

/// Tests of one float.
pub fn test(ev: &mut Evaluator<'_>, f: FloatTest, a: Symbolic, kind: FloatKind) -> TermId {
    if !ev.is_exact() && has_ranks(kind) {
        return test_by_rank(ev, f, a, kind);
    }
    if !ev.is_exact() {
        return opaque(ev, &format!("{f:?}.{:?}", Type::Float(kind)), &[a], SortId::BOOL);
    }
    let x = value(ev, kind, a);
    let format = format(kind);
    let is_nan = ev.store.mk_float_is_nan(format, x);
    match f {
        FloatTest::IsNan => is_nan,
        FloatTest::IsInfinite => ev.store.mk_float_is_infinite(format, x),
        FloatTest::IsFinite => {
            let infinite = ev.store.mk_float_is_infinite(format, x);
            let other = ev.store.mk_or(&[is_nan, infinite]);
            ev.store.mk_not(other)
        }
        FloatTest::IsNormal => ev.store.mk_float_is_normal(format, x),
        FloatTest::SignBit => {
            let either = ev.fresh(SortId::BOOL);
            let sign = ev.store.mk_float_is_negative(format, x);
            ev.store.mk_ite(is_nan, either, sign)
        }
    }
}

fn test_by_rank(ev: &mut Evaluator<'_>, f: FloatTest, a: Symbolic, kind: FloatKind) -> TermId {
    let (x, top) = (rank(ev, a, kind), infinity(kind));
    let is_number = is_number(ev, a, kind);
    match f {
        FloatTest::IsNan => ev.store.mk_not(is_number),
        FloatTest::IsInfinite => {
            let ends = [number(ev, top), number(ev, -top)];
            let ends = ends.map(|end| ev.store.mk_eq(x, end));
            ev.store.mk_or(&ends)
        }
        FloatTest::IsFinite => between(ev, 1 - top, x, top - 1),
        FloatTest::IsNormal => {
            let least = least_normal(kind);
            let sides = [between(ev, 1 - top, x, -least), between(ev, least, x, top - 1)];
            ev.store.mk_or(&sides)
        }
        FloatTest::SignBit => {
            let either = ev.fresh(SortId::BOOL);
            let sign = signed(ev, a, kind);
            ev.store.mk_ite(is_number, sign, either)
        }
    }
}

/// Whether a float differs from zero.
pub fn nonzero(ev: &mut Evaluator<'_>, a: Symbolic, kind: FloatKind) -> TermId {
    if !ev.is_exact() && has_ranks(kind) {
        let (rank, zero) = (rank(ev, a, kind), ev.store.mk_int(0));
        return ev.store.mk_neq(rank, zero);
    }
    if !ev.is_exact() {
        let name = format!("nonzero.{:?}", Type::Float(kind));
        return opaque(ev, &name, &[a], SortId::BOOL);
    }
    let x = value(ev, kind, a);
    let zero = ev.store.mk_float_is_zero(format(kind), x);
    ev.store.mk_not(zero)
}

/// A float that probably has such a rank as an integer, towards zero; out of range that is not defined.
pub fn to_integer(
    ev: &mut Evaluator<'_>,
    (a, i): (Symbolic, &[Interval]),
    kind: FloatKind,
    to: IntType,
) -> Symbolic {
    let name = format!("{:?}->{:?}", Type::Float(kind), Type::Int(to));
    let mut result = opaque(ev, &name, &[a], SortId::INT);
    ev.assume_in_type(result, to);
    if ev.is_exact() {
        let x = value(ev, kind, a);
        let mode = ev.store.mk_rounding_mode(RoundingMode::TowardZero);
        let bits = u32::from(to.bits);
        let (whole, fits) = ev.store.mk_float_to_bv(format(kind), mode, x, bits, to.signed);
        let whole = ev.store.mk_bv_to_int(whole, to.signed);
        result = ev.store.mk_ite(fits, whole, result);
    } else {
        for i in i.iter().filter_map(|&i| hoped(i, kind)) {
            let Some((lo, hi)) = i.to_integers(to, ev.program.target) else { continue };
            let inside = lies_in(ev, a, i);
            let between = between(ev, lo, result, hi);
            let lemma = ev.store.mk_implies(inside, between);
            ev.facts.push(lemma);
        }
    }
    Symbolic::Int(result, type_interval(to))
}

/// A number of another type as a float; it is probably of such a rank, or such an integer.
pub fn convert(
    ev: &mut Evaluator<'_>,
    (a, i): (Symbolic, &[Interval]),
    from: Type,
    to: FloatKind,
) -> Symbolic {
    if ev.is_exact() && from != Type::Pointer {
        let mode = nearest(ev.store);
        return converted(ev, mode, a, from, to);
    }
    let name = format!("{from:?}->{:?}", Type::Float(to));
    let result = opaque_float(ev, &name, &[a], to);
    if has_ranks(to) {
        // A wider format has the same numbers, whatever the interval.
        let all =
            if to == FloatKind::F64 && from == Type::Float(FloatKind::F32) { 1 } else { i.len() };
        for &i in &i[..all] {
            bound_converted(ev, (a, i), from, result, to);
        }
    }
    result
}

/// The circuit of a conversion.
pub(super) fn converted(
    ev: &mut Evaluator<'_>,
    mode: TermId,
    a: Symbolic,
    from: Type,
    to: FloatKind,
) -> Symbolic {
    let result = match from {
        Type::Float(kind) => {
            let x = value(ev, kind, a);
            ev.store.mk_float_convert(format(kind), format(to), mode, x)
        }
        Type::Int(int) => {
            let x = a.int(ev.store);
            let bits = ev.store.mk_int_to_bv(u32::from(int.bits), x);
            ev.store.mk_float_from_bv(format(to), mode, bits, int.signed)
        }
        Type::Pointer => return ev.any(Type::Float(to)),
    };
    pattern(ev, to, result)
}

/// The bits of a float as an unsigned integer of its size.
pub fn bits(ev: &mut Evaluator<'_>, a: Symbolic, kind: FloatKind, to: IntType) -> Symbolic {
    let mut result = a.int(ev.store);
    if !ev.is_exact() && has_ranks(kind) {
        let other = ev.any(Type::Float(kind));
        let [some, is_number] = [other, a].map(|float| is_number(ev, float, kind));
        let some_nan = ev.store.mk_not(some);
        ev.facts.push(some_nan);
        let other = other.int(ev.store);
        result = ev.store.mk_ite(is_number, result, other);
    }
    if ev.is_exact() {
        let other = ev.fresh(SortId::INT);
        let seen = value(ev, kind, Symbolic::Int(other, UNBOUNDED));
        let some_nan = ev.store.mk_float_is_nan(format(kind), seen);
        ev.facts.push(some_nan);
        let x = value(ev, kind, a);
        let is_nan = ev.store.mk_float_is_nan(format(kind), x);
        result = ev.store.mk_ite(is_nan, other, result);
    }
    ev.assume_in_type(result, to);
    Symbolic::Int(result, type_interval(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{Environment, Slot, Slots};
    use bolide_base::{Integer, Span};
    use bolide_cfa::value::{self, Value};
    use bolide_cfa::{Expr, ExprId, Program, Target, VarId, Variable, VariableKind};

    const INTS: [IntType; 3] = [IntType::signed(32), IntType::unsigned(32), IntType::signed(64)];

    fn variable(program: &mut Program, name: &str, ty: Type) -> VarId {
        program.variables.push(Variable {
            name: name.into(),
            ty,
            function: None,
            kind: VariableKind::Global,
            initial: None,
            span: Span::NONE,
            scope: Span::NONE,
        })
    }

    /// All expressions of one operation over two floats.
    fn expressions(program: &mut Program, a: ExprId, b: ExprId) -> Vec<Expr> {
        use BinaryOp::{Add, Div, Mul, Sub};
        let mut all = vec![Expr::Unary(UnaryOp::Neg, a), Expr::Cast(Type::BOOL, a)];
        all.extend([Add, Sub, Mul, Div].map(|op| Expr::Binary(op, a, b)));
        let compared = [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le];
        all.extend(compared.map(|op| Expr::Compare(op, a, b)));
        all.extend(INTS.map(|int| Expr::Cast(Type::Int(int), a)));
        let kinds = [FloatKind::F32, FloatKind::F64, FloatKind::F80, FloatKind::F128];
        let own = program.exprs.type_of(a);
        let others = kinds.map(Type::Float).into_iter().filter(|ty| *ty != own);
        all.extend(others.map(|ty| Expr::Cast(ty, a)));
        use FloatFn::{Abs, Ceil, Floor, Round, RoundEven, Sqrt, Trunc};
        let functions = [Abs, Sqrt, Floor, Ceil, Trunc, Round, RoundEven];
        all.extend(functions.map(|f| Expr::FloatFn(f, a)));
        use FloatTest::{IsFinite, IsInfinite, IsNan, IsNormal, SignBit};
        all.extend([IsNan, IsInfinite, IsFinite, IsNormal, SignBit].map(|f| Expr::FloatTest(f, a)));
        all
    }

    /// The variables have these patterns.
    fn where_they_are(
        slots: &Slots,
        store: &mut TermStore,
        vars: &[VarId],
        patterns: &[u128],
    ) -> Environment {
        let mut env = Environment::initial(slots);
        for (var, bits) in vars.iter().zip(patterns) {
            let slot = slots.find(Slot::Value(*var)).unwrap();
            env.set(slot, store.mk_int(Integer::from(*bits)));
        }
        env
    }

    /// What the interpreter knows of an operand.
    fn operand(all: &[ExprId], patterns: &[u128], kind: FloatKind, e: ExprId) -> Option<Value> {
        let at = all.iter().position(|&other| other == e)?;
        Some(Value::Float { bits: patterns[at], kind })
    }

    fn is_nan(bits: u128, kind: FloatKind) -> bool {
        value::float_test(FloatTest::IsNan, Value::Float { bits, kind }) == Ok(true)
    }

    #[test]
    fn operations_are_what_the_interpreter_computes() {
        let mut dice = bolide_testing::Dice::new(18);
        for (kind, rounds) in
            [(FloatKind::F32, 60), (FloatKind::F64, 60), (FloatKind::F80, 25), (FloatKind::F128, 8)]
        {
            let mut program = Program::new(Target::LP64);
            let vars = ["a", "b"].map(|name| variable(&mut program, name, Type::Float(kind)));
            let [a, b] = vars.map(|var| program.read(var));
            let roots: Vec<Expr> = expressions(&mut program, a, b);
            let roots: Vec<(Expr, ExprId)> =
                roots.into_iter().map(|e| (e.clone(), program.expr(e))).collect();
            let mut store = TermStore::new();
            let mut slots = Slots::new(&program, &mut store);
            slots.exact.all = true;
            for _ in 0..rounds {
                let patterns = [0, 1].map(|_| some_float(&mut dice, kind));
                let env = where_they_are(&slots, &mut store, &vars, &patterns);
                for (expr, root) in &roots {
                    let operand = |e| operand(&[a, b], &patterns, kind, e);
                    let expected = value::expression(expr, operand, program.target).unwrap();
                    let none = |_| UNBOUNDED;
                    let mut ev = Evaluator::new(&program, &slots, &mut store, &none, "test!");
                    let result = ev.evaluate(&env, *root);
                    let number = result.int(&mut store);
                    let number = store.number(number).map(|n| n.numerator());
                    let undefined = number.is_none();
                    let what = format!("{expr:?} of {patterns:x?} is {expected:?}, not {number:?}");
                    match expected {
                        _ if undefined => assert!(leaves_open(expr, patterns[0], kind), "{what}"),
                        Value::Float { bits, kind } if is_nan(bits, kind) => {
                            let format = format(kind);
                            let nan = store.mk_bv(number.unwrap(), pattern_width(kind));
                            let nan = match kind {
                                FloatKind::F80 => store.mk_float_from_x87(nan),
                                _ => nan,
                            };
                            assert_eq!(store.mk_float_is_nan(format, nan), TermId::TRUE, "{what}");
                        }
                        Value::Int { bits, ty } if ty != IntType::BOOL => {
                            assert_eq!(number, Some(Integer::from(ty.value(bits))), "{what}");
                        }
                        value => assert_eq!(number, Some(Integer::from(value.bits())), "{what}"),
                    }
                }
            }
        }
    }

    /// What is said without circuits, of operands in any intervals, holds of what the interpreter computes.
    #[test]
    fn lemmas_are_true_of_what_the_interpreter_computes() {
        let mut dice = bolide_testing::Dice::new(19);
        for kind in [FloatKind::F32, FloatKind::F64] {
            let mut program = Program::new(Target::LP64);
            let vars = ["a", "b"].map(|name| variable(&mut program, name, Type::Float(kind)));
            let [a, b] = vars.map(|var| program.read(var));
            let mut roots = expressions(&mut program, a, b);
            roots.retain(|e| {
                !matches!(e, Expr::Cast(Type::Float(FloatKind::F80 | FloatKind::F128), _))
            });
            let roots: Vec<(Expr, ExprId)> =
                roots.into_iter().map(|e| (e.clone(), program.expr(e))).collect();
            let mut store = TermStore::new();
            let slots = Slots::new(&program, &mut store);
            for _ in 0..200 {
                let patterns = [0, 1].map(|_| some_float(&mut dice, kind));
                let other = [0, 1].map(|_| some_float(&mut dice, kind));
                let ranks = |e: ExprId| {
                    let at = usize::from(e == b);
                    let rank = |bits| crate::float_interval::rank(Value::Float { bits, kind });
                    match (rank(patterns[at]), rank(other[at])) {
                        (Some(x), Some(y)) => (Some(x.min(y)), Some(x.max(y))),
                        _ => UNBOUNDED,
                    }
                };
                let env = where_they_are(&slots, &mut store, &vars, &patterns);
                for (expr, root) in &roots {
                    let operand = |e| operand(&[a, b], &patterns, kind, e);
                    let expected = value::expression(expr, operand, program.target).unwrap();
                    let expected = match expected {
                        Value::Int { bits, ty } if ty != IntType::BOOL => {
                            Integer::from(ty.value(bits))
                        }
                        value => Integer::from(value.bits()),
                    };
                    let mut ev = Evaluator::new(&program, &slots, &mut store, &ranks, "test!");
                    let result = ev.evaluate(&env, *root);
                    let facts = std::mem::take(&mut ev.facts);
                    let result = result.int(&mut store);
                    let what = format!("{expr:?} of {patterns:x?}, {other:x?} is {expected:?}");
                    if let Some(number) = store.number(result) {
                        assert_eq!(number.numerator(), expected, "{what}");
                        continue;
                    }
                    if leaves_open(expr, patterns[0], kind) {
                        continue;
                    }
                    let known = store.mk_int(expected);
                    let known = std::iter::once((result, known)).collect();
                    for fact in facts {
                        assert_eq!(store.substitute(fact, &known), TermId::TRUE, "{what}");
                    }
                }
            }
        }
    }

    /// Sums and differences that differ in one operand lie as these do.
    #[test]
    fn lemmas_of_two_sums_are_true_of_what_the_interpreter_computes() {
        let mut dice = bolide_testing::Dice::new(20);
        let kind = FloatKind::F64;
        let mut program = Program::new(Target::LP64);
        let vars = ["a", "b", "c"].map(|name| variable(&mut program, name, Type::Float(kind)));
        let [a, b, c] = vars.map(|var| program.read(var));
        let mut store = TermStore::new();
        let slots = Slots::new(&program, &mut store);
        let mut pairs = Vec::new();
        for op in [BinaryOp::Add, BinaryOp::Sub] {
            for [(x, y), (z, w)] in [[(a, b), (c, b)], [(b, a), (b, c)]] {
                pairs.push([Expr::Binary(op, x, y), Expr::Binary(op, z, w)]);
            }
        }
        for _ in 0..400 {
            let patterns = [0, 1, 2].map(|_| some_float(&mut dice, kind));
            let env = where_they_are(&slots, &mut store, &vars, &patterns);
            for pair in &pairs {
                let operand = |e| operand(&[a, b, c], &patterns, kind, e);
                let roots = pair.clone().map(|e| program.expr(e));
                let none = |_| UNBOUNDED;
                let mut ev = Evaluator::new(&program, &slots, &mut store, &none, "test!");
                let results = roots.map(|root| ev.evaluate(&env, root));
                let facts = std::mem::take(&mut ev.facts);
                let mut known = bolide_base::HashMap::default();
                for (expr, result) in pair.iter().zip(results) {
                    let bits = value::expression(expr, operand, program.target).unwrap().bits();
                    known.insert(result.int(&mut store), store.mk_int(Integer::from(bits)));
                }
                for fact in facts {
                    let holds = store.substitute(fact, &known);
                    assert_eq!(holds, TermId::TRUE, "{pair:?} of {patterns:x?}");
                }
            }
        }
    }

    /// Whether C does not say what comes out.
    fn leaves_open(expr: &Expr, bits: u128, kind: FloatKind) -> bool {
        match *expr {
            Expr::Cast(Type::Int(to), _) => !value::float::fits(bits, kind, to),
            Expr::FloatTest(FloatTest::SignBit, _) => is_nan(bits, kind),
            _ => false,
        }
    }

    /// A float: near one, near a power of two, special, or with any bits.
    fn some_float(dice: &mut bolide_testing::Dice, kind: FloatKind) -> u128 {
        let of_int = |number: i64, by: i64| {
            let int = |n: i64| Value::int(i128::from(n), IntType::signed(64));
            let float = |n| value::cast(Type::Float(kind), int(n), Target::LP64);
            value::binary(BinaryOp::Div, float(number), float(by)).unwrap().bits()
        };
        match dice.roll(6) {
            0 => of_int(dice.between(-9, 9), dice.between(1, 7)),
            1 => of_int(1 << dice.between(20, 62), dice.pick(&[1, -1])),
            2 => of_int(dice.pick(&[0, 1, -1]), 0),
            3 => of_int(dice.between(-1, 1), dice.pick(&[i64::MAX, 1])),
            4 => of_int(dice.between(-1 << 60, 1 << 60), dice.between(1, 1 << 60)),
            _ => {
                let any = (0..4).fold(0u128, |bits, _| bits << 32 | dice.roll(1 << 32) as u128);
                let bits = any & (u128::MAX >> (128 - pattern_width(kind)));
                // Patterns of x87 without the leading one are no operands of the machine.
                if kind == FloatKind::F80 { bits | 1 << 63 } else { bits }
            }
        }
    }
}

//! Floats: the integer that a pattern denotes, and operations on patterns.
//!
//! As long as nobody asks for the machine's operations ([`Slots::exact`](super::Slots)) they are uninterpreted functions:
//! equal operands give equal results, and nothing else is known. With them each is its circuit over
//! bit-vectors (`bolide_terms::float`), rounding to nearest.
//!
//! All NaNs are one there, while the machine has many, and which one an operation yields C does not say. So
//! whoever looks at the bits or the sign of a NaN sees any (of its kind).

use super::evaluator::{
    Evaluator, Symbolic, UNBOUNDED, pattern_interval, pattern_width, type_interval,
};
use bolide_cfa::{
    BinaryOp, CompareOp, FloatFn, FloatKind, FloatTest, IntType, MathFn, Type, UnaryOp,
};
use bolide_terms::{FloatFormat, RoundingMode, SortId, TermId, TermStore};

fn format(kind: FloatKind) -> FloatFormat {
    match kind {
        FloatKind::F32 => FloatFormat::SINGLE,
        FloatKind::F64 => FloatFormat::DOUBLE,
        FloatKind::F80 => FloatFormat::EXTENDED,
        FloatKind::F128 => FloatFormat::QUADRUPLE,
    }
}

/// The value of a float as a bit-vector in the form of its format.
fn value(ev: &mut Evaluator<'_>, kind: FloatKind, a: Symbolic) -> TermId {
    let pattern = a.int(ev.store);
    let bits = ev.store.mk_int_to_bv(pattern_width(kind), pattern);
    match kind {
        FloatKind::F80 => ev.store.mk_float_from_x87(bits),
        _ => bits,
    }
}

/// The pattern of a value.
fn pattern(ev: &mut Evaluator<'_>, kind: FloatKind, value: TermId) -> Symbolic {
    let bits = match kind {
        FloatKind::F80 => ev.store.mk_float_to_x87(value),
        _ => value,
    };
    Symbolic::Int(ev.store.mk_bv_to_int(bits, false), pattern_interval(kind))
}

fn nearest(store: &mut TermStore) -> TermId {
    store.mk_rounding_mode(RoundingMode::NearestEven)
}

/// A function of which only the name is known.
fn opaque(ev: &mut Evaluator<'_>, name: &str, arguments: &[Symbolic], sort: SortId) -> TermId {
    let arguments: Vec<TermId> = arguments.iter().map(|a| a.int(ev.store)).collect();
    ev.apply(name, &arguments, sort)
}

/// `-a`.
pub fn unary(ev: &mut Evaluator<'_>, op: UnaryOp, a: Symbolic, kind: FloatKind) -> Symbolic {
    if !ev.slots.exact || op != UnaryOp::Neg {
        let name = format!("{op:?}.{:?}", Type::Float(kind));
        return Symbolic::Int(opaque(ev, &name, &[a], SortId::INT), UNBOUNDED);
    }
    let x = value(ev, kind, a);
    let negated = ev.store.mk_float_neg(format(kind), x);
    pattern(ev, kind, negated)
}

/// `+`, `-`, `*` and `/`.
pub fn binary(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    a: Symbolic,
    b: Symbolic,
    kind: FloatKind,
) -> Symbolic {
    use BinaryOp::{Add, Div, Mul, Sub};
    if !ev.slots.exact || !matches!(op, Add | Sub | Mul | Div) {
        let name = format!("{op:?}.{:?}", Type::Float(kind));
        return Symbolic::Int(opaque(ev, &name, &[a, b], SortId::INT), UNBOUNDED);
    }
    let (x, y) = (value(ev, kind, a), value(ev, kind, b));
    let (format, store) = (format(kind), &mut *ev.store);
    let mode = nearest(store);
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
    if !ev.slots.exact {
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

/// Functions that yield a float of the same kind.
pub fn function(ev: &mut Evaluator<'_>, f: FloatFn, a: Symbolic, kind: FloatKind) -> Symbolic {
    if !ev.slots.exact {
        let name = format!("{f:?}.{:?}", Type::Float(kind));
        return Symbolic::Int(opaque(ev, &name, &[a], SortId::INT), UNBOUNDED);
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

/// Functions of several floats, and one of them; none where no circuit says it.
pub fn math(ev: &mut Evaluator<'_>, f: MathFn, values: &[Symbolic], ty: Type) -> Option<Symbolic> {
    // Remainders have a step for each exponent: of the wider kinds these are too many.
    let (Type::Float(kind @ (FloatKind::F32 | FloatKind::F64)), true) = (ty, ev.slots.exact) else {
        return None;
    };
    let x: Vec<TermId> = values.iter().map(|&a| value(ev, kind, a)).collect();
    let (format, store) = (format(kind), &mut *ev.store);
    let result = match (f, &x[..]) {
        (MathFn::Modulo, &[a, b]) => store.mk_float_fmod(format, a, b),
        (MathFn::Remainder, &[a, b]) => store.mk_float_rem(format, a, b),
        (MathFn::MultiplyAdd, &[a, b, c]) => {
            let mode = nearest(store);
            store.mk_float_fma(format, mode, [a, b, c])
        }
        _ => return None,
    };
    Some(pattern(ev, kind, result))
}

/// Tests of one float.
pub fn test(ev: &mut Evaluator<'_>, f: FloatTest, a: Symbolic, kind: FloatKind) -> TermId {
    if !ev.slots.exact {
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

/// Whether a float differs from zero.
pub fn nonzero(ev: &mut Evaluator<'_>, a: Symbolic, kind: FloatKind) -> TermId {
    if !ev.slots.exact {
        let name = format!("nonzero.{:?}", Type::Float(kind));
        return opaque(ev, &name, &[a], SortId::BOOL);
    }
    let x = value(ev, kind, a);
    let zero = ev.store.mk_float_is_zero(format(kind), x);
    ev.store.mk_not(zero)
}

/// A float as an integer, towards zero; out of range that is not defined.
pub fn to_integer(ev: &mut Evaluator<'_>, a: Symbolic, kind: FloatKind, to: IntType) -> Symbolic {
    let name = format!("{:?}->{:?}", Type::Float(kind), Type::Int(to));
    let mut result = opaque(ev, &name, &[a], SortId::INT);
    ev.assume_in_type(result, to);
    if ev.slots.exact {
        let x = value(ev, kind, a);
        let mode = ev.store.mk_rounding_mode(RoundingMode::TowardZero);
        let bits = u32::from(to.bits);
        let (whole, fits) = ev.store.mk_float_to_bv(format(kind), mode, x, bits, to.signed);
        let whole = ev.store.mk_bv_to_int(whole, to.signed);
        result = ev.store.mk_ite(fits, whole, result);
    }
    Symbolic::Int(result, type_interval(to))
}

/// A number of another type as a float.
pub fn convert(ev: &mut Evaluator<'_>, a: Symbolic, from: Type, to: FloatKind) -> Symbolic {
    let mode = nearest(ev.store);
    let result = match from {
        Type::Float(kind) if ev.slots.exact => {
            let x = value(ev, kind, a);
            ev.store.mk_float_convert(format(kind), format(to), mode, x)
        }
        Type::Int(int) if ev.slots.exact => {
            let x = a.int(ev.store);
            let bits = ev.store.mk_int_to_bv(u32::from(int.bits), x);
            ev.store.mk_float_from_bv(format(to), mode, bits, int.signed)
        }
        _ => {
            let name = format!("{from:?}->{:?}", Type::Float(to));
            return Symbolic::Int(opaque(ev, &name, &[a], SortId::INT), UNBOUNDED);
        }
    };
    pattern(ev, to, result)
}

/// The bits of a float as an unsigned integer of its size.
pub fn bits(ev: &mut Evaluator<'_>, a: Symbolic, kind: FloatKind, to: IntType) -> Symbolic {
    let mut result = a.int(ev.store);
    if ev.slots.exact {
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
            slots.exact = true;
            for _ in 0..rounds {
                let patterns = [0, 1].map(|_| some_float(&mut dice, kind));
                let mut env = Environment::initial(&slots);
                for (var, bits) in vars.into_iter().zip(patterns) {
                    let slot = slots.find(Slot::Value(var)).unwrap();
                    env.set(slot, store.mk_int(Integer::from(bits)));
                }
                for (expr, root) in &roots {
                    let operand = |e: ExprId| {
                        let bits = patterns[usize::from(e == b)];
                        Some(Value::Float { bits, kind })
                    };
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

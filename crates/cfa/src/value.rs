//! Concrete values and what the operators do to them.
//!
//! One definition of the scalar semantics serves the interpreter and constant
//! folding: what gcc's code does on x86, without optimisation.
//!
//! - Integers are two's complement; a value is its canonical bit pattern (see
//!   [`IntType::truncate`]) with its type. Signed overflow wraps.
//! - Division by zero is [`Undefined`], and so is the least value divided by
//!   -1 up to 64 bits, where the instruction traps. (128-bit division is a
//!   library routine; it wraps.)
//! - A shift by too much is masked as the instruction does: by 31 up to 32
//!   bits, by 63 for 64 bits, by 127 for 128 bits. gcc may fold such a shift
//!   of *constants* to something else; the program is undefined either way.
//! - Floats are evaluated in their own format, as SSE does, on both data
//!   models: the excess precision of x87 code (`-m32` without `-msse2
//!   -mfpmath=sse`) is not reproduced. See [`float`].
//! - A pointer is an address together with the object it came from
//!   ([`Provenance`]). Arithmetic on it is the interpreter's affair; here it is
//!   compared and converted.

mod directed;
pub mod float;
pub mod math;

use crate::expr::{BinaryOp, CompareOp, Expr, ExprId, FloatFn, FloatTest, UnaryOp};
use crate::types::{FloatKind, IntType, Target, Type};

/// The object that a pointer may access. Opaque: only the memory that made the
/// object can tell which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Provenance(pub(crate) u64);

impl Provenance {
    /// Of the null pointer and of addresses where no object lives.
    pub const NONE: Provenance = Provenance(0);
    /// Of pointers into memory that the program did not make. As an answer of
    /// [`Choices`](crate::interpreter::Choices) it makes that memory.
    pub const ENVIRONMENT: Provenance = Provenance(u64::MAX);
}

/// A pointer: its address and the object that it may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Pointer {
    /// The address as an integer; below 2^32 on ILP32.
    pub address: u64,
    /// The object.
    pub provenance: Provenance,
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer { address: 0, provenance: Provenance::NONE };
}

/// A concrete scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An integer; `bits` is canonical for `ty`.
    Int {
        /// The pattern.
        bits: u128,
        /// The type.
        ty: IntType,
    },
    /// A float by its bit pattern.
    Float {
        /// The pattern.
        bits: u128,
        /// The format.
        kind: FloatKind,
    },
    /// A pointer.
    Pointer(Pointer),
}

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// Integer division or remainder by zero.
    DivisionByZero,
    /// The least value divided by -1: the instruction traps.
    DivisionOverflow,
    /// Operands whose types do not go together: the program is ill-typed.
    IllTyped,
}

impl std::fmt::Display for Undefined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Undefined::DivisionByZero => "division by zero",
            Undefined::DivisionOverflow => "division of the least value by -1",
            Undefined::IllTyped => "operands of wrong types",
        })
    }
}

impl std::error::Error for Undefined {}

impl Value {
    /// The integer `value`, wrapped into `ty`.
    pub fn int(value: i128, ty: IntType) -> Value {
        Value::Int { bits: ty.truncate(value as u128), ty }
    }

    /// A condition.
    pub fn bool(value: bool) -> Value {
        Value::Int { bits: u128::from(value), ty: IntType::BOOL }
    }

    /// The value whose bytes are all zero.
    pub fn zero(ty: Type) -> Value {
        Value::from_bits(ty, 0)
    }

    /// The value of type `ty` with this bit pattern; a pointer without provenance.
    pub fn from_bits(ty: Type, bits: u128) -> Value {
        match ty {
            Type::Int(ty) => Value::Int { bits: ty.truncate(bits), ty },
            Type::Float(kind) => Value::Float { bits: bits & float::mask(kind), kind },
            Type::Pointer => {
                Value::Pointer(Pointer { address: bits as u64, provenance: Provenance::NONE })
            }
        }
    }

    /// What a constant expression stands for.
    pub fn of(expr: &Expr) -> Option<Value> {
        match *expr {
            Expr::Int { bits, ty } => Some(Value::Int { bits, ty }),
            Expr::Float { bits, kind } => Some(Value::Float { bits, kind }),
            Expr::Null => Some(Value::Pointer(Pointer::NULL)),
            _ => None,
        }
    }

    /// The constant expression; pointers other than null have none.
    pub fn literal(self) -> Option<Expr> {
        match self {
            Value::Int { bits, ty } => Some(Expr::Int { bits, ty }),
            Value::Float { bits, kind } => Some(Expr::Float { bits, kind }),
            Value::Pointer(Pointer::NULL) => Some(Expr::Null),
            Value::Pointer(_) => None,
        }
    }

    /// The bit pattern; for a pointer, the address.
    pub fn bits(self) -> u128 {
        match self {
            Value::Int { bits, .. } | Value::Float { bits, .. } => bits,
            Value::Pointer(p) => u128::from(p.address),
        }
    }

    /// Its type.
    pub fn ty(self) -> Type {
        match self {
            Value::Int { ty, .. } => Type::Int(ty),
            Value::Float { kind, .. } => Type::Float(kind),
            Value::Pointer(_) => Type::Pointer,
        }
    }

    /// Whether a condition holds: some bit is set.
    pub fn is_true(self) -> bool {
        self.bits() != 0
    }

    /// The number, where it is an integer (see [`IntType::value`]).
    pub fn as_int(self) -> Option<i128> {
        match self {
            Value::Int { bits, ty } => Some(ty.value(bits)),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Value::Int { bits, ty } if ty.signed => write!(f, "{}", ty.value(bits)),
            Value::Int { bits, .. } => write!(f, "{bits}"),
            Value::Float { bits, kind } => f.write_str(&float::decimal(bits, kind)),
            Value::Pointer(p) => write!(f, "{:#x}", p.address),
        }
    }
}

/// The value of a constant, or of an operator whose operands have values; none for all else, and
/// where the operation is undefined.
pub fn expression(
    expr: &Expr,
    operand: impl Fn(ExprId) -> Option<Value>,
    target: Target,
) -> Option<Value> {
    match *expr {
        Expr::Unary(op, a) => unary(op, operand(a)?).ok(),
        Expr::Binary(op, a, b) => binary(op, operand(a)?, operand(b)?).ok(),
        Expr::Compare(op, a, b) => compare(op, operand(a)?, operand(b)?).ok().map(Value::bool),
        Expr::Cast(ty, a) => Some(cast(ty, operand(a)?, target)),
        Expr::Pattern(ty, a) => pattern(ty, operand(a)?).ok(),
        Expr::FloatFn(op, a) => float_fn(op, operand(a)?).ok(),
        Expr::FloatTest(op, a) => float_test(op, operand(a)?).ok().map(Value::bool),
        Expr::Overflows(op, a, b) => overflows(op, operand(a)?, operand(b)?).ok().map(Value::bool),
        _ => Value::of(expr),
    }
}

/// Applies a one-place operator.
pub fn unary(op: UnaryOp, a: Value) -> Result<Value, Undefined> {
    match (op, a) {
        (UnaryOp::Neg, Value::Int { bits, ty }) => {
            Ok(Value::Int { bits: ty.truncate(bits.wrapping_neg()), ty })
        }
        (UnaryOp::Neg, Value::Float { bits, kind }) => {
            Ok(Value::Float { bits: float::negate(bits, kind), kind })
        }
        (UnaryOp::BitNot, Value::Int { bits, ty }) => {
            Ok(Value::Int { bits: ty.truncate(!bits), ty })
        }
        (UnaryOp::Not, Value::Int { bits, ty }) if ty == IntType::BOOL => {
            Ok(Value::bool(bits == 0))
        }
        _ => Err(Undefined::IllTyped),
    }
}

/// The value of a type with the bit pattern of another.
pub fn pattern(ty: Type, a: Value) -> Result<Value, Undefined> {
    match (ty, a) {
        (Type::Int(ty), Value::Float { bits, .. }) => {
            Ok(Value::Int { bits: ty.truncate(bits), ty })
        }
        (Type::Float(kind), Value::Int { bits, .. }) => Ok(Value::Float { bits, kind }),
        _ => Err(Undefined::IllTyped),
    }
}

/// The amount by which a shift of a `bits`-bit value really shifts.
pub fn shift_amount(amount: u128, bits: u8) -> u32 {
    let mask = match bits {
        0..=32 => 31,
        33..=64 => 63,
        _ => 127,
    };
    amount as u32 & mask
}

/// Applies a two-place operator to operands of one type (shifts excepted).
pub fn binary(op: BinaryOp, a: Value, b: Value) -> Result<Value, Undefined> {
    match (a, b) {
        (Value::Int { bits: x, ty }, Value::Int { bits: y, ty: other })
            if ty == other || matches!(op, BinaryOp::Shl | BinaryOp::Shr) =>
        {
            Ok(Value::Int { bits: ty.truncate(integer(op, x, y, ty)?), ty })
        }
        (Value::Float { bits: x, kind }, Value::Float { bits: y, kind: other })
            if kind == other =>
        {
            let bits = match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                    float::arithmetic(op, x, y, kind)
                }
                _ => return Err(Undefined::IllTyped),
            };
            Ok(Value::Float { bits, kind })
        }
        _ => Err(Undefined::IllTyped),
    }
}

/// The pattern of the result, not yet cut to the width.
fn integer(op: BinaryOp, x: u128, y: u128, ty: IntType) -> Result<u128, Undefined> {
    Ok(match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div | BinaryOp::Rem => {
            if y == 0 {
                return Err(Undefined::DivisionByZero);
            }
            if ty.signed {
                let (x, y) = (ty.value(x), ty.value(y));
                if y == -1 && x == ty.min() && ty.bits <= 64 {
                    return Err(Undefined::DivisionOverflow);
                }
                let result =
                    if op == BinaryOp::Div { x.wrapping_div(y) } else { x.wrapping_rem(y) };
                result as u128
            } else if op == BinaryOp::Div {
                x / y
            } else {
                x % y
            }
        }
        BinaryOp::Shl => x << shift_amount(y, ty.bits),
        BinaryOp::Shr if ty.signed => (ty.value(x) >> shift_amount(y, ty.bits)) as u128,
        BinaryOp::Shr => x >> shift_amount(y, ty.bits),
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
    })
}

/// Whether a comparison holds. Pointers compare by address.
pub fn compare(op: CompareOp, a: Value, b: Value) -> Result<bool, Undefined> {
    let order = match (a, b) {
        (Value::Int { bits: x, ty }, Value::Int { bits: y, ty: other }) if ty == other => {
            Some(if ty.signed { ty.value(x).cmp(&ty.value(y)) } else { x.cmp(&y) })
        }
        (Value::Float { bits: x, kind }, Value::Float { bits: y, kind: other })
            if kind == other =>
        {
            float::order(x, y, kind)
        }
        (Value::Pointer(x), Value::Pointer(y)) => Some(x.address.cmp(&y.address)),
        _ => return Err(Undefined::IllTyped),
    };
    Ok(match op {
        CompareOp::Eq => order.is_some_and(|o| o.is_eq()),
        CompareOp::Ne => !order.is_some_and(|o| o.is_eq()),
        CompareOp::Lt => order.is_some_and(|o| o.is_lt()),
        CompareOp::Le => order.is_some_and(|o| o.is_le()),
    })
}

/// Converts as C's cast does. An integer that becomes a pointer has no
/// provenance; the interpreter looks for the object at that address.
pub fn cast(to: Type, a: Value, target: Target) -> Value {
    match (a, to) {
        (Value::Int { bits, .. }, Type::Int(IntType::BOOL)) => Value::bool(bits != 0),
        (Value::Int { bits, ty }, Type::Int(to)) => Value::int(ty.value(bits), to),
        (Value::Int { bits, ty }, Type::Float(kind)) => {
            Value::Float { bits: float::from_int(bits, ty, kind), kind }
        }
        (Value::Int { bits, ty }, Type::Pointer) => Value::Pointer(Pointer {
            address: target.size_type().truncate(ty.value(bits) as u128) as u64,
            provenance: Provenance::NONE,
        }),
        (Value::Float { bits, kind }, Type::Int(IntType::BOOL)) => {
            Value::bool(!float::is_zero(bits, kind))
        }
        (Value::Float { bits, kind }, Type::Int(to)) => {
            Value::Int { bits: float::to_int(bits, kind, to), ty: to }
        }
        (Value::Float { bits, kind }, Type::Float(to)) => {
            Value::Float { bits: float::convert(bits, kind, to), kind: to }
        }
        // No C program converts a float to a pointer.
        (Value::Float { .. }, Type::Pointer) => Value::Pointer(Pointer::NULL),
        (Value::Pointer(p), Type::Int(IntType::BOOL)) => Value::bool(p.address != 0),
        // gcc extends the address with its sign when the integer is wider:
        // relevant for `long long` on ILP32 only.
        (Value::Pointer(p), Type::Int(to)) => {
            Value::int(target.offset_type().value(u128::from(p.address)), to)
        }
        (Value::Pointer(_), Type::Float(kind)) => Value::Float { bits: 0, kind },
        (Value::Pointer(p), Type::Pointer) => Value::Pointer(p),
    }
}

/// Whether a signed operation leaves the range of the type, as C11 6.5 has it.
/// `Shl` counts amounts that are negative or not less than the width, negative
/// values, and values whose bits are lost (including into the sign bit).
pub fn overflows(op: BinaryOp, a: Value, b: Value) -> Result<bool, Undefined> {
    let (Value::Int { bits: x, ty }, Value::Int { bits: y, ty: amount_ty }) = (a, b) else {
        return Err(Undefined::IllTyped);
    };
    let (p, q) = (ty.value(x), amount_ty.value(y));
    let fits = |r: Option<i128>| r.is_some_and(|r| (ty.min()..=ty.max()).contains(&r));
    let shift_fits = || amount_ty.truncate(y) < u128::from(ty.bits) && !(amount_ty.signed && q < 0);
    Ok(match op {
        BinaryOp::Add => !fits(p.checked_add(q)),
        BinaryOp::Sub => !fits(p.checked_sub(q)),
        BinaryOp::Mul => !fits(p.checked_mul(q)),
        BinaryOp::Div | BinaryOp::Rem => ty.signed && q == -1 && p == ty.min(),
        BinaryOp::Shl if !ty.signed => !shift_fits(),
        BinaryOp::Shl => !shift_fits() || p < 0 || p > ty.max() >> q,
        BinaryOp::Shr => !shift_fits(),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => false,
    })
}

/// Whether the result of a signed operation is nobody's to say. Of left shifts gcc defines more than C does: only
/// the amount counts.
pub fn undefined(op: BinaryOp, a: Value, b: Value) -> Result<bool, Undefined> {
    overflows(if op == BinaryOp::Shl { BinaryOp::Shr } else { op }, a, b)
}

/// Applies a function on floats.
pub fn float_fn(op: FloatFn, a: Value) -> Result<Value, Undefined> {
    match a {
        Value::Float { bits, kind } => {
            Ok(Value::Float { bits: float::function(op, bits, kind), kind })
        }
        _ => Err(Undefined::IllTyped),
    }
}

/// Decides a test on a float.
pub fn float_test(op: FloatTest, a: Value) -> Result<bool, Undefined> {
    match a {
        Value::Float { bits, kind } => Ok(float::test(op, bits, kind)),
        _ => Err(Undefined::IllTyped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const I32: IntType = IntType::signed(32);
    const U8: IntType = IntType::unsigned(8);

    fn int(v: i128) -> Value {
        Value::int(v, I32)
    }

    #[test]
    fn signed_overflow_wraps_and_is_reported() {
        let max = int(i128::from(i32::MAX));
        assert_eq!(binary(BinaryOp::Add, max, int(1)), Ok(int(i128::from(i32::MIN))));
        assert_eq!(overflows(BinaryOp::Add, max, int(1)), Ok(true));
        assert_eq!(overflows(BinaryOp::Sub, max, int(1)), Ok(false));
        assert_eq!(overflows(BinaryOp::Mul, int(65536), int(32768)), Ok(true));
        assert_eq!(overflows(BinaryOp::Mul, int(-65536), int(32768)), Ok(false));
        let wide = IntType::signed(128);
        let most = Value::int(i128::MAX, wide);
        assert_eq!(overflows(BinaryOp::Mul, most, Value::int(2, wide)), Ok(true));
    }

    #[test]
    fn division_truncates_and_traps() {
        assert_eq!(binary(BinaryOp::Div, int(-7), int(2)), Ok(int(-3)));
        assert_eq!(binary(BinaryOp::Rem, int(-7), int(2)), Ok(int(-1)));
        assert_eq!(binary(BinaryOp::Rem, int(7), int(0)), Err(Undefined::DivisionByZero));
        let least = int(i128::from(i32::MIN));
        assert_eq!(binary(BinaryOp::Div, least, int(-1)), Err(Undefined::DivisionOverflow));
        assert_eq!(overflows(BinaryOp::Rem, least, int(-1)), Ok(true));
    }

    #[test]
    fn shifts_mask_their_amount() {
        assert_eq!(binary(BinaryOp::Shl, int(1), int(33)), Ok(int(2)));
        assert_eq!(binary(BinaryOp::Shr, int(-8), int(1)), Ok(int(-4)));
        assert_eq!(binary(BinaryOp::Shr, int(-8), int(-31)), Ok(int(-4)));
        assert_eq!(overflows(BinaryOp::Shl, int(1), int(31)), Ok(true));
        assert_eq!(overflows(BinaryOp::Shl, int(1), int(30)), Ok(false));
        assert_eq!(overflows(BinaryOp::Shl, int(-1), int(1)), Ok(true));
        assert_eq!(overflows(BinaryOp::Shl, int(0), int(-1)), Ok(true));
    }

    #[test]
    fn casts_between_integers_are_modular() {
        let lp64 = Target::LP64;
        assert_eq!(cast(Type::Int(U8), int(-1), lp64), Value::int(255, U8));
        assert_eq!(cast(Type::Int(I32), Value::int(255, U8), lp64), int(255));
        assert_eq!(cast(Type::signed(8), int(200), lp64).as_int(), Some(-56));
        assert_eq!(cast(Type::BOOL, int(256), lp64), Value::bool(true));
        assert_eq!(cast(Type::unsigned(64), int(-1), lp64).bits(), u128::from(u64::MAX));
    }

    #[test]
    fn pointers_to_wider_integers_keep_their_sign_on_ilp32() {
        let p = Value::Pointer(Pointer { address: 0xf000_0000, provenance: Provenance::NONE });
        assert_eq!(cast(Type::unsigned(64), p, Target::ILP32).bits(), 0xffff_ffff_f000_0000);
        assert_eq!(cast(Type::unsigned(64), p, Target::LP64).bits(), 0xf000_0000);
    }
}

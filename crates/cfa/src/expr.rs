//! Expressions: typed, free of side effects, shared.
//!
//! An [`ExprPool`] stores each distinct expression once; an [`ExprId`] is its
//! position. Children always have smaller ids than their parents, so a pass
//! over all expressions from low to high ids sees operands first, and no pass
//! needs recursion however deep the source was nested.
//!
//! Integer operations work on machine integers: both operands have the type of
//! the result (shifts excepted: the amount has its own type). Unsigned results
//! wrap. Signed results that overflow are undefined in C; the interpreter wraps
//! them as gcc does and the property `no-overflow` checks them by
//! [`Expr::Overflows`] beforehand.

use crate::program::{FunctionId, ObjectId, RegionId, VarId};
use crate::types::{FloatKind, IntType, Target, Type};
use bolide_base::{Arena, HashMap, define_id};

define_id!(
    /// An expression in an [`ExprPool`].
    pub struct ExprId
);

/// One-place operators; the result has the type of the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnaryOp {
    /// Minus, on integers and floats.
    Neg,
    /// Complement of all bits, on integers wider than one bit.
    BitNot,
    /// Negation of a condition.
    Not,
}

/// Two-place operators; operands and result have one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinaryOp {
    /// Sum, on integers and floats.
    Add,
    /// Difference, on integers and floats.
    Sub,
    /// Product, on integers and floats.
    Mul,
    /// Quotient, towards zero on integers.
    Div,
    /// Remainder with the sign of the dividend; integers only.
    Rem,
    /// Shift left; the amount may have another integer type.
    Shl,
    /// Shift right, arithmetic on signed types; the amount may have another integer type.
    Shr,
    /// Bitwise and; on conditions, conjunction (both sides are evaluated).
    BitAnd,
    /// Bitwise or; on conditions, disjunction.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
}

/// Comparisons; the result is a condition. On floats, IEEE: all but `Ne` are
/// false when an operand is not a number. On pointers, `Lt` and `Le` compare
/// offsets within one object and are unspecified across objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

/// Functions on floats that the hardware or the C library computes exactly
/// rounded, so that the interpreter can too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatFn {
    /// Absolute value.
    Abs,
    /// Square root.
    Sqrt,
    /// Towards minus infinity.
    Floor,
    /// Towards plus infinity.
    Ceil,
    /// Towards zero.
    Trunc,
    /// To nearest, halves away from zero.
    Round,
    /// To nearest, halves to even.
    RoundEven,
}

/// A test on a float whose result is a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatTest {
    /// Not a number.
    IsNan,
    /// Plus or minus infinity.
    IsInfinite,
    /// Neither infinite nor not-a-number.
    IsFinite,
    /// Neither zero, subnormal, infinite nor not-a-number.
    IsNormal,
    /// The sign bit is set.
    SignBit,
}

/// The bits that a bit-field occupies, counted from the lowest bit of the byte
/// that the access' pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitRange {
    /// First bit, 0 to 7.
    pub offset: u8,
    /// Number of bits, 1 to 128.
    pub width: u8,
}

/// How memory is read or written: where, as what, and in which region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The address of the first byte.
    pub pointer: ExprId,
    /// The type of the value read or written.
    pub ty: Type,
    /// For bit-fields: which bits. The value is sign- or zero-extended to `ty`.
    pub bits: Option<BitRange>,
    /// Reads may yield any value for the verifier; the interpreter reads memory.
    pub volatile: bool,
    /// The region that the points-to analysis found; [`RegionId::ALL`] before it.
    pub region: RegionId,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An integer constant; `bits` is canonical (see [`IntType::truncate`]).
    Int { bits: u128, ty: IntType },
    /// A float constant by its bit pattern.
    Float { bits: u128, kind: FloatKind },
    /// The null pointer.
    Null,
    /// The value of a variable.
    Var(VarId),
    /// The address of a static object.
    Object(ObjectId),
    /// The address of a function.
    Function(FunctionId),
    /// The value in memory.
    Load(Access),
    /// A one-place operator.
    Unary(UnaryOp, ExprId),
    /// A two-place operator.
    Binary(BinaryOp, ExprId, ExprId),
    /// A comparison of two values of one type.
    Compare(CompareOp, ExprId, ExprId),
    /// The second operand if the condition holds, else the third. Only the chosen one is evaluated.
    Ite(ExprId, ExprId, ExprId),
    /// Conversion as C's cast. To a narrower or unsigned integer: modulo. To a
    /// condition: whether the value differs from zero. Float to integer:
    /// towards zero. Between pointers and integers of any width: the address.
    Cast(Type, ExprId),
    /// A pointer moved by a number of bytes (of [`Target::offset_type`]).
    PointerAdd(ExprId, ExprId),
    /// The difference of two pointers in bytes, of [`Target::offset_type`].
    PointerDiff(ExprId, ExprId),
    /// A function on floats.
    FloatFn(FloatFn, ExprId),
    /// A test on a float.
    FloatTest(FloatTest, ExprId),
    /// Condition: the operation on signed operands leaves the range of their
    /// type. `Shl` counts too much or negative amounts, negative values and lost bits; `Div` and
    /// `Rem` the least value by -1.
    Overflows(BinaryOp, ExprId, ExprId),
    /// Condition: `size` bytes (of [`Target::size_type`]) from the pointer on
    /// lie within one live object.
    Valid { pointer: ExprId, size: ExprId, region: RegionId },
    /// Condition: the pointer is null or the start of a live heap object.
    Freeable { pointer: ExprId, region: RegionId },
    /// Condition: the pointer points into a static object that must not be written
    /// ([`StaticObject::constant`](crate::StaticObject::constant)).
    ReadOnly(ExprId),
    /// Condition: two pointers into different objects hold the same address. The interpreter knows; to
    /// formulas it may hold of any two objects.
    Coincide(ExprId, ExprId),
    /// The size in bytes of the object pointed into, of [`Target::size_type`]; 0 when there is none.
    ObjectSize(ExprId),
    /// Condition: some live heap object cannot be reached from any live pointer
    /// (`valid-memtrack`).
    Leaked,
    /// Condition: some heap object is live (`valid-memcleanup`).
    HeapInUse,
}

impl Expr {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + use<> {
        let (n, all) = match *self {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Null
            | Expr::Var(_)
            | Expr::Object(_)
            | Expr::Function(_)
            | Expr::Leaked
            | Expr::HeapInUse => (0, [ExprId::ZERO; 3]),
            Expr::Load(access) => (1, [access.pointer, ExprId::ZERO, ExprId::ZERO]),
            Expr::Unary(_, a)
            | Expr::Cast(_, a)
            | Expr::FloatFn(_, a)
            | Expr::FloatTest(_, a)
            | Expr::ObjectSize(a)
            | Expr::ReadOnly(a)
            | Expr::Freeable { pointer: a, .. } => (1, [a, ExprId::ZERO, ExprId::ZERO]),
            Expr::Binary(_, a, b)
            | Expr::Compare(_, a, b)
            | Expr::PointerAdd(a, b)
            | Expr::PointerDiff(a, b)
            | Expr::Overflows(_, a, b)
            | Expr::Coincide(a, b)
            | Expr::Valid { pointer: a, size: b, .. } => (2, [a, b, ExprId::ZERO]),
            Expr::Ite(a, b, c) => (3, [a, b, c]),
        };
        all.into_iter().take(n)
    }

    /// The same expression with each operand replaced.
    pub fn map_operands(&self, mut f: impl FnMut(ExprId) -> ExprId) -> Expr {
        match self.clone() {
            Expr::Load(access) => Expr::Load(Access { pointer: f(access.pointer), ..access }),
            Expr::Unary(op, a) => Expr::Unary(op, f(a)),
            Expr::Cast(ty, a) => Expr::Cast(ty, f(a)),
            Expr::FloatFn(op, a) => Expr::FloatFn(op, f(a)),
            Expr::FloatTest(op, a) => Expr::FloatTest(op, f(a)),
            Expr::ObjectSize(a) => Expr::ObjectSize(f(a)),
            Expr::ReadOnly(a) => Expr::ReadOnly(f(a)),
            Expr::Freeable { pointer, region } => Expr::Freeable { pointer: f(pointer), region },
            Expr::Binary(op, a, b) => Expr::Binary(op, f(a), f(b)),
            Expr::Compare(op, a, b) => Expr::Compare(op, f(a), f(b)),
            Expr::PointerAdd(a, b) => Expr::PointerAdd(f(a), f(b)),
            Expr::PointerDiff(a, b) => Expr::PointerDiff(f(a), f(b)),
            Expr::Overflows(op, a, b) => Expr::Overflows(op, f(a), f(b)),
            Expr::Coincide(a, b) => Expr::Coincide(f(a), f(b)),
            Expr::Valid { pointer, size, region } => {
                Expr::Valid { pointer: f(pointer), size: f(size), region }
            }
            Expr::Ite(a, b, c) => Expr::Ite(f(a), f(b), f(c)),
            leaf => leaf,
        }
    }
}

impl ExprId {
    /// Fills unused places of operand arrays.
    const ZERO: ExprId = ExprId(0);
}

/// All expressions of a program, each stored once.
#[derive(Clone, Debug)]
pub struct ExprPool {
    target: Target,
    nodes: Arena<ExprId, (Expr, Type)>,
    ids: HashMap<Expr, ExprId>,
}

impl ExprPool {
    /// An empty pool.
    pub fn new(target: Target) -> Self {
        ExprPool { target, nodes: Arena::new(), ids: HashMap::default() }
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The expression.
    #[inline]
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id].0
    }

    /// Its type.
    #[inline]
    pub fn type_of(&self, id: ExprId) -> Type {
        self.nodes[id].1
    }

    /// Stores a variable's value; variables carry their type from outside.
    pub fn var(&mut self, var: VarId, ty: Type) -> ExprId {
        self.insert(Expr::Var(var), ty)
    }

    /// Stores `expr` as it is and computes its type from its operands. Use
    /// [`var`](Self::var) for variables.
    pub fn intern(&mut self, expr: Expr) -> ExprId {
        let ty = match &expr {
            Expr::Int { bits, ty } => {
                debug_assert_eq!(*bits, ty.truncate(*bits));
                Type::Int(*ty)
            }
            Expr::Float { kind, .. } => Type::Float(*kind),
            Expr::Null | Expr::Object(_) | Expr::Function(_) | Expr::PointerAdd(..) => {
                Type::Pointer
            }
            Expr::Var(_) => match self.ids.get(&expr) {
                Some(&id) => return id,
                None => panic!("a variable enters the pool through ExprPool::var"),
            },
            Expr::Load(access) => access.ty,
            Expr::Unary(_, a) | Expr::FloatFn(_, a) | Expr::Binary(_, a, _) => self.type_of(*a),
            Expr::Ite(_, a, _) => self.type_of(*a),
            Expr::Cast(ty, _) => *ty,
            Expr::PointerDiff(..) => Type::Int(self.target.offset_type()),
            Expr::ObjectSize(_) => Type::Int(self.target.size_type()),
            Expr::Compare(..)
            | Expr::FloatTest(..)
            | Expr::Overflows(..)
            | Expr::Coincide(..)
            | Expr::ReadOnly(_)
            | Expr::Valid { .. }
            | Expr::Freeable { .. }
            | Expr::Leaked
            | Expr::HeapInUse => Type::BOOL,
        };
        self.insert(expr, ty)
    }

    fn insert(&mut self, expr: Expr, ty: Type) -> ExprId {
        if let Some(&id) = self.ids.get(&expr) {
            return id;
        }
        let id = self.nodes.push((expr.clone(), ty));
        self.ids.insert(expr, id);
        id
    }

    /// An integer constant; `value` is wrapped into the type.
    pub fn int(&mut self, value: i128, ty: IntType) -> ExprId {
        self.intern(Expr::Int { bits: ty.truncate(value as u128), ty })
    }

    /// The condition that always or never holds.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.int(i128::from(value), IntType::BOOL)
    }

    /// The negation of a condition; removes double negation and turns
    /// comparisons around where that is exact (not on floats).
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match *self.get(a) {
            Expr::Int { bits, ty } if ty == IntType::BOOL => self.bool(bits == 0),
            Expr::Unary(UnaryOp::Not, b) => b,
            Expr::Compare(CompareOp::Eq, x, y) => self.intern(Expr::Compare(CompareOp::Ne, x, y)),
            Expr::Compare(CompareOp::Ne, x, y) => self.intern(Expr::Compare(CompareOp::Eq, x, y)),
            Expr::Compare(op, x, y) if !matches!(self.type_of(x), Type::Float(_)) => {
                let turned = if op == CompareOp::Lt { CompareOp::Le } else { CompareOp::Lt };
                self.intern(Expr::Compare(turned, y, x))
            }
            _ => self.intern(Expr::Unary(UnaryOp::Not, a)),
        }
    }

    /// Conversion to `ty`; nothing where the type is that already.
    pub fn cast(&mut self, ty: Type, a: ExprId) -> ExprId {
        if self.type_of(a) == ty {
            return a;
        }
        match (self.get(a), ty) {
            (&Expr::Int { bits, ty: from }, Type::Int(to)) => {
                let bits = if to == IntType::BOOL {
                    u128::from(bits != 0)
                } else {
                    to.truncate(from.value(bits) as u128)
                };
                self.intern(Expr::Int { bits, ty: to })
            }
            (&Expr::Int { bits: 0, .. }, Type::Pointer) => self.intern(Expr::Null),
            _ => self.intern(Expr::Cast(ty, a)),
        }
    }

    /// The constant's value, where the expression is an integer constant.
    pub fn as_int(&self, a: ExprId) -> Option<i128> {
        match *self.get(a) {
            Expr::Int { bits, ty } => Some(ty.value(bits)),
            _ => None,
        }
    }
}

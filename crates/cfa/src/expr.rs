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

use crate::ids::{FunctionId, ObjectId, RegionId, VarId};
use crate::types::{FloatKind, IntType, Target, Type};
use bolide_base::arena::Id;
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

impl CompareOp {
    /// The comparison that holds where this one of `a` with `b` does not. Not for the orders of
    /// floats: neither holds where one is not a number.
    pub fn negated<T>(self, a: T, b: T) -> (CompareOp, T, T) {
        match self {
            CompareOp::Eq => (CompareOp::Ne, a, b),
            CompareOp::Ne => (CompareOp::Eq, a, b),
            CompareOp::Lt => (CompareOp::Le, b, a),
            CompareOp::Le => (CompareOp::Lt, b, a),
        }
    }

    /// Whether it asks for equality, not for an order.
    pub fn is_symmetric(self) -> bool {
        matches!(self, CompareOp::Eq | CompareOp::Ne)
    }
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

/// A function on floats that only the interpreter computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathFn {
    /// `fmod`.
    Modulo,
    /// `remainder`.
    Remainder,
    /// `fma`.
    MultiplyAdd,
    /// `scalbn`: the second argument is an integer.
    Scale,
    /// `nextafter`.
    NextAfter,
    /// `ilogb`: an integer.
    Exponent,
    /// What rounds in the direction that its first argument names.
    Directed(Directed),
}

/// Operations that round, in programs that choose the direction: its number, as `<fenv.h>` has it on x86, stands before the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Directed {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a / b`.
    Div,
    /// `fma`.
    MultiplyAdd,
    /// `sqrt`.
    Sqrt,
    /// `rint`.
    Whole,
    /// A float or an integer as a float.
    To(FloatKind),
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

impl Access {
    /// The access to a whole value somewhere in memory.
    pub fn of(pointer: ExprId, ty: Type) -> Access {
        Access { pointer, ty, bits: None, volatile: false, region: RegionId::ALL }
    }
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
    /// The value of a type that has the bit pattern of the operand: between floats and unsigned
    /// integers of their size.
    Pattern(Type, ExprId),
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
    /// Condition: two pointers point into the same object, wherever in it; or to none both, with any addresses.
    SameObject(ExprId, ExprId),
    /// The size in bytes of the object pointed into, of [`Target::size_type`]; 0 when there is none.
    ObjectSize(ExprId),
    /// How many bytes after the start of its object a pointer points, of [`Target::offset_type`]; its
    /// address when there is no object.
    Offset(ExprId),
    /// Condition: some live heap object cannot be reached from any live pointer
    /// (`valid-memtrack`).
    Leaked,
    /// Condition: some heap object is live (`valid-memcleanup`).
    HeapInUse,
}

/// Visits the operands of an expression in order, to read or to change them.
macro_rules! each_operand {
    ($expr:expr, $visit:expr) => {{
        let mut visit = $visit;
        match $expr {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Null
            | Expr::Var(_)
            | Expr::Object(_)
            | Expr::Function(_)
            | Expr::Leaked
            | Expr::HeapInUse => {}
            Expr::Load(Access { pointer: a, .. })
            | Expr::Unary(_, a)
            | Expr::Cast(_, a)
            | Expr::Pattern(_, a)
            | Expr::FloatFn(_, a)
            | Expr::FloatTest(_, a)
            | Expr::ObjectSize(a)
            | Expr::Offset(a)
            | Expr::ReadOnly(a)
            | Expr::Freeable { pointer: a, .. } => visit(a),
            Expr::Binary(_, a, b)
            | Expr::Compare(_, a, b)
            | Expr::PointerAdd(a, b)
            | Expr::PointerDiff(a, b)
            | Expr::Overflows(_, a, b)
            | Expr::Coincide(a, b)
            | Expr::SameObject(a, b)
            | Expr::Valid { pointer: a, size: b, .. } => {
                visit(a);
                visit(b);
            }
            Expr::Ite(a, b, c) => [a, b, c].into_iter().for_each(visit),
        }
    }};
}

impl Expr {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + use<> {
        let (mut n, mut all) = (0, [ExprId::ZERO; 3]);
        each_operand!(self, |e: &ExprId| {
            all[n] = *e;
            n += 1;
        });
        all.into_iter().take(n)
    }

    /// The same expression with each operand replaced.
    pub fn map_operands(&self, mut f: impl FnMut(ExprId) -> ExprId) -> Expr {
        let mut expr = self.clone();
        each_operand!(&mut expr, |e: &mut ExprId| *e = f(*e));
        expr
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

    /// All expressions, operands before what uses them.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.len()).map(ExprId::from_index)
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
            Expr::Cast(ty, _) | Expr::Pattern(ty, _) => *ty,
            Expr::PointerDiff(..) | Expr::Offset(_) => Type::Int(self.target.offset_type()),
            Expr::ObjectSize(_) => Type::Int(self.target.size_type()),
            Expr::Compare(..)
            | Expr::FloatTest(..)
            | Expr::Overflows(..)
            | Expr::Coincide(..)
            | Expr::SameObject(..)
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
            Expr::Compare(op, x, y)
                if op.is_symmetric() || !matches!(self.type_of(x), Type::Float(_)) =>
            {
                let (op, x, y) = op.negated(x, y);
                self.intern(Expr::Compare(op, x, y))
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

    /// A pointer without the constants that are added to it, and their sum.
    pub fn without_offset(&self, pointer: ExprId) -> (ExprId, i128) {
        let (mut base, mut offset) = (pointer, 0);
        while let Expr::PointerAdd(inner, by) = *self.get(base)
            && let Some(by) = self.as_int(by)
        {
            (base, offset) = (inner, offset + by);
        }
        (base, offset)
    }

    /// The value of a type all of whose bytes are zero.
    pub fn zero(&mut self, ty: Type) -> ExprId {
        self.intern(match ty {
            Type::Int(ty) => Expr::Int { bits: 0, ty },
            Type::Float(kind) => Expr::Float { bits: 0, kind },
            Type::Pointer => Expr::Null,
        })
    }

    /// Of a comparison that asks a condition, as `(int)c != 0` does: the condition, and which truth
    /// value of it makes the comparison hold.
    pub fn as_test(&self, op: CompareOp, a: ExprId, b: ExprId) -> Option<(ExprId, bool)> {
        let (inner, constant) = match (self.as_int(a), self.as_int(b)) {
            (None, Some(n)) => (a, n),
            (Some(n), None) => (b, n),
            _ => return None,
        };
        let condition = match *self.get(inner) {
            Expr::Cast(Type::Int(_), c) if self.type_of(c) == Type::BOOL => c,
            _ if self.type_of(inner) == Type::BOOL => inner,
            _ => return None,
        };
        match (op, constant) {
            (CompareOp::Ne, 0) | (CompareOp::Eq, 1) => Some((condition, true)),
            (CompareOp::Eq, 0) | (CompareOp::Ne, 1) => Some((condition, false)),
            _ => None,
        }
    }

    /// Whether one condition is the negation of the other, as written.
    pub fn are_opposite(&self, a: ExprId, b: ExprId) -> bool {
        match (self.get(a), self.get(b)) {
            (&Expr::Unary(UnaryOp::Not, x), _) if x == b => true,
            (_, &Expr::Unary(UnaryOp::Not, x)) if x == a => true,
            (&Expr::Compare(p, x, y), &Expr::Compare(q, v, w)) => {
                let (negated, x, y) = p.negated(x, y);
                let same = (x, y) == (v, w) || q.is_symmetric() && (x, y) == (w, v);
                let exact = q.is_symmetric() || !matches!(self.type_of(x), Type::Float(_));
                q == negated && same && exact
            }
            _ => false,
        }
    }
}

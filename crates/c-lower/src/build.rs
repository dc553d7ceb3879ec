//! Building expressions of the program: constants are folded as they arise, so
//! that a constant expression of C is a constant of the program and nothing
//! else needs to evaluate.
//!
//! Folding wraps signed results, as gcc does; the check for overflow is made
//! before and apart from it. Division by zero is left standing.

use crate::emission::Emission;
use crate::floats;
use bolide_cfa::{BinaryOp, CompareOp, Expr, ExprId, FloatTest, IntType, Type, UnaryOp, VarId};

impl Emission {
    /// An integer constant.
    pub fn int(&mut self, value: i128, ty: IntType) -> ExprId {
        self.program.exprs.int(value, ty)
    }

    /// A constant of the size type.
    pub fn size(&mut self, value: u64) -> ExprId {
        let ty = self.program.target.size_type();
        self.int(i128::from(value), ty)
    }

    /// A constant of the offset type.
    pub fn offset(&mut self, value: i128) -> ExprId {
        let ty = self.program.target.offset_type();
        self.int(value, ty)
    }

    /// The type of an expression.
    pub fn type_of(&self, e: ExprId) -> Type {
        self.program.exprs.type_of(e)
    }

    /// The value of an integer constant.
    pub fn as_int(&self, e: ExprId) -> Option<i128> {
        self.program.exprs.as_int(e)
    }

    /// The expression as an element of the program.
    pub fn expr(&mut self, e: Expr) -> ExprId {
        self.program.expr(e)
    }

    /// The value of a variable.
    pub fn read(&mut self, var: VarId) -> ExprId {
        self.program.read(var)
    }

    /// A zero of the type.
    pub fn zero(&mut self, ty: Type) -> ExprId {
        match ty {
            Type::Int(ty) => self.int(0, ty),
            Type::Float(kind) => self.expr(Expr::Float { bits: 0, kind }),
            Type::Pointer => self.expr(Expr::Null),
        }
    }

    fn const_bits(&self, e: ExprId) -> Option<u128> {
        match *self.program.exprs.get(e) {
            Expr::Int { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// Converts; folds constants.
    pub fn cast(&mut self, ty: Type, e: ExprId) -> ExprId {
        if self.type_of(e) == ty {
            return e;
        }
        match (self.program.exprs.get(e).clone(), ty) {
            (Expr::Int { bits, ty: from }, Type::Float(kind)) => {
                let bits = floats::from_int(bits, from, kind);
                self.expr(Expr::Float { bits, kind })
            }
            (Expr::Float { bits, kind }, Type::Float(to)) => {
                let bits = floats::convert(bits, kind, to);
                self.expr(Expr::Float { bits, kind: to })
            }
            (Expr::Float { bits, kind }, Type::Int(to)) => {
                if to == IntType::BOOL {
                    return self.bool(!floats::is_zero(bits, kind));
                }
                match floats::to_int(bits, kind, to) {
                    Some(bits) => self.expr(Expr::Int { bits, ty: to }),
                    None => self.program.exprs.cast(ty, e),
                }
            }
            (_, Type::Int(to)) if to == IntType::BOOL => self.truth(e),
            // Widening twice is widening once; a condition is never negative.
            (Expr::Cast(Type::Int(mid), inner), Type::Int(to)) => match self.type_of(inner) {
                Type::Int(from)
                    if from == IntType::BOOL
                        || (from.bits <= mid.bits
                            && (from.signed == mid.signed
                                || from.bits < mid.bits && !from.signed))
                            && mid != IntType::BOOL =>
                {
                    self.cast(Type::Int(to), inner)
                }
                _ => self.program.exprs.cast(ty, e),
            },
            (Expr::Null, Type::Int(to)) => self.int(0, to),
            // The old ways to write offsetof.
            (Expr::PointerAdd(base, offset), Type::Int(to))
                if self.const_bits(offset).is_some()
                    && matches!(self.program.exprs.get(base), Expr::Null) =>
            {
                self.cast(Type::Int(to), offset)
            }
            (Expr::Cast(Type::Pointer, inner), Type::Int(to))
                if self.const_bits(inner).is_some() =>
            {
                // An address as the pointer keeps it: cut to the width of pointers.
                let size = Type::Int(self.program.target.size_type());
                let address = self.cast(size, inner);
                self.cast(Type::Int(to), address)
            }
            _ => self.program.exprs.cast(ty, e),
        }
    }

    /// The condition that a scalar is not zero.
    pub fn truth(&mut self, e: ExprId) -> ExprId {
        match (self.program.exprs.get(e).clone(), self.type_of(e)) {
            (_, Type::BOOL) => e,
            (Expr::Int { bits, .. }, _) => self.bool(bits != 0),
            (Expr::Cast(Type::Int(_), inner), _) if self.type_of(inner) == Type::BOOL => inner,
            (Expr::Float { bits, kind }, _) => self.bool(!floats::is_zero(bits, kind)),
            (_, ty) => {
                let zero = self.zero(ty);
                self.compare(CompareOp::Ne, e, zero)
            }
        }
    }

    /// The negation of a condition.
    pub fn not(&mut self, e: ExprId) -> ExprId {
        self.program.exprs.not(e)
    }

    /// Both conditions (none of them is worth guarding).
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.const_bits(a), self.const_bits(b)) {
            (Some(0), _) | (_, Some(1)) => a,
            (Some(1), _) | (_, Some(0)) => b,
            _ => self.expr(Expr::Binary(BinaryOp::BitAnd, a, b)),
        }
    }

    /// A choice; folds a constant condition.
    pub fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return a;
        }
        match self.const_bits(c) {
            Some(0) => b,
            Some(_) => a,
            None => {
                if self.const_bits(a) == Some(1)
                    && self.const_bits(b) == Some(0)
                    && self.type_of(a) == Type::BOOL
                {
                    return c;
                }
                self.expr(Expr::Ite(c, a, b))
            }
        }
    }

    /// A comparison of two values of one type.
    pub fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprId {
        match (self.program.exprs.get(a).clone(), self.program.exprs.get(b).clone()) {
            (Expr::Int { bits: x, ty }, Expr::Int { bits: y, .. }) => {
                let less = if ty.signed { ty.value(x) < ty.value(y) } else { x < y };
                let result = match op {
                    CompareOp::Eq => x == y,
                    CompareOp::Ne => x != y,
                    CompareOp::Lt => less,
                    CompareOp::Le => less || x == y,
                };
                self.bool(result)
            }
            (Expr::Float { bits: x, kind }, Expr::Float { bits: y, .. }) => {
                let result = floats::compare(op, x, y, kind);
                self.bool(result)
            }
            (Expr::Null, Expr::Null) => self.bool(matches!(op, CompareOp::Eq | CompareOp::Le)),
            // The address of an object or function is never null.
            (Expr::Object(_) | Expr::Function(_), Expr::Null)
            | (Expr::Null, Expr::Object(_) | Expr::Function(_))
                if matches!(op, CompareOp::Eq | CompareOp::Ne) =>
            {
                self.bool(op == CompareOp::Ne)
            }
            (Expr::Object(x), Expr::Object(y)) if matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                self.bool((x == y) == (op == CompareOp::Eq))
            }
            _ => self.expr(Expr::Compare(op, a, b)),
        }
    }

    /// Minus or complement.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        match (self.program.exprs.get(a).clone(), op) {
            (Expr::Int { bits, ty }, UnaryOp::Neg) => {
                self.expr(Expr::Int { bits: ty.truncate(bits.wrapping_neg()), ty })
            }
            (Expr::Int { bits, ty }, UnaryOp::BitNot) => {
                self.expr(Expr::Int { bits: ty.truncate(!bits), ty })
            }
            (Expr::Float { bits, kind }, UnaryOp::Neg) => {
                let bits = floats::negate(bits, kind);
                self.expr(Expr::Float { bits, kind })
            }
            (_, UnaryOp::Not) => self.not(a),
            _ => self.expr(Expr::Unary(op, a)),
        }
    }

    /// An operator on two values of one type (shifts: the amount has its own).
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let folded = match (self.program.exprs.get(a).clone(), self.program.exprs.get(b).clone()) {
            (Expr::Int { bits: x, ty }, Expr::Int { bits: y, ty: amount }) => {
                fold_int(op, x, y, ty, amount).map(|bits| Expr::Int { bits, ty })
            }
            (Expr::Float { bits: x, kind }, Expr::Float { bits: y, .. }) => {
                floats::binary(op, x, y, kind).map(|bits| Expr::Float { bits, kind })
            }
            _ => None,
        };
        if let Some(folded) = folded {
            return self.expr(folded);
        }
        if let Type::Int(_) = self.type_of(a) {
            match (op, self.const_bits(a), self.const_bits(b)) {
                (BinaryOp::Add, Some(0), _) | (BinaryOp::Mul, Some(1), _) => return b,
                (BinaryOp::Add | BinaryOp::Sub, _, Some(0))
                | (BinaryOp::Mul | BinaryOp::Div, _, Some(1)) => return a,
                _ => {}
            }
        }
        self.expr(Expr::Binary(op, a, b))
    }

    /// A pointer moved by bytes of the offset type; constant moves join.
    pub fn pointer_add(&mut self, pointer: ExprId, offset: ExprId) -> ExprId {
        match self.const_bits(offset) {
            Some(0) => pointer,
            Some(_) => match *self.program.exprs.get(pointer) {
                Expr::PointerAdd(base, inner) if self.const_bits(inner).is_some() => {
                    let sum = self.binary(BinaryOp::Add, inner, offset);
                    self.pointer_add(base, sum)
                }
                Expr::Cast(Type::Pointer, address) if self.const_bits(address).is_some() => {
                    let size = self.program.target.size_type();
                    let address = self.cast(Type::Int(size), address);
                    let offset = self.cast(Type::Int(size), offset);
                    let sum = self.binary(BinaryOp::Add, address, offset);
                    self.cast(Type::Pointer, sum)
                }
                _ => self.expr(Expr::PointerAdd(pointer, offset)),
            },
            None => self.expr(Expr::PointerAdd(pointer, offset)),
        }
    }

    /// A test on a float.
    pub fn float_test(&mut self, test: FloatTest, a: ExprId) -> ExprId {
        match *self.program.exprs.get(a) {
            Expr::Float { bits, kind } => self.bool(floats::test(test, bits, kind)),
            _ => self.expr(Expr::FloatTest(test, a)),
        }
    }

    /// The difference of two pointers in bytes.
    pub fn pointer_diff(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let split = |this: &Self, e: ExprId| match *this.program.exprs.get(e) {
            Expr::PointerAdd(base, k) => match this.as_int(k) {
                Some(k) => (base, k),
                None => (e, 0),
            },
            _ => (e, 0),
        };
        let ((x, i), (y, j)) = (split(self, a), split(self, b));
        if x == y && matches!(self.program.exprs.get(x), Expr::Null | Expr::Object(_)) {
            return self.offset(i - j);
        }
        self.expr(Expr::PointerDiff(a, b))
    }

    /// A pointer moved by a constant number of bytes.
    pub fn pointer_add_bytes(&mut self, pointer: ExprId, bytes: u64) -> ExprId {
        let offset = self.offset(i128::from(bytes));
        self.pointer_add(pointer, offset)
    }
}

fn fold_int(op: BinaryOp, x: u128, y: u128, ty: IntType, amount: IntType) -> Option<u128> {
    let shift = || {
        let by = amount.value(y);
        // Too large or negative amounts are undefined; left standing.
        (0..i128::from(ty.bits)).contains(&by).then_some(by as u32)
    };
    let bits = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div | BinaryOp::Rem if y == 0 => return None,
        BinaryOp::Div if ty.signed => ty.value(x).wrapping_div(ty.value(y)) as u128,
        BinaryOp::Div => x / y,
        BinaryOp::Rem if ty.signed => ty.value(x).wrapping_rem(ty.value(y)) as u128,
        BinaryOp::Rem => x % y,
        BinaryOp::Shl => x << shift()?,
        BinaryOp::Shr if ty.signed => (ty.value(x) >> shift()?) as u128,
        BinaryOp::Shr => x >> shift()?,
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
    };
    Some(ty.truncate(bits))
}

/// Whether the signed operation on constants leaves the range of the type.
pub fn overflows(op: BinaryOp, x: i128, y: i128, ty: IntType) -> Option<bool> {
    let outside = |v: Option<i128>| v.is_none_or(|v| v < ty.min() || v > ty.max());
    Some(match op {
        BinaryOp::Add => outside(x.checked_add(y)),
        BinaryOp::Sub => outside(x.checked_sub(y)),
        BinaryOp::Mul => outside(x.checked_mul(y)),
        BinaryOp::Div | BinaryOp::Rem => y == -1 && x == ty.min(),
        BinaryOp::Shl => x < 0 || y < 0 || y >= i128::from(ty.bits) || x > ty.max() >> y,
        _ => return None,
    })
}

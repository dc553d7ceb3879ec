//! Building expressions of the program: constants are folded as they arise, so
//! that a constant expression of C is a constant of the program and nothing
//! else needs to evaluate.
//!
//! Folding wraps signed results, as gcc does; the check for overflow is made
//! before and apart from it. Division by zero is left standing.

use crate::emission::Emission;
use bolide_cfa::value::{self, Value, float};
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
        self.program.exprs.zero(ty)
    }

    /// The value of a constant.
    pub fn constant(&self, e: ExprId) -> Option<Value> {
        Value::of(self.program.exprs.get(e))
    }

    /// The value as an expression, or else `otherwise`.
    fn literal(&mut self, value: Option<Value>, otherwise: Expr) -> ExprId {
        let literal = value.and_then(Value::literal);
        self.expr(literal.unwrap_or(otherwise))
    }

    /// The expression, or its value where its operands are constants.
    fn folded(&mut self, expr: Expr) -> ExprId {
        let value = value::expression(&expr, |e| self.constant(e), self.program.target);
        self.literal(value, expr)
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
        match (self.constant(e), ty) {
            (Some(Value::Float { bits, kind }), Type::Int(to))
                if to != IntType::BOOL && !float::fits(bits, kind, to) =>
            {
                return self.program.exprs.cast(ty, e);
            }
            (Some(_), Type::Int(_) | Type::Float(_)) => return self.folded(Expr::Cast(ty, e)),
            _ => {}
        }
        match (self.program.exprs.get(e).clone(), ty) {
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
            _ if self.constant(e).is_some() => self.folded(Expr::Cast(Type::BOOL, e)),
            (Expr::Cast(Type::Int(_), inner), _) if self.type_of(inner) == Type::BOOL => inner,
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

    /// One of two conditions; the second one counts where the first does not hold.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let always = self.bool(true);
        self.ite(a, always, b)
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
            _ => self.folded(Expr::Compare(op, a, b)),
        }
    }

    /// Minus or complement.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        match op {
            UnaryOp::Not => self.not(a),
            _ => self.folded(Expr::Unary(op, a)),
        }
    }

    /// An operator on two values of one type (shifts: the amount has its own).
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let folded = match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => fold(op, x, y),
            _ => None,
        };
        if folded.is_some() {
            return self.literal(folded, Expr::Binary(op, a, b));
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
        self.folded(Expr::FloatTest(test, a))
    }

    /// The difference of two pointers in bytes.
    pub fn pointer_diff(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        let ((x, i), (y, j)) = (exprs.without_offset(a), exprs.without_offset(b));
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

/// What an operator makes of constants; none where that is undefined.
fn fold(op: BinaryOp, x: Value, y: Value) -> Option<Value> {
    let (Some(a), Some(b), Type::Int(ty)) = (x.as_int(), y.as_int(), x.ty()) else {
        let is_nan = |v: Value| value::float_test(FloatTest::IsNan, v) == Ok(true);
        let result = value::binary(op, x, y).ok()?;
        // What is not a number has no sign to the compiler, to the machine it is negative.
        let is_new = is_nan(result) && !is_nan(x) && !is_nan(y);
        return if is_new { value::unary(UnaryOp::Neg, result).ok() } else { Some(result) };
    };
    let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    if is_shift && !(0..i128::from(ty.bits)).contains(&b) {
        return None;
    }
    // Wide enough that the least value by -1 does not trap; what is too large wraps.
    let wide = IntType { bits: 128, signed: ty.signed };
    let result = value::binary(op, Value::int(a, wide), Value::int(b, wide)).ok()?;
    Some(Value::int(result.bits() as i128, ty))
}

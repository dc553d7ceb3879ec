//! Conversions and operators on values.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::input::Fallible;
use crate::types::{CType, TyId, TypeStore};
use crate::value::{Operand, Operation, Value};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{BinaryOp, CompareOp, Expr, ExprId, IntType, Op, Property, Type, UnaryOp, value};

impl TypeStore {
    /// The width of a bit-field that no promotion reaches: gcc computes in exactly this width.
    pub fn wide(&self, ty: TyId, width: Option<u8>) -> Option<u8> {
        let bits = self.int_type(ty)?.bits;
        width.filter(|&width| width > 32 && width < bits)
    }

    /// The type, with the width of bit-fields, in which gcc combines two promoted operands: the
    /// more precise one, of two that are as precise an unsigned one.
    fn combined(&mut self, a: &Operand, b: &Operand) -> Option<(TyId, Option<u8>)> {
        let (x, y) = (self.int_type(a.ty), self.int_type(b.ty));
        let (Some(x), Some(y)) = (x, y) else {
            return self.usual(a.ty, b.ty).map(|ty| (ty, None));
        };
        if a.width.is_none() && b.width.is_none() {
            return self.usual(a.ty, b.ty).map(|ty| (ty, None));
        }
        let (p, q) = (a.width.unwrap_or(x.bits), b.width.unwrap_or(y.bits));
        let first = p > q || p == q && !x.signed;
        Some(if first { (a.ty, a.width) } else { (b.ty, b.width) })
    }
}

/// What an operator of C does to numbers of one type.
pub fn machine_operator(op: ast::BinaryOp) -> BinaryOp {
    use ast::BinaryOp as B;
    match op {
        B::Mul => BinaryOp::Mul,
        B::Div => BinaryOp::Div,
        B::Rem => BinaryOp::Rem,
        B::Add => BinaryOp::Add,
        B::Sub => BinaryOp::Sub,
        B::Shl => BinaryOp::Shl,
        B::Shr => BinaryOp::Shr,
        B::BitAnd => BinaryOp::BitAnd,
        B::BitXor => BinaryOp::BitXor,
        _ => BinaryOp::BitOr,
    }
}

impl Emission {
    /// A comparison of C.
    pub fn relate(&mut self, op: ast::BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        use ast::BinaryOp as B;
        match op {
            B::Eq => self.compare(CompareOp::Eq, a, b),
            B::Ne => self.compare(CompareOp::Ne, a, b),
            B::Lt => self.compare(CompareOp::Lt, a, b),
            B::Le => self.compare(CompareOp::Le, a, b),
            B::Gt => self.compare(CompareOp::Lt, b, a),
            _ => self.compare(CompareOp::Le, b, a),
        }
    }

    fn cannot_overflow(&self, op: BinaryOp, a: ExprId, b: ExprId, ty: IntType) -> bool {
        let (x, y) = (self.bounds(a), self.bounds(b));
        let inside = |v: Option<i128>| v.is_some_and(|v| v >= ty.min() && v <= ty.max());
        let (Some((a0, a1)), Some((b0, b1))) = (x, y) else { return false };
        match op {
            BinaryOp::Add => inside(a0.checked_add(b0)) && inside(a1.checked_add(b1)),
            BinaryOp::Sub => inside(a0.checked_sub(b1)) && inside(a1.checked_sub(b0)),
            BinaryOp::Mul => [(a0, b0), (a0, b1), (a1, b0), (a1, b1)]
                .into_iter()
                .all(|(p, q)| inside(p.checked_mul(q))),
            BinaryOp::Div | BinaryOp::Rem => a0 > ty.min() || !(b0..=b1).contains(&-1),
            _ => false,
        }
    }

    /// What the type of a converted operand, or its value, says of its range.
    fn bounds(&self, e: ExprId) -> Option<(i128, i128)> {
        match *self.program.exprs.get(e) {
            Expr::Int { bits, ty } => Some((ty.value(bits), ty.value(bits))),
            Expr::Cast(Type::Int(to), inner) => match self.type_of(inner) {
                Type::Int(from)
                    if from.bits < to.bits
                        || (from.bits == to.bits && from.signed == to.signed) =>
                {
                    // A negative value becomes large in an unsigned type.
                    (to.signed || !from.signed).then(|| (from.min(), from.max()))
                }
                _ => None,
            },
            _ => match self.type_of(e) {
                Type::Int(ty) => Some((ty.min(), ty.max())),
                _ => None,
            },
        }
    }

    /// An index times a size, in bytes of the offset type.
    pub fn scaled(&mut self, index: ExprId, size: ExprId, minus: bool) -> ExprId {
        let ty = Type::Int(self.program.target.offset_type());
        let index = self.cast(ty, index);
        let size = if minus { self.unary(UnaryOp::Neg, size) } else { size };
        self.binary(BinaryOp::Mul, index, size)
    }

    /// A value that arrives in a leaf: a bit-field keeps its bits only.
    pub fn cut_to_leaf(&mut self, value: ExprId, leaf: &crate::types::leaves::Leaf) -> ExprId {
        match (leaf.bits, leaf.scalar) {
            (Some(bits), Type::Int(ty)) => self.truncate_bits(value, ty, bits.width),
            _ => value,
        }
    }

    /// Cuts a value to the width of a bit-field of the type.
    pub fn truncate_bits(&mut self, value: ExprId, ty: IntType, width: u8) -> ExprId {
        if width >= ty.bits || ty == IntType::BOOL {
            return value;
        }
        let mask = (1i128 << width) - 1;
        if !ty.signed {
            let mask = self.int(mask, ty);
            return self.binary(BinaryOp::BitAnd, value, mask);
        }
        // The usual trick: shift the range to start at zero, cut, shift back,
        // in the unsigned type so that nothing overflows.
        let unsigned = IntType::unsigned(ty.bits);
        let half = self.int(1i128 << (width - 1), unsigned);
        let mask = self.int(mask, unsigned);
        let value = self.cast(Type::Int(unsigned), value);
        let value = self.binary(BinaryOp::Add, value, half);
        let value = self.binary(BinaryOp::BitAnd, value, mask);
        let value = self.binary(BinaryOp::Sub, value, half);
        self.cast(Type::Int(ty), value)
    }
}

impl Lowerer<'_> {
    /// The scalar expression of an operand, for callers that know it is one.
    pub fn expect_scalar(&self, operand: &Operand, span: Span) -> Fallible<ExprId> {
        match operand.value {
            Value::Scalar(e) => Ok(e),
            _ => self.error(
                span,
                format!("expected a scalar value, found `{}`", self.types.spell(operand.ty)),
            ),
        }
    }

    /// Converts a scalar between C types.
    pub fn convert(&mut self, value: ExprId, _from: TyId, to: TyId) -> ExprId {
        match self.types.scalar(to) {
            Some(ty) => self.out.cast(ty, value),
            None => value,
        }
    }

    /// Converts an operand as by assignment.
    pub fn convert_operand(&mut self, operand: Operand, to: TyId, span: Span) -> Fallible<Operand> {
        if self.types.is_void(to) {
            return Ok(Operand::new(to, Value::Void));
        }
        if self.types.lanes(operand.ty).is_some() || self.types.lanes(to).is_some() {
            return self.convert_lanes(operand, to, span);
        }
        match operand.value {
            Value::Scalar(e) if self.types.scalar(to).is_some() => {
                let (from_pointer, to_float) = (
                    self.types.is_pointer(operand.ty),
                    matches!(self.types.get(to), CType::Float(_)),
                );
                let (from_float, to_pointer) = (
                    matches!(self.types.get(operand.ty), CType::Float(_)),
                    self.types.is_pointer(to),
                );
                if from_pointer && to_float || from_float && to_pointer {
                    return self.mismatch(operand.ty, to, span);
                }
                let value = self.convert(e, operand.ty, to);
                Ok(Operand::scalar(to, value))
            }
            Value::Leaves(_) | Value::Memory(_)
                if self.types.is_record(to) && self.types.compatible(operand.ty, to) =>
            {
                Ok(Operand { ty: to, ..operand })
            }
            // A cast of a member's type to a union that has it (GNU), and the like.
            _ => self.mismatch(operand.ty, to, span),
        }
    }

    pub fn mismatch<T>(&self, from: TyId, to: TyId, span: Span) -> Fallible<T> {
        self.error(
            span,
            format!(
                "a value of type `{}` cannot become `{}`",
                self.types.spell(from),
                self.types.spell(to)
            ),
        )
    }

    /// Promotes an integer; others stay.
    pub fn promoted(&mut self, operand: Operand) -> Operand {
        let ty = self.types.promote(operand.ty, operand.width);
        match operand.value {
            Value::Scalar(e) if ty != operand.ty => {
                let value = self.convert(e, operand.ty, ty);
                Operand::scalar(ty, value)
            }
            _ => Operand { width: self.types.wide(ty, operand.width), ..operand },
        }
    }

    /// Converts a promoted operand to what [`TypeStore::combined`] gave.
    fn combine(
        &mut self,
        operand: &Operand,
        to: (TyId, Option<u8>),
        span: Span,
    ) -> Fallible<ExprId> {
        let e = self.expect_scalar(operand, span)?;
        let e = self.convert(e, operand.ty, to.0);
        Ok(self.cut_to_width(e, to))
    }

    /// Cuts a result to the width of the bit-fields that it was computed from.
    fn cut_to_width(&mut self, value: ExprId, (ty, width): (TyId, Option<u8>)) -> ExprId {
        match (width, self.types.int_type(ty)) {
            (Some(width), Some(int)) => self.out.truncate_bits(value, int, width),
            _ => value,
        }
    }

    /// `-a`, `~a`, `+a`.
    pub fn unary_arithmetic(
        &mut self,
        op: ast::UnaryOp,
        operand: Operand,
        span: Span,
    ) -> Fallible<Operand> {
        if self.types.lanes(operand.ty).is_some() {
            return self.lane_unary(op, operand, span);
        }
        if !self.types.is_arithmetic(operand.ty) {
            return self.error(
                span,
                format!(
                    "`{}` needs a number, found `{}`",
                    op.symbol(),
                    self.types.spell(operand.ty)
                ),
            );
        }
        let operand = self.promoted(operand);
        let e = self.expect_scalar(&operand, span)?;
        let value = match op {
            ast::UnaryOp::Plus => e,
            ast::UnaryOp::BitNot => {
                if !self.types.is_integer(operand.ty) {
                    return self.error(span, "`~` needs an integer");
                }
                self.out.unary(UnaryOp::BitNot, e)
            }
            _ => {
                if let Some(int) = self.types.int_type(operand.ty).filter(|t| t.signed) {
                    let zero = self.out.int(0, int);
                    self.check_overflow(BinaryOp::Sub, zero, e, int, span);
                }
                self.out.unary(UnaryOp::Neg, e)
            }
        };
        let to = (operand.ty, operand.width);
        let value = self.cut_to_width(value, to);
        Ok(Operand { ty: operand.ty, value: Value::Scalar(value), width: operand.width })
    }

    /// Emits the check that signed arithmetic stays in range.
    pub fn check_overflow(&mut self, op: BinaryOp, a: ExprId, b: ExprId, ty: IntType, span: Span) {
        if self.out.is_dead() {
            return;
        }
        let known = match (self.out.constant(a), self.out.constant(b)) {
            (Some(x), Some(y)) => value::overflows(op, x, y).ok(),
            _ => None,
        };
        if !self.input.checks(Property::NoOverflow) {
            // A constant that overflows is folded; the run must see that it did.
            if known == Some(true) {
                let value = self.out.expr(Expr::Binary(op, a, b));
                let target = self.out.temporary(Type::Int(ty));
                self.out.emit(Op::Assign { target, value });
            }
            return;
        }
        let bad = match known {
            Some(known) => self.out.bool(known),
            // Heuristic: what the types of the operands exclude needs no edge.
            None if self.out.cannot_overflow(op, a, b, ty) => self.out.bool(false),
            None => self.out.expr(Expr::Overflows(op, a, b)),
        };
        let ok = self.out.not(bad);
        self.check(Property::NoOverflow, ok, span, |this| {
            format!("`{}` overflows", this.input.snippet(span))
        });
    }

    /// Emits the check that a divisor is not zero.
    pub fn check_divisor(&mut self, divisor: ExprId, span: Span) {
        if self.input.checks(Property::DivByZero) {
            let ok = self.out.truth(divisor);
            self.check(Property::DivByZero, ok, span, |this| {
                format!("`{}` divides by zero", this.input.snippet(span))
            });
        }
    }

    /// An operator of two operands that are values; not `&&` and `||`.
    pub fn binary(&mut self, operation: Operation) -> Fallible<Operand> {
        let Operation { op, left, right, span } = operation;
        use ast::BinaryOp as B;
        if self.types.lanes(left.ty).is_some() || self.types.lanes(right.ty).is_some() {
            return self.lane_binary(Operation { op, left, right, span });
        }
        let (lp, rp) = (self.types.is_pointer(left.ty), self.types.is_pointer(right.ty));
        match op {
            B::Lt | B::Gt | B::Le | B::Ge | B::Eq | B::Ne => {
                self.comparison(Operation { op, left, right, span })
            }
            B::Add if lp => self.pointer_offset(left, right, false, span),
            B::Add if rp => self.pointer_offset(right, left, false, span),
            B::Sub if lp && rp => self.pointer_difference(left, right, span),
            B::Sub if lp => self.pointer_offset(left, right, true, span),
            B::Shl | B::Shr => self.shift(Operation { op, left, right, span }),
            _ => {
                let (left, right) = (self.promoted(left), self.promoted(right));
                let Some(to) = self.types.combined(&left, &right) else {
                    return self.bad_operands(op, &left, &right, span);
                };
                let ty = to.0;
                let a = self.combine(&left, to, span)?;
                let b = self.combine(&right, to, span)?;
                match self.types.int_type(ty) {
                    Some(int) => self.check_arithmetic(machine_operator(op), a, b, int, span),
                    None if matches!(op, B::Add | B::Sub | B::Mul | B::Div) => {}
                    None => return self.bad_operands(op, &left, &right, span),
                }
                let value = self.out.binary(machine_operator(op), a, b);
                let value = self.cut_to_width(value, to);
                Ok(Operand { ty, value: Value::Scalar(value), width: to.1 })
            }
        }
    }

    pub fn bad_operands<T>(
        &self,
        op: ast::BinaryOp,
        left: &Operand,
        right: &Operand,
        span: Span,
    ) -> Fallible<T> {
        self.error(
            span,
            format!(
                "`{}` cannot combine `{}` and `{}`",
                op.symbol(),
                self.types.spell(left.ty),
                self.types.spell(right.ty)
            ),
        )
    }

    fn shift(&mut self, operation: Operation) -> Fallible<Operand> {
        let Operation { op, left, right, span } = operation;
        let (left, right) = (self.promoted(left), self.promoted(right));
        let (Some(int), Some(amount)) =
            (self.types.int_type(left.ty), self.types.int_type(right.ty))
        else {
            return self.bad_operands(op, &left, &right, span);
        };
        let a = self.expect_scalar(&left, span)?;
        let b = self.expect_scalar(&right, span)?;
        self.check_shift(machine_operator(op), a, (b, amount), int, span);
        let value = self.out.binary(machine_operator(op), a, b);
        let value = self.cut_to_width(value, (left.ty, left.width));
        Ok(Operand { ty: left.ty, value: Value::Scalar(value), width: left.width })
    }

    /// The checks of an operator on integers, which is not a shift.
    pub fn check_arithmetic(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        int: IntType,
        span: Span,
    ) {
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            self.check_divisor(b, span);
        }
        if int.signed && !matches!(op, BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr) {
            self.check_overflow(op, a, b, int, span);
        }
    }

    /// The checks of a shift by an amount of a type.
    pub fn check_shift(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        by: (ExprId, IntType),
        int: IntType,
        span: Span,
    ) {
        self.check_amount(by.0, by.1, int, span);
        if int.signed && op == BinaryOp::Shl {
            self.check_overflow(op, a, by.0, int, span);
        }
    }

    /// Emits the check that what is shifted has more bits than it is shifted by. That a left shift
    /// keeps a signed value in its type is a matter of overflow, which also counts the amount.
    pub fn check_amount(&mut self, by: ExprId, amount: IntType, shifted: IntType, span: Span) {
        if !self.input.checks(Property::ValidShift) || self.out.is_dead() {
            return;
        }
        let width = i128::from(shifted.bits);
        let mut ok = self.out.bool(true);
        if width <= amount.max() {
            let width = self.out.int(width, amount);
            ok = self.out.compare(CompareOp::Lt, by, width);
        }
        if amount.signed {
            let zero = self.out.int(0, amount);
            let positive = self.out.compare(CompareOp::Le, zero, by);
            ok = self.out.and(positive, ok);
        }
        self.check(Property::ValidShift, ok, span, |this| {
            format!(
                "`{}` shifts by a negative amount or by too many bits",
                this.input.snippet(span)
            )
        });
    }

    fn comparison(&mut self, operation: Operation) -> Fallible<Operand> {
        let Operation { op, left, right, span } = operation;
        use ast::BinaryOp as B;
        let pointer = self.types.is_pointer(left.ty) || self.types.is_pointer(right.ty);
        if matches!(op, B::Eq | B::Ne)
            && let Some(same) = self.same_records(&left, &right)
        {
            let condition = if op == B::Eq { same } else { self.out.not(same) };
            let value = self.out.cast(Type::signed(32), condition);
            return Ok(Operand::scalar(self.types.int(), value));
        }
        let (a, b) = if pointer {
            if !matches!(op, B::Eq | B::Ne) {
                self.note_distance(left.ty, span);
            }
            let a = self.expect_scalar(&left, span)?;
            let b = self.expect_scalar(&right, span)?;
            (self.out.cast(Type::Pointer, a), self.out.cast(Type::Pointer, b))
        } else {
            let (left, right) = (self.promoted(left), self.promoted(right));
            let Some(to) = self.types.combined(&left, &right) else {
                return self.bad_operands(op, &left, &right, span);
            };
            (self.combine(&left, to, span)?, self.combine(&right, to, span)?)
        };
        let condition = self.out.relate(op, a, b);
        let value = self.out.cast(Type::signed(32), condition);
        Ok(Operand::scalar(self.types.int(), value))
    }

    /// The size of what a pointer points to, as an expression of the offset type.
    pub fn pointee_size(&mut self, pointer: TyId, span: Span) -> Fallible<ExprId> {
        let Some(to) = self.types.pointee(pointer) else {
            return self.error(span, "expected a pointer");
        };
        let size = self.size_expr(to.ty, span)?;
        let offset = Type::Int(self.out.program.target.offset_type());
        Ok(self.out.cast(offset, size))
    }

    /// `pointer + index` or `pointer - index`.
    pub fn pointer_offset(
        &mut self,
        pointer: Operand,
        index: Operand,
        minus: bool,
        span: Span,
    ) -> Fallible<Operand> {
        if !self.types.is_integer(index.ty) {
            return self.error(
                span,
                format!("a pointer cannot be moved by `{}`", self.types.spell(index.ty)),
            );
        }
        let p = self.expect_scalar(&pointer, span)?;
        let i = self.expect_scalar(&index, span)?;
        let size = self.pointee_size(pointer.ty, span)?;
        let offset = self.out.scaled(i, size, minus);
        let value = self.out.pointer_add(p, offset);
        Ok(Operand::scalar(pointer.ty, value))
    }

    fn pointer_difference(
        &mut self,
        left: Operand,
        right: Operand,
        span: Span,
    ) -> Fallible<Operand> {
        let a = self.expect_scalar(&left, span)?;
        let b = self.expect_scalar(&right, span)?;
        let size = self.pointee_size(left.ty, span)?;
        self.note_distance(left.ty, span);
        let builder = &mut self.out;
        let bytes = builder.pointer_diff(a, b);
        let value = builder.binary(BinaryOp::Div, bytes, size);
        Ok(Operand::scalar(self.types.ptrdiff_t(), value))
    }

    /// The size of a type as an expression of the size type.
    pub fn size_expr(&mut self, ty: TyId, span: Span) -> Fallible<ExprId> {
        use crate::types::ArrayLen;
        if let Some(record) = self.types.as_record(ty) {
            self.tell_notes_of_record(record);
        }
        if let Some(size) = self.types.size(ty) {
            return Ok(self.out.size(size));
        }
        match self.types.get(ty) {
            CType::Array(of, ArrayLen::Variable(var)) => {
                let (of, var) = (of.ty, *var);
                let element = self.size_expr(of, span)?;
                let count = self.length(var, span)?;
                Ok(self.out.binary(BinaryOp::Mul, count, element))
            }
            CType::Array(of, ArrayLen::Fixed(n)) => {
                let (of, n) = (of.ty, *n);
                let element = self.size_expr(of, span)?;
                let count = self.out.size(n);
                Ok(self.out.binary(BinaryOp::Mul, count, element))
            }
            _ => self.error(span, format!("the size of `{}` is not known", self.types.spell(ty))),
        }
    }
}

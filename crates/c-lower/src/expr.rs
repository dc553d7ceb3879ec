//! Expressions: their values, their effects, and constants among them.

use crate::condition::Targets;
use crate::context::{Fallible, Lowerer};
use crate::floats;
use crate::types::{ArrayLen, CType, IntKind, QualType, TyId};
use crate::value::{Operand, Value, Where};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp, ExprKind, FloatSuffix, UnaryOp};
use bolide_cfa::{Expr, ExprId, FloatKind, IntType, LocId, Type};
use std::rc::Rc;

impl Lowerer<'_> {
    /// The value of an expression; arrays and functions decay.
    pub fn rvalue(&mut self, e: ast::ExprId) -> Fallible<Operand> {
        let span = self.ast().exprs[e].span;
        self.deeper(span, |this| this.rvalue_here(e))
    }

    pub fn rvalue_here(&mut self, e: ast::ExprId) -> Fallible<Operand> {
        let unit = self.ast();
        let expr = &unit.exprs[e];
        let span = expr.span;
        match &expr.kind {
            ExprKind::Integer { value, format } => self.integer_constant(*value, *format, span),
            ExprKind::Char { value, encoding } => {
                let ty = match encoding {
                    ast::Encoding::Plain | ast::Encoding::Wide => self.types.int(),
                    ast::Encoding::Utf8 => self.types.int_kind(IntKind::UChar),
                    ast::Encoding::Utf16 => self.types.int_kind(IntKind::UShort),
                    ast::Encoding::Utf32 => self.types.int_kind(IntKind::UInt),
                };
                let value = self.int_of(i128::from(*value), ty);
                Ok(Operand::scalar(ty, value))
            }
            ExprKind::Float { text, suffix, is_imaginary } => {
                if *is_imaginary {
                    return self.unsupported(span, "complex numbers are");
                }
                self.float_constant(*text, *suffix, span)
            }
            ExprKind::Bool(value) => {
                let value = self.bool(*value);
                Ok(Operand::scalar(self.types.bool(), value))
            }
            ExprKind::Nullptr => {
                let void = self.types.void();
                let ty = self.types.pointer(void);
                let value = self.program.expr(Expr::Null);
                Ok(Operand::scalar(ty, value))
            }
            ExprKind::Name(_)
            | ExprKind::String(_)
            | ExprKind::FunctionName
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => {
                let place = self.designate(e)?;
                self.read(&place, span)
            }
            ExprKind::Generic { control, arms } => {
                let chosen = self.generic_arm(*control, arms, span)?;
                self.rvalue(chosen)
            }
            ExprKind::Choose { condition, then, otherwise } => {
                let (value, _) = self.constant_int(*condition)?;
                self.rvalue(if value != 0 { *then } else { *otherwise })
            }
            ExprKind::Unary { op, operand } => self.unary_expr(*op, *operand, span),
            ExprKind::Binary {
                op: op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
                left,
                right,
            } => self.logical(*op, *left, *right),
            ExprKind::Binary { .. } => self.binary_chain(e),
            ExprKind::Assign { op: None, target, value } => {
                self.simple_assignment(*target, *value, span, true)
            }
            ExprKind::Assign { op: Some(op), target, value } => {
                self.compound_assignment(*op, *target, *value, span, true)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(*condition, *then, *otherwise, span)
            }
            ExprKind::Comma { left, right } => {
                self.effect(*left)?;
                self.rvalue(*right)
            }
            ExprKind::Cast { ty, operand } => self.cast_expr(*ty, *operand, span),
            ExprKind::SizeofExpr(operand) => self.sizeof_expr(*operand, span),
            ExprKind::SizeofType(ty) => {
                let ty = self.type_name(*ty)?;
                self.sizeof_type(ty.ty, span)
            }
            ExprKind::AlignofExpr(operand) => {
                let (ty, align) = self.alignment_of_expr(*operand)?;
                let align = if align != 0 { align } else { self.types.align_qualified(ty) };
                self.size_operand(align)
            }
            ExprKind::AlignofType(ty) => {
                let ty = self.type_name(*ty)?;
                let align = self.types.align_qualified(ty);
                self.size_operand(align)
            }
            ExprKind::Call { callee, arguments } => self.call(*callee, arguments, span, true),
            ExprKind::StmtExpr(body) => self.statement_expr(*body, span),
            ExprKind::LabelAddress(_) => self.unsupported(span, "the address of a label is"),
            ExprKind::VaArg { list, ty } => self.va_arg(*list, *ty, span),
            ExprKind::Offsetof { ty, path } => self.offset_of(*ty, path, span),
            ExprKind::TypesCompatible { left, right } => {
                let (a, b) = (self.type_name(*left)?, self.type_name(*right)?);
                let value = self.types.compatible(a.ty, b.ty);
                let int = self.types.int();
                let value = self.int_of(i128::from(value), int);
                Ok(Operand::scalar(int, value))
            }
            ExprKind::ConvertVector { .. } => self.unsupported(span, "vector types are"),
        }
    }

    /// Evaluates an expression for its effects only.
    pub fn effect(&mut self, e: ast::ExprId) -> Fallible<()> {
        let unit = self.ast();
        let span = unit.exprs[e].span;
        match &unit.exprs[e].kind {
            ExprKind::Assign { op: None, target, value } => self
                .deeper(span, |this| this.simple_assignment(*target, *value, span, false))
                .map(drop),
            ExprKind::Assign { op: Some(op), target, value } => self
                .deeper(span, |this| this.compound_assignment(*op, *target, *value, span, false))
                .map(drop),
            ExprKind::Unary {
                op:
                    op @ (UnaryOp::PreIncrement
                    | UnaryOp::PreDecrement
                    | UnaryOp::PostIncrement
                    | UnaryOp::PostDecrement),
                operand,
            } => self.deeper(span, |this| this.increment(*op, *operand, span, false)).map(drop),
            ExprKind::Call { callee, arguments } => {
                self.deeper(span, |this| this.call(*callee, arguments, span, false)).map(drop)
            }
            ExprKind::Comma { left, right } => self.deeper(span, |this| {
                this.effect(*left)?;
                this.effect(*right)
            }),
            ExprKind::Cast { ty, operand } => {
                self.type_name(*ty)?;
                self.deeper(span, |this| this.effect(*operand))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.deeper(span, |this| this.conditional_effect(*condition, *then, *otherwise))
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
                left,
                right,
            } => self.deeper(span, |this| {
                let (second, end) = (this.location(), this.location());
                let operator = this.span(span);
                let targets = if *op == BinaryOp::LogicalAnd {
                    Targets::new(second, end, operator)
                } else {
                    Targets::new(end, second, operator)
                };
                this.branch_on(*left, targets)?;
                this.resume(second);
                this.effect(*right)?;
                this.goto(end);
                this.resume(end);
                Ok(())
            }),
            ExprKind::StmtExpr(body) => self.deeper(span, |this| {
                let origin = this.f.origin;
                this.statement(*body)?;
                this.f.origin = origin;
                Ok(())
            }),
            _ => self.rvalue(e).map(drop),
        }
    }

    fn conditional_effect(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
    ) -> Fallible<()> {
        let origin = self.f.origin;
        let (yes, no, end) = (self.location(), self.location(), self.location());
        let span = self.ast().exprs[condition].span;
        self.branch_on(condition, Targets::new(yes, no, self.span(span)))?;
        self.resume(yes);
        self.f.origin = origin;
        if let Some(then) = then {
            self.effect(then)?;
        }
        self.goto(end);
        self.resume(no);
        self.f.origin = origin;
        self.effect(otherwise)?;
        self.goto(end);
        self.resume(end);
        Ok(())
    }

    /// An integer constant of a C type.
    pub fn int_of(&mut self, value: i128, ty: TyId) -> ExprId {
        let int = self.types.int_type(ty).unwrap_or(IntType::signed(32));
        self.b().int(value, int)
    }

    fn integer_constant(
        &mut self,
        value: u64,
        format: ast::IntegerFormat,
        span: Span,
    ) -> Fallible<Operand> {
        if format.is_imaginary {
            return self.unsupported(span, "complex numbers are");
        }
        use IntKind::*;
        let order: &[(IntKind, u8)] =
            &[(Int, 0), (UInt, 0), (Long, 1), (ULong, 1), (LongLong, 2), (ULongLong, 2)];
        // C11 6.4.4.1: the first type in which the value fits.
        let fits = |kind: IntKind| {
            let ty = self.types.machine(kind);
            i128::from(value) <= ty.max()
        };
        let kind = order
            .iter()
            .filter(|&&(kind, longs)| {
                longs >= format.longs
                    && (format.is_unsigned || !format.is_decimal || kind.is_signed())
                    && !(format.is_unsigned && kind.is_signed())
            })
            .map(|&(kind, _)| kind)
            .find(|&kind| fits(kind))
            .unwrap_or(if format.is_decimal && !format.is_unsigned { Int128 } else { ULongLong });
        let ty = self.types.int_kind(kind);
        let value = self.int_of(i128::from(value), ty);
        Ok(Operand::scalar(ty, value))
    }

    fn float_constant(
        &mut self,
        text: ast::Symbol,
        suffix: FloatSuffix,
        span: Span,
    ) -> Fallible<Operand> {
        let kind = match suffix {
            FloatSuffix::Double | FloatSuffix::Float64 | FloatSuffix::Float32x => FloatKind::F64,
            FloatSuffix::Float | FloatSuffix::Float32 => FloatKind::F32,
            FloatSuffix::LongDouble | FloatSuffix::Float64x => FloatKind::F80,
            FloatSuffix::Float128 => FloatKind::F128,
            FloatSuffix::Float16
            | FloatSuffix::Decimal32
            | FloatSuffix::Decimal64
            | FloatSuffix::Decimal128 => {
                return self.unsupported(span, "decimal and half floats are");
            }
        };
        let text = self.text(text);
        let Some(bits) = floats::parse(text, kind) else {
            return self.error(span, format!("`{text}` is not a floating constant"));
        };
        let ty = self.types.float(kind);
        let value = self.program.expr(Expr::Float { bits, kind });
        Ok(Operand::scalar(ty, value))
    }

    fn unary_expr(&mut self, op: UnaryOp, operand: ast::ExprId, span: Span) -> Fallible<Operand> {
        match op {
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                let value = self.rvalue(operand)?;
                self.unary_arithmetic(op, value, span)
            }
            UnaryOp::Not => {
                let condition = self.condition(operand)?;
                let negated = self.b().not(condition);
                let value = self.b().cast(Type::signed(32), negated);
                Ok(Operand::scalar(self.types.int(), value))
            }
            UnaryOp::AddressOf => {
                let place = self.designate(operand)?;
                let pointer = self.address(&place, span)?;
                let ty = self.types.pointer(place.ty);
                Ok(Operand::scalar(ty, pointer))
            }
            UnaryOp::Deref => {
                let pointer = self.rvalue(operand)?;
                let place = self.dereference(pointer, span)?;
                self.read(&place, span)
            }
            UnaryOp::PreIncrement
            | UnaryOp::PreDecrement
            | UnaryOp::PostIncrement
            | UnaryOp::PostDecrement => self.increment(op, operand, span, true),
            UnaryOp::Real | UnaryOp::Imag => self.unsupported(span, "complex numbers are"),
        }
    }

    /// A chain of left-associative operators, from the innermost left operand on.
    fn binary_chain(&mut self, e: ast::ExprId) -> Fallible<Operand> {
        let unit = self.ast();
        let mut spine: Vec<(BinaryOp, ast::ExprId, Span)> = Vec::new();
        let mut first = e;
        while let ExprKind::Binary { op, left, right } = unit.exprs[first].kind {
            if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
                break;
            }
            spine.push((op, right, unit.exprs[first].span));
            first = left;
        }
        let mut left = self.rvalue(first)?;
        let mut plain = matches!(unit.exprs[first].kind, ExprKind::Name(_));
        for (op, right, span) in spine.into_iter().rev() {
            if self.has_effect(right) && !(plain && self.reads_late(op, &left)) {
                left = self.save_operand(left);
            }
            let value = self.rvalue(right)?;
            left = self.binary(op, left, value, span)?;
            plain = false;
        }
        Ok(left)
    }

    /// gcc puts a plain variable on the right of a commutative operator, so it
    /// is read after the other operand was evaluated.
    fn reads_late(&self, op: BinaryOp, left: &Operand) -> bool {
        let commutes = !matches!(
            op,
            BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr
        );
        commutes && self.types.promote(left.ty, left.width) == left.ty
    }

    fn cast_expr(
        &mut self,
        ty: ast::TypeNameId,
        operand: ast::ExprId,
        span: Span,
    ) -> Fallible<Operand> {
        let to = self.type_name(ty)?;
        if self.types.is_void(to.ty) {
            self.effect(operand)?;
            return Ok(Operand { ty: to.ty, value: Value::Void, width: None });
        }
        let value = self.rvalue(operand)?;
        if let (Some(record), Value::Scalar(_)) = (self.types.as_record(to.ty), &value.value)
            && self.types.records[record].is_union
        {
            return self.cast_to_union(value, to, span);
        }
        self.convert_operand(value, to.ty, span)
    }

    /// GNU: a value becomes the union member of its type.
    fn cast_to_union(&mut self, value: Operand, to: QualType, span: Span) -> Fallible<Operand> {
        let Some(record) = self.types.as_record(to.ty) else {
            return self.error(span, "not a union");
        };
        let fields = self.types.records[record].fields.clone();
        let Some(index) = fields.iter().position(|f| self.types.compatible(f.ty.ty, value.ty))
        else {
            return self.error(span, "the union has no member of this type");
        };
        let pointer = self.allocate_local("union", to, Span::NONE, 0)?;
        let place = crate::lvalue::memory(to, pointer, self.types.size(to.ty));
        let member = self.project(place, index, span)?;
        self.write(&member, value.value, span)?;
        Ok(Operand { ty: to.ty, value: Value::Memory(pointer), width: None })
    }

    /// `c ? a : b`, also `c ?: b`.
    fn conditional(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        span: Span,
    ) -> Fallible<Operand> {
        let Some(then) = then else { return self.elvis(condition, otherwise, span) };
        let edges = self.needs_edges(then) || self.needs_edges(otherwise);
        if !edges || self.f.cur.is_none() {
            let condition = self.condition(condition)?;
            if let Some(known) = self.program.exprs.as_int(condition) {
                // The type depends on both, the value on one.
                let (chosen, other) =
                    if known != 0 { (then, otherwise) } else { (otherwise, then) };
                let other = self.unevaluated(|this| this.rvalue(other))?;
                let chosen = self.rvalue(chosen)?;
                let ty = self.common_type(&chosen, &other, span)?;
                return self.convert_operand(chosen, ty, span);
            }
            let a = self.rvalue(then)?;
            let b = self.rvalue(otherwise)?;
            let ty = self.common_type(&a, &b, span)?;
            let a = self.convert_operand(a, ty, span)?;
            let b = self.convert_operand(b, ty, span)?;
            return self.choose(condition, a, b, ty);
        }
        let origin = self.f.origin;
        let (yes, no) = (self.location(), self.location());
        let condition_span = self.ast().exprs[condition].span;
        self.branch_on(condition, Targets::new(yes, no, self.span(condition_span)))?;
        self.resume(yes);
        self.f.origin = origin;
        let a = self.rvalue(then)?;
        let a = self.settle(a);
        let after_a = self.f.cur.take();
        self.resume(no);
        self.f.origin = origin;
        let b = self.rvalue(otherwise)?;
        let b = self.settle(b);
        let after_b = self.f.cur.take();
        self.f.origin = origin;
        self.join(a, after_a, b, after_b, span)
    }

    /// Values that live in globals for a moment are saved.
    fn settle(&mut self, operand: Operand) -> Operand {
        match operand.value {
            Value::Leaves(_) => self.save_operand(operand),
            _ => operand,
        }
    }

    /// Joins two branches, each with its value and the place where it ends.
    fn join(
        &mut self,
        a: Operand,
        after_a: Option<LocId>,
        b: Operand,
        after_b: Option<LocId>,
        span: Span,
    ) -> Fallible<Operand> {
        let ty = self.common_type(&a, &b, span)?;
        let end = self.location();
        if self.types.is_void(ty) {
            for after in [after_a, after_b] {
                self.f.cur = after;
                self.goto(end);
            }
            self.resume(end);
            return Ok(Operand { ty, value: Value::Void, width: None });
        }
        if self.types.is_record(ty) && self.types.leaves(ty).is_none() {
            let var = self.temporary(Type::Pointer);
            for (operand, after) in [(a, after_a), (b, after_b)] {
                self.f.cur = after;
                if let Value::Memory(pointer) = operand.value {
                    self.assign(var, pointer);
                }
                self.goto(end);
            }
            self.resume(end);
            let pointer = self.program.read(var);
            return Ok(Operand { ty, value: Value::Memory(pointer), width: None });
        }
        // The temporaries of dead code must not be shared with live code.
        self.f.cur = after_a.or(after_b);
        let leaves = self.types.leaves(ty);
        let scalars: Vec<Type> = match &leaves {
            Some(leaves) => leaves.iter().map(|l| l.scalar).collect(),
            None => vec![],
        };
        let vars: Vec<_> = scalars.into_iter().map(|t| self.temporary(t)).collect();
        for (operand, after) in [(a, after_a), (b, after_b)] {
            self.f.cur = after;
            let operand = self.convert_operand(operand, ty, span)?;
            let values = self.value_leaves(ty, operand.value);
            for (&var, &value) in vars.iter().zip(values.iter()) {
                self.assign(var, value);
            }
            self.goto(end);
        }
        self.resume(end);
        let values: Rc<[ExprId]> = vars.into_iter().map(|v| self.program.read(v)).collect();
        let value =
            if self.types.is_record(ty) { Value::Leaves(values) } else { Value::Scalar(values[0]) };
        Ok(Operand { ty, value, width: None })
    }

    fn choose(&mut self, condition: ExprId, a: Operand, b: Operand, ty: TyId) -> Fallible<Operand> {
        let value = match (a.value, b.value) {
            (Value::Scalar(x), Value::Scalar(y)) => Value::Scalar(self.b().ite(condition, x, y)),
            (Value::Memory(x), Value::Memory(y)) => Value::Memory(self.b().ite(condition, x, y)),
            (Value::Void, _) | (_, Value::Void) => Value::Void,
            (x, y) => {
                let (x, y) = (self.value_leaves(ty, x), self.value_leaves(ty, y));
                let pairs: Vec<_> = x.iter().copied().zip(y.iter().copied()).collect();
                Value::Leaves(
                    pairs.into_iter().map(|(x, y)| self.b().ite(condition, x, y)).collect(),
                )
            }
        };
        Ok(Operand { ty, value, width: None })
    }

    /// `a ?: b`.
    fn elvis(&mut self, a: ast::ExprId, b: ast::ExprId, span: Span) -> Fallible<Operand> {
        let first = self.rvalue(a)?;
        let first = self.save_operand(first);
        let value = self.expect_scalar(&first, span)?;
        let condition = self.b().truth(value);
        if let Some(known) = self.program.exprs.as_int(condition) {
            let second =
                if known != 0 { self.unevaluated(|this| this.rvalue(b))? } else { self.rvalue(b)? };
            let ty = self.common_type(&first, &second, span)?;
            return self.convert_operand(if known != 0 { first } else { second }, ty, span);
        }
        if !self.needs_edges(b) || self.f.cur.is_none() {
            let second = self.rvalue(b)?;
            let ty = self.common_type(&first, &second, span)?;
            let x = self.convert_operand(first, ty, span)?;
            let y = self.convert_operand(second, ty, span)?;
            return self.choose(condition, x, y, ty);
        }
        let origin = self.f.origin;
        let (yes, no) = (self.location(), self.location());
        self.branch(condition, Targets::new(yes, no, self.span(span)));
        self.resume(no);
        self.f.origin = origin;
        let second = self.rvalue(b)?;
        let second = self.settle(second);
        let after_b = self.f.cur.take();
        self.resume(yes);
        let after_a = self.f.cur.take();
        self.f.origin = origin;
        self.join(first, after_a, second, after_b, span)
    }

    /// The type of `c ? a : b` (C11 6.5.15).
    fn common_type(&mut self, a: &Operand, b: &Operand, span: Span) -> Fallible<TyId> {
        if self.types.is_arithmetic(a.ty) && self.types.is_arithmetic(b.ty) {
            let x = self.types.promote(a.ty, a.width);
            let y = self.types.promote(b.ty, b.width);
            if let Some(ty) = self.types.usual(x, y) {
                return Ok(ty);
            }
        }
        let (void_a, void_b) = (self.types.is_void(a.ty), self.types.is_void(b.ty));
        if void_a || void_b {
            return Ok(self.types.void());
        }
        match (self.types.is_pointer(a.ty), self.types.is_pointer(b.ty)) {
            (true, true) => {
                let null = |this: &Self, o: &Operand| matches!(o.value, Value::Scalar(e) if matches!(this.program.exprs.get(e), Expr::Null));
                let is_void = |this: &Self, t: TyId| {
                    this.types.pointee(t).is_some_and(|p| this.types.is_void(p.ty))
                };
                // A null pointer constant takes the other's type; void * wins over others.
                if is_void(self, a.ty) && null(self, a) {
                    return Ok(b.ty);
                }
                if is_void(self, b.ty) && null(self, b) {
                    return Ok(a.ty);
                }
                Ok(if is_void(self, b.ty) { b.ty } else { a.ty })
            }
            (true, false) if self.types.is_integer(b.ty) => Ok(a.ty),
            (false, true) if self.types.is_integer(a.ty) => Ok(b.ty),
            _ if self.types.is_record(a.ty) && self.types.compatible(a.ty, b.ty) => Ok(a.ty),
            _ => self.error(
                span,
                format!(
                    "`{}` and `{}` have no common type",
                    self.types.spell(a.ty),
                    self.types.spell(b.ty)
                ),
            ),
        }
    }

    /// `({ ... })`: the value of the last expression statement.
    fn statement_expr(&mut self, body: ast::StmtId, span: Span) -> Fallible<Operand> {
        let unit = self.ast();
        let ast::StmtKind::Compound(items) = &unit.stmts[body].kind else {
            return self.error(span, "a statement expression without a block");
        };
        if !self.f.active {
            return self.error(span, "a statement expression outside of a function");
        }
        let origin = self.f.origin;
        let open = self.open_block(unit.stmts[body].span);
        let mut result = Operand { ty: self.types.void(), value: Value::Void, width: None };
        for (i, &item) in items.iter().enumerate() {
            if i + 1 == items.len() {
                let mut last = item;
                // Labels before the last expression do not hide its value.
                while let ast::StmtKind::Label { body, .. } = unit.stmts[last].kind {
                    last = body;
                }
                if let ast::StmtKind::Expr(e) = unit.stmts[last].kind
                    && last == item
                {
                    self.f.origin.span = self.span(unit.stmts[item].span);
                    let value = self.rvalue(e)?;
                    result = self.save_operand_outside(value, open_scope(&open));
                    break;
                }
            }
            self.statement(item)?;
        }
        self.close_block(open);
        self.f.origin = origin;
        Ok(result)
    }

    /// Saves a value so that it outlives the present scope.
    fn save_operand_outside(&mut self, operand: Operand, outer: crate::jump::ScopeId) -> Operand {
        let inner = std::mem::replace(&mut self.f.scope, outer);
        let saved = self.save_operand(operand);
        self.f.scope = inner;
        saved
    }

    /// Runs `body` where nothing is executed: for types and constants.
    pub fn unevaluated<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let cur = self.f.cur.take();
        let origin = self.f.origin;
        self.f.unevaluated += 1;
        let result = body(self);
        self.f.unevaluated -= 1;
        self.f.cur = cur;
        self.f.origin = origin;
        result
    }

    /// The type of an expression that is not evaluated; arrays do not decay.
    pub fn type_of_expr(&mut self, e: ast::ExprId) -> Fallible<QualType> {
        self.unevaluated(|this| this.designate(e)).map(|place| place.ty)
    }

    fn sizeof_expr(&mut self, operand: ast::ExprId, span: Span) -> Fallible<Operand> {
        let place = self.unevaluated(|this| this.designate(operand))?;
        if place.bits.is_some() {
            return self.error(span, "`sizeof` of a bit-field");
        }
        let mut ty = place.ty.ty;
        if let Where::Value(Value::Scalar(_)) = place.at {
            ty = place.ty.ty;
        }
        self.sizeof_type(ty, span)
    }

    fn sizeof_type(&mut self, ty: TyId, span: Span) -> Fallible<Operand> {
        let value = self.size_expr(ty, span)?;
        Ok(Operand::scalar(self.types.size_t(), value))
    }

    fn size_operand(&mut self, value: u64) -> Fallible<Operand> {
        let value = self.b().size(value);
        Ok(Operand::scalar(self.types.size_t(), value))
    }

    fn alignment_of_expr(&mut self, e: ast::ExprId) -> Fallible<(QualType, u64)> {
        let align = match self.ast().exprs[e].kind {
            ExprKind::Name(name) => match self.names[self.unit].get(name) {
                Some(crate::scope::Binding::Global(id)) => self.globals[id].align,
                _ => 0,
            },
            _ => 0,
        };
        Ok((self.type_of_expr(e)?, align))
    }

    /// `offsetof(type, a.b[1])`.
    fn offset_of(
        &mut self,
        ty: ast::TypeNameId,
        path: &[ast::Designator],
        span: Span,
    ) -> Fallible<Operand> {
        let ty = self.type_name(ty)?;
        let null = self.program.expr(Expr::Null);
        let mut place = crate::lvalue::memory(ty, null, None);
        for step in path {
            match step.kind {
                ast::DesignatorKind::Field(name) => {
                    let name = self.text(name);
                    place = self.member(place, name, step.span)?;
                }
                ast::DesignatorKind::Index(index) => {
                    let CType::Array(of, _) = *self.types.get(place.ty.ty) else {
                        return self.error(step.span, "not an array");
                    };
                    let index = self.rvalue(index)?;
                    let index = self.expect_scalar(&index, step.span)?;
                    let size = self.size_expr(of.ty, step.span)?;
                    let offset_ty = Type::Int(self.program.target.offset_type());
                    let size = self.b().cast(offset_ty, size);
                    let offset = self.scaled(index, size, false);
                    let pointer = self.address(&place, step.span)?;
                    let pointer = self.b().pointer_add(pointer, offset);
                    place = crate::lvalue::memory(of, pointer, None);
                }
                ast::DesignatorKind::Range(..) => {
                    return self.error(step.span, "a range in `offsetof`");
                }
            }
        }
        let pointer = self.address(&place, span)?;
        let size = Type::Int(self.program.target.size_type());
        let value = self.b().cast(size, pointer);
        Ok(Operand::scalar(self.types.size_t(), value))
    }

    /// The arm of `_Generic` that the type of `control` selects.
    pub fn generic_arm(
        &mut self,
        control: ast::ExprId,
        arms: &[ast::GenericArm],
        span: Span,
    ) -> Fallible<ast::ExprId> {
        let ty = self.unevaluated(|this| this.rvalue(control))?.ty;
        let mut default = None;
        for arm in arms {
            match arm.ty {
                None => default = Some(arm.value),
                Some(name) => {
                    let arm_ty = self.type_name(name)?;
                    if !arm_ty.is_const
                        && !arm_ty.is_volatile
                        && self.types.compatible(ty, arm_ty.ty)
                    {
                        return Ok(arm.value);
                    }
                }
            }
        }
        match default {
            Some(value) => Ok(value),
            None => {
                self.error(span, format!("no arm of `_Generic` is for `{}`", self.types.spell(ty)))
            }
        }
    }

    // Constants.

    /// An integer constant expression with its type.
    pub fn constant_int(&mut self, e: ast::ExprId) -> Fallible<(i128, TyId)> {
        match self.try_constant_int(e)? {
            Some(value) => Ok(value),
            None => {
                let span = self.ast().exprs[e].span;
                self.error(span, "expected an integer constant")
            }
        }
    }

    /// The value if the expression is an integer constant.
    pub fn try_constant_int(&mut self, e: ast::ExprId) -> Fallible<Option<(i128, TyId)>> {
        let operand = self.unevaluated(|this| this.rvalue(e))?;
        if !self.types.is_integer(operand.ty) {
            return Ok(None);
        }
        let Value::Scalar(value) = operand.value else { return Ok(None) };
        Ok(self.program.exprs.as_int(value).map(|v| (v, operand.ty)))
    }

    /// `_Static_assert`.
    pub fn static_assert(&mut self, assert: &ast::StaticAssert) -> Fallible<()> {
        let (value, _) = self.constant_int(assert.condition)?;
        if value == 0 {
            let text = match assert.message {
                Some(id) => format!(": {}", self.ast().strings[id].text()),
                None => String::new(),
            };
            return self.error(assert.span, format!("static assertion failed{text}"));
        }
        Ok(())
    }

    // Strings.

    /// The object of a string literal and its array type. Equal literals share
    /// one object, as gcc makes them.
    pub fn string_object(&mut self, literal: &ast::StringLiteral) -> (bolide_cfa::ObjectId, TyId) {
        let kind = match literal.encoding {
            ast::Encoding::Plain | ast::Encoding::Utf8 => IntKind::Char,
            ast::Encoding::Utf16 => IntKind::UShort,
            ast::Encoding::Utf32 => IntKind::UInt,
            ast::Encoding::Wide => IntKind::Int,
        };
        let of = self.types.int_kind(kind);
        let len = literal.units.len() as u64 + 1;
        let ty = self.types.array(of.into(), ArrayLen::Fixed(len));
        let int = self.types.machine(kind);
        let key = (int.bits, literal.units.clone());
        if let Some(&object) = self.strings.get(&key) {
            return (object, ty);
        }
        let width = u64::from(int.bits / 8);
        let mut initial = Vec::new();
        for (i, &unit) in literal.units.iter().enumerate() {
            if unit != 0 {
                let value = self.b().int(i128::from(unit), int);
                initial.push(bolide_cfa::InitialValue {
                    offset: i as u64 * width,
                    bits: None,
                    value,
                });
            }
        }
        let span = self.span(literal.span);
        let name = format!("string#{}", self.strings.len() + 1);
        let object = self.program.objects.push(bolide_cfa::StaticObject {
            name,
            size: len * width,
            align: width,
            initial,
            constant: true,
            external: false,
            span,
        });
        self.strings.insert(key, object);
        (object, ty)
    }
}

fn open_scope(open: &crate::jump::OpenBlock) -> crate::jump::ScopeId {
    open.outer()
}

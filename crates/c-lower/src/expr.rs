//! Expressions: their values and their effects.

use crate::condition::Targets;
use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::{CType, IntKind, QualType};
use crate::value::{Operand, Operation, Site, Value};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};
use bolide_cfa::{Expr, Type};

impl Lowerer<'_> {
    /// The value of an expression; arrays and functions decay.
    pub fn rvalue(&mut self, e: ast::ExprId) -> Fallible<Operand> {
        let span = self.input.ast().exprs[e].span;
        self.deeper(span, |this| this.rvalue_here(e))
    }

    // Long: one flat match over the kinds of expressions.
    pub fn rvalue_here(&mut self, e: ast::ExprId) -> Fallible<Operand> {
        let unit = self.input.ast();
        let expr = &unit.exprs[e];
        let span = expr.span;
        if self.is_acsl()
            && matches!(expr.kind, ExprKind::Binary { .. } | ExprKind::Conditional { .. })
            || self.is_acsl()
                && matches!(expr.kind, ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::BitNot, .. })
        {
            return self.operand_of_term(e);
        }
        match &expr.kind {
            ExprKind::Integer { value, format } => self.integer_constant(*value, *format, span),
            ExprKind::Char { value, encoding } => {
                let kind = match encoding {
                    ast::Encoding::Plain | ast::Encoding::Wide => IntKind::Int,
                    ast::Encoding::Utf8 => IntKind::UChar,
                    ast::Encoding::Utf16 => IntKind::UShort,
                    ast::Encoding::Utf32 => IntKind::UInt,
                };
                Ok(self.int_operand(i128::from(*value), self.types.int_kind(kind)))
            }
            ExprKind::Float { text, suffix, is_imaginary } => {
                let operand = self.float_constant(*text, *suffix, span)?;
                if *is_imaginary { self.imaginary(operand, span) } else { Ok(operand) }
            }
            ExprKind::Bool(value) => {
                let value = self.out.bool(*value);
                Ok(Operand::scalar(self.types.bool(), value))
            }
            ExprKind::Nullptr => {
                let void = self.types.void();
                let ty = self.types.pointer(void);
                let value = self.out.expr(Expr::Null);
                Ok(Operand::scalar(ty, value))
            }
            ExprKind::Name(_)
            | ExprKind::String(_)
            | ExprKind::FunctionName
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Unary { op: UnaryOp::Deref | UnaryOp::Real | UnaryOp::Imag, .. } => {
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
            ExprKind::Binary { op, left, right } => {
                match self.compared_objects(*op, *left, *right, span)? {
                    Some(operand) => Ok(operand),
                    None => self.binary_chain(e),
                }
            }
            ExprKind::Assign { op: None, target, value } => {
                self.simple_assignment(*target, *value, Site::value(span))
            }
            ExprKind::Assign { op: Some(op), target, value } => {
                self.compound_assignment(*op, *target, *value, Site::value(span))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(*condition, *then, *otherwise, span)
            }
            ExprKind::Comma { left, right } => {
                self.effect(*left)?;
                self.watch_comma();
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
            ExprKind::AlignofType { ty, preferred } => self.alignof_type(*ty, *preferred),
            ExprKind::Call { callee, arguments } => {
                self.call(*callee, arguments, Site::value(span))
            }
            ExprKind::StmtExpr(body) => self.statement_expr(*body, span),
            ExprKind::LabelAddress(label) => self.label_address(*label, span),
            ExprKind::VaArg { list, ty } => self.va_arg(*list, *ty, span),
            ExprKind::Offsetof { ty, path } => self.offset_of(*ty, path, span),
            ExprKind::TypesCompatible { left, right } => {
                let (a, b) = (self.type_name(*left)?, self.type_name(*right)?);
                // Enums without a tag are compatible only across files.
                let is_enum = |ty| matches!(self.types.get(ty), CType::Enum(_));
                let value = a.ty == b.ty
                    || self.types.compatible(a.ty, b.ty) && !(is_enum(a.ty) && is_enum(b.ty));
                Ok(self.int_operand(i128::from(value), self.types.int()))
            }
            ExprKind::ConvertVector { operand, ty } => self.convert_vector(*operand, *ty, span),
            ExprKind::Quantified { .. } => {
                let condition = self.formula(e, crate::contract::state::Use::Value)?;
                let value = self.out.cast(Type::signed(32), condition);
                Ok(Operand::scalar(self.types.int(), value))
            }
        }
    }

    fn alignof_type(&mut self, name: ast::TypeNameId, preferred: bool) -> Fallible<Operand> {
        let atomic = self.input.ast().type_names[name].specifiers.qualifiers.is_atomic;
        let ty = self.type_name(name)?;
        let mut align = self.types.align_qualified(ty);
        // On 32 bits the ABI aligns wide scalars to four bytes only, which
        // gcc improves upon where it may choose.
        let wide = self.types.scalar(ty.ty).is_some() && ty.align == 0 && align > 4;
        if self.out.program.target.pointer_bits == 32 && wide && !preferred && !atomic {
            align = 4;
        }
        self.size_operand(align)
    }

    /// Evaluates an expression for its effects only.
    pub fn effect(&mut self, e: ast::ExprId) -> Fallible<()> {
        let span = self.input.ast().exprs[e].span;
        self.deeper(span, |this| this.effect_here(e, span))
    }

    fn effect_here(&mut self, e: ast::ExprId, span: Span) -> Fallible<()> {
        let site = Site::effect(span);
        match &self.input.ast().exprs[e].kind {
            ExprKind::Assign { op: None, target, value } => {
                self.simple_assignment(*target, *value, site).map(drop)
            }
            ExprKind::Assign { op: Some(op), target, value } => {
                self.compound_assignment(*op, *target, *value, site).map(drop)
            }
            ExprKind::Unary { op, operand } if op.is_step() => {
                self.increment(*op, *operand, site).map(drop)
            }
            ExprKind::Call { callee, arguments } => self.call(*callee, arguments, site).map(drop),
            ExprKind::Comma { left, right } => {
                self.effect(*left)?;
                self.effect(*right)
            }
            ExprKind::Cast { ty, operand } => {
                self.type_name(*ty)?;
                self.effect(*operand)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional_effect(*condition, *then, *otherwise)
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
                left,
                right,
            } => {
                let (second, end) = (self.out.location(), self.out.location());
                let operator = self.input.span(span);
                let targets = if *op == BinaryOp::LogicalAnd {
                    Targets::new(second, end, operator)
                } else {
                    Targets::new(end, second, operator)
                };
                self.branch_on(*left, targets)?;
                self.out.resume(second);
                self.effect(*right)?;
                self.out.join(end);
                Ok(())
            }
            ExprKind::StmtExpr(body) => {
                let origin = self.out.at.origin;
                self.statement(*body)?;
                self.out.at.origin = origin;
                Ok(())
            }
            _ => self.rvalue_here(e).map(drop),
        }
    }

    fn unary_expr(&mut self, op: UnaryOp, operand: ast::ExprId, span: Span) -> Fallible<Operand> {
        match op {
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                let value = self.rvalue(operand)?;
                self.unary_arithmetic(op, value, span)
            }
            UnaryOp::Not => {
                let condition = self.condition(operand)?;
                let negated = self.out.not(condition);
                let value = self.out.cast(Type::signed(32), negated);
                Ok(Operand::scalar(self.types.int(), value))
            }
            UnaryOp::AddressOf => {
                let place = self.designate(operand)?;
                let pointer = self.input.address(&place, span)?;
                let ty = self.types.pointer(place.ty);
                Ok(Operand::scalar(ty, pointer))
            }
            UnaryOp::Deref | UnaryOp::Real | UnaryOp::Imag => self.error(span, "this is a place"),
            _ => self.increment(op, operand, Site::value(span)),
        }
    }

    /// A chain of left-associative operators, from the innermost left operand on.
    fn binary_chain(&mut self, e: ast::ExprId) -> Fallible<Operand> {
        let unit = self.input.ast();
        let mut spine: Vec<(BinaryOp, ast::ExprId, ast::ExprId, Span)> = Vec::new();
        let mut first = e;
        while let ExprKind::Binary { op, left, right } = unit.exprs[first].kind {
            if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
                break;
            }
            spine.push((op, left, right, unit.exprs[first].span));
            first = left;
        }
        let ahead: Vec<bool> =
            spine.iter().map(|&(op, left, right, _)| self.look_ahead(op, left, right)).collect();
        let mut value = self.rvalue(first)?;
        for ((op, left, right, span), was_watched) in spine.into_iter().zip(ahead).rev() {
            let ahead = was_watched.then(|| self.f.watches.pop()).flatten();
            let other;
            (value, other) = self.operands(op, (left, value), (right, ahead), span)?;
            value = self.binary(Operation { op, left: value, right: other, span })?;
        }
        Ok(value)
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
            return Ok(Operand::new(to.ty, Value::Void));
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
        Ok(Operand::new(to.ty, Value::Memory(pointer)))
    }

    /// `({ ... })`: the value of the last expression statement.
    fn statement_expr(&mut self, body: ast::StmtId, span: Span) -> Fallible<Operand> {
        let unit = self.input.ast();
        let ast::StmtKind::Compound(items) = &unit.stmts[body].kind else {
            return self.error(span, "a statement expression without a block");
        };
        if !self.out.at.active {
            return self.error(span, "a statement expression outside of a function");
        }
        let origin = self.out.at.origin;
        let open = self.open_block(unit.stmts[body].span);
        let mut result = Operand::new(self.types.void(), Value::Void);
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
                    self.out.at.origin.span = self.input.span(unit.stmts[item].span);
                    let value = self.rvalue(e)?;
                    result = self.save_operand_outside(value, open.outer());
                    break;
                }
            }
            self.statement(item)?;
        }
        self.close_block(open);
        self.out.at.origin = origin;
        Ok(result)
    }

    /// Saves a value so that it outlives the present scope.
    fn save_operand_outside(
        &mut self,
        operand: Operand,
        outer: crate::function_state::ScopeId,
    ) -> Operand {
        let inner = std::mem::replace(&mut self.f.scope, outer);
        let saved = self.save_operand(operand);
        self.f.scope = inner;
        saved
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
}

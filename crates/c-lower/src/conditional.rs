//! `c ? a : b` and `a ?: b`.
//!
//! Where neither side needs edges, the choice is an expression; otherwise the
//! branches meet again and leave their value in temporaries.

use crate::condition::Targets;
use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::TyId;
use crate::value::{Operand, Value};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{Expr, ExprId, LocId, Type};
use std::rc::Rc;

impl Lowerer<'_> {
    pub fn conditional_effect(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
    ) -> Fallible<()> {
        let origin = self.out.at.origin;
        let (yes, no, end) = (self.out.location(), self.out.location(), self.out.location());
        let span = self.input.ast().exprs[condition].span;
        self.branch_on(condition, Targets::new(yes, no, self.input.span(span)))?;
        self.out.resume(yes);
        self.out.at.origin = origin;
        if let Some(then) = then {
            self.effect(then)?;
        }
        self.out.goto(end);
        self.out.resume(no);
        self.out.at.origin = origin;
        self.effect(otherwise)?;
        self.out.join(end);
        Ok(())
    }

    /// `c ? a : b`, also `c ?: b`.
    pub fn conditional(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        span: Span,
    ) -> Fallible<Operand> {
        let Some(then) = then else { return self.elvis(condition, otherwise, span) };
        let edges = self.input.needs_edges(then) || self.input.needs_edges(otherwise);
        if !edges || self.out.is_dead() {
            let condition = self.condition(condition)?;
            if let Some(known) = self.out.as_int(condition) {
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
        let origin = self.out.at.origin;
        let (yes, no) = (self.out.location(), self.out.location());
        let condition_span = self.input.ast().exprs[condition].span;
        self.branch_on(condition, Targets::new(yes, no, self.input.span(condition_span)))?;
        self.out.resume(yes);
        self.out.at.origin = origin;
        let a = self.rvalue(then)?;
        let a = self.settle(a);
        let after_a = self.out.at.cur.take();
        self.out.resume(no);
        self.out.at.origin = origin;
        let b = self.rvalue(otherwise)?;
        let b = self.settle(b);
        let after_b = self.out.at.cur.take();
        self.out.at.origin = origin;
        self.join(a, after_a, b, after_b, span)
    }

    /// Values that live in globals for a moment are saved.
    pub fn settle(&mut self, operand: Operand) -> Operand {
        match operand.value {
            Value::Leaves(_) => self.save_operand(operand),
            _ => operand,
        }
    }

    /// Joins two branches, each with its value and the place where it ends.
    pub fn join(
        &mut self,
        a: Operand,
        after_a: Option<LocId>,
        b: Operand,
        after_b: Option<LocId>,
        span: Span,
    ) -> Fallible<Operand> {
        let ty = self.common_type(&a, &b, span)?;
        let end = self.out.location();
        if self.types.is_void(ty) {
            for after in [after_a, after_b] {
                self.out.at.cur = after;
                self.out.goto(end);
            }
            self.out.resume(end);
            return Ok(Operand::new(ty, Value::Void));
        }
        if self.types.is_composite(ty) && self.types.leaves(ty).is_none() {
            let var = self.out.temporary(Type::Pointer);
            for (operand, after) in [(a, after_a), (b, after_b)] {
                self.out.at.cur = after;
                if let Value::Memory(pointer) = operand.value {
                    self.out.assign(var, pointer);
                }
                self.out.goto(end);
            }
            self.out.resume(end);
            let pointer = self.out.read(var);
            return Ok(Operand::new(ty, Value::Memory(pointer)));
        }
        // The temporaries of dead code must not be shared with live code.
        self.out.at.cur = after_a.or(after_b);
        let leaves = self.types.leaves(ty).unwrap_or_default();
        let vars: Vec<_> = leaves.iter().map(|leaf| self.out.temporary(leaf.scalar)).collect();
        for (operand, after) in [(a, after_a), (b, after_b)] {
            self.out.at.cur = after;
            let operand = self.convert_operand(operand, ty, span)?;
            let values = self.value_leaves(ty, operand.value);
            for (&var, &value) in vars.iter().zip(values.iter()) {
                self.out.assign(var, value);
            }
            self.out.goto(end);
        }
        self.out.resume(end);
        let values: Rc<[ExprId]> = vars.into_iter().map(|v| self.out.read(v)).collect();
        Ok(Operand::new(ty, self.types.value(ty, values)))
    }

    pub fn choose(
        &mut self,
        condition: ExprId,
        a: Operand,
        b: Operand,
        ty: TyId,
    ) -> Fallible<Operand> {
        let value = match (a.value, b.value) {
            (Value::Scalar(x), Value::Scalar(y)) => Value::Scalar(self.out.ite(condition, x, y)),
            (Value::Memory(x), Value::Memory(y)) => Value::Memory(self.out.ite(condition, x, y)),
            (Value::Void, _) | (_, Value::Void) => Value::Void,
            (x, y) => {
                let (x, y) = (self.value_leaves(ty, x), self.value_leaves(ty, y));
                let pairs: Vec<_> = x.iter().copied().zip(y.iter().copied()).collect();
                Value::Leaves(
                    pairs.into_iter().map(|(x, y)| self.out.ite(condition, x, y)).collect(),
                )
            }
        };
        Ok(Operand::new(ty, value))
    }

    /// `a ?: b`.
    pub fn elvis(&mut self, a: ast::ExprId, b: ast::ExprId, span: Span) -> Fallible<Operand> {
        let first = self.rvalue(a)?;
        let first = self.save_operand(first);
        let condition = self.truth_of(&first, span)?;
        if let Some(known) = self.out.as_int(condition) {
            let second =
                if known != 0 { self.unevaluated(|this| this.rvalue(b))? } else { self.rvalue(b)? };
            let ty = self.common_type(&first, &second, span)?;
            return self.convert_operand(if known != 0 { first } else { second }, ty, span);
        }
        if !self.input.needs_edges(b) || self.out.is_dead() {
            let second = self.rvalue(b)?;
            let ty = self.common_type(&first, &second, span)?;
            let x = self.convert_operand(first, ty, span)?;
            let y = self.convert_operand(second, ty, span)?;
            return self.choose(condition, x, y, ty);
        }
        let origin = self.out.at.origin;
        let (yes, no) = (self.out.location(), self.out.location());
        self.out.branch(condition, Targets::new(yes, no, self.input.span(span)));
        self.out.resume(no);
        self.out.at.origin = origin;
        let second = self.rvalue(b)?;
        let second = self.settle(second);
        let after_b = self.out.at.cur.take();
        self.out.resume(yes);
        let after_a = self.out.at.cur.take();
        self.out.at.origin = origin;
        self.join(first, after_a, second, after_b, span)
    }

    /// The type of `c ? a : b` (C11 6.5.15).
    pub fn common_type(&mut self, a: &Operand, b: &Operand, span: Span) -> Fallible<TyId> {
        if self.types.wide(a.ty, a.width).or(self.types.wide(b.ty, b.width)).is_some() {
            self.unmodelled(span, "a choice between bit-fields wider than `int`");
        }
        if self.types.is_arithmetic(a.ty) && self.types.is_arithmetic(b.ty) {
            let x = self.types.promote(a.ty, a.width);
            let y = self.types.promote(b.ty, b.width);
            if let Some(ty) = self.types.usual(x, y) {
                return Ok(ty);
            }
        }
        if let Some(ty) = self.types.complex_usual(a.ty, b.ty) {
            return Ok(ty);
        }
        let (void_a, void_b) = (self.types.is_void(a.ty), self.types.is_void(b.ty));
        if void_a || void_b {
            return Ok(self.types.void());
        }
        match (self.types.is_pointer(a.ty), self.types.is_pointer(b.ty)) {
            (true, true) => {
                let null = |this: &Self, o: &Operand| matches!(o.value, Value::Scalar(e) if matches!(this.out.program.exprs.get(e), Expr::Null));
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
            _ if self.types.is_composite(a.ty) && self.types.compatible(a.ty, b.ty) => Ok(a.ty),
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
}

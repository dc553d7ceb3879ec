//! What vectors and complex numbers have in common: conversions, truth, operators lane by lane.
//!
//! Their values are composite like those of records ([`Value`]): leaves, or a place in memory. An
//! operator yields leaves that still read its operands; whoever writes several leaves computes all
//! of them first ([`Lowerer::save_lanes`]), since the object written may be an operand.
//!
//! A lane narrower than `int` is computed with as if promoted and cut afterwards, which gives the
//! same bits as arithmetic of its own width. Its overflow is nevertheless one: gcc promotes nothing
//! in vectors.

use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::{CType, TyId};
use crate::value::{Builtin, Operand, Operation, Value};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{BinaryOp, ExprId, Type, UnaryOp};
use std::rc::Rc;

impl Lowerer<'_> {
    /// The lanes of an operand that is a vector or a complex number.
    pub fn operand_lanes(&mut self, operand: &Operand, span: Span) -> Fallible<Rc<[ExprId]>> {
        if self.types.leaves(operand.ty).is_none() {
            return self.unsupported(span, "arithmetic with so many lanes is");
        }
        Ok(self.value_leaves(operand.ty, operand.value.clone()))
    }

    /// Computes all lanes before the first of them is written.
    pub fn save_lanes(&mut self, ty: TyId, value: Value) -> Value {
        match value {
            Value::Leaves(leaves) if self.types.lanes(ty).is_some() => {
                Value::Leaves(leaves.iter().map(|&leaf| self.out.save(leaf)).collect())
            }
            value => value,
        }
    }

    /// A copy in fresh temporaries, even of what is a temporary.
    pub fn copy_operand(&mut self, operand: Operand) -> Operand {
        let copy = |this: &mut Self, e: ExprId| {
            let ty = this.out.type_of(e);
            let var = this.out.temporary(ty);
            this.out.assign(var, e);
            this.out.read(var)
        };
        let value = match operand.value {
            Value::Scalar(e) => Value::Scalar(copy(self, e)),
            Value::Memory(_) if self.types.leaves(operand.ty).is_none() => operand.value,
            value => {
                let leaves = self.value_leaves(operand.ty, value);
                Value::Leaves(leaves.iter().map(|&e| copy(self, e)).collect())
            }
        };
        Operand { value, ..operand }
    }

    /// The truth of a value: of a complex number, whether either part is not zero.
    pub fn truth_of(&mut self, operand: &Operand, span: Span) -> Fallible<ExprId> {
        if self.types.complex_part(operand.ty).is_none() {
            let value = self.expect_scalar(operand, span)?;
            return Ok(self.out.truth(value));
        }
        let parts = self.operand_lanes(operand, span)?;
        let (re, im) = (self.out.truth(parts[0]), self.out.truth(parts[1]));
        Ok(self.out.or(re, im))
    }

    /// Converts from or to a vector or a complex number.
    pub fn convert_lanes(&mut self, operand: Operand, to: TyId, span: Span) -> Fallible<Operand> {
        if self.types.compatible(operand.ty, to) {
            return Ok(Operand { ty: to, width: None, ..operand });
        }
        if self.types.is_vector(operand.ty) || self.types.is_vector(to) {
            return self.reinterpret(operand, to, span);
        }
        let Some(part) = self.types.complex_part(to) else {
            // From complex to real: the imaginary part is lost, unless for the truth.
            if matches!(self.types.get(to), CType::Bool) {
                let truth = self.truth_of(&operand, span)?;
                return Ok(Operand::scalar(to, truth));
            }
            let Some(from) = self.types.complex_part(operand.ty) else {
                return self.mismatch(operand.ty, to, span);
            };
            if !self.types.is_arithmetic(to) {
                return self.mismatch(operand.ty, to, span);
            }
            let parts = self.operand_lanes(&operand, span)?;
            let value = self.convert(parts[0], from, to);
            return Ok(Operand::scalar(to, value));
        };
        let Some(scalar) = self.types.scalar(part) else {
            return self.mismatch(operand.ty, to, span);
        };
        let parts = if self.types.complex_part(operand.ty).is_some() {
            let parts = self.operand_lanes(&operand, span)?;
            [self.out.cast(scalar, parts[0]), self.out.cast(scalar, parts[1])]
        } else if self.types.is_arithmetic(operand.ty) {
            let value = self.expect_scalar(&operand, span)?;
            [self.out.cast(scalar, value), self.out.zero(scalar)]
        } else {
            return self.mismatch(operand.ty, to, span);
        };
        Ok(Operand::new(to, Value::Leaves(Rc::new(parts))))
    }

    /// `+a`, `-a`, `~a`; gcc has no `!` of a vector in C.
    pub fn lane_unary(
        &mut self,
        op: ast::UnaryOp,
        operand: Operand,
        span: Span,
    ) -> Fallible<Operand> {
        let Some(lanes) = self.types.lanes(operand.ty) else {
            return self.mismatch(operand.ty, operand.ty, span);
        };
        let complex = self.types.complex_part(operand.ty).is_some();
        let values = self.operand_lanes(&operand, span)?;
        let mut results = Vec::new();
        for (i, &value) in values.iter().enumerate() {
            results.push(match op {
                ast::UnaryOp::Plus => value,
                // The conjugate.
                ast::UnaryOp::BitNot if complex && i == 0 => value,
                ast::UnaryOp::BitNot if !complex => {
                    if !self.types.is_integer(lanes.element) {
                        return self.error(span, "`~` needs integers");
                    }
                    self.out.unary(UnaryOp::BitNot, value)
                }
                _ => self.lane_negation(value, lanes.element, span),
            });
        }
        Ok(Operand { value: Value::Leaves(results.into()), ..operand })
    }

    fn lane_negation(&mut self, value: ExprId, element: TyId, span: Span) -> ExprId {
        match self.types.int_type(element) {
            // Lanes cannot be negated as such when they are narrow.
            Some(int) => {
                let zero = self.out.int(0, int);
                self.lane_arithmetic(BinaryOp::Sub, zero, value, element, span)
            }
            None => self.out.unary(UnaryOp::Neg, value),
        }
    }

    /// An operator on two operands of which one is a vector or a complex number.
    pub fn lane_binary(&mut self, operation: Operation) -> Fallible<Operand> {
        let Operation { left, right, .. } = &operation;
        if self.types.is_vector(left.ty) || self.types.is_vector(right.ty) {
            self.vector_binary(operation)
        } else {
            self.complex_binary(operation)
        }
    }

    /// `a op b` in the type of a lane, for operators that are not comparisons.
    pub fn lane_arithmetic(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        element: TyId,
        span: Span,
    ) -> ExprId {
        let Some(int) = self.types.int_type(element) else { return self.out.binary(op, a, b) };
        match op {
            BinaryOp::Shl | BinaryOp::Shr => self.check_shift(op, a, (b, int), int, span),
            _ => self.check_arithmetic(op, a, b, int, span),
        }
        self.lane_promoted(op, a, b, element)
    }

    /// `a op b` of integers, computed in the promoted type and cut.
    pub fn lane_promoted(&mut self, op: BinaryOp, a: ExprId, b: ExprId, element: TyId) -> ExprId {
        let wide = self.types.promote(element, None);
        let (Some(wide), Some(narrow)) = (self.types.scalar(wide), self.types.scalar(element))
        else {
            return a;
        };
        let builder = &mut self.out;
        let (a, b) = (builder.cast(wide, a), builder.cast(wide, b));
        let value = builder.binary(op, a, b);
        builder.cast(narrow, value)
    }

    /// Builtins on vectors and complex numbers; none when the name is not one.
    pub fn lane_builtin(&mut self, call: Builtin<'_>) -> Fallible<Option<Operand>> {
        let Builtin { name, arguments, span } = call;
        match name {
            "__builtin_shuffle" => self.shuffle(arguments, span).map(Some),
            "__builtin_shufflevector" => self.shuffle_constant(arguments, span).map(Some),
            _ => self.complex_builtin(call),
        }
    }

    /// The scalar type of the lanes.
    pub fn lane_type(&self, element: TyId, span: Span) -> Fallible<Type> {
        match self.types.scalar(element) {
            Some(scalar) => Ok(scalar),
            None => self.error(span, "the lanes are no scalars"),
        }
    }
}

//! `__builtin_object_size`, as gcc answers it without optimisation.
//!
//! What is not evaluated has no value, so only the form of the argument counts: the address of a
//! variable, of a string or of a part of one, with constant offsets. Of any other pointer the
//! answer is that nothing is known: the largest number where an upper bound is asked for, else 0.

use crate::context::Lowerer;
use crate::input::Fallible;
use bolide_c_syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

/// A place within a variable, in bytes from its start.
#[derive(Clone, Copy)]
struct Part {
    /// The size of the variable.
    whole: i128,
    /// Where the place lies.
    offset: i128,
    /// Where the closest member or array around it ends; none when arithmetic may have left it.
    end: Option<i128>,
}

impl Lowerer<'_> {
    /// The answer to a question of this kind (0 to 3).
    pub fn object_size(&mut self, pointer: ast::ExprId, kind: i128) -> Fallible<i128> {
        let unknown = if kind & 2 == 0 { -1 } else { 0 };
        let Some(part) = self.pointed_part(pointer)? else { return Ok(unknown) };
        let end = if kind & 1 == 0 { Some(part.whole) } else { part.end };
        let inside = (0..=part.whole).contains(&part.offset);
        Ok(end.map_or(unknown, |end| if inside { (end - part.offset).max(0) } else { 0 }))
    }

    /// What a pointer expression points to.
    fn pointed_part(&mut self, e: ast::ExprId) -> Fallible<Option<Part>> {
        let unit = self.input.ast();
        match unit.exprs[e].kind {
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => self.part(operand),
            ExprKind::Cast { operand, .. } => self.pointed_part(operand),
            ExprKind::Comma { right, .. } => self.pointed_part(right),
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                match self.try_constant_int(condition)? {
                    Some((value, _)) => {
                        self.pointed_part(if value != 0 { then } else { otherwise })
                    }
                    None => Ok(None),
                }
            }
            ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), left, right } => {
                let Some(part) = self.pointed_part(left)? else { return Ok(None) };
                let Some((count, _)) = self.try_constant_int(right)? else { return Ok(None) };
                let ty = self.unevaluated(|this| this.rvalue(left))?.ty;
                let size = self.types.pointee(ty).and_then(|to| self.types.size(to.ty));
                let count = if op == BinaryOp::Add { count } else { -count };
                let offset = part.offset + count * i128::from(size.unwrap_or(1));
                Ok(Some(Part { offset, end: None, ..part }))
            }
            _ => {
                let ty = self.type_of_expr(e)?;
                if self.types.is_array(ty.ty) { self.part(e) } else { Ok(None) }
            }
        }
    }

    /// What an lvalue is a part of.
    fn part(&mut self, e: ast::ExprId) -> Fallible<Option<Part>> {
        let unit = self.input.ast();
        match unit.exprs[e].kind {
            ExprKind::Name(_) | ExprKind::String(_) | ExprKind::CompoundLiteral { .. } => {
                let ty = self.type_of_expr(e)?.ty;
                let size = self.types.size(ty).filter(|_| !self.types.is_function(ty));
                let size = size.map(i128::from);
                Ok(size.map(|size| Part { whole: size, offset: 0, end: Some(size) }))
            }
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.pointed_part(operand),
            ExprKind::Member { base, member, is_arrow, .. } => {
                let around = if is_arrow { self.pointed_part(base)? } else { self.part(base)? };
                let Some(around) = around else { return Ok(None) };
                let mut ty = self.type_of_expr(base)?.ty;
                if is_arrow {
                    ty = self.types.pointee(ty).map_or(ty, |to| to.ty);
                }
                let Some(record) = self.types.as_record(ty) else { return Ok(None) };
                let path =
                    self.types.find_member(record, self.input.text(member)).unwrap_or_default();
                let mut offset = around.offset;
                for index in path {
                    let Some(record) = self.types.as_record(ty) else { break };
                    let field = &self.types.records[record].fields[index];
                    offset += i128::from(field.offset);
                    ty = field.ty.ty;
                }
                let size = self.types.size(ty).map(i128::from);
                let end = size.map_or(around.whole, |size| offset + size);
                Ok(Some(Part { whole: around.whole, offset, end: Some(end) }))
            }
            ExprKind::Index { base, index } => {
                let Some(around) = self.pointed_part(base)? else { return Ok(None) };
                let Some((index, _)) = self.try_constant_int(index)? else { return Ok(None) };
                let ty = self.type_of_expr(base)?.ty;
                let element = self.types.pointee(ty).and_then(|of| self.types.size(of.ty));
                let length = self.types.size(ty).map(i128::from);
                let end = length.map_or(around.whole, |length| around.offset + length);
                let offset = around.offset + index * i128::from(element.unwrap_or(1));
                Ok(Some(Part { whole: around.whole, offset, end: Some(end) }))
            }
            _ => Ok(None),
        }
    }
}

//! Variable arguments.
//!
//! The arguments beyond the fixed ones lie in one object, each at the next
//! multiple of the word size, as the i386 ABI has them on the stack. A
//! `va_list` is a pointer into it: on 32 bits the `va_list` itself, on 64 bits
//! its member `overflow_arg_area`.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::input::Fallible;
use crate::lvalue::memory;
use crate::value::{LValue, Operand, Value, Where};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{Expr, ExprId, Type};

impl Emission {
    fn word(&self) -> u64 {
        u64::from(self.program.target.pointer_bits / 8)
    }

    /// Assumes bounds on an integer.
    pub fn assume_between(&mut self, e: ExprId, low: i128, high: i128) {
        let Type::Int(ty) = self.type_of(e) else { return };
        use bolide_cfa::CompareOp;
        let (low_e, high_e) = (self.int(low, ty), self.int(high, ty));
        let above = self.compare(CompareOp::Le, low_e, e);
        let below = self.compare(CompareOp::Le, e, high_e);
        let inside = self.and(above, below);
        self.assume(inside);
    }
}

impl Lowerer<'_> {
    /// Puts extra arguments into an object; its address.
    pub fn pack_varargs(&mut self, operands: &[Operand], span: Span) -> Fallible<ExprId> {
        if operands.is_empty() {
            return Ok(self.out.expr(Expr::Null));
        }
        let word = self.out.word();
        let mut offsets = Vec::new();
        let mut size = 0u64;
        for operand in operands {
            let Some(bytes) = self.types.size(operand.ty) else {
                return self.error(span, "an argument of incomplete type");
            };
            offsets.push(size);
            size += bytes.div_ceil(word) * word;
        }
        let char = self.types.char();
        let buffer = self.types.array(char.into(), crate::types::ArrayLen::Fixed(size));
        let pointer = self.allocate_local("arguments", buffer.into(), Span::NONE, word)?;
        for (operand, offset) in operands.iter().zip(offsets) {
            let at = self.out.pointer_add_bytes(pointer, offset);
            match operand.value.clone() {
                Value::Scalar(e) => {
                    let ty = self.out.type_of(e);
                    self.out.store_raw(at, ty, None, false, e);
                }
                Value::Void => {}
                value => self.store_record(at, operand.ty, false, value),
            }
        }
        Ok(pointer)
    }

    /// The place of the pointer in a `va_list`.
    fn va_cursor(&mut self, list: ast::ExprId) -> Fallible<LValue> {
        let span = self.input.ast().exprs[list].span;
        let place = self.designate(list)?;
        let void = self.types.void();
        let pointer_ty = self.types.pointer(void);
        if self.out.program.target.pointer_bits == 32 {
            return match place.at {
                Where::Value(_) => self.error(span, "this is no `va_list`"),
                _ => Ok(LValue { ty: pointer_ty.into(), ..place }),
            };
        }
        let operand = self.read(&place, span)?;
        let is_list = self
            .types
            .pointee(operand.ty)
            .and_then(|to| self.types.as_record(to.ty))
            .is_some_and(|r| self.types.records[r].tag.as_deref() == Some("__va_list_tag"));
        if !is_list {
            return self.error(span, "this is no `va_list`");
        }
        let e = self.expect_scalar(&operand, span)?;
        let at = self.out.pointer_add_bytes(e, 8);
        Ok(memory(pointer_ty.into(), at, None))
    }

    /// `va_start(list, last)`.
    pub fn va_start(&mut self, list: ast::ExprId, span: Span) -> Fallible<()> {
        let Some(var) = self.f.varargs else {
            return self.error(span, "`va_start` in a function without variable arguments");
        };
        let cursor = self.va_cursor(list)?;
        let e = self.out.read(var);
        self.write(&cursor, Value::Scalar(e), span)
    }

    /// `va_copy(to, from)`.
    pub fn va_copy(&mut self, to: ast::ExprId, from: ast::ExprId, span: Span) -> Fallible<()> {
        let from = self.va_cursor(from)?;
        let value = self.read(&from, span)?;
        let to = self.va_cursor(to)?;
        self.write(&to, value.value, span)
    }

    /// `va_arg(list, type)`.
    pub fn va_arg(
        &mut self,
        list: ast::ExprId,
        ty: ast::TypeNameId,
        span: Span,
    ) -> Fallible<Operand> {
        let ty = self.type_name(ty)?;
        let Some(bytes) = self.types.size(ty.ty) else {
            return self.error(span, "an argument of incomplete type");
        };
        let cursor = self.va_cursor(list)?;
        let at = self.read(&cursor, span)?;
        let e = self.expect_scalar(&at, span)?;
        let e = self.out.save(e);
        let word = self.out.word();
        let next = self.out.pointer_add_bytes(e, bytes.div_ceil(word) * word);
        self.write(&cursor, Value::Scalar(next), span)?;
        let value = self.read(&memory(ty, e, None), span)?;
        Ok(self.save_operand(value))
    }
}

//! Builtins for operands of any type: the types of the operands decide what they do.
//!
//! `__builtin_add_overflow` and its kind, with the names that CBMC has for them, are computed in 128 bits. Bits are
//! counted in 64, and those that the operand does not have are taken away again.

use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::{IntKind, TyId};
use crate::value::{Builtin, Operand, Site, Value};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{BinaryOp, CompareOp, ExprId, IntType, Type};

/// An operation, the type of its operands if the name says it, and what is asked of it.
struct Overflow {
    op: BinaryOp,
    operands: Option<IntKind>,
    asks: Asks,
}

/// What is asked of an operation that may overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// Whether it overflows; the result goes to the third argument.
    Stored,
    /// Whether it overflows the type of the third argument.
    OfType,
    /// Whether it overflows the type in which C would compute it.
    OfOperation,
    /// The nearest result that this type has.
    Nearest,
}

/// What a name means: `__builtin_sub_overflow`, `__builtin_uaddl_overflow`, `__CPROVER_overflow_mult`.
fn overflow(name: &str) -> Option<Overflow> {
    let cbmc = |name: &str| match name {
        "plus" => Some(BinaryOp::Add),
        "minus" => Some(BinaryOp::Sub),
        "mult" => Some(BinaryOp::Mul),
        _ => None,
    };
    if let Some(rest) = name.strip_prefix("__CPROVER_overflow_") {
        return Some(Overflow { op: cbmc(rest)?, operands: None, asks: Asks::OfOperation });
    }
    if let Some(rest) = name.strip_prefix("__CPROVER_saturating_") {
        return Some(Overflow { op: cbmc(rest)?, operands: None, asks: Asks::Nearest });
    }
    let rest = name.strip_prefix("__builtin_")?;
    let (rest, asks) = match rest.strip_suffix("_overflow") {
        Some(rest) => (rest, Asks::Stored),
        None => (rest.strip_suffix("_overflow_p")?, Asks::OfType),
    };
    let (operator, operands) = match rest {
        "add" | "sub" | "mul" => (rest, None),
        _ => {
            let kind = match (rest.get(4..)?, rest.starts_with('s')) {
                ("", true) => IntKind::Int,
                ("", false) => IntKind::UInt,
                ("l", true) => IntKind::Long,
                ("l", false) => IntKind::ULong,
                ("ll", true) => IntKind::LongLong,
                ("ll", false) => IntKind::ULongLong,
                _ => return None,
            };
            (rest.get(1..4)?, Some(kind))
        }
    };
    let op = match operator {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        _ => return None,
    };
    Some(Overflow { op, operands, asks })
}

impl Lowerer<'_> {
    /// Lowers a call to such a builtin; none when the name is not one.
    pub fn generic_builtin(&mut self, call: Builtin<'_>) -> Fallible<Option<Operand>> {
        let Builtin { name, arguments, span } = call;
        if let Some(overflow) = overflow(name) {
            return self.overflow_builtin(&overflow, arguments, span);
        }
        Ok(Some(match (name, arguments) {
            ("__CPROVER_r_ok" | "__ESBMC_r_ok", [pointer, size @ ..]) if size.len() < 2 => {
                self.may_access("__bolide_r_ok", *pointer, size.first().copied(), span)?
            }
            (
                "__CPROVER_w_ok" | "__CPROVER_rw_ok" | "__ESBMC_w_ok" | "__ESBMC_rw_ok",
                [pointer, size @ ..],
            ) if size.len() < 2 => {
                self.may_access("__bolide_w_ok", *pointer, size.first().copied(), span)?
            }
            ("__builtin_clzg" | "__builtin_ctzg" | "__builtin_popcountg", [value, zero @ ..])
                if zero.len() < 2 =>
            {
                self.count_bits(name, *value, zero.first().copied(), span)?
            }
            _ => return Ok(None),
        }))
    }

    /// Whether so many bytes, or all that the pointer's type says, can be accessed, by the model of that name.
    fn may_access(
        &mut self,
        model: &str,
        pointer: ast::ExprId,
        size: Option<ast::ExprId>,
        span: Span,
    ) -> Fallible<Operand> {
        let pointer = self.rvalue(pointer)?;
        let pointer = self.save_operand(pointer);
        let size_t = self.types.size_t();
        let size = match size {
            Some(size) => {
                let size = self.rvalue(size)?;
                self.convert_operand(size, size_t, span)?
            }
            None => {
                let pointee = self.types.pointee(pointer.ty);
                let Some(size) = pointee.and_then(|to| self.types.size(to.ty)) else {
                    return self.error(span, "expected a pointer to a type of known size");
                };
                self.int_operand(i128::from(size), size_t)
            }
        };
        self.call_model(model, vec![pointer, size], Site { span, used: true })
    }

    /// `__builtin_clzg` and its kind; a second argument is the value for zero.
    fn count_bits(
        &mut self,
        name: &str,
        value: ast::ExprId,
        at_zero: Option<ast::ExprId>,
        span: Span,
    ) -> Fallible<Operand> {
        let value = self.rvalue(value)?;
        let Some(IntType { bits: bits @ ..=64, signed: false }) = self.types.int_type(value.ty)
        else {
            return self.unsupported(span, "bits of this type are");
        };
        let e = self.expect_scalar(&value, span)?;
        let e = self.out.save(e);
        let int = self.types.int();
        let at_zero = match at_zero {
            Some(zero) => {
                let zero = self.rvalue(zero)?;
                let zero = self.convert_operand(zero, int, span)?;
                let zero = self.expect_scalar(&zero, span)?;
                Some(self.out.save(zero))
            }
            None => None,
        };
        let wide = self.types.int_kind(IntKind::ULongLong);
        let operand = self.convert_operand(Operand::scalar(value.ty, e), wide, span)?;
        let model = format!("{}ll", name.trim_end_matches('g'));
        let count = self.call_model(&model, vec![operand], Site { span, used: true })?;
        let mut count = self.expect_scalar(&count, span)?;
        if name.contains("clz") {
            let more = self.out.int(64 - i128::from(bits), IntType::signed(32));
            count = self.out.binary(BinaryOp::Sub, count, more);
        }
        if let Some(at_zero) = at_zero {
            let any = self.out.truth(e);
            count = self.out.ite(any, count, at_zero);
        }
        Ok(Operand::scalar(int, count))
    }

    /// What is asked of a sum, a difference or a product.
    fn overflow_builtin(
        &mut self,
        overflow: &Overflow,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Fallible<Option<Operand>> {
        let &Overflow { op, operands, asks } = overflow;
        let ([left, right], target) = match *arguments {
            [left, right, target] if matches!(asks, Asks::Stored | Asks::OfType) => {
                ([left, right], Some(target))
            }
            [left, right] if matches!(asks, Asks::OfOperation | Asks::Nearest) => {
                ([left, right], None)
            }
            _ => return Ok(None),
        };
        let typed = operands.map(|kind| self.types.int_kind(kind));
        let (left_ty, a) = self.overflow_operand(left, typed, span)?;
        let (right_ty, b) = self.overflow_operand(right, typed, span)?;
        let mut place = None;
        let result_ty = match (asks, target) {
            (Asks::Stored, Some(target)) => {
                let pointer = self.rvalue(target)?;
                place.insert(self.dereference(pointer, span)?).ty.ty
            }
            (_, Some(target)) => self.unevaluated(|this| this.rvalue(target))?.ty,
            (_, None) => match self.types.usual(left_ty, right_ty) {
                Some(ty) => ty,
                None => return self.error(span, "expected integers"),
            },
        };
        let Some(result_int) = self.types.int_type(result_ty) else {
            return self.error(span, "expected a pointer to an integer");
        };
        let (Type::Int(mut ta), Type::Int(mut tb)) = (self.out.type_of(a), self.out.type_of(b))
        else {
            return self.error(span, "expected integers");
        };
        if ta.bits.max(tb.bits).max(result_int.bits) > 64 {
            return self.unsupported(span, "an overflow builtin on 128 bits is");
        }
        let (mut x, mut y) = (a, b);
        if target.is_none() {
            // As C does before it computes.
            (ta, tb) = (result_int, result_int);
            (x, y) = (self.out.cast(Type::Int(ta), a), self.out.cast(Type::Int(tb), b));
        }
        // Required: the exact result fits. Products of two unsigned numbers need all
        // 128 bits, differences need the sign.
        let wide =
            IntType { bits: 128, signed: !(op == BinaryOp::Mul && !ta.signed && !tb.signed) };
        let wide_ty = Type::Int(wide);
        let (x, y) = (self.out.cast(wide_ty, x), self.out.cast(wide_ty, y));
        let exact = self.out.binary(op, x, y);
        let exact = self.out.save(exact);
        if asks == Asks::Nearest {
            let nearest = self.nearest(exact, wide, result_int);
            return Ok(Some(Operand::scalar(result_ty, nearest)));
        }
        let cut = self.out.cast(Type::Int(result_int), exact);
        let back = self.out.cast(wide_ty, cut);
        let overflows = self.out.compare(CompareOp::Ne, back, exact);
        if let Some(place) = place {
            self.write(&place, Value::Scalar(cut), span)?;
        }
        Ok(Some(Operand::scalar(self.types.bool(), overflows)))
    }

    /// The number of a type that is nearest to one of a wider type.
    fn nearest(&mut self, exact: ExprId, wide: IntType, ty: IntType) -> ExprId {
        let mut nearest = self.out.cast(Type::Int(ty), exact);
        for (limit, op) in [(ty.min(), CompareOp::Lt), (ty.max(), CompareOp::Le)] {
            let bound = self.out.int(limit, wide);
            let below = self.out.compare(op, exact, bound);
            let limit = self.out.int(limit, ty);
            nearest = match op {
                CompareOp::Lt => self.out.ite(below, limit, nearest),
                _ => self.out.ite(below, nearest, limit),
            };
        }
        nearest
    }

    /// An operand and its type.
    fn overflow_operand(
        &mut self,
        e: ast::ExprId,
        typed: Option<TyId>,
        span: Span,
    ) -> Fallible<(TyId, ExprId)> {
        let operand = self.rvalue(e)?;
        let operand = match typed {
            Some(ty) => self.convert_operand(operand, ty, span)?,
            None => operand,
        };
        let value = self.expect_scalar(&operand, span)?;
        Ok((operand.ty, self.out.save(value)))
    }
}

//! `__sync_*` and `__atomic_*`: without threads they are plain operations, one
//! after another.

use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::TyId;
use crate::value::{Builtin, LValue, Operand, Value};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{BinaryOp, CompareOp, ExprId, IntType, Type, UnaryOp};

impl Lowerer<'_> {
    /// Lowers such a call; none when the name is not one.
    pub fn atomic_builtin(&mut self, call: Builtin<'_>) -> Fallible<Option<Operand>> {
        let Builtin { name, arguments, span } = call;
        let Some(rest) = name.strip_prefix("__sync_").or_else(|| name.strip_prefix("__atomic_"))
        else {
            return Ok(None);
        };
        let nothing = Operand::new(self.types.void(), Value::Void);
        Ok(Some(match (rest, arguments) {
            ("synchronize" | "thread_fence" | "signal_fence", _) => nothing,
            ("bool_compare_and_swap" | "val_compare_and_swap", [p, old, new, ..]) => {
                self.compare_and_swap(*p, *old, *new, rest.starts_with("bool"), span)?
            }
            ("compare_exchange_n" | "compare_exchange", [p, expected, desired, ..]) => {
                self.compare_exchange(*p, *expected, *desired, rest.ends_with("_n"), span)?
            }
            ("exchange", [p, from, to, ..]) => {
                let place = self.pointed(*p, span)?;
                let from = self.pointed(*from, span)?;
                let to = self.pointed(*to, span)?;
                let new = self.read(&from, span)?;
                let new = self.save_operand(new);
                let old = self.read(&place, span)?;
                let old = self.save_operand(old);
                self.write(&place, new.value, span)?;
                self.write(&to, old.value, span)?;
                nothing
            }
            ("load_n", [p, ..]) => self.fetch(*p, None, "load", false, span)?,
            ("lock_test_and_set" | "exchange_n" | "store_n", [p, value, ..]) => {
                let old = self.fetch(*p, Some(*value), "xchg", false, span)?;
                if rest == "store_n" { nothing } else { old }
            }
            ("lock_release", [p, ..]) => {
                let place = self.pointed(*p, span)?;
                let ty = self.scalar_of(&place, span)?;
                let zero = self.out.zero(ty);
                self.write(&place, Value::Scalar(zero), span)?;
                nothing
            }
            ("load", [from, to, ..]) | ("store", [to, from, ..]) => {
                let from = self.pointed(*from, span)?;
                let value = self.read(&from, span)?;
                let to = self.pointed(*to, span)?;
                self.write(&to, value.value, span)?;
                nothing
            }
            ("test_and_set" | "clear", [p, ..]) => {
                let place = self.pointed(*p, span)?;
                let place = LValue { ty: self.types.bool().into(), ..place };
                let sets = rest == "test_and_set";
                let old = if sets {
                    let old = self.read(&place, span)?;
                    self.save_operand(old)
                } else {
                    nothing
                };
                let value = self.out.bool(sets);
                self.write(&place, Value::Scalar(value), span)?;
                old
            }
            (_, [p, value, ..]) => {
                // `__sync_fetch_and_add` and `__atomic_fetch_add`, `__sync_add_and_fetch` and `__atomic_add_fetch`.
                let before = rest.strip_prefix("fetch_and_").or(rest.strip_prefix("fetch_"));
                let after = rest.strip_suffix("_and_fetch").or(rest.strip_suffix("_fetch"));
                match (before, after) {
                    (Some(op), _) => self.fetch(*p, Some(*value), op, false, span)?,
                    (None, Some(op)) => self.fetch(*p, Some(*value), op, true, span)?,
                    (None, None) => return Ok(None),
                }
            }
            _ => return Ok(None),
        }))
    }

    /// What an argument points to, at an address that stays.
    fn pointed(&mut self, pointer: ast::ExprId, span: Span) -> Fallible<LValue> {
        let operand = self.rvalue(pointer)?;
        let operand = self.save_operand(operand);
        self.dereference(operand, span)
    }

    fn scalar_of(&self, place: &LValue, span: Span) -> Fallible<Type> {
        match self.types.scalar(place.ty.ty) {
            Some(ty) => Ok(ty),
            None => self.unsupported(span, "an atomic operation on this type is"),
        }
    }

    fn converted(&mut self, e: ast::ExprId, ty: TyId, span: Span) -> Fallible<ExprId> {
        let operand = self.rvalue(e)?;
        let operand = self.convert_operand(operand, ty, span)?;
        let value = self.expect_scalar(&operand, span)?;
        Ok(self.out.save(value))
    }

    /// The scalar at a place, kept.
    fn kept(&mut self, place: &LValue, span: Span) -> Fallible<ExprId> {
        let value = self.read(place, span)?;
        let value = self.expect_scalar(&value, span)?;
        Ok(self.out.save(value))
    }

    /// Reads, changes and gives back the old or the new value.
    fn fetch(
        &mut self,
        pointer: ast::ExprId,
        value: Option<ast::ExprId>,
        op: &str,
        new_value: bool,
        span: Span,
    ) -> Fallible<Operand> {
        let place = self.pointed(pointer, span)?;
        let ty = place.ty.ty;
        let scalar = self.scalar_of(&place, span)?;
        let operand = match value {
            Some(e) => self.converted(e, ty, span)?,
            None => self.out.zero(scalar),
        };
        let old = self.kept(&place, span)?;
        let op = match op {
            "load" => return Ok(Operand::scalar(ty, old)),
            "xchg" => None,
            "add" => Some(BinaryOp::Add),
            "sub" => Some(BinaryOp::Sub),
            "or" => Some(BinaryOp::BitOr),
            "and" | "nand" => Some(BinaryOp::BitAnd),
            "xor" => Some(BinaryOp::BitXor),
            _ => return self.unsupported(span, "this atomic operation is"),
        }
        .map(|machine| (machine, op == "nand"));
        let new = match op {
            None => operand,
            Some((_, true)) => {
                let and = self.out.binary(BinaryOp::BitAnd, old, operand);
                self.out.unary(UnaryOp::BitNot, and)
            }
            Some(_) if scalar == Type::Pointer => {
                return self.unsupported(span, "atomic arithmetic on pointers is");
            }
            Some((op, _)) => {
                // Atomic arithmetic wraps, also that of signed types.
                let unsigned = match scalar {
                    Type::Int(ty) if ty != IntType::BOOL => Type::Int(IntType::unsigned(ty.bits)),
                    other => other,
                };
                let (x, y) = (self.out.cast(unsigned, old), self.out.cast(unsigned, operand));
                let new = self.out.binary(op, x, y);
                let new = self.out.cast(scalar, new);
                self.out.save(new)
            }
        };
        self.write(&place, Value::Scalar(new), span)?;
        Ok(Operand::scalar(ty, if new_value { new } else { old }))
    }

    fn compare_and_swap(
        &mut self,
        pointer: ast::ExprId,
        old: ast::ExprId,
        new: ast::ExprId,
        as_bool: bool,
        span: Span,
    ) -> Fallible<Operand> {
        let place = self.pointed(pointer, span)?;
        let ty = place.ty.ty;
        self.scalar_of(&place, span)?;
        let expected = self.converted(old, ty, span)?;
        let desired = self.converted(new, ty, span)?;
        let (was, equal) = self.swap_if_equal(&place, expected, desired, span)?;
        Ok(if as_bool {
            Operand::scalar(self.types.bool(), equal)
        } else {
            Operand::scalar(ty, was)
        })
    }

    /// The old value, and whether it was as expected.
    fn swap_if_equal(
        &mut self,
        place: &LValue,
        expected: ExprId,
        desired: ExprId,
        span: Span,
    ) -> Fallible<(ExprId, ExprId)> {
        let was = self.kept(place, span)?;
        let equal = self.out.compare(CompareOp::Eq, was, expected);
        let equal = self.out.save(equal);
        let value = self.out.ite(equal, desired, was);
        self.write(place, Value::Scalar(value), span)?;
        Ok((was, equal))
    }

    /// The new value is given, or where it lies.
    fn compare_exchange(
        &mut self,
        pointer: ast::ExprId,
        expected: ast::ExprId,
        desired: ast::ExprId,
        by_value: bool,
        span: Span,
    ) -> Fallible<Operand> {
        let place = self.pointed(pointer, span)?;
        let ty = place.ty.ty;
        self.scalar_of(&place, span)?;
        let expected = self.pointed(expected, span)?;
        let desired = match by_value {
            true => self.converted(desired, ty, span)?,
            false => {
                let desired = self.pointed(desired, span)?;
                self.kept(&desired, span)?
            }
        };
        let old = self.kept(&expected, span)?;
        let (was, equal) = self.swap_if_equal(&place, old, desired, span)?;
        let kept = self.out.ite(equal, old, was);
        self.write(&expected, Value::Scalar(kept), span)?;
        Ok(Operand::scalar(self.types.bool(), equal))
    }
}

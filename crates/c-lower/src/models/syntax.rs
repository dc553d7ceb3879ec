//! Builtins whose arguments are not just values: types matter, or they are not
//! evaluated.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::global::{Definition, GlobalId};
use crate::input::Fallible;
use crate::types::{CType, IntKind};
use crate::value::{Builtin, Operand, Value};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::value::float;
use bolide_cfa::{
    BinaryOp, CompareOp, Expr, ExprId, FloatKind, FloatTest, IntType, NondetSource, Type,
};

const FLOAT_COMPARISONS: [&str; 6] =
    ["isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered"];

/// The format of a constant, and whether it is infinite rather than no number.
fn float_constant(name: &str) -> Option<(FloatKind, bool)> {
    Some(match name {
        "huge_val" | "inf" | "infd64" => (FloatKind::F64, true),
        "huge_valf" | "inff" => (FloatKind::F32, true),
        "huge_vall" | "infl" => (FloatKind::F80, true),
        "inff128" | "huge_valf128" | "infq" => (FloatKind::F128, true),
        "nan" | "nans" => (FloatKind::F64, false),
        "nanf" | "nansf" => (FloatKind::F32, false),
        "nanl" | "nansl" => (FloatKind::F80, false),
        "nanf128" | "nanq" => (FloatKind::F128, false),
        _ => return None,
    })
}

fn float_test(name: &str) -> Option<FloatTest> {
    Some(match name {
        "isnan" | "isnanf" | "isnanl" => FloatTest::IsNan,
        "isinf" | "isinff" | "isinfl" => FloatTest::IsInfinite,
        "isfinite" | "finite" | "finitef" | "finitel" => FloatTest::IsFinite,
        "isnormal" => FloatTest::IsNormal,
        "signbit" | "signbitf" | "signbitl" => FloatTest::SignBit,
        _ => return None,
    })
}

impl Emission {
    fn known_expression(&self, e: ExprId) -> Option<bool> {
        let exprs = &self.program.exprs;
        match *exprs.get(e) {
            Expr::Int { .. } | Expr::Float { .. } | Expr::Null => Some(true),
            Expr::Var(_) | Expr::Load(_) | Expr::Object(_) | Expr::Function(_) => Some(false),
            Expr::Cast(_, a) | Expr::Unary(_, a) => self.known_expression(a),
            // Sums of different values stay sums.
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if a != b => {
                let both = self.known_expression(a)? && self.known_expression(b)?;
                (!both).then_some(false)
            }
            Expr::PointerAdd(a, _) => self.known_expression(a).filter(|known| !known),
            _ => None,
        }
    }
}

impl Lowerer<'_> {
    /// Lowers a call to such a builtin; none when the name is not one.
    pub fn builtin_syntax(&mut self, call: Builtin<'_>) -> Fallible<Option<Operand>> {
        let Builtin { name, arguments, span } = call;
        let int = self.types.int();
        let void = self.types.void();
        let nothing = Operand::new(void, Value::Void);
        let operand = match (name, arguments) {
            ("__builtin_va_start" | "va_start" | "__builtin_stdarg_start", [list, ..]) => {
                self.va_start(*list, span)?;
                nothing
            }
            ("__builtin_va_end" | "va_end", [list]) => {
                self.effect(*list)?;
                nothing
            }
            ("__builtin_va_copy" | "va_copy" | "__va_copy", [to, from]) => {
                self.va_copy(*to, *from, span)?;
                nothing
            }
            ("__builtin_expect" | "__builtin_expect_with_probability", [value, rest @ ..]) => {
                for &guess in rest {
                    self.effect(guess)?;
                }
                let operand = self.rvalue(*value)?;
                let long = self.types.int_kind(IntKind::Long);
                self.convert_operand(operand, long, span)?
            }
            ("__builtin_constant_p", [value]) => match self.known_to_compiler(*value)? {
                Some(known) => self.int_operand(i128::from(known), int),
                None => {
                    let source = NondetSource::Unmodelled("what the compiler knows".into());
                    let value = self.out.nondet(Type::BOOL, source);
                    let bool = self.types.bool();
                    self.convert_operand(Operand::scalar(bool, value), int, span)?
                }
            },
            ("__builtin_assume_aligned", [pointer, ..]) => {
                let operand = self.rvalue(*pointer)?;
                let ty = self.types.pointer(void);
                self.convert_operand(operand, ty, span)?
            }
            ("__builtin_object_size" | "__builtin_dynamic_object_size", [pointer, kind]) => {
                let (kind, _) = self.constant_int(*kind)?;
                let size = self.types.size_t();
                let value = self.object_size(*pointer, kind)?;
                self.int_operand(value, size)
            }
            ("__builtin_prefetch" | "__builtin___clear_cache", _) => {
                for &argument in arguments {
                    self.effect(argument)?;
                }
                nothing
            }
            ("__builtin_frame_address" | "__builtin_return_address", [_]) => {
                let ty = self.types.pointer(void);
                self.nondet_operand(ty, NondetSource::Unmodelled(name.into()), span)?
            }
            ("__builtin_classify_type", [value]) => {
                let class = self.type_class(*value, span)?;
                self.int_operand(class, int)
            }
            _ => return self.builtin_family(call),
        };
        Ok(Some(operand))
    }

    /// Builtins that come in families: on vectors, floats, bits, with overflow, atomic ones.
    fn builtin_family(&mut self, call: Builtin<'_>) -> Fallible<Option<Operand>> {
        let Builtin { name, arguments, .. } = call;
        let mut found = self.lane_builtin(call)?;
        if let (None, Some(rest)) = (&found, name.strip_prefix("__builtin_")) {
            found = self.float_builtin(Builtin { name: rest, ..call })?;
            if found.is_none() {
                found = self.constant_bits(rest, arguments)?;
            }
        }
        if found.is_none() {
            found = self.generic_builtin(call)?;
        }
        match found {
            Some(_) => Ok(found),
            None => self.atomic_builtin(call),
        }
    }

    /// The number that gcc has for the kind of a type.
    fn type_class(&mut self, value: ast::ExprId, span: Span) -> Fallible<i128> {
        let operand = self.unevaluated(|this| this.rvalue(value))?;
        Ok(match self.types.get(operand.ty) {
            CType::Void => 0,
            CType::Pointer(_) => 5,
            CType::Float(_) => 8,
            CType::Complex(_) => 9,
            CType::Record(r) if self.types.records[*r].is_union => 13,
            CType::Record(_) => 12,
            CType::Vector(..) => {
                return self.unsupported(span, "the class of a vector is");
            }
            _ => 1,
        })
    }

    /// The function that another name of the library stands for, and which of so many
    /// arguments it does not take.
    pub fn library_alias(
        &self,
        name: &str,
        count: usize,
    ) -> Option<(GlobalId, std::ops::Range<usize>)> {
        let (plain, left_out) = super::table::plain_name(name)?;
        let left_out =
            if left_out.end == usize::MAX { count.checked_sub(1)?..count } else { left_out };
        let &id = self.linkage.by_name.get(plain)?;
        let global = &self.linkage[id];
        let known = matches!(global.definition, Some(Definition::Function(..)))
            || super::table::find(plain).is_some();
        (known && self.types.is_function(global.ty.ty)).then_some((id, left_out))
    }

    /// Bit-counting builtins on constants are constants; others are models in C.
    fn constant_bits(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
    ) -> Fallible<Option<Operand>> {
        let [argument] = arguments else { return Ok(None) };
        let (plain, long) = match name.trim_end_matches('l') {
            plain @ ("ffs" | "clz" | "ctz" | "popcount" | "parity" | "clrsb") => {
                (plain, name.len() - plain.len())
            }
            plain @ ("bswap16" | "bswap32" | "bswap64") => (plain, 0),
            _ => return Ok(None),
        };
        let Some((value, _)) = self.try_constant_int(*argument)? else { return Ok(None) };
        let kind = match (plain, long) {
            ("bswap16", _) => IntKind::UShort,
            ("bswap32", _) | (_, 0) if plain != "bswap64" => IntKind::UInt,
            (_, 1) => IntKind::ULong,
            _ => IntKind::ULongLong,
        };
        let ty = self.types.machine(kind);
        let bits = ty.truncate(value as u128) as u64;
        let width = u32::from(ty.bits);
        let count = match plain {
            "bswap16" | "bswap32" | "bswap64" => {
                let value = bits.swap_bytes() >> (64 - width);
                let ty = self.types.int_kind(kind);
                return Ok(Some(self.int_operand(i128::from(value), ty)));
            }
            "ffs" if bits == 0 => 0,
            "ffs" => bits.trailing_zeros() + 1,
            "popcount" => bits.count_ones(),
            "parity" => bits.count_ones() & 1,
            "clz" if bits != 0 => bits.leading_zeros() - (64 - width),
            "ctz" if bits != 0 => bits.trailing_zeros(),
            "clrsb" => {
                let sign = bits >> (width - 1) & 1;
                let flipped = if sign == 1 { ty.truncate(!bits as u128) as u64 } else { bits };
                flipped.leading_zeros() - (64 - width) - 1
            }
            _ => return Ok(None),
        };
        let int = self.types.int();
        Ok(Some(self.int_operand(i128::from(count), int)))
    }

    /// Tests and constants on floats of any format.
    fn float_builtin(&mut self, call: Builtin<'_>) -> Fallible<Option<Operand>> {
        let Builtin { name, arguments, span } = call;
        if let Some((kind, infinite)) = float_constant(name) {
            let bits = float::parse(if infinite { "inf" } else { "nan" }, kind).unwrap_or(0);
            let value = self.out.expr(Expr::Float { bits, kind });
            return Ok(Some(Operand::scalar(self.types.float(kind), value)));
        }
        let value = match (name, arguments) {
            ("isinf_sign", [value]) => {
                let a = self.float_value(*value, span)?;
                let infinite = self.out.float_test(FloatTest::IsInfinite, a);
                let negative = self.out.float_test(FloatTest::SignBit, a);
                let ty = IntType::signed(32);
                let b = &mut self.out;
                let (one, minus, zero) = (b.int(1, ty), b.int(-1, ty), b.int(0, ty));
                let sign = b.ite(negative, minus, one);
                b.ite(infinite, sign, zero)
            }
            ("fpclassify", [classes @ .., value]) if classes.len() == 5 => {
                self.float_class(classes, *value, span)?
            }
            (_, [value]) if let Some(test) = float_test(name) => {
                let a = self.float_value(*value, span)?;
                let condition = self.out.float_test(test, a);
                self.out.cast(Type::signed(32), condition)
            }
            (_, [left, right]) if FLOAT_COMPARISONS.contains(&name) => {
                self.float_comparison(name, *left, *right, span)?
            }
            _ => return Ok(None),
        };
        Ok(Some(Operand::scalar(self.types.int(), value)))
    }

    /// Which of five values stands for what a float is: NaN, infinite, normal, subnormal or zero.
    fn float_class(
        &mut self,
        classes: &[ast::ExprId],
        value: ast::ExprId,
        span: Span,
    ) -> Fallible<ExprId> {
        let a = self.float_value(value, span)?;
        let a = self.out.save(a);
        let mut chosen = Vec::new();
        for &class in classes {
            let operand = self.rvalue(class)?;
            let e = self.expect_scalar(&operand, span)?;
            chosen.push(self.out.cast(Type::signed(32), e));
        }
        let tests = [FloatTest::IsNan, FloatTest::IsInfinite, FloatTest::IsNormal];
        let tests = tests.map(|test| self.out.float_test(test, a));
        let not_zero = self.out.truth(a);
        let mut e = self.out.ite(not_zero, chosen[3], chosen[4]);
        for (i, test) in tests.into_iter().enumerate().rev() {
            e = self.out.ite(test, chosen[i], e);
        }
        Ok(e)
    }

    /// A comparison that raises nothing where an operand is NaN.
    fn float_comparison(
        &mut self,
        name: &str,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> Fallible<ExprId> {
        let a = self.float_value(left, span)?;
        let a = self.out.save(a);
        let c = self.float_value(right, span)?;
        let b = &mut self.out;
        let ty = b.type_of(a).max(b.type_of(c));
        let (a, c) = (b.cast(ty, a), b.cast(ty, c));
        let na = b.float_test(FloatTest::IsNan, a);
        let nc = b.float_test(FloatTest::IsNan, c);
        let condition = match name {
            "isgreater" => b.compare(CompareOp::Lt, c, a),
            "isgreaterequal" => b.compare(CompareOp::Le, c, a),
            "isless" => b.compare(CompareOp::Lt, a, c),
            "islessequal" => b.compare(CompareOp::Le, a, c),
            "islessgreater" => {
                let less = b.compare(CompareOp::Lt, a, c);
                let more = b.compare(CompareOp::Lt, c, a);
                b.binary(BinaryOp::BitOr, less, more)
            }
            _ => b.binary(BinaryOp::BitOr, na, nc),
        };
        Ok(b.cast(Type::signed(32), condition))
    }

    fn float_value(&mut self, e: ast::ExprId, span: Span) -> Fallible<ExprId> {
        let operand = self.rvalue(e)?;
        let value = self.expect_scalar(&operand, span)?;
        match self.out.type_of(value) {
            Type::Float(_) => Ok(value),
            Type::Int(_) => Ok(self.out.cast(Type::Float(FloatKind::F64), value)),
            Type::Pointer => self.error(span, "expected a floating-point number"),
        }
    }

    /// Whether gcc without optimisation takes an expression for a constant. None where that is a matter of what it
    /// simplifies, as `x * 0`.
    fn known_to_compiler(&mut self, value: ast::ExprId) -> Fallible<Option<bool>> {
        let operand = self.unevaluated(|this| this.rvalue(value))?;
        let unit = self.input.ast();
        let mut bare = value;
        while let ast::ExprKind::Cast { operand, .. } = unit.exprs[bare].kind {
            bare = operand;
        }
        Ok(match (&unit.exprs[bare].kind, operand.value) {
            (ast::ExprKind::Comma { .. }, _) => None,
            (ast::ExprKind::Call { .. }, Value::Scalar(e)) => {
                self.out.known_expression(e).filter(|known| *known)
            }
            (ast::ExprKind::String(_), _) => Some(true),
            (_, Value::Scalar(e)) => self.out.known_expression(e),
            (_, Value::Memory(_)) => Some(false),
            _ => None,
        })
    }
}

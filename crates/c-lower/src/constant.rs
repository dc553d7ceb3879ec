//! Constants, strings, and what is known of a type without running anything.

use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::{ArrayLen, CType, IntKind, QualType, TyId};
use crate::value::{Operand, Value};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, ArithmeticKind, ExprKind};
use bolide_cfa::value::float;
use bolide_cfa::{Expr, ExprId, InitialValue, IntType, StaticObject, Type};

impl Lowerer<'_> {
    /// An integer constant of a C type.
    pub fn int_of(&mut self, value: i128, ty: TyId) -> ExprId {
        let int = self.types.int_type(ty).unwrap_or(IntType::signed(32));
        self.out.int(value, int)
    }

    /// The same with its type.
    pub fn int_operand(&mut self, value: i128, ty: TyId) -> Operand {
        let value = self.int_of(value, ty);
        Operand::scalar(ty, value)
    }

    pub fn integer_constant(
        &mut self,
        value: u64,
        format: ast::IntegerFormat,
        span: Span,
    ) -> Fallible<Operand> {
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
        let operand = self.int_operand(i128::from(value), ty);
        if format.is_imaginary { self.imaginary(operand, span) } else { Ok(operand) }
    }

    pub fn float_constant(
        &mut self,
        text: ast::Symbol,
        suffix: ArithmeticKind,
        span: Span,
    ) -> Fallible<Operand> {
        let ty = ast::ArithmeticType { kind: suffix, is_complex: false };
        let ty = self.arithmetic_type(ty, span)?;
        let text = self.input.text(text);
        let plain = text.replace('\'', "");
        let CType::Float(kind) = *self.types.get(ty) else { return self.mismatch(ty, ty, span) };
        let Some(bits) = float::parse(&plain, kind) else {
            return self.error(span, format!("`{text}` is not a floating constant"));
        };
        let value = self.out.expr(Expr::Float { bits, kind });
        Ok(Operand::scalar(ty, value))
    }

    /// An integer constant expression with its type.
    pub fn constant_int(&mut self, e: ast::ExprId) -> Fallible<(i128, TyId)> {
        match self.try_constant_int(e)? {
            Some(value) => Ok(value),
            None => {
                let span = self.input.ast().exprs[e].span;
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
        Ok(self.out.as_int(value).map(|v| (v, operand.ty)))
    }

    /// `_Static_assert`.
    pub fn static_assert(&mut self, assert: &ast::StaticAssert) -> Fallible<()> {
        let (value, _) = self.constant_int(assert.condition)?;
        if value == 0 {
            let text = match assert.message {
                Some(id) => format!(": {}", self.input.ast().strings[id].text()),
                None => String::new(),
            };
            return self.error(assert.span, format!("static assertion failed{text}"));
        }
        Ok(())
    }

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
        if let Some(&object) = self.out.strings.get(&key) {
            return (object, ty);
        }
        let width = u64::from(int.bits / 8);
        let mut initial = Vec::new();
        for (i, &unit) in literal.units.iter().enumerate() {
            if unit != 0 {
                let value = self.out.int(i128::from(unit), int);
                let offset = i as u64 * width;
                initial.push(InitialValue { offset, bits: None, value });
            }
        }
        let span = self.input.span(literal.span);
        let number = self.out.strings.len() + 1;
        let name = format!("{}{number}", StaticObject::LITERAL);
        let object = StaticObject::new(name, len * width, width, span);
        let object = StaticObject { initial, constant: true, ..object };
        let object = self.out.program.objects.push(object);
        self.out.strings.insert(key, object);
        (object, ty)
    }

    pub fn sizeof_expr(&mut self, operand: ast::ExprId, span: Span) -> Fallible<Operand> {
        let mut place = self.unevaluated(|this| this.designate(operand))?;
        if self.types.is_variable(place.ty.ty) {
            // C11 6.5.3.4: only then the operand is evaluated.
            place = self.designate(operand)?;
        }
        if let Some(bits) = place.bits {
            // gcc gives the value of an assignment to a bit-field, or of a comma
            // before one, the smallest type that holds it.
            if matches!(place.at, crate::value::Where::Value(_)) {
                let bytes = u64::from(bits.width).div_ceil(8).next_power_of_two();
                return self.size_operand(bytes);
            }
            return self.error(span, "`sizeof` of a bit-field");
        }
        self.sizeof_type(place.ty.ty, span)
    }

    pub fn sizeof_type(&mut self, ty: TyId, span: Span) -> Fallible<Operand> {
        let value = self.size_expr(ty, span)?;
        Ok(Operand::scalar(self.types.size_t(), value))
    }

    pub fn size_operand(&mut self, value: u64) -> Fallible<Operand> {
        let value = self.out.size(value);
        Ok(Operand::scalar(self.types.size_t(), value))
    }

    pub fn alignment_of_expr(&mut self, e: ast::ExprId) -> Fallible<(QualType, u64)> {
        let align = match self.input.ast().exprs[e].kind {
            ExprKind::Name(name) => match self.names().get(name) {
                Some(crate::scope::Binding::Global(id)) => self.linkage[id].align,
                _ => 0,
            },
            _ => 0,
        };
        Ok((self.type_of_expr(e)?, align))
    }

    /// `offsetof(type, a.b[1])`.
    pub fn offset_of(
        &mut self,
        ty: ast::TypeNameId,
        path: &[ast::Designator],
        span: Span,
    ) -> Fallible<Operand> {
        let ty = self.type_name(ty)?;
        let null = self.out.expr(Expr::Null);
        let mut place = crate::lvalue::memory(ty, null, None);
        for step in path {
            match step.kind {
                ast::DesignatorKind::Field(name) => {
                    let name = self.input.text(name);
                    place = self.member(place, name, step.span)?;
                }
                ast::DesignatorKind::Index(index) => {
                    let CType::Array(of, _) = *self.types.get(place.ty.ty) else {
                        return self.error(step.span, "not an array");
                    };
                    let index = self.rvalue(index)?;
                    let index = self.expect_scalar(&index, step.span)?;
                    let offset = self.element_offset(of.ty, index, step.span)?;
                    let pointer = self.input.address(&place, step.span)?;
                    let pointer = self.out.pointer_add(pointer, offset);
                    place = crate::lvalue::memory(of, pointer, None);
                }
                ast::DesignatorKind::Range(..) => {
                    return self.error(step.span, "a range in `offsetof`");
                }
            }
        }
        let pointer = self.input.address(&place, span)?;
        let size = Type::Int(self.out.program.target.size_type());
        let value = self.out.cast(size, pointer);
        Ok(Operand::scalar(self.types.size_t(), value))
    }

    /// Runs `body` where nothing is executed: for types and constants.
    pub fn unevaluated<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let cur = self.out.at.cur.take();
        let origin = self.out.at.origin;
        self.f.unevaluated += 1;
        let result = body(self);
        self.f.unevaluated -= 1;
        self.out.at.cur = cur;
        self.out.at.origin = origin;
        result
    }

    /// The type of an expression that is not evaluated; arrays do not decay.
    pub fn type_of_expr(&mut self, e: ast::ExprId) -> Fallible<QualType> {
        self.unevaluated(|this| this.designate(e)).map(|place| place.ty)
    }
}

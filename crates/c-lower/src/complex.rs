//! Complex numbers: two parts, real and imaginary.
//!
//! The results are those of gcc. A real operand of floating type stays real: adding it leaves the
//! imaginary part alone (C11 annex G). Products are computed part by part; where both parts come
//! out as NaN, the library looks again for infinities, which is not modelled. Quotients are those
//! of the library: it divides `float`s in `double`; the others it scales by the larger part of the
//! divisor (Smith) and takes precautions that change nothing where all parts are far from the ends
//! of their type. Elsewhere the value is any and the run counts as not modelled. gcc folds products
//! and quotients of constants with one rounding only; so those of constants must be exact here.

use crate::condition::Targets;
use crate::context::Lowerer;
use crate::emission::Emission;
use crate::input::Fallible;
use crate::types::{CType, TyId};
use crate::value::{Builtin, LValue, Operand, Operation, Value, Where};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::value::float;
use bolide_cfa::{
    BinaryOp, CompareOp, Expr, ExprId, FloatKind, FloatTest, NondetSource, Op, Property, Type,
    UnaryOp,
};
use std::rc::Rc;

/// A real and an imaginary part.
type Parts = [ExprId; 2];

impl Emission {
    /// Whether one of the parts is a number.
    fn is_number(&mut self, parts: Parts) -> ExprId {
        let [re, im] = parts.map(|e| self.float_test(FloatTest::IsNan, e));
        let neither = self.and(re, im);
        self.not(neither)
    }

    /// As the library divides `float`s.
    fn divided_in_double(&mut self, x: Parts, y: Parts) -> Parts {
        let [[a, b], [c, d]] = [x, y].map(|z| z.map(|e| self.cast(Type::Float(FloatKind::F64), e)));
        let mut lane = |op, x, y| self.binary(op, x, y);
        let [ac, bd, bc, ad, cc, dd] = [(a, c), (b, d), (b, c), (a, d), (c, c), (d, d)]
            .map(|(x, y)| lane(BinaryOp::Mul, x, y));
        let below = lane(BinaryOp::Add, cc, dd);
        let (re, im) = (lane(BinaryOp::Add, ac, bd), lane(BinaryOp::Sub, bc, ad));
        [re, im]
            .map(|e| lane(BinaryOp::Div, e, below))
            .map(|e| self.cast(Type::Float(FloatKind::F32), e))
    }

    /// The parts where the condition holds; otherwise any values, and the run is not modelled.
    fn provided(&mut self, fine: ExprId, parts: Parts, what: &str) -> Parts {
        if self.as_int(fine).is_some_and(|known| known != 0) || self.is_dead() {
            return parts;
        }
        let vars = parts.map(|e| {
            let ty = self.type_of(e);
            let var = self.temporary(ty);
            self.assign(var, e);
            var
        });
        let (lost, end) = (self.location(), self.location());
        let origin = self.at.origin;
        self.branch(fine, Targets::new(end, lost, origin.span));
        self.resume(lost);
        self.at.origin = origin;
        for target in vars {
            let source = NondetSource::Unmodelled(what.to_owned());
            self.emit(Op::Nondet { target, source });
        }
        self.join(end);
        self.at.origin = origin;
        vars.map(|var| self.read(var))
    }

    /// The values of parts that are constants.
    fn constants(&self, parts: Parts) -> Option<[f64; 2]> {
        let value = |e: ExprId| match *self.program.exprs.get(e) {
            Expr::Float { bits, kind } => {
                Some(f64::from_bits(float::convert(bits, kind, FloatKind::F64) as u64))
            }
            _ => None,
        };
        Some([value(parts[0])?, value(parts[1])?])
    }
}

impl Lowerer<'_> {
    /// `value` times the imaginary unit.
    pub fn imaginary(&mut self, value: Operand, span: Span) -> Fallible<Operand> {
        let e = self.expect_scalar(&value, span)?;
        let scalar = self.out.type_of(e);
        let zero = self.out.zero(scalar);
        let ty = self.types.intern(CType::Complex(value.ty));
        Ok(complex(ty, [zero, e]))
    }

    /// `__real__ place` or `__imag__ place`, also of a real number.
    pub fn complex_part(&mut self, whole: LValue, imag: bool, span: Span) -> Fallible<LValue> {
        let Some(part) = self.types.complex_part(whole.ty.ty) else {
            if !self.types.is_arithmetic(whole.ty.ty) {
                return self.error(span, "this has no real and imaginary parts");
            }
            if !imag {
                return Ok(whole);
            }
            self.read(&whole, span)?;
            let scalar = self.lane_type(whole.ty.ty, span)?;
            let zero = self.out.zero(scalar);
            return Ok(LValue { at: Where::Value(Value::Scalar(zero)), ..whole });
        };
        let size = self.types.size(part).unwrap_or(0);
        let (index, offset) = if imag { (1, size) } else { (0, 0) };
        let at = match whole.at {
            Where::Vars { vars, first } => Where::Vars { vars, first: first + index },
            Where::Memory { pointer, valid } => {
                let pointer = self.out.pointer_add_bytes(pointer, offset);
                Where::Memory { pointer, valid: valid.and_then(|v| v.checked_sub(offset)) }
            }
            Where::Value(Value::Memory(pointer)) => {
                let pointer = self.out.pointer_add_bytes(pointer, offset);
                Where::Memory { pointer, valid: Some(size) }
            }
            Where::Value(Value::Leaves(parts)) => Where::Value(Value::Scalar(parts[index])),
            Where::Value(_) => {
                return self.error(span, "this has no real and imaginary parts");
            }
        };
        let ty = crate::types::QualType { ty: part, align: 0, ..whole.ty };
        Ok(LValue { ty, at, bits: None })
    }

    /// The parts of an operand as those of a type; a real number has no second one.
    fn parts_in(
        &mut self,
        operand: &Operand,
        part: TyId,
        span: Span,
    ) -> Fallible<(ExprId, Option<ExprId>)> {
        let scalar = self.lane_type(part, span)?;
        if self.types.complex_part(operand.ty).is_none() {
            let e = self.expect_scalar(operand, span)?;
            let e = self.out.cast(scalar, e);
            return Ok((self.out.save(e), None));
        }
        let parts = self.operand_lanes(operand, span)?;
        let (re, im) = (self.out.cast(scalar, parts[0]), self.out.cast(scalar, parts[1]));
        Ok((self.out.save(re), Some(self.out.save(im))))
    }

    /// An operator on two operands of which one is complex.
    pub fn complex_binary(&mut self, operation: Operation) -> Fallible<Operand> {
        let Operation { op, left, right, span } = operation;
        use ast::BinaryOp as B;
        let (left, right) = (self.promoted(left), self.promoted(right));
        let Some(ty) = self.types.complex_usual(left.ty, right.ty) else {
            return self.bad_operands(op, &left, &right, span);
        };
        let Some(part) = self.types.complex_part(ty) else {
            return self.bad_operands(op, &left, &right, span);
        };
        // gcc does not promote the parts of two complex integers.
        let narrow = |this: &Self, t: TyId| {
            this.types.complex_part(t).is_some_and(|p| this.types.promote(p, None) != p)
        };
        if left.ty != right.ty && narrow(self, left.ty) && narrow(self, right.ty) {
            return self.unsupported(span, "arithmetic with different narrow complex integers is");
        }
        let scalar = self.lane_type(part, span)?;
        let (a, b) = self.parts_in(&left, part, span)?;
        let (c, d) = self.parts_in(&right, part, span)?;
        let zero = self.out.zero(scalar);
        let full = |im: Option<ExprId>| im.unwrap_or(zero);
        if let B::Eq | B::Ne = op {
            let re = self.out.compare(CompareOp::Eq, a, c);
            let im = self.out.compare(CompareOp::Eq, full(b), full(d));
            let equal = self.out.and(re, im);
            let value = if op == B::Eq { equal } else { self.out.not(equal) };
            let value = self.out.cast(Type::signed(32), value);
            return Ok(Operand::scalar(self.types.int(), value));
        }
        let mut lane = |op, x, y| self.lane_arithmetic(op, x, y, part, span);
        let parts = match (op, b, d) {
            (B::Add, Some(b), Some(d)) => [lane(BinaryOp::Add, a, c), lane(BinaryOp::Add, b, d)],
            (B::Sub, Some(b), Some(d)) => [lane(BinaryOp::Sub, a, c), lane(BinaryOp::Sub, b, d)],
            (B::Add, ..) => [lane(BinaryOp::Add, a, c), b.or(d).unwrap_or(zero)],
            (B::Sub, Some(b), None) => [lane(BinaryOp::Sub, a, c), b],
            (B::Sub, ..) => {
                let re = lane(BinaryOp::Sub, a, c);
                let negated = complex(ty, [zero, full(d)]);
                let negated = self.lane_unary(ast::UnaryOp::Minus, negated, span)?;
                let lanes = self.operand_lanes(&negated, span)?;
                [re, lanes[1]]
            }
            (B::Mul, Some(b), None) => [lane(BinaryOp::Mul, a, c), lane(BinaryOp::Mul, b, c)],
            (B::Mul, None, Some(d)) => [lane(BinaryOp::Mul, a, c), lane(BinaryOp::Mul, a, d)],
            (B::Mul, ..) => self.product([a, full(b)], [c, full(d)], part, span)?,
            (B::Div, Some(b), None) => [lane(BinaryOp::Div, a, c), lane(BinaryOp::Div, b, c)],
            (B::Div, ..) => self.quotient([a, full(b)], [c, full(d)], part, span)?,
            _ => return self.bad_operands(op, &left, &right, span),
        };
        Ok(complex(ty, parts))
    }

    fn product(&mut self, x: Parts, y: Parts, part: TyId, span: Span) -> Fallible<Parts> {
        let ([a, b], [c, d]) = (x, y);
        let mut lane = |op, x, y| self.lane_arithmetic(op, x, y, part, span);
        let (ac, bd) = (lane(BinaryOp::Mul, a, c), lane(BinaryOp::Mul, b, d));
        let (ad, bc) = (lane(BinaryOp::Mul, a, d), lane(BinaryOp::Mul, b, c));
        let mut parts = [lane(BinaryOp::Sub, ac, bd), lane(BinaryOp::Add, ad, bc)];
        if self.types.is_integer(part) {
            return Ok(parts);
        }
        let fine = match [x, y, parts].map(|z| self.out.constants(z)) {
            [Some(x), Some(y), Some(z)] => {
                let exact = exact_product(x, y) == Some(z);
                self.out.bool(exact)
            }
            _ => {
                parts = parts.map(|e| self.out.save(e));
                self.out.is_number(parts)
            }
        };
        Ok(self.out.provided(fine, parts, "a complex product"))
    }

    fn quotient(&mut self, x: Parts, y: Parts, part: TyId, span: Span) -> Fallible<Parts> {
        let CType::Float(kind) = *self.types.get(part) else {
            return Ok(self.integer_quotient(x, y, part, span));
        };
        let parts = match kind {
            FloatKind::F32 => self.out.divided_in_double(x, y),
            _ => self.smith(x, y, part),
        };
        let parts = parts.map(|e| self.out.save(e));
        let fine = match [x, y, parts].map(|z| self.out.constants(z)) {
            [Some(x), Some(y), Some(z)] => {
                let exact = exact_product(z, y) == Some(x);
                self.out.bool(exact)
            }
            _ if kind == FloatKind::F32 => self.out.is_number(parts),
            _ => {
                let [re, im] = y.map(|e| self.out.truth(e));
                let mut fine = self.out.or(re, im);
                for e in [x, y].into_iter().flatten() {
                    let moderate = self.is_moderate(e, kind);
                    fine = self.out.and(fine, moderate);
                }
                fine
            }
        };
        Ok(self.out.provided(fine, parts, "a complex quotient"))
    }

    /// Smith's method: everything divided by the larger part of the divisor.
    fn smith(&mut self, x: Parts, y: Parts, part: TyId) -> Parts {
        let ([a, b], [c, d]) = (x, y);
        let magnitudes = [c, d].map(|e| self.magnitude(e, part));
        let first = self.out.compare(CompareOp::Lt, magnitudes[0], magnitudes[1]);
        let integer = self.types.is_integer(part);
        let mut lane = |op, x, y| match integer {
            true => self.lane_promoted(op, x, y, part),
            false => self.out.binary(op, x, y),
        };
        let mut scaled = |a, b, c, d| {
            let ratio = lane(BinaryOp::Div, c, d);
            let below = lane(BinaryOp::Mul, c, ratio);
            let below = lane(BinaryOp::Add, below, d);
            (lane(BinaryOp::Mul, a, ratio), lane(BinaryOp::Mul, b, ratio), below)
        };
        let (ar, br, below) = scaled(a, b, c, d);
        let (ar_, br_, below_) = scaled(a, b, d, c);
        let re = [lane(BinaryOp::Add, ar, b), lane(BinaryOp::Add, br_, a)];
        let im = [lane(BinaryOp::Sub, br, a), lane(BinaryOp::Sub, b, ar_)];
        let re = [lane(BinaryOp::Div, re[0], below), lane(BinaryOp::Div, re[1], below_)];
        let im = [lane(BinaryOp::Div, im[0], below), lane(BinaryOp::Div, im[1], below_)];
        [self.out.ite(first, re[0], re[1]), self.out.ite(first, im[0], im[1])]
    }

    fn magnitude(&mut self, e: ExprId, part: TyId) -> ExprId {
        let ty = self.out.type_of(e);
        let zero = self.out.zero(ty);
        let negative = self.out.compare(CompareOp::Lt, e, zero);
        let negated = match ty {
            Type::Int(_) => self.lane_promoted(BinaryOp::Sub, zero, e, part),
            _ => self.out.unary(UnaryOp::Neg, e),
        };
        self.out.ite(negative, negated, e)
    }

    fn integer_quotient(&mut self, x: Parts, y: Parts, part: TyId, span: Span) -> Parts {
        if self.input.checks(Property::NoOverflow) {
            self.lost(span, "overflow in the division of complex integers");
        }
        // The divisor that Smith's method comes to is zero where both parts are.
        let [re, im] = y.map(|e| self.out.truth(e));
        let some = self.out.or(re, im);
        self.check_divisor(some, span);
        self.smith(x, y, part)
    }

    /// Whether a part is zero or so far from the ends of its type that no quotient of products
    /// with others like it comes near them.
    fn is_moderate(&mut self, e: ExprId, kind: FloatKind) -> ExprId {
        let part = self.types.float(kind);
        let magnitude = self.magnitude(e, part);
        let [low, high] = ["0x1p-200", "0x1p200"].map(|text| {
            let bits = float::parse(text, kind).unwrap_or(0);
            self.out.expr(Expr::Float { bits, kind })
        });
        let b = &mut self.out;
        let (above, below) =
            (b.compare(CompareOp::Le, low, magnitude), b.compare(CompareOp::Le, magnitude, high));
        let inside = b.and(above, below);
        let truth = b.truth(e);
        let zero = b.not(truth);
        b.or(zero, inside)
    }

    /// Builtins that make complex numbers or take them apart, and their names in the library.
    pub fn complex_builtin(&mut self, call: Builtin<'_>) -> Fallible<Option<Operand>> {
        let Builtin { name, arguments, span } = call;
        if let ("__builtin_complex", [re, im]) = (name, arguments) {
            let re = self.rvalue(*re)?;
            let re = self.save_operand(re);
            let im = self.rvalue(*im)?;
            let float = matches!(self.types.get(re.ty), CType::Float(_));
            if !float || re.ty != im.ty {
                return self.error(span, "`__builtin_complex` takes two floats of one type");
            }
            let parts = [self.expect_scalar(&re, span)?, self.expect_scalar(&im, span)?];
            let ty = self.types.intern(CType::Complex(re.ty));
            return Ok(Some(complex(ty, parts)));
        }
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let (plain, kind) = match plain.as_bytes().last() {
            Some(b'f') => (&plain[..plain.len() - 1], FloatKind::F32),
            // The `l` of `creal` is its own.
            Some(b'l') if plain != "creal" => (&plain[..plain.len() - 1], FloatKind::F80),
            _ => (plain, FloatKind::F64),
        };
        let ("conj" | "creal" | "cimag", [argument]) = (plain, arguments) else {
            return Ok(None);
        };
        let part = self.types.float(kind);
        let ty = self.types.intern(CType::Complex(part));
        let operand = self.rvalue(*argument)?;
        let operand = self.convert_operand(operand, ty, span)?;
        if plain == "conj" {
            return self.lane_unary(ast::UnaryOp::BitNot, operand, span).map(Some);
        }
        let parts = self.operand_lanes(&operand, span)?;
        Ok(Some(Operand::scalar(part, parts[usize::from(plain == "cimag")])))
    }
}

/// The product of numbers so small and short that `f64` has it exactly.
fn exact_product(x: [f64; 2], y: [f64; 2]) -> Option<[f64; 2]> {
    let short = |v: &f64| v.abs() <= f64::from(1 << 20) && (v * 64.0).fract() == 0.0;
    let ([a, b], [c, d]) = (x, y);
    [a, b, c, d].iter().all(short).then_some([a * c - b * d, a * d + b * c])
}

fn complex(ty: TyId, parts: Parts) -> Operand {
    Operand::new(ty, Value::Leaves(Rc::new(parts)))
}

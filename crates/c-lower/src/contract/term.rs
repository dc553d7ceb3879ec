//! Terms of contracts.
//!
//! In comments, as ACSL means it: numbers have no bounds, so sums and products are computed in a type that holds them,
//! whatever C would do; bits are those of two's complement without end; floats are compared as the numbers that they are. What
//! needs more than 128 bits, arithmetic on floats and division by what may be zero are refused.

use super::state::{Use, comparison};
use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::{IntKind, TyId};
use crate::value::{Operand, Operation, Value};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp as Operator, ExprKind, UnaryOp as Prefix};
use bolide_cfa::value::float;
use bolide_cfa::{BinaryOp, Expr, ExprId, FloatKind, IntType, Type, UnaryOp};

/// A value.
#[derive(Clone, Debug)]
enum Term {
    /// An integer, and the least and greatest that it can be.
    Int(ExprId, i128, i128),
    Float(ExprId, FloatKind),
    /// A pointer, or a record: as C has it.
    Other(Operand),
}

/// The smallest type for all numbers of a range, if there is one.
fn holding(low: i128, high: i128) -> Option<IntType> {
    let fits = |&ty: &IntType| IntType::min(ty) <= low && high <= IntType::max(ty);
    [32, 64, 128].map(IntType::signed).into_iter().find(fits)
}

impl Lowerer<'_> {
    /// The type of 64 bits, or of as many as that type has.
    pub fn long(&mut self, int: IntType) -> TyId {
        self.types.int_kind(match (int.bits, int.signed) {
            (..=32, _) => IntKind::Int,
            (64, true) => IntKind::LongLong,
            (64, false) => IntKind::ULongLong,
            _ => IntKind::Int128,
        })
    }

    /// A value of a term as C would have it, of a type that holds it.
    pub fn operand_of_term(&mut self, e: ast::ExprId) -> Fallible<Operand> {
        Ok(match self.term(e)? {
            Term::Int(e, low, high) => {
                let Some(int) = holding(low, high) else { return self.too_wide(Span::NONE) };
                let value = self.out.cast(Type::Int(int), e);
                Operand::scalar(self.long(int), value)
            }
            Term::Float(e, kind) => Operand::scalar(self.types.float(kind), e),
            Term::Other(operand) => operand,
        })
    }

    /// An integer, one more if wanted, with the least and greatest that it can be. In CBMC's clauses by C's arithmetic.
    pub fn integer_term(
        &mut self,
        e: ast::ExprId,
        plus_one: bool,
        span: Span,
    ) -> Fallible<(ExprId, i128, i128)> {
        let term = if self.is_acsl() { self.term(e)? } else { self.value_of(e)? };
        let Term::Int(mut e, mut low, mut high) = term else {
            return self.error(span, "expected an integer");
        };
        if plus_one {
            (low, high) = (low + 1, high + 1);
            let Some(int) = holding(low - 1, high) else { return self.too_wide(span) };
            let one = self.out.int(1, int);
            e = self.out.cast(Type::Int(int), e);
            e = self.out.binary(BinaryOp::Add, e, one);
        }
        Ok((e, low, high))
    }

    fn too_wide<T>(&self, span: Span) -> Fallible<T> {
        self.unsupported(span, "a term whose values need more than 128 bits is")
    }

    /// A term that stands for a condition.
    pub fn truth_of_term(&mut self, e: ast::ExprId, span: Span) -> Fallible<ExprId> {
        match self.term(e)? {
            Term::Int(e, ..) => Ok(self.out.truth(e)),
            Term::Other(operand) => self.truth_of(&operand, span),
            Term::Float(..) => self.unsupported(span, "a float as a condition of an annotation is"),
        }
    }

    /// A comparison, also `a <= b < c`.
    pub fn comparison_of_terms(
        &mut self,
        op: Operator,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> Fallible<ExprId> {
        let exprs = &self.input.ast().exprs;
        if let ExprKind::Binary { op: first, left: begin, right: middle } = exprs[left].kind
            && comparison(first).is_some()
        {
            let between =
                Span::new(exprs[left].span.end, exprs[right].span.start.max(exprs[left].span.end));
            let in_parentheses = self.input.snippet(between).starts_with(')');
            let is_chain =
                !matches!(op, Operator::Ne) && !matches!(first, Operator::Ne) && !in_parentheses;
            if !is_chain {
                return self.unsupported(span, "a comparison of a comparison is");
            }
            let a = self.comparison_of_terms(first, begin, middle, span)?;
            let b = self.comparison_of_terms(op, middle, right, span)?;
            return Ok(self.out.and(a, b));
        }
        let (a, b) = (self.term(left)?, self.term(right)?);
        self.compare_terms(op, a, b, span)
    }

    fn compare_terms(
        &mut self,
        operator: Operator,
        a: Term,
        b: Term,
        span: Span,
    ) -> Fallible<ExprId> {
        let Some((op, is_turned)) = comparison(operator) else {
            return self.error(span, "expected a comparison");
        };
        match (a, b) {
            (Term::Int(a, low, high), Term::Int(b, least, most)) => {
                let Some(int) = holding(low.min(least), high.max(most)) else {
                    return self.too_wide(span);
                };
                let (a, b) = (self.out.cast(Type::Int(int), a), self.out.cast(Type::Int(int), b));
                let (a, b) = if is_turned { (b, a) } else { (a, b) };
                Ok(self.out.compare(op, a, b))
            }
            (a @ Term::Float(..), b) | (a, b @ Term::Float(..)) => {
                let kind = match (&a, &b) {
                    (Term::Float(_, x), Term::Float(_, y)) => *x.max(y),
                    (Term::Float(_, x), _) | (_, Term::Float(_, x)) => *x,
                    _ => FloatKind::F64,
                };
                let (Some(a), Some(b)) = (self.as_float(a, kind), self.as_float(b, kind)) else {
                    return self.unsupported(span, "this comparison of a float is");
                };
                let (a, b) = if is_turned { (b, a) } else { (a, b) };
                Ok(self.out.compare(op, a, b))
            }
            (a, b) => {
                // Pointers, and the null that they are compared with.
                let (left, right) = (self.as_operand(a, span)?, self.as_operand(b, span)?);
                let is_scalar = |o: &Operand| matches!(o.value, Value::Scalar(_));
                if !is_scalar(&left) || !is_scalar(&right) {
                    return self.unsupported(span, "a comparison of records is");
                }
                let operand = self.binary(Operation { op: operator, left, right, span })?;
                self.truth_of(&operand, span)
            }
        }
    }

    fn as_operand(&mut self, term: Term, span: Span) -> Fallible<Operand> {
        match term {
            Term::Other(operand) => Ok(operand),
            Term::Int(e, low, high) => {
                let Some(int) = holding(low, high) else { return self.too_wide(span) };
                let value = self.out.cast(Type::Int(int), e);
                Ok(Operand::scalar(self.long(int), value))
            }
            Term::Float(e, kind) => Ok(Operand::scalar(self.types.float(kind), e)),
        }
    }

    /// A float of that format, or a small constant, which then is exact.
    fn as_float(&mut self, term: Term, kind: FloatKind) -> Option<ExprId> {
        match term {
            Term::Float(e, _) => Some(self.out.cast(Type::Float(kind), e)),
            Term::Int(e, ..) => {
                self.out.as_int(e).filter(|n| n.abs() < 1 << 24)?;
                Some(self.out.cast(Type::Float(kind), e))
            }
            Term::Other(_) => None,
        }
    }

    fn term(&mut self, e: ast::ExprId) -> Fallible<Term> {
        let span = self.input.ast().exprs[e].span;
        self.deeper(span, |this| this.term_here(e, span))
    }

    fn term_here(&mut self, e: ast::ExprId, span: Span) -> Fallible<Term> {
        let unit = self.input.ast();
        match &unit.exprs[e].kind {
            ExprKind::Integer { value, format } if !format.is_imaginary => {
                Ok(self.number(i128::from(*value)))
            }
            ExprKind::Char { value, .. } => Ok(self.number(i128::from(*value))),
            ExprKind::Float { text, is_imaginary: false, .. } => {
                match self.real(unit.name(*text)) {
                    Some(term) => Ok(term),
                    None => self.unsupported(span, "a number that is no `double` is"),
                }
            }
            ExprKind::Unary { op: Prefix::Plus, operand } => self.term(*operand),
            ExprKind::Unary { op: op @ (Prefix::Minus | Prefix::BitNot), operand } => {
                let term = self.term(*operand)?;
                self.negated(*op == Prefix::BitNot, term, span)
            }
            ExprKind::Unary { op: Prefix::Not, .. } => {
                self.unsupported(span, "a truth value as a number is")
            }
            ExprKind::Binary { op, left, right } => {
                if comparison(*op).is_some()
                    || matches!(op, Operator::LogicalAnd | Operator::LogicalOr)
                {
                    return self.unsupported(span, "a truth value as a number is");
                }
                let (a, b) = (self.term(*left)?, self.term(*right)?);
                self.arithmetic(*op, a, b, span)
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                let condition = self.formula(*condition, Use::Value)?;
                let (a, b) = (self.term(*then)?, self.term(*otherwise)?);
                let (Term::Int(a, low, high), Term::Int(b, least, most)) = (a, b) else {
                    return self.unsupported(span, "a choice of other things than integers is");
                };
                let (low, high) = (low.min(least), high.max(most));
                let Some(int) = holding(low, high) else { return self.too_wide(span) };
                let (a, b) = (self.out.cast(Type::Int(int), a), self.out.cast(Type::Int(int), b));
                Ok(Term::Int(self.out.ite(condition, a, b), low, high))
            }
            ExprKind::Call { callee, arguments } => {
                let ExprKind::Name(name) = unit.exprs[*callee].kind else {
                    return self.error(span, "a call in an annotation");
                };
                if let Some(meaning) = self.meaning(name) {
                    return self.expanded(&meaning, arguments, span, Self::term);
                }
                let text = unit.name(name);
                if !text.starts_with('\\') {
                    return self.error(
                        span,
                        format!("`{text}` is neither a predicate nor a logic function"),
                    );
                }
                self.value_of(e)
            }
            ExprKind::Quantified { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Comma { .. }
            | ExprKind::StmtExpr(_) => self.error(span, "this is no term of an annotation"),
            ExprKind::Unary { op, .. } if op.is_step() => {
                self.error(span, "a contract must not change anything")
            }
            _ => self.value_of(e),
        }
    }

    /// What C reads there.
    fn value_of(&mut self, e: ast::ExprId) -> Fallible<Term> {
        let operand = self.rvalue(e)?;
        let Value::Scalar(value) = operand.value else { return Ok(Term::Other(operand)) };
        Ok(match self.out.type_of(value) {
            Type::Int(ty) if ty.bits < 128 || ty.signed => Term::Int(value, ty.min(), ty.max()),
            Type::Int(_) => return self.too_wide(self.input.ast().exprs[e].span),
            Type::Float(kind) => Term::Float(value, kind),
            Type::Pointer => Term::Other(operand),
        })
    }

    fn number(&mut self, value: i128) -> Term {
        let ty = holding(value, value).unwrap_or(IntType::signed(128));
        Term::Int(self.out.int(value, ty), value, value)
    }

    /// A real number, if a double is exactly that.
    fn real(&mut self, text: &str) -> Option<Term> {
        // Longer ones may differ from a double by less than the wider format shows.
        const LENGTH: usize = 30;
        let kind = FloatKind::F64;
        let bits = float::parse(text, kind).filter(|_| text.len() <= LENGTH)?;
        let wide = float::convert(bits, kind, FloatKind::F128);
        let is_exact = float::parse(text, FloatKind::F128) == Some(wide);
        is_exact.then(|| Term::Float(self.out.expr(Expr::Float { bits, kind }), kind))
    }

    /// `-a`, or `~a`, which is one less.
    fn negated(&mut self, less_one: bool, term: Term, span: Span) -> Fallible<Term> {
        match term {
            Term::Int(e, low, high) => {
                let by = i128::from(less_one);
                let ends = (
                    high.checked_neg().and_then(|n| n.checked_sub(by)),
                    low.checked_neg().and_then(|n| n.checked_sub(by)),
                );
                let (Some(from), Some(to)) = ends else { return self.too_wide(span) };
                let Some(int) = holding(from.min(low), to.max(high)) else {
                    return self.too_wide(span);
                };
                let e = self.out.cast(Type::Int(int), e);
                let op = if less_one { UnaryOp::BitNot } else { UnaryOp::Neg };
                Ok(Term::Int(self.out.unary(op, e), from, to))
            }
            Term::Float(e, kind) if !less_one => {
                Ok(Term::Float(self.out.unary(UnaryOp::Neg, e), kind))
            }
            _ => self.unsupported(span, "this operator on what is no number is"),
        }
    }

    /// A result without wrap-around.
    fn arithmetic(&mut self, op: Operator, a: Term, b: Term, span: Span) -> Fallible<Term> {
        let (Term::Int(x, low, high), Term::Int(y, least, most)) = (&a, &b) else {
            return self.on_pointers(op, a, b, span);
        };
        let (x, y, low, high, least, most) = (*x, *y, *low, *high, *least, *most);
        let ends = |f: fn(i128, i128) -> Option<i128>| {
            let all = [f(low, least)?, f(low, most)?, f(high, least)?, f(high, most)?];
            Some((*all.iter().min()?, *all.iter().max()?))
        };
        let whole = holding(low.min(least), high.max(most)).map(|int| (int.min(), int.max()));
        let (machine, range) = match op {
            Operator::Add => (BinaryOp::Add, ends(i128::checked_add)),
            Operator::Sub => (BinaryOp::Sub, ends(i128::checked_sub)),
            Operator::Mul => (BinaryOp::Mul, ends(i128::checked_mul)),
            Operator::Div | Operator::Rem => {
                if least <= 0 && most >= 0 {
                    return self
                        .unsupported(span, "division by what may be zero, in an annotation, is");
                }
                let most = low.checked_abs().zip(high.checked_abs()).map(|(a, b)| a.max(b));
                let op = if op == Operator::Div { BinaryOp::Div } else { BinaryOp::Rem };
                (op, most.map(|most| (-most, most)))
            }
            Operator::BitAnd if low >= 0 => (BinaryOp::BitAnd, Some((0, high))),
            Operator::BitAnd if least >= 0 => (BinaryOp::BitAnd, Some((0, most))),
            Operator::BitAnd => (BinaryOp::BitAnd, whole),
            Operator::BitOr => (BinaryOp::BitOr, whole),
            Operator::BitXor => (BinaryOp::BitXor, whole),
            Operator::Shl | Operator::Shr if least == most && (0..64).contains(&least) => {
                let power = self.number(1i128 << least);
                if op == Operator::Shl {
                    return self.arithmetic(Operator::Mul, a, power, span);
                }
                let Some(int) = holding(low, high) else { return self.too_wide(span) };
                let (x, by) =
                    (self.out.cast(Type::Int(int), x), self.out.int(least, IntType::signed(32)));
                if least >= i128::from(int.bits) {
                    return self.unsupported(span, "a shift by more than the value has bits is");
                }
                let shifted = self.out.binary(BinaryOp::Shr, x, by);
                return Ok(Term::Int(shifted, low >> least, high >> least));
            }
            _ => return self.unsupported(span, "this operator in an annotation is"),
        };
        let Some((from, to)) = range else { return self.too_wide(span) };
        let Some(int) = holding(from.min(low).min(least), to.max(high).max(most)) else {
            return self.too_wide(span);
        };
        let (x, y) = (self.out.cast(Type::Int(int), x), self.out.cast(Type::Int(int), y));
        Ok(Term::Int(self.out.binary(machine, x, y), from, to))
    }

    /// A pointer moved, or the distance of two.
    fn on_pointers(&mut self, op: Operator, a: Term, b: Term, span: Span) -> Fallible<Term> {
        if !matches!(op, Operator::Add | Operator::Sub)
            || matches!(a, Term::Float(..))
            || matches!(b, Term::Float(..))
        {
            return self.unsupported(span, "arithmetic on floats in an annotation is");
        }
        let (left, right) = (self.as_operand(a, span)?, self.as_operand(b, span)?);
        let operand = self.binary(Operation { op, left, right, span })?;
        let Value::Scalar(value) = operand.value else { return Ok(Term::Other(operand)) };
        Ok(match self.out.type_of(value) {
            Type::Int(ty) => Term::Int(value, ty.min(), ty.max()),
            _ => Term::Other(operand),
        })
    }
}

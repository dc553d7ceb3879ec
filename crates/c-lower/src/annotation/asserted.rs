//! Assertions in annotation comments, as checks of the program.
//!
//! `//@ assert e;` between statements claims `e` there, as ACSL means it: numbers have no bounds, so sums and products
//! are computed in a type that holds them, whatever C would do; floats are compared as the numbers that they are. What cannot
//! be said so (arithmetic on floats, bits, calls, ghost code) is not checked, and the caller is told: nothing is proved of a
//! program with such an assertion.

use crate::context::Lowerer;
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp as Operator, ExprKind, StmtKind, UnaryOp as Prefix};
use bolide_cfa::value::float;
use bolide_cfa::{BinaryOp, CompareOp, Expr, ExprId, FloatKind, IntType, Property, Type, UnaryOp};

/// A value in an assertion.
#[derive(Clone, Copy, Debug)]
enum Term {
    /// An integer, and the least and greatest that it can be.
    Int(ExprId, i128, i128),
    Float(ExprId, FloatKind),
    /// Only compared, as C does.
    Other,
}

/// The smallest type for all numbers of a range, if there is one.
fn holding(low: i128, high: i128) -> Option<IntType> {
    let fits = |&ty: &IntType| IntType::min(ty) <= low && high <= IntType::max(ty);
    [32, 64, 128].map(IntType::signed).into_iter().find(fits)
}

impl Lowerer<'_> {
    /// Checks what the comment of that number asserts, where lowering stands.
    pub(super) fn check_annotation(&mut self, comment: usize) {
        let unit = self.input.ast();
        let Some(property) = self.input.assertion_property() else { return };
        let at = unit.assertions.binary_search_by_key(&comment, |a| a.comment);
        let ghost = || unit.annotations.iter().any(|a| a.text.contains("ghost"));
        let conditions = match at {
            Ok(at) if !ghost() => unit.assertions[at].conditions.as_slice(),
            _ => return self.not_checked(comment),
        };
        for &condition in conditions {
            let here = self.out.at.cur;
            match self.understands(condition).then(|| self.claim(condition)).flatten() {
                // Required: nothing was evaluated on the way, where a guard may forbid it.
                Some(ok) if self.out.at.cur == here => {
                    let span = unit.exprs[condition].span;
                    self.check(property, ok, span, |this| {
                        format!("the assertion `{}` fails", this.input.snippet(span))
                    });
                }
                _ => return self.not_checked(comment),
            }
        }
    }

    fn not_checked(&mut self, comment: usize) {
        let span = self.input.ast().annotations[comment].span;
        self.out.unchecked.insert((self.input.unit, span.start, span.end));
    }

    /// The assertions that nothing checks: those that stand within a statement of a block that runs, and those that
    /// belong to no block. A block that was not lowered does not run.
    pub(crate) fn unchecked(&self) -> Vec<Span> {
        if self.input.assertion_property().is_none() {
            return Vec::new();
        }
        let mut unchecked = self.out.unchecked.clone();
        for (number, unit) in self.input.units[..self.input.first_model].iter().enumerate() {
            let claims = unit.annotations.iter().filter(|a| a.text.contains("assert"));
            for &Span { start, end } in claims.map(|a| &a.span) {
                let blocks = unit.stmts.values().filter(|stmt| {
                    matches!(stmt.kind, StmtKind::Compound(_))
                        && stmt.span.start <= start
                        && end <= stmt.span.end
                });
                let innermost = blocks.map(|stmt| stmt.span).max_by_key(|span| span.start);
                let runs = innermost.is_none_or(|block| self.out.blocks.contains(&(number, block)));
                if runs && !self.out.reached.contains(&(number, start)) {
                    unchecked.insert((number, start, end));
                }
            }
        }
        unchecked.into_iter().map(|(_, start, end)| Span { start, end }).collect()
    }

    /// Whether an expression consists of what has the same meaning in C and ACSL, or is given ACSL's here.
    fn understands(&self, e: ast::ExprId) -> bool {
        let unit = self.input.ast();
        let reads_memory = !self.input.checks(Property::ValidDeref);
        match unit.exprs[e].kind {
            ExprKind::Integer { format, .. } => !format.is_imaginary,
            ExprKind::Float { is_imaginary, .. } => !is_imaginary,
            ExprKind::Name(_) | ExprKind::Char { .. } | ExprKind::SizeofType(_) => true,
            ExprKind::SizeofExpr(operand) => self.is_place(operand),
            ExprKind::Unary { op, operand } => match op {
                Prefix::Not | Prefix::Minus | Prefix::Plus => self.understands(operand),
                Prefix::Deref => reads_memory && self.is_place(operand),
                Prefix::AddressOf => self.is_place(operand),
                _ => false,
            },
            ExprKind::Binary { op, left, right } => {
                let bits = [
                    Operator::Shl,
                    Operator::Shr,
                    Operator::BitAnd,
                    Operator::BitOr,
                    Operator::BitXor,
                ];
                !bits.contains(&op) && self.understands(left) && self.understands(right)
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                [condition, then, otherwise].iter().all(|&e| self.understands(e))
            }
            ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Cast { .. } => {
                self.is_place(e)
            }
            _ => false,
        }
    }

    /// Whether an expression names a place, or a value made of one, without any arithmetic of C's.
    fn is_place(&self, e: ast::ExprId) -> bool {
        let reads_memory = !self.input.checks(Property::ValidDeref);
        match self.input.ast().exprs[e].kind {
            ExprKind::Name(_) => true,
            ExprKind::Integer { format, .. } => !format.is_imaginary,
            ExprKind::Member { base, is_arrow, .. } => {
                (reads_memory || !is_arrow) && self.is_place(base)
            }
            ExprKind::Index { base, index } => {
                reads_memory && self.is_place(base) && self.is_place(index)
            }
            ExprKind::Unary { op: Prefix::Deref, operand } => {
                reads_memory && self.is_place(operand)
            }
            ExprKind::Unary { op: Prefix::AddressOf, operand } => self.is_place(operand),
            ExprKind::Cast { operand, .. } => self.is_place(operand),
            _ => false,
        }
    }

    /// A condition; none where it cannot be said.
    fn claim(&mut self, e: ast::ExprId) -> Option<ExprId> {
        let unit = self.input.ast();
        match unit.exprs[e].kind {
            ExprKind::Name(name) if unit.name(name) == "\\true" => Some(self.out.bool(true)),
            ExprKind::Name(name) if unit.name(name) == "\\false" => Some(self.out.bool(false)),
            ExprKind::Unary { op: Prefix::Not, operand } => {
                let condition = self.claim(operand)?;
                Some(self.out.not(condition))
            }
            ExprKind::Binary { op: Operator::LogicalAnd, left, right } => {
                let (a, b) = (self.claim(left)?, self.claim(right)?);
                let no = self.out.bool(false);
                Some(self.out.ite(a, b, no))
            }
            ExprKind::Binary { op: Operator::LogicalOr, left, right } => {
                let (a, b) = (self.claim(left)?, self.claim(right)?);
                let yes = self.out.bool(true);
                Some(self.out.ite(a, yes, b))
            }
            ExprKind::Binary { op, left, right } if comparison(op).is_some() => {
                self.claim_comparison(e, op, left, right)
            }
            _ => match self.term(e)? {
                Term::Int(e, ..) => Some(self.out.truth(e)),
                _ => None,
            },
        }
    }

    fn claim_comparison(
        &mut self,
        e: ast::ExprId,
        op: Operator,
        left: ast::ExprId,
        right: ast::ExprId,
    ) -> Option<ExprId> {
        let (op, is_turned) = comparison(op)?;
        let (a, b) = (self.term(left)?, self.term(right)?);
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        match (a, b) {
            (Term::Int(a, low, high), Term::Int(b, least, most)) => {
                let ty = Type::Int(holding(low.min(least), high.max(most))?);
                let (a, b) = (self.out.cast(ty, a), self.out.cast(ty, b));
                Some(self.out.compare(op, a, b))
            }
            (Term::Float(a, x), Term::Float(b, y)) => self.compare_floats(op, (a, x), (b, y)),
            (Term::Float(a, x), Term::Int(b, ..)) => {
                let b = self.as_float(b, x)?;
                self.compare_floats(op, (a, x), (b, x))
            }
            (Term::Int(a, ..), Term::Float(b, y)) => {
                let a = self.as_float(a, y)?;
                self.compare_floats(op, (a, y), (b, y))
            }
            // Pointers, and the null that they are compared with.
            (Term::Other, Term::Other | Term::Int(_, 0, 0)) | (Term::Int(_, 0, 0), Term::Other)
                if matches!(op, CompareOp::Eq | CompareOp::Ne) =>
            {
                let operand = self.rvalue(e).ok()?;
                let value = self.expect_scalar(&operand, Span::NONE).ok()?;
                Some(self.out.truth(value))
            }
            _ => None,
        }
    }

    fn compare_floats(
        &mut self,
        op: CompareOp,
        (a, x): (ExprId, FloatKind),
        (b, y): (ExprId, FloatKind),
    ) -> Option<ExprId> {
        let ty = Type::Float(x.max(y));
        let (a, b) = (self.out.cast(ty, a), self.out.cast(ty, b));
        Some(self.out.compare(op, a, b))
    }

    /// A small constant as a float, which then is exact.
    fn as_float(&mut self, e: ExprId, kind: FloatKind) -> Option<ExprId> {
        self.out.as_int(e).filter(|n| n.abs() < 1 << 24)?;
        Some(self.out.cast(Type::Float(kind), e))
    }

    fn term(&mut self, e: ast::ExprId) -> Option<Term> {
        let unit = self.input.ast();
        match unit.exprs[e].kind {
            ExprKind::Integer { value, .. } => self.number(i128::from(value)),
            ExprKind::Char { value, .. } => self.number(i128::from(value)),
            ExprKind::Float { text, .. } => self.real(unit.name(text)),
            ExprKind::Unary { op: Prefix::Plus, operand } => self.term(operand),
            ExprKind::Unary { op: Prefix::Minus, operand } => match self.term(operand)? {
                Term::Int(e, low, high) => {
                    let ty = holding(low.min(high.checked_neg()?), high.max(low.checked_neg()?))?;
                    let e = self.out.cast(Type::Int(ty), e);
                    Some(Term::Int(self.out.unary(UnaryOp::Neg, e), -high, -low))
                }
                Term::Float(e, kind) => Some(Term::Float(self.out.unary(UnaryOp::Neg, e), kind)),
                Term::Other => None,
            },
            ExprKind::Binary { op, left, right } => {
                let op = match op {
                    Operator::Add => BinaryOp::Add,
                    Operator::Sub => BinaryOp::Sub,
                    Operator::Mul => BinaryOp::Mul,
                    Operator::Div => BinaryOp::Div,
                    Operator::Rem => BinaryOp::Rem,
                    _ => return None,
                };
                let (a, b) = (self.term(left)?, self.term(right)?);
                self.arithmetic(op, a, b)
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                let condition = self.claim(condition)?;
                let (a, b) = (self.term(then)?, self.term(otherwise)?);
                let (Term::Int(a, low, high), Term::Int(b, least, most)) = (a, b) else {
                    return None;
                };
                let (low, high) = (low.min(least), high.max(most));
                let ty = Type::Int(holding(low, high)?);
                let (a, b) = (self.out.cast(ty, a), self.out.cast(ty, b));
                Some(Term::Int(self.out.ite(condition, a, b), low, high))
            }
            // A truth value is no number.
            ExprKind::Unary { op: Prefix::Not, .. } => None,
            _ => self.read_term(e),
        }
    }

    /// What C reads there.
    fn read_term(&mut self, e: ast::ExprId) -> Option<Term> {
        let operand = self.rvalue(e).ok()?;
        let value = self.expect_scalar(&operand, Span::NONE).ok()?;
        match self.out.type_of(value) {
            Type::Int(ty) if ty.bits < 128 => Some(Term::Int(value, ty.min(), ty.max())),
            Type::Int(_) => None,
            Type::Float(kind) => Some(Term::Float(value, kind)),
            Type::Pointer => Some(Term::Other),
        }
    }

    fn number(&mut self, value: i128) -> Option<Term> {
        let ty = holding(value, value)?;
        Some(Term::Int(self.out.int(value, ty), value, value))
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

    /// A result without wrap-around.
    fn arithmetic(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let (Term::Int(a, low, high), Term::Int(b, least, most)) = (a, b) else { return None };
        let ends = |f: fn(i128, i128) -> Option<i128>| {
            let all = [f(low, least)?, f(low, most)?, f(high, least)?, f(high, most)?];
            Some((*all.iter().min()?, *all.iter().max()?))
        };
        let (from, to) = match op {
            BinaryOp::Add => ends(i128::checked_add)?,
            BinaryOp::Sub => ends(i128::checked_sub)?,
            BinaryOp::Mul => ends(i128::checked_mul)?,
            // By what cannot be zero.
            _ if least > 0 || most < 0 => {
                let most = low.checked_abs()?.max(high.checked_abs()?);
                (-most, most)
            }
            _ => return None,
        };
        let ty = holding(from.min(low).min(least), to.max(high).max(most))?;
        let (a, b) = (self.out.cast(Type::Int(ty), a), self.out.cast(Type::Int(ty), b));
        Some(Term::Int(self.out.binary(op, a, b), from, to))
    }
}

/// A comparison, and whether its operands change places.
fn comparison(op: Operator) -> Option<(CompareOp, bool)> {
    Some(match op {
        Operator::Eq => (CompareOp::Eq, false),
        Operator::Ne => (CompareOp::Ne, false),
        Operator::Lt => (CompareOp::Lt, false),
        Operator::Le => (CompareOp::Le, false),
        Operator::Gt => (CompareOp::Lt, true),
        Operator::Ge => (CompareOp::Le, true),
        _ => return None,
    })
}

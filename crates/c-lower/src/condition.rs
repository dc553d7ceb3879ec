//! Conditions: branching on them, and their values.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::facts;
use crate::input::{Fallible, Input};
use crate::value::Operand;
use bolide_base::{Span, arena::Id};
use bolide_c_syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};
use bolide_cfa::{ExprId, LocId, Op, Origin, Property, Role, Type};

/// Where to go when a condition holds and when not, and what the edges that
/// get there stand for in the source.
#[derive(Clone, Copy)]
pub struct Targets {
    yes: LocId,
    no: LocId,
    yes_origin: Origin,
    no_origin: Origin,
}

impl Targets {
    /// The two ways out of the statement whose keyword is at `span`.
    pub fn new(yes: LocId, no: LocId, span: Span) -> Self {
        let origin = |taken| Origin { span, role: Role::Branch { taken } };
        Targets { yes, no, yes_origin: origin(true), no_origin: origin(false) }
    }

    fn swapped(self) -> Self {
        Targets {
            yes: self.no,
            no: self.yes,
            yes_origin: self.no_origin,
            no_origin: self.yes_origin,
        }
    }
}

impl Emission {
    /// Leaves by one of two edges.
    pub fn branch(&mut self, condition: ExprId, targets: Targets) {
        let Some(cur) = self.at.cur.take() else { return };
        let negated = self.not(condition);
        let Targets { yes, no, yes_origin, no_origin } = targets;
        for (condition, to, origin) in [(condition, yes, yes_origin), (negated, no, no_origin)] {
            if let Some(op) = self.passing(condition) {
                self.program.add_edge(cur, to, op, origin);
            }
        }
    }

    /// The step that is made only where the condition holds; none where it never does.
    pub fn passing(&self, condition: ExprId) -> Option<Op> {
        match self.as_int(condition) {
            Some(0) => None,
            Some(_) => Some(Op::Skip),
            None => Some(Op::Assume(condition)),
        }
    }
}

impl Input<'_> {
    /// Whether an expression is this name.
    pub fn is_name(&self, e: ast::ExprId, name: &str) -> bool {
        match self.ast().exprs[e].kind {
            ExprKind::Name(symbol) => self.text(symbol) == name,
            _ => false,
        }
    }

    /// The place between two operands: the operator.
    fn operator_origin(&self, left: ast::ExprId, right: ast::ExprId, taken: bool) -> Origin {
        let exprs = &self.ast().exprs;
        let (end, start) = (exprs[left].span.end, exprs[right].span.start);
        let span = if end <= start { Span::new(end, start) } else { exprs[right].span };
        Origin { span: self.span(span), role: Role::Branch { taken } }
    }

    /// Whether evaluating the expression makes edges: effects or checks.
    pub fn needs_edges(&self, e: ast::ExprId) -> bool {
        self.flags_of(e) & (facts::EFFECT | facts::EDGES) != 0 || self.is_checked(e)
    }

    /// Whether something is checked where the expression is evaluated.
    pub fn is_checked(&self, e: ast::ExprId) -> bool {
        let checks = [
            (Property::NoOverflow, facts::ARITHMETIC),
            (Property::DivByZero, facts::DIVISION),
            (Property::ValidShift, facts::SHIFT),
            (Property::ValidDeref, facts::DEREF),
        ];
        let flags = self.flags_of(e);
        checks.iter().any(|&(property, flag)| flags & flag != 0 && self.checks(property))
    }

    /// Whether evaluating the expression may change anything.
    pub fn has_effect(&self, e: ast::ExprId) -> bool {
        self.flags_of(e) & facts::EFFECT != 0
    }

    /// What the expression or a part of it does.
    pub fn flags_of(&self, e: ast::ExprId) -> u8 {
        self.facts[self.unit].flags.get(e.index()).copied().unwrap_or(u8::MAX)
    }
}

impl Lowerer<'_> {
    /// Evaluates a condition and leaves by one of two edges. `&&`, `||` and `!`
    /// become control flow; an edge that decides the whole condition carries the
    /// origin of the statement, others that of the operator.
    pub fn branch_on(&mut self, e: ast::ExprId, targets: Targets) -> Fallible<()> {
        let span = self.input.ast().exprs[e].span;
        self.deeper(span, |this| this.branch_on_here(e, targets))
    }

    fn branch_on_here(&mut self, e: ast::ExprId, targets: Targets) -> Fallible<()> {
        let unit = self.input.ast();
        let expr = &unit.exprs[e];
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                self.branch_on(*operand, targets.swapped())
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
                left,
                right,
            } => {
                let (middle, is_and) = (self.out.location(), *op == BinaryOp::LogicalAnd);
                let operator = self.input.operator_origin(*left, *right, is_and);
                let first = match is_and {
                    true => Targets { yes: middle, yes_origin: operator, ..targets },
                    false => Targets { no: middle, no_origin: operator, ..targets },
                };
                self.branch_on(*left, first)?;
                self.out.resume(middle);
                self.branch_on(*right, targets)
            }
            ExprKind::Comma { left, right } => {
                self.effect(*left)?;
                self.watch_comma();
                self.branch_on(*right, targets)
            }
            ExprKind::Call { callee, arguments }
                if arguments.len() >= 2 && self.input.is_name(*callee, "__builtin_expect") =>
            {
                for &guess in &arguments[1..] {
                    self.effect(guess)?;
                }
                self.branch_on(arguments[0], targets)
            }
            _ => {
                let condition = self.condition(e)?;
                self.out.branch(condition, targets);
                Ok(())
            }
        }
    }

    /// The truth of an expression, as a condition.
    pub fn condition(&mut self, e: ast::ExprId) -> Fallible<ExprId> {
        let operand = self.rvalue(e)?;
        let span = self.input.ast().exprs[e].span;
        self.truth_of(&operand, span)
    }

    /// The value of `a && b` or `a || b`, of type `int`.
    pub fn logical(
        &mut self,
        op: BinaryOp,
        left: ast::ExprId,
        right: ast::ExprId,
    ) -> Fallible<Operand> {
        let is_and = op == BinaryOp::LogicalAnd;
        let first = self.condition(left)?;
        let result = if let Some(known) = self.out.as_int(first) {
            if (known != 0) == is_and { self.condition(right)? } else { self.out.bool(!is_and) }
        } else if self.out.is_live() && self.input.needs_edges(right) {
            let origin = self.out.at.origin;
            let (second, end) = (self.out.location(), self.out.location());
            let result = self.out.temporary(Type::BOOL);
            let operator = self.input.operator_origin(left, right, true).span;
            let short = self.out.bool(!is_and);
            let targets = Targets::new(second, end, operator);
            // The short way goes through a location of its own that sets the result.
            let set = self.out.location();
            let targets = Targets { no: set, ..targets };
            let targets = if is_and { targets } else { targets.swapped_places() };
            self.out.branch(first, targets);
            self.out.resume(set);
            self.out.at.origin = origin;
            self.out.assign(result, short);
            self.out.goto(end);
            self.out.resume(second);
            self.out.at.origin = origin;
            let value = self.condition(right)?;
            self.out.at.origin = origin;
            self.out.assign(result, value);
            self.out.join(end);
            self.out.read(result)
        } else {
            let second = self.condition(right)?;
            let short = self.out.bool(!is_and);
            if is_and {
                self.out.ite(first, second, short)
            } else {
                self.out.ite(first, short, second)
            }
        };
        let value = self.out.cast(Type::signed(32), result);
        Ok(Operand::scalar(self.types.int(), value))
    }
}

impl Targets {
    /// For `||`: the condition's truth leads to the short way.
    fn swapped_places(self) -> Self {
        Targets { yes: self.no, no: self.yes, ..self }
    }
}

//! Formulas of contracts as conditions of the program.
//!
//! A formula is evaluated where lowering stands. Nothing is checked on the way: what memory holds that is not there is any
//! value, as in ACSL, so a claim about it fails and an assumption about it cuts nothing. In comments numbers have no
//! bounds ([`term`](super::term)); CBMC's clauses have the arithmetic of C.
//!
//! Quantifiers. What is claimed of all values is claimed of one that is chosen freely, and what is assumed of
//! some value is assumed of one that is chosen: exactly the same runs fail or go on. The choice is made where the function begins, and all
//! quantifiers of a function share it, so an invariant at the chosen index is one that the promise at that index needs. Where the
//! quantifier stands the other way, a loop over its range computes it; what is assumed of all values is assumed of the chosen one besides,
//! which follows and which proofs need.

use super::state::{Use, comparison};
use crate::condition::Targets;
use crate::context::Lowerer;
use crate::function_state::Local;
use crate::input::Fallible;
use crate::value::{Place, Value};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp, Binder, ExprKind, UnaryOp};
use bolide_cfa::{BinaryOp as Machine, CompareOp, ExprId, IntType, NondetSource, Op, Type, VarId};

impl Lowerer<'_> {
    /// Evaluates something of a contract: nothing is checked meanwhile.
    pub fn in_logic<T>(&mut self, is_acsl: bool, body: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.f.logic.is_acsl, is_acsl);
        self.input.quiet += 1;
        let result = body(self);
        self.input.quiet -= 1;
        self.f.logic.is_acsl = before;
        result
    }

    /// Whether numbers have no bounds where lowering stands.
    pub fn is_acsl(&self) -> bool {
        self.input.quiet > 0 && self.f.logic.is_acsl
    }

    /// Runs `body` where the function, or the loop, begins.
    pub fn at_start<T>(
        &mut self,
        of_loop: bool,
        span: Span,
        body: impl FnOnce(&mut Self) -> Fallible<T>,
    ) -> Fallible<T> {
        let start = if of_loop { self.f.logic.loop_start } else { self.f.logic.start };
        let Some(start) = start else {
            return self.unsupported(span, "a value of an earlier state here is");
        };
        let cur = self.out.at.cur.replace(start);
        let result = body(self);
        let end = std::mem::replace(&mut self.out.at.cur, cur);
        match of_loop {
            true => self.f.logic.loop_start = end,
            false => self.f.logic.start = end,
        }
        result
    }

    /// The truth of a formula.
    pub fn formula(&mut self, e: ast::ExprId, how: Use) -> Fallible<ExprId> {
        let span = self.input.ast().exprs[e].span;
        self.deeper(span, |this| this.formula_here(e, how, span))
    }

    fn formula_here(&mut self, e: ast::ExprId, how: Use, span: Span) -> Fallible<ExprId> {
        let unit = self.input.ast();
        match &unit.exprs[e].kind {
            ExprKind::Name(name) if unit.name(*name) == "\\true" => Ok(self.out.bool(true)),
            ExprKind::Name(name) if unit.name(*name) == "\\false" => Ok(self.out.bool(false)),
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                let condition = self.formula(*operand, how.turned())?;
                Ok(self.out.not(condition))
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
                left,
                right,
            } => self.junction(*op == BinaryOp::LogicalAnd, *left, *right, how),
            ExprKind::Binary { op: BinaryOp::BitAnd, left, right }
                if self.conjuncts(e).is_some() =>
            {
                self.junction(true, *left, *right, how)
            }
            ExprKind::Binary { op: op @ (BinaryOp::Eq | BinaryOp::Ne), left, right }
                if self.is_formula(*left)
                    && self.is_formula(*right)
                    && self.is_no_chain(*left, *right) =>
            {
                let a = self.formula(*left, Use::Value)?;
                let b = self.formula(*right, Use::Value)?;
                let op = if *op == BinaryOp::Eq { CompareOp::Eq } else { CompareOp::Ne };
                Ok(self.out.compare(op, a, b))
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                let condition = self.formula(*condition, Use::Value)?;
                let (a, b) = (self.formula(*then, how)?, self.formula(*otherwise, how)?);
                Ok(self.out.ite(condition, a, b))
            }
            ExprKind::Quantified { is_forall, binders, body } => {
                let is_acsl = self.is_acsl();
                self.in_logic(is_acsl, |this| {
                    this.quantified(*is_forall, binders, *body, how, span)
                })
            }
            ExprKind::Call { callee, arguments } => {
                if let ExprKind::Name(name) = unit.exprs[*callee].kind {
                    let text = unit.name(name);
                    if let Some(condition) = self.memory_predicate(text, arguments, how, span)? {
                        return Ok(condition);
                    }
                    if let Some(meaning) = self.meaning(name) {
                        return self.expanded(&meaning, arguments, span, |this, body| {
                            this.formula(body, how)
                        });
                    }
                }
                if self.is_acsl() {
                    return self.truth_of_term(e, span);
                }
                self.condition(e)
            }
            ExprKind::Binary { op, left, right } if self.is_acsl() => match comparison(*op) {
                Some(_) => self.comparison_of_terms(*op, *left, *right, span),
                None => self.truth_of_term(e, span),
            },
            _ if self.is_acsl() => self.truth_of_term(e, span),
            _ => self.condition(e),
        }
    }

    /// Whether two formulas are not part of a chain of comparisons `a < b == c`.
    fn is_no_chain(&self, left: ast::ExprId, right: ast::ExprId) -> bool {
        let exprs = &self.input.ast().exprs;
        let is_not = |e: ast::ExprId| matches!(exprs[e].kind, ExprKind::Unary { .. });
        let between =
            Span::new(exprs[left].span.end, exprs[right].span.start.max(exprs[left].span.end));
        is_not(left) && is_not(right) || self.input.snippet(between).starts_with(')')
    }

    /// Whether an expression is a formula by its form.
    fn is_formula(&self, e: ast::ExprId) -> bool {
        match &self.input.ast().exprs[e].kind {
            ExprKind::Unary { op: UnaryOp::Not, .. } | ExprKind::Quantified { .. } => true,
            ExprKind::Binary { op, .. } => {
                matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr)
                    || comparison(*op).is_some()
            }
            _ => false,
        }
    }

    /// Both or one of two formulas.
    fn junction(
        &mut self,
        is_and: bool,
        left: ast::ExprId,
        right: ast::ExprId,
        how: Use,
    ) -> Fallible<ExprId> {
        // Required: where one of two claims suffices, each has chosen values of its own. Of one that both share, now the one and
        // now the other may hold, and neither of all.
        let used = self.f.logic.bound.len();
        let outer = self.f.logic.apart_claims;
        self.f.logic.apart_claims |= !is_and && how == Use::Claimed;
        let result = self.junction_of(is_and, left, right, how);
        self.f.logic.apart_claims = outer;
        if !outer {
            self.f.logic.bound.truncate(used);
        }
        result
    }

    /// What makes edges, or is checked, is evaluated only where the first one leaves it open.
    fn junction_of(
        &mut self,
        is_and: bool,
        left: ast::ExprId,
        right: ast::ExprId,
        how: Use,
    ) -> Fallible<ExprId> {
        let first = self.formula(left, how)?;
        if self.input.quiet > 0 && !self.makes_edges(right) {
            let second = self.formula(right, how)?;
            let short = self.out.bool(!is_and);
            return Ok(if is_and {
                self.out.ite(first, second, short)
            } else {
                self.out.ite(first, short, second)
            });
        }
        let span = self.input.span(self.input.ast().exprs[right].span);
        let result = self.out.temporary(Type::BOOL);
        self.out.assign(result, first);
        let (second, end) = (self.out.location(), self.out.location());
        let targets =
            if is_and { Targets::new(second, end, span) } else { Targets::new(end, second, span) };
        let condition = self.out.read(result);
        self.out.branch(condition, targets);
        self.out.resume(second);
        let value = self.formula(right, how)?;
        self.out.assign(result, value);
        self.out.join(end);
        Ok(self.out.read(result))
    }

    /// Whether evaluating a formula makes edges: it calls functions of the program, or loops.
    fn makes_edges(&self, e: ast::ExprId) -> bool {
        let unit = self.input.ast();
        match &unit.exprs[e].kind {
            ExprKind::Quantified { .. } => true,
            ExprKind::Call { .. } => true,
            kind => children(kind).into_iter().any(|e| self.makes_edges(e)),
        }
    }

    /// Whether there is a quantifier in a formula.
    pub fn has_quantifier(&self, e: ast::ExprId) -> bool {
        let kind = &self.input.ast().exprs[e].kind;
        matches!(kind, ExprKind::Quantified { .. })
            || children(kind).into_iter().any(|e| self.has_quantifier(e))
    }

    fn quantified(
        &mut self,
        is_forall: bool,
        binders: &[Binder],
        body: ast::ExprId,
        how: Use,
        span: Span,
    ) -> Fallible<ExprId> {
        if let [binder] = binders
            && is_forall
        {
            let mut guards = Vec::new();
            self.guards(true, body, &mut guards);
            if let Some(all) = self.all_bytes_zero(binder, body, &guards)? {
                return Ok(all);
            }
        }
        let is_chosen = matches!((is_forall, how), (true, Use::Claimed) | (false, Use::Assumed));
        let instance = (is_chosen || how != Use::Value && is_forall)
            .then(|| self.instance(is_forall, binders, body, how, span))
            .transpose()?;
        match instance {
            Some(instance) if is_chosen => Ok(instance),
            Some(instance) => {
                let all = self.ranged(is_forall, binders, body, span)?;
                Ok(self.out.and(all, instance))
            }
            None => self.ranged(is_forall, binders, body, span),
        }
    }

    /// The body for the chosen values.
    fn instance(
        &mut self,
        is_forall: bool,
        binders: &[Binder],
        body: ast::ExprId,
        how: Use,
        span: Span,
    ) -> Fallible<ExprId> {
        self.names_mut().enter();
        let (used, late) = (self.f.logic.bound.len(), self.f.logic.late.len());
        let result = (|| {
            for binder in binders {
                let (ty, scalar) = match binder.ty {
                    Some(name) => {
                        let ty = self.type_name(name)?;
                        let Some(scalar) = self.types.scalar(ty.ty) else {
                            return self.unsupported(span, "a quantifier over records is");
                        };
                        (ty, scalar)
                    }
                    None => {
                        let (_, _, int) = self.range_of(is_forall, binder, body, span)?;
                        (self.long(int).into(), Type::Int(int))
                    }
                };
                // Required: a value that is assumed to exist is none that something is claimed of.
                let var = match how {
                    Use::Assumed if !is_forall => {
                        self.f.logic.late.push(binder.name);
                        self.any_index(scalar)
                    }
                    _ => self.chosen(scalar, span)?,
                };
                self.bind_local(Some(binder.name), Local { ty, place: Place::Vars([var].into()) });
            }
            self.formula(body, how)
        })();
        if !self.f.logic.apart_claims {
            self.f.logic.bound.truncate(used);
        }
        self.f.logic.late.truncate(late);
        self.names_mut().leave();
        result
    }

    /// The next of the chosen values of a type.
    fn chosen(&mut self, ty: Type, span: Span) -> Fallible<VarId> {
        // The body of a function without a contract: an assertion is the only one to speak of it.
        if self.f.logic.start.is_none() {
            return Ok(self.any_index(ty));
        }
        let number = self.f.logic.bound.iter().filter(|&&used| used == ty).count();
        self.f.logic.bound.push(ty);
        let known = self.f.logic.chosen.iter().filter(|(of, _)| *of == ty).nth(number);
        if let Some(&(_, var)) = known {
            return Ok(var);
        }
        let var = self.at_start(false, span, |this| Ok(this.any_index(ty)))?;
        self.f.logic.chosen.push((ty, var));
        Ok(var)
    }

    fn any_index(&mut self, ty: Type) -> VarId {
        let target = self.out.temporary(ty);
        let source = NondetSource::Library("a value that a contract speaks of".into());
        self.out.emit(Op::Nondet { target, source });
        target
    }

    /// The value of a quantifier, by a loop over the range of what it binds.
    fn ranged(
        &mut self,
        is_forall: bool,
        binders: &[Binder],
        body: ast::ExprId,
        span: Span,
    ) -> Fallible<ExprId> {
        let [binder] = binders else {
            return self.unsupported(
                span,
                "a quantifier over several variables that has to be computed is",
            );
        };
        let own = self.type_of_binder(binder)?;
        let (low, high, int) = self.range_of(is_forall, binder, body, span)?;
        let (result, index) = (self.out.temporary(Type::BOOL), self.out.temporary(Type::Int(int)));
        let (low, high) = (self.out.cast(Type::Int(int), low), self.out.cast(Type::Int(int), high));
        let (start, limit) = (self.out.save(low), self.out.save(high));
        let begin = self.out.bool(is_forall);
        self.out.assign(result, begin);
        self.out.assign(index, start);
        let (head, inside, end) = (self.out.location(), self.out.location(), self.out.location());
        let place = self.input.span(span);
        self.out.goto(head);
        self.out.resume(head);
        let value = self.out.read(index);
        let more = self.out.compare(CompareOp::Lt, value, limit);
        self.out.branch(more, Targets::new(inside, end, place));
        self.out.resume(inside);
        self.names_mut().enter();
        let (ty, var) = match (own, binder.ty) {
            (Some(own), Some(name)) => {
                let (var, value) = (self.out.temporary(Type::Int(own)), self.out.read(index));
                let value = self.out.cast(Type::Int(own), value);
                self.out.assign(var, value);
                (self.type_name(name)?, var)
            }
            _ => (self.long(int).into(), index),
        };
        self.bind_local(Some(binder.name), Local { ty, place: Place::Vars([var].into()) });
        self.f.logic.late.push(binder.name);
        let holds = self.formula(body, Use::Value);
        self.f.logic.late.pop();
        self.names_mut().leave();
        let holds = self.out.save(holds?);
        let next = self.out.location();
        let decided = self.out.location();
        let targets = if is_forall {
            Targets::new(next, decided, place)
        } else {
            Targets::new(decided, next, place)
        };
        self.out.branch(holds, targets);
        self.out.resume(decided);
        let other = self.out.bool(!is_forall);
        self.out.assign(result, other);
        self.out.goto(end);
        self.out.resume(next);
        let one = self.out.int(1, int);
        let value = self.out.read(index);
        let value = self.out.binary(Machine::Add, value, one);
        self.out.assign(index, value);
        self.out.goto(head);
        self.out.resume(end);
        Ok(self.out.read(result))
    }

    /// The values of a variable outside of which the body of its quantifier says nothing: from the first up to, without, the
    /// second, and a type that holds them. Both are evaluated without what the quantifier binds.
    fn range_of(
        &mut self,
        is_forall: bool,
        binder: &Binder,
        body: ast::ExprId,
        span: Span,
    ) -> Fallible<(ExprId, ExprId, IntType)> {
        let own = self.type_of_binder(binder)?;
        let mut guards = Vec::new();
        self.guards(is_forall, body, &mut guards);
        let (mut low, mut high) = (None, None);
        for (op, left, right) in guards {
            let is_bound = |e: ast::ExprId| matches!(self.input.ast().exprs[e].kind, ExprKind::Name(n) if n == binder.name);
            let (bound, op) = match (is_bound(left), is_bound(right)) {
                (true, false) => (right, op),
                (false, true) => (left, mirrored(op)),
                _ => continue,
            };
            if !self.is_bound_in_c(own, bound, op)? {
                continue;
            }
            match op {
                BinaryOp::Ge | BinaryOp::Gt if low.is_none() => {
                    low = Some((bound, op == BinaryOp::Gt))
                }
                BinaryOp::Le | BinaryOp::Lt if high.is_none() => {
                    high = Some((bound, op == BinaryOp::Le))
                }
                _ => {}
            }
        }
        let (Some((low, beyond_low)), Some((high, beyond_high))) = (low, high) else {
            let name = self.input.text(binder.name);
            return self.unsupported(
                span,
                format!("a quantifier without bounds of `{name}` (`0 <= {name} < n`) is"),
            );
        };
        let (a, least, _) = self.integer_term(low, beyond_low, span)?;
        let (b, _, most) = self.integer_term(high, beyond_high, span)?;
        if let Some(own) = own {
            return Ok(self.within(own, (a, least), (b, most)));
        }
        let (signed, unsigned) = (IntType::signed(64), IntType { bits: 64, signed: false });
        let int = [signed, unsigned]
            .into_iter()
            .find(|ty| IntType::min(*ty) <= least && most <= IntType::max(*ty));
        match int {
            Some(int) => Ok((a, b, int)),
            None => self.unsupported(span, "a quantifier over more than 64 bits is"),
        }
    }

    /// The type of C that a quantifier gives what it binds: its values are all there are.
    fn type_of_binder(&mut self, binder: &Binder) -> Fallible<Option<IntType>> {
        let Some(name) = binder.ty else { return Ok(None) };
        let ty = self.type_name(name)?;
        Ok(match self.types.scalar(ty.ty) {
            Some(Type::Int(int)) => Some(int),
            _ => None,
        })
    }

    /// Whether a comparison, which C may do without signs, bounds the number that it compares.
    fn is_bound_in_c(
        &mut self,
        own: Option<IntType>,
        bound: ast::ExprId,
        op: BinaryOp,
    ) -> Fallible<bool> {
        let Some(own) = own.filter(|_| !self.is_acsl()) else { return Ok(true) };
        let operand = self.unevaluated(|this| this.rvalue(bound))?;
        let Some(Type::Int(other)) = self.types.scalar(operand.ty) else { return Ok(false) };
        // What is narrower than `int` is an `int` there.
        let unsigned = |ty: IntType| !ty.signed && ty.bits >= 32;
        Ok(match (unsigned(own), unsigned(other)) {
            // A negative number counts as a great one: below no bound that it is not below anyway, but above some.
            (false, true) if own.signed && own.bits <= other.bits => {
                matches!(op, BinaryOp::Lt | BinaryOp::Le)
            }
            // A negative bound counts as a great one.
            (true, false) if other.signed && other.bits <= own.bits => {
                matches!(operand.value, Value::Scalar(e) if self.out.as_int(e).is_some_and(|n| n >= 0))
            }
            _ => true,
        })
    }

    /// The values of a type from the first up to, without, the second, each with the least or greatest that it can
    /// be; and a type for them and for one more.
    fn within(
        &mut self,
        own: IntType,
        (low, least): (ExprId, i128),
        (high, most): (ExprId, i128),
    ) -> (ExprId, ExprId, IntType) {
        let least = self.out.as_int(low).unwrap_or(least);
        let most = self.out.as_int(high).unwrap_or(most);
        if own.min() <= least && most <= own.max() {
            return (low, high, own);
        }
        let int = IntType::signed(if own.bits < 64 { 64 } else { 128 });
        let wide = IntType::signed(128);
        let (first, end) = (self.out.int(own.min(), wide), self.out.int(own.max() + 1, wide));
        let low = self.out.cast(Type::Int(wide), low);
        let is_below = self.out.compare(CompareOp::Lt, low, first);
        let low = self.out.ite(is_below, first, low);
        let high = self.out.cast(Type::Int(wide), high);
        let is_within = self.out.compare(CompareOp::Lt, high, end);
        let high = self.out.ite(is_within, high, end);
        (low, high, int)
    }

    /// The comparisons that must hold where the body of a quantifier says anything.
    fn guards(
        &self,
        is_forall: bool,
        e: ast::ExprId,
        found: &mut Vec<(BinaryOp, ast::ExprId, ast::ExprId)>,
    ) {
        let exprs = &self.input.ast().exprs;
        match exprs[e].kind {
            ExprKind::Binary { op: BinaryOp::LogicalOr, left, right } if is_forall => {
                if let ExprKind::Unary { op: UnaryOp::Not, operand } = exprs[left].kind {
                    self.guards(false, operand, found);
                }
                self.guards(true, right, found);
            }
            ExprKind::Binary { op: BinaryOp::LogicalAnd, left, right } if !is_forall => {
                self.guards(false, left, found);
                self.guards(false, right, found);
            }
            ExprKind::Binary { op, left, right } if !is_forall && is_order(op) => {
                // `0 <= i < n`.
                if let ExprKind::Binary { op: first, right: middle, .. } = exprs[left].kind
                    && is_order(first)
                {
                    self.guards(false, left, found);
                    found.push((op, middle, right));
                } else {
                    found.push((op, left, right));
                }
            }
            _ => {}
        }
    }
}

fn is_order(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

/// The expressions right within one, of those that contracts consist of.
pub fn children(kind: &ExprKind) -> Vec<ast::ExprId> {
    match kind {
        ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => vec![*operand],
        ExprKind::Binary { left, right, .. } | ExprKind::Comma { left, right } => {
            vec![*left, *right]
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            [Some(*condition), *then, Some(*otherwise)].into_iter().flatten().collect()
        }
        ExprKind::Call { callee, arguments } => {
            [*callee].into_iter().chain(arguments.iter().copied()).collect()
        }
        ExprKind::Index { base, index } => vec![*base, *index],
        ExprKind::Member { base, .. } => vec![*base],
        ExprKind::Quantified { body, .. } => vec![*body],
        _ => Vec::new(),
    }
}

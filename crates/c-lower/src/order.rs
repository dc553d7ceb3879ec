//! The order in which gcc evaluates the operands of an operator.
//!
//! C leaves it open. Without optimisation gcc goes from left to right, except where folding
//! turned the expression around before: of a commutative operator or a comparison whose left
//! operand is a variable, the right operand comes first (`tree_swap_operands_p` in gcc's
//! fold-const.c). Conversions that keep the machine mode do not hide the variable, others do.
//! This matters only where the right operand may change what the left one reads. Where
//! folding does more than this module knows, the order is open, and [`crate::watch`] looks whether it matters.
//!
//! Assignments evaluate the operands of their value, then their place, and then the value itself
//! (`gimplify_modify_expr` in gcc's gimplify.c). A record that is an argument is read when the
//! function is called, not when its turn comes.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::facts;
use crate::function_state::Watch;
use crate::input::{Fallible, Input};
use crate::scope::Binding;
use crate::types::{TyId, TypeStore};
use crate::value::{Operand, Place, Value, Where};
use bolide_base::{Diagnostic, Span, arena::Id};
use bolide_c_syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};
use bolide_cfa::{Expr, ExprId, Type};

/// When a left operand is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// Before the right operand is evaluated.
    Early,
    /// Afterwards.
    Late,
    /// Folding decides in ways that are not modelled.
    Open,
}

/// When the value of an assignment is evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AssignmentOrder {
    /// After the place.
    PlaceFirst,
    /// Before the place.
    ValueFirst,
    /// Before or after it.
    ValueOrPlace,
    /// After the place, but the arguments of the call that it is perhaps before.
    PlaceOrArguments,
}

impl Input<'_> {
    /// An expression and all in it: the parser made them one after the other, operands first.
    fn parts(&self, e: ast::ExprId) -> impl Iterator<Item = ast::ExprId> {
        let exprs = &self.ast().exprs;
        let start = exprs[e].span.start;
        let ids = (0..=e.index()).rev().map(ast::ExprId::from_index);
        ids.take_while(move |&id| exprs[id].span.start >= start)
    }

    /// Whether evaluating the expression may change variables.
    pub fn may_change(&self, e: ast::ExprId) -> bool {
        self.flags_of(e) & facts::CHANGES != 0
    }

    /// Without conversions and `+`.
    fn without_casts(&self, mut e: ast::ExprId) -> ast::ExprId {
        loop {
            match self.ast().exprs[e].kind {
                ExprKind::Cast { operand, .. } | ExprKind::Unary { op: UnaryOp::Plus, operand } => {
                    e = operand
                }
                _ => return e,
            }
        }
    }

    /// Whether a value is loaded from memory, which happens where it stands.
    fn is_load(&self, e: ast::ExprId) -> bool {
        let exprs = &self.ast().exprs;
        match exprs[self.without_casts(e)].kind {
            ExprKind::Unary { op: UnaryOp::Deref, operand } => {
                let operand = &exprs[self.without_casts(operand)].kind;
                !matches!(operand, ExprKind::Unary { op: UnaryOp::AddressOf, .. })
            }
            ExprKind::Index { .. } | ExprKind::Member { .. } | ExprKind::Call { .. } => true,
            _ => false,
        }
    }
}

impl Emission {
    /// Whether a value depends on what others may change: memory and globals.
    fn reads_changeable(&self, operand: &Operand) -> bool {
        match operand.value {
            Value::Scalar(e) => self.depends(e),
            Value::Leaves(ref leaves) => leaves.iter().any(|&e| self.depends(e)),
            _ => true,
        }
    }

    pub fn depends(&self, e: ExprId) -> bool {
        self.has_part(e, |expr| match expr {
            Expr::Load(_) => true,
            Expr::Var(var) => self.program.variables[*var].function.is_none(),
            _ => false,
        })
    }

    /// Whether something in an expression passes the test.
    pub fn has_part(&self, e: ExprId, test: impl Fn(&Expr) -> bool) -> bool {
        let mut pending = vec![e];
        while let Some(e) = pending.pop() {
            let expr = self.program.exprs.get(e);
            if test(expr) {
                return true;
            }
            pending.extend(expr.operands());
        }
        false
    }
}

impl TypeStore {
    /// An integer that promotion widens.
    fn is_narrow(&self, ty: TyId) -> bool {
        self.int_type(ty).is_some_and(|int| int.bits < 32)
    }
}

impl Lowerer<'_> {
    /// Begins to watch what the right operand reads, where folding may read it before the left one.
    pub fn look_ahead(&mut self, op: BinaryOp, left: ast::ExprId, right: ast::ExprId) -> bool {
        let is_open = self.out.is_live()
            && !self.input.has_effect(right)
            && self.input.may_change(left)
            && self.folds_with(op, left);
        if is_open {
            let watch = self.watch_ahead(right, left);
            self.f.watches.push(watch);
        }
        is_open
    }

    /// The values of both operands; that of the left one was read, but not saved yet.
    pub fn operands(
        &mut self,
        op: BinaryOp,
        (left, value): (ast::ExprId, Operand),
        (right, ahead): (ast::ExprId, Option<Watch>),
        span: Span,
    ) -> Fallible<(Operand, Operand)> {
        if !self.input.has_effect(right) {
            let other = self.rvalue(right)?;
            let other = match ahead {
                Some(watch) if self.out.reads_changeable(&other) => {
                    self.either(&watch, other, right, span)
                }
                _ => other,
            };
            return Ok((value, other));
        }
        let early = self.save_operand(value.clone());
        let can_differ = self.input.may_change(right) && self.out.reads_changeable(&value);
        let watch = can_differ.then(|| self.watch(&value, &early, right));
        let (watch, other) = self.watching(watch, |this| this.rvalue(right));
        let other = other?;
        let Some(watch) = watch else { return Ok((early, other)) };
        Ok(match self.read_order(op, (left, &value), (right, &other))? {
            Read::Early => (early, other),
            Read::Late => (value, other),
            Read::Open => (self.either(&watch, value, left, span), other),
        })
    }

    /// When gcc evaluates the value of an assignment: its operands come before the place,
    /// the operation itself comes last, and of a call that is the whole value the operands are
    /// the arguments, of a variable there are none.
    pub fn assignment_order(
        &mut self,
        target: ast::ExprId,
        value: ast::ExprId,
    ) -> Fallible<AssignmentOrder> {
        use AssignmentOrder as Order;
        let (moves, changes) = (self.moves(target, value), self.input.may_change(value));
        if !moves && !changes {
            return Ok(Order::PlaceFirst);
        }
        let place = self.unevaluated(|this| this.lvalue(target))?;
        let depends = match place.at {
            Where::Memory { pointer, .. } => self.out.depends(pointer),
            _ => false,
        };
        let exprs = &self.input.ast().exprs;
        if let ExprKind::CompoundLiteral { .. } = exprs[value].kind {
            return Ok(Order::PlaceFirst); // It is built in the place.
        }
        if let ExprKind::Call { callee, arguments } = &exprs[value].kind {
            // What is not declared returns an int. Arguments are not looked at: calls may nest.
            let callee = self.unevaluated(|this| this.rvalue(*callee)).ok();
            let function = callee.and_then(|callee| self.types.function(callee.ty));
            let ty = function.map_or(self.types.int(), |function| function.result.ty);
            if ty == place.ty.ty {
                let change = arguments.iter().any(|&a| self.input.may_change(a));
                let is_open = change && (depends || moves) || moves && !arguments.is_empty();
                return Ok(if is_open { Order::PlaceOrArguments } else { Order::PlaceFirst });
            }
        }
        if changes {
            return Ok(if depends || moves { Order::ValueFirst } else { Order::PlaceFirst });
        }
        let operand = self.unevaluated(|this| this.rvalue(value))?;
        if !self.out.reads_changeable(&operand) || matches!(exprs[value].kind, ExprKind::Name(_)) {
            return Ok(Order::PlaceFirst);
        }
        Ok(if self.input.is_load(value) { Order::ValueOrPlace } else { Order::ValueFirst })
    }

    /// Whether the place of an assignment may change what the value depends on. Counting variables without an address
    /// that the value does not name is nothing to it.
    pub fn moves(&self, place: ast::ExprId, value: ast::ExprId) -> bool {
        let exprs = &self.input.ast().exprs;
        let is_named = |symbol| {
            let mut parts = self.input.parts(value);
            parts.any(|part| matches!(exprs[part].kind, ExprKind::Name(name) if name == symbol))
        };
        let is_hidden = |e: ast::ExprId| match exprs[e].kind {
            ExprKind::Name(name) => match self.names().get(name) {
                Some(Binding::Local(id)) => {
                    matches!(self.f.locals[id].place, Place::Vars(_)) && !is_named(name)
                }
                _ => false,
            },
            _ => false,
        };
        let is_harmless = |part: ast::ExprId| match exprs[part].kind {
            ExprKind::Unary { op, operand } if op.is_step() => is_hidden(operand),
            ExprKind::Name(_)
            | ExprKind::Integer { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Index { .. }
            | ExprKind::Member { .. } => true,
            _ => false,
        };
        self.input.may_change(place) && !self.input.parts(place).all(is_harmless)
    }

    fn read_order(
        &mut self,
        op: BinaryOp,
        (left, value): (ast::ExprId, &Operand),
        (right, other): (ast::ExprId, &Operand),
    ) -> Fallible<Read> {
        use BinaryOp as B;
        let exprs = &self.input.ast().exprs;
        let inner = &exprs[self.input.without_casts(right)].kind;
        if let ExprKind::Comma { .. } = inner {
            return Ok(Read::Open);
        }
        let bitwise = matches!(op, B::BitAnd | B::BitOr | B::BitXor);
        let compares = matches!(op, B::Lt | B::Gt | B::Le | B::Ge | B::Eq | B::Ne);
        let pointers = (self.types.is_pointer(value.ty), self.types.is_pointer(other.ty));
        if op == B::Add && pointers.1 {
            // The pointer comes first, whatever the index is.
            return Ok(Read::Open);
        }
        let commutes = bitwise || compares || op == B::Mul || op == B::Add && !pointers.0;
        if (commutes || op == B::Sub) && self.folds_with(op, right) {
            return Ok(Read::Open);
        }
        if !self.is_variable(left)? {
            let is_open = match exprs[left].kind {
                ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::BitNot, .. } => {
                    commutes || op == B::Sub
                }
                ExprKind::Binary { .. } => (commutes || op == B::Sub) && self.has_literal(left),
                // What is widened may be computed in the narrow type.
                ExprKind::Cast { .. } => (bitwise || compares) && !self.input.is_load(left),
                ExprKind::Comma { .. } => commutes || op == B::Sub,
                ExprKind::Unary { op: UnaryOp::Deref, .. } => commutes && !self.input.is_load(left),
                _ => false,
            };
            return Ok(if is_open { Read::Open } else { Read::Early });
        }
        if op == B::Sub && !pointers.0 && self.same_mode(value.ty, other.ty) {
            // A difference that is compared with zero becomes a comparison.
            return Ok(Read::Open);
        }
        if !commutes {
            return Ok(Read::Early);
        }
        if (bitwise || compares) && matches!(exprs[right].kind, ExprKind::Cast { .. }) {
            // What is widened may be computed in the narrow type.
            return Ok(Read::Open);
        }
        if self.types.is_narrow(value.ty) {
            let same = value.ty == other.ty;
            return Ok(match (bitwise || compares, self.types.is_narrow(other.ty), inner) {
                (true, true, ExprKind::Call { .. }) if same => Read::Late,
                (true, true, _) => Read::Open,
                (true, false, ExprKind::Call { .. }) | (false, ..) => Read::Early,
                _ => Read::Open,
            });
        }
        let common = match (self.types.scalar(value.ty), self.types.scalar(other.ty)) {
            (Some(Type::Int(a)), Some(Type::Int(b))) => a.bits >= b.bits,
            (Some(Type::Pointer), _) => true,
            (Some(Type::Float(a)), Some(Type::Float(b))) => a >= b,
            (Some(Type::Float(_)), _) => true,
            // A complex number is read before it is converted or meets a real one.
            _ if self.types.complex_part(other.ty).is_some() => {
                self.types.complex_usual(value.ty, other.ty) == Some(value.ty)
            }
            _ => self.types.is_vector(value.ty),
        };
        Ok(if common { Read::Late } else { Read::Early })
    }

    /// Whether folding may take an operand apart: it is a sum, product or the like with a
    /// constant, or has a sign that can move.
    fn folds_with(&self, op: BinaryOp, e: ast::ExprId) -> bool {
        use BinaryOp as B;
        let e = self.input.without_casts(e);
        match self.input.ast().exprs[e].kind {
            ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::BitNot, .. } => true,
            ExprKind::Binary { op: inner, .. } => {
                let bitwise = |op| matches!(op, B::BitAnd | B::BitOr | B::BitXor);
                let related = match inner {
                    B::Add | B::Sub => !bitwise(op) && op != B::Mul,
                    B::Mul => op == B::Mul,
                    inner => bitwise(inner) && bitwise(op),
                };
                related && (op == B::Sub || self.has_literal(e))
            }
            _ => false,
        }
    }

    /// Whether an expression is a variable to gcc's folding: conversions that keep the machine
    /// mode, `+` and `*&` are gone by then.
    fn is_variable(&mut self, mut e: ast::ExprId) -> Fallible<bool> {
        let exprs = &self.input.ast().exprs;
        loop {
            match exprs[e].kind {
                ExprKind::Name(_) => return Ok(true),
                ExprKind::Cast { operand, .. } | ExprKind::Unary { op: UnaryOp::Plus, operand } => {
                    let (outer, inner) = self.unevaluated(|this| {
                        Ok::<_, Box<Diagnostic>>((this.rvalue(e)?.ty, this.rvalue(operand)?.ty))
                    })?;
                    if !self.same_mode(outer, inner) {
                        return Ok(false);
                    }
                    e = operand;
                }
                ExprKind::Unary { op: UnaryOp::Deref, operand } => match exprs[operand].kind {
                    ExprKind::Unary { op: UnaryOp::AddressOf, operand } => e = operand,
                    _ => return Ok(false),
                },
                _ => return Ok(false),
            }
        }
    }

    fn same_mode(&self, a: TyId, b: TyId) -> bool {
        let address = u32::from(self.out.program.target.pointer_bits);
        let bits = |ty| match self.types.scalar(ty) {
            Some(Type::Int(int)) => Some(u32::from(int.bits)),
            Some(Type::Pointer) => Some(address),
            _ => None,
        };
        a == b || bits(a).is_some() && bits(a) == bits(b)
    }

    /// Whether a sum, product or the like has a constant in it, which folding moves about.
    fn has_literal(&self, e: ast::ExprId) -> bool {
        let exprs = &self.input.ast().exprs;
        let mut pending = vec![e];
        while let Some(e) = pending.pop() {
            match exprs[e].kind {
                ExprKind::Binary { left, right, .. } => pending.extend([left, right]),
                ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => {
                    pending.push(operand);
                }
                ExprKind::Name(name) => {
                    if let Some(Binding::Enumerator(..)) = self.names().get(name) {
                        return true;
                    }
                }
                ExprKind::Call { .. } | ExprKind::Member { .. } | ExprKind::Index { .. } => {}
                _ => return true,
            }
        }
        false
    }
}

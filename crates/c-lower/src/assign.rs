//! Assignments, `++` and `--`.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::function_state::Watch;
use crate::input::Fallible;
use crate::order::AssignmentOrder;
use crate::value::{LValue, Operand, Operation, Site, Value, Where};
use crate::watch::ORDER;
use bolide_base::Span;
use bolide_c_syntax::ast::{self, ExprKind, UnaryOp};
use bolide_cfa::Type;

impl Emission {
    /// Makes a place that later effects cannot move.
    pub fn save_place(&mut self, place: LValue) -> LValue {
        match place.at {
            Where::Memory { pointer, valid } => {
                let pointer = self.stable(pointer);
                LValue { at: Where::Memory { pointer, valid }, ..place }
            }
            _ => place,
        }
    }
}

impl Lowerer<'_> {
    /// `target = value`, in the order of `order`.
    pub fn simple_assignment(
        &mut self,
        target: ast::ExprId,
        value: ast::ExprId,
        site: Site,
    ) -> Fallible<Operand> {
        let span = site.span;
        use AssignmentOrder as Order;
        let order = self.assignment_order(target, value)?;
        if matches!(order, Order::ValueFirst | Order::ValueOrPlace) {
            let operand = self.rvalue(value)?;
            let early = self.save_operand(operand.clone());
            let is_open = order == Order::ValueOrPlace;
            let watch = is_open.then(|| self.watch(&operand, &early, target));
            let (watch, place) = self.watching(watch, |this| this.lvalue(target));
            let place = place?;
            let operand = match watch {
                Some(watch) => self.either(&watch, operand, value, span),
                None => early,
            };
            let operand = self.convert_operand(operand, place.ty.ty, span)?;
            return self.assign_place(&place, operand, site);
        }
        let place = if order == Order::PlaceOrArguments {
            self.place_or_arguments(target, value, span)?
        } else {
            self.lvalue(target)?
        };
        let place = if self.input.has_effect(value) { self.out.save_place(place) } else { place };
        let operand = self.rvalue(value)?;
        let call = self.input.ast().exprs[value].span;
        if self.f.call_watches.pop_if(|watched| watched.0 == call).is_some() {
            // The call has no arguments of the usual kind.
            self.lost(span, ORDER);
        }
        let operand = self.convert_operand(operand, place.ty.ty, span)?;
        self.assign_place(&place, operand, site)
    }

    /// The place of an assignment of a call's result, of which nobody knows whether it is evaluated before or
    /// after the arguments.
    fn place_or_arguments(
        &mut self,
        target: ast::ExprId,
        call: ast::ExprId,
        span: Span,
    ) -> Fallible<LValue> {
        let unit = self.input.ast();
        let ExprKind::Call { arguments, .. } = &unit.exprs[call].kind else {
            return self.lvalue(target);
        };
        if self.moves(target, call) {
            // Effects on both sides are not turned around.
            let change = arguments.iter().any(|&a| self.input.may_change(a));
            let watches: Vec<Watch> = match change || self.out.is_dead() {
                true => Vec::new(),
                false => arguments.iter().map(|&a| self.watch_ahead(a, target)).collect(),
            };
            let place = self.lvalue(target)?;
            for watch in &watches {
                self.must_be_same(watch, span);
            }
            if change {
                self.lost(span, ORDER);
            }
            return Ok(place);
        }
        let place = self.lvalue(target)?;
        if let Where::Memory { pointer, .. } = place.at {
            let address = Operand::scalar(self.types.pointer(place.ty), pointer);
            let early = self.save_operand(address.clone());
            let watch = self.watch(&address, &early, call);
            self.f.call_watches.push((unit.exprs[call].span, watch));
        }
        Ok(place)
    }

    /// Writes a converted value; the value of the assignment if it is used.
    fn assign_place(&mut self, place: &LValue, operand: Operand, site: Site) -> Fallible<Operand> {
        let Site { span, used } = site;
        if !used {
            self.write(place, operand.value.clone(), span)?;
            return Ok(operand);
        }
        let ty = place.ty.ty;
        match (&place.at, &operand.value) {
            (Where::Vars { .. }, _) => {
                self.write(place, operand.value.clone(), span)?;
                self.read(place, span)
            }
            (_, Value::Scalar(e)) => {
                let e = self.cut_to_field(place, *e);
                let e = self.out.save(e);
                self.write(place, Value::Scalar(e), span)?;
                let mut result = Operand::scalar(ty, e);
                result.width = place.bits.map(|b| b.width);
                Ok(result)
            }
            _ => {
                self.write(place, operand.value.clone(), span)?;
                self.read(place, span)
            }
        }
    }

    /// `target op= value`. gcc computes a value with effects before the place.
    pub fn compound_assignment(
        &mut self,
        op: ast::BinaryOp,
        target: ast::ExprId,
        value: ast::ExprId,
        site: Site,
    ) -> Fallible<Operand> {
        let span = site.span;
        let mut right = None;
        if self.input.has_effect(value) {
            let operand = self.rvalue(value)?;
            let operand =
                if self.input.has_effect(target) { self.save_operand(operand) } else { operand };
            right = Some(operand);
        }
        let place = self.lvalue(target)?;
        let right = match right {
            Some(right) => right,
            None => self.rvalue(value)?,
        };
        let old = self.read(&place, self.input.ast().exprs[target].span)?;
        let new = self.binary(Operation { op, left: old, right, span })?;
        let new = self.convert_operand(new, place.ty.ty, span)?;
        // The place was checked when it was read.
        let place = known_valid(place);
        self.assign_place(&place, new, site)
    }

    /// `++` and `--`, before and behind.
    pub fn increment(
        &mut self,
        op: UnaryOp,
        operand: ast::ExprId,
        site: Site,
    ) -> Fallible<Operand> {
        let Site { span, used } = site;
        let minus = matches!(op, UnaryOp::PreDecrement | UnaryOp::PostDecrement);
        let post = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
        let place = self.lvalue(operand)?;
        let mut old = self.read(&place, span)?;
        if used && post {
            // Even a temporary is the place itself here, so a copy is made.
            old = self.copy_operand(old);
        }
        let new = self.add_one(&old, minus, span)?;
        let new = self.convert_operand(new, place.ty.ty, span)?;
        let place = known_valid(place);
        if used && !post {
            return self.assign_place(&place, new, Site::value(span));
        }
        self.write(&place, new.value, span)?;
        Ok(old)
    }

    fn add_one(&mut self, old: &Operand, minus: bool, span: Span) -> Fallible<Operand> {
        let int = self.types.int();
        let one = self.int_operand(1, int);
        if self.types.is_pointer(old.ty) {
            return self.pointer_offset(old.clone(), one, minus, span);
        }
        let op = if minus { ast::BinaryOp::Sub } else { ast::BinaryOp::Add };
        let float = matches!(self.types.scalar(old.ty), Some(Type::Float(_)));
        if float || self.types.lanes(old.ty).is_some() {
            return self.binary(Operation { op, left: old.clone(), right: one, span });
        }
        if !self.types.is_integer(old.ty) {
            return self.error(span, format!("`{}` cannot be counted", self.types.spell(old.ty)));
        }
        self.binary(Operation { op, left: old.clone(), right: one, span })
    }
}

/// A place that has just been accessed.
fn known_valid(place: LValue) -> LValue {
    match place.at {
        Where::Memory { pointer, valid } => LValue {
            at: Where::Memory { pointer, valid: Some(valid.unwrap_or(u64::MAX).max(1 << 32)) },
            ..place
        },
        _ => place,
    }
}

//! Calls by contract: what is required is checked, what is assigned gets any value, what is ensured is assumed.
//!
//! A violation behind such a call may rest on what the contract leaves open and the body would not do: it counts only where there is
//! no body.

use super::frame::insert;
use super::state::{Bytes, Contracts, Promise, Use};
use crate::condition::Targets;
use crate::context::Lowerer;
use crate::function_state::Local;
use crate::global::{Definition, GlobalId};
use crate::input::Fallible;
use crate::lvalue::memory;
use crate::options::External;
use crate::outside::{Changing, changes_after};
use crate::types::{FunctionTy, QualType};
use crate::value::{Operand, Place, Site, Value, Where};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp as Operator, ClauseKind, ExprKind, UnaryOp};
use bolide_cfa::{
    BinaryOp, CompareOp, EdgeId, Expr, ExprId, ExternalEffect, IntType, NondetSource, Op, Type,
    VarId,
};

impl Contracts {
    /// Notes that a verdict rests on a contract.
    fn use_of(&mut self, name: &str, has_body: bool) {
        self.used.insert(name.to_owned(), has_body);
    }
}

impl Lowerer<'_> {
    /// Whether calls of a function go by its contract.
    fn goes_by_contract(&self, id: GlobalId) -> bool {
        if self.input.in_model() || self.input.quiet > 0 || self.contracts.starting {
            return false;
        }
        match self.linkage[id].definition {
            Some(Definition::Function(unit, _)) => {
                self.input.options.modular && unit < self.input.first_model
            }
            _ => crate::models::table::find(&self.linkage[id].name).is_none(),
        }
    }

    /// Calls a function by its contract, if it has one and calls go by it.
    pub fn call_by_contract(
        &mut self,
        id: GlobalId,
        ty: &FunctionTy,
        operands: &[Operand],
        site: Site,
    ) -> Fallible<Option<Operand>> {
        let Some(promises) = self.promises(id).filter(|_| self.goes_by_contract(id)) else {
            return Ok(None);
        };
        let name = self.linkage[id].name.clone();
        let has_body = self.linkage[id].definition.is_some();
        self.contracts.use_of(&name, has_body);
        let values: Vec<Option<Local>> =
            operands.iter().map(|operand| self.kept_operand(operand)).collect();
        let outer = std::mem::take(&mut self.f.logic);
        self.begin_logic();
        if has_body {
            let kept = values.iter().flatten().map(|local| &local.place);
            let vars = kept
                .filter_map(|place| if let Place::Vars(vars) = place { Some(vars) } else { None });
            let is_pointer = |var: &VarId| self.out.program.variables[*var].ty == Type::Pointer;
            let given: Vec<VarId> =
                vars.flat_map(|vars| vars.iter().copied()).filter(is_pointer).collect();
            self.f.logic.given = Some(given.into_iter().map(|var| self.out.read(var)).collect());
        }
        for promise in promises.iter() {
            if matches!(self.clause(promise).kind, ClauseKind::Requires | ClauseKind::Claims) {
                self.claim(promise, &values, &name);
            }
        }
        let result = self.by_contract(id, ty, operands, &promises, &values, site);
        let result = result.map(|()| self.f.logic.result.take());
        self.close_logic();
        self.f.logic = outer;
        match result {
            Ok(Some(result)) => Ok(Some(result)),
            Ok(None) => Ok(Some(Operand::new(ty.result.ty, Value::Void))),
            Err(diagnostic) => {
                self.fail_contract(*diagnostic);
                Ok(None)
            }
        }
    }

    fn by_contract(
        &mut self,
        id: GlobalId,
        ty: &FunctionTy,
        operands: &[Operand],
        promises: &[Promise],
        values: &[Option<Local>],
        site: Site,
    ) -> Fallible<()> {
        let name = self.linkage[id].name.clone();
        let source = match self.linkage[id].definition {
            Some(_) => {
                let what = format!("what the contract of `{name}` leaves open");
                NondetSource::Unmodelled(self.input.with_place(&what, site.span))
            }
            None => NondetSource::Library(name.clone()),
        };
        let is_assigned = |p: &&Promise| self.clause(p).kind == ClauseKind::Assigns;
        let assigned: Vec<Promise> = promises.iter().filter(is_assigned).cloned().collect();
        // Who has no body may keep what it is given, and give it away later.
        let has_body = self.linkage[id].definition.is_some();
        let mut opens = !has_body || self.types.holds_pointers(ty.result.ty);
        // Conditions are about the state before anything changes.
        let mut guards = Vec::new();
        for promise in &assigned {
            guards.push(self.in_clause(promise, values, |this, clause| this.assumed(clause))?);
        }
        for (promise, guard) in assigned.iter().zip(guards) {
            let end = guard.map(|guard| {
                let (next, end) = (self.out.location(), self.out.location());
                self.out.branch(guard, Targets::new(next, end, site.span));
                self.out.resume(next);
                end
            });
            self.in_clause(promise, values, |this, clause| {
                for &place in &clause.terms {
                    opens |= this.change(place, &source, clause.span)?;
                }
                Ok(())
            })?;
            if let Some(end) = end {
                self.out.goto(end);
                self.out.resume(end);
            }
        }
        match assigned.is_empty() && !self.lists_nothing(promises) {
            true => self.meet_anything(id, ty, operands, ExternalEffect::Havoc, site)?,
            false if opens => self.meet_anything(id, ty, operands, ExternalEffect::Keeps, site)?,
            false => {}
        }
        let result = self.nondet_operand(ty.result.ty, source, site.span)?;
        self.f.logic.result = Some(result);
        self.f.logic.makes_memory = true;
        for promise in promises {
            if self.clause(promise).kind == ClauseKind::Ensures {
                let condition = self.conditions(promise, values, Use::Assumed)?;
                self.out.assume(condition);
            }
        }
        if self.types.is_void(ty.result.ty) {
            self.f.logic.result = None;
        }
        Ok(())
    }

    /// A function that promises nothing of what it changes may change anything that it can reach, and where it leaves a pointer open, that may
    /// point to anything that it can reach: its arguments and, where it has a body, all that is static ([`Self::give_statics`]).
    fn meet_anything(
        &mut self,
        id: GlobalId,
        ty: &FunctionTy,
        operands: &[Operand],
        effect: ExternalEffect,
        site: Site,
    ) -> Fallible<()> {
        let has_body = self.linkage[id].definition.is_some();
        if !has_body && effect == ExternalEffect::Havoc {
            return self.call_external(id, ty, operands.to_vec(), site).map(drop);
        }
        let name = self.linkage[id].name.clone();
        let function = match has_body {
            true => self.new_function(format!("{name}#any"), Span::NONE),
            false if self.input.options.external(&name) == External::Pure => return Ok(()),
            false => self.use_function(id),
        };
        if has_body {
            self.signature_without_names(ty, function);
            self.out.program.functions[function].unmodelled = true;
            self.contracts.open.push(function);
        }
        self.emit_call(ty, operands.to_vec(), Site::effect(site.span), |arguments, _| {
            Op::External { function, arguments, result: None, effect }
        })
        .map(drop)
    }

    /// When all is lowered: what a function with a body can reach besides its arguments.
    pub fn give_statics(&mut self) {
        let open = std::mem::take(&mut self.contracts.open);
        let program = &mut self.out.program;
        let objects = program.objects.iter().filter(|(_, o)| !o.constant).map(|(id, _)| id);
        let objects: Vec<_> = objects.collect();
        let mut known: Vec<ExprId> =
            objects.into_iter().map(|o| program.expr(Expr::Object(o))).collect();
        for (at, pointer, answer) in std::mem::take(&mut self.contracts.fresh_claims) {
            let mut apart = self.out.bool(true);
            for &object in &known {
                let same = self.is_same_object(pointer, object);
                let not = self.out.not(same);
                apart = self.out.and(apart, not);
            }
            insert(&mut self.out.program, at, Op::Assign { target: answer, value: apart });
        }
        let program = &mut self.out.program;
        let mut changing = Vec::new();
        for global in self.linkage.globals.values().filter(|g| !g.ty.is_const) {
            let Some(Place::Vars(vars)) = &global.place else { continue };
            for &var in vars.iter() {
                changing.push(Changing::Variable(var));
                if program.variables[var].ty == Type::Pointer {
                    known.push(program.read(var));
                }
            }
        }
        let is_open =
            |op: &Op| matches!(op, Op::External { function, .. } if open.contains(function));
        let sites: Vec<EdgeId> =
            program.edges.iter().filter(|(_, edge)| is_open(&edge.op)).map(|(id, _)| id).collect();
        for edge in sites {
            if let Op::External { arguments, effect, .. } = &mut program.edges[edge].op {
                arguments.extend(&known);
                if *effect == ExternalEffect::Havoc {
                    changes_after(program, edge, &changing);
                }
            }
        }
    }

    /// Gives any value to a place of `assigns`; whether that may be a pointer. Which place it is, is said of the state before the call, in
    /// which nothing listed besides has changed.
    fn change(&mut self, e: ast::ExprId, source: &NondetSource, span: Span) -> Fallible<bool> {
        let unit = self.input.ast();
        let ranged = match &unit.exprs[e].kind {
            ExprKind::Index { base, index } => self.range(*index).map(|bounds| (*base, bounds)),
            ExprKind::Unary { op: UnaryOp::Deref, operand } => match unit.exprs[*operand].kind {
                ExprKind::Binary { op: Operator::Add, left, right } => {
                    self.range(right).map(|bounds| (left, bounds))
                }
                _ => None,
            },
            ExprKind::Call { callee, .. }
                if matches!(unit.exprs[*callee].kind, ExprKind::Name(_)) =>
            {
                return self.change_bytes(e, span).map(|()| true);
            }
            _ => None,
        };
        let Some((base, (low, high))) = ranged else {
            let place = self.at_start(false, span, |this| {
                let mut place = this.designate(e)?;
                if let Where::Memory { pointer, .. } = &mut place.at {
                    *pointer = this.out.save(*pointer);
                }
                Ok(place)
            })?;
            let value = self.nondet_operand(place.ty.ty, source.clone(), span)?;
            self.write(&place, value.value, span)?;
            return Ok(self.types.holds_pointers(place.ty.ty));
        };
        let (pointer, low, high) = self.at_start(false, span, |this| {
            let pointer = this.rvalue(base)?;
            let pointer = this.save_operand(pointer);
            let (low, ..) = this.integer_term(low, false, span)?;
            let (high, ..) = this.integer_term(high, true, span)?;
            Ok((pointer, this.out.save(low), this.out.save(high)))
        })?;
        let Some(to) = self.types.pointee(pointer.ty) else {
            return self.error(span, "expected a pointer");
        };
        self.change_elements(pointer, to, (low, high), source, span)?;
        Ok(self.types.holds_pointers(to.ty))
    }

    fn change_elements(
        &mut self,
        pointer: Operand,
        to: QualType,
        (low, high): (ExprId, ExprId),
        source: &NondetSource,
        span: Span,
    ) -> Fallible<()> {
        let int = IntType::signed(64);
        let index = self.out.temporary(Type::Int(int));
        let (low, high) = (self.out.cast(Type::Int(int), low), self.out.cast(Type::Int(int), high));
        let limit = self.out.save(high);
        self.out.assign(index, low);
        let pointer = self.save_operand(pointer);
        let (head, inside, end) = (self.out.location(), self.out.location(), self.out.location());
        self.out.goto(head);
        self.out.resume(head);
        let value = self.out.read(index);
        let more = self.out.compare(CompareOp::Lt, value, limit);
        self.out.branch(more, Targets::new(inside, end, self.input.span(span)));
        self.out.resume(inside);
        let at = Operand::scalar(self.long(int), value);
        let moved = self.pointer_offset(pointer, at, false, span)?;
        let address = self.expect_scalar(&moved, span)?;
        let any = self.nondet_operand(to.ty, source.clone(), span)?;
        self.write(&memory(to, address, None), any.value, span)?;
        let one = self.out.int(1, int);
        let next = self.out.binary(BinaryOp::Add, value, one);
        self.out.assign(index, next);
        self.out.goto(head);
        self.out.resume(end);
        Ok(())
    }

    /// Gives any value to bytes that CBMC's notation names.
    fn change_bytes(&mut self, e: ast::ExprId, span: Span) -> Fallible<()> {
        let bytes = self.at_start(false, span, |this| {
            let Ok(Bytes { first, count }) = this.bytes_of_place(e, span)? else {
                return this.unsupported(span, "this as a place that is assigned is");
            };
            Ok(Bytes { first: this.out.save(first), count: this.out.save(count) })
        })?;
        let void = self.types.void();
        let ty = self.types.pointer(void);
        let size = self.out.cast(Type::Int(self.out.program.target.size_type()), bytes.count);
        let arguments =
            vec![Operand::scalar(ty, bytes.first), Operand::scalar(self.types.size_t(), size)];
        self.call_model("__CPROVER_havoc_slice", arguments, Site::effect(span)).map(drop)
    }

    /// A value in variables of its own, if it has leaves.
    pub fn kept_operand(&mut self, operand: &Operand) -> Option<Local> {
        let leaves = self.types.leaves(operand.ty)?;
        let values = self.value_leaves(operand.ty, operand.value.clone());
        let mut vars = Vec::new();
        for (leaf, &value) in leaves.iter().zip(values.iter()) {
            let var = self.out.temporary(leaf.scalar);
            self.out.assign(var, value);
            vars.push(var);
        }
        Some(Local { ty: operand.ty.into(), place: Place::Vars(vars.into()) })
    }
}

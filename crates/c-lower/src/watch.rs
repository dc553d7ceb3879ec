//! Values of which nobody knows when they are read.
//!
//! Where the order of evaluation is open ([`crate::order`]), what an operand reads is *watched*: it is read early and
//! compared with what is there when it may be read instead. Where nothing has changed, the order does not
//! matter. Where something has, the run passes an unmodelled value ([`NondetSource::Unmodelled`]): a violation
//! behind it shows nothing, and proofs hold for every order. So an open order costs only runs in which it matters.
//!
//! Required for proofs: a value with one read is the early or the late one. With several, folding may mix
//! them, and behind a comma of the other operand it may read in between; then it is any value. What is checked when the
//! operand is read is not checked again where it is read late: where that may matter, the run ends as one that shows nothing
//! ([`Lowerer::lost`]).

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::facts;
use crate::function_state::Watch;
use crate::input::Input;
use crate::types::leaves::Leaf;
use crate::value::{Operand, Value};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{
    Access, BinaryOp, CompareOp, Expr, ExprId, FloatTest, LocId, NondetSource, Op, Origin,
    Property, RegionId, Role, Type, VarId, VariableKind,
};
use std::rc::Rc;

/// Why a run shows nothing.
pub const ORDER: &str = "the order of evaluation";

impl Input<'_> {
    pub fn with_place(&self, what: &str, span: Span) -> String {
        match self.sources.position(self.span(span).start) {
            Some(place) => format!("{what} at {place}"),
            None => what.to_owned(),
        }
    }

    /// Whether the expression has a comma outside of calls.
    fn has_comma(&self, e: ast::ExprId) -> bool {
        self.flags_of(e) & facts::COMMA != 0
    }
}

impl Emission {
    /// Equality that tells the zeros of floats apart; what is no number equals nothing.
    fn is_identical(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let equal = self.compare(CompareOp::Eq, a, b);
        if !matches!(self.type_of(a), Type::Float(_)) {
            return equal;
        }
        let (s, t) =
            (self.float_test(FloatTest::SignBit, a), self.float_test(FloatTest::SignBit, b));
        let same_sign = self.compare(CompareOp::Eq, s, t);
        self.and(equal, same_sign)
    }

    /// What values read that others may change, each pointer before what it leads to. A choice is read as a whole.
    fn reads(&self, values: &[ExprId]) -> Vec<ExprId> {
        let mut found: Vec<ExprId> = Vec::new();
        let mut pending: Vec<ExprId> = values.to_vec();
        while let Some(e) = pending.pop() {
            let expr = self.program.exprs.get(e);
            let is_choice = matches!(expr, Expr::Ite(..));
            let is_read = match expr {
                Expr::Load(_) => true,
                Expr::Var(var) => self.program.variables[*var].function.is_none(),
                _ => is_choice && self.depends(e),
            };
            if is_read {
                found.retain(|&other| other != e);
                found.push(e);
            }
            if !is_choice {
                pending.extend(expr.operands());
            }
        }
        found.reverse();
        found
    }

    /// Condition under which a read is one of live memory; none where it always is.
    fn validity(&mut self, read: ExprId) -> Option<ExprId> {
        let Expr::Load(Access { pointer, ty, .. }) = *self.program.exprs.get(read) else {
            return None;
        };
        let (base, _) = self.program.exprs.without_offset(pointer);
        let is_known = match *self.program.exprs.get(base) {
            Expr::Object(_) => true,
            Expr::Var(var) => self.program.variables[var].kind == VariableKind::Address,
            _ => false,
        };
        if is_known {
            return None;
        }
        let size = ty.size(self.program.target);
        let size = self.size(size);
        Some(self.expr(Expr::Valid { pointer, size, region: RegionId::ALL }))
    }

    /// Condition under which an expression has a value; none where nobody knows one.
    fn guard(&mut self, e: ExprId) -> Option<ExprId> {
        use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
        let never = self.bool(false);
        let expr = self.program.exprs.get(e).clone();
        if let Expr::Ite(condition, then, otherwise) = expr {
            let (first, then, otherwise) =
                (self.guard(condition)?, self.guard(then)?, self.guard(otherwise)?);
            let second = self.ite(condition, then, otherwise);
            return Some(self.ite(first, second, never));
        }
        let own = match expr {
            Expr::Load(_) => self.validity(e),
            Expr::Binary(Div | Rem | Shl | Shr, ..) => return None,
            Expr::Binary(op @ (Add | Sub | Mul), a, b) => {
                let signed = matches!(self.type_of(a), Type::Int(ty) if ty.signed);
                let overflows = signed.then(|| self.expr(Expr::Overflows(op, a, b)));
                overflows.map(|overflows| self.not(overflows))
            }
            _ => None,
        };
        let mut guard = own.unwrap_or_else(|| self.bool(true));
        for operand in expr.operands() {
            let operand = self.guard(operand)?;
            guard = self.ite(operand, guard, never);
        }
        Some(guard)
    }

    /// Whether a value needs something that is computed only when it is evaluated.
    fn is_unfinished(&self, value: ExprId) -> bool {
        self.has_part(value, |expr| match expr {
            Expr::Var(var) => self.at.dead_temporaries.values().any(|dead| dead == var),
            _ => false,
        })
    }

    /// A new temporary with this truth.
    fn flag(&mut self, value: ExprId) -> VarId {
        let target = self.temporary(Type::BOOL);
        self.emit(Op::Assign { target, value });
        target
    }
}

impl Lowerer<'_> {
    /// Watches what a value reads that was just evaluated and saved as `early`, before `other` is evaluated.
    pub fn watch(&mut self, value: &Operand, early: &Operand, other: ast::ExprId) -> Watch {
        let Some(leaves) = self.leaves_to_watch(value) else { return Watch::BLIND };
        let reads = self.out.reads(&leaves);
        let is_one = reads.len() == 1 && leaves.len() == 1;
        let reads = match early.value {
            Value::Scalar(early) if is_one => vec![(early, leaves[0])],
            _ => reads.into_iter().map(|read| (self.out.save(read), read)).collect(),
        };
        let never = self.out.bool(false);
        let changed = self.input.has_comma(other).then(|| self.out.flag(never));
        let early = self.leaves_to_watch(early);
        Watch { reads: Some(reads), early, is_one, changed }
    }

    /// Watches what the value of an expression without effects will read, before `other` is evaluated. What
    /// cannot be read yet counts as changed.
    pub fn watch_ahead(&mut self, e: ast::ExprId, other: ast::ExprId) -> Watch {
        let value = self.unevaluated(|this| this.rvalue(e)).ok();
        let Some(leaves) = value.and_then(|value| self.leaves_to_watch(&value)) else {
            return Watch::BLIND;
        };
        if leaves.iter().any(|&leaf| self.out.is_unfinished(leaf)) {
            return Watch::BLIND;
        }
        let mut good = self.out.bool(true);
        let mut pairs = Vec::new();
        for read in self.out.reads(&leaves) {
            let (Some(guard), never) = (self.out.guard(read), self.out.bool(false)) else {
                return Watch::BLIND;
            };
            let guard = self.out.ite(good, guard, never);
            good = self.out.save(guard);
            let zero = self.out.type_of(read);
            let zero = self.out.zero(zero);
            let early = self.out.ite(good, read, zero);
            pairs.push((self.out.save(early), read));
        }
        let always = self.out.as_int(good).is_some();
        let in_between = !pairs.is_empty() && (!always || self.input.has_comma(other));
        let bad = self.out.not(good);
        let changed = in_between.then(|| self.out.flag(bad));
        Watch { reads: Some(pairs), early: None, is_one: false, changed }
    }

    /// Goes on watching while `body` is lowered.
    pub fn watching<T>(
        &mut self,
        watch: Option<Watch>,
        body: impl FnOnce(&mut Self) -> T,
    ) -> (Option<Watch>, T) {
        let depth = self.f.watches.len();
        self.f.watches.extend(watch);
        let result = body(self);
        let watch = (self.f.watches.len() > depth).then(|| self.f.watches.remove(depth));
        (watch, result)
    }

    /// The left side of a comma was evaluated: what is watched may be read now.
    pub fn watch_comma(&mut self) {
        let watches = std::mem::take(&mut self.f.watches);
        for watch in &watches {
            if let Some(target) = watch.changed {
                let same = self.reads_same(watch);
                let (before, yes) = (self.out.read(target), self.out.bool(true));
                let value = self.out.ite(same, before, yes);
                self.out.emit(Op::Assign { target, value });
            }
        }
        self.f.watches = watches;
    }

    /// The value of the operand `e`, read early or now.
    pub fn either(&mut self, watch: &Watch, value: Operand, e: ast::ExprId, span: Span) -> Operand {
        let Some(leaves) = self.leaves_to_watch(&value) else {
            self.lost(span, ORDER);
            return value;
        };
        let Some((yes, no)) = self.branch_on_same(watch) else { return value };
        let end = self.out.location();
        let results: Vec<VarId> = leaves
            .iter()
            .map(|&leaf| {
                let ty = self.out.type_of(leaf);
                self.out.temporary(ty)
            })
            .collect();
        self.out.resume(yes);
        for (&target, &value) in results.iter().zip(leaves.iter()) {
            self.out.emit(Op::Assign { target, value });
        }
        self.out.goto(end);
        self.out.resume(no);
        self.differs(watch, &results, &leaves, (e, span));
        self.out.join(end);
        let results: Rc<[ExprId]> = results.iter().map(|&var| self.out.read(var)).collect();
        let new = match value.value {
            Value::Scalar(_) => Value::Scalar(results[0]),
            _ => Value::Leaves(results),
        };
        Operand { value: new, ..value }
    }

    /// Something that is watched has changed: the value is the early or the late one.
    fn differs(
        &mut self,
        watch: &Watch,
        results: &[VarId],
        late: &[ExprId],
        (e, span): (ast::ExprId, Span),
    ) {
        let is_pointer = |&var: &VarId| self.out.program.variables[var].ty == Type::Pointer;
        let is_one = watch.is_one && watch.changed.is_none();
        if self.input.is_checked(e) || !is_one && results.iter().any(is_pointer) {
            return self.lost(span, ORDER);
        }
        let source = NondetSource::Unmodelled(self.input.with_place(ORDER, span));
        // Where nobody chooses, the value is what left to right gives.
        let choice = self.out.nondet(Type::BOOL, source.clone());
        let first = watch.early.as_deref().unwrap_or(late);
        for ((&target, &early), &late) in results.iter().zip(first).zip(late) {
            let other = match is_one {
                true => late,
                false => self.out.nondet(self.out.program.variables[target].ty, source.clone()),
            };
            let value = self.out.ite(choice, other, early);
            self.out.emit(Op::Assign { target, value });
        }
    }

    /// What is watched must be what it was; otherwise the run shows nothing.
    pub fn must_be_same(&mut self, watch: &Watch, span: Span) {
        let Some((yes, no)) = self.branch_on_same(watch) else { return };
        self.out.resume(no);
        self.lost(span, ORDER);
        self.out.resume(yes);
    }

    /// Here something happens that is not modelled: what comes is neither proved nor shown. Only runs that come here are lost.
    pub fn lost(&mut self, span: Span, what: &str) {
        if self.out.is_dead() {
            return;
        }
        let Some(&property) = self.input.options.properties.first() else {
            return self.unmodelled(span, what);
        };
        self.out.nondet(Type::BOOL, NondetSource::Unmodelled(self.input.with_place(what, span)));
        self.fail(property, format!("not modelled: {what}"), span);
    }

    /// Two ways on: where all reads are the same, and where not.
    fn branch_on_same(&mut self, watch: &Watch) -> Option<(LocId, LocId)> {
        let mut same = self.reads_same(watch);
        if let Some(changed) = watch.changed {
            let (changed, never) = (self.out.read(changed), self.out.bool(false));
            same = self.out.ite(changed, never, same);
        }
        let cur = self.out.at.cur?;
        if self.out.as_int(same) == Some(1) {
            return None;
        }
        let (yes, no) = (self.out.location(), self.out.location());
        let origin = Origin { role: Role::Implicit, ..self.out.at.origin };
        if self.out.as_int(same) == Some(0) {
            self.out.program.add_edge(cur, no, Op::Skip, origin);
        } else {
            let differs = self.out.not(same);
            self.out.program.add_edge(cur, yes, Op::Assume(same), origin);
            self.out.program.add_edge(cur, no, Op::Assume(differs), origin);
        }
        Some((yes, no))
    }

    /// Condition: what is read now is what was read early. A pointer that has changed is not followed.
    fn reads_same(&mut self, watch: &Watch) -> ExprId {
        let never = self.out.bool(false);
        let Some(reads) = &watch.reads else { return never };
        let mut same = self.out.bool(true);
        for &(early, late) in reads.iter().rev() {
            let equal = self.out.is_identical(early, late);
            same = self.out.ite(equal, same, never);
            if self.input.checks(Property::ValidDeref) {
                for read in self.out.reads(&[late]).into_iter().rev() {
                    if let Some(valid) = self.out.validity(read) {
                        same = self.out.ite(valid, same, never);
                    }
                }
            }
        }
        same
    }

    /// The scalars that a value consists of, as they are read.
    fn leaves_to_watch(&mut self, value: &Operand) -> Option<Rc<[ExprId]>> {
        match value.value {
            Value::Scalar(e) => Some(Rc::new([e])),
            Value::Leaves(ref leaves) => Some(leaves.clone()),
            Value::Void => None,
            Value::Memory(pointer) => {
                let leaves = self.types.leaves(value.ty)?;
                let load = |leaf: &Leaf| {
                    let at = self.out.pointer_add_bytes(pointer, leaf.offset);
                    self.out.load_raw(at, leaf.scalar, leaf.bits, leaf.volatile)
                };
                Some(leaves.iter().map(load).collect())
            }
        }
    }
}

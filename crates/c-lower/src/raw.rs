//! Memory as bytes, the way programs write it, given a meaning without bytes where that is the same.
//!
//! Routines on raw memory, such as a body for `memset` in a harness, go over bytes in a loop whatever lives there. Read as
//! written, each field is accessed as bytes too, and formulas know little of it. A loop that only fills is therefore one
//! [`Op::Fill`], as compilers recognise it. (One that copies is left alone: whether its bytes run into those it still
//! has to read is a question about objects that costs more than it gives.) Likewise a claim that all bytes of an object
//! are zero is one about its members, and CBMC's `==` on records compares these.

use crate::context::Lowerer;
use crate::input::Fallible;
use crate::scope::Binding;
use crate::types::{CType, TyId};
use crate::value::{Operand, Site, Value};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp, ExprKind, StmtKind, Symbol, UnaryOp};
use bolide_cfa::{CompareOp, ExprId, IntType, Op, RegionId, Type};

/// A loop over bytes: `for (T i = 0; i < end; i++) to[i] = value`.
struct RawLoop {
    end: ast::ExprId,
    to: ast::ExprId,
    value: ast::ExprId,
    span: Span,
}

impl Lowerer<'_> {
    /// Lowers a loop that only fills bytes; what it counts with is declared by it, and nothing is left of that.
    pub fn raw_loop(
        &mut self,
        init: Option<ast::StmtId>,
        condition: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: ast::StmtId,
        keyword: Span,
    ) -> Fallible<bool> {
        let clauses = &self.input.ast().contracts.clauses;
        if self.input.in_model() || clauses.iter().any(|c| c.owner == keyword.start) {
            return Ok(false);
        }
        let Some(found) = self.find_raw_loop(init, condition, step, body) else { return Ok(false) };
        let size = self.scalar(found.end)?;
        let size = self.out.cast(Type::Int(self.out.program.target.size_type()), size);
        let to = self.scalar(found.to)?;
        let byte = self.scalar(found.value)?;
        let byte = self.out.cast(Type::Int(IntType::unsigned(8)), byte);
        self.check_block(to, size, found.span, "writes");
        self.out.emit(Op::Fill { to, byte, size, region: RegionId::ALL });
        Ok(true)
    }

    /// Whether a declaration begins to count at zero with a variable of that name.
    fn counts_from_zero(&self, init: ast::StmtId, name: Symbol) -> bool {
        let unit = self.input.ast();
        let StmtKind::Declaration(id) = unit.stmts[init].kind else { return false };
        let [only] = &unit.decls[id].declarators[..] else { return false };
        only.declarator.name == Some(name)
            && only.initializer.is_some_and(|init| {
                matches!(unit.inits[init].kind, ast::InitializerKind::Expr(e)
                    if matches!(unit.exprs[e].kind, ExprKind::Integer { value: 0, .. }))
            })
    }

    /// The scalar that an expression without effects stands for.
    fn scalar(&mut self, e: ast::ExprId) -> Fallible<ExprId> {
        let operand = self.rvalue(e)?;
        self.expect_scalar(&operand, self.input.ast().exprs[e].span)
    }

    fn find_raw_loop(
        &mut self,
        init: Option<ast::StmtId>,
        condition: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: ast::StmtId,
    ) -> Option<RawLoop> {
        let unit = self.input.ast();
        let ExprKind::Binary { op: BinaryOp::Lt, left: counter, right: end } =
            unit.exprs[condition?].kind
        else {
            return None;
        };
        let ExprKind::Name(name) = unit.exprs[counter].kind else { return None };
        self.counts_from_zero(init?, name).then_some(())?;
        let steps = matches!(unit.exprs[step?].kind, ExprKind::Unary { op: UnaryOp::PreIncrement | UnaryOp::PostIncrement, operand } if self.is_that(operand, name));
        let body = match &unit.stmts[body].kind {
            StmtKind::Compound(inner) if inner.len() == 1 => inner[0],
            _ => body,
        };
        let StmtKind::Expr(assignment) = unit.stmts[body].kind else { return None };
        let ExprKind::Assign { op: None, target, value } = unit.exprs[assignment].kind else {
            return None;
        };
        let to = self.byte_at(target, name)?;
        if !steps
            || !self.is_fixed(value, name)
            || !self.is_fixed(end, name)
            || !self.deals_with_raw_memory()
        {
            return None;
        }
        // No counter that wraps around.
        let [i, n] = [counter, end].map(|e| self.unsigned_bits(e));
        (i.is_some() && i == n).then_some(())?;
        Some(RawLoop { end, to, value, span: unit.exprs[assignment].span })
    }

    fn is_that(&self, e: ast::ExprId, name: Symbol) -> bool {
        matches!(self.input.ast().exprs[e].kind, ExprKind::Name(n) if n == name)
    }

    /// The width of an unsigned integer as wide as `int` or wider.
    fn unsigned_bits(&mut self, e: ast::ExprId) -> Option<u8> {
        let ty = self.type_of_expr(e).ok()?;
        match self.types.scalar(ty.ty)? {
            Type::Int(int) if !int.signed && int.bits >= 32 => Some(int.bits),
            _ => None,
        }
    }

    /// The pointer to bytes in `pointer[i]`, if it stays what it is.
    fn byte_at(&mut self, e: ast::ExprId, counter: Symbol) -> Option<ast::ExprId> {
        let ExprKind::Index { base, index } = self.input.ast().exprs[e].kind else { return None };
        if !self.is_that(index, counter) || !self.is_fixed(base, counter) {
            return None;
        }
        let ty = self.type_of_expr(base).ok()?;
        self.is_pointer_to(
            ty.ty,
            |types, to| matches!(types.scalar(to), Some(Type::Int(int)) if int.bits == 8),
        )
        .then_some(base)
    }

    fn is_pointer_to(
        &self,
        ty: TyId,
        is: impl FnOnce(&crate::types::TypeStore, TyId) -> bool,
    ) -> bool {
        matches!(self.types.get(ty), CType::Pointer(to) if !to.is_volatile && is(&self.types, to.ty))
    }

    /// Whether a function has a pointer to anything: what it does with bytes it does to whatever is there.
    fn deals_with_raw_memory(&self) -> bool {
        self.f
            .locals
            .values()
            .any(|local| self.is_pointer_to(local.ty.ty, |types, to| types.is_void(to)))
    }

    /// Whether an expression has no effect, reads no memory and does not depend on the counter.
    fn is_fixed(&self, e: ast::ExprId, counter: Symbol) -> bool {
        use UnaryOp::{BitNot, Minus, Plus};
        match self.input.ast().exprs[e].kind {
            ExprKind::Integer { .. } | ExprKind::Char { .. } | ExprKind::SizeofType(_) => true,
            ExprKind::Name(name) => {
                name != counter
                    && matches!(self.names().get(name), Some(Binding::Local(id))
                        if matches!(self.f.locals[id].place, crate::value::Place::Vars(_)))
            }
            ExprKind::Cast { operand, .. }
            | ExprKind::Unary { op: BitNot | Minus | Plus, operand } => {
                self.is_fixed(operand, counter)
            }
            ExprKind::Binary { op: BinaryOp::BitAnd, left, right } => {
                self.is_fixed(left, counter) && self.is_fixed(right, counter)
            }
            _ => false,
        }
    }

    /// `forall i: 0 <= i < sizeof x ==> ((unsigned char *)&x)[i] == 0`, by the members of `x`.
    pub fn all_bytes_zero(
        &mut self,
        binder: &ast::Binder,
        body: ast::ExprId,
        guards: &[(BinaryOp, ast::ExprId, ast::ExprId)],
    ) -> Fallible<Option<ExprId>> {
        let unit = self.input.ast();
        let ExprKind::Binary { op: BinaryOp::LogicalOr, right: claim, .. } = unit.exprs[body].kind
        else {
            return Ok(None);
        };
        let ExprKind::Binary { op: BinaryOp::Eq, left, right: zero } = unit.exprs[claim].kind
        else {
            return Ok(None);
        };
        let ExprKind::Index { base, index } = unit.exprs[left].kind else { return Ok(None) };
        let ExprKind::Cast { ty: bytes, operand } = unit.exprs[base].kind else { return Ok(None) };
        let ExprKind::Unary { op: UnaryOp::AddressOf, operand: object } = unit.exprs[operand].kind
        else {
            return Ok(None);
        };
        let [(BinaryOp::Ge, low, first), (BinaryOp::Lt, high, end)] = *guards else {
            return Ok(None);
        };
        let is_zero =
            |e: ast::ExprId| matches!(unit.exprs[e].kind, ExprKind::Integer { value: 0, .. });
        let are_bound = [index, low, high].iter().all(|&e| self.is_that(e, binder.name));
        if !are_bound || !is_zero(zero) || !is_zero(first) {
            return Ok(None);
        }
        let (bytes, ty) = (self.type_name(bytes)?, self.type_of_expr(object)?);
        let is_byte = self.is_pointer_to(bytes.ty, |types, to| {
            types.scalar(to) == Some(Type::Int(IntType::unsigned(8)))
        });
        let end = self.unevaluated(|this| this.scalar(end))?;
        let size = self.types.size(ty.ty).map(i128::from);
        if !is_byte || size.is_none() || self.out.as_int(end) != size {
            return Ok(None);
        }
        let Some(leaves) = self.whole_leaves(ty.ty) else { return Ok(None) };
        let operand = self.rvalue(object)?;
        let values = self.value_leaves(operand.ty, operand.value);
        let mut all = self.out.bool(true);
        for (&value, ty) in values.iter().zip(leaves) {
            let zero = self.out.zero(ty);
            let is_zero = self.out.compare(CompareOp::Eq, value, zero);
            all = self.out.and(all, is_zero);
        }
        Ok(Some(all))
    }

    /// The types of the members of a record of integers and pointers without a gap.
    fn whole_leaves(&self, ty: TyId) -> Option<Vec<Type>> {
        let target = self.out.program.target;
        let mut at = 0;
        let mut types = Vec::new();
        for leaf in self.types.leaves(ty)?.iter() {
            let is_plain = leaf.offset == at && leaf.bits.is_none() && !leaf.volatile;
            let bits = match leaf.scalar {
                Type::Int(int) if int.bits % 8 == 0 => int.bits,
                Type::Pointer => target.pointer_bits,
                _ => return None,
            };
            is_plain.then_some(())?;
            at += u64::from(bits / 8);
            types.push(leaf.scalar);
        }
        (self.types.size(ty) == Some(at)).then_some(types)
    }

    /// Whether two records have the same members, which CBMC asks by `==`.
    pub fn same_records(&mut self, left: &Operand, right: &Operand) -> Option<ExprId> {
        self.input.options.dialect().filter(|dialect| dialect.name == "cbmc")?;
        if left.ty != right.ty || !matches!(self.types.get(left.ty), CType::Record(_)) {
            return None;
        }
        self.whole_leaves(left.ty)?;
        let a = self.value_leaves(left.ty, left.value.clone());
        let b = self.value_leaves(right.ty, right.value.clone());
        let mut all = self.out.bool(true);
        for (&a, &b) in a.iter().zip(b.iter()) {
            let same = self.out.compare(CompareOp::Eq, a, b);
            all = self.out.and(all, same);
        }
        Some(all)
    }

    /// The comparison of the objects that two pointers point into, as CBMC asks for it by their numbers.
    pub fn compared_objects(
        &mut self,
        op: BinaryOp,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> Fallible<Option<Operand>> {
        let unit = self.input.ast();
        let asked = |e: ast::ExprId| match &unit.exprs[e].kind {
            ExprKind::Call { callee, arguments }
                if arguments.len() == 1
                    && self.input.is_name(*callee, "__CPROVER_POINTER_OBJECT") =>
            {
                Some(arguments[0])
            }
            _ => None,
        };
        let (Some(a), Some(b), BinaryOp::Eq | BinaryOp::Ne) = (asked(left), asked(right), op)
        else {
            return Ok(None);
        };
        let pointers = vec![self.rvalue(a)?, self.rvalue(b)?];
        let same = self.call_model("__CPROVER_same_object", pointers, Site::value(span))?;
        let same = self.truth_of(&same, span)?;
        let value = if op == BinaryOp::Eq { same } else { self.out.not(same) };
        let value = self.out.cast(Type::signed(32), value);
        Ok(Some(Operand::new(self.types.int(), Value::Scalar(value))))
    }
}

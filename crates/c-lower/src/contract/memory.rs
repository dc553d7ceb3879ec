//! What contracts say of memory, of earlier states and of results.

use super::formula::children;
use super::state::{Bytes, Use};
use crate::context::Lowerer;
use crate::input::Fallible;
use crate::value::{LValue, Operand, Value, Where};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp as Operator, ExprKind};
use bolide_cfa::{
    AllocKind, BinaryOp, CompareOp, Expr, ExprId, IntType, NondetSource, Op, RegionId, Type,
    UnaryOp,
};

impl Lowerer<'_> {
    /// A predicate about memory, if that is the name of one.
    pub fn memory_predicate(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        how: Use,
        span: Span,
    ) -> Fallible<Option<ExprId>> {
        let condition = match (name, arguments) {
            ("\\valid" | "\\valid_read", all) => {
                let mut result = self.out.bool(true);
                for &e in all {
                    let bytes = self.bytes_of(e, span)?;
                    let ok = self.is_valid(bytes, name == "\\valid");
                    result = self.out.and(result, ok);
                }
                result
            }
            ("__CPROVER_r_ok" | "__CPROVER_w_ok" | "__CPROVER_rw_ok", [_] | [_, _]) => {
                let bytes = self.sized(arguments, span)?;
                self.is_valid(bytes, name != "__CPROVER_r_ok")
            }
            ("__CPROVER_is_fresh", [pointer, _]) => {
                if self.f.logic.makes_memory && how == Use::Assumed {
                    self.make_fresh(*pointer, arguments, span)?;
                    return Ok(Some(self.out.bool(true)));
                }
                if self.f.logic.result.is_some() && how == Use::Claimed {
                    return self.unsupported(span, "a promise that memory is fresh is");
                }
                let bytes = self.sized(arguments, span)?;
                let mut ok = self.is_valid(bytes, true);
                for other in self.f.logic.fresh.clone() {
                    let same = self.is_same_object(bytes.first, other);
                    let not = self.out.not(same);
                    ok = self.out.and(ok, not);
                }
                self.f.logic.fresh.push(bytes.first);
                if let Some(given) = self.f.logic.given.clone() {
                    let apart = self.is_met_alone(bytes.first, &given, span);
                    ok = self.out.and(ok, apart);
                }
                ok
            }
            ("\\separated", all) => {
                let mut ranges = Vec::new();
                for &e in all {
                    ranges.push(self.bytes_of(e, span)?);
                }
                let mut result = self.out.bool(true);
                for (i, &a) in ranges.iter().enumerate() {
                    for &b in &ranges[..i] {
                        let ok = self.are_separated(a, b);
                        result = self.out.and(result, ok);
                    }
                }
                result
            }
            _ => return Ok(None),
        };
        Ok(Some(condition))
    }

    /// `p`, `p, n`: that many bytes, or as many as its type has.
    fn sized(&mut self, arguments: &[ast::ExprId], span: Span) -> Fallible<Bytes> {
        let Some((&pointer, rest)) = arguments.split_first() else {
            return self.error(span, "expected a pointer");
        };
        let Some(&size) = rest.first() else { return self.bytes_of(pointer, span) };
        let operand = self.rvalue(pointer)?;
        let first = self.expect_scalar(&operand, span)?;
        let (count, ..) = self.integer_term(size, false, span)?;
        let count = self.out.cast(Type::signed(128), count);
        Ok(Bytes { first, count })
    }

    /// What a pointer points to, or a range of pointers: `p`, `p + (0 .. n - 1)`.
    pub fn bytes_of(&mut self, e: ast::ExprId, span: Span) -> Fallible<Bytes> {
        let unit = self.input.ast();
        let range = match unit.exprs[e].kind {
            ExprKind::Binary { op: Operator::Add, left, right } => {
                self.range(right).map(|(a, b)| (left, a, b))
            }
            _ => None,
        };
        let (pointer, bounds) = match range {
            Some((pointer, low, high)) => (pointer, Some((low, high))),
            None => (e, None),
        };
        let operand = self.rvalue(pointer)?;
        if !self.types.is_pointer(operand.ty) {
            return self.error(span, "expected a pointer");
        }
        let first = self.expect_scalar(&operand, span)?;
        let size = match self.types.pointee(operand.ty) {
            Some(to) if self.types.is_void(to.ty) => self.out.offset(1),
            _ => self.pointee_size(operand.ty, span)?,
        };
        self.elements(first, size, bounds, span)
    }

    /// Elements of a size from the first to the last index.
    fn elements(
        &mut self,
        base: ExprId,
        size: ExprId,
        bounds: Option<(ast::ExprId, ast::ExprId)>,
        span: Span,
    ) -> Fallible<Bytes> {
        let wide = Type::signed(128);
        let size = self.out.cast(wide, size);
        let Some((low, high)) = bounds else { return Ok(Bytes { first: base, count: size }) };
        let (low, ..) = self.integer_term(low, false, span)?;
        let (high, ..) = self.integer_term(high, true, span)?;
        let (low, high) = (self.out.cast(wide, low), self.out.cast(wide, high));
        let count = self.out.binary(BinaryOp::Sub, high, low);
        let count = self.out.binary(BinaryOp::Mul, count, size);
        let offset = self.out.binary(BinaryOp::Mul, low, size);
        let offset = self.out.cast(Type::Int(self.out.program.target.offset_type()), offset);
        Ok(Bytes { first: self.out.pointer_add(base, offset), count })
    }

    /// The ends of `low .. high`.
    pub(super) fn range(&self, e: ast::ExprId) -> Option<(ast::ExprId, ast::ExprId)> {
        match &self.input.ast().exprs[e].kind {
            ExprKind::Call { callee, arguments } if self.input.is_name(*callee, "\\range") => {
                Some((arguments[0], arguments[1]))
            }
            _ => None,
        }
    }

    /// The bytes of a place: `x`, `*p`, `p->x`, `a[0 .. n - 1]`, `*(p + (0 .. n))`. None where it is a variable that is
    /// not in memory, which is given then.
    pub fn bytes_of_place(
        &mut self,
        e: ast::ExprId,
        span: Span,
    ) -> Fallible<Result<Bytes, LValue>> {
        let unit = self.input.ast();
        match &unit.exprs[e].kind {
            ExprKind::Index { base, index } if self.range(*index).is_some() => {
                let bounds = self.range(*index);
                let operand = self.rvalue(*base)?;
                let first = self.expect_scalar(&operand, span)?;
                let size = self.pointee_size(operand.ty, span)?;
                return self.elements(first, size, bounds, span).map(Ok);
            }
            ExprKind::Unary { op: ast::UnaryOp::Deref, operand } => {
                return self.bytes_of(*operand, span).map(Ok);
            }
            ExprKind::Call { callee, arguments } => {
                if let ExprKind::Name(name) = unit.exprs[*callee].kind {
                    return self.object_bytes(unit.name(name), arguments, span).map(Ok);
                }
            }
            _ => {}
        }
        let place = self.designate(e)?;
        match &place.at {
            Where::Memory { pointer, .. } if place.bits.is_none() => {
                let size = self.size_expr(place.ty.ty, span)?;
                let count = self.out.cast(Type::signed(128), size);
                Ok(Ok(Bytes { first: *pointer, count }))
            }
            Where::Vars { .. } => Ok(Err(place)),
            _ => self.unsupported(span, "this as a place that is assigned is"),
        }
    }

    /// CBMC's names for ranges of memory.
    fn object_bytes(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Fallible<Bytes> {
        let wide = Type::signed(128);
        match (name, arguments) {
            ("__CPROVER_object_whole" | "__CPROVER_object_from", [pointer]) => {
                let operand = self.rvalue(*pointer)?;
                let p = self.expect_scalar(&operand, span)?;
                let (offset, size) =
                    (self.out.expr(Expr::Offset(p)), self.out.expr(Expr::ObjectSize(p)));
                let (long, size) = (self.out.cast(wide, offset), self.out.cast(wide, size));
                if name == "__CPROVER_object_from" {
                    let count = self.out.binary(BinaryOp::Sub, size, long);
                    return Ok(Bytes { first: p, count });
                }
                let back = self.out.unary(UnaryOp::Neg, offset);
                Ok(Bytes { first: self.out.pointer_add(p, back), count: size })
            }
            ("__CPROVER_object_upto", [_, _]) => self.sized(arguments, span),
            _ => self.unsupported(span, format!("`{name}` as a place that is assigned is")),
        }
    }

    /// Whether all of the bytes lie within one live object, which may be written to if that is asked.
    pub fn is_valid(&mut self, bytes: Bytes, to_write: bool) -> ExprId {
        let int = IntType::signed(128);
        let size = self.out.cast(Type::Int(self.out.program.target.size_type()), bytes.count);
        let mut ok =
            self.out.expr(Expr::Valid { pointer: bytes.first, size, region: RegionId::ALL });
        if to_write {
            let constant = self.out.expr(Expr::ReadOnly(bytes.first));
            let not = self.out.not(constant);
            ok = self.out.and(ok, not);
        }
        if self.out.as_int(bytes.count).is_some_and(|n| n > 0) {
            return ok;
        }
        let most = self.out.int(i128::from(i64::MAX), int);
        let fits = self.out.compare(CompareOp::Le, bytes.count, most);
        let ok = self.out.and(fits, ok);
        let zero = self.out.int(0, int);
        let none = self.out.compare(CompareOp::Le, bytes.count, zero);
        self.out.or(none, ok)
    }

    /// Whether two pointers point into one object.
    pub fn is_same_object(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.out.expr(Expr::SameObject(a, b))
    }

    /// Whether a function that is called by contract meets what is fresh by that pointer only. A body was proved where it is so;
    /// CBMC does not ask it of calls, so where it is not so, nothing is known.
    fn is_met_alone(&mut self, pointer: ExprId, given: &[ExprId], span: Span) -> ExprId {
        let pointer = self.out.save(pointer);
        let statics = self.out.temporary(Type::BOOL);
        let (here, next) = (self.out.location(), self.out.location());
        self.out.join(here);
        self.out.join(next);
        self.contracts.fresh_claims.push((here, pointer, statics));
        let mut apart = self.out.read(statics);
        for &other in given.iter().filter(|&&other| other != pointer) {
            let same = self.is_same_object(pointer, other);
            let not = self.out.not(same);
            apart = self.out.and(apart, not);
        }
        let what = "whether what is fresh can be reached by another pointer";
        let source = NondetSource::Unmodelled(self.input.with_place(what, span));
        let open = self.out.nondet(Type::BOOL, source);
        self.out.or(apart, open)
    }

    /// Whether no byte is in both.
    fn are_separated(&mut self, a: Bytes, b: Bytes) -> ExprId {
        let wide = Type::signed(128);
        let same = self.is_same_object(a.first, b.first);
        let [x, y] = [a.first, b.first].map(|p| {
            let offset = self.out.expr(Expr::Offset(p));
            self.out.cast(wide, offset)
        });
        let (x_end, y_end) = (
            self.out.binary(BinaryOp::Add, x, a.count),
            self.out.binary(BinaryOp::Add, y, b.count),
        );
        let before = self.out.compare(CompareOp::Le, x_end, y);
        let behind = self.out.compare(CompareOp::Le, y_end, x);
        let apart = self.out.or(before, behind);
        let other = self.out.not(same);
        let mut ok = self.out.or(other, apart);
        let zero = self.out.int(0, IntType::signed(128));
        for count in [a.count, b.count] {
            let none = self.out.compare(CompareOp::Le, count, zero);
            ok = self.out.or(none, ok);
        }
        ok
    }

    /// Whether a byte range holds another one.
    pub fn holds(&mut self, outer: Bytes, first: ExprId, count: ExprId) -> ExprId {
        let wide = Type::signed(128);
        let same = self.is_same_object(outer.first, first);
        let [x, y] = [outer.first, first].map(|p| {
            let offset = self.out.expr(Expr::Offset(p));
            self.out.cast(wide, offset)
        });
        let (x_end, y_end) = (
            self.out.binary(BinaryOp::Add, x, outer.count),
            self.out.binary(BinaryOp::Add, y, count),
        );
        let above = self.out.compare(CompareOp::Le, x, y);
        let below = self.out.compare(CompareOp::Le, y_end, x_end);
        let within = self.out.and(above, below);
        self.out.and(same, within)
    }

    /// Gives a pointer a new object: of the size that is asked for where it is promised, of that size or more where it is required.
    pub(super) fn make_fresh(
        &mut self,
        pointer: ast::ExprId,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Fallible<()> {
        let is_result = self.input.is_name(pointer, "__CPROVER_return_value");
        let place = if is_result { None } else { Some(self.lvalue(pointer)?) };
        let (count, ..) = self.integer_term(arguments[1], false, span)?;
        let size = self.out.cast(Type::Int(self.out.program.target.size_type()), count);
        // No object is larger than half of the memory.
        let limit = self.out.int(i128::from(i64::MAX), self.out.program.target.size_type());
        let fits = self.out.compare(CompareOp::Le, size, limit);
        self.out.assume(fits);
        let target = self.out.temporary(Type::Pointer);
        let is_promised = self.f.logic.result.is_some();
        let kind = if is_promised { AllocKind::Heap } else { AllocKind::Static };
        let size = if is_promised { size } else { self.at_least(size, limit) };
        let (align, frame, region) = (16, None, RegionId::ALL);
        self.out.emit(Op::Alloc { target, size, align, kind, zeroed: false, frame, region });
        let value = self.out.read(target);
        match (place, &mut self.f.logic.result) {
            (Some(place), _) => self.write(&place, Value::Scalar(value), span),
            (None, Some(result)) => {
                result.value = Value::Scalar(value);
                Ok(())
            }
            (None, None) => self.error(span, "nothing is returned"),
        }
    }

    /// Any size that is no less: who calls by contract may have more memory than is asked for.
    fn at_least(&mut self, size: ExprId, limit: ExprId) -> ExprId {
        let ty = Type::Int(self.out.program.target.size_type());
        let room = self.out.nondet(ty, NondetSource::Library("a size of memory".into()));
        for (less, more) in [(size, room), (room, limit)] {
            let fits = self.out.compare(CompareOp::Le, less, more);
            self.out.assume(fits);
        }
        room
    }

    /// A value that only contracts can ask for, if that is the name of one.
    pub fn logic_call(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Fallible<Option<Operand>> {
        let (e, of_loop) = match (name, arguments) {
            ("\\old" | "__CPROVER_old", [e]) => (*e, false),
            ("__CPROVER_loop_entry", [e]) => (*e, true),
            ("\\at", [e, label]) => {
                let ExprKind::Name(label) = self.input.ast().exprs[*label].kind else {
                    return self.error(span, "expected a label");
                };
                match self.input.text(label) {
                    "Here" => return self.rvalue(*e).map(Some),
                    "Pre" | "Old" => (*e, false),
                    "LoopEntry" => (*e, true),
                    other => {
                        return self.unsupported(span, format!("`\\at` the label `{other}` is"));
                    }
                }
            }
            ("\\offset" | "\\block_length", [e]) => {
                let operand = self.rvalue(*e)?;
                let p = self.expect_scalar(&operand, span)?;
                let (value, ty) = match name {
                    "\\offset" => (Expr::Offset(p), self.types.ptrdiff_t()),
                    _ => (Expr::ObjectSize(p), self.types.size_t()),
                };
                let value = self.out.expr(value);
                return Ok(Some(Operand::scalar(ty, value)));
            }
            _ => {
                if let Some(condition) = self.memory_predicate(name, arguments, Use::Value, span)? {
                    let value = self.out.cast(Type::signed(32), condition);
                    return Ok(Some(Operand::scalar(self.types.int(), value)));
                }
                if name.starts_with('\\') {
                    return self.unsupported(span, format!("`{name}` is"));
                }
                return Ok(None);
            }
        };
        if self.f.logic.expansions > 0 || self.mentions_late(e) {
            return self.unsupported(span, "an earlier state of what is bound in this one is");
        }
        let operand = self.at_start(of_loop, span, |this| {
            let operand = this.rvalue(e)?;
            Ok(this.kept_for_good(operand))
        })?;
        Ok(Some(operand))
    }

    /// A value as it is now, for as long as the program runs: what is ensured is said where the function's own variables are gone.
    fn kept_for_good(&mut self, operand: Operand) -> Operand {
        let Value::Memory(from) = operand.value else { return self.save_operand(operand) };
        if self.types.leaves(operand.ty).is_some() {
            return self.save_operand(operand);
        }
        let size = self.out.size(self.types.size(operand.ty).unwrap_or(0));
        let target = self.out.temporary(Type::Pointer);
        let (align, frame, region) = (16, None, RegionId::ALL);
        let kind = AllocKind::Static;
        self.out.emit(Op::Alloc { target, size, align, kind, zeroed: false, frame, region });
        self.contracts.kept.insert(target);
        let to = self.out.read(target);
        self.out.copy_bytes(to, from, size);
        Operand { value: Value::Memory(to), ..operand }
    }

    /// Whether an expression mentions a variable that has its value only here.
    fn mentions_late(&self, e: ast::ExprId) -> bool {
        match &self.input.ast().exprs[e].kind {
            ExprKind::Name(name) => self.f.logic.late.contains(name),
            kind => children(kind).into_iter().any(|e| self.mentions_late(e)),
        }
    }

    /// A name that only contracts know.
    pub fn logic_name(&mut self, name: &str, span: Span) -> Fallible<Option<LValue>> {
        let operand = match name {
            "\\result" | "__CPROVER_return_value" => match self.f.logic.result.clone() {
                Some(result) => result,
                None => return self.error(span, format!("`{name}` where nothing was returned")),
            },
            "\\null" => {
                let void = self.types.void();
                let ty = self.types.pointer(void);
                Operand::scalar(ty, self.out.expr(Expr::Null))
            }
            _ => return Ok(None),
        };
        let at = match operand.value {
            Value::Memory(pointer) => Where::Memory { pointer, valid: None },
            value => Where::Value(value),
        };
        Ok(Some(LValue { ty: operand.ty.into(), at, bits: None }))
    }
}

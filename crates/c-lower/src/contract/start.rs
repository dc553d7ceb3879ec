//! A run that starts with a function, by its contract: any arguments and any memory that satisfy what it requires.
//!
//! Memory is made where the contract says that it is there (`\valid(p)`, `is_fresh(p, n)`). A pointer that is only valid may
//! lead to an object of its own, of any size and anywhere in it, into an object made for another one, or into static memory of the
//! program; then the whole contract is assumed, which picks what it allows. What is made for one pointer alone, and has a
//! size that is known, gets just that size: a larger object has fewer wrong accesses and nothing else that a
//! function could see. By convention no pointer leads to a variable whose address the program never takes.

use super::state::{Hook, Logic, Pointed, Promise, Use};
use crate::condition::Targets;
use crate::context::Lowerer;
use crate::function_state::Local;
use crate::global::GlobalId;
use crate::input::Fallible;
use crate::types::FunctionTy;
use crate::value::{Operand, Place, Site, Value};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp as Operator, ClauseKind, ExprKind, UnaryOp};
use bolide_cfa::{
    AllocKind, BinaryOp, CompareOp, Expr, ExprId, LocId, NondetSource, Op, Origin, RegionId, Type,
    UnaryOp as Prefix, VarId,
};

impl Lowerer<'_> {
    /// Assumes what a function requires that the run starts with; gives the arguments that satisfy it.
    pub fn start_by_contract(
        &mut self,
        id: GlobalId,
        ty: &FunctionTy,
        arguments: Vec<Operand>,
    ) -> Fallible<Vec<Operand>> {
        let Some(promises) = self.promises(id) else { return Ok(arguments) };
        let name = self.linkage[id].name.clone();
        let is_required = |p: &&Promise| self.clause(p).kind == ClauseKind::Requires;
        let required: Vec<Promise> = promises.iter().filter(is_required).cloned().collect();
        let mut arguments = arguments;
        self.begin_with_nulls(&required, &mut arguments);
        let values: Vec<Option<Local>> = arguments.iter().map(|a| self.kept_operand(a)).collect();
        self.f.logic = Logic::default();
        self.begin_logic();
        self.count_pointers(&required);
        for promise in &required {
            if let Err(diagnostic) = self.make_required(promise, &values) {
                self.fail_contract(*diagnostic);
            }
        }
        for promise in &required {
            match self.conditions(promise, &values, Use::Assumed) {
                Ok(condition) => self.out.assume(condition),
                Err(diagnostic) => self.fail_contract(*diagnostic),
            }
        }
        self.close_logic();
        self.f.logic = Logic::default();
        let flag = self.is_mentioned(&name).then(|| self.ghost("contract#start", Type::BOOL));
        if let Some(flag) = flag {
            let yes = self.out.bool(true);
            self.out.assign(flag, yes);
        }
        self.contracts.started = Some((id, flag));
        let mut chosen = Vec::new();
        for ((value, argument), parameter) in
            values.into_iter().zip(arguments).zip(ty.parameters.iter())
        {
            chosen.push(match value {
                Some(local) => {
                    let place = self.types.at_place(parameter.ty.into(), &local.place);
                    self.read(&place, Span::NONE)?
                }
                None => argument,
            });
        }
        Ok(chosen)
    }

    /// Arguments for which memory is made are null until then, not any pointer: to analyses that know no order these would stay.
    fn begin_with_nulls(&mut self, required: &[Promise], arguments: &mut [Operand]) {
        for promise in required {
            if !self.clause(promise).assumes.is_empty() {
                continue;
            }
            let outer = std::mem::replace(&mut self.input.unit, promise.unit);
            let mut found = Vec::new();
            for term in self.clause(promise).terms.clone() {
                self.begin_as_null(term, &mut found);
            }
            self.input.unit = outer;
            let null = self.out.expr(Expr::Null);
            for (argument, name) in arguments.iter_mut().zip(promise.parameters.iter()) {
                if name.is_some_and(|name| found.contains(&name))
                    && self.types.is_pointer(argument.ty)
                {
                    argument.value = Value::Scalar(null);
                }
            }
        }
    }

    /// Makes the memory that a clause says is there.
    fn make_required(&mut self, promise: &Promise, values: &[Option<Local>]) -> Fallible<()> {
        self.in_clause(promise, values, |this, clause| {
            if clause.assumes.iter().any(|&assumed| this.has_memory(assumed)) {
                return this
                    .unsupported(clause.span, "a behavior that assumes something of memory is");
            }
            let end = this.out.location();
            for &assumed in &clause.assumes {
                let condition = this.formula(assumed, Use::Value)?;
                let next = this.out.location();
                this.out.branch(condition, Targets::new(next, end, this.input.span(clause.span)));
                this.out.resume(next);
            }
            clause.terms.iter().try_for_each(|&term| this.make(term))?;
            this.out.join(end);
            Ok(())
        })
    }

    /// The call that starts the run, which is one of the body.
    pub fn start(
        &mut self,
        id: GlobalId,
        ty: &FunctionTy,
        arguments: Vec<Operand>,
        site: Site,
    ) -> Fallible<Operand> {
        self.contracts.starting = true;
        let result = self.call_with(id, ty, arguments, site);
        self.contracts.starting = false;
        result
    }

    /// Whether the program mentions the function anywhere: it may be called again.
    fn is_mentioned(&self, name: &str) -> bool {
        self.input.units[..self.input.first_model].iter().any(|unit| {
            let symbol = unit.names.get(name);
            unit.exprs.values().any(|e| matches!(e.kind, ExprKind::Name(n) if Some(n) == symbol))
        })
    }

    /// Counts how often each pointer is said to be valid, and which are said to be apart.
    fn count_pointers(&mut self, required: &[Promise]) {
        for promise in required {
            let terms = &self.input.units[promise.unit].contracts.clauses[promise.clause].terms;
            let outer = self.input.unit;
            let mut work: Vec<_> = terms.iter().map(|&e| (promise.unit, e)).collect();
            let mut definitions = 0;
            while let Some((number, e)) = work.pop() {
                self.input.unit = number;
                let unit = self.input.units[number];
                let kind = &unit.exprs[e].kind;
                if let ExprKind::Call { callee, arguments } = kind
                    && let ExprKind::Name(name) = unit.exprs[*callee].kind
                {
                    match unit.name(name) {
                        "\\valid" | "\\valid_read" | "__CPROVER_r_ok" | "__CPROVER_w_ok"
                        | "__CPROVER_rw_ok" => {
                            let is_cbmc = unit.name(name).starts_with('_');
                            let n = if is_cbmc { 1 } else { arguments.len() };
                            for &argument in &arguments[..n] {
                                let base = self.base_text(argument);
                                let whole = (!is_cbmc).then(|| self.whole_text(argument));
                                self.f.logic.pointers.push(Pointed { base, whole });
                            }
                        }
                        "\\separated" => {
                            let ranges = arguments.iter().map(|&a| self.whole_text(a)).collect();
                            self.f.logic.apart.push(ranges);
                        }
                        _ => {
                            // What a definition says counts for every pointer.
                            if let Some(meaning) = self.meaning(name)
                                && definitions < 100
                            {
                                definitions += 1;
                                self.f.logic.pointers.push(Pointed::default());
                                work.push((meaning.unit, meaning.body));
                            }
                        }
                    }
                }
                work.extend(super::formula::children(kind).into_iter().map(|e| (number, e)));
            }
            self.input.unit = outer;
        }
    }

    /// The pointer that a range begins with, and the text of it.
    fn base(&self, e: ast::ExprId) -> ast::ExprId {
        match self.input.ast().exprs[e].kind {
            ExprKind::Binary { op: Operator::Add, left, right } if self.range(right).is_some() => {
                left
            }
            _ => e,
        }
    }

    fn base_text(&self, e: ast::ExprId) -> String {
        self.whole_text(self.base(e))
    }

    /// The text of an expression without its blanks.
    fn whole_text(&self, e: ast::ExprId) -> String {
        let text = self.input.snippet(self.input.ast().exprs[e].span);
        text.split_whitespace().collect()
    }

    /// Makes the memory that a formula says is there.
    fn make(&mut self, e: ast::ExprId) -> Fallible<()> {
        let span = self.input.ast().exprs[e].span;
        self.deeper(span, |this| this.make_here(e, span))
    }

    fn make_here(&mut self, e: ast::ExprId, span: Span) -> Fallible<()> {
        let unit = self.input.ast();
        if !self.has_memory(e) {
            return Ok(());
        }
        if let Some((left, right)) = self.conjuncts(e) {
            self.make(left)?;
            return self.make(right);
        }
        match &unit.exprs[e].kind {
            ExprKind::Conditional { condition, then: Some(then), otherwise }
                if !self.has_memory(*condition) =>
            {
                let (first, second) = (self.out.location(), self.out.location());
                let end = self.out.location();
                let condition = self.formula(*condition, Use::Value)?;
                self.out.branch(condition, Targets::new(first, second, self.input.span(span)));
                for (from, part) in [(first, *then), (second, *otherwise)] {
                    self.out.resume(from);
                    self.make(part)?;
                    self.out.goto(end);
                }
                self.out.resume(end);
                Ok(())
            }
            ExprKind::Binary { op: Operator::LogicalOr, left, right }
                if !self.has_memory(*left) =>
            {
                let (needed, end) = (self.out.location(), self.out.location());
                // What may be null is null where nothing is made for it.
                let condition = match self.null_guard(*left) {
                    Some(_) => self
                        .out
                        .nondet(Type::BOOL, NondetSource::Library("a choice of memory".into())),
                    None => self.formula(*left, Use::Value)?,
                };
                self.out.branch(condition, Targets::new(end, needed, self.input.span(span)));
                self.out.resume(needed);
                self.make(*right)?;
                self.out.join(end);
                Ok(())
            }
            ExprKind::Call { callee, arguments } => {
                let ExprKind::Name(name) = unit.exprs[*callee].kind else {
                    return self.unsupported(span, "this of memory that a run starts with is");
                };
                match unit.name(name) {
                    "\\valid" | "\\valid_read" => arguments
                        .iter()
                        .try_for_each(|&argument| self.make_valid(argument, None, span)),
                    "__CPROVER_r_ok" | "__CPROVER_w_ok" | "__CPROVER_rw_ok" => {
                        self.make_valid(arguments[0], arguments.get(1).copied(), span)
                    }
                    "__CPROVER_is_fresh" if arguments.len() == 2 => {
                        self.make_fresh(arguments[0], arguments, span)
                    }
                    _ => match self.meaning(name) {
                        Some(meaning) => self.expanded(&meaning, arguments, span, Self::make),
                        None => self.unsupported(span, "this of memory that a run starts with is"),
                    },
                }
            }
            _ => self.unsupported(span, "this of memory that a run starts with is"),
        }
    }

    /// The name that a formula says is null: `p == NULL`, `!p`, `!(p != NULL)`.
    fn null_guard(&self, e: ast::ExprId) -> Option<ast::Symbol> {
        let unit = self.input.ast();
        let name = |e: ast::ExprId| match unit.exprs[e].kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        };
        let is_null = |mut e: ast::ExprId| {
            while let ExprKind::Cast { operand, .. } = unit.exprs[e].kind {
                e = operand;
            }
            matches!(unit.exprs[e].kind, ExprKind::Integer { value: 0, .. } | ExprKind::Nullptr)
                || self.input.is_name(e, "\\null")
        };
        let compared = |e: ast::ExprId, wanted: Operator| match unit.exprs[e].kind {
            ExprKind::Binary { op, left, right } if op == wanted && is_null(right) => name(left),
            ExprKind::Binary { op, left, right } if op == wanted && is_null(left) => name(right),
            _ => None,
        };
        match unit.exprs[e].kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                name(operand).or_else(|| compared(operand, Operator::Ne))
            }
            _ => compared(e, Operator::Eq),
        }
    }

    /// The parameters for which memory is made in any case, or unless they are null: these begin as null.
    fn begin_as_null(&mut self, e: ast::ExprId, found: &mut Vec<ast::Symbol>) {
        let unit = self.input.ast();
        if let Some((left, right)) = self.conjuncts(e) {
            self.begin_as_null(left, found);
            return self.begin_as_null(right, found);
        }
        match &unit.exprs[e].kind {
            ExprKind::Binary { op: Operator::LogicalOr, left, right } => {
                if let Some(name) = self.null_guard(*left) {
                    let mut inner = Vec::new();
                    self.begin_as_null(*right, &mut inner);
                    found.extend(inner.into_iter().filter(|n| *n == name));
                }
            }
            ExprKind::Call { callee, arguments } => {
                let ExprKind::Name(name) = unit.exprs[*callee].kind else { return };
                let count = match unit.name(name) {
                    "\\valid" | "\\valid_read" => arguments.len(),
                    "__CPROVER_r_ok" | "__CPROVER_w_ok" | "__CPROVER_rw_ok"
                    | "__CPROVER_is_fresh" => 1,
                    _ => return self.begin_parameters_as_null(name, arguments, found),
                };
                for &argument in arguments.iter().take(count) {
                    if let ExprKind::Name(name) = unit.exprs[self.base(argument)].kind {
                        found.push(name);
                    }
                }
            }
            _ => {}
        }
    }

    /// Likewise for what is given to a predicate whose parameters begin as null.
    fn begin_parameters_as_null(
        &mut self,
        name: ast::Symbol,
        arguments: &[ast::ExprId],
        found: &mut Vec<ast::Symbol>,
    ) {
        let Some(meaning) = self.meaning(name).filter(|_| self.f.logic.expansions < 40) else {
            return;
        };
        let parameters = self.parameter_names(&meaning);
        let outer = std::mem::replace(&mut self.input.unit, meaning.unit);
        self.f.logic.expansions += 1;
        let mut inner = Vec::new();
        self.begin_as_null(meaning.body, &mut inner);
        self.f.logic.expansions -= 1;
        self.input.unit = outer;
        for (parameter, &argument) in parameters.into_iter().zip(arguments) {
            if let ExprKind::Name(name) = self.input.ast().exprs[argument].kind
                && parameter.is_some_and(|parameter| inner.contains(&parameter))
            {
                found.push(name);
            }
        }
    }

    /// Gives a pointer something to point to.
    fn make_valid(
        &mut self,
        e: ast::ExprId,
        size: Option<ast::ExprId>,
        span: Span,
    ) -> Fallible<()> {
        let base = self.base(e);
        let unit = self.input.ast();
        if !matches!(
            unit.exprs[base].kind,
            ExprKind::Name(_)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
                | ExprKind::Unary { op: UnaryOp::Deref, .. }
        ) {
            return self.unsupported(
                span,
                "memory at something else than a variable, where a run starts, is",
            );
        }
        let place = self.lvalue(base)?;
        let Some(to) = self.types.pointee(place.ty.ty) else {
            return self.error(span, "expected a pointer");
        };
        let align = self.types.align_qualified(to).max(1);
        let (text, whole) = (self.base_text(e), self.whole_text(e));
        let known = &self.f.logic.pointers;
        let alone = known.iter().filter(|p| p.base == text).count() == 1
            && known.iter().all(|p| !p.base.is_empty());
        // Required: all that is valid is apart, not only a part of it.
        let is_apart = |other: &Pointed| {
            let mut sets = self.f.logic.apart.iter();
            other.base == text
                || other.whole.as_ref().is_some_and(|other| {
                    size.is_none() && sets.any(|set| set.contains(other) && set.contains(&whole))
                })
        };
        let apart = known.iter().all(is_apart);
        let exact = alone && apart;
        let bytes = match size {
            Some(size) => {
                let (count, ..) = self.integer_term(size, false, span)?;
                self.out.cast(Type::signed(128), count)
            }
            None => self.bytes_of(e, span)?.count,
        };
        let bytes = self.out.save(bytes);
        let starts_at_zero = match unit.exprs[e].kind {
            ExprKind::Binary { right, .. } if base != e => {
                self.range(right).is_some_and(|(low, _)| {
                    matches!(unit.exprs[low].kind, ExprKind::Integer { value: 0, .. })
                })
            }
            _ => true,
        };
        let pointer = self.out.temporary(Type::Pointer);
        let (needed, empty, end) = (self.out.location(), self.out.location(), self.out.location());
        let zero = self.out.int(0, bolide_cfa::IntType::signed(128));
        let some = self.out.compare(CompareOp::Lt, zero, bytes);
        self.out.branch(some, Targets::new(needed, empty, self.input.span(span)));
        self.out.resume(needed);
        self.made(pointer, bytes, align, exact && starts_at_zero, span);
        self.out.goto(end);
        // Where no bytes are needed there may be nothing: null, or an object without any.
        self.out.resume(empty);
        let other = self.maybe(span);
        let null = self.out.expr(Expr::Null);
        self.out.assign(pointer, null);
        self.out.goto(end);
        self.out.resume(other);
        self.made(pointer, zero, align, exact && starts_at_zero, span);
        self.out.join(end);
        let value = self.out.read(pointer);
        self.write(&place, Value::Scalar(value), span)?;
        self.f.logic.made.push(value);
        Ok(())
    }

    /// Lets a pointer point to an object, new or not.
    fn made(&mut self, var: VarId, bytes: ExprId, align: u64, exact: bool, span: Span) {
        let size_type = self.out.program.target.size_type();
        let end = self.out.location();
        let others = if exact { Vec::new() } else { self.f.logic.made.clone() };
        for other in others {
            let next = self.maybe(span);
            let offset = self.out.expr(Expr::Offset(other));
            let back = self.out.unary(Prefix::Neg, offset);
            let start = self.out.pointer_add(other, back);
            let moved = self.moved(start, align);
            self.out.assign(var, moved);
            self.out.goto(end);
            self.out.resume(next);
        }
        let here = self.out.location();
        if self.out.is_live() {
            self.out.goto(here);
            let next = self.out.location();
            self.contracts.hooks.push(Hook { from: here, next, to: end, target: var, align });
            self.out.at.cur = Some(next);
        }
        let size = self.out.cast(Type::Int(size_type), bytes);
        let (size, limit) = match exact {
            true => (size, i64::MAX),
            false => (
                self.out.nondet(Type::Int(size_type), NondetSource::Library("size".into())),
                i64::MAX,
            ),
        };
        let most = self.out.int(i128::from(limit), size_type);
        let fits = self.out.compare(CompareOp::Le, size, most);
        self.out.assume(fits);
        let object = self.out.temporary(Type::Pointer);
        let (kind, frame, region) = (AllocKind::Static, None, RegionId::ALL);
        self.out.emit(Op::Alloc {
            target: object,
            size,
            align: align.max(16),
            kind,
            zeroed: false,
            frame,
            region,
        });
        let start = self.out.read(object);
        let pointer = if exact { start } else { self.moved(start, align) };
        self.out.assign(var, pointer);
        self.out.join(end);
    }

    /// A choice: lowering goes on in the first case; the location of the other.
    fn maybe(&mut self, span: Span) -> LocId {
        let choice =
            self.out.nondet(Type::BOOL, NondetSource::Library("a choice of memory".into()));
        let (yes, no) = (self.out.location(), self.out.location());
        self.out.branch(choice, Targets::new(yes, no, self.input.span(span)));
        self.out.resume(yes);
        no
    }

    /// A pointer moved by any number of bytes that keeps its alignment.
    fn moved(&mut self, start: ExprId, align: u64) -> ExprId {
        let int = self.out.program.target.offset_type();
        let steps = self.out.nondet(Type::Int(int), NondetSource::Library("offset".into()));
        let most = self.out.int(i128::from(i64::MAX) / i128::from(align.max(1)) / 2, int);
        let zero = self.out.int(0, int);
        let (low, high) = (
            self.out.compare(CompareOp::Le, zero, steps),
            self.out.compare(CompareOp::Le, steps, most),
        );
        self.out.assume(low);
        self.out.assume(high);
        let by = self.out.int(i128::from(align), int);
        let offset = self.out.binary(BinaryOp::Mul, steps, by);
        self.out.pointer_add(start, offset)
    }

    /// A run that starts in the middle of a program finds any values in its variables, but for constants.
    fn forget_globals(&mut self) {
        let mut steps = Vec::new();
        for global in self
            .linkage
            .globals
            .values()
            .filter(|g| g.unit < self.input.first_model && !g.ty.is_const)
        {
            if let Some(Place::Vars(vars)) = &global.place {
                let source = |var: &VarId| crate::outside::any_value(&self.out.program, *var);
                steps
                    .extend(vars.iter().map(|v| {
                        (Op::Nondet { target: *v, source: source(v) }, Origin::default())
                    }));
            }
        }
        for object in self.out.program.objects.values_mut().filter(|o| !o.constant) {
            object.initial.clear();
            object.external = true;
        }
        if let Some(body) = self.out.program.functions[self.out.at.id].body
            && !steps.is_empty()
        {
            self.f.insert_at_head(&mut self.out, body.entry, steps, 0);
        }
    }

    /// When all of the program is lowered: pointers may also lead into its static memory.
    pub fn link_static_memory(&mut self) {
        let hooks = std::mem::take(&mut self.contracts.hooks);
        let objects: Vec<_> = self
            .out
            .program
            .objects
            .iter()
            .filter(|(_, o)| !o.is_literal())
            .map(|(id, _)| id)
            .collect();
        if self.contracts.started.is_none() {
            return;
        }
        self.forget_globals();
        let cur = self.out.at.cur;
        for Hook { from, next, to, target, align } in hooks {
            self.out.at.origin = Origin::default();
            self.out.at.cur = Some(from);
            for &object in &objects {
                let other = self.maybe(Span::NONE);
                let start = self.out.expr(Expr::Object(object));
                let moved = self.moved(start, align);
                self.out.assign(target, moved);
                self.out.goto(to);
                self.out.resume(other);
            }
            self.out.goto(next);
        }
        self.out.at.cur = cur;
    }
}

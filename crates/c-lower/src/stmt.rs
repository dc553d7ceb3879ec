//! Statements.

use crate::condition::Targets;
use crate::context::Lowerer;
use crate::function_state::{Destination, Enclosing, FunctionState, Living, ResultBy};
use crate::input::Fallible;
use crate::value::Value;
use bolide_base::Span;
use bolide_c_syntax::ast::{self, StmtId, StmtKind};
use bolide_cfa::{LocId, Op, Origin, Role};

/// The first `length` bytes of a span: the keyword of a statement.
fn keyword(span: Span, length: u32) -> Span {
    Span::new(span.start, (span.start + length).min(span.end))
}

impl FunctionState {
    fn push_loop(&mut self, break_to: LocId, continue_to: LocId) {
        let (continue_to, living) = (Some(continue_to), self.living());
        self.enclosing.push(Enclosing { break_to, continue_to, living, cases: None });
    }
}

impl Lowerer<'_> {
    /// Lowers a statement from where lowering stands.
    pub fn statement(&mut self, id: StmtId) -> Fallible<()> {
        let span = self.input.ast().stmts[id].span;
        self.deeper(span, |this| this.statement_here(id))
    }

    fn statement_here(&mut self, id: StmtId) -> Fallible<()> {
        let unit = self.input.ast();
        let stmt = &unit.stmts[id];
        if self.out.is_dead() && !self.input.facts[self.input.unit].has_label(stmt.span) {
            // Nothing leads here; only declarations matter, for the names in them.
            return match &stmt.kind {
                StmtKind::Declaration(decl) => self.local_declaration(*decl),
                StmtKind::Function(id) => self.nested_function(*id),
                _ => Ok(()),
            };
        }
        self.out.at.origin = Origin { span: self.input.span(stmt.span), role: Role::Statement };
        match &stmt.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Expr(e) => {
                let before = self.f.returned.len();
                self.effect(*e)?;
                self.f.end_temporaries(&mut self.out, before);
                Ok(())
            }
            StmtKind::Compound(items) => self.compound(items, stmt.span),
            StmtKind::Declaration(decl) => self.local_declaration(*decl),
            StmtKind::Function(id) => self.nested_function(*id),
            StmtKind::StaticAssert(assert) => self.static_assert(assert),
            StmtKind::LocalLabels(_) => Ok(()),
            StmtKind::If { .. } => self.if_chain(id),
            StmtKind::While { condition, body } => {
                self.while_loop(*condition, *body, keyword(stmt.span, 5))
            }
            StmtKind::DoWhile { body, condition } => {
                self.do_loop(*body, *condition, keyword(stmt.span, 2))
            }
            StmtKind::For { init, condition, step, body } => {
                let open = self.open_block(stmt.span);
                if let Some(init) = init {
                    self.statement(*init)?;
                }
                let keyword = keyword(stmt.span, 3);
                if !self.raw_loop(*init, *condition, *step, *body, keyword)? {
                    self.for_loop(*condition, *step, *body, keyword)?;
                }
                self.close_block(open);
                Ok(())
            }
            StmtKind::Switch { value, body } => {
                self.switch(*value, *body, stmt.span, keyword(stmt.span, 6))
            }
            StmtKind::Case { low, high, body } => {
                self.case_label(*low, *high, stmt.span)?;
                self.labelled(*body, stmt.span)
            }
            StmtKind::Default { body } => {
                self.default_label(stmt.span)?;
                self.labelled(*body, stmt.span)
            }
            StmtKind::Label { name, name_span, body, .. } => {
                self.label(*name, *name_span)?;
                self.labelled(*body, stmt.span)
            }
            StmtKind::Goto { label, label_span } => self.goto_label(*label, *label_span),
            StmtKind::ComputedGoto { target } => self.computed_goto(*target, stmt.span),
            StmtKind::Break => {
                let target = self.f.enclosing.last().map(|e| (e.break_to, e.living));
                self.leave_enclosing(target, stmt.span, "`break` outside of a loop or `switch`")
            }
            StmtKind::Continue => {
                let mut around = self.f.enclosing.iter().rev();
                let target = around.find_map(|e| Some((e.continue_to?, e.living)));
                self.leave_enclosing(target, stmt.span, "`continue` outside of a loop")
            }
            StmtKind::Return(value) => self.return_statement(*value, stmt.span),
            StmtKind::Asm(asm) => self.assembly(*asm),
        }
    }

    /// `break` or `continue`.
    fn leave_enclosing(
        &mut self,
        target: Option<(LocId, Living)>,
        span: Span,
        otherwise: &str,
    ) -> Fallible<()> {
        let Some((to, living)) = target else { return self.error(span, otherwise) };
        if let Some(cur) = self.out.at.cur.take() {
            let (destination, origin) = (Destination::Place(living), self.out.at.origin);
            self.f.add_jump_to(&mut self.out, cur, to, Op::Skip, destination, origin);
        }
        Ok(())
    }

    fn goto_label(&mut self, label: ast::Symbol, span: Span) -> Fallible<()> {
        if let Some((outer, table)) = self.outer_label(label) {
            return self.escape_to(outer, table, label, span);
        }
        if let Some(cur) = self.out.at.cur.take() {
            let (table, to) = self.label_location(label, span);
            let destination = Destination::Label(table, label);
            let origin = self.out.at.origin;
            self.f.add_jump_to(&mut self.out, cur, to, Op::Skip, destination, origin);
        }
        Ok(())
    }

    /// The statement behind a label, with the annotations between them.
    fn labelled(&mut self, body: StmtId, span: Span) -> Fallible<()> {
        self.place_annotations(span.start, self.input.ast().stmts[body].span.start);
        self.statement(body)
    }

    /// A block with its own scope.
    fn compound(&mut self, items: &[StmtId], span: Span) -> Fallible<()> {
        let open = self.open_block(span);
        let tables = self.open_labels(items);
        let mut from = span.start;
        for &item in items {
            let next = self.input.ast().stmts[item].span;
            self.place_annotations(from, next.start);
            self.statement(item)?;
            from = next.end;
        }
        self.place_annotations(from, span.end);
        self.f.close_labels(tables);
        self.close_block(open);
        Ok(())
    }

    /// `if`, with the chain of `else if` as a loop, for chains are long.
    fn if_chain(&mut self, mut id: StmtId) -> Fallible<()> {
        let unit = self.input.ast();
        let end = self.out.location();
        loop {
            let stmt = &unit.stmts[id];
            let StmtKind::If { condition, then, otherwise } = &stmt.kind else {
                self.statement(id)?;
                self.out.goto(end);
                break;
            };
            self.out.at.origin = Origin { span: self.input.span(stmt.span), role: Role::Statement };
            let yes = self.out.location();
            let no = if otherwise.is_some() { self.out.location() } else { end };
            let targets = Targets::new(yes, no, self.input.span(keyword(stmt.span, 2)));
            self.branch_on(*condition, targets)?;
            self.out.resume(yes);
            self.statement(*then)?;
            self.out.at.origin = Origin { span: self.input.span(stmt.span), role: Role::Statement };
            self.out.goto(end);
            match otherwise {
                Some(next) => {
                    self.out.resume(no);
                    id = *next;
                }
                None => break,
            }
        }
        self.out.resume(end);
        Ok(())
    }

    /// A fresh location that is the head of a loop. Where control does not come
    /// to the loop, a label within leads into it, so its head is always lowered.
    fn loop_head(&mut self, keyword: Span) -> LocId {
        let head = self.out.location();
        self.out.program.locations[head].loop_keyword = Some(self.input.span(keyword));
        head
    }

    fn while_loop(&mut self, condition: ast::ExprId, body: StmtId, keyword: Span) -> Fallible<()> {
        let contract = self.open_loop(keyword.start);
        let head = self.loop_head(keyword);
        self.out.goto(head);
        let (inside, after) = (self.out.location(), self.out.location());
        self.out.at.cur = Some(head);
        self.at_head(&contract);
        let targets = Targets::new(inside, after, self.input.span(keyword));
        self.branch_on(condition, targets)?;
        self.f.push_loop(after, head);
        self.out.resume(inside);
        self.statement(body)?;
        self.f.enclosing.pop();
        self.out.goto(head);
        self.out.resume(after);
        self.close_loop(contract);
        Ok(())
    }

    fn do_loop(&mut self, body: StmtId, condition: ast::ExprId, keyword: Span) -> Fallible<()> {
        let contract = self.open_loop(keyword.start);
        let head = self.loop_head(keyword);
        self.out.goto(head);
        let (test, after) = (self.out.location(), self.out.location());
        self.f.push_loop(after, test);
        self.out.at.cur = Some(head);
        self.at_head(&contract);
        self.statement(body)?;
        self.f.enclosing.pop();
        self.out.join(test);
        self.out.at.origin = Origin { span: self.input.span(keyword), role: Role::Statement };
        let targets = Targets::new(head, after, self.input.span(keyword));
        self.branch_on(condition, targets)?;
        self.out.resume(after);
        self.close_loop(contract);
        Ok(())
    }

    fn for_loop(
        &mut self,
        condition: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: StmtId,
        keyword: Span,
    ) -> Fallible<()> {
        let contract = self.open_loop(keyword.start);
        let head = self.loop_head(keyword);
        self.out.goto(head);
        let (inside, next, after) = (self.out.location(), self.out.location(), self.out.location());
        self.out.at.cur = Some(head);
        self.at_head(&contract);
        self.for_condition(condition, inside, after, keyword)?;
        self.f.push_loop(after, next);
        self.out.resume(inside);
        self.statement(body)?;
        self.f.enclosing.pop();
        self.out.join(next);
        if let Some(step) = step {
            let span = self.input.ast().exprs[step].span;
            self.out.at.origin = Origin { span: self.input.span(span), role: Role::Statement };
            self.effect(step)?;
        }
        self.out.goto(head);
        self.out.resume(after);
        self.close_loop(contract);
        Ok(())
    }

    fn for_condition(
        &mut self,
        condition: Option<ast::ExprId>,
        inside: LocId,
        after: LocId,
        keyword: Span,
    ) -> Fallible<()> {
        let targets = Targets::new(inside, after, self.input.span(keyword));
        match condition {
            Some(condition) => self.branch_on(condition, targets),
            None => {
                let always = self.out.bool(true);
                self.out.branch(always, targets);
                Ok(())
            }
        }
    }

    fn return_statement(&mut self, value: Option<ast::ExprId>, span: Span) -> Fallible<()> {
        self.out.at.origin.role = Role::Return;
        match (self.f.result.clone(), value) {
            (ResultBy::Void, Some(value)) => self.effect(value)?,
            (ResultBy::Void, None) => {}
            (ResultBy::Variable(target), None) => {
                let source = bolide_cfa::NondetSource::Uninitialized;
                self.out.emit(Op::Nondet { target, source });
            }
            (_, None) => {}
            (by, Some(value)) => {
                let ty = self.f.result_ty;
                let operand = self.rvalue(value)?;
                let operand = self.convert_operand(operand, ty, span)?;
                self.out.at.origin = Origin { span: self.input.span(span), role: Role::Return };
                match (by, operand.value) {
                    (ResultBy::Variable(target), Value::Scalar(e)) => self.out.assign(target, e),
                    (ResultBy::Channel(vars), value) => {
                        let leaves = self.value_leaves(ty, value);
                        for (&var, &leaf) in vars.iter().zip(leaves.iter()) {
                            self.out.assign(var, leaf);
                        }
                    }
                    (ResultBy::Address(var), Value::Memory(from)) => {
                        let to = self.out.read(var);
                        let bytes = self.types.size(ty).unwrap_or(0);
                        let size = self.out.size(bytes);
                        self.out.copy_bytes(to, from, size);
                    }
                    _ => return self.error(span, "the returned value has the wrong type"),
                }
            }
        }
        self.out.at.origin = Origin { span: self.input.span(span), role: Role::Return };
        self.f.leave(&mut self.out);
        Ok(())
    }
}

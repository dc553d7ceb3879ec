//! Labels: where they stand, and their addresses.
//!
//! A label whose address is taken (`&&label`, of gcc) has an object of its own, of which nothing is known
//! but that it is no other object: what it holds would be code, and where labels lie relative to each other is the compiler's
//! affair: where such distances may be computed, no verdict stands. Labels may also have one address, if there is nothing between them
//! that becomes code; where addresses are compared, no verdict stands then.
//!
//! `goto *e` is a choice among the labels of its function that have such an object; it is made at
//! the end of the function, when all of them are known. A value that is none of them is called as if it were a function, which is
//! as undefined, and does not come back.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::function_state::{ComputedGoto, Destination, FunctionState, Jump, Label};
use crate::input::Fallible;
use crate::scope::unique;
use crate::types::TyId;
use crate::value::Operand;
use bolide_base::{Span, arena::Id};
use bolide_c_syntax::ast::{self, StmtId, StmtKind, Symbol};
use bolide_cfa::{
    CompareOp, Expr, ExprId, LocId, NondetSource, ObjectId, Op, Origin, Property, Role,
    StaticObject, Type,
};

impl FunctionState {
    /// Closes the table, if the block has one.
    pub fn close_labels(&mut self, opened: bool) {
        if opened {
            self.labels.tables.pop();
        }
    }
}

impl Emission {
    /// Where `goto *e` leads if `e` is the address of no label.
    fn undefined_goto(&mut self, goto: &ComputedGoto, nowhere: ExprId) {
        let origin = Origin { span: goto.span, role: Role::Branch { taken: false } };
        let call = Op::CallIndirect {
            callee: goto.target,
            candidates: None,
            arguments: Vec::new(),
            result: None,
            variadic: false,
        };
        let mut at = goto.from;
        for op in [Op::Assume(nowhere), call, Op::Halt { status: None }] {
            let next = self.location();
            self.program.add_edge(at, next, op, origin);
            at = next;
        }
    }

    /// Whether nothing that becomes code lies on the way from a label to another one. Jumps are not edges yet.
    fn is_same_place(&self, mut at: LocId, other: LocId) -> bool {
        let is_code = |op: &Op| match op {
            Op::Skip | Op::Alloc { .. } | Op::EndLifetime { .. } => false,
            Op::Nondet { source, .. } => *source != NondetSource::Uninitialized,
            _ => true,
        };
        let mut steps = 0;
        while let &[edge] = &self.program.locations[at].outgoing[..]
            && !is_code(&self.program.edges[edge].op)
            // A loop without code.
            && steps < self.program.locations.len()
        {
            at = self.program.edges[edge].to;
            if at == other {
                return true;
            }
            steps += 1;
        }
        false
    }
}

impl Lowerer<'_> {
    /// A block that begins with `__label__` has a table of its own.
    pub fn open_labels(&mut self, items: &[StmtId]) -> bool {
        let unit = self.input.ast();
        let mut names: Vec<(Symbol, Span)> = Vec::new();
        for &item in items {
            match &unit.stmts[item].kind {
                StmtKind::LocalLabels(labels) => names.extend(labels.iter()),
                _ => break,
            }
        }
        if names.is_empty() {
            return false;
        }
        let table = self.f.labels.count;
        self.f.labels.count += 1;
        self.f.labels.tables.push(table);
        for (name, span) in names {
            self.new_label(table, name, span);
        }
        true
    }

    fn new_label(&mut self, table: usize, name: Symbol, span: Span) -> LocId {
        let at = self.out.location();
        let used = self.input.span(span);
        let label = Label { at, defined: None, used, object: None, escape: None };
        self.f.labels.all.insert((table, name), label);
        at
    }

    /// Table and location of a label, made at its first mention.
    pub fn label_location(&mut self, name: Symbol, span: Span) -> (usize, LocId) {
        for &table in self.f.labels.tables.iter().rev() {
            if let Some(label) = self.f.labels.all.get(&(table, name)) {
                return (table, label.at);
            }
        }
        (0, self.new_label(0, name, span))
    }

    /// The function around this one, and its table, that has the label if it is not local to a block
    /// of this one: `__label__` makes it known within.
    pub fn outer_label(&self, name: Symbol) -> Option<(usize, usize)> {
        let find = |f: &FunctionState| {
            let mut tables = f.labels.tables.iter().rev().copied();
            tables.find(|&table| table != 0 && f.labels.all.contains_key(&(table, name)))
        };
        if find(&self.f).is_some() {
            return None;
        }
        let mut outer = self.outer.iter().enumerate().rev();
        outer.find_map(|(i, outer)| Some((i, find(&outer.f)?)))
    }

    /// Jumps to labels that are nowhere are errors.
    pub fn check_labels(&mut self) -> Fallible<()> {
        let mut missing: Vec<(Span, Symbol)> = self
            .f
            .labels
            .all
            .iter()
            .filter(|((table, _), label)| label.defined.is_none() && (*table == 0))
            .map(|((_, name), label)| (label.used, *name))
            .collect();
        missing.sort_unstable();
        match missing.first() {
            Some(&(span, name)) => {
                self.error(span, format!("there is no label `{}`", self.input.text(name)))
            }
            None => Ok(()),
        }
    }

    /// `name:`
    pub fn label(&mut self, name: Symbol, span: Span) -> Fallible<()> {
        let text = self.input.text(name).to_owned();
        let used = self.input.facts[self.input.unit].used_labels.contains(&(self.f.start, name));
        if used {
            let (table, at) = self.label_location(name, span);
            let living = self.f.living();
            if let Some(label) = self.f.labels.all.get_mut(&(table, name)) {
                if label.defined.is_some() {
                    return self.error(span, format!("the label `{text}` stands twice"));
                }
                label.defined = Some(living);
            }
            self.out.goto(at);
            self.out.at.cur = Some(at);
        }
        if let Some(cur) = self.out.at.cur {
            let at = if self.out.program.locations[cur].label.is_some() {
                self.out.emit(Op::Skip);
                self.out.at.cur.unwrap_or(cur)
            } else {
                cur
            };
            self.out.program.locations[at].label = Some(text.clone());
        }
        if self.input.checks(Property::UnreachCall)
            && self.input.options.error_labels.contains(&text)
        {
            self.fail(Property::UnreachCall, format!("the label `{text}` is reached"), span);
        }
        Ok(())
    }

    /// `&&name`
    pub fn label_address(&mut self, name: Symbol, span: Span) -> Fallible<Operand> {
        if !self.out.at.active {
            return self.error(span, "the address of a label outside of functions");
        }
        let (outer, table) = match self.outer_label(name) {
            Some((outer, table)) => (Some(outer), table),
            None => (None, self.label_location(name, span).0),
        };
        let wanted = format!("label#{}.{}", self.f.name, self.input.text(name));
        let state = match outer {
            Some(outer) => &mut self.outer[outer].f,
            None => &mut self.f,
        };
        let Some(label) = state.labels.all.get_mut(&(table, name)) else {
            return self.error(span, "there is no such label");
        };
        let object = *label.object.get_or_insert_with(|| {
            let name = unique(&mut self.linkage.global_names, wanted);
            // Constants of equal contents may be one; labels are not.
            let label = StaticObject::new(name, 1, 1, Span::NONE);
            self.out.program.objects.push(StaticObject { external: true, ..label })
        });
        self.code.has_label_objects = true;
        let void = self.types.void();
        let ty = self.types.pointer(void);
        let value = self.out.expr(Expr::Object(object));
        Ok(Operand::scalar(ty, value))
    }

    /// `goto *target;`
    pub fn computed_goto(&mut self, target: ast::ExprId, span: Span) -> Fallible<()> {
        let operand = self.rvalue(target)?;
        let target = self.expect_scalar(&operand, span)?;
        if self.out.type_of(target) != Type::Pointer {
            return self.error(span, "the target of a computed `goto` is not a pointer");
        }
        let target = self.out.save(target);
        // The choice needs a place that is not the head of a block.
        self.out.emit(Op::Skip);
        if let Some(from) = self.out.at.cur.take() {
            let living = self.f.living();
            let span = self.input.span(span);
            self.f.labels.computed_gotos.push(ComputedGoto { from, target, living, span });
        }
        Ok(())
    }

    /// Makes jumps of all computed ones.
    pub fn resolve_computed_gotos(&mut self) {
        let mut labels: Vec<(ObjectId, usize, Symbol, Label)> = self
            .f
            .labels
            .all
            .iter()
            .filter_map(|(&(table, name), label)| Some((label.object?, table, name, *label)))
            .collect();
        labels.sort_unstable_by_key(|label| label.0);
        for (_, _, name, from) in &labels {
            let twin = labels.iter().find(|(.., to)| self.out.is_same_place(from.at, to.at));
            if let Some((_, _, other, _)) = twin {
                let (name, other) = (self.input.text(*name), self.input.text(*other));
                let what = format!("whether `{name}` and `{other}` have one address");
                self.code.label_twins.get_or_insert((from.used, what));
            }
        }
        for goto in std::mem::take(&mut self.f.labels.computed_gotos) {
            let mut nowhere = self.out.bool(true);
            for &(object, table, name, label) in &labels {
                let address = self.out.expr(Expr::Object(object));
                let here = self.out.compare(CompareOp::Eq, goto.target, address);
                let elsewhere = self.out.not(here);
                self.code.label_tests.extend([here, elsewhere]);
                nowhere = self.out.and(nowhere, elsewhere);
                let origin = Origin { span: goto.span, role: Role::Branch { taken: true } };
                let destination = Destination::Label(table, name);
                let (from, living) = (goto.from, goto.living);
                let (op, to) = (Op::Assume(here), label.at);
                self.f.jumps.push(Jump { from, to, op, living, destination, origin });
            }
            self.out.undefined_goto(&goto, nowhere);
        }
    }

    /// A difference or order of pointers to bytes or `void`: they may be labels.
    pub fn note_distance(&mut self, pointer: TyId, span: Span) {
        let to = self.types.pointee(pointer);
        let is_bytes =
            to.is_some_and(|to| self.types.is_void(to.ty) || self.types.size(to.ty) == Some(1));
        if is_bytes && !self.input.in_model() {
            let span = self.input.span(span);
            self.code.byte_distance.get_or_insert(span);
        }
    }

    /// Distances of labels, or labels that may have one address, and something may depend on it.
    pub fn compared_labels(&mut self) {
        if let (Some(span), true) = (self.code.byte_distance, self.code.has_label_objects) {
            self.unmodelled(span, "how far labels are apart");
        }
        let Some((span, what)) = self.code.label_twins.take() else { return };
        let exprs = &self.out.program.exprs;
        let is_address =
            |e: ExprId| exprs.type_of(e) == Type::Pointer && !matches!(exprs.get(e), Expr::Null);
        let is_observed = (0..exprs.len()).map(ExprId::from_index).any(|e| match *exprs.get(e) {
            Expr::Compare(_, a, b) => {
                is_address(a) && is_address(b) && !self.code.label_tests.contains(&e)
            }
            Expr::PointerDiff(..) => true,
            Expr::Cast(Type::Int(_), a) => is_address(a),
            _ => false,
        });
        if is_observed {
            self.unmodelled(span, what);
        }
    }
}

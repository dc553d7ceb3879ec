//! Checks of properties: edges into error locations.

use crate::context::Lowerer;
use bolide_base::Span;
use bolide_cfa::{AllocKind, Check, Edge, Expr, ExprId, LocId, Op, Origin, Property, Role};

impl Lowerer<'_> {
    /// The path goes on only where `ok` holds; where it does not, the property
    /// is violated. `what` is asked only if an edge is made.
    pub fn check(
        &mut self,
        property: Property,
        ok: ExprId,
        span: Span,
        what: impl FnOnce(&Self) -> String,
    ) {
        match self.program.exprs.as_int(ok) {
            Some(0) => {
                let text = what(self);
                self.fail(property, text, span);
            }
            Some(_) => {}
            None => {
                let Some(cur) = self.f.cur else { return };
                let text = what(self);
                let error = self.error_location(property, text, span);
                let origin = Origin { span: self.span(span), role: Role::Check };
                let bad = self.b().not(ok);
                self.program.add_edge(cur, error, Op::Assume(bad), origin);
                let next = self.location();
                self.program.add_edge(cur, next, Op::Assume(ok), origin);
                self.f.cur = Some(next);
            }
        }
    }

    /// Memory must be tracked at all moments: also in runs that never come to the checks at the end.
    pub fn check_leaks_of_endless_runs(&mut self) {
        let is_heap = |edge: &Edge| matches!(edge.op, Op::Alloc { kind: AllocKind::Heap, .. });
        if !self.checks(Property::ValidMemtrack) || !self.program.edges.values().any(is_heap) {
            return;
        }
        let program = &mut self.program;
        let leaked = program.expr(Expr::Leaked);
        let ok = program.exprs.not(leaked);
        for head in bolide_cfa::analysis::endless::endless(program) {
            let function = program.locations[head].function;
            let outgoing = std::mem::take(&mut program.locations[head].outgoing);
            let (error, next) = (program.add_location(function), program.add_location(function));
            for &edge in &outgoing {
                program.edges[edge].from = next;
            }
            program.locations[next].outgoing = outgoing;
            let span = program.locations[head].loop_keyword;
            let span = span.unwrap_or(program.functions[function].span);
            let description = "allocated memory is neither freed nor reachable".into();
            let property = Property::ValidMemtrack;
            let check = program.checks.push(Check { property, description, span });
            program.locations[error].error = Some(check);
            let origin = Origin { span, role: Role::Check };
            program.add_edge(head, error, Op::Assume(leaked), origin);
            program.add_edge(head, next, Op::Assume(ok), origin);
        }
    }

    /// The property is violated here.
    pub fn fail(&mut self, property: Property, text: String, span: Span) {
        let Some(cur) = self.f.cur.take() else { return };
        let error = self.error_location(property, text, span);
        let origin = Origin { span: self.span(span), role: Role::Check };
        self.program.add_edge(cur, error, Op::Skip, origin);
    }

    fn error_location(&mut self, property: Property, text: String, span: Span) -> LocId {
        let description = if self.in_model() {
            match self.f.name.strip_prefix("__bolide_read_") {
                Some(what) => format!("{text} (reading a {what})"),
                None => format!("{text} (in `{}` of the C library)", self.f.name),
            }
        } else {
            text
        };
        let span = self.span(span);
        let check = self.program.checks.push(Check { property, description, span });
        let at = self.location();
        self.program.locations[at].error = Some(check);
        at
    }
}

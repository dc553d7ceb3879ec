//! Checks of properties: edges into error locations.

use crate::condition::Targets;
use crate::context::Lowerer;
use bolide_base::Span;
use bolide_cfa::analysis::PointsTo;
use bolide_cfa::analysis::points_to::graph::Place;
use bolide_cfa::{
    AllocKind, BinaryOp, Check, Edge, EdgeId, Expr, ExprId, LocId, Op, Origin, Program, Property,
    Role, Type,
};

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
        if self.out.as_int(ok) != Some(1) && self.out.is_live() && self.is_disabled(property, span)
        {
            let (bad, next) = (self.out.location(), self.out.location());
            self.out.branch(ok, Targets::new(next, bad, self.input.span(span)));
            self.out.resume(bad);
            self.lost(span, "what `#pragma CPROVER check disable` leaves unchecked");
            self.out.resume(next);
            return;
        }
        match self.out.as_int(ok) {
            Some(0) => {
                let text = what(self);
                self.fail(property, text, span);
            }
            Some(_) => {}
            None => {
                let Some(cur) = self.out.at.cur else { return };
                let text = what(self);
                let error = self.error_location(property, text, span);
                let origin = Origin { span: self.input.span(span), role: Role::Check };
                let bad = self.out.not(ok);
                self.out.program.add_edge(cur, error, Op::Assume(bad), origin);
                let next = self.out.location();
                self.out.program.add_edge(cur, next, Op::Assume(ok), origin);
                self.out.at.cur = Some(next);
            }
        }
    }

    /// Whether CBMC's pragmas disable a check there: what happens is then neither a violation nor given a meaning.
    fn is_disabled(&self, property: Property, span: Span) -> bool {
        let (mut disabled, mut outer) = (false, Vec::new());
        for pragma in &self.input.ast().pragmas {
            if pragma.span.start > span.start {
                break;
            }
            let Some(rest) = pragma.text.trim().strip_prefix("CPROVER check") else { continue };
            match rest.trim() {
                "push" => outer.push(disabled),
                "pop" => disabled = outer.pop().unwrap_or(false),
                what => {
                    let name =
                        what.strip_prefix("disable").map(|name| name.trim().trim_matches('"'));
                    disabled |= match property {
                        Property::ValidDeref | Property::ValidFree => {
                            matches!(name, Some("pointer" | "bounds" | "pointer-primitive"))
                        }
                        Property::NoOverflow => name == Some("signed-overflow"),
                        Property::DivByZero => name == Some("div-by-zero"),
                        Property::ValidShift => name == Some("undefined-shift"),
                        _ => false,
                    };
                }
            }
        }
        disabled
    }

    /// Memory must be tracked at all moments: also in runs that never come to the checks at the end.
    pub fn check_leaks_of_endless_runs(&mut self) {
        let is_heap = |edge: &Edge| matches!(edge.op, Op::Alloc { kind: AllocKind::Heap, .. });
        if !self.input.checks(Property::ValidMemtrack)
            || !self.out.program.edges.values().any(is_heap)
        {
            return;
        }
        let program = &mut self.out.program;
        let leaked = program.expr(Expr::Leaked);
        for head in bolide_cfa::analysis::endless::endless(program) {
            let function = program.locations[head].function;
            let span = program.locations[head].loop_keyword;
            let span = span.unwrap_or(program.functions[function].span);
            let description = "allocated memory is neither freed nor reachable".into();
            let check = Check { property: Property::ValidMemtrack, description, span };
            let outgoing = program.locations[head].outgoing.clone();
            check_before(program, head, &outgoing, leaked, check);
        }
    }

    /// What must not be written is read-only memory: string literals and static objects that are constant. Asked
    /// where the points-to analysis cannot exclude it.
    pub fn check_writes_to_constants(&mut self) {
        let program = &mut self.out.program;
        if !self.input.options.properties.contains(&Property::ValidDeref)
            || !program.objects.values().any(|o| o.constant)
        {
            return;
        }
        let mut points_to = PointsTo::new(program);
        let mut sites = Vec::new();
        for (id, edge) in program.edges.iter() {
            let (pointer, size) = match edge.op {
                Op::Store { access, .. } => (access.pointer, None),
                Op::Copy { to, size, .. } | Op::Fill { to, size, .. } => (to, Some(size)),
                _ => continue,
            };
            let Some(cell) = points_to.of_expr(pointer) else { continue };
            let is_constant = |place: &(Place, i64)| match place.0 {
                Place::Static(object) => program.objects[object].constant,
                Place::Site(_) => false,
            };
            if points_to.graph().node(cell.node).places.iter().any(is_constant) {
                sites.push((id, pointer, size));
            }
        }
        for (edge, pointer, size) in sites {
            let mut bad = program.expr(Expr::ReadOnly(pointer));
            if let Some(size) = size {
                let some = program.expr(Expr::Cast(Type::BOOL, size));
                bad = program.expr(Expr::Binary(BinaryOp::BitAnd, bad, some));
            }
            let (from, span) = (program.edges[edge].from, program.edges[edge].origin.span);
            let description = "constant memory is written".into();
            let check = Check { property: Property::ValidDeref, description, span };
            check_before(program, from, &[edge], bad, check);
        }
    }

    /// The property is violated here.
    pub fn fail(&mut self, property: Property, text: String, span: Span) {
        let Some(cur) = self.out.at.cur.take() else { return };
        let error = self.error_location(property, text, span);
        let origin = Origin { span: self.input.span(span), role: Role::Check };
        self.out.program.add_edge(cur, error, Op::Skip, origin);
    }

    fn error_location(&mut self, property: Property, text: String, span: Span) -> LocId {
        let description = if self.input.in_model() {
            match self.f.name.strip_prefix("__bolide_read_") {
                Some(what) => format!("{text} (reading a {what})"),
                None => format!("{text} (in `{}` of the C library)", self.f.name),
            }
        } else {
            text
        };
        let span = self.input.span(span);
        let check = self.out.program.checks.push(Check { property, description, span });
        let at = self.out.location();
        self.out.program.locations[at].error = Some(check);
        at
    }
}

/// Puts a check before some of the edges that leave a location: the property is violated where `bad` holds.
pub fn check_before(program: &mut Program, at: LocId, edges: &[EdgeId], bad: ExprId, check: Check) {
    let function = program.locations[at].function;
    let (error, next) = (program.add_location(function), program.add_location(function));
    program.locations[at].outgoing.retain(|edge| !edges.contains(edge));
    for &edge in edges {
        program.edges[edge].from = next;
        program.locations[next].outgoing.push(edge);
    }
    let origin = Origin { span: check.span, role: Role::Check };
    program.locations[error].error = Some(program.checks.push(check));
    let ok = program.exprs.not(bad);
    program.add_edge(at, error, Op::Assume(bad), origin);
    program.add_edge(at, next, Op::Assume(ok), origin);
}

//! Comparisons of pointers whose outcome C leaves open.
//!
//! Formulas number objects and never use a number again; two pointers are equal when object and
//! offset are. Addresses are less than that. The address of an object whose life has ended may be
//! given to a later one, one past the end of an object may be the start of the next
//! (C11 6.5.9), and string literals may share their bytes. Where two pointers may stand so,
//! `p == q` becomes
//!
//! `p == q || coincide(p, q) && !(valid(p, 1) && valid(q, 1))`
//!
//! in which `coincide` ([`Expr::Coincide`]) is either truth value for pointers into
//! different objects: two pointers to bytes of live objects are compared exactly, as are
//! null and functions. The conditions `valid` keep the ends of lifetimes that matter from being sliced away.
//!
//! Which comparisons these are, the points-to analysis says. Required: one that is left alone compares
//! pointers of which none can dangle when control comes there and none
//! can be one past an object where the other is at the start of another. Ends of
//! lifetimes count only where control can go from them to the comparison. The
//! heap and the stack lie apart, and static objects do not end.

use super::Mapped;
use crate::analysis::graph::reached;
use crate::analysis::points_to::graph::{Cell, NodeId, Place};
use crate::analysis::uses::Walker;
use crate::analysis::{CallGraph, Flow, Loops, PointsTo};
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId};
use crate::program::*;
use crate::types::Type;
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};

/// Says of each comparison what it leaves open.
pub fn open_comparisons(mapped: &mut Mapped) {
    let mut walker = Walker::new();
    let mut sites: Vec<EdgeId> = Vec::new();
    for (id, edge) in mapped.program.edges.iter() {
        let exprs = &mapped.program.exprs;
        let mut found = false;
        walker.walk(exprs, &edge.op.operands(), |e, _| {
            found |= compared(&mapped.program, e).is_some()
        });
        if found {
            sites.push(id);
        }
    }
    if sites.is_empty() {
        return;
    }
    let mut judge = Judge::new(&mapped.program);
    for id in sites {
        let mut map: HashMap<ExprId, ExprId> = HashMap::default();
        let (from, mut op) = (mapped.program.edges[id].from, mapped.program.edges[id].op.clone());
        for e in walker.bottom_up(&mapped.program.exprs, &op.operands()) {
            let expr = mapped.program.exprs.get(e).map_operands(|operand| map[&operand]);
            let mut new = mapped.program.expr(expr);
            if let Some((a, b)) = compared(&mapped.program, e)
                && let Some(open) = judge.open(&mapped.program, a, b, from)
            {
                let is_eq = matches!(mapped.program.exprs.get(e), Expr::Compare(CompareOp::Eq, ..));
                new = opened(&mut mapped.program, (map[&a], map[&b]), is_eq, open);
            }
            map.insert(e, new);
        }
        op.map_operands(|e| map[&e]);
        mapped.program.edges[id].op = op;
    }
}

/// The two sides where two pointers are compared for equality, neither of them a constant.
fn compared(program: &Program, e: ExprId) -> Option<(ExprId, ExprId)> {
    let Expr::Compare(CompareOp::Eq | CompareOp::Ne, a, b) = *program.exprs.get(e) else {
        return None;
    };
    let number = |e: ExprId| match *program.exprs.get(e) {
        Expr::Null => true,
        Expr::Cast(_, inner) => program.exprs.as_int(inner).is_some(),
        _ => false,
    };
    let pointers = program.exprs.type_of(a) == Type::Pointer;
    (pointers && a != b && !number(a) && !number(b)).then_some((a, b))
}

/// When pointers into different objects may compare equal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Unless both point to bytes of live objects; the flags say of which side that is certain.
    Outside([bool; 2]),
    /// Always.
    Shared,
}

fn opened(program: &mut Program, (a, b): (ExprId, ExprId), is_eq: bool, open: Open) -> ExprId {
    let equal = program.expr(Expr::Compare(CompareOp::Eq, a, b));
    let mut chance = program.expr(Expr::Coincide(a, b));
    if let Open::Outside(certain) = open {
        let one = program.exprs.int(1, program.target.size_type());
        let open = [a, b].into_iter().zip(certain).filter(|(_, certain)| !certain);
        let valid = open.map(|(pointer, _)| {
            program.expr(Expr::Valid { pointer, size: one, region: RegionId::ALL })
        });
        let valid: Vec<ExprId> = valid.collect();
        let both = |x, y| program.expr(Expr::Binary(BinaryOp::BitAnd, x, y));
        let inside = valid.into_iter().reduce(both);
        let inside = inside.unwrap_or_else(|| program.exprs.bool(true));
        let outside = program.exprs.not(inside);
        chance = program.expr(Expr::Binary(BinaryOp::BitAnd, chance, outside));
    }
    let result = program.expr(Expr::Binary(BinaryOp::BitOr, equal, chance));
    if is_eq { result } else { program.exprs.not(result) }
}

/// Where memory lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Area {
    Static,
    Heap,
    Stack,
}

/// What may be behind one side of a comparison.
struct Side {
    /// The objects: where they lie, which, and where in it the pointer is, if that is known.
    objects: Vec<(Area, Place, Option<i128>)>,
    /// Objects that nobody knows.
    unknown: bool,
    /// Areas in which some of its objects may have ended.
    ended: Vec<Area>,
    /// It is a name of the object, which lives.
    named: bool,
}

struct Judge {
    points_to: PointsTo,
    flow: Flow,
    loops: Loops,
    calls: CallGraph,
    /// By function: calls of it.
    sites: Vec<Vec<EdgeId>>,
    /// By node: ends of lifetimes there.
    ends: HashMap<NodeId, Vec<(Area, EdgeId)>>,
    /// By node and area: where control can go from those ends.
    behind: HashMap<(NodeId, Area), HashSet<LocId>>,
}

impl Judge {
    fn new(program: &Program) -> Judge {
        let mut points_to = PointsTo::new(program);
        let calls = CallGraph::new(program);
        let flow = Flow::new(program);
        let loops = Loops::new(program, &flow);
        let mut ends: HashMap<NodeId, Vec<(Area, EdgeId)>> = HashMap::default();
        let sites = calls.callers(program);
        for (id, edge) in program.edges.iter() {
            let (area, pointer) = match edge.op {
                Op::Free { pointer, .. } => (Area::Heap, pointer),
                Op::EndLifetime { pointer, .. } => (Area::Stack, pointer),
                _ => continue,
            };
            let node = points_to.of_pointer(pointer).node;
            ends.entry(node).or_default().push((area, id));
        }
        Judge { points_to, flow, loops, calls, sites, ends, behind: HashMap::default() }
    }

    /// What the comparison of two pointers at a location leaves open.
    fn open(&mut self, program: &Program, a: ExprId, b: ExprId, at: LocId) -> Option<Open> {
        let (x, y) = (self.side(program, a, at)?, self.side(program, b, at)?);
        let dangling = x.dangles_beside(&y) || y.dangles_beside(&x);
        if !dangling && self.one_object(program, &x, &y) {
            return None;
        }
        if x.literals(program) && y.literals(program) && !(x.all_at_start() && y.all_at_start()) {
            return Some(Open::Shared);
        }
        let adjacent =
            (x.may_be_past(program) && y.may_start()) || (y.may_be_past(program) && x.may_start());
        (dangling || adjacent).then(|| {
            let inside = |side: &Side| side.named && !side.may_be_past(program);
            Open::Outside([inside(&x), inside(&y)])
        })
    }

    /// What may be behind a pointer; none for what is not known to point anywhere.
    fn side(&mut self, program: &Program, e: ExprId, at: LocId) -> Option<Side> {
        let cell = self.points_to.of_expr(e)?;
        let node = self.points_to.graph().node(cell.node).clone();
        if let Some(named) = self.named(program, e, cell) {
            return Some(named);
        }
        let objects = node
            .places
            .iter()
            .map(|&(place, start)| {
                let known = node.period == 0 && !node.universal;
                let offset = known.then(|| i128::from(cell.offset) - i128::from(start));
                (area(program, place), place, offset)
            })
            .collect();
        let mut ended = vec![Area::Heap, Area::Stack];
        ended.retain(|&area| self.comes_behind(program, (cell.node, area), at));
        let unknown = node.universal || node.unknown;
        Some(Side { objects, unknown, ended, named: false })
    }

    /// A pointer that is the name of an object in scope, or a constant distance behind it.
    fn named(&mut self, program: &Program, e: ExprId, cell: Cell) -> Option<Side> {
        let (base, offset) = program.exprs.without_offset(e);
        let place = match *program.exprs.get(base) {
            Expr::Object(object) => Place::Static(object),
            Expr::Var(var) if program.variables[var].kind == VariableKind::Address => {
                let node = self.points_to.graph().node(cell.node);
                let made = |place: &Place| match *place {
                    Place::Site(edge) => program.edges[edge].op.target() == Some(var),
                    Place::Static(_) => false,
                };
                node.places.iter().map(|(place, _)| *place).find(made)?
            }
            _ => return None,
        };
        let objects = vec![(area(program, place), place, Some(offset))];
        Some(Side { objects, unknown: false, ended: Vec::new(), named: true })
    }

    /// Whether both point into one and the same object, if anywhere.
    fn one_object(&self, program: &Program, x: &Side, y: &Side) -> bool {
        let [(_, place, _)] = x.objects[..] else { return false };
        let [(_, other, _)] = y.objects[..] else { return false };
        let single = match place {
            Place::Static(_) => true,
            Place::Site(edge) => self.runs_once(program, edge),
        };
        place == other && single && !x.unknown && !y.unknown
    }

    /// Whether no run comes to the edge twice.
    fn runs_once(&self, program: &Program, mut edge: EdgeId) -> bool {
        loop {
            let from = program.edges[edge].from;
            let function = program.locations[from].function;
            let repeats = !self.flow.is_reached(from)
                || self.loops.depth(from) > 0
                || self.calls.is_recursive(function)
                || self.calls.address_taken().contains(&function);
            match self.sites[function.index()][..] {
                _ if repeats => return false,
                [] => return function == program.entry,
                [site] => edge = site,
                _ => return false,
            }
        }
    }

    /// Whether control can come from the end of a lifetime to a location.
    fn comes_behind(&mut self, program: &Program, key: (NodeId, Area), at: LocId) -> bool {
        let (calls, sites) = (&self.calls, &self.sites);
        let ends = self.ends.get(&key.0).into_iter().flatten();
        let behind = self.behind.entry(key).or_insert_with(|| {
            let ends = ends.filter(|(area, _)| *area == key.1);
            let entry = |f: &FunctionId| program.functions[*f].body.map(|body| body.entry);
            reached(ends.map(|&(_, end)| program.edges[end].to), |at| {
                let mut next = Vec::new();
                for &e in &program.locations[at].outgoing {
                    next.push(program.edges[e].to);
                    let called = match &program.edges[e].op {
                        Op::External { .. } => calls.address_taken(),
                        op => calls.called(op),
                    };
                    next.extend(called.iter().filter_map(entry));
                }
                let function = program.locations[at].function;
                if program.functions[function].body.is_some_and(|body| body.exit == at) {
                    let sites = sites[function.index()].iter();
                    next.extend(sites.map(|&site| program.edges[site].to));
                }
                next
            })
        });
        behind.contains(&at)
    }
}

fn area(program: &Program, place: Place) -> Area {
    match place {
        Place::Static(_) => Area::Static,
        Place::Site(edge) => match program.edges[edge].op {
            Op::Alloc { kind: AllocKind::Stack | AllocKind::Alloca, .. } => Area::Stack,
            Op::Alloc { kind: AllocKind::Static, .. } => Area::Static,
            _ => Area::Heap,
        },
    }
}

impl Side {
    /// Whether some object of it may have ended at whose address the other one points to an object.
    fn dangles_beside(&self, other: &Side) -> bool {
        self.ended
            .iter()
            .any(|ended| other.unknown || other.objects.iter().any(|(area, ..)| area == ended))
    }

    fn literals(&self, program: &Program) -> bool {
        self.objects.iter().any(|(_, place, _)| match place {
            Place::Static(object) => program.objects[*object].is_literal(),
            Place::Site(_) => false,
        })
    }

    fn all_at_start(&self) -> bool {
        !self.unknown && self.objects.iter().all(|(_, _, offset)| *offset == Some(0))
    }

    fn may_start(&self) -> bool {
        self.unknown || self.objects.iter().any(|(_, _, offset)| offset.is_none_or(|o| o == 0))
    }

    /// Whether the pointer may be just behind an object, or at one without bytes.
    fn may_be_past(&self, program: &Program) -> bool {
        let size = |place: &Place| match *place {
            Place::Static(object) => {
                let object = &program.objects[object];
                (!object.external).then_some(i128::from(object.size))
            }
            Place::Site(edge) => match program.edges[edge].op {
                Op::Alloc { size, .. } => program.exprs.as_int(size),
                _ => None,
            },
        };
        let past = |place: &Place, offset: Option<i128>| match (offset, size(place)) {
            (Some(offset), Some(size)) => !(0..size).contains(&offset),
            _ => true,
        };
        self.unknown || self.objects.iter().any(|(_, place, offset)| past(place, *offset))
    }
}

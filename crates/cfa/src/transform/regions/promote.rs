//! Which parts of memory become scalar variables again.
//!
//! A field of the points-to graph is promoted when each of its accesses
//! (as far as it is defined) touches one and the same scalar:
//! - its node holds one object, not known to external code and not printed,
//!   and is not periodic, so that the offset of each access is known;
//! - all accesses have one type and none is volatile, and no copy touches it;
//! - the object is static, or a local of which one instance at a time can be
//!   accessed: either its function is not recursive and the allocation does
//!   not come round again before the lifetime has ended, or every access
//!   is made in the function itself through the variable that holds the address;
//! - or it is on the heap, its allocation is passed at most once in a run, and the field is a number: the
//!   state of a protocol in a structure that is made at the start. Links stay in memory, for
//!   those who look at shapes.
//!
//! Where leaks are checked, locals wide enough to hold a pointer stay in
//! memory: a variable would keep the pointer beyond the object's life, and what it points to
//! would not count as lost.
//!
//! Pointers to the object stay what they are; the conditions `Valid` ask about
//! the object as before. The new variable is local where only the function of
//! a local object accesses it, else global.

use super::names::{Keepers, Part};
use crate::analysis::points_to::graph::{NodeId, Place, Shape};
use crate::analysis::uses::Walker;
use crate::analysis::{CallGraph, Flow, Loops, PointsTo};
use crate::expr::{Expr, ExprId};
use crate::program::*;
use crate::transform::{Mapped, VariableOrigin};
use crate::types::Type;
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};

/// A field of the points-to graph: its node and where it starts.
pub(super) type FieldKey = (NodeId, i64);

/// The promoted fields and their variables.
#[derive(Debug, Default)]
pub(super) struct Promoted {
    variables: HashMap<FieldKey, VarId>,
}

impl Promoted {
    pub fn variable(&self, key: FieldKey) -> Option<VarId> {
        self.variables.get(&key).copied()
    }
}

/// How a field is accessed.
#[derive(Default)]
struct Accesses {
    /// The one function that does; none before the first access is seen.
    function: Option<FunctionId>,
    several_functions: bool,
    /// The variable through which it is accessed directly.
    through: Option<VarId>,
    /// Some access goes through another expression than one variable and a constant.
    indirect: bool,
    /// A copy, or a fill that is not of constants to the whole of it.
    blocked: bool,
}

pub(super) fn promote(mapped: &mut Mapped, points_to: &mut PointsTo, heap: bool) -> Promoted {
    let accesses = collect(&mapped.program, points_to);
    let (calls, flow) = (CallGraph::new(&mapped.program), Flow::new(&mapped.program));
    let loops = Loops::new(&mapped.program, &flow);
    let instances = Instances { callers: calls.callers(&mapped.program), calls, loops, flow };
    let mut names: HashSet<(Option<FunctionId>, String)> =
        mapped.program.variables.values().map(|v| (v.function, v.name.clone())).collect();
    let leak_checked = mapped.program.checks_leaks();
    let mut promoted = Promoted::default();
    let keepers = Keepers::new(&mapped.program);
    for root in points_to.roots() {
        let node = points_to.graph().node(root).clone();
        let [(place, at)] = node.places[..] else { continue };
        if node.universal || node.printed || node.period != 0 || !node.functions.is_empty() {
            continue;
        }
        for (&start, field) in &node.fields {
            let Shape::One(ty) = field.shape else { continue };
            let Some(seen) = accesses.get(&(root, start)) else { continue };
            if seen.blocked || field.volatile || start < at {
                continue;
            }
            let pointer_size = i64::from(mapped.program.target.pointer_bits / 8);
            if leak_checked && matches!(place, Place::Site(_)) && field.size >= pointer_size {
                continue;
            }
            let offset = (start - at) as u64;
            let end = offset + field.size as u64;
            let heap_too = heap && !leak_checked && matches!(ty, Type::Int(_));
            let Some((mut variable, size)) =
                instances.variable(&mapped.program, place, seen, end, heap_too)
            else {
                continue;
            };
            let width = end - offset;
            let alike = node.fields.values().all(|other| other.size == field.size);
            let part = Part { offset, width, size, ty, alike };
            let pointer = match place {
                Place::Site(edge) => keepers.called(&mapped.program, edge),
                Place::Static(_) => None,
            };
            variable.name = match pointer {
                Some(pointer) => part.name(&mapped.program, pointer, true),
                None => part.name(&mapped.program, variable.name.trim_start_matches('&'), false),
            };
            while !names.insert((variable.function, variable.name.clone())) {
                variable.name.push('\'');
            }
            variable.ty = ty;
            // The points-to analysis saw the initial values as accesses, so
            // one that overlaps has the type and the place of the field.
            if let Place::Static(object) = place {
                let mut initial = mapped.program.objects[object].initial.iter();
                variable.initial = initial.find(|init| init.offset == offset).map(|i| i.value);
            }
            let origin_place = match place {
                Place::Static(object) => Place::Static(mapped.objects[object]),
                Place::Site(edge) => match mapped.edges[edge].first() {
                    Some(&old) => Place::Site(old),
                    None => place,
                },
            };
            let origin = VariableOrigin::Memory { place: origin_place, offset };
            let var = mapped.add_variable(variable, origin);
            promoted.variables.insert((root, start), var);
        }
    }
    promoted
}

/// What decides how many instances of an object there are at a time.
struct Instances {
    calls: CallGraph,
    /// By function: the edges that may call it.
    callers: Vec<Vec<EdgeId>>,
    flow: Flow,
    loops: Loops,
}

impl Instances {
    /// The variable for a field that ends at offset `end` of its object, still with the object's name
    /// and the type of its pointer; and the object's size. None where the field has to stay in memory.
    fn variable(
        &self,
        program: &Program,
        place: Place,
        seen: &Accesses,
        end: u64,
        heap_too: bool,
    ) -> Option<(Variable, u64)> {
        let edge = match place {
            Place::Static(object) => {
                let definition = &program.objects[object];
                let plain =
                    Variable::new(&definition.name, Type::Pointer, None, VariableKind::Global);
                let variable = Variable { span: definition.span, ..plain };
                let fits = !definition.external && end <= definition.size;
                return fits.then_some((variable, definition.size));
            }
            Place::Site(edge) => edge,
        };
        let Op::Alloc { target, size, kind, frame: None, .. } = program.edges[edge].op else {
            return None;
        };
        let size = program.exprs.as_int(size).and_then(|s| u64::try_from(s).ok())?;
        let home = program.locations[program.edges[edge].from].function;
        let local = seen.function == Some(home) && !seen.several_functions;
        let direct = local && !seen.indirect && seen.through == Some(target);
        let one_at_a_time = || {
            !self.calls.is_recursive(home)
                && !comes_round(program, &self.flow, &self.loops, edge, target)
        };
        let one = match kind {
            AllocKind::Stack | AllocKind::Alloca => direct || one_at_a_time(),
            AllocKind::Heap => heap_too && self.is_passed_once(program, edge),
            AllocKind::Static => false,
        };
        if end > size || !one {
            return None;
        }
        let kind = if local { VariableKind::Local } else { VariableKind::Global };
        let function = local.then_some(home);
        let address = program.variables[target].clone();
        Some((Variable { function, kind, initial: None, ..address }, size))
    }

    /// Whether no run passes an edge twice: no loop leads back to it, nor to the only call that leads to it.
    fn is_passed_once(&self, program: &Program, mut edge: EdgeId) -> bool {
        loop {
            let from = program.edges[edge].from;
            let home = program.locations[from].function;
            if self.loops.depth(from) > 0
                || !self.flow.is_reached(from)
                || self.calls.is_recursive(home)
            {
                return false;
            }
            match self.callers[home.index()][..] {
                [] => return home == program.entry,
                [caller] if home != program.entry => edge = caller,
                _ => return false,
            }
        }
    }
}

/// Whether control can come back to an allocation while the object that it
/// made before still lives.
fn comes_round(
    program: &Program,
    flow: &Flow,
    loops: &Loops,
    allocation: EdgeId,
    target: VarId,
) -> bool {
    let start = program.edges[allocation].to;
    let home = program.edges[allocation].from;
    if loops.depth(home) == 0 || !flow.is_reached(home) {
        return false;
    }
    let mut seen = HashSet::default();
    let mut pending = vec![start];
    while let Some(loc) = pending.pop() {
        if loc == home {
            return true;
        }
        if !seen.insert(loc) {
            continue;
        }
        // Heuristic: long loops are not worth the search.
        if seen.len() > 2000 {
            return true;
        }
        for &e in &program.locations[loc].outgoing {
            let edge = &program.edges[e];
            let ends = match edge.op {
                Op::EndLifetime { pointer, .. } => {
                    matches!(program.exprs.get(pointer), Expr::Var(v) if *v == target)
                }
                _ => false,
            };
            if !ends {
                pending.push(edge.to);
            }
        }
    }
    false
}

/// The variable of `variable` or `variable + constant`.
fn base_variable(program: &Program, pointer: ExprId) -> Option<VarId> {
    match *program.exprs.get(program.exprs.without_offset(pointer).0) {
        Expr::Var(var) => Some(var),
        _ => None,
    }
}

fn collect(program: &Program, points_to: &mut PointsTo) -> HashMap<FieldKey, Accesses> {
    let mut result: HashMap<FieldKey, Accesses> = HashMap::default();
    let mut walker = Walker::new();
    let mut note = |points_to: &mut PointsTo, function: FunctionId, pointer: ExprId| {
        let cell = points_to.of_pointer(pointer);
        let Some((root, start, _)) = points_to.graph().field(cell) else { return };
        let seen = result.entry((root, start)).or_default();
        match seen.function {
            None => seen.function = Some(function),
            Some(f) => seen.several_functions |= f != function,
        }
        match (base_variable(program, pointer), seen.through) {
            (Some(var), None) => seen.through = Some(var),
            (Some(var), Some(before)) if var == before => {}
            _ => seen.indirect = true,
        }
    };
    let mut ranges = Vec::new();
    for edge in program.edges.values() {
        let function = program.locations[edge.from].function;
        let mut pointers = Vec::new();
        walker.walk(&program.exprs, &edge.op.operands(), |_, expr| {
            if let Expr::Load(access) = expr {
                pointers.push(access.pointer);
            }
        });
        match &edge.op {
            Op::Store { access, .. } => pointers.push(access.pointer),
            Op::Copy { to, .. } => ranges.push((function, *to, None)),
            Op::Fill { to, byte, size, .. } => {
                let size = program.exprs.as_int(*size).and_then(|s| i64::try_from(s).ok());
                let size = size.filter(|_| program.exprs.as_int(*byte).is_some());
                ranges.push((function, *to, size));
            }
            _ => {}
        }
        for pointer in pointers {
            note(points_to, function, pointer);
        }
    }
    // Heuristic: an object that is copied or filled as a whole stays in memory,
    // but for fills with constants that cover a field or miss it.
    for (function, pointer, size) in ranges {
        let cell = points_to.of_pointer(pointer);
        let at = points_to.graph().find(cell);
        let fields: Vec<(i64, i64)> =
            points_to.graph().node(at.node).fields.iter().map(|(&s, f)| (s, f.size)).collect();
        for (start, width) in fields {
            let Some(seen) = result.get_mut(&(at.node, start)) else { continue };
            let covers = size.map(|size| (at.offset, at.offset.saturating_add(size)));
            match covers {
                Some((lo, hi)) if start + width <= lo || hi <= start => {}
                Some((lo, hi)) if lo <= start && start + width <= hi => {
                    seen.several_functions |= seen.function != Some(function);
                    seen.indirect = true;
                }
                _ => seen.blocked = true,
            }
        }
    }
    result
}

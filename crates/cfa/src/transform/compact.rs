//! Leaves out what is not used any more and numbers the rest anew.
//!
//! Gone are: edges that a pass removed, locations that no path from their
//! function's entry reaches, functions that nothing calls, variables, objects
//! and expressions that nothing mentions. A function whose address is still
//! mentioned but that can no longer be called loses its body only. Checks and regions keep
//! their ids.

use super::Mapped;
use crate::analysis::{BitSet, CallGraph, Flow};
use crate::expr::{Expr, ExprId, ExprPool};
use crate::program::*;
use crate::types::Target;
use bolide_base::Arena;
use bolide_base::arena::Id;

/// Compacts, without the edges that `removed` holds.
pub fn compact(mapped: &mut Mapped, removed: &BitSet) {
    drop_edges(mapped, removed);
    let program = &mapped.program;
    let flow = Flow::new(program);
    let live_edges = |program: &Program, e: EdgeId| {
        flow.is_reached(program.edges[e].from) && !removed.contains(e.index())
    };
    // Which functions can run: follow calls on edges that can be reached.
    let called = called_functions(program, &live_edges);
    let mut roots: Vec<ExprId> = Vec::new();
    let mut variables = BitSet::new(program.variables.len());
    let mut functions = called.clone();
    for (id, edge) in program.edges.iter() {
        let runs = called.contains(program.locations[edge.from].function.index());
        if runs && live_edges(program, id) {
            roots.extend(edge.op.operands());
            if let Some(var) = edge.op.target() {
                variables.insert(var.index());
                roots.extend(program.variables[var].initial);
            }
            if let Op::External { function, .. } = edge.op {
                functions.insert(function.index());
            }
        }
    }
    let mut objects = BitSet::new(program.objects.len());
    let mut seen = BitSet::new(program.exprs.len());
    // Mentioned objects and variables bring in their initial values.
    while let Some(id) = roots.pop() {
        if !seen.insert(id.index()) {
            continue;
        }
        let expr = program.exprs.get(id);
        roots.extend(expr.operands());
        match *expr {
            Expr::Var(var) => {
                variables.insert(var.index());
                roots.extend(program.variables[var].initial);
            }
            Expr::Object(object) if objects.insert(object.index()) => {
                roots.extend(program.objects[object].initial.iter().map(|init| init.value));
            }
            Expr::Function(function) => {
                functions.insert(function.index());
            }
            _ => {}
        }
    }
    let used: Vec<ExprId> = seen.iter().map(ExprId::from_index).collect();
    for f in functions.iter() {
        let function = &program.functions[FunctionId::from_index(f)];
        for var in function.parameters.iter().chain(&function.result) {
            variables.insert(var.index());
        }
    }
    rebuild(mapped, &flow, &called, &functions, &variables, &objects, &used);
}

/// Takes removed edges out of the lists of their ends.
fn drop_edges(mapped: &mut Mapped, removed: &BitSet) {
    if removed.is_empty() {
        return;
    }
    for location in mapped.program.locations.values_mut() {
        location.outgoing.retain(|e| !removed.contains(e.index()));
        location.incoming.retain(|e| !removed.contains(e.index()));
    }
}

fn called_functions(program: &Program, live: &impl Fn(&Program, EdgeId) -> bool) -> BitSet {
    // The call graph over-approximates indirect calls; direct ones are taken
    // from reached edges only.
    let calls = CallGraph::new(program);
    let mut called = BitSet::new(program.functions.len());
    let mut pending = vec![program.entry];
    while let Some(f) = pending.pop() {
        if !called.insert(f.index()) {
            continue;
        }
        for &site in calls.sites(f) {
            if !live(program, site) {
                continue;
            }
            match &program.edges[site].op {
                Op::Call { function, .. } => pending.push(*function),
                Op::CallIndirect { candidates: Some(list), .. } => pending.extend(list),
                Op::CallIndirect { candidates: None, .. } => {
                    pending.extend(calls.address_taken());
                }
                _ => {}
            }
        }
    }
    called
}

fn rebuild(
    mapped: &mut Mapped,
    flow: &Flow,
    called: &BitSet,
    functions: &BitSet,
    variables: &BitSet,
    objects: &BitSet,
    used: &[ExprId],
) {
    const NONE: u32 = u32::MAX;
    let old = std::mem::replace(&mut mapped.program, Program::new(Target::LP64));
    let mut new = Program::new(old.target);
    new.checks = old.checks;
    new.regions = old.regions;
    new.external_region = old.external_region;
    new.records = old.records;
    new.unmodelled = old.unmodelled;
    let number = |kept: &BitSet, n: usize| -> Vec<u32> {
        let mut map = vec![NONE; n];
        kept.iter().enumerate().for_each(|(new, old)| map[old] = new as u32);
        map
    };
    let function_map = number(functions, old.functions.len());
    let variable_map = number(variables, old.variables.len());
    let object_map = number(objects, old.objects.len());
    let function = |f: FunctionId| FunctionId::from_index(function_map[f.index()] as usize);
    let variable = |v: VarId| VarId::from_index(variable_map[v.index()] as usize);
    let object = |o: ObjectId| ObjectId::from_index(object_map[o.index()] as usize);

    new.exprs = ExprPool::new(old.target);
    let mut expr_map = vec![ExprId::from_index(0); old.exprs.len()];
    for &id in used {
        let expr = old.exprs.get(id).map_operands(|operand| expr_map[operand.index()]);
        expr_map[id.index()] = match expr {
            Expr::Var(v) => new.exprs.var(variable(v), old.variables[v].ty),
            Expr::Object(o) => new.exprs.intern(Expr::Object(object(o))),
            Expr::Function(f) => new.exprs.intern(Expr::Function(function(f))),
            other => new.exprs.intern(other),
        };
    }
    let expr = |e: ExprId| expr_map[e.index()];

    let mut location_map = vec![NONE; old.locations.len()];
    let mut locations = Arena::new();
    for (id, location) in old.locations.iter() {
        let body = old.functions[location.function].body;
        let runs = called.contains(location.function.index());
        if runs && (flow.is_reached(id) || body.is_some_and(|b| b.exit == id)) {
            let new_id = new.locations.push(Location {
                function: function(location.function),
                outgoing: Vec::new(),
                incoming: Vec::new(),
                ..location.clone()
            });
            location_map[id.index()] = new_id.index() as u32;
            locations.push(mapped.locations[id]);
        }
    }
    let loc = |l: LocId| LocId::from_index(location_map[l.index()] as usize);
    // Edges keep their order, at each location and overall.
    let mut edge_map = vec![NONE; old.edges.len()];
    let mut edges = Arena::new();
    let mut listed = BitSet::new(old.edges.len());
    for location in old.locations.values() {
        location.outgoing.iter().for_each(|e| {
            listed.insert(e.index());
        });
    }
    for (id, edge) in old.edges.iter() {
        if !listed.contains(id.index())
            || location_map[edge.from.index()] == NONE
            || !flow.is_reached(edge.from)
        {
            continue;
        }
        let mut op = edge.op.clone();
        op.map_operands(expr);
        op.rename(variable, function);
        let new_id = new.edges.push(Edge {
            from: loc(edge.from),
            to: loc(edge.to),
            op,
            origin: edge.origin,
        });
        edge_map[id.index()] = new_id.index() as u32;
        edges.push(std::mem::take(&mut mapped.edges[id]));
    }
    for (id, location) in old.locations.iter() {
        if location_map[id.index()] == NONE {
            continue;
        }
        let translate = |list: &[EdgeId]| -> Vec<EdgeId> {
            list.iter()
                .map(|e| edge_map[e.index()])
                .filter(|&e| e != NONE)
                .map(|e| EdgeId::from_index(e as usize))
                .collect()
        };
        let (outgoing, incoming) = (translate(&location.outgoing), translate(&location.incoming));
        let at = &mut new.locations[loc(id)];
        at.outgoing = outgoing;
        at.incoming = incoming;
    }
    for v in variables.iter().map(VarId::from_index) {
        let mut variable = old.variables[v].clone();
        variable.initial = variable.initial.map(expr);
        variable.function = variable.function.map(function);
        new.variables.push(variable);
    }
    for o in objects.iter().map(ObjectId::from_index) {
        let mut object = old.objects[o].clone();
        object.initial.iter_mut().for_each(|init| init.value = expr(init.value));
        new.objects.push(object);
    }
    for f in functions.iter().map(FunctionId::from_index) {
        let mut kept = old.functions[f].clone();
        kept.parameters.iter_mut().for_each(|v| *v = variable(*v));
        kept.result = kept.result.map(variable);
        let runs = called.contains(f.index());
        kept.locals.retain(|v| runs && variables.contains(v.index()));
        kept.locals.iter_mut().for_each(|v| *v = variable(*v));
        kept.body = kept
            .body
            .filter(|_| runs)
            .map(|body| Body { entry: loc(body.entry), exit: loc(body.exit) });
        new.functions.push(kept);
    }
    new.object_parts = old
        .object_parts
        .iter()
        .filter(|part| objects.contains(part.object.index()))
        .map(|part| ObjectPart { object: object(part.object), ..*part })
        .collect();
    for region in new.regions.values_mut() {
        region.object = region.object.filter(|o| objects.contains(o.index())).map(object);
    }
    new.entry = function(old.entry);
    mapped.edges = edges;
    mapped.locations = locations;
    mapped.variables = variables.iter().map(|v| mapped.variables[VarId::from_index(v)]).collect();
    mapped.functions =
        functions.iter().map(|f| mapped.functions[FunctionId::from_index(f)]).collect();
    mapped.objects = objects.iter().map(|o| mapped.objects[ObjectId::from_index(o)]).collect();
    mapped.program = new;
}

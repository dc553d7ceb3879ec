//! Leaves out what is not used any more and numbers the rest anew.
//!
//! Gone are: edges that a pass removed, locations that no path from their
//! function's entry reaches, functions that nothing calls, variables, objects
//! and expressions that nothing mentions. A function whose address is still
//! mentioned but that can no longer be called loses its body only. Checks and regions keep
//! their ids.

use super::Mapped;
use crate::analysis::graph::reached;
use crate::analysis::{BitSet, CallGraph, Flow};
use crate::expr::{Expr, ExprId};
use crate::program::*;
use crate::types::Target;
use bolide_base::Arena;
use bolide_base::arena::Id;
use std::marker::PhantomData;

/// Compacts, without the edges that `removed` holds.
pub fn compact(mapped: &mut Mapped, removed: &BitSet) {
    drop_edges(mapped, removed);
    let flow = Flow::new(&mapped.program);
    let kept = Kept::find(&mapped.program, &flow, removed);
    rebuild(mapped, &flow, &kept);
}

/// What stays.
struct Kept {
    /// Functions that can run.
    called: BitSet,
    functions: BitSet,
    variables: BitSet,
    objects: BitSet,
    exprs: BitSet,
}

impl Kept {
    fn find(program: &Program, flow: &Flow, removed: &BitSet) -> Kept {
        let is_live =
            |e: EdgeId| flow.is_reached(program.edges[e].from) && !removed.contains(e.index());
        // Which functions can run: follow calls on edges that can be reached.
        let called = called_functions(program, &is_live);
        let mut kept = Kept {
            functions: called.clone(),
            called,
            variables: BitSet::new(program.variables.len()),
            objects: BitSet::new(program.objects.len()),
            exprs: BitSet::new(program.exprs.len()),
        };
        let mut roots: Vec<ExprId> = Vec::new();
        for (id, edge) in program.edges.iter() {
            let runs = kept.called.contains(program.locations[edge.from].function.index());
            if runs && is_live(id) {
                roots.extend(edge.op.operands());
                if let Some(var) = edge.op.target() {
                    kept.variables.insert(var.index());
                    roots.extend(program.variables[var].initial);
                }
                if let Op::External { function, .. } = edge.op {
                    kept.functions.insert(function.index());
                }
            }
        }
        kept.mention(program, roots);
        for f in kept.functions.iter() {
            let function = &program.functions[FunctionId::from_index(f)];
            for var in function.parameters.iter().chain(&function.result) {
                kept.variables.insert(var.index());
            }
        }
        kept
    }

    /// Keeps what expressions mention; objects and variables bring in their initial values.
    fn mention(&mut self, program: &Program, mut roots: Vec<ExprId>) {
        while let Some(id) = roots.pop() {
            if !self.exprs.insert(id.index()) {
                continue;
            }
            let expr = program.exprs.get(id);
            roots.extend(expr.operands());
            match *expr {
                Expr::Var(var) => {
                    self.variables.insert(var.index());
                    roots.extend(program.variables[var].initial);
                }
                Expr::Object(object) if self.objects.insert(object.index()) => {
                    roots.extend(program.objects[object].initial.iter().map(|init| init.value));
                }
                Expr::Function(function) => {
                    self.functions.insert(function.index());
                }
                _ => {}
            }
        }
    }
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

fn called_functions(program: &Program, is_live: &impl Fn(EdgeId) -> bool) -> BitSet {
    // The call graph over-approximates indirect calls; direct ones are taken
    // from reached edges only.
    let calls = CallGraph::new(program);
    let called = reached([program.entry], |f| {
        let sites = calls.sites(f).iter().filter(|&&site| is_live(site));
        sites.flat_map(|&site| calls.called(&program.edges[site].op)).copied()
    });
    called.into_iter().map(|f| f.index()).collect()
}

/// New ids by old ones; only those of what stays may be asked for.
struct Numbers<I> {
    new: Vec<u32>,
    id: PhantomData<I>,
}

impl<I: Id> Numbers<I> {
    const NONE: u32 = u32::MAX;

    fn of(kept: impl Iterator<Item = usize>, total: usize) -> Self {
        let mut new = vec![Self::NONE; total];
        kept.enumerate().for_each(|(position, old)| new[old] = position as u32);
        Numbers { new, id: PhantomData }
    }

    fn get(&self, old: I) -> Option<I> {
        let new = self.new[old.index()];
        (new != Self::NONE).then(|| I::from_index(new as usize))
    }

    fn at(&self, old: I) -> I {
        self.get(old).expect("what is mentioned is kept")
    }
}

fn rebuild(mapped: &mut Mapped, flow: &Flow, kept: &Kept) {
    let old = std::mem::replace(&mut mapped.program, Program::new(Target::LP64));
    let mut new = Program::new(old.target);
    let functions = Numbers::of(kept.functions.iter(), old.functions.len());
    let variables = Numbers::of(kept.variables.iter(), old.variables.len());
    let objects = Numbers::of(kept.objects.iter(), old.objects.len());
    let (function, variable) = (|f| functions.at(f), |v| variables.at(v));
    let mut exprs = vec![ExprId::from_index(0); old.exprs.len()];
    for id in kept.exprs.iter().map(ExprId::from_index) {
        let expr = old.exprs.get(id).map_operands(|operand| exprs[operand.index()]);
        exprs[id.index()] = match expr {
            Expr::Var(v) => new.exprs.var(variable(v), old.variables[v].ty),
            Expr::Object(o) => new.exprs.intern(Expr::Object(objects.at(o))),
            Expr::Function(f) => new.exprs.intern(Expr::Function(function(f))),
            other => new.exprs.intern(other),
        };
    }
    let expr = |e: ExprId| exprs[e.index()];
    let locations = copy_graph(mapped, &old, &mut new, flow, kept, |op| {
        op.map_operands(expr);
        op.rename(variable, function);
    });
    for location in new.locations.values_mut() {
        location.function = function(location.function);
    }
    for v in kept.variables.iter().map(VarId::from_index) {
        let mut variable = old.variables[v].clone();
        variable.initial = variable.initial.map(expr);
        variable.function = variable.function.map(function);
        new.variables.push(variable);
    }
    for o in kept.objects.iter().map(ObjectId::from_index) {
        let mut object = old.objects[o].clone();
        object.initial.iter_mut().for_each(|init| init.value = expr(init.value));
        new.objects.push(object);
    }
    for f in kept.functions.iter().map(FunctionId::from_index) {
        let mut function = old.functions[f].clone();
        function.parameters.iter_mut().for_each(|v| *v = variable(*v));
        function.result = function.result.map(variable);
        let runs = kept.called.contains(f.index());
        function.locals = match runs {
            true => function.locals.iter().filter_map(|&v| variables.get(v)).collect(),
            false => Vec::new(),
        };
        function.body = function
            .body
            .filter(|_| runs)
            .map(|body| Body { entry: locations.at(body.entry), exit: locations.at(body.exit) });
        new.functions.push(function);
    }
    let part = |part: &ObjectPart| Some(ObjectPart { object: objects.get(part.object)?, ..*part });
    new.object_parts = old.object_parts.iter().filter_map(part).collect();
    new.regions = old.regions;
    for region in new.regions.values_mut() {
        region.object = region.object.and_then(|o| objects.get(o));
    }
    new.checks = old.checks;
    new.external_region = old.external_region;
    new.records = old.records;
    new.unmodelled = old.unmodelled;
    new.entry = function(old.entry);
    mapped.variables = kept.variables.iter().map(|v| mapped.variables[Id::from_index(v)]).collect();
    mapped.functions = kept.functions.iter().map(|f| mapped.functions[Id::from_index(f)]).collect();
    mapped.objects = kept.objects.iter().map(|o| mapped.objects[Id::from_index(o)]).collect();
    mapped.program = new;
}

/// Locations that can be reached and the edges between them, which keep their order, at each
/// location and overall. Locations still name the old functions.
fn copy_graph(
    mapped: &mut Mapped,
    old: &Program,
    new: &mut Program,
    flow: &Flow,
    kept: &Kept,
    translate: impl Fn(&mut Op),
) -> Numbers<LocId> {
    let stays = |id: LocId| {
        let function = old.locations[id].function;
        let is_exit = old.functions[function].body.is_some_and(|b| b.exit == id);
        kept.called.contains(function.index()) && (flow.is_reached(id) || is_exit)
    };
    let all: Vec<LocId> = old.locations.ids().filter(|&id| stays(id)).collect();
    let locations = Numbers::of(all.iter().map(|l| l.index()), old.locations.len());
    let mut listed = BitSet::new(old.edges.len());
    for edge in old.locations.values().flat_map(|location| &location.outgoing) {
        listed.insert(edge.index());
    }
    let leaves = |id: EdgeId| {
        let from = old.edges[id].from;
        listed.contains(id.index()) && locations.get(from).is_some() && flow.is_reached(from)
    };
    let used: Vec<EdgeId> = old.edges.ids().filter(|&id| leaves(id)).collect();
    let edges = Numbers::of(used.iter().map(|e| e.index()), old.edges.len());
    mapped.locations = all.iter().map(|&id| mapped.locations[id]).collect();
    for id in all {
        let location = &old.locations[id];
        let list = |list: &[EdgeId]| list.iter().filter_map(|&e| edges.get(e)).collect();
        let (outgoing, incoming) = (list(&location.outgoing), list(&location.incoming));
        new.locations.push(Location { outgoing, incoming, ..location.clone() });
    }
    let mut origins = Arena::new();
    for id in used {
        let mut edge = old.edges[id].clone();
        translate(&mut edge.op);
        (edge.from, edge.to) = (locations.at(edge.from), locations.at(edge.to));
        new.edges.push(edge);
        origins.push(std::mem::take(&mut mapped.edges[id]));
    }
    mapped.edges = origins;
    locations
}

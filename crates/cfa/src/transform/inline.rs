//! All calls dissolved into one flat function.
//!
//! The engine after IMPACT explores a program without calls. Every call is
//! replaced by a copy of the callee's graph with variables of its own;
//! parameters are assigned before and the result after.
//!
//! A local that may be read before it is written gets any value at the start
//! of each copy: the frame of a new call does not remember the last one. Recursion is refused,
//! and so is a result larger than the limit.

use super::Mapped;
use super::compact::compact;
use crate::analysis::uses::Walker;
use crate::analysis::{BitSet, CallGraph, Liveness};
use crate::expr::{Expr, ExprId};
use crate::program::*;
use crate::types::Type;
use bolide_base::HashMap;
use bolide_base::arena::Id;

/// Why a program cannot be inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InlineError {
    /// This function can call itself.
    Recursion(String),
    /// There would be more edges than the limit.
    TooLarge(usize),
    /// A call through a pointer was not resolved.
    Indirect,
    /// Calls are to stay calls.
    NotWanted,
}

impl std::fmt::Display for InlineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InlineError::Recursion(name) => write!(f, "the function `{name}` is recursive"),
            InlineError::TooLarge(limit) => {
                write!(f, "inlining all calls makes more than {limit} edges")
            }
            InlineError::Indirect => f.write_str("a call through a pointer has unknown targets"),
            InlineError::NotWanted => f.write_str("calls are not to be inlined"),
        }
    }
}

impl std::error::Error for InlineError {}

/// Dissolves all calls of functions with a body that the entry can reach.
pub fn inline(mapped: &mut Mapped, limit: usize) -> Result<(), InlineError> {
    compact(mapped, &BitSet::default());
    let program = &mapped.program;
    let calls = CallGraph::new(program);
    for f in program.functions.ids() {
        if program.functions[f].body.is_some() && calls.is_recursive(f) {
            return Err(InlineError::Recursion(program.functions[f].name.clone()));
        }
    }
    if program.edges.values().any(|e| matches!(e.op, Op::CallIndirect { .. })) {
        return Err(InlineError::Indirect);
    }
    let size = flat_size(program, &calls);
    if size > limit as u128 {
        return Err(InlineError::TooLarge(limit));
    }
    let liveness = Liveness::of(program);
    let template = program.clone();
    let entry = template.entry;
    let mut inliner = Inliner {
        template: &template,
        liveness: &liveness,
        locations_of: template.locations_by_function(),
        edges_of: template.edges_by_function(),
        copies: vec![0; template.functions.len()],
        pending: Vec::new(),
        unwritten: vec![None; template.functions.len()],
        walker: Walker::new(),
        leak_checked: template.checks_leaks(),
    };
    let own = inliner.edges_of[entry.index()].iter().copied();
    inliner.pending = own.filter(|&e| matches!(template.edges[e].op, Op::Call { .. })).collect();
    let mut removed = BitSet::new(template.edges.len());
    inliner.pending.reverse();
    while let Some(site) = inliner.pending.pop() {
        removed.insert(site.index());
        inliner.expand(mapped, site);
    }
    compact(mapped, &removed);
    Ok(())
}

/// How many edges the flat program has, without building it.
fn flat_size(program: &Program, calls: &CallGraph) -> u128 {
    let mut size = vec![0u128; program.functions.len()];
    let edges_of = program.edges_by_function();
    for component in calls.bottom_up() {
        for f in component {
            size[f.index()] = edges_of[f.index()].iter().fold(0u128, |sum, &e| {
                sum.saturating_add(match &program.edges[e].op {
                    Op::Call { function, arguments, .. } => {
                        size[function.index()].saturating_add(2 + arguments.len() as u128)
                    }
                    _ => 1,
                })
            });
        }
    }
    size[program.entry.index()]
}

struct Inliner<'a> {
    template: &'a Program,
    liveness: &'a Liveness,
    locations_of: Vec<Vec<LocId>>,
    edges_of: Vec<Vec<EdgeId>>,
    /// By function: copies made so far.
    copies: Vec<usize>,
    /// Call edges of the flat program that are still to be dissolved.
    pending: Vec<EdgeId>,
    /// By function, once somebody asked: locals that may be read before they are written.
    unwritten: Vec<Option<Vec<VarId>>>,
    walker: Walker,
    leak_checked: bool,
}

impl Inliner<'_> {
    fn expand(&mut self, mapped: &mut Mapped, site: EdgeId) {
        let Edge { from, to, op, origin } = mapped.program.edges[site].clone();
        let Op::Call { function, arguments, result } = op else { return };
        let old = mapped.edges[site].clone();
        let template = self.template;
        let definition = &template.functions[function];
        let body = definition.body.expect("calls are of functions with a body");
        let home = mapped.program.locations[from].function;
        let variables = self.copy_variables(mapped, function, home);
        let locations = self.copy_locations(mapped, function, home);
        // Parameters, in one chain of assignments, then unwritten locals.
        let mut ops: Vec<Op> = definition
            .parameters
            .iter()
            .zip(&arguments)
            .map(|(p, &value)| Op::Assign { target: variables[p], value })
            .collect();
        let liveness = self.liveness;
        let unwritten = self.unwritten[function.index()].get_or_insert_with(|| {
            let is_live = |v: &&VarId| liveness.is_live(template, body.entry, **v);
            let own = definition.locals.iter().chain(&definition.result);
            let mut live: Vec<VarId> = own.filter(is_live).copied().collect();
            live.sort_unstable();
            live
        });
        for var in unwritten {
            let source = NondetSource::Uninitialized;
            ops.push(Op::Nondet { target: variables[var], source });
        }
        if ops.is_empty() {
            ops.push(Op::Skip);
        }
        chain(mapped, (from, locations[&body.entry]), ops, origin, old);
        self.copy_edges(mapped, function, &variables, &locations);
        let value = definition.result.map(|r| mapped.program.read(variables[&r]));
        let mut ops = vec![match (result, value) {
            (Some(target), Some(value)) => Op::Assign { target, value },
            _ => Op::Skip,
        }];
        if self.leak_checked {
            // The frame is gone and with it the pointers that it held.
            let value = mapped.program.expr(Expr::Null);
            let is_pointer = |v: &&VarId| template.variables[**v].ty == Type::Pointer;
            let pointers = own_variables(definition).filter(is_pointer);
            ops.extend(pointers.map(|var| Op::Assign { target: variables[var], value }));
            ops.push(Op::Skip);
        }
        chain(mapped, (locations[&body.exit], to), ops, origin, Vec::new());
    }

    fn copy_variables(
        &mut self,
        mapped: &mut Mapped,
        function: FunctionId,
        home: FunctionId,
    ) -> HashMap<VarId, VarId> {
        let definition = &self.template.functions[function];
        let number = self.copies[function.index()];
        self.copies[function.index()] += 1;
        let mut variables = HashMap::default();
        for &var in own_variables(definition) {
            let mut copy = self.template.variables[var].clone();
            copy.name = format!("{}::{}", definition.name, copy.name);
            if number > 0 {
                copy.name += &format!("'{number}");
            }
            copy.function = Some(home);
            copy.kind = match copy.kind {
                VariableKind::Parameter => VariableKind::Local,
                VariableKind::Result => VariableKind::Temporary,
                kind => kind,
            };
            let origin = mapped.variables[var];
            variables.insert(var, mapped.add_variable(copy, origin));
        }
        variables
    }

    /// Variables and locations of the template keep their ids in the flat program, which only grows.
    fn copy_locations(
        &self,
        mapped: &mut Mapped,
        function: FunctionId,
        home: FunctionId,
    ) -> HashMap<LocId, LocId> {
        let mut locations = HashMap::default();
        for &loc in &self.locations_of[function.index()] {
            let location = &self.template.locations[loc];
            let copy = mapped.program.locations.push(Location {
                function: home,
                outgoing: Vec::new(),
                incoming: Vec::new(),
                ..location.clone()
            });
            mapped.locations.push(mapped.locations[loc]);
            locations.insert(loc, copy);
        }
        locations
    }

    fn copy_edges(
        &mut self,
        mapped: &mut Mapped,
        function: FunctionId,
        variables: &HashMap<VarId, VarId>,
        locations: &HashMap<LocId, LocId>,
    ) {
        let mut exprs: HashMap<ExprId, ExprId> = HashMap::default();
        for position in 0..self.edges_of[function.index()].len() {
            let id = self.edges_of[function.index()][position];
            let edge = &self.template.edges[id];
            let mut op = edge.op.clone();
            for root in op.operands() {
                self.copy_expression(&mut mapped.program, root, variables, &mut exprs);
            }
            op.map_operands(|e| exprs[&e]);
            op.rename(|v| variables.get(&v).copied().unwrap_or(v), |f| f);
            let is_call = matches!(op, Op::Call { .. });
            let (from, to) = (locations[&edge.from], locations[&edge.to]);
            let copy = mapped.add_edge(from, to, op, edge.origin, mapped.edges[id].clone());
            if is_call {
                self.pending.push(copy);
            }
        }
    }

    fn copy_expression(
        &mut self,
        program: &mut Program,
        root: ExprId,
        variables: &HashMap<VarId, VarId>,
        exprs: &mut HashMap<ExprId, ExprId>,
    ) {
        if exprs.contains_key(&root) {
            return;
        }
        for id in self.walker.bottom_up(&self.template.exprs, &[root]) {
            if exprs.contains_key(&id) {
                continue;
            }
            let copy = match self.template.exprs.get(id) {
                Expr::Var(var) => match variables.get(var) {
                    Some(&copy) => program.read(copy),
                    None => id,
                },
                expr => {
                    let expr = expr.map_operands(|operand| exprs[&operand]);
                    program.expr(expr)
                }
            };
            exprs.insert(id, copy);
        }
    }
}

fn own_variables(function: &Function) -> impl Iterator<Item = &VarId> {
    function.parameters.iter().chain(&function.locals).chain(&function.result)
}

/// Joins two locations by operations; the first one stands for the old edges.
fn chain(
    mapped: &mut Mapped,
    (from, to): (LocId, LocId),
    ops: Vec<Op>,
    origin: Origin,
    mut old: Vec<EdgeId>,
) {
    let (mut at, last) = (from, ops.len() - 1);
    for (position, op) in ops.into_iter().enumerate() {
        let next = if position == last { to } else { mapped.add_location(from) };
        mapped.add_edge(at, next, op, origin, std::mem::take(&mut old));
        at = next;
    }
}

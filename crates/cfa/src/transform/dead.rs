//! Dead assignments and empty steps removed.
//!
//! An assignment to a variable that is not live afterwards becomes `skip`;
//! `skip` edges are then joined with their neighbours. An edge into which a
//! `skip` was joined stands for both old edges, so that mapped paths still
//! name every old step, inputs that nobody reads included.

use super::Mapped;
use super::compact::compact;
use crate::analysis::{BitSet, CallGraph, Flow, Liveness, ModRef};
use crate::program::*;
use bolide_base::arena::Id;

/// Removes assignments to variables that nobody reads afterwards, until there
/// are none. Results of calls that nobody reads are dropped too.
pub fn dead_assignments(mapped: &mut Mapped) {
    // Each round may make operands of removed assignments dead.
    for _ in 0..4 {
        let program = &mapped.program;
        let flow = Flow::new(program);
        let calls = CallGraph::new(program);
        let effects = ModRef::new(program, &calls);
        let liveness = Liveness::new(program, &flow, &calls, &effects);
        let mut dead = Vec::new();
        for f in program.functions.ids() {
            liveness.sweep(program, &flow, f, |e, is_live| {
                if let Some(var) = program.edges[e].op.target()
                    && !is_live(var)
                {
                    dead.push(e);
                }
            });
        }
        let mut changed = false;
        for e in dead {
            let op = &mut mapped.program.edges[e].op;
            let is_void = match op {
                Op::Assign { .. } | Op::Nondet { .. } => true,
                Op::Output { kind, .. } => !kind.writes(),
                // A local object that nobody can name. (A heap object may leak.)
                Op::Alloc { kind, .. } => matches!(kind, AllocKind::Stack | AllocKind::Alloca),
                _ => false,
            };
            if is_void {
                *op = Op::Skip;
                changed = true;
            } else if let Op::Call { result, .. }
            | Op::CallIndirect { result, .. }
            | Op::External { result, .. }
            | Op::Output { result, .. } = op
            {
                changed |= result.take().is_some();
            }
        }
        if !changed {
            break;
        }
    }
    compact(mapped, &BitSet::default());
}

/// Joins `skip` edges with the edges before or after them.
pub fn join_skips(mapped: &mut Mapped) {
    let mut removed = BitSet::new(mapped.program.edges.len());
    // Backwards along the flow, so that whole chains collapse in one pass.
    let flow = Flow::new(&mapped.program);
    let mut fixed = BitSet::new(mapped.program.locations.len());
    for function in mapped.program.functions.values() {
        if let Some(body) = function.body {
            fixed.insert(body.entry.index());
            fixed.insert(body.exit.index());
        }
    }
    for f in mapped.program.functions.ids() {
        for &loc in flow.order(f).iter().rev() {
            let location = &mapped.program.locations[loc];
            let is_free = !fixed.contains(loc.index())
                && location.error.is_none()
                && location.label.is_none();
            // Case 1: the only way on is a skip: arrive there directly.
            if let [skip] = location.outgoing[..]
                && mapped.program.edges[skip].op == Op::Skip
                && is_free
            {
                let to = mapped.program.edges[skip].to;
                let twice = location.loop_keyword.is_some()
                    && mapped.program.locations[to].loop_keyword.is_some();
                // Heuristic: do not copy long lists of old edges many times.
                let costly = location.incoming.len() > 1 && mapped.edges[skip].len() > 16;
                // Required: engines look for errors at the end of a step, not of a call.
                let is_call = |e: &EdgeId| {
                    let op = &mapped.program.edges[*e].op;
                    matches!(op, Op::Call { .. } | Op::CallIndirect { .. })
                };
                let returns = mapped.program.locations[to].error.is_some()
                    && location.incoming.iter().any(is_call);
                if to != loc && !twice && !costly && !returns {
                    removed.insert(skip.index());
                    bypass(mapped, &removed, loc, skip, to);
                    continue;
                }
            }
            // Case 2: the only way here is a skip: leave from there.
            let location = &mapped.program.locations[loc];
            if let [skip] = location.incoming[..]
                && mapped.program.edges[skip].op == Op::Skip
                && is_free
                && location.loop_keyword.is_none()
            {
                let from = mapped.program.edges[skip].from;
                let alone = mapped.program.locations[from].outgoing.len() == 1;
                let costly = location.outgoing.len() > 1 && mapped.edges[skip].len() > 16;
                if from != loc && alone && !costly {
                    absorb(mapped, loc, skip, from);
                    removed.insert(skip.index());
                }
            }
        }
    }
    compact(mapped, &removed);
}

/// Redirects what arrives at `loc` to `to`.
fn bypass(mapped: &mut Mapped, removed: &BitSet, loc: LocId, skip: EdgeId, to: LocId) {
    let old = std::mem::take(&mut mapped.edges[skip]);
    let mut arriving = std::mem::take(&mut mapped.program.locations[loc].incoming);
    arriving.retain(|e| !removed.contains(e.index()));
    for &e in &arriving {
        mapped.program.edges[e].to = to;
        mapped.edges[e].extend(&old);
    }
    let keyword = mapped.program.locations[loc].loop_keyword;
    mapped.program.locations[loc].outgoing.clear();
    let target = &mut mapped.program.locations[to];
    // The skip itself stays in the list, which ends with the pass: searching
    // for it would cost the number of edges that meet here.
    target.incoming.extend(arriving);
    if keyword.is_some() {
        target.loop_keyword = keyword;
        mapped.locations[to] = mapped.locations[loc].or(mapped.locations[to]);
    }
}

/// Lets what leaves `loc` leave from `from`.
fn absorb(mapped: &mut Mapped, loc: LocId, skip: EdgeId, from: LocId) {
    let old = std::mem::take(&mut mapped.edges[skip]);
    let leaving = std::mem::take(&mut mapped.program.locations[loc].outgoing);
    for &e in &leaving {
        mapped.program.edges[e].from = from;
        let mut joined = old.clone();
        joined.append(&mut mapped.edges[e]);
        mapped.edges[e] = joined;
    }
    mapped.program.locations[loc].incoming.clear();
    mapped.program.locations[from].outgoing = leaving;
}

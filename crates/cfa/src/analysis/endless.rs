//! Where a run may go on forever.
//!
//! What is lost stays lost: a statement about all moments of a run, such as that memory is always tracked,
//! holds if it holds at the end, for runs that end. A run without an end comes back to some head of
//! a loop or entry of a function again and again, so there it must hold as well. But most loops cannot keep a run:
//! - those that count ([`super::counted`]);
//! - those that free an object in every round and make none: there are only so many;
//! - those that an input may leave on every way around: where a run that stays forever has lost something, a
//!   run that leaves there has lost it too.
//!
//! All need that what stands inside of the loop ends, which is judged by itself.

use super::graph::reached;
use super::uses::Walker;
use super::{CallGraph, Flow, LoopId, Loops, counted};
use crate::expr::{CompareOp, Expr, ExprId};
use crate::program::{AllocKind, Edge, EdgeId, LocId, NondetSource, Op, Program, VarId};
use crate::types::Type;
use crate::value::{self, Value};
use bolide_base::{HashMap, Span};

/// Heads of loops and entries of functions at which a run may be again and again without ever
/// coming to its end. The library's own are left out: they end.
pub fn endless(program: &Program) -> Vec<LocId> {
    let flow = Flow::new(program);
    let loops = Loops::new(program, &flow);
    let calls = CallGraph::new(program);
    let is_own = |loc: LocId| program.functions[program.locations[loc].function].span != Span::NONE;
    let mut found: Vec<LocId> = loops
        .iter()
        .filter(|&(id, _)| !counted::surely_ends(program, &flow, &loops, id))
        .filter(|&(id, _)| !is_left_by_choice(program, &flow, &loops, id))
        .filter(|&(id, _)| !uses_up_the_heap(program, &flow, &loops, id))
        .map(|(_, of)| of.head)
        .collect();
    let functions = program.functions.iter().filter(|&(id, _)| calls.is_recursive(id));
    found.extend(functions.filter_map(|(_, function)| function.body).map(|body| body.entry));
    found.retain(|&loc| is_own(loc) && calls.is_reachable(program.locations[loc].function));
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether every way around the loop comes to a branch at which an input that was just read
/// may lead out of the loop.
fn is_left_by_choice(program: &Program, flow: &Flow, loops: &Loops, id: LoopId) -> bool {
    let of = loops.get(id);
    let inside = |loc: LocId| loops.contains(id, loc);
    if of.irreducible {
        return false;
    }
    loops.body(program, flow, id).into_iter().any(|at| {
        program.locations[at].outgoing.iter().any(|&exit| {
            !inside(program.edges[exit].to)
                && comes_to_an_end(program, program.edges[exit].to)
                && is_passed(program, &inside, of.head, at)
                && is_chosen(program, &inside, at, exit)
        })
    })
}

/// Whether every way around the loop frees an object, and none makes one.
fn uses_up_the_heap(program: &Program, flow: &Flow, loops: &Loops, id: LoopId) -> bool {
    let of = loops.get(id);
    let inside = |loc: LocId| loops.contains(id, loc);
    let body = loops.body(program, flow, id);
    let edges = body.iter().flat_map(|&loc| &program.locations[loc].outgoing).copied();
    let edges: Vec<EdgeId> = edges.filter(|&e| inside(program.edges[e].to)).collect();
    let makes = |&edge: &EdgeId| {
        matches!(
            program.edges[edge].op,
            Op::Call { .. }
                | Op::CallIndirect { .. }
                | Op::External { .. }
                | Op::Alloc { kind: AllocKind::Heap, .. }
        )
    };
    !of.irreducible
        && !edges.iter().any(makes)
        && edges.iter().any(|&edge| {
            let from = program.edges[edge].from;
            program.locations[from].outgoing.len() == 1
                && frees_something(program, edge)
                && is_passed(program, &inside, of.head, from)
        })
}

/// Whether the edge frees a pointer that is not null: it was compared with null, or found valid, on the straight
/// way there.
fn frees_something(program: &Program, edge: EdgeId) -> bool {
    let Op::Free { mut pointer, .. } = program.edges[edge].op else { return false };
    let exprs = &program.exprs;
    let mut at = program.edges[edge].from;
    loop {
        let [before] = program.locations[at].incoming[..] else { return false };
        let reads = |var: VarId, root: ExprId| {
            let parts = Walker::new().bottom_up(exprs, &[root]);
            parts.into_iter().any(|e| *exprs.get(e) == Expr::Var(var))
        };
        match program.edges[before].op {
            Op::Skip => {}
            Op::Assume(condition) => match *exprs.get(condition) {
                Expr::Compare(CompareOp::Ne, a, b)
                    if a == pointer && *exprs.get(b) == Expr::Null =>
                {
                    return true;
                }
                Expr::Valid { pointer: p, .. } if p == pointer => return true,
                _ => {}
            },
            Op::Assign { target, value } if *exprs.get(pointer) == Expr::Var(target) => {
                pointer = value;
            }
            Op::Assign { target, .. } if !reads(target, pointer) => {}
            _ => return false,
        }
        at = program.edges[before].from;
    }
}

/// Whether a way leads to the function's exit or the end of the program, other than by aborting.
fn comes_to_an_end(program: &Program, start: LocId) -> bool {
    let exit = program.functions[program.locations[start].function].body.map(|body| body.exit);
    let edges = |from: LocId| program.locations[from].outgoing.iter().map(|&e| &program.edges[e]);
    let ends = |edge: &Edge| matches!(edge.op, Op::Halt { status: Some(_) });
    let goes_on = |edge: &&Edge| !matches!(edge.op, Op::Halt { .. });
    let seen = reached([start], |from| edges(from).filter(goes_on).map(|edge| edge.to));
    seen.into_iter().any(|at| Some(at) == exit || edges(at).any(ends))
}

/// Whether every way around passes the location.
fn is_passed(program: &Program, inside: &impl Fn(LocId) -> bool, head: LocId, at: LocId) -> bool {
    let past = |from: LocId| {
        let outgoing = program.locations[from].outgoing.iter().map(|&e| program.edges[e].to);
        outgoing.filter(|&to| to == head || to != at && inside(to)).collect::<Vec<_>>()
    };
    at == head || !reached(past(head), past).contains(&head)
}

/// Whether on all ways within the loop to the branch an input is read just before, with which the exit can be taken.
fn is_chosen(
    program: &Program,
    inside: &impl Fn(LocId) -> bool,
    branch: LocId,
    exit: EdgeId,
) -> bool {
    let incoming = &program.locations[branch].incoming;
    let mut arriving = incoming.iter().filter(|&&e| inside(program.edges[e].from)).peekable();
    arriving.peek().is_some()
        && arriving.all(|&last| {
            let mut path = vec![exit, last];
            let mut at = last;
            loop {
                let edge = &program.edges[at];
                match &edge.op {
                    Op::Nondet { source: NondetSource::Unmodelled(_), .. } => return false,
                    Op::Nondet { target, .. } | Op::External { result: Some(target), .. } => {
                        path.reverse();
                        return leads_on(program, &path, *target);
                    }
                    Op::Skip | Op::Assign { .. } | Op::Assume(_) => {}
                    _ => return false,
                }
                let [before] = program.locations[edge.from].incoming[..] else { return false };
                path.push(before);
                at = before;
            }
        })
}

/// Whether the straight path can be taken with some value of its first target.
fn leads_on(program: &Program, path: &[EdgeId], target: VarId) -> bool {
    let Type::Int(ty) = program.variables[target].ty else { return false };
    let mut candidates = vec![0, 1, -1];
    for &edge in path {
        for id in Walker::new().bottom_up(&program.exprs, &program.edges[edge].op.operands()) {
            if let Some(n) = program.exprs.as_int(id) {
                candidates.extend([n, n.saturating_add(1), n.saturating_sub(1)]);
            }
        }
    }
    candidates.into_iter().filter(|n| (ty.min()..=ty.max()).contains(n)).any(|n| {
        let mut known: HashMap<VarId, Value> = HashMap::default();
        known.insert(target, Value::int(n, ty));
        path[1..].iter().all(|&edge| match program.edges[edge].op {
            Op::Assume(condition) => evaluate(program, &known, condition)
                .and_then(|v| v.as_int())
                .is_some_and(|v| v != 0),
            Op::Assign { target, value } => {
                match evaluate(program, &known, value) {
                    Some(value) => known.insert(target, value),
                    None => known.remove(&target),
                };
                true
            }
            _ => true,
        })
    })
}

/// The value of an expression in which only known variables matter.
fn evaluate(program: &Program, known: &HashMap<VarId, Value>, root: ExprId) -> Option<Value> {
    let mut values: HashMap<ExprId, Value> = HashMap::default();
    for id in Walker::new().bottom_up(&program.exprs, &[root]) {
        let expr = program.exprs.get(id);
        let value = match expr {
            Expr::Var(var) => known.get(var).copied(),
            Expr::Int { .. }
            | Expr::Unary(..)
            | Expr::Compare(..)
            | Expr::Cast(Type::Int(_), _) => {
                value::expression(expr, |e| values.get(&e).copied(), program.target)
            }
            _ => None,
        };
        if let Some(value) = value {
            values.insert(id, value);
        }
    }
    values.get(&root).copied()
}

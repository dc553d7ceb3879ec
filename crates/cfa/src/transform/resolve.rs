//! Calls through pointers become choices among the functions that the
//! points-to analysis found.
//!
//! For each candidate `f` there is an edge that assumes that the pointer is
//! `f` and one that calls it. Where the pointer may be something that the
//! analysis does not know, there is one more way: a call of an external function without a
//! name. A candidate with another number of parameters than there are arguments is
//! such an unknown (calling it is undefined); arguments of other types are
//! converted, as gcc's code would pass them.

use super::Mapped;
use super::compact::compact;
use crate::analysis::{BitSet, PointsTo};
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId};
use crate::program::*;
use bolide_base::arena::Id;

/// Resolves all indirect calls.
pub fn resolve_calls(mapped: &mut Mapped) {
    let sites: Vec<EdgeId> = mapped
        .program
        .edges
        .iter()
        .filter(|(_, edge)| matches!(edge.op, Op::CallIndirect { .. }))
        .map(|(id, _)| id)
        .collect();
    if sites.is_empty() {
        return;
    }
    let mut points_to = PointsTo::new(&mapped.program);
    let mut removed = BitSet::new(mapped.program.edges.len());
    let mut nameless = None;
    for site in sites {
        resolve(mapped, &mut points_to, site, &mut nameless);
        removed.insert(site.index());
    }
    compact(mapped, &removed);
}

fn resolve(
    mapped: &mut Mapped,
    points_to: &mut PointsTo,
    site: EdgeId,
    nameless: &mut Option<FunctionId>,
) {
    let Edge { from, to, op, origin } = mapped.program.edges[site].clone();
    let Op::CallIndirect { callee, candidates, arguments, result, .. } = op else { return };
    let (functions, incomplete) = match candidates {
        Some(list) => (list, false),
        None => points_to.call_targets(callee),
    };
    let mut others: Option<ExprId> = None;
    let mut mismatch = false;
    for f in functions {
        let program = &mut mapped.program;
        if program.functions[f].parameters.len() != arguments.len() {
            mismatch = true;
            continue;
        }
        let address = program.expr(Expr::Function(f));
        let is = program.expr(Expr::Compare(CompareOp::Eq, callee, address));
        let is_not = program.exprs.not(is);
        others = Some(match others {
            None => is_not,
            Some(rest) => program.expr(Expr::Binary(BinaryOp::BitAnd, rest, is_not)),
        });
        call(mapped, site, f, is);
    }
    if incomplete || mismatch {
        let otherwise = others.unwrap_or_else(|| mapped.program.exprs.bool(true));
        let function = *nameless.get_or_insert_with(|| {
            mapped.functions.push(None);
            let named = Function::named("unknown function");
            mapped.program.functions.push(Function { variadic: true, ..named })
        });
        let at = mapped.add_location(from);
        mapped.add_edge(from, at, Op::Assume(otherwise), origin, Vec::new());
        let effect = ExternalEffect::Havoc;
        let op = Op::External { function, arguments, result, effect };
        mapped.add_edge(at, to, op, origin, mapped.edges[site].clone());
    }
}

/// The call of one candidate, under the condition that it is the one.
fn call(mapped: &mut Mapped, site: EdgeId, f: FunctionId, condition: ExprId) {
    let Edge { from, to, op, origin } = mapped.program.edges[site].clone();
    let Op::CallIndirect { arguments, result, .. } = op else { return };
    let old = mapped.edges[site].clone();
    let at = mapped.add_location(from);
    mapped.add_edge(from, at, Op::Assume(condition), origin, Vec::new());
    let parameters = mapped.program.functions[f].parameters.clone();
    let arguments: Vec<ExprId> = arguments
        .iter()
        .zip(parameters)
        .map(|(&argument, parameter)| {
            let ty = mapped.program.variables[parameter].ty;
            mapped.program.exprs.cast(ty, argument)
        })
        .collect();
    let wanted = result.map(|var| mapped.program.variables[var].ty);
    let returned = mapped.program.functions[f].result.map(|var| mapped.program.variables[var].ty);
    let (direct, converted) = match (result, returned) {
        // A result of another type goes through a temporary.
        (Some(target), Some(ty)) if wanted != returned => {
            let function = mapped.program.locations[from].function;
            let temporary = mapped.temporary(function, "returned", ty);
            let value = mapped.program.read(temporary);
            let value = mapped.program.exprs.cast(mapped.program.variables[target].ty, value);
            (Some(temporary), Some(Op::Assign { target, value }))
        }
        // The value of a void function is indeterminate.
        (Some(target), None) => {
            (None, Some(Op::Nondet { target, source: NondetSource::Uninitialized }))
        }
        (result, _) => (result, None),
    };
    let call = if mapped.program.functions[f].body.is_some() {
        Op::Call { function: f, arguments, result: direct }
    } else {
        let effect = ExternalEffect::Havoc;
        Op::External { function: f, arguments, result: direct, effect }
    };
    match converted {
        Some(last) => {
            let middle = mapped.add_location(from);
            mapped.add_edge(at, middle, call, origin, old);
            mapped.add_edge(middle, to, last, origin, Vec::new());
        }
        None => {
            mapped.add_edge(at, to, call, origin, old);
        }
    }
}

//! Calls through pointers become choices among the functions that the
//! points-to analysis found.
//!
//! For each candidate `f` there is an edge that assumes that the pointer is
//! `f` and one that calls it. Where the pointer may be something that the
//! analysis does not know, there is one more way: to an error location when
//! memory safety is checked, else a call of an external function without a
//! name. A candidate with another number of parameters than there are arguments is
//! such an unknown (calling it is undefined); arguments of other types are
//! converted, as gcc's code would pass them.

use super::Mapped;
use super::compact::compact;
use crate::analysis::{BitSet, PointsTo};
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId};
use crate::program::*;
use bolide_base::arena::Id;

/// What a call of an unknown function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UnknownTarget {
    /// A violation of `valid-deref`.
    Error,
    /// A call of an external function that may change all it can reach.
    #[default]
    Havoc,
    /// A call of an external function that changes nothing.
    Pure,
}

/// Resolves all indirect calls.
pub fn resolve_calls(mapped: &mut Mapped, unknown: UnknownTarget) {
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
        resolve(mapped, &mut points_to, site, unknown, &mut nameless);
        removed.insert(site.index());
    }
    compact(mapped, &removed);
}

fn resolve(
    mapped: &mut Mapped,
    points_to: &mut PointsTo,
    site: EdgeId,
    unknown: UnknownTarget,
    nameless: &mut Option<FunctionId>,
) {
    let Edge { from, to, op, origin } = mapped.program.edges[site].clone();
    let Op::CallIndirect { callee, candidates, arguments, result, .. } = op else { return };
    let (functions, incomplete) = match candidates {
        Some(list) => (list, false),
        None => points_to.call_targets(callee),
    };
    let old = mapped.edges[site].clone();
    let mut others: Option<ExprId> = None;
    let mut mismatch = false;
    for f in functions {
        if mapped.program.functions[f].parameters.len() != arguments.len() {
            mismatch = true;
            continue;
        }
        let address = mapped.program.exprs.intern(Expr::Function(f));
        let is = mapped.program.exprs.intern(Expr::Compare(CompareOp::Eq, callee, address));
        let is_not = mapped.program.exprs.not(is);
        others = Some(match others {
            None => is_not,
            Some(rest) => mapped.program.exprs.intern(Expr::Binary(BinaryOp::BitAnd, rest, is_not)),
        });
        let mut at = mapped.add_location(from);
        mapped.add_edge(from, at, Op::Assume(is), origin, Vec::new());
        let parameters = mapped.program.functions[f].parameters.clone();
        let arguments: Vec<ExprId> = arguments
            .iter()
            .zip(parameters)
            .map(|(&argument, parameter)| {
                let ty = mapped.program.variables[parameter].ty;
                mapped.program.exprs.cast(ty, argument)
            })
            .collect();
        // A result of another type goes through a temporary.
        let returned = mapped.program.functions[f].result;
        let mut converted = None;
        let direct = match (result, returned) {
            (Some(to), Some(value)) => {
                let (wanted, ty) =
                    (mapped.program.variables[to].ty, mapped.program.variables[value].ty);
                if wanted == ty {
                    Some(to)
                } else {
                    let function = mapped.program.locations[from].function;
                    let temporary = mapped.temporary(function, "returned", ty);
                    let value = mapped.program.read(temporary);
                    let value = mapped.program.exprs.cast(wanted, value);
                    converted = Some(Op::Assign { target: to, value });
                    Some(temporary)
                }
            }
            (Some(to), None) => {
                // The value of a void function is indeterminate.
                let source = NondetSource::Uninitialized;
                converted = Some(Op::Nondet { target: to, source });
                None
            }
            (None, _) => None,
        };
        let call = if mapped.program.functions[f].body.is_some() {
            Op::Call { function: f, arguments, result: direct }
        } else {
            let effect = match unknown {
                UnknownTarget::Pure => ExternalEffect::Pure,
                _ => ExternalEffect::Havoc,
            };
            Op::External { function: f, arguments, result: direct, effect }
        };
        if let Some(last) = converted {
            let middle = mapped.add_location(from);
            mapped.add_edge(at, middle, call, origin, old.clone());
            at = middle;
            mapped.add_edge(at, to, last, origin, Vec::new());
        } else {
            mapped.add_edge(at, to, call, origin, old.clone());
        }
    }
    let otherwise = others.unwrap_or_else(|| mapped.program.exprs.bool(true));
    if unknown == UnknownTarget::Error {
        let error = mapped.add_location(from);
        let check = mapped.program.checks.push(Check {
            property: Property::ValidDeref,
            description: "the pointer that is called points to no function of this type".into(),
            span: origin.span,
        });
        mapped.program.locations[error].error = Some(check);
        let origin = Origin { role: Role::Check, ..origin };
        mapped.add_edge(from, error, Op::Assume(otherwise), origin, old);
    } else if incomplete || mismatch {
        let effect = if unknown == UnknownTarget::Pure {
            ExternalEffect::Pure
        } else {
            ExternalEffect::Havoc
        };
        let function = *nameless.get_or_insert_with(|| {
            mapped.functions.push(None);
            let named = Function::named("unknown function");
            mapped.program.functions.push(Function { variadic: true, ..named })
        });
        let at = mapped.add_location(from);
        mapped.add_edge(from, at, Op::Assume(otherwise), origin, Vec::new());
        mapped.add_edge(at, to, Op::External { function, arguments, result, effect }, origin, old);
    }
}

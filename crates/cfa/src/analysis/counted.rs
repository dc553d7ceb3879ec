//! Loops that surely end because they count.
//!
//! A loop ends if its head compares a counter with a bound, the counter is moved
//! towards the bound on every way around, and nothing else changes either of them. Loops inside are
//! judged by themselves. Wrap-around is taken into account: the counter must be able to pass the bound in
//! every type that it is converted to on the way.
//!
//! Counting down and other orders are not looked at.

use super::graph::reached;
use super::{Flow, LoopId, Loops};
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId};
use crate::program::{LocId, Op, Program, VarId};
use crate::types::{IntType, Type};
use bolide_base::HashSet;

/// Whether every run of the loop comes to its end, loops inside apart.
pub fn surely_ends(program: &Program, flow: &Flow, loops: &Loops, id: LoopId) -> bool {
    let of = loops.get(id);
    let inside = |loc: LocId| loops.contains(id, loc);
    let outgoing = &program.locations[of.head].outgoing;
    if of.irreducible || outgoing.len() != 2 {
        return false;
    }
    let stays: Vec<ExprId> = outgoing
        .iter()
        .map(|&e| &program.edges[e])
        .filter(|edge| inside(edge.to))
        .filter_map(|edge| match edge.op {
            Op::Assume(condition) => Some(condition),
            _ => None,
        })
        .collect();
    let [condition] = stays[..] else { return false };
    let Some(guard) = Guard::of(program, condition) else { return false };
    let mut by = 0;
    let mut counting = HashSet::default();
    for loc in loops.body(program, flow, id) {
        for &e in &program.locations[loc].outgoing {
            let op = &program.edges[e].op;
            match op {
                // Only variables of the function are out of reach for what is called.
                Op::Call { .. } | Op::CallIndirect { .. }
                    if guard.variables().any(|v| program.variables[v].function.is_none()) =>
                {
                    return false;
                }
                Op::Assign { target, value } if *target == guard.counter => {
                    let Some(step) = increment(program, guard.counter, *value) else {
                        return false;
                    };
                    by = by.max(step);
                    counting.insert(e);
                }
                _ if guard.variables().any(|v| op.target() == Some(v)) => return false,
                _ => {}
            }
        }
    }
    // A way around that does not count?
    let without_counting = |at: LocId| {
        let outgoing = program.locations[at].outgoing.iter().filter(|&e| !counting.contains(e));
        outgoing.map(|&e| program.edges[e].to).filter(|&to| inside(to)).collect::<Vec<_>>()
    };
    let comes_back = reached(without_counting(of.head), without_counting).contains(&of.head);
    !comes_back && guard.is_passed(program, by)
}

/// What keeps a loop going: the counter is below a bound.
struct Guard {
    counter: VarId,
    /// The counter as it is compared.
    compared: ExprId,
    bound: ExprId,
    /// A bound that is a variable.
    variable: Option<VarId>,
    /// Not below but at most.
    or_equal: bool,
}

impl Guard {
    fn of(program: &Program, condition: ExprId) -> Option<Guard> {
        let exprs = &program.exprs;
        let Expr::Compare(op, compared, bound) = *exprs.get(condition) else { return None };
        let or_equal = match op {
            CompareOp::Lt => false,
            CompareOp::Le => true,
            CompareOp::Eq | CompareOp::Ne => return None,
        };
        let counter = converted(program, compared)?;
        let variable = match exprs.get(bound) {
            Expr::Var(var) => Some(*var),
            _ => {
                exprs.as_int(bound)?;
                None
            }
        };
        (variable != Some(counter)).then_some(Guard {
            counter,
            compared,
            bound,
            variable,
            or_equal,
        })
    }

    fn variables(&self) -> impl Iterator<Item = VarId> {
        [Some(self.counter), self.variable].into_iter().flatten()
    }

    /// Whether steps of at most `by` cannot jump over the end of a type
    /// before the bound is passed.
    fn is_passed(&self, program: &Program, by: i128) -> bool {
        let exprs = &program.exprs;
        match exprs.as_int(self.bound) {
            Some(bound) => {
                let last = bound + by - i128::from(!self.or_equal);
                let (mut at, mut fits) = (self.compared, true);
                let mut holds = |ty: Type| {
                    fits &= matches!(ty, Type::Int(ty) if ty.bits < 128 && last <= ty.max());
                };
                holds(program.variables[self.counter].ty);
                while let Expr::Cast(to, inner) = *exprs.get(at) {
                    holds(to);
                    at = inner;
                }
                fits && by > 0
            }
            // Below a value of its own type, there is room for one step.
            None => by == 1 && !self.or_equal && matches!(exprs.get(self.compared), Expr::Var(_)),
        }
    }
}

/// The variable under conversions between integers.
fn converted(program: &Program, mut e: ExprId) -> Option<VarId> {
    loop {
        match *program.exprs.get(e) {
            Expr::Var(var) => {
                let ty = program.variables[var].ty;
                return (ty.as_int().is_some() && ty != Type::BOOL).then_some(var);
            }
            Expr::Cast(Type::Int(ty), inner) if ty != IntType::BOOL => e = inner,
            _ => return None,
        }
    }
}

/// By how much an assignment moves the counter up.
fn increment(program: &Program, counter: VarId, value: ExprId) -> Option<i128> {
    let exprs = &program.exprs;
    let Expr::Binary(BinaryOp::Add, a, b) = *exprs.get(value) else { return None };
    let (var, step) = match (exprs.as_int(a), exprs.as_int(b)) {
        (None, Some(step)) => (a, step),
        (Some(step), None) => (b, step),
        _ => return None,
    };
    (matches!(exprs.get(var), Expr::Var(v) if *v == counter) && step > 0).then_some(step)
}

//! From a model of a path formula to a run: which edges, and which values the
//! nondeterministic ones chose.

use crate::block::Transition;
use crate::encode::Symbolic;
use crate::path_formula::Instance;
use crate::verdict::{Counterexample, Reason};
use bolide_base::Integer;
use bolide_cfa::value::{Pointer, Value};
use bolide_cfa::{EdgeId, Op, Program, Type};
use bolide_terms::evaluate::{evaluate, holds};
use bolide_terms::{Model, TermId, TermStore};

/// Reads the run of a model off the steps of its path.
pub fn read_off<'a>(
    program: &Program,
    store: &mut TermStore,
    steps: impl IntoIterator<Item = &'a Instance>,
    model: &Model,
) -> Result<Counterexample, Reason> {
    let (path, choices) = choices_of_path(program, store, steps, model)?;
    let last = path.last().map(|&e| program.edges[e].to);
    let Some(check) = last.and_then(|l| program.locations[l].error) else {
        return Err(Reason::Solver("the path does not end in an error location".into()));
    };
    Ok(Counterexample { path, choices, check })
}

/// The edges of a path and the values of its inputs, each with its edge.
pub type ConcretePath = (Vec<EdgeId>, Vec<(EdgeId, Value)>);

/// The edges of a path that a model of its formulas took, and the values that were chosen; the
/// path may end anywhere.
pub fn choices_of_path<'a>(
    program: &Program,
    store: &mut TermStore,
    steps: impl IntoIterator<Item = &'a Instance>,
    model: &Model,
) -> Result<ConcretePath, Reason> {
    let mut path: Vec<EdgeId> = Vec::new();
    let mut choices = Vec::new();
    for step in steps {
        let edges = step.transition.edges_taken(|condition| {
            let instance = step.term(store, condition);
            holds(store, model, instance)
        });
        let Some(edges) = edges else {
            return Err(Reason::Solver("a model does not say which way the path goes".into()));
        };
        for &edge in &edges {
            if let Some(chosen) = step.transition.chosen(edge)
                && let Some(ty) = chosen_type(program, edge)
            {
                let value = value_of(chosen, ty, |term| {
                    let instance = step.term(store, term);
                    evaluate(store, model, instance).ok()
                });
                choices.push((edge, value));
            }
        }
        path.extend(edges);
    }
    Ok((path, choices))
}

/// The edges of a block that a model of its constants took, and the values that were chosen.
pub fn choices_of_block(
    program: &Program,
    store: &TermStore,
    transition: &Transition,
    model: &Model,
) -> Result<ConcretePath, Reason> {
    let Some(edges) = transition.edges_taken(|condition| holds(store, model, condition)) else {
        return Err(Reason::Solver("a model does not say which way the path goes".into()));
    };
    let mut choices = Vec::new();
    for &edge in &edges {
        if let Some(chosen) = transition.chosen(edge)
            && let Some(ty) = chosen_type(program, edge)
        {
            let value = value_of(chosen, ty, |term| evaluate(store, model, term).ok());
            choices.push((edge, value));
        }
    }
    Ok((edges, choices))
}

/// The type of the value that an edge asks for.
pub fn chosen_type(program: &Program, edge: EdgeId) -> Option<Type> {
    match &program.edges[edge].op {
        Op::Nondet { target, .. } => Some(program.variables[*target].ty),
        Op::External { result, .. } => Some(program.variables[(*result)?].ty),
        _ => None,
    }
}

/// The lowest 128 bits, of what has no more.
fn bits_of(n: &Integer) -> Option<u128> {
    let signed = n.to_i128().or_else(|| (n - &Integer::pow2(128)).to_i128());
    signed.map(|n| n as u128)
}

/// The value that a choice has in the model. What the formulas do not
/// describe (pointers out of nowhere) is null.
pub fn value_of(
    chosen: Symbolic,
    ty: Type,
    mut number: impl FnMut(TermId) -> Option<bolide_terms::Value>,
) -> Value {
    let bits = match chosen {
        Symbolic::Bool(b) => number(b).map(|v| u128::from(v.as_bool())),
        Symbolic::Int(t, _) => number(t).and_then(|v| bits_of(v.as_integer()?)),
        Symbolic::Pointer(..) => None,
    };
    let bits = bits.unwrap_or(0);
    match ty {
        Type::Int(ty) => Value::Int { bits: ty.truncate(bits), ty },
        Type::Float(kind) => Value::Float { bits, kind },
        Type::Pointer => Value::Pointer(Pointer::NULL),
    }
}

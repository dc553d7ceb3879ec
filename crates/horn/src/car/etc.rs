//! ETC: the Explicating Trace Checker (section 6).
//!
//! The trace is flattened: every node has variables of its own, and parameters
//! that its parent binds to the terms of the call. If the constraint has a
//! model, the trace is a derivation. Otherwise a tree interpolant along the
//! trace is a hygienic proof: the formula of a node speaks of its parameters
//! only, and each step `interpolants of the callees and constraint imply
//! interpolant of the node` is true in the theory and over the variables of one
//! rule. Its atoms are interface predicates; the implication, said of the
//! rule's own terms, is the explicated clause.

use super::Car;
use super::boolean::Trace;
use crate::system::{Atom, Derivation, Step};
use bolide_base::{HashMap, NoAnswer};
use bolide_smt::interpolate::{Options, interpolate_tree};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::{Evaluator, Op, TermId};

pub(super) enum Outcome {
    /// The trace is a derivation.
    Feasible(Derivation),
    /// The abstraction has become finer.
    Refined,
    /// All that the proof says was known.
    Nothing,
}

pub(super) fn check(car: &mut Car<'_>, trace: &Trace) -> Result<Outcome, NoAnswer> {
    // For each node: its parameters, and the renaming of the original clause.
    let mut parameters: Vec<Vec<TermId>> = Vec::new();
    for (clause, _) in &trace.nodes {
        let sorts: Vec<_> = car.clauses[*clause]
            .head
            .iter()
            .flat_map(|head| head.arguments.iter().map(|&t| car.store.sort(t)))
            .collect();
        parameters.push(sorts.into_iter().map(|s| car.store.mk_fresh_const("p", s)).collect());
    }
    let mut formulas = Vec::new();
    let mut renamings: Vec<HashMap<TermId, TermId>> = Vec::new();
    let mut parents: Vec<usize> = (0..trace.nodes.len()).collect();
    for (node, (number, children)) in trace.nodes.iter().enumerate() {
        // The clause as it was read has all variables; calls bind those of its body.
        let (clause, renaming) = car.system.clauses[*number].rename_apart(car.store);
        let mut parts = vec![clause.constraint];
        if let Some(head) = &clause.head {
            for (&parameter, &argument) in parameters[node].iter().zip(&head.arguments) {
                parts.push(car.store.mk_eq(parameter, argument));
            }
        }
        for (atom, &child) in clause.body.iter().zip(children) {
            parents[child] = node;
            parts.push(car.system.instance(car.store, &car.invariants, atom));
            for (&parameter, &argument) in parameters[child].iter().zip(&atom.arguments) {
                parts.push(car.store.mk_eq(parameter, argument));
            }
        }
        formulas.push(car.store.mk_and(&parts));
        renamings.push(renaming);
    }
    let mut solver = Solver::new(Config { proofs: true });
    for (partition, &formula) in formulas.iter().enumerate() {
        solver.assert(car.store, formula, partition as u32);
    }
    match solver.check(car.store, &[], car.budget) {
        Answer::Unsat => {}
        Answer::Sat => {
            let model = solver.take_model().expect("a satisfiable check has a model");
            let mut evaluator = Evaluator::new(car.store, &model);
            let mut derivation = Derivation::default();
            for ((number, children), renaming) in trace.nodes.iter().zip(&renamings) {
                let mut values = Vec::new();
                for variable in car.system.clauses[*number].variables(car.store) {
                    let value = evaluator.value(renaming[&variable]);
                    values.push((variable, value.map_err(|e| NoAnswer::solver(e.to_string()))?));
                }
                derivation.steps.push(Step { clause: *number, values, premises: children.clone() });
            }
            return Ok(Outcome::Feasible(derivation));
        }
        Answer::Unknown(why) => return Err(why),
    }
    let proof = solver.proof(car.store).ok_or(NoAnswer::solver("a trace has no proof"))?;
    let options = Options { budget: car.budget.clone(), ..Options::default() };
    let interpolants = interpolate_tree(car.store, &proof, &parents, &options)
        .map_err(|why| NoAnswer::solver(format!("a refuted trace has {why}")))?;
    // Each interpolant over the parameters of its relation.
    let mut said = Vec::new();
    for (node, (number, _)) in trace.nodes.iter().enumerate() {
        let mut map = HashMap::default();
        if let Some(head) = &car.clauses[*number].head {
            let formal = &car.system.relations[head.relation].parameters;
            map.extend(parameters[node].iter().copied().zip(formal.iter().copied()));
        }
        said.push(car.store.substitute(interpolants[node], &map));
    }
    for (node, (number, children)) in trace.nodes.iter().enumerate() {
        if children.is_empty()
            && let Some(stated) = stated_equality(car, *number, said[node])?
        {
            said[node] = stated;
        }
    }
    let mut refined = false;
    for (node, (number, children)) in trace.nodes.iter().enumerate() {
        let clause = car.clauses[*number].clone();
        if let Some(head) = &clause.head {
            refined |= car.abstraction.add_predicates(car.store, head.relation, said[node]);
        }
        let instance = |car: &mut Car<'_>, atom: &Atom, formula| {
            car.system.instantiate(car.store, formula, atom)
        };
        let mut premises = vec![clause.constraint];
        for (atom, &child) in clause.body.iter().zip(children) {
            premises.push(car.system.instance(car.store, &car.invariants, atom));
            premises.push(instance(car, atom, said[child]));
        }
        let conclusion = match &clause.head {
            Some(head) => instance(car, head, said[node]),
            None => TermId::FALSE,
        };
        let premise = car.store.mk_and(&premises);
        let explicated = car.store.mk_implies(premise, conclusion);
        refined |= car.abstraction.add_explicated(*number, explicated);
    }
    Ok(if refined { Outcome::Refined } else { Outcome::Nothing })
}

/// An equality between arrays that a rule without calls states itself and that implies the
/// interpolant.
/// Heuristic: it says as much about other elements, which the next trace will ask about.
fn stated_equality(
    car: &mut Car<'_>,
    number: usize,
    interpolant: TermId,
) -> Result<Option<TermId>, NoAnswer> {
    let clause = &car.clauses[number];
    let Some(head) = &clause.head else { return Ok(None) };
    let conjuncts = match car.store.op(clause.constraint) {
        Op::And => car.store.args(clause.constraint).to_vec(),
        _ => vec![clause.constraint],
    };
    let formal = &car.system.relations[head.relation].parameters;
    let map: HashMap<TermId, TermId> =
        head.arguments.iter().copied().zip(formal.iter().copied()).collect();
    for conjunct in conjuncts {
        let is_equality = car.store.op(conjunct) == Op::Eq
            && car.store.array_sorts(car.store.sort(car.store.arg(conjunct, 0))).is_some();
        if !is_equality {
            continue;
        }
        let stated = car.store.substitute(conjunct, &map);
        if car.store.constants(stated).iter().any(|c| !formal.contains(c)) {
            continue;
        }
        let negated = car.store.mk_not(interpolant);
        let mut solver = Solver::default();
        solver.assert(car.store, stated, 0);
        solver.assert(car.store, negated, 0);
        if solver.check(car.store, &[], car.budget) == Answer::Unsat {
            return Ok(Some(stated));
        }
        car.budget.poll()?;
    }
    Ok(None)
}

//! Programs as constraint-logic queries.
//!
//! After Flanagan, *Software model checking via iterative abstraction refinement of
//! constraint logic queries* (section 2 for the translation, which is [`rules`]
//! here); the query is decided by the Horn solver ([`bolide_horn`]), which knows
//! nothing of programs. A solution of the rules is a certificate: what it says of
//! a cut point is an invariant there, and what it says of a function's entry
//! and exit is a contract. It is audited like every other certificate, against
//! the program and not against the rules. A derivation of a query is a run; its
//! nondeterministic values are read off and the run is executed.
//!
//! Deviation: unless it is told otherwise ([`Relations::Backward`], which is the paper's way), relations are read
//! forward, as states that are reached, and
//! not as states from which an error can be reached; so a function is only looked at with arguments that it gets.
//! The transfer relation of the paper is the relation of a function's exit.

pub mod rules;

use crate::task::Task;
use crate::workbench::Workbench;
use bolide_base::budget::Progress;
use bolide_base::{Budget, HashMap};
use bolide_cfa::analysis::BlockOptions;
use bolide_cfa::transform::views::Asked;
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId, Program};
use bolide_horn::solve::{self, Config};
use bolide_horn::system::{Derivation, Interpretation, System, Verdict};
use bolide_horn::templates::GUESSED;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
use bolide_reachability::counterexample::choices_of_block;
use bolide_reachability::verdict::{Annotation, Contract, Counterexample, Reason};
use bolide_terms::{Model, TermId, TermStore};
use bolide_verdict::Conclusion;
use bolide_verdict::prepared::Prepared;
pub use rules::Relations;
use rules::{Kind, Origin, Rules};

/// Decides whether an error location can be reached.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    let program = &mut bench.blocks(task.orders.single_blocks);
    let store = &mut bench.store;
    let calls = match Calls::new(program, store) {
        Ok(calls) => calls,
        Err(why) => return Conclusion::Unknown(Reason::Unsupported(why)),
    };
    let budget = bench.prover.budget();
    let rules = match rules::rules(program, store, &calls, task.orders.relations, budget) {
        Ok(rules) => rules,
        Err(limit) => return Conclusion::Unknown(Reason::Exhausted(limit)),
    };
    bench.statistics.figures = vec![
        ("relations", rules.system.relations.len() as u64),
        ("clauses", rules.system.clauses.len() as u64),
    ];
    let config = Config {
        engine: task.orders.rules,
        threads: 1,
        templates: task.orders.guess,
        describe: task.orders.describe,
    };
    let outcome = solve::solve(store, &rules.system, config, bench.prover.budget());
    let (guessed, found): (Vec<_>, Vec<_>) =
        outcome.figures.into_iter().partition(|(name, _)| *name == GUESSED);
    bench.statistics.guessed += guessed.iter().map(|(_, count)| *count as usize).sum::<usize>();
    bench.statistics.figures.extend(found);
    bench.statistics.part = outcome.decided;
    bench.statistics.drawings = outcome.steps;
    match outcome.verdict {
        Verdict::Sat(solution) => {
            Conclusion::annotated(annotation(program, store, &calls, &rules, &solution))
        }
        Verdict::Unsat(derivation) => match run(program, store, &rules, &derivation) {
            Ok(run) => Conclusion::path(run),
            Err(reason) => Conclusion::Unknown(reason),
        },
        Verdict::Unknown(why) => Conclusion::Unknown(why),
    }
}

/// The program as Horn clauses, without arguments on which nothing depends.
///
/// # Errors
/// When its calls have no clauses.
pub fn clauses(original: &Program, relations: Relations) -> Result<(TermStore, System), Reason> {
    let programs = Prepared::with_calls(original, &Asked::Nothing, &Progress::default());
    let explored = &programs.simplified;
    let mut store = TermStore::new();
    let cuts = BlockOptions { calls: true, single: false };
    let program = &explored.mapped.program;
    let mut blocks = BlockProgram::new(program, &mut store, cuts, explored.intervals());
    let calls = Calls::new(&blocks, &mut store).map_err(Reason::Unsupported)?;
    let budget = Budget::unlimited();
    let rules = rules::rules(&mut blocks, &mut store, &calls, relations, &budget)
        .map_err(Reason::Exhausted)?;
    let system = bolide_horn::simplify::used_arguments(&mut store, &rules.system);
    Ok((store, system))
}

/// The solution in the words of the program.
fn annotation(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    calls: &Calls,
    rules: &Rules,
    solution: &Interpretation,
) -> Annotation {
    let mut annotation = Annotation::default();
    let entry_function = program.program.entry;
    for function in program.program.functions.ids() {
        let Some(body) = program.program.functions[function].body else { continue };
        let mut invariants: HashMap<LocId, TermId> = HashMap::default();
        for (id, relation) in rules.system.relations.iter() {
            let (kind, location, constants) = &rules.places[&id];
            if program.program.locations[*location].function != function {
                continue;
            }
            let map: HashMap<TermId, TermId> =
                relation.parameters.iter().copied().zip(constants.iter().copied()).collect();
            let mut formula = store.substitute(solution.get(id), &map);
            // What is reached is nothing from where an error is.
            if *kind == Kind::Error {
                formula = store.mk_not(formula);
            }
            let known = invariants.entry(*location).or_insert(TermId::TRUE);
            *known = store.mk_and(&[*known, formula]);
        }
        if function == entry_function {
            annotation.invariants = invariants.clone();
        }
        if let Some(&at_entry) = invariants.get(&body.entry) {
            let precondition = calls.at_entry(program, store, at_entry);
            annotation.contracts.push(Contract { function, precondition, invariants });
        }
    }
    annotation
}

/// The run that a derivation describes.
fn run(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    rules: &Rules,
    derivation: &Derivation,
) -> Result<Counterexample, Reason> {
    let order = order(rules, derivation)?;
    let mut path: Vec<EdgeId> = Vec::new();
    let mut choices: Vec<(EdgeId, Value)> = Vec::new();
    for step in order {
        let found = &derivation.steps[step];
        let (Origin::Step(transition), renaming) = &rules.origins[found.clause] else { continue };
        let mut model = Model::new();
        let values: HashMap<TermId, _> = found.values.iter().cloned().collect();
        for (constant, variable) in renaming {
            if let (Some(function), Some(value)) =
                (store.function_of(*constant), values.get(variable))
            {
                model.set_constant(function, value.clone());
            }
        }
        let (edges, chosen) = choices_of_block(program.program, store, transition, &model)?;
        path.extend(edges);
        choices.extend(chosen);
    }
    let error =
        path.last().and_then(|&e| program.program.locations[program.program.edges[e].to].error);
    match error {
        Some(check) => Ok(Counterexample { path, choices, check }),
        None => Err(Reason::Solver("the derivation does not end in an error".into())),
    }
}

/// The steps of a derivation in the order of execution. A step that returns comes after
/// the whole run of the callee, which begins where it was entered.
fn order(rules: &Rules, derivation: &Derivation) -> Result<Vec<usize>, Reason> {
    let mut order: Vec<usize> = Vec::new();
    enum Visit {
        /// All that leads to this step, and the step; inside of a callee not beyond its entry.
        Run {
            step: usize,
            inside: bool,
        },
        Emit(usize),
    }
    let is_error = |step: usize| {
        let head = rules.system.clauses[derivation.steps[step].clause].head.as_ref();
        head.is_some_and(|head| rules.places[&head.relation].0 == Kind::Error)
    };
    let run = |step, inside| Visit::Run { step, inside };
    let last = derivation.steps.len() - 1;
    let mut work = vec![run(last, false)];
    while let Some(visit) = work.pop() {
        if order.len() > RUN {
            return Err(Reason::NotReplayed("the run is too long".into()));
        }
        let step = match visit {
            Visit::Emit(step) => {
                order.push(step);
                continue;
            }
            Visit::Run { step, .. } if is_error(step) => step,
            Visit::Run { step, inside } => {
                let found = &derivation.steps[step];
                match rules.origins[found.clause].0 {
                    // Backward, the run goes on with what fails from the start.
                    Origin::Initial => work.extend(found.premises.first().map(|&p| run(p, false))),
                    Origin::Enter if inside => {}
                    Origin::Enter => work.push(run(found.premises[0], false)),
                    Origin::Step(_) => {
                        work.push(Visit::Emit(step));
                        work.push(run(found.premises[0], inside));
                    }
                    Origin::Return => {
                        work.push(run(found.premises[1], true));
                        work.push(run(found.premises[0], inside));
                    }
                }
                continue;
            }
        };
        // The first premise fails after this step, and after the call that the second shows.
        let premises = &derivation.steps[step].premises;
        work.extend(premises.first().map(|&failing| run(failing, false)));
        work.extend(premises.get(1).map(|&called| run(called, true)));
        if let Origin::Step(_) = rules.origins[derivation.steps[step].clause].0 {
            order.push(step);
        }
    }
    Ok(order)
}

/// No longer runs are written out.
const RUN: usize = 1_000_000;

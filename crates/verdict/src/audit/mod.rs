//! The audit: nobody's word is taken for a proof.
//!
//! It takes the program and the certificate as plain data, and nothing else of the search: blocks, formulas and the
//! heap-level program are made anew, every obligation is stated here, and its refutation counts when the proof
//! was checked.
//!
//! | certificate | program that it is about | here |
//! |---|---|---|
//! | invariants and contracts over terms | the one for formulas | [`invariants`] |
//! | a number of rounds that no run exceeds | the same | [`unrolled`] |
//! | a number of blocks, and facts | the same, without calls | [`unrolled`] |
//! | Boolean heaps | the one without calls, with all of memory | [`heaps`] |
//! | symbolic memory graphs | the same | [`graphs`] |
//! | a tree of all paths | the same | [`paths`] |
//! | the only run | the original | [`only_run`] |
//! | nothing to check | the one for formulas | `nothing_to_check` |
//!
//! Required: which program a certificate is about is decided by its kind, not by whoever made it. What is sliced
//! away because formulas do not follow it may matter to heaps.
//!
//! Trusted besides: the encoding of blocks and their unrolling; for heaps the view of the program, its specification and its snapshots
//! (`bolide_heap::program`), the symbolic execution of a step and the axioms of the heap logic; for memory graphs a step on a graph and
//! the matching of two (`bolide_heap::graph`), which have no proofs but are compared with executions; the interpreter; and the proof checker.

pub mod graphs;
pub mod heaps;
mod invariants;
mod known;
pub mod paths;
mod refused;
mod unrolled;

pub use known::{Figures, KnownProofs, NoProofs, Terms};

use crate::certificate::{BooleanHeaps, Certificate};
use crate::prepared::{Explored, Prepared};
use bolide_base::Budget;
use bolide_base::budget::Phase;
use bolide_cfa::Program;
use bolide_cfa::contract::Contract;
use bolide_cfa::interpreter::{Config, Interpreter, Outcome};
use bolide_heap::program::{specification, view};
use bolide_reachability::verdict::Reason;
use refused::refused;

/// Whether a certificate proves that no error can be reached: how many obligations were discharged with checked proofs.
///
/// # Errors
/// When that is not so, or was not decided.
pub fn audit(
    programs: &Prepared<'_>,
    certificate: &Certificate,
    terms: &mut Terms<'_>,
    budget: &Budget,
) -> Result<usize, Reason> {
    budget.progress().enter(Phase::Auditing);
    match certificate {
        Certificate::Invariants(annotation) => {
            let explored = programs.flattest();
            explored.is_faithful()?;
            let program = &explored.mapped.program;
            invariants::check(program, explored.intervals(), annotation, terms, budget)
        }
        Certificate::Unrolled { rounds } => {
            let explored = programs.flattest();
            explored.is_faithful()?;
            let program = &explored.mapped.program;
            unrolled::check(program, explored.intervals(), *rounds, &terms.exact, budget)
        }
        Certificate::Induction { k, facts } => {
            let explored = programs.flattest();
            explored.is_faithful()?;
            let program = &explored.mapped.program;
            unrolled::induction(program, explored.intervals(), (*k, facts), terms, budget)
        }
        Certificate::Heaps(heaps) => {
            let view = heap_program(programs)?;
            heaps::check(&view, heaps, budget).map(|proved| proved as usize)
        }
        Certificate::Graphs(graphs) => {
            let program = without_calls(programs)?;
            // Steps and matchings are computed again; there is no proof to check.
            graphs::check(program, graphs, budget).map(|_| 0)
        }
        Certificate::Paths(tree) => {
            let view = heap_program(programs)?;
            paths::check(&view, tree, budget).map(|refuted| refuted as usize)
        }
        Certificate::OnlyRun => only_run(programs.original, budget).map(|()| 0),
        Certificate::NothingToCheck => nothing_to_check(programs.flattest()).map(|()| 0),
    }
}

/// The program as heaps, made anew.
fn heap_program(programs: &Prepared<'_>) -> Result<view::View, Reason> {
    let program = without_calls(programs)?;
    view::view(program, program.entry).map_err(Reason::Unsupported)
}

/// The program without calls, with all of memory.
fn without_calls<'a>(programs: &'a Prepared<'_>) -> Result<&'a Program, Reason> {
    let explored = programs.inlined.as_ref().map_err(|why| Reason::Unsupported(why.to_string()))?;
    explored.is_faithful()?;
    Ok(&explored.mapped.program)
}

/// Whether a function keeps its contract: how many obligations were proved. `contracts` are those of all functions.
///
/// # Errors
/// When that is not so, or was not decided.
pub fn contract(
    program: &Program,
    contract: &Contract,
    contracts: &[Contract],
    certificate: &BooleanHeaps,
    budget: &Budget,
) -> Result<u64, Reason> {
    budget.progress().enter(Phase::Auditing);
    let specified =
        specification::specify(program, contract, contracts).map_err(Reason::Unsupported)?;
    if let Some(what) = &specified.exceeds {
        return Err(refused(what));
    }
    heaps::check(&specified.view, certificate, budget)
}

/// Whether every run of the program is the same one, which comes to its end without a violation.
///
/// # Errors
/// When that is not so, or the run is too long.
pub fn only_run(original: &Program, budget: &Budget) -> Result<(), Reason> {
    let config = Config { budget: budget.clone(), ..Config::default() };
    match Interpreter::new(original).run_determined(&config).outcome {
        Outcome::Finished { .. } | Outcome::Blocked => Ok(()),
        Outcome::Exhausted(what) => Err(Reason::Exhausted(what)),
        other => Err(refused(&format!("the only run does not come to its end: {other:?}"))),
    }
}

/// Whether no error is left in a program that shows all errors of the original.
fn nothing_to_check(explored: &Explored) -> Result<(), Reason> {
    explored.is_faithful()?;
    match explored.mapped.program.locations.values().any(|l| l.error.is_some()) {
        true => Err(refused("there is something to check")),
        false => Ok(()),
    }
}

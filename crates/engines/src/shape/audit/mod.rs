//! The audit: whether a certificate proves a program.
//!
//! It takes the program and the certificate, and nothing else: the heap-level program is made anew, every
//! obligation is stated in a session of the heap logic, and its refutation counts when the proof was
//! checked. It knows no search: neither abstract post, cache, diagrams nor refinement.
//!
//! [`heaps`] checks Boolean heap invariants, [`paths`] trees of paths. Trusted besides: the view
//! of the program, its specification and its snapshots ([`super::program`]), the symbolic execution of a step, the
//! heap logic's axioms, and the proof checker.

pub mod heaps;
pub mod paths;

use super::certificate::{BooleanHeaps, Certificate};
use super::program::specification;
use super::program::view;
use bolide_base::Budget;
use bolide_base::budget::Phase;
use bolide_cfa::Program;
use bolide_cfa::contract::Contract;
use bolide_heap::Undecided;
use bolide_reachability::verdict::Reason;

/// Whether no error of a program without calls can be reached: how many obligations were proved.
///
/// # Errors
/// When that is not so, or was not decided.
pub fn program(
    program: &Program,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<u64, Reason> {
    budget.progress().enter(Phase::Auditing);
    let view = view::view(program, program.entry).map_err(Reason::Unsupported)?;
    match certificate {
        Certificate::Heaps(heaps) => heaps::check(&view, heaps, budget),
        Certificate::Paths(tree) => paths::check(&view, tree, budget),
    }
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

fn refused(why: &str) -> Reason {
    Reason::NotCertified(why.to_owned())
}

fn undecided(why: Undecided) -> Reason {
    match why {
        Undecided::Exhausted(what) => Reason::Exhausted(what),
        Undecided::Prover(why) => Reason::NotCertified(why),
    }
}

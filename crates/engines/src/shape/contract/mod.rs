//! Functions with contracts: each is proved on its own, from its
//! preconditions, without loop invariants.
//!
//! [`specification`] makes a heap-level program of the function and what it promises; the analysis
//! looks for a proof, with the predicates that the contract [suggests](suggestions), and the audit checks it. Before that, and where there
//! is none, small heaps are tried ([`runs`]): a contract that is broken is shown by a run.

mod harness;
mod monitor;
pub mod runs;
mod start;
mod structure;
mod suggestions;

use super::analysis::{AbstractCounterexample, Analysis, Outcome, Statistics};
use super::options::Options;
use crate::picture::Picture;
use bolide_base::Budget;
use bolide_cfa::contract::Contract;
use bolide_cfa::{LocId, Program};
use bolide_heap::Certainty;
use bolide_heap::program::specification::{self, Specification};
use bolide_reachability::verdict::Reason;
use bolide_verdict::audit;
use bolide_verdict::certificate::BooleanHeaps;
use monitor::Known;
use runs::{Effort, Refutation};

/// What became of a contract.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// It holds, and the function is memory safe; audited.
    Proved {
        /// At loop heads of the original program, in the annotation language.
        invariants: Vec<(LocId, String)>,
    },
    /// The function has no body: it is believed.
    Assumed,
    /// It does not hold: a run from a heap that the function may be called with, replayed by the interpreter.
    Refuted(Box<Refutation>),
    /// A promise or a check for which there is no proof, and how it might fail.
    NotProved {
        /// What might fail.
        what: String,
        /// What is known before each part of the path that leads there.
        states: Vec<String>,
        /// The heap logic sees no contradiction in the path; how far that can be believed.
        feasible: Option<Certainty>,
    },
    /// Neither.
    Unknown(Reason),
}

/// A judged contract.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What became of it.
    pub judgement: Judgement,
    /// How much work it was.
    pub statistics: Statistics,
    /// The heaps of the proof, or those before each part of the path to what is not proved.
    pub picture: Picture,
}

/// How a contract is proved.
pub type Prove = fn(&Program, &Contract, &[Contract], &Options, &Budget) -> Judged;

/// Proves a contract, or says what is missing.
///
/// `contracts` are those of all functions: calls go by them.
pub fn prove(
    program: &Program,
    contract: &Contract,
    contracts: &[Contract],
    options: &Options,
    budget: &Budget,
) -> Judged {
    let judged = |judgement: Judgement| Judged {
        judgement,
        statistics: Statistics::default(),
        picture: Picture::default(),
    };
    if program.functions[contract.function].body.is_none() {
        return judged(Judgement::Assumed);
    }
    let specified = match specification::specify(program, contract, contracts) {
        Ok(specified) => specified,
        Err(why) => return judged(Judgement::Unknown(Reason::Unsupported(why))),
    };
    let known = known(&specified);
    let search = |effort: Effort| {
        let callees = &specified.callees;
        let found = runs::search(program, contract, callees, &known, effort, budget)?;
        Some(Judgement::Refuted(Box::new(found)))
    };
    // Most mistakes show on two or three objects, long before a proof fails.
    if let Some(judgement) = search(Effort::QUICK) {
        return judged(judgement);
    }
    let refuted = |otherwise: Judgement| search(Effort::THOROUGH).unwrap_or(otherwise);
    if let Some(what) = specified.exceeds.clone() {
        let feasible = Some(Certainty::Decided);
        return judged(refuted(Judgement::NotProved { what, states: Vec::new(), feasible }));
    }
    let given = suggestions::predicates(&specified);
    let mut analysis = Analysis::new(&specified.view, &given, options, budget);
    let audit = |heaps: &BooleanHeaps| audit::contract(program, contract, contracts, heaps, budget);
    let mut judged = concluded(&specified, &mut analysis, audit);
    if !matches!(judged.judgement, Judgement::Proved { .. }) {
        judged.judgement = refuted(judged.judgement);
    }
    judged
}

/// What the analysis finds, audited.
fn concluded(
    specified: &Specification<'_>,
    analysis: &mut Analysis<'_>,
    audit: impl Fn(&BooleanHeaps) -> Result<u64, Reason>,
) -> Judged {
    let mapped = &specified.mapped;
    let mut picture = Picture::default();
    let mut obligations = 0;
    let judgement = match analysis.run() {
        Outcome::Proved(certificate) => match audit(&certificate) {
            Ok(proved) => {
                obligations = proved;
                analysis.draw(&mapped.program, &mut picture);
                let shown = certificate.show(&specified.view.signature, specified.view.bound);
                let ours = |(l, text)| Some(((*mapped.locations.get(l)?)?, text));
                Judgement::Proved { invariants: shown.into_iter().filter_map(ours).collect() }
            }
            Err(reason) => Judgement::Unknown(reason),
        },
        Outcome::Suspected(suspicion) => {
            analysis.draw_counterexample(&mapped.program, &suspicion, &mut picture);
            not_proved(specified, *suspicion)
        }
        Outcome::Unknown(reason) => Judgement::Unknown(reason),
    };
    let statistics = Statistics { obligations, ..analysis.statistics() };
    Judged { judgement, statistics, picture }
}

fn not_proved(specified: &Specification<'_>, suspicion: AbstractCounterexample) -> Judgement {
    let end = suspicion.paths.last().map(|p| p.to);
    let what = end.and_then(|l| match specified.promises.get(&l) {
        Some(promise) => Some(promise.clone()),
        None => {
            let check = *specified.view.errors.get(&l)?;
            Some(specified.mapped.program.checks[check].description.clone())
        }
    });
    Judgement::NotProved {
        what: what.unwrap_or_default(),
        states: suspicion.states,
        feasible: suspicion.feasible.then_some(suspicion.certainty),
    }
}

/// What a search for runs wants to know.
fn known(specified: &Specification<'_>) -> Known {
    let view = &specified.view;
    let mut links: Vec<u64> = view
        .fields
        .places
        .iter()
        .filter(|(_, field)| view.fields.links.contains(field))
        .filter_map(|((_, offset, _, _), _)| u64::try_from(*offset).ok())
        .collect();
    links.sort_unstable();
    Known { links: specified.unsettled.then_some(links), numbers: view.constants.clone() }
}

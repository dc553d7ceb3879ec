//! From what an engine concludes to a verdict: the one place where that happens.
//!
//! A certificate is [audited](crate::audit). A path is executed on the program as lowering made it, and where
//! it cannot be, [others](crate::alternatives) through the same blocks; where there is none, it is
//! [compared](mod@crate::inexact) with the machine. A run that somebody executed is executed once more.
//! What stands is put into words.

use crate::alternatives;
use crate::audit::{self, Terms};
use crate::certificate::{BooleanHeaps, Certificate, Conclusion, Suspicion};
use crate::inexact;
use crate::prepared::Prepared;
use crate::replay;
use crate::told::Shown;
use crate::told_graphs;
use crate::verdict::{Invariant, Verdict};
use bolide_base::Budget;
use bolide_base::budget::Phase;
use bolide_heap::program::view;
use bolide_reachability::verdict::Reason;

/// The verdict that a conclusion comes to.
pub fn judge(
    programs: &Prepared<'_>,
    conclusion: &Conclusion,
    terms: &mut Terms<'_>,
    budget: &Budget,
) -> Verdict {
    budget.progress().enter(Phase::Auditing);
    let violation = match conclusion {
        Conclusion::Unknown(reason) => return Verdict::Unknown(reason.clone()),
        Conclusion::Safe(certificate) => {
            return match audit::audit(programs, certificate, terms, budget) {
                Ok(obligations) => told(programs, certificate, terms, obligations),
                Err(reason) => Verdict::Unknown(reason),
            };
        }
        Conclusion::Unsafe(Suspicion::Path(path)) => {
            let (original, explored) = (programs.original, programs.flattest());
            let found = alternatives::replay(original, explored, &terms.exact, path, budget);
            match found {
                Err(Reason::NotReplayed(why)) if terms.compares => {
                    let inexact = &mut terms.inexact;
                    inexact::compare(original, explored, &terms.exact, path, inexact, budget)
                        .map_err(|_| {
                            // A path may speak of a check that there is not.
                            let check = explored.mapped.program.checks.get(path.check);
                            let what = check.map(|c| format!(" (looked for: {})", c.description));
                            Reason::NotReplayed(why + &what.unwrap_or_default())
                        })
                }
                found => found,
            }
        }
        Conclusion::Unsafe(Suspicion::Run(run)) => replay::repeat(programs.original, run, budget),
    };
    match violation {
        Ok(violation) => Verdict::False(Box::new(violation)),
        Err(reason) => Verdict::Unknown(reason),
    }
}

/// A certificate that passed, in words.
fn told(
    programs: &Prepared<'_>,
    certificate: &Certificate,
    terms: &mut Terms<'_>,
    obligations: usize,
) -> Verdict {
    let (mut invariants, mut contracts) = (Vec::new(), Vec::new());
    match certificate {
        Certificate::Invariants(annotation) | Certificate::Induction { facts: annotation, .. } => {
            let explored = &programs.flattest().mapped;
            let shown = Shown::new(programs.original, explored, terms.store);
            invariants = shown.invariants(annotation);
            contracts = shown.contracts(annotation);
        }
        Certificate::Heaps(heaps) => invariants = heap_invariants(programs, heaps),
        Certificate::Graphs(graphs) => {
            if let Ok(explored) = &programs.inlined {
                invariants = told_graphs::invariants(&explored.mapped, graphs);
            }
        }
        Certificate::Unrolled { .. }
        | Certificate::Paths(_)
        | Certificate::OnlyRun
        | Certificate::NothingToCheck => {}
    }
    Verdict::True { invariants, contracts, obligations }
}

/// Boolean heaps in the annotation language.
fn heap_invariants(programs: &Prepared<'_>, heaps: &BooleanHeaps) -> Vec<Invariant> {
    let Ok(explored) = &programs.inlined else { return Vec::new() };
    let program = &explored.mapped.program;
    let Ok(view) = view::view(program, program.entry) else { return Vec::new() };
    let ours = |(location, text)| {
        let location = explored.mapped.locations[location]?;
        Some(Invariant { location, text, c: "1".into() })
    };
    heaps.show(&view.signature, view.bound).into_iter().filter_map(ours).collect()
}

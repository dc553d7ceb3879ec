//! Whole programs without annotations.

use super::{Analysis, Outcome, view};
use crate::choose::{Finding, Invariant, Statistics, Task, Verdict};
use crate::testing;
use bolide_base::Budget;
use bolide_reachability::verdict::Reason;

/// Decides a task, as far as the heap logic goes.
pub fn verify(task: &Task<'_>, budget: &Budget) -> Finding {
    let explored = match &task.inlined {
        Ok(explored) => explored,
        Err(why) => return Finding::unknown(Reason::Unsupported(why.to_string())),
    };
    let program = &explored.program;
    let mut statistics = Statistics {
        explored: (program.locations.len(), program.edges.len()),
        ..Statistics::default()
    };
    let view = match view::view(program, program.entry) {
        Ok(view) => view,
        Err(why) => {
            let reason = Reason::Unsupported(format!("by the engine shape: {why}"));
            return Finding { verdict: Verdict::Unknown(reason), statistics };
        }
    };
    let mut analysis = Analysis::new(&view, &[], budget);
    let outcome = analysis.run();
    statistics.figures = analysis.statistics.figures();
    if task.options.pictures {
        analysis.draw(program, &mut statistics.picture);
    }
    let verdict = match outcome {
        Outcome::Proved(invariants) => Verdict::True {
            invariants: invariants
                .into_iter()
                .filter_map(|(location, text)| {
                    let location = explored.locations[location]?;
                    Some(Invariant { location, text, c: "1".into() })
                })
                .collect(),
            contracts: Vec::new(),
            obligations: analysis.statistics.obligations as usize,
        },
        Outcome::Suspected(counterexample) => {
            match testing::test(task.original, testing::Options::default(), budget) {
                testing::Tested::Violation(violation) => Verdict::False(violation),
                _ => {
                    let last = counterexample.paths.last().and_then(|p| view.errors.get(&p.to));
                    let what = last
                        .map(|check| program.checks[*check].description.clone())
                        .unwrap_or_default();
                    let how = if counterexample.feasible { "may" } else { "is not excluded to" };
                    let why = format!("{how} happen: {what}");
                    Verdict::Unknown(Reason::NotReplayed(why))
                }
            }
        }
        Outcome::Unknown(reason) => Verdict::Unknown(reason),
    };
    Finding { verdict, statistics }
}

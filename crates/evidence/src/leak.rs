//! Where memory was lost, and where it came from.
//!
//! That memory is not tracked is noticed late: at the end of the run, or when a loop comes around. What is lost
//! stays lost, so the step that lost it is found by halving: the run is repeated up to some step, and the
//! interpreter looks around there.

use bolide_base::Budget;
use bolide_cfa::interpreter::{Birth, Config, Interpreter, Run, Trace};
use bolide_cfa::{EdgeId, Program, Property};
use bolide_verdict::replay::Violation;

/// A leak.
#[derive(Clone, Debug)]
pub struct Leak {
    /// The last steps up to the one that lost the memory.
    pub steps: Vec<EdgeId>,
    /// The step that allocated it.
    pub allocated: EdgeId,
}

/// Longer runs are not repeated.
const LONGEST: u64 = 20_000_000;

/// The leak that a violation of `valid-memtrack` consists in.
pub fn find(program: &Program, violation: &Violation, budget: &Budget) -> Option<Leak> {
    let is_leak = program.checks[violation.check].property == Property::ValidMemtrack;
    if !is_leak || violation.run.steps > LONGEST {
        return None;
    }
    let interpreter = Interpreter::new(program);
    let lost_after = |steps: u64| -> Option<(Birth, Run)> {
        let config = Config {
            step_limit: steps,
            trace: Trace::Last(64),
            budget: budget.clone(),
            ..Config::default()
        };
        let run = interpreter.run(&mut violation.run.answers.repeat()?, &config);
        Some((run.lost?, run))
    };
    let (mut tracked, mut lost) = (0, violation.run.steps.checked_sub(1)?);
    let mut found = lost_after(lost)?;
    while tracked + 1 < lost {
        let middle = tracked + (lost - tracked) / 2;
        match lost_after(middle) {
            Some(earlier) => (lost, found) = (middle, earlier),
            None => tracked = middle,
        }
    }
    match found {
        (Birth::Made(allocated, _), run) => Some(Leak { steps: run.trace, allocated }),
        _ => None,
    }
}

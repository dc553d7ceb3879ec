//! The engine `execution`: nothing but executing the program, for long.
//!
//! See [`testing`] for how inputs are found. A violation is a run; that a program has no other run than the one
//! that came to its end is a certificate.

use crate::task::Task;
use crate::testing::{self, Tested};
use crate::workbench::Workbench;
use bolide_base::budget::Phase;
use bolide_reachability::verdict::Reason;
use bolide_verdict::{Certificate, Conclusion};

/// Executes the program until something shows or the budget ends.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    let budget = bench.budget();
    budget.progress().enter(Phase::Executing);
    let mut runs = 0;
    let found = testing::search(task.programs.original, &budget, &mut runs);
    bench.statistics.figures = vec![("runs", runs)];
    match (found, budget.poll()) {
        (Tested::Violation(violation), _) => Conclusion::run(violation),
        (Tested::OnlyRun, _) => Conclusion::Safe(Certificate::OnlyRun),
        (_, Err(why)) => Conclusion::Unknown(Reason::Exhausted(why)),
        (_, Ok(())) => {
            let why = "executions alone prove nothing, and none failed";
            Conclusion::Unknown(Reason::NoProgress(why.into()))
        }
    }
}

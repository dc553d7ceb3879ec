//! Questions about traces: paths through many cut points, up to a suspected error.

use super::aliases::Aliases;
use super::execute::{Execution, needed, symbols};
use super::prover::Count;
use super::view::{Command, View};
use bolide_base::{Budget, HashSet};
use bolide_heap::{Certainty, FieldId, Formula, Session, Undecided};
use bolide_terms::TermId;

/// A path from some states.
pub struct Trace<'a> {
    /// The program.
    pub view: &'a View,
    /// Fields along which reachability is asked about.
    pub reach: &'a [FieldId],
    /// What holds at the start.
    pub before: &'a Formula,
    /// Copies that equal their originals there.
    pub aliases: &'a Aliases,
    /// What is done.
    pub commands: Vec<Command>,
}

impl<'a> Trace<'a> {
    fn start(&self) -> Execution<'a> {
        let mut wanted = needed(&self.commands, HashSet::default());
        symbols(self.before, &mut wanted);
        wanted.remove(&self.view.bound);
        wanted.extend(self.aliases.originals(&wanted));
        let session = Session::new(false);
        let mut execution = Execution::new(self.view, self.reach, &wanted, self.aliases, session);
        execution.assume(self.before);
        execution
    }

    /// If it cannot be executed: the numbers of commands whose
    /// conditions suffice for that. None when the prover does not see it.
    pub fn conflict(
        &self,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Undecided> {
        let mut execution = self.start();
        let asked = execution.run_asking(&self.commands);
        let assumptions: Vec<TermId> = asked.iter().map(|(_, term)| *term).collect();
        let answer = execution.session.check_assuming(&assumptions, budget);
        count.add(&execution);
        Ok(match answer {
            Ok(None) => {
                let core = execution.session.minimal_core(budget);
                let needed = asked.into_iter().filter(|(_, term)| core.contains(term));
                Some(needed.map(|(number, _)| number).collect())
            }
            Ok(Some(_)) | Err(Undecided::Prover(_)) => None,
            Err(why) => return Err(why),
        })
    }

    /// Whether it can be executed; yes where that is not decided.
    pub fn is_feasible(&self, count: &mut Count, budget: &Budget) -> Result<bool, Undecided> {
        let mut execution = self.start();
        execution.run(&self.commands);
        let answer = execution.session.refutes(&[], budget);
        count.add(&execution);
        match answer {
            Ok(refuted) => Ok(!refuted),
            Err(Undecided::Prover(_)) => Ok(true),
            Err(why) => Err(why),
        }
    }

    /// Values of what may have any value, of a run along it, and whether there is one for certain; none
    /// when there is no run.
    #[allow(clippy::type_complexity)]
    pub fn run(
        &self,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<Option<(Vec<Option<i128>>, Certainty)>, Undecided> {
        let mut execution = self.start();
        execution.run(&self.commands);
        let answer = execution.session.check(budget);
        count.add(&execution);
        let certainty = execution.session.certainty();
        Ok(answer?.map(|model| (execution.chosen_values(&model), certainty)))
    }
}

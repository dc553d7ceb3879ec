//! Questions about traces: paths through many cut points, up to a suspected error.

use super::super::abstraction::cut_points::Path;
use super::super::abstraction::prover::Count;
use super::super::abstraction::{Abstraction, Node};
use bolide_base::{Budget, HashSet};
use bolide_heap::program::aliases::Aliases;
use bolide_heap::program::execution::Execution;
use bolide_heap::program::uses::{needed, symbols};
use bolide_heap::program::view::{Command, View};
use bolide_heap::{Certainty, FieldId, Formula, Session, Undecided};
use bolide_terms::TermId;

/// A path to an error that the abstraction does not exclude.
#[derive(Clone, Debug)]
pub struct AbstractCounterexample {
    /// The paths between cut points, from the entry to the error.
    pub paths: Vec<Path>,
    /// What the abstraction knows where each path starts, for people.
    pub states: Vec<String>,
    /// Where each path starts, with the heap there; none at the entry.
    pub heaps: Vec<Node>,
    /// The heap logic finds no contradiction in the whole path either.
    pub feasible: bool,
    /// Whether the heap logic decides such paths, or only knows no contradiction.
    pub certainty: Certainty,
    /// Where it finds none, the values of what may have any value, in order.
    pub values: Vec<Option<i128>>,
}

/// The paths that lead from the entry to a suspicion: a path to an error that is not excluded from a place.
///
/// # Errors
/// When the budget is exhausted or the prover gives up.
pub fn trace(
    on: &mut Abstraction<'_>,
    suspected: (Node, usize),
) -> Result<AbstractCounterexample, Undecided> {
    let mut trace = vec![suspected];
    let mut here = suspected.0;
    while let (at, Some(bits)) = here {
        let from = on.reached.origin[&(at, bits)];
        trace.push(from);
        here = from.0;
    }
    trace.reverse();
    let paths: Vec<Path> =
        trace.iter().map(|&((l, _), p)| on.control.paths[&l][p].clone()).collect();
    let shown = |&(node, _): &(Node, usize)| on.view.signature.show(&on.concretise(node));
    let states = trace.iter().map(shown).collect();
    let commands = paths.iter().flat_map(|p| on.commands(&p.steps)).collect();
    let entry = (on.control.cuts[0], None);
    let run = asked(on, entry, commands, |trace, count, budget| trace.run(count, budget))?;
    let feasible = run.is_some();
    let (values, certainty) = run.unwrap_or((Vec::new(), Certainty::Decided));
    let heaps = trace.iter().map(|&(node, _)| node).collect();
    Ok(AbstractCounterexample { paths, states, heaps, feasible, certainty, values })
}

/// Whether commands can be executed from a place; yes where that is not decided.
pub(super) fn is_feasible_from(
    on: &mut Abstraction<'_>,
    node: Node,
    commands: Vec<Command>,
) -> Result<bool, Undecided> {
    asked(on, node, commands, |trace, count, budget| trace.is_feasible(count, budget))
}

/// The numbers of commands whose conditions contradict what holds at a place, when they do.
pub(super) fn conflict_from(
    on: &mut Abstraction<'_>,
    node: Node,
    commands: Vec<Command>,
) -> Result<Option<Vec<usize>>, Undecided> {
    asked(on, node, commands, |trace, count, budget| trace.conflict(count, budget))
}

fn asked<T>(
    on: &mut Abstraction<'_>,
    node: Node,
    commands: Vec<Command>,
    ask: impl FnOnce(&Trace<'_>, &mut Count, &Budget) -> T,
) -> T {
    let before = &on.concretise(node);
    let aliases = on.aliases(node.0);
    let trace = Trace { view: on.view, reach: &on.reach, before, aliases, commands };
    let mut count = Count::default();
    let answer = ask(&trace, &mut count, on.budget);
    on.figures.count.merge(count);
    answer
}

/// A path from some states.
struct Trace<'a> {
    /// The program.
    view: &'a View,
    /// Fields along which reachability is asked about.
    reach: &'a [FieldId],
    /// What holds at the start.
    before: &'a Formula,
    /// Copies that equal their originals there.
    aliases: &'a Aliases,
    /// What is done.
    commands: Vec<Command>,
}

impl<'a> Trace<'a> {
    fn start(&self) -> Execution<'a> {
        let mut wanted = needed(&self.commands, HashSet::default());
        symbols(self.before, &mut wanted);
        wanted.remove(&self.view.bound);
        wanted.extend(self.aliases.originals(&wanted));
        let mut session = Session::new(false);
        session.thorough = true;
        let mut execution = Execution::new(self.view, self.reach, &wanted, self.aliases, session);
        execution.assume(self.before);
        execution
    }

    /// If it cannot be executed: the numbers of commands whose
    /// conditions suffice for that. None when the prover does not see it.
    fn conflict(
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
    fn is_feasible(&self, count: &mut Count, budget: &Budget) -> Result<bool, Undecided> {
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
    fn run(
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

//! The engines, one entry each, and the choice among them.

use super::blocks::with_plain_blocks;
use super::{BlockSearch, EXECUTION, Engine, Finding, Statistics, Task, Verdict, with_blocks};
use crate::picture::DIAGRAMS;
use crate::testing::Tested;
use crate::{constraint_logic, impact, predicate_abstraction, shape, testing, trace_abstraction};
use bolide_base::Budget;
use bolide_base::budget::Phase;
use bolide_reachability::verdict::Reason;
use bolide_terms::{TermId, TermStore};
use bolide_verdict::audit::{KnownProofs, NoProofs};
use bolide_verdict::prepared::Explored;
use std::cell::RefCell;

/// What the choice depends on.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// Why the calls cannot be inlined; none when they can.
    pub inlining: Option<String>,
    /// Some function can call itself.
    pub recursive: bool,
    /// Memory is allocated on the heap.
    pub heap: bool,
    /// There is a database of proofs of earlier programs.
    pub proofs: bool,
    /// The program asks for no input, and its only run is long.
    pub one_long_run: bool,
}

/// One engine.
pub struct Entry {
    /// As the user names it.
    pub engine: Engine,
    /// The name on the command line.
    pub name: &'static str,
    /// Whether `auto` should run it on a program like this: how early (smaller is
    /// earlier) and why; or why not at all.
    pub rank: fn(&Features) -> Result<(u32, String), String>,
    /// Decides the task, and audits what it found. Refuses, with a reason,
    /// programs that it cannot take.
    pub verify: fn(&Task<'_>, &Budget) -> Finding,
}

/// All engines.
pub const ENGINES: &[Entry] = &[
    Entry { engine: Engine::Impact, name: "impact", rank: rank_impact, verify: run_impact },
    Entry {
        engine: Engine::Predicate,
        name: "predicate",
        rank: rank_predicate,
        verify: run_predicate,
    },
    Entry {
        engine: Engine::Execution,
        name: EXECUTION,
        rank: rank_execution,
        verify: run_execution,
    },
    Entry { engine: Engine::Trace, name: "trace", rank: rank_trace, verify: run_trace },
    Entry { engine: Engine::Clp, name: "clp", rank: rank_clp, verify: run_clp },
    Entry { engine: Engine::Shape, name: "shape", rank: rank_shape, verify: shape::verify },
];

/// The entries to run, in the order of their rank, and why.
pub fn choose(engine: Engine, features: &Features) -> (Vec<&'static Entry>, String) {
    if engine != Engine::Auto {
        let entry = ENGINES.iter().find(|e| e.engine == engine);
        let entry = entry.expect("every engine but auto has an entry");
        return (vec![entry], format!("{}: as asked", entry.name));
    }
    let mut ranked: Vec<(u32, String, &'static Entry)> = ENGINES
        .iter()
        .filter_map(|entry| (entry.rank)(features).ok().map(|(rank, why)| (rank, why, entry)))
        .collect();
    ranked.sort_by_key(|&(rank, _, _)| rank);
    let reasons: Vec<String> =
        ranked.iter().map(|(_, why, entry)| format!("{}: {why}", entry.name)).collect();
    (ranked.iter().map(|&(_, _, entry)| entry).collect(), reasons.join("; "))
}

fn rank_impact(features: &Features) -> Result<(u32, String), String> {
    match &features.inlining {
        None => Ok((10, "all calls can be inlined".into())),
        Some(why) => Err(why.clone()),
    }
}

fn run_impact(task: &Task<'_>, budget: &Budget) -> Finding {
    if let Err(why) = &task.programs.inlined {
        return Finding::unknown(Reason::Unsupported(why.to_string()));
    }
    let explored = task.programs.flattest();
    let single = task.options.single_blocks;
    with_blocks(task, explored, single, budget, &mut |blocks, store, prover, statistics| {
        let mut figures = impact::Statistics::default();
        let options = impact::Options::default();
        let picture = &mut statistics.picture;
        let conclusion =
            impact::verify_shown(blocks, store, prover, options, &mut figures, picture);
        statistics.figures = figures.figures();
        conclusion
    })
}

fn rank_predicate(features: &Features) -> Result<(u32, String), String> {
    match &features.inlining {
        None => Ok((20, "a second opinion".into())),
        Some(why) => Ok((10, why.clone())),
    }
}

fn run_predicate(task: &Task<'_>, budget: &Budget) -> Finding {
    let search = |explored: &Explored, single: bool| {
        with_blocks(task, explored, single, budget, &mut |blocks, store, prover, statistics| {
            let mut figures = predicate_abstraction::Statistics::default();
            let options = task.options.predicate;
            let picture = &mut statistics.picture;
            let figures_of = &mut figures;
            let conclusion = predicate_abstraction::verify_shown(
                blocks, store, prover, options, figures_of, picture,
            );
            statistics.figures = figures.figures();
            conclusion
        })
    };
    let finding = search(task.programs.flattest(), task.options.single_blocks);
    match finding.verdict {
        // Smaller blocks have other interpolants.
        Verdict::Unknown(Reason::NoProgress(_)) if !task.options.single_blocks => {
            search(task.programs.flattest(), true)
        }
        _ => finding,
    }
}

fn rank_trace(features: &Features) -> Result<(u32, String), String> {
    match features.recursive {
        // It alone keeps proofs, and can use those of earlier versions.
        _ if features.proofs => Ok((0, "proofs are kept".into())),
        true => Ok((15, "nested interpolants for recursion".into())),
        false => Ok((30, "a third opinion".into())),
    }
}

fn run_trace(task: &Task<'_>, budget: &Budget) -> Finding {
    let (explored, single) = (task.programs.flattest(), task.options.single_blocks);
    let mut options = task.options.trace.clone();
    if task.options.engine == Engine::Auto {
        options.facts = Some(task.facts.clone());
    }
    let options = &options;
    let recorder = RefCell::new(options.proofs.clone().map(trace_abstraction::Recorder::new));
    let mut stored = None;
    let mut known = RecordedProofs(&recorder);
    let search: BlockSearch<'_> = &mut |blocks, store, prover, statistics| {
        let mut recorder = recorder.borrow_mut();
        let outcome =
            trace_abstraction::verify_with(blocks, store, prover, options, recorder.as_mut());
        statistics.figures = outcome.statistics.figures();
        if statistics.picture.wanted {
            for (i, automaton) in outcome.automata.iter().enumerate().take(DIAGRAMS) {
                let name = match i {
                    0 => "what holds anyway (background)".to_owned(),
                    _ => format!("automaton A{i}"),
                };
                statistics.picture.diagrams.push(automaton.diagram(name));
            }
            for (location, predicates) in outcome.located {
                statistics.picture.count(blocks.program, location, predicates);
            }
        }
        statistics.drawings = outcome.drawings;
        stored = outcome.stored;
        outcome.conclusion
    };
    let mut finding = with_plain_blocks(task, explored, single, budget, &mut known, search);
    let audited = match (recorder.borrow().as_ref(), &finding.verdict) {
        (Some(recorder), _) => recorder.statistics.new_obligations,
        (None, Verdict::True { obligations, .. }) => *obligations as u64,
        (None, _) => 0,
    };
    let calls = finding.statistics.prover.calls + audited;
    finding.statistics.figures.push(("solver calls", calls));
    if let Some(recorder) = recorder.borrow_mut().as_mut() {
        let reused = recorder.statistics;
        finding.statistics.figures.extend([
            ("solver calls saved by the database", reused.questions + reused.obligations),
            ("answers of the database checked", reused.questions),
            ("refused", reused.refused),
            ("obligations of the audit from the database", reused.obligations),
            ("new obligations of the audit", reused.new_obligations),
        ]);
        if let Some(stored) = stored {
            recorder.keep_automata(&stored);
        }
        if finding.verdict.is_decided() {
            recorder.keep(budget);
        }
    }
    finding
}

/// What the audit finds in the database of proofs, if there is one.
struct RecordedProofs<'r>(&'r RefCell<Option<trace_abstraction::Recorder>>);

impl KnownProofs for RecordedProofs<'_> {
    fn refuted(&mut self, store: &mut TermStore, conjuncts: &[TermId]) -> bool {
        let mut recorder = self.0.borrow_mut();
        recorder.as_mut().is_some_and(|recorder| recorder.refuted(store, conjuncts))
    }
}

fn rank_shape(features: &Features) -> Result<(u32, String), String> {
    match &features.inlining {
        None if features.heap => Ok((15, "memory is allocated on the heap".into())),
        None => Err("no memory is allocated on the heap".into()),
        Some(why) => Err(why.clone()),
    }
}

fn rank_execution(features: &Features) -> Result<(u32, String), String> {
    match features.one_long_run {
        true => Ok((4, "there is one run only, and it is long".into())),
        false => Ok((25, "errors at the end of long runs".into())),
    }
}

fn run_execution(task: &Task<'_>, budget: &Budget) -> Finding {
    budget.progress().enter(Phase::Executing);
    let mut runs = 0;
    let found = testing::search(task.programs.original, budget, &mut runs);
    let verdict = match (found, budget.poll()) {
        (Tested::Violation(violation), _) => Verdict::False(violation),
        (Tested::OnlyRun, _) => Verdict::proved_without_invariants(0),
        (_, Err(why)) => Verdict::Unknown(Reason::Exhausted(why)),
        (_, Ok(())) => {
            let why = "executions alone prove nothing, and none failed";
            Verdict::Unknown(Reason::NoProgress(why.into()))
        }
    };
    let statistics = Statistics { figures: vec![("runs", runs)], ..Statistics::default() };
    Finding { verdict, statistics }
}

fn rank_clp(features: &Features) -> Result<(u32, String), String> {
    match features.recursive {
        true => Ok((5, "a relation for each function".into())),
        // Not measured beside the others yet.
        false => Err("runs when it is asked for".into()),
    }
}

fn run_clp(task: &Task<'_>, budget: &Budget) -> Finding {
    let (explored, single) = (task.programs.flattest(), task.options.single_blocks);
    let known = &mut NoProofs;
    with_plain_blocks(task, explored, single, budget, known, &mut |blocks, store, prover, s| {
        let (conclusion, figures) = constraint_logic::verify(blocks, store, prover);
        s.figures = figures;
        conclusion
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(features: Features, expected: Expect) {
        expected.assert_eq(&choose(Engine::Auto, &features).1);
    }

    #[test]
    fn recursion_excludes_inlining_engines() {
        check(
            Features::default(),
            expect![
                "impact: all calls can be inlined; predicate: a second opinion; execution: errors at the end of long runs; trace: a third opinion"
            ],
        );
        check(
            Features {
                inlining: Some("the function `f` is recursive".into()),
                recursive: true,
                ..Features::default()
            },
            expect![
                "clp: a relation for each function; predicate: the function `f` is recursive; trace: nested interpolants for recursion; execution: errors at the end of long runs"
            ],
        );
    }

    #[test]
    fn what_is_asked_for_runs_alone() {
        let (entries, why) = choose(Engine::Predicate, &Features::default());
        assert_eq!((entries.len(), why.as_str()), (1, "predicate: as asked"));
    }
}

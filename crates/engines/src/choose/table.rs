//! The engines, one row each, and the choice among them.

use crate::shape::contract;
use crate::task::{Features, Task};
use crate::workbench::Workbench;
use crate::{
    bounded, constraint_logic, execution, impact, predicate_abstraction, shape, suspect,
    trace_abstraction,
};
use bolide_verdict::Conclusion;

/// How early `auto` runs an engine (smaller is earlier) and why; or why not at all.
pub type Rank = Result<(u32, String), String>;

/// One engine.
pub struct Engine {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, for the help.
    pub summary: &'static str,
    /// Whether `auto` should run it on a program like this.
    pub rank: fn(&Features) -> Rank,
    /// Whether facts are guessed before it starts.
    pub wants_facts: bool,
    /// How long it may go on beside others, in polls, if there is a limit: what has no end of its own must
    /// not keep the others from beginning again with exact bits.
    pub effort: Option<u64>,
    /// How many times as long as a poll of `impact` one of its polls takes, so that turns, which are measured in polls,
    /// are shares of time. Heuristic: rough values, seen on seven programs; `cargo xtask bench-turns` prints such figures.
    pub pace: u64,
    /// How many turns its first one lasts, if not one: what decides programs of few rounds at once, or hardly, must not lose
    /// them in turns that are too short for the first question.
    pub opening: Option<u64>,
    /// Looks for a proof or for a way to an error; nobody believes what it finds. Refuses, with a reason,
    /// programs that it cannot take.
    pub search: fn(&Task<'_>, &mut Workbench<'_>) -> Conclusion,
    /// Where it proves contracts of single functions too: how.
    pub contracts: Option<contract::Prove>,
}

/// All engines.
pub static ENGINES: &[Engine] = &[
    Engine {
        name: "impact",
        summary: "Lazy abstraction with interpolants",
        rank: |features| match &features.inlining {
            None => Ok((10, "all calls can be inlined".into())),
            Some(why) => Err(why.clone()),
        },
        wants_facts: true,
        effort: None,
        pace: 1,
        opening: None,
        search: impact::search,
        contracts: None,
    },
    Engine {
        name: "predicate",
        summary: "Lazy predicate abstraction",
        rank: |features| match &features.inlining {
            None => Ok((20, "a second opinion".into())),
            Some(why) => Ok((10, why.clone())),
        },
        wants_facts: true,
        effort: None,
        pace: 1,
        opening: None,
        search: predicate_abstraction::search,
        contracts: None,
    },
    Engine {
        name: "trace",
        summary: "Refinement of trace abstraction",
        rank: |features| match features.recursive {
            // It alone keeps proofs, and can use those of earlier versions.
            _ if features.proofs => Ok((0, "proofs are kept".into())),
            true => Ok((15, "nested interpolants for recursion".into())),
            false => Ok((30, "a third opinion".into())),
        },
        wants_facts: false,
        effort: None,
        pace: 1,
        opening: None,
        search: trace_abstraction::search,
        contracts: None,
    },
    Engine {
        name: "clp",
        summary: "Constraint-logic queries",
        rank: |features| match features.recursive {
            true => Ok((5, "a relation for each function".into())),
            // Not measured beside the others yet.
            false => Err("runs when it is asked for".into()),
        },
        wants_facts: false,
        effort: None,
        pace: 1,
        opening: None,
        search: constraint_logic::search,
        contracts: None,
    },
    Engine {
        name: "shape",
        summary: "Symbolic shape analysis",
        rank: |features| match &features.inlining {
            None if features.heap => Ok((15, "memory is allocated on the heap".into())),
            None => Err("no memory is allocated on the heap".into()),
            Some(why) => Err(why.clone()),
        },
        wants_facts: false,
        effort: None,
        pace: 1,
        opening: None,
        search: shape::search,
        contracts: Some(contract::prove),
    },
    Engine {
        name: "bounded",
        summary: "Bounded model checking and k-induction",
        rank: |features| match (features.exact, features.machine) {
            (true, _) => Ok((5, "what the machine computes in few rounds".into())),
            (_, true) => Ok((12, "some operations are those of the machine".into())),
            _ => Ok((28, "runs of few rounds".into())),
        },
        wants_facts: true,
        effort: Some(3_000_000),
        pace: 8,
        opening: Some(16),
        search: bounded::search,
        contracts: None,
    },
    Engine {
        name: "execution",
        summary: "Nothing but executing the program, for long",
        rank: |features| match features.one_long_run {
            _ if features.unexecuted => Err("executions are not wanted".into()),
            true => Ok((4, "there is one run only, and it is long".into())),
            false => Ok((25, "errors at the end of long runs".into())),
        },
        wants_facts: false,
        effort: None,
        pace: 4,
        opening: None,
        search: execution::search,
        contracts: None,
    },
];

/// Before all engines, and before facts are guessed: memory graphs either decide soon or not at all, and need neither
/// facts nor a prover. What takes them longer is for the engine of this name.
pub static GLANCE: Engine = Engine {
    name: "shape",
    summary: "A glance at memory graphs",
    rank: |_| Err("runs before the engines".into()),
    wants_facts: false,
    effort: None,
    pace: 1,
    opening: None,
    search: shape::glance,
    contracts: None,
};

/// Before all engines: one path. It is no choice of its own, since it has nothing to go on with.
pub static SUSPECT: Engine = Engine {
    name: "tables",
    summary: "The way to an error that tables of values suggest",
    rank: |_| Err("runs before the engines".into()),
    wants_facts: false,
    effort: None,
    pace: 1,
    opening: None,
    search: suspect::search,
    contracts: None,
};

/// Beside the others, where facts take long to guess: goes on guessing, and then has what the others began without.
pub static LATE: Engine = Engine {
    name: "facts",
    summary: "Lazy abstraction with interpolants, after facts that took long to guess",
    rank: |_| Err("runs where facts take long to guess".into()),
    wants_facts: false,
    effort: None,
    pace: 1,
    opening: None,
    search: |task, bench| match task.guess(&bench.budget()) {
        Ok(found) => {
            task.guessed.get_or_init(|| found);
            impact::search(task, bench)
        }
        Err(reason) => Conclusion::Unknown(reason),
    },
    contracts: None,
};

/// The engine with this name.
pub fn engine(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.name == name)
}

/// The engines to run, in the order of their rank, and why: the one that was asked for, or those that are worth it.
pub fn choose(
    asked: Option<&'static Engine>,
    features: &Features,
) -> (Vec<&'static Engine>, String) {
    if let Some(engine) = asked {
        return (vec![engine], format!("{}: as asked", engine.name));
    }
    let mut ranked: Vec<(u32, String, &'static Engine)> = ENGINES
        .iter()
        .filter_map(|engine| (engine.rank)(features).ok().map(|(rank, why)| (rank, why, engine)))
        .collect();
    ranked.sort_by_key(|&(rank, _, _)| rank);
    let reasons: Vec<String> =
        ranked.iter().map(|(_, why, engine)| format!("{}: {why}", engine.name)).collect();
    (ranked.iter().map(|&(_, _, engine)| engine).collect(), reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(features: Features, expected: Expect) {
        expected.assert_eq(&choose(None, &features).1);
    }

    #[test]
    fn recursion_excludes_inlining_engines() {
        check(
            Features::default(),
            expect![
                "impact: all calls can be inlined; predicate: a second opinion; execution: errors at the end of long runs; bounded: runs of few rounds; trace: a third opinion"
            ],
        );
        check(
            Features {
                inlining: Some("the function `f` is recursive".into()),
                recursive: true,
                ..Features::default()
            },
            expect![
                "clp: a relation for each function; predicate: the function `f` is recursive; trace: nested interpolants for recursion; execution: errors at the end of long runs; bounded: runs of few rounds"
            ],
        );
    }

    #[test]
    fn what_is_asked_for_runs_alone() {
        let (engines, why) = choose(engine("predicate"), &Features::default());
        assert_eq!((engines.len(), why.as_str()), (1, "predicate: as asked"));
    }
}

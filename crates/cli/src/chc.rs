//! `bolide chc`: systems of constrained Horn clauses.
//!
//! The answer is the first line of output: `sat` when relations exist that make
//! all clauses true, `unsat` when a query can be derived, `unknown` otherwise,
//! with the reason on standard error.

use crate::exit::{Exit, Stop};
use crate::flags::{ChcEngineFlag, ChcFlags};
use crate::output;
use crate::progress::StatusLine;
use crate::watchdog;
use bolide_base::budget::Phase;
use bolide_base::{Budget, Exhausted};
use bolide_horn::read::{self, Script};
use bolide_horn::show;
use bolide_horn::solve::{self, Config, Engine};
use bolide_horn::system::Verdict;
use bolide_terms::TermStore;

/// Reads the script and decides it.
pub fn chc(flags: &ChcFlags) -> Result<Exit, Stop> {
    let shown = flags.file.display();
    let text = output::read(&flags.file)?;
    let limits = flags.limits.limits();
    // Reading a large file does not look at the limits, so the last words are ready before.
    let late = |reason: Exhausted, _: &Budget| {
        eprintln!("bolide: {reason}");
        println!("unknown");
    };
    let (budget, floor) = watchdog::guard(limits, Box::new(late));
    let status = StatusLine::start(&budget, flags.limits.timeout, false);
    let mut store = TermStore::new();
    let Script { system, wants_model, wants_proof, warnings } = match read::read(&mut store, &text)
    {
        Ok(script) => script,
        Err(error) => {
            drop(status);
            floor.take();
            eprintln!("{shown}:{error}");
            return Ok(Exit::Usage);
        }
    };
    for warning in warnings {
        eprintln!("{shown}:{}:{}: warning: {}", warning.line, warning.column, warning.message);
    }
    let threads = flags.threads.unwrap_or_else(crate::verify::available_threads);
    let config = Config {
        engine: flags.engine.into(),
        threads,
        templates: flags.guess.is_on(),
        describe: false,
    };
    budget.progress().enter(Phase::Exploring);
    let outcome = solve::solve(&mut store, &system, config, &budget);
    drop(status);
    floor.take();
    budget.stop(Exhausted::Cancelled);
    if flags.verbose {
        for (name, value) in &outcome.figures {
            eprintln!("{name}: {value}");
        }
        if let Some(who) = outcome.decided {
            eprintln!("decided by: {who}");
        }
    }
    let (answer, evidence, exit) = match &outcome.verdict {
        Verdict::Sat(found) => {
            let model =
                (flags.model || wants_model).then(|| show::model(&mut store, &system, found));
            ("sat", model, Exit::True)
        }
        Verdict::Unsat(found) => {
            let proof =
                (flags.proof || wants_proof).then(|| show::derivation(&store, &system, found));
            ("unsat", proof, Exit::False)
        }
        Verdict::Unknown(why) => {
            eprintln!("bolide: {why}");
            ("unknown", None, Exit::Unknown)
        }
    };
    println!("{answer}");
    if let Some(evidence) = evidence {
        println!("{evidence}");
    }
    Ok(exit)
}

impl From<ChcEngineFlag> for Engine {
    fn from(flag: ChcEngineFlag) -> Self {
        match flag {
            ChcEngineFlag::Auto => Engine::Auto,
            ChcEngineFlag::Pdr => Engine::Pdr,
            ChcEngineFlag::Car => Engine::Car,
        }
    }
}

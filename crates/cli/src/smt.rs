//! `bolide smt`: SMT-LIB scripts with the interpolating solver.

use crate::exit::{Exit, Stop};
use crate::flags::SmtFlags;
use crate::output;
use crate::watchdog::{Limits, Relay};
use bolide_base::Budget;
use bolide_smt::script::{Host, Script};
use std::time::{Duration, Instant};

/// Runs each script; answers go to standard output.
pub fn smt(flags: &SmtFlags) -> Result<Exit, Stop> {
    let start = Instant::now();
    let mut exit = Exit::True;
    for file in &flags.files {
        let text = output::read(file)?;
        let asked = [
            (flags.check_proofs, ":check-proofs"),
            (flags.check_interpolants, ":check-interpolants"),
        ];
        let always = asked.into_iter().filter(|(is_asked, _)| *is_asked);
        let mut script =
            Script::with_options(&always.map(|(_, option)| option).collect::<Vec<_>>());
        let mut terminal = Terminal { flags, start, watchdog: Relay::default() };
        script.run(&text, &mut terminal);
        if let Some(file) = &flags.dimacs {
            output::write(file, &script.dimacs().to_string())?;
        }
        if script.errors() > 0 {
            exit = Exit::Usage;
        }
    }
    Ok(exit)
}

struct Terminal<'a> {
    flags: &'a SmtFlags,
    start: Instant,
    watchdog: Relay,
}

impl Host for Terminal<'_> {
    fn answer(&mut self, text: &str) {
        println!("{text}");
    }

    fn begin_check(&mut self, timeout: Option<u64>) -> Budget {
        let asked = timeout.map(Duration::from_millis);
        let left = self.flags.limits.timeout.map(|t| t.saturating_sub(self.start.elapsed()));
        let time = match (asked, left) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.watchdog.watch(Limits { time, ..self.flags.limits.limits() })
    }

    fn end_check(&mut self) {
        self.watchdog.rest();
    }
}

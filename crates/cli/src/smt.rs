//! `bolide smt`: SMT-LIB scripts with the interpolating solver.

use crate::exit::Exit;
use crate::flags::SmtFlags;
use crate::watchdog::{Limits, Relay};
use bolide_base::Budget;
use bolide_smt::script::{Host, Script};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

/// Runs each script; answers go to standard output.
pub fn smt(flags: &SmtFlags) -> Exit {
    let start = Instant::now();
    let mut exit = Exit::True;
    for file in &flags.files {
        let text = match read(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("bolide: cannot read `{}`: {error}", file.display());
                return Exit::Usage;
            }
        };
        let asked = [
            (flags.check_proofs, ":check-proofs"),
            (flags.check_interpolants, ":check-interpolants"),
        ];
        let always = asked.into_iter().filter(|(is_asked, _)| *is_asked);
        let mut script =
            Script::with_options(&always.map(|(_, option)| option).collect::<Vec<_>>());
        let mut terminal = Terminal { flags, start, watchdog: Relay::default() };
        script.run(&text, &mut terminal);
        if script.errors() > 0 {
            exit = Exit::Usage;
        }
    }
    exit
}

/// The text of a file; `-` is standard input.
pub fn read(file: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(file)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
        self.watchdog.watch(Limits { time, memory: self.flags.limits.memory })
    }

    fn end_check(&mut self) {
        self.watchdog.rest();
    }
}

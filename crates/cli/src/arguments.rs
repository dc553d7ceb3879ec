//! From the words of a command line to plain values.

use crate::definition;
use crate::exit::{Exit, Stop};
use crate::flags::Bolide;
use crate::project_file;
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// The command line, with what the file of the project adds to it.
pub fn read(words: Vec<OsString>) -> Result<Bolide, Stop> {
    let refused = |error: clap::Error| {
        if error.use_stderr() {
            let _ = error.print();
            return Stop::Exit(Exit::Usage);
        }
        print!("{}", error.render());
        Stop::Exit(Exit::True)
    };
    let command = Bolide::command();
    let given = command.clone().try_get_matches_from(&words).map_err(refused)?;
    let words = definition::expand(words, &given)?;
    let given = command.clone().try_get_matches_from(&words).map_err(refused)?;
    let all = project_file::complete(words, &command, &given)?;
    let matches = command.try_get_matches_from(all).map_err(refused)?;
    Bolide::from_arg_matches(&matches).map_err(refused)
}

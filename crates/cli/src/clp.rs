//! `bolide clp`: a C program as Horn clauses.

use crate::exit::{Exit, Stop};
use crate::flags::{ClpFlags, RulesFormat};
use crate::frontend;
use bolide_engines::constraint_logic;
use bolide_horn::show;

/// Prints the rules of a program.
pub fn clp(flags: &ClpFlags) -> Result<Exit, Stop> {
    let budget = bolide_base::Budget::unlimited();
    let loaded = frontend::load(&flags.input, &flags.property, &budget)?;
    let (mut store, system) =
        match constraint_logic::clauses(&loaded.lowered.program, flags.relations.into()) {
            Ok(found) => found,
            Err(reason) => {
                eprintln!("bolide: {reason}");
                return Ok(Exit::Unknown);
            }
        };
    let text = match flags.emit {
        RulesFormat::Rules => show::rules(&mut store, &system),
        RulesFormat::Smt2 => show::smtlib(&mut store, &system),
    };
    print!("{text}");
    Ok(Exit::True)
}

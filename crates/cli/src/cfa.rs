//! `bolide cfa`: print or draw the control-flow automata.

use crate::exit::{Exit, Stop};
use crate::flags::{CfaFlags, CfaFormat};
use crate::frontend;
use bolide_cfa::transform::views::Asked;
use bolide_verdict::prepared::Prepared;

/// Prints the automata of a program.
pub fn cfa(flags: &CfaFlags) -> Result<Exit, Stop> {
    let budget = bolide_base::Budget::unlimited();
    let loaded = frontend::load(&flags.input, &flags.property, &budget)?;
    let program = if flags.simplified {
        Prepared::new(&loaded.lowered.program, &Asked::Nothing, budget.progress())
            .flattest()
            .mapped
            .program
            .clone()
    } else {
        loaded.lowered.program
    };
    let text = match flags.format {
        CfaFormat::Text => bolide_cfa::text::print(&program),
        CfaFormat::Dot => bolide_cfa::render::dot(&program),
        CfaFormat::Json => bolide_cfa::render::json(&program),
        CfaFormat::Svg => bolide_cfa::render::svg(&program),
    };
    print!("{text}");
    Ok(Exit::True)
}

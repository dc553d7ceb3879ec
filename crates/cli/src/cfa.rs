//! `bolide cfa`: print or draw the control-flow automata.

use crate::exit::Exit;
use crate::flags::{CfaFlags, CfaFormat};
use crate::frontend;
use bolide_verdict::prepared::Prepared;

/// Prints the automata of a program.
pub fn cfa(flags: &CfaFlags) -> Exit {
    let budget = bolide_base::Budget::unlimited();
    let loaded = match frontend::load(&flags.input, &flags.property, &budget) {
        Ok(loaded) => loaded,
        Err(refusal) => return refusal.exit(),
    };
    let program = if flags.simplified {
        Prepared::new(&loaded.lowered.program).flattest().mapped.program.clone()
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
    Exit::True
}

//! What is to be checked, as the command line gives it; problems are reported here.

use crate::flags::PropertyFlags;
use crate::report;
use bolide_api::specification::{self, Misunderstood, Specification};

/// Understands the flags.
pub fn specification(flags: &PropertyFlags) -> Option<Specification> {
    reported(specification::specification(&flags.properties, &flags.ltl))
}

/// The properties that the text of a property file states.
pub fn specification_of(text: &str) -> Option<Specification> {
    reported(specification::specification_of(text))
}

fn reported(found: Result<Specification, Misunderstood>) -> Option<Specification> {
    match found {
        Ok(specification) => return Some(specification),
        Err(Misunderstood::Words(words)) => eprintln!("bolide: {words}"),
        Err(Misunderstood::Text(sources, list)) => report::diagnostics(&sources, &list),
    }
    None
}

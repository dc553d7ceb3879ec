//! What is to be checked, as the command line gives it; problems are reported here.

use crate::flags::PropertyFlags;
use crate::report;
use crate::suggest::did_you_mean;
use bolide_api::specification::{self, Misunderstood, Specification};
use bolide_cfa::property::table;

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
        Err(Misunderstood::Name(given, error)) => eprintln!(
            "bolide: `{given}` is neither the name of a property nor a file that can be read \
             ({error}){}; names are {}",
            did_you_mean(&given, table::names()),
            table::names().join(", ")
        ),
        Err(Misunderstood::Large(name)) => eprintln!("bolide: `{name}` is too large"),
        Err(Misunderstood::Text(sources, list)) => report::diagnostics(&sources, &list),
    }
    None
}

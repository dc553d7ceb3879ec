//! What is to be checked: names, SV-COMP property files, observer automata
//! and temporal formulas, as the command line gives them.

use crate::flags::PropertyFlags;
use bolide_cfa::{Program, Property};
use std::collections::BTreeSet;

/// What is to be checked.
#[derive(Clone, Debug, Default)]
pub struct Specification {
    /// Properties whose checks lowering makes.
    pub properties: BTreeSet<Property>,
    /// The entry function that a property file names.
    pub entry: Option<String>,
    /// Observer automata: file name and text.
    pub automata: Vec<(String, String)>,
    /// Temporal formulas.
    pub formulas: Vec<String>,
}

/// The properties that a name on the command line stands for.
fn by_name(name: &str) -> Option<&'static [Property]> {
    Some(match name {
        "unreach-call" => &[Property::UnreachCall],
        "assert" => &[Property::Assert],
        "no-overflow" => &[Property::NoOverflow],
        "div-by-zero" => &[Property::DivByZero],
        "valid-deref" => &[Property::ValidDeref],
        "valid-free" => &[Property::ValidFree],
        "valid-memtrack" => &[Property::ValidMemtrack],
        "valid-memcleanup" => &[Property::ValidMemcleanup],
        "valid-memsafety" => &[Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack],
        _ => return None,
    })
}

/// Understands the flags. Without any, a program is checked for calls of
/// error functions and failing assertions.
pub fn specification(flags: &PropertyFlags) -> Result<Specification, String> {
    let mut found = Specification { formulas: flags.ltl.clone(), ..Specification::default() };
    for given in &flags.properties {
        if let Some(properties) = by_name(given) {
            found.properties.extend(properties);
            continue;
        }
        let text = std::fs::read_to_string(given).map_err(|error| {
            format!(
                "`{given}` is neither the name of a property nor a file that can be read \
                 ({error}); names are unreach-call, assert, no-overflow, div-by-zero, \
                 valid-deref, valid-free, valid-memtrack, valid-memsafety and valid-memcleanup"
            )
        })?;
        if text.contains("CHECK") && text.contains("LTL") {
            property_file(given, &text, &mut found)?;
        } else {
            found.automata.push((given.clone(), text));
        }
    }
    if flags.properties.is_empty() && flags.ltl.is_empty() {
        found.properties.extend([Property::UnreachCall, Property::Assert]);
    }
    Ok(found)
}

fn property_file(_name: &str, text: &str, found: &mut Specification) -> Result<(), String> {
    if text.contains("reach_error") || text.contains("__VERIFIER_error") || text.contains("label") {
        found.properties.insert(Property::UnreachCall);
    }
    if text.contains("overflow") {
        found.properties.insert(Property::NoOverflow);
    }
    Ok(())
}

pub fn attach(_program: &mut Program, _specification: &Specification) -> Result<(), String> {
    Ok(())
}

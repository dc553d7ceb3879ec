//! What is to be checked: names, SV-COMP property files, observer automata
//! and temporal formulas, as the command line gives them.

use crate::flags::PropertyFlags;
use crate::report;
use crate::suggest::did_you_mean;
use bolide_base::{Diagnostic, SourceMap, Span};
use bolide_cfa::property::{self, Automaton, PropertyFile, parse_property_file, table};
use bolide_cfa::{Program, Property};
use std::collections::BTreeSet;

/// What is to be checked.
#[derive(Debug, Default)]
pub struct Specification {
    /// Properties whose checks lowering makes.
    pub properties: BTreeSet<Property>,
    /// The entry function that a property file names.
    pub entry: Option<String>,
    /// Calls that violate `unreach-call`, besides the usual ones.
    pub error_functions: Vec<String>,
    /// Labels that violate `unreach-call`, besides `ERROR`.
    pub error_labels: Vec<String>,
    /// Observer automata, those of temporal formulas included.
    pub automata: Vec<Automaton>,
}

/// Understands the flags; problems are reported here. Without any flag a
/// program is checked for calls of error functions and failing assertions.
pub fn specification(flags: &PropertyFlags) -> Option<Specification> {
    let mut sources = SourceMap::new();
    let mut found = Specification::default();
    for given in &flags.properties {
        let properties = Property::asked_by(given);
        if !properties.is_empty() {
            found.properties.extend(properties);
            continue;
        }
        let text = match std::fs::read_to_string(given) {
            Ok(text) => text,
            Err(error) => {
                eprintln!(
                    "bolide: `{given}` is neither the name of a property nor a file that can be \
                     read ({error}){}; names are {}",
                    did_you_mean(given, table::names()),
                    table::names().join(", ")
                );
                return None;
            }
        };
        read_file(&mut sources, given, text, &mut found)?;
    }
    for formula in &flags.ltl {
        read_formula(&mut sources, formula, &mut found)?;
    }
    if flags.properties.is_empty() && flags.ltl.is_empty() {
        found.properties.extend([Property::UnreachCall, Property::Assert]);
    }
    Some(found)
}

/// The properties that the text of a property file states.
pub fn specification_of(text: &str) -> Option<Specification> {
    let mut found = Specification::default();
    read_file(&mut SourceMap::new(), "specification", text.to_owned(), &mut found)?;
    Some(found)
}

/// A property file or an observer automaton.
fn read_file(
    sources: &mut SourceMap,
    name: &str,
    text: String,
    found: &mut Specification,
) -> Option<()> {
    let start = sources.add(name, text.clone())?;
    let result = if text.contains("CHECK") && text.contains("LTL") {
        parse_property_file(&text, start).and_then(|file| understand(file, start, found))
    } else {
        property::parse_automaton(&text, start).map(|automaton| found.automata.push(automaton))
    };
    result.map_err(|errors| report::diagnostics(sources, &errors)).ok()
}

fn understand(
    file: PropertyFile,
    start: u32,
    found: &mut Specification,
) -> Result<(), Vec<Diagnostic>> {
    found.entry = Some(file.entry);
    for specification in file.specifications {
        match specification {
            property::Specification::Property(p) => {
                found.properties.insert(p);
            }
            property::Specification::NeverCalled(function) => {
                found.properties.insert(Property::UnreachCall);
                found.error_functions.push(function);
            }
            property::Specification::NeverAt(label) => {
                found.properties.insert(Property::UnreachCall);
                found.error_labels.push(label);
            }
            property::Specification::Formula(formula) => {
                let span = Span::new(start, start);
                let automaton = property::ltl::bad_prefixes(&formula, span).map_err(|e| vec![e])?;
                found.automata.push(automaton);
            }
        }
    }
    Ok(())
}

fn read_formula(sources: &mut SourceMap, text: &str, found: &mut Specification) -> Option<()> {
    let start = sources.add("--ltl", text.to_owned())?;
    let span = Span::new(start, start + text.len() as u32);
    let automaton = property::ltl::parse(text, start)
        .and_then(|formula| property::ltl::bad_prefixes(&formula, span).map_err(|e| vec![e]));
    match automaton {
        Ok(automaton) => {
            found.automata.push(automaton);
            Some(())
        }
        Err(errors) => {
            report::diagnostics(sources, &errors);
            None
        }
    }
}

/// The program together with the automata that watch it.
pub fn attach(program: Program, specification: &Specification) -> Result<Program, Vec<Diagnostic>> {
    if specification.automata.is_empty() {
        return Ok(program);
    }
    bolide_cfa::product::product(program, &specification.automata).map(|mapped| mapped.program)
}

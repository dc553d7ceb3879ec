//! What is to be checked: names, SV-COMP property files, observer automata
//! and temporal formulas, as users give them.

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

/// What is wrong with what a user asked for.
#[derive(Debug)]
pub enum Misunderstood {
    /// This is no name of a property, and no file that can be read, for this reason.
    Name(String, std::io::Error),
    /// The text of this name does not fit.
    Large(String),
    /// Diagnostics about a text.
    Text(SourceMap, Vec<Diagnostic>),
}

impl std::fmt::Display for Misunderstood {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misunderstood::Name(given, error) => write!(
                f,
                "`{given}` is neither the name of a property nor a file that can be read ({error}); \
                 names are {}",
                table::names().join(", ")
            ),
            Misunderstood::Large(name) => write!(f, "`{name}` is too large"),
            Misunderstood::Text(sources, list) => {
                list.iter().try_for_each(|d| f.write_str(&d.render_plain(sources)))
            }
        }
    }
}

/// Understands names of properties or of files, and formulas. Without any, a
/// program is checked for calls of error functions and failing assertions.
pub fn specification(
    properties: &[String],
    formulas: &[String],
) -> Result<Specification, Misunderstood> {
    let mut found = Specification::default();
    for given in properties {
        let properties = Property::asked_by(given);
        if !properties.is_empty() {
            found.properties.extend(properties);
            continue;
        }
        let text = std::fs::read_to_string(given)
            .map_err(|error| Misunderstood::Name(given.clone(), error))?;
        read_file(given, text, &mut found)?;
    }
    for formula in formulas {
        read_formula(formula, &mut found)?;
    }
    if properties.is_empty() && formulas.is_empty() {
        found.properties.extend([Property::UnreachCall, Property::Assert]);
    }
    Ok(found)
}

/// The properties that the text of a property file states.
pub fn specification_of(text: &str) -> Result<Specification, Misunderstood> {
    let mut found = Specification::default();
    read_file("specification", text.to_owned(), &mut found)?;
    Ok(found)
}

/// A text alone, and where it begins.
fn alone(name: &str, text: &str) -> Result<(SourceMap, u32), Misunderstood> {
    let mut sources = SourceMap::new();
    let start = sources.add(name, text.to_owned());
    let start = start.ok_or_else(|| Misunderstood::Large(name.to_owned()))?;
    Ok((sources, start))
}

/// A property file or an observer automaton.
fn read_file(name: &str, text: String, found: &mut Specification) -> Result<(), Misunderstood> {
    let (sources, start) = alone(name, &text)?;
    let result = if text.contains("CHECK") && text.contains("LTL") {
        parse_property_file(&text, start).and_then(|file| understand(file, start, found))
    } else {
        property::parse_automaton(&text, start).map(|automaton| found.automata.push(automaton))
    };
    result.map_err(|errors| Misunderstood::Text(sources, errors))
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

fn read_formula(text: &str, found: &mut Specification) -> Result<(), Misunderstood> {
    let (sources, start) = alone("--ltl", text)?;
    let span = Span::new(start, start + text.len() as u32);
    let automaton = property::ltl::parse(text, start)
        .and_then(|formula| property::ltl::bad_prefixes(&formula, span).map_err(|e| vec![e]));
    let automaton = automaton.map_err(|errors| Misunderstood::Text(sources, errors))?;
    found.automata.push(automaton);
    Ok(())
}

/// The program together with the automata that watch it.
pub fn attach(program: Program, specification: &Specification) -> Result<Program, Vec<Diagnostic>> {
    if specification.automata.is_empty() {
        return Ok(program);
    }
    bolide_cfa::product::product(program, &specification.automata).map(|mapped| mapped.program)
}

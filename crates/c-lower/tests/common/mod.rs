//! What the tests share: C text in, program or diagnostics out.

#![allow(dead_code)]

use bolide_base::SourceMap;
use bolide_c_lower::{Lowered, Options, lower};
use bolide_c_syntax::{ParseOptions, parse};
use bolide_cfa::{Property, Target};

/// Parses and lowers one text; diagnostics as text.
pub fn lower_text(text: &str, options: &Options) -> Result<Lowered, String> {
    lower_texts(&[("test.c", text)], options)
}

/// Parses and lowers several files.
pub fn lower_texts(files: &[(&str, &str)], options: &Options) -> Result<Lowered, String> {
    let mut sources = SourceMap::new();
    let mut units = Vec::new();
    for (name, text) in files {
        let start = sources.add(*name, (*text).to_owned()).expect("small");
        let result = parse(&mut sources, start, &ParseOptions::default());
        let errors: String = result.diagnostics.iter().map(|d| d.render_plain(&sources)).collect();
        assert!(!result.has_errors(), "{errors}");
        units.push(result.unit);
    }
    let units: Vec<_> = units.iter().collect();
    lower(&units, &sources, options).map_err(|diagnostics| {
        diagnostics.iter().map(|d| d.render_plain(&sources)).collect::<String>()
    })
}

pub fn options(properties: &[Property]) -> Options {
    Options { properties: properties.iter().copied().collect(), ..Options::default() }
}

pub fn ilp32() -> Options {
    Options { target: Target::ILP32, ..Options::default() }
}

/// The text of one function of a program.
pub fn function_text(lowered: &Lowered, name: &str) -> String {
    let text = bolide_cfa::text::print_plain(&lowered.program);
    let start = text.find(&format!("function {name}(")).unwrap_or_else(|| panic!("{text}"));
    let rest = &text[start..];
    let end = rest[1..].find("\nfunction ").map_or(rest.len(), |i| i + 2);
    rest[..end].to_owned()
}

/// The checks of a program, one a line: property and description.
pub fn checks(lowered: &Lowered) -> String {
    lowered
        .program
        .checks
        .values()
        .map(|c| format!("{}: {}\n", c.property.name(), c.description))
        .collect()
}

/// Runs a program with zeros as inputs; output and outcome.
pub fn run(lowered: &Lowered) -> (String, bolide_cfa::interpreter::Outcome) {
    let mut inputs = bolide_cfa::interpreter::Inputs::default();
    let config = bolide_cfa::interpreter::Config { step_limit: 50_000_000, ..Default::default() };
    let run = bolide_cfa::interpreter::run(&lowered.program, &mut inputs, &config);
    (String::from_utf8_lossy(&run.stdout).into_owned(), run.outcome)
}

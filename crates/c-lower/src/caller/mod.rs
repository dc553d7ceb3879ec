//! A sane caller of a function, as a function of C.
//!
//! A function that is called with any arguments at all violates something in most programs: a pointer is null, a text has no end, a
//! length is not that of its buffer. What is wanted is a caller that does what the function may expect, and no
//! more. Nobody says what that is, so it is guessed: from the types, from the names of parameters and members, and from
//! what the code does with them ([`uses`]).
//!
//! | what | what a sane caller passes |
//! |---|---|
//! | a pointer that is compared with null | null, or as below |
//! | a pointer with a length beside it (`buf, len`, `n, p`, `query, queryLength`) | an object of just that size |
//! | a text | an object with a zero in its last byte |
//! | a pointer to a record | one record; its members likewise, to some depth; made by a constructor of the program if there is one |
//! | a pointer to one value | one value |
//! | a pointer to an array of which nobody says how long it is | a large one |
//! | a pointer to a function | one that returns anything, allocates or frees as its type and name say |
//! | an integer | up to a million on both sides; lengths and sizes are not negative; an enumeration has one of its values |
//!
//! The caller is text that is appended to the file of the function: whoever reads an alarm can read it, and has the
//! beginning of a harness. Its assumptions are told with the verdict.

mod build;
mod pairs;
pub mod uses;

use crate::context::Lowerer;
use crate::global::Definition;
use build::{Build, OURS};
use uses::{Uses, parameters};

/// The caller of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Which file the text belongs to.
    pub unit: usize,
    pub text: String,
    /// Its name.
    pub entry: String,
    /// What it takes for sane.
    pub assumptions: Vec<String>,
}

impl Lowerer<'_> {
    /// A sane caller of the function where the run is asked to start; none where nothing is known of one.
    pub fn caller(&mut self) -> Option<Caller> {
        let name = self.input.options.entry.clone();
        let id = self.linkage.globals.iter().find(|(_, g)| {
            let of_program = |u: usize| u < self.input.first_model;
            g.name == name
                && matches!(g.definition, Some(Definition::Function(unit, _)) if of_program(unit))
        })?;
        let id = id.0;
        if self.contracts.promises.contains_key(&id) || name == "main" {
            return None;
        }
        let Some(Definition::Function(unit, function)) = self.linkage[id].definition else {
            return None;
        };
        self.input.unit = unit;
        let ast = self.input.units[unit];
        let definition = &ast.functions[function];
        let names = parameters(ast, definition);
        let ty = self.types.function(self.linkage[id].ty.ty)?.clone();
        let names: Option<Vec<String>> =
            names.iter().map(|name| Some(ast.name((*name)?).to_owned())).collect();
        let names = names.filter(|names| names.len() == ty.parameters.len() && !ty.variadic)?;
        let written = self.input.sources.snippet(ast.params[definition.parameters()?].span);
        let written = written.to_owned();
        let uses: Vec<Uses> = (0..names.len()).map(|i| self.uses_of(id, i)).collect();
        let mut build = Build::new(self, id);
        build.arguments(&names, &ty.parameters, &uses);
        let arguments = names.join(", ");
        let (lines, head, assumptions) = build.finish();
        let entry = format!("{OURS}call_{name}");
        let text = format!(
            "\n# 1 \"caller of {name}\"\n{head}void {entry}{written} {{\n{lines}  (void){name}({arguments});\n}}\n"
        );
        Some(Caller { unit, text, entry, assumptions })
    }
}

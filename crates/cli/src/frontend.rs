//! From files on disk to a program: preprocess, parse, lower, specify.

use crate::compile_commands;
use crate::exit::{Exit, Stop};
use crate::flags::{DataModel, External, InputFlags, PropertyFlags};
use crate::preprocess::Preprocessor;
use crate::property::{self, Specification};
use crate::report;
use bolide_base::{Budget, Diagnostic, Severity, SourceMap, Span};
use bolide_c_lower::{Lowered, Options};
use bolide_c_syntax::ast::{Annotation, ItemKind, TranslationUnit};
use bolide_cfa::{EdgeId, Property, Target};
use bolide_evidence::leak::{self, Leak};
use bolide_verdict::foundation::Record;
use bolide_verdict::replay::Violation;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A program with all that is needed to talk about it.
pub struct Loaded {
    /// The texts that were read.
    pub sources: Arc<SourceMap>,
    /// The program, with warnings, functions without a body and assumptions.
    pub lowered: Lowered,
    units: Vec<TranslationUnit>,
    options: Options,
    /// What a violation lost, once somebody has asked.
    leak: OnceLock<Option<Leak>>,
}

impl Loaded {
    /// The syntax trees, one for each text of [`Loaded::sources`].
    pub fn units(&self) -> &[TranslationUnit] {
        &self.units
    }

    /// What a verdict rests on that the program does not say.
    pub fn record(&self) -> Record {
        Record {
            sources: Arc::clone(&self.sources),
            contract_of: match self.options.heap_contracts {
                true => self.units.iter().find_map(|unit| contract_of(unit, &self.options.entry)),
                false => self.lowered.heap_contract_of_entry.then(|| self.options.entry.clone()),
            },
            unchecked: self.lowered.unchecked.clone(),
        }
    }

    /// Where a violation shows in the files of the user. A check inside a library model has no
    /// place there: then it is the last step before it that has one, the call.
    pub fn violated_at(&self, violation: &Violation) -> Span {
        let program = &self.lowered.program;
        let span = program.checks[violation.check].span;
        let has_place = |span: &Span| self.sources.position(span.start).is_some();
        if has_place(&span) {
            return span;
        }
        let steps = violation.run.trace.iter().rev();
        steps.map(|&edge| program.edges[edge].origin.span).find(has_place).unwrap_or(span)
    }

    /// Where a violation shows to people, and in which words. Memory is not lost where that is noticed.
    pub fn told(&self, violation: &Violation) -> (Span, String) {
        let program = &self.lowered.program;
        let description = program.checks[violation.check].description.clone();
        let find = || leak::find(program, violation, &Budget::unlimited());
        let Some(leak) = self.leak.get_or_init(find) else {
            return (self.violated_at(violation), description);
        };
        let span_of = |edge: EdgeId| program.edges[edge].origin.span;
        let position = |span: Span| self.sources.position(span.start);
        let mut steps = leak.steps.iter().rev().map(|&edge| span_of(edge));
        let lost = steps.find(|&span| position(span).is_some());
        let allocated = match position(span_of(leak.allocated)) {
            Some(place) => format!("the memory allocated at {place}"),
            None => "allocated memory".to_owned(),
        };
        let lost = lost.unwrap_or_else(|| self.violated_at(violation));
        (lost, format!("{allocated} is neither freed nor reachable from here on"))
    }

    /// The same program with checks for these properties only.
    pub fn lower_for(&self, properties: &[Property]) -> Option<Lowered> {
        let units: Vec<&TranslationUnit> = self.units.iter().collect();
        let properties = properties.iter().copied().collect();
        let options = Options { properties, ..self.options.clone() };
        bolide_c_lower::lower(&units, &self.sources, &options).ok()
    }
}

/// Why there is no program; its diagnostics have been reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The input is no C, or not there.
    Input,
    /// The input has something that is not supported.
    Unsupported(String),
}

/// How a command ends that has no program to work on.
impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Exit(match refusal {
            Refusal::Input => Exit::Usage,
            Refusal::Unsupported(_) => Exit::Unknown,
        })
    }
}

impl Refusal {
    /// What errors mean: a single one that is the input's own decides.
    fn of(diagnostics: &[Diagnostic], sources: &SourceMap) -> Refusal {
        let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let Some(first) = errors.clone().next().filter(|_| errors.all(|d| d.is_limit)) else {
            return Refusal::Input;
        };
        let what = first.message.strip_suffix(" not supported").unwrap_or(&first.message);
        let what = what.trim_end_matches(" is").trim_end_matches(" are");
        let place = sources.position(first.span.start).map(|p| format!(" at {p}"));
        Refusal::Unsupported(format!("{what}{}", place.unwrap_or_default()))
    }
}

/// Reads everything. Problems are reported here. Likewise when the budget ended in the middle of it.
///
/// # Errors
/// Why there is no program.
pub fn load(
    input: &InputFlags,
    properties: &PropertyFlags,
    budget: &Budget,
) -> Result<Loaded, Refusal> {
    let specification = property::specification(properties).ok_or(Refusal::Input)?;
    let texts = read_texts(input).ok_or(Refusal::Input)?;
    build(texts, input, &specification, None, budget)
}

/// The preprocessed texts of the program. Problems are reported here.
pub fn read_texts(input: &InputFlags) -> Option<Vec<(PathBuf, String)>> {
    let files = match source_files(input) {
        Ok(files) => files,
        Err(message) => {
            eprintln!("bolide: {message}");
            return None;
        }
    };
    let mut texts = Vec::new();
    let count = files.len();
    for (file, preprocessor) in files {
        match read(&file, &preprocessor) {
            Ok(text) => texts.push((file, text)),
            Err(message) => eprintln!("bolide: {message}"),
        }
    }
    (texts.len() == count).then_some(texts)
}

/// Parses, lowers and specifies. A call of the function `marker` is a
/// violation whatever the property is.
///
/// # Errors
/// Why there is no program.
pub fn build(
    texts: Vec<(PathBuf, String)>,
    input: &InputFlags,
    specification: &Specification,
    marker: Option<&str>,
    budget: &Budget,
) -> Result<Loaded, Refusal> {
    let mut sources = SourceMap::new();
    let mut units: Vec<TranslationUnit> = Vec::new();
    let mut errors = Vec::new();
    let c23 = input.std.as_deref().is_some_and(is_c23);
    for (file, text) in texts {
        match parse(&mut sources, &file, text, c23) {
            Ok(unit) => units.push(unit),
            Err(diagnostics) => {
                report::diagnostics(&sources, &diagnostics);
                errors.extend(diagnostics);
            }
        }
    }
    if !errors.is_empty() {
        return Err(Refusal::of(&errors, &sources));
    }
    let mut options = Options {
        properties: specification.properties.clone(),
        target: target(input),
        entry: input
            .entry
            .clone()
            .or(specification.entry.clone())
            .unwrap_or_else(|| "main".to_owned()),
        external: match input.external {
            External::Havoc => bolide_c_lower::External::Havoc,
            External::Pure => bolide_c_lower::External::Pure,
            External::Error => bolide_c_lower::External::Error,
        },
        error_functions: with_defaults(
            Options::default().error_functions,
            &specification.error_functions,
        ),
        error_labels: with_defaults(Options::default().error_labels, &specification.error_labels),
        malloc_may_fail: input.malloc_may_fail,
        heap_contracts: input.heap_contracts,
        modular: input.modular,
        budget: budget.clone(),
    };
    if let Some(marker) = marker {
        if options.properties.insert(Property::UnreachCall) {
            // Nobody asked about the usual ones.
            options.error_functions.clear();
            options.error_labels.clear();
        }
        options.error_functions.push(marker.to_owned());
    }
    let linked: Vec<&TranslationUnit> = units.iter().collect();
    match bolide_c_lower::lower(&linked, &sources, &options) {
        Ok(mut lowered) => {
            match property::attach(lowered.program, specification) {
                Ok(program) => lowered.program = program,
                Err(errors) => {
                    report::diagnostics(&sources, &errors);
                    return Err(Refusal::Input);
                }
            }
            let (sources, leak) = (Arc::new(sources), OnceLock::new());
            Ok(Loaded { sources, lowered, units, options, leak })
        }
        Err(diagnostics) => {
            report::diagnostics(&sources, &diagnostics);
            Err(Refusal::of(&diagnostics, &sources))
        }
    }
}

/// The entry function, if a comment right before it promises something in its name.
fn contract_of(unit: &TranslationUnit, entry: &str) -> Option<String> {
    let promises = |comment: &Annotation| {
        let next = unit.items.iter().find(|item| item.span.start >= comment.span.end);
        let name = next.and_then(|item| match item.kind {
            ItemKind::Function(id) => unit.functions[id].declarator.name,
            ItemKind::Declaration(id) => unit.decls[id].declarators.first()?.declarator.name,
            _ => None,
        });
        ["requires", "ensures"].iter().any(|word| comment.text.contains(word))
            && name.is_some_and(|name| unit.name(name) == entry)
    };
    unit.annotations.iter().any(promises).then(|| entry.to_owned())
}

/// Whether a name of a C standard is that of C23, in which `bool`, `true` and
/// others are keywords.
fn is_c23(standard: &str) -> bool {
    let year = standard.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    matches!(year, "23" | "2x" | "2y" | "9899:2024") || standard == "iso9899:2024"
}

/// The usual names and those that a property file adds.
fn with_defaults(mut usual: Vec<String>, more: &[String]) -> Vec<String> {
    for name in more {
        if !usual.contains(name) {
            usual.push(name.clone());
        }
    }
    usual
}

fn target(input: &InputFlags) -> Target {
    match input.data_model {
        DataModel::Ilp32 => Target::ILP32,
        DataModel::Lp64 => Target::LP64,
    }
}

/// The files to read, each with its preprocessor.
fn source_files(input: &InputFlags) -> Result<Vec<(PathBuf, Preprocessor)>, String> {
    let mut arguments = Vec::new();
    arguments.extend(input.std.iter().map(|s| format!("-std={s}")));
    arguments.extend(input.include_dirs.iter().map(|d| format!("-I{d}")));
    arguments.extend(input.defines.iter().map(|d| format!("-D{d}")));
    for file in &input.includes {
        arguments.extend(["-include".to_owned(), file.clone()]);
    }
    let common = Preprocessor {
        command: input.cc.clone(),
        arguments,
        directory: None,
        ilp32: input.data_model == DataModel::Ilp32,
    };
    let mut files: Vec<(PathBuf, Preprocessor)> =
        input.files.iter().map(|f| (f.clone(), common.clone())).collect();
    let database = input
        .compile_commands
        .clone()
        .or(input.project.as_ref().map(|dir| dir.join("compile_commands.json")));
    if let Some(database) = database {
        let entries = compile_commands::read(&database)?.into_iter();
        files.extend(entries.map(|entry| entry.with(&common)));
    }
    if files.is_empty() {
        return Err("there is no C file to read".to_owned());
    }
    Ok(files)
}

/// The text of a file, preprocessed where that is needed.
pub fn read(file: &Path, preprocessor: &Preprocessor) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|error| match file.is_dir() {
        true => format!(
            "`{0}` is a folder; `bolide scan {0}` verifies the programs in it",
            file.display()
        ),
        false => format!("cannot read `{}`: {error}", file.display()),
    })?;
    let text = bolide_c_syntax::text_of_bytes(&bytes);
    // A text without directives may still use macros of the command line.
    let preprocessed = file.extension().is_some_and(|e| e == "i");
    if bolide_c_syntax::needs_preprocessing(&text) || preprocessor.defines() && !preprocessed {
        preprocessor.run(file)
    } else {
        Ok(text)
    }
}

fn parse(
    sources: &mut SourceMap,
    file: &Path,
    text: String,
    c23: bool,
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let name = file.display().to_string();
    let Some(start) = sources.add(name.clone(), text) else {
        return Err(vec![Diagnostic::error(
            bolide_base::Span::NONE,
            format!("`{name}` does not fit: all texts together may have 4 GiB"),
        )]);
    };
    let options = bolide_c_syntax::ParseOptions { c23, ..Default::default() };
    let result = bolide_c_syntax::parse(sources, start, &options);
    if result.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(result.diagnostics);
    }
    report::diagnostics(sources, &result.diagnostics);
    Ok(result.unit)
}

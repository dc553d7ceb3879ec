//! From texts to a program: parse, lower, specify.

use crate::preprocess::{ONLY_C, looks_like_cpp};
use crate::specification::{self, Specification};
use bolide_base::budget::Phase;
use bolide_base::{Budget, Diagnostic, Severity, SourceMap, Span};
use bolide_c_lower::{Lowered, Options};
use bolide_c_syntax::ast::{Annotation, ItemKind, TranslationUnit};
use bolide_cfa::{EdgeId, Property};
use bolide_evidence::freed;
use bolide_evidence::leak::{self, Leak};
use bolide_verdict::foundation::Record;
use bolide_verdict::replay::Violation;
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
    /// Who freed what a violation touches, likewise.
    freed: OnceLock<Option<EdgeId>>,
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
        let description = self.described(violation);
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

    /// What is violated, in words. Memory that was freed is called that.
    fn described(&self, violation: &Violation) -> String {
        let program = &self.lowered.program;
        let description = &program.checks[violation.check].description;
        let freed = *self.freed.get_or_init(|| freed::find(program, violation));
        let place = freed.and_then(|edge| self.place_of(violation, edge));
        let Some(place) = place else { return description.clone() };
        let accesses = description.strip_suffix(" outside of live memory");
        let frees = description.strip_suffix(" frees what was not allocated or is freed already");
        match (accesses, frees) {
            (Some(what), _) => format!("use after free: {what} memory that was freed at {place}"),
            (_, Some(what)) => format!("double free: {what} frees what was freed at {place}"),
            _ => description.clone(),
        }
    }

    /// Where a step is in the files of the user; one of a library model is where that was called.
    fn place_of(&self, violation: &Violation, edge: EdgeId) -> Option<String> {
        let program = &self.lowered.program;
        let position = |edge: EdgeId| self.sources.position(program.edges[edge].origin.span.start);
        let trace = &violation.run.trace;
        let at = trace.iter().rposition(|step| *step == edge).unwrap_or(0);
        let place = trace.get(..=at).into_iter().flatten().rev().find_map(|&step| position(step));
        place.or_else(|| position(edge)).map(|place| place.to_string())
    }

    /// Leaves out the checks that show at these places (`file:line`): no run goes on behind a violation of them.
    pub fn leave_out(&mut self, places: &[String]) {
        let program = &mut self.lowered.program;
        for location in program.locations.values_mut() {
            let Some(check) = location.error else { continue };
            let place = self.sources.position(program.checks[check].span.start);
            let is_named =
                place.is_some_and(|p| places.contains(&format!("{}:{}", p.file, p.line)));
            if is_named && location.outgoing.is_empty() {
                location.error = None;
            }
        }
    }

    /// Whether an allocation may give a null pointer.
    pub fn may_fail(&self) -> bool {
        let harness = bolide_c_lower::Harness::Is(self.lowered.harness);
        Options { harness, ..self.options.clone() }.may_fail()
    }

    /// The same program with checks for these properties only.
    pub fn lower_for(&self, properties: &[Property]) -> Option<Lowered> {
        let units: Vec<&TranslationUnit> = self.units.iter().collect();
        let properties = properties.iter().copied().collect();
        let options = Options { properties, ..self.options.clone() };
        bolide_c_lower::lower(&units, &self.sources, &options).ok()
    }
}

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The input is no C, or not there.
    Input,
    /// The input has something that is not supported.
    Unsupported(String),
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

/// Parses, lowers and specifies texts, each with its name. A call of the function `marker` is a violation whatever the
/// property is. `tell` is given what is to be said about the texts, errors and warnings alike.
///
/// # Errors
/// Why there is no program. Likewise when the budget ended in the middle of it.
pub fn build(
    texts: Vec<(String, String)>,
    c23: bool,
    options: Options,
    specification: &Specification,
    marker: Option<&str>,
    tell: &mut dyn FnMut(&SourceMap, &[Diagnostic]),
) -> Result<Loaded, Refusal> {
    let mut sources = SourceMap::new();
    let mut units: Vec<TranslationUnit> = Vec::new();
    let mut errors = Vec::new();
    options.budget.progress().enter(Phase::Parsing);
    for (name, text) in texts {
        match parse(&mut sources, &name, text, c23) {
            Ok((unit, warnings)) => {
                tell(&sources, &warnings);
                units.push(unit);
            }
            Err(diagnostics) => {
                tell(&sources, &diagnostics);
                errors.extend(diagnostics);
            }
        }
    }
    if !errors.is_empty() {
        return Err(Refusal::of(&errors, &sources));
    }
    let options = specified(options, specification, marker);
    let linked: Vec<&TranslationUnit> = units.iter().collect();
    options.budget.progress().enter(Phase::Lowering);
    match bolide_c_lower::lower(&linked, &sources, &options) {
        Ok(mut lowered) => {
            match specification::attach(lowered.program, specification) {
                Ok(program) => lowered.program = program,
                Err(errors) => {
                    tell(&sources, &errors);
                    return Err(Refusal::Input);
                }
            }
            let (sources, leak, freed) = (Arc::new(sources), OnceLock::new(), OnceLock::new());
            Ok(Loaded { sources, lowered, units, options, leak, freed })
        }
        Err(diagnostics) => {
            tell(&sources, &diagnostics);
            Err(Refusal::of(&diagnostics, &sources))
        }
    }
}

/// The texts with a sane caller of the entry function, which is the entry then, and what that takes for sane; as they were where there is
/// none.
pub fn called_sanely(
    mut texts: Vec<(String, String)>,
    c23: bool,
    options: &mut Options,
) -> (Vec<(String, String)>, Vec<String>) {
    let mut sources = SourceMap::new();
    let parsed: Result<Vec<_>, _> =
        texts.iter().map(|(name, text)| parse(&mut sources, name, text.clone(), c23)).collect();
    // What is wrong with a text is told where it is read for good.
    let Ok(parsed) = parsed else { return (texts, Vec::new()) };
    let units: Vec<&TranslationUnit> = parsed.iter().map(|(unit, _)| unit).collect();
    let Some(caller) = bolide_c_lower::caller(&units, &sources, options) else {
        return (texts, Vec::new());
    };
    texts[caller.unit].1 += &caller.text;
    options.entry = caller.entry;
    let name = |words: String| format!("a sane caller: {words}");
    (texts, caller.assumptions.into_iter().map(name).collect())
}

/// The options with what a specification asks for. An entry that is given counts before that of a property file.
fn specified(mut options: Options, specification: &Specification, marker: Option<&str>) -> Options {
    options.properties = specification.properties.clone();
    if options.entry.is_empty() {
        options.entry = specification.entry.clone().unwrap_or_else(|| "main".to_owned());
    }
    let usual = Options::default();
    options.error_functions = with_defaults(usual.error_functions, &specification.error_functions);
    options.error_labels = with_defaults(usual.error_labels, &specification.error_labels);
    if let Some(marker) = marker {
        if options.properties.insert(Property::UnreachCall) {
            // Nobody asked about the usual ones.
            options.error_functions.clear();
            options.error_labels.clear();
        }
        options.error_functions.push(marker.to_owned());
    }
    options
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
pub fn is_c23(standard: &str) -> bool {
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

fn parse(
    sources: &mut SourceMap,
    name: &str,
    text: String,
    c23: bool,
) -> Result<(TranslationUnit, Vec<Diagnostic>), Vec<Diagnostic>> {
    let is_cpp = looks_like_cpp(&text);
    let Some(start) = sources.add(name.to_owned(), text) else {
        return Err(vec![Diagnostic::error(
            Span::NONE,
            format!("`{name}` does not fit: all texts together may have 4 GiB"),
        )]);
    };
    let options = bolide_c_syntax::ParseOptions { c23, ..Default::default() };
    let mut result = bolide_c_syntax::parse(sources, start, &options);
    let error = result.diagnostics.iter_mut().find(|d| d.severity == Severity::Error);
    if let Some(error) = error {
        if is_cpp {
            error.help = Some(format!("this looks like C++; {ONLY_C}"));
        }
        return Err(result.diagnostics);
    }
    Ok((result.unit, result.diagnostics))
}

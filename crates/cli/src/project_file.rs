//! `bolide.toml`: what a project wants verified, in one file for `verify`, `scan`, the editor and
//! continuous integration.
//!
//! The nearest such file counts, in the folder of the first input or above. It does not reach into the
//! commands: what it says becomes the flags that the user did not give ([`complete`]), and the
//! command line is read once more with them. So a flag always wins, each key means what the flag of its
//! name means, and a command that does not have the flag does not see the key. Names of files are relative
//! to the file they stand in.
//!
//! Only what no flag can say is asked for by the commands: which files belong to the project, and which
//! findings are [suppressed](Suppression), each with a reason and an owner. A suppression
//! without a reason is told and does not count.

use crate::duration::{parse_bytes, parse_duration};
use crate::exit::{Exit, Stop};
use crate::flags::{EngineFlag, External, SettingsFlags};
use crate::report;
use crate::suggest::did_you_mean;
use bolide_base::{Diagnostic, Severity, SourceMap, Span};
use bolide_cfa::Property;
use clap::ValueEnum;
use clap::parser::ValueSource;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The name of the file.
pub const NAME: &str = "bolide.toml";

/// The settings of a command; there are none where there is no file. What is wrong with them was told when the command
/// line was read.
pub fn settings(flags: &SettingsFlags) -> Settings {
    let read = |file: &Path| Some(parse(file).ok()?.0);
    flags.config.as_deref().and_then(read).unwrap_or_default()
}

/// What a file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    properties: Vec<Spanned<String>>,
    ltl: Vec<String>,
    engine: Option<Spanned<String>>,
    proofs: Option<String>,
    limits: Limits,
    files: Files,
    c: Dialect,
    models: BTreeMap<String, External>,
    baseline: Option<Spanned<Baseline>>,
    suppress: Vec<Spanned<Suppression>>,
    proof: Vec<Spanned<Proof>>,
    /// The folder of the file.
    #[serde(skip)]
    folder: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Limits {
    #[serde(deserialize_with = "time")]
    timeout: Option<String>,
    #[serde(deserialize_with = "time")]
    cpu_time: Option<String>,
    #[serde(deserialize_with = "size")]
    memory: Option<String>,
    jobs: Option<usize>,
    threads: Option<usize>,
}

/// Which files there are, by patterns, and which come along with each program.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Files {
    include: Vec<String>,
    exclude: Vec<String>,
    stubs: Vec<String>,
    each_function: bool,
}

/// How the files are to be read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Dialect {
    data_model: Option<String>,
    external: Option<External>,
    malloc_may_fail: bool,
    cc: Option<String>,
    std: Option<String>,
    include_dirs: Vec<String>,
    includes: Vec<String>,
    defines: Vec<String>,
}

/// Findings of an earlier scan that nobody is stopped for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The SARIF log of that scan.
    pub file: PathBuf,
    /// Why they may stay.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
}

/// A finding that is accepted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppression {
    property: Option<String>,
    /// A pattern.
    file: Option<String>,
    /// Where the violation is, or the entry that leads there.
    function: Option<String>,
    reason: String,
    owner: String,
}

/// A proof by name: what is verified ([`crate::prove`]).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Proof {
    pub name: String,
    pub files: Vec<String>,
    pub entry: Option<String>,
    #[serde(default)]
    properties: Vec<String>,
    /// Flags of `bolide verify`.
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default, deserialize_with = "time")]
    cpu_time: Option<String>,
    #[serde(default)]
    pub expect: Expected,
    pub owner: Option<String>,
}

/// The verdict of a proof when all is well.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    #[default]
    True,
    False,
}

impl Expected {
    pub fn name(self) -> &'static str {
        match self {
            Expected::True => "true",
            Expected::False => "false",
        }
    }
}

impl Proof {
    /// The command line of `bolide`.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = vec!["verify"];
        words.extend(self.files.iter().map(String::as_str));
        let entry = self.entry.iter().map(|entry| ("--entry", entry));
        let properties = self.properties.iter().map(|name| ("--property", name));
        let time = self.cpu_time.iter().map(|time| ("--cpu-time", time));
        for (flag, operand) in entry.chain(properties).chain(time) {
            words.extend([flag, operand.as_str()]);
        }
        words.extend(self.flags.iter().map(String::as_str));
        words.into_iter().map(OsString::from).collect()
    }
}

/// What a finding is called by suppressions.
pub struct Found<'f> {
    /// The rule.
    pub property: &'f str,
    /// The file where it shows.
    pub file: &'f str,
    /// The function there, and the entry.
    pub functions: [&'f str; 2],
}

impl Settings {
    /// Why a finding is accepted, if it is: reason and owner.
    pub fn suppression(&self, found: &Found) -> Option<String> {
        let applies = |rule: &&Suppression| {
            rule.property.as_deref().is_none_or(|name| name == found.property)
                && rule.file.as_deref().is_none_or(|file| self.is_named(found.file, file))
                && rule.function.as_deref().is_none_or(|name| found.functions.contains(&name))
        };
        let rule = self.suppress.iter().map(Spanned::get_ref).filter(|rule| rule.counts());
        rule.clone().find(applies).map(|rule| format!("{} ({})", rule.reason, rule.owner))
    }

    /// Whether a file of the folder belongs to the project.
    pub fn has_file(&self, file: &Path) -> bool {
        let file = file.to_string_lossy();
        let is_named = |patterns: &[String]| patterns.iter().any(|p| self.is_named(&file, p));
        (self.files.include.is_empty() || is_named(&self.files.include))
            && !is_named(&self.files.exclude)
    }

    /// The proofs, in their order.
    pub fn proofs(&self) -> Vec<&Proof> {
        self.proof.iter().map(Spanned::get_ref).collect()
    }

    /// Whether there is a limit of time.
    pub fn limits_time(&self) -> bool {
        self.limits.timeout.is_some() || self.limits.cpu_time.is_some()
    }

    /// The findings that were there before.
    pub fn baseline(&self) -> Option<Baseline> {
        let baseline = self.baseline.as_ref().map(Spanned::get_ref);
        baseline.filter(|baseline| are_said(&baseline.reason, &baseline.owner)).map(|baseline| {
            Baseline {
                file: self.folder.join(&baseline.file),
                reason: baseline.reason.clone(),
                owner: baseline.owner.clone(),
            }
        })
    }

    /// Whether anything is accepted at all.
    pub fn accepts(&self) -> bool {
        self.baseline.is_some() || !self.suppress.is_empty()
    }

    /// Whether a pattern, relative to the folder of the settings, means a file. That of a folder means
    /// all that is in it.
    fn is_named(&self, file: &str, pattern: &str) -> bool {
        let file = absolute(Path::new(file));
        let folder = absolute(&self.folder);
        let Ok(name) = file.strip_prefix(&folder) else { return false };
        let options = glob::MatchOptions { require_literal_separator: true, ..Default::default() };
        let matches = |text: &Path| {
            glob::Pattern::new(pattern.trim_end_matches('/'))
                .is_ok_and(|pattern| pattern.matches_path_with(text, options))
        };
        name.ancestors().any(|part| !part.as_os_str().is_empty() && matches(part))
    }

    /// What the file says, as flags: the identifier of the flag, its word, and an operand for each time that
    /// it is given. A scan has properties of its own.
    fn flags(&self, is_scan: bool) -> Vec<(&'static str, &'static str, Vec<String>)> {
        let here = |name: &String| self.folder.join(name).display().to_string();
        let places = |names: &[String]| names.iter().map(here).collect::<Vec<_>>();
        let one = |value: &Option<String>| value.iter().cloned().collect::<Vec<_>>();
        let number = |value: Option<usize>| value.iter().map(usize::to_string).collect();
        let properties = self.properties.iter().filter_map(|name| match name.get_ref() {
            name if !Property::asked_by(name).is_empty() => Some(name.clone()),
            name if is_property(name) => is_scan.then(|| name.clone()),
            file => Some(here(file)),
        });
        let engine = self.engine.iter().map(|name| name.get_ref().clone());
        let models = self.models.iter().map(|(name, model)| format!("{name}={}", model.name()));
        let switch = |on: bool| if on { vec![String::new()] } else { Vec::new() };
        vec![
            ("properties", "--property", properties.collect()),
            ("ltl", "--ltl", self.ltl.clone()),
            ("engine", "--engine", engine.collect()),
            ("proofs", "--proofs", place_or_address(&self.proofs, here)),
            ("timeout", "--timeout", one(&self.limits.timeout)),
            ("cpu_time", "--cpu-time", one(&self.limits.cpu_time)),
            ("memory", "--memory", one(&self.limits.memory)),
            ("jobs", "--jobs", number(self.limits.jobs)),
            ("threads", "--threads", number(self.limits.threads)),
            ("stubs", "--stub", places(&self.files.stubs)),
            ("each_function", "--each-function", switch(self.files.each_function)),
            ("data_model", "--data-model", one(&self.c.data_model)),
            ("external", "--external", self.c.external.iter().map(|m| m.name().into()).collect()),
            ("malloc_may_fail", "--malloc-may-fail", switch(self.c.malloc_may_fail)),
            ("cc", "--cc", one(&self.c.cc)),
            ("std", "--std", one(&self.c.std)),
            ("include_dirs", "-I", places(&self.c.include_dirs)),
            ("includes", "--include", places(&self.c.includes)),
            ("defines", "-D", self.c.defines.clone()),
            ("models", "--model", models.collect()),
        ]
    }

    /// What is wrong with the values, and what does not count.
    fn complaints(&self) -> Vec<Diagnostic> {
        let place = |range: std::ops::Range<usize>| Span::new(range.start as u32, range.end as u32);
        let mut found = Vec::new();
        for name in &self.properties {
            if !is_property(name.get_ref()) && !self.folder.join(name.get_ref()).is_file() {
                let hint = did_you_mean(name.get_ref(), property_names());
                let words =
                    format!("there is no property `{}`, and no such file{hint}", name.get_ref());
                found.push(Diagnostic::error(place(name.span()), words));
            }
        }
        if let Some(engine) = &self.engine
            && EngineFlag::from_str(engine.get_ref(), true).is_err()
        {
            let names = EngineFlag::value_variants().iter().map(|engine| engine.name());
            let hint = did_you_mean(engine.get_ref(), names);
            let words = format!("there is no engine `{}`{hint}", engine.get_ref());
            found.push(Diagnostic::error(place(engine.span()), words));
        }
        for (index, proof) in self.proof.iter().enumerate() {
            let Proof { name, files, .. } = proof.get_ref();
            let words = if self.proof[..index].iter().any(|other| other.get_ref().name == *name) {
                format!("two proofs are called `{name}`")
            } else if files.is_empty() {
                format!("the proof `{name}` has no files")
            } else {
                continue;
            };
            found.push(Diagnostic::error(place(proof.span()), words));
        }
        if let Some(baseline) = &self.baseline
            && self.baseline().is_none()
        {
            let words = "a baseline without a reason and an owner does not count";
            found.push(Diagnostic::warning(place(baseline.span()), words));
        }
        for rule in &self.suppress {
            let what = match rule.get_ref() {
                rule if !rule.counts() => "without a reason and an owner",
                Suppression { property: None, file: None, function: None, .. } => {
                    "of everything: name a property, a file or a function"
                }
                _ => continue,
            };
            let words = format!("a suppression {what}");
            found.push(match rule.get_ref().counts() {
                true => Diagnostic::error(place(rule.span()), words),
                false => Diagnostic::warning(place(rule.span()), format!("{words} does not count")),
            });
        }
        found
    }
}

impl Suppression {
    fn counts(&self) -> bool {
        are_said(&self.reason, &self.owner)
    }
}

/// Whether somebody says why something is accepted, and answers for it.
fn are_said(reason: &str, owner: &str) -> bool {
    !reason.trim().is_empty() && !owner.trim().is_empty()
}

/// A folder, or the address of a server.
fn place_or_address(name: &Option<String>, here: impl Fn(&String) -> String) -> Vec<String> {
    name.iter().map(|name| if name.contains("://") { name.clone() } else { here(name) }).collect()
}

fn property_names() -> impl Iterator<Item = &'static str> {
    bolide_cfa::property::table::names()
        .into_iter()
        .chain(bolide_evidence::rules::RULES.iter().map(|rule| rule.id))
}

fn is_property(name: &str) -> bool {
    !Property::asked_by(name).is_empty() || property_names().any(|known| known == name)
}

fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.components().filter(|part| part.as_os_str() != ".").collect()
}

/// A value of the file that a flag would refuse is refused here, where its place is known.
fn checked<'de, D: Deserializer<'de>, T>(
    from: D,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    parse(&text).map_err(serde::de::Error::custom)?;
    Ok(Some(text))
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, parse_duration)
}

fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, parse_bytes)
}

/// Reads a file; what is wrong with it is reported here.
fn read(file: &Path) -> Result<Settings, Stop> {
    let (settings, sources, complaints) = parse(file)?;
    report::diagnostics(&sources, &complaints);
    match complaints.iter().any(|c| c.severity == Severity::Error) {
        true => Err(Stop::Exit(Exit::Usage)),
        false => Ok(settings),
    }
}

fn parse(file: &Path) -> Result<(Settings, SourceMap, Vec<Diagnostic>), String> {
    let text = crate::output::read(file)?;
    let mut sources = SourceMap::new();
    let start = sources.add(file.display().to_string(), text.clone());
    let start = start.ok_or_else(|| format!("`{}` is too large", file.display()))?;
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let (settings, mut complaints) = match toml::from_str::<Settings>(&text) {
        Ok(settings) => {
            let settings = Settings { folder, ..settings };
            let complaints = settings.complaints();
            (settings, complaints)
        }
        Err(error) => {
            let range = error.span().unwrap_or(0..0);
            let span = Span::new(range.start as u32, range.end as u32);
            (Settings::default(), vec![Diagnostic::error(span, error.message().trim())])
        }
    };
    for complaint in &mut complaints {
        complaint.span = Span::new(complaint.span.start + start, complaint.span.end + start);
    }
    Ok((settings, sources, complaints))
}

/// The nearest file, for an input.
pub fn nearest(input: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(input).ok()?;
    let folder = if whole.is_dir() { Some(whole.as_path()) } else { whole.parent() };
    let found = folder?.ancestors().map(|folder| folder.join(NAME)).find(|file| file.is_file())?;
    // Below the current folder names stay short, as the user gave them.
    let here = std::env::current_dir().ok();
    Some(match here.and_then(|here| found.strip_prefix(here).ok().map(Path::to_owned)) {
        Some(short) => short,
        None => found,
    })
}

/// The words of the command line with what the project's file adds to them. The flags of the command are known
/// by `command`, those that the user gave by `matches`.
pub fn complete(
    words: Vec<OsString>,
    command: &clap::Command,
    matches: &clap::ArgMatches,
) -> Result<Vec<OsString>, Stop> {
    let Some((name, given)) = matches.subcommand() else { return Ok(words) };
    let Some(command) = command.find_subcommand(name) else { return Ok(words) };
    let knows = |id: &str| command.get_arguments().any(|a| a.get_id().as_str() == id);
    if !knows("no_config") || given.get_flag("no_config") {
        return Ok(words);
    }
    let file = match given.get_one::<PathBuf>("config") {
        Some(file) => Some(file.clone()),
        None => nearest(&first_input(given)),
    };
    let Some(file) = file else { return Ok(words) };
    let mut more: Vec<OsString> = Vec::new();
    if given.get_one::<PathBuf>("config").is_none() {
        more.extend(["--config".into(), file.clone().into()]);
    }
    for (id, flag, operands) in read(&file)?.flags(knows("each_function")) {
        if !knows(id) || given.value_source(id) == Some(ValueSource::CommandLine) {
            continue;
        }
        for operand in operands {
            more.push(flag.into());
            more.extend((!operand.is_empty()).then(|| OsString::from(operand)));
        }
    }
    // Right behind the name of the command: what the user wrote may end in `--` and files.
    let mut all = words;
    let at = all.iter().skip(1).position(|word| word == name).map_or(all.len(), |at| at + 2);
    all.splice(at..at, more);
    Ok(all)
}

/// Where the input is.
fn first_input(given: &clap::ArgMatches) -> PathBuf {
    let place = ["files", "folder", "project", "compile_commands"].into_iter().find_map(|id| {
        let mut values = given.try_get_many::<PathBuf>(id).ok().flatten()?;
        values.next().cloned()
    });
    place.unwrap_or_else(|| PathBuf::from("."))
}

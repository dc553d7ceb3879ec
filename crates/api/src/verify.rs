//! A program as text or files, and a verdict with its evidence as plain data.

use crate::evidence::{self, Asked};
use crate::limits::{Limits, Watched};
use crate::preprocess::Preprocessor;
use crate::program::{self, Loaded, Refusal};
use crate::specification;
use bolide_base::{Budget, SourceMap, Span};
use bolide_c_lower::Options;
use bolide_cfa::Target;
use bolide_engines::choose::{self, Report};
use bolide_engines::task::Orders;
use bolide_evidence::account::Place;
use bolide_evidence::steps;
use bolide_verdict::replay;
use std::path::Path;
use std::time::Instant;

/// A program and what is asked about it.
#[derive(Clone, Debug)]
pub struct Task {
    /// By name, preprocessed.
    texts: Vec<(String, String)>,
    /// By name, as they are on disk.
    files: Vec<(String, Vec<u8>)>,
    properties: Vec<String>,
    entry: Option<String>,
    ilp32: bool,
    engine: Option<String>,
    threads: usize,
    limits: Limits,
}

impl Task {
    /// A program in C without preprocessor directives. Unless a property is named, it is
    /// about assertions and calls of error functions.
    pub fn text(text: impl Into<String>) -> Task {
        let (name, text) = ("program.c".to_owned(), text.into());
        Task {
            files: vec![(name.clone(), text.clone().into_bytes())],
            texts: vec![(name, text)],
            properties: Vec::new(),
            entry: None,
            ilp32: false,
            engine: None,
            threads: 1,
            limits: Limits::default(),
        }
    }

    /// A program in files that are linked; those with directives go through `cc -E`.
    ///
    /// # Errors
    /// A file cannot be read or preprocessed.
    pub fn files(files: &[impl AsRef<Path>]) -> Result<Task, Refused> {
        let preprocessor = Preprocessor { command: "cc".into(), ..Preprocessor::default() };
        let read = |file: &Path| {
            let read = preprocessor.read(file).map_err(Refused)?;
            Ok((file.display().to_string(), read.text))
        };
        let texts = files.iter().map(|file| read(file.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let bytes =
            |(name, _): &(String, String)| (name.clone(), std::fs::read(name).unwrap_or_default());
        let files = texts.iter().map(bytes).collect();
        Ok(Task { texts, files, ..Task::text("") })
    }

    /// One more property: a name such as `no-overflow`, or a property file.
    pub fn property(mut self, name: impl Into<String>) -> Task {
        self.properties.push(name.into());
        self
    }

    /// The function where the program starts, else `main`.
    pub fn entry(mut self, name: impl Into<String>) -> Task {
        self.entry = Some(name.into());
        self
    }

    /// Types with the sizes of ILP32 instead of LP64.
    pub fn ilp32(mut self, yes: bool) -> Task {
        self.ilp32 = yes;
        self
    }

    /// An engine by name, else they are chosen by the features of the program.
    pub fn engine(mut self, name: impl Into<String>) -> Task {
        self.engine = Some(name.into());
        self
    }

    /// How many engines may run side by side; with one (the default) runs repeat exactly.
    pub fn threads(mut self, count: usize) -> Task {
        self.threads = count.max(1);
        self
    }

    /// What may be used.
    pub fn limits(mut self, limits: Limits) -> Task {
        self.limits = limits;
        self
    }
}

/// Why a question could not be understood, in words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl std::error::Error for Refused {}

/// What is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property holds: every obligation of the proof was discharged again with a checked proof.
    True,
    /// It does not: the program was executed into the violation.
    False,
    Unknown,
}

/// A verdict with its evidence.
#[derive(Clone, Debug)]
pub struct Verification {
    pub verdict: Verdict,
    /// Which engine, and how.
    pub decided_by: Option<String>,
    pub seconds: f64,
    /// Proof obligations that were checked again (`True`).
    pub obligations: usize,
    /// At loop heads (`True`).
    pub invariants: Vec<Invariant>,
    /// The run (`False`).
    pub violation: Option<Violation>,
    /// Why there is no verdict (`Unknown`).
    pub reason: Option<String>,
    /// A verification witness, YAML 2.0; none for `Unknown`.
    pub witness: Option<String>,
    /// C code that makes a violation executable.
    pub harness: Option<String>,
    /// Functions as control-flow automata, and graphs and automata of the engines.
    pub drawings: Vec<Drawing>,
}

/// What holds whenever a loop head is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    pub file: String,
    pub line: u32,
    pub function: String,
    /// What of it can be said in C.
    pub c: String,
    /// In words of the source: all of it where that can be.
    pub text: String,
}

/// How a property fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub property: String,
    pub description: String,
    pub file: String,
    pub line: u32,
    /// The values that the program asked for, in order.
    pub inputs: Vec<Input>,
    /// The run; of a long one the beginning and the end.
    pub steps: Vec<Step>,
}

/// A value that the program asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The function that it called.
    pub name: String,
    pub value: String,
    pub line: u32,
}

/// What happened at one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub line: u32,
    pub function: String,
    /// Which way a branch went, which input was read.
    pub words: Vec<String>,
    /// What got which value.
    pub changes: Vec<(String, String)>,
}

/// A drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    pub name: String,
    pub svg: String,
}

/// Proves that a property holds, or shows how it fails.
///
/// # Errors
/// The program or the property cannot be understood.
pub fn verify(task: &Task) -> Result<Verification, Refused> {
    on_large_stack(|| answer(task)).unwrap_or_else(|defect| Err(Refused(defect)))
}

fn answer(task: &Task) -> Result<Verification, Refused> {
    let start = Instant::now();
    let engine = match &task.engine {
        None => None,
        Some(name) => {
            Some(choose::engine(name).ok_or_else(|| Refused(format!("`{name}` is no engine")))?)
        }
    };
    let watched = Watched::new(task.limits);
    let loaded = match load(task, &watched.budget) {
        Ok(loaded) => loaded,
        Err(why) => {
            let reason = match (watched.budget.poll(), why) {
                (Err(limit), _) => limit.to_string(),
                (Ok(()), Unloaded::Refused(words)) => return Err(Refused(words)),
                (Ok(()), Unloaded::Unsupported(what)) => format!("not supported: {what}"),
            };
            return Ok(unknown(reason, start));
        }
    };
    let orders = Orders { pictures: true, ..Orders::default() };
    let options = choose::Options {
        engine,
        threads: task.threads,
        orders,
        record: loaded.record(),
        ..choose::Options::default()
    };
    let report = choose::verify(&loaded.lowered.program, &options, &watched.budget);
    Ok(told(task, &loaded, &report, start))
}

fn unknown(reason: String, start: Instant) -> Verification {
    Verification {
        verdict: Verdict::Unknown,
        decided_by: None,
        seconds: start.elapsed().as_secs_f64(),
        obligations: 0,
        invariants: Vec::new(),
        violation: None,
        reason: Some(reason),
        witness: None,
        harness: None,
        drawings: Vec::new(),
    }
}

/// Why there is no program.
enum Unloaded {
    Refused(String),
    Unsupported(String),
}

fn load(task: &Task, budget: &Budget) -> Result<Loaded, Unloaded> {
    let specification = specification::specification(&task.properties, &[])
        .map_err(|e| Unloaded::Refused(e.to_string()))?;
    let options = Options {
        target: if task.ilp32 { Target::ILP32 } else { Target::LP64 },
        entry: task.entry.clone().unwrap_or_default(),
        budget: budget.clone(),
        ..Options::default()
    };
    let mut said = String::new();
    let mut tell = |sources: &SourceMap, list: &[bolide_base::Diagnostic]| {
        list.iter().for_each(|diagnostic| said += &diagnostic.render_plain(sources));
    };
    program::build(task.texts.clone(), false, options, &specification, None, &mut tell).map_err(
        |refusal| match refusal {
            Refusal::Input => Unloaded::Refused(said),
            Refusal::Unsupported(what) => Unloaded::Unsupported(what),
        },
    )
}

/// The report of the engines as plain data.
fn told(task: &Task, loaded: &Loaded, report: &Report, start: Instant) -> Verification {
    let program = &loaded.lowered.program;
    let asked = Asked {
        files: task.files.clone(),
        properties: &task.properties,
        formulas: &[],
        data_model: if task.ilp32 { "ILP32" } else { "LP64" },
    };
    let mut drawings = vec![Drawing {
        name: "control-flow automata".to_owned(),
        svg: bolide_cfa::render::svg(program),
    }];
    for run in &report.runs {
        let diagrams = run.statistics.picture.diagrams.iter();
        drawings.extend(diagrams.map(|diagram| Drawing {
            name: format!("{}: {}", run.engine, diagram.name),
            svg: diagram.svg(),
        }));
    }
    let mut answer = Verification {
        verdict: Verdict::Unknown,
        decided_by: report.decision(),
        witness: evidence::witness(&asked, loaded, report),
        drawings,
        ..unknown(String::new(), start)
    };
    match &report.verdict {
        bolide_verdict::Verdict::True { invariants, obligations, .. } => {
            answer.verdict = Verdict::True;
            answer.reason = None;
            answer.obligations = *obligations;
            for invariant in invariants {
                let location = &program.locations[invariant.location];
                let span = location.loop_keyword.unwrap_or(Span::NONE);
                let (file, line) = place(loaded, span);
                let function = program.functions[location.function].name.clone();
                let (c, text) = (invariant.c.clone(), evidence::invariant(invariant));
                answer.invariants.push(Invariant { file, line, function, c, text });
            }
        }
        bolide_verdict::Verdict::False(violation) => {
            answer.verdict = Verdict::False;
            answer.reason = None;
            answer.violation = Some(violated(loaded, violation));
            answer.harness = Some(evidence::harness(loaded, violation));
        }
        bolide_verdict::Verdict::Unknown(reason) => answer.reason = Some(reason.to_string()),
    }
    answer
}

/// The file and the line of a place; neither where it has none.
fn place(loaded: &Loaded, span: Span) -> (String, u32) {
    loaded.sources.position(span.start).map_or((String::new(), 0), |p| (p.file, p.line))
}

fn violated(loaded: &Loaded, violation: &replay::Violation) -> Violation {
    let program = &loaded.lowered.program;
    let (span, description) = loaded.told(violation);
    let (file, line) = place(loaded, span);
    let input = |got: &bolide_cfa::interpreter::Consumed| Input {
        name: got.name.clone(),
        value: got.value.to_string(),
        line: place(loaded, program.edges[got.edge].origin.span).1,
    };
    let at = |span: Span| {
        let position = loaded.sources.position(span.start)?;
        Some(Place { file: 0, line: position.line, column: position.column })
    };
    let steps = steps::tell(program, &violation.run, &at, steps::Limits::default());
    let step = |step: bolide_evidence::account::Step| Step {
        line: step.place.line,
        function: step.function,
        words: step.words,
        changes: step.changes.into_iter().map(|c| (c.name, c.value)).collect(),
    };
    Violation {
        property: program.checks[violation.check].property.name().to_owned(),
        description,
        file,
        line,
        inputs: violation.run.inputs.iter().map(input).collect(),
        steps: steps.unwrap_or_default().into_iter().map(step).collect(),
    }
}

/// Address space for a stack; pages are only used when touched. Texts are machine-made at times, and nested deeper than
/// a person would write.
const STACK_BYTES: usize = 1 << 30;

/// Does the work on a stack that is large enough. A panic is a defect of ours, and becomes words.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| format!("cannot start a thread: {error}"))?;
        thread.join().map_err(|_| "internal error: please report it with the input".to_owned())
    })
}

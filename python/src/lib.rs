//! Bolide for Python: the three calls of `bolide-api` with typed results that show themselves in notebooks.
//! `bolide.pyi` is the interface.

mod notebook;

use bolide_api::{Limits, Satisfiability, Task, Verdict};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::Duration;

pyo3::create_exception!(bolide, Refused, PyValueError);

#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Invariant {
    file: String,
    line: u32,
    function: String,
    c: String,
    text: String,
}

#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Input {
    name: String,
    value: String,
    line: u32,
}

#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Step {
    line: u32,
    function: String,
    words: Vec<String>,
    changes: Vec<(String, String)>,
}

#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Violation {
    property: String,
    description: String,
    file: String,
    line: u32,
    inputs: Vec<Input>,
    steps: Vec<Step>,
}

#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Drawing {
    name: String,
    svg: String,
}

#[pymethods]
impl Drawing {
    fn _repr_svg_(&self) -> &str {
        &self.svg
    }
}

#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Verification {
    verdict: &'static str,
    decided_by: Option<String>,
    seconds: f64,
    obligations: usize,
    invariants: Vec<Invariant>,
    violation: Option<Violation>,
    reason: Option<String>,
    witness: Option<String>,
    harness: Option<String>,
    drawings: Vec<Drawing>,
}

#[pymethods]
impl Verification {
    fn __repr__(&self) -> String {
        match (&self.violation, &self.reason) {
            (Some(v), _) => format!("<false: {} at line {}>", v.description, v.line),
            (None, Some(why)) => format!("<unknown: {why}>"),
            (None, None) => format!("<true: {} obligations>", self.obligations),
        }
    }

    fn _repr_html_(&self) -> String {
        notebook::html(self)
    }
}

#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Answers {
    answers: Vec<String>,
    errors: usize,
}

#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Clauses {
    verdict: &'static str,
    evidence: String,
    reason: Option<String>,
}

/// One name or several.
#[derive(FromPyObject)]
enum Names {
    One(String),
    Several(Vec<String>),
}

fn limits(time: Option<f64>, cpu_time: Option<f64>, memory: Option<u64>) -> PyResult<Limits> {
    let duration = |seconds: Option<f64>| {
        let parsed = seconds.map(Duration::try_from_secs_f64).transpose();
        parsed.map_err(|e| PyValueError::new_err(e.to_string()))
    };
    Ok(Limits { time: duration(time)?, cpu: duration(cpu_time)?, memory })
}

fn refused(why: bolide_api::Refused) -> PyErr {
    Refused::new_err(why.to_string())
}

#[pyfunction]
#[pyo3(signature = (text=None, *, files=Vec::new(), property=None, entry=None, ilp32=false, engine=None,
                    threads=1, time=None, cpu_time=None, memory=None))]
// Long: the signature is the interface.
#[allow(clippy::too_many_arguments)]
fn verify(
    py: Python<'_>,
    text: Option<String>,
    files: Vec<String>,
    property: Option<Names>,
    entry: Option<String>,
    ilp32: bool,
    engine: Option<String>,
    threads: usize,
    time: Option<f64>,
    cpu_time: Option<f64>,
    memory: Option<u64>,
) -> PyResult<Verification> {
    let task = match (text, files.is_empty()) {
        (Some(text), true) => Task::text(text),
        (None, false) => Task::files(&files).map_err(refused)?,
        _ => return Err(PyValueError::new_err("give the program as text, or as files")),
    };
    let properties = match property {
        None => Vec::new(),
        Some(Names::One(name)) => vec![name],
        Some(Names::Several(names)) => names,
    };
    let mut task = task.ilp32(ilp32).threads(threads).limits(limits(time, cpu_time, memory)?);
    for name in properties {
        task = task.property(name);
    }
    if let Some(entry) = entry {
        task = task.entry(entry);
    }
    if let Some(engine) = engine {
        task = task.engine(engine);
    }
    let found = py.detach(|| bolide_api::verify(&task)).map_err(refused)?;
    Ok(verification(found))
}

fn verification(found: bolide_api::Verification) -> Verification {
    let invariant = |i: bolide_api::Invariant| Invariant {
        file: i.file,
        line: i.line,
        function: i.function,
        c: i.c,
        text: i.text,
    };
    let input = |i: bolide_api::Input| Input { name: i.name, value: i.value, line: i.line };
    let step = |s: bolide_api::Step| Step {
        line: s.line,
        function: s.function,
        words: s.words,
        changes: s.changes,
    };
    let violation = |v: bolide_api::Violation| Violation {
        property: v.property,
        description: v.description,
        file: v.file,
        line: v.line,
        inputs: v.inputs.into_iter().map(input).collect(),
        steps: v.steps.into_iter().map(step).collect(),
    };
    Verification {
        verdict: match found.verdict {
            Verdict::True => "true",
            Verdict::False => "false",
            Verdict::Unknown => "unknown",
        },
        decided_by: found.decided_by,
        seconds: found.seconds,
        obligations: found.obligations,
        invariants: found.invariants.into_iter().map(invariant).collect(),
        violation: found.violation.map(violation),
        reason: found.reason,
        witness: found.witness,
        harness: found.harness,
        drawings: found
            .drawings
            .into_iter()
            .map(|d| Drawing { name: d.name, svg: d.svg })
            .collect(),
    }
}

#[pyfunction]
#[pyo3(signature = (text, *, time=None, cpu_time=None, memory=None))]
fn solve_script(
    py: Python<'_>,
    text: String,
    time: Option<f64>,
    cpu_time: Option<f64>,
    memory: Option<u64>,
) -> PyResult<Answers> {
    let limits = limits(time, cpu_time, memory)?;
    let found = py.detach(|| bolide_api::solve_script(&text, &limits));
    Ok(Answers { answers: found.answers, errors: found.errors })
}

#[pyfunction]
#[pyo3(signature = (text, *, time=None, cpu_time=None, memory=None))]
fn solve_clauses(
    py: Python<'_>,
    text: String,
    time: Option<f64>,
    cpu_time: Option<f64>,
    memory: Option<u64>,
) -> PyResult<Clauses> {
    let limits = limits(time, cpu_time, memory)?;
    let found = py.detach(|| bolide_api::solve_clauses(&text, &limits)).map_err(refused)?;
    let verdict = match found.satisfiability {
        Satisfiability::Sat => "sat",
        Satisfiability::Unsat => "unsat",
        Satisfiability::Unknown => "unknown",
    };
    Ok(Clauses { verdict, evidence: found.evidence, reason: found.reason })
}

#[pymodule]
fn bolide(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Refused", module.py().get_type::<Refused>())?;
    module.add_class::<Invariant>()?;
    module.add_class::<Input>()?;
    module.add_class::<Step>()?;
    module.add_class::<Violation>()?;
    module.add_class::<Drawing>()?;
    module.add_class::<Verification>()?;
    module.add_class::<Answers>()?;
    module.add_class::<Clauses>()?;
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(solve_script, module)?)?;
    module.add_function(wrap_pyfunction!(solve_clauses, module)?)
}

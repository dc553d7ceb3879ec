//! Whether a verdict is one about the program as its author meant it.
//!
//! A verdict rests on what functions without a body do. For a function of the
//! user's environment, "returns any value" is the convention of the field. A
//! function of the C library has a meaning that everybody knows; where it is
//! not modelled, a counterexample may let it return what it never does, and
//! so is none. The same holds for intrinsics of other tools, inline assembly and
//! assertions in annotation comments, which nothing checks. In such cases
//! the answer is `unknown`, with that reason. (What comes after signed overflow is no violation
//! to begin with: the interpreter says so.)

use crate::replay::Violation;
use crate::verdict::Verdict;
use bolide_base::{SourceMap, Span};
use bolide_cfa::interpreter::{Config, Interpreter, Observer, Outcome, View};
use bolide_cfa::{EdgeId, NondetSource, Op, Program, Type};
use bolide_reachability::verdict::Reason;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the front end knows and the program does not say. (What lowering does not model, it says.)
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The texts of the program: where something stands.
    pub sources: Arc<SourceMap>,
    /// The entry function has a contract, understood or not, that the verdict does not look at: it would have to
    /// assume what is required and to check what is ensured. Inside of other functions nothing rests on
    /// contracts.
    pub contract_of: Option<String>,
    /// Assertions in annotation comments, which nothing checks.
    pub unchecked: Vec<Span>,
}

impl Record {
    /// ` at ` and where it stands, if it has a place.
    fn at(&self, span: Span) -> String {
        self.sources.position(span.start).map(|p| format!(" at {p}")).unwrap_or_default()
    }

    fn contract(&self) -> Option<String> {
        let entry = self.contract_of.as_ref()?;
        Some(format!(
            "the contract of `{entry}`, which is not proved here (`--engine shape` proves those that it understands)"
        ))
    }

    fn annotation(&self) -> Option<String> {
        let span = self.unchecked.first()?;
        let place = self.sources.position(span.start).map(|p| p.to_string()).unwrap_or_default();
        Some(format!("assertions in annotation comments, such as the one at {place}"))
    }
}

/// Why the verdict cannot stand; none when it can.
pub fn objection(program: &Program, record: &Record, verdict: &Verdict) -> Option<Reason> {
    let known = || recorded(program, record).or_else(|| record.contract());
    let found = match verdict {
        Verdict::True { .. } => known().or_else(|| record.annotation()),
        Verdict::False(violation) => known()
            .or_else(|| unfounded(program, violation))
            .or_else(|| open_comparison(program, record, violation)),
        Verdict::Unknown(_) => None,
    };
    found.map(Reason::Unsupported)
}

/// Why a run of a function from a heap that was built for it would show nothing, if so.
pub fn objection_to_run(
    program: &Program,
    record: &Record,
    violation: &Violation,
) -> Option<Reason> {
    let found = recorded(program, record).or_else(|| unfounded(program, violation));
    found.map(Reason::Unsupported)
}

/// What lowering recorded.
fn recorded(program: &Program, record: &Record) -> Option<String> {
    let first = program.unmodelled.first()?;
    Some(format!("{}{}", first.what, record.at(first.span)))
}

/// Steps on the way to the violation that nobody knows enough of. What the run does not come to
/// has no part in it.
fn unfounded(program: &Program, violation: &Violation) -> Option<String> {
    let about_memory = program.checks[violation.check].property.is_about_memory();
    let run = &violation.run;
    let shows_nothing = |edge| says_little(program, edge, about_memory);
    // Of long runs only the end is kept.
    if run.trace.len() as u64 >= run.steps {
        return run.trace.iter().find_map(|&edge| shows_nothing(edge));
    }
    let mut steps = Steps { taken: BTreeSet::new() };
    let is_repeated = run.answers.repeat().is_some_and(|mut answers| {
        let config = Config { step_limit: run.steps, ..Config::default() };
        let again = Interpreter::new(program).run_observed(&mut answers, &config, &mut steps);
        again.steps == run.steps
    });
    match is_repeated {
        true => steps.taken.into_iter().find_map(shows_nothing),
        false => program.edges.ids().find_map(shows_nothing),
    }
}

/// The edges of a run.
struct Steps {
    taken: BTreeSet<EdgeId>,
}

impl Observer for Steps {
    fn step(&mut self, edge: EdgeId, _: &View<'_>) {
        self.taken.insert(edge);
    }
}

/// Why a run that takes the edge shows nothing, if so: its value is not any value, its function has a meaning that is not
/// modelled, or (memory safety) nobody says whether the pointer that a function without a body returns leads to memory.
fn says_little(program: &Program, edge: EdgeId, about_memory: bool) -> Option<String> {
    match &program.edges[edge].op {
        Op::Nondet { source: NondetSource::Unmodelled(what), .. } => Some(what.clone()),
        Op::External { function, .. } if program.functions[*function].unmodelled => {
            Some(format!("the function `{}`", program.functions[*function].name))
        }
        Op::External { function, result: Some(result), .. }
            if about_memory && program.variables[*result].ty == Type::Pointer =>
        {
            let name = &program.functions[*function].name;
            Some(format!("the pointer that `{name}` returns, which has no body"))
        }
        _ => None,
    }
}

/// The program without the runs that show nothing, if it has such. Its violations are violations of
/// the program; that it has none says nothing.
pub fn without_unfounded(program: &Program) -> Option<Program> {
    if !program.unmodelled.is_empty() {
        return None;
    }
    let about_memory = program.checks.values().any(|check| check.property.is_about_memory());
    let edges: Vec<EdgeId> = program
        .edges
        .ids()
        .filter(|&edge| says_little(program, edge, about_memory).is_some())
        .collect();
    if edges.is_empty() {
        return None;
    }
    let mut program = program.clone();
    let never = program.exprs.bool(false);
    for edge in edges {
        program.edges[edge].op = Op::Assume(never);
    }
    Some(program)
}

/// A run that compares pointers to different objects by their order, or though one has ended or
/// just behind it the other may lie. It shows something if it comes to the violation either way.
fn open_comparison(program: &Program, record: &Record, violation: &Violation) -> Option<String> {
    let edge = violation.run.open?;
    let step_limit = STEPS.min(violation.run.steps.saturating_mul(3));
    let config = Config { step_limit, turns_open: true, ..Config::default() };
    let is_same = violation.run.answers.repeat().is_some_and(|mut answers| {
        let run = bolide_cfa::interpreter::run(program, &mut answers, &config);
        run.outcome == Outcome::Violation(violation.check)
    });
    let place = record.at(program.edges[edge].origin.span);
    (!is_same)
        .then(|| format!("a violation behind a comparison of addresses that C leaves open{place}"))
}

/// Steps that the run may take when it is repeated.
const STEPS: u64 = 50_000_000;

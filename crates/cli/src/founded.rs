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

use crate::frontend::Loaded;
use bolide_c_syntax::ast::{ItemKind, TranslationUnit};
use bolide_cfa::interpreter::{Config, Interpreter, Observer, Outcome, View};
use bolide_cfa::{EdgeId, NondetSource, Op, Program, Type};
use bolide_engines::choose::Verdict;
use bolide_reachability::verdict::Reason;
use bolide_verdict::replay::Violation;
use std::collections::BTreeSet;

/// Why the verdict cannot stand; none when it can.
pub fn objection(loaded: &Loaded, verdict: &Verdict) -> Option<Reason> {
    let found = match verdict {
        Verdict::True { .. } => {
            recorded(loaded).or_else(|| contract(loaded)).or_else(|| annotation(loaded))
        }
        Verdict::False(violation) => recorded(loaded)
            .or_else(|| contract(loaded))
            .or_else(|| unfounded(loaded, violation))
            .or_else(|| open_comparison(loaded, violation)),
        Verdict::Unknown(_) => None,
    };
    found.map(Reason::Unsupported)
}

/// Why a run of a function from a heap that was built for it would show nothing, if so.
pub fn objection_to_run(loaded: &Loaded, violation: &Violation) -> Option<Reason> {
    let found = recorded(loaded).or_else(|| unfounded(loaded, violation));
    found.map(Reason::Unsupported)
}

/// What lowering recorded.
fn recorded(loaded: &Loaded) -> Option<String> {
    let first = loaded.lowered.program.unmodelled.first()?;
    let place = loaded.sources.position(first.span.start).map(|p| format!(" at {p}"));
    Some(format!("{}{}", first.what, place.unwrap_or_default()))
}

/// A contract of the entry function, understood or not: a verdict about it would have to assume
/// what it requires and to check what it ensures. Inside of other functions nothing rests on
/// contracts.
fn contract(loaded: &Loaded) -> Option<String> {
    let entry = loaded.entry();
    let promises = |unit: &TranslationUnit| {
        unit.annotations.iter().any(|comment| {
            let words = ["requires", "ensures"];
            let next = unit.items.iter().find(|item| item.span.start >= comment.span.end);
            let name = next.and_then(|item| match item.kind {
                ItemKind::Function(id) => unit.functions[id].declarator.name,
                ItemKind::Declaration(id) => unit.decls[id].declarators.first()?.declarator.name,
                _ => None,
            });
            words.iter().any(|word| comment.text.contains(word))
                && name.is_some_and(|name| unit.name(name) == entry)
        })
    };
    let found = loaded.units().iter().any(promises);
    found.then(|| format!("the contract of `{entry}`, which only `--engine shape` looks at"))
}

/// Assertions that nothing checks.
fn annotation(loaded: &Loaded) -> Option<String> {
    let span = loaded.unchecked.first()?;
    let place = loaded.sources.position(span.start).map(|p| p.to_string()).unwrap_or_default();
    Some(format!("assertions in annotation comments, such as the one at {place}"))
}

/// Steps on the way to the violation that nobody knows enough of. What the run does not come to
/// has no part in it.
fn unfounded(loaded: &Loaded, violation: &Violation) -> Option<String> {
    let program = &loaded.lowered.program;
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
pub fn without_unfounded(loaded: &Loaded) -> Option<Program> {
    let program = &loaded.lowered.program;
    if recorded(loaded).is_some() {
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
fn open_comparison(loaded: &Loaded, violation: &Violation) -> Option<String> {
    let program = &loaded.lowered.program;
    let edge = violation.run.open?;
    let step_limit = STEPS.min(violation.run.steps.saturating_mul(3));
    let config = Config { step_limit, turns_open: true, ..Config::default() };
    let is_same = violation.run.answers.repeat().is_some_and(|mut answers| {
        let run = bolide_cfa::interpreter::run(program, &mut answers, &config);
        run.outcome == Outcome::Violation(violation.check)
    });
    let place = loaded.sources.position(program.edges[edge].origin.span.start);
    let place = place.map(|p| format!(" at {p}")).unwrap_or_default();
    (!is_same)
        .then(|| format!("a violation behind a comparison of addresses that C leaves open{place}"))
}

/// Steps that the run may take when it is repeated.
const STEPS: u64 = 50_000_000;

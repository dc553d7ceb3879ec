//! `bolide run`: execute a program on given nondeterministic values.

use crate::exit::{Exit, Stop};
use crate::flags::RunFlags;
use crate::frontend::{self, Loaded};
use crate::output;
use crate::watchdog;
use bolide_cfa::EdgeId;
use bolide_cfa::interpreter::{Config, Input, Inputs, Interpreter, Observer, Outcome, View};

/// Executes and says what happened.
pub fn run(flags: &RunFlags) -> Result<Exit, Stop> {
    let inputs: Result<Vec<Input>, String> =
        flags.inputs.iter().map(|text| parse_input(text)).collect();
    let mut inputs = Inputs::new(inputs?);
    let budget = bolide_base::Budget::unlimited();
    let loaded = frontend::load(&flags.input, &flags.property, &budget)?;
    let budget = watchdog::watch(flags.limits.limits());
    let config = Config { step_limit: flags.steps, budget, ..Config::default() };
    let program = &loaded.lowered.program;
    for unmodelled in &program.unmodelled {
        eprintln!("unmodelled: {} at {}", unmodelled.what, place(&loaded, unmodelled.span.start));
    }
    let interpreter = Interpreter::new(program);
    let run = if flags.trace {
        let mut tracer = Tracer { loaded: &loaded, last: String::new() };
        interpreter.run_observed(&mut inputs, &config, &mut tracer)
    } else {
        interpreter.run(&mut inputs, &config)
    };
    output::bytes(&run.stdout);
    if !run.stdout.is_empty() && !run.stdout.ends_with(b"\n") {
        println!();
    }
    for consumed in &run.inputs {
        println!("input {} = {}", consumed.name, consumed.value);
    }
    let (line, exit) = match &run.outcome {
        Outcome::Violation(check) => {
            let check = &program.checks[*check];
            let place = place(&loaded, check.span.start);
            let name = check.property.name();
            (format!("violated {name} at {place}: {}", check.description), Exit::False)
        }
        Outcome::Finished { status: Some(status) } => {
            (format!("finished with status {status}"), Exit::True)
        }
        Outcome::Finished { status: None } => ("aborted".to_owned(), Exit::True),
        Outcome::Blocked => ("stopped: an assumption does not hold".to_owned(), Exit::True),
        Outcome::Undefined { reason, edge } => {
            let span = edge.map(|e| program.edges[e].origin.span.start).unwrap_or(0);
            (format!("undefined behaviour at {}: {reason}", place(&loaded, span)), Exit::Unknown)
        }
        Outcome::OutOfInputs => ("stopped: no more inputs".to_owned(), Exit::Unknown),
        Outcome::StepLimit => (format!("stopped after {} steps", flags.steps), Exit::Unknown),
        Outcome::OutOfMemory => (
            "stopped: the program asks for more memory than a run may have".to_owned(),
            Exit::Unknown,
        ),
        Outcome::Exhausted(what) => (format!("stopped: {what}"), Exit::Unknown),
        other => (format!("stopped: {other:?}"), Exit::Unknown),
    };
    if let Some(edge) = run.overflow {
        let place = place(&loaded, program.edges[edge].origin.span.start);
        println!("signed arithmetic overflowed, or a shift was too wide, at {place}");
    }
    println!("{line} ({} steps)", run.steps);
    Ok(exit)
}

fn place(loaded: &Loaded, offset: u32) -> String {
    loaded.sources.position(offset).map_or("unknown place".to_owned(), |p| p.to_string())
}

fn parse_input(text: &str) -> Result<Input, String> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let integer = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16),
        None => digits.parse::<i128>(),
    };
    if let Ok(value) = integer {
        return Ok(Input::Int(sign * value));
    }
    text.parse::<f64>().map(Input::Float).map_err(|_| {
        format!("`{text}` is not an input: give integers (3, -1, 0x1f) or decimals (0.5)")
    })
}

/// Prints each source line when it begins to be executed.
struct Tracer<'a> {
    loaded: &'a Loaded,
    last: String,
}

impl Observer for Tracer<'_> {
    fn step(&mut self, edge: EdgeId, _: &View<'_>) {
        let span = self.loaded.lowered.program.edges[edge].origin.span;
        let Some(position) = self.loaded.sources.position(span.start) else { return };
        let line = format!("{}:{}", position.file, position.line);
        if line != self.last {
            let text = self.loaded.sources.line_text(span.start).trim();
            println!("{line}: {text}");
            self.last = line;
        }
    }
}

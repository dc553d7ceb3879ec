//! Memory graphs against executions.
//!
//! The second opinion on an invariant of graphs: the interpreter, which knows no graphs, runs the program from its start and from
//! [states made](super::states) for each graph, and every state that it comes to must
//! [belong](super::meaning) to a graph of its place. No proof, but a wrong step or a wrong matching that lets something real out of the
//! graphs has to escape all of these runs. What is tried repeats from run to run, and takes a fraction of a second.
//!
//! The interpreter starts where programs do. So a copy of the program gets a new entry, from which one way leads to each state:
//! operations that build it, and then the place.

use super::super::refused::refused;
use super::meaning::belongs;
use super::states::{Lengths, Maker, Random};
use crate::certificate::MemoryGraphs;
use bolide_base::Budget;
use bolide_cfa::analysis::Liveness;
use bolide_cfa::interpreter::{
    Choices, Config, Interpreter, Observer, Outcome, Request, Source, View,
};
use bolide_cfa::types::Type;
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId, Op, Origin, Program, VarId};
use bolide_heap::graph::Graph;
use bolide_reachability::verdict::Reason;

/// Runs from the start, the steps of each, and the states of each that are looked at.
const RUNS: (u64, u64, usize) = (24, 2_000, 200);

/// States that are made, at most (but two for each graph); steps from each; and those that are looked at.
const STATES: (usize, u64, usize) = (400, 60, 12);

/// The ways in which states of a graph are made.
const WAYS: [Lengths; 6] = [
    Lengths::By(0),
    Lengths::By(1),
    Lengths::By(2),
    Lengths::Mixed,
    Lengths::Mixed,
    Lengths::Mixed,
];

/// What was tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    /// States of runs that belong to a graph.
    pub seen: usize,
    /// States that were made and executed.
    pub made: usize,
    /// States that were made and belong to their graph for the maker only: a disagreement on what graphs mean.
    pub strange: usize,
}

/// Executes the program.
///
/// # Errors
/// When a run comes to an error or to a state without a graph.
pub fn check(program: &Program, graphs: &MemoryGraphs, budget: &Budget) -> Result<Tried, Reason> {
    let mut tried = Tried::default();
    from_the_start(program, graphs, budget, &mut tried)?;
    from_the_graphs(program, graphs, budget, &mut tried)?;
    Ok(tried)
}

fn from_the_start(
    program: &Program,
    graphs: &MemoryGraphs,
    budget: &Budget,
    tried: &mut Tried,
) -> Result<(), Reason> {
    let interpreter = Interpreter::new(program);
    let (runs, steps, looks) = RUNS;
    for seed in 0..runs {
        let watch =
            Watch { program, graphs, origin: None, looks, seen: 0, strange: false, outside: false };
        let chance = Chance { random: Random(seed), turn: None };
        run(&interpreter, watch, chance, steps, budget, tried)?;
    }
    Ok(())
}

fn from_the_graphs(
    program: &Program,
    graphs: &MemoryGraphs,
    budget: &Budget,
    tried: &mut Tried,
) -> Result<(), Reason> {
    let (states, steps, looks) = STATES;
    let count = graphs.places.values().map(Vec::len).sum::<usize>().max(1);
    let ways = &WAYS[..(states / count).clamp(2, WAYS.len())];
    let mut copy = program.clone();
    let (mut names, mut random) = (Vec::new(), Random(count as u64));
    let live = Liveness::of(program);
    let function = program.entry;
    let start = copy.add_location(function);
    if let Some(body) = &mut copy.functions[function].body {
        body.entry = start;
    }
    let mut made: Vec<(&Graph, u64)> = Vec::new();
    for (&place, all) in &graphs.places {
        let read: Vec<VarId> = program
            .variables
            .iter()
            .map(|(var, _)| var)
            .filter(|&var| live.may_be_read(program, place, var))
            .collect();
        for (graph, &lengths) in all.iter().flat_map(|graph| ways.iter().map(move |w| (graph, w))) {
            budget.poll().map_err(Reason::Exhausted)?;
            let maker = Maker::new(graph, &mut copy, &mut names, &mut random, lengths);
            let Some(build) = maker.steps(&read) else { continue };
            made.push((graph, build.len() as u64 + 1));
            lay(&mut copy, start, place, build);
        }
    }
    let interpreter = Interpreter::new(&copy);
    for (number, &(graph, build)) in made.iter().enumerate() {
        let watch = Watch {
            program: &copy,
            graphs,
            origin: Some(graph),
            looks,
            seen: 0,
            strange: false,
            outside: false,
        };
        let chance = Chance { random: Random(number as u64), turn: Some((start, number)) };
        run(&interpreter, watch, chance, build + steps, budget, tried)?;
        tried.made += 1;
    }
    Ok(())
}

/// One more way from the new entry to a place.
fn lay(program: &mut Program, start: LocId, place: LocId, build: Vec<Op>) {
    let function = program.entry;
    let mut at = program.add_location(function);
    program.add_edge(start, at, Op::Skip, Origin::default());
    let count = build.len();
    for (number, op) in build.into_iter().enumerate() {
        let to = if number + 1 == count { place } else { program.add_location(function) };
        program.add_edge(at, to, op, Origin::default());
        at = to;
    }
    if count == 0 {
        program.add_edge(at, place, Op::Skip, Origin::default());
    }
}

/// One run.
fn run(
    interpreter: &Interpreter<'_>,
    mut watch: Watch<'_>,
    mut chance: Chance,
    step_limit: u64,
    budget: &Budget,
    tried: &mut Tried,
) -> Result<(), Reason> {
    budget.poll().map_err(Reason::Exhausted)?;
    let memory_limit = 1 << 24;
    let config = Config { step_limit, memory_limit, budget: budget.clone(), ..Config::default() };
    let run = interpreter.run_observed(&mut chance, &config, &mut watch);
    tried.seen += watch.seen;
    tried.strange += usize::from(watch.strange);
    match run.outcome {
        _ if watch.strange => Ok(()),
        Outcome::Violation(_) => {
            Err(refused("an execution from a state of the memory graphs fails"))
        }
        Outcome::Exhausted(what) => Err(Reason::Exhausted(what)),
        _ if watch.outside => Err(refused("an execution leads out of the memory graphs")),
        _ => Ok(()),
    }
}

/// Looks at the states of a run.
struct Watch<'a> {
    program: &'a Program,
    graphs: &'a MemoryGraphs,
    /// The graph of which the first state was made.
    origin: Option<&'a Graph>,
    looks: usize,
    seen: usize,
    strange: bool,
    outside: bool,
}

impl Observer for Watch<'_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        let at = self.program.edges[edge].from;
        let Some(all) = self.graphs.places.get(&at) else { return };
        if self.strange || self.outside || self.looks == 0 {
            return;
        }
        self.looks -= 1;
        match self.origin.take() {
            Some(graph) => self.strange = !belongs(self.program, view, graph),
            None => {
                self.seen += 1;
                self.outside = !all.iter().any(|graph| belongs(self.program, view, graph));
            }
        }
    }
}

/// What the program does not decide.
struct Chance {
    random: Random,
    /// Which way to take from a location.
    turn: Option<(LocId, usize)>,
}

impl Choices for Chance {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let Type::Int(int) = request.ty else { return Some(Value::zero(request.ty)) };
        // A program is never run without its own name.
        let least = i128::from(request.source == Source::Input("argc"));
        let n = match self.random.next() % 8 {
            0..=2 => 0,
            3..=5 => 1,
            6 => (self.random.next() % 8) as i128,
            _ => int.value(int.truncate(u128::from(self.random.next()))),
        };
        Some(Value::int(n.max(if least == 1 { 1 } else { i128::MIN }), int))
    }

    fn edge(&mut self, location: LocId, enabled: &[EdgeId]) -> usize {
        match self.turn {
            Some((at, number)) if at == location => number,
            _ => (self.random.next() % enabled.len().max(1) as u64) as usize,
        }
    }
}

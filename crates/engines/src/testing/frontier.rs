//! A search that is led by states: every class of inputs is tried in every state that was seen.
//!
//! Programs that react (event-condition-action systems, drivers, protocols) read an input, change their state and
//! read the next one. That a run takes new edges says little about them; what counts is the state in which
//! the next input is read. Two states are the same here if all variables are in the same class ([`Classes`]): what
//! the program compares them with, it does not tell apart. From each new state, one input of each class is tried, and
//! those that would turn a branch that went one way only ([`flips`](super::flips)).
//!
//! States that were reached by edges that no run took before are first, the latest of them before all. Of the others, every
//! second one is the one that was found first, so that a violation has few inputs, and every second one the nearest to an error
//! ([`distance`]).
//!
//! A state is kept as the inputs that lead there, each with the one before, and as a paused run as long as there is room
//! for those; else the run begins at the last state before that has one, or at the start. What is found is run once more as a whole: a
//! run as any other. Inputs are integers that the program asks for; pointers out of nowhere lead to memory of their
//! own, one after the other; all else is zero.

use super::classes::Classes;
use super::distance;
use super::flips::{Flips, Probes};
use super::runs::Taken;
use bolide_base::HashSet;
use bolide_base::arena::Id;
use bolide_cfa::interpreter::{
    Choices, Config, Interpreter, Observer, Outcome, Pause, Request, Run, Source, Trace, View,
    environment,
};
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, Program, Type, VarId};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};

/// Heuristic: longer rows of inputs are not tried.
const INPUTS: usize = 400;

/// Required: a state takes some hundred bytes, and a search has no end of its own.
const STATES: usize = 400_000;

/// Required: paused runs take so many bytes together, at most.
const PAUSED: u64 = 200 << 20;

/// The states in which inputs are still to be tried.
pub(super) struct Frontier<'p> {
    program: &'p Program,
    classes: Classes,
    flips: Flips,
    /// By location, how far it is to an error.
    distances: Vec<u32>,
    /// By edge, whether an input is asked for there.
    asking: Vec<bool>,
    /// Variables of more than one class.
    watched: Vec<VarId>,
    /// In the order in which they were found.
    states: Vec<State>,
    /// Those to be tried before all, those in the order in which they were found, and by their distance.
    fresh: BTreeSet<Reverse<usize>>,
    oldest: BTreeSet<usize>,
    nearest: BTreeSet<(u32, usize)>,
    turns: usize,
    /// What was seen: edges that ask, and the classes of all variables then.
    seen: HashSet<u64>,
    started: bool,
    /// How many states there may be.
    room: usize,
    /// How many bytes are left for paused runs.
    room_paused: u64,
}

/// A state in which an input is asked for.
struct State {
    /// The state in which the input before was given, and that input.
    before: Option<(usize, i128)>,
    /// How many inputs were given.
    length: usize,
    /// Who asks.
    asking: EdgeId,
    /// How many values were tried, of classes and of what branches suggest.
    tried: (usize, usize),
    probes: Box<Probes>,
    /// The run that waits for the input, and how many pointers it was given.
    paused: Option<(Box<Pause>, u64)>,
}

/// What to try next: an input in a state, or the start of the program.
#[derive(Clone, Copy)]
pub(super) struct Try(Option<(usize, i128)>);

impl<'p> Frontier<'p> {
    pub(super) fn new(program: &'p Program) -> Frontier<'p> {
        let classes = Classes::of(program);
        let asking: Vec<bool> =
            program.edges.ids().map(|edge| program.asked(edge).is_some()).collect();
        let watched = program.variables.ids().filter(|&v| classes.divide(v)).collect();
        Frontier {
            program,
            classes,
            flips: Flips::of(program),
            distances: distance::to_errors(program),
            asking,
            watched,
            states: Vec::new(),
            fresh: BTreeSet::new(),
            oldest: BTreeSet::new(),
            nearest: BTreeSet::new(),
            turns: 0,
            seen: HashSet::default(),
            started: false,
            room: STATES,
            room_paused: PAUSED,
        }
    }

    /// What to try next; nothing when all was tried.
    pub(super) fn next(&mut self) -> Option<Try> {
        if !self.started {
            self.started = true;
            return Some(Try(None));
        }
        loop {
            let index = self.best()?;
            let state = &mut self.states[index];
            let (classes, suggested) = &mut state.tried;
            let variable = self.program.edges[state.asking].op.target();
            let of_class = match variable {
                Some(variable) => self.classes.value(variable, *classes),
                None => (*classes == 0).then_some(0),
            };
            if let Some(value) = of_class {
                *classes += 1;
                return Some(Try(Some((index, value))));
            }
            if let Some(value) = state.probes.value(*suggested) {
                *suggested += 1;
                return Some(Try(Some((index, value))));
            }
            *state.probes = Probes::default();
            if let Some((pause, _)) = state.paused.take() {
                self.room_paused += pause.size();
            }
            self.turns += 1;
            self.fresh.remove(&Reverse(index));
            self.oldest.remove(&index);
            self.nearest.remove(&(self.distance(index), index));
        }
    }

    fn best(&self) -> Option<usize> {
        let fresh = self.fresh.first().map(|&Reverse(index)| index);
        fresh.or_else(|| match self.turns.is_multiple_of(2) {
            true => self.oldest.first().copied(),
            false => self.nearest.first().map(|&(_, index)| index),
        })
    }

    fn distance(&self, state: usize) -> u32 {
        let asking = self.states[state].asking;
        self.distances[self.program.edges[asking].from.index()]
    }

    /// The inputs of an attempt, those behind the last state that has a paused run, if one has; and that state.
    fn inputs(&self, attempt: Try, all: bool) -> (Vec<i128>, Option<usize>) {
        let (mut inputs, mut at, mut paused) = (Vec::new(), attempt.0, None);
        while let Some((state, input)) = at {
            inputs.push(input);
            if !all && self.states[state].paused.is_some() {
                paused = Some(state);
                break;
            }
            at = self.states[state].before;
        }
        inputs.reverse();
        (inputs, paused)
    }

    /// Runs the program until it asks for one more input; `covered` says how often edges were taken by runs before.
    pub(super) fn run(
        &mut self,
        attempt: Try,
        interpreter: &Interpreter<'_>,
        config: &Config,
        covered: &[u8],
        taken: &mut Taken,
    ) -> Reached {
        let (inputs, paused) = self.inputs(attempt, false);
        let paused = paused.and_then(|state| self.states[state].paused.as_ref());
        let (asked, refused) = Default::default();
        let pointers = paused.map_or(0, |(_, pointers)| *pointers);
        let mut given = Given { inputs: &inputs, asked: &asked, refused: &refused, pointers };
        let (last, differences) = Default::default();
        let frontier = &*self;
        let (length, asked) = (inputs.len(), &asked);
        let mut watch = Watch { frontier, length, asked, covered, taken, last, differences };
        let from = paused.map(|(pause, _)| &**pause);
        let untraced = Config { trace: Trace::Off, ..config.clone() };
        let (mut run, pause) = interpreter.go_on(from, &mut given, &untraced, &mut watch);
        let (last, differences) = (watch.last, watch.differences);
        let pointers = given.pointers;
        let is_out = matches!(run.outcome, Outcome::OutOfInputs);
        let last = last.filter(|&(edge, _)| is_out && refused.get() == Some(edge));
        if let Some((state, input)) = attempt.0 {
            self.states[state].probes.learn(input, &differences);
        }
        if matches!(run.outcome, Outcome::Violation(_)) {
            let (asked, refused) = Default::default();
            let (inputs, _) = self.inputs(attempt, true);
            let mut again =
                Given { inputs: &inputs, asked: &asked, refused: &refused, pointers: 0 };
            let whole = Config { step_limit: u64::MAX, ..config.clone() };
            run = interpreter.run(&mut again, &whole);
        }
        Reached { attempt, last, run, paused: pause.map(|pause| (Box::new(pause), pointers)) }
    }

    /// Takes up the state that was reached, unless it is known. Who came there by edges that are new
    /// is first, and new in any case: classes do not tell everything.
    pub(super) fn take_up(&mut self, reached: &mut Reached, by_new_edges: bool) {
        let Some((asking, print)) = reached.last else { return };
        let length = reached.attempt.0.map_or(0, |(state, _)| self.states[state].length + 1);
        let is_new = self.seen.len() < self.room && self.seen.insert(print);
        if !(is_new || by_new_edges) || length >= INPUTS || self.states.len() >= self.room {
            return;
        }
        let index = self.states.len();
        let before = reached.attempt.0;
        let paused = reached.paused.take().filter(|(pause, _)| pause.size() <= self.room_paused);
        self.room_paused -= paused.as_ref().map_or(0, |(pause, _)| pause.size());
        let (tried, probes) = Default::default();
        self.states.push(State { before, length, asking, tried, probes, paused });
        self.oldest.insert(index);
        self.nearest.insert((self.distance(index), index));
        if by_new_edges {
            self.fresh.insert(Reverse(index));
        }
    }

    /// The edge and the classes of all variables that can be seen, in short.
    fn print(&self, edge: EdgeId, view: &View<'_>) -> u64 {
        let program = self.program;
        let function = program.locations[program.edges[edge].from].function;
        let mut hasher = DefaultHasher::new();
        hasher.write_usize(edge.index());
        for &variable in &self.watched {
            if program.variables[variable].function.is_some_and(|f| f != function) {
                continue;
            }
            if let Some(Value::Int { bits, ty }) = view.variable(variable) {
                hasher.write_usize(self.classes.of_value(variable, ty.value(bits)));
            }
        }
        hasher.finish()
    }
}

/// What came of an attempt.
pub(super) struct Reached {
    attempt: Try,
    /// Who asks for one more input, and the state then.
    last: Option<(EdgeId, u64)>,
    pub(super) run: Run,
    paused: Option<(Box<Pause>, u64)>,
}

/// Answers with given inputs, and no further.
struct Given<'a> {
    inputs: &'a [i128],
    /// How many were asked for.
    asked: &'a Cell<usize>,
    /// Who asked for more.
    refused: &'a Cell<Option<EdgeId>>,
    /// How many pointers came out of nowhere.
    pointers: u64,
}

impl Choices for Given<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let is_input =
            matches!(request.source, Source::Input(_) | Source::Library(_) | Source::External(_));
        match request.ty {
            Type::Int(ty) if is_input => {
                let Some(&value) = self.inputs.get(self.asked.get()) else {
                    self.refused.set(Some(request.edge));
                    return None;
                };
                self.asked.set(self.asked.get() + 1);
                Some(Value::Int { bits: ty.truncate(value as u128), ty })
            }
            Type::Pointer => {
                let pointer = environment::pointer(self.pointers, 0);
                self.pointers += 1;
                Some(pointer.map_or(Value::zero(request.ty), Value::Pointer))
            }
            ty => Some(Value::zero(ty)),
        }
    }
}

/// Counts edges, and looks at what happens behind the last input.
struct Watch<'a, 'p> {
    frontier: &'a Frontier<'p>,
    length: usize,
    asked: &'a Cell<usize>,
    covered: &'a [u8],
    taken: &'a mut Taken,
    /// Who asked last, and the state then.
    last: Option<(EdgeId, u64)>,
    /// How far conditions are from turning, whose other side no run has taken.
    differences: Vec<(EdgeId, i128)>,
}

impl Observer for Watch<'_, '_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        self.taken.step(edge, view);
        if self.asked.get() < self.length {
            return;
        }
        let frontier = self.frontier;
        if frontier.asking[edge.index()] {
            self.last = Some((edge, frontier.print(edge, view)));
        } else if frontier.flips.watches(edge) && self.is_undecided(edge) {
            let difference = frontier.flips.difference(frontier.program, edge, view);
            self.differences.extend(difference.map(|difference| (edge, difference)));
        }
    }

    fn is_watching(&self) -> bool {
        false
    }
}

impl Watch<'_, '_> {
    /// Heuristic: what is compared more often in one reaction is no question of the input.
    const DIFFERENCES: usize = 200;

    fn is_undecided(&self, edge: EdgeId) -> bool {
        let program = self.frontier.program;
        let beside = &program.locations[program.edges[edge].from].outgoing;
        let is_new = |other: &EdgeId| *other != edge && self.covered[other.index()] == 0;
        self.differences.len() < Self::DIFFERENCES && beside.iter().any(is_new)
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs::limits;
    use super::*;
    use bolide_base::Budget;

    /// What is to be entered; whatever else is, one begins anew.
    const CODE: [i128; 12] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];

    /// A lock that asks for the numbers one by one.
    fn lock() -> Program {
        let mut text = String::from(
            "program LP64\nentry main\ncheck C0 unreach-call \"open\"\nfunction main() -> result : i32\n  \
             local s : i32\n  local x : i32\n  entry L0 exit L2\n  L3: error C0\n  L0 -> L1 : s := 0:i32\n  \
             L1 -> L4 : x := nondet input \"x\"\n  L4 -> L3 : assume s == 12:i32\n",
        );
        for (state, number) in CODE.iter().enumerate() {
            let (here, right) = (5 + 2 * state, 6 + 2 * state);
            text += &format!("  L4 -> L{here} : assume s == {state}:i32\n");
            text += &format!("  L{here} -> L{right} : assume x == {number}:i32\n");
            text += &format!("  L{right} -> L1 : s := {}:i32\n", state + 1);
            text += &format!("  L{here} -> L0 : assume x != {number}:i32\n");
        }
        parse(&text)
    }

    fn parse(text: &str) -> Program {
        bolide_cfa::text::parse(text).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Leads the search until something is violated or nothing is left: the inputs then, and how many runs it took.
    fn lead(program: &Program, room: usize) -> (Option<Vec<i128>>, usize, usize) {
        let interpreter = Interpreter::new(program);
        let mut frontier = Frontier { room, ..Frontier::new(program) };
        let covered = vec![1; program.edges.len()];
        let mut taken = Taken::of(program.edges.len());
        for runs in 1..20_000 {
            let Some(attempt) = frontier.next() else { return (None, runs, frontier.states.len()) };
            let config = limits(10_000, &Budget::unlimited());
            let mut reached = frontier.run(attempt, &interpreter, &config, &covered, &mut taken);
            if matches!(reached.run.outcome, Outcome::Violation(_)) {
                return (Some(frontier.inputs(attempt, true).0), runs, frontier.states.len());
            }
            frontier.take_up(&mut reached, false);
            assert!(frontier.states.len() <= room);
        }
        panic!("the search does not end");
    }

    #[test]
    fn states_lead_to_what_needs_many_inputs() {
        let program = lock();
        let (inputs, runs, _) = lead(&program, STATES);
        let inputs = inputs.expect("the lock opens");
        assert_eq!(inputs[..12], CODE);
        // The states of the lock times the classes of one input, roughly.
        assert!(runs < 600, "{runs} runs");
        assert_eq!(lead(&program, STATES).1, runs, "and the same again");
    }

    #[test]
    fn states_are_bounded() {
        let (inputs, _, states) = lead(&lock(), 5);
        assert_eq!((inputs, states), (None, 5));
    }

    #[test]
    fn branches_that_compute_suggest_inputs() {
        let program = parse(
            r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local x : i32
  entry L0 exit L2
  L3: error C0
  L0 -> L1 : x := nondet input "x"
  L1 -> L3 : assume 7:i32 * x - 5:i32 == 86424:i32
  L1 -> L2 : assume 7:i32 * x - 5:i32 != 86424:i32
"#,
        );
        let interpreter = Interpreter::new(&program);
        let mut frontier = Frontier::new(&program);
        let mut taken = Taken::of(program.edges.len());
        let covered = vec![0; program.edges.len()];
        for _ in 0..10 {
            let Some(attempt) = frontier.next() else { break };
            let config = limits(10_000, &Budget::unlimited());
            let mut reached = frontier.run(attempt, &interpreter, &config, &covered, &mut taken);
            if matches!(reached.run.outcome, Outcome::Violation(_)) {
                assert_eq!(frontier.inputs(attempt, true).0, [12_347]);
                return;
            }
            frontier.take_up(&mut reached, false);
        }
        panic!("no input was found");
    }
}

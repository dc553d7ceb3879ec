//! Concrete runs that break a contract.
//!
//! Small heaps are tried, for a moment before a proof is looked for and again where there is none: no object to a few
//! that satisfy what the function requires, as the evaluation of annotations on finite structures tells ([`structure`](super::structure)). It
//! decides which field to choose next and prunes what cannot become true (Korat, see [`start`](super::start)); what the
//! precondition does not look at is chosen when the function reads it (Khurshid, Păsăreanu, Visser: "Generalized symbolic execution for
//! model checking and testing", TACAS 2003). The interpreter executes the function; a check that fails, or a promise
//! that is false when it is due, is a violation.
//!
//! Required: a violation counts when a second program, in which the heap is written down field by field, arrives at it
//! again. Its only choices are those that the function asks for itself.
//!
//! Limits. Objects of the types that parameters and global variables lead to; of unions, bit-fields and arrays in objects nothing is built; arrays in static memory are filled. A
//! pointer to anything else is null at the start. Inputs are small numbers and those of the program.

use super::harness::{self, Harness};
use super::monitor::{Chooser, Known, Mode, Monitor, Watcher};
use super::start::{Slot, Start};
use super::structure::{Evaluation, Value};
use bolide_base::{Budget, HashSet};
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::contract::{ArrayPlace, Contract, Expr};
use bolide_cfa::interpreter::{Config, Interpreter, Outcome, Trace};
use bolide_cfa::types::Type;
use bolide_cfa::{CheckId, EdgeId, FunctionId, ObjectId, Program, Property, VarId};
use bolide_heap::program::specification::parts::visit;
use bolide_heap::program::view::Callees;
use bolide_verdict::replay::Violation;
use std::cell::RefCell;

/// A contract is broken.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The function whose contract it is.
    pub function: FunctionId,
    /// The program with an entry that builds the heap and calls the function.
    pub program: Program,
    /// Its run.
    pub violation: Violation,
    /// What the function starts with, in words.
    pub start: Vec<String>,
    /// What it leaves, in words; nothing when it does not return.
    pub end: Vec<String>,
}

impl Refutation {
    /// Whether the edge belongs to what builds the heap.
    pub fn builds(&self, edge: EdgeId) -> bool {
        let from = self.program.edges[edge].from;
        self.program.locations[from].function == self.program.entry
    }
}

/// How much to try.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Objects at the start, at most.
    objects: usize,
    /// Runs, and questions whether a precondition holds, for one choice of objects.
    work: usize,
    /// Runs from one heap.
    runs: usize,
}

impl Effort {
    /// Measured: a millisecond or two.
    pub(super) const QUICK: Effort = Effort { objects: 3, work: 250, runs: 12 };
    /// Below a second for most contracts.
    pub(super) const THOROUGH: Effort = Effort { objects: 5, work: 40_000, runs: 200 };
}

/// Steps of a run.
const STEPS: u64 = 3_000;
/// Places of an array that is filled.
const PLACES: u64 = 64;
/// Numbers that are tried, at most.
const NUMBERS: usize = 7;

/// Looks for a run that breaks the contract.
pub(super) fn search(
    program: &Program,
    contract: &Contract,
    callees: &Callees<'_>,
    known: &Known,
    effort: Effort,
    budget: &Budget,
) -> Option<Refutation> {
    if program.functions[contract.function].variadic {
        return None;
    }
    let globals = globals(program, contract);
    let arrays = arrays(program, contract);
    if arrays.iter().any(|(array, _)| array.length > PLACES) {
        return None;
    }
    let numbers = numbers(contract, known);
    let types = types(program, contract, &globals, &arrays);
    for count in 0..=effort.objects {
        for objects in combinations(&types, count) {
            let start = Start {
                program,
                types: &contract.objects,
                globals: &globals,
                arrays: &arrays,
                numbers: &numbers,
                objects,
                fields: Default::default(),
                variables: Default::default(),
                cells: Default::default(),
                touched: Default::default(),
            };
            let harness = harness::build(program, contract, callees, &start, true);
            let interpreter = Interpreter::new(&harness.program);
            let (harness, interpreter) = (&harness, &interpreter);
            let mut search = Search {
                program,
                contract,
                callees,
                known,
                budget,
                harness,
                interpreter,
                runs_of_heap: effort.runs,
                work: effort.work,
            };
            if let Some(found) = search.heaps(start) {
                return Some(found);
            }
            if budget.poll().is_err() {
                return None;
            }
        }
        if types.is_empty() {
            break;
        }
    }
    None
}

/// Global variables that the program or the contract mentions.
fn globals(program: &Program, contract: &Contract) -> Vec<VarId> {
    let mut mentioned: HashSet<VarId> = HashSet::default();
    let mut walker = Walker::new();
    for edge in program.edges.values() {
        mentioned.extend(edge.op.target());
        for &e in walker.bottom_up(&program.exprs, &edge.op.operands()).iter() {
            if let bolide_cfa::Expr::Var(variable) = program.exprs.get(e) {
                mentioned.insert(*variable);
            }
        }
    }
    visit(contract, &mut |e| {
        if let Expr::Var(variable) = e {
            mentioned.insert(*variable);
        }
    });
    contract.objects.globals.iter().copied().filter(|v| mentioned.contains(v)).collect()
}

/// Arrays that the program or the contract mentions.
fn arrays(program: &Program, contract: &Contract) -> Vec<(ArrayPlace, Option<usize>)> {
    let mut mentioned: HashSet<ObjectId> = HashSet::default();
    let mut walker = Walker::new();
    for edge in program.edges.values() {
        for &e in walker.bottom_up(&program.exprs, &edge.op.operands()).iter() {
            if let bolide_cfa::Expr::Object(object) = program.exprs.get(e) {
                mentioned.insert(*object);
            }
        }
    }
    visit(contract, &mut |e| {
        if let Expr::Cell(array, _) = e {
            mentioned.insert(array.object);
        }
    });
    let all = contract.objects.arrays.iter();
    all.filter(|(array, _)| mentioned.contains(&array.object)).cloned().collect()
}

/// Numbers worth trying, simple ones first.
fn numbers(contract: &Contract, known: &Known) -> Vec<i128> {
    let mut constants = Vec::new();
    visit(contract, &mut |e| {
        if let Expr::Int(n) = e {
            constants.push(*n);
        }
    });
    constants.sort_unstable();
    let mut found = vec![0, 1, 2];
    for n in constants.iter().chain(&known.numbers) {
        // Far from where sums overflow.
        found.extend([*n, n + 1, n - 1].into_iter().filter(|n| n.abs() <= 1_000_000));
    }
    let mut seen = HashSet::default();
    found.retain(|n| seen.insert(*n));
    found.truncate(NUMBERS);
    found
}

/// The types of objects that the function can be given.
fn types(
    program: &Program,
    contract: &Contract,
    globals: &[VarId],
    arrays: &[(ArrayPlace, Option<usize>)],
) -> Vec<usize> {
    let parameters = &program.functions[contract.function].parameters;
    let roots = parameters.iter().chain(globals);
    let all = &contract.objects;
    let pointee = |v: &VarId| all.variables.iter().find(|(w, _)| w == v).map(|(_, t)| *t);
    let mut found: Vec<usize> = Vec::new();
    let held = arrays.iter().filter_map(|(_, pointee)| *pointee);
    for ty in roots.filter_map(pointee).chain(held) {
        if !found.contains(&ty) {
            found.push(ty);
        }
    }
    let mut at = 0;
    while at < found.len() {
        for (_, pointee) in &all.types[found[at]].fields {
            found.extend(pointee.filter(|ty| !found.contains(ty)));
        }
        at += 1;
    }
    found
}

/// All ways to have so many objects of these types.
fn combinations(types: &[usize], count: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let mut longer = Vec::new();
        for all in &found {
            let last = all.last().and_then(|l| types.iter().position(|t| t == l)).unwrap_or(0);
            longer.extend(types[last..].iter().map(|&t| [&all[..], &[t]].concat()));
        }
        found = longer;
    }
    found
}

/// A choice that can be made otherwise.
struct Frame {
    slot: Slot,
    candidates: Vec<Value>,
    next: usize,
    /// Parts of the precondition that were known to hold before.
    settled: usize,
}

struct Search<'a> {
    program: &'a Program,
    contract: &'a Contract,
    callees: &'a Callees<'a>,
    known: &'a Known,
    budget: &'a Budget,
    harness: &'a Harness,
    interpreter: &'a Interpreter<'a>,
    runs_of_heap: usize,
    /// What is left to do.
    work: usize,
}

fn conjuncts<'e>(e: &'e Expr, into: &mut Vec<&'e Expr>) {
    match e {
        Expr::Binary("&&", a, b) => {
            conjuncts(a, into);
            conjuncts(b, into);
        }
        other => into.push(other),
    }
}

/// How many objects a formula speaks of at once.
fn weight(e: &Expr) -> usize {
    match e {
        Expr::Quantified(_, numbers, e) => numbers.len() + weight(e),
        Expr::Indices(_, _, _, e) => 1 + weight(e),
        Expr::Comprehension(_, e) => 1 + weight(e),
        Expr::Tree(..) => 1,
        Expr::Old(e) | Expr::Field(e, _) | Expr::Valid(e) | Expr::Not(e) | Expr::Negative(e) => {
            weight(e)
        }
        Expr::Cell(_, e) => weight(e),
        Expr::Binary(_, a, b) | Expr::Below(_, _, a, b) => weight(a).max(weight(b)),
        Expr::Btwn(_, a, b, c) => weight(a).max(weight(b)).max(weight(c)),
        Expr::Set(all) => all.iter().map(weight).max().unwrap_or(0),
        Expr::Var(_)
        | Expr::Bound(_)
        | Expr::Index(_)
        | Expr::Int(_)
        | Expr::Null
        | Expr::Bool(_)
        | Expr::Result => 0,
    }
}

impl<'a> Search<'a> {
    /// Goes through the heaps that satisfy the precondition.
    fn heaps(&mut self, mut start: Start<'a>) -> Option<Refutation> {
        let mut required = Vec::new();
        for e in &self.contract.requires {
            conjuncts(e, &mut required);
        }
        // Heuristic: what speaks of few objects decides early.
        required.sort_by_key(|e| weight(e));
        let mut stack: Vec<Frame> = Vec::new();
        let mut settled = 0;
        // Heuristic: pointers first, so that objects are named in the order in which they are reached.
        let parameters = &self.program.functions[self.contract.function].parameters;
        let is_pointer = |v: &&VarId| self.program.variables[**v].ty == Type::Pointer;
        let roots: Vec<Slot> = parameters
            .iter()
            .chain(start.globals)
            .filter(is_pointer)
            .map(|&v| Slot::Variable(v))
            .collect();
        loop {
            self.work = self.work.checked_sub(1)?;
            if self.work.is_multiple_of(64) && self.budget.poll().is_err() {
                return None;
            }
            let root = roots.iter().copied().find(|&slot| start.chosen(slot).is_none());
            start.touched.set(root);
            let mut holds = if root.is_some() { None } else { Some(true) };
            while holds == Some(true) && settled < required.len() {
                holds = Evaluation::new(&start, &start).holds(required[settled]);
                settled += usize::from(holds == Some(true));
            }
            let next = start.touched.get();
            if holds.is_none() && root.is_none() {
                let rest = required[settled + 1..].iter();
                let fails = |e: &&&Expr| Evaluation::new(&start, &start).holds(e) == Some(false);
                if rest.clone().any(|e| fails(&e)) {
                    holds = Some(false);
                }
            }
            start.touched.set(next);
            match (holds, start.touched.get()) {
                (Some(true), _) => {
                    if let Some(found) = self.runs(&mut start) {
                        return Some(found);
                    }
                }
                (None, Some(slot)) => {
                    let candidates = start.candidates(slot);
                    stack.push(Frame { slot, candidates, next: 0, settled });
                }
                _ => {}
            }
            // The next choice.
            loop {
                let frame = stack.last_mut()?;
                if let Some(&value) = frame.candidates.get(frame.next) {
                    frame.next += 1;
                    settled = frame.settled;
                    start.choose(frame.slot, value);
                    break;
                }
                start.forget(frame.slot);
                stack.pop();
            }
        }
    }

    /// Runs the function in all ways that this heap leaves open.
    fn runs(&mut self, start: &mut Start<'a>) -> Option<Refutation> {
        let mut path: Vec<(usize, usize)> = Vec::new();
        for _ in 0..self.runs_of_heap {
            self.work = self.work.checked_sub(1)?;
            let mode = Mode::Search { path: std::mem::take(&mut path), at: 0 };
            let mut monitor = self.monitor(self.harness, start.clone(), mode);
            let outcome = self.execute(self.interpreter, &mut monitor).outcome;
            if let Outcome::Violation(check) = outcome
                && self.counts(check)
                && let Some(found) = self.confirm(check, &monitor)
            {
                return Some(found);
            }
            let Mode::Search { path: taken, .. } = monitor.mode else { return None };
            path = taken;
            while path.last().is_some_and(|(taken, of)| taken + 1 >= *of) {
                path.pop();
            }
            path.last_mut()?.0 += 1;
        }
        None
    }

    /// Contracts say nothing about leaks.
    fn counts(&self, check: CheckId) -> bool {
        let property = self.harness.program.checks[check].property;
        !matches!(property, Property::ValidMemtrack | Property::ValidMemcleanup)
    }

    fn monitor<'m>(&self, harness: &'m Harness, start: Start<'a>, mode: Mode) -> Monitor<'m>
    where
        'a: 'm,
    {
        let contract = self.contract;
        let (made, answer, end, depth) = Default::default();
        let (callees, known) = (self.callees, self.known);
        Monitor {
            harness,
            contract,
            callees,
            known,
            start,
            made,
            mode,
            answered: Vec::new(),
            answer,
            end,
            depth,
        }
    }

    fn execute(
        &self,
        interpreter: &Interpreter<'_>,
        monitor: &mut Monitor<'_>,
    ) -> bolide_cfa::interpreter::Run {
        let config = Config {
            step_limit: STEPS,
            depth_limit: 200,
            memory_limit: 1 << 24,
            trace: Trace::All,
            budget: self.budget.clone(),
            ..Config::default()
        };
        let shared = RefCell::new(monitor);
        interpreter.run_observed(&mut Chooser(&shared), &config, &mut Watcher(&shared))
    }

    /// Runs once more, from a heap that is written down.
    fn confirm(&self, check: CheckId, found: &Monitor<'_>) -> Option<Refutation> {
        let start = Start { program: self.program, ..found.start.clone() };
        let harness = harness::build(self.program, self.contract, self.callees, &start, false);
        let interpreter = Interpreter::new(&harness.program);
        let given = found.answered.iter().copied().collect();
        let mut monitor = self.monitor(&harness, start, Mode::Given(given));
        let run = self.execute(&interpreter, &mut monitor);
        // Required: it is the same violation.
        if run.outcome != Outcome::Violation(check) {
            return None;
        }
        let parameters = &self.program.functions[self.contract.function].parameters;
        let (words, end) = (monitor.start.words(parameters), std::mem::take(&mut monitor.end));
        drop(monitor);
        drop(interpreter);
        let violation = Violation { check, run };
        Some(Refutation {
            function: self.contract.function,
            program: harness.program,
            violation,
            start: words,
            end,
        })
    }
}

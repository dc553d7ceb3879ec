//! Watches a run of a function on a heap that is built for it: chooses what is open, and evaluates what is
//! promised where it is due.
//!
//! Required: what is not known makes no promise broken. Objects whose type is not known have no fields; memory
//! of new objects that was never written holds anything; a run that reads memory otherwise than its type says ends.

use super::harness::{Harness, Oracle, Promise};
use super::start::{Slot, Start};
use super::structure::{Evaluation, State, Value};
use bolide_cfa::contract::{ArrayPlace, Contract, FieldPlace};
use bolide_cfa::interpreter::{Birth, Choices, Observer, Request, Source, View};
use bolide_cfa::types::Type;
use bolide_cfa::value::{Pointer, Value as Concrete};
use bolide_cfa::{AllocKind, EdgeId, FunctionId, Op, Program, VarId};
use bolide_heap::program::view::Callees;
use std::cell::RefCell;
use std::collections::VecDeque;

/// An address where nothing lives.
const NOWHERE: u128 = 8;
/// Choices of a run that are tried in all ways.
const CHOICES: usize = 8;
/// Objects of a run; the evaluation of quantifiers over more takes too long.
const OBJECTS: usize = 12;
/// What is known from the attempt to prove the contract.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Offsets of the fields that must hold null or point to live objects when the function
    /// returns; none when that cannot fail.
    pub links: Option<Vec<u64>>,
    /// Numbers that the program stores in fields or compares them with.
    pub numbers: Vec<i128>,
}

/// Where choices come from.
pub(super) enum Mode {
    /// As many ways as there are, one after the other: of each choice which was taken, and of how many.
    Search { path: Vec<(usize, usize)>, at: usize },
    /// What was chosen before.
    Given(VecDeque<Concrete>),
}

/// An object of the run.
pub(super) struct Made {
    pointer: Pointer,
    /// Its type, where that is known.
    ty: Option<usize>,
}

/// Chooses what is open, and evaluates what is promised.
pub(super) struct Monitor<'a> {
    pub harness: &'a Harness,
    pub contract: &'a Contract,
    pub callees: &'a Callees<'a>,
    pub known: &'a Known,
    pub start: Start<'a>,
    /// The objects of the start, then those that the run makes.
    pub made: Vec<Made>,
    pub mode: Mode,
    /// What was chosen that is not part of the start.
    pub answered: Vec<Concrete>,
    /// What the next oracle says.
    pub answer: usize,
    /// What the function leaves, where a promise about it is broken.
    pub end: Vec<String>,
    /// Open calls of the function: what is said of its past is said of the first.
    pub depth: usize,
}

impl Monitor<'_> {
    /// Which of so many ways; the first where no more are tried.
    fn way(&mut self, of: usize) -> usize {
        match &mut self.mode {
            Mode::Search { path, at } => {
                let taken = match path.get(*at) {
                    Some((taken, _)) => *taken,
                    None if *at < CHOICES => {
                        path.push((0, of));
                        0
                    }
                    None => 0,
                };
                *at += 1;
                taken.min(of.saturating_sub(1))
            }
            Mode::Given(_) => 0,
        }
    }

    /// Chooses a part of the start, if it was not yet.
    fn settle(&mut self, slot: Slot) -> Option<Value> {
        if let Some(value) = self.start.chosen(slot) {
            return Some(value);
        }
        if matches!(self.mode, Mode::Given(_)) {
            return None;
        }
        let candidates = self.start.candidates(slot);
        if candidates.is_empty() {
            return None;
        }
        let value = candidates[self.way(candidates.len())];
        self.start.choose(slot, value);
        Some(value)
    }

    fn concrete(&self, value: Value, ty: Type) -> Concrete {
        match (value, ty) {
            (Value::Object(object), Type::Pointer) => match self.made.get(object) {
                Some(made) => Concrete::Pointer(made.pointer),
                None => Concrete::zero(ty),
            },
            (Value::Int(n), Type::Int(ty)) => Concrete::int(n, ty),
            _ => Concrete::zero(ty),
        }
    }

    /// A value that is not part of the start.
    fn other(&mut self, request: &Request<'_>) -> Option<Concrete> {
        if let Mode::Given(given) = &mut self.mode {
            return given.pop_front();
        }
        let arbitrary = matches!(request.source, Source::Uninitialized | Source::Memory);
        let candidates: Vec<Concrete> = match (request.source, request.ty) {
            // What has a meaning that is not modelled shows nothing.
            (Source::Unmodelled(_), _) => return None,
            // Nobody set it: it may well point nowhere.
            (_, Type::Pointer) if arbitrary => {
                vec![Concrete::from_bits(Type::Pointer, NOWHERE), Concrete::zero(Type::Pointer)]
            }
            (Source::External(_), Type::Pointer) => {
                let made = self.made.iter().map(|made| Concrete::Pointer(made.pointer));
                std::iter::once(Concrete::zero(Type::Pointer)).chain(made).collect()
            }
            (_, Type::Int(ty)) => {
                let fits = |n: &&i128| Concrete::int(**n, ty).as_int() == Some(**n);
                self.start.numbers.iter().filter(fits).map(|&n| Concrete::int(n, ty)).collect()
            }
            (_, ty) => vec![Concrete::zero(ty)],
        };
        let value = candidates[self.way(candidates.len())];
        self.answered.push(value);
        Some(value)
    }

    /// The number of a start object by the edge that made it.
    fn start_object(&self, birth: Birth) -> Option<usize> {
        let Birth::Made(edge, 0) = birth else { return None };
        self.harness.allocations.iter().position(|&e| e == edge)
    }

    fn value(&mut self, request: &Request<'_>) -> Option<Concrete> {
        if request.place.is_none() {
            if self.harness.oracles.contains_key(&request.edge) {
                let Type::Int(ty) = request.ty else { return None };
                return Some(Concrete::int(self.answer as i128, ty));
            }
            if let Some(&slot) = self.harness.questions.get(&request.edge) {
                let value = self.settle(slot)?;
                return Some(self.concrete(value, request.ty));
            }
        }
        if let Some(place) = request.place
            && let Some(object) = self.start_object(place.object)
        {
            let offset = u64::try_from(place.offset).ok()?;
            return match self.start.place(object, offset) {
                // Memory holds bits: the sign is the reader's affair.
                Some((own, _)) if alike(own.ty, request.ty) => {
                    let value = self.settle(Slot::Field(object, offset))?;
                    let value = self.concrete(value, own.ty);
                    let is_pointer = own.ty == Type::Pointer;
                    Some(if is_pointer {
                        value
                    } else {
                        Concrete::from_bits(request.ty, value.bits())
                    })
                }
                // Not as its type says: nothing is claimed of such a run.
                _ => None,
            };
        }
        self.other(request)
    }

    /// Which promise is broken: its number from 1 on, or 0.
    fn judge(&mut self, oracle: &Oracle, view: &View<'_>) -> usize {
        if self.made.len() > OBJECTS {
            return 0;
        }
        loop {
            self.start.touched.set(None);
            let now = Now { view, monitor: self };
            let broken = oracle.promises.iter().position(|p| now.breaks(p, oracle));
            if let Some(broken) = broken {
                return broken + 1;
            }
            let Some(slot) = self.start.touched.get() else { return 0 };
            if self.settle(slot).is_none() {
                return 0;
            }
        }
    }
}

/// The state of the run.
struct Now<'m, 'a> {
    view: &'m View<'m>,
    monitor: &'m Monitor<'a>,
}

impl Now<'_, '_> {
    fn program(&self) -> &Program {
        &self.monitor.harness.program
    }

    fn read(&self, value: Concrete) -> Value {
        match value {
            Concrete::Pointer(p) if p.address == 0 => Value::Null,
            Concrete::Pointer(p) => {
                let found = self.monitor.made.iter().position(|made| made.pointer == p);
                found.map_or(Value::Elsewhere, Value::Object)
            }
            other => other.as_int().map_or(Value::Unknown, Value::Int),
        }
    }

    fn breaks(&self, promise: &Promise, oracle: &Oracle) -> bool {
        let contract = self.monitor.contract;
        let mut evaluation = Evaluation::new(self, &self.monitor.start);
        let e = match promise {
            Promise::Ensures(number) => {
                // Parameters have the values of the call.
                let parameters = &self.program().functions[contract.function].parameters;
                let start = &self.monitor.start;
                evaluation.given = parameters.iter().map(|&p| (p, start.variable(p))).collect();
                let result = self.monitor.harness.result.and_then(|r| self.view.variable(r));
                evaluation.result = result.map_or(Value::Unknown, |value| self.read(value));
                &contract.ensures[*number]
            }
            Promise::Assert(_) if self.monitor.depth > 1 => return false,
            Promise::Assert(number) => &contract.asserts[*number].1,
            Promise::Requires(number) => {
                let Some((called, arguments)) = &oracle.call else { return false };
                let name = &self.program().functions[*called].name;
                let Some(called) = self.monitor.callees.get(name) else { return false };
                for &(parameter, held) in arguments {
                    let value = self.view.variable(held).map_or(Value::Unknown, |v| self.read(v));
                    evaluation.given.push((parameter, value));
                }
                // Required: the precondition of another function has no past.
                &called.requires[*number]
            }
            Promise::WellFormed => return self.dangles(),
            Promise::Assigns => return self.exceeds(),
        };
        evaluation.holds(e) == Some(false)
    }

    /// Whether a function without a body, which changes nothing here, returned what its contract says.
    fn returns(&self, oracle: &Oracle, result: Option<VarId>) -> Option<bool> {
        let (called, arguments) = oracle.call.as_ref()?;
        let called = self.monitor.callees.get(&self.program().functions[*called].name)?;
        let mut evaluation = Evaluation::new(self, self);
        evaluation.given =
            arguments.iter().map(|&(parameter, held)| (parameter, self.variable(held))).collect();
        evaluation.result = result.map_or(Value::Unknown, |result| self.variable(result));
        let mut kept = Some(true);
        for e in &called.ensures {
            match evaluation.holds(e) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => kept = None,
            }
        }
        kept
    }

    /// Whether the pointer is neither null nor points to a live object.
    fn is_dangling(&self, value: Concrete) -> bool {
        match value {
            Concrete::Pointer(p) if p.address != 0 => {
                self.view.place(p).is_none_or(|place| place.offset != 0)
            }
            _ => false,
        }
    }

    fn dangles(&self) -> bool {
        let monitor = self.monitor;
        let Some(links) = &monitor.known.links else { return false };
        let variables = monitor.start.globals.iter().chain(&monitor.harness.result);
        let mut values = variables.filter_map(|&v| self.view.variable(v));
        let mut held = self.cells().filter_map(|(array, index)| self.held(array, index));
        if values.any(|value| self.is_dangling(value)) || held.any(|v| self.is_dangling(v)) {
            return true;
        }
        let first_new = monitor.start.objects.len();
        for (number, made) in monitor.made.iter().enumerate() {
            let Some(ty) = made.ty.filter(|_| self.is_alive(number)) else { continue };
            for (place, _) in &monitor.start.types.types[ty].fields {
                if place.ty != Type::Pointer || !links.contains(&place.offset) {
                    continue;
                }
                match self.view.scalar(at(made.pointer, place.offset), Type::Pointer) {
                    Some(value) if self.is_dangling(value) => return true,
                    // Of a new object: nobody set it.
                    None if number >= first_new => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// Whether something changed that is not listed.
    fn exceeds(&self) -> bool {
        let monitor = self.monitor;
        let Some(assigns) = &monitor.contract.assigns else { return false };
        let start = &monitor.start;
        let differ = |a: Value, b: Value| match (a, b) {
            (Value::Unknown, _) | (_, Value::Unknown) => false,
            (a, b) => a != b,
        };
        let listed = |place: &FieldPlace| {
            assigns.fields.iter().any(|f| f.offset == place.offset && f.ty == place.ty)
        };
        let touched = start.touched.get();
        let mut found = false;
        for object in 0..start.objects.len() {
            let fields = &start.types.types[start.objects[object]].fields;
            for (place, _) in fields.iter().filter(|(place, _)| !listed(place)) {
                found |= differ(self.field(object, place), start.field(object, place));
            }
        }
        for (array, index) in self.cells().filter(|(array, _)| !assigns.arrays.contains(array)) {
            found |= differ(self.cell(array, index), start.cell(array, index));
        }
        for &global in start.globals.iter().filter(|g| !assigns.globals.contains(g)) {
            found |= differ(self.variable(global), start.variable(global));
        }
        // What nobody looked at need not be chosen for this.
        start.touched.set(touched);
        found
    }

    /// The places of all arrays.
    fn cells(&self) -> impl Iterator<Item = (&ArrayPlace, u64)> {
        let arrays = self.monitor.start.arrays.iter().map(|(array, _)| array);
        arrays.flat_map(|array| (0..array.length).map(move |index| (array, index)))
    }

    /// What an array holds in memory.
    fn held(&self, array: &ArrayPlace, index: u64) -> Option<Concrete> {
        let pointer = self.view.object(array.object)?;
        let bytes = array.ty.size(self.program().target);
        self.view.scalar(at(pointer, index * bytes), array.ty)
    }

    /// The heap in words.
    fn words(&self) -> Vec<String> {
        let monitor = self.monitor;
        let first_new = monitor.start.objects.len();
        let name = |object: usize| match object.checked_sub(first_new) {
            None => monitor.start.name(object),
            Some(number) => format!("heap#{}", number + 1),
        };
        let show = |value: Value| match value {
            Value::Null => "null".to_owned(),
            Value::Object(object) if self.is_alive(object) => name(object),
            Value::Object(object) => format!("{} (freed)", name(object)),
            Value::Int(n) => n.to_string(),
            Value::Elsewhere => "an address where no object lives".into(),
            Value::OfNull(_) | Value::Unknown => "any".into(),
        };
        let mut found = Vec::new();
        if let Some(result) = monitor.harness.result.and_then(|r| self.view.variable(r)) {
            found.push(format!("\\result = {}", show(self.read(result))));
        }
        for &global in monitor.start.globals {
            let value = show(self.variable(global));
            found.push(format!("{} = {value}", self.program().variables[global].name));
        }
        for (array, index) in self.cells() {
            let value = self.cell(array, index);
            if value != Value::Null {
                found.push(format!("{}[{index}] = {}", array.name, show(value)));
            }
        }
        for (object, made) in monitor.made.iter().enumerate() {
            let Some(ty) = made.ty.filter(|_| self.is_alive(object)) else { continue };
            for (place, _) in &monitor.start.types.types[ty].fields {
                let value = self.field(object, place);
                if value != Value::Unknown || object >= first_new {
                    found.push(format!("{}->{} = {}", name(object), place.name, show(value)));
                }
            }
        }
        found
    }
}

/// Whether a value of one type is read as one of the other without loss.
fn alike(a: Type, b: Type) -> bool {
    match (a, b) {
        (Type::Int(a), Type::Int(b)) => a.bits.div_ceil(8) == b.bits.div_ceil(8),
        (a, b) => a == b,
    }
}

/// The pointer some bytes further.
fn at(pointer: Pointer, offset: u64) -> Pointer {
    Pointer { address: pointer.address.wrapping_add(offset), ..pointer }
}

impl State for Now<'_, '_> {
    fn objects(&self) -> usize {
        self.monitor.made.len()
    }

    fn field(&self, object: usize, place: &FieldPlace) -> Value {
        let made = &self.monitor.made[object];
        let start = &self.monitor.start;
        let is_old = object < start.objects.len();
        let own = made.ty.map(|ty| &start.types.types[ty].fields);
        let has = own.is_some_and(|own| {
            own.iter().any(|(own, _)| own.offset == place.offset && own.ty == place.ty)
        });
        if !self.is_alive(object) {
            return Value::Unknown;
        }
        if !has {
            return if is_old { start.field(object, place) } else { Value::Unknown };
        }
        match self.view.scalar(at(made.pointer, place.offset), place.ty) {
            Some(value) => self.read(value),
            // What was not written yet is as it was.
            None if is_old => start.field(object, place),
            None => Value::Unknown,
        }
    }

    fn cell(&self, array: &ArrayPlace, index: u64) -> Value {
        self.held(array, index).map_or(Value::Unknown, |value| self.read(value))
    }

    fn variable(&self, variable: VarId) -> Value {
        self.view.variable(variable).map_or(Value::Unknown, |value| self.read(value))
    }

    fn is_alive(&self, object: usize) -> bool {
        self.view.object_size(self.monitor.made[object].pointer) > 0
    }
}

pub(super) struct Chooser<'s, 'm, 'a>(pub &'s RefCell<&'m mut Monitor<'a>>);

impl Choices for Chooser<'_, '_, '_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Concrete> {
        self.0.borrow_mut().value(request)
    }
}

pub(super) struct Watcher<'s, 'm, 'a>(pub &'s RefCell<&'m mut Monitor<'a>>);

impl Observer for Watcher<'_, '_, '_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        let mut monitor = self.0.borrow_mut();
        let harness = monitor.harness;
        if let Some(result) = harness.returns.get(&edge) {
            loop {
                monitor.start.touched.set(None);
                let now = Now { view, monitor: &monitor };
                let kept = now.returns(&harness.oracles[&edge], *result);
                monitor.answer = usize::from(kept != Some(true));
                let open = monitor.start.touched.get().filter(|_| kept.is_none());
                if open.and_then(|slot| monitor.settle(slot)).is_none() {
                    break;
                }
            }
        } else if let Some(oracle) = harness.oracles.get(&edge) {
            monitor.answer = monitor.judge(oracle, view);
            if monitor.answer > 0 && oracle.call.is_none() && matches!(monitor.mode, Mode::Given(_))
            {
                monitor.end = Now { view, monitor: &monitor }.words();
            }
        }
    }

    fn entered(&mut self, function: FunctionId, _: &[Concrete]) {
        let mut monitor = self.0.borrow_mut();
        monitor.depth += usize::from(function == monitor.contract.function);
    }

    fn left(&mut self, function: FunctionId, _: Option<Concrete>) {
        let mut monitor = self.0.borrow_mut();
        let ours = function == monitor.contract.function;
        monitor.depth = monitor.depth.saturating_sub(usize::from(ours));
    }

    fn assigned(&mut self, edge: EdgeId, _: VarId, value: Concrete) {
        let mut monitor = self.0.borrow_mut();
        let harness = monitor.harness;
        let Op::Alloc { kind: AllocKind::Heap, size, .. } = harness.program.edges[edge].op else {
            return;
        };
        let Concrete::Pointer(pointer) = value else { return };
        let number = harness.allocations.iter().position(|&e| e == edge);
        let ty = match number {
            Some(number) => Some(monitor.start.objects[number]),
            None => {
                // The only type of its size; of others nothing is known.
                let size = harness.program.exprs.as_int(size);
                let types = monitor.start.types.types.iter().enumerate();
                let mut fitting = types.filter(|(_, ty)| Some(i128::from(ty.size)) == size);
                match (fitting.next(), fitting.next()) {
                    (Some((ty, _)), None) => Some(ty),
                    _ => None,
                }
            }
        };
        monitor.made.push(Made { pointer, ty });
    }
}

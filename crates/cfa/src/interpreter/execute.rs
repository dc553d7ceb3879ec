//! Executes edges: the choice of the next edge, the operations, calls and returns.

use super::choices::{Birth, Choices, MemoryPlace, Request, Source};
use super::code::Place;
use super::compile::{Compiled, Exit, Step};
use super::machine::{Frame, Machine, Observer, Open, Stop};
use super::memory::{Kind, Memory};
use super::outcome::{Config, Consumed, Outcome, Reason, Run, Trace};
use super::slot::Slot;
use crate::expr::{Access, Expr};
use crate::program::*;
use crate::types::{IntType, Type};
use crate::value::{self, Pointer, Provenance, Value};
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};

/// So many choices that are no inputs are kept for whoever repeats the run elsewhere.
const REMEMBERED: usize = 10_000;

/// How many steps are made between two looks at the budget.
const POLL: u64 = 1 << 12;

/// A machine before its first step.
pub(super) fn machine<'a, O: Observer>(
    program: &'a Program,
    compiled: &'a Compiled,
    choices: &'a mut dyn Choices,
    config: &'a Config,
    observer: &'a mut O,
    determined: bool,
) -> Machine<'a, O> {
    Machine {
        program,
        compiled,
        memory: Memory::new(program.target, program.functions.len(), config.memory_limit),
        slots: vec![Slot::default(); compiled.absolute],
        base: compiled.absolute,
        edge: EdgeId::from_index(0),
        frames: Vec::new(),
        dependents: HashMap::default(),
        config,
        choices,
        observer,
        births: HashMap::default(),
        started: false,
        open: determined.then(Open::default),
        exposed: HashSet::default(),
        next_look: 0,
        run: Run::default(),
    }
}

/// Runs the whole program, and remembers it.
pub(super) fn execute<O: Observer>(mut machine: Machine<'_, O>) -> Run {
    machine.run.outcome = whole(&mut machine);
    machine.run
}

/// Runs the whole program.
pub(super) fn whole<O: Observer>(machine: &mut Machine<'_, O>) -> Outcome {
    match machine.start() {
        Err(stop) => machine.stopped(stop),
        Ok(entry) => rest(machine, entry),
    }
}

/// Runs the program from a location on.
pub(super) fn rest<O: Observer>(machine: &mut Machine<'_, O>, location: LocId) -> Outcome {
    machine.go(location).unwrap_or_else(|stop| machine.stopped(stop))
}

impl<O: Observer> Machine<'_, O> {
    fn stopped(&self, stop: Stop) -> Outcome {
        match stop {
            Stop::Undefined(reason) => {
                Outcome::Undefined { reason, edge: self.started.then_some(self.edge) }
            }
            Stop::OutOfInputs => Outcome::OutOfInputs,
            Stop::OutOfMemory => Outcome::OutOfMemory,
            Stop::Undetermined => Outcome::Undetermined(self.edge),
        }
    }

    /// Lays out static memory, gives globals their values, enters the entry
    /// function.
    fn start(&mut self) -> Result<LocId, Stop> {
        let program = self.program;
        let mut objects = Vec::new();
        for (id, object) in program.objects.iter() {
            let birth = Birth::Static(id);
            let zeroed = !object.external;
            let made = self.memory.allocate(object.size, object.align, Kind::Static, birth, zeroed);
            objects.push(made.ok_or(Stop::OutOfMemory)?);
        }
        for &(slot, e) in &self.compiled.constants {
            self.slots[slot] = match *program.exprs.get(e) {
                Expr::Object(o) => objects[o.index()].into(),
                Expr::Function(f) => self.memory.function_pointer(f).into(),
                ref constant => Value::of(constant).map_or(Slot::default(), Slot::from),
            };
        }
        let compiled = self.compiled;
        let mut initials = compiled.initials.iter();
        let mut next = |machine: &mut Self| -> Result<(Slot, bool), Stop> {
            let step = initials.next().expect("one for each initial value");
            machine.eval(&step.code)?;
            Ok((machine.get(step.operands[0]), machine.is_open(step.operands[0])))
        };
        for (id, variable) in program.variables.iter() {
            if variable.initial.is_some() {
                let (value, open) = next(self)?;
                if variable.function.is_none() {
                    self.set(compiled.places[id.index()], value);
                    self.mark(compiled.places[id.index()], open);
                }
            }
        }
        for (id, object) in program.objects.iter() {
            let base = objects[id.index()];
            for initial in &object.initial {
                let (value, open) = next(self)?;
                let pointer = Pointer { address: base.address + initial.offset, ..base };
                let whole = Access::of(initial.value, program.exprs.type_of(initial.value));
                let access = Access { bits: initial.bits, ..whole };
                self.store_marked(&access, pointer, value, open)?;
            }
            if object.constant {
                self.memory.make_constant(base);
            }
        }
        self.started = true;
        let Some(body) = program.functions.get(program.entry).and_then(|f| f.body) else {
            return Err(Stop::Undefined(Reason::NoBody(program.entry)));
        };
        self.slots.resize(self.base + compiled.layout(program.entry).size, Slot::default());
        self.open_frame(self.base);
        self.frames.push(Frame {
            function: program.entry,
            base: self.base,
            result: None,
            return_to: body.exit,
            edge: self.edge,
        });
        Ok(body.entry)
    }

    /// From location to location until the run ends.
    fn go(&mut self, entry: LocId) -> Result<Outcome, Stop> {
        let (program, compiled) = (self.program, self.compiled);
        let mut location = entry;
        let mut enabled = Vec::new();
        loop {
            if let Some(check) = program.locations[location].error {
                return Ok(self.violated(check));
            }
            let exit = &compiled.exits[location.index()];
            if matches!(exit, Exit::None) {
                if !self.is_exit(location) {
                    return Ok(Outcome::Finished { status: None });
                }
                match self.leave() {
                    Ok(next) => location = next,
                    Err(outcome) => return Ok(outcome),
                }
                continue;
            }
            if self.run.steps >= self.config.step_limit {
                if self.compiled.temporaries.is_some() {
                    self.run.lost = self.lost(location);
                }
                return Ok(Outcome::StepLimit);
            }
            if self.run.steps.is_multiple_of(POLL)
                && let Err(exhausted) = self.config.budget.poll()
            {
                return Ok(Outcome::Exhausted(exhausted));
            }
            let Some(edge) = self.choose(location, exit, &mut enabled)? else {
                return Ok(Outcome::Blocked);
            };
            self.run.steps += 1;
            self.edge = edge;
            self.remember(edge);
            match self.step(edge)? {
                Next::Go(next) => location = next,
                Next::End(status) => return Ok(Outcome::Finished { status }),
            }
        }
    }

    /// What happens after signed overflow shows nothing.
    fn violated(&self, check: CheckId) -> Outcome {
        match self.run.overflow {
            Some(_) if self.program.checks[check].property == Property::NoOverflow => {
                Outcome::Violation(check)
            }
            Some(edge) => Outcome::Undefined { reason: Reason::Overflow, edge: Some(edge) },
            None => Outcome::Violation(check),
        }
    }

    fn is_exit(&self, location: LocId) -> bool {
        let function = self.program.locations[location].function;
        self.program.functions[function].body.is_some_and(|b| b.exit == location)
    }

    #[inline]
    fn remember(&mut self, edge: EdgeId) {
        match self.config.trace {
            Trace::Off => {}
            Trace::All => self.run.trace.push(edge),
            Trace::Last(n) => {
                if self.run.trace.len() >= 2 * n.max(1) {
                    let drop = self.run.trace.len() - n;
                    self.run.trace.drain(..drop);
                }
                self.run.trace.push(edge);
            }
        }
    }

    /// Whether the edge can be taken now.
    fn is_enabled(&mut self, edge: EdgeId) -> Result<bool, Stop> {
        let compiled = self.compiled;
        if !matches!(self.program.edges[edge].op, Op::Assume(_)) {
            return Ok(true);
        }
        self.edge = edge;
        let step = &compiled.steps[edge.index()];
        self.eval(&step.code)?;
        self.demand(&step.operands[..1])?;
        Ok(self.get(step.operands[0]).lo != 0)
    }

    #[inline]
    fn choose(
        &mut self,
        location: LocId,
        exit: &Exit,
        enabled: &mut Vec<EdgeId>,
    ) -> Result<Option<EdgeId>, Stop> {
        let program = self.program;
        match *exit {
            Exit::None => Ok(None),
            Exit::One(e) => match self.is_enabled(e) {
                // The only way on: where an assumption is open, the other runs end here.
                Err(Stop::Undetermined) if self.assumes_open(e) => Ok(Some(e)),
                enabled => Ok(enabled?.then_some(e)),
            },
            Exit::Either(a, b) => Ok(Some(if self.is_enabled(a)? { a } else { b })),
            Exit::Many => {
                enabled.clear();
                for &e in &program.locations[location].outgoing {
                    match self.is_enabled(e) {
                        Ok(true) => enabled.push(e),
                        Ok(false) => {}
                        Err(stop @ Stop::Undetermined) => return Err(stop),
                        Err(stop) if enabled.is_empty() => return Err(stop),
                        Err(_) => {}
                    }
                }
                Ok(match enabled[..] {
                    [] => None,
                    [only] => Some(only),
                    _ => {
                        self.undetermined()?;
                        let i = self.choices.edge(location, enabled);
                        self.run.answers.turned(i);
                        Some(enabled[i.min(enabled.len() - 1)])
                    }
                })
            }
        }
    }

    pub(super) fn ask(&mut self, request: &Request<'_>) -> Result<Value, Stop> {
        let value = self.choices.value(request).ok_or(Stop::OutOfInputs)?;
        let mut value = if value.ty() == request.ty {
            value
        } else {
            value::cast(request.ty, value, self.program.target)
        };
        match &mut value {
            Value::Pointer(p) if p.provenance == Provenance::ENVIRONMENT => {
                // Repeating the run makes the same memory.
                self.run.answers.answered(Value::Pointer(*p));
                *p = self.memory.environment(p.address);
            }
            Value::Pointer(p) => {
                *p = self.pointer_from(p.address);
                self.run.answers.answered(value);
            }
            _ => self.run.answers.answered(value),
        }
        match request.source {
            Source::Input(name) => {
                let name = name.to_owned();
                self.run.inputs.push(Consumed { edge: request.edge, name, value });
            }
            _ => {
                self.run.used_unknown = true;
                if matches!(request.source, Source::Memory) {
                    self.observe(|observer, _| observer.unwritten(request.edge, value));
                }
                if self.run.unfixed.len() < REMEMBERED {
                    let name = self.whose(request);
                    self.run.unfixed.push(Consumed { edge: request.edge, name, value });
                }
                match request.place {
                    Some(place @ MemoryPlace { object: Birth::Environment(_), .. }) => {
                        self.run.outside.push((place, value));
                    }
                    Some(place) if self.run.unwritten.len() < REMEMBERED => {
                        self.run.unwritten.push((place, value));
                    }
                    _ => {}
                }
            }
        }
        Ok(value)
    }

    /// Whose value is asked for, for people.
    fn whose(&self, request: &Request<'_>) -> String {
        let program = self.program;
        match request.source {
            Source::Input(name) | Source::Library(name) => name.to_owned(),
            Source::External(function) => program.functions[function].name.clone(),
            Source::Unmodelled(what) => what.to_owned(),
            Source::Memory => "memory that nothing wrote".to_owned(),
            Source::Uninitialized => match program.edges[request.edge].op.target() {
                Some(target) => {
                    let name = &program.variables[target].name;
                    format!("{} (not initialised)", name.split('#').next().unwrap_or(name))
                }
                None => "a variable that was not initialised".to_owned(),
            },
        }
    }

    /// Executes an edge whose condition, if it has one, was found to hold.
    fn step(&mut self, id: EdgeId) -> Result<Next, Stop> {
        let (program, compiled) = (self.program, self.compiled);
        let edge = &program.edges[id];
        let step = &compiled.steps[id.index()];
        self.observe(|observer, view| observer.step(id, view));
        if !matches!(edge.op, Op::Assume(_)) {
            self.eval(&step.code)?;
        }
        match &edge.op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign { target, .. } => self.assigned(*target),
            Op::Store { access, .. } => {
                let pointer = self.get(step.operands[0]).pointer();
                let value = self.get(step.operands[1]);
                self.demand(&step.operands[..1])?;
                self.store_marked(access, pointer, value, self.is_open(step.operands[1]))?;
                if self.observer.is_watching() {
                    self.observer.stored(id, pointer, value.value(access.ty));
                }
            }
            Op::Nondet { target, source } => {
                let source = match source {
                    NondetSource::Input(name) => Source::Input(name),
                    NondetSource::Uninitialized => Source::Uninitialized,
                    NondetSource::Library(name) => Source::Library(name),
                    NondetSource::Unmodelled(what) => Source::Unmodelled(what),
                };
                let ty = program.variables[*target].ty;
                self.assign_any(*target, &Request { source, ty, edge: id, place: None })?;
            }
            Op::Alloc { .. } => self.make(id, step)?,
            Op::Free { .. } => {
                self.demand(&step.operands)?;
                let pointer = self.get(step.operands[0]).pointer();
                if pointer.address != 0 {
                    self.memory.release(pointer, &[Kind::Heap])?;
                    self.observer.released(id, pointer);
                }
            }
            Op::EndLifetime { .. } => {
                let pointer = self.get(step.operands[0]).pointer();
                self.end_lifetime(pointer);
                self.observer.released(id, pointer);
            }
            Op::Copy { .. } => self.copy(step)?,
            Op::Fill { .. } => self.fill(step)?,
            Op::Call { function, arguments, result } => {
                if program.functions[*function].parameters.len() != arguments.len() {
                    return Err(Stop::Undefined(Reason::Arguments));
                }
                return self.call(*function, &step.operands, *result, edge.to);
            }
            Op::CallIndirect { arguments, result, variadic, .. } => {
                return self.call_indirect(step, arguments, *result, *variadic, edge.to);
            }
            Op::External { function, result, .. } => self.external(*function, *result)?,
            Op::Output { kind, arguments, result } => {
                self.output(*kind, step, arguments, *result)?
            }
            Op::Halt { status } => {
                let status = status.map(|e| {
                    let value = self.get(step.operands[0]).value(program.exprs.type_of(e));
                    value::cast(Type::Int(IntType::signed(32)), value, program.target)
                });
                return Ok(Next::End(status.and_then(Value::as_int).map(|v| v as i32)));
            }
        }
        Ok(Next::Go(edge.to))
    }

    /// Makes an object.
    fn make(&mut self, id: EdgeId, step: &Step) -> Result<(), Stop> {
        let Op::Alloc { target, align, kind, zeroed, frame, .. } = self.program.edges[id].op else {
            return Ok(());
        };
        self.demand(&step.operands)?;
        let size = self.get(step.operands[0]).lo;
        let count = self.births.entry(id).or_insert(0);
        let birth = Birth::Made(id, *count);
        *count += 1;
        let made = self.memory.allocate(size, align, Kind::from(kind), birth, zeroed);
        let pointer = made.ok_or(Stop::OutOfMemory)?;
        if frame.is_some() {
            let frame = self.get(step.operands[1]).pointer().provenance;
            self.dependents.entry(frame).or_default().push(pointer);
        }
        self.assign(target, pointer.into(), false);
        Ok(())
    }

    fn copy(&mut self, step: &Step) -> Result<(), Stop> {
        let [to, from, size] = [0, 1, 2].map(|i| self.get(step.operands[i]));
        self.demand(&step.operands)?;
        if self.open.is_none() {
            self.memory.copy(to.pointer(), from.pointer(), size.lo)?;
        } else if !self.memory.copy_as_written(to.pointer(), from.pointer(), size.lo)? {
            return Err(Stop::Undetermined);
        }
        if let Some(open) = &mut self.open {
            open.copied(to.lo, from.lo, size.lo);
        }
        Ok(())
    }

    fn fill(&mut self, step: &Step) -> Result<(), Stop> {
        let [to, byte, size] = [0, 1, 2].map(|i| self.get(step.operands[i]));
        self.demand(&[step.operands[0], step.operands[2]])?;
        self.memory.fill(to.pointer(), byte.lo as u8, size.lo)?;
        if let Some(open) = &mut self.open {
            open.overwritten(to.lo, size.lo);
        }
        if self.is_open(step.operands[1]) {
            self.memory.unwrite(to.pointer(), size.lo);
        }
        Ok(())
    }

    /// Whether two pointers are equal.
    pub(super) fn compare_pointers(&mut self, p: Pointer, q: Pointer) -> bool {
        let equal = p.address == q.address;
        if self.memory.equality_is_open(p, q) { equal != self.compared_openly() } else { equal }
    }

    /// Whether the order of two numbers or pointers is to be turned around: that of pointers into different
    /// objects is the machine's.
    #[inline]
    pub(super) fn order_is_turned(&mut self, a: Slot, b: Slot) -> bool {
        a.hi != b.hi && self.memory.are_apart(a.pointer(), b.pointer()) && self.compared_openly()
    }

    /// A comparison that C leaves open; whether its outcome is to be turned around.
    fn compared_openly(&mut self) -> bool {
        self.run.used_unknown = true;
        self.run.open.get_or_insert(self.edge);
        self.config.turns_open
    }

    fn end_lifetime(&mut self, pointer: Pointer) {
        // Null or dead: the scope was left before its declaration was reached.
        let _ = self.memory.release(pointer, &[Kind::Stack, Kind::Alloca]);
        for dependent in self.dependents.remove(&pointer.provenance).unwrap_or_default() {
            let _ = self.memory.release(dependent, &[Kind::Alloca]);
        }
    }

    fn call(
        &mut self,
        function: FunctionId,
        arguments: &[Place],
        result: Option<VarId>,
        return_to: LocId,
    ) -> Result<Next, Stop> {
        let Some(body) = self.program.functions[function].body else {
            return Err(Stop::Undefined(Reason::NoBody(function)));
        };
        if self.frames.len() >= self.config.depth_limit {
            return Err(Stop::Undefined(Reason::StackOverflow));
        }
        let layout = self.compiled.layout(function);
        let base = self.slots.len();
        self.slots.resize(base + layout.size, Slot::default());
        let open: Vec<bool> = match self.open {
            Some(_) => arguments.iter().map(|&a| self.is_open(a)).collect(),
            None => Vec::new(),
        };
        for (&parameter, &argument) in layout.parameters.iter().zip(arguments) {
            self.slots[base + parameter.0 as usize] = self.get(argument);
        }
        self.base = base;
        self.open_frame(base);
        for (&parameter, &is_open) in layout.parameters.iter().zip(&open) {
            self.mark(parameter, is_open);
        }
        let edge = self.edge;
        self.frames.push(Frame { function, base, result, return_to, edge });
        let parameters = &self.program.functions[function].parameters;
        if self.observer.is_watching() {
            self.observe(|observer, view| {
                let values: Vec<Value> =
                    parameters.iter().filter_map(|&p| view.variable(p)).collect();
                observer.entered(function, &values);
            });
        }
        Ok(Next::Go(body.entry))
    }

    fn call_indirect(
        &mut self,
        step: &Step,
        arguments: &[crate::expr::ExprId],
        result: Option<VarId>,
        variadic: bool,
        return_to: LocId,
    ) -> Result<Next, Stop> {
        let program = self.program;
        self.demand(&step.operands[..1])?;
        let callee = self.get(step.operands[0]).pointer();
        let Some(function) = self.memory.function_at(callee) else {
            return Err(Stop::Undefined(Reason::NotAFunction));
        };
        let f = &program.functions[function];
        if f.body.is_none() {
            self.external(function, result)?;
            return Ok(Next::Go(return_to));
        }
        let mut places = &step.operands[1..];
        // The object of extra arguments is lost on a function that takes none.
        if variadic && !f.variadic && places.len() == f.parameters.len() + 1 {
            places = &places[..places.len() - 1];
        }
        if places.len() != f.parameters.len() {
            return Err(Stop::Undefined(Reason::Arguments));
        }
        let next = self.call(function, places, result, return_to)?;
        // Arguments of another type than the parameter arrive converted.
        for (&parameter, &argument) in f.parameters.iter().zip(arguments) {
            let (from, to) = (program.exprs.type_of(argument), program.variables[parameter].ty);
            if from != to {
                let place = self.compiled.places[parameter.index()];
                let value = self.convert(self.get(place), from, to);
                self.set(place, value);
                // What the callee sees of another type is the machine's affair.
                self.mark(place, true);
            }
        }
        Ok(next)
    }

    fn convert(&self, slot: Slot, from: Type, to: Type) -> Slot {
        let mut value = value::cast(to, slot.value(from), self.program.target);
        if let (Value::Pointer(p), true) = (&mut value, from != Type::Pointer) {
            *p = self.pointer_from(p.address);
        }
        value.into()
    }

    /// A function without a body: any result, and memory as it was.
    fn external(&mut self, function: FunctionId, result: Option<VarId>) -> Result<(), Stop> {
        self.undetermined()?;
        let Some(result) = result else { return Ok(()) };
        let ty = self.program.variables[result].ty;
        let source = Source::External(function);
        self.assign_any(result, &Request { source, ty, edge: self.edge, place: None })
    }

    /// Gives a variable a value that is asked for, if anybody is to be asked.
    fn assign_any(&mut self, variable: VarId, request: &Request<'_>) -> Result<(), Stop> {
        let value = match self.open {
            Some(_) => Value::zero(request.ty),
            None => self.ask(request)?,
        };
        self.assign(variable, value.into(), true);
        Ok(())
    }

    /// Returns from the current function.
    fn leave(&mut self) -> Result<LocId, Outcome> {
        let program = self.program;
        let frame = self.frames.pop().expect("a function is running");
        let mut is_open = true;
        let value = program.functions[frame.function].result.map(|v| {
            let (ty, place) = (program.variables[v].ty, self.compiled.places[v.index()]);
            is_open = self.is_open(place);
            (self.get(place), ty)
        });
        if self.observer.is_watching() {
            self.observer.left(frame.function, value.map(|(slot, ty)| slot.value(ty)));
        }
        let Some(caller) = self.frames.last() else {
            let status = value.and_then(|(slot, ty)| slot.value(ty).as_int()).unwrap_or(0);
            return Err(Outcome::Finished { status: Some(status as i32) });
        };
        self.slots.truncate(frame.base);
        self.base = caller.base;
        self.edge = frame.edge;
        if let Some(result) = frame.result {
            let to = program.variables[result].ty;
            let slot = match value {
                Some((slot, ty)) if ty == to => slot,
                Some((slot, ty)) => {
                    is_open = true;
                    self.convert(slot, ty, to)
                }
                None => Slot::default(),
            };
            self.assign(result, slot, is_open);
        }
        Ok(frame.return_to)
    }
}

/// What comes after a step.
enum Next {
    Go(LocId),
    End(Option<i32>),
}

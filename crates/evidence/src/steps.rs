//! A run told as steps: what happened at which line, and which values changed.
//!
//! The interpreter repeats the run with the answers it got
//! ([`Answers`](bolide_cfa::interpreter::Answers)) while an observer
//! writes down each change. Edges at one line are one step, but for a line
//! that is executed again. Of long runs the beginning and the end are told;
//! what lies between becomes one step that holds the last value of everything that is
//! still alive.
//!
//! Each step has a drawing of the heap as it leaves it ([`crate::memory`]).

use crate::account::{Change, Place, Step};
use crate::memory::Memory;
use bolide_base::Span;
use bolide_base::arena::Id;
use bolide_cfa::interpreter::{Config, Interpreter, Observer, Run, View};
use bolide_cfa::render::diagram::Diagram;
use bolide_cfa::value::{Pointer, Value};
use bolide_cfa::{EdgeId, Expr, FunctionId, NondetSource, Op, Program, Role, VarId, VariableKind};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Steps that are told at the beginning and at the end of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the start.
    pub first: usize,
    /// Up to the violation.
    pub last: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { first: 500, last: 3500 }
    }
}

/// Repeats a run and tells it. `place` finds the line of an edge's origin. None
/// when the run asked for too many values to be repeated.
pub fn tell(
    program: &Program,
    run: &Run,
    place: &dyn Fn(Span) -> Option<Place>,
    limits: Limits,
) -> Option<Vec<Step>> {
    let config = Config { step_limit: run.steps + 1, ..Config::default() };
    let tell = |drawn_from: usize, sizes: Vec<u64>| {
        let mut teller = Teller {
            program,
            place,
            limits,
            first: Vec::new(),
            folded: None,
            last: VecDeque::new(),
            count: 0,
            drawn_from,
            frames: Vec::new(),
            memory: Memory::with_sizes(program, sizes),
            allocating: None,
            heap: None,
            globals: BTreeMap::new(),
            started: false,
            before: Vec::new(),
        };
        let mut answers = run.answers.repeat()?;
        let again = Interpreter::new(program).run_observed(&mut answers, &config, &mut teller);
        (again.outcome == run.outcome).then_some(teller)
    };
    // How memory is named, and where the end of a long run begins, is known after the run.
    let watched = tell(usize::MAX, Vec::new())?;
    let drawn_from =
        if run.steps <= EDGES_DRAWN { 0 } else { watched.count.saturating_sub(STEPS_DRAWN) };
    tell(drawn_from, watched.memory.sizes()).map(Teller::finish)
}

/// How the names of functions begin that models of the library are made of.
const OURS: &str = "__bolide";

/// Of runs that are no longer, every step gets its drawing of the heap.
const EDGES_DRAWN: u64 = 10_000;
/// Of longer ones so many steps at the end.
const STEPS_DRAWN: usize = 1000;

/// Steps that are not told one by one.
#[derive(Default)]
struct Folded {
    count: usize,
    values: BTreeMap<(Option<usize>, String), String>,
    step: Option<Step>,
}

/// An open call.
struct Frame {
    function: FunctionId,
    /// Variables that hold pointers.
    pointers: BTreeMap<VarId, Value>,
}

struct Teller<'a> {
    program: &'a Program,
    place: &'a dyn Fn(Span) -> Option<Place>,
    limits: Limits,
    first: Vec<Step>,
    folded: Option<Folded>,
    last: VecDeque<Step>,
    /// Steps up to now.
    count: usize,
    /// The first step whose heap is drawn.
    drawn_from: usize,
    frames: Vec<Frame>,
    memory: Memory<'a>,
    /// The size of the object that is being made, where it is known.
    allocating: Option<u64>,
    /// The heap as it was drawn last.
    heap: Option<Rc<Diagram>>,
    globals: BTreeMap<VarId, Value>,
    started: bool,
    /// What got a value before the first step: the parameters of the entry function.
    before: Vec<Change>,
}

impl Teller<'_> {
    fn current(&mut self) -> Option<&mut Step> {
        self.last.back_mut().or(self.first.last_mut())
    }

    fn depth(&self) -> usize {
        // The entry function is open all the time; nobody enters the stub that calls it.
        self.frames.len().saturating_sub(1)
    }

    fn push(&mut self, step: Step) {
        self.count += 1;
        if self.first.len() < self.limits.first {
            self.first.push(step);
            return;
        }
        self.last.push_back(step);
        if self.last.len() > self.limits.last {
            let Some(old) = self.last.pop_front() else { return };
            let folded = self.folded.get_or_insert_default();
            folded.count += 1;
            // Calls that have returned take their variables with them.
            let depth = old.depth;
            folded.values.retain(|(d, _), _| d.is_none_or(|d| d <= depth));
            for change in &old.changes {
                let key = (change.depth, change.name.clone());
                folded.values.insert(key, change.value.clone());
            }
            folded.step = Some(Step { changes: Vec::new(), ..old });
        }
    }

    /// Draws the heap as the step that ends here leaves it.
    fn draw(&mut self) {
        if self.count <= self.drawn_from {
            return;
        }
        let locals = self.frames.last().map(|frame| &frame.pointers);
        let variables: Vec<(String, Value)> = self
            .globals
            .iter()
            .chain(locals.into_iter().flatten())
            .map(|(&variable, &value)| (self.program.variables[variable].name.clone(), value))
            .collect();
        let heap = self.memory.draw(&variables);
        if heap.as_ref() != self.heap.as_deref() {
            self.heap = heap.map(Rc::new);
        }
        let heap = self.heap.clone();
        if let Some(step) = self.current() {
            step.heap = heap;
        }
    }

    fn finish(mut self) -> Vec<Step> {
        self.draw();
        let mut steps = self.first;
        if let Some(Folded { count, values, step: Some(mut step) }) = self.folded {
            step.words = vec![format!("{count} steps are not shown")];
            step.edges = Vec::new();
            step.changes = values
                .into_iter()
                .map(|((depth, name), value)| Change { depth, name, value })
                .collect();
            steps.push(step);
        }
        steps.extend(self.last);
        steps
    }

    fn change(&mut self, depth: Option<usize>, name: String, value: String) {
        let Some(step) = self.current() else {
            // Globals have their initial values, which the program says.
            self.before.extend(depth.map(|_| Change { depth, name, value }));
            return;
        };
        let same = |c: &&mut Change| c.depth == depth && c.name == name;
        match step.changes.iter_mut().find(same) {
            Some(known) => known.value = value,
            None => step.changes.push(Change { depth, name, value }),
        }
    }

    /// Notes a pointer in a variable of the present call, or in a global.
    fn hold(&mut self, variable: VarId, value: Value) {
        if !matches!(value, Value::Pointer(_)) {
            return;
        }
        let is_global = self.program.variables[variable].kind == VariableKind::Global;
        let pointers = match self.frames.last_mut() {
            Some(frame) if !is_global => &mut frame.pointers,
            _ => &mut self.globals,
        };
        pointers.insert(variable, value);
    }

    /// Whether a function is a model of the library, or the stub that calls the entry function: what happens inside
    /// is nobody's business.
    fn is_model(&self, function: FunctionId) -> bool {
        self.program.functions[function].span.is_none()
    }

    fn words(&self, edge: EdgeId) -> Option<String> {
        let edge = &self.program.edges[edge];
        match edge.origin.role {
            Role::Branch { taken: true } => Some("the condition holds".into()),
            Role::Branch { taken: false } => Some("the condition does not hold".into()),
            _ => match &edge.op {
                Op::Call { function, .. } => {
                    let name = &self.program.functions[*function].name;
                    (!name.starts_with(OURS)).then(|| format!("call of `{name}`"))
                }
                Op::External { function, .. } => {
                    Some(format!("`{}` has no body", self.program.functions[*function].name))
                }
                _ => None,
            },
        }
    }
}

impl Observer for Teller<'_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        if !std::mem::replace(&mut self.started, true) {
            self.memory.begin(view);
        }
        if let Op::Alloc { size, .. } = self.program.edges[edge].op {
            let exprs = &self.program.exprs;
            let size = match exprs.get(size) {
                Expr::Var(variable) => view.variable(*variable).and_then(Value::as_int),
                _ => exprs.as_int(size),
            };
            self.allocating = size.and_then(|size| u64::try_from(size).ok());
        }
        let number = edge.index() as u32;
        let depth = self.depth();
        let place = (self.place)(self.program.edges[edge].origin.span);
        let words = self.words(edge);
        if let Some(place) = place {
            let again = self.current().is_none_or(|step| {
                let elsewhere = (step.place.file, step.place.line) != (place.file, place.line);
                elsewhere || step.depth != depth || step.edges.contains(&number)
            });
            if again {
                self.draw();
                let function = self
                    .frames
                    .last()
                    .map_or(String::new(), |f| self.program.functions[f.function].name.clone());
                let changes = std::mem::take(&mut self.before);
                self.push(Step {
                    place,
                    function,
                    depth,
                    words: Vec::new(),
                    changes,
                    edges: Vec::new(),
                    heap: None,
                });
            }
        }
        if let Some(step) = self.current() {
            step.edges.push(number);
            if place.is_some() {
                step.words.extend(words.filter(|w| !step.words.contains(w)));
            }
        }
    }

    fn assigned(&mut self, edge: EdgeId, variable: VarId, value: Value) {
        let op = &self.program.edges[edge].op;
        let program = self.program;
        let v = &program.variables[variable];
        if let (Op::Alloc { .. }, Value::Pointer(p)) = (op, value) {
            self.memory.make(op, v, p, self.allocating);
        }
        if let Some(name) = program.asked(edge) {
            let words = format!("input `{name}` = {}", self.memory.show(value));
            if let Some(step) = self.current() {
                step.words.push(words);
            }
        }
        let is_open = matches!(op, Op::Nondet { source: NondetSource::Uninitialized, .. });
        if is_open && v.kind == VariableKind::Local {
            let words = format!("`{}` is not initialised", v.name);
            if let Some(step) = self.current().filter(|step| !step.words.contains(&words)) {
                step.words.push(words);
            }
        }
        if v.function.is_some_and(|function| self.is_model(function)) {
            return;
        }
        let depth = match v.kind {
            VariableKind::Global => None,
            VariableKind::Local | VariableKind::Parameter => Some(self.depth()),
            VariableKind::Temporary | VariableKind::Result | VariableKind::Address => return,
        };
        self.hold(variable, value);
        let shown = self.memory.show(value);
        self.change(depth, v.name.clone(), shown);
    }

    fn stored(&mut self, _: EdgeId, pointer: Pointer, value: Value) {
        let size = value.ty().size(self.program.target).max(1);
        let shown = self.memory.show(value);
        if let Some(name) = self.memory.store(pointer, size, value) {
            self.change(None, name, shown);
        }
    }

    fn unwritten(&mut self, edge: EdgeId, value: Value) {
        let function = self.program.locations[self.program.edges[edge].from].function;
        let words = format!("memory that nothing wrote is read: {}", self.memory.show(value));
        if self.is_model(function) {
            return;
        }
        if let Some(step) = self.current().filter(|step| !step.words.contains(&words)) {
            step.words.push(words);
        }
    }

    fn released(&mut self, _: EdgeId, pointer: Pointer) {
        self.memory.release(pointer);
    }

    fn entered(&mut self, function: FunctionId, arguments: &[Value]) {
        self.frames.push(Frame { function, pointers: BTreeMap::new() });
        if self.is_model(function) {
            return;
        }
        let depth = self.depth();
        for (&parameter, &value) in
            self.program.functions[function].parameters.iter().zip(arguments)
        {
            self.hold(parameter, value);
            let shown = self.memory.show(value);
            self.change(Some(depth), self.program.variables[parameter].name.clone(), shown);
        }
    }

    fn left(&mut self, function: FunctionId, result: Option<Value>) {
        self.frames.pop();
        if let Some(value) = result
            && !self.frames.is_empty()
            && !self.program.functions[function].name.starts_with(OURS)
        {
            let shown = format!(
                "{}() = {}",
                self.program.functions[function].name,
                self.memory.show(value)
            );
            if let Some(step) = self.current() {
                step.words.push(shown);
            }
        }
    }
}

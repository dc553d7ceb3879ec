//! Counterexamples for people: the steps of a violating run that matter.
//!
//! A run of a thousand steps is evidence, not an explanation. This module
//! executes the run once more under observation and keeps the *dynamic slice*
//! (Korel and Laski 1988; Agrawal and Horgan 1990): backwards from the violation, the steps that wrote what
//! the violation depends on, the branches that led to them, and the calls that they happened
//! in. Loops that matter many times are folded in the middle.
//!
//! - **Data**: a step matters when it writes a variable of its frame, a global
//!   or bytes of memory that a later step that matters read. Addresses are those of the run,
//!   so pointers need no analysis.
//! - **Life**: an access depends on what made or ended the life of the bytes it
//!   touches: `malloc`, `free`, the end of a scope.
//! - **Control**: a step depends on the latest branch of its frame on whose
//!   outcome it depends statically (postdominators), and on the call of its frame.
//!
//! Heuristic all of it: the slice is shown to people and proves nothing; the
//! whole run was executed before. A run that is too long to record, or that
//! depends on values that the inputs do not determine, is shown by the end of its trace.

use crate::memory::Memory;
use bolide_base::arena::Id;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::analysis::DominatorTree;
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::interpreter::{Config, Interpreter, Observer, Outcome, Trace, View};
use bolide_cfa::value::{self, Pointer, Value};
use bolide_cfa::{
    EdgeId, Expr, ExprId, FunctionId, LocId, ObjectId, Op, Program, Role, VarId, VariableKind,
};
use bolide_verdict::replay::Violation;

/// Steps of a run that are recorded; longer ones are not sliced.
const RECORDED: u64 = 400_000;
/// Steps that are shown; more are folded.
const SHOWN: usize = 60;

/// What a person needs to follow a violation.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// In the order of the run.
    pub items: Vec<Item>,
    /// Only steps that matter are there; else the end of the run is.
    pub sliced: bool,
}

/// A step, or the place of several.
#[derive(Clone, Debug)]
pub enum Item {
    /// A step.
    Step(Step),
    /// So many steps are not shown here.
    Folded(usize),
}

/// One step of the run.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its position in the run, from 0.
    pub position: u64,
    /// The edge that was taken.
    pub edge: EdgeId,
    /// How many calls were open.
    pub depth: usize,
    /// What it did.
    pub what: What,
    /// Variables and memory that it changed, with their values.
    pub changes: Vec<Change>,
}

/// A variable or a place in memory got a value.
#[derive(Clone, Debug)]
pub struct Change {
    /// What it is called.
    pub name: String,
    /// The value.
    pub value: Value,
    /// The value for people: pointers by the object that they point into.
    pub shown: String,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Asked for an input, by the name of the function, and got this value.
    Input(String, Value),
    /// Took a branch, or did not.
    Branch(bool),
    /// Called a function.
    Call(String),
    /// Came back from a function.
    Return(String),
    /// Something else.
    Statement,
}

impl What {
    /// What an edge does, as far as that can be seen before it is taken.
    fn of(program: &Program, edge: EdgeId) -> What {
        let edge = &program.edges[edge];
        match (&edge.op, edge.origin.role) {
            (_, Role::Branch { taken }) => What::Branch(taken),
            (Op::Call { function, .. }, _) => What::Call(program.functions[*function].name.clone()),
            _ => What::Statement,
        }
    }
}

/// Explains a violation.
pub fn explain(program: &Program, violation: &Violation, budget: &Budget) -> Explanation {
    if violation.run.steps <= RECORDED
        && let Some(recorder) = record(program, violation, budget)
    {
        let relevant = slice(program, &recorder);
        let steps = recorder
            .events
            .iter()
            .enumerate()
            .filter(|(index, _)| relevant[*index])
            .map(|(_, event)| recorder.step(event))
            .filter(|step| is_worth_showing(program, step))
            .collect();
        return Explanation { items: fold(steps), sliced: true };
    }
    Explanation { items: fold(end_of_trace(program, violation)), sliced: false }
}

/// The run once more; none when it goes another way.
fn record<'a>(
    program: &'a Program,
    violation: &Violation,
    budget: &Budget,
) -> Option<Recorder<'a>> {
    let mut answers = violation.run.answers.repeat()?;
    let config = Config {
        step_limit: RECORDED + 1,
        trace: Trace::Off,
        budget: budget.clone(),
        ..Config::default()
    };
    let mut recorder = Recorder::new(program);
    let run = Interpreter::new(program).run_observed(&mut answers, &config, &mut recorder);
    (run.outcome == Outcome::Violation(violation.check) && run.steps == violation.run.steps)
        .then_some(recorder)
}

/// The end of the run as it was remembered, without values.
fn end_of_trace(program: &Program, violation: &Violation) -> Vec<Step> {
    let trace = &violation.run.trace;
    let first = violation.run.steps.saturating_sub(trace.len() as u64);
    // Inputs are told from the last one backwards: the beginning may be missing.
    let mut inputs = violation.run.inputs.iter().rev();
    let mut steps: Vec<Step> = Vec::new();
    for (index, &edge) in trace.iter().enumerate().rev() {
        let what = match &program.edges[edge].op {
            Op::Nondet { source: bolide_cfa::NondetSource::Input(_), .. } => {
                inputs.next().map_or(What::Statement, |i| What::Input(i.name.clone(), i.value))
            }
            _ => What::of(program, edge),
        };
        let position = first + index as u64;
        let step = Step { position, edge, depth: 0, what, changes: Vec::new() };
        if is_worth_showing(program, &step) {
            steps.push(step);
        }
        if steps.len() > 4 * SHOWN {
            break;
        }
    }
    steps.reverse();
    steps
}

/// Steps that nobody wrote are not shown.
fn is_worth_showing(program: &Program, step: &Step) -> bool {
    match program.edges[step.edge].origin.role {
        Role::Implicit | Role::Check | Role::Declaration => {
            matches!(step.what, What::Input(..)) || !step.changes.is_empty()
        }
        _ => true,
    }
}

/// Keeps the beginning and the end when there is too much in between.
fn fold(steps: Vec<Step>) -> Vec<Item> {
    if steps.len() <= SHOWN {
        return steps.into_iter().map(Item::Step).collect();
    }
    let (head, tail) = (SHOWN / 2, SHOWN - SHOWN / 2);
    let folded = steps.len() - head - tail;
    let mut items = Vec::with_capacity(SHOWN + 1);
    for (index, step) in steps.into_iter().enumerate() {
        if index == head {
            items.push(Item::Folded(folded));
        }
        if index < head || index >= head + folded {
            items.push(Item::Step(step));
        }
    }
    items
}

/// A place that holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Cell {
    /// A variable, in a frame; globals have frame 0.
    Variable(u32, VarId),
    /// A byte of memory.
    Byte(u64),
    /// Whether a byte of memory may be accessed.
    Life(u64),
}

/// One executed edge, or the return of a call.
struct Event {
    position: u64,
    edge: EdgeId,
    frame: u32,
    reads: Vec<Cell>,
    writes: Vec<Cell>,
    changes: Vec<Change>,
    what: What,
    /// For a call: what each argument read.
    arguments: Vec<Vec<Cell>>,
    /// For a call: the frame that it opened.
    opened: Option<u32>,
}

/// What is known of a frame.
struct Frame {
    depth: usize,
    function: FunctionId,
}

/// Copies of more bytes than this are not followed byte by byte.
const WIDE: u64 = 4096;

struct Recorder<'a> {
    program: &'a Program,
    walker: Walker,
    events: Vec<Event>,
    frames: Vec<Frame>,
    /// Open frames, innermost last.
    open: Vec<u32>,
    /// The frame that was just left: its result is about to be assigned.
    left: Option<u32>,
    objects: HashMap<ObjectId, Option<Pointer>>,
    /// By first address: the sizes of objects that came to life during the run.
    sizes: HashMap<u64, u64>,
    /// The size of the object that is being made.
    allocating: u64,
    /// Names for memory.
    memory: Memory<'a>,
    steps: u64,
}

impl<'a> Recorder<'a> {
    fn new(program: &'a Program) -> Self {
        // Frame 0 stands for the globals.
        let nowhere = Frame { depth: 0, function: program.entry };
        let entry = Frame { depth: 0, function: program.entry };
        Recorder {
            program,
            walker: Walker::new(),
            events: Vec::new(),
            frames: vec![nowhere, entry],
            open: vec![1],
            left: None,
            objects: HashMap::default(),
            sizes: HashMap::default(),
            allocating: 0,
            memory: Memory::new(program),
            steps: 0,
        }
    }

    fn frame(&self) -> u32 {
        self.open.last().copied().unwrap_or(1)
    }

    fn cell(&self, frame: u32, variable: VarId) -> Cell {
        match self.program.variables[variable].function {
            None => Cell::Variable(0, variable),
            Some(_) => Cell::Variable(frame, variable),
        }
    }

    /// What happens now, without any effect yet.
    fn event(&self, edge: EdgeId, what: What) -> Event {
        Event {
            position: self.steps,
            edge,
            frame: self.frame(),
            reads: Vec::new(),
            writes: Vec::new(),
            changes: Vec::new(),
            what,
            arguments: Vec::new(),
            opened: None,
        }
    }

    fn step(&self, event: &Event) -> Step {
        Step {
            position: event.position,
            edge: event.edge,
            depth: self.frames[event.frame as usize].depth,
            what: event.what.clone(),
            changes: event.changes.clone(),
        }
    }

    /// What evaluating expressions reads, and their values where they can be told.
    fn evaluate(
        &mut self,
        view: &View<'_>,
        roots: &[ExprId],
        reads: &mut Vec<Cell>,
    ) -> HashMap<ExprId, Value> {
        let mut values: HashMap<ExprId, Value> = HashMap::default();
        for id in self.walker.bottom_up(&self.program.exprs, roots) {
            if let Some(found) = self.value(view, id, &values, reads) {
                values.insert(id, found);
            }
        }
        values
    }

    /// The value of an expression whose operands are known.
    fn value(
        &mut self,
        view: &View<'_>,
        id: ExprId,
        values: &HashMap<ExprId, Value>,
        reads: &mut Vec<Cell>,
    ) -> Option<Value> {
        let program = self.program;
        let get = |e: &ExprId| values.get(e).copied();
        let pointer = |e: &ExprId| match get(e)? {
            Value::Pointer(pointer) => Some(pointer),
            _ => None,
        };
        match program.exprs.get(id) {
            Expr::Var(var) => {
                reads.push(self.cell(self.frame(), *var));
                view.variable(*var)
            }
            Expr::Load(access) => {
                let at = pointer(&access.pointer)?;
                let size = access.ty.size(program.target);
                reads.extend((0..size).map(|i| Cell::Byte(at.address + i)));
                if access.bits.is_none() { view.scalar(at, access.ty) } else { None }
            }
            Expr::Object(object) => {
                let known = self.objects.entry(*object);
                known.or_insert_with(|| view.object(*object)).map(Value::Pointer)
            }
            Expr::Int { bits, ty } => Some(Value::Int { bits: *bits, ty: *ty }),
            Expr::Float { bits, kind } => Some(Value::Float { bits: *bits, kind: *kind }),
            Expr::Null => Some(Value::Pointer(Pointer::NULL)),
            Expr::Unary(op, a) => value::unary(*op, get(a)?).ok(),
            Expr::Binary(op, a, b) => value::binary(*op, get(a)?, get(b)?).ok(),
            Expr::Compare(op, a, b) => value::compare(*op, get(a)?, get(b)?).ok().map(Value::bool),
            Expr::Ite(c, a, b) => get(if get(c)?.is_true() { a } else { b }),
            Expr::Cast(ty, a) => Some(value::cast(*ty, get(a)?, program.target)),
            Expr::PointerAdd(p, n) => {
                let (at, n) = (pointer(p)?, get(n)?.as_int()?);
                let address = (i128::from(at.address) + n) as u64;
                Some(Value::Pointer(Pointer { address, ..at }))
            }
            Expr::Valid { pointer: p, size, .. } => {
                let size = get(size).and_then(Value::as_int).unwrap_or(1).clamp(1, 64) as u64;
                reads.extend(pointer(p).into_iter().flat_map(|p| life(p, size)));
                None
            }
            Expr::Freeable { pointer: p, .. } => {
                reads.extend(pointer(p).into_iter().flat_map(|p| life(p, 1)));
                None
            }
            _ => None,
        }
    }

    /// A name for what is stored through a pointer expression, where it has one.
    fn place_name(&self, access: &bolide_cfa::Access) -> Option<String> {
        let program = self.program;
        match program.exprs.get(access.pointer) {
            Expr::Object(object) => Some(program.objects[*object].name.clone()),
            Expr::Var(var) => {
                let variable = &program.variables[*var];
                match variable.kind {
                    VariableKind::Address => Some(variable.name.clone()),
                    VariableKind::Temporary | VariableKind::Result => None,
                    _ => Some(format!("*{}", variable.name)),
                }
            }
            _ => None,
        }
    }
}

fn life(pointer: Pointer, size: u64) -> impl Iterator<Item = Cell> {
    (0..size.min(WIDE)).map(move |i| Cell::Life(pointer.address.wrapping_add(i)))
}

impl Observer for Recorder<'_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        let program = self.program;
        let op = &program.edges[edge].op;
        if self.steps == 0 {
            self.memory.begin(view);
        }
        let mut reads = Vec::new();
        let mut arguments = Vec::new();
        let mut writes = Vec::new();
        match op {
            Op::Call { arguments: given, .. } | Op::CallIndirect { arguments: given, .. } => {
                for &argument in given {
                    let mut cells = Vec::new();
                    self.evaluate(view, &[argument], &mut cells);
                    arguments.push(cells);
                }
                if let Op::CallIndirect { callee, .. } = op {
                    self.evaluate(view, &[*callee], &mut reads);
                }
            }
            _ => {
                let operands = op.operands();
                let values = self.evaluate(view, &operands, &mut reads);
                let range = |pointer: &ExprId, size: u64| match values.get(pointer) {
                    Some(Value::Pointer(p)) if size <= WIDE => p.address..p.address + size,
                    _ => 0..0,
                };
                let number = |e: &ExprId| {
                    values.get(e).and_then(|v| v.as_int()).and_then(|n| u64::try_from(n).ok())
                };
                match op {
                    Op::Alloc { size, .. } => self.allocating = number(size).unwrap_or(0),
                    Op::Store { access, .. } => {
                        let size = access.ty.size(program.target);
                        writes.extend(range(&access.pointer, size).map(Cell::Byte));
                    }
                    Op::Copy { to, from, size, .. } => {
                        let size = number(size).unwrap_or(0);
                        writes.extend(range(to, size).map(Cell::Byte));
                        reads.extend(range(from, size).map(Cell::Byte));
                    }
                    Op::Fill { to, size, .. } => {
                        let size = number(size).unwrap_or(0);
                        writes.extend(range(to, size).map(Cell::Byte));
                    }
                    _ => {}
                }
            }
        }
        let what = What::of(program, edge);
        let event = Event { reads, writes, arguments, ..self.event(edge, what) };
        self.steps += 1;
        self.left = None;
        self.events.push(event);
    }

    fn assigned(&mut self, edge: EdgeId, variable: VarId, value: Value) {
        let cell = self.cell(self.frame(), variable);
        if let Some(inner) = self.left.take() {
            // The result of a call arrives.
            let function = self.frames[inner as usize].function;
            let result = self.program.functions[function].result;
            let reads = result.map(|r| Cell::Variable(inner, r)).into_iter().collect();
            let what = What::Return(self.program.functions[function].name.clone());
            self.events.push(Event { reads, ..self.event(edge, what) });
        }
        let program = self.program;
        let Some(event) = self.events.last_mut() else { return };
        event.writes.push(cell);
        if let (Op::Alloc { .. }, Value::Pointer(p)) = (&program.edges[edge].op, value) {
            event.writes.extend(life(p, self.allocating));
            self.memory.make(
                &program.edges[edge].op,
                &program.variables[variable],
                p,
                Some(self.allocating),
            );
            self.sizes.insert(p.address, self.allocating);
        }
        if let Some(name) = program.asked(edge) {
            event.what = What::Input(name.to_owned(), value);
        }
        let shown = &program.variables[variable];
        let named = matches!(
            shown.kind,
            VariableKind::Global | VariableKind::Local | VariableKind::Parameter
        );
        if named {
            let name = shown.name.split('#').next().unwrap_or(&shown.name).to_owned();
            let shown = self.memory.show(value);
            event.changes.push(Change { name, value, shown });
        }
    }

    fn stored(&mut self, edge: EdgeId, pointer: Pointer, value: Value) {
        let Op::Store { access, .. } = &self.program.edges[edge].op else { return };
        let size = value.ty().size(self.program.target).max(1);
        let stored = self.memory.store(pointer, size, value);
        let Some(name) = stored.or_else(|| self.place_name(access)) else { return };
        let shown = self.memory.show(value);
        if let Some(event) = self.events.last_mut() {
            event.changes.push(Change { name, value, shown });
        }
    }

    fn released(&mut self, _: EdgeId, pointer: Pointer) {
        self.memory.release(pointer);
        let size = self.sizes.get(&pointer.address).copied().unwrap_or(1);
        if let Some(event) = self.events.last_mut() {
            event.writes.extend(life(pointer, size));
        }
    }

    fn entered(&mut self, function: FunctionId, _: &[Value]) {
        let depth = self.open.len();
        let frame = self.frames.len() as u32;
        self.open.push(frame);
        self.frames.push(Frame { depth, function });
        if let Some(event) = self.events.last_mut() {
            event.opened = Some(frame);
            event.what = What::Call(self.program.functions[function].name.clone());
        }
    }

    fn left(&mut self, _: FunctionId, _: Option<Value>) {
        self.left = self.open.pop();
    }
}

/// Which events matter: by data, by control, by calls.
fn slice(program: &Program, recorder: &Recorder<'_>) -> Vec<bool> {
    let events = &recorder.events;
    let mut relevant = vec![false; events.len()];
    let control = Control::new(program);
    let mut live: HashSet<Cell> = HashSet::default();
    // Branches that matter if they are met: by frame, the locations.
    let mut wanted: HashSet<(u32, LocId)> = HashSet::default();
    // Frames in which something matters: their calls do.
    let mut inhabited: HashSet<u32> = HashSet::default();
    for index in (0..events.len()).rev() {
        let event = &events[index];
        let location = program.edges[event.edge].from;
        let is_return = matches!(event.what, What::Return(_));
        let mut matters = index + 1 == events.len();
        let mut reads: Vec<Cell> = Vec::new();
        let wrote = event.writes.iter().filter(|cell| live.contains(cell)).count();
        matters |= wrote > 0;
        matters |= !is_return && wanted.remove(&(event.frame, location));
        if let Some(inner) = event.opened {
            let function = recorder.frames[inner as usize].function;
            let parameters = &program.functions[function].parameters;
            for (&parameter, cells) in parameters.iter().zip(&event.arguments) {
                if live.remove(&Cell::Variable(inner, parameter)) {
                    matters = true;
                    reads.extend(cells);
                }
            }
            matters |= inhabited.contains(&inner);
        }
        if !matters {
            continue;
        }
        relevant[index] = true;
        inhabited.insert(event.frame);
        // A value that is only partly overwritten stays live in the rest.
        for cell in &event.writes {
            live.remove(cell);
        }
        live.extend(reads);
        live.extend(&event.reads);
        wanted.extend(control.branches(location).map(|branch| (event.frame, branch)));
    }
    relevant
}

/// For each location the branches on which it depends.
struct Control {
    branches: HashMap<LocId, Vec<LocId>>,
}

impl Control {
    fn new(program: &Program) -> Control {
        let mut branches: HashMap<LocId, Vec<LocId>> = HashMap::default();
        // Postdominators of all functions at once: dominators of the reversed graph
        // from an artificial end.
        let end = program.locations.len();
        let mut reversed: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
        for (location, description) in program.locations.iter() {
            if description.outgoing.is_empty() {
                reversed[end].push(location.index());
            }
            for &edge in &description.incoming {
                reversed[location.index()].push(program.edges[edge].from.index());
            }
        }
        let tree = DominatorTree::new(&reversed, end);
        for (location, description) in program.locations.iter() {
            if description.outgoing.len() < 2 {
                continue;
            }
            // Ferrante, Ottenstein and Warren 1987: from each successor up to
            // the branch's own postdominator.
            let stop = tree.immediate[location.index()];
            for &edge in &description.outgoing {
                let mut at = Some(program.edges[edge].to.index());
                while let Some(index) = at.filter(|&index| Some(index) != stop && index != end) {
                    let dependent = branches.entry(LocId::from_index(index)).or_default();
                    if !dependent.contains(&location) {
                        dependent.push(location);
                    }
                    at = tree.immediate[index];
                }
            }
        }
        Control { branches }
    }

    fn branches(&self, location: LocId) -> impl Iterator<Item = LocId> + '_ {
        self.branches.get(&location).into_iter().flatten().copied()
    }
}

//! A run told as steps: what happened at which line, and which values changed.
//!
//! The interpreter repeats the run with the answers it got
//! ([`Answers`](bolide_cfa::interpreter::Answers)) while an observer
//! writes down each change. Edges at one line are one step, but for a line
//! that is executed again. Of long runs the beginning and the end are told;
//! what lies between becomes one step that holds the last value of everything that is
//! still alive.
//!
//! Memory is named by the variable that lives there; objects of the heap are
//! numbered. `a[3]` stands for the fourth cell of an object that was only written in cells
//! of this size, else the offset in bytes is given: `s+12`.

use crate::account::{Change, Place, Step};
use bolide_base::arena::Id;
use bolide_base::{HashMap, Span};
use bolide_cfa::interpreter::{Config, Interpreter, Observer, Run, View};
use bolide_cfa::value::{Pointer, Provenance, Value};
use bolide_cfa::{
    AllocKind, EdgeId, FunctionId, NondetSource, Op, Program, Role, VarId, VariableKind,
};
use std::collections::{BTreeMap, VecDeque};

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
    let mut teller = Teller {
        program,
        place,
        limits,
        first: Vec::new(),
        folded: None,
        last: VecDeque::new(),
        frames: Vec::new(),
        objects: HashMap::default(),
        heap_objects: 0,
        started: false,
    };
    let config = Config { step_limit: run.steps + 1, ..Config::default() };
    let mut answers = run.answers.repeat()?;
    let again = Interpreter::new(program).run_observed(&mut answers, &config, &mut teller);
    (again.outcome == run.outcome).then(|| teller.finish())
}

/// What is known of an object in memory.
struct Object {
    name: String,
    base: u64,
    /// The size of the cells that were written; 0 when they differ.
    cell: u64,
}

/// Steps that are not told one by one.
#[derive(Default)]
struct Folded {
    count: usize,
    values: BTreeMap<(Option<usize>, String), String>,
    step: Option<Step>,
}

struct Teller<'a> {
    program: &'a Program,
    place: &'a dyn Fn(Span) -> Option<Place>,
    limits: Limits,
    first: Vec<Step>,
    folded: Option<Folded>,
    last: VecDeque<Step>,
    frames: Vec<FunctionId>,
    objects: HashMap<Provenance, Object>,
    heap_objects: usize,
    started: bool,
}

impl Teller<'_> {
    fn current(&mut self) -> Option<&mut Step> {
        self.last.back_mut().or(self.first.last_mut())
    }

    fn depth(&self) -> usize {
        // The stub that calls the entry function is no call of the program.
        self.frames.len().saturating_sub(2)
    }

    fn push(&mut self, step: Step) {
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

    fn finish(self) -> Vec<Step> {
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
        let Some(step) = self.current() else { return };
        let same = |c: &&mut Change| c.depth == depth && c.name == name;
        match step.changes.iter_mut().find(same) {
            Some(known) => known.value = value,
            None => step.changes.push(Change { depth, name, value }),
        }
    }

    fn words(&self, edge: EdgeId) -> Option<String> {
        let edge = &self.program.edges[edge];
        match edge.origin.role {
            Role::Branch { taken: true } => Some("the condition holds".into()),
            Role::Branch { taken: false } => Some("the condition does not hold".into()),
            _ => match &edge.op {
                Op::Call { function, .. } => {
                    Some(format!("call of `{}`", self.program.functions[*function].name))
                }
                Op::External { function, .. } => {
                    Some(format!("`{}` has no body", self.program.functions[*function].name))
                }
                _ => None,
            },
        }
    }

    /// The value for people: pointers by the object that they point into.
    fn show(&self, value: Value) -> String {
        match value {
            Value::Pointer(p) if p.address == 0 => "NULL".to_owned(),
            Value::Pointer(p) => match self.objects.get(&p.provenance) {
                Some(object) if p.address == object.base => format!("&{}", object.name),
                Some(object) if p.address > object.base => match object.cell {
                    0 => format!("&{}+{}", object.name, p.address - object.base),
                    cell if (p.address - object.base).is_multiple_of(cell) => {
                        format!("&{}[{}]", object.name, (p.address - object.base) / cell)
                    }
                    _ => format!("&{}+{}", object.name, p.address - object.base),
                },
                _ => format!("0x{:x}", p.address),
            },
            other => other.to_string(),
        }
    }
}

impl Observer for Teller<'_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        if !std::mem::replace(&mut self.started, true) {
            for (object, pointer) in view.static_objects() {
                let name = self.program.objects[object].name.clone();
                let known = Object { name, base: pointer.address, cell: u64::MAX };
                self.objects.insert(pointer.provenance, known);
            }
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
                let function = self
                    .frames
                    .last()
                    .map_or(String::new(), |&f| self.program.functions[f].name.clone());
                self.push(Step {
                    place,
                    function,
                    depth,
                    words: Vec::new(),
                    changes: Vec::new(),
                    edges: Vec::new(),
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
        if let (Op::Alloc { kind, .. }, Value::Pointer(p)) = (op, value) {
            let name = if v.kind == VariableKind::Address {
                v.name.clone()
            } else if *kind == AllocKind::Heap {
                self.heap_objects += 1;
                format!("heap#{}", self.heap_objects)
            } else {
                v.name.clone()
            };
            self.objects.insert(p.provenance, Object { name, base: p.address, cell: u64::MAX });
        }
        if let Op::Nondet { source: NondetSource::Input(name), .. } = op {
            let words = format!("input `{name}` = {}", self.show(value));
            if let Some(step) = self.current() {
                step.words.push(words);
            }
        }
        let depth = match v.kind {
            VariableKind::Global => None,
            VariableKind::Local | VariableKind::Parameter => Some(self.depth()),
            VariableKind::Temporary | VariableKind::Result | VariableKind::Address => return,
        };
        let shown = self.show(value);
        self.change(depth, v.name.clone(), shown);
    }

    fn stored(&mut self, _: EdgeId, pointer: Pointer, value: Value) {
        let size = value.ty().size(self.program.target).max(1);
        let shown = self.show(value);
        let Some(object) = self.objects.get_mut(&pointer.provenance) else { return };
        let Some(offset) = pointer.address.checked_sub(object.base) else { return };
        match object.cell {
            u64::MAX => object.cell = size,
            cell if cell != size => object.cell = 0,
            _ => {}
        }
        let name = if object.cell == size && offset.is_multiple_of(size) {
            format!("{}[{}]", object.name, offset / size)
        } else {
            format!("{}+{offset}", object.name)
        };
        self.change(None, name, shown);
    }

    fn entered(&mut self, function: FunctionId, arguments: &[Value]) {
        self.frames.push(function);
        let depth = self.depth();
        for (&parameter, &value) in
            self.program.functions[function].parameters.iter().zip(arguments)
        {
            let shown = self.show(value);
            self.change(Some(depth), self.program.variables[parameter].name.clone(), shown);
        }
    }

    fn left(&mut self, function: FunctionId, result: Option<Value>) {
        self.frames.pop();
        if let Some(value) = result
            && self.frames.len() > 1
        {
            let shown =
                format!("{}() = {}", self.program.functions[function].name, self.show(value));
            if let Some(step) = self.current() {
                step.words.push(shown);
            }
        }
    }
}

//! Memory as a run is told: objects with names, cells with values, and a
//! drawing of the heap.
//!
//! Objects are named by the variable that lives there; those of the heap are
//! numbered. Cells have the names of a struct of the object's size (`heap#1.next`); where there is none,
//! `a[3]` stands for the fourth cell of an object that is only written in cells
//! of one size, else the offset in bytes is given: `s+12`. Which of the last two it is
//! shows at the end of the run: so a run is told after it was watched once
//! ([`Memory::sizes`]).
//!
//! A drawing has a box for every object of the heap with its cells, one for every other object that
//! holds a pointer into the heap, and one for every variable that does; arrows are
//! pointers. What has been freed stays, dashed, for as long as something points to
//! it: that is what a use after `free` looks like. Cells that were written as part of a larger copy
//! (`memcpy`, assignment of records in memory) are not followed.

use bolide_base::HashMap;
use bolide_cfa::interpreter::View;
use bolide_cfa::render::diagram::{ArrowKind, Diagram, VertexKind};
use bolide_cfa::value::{Pointer, Provenance, Value};
use bolide_cfa::{AllocKind, Op, Program, Variable, VariableKind};
use std::collections::{BTreeMap, BTreeSet};

/// Objects of one drawing; more would not be looked at.
const OBJECTS: usize = 60;

/// Cells of an object that are remembered for drawings.
const CELLS: usize = 32;

/// What is known of an object.
struct Object {
    name: String,
    base: u64,
    /// In bytes, where it is known.
    size: Option<u64>,
    /// The size of the cells that were written; 0 when they differ.
    cell: u64,
    on_heap: bool,
    alive: bool,
    /// By offset.
    cells: BTreeMap<u64, Value>,
    /// Names of cells by offset.
    names: BTreeMap<u64, String>,
}

/// All objects, in the order in which they came to life.
pub struct Memory<'a> {
    program: &'a Program,
    objects: Vec<Object>,
    by_provenance: HashMap<Provenance, usize>,
    heap_objects: usize,
    /// The sizes of cells by object, where the run has been watched before.
    known: Vec<u64>,
    /// What a drawing may show: objects of the heap, and others that hold a pointer,
    /// for as long as they live.
    drawn: BTreeSet<usize>,
}

impl<'a> Memory<'a> {
    /// No object yet.
    pub fn new(program: &'a Program) -> Self {
        Memory::with_sizes(program, Vec::new())
    }

    /// The run begins: static objects are there.
    pub fn begin(&mut self, view: &View<'_>) {
        for (object, pointer) in view.static_objects() {
            let object = &self.program.objects[object];
            self.allocate(pointer, Some(object.name.clone()), false, Some(object.size));
        }
    }

    /// An allocation gave a variable this pointer.
    pub fn make(&mut self, op: &Op, to: &Variable, pointer: Pointer, size: Option<u64>) {
        let Op::Alloc { kind, .. } = op else { return };
        let on_heap = *kind == AllocKind::Heap && to.kind != VariableKind::Address;
        // Locals of the same name in several blocks are told apart behind a `#`.
        let name = to.name.split('#').next().unwrap_or(&to.name);
        // What the entry makes and names keeps that name: it is part of where the run starts.
        let is_named =
            !on_heap || to.function == Some(self.program.entry) && to.kind == VariableKind::Local;
        self.allocate(pointer, is_named.then(|| name.to_owned()), on_heap, size);
    }

    /// Memory of a run that was watched before.
    pub fn with_sizes(program: &'a Program, known: Vec<u64>) -> Self {
        Memory {
            program,
            objects: Vec::new(),
            by_provenance: HashMap::default(),
            heap_objects: 0,
            known,
            drawn: BTreeSet::new(),
        }
    }

    /// For each object the size of its cells; 0 where they differ.
    pub fn sizes(&self) -> Vec<u64> {
        self.objects.iter().map(|object| object.cell).collect()
    }

    /// A new object; without a name it is numbered.
    fn allocate(
        &mut self,
        pointer: Pointer,
        name: Option<String>,
        on_heap: bool,
        size: Option<u64>,
    ) {
        self.heap_objects += usize::from(name.is_none());
        let name = name.unwrap_or_else(|| format!("heap#{}", self.heap_objects));
        self.by_provenance.insert(pointer.provenance, self.objects.len());
        if on_heap {
            self.drawn.insert(self.objects.len());
        }
        self.objects.push(Object {
            name,
            base: pointer.address,
            size,
            cell: self.known.get(self.objects.len()).copied().unwrap_or(u64::MAX),
            on_heap,
            alive: true,
            cells: BTreeMap::new(),
            names: BTreeMap::new(),
        });
    }

    /// The object that a pointer points into is no more.
    pub fn release(&mut self, pointer: Pointer) {
        if let Some(&index) = self.by_provenance.get(&pointer.provenance) {
            self.objects[index].alive = false;
            self.drawn.remove(&index);
        }
    }

    /// A value of `size` bytes was written; what the cell is called.
    pub fn store(&mut self, pointer: Pointer, size: u64, value: Value) -> Option<String> {
        let &index = self.by_provenance.get(&pointer.provenance)?;
        let object = &mut self.objects[index];
        let offset = pointer.address.checked_sub(object.base)?;
        match object.cell {
            u64::MAX => object.cell = size,
            cell if cell != size => object.cell = 0,
            _ => {}
        }
        if let Some(size) = object.size
            && let Some(name) = self.program.field_name(Some(size), offset, value.ty())
        {
            object.names.entry(offset).or_insert_with(|| format!(".{name}"));
        }
        if object.cells.len() < CELLS || object.cells.contains_key(&offset) {
            object.cells.insert(offset, value);
        }
        if matches!(value, Value::Pointer(_)) || object.on_heap {
            self.drawn.insert(index);
        }
        let object = &self.objects[index];
        Some(format!("{}{}", object.name, object.place(offset)))
    }

    /// The value for people: pointers by the object that they point into.
    pub fn show(&self, value: Value) -> String {
        match value {
            Value::Pointer(p) if p.address == 0 => "NULL".to_owned(),
            Value::Pointer(p) => match self.target(p).map(|index| &self.objects[index]) {
                Some(object) if p.address == object.base => format!("&{}", object.name),
                Some(object) if p.address > object.base => {
                    format!("&{}{}", object.name, object.place(p.address - object.base))
                }
                _ => format!("0x{:x}", p.address),
            },
            other => other.to_string(),
        }
    }

    fn target(&self, pointer: Pointer) -> Option<usize> {
        self.by_provenance.get(&pointer.provenance).copied()
    }

    /// Draws the heap with these variables; none where there is no heap.
    pub fn draw(&self, variables: &[(String, Value)]) -> Option<Diagram> {
        let points_to = |value: &Value| match value {
            Value::Pointer(p) if p.address != 0 => self.target(*p),
            _ => None,
        };
        let into_heap = |value: &Value| points_to(value).filter(|&t| self.objects[t].on_heap);
        let mut shown: BTreeSet<usize> = self
            .drawn
            .iter()
            .map(|&index| (index, &self.objects[index]))
            .filter(|(_, o)| o.on_heap || o.cells.values().any(|v| into_heap(v).is_some()))
            .map(|(index, _)| index)
            .collect();
        // What was freed and is still pointed to.
        let held: Vec<usize> = shown
            .iter()
            .flat_map(|&index| self.objects[index].cells.values())
            .chain(variables.iter().map(|(_, value)| value))
            .filter_map(into_heap)
            .collect();
        shown.extend(held);
        if !shown.iter().any(|&index| self.objects[index].on_heap) {
            return None;
        }
        let shown: Vec<(usize, &Object)> =
            shown.into_iter().map(|index| (index, &self.objects[index])).collect();
        let mut diagram = Diagram { name: "heap".into(), ..Diagram::default() };
        let omitted = shown.len().saturating_sub(OBJECTS);
        diagram.omitted = omitted;
        let holders: Vec<(usize, usize)> = variables
            .iter()
            .filter_map(|(name, value)| {
                let target = into_heap(value)?;
                Some((diagram.add(VertexKind::Head, vec![name.clone()]), target))
            })
            .collect();
        // Of too many the newest are drawn.
        let mut boxes: BTreeMap<usize, usize> = BTreeMap::new();
        for &(index, object) in &shown[omitted..] {
            let mut lines = vec![object.name.clone()];
            if !object.alive {
                lines.push("freed".into());
            }
            lines.extend(object.cells.iter().filter(|(_, v)| points_to(v).is_none()).map(
                |(&offset, &value)| format!("{} = {}", object.label(offset), self.show(value)),
            ));
            let kind = if object.alive { VertexKind::Plain } else { VertexKind::Covered };
            boxes.insert(index, diagram.add(kind, lines));
        }
        for (from, target) in holders {
            if let Some(&to) = boxes.get(&target) {
                diagram.connect(from, to, ArrowKind::Step, String::new());
            }
        }
        for &(index, object) in &shown[omitted..] {
            for (&offset, value) in &object.cells {
                let to = points_to(value).and_then(|target| boxes.get(&target));
                if let Some(&to) = to {
                    diagram.connect(boxes[&index], to, ArrowKind::Step, object.label(offset));
                }
            }
        }
        Some(diagram)
    }
}

impl Object {
    /// A cell inside of the object's box.
    fn label(&self, offset: u64) -> String {
        let place = self.place(offset);
        place.strip_prefix('.').map_or(place.clone(), str::to_owned)
    }

    /// A cell, as it is written behind the object's name.
    fn place(&self, offset: u64) -> String {
        if let Some(name) = self.names.get(&offset) {
            return name.clone();
        }
        match self.cell {
            0 | u64::MAX => format!("+{offset}"),
            cell if offset.is_multiple_of(cell) => format!("[{}]", offset / cell),
            _ => format!("+{offset}"),
        }
    }
}

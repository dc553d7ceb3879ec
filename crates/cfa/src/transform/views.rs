//! Memory that is read with another type than it was written with.
//!
//! A region has cells of one type. Where a field of the points-to graph is accessed as several,
//! as the members of a union are, formulas know nothing of it. Two ways out, on the program:
//!
//! - *one width*: all accesses cover the whole field. It becomes an unsigned integer of that
//!   width, and an access converts: signed and unsigned views by C's conversion, floats by their pattern, and
//!   pointers by their address, where formulas have addresses, that is, on demand;
//! - *bytes*: otherwise the field becomes bytes. A read puts them together, a write takes the value
//!   apart. That costs as many cells as there are bytes, so it is done on demand only, and only for fields that are read
//!   where somebody asks for it ([`Asked`]).
//!
//! The fields are then of one type each, and regions, scalars, slices and formulas need not know
//! that they ever were not. Little endian, as all targets are.
//!
//! Left alone: fields that may hold pointers and are accessed in parts (the analysis would lose them on their way
//! through bytes), volatile ones, memory that external code knows, and floats with padding.

use super::bit_fields;
use super::compact::compact;
use super::{Mapped, fold};
use crate::analysis::points_to::graph::{Cell, Field, NodeId, Shape};
use crate::analysis::uses::Walker;
use crate::analysis::{BitSet, PointsTo};
use crate::expr::{Access, BinaryOp, BitRange, Expr, ExprId};
use crate::program::*;
use crate::types::{FloatKind, IntType, Target, Type};
use bolide_base::HashMap;
use bolide_base::arena::Id;
use std::collections::{BTreeMap, BTreeSet};

/// Which memory is asked to be bytes where accesses are of several widths, and addresses where it holds pointers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// None.
    #[default]
    Nothing,
    /// What these edges of the first program read.
    ReadAt(BTreeSet<EdgeId>),
    /// All.
    All,
}

impl Asked {
    /// With what more edges read; none where that is asked already.
    pub fn with(&self, more: &BTreeSet<EdgeId>) -> Option<Asked> {
        let mut edges = match self {
            Asked::Nothing => BTreeSet::new(),
            Asked::ReadAt(edges) => edges.clone(),
            Asked::All => return None,
        };
        let known = edges.len();
        edges.extend(more);
        (edges.len() > known).then_some(Asked::ReadAt(edges))
    }
}

/// What a mixed field becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// One unsigned integer.
    Whole,
    Bytes,
}

/// Gives mixed fields one type; where it is asked, also those whose accesses are of several widths, and those that
/// hold pointers.
pub fn views(mapped: &mut Mapped, asked: &Asked) {
    // Code that cannot run is not analysed.
    compact(mapped, &BitSet::default());
    let mut fields = Fields::new(mapped, asked);
    if fields.views.is_empty() {
        return;
    }
    let initial = initial_values(&mut mapped.program, &mut fields);
    // Operands come before what uses them.
    let program = &mut mapped.program;
    let mut new: Vec<ExprId> = Vec::with_capacity(program.exprs.len());
    for id in program.exprs.ids() {
        let old = program.exprs.get(id).clone();
        let expr = old.map_operands(|operand| new[operand.index()]);
        let view = match old {
            Expr::Load(access) => fields.of_pointer(access.pointer),
            _ => None,
        };
        new.push(match (expr, view) {
            (Expr::Load(access), Some(view)) => read(program, access, view),
            (expr, _) => program.expr(expr),
        });
    }
    for (object, values) in initial {
        mapped.program.objects[object].initial = values;
    }
    for id in mapped.program.edges.ids().collect::<Vec<_>>() {
        let view = match mapped.program.edges[id].op {
            Op::Store { access, .. } => fields.of_pointer(access.pointer),
            _ => None,
        };
        mapped.program.edges[id].op.map_operands(|e| new[e.index()]);
        if let (&Op::Store { access, value }, Some(view)) = (&mapped.program.edges[id].op, view) {
            let ops = write(mapped, id, access, view, value);
            mapped.replace_by_sequence(id, ops);
        }
    }
}

/// The mixed fields that get one type, by node and start.
struct Fields {
    points_to: PointsTo,
    /// So many expressions were analysed.
    analysed: usize,
    views: HashMap<(NodeId, i64), View>,
}

impl Fields {
    fn new(mapped: &Mapped, asked: &Asked) -> Fields {
        let program = &mapped.program;
        let mut fields = Fields {
            points_to: PointsTo::new(program),
            analysed: program.exprs.len(),
            views: HashMap::default(),
        };
        // By field: whether all of its accesses can be converted, whether all cover it, and whether
        // it has numbers only.
        let mut seen: BTreeMap<(NodeId, i64), [bool; 3]> = BTreeMap::new();
        for (cell, ty, bits) in fields.accesses(program) {
            let Some((node, start, field)) = fields.points_to.graph().field(cell) else { continue };
            if field.shape != Shape::Mixed {
                continue;
            }
            let at = fields.points_to.graph().find(cell).offset;
            let covers = at == start && ty.size(program.target) as i64 == field.size;
            let converts = bits.is_none()
                && unsigned(ty, program.target).is_some()
                && !field.volatile
                && !fields.points_to.graph().node(node).universal;
            let numbers = ty != Type::Pointer && !fields.holds_pointers(field);
            let entry = seen.entry((node, start)).or_insert([true; 3]);
            for (all, this) in entry.iter_mut().zip([converts, covers, numbers]) {
                *all &= this;
            }
        }
        let read = match asked {
            Asked::ReadAt(edges) => fields.read_at(mapped, edges),
            Asked::Nothing | Asked::All => BTreeSet::new(),
        };
        for (key, [converts, covers, numbers]) in seen {
            let bytes = *asked == Asked::All || read.contains(&key);
            if converts && if covers { numbers || bytes } else { numbers && bytes } {
                fields.views.insert(key, if covers { View::Whole } else { View::Bytes });
            }
        }
        fields
    }

    /// The fields that edges read which come from these.
    fn read_at(&mut self, mapped: &Mapped, edges: &BTreeSet<EdgeId>) -> BTreeSet<(NodeId, i64)> {
        let program = &mapped.program;
        let mut read = BTreeSet::new();
        for (id, edge) in program.edges.iter() {
            if !mapped.edges[id].iter().any(|from| edges.contains(from)) {
                continue;
            }
            for e in Walker::new().bottom_up(&program.exprs, &edge.op.operands()) {
                if let Expr::Load(access) = program.exprs.get(e) {
                    let cell = self.points_to.of_pointer(access.pointer);
                    let field = self.points_to.graph().field(cell);
                    read.extend(field.map(|(node, start, _)| (node, start)));
                }
            }
        }
        read
    }

    /// Where memory is accessed in the whole program, and as what.
    fn accesses(&mut self, program: &Program) -> Vec<(Cell, Type, Option<BitRange>)> {
        let mut found = Vec::new();
        let mut walker = Walker::new();
        let roots: Vec<ExprId> = program.edges.values().flat_map(|e| e.op.operands()).collect();
        walker.walk(&program.exprs, &roots, |_, expr| {
            if let Expr::Load(access) = expr {
                found.push(*access);
            }
        });
        for edge in program.edges.values() {
            if let Op::Store { access, .. } = edge.op {
                found.push(access);
            }
        }
        let mut accesses: Vec<_> =
            found.iter().map(|a| (self.points_to.of_pointer(a.pointer), a.ty, a.bits)).collect();
        for (id, object) in program.objects.iter() {
            let Some(at) = self.points_to.of_object(id) else { continue };
            for value in &object.initial {
                let ty = program.exprs.type_of(value.value);
                accesses.push((at.moved(value.offset as i64), ty, value.bits));
            }
        }
        accesses
    }

    fn holds_pointers(&mut self, field: Field) -> bool {
        field.content.is_some_and(|cell| {
            let root = self.points_to.graph().find(cell).node;
            let target = self.points_to.graph().node(root);
            let outside = target.universal || target.unknown;
            outside || !target.places.is_empty() || !target.functions.is_empty()
        })
    }

    fn of_cell(&mut self, cell: Cell) -> Option<View> {
        let (node, start, _) = self.points_to.graph().field(cell)?;
        self.views.get(&(node, start)).copied()
    }

    fn of_pointer(&mut self, pointer: ExprId) -> Option<View> {
        if pointer.index() >= self.analysed {
            return None;
        }
        let cell = self.points_to.of_pointer(pointer);
        self.of_cell(cell)
    }
}

/// The unsigned integers as wide as a type; none where that does not say all of it.
fn unsigned(ty: Type, target: Target) -> Option<IntType> {
    match ty {
        Type::Pointer => Some(IntType::unsigned(target.pointer_bits)),
        Type::Int(IntType::BOOL) => Some(IntType::unsigned(8)),
        Type::Int(int) if matches!(int.bits, 8 | 16 | 32 | 64) => Some(IntType::unsigned(int.bits)),
        Type::Float(FloatKind::F32) => Some(IntType::unsigned(32)),
        Type::Float(FloatKind::F64) => Some(IntType::unsigned(64)),
        _ => None,
    }
}

/// The access as the field has it: to an unsigned integer, or to all bits of one.
fn seen_as(access: Access, view: View, target: Target) -> (Access, IntType) {
    let int = unsigned(access.ty, target).expect("chosen for that");
    let bits = match view {
        View::Whole => None,
        View::Bytes => Some(BitRange { offset: 0, width: int.bits }),
    };
    (Access { ty: Type::Int(int), bits, ..access }, int)
}

fn read(program: &mut Program, access: Access, view: View) -> ExprId {
    let (bytes, _) = seen_as(access, view, program.target);
    let value = match view {
        View::Whole => program.expr(Expr::Load(bytes)),
        View::Bytes => bit_fields::read(program, &bytes),
    };
    match access.ty {
        Type::Float(_) => program.expr(Expr::Pattern(access.ty, value)),
        _ => program.exprs.cast(access.ty, value),
    }
}

fn write(mapped: &mut Mapped, edge: EdgeId, access: Access, view: View, value: ExprId) -> Vec<Op> {
    let (bytes, int) = seen_as(access, view, mapped.program.target);
    let value = pattern(&mut mapped.program, value, int);
    match bytes.bits {
        None => vec![Op::Store { access: bytes, value }],
        Some(bits) => bit_fields::write(mapped, edge, bytes, bits, value),
    }
}

/// A value as an unsigned integer.
fn pattern(program: &mut Program, value: ExprId, int: IntType) -> ExprId {
    match program.exprs.type_of(value) {
        Type::Float(_) => fold::simplify(program, Expr::Pattern(Type::Int(int), value)),
        _ => program.exprs.cast(Type::Int(int), value),
    }
}

/// The initial values of objects, as their fields are seen now.
fn initial_values(
    program: &mut Program,
    fields: &mut Fields,
) -> Vec<(ObjectId, Vec<InitialValue>)> {
    let mut changed = Vec::new();
    for id in program.objects.ids().collect::<Vec<_>>() {
        let Some(at) = fields.points_to.of_object(id) else { continue };
        let old = program.objects[id].initial.clone();
        let mut new = Vec::with_capacity(old.len());
        for entry in &old {
            let Some(view) = fields.of_cell(at.moved(entry.offset as i64)) else {
                new.push(*entry);
                continue;
            };
            let ty = program.exprs.type_of(entry.value);
            let int = unsigned(ty, program.target).expect("chosen for that");
            let value = pattern(program, entry.value, int);
            if view == View::Whole {
                new.push(InitialValue { value, ..*entry });
                continue;
            }
            let byte = IntType::unsigned(8);
            for index in 0..int.bits / 8 {
                let amount = program.exprs.int(i128::from(8 * index), int);
                let part = fold::simplify(program, Expr::Binary(BinaryOp::Shr, value, amount));
                let value = program.exprs.cast(Type::Int(byte), part);
                new.push(InitialValue {
                    offset: entry.offset + u64::from(index),
                    bits: None,
                    value,
                });
            }
        }
        if new != old {
            changed.push((id, new));
        }
    }
    changed
}

//! Memory split into regions, one for each field of each node of the
//! points-to graph, and variables that need no memory taken out of it.
//!
//! After this pass every access names the region that holds the bytes it
//! touches; accesses in different regions never touch a common byte. The
//! operations on whole objects (allocation, `free`, the end of a lifetime, the
//! conditions `Valid` and `Freeable`) name the *principal* region of the
//! object's node: one and the same for all of them, whichever field the pointer points to. Their effect is on
//! liveness, not on contents. [`Program::object_parts`] says where static
//! objects lie and [`Program::external_region`] what external code may change.
//!
//! An operation on a byte range that spans several regions is taken apart:
//! - zeroed allocation: plain allocation, then a fill for each region;
//! - fill: typed stores where the extent is known and a field has one type, else one fill for
//!   each region (fills with one byte can be repeated without harm);
//! - copy of known extent: loads of all typed fields, copies of the mixed ones, then stores, so
//!   that overlapping ranges are right. A copy of unknown extent made its node one field already.
//!
//! `promote` decides which fields become scalar variables again, `names` what these are called.

mod names;
mod promote;

use self::promote::{FieldKey, Promoted};
use crate::analysis::points_to::graph::{Cell, Field, NodeId, Place, Shape};
use crate::analysis::{BitSet, PointsTo};
use crate::expr::{Access, Expr, ExprId};
use crate::program::*;
use crate::transform::Mapped;
use crate::transform::compact::compact;
use crate::types::{IntType, Type};
use bolide_base::HashMap;
use bolide_base::arena::Id;

/// Which memory may become variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promote {
    /// None.
    Nothing,
    /// Static objects and locals.
    Known,
    /// Also what is made once on the heap.
    Heap,
}

/// Assigns regions, and makes scalars of fields that allow it.
pub fn regions(mapped: &mut Mapped, promote: Promote) {
    // Code that cannot run has no cells; it must not pretend to share none.
    compact(mapped, &BitSet::default());
    let mut points_to = PointsTo::new(&mapped.program);
    let promoted = match promote {
        Promote::Nothing => Promoted::default(),
        _ => promote::promote(mapped, &mut points_to, promote == Promote::Heap),
    };
    let mut split = Splitter {
        points_to,
        promoted,
        regions: HashMap::default(),
        principal: HashMap::default(),
    };
    split.name_regions(mapped);
    split.place_objects(&mut mapped.program);
    let edges: Vec<EdgeId> = mapped.program.edges.ids().collect();
    let map = split.rewrite(&mut mapped.program);
    for id in edges {
        split.edge(mapped, id, &map);
    }
    for variable in mapped.program.variables.values_mut() {
        variable.initial = variable.initial.map(|e| map[e.index()]);
    }
    for object in mapped.program.objects.values_mut() {
        object.initial.iter_mut().for_each(|init| init.value = map[init.value.index()]);
    }
    compact(mapped, &BitSet::default());
}

struct Splitter {
    points_to: PointsTo,
    promoted: Promoted,
    regions: HashMap<FieldKey, RegionId>,
    principal: HashMap<NodeId, RegionId>,
}

/// A piece of a byte range that lies in one field.
struct Piece {
    key: FieldKey,
    field: Field,
    /// Bytes from the start of the range to the start of the field; negative
    /// where the field starts before the range.
    offset: i64,
    /// The field lies wholly in the range, once.
    whole: bool,
}

impl Splitter {
    /// Makes a region for each field that code accesses and does not become a
    /// variable, in order of nodes and offsets.
    fn name_regions(&mut self, mapped: &mut Mapped) {
        let universe = self.points_to.universe().node;
        let program = &mut mapped.program;
        let all = program.regions[RegionId::ALL].clone();
        program.regions = std::iter::once(all).collect();
        program.external_region = None;
        for root in self.points_to.roots() {
            let node = self.points_to.graph().node(root).clone();
            let object = match node.places[..] {
                [(Place::Static(object), _)] if !node.universal => Some(object),
                _ => None,
            };
            let base = match node.places.iter().min_by_key(|(place, _)| *place) {
                Some((Place::Static(object), at)) => {
                    Some((program.objects[*object].name.clone(), *at))
                }
                Some((Place::Site(edge), at)) => program.edges[*edge]
                    .op
                    .target()
                    .map(|var| (program.variables[var].name.clone(), *at)),
                None => None,
            };
            let size = names::size(program, &node.places);
            for (&start, field) in &node.fields {
                if !(field.accessed || (root == universe && !node.places.is_empty()))
                    || self.promoted.variable((root, start)).is_some()
                {
                    continue;
                }
                let name = match &base {
                    _ if node.universal => "external".to_owned(),
                    None => "nowhere".to_owned(),
                    Some((name, at)) => {
                        let offset = if node.period == 0 {
                            start - at
                        } else {
                            (start - at).rem_euclid(node.period as i64)
                        };
                        let ty = if let Shape::One(ty) = field.shape { Some(ty) } else { None };
                        let size = (node.period != 0).then_some(node.period).or(size);
                        let field = names::field(program, size, offset, ty);
                        match (node.fields.len(), offset, node.period) {
                            (1, ..) if field.is_empty() => name.clone(),
                            (_, o, 0) => format!("{name}+{o}{field}"),
                            (_, o, p) => format!("{name}+{o}{field}%{p}"),
                        }
                    }
                };
                let cell = match field.shape {
                    Shape::One(ty) if !node.universal => Some(ty),
                    _ => None,
                };
                let aligned = !node.places.is_empty()
                    && node.period.is_multiple_of(field.size as u64)
                    && node.places.iter().all(|(_, at)| (start - at) % field.size == 0);
                let region = program.regions.push(Region { name, cell, aligned, object });
                self.regions.insert((root, start), region);
                self.principal.entry(root).or_insert(region);
                if root == universe {
                    program.external_region = Some(region);
                }
            }
        }
    }

    fn place_objects(&mut self, program: &mut Program) {
        let mut parts = Vec::new();
        for (object, definition) in program.objects.iter() {
            let Some(at) = self.points_to.of_object(object) else { continue };
            let node = self.points_to.graph().node(at.node).clone();
            let size = definition.size;
            for (&start, field) in &node.fields {
                let Some(&region) = self.regions.get(&(at.node, start)) else { continue };
                let width = field.size as u64;
                let mut part = |offset: u64, size: u64, stride: u64, count: u64| {
                    parts.push(ObjectPart { object, offset, size, stride, count, region });
                };
                if node.period == 0 {
                    let first = start - at.offset;
                    let (lo, hi) = (first.max(0), (first + field.size).min(size as i64));
                    if lo < hi {
                        part(lo as u64, (hi - lo) as u64, 0, 1);
                    }
                } else if node.period == width {
                    part(0, size, 0, 1);
                } else {
                    let period = node.period;
                    let first = (start - at.offset).rem_euclid(period as i64) as u64;
                    if first + width > period {
                        part(0, first + width - period, 0, 1);
                    }
                    if first < size {
                        let count = (size - first).div_ceil(period);
                        let stride = if count > 1 { period } else { 0 };
                        part(first, width.min(size - first), stride, count);
                    }
                }
            }
        }
        parts.sort_unstable();
        program.object_parts = parts;
    }

    /// The region that every operation on the object as a whole names. An
    /// object none of whose bytes is accessed gets a region of its own.
    fn principal(&mut self, program: &mut Program, cell: Cell) -> RegionId {
        let root = self.points_to.graph().find(cell).node;
        *self.principal.entry(root).or_insert_with(|| {
            program.regions.push(Region {
                name: "untouched".into(),
                cell: None,
                aligned: false,
                object: None,
            })
        })
    }

    fn key(&mut self, cell: Cell) -> FieldKey {
        let (root, start, _) = self.points_to.graph().field(cell).expect("an accessed cell");
        (root, start)
    }

    /// Rewrites all expressions of the pool; the result maps old ids to new.
    fn rewrite(&mut self, program: &mut Program) -> Vec<ExprId> {
        let mut map: Vec<ExprId> = Vec::with_capacity(program.exprs.len());
        for old in program.exprs.ids() {
            let original = program.exprs.get(old).clone();
            let mut expr = original.map_operands(|operand| map[operand.index()]);
            match (&original, &mut expr) {
                (Expr::Load(before), Expr::Load(access)) => {
                    let cell = self.points_to.of_pointer(before.pointer);
                    // Expressions that no edge uses were not analysed.
                    if self.points_to.graph().field(cell).is_some() {
                        let key = self.key(cell);
                        if let Some(var) = self.promoted.variable(key) {
                            expr = Expr::Var(var);
                        } else {
                            access.region =
                                self.regions.get(&key).copied().unwrap_or(RegionId::ALL);
                        }
                    }
                }
                (Expr::Valid { pointer: before, .. }, Expr::Valid { region, .. })
                | (Expr::Freeable { pointer: before, .. }, Expr::Freeable { region, .. }) => {
                    let cell = self.points_to.of_pointer(*before);
                    // Of a pointer from nowhere any object may be meant.
                    *region = match self.points_to.graph().node(cell.node).unknown {
                        true => RegionId::ALL,
                        false => self.principal(program, cell),
                    };
                }
                _ => {}
            }
            let new = program.expr(expr);
            map.push(new);
        }
        map
    }

    fn edge(&mut self, mapped: &mut Mapped, id: EdgeId, map: &[ExprId]) {
        let mut op = mapped.program.edges[id].op.clone();
        // The analysis knows the pointers as they were.
        let pointer = match &op {
            Op::Store { access, .. } => Some(access.pointer),
            Op::Free { pointer, .. }
            | Op::EndLifetime { pointer, .. }
            | Op::Fill { to: pointer, .. }
            | Op::Copy { to: pointer, .. } => Some(*pointer),
            _ => None,
        };
        let cell = pointer.map(|pointer| self.points_to.of_pointer(pointer));
        op.map_operands(|e| map[e.index()]);
        let program = &mut mapped.program;
        let ops = match (op, cell) {
            (Op::Store { access, value }, Some(cell)) => {
                let key = self.key(cell);
                vec![match self.promoted.variable(key) {
                    Some(target) => Op::Assign { target, value },
                    None => {
                        Op::Store { access: Access { region: self.regions[&key], ..access }, value }
                    }
                }]
            }
            (Op::Free { pointer, .. }, Some(cell)) => {
                vec![Op::Free { pointer, region: self.principal(program, cell) }]
            }
            (Op::EndLifetime { pointer, .. }, Some(cell)) => {
                vec![Op::EndLifetime { pointer, region: self.principal(program, cell) }]
            }
            (Op::Fill { to, byte, size, .. }, Some(cell)) => {
                self.fill(program, cell, to, byte, size)
            }
            (Op::Copy { to, from, size, .. }, Some(cell)) => {
                self.copy(mapped, id, cell, (to, from, size))
            }
            (op, _) => self.allocation(program, op),
        };
        mapped.replace_by_sequence(id, ops);
    }

    fn allocation(&mut self, program: &mut Program, op: Op) -> Vec<Op> {
        let Op::Alloc { target, size, align, kind, zeroed, frame, .. } = op else {
            return vec![op];
        };
        let cell = self.points_to.of_variable(target).expect("allocations have cells");
        let region = self.principal(program, cell);
        let node = self.points_to.graph().node(cell.node).clone();
        let starts: Vec<i64> = node
            .fields
            .iter()
            .filter(|(_, f)| f.accessed || node.universal)
            .map(|(&s, _)| s)
            .collect();
        let scalars: Vec<VarId> =
            starts.iter().filter_map(|&s| self.promoted.variable((cell.node, s))).collect();
        if !zeroed || (starts.len() == 1 && scalars.is_empty()) {
            let mut ops = vec![Op::Alloc { target, size, align, kind, zeroed, frame, region }];
            ops.extend(
                scalars
                    .into_iter()
                    .map(|target| Op::Nondet { target, source: NondetSource::Uninitialized }),
            );
            return ops;
        }
        let mut ops = vec![Op::Alloc { target, size, align, kind, zeroed: false, frame, region }];
        let to = program.read(target);
        let zero = program.exprs.int(0, IntType::unsigned(8));
        ops.extend(self.fill(program, cell, to, zero, size));
        ops
    }

    /// The pieces of the range of `size` bytes from `cell` on.
    fn pieces(&mut self, cell: Cell, size: Option<u64>) -> Vec<Piece> {
        let at = self.points_to.graph().find(cell);
        let node = self.points_to.graph().node(at.node).clone();
        let known =
            size.is_some_and(|size| node.period == 0 || at.offset as u64 + size <= node.period);
        let end = match size {
            Some(size) if known => at.offset.saturating_add_unsigned(size),
            _ => i64::MAX,
        };
        let begin = if node.period == 0 || known { at.offset } else { i64::MIN };
        node.fields
            .iter()
            .filter(|(start, field)| {
                (field.accessed || node.universal) && **start < end && **start + field.size > begin
            })
            .filter(|(start, _)| {
                // Nobody looks at what has neither a region nor a variable.
                let key = (at.node, **start);
                self.regions.contains_key(&key) || self.promoted.variable(key).is_some()
            })
            .map(|(&start, &field)| Piece {
                key: (at.node, start),
                field,
                offset: start.saturating_sub(at.offset),
                whole: known && start >= begin && start + field.size <= end,
            })
            .collect()
    }

    fn fill(
        &mut self,
        program: &mut Program,
        cell: Cell,
        to: ExprId,
        byte: ExprId,
        size: ExprId,
    ) -> Vec<Op> {
        let extent = program.exprs.as_int(size).and_then(|s| u64::try_from(s).ok());
        let constant = match *program.exprs.get(byte) {
            Expr::Int { bits, .. } => Some(bits & 0xff),
            _ => None,
        };
        let mut ops = Vec::new();
        for piece in self.pieces(cell, extent) {
            let variable = self.promoted.variable(piece.key);
            let typed = match (piece.field.shape, constant) {
                (Shape::One(ty), Some(byte)) if piece.whole && !piece.field.volatile => {
                    pattern(program, ty, byte).map(|value| (ty, value))
                }
                _ => None,
            };
            ops.push(match (variable, typed) {
                (Some(target), Some((_, value))) => Op::Assign { target, value },
                // Promotion saw all ranges that can touch the field; what is
                // left is a byte that is not constant.
                (Some(target), None) => Op::Nondet {
                    target,
                    source: NondetSource::Unmodelled("memset of a scalar".into()),
                },
                (None, Some((ty, value))) => {
                    let pointer = moved(program, to, piece.offset);
                    let region = self.regions[&piece.key];
                    Op::Store { access: Access { region, ..Access::of(pointer, ty) }, value }
                }
                (None, None) => Op::Fill { to, byte, size, region: self.regions[&piece.key] },
            });
        }
        ops
    }

    fn copy(
        &mut self,
        mapped: &mut Mapped,
        id: EdgeId,
        cell: Cell,
        (to, from, size): (ExprId, ExprId, ExprId),
    ) -> Vec<Op> {
        let extent = mapped.program.exprs.as_int(size).and_then(|s| u64::try_from(s).ok());
        let pieces = self.pieces(cell, extent);
        if !self.points_to.copy_splits(cell, extent) || pieces.len() <= 1 {
            let ops = pieces.iter().map(|piece| {
                let region = self.regions[&piece.key];
                Op::Copy { to, from, size, to_region: region, from_region: region }
            });
            return ops.collect();
        }
        let extent = extent.expect("a copy that splits has a known extent") as i64;
        let function = mapped.program.locations[mapped.program.edges[id].from].function;
        let (mut loads, mut copies, mut stores) = (Vec::new(), Vec::new(), Vec::new());
        for piece in pieces {
            let region = self.regions[&piece.key];
            match piece.field.shape {
                Shape::One(ty) if piece.whole && !piece.field.volatile => {
                    let target = mapped.temporary(function, "copied", ty);
                    let program = &mut mapped.program;
                    let pointer = moved(program, from, piece.offset);
                    let access = Access { region, ..Access::of(pointer, ty) };
                    let value = program.expr(Expr::Load(access));
                    loads.push(Op::Assign { target, value });
                    let pointer = moved(program, to, piece.offset);
                    let value = program.read(target);
                    stores.push(Op::Store { access: Access { pointer, ..access }, value });
                }
                _ => {
                    let program = &mut mapped.program;
                    let lo = piece.offset.max(0);
                    let hi = (piece.offset + piece.field.size).min(extent);
                    let (to, from) = (moved(program, to, lo), moved(program, from, lo));
                    let size = program.exprs.int(i128::from(hi - lo), program.target.size_type());
                    let (to_region, from_region) = (region, region);
                    copies.push(Op::Copy { to, from, size, to_region, from_region });
                }
            }
        }
        loads.into_iter().chain(copies).chain(stores).collect()
    }
}

/// The pointer `bytes` further on.
fn moved(program: &mut Program, pointer: ExprId, bytes: i64) -> ExprId {
    if bytes == 0 {
        return pointer;
    }
    let offset = program.exprs.int(i128::from(bytes), program.target.offset_type());
    program.expr(Expr::PointerAdd(pointer, offset))
}

/// The value of a type all of whose bytes are `byte`; none where that is not a
/// constant that can be written down.
fn pattern(program: &mut Program, ty: Type, byte: u128) -> Option<ExprId> {
    let repeated = byte * 0x0101_0101_0101_0101_0101_0101_0101_0101;
    Some(match ty {
        Type::Int(IntType::BOOL) if byte > 1 => return None,
        Type::Int(t) => program.expr(Expr::Int { bits: t.truncate(repeated), ty: t }),
        Type::Pointer if byte == 0 => program.expr(Expr::Null),
        Type::Float(kind) if byte == 0 => program.expr(Expr::Float { bits: 0, kind }),
        _ => return None,
    })
}

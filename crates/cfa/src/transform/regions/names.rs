//! What parts of memory are called: promoted fields as a reader of the source would write them, regions by what records call their cells.
//!
//! `point.x` for a part of a structure, `table[3]` where all parts have one size, `config->limit` on the heap. An object of the
//! heap has no name of its own. It is called by a pointer that nothing but it (or null) is ever put into: then the words are true
//! wherever that pointer is not null. Where there is none, the variable that the allocation fills has to do. Nothing
//! rests on these names; what has none has an offset in bytes (`union_of_things+4`).

use crate::analysis::points_to::graph::Place;
use crate::expr::Expr;
use crate::program::*;
use crate::types::Type;
use bolide_base::HashMap;

/// A field within its object.
pub(super) struct Part {
    pub offset: u64,
    /// Of the field, in bytes.
    pub width: u64,
    /// Of the object, in bytes.
    pub size: u64,
    pub ty: Type,
    /// Whether the object's other fields have the same width.
    pub alike: bool,
}

impl Part {
    /// The name of the field of an object that is called `base`, or that `base` points to.
    pub fn name(&self, program: &Program, base: &str, is_pointer: bool) -> String {
        let (offset, width) = (self.offset, self.width);
        match program.field_name(Some(self.size), offset, self.ty) {
            Some(field) if is_pointer => format!("{base}->{field}"),
            Some(field) => format!("{base}.{field}"),
            None if width == self.size && is_pointer => format!("*{base}"),
            None if width == self.size => base.to_owned(),
            None if self.alike && offset.is_multiple_of(width) && !self.may_be_record(program) => {
                format!("{base}[{}]", offset / width)
            }
            None => format!("{base}+{offset}"),
        }
    }

    /// Whether the object may be one of a record of the program, of which bytes are seen: no array then.
    fn may_be_record(&self, program: &Program) -> bool {
        program.records.iter().any(|record| {
            let is_union = record.fields.is_empty();
            let differs = record.fields.iter().any(|field| field.ty != self.ty);
            record.size == self.size && (is_union || differs)
        })
    }
}

/// What records call the cells of a region at this offset, with a dot before it.
pub(super) fn field(program: &Program, size: Option<u64>, offset: i64, ty: Option<Type>) -> String {
    let name = u64::try_from(offset).ok().zip(ty);
    let name = name.and_then(|(offset, ty)| program.field_name(Some(size?), offset, ty));
    name.map_or_else(String::new, |name| format!(".{name}"))
}

/// The size of the objects at these places, where all have the same.
pub(super) fn size(program: &Program, places: &[(Place, i64)]) -> Option<u64> {
    let size = |&(place, _): &(Place, i64)| match place {
        Place::Static(object) => Some(program.objects[object].size),
        Place::Site(edge) => match program.edges[edge].op {
            Op::Alloc { size, .. } => u64::try_from(program.exprs.as_int(size)?).ok(),
            _ => None,
        },
    };
    let first = size(places.first()?)?;
    places.iter().all(|place| size(place) == Some(first)).then_some(first)
}

/// By variable: the variable that is a copy of it, or null, all the time.
pub(super) struct Keepers(HashMap<VarId, VarId>);

impl Keepers {
    pub fn new(program: &Program) -> Keepers {
        // By target, the one variable that it is a copy of; none where it gets anything else.
        let mut sources: HashMap<VarId, Option<VarId>> = HashMap::default();
        for edge in program.edges.values() {
            let Some(target) = edge.op.target() else { continue };
            let source = match edge.op {
                Op::Assign { value, .. } => match *program.exprs.get(value) {
                    Expr::Null => continue,
                    Expr::Var(source) => Some(source),
                    _ => None,
                },
                Op::Nondet { source: NondetSource::Uninitialized, .. } => continue,
                _ => None,
            };
            let known = sources.entry(target).or_insert(source);
            if *known != source {
                *known = None;
            }
        }
        let mut pairs: Vec<(VarId, VarId)> =
            sources.into_iter().filter_map(|(target, source)| Some((source?, target))).collect();
        pairs.sort_unstable();
        // The first that is declared: later ones win over what is already there, hence backwards.
        Keepers(pairs.into_iter().rev().collect())
    }

    /// The pointer of the source by which an object of the heap is called; none for other allocations.
    pub fn called<'p>(&self, program: &'p Program, allocation: EdgeId) -> Option<&'p str> {
        let Op::Alloc { target, kind: AllocKind::Heap, .. } = program.edges[allocation].op else {
            return None;
        };
        let mut at = target;
        // Required: an end, where pointers are copied around in a circle.
        for _ in 0..8 {
            match (program.variables[at].kind, self.0.get(&at)) {
                (VariableKind::Temporary | VariableKind::Result, Some(&next)) => at = next,
                (VariableKind::Temporary | VariableKind::Result, None) => break,
                _ => return Some(&program.variables[at].name),
            }
        }
        Some(&program.variables[target].name)
    }
}

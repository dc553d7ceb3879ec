//! Which types can live in scalar variables, and how they come apart.
//!
//! A record whose members are scalars or such records again, without arrays
//! and unions, has *leaves*: its scalar members in order; complex numbers and
//! vectors have their parts and lanes. A variable of such a
//! type, whose address nobody takes, becomes one program variable for each leaf.

use super::{CType, TyId, TypeStore};
use bolide_cfa::{BitRange, Type};
use std::rc::Rc;

/// A scalar part of a type.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// `.a.b`; empty for a scalar itself.
    pub path: String,
    /// Offset in bytes.
    pub offset: u64,
    /// Which bits, for a bit-field.
    pub bits: Option<BitRange>,
    /// The C type.
    pub ty: TyId,
    /// The program type.
    pub scalar: Type,
    /// Declared `volatile`.
    pub volatile: bool,
}

/// Records with more leaves stay in memory. Heuristic: a struct of so many
/// scalars is rarely worked on as a value.
const MAX_LEAVES: usize = 64;

impl TypeStore {
    /// The leaves of a scalar or of a composite that has them.
    pub fn leaves(&self, ty: TyId) -> Option<Rc<[Leaf]>> {
        let mut leaves = Vec::new();
        self.collect_leaves(ty, String::new(), 0, &mut leaves).then(|| leaves.into())
    }

    /// How many leaves a type has that has leaves.
    pub fn leaf_count(&self, ty: TyId) -> usize {
        match self.get(ty) {
            CType::Record(r) => {
                self.records[*r].fields.iter().map(|f| self.leaf_count(f.ty.ty)).sum()
            }
            _ => self.lanes(ty).map_or(1, |lanes| lanes.count as usize),
        }
    }

    fn collect_leaves(&self, ty: TyId, path: String, offset: u64, into: &mut Vec<Leaf>) -> bool {
        if let Some(scalar) = self.scalar(ty) {
            into.push(Leaf { path, offset, bits: None, ty, scalar, volatile: false });
            return into.len() <= MAX_LEAVES;
        }
        if let Some(lanes) = self.lanes(ty) {
            let Some(size) = self.size(lanes.element) else { return false };
            return (0..lanes.count).all(|i| {
                let path = format!("{path}[{i}]");
                self.collect_leaves(lanes.element, path, offset + i * size, into)
            });
        }
        let CType::Record(r) = self.get(ty) else { return false };
        let record = &self.records[*r];
        if record.is_union || !record.complete {
            return false;
        }
        for (i, field) in record.fields.iter().enumerate() {
            let name = match &field.name {
                Some(name) => format!("{path}.{name}"),
                None => format!("{path}.{i}"),
            };
            let first = into.len();
            if !self.collect_leaves(field.ty.ty, name, offset + field.offset, into) {
                return false;
            }
            for leaf in &mut into[first..] {
                leaf.volatile |= field.ty.is_volatile;
                if field.bits.is_some() {
                    leaf.bits = field.bits;
                }
            }
        }
        true
    }
}

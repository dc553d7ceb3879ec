//! The layouts of the structs whose members a program names, as names for readers ([`bolide_cfa::records`]).

use super::{ArrayLen, CType, TyId, TypeStore};
use bolide_cfa::records::{FieldLayout, RecordLayout};

/// Scalars of one struct that get a name.
const NAMED: usize = 64;

impl TypeStore {
    /// The layouts of structs. What lies in unions has no names, since one place has several there; of them only
    /// the size is told.
    pub fn layouts(&self) -> Vec<RecordLayout> {
        let records = self.member_records.iter().map(|&record| &self.records[record]);
        let complete = records.filter(|r| r.complete);
        complete
            .map(|record| {
                let mut fields = Vec::new();
                let named = if record.is_union { &[] } else { &record.fields[..] };
                for field in named.iter().filter(|f| f.bits.is_none()) {
                    let name = field.name.as_deref().unwrap_or_default();
                    self.name_scalars(field.ty.ty, field.offset, name, &mut fields);
                }
                RecordLayout { size: record.size, fields }
            })
            .collect()
    }

    fn name_scalars(&self, ty: TyId, offset: u64, name: &str, into: &mut Vec<FieldLayout>) {
        if into.len() >= NAMED {
            return;
        }
        if let Some(scalar) = self.scalar(ty) {
            into.push(FieldLayout { name: name.to_owned(), offset, ty: scalar });
            return;
        }
        match self.get(ty) {
            CType::Array(of, ArrayLen::Fixed(n)) => {
                let Some(size) = self.size(of.ty) else { return };
                for i in 0..(*n).min(NAMED as u64) {
                    self.name_scalars(of.ty, offset + i * size, &format!("{name}[{i}]"), into);
                }
            }
            CType::Record(record) if !self.records[*record].is_union => {
                for field in self.records[*record].fields.iter().filter(|f| f.bits.is_none()) {
                    let inner = field.name.as_deref().unwrap_or_default();
                    // Members of an anonymous struct are members of the outer one.
                    let full = match (name, inner) {
                        ("", inner) => inner.to_owned(),
                        (name, "") => name.to_owned(),
                        (name, inner) => format!("{name}.{inner}"),
                    };
                    self.name_scalars(field.ty.ty, offset + field.offset, &full, into);
                }
            }
            _ => {}
        }
    }
}

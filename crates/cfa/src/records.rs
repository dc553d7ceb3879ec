//! Names of the parts of records.
//!
//! Memory is bytes; that the eight from offset 8 on are called `next` matters to
//! nobody but readers. So layouts are kept beside the program, for messages and drawings
//! only: an empty list is as good to every analysis.

use crate::{Program, Type};

/// A struct with its named scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// Size in bytes.
    pub size: u64,
    /// Scalars, also those of inner records (`at.x`), by offset.
    pub fields: Vec<FieldLayout>,
}

/// A scalar in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// As it is written behind the record's name and a dot.
    pub name: String,
    /// Offset in bytes.
    pub offset: u64,
    /// Its type.
    pub ty: Type,
}

impl Program {
    /// What the records of the program call a scalar at this offset. None when they do not agree, or
    /// none has one there. A size tells records apart.
    pub fn field_name(&self, size: Option<u64>, offset: u64, ty: Type) -> Option<&str> {
        let mut names = self
            .records
            .iter()
            .filter(|record| size.is_none_or(|size| record.size == size))
            .flat_map(|record| &record.fields)
            .filter(|field| field.offset == offset && field.ty == ty)
            .map(|field| field.name.as_str());
        let first = names.next()?;
        names.all(|name| name == first).then_some(first)
    }
}

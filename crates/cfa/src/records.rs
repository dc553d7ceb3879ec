//! Names of the parts of records.
//!
//! Memory is bytes; that the eight from offset 8 on are called `next` matters to
//! nobody but readers. So layouts are kept beside the program, for messages and drawings
//! only: an empty list is as good to every analysis.

use crate::types::Type;

/// A struct with its named scalars, or a union, which has none.
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

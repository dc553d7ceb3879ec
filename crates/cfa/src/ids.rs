//! The names by which the parts of a program know each other.
//!
//! Expressions mention variables, objects, functions and regions; programs hold expressions. So
//! the ids stand apart from both.

use bolide_base::define_id;

define_id!(
    /// A variable, global or local.
    pub struct VarId
);
define_id!(
    /// A static object: a global that lives in memory, or a string literal.
    pub struct ObjectId
);
define_id!(
    /// A function, with or without a body.
    pub struct FunctionId
);
define_id!(
    /// A control location; unique in the program, not only in its function.
    pub struct LocId
);
define_id!(
    /// An edge of the automaton.
    pub struct EdgeId
);
define_id!(
    /// A check of the property.
    pub struct CheckId
);
define_id!(
    /// A part of memory that the points-to analysis keeps apart from the others.
    pub struct RegionId
);

impl RegionId {
    /// All of memory: what accesses refer to before the points-to analysis.
    pub const ALL: RegionId = RegionId(0);
}

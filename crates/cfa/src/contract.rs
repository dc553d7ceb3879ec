//! Contracts of functions, as annotations state them, with names resolved.
//!
//! Only data: what the formulas mean is for those who prove them. Objects that
//! quantifiers bind and the parameters of definitions are numbered; definitions are already
//! expanded.

use crate::program::{FunctionId, LocId, ObjectId, VarId};
use crate::types::Type;
use bolide_base::Span;
use std::sync::Arc;

/// A field of some record: where it lies in the object, and its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldPlace {
    /// As the source spells it.
    pub name: String,
    /// In bytes.
    pub offset: u64,
    /// What it holds.
    pub ty: Type,
}

/// An array of scalars in static memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayPlace {
    /// As the source spells it.
    pub name: String,
    /// Where it lies.
    pub object: ObjectId,
    /// How many places it has.
    pub length: u64,
    /// What it holds.
    pub ty: Type,
}

/// An object, an integer, a set of objects or a truth value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A variable of the program.
    Var(VarId),
    /// A bound object.
    Bound(u32),
    /// A number.
    Int(i128),
    /// The null pointer.
    Null,
    /// A truth value.
    Bool(bool),
    /// What the function returns.
    Result,
    /// The value when the function was called.
    Old(Box<Expr>),
    /// A field of the object pointed to.
    Field(Box<Expr>, FieldPlace),
    /// What an array holds at an index.
    Cell(ArrayPlace, Box<Expr>),
    /// A bound index.
    Index(u32),
    /// For all, or for some, indices below a length: that of the shortest array that it is an index of.
    Indices(bool, u32, u64, Box<Expr>),
    /// The second lies on the path from the first to the third; see the heap logic.
    Btwn(FieldPlace, Box<Expr>, Box<Expr>, Box<Expr>),
    /// The two fields form a forest of binary trees.
    Tree(FieldPlace, FieldPlace),
    /// In a forest of binary trees: the second object is null or below the first, or is it.
    Below(FieldPlace, FieldPlace, Box<Expr>, Box<Expr>),
    /// The pointer points to a live object.
    Valid(Box<Expr>),
    /// Negation of a truth value.
    Not(Box<Expr>),
    /// Negation of a number.
    Negative(Box<Expr>),
    /// An operator, as it is written.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// For all, or for some, objects.
    Quantified(bool, Vec<u32>, Box<Expr>),
    /// The set of objects with a property.
    Comprehension(u32, Box<Expr>),
    /// The set of some objects.
    Set(Vec<Expr>),
}

impl Expr {
    /// Calls `f` on this and all parts of it.
    pub fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        let mut work = vec![self];
        while let Some(e) = work.pop() {
            f(e);
            match e {
                Expr::Old(e) | Expr::Field(e, _) | Expr::Valid(e) | Expr::Not(e) => work.push(e),
                Expr::Negative(e) | Expr::Quantified(_, _, e) | Expr::Comprehension(_, e) => {
                    work.push(e)
                }
                Expr::Cell(_, e) | Expr::Indices(_, _, _, e) => work.push(e),
                Expr::Binary(_, a, b) | Expr::Below(_, _, a, b) => work.extend([&**a, &**b]),
                Expr::Btwn(_, a, b, c) => work.extend([&**a, &**b, &**c]),
                Expr::Set(all) => work.extend(all),
                Expr::Var(_) | Expr::Bound(_) | Expr::Int(_) | Expr::Null => {}
                Expr::Index(_) | Expr::Bool(_) | Expr::Result | Expr::Tree(..) => {}
            }
        }
    }
}

/// What a function may change of what exists when it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assigns {
    /// Fields, of any object.
    pub fields: Vec<FieldPlace>,
    /// Global variables.
    pub globals: Vec<VarId>,
    /// Arrays in static memory.
    pub arrays: Vec<ArrayPlace>,
}

/// A clause as it stands in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Where.
    pub span: Span,
    /// Its words, on one line.
    pub text: String,
}

/// A type of objects that pointers of the program point to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectType {
    /// As C spells it.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// In bytes.
    pub align: u64,
    /// Its scalars, with the type of objects that a pointer among them points to, where that is known.
    pub fields: Vec<(FieldPlace, Option<usize>)>,
}

/// What pointers point to, for those who build a heap. No proof depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectTypes {
    /// All types.
    pub types: Vec<ObjectType>,
    /// Parameters and global variables that point to objects of one of them.
    pub variables: Vec<(VarId, usize)>,
    /// Global variables of the source that are not constant.
    pub globals: Vec<VarId>,
    /// Arrays of scalars in static memory, with the type of objects that they point to.
    pub arrays: Vec<(ArrayPlace, Option<usize>)>,
}

/// What a function promises under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The function.
    pub function: FunctionId,
    /// Hold when it is called.
    pub requires: Vec<Expr>,
    /// Hold when it returns.
    pub ensures: Vec<Expr>,
    /// The words of each of `requires`.
    pub requires_words: Vec<Written>,
    /// The words of each of `ensures`.
    pub ensures_words: Vec<Written>,
    /// What it may change; without it, anything.
    pub assigns: Option<Assigns>,
    /// Hold whenever the function is at the location.
    pub asserts: Vec<(LocId, Expr)>,
    /// The words of each of `asserts`.
    pub asserts_words: Vec<Written>,
    /// What pointers point to.
    pub objects: Arc<ObjectTypes>,
    /// All fields of records, to name places in messages.
    pub fields: Vec<FieldPlace>,
}

//! Variables with static storage and functions, as all their declarations together describe them.

use crate::types::{Note, QualType};
use crate::value::Place;
use bolide_base::{Span, define_id};
use bolide_c_syntax::ast;
use bolide_cfa::FunctionId;

define_id!(
    /// A variable with static storage or a function.
    pub struct GlobalId
);

/// A variable with static storage or a function, of all its declarations.
#[derive(Clone, Debug)]
pub struct Global {
    /// As the source spells it.
    pub name: String,
    /// The composite of all declarations.
    pub ty: QualType,
    /// Internal linkage (`static`), or a static local.
    pub is_static: bool,
    /// The unit of the first declaration.
    pub unit: usize,
    /// The first declaration.
    pub span: Span,
    /// It is called, but declared nowhere: nobody says what it returns.
    pub undeclared: bool,
    /// Where a prototype of it stands first in each unit that has one.
    pub prototypes: Vec<(usize, u32)>,
    /// The definition, if there is one.
    pub definition: Option<Definition>,
    /// Declared without `extern` and initialiser: zero if nothing else defines it.
    pub tentative: bool,
    /// Where a variable lives, once it is used.
    pub place: Option<Place>,
    /// The function of the program, once it is used.
    pub function: Option<FunctionId>,
    /// The alignment that attributes ask for; 0 for none.
    pub align: u64,
    /// For a static local: must live in memory. File-scope names look into the facts.
    pub address_taken: bool,
    /// What attributes and assembler names say of it, of all declarations.
    pub traits: Traits,
    /// Unmodelled attributes, to be told when it is used.
    pub notes: Vec<Note>,
    /// Something that runs refers to it: it is lowered or will be.
    pub requested: bool,
    /// The last unit in which it is weak.
    pub weak_in: Option<usize>,
    /// The definition is weak or `inline`: another one takes precedence.
    pub is_secondary: bool,
}

impl Global {
    /// A global of which nothing but name and type is known.
    pub fn new(name: String, ty: QualType, unit: usize, span: Span) -> Self {
        Global {
            name,
            ty,
            is_static: false,
            unit,
            span,
            undeclared: false,
            prototypes: Vec::new(),
            definition: None,
            tentative: false,
            place: None,
            function: None,
            align: 0,
            address_taken: false,
            traits: Traits::default(),
            notes: Vec::new(),
            requested: false,
            weak_in: None,
            is_secondary: false,
        }
    }
}

/// What attributes and assembler names say of a function or variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// The attribute `noreturn` or `_Noreturn`.
    pub noreturn: bool,
    /// Other definitions take precedence, and there may be none at all.
    pub weak: bool,
    /// Another name of what is called so in the unit's assembly.
    pub alias: Option<Box<str>>,
    /// Its own name in the assembly, where that is another.
    pub label: Option<Box<str>>,
    /// Runs before the entry function; its priority.
    pub constructor: Option<u64>,
    /// Runs when the program exits; its priority.
    pub destructor: Option<u64>,
}

impl Traits {
    /// Joins those of an earlier declaration, which decides on priorities, with later ones.
    pub fn join(&mut self, later: Traits) {
        self.noreturn |= later.noreturn;
        self.weak |= later.weak;
        self.alias = self.alias.take().or(later.alias);
        self.label = self.label.take().or(later.label);
        self.constructor = self.constructor.or(later.constructor);
        self.destructor = self.destructor.or(later.destructor);
    }
}

/// What defines a global.
#[derive(Clone, Copy, Debug)]
pub enum Definition {
    /// A function body in a unit.
    Function(usize, ast::FunctionId),
    /// An initialiser in a unit.
    Initializer(usize, ast::InitId),
}

impl Definition {
    /// The unit that it stands in.
    pub fn unit(self) -> usize {
        match self {
            Definition::Function(unit, _) | Definition::Initializer(unit, _) => unit,
        }
    }
}

//! Emission: the automaton being built, and where lowering stands in it.

use crate::types::TyId;
use bolide_base::{Diagnostic, HashMap, HashSet, Span, arena::Id};
use bolide_cfa::{FunctionId, LocId, ObjectId, Origin, Program, Target, Type, VarId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The program that lowering makes, with what is to be said of it.
pub struct Emission {
    /// The program so far.
    pub program: Program,
    /// Where lowering stands.
    pub at: Cursor,
    /// Objects of string literals, by the size of a character and contents.
    pub strings: HashMap<(u8, Box<[u32]>), ObjectId>,
    /// Record types returned by value in scalars: the globals that carry them.
    pub result_channels: HashMap<TyId, Rc<[VarId]>>,
    /// The function without a body that assembler statements call.
    pub assembly_function: Option<FunctionId>,
    /// Annotations inside of functions, with where they stand.
    pub placed: Vec<Placed>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Over-approximations that were made.
    pub assumptions: BTreeSet<String>,
}

/// Where lowering stands: the function, the location, and the place in the source.
pub struct Cursor {
    /// False outside of functions: nothing may be emitted.
    pub active: bool,
    /// The function.
    pub id: FunctionId,
    /// None where control cannot come.
    pub cur: Option<LocId>,
    /// What the next edges stand for.
    pub origin: Origin,
    /// The source range in which names of the innermost block are visible.
    pub block: Span,
    /// Where jumps lead that are not edges yet.
    pub jump_targets: HashSet<LocId>,
    /// Names of variables of the function that are taken.
    pub names: HashMap<String, u32>,
    /// How many temporaries there are.
    pub temporaries: u32,
    /// One temporary of each type for what is never executed.
    pub dead_temporaries: HashMap<Type, VarId>,
}

impl Cursor {
    /// Outside of functions.
    pub fn none() -> Self {
        Cursor {
            active: false,
            id: FunctionId::from_index(0),
            cur: None,
            origin: Origin::default(),
            block: Span::NONE,
            jump_targets: HashSet::default(),
            names: HashMap::default(),
            temporaries: 0,
            dead_temporaries: HashMap::default(),
        }
    }
}

/// An annotation inside of a function.
#[derive(Clone, Debug)]
pub struct Placed {
    pub unit: usize,
    /// The number of its comment.
    pub comment: usize,
    pub function: FunctionId,
    pub location: LocId,
    /// The local variables that its words mean there.
    pub locals: Vec<(String, VarId)>,
}

impl Emission {
    /// An empty program.
    pub fn new(target: Target) -> Self {
        Emission {
            program: Program::new(target),
            at: Cursor::none(),
            strings: HashMap::default(),
            result_channels: HashMap::default(),
            assembly_function: None,
            placed: Vec::new(),
            diagnostics: Vec::new(),
            assumptions: BTreeSet::new(),
        }
    }
}

//! Linkage: what names mean, in which file and at which place, and what is external.

use crate::global::{Global, GlobalId};
use crate::scope::Names;
use crate::types::{Note, TyId};
use bolide_base::{Arena, Diagnostic, HashMap, Span};
use bolide_c_syntax::ast;
use bolide_cfa::{FunctionId, VarId};
use std::collections::{BTreeMap, VecDeque};
use std::ops::{Index, IndexMut};

/// Names, what they stand for, and what of it remains to be lowered.
pub struct Linkage {
    /// All variables with static storage and functions.
    pub globals: Arena<GlobalId, Global>,
    /// Names with external linkage.
    pub by_name: HashMap<String, GlobalId>,
    /// Names of the models that the program uses for something of its own.
    pub model_by_name: HashMap<String, GlobalId>,
    /// The scopes of each unit.
    pub names: Vec<Names>,
    /// The global of each function of the program.
    pub function_globals: HashMap<FunctionId, GlobalId>,
    /// What was found to be reachable and is not lowered yet.
    pub work: VecDeque<Work>,
    /// Names of program variables that are taken, to keep globals apart.
    pub global_names: HashMap<String, u32>,
    /// Likewise of functions.
    pub function_names: HashMap<String, u32>,
    /// Records that typedefs or members declared in the unit, by specifier.
    pub record_types: Vec<HashMap<ast::RecordId, TyId>>,
    /// Likewise enums.
    pub enum_types: Vec<HashMap<ast::EnumId, TyId>>,
    /// Why the declaration of a name failed.
    pub failed: HashMap<(usize, ast::Symbol), Diagnostic>,
    /// Unmodelled attributes of what is being declared.
    pub notes: Vec<Note>,
    /// Those of typedefs, to be passed on to what is declared with them.
    pub typedef_notes: HashMap<(usize, ast::Symbol), Vec<Note>>,
    /// Functions without a body and without a model that may be called, with the first use.
    pub externals: BTreeMap<String, Span>,
    /// Scalars that are defined elsewhere: the entry stub gives them any value.
    pub elsewhere: Vec<Elsewhere>,
    /// In an initialiser of a static: functions count as used though no edge is made.
    pub in_static_initializer: bool,
}

/// What remains to be done.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Lower the body.
    Function(GlobalId),
    /// Evaluate the initialiser.
    Initializer(GlobalId),
    /// Make a body for a library function whose address was taken.
    Wrapper(GlobalId),
}

/// A scalar that is declared here and defined elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Elsewhere {
    /// The variable.
    pub var: VarId,
    /// Calls of functions without a body may change it.
    pub changes: bool,
}

impl Index<GlobalId> for Linkage {
    type Output = Global;

    fn index(&self, id: GlobalId) -> &Global {
        &self.globals[id]
    }
}

impl IndexMut<GlobalId> for Linkage {
    fn index_mut(&mut self, id: GlobalId) -> &mut Global {
        &mut self.globals[id]
    }
}

impl Linkage {
    /// Nothing is declared in any of the units.
    pub fn new(units: usize) -> Self {
        Linkage {
            globals: Arena::new(),
            by_name: HashMap::default(),
            model_by_name: HashMap::default(),
            names: (0..units).map(|_| Names::default()).collect(),
            function_globals: HashMap::default(),
            work: VecDeque::new(),
            global_names: HashMap::default(),
            function_names: HashMap::default(),
            record_types: vec![HashMap::default(); units],
            enum_types: vec![HashMap::default(); units],
            failed: HashMap::default(),
            notes: Vec::new(),
            typedef_notes: HashMap::default(),
            externals: BTreeMap::new(),
            elsewhere: Vec::new(),
            in_static_initializer: false,
        }
    }
}

//! What is known of contracts while a program is lowered: plain data.

use crate::global::GlobalId;
use crate::value::Operand;
use bolide_base::{Diagnostic, HashMap, HashSet, Span};
use bolide_c_syntax::ast::{self, BinaryOp as Operator, Symbol};
use bolide_cfa::{CompareOp, ExprId, FunctionId, LocId, Type, VarId};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How a formula is used: what must hold, what is taken to hold, or its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Claimed,
    Assumed,
    Value,
}

impl Use {
    pub fn turned(self) -> Use {
        match self {
            Use::Claimed => Use::Assumed,
            Use::Assumed => Use::Claimed,
            Use::Value => Use::Value,
        }
    }
}

/// What formulas of the function being lowered need.
#[derive(Default)]
pub struct Logic {
    /// Numbers have no bounds.
    pub is_acsl: bool,
    /// Where the function begins: what is needed from there is put there.
    pub start: Option<LocId>,
    /// What follows that place.
    pub before: Option<LocId>,
    /// Likewise where the loop begins that a clause is about.
    pub loop_start: Option<LocId>,
    /// The chosen values that quantifiers share, by type.
    pub chosen: Vec<(Type, VarId)>,
    /// How many of each type are in use.
    pub bound: Vec<Type>,
    /// They stay in use: another claim may hold instead.
    pub apart_claims: bool,
    /// What the function returned.
    pub result: Option<Operand>,
    /// Locals of the function are hidden below this number: a definition does not see them.
    pub hidden: usize,
    /// How deep definitions are expanded.
    pub expansions: u32,
    /// What is required is being assumed: `is_fresh` makes memory.
    pub makes_memory: bool,
    /// Bound variables that have a value only where they are used.
    pub late: Vec<ast::Symbol>,
    /// What was said to be fresh.
    pub fresh: Vec<ExprId>,
    /// The pointers that a call by contract is given: what is fresh is none of theirs.
    pub given: Option<Vec<ExprId>>,
    /// What was made.
    pub made: Vec<ExprId>,
    /// What is said to be valid, by its words, and what is said to be apart.
    pub pointers: Vec<Pointed>,
    pub apart: Vec<Vec<String>>,
}

/// A pointer or a range that is said to be valid.
#[derive(Clone, Debug, Default)]
pub struct Pointed {
    /// The words of the pointer that the range begins with; empty for any pointer.
    pub base: String,
    /// The words of all of it; none where its size is said otherwise.
    pub whole: Option<String>,
}

/// What is promised of functions, and what of it was not understood.
#[derive(Default)]
pub struct Contracts {
    pub promises: HashMap<GlobalId, Vec<Promise>>,
    /// What failed.
    pub failures: Vec<Diagnostic>,
    /// The function that the run starts with by contract, with the flag that says so to its body.
    pub started: Option<(GlobalId, Option<VarId>)>,
    /// The call that starts the run is being lowered.
    pub starting: bool,
    pub hooks: Vec<Hook>,
    /// Pointers to copies of earlier states: writing these is no effect of the program.
    pub kept: HashSet<VarId>,
    pub obligations: Vec<Obligation>,
    /// Functions with a contract that says nothing of what is assigned: where they have returned.
    pub returns: Vec<(FunctionId, LocId, String)>,
    /// Where it is asked whether a pointer is none to static memory; the pointer, and the answer.
    pub fresh_claims: Vec<(LocId, ExprId, VarId)>,
    /// What stands for functions with a body whose contract leaves open what they change or what a pointer points to.
    pub open: Vec<FunctionId>,
    /// The names of functions whose contracts are used at calls; with whether they have a body.
    pub used: BTreeMap<String, bool>,
}

/// A clause of a function's contract.
#[derive(Clone, Debug)]
pub struct Promise {
    pub unit: usize,
    pub clause: usize,
    /// The names of the parameters where it stands.
    pub parameters: Rc<[Option<Symbol>]>,
}

/// A loop with clauses that is being lowered.
pub struct ActiveLoop {
    pub clauses: Vec<usize>,
    /// For each variant: whether there was a round, and its value then.
    pub variants: Vec<(VarId, VarId)>,
    /// For each invariant of CBMC: whether there was a round, and whether it held before the first.
    pub begins: Vec<(VarId, VarId)>,
    /// The head, once lowering has come to it.
    pub head: Cell<Option<LocId>>,
    pub body: LocId,
    pub outer: Option<LocId>,
    /// How many edges and variables there were before it.
    pub first_edge: usize,
    pub older: usize,
}

/// A place where a pointer may also lead into static memory.
pub struct Hook {
    pub from: LocId,
    /// Where it does not.
    pub next: LocId,
    /// Where it does.
    pub to: LocId,
    pub target: VarId,
    pub align: u64,
}

/// Bytes in a row: the address of the first, how many (of 128 bits, negative for none), and where it is said.
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    pub first: ExprId,
    pub count: ExprId,
}

/// What may be changed.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    pub variables: Vec<VarId>,
    pub ranges: Vec<Bytes>,
    pub span: Span,
    pub words: String,
}

/// What is left to do when all is lowered.
pub struct Obligation {
    pub allowed: Allowed,
    pub function: FunctionId,
    pub name: String,
    /// Where the old values are read, where the places that are listed are known, and where values are compared; none for a loop.
    pub ends: Option<(LocId, LocId, LocId)>,
    /// The edges of a loop.
    pub edges: std::ops::Range<usize>,
    /// The head of a loop of which only that counts which leads back to it, as CBMC has it.
    pub head: Option<LocId>,
    /// How many variables there were before the loop.
    pub older: usize,
}

/// A comparison, and whether its operands change places.
pub fn comparison(op: Operator) -> Option<(CompareOp, bool)> {
    Some(match op {
        Operator::Eq => (CompareOp::Eq, false),
        Operator::Ne => (CompareOp::Ne, false),
        Operator::Lt => (CompareOp::Lt, false),
        Operator::Le => (CompareOp::Le, false),
        Operator::Gt => (CompareOp::Lt, true),
        Operator::Ge => (CompareOp::Le, true),
        _ => return None,
    })
}

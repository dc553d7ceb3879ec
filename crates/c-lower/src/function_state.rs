//! The function being lowered: its scopes and lifetimes, labels and jumps, loops, and what is watched.
//!
//! What is known only when all of the function has been seen (which objects a scope holds, where a label
//! stands) is collected here and becomes edges at its end. Where lowering stands in the automaton is the
//! matter of [`crate::emission`].

use crate::contract::state::Logic;
use crate::emission::Cursor;
use crate::scope::LocalId;
use crate::types::{QualType, TyId};
use crate::value::Place;
use bolide_base::{Arena, HashMap, Span, arena::Id, define_id};
use bolide_c_syntax::ast::Symbol;
use bolide_cfa::{EdgeId, ExprId, LocId, ObjectId, Op, Origin, VarId};
use std::rc::Rc;

/// The function being lowered.
pub struct FunctionState {
    pub name: String,
    /// Start of its span, the key of its labels in the facts.
    pub start: u32,
    pub exit: LocId,
    pub result: ResultBy,
    pub result_ty: TyId,
    pub locals: Arena<LocalId, Local>,
    pub scopes: Arena<ScopeId, Scope>,
    pub scope: ScopeId,
    /// Loops and `switch`es around the present statement, outermost first.
    pub enclosing: Vec<Enclosing>,
    pub jumps: Vec<Jump>,
    pub labels: Labels,
    /// Calls that a jump out of what they call may end.
    pub escapes: Vec<CallSite>,
    pub frame: Frame,
    /// The address of the extra arguments.
    pub varargs: Option<VarId>,
    /// Addresses of local objects all of whose bytes have values, and their sizes.
    pub initialized: HashMap<ExprId, u64>,
    /// How many VLAs have been declared so far.
    pub vlas: u32,
    /// Addresses of records that calls in the present full expression returned.
    pub returned: Vec<VarId>,
    /// Calls of `alloca` whose memory nothing ends yet.
    pub allocas: Vec<AllocaCall>,
    /// Within the operand of `sizeof` and the like.
    pub unevaluated: u32,
    /// What is watched while something else is evaluated.
    pub watches: Vec<Watch>,
    /// What is watched until the arguments of the call at this place have been evaluated, innermost last.
    pub call_watches: Vec<(Span, Watch)>,
    /// What its contract needs.
    pub logic: Logic,
}

/// The labels of a function.
pub struct Labels {
    /// Tables in scope: that of the function and those of blocks with `__label__`.
    pub tables: Vec<usize>,
    /// All labels, by table and name.
    pub all: HashMap<(usize, Symbol), Label>,
    /// How many tables there are.
    pub count: usize,
    pub computed_gotos: Vec<ComputedGoto>,
}

/// What a function shares with those around it and within it.
#[derive(Default)]
pub struct Frame {
    /// What tells this activation from others: the address of an object, and the global in which functions within
    /// find it.
    pub identity: Option<(VarId, VarId)>,
    /// How many of the locals are those of functions around it.
    pub inherited: usize,
    /// Its variables that functions within it read, with the globals through which these do so.
    pub own: Vec<(VarId, VarId)>,
    /// Likewise for all functions around it.
    pub outer: Vec<(VarId, VarId)>,
}

impl FunctionState {
    /// A function of which nothing has been seen.
    pub fn new(name: &str, exit: LocId) -> Self {
        let (tables, all, computed_gotos) = (vec![0], HashMap::default(), Vec::new());
        FunctionState {
            name: name.to_owned(),
            start: 0,
            exit,
            result: ResultBy::Void,
            result_ty: TyId::from_index(0),
            locals: Arena::new(),
            scopes: [Scope::default()].into_iter().collect(),
            scope: ScopeId::from_index(0),
            enclosing: Vec::new(),
            jumps: Vec::new(),
            labels: Labels { tables, all, count: 1, computed_gotos },
            escapes: Vec::new(),
            frame: Frame::default(),
            varargs: None,
            initialized: HashMap::default(),
            vlas: 0,
            returned: Vec::new(),
            allocas: Vec::new(),
            unevaluated: 0,
            watches: Vec::new(),
            call_watches: Vec::new(),
            logic: Logic::default(),
        }
    }

    /// What lives here.
    pub fn living(&self) -> Living {
        Living { scope: self.scope, vlas: self.vlas }
    }

    /// No function.
    pub fn none() -> Self {
        FunctionState::new("", LocId::from_index(0))
    }
}

/// A function around the one being lowered, with where lowering stood in it.
pub struct Outer {
    /// Its state.
    pub f: FunctionState,
    /// Its place in the automaton.
    pub at: Cursor,
}

/// A local variable or parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its type.
    pub ty: QualType,
    /// Where it lives.
    pub place: Place,
}

/// How a function gives back a record.
#[derive(Clone, Debug)]
pub enum ResultBy {
    /// Nothing is returned.
    Void,
    /// In the result variable.
    Variable(VarId),
    /// In globals.
    Channel(Rc<[VarId]>),
    /// To the address in the first parameter.
    Address(VarId),
}

define_id!(
    /// A scope of the function being lowered.
    pub struct ScopeId
);

/// An object with the lifetime of its block.
#[derive(Clone, Copy, Debug)]
pub struct LocalObject {
    /// Holds the address.
    pub var: VarId,
    /// In bytes.
    pub size: ExprId,
    /// In bytes.
    pub align: u64,
    /// When its life begins.
    pub begin: Begin,
}

/// When the life of a local object begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// When its scope is entered.
    Scope,
    /// At its declaration: a variable-length array, by its number.
    Declaration(u32),
    /// When it is made, if it is, by `alloca` or a call that returns it; the address is null before.
    Call,
}

/// A scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The one around it.
    pub parent: Option<ScopeId>,
    /// How many are around it.
    pub depth: u32,
    /// What lives in it.
    pub objects: Vec<LocalObject>,
    /// Scalars declared in it; a jump into the scope leaves them with any value.
    pub scalars: Vec<VarId>,
}

/// What lives at a place of a function: the objects of a scope and of those around it, and so many VLAs.
#[derive(Clone, Copy, Debug)]
pub struct Living {
    pub scope: ScopeId,
    pub vlas: u32,
}

/// A label of the source.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Where it stands.
    pub at: LocId,
    /// What lives there, once it has been seen.
    pub defined: Option<Living>,
    /// The first jump to it.
    pub used: Span,
    /// What `&&label` points to, if that stands somewhere.
    pub object: Option<ObjectId>,
    /// The number under which functions within jump to it.
    pub escape: Option<u32>,
}

/// Where a jump leads.
#[derive(Clone, Copy, Debug)]
pub enum Destination {
    /// Out of the function.
    Exit,
    /// To where this lives.
    Place(Living),
    /// To a label: its index in the stack of label tables and its name.
    Label(usize, Symbol),
}

/// A jump to be made.
#[derive(Clone, Debug)]
pub struct Jump {
    pub from: LocId,
    pub to: LocId,
    /// The first step.
    pub op: Op,
    /// What lives where it starts.
    pub living: Living,
    pub destination: Destination,
    pub origin: Origin,
}

/// A loop or `switch` around the present statement.
pub struct Enclosing {
    pub break_to: LocId,
    /// None for a `switch`.
    pub continue_to: Option<LocId>,
    pub living: Living,
    /// The cases of a `switch`.
    pub cases: Option<Cases>,
}

/// The cases seen so far.
pub struct Cases {
    pub ty: TyId,
    pub ranges: Vec<Case>,
    pub default: Option<(LocId, Living)>,
    /// Whether control comes to the `switch` at all.
    pub live: bool,
}

pub struct Case {
    pub low: i128,
    pub high: i128,
    pub at: LocId,
    pub living: Living,
}

/// A `goto *e` whose labels are not all known yet.
#[derive(Clone, Debug)]
pub struct ComputedGoto {
    pub from: LocId,
    pub target: ExprId,
    pub living: Living,
    pub span: Span,
}

/// Where a call has returned with a jump under way.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub from: LocId,
    pub living: Living,
    pub span: Span,
}

/// A call of `alloca` whose frame is found when all ways of the function are known.
#[derive(Clone, Copy, Debug)]
pub struct AllocaCall {
    pub edge: EdgeId,
    pub target: VarId,
    pub size: ExprId,
}

/// What an operand reads.
#[derive(Clone, Debug)]
pub struct Watch {
    /// What was read early, in a temporary, and how to read it again; a pointer comes before what it leads to. None
    /// where that cannot be said: then everything counts as changed.
    pub reads: Option<Vec<(ExprId, ExprId)>>,
    /// The parts of the early value, if all of them could be read.
    pub early: Option<Rc<[ExprId]>>,
    /// There is one read, and it stands for the whole value.
    pub is_one: bool,
    /// Whether something had changed before, where there is a moment in between.
    pub changed: Option<VarId>,
}

impl Watch {
    pub const BLIND: Watch = Watch { reads: None, early: None, is_one: false, changed: None };
}

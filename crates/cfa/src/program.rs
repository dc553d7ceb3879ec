//! The program: functions, locations, edges, variables, objects, checks.
//!
//! **State.** A state gives a value to each global variable, a stack of frames
//! (each with values for one function's parameters, locals and temporaries), and
//! a memory of objects. A pointer is null, a function, or an object with an
//! offset in bytes. Variables whose address is taken, arrays and unions live in
//! memory: statics as [`StaticObject`]s, locals as objects that an
//! [`Op::Alloc`] of kind `Stack` makes when their scope is entered, whose
//! address is kept in a pointer variable of kind [`VariableKind::Address`].
//!
//! **Control.** Execution starts at the entry of [`Program::entry`] with the
//! static objects and globals initialised. From a location, any edge whose
//! operation can be executed may be taken. A location without outgoing edges
//! that is not its function's exit ends the run (`abort`, `exit`, an error). A
//! location that carries a [`CheckId`] is an error location: reaching it is the
//! violation of that check.

use crate::expr::{Access, Expr, ExprId, ExprPool, MathFn};
pub use crate::property::table::Property;
use crate::records::RecordLayout;
use crate::types::{Target, Type};
use bolide_base::arena::Id;
use bolide_base::{Arena, Span};

pub use crate::ids::*;

/// What a variable is to the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    /// A global or static variable (or a scalar part of one).
    Global,
    /// A formal parameter.
    Parameter,
    /// A local variable (or a scalar part of one).
    Local,
    /// Made by lowering; not in the source.
    Temporary,
    /// Holds the result of its function.
    Result,
    /// Holds the address of a local that lives in memory.
    Address,
}

/// A scalar variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// As the source spells it, parts as `s.field`; unique in its function
    /// (shadowing names get a suffix `#2`).
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The function it belongs to; none for globals.
    pub function: Option<FunctionId>,
    /// What it is to the source.
    pub kind: VariableKind,
    /// The initial value of a global (a constant expression; zero where absent).
    pub initial: Option<ExprId>,
    /// The declaration.
    pub span: Span,
    /// The block in which the name is visible; `NONE` for globals and temporaries.
    pub scope: Span,
}

impl Variable {
    /// A variable without an initial value, which nothing in the source declares.
    pub fn new(
        name: impl Into<String>,
        ty: Type,
        function: Option<FunctionId>,
        kind: VariableKind,
    ) -> Variable {
        let (name, span, scope) = (name.into(), Span::NONE, Span::NONE);
        Variable { name, ty, function, kind, initial: None, span, scope }
    }
}

/// A static object in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticObject {
    /// As the source spells it; string literals get a name of their own.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// What it holds at the start where that is not zero, sorted by offset.
    pub initial: Vec<InitialValue>,
    /// Writing to it is undefined (string literals, `const`).
    pub constant: bool,
    /// Declared but defined nowhere: contents unknown at the start.
    pub external: bool,
    /// The declaration.
    pub span: Span,
}

impl StaticObject {
    /// An object of zeros that may be written.
    pub fn new(name: impl Into<String>, size: u64, align: u64, span: Span) -> StaticObject {
        let (name, initial, constant, external) = (name.into(), Vec::new(), false, false);
        StaticObject { name, size, align, initial, constant, external, span }
    }

    /// How the names of string literals begin.
    pub const LITERAL: &str = "string#";

    /// Whether it is a string literal, which may share its bytes with others.
    pub fn is_literal(&self) -> bool {
        self.constant && self.name.starts_with(Self::LITERAL)
    }
}

/// A constant at the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialValue {
    /// Offset in bytes.
    pub offset: u64,
    /// For bit-fields, which bits.
    pub bits: Option<crate::expr::BitRange>,
    /// A constant expression; its type says how many bytes.
    pub value: ExprId,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// As the source spells it; statics of several files get a suffix.
    pub name: String,
    /// Formal parameters in order.
    pub parameters: Vec<VarId>,
    /// Extra arguments of a variadic call arrive in a memory object whose
    /// address is the last parameter.
    pub variadic: bool,
    /// Holds the value when control reaches the exit; none for `void`.
    pub result: Option<VarId>,
    /// All locals and temporaries (without parameters and result).
    pub locals: Vec<VarId>,
    /// Entry and exit; none for a function without a body.
    pub body: Option<Body>,
    /// It has no body and a meaning that nobody models, as functions of the C library have: a
    /// run that calls it shows nothing.
    pub unmodelled: bool,
    /// The declarator.
    pub span: Span,
}

impl Function {
    /// A function of this name of which nothing else is known yet.
    pub fn named(name: impl Into<String>) -> Function {
        Function {
            name: name.into(),
            parameters: vec![],
            variadic: false,
            result: None,
            locals: vec![],
            body: None,
            unmodelled: false,
            span: Span::NONE,
        }
    }
}

/// The ends of a function's graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body {
    /// Where calls begin.
    pub entry: LocId,
    /// Where calls end; has no outgoing edges.
    pub exit: LocId,
}

/// A control location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The function it belongs to.
    pub function: FunctionId,
    /// The label in the source, if there is one.
    pub label: Option<String>,
    /// For the head of a loop: its `for`, `while` or `do` keyword.
    pub loop_keyword: Option<Span>,
    /// Set on error locations.
    pub error: Option<CheckId>,
    /// Edges that leave, in order of choice.
    pub outgoing: Vec<EdgeId>,
    /// Edges that arrive.
    pub incoming: Vec<EdgeId>,
}

impl Location {
    /// A location without edges.
    pub fn of(function: FunctionId) -> Location {
        Location {
            function,
            label: None,
            loop_keyword: None,
            error: None,
            outgoing: Vec::new(),
            incoming: Vec::new(),
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where from.
    pub from: LocId,
    /// Where to.
    pub to: LocId,
    /// What it does.
    pub op: Op,
    /// What it comes from.
    pub origin: Origin,
}

/// What an edge comes from in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Origin {
    /// The statement or expression; `NONE` for edges of no source.
    pub span: Span,
    /// What kind of step it is there.
    pub role: Role,
}

/// What kind of step an edge is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Made by lowering, nothing a person wrote.
    #[default]
    Implicit,
    /// (Part of) an expression statement, an initialiser or a jump.
    Statement,
    /// One way out of an `if`, loop, `switch`, `?:`, `&&` or `||`: `span` is
    /// the keyword or operator.
    Branch {
        /// Whether the condition held.
        taken: bool,
    },
    /// A call; `span` is the call expression.
    Call,
    /// A `return` statement.
    Return,
    /// A check of the property or its passing.
    Check,
    /// A declaration; the lifetime of its variable begins.
    Declaration,
}

/// Where a nondeterministic value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NondetSource {
    /// An input: the name of the function that the program asked, such as `__VERIFIER_nondet_int`.
    Input(String),
    /// A variable that was not initialised, or memory that was not.
    Uninitialized,
    /// The result of a library function whose value is not known (`rand`, `time`, `scanf`).
    Library(String),
    /// An expression that lowering does not model, such as inline assembly.
    Unmodelled(String),
}

/// Something in the source that was not given its full meaning, recorded where it was met.
///
/// Three grades of not knowing: a value ([`NondetSource::Unmodelled`]) or an effect
/// ([`Function::unmodelled`]) that may be any spoils only the violations whose run comes there, since proofs hold
/// for all of them; what is recorded here spoils every verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmodelled {
    /// For people, as the end of "not modelled: ...".
    pub what: String,
    /// Where.
    pub span: Span,
}

/// What kind of memory an allocation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocKind {
    /// Until freed.
    Heap,
    /// A local variable, until [`Op::EndLifetime`].
    Stack,
    /// By `alloca`: until [`Op::EndLifetime`] of it or of its frame.
    Alloca,
    /// Until the end of the program: what its environment made, such as the arguments of `main`.
    Static,
}

/// What the interpreter computes and formulas do not know: output, and values of the C library.
/// They change nothing that the program can observe; to formulas the result is any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputKind {
    /// `printf(format, ...)`: the format and the promoted arguments.
    Printf,
    /// `puts(s)`.
    Puts,
    /// `putchar(c)`.
    Putchar,
    /// Its argument: a value that C leaves open and the machine decides. No proof may rest on it.
    Opaque,
    /// How many characters `printf` of these arguments would write; it writes nothing.
    FormatLength,
    /// One of these characters: its index, the format and the promoted arguments.
    FormatCharacter,
    /// What `sscanf` makes of a text: the text, the format, and which. -1 is what it returns, -2 how
    /// many objects it stores to, others the value for the object of that number; of a string
    /// the character that a fourth argument names, and zero behind its end.
    Scan,
    /// What `strtod` makes of a text: the number, or how many characters it takes where the result
    /// is an integer. The type of the second argument says in which format.
    ReadFloat,
    /// A function on floats that rounds correctly.
    Math(MathFn),
}

impl OutputKind {
    /// Whether it writes to standard output.
    pub fn writes(self) -> bool {
        matches!(self, OutputKind::Printf | OutputKind::Puts | OutputKind::Putchar)
    }
}

/// What a call to a function without a body may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExternalEffect {
    /// All memory reachable from its arguments, and from those of earlier such calls.
    Havoc,
    /// Nothing; but pointers that nobody knows, of which its result is one, may point to memory reachable from its arguments.
    Keeps,
    /// Nothing.
    Pure,
}

/// The operation of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Goes on only if the condition holds.
    Assume(ExprId),
    /// Gives a variable a value.
    Assign { target: VarId, value: ExprId },
    /// Writes memory.
    Store { access: Access, value: ExprId },
    /// Gives a variable any value of its type.
    Nondet { target: VarId, source: NondetSource },
    /// Makes an object of `size` bytes (of [`Target::size_type`]) and puts its
    /// address into `target`. With a `frame`, a pointer to another object, it lives no longer
    /// than that one: so the end of one object ends as many as a loop has made.
    Alloc {
        target: VarId,
        size: ExprId,
        align: u64,
        kind: AllocKind,
        zeroed: bool,
        frame: Option<ExprId>,
        region: RegionId,
    },
    /// Ends the life of the heap object pointed to; nothing on null.
    Free { pointer: ExprId, region: RegionId },
    /// Ends the life of a local object and of those whose frame it is: its scope is left. Nothing
    /// on null.
    EndLifetime { pointer: ExprId, region: RegionId },
    /// Copies `size` bytes; source and destination may overlap.
    Copy { to: ExprId, from: ExprId, size: ExprId, to_region: RegionId, from_region: RegionId },
    /// Sets `size` bytes to the value of `byte` (of type unsigned 8 bits).
    Fill { to: ExprId, byte: ExprId, size: ExprId, region: RegionId },
    /// Calls a function with a body: one argument for each parameter.
    Call { function: FunctionId, arguments: Vec<ExprId>, result: Option<VarId> },
    /// Calls through a pointer. `candidates` is what the points-to analysis
    /// found; none before it. A transform turns it into a choice of calls.
    CallIndirect {
        callee: ExprId,
        candidates: Option<Vec<FunctionId>>,
        arguments: Vec<ExprId>,
        result: Option<VarId>,
        /// Arguments beyond the fixed parameters of the pointer's type are
        /// counted here when that type is variadic.
        variadic: bool,
    },
    /// Calls a function without a body.
    External {
        function: FunctionId,
        arguments: Vec<ExprId>,
        result: Option<VarId>,
        effect: ExternalEffect,
    },
    /// Writes to standard output, or computes a value that formulas do not know; `result` gets
    /// the number of characters or that value.
    Output { kind: OutputKind, arguments: Vec<ExprId>, result: Option<VarId> },
    /// Ends the run with an exit status; leads to a location without edges.
    Halt { status: Option<ExprId> },
}

/// Visits the operands of an operation in order, to read or to change them.
macro_rules! each_operand {
    ($op:expr, $visit:expr) => {{
        let mut visit = $visit;
        match $op {
            Op::Skip | Op::Nondet { .. } => {}
            Op::Assume(e)
            | Op::Assign { value: e, .. }
            | Op::Free { pointer: e, .. }
            | Op::EndLifetime { pointer: e, .. } => visit(e),
            Op::Store { access: Access { pointer, .. }, value } => {
                visit(pointer);
                visit(value);
            }
            Op::Alloc { size, frame, .. } => {
                visit(size);
                frame.into_iter().for_each(visit);
            }
            Op::Copy { to, from: middle, size, .. } | Op::Fill { to, byte: middle, size, .. } => {
                [to, middle, size].into_iter().for_each(visit);
            }
            Op::Call { arguments, .. }
            | Op::External { arguments, .. }
            | Op::Output { arguments, .. } => arguments.into_iter().for_each(visit),
            Op::CallIndirect { callee, arguments, .. } => {
                visit(callee);
                arguments.into_iter().for_each(visit);
            }
            Op::Halt { status } => status.into_iter().for_each(visit),
        }
    }};
}

/// The variable that an operation writes, to read or to change it.
macro_rules! target {
    ($op:expr, $borrowed:ident) => {
        match $op {
            Op::Assign { target, .. } | Op::Nondet { target, .. } | Op::Alloc { target, .. } => {
                Some(target)
            }
            Op::Call { result, .. }
            | Op::CallIndirect { result, .. }
            | Op::External { result, .. }
            | Op::Output { result, .. } => result.$borrowed(),
            _ => None,
        }
    };
}

impl Op {
    /// Expressions that the operation evaluates, in order.
    pub fn operands(&self) -> Vec<ExprId> {
        let mut found = Vec::new();
        each_operand!(self, |e: &ExprId| found.push(*e));
        found
    }

    /// Replaces each expression that the operation evaluates.
    pub fn map_operands(&mut self, mut map: impl FnMut(ExprId) -> ExprId) {
        each_operand!(self, |e: &mut ExprId| *e = map(*e));
    }

    /// The variable that the operation writes, if it writes one.
    pub fn target(&self) -> Option<VarId> {
        target!(self, as_ref).copied()
    }

    /// Replaces the variable that the operation writes and the functions that it calls.
    pub fn rename(
        &mut self,
        variable: impl Fn(VarId) -> VarId,
        function: impl Fn(FunctionId) -> FunctionId,
    ) {
        if let Some(target) = target!(self, as_mut) {
            *target = variable(*target);
        }
        match self {
            Op::Call { function: f, .. } | Op::External { function: f, .. } => *f = function(*f),
            Op::CallIndirect { candidates: Some(list), .. } => {
                list.iter_mut().for_each(|f| *f = function(*f));
            }
            _ => {}
        }
    }
}

/// A check: what must not happen, where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Which property it belongs to.
    pub property: Property,
    /// What went wrong, for people: "`i + 1` overflows".
    pub description: String,
    /// The expression or statement that is checked.
    pub span: Span,
}

/// A region of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// For people: a name made of what lives there.
    pub name: String,
    /// All accesses have this type and no two overlap without being equal; none when mixed.
    pub cell: Option<Type>,
    /// The cells lie at multiples of their size from the start of each object.
    pub aligned: bool,
    /// The one object that lives here, if that is known: a static object.
    pub object: Option<ObjectId>,
}

/// Which region holds some bytes of a static object: those from `offset +
/// k * stride` on, `size` of them, for each `k` below `count`. Bytes of an
/// object that lie in no part are never accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectPart {
    /// The object.
    pub object: ObjectId,
    /// Offset of the first byte of the first piece.
    pub offset: u64,
    /// Bytes of each piece.
    pub size: u64,
    /// Distance between pieces; 0 when there is one only.
    pub stride: u64,
    /// Number of pieces, at least 1.
    pub count: u64,
    /// Where these bytes live.
    pub region: RegionId,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The machine.
    pub target: Target,
    /// All expressions.
    pub exprs: ExprPool,
    /// All variables.
    pub variables: Arena<VarId, Variable>,
    /// All static objects.
    pub objects: Arena<ObjectId, StaticObject>,
    /// All functions.
    pub functions: Arena<FunctionId, Function>,
    /// All locations of all functions.
    pub locations: Arena<LocId, Location>,
    /// All edges of all functions.
    pub edges: Arena<EdgeId, Edge>,
    /// All checks.
    pub checks: Arena<CheckId, Check>,
    /// Regions; the first is [`RegionId::ALL`].
    pub regions: Arena<RegionId, Region>,
    /// Which regions hold the static objects, sorted. Empty before the
    /// points-to analysis: then all lie in [`RegionId::ALL`].
    pub object_parts: Vec<ObjectPart>,
    /// The region of all memory that functions without a body can reach. An
    /// [`Op::External`] with [`ExternalEffect::Havoc`] may change it and no
    /// other region; none when no such call can reach memory.
    pub external_region: Option<RegionId>,
    /// Where the run starts: a function without parameters that lowering makes
    /// (it calls the user's entry function with unconstrained arguments).
    pub entry: FunctionId,
    /// Names for the parts of memory; no analysis depends on them.
    pub records: Vec<RecordLayout>,
    /// What the program says less than its source; while there is any, no verdict about the
    /// program is one about the source.
    pub unmodelled: Vec<Unmodelled>,
}

impl Program {
    /// A program without functions. `entry` must be set before use.
    pub fn new(target: Target) -> Self {
        let mut regions = Arena::new();
        regions.push(Region { name: "memory".into(), cell: None, aligned: false, object: None });
        Program {
            target,
            exprs: ExprPool::new(target),
            variables: Arena::new(),
            objects: Arena::new(),
            functions: Arena::new(),
            locations: Arena::new(),
            edges: Arena::new(),
            checks: Arena::new(),
            regions,
            object_parts: Vec::new(),
            external_region: Some(RegionId::ALL),
            entry: FunctionId::from_index(0),
            records: Vec::new(),
            unmodelled: Vec::new(),
        }
    }

    /// Adds a location to a function.
    pub fn add_location(&mut self, function: FunctionId) -> LocId {
        self.locations.push(Location::of(function))
    }

    /// Adds an edge and enters it at both ends.
    pub fn add_edge(&mut self, from: LocId, to: LocId, op: Op, origin: Origin) -> EdgeId {
        let id = self.edges.push(Edge { from, to, op, origin });
        self.locations[from].outgoing.push(id);
        self.locations[to].incoming.push(id);
        id
    }

    /// The value of a variable as an expression.
    pub fn read(&mut self, var: VarId) -> ExprId {
        self.exprs.var(var, self.variables[var].ty)
    }

    /// Whether some expression asks for leaks ([`Expr::Leaked`]): then the
    /// values of all pointers matter, whether they are used or not.
    pub fn checks_leaks(&self) -> bool {
        self.exprs.ids().any(|e| *self.exprs.get(e) == Expr::Leaked)
    }

    /// The function whose result an edge gets out of nowhere: an input, a function of the library whose value
    /// is not known, one without a body.
    pub fn asked(&self, edge: EdgeId) -> Option<&str> {
        match &self.edges[edge].op {
            Op::Nondet {
                source: NondetSource::Input(name) | NondetSource::Library(name), ..
            } => Some(name),
            Op::External { function, .. } => Some(&self.functions[*function].name),
            _ => None,
        }
    }

    /// Stores an expression.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        match expr {
            Expr::Var(var) => self.read(var),
            other => self.exprs.intern(other),
        }
    }
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

    /// The locations of each function.
    pub fn locations_by_function(&self) -> Vec<Vec<LocId>> {
        let mut lists = vec![Vec::new(); self.functions.len()];
        for (id, location) in self.locations.iter() {
            lists[location.function.index()].push(id);
        }
        lists
    }

    /// The edges of each function.
    pub fn edges_by_function(&self) -> Vec<Vec<EdgeId>> {
        let mut lists = vec![Vec::new(); self.functions.len()];
        for (id, edge) in self.edges.iter() {
            lists[self.locations[edge.from].function.index()].push(id);
        }
        lists
    }
}

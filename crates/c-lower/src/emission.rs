//! Emission: the automaton being built, and where lowering stands in it.

use crate::types::TyId;
use bolide_base::{Diagnostic, HashMap, HashSet, Span, arena::Id};
use bolide_cfa::{
    Expr, ExprId, FunctionId, LocId, NondetSource, ObjectId, Op, Origin, Program, Role, Target,
    Type, VarId, Variable, VariableKind,
};
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
    /// The blocks of the program that were lowered, by unit.
    pub blocks: BTreeSet<(usize, Span)>,
    /// The annotations that stand between their statements: the unit and the start.
    pub reached: BTreeSet<(usize, u32)>,
    /// Those among them whose assertions are not checked: the unit, the start and the end.
    pub unchecked: BTreeSet<(usize, u32, u32)>,
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
            blocks: BTreeSet::new(),
            reached: BTreeSet::new(),
            unchecked: BTreeSet::new(),
            diagnostics: Vec::new(),
            assumptions: BTreeSet::new(),
        }
    }
}

impl Emission {
    /// The constant zero or one as a condition.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.program.exprs.bool(value)
    }

    /// Adds an edge from where lowering stands; nothing where control cannot come.
    pub fn emit(&mut self, op: Op) {
        if let Some(cur) = self.at.cur {
            let next = self.program.add_location(self.at.id);
            self.program.add_edge(cur, next, op, self.at.origin);
            self.at.cur = Some(next);
        }
    }

    /// A new location of the function.
    pub fn location(&mut self) -> LocId {
        self.program.add_location(self.at.id)
    }

    /// Goes on at `to`, if control can come here.
    pub fn goto(&mut self, to: LocId) {
        if let Some(cur) = self.at.cur.take() {
            let origin = Origin { role: Role::Implicit, ..self.at.origin };
            self.program.add_edge(cur, to, Op::Skip, origin);
        }
    }

    /// Lowering goes on at `at` if any edge leads there.
    pub fn resume(&mut self, at: LocId) {
        let reached =
            !self.program.locations[at].incoming.is_empty() || self.at.jump_targets.contains(&at);
        self.at.cur = reached.then_some(at);
    }

    /// Control comes to `at` from here too, and lowering goes on there.
    pub fn join(&mut self, at: LocId) {
        self.goto(at);
        self.resume(at);
    }

    /// Whether control can come here.
    pub fn is_live(&self) -> bool {
        self.at.cur.is_some()
    }

    /// Whether control cannot come here.
    pub fn is_dead(&self) -> bool {
        self.at.cur.is_none()
    }

    /// Gives a variable a value.
    pub fn assign(&mut self, target: VarId, value: ExprId) {
        debug_assert_eq!(self.program.variables[target].ty, self.type_of(value));
        self.emit(Op::Assign { target, value });
    }

    /// Saves a value in a temporary unless it is a constant.
    pub fn save(&mut self, value: ExprId) -> ExprId {
        match self.program.exprs.get(value) {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Null
            | Expr::Object(_)
            | Expr::Function(_) => return value,
            Expr::Var(var) if self.program.variables[*var].kind == VariableKind::Temporary => {
                return value;
            }
            _ => {}
        }
        let ty = self.type_of(value);
        let var = self.temporary(ty);
        self.emit(Op::Assign { target: var, value });
        self.read(var)
    }

    /// A fresh temporary with any value.
    pub fn nondet(&mut self, ty: Type, source: NondetSource) -> ExprId {
        let target = self.temporary(ty);
        self.emit(Op::Nondet { target, source });
        self.read(target)
    }

    /// Cuts the path where the condition does not hold.
    pub fn assume(&mut self, condition: ExprId) {
        match self.as_int(condition) {
            Some(0) => self.at.cur = None,
            Some(_) => {}
            None => self.emit(Op::Assume(condition)),
        }
    }

    /// Adds a variable and lists it with its function.
    pub fn add_variable(&mut self, variable: Variable) -> VarId {
        let (function, kind) = (variable.function, variable.kind);
        let id = self.program.variables.push(variable);
        if let Some(function) = function
            && !matches!(kind, VariableKind::Parameter | VariableKind::Result)
        {
            self.program.functions[function].locals.push(id);
        }
        id
    }

    /// A fresh temporary of the present function.
    pub fn temporary(&mut self, ty: Type) -> VarId {
        if self.is_dead() {
            // Nothing will be executed: one variable of each type suffices.
            if let Some(&var) = self.at.dead_temporaries.get(&ty) {
                return var;
            }
        }
        self.at.temporaries += 1;
        let name = format!("tmp#{}", self.at.temporaries);
        let function = self.at.id;
        let var = self.add_variable(Variable::new(
            name,
            ty,
            self.at.active.then_some(function),
            VariableKind::Temporary,
        ));
        if self.is_dead() {
            self.at.dead_temporaries.insert(ty, var);
        }
        var
    }
}

//! The program as the heap logic sees it.
//!
//! An object of the logic is an object of memory; a pointer is an object (its
//! start) or null; a variable may also always point to one and the same place inside of objects
//! ([`offsets`]). A field is a place in memory: region, offset and type of an
//! access. Integers are mathematical; where C wraps, a value outside of the type's range is
//! any value. What cannot be said so makes the view fail with a reason: pointers into the middle
//! of objects that are stored or compared, accesses that overlap, integers as pointers,
//! indirect calls. Arrays that are variables are fields too ([`arrays`]). Integers that cannot be expressed are any value.
//!
//! Objects also have three properties of their own: `alive` (allocated and not
//! freed), `heap` (made by `malloc`; only where other objects exist) and `size` (only where
//! some object is smaller than some access). Objects that were never
//! allocated are not alive and nothing points to them.
//!
//! **Addresses and objects.** The address of a freed object may be given to a
//! later one, and an indeterminate pointer may happen to hold any address.
//! Objects of the logic are objects, not addresses: a later object is a new one, and an
//! access through an old pointer is an access to an object that is not alive. Only where
//! pointers are compared do addresses show. Required: unless both pointers
//! are null or point to live objects, two different objects may compare equal.

use crate::{FieldId, Formula, Kind, Signature, Symbol, Term};
use bolide_base::HashMap;
use bolide_cfa::analysis::Liveness;
use bolide_cfa::analysis::graph::reached;
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::contract::Contract;
use bolide_cfa::expr::BitRange;
use bolide_cfa::types::Type;
use bolide_cfa::{
    AllocKind, CheckId, EdgeId, Expr, ExprId, FunctionId, LocId, ObjectId, Op, Program, RegionId,
    VarId, VariableKind,
};

mod arrays;
mod expressions;
mod offsets;
mod operations;

/// A step of the heap-level program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Goes on only if it holds.
    Assume(Formula),
    /// Gives a variable a value.
    Assign(Symbol, Term),
    /// Gives a variable any value, of an integer between two bounds.
    Havoc(Symbol, Option<(i128, i128)>),
    /// Writes a field; without a value, any value.
    Write(FieldId, Term, Option<Term>),
    /// Adds an object to a set, or removes it.
    Mark(FieldId, Term, bool),
    /// Makes an object that nothing pointed to.
    New(Symbol),
    /// The first field is the second from now on.
    Snapshot(FieldId, FieldId),
    /// The field has any values from now on.
    Forget(FieldId),
}

impl Command {
    /// Calls `visit` on every term that it evaluates, outer ones first.
    pub fn terms(&self, visit: &mut dyn FnMut(&Term)) {
        match self {
            Command::Assume(formula) => formula.terms(visit),
            Command::Assign(_, term) | Command::Mark(_, term, _) => term.terms(visit),
            Command::Write(_, at, value) => {
                std::iter::once(at).chain(value).for_each(|term| term.terms(visit));
            }
            _ => {}
        }
    }
}

/// An edge of the heap-level program.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where from.
    pub from: LocId,
    /// Where to.
    pub to: LocId,
    /// What it does, in order.
    pub commands: Vec<Command>,
    /// The edge of the program; none where only a specification wants the step.
    pub edge: Option<EdgeId>,
}

/// A call in the heap-level program.
#[derive(Clone, Debug)]
pub struct CallSite {
    /// The step that evaluates its arguments.
    pub step: usize,
    /// What is called.
    pub function: String,
    /// What the arguments are given to.
    pub arguments: Vec<Symbol>,
    /// What the result is given to.
    pub result: Option<(VarId, Symbol)>,
}

/// Functions whose contracts stand for them, by name.
pub type Callees<'a> = HashMap<String, &'a Contract>;

/// Where an array lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Home {
    /// In static memory.
    Static(ObjectId),
    /// Where the address of a local variable is.
    Local(VarId),
}

/// An array as a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// What it holds.
    pub field: FieldId,
    /// How many places it has.
    pub length: i128,
    /// The type of what it holds.
    pub ty: Type,
}

/// The fields of a heap-level program, by what they hold.
pub struct Fields {
    /// Fields that hold pointers.
    pub links: Vec<FieldId>,
    /// Fields that hold integers.
    pub numbers: Vec<FieldId>,
    /// Ghost fields: the parents of trees.
    pub parents: Vec<FieldId>,
    /// Snapshots of fields that hold pointers.
    pub old_links: Vec<FieldId>,
    /// Allocated and not freed.
    pub alive: FieldId,
    /// Made by `malloc`.
    pub heap: Option<FieldId>,
    /// How many bytes an object has.
    pub size: Option<FieldId>,
    /// Which place of arrays an object stands for; only where there are arrays.
    pub number: Option<FieldId>,
    /// Objects that are arrays; what holds pointers is among the links too.
    pub arrays: HashMap<Home, Array>,
    /// Where in memory each is.
    pub places: HashMap<(RegionId, i128, Type, Option<BitRange>), FieldId>,
}

/// The heap-level program.
pub struct View {
    /// Names.
    pub signature: Signature,
    /// The variable of the logic for each of the program that is used.
    pub variables: HashMap<VarId, Symbol>,
    /// Fields.
    pub fields: Fields,
    /// The steps by where they start.
    pub steps: Vec<Step>,
    /// Numbers of the steps that leave a location.
    pub outgoing: HashMap<LocId, Vec<usize>>,
    /// Where the run starts.
    pub entry: LocId,
    /// What holds there.
    pub initial: Formula,
    /// Locations that must not be reached.
    pub errors: HashMap<LocId, CheckId>,
    /// Integers that the program writes into or compares with fields.
    pub constants: Vec<i128>,
    /// Static objects.
    pub statics: HashMap<ObjectId, Symbol>,
    /// A variable for bound objects in formulas that this view makes.
    pub bound: Symbol,
    /// Another one.
    pub between: Symbol,
    /// A variable for objects that are being made.
    pub new: Symbol,
    /// Variables of the specification.
    pub ghosts: Vec<Symbol>,
    /// Calls that go by contracts.
    pub calls: Vec<CallSite>,
}

/// Why there is no view.
pub type Refused = String;

/// The view of a whole program, all of whose calls are inlined.
pub fn view(program: &Program, function: FunctionId) -> Result<View, Refused> {
    build(program, function, None)
}

/// The view of a function that is called with pointers to whole objects of their types.
/// Calls of the named functions are left to their contracts.
pub fn view_typed(
    program: &Program,
    function: FunctionId,
    callees: &Callees<'_>,
) -> Result<View, Refused> {
    build(program, function, Some(callees))
}

fn build(
    program: &Program,
    function: FunctionId,
    callees: Option<&Callees<'_>>,
) -> Result<View, Refused> {
    let mut signature = Signature::default();
    let alive = signature.field("\\alive", Kind::Truth);
    let bound = signature.variable("v", Kind::Object);
    let between = signature.variable("w", Kind::Object);
    let new = signature.variable("new", Kind::Object);
    let body = program.functions[function].body.ok_or("the entry function has no body")?;
    let fields = Fields {
        links: Vec::new(),
        numbers: Vec::new(),
        parents: Vec::new(),
        old_links: Vec::new(),
        alive,
        heap: None,
        size: None,
        number: None,
        arrays: HashMap::default(),
        places: HashMap::default(),
    };
    let view = View {
        signature,
        variables: HashMap::default(),
        fields,
        steps: Vec::new(),
        outgoing: HashMap::default(),
        entry: body.entry,
        initial: Formula::True,
        errors: HashMap::default(),
        constants: Vec::new(),
        statics: HashMap::default(),
        bound,
        between,
        new,
        ghosts: Vec::new(),
        calls: Vec::new(),
    };
    let mut builder = Builder {
        program,
        view,
        fresh: Vec::new(),
        facts: Vec::new(),
        offsets: HashMap::default(),
        typed: callees.is_some(),
        callees,
        read_later: program.checks_leaks().then(|| Liveness::of(program)),
    };
    builder.build()?;
    Ok(builder.view)
}

struct Builder<'a> {
    program: &'a Program,
    view: View,
    /// Auxiliary variables of the present step.
    fresh: Vec<(Symbol, Option<(i128, i128)>)>,
    /// What holds of them.
    facts: Vec<Formula>,
    /// Variables that always point to the same place in some object, if not to its start.
    offsets: HashMap<VarId, i128>,
    /// Pointers point to whole objects of their types.
    typed: bool,
    /// Functions whose calls are left to their contracts.
    callees: Option<&'a Callees<'a>>,
    /// Where leaks are looked for: which variables are still in use.
    read_later: Option<Liveness>,
}

impl Builder<'_> {
    fn build(&mut self) -> Result<(), Refused> {
        let edges: Vec<EdgeId> = reachable(self.program, self.view.entry);
        let used = self.used(&edges);
        self.offsets = offsets::offsets(self.program, &edges);
        self.arrays(&edges, &used);
        self.sizes(&edges, &used)?;
        self.name_variables(&edges, &used);
        // The first pass finds the fields, the second knows them all.
        for _ in 0..2 {
            self.view.steps.clear();
            self.view.calls.clear();
            self.view.outgoing.clear();
            self.steps(&edges)?;
        }
        self.no_overlaps()?;
        self.initial()?;
        self.view.constants.sort_unstable();
        self.view.constants.dedup();
        Ok(())
    }

    fn steps(&mut self, edges: &[EdgeId]) -> Result<(), Refused> {
        for &id in edges {
            let edge = &self.program.edges[id];
            self.fresh.clear();
            self.facts.clear();
            let Some(mut commands) = self.commands(edge)? else { continue };
            let mut all: Vec<Command> =
                self.fresh.iter().map(|&(s, range)| Command::Havoc(s, range)).collect();
            all.extend(self.facts.drain(..).map(Command::Assume));
            all.append(&mut commands);
            self.view.steps.push(Step {
                from: edge.from,
                to: edge.to,
                commands: all,
                edge: Some(id),
            });
            let number = self.view.steps.len() - 1;
            self.view.outgoing.entry(edge.from).or_default().push(number);
            for location in [edge.from, edge.to] {
                if let Some(check) = self.program.locations[location].error {
                    self.view.errors.insert(location, check);
                }
            }
        }
        Ok(())
    }

    /// The expressions that the edges evaluate, with their operands.
    fn used(&self, edges: &[EdgeId]) -> Vec<ExprId> {
        let roots: Vec<ExprId> =
            edges.iter().flat_map(|&id| self.program.edges[id].op.operands()).collect();
        Walker::new().bottom_up(&self.program.exprs, &roots)
    }

    /// Whether sizes and kinds of objects have to be told apart.
    fn sizes(&mut self, edges: &[EdgeId], used: &[ExprId]) -> Result<(), Refused> {
        let mut smallest: Option<i128> = None;
        let mut others = false;
        for &id in edges {
            if let Op::Alloc { size, kind, target, .. } = &self.program.edges[id].op
                && !self.is_array(Home::Local(*target))
            {
                let size = self.program.exprs.as_int(*size).unwrap_or(0);
                smallest = Some(smallest.map_or(size, |s| s.min(size)));
                others |= *kind != AllocKind::Heap;
            }
        }
        let mut largest = 0;
        for &id in used {
            if let Expr::Object(object) = *self.program.exprs.get(id)
                && !self.is_array(Home::Static(object))
            {
                let size = i128::from(self.program.objects[object].size);
                smallest = Some(smallest.map_or(size, |s| s.min(size)));
                others = true;
            }
            if let Expr::Valid { pointer, size, .. } = *self.program.exprs.get(id)
                && !self.is_cell(pointer)
            {
                let offset = self.offset(pointer).map_or(i128::MAX / 2, |(_, offset)| offset);
                let size = self.program.exprs.as_int(size).unwrap_or(i128::MAX / 2);
                largest = largest.max(offset + size);
            }
        }
        if self.typed {
            return match smallest {
                Some(s) if s < largest => Err("an object that is smaller than some access".into()),
                _ if others => Err("objects outside of the heap".into()),
                _ => Ok(()),
            };
        }
        if smallest.is_some_and(|s| s < largest) {
            self.view.fields.size = Some(self.view.signature.field("\\size", Kind::Integer));
        }
        if others {
            self.view.fields.heap = Some(self.view.signature.field("\\heap", Kind::Truth));
        }
        Ok(())
    }

    fn name_variables(&mut self, edges: &[EdgeId], used: &[ExprId]) {
        let mut named = vec![false; self.program.variables.len()];
        for &id in edges {
            if let Some(target) = self.program.edges[id].op.target() {
                named[bolide_base::arena::Id::index(target)] = true;
            }
        }
        for &e in used {
            if let Expr::Var(var) = self.program.exprs.get(e) {
                named[bolide_base::arena::Id::index(*var)] = true;
            }
        }
        for (var, variable) in self.program.variables.iter() {
            if named[bolide_base::arena::Id::index(var)] && !self.is_array(Home::Local(var)) {
                let kind = if variable.ty == Type::Pointer { Kind::Object } else { Kind::Integer };
                let symbol = self.view.signature.variable(self.shown_name(var), kind);
                self.view.variables.insert(var, symbol);
            }
        }
    }

    fn bytes(&self, ty: Type) -> i128 {
        i128::from(ty.size(self.program.target))
    }

    /// Required: two fields share no byte, or a write to one would be missed by the other.
    fn no_overlaps(&self) -> Result<(), Refused> {
        let mut places: Vec<(RegionId, i128, i128)> = self
            .view
            .fields
            .places
            .keys()
            .map(|(region, offset, ty, _)| (*region, *offset, self.bytes(*ty)))
            .collect();
        places.sort_unstable();
        for pair in places.windows(2) {
            if pair[0].0 == pair[1].0 && pair[0].1 + pair[0].2 > pair[1].1 {
                return Err("memory that is accessed in two ways".into());
            }
        }
        Ok(())
    }

    fn initial(&mut self) -> Result<(), Refused> {
        let mut facts = Vec::new();
        let pairs: Vec<(VarId, Symbol)> = {
            let mut pairs: Vec<_> = self.view.variables.iter().map(|(v, s)| (*v, *s)).collect();
            pairs.sort_unstable();
            pairs
        };
        for (var, symbol) in pairs {
            let variable = &self.program.variables[var];
            if variable.kind != VariableKind::Global {
                continue;
            }
            let value = match variable.initial {
                Some(expr) if variable.ty == Type::Pointer => self.pointer(expr)?,
                Some(expr) => self.integer(expr),
                None if variable.ty == Type::Pointer => Term::Null,
                None => Term::Int(0),
            };
            facts.push(Formula::Eq(Term::Var(symbol), value));
        }
        let mut statics: Vec<(ObjectId, Symbol)> =
            self.view.statics.iter().map(|(o, s)| (*o, *s)).collect();
        statics.sort_unstable();
        let v = Term::Var(self.view.bound);
        let mut is_static = Vec::new();
        for (i, &(object, symbol)) in statics.iter().enumerate() {
            let here = Term::Var(symbol);
            facts.push(Formula::ne(here.clone(), Term::Null));
            facts.push(Formula::Holds(self.view.fields.alive, here.clone()));
            for &(_, other) in &statics[..i] {
                facts.push(Formula::ne(here.clone(), Term::Var(other)));
            }
            if let Some(heap) = self.view.fields.heap {
                facts.push(Formula::Holds(heap, here.clone()).negate());
            }
            if let Some(size) = self.view.fields.size {
                let bytes = Term::Int(i128::from(self.program.objects[object].size));
                facts.push(Formula::Eq(Term::read(size, here.clone()), bytes));
            }
            self.static_contents(object, &here, &mut facts)?;
            is_static.push(Formula::Eq(v.clone(), here));
        }
        self.initial_arrays(&mut facts);
        let alive = Formula::Holds(self.view.fields.alive, v);
        is_static.push(alive.negate());
        facts.push(Formula::Forall(vec![self.view.bound], Box::new(Formula::or(is_static))));
        facts.push(Formula::Holds(self.view.fields.alive, Term::Null).negate());
        self.view.initial = Formula::and(facts);
        Ok(())
    }

    fn static_contents(
        &mut self,
        object: ObjectId,
        here: &Term,
        facts: &mut Vec<Formula>,
    ) -> Result<(), Refused> {
        let info = self.program.objects[object].clone();
        if info.external {
            return Ok(());
        }
        let mut places: Vec<_> = self.view.fields.places.iter().map(|(k, f)| (*k, *f)).collect();
        places.sort_unstable_by_key(|(_, f)| *f);
        for ((_, offset, ty, bits), field) in places {
            if offset + self.bytes(ty) > i128::from(info.size) {
                continue;
            }
            let given: Vec<_> = info
                .initial
                .iter()
                .filter(|i| {
                    let end =
                        i128::from(i.offset) + self.bytes(self.program.exprs.type_of(i.value));
                    i128::from(i.offset) < offset + self.bytes(ty) && end > offset
                })
                .cloned()
                .collect();
            let value = match given.as_slice() {
                [] if ty == Type::Pointer => Term::Null,
                [] if matches!(ty, Type::Int(_)) => Term::Int(0),
                [one]
                    if i128::from(one.offset) == offset
                        && one.bits == bits
                        && self.program.exprs.type_of(one.value) == ty =>
                {
                    if ty == Type::Pointer {
                        self.pointer(one.value)?
                    } else {
                        self.integer(one.value)
                    }
                }
                // What cannot be said is left open.
                _ => continue,
            };
            facts.push(Formula::Eq(Term::read(field, here.clone()), value));
        }
        Ok(())
    }
}

/// The edges that can be reached, in a fixed order.
fn reachable(program: &Program, entry: LocId) -> Vec<EdgeId> {
    let outgoing = |at: LocId| program.locations[at].outgoing.iter().copied();
    let locations = reached([entry], |at| outgoing(at).map(|e| program.edges[e].to));
    let mut edges: Vec<EdgeId> = locations.into_iter().flat_map(outgoing).collect();
    edges.sort_unstable();
    edges
}

//! The program as the heap logic sees it.
//!
//! An object of the logic is an object of memory; a pointer is an object (its
//! start) or null. A field is a place in memory: region, offset and type of an
//! access. Integers are mathematical; where C wraps, a value outside of the type's range is
//! any value. What cannot be said so makes the view fail with a reason: pointers into the middle
//! of objects that are stored or compared, accesses that overlap, integers as pointers,
//! indirect calls. Integers that cannot be expressed are any value.
//!
//! Objects also have three properties of their own: `alive` (allocated and not
//! freed), `heap` (made by `malloc`; only where other objects exist) and `size` (only where
//! some object is smaller than some access). Objects that were never
//! allocated are not alive and nothing points to them: an indeterminate pointer is taken
//! not to be the address of an object that is allocated later.

use bolide_base::HashMap;
use bolide_cfa::expr::{Access, BitRange};
use bolide_cfa::types::{IntType, Type};
use bolide_cfa::{
    AllocKind, BinaryOp, CheckId, CompareOp, Edge, EdgeId, Expr, ExprId, ExternalEffect,
    FunctionId, LocId, ObjectId, Op, Program, RegionId, UnaryOp, VarId, VariableKind,
};
use bolide_heap::{FieldId, Formula, Kind, Signature, Symbol, Term};

/// A step of the heap-level program.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// The heap-level program.
pub struct View {
    /// Names.
    pub signature: Signature,
    /// The variable of the logic for each of the program that is used.
    pub variables: HashMap<VarId, Symbol>,
    /// Fields that hold pointers.
    pub links: Vec<FieldId>,
    /// Fields that hold integers.
    pub numbers: Vec<FieldId>,
    /// Allocated and not freed.
    pub alive: FieldId,
    /// Made by `malloc`.
    pub heap: Option<FieldId>,
    /// How many bytes an object has.
    pub size: Option<FieldId>,
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
    /// A variable for objects that are being made.
    pub new: Symbol,
    /// Variables of the specification.
    pub ghosts: Vec<Symbol>,
    /// Snapshots of fields that hold pointers.
    pub old_links: Vec<FieldId>,
    pub(super) places: HashMap<(RegionId, i128, Type, Option<BitRange>), FieldId>,
}

/// Why there is no view.
pub type Refused = String;

/// The view of a whole program, all of whose calls are inlined.
pub fn view(program: &Program, function: FunctionId) -> Result<View, Refused> {
    build(program, function, false)
}

/// The view of a function that is called with pointers to whole objects of their types.
pub fn view_typed(program: &Program, function: FunctionId) -> Result<View, Refused> {
    build(program, function, true)
}

fn build(program: &Program, function: FunctionId, typed: bool) -> Result<View, Refused> {
    let mut signature = Signature::default();
    let alive = signature.field("\\alive", Kind::Truth);
    let bound = signature.variable("v", Kind::Object);
    let new = signature.variable("new", Kind::Object);
    let body = program.functions[function].body.ok_or("the entry function has no body")?;
    let view = View {
        signature,
        variables: HashMap::default(),
        links: Vec::new(),
        numbers: Vec::new(),
        alive,
        heap: None,
        size: None,
        steps: Vec::new(),
        outgoing: HashMap::default(),
        entry: body.entry,
        initial: Formula::True,
        errors: HashMap::default(),
        constants: Vec::new(),
        statics: HashMap::default(),
        bound,
        new,
        ghosts: Vec::new(),
        old_links: Vec::new(),
        places: HashMap::default(),
    };
    let mut builder = Builder { program, view, fresh: Vec::new(), typed };
    builder.build()?;
    Ok(builder.view)
}

struct Builder<'a> {
    program: &'a Program,
    view: View,
    /// Auxiliary variables of the present step.
    fresh: Vec<(Symbol, Option<(i128, i128)>)>,
    /// Pointers point to whole objects of their types.
    typed: bool,
}

impl Builder<'_> {
    fn build(&mut self) -> Result<(), Refused> {
        let edges: Vec<EdgeId> = reachable(self.program, self.view.entry);
        let used = self.used(&edges);
        self.sizes(&edges, &used)?;
        self.name_variables(&edges, &used);
        // The first pass finds the fields, the second knows them all.
        for _ in 0..2 {
            self.view.steps.clear();
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
            let Some(mut commands) = self.commands(edge)? else { continue };
            let mut all: Vec<Command> =
                self.fresh.iter().map(|&(s, range)| Command::Havoc(s, range)).collect();
            all.append(&mut commands);
            self.view.steps.push(Step { from: edge.from, to: edge.to, commands: all });
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
        let mut stack: Vec<ExprId> =
            edges.iter().flat_map(|&id| self.program.edges[id].op.operands()).collect();
        let mut seen = bolide_base::HashSet::default();
        let mut used = Vec::new();
        while let Some(e) = stack.pop() {
            if seen.insert(e) {
                used.push(e);
                stack.extend(self.program.exprs.get(e).operands());
            }
        }
        used
    }

    /// Whether sizes and kinds of objects have to be told apart.
    fn sizes(&mut self, edges: &[EdgeId], used: &[ExprId]) -> Result<(), Refused> {
        let mut smallest: Option<i128> = None;
        let mut others = false;
        for &id in edges {
            if let Op::Alloc { size, kind, .. } = &self.program.edges[id].op {
                let size = self.program.exprs.as_int(*size).unwrap_or(0);
                smallest = Some(smallest.map_or(size, |s| s.min(size)));
                others |= *kind != AllocKind::Heap;
            }
        }
        let mut largest = 0;
        for &id in used {
            if let Expr::Object(object) = *self.program.exprs.get(id) {
                let size = i128::from(self.program.objects[object].size);
                smallest = Some(smallest.map_or(size, |s| s.min(size)));
                others = true;
            }
            if let Expr::Valid { pointer, size, .. } = *self.program.exprs.get(id) {
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
            self.view.size = Some(self.view.signature.field("\\size", Kind::Integer));
        }
        if others {
            self.view.heap = Some(self.view.signature.field("\\heap", Kind::Truth));
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
            if named[bolide_base::arena::Id::index(var)] {
                let kind = if variable.ty == Type::Pointer { Kind::Object } else { Kind::Integer };
                let symbol = self.view.signature.variable(variable.name.clone(), kind);
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
            facts.push(Formula::Holds(self.view.alive, here.clone()));
            for &(_, other) in &statics[..i] {
                facts.push(Formula::ne(here.clone(), Term::Var(other)));
            }
            if let Some(heap) = self.view.heap {
                facts.push(Formula::Holds(heap, here.clone()).negate());
            }
            if let Some(size) = self.view.size {
                let bytes = Term::Int(i128::from(self.program.objects[object].size));
                facts.push(Formula::Eq(Term::read(size, here.clone()), bytes));
            }
            self.static_contents(object, &here, &mut facts)?;
            is_static.push(Formula::Eq(v.clone(), here));
        }
        let alive = Formula::Holds(self.view.alive, v);
        is_static.push(alive.negate());
        facts.push(Formula::Forall(vec![self.view.bound], Box::new(Formula::or(is_static))));
        facts.push(Formula::Holds(self.view.alive, Term::Null).negate());
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
        let mut places: Vec<_> = self.view.places.iter().map(|(k, f)| (*k, *f)).collect();
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

    // Expressions.

    /// The object that a pointer expression points into, and where.
    fn offset(&self, pointer: ExprId) -> Option<(ExprId, i128)> {
        match *self.program.exprs.get(pointer) {
            Expr::PointerAdd(base, by) => {
                let by = self.program.exprs.as_int(by)?;
                let (base, offset) = self.offset(base)?;
                Some((base, offset + by))
            }
            Expr::Cast(Type::Pointer, inner)
                if self.program.exprs.type_of(inner) == Type::Pointer =>
            {
                self.offset(inner)
            }
            _ => Some((pointer, 0)),
        }
    }

    fn auxiliary(&mut self, kind: Kind, range: Option<(i128, i128)>) -> Term {
        let name = format!("any#{}", self.view.signature.variables.len());
        let symbol = self.view.signature.variable(name, kind);
        self.fresh.push((symbol, range));
        Term::Var(symbol)
    }

    fn symbol(&self, var: VarId) -> Symbol {
        self.view.variables[&var]
    }

    fn field(&mut self, access: &Access) -> Result<(FieldId, ExprId), Refused> {
        let (base, offset) = self
            .offset(access.pointer)
            .ok_or("pointer arithmetic with a variable offset (arrays)")?;
        let key = (access.region, offset, access.ty, access.bits);
        if let Some(&field) = self.view.places.get(&key) {
            return Ok((field, base));
        }
        let pointer = access.ty == Type::Pointer;
        let kind = if pointer { Kind::Object } else { Kind::Integer };
        let region = bolide_base::arena::Id::index(access.region);
        let name = if region == 0 { format!("@{offset}") } else { format!("@{offset}.{region}") };
        let field = self.view.signature.field(name, kind);
        self.view.places.insert(key, field);
        if pointer { &mut self.view.links } else { &mut self.view.numbers }.push(field);
        Ok((field, base))
    }

    /// A pointer to the start of an object.
    fn pointer(&mut self, e: ExprId) -> Result<Term, Refused> {
        match *self.program.exprs.get(e) {
            Expr::Null => Ok(Term::Null),
            Expr::Var(var) => Ok(Term::Var(self.symbol(var))),
            Expr::Load(access) => {
                let (field, base) = self.field(&access)?;
                let base = self.pointer(base)?;
                if access.volatile {
                    return Err("a volatile pointer".into());
                }
                Ok(Term::read(field, base))
            }
            Expr::Object(object) => {
                let symbol = match self.view.statics.get(&object) {
                    Some(&symbol) => symbol,
                    None => {
                        let name = format!("&{}", self.program.objects[object].name);
                        let symbol = self.view.signature.variable(name, Kind::Object);
                        self.view.statics.insert(object, symbol);
                        symbol
                    }
                };
                Ok(Term::Var(symbol))
            }
            Expr::Cast(Type::Pointer, inner) => match self.program.exprs.type_of(inner) {
                Type::Pointer => self.pointer(inner),
                _ if self.program.exprs.as_int(inner) == Some(0) => Ok(Term::Null),
                _ => Err("an integer as a pointer".into()),
            },
            Expr::Ite(c, a, b) => {
                let c = self.condition(c)?;
                let (a, b) = (self.pointer(a)?, self.pointer(b)?);
                Ok(Term::If(Box::new(c), Box::new(a), Box::new(b)))
            }
            Expr::PointerAdd(base, by) if self.program.exprs.as_int(by) == Some(0) => {
                self.pointer(base)
            }
            Expr::PointerAdd(..) => Err("a pointer into the middle of an object".into()),
            Expr::Function(_) => Err("a pointer to a function".into()),
            _ => Err("a computed pointer".into()),
        }
    }

    /// An integer; what cannot be expressed is any value.
    fn integer(&mut self, e: ExprId) -> Term {
        let ty = self.program.exprs.type_of(e);
        let range = match ty {
            Type::Int(int) => Some((int.min(), int.max())),
            _ => None,
        };
        let is_signed = matches!(ty, Type::Int(IntType { signed: true, .. }));
        match *self.program.exprs.get(e) {
            Expr::Int { bits, ty } => {
                let value = ty.value(bits);
                if value.unsigned_abs() < 1 << 40 {
                    self.view.constants.push(value);
                }
                Term::Int(value)
            }
            Expr::Var(var) => Term::Var(self.symbol(var)),
            Expr::Load(access) if !access.volatile && matches!(ty, Type::Int(_)) => {
                let Ok((field, base)) = self.field(&access) else {
                    return self.auxiliary(Kind::Integer, range);
                };
                match self.pointer(base) {
                    Ok(base) => Term::read(field, base),
                    Err(_) => self.auxiliary(Kind::Integer, range),
                }
            }
            Expr::Unary(UnaryOp::Neg, a) if is_signed => Term::Scale(-1, Box::new(self.integer(a))),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)
                if matches!(ty, Type::Int(_)) && ty != Type::BOOL =>
            {
                let (a, b) = (self.integer(a), self.integer(b));
                let b = if op == BinaryOp::Add {
                    b
                } else if let Term::Int(n) = b {
                    Term::Int(-n)
                } else {
                    Term::Scale(-1, Box::new(b))
                };
                let sum = Term::Add(Box::new(a), Box::new(b));
                if is_signed { sum } else { self.within(sum, range) }
            }
            Expr::Binary(BinaryOp::Mul, a, b) if is_signed => {
                match (self.program.exprs.as_int(a), self.program.exprs.as_int(b)) {
                    (Some(k), _) => Term::Scale(k, Box::new(self.integer(b))),
                    (_, Some(k)) => Term::Scale(k, Box::new(self.integer(a))),
                    _ => self.auxiliary(Kind::Integer, range),
                }
            }
            Expr::Cast(Type::Int(to), a) if to != IntType::BOOL => {
                match self.program.exprs.type_of(a) {
                    Type::Int(from) => {
                        let inner = self.integer(a);
                        if from.min() >= to.min() && from.max() <= to.max() && from.bits < 128 {
                            inner
                        } else {
                            self.within(inner, range)
                        }
                    }
                    _ => self.auxiliary(Kind::Integer, range),
                }
            }
            Expr::Ite(c, a, b) => match self.condition(c) {
                Ok(c) => {
                    let (a, b) = (self.integer(a), self.integer(b));
                    Term::If(Box::new(c), Box::new(a), Box::new(b))
                }
                Err(_) => self.auxiliary(Kind::Integer, range),
            },
            _ if ty == Type::BOOL => match self.condition(e) {
                Ok(c) => Term::If(Box::new(c), Box::new(Term::Int(1)), Box::new(Term::Int(0))),
                Err(_) => self.auxiliary(Kind::Integer, range),
            },
            _ => self.auxiliary(Kind::Integer, range),
        }
    }

    /// The value where it is in the range, else any value of the range.
    fn within(&mut self, value: Term, range: Option<(i128, i128)>) -> Term {
        let Some((min, max)) = range else { return value };
        if let Term::Int(n) = value
            && min <= n
            && n <= max
        {
            return value;
        }
        let any = self.auxiliary(Kind::Integer, range);
        let inside = Formula::and([
            Formula::Le(Term::Int(min), value.clone()),
            Formula::Le(value.clone(), Term::Int(max)),
        ]);
        Term::If(Box::new(inside), Box::new(value), Box::new(any))
    }

    /// A condition. Errors where a pointer in it cannot be expressed.
    fn condition(&mut self, e: ExprId) -> Result<Formula, Refused> {
        match *self.program.exprs.get(e) {
            Expr::Int { bits, .. } => Ok(if bits != 0 { Formula::True } else { Formula::False }),
            Expr::Unary(UnaryOp::Not, a) => Ok(self.condition(a)?.negate()),
            Expr::Binary(BinaryOp::BitAnd, a, b) => {
                Ok(Formula::and([self.condition(a)?, self.condition(b)?]))
            }
            Expr::Binary(BinaryOp::BitOr, a, b) => {
                Ok(Formula::or([self.condition(a)?, self.condition(b)?]))
            }
            Expr::Compare(op, a, b) if self.program.exprs.type_of(a) == Type::Pointer => match op {
                CompareOp::Eq => Ok(Formula::Eq(self.pointer(a)?, self.pointer(b)?)),
                CompareOp::Ne => Ok(Formula::ne(self.pointer(a)?, self.pointer(b)?)),
                _ => Ok(self.any_truth()),
            },
            Expr::Compare(op, a, b) if matches!(self.program.exprs.type_of(a), Type::Int(_)) => {
                let (a, b) = (self.integer(a), self.integer(b));
                Ok(match op {
                    CompareOp::Eq => Formula::Eq(a, b),
                    CompareOp::Ne => Formula::ne(a, b),
                    CompareOp::Lt => Formula::Le(b, a).negate(),
                    CompareOp::Le => Formula::Le(a, b),
                })
            }
            Expr::Cast(Type::Int(IntType::BOOL), a) => match self.program.exprs.type_of(a) {
                Type::Pointer => Ok(Formula::ne(self.pointer(a)?, Term::Null)),
                Type::Int(_) => Ok(Formula::ne(self.integer(a), Term::Int(0))),
                _ => Ok(self.any_truth()),
            },
            Expr::Var(_) | Expr::Load(_) => Ok(Formula::ne(self.integer(e), Term::Int(0))),
            Expr::Valid { pointer, size, .. } => self.valid(pointer, size),
            Expr::Freeable { pointer, .. } => {
                let p = self.pointer(pointer)?;
                let mut parts = vec![Formula::Holds(self.view.alive, p.clone())];
                parts.extend(self.view.heap.map(|heap| Formula::Holds(heap, p.clone())));
                Ok(Formula::or([Formula::Eq(p, Term::Null), Formula::and(parts)]))
            }
            Expr::HeapInUse => {
                let in_use = self.in_use();
                Ok(Formula::Exists(vec![self.view.bound], Box::new(in_use)))
            }
            _ => Ok(self.any_truth()),
        }
    }

    /// The bound variable is a live object of the heap.
    fn in_use(&self) -> Formula {
        let v = Term::Var(self.view.bound);
        let mut parts = vec![Formula::Holds(self.view.alive, v.clone())];
        parts.extend(self.view.heap.map(|heap| Formula::Holds(heap, v.clone())));
        Formula::and(parts)
    }

    fn any_truth(&mut self) -> Formula {
        let any = self.auxiliary(Kind::Integer, Some((0, 1)));
        Formula::Eq(any, Term::Int(1))
    }

    fn valid(&mut self, pointer: ExprId, size: ExprId) -> Result<Formula, Refused> {
        let (base, offset) =
            self.offset(pointer).ok_or("pointer arithmetic with a variable offset (arrays)")?;
        let base = self.pointer(base)?;
        let mut parts = vec![Formula::Holds(self.view.alive, base.clone())];
        match self.program.exprs.as_int(size) {
            Some(_) if offset < 0 => return Ok(Formula::False),
            Some(n) => {
                if let Some(bytes) = self.view.size {
                    parts.push(Formula::Le(Term::Int(offset + n), Term::read(bytes, base)));
                }
            }
            None => return Err("an access of variable size".into()),
        }
        Ok(Formula::and(parts))
    }

    /// Some live heap object cannot be reached from a global variable: more
    /// states than those that leak, since only paths along one field count.
    fn leaked(&self) -> Formula {
        let v = Term::Var(self.view.bound);
        let mut parts = vec![self.in_use()];
        let mut globals: Vec<Symbol> = self
            .view
            .variables
            .iter()
            .filter(|(var, _)| {
                let variable = &self.program.variables[**var];
                variable.kind == VariableKind::Global && variable.ty == Type::Pointer
            })
            .map(|(_, s)| *s)
            .collect();
        globals.sort_unstable();
        for global in globals {
            for &field in &self.view.links {
                parts.push(Formula::reach(field, Term::Var(global), v.clone()).negate());
            }
            if self.view.links.is_empty() {
                parts.push(Formula::ne(Term::Var(global), v.clone()));
            }
        }
        Formula::Exists(vec![self.view.bound], Box::new(Formula::and(parts)))
    }

    // Operations.

    /// What an edge does; none when the run ends there.
    fn commands(&mut self, edge: &Edge) -> Result<Option<Vec<Command>>, Refused> {
        let mut out = Vec::new();
        match &edge.op {
            Op::Skip | Op::Output { result: None, .. } => {}
            Op::Assume(e) => out.push(Command::Assume(self.assumption(*e)?)),
            Op::Assign { target, value } => {
                let value = if self.program.variables[*target].ty == Type::Pointer {
                    self.pointer(*value)?
                } else {
                    self.integer(*value)
                };
                out.push(Command::Assign(self.symbol(*target), value));
            }
            Op::Store { access, value } => {
                let (field, base) = self.field(access)?;
                let base = self.pointer(base)?;
                let value = match access.ty {
                    Type::Pointer => Some(self.pointer(*value)?),
                    Type::Int(_) => {
                        let value = self.integer(*value);
                        let range = access.bits.map(|bits| {
                            let half = 1i128 << (bits.width.min(100) - 1);
                            match access.ty {
                                Type::Int(int) if int.signed => (-half, half - 1),
                                _ => (0, 2 * half - 1),
                            }
                        });
                        Some(self.within(value, range))
                    }
                    _ => None,
                };
                out.push(Command::Write(field, base, value));
            }
            Op::Nondet { target, .. } | Op::Output { result: Some(target), .. } => {
                out.push(self.any_value(*target));
            }
            Op::Alloc { target, size, kind, zeroed, .. } => {
                self.allocate(*target, *size, *kind, *zeroed, &mut out);
            }
            Op::Free { pointer, .. } | Op::EndLifetime { pointer, .. } => {
                let p = self.pointer(*pointer)?;
                out.push(Command::Mark(self.view.alive, p, false));
            }
            Op::Fill { to, byte, size, region } => {
                self.fill(*to, *byte, *size, *region, &mut out)?
            }
            Op::External { arguments, result, effect, .. } => {
                if let Some(target) = result {
                    out.push(self.any_value(*target));
                }
                if *effect == ExternalEffect::Havoc {
                    self.external(arguments, &mut out)?;
                }
            }
            Op::Halt { .. } => return Ok(None),
            Op::Copy { .. } => return Err("copies of memory".into()),
            Op::Call { function, .. } => {
                let name = &self.program.functions[*function].name;
                return Err(format!("the call of `{name}`"));
            }
            Op::CallIndirect { .. } => return Err("an indirect call".into()),
        }
        Ok(Some(out))
    }

    /// The condition of an assumption; leaks are only ever over-approximated.
    fn assumption(&mut self, e: ExprId) -> Result<Formula, Refused> {
        match *self.program.exprs.get(e) {
            Expr::Leaked => Ok(self.leaked()),
            Expr::Unary(UnaryOp::Not, a) if *self.program.exprs.get(a) == Expr::Leaked => {
                Ok(Formula::True)
            }
            _ => self.condition(e),
        }
    }

    fn any_value(&self, target: VarId) -> Command {
        let range = match self.program.variables[target].ty {
            Type::Int(int) => Some((int.min(), int.max())),
            _ => None,
        };
        Command::Havoc(self.symbol(target), range)
    }

    fn allocate(
        &mut self,
        target: VarId,
        size: ExprId,
        kind: AllocKind,
        zeroed: bool,
        out: &mut Vec<Command>,
    ) {
        let symbol = self.symbol(target);
        let bytes = self.view.size.map(|field| (field, self.integer(size)));
        out.push(Command::New(symbol));
        let here = Term::Var(symbol);
        out.push(Command::Mark(self.view.alive, here.clone(), true));
        if let Some(heap) = self.view.heap {
            out.push(Command::Mark(heap, here.clone(), kind == AllocKind::Heap));
        }
        if let Some((field, bytes)) = bytes {
            out.push(Command::Write(field, here.clone(), Some(bytes)));
        }
        if zeroed {
            for &field in &self.view.links {
                out.push(Command::Write(field, here.clone(), Some(Term::Null)));
            }
            for &field in &self.view.numbers {
                out.push(Command::Write(field, here.clone(), Some(Term::Int(0))));
            }
        }
    }

    fn fill(
        &mut self,
        to: ExprId,
        byte: ExprId,
        size: ExprId,
        region: RegionId,
        out: &mut Vec<Command>,
    ) -> Result<(), Refused> {
        let (base, from) = self.offset(to).ok_or("filling an array")?;
        let size = self.program.exprs.as_int(size).ok_or("filling memory of variable size")?;
        let zero = self.program.exprs.as_int(byte) == Some(0);
        let base = self.pointer(base)?;
        let mut places: Vec<_> = self.view.places.iter().map(|(k, f)| (*k, *f)).collect();
        places.sort_unstable_by_key(|(_, f)| *f);
        for ((place, offset, ty, _), field) in places {
            let end = offset + self.bytes(ty);
            if place == region && offset < from + size && end > from {
                let value = match ty {
                    Type::Pointer if zero && offset >= from && end <= from + size => Term::Null,
                    Type::Int(_) if zero && offset >= from && end <= from + size => Term::Int(0),
                    _ => return Err("filling memory with other bytes than zero".into()),
                };
                out.push(Command::Write(field, base.clone(), Some(value)));
            }
        }
        Ok(())
    }

    /// A function without a body may change what it can reach.
    fn external(&mut self, arguments: &[ExprId], out: &mut Vec<Command>) -> Result<(), Refused> {
        let pointers = arguments.iter().any(|&a| self.program.exprs.type_of(a) == Type::Pointer);
        let mut globals: Vec<VarId> = self
            .view
            .variables
            .keys()
            .copied()
            .filter(|&v| self.program.variables[v].kind == VariableKind::Global)
            .collect();
        globals.sort_unstable();
        let reaches = pointers
            || globals.iter().any(|&v| self.program.variables[v].ty == Type::Pointer)
            || !self.program.objects.is_empty();
        for global in globals {
            out.push(self.any_value(global));
        }
        if reaches && self.program.external_region.is_some() {
            return Err("a function without a body that can reach memory".into());
        }
        Ok(())
    }
}

/// The edges that can be reached, in a fixed order.
fn reachable(program: &Program, entry: LocId) -> Vec<EdgeId> {
    let mut seen = bolide_base::HashSet::default();
    let mut stack = vec![entry];
    let mut edges = Vec::new();
    seen.insert(entry);
    while let Some(location) = stack.pop() {
        for &edge in &program.locations[location].outgoing {
            edges.push(edge);
            let to = program.edges[edge].to;
            if seen.insert(to) {
                stack.push(to);
            }
        }
    }
    edges.sort_unstable();
    edges
}

//! Arrays of scalars, in static memory or local: heads of lists, tables of counters.
//!
//! A field is a function on objects, and so is an array, when its places are objects: the object `#i` stands for
//! the place `i` of every array, and `table[i]` is the field `table` of `#i`. So an index whose value is not known
//! is one more object of the logic, what holds of all cells of an array is said like what holds of all
//! objects, and neither abstraction nor decision procedure knows of arrays. An object's number (the field `\index`) is the
//! place that it stands for, or negative. Required, and true in the heaps that we mean:
//!
//! - each number from 0 on has one object ([`Term::Index`]), all other objects have a negative number;
//! - no live object and no new one stands for a place; nothing in memory points to one that does, so that all fields
//!   but arrays may be taken to be null there;
//! - what annotations say of all objects they do not say of places: a heap may have fewer objects than an array has places, and
//!   such a heap must not be lost ([`View::unless_place`]).
//!
//! An object of memory is an array where it is accessed at places that are computed, as scalars of one type, and its address is
//! used for nothing else: no pointer leads into it, or the view is refused. What lies behind its end is checked by the
//! accesses' own checks; a place behind it holds anything. A local array begins with any contents each time that it is made;
//! it is alive where its name can be used.

use super::{Array, Builder, Home, Refused, View};
use crate::{FieldId, Formula, Kind, Term};
use bolide_cfa::expr::Access;
use bolide_cfa::types::Type;
use bolide_cfa::{AllocKind, BinaryOp, EdgeId, Expr, ExprId, Op, VarId, VariableKind};

/// The number is that of a place of an array of that length.
pub(super) fn within_bounds(place: Term, length: i128) -> Formula {
    Formula::and([
        Formula::Le(Term::Int(0), place.clone()),
        Formula::Le(place, Term::Int(length - 1)),
    ])
}

impl View {
    /// The field that holds which place an object stands for.
    pub(crate) fn number(&mut self) -> FieldId {
        if let Some(number) = self.fields.number {
            return number;
        }
        let number = self.signature.field("\\index", Kind::Integer);
        self.fields.number = Some(number);
        number
    }

    /// The array that lies in an object of memory.
    pub(crate) fn array(&mut self, home: Home, name: &str, length: i128, ty: Type) -> Array {
        if let Some(&array) = self.fields.arrays.get(&home) {
            return array;
        }
        self.number();
        let kind = if ty == Type::Pointer { Kind::Object } else { Kind::Integer };
        let field = self.signature.field(name, kind);
        let fields = &mut self.fields;
        if ty == Type::Pointer { &mut fields.links } else { &mut fields.numbers }.push(field);
        let array = Array { field, length, ty };
        fields.arrays.insert(home, array);
        array
    }

    /// The array that a field is.
    pub(crate) fn array_of(&self, field: FieldId) -> Option<Array> {
        self.fields.arrays.values().find(|array| array.field == field).copied()
    }

    /// Whether a field is a local array: nobody outside of the function knows it.
    pub(crate) fn is_local(&self, field: FieldId) -> bool {
        let mut arrays = self.fields.arrays.iter();
        arrays.any(|(home, array)| matches!(home, Home::Local(_)) && array.field == field)
    }

    /// What is said of an object, unless it stands for a place of arrays.
    pub(crate) fn unless_place(&self, object: Term, said: Formula) -> Formula {
        match self.fields.number {
            Some(number) => {
                Formula::or([Formula::Le(Term::Int(0), Term::read(number, object)), said])
            }
            None => said,
        }
    }

    /// The object stands for a place of an array of that length.
    pub(crate) fn is_place(&self, object: &Term, length: i128) -> Formula {
        let Some(number) = self.fields.number else { return Formula::False };
        within_bounds(Term::read(number, object.clone()), length)
    }

    /// What holds of places in all states.
    pub(crate) fn axioms(&self) -> Vec<Formula> {
        let Some(number) = self.fields.number else { return Vec::new() };
        let v = Term::Var(self.bound);
        let of = |t: &Term| Term::read(number, t.clone());
        let every = |body: Formula| Formula::Forall(vec![self.bound], Box::new(body));
        let stands = Formula::Le(Term::Int(0), of(&v));
        let one = Formula::Eq(Term::Index(number, Box::new(of(&v))), v.clone());
        let mut all = vec![
            Formula::Le(of(&Term::Null), Term::Int(-1)),
            every(Formula::implies(stands.clone(), one)),
            every(Formula::implies(
                Formula::Holds(self.fields.alive, v.clone()),
                stands.clone().negate(),
            )),
        ];
        for &field in self.fields.links.iter().filter(|f| self.array_of(**f).is_none()) {
            let null = Formula::Eq(Term::read(field, v.clone()), Term::Null);
            all.push(every(Formula::implies(stands.clone(), null)));
        }
        all
    }
}

impl Builder<'_> {
    /// Finds the objects that are arrays.
    pub(super) fn arrays(&mut self, edges: &[EdgeId], used: &[ExprId]) {
        let stored = edges.iter().filter_map(|&id| match &self.program.edges[id].op {
            Op::Store { access, .. } => Some(*access),
            _ => None,
        });
        let loaded = used.iter().filter_map(|&e| match *self.program.exprs.get(e) {
            Expr::Load(access) => Some(access),
            _ => None,
        });
        let accesses: Vec<Access> = stored.chain(loaded).collect();
        for access in &accesses {
            let Some((home, by)) = self.target(access.pointer) else { continue };
            let is_computed = by.is_some_and(|by| self.program.exprs.as_int(by).is_none());
            let scalar = matches!(access.ty, Type::Pointer | Type::Int(_)) && access.bits.is_none();
            // Where pointers point to whole objects of their types, static memory is nothing else.
            let found = match home {
                Home::Static(object) if scalar && (is_computed || self.typed) => {
                    let info = &self.program.objects[object];
                    Some((i128::from(info.size), info.name.clone()))
                }
                Home::Local(var) if scalar && is_computed => {
                    self.local_bytes(edges, var).map(|bytes| (bytes, self.shown_name(var)))
                }
                _ => None,
            };
            if let Some((bytes, name)) = found {
                self.view.array(home, &name, bytes / self.bytes(access.ty), access.ty);
            }
        }
    }

    /// How many bytes a local variable has whose address this is; none where it is not one and the same number.
    fn local_bytes(&self, edges: &[EdgeId], var: VarId) -> Option<i128> {
        let mut made = None;
        for &id in edges {
            let op = &self.program.edges[id].op;
            if op.target() != Some(var) {
                continue;
            }
            let Op::Alloc { size, kind: AllocKind::Stack, zeroed: false, frame: None, .. } = op
            else {
                return None;
            };
            let bytes = self.program.exprs.as_int(*size)?;
            if made.replace(bytes).is_some_and(|other| other != bytes) {
                return None;
            }
        }
        made
    }

    /// The variable in memory that an expression points into directly, and how far behind its start.
    fn target(&self, pointer: ExprId) -> Option<(Home, Option<ExprId>)> {
        match *self.program.exprs.get(pointer) {
            Expr::Object(object) => Some((Home::Static(object), None)),
            Expr::Var(var) if self.program.variables[var].kind == VariableKind::Address => {
                Some((Home::Local(var), None))
            }
            Expr::PointerAdd(base, by) => match self.target(base)? {
                (home, None) => Some((home, Some(by))),
                _ => None,
            },
            Expr::Cast(Type::Pointer, inner) => self.target(inner),
            _ => None,
        }
    }

    /// Whether an array lies there.
    pub(super) fn is_array(&self, home: Home) -> bool {
        self.view.fields.arrays.contains_key(&home)
    }

    /// Whether an expression points into an array.
    pub(super) fn is_cell(&self, pointer: ExprId) -> bool {
        self.target(pointer).is_some_and(|(home, _)| self.is_array(home))
    }

    /// The array that an expression points into, and the number of the place.
    pub(super) fn cell(&mut self, pointer: ExprId) -> Result<Option<(Array, Term)>, Refused> {
        let Some((home, by)) = self.target(pointer) else { return Ok(None) };
        let Some(&array) = self.view.fields.arrays.get(&home) else { return Ok(None) };
        let place = match by {
            Some(by) => self.place_of(by, self.bytes(array.ty)),
            None => Some(Term::Int(0)),
        };
        let place = place.ok_or("an array that is accessed in two ways")?;
        Ok(Some((array, place)))
    }

    /// A number of bytes in places of so many bytes.
    fn place_of(&mut self, by: ExprId, bytes: i128) -> Option<Term> {
        let exprs = &self.program.exprs;
        if let Some(constant) = exprs.as_int(by) {
            return (constant % bytes == 0).then(|| Term::Int(constant / bytes));
        }
        match *exprs.get(by) {
            Expr::Binary(BinaryOp::Add, a, b) => {
                let (a, b) = (self.place_of(a, bytes)?, self.place_of(b, bytes)?);
                Some(Term::Add(Box::new(a), Box::new(b)))
            }
            Expr::Binary(BinaryOp::Mul, a, b) => {
                let (k, a) = match (exprs.as_int(a), exprs.as_int(b)) {
                    (Some(k), _) => (k, b),
                    (_, k) => (k?, a),
                };
                let times = (k % bytes == 0).then_some(k / bytes)?;
                let a = self.integer(a);
                Some(if times == 1 { a } else { Term::Scale(times, Box::new(a)) })
            }
            _ if bytes == 1 => Some(self.integer(by)),
            _ => None,
        }
    }

    /// The object of a place.
    pub(super) fn place_object(&mut self, place: Term) -> Term {
        Term::Index(self.view.number(), Box::new(place))
    }

    /// What static arrays hold at the start: zeros, if nothing else is given.
    pub(super) fn initial_arrays(&self, facts: &mut Vec<Formula>) {
        let mut arrays: Vec<_> = self.view.fields.arrays.iter().map(|(o, a)| (*o, *a)).collect();
        arrays.sort_unstable_by_key(|(home, _)| *home);
        for (home, array) in arrays {
            let Home::Static(object) = home else { continue };
            let info = &self.program.objects[object];
            if !info.external && info.initial.is_empty() {
                facts.push(self.zeros(array));
            }
        }
    }

    /// All places of an array hold zeros.
    pub(super) fn zeros(&self, array: Array) -> Formula {
        let v = Term::Var(self.view.bound);
        let zero = if array.ty == Type::Pointer { Term::Null } else { Term::Int(0) };
        let held = Formula::Eq(Term::read(array.field, v.clone()), zero);
        let body = Formula::implies(self.view.is_place(&v, array.length), held);
        Formula::Forall(vec![self.view.bound], Box::new(body))
    }
}

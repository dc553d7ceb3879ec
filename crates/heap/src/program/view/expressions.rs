//! Expressions of the program as terms and formulas of the heap logic.

use super::arrays::within_bounds;
use super::{Builder, Home, Refused};
use crate::{FieldId, Formula, Kind, Symbol, Term};
use bolide_cfa::expr::Access;
use bolide_cfa::types::{IntType, Type};
use bolide_cfa::{BinaryOp, CompareOp, Expr, ExprId, LocId, UnaryOp, VarId, VariableKind};

/// Why an address is not known.
const COMPUTED: &str = "an array inside of an object, or pointer arithmetic, at an offset that is not constant (only arrays that are variables are known)";
const INTO_ARRAY: &str = "a pointer into an array";

impl Builder<'_> {
    /// The object that a pointer expression points into, and where.
    pub(super) fn offset(&self, pointer: ExprId) -> Option<(ExprId, i128)> {
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
            Expr::Var(var) => Some((pointer, self.offset_of(var))),
            _ => Some((pointer, 0)),
        }
    }

    /// Where in an object a variable points.
    pub(super) fn offset_of(&self, var: VarId) -> i128 {
        self.offsets.get(&var).copied().unwrap_or(0)
    }

    /// The object into which an expression without offset points.
    pub(super) fn base(&mut self, e: ExprId) -> Result<Term, Refused> {
        match *self.program.exprs.get(e) {
            Expr::Var(var) if self.is_array(Home::Local(var)) => Err(INTO_ARRAY.into()),
            Expr::Var(var) => Ok(Term::Var(self.symbol(var))),
            _ => self.pointer(e),
        }
    }

    pub(super) fn auxiliary(&mut self, kind: Kind, range: Option<(i128, i128)>) -> Term {
        let name = format!("any#{}", self.view.signature.variables.len());
        let symbol = self.view.signature.variable(name, kind);
        self.fresh.push((symbol, range));
        Term::Var(symbol)
    }

    /// A variable by its own name, or with its function's where another is called the same.
    pub(super) fn shown_name(&self, var: VarId) -> String {
        let own = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
        let full = &self.program.variables[var].name;
        let short = own(full);
        let same = |name: &str| name.ends_with(&short) && own(name) == short;
        let alike = self.program.variables.values().filter(|v| same(&v.name)).count();
        if alike > 1 || short == "v" || short == "new" { full.clone() } else { short }
    }

    pub(super) fn symbol(&self, var: VarId) -> Symbol {
        self.view.variables[&var]
    }

    /// The field and the object that an access reads or writes.
    pub(super) fn accessed(&mut self, access: &Access) -> Result<(FieldId, Term), Refused> {
        if let Some((array, place)) = self.cell(access.pointer)? {
            if access.ty != array.ty || access.bits.is_some() {
                return Err("an array that is accessed in two ways".into());
            }
            return Ok((array.field, self.place_object(place)));
        }
        let (field, base) = self.field(access)?;
        Ok((field, self.base(base)?))
    }

    fn field(&mut self, access: &Access) -> Result<(FieldId, ExprId), Refused> {
        let (base, offset) = self.offset(access.pointer).ok_or(COMPUTED)?;
        let key = (access.region, offset, access.ty, access.bits);
        if let Some(&field) = self.view.fields.places.get(&key) {
            return Ok((field, base));
        }
        let pointer = access.ty == Type::Pointer;
        let kind = if pointer { Kind::Object } else { Kind::Integer };
        let region = bolide_base::arena::Id::index(access.region);
        let plain = u64::try_from(offset)
            .ok()
            .and_then(|offset| self.program.field_name(None, offset, access.ty))
            .map_or(format!("@{offset}"), str::to_owned);
        // The same offset in another region is another field.
        let taken = self.view.signature.fields.values().any(|field| field.name == plain);
        let name = if taken { format!("{plain}@{region}") } else { plain };
        let field = self.view.signature.field(name, kind);
        self.view.fields.places.insert(key, field);
        if pointer { &mut self.view.fields.links } else { &mut self.view.fields.numbers }
            .push(field);
        Ok((field, base))
    }

    /// A pointer to the start of an object.
    pub(super) fn pointer(&mut self, e: ExprId) -> Result<Term, Refused> {
        self.pointer_at(e, 0)
    }

    /// The object of a pointer to a given place in it, or null. A null that
    /// stands for a place shows only where it is compared: see `same_address`.
    pub(super) fn pointer_at(&mut self, e: ExprId, offset: i128) -> Result<Term, Refused> {
        match *self.program.exprs.get(e) {
            Expr::Null => Ok(Term::Null),
            Expr::Ite(c, a, b) => {
                let c = self.condition(c)?;
                let (a, b) = (self.pointer_at(a, offset)?, self.pointer_at(b, offset)?);
                Ok(Term::If(Box::new(c), Box::new(a), Box::new(b)))
            }
            _ => self.object_at(e, offset),
        }
    }

    /// The object of a pointer to a given place in it.
    fn object_at(&mut self, e: ExprId, offset: i128) -> Result<Term, Refused> {
        match *self.program.exprs.get(e) {
            Expr::Var(var) if self.is_array(Home::Local(var)) => Err(INTO_ARRAY.into()),
            Expr::Var(var) if self.offset_of(var) == offset => Ok(Term::Var(self.symbol(var))),
            Expr::PointerAdd(base, by) => match self.program.exprs.as_int(by) {
                Some(by) => self.object_at(base, offset - by),
                None => Err(COMPUTED.into()),
            },
            Expr::Cast(Type::Pointer, inner)
                if self.program.exprs.type_of(inner) == Type::Pointer =>
            {
                self.object_at(inner, offset)
            }
            Expr::Ite(c, a, b) => {
                let c = self.condition(c)?;
                let (a, b) = (self.object_at(a, offset)?, self.object_at(b, offset)?);
                Ok(Term::If(Box::new(c), Box::new(a), Box::new(b)))
            }
            _ if offset != 0 => Err("a pointer into the middle of an object".into()),
            Expr::Var(_) => Err("a pointer into the middle of an object".into()),
            Expr::Null => Ok(Term::Null),
            Expr::Load(access) => {
                let (field, base) = self.accessed(&access)?;
                if access.volatile {
                    return Err("a volatile pointer".into());
                }
                Ok(Term::read(field, base))
            }
            Expr::Object(object) if self.is_array(Home::Static(object)) => Err(INTO_ARRAY.into()),
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
            Expr::Cast(Type::Pointer, inner) => match self.program.exprs.as_int(inner) {
                Some(0) => Ok(Term::Null),
                _ => Err("an integer as a pointer".into()),
            },
            Expr::Function(_) => Err("a pointer to a function".into()),
            _ => Err("a computed pointer".into()),
        }
    }

    /// An integer; what cannot be expressed is any value.
    pub(super) fn integer(&mut self, e: ExprId) -> Term {
        let range = match self.program.exprs.type_of(e) {
            Type::Int(int) => Some((int.min(), int.max())),
            _ => None,
        };
        match self.exact_integer(e, range) {
            Some(term) => term,
            None => self.auxiliary(Kind::Integer, range),
        }
    }

    /// An integer of this range, if it can be expressed.
    fn exact_integer(&mut self, e: ExprId, range: Option<(i128, i128)>) -> Option<Term> {
        let exprs = &self.program.exprs;
        let ty = exprs.type_of(e);
        let is_signed = matches!(ty, Type::Int(IntType { signed: true, .. }));
        Some(match *exprs.get(e) {
            Expr::Int { bits, ty } => {
                let value = ty.value(bits);
                if value.unsigned_abs() < 1 << 40 {
                    self.view.constants.push(value);
                }
                Term::Int(value)
            }
            Expr::Var(var) => Term::Var(self.symbol(var)),
            Expr::Load(access) if !access.volatile && matches!(ty, Type::Int(_)) => {
                let (field, base) = self.accessed(&access).ok()?;
                Term::read(field, base)
            }
            Expr::Unary(UnaryOp::Neg, a) if is_signed => Term::Scale(-1, Box::new(self.integer(a))),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)
                if matches!(ty, Type::Int(_)) && ty != Type::BOOL =>
            {
                let (a, b) = (self.integer(a), self.integer(b));
                let b = match b {
                    b if op == BinaryOp::Add => b,
                    Term::Int(n) => Term::Int(-n),
                    b => Term::Scale(-1, Box::new(b)),
                };
                let sum = Term::Add(Box::new(a), Box::new(b));
                if is_signed { sum } else { self.within(sum, range) }
            }
            Expr::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b)
                if matches!(ty, Type::Int(_)) =>
            {
                let k = exprs.as_int(b).filter(|&k| k > 0 && k < 1 << 40)?;
                let a = self.integer(a);
                let quotient = self.quotient(&a, k, range);
                if op == BinaryOp::Div {
                    return Some(quotient);
                }
                Term::Add(Box::new(a), Box::new(Term::Scale(-k, Box::new(quotient))))
            }
            Expr::Binary(BinaryOp::Mul, a, b) if is_signed => {
                let (k, other) = match (exprs.as_int(a), exprs.as_int(b)) {
                    (Some(k), _) => (k, b),
                    (_, k) => (k?, a),
                };
                Term::Scale(k, Box::new(self.integer(other)))
            }
            Expr::Cast(Type::Int(to), a) if to != IntType::BOOL => {
                let from = exprs.type_of(a).as_int()?;
                let inner = self.integer(a);
                let keeps = from.min() >= to.min() && from.max() <= to.max() && from.bits < 128;
                if keeps { inner } else { self.within(inner, range) }
            }
            Expr::Ite(c, a, b) => {
                let c = self.condition(c).ok()?;
                let (a, b) = (self.integer(a), self.integer(b));
                Term::If(Box::new(c), Box::new(a), Box::new(b))
            }
            _ if ty == Type::BOOL => {
                let c = self.condition(e).ok()?;
                Term::If(Box::new(c), Box::new(Term::Int(1)), Box::new(Term::Int(0)))
            }
            _ => return None,
        })
    }

    /// The quotient by a positive constant, rounded towards zero.
    fn quotient(&mut self, a: &Term, k: i128, range: Option<(i128, i128)>) -> Term {
        let quotient = self.auxiliary(Kind::Integer, range);
        let below = |by: i128| {
            let product = Term::Scale(k, Box::new(quotient.clone()));
            if by == 0 { product } else { Term::Add(Box::new(product), Box::new(Term::Int(by))) }
        };
        let positive = Formula::and([
            Formula::Le(Term::Int(0), a.clone()),
            Formula::Le(below(0), a.clone()),
            Formula::Le(a.clone(), below(k - 1)),
        ]);
        let negative = Formula::and([
            Formula::Le(a.clone(), Term::Int(-1)),
            Formula::Le(a.clone(), below(0)),
            Formula::Le(below(1 - k), a.clone()),
        ]);
        // For every value there is exactly one such quotient, which lies in the range.
        self.facts.push(Formula::or([positive, negative]));
        quotient
    }

    /// The value where it is in the range, else any value of the range.
    pub(super) fn within(&mut self, value: Term, range: Option<(i128, i128)>) -> Term {
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
    pub(super) fn condition(&mut self, e: ExprId) -> Result<Formula, Refused> {
        match *self.program.exprs.get(e) {
            Expr::Int { bits, .. } => Ok(if bits != 0 { Formula::True } else { Formula::False }),
            Expr::Unary(UnaryOp::Not, a) => Ok(self.condition(a)?.negate()),
            // The comparison beside it says that already: see `same_address`.
            Expr::Binary(BinaryOp::BitAnd, a, _)
                if matches!(self.program.exprs.get(a), Expr::Coincide(..)) =>
            {
                Ok(Formula::False)
            }
            Expr::Coincide(..) => Ok(Formula::False),
            Expr::Binary(BinaryOp::BitAnd, a, b) => {
                Ok(Formula::and([self.condition(a)?, self.condition(b)?]))
            }
            Expr::Binary(BinaryOp::BitOr, a, b) => {
                Ok(Formula::or([self.condition(a)?, self.condition(b)?]))
            }
            Expr::Compare(op, a, b) if self.program.exprs.type_of(a) == Type::Pointer => match op {
                CompareOp::Eq => self.same_address(a, b),
                CompareOp::Ne => Ok(self.same_address(a, b)?.negate()),
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
                let mut parts = vec![Formula::Holds(self.view.fields.alive, p.clone())];
                parts.extend(self.view.fields.heap.map(|heap| Formula::Holds(heap, p.clone())));
                Ok(Formula::or([Formula::Eq(p, Term::Null), Formula::and(parts)]))
            }
            Expr::HeapInUse => {
                let in_use = self.in_use();
                Ok(Formula::Exists(vec![self.view.bound], Box::new(in_use)))
            }
            _ => Ok(self.any_truth()),
        }
    }

    /// Two pointers compare equal: they are the same, or one of them points to
    /// no live object and may hold any address but that of null.
    fn same_address(&mut self, a: ExprId, b: ExprId) -> Result<Formula, Refused> {
        let (a, b) = match (self.offset(a), self.offset(b)) {
            (Some((a, i)), Some((b, j))) if i == j => (self.base(a)?, self.base(b)?),
            (Some((a, 0)), Some((b, _))) | (Some((a, _)), Some((b, 0))) => {
                // Required: both are evaluated by the view, or it is refused.
                self.base(a)?;
                self.base(b)?;
                return Ok(self.any_truth());
            }
            _ => return Err("a pointer into the middle of an object".into()),
        };
        let equal = Formula::Eq(a.clone(), b.clone());
        if a == Term::Null || b == Term::Null || a == b {
            return Ok(equal);
        }
        let any = self.any_truth();
        let present = |t: &Term| Formula::ne(t.clone(), Term::Null);
        let dead = |t: &Term| Formula::Holds(self.view.fields.alive, t.clone()).negate();
        let dangling = Formula::or([dead(&a), dead(&b)]);
        let chance = Formula::and([any, present(&a), present(&b), dangling]);
        Ok(Formula::or([equal, chance]))
    }

    /// The bound variable is a live object of the heap.
    pub(super) fn in_use(&self) -> Formula {
        let v = Term::Var(self.view.bound);
        let mut parts = vec![Formula::Holds(self.view.fields.alive, v.clone())];
        parts.extend(self.view.fields.heap.map(|heap| Formula::Holds(heap, v.clone())));
        Formula::and(parts)
    }

    pub(super) fn any_truth(&mut self) -> Formula {
        let any = self.auxiliary(Kind::Integer, Some((0, 1)));
        Formula::Eq(any, Term::Int(1))
    }

    pub(super) fn valid(&mut self, pointer: ExprId, size: ExprId) -> Result<Formula, Refused> {
        if let Some((array, place)) = self.cell(pointer)? {
            let bytes = self.program.exprs.as_int(size).ok_or("an access of variable size")?;
            if bytes > self.bytes(array.ty) {
                return Err("an array that is accessed in two ways".into());
            }
            return Ok(within_bounds(place, array.length));
        }
        let (base, offset) = self.offset(pointer).ok_or(COMPUTED)?;
        let base = self.base(base)?;
        let mut parts = vec![Formula::Holds(self.view.fields.alive, base.clone())];
        match self.program.exprs.as_int(size) {
            Some(_) if offset < 0 => return Ok(Formula::False),
            Some(n) => {
                if let Some(bytes) = self.view.fields.size {
                    parts.push(Formula::Le(Term::Int(offset + n), Term::read(bytes, base)));
                }
            }
            None => return Err("an access of variable size".into()),
        }
        Ok(Formula::and(parts))
    }

    /// Some live heap object cannot be reached from a global variable or from one that may still be read: more
    /// states than those that leak, since only paths along one field count, and so do variables in
    /// scope that nobody reads any more. (Inlining leaves variables behind whose scope has ended.)
    pub(super) fn leaked(&self, at: LocId) -> Formula {
        let v = Term::Var(self.view.bound);
        let mut parts = vec![self.in_use()];
        let is_read_later = |var: VarId| {
            let later = self.read_later.as_ref();
            later.is_some_and(|later| later.may_be_read(self.program, at, var))
        };
        let mut roots: Vec<Symbol> = self
            .view
            .variables
            .iter()
            .filter(|(var, _)| {
                let variable = &self.program.variables[**var];
                let counts = variable.kind == VariableKind::Global || is_read_later(**var);
                variable.ty == Type::Pointer && counts
            })
            .map(|(_, s)| *s)
            .collect();
        roots.sort_unstable();
        let w = Term::Var(self.view.between);
        for root in roots.into_iter().map(Term::Var) {
            for &field in &self.view.fields.links {
                let away = Formula::reach(field, root.clone(), v.clone()).negate();
                // Required: what only the remains of a dead object lead to is lost.
                let dead = Formula::and([
                    Formula::reach(field, root.clone(), w.clone()),
                    Formula::reach(field, w.clone(), v.clone()),
                    Formula::Holds(self.view.fields.alive, w.clone()).negate(),
                ]);
                let dead = Formula::Exists(vec![self.view.between], Box::new(dead));
                parts.push(Formula::or([away, dead]));
            }
            if self.view.fields.links.is_empty() {
                parts.push(Formula::ne(root.clone(), v.clone()));
            }
        }
        Formula::Exists(vec![self.view.bound], Box::new(Formula::and(parts)))
    }
}

//! Annotations as formulas of the heap logic.
//!
//! Bound objects are named after how deeply their quantifier is nested, so
//! that equal statements of a precondition and a postcondition are equal formulas, and one predicate.
//!
//! A contract is read in one of two ways: as that of the function under proof, whose `\old` speaks of snapshots that
//! are taken when it is entered, or as that of a function it calls ([`Site`]), whose
//! parameters are the arguments of the call and whose `\old` is the state before the call.

use super::super::view::{Home, View};
use crate::trees::Tree;
use crate::{FieldId, Formula, Kind, Symbol, Term};
use bolide_base::HashMap;
use bolide_cfa::contract::{ArrayPlace, Expr, FieldPlace};
use bolide_cfa::types::Type;
use bolide_cfa::{Program, RegionId, VarId};

/// A call whose contract is being read.
#[derive(Clone, Debug, Default)]
pub(super) struct Site {
    /// The parameters of the called function, in its own program, and the arguments.
    pub arguments: HashMap<VarId, Symbol>,
    /// What holds the result.
    pub result: Option<Symbol>,
    /// Global variables that the call may change, with their values before it.
    pub globals: HashMap<Symbol, Symbol>,
    /// Fields that the call may change, as they were before it; all, when there are none given.
    pub changed: Option<Vec<FieldId>>,
}

/// What an annotation is read as.
#[derive(Clone, Debug, Default)]
pub(super) enum Reading {
    /// What is required when the function is called.
    #[default]
    AtCall,
    /// What is ensured when it returns: parameters have the values of the call.
    AtReturn,
    /// What is asserted in its body: parameters have the values that they have there.
    Inside,
    /// The contract of a function that it calls.
    Callee(Site),
}

/// Fields and variables as they were.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshots {
    /// When the function was called.
    pub variables: HashMap<Symbol, Symbol>,
    pub fields: HashMap<FieldId, FieldId>,
    /// Before the last call that it made: fields, and global variables.
    pub call_fields: HashMap<FieldId, FieldId>,
    pub call_globals: HashMap<Symbol, Symbol>,
}

/// Bound objects by number, and their names by depth of nesting.
#[derive(Clone, Debug, Default)]
pub(super) struct Binders {
    bound: HashMap<u32, Symbol>,
    pub levels: Vec<Symbol>,
    depth: usize,
}

/// Reads the annotations of a function, and adds what they speak of to the view.
pub(super) struct Reader<'a> {
    /// Before inlining: contracts speak of its variables.
    pub original: &'a Program,
    pub program: &'a Program,
    pub view: View,
    /// Parameters and global variables, from the original program to the inlined one.
    pub names: HashMap<VarId, VarId>,
    pub parameters: Vec<VarId>,
    pub result: Option<VarId>,
    pub reading: Reading,
    pub binders: Binders,
    pub snapshots: Snapshots,
    /// Trees that contracts speak of.
    pub trees: Vec<Tree>,
}

impl Reader<'_> {
    /// Annotations as formulas.
    pub(super) fn read<'e>(
        &mut self,
        reading: Reading,
        annotations: impl IntoIterator<Item = &'e Expr>,
    ) -> Result<Vec<Formula>, String> {
        self.reading = reading;
        annotations.into_iter().map(|e| self.formula(e, false)).collect()
    }

    pub(super) fn known_field(&self, place: &FieldPlace) -> Option<FieldId> {
        let key = (RegionId::ALL, i128::from(place.offset), place.ty, None);
        self.view.fields.places.get(&key).copied()
    }

    pub(super) fn field(&mut self, place: &FieldPlace, old: bool) -> FieldId {
        let field = self.known_field(place).unwrap_or_else(|| {
            let pointer = place.ty == Type::Pointer;
            let kind = if pointer { Kind::Object } else { Kind::Integer };
            let field = self.view.signature.field(place.name.clone(), kind);
            let key = (RegionId::ALL, i128::from(place.offset), place.ty, None);
            self.view.fields.places.insert(key, field);
            if pointer { &mut self.view.fields.links } else { &mut self.view.fields.numbers }
                .push(field);
            field
        });
        // The name that the annotation uses is the one that people want to read.
        self.view.signature.fields[field].name.clone_from(&place.name);
        self.at(field, old)
    }

    /// The field that an array is.
    pub(super) fn array(&mut self, place: &ArrayPlace) -> Result<FieldId, String> {
        let length = i128::from(place.length);
        let array = self.view.array(Home::Static(place.object), &place.name, length, place.ty);
        match array.length == length && array.ty == place.ty {
            true => Ok(array.field),
            false => Err(format!("the array `{}`, which is accessed in two ways", place.name)),
        }
    }

    /// A quantifier over objects; what stands for a place of arrays is none.
    fn of_objects(&self, all: bool, symbols: Vec<Symbol>, body: Formula) -> Formula {
        let unless = |said: Formula, s: &Symbol| self.view.unless_place(Term::Var(*s), said);
        match all {
            true => {
                let body = symbols.iter().fold(body, unless);
                Formula::Forall(symbols, Box::new(body))
            }
            false => {
                let body = symbols.iter().fold(body.negate(), unless).negate();
                Formula::Exists(symbols, Box::new(body))
            }
        }
    }

    /// The field now, or as it was.
    pub(super) fn at(&mut self, field: FieldId, old: bool) -> FieldId {
        if !old {
            return field;
        }
        let (snapshots, word) = match &self.reading {
            Reading::Callee(site)
                if site.changed.as_ref().is_some_and(|all| !all.contains(&field)) =>
            {
                return field;
            }
            Reading::Callee(_) => (&mut self.snapshots.call_fields, "call"),
            _ => (&mut self.snapshots.fields, "old"),
        };
        if let Some(&known) = snapshots.get(&field) {
            return known;
        }
        let info = self.view.signature.fields[field].clone();
        let snapshot = self.view.signature.field(format!("{}@{word}", info.name), info.kind);
        snapshots.insert(field, snapshot);
        snapshot
    }

    /// A variable of the original program.
    fn variable(&mut self, var: VarId, old: bool) -> Result<Symbol, String> {
        if let Reading::Callee(site) = &self.reading
            && let Some(&argument) = site.arguments.get(&var)
        {
            return Ok(argument);
        }
        let Some(&var) = self.names.get(&var) else {
            let name = &self.original.variables[var].name;
            return Err(format!("an annotation about `{name}`, which is not used"));
        };
        let symbol = self.symbol(var);
        let at_call = match &self.reading {
            Reading::Callee(site) => {
                return Ok(site.globals.get(&symbol).copied().filter(|_| old).unwrap_or(symbol));
            }
            Reading::AtReturn => old || self.parameters.contains(&var),
            Reading::Inside => old,
            Reading::AtCall => false,
        };
        if !at_call {
            return Ok(symbol);
        }
        if let Some(&known) = self.snapshots.variables.get(&symbol) {
            return Ok(known);
        }
        let info = self.view.signature.variables[symbol].clone();
        let snapshot = self.view.signature.variable(format!("\\old({})", info.name), info.kind);
        self.snapshots.variables.insert(symbol, snapshot);
        Ok(snapshot)
    }

    /// The variable of the logic for one of the program under proof.
    pub(super) fn symbol(&mut self, var: VarId) -> Symbol {
        let variable = &self.program.variables[var];
        match self.view.variables.get(&var) {
            Some(&symbol) => symbol,
            None => {
                let kind = if variable.ty == Type::Pointer { Kind::Object } else { Kind::Integer };
                let symbol = self.view.signature.variable(variable.name.clone(), kind);
                self.view.variables.insert(var, symbol);
                symbol
            }
        }
    }

    /// Names bound objects for what `inner` makes of the rest.
    pub(super) fn bind<T>(
        &mut self,
        numbers: &[u32],
        inner: impl FnOnce(&mut Self, Vec<Symbol>) -> T,
    ) -> T {
        let mut symbols = Vec::new();
        for &number in numbers {
            if self.binders.levels.len() == self.binders.depth {
                let name = format!("x{}", self.binders.depth + 1);
                self.binders.levels.push(self.view.signature.variable(name, Kind::Object));
            }
            symbols.push(self.binders.levels[self.binders.depth]);
            self.binders.bound.insert(number, self.binders.levels[self.binders.depth]);
            self.binders.depth += 1;
        }
        let made = inner(self, symbols);
        self.binders.depth -= numbers.len();
        made
    }

    fn term(&mut self, e: &Expr, old: bool) -> Result<Term, String> {
        Ok(match e {
            Expr::Var(var) => Term::Var(self.variable(*var, old)?),
            Expr::Bound(number) => match self.binders.bound.get(number) {
                Some(&symbol) => Term::Var(symbol),
                None => return Err("an object that no quantifier binds".into()),
            },
            Expr::Index(number) => match self.binders.bound.get(number) {
                Some(&symbol) => Term::read(self.view.number(), Term::Var(symbol)),
                None => return Err("an index that no quantifier binds".into()),
            },
            Expr::Cell(array, index) => {
                let of = match &**index {
                    Expr::Index(number) if self.binders.bound.contains_key(number) => {
                        Term::Var(self.binders.bound[number])
                    }
                    index => {
                        let place = self.term(index, old)?;
                        Term::Index(self.view.number(), Box::new(place))
                    }
                };
                let field = self.array(array)?;
                Term::read(self.at(field, old), of)
            }
            Expr::Int(n) => Term::Int(*n),
            Expr::Null => Term::Null,
            Expr::Result => match (&self.reading, self.result) {
                (Reading::Callee(Site { result: Some(result), .. }), _) => Term::Var(*result),
                (Reading::AtReturn, Some(var)) => Term::Var(self.symbol(var)),
                _ => return Err("`\\result` where there is none".into()),
            },
            Expr::Old(e) => self.term(e, true)?,
            Expr::Field(of, place) => {
                let of = self.term(of, old)?;
                Term::read(self.field(place, old), of)
            }
            Expr::Negative(e) => Term::Scale(-1, Box::new(self.term(e, old)?)),
            Expr::Binary(op @ ("+" | "-"), a, b) => {
                let (a, b) = (self.term(a, old)?, self.term(b, old)?);
                let b = if *op == "+" { b } else { Term::Scale(-1, Box::new(b)) };
                Term::Add(Box::new(a), Box::new(b))
            }
            _ => return Err("an annotation that uses a formula as a value".into()),
        })
    }

    fn is_object(&self, term: &Term) -> bool {
        match term {
            Term::Null | Term::Index(..) => true,
            Term::Var(s) => self.view.signature.variables[*s].kind == Kind::Object,
            Term::Read(f, _) => self.view.signature.fields[*f].kind == Kind::Object,
            _ => false,
        }
    }

    fn is_set(e: &Expr) -> bool {
        match e {
            Expr::Comprehension(..) | Expr::Set(_) => true,
            Expr::Binary("\\union" | "\\inter" | "\\diff", ..) => true,
            Expr::Old(e) => Self::is_set(e),
            _ => false,
        }
    }

    fn member(&mut self, object: &Term, set: &Expr, old: bool) -> Result<Formula, String> {
        Ok(match set {
            Expr::Comprehension(number, body) => self.bind(&[*number], |all, symbols| {
                let body = all.formula(body, old)?;
                let replaced = |s: Symbol| (s == symbols[0]).then(|| object.clone());
                Ok::<Formula, String>(body.replace(&replaced, &|f| f))
            })?,
            Expr::Set(all) => {
                let mut parts = Vec::new();
                for e in all {
                    parts.push(Formula::Eq(object.clone(), self.term(e, old)?));
                }
                Formula::or(parts)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.member(object, a, old)?, self.member(object, b, old)?);
                match *op {
                    "\\union" => Formula::or([a, b]),
                    "\\inter" => Formula::and([a, b]),
                    "\\diff" => Formula::and([a, b.negate()]),
                    _ => return Err(format!("`{op}` does not make a set")),
                }
            }
            Expr::Old(set) => self.member(object, set, true)?,
            _ => return Err("an annotation that uses something else as a set".into()),
        })
    }

    pub(super) fn formula(&mut self, e: &Expr, old: bool) -> Result<Formula, String> {
        Ok(match e {
            Expr::Bool(value) => {
                if *value {
                    Formula::True
                } else {
                    Formula::False
                }
            }
            Expr::Old(e) => self.formula(e, true)?,
            Expr::Not(e) => self.formula(e, old)?.negate(),
            Expr::Valid(e) if !old => Formula::Holds(self.view.fields.alive, self.term(e, old)?),
            Expr::Btwn(place, x, y, z) => {
                let (x, y) = (self.term(x, old)?, self.term(y, old)?);
                let z = self.term(z, old)?;
                Formula::Btwn(self.field(place, old), x, y, z)
            }
            Expr::Quantified(all, numbers, body) => {
                return self.bind(numbers, |inner, symbols| {
                    let body = inner.formula(body, old)?;
                    Ok(inner.of_objects(*all, symbols, body))
                });
            }
            Expr::Indices(all, number, length, body) => {
                let length = i128::from(*length);
                return self.bind(&[*number], |inner, symbols| {
                    let body = inner.formula(body, old)?;
                    let place = inner.view.is_place(&Term::Var(symbols[0]), length);
                    Ok(match all {
                        true => Formula::Forall(symbols, Box::new(Formula::implies(place, body))),
                        false => Formula::Exists(symbols, Box::new(Formula::and([place, body]))),
                    })
                });
            }
            Expr::Tree(left, right) => {
                let tree = self.tree(left, right);
                return Ok(self.is_tree(tree, old));
            }
            Expr::Below(left, right, x, y) => {
                let (x, y) = (self.term(x, old)?, self.term(y, old)?);
                let tree = self.tree(left, right);
                return Ok(self.below(tree, old, x, y));
            }
            Expr::Binary(op, a, b) => return self.binary(op, a, b, old),
            Expr::Field(..) | Expr::Cell(..) | Expr::Var(_) | Expr::Result => {
                let term = self.term(e, old)?;
                let zero = if self.is_object(&term) { Term::Null } else { Term::Int(0) };
                Formula::ne(term, zero)
            }
            _ => return Err("an annotation that uses a value as a formula".into()),
        })
    }

    fn binary(&mut self, op: &str, a: &Expr, b: &Expr, old: bool) -> Result<Formula, String> {
        match op {
            "&&" => return Ok(Formula::and([self.formula(a, old)?, self.formula(b, old)?])),
            "||" => return Ok(Formula::or([self.formula(a, old)?, self.formula(b, old)?])),
            "==>" => return Ok(Formula::implies(self.formula(a, old)?, self.formula(b, old)?)),
            "<==>" => return Ok(Formula::iff(self.formula(a, old)?, self.formula(b, old)?)),
            "\\in" => {
                let object = self.term(a, old)?;
                return self.member(&object, b, old);
            }
            _ => {}
        }
        if Self::is_set(a) || Self::is_set(b) {
            return self.bind(&[u32::MAX], |inner, symbols| {
                let object = Term::Var(symbols[0]);
                let (a, b) = (inner.member(&object, a, old)?, inner.member(&object, b, old)?);
                let all = |body| inner.of_objects(true, symbols.clone(), body);
                match op {
                    "==" => Ok(all(Formula::iff(a, b))),
                    "!=" => Ok(all(Formula::iff(a, b)).negate()),
                    "<=" => Ok(all(Formula::implies(a, b))),
                    _ => Err(format!("`{op}` does not compare sets")),
                }
            });
        }
        let (mut x, mut y) = (self.term(a, old)?, self.term(b, old)?);
        // C writes 0 for the null pointer.
        if x == Term::Int(0) && self.is_object(&y) {
            x = Term::Null;
        }
        if y == Term::Int(0) && self.is_object(&x) {
            y = Term::Null;
        }
        if self.is_object(&x) != self.is_object(&y) {
            return Err("an annotation that compares a pointer with an integer".into());
        }
        match op {
            "==" => Ok(Formula::Eq(x, y)),
            "!=" => Ok(Formula::ne(x, y)),
            _ if self.is_object(&x) => Err("an annotation that orders pointers".into()),
            "<=" => Ok(Formula::Le(x, y)),
            ">=" => Ok(Formula::Le(y, x)),
            "<" => Ok(Formula::Le(y, x).negate()),
            ">" => Ok(Formula::Le(x, y).negate()),
            _ => Err(format!("`{op}` in an annotation")),
        }
    }
}

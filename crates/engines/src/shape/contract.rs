//! Functions with contracts: each is proved on its own, from its
//! preconditions, without loop invariants.
//!
//! **Conventions** (those of the thesis' Java, said for C). When the function
//! is called, every pointer in a parameter, a global variable or a field of a live object is null or
//! points to the start of a live object of its type. Whoever returns owes
//! the same: it is a promise of every function that allocates or frees. Calls of functions
//! with a body are inlined.
//!
//! In `ensures`, parameters have the values of the call. `\old` speaks of a
//! snapshot of the fields and of global variables, which is part of the state from then on: so predicates of
//! loop invariants can mention it.
//!
//! The specification also gives predicates: its closed conjuncts, and every
//! atom about one bound object.

use super::analysis::{Analysis, Outcome, Statistics};
use super::view::{self, Command, Step, View};
use bolide_base::arena::Id;
use bolide_base::{Budget, HashMap};
use bolide_cfa::contract::{Contract, Expr, FieldPlace};
use bolide_cfa::transform::{self, Mapped, VariableOrigin};
use bolide_cfa::types::Type;
use bolide_cfa::{CheckId, LocId, Op, Program, RegionId, VarId, VariableKind};
use bolide_heap::{FieldId, Formula, Kind, Symbol, Term};
use bolide_reachability::verdict::Reason;

/// What became of a contract.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// It holds, and the function is memory safe; audited.
    Proved {
        /// At loop heads of the original program, in the annotation language.
        invariants: Vec<(LocId, String)>,
    },
    /// A promise or a check for which there is no proof, and how it might fail.
    NotProved {
        /// What might fail.
        what: String,
        /// What is known before each part of the path that leads there.
        states: Vec<String>,
        /// The heap logic sees no contradiction in the path.
        feasible: bool,
    },
    /// Neither.
    Unknown(Reason),
}

/// A judged contract.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What became of it.
    pub judgement: Judgement,
    /// How much work it was.
    pub statistics: Statistics,
}

/// Edges that inlining may make.
const INLINE_LIMIT: usize = 100_000;

/// Proves a contract, or says what is missing.
pub fn prove(program: &Program, contract: &Contract, budget: &Budget) -> Judged {
    let mut mapped = Mapped::identity(program.clone());
    mapped.program.entry = contract.function;
    let unknown = |why: String| Judged {
        judgement: Judgement::Unknown(Reason::Unsupported(why)),
        statistics: Statistics::default(),
    };
    if let Err(why) = transform::inline(&mut mapped, INLINE_LIMIT) {
        return unknown(why.to_string());
    }
    let function = mapped.program.entry;
    let view = match view::view_typed(&mapped.program, function) {
        Ok(view) => view,
        Err(why) => return unknown(format!("by the engine shape: {why}")),
    };
    let mut specified = Specified {
        program: &mapped.program,
        view,
        bound: HashMap::default(),
        old_variables: HashMap::default(),
        old_fields: HashMap::default(),
        result: mapped.program.functions[function].result,
        promises: HashMap::default(),
        parameters: mapped.program.functions[function].parameters.clone(),
        names: names(program, contract, &mapped),
        after: false,
    };
    let given = match specified.specify(contract) {
        Ok(given) => given,
        Err(why) => return unknown(why),
    };
    let Specified { view, promises, .. } = specified;
    let mut analysis = Analysis::new(&view, &given, budget);
    let judgement = match analysis.run() {
        Outcome::Proved(invariants) => Judgement::Proved {
            invariants: invariants
                .into_iter()
                .filter_map(|(l, text)| Some(((*mapped.locations.get(l)?)?, text)))
                .collect(),
        },
        Outcome::Suspected(suspicion) => {
            let end = suspicion.paths.last().map(|p| p.to);
            let what = end.and_then(|l| match promises.get(&l) {
                Some(promise) => Some(promise.clone()),
                None => {
                    let check = *view.errors.get(&l)?;
                    Some(mapped.program.checks[check].description.clone())
                }
            });
            Judgement::NotProved {
                what: what.unwrap_or_default(),
                states: suspicion.states,
                feasible: suspicion.feasible,
            }
        }
        Outcome::Unknown(reason) => Judgement::Unknown(reason),
    };
    Judged { judgement, statistics: analysis.statistics }
}

/// Parameters and global variables, from the original program to the inlined one.
fn names(program: &Program, contract: &Contract, mapped: &Mapped) -> HashMap<VarId, VarId> {
    let mut names: HashMap<VarId, VarId> = HashMap::default();
    for (new, origin) in mapped.variables.iter() {
        if let VariableOrigin::Variable(old) = origin
            && program.variables[*old].kind == VariableKind::Global
        {
            names.insert(*old, new);
        }
    }
    let before = &program.functions[contract.function].parameters;
    let after = &mapped.program.functions[mapped.program.entry].parameters;
    names.extend(before.iter().copied().zip(after.iter().copied()));
    names
}

struct Specified<'a> {
    program: &'a Program,
    view: View,
    bound: HashMap<u32, Symbol>,
    old_variables: HashMap<Symbol, Symbol>,
    old_fields: HashMap<FieldId, FieldId>,
    result: Option<VarId>,
    promises: HashMap<LocId, String>,
    parameters: Vec<VarId>,
    /// Parameters and global variables, from the original program to the inlined one.
    names: HashMap<VarId, VarId>,
    /// Parameters have the values of the call.
    after: bool,
}

impl Specified<'_> {
    /// Adds the contract to the view; gives the predicates that it suggests.
    fn specify(&mut self, contract: &Contract) -> Result<Vec<Formula>, String> {
        for place in &contract.fields {
            if let Some(field) = self.known_field(place) {
                // Names without a tag come last and win.
                let name = place.name.rsplit('.').next().unwrap_or(&place.name);
                self.view.signature.fields[field].name = name.to_owned();
            }
        }
        let mut requires = self.well_formed(true);
        for e in &contract.requires {
            requires.push(self.formula(e, false)?);
        }
        self.after = true;
        let mut ensures = Vec::new();
        for e in &contract.ensures {
            ensures.extend(self.formula(e, false)?.conjuncts());
        }
        let mut given = Vec::new();
        for e in &contract.requires {
            given.extend(self.formula(e, false)?.conjuncts());
        }
        let program = self.program;
        let changes_memory = program
            .edges
            .values()
            .any(|e| matches!(e.op, Op::Alloc { .. } | Op::Free { .. } | Op::EndLifetime { .. }));
        let mut owed: Vec<(Formula, String)> = ensures
            .iter()
            .map(|f| (f.clone(), format!("ensures {}", self.view.signature.show(f))))
            .collect();
        let words = "live objects and results point to live objects or are null";
        for formula in self.well_formed(false) {
            given.push(formula.clone());
            if changes_memory {
                owed.push((formula, words.to_owned()));
            }
        }
        given.extend(ensures);
        self.attach(Formula::and(requires), owed);
        Ok(self.suggested(given))
    }

    /// The start with its snapshot, and a step to an error for every promise.
    fn attach(&mut self, requires: Formula, owed: Vec<(Formula, String)>) {
        let program = self.program;
        let mut next = program.locations.len();
        let mut fresh = || {
            next += 1;
            LocId::from_index(next - 1)
        };
        let start = fresh();
        let mut snapshot = Vec::new();
        let mut variables: Vec<(Symbol, Symbol)> =
            self.old_variables.iter().map(|(a, b)| (*a, *b)).collect();
        variables.sort_unstable();
        for (now, old) in variables {
            snapshot.push(Command::Assign(old, Term::Var(now)));
            self.view.ghosts.push(old);
        }
        let mut fields: Vec<(FieldId, FieldId)> =
            self.old_fields.iter().map(|(a, b)| (*a, *b)).collect();
        fields.sort_unstable();
        for (now, old) in fields {
            snapshot.push(Command::Snapshot(old, now));
            if self.view.signature.fields[old].kind == Kind::Object {
                self.view.old_links.push(old);
            }
        }
        let add = |view: &mut View, step: Step| {
            view.outgoing.entry(step.from).or_default().push(view.steps.len());
            view.steps.push(step);
        };
        let entry = self.view.entry;
        add(&mut self.view, Step { from: start, to: entry, commands: snapshot, edge: None });
        self.view.entry = start;
        self.view.initial = requires;
        let exit = program.functions[program.entry].body.expect("the function has a body").exit;
        for (formula, words) in owed {
            let error = fresh();
            let commands = vec![Command::Assume(formula.negate())];
            add(&mut self.view, Step { from: exit, to: error, commands, edge: None });
            self.view.errors.insert(error, CheckId::from_index(0));
            self.promises.insert(error, words);
        }
    }

    /// Pointers are null or point to live objects.
    fn well_formed(&mut self, at_call: bool) -> Vec<Formula> {
        let alive = |t: Term, view: &View| {
            Formula::or([Formula::Eq(t.clone(), Term::Null), Formula::Holds(view.alive, t)])
        };
        let mut all = Vec::new();
        let mut variables: Vec<(VarId, Symbol)> =
            self.view.variables.iter().map(|(v, s)| (*v, *s)).collect();
        variables.sort_unstable();
        for (var, symbol) in variables {
            let variable = &self.program.variables[var];
            let concerned = match variable.kind {
                VariableKind::Global => true,
                VariableKind::Parameter => at_call && self.parameters.contains(&var),
                _ => !at_call && self.result == Some(var),
            };
            if concerned && variable.ty == Type::Pointer {
                all.push(alive(Term::Var(symbol), &self.view));
            }
        }
        // Not the bound variable of the view: see `Session::everywhere`.
        let symbol = self.bind(u32::MAX);
        let v = Term::Var(symbol);
        for &field in &self.view.links {
            let live = Formula::Holds(self.view.alive, v.clone());
            let next = alive(Term::read(field, v.clone()), &self.view);
            let body = Formula::implies(live, next);
            all.push(Formula::Forall(vec![symbol], Box::new(body)));
        }
        all
    }

    /// Predicates: what is closed as it is, and atoms about one bound object.
    fn suggested(&self, given: Vec<Formula>) -> Vec<Formula> {
        let result = self.result.and_then(|var| self.view.variables.get(&var)).copied();
        let mut found = Vec::new();
        let bound: Vec<Symbol> = self.bound.values().copied().collect();
        for formula in given {
            formula.atoms(&mut |atom| {
                let mut mentioned = bound.iter().filter(|s| atom.mentions(**s));
                if let (Some(&one), None) = (mentioned.next(), mentioned.next())
                    && !result.is_some_and(|r| atom.mentions(r))
                {
                    let object = |s: Symbol| (s == one).then_some(Term::Var(self.view.bound));
                    let atom = atom.replace(&object, &|f| f);
                    if !matches!(atom, Formula::Eq(..)) {
                        found.push(atom);
                    }
                }
            });
            if !result.is_some_and(|r| formula.mentions(r)) {
                found.push(formula);
            }
        }
        found
    }

    // Expressions.

    fn known_field(&self, place: &FieldPlace) -> Option<FieldId> {
        let key = (RegionId::ALL, i128::from(place.offset), place.ty, None);
        self.view.places.get(&key).copied()
    }

    fn field(&mut self, place: &FieldPlace, old: bool) -> FieldId {
        let field = self.known_field(place).unwrap_or_else(|| {
            let pointer = place.ty == Type::Pointer;
            let kind = if pointer { Kind::Object } else { Kind::Integer };
            let field = self.view.signature.field(place.name.clone(), kind);
            let key = (RegionId::ALL, i128::from(place.offset), place.ty, None);
            self.view.places.insert(key, field);
            if pointer { &mut self.view.links } else { &mut self.view.numbers }.push(field);
            field
        });
        // The name that the annotation uses is the one that people want to read.
        self.view.signature.fields[field].name.clone_from(&place.name);
        if !old {
            return field;
        }
        if let Some(&known) = self.old_fields.get(&field) {
            return known;
        }
        let info = self.view.signature.fields[field].clone();
        let snapshot = self.view.signature.field(format!("{}@old", info.name), info.kind);
        self.old_fields.insert(field, snapshot);
        snapshot
    }

    fn variable(&mut self, var: VarId, old: bool) -> Symbol {
        let variable = &self.program.variables[var];
        let symbol = match self.view.variables.get(&var) {
            Some(&symbol) => symbol,
            None => {
                let kind = if variable.ty == Type::Pointer { Kind::Object } else { Kind::Integer };
                let symbol = self.view.signature.variable(variable.name.clone(), kind);
                self.view.variables.insert(var, symbol);
                symbol
            }
        };
        let at_call = old || self.after && self.parameters.contains(&var);
        if !at_call || !self.after {
            return symbol;
        }
        if let Some(&known) = self.old_variables.get(&symbol) {
            return known;
        }
        let info = self.view.signature.variables[symbol].clone();
        let snapshot = self.view.signature.variable(format!("\\old({})", info.name), info.kind);
        self.old_variables.insert(symbol, snapshot);
        snapshot
    }

    fn bind(&mut self, number: u32) -> Symbol {
        if let Some(&symbol) = self.bound.get(&number) {
            return symbol;
        }
        let symbol = self.view.signature.variable(format!("x{number}"), Kind::Object);
        self.bound.insert(number, symbol);
        symbol
    }

    fn term(&mut self, e: &Expr, old: bool) -> Result<Term, String> {
        Ok(match e {
            Expr::Var(var) => match self.names.get(var) {
                Some(&var) => Term::Var(self.variable(var, old)),
                None => return Err("an annotation about a variable that is not used".into()),
            },
            Expr::Bound(number) => Term::Var(self.bind(*number)),
            Expr::Int(n) => Term::Int(*n),
            Expr::Null => Term::Null,
            Expr::Result => match self.result {
                Some(var) if self.after => Term::Var(self.variable(var, false)),
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
            Term::Null => true,
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
            Expr::Comprehension(number, body) => {
                let symbol = self.bind(*number);
                let body = self.formula(body, old)?;
                let replaced = |s: Symbol| (s == symbol).then(|| object.clone());
                body.replace(&replaced, &|f| f)
            }
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

    fn formula(&mut self, e: &Expr, old: bool) -> Result<Formula, String> {
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
            Expr::Valid(e) if !old => Formula::Holds(self.view.alive, self.term(e, old)?),
            Expr::Btwn(place, x, y, z) => {
                let (x, y) = (self.term(x, old)?, self.term(y, old)?);
                let z = self.term(z, old)?;
                Formula::Btwn(self.field(place, old), x, y, z)
            }
            Expr::Quantified(all, numbers, body) => {
                let symbols: Vec<Symbol> = numbers.iter().map(|n| self.bind(*n)).collect();
                let body = Box::new(self.formula(body, old)?);
                if *all { Formula::Forall(symbols, body) } else { Formula::Exists(symbols, body) }
            }
            Expr::Binary(op, a, b) => return self.binary(op, a, b, old),
            Expr::Field(..) | Expr::Var(_) | Expr::Result => {
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
            let number = u32::MAX - 1 - self.bound.len() as u32;
            let symbol = self.bind(number);
            let object = Term::Var(symbol);
            let (a, b) = (self.member(&object, a, old)?, self.member(&object, b, old)?);
            let all = |body| Formula::Forall(vec![symbol], Box::new(body));
            return match op {
                "==" => Ok(all(Formula::iff(a, b))),
                "!=" => Ok(all(Formula::iff(a, b)).negate()),
                "<=" => Ok(all(Formula::implies(a, b))),
                _ => Err(format!("`{op}` does not compare sets")),
            };
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

//! Annotations with names resolved: contracts of the functions that run.
//!
//! A contract belongs to the function definition that follows its comment, or to the function
//! that the prototype after it declares; then its parameters have the prototype's names. That function need not have a
//! body: calls go by the contract then, which is believed.
//! `invariant` and `field` are part of every contract of the program, as what it requires and
//! as what it ensures. `assert` belongs to the place in a body where its comment stands, and to the
//! contract of that function. Definitions (`predicate`, `logic`) are known in all files and are expanded
//! where they are used. Fields are looked up by name in all records; a name that
//! stands for different places is written `tag.field` in `reach`, and refused after `->`.
//! What cannot be resolved is a warning, and the contract as a whole is dropped:
//! half of a contract would be another contract.

use crate::context::Lowerer;
use crate::contract::declared;
use crate::emission::Placed;
use crate::global::GlobalId;
use crate::scope::Binding;
use crate::value::Place;
use bolide_base::{Diagnostic, HashMap, Span};
use bolide_c_syntax::annotation::{self, Clause, Expr as Syntax};
use bolide_c_syntax::ast::{ItemKind, ParametersKind, StmtKind, TranslationUnit};
use bolide_cfa::contract::{Assigns, Contract, Expr, FieldPlace, Written};
use bolide_cfa::types::Type;
use bolide_cfa::{FunctionId, VariableKind};
use std::sync::Arc;

mod arrays;
mod kinds;
mod objects;

impl Lowerer<'_> {
    /// Remembers where the annotations between two places of a body stand.
    pub(crate) fn place_annotations(&mut self, from: u32, to: u32) {
        if self.input.unit >= self.input.first_model {
            return;
        }
        let unit = self.input.ast();
        let first = unit.annotations.partition_point(|a| a.span.start < from);
        for (comment, annotation) in unit.annotations.iter().enumerate().skip(first) {
            if annotation.span.start >= to {
                break;
            }
            self.out.reached.insert((self.input.unit, annotation.span.start));
            // Where control does not come, nothing fails.
            let Some(location) = self.out.at.cur else { continue };
            let mut locals = Vec::new();
            for word in words(&annotation.text) {
                let binding = unit.names.get(word).and_then(|s| self.names().get(s));
                if let Some(Binding::Local(local)) = binding
                    && let Place::Vars(vars) = &self.f.locals[local].place
                    && let [var] = vars[..]
                {
                    locals.push((word.to_owned(), var));
                }
            }
            let (unit, function) = (self.input.unit, self.out.at.id);
            self.out.placed.push(Placed { unit, comment, function, location, locals });
        }
        self.place_claims(from, to);
    }

    /// The annotations that nothing checks: those that stand within a statement of a block that runs, and those that
    /// belong to no block. A block that was not lowered does not run.
    pub(crate) fn unchecked(&self) -> Vec<Span> {
        let mut unchecked = self.out.unchecked.clone();
        if self.input.assertion_property().is_some() {
            for (number, unit) in self.input.units[..self.input.first_model].iter().enumerate() {
                let claims = unit.annotations.iter().filter(|a| a.text.contains("assert"));
                for &Span { start, end } in claims.map(|a| &a.span) {
                    let blocks = unit.stmts.values().filter(|stmt| {
                        matches!(stmt.kind, StmtKind::Compound(_))
                            && stmt.span.start <= start
                            && end <= stmt.span.end
                    });
                    let innermost = blocks.map(|stmt| stmt.span).max_by_key(|span| span.start);
                    let runs =
                        innermost.is_none_or(|block| self.out.blocks.contains(&(number, block)));
                    if runs && !self.out.reached.contains(&(number, start)) {
                        unchecked.insert((number, start, end));
                    }
                }
            }
        }
        unchecked.into_iter().map(|(_, start, end)| Span { start, end }).collect()
    }

    /// What of contracts was not understood: what the heap logic understands is not checked, the rest are errors.
    /// Says whether the entry function has a contract of the heap logic.
    pub(crate) fn judge_failures(&mut self, warnings: &[Diagnostic]) -> bool {
        let mut of_entry = false;
        for failure in std::mem::take(&mut self.contracts.failures) {
            let span = failure.span;
            let units = self.input.units[..self.input.first_model].iter().enumerate();
            let found =
                units.flat_map(|(number, unit)| unit.annotations.iter().map(move |a| (number, a)));
            let comment = found
                .into_iter()
                .find(|(_, a)| a.span.start <= span.start && span.start < a.span.end);
            let Some((number, comment)) = comment else {
                self.out.diagnostics.push(failure);
                continue;
            };
            let within = |s: Span| comment.span.start <= s.start && s.start < comment.span.end;
            let clauses = annotation::parse(&comment.text, comment.span).unwrap_or_default();
            if clauses.is_empty() || warnings.iter().any(|w| within(w.span)) {
                self.out.diagnostics.push(failure);
                continue;
            }
            if clauses.iter().all(|c| matches!(c, Clause::Definition { .. })) {
                continue;
            }
            let unit = self.input.units[number];
            let item = unit.items.iter().find(|item| item.span.end > comment.span.start);
            let is_before = item.is_some_and(|item| {
                item.span.start >= comment.span.end && declared(unit, &item.kind).is_some()
            });
            let function = annotated(self, unit, comment.span).filter(|_| is_before);
            let name = function.map(|(id, _)| self.out.program.functions[id].name.clone());
            match name {
                // A function that does not run promises nothing.
                None if is_before
                    && !clauses
                        .iter()
                        .any(|c| matches!(c, Clause::Invariant(..) | Clause::Field(..))) => {}
                Some(name) if name == self.input.options.entry => of_entry = true,
                _ => {
                    let Span { start, end } = comment.span;
                    self.out.unchecked.insert((number, start, end));
                }
            }
        }
        of_entry
    }
}

/// What may be names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}

/// Lowers the global variables that only annotations mention.
pub(crate) fn mentioned_globals(lowerer: &mut Lowerer<'_>) {
    let mut found: Vec<(GlobalId, Span)> = Vec::new();
    for (number, unit) in lowerer.input.units[..lowerer.input.first_model].iter().enumerate() {
        for comment in &unit.annotations {
            // Comments for other tools are not ours.
            if !annotation::parse(&comment.text, comment.span).is_ok_and(|c| !c.is_empty()) {
                continue;
            }
            for word in words(&comment.text) {
                let binding =
                    unit.names.get(word).and_then(|s| lowerer.linkage.names[number].get(s));
                if let Some(Binding::Global(id)) = binding {
                    found.push((id, comment.span));
                }
            }
        }
    }
    for (id, span) in found {
        let global = &lowerer.linkage[id];
        let is_variable = !lowerer.types.is_function(global.ty.ty);
        let ty = global.ty;
        let is_known = lowerer.types.fits_variables(ty) || lowerer.is_array_of_scalars(ty.ty);
        if is_variable && global.place.is_none() && is_known {
            // What fails here was not needed by anything that runs: the annotation says so itself.
            let _ = lowerer.place_global(id, span);
        }
    }
    lowerer.drain_work();
}

/// The names of the parameters of the prototype of that name.
fn prototype(unit: &TranslationUnit, item: &ItemKind) -> Option<(String, Vec<String>)> {
    let ItemKind::Declaration(declaration) = item else { return None };
    let [only] = &unit.decls[*declaration].declarators[..] else { return None };
    let name = unit.name(only.declarator.name?).to_owned();
    let mut names = Vec::new();
    if let ParametersKind::Prototype { parameters, .. } =
        &unit.params[only.declarator.function_parameters()?].kind
    {
        for parameter in parameters.iter().filter(|p| !p.is_forward) {
            let name = parameter.declarator.name.map(|s| unit.name(s).to_owned());
            names.push(name.unwrap_or_default());
        }
    }
    Some((name, names))
}

/// The clauses of a function, with the names that its parameters have there if those are of a prototype.
struct Promises {
    function: FunctionId,
    clauses: Vec<Clause>,
    parameters: Vec<String>,
}

struct Definition {
    parameters: Vec<String>,
    body: Syntax,
}

/// Expansions in a row that are refused: a definition that uses itself.
const EXPANSIONS: u32 = 40;

/// The annotations of all files, sorted by what they are about.
#[derive(Default)]
struct Annotations<'a> {
    definitions: HashMap<String, Definition>,
    promised: Vec<Promises>,
    invariants: Vec<Clause>,
    asserted: Vec<(&'a Placed, Syntax, Span)>,
    warnings: Vec<Diagnostic>,
}

/// The contracts of a lowered program, and warnings.
pub(crate) fn contracts(lowerer: &Lowerer<'_>) -> (Vec<Contract>, Vec<Diagnostic>) {
    let Annotations { definitions, mut promised, invariants, asserted, mut warnings } =
        annotations(lowerer);
    // Where the run begins, assertions need no contract beside them.
    let entry = &lowerer.input.options.entry;
    let started = |p: &&Placed| lowerer.out.program.functions[p.function].name == *entry;
    if let Some(place) = asserted.iter().map(|(place, ..)| *place).find(started)
        && !promised.iter().any(|p| p.function == place.function)
    {
        let (clauses, parameters) = (Vec::new(), Vec::new());
        promised.push(Promises { function: place.function, clauses, parameters });
    }
    let fields = fields(lowerer);
    let resolver = |function| Resolver::new(lowerer, function, &definitions, &fields);
    let mut contracts = promised_contracts(promised, lowerer, &resolver, &fields, &mut warnings);
    contracts.retain_mut(|contract| {
        let mut resolver = resolver(contract.function);
        invariants.iter().all(|clause| match resolver.clause(clause, contract) {
            Ok(()) => true,
            Err((why, span)) => {
                let warning = ignored(format!("in an annotation: {why}"), span)
                    .with_help("contracts without their invariants are ignored");
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
                false
            }
        })
    });
    for (place, e, span) in asserted {
        let contract = contracts.iter_mut().find(|c| c.function == place.function);
        let Some(contract) = contract else {
            if is_checked(lowerer, place.unit, place.comment) {
                continue;
            }
            let why = "in an annotation: an `assert` in a function without a contract";
            let help = "the annotation is ignored; `requires \\true;` is a contract";
            warnings.push(Diagnostic::warning(span, why).with_help(help));
            continue;
        };
        let mut resolver = resolver(place.function);
        for (name, var) in &place.locals {
            resolver.bound.push((name.clone(), Expr::Var(*var)));
        }
        contract.asserts_words.push(resolver.words(span));
        match resolver.formula(&e) {
            Ok(e) => contract.asserts.push((place.location, e)),
            // Required: what is claimed and not understood is not proved.
            Err(why) => {
                contract.asserts.push((place.location, Expr::Bool(false)));
                warnings.push(Diagnostic::warning(span, format!("in an annotation: {why}")));
            }
        }
    }
    (contracts, warnings)
}

/// Whether the assertions of a comment are checks of the program.
fn is_checked(lowerer: &Lowerer<'_>, unit: usize, comment: usize) -> bool {
    let Span { start, end } = lowerer.input.units[unit].annotations[comment].span;
    let is_open = |&(of, from, _): &(usize, u32, u32)| of == unit && (start..end).contains(&from);
    lowerer.out.reached.contains(&(unit, start)) && !lowerer.out.unchecked.iter().any(is_open)
}

/// Reads all annotations of the program.
fn annotations<'a>(lowerer: &'a Lowerer<'_>) -> Annotations<'a> {
    let mut found = Annotations::default();
    for (number, unit) in lowerer.input.units[..lowerer.input.first_model].iter().enumerate() {
        for (at, comment) in unit.annotations.iter().enumerate() {
            let parsed = match annotation::parse(&comment.text, comment.span) {
                Ok(parsed) => parsed,
                // An assertion for the C program is nothing for a contract.
                Err(_) if is_checked(lowerer, number, at) => continue,
                Err(error) => {
                    found.warnings.push(ignored(error.message, error.span));
                    continue;
                }
            };
            let mut clauses = Vec::new();
            for clause in parsed {
                match clause {
                    Clause::Definition { name, parameters, body } => {
                        found.definitions.insert(name, Definition { parameters, body });
                    }
                    Clause::Invariant(..) | Clause::Field(..) => found.invariants.push(clause),
                    Clause::Assert(e, span) => {
                        let here = |p: &&Placed| p.unit == number && p.comment == at;
                        // A block that is lowered twice has several places.
                        let places = lowerer.out.placed.iter().filter(here);
                        found.asserted.extend(places.map(|place| (place, e.clone(), span)));
                    }
                    other => clauses.push(other),
                }
            }
            if !clauses.is_empty()
                && let Some((function, parameters)) = annotated(lowerer, unit, comment.span)
            {
                found.promised.push(Promises { function, clauses, parameters });
            }
        }
    }
    found
}

/// The function that a comment stands before, and the names of its parameters there if it is a prototype.
fn annotated(
    lowerer: &Lowerer<'_>,
    unit: &TranslationUnit,
    comment: Span,
) -> Option<(FunctionId, Vec<String>)> {
    let item = unit.items.iter().find(|item| item.span.start >= comment.end)?;
    let declared = prototype(unit, &item.kind);
    let (function, _) = lowerer.out.program.functions.iter().find(|(_, f)| match &declared {
        // Of a function without a body the contract is believed.
        Some((name, _)) => {
            f.name == *name && (f.body.is_some() || lowerer.linkage.externals.contains_key(name))
        }
        None => {
            f.body.is_some()
                && item.span.start <= f.span.start
                && f.span.end <= item.span.end
                && f.span != Span::NONE
        }
    })?;
    Some((function, declared.map(|(_, names)| names).unwrap_or_default()))
}

/// The contracts that functions promise, those of one function joined; sorted by function.
fn promised_contracts<'a>(
    promised: Vec<Promises>,
    lowerer: &Lowerer<'_>,
    resolver: &impl Fn(FunctionId) -> Resolver<'a>,
    fields: &[FieldPlace],
    warnings: &mut Vec<Diagnostic>,
) -> Vec<Contract> {
    let objects = Arc::new(objects::objects(lowerer));
    let mut contracts: Vec<Contract> = Vec::new();
    for Promises { function, clauses, parameters } in promised {
        let mut resolver = Resolver { parameters, ..resolver(function) };
        let empty = || Contract {
            function,
            requires: Vec::new(),
            ensures: Vec::new(),
            requires_words: Vec::new(),
            ensures_words: Vec::new(),
            assigns: None,
            asserts: Vec::new(),
            asserts_words: Vec::new(),
            fields: fields.to_vec(),
            objects: Arc::clone(&objects),
        };
        let mut contract = contracts
            .iter()
            .position(|c| c.function == function)
            .map_or_else(empty, |i| contracts.remove(i));
        let mut whole = true;
        for clause in &clauses {
            if let Err((why, span)) = resolver.clause(clause, &mut contract) {
                whole = false;
                warnings.push(ignored(format!("in an annotation: {why}"), span));
            }
        }
        if whole {
            contracts.push(contract);
        }
    }
    contracts.sort_by_key(|c| c.function);
    contracts
}

fn ignored(message: String, span: Span) -> Diagnostic {
    Diagnostic::warning(span, message).with_help("the annotation is ignored")
}

/// The scalar fields of all records, with the record's tag before a dot too
/// where the name alone does not tell.
fn fields(lowerer: &Lowerer<'_>) -> Vec<FieldPlace> {
    let mut found = Vec::new();
    for (_, record) in lowerer.types.records.iter() {
        for field in record.fields.iter() {
            if let (Some(name), Some(ty), None) =
                (&field.name, lowerer.types.scalar(field.ty.ty), field.bits)
            {
                found.push(FieldPlace { name: name.to_string(), offset: field.offset, ty });
                if let Some(tag) = &record.tag {
                    let name = format!("{tag}.{name}");
                    found.push(FieldPlace { name, offset: field.offset, ty });
                }
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

struct Resolver<'a> {
    lowerer: &'a Lowerer<'a>,
    function: FunctionId,
    definitions: &'a HashMap<String, Definition>,
    fields: &'a [FieldPlace],
    /// Names in scope and what they stand for, innermost last.
    bound: Vec<(String, Expr)>,
    /// The names of the function's parameters, where a prototype gives them.
    parameters: Vec<String>,
    next: u32,
    expansions: u32,
}

impl<'a> Resolver<'a> {
    fn new(
        lowerer: &'a Lowerer<'a>,
        function: FunctionId,
        definitions: &'a HashMap<String, Definition>,
        fields: &'a [FieldPlace],
    ) -> Resolver<'a> {
        Resolver {
            lowerer,
            function,
            definitions,
            fields,
            bound: Vec::new(),
            parameters: Vec::new(),
            next: 0,
            expansions: 0,
        }
    }

    /// Adds a clause to a contract; what is wrong with it, and where.
    fn clause(&mut self, clause: &Clause, contract: &mut Contract) -> Result<(), (String, Span)> {
        match clause {
            Clause::Assigns(names, span) => {
                contract.assigns = Some(self.assigns(names).map_err(|why| (why, *span))?);
            }
            Clause::Requires(e, span)
            | Clause::Ensures(e, span)
            | Clause::Invariant(e, span)
            | Clause::Field(_, e, span) => {
                let e = self.promise(clause, e).map_err(|why| (why, *span))?;
                if !matches!(clause, Clause::Ensures(..)) {
                    contract.requires.push(e.clone());
                    contract.requires_words.push(self.words(*span));
                }
                if !matches!(clause, Clause::Requires(..)) {
                    contract.ensures.push(e);
                    contract.ensures_words.push(self.words(*span));
                }
            }
            Clause::Assert(..) | Clause::Definition { .. } => {}
        }
        Ok(())
    }

    /// What a clause says; what is always so is required and ensured.
    fn promise(&mut self, clause: &Clause, e: &Syntax) -> Result<Expr, String> {
        let Clause::Field(name, ..) = clause else { return self.formula(e) };
        let (place, e) = (self.field(name)?, self.formula(e)?);
        if place.ty != Type::Pointer {
            return Err(format!("`{name}` does not hold pointers"));
        }
        if !matches!(e, Expr::Quantified(true, ..)) {
            return Err(format!("a constraint of `{name}` begins with `\\forall`"));
        }
        Ok(e)
    }

    /// A formula that makes sense.
    fn formula(&mut self, e: &Syntax) -> Result<Expr, String> {
        let e = self.expr(e)?;
        kinds::formula(&e, &self.lowerer.out.program, self.function)?;
        Ok(e)
    }

    fn words(&self, span: Span) -> Written {
        let words: Vec<&str> =
            self.lowerer.input.sources.snippet(span).split_whitespace().collect();
        Written { span, text: words.join(" ") }
    }

    fn expr(&mut self, e: &Syntax) -> Result<Expr, String> {
        Ok(match e {
            Syntax::Int(n) => Expr::Int(*n),
            Syntax::Name(name) => return self.name(name),
            Syntax::Word(word) => match word.as_str() {
                "null" => Expr::Null,
                "true" => Expr::Bool(true),
                "false" => Expr::Bool(false),
                "result" => Expr::Result,
                "empty" => Expr::Set(Vec::new()),
                other => return Err(format!("`\\{other}` is not known")),
            },
            Syntax::Arrow(of, field) => Expr::Field(Box::new(self.expr(of)?), self.field(field)?),
            Syntax::Unary("!", e) => Expr::Not(Box::new(self.expr(e)?)),
            Syntax::Unary(_, e) => Expr::Negative(Box::new(self.expr(e)?)),
            Syntax::Binary(op, a, b) => {
                Expr::Binary(op, Box::new(self.expr(a)?), Box::new(self.expr(b)?))
            }
            Syntax::Index(name, index) => return self.cell(name, index),
            Syntax::Quantified { all, integers: true, names, body } => {
                return self.indices(*all, names, body);
            }
            Syntax::Quantified { all, names, body, .. } => {
                let outside = self.bound.len();
                let numbers: Vec<u32> = names.iter().map(|name| self.bind(name)).collect();
                let body = self.expr(body)?;
                self.bound.truncate(outside);
                Expr::Quantified(*all, numbers, Box::new(body))
            }
            Syntax::Comprehension(name, body) => {
                let outside = self.bound.len();
                let number = self.bind(name);
                let body = self.expr(body)?;
                self.bound.truncate(outside);
                Expr::Comprehension(number, Box::new(body))
            }
            Syntax::Set(all) => {
                Expr::Set(all.iter().map(|e| self.expr(e)).collect::<Result<_, _>>()?)
            }
            Syntax::Call(name, arguments) => return self.call(name, arguments),
        })
    }

    fn bind(&mut self, name: &str) -> u32 {
        self.next += 1;
        self.bound.push((name.to_owned(), Expr::Bound(self.next)));
        self.next
    }

    fn name(&mut self, name: &str) -> Result<Expr, String> {
        if let Some((_, e)) = self.bound.iter().rev().find(|(n, _)| n == name) {
            return Ok(e.clone());
        }
        let program = &self.lowerer.out.program;
        let parameters = &program.functions[self.function].parameters;
        if let Some(place) = self.parameters.iter().position(|p| p == name)
            && let Some(&var) = parameters.get(place)
        {
            return Ok(Expr::Var(var));
        }
        for &var in parameters {
            if self.parameters.is_empty() && program.variables[var].name == name {
                return Ok(Expr::Var(var));
            }
        }
        for (var, variable) in program.variables.iter() {
            if variable.kind == VariableKind::Global && variable.name == name {
                return Ok(Expr::Var(var));
            }
        }
        if self.definitions.contains_key(name) {
            return self.call(name, &[]);
        }
        if name == "NULL" {
            return Ok(Expr::Null);
        }
        Err(format!("`{name}` is neither a parameter nor a global variable nor a definition"))
    }

    /// What the names of an `assigns` clause stand for: global variables or fields.
    fn assigns(&self, names: &[String]) -> Result<Assigns, String> {
        let mut assigns = Assigns::default();
        for name in names {
            let variables = self.lowerer.out.program.variables.iter();
            let mut globals = variables
                .filter(|(_, v)| v.kind == VariableKind::Global && v.name == *name)
                .map(|(var, _)| var);
            match (globals.next(), self.array(name)) {
                (Some(global), _) => assigns.globals.push(global),
                (None, Some(array)) => assigns.arrays.push(array),
                (None, None) => assigns.fields.push(self.field(name)?),
            }
        }
        Ok(assigns)
    }

    fn field(&self, name: &str) -> Result<FieldPlace, String> {
        let mut found = self.fields.iter().filter(|f| f.name == name);
        match (found.next(), found.next()) {
            (Some(field), None) => Ok(field.clone()),
            (None, _) => Err(format!("no record has a scalar field `{name}`")),
            _ => Err(format!("the field `{name}` lies at different places in different records")),
        }
    }

    /// The field that the first argument of `reach` and the like names.
    fn named_field(&self, arguments: &[Syntax]) -> Result<FieldPlace, String> {
        match arguments.first() {
            Some(Syntax::Name(name)) => self.field(name),
            _ => Err("the first argument must be the name of a field".into()),
        }
    }

    /// The two fields of a tree that the first arguments name.
    fn two_fields(&self, arguments: &[Syntax]) -> Result<(FieldPlace, FieldPlace), String> {
        let (left, right) = (self.named_field(arguments)?, self.named_field(&arguments[1..])?);
        if left == right {
            return Err("a tree needs two different fields".into());
        }
        Ok((left, right))
    }

    fn call(&mut self, name: &str, arguments: &[Syntax]) -> Result<Expr, String> {
        let object = |r: &mut Self, i: usize| -> Result<Box<Expr>, String> {
            let e = arguments.get(i).ok_or_else(|| format!("`{name}` wants more arguments"))?;
            Ok(Box::new(r.expr(e)?))
        };
        match (name, arguments.len()) {
            ("old", 1) => Ok(Expr::Old(object(self, 0)?)),
            ("valid", 1) => Ok(Expr::Valid(object(self, 0)?)),
            ("reach", 3) => {
                let (x, y) = (object(self, 1)?, object(self, 2)?);
                Ok(Expr::Btwn(self.named_field(arguments)?, x, y.clone(), y))
            }
            ("btwn", 4) => {
                let (x, y, z) = (object(self, 1)?, object(self, 2)?, object(self, 3)?);
                Ok(Expr::Btwn(self.named_field(arguments)?, x, y, z))
            }
            ("reach", 4) => {
                let (x, y) = (object(self, 2)?, object(self, 3)?);
                let (left, right) = self.two_fields(arguments)?;
                Ok(Expr::Below(left, right, x, y))
            }
            ("tree", 2) => {
                let (left, right) = self.two_fields(arguments)?;
                Ok(Expr::Tree(left, right))
            }
            ("acyclic", 1) => {
                let field = self.named_field(arguments)?;
                self.next += 1;
                let (x, null) = (Box::new(Expr::Bound(self.next)), Box::new(Expr::Null));
                let body = Expr::Btwn(field, x, null.clone(), null);
                Ok(Expr::Quantified(true, vec![self.next], Box::new(body)))
            }
            ("sharing_free", 1) => Ok(self.sharing_free(self.named_field(arguments)?)),
            _ => self.expand(name, arguments),
        }
    }

    /// No object but null is the next one of two. It follows that of two objects from which a third can be
    /// reached, one is reached from the other; this is said too, as provers
    /// cannot find it.
    fn sharing_free(&mut self, field: FieldPlace) -> Expr {
        self.next += 3;
        let [x, y, z] = [self.next - 2, self.next - 1, self.next].map(Expr::Bound);
        let next = |e: &Expr| Box::new(Expr::Field(Box::new(e.clone()), field.clone()));
        let reach = |a: &Expr, b: &Expr| {
            let (a, b) = (Box::new(a.clone()), Box::new(b.clone()));
            Box::new(Expr::Btwn(field.clone(), a, b.clone(), b))
        };
        let both = |a, b| Box::new(Expr::Binary("&&", a, b));
        let equal = |a, b| Box::new(Expr::Binary("==", a, b));
        let proper = |e| Box::new(Expr::Binary("!=", e, Box::new(Expr::Null)));
        let premise = both(equal(next(&x), next(&y)), proper(next(&x)));
        let same = equal(Box::new(x.clone()), Box::new(y.clone()));
        let unique = Expr::Binary("==>", premise, same);
        let meet = both(both(reach(&x, &z), reach(&y, &z)), proper(Box::new(z.clone())));
        let ordered = Box::new(Expr::Binary("||", reach(&x, &y), reach(&y, &x)));
        let chain = Expr::Binary("==>", meet, ordered);
        let (two, three) =
            (vec![self.next - 2, self.next - 1], vec![self.next - 2, self.next - 1, self.next]);
        let unique = Box::new(Expr::Quantified(true, two, Box::new(unique)));
        let chain = Box::new(Expr::Quantified(true, three, Box::new(chain)));
        Expr::Binary("&&", unique, chain)
    }

    fn expand(&mut self, name: &str, arguments: &[Syntax]) -> Result<Expr, String> {
        let definition =
            self.definitions.get(name).ok_or_else(|| format!("`{name}` is not defined"))?;
        if definition.parameters.len() != arguments.len() {
            let wanted = definition.parameters.len();
            return Err(format!("`{name}` wants {wanted} arguments, not {}", arguments.len()));
        }
        self.expansions += 1;
        if self.expansions > EXPANSIONS {
            return Err(format!("the definition of `{name}` uses itself or too many others"));
        }
        let values: Vec<Expr> = arguments.iter().map(|e| self.expr(e)).collect::<Result<_, _>>()?;
        let outer = std::mem::take(&mut self.bound);
        self.bound = definition.parameters.iter().cloned().zip(values).collect();
        let result = self.expr(&definition.body);
        self.bound = outer;
        self.expansions -= 1;
        result
    }
}

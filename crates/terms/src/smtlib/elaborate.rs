//! From expressions to terms.
//!
//! An explicit stack of tasks takes the place of recursion: `Read` a node,
//! `Apply` a head to the values above a mark, `Bind` the values of a `let`,
//! `Unbind` at its end. Nested applications of one associative symbol become a
//! single application, which keeps long chains linear.

use super::context::{Context, Symbol};
use super::floats::{bare, bare_sort, dressed, dressed_any};
use super::operators::{apply_operator, coerce, const_array, is_associative};
use super::sexpr::{Error, Expression, Kind, NodeIndex};
use crate::{Function, Op, SortId, TermId, TermStore};
use bolide_base::{HashMap, Integer, Rational};

/// Quantifiers nest at most so deep: each level walks over its body.
const QUANTIFIER_DEPTH: u32 = 1000;
/// Indices of the placeholders for variables of quantifiers being read. Those
/// of finished quantifiers are far below.
const VARIABLES: u32 = 1 << 31;
/// Indices of the placeholders for parameters of defined functions.
const PARAMETERS: u32 = 1 << 30;

/// What is applied.
enum Head<'a> {
    /// A symbol, perhaps with indices.
    Symbol(&'a str, Vec<u32>),
    /// `(as const S)`.
    ConstArray(SortId),
}

enum Task<'a> {
    /// Build the term of the node; inside of an application of this associative
    /// symbol.
    Read(NodeIndex, Option<&'a str>),
    /// Apply to the values from `base` on.
    Apply { at: NodeIndex, head: Head<'a>, base: usize },
    /// `(as f S)`: check the sort of the last value.
    Ascribe { at: NodeIndex, sort: SortId },
    /// The values from `base` on are those of the bindings of the `let`.
    Bind { at: NodeIndex, base: usize },
    /// Forget local names, as many as given.
    Unbind(usize),
    /// Close a quantifier over the last value.
    Quantify { at: NodeIndex, op: Op, variables: Vec<TermId> },
    /// Take note of `:named` for the last value.
    Name { at: NodeIndex, name: &'a str },
}

/// Builds the terms of one expression.
pub(crate) struct Elaborator<'c, 'a> {
    pub store: &'c mut TermStore,
    pub context: &'c mut Context,
    pub expression: &'c Expression<'a>,
    locals: HashMap<&'a str, Vec<TermId>>,
    bound: Vec<&'a str>,
    quantifiers: u32,
    variables: u32,
    /// What formulas of the expression need besides, see `arrays_told_apart`.
    facts: Vec<TermId>,
    /// Whether these can be added: only to formulas.
    in_formula: bool,
}

impl<'c, 'a> Elaborator<'c, 'a> {
    pub fn new(
        store: &'c mut TermStore,
        context: &'c mut Context,
        expression: &'c Expression<'a>,
    ) -> Self {
        Elaborator {
            store,
            context,
            expression,
            locals: HashMap::default(),
            bound: Vec::new(),
            quantifiers: 0,
            variables: 0,
            facts: Vec::new(),
            in_formula: false,
        }
    }

    /// Makes a name stand for a term from here on.
    pub fn bind(&mut self, name: &'a str, term: TermId) {
        self.locals.entry(name).or_default().push(term);
        self.bound.push(name);
    }

    fn unbind(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(name) = self.bound.pop()
                && let Some(terms) = self.locals.get_mut(name)
            {
                terms.pop();
            }
        }
    }

    fn local(&self, name: &str) -> Option<TermId> {
        self.locals.get(name).and_then(|terms| terms.last()).copied()
    }

    /// The term of a node.
    pub fn term(&mut self, at: NodeIndex) -> Result<TermId, Error> {
        let mut tasks = vec![Task::Read(at, None)];
        let mut values: Vec<TermId> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Read(at, inside) => self.read(at, inside, &mut tasks, &mut values)?,
                Task::Apply { at, head, base } => {
                    let term = self.apply(at, &head, &values[base..])?;
                    values.truncate(base);
                    values.push(term);
                }
                Task::Ascribe { at, sort } => {
                    let term = values.last_mut().expect("a value to ascribe to");
                    *term = coerce(self.store, *term, sort);
                    if self.store.sort(*term) != sort {
                        return self.expression.error(at, "the term is not of this sort");
                    }
                }
                Task::Bind { at, base } => self.bind_let(at, base, &mut tasks, &mut values),
                Task::Unbind(count) => self.unbind(count),
                Task::Quantify { at, op, variables } => {
                    self.quantifiers -= 1;
                    let body = values.last_mut().expect("a body");
                    if !self.store.is_bool(*body) {
                        return self.expression.error(at, "the body of a quantifier must be Bool");
                    }
                    *body = self.store.mk_quantifier(op, &variables, *body);
                }
                Task::Name { at, name } => {
                    let body = *values.last().expect("a named value");
                    if self.quantifiers > 0 || !self.bound.is_empty() {
                        // A name for something that depends on local names
                        // would mean different things at different places.
                        if self.mentions_placeholder(body) {
                            return self.expression.error(at, "a named term must be closed");
                        }
                    }
                    // The name may outlive the formula that says the facts.
                    if !self.facts.is_empty() && self.context.global_declarations {
                        return self.expression.error(at, "comparing arrays of floats has no name");
                    }
                    let symbol = Symbol::Macro { parameters: Vec::new(), body };
                    if let Err(message) = self.context.define(name, symbol) {
                        return self.expression.error(at, message);
                    }
                }
            }
        }
        Ok(values.pop().expect("the value of the expression"))
    }

    /// A formula.
    pub fn formula(&mut self, at: NodeIndex) -> Result<TermId, Error> {
        self.in_formula = true;
        let term = self.term(at)?;
        if !self.store.is_bool(term) {
            let sort = self.store.sort_text(self.store.sort(term));
            return self.expression.error(at, format!("expected a Bool term, this is {sort}"));
        }
        let mut parts = std::mem::take(&mut self.facts);
        parts.push(term);
        Ok(self.store.mk_and(&parts))
    }

    /// A placeholder for a parameter: what takes its place is in dress.
    pub fn parameter(&mut self, index: u32, sort: SortId) -> TermId {
        let kernel = bare_sort(self.store, sort);
        let variable = self.store.mk_bound(PARAMETERS + index, kernel);
        dressed(self.store, variable, sort)
    }

    fn mentions_placeholder(&self, term: TermId) -> bool {
        self.store
            .subterms(&[term])
            .iter()
            .any(|&t| matches!(self.store.op(t), Op::Bound(index) if index >= PARAMETERS))
    }

    fn read(
        &mut self,
        at: NodeIndex,
        inside: Option<&'a str>,
        tasks: &mut Vec<Task<'a>>,
        values: &mut Vec<TermId>,
    ) -> Result<(), Error> {
        let e = self.expression;
        if !e.is_list(at) {
            let term = self.atom(at)?;
            values.push(term);
            return Ok(());
        }
        let Some(head) = e.children(at).next() else {
            return e.error(at, "expected a term");
        };
        if e.kind(head) == Kind::Symbol {
            match e.atom(head) {
                "let" => return self.read_let(at, tasks, values),
                "forall" => return self.read_quantifier(at, Op::Forall, tasks),
                "exists" => return self.read_quantifier(at, Op::Exists, tasks),
                "!" => return self.read_annotation(at, tasks),
                "match" => return e.error(at, "match is not supported"),
                "_" => {
                    let head = self.indexed_head(at)?;
                    let term = self.apply(at, &head, &[])?;
                    values.push(term);
                    return Ok(());
                }
                "as" => {
                    let (symbol, sort) = self.ascription(at)?;
                    tasks.push(Task::Ascribe { at, sort });
                    tasks.push(Task::Read(symbol, None));
                    return Ok(());
                }
                _ => {}
            }
        }
        let head = self.head(head, at, tasks)?;
        let associative = match &head {
            Head::Symbol(name, indices)
                if indices.is_empty() && is_associative(name) && self.local(name).is_none() =>
            {
                Some(*name)
            }
            _ => None,
        };
        let arguments: Vec<NodeIndex> = e.children(at).skip(1).collect();
        if associative.is_none() || associative != inside {
            tasks.push(Task::Apply { at, head, base: values.len() });
        } else if arguments.is_empty() {
            return e.error(at, "arguments are missing");
        }
        // An application without arguments is not a term in SMT-LIB.
        if arguments.is_empty() {
            return e.error(at, "arguments are missing");
        }
        tasks.extend(arguments.into_iter().rev().map(|a| Task::Read(a, associative)));
        Ok(())
    }

    fn atom(&mut self, at: NodeIndex) -> Result<TermId, Error> {
        let e = self.expression;
        let text = e.atom(at);
        match e.kind(at) {
            Kind::Numeral => match text.parse::<Integer>() {
                Ok(value) => Ok(self.store.mk_int(value)),
                Err(_) => e.error(at, "not a number"),
            },
            Kind::Decimal => match text.parse::<Rational>() {
                Ok(value) => Ok(self.store.mk_real(value)),
                Err(_) => e.error(at, "not a number"),
            },
            Kind::Hexadecimal | Kind::Binary => {
                let (radix, bits) = if e.kind(at) == Kind::Binary { (2, 1) } else { (16, 4) };
                let value = Integer::from_str_radix(text, radix).unwrap_or_default();
                Ok(self.store.mk_bv(value, text.len() as u32 * bits))
            }
            Kind::Symbol | Kind::QuotedSymbol => match self.local(text) {
                Some(term) => Ok(term),
                None => self.apply(at, &Head::Symbol(text, Vec::new()), &[]),
            },
            Kind::String => e.error(at, "strings are not supported"),
            Kind::Keyword | Kind::List => e.error(at, "expected a term"),
        }
    }

    /// The head of an application; `(as f S)` also leaves a task.
    fn head(
        &mut self,
        head: NodeIndex,
        at: NodeIndex,
        tasks: &mut Vec<Task<'a>>,
    ) -> Result<Head<'a>, Error> {
        let e = self.expression;
        if let Some(name) = e.symbol(head) {
            return Ok(Head::Symbol(name, Vec::new()));
        }
        let Some(first) = e.children(head).next() else {
            return e.error(head, "expected the name of a function");
        };
        if e.is_word(first, "_") {
            return self.indexed_head(head);
        }
        if e.is_word(first, "as") {
            let (symbol, sort) = self.ascription(head)?;
            if e.is_word(symbol, "const") {
                return Ok(Head::ConstArray(sort));
            }
            tasks.push(Task::Ascribe { at, sort });
            let Some(name) = e.symbol(symbol) else {
                return e.error(symbol, "expected the name of a function");
            };
            return Ok(Head::Symbol(name, Vec::new()));
        }
        e.error(head, "expected the name of a function")
    }

    /// `(_ name index ..)`.
    fn indexed_head(&mut self, at: NodeIndex) -> Result<Head<'a>, Error> {
        let e = self.expression;
        let elements = e.elements(at);
        let Some(name) = elements.get(1).and_then(|&n| e.symbol(n)) else {
            return e.error(at, "expected (_ name index)");
        };
        let mut indices = Vec::new();
        for &index in &elements[2..] {
            match e.atom(index).parse::<u32>() {
                Ok(value) if e.kind(index) == Kind::Numeral => indices.push(value),
                _ => return e.error(index, "expected a numeral as index"),
            }
        }
        if indices.is_empty() {
            return e.error(at, "expected an index");
        }
        Ok(Head::Symbol(name, indices))
    }

    /// `(as symbol sort)`.
    fn ascription(&mut self, at: NodeIndex) -> Result<(NodeIndex, SortId), Error> {
        let elements = self.expression.elements(at);
        let &[_, symbol, sort] = elements.as_slice() else {
            return self.expression.error(at, "expected (as name sort)");
        };
        let sort = self.context.sort(self.store, self.expression, sort)?;
        Ok((symbol, sort))
    }

    fn apply(&mut self, at: NodeIndex, head: &Head<'a>, args: &[TermId]) -> Result<TermId, Error> {
        let result = match head {
            Head::ConstArray(sort) => const_array(self.store, *sort, args),
            Head::Symbol(name, indices) => self.apply_symbol(name, indices, args),
        };
        result.or_else(|message| self.expression.error(at, message))
    }

    fn apply_symbol(
        &mut self,
        name: &str,
        indices: &[u32],
        args: &[TermId],
    ) -> Result<TermId, String> {
        if indices.is_empty() {
            if self.local(name).is_some() && !args.is_empty() {
                return Err(format!("{name} is a variable here and takes no arguments"));
            }
            match self.context.symbol(name) {
                Some(Symbol::Function(function)) => {
                    let function = *function;
                    let Function { arguments, result, .. } =
                        self.context.signature(self.store, function).clone();
                    let args = self.fit(name, &arguments, args)?;
                    let args: Vec<TermId> = args.iter().map(|&a| bare(self.store, a)).collect();
                    let term = self.store.mk_app(function, &args);
                    return Ok(dressed_any(self.store, term, result));
                }
                Some(Symbol::Macro { parameters, body }) => {
                    let (parameters, body) = (parameters.clone(), *body);
                    let sorts: Vec<SortId> =
                        parameters.iter().map(|&p| self.store.sort(p)).collect();
                    let args = self.fit(name, &sorts, args)?;
                    let bared = |t| bare(self.store, t);
                    let map: HashMap<TermId, TermId> = parameters
                        .into_iter()
                        .map(bared)
                        .zip(args.into_iter().map(bared))
                        .collect();
                    return Ok(self.store.substitute(body, &map));
                }
                None => {}
            }
        }
        let known = self.facts.len();
        if let Some(term) = apply_operator(self.store, name, indices, args, &mut self.facts)? {
            if self.facts.len() > known && (!self.in_formula || self.quantifiers > 0) {
                return Err(format!("{name} of arrays of floats is not supported in here"));
            }
            return Ok(term);
        }
        // `-2` is a symbol by the standard, but where nobody has declared it, many
        // printers mean the number.
        let number = name
            .strip_prefix('-')
            .filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
        if let Some(digits) = number
            && indices.is_empty()
            && args.is_empty()
        {
            if let Ok(value) = digits.parse::<Integer>() {
                return Ok(self.store.mk_int(-value));
            }
            if let Ok(value) = digits.parse::<Rational>() {
                return Ok(self.store.mk_real(-value));
            }
        }
        Err(format!("{name} is not declared"))
    }

    fn fit(
        &mut self,
        name: &str,
        sorts: &[SortId],
        args: &[TermId],
    ) -> Result<Vec<TermId>, String> {
        if sorts.len() != args.len() {
            return Err(format!("{name} takes {} arguments, here are {}", sorts.len(), args.len()));
        }
        let mut result = Vec::with_capacity(args.len());
        for (index, (&sort, &arg)) in sorts.iter().zip(args).enumerate() {
            let arg = coerce(self.store, arg, sort);
            let found = self.store.sort(arg);
            if found != sort {
                return Err(format!(
                    "argument {} of {name} has sort {}, expected {}",
                    index + 1,
                    self.store.sort_text(found),
                    self.store.sort_text(sort)
                ));
            }
            result.push(arg);
        }
        Ok(result)
    }

    // ---- binders ----

    fn read_let(
        &mut self,
        at: NodeIndex,
        tasks: &mut Vec<Task<'a>>,
        values: &mut [TermId],
    ) -> Result<(), Error> {
        let e = self.expression;
        let elements = e.elements(at);
        let &[_, bindings, _] = elements.as_slice() else {
            return e.error(at, "expected (let ((name term) ..) term)");
        };
        tasks.push(Task::Bind { at, base: values.len() });
        let first = tasks.len();
        for binding in e.children(bindings) {
            let parts = e.elements(binding);
            let &[name, value] = parts.as_slice() else {
                return e.error(binding, "expected (name term)");
            };
            if e.symbol(name).is_none() {
                return e.error(name, "expected a name");
            }
            tasks.push(Task::Read(value, None));
        }
        if tasks.len() == first {
            return e.error(bindings, "expected at least one binding");
        }
        tasks[first..].reverse();
        Ok(())
    }

    fn bind_let(
        &mut self,
        at: NodeIndex,
        base: usize,
        tasks: &mut Vec<Task<'a>>,
        values: &mut Vec<TermId>,
    ) {
        let e = self.expression;
        let elements = e.elements(at);
        let mut count = 0;
        for (binding, &value) in e.children(elements[1]).zip(&values[base..]) {
            let name = e.children(binding).next().and_then(|n| e.symbol(n));
            self.bind(name.expect("checked when the let was read"), value);
            count += 1;
        }
        values.truncate(base);
        tasks.push(Task::Unbind(count));
        tasks.push(Task::Read(elements[2], None));
    }

    fn read_quantifier(
        &mut self,
        at: NodeIndex,
        op: Op,
        tasks: &mut Vec<Task<'a>>,
    ) -> Result<(), Error> {
        let e = self.expression;
        let elements = e.elements(at);
        let &[_, list, body] = elements.as_slice() else {
            return e.error(at, "expected (quantifier ((name sort) ..) term)");
        };
        self.quantifiers += 1;
        if self.quantifiers > QUANTIFIER_DEPTH {
            return e.error(at, "quantifiers nest too deeply");
        }
        let mut variables = Vec::new();
        for (name, sort) in self.sorted_variables(list)? {
            let kernel = bare_sort(self.store, sort);
            let variable = self.store.mk_bound(VARIABLES + self.variables, kernel);
            self.variables += 1;
            let term = dressed_any(self.store, variable, sort);
            self.bind(name, term);
            variables.push(variable);
        }
        if variables.is_empty() {
            return e.error(list, "expected at least one variable");
        }
        let count = variables.len();
        tasks.push(Task::Quantify { at, op, variables });
        tasks.push(Task::Unbind(count));
        tasks.push(Task::Read(body, None));
        Ok(())
    }

    /// `((name sort) ..)`.
    pub fn sorted_variables(&mut self, list: NodeIndex) -> Result<Vec<(&'a str, SortId)>, Error> {
        let e = self.expression;
        if !e.is_list(list) {
            return e.error(list, "expected ((name sort) ..)");
        }
        let mut result = Vec::new();
        for pair in e.children(list) {
            let parts = e.elements(pair);
            let &[name, sort] = parts.as_slice() else {
                return e.error(pair, "expected (name sort)");
            };
            let Some(name) = e.symbol(name) else {
                return e.error(name, "expected a name");
            };
            result.push((name, self.context.sort(self.store, e, sort)?));
        }
        Ok(result)
    }

    fn read_annotation(&mut self, at: NodeIndex, tasks: &mut Vec<Task<'a>>) -> Result<(), Error> {
        let e = self.expression;
        let elements = e.elements(at);
        let Some(&body) = elements.get(1) else {
            return e.error(at, "expected (! term attribute ..)");
        };
        if let Some((at, name)) = named(e, &elements)? {
            tasks.push(Task::Name { at, name });
        }
        tasks.push(Task::Read(body, None));
        Ok(())
    }
}

/// The name that the attributes of an annotation give.
pub(crate) fn named<'a>(
    e: &Expression<'a>,
    elements: &[NodeIndex],
) -> Result<Option<(NodeIndex, &'a str)>, Error> {
    for (i, &attribute) in elements.iter().enumerate().skip(2) {
        if e.kind(attribute) == Kind::Keyword && e.atom(attribute) == ":named" {
            return match elements.get(i + 1).and_then(|&n| e.symbol(n).map(|s| (n, s))) {
                Some(found) => Ok(Some(found)),
                None => e.error(attribute, "expected a name after :named"),
            };
        }
    }
    Ok(None)
}

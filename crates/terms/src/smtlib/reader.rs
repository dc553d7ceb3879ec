//! Reading a script command by command.

use super::command::{Command, Partitions};
use super::context::{Context, Symbol};
use super::elaborate::{Elaborator, named};
use super::operators::{coerce, is_theory_symbol};
use super::sexpr::{Error, Expression, Expressions, Kind, NodeIndex, error_at};
use crate::{SortId, TermId, TermStore};

/// Reads the commands of a text. Declarations take effect for the commands
/// that follow; an error concerns one command, and reading can go on.
pub struct Reader<'a> {
    text: &'a str,
    expressions: Expressions<'a>,
    context: Context,
    at: usize,
}

impl<'a> Reader<'a> {
    /// From the beginning of the text, without any names.
    pub fn new(text: &'a str) -> Self {
        Reader::with_context(text, Context::new())
    }

    /// From the beginning of the text, with the names of an earlier one.
    pub fn with_context(text: &'a str, context: Context) -> Self {
        Reader { text, expressions: Expressions::new(text), context, at: 0 }
    }

    /// The names that are known now.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The names that are known now, to keep for another text.
    pub fn into_context(self) -> Context {
        self.context
    }

    /// The next command; `None` at the end of the text.
    pub fn next_command(&mut self, store: &mut TermStore) -> Option<Result<Command, Error>> {
        let expression = match self.expressions.next_expression()? {
            Ok(expression) => expression,
            Err(error) => return Some(Err(error)),
        };
        self.at = expression.node(0).start;
        Some(read_command(store, &mut self.context, &expression))
    }

    /// Where the command that was read last begins, in bytes.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// An error at the command that was read last.
    pub fn error(&self, message: impl Into<String>) -> Error {
        error_at(self.text, self.at, message)
    }
}

/// Reads a single term over the names of the context.
pub fn read_term(
    store: &mut TermStore,
    context: &mut Context,
    text: &str,
) -> Result<TermId, Error> {
    let mut expressions = Expressions::new(text);
    let Some(expression) = expressions.next_expression() else {
        return Err(error_at(text, 0, "expected a term"));
    };
    let expression = expression?;
    let term = Elaborator::new(store, context, &expression).term(0)?;
    match expressions.next_expression() {
        None => Ok(term),
        Some(Ok(more)) => more.error(0, "expected the end of the text"),
        Some(Err(error)) => Err(error),
    }
}

// Long: a table of the commands, a row each.
fn read_command(
    store: &mut TermStore,
    context: &mut Context,
    e: &Expression<'_>,
) -> Result<Command, Error> {
    let elements = e.elements(0);
    let Some(name) = elements.first().and_then(|&n| e.symbol(n)) else {
        return e.error(0, "expected a command");
    };
    let args = &elements[1..];
    let mut c = CommandReader { store, context, e, name, args };
    match name {
        "set-logic" => Ok(Command::SetLogic(c.symbol_at(0)?.to_owned())),
        "set-option" => {
            let (keyword, value) = c.attribute()?;
            if keyword == ":global-declarations" {
                c.context.global_declarations = value == "true";
            }
            Ok(Command::SetOption { keyword, value })
        }
        "set-info" => {
            let (keyword, value) = c.attribute()?;
            Ok(Command::SetInfo { keyword, value })
        }
        "declare-sort" => c.declare_sort(),
        "define-sort" => c.define_sort(),
        "declare-fun" | "declare-const" | "declare-rel" | "declare-var" => c.declare(),
        "define-fun" | "define-const" => c.define(),
        "assert" => c.assert(),
        "rule" => c.formula_at(0).map(Command::Rule),
        "query" => c.formula_at(0).map(Command::Query),
        "check-sat" => c.none(Command::CheckSat),
        "check-sat-assuming" => {
            let assumptions = c.terms(|e, node| e.formula(node))?;
            Ok(Command::CheckSatAssuming(assumptions))
        }
        "push" => {
            let n = c.count()?;
            c.context.push(n);
            Ok(Command::Push(n))
        }
        "pop" => {
            let n = c.count()?;
            match c.context.pop(n) {
                Ok(()) => Ok(Command::Pop(n)),
                Err(message) => e.error(0, message),
            }
        }
        "get-model" => c.none(Command::GetModel),
        "get-value" => {
            let terms = c.terms(|e, node| e.term(node))?;
            if terms.is_empty() {
                e.error(0, "expected terms")
            } else {
                Ok(Command::GetValue(terms))
            }
        }
        "get-assignment" => c.none(Command::GetAssignment),
        "get-assertions" => c.none(Command::GetAssertions),
        "get-unsat-core" => c.none(Command::GetUnsatCore),
        "get-unsat-assumptions" => c.none(Command::GetUnsatAssumptions),
        "get-proof" => c.none(Command::GetProof),
        "get-interpolants" => c.partitions().map(Command::GetInterpolants),
        "get-info" => Ok(Command::GetInfo(c.keyword_at(0)?.to_owned())),
        "get-option" => Ok(Command::GetOption(c.keyword_at(0)?.to_owned())),
        "echo" => match args {
            [text] if e.kind(*text) == Kind::String => {
                Ok(Command::Echo(e.atom(*text).replace("\"\"", "\"")))
            }
            _ => e.error(0, "echo takes a string"),
        },
        "reset" => {
            c.context.reset();
            Ok(Command::Reset)
        }
        "reset-assertions" => {
            c.context.reset_assertions();
            Ok(Command::ResetAssertions)
        }
        "exit" => Ok(Command::Exit),
        _ => Ok(Command::Unsupported(name.to_owned())),
    }
}

struct CommandReader<'c, 'a> {
    store: &'c mut TermStore,
    context: &'c mut Context,
    e: &'c Expression<'a>,
    name: &'a str,
    args: &'c [NodeIndex],
}

impl<'a> CommandReader<'_, 'a> {
    fn arg(&self, index: usize) -> Result<NodeIndex, Error> {
        match self.args.get(index) {
            Some(&node) => Ok(node),
            None => self.e.error(0, format!("{} needs more arguments", self.name)),
        }
    }

    fn none(&self, command: Command) -> Result<Command, Error> {
        match self.args.first() {
            None => Ok(command),
            Some(&extra) => self.e.error(extra, format!("{} takes no arguments", self.name)),
        }
    }

    fn symbol_at(&self, index: usize) -> Result<&'a str, Error> {
        let node = self.arg(index)?;
        match self.e.symbol(node) {
            Some(symbol) => Ok(symbol),
            None => self.e.error(node, "expected a name"),
        }
    }

    fn keyword_at(&self, index: usize) -> Result<&'a str, Error> {
        let node = self.arg(index)?;
        if self.e.kind(node) == Kind::Keyword {
            Ok(self.e.atom(node))
        } else {
            self.e.error(node, "expected a keyword")
        }
    }

    fn attribute(&self) -> Result<(String, String), Error> {
        let keyword = self.keyword_at(0)?.to_owned();
        let value = match self.args.get(1) {
            Some(&node) if self.e.kind(node) == Kind::String => {
                self.e.atom(node).replace("\"\"", "\"")
            }
            Some(&node) if self.e.symbol(node).is_some() => self.e.atom(node).to_owned(),
            Some(&node) => self.e.source(node).to_owned(),
            None => String::new(),
        };
        Ok((keyword, value))
    }

    fn count(&self) -> Result<u32, Error> {
        match self.args {
            [] => Ok(1),
            [n] if self.e.kind(*n) == Kind::Numeral => match self.e.atom(*n).parse::<u32>() {
                Ok(value) if value <= 1_000_000 => Ok(value),
                _ => self.e.error(*n, "too many scopes"),
            },
            _ => self.e.error(0, format!("{} takes a numeral", self.name)),
        }
    }

    // ---- declarations ----

    fn declare_sort(&mut self) -> Result<Command, Error> {
        let name = self.symbol_at(0)?;
        let arity = match self.args.get(1) {
            None => 0,
            Some(&node) => match self.e.atom(node).parse::<u32>() {
                Ok(arity) if self.e.kind(node) == Kind::Numeral => arity,
                _ => return self.e.error(node, "expected a numeral"),
            },
        };
        let noted = self.context.declare_sort(name, arity);
        self.noted(0, noted)?;
        Ok(Command::Sort { name: name.to_owned() })
    }

    fn noted<T>(&self, index: usize, result: Result<T, String>) -> Result<T, Error> {
        match result {
            Ok(value) => Ok(value),
            Err(message) => {
                let node = self.arg(index)?;
                self.e.error(node, message)
            }
        }
    }

    fn define_sort(&mut self) -> Result<Command, Error> {
        let name = self.symbol_at(0)?;
        let (list, body) = (self.arg(1)?, self.arg(2)?);
        let mut parameters = Vec::new();
        for node in self.e.children(list) {
            match self.e.symbol(node) {
                Some(parameter) => parameters.push(parameter.to_owned()),
                None => return self.e.error(node, "expected a name"),
            }
        }
        // Without parameters the body can be checked at once.
        if parameters.is_empty() {
            self.context.sort(self.store, self.e, body)?;
        }
        let result = self.context.define_sort_macro(name, parameters, self.e.source(body));
        self.noted(0, result)?;
        Ok(Command::Sort { name: name.to_owned() })
    }

    fn declare(&mut self) -> Result<Command, Error> {
        let name = self.symbol_at(0)?;
        if is_theory_symbol(name) {
            return self.e.error(self.args[0], format!("{name} belongs to a theory"));
        }
        let mut arguments = Vec::new();
        let mut result = SortId::BOOL;
        if matches!(self.name, "declare-fun" | "declare-rel") {
            let list = self.arg(1)?;
            if !self.e.is_list(list) {
                return self.e.error(list, "expected a list of sorts");
            }
            for node in self.e.elements(list) {
                arguments.push(self.context.sort(self.store, self.e, node)?);
            }
        }
        if self.name != "declare-rel" {
            let node = self.arg(if self.name == "declare-fun" { 2 } else { 1 })?;
            result = self.context.sort(self.store, self.e, node)?;
        }
        let declared = self.context.declare(self.store, name, &arguments, result);
        let function = self.noted(0, declared)?;
        if self.name == "declare-var" {
            return Ok(Command::DeclareVariable(function));
        }
        Ok(Command::Declare(function))
    }

    fn define(&mut self) -> Result<Command, Error> {
        let name = self.symbol_at(0)?;
        if is_theory_symbol(name) {
            return self.e.error(self.args[0], format!("{name} belongs to a theory"));
        }
        let constant = self.name == "define-const";
        let (sort, body) =
            if constant { (self.arg(1)?, self.arg(2)?) } else { (self.arg(2)?, self.arg(3)?) };
        let list = self.arg(1)?;
        let mut elaborator = Elaborator::new(self.store, self.context, self.e);
        let mut parameters = Vec::new();
        if !constant {
            for (i, (name, sort)) in elaborator.sorted_variables(list)?.into_iter().enumerate() {
                let parameter = elaborator.parameter(i as u32, sort);
                elaborator.bind(name, parameter);
                parameters.push(parameter);
            }
        }
        let sort = elaborator.context.sort(elaborator.store, self.e, sort)?;
        let term = elaborator.term(body)?;
        let term = coerce(self.store, term, sort);
        if self.store.sort(term) != sort {
            return self.e.error(body, "the body is not of the declared sort");
        }
        let noted = self.context.define(name, Symbol::Macro { parameters, body: term });
        self.noted(0, noted)?;
        Ok(Command::Define { name: name.to_owned() })
    }

    // ---- terms ----

    fn formula_at(&mut self, index: usize) -> Result<TermId, Error> {
        let node = self.arg(index)?;
        if let Some(&extra) = self.args.get(index + 1)
            && self.name == "assert"
        {
            return self.e.error(extra, "assert takes one formula");
        }
        Elaborator::new(self.store, self.context, self.e).formula(node)
    }

    fn assert(&mut self) -> Result<Command, Error> {
        let node = self.arg(0)?;
        let elements = self.e.elements(node);
        let name = match elements.first() {
            Some(&head) if self.e.is_word(head, "!") => named(self.e, &elements)?,
            _ => None,
        };
        let name = name.map(|(_, name)| name.to_owned());
        let formula = self.formula_at(0)?;
        Ok(Command::Assert { formula, name })
    }

    /// `(term ..)`, with the text of each.
    fn terms(
        &mut self,
        read: fn(&mut Elaborator<'_, 'a>, NodeIndex) -> Result<TermId, Error>,
    ) -> Result<Vec<(TermId, String)>, Error> {
        let list = self.arg(0)?;
        if !self.e.is_list(list) {
            return self.e.error(list, "expected a list of terms");
        }
        let mut result = Vec::new();
        for node in self.e.elements(list) {
            let term = read(&mut Elaborator::new(self.store, self.context, self.e), node)?;
            result.push((term, self.e.source(node).to_owned()));
        }
        Ok(result)
    }

    /// The arguments of `get-interpolants`: names, `(and A B)` for several in
    /// one partition, other parentheses for a subtree beside what precedes it.
    fn partitions(&mut self) -> Result<Partitions, Error> {
        let mut result = Partitions::default();
        // The roots of finished subtrees that wait for a parent, one list for
        // each open parenthesis.
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new()];
        enum Step {
            Node(NodeIndex),
            Close(NodeIndex),
        }
        let mut steps: Vec<Step> = self.args.iter().rev().map(|&n| Step::Node(n)).collect();
        while let Some(step) = steps.pop() {
            match step {
                Step::Close(node) => {
                    let inner = waiting.pop().expect("an open subtree");
                    let &[root] = inner.as_slice() else {
                        return self.e.error(node, "a subtree must end with its root");
                    };
                    waiting.last_mut().expect("an outer list").push(root);
                }
                Step::Node(node) => {
                    let is_group = self
                        .e
                        .children(node)
                        .next()
                        .is_some_and(|head| self.e.is_word(head, "and"));
                    if self.e.is_list(node) && !is_group {
                        steps.push(Step::Close(node));
                        steps.extend(self.e.elements(node).into_iter().rev().map(Step::Node));
                        waiting.push(Vec::new());
                        continue;
                    }
                    let members =
                        if is_group { self.e.elements(node)[1..].to_vec() } else { vec![node] };
                    let mut names = Vec::new();
                    for member in members {
                        match self.e.symbol(member) {
                            Some(name) => names.push(name.to_owned()),
                            None => return self.e.error(member, "expected a name"),
                        }
                    }
                    let index = result.groups.len();
                    result.groups.push(names);
                    result.parents.push(index);
                    let children = waiting.last_mut().expect("an open list");
                    for child in children.drain(..) {
                        result.parents[child] = index;
                    }
                    children.push(index);
                }
            }
        }
        if waiting[0].len() != 1 {
            return self.e.error(0, "the last argument must be the root of the tree");
        }
        if result.groups.len() < 2 {
            return self.e.error(0, "at least two partitions are needed");
        }
        Ok(result)
    }
}

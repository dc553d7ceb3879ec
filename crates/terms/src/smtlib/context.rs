//! What the names in a script stand for: sorts, functions, macros, scopes.

use super::floats;
use super::sexpr::{Error, Expression, Kind, NodeIndex, quote_symbol};
use crate::{Function, FunctionId, Sort, SortId, TermId, TermStore};
use bolide_base::HashMap;

/// Sorts nest at most so deep.
const SORT_DEPTH: u32 = 500;

/// What a name of a term stands for.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A declared function or constant.
    Function(FunctionId),
    /// A defined function: parameters (placeholder terms) and body.
    Macro {
        /// Placeholders in the body.
        parameters: Vec<TermId>,
        /// What it stands for.
        body: TermId,
    },
}

#[derive(Clone, Debug)]
enum SortSymbol {
    /// Declared with that many parameters.
    Declared(u32),
    /// Defined: parameters, and the text of the body.
    Defined(Vec<String>, String),
}

enum Undo {
    Symbol(String),
    Sort(String),
}

/// The names of a script. Names that are declared or defined after a `push`
/// are forgotten by the `pop` that belongs to it.
#[derive(Default)]
pub struct Context {
    symbols: HashMap<String, Symbol>,
    sorts: HashMap<String, SortSymbol>,
    undo: Vec<Undo>,
    scopes: Vec<usize>,
    /// Declared functions in the order of declaration.
    declared: Vec<FunctionId>,
    /// Of those declared with sorts that the kernel does not have: how.
    signatures: HashMap<FunctionId, Function>,
    /// `:global-declarations`: names survive `pop`.
    pub global_declarations: bool,
}

impl Context {
    /// Without any names.
    pub fn new() -> Self {
        Context::default()
    }

    /// What the name stands for.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.get(name)
    }

    /// The declared functions that are in scope, in the order of declaration.
    pub fn declared(&self) -> &[FunctionId] {
        &self.declared
    }

    /// The function with the sorts of its declaration.
    pub fn signature<'s>(&'s self, store: &'s TermStore, function: FunctionId) -> &'s Function {
        self.signatures.get(&function).unwrap_or_else(|| store.function(function))
    }

    /// Declares a function or constant; an error when the name has a meaning.
    pub(super) fn declare(
        &mut self,
        store: &mut TermStore,
        name: &str,
        arguments: &[SortId],
        result: SortId,
    ) -> Result<FunctionId, String> {
        if arguments.iter().any(|&sort| !floats::is_told_apart(store, sort)) {
            return Err("functions of arrays of floats are not supported".to_owned());
        }
        let bare: Vec<SortId> = arguments.iter().map(|&s| floats::bare_sort(store, s)).collect();
        let bare_result = floats::bare_sort(store, result);
        let function = store.declare_fn(name, &bare, bare_result);
        self.define(name, Symbol::Function(function))?;
        let name = store.function(function).name;
        let signature = Function { name, arguments: arguments.into(), result };
        // The same function of the kernel may have been declared otherwise in a scope that is closed.
        self.signatures.insert(function, signature);
        Ok(function)
    }

    /// Gives the name a meaning; an error when it has one.
    pub fn define(&mut self, name: &str, symbol: Symbol) -> Result<(), String> {
        if self.symbols.contains_key(name) {
            return Err(format!("{name} is declared already"));
        }
        if let Symbol::Function(function) = symbol {
            self.declared.push(function);
        }
        self.symbols.insert(name.to_owned(), symbol);
        self.undo.push(Undo::Symbol(name.to_owned()));
        Ok(())
    }

    fn define_sort(&mut self, name: &str, sort: SortSymbol) -> Result<(), String> {
        let builtin =
            matches!(name, "Bool" | "Int" | "Real" | "Array" | "BitVec" | "FloatingPoint");
        if builtin || floats::is_sort_name(name) || self.sorts.contains_key(name) {
            return Err(format!("the sort {name} is declared already"));
        }
        self.sorts.insert(name.to_owned(), sort);
        self.undo.push(Undo::Sort(name.to_owned()));
        Ok(())
    }

    /// `(declare-sort name arity)`.
    pub fn declare_sort(&mut self, name: &str, arity: u32) -> Result<(), String> {
        self.define_sort(name, SortSymbol::Declared(arity))
    }

    /// `(define-sort name (parameters) body)`.
    pub fn define_sort_macro(
        &mut self,
        name: &str,
        parameters: Vec<String>,
        body: &str,
    ) -> Result<(), String> {
        self.define_sort(name, SortSymbol::Defined(parameters, body.to_owned()))
    }

    /// Opens `n` scopes.
    pub fn push(&mut self, n: u32) {
        for _ in 0..n {
            self.scopes.push(self.undo.len());
        }
    }

    /// Closes `n` scopes; an error when there are fewer.
    pub fn pop(&mut self, n: u32) -> Result<(), String> {
        let n = n as usize;
        if n > self.scopes.len() {
            return Err(format!("pop {n} with {} scopes open", self.scopes.len()));
        }
        let Some(&keep) = self.scopes.get(self.scopes.len() - n) else { return Ok(()) };
        self.scopes.truncate(self.scopes.len() - n);
        if self.global_declarations {
            return Ok(());
        }
        for undo in self.undo.drain(keep..).rev() {
            match undo {
                Undo::Symbol(name) => {
                    if let Some(Symbol::Function(_)) = self.symbols.remove(&name) {
                        self.declared.pop();
                    }
                }
                Undo::Sort(name) => {
                    self.sorts.remove(&name);
                }
            }
        }
        Ok(())
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        *self = Context::new();
    }

    /// `reset-assertions`: closes all scopes, and forgets all names unless
    /// declarations are global.
    pub fn reset_assertions(&mut self) {
        let global = self.global_declarations;
        if global {
            self.scopes.clear();
        } else {
            self.reset();
        }
    }

    /// The sort that an expression denotes.
    pub fn sort(
        &self,
        store: &mut TermStore,
        e: &Expression<'_>,
        at: NodeIndex,
    ) -> Result<SortId, Error> {
        self.sort_inside(store, e, at, &HashMap::default(), 0)
    }

    fn sort_inside(
        &self,
        store: &mut TermStore,
        e: &Expression<'_>,
        at: NodeIndex,
        parameters: &HashMap<String, SortId>,
        depth: u32,
    ) -> Result<SortId, Error> {
        if depth > SORT_DEPTH {
            return e.error(at, "sorts nest too deeply");
        }
        if let Some(name) = e.symbol(at) {
            if let Some(&sort) = parameters.get(name) {
                return Ok(sort);
            }
            return self.apply_sort(store, e, at, name, &[], depth);
        }
        if !e.is_list(at) {
            return e.error(at, "expected a sort");
        }
        let elements = e.elements(at);
        let Some(&head) = elements.first() else {
            return e.error(at, "expected a sort");
        };
        if e.is_word(head, "_") {
            if let [_, name, width] = elements.as_slice()
                && e.is_word(*name, "BitVec")
                && e.kind(*width) == Kind::Numeral
            {
                return match e.atom(*width).parse::<u32>() {
                    Ok(width) if (1..=1 << 24).contains(&width) => Ok(store.mk_bv_sort(width)),
                    _ => e.error(*width, "a bit-vector is 1 to 2^24 bits wide"),
                };
            }
            if let [_, name, exponent, significand] = elements.as_slice()
                && e.is_word(*name, "FloatingPoint")
                && let (Ok(eb), Ok(sb)) = (e.atom(*exponent).parse(), e.atom(*significand).parse())
            {
                return floats::float_sort(store, eb, sb).or_else(|message| e.error(at, message));
            }
            return e.error(at, format!("the sort {} is not known", e.source(at)));
        }
        let Some(name) = e.symbol(head) else {
            return e.error(head, "expected the name of a sort");
        };
        let mut arguments = Vec::with_capacity(elements.len() - 1);
        for &element in &elements[1..] {
            arguments.push(self.sort_inside(store, e, element, parameters, depth + 1)?);
        }
        self.apply_sort(store, e, at, name, &arguments, depth)
    }

    fn apply_sort(
        &self,
        store: &mut TermStore,
        e: &Expression<'_>,
        at: NodeIndex,
        name: &str,
        arguments: &[SortId],
        depth: u32,
    ) -> Result<SortId, Error> {
        match (name, arguments) {
            ("Bool", []) => return Ok(SortId::BOOL),
            ("Int", []) => return Ok(SortId::INT),
            ("Real", []) => return Ok(SortId::REAL),
            ("Array", &[index, element]) => {
                return Ok(store.mk_sort(Sort::Array(index, element)));
            }
            (_, []) => {
                if let Some(sort) = floats::named_sort(store, name) {
                    return Ok(sort);
                }
            }
            _ => {}
        }
        match self.sorts.get(name) {
            Some(SortSymbol::Declared(arity)) if *arity as usize == arguments.len() => {
                if arguments.is_empty() {
                    return Ok(store.mk_uninterpreted_sort(name));
                }
                let mut text = format!("({}", quote_symbol(name));
                for &argument in arguments {
                    text.push(' ');
                    text.push_str(&store.sort_text(argument));
                }
                text.push(')');
                Ok(store.mk_uninterpreted_sort(&text))
            }
            Some(SortSymbol::Defined(names, body)) if names.len() == arguments.len() => {
                let parameters: HashMap<String, SortId> =
                    names.iter().cloned().zip(arguments.iter().copied()).collect();
                let mut reader = super::sexpr::Expressions::new(body);
                match reader.next_expression() {
                    Some(Ok(inner)) => self
                        .sort_inside(store, &inner, 0, &parameters, depth + 1)
                        .or_else(|error| {
                            e.error(at, format!("in the definition of {name}: {}", error.message))
                        }),
                    _ => e.error(at, format!("the definition of {name} is broken")),
                }
            }
            Some(_) => e.error(at, format!("wrong number of parameters for the sort {name}")),
            None => e.error(at, format!("the sort {name} is not declared")),
        }
    }
}

//! Printing terms, sorts, values and models as SMT-LIB.
//!
//! A term is a graph; written out as a tree it can be exponentially larger.
//! Every compound subterm that occurs more than once is
//! bound by a `let`, those that do not depend on each other side by side, so
//! that the text is linear in the graph. A subterm with variables of a
//! quantifier is bound right below the innermost quantifier it depends on.

use super::context::Context;
use super::floats::pattern_text;
use super::operators::operator_name;
use super::sexpr::quote_symbol;
use crate::model::{FunctionValue, Model, Value};
use crate::{Function, FunctionId, Op, Sort, SortId, TermId, TermStore};
use bolide_base::{HashMap, Rational};
use std::borrow::Cow;
use std::fmt::Write;

/// The number as SMT-LIB writes it for the sort.
pub fn number_text(value: &Rational, sort: SortId) -> String {
    let point = if sort == SortId::REAL { ".0" } else { "" };
    let magnitude = value.abs();
    let text = if magnitude.is_integer() {
        format!("{magnitude}{point}")
    } else {
        format!("(/ {}.0 {}.0)", magnitude.numerator(), magnitude.denominator())
    };
    if value.is_negative() { format!("(- {text})") } else { text }
}

/// The bit-vector in hexadecimal digits where the width allows it, else binary.
pub fn bv_text(value: &bolide_base::Integer, width: u32) -> String {
    let (prefix, step) = if width.is_multiple_of(4) { ("#x", 4) } else { ("#b", 1) };
    let mut text = String::from(prefix);
    for digit in (0..width / step).rev() {
        let bits = (0..step).fold(0, |n, i| n | u32::from(value.bit(digit * step + i)) << i);
        text.push(char::from_digit(bits, 16).expect("a digit"));
    }
    text
}

impl TermStore {
    /// The sort in SMT-LIB.
    pub fn sort_text(&self, sort: SortId) -> String {
        // Recursion is as deep as the sort.
        match self.sort_kind(sort) {
            Sort::Bool => "Bool".to_owned(),
            Sort::Int => "Int".to_owned(),
            Sort::Real => "Real".to_owned(),
            Sort::BitVec(width) => format!("(_ BitVec {width})"),
            Sort::Array(index, element) => {
                format!("(Array {} {})", self.sort_text(index), self.sort_text(element))
            }
            // Applied sort constructors carry their text as name.
            Sort::Uninterpreted(name) if self.name(name).starts_with('(') => {
                self.name(name).to_owned()
            }
            Sort::Uninterpreted(name) => quote_symbol(self.name(name)),
        }
    }

    /// The term in SMT-LIB, with `let` for what is shared.
    pub fn smtlib(&self, term: TermId) -> String {
        Printer::new(self, term, None).print(term)
    }

    /// The same with the sorts of a script: the kernel's symbol for a float is the pattern of it.
    /// None where functions or arrays of floats occur, whose patterns have no name.
    pub fn smtlib_in(&self, term: TermId, context: &Context) -> Option<String> {
        let nameable = self.subterms(&[term]).iter().all(|&t| match self.op(t) {
            Op::Apply(function) => {
                let (declared, signature) =
                    (self.function(function), context.signature(self, function));
                let constant = signature.arguments.is_empty();
                declared == signature || constant && self.array_sorts(declared.result).is_none()
            }
            _ => true,
        });
        nameable.then(|| Printer::new(self, term, Some(context)).print(term))
    }

    /// The declaration of a function or constant.
    pub fn declaration_text(&self, function: FunctionId) -> String {
        let declaration = self.function(function);
        let arguments: Vec<String> =
            declaration.arguments.iter().map(|&s| self.sort_text(s)).collect();
        format!(
            "(declare-fun {} ({}) {})",
            quote_symbol(self.function_name(function)),
            arguments.join(" "),
            self.sort_text(declaration.result)
        )
    }

    /// A value in SMT-LIB.
    pub fn value_text(&self, value: &Value) -> String {
        match value {
            Value::Bool(b) => b.to_string(),
            Value::Int(n) => number_text(&Rational::from(n), SortId::INT),
            Value::Real(r) => number_text(r, SortId::REAL),
            Value::Algebraic(number) => number.to_string(),
            Value::BitVec(n, width) => bv_text(n, *width),
            Value::Element { sort, index } => {
                let sort = self.sort_text(*sort);
                let name = quote_symbol(&format!("@{sort}!{index}"));
                format!("(as {name} {sort})")
            }
            Value::Array(array) => self.value_text_as(value, array.sort),
        }
    }

    /// The definition of a function in a model, with the sorts of its declaration.
    fn definition_text(&self, declaration: &Function, value: &FunctionValue) -> String {
        let parameters: Vec<String> = declaration
            .arguments
            .iter()
            .enumerate()
            .map(|(i, &sort)| format!("(x!{i} {})", self.sort_text(sort)))
            .collect();
        let mut body = String::new();
        let mut closing = 0;
        for (args, result) in &value.entries {
            if declaration.arguments.is_empty() {
                break;
            }
            let tests: Vec<String> = args
                .iter()
                .zip(&declaration.arguments)
                .enumerate()
                .map(|(i, (a, &sort))| format!("(= x!{i} {})", self.value_text_as(a, sort)))
                .collect();
            let test = if let [single] = tests.as_slice() {
                single.clone()
            } else {
                format!("(and {})", tests.join(" "))
            };
            let result = self.value_text_as(result, declaration.result);
            let _ = write!(body, "(ite {test} {result} ");
            closing += 1;
        }
        body.push_str(&self.value_text_as(&value.default, declaration.result));
        body.push_str(&")".repeat(closing));
        format!(
            "(define-fun {} ({}) {} {body})",
            quote_symbol(self.name(declaration.name)),
            parameters.join(" "),
            self.sort_text(declaration.result)
        )
    }

    /// The model for the symbols of a script, as `get-model` answers it.
    pub fn model_text(&self, model: &Model, context: &Context) -> String {
        let mut text = String::from("(\n");
        for &function in context.declared() {
            let value = match model.function(function) {
                Some(value) => value.clone(),
                None => FunctionValue::constant(self.default_value(self.function(function).result)),
            };
            let _ = writeln!(
                text,
                "  {}",
                self.definition_text(context.signature(self, function), &value)
            );
        }
        text.push(')');
        text
    }
}

enum Item {
    Term(TermId),
    /// The term itself, even where it has a name.
    Definition(TermId),
    Text(Cow<'static, str>),
}

struct Printer<'a> {
    store: &'a TermStore,
    /// The script that declares the symbols.
    context: Option<&'a Context>,
    /// Names of the terms that are bound by `let`.
    names: HashMap<TermId, String>,
    /// One more than the level of any named subterm; names of one level and
    /// scope are bound side by side.
    levels: HashMap<TermId, u32>,
    /// The innermost bound variable on which a term depends, if any.
    innermost: HashMap<TermId, u32>,
    bound_prefix: String,
}

impl<'a> Printer<'a> {
    fn new(store: &'a TermStore, root: TermId, context: Option<&'a Context>) -> Self {
        let (names, levels, innermost) = Default::default();
        let mut printer =
            Printer { store, context, names, levels, innermost, bound_prefix: String::new() };
        let order = store.subterms(&[root]);
        if order.iter().any(|&t| matches!(store.op(t), Op::Bound(_))) {
            printer.bound_prefix = printer.unused_prefix("v!");
            printer.find_innermost(&order);
        }
        printer.choose_names(root, &order);
        printer
    }

    /// A prefix with which no declared name begins.
    fn unused_prefix(&self, wish: &str) -> String {
        let mut prefix = wish.to_owned();
        while self.store.has_name_with_prefix(&prefix) {
            prefix.push('!');
        }
        prefix
    }

    fn find_innermost(&mut self, order: &[TermId]) {
        let mut loose: HashMap<TermId, Vec<u32>> = HashMap::default();
        for &term in order {
            let mut set: Vec<u32> = Vec::new();
            if let Op::Bound(index) = self.store.op(term) {
                set.push(index);
            }
            for arg in self.store.args(term) {
                set.extend_from_slice(loose.get(arg).map_or(&[], Vec::as_slice));
            }
            if let Some((bound, _)) = self.store.quantifier_parts(term) {
                let own = bound.iter().map(|&b| self.store.op(b));
                set.retain(|&i| !own.clone().any(|op| op == Op::Bound(i)));
            }
            set.sort_unstable();
            set.dedup();
            if let Some(&first) = set.first() {
                self.innermost.insert(term, first);
                loose.insert(term, set);
            }
        }
    }

    fn choose_names(&mut self, root: TermId, order: &[TermId]) {
        let mut uses: HashMap<TermId, u32> = HashMap::default();
        for &term in order {
            for &arg in self.store.args(term) {
                *uses.entry(arg).or_default() += 1;
            }
        }
        let mut prefix = None;
        for &term in order {
            let level = self
                .store
                .args(term)
                .iter()
                .map(|a| self.levels[a] + u32::from(self.names.contains_key(a)))
                .max()
                .unwrap_or(0);
            self.levels.insert(term, level);
            let compound = !self.store.args(term).is_empty();
            if compound && term != root && uses.get(&term).is_some_and(|&n| n > 1) {
                let prefix = prefix.get_or_insert_with(|| self.unused_prefix("s!"));
                let name = format!("{prefix}{}", self.names.len());
                self.names.insert(term, name);
            }
        }
    }

    /// Opens `let`s for the named subterms of `body` that belong to the scope;
    /// returns how many parentheses they leave open.
    fn lets(&self, body: TermId, scope: &[u32]) -> (Vec<Item>, usize) {
        let mut named: Vec<(u32, TermId)> = self
            .names
            .keys()
            .filter(|t| match self.innermost.get(t) {
                Some(index) => scope.contains(index),
                None => scope.is_empty(),
            })
            .map(|&t| (self.levels[&t], t))
            .collect();
        if !scope.is_empty() && !named.is_empty() {
            let inside = self.store.subterms(&[body]);
            named.retain(|(_, t)| inside.binary_search(t).is_ok());
        }
        named.sort_unstable();
        let mut items = Vec::new();
        let mut open = 0;
        for group in named.chunk_by(|a, b| a.0 == b.0) {
            items.push(Item::Text("(let (".into()));
            for (i, &(_, term)) in group.iter().enumerate() {
                let separator = if i == 0 { "" } else { " " };
                items.push(Item::Text(format!("{separator}({} ", self.names[&term]).into()));
                items.push(Item::Definition(term));
                items.push(Item::Text(")".into()));
            }
            items.push(Item::Text(") ".into()));
            open += 1;
        }
        (items, open)
    }

    fn print(&self, root: TermId) -> String {
        let mut text = String::new();
        let (mut items, open) = self.lets(root, &[]);
        items.push(Item::Definition(root));
        items.push(Item::Text(")".repeat(open).into()));
        items.reverse();
        let mut stack = items;
        while let Some(item) = stack.pop() {
            let term = match item {
                Item::Text(t) => {
                    text.push_str(&t);
                    continue;
                }
                Item::Term(term) => match self.names.get(&term) {
                    Some(name) => {
                        text.push_str(name);
                        continue;
                    }
                    None => term,
                },
                Item::Definition(term) => term,
            };
            self.definition(term, &mut text, &mut stack);
        }
        text
    }

    fn definition(&self, term: TermId, text: &mut String, stack: &mut Vec<Item>) {
        let store = self.store;
        let args = store.args(term);
        match store.op(term) {
            Op::Number(n) => {
                return text.push_str(&number_text(store.number_value(n), store.sort(term)));
            }
            Op::BvNumber(n) => {
                let value = store.number_value(n).numerator();
                return text.push_str(&bv_text(&value, store.width(term)));
            }
            Op::Bound(index) => {
                let _ = write!(text, "{}{index}", self.bound_prefix);
                return;
            }
            Op::Forall | Op::Exists => return self.quantifier(term, text, stack),
            Op::Apply(function) if args.is_empty() => {
                let name = quote_symbol(store.function_name(function));
                let sort = self.context.map(|c| c.signature(store, function).result);
                return text.push_str(&match sort {
                    Some(sort) => pattern_text(store, name, sort),
                    None => name,
                });
            }
            _ => {}
        }
        let head = head_text(store, term);
        if args.is_empty() {
            return text.push_str(&head);
        }
        // These are binary in the standard, and associate to the left.
        let binary = matches!(
            store.op(term),
            Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul | Op::BvConcat
        );
        let times = if binary { args.len().saturating_sub(1).max(1) } else { 1 };
        text.push_str(&vec![format!("({head}"); times].join(" "));
        if times == 1 {
            stack.push(Item::Text(")".into()));
        }
        for (position, &arg) in args.iter().enumerate().rev() {
            if times > 1 && position > 0 {
                stack.push(Item::Text(")".into()));
            }
            stack.push(Item::Term(arg));
            stack.push(Item::Text(" ".into()));
        }
    }

    fn quantifier(&self, term: TermId, text: &mut String, stack: &mut Vec<Item>) {
        let (bound, body) = self.store.quantifier_parts(term).expect("a quantifier");
        text.push_str(if self.store.op(term) == Op::Forall { "(forall (" } else { "(exists (" });
        let mut scope = Vec::new();
        for (i, &b) in bound.iter().enumerate() {
            let Op::Bound(index) = self.store.op(b) else { unreachable!("a bound variable") };
            scope.push(index);
            let separator = if i == 0 { "" } else { " " };
            let sort = self.store.sort_text(self.store.sort(b));
            let _ = write!(text, "{separator}({}{index} {sort})", self.bound_prefix);
        }
        text.push_str(") ");
        let (items, open) = self.lets(body, &scope);
        stack.push(Item::Text(")".repeat(open + 1).into()));
        stack.push(Item::Term(body));
        stack.extend(items.into_iter().rev());
    }
}

/// What stands in front of the arguments.
fn head_text(store: &TermStore, term: TermId) -> String {
    match store.op(term) {
        Op::Apply(function) => quote_symbol(store.function_name(function)),
        Op::ConstArray => format!("(as const {})", store.sort_text(store.sort(term))),
        Op::BvExtract { low } => format!("(_ extract {} {low})", low + store.width(term) - 1),
        Op::BvSignExtend => {
            let added = store.width(term) - store.width(store.arg(term, 0));
            format!("(_ sign_extend {added})")
        }
        Op::IntToBv => format!("(_ int_to_bv {})", store.width(term)),
        op => operator_name(op).expect("the operator has a name").to_owned(),
    }
}

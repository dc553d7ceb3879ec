//! Annotations: contracts of functions in comments `/*@ ... */` and `//@ ...`.
//!
//! The style is ACSL's, extended by what data structures need: reachability
//! along a field, sets of objects, comprehensions.
//!
//! ```text
//! annotation := clause*
//! clause     := 'requires' e ';' | 'ensures' e ';' | 'assigns' ('\nothing' | names) ';'
//!             | 'predicate' name '(' names? ')' '=' e ';'
//!             | 'logic' name ('(' names? ')')? '=' e ';'
//!             | 'invariant' e ';' | 'field' name ':' e ';' | 'assert' e ';'
//! e          := e '<==>' e | e '==>' e | e '||' e | e '&&' e | '!' e
//!             | e ('==' '!=' '<=' '<' '>=' '>' '\in') e
//!             | e ('+' '-' '\union' '\inter' '\diff') e | '-' e
//!             | e '->' name | name '[' e ']' | name | name '(' es ')' | number | '(' e ')'
//!             | '\null' | '\true' | '\false' | '\result' | '\empty' | '\old' '(' e ')'
//!             | '\valid' '(' e ')' | ('\forall' | '\exists') 'integer'? names ';' e
//!             | '{' name '|' e '}' | '{' es '}'
//! ```
//!
//! `reach(f, x, y)`, `btwn(f, x, y, z)`, `acyclic(f)` and `sharing_free(f)` are calls whose first
//! argument is the name of a field; `tree(l, r)` and `reach(l, r, x, y)` begin with two. Comments that hold other tools' clauses
//! (loop invariants, ghost code) are skipped as a whole.

use bolide_base::{Diagnostic, Span};

/// An expression, without types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A variable or a parameterless definition.
    Name(String),
    /// A number.
    Int(i128),
    /// `\null`, `\true`, `\result` and so on, without the backslash.
    Word(String),
    /// A field of the object pointed to.
    Arrow(Box<Expr>, String),
    /// What an array holds at an index.
    Index(String, Box<Expr>),
    /// A definition, `reach`, `\old` and so on.
    Call(String, Vec<Expr>),
    /// An operator, as it is written.
    Unary(&'static str, Box<Expr>),
    /// An operator, as it is written.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// For all, or for some, objects.
    Quantified {
        /// `\forall`?
        all: bool,
        /// Indices of arrays, not objects?
        integers: bool,
        /// The names it binds.
        names: Vec<String>,
        /// What holds of them.
        body: Box<Expr>,
    },
    /// The set of objects with a property.
    Comprehension(String, Box<Expr>),
    /// The set of some objects.
    Set(Vec<Expr>),
}

/// A part of an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// Holds when the function is called.
    Requires(Expr, Span),
    /// Holds when it returns.
    Ensures(Expr, Span),
    /// The only fields and global variables that the function changes; empty for `\\nothing`.
    Assigns(Vec<String>, Span),
    /// Holds whenever a function with a contract is called and when it returns.
    Invariant(Expr, Span),
    /// The same, about what a field holds.
    Field(String, Expr, Span),
    /// Holds where it stands in the body of a function.
    Assert(Expr, Span),
    /// A named formula or set.
    Definition {
        /// Its name.
        name: String,
        /// Its parameters.
        parameters: Vec<String>,
        /// What it stands for.
        body: Expr,
    },
}

/// Parses what an annotation comment says; one that begins with a clause of other tools says nothing.
///
/// # Errors
/// What is wrong, at its place in the comment; also a clause of other tools behind others: half of a contract would be another one.
pub fn parse(text: &str, span: Span) -> Result<Vec<Clause>, Diagnostic> {
    let mut parser = Parser { tokens: tokens(text), at: 0, span, depth: 0 };
    let mut clauses = Vec::new();
    while let Some((token, _)) = parser.tokens.get(parser.at).cloned() {
        match token.as_str() {
            "requires" | "ensures" | "invariant" | "assert" => {
                parser.at += 1;
                let start = parser.place();
                let e = parser.expr(0)?;
                let start = parser.since(start);
                parser.expect(";")?;
                clauses.push(match token.as_str() {
                    "requires" => Clause::Requires(e, start),
                    "ensures" => Clause::Ensures(e, start),
                    "invariant" => Clause::Invariant(e, start),
                    _ => Clause::Assert(e, start),
                });
            }
            "field" => {
                parser.at += 1;
                let start = parser.place();
                let name = parser.name()?;
                parser.expect(":")?;
                let e = parser.expr(0)?;
                let start = parser.since(start);
                parser.expect(";")?;
                clauses.push(Clause::Field(name, e, start));
            }
            "predicate" | "logic" => {
                parser.at += 1;
                let name = parser.name()?;
                let mut parameters = Vec::new();
                if parser.eat("(") && !parser.eat(")") {
                    parameters = parser.names()?;
                    parser.expect(")")?;
                }
                parser.expect("=")?;
                let body = parser.expr(0)?;
                parser.expect(";")?;
                clauses.push(Clause::Definition { name, parameters, body });
            }
            "assigns" => {
                parser.at += 1;
                let (start, first) = (parser.place(), parser.at);
                while parser.tokens.get(parser.at).is_some_and(|(t, _)| t != ";") {
                    parser.at += 1;
                }
                // What other tools write (`*p`, `a[0 .. n]`) is a promise that nobody would check.
                let Some(names) = assigned(&parser.tokens[first..parser.at]) else {
                    parser.at = first;
                    return Err(parser.error("names of fields and variables"));
                };
                clauses.push(Clause::Assigns(names, start));
                parser.expect(";")?;
            }
            _ if clauses.is_empty() => return Ok(clauses),
            _ => return Err(parser.error("a clause")),
        }
    }
    Ok(clauses)
}

/// The names of an `assigns` clause, when it is a list of names.
fn assigned(tokens: &[(String, usize)]) -> Option<Vec<String>> {
    if let [(only, _)] = tokens
        && only == "\\nothing"
    {
        return Some(Vec::new());
    }
    let is_name = |t: &str| t.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let mut names = Vec::new();
    for (place, (token, _)) in tokens.iter().enumerate() {
        match place % 2 {
            0 if is_name(token) => names.push(token.clone()),
            1 if token == "," => {}
            _ => return None,
        }
    }
    (tokens.len() % 2 == 1).then_some(names)
}

/// Tokens with the number of the byte where each begins.
fn tokens(text: &str) -> Vec<(String, usize)> {
    const LONG: [&str; 9] = ["<==>", "==>", "->", "==", "!=", "<=", ">=", "&&", "||"];
    let bytes = text.as_bytes();
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        if bytes[at].is_ascii_whitespace() || bytes[at] == b'@' {
            at += 1;
            continue;
        }
        if text.is_char_boundary(at) && text[at..].starts_with("//") {
            while at < bytes.len() && bytes[at] != b'\n' {
                at += 1;
            }
            continue;
        }
        if word(bytes[at]) || bytes[at] == b'\\' {
            at += 1;
            while at < bytes.len() && word(bytes[at]) {
                at += 1;
            }
        } else if let Some(long) = LONG.iter().find(|l| bytes[at..].starts_with(l.as_bytes())) {
            at += long.len();
        } else {
            at += 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
        found.push((text[start..at].to_owned(), start));
    }
    found
}

struct Parser {
    tokens: Vec<(String, usize)>,
    at: usize,
    span: Span,
    depth: u32,
}

/// Binary operators from loose to tight.
const LEVELS: [&[&str]; 6] = [
    &["<==>"],
    &["==>"],
    &["||"],
    &["&&"],
    &["==", "!=", "<=", "<", ">=", ">", "\\in"],
    &["+", "-", "\\union", "\\inter", "\\diff"],
];

/// Nesting that is refused, to keep the stack bounded.
const DEPTH: u32 = 200;

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |(t, _)| t.as_str())
    }

    /// Where the next token stands (`/*@` or `//@` come before the text).
    fn place(&self) -> Span {
        let offset = self.tokens.get(self.at).map_or(0, |(_, at)| *at as u32 + 3);
        let start = (self.span.start + offset).min(self.span.end);
        Span { start, end: (start + self.peek().len() as u32).min(self.span.end) }
    }

    /// From there to the end of the last token that was read.
    fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let end = last.map_or(0, |(token, at)| (*at + token.len()) as u32 + 3);
        Span { end: (self.span.start + end).clamp(start.end, self.span.end), ..start }
    }

    fn error(&self, what: &str) -> Diagnostic {
        let found =
            if self.peek().is_empty() { "the end".into() } else { format!("`{}`", self.peek()) };
        Diagnostic::error(self.place(), format!("in an annotation: expected {what}, found {found}"))
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Diagnostic> {
        if self.eat(token) { Ok(()) } else { Err(self.error(&format!("`{token}`"))) }
    }

    fn name(&mut self) -> Result<String, Diagnostic> {
        let token = self.peek().to_owned();
        if token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            self.at += 1;
            Ok(token)
        } else {
            Err(self.error("a name"))
        }
    }

    fn names(&mut self) -> Result<Vec<String>, Diagnostic> {
        let mut names = vec![self.name()?];
        while self.eat(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }

    fn expr(&mut self, level: usize) -> Result<Expr, Diagnostic> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Diagnostic::error(self.place(), "an annotation that is nested too deeply"));
        }
        let result = self.binary(level);
        self.depth -= 1;
        result
    }

    fn binary(&mut self, level: usize) -> Result<Expr, Diagnostic> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(&op) = LEVELS[level].iter().find(|op| **op == self.peek()) {
            self.at += 1;
            // An implication takes all that follows.
            let right = if op == "==>" { self.expr(level)? } else { self.binary(level + 1)? };
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Diagnostic> {
        for op in ["!", "-"] {
            if self.eat(op) {
                self.depth += 1;
                if self.depth > DEPTH {
                    return Err(self.error("less nesting"));
                }
                let inner = self.unary()?;
                self.depth -= 1;
                return Ok(Expr::Unary(op, Box::new(inner)));
            }
        }
        let mut e = self.primary()?;
        while self.eat("->") {
            e = Expr::Arrow(Box::new(e), self.name()?);
        }
        Ok(e)
    }

    fn list(&mut self, end: &str) -> Result<Vec<Expr>, Diagnostic> {
        let mut all = Vec::new();
        if self.eat(end) {
            return Ok(all);
        }
        loop {
            all.push(self.expr(0)?);
            if !self.eat(",") {
                self.expect(end)?;
                return Ok(all);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.peek().to_owned();
        if self.eat("(") {
            let e = self.expr(0)?;
            self.expect(")")?;
            return Ok(e);
        }
        if self.eat("{") {
            let after = self.tokens.get(self.at + 1).map(|(t, _)| t.as_str());
            if after == Some("|") {
                let name = self.name()?;
                self.at += 1;
                let body = self.expr(0)?;
                self.expect("}")?;
                return Ok(Expr::Comprehension(name, Box::new(body)));
            }
            return Ok(Expr::Set(self.list("}")?));
        }
        if token == "\\forall" || token == "\\exists" {
            self.at += 1;
            let after = self.tokens.get(self.at + 1).map_or("", |(t, _)| t.as_str());
            let integers = self.peek() == "integer" && !matches!(after, "," | ";");
            self.at += usize::from(integers);
            let names = self.names()?;
            self.expect(";")?;
            let body = Box::new(self.expr(0)?);
            return Ok(Expr::Quantified { all: token == "\\forall", integers, names, body });
        }
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            let value = token.parse().map_err(|_| self.error("a number"))?;
            self.at += 1;
            return Ok(Expr::Int(value));
        }
        if let Some(word) = token.strip_prefix('\\') {
            self.at += 1;
            let word = word.to_owned();
            if self.eat("(") {
                return Ok(Expr::Call(word, self.list(")")?));
            }
            return Ok(Expr::Word(word));
        }
        let name = self.name().map_err(|_| self.error("an expression"))?;
        if self.eat("(") {
            return Ok(Expr::Call(name, self.list(")")?));
        }
        if self.eat("[") {
            let index = Box::new(self.expr(0)?);
            self.expect("]")?;
            return Ok(Expr::Index(name, index));
        }
        Ok(Expr::Name(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<Clause>, String> {
        parse(text, Span { start: 0, end: 1000 }).map_err(|d| d.message)
    }

    #[test]
    fn clauses_are_read() {
        let clauses = parsed(
            " requires acyclic(next); // why
              ensures \\forall x; x \\in C(\\result) <==> x \\in \\old(C(l)) \\union {y};
              assigns \\nothing;
              logic C(l) = { x | reach(next, l, x) && x != \\null };",
        )
        .unwrap();
        assert_eq!(clauses.len(), 4);
        assert!(matches!(&clauses[2], Clause::Assigns(names, _) if names.is_empty()));
        let Clause::Definition { name, parameters, .. } = &clauses[3] else { panic!() };
        assert_eq!((name.as_str(), parameters.len()), ("C", 1));
    }

    #[test]
    fn mistakes_have_words() {
        assert_eq!(
            parsed("requires x == ;").unwrap_err(),
            "in an annotation: expected an expression, found `;`"
        );
        assert_eq!(
            parsed("ensures (x").unwrap_err(),
            "in an annotation: expected `)`, found the end"
        );
        // Clauses of other tools are not ours to read.
        assert_eq!(parsed("loop invariant i <= n;").unwrap(), vec![]);
        // Behind our own they would be left out.
        assert_eq!(
            parsed("ensures x == 1; frees \\nothing;").unwrap_err(),
            "in an annotation: expected a clause, found `frees`"
        );
        assert!(parsed("ensures x == 1; assigns x->v;").is_err());
    }
}

//! S-expressions with positions.
//!
//! One expression lies flat in a vector in preorder, each node knowing where
//! its subtree ends; so neither reading nor dropping recurses, however deep
//! the parentheses nest.

use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A symbol, without the bars where it was quoted.
    Symbol,
    /// A symbol between bars: never a reserved word.
    QuotedSymbol,
    /// `:keyword`, with the colon.
    Keyword,
    /// Decimal digits.
    Numeral,
    /// Decimal digits with a point, or with a stroke between them.
    Decimal,
    /// Digits after `#x`.
    Hexadecimal,
    /// Digits after `#b`.
    Binary,
    /// A string, without the quotes, doubled quotes inside still doubled.
    String,
    /// A list in parentheses.
    List,
}

/// One node of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Offset of the first byte of its content (for lists, of the parenthesis).
    pub start: usize,
    /// Offset behind the last byte of its content.
    pub end: usize,
    /// Index behind the last node of its subtree.
    next: u32,
}

/// Index of a node in an [`Expression`].
pub type NodeIndex = u32;

/// One expression of a text; node 0 is the whole.
#[derive(Clone, Debug)]
pub struct Expression<'a> {
    /// The text that all offsets are about.
    pub text: &'a str,
    nodes: Vec<Node>,
}

impl<'a> Expression<'a> {
    /// The node.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }

    /// What the node is.
    pub fn kind(&self, index: NodeIndex) -> Kind {
        self.node(index).kind
    }

    /// The text of an atom.
    pub fn atom(&self, index: NodeIndex) -> &'a str {
        let node = self.node(index);
        &self.text[node.start..node.end]
    }

    /// The text of the whole node as it was written.
    pub fn source(&self, index: NodeIndex) -> &'a str {
        let node = self.node(index);
        match node.kind {
            Kind::QuotedSymbol | Kind::String => &self.text[node.start - 1..node.end + 1],
            Kind::Hexadecimal | Kind::Binary => &self.text[node.start - 2..node.end],
            _ => &self.text[node.start..node.end],
        }
    }

    /// The name, when the node is a symbol.
    pub fn symbol(&self, index: NodeIndex) -> Option<&'a str> {
        matches!(self.kind(index), Kind::Symbol | Kind::QuotedSymbol).then(|| self.atom(index))
    }

    /// Whether the node is the unquoted symbol.
    pub fn is_word(&self, index: NodeIndex, word: &str) -> bool {
        self.kind(index) == Kind::Symbol && self.atom(index) == word
    }

    /// Whether the node is a list.
    pub fn is_list(&self, index: NodeIndex) -> bool {
        self.kind(index) == Kind::List
    }

    /// The elements of a list; of an atom, nothing.
    pub fn children(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let end = self.node(index).next;
        let mut next = index + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.node(child).next;
                child
            })
        })
    }

    /// The elements of a list as a vector.
    pub fn elements(&self, index: NodeIndex) -> Vec<NodeIndex> {
        self.children(index).collect()
    }

    /// An error at the node.
    pub fn error<T>(&self, index: NodeIndex, message: impl Into<String>) -> Result<T, Error> {
        Err(error_at(self.text, self.node(index).start, message))
    }
}

/// An error at an offset of the text.
pub fn error_at(text: &str, offset: usize, message: impl Into<String>) -> Error {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|&&b| b == b'\n').count() as u32 + 1;
    let column = before.iter().rev().take_while(|&&b| b != b'\n').count() as u32 + 1;
    Error { line, column, message: message.into() }
}

/// Reads one expression after another.
pub struct Expressions<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Expressions<'a> {
    /// From the beginning of the text.
    pub fn new(text: &'a str) -> Self {
        Expressions { text, at: 0 }
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&b) = bytes.get(self.at) {
            if b == b';' {
                while bytes.get(self.at).is_some_and(|&b| b != b'\n') {
                    self.at += 1;
                }
            } else if b.is_ascii_whitespace() {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// The next expression; `None` at the end. After an error reading goes on
    /// behind the expression that holds it.
    pub fn next_expression(&mut self) -> Option<Result<Expression<'a>, Error>> {
        self.skip_blank();
        if self.at >= self.text.len() {
            return None;
        }
        let begin = self.at;
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        let mut failure: Option<Error> = None;
        loop {
            self.skip_blank();
            let Some(&byte) = self.text.as_bytes().get(self.at) else {
                if let Some(error) = failure {
                    return Some(Err(error));
                }
                let offset = open.first().map_or(begin, |&n| nodes[n as usize].start);
                return Some(Err(error_at(self.text, offset, "this parenthesis is not closed")));
            };
            match byte {
                b'(' => {
                    open.push(nodes.len() as u32);
                    nodes.push(Node { kind: Kind::List, start: self.at, end: 0, next: 0 });
                    self.at += 1;
                }
                b')' => {
                    self.at += 1;
                    let Some(list) = open.pop() else {
                        let message = "a closing parenthesis without an opening one";
                        return Some(Err(error_at(self.text, self.at - 1, message)));
                    };
                    let count = nodes.len() as u32;
                    let node = &mut nodes[list as usize];
                    node.end = self.at;
                    node.next = count;
                }
                _ => match self.read_atom() {
                    Ok(mut node) => {
                        node.next = nodes.len() as u32 + 1;
                        nodes.push(node);
                    }
                    Err(error) if open.is_empty() => return Some(Err(error)),
                    // Go on to the end of the expression, where reading can
                    // start afresh.
                    Err(error) => {
                        failure.get_or_insert(error);
                    }
                },
            }
            if nodes.len() >= u32::MAX as usize - 1 {
                return Some(Err(error_at(self.text, begin, "the expression is too large")));
            }
            if open.is_empty() {
                if let Some(error) = failure {
                    return Some(Err(error));
                }
                return Some(Ok(Expression { text: self.text, nodes }));
            }
        }
    }

    /// Reads an atom, or skips what is none.
    fn read_atom(&mut self) -> Result<Node, Error> {
        let begin = self.at;
        let text = self.text;
        let (result, after) = match text.as_bytes()[begin] {
            b'|' => self.quoted_symbol(),
            b'"' => self.string(),
            b'#' if matches!(text.as_bytes().get(begin + 1), Some(b'x' | b'b')) => {
                let hexadecimal = text.as_bytes()[begin + 1] == b'x';
                let (kind, radix) =
                    if hexadecimal { (Kind::Hexadecimal, 16) } else { (Kind::Binary, 2) };
                let end = self.run(begin + 2, |b| (b as char).is_digit(radix));
                let missing = end == begin + 2;
                (if missing { Err("digits are missing") } else { Ok((kind, begin + 2, end)) }, end)
            }
            b'0'..=b'9' => self.number(),
            b':' => {
                let end = self.run(begin + 1, is_symbol_byte);
                (Ok((Kind::Keyword, begin, end)), end)
            }
            b if is_symbol_byte(b) => {
                let end = self.run(begin, is_symbol_byte);
                (Ok((Kind::Symbol, begin, end)), end)
            }
            _ => {
                let character = text[begin..].chars().next().unwrap_or('?');
                self.at = begin + character.len_utf8();
                let message = format!("unexpected character {character:?}");
                return Err(error_at(text, begin, message));
            }
        };
        self.at = after;
        match result {
            Ok((kind, start, end)) => Ok(Node { kind, start, end, next: 0 }),
            Err(message) => Err(error_at(text, begin, message)),
        }
    }

    /// Where the bytes end that are accepted.
    fn run(&self, from: usize, accept: impl Fn(u8) -> bool) -> usize {
        from + self.text.as_bytes()[from..].iter().take_while(|&&b| accept(b)).count()
    }

    fn quoted_symbol(&self) -> Scanned {
        let (bytes, start) = (self.text.as_bytes(), self.at + 1);
        match bytes[start..].iter().position(|&b| b == b'|' || b == b'\\') {
            Some(length) if bytes[start + length] == b'|' => {
                (Ok((Kind::QuotedSymbol, start, start + length)), start + length + 1)
            }
            Some(length) => (Err("a backslash in a quoted symbol"), start + length + 1),
            None => (Err("this quoted symbol is not closed"), bytes.len()),
        }
    }

    fn string(&self) -> Scanned {
        let (bytes, start) = (self.text.as_bytes(), self.at + 1);
        let mut end = start;
        loop {
            match bytes.get(end) {
                Some(b'"') if bytes.get(end + 1) == Some(&b'"') => end += 2,
                Some(b'"') => return (Ok((Kind::String, start, end)), end + 1),
                Some(_) => end += 1,
                None => return (Err("this string is not closed"), bytes.len()),
            }
        }
    }

    fn number(&self) -> Scanned {
        let (start, end) = (self.at, self.run(self.at, |b| b.is_ascii_digit()));
        let after = self.text.as_bytes().get(end);
        // No symbol begins with a digit, so `1/4`, as some print fractions, is nothing else.
        if after == Some(&b'/') {
            let end_of_divisor = self.run(end + 1, |b| b.is_ascii_digit());
            if end_of_divisor > end + 1 {
                return (Ok((Kind::Decimal, start, end_of_divisor)), end_of_divisor);
            }
        }
        if after != Some(&b'.') {
            return (Ok((Kind::Numeral, start, end)), end);
        }
        let end_of_fraction = self.run(end + 1, |b| b.is_ascii_digit());
        if end_of_fraction == end + 1 {
            return (Err("digits are missing after the point"), end_of_fraction);
        }
        (Ok((Kind::Decimal, start, end_of_fraction)), end_of_fraction)
    }
}

/// Kind, start and end of an atom, or what is wrong with it; and where to go on.
type Scanned = (Result<(Kind, usize, usize), &'static str>, usize);

/// Letters, digits and the signs of simple symbols; other alphabets are
/// accepted as other solvers do.
fn is_symbol_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&b) || b >= 0x80
}

const RESERVED: &str =
    "! _ as BINARY DECIMAL exists HEXADECIMAL forall let match NUMERAL par STRING";

/// The symbol as it must be written: between bars unless it is simple.
pub fn quote_symbol(name: &str) -> String {
    let simple = !name.is_empty()
        && !name.as_bytes()[0].is_ascii_digit()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&b))
        && !RESERVED.split(' ').any(|word| word == name);
    if simple {
        return name.to_owned();
    }
    // Bars and backslashes cannot be written in any way.
    format!("|{}|", name.replace(['|', '\\'], "_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let mut reader = Expressions::new(text);
        let mut out = String::new();
        while let Some(next) = reader.next_expression() {
            match next {
                Ok(e) => {
                    for index in 0..e.nodes.len() as u32 {
                        let size = e.children(index).count();
                        let kind = e.kind(index);
                        if kind == Kind::List {
                            out += &format!("List/{size} ");
                        } else {
                            out += &format!("{kind:?}:{} ", e.atom(index));
                        }
                    }
                    out += "\n";
                }
                Err(error) => out += &format!("error {error}\n"),
            }
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn expressions() {
        check(
            "(a |b c| :k 12 1.5 #xfF #b01 \"s\"\"t\") ; remark\n ((x) ()) y",
            expect![[r#"
                List/8 Symbol:a QuotedSymbol:b c Keyword::k Numeral:12 Decimal:1.5 Hexadecimal:fF Binary:01 String:s""t 
                List/2 List/1 Symbol:x List/0 
                Symbol:y 
            "#]],
        );
    }

    #[test]
    fn errors_have_positions() {
        check(
            "(a\n  ]) (b) ) (c \"x",
            expect![[r#"
                error 2:3: unexpected character ']'
                List/1 Symbol:b 
                error 2:10: a closing parenthesis without an opening one
                error 2:15: this string is not closed
            "#]],
        );
        check("(a (b)", expect!["error 1:1: this parenthesis is not closed\n"]);
        check(
            "(|a\\b| #x 1. é)",
            expect![[r#"
                error 1:2: a backslash in a quoted symbol
            "#]],
        );
    }
}

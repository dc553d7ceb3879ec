//! Words, numbers and signs of property texts.

use bolide_base::{Diagnostic, Span};

/// One piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, or a word such as `valid-deref` where `dashes` are allowed.
    Word(String),
    /// A number.
    Number(i128),
    /// A quoted text without its quotes.
    Text(String),
    /// `$1`.
    Dollar(u32),
    /// `$?`.
    DollarAny,
    /// Anything else, the longest sign that fits.
    Sign(&'static str),
    /// The end.
    End,
}

const SIGNS: [&str; 39] = [
    "...", "<->", "->", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "++", "--", "+=", "-=",
    "=>", "(", ")", "{", "}", "[", "]", ";", ":", ",", "=", "<", ">", "!", "&", "|", "+", "-", "*",
    "/", "%", "~", "^", "@",
];

/// The tokens of a text with their places.
pub(super) struct Tokens {
    tokens: Vec<(Token, Span)>,
    next: usize,
}

impl Tokens {
    /// Cuts a text into tokens. With `dashes`, words may contain `-` between
    /// letters (but `->` ends a word).
    pub fn new(text: &str, start: u32, dashes: bool) -> Result<Tokens, Vec<Diagnostic>> {
        let span = |from: usize, to: usize| Span::new(start + from as u32, start + to as u32);
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let from = at;
            match token(text, &mut at, dashes) {
                Ok(Some(token)) => tokens.push((token, span(from, at))),
                Ok(None) => {}
                Err((to, message)) => {
                    return Err(vec![Diagnostic::error(span(from, to), message)]);
                }
            }
        }
        tokens.push((Token::End, span(text.len(), text.len())));
        Ok(Tokens { tokens, next: 0 })
    }

    pub fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    /// The token `n` places ahead.
    pub fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.next + n).min(self.tokens.len() - 1)].0
    }

    pub fn span(&self) -> Span {
        self.tokens[self.next].1
    }

    /// The place of the token just taken.
    pub fn last_span(&self) -> Span {
        self.tokens[self.next.saturating_sub(1)].1
    }

    pub fn take(&mut self) -> Token {
        let token = self.tokens[self.next].0.clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn at_end(&self) -> bool {
        *self.peek() == Token::End
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    /// Takes the word if it is next.
    pub fn word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.take();
        }
        found
    }

    pub fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    /// Takes the sign if it is next.
    pub fn sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.take();
        }
        found
    }

    pub fn expect_sign(&mut self, sign: &str) -> Result<(), Diagnostic> {
        if self.sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    pub fn expect_word(&mut self, what: &str) -> Result<String, Diagnostic> {
        let Token::Word(word) = self.peek().clone() else { return Err(self.expected(what)) };
        self.take();
        Ok(word)
    }

    pub fn expect_text(&mut self, what: &str) -> Result<String, Diagnostic> {
        let Token::Text(text) = self.peek().clone() else { return Err(self.expected(what)) };
        self.take();
        Ok(text)
    }

    /// What was expected here, and what was found.
    pub fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Dollar(n) => format!("`${n}`"),
            Token::DollarAny => "`$?`".to_owned(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the text".to_owned(),
        };
        Diagnostic::error(self.span(), format!("expected {what}, found {found}"))
    }
}

/// The token at a place, none for space and comments; or where a mistake ends, and what it is.
fn token(text: &str, at: &mut usize, dashes: bool) -> Result<Option<Token>, (usize, String)> {
    let (bytes, from, rest) = (text.as_bytes(), *at, &text[*at..]);
    let c = bytes[from];
    let mut take = |accept: &dyn Fn(usize) -> bool| {
        while *at < bytes.len() && accept(*at) {
            *at += 1;
        }
        &text[from..*at]
    };
    let is_digit = |i: usize| i == from || bytes[i].is_ascii_digit();
    let is_alphanumeric = |i: usize| bytes[i].is_ascii_alphanumeric();
    if c.is_ascii_whitespace() {
        take(&|i| bytes[i].is_ascii_whitespace());
        Ok(None)
    } else if rest.starts_with("//") || (c == b'#' && at_line_start(bytes, from)) {
        take(&|i| bytes[i] != b'\n');
        Ok(None)
    } else if let Some(comment) = rest.strip_prefix("/*") {
        let end = comment.find("*/").ok_or((from + 2, "the comment does not end".to_owned()))?;
        *at += 4 + end;
        Ok(None)
    } else if c.is_ascii_alphabetic() || c == b'_' {
        let is_dash = |i: usize| {
            dashes && bytes[i] == b'-' && bytes.get(i + 1).is_some_and(u8::is_ascii_alphabetic)
        };
        let word = take(&|i| is_alphanumeric(i) || bytes[i] == b'_' || is_dash(i));
        Ok(Some(Token::Word(word.to_owned())))
    } else if c.is_ascii_digit() {
        let digits = take(&is_alphanumeric);
        let value = number(digits).ok_or((*at, format!("`{digits}` is no number")))?;
        Ok(Some(Token::Number(value)))
    } else if c == b'"' {
        let end = rest[1..].find(['"', '\n']).map(|n| from + 1 + n);
        let end = end.filter(|&end| bytes[end] == b'"');
        let end = end.ok_or((from + 1, "the quoted text does not end on its line".to_owned()))?;
        *at = end + 1;
        Ok(Some(Token::Text(text[from + 1..end].to_owned())))
    } else if rest.starts_with("$?") {
        *at += 2;
        Ok(Some(Token::DollarAny))
    } else if c == b'$' {
        let digits = take(&is_digit);
        let value = digits[1..].parse();
        let value = value.map_err(|_| (*at, "expected `?` or a number after `$`".to_owned()))?;
        Ok(Some(Token::Dollar(value)))
    } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        *at += sign.len();
        Ok(Some(Token::Sign(sign)))
    } else {
        let c = rest.chars().next().unwrap_or('?');
        Err((from + c.len_utf8(), format!("unexpected character `{c}`")))
    }
}

fn at_line_start(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|&&b| b != b'\n').all(u8::is_ascii_whitespace)
}

fn number(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

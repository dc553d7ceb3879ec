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
        let bytes = text.as_bytes();
        let mut tokens = Vec::new();
        let mut at = 0;
        let span = |from: usize, to: usize| Span::new(start + from as u32, start + to as u32);
        while at < bytes.len() {
            let (from, c) = (at, bytes[at]);
            if c.is_ascii_whitespace() {
                at += 1;
            } else if text[at..].starts_with("//") || (c == b'#' && at_line_start(bytes, at)) {
                at += text[at..].find('\n').unwrap_or(bytes.len() - at);
            } else if text[at..].starts_with("/*") {
                match text[at + 2..].find("*/") {
                    Some(end) => at += 4 + end,
                    None => {
                        let message = "the comment does not end";
                        return Err(vec![Diagnostic::error(span(from, from + 2), message)]);
                    }
                }
            } else if c.is_ascii_alphabetic() || c == b'_' {
                at += 1;
                while at < bytes.len()
                    && (bytes[at].is_ascii_alphanumeric()
                        || bytes[at] == b'_'
                        || (dashes
                            && bytes[at] == b'-'
                            && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)))
                {
                    at += 1;
                }
                tokens.push((Token::Word(text[from..at].to_owned()), span(from, at)));
            } else if c.is_ascii_digit() {
                while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
                    at += 1;
                }
                match number(&text[from..at]) {
                    Some(n) => tokens.push((Token::Number(n), span(from, at))),
                    None => {
                        let message = format!("`{}` is no number", &text[from..at]);
                        return Err(vec![Diagnostic::error(span(from, at), message)]);
                    }
                }
            } else if c == b'"' {
                let end = text[at + 1..].find(['"', '\n']).map(|n| at + 1 + n);
                match end.filter(|&end| bytes[end] == b'"') {
                    Some(end) => {
                        let inside = text[at + 1..end].to_owned();
                        at = end + 1;
                        tokens.push((Token::Text(inside), span(from, at)));
                    }
                    None => {
                        let message = "the quoted text does not end on its line";
                        return Err(vec![Diagnostic::error(span(from, from + 1), message)]);
                    }
                }
            } else if c == b'$' {
                at += 1;
                if bytes.get(at) == Some(&b'?') {
                    at += 1;
                    tokens.push((Token::DollarAny, span(from, at)));
                    continue;
                }
                while at < bytes.len() && bytes[at].is_ascii_digit() {
                    at += 1;
                }
                match text[from + 1..at].parse() {
                    Ok(n) => tokens.push((Token::Dollar(n), span(from, at))),
                    Err(_) => {
                        let message = "expected `?` or a number after `$`";
                        return Err(vec![Diagnostic::error(span(from, at), message)]);
                    }
                }
            } else if let Some(sign) = SIGNS.iter().find(|sign| text[at..].starts_with(**sign)) {
                at += sign.len();
                tokens.push((Token::Sign(sign), span(from, at)));
            } else {
                let c = text[at..].chars().next().unwrap_or('?');
                let message = format!("unexpected character `{c}`");
                return Err(vec![Diagnostic::error(span(from, from + c.len_utf8()), message)]);
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
        match self.peek() {
            Token::Word(_) => match self.take() {
                Token::Word(word) => Ok(word),
                _ => unreachable!("just seen"),
            },
            _ => Err(self.expected(what)),
        }
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

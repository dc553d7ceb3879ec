//! Cuts a program text into tokens.

use super::ParseError;
use super::names::{is_name_part, is_name_start, type_of_name};
use crate::types::Type;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A plain or quoted name, or a word.
    Name {
        text: String,
        quoted: bool,
    },
    /// `'12` right behind a name: its id.
    Id(u32),
    /// A number without a type.
    Number(u64),
    /// A constant with its type, as it was written.
    Constant(String, Type),
    /// Text between quotation marks.
    Text(String),
    /// `%3`: an expression of a `let` line.
    Let(u32),
    /// Anything else, the longest that fits.
    Symbol(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) token: Token,
    pub(super) line: u32,
    pub(super) column: u32,
    /// No other token stands before it on its line.
    pub(super) first: bool,
}

const SYMBOLS: [&str; 34] = [
    "...", ":=", "->", "==", "!=", "<=", ">=", "<<", ">>", "..", "(", ")", "[", "]", "{", "}", ",",
    ":", "=", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "!", "~", "?", "@", ";",
];

pub(super) fn tokenize(text: &str) -> Result<Vec<Located>, ParseError> {
    let mut tokens = Vec::new();
    let mut last_line = 1;
    for (number, line) in text.lines().enumerate() {
        last_line = number as u32 + 1;
        Line { chars: line.chars().collect(), at: 0, number: last_line, tokens: &mut tokens }
            .run()?;
    }
    // The parser looks up to two tokens ahead without asking whether they are there.
    for _ in 0..3 {
        tokens.push(Located { token: Token::End, line: last_line + 1, column: 1, first: true });
    }
    Ok(tokens)
}

struct Line<'a> {
    chars: Vec<char>,
    at: usize,
    number: u32,
    tokens: &'a mut Vec<Located>,
}

impl Line<'_> {
    fn run(mut self) -> Result<(), ParseError> {
        let before = self.tokens.len();
        loop {
            while self.peek(0).is_some_and(char::is_whitespace) {
                self.at += 1;
            }
            let start = self.at;
            let Some(c) = self.peek(0) else { return Ok(()) };
            if c == '/' && self.peek(1) == Some('/') {
                return Ok(());
            }
            let token = self.token(c)?;
            self.tokens.push(Located {
                token,
                line: self.number,
                column: start as u32 + 1,
                first: self.tokens.len() == before,
            });
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.number, column: self.at as u32 + 1, message: message.into() })
    }

    fn take(&mut self, accept: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(&accept) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    fn token(&mut self, c: char) -> Result<Token, ParseError> {
        if is_name_start(c) {
            return Ok(Token::Name { text: self.take(is_name_part), quoted: false });
        }
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        // A minus directly before a digit belongs to a constant; between
        // operands the printer and people write a space.
        if c.is_ascii_digit() || c == '-' && digit(self.peek(1)) && !self.after_operand() {
            return self.number();
        }
        match c {
            '`' => Ok(Token::Name { text: self.quoted('`')?, quoted: true }),
            '"' => Ok(Token::Text(self.quoted('"')?)),
            '\'' | '%' if digit(self.peek(1)) => {
                self.at += 1;
                let digits = self.take(|c| c.is_ascii_digit());
                let Ok(n) = digits.parse() else { return self.error("the number is too large") };
                Ok(if c == '%' { Token::Let(n) } else { Token::Id(n) })
            }
            _ => {
                let fits = |s: &&&str| s.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c));
                match SYMBOLS.iter().find(fits) {
                    Some(symbol) => {
                        self.at += symbol.len();
                        Ok(Token::Symbol(symbol))
                    }
                    None => self.error(format!("unexpected character `{c}`")),
                }
            }
        }
    }

    fn after_operand(&self) -> bool {
        match self.tokens.last() {
            Some(t) if t.line == self.number => match &t.token {
                Token::Symbol(s) => matches!(*s, ")" | "]" | "}"),
                Token::Name { .. } | Token::Constant(..) | Token::Id(_) | Token::Let(_) => {
                    // `x -1:i32` would be odd; a space behind the minus decides.
                    self.at > 0 && !self.chars[self.at - 1].is_whitespace()
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn number(&mut self) -> Result<Token, ParseError> {
        let start = self.at;
        if self.peek(0) == Some('-') {
            self.at += 1;
        }
        let hexadecimal = self.peek(0) == Some('0') && self.peek(1) == Some('x');
        while let Some(c) = self.peek(0) {
            let range = c == '.' && self.peek(1) == Some('.');
            let exponent = matches!(c, 'e' | 'E') && !hexadecimal;
            if exponent && matches!(self.peek(1), Some('+' | '-')) {
                self.at += 2;
            } else if c.is_ascii_alphanumeric() || c == '.' && !range {
                self.at += 1;
            } else {
                break;
            }
        }
        let digits: String = self.chars[start..self.at].iter().collect();
        if self.peek(0) == Some(':') && self.peek(1).is_some_and(is_name_start) {
            self.at += 1;
            let word = self.take(is_name_part);
            return match type_of_name(&word) {
                Some(ty) => Ok(Token::Constant(digits, ty)),
                None => self.error(format!("`{word}` is not a type")),
            };
        }
        match digits.parse() {
            Ok(n) => Ok(Token::Number(n)),
            Err(_) => {
                self.at = start;
                self.error(format!("`{digits}` needs a type: write `{digits}:i32`"))
            }
        }
    }

    fn quoted(&mut self, mark: char) -> Result<String, ParseError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.peek(0) else { return self.error(format!("missing `{mark}`")) };
            self.at += 1;
            if c == mark {
                return Ok(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let Some(escaped) = self.peek(0) else {
                return self.error(format!("missing `{mark}`"));
            };
            self.at += 1;
            text.push(match escaped {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'u' => {
                    self.at += 1;
                    let digits = self.take(|c| c.is_ascii_hexdigit());
                    self.at += 1;
                    match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                        Some(c) => c,
                        None => return self.error("this escape is no character"),
                    }
                }
                other => other,
            });
        }
    }
}

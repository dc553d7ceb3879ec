//! From text to tokens, byte by byte.
//!
//! The whole file becomes one vector of tokens, so that the parser may look
//! ahead as far as it likes. On the way, line markers and pragmas are taken
//! out, and comments dropped unless they are annotations. What is no token
//! becomes [`TokenKind::Bad`], about which the parser complains when it gets
//! there: so errors come in order and each once.
//!
//! Bytes from 0x80 on count as letters. This admits the identifiers of gcc and
//! keeps every token on the boundaries of UTF-8 characters.
//!
//! A backslash at the end of a line joins lines in comments, literals and
//! between tokens; inside a word or number it does not ([`crate::needs_preprocessing`]
//! sends such files through the preprocessor).

use bolide_base::arena::Id;
use bolide_base::{Diagnostic, Span};

use crate::ast::Annotation;
use crate::intern::{Interner, Symbol};
use crate::token::{Keywords, Punctuators, Token, TokenKind};

/// A line marker: the line after the one at `offset` is `line` of `file`.
pub(crate) struct LineMarker {
    pub offset: u32,
    pub line: u32,
    /// `None`: the file stays the same.
    pub file: Option<String>,
}

/// What lexing yields.
#[derive(Default)]
pub(crate) struct Lexed {
    /// Ends with [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    pub markers: Vec<LineMarker>,
    pub annotations: Vec<Annotation>,
    pub pragmas: Vec<Annotation>,
    /// Directives that only a preprocessor understands.
    pub diagnostics: Vec<Diagnostic>,
    /// A backslash joins lines outside comments and literals.
    pub joins_lines: bool,
}

const SPACE: u8 = 1;
const LETTER: u8 = 2;
const DIGIT: u8 = 4;

/// The class of every byte.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            0 | b' ' | b'\t' | b'\r' | 0x0b | 0x0c => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => LETTER,
            b'0'..=b'9' => DIGIT,
            _ => 0,
        };
        byte += 1;
    }
    class
};

/// Whether the text must go through a preprocessor before [`crate::parse`]:
/// it holds directives other than line markers, `#pragma` and `#ident`, or
/// lines joined outside comments and literals, or, without line markers, a
/// word that looks like a macro of the compiler (`__SIZE_TYPE__`, `__LINE__`).
pub fn needs_preprocessing(text: &str) -> bool {
    let mut names = Interner::new();
    let keywords = Keywords::intern(&mut names, false);
    let lexed = lex(text, 0, &mut names, &keywords);
    // Nothing else is complained about before the parser begins.
    let has_directives = !lexed.diagnostics.is_empty();
    let is_macro =
        |t: &Token| t.kind == TokenKind::Identifier && looks_predefined(names.text(t.symbol));
    has_directives
        || lexed.joins_lines
        || lexed.markers.is_empty() && lexed.tokens.iter().any(is_macro)
}

/// Lexes `text`, whose first byte has the offset `base`.
pub(crate) fn lex(text: &str, base: u32, names: &mut Interner, keywords: &Keywords) -> Lexed {
    let mut lexer = Lexer::new(text, base);
    // A token for each three to four bytes is what preprocessed files have.
    lexer.out.tokens.reserve(text.len() / 4 + 16);
    lexer.run(names, keywords);
    lexer.out
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    base: u32,
    /// Only white space and comments since the line began.
    line_start: bool,
    punctuators: Punctuators,
    out: Lexed,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str, base: u32) -> Self {
        let (bytes, punctuators, out) = (text.as_bytes(), Punctuators::new(), Lexed::default());
        Lexer { text, bytes, at: 0, base, line_start: true, punctuators, out }
    }

    /// The byte `ahead` of the current one, 0 behind the end.
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start as u32, self.base + end as u32)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.push_word(kind, start, Symbol::from_index(0));
    }

    #[inline]
    fn push_word(&mut self, kind: TokenKind, start: usize, symbol: Symbol) {
        self.line_start = false;
        self.out.tokens.push(Token {
            kind,
            start: self.base + start as u32,
            end: self.base + self.at as u32,
            symbol,
        });
    }

    fn run(&mut self, names: &mut Interner, keywords: &Keywords) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line_start = true;
                }
                b'#' if self.line_start => self.directive(1),
                // The digraph of `#`.
                b'%' if self.line_start && self.peek(1) == b':' => self.directive(2),
                b'/' if self.peek(1) == b'*' || self.peek(1) == b'/' => self.comment(),
                b'"' | b'\'' => self.quoted(start),
                b'0'..=b'9' => self.number(start),
                b'.' if self.peek(1).is_ascii_digit() => self.number(start),
                b'\\' if self.splice_length(self.at) > 0 => {
                    self.at += self.splice_length(self.at);
                    self.out.joins_lines = true;
                }
                _ if CLASS[byte as usize] == SPACE => self.at += 1,
                _ if CLASS[byte as usize] == LETTER
                    || byte == b'\\' && matches!(self.peek(1), b'u' | b'U') =>
                {
                    self.word(start, names, keywords)
                }
                _ => self.punctuator(start),
            }
        }
        self.push(TokenKind::Eof, self.bytes.len());
    }

    /// How many bytes a backslash at the end of a line takes, at `at`.
    fn splice_length(&self, at: usize) -> usize {
        match self.bytes.get(at..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    fn word(&mut self, start: usize, names: &mut Interner, keywords: &Keywords) {
        while CLASS[self.peek(0) as usize] & (LETTER | DIGIT) != 0
            || self.peek(0) == b'\\' && matches!(self.peek(1), b'u' | b'U')
        {
            self.at += 1;
        }
        if matches!(self.peek(0), b'"' | b'\'')
            && matches!(&self.bytes[start..self.at], b"L" | b"u" | b"U" | b"u8")
        {
            return self.quoted(start);
        }
        let symbol = names.intern(&self.text[start..self.at]);
        let kind = keywords.kind(symbol);
        if kind == TokenKind::Pragma {
            return self.pragma_operator(start);
        }
        self.push_word(kind, start, symbol);
    }

    fn number(&mut self, start: usize) {
        loop {
            let byte = self.peek(0);
            match byte {
                b'e' | b'E' | b'p' | b'P' if matches!(self.peek(1), b'+' | b'-') => self.at += 2,
                b'.' => self.at += 1,
                _ if CLASS[byte as usize] & (LETTER | DIGIT) != 0 => self.at += 1,
                _ => break,
            }
        }
        self.push(TokenKind::Number, start);
    }

    /// A string literal or character constant from the quote at the current
    /// place; `start` is where its prefix begins.
    fn quoted(&mut self, start: usize) {
        let quote = self.peek(0);
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'\\') => {
                    let splice = self.splice_length(self.at);
                    // The escaped byte may begin a longer character, whose
                    // other bytes are then taken one by one.
                    self.at = (self.at + splice.max(2)).min(self.bytes.len());
                }
                None | Some(b'\n') => return self.push(TokenKind::Bad, start),
                Some(&byte) => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.push(if quote == b'"' { TokenKind::String } else { TokenKind::Char }, start);
    }

    fn comment(&mut self) {
        let start = self.at;
        let body;
        if self.peek(1) == b'/' {
            self.at += 2;
            while let Some(&byte) = self.bytes.get(self.at) {
                match byte {
                    b'\n' => break,
                    b'\\' => self.at += self.splice_length(self.at).max(1),
                    _ => self.at += 1,
                }
            }
            body = start + 2..self.at;
        } else {
            self.at += 2;
            loop {
                match self.bytes.get(self.at) {
                    Some(b'*') if self.peek(1) == b'/' => break,
                    Some(_) => self.at += 1,
                    None => return self.push(TokenKind::Bad, start),
                }
            }
            body = start + 2..self.at;
            self.at += 2;
        }
        if self.bytes.get(body.start) == Some(&b'@') && body.start < body.end {
            let text = self.text[body.start + 1..body.end].trim_end_matches('@').to_owned();
            self.out.annotations.push(Annotation { span: self.span(start, self.at), text });
        }
    }

    /// The end of the directive that begins at the current place: its newline
    /// or the end of the text.
    fn directive_end(&self) -> usize {
        let mut at = self.at;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\n' => return at,
                b'\\' => at += self.splice_length(at).max(1),
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    /// A directive whose `#` has this length.
    fn directive(&mut self, sign: usize) {
        let start = self.at;
        let end = self.directive_end();
        self.at = end;
        // Both ends are at ASCII bytes or the text's end, so this cannot split
        // a character.
        let line = self.text[start + sign..end].trim();
        let (word, rest) = split_word(line);
        let offset = self.base + start as u32;
        if word.is_empty() && rest.is_empty() {
            return;
        }
        match word {
            "pragma" => {
                let text = rest.to_owned();
                self.out.pragmas.push(Annotation { span: self.span(start, end), text });
            }
            "ident" | "sccs" => {}
            "line" => self.line_marker(offset, rest),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => self.line_marker(offset, line),
            _ => self.out.diagnostics.push(
                Diagnostic::error(
                    self.span(start, end),
                    format!("preprocessing directive `#{word}` in preprocessed text"),
                )
                .with_help("run the file through the C preprocessor first"),
            ),
        }
    }

    fn line_marker(&mut self, offset: u32, rest: &str) {
        let (number, rest) = split_word(rest);
        // Far beyond any real file; larger numbers could overflow when lines
        // are added to them.
        let line = number.parse::<u32>().unwrap_or(1).min(1 << 30);
        let file = rest.strip_prefix('"').map(|quoted| {
            let mut name = String::new();
            let mut characters = quoted.chars();
            while let Some(c) = characters.next() {
                match c {
                    '"' => break,
                    '\\' => name.extend(characters.next()),
                    c => name.push(c),
                }
            }
            name
        });
        self.out.markers.push(LineMarker { offset, line, file });
    }

    /// `_Pragma("...")`, the word being read already.
    fn pragma_operator(&mut self, start: usize) {
        let rest = &self.text[self.at..];
        let body = rest.trim_start().strip_prefix('(').map(str::trim_start);
        let parts = body.and_then(|b| {
            let text = b.strip_prefix('"')?;
            let mut is_escaped = false;
            let close = text.find(|c: char| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            })?;
            let after = text[close + 1..].trim_start().strip_prefix(')')?;
            Some((&text[..close], after.len()))
        });
        match parts {
            Some((text, after)) => {
                self.at = self.bytes.len() - after;
                let span = self.span(start, self.at);
                let text = text.replace("\\\"", "\"").replace("\\\\", "\\");
                self.out.pragmas.push(Annotation { span, text });
            }
            None => self.push(TokenKind::Bad, start),
        }
    }

    fn punctuator(&mut self, start: usize) {
        let (kind, length) = self.punctuators.at(&self.bytes[start..]);
        self.at += length;
        self.push(kind, start);
    }
}

/// Whether a word looks like a macro that compilers define themselves.
fn looks_predefined(word: &str) -> bool {
    word.len() > 4
        && word.starts_with("__")
        && word.ends_with("__")
        && word.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
}

/// The letters and digits at the beginning, and what follows without spaces.
fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> String {
        let mut names = Interner::new();
        let keywords = Keywords::intern(&mut names, false);
        let lexed = lex(text, 1, &mut names, &keywords);
        let words: Vec<String> = lexed
            .tokens
            .iter()
            .map(|t| match t.kind {
                TokenKind::Eof => "eof".to_owned(),
                kind => {
                    let text = &text[t.start as usize - 1..t.end as usize - 1];
                    format!("{kind:?}:{text}")
                }
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn words_numbers_and_quotes() {
        assert_eq!(
            kinds("x$1 0x1p-3L .5e+1 L'a' u8\"s\\\"\" __inline__"),
            "Identifier:x$1 Number:0x1p-3L Number:.5e+1 Char:L'a' String:u8\"s\\\"\" \
             Inline:__inline__ eof"
        );
    }

    #[test]
    fn longest_punctuator_wins() {
        assert_eq!(
            kinds("a>>=b->c...<:%>"),
            "Identifier:a GreaterGreaterEqual:>>= Identifier:b Arrow:-> Identifier:c \
             Ellipsis:... LeftBracket:<: RightBrace:%> eof"
        );
    }

    #[test]
    fn what_is_no_token() {
        assert_eq!(kinds("a @ \"b\nc"), "Identifier:a Bad:@ Bad:\"b Identifier:c eof");
        assert_eq!(kinds("a /* b"), "Identifier:a Bad:/* b eof");
        assert_eq!(kinds("'\\"), "Bad:'\\ eof");
    }

    #[test]
    fn which_texts_need_preprocessing() {
        for text in [
            "#define X",
            "  # include <a>",
            "int a\\\nb;",
            "/* */ #if 1\n#endif",
            "typedef __SIZE_TYPE__ size_t;",
        ] {
            assert!(needs_preprocessing(text), "{text}");
        }
        for text in [
            "# 1 \"a.c\" 2",
            "#line 3",
            "#pragma once",
            "#ident \"x\"",
            "int x;",
            "#\n",
            "/* \n#define X */",
            "// a \\\n#define",
            "char *s = \"\\\n#if\";",
            "a #define",
            "# 1 \"a.c\"\nint __X__;",
            "char *s = __FUNCTION__; int __attribute__; int ____;",
        ] {
            assert!(!needs_preprocessing(text), "{text}");
        }
    }
}

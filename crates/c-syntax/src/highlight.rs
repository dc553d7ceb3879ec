//! What each piece of a text is, for colours: the tokens of the lexer, and what
//! lies between them, which is white space, comments and directives.
//!
//! Works on any text: what is no C has no class. Pieces never overlap and come
//! in order.

use crate::intern::Interner;
use crate::lexer;
use crate::token::{Keywords, TokenKind};
use std::ops::Range;

/// What a piece of text is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `if`, `return`, `struct`.
    Keyword,
    /// `int`, `unsigned`.
    Type,
    /// A number or a character constant.
    Number,
    /// A string literal.
    String,
    /// A comment.
    Comment,
    /// A line of the preprocessor.
    Directive,
}

/// The classified pieces of a text, by byte ranges.
pub fn highlight(text: &str) -> Vec<(Range<usize>, Class)> {
    let mut names = Interner::new();
    let keywords = Keywords::intern(&mut names, false);
    let lexed = lexer::lex(text, 0, &mut names, &keywords);
    let mut pieces = Vec::new();
    let mut last = 0;
    for token in &lexed.tokens {
        let range = token.start as usize..token.end as usize;
        if range.start > last {
            between(text, last..range.start, &mut pieces);
        }
        last = last.max(range.end);
        let class = match token.kind {
            TokenKind::Eof => continue,
            TokenKind::Number | TokenKind::Char => Class::Number,
            TokenKind::String => Class::String,
            kind if kind.starts_type() => Class::Type,
            TokenKind::Identifier => continue,
            kind if kind.is_word() => Class::Keyword,
            _ => continue,
        };
        pieces.push((range, class));
    }
    if last < text.len() {
        between(text, last..text.len(), &mut pieces);
    }
    pieces
}

/// Comments and directives of a stretch without tokens.
fn between(text: &str, stretch: Range<usize>, pieces: &mut Vec<(Range<usize>, Class)>) {
    let bytes = text.as_bytes();
    let mut at = stretch.start;
    while at < stretch.end {
        let rest = &bytes[at..stretch.end];
        let end_of_line = || rest.iter().position(|&b| b == b'\n').map_or(stretch.end, |i| at + i);
        let (end, class) = if rest.starts_with(b"/*") {
            let close = rest.windows(2).skip(2).position(|w| w == b"*/");
            (close.map_or(stretch.end, |i| at + i + 4), Class::Comment)
        } else if rest.starts_with(b"//") {
            (end_of_line(), Class::Comment)
        } else if rest[0] == b'#' {
            (end_of_line(), Class::Directive)
        } else {
            at += 1;
            continue;
        };
        pieces.push((at..end.min(stretch.end), class));
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn tokens_comments_and_directives_have_classes() {
        let text = "#include <a.h>\n/* two\nlines */ unsigned f(void) {\n  return \"s\"[0] + 12; // end\n}";
        let mut out = String::new();
        for (range, class) in highlight(text) {
            out += &format!("{class:?} {:?}\n", &text[range]);
        }
        expect![[r##"
            Directive "#include <a.h>"
            Comment "/* two\nlines */"
            Type "unsigned"
            Type "void"
            Keyword "return"
            String "\"s\""
            Number "0"
            Number "12"
            Comment "// end"
        "##]]
        .assert_eq(&out);
    }

    #[test]
    fn damaged_text_is_no_reason_to_stop() {
        for text in ["\"abc", "/* open", "'", "é/*ü*/ü", "/*/", "#"] {
            for (range, _) in highlight(text) {
                assert!(text.get(range.clone()).is_some(), "{text}: {range:?}");
            }
        }
    }
}

//! Assertions in annotation comments, `//@ assert e;`, whose `e` is an expression of C.
//!
//! ACSL's terms look as those of C do; `\true` and `\false` become names that no program has, and an implication outside
//! of all parentheses becomes what it means. What else ACSL has is not parsed, and the comment has no
//! assertion then. Types have their names in the scope where the comment stands, which nobody knows here: such
//! names are refused.

use super::state::{Parsed, Parser};
use crate::ast::{Annotation, Assertion, BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::lexer;
use crate::token::{Keywords, Token, TokenKind};

impl Parser<'_> {
    /// Parses the assertions of all annotations, when everything else is parsed.
    pub(super) fn assertions(&mut self, keywords: &Keywords) {
        let annotations = std::mem::take(&mut self.unit.annotations);
        for (comment, annotation) in annotations.iter().enumerate() {
            if let Some(conditions) = self.asserted(annotation, keywords) {
                self.unit.assertions.push(Assertion { comment, conditions });
            }
        }
        self.unit.annotations = annotations;
    }

    /// What a comment asserts, if that is all that it does.
    fn asserted(&mut self, annotation: &Annotation, keywords: &Keywords) -> Option<Vec<ExprId>> {
        if !annotation.text.trim_start().starts_with("assert") {
            return None;
        }
        // `/*@` or `//@` come before the text.
        let base = annotation.span.start + 3;
        let lexed = lexer::lex(&annotation.text, base, &mut self.unit.names, keywords);
        if !lexed.diagnostics.is_empty() {
            return None;
        }
        let tokens = self.with_words(&lexed.tokens);
        let mut conditions = Vec::new();
        for clause in tokens.split_inclusive(|t| t.kind == TokenKind::Semicolon) {
            match clause {
                [only] if only.kind == TokenKind::Eof => {}
                [assert, condition @ .., end] if end.kind == TokenKind::Semicolon => {
                    let is_assert = assert.kind == TokenKind::Identifier
                        && self.unit.name(assert.symbol) == "assert";
                    conditions.push(is_assert.then(|| self.implication(condition)).flatten()?);
                }
                _ => return None,
            }
        }
        Some(conditions)
    }

    /// The tokens with `\word` as one name.
    fn with_words(&mut self, tokens: &[Token]) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::new();
        for &token in tokens {
            match out.last_mut() {
                Some(last)
                    if last.kind == TokenKind::Bad
                        && last.end == token.start
                        && token.kind == TokenKind::Identifier
                        && self.token_text(*last) == "\\" =>
                {
                    let word = format!("\\{}", self.unit.name(token.symbol));
                    let symbol = self.unit.names.intern(&word);
                    *last = Token { start: last.start, symbol, ..token };
                }
                _ => out.push(token),
            }
        }
        out
    }

    /// `a ==> b` as `!a || b`.
    fn implication(&mut self, tokens: &[Token]) -> Option<ExprId> {
        let mut depth = 0i32;
        let arrow = tokens.windows(2).position(|pair| {
            depth += match pair[0].kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => 1,
                TokenKind::RightParen | TokenKind::RightBracket => -1,
                _ => 0,
            };
            depth == 0
                && pair[0].kind == TokenKind::EqualEqual
                && pair[1].kind == TokenKind::Greater
                && pair[0].end == pair[1].start
        });
        let Some(arrow) = arrow else { return self.condition(tokens) };
        let left = self.condition(&tokens[..arrow])?;
        let right = self.implication(&tokens[arrow + 2..])?;
        let (left_span, right_span) = (self.unit.exprs[left].span, self.unit.exprs[right].span);
        let not = ExprKind::Unary { op: UnaryOp::Not, operand: left };
        let left = self.expr(not, left_span).id;
        let either = ExprKind::Binary { op: BinaryOp::LogicalOr, left, right };
        let span = bolide_base::Span::new(left_span.start, right_span.end);
        Some(self.expr(either, span).id)
    }

    /// An expression of C that takes all tokens.
    fn condition(&mut self, tokens: &[Token]) -> Option<ExprId> {
        let is_type =
            |t: &Token| t.kind == TokenKind::Identifier && self.scopes.is_typedef(t.symbol);
        let end = tokens.last()?.end;
        if tokens.iter().any(is_type) {
            return None;
        }
        let mut tokens = tokens.to_vec();
        tokens.push(Token { kind: TokenKind::Eof, start: end, end, symbol: tokens[0].symbol });
        self.tokens = tokens;
        self.at = 0;
        let (count, errors) = (self.diagnostics.len(), self.errors);
        let parsed: Parsed<ExprId> = self.assignment();
        let is_whole = self.diagnostics.len() == count && self.at(TokenKind::Eof);
        self.diagnostics.truncate(count);
        self.errors = errors;
        parsed.ok().filter(|_| is_whole)
    }
}

#[cfg(test)]
mod tests {
    use crate::{ParseOptions, parse};
    use bolide_base::SourceMap;

    /// How many conditions each comment asserts that is understood.
    fn conditions(text: &str) -> Vec<usize> {
        let mut sources = SourceMap::new();
        let start = sources.add("test.c", text.to_owned()).expect("it is small");
        let result = parse(&mut sources, start, &ParseOptions::default());
        assert!(!result.has_errors());
        result.unit.assertions.iter().map(|a| a.conditions.len()).collect()
    }

    #[test]
    fn what_c_can_say_is_parsed_and_nothing_else() {
        assert_eq!(conditions("//@ assert a[1] == \\true;\n"), [1]);
        assert_eq!(conditions("/*@ assert x ==> y ==> z; assert p->q != 0; */"), [2]);
        assert!(conditions("//@ assert x\n").is_empty());
        assert!(conditions("//@ assert \\forall int i; a[i] == 0;\n").is_empty());
        assert!(conditions("//@ assert (x ==> y) && z;\n").is_empty());
        assert!(conditions("typedef int t;\n//@ assert (t) - 1 == 0;\n").is_empty());
        assert!(conditions("//@ loop assigns x; assert y;\n").is_empty());
    }
}

//! Attributes, assembly and static assertions.

use super::state::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Whether an attribute begins at the current token.
    pub(super) fn at_attribute(&self) -> bool {
        self.at(TokenKind::Attribute) || self.at_bracket_attribute()
    }

    /// Whether `[[` begins here: no expression begins with `[`, so in C this
    /// can only be an attribute.
    pub(super) fn at_bracket_attribute(&self) -> bool {
        self.at(TokenKind::LeftBracket) && self.peek(1).kind == TokenKind::LeftBracket
    }

    /// Any number of attributes, appended to `attributes`.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at_attribute() {
            // `__attribute__((` or `[[`.
            let closing = if self.at(TokenKind::Attribute) {
                self.advance();
                TokenKind::RightParen
            } else {
                TokenKind::RightBracket
            };
            let opening = match closing {
                TokenKind::RightParen => TokenKind::LeftParen,
                _ => TokenKind::LeftBracket,
            };
            let outer = self.expect(opening)?;
            let inner = self.expect(opening)?;
            loop {
                if self.kind().is_word() {
                    let attribute = self.attribute()?;
                    attributes.push(attribute);
                }
                if self.accept(TokenKind::Comma).is_none() {
                    break;
                }
            }
            self.expect_closing(closing, inner.span())?;
            self.expect_closing(closing, outer.span())?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let mut word = self.advance();
        let start = word.start;
        if self.at(TokenKind::Colon) && self.peek(1).kind == TokenKind::Colon {
            self.advance();
            self.advance();
            if !self.kind().is_word() {
                return Err(self.expected("attribute name"));
            }
            word = self.advance();
        }
        let text = self.token_text(word);
        let bare = text.strip_prefix("__").and_then(|t| t.strip_suffix("__"));
        let name = self.unit.names.intern(bare.filter(|t| !t.is_empty()).unwrap_or(text));
        let mut arguments = Vec::new();
        if self.at(TokenKind::LeftParen) {
            arguments = self.in_parentheses(|p| {
                p.list_while(
                    |p| !p.at(TokenKind::RightParen),
                    |p| match p.is_type_at(p.at) {
                        true => p.type_name().map(AttributeArgument::Type),
                        false => p.assignment().map(AttributeArgument::Expr),
                    },
                )
            })?;
        }
        Ok(Attribute { name, arguments: arguments.into(), span: self.span_from(start) })
    }

    /// `asm("name")` behind a declarator.
    pub(super) fn asm_label(&mut self) -> Parsed<Option<StringId>> {
        self.behind(TokenKind::Asm, |p| p.in_parentheses(Self::string_literal))
    }

    /// `asm qualifiers (...);`
    pub(super) fn asm(&mut self) -> Parsed<AsmId> {
        let start = self.expect(TokenKind::Asm)?.start;
        let (mut is_volatile, mut is_inline, mut is_goto) = (false, false, false);
        loop {
            match self.kind() {
                TokenKind::Volatile => is_volatile = true,
                TokenKind::Inline => is_inline = true,
                TokenKind::Goto => is_goto = true,
                // gcc warns and ignores it.
                TokenKind::Const => {}
                _ => break,
            }
            self.advance();
        }
        let open = self.expect(TokenKind::LeftParen)?;
        let template = self.string_literal()?;
        let is_basic = !self.at(TokenKind::Colon);
        let outputs = self.behind(TokenKind::Colon, Self::asm_operands)?.unwrap_or_default();
        let inputs = self.behind(TokenKind::Colon, Self::asm_operands)?.unwrap_or_default();
        let clobbers = self.behind(TokenKind::Colon, |p| {
            p.list_while(|p| p.at(TokenKind::String), Self::string_literal)
        })?;
        let labels = self.behind(TokenKind::Colon, |p| {
            p.list_while(|p| p.at(TokenKind::Identifier), Self::identifier)
        })?;
        self.expect_closing(TokenKind::RightParen, open.span())?;
        self.expect_semicolon()?;
        let span = self.span_from(start);
        Ok(self.unit.asms.push(Asm {
            is_volatile,
            is_inline,
            is_goto,
            is_basic,
            template,
            outputs,
            inputs,
            clobbers: clobbers.unwrap_or_default(),
            labels: labels.unwrap_or_default(),
            span,
        }))
    }

    fn asm_operands(&mut self) -> Parsed<Vec<AsmOperand>> {
        let begins = |p: &Self| matches!(p.kind(), TokenKind::String | TokenKind::LeftBracket);
        self.list_while(begins, Self::asm_operand)
    }

    fn asm_operand(&mut self) -> Parsed<AsmOperand> {
        let start = self.token().start;
        let mut name = None;
        if let Some(open) = self.accept(TokenKind::LeftBracket) {
            if !self.kind().is_word() {
                return Err(self.expected("operand name"));
            }
            name = Some(self.advance().symbol);
            self.expect_closing(TokenKind::RightBracket, open.span())?;
        }
        let constraint = self.string_literal()?;
        let value = self.parenthesized()?;
        Ok(AsmOperand { name, constraint, value, span: self.span_from(start) })
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let start = self.expect(TokenKind::StaticAssert)?.start;
        let (condition, message) = self.in_parentheses(|p| {
            Ok((p.assignment()?, p.behind(TokenKind::Comma, Self::string_literal)?))
        })?;
        self.expect_semicolon()?;
        Ok(StaticAssert { condition, message, span: self.span_from(start) })
    }
}

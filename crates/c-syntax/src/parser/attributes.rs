//! Attributes, assembly and static assertions.

use super::{Parsed, Parser};
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
        if let Some(open) = self.accept(TokenKind::LeftParen) {
            while !self.at(TokenKind::RightParen) {
                arguments.push(if self.is_type_at(self.at) {
                    AttributeArgument::Type(self.type_name()?)
                } else {
                    AttributeArgument::Expr(self.assignment()?)
                });
                if self.accept(TokenKind::Comma).is_none() {
                    break;
                }
            }
            self.expect_closing(TokenKind::RightParen, open.span())?;
        }
        Ok(Attribute { name, arguments: arguments.into(), span: self.span_from(start) })
    }

    /// `asm("name")` behind a declarator.
    pub(super) fn asm_label(&mut self) -> Parsed<Option<StringId>> {
        if self.accept(TokenKind::Asm).is_none() {
            return Ok(None);
        }
        let open = self.expect(TokenKind::LeftParen)?;
        let label = self.string_literal()?;
        self.expect_closing(TokenKind::RightParen, open.span())?;
        Ok(Some(label))
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
        let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
        let (mut clobbers, mut labels) = (Vec::new(), Vec::new());
        if self.accept(TokenKind::Colon).is_some() {
            self.asm_operands(&mut outputs)?;
        }
        if self.accept(TokenKind::Colon).is_some() {
            self.asm_operands(&mut inputs)?;
        }
        if self.accept(TokenKind::Colon).is_some() {
            while self.at(TokenKind::String) {
                clobbers.push(self.string_literal()?);
                if self.accept(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        if self.accept(TokenKind::Colon).is_some() {
            while self.at(TokenKind::Identifier) {
                labels.push(self.identifier()?);
                if self.accept(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
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
            clobbers,
            labels,
            span,
        }))
    }

    fn asm_operands(&mut self, operands: &mut Vec<AsmOperand>) -> Parsed<()> {
        while matches!(self.kind(), TokenKind::String | TokenKind::LeftBracket) {
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
            operands.push(AsmOperand { name, constraint, value, span: self.span_from(start) });
            if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        Ok(())
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let start = self.expect(TokenKind::StaticAssert)?.start;
        let open = self.expect(TokenKind::LeftParen)?;
        let condition = self.assignment()?;
        let message = match self.accept(TokenKind::Comma) {
            Some(_) => Some(self.string_literal()?),
            None => None,
        };
        self.expect_closing(TokenKind::RightParen, open.span())?;
        self.expect_semicolon()?;
        Ok(StaticAssert { condition, message, span: self.span_from(start) })
    }
}

//! Structs, unions and enums, and the `#pragma pack` that concerns them.

use bolide_base::{Diagnostic, Span};

use super::state::{ImplicitInt, Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `struct` or `union`, the current token.
    pub(super) fn record(&mut self) -> Parsed<RecordId> {
        let token = self.advance();
        let kind = match token.kind {
            TokenKind::Struct => RecordKind::Struct,
            _ => RecordKind::Union,
        };
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag(&mut attributes)?;
        let mut members = None;
        let mut pack = None;
        if self.at(TokenKind::LeftBrace) {
            let open = self.advance();
            members = Some(self.members());
            pack = self.pack_at(self.token().start);
            self.expect_closing(TokenKind::RightBrace, open.span())?;
            if self.at(TokenKind::Attribute) {
                self.attributes(&mut attributes)?;
            }
        } else if tag.is_none() {
            return Err(self.expected("tag or `{`"));
        }
        let attributes = attributes.into();
        let span = self.span_from(token.start);
        Ok(self.unit.records.push(RecordSpecifier { kind, tag, members, attributes, pack, span }))
    }

    fn tag(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Option<(Symbol, Span)>> {
        if !self.at(TokenKind::Identifier) {
            return Ok(None);
        }
        let tag = self.identifier()?;
        // Attributes behind the tag of a mere mention belong to the declaration.
        let behind = match self.at(TokenKind::Attribute) {
            true => self.peek(self.behind_parentheses(1)).kind,
            false => TokenKind::Eof,
        };
        if behind == TokenKind::LeftBrace {
            self.attributes(attributes)?;
        }
        Ok(Some(tag))
    }

    fn members(&mut self) -> Vec<Member> {
        let mut members = Vec::new();
        loop {
            match self.kind() {
                TokenKind::RightBrace | TokenKind::Eof => {
                    members.shrink_to_fit();
                    return members;
                }
                TokenKind::Semicolon => {
                    self.advance();
                }
                _ => match self.member() {
                    Ok(member) => members.push(member),
                    Err(_) => self.recover(),
                },
            }
        }
    }

    fn member(&mut self) -> Parsed<Member> {
        if self.at(TokenKind::StaticAssert) {
            return self.static_assert().map(Member::StaticAssert);
        }
        let start = self.token().start;
        let specifiers = self.specifiers(ImplicitInt::WithSpecifier)?;
        let mut fields = Vec::new();
        if !self.at(TokenKind::Semicolon) && !self.at(TokenKind::RightBrace) {
            fields = self.list(Self::field)?;
        }
        // gcc admits a missing `;` before the closing brace.
        if !self.at(TokenKind::RightBrace) {
            self.expect_semicolon()?;
        }
        let span = self.span_from(start);
        Ok(Member::Fields(FieldDeclaration { specifiers, fields, span }))
    }

    fn field(&mut self) -> Parsed<FieldDeclarator> {
        let start = self.token().start;
        let mut declarator = self.attributed_declarator(true)?;
        let width = self.behind(TokenKind::Colon, Self::assignment)?;
        self.declarator_trailer(&mut declarator)?;
        Ok(FieldDeclarator { declarator, width, span: self.span_from(start) })
    }

    /// `enum`, the current token.
    pub(super) fn enumeration(&mut self) -> Parsed<EnumId> {
        let token = self.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag(&mut attributes)?;
        // Not the width of a bit-field, which is no type.
        let underlying = if self.at(TokenKind::Colon) && self.is_type_at(self.at + 1) {
            self.advance();
            Some(self.type_name()?)
        } else {
            None
        };
        let mut enumerators = None;
        if let Some(open) = self.accept(TokenKind::LeftBrace) {
            enumerators = Some(self.enumerators()?);
            self.expect_closing(TokenKind::RightBrace, open.span())?;
            if self.at(TokenKind::Attribute) {
                self.attributes(&mut attributes)?;
            }
        } else if tag.is_none() {
            return Err(self.expected("tag or `{`"));
        }
        let attributes = attributes.into();
        let span = self.span_from(token.start);
        let specifier = EnumSpecifier { tag, enumerators, underlying, attributes, span };
        Ok(self.unit.enums.push(specifier))
    }

    fn enumerators(&mut self) -> Parsed<Vec<Enumerator>> {
        if self.at(TokenKind::RightBrace) {
            let message = "an enum needs at least one enumerator";
            self.report_in_passing(Diagnostic::error(self.token().span(), message));
        }
        self.list_while(|p| !p.at(TokenKind::RightBrace), Self::enumerator)
    }

    fn enumerator(&mut self) -> Parsed<Enumerator> {
        let (name, span) = self.identifier()?;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let value = self.behind(TokenKind::Equal, Self::assignment)?;
        self.scopes.declare(name, false);
        let span = self.span_from(span.start);
        Ok(Enumerator { name, value, attributes: attributes.into(), span })
    }

    /// The `#pragma pack` in force at `offset`.
    fn pack_at(&self, offset: u32) -> Option<u32> {
        let index = self.packs.partition_point(|&(from, _)| from <= offset);
        self.packs[..index].last().and_then(|&(_, pack)| pack)
    }
}

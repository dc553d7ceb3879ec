//! Declarators, turned inside out.
//!
//! A declarator is read in two sweeps: inwards over `*` and `(` to the name,
//! then outwards over `[...]`, `(...)` and `)`. Each parenthesis is a level on
//! a stack that remembers the pointers before it. Going outwards, the suffixes
//! of a level come first and then its pointers, rightmost first: which is the
//! order of [`Declarator::derived`].

use bolide_base::Span;

use super::state::{ImplicitInt, NameRule, Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn declarator(&mut self, rule: NameRule) -> Parsed<Declarator> {
        let start = self.token().start;
        let mut attributes = Vec::new();
        // Pointers of all open levels, and where those of each level begin.
        let mut pointers: Vec<Derived> = Vec::new();
        let mut levels: Vec<(Span, usize)> = Vec::new();
        let name = loop {
            let token = self.token();
            match token.kind {
                TokenKind::Star => {
                    let pointer = self.pointer()?;
                    pointers.push(pointer);
                }
                TokenKind::Attribute => self.attributes(&mut attributes)?,
                TokenKind::LeftParen if self.is_grouping(rule) => {
                    self.advance();
                    levels.push((token.span(), pointers.len()));
                }
                TokenKind::Identifier if rule != NameRule::Without => {
                    self.advance();
                    break Some((token.symbol, token.span()));
                }
                // See `is_redefined_type`.
                kind if rule == NameRule::With && kind.starts_type() && levels.is_empty() => {
                    if !matches!(
                        self.peek(1).kind,
                        TokenKind::Semicolon | TokenKind::Comma | TokenKind::Attribute
                    ) {
                        return Err(self.expected("identifier or `(`"));
                    }
                    self.advance();
                    break Some((token.symbol, token.span()));
                }
                _ if rule == NameRule::With => return Err(self.expected("identifier or `(`")),
                _ => break None,
            }
        };
        let here = Span::new(self.token().start, self.token().start);
        let name_span = name.map_or(here, |(_, span)| span);
        let floor = self.derived.len();
        let result = self.declarator_outwards(&mut pointers, levels, &mut attributes);
        let derived: Box<[Derived]> = self.derived.drain(floor..).collect();
        result?;
        let span = if self.previous_end() < start {
            Span::new(start, start)
        } else {
            self.span_from(start)
        };
        Ok(Declarator {
            name: name.map(|(name, _)| name),
            name_span,
            derived,
            asm_label: None,
            attributes: attributes.into(),
            span,
        })
    }

    /// A declarator that attributes may precede. That of a field may have no name before the
    /// width of a bit-field.
    pub(super) fn attributed_declarator(&mut self, is_field: bool) -> Parsed<Declarator> {
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let is_unnamed = is_field && self.at(TokenKind::Colon);
        let rule = if is_unnamed { NameRule::Perhaps } else { NameRule::With };
        let mut declarator = self.declarator(rule)?;
        attributes.extend(std::mem::take(&mut declarator.attributes));
        declarator.attributes = attributes.into();
        Ok(declarator)
    }

    /// The second sweep, from the name outwards: appends to `self.derived`.
    fn declarator_outwards(
        &mut self,
        pointers: &mut Vec<Derived>,
        mut levels: Vec<(Span, usize)>,
        attributes: &mut Vec<Attribute>,
    ) -> Parsed<()> {
        loop {
            self.declarator_suffixes(attributes)?;
            let level = levels.pop();
            let from = level.map_or(0, |(_, from)| from);
            self.derived.extend(pointers.drain(from..).rev());
            match level {
                Some((open, _)) => self.expect_closing(TokenKind::RightParen, open)?,
                None => return Ok(()),
            };
        }
    }

    fn pointer(&mut self) -> Parsed<Derived> {
        let start = self.advance().start;
        let mut qualifiers = Qualifiers::NONE;
        let mut attributes = Vec::new();
        loop {
            if self.at(TokenKind::Attribute) {
                self.attributes(&mut attributes)?;
            } else if !self.qualifier(&mut qualifiers) {
                break;
            }
        }
        let kind = DerivedKind::Pointer { qualifiers, attributes: attributes.into() };
        Ok(Derived { kind, span: self.span_from(start) })
    }

    /// Whether `(` groups a declarator rather than opening parameters, which
    /// is a question only where the name may be missing.
    fn is_grouping(&self, rule: NameRule) -> bool {
        if rule == NameRule::With {
            return true;
        }
        let mut index = 1;
        // `(__attribute__((cdecl)) *)`: look behind the attributes.
        while self.peek(index).kind == TokenKind::Attribute {
            index = self.behind_parentheses(index + 1);
        }
        let next = self.peek(index);
        match next.kind {
            TokenKind::Star | TokenKind::LeftParen | TokenKind::LeftBracket => true,
            TokenKind::Identifier => {
                rule == NameRule::Perhaps && !self.scopes.is_typedef(next.symbol)
            }
            _ => false,
        }
    }

    /// The distance of the token behind the parentheses that open at the
    /// distance `index`; `index` itself if none do.
    pub(super) fn behind_parentheses(&self, mut index: usize) -> usize {
        let mut depth = 0usize;
        loop {
            match self.peek(index).kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth = depth.saturating_sub(1),
                TokenKind::Eof => return index,
                _ => {}
            }
            if depth == 0 {
                return index + 1;
            }
            index += 1;
        }
    }

    fn declarator_suffixes(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        loop {
            let start = self.token().start;
            let kind = match self.kind() {
                TokenKind::LeftBracket if self.at_bracket_attribute() => {
                    self.attributes(attributes)?;
                    continue;
                }
                TokenKind::LeftBracket => self.array_suffix()?,
                TokenKind::LeftParen => {
                    let depth = self.scopes.depth();
                    self.scopes.open();
                    let parameters = self.nested(Self::parameters);
                    self.scopes.close_to(depth);
                    DerivedKind::Function(parameters?)
                }
                _ => return Ok(()),
            };
            let span = self.span_from(start);
            self.derived.push(Derived { kind, span });
        }
    }

    fn array_suffix(&mut self) -> Parsed<DerivedKind> {
        let open = self.advance();
        let mut qualifiers = Qualifiers::NONE;
        let mut is_static = false;
        loop {
            if self.accept(TokenKind::Static).is_some() {
                is_static = true;
            } else if !self.qualifier(&mut qualifiers) {
                break;
            }
        }
        let size = if self.at(TokenKind::RightBracket) {
            ArraySize::Unspecified
        } else if self.at(TokenKind::Star) && self.peek(1).kind == TokenKind::RightBracket {
            self.advance();
            ArraySize::Star
        } else {
            ArraySize::Expr(self.expression()?)
        };
        self.expect_closing(TokenKind::RightBracket, open.span())?;
        Ok(DerivedKind::Array { size, qualifiers, is_static })
    }

    fn parameters(&mut self) -> Parsed<ParamsId> {
        let open = self.expect(TokenKind::LeftParen)?;
        let kind = self.parameters_kind()?;
        let close = self.expect_closing(TokenKind::RightParen, open.span())?;
        let span = open.span().to(close.span());
        Ok(self.unit.params.push(Parameters { kind, span }))
    }

    fn parameters_kind(&mut self) -> Parsed<ParametersKind> {
        let first = self.token();
        let next = self.peek(1).kind;
        match first.kind {
            TokenKind::RightParen => return Ok(ParametersKind::Unspecified),
            TokenKind::Void if next == TokenKind::RightParen => {
                self.advance();
                return Ok(ParametersKind::Prototype {
                    parameters: Vec::new(),
                    is_variadic: false,
                });
            }
            TokenKind::Identifier
                if !self.scopes.is_typedef(first.symbol)
                    && matches!(next, TokenKind::Comma | TokenKind::RightParen) =>
            {
                return self.list(Self::identifier).map(ParametersKind::Names);
            }
            _ => {}
        }
        let mut parameters = Vec::with_capacity(1);
        let mut is_variadic = false;
        loop {
            if self.accept(TokenKind::Ellipsis).is_some() {
                is_variadic = true;
                break;
            }
            let parameter = self.parameter()?;
            parameters.push(parameter);
            if self.at(TokenKind::Semicolon) {
                self.advance();
                for parameter in &mut parameters {
                    parameter.is_forward = true;
                }
            } else if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        Ok(ParametersKind::Prototype { parameters, is_variadic })
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.token().start;
        let specifiers = self.specifiers(ImplicitInt::WithSpecifier)?;
        let mut declarator = self.declarator(NameRule::Perhaps)?;
        self.declarator_trailer(&mut declarator)?;
        if let Some(name) = declarator.name {
            self.scopes.declare(name, false);
        }
        let span = self.span_from(start);
        Ok(Parameter { specifiers, declarator, is_forward: false, span })
    }

    /// `asm("name")`, attributes and clauses of contracts behind a declarator.
    pub(super) fn declarator_trailer(&mut self, declarator: &mut Declarator) -> Parsed<()> {
        self.cbmc_clauses(0)?;
        if !self.at(TokenKind::Asm) && !self.at_attribute() {
            return Ok(());
        }
        let mut attributes = std::mem::take(&mut declarator.attributes).into_vec();
        self.attributes(&mut attributes)?;
        if let Some(label) = self.asm_label()? {
            declarator.asm_label = Some(label);
            self.attributes(&mut attributes)?;
        }
        declarator.attributes = attributes.into();
        self.cbmc_clauses(0)
    }
}

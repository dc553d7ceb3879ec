//! Statements, over an explicit stack of those that are still open.
//!
//! `begin_statement` reads the head of a statement. A simple statement is then
//! complete; an `if` or a block pushes a [`Frame`] and the loop goes on with
//! what it contains. A complete statement is handed to the frame on top, which
//! either becomes complete itself or waits for more (`else`, the next item of a
//! block). So 20,000 `else if` and any depth of blocks are loops.

use bolide_base::Span;

use super::stacks::Frame;
use super::state::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;

/// What the head of a statement leads to.
enum Begun {
    /// The statement is complete.
    Complete(StmtId),
    /// A frame was pushed; a statement must follow.
    Open,
}

impl Parser<'_> {
    /// `{ ... }`: a function's body or that of a statement expression. Errors
    /// inside are dealt with inside, unless the `}` is missing.
    pub(super) fn compound_statement(&mut self) -> Parsed<StmtId> {
        if !self.at(TokenKind::LeftBrace) {
            return Err(self.expected("`{`"));
        }
        let floor = self.frames.len();
        let items = self.block_items.len();
        let scopes = self.scopes.depth();
        let result = self.nested(|p| p.statements(floor));
        self.frames.truncate(floor);
        self.block_items.truncate(items);
        self.scopes.close_to(scopes);
        result
    }

    fn statements(&mut self, floor: usize) -> Parsed<StmtId> {
        self.open_block();
        loop {
            let mut complete = match self.statement_or_end()? {
                Begun::Open => continue,
                Begun::Complete(id) => id,
            };
            // Hand it to the frames that it completes.
            loop {
                if self.frames.len() == floor {
                    return Ok(complete);
                }
                match self.complete(complete) {
                    None => break,
                    Some(id) => complete = id,
                }
            }
        }
    }

    fn open_block(&mut self) {
        let open = self.advance().span();
        let first_item = self.block_items.len();
        let scopes = self.scopes.depth();
        self.scopes.open();
        self.frames.push(Frame::Block { open, first_item, scopes });
    }

    /// The next statement, or the end of the innermost block if that is what
    /// comes and is awaited.
    fn statement_or_end(&mut self) -> Parsed<Begun> {
        if let Some(&Frame::Block { open, first_item, scopes }) = self.frames.last() {
            match self.kind() {
                TokenKind::RightBrace => {
                    let close = self.advance();
                    let items: Box<[StmtId]> = self.block_items.drain(first_item..).collect();
                    self.frames.pop();
                    self.scopes.close_to(scopes);
                    let span = open.to(close.span());
                    return Ok(Begun::Complete(self.stmt(StmtKind::Compound(items), span)));
                }
                TokenKind::Eof => return Err(self.unclosed(TokenKind::RightBrace, open)),
                _ => {}
            }
        }
        let before = self.at;
        let frames = self.frames.len();
        let scopes = self.scopes.depth();
        match self.begin_statement() {
            Ok(begun) => Ok(begun),
            Err(_) => {
                self.frames.truncate(frames);
                self.scopes.close_to(scopes);
                self.recover();
                // Something must be taken, unless it ends the block.
                if self.at == before && !matches!(self.kind(), TokenKind::RightBrace) {
                    self.advance();
                }
                let here = Span::new(self.previous_end(), self.previous_end());
                Ok(Begun::Complete(self.stmt(StmtKind::Empty, here)))
            }
        }
    }

    fn begin_statement(&mut self) -> Parsed<Begun> {
        if self.at_attribute() && !self.is_declaration_behind_attributes() {
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            self.unit.statement_attributes.extend(attributes);
        }
        let token = self.token();
        let start = token.start;
        let in_block = matches!(self.frames.last(), Some(Frame::Block { .. }));
        let frame = match token.kind {
            TokenKind::LeftBrace => {
                self.open_block();
                return Ok(Begun::Open);
            }
            TokenKind::If => {
                self.advance();
                Frame::Then { start, condition: self.parenthesized()? }
            }
            TokenKind::While => {
                self.advance();
                let condition = self.parenthesized()?;
                self.cbmc_loop_clauses(start)?;
                Frame::While { start, condition }
            }
            TokenKind::Do => {
                self.advance();
                Frame::Do { start }
            }
            TokenKind::For => match self.for_head() {
                Ok(frame) => frame,
                Err(failed) => {
                    self.skip_for_head();
                    return Err(failed);
                }
            },
            TokenKind::Switch => {
                self.advance();
                Frame::Switch { start, value: self.parenthesized()? }
            }
            TokenKind::Case => {
                self.advance();
                let low = self.assignment()?;
                let high = self.behind(TokenKind::Ellipsis, Self::assignment)?;
                self.expect(TokenKind::Colon)?;
                Frame::Case { start, low, high }
            }
            TokenKind::Default => {
                self.advance();
                self.expect(TokenKind::Colon)?;
                Frame::Default { start }
            }
            TokenKind::Identifier if self.peek(1).kind == TokenKind::Colon => self.label()?,
            _ if in_block && self.at_block_declaration() => {
                return self.declaration_statement().map(Begun::Complete);
            }
            _ => return self.simple_statement().map(Begun::Complete),
        };
        let is_label =
            matches!(frame, Frame::Case { .. } | Frame::Default { .. } | Frame::Label { .. });
        self.frames.push(frame);
        // A label at the end of a block or before a declaration marks an empty
        // statement (gcc admits both).
        if is_label && (self.at(TokenKind::RightBrace) || self.at_block_declaration()) {
            let here = Span::new(self.previous_end(), self.previous_end());
            return Ok(Begun::Complete(self.stmt(StmtKind::Empty, here)));
        }
        Ok(Begun::Open)
    }

    /// A label with its colon and its attributes.
    fn label(&mut self) -> Parsed<Frame> {
        let token = self.token();
        self.advance();
        self.advance();
        let mut attributes = Vec::new();
        if self.at_attribute() && !self.is_declaration_behind_attributes() {
            self.attributes(&mut attributes)?;
        }
        let (start, name, name_span) = (token.start, token.symbol, token.span());
        Ok(Frame::Label { start, name, name_span, attributes: attributes.into() })
    }

    /// Gives a complete statement to the innermost frame. Returns the
    /// statement that is complete by this, if any.
    fn complete(&mut self, id: StmtId) -> Option<StmtId> {
        let (kind, start) = match self.frames.pop()? {
            block @ Frame::Block { .. } => {
                self.frames.push(block);
                self.block_items.push(id);
                return None;
            }
            Frame::Then { start, condition } => {
                if self.accept(TokenKind::Else).is_some() {
                    self.frames.push(Frame::Else { start, condition, then: id });
                    return None;
                }
                (StmtKind::If { condition, then: id, otherwise: None }, start)
            }
            Frame::Else { start, condition, then } => {
                (StmtKind::If { condition, then, otherwise: Some(id) }, start)
            }
            Frame::While { start, condition } => (StmtKind::While { condition, body: id }, start),
            Frame::Do { start } => match self.do_condition(start) {
                Ok(condition) => (StmtKind::DoWhile { body: id, condition }, start),
                Err(_) => {
                    self.recover();
                    (StmtKind::Empty, start)
                }
            },
            Frame::For { start, init, condition, step, scopes } => {
                self.scopes.close_to(scopes);
                (StmtKind::For { init, condition, step, body: id }, start)
            }
            Frame::Switch { start, value } => (StmtKind::Switch { value, body: id }, start),
            Frame::Case { start, low, high } => (StmtKind::Case { low, high, body: id }, start),
            Frame::Default { start } => (StmtKind::Default { body: id }, start),
            Frame::Label { start, name, name_span, attributes } => {
                (StmtKind::Label { name, name_span, attributes, body: id }, start)
            }
        };
        let span = self.span_from(start);
        Some(self.stmt(kind, span))
    }

    fn do_condition(&mut self, start: u32) -> Parsed<ExprId> {
        self.expect(TokenKind::While)?;
        let condition = self.parenthesized()?;
        self.cbmc_loop_clauses(start)?;
        self.expect_semicolon()?;
        Ok(condition)
    }

    /// After an error in the head of a `for`: skips the rest of the head, lest
    /// its semicolons be taken for the end of the statement.
    fn skip_for_head(&mut self) {
        let mut depth = 1usize;
        while depth > 0 {
            match self.kind() {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Eof => return,
                _ => {}
            }
            self.advance();
        }
    }

    fn for_head(&mut self) -> Parsed<Frame> {
        let start = self.advance().start;
        let open = self.expect(TokenKind::LeftParen)?;
        let scopes = self.scopes.depth();
        self.scopes.open();
        let init = if self.accept(TokenKind::Semicolon).is_some() {
            None
        } else if self.at_declaration() {
            let declaration = self.plain_declaration()?;
            let span = self.unit.decls[declaration].span;
            Some(self.stmt(StmtKind::Declaration(declaration), span))
        } else {
            let from = self.token().start;
            let value = self.expression()?;
            self.expect(TokenKind::Semicolon)?;
            let span = self.span_from(from);
            Some(self.stmt(StmtKind::Expr(value), span))
        };
        let condition = self.expression_unless(TokenKind::Semicolon)?;
        self.expect(TokenKind::Semicolon)?;
        let step = self.expression_unless(TokenKind::RightParen)?;
        self.expect_closing(TokenKind::RightParen, open.span())?;
        self.cbmc_loop_clauses(start)?;
        Ok(Frame::For { start, init, condition, step, scopes })
    }

    /// An expression, or nothing before this token.
    fn expression_unless(&mut self, end: TokenKind) -> Parsed<Option<ExprId>> {
        if self.at(end) { Ok(None) } else { self.expression().map(Some) }
    }

    /// Whether a declaration, static assertion or list of local labels begins
    /// at the current token.
    fn at_block_declaration(&self) -> bool {
        self.at_declaration()
            || matches!(self.kind(), TokenKind::StaticAssert | TokenKind::Label)
            || self.at_attribute() && self.is_declaration_behind_attributes()
    }

    /// The current token being an attribute: whether it begins a declaration
    /// rather than a statement.
    fn is_declaration_behind_attributes(&self) -> bool {
        let mut index = 0;
        loop {
            match self.peek(index).kind {
                TokenKind::Attribute => index = self.behind_parentheses(index + 1),
                TokenKind::LeftBracket if self.peek(index + 1).kind == TokenKind::LeftBracket => {
                    while !matches!(self.peek(index).kind, TokenKind::RightBracket | TokenKind::Eof)
                    {
                        index += 1;
                    }
                    index += 2;
                }
                TokenKind::Extension => index += 1,
                kind => return kind.starts_declaration() || self.is_type_at(self.at + index),
            }
        }
    }

    fn declaration_statement(&mut self) -> Parsed<StmtId> {
        let start = self.token().start;
        let kind = match self.kind() {
            TokenKind::StaticAssert => StmtKind::StaticAssert(self.static_assert()?),
            TokenKind::Label => {
                self.advance();
                let labels = self.list(Self::identifier)?;
                self.expect_semicolon()?;
                StmtKind::LocalLabels(labels.into())
            }
            _ => self.block_declaration()?,
        };
        Ok(self.stmt(kind, self.span_from(start)))
    }

    /// A statement without statements in it.
    fn simple_statement(&mut self) -> Parsed<StmtId> {
        let start = self.token().start;
        let kind = match self.kind() {
            TokenKind::Asm => {
                // Its end belongs to it at file scope too.
                let kind = StmtKind::Asm(self.asm()?);
                return Ok(self.stmt(kind, self.span_from(start)));
            }
            TokenKind::Semicolon => StmtKind::Empty,
            TokenKind::Goto => {
                self.advance();
                match self.behind(TokenKind::Star, Self::expression)? {
                    Some(target) => StmtKind::ComputedGoto { target },
                    None => {
                        let (label, label_span) = self.identifier()?;
                        StmtKind::Goto { label, label_span }
                    }
                }
            }
            TokenKind::Break => {
                self.advance();
                StmtKind::Break
            }
            TokenKind::Continue => {
                self.advance();
                StmtKind::Continue
            }
            TokenKind::Return => {
                self.advance();
                StmtKind::Return(self.expression_unless(TokenKind::Semicolon)?)
            }
            TokenKind::Else => return Err(self.expected("statement")),
            kind if kind.starts_declaration() => return Err(self.expected("statement")),
            _ => StmtKind::Expr(self.expression()?),
        };
        self.expect_semicolon()?;
        Ok(self.stmt(kind, self.span_from(start)))
    }
}

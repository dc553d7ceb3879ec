//! Initialisers. Lists in lists are frames on a stack.

use super::stacks::List;
use super::state::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn initializer(&mut self) -> Parsed<InitId> {
        if !self.at(TokenKind::LeftBrace) {
            return self.initializer_expression();
        }
        let frames = self.init_frames.len();
        let items = self.init_items.len();
        let result = self.nested(|p| p.initializer_list(frames));
        self.init_frames.truncate(frames);
        self.init_items.truncate(items);
        result
    }

    fn initializer_expression(&mut self) -> Parsed<InitId> {
        let operand = self.assignment_operand()?;
        let (kind, span) = (InitializerKind::Expr(operand.id), operand.span);
        Ok(self.unit.inits.push(Initializer { kind, span }))
    }

    fn initializer_list(&mut self, floor: usize) -> Parsed<InitId> {
        self.open_list();
        loop {
            // At an element or the end of the innermost list.
            let mut value = if self.at(TokenKind::RightBrace) {
                self.close_list()?
            } else {
                let designators = self.designation()?;
                self.innermost_list().designators = designators;
                if self.at(TokenKind::LeftBrace) {
                    self.open_list();
                    continue;
                }
                self.initializer_expression()?
            };
            // A value is complete: add it, and close the lists that end here.
            loop {
                if self.init_frames.len() == floor {
                    return Ok(value);
                }
                let designators = std::mem::take(&mut self.innermost_list().designators);
                self.init_items.push(InitializerItem { designators, value });
                if self.accept(TokenKind::Comma).is_some() {
                    break;
                }
                value = self.close_list()?;
            }
        }
    }

    /// Required: called only while a list is open.
    fn innermost_list(&mut self) -> &mut List {
        self.init_frames.last_mut().expect("an initialiser list is open")
    }

    fn open_list(&mut self) {
        let open = self.advance().span();
        let first_item = self.init_items.len();
        self.init_frames.push(List { open, first_item, designators: Box::new([]) });
    }

    fn close_list(&mut self) -> Parsed<InitId> {
        let List { open, first_item, .. } = *self.innermost_list();
        let close = self.expect_closing(TokenKind::RightBrace, open)?;
        let items: Box<[InitializerItem]> = self.init_items.drain(first_item..).collect();
        self.init_frames.pop();
        let (kind, span) = (InitializerKind::List(items), open.to(close.span()));
        Ok(self.unit.inits.push(Initializer { kind, span }))
    }

    /// `.field[index] =`, the old `field:` and `[index]`, or nothing.
    fn designation(&mut self) -> Parsed<Box<[Designator]>> {
        let mut designators = Vec::new();
        if self.at(TokenKind::Identifier) && self.peek(1).kind == TokenKind::Colon {
            let (field, span) = self.identifier()?;
            self.advance();
            let kind = DesignatorKind::Field(field);
            designators.push(Designator { kind, span });
            return Ok(designators.into());
        }
        loop {
            let start = self.token().start;
            let kind = match self.kind() {
                TokenKind::Dot => {
                    self.advance();
                    DesignatorKind::Field(self.identifier()?.0)
                }
                TokenKind::LeftBracket => {
                    let open = self.advance();
                    let low = self.assignment()?;
                    let kind = match self.accept(TokenKind::Ellipsis) {
                        Some(_) => DesignatorKind::Range(low, self.assignment()?),
                        None => DesignatorKind::Index(low),
                    };
                    self.expect_closing(TokenKind::RightBracket, open.span())?;
                    kind
                }
                _ => break,
            };
            designators.push(Designator { kind, span: self.span_from(start) });
        }
        if let Some(last) = designators.last()
            && self.accept(TokenKind::Equal).is_none()
            && !matches!(last.kind, DesignatorKind::Index(_) | DesignatorKind::Range(..))
        {
            return Err(self.expected("`=`"));
        }
        Ok(designators.into())
    }
}

//! Declarations and function definitions, at file scope and in blocks.

use bolide_base::{Diagnostic, Span};

use super::state::{Failed, ImplicitInt, NameRule, Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;

/// What a declaration turned out to be.
enum Declared {
    Declaration(DeclId),
    Function(FunctionId),
}

impl Parser<'_> {
    /// The whole file.
    pub(super) fn translation_unit(&mut self) {
        while !self.at(TokenKind::Eof) {
            let before = self.at;
            let depth = self.scopes.depth();
            match self.external_declaration() {
                Ok(Some(item)) => self.unit.items.push(item),
                Ok(None) => {}
                Err(_) => {
                    self.scopes.close_to(depth);
                    self.recover();
                    // A `}` too many: the error is reported already.
                    if self.at == before || self.at(TokenKind::RightBrace) {
                        self.advance();
                        self.accept(TokenKind::Semicolon);
                    }
                }
            }
        }
    }

    fn external_declaration(&mut self) -> Parsed<Option<Item>> {
        let start = self.token().start;
        let kind = match self.kind() {
            TokenKind::Semicolon => {
                self.advance();
                return Ok(None);
            }
            TokenKind::Asm => ItemKind::Asm(self.asm()?),
            TokenKind::StaticAssert => ItemKind::StaticAssert(self.static_assert()?),
            TokenKind::Extension if self.peek(1).kind == TokenKind::Asm => {
                self.advance();
                ItemKind::Asm(self.asm()?)
            }
            kind => {
                let is_start = kind.starts_declaration()
                    || self.at_attribute()
                    || matches!(
                        kind,
                        TokenKind::Identifier
                            | TokenKind::Extension
                            | TokenKind::Star
                            | TokenKind::LeftParen
                    );
                if !is_start {
                    return Err(self.expected("declaration"));
                }
                match self.declaration_or_function(ImplicitInt::Allowed)? {
                    Declared::Declaration(id) => ItemKind::Declaration(id),
                    Declared::Function(id) => ItemKind::Function(id),
                }
            }
        };
        Ok(Some(Item { kind, span: self.span_from(start) }))
    }

    /// Whether a declaration begins at the current token, in a block.
    pub(super) fn at_declaration(&self) -> bool {
        let token = self.token();
        match token.kind {
            TokenKind::Identifier if self.scopes.is_typedef(token.symbol) => {
                self.peek(1).kind != TokenKind::Colon
            }
            // `name name` can only be a declaration with an unknown type.
            TokenKind::Identifier => {
                let next = self.peek(1).kind;
                next == TokenKind::Identifier
                    && matches!(
                        self.peek(2).kind,
                        TokenKind::Semicolon
                            | TokenKind::Equal
                            | TokenKind::Comma
                            | TokenKind::LeftBracket
                    )
            }
            TokenKind::Extension => {
                let mut index = self.at;
                while self.tokens[index].kind == TokenKind::Extension {
                    index += 1;
                }
                self.is_type_at(index) || self.tokens[index].kind.starts_declaration()
            }
            kind => kind.starts_declaration(),
        }
    }

    /// A declaration in a block, or a function (gcc).
    pub(super) fn block_declaration(&mut self) -> Parsed<StmtKind> {
        Ok(match self.declaration_or_function(ImplicitInt::WithSpecifier)? {
            Declared::Declaration(id) => StmtKind::Declaration(id),
            Declared::Function(id) => StmtKind::Function(id),
        })
    }

    /// A declaration where no function can be.
    pub(super) fn plain_declaration(&mut self) -> Parsed<DeclId> {
        match self.declaration_or_function(ImplicitInt::WithSpecifier)? {
            Declared::Declaration(id) => Ok(id),
            Declared::Function(id) => {
                let span = self.unit.functions[id].declarator.name_span;
                self.report_in_passing(Diagnostic::error(span, "a function cannot stand here"));
                Err(Failed)
            }
        }
    }

    fn declaration_or_function(&mut self, implicit: ImplicitInt) -> Parsed<Declared> {
        let start = self.token().start;
        let first = self.unit.contracts.clauses.len();
        let specifiers = self.specifiers(implicit)?;
        if self.at(TokenKind::Semicolon) {
            self.advance();
            return Ok(self.finish_declaration(specifiers, Vec::new(), start));
        }
        // Most declarations have one declarator; a vector would begin with four.
        let mut declarators = Vec::with_capacity(1);
        let is_typedef = matches!(specifiers.storage, Some((StorageClass::Typedef, _)));
        loop {
            let declarator_start = self.token().start;
            let mut declarator = match declarators.is_empty() {
                true => self.declarator(NameRule::With)?,
                false => self.attributed_declarator(false)?,
            };
            self.declarator_trailer(&mut declarator)?;
            self.own_clauses(first, Span::new(start, start));
            if let Some(name) = declarator.name {
                self.scopes.declare(name, is_typedef);
            }
            if declarators.is_empty() && self.is_function_body(&declarator) {
                return self.function(specifiers, declarator, start).map(Declared::Function);
            }
            let initializer = self.behind(TokenKind::Equal, Self::initializer)?;
            let span = self.span_from(declarator_start);
            declarators.push(InitDeclarator { declarator, initializer, span });
            match self.kind() {
                TokenKind::Comma => self.advance(),
                TokenKind::Semicolon => break,
                // Where the `;` was only forgotten, the declaration counts.
                _ => {
                    self.expect_semicolon()?;
                    return Ok(self.finish_declaration(specifiers, declarators, start));
                }
            };
        }
        self.advance();
        Ok(self.finish_declaration(specifiers, declarators, start))
    }

    fn finish_declaration(
        &mut self,
        specifiers: Specifiers,
        declarators: Vec<InitDeclarator>,
        start: u32,
    ) -> Declared {
        let span = self.span_from(start);
        Declared::Declaration(self.unit.decls.push(Declaration { specifiers, declarators, span }))
    }

    /// Whether the body, or the K&R parameters, of a function follow.
    fn is_function_body(&self, declarator: &Declarator) -> bool {
        let Some(parameters) = declarator.function_parameters() else { return false };
        if self.at(TokenKind::LeftBrace) {
            return true;
        }
        matches!(self.unit.params[parameters].kind, ParametersKind::Names(_))
            && (self.kind().starts_declaration()
                || self.at(TokenKind::Identifier)
                || self.at(TokenKind::Extension))
    }

    fn function(
        &mut self,
        specifiers: Specifiers,
        declarator: Declarator,
        start: u32,
    ) -> Parsed<FunctionId> {
        let depth = self.scopes.depth();
        self.scopes.open();
        let result = self.function_rest(specifiers, declarator, start);
        self.scopes.close_to(depth);
        result
    }

    fn function_rest(
        &mut self,
        specifiers: Specifiers,
        declarator: Declarator,
        start: u32,
    ) -> Parsed<FunctionId> {
        let mut names: Vec<Symbol> = Vec::new();
        if let Some(parameters) = declarator.function_parameters() {
            match &self.unit.params[parameters].kind {
                ParametersKind::Unspecified => {}
                ParametersKind::Names(list) => names.extend(list.iter().map(|(name, _)| name)),
                ParametersKind::Prototype { parameters, .. } => {
                    names.extend(parameters.iter().filter_map(|p| p.declarator.name));
                }
            }
        }
        for name in names {
            self.scopes.declare(name, false);
        }
        let mut parameter_declarations = Vec::new();
        while !self.at(TokenKind::LeftBrace) {
            let is_start = self.kind().starts_declaration()
                || matches!(self.kind(), TokenKind::Identifier | TokenKind::Extension);
            if !is_start {
                return Err(self.expected("`{`"));
            }
            let id = self.plain_declaration()?;
            parameter_declarations.push(id);
        }
        let body = self.compound_statement()?;
        let span = self.span_from(start);
        Ok(self.unit.functions.push(FunctionDefinition {
            specifiers,
            declarator,
            parameter_declarations,
            body,
            span,
        }))
    }
}

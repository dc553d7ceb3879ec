//! The parser's state: tokens, errors, depth and what has been built. It knows no grammar; the
//! modules beside it add that as methods, so that they may call each other without knowing
//! each other's files.

use bolide_base::{Diagnostic, Span};

use super::pack;
use super::scope::Scopes;
use super::stacks::{Frame, List, Operand, Operator};
use crate::ast::*;
use crate::token::{Token, TokenKind};

/// How deep what is parsed by recursion may nest: structs in structs,
/// parameters in parameters, statement expressions in statement expressions.
/// Parentheses, operators, blocks, `else if` and initialiser lists are not
/// limited.
pub const MAX_NESTING: u32 = 4096;

/// From this depth on the parser runs on a thread of its own. Half a megabyte
/// of the caller's stack is enough for what lies above.
const NESTING_ON_CALLER: u32 = 40;

/// Room for [`MAX_NESTING`] levels of 32 KiB each, several times what a debug
/// build needs. The system commits only what is touched.
const DEEP_STACK: usize = MAX_NESTING as usize * 32 * 1024;

/// What the parser may be told.
#[derive(Clone, Debug)]
pub struct ParseOptions {
    /// After so many errors parsing stops.
    pub max_errors: usize,
    /// `bool`, `true`, `nullptr`, `static_assert` and the other keywords of C23.
    pub c23: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions { max_errors: 20, c23: false }
    }
}

/// Whether a missing type specifier can mean `int`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ImplicitInt {
    /// At file scope, where even all specifiers may be missing.
    Allowed,
    /// In blocks, parameters and members, when there is a storage class or
    /// qualifier.
    WithSpecifier,
    /// In type names.
    Never,
}

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NameRule {
    /// In declarations.
    With,
    /// In parameters.
    Perhaps,
    /// In type names.
    Without,
}

/// The error is recorded already; whoever knows how to go on catches this.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

/// The parser: its place in the tokens, what it has built, and what is still open.
pub(super) struct Parser<'s> {
    pub text: &'s str,
    pub options: &'s ParseOptions,
    pub unit: TranslationUnit,
    pub tokens: Vec<Token>,
    /// Index of the current token; never beyond the final `Eof`.
    pub at: usize,
    pub diagnostics: Vec<Diagnostic>,
    pub errors: usize,
    /// Start of the token at which the last error was reported.
    pub last_error: Option<u32>,
    pub scopes: Scopes,
    pub nesting: u32,
    /// Each `#pragma pack`: from this offset on, this alignment.
    pub packs: Vec<(u32, Option<u32>)>,
    // Stacks shared by all activations, each of which works above the height
    // it found: so most parsing allocates nothing.
    pub operators: Vec<Operator>,
    pub operands: Vec<Operand>,
    pub frames: Vec<Frame>,
    pub block_items: Vec<StmtId>,
    pub init_items: Vec<InitializerItem>,
    pub derived: Vec<Derived>,
    pub init_frames: Vec<List>,
}

/// Types that CBMC knows without a declaration.
const BUILTIN_TYPES: [&str; 3] = ["__CPROVER_size_t", "__CPROVER_ssize_t", "__CPROVER_bool"];

impl<'s> Parser<'s> {
    pub fn new(
        text: &'s str,
        unit: TranslationUnit,
        tokens: Vec<Token>,
        diagnostics: Vec<Diagnostic>,
        options: &'s ParseOptions,
    ) -> Self {
        let packs = pack::pack_states(&unit.pragmas);
        let mut scopes = Scopes::new(unit.names.len());
        for name in BUILTIN_TYPES {
            if let Some(symbol) = unit.names.get(name) {
                scopes.declare(symbol, true);
            }
        }
        Parser {
            text,
            options,
            unit,
            tokens,
            at: 0,
            errors: diagnostics.len(),
            diagnostics,
            last_error: None,
            scopes,
            nesting: 0,
            packs,
            operators: Vec::new(),
            operands: Vec::new(),
            frames: Vec::new(),
            block_items: Vec::new(),
            init_items: Vec::new(),
            derived: Vec::new(),
            init_frames: Vec::new(),
        }
    }

    // Looking at tokens.

    #[inline]
    pub fn token(&self) -> Token {
        self.tokens[self.at]
    }

    #[inline]
    pub fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The token `ahead` of the current one.
    #[inline]
    pub fn peek(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    #[inline]
    pub fn advance(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != TokenKind::Eof {
            self.at += 1;
        }
        token
    }

    #[inline]
    pub fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Takes the current token if it is of this kind.
    #[inline]
    pub fn accept(&mut self, kind: TokenKind) -> Option<Token> {
        if self.kind() == kind { Some(self.advance()) } else { None }
    }

    pub fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.kind() == kind { Ok(self.advance()) } else { Err(self.expected(kind.text())) }
    }

    /// Expects the `closing` bracket of the one at `opening`.
    pub fn expect_closing(&mut self, closing: TokenKind, opening: Span) -> Parsed<Token> {
        if self.kind() == closing {
            return Ok(self.advance());
        }
        Err(self.unclosed(closing, opening))
    }

    pub fn unclosed(&mut self, closing: TokenKind, opening: Span) -> Failed {
        let diagnostic = self.expectation(closing.text());
        self.report(diagnostic.with_related(opening, "to match this"))
    }

    pub fn identifier(&mut self) -> Parsed<(Symbol, Span)> {
        if self.kind() == TokenKind::Identifier {
            let token = self.advance();
            Ok((token.symbol, token.span()))
        } else {
            Err(self.expected("identifier"))
        }
    }

    /// What stands between parentheses.
    pub fn in_parentheses<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let open = self.expect(TokenKind::LeftParen)?;
        let inner = parse(self)?;
        self.expect_closing(TokenKind::RightParen, open.span())?;
        Ok(inner)
    }

    /// What follows a token of this kind, if there is one.
    pub fn behind<T>(
        &mut self,
        kind: TokenKind,
        parse: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        if self.accept(kind).is_some() { parse(self).map(Some) } else { Ok(None) }
    }

    /// Items between commas, one at least.
    pub fn list<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.list_while(|_| true, item)
    }

    /// Items between commas, as long as one begins.
    pub fn list_while<T>(
        &mut self,
        begins: impl Fn(&Self) -> bool,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while begins(self) {
            let item = item(self)?;
            if items.is_empty() {
                // Most lists have one item; a vector would begin with four.
                items.reserve_exact(1);
            }
            items.push(item);
            if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        Ok(items)
    }

    /// Where the token before the current one ends.
    pub fn previous_end(&self) -> u32 {
        match self.at.checked_sub(1) {
            Some(i) => self.tokens[i].end,
            None => self.token().start,
        }
    }

    /// From `start` to the end of the token before the current one.
    pub fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end().max(start))
    }

    pub fn token_text(&self, token: Token) -> &'s str {
        let base = self.unit.span.start;
        &self.text[(token.start - base) as usize..(token.end - base) as usize]
    }

    /// Whether a line ends between the previous token and the current one.
    fn at_new_line(&self) -> bool {
        let base = self.unit.span.start;
        let between = (self.previous_end() - base) as usize..(self.token().start - base) as usize;
        self.text.get(between).is_some_and(|s| s.contains('\n'))
    }

    /// Whether the token at `index` can begin a type name.
    #[inline]
    pub fn is_type_at(&self, index: usize) -> bool {
        let token = self.tokens[index.min(self.tokens.len() - 1)];
        match token.kind {
            TokenKind::Identifier => self.scopes.is_typedef(token.symbol),
            kind => kind.starts_type(),
        }
    }

    // Errors.

    /// Records an error at the current token: "expected X, found Y".
    pub fn expected(&mut self, what: &str) -> Failed {
        let diagnostic = self.expectation(what);
        self.report(diagnostic)
    }

    fn expectation(&self, what: &str) -> Diagnostic {
        let token = self.token();
        if token.kind == TokenKind::Bad {
            return Diagnostic::error(token.span(), self.what_is_bad(token));
        }
        let found = self.found(token);
        let error = Diagnostic::error(token.span(), format!("expected {what}, found {found}"));
        match self.suspected_type() {
            Some(name) => error.with_help(format!("is `{name}` a type that is not declared?")),
            None => error,
        }
    }

    /// The name in `(name) operand` or `(name *)`, which would be right if it
    /// were a type.
    fn suspected_type(&self) -> Option<&str> {
        let before = |distance: usize| self.at.checked_sub(distance).map(|i| self.tokens[i]);
        let kind = |distance: usize| before(distance).map(|t| t.kind);
        let name = match (self.kind(), kind(1)?) {
            (
                TokenKind::Identifier | TokenKind::Number | TokenKind::String | TokenKind::Char,
                TokenKind::RightParen,
            )
            | (TokenKind::RightParen, TokenKind::Star) => before(2)?,
            _ => return None,
        };
        let is_alone = name.kind == TokenKind::Identifier && kind(3)? == TokenKind::LeftParen;
        is_alone.then(|| self.unit.name(name.symbol))
    }

    pub fn found(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "end of file".to_owned(),
            TokenKind::String => "string literal".to_owned(),
            _ => {
                let text = self.token_text(token);
                match text.char_indices().nth(40) {
                    Some((cut, _)) => format!("`{}...`", &text[..cut]),
                    None => format!("`{text}`"),
                }
            }
        }
    }

    fn what_is_bad(&self, token: Token) -> String {
        let text = self.token_text(token);
        match text.bytes().find(|b| !matches!(b, b'L' | b'u' | b'U' | b'8')) {
            Some(b'"') => "unterminated string literal".to_owned(),
            Some(b'\'') => "unterminated character constant".to_owned(),
            Some(b'/') => "unterminated comment".to_owned(),
            Some(b'_') => "expected `(\"...\")` after `_Pragma`".to_owned(),
            _ => format!("stray `{}` in program", text.escape_debug()),
        }
    }

    /// Records an error, unless the last one was at the same token: then this
    /// one is but its consequence.
    pub fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        let start = self.token().start;
        if self.last_error != Some(start) {
            self.last_error = Some(start);
            self.report_in_passing(diagnostic);
        }
        Failed
    }

    /// Records an error after which parsing goes on as if nothing happened.
    pub fn report_in_passing(&mut self, diagnostic: Diagnostic) {
        if self.errors >= self.options.max_errors {
            return;
        }
        self.errors += 1;
        self.diagnostics.push(diagnostic);
        if self.errors == self.options.max_errors {
            self.at = self.tokens.len() - 1;
            self.last_error = Some(self.token().start);
        }
    }

    /// Expects the `;` that ends a statement or declaration. Before a new line
    /// or `}` a missing one is only reported, and parsing goes on behind it.
    pub fn expect_semicolon(&mut self) -> Parsed<()> {
        if self.accept(TokenKind::Semicolon).is_some() {
            return Ok(());
        }
        let forgotten = self.at_new_line() || self.at(TokenKind::RightBrace);
        let failed = self.expected("`;`");
        if forgotten && !self.at(TokenKind::Eof) { Ok(()) } else { Err(failed) }
    }

    /// Skips what is left of a statement, declaration or member after an
    /// error: behind the next `;` outside brackets, behind a block, or before
    /// the `}` that encloses it.
    pub fn recover(&mut self) {
        let mut braces = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::LeftBrace => braces += 1,
                TokenKind::RightBrace if braces == 0 => return,
                TokenKind::RightBrace => {
                    braces -= 1;
                    if braces == 0 {
                        self.advance();
                        match self.kind() {
                            // What follows still belongs to it.
                            TokenKind::Else | TokenKind::Comma | TokenKind::RightParen => continue,
                            TokenKind::Semicolon => self.at += 1,
                            _ => {}
                        }
                        return;
                    }
                }
                TokenKind::Semicolon if braces == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    // Depth.

    /// Parses something one level deeper.
    #[inline]
    pub fn nested<T: Send>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Parsed<T> + Send,
    ) -> Parsed<T> {
        self.nesting += 1;
        let result =
            if self.nesting < NESTING_ON_CALLER { parse(self) } else { self.nested_deep(parse) };
        self.nesting -= 1;
        result
    }

    #[cold]
    #[inline(never)]
    fn nested_deep<T: Send>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Parsed<T> + Send,
    ) -> Parsed<T> {
        if self.nesting > MAX_NESTING {
            return Err(self.too_deep());
        }
        if self.nesting != NESTING_ON_CALLER {
            return parse(self);
        }
        let parser = &mut *self;
        let result = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .name("parser".to_owned())
                .stack_size(DEEP_STACK)
                .spawn_scoped(scope, move || parse(parser));
            thread.map(|t| t.join())
        });
        match result {
            Ok(Ok(parsed)) => parsed,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => {
                let message = "nested too deeply for the memory at hand";
                Err(self.report(Diagnostic::error(self.token().span(), message)))
            }
        }
    }

    fn too_deep(&mut self) -> Failed {
        let message = format!("nested too deeply (more than {MAX_NESTING} levels)");
        self.report(Diagnostic::error(self.token().span(), message))
    }

    // Building.

    pub fn expr(&mut self, kind: ExprKind, span: Span) -> Operand {
        Operand { id: self.unit.exprs.push(Expr { kind, span }), span }
    }

    pub fn stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.unit.stmts.push(Stmt { kind, span })
    }
}

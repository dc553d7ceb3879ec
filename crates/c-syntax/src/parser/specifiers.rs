//! Declaration specifiers and type names.
//!
//! The keywords of an arithmetic type come in any order; they are counted and
//! sorted out at the end.

use bolide_base::{Diagnostic, Span};

use super::declarator::NameRule;
use super::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;

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

/// The arithmetic keywords that were seen.
#[derive(Default)]
struct Keywords {
    longs: u8,
    short: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
    /// `char`, `int`, `float`, `double`, `__int128`, `_Float64` and so on.
    main: Option<TokenKind>,
}

impl Keywords {
    fn any(&self) -> bool {
        self.longs > 0
            || self.short
            || self.signed
            || self.unsigned
            || self.complex
            || self.main.is_some()
    }

    /// The type that they name together.
    fn arithmetic(&self) -> Option<ArithmeticType> {
        use ArithmeticKind::*;
        let is_unsigned = self.unsigned;
        let signs = self.signed || self.unsigned;
        let sizes = self.short || self.longs > 0;
        if self.signed && self.unsigned || self.short && self.longs > 0 || self.longs > 2 {
            return None;
        }
        let kind = match self.main {
            // A lone `_Complex` is `_Complex double`.
            None if self.complex && !signs && !sizes => Double,
            None | Some(TokenKind::Int) => match (self.short, self.longs, is_unsigned) {
                (true, _, false) => Short,
                (true, _, true) => UnsignedShort,
                (_, 0, false) => Int,
                (_, 0, true) => UnsignedInt,
                (_, 1, false) => Long,
                (_, 1, true) => UnsignedLong,
                (_, _, false) => LongLong,
                (_, _, true) => UnsignedLongLong,
            },
            Some(TokenKind::CharType) if !sizes => match (self.signed, self.unsigned) {
                (true, _) => SignedChar,
                (_, true) => UnsignedChar,
                _ => Char,
            },
            Some(TokenKind::Int128) if !sizes => {
                if is_unsigned {
                    UnsignedInt128
                } else {
                    Int128
                }
            }
            Some(TokenKind::Double) if self.longs == 1 && !signs && !self.short => LongDouble,
            Some(other) if !signs && !sizes => match other {
                TokenKind::Bool => Bool,
                TokenKind::Float => Float,
                TokenKind::Double => Double,
                TokenKind::Int128T => Int128,
                TokenKind::Uint128T => UnsignedInt128,
                TokenKind::Float16 => Float16,
                TokenKind::Float32 => Float32,
                TokenKind::Float64 => Float64,
                TokenKind::Float128 => Float128,
                TokenKind::Float32x => Float32x,
                TokenKind::Float64x => Float64x,
                TokenKind::Decimal32 => Decimal32,
                TokenKind::Decimal64 => Decimal64,
                TokenKind::Decimal128 => Decimal128,
                _ => return None,
            },
            Some(_) => return None,
        };
        Some(ArithmeticType { kind, is_complex: self.complex })
    }
}

impl Parser<'_> {
    /// Specifiers and qualifiers up to the first declarator.
    pub(super) fn specifiers(&mut self, implicit: ImplicitInt) -> Parsed<Specifiers> {
        self.nested(|p| p.specifiers_here(implicit))
    }

    fn specifiers_here(&mut self, implicit: ImplicitInt) -> Parsed<Specifiers> {
        let start = self.token().start;
        let first = self.at;
        let mut storage: Option<(StorageClass, Span)> = None;
        let (mut is_thread_local, mut is_inline, mut is_noreturn) = (false, false, false);
        let mut qualifiers = Qualifiers::NONE;
        let mut attributes = Vec::new();
        let mut alignments = Vec::new();
        let mut keywords = Keywords::default();
        let mut base: Option<BaseType> = None;
        let mut base_span = Span::NONE;
        loop {
            let token = self.token();
            let has_type = base.is_some() || keywords.any();
            match token.kind {
                TokenKind::Identifier => {
                    if has_type {
                        break;
                    }
                    if !self.scopes.is_typedef(token.symbol) {
                        if !self.is_unknown_type(implicit, first) {
                            break;
                        }
                        self.unknown_type();
                    }
                    self.advance();
                    base = Some(BaseType::Typedef(token.symbol));
                    base_span = token.span();
                }
                TokenKind::Const | TokenKind::Volatile | TokenKind::Restrict => {
                    self.qualifier(&mut qualifiers);
                }
                TokenKind::Atomic if self.peek(1).kind != TokenKind::LeftParen => {
                    self.qualifier(&mut qualifiers);
                }
                TokenKind::Typedef
                | TokenKind::Extern
                | TokenKind::Static
                | TokenKind::Auto
                | TokenKind::Register => {
                    let class = match token.kind {
                        TokenKind::Typedef => StorageClass::Typedef,
                        TokenKind::Extern => StorageClass::Extern,
                        TokenKind::Static => StorageClass::Static,
                        TokenKind::Auto => StorageClass::Auto,
                        _ => StorageClass::Register,
                    };
                    if let Some((_, earlier)) = storage {
                        let message =
                            format!("storage class {} after another one", token.kind.text());
                        let error = Diagnostic::error(token.span(), message);
                        self.report_in_passing(error.with_related(earlier, "the other one"));
                    }
                    storage = Some((class, token.span()));
                    self.advance();
                }
                TokenKind::ThreadLocal => {
                    is_thread_local = true;
                    self.advance();
                }
                TokenKind::Inline => {
                    is_inline = true;
                    self.advance();
                }
                TokenKind::Noreturn => {
                    is_noreturn = true;
                    self.advance();
                }
                TokenKind::Extension => {
                    self.advance();
                }
                TokenKind::Attribute => self.attributes(&mut attributes)?,
                TokenKind::LeftBracket if self.at_bracket_attribute() => {
                    self.attributes(&mut attributes)?;
                }
                TokenKind::Alignas => {
                    self.advance();
                    let open = self.expect(TokenKind::LeftParen)?;
                    alignments.push(if self.is_type_at(self.at) {
                        Alignment::Type(self.type_name()?)
                    } else {
                        Alignment::Expr(self.assignment()?)
                    });
                    self.expect_closing(TokenKind::RightParen, open.span())?;
                }
                // Two types at once: some headers define `_Float64` and the like
                // themselves, where they are the name that is declared.
                kind if kind.starts_type() && self.is_redefined_type(has_type) => break,
                TokenKind::Signed if !keywords.signed && base.is_none() => {
                    keywords.signed = true;
                    base_span = base_span.to(token.span());
                    self.advance();
                }
                TokenKind::Unsigned if !keywords.unsigned && base.is_none() => {
                    keywords.unsigned = true;
                    base_span = base_span.to(token.span());
                    self.advance();
                }
                TokenKind::Short if !keywords.short && base.is_none() => {
                    keywords.short = true;
                    base_span = base_span.to(token.span());
                    self.advance();
                }
                TokenKind::Long if keywords.longs < 2 && base.is_none() => {
                    keywords.longs += 1;
                    base_span = base_span.to(token.span());
                    self.advance();
                }
                TokenKind::Complex if !keywords.complex && base.is_none() => {
                    keywords.complex = true;
                    self.unit.has_complex = true;
                    base_span = base_span.to(token.span());
                    self.advance();
                }
                TokenKind::CharType
                | TokenKind::Int
                | TokenKind::Float
                | TokenKind::Double
                | TokenKind::Bool
                | TokenKind::Int128
                | TokenKind::Int128T
                | TokenKind::Uint128T
                | TokenKind::Float16
                | TokenKind::Float32
                | TokenKind::Float64
                | TokenKind::Float128
                | TokenKind::Float32x
                | TokenKind::Float64x
                | TokenKind::Decimal32
                | TokenKind::Decimal64
                | TokenKind::Decimal128
                    if keywords.main.is_none() && base.is_none() =>
                {
                    keywords.main = Some(token.kind);
                    base_span = base_span.to(token.span());
                    self.advance();
                }
                TokenKind::BitInt if base.is_none() && keywords.main.is_none() => {
                    base = Some(self.bit_int()?);
                    base_span = base_span.to(self.span_from(token.start));
                }
                kind if kind.starts_type() => {
                    if has_type {
                        return Err(self.two_types(base_span));
                    }
                    base = Some(self.other_type()?);
                    base_span = self.span_from(token.start);
                }
                _ => break,
            }
        }
        let base = match base {
            Some(BaseType::BitInt { width, .. })
                if keywords.longs == 0 && !keywords.short && !keywords.complex =>
            {
                BaseType::BitInt { width, is_unsigned: keywords.unsigned }
            }
            Some(_) if keywords.any() => return Err(self.two_types(base_span)),
            Some(base) => base,
            None if keywords.any() => match keywords.arithmetic() {
                Some(ty) => BaseType::Arithmetic(ty),
                None => {
                    let message = "these type specifiers do not go together";
                    self.report_in_passing(Diagnostic::error(base_span, message));
                    let kind = ArithmeticKind::Int;
                    BaseType::Arithmetic(ArithmeticType { kind, is_complex: false })
                }
            },
            None => {
                let is_allowed = match implicit {
                    ImplicitInt::Allowed => true,
                    ImplicitInt::WithSpecifier => self.at > first,
                    ImplicitInt::Never => false,
                };
                if !is_allowed {
                    return Err(self.expected("type"));
                }
                base_span = Span::new(self.token().start, self.token().start);
                // `auto x = 1;` takes its type from the initialiser in C23.
                if self.options.c23 && matches!(storage, Some((StorageClass::Auto, _))) {
                    BaseType::AutoType
                } else {
                    BaseType::ImplicitInt
                }
            }
        };
        Ok(Specifiers {
            storage,
            is_thread_local,
            is_inline,
            is_noreturn,
            qualifiers,
            alignments: alignments.into(),
            base,
            base_span,
            attributes: attributes.into(),
            span: self.span_from(start),
        })
    }

    fn two_types(&mut self, earlier: Span) -> super::Failed {
        let token = self.token();
        let message = format!("two types in one declaration: found {}", self.found(token));
        let error = Diagnostic::error(token.span(), message);
        self.report(error.with_related(earlier, "the first type"))
    }

    /// Takes a qualifier if there is one.
    pub(super) fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        match self.kind() {
            TokenKind::Const => qualifiers.is_const = true,
            TokenKind::Volatile => qualifiers.is_volatile = true,
            TokenKind::Restrict => qualifiers.is_restrict = true,
            TokenKind::Atomic => qualifiers.is_atomic = true,
            _ => return false,
        }
        self.advance();
        true
    }

    /// Whether the current token is a type keyword that is declared here:
    /// `typedef float _Float32;` of headers for compilers without it.
    fn is_redefined_type(&self, has_type: bool) -> bool {
        has_type
            && matches!(
                self.kind(),
                TokenKind::Float16
                    | TokenKind::Float32
                    | TokenKind::Float64
                    | TokenKind::Float128
                    | TokenKind::Float32x
                    | TokenKind::Float64x
                    | TokenKind::Int128T
                    | TokenKind::Uint128T
            )
            && matches!(
                self.peek(1).kind,
                TokenKind::Semicolon | TokenKind::Comma | TokenKind::Attribute
            )
    }

    /// Whether the identifier at the current token, which is no typedef name,
    /// is yet meant as a type.
    fn is_unknown_type(&self, implicit: ImplicitInt, first: usize) -> bool {
        let next = self.peek(1).kind;
        match implicit {
            ImplicitInt::Never => true,
            ImplicitInt::Allowed => {
                next == TokenKind::Identifier || next == TokenKind::Star || next.starts_type()
            }
            ImplicitInt::WithSpecifier => {
                next == TokenKind::Identifier
                    || next == TokenKind::Star
                    || self.at == first && !matches!(next, TokenKind::Comma | TokenKind::RightParen)
            }
        }
    }

    /// Reports the current identifier as an unknown type, once.
    fn unknown_type(&mut self) {
        let token = self.token();
        let message = format!("unknown type name `{}`", self.unit.name(token.symbol));
        self.report_in_passing(Diagnostic::error(token.span(), message));
        self.scopes.declare_everywhere(token.symbol);
    }

    fn bit_int(&mut self) -> Parsed<BaseType> {
        self.advance();
        let width = self.parenthesized()?;
        Ok(BaseType::BitInt { width, is_unsigned: false })
    }

    /// A type specifier that stands alone.
    fn other_type(&mut self) -> Parsed<BaseType> {
        let kind = self.kind();
        Ok(match kind {
            TokenKind::Struct | TokenKind::Union => BaseType::Record(self.record()?),
            TokenKind::Enum => BaseType::Enum(self.enumeration()?),
            TokenKind::Typeof | TokenKind::TypeofUnqual => {
                self.advance();
                let unqualified = kind == TokenKind::TypeofUnqual;
                let open = self.expect(TokenKind::LeftParen)?;
                let base = if self.is_type_at(self.at) {
                    BaseType::TypeofType { operand: self.type_name()?, unqualified }
                } else {
                    BaseType::TypeofExpr { operand: self.expression()?, unqualified }
                };
                self.expect_closing(TokenKind::RightParen, open.span())?;
                base
            }
            TokenKind::Atomic => {
                self.advance();
                let open = self.expect(TokenKind::LeftParen)?;
                let operand = self.type_name()?;
                self.expect_closing(TokenKind::RightParen, open.span())?;
                BaseType::Atomic(operand)
            }
            TokenKind::Void | TokenKind::VaList | TokenKind::AutoType => {
                self.advance();
                match kind {
                    TokenKind::Void => BaseType::Void,
                    TokenKind::VaList => BaseType::VaList,
                    _ => BaseType::AutoType,
                }
            }
            _ => return Err(self.expected("type")),
        })
    }

    /// A type as in a cast.
    pub(super) fn type_name(&mut self) -> Parsed<TypeNameId> {
        self.nested(Self::type_name_here)
    }

    fn type_name_here(&mut self) -> Parsed<TypeNameId> {
        let start = self.token().start;
        let specifiers = self.specifiers(ImplicitInt::Never)?;
        let declarator = self.declarator(NameRule::Without)?;
        let span = self.span_from(start);
        Ok(self.unit.type_names.push(TypeName { specifiers, declarator, span }))
    }
}

//! Declaration specifiers and type names.
//!
//! The keywords of an arithmetic type come in any order; they are counted and
//! sorted out at the end.

use bolide_base::{Diagnostic, Span};

use super::state::{Failed, ImplicitInt, NameRule, Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;

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

    /// Adds a keyword; false if it is none of them, or one too many.
    fn take(&mut self, kind: TokenKind) -> bool {
        let flag = match kind {
            TokenKind::Signed => &mut self.signed,
            TokenKind::Unsigned => &mut self.unsigned,
            TokenKind::Short => &mut self.short,
            TokenKind::Complex => &mut self.complex,
            TokenKind::Long => {
                self.longs += 1;
                return self.longs <= 2;
            }
            kind => return by_itself(kind).is_some() && self.main.replace(kind).is_none(),
        };
        !std::mem::replace(flag, true)
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
            Some(TokenKind::CharType) if !sizes && self.signed => SignedChar,
            Some(TokenKind::CharType) if !sizes && is_unsigned => UnsignedChar,
            Some(TokenKind::Int128) if !sizes && is_unsigned => UnsignedInt128,
            Some(TokenKind::Int128) if !sizes => Int128,
            Some(TokenKind::Double) if self.longs == 1 && !signs && !self.short => LongDouble,
            Some(other) if !signs && !sizes => by_itself(other)?,
            Some(_) => return None,
        };
        Some(ArithmeticType { kind, is_complex: self.complex })
    }
}

/// The type that a main keyword names without others.
fn by_itself(kind: TokenKind) -> Option<ArithmeticKind> {
    use ArithmeticKind::*;
    Some(match kind {
        TokenKind::CharType => Char,
        TokenKind::Int => Int,
        TokenKind::Bool => Bool,
        TokenKind::Float => Float,
        TokenKind::Double => Double,
        TokenKind::Int128 | TokenKind::Int128T => Int128,
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
    })
}

/// The specifiers that were read so far.
struct Seen {
    implicit: ImplicitInt,
    /// The index of the first token.
    first: usize,
    keywords: Keywords,
    base: Option<BaseType>,
    /// All but the base type, which is known at the end.
    specifiers: Specifiers,
    attributes: Vec<Attribute>,
    alignments: Vec<Alignment>,
}

impl Parser<'_> {
    /// Specifiers and qualifiers up to the first declarator.
    pub(super) fn specifiers(&mut self, implicit: ImplicitInt) -> Parsed<Specifiers> {
        self.nested(|p| p.specifiers_here(implicit))
    }

    fn specifiers_here(&mut self, implicit: ImplicitInt) -> Parsed<Specifiers> {
        let start = self.token().start;
        let mut seen = Seen {
            implicit,
            first: self.at,
            keywords: Keywords::default(),
            base: None,
            specifiers: Specifiers {
                storage: None,
                is_thread_local: false,
                is_inline: false,
                is_noreturn: false,
                qualifiers: Qualifiers::NONE,
                alignments: Box::default(),
                base: BaseType::ImplicitInt,
                base_span: Span::NONE,
                attributes: Box::default(),
                span: Span::NONE,
            },
            attributes: Vec::new(),
            alignments: Vec::new(),
        };
        while self.type_specifier(&mut seen)? || self.other_specifier(&mut seen)? {}
        let base = self.base_type(&mut seen)?;
        Ok(Specifiers {
            base,
            alignments: seen.alignments.into(),
            attributes: seen.attributes.into(),
            span: self.span_from(start),
            ..seen.specifiers
        })
    }

    /// A part of the type, if one comes that fits to the others.
    fn type_specifier(&mut self, seen: &mut Seen) -> Parsed<bool> {
        let token = self.token();
        let has_type = seen.base.is_some() || seen.keywords.any();
        let base_span = &mut seen.specifiers.base_span;
        match token.kind {
            TokenKind::Identifier => {
                if has_type {
                    return Ok(false);
                }
                if !self.scopes.is_typedef(token.symbol) {
                    if !self.is_unknown_type(seen.implicit, seen.first) {
                        return Ok(false);
                    }
                    self.unknown_type();
                }
                self.advance();
                seen.base = Some(BaseType::Typedef(token.symbol));
                *base_span = token.span();
            }
            TokenKind::Const | TokenKind::Volatile | TokenKind::Restrict => return Ok(false),
            TokenKind::Atomic if self.peek(1).kind != TokenKind::LeftParen => return Ok(false),
            // Two types at once: some headers define `_Float64` and the like
            // themselves, where they are the name that is declared.
            kind if kind.starts_type() && self.is_redefined_type(has_type) => return Ok(false),
            kind if seen.base.is_none() && seen.keywords.take(kind) => {
                self.unit.has_complex |= kind == TokenKind::Complex;
                *base_span = base_span.to(token.span());
                self.advance();
            }
            TokenKind::BitInt if seen.base.is_none() && seen.keywords.main.is_none() => {
                seen.base = Some(self.bit_int()?);
                *base_span = base_span.to(self.span_from(token.start));
            }
            kind if kind.starts_type() => {
                if has_type {
                    return Err(self.two_types(*base_span));
                }
                seen.base = Some(self.other_type()?);
                *base_span = self.span_from(token.start);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A specifier that is no part of the type, if one comes.
    fn other_specifier(&mut self, seen: &mut Seen) -> Parsed<bool> {
        let token = self.token();
        let specifiers = &mut seen.specifiers;
        let class = match token.kind {
            TokenKind::Attribute => return self.attributes(&mut seen.attributes).map(|()| true),
            TokenKind::LeftBracket if self.at_bracket_attribute() => {
                return self.attributes(&mut seen.attributes).map(|()| true);
            }
            TokenKind::Alignas => {
                self.advance();
                seen.alignments.push(self.in_parentheses(|p| match p.is_type_at(p.at) {
                    true => p.type_name().map(Alignment::Type),
                    false => p.assignment().map(Alignment::Expr),
                })?);
                return Ok(true);
            }
            TokenKind::Atomic if self.peek(1).kind == TokenKind::LeftParen => return Ok(false),
            TokenKind::Typedef => Some(StorageClass::Typedef),
            TokenKind::Extern => Some(StorageClass::Extern),
            TokenKind::Static => Some(StorageClass::Static),
            TokenKind::Auto => Some(StorageClass::Auto),
            TokenKind::Register => Some(StorageClass::Register),
            TokenKind::ThreadLocal | TokenKind::Inline | TokenKind::Noreturn => None,
            TokenKind::Extension => None,
            _ => return Ok(self.qualifier(&mut specifiers.qualifiers)),
        };
        specifiers.is_thread_local |= token.kind == TokenKind::ThreadLocal;
        specifiers.is_inline |= token.kind == TokenKind::Inline;
        specifiers.is_noreturn |= token.kind == TokenKind::Noreturn;
        if let Some(class) = class {
            if let Some((_, earlier)) = specifiers.storage {
                let message = format!("storage class {} after another one", token.kind.text());
                let error = Diagnostic::error(token.span(), message);
                self.report_in_passing(error.with_related(earlier, "the other one"));
            }
            specifiers.storage = Some((class, token.span()));
        }
        self.advance();
        Ok(true)
    }

    /// The type, all its specifiers being read.
    fn base_type(&mut self, seen: &mut Seen) -> Parsed<BaseType> {
        let keywords = &seen.keywords;
        let base_span = &mut seen.specifiers.base_span;
        Ok(match seen.base {
            Some(BaseType::BitInt { width, .. })
                if keywords.longs == 0 && !keywords.short && !keywords.complex =>
            {
                BaseType::BitInt { width, is_unsigned: keywords.unsigned }
            }
            Some(_) if keywords.any() => return Err(self.two_types(*base_span)),
            Some(base) => base,
            None if keywords.any() => {
                BaseType::Arithmetic(keywords.arithmetic().unwrap_or_else(|| {
                    let message = "these type specifiers do not go together";
                    self.report_in_passing(Diagnostic::error(*base_span, message));
                    ArithmeticType { kind: ArithmeticKind::Int, is_complex: false }
                }))
            }
            None => {
                let is_allowed = match seen.implicit {
                    ImplicitInt::Allowed => true,
                    ImplicitInt::WithSpecifier => self.at > seen.first,
                    ImplicitInt::Never => false,
                };
                if !is_allowed {
                    return Err(self.expected("type"));
                }
                *base_span = Span::new(self.token().start, self.token().start);
                // `auto x = 1;` takes its type from the initialiser in C23.
                match seen.specifiers.storage {
                    Some((StorageClass::Auto, _)) if self.options.c23 => BaseType::AutoType,
                    _ => BaseType::ImplicitInt,
                }
            }
        })
    }

    fn two_types(&mut self, earlier: Span) -> Failed {
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
                self.in_parentheses(|p| {
                    Ok(match p.is_type_at(p.at) {
                        true => BaseType::TypeofType { operand: p.type_name()?, unqualified },
                        false => BaseType::TypeofExpr { operand: p.expression()?, unqualified },
                    })
                })?
            }
            TokenKind::Atomic => {
                self.advance();
                BaseType::Atomic(self.in_parentheses(Self::type_name)?)
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

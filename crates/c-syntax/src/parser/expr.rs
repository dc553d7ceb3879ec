//! Expressions, by operator precedence over two explicit stacks.
//!
//! Operands and operators wait on stacks of their own until an operator that
//! binds less tightly, or a closing bracket, makes a node of them (Dijkstra's
//! shunting yard). Parentheses, subscripts, calls and the `?` of a conditional are
//! brackets on the operator stack, so that no depth of nesting uses the
//! machine's stack. Types, initialisers and statement expressions inside an
//! expression are parsed by recursion.
//!
//! The grammar accepted is a little wider than the standard's: what precedes
//! an assignment operator may be any expression (as in gcc, which then
//! complains that it is no lvalue); that is for whoever knows types to reject.

use bolide_base::{Diagnostic, Span};

use super::stacks::{Operand, Operator};
use super::state::{Parsed, Parser};
use crate::ast::*;
use crate::literal::{self, Number};
use crate::token::TokenKind;

impl Operator {
    /// How tightly it binds; brackets bind nothing.
    fn precedence(self) -> u8 {
        match self {
            Operator::Prefix(..)
            | Operator::Cast(..)
            | Operator::Sizeof(_)
            | Operator::Alignof(_)
            | Operator::Extension(_) => PREFIX,
            Operator::Binary(op) => binary_precedence(op),
            Operator::Colon(_) => CONDITIONAL,
            Operator::Assign(_) | Operator::Range => ASSIGNMENT,
            Operator::Equivalence => EQUIVALENCE,
            Operator::Implication => IMPLICATION,
            Operator::Comma => COMMA,
            Operator::Paren(_)
            | Operator::Subscript(_)
            | Operator::Call(..)
            | Operator::Question(_) => BRACKET,
        }
    }
}

const BRACKET: u8 = 0;
const COMMA: u8 = 1;
const ASSIGNMENT: u8 = 2;
const CONDITIONAL: u8 = 3;
const EQUIVALENCE: u8 = 4;
const IMPLICATION: u8 = 5;
const PREFIX: u8 = 16;

/// The operators between two operands: token, token of the assignment, operator, precedence.
macro_rules! infix {
    ($($token:ident $($assigned:ident)? => $op:ident $precedence:literal;)*) => {
        fn binary_precedence(op: BinaryOp) -> u8 {
            match op { $(BinaryOp::$op => $precedence,)* }
        }

        /// The operator that a token is between two operands.
        fn infix(kind: TokenKind) -> Option<Operator> {
            Some(match kind {
                $(TokenKind::$token => Operator::Binary(BinaryOp::$op),)*
                $($(TokenKind::$assigned => Operator::Assign(Some(BinaryOp::$op)),)?)*
                TokenKind::Equal => Operator::Assign(None),
                _ => return None,
            })
        }
    };
}

infix! {
    BarBar => LogicalOr 6;
    AmpAmp => LogicalAnd 7;
    Bar BarEqual => BitOr 8;
    Caret CaretEqual => BitXor 9;
    Amp AmpEqual => BitAnd 10;
    EqualEqual => Eq 11;
    BangEqual => Ne 11;
    Less => Lt 12;
    Greater => Gt 12;
    LessEqual => Le 12;
    GreaterEqual => Ge 12;
    LessLess LessLessEqual => Shl 13;
    GreaterGreater GreaterGreaterEqual => Shr 13;
    Plus PlusEqual => Add 14;
    Minus MinusEqual => Sub 14;
    Star StarEqual => Mul 15;
    Slash SlashEqual => Div 15;
    Percent PercentEqual => Rem 15;
}

/// What is known before an operand is read.
enum Begun {
    /// A whole operand is on the stack.
    Operand,
    /// A prefix operator or bracket was pushed; an operand must follow.
    Prefix,
}

/// What a token behind an operand led to.
enum Behind {
    /// A whole operand is on the stack again.
    Operand,
    /// An operator waits for an operand.
    Operator,
    /// The token is no part of the expression.
    End,
}

impl Parser<'_> {
    /// An expression, with commas.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        self.nested(|p| p.expression_above(true)).map(|operand| operand.id)
    }

    /// An expression without commas at its top: an argument, an initialiser,
    /// a constant.
    pub(super) fn assignment(&mut self) -> Parsed<ExprId> {
        self.assignment_operand().map(|operand| operand.id)
    }

    pub(super) fn assignment_operand(&mut self) -> Parsed<Operand> {
        self.nested(|p| p.expression_above(false))
    }

    /// `( expression )`, as behind `if`.
    pub(super) fn parenthesized(&mut self) -> Parsed<ExprId> {
        self.in_parentheses(Self::expression)
    }

    fn expression_above(&mut self, commas: bool) -> Parsed<Operand> {
        let operators = self.operators.len();
        let operands = self.operands.len();
        let result = self.shunt(commas, operators);
        self.operators.truncate(operators);
        self.operands.truncate(operands);
        result
    }

    /// The loop: an operand, then operators until the next operand is due.
    fn shunt(&mut self, commas: bool, floor: usize) -> Parsed<Operand> {
        loop {
            while let Begun::Prefix = self.begin_operand()? {}
            if !self.continue_operand(commas, floor)? {
                break;
            }
        }
        self.reduce_above(floor, COMMA);
        if self.operators.len() > floor {
            return Err(match self.operators[self.operators.len() - 1] {
                Operator::Subscript(open) => self.unclosed(TokenKind::RightBracket, open),
                Operator::Question(open) => self.unclosed(TokenKind::Colon, open),
                Operator::Paren(open) | Operator::Call(open, _) => {
                    self.unclosed(TokenKind::RightParen, open)
                }
                _ => self.expected("expression"),
            });
        }
        Ok(self.pop_operand())
    }

    /// Required: every caller has pushed what it pops. `shunt` pushes one
    /// operand before each operator that needs it.
    fn pop_operand(&mut self) -> Operand {
        self.operands.pop().expect("an operand for each operator")
    }

    fn push_operand(&mut self, kind: ExprKind, span: Span) -> Begun {
        let operand = self.expr(kind, span);
        self.operands.push(operand);
        Begun::Operand
    }

    fn prefix(&mut self, operator: Operator) -> Begun {
        self.operators.push(operator);
        self.advance();
        Begun::Prefix
    }

    /// Reads a prefix operator, an opening bracket or a primary expression.
    fn begin_operand(&mut self) -> Parsed<Begun> {
        let token = self.token();
        let start = token.start;
        Ok(match token.kind {
            TokenKind::Identifier => match self.quantifier()? {
                Some(kind) => self.push_operand(kind, self.span_from(start)),
                None => {
                    self.advance();
                    self.push_operand(ExprKind::Name(token.symbol), token.span())
                }
            },
            TokenKind::Number => self.number()?,
            TokenKind::Char => self.character()?,
            TokenKind::String => {
                let id = self.string_literal()?;
                let span = self.unit.strings[id].span;
                self.push_operand(ExprKind::String(id), span)
            }
            TokenKind::LeftParen => return self.begin_paren(),
            TokenKind::Star => self.prefix(Operator::Prefix(UnaryOp::Deref, start)),
            TokenKind::Amp => self.prefix(Operator::Prefix(UnaryOp::AddressOf, start)),
            TokenKind::Minus => self.prefix(Operator::Prefix(UnaryOp::Minus, start)),
            TokenKind::Plus => self.prefix(Operator::Prefix(UnaryOp::Plus, start)),
            TokenKind::Bang => self.prefix(Operator::Prefix(UnaryOp::Not, start)),
            TokenKind::Tilde => self.prefix(Operator::Prefix(UnaryOp::BitNot, start)),
            TokenKind::PlusPlus => self.prefix(Operator::Prefix(UnaryOp::PreIncrement, start)),
            TokenKind::MinusMinus => self.prefix(Operator::Prefix(UnaryOp::PreDecrement, start)),
            TokenKind::Real => self.prefix(Operator::Prefix(UnaryOp::Real, start)),
            TokenKind::Imag => self.prefix(Operator::Prefix(UnaryOp::Imag, start)),
            TokenKind::Extension => self.prefix(Operator::Extension(start)),
            TokenKind::Sizeof | TokenKind::Alignof => return self.begin_sizeof(),
            TokenKind::AmpAmp => self.label_address()?,
            TokenKind::FunctionName => {
                self.advance();
                self.push_operand(ExprKind::FunctionName, token.span())
            }
            TokenKind::True | TokenKind::False => {
                self.advance();
                self.push_operand(ExprKind::Bool(token.kind == TokenKind::True), token.span())
            }
            TokenKind::Nullptr => {
                self.advance();
                self.push_operand(ExprKind::Nullptr, token.span())
            }
            TokenKind::Generic
            | TokenKind::VaArg
            | TokenKind::Offsetof
            | TokenKind::TypesCompatible
            | TokenKind::Choose
            | TokenKind::ConvertVector => {
                let kind = self.builtin()?;
                self.push_operand(kind, self.span_from(start))
            }
            _ => return Err(self.expected("expression")),
        })
    }

    /// Whether a `(` at the current token begins a type in parentheses.
    fn is_paren_type(&self) -> bool {
        let mut index = self.at + 1;
        while self.tokens[index.min(self.tokens.len() - 1)].kind == TokenKind::Extension {
            index += 1;
        }
        self.is_type_at(index)
            || self.tokens[index.min(self.tokens.len() - 1)].kind == TokenKind::Attribute
    }

    fn paren_type(&mut self) -> Parsed<TypeNameId> {
        self.in_parentheses(|p| {
            while p.accept(TokenKind::Extension).is_some() {}
            p.type_name()
        })
    }

    /// `(`: a cast, a compound literal, a statement expression or parentheses.
    fn begin_paren(&mut self) -> Parsed<Begun> {
        let open = self.token();
        if self.is_paren_type() {
            let ty = self.paren_type()?;
            if self.at(TokenKind::LeftBrace) {
                return self.compound_literal(ty, open.start);
            }
            self.operators.push(Operator::Cast(ty, open.start));
            return Ok(Begun::Prefix);
        }
        if self.peek(1).kind == TokenKind::LeftBrace {
            self.advance();
            let body = self.compound_statement()?;
            self.expect_closing(TokenKind::RightParen, open.span())?;
            let span = self.span_from(open.start);
            return Ok(self.push_operand(ExprKind::StmtExpr(body), span));
        }
        Ok(self.prefix(Operator::Paren(open.span())))
    }

    fn compound_literal(&mut self, ty: TypeNameId, start: u32) -> Parsed<Begun> {
        let init = self.initializer()?;
        let span = self.span_from(start);
        Ok(self.push_operand(ExprKind::CompoundLiteral { ty, init }, span))
    }

    fn begin_sizeof(&mut self) -> Parsed<Begun> {
        let token = self.advance();
        let is_sizeof = token.kind == TokenKind::Sizeof;
        let operator = match is_sizeof {
            true => Operator::Sizeof(token.start),
            false => Operator::Alignof(token.start),
        };
        if self.at(TokenKind::LeftParen) && self.is_paren_type() {
            let open = self.token().start;
            let ty = self.paren_type()?;
            if !self.at(TokenKind::LeftBrace) {
                // `_Alignof` and `alignof` are shorter than the spellings of GNU.
                let preferred = token.end - token.start > 8;
                let kind = if is_sizeof {
                    ExprKind::SizeofType(ty)
                } else {
                    ExprKind::AlignofType { ty, preferred }
                };
                return Ok(self.push_operand(kind, self.span_from(token.start)));
            }
            self.operators.push(operator);
            return self.compound_literal(ty, open);
        }
        self.operators.push(operator);
        Ok(Begun::Prefix)
    }

    fn label_address(&mut self) -> Parsed<Begun> {
        let token = self.advance();
        let (label, span) = self.identifier()?;
        Ok(self.push_operand(ExprKind::LabelAddress(label), token.span().to(span)))
    }

    fn number(&mut self) -> Parsed<Begun> {
        let token = self.advance();
        let span = token.span();
        Ok(match literal::number(self.token_text(token)) {
            Ok(Number::Integer { value, format, is_truncated }) => {
                if is_truncated {
                    let message = "integer constant is too large, its upper bits are dropped";
                    self.diagnostics.push(Diagnostic::warning(span, message));
                }
                self.push_operand(ExprKind::Integer { value, format }, span)
            }
            Ok(Number::Float { text, suffix, is_imaginary }) => {
                let text = self.unit.names.intern(text);
                self.push_operand(ExprKind::Float { text, suffix, is_imaginary }, span)
            }
            Err(message) => {
                self.report_in_passing(Diagnostic::error(span, message));
                let format = IntegerFormat::default();
                self.push_operand(ExprKind::Integer { value: 0, format }, span)
            }
        })
    }

    fn character(&mut self) -> Parsed<Begun> {
        let token = self.advance();
        let (encoding, body) = literal::split_quoted(self.token_text(token));
        let mut units = Vec::new();
        let decoded = literal::decode(body, encoding, &mut units);
        let value = decoded.and_then(|()| {
            literal::character(&units, encoding).ok_or("empty character constant".to_owned())
        });
        let value = value.unwrap_or_else(|message| {
            self.report_in_passing(Diagnostic::error(token.span(), message));
            0
        });
        Ok(self.push_operand(ExprKind::Char { value, encoding }, token.span()))
    }

    /// One or more adjacent string literals.
    pub(super) fn string_literal(&mut self) -> Parsed<StringId> {
        let first = self.at;
        let mut encoding = Encoding::Plain;
        if !self.at(TokenKind::String) {
            return Err(self.expected("string literal"));
        }
        let mut last = first;
        while self.tokens[last].kind == TokenKind::String {
            let (part, _) = literal::split_quoted(self.token_text(self.tokens[last]));
            if part != Encoding::Plain {
                encoding = part;
            }
            last += 1;
        }
        let mut units = Vec::new();
        for index in first..last {
            let token = self.tokens[index];
            let (_, body) = literal::split_quoted(self.token_text(token));
            if let Err(message) = literal::decode(body, encoding, &mut units) {
                self.report_in_passing(Diagnostic::error(token.span(), message));
            }
        }
        let span = self.tokens[first].span().to(self.tokens[last - 1].span());
        // An error above may have moved to the end of the file.
        self.at = self.at.max(last);
        Ok(self.unit.strings.push(StringLiteral { encoding, units: units.into(), span }))
    }

    /// The builtins whose arguments are not all expressions.
    fn builtin(&mut self) -> Parsed<ExprKind> {
        let token = self.advance();
        self.in_parentheses(|p| p.builtin_arguments(token.kind))
    }

    fn builtin_arguments(&mut self, builtin: TokenKind) -> Parsed<ExprKind> {
        Ok(match builtin {
            TokenKind::VaArg => {
                ExprKind::VaArg { list: self.assignment()?, ty: self.after_comma(Self::type_name)? }
            }
            TokenKind::ConvertVector => ExprKind::ConvertVector {
                operand: self.assignment()?,
                ty: self.after_comma(Self::type_name)?,
            },
            TokenKind::TypesCompatible => ExprKind::TypesCompatible {
                left: self.type_name()?,
                right: self.after_comma(Self::type_name)?,
            },
            TokenKind::Choose => ExprKind::Choose {
                condition: self.assignment()?,
                then: self.after_comma(Self::assignment)?,
                otherwise: self.after_comma(Self::assignment)?,
            },
            TokenKind::Offsetof => ExprKind::Offsetof {
                ty: self.type_name()?,
                path: self.after_comma(Self::offsetof_path)?,
            },
            _ => {
                let control = self.assignment()?;
                let mut arms = Vec::new();
                while self.accept(TokenKind::Comma).is_some() {
                    let ty = match self.accept(TokenKind::Default) {
                        Some(_) => None,
                        None => Some(self.type_name()?),
                    };
                    self.expect(TokenKind::Colon)?;
                    arms.push(GenericArm { ty, value: self.assignment()? });
                }
                if arms.is_empty() {
                    return Err(self.expected("`,`"));
                }
                ExprKind::Generic { control, arms: arms.into() }
            }
        })
    }

    fn after_comma<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.expect(TokenKind::Comma)?;
        parse(self)
    }

    fn offsetof_path(&mut self) -> Parsed<Box<[Designator]>> {
        let (field, span) = self.identifier()?;
        let mut path = vec![Designator { kind: DesignatorKind::Field(field), span }];
        loop {
            let start = self.token().start;
            let kind = match self.kind() {
                TokenKind::Dot => {
                    self.advance();
                    DesignatorKind::Field(self.identifier()?.0)
                }
                // `a->b` is `a[0].b` here, as in gcc.
                TokenKind::Arrow => {
                    let arrow = self.advance().span();
                    let format = IntegerFormat { is_decimal: true, ..IntegerFormat::default() };
                    let zero = self.expr(ExprKind::Integer { value: 0, format }, arrow);
                    let kind = DesignatorKind::Index(zero.id);
                    path.push(Designator { kind, span: arrow });
                    DesignatorKind::Field(self.identifier()?.0)
                }
                TokenKind::LeftBracket => {
                    let open = self.advance();
                    let index = self.expression()?;
                    self.expect_closing(TokenKind::RightBracket, open.span())?;
                    DesignatorKind::Index(index)
                }
                _ => return Ok(path.into()),
            };
            path.push(Designator { kind, span: self.span_from(start) });
        }
    }

    /// Behind an operand: postfix operators apply at once, others are pushed.
    /// Says whether an operand must follow.
    fn continue_operand(&mut self, commas: bool, floor: usize) -> Parsed<bool> {
        loop {
            let token = self.token();
            if let Some((operator, length)) = self.logical_operator() {
                self.at += length - 1;
                self.infix(operator, floor);
                return Ok(true);
            }
            let behind = match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => self.open_bracket(),
                TokenKind::Dot | TokenKind::Arrow => self.member_access()?,
                TokenKind::PlusPlus => self.postfix(UnaryOp::PostIncrement),
                TokenKind::MinusMinus => self.postfix(UnaryOp::PostDecrement),
                TokenKind::Question => self.question(floor),
                TokenKind::Colon => self.colon(floor),
                TokenKind::Comma => self.comma(commas, floor),
                TokenKind::RightParen => self.close_paren(floor),
                TokenKind::RightBracket => self.close_subscript(floor),
                kind => match infix(kind) {
                    Some(operator) => self.infix(operator, floor),
                    None => Behind::End,
                },
            };
            match behind {
                Behind::Operand => {}
                Behind::Operator => return Ok(true),
                Behind::End => return Ok(false),
            }
        }
    }

    fn infix(&mut self, operator: Operator, floor: usize) -> Behind {
        // Assignments and implications group to the right, all others to the left.
        let right = matches!(operator, Operator::Assign(_) | Operator::Implication);
        self.reduce_above(floor, operator.precedence() + u8::from(right));
        self.operators.push(operator);
        self.advance();
        Behind::Operator
    }

    fn open_bracket(&mut self) -> Behind {
        let token = self.advance();
        if token.kind == TokenKind::LeftBracket {
            self.operators.push(Operator::Subscript(token.span()));
            return Behind::Operator;
        }
        let callee = self.operands.len() - 1;
        if self.at(TokenKind::RightParen) {
            self.finish_call(callee);
            return Behind::Operand;
        }
        self.operators.push(Operator::Call(token.span(), callee));
        Behind::Operator
    }

    fn member_access(&mut self) -> Parsed<Behind> {
        let token = self.advance();
        let (member, member_span) = self.identifier()?;
        let base = self.pop_operand();
        let is_arrow = token.kind == TokenKind::Arrow;
        let kind = ExprKind::Member { base: base.id, member, member_span, is_arrow };
        self.push_operand(kind, base.span.to(member_span));
        Ok(Behind::Operand)
    }

    fn postfix(&mut self, op: UnaryOp) -> Behind {
        let token = self.advance();
        let operand = self.pop_operand();
        let kind = ExprKind::Unary { op, operand: operand.id };
        self.push_operand(kind, operand.span.to(token.span()));
        Behind::Operand
    }

    fn question(&mut self, floor: usize) -> Behind {
        self.reduce_above(floor, CONDITIONAL + 1);
        let token = self.advance();
        let without_middle = self.accept(TokenKind::Colon).is_some();
        self.operators.push(match without_middle {
            true => Operator::Colon(false),
            false => Operator::Question(token.span()),
        });
        Behind::Operator
    }

    fn colon(&mut self, floor: usize) -> Behind {
        self.reduce_above(floor, COMMA);
        if !matches!(self.bracket(floor), Some(Operator::Question(_))) {
            return Behind::End;
        }
        self.advance();
        self.operators.pop();
        self.operators.push(Operator::Colon(true));
        Behind::Operator
    }

    /// An operator, unless it separates arguments or ends the expression.
    fn comma(&mut self, commas: bool, floor: usize) -> Behind {
        self.reduce_above(floor, COMMA);
        match self.bracket(floor) {
            None if !commas => return Behind::End,
            Some(Operator::Call(..)) => {}
            _ => self.operators.push(Operator::Comma),
        }
        self.advance();
        Behind::Operator
    }

    fn close_paren(&mut self, floor: usize) -> Behind {
        self.reduce_above(floor, COMMA);
        match self.bracket(floor) {
            Some(Operator::Paren(open)) => {
                let close = self.advance();
                self.operators.pop();
                let last = self.operands.len() - 1;
                self.operands[last].span = open.to(close.span());
            }
            Some(Operator::Call(_, callee)) => {
                self.operators.pop();
                self.finish_call(callee);
            }
            _ => return Behind::End,
        }
        Behind::Operand
    }

    fn close_subscript(&mut self, floor: usize) -> Behind {
        self.reduce_above(floor, COMMA);
        if !matches!(self.bracket(floor), Some(Operator::Subscript(_))) {
            return Behind::End;
        }
        let close = self.advance();
        self.operators.pop();
        let index = self.pop_operand();
        let base = self.pop_operand();
        let kind = ExprKind::Index { base: base.id, index: index.id };
        self.push_operand(kind, base.span.to(close.span()));
        Behind::Operand
    }

    /// The innermost open bracket, everything above it being reduced.
    fn bracket(&self, floor: usize) -> Option<Operator> {
        self.operators[floor..].last().copied()
    }

    /// The current token being `)`: makes the call of all operands above the
    /// callee.
    fn finish_call(&mut self, callee: usize) {
        let close = self.advance();
        let arguments: Box<[ExprId]> = self.operands[callee + 1..].iter().map(|o| o.id).collect();
        self.operands.truncate(callee + 1);
        let callee = self.pop_operand();
        let kind = ExprKind::Call { callee: callee.id, arguments };
        self.push_operand(kind, callee.span.to(close.span()));
    }

    /// Makes nodes of all waiting operators, down to the nearest bracket or
    /// `floor`, that bind at least as tightly as `precedence`.
    fn reduce_above(&mut self, floor: usize, precedence: u8) {
        while self.operators.len() > floor {
            let operator = self.operators[self.operators.len() - 1];
            if operator.precedence() < precedence {
                break;
            }
            self.operators.pop();
            self.reduce(operator);
        }
    }

    fn reduce(&mut self, operator: Operator) {
        let right = self.pop_operand();
        let prefixed = |start: u32| Span::new(start, right.span.end.max(start));
        let (kind, span) = match operator {
            Operator::Prefix(op, start) => {
                (ExprKind::Unary { op, operand: right.id }, prefixed(start))
            }
            Operator::Cast(ty, start) => {
                (ExprKind::Cast { ty, operand: right.id }, prefixed(start))
            }
            Operator::Sizeof(start) => (ExprKind::SizeofExpr(right.id), prefixed(start)),
            Operator::Alignof(start) => (ExprKind::AlignofExpr(right.id), prefixed(start)),
            Operator::Extension(start) => {
                self.operands.push(Operand { id: right.id, span: prefixed(start) });
                return;
            }
            Operator::Binary(op) => {
                let left = self.pop_operand();
                (ExprKind::Binary { op, left: left.id, right: right.id }, left.span.to(right.span))
            }
            Operator::Assign(op) => {
                let target = self.pop_operand();
                (
                    ExprKind::Assign { op, target: target.id, value: right.id },
                    target.span.to(right.span),
                )
            }
            Operator::Implication | Operator::Equivalence | Operator::Range => {
                let left = self.pop_operand();
                (self.logical(operator, left, right), left.span.to(right.span))
            }
            Operator::Comma => {
                let left = self.pop_operand();
                (ExprKind::Comma { left: left.id, right: right.id }, left.span.to(right.span))
            }
            Operator::Colon(has_middle) => {
                let then = if has_middle { Some(self.pop_operand().id) } else { None };
                let condition = self.pop_operand();
                (
                    ExprKind::Conditional { condition: condition.id, then, otherwise: right.id },
                    condition.span.to(right.span),
                )
            }
            Operator::Paren(_)
            | Operator::Subscript(_)
            | Operator::Call(..)
            | Operator::Question(_) => unreachable!("brackets have the lowest precedence"),
        };
        self.push_operand(kind, span);
    }
}

//! Expressions and statement patterns of automata.
//!
//! Expressions are C's without side effects, over variables of the automaton,
//! global variables of the program, and `$1`, `$2` ... for what a pattern matched.
//! Nesting is limited: people write these by hand.

use super::lexer::{Token, Tokens};
use crate::expr::{BinaryOp, CompareOp};
use bolide_base::{Diagnostic, Span};

/// A two-place operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `||`.
    Or,
    /// `&&`.
    And,
    /// A comparison; the flag turns the operands around (`>`).
    Compare(CompareOp, bool),
    /// On numbers.
    Arithmetic(BinaryOp),
}

/// An expression of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AutomatonExpr {
    /// A number.
    Number(i128),
    /// A variable of the automaton, or a global one of the program.
    Name(String, Span),
    /// What the pattern matched.
    Matched(u32, Span),
    /// `!`, `-` or `~`.
    Unary(char, Box<AutomatonExpr>),
    /// Two operands.
    Binary(BinaryOperator, Box<AutomatonExpr>, Box<AutomatonExpr>),
}

/// What an argument must be to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentPattern {
    /// Anything (`$?`).
    Any,
    /// Anything, and called by this number afterwards.
    Bind(u32),
    /// Equal to this number.
    Number(i128),
    /// This variable.
    Name(String),
}

/// What a statement must look like to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementPattern {
    /// `target = function(arguments)`.
    Call {
        /// What gets the result; none matches with and without.
        target: Option<ArgumentPattern>,
        /// The function's name; none is any function (`$?(...)`).
        function: Option<String>,
        /// None matches any number of arguments.
        arguments: Option<Vec<ArgumentPattern>>,
    },
    /// `target = value`.
    Assign {
        /// The variable.
        target: ArgumentPattern,
        /// The value.
        value: ArgumentPattern,
    },
}

const DEEPEST: usize = 200;

/// Operators from loosest to tightest.
const LEVELS: [&[(&str, BinaryOperator)]; 10] = [
    &[("||", BinaryOperator::Or)],
    &[("&&", BinaryOperator::And)],
    &[("|", BinaryOperator::Arithmetic(BinaryOp::BitOr))],
    &[("^", BinaryOperator::Arithmetic(BinaryOp::BitXor))],
    &[("&", BinaryOperator::Arithmetic(BinaryOp::BitAnd))],
    &[
        ("==", BinaryOperator::Compare(CompareOp::Eq, false)),
        ("!=", BinaryOperator::Compare(CompareOp::Ne, false)),
    ],
    &[
        ("<=", BinaryOperator::Compare(CompareOp::Le, false)),
        (">=", BinaryOperator::Compare(CompareOp::Le, true)),
        ("<", BinaryOperator::Compare(CompareOp::Lt, false)),
        (">", BinaryOperator::Compare(CompareOp::Lt, true)),
    ],
    &[
        ("<<", BinaryOperator::Arithmetic(BinaryOp::Shl)),
        (">>", BinaryOperator::Arithmetic(BinaryOp::Shr)),
    ],
    &[
        ("+", BinaryOperator::Arithmetic(BinaryOp::Add)),
        ("-", BinaryOperator::Arithmetic(BinaryOp::Sub)),
    ],
    &[
        ("*", BinaryOperator::Arithmetic(BinaryOp::Mul)),
        ("/", BinaryOperator::Arithmetic(BinaryOp::Div)),
        ("%", BinaryOperator::Arithmetic(BinaryOp::Rem)),
    ],
];

pub(super) fn expression(tokens: &mut Tokens) -> Result<AutomatonExpr, Diagnostic> {
    level(tokens, 0, 0)
}

/// An expression that does not contain `&&` or `||` at its top.
pub(super) fn comparison(tokens: &mut Tokens) -> Result<AutomatonExpr, Diagnostic> {
    level(tokens, 2, 0)
}

fn level(tokens: &mut Tokens, at: usize, depth: usize) -> Result<AutomatonExpr, Diagnostic> {
    if depth > DEEPEST {
        return Err(Diagnostic::error(tokens.span(), "the expression is nested too deeply"));
    }
    let Some(operators) = LEVELS.get(at) else { return unary(tokens, depth) };
    let mut left = level(tokens, at + 1, depth)?;
    while let Some((sign, op)) = operators.iter().find(|(sign, _)| tokens.is_sign(sign)) {
        tokens.sign(sign);
        let right = level(tokens, at + 1, depth)?;
        left = AutomatonExpr::Binary(*op, Box::new(left), Box::new(right));
    }
    Ok(left)
}

fn unary(tokens: &mut Tokens, depth: usize) -> Result<AutomatonExpr, Diagnostic> {
    if depth > DEEPEST {
        return Err(Diagnostic::error(tokens.span(), "the expression is nested too deeply"));
    }
    for (sign, op) in [("!", '!'), ("-", '-'), ("~", '~')] {
        if tokens.sign(sign) {
            let inner = unary(tokens, depth + 1)?;
            return Ok(AutomatonExpr::Unary(op, Box::new(inner)));
        }
    }
    if tokens.sign("(") {
        let inner = level(tokens, 0, depth + 1)?;
        tokens.expect_sign(")")?;
        return Ok(inner);
    }
    let span = tokens.span();
    match tokens.peek().clone() {
        Token::Number(n) => {
            tokens.take();
            Ok(AutomatonExpr::Number(n))
        }
        Token::Word(word) => {
            tokens.take();
            Ok(match word.as_str() {
                "NULL" => AutomatonExpr::Number(0),
                _ => AutomatonExpr::Name(word, span),
            })
        }
        Token::Dollar(n) => {
            tokens.take();
            Ok(AutomatonExpr::Matched(n, span))
        }
        _ => Err(tokens.expected("an expression")),
    }
}

/// `v = e`, `v += e`, `v++` and the like.
pub(super) fn assignment(tokens: &mut Tokens) -> Result<(String, AutomatonExpr), Diagnostic> {
    let span = tokens.span();
    let name = tokens.expect_word("a variable")?;
    let me = AutomatonExpr::Name(name.clone(), span);
    let changed = |op: BinaryOp, by: AutomatonExpr| {
        AutomatonExpr::Binary(BinaryOperator::Arithmetic(op), Box::new(me), Box::new(by))
    };
    let value = if tokens.sign("++") {
        changed(BinaryOp::Add, AutomatonExpr::Number(1))
    } else if tokens.sign("--") {
        changed(BinaryOp::Sub, AutomatonExpr::Number(1))
    } else if tokens.sign("+=") {
        changed(BinaryOp::Add, expression(tokens)?)
    } else if tokens.sign("-=") {
        changed(BinaryOp::Sub, expression(tokens)?)
    } else {
        tokens.expect_sign("=")?;
        expression(tokens)?
    };
    Ok((name, value))
}

/// A statement pattern, up to but without the closing brace.
pub(super) fn pattern(tokens: &mut Tokens) -> Result<StatementPattern, Diagnostic> {
    let first = argument(tokens)?;
    let (target, value) = match tokens.sign("=") {
        true => (Some(first), argument(tokens)?),
        false => (None, first),
    };
    if tokens.is_sign("(") {
        let function = callee(tokens, value)?;
        let arguments = arguments(tokens)?;
        return Ok(StatementPattern::Call { target, function, arguments });
    }
    match target {
        None => Err(tokens.expected("`=`")),
        Some(ArgumentPattern::Number(_)) => Err(tokens.expected("a variable on the left of `=`")),
        Some(target) => Ok(StatementPattern::Assign { target, value }),
    }
}

fn callee(tokens: &Tokens, pattern: ArgumentPattern) -> Result<Option<String>, Diagnostic> {
    match pattern {
        ArgumentPattern::Name(name) => Ok(Some(name)),
        ArgumentPattern::Any => Ok(None),
        _ => Err(tokens.expected("a function's name before `(`")),
    }
}

fn arguments(tokens: &mut Tokens) -> Result<Option<Vec<ArgumentPattern>>, Diagnostic> {
    tokens.expect_sign("(")?;
    // `f($?)` and `f(...)` match whatever the arguments are.
    let any = matches!(
        (tokens.peek(), tokens.ahead(1)),
        (Token::DollarAny | Token::Sign("..."), Token::Sign(")"))
    );
    if any {
        tokens.take();
        tokens.take();
        return Ok(None);
    }
    let mut list = Vec::new();
    if tokens.sign(")") {
        return Ok(Some(list));
    }
    loop {
        list.push(argument(tokens)?);
        if tokens.sign(")") {
            return Ok(Some(list));
        }
        tokens.expect_sign(",")?;
    }
}

fn argument(tokens: &mut Tokens) -> Result<ArgumentPattern, Diagnostic> {
    let negative = tokens.sign("-");
    let pattern = match tokens.peek() {
        Token::DollarAny if !negative => ArgumentPattern::Any,
        Token::Dollar(n) if !negative => ArgumentPattern::Bind(*n),
        Token::Number(n) => ArgumentPattern::Number(if negative { -n } else { *n }),
        Token::Word(word) if !negative => match word.as_str() {
            "NULL" => ArgumentPattern::Number(0),
            _ => ArgumentPattern::Name(word.clone()),
        },
        _ => return Err(tokens.expected("`$?`, `$1`, a number or a name")),
    };
    tokens.take();
    Ok(pattern)
}

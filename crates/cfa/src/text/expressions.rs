//! Reads expressions: operator precedence with an explicit stack of open
//! brackets, so that depth costs no stack of ours.

use super::ParseError;
use super::lexer::Token;
use super::names::{
    BINARY, COMPARE, FLOAT_FNS, FLOAT_TESTS, OVERFLOWS, UNARY, type_name, type_of_name,
};
use super::parser::Parser;
use crate::expr::{Access, BinaryOp, BitRange, CompareOp, Expr, ExprId, UnaryOp};
use crate::program::RegionId;
use crate::types::{IntType, Type};
use crate::value::float;

/// What an open bracket will become when it closes.
enum Opener {
    Root,
    Parenthesis,
    Cast(Type),
    Load { ty: Type, volatile: bool },
    Function(String),
}

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Prefix(UnaryOp),
    Binary(BinaryOp),
    /// The flag turns the operands around (`>`).
    Compare(CompareOp, bool),
    /// After `?`, until its `:` comes.
    Question,
    /// After `:`.
    Colon,
}

impl Operator {
    /// C's precedences; larger binds tighter.
    fn precedence(self) -> u8 {
        match self {
            Operator::Question | Operator::Colon => 1,
            Operator::Binary(BinaryOp::BitOr) => 2,
            Operator::Binary(BinaryOp::BitXor) => 3,
            Operator::Binary(BinaryOp::BitAnd) => 4,
            Operator::Compare(CompareOp::Eq | CompareOp::Ne, _) => 5,
            Operator::Compare(..) => 6,
            Operator::Binary(BinaryOp::Shl | BinaryOp::Shr) => 7,
            Operator::Binary(BinaryOp::Add | BinaryOp::Sub) => 8,
            Operator::Binary(BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem) => 9,
            Operator::Prefix(_) => 10,
        }
    }
}

struct Frame {
    opener: Opener,
    /// Token of the opening bracket, for messages.
    at: usize,
    operands: Vec<ExprId>,
    /// With the token of each, for messages.
    operators: Vec<(Operator, usize)>,
    arguments: Vec<ExprId>,
}

impl Frame {
    fn new(opener: Opener, at: usize) -> Self {
        Frame { opener, at, operands: Vec::new(), operators: Vec::new(), arguments: Vec::new() }
    }
}

impl Parser {
    /// An expression of any type, up to the first token that cannot belong to it.
    pub(super) fn expr(&mut self) -> Result<ExprId, ParseError> {
        let mut frames = vec![Frame::new(Opener::Root, self.at)];
        loop {
            self.operand(&mut frames)?;
            // Behind an operand: operators, separators, closing brackets.
            loop {
                let at = self.at;
                let symbol = match &self.tokens[self.at] {
                    t if t.first => "",
                    t => match t.token {
                        Token::Symbol(s) => s,
                        _ => "",
                    },
                };
                let frame = frames.last_mut().expect("the root frame stays");
                let inner = !matches!(frame.opener, Opener::Root);
                if let Some(operator) = infix(symbol) {
                    self.at += 1;
                    self.reduce(frame, operator.precedence())?;
                    frame.operators.push((operator, at));
                    break;
                }
                match symbol {
                    "?" => {
                        self.at += 1;
                        self.reduce(frame, 2)?;
                        frame.operators.push((Operator::Question, at));
                        break;
                    }
                    ":" if frame.operators.iter().any(|o| o.0 == Operator::Question) => {
                        self.at += 1;
                        self.reduce(frame, 2)?;
                        while let Some(&(Operator::Colon, _)) = frame.operators.last() {
                            self.reduce_one(frame)?;
                        }
                        let last = frame.operators.len() - 1;
                        frame.operators[last] = (Operator::Colon, at);
                        break;
                    }
                    "," if matches!(frame.opener, Opener::Function(_)) => {
                        self.at += 1;
                        let value = self.finish(frame)?;
                        frame.arguments.push(value);
                        break;
                    }
                    ")" | "]" if inner => {
                        let load = matches!(frame.opener, Opener::Load { .. });
                        if load != (symbol == "]") {
                            let wanted = if load { "]" } else { ")" };
                            return self.fail(format!("expected `{wanted}`, found `{symbol}`"));
                        }
                        self.at += 1;
                        let value = self.finish(frame)?;
                        frame.arguments.push(value);
                        let frame = frames.pop().expect("an inner frame was open");
                        let value = self.close(frame)?;
                        let outer = frames.last_mut().expect("the root frame stays");
                        outer.operands.push(value);
                    }
                    _ if inner => {
                        return self.expected("an operator or `)`");
                    }
                    _ => return self.finish(frame),
                }
            }
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self) -> Result<ExprId, ParseError> {
        self.typed(Type::BOOL)
    }

    /// An expression of type `ty`.
    pub(super) fn typed(&mut self, ty: Type) -> Result<ExprId, ParseError> {
        let at = self.at;
        let e = self.expr()?;
        let found = self.program.exprs.type_of(e);
        if found == ty {
            return Ok(e);
        }
        self.fail_at(at, format!("expected type {}, found {}", type_name(ty), type_name(found)))
    }

    /// Prefix operators and opening brackets up to one operand.
    fn operand(&mut self, frames: &mut Vec<Frame>) -> Result<(), ParseError> {
        loop {
            let at = self.at;
            if self.tokens[at].first && at > 0 && frames.len() > 1 {
                return self.fail("the expression ends too early");
            }
            let frame = frames.last_mut().expect("the root frame stays");
            match self.tokens[at].token.clone() {
                Token::Symbol("(") => {
                    self.at += 1;
                    frames.push(Frame::new(Opener::Parenthesis, at));
                }
                Token::Symbol(s) if UNARY.meaning(s).is_some() => {
                    self.at += 1;
                    let op = UNARY.meaning(s).expect("just looked up");
                    frame.operators.push((Operator::Prefix(op), at));
                }
                token => {
                    if let Token::Name { text, quoted: false } = &token
                        && let Some(opener) = self.open_bracket(text)?
                    {
                        frames.push(Frame::new(opener, at));
                        continue;
                    }
                    let value = self.primary(token)?;
                    frame.operands.push(value);
                    return Ok(());
                }
            }
        }
    }

    /// An operand without operands of its own.
    fn primary(&mut self, token: Token) -> Result<ExprId, ParseError> {
        let at = self.at;
        let word = match &token {
            Token::Name { text, quoted: false } => text.as_str(),
            _ => "",
        };
        let constant = match word {
            "true" | "false" => Some(self.program.exprs.bool(word == "true")),
            "null" => Some(self.program.expr(Expr::Null)),
            "leaked" => Some(self.program.expr(Expr::Leaked)),
            "heap_in_use" => Some(self.program.expr(Expr::HeapInUse)),
            _ => None,
        };
        if let Some(constant) = constant {
            self.at += 1;
            return Ok(constant);
        }
        match token {
            Token::Name { .. } if word == "fn" => {
                self.at += 1;
                let function = self.function_ref()?;
                Ok(self.program.expr(Expr::Function(function)))
            }
            Token::Name { .. } => {
                let var = self.var_ref()?;
                Ok(self.program.read(var))
            }
            Token::Symbol("&") => {
                self.at += 1;
                let object = self.object_ref()?;
                Ok(self.program.expr(Expr::Object(object)))
            }
            Token::Constant(digits, ty) => {
                self.at += 1;
                self.constant(&digits, ty, at)
            }
            Token::Let(n) => {
                self.at += 1;
                match self.lets.get(&n) {
                    Some(&e) => Ok(e),
                    None => self.fail_at(at, format!("there is no `let %{n}` before")),
                }
            }
            Token::Number(n) => self.fail(format!("a constant needs a type: write `{n}:i32`")),
            _ => self.expected("an expression"),
        }
    }

    /// `i32(`, `i32[`, `volatile i32[` or `f(`; nothing is read for a variable.
    fn open_bracket(&mut self, text: &str) -> Result<Option<Opener>, ParseError> {
        let volatile = text == "volatile";
        if volatile {
            self.at += 1;
        }
        let bracket = match self.tokens[self.at + 1].token {
            Token::Symbol(s @ ("(" | "[")) if !self.tokens[self.at + 1].first => s,
            _ if volatile => return self.fail("expected a type and `[` behind `volatile`"),
            _ => return Ok(None),
        };
        let word = self.name()?.0;
        self.at += 1;
        let opener = match (type_of_name(&word), bracket) {
            (Some(ty), "[") => Opener::Load { ty, volatile },
            (Some(ty), "(") if !volatile => Opener::Cast(ty),
            (None, "(") if !volatile => Opener::Function(word),
            _ => {
                self.at -= 2;
                return self.fail(format!("`{word}` is not a type"));
            }
        };
        Ok(Some(opener))
    }

    fn constant(&mut self, digits: &str, ty: Type, at: usize) -> Result<ExprId, ParseError> {
        match ty {
            Type::Int(t) => {
                let bits = match digits.parse::<i128>() {
                    Ok(v) if v < 0 && t.signed && v >= t.min() => t.truncate(v as u128),
                    Ok(v) if v >= 0 && v <= t.max() => v as u128,
                    Err(_) if t == IntType::unsigned(128) => match digits.parse::<u128>() {
                        Ok(v) => v,
                        Err(_) => return self.fail_at(at, "this constant is too large"),
                    },
                    _ => {
                        let message = format!("{digits} is no value of type {}", type_name(ty));
                        return self.fail_at(at, message);
                    }
                };
                Ok(self.program.expr(Expr::Int { bits, ty: t }))
            }
            Type::Float(kind) => {
                let bits = match digits.strip_prefix("0x") {
                    Some(hex) => u128::from_str_radix(hex, 16).ok(),
                    None => float::parse(digits, kind),
                };
                match bits {
                    Some(bits) if bits & !float::mask(kind) == 0 => {
                        Ok(self.program.expr(Expr::Float { bits, kind }))
                    }
                    _ => self.fail_at(at, format!("`{digits}` is no float")),
                }
            }
            Type::Pointer => self.fail_at(at, "the only constant pointer is `null`"),
        }
    }

    /// Applies operators that bind at least as tight as `precedence`.
    fn reduce(&mut self, frame: &mut Frame, precedence: u8) -> Result<(), ParseError> {
        while let Some(&(operator, _)) = frame.operators.last()
            && operator.precedence() >= precedence
        {
            self.reduce_one(frame)?;
        }
        Ok(())
    }

    fn finish(&mut self, frame: &mut Frame) -> Result<ExprId, ParseError> {
        self.reduce(frame, 0)?;
        Ok(frame.operands.pop().expect("an operand was read"))
    }

    fn reduce_one(&mut self, frame: &mut Frame) -> Result<(), ParseError> {
        let (operator, at) = frame.operators.pop().expect("an operator waits");
        let mut pop = || frame.operands.pop().expect("operators have their operands");
        let ty = |p: &Self, e| p.program.exprs.type_of(e);
        let e = match operator {
            Operator::Prefix(op) => {
                let a = pop();
                let fits = match (op, ty(self, a)) {
                    (UnaryOp::Neg, Type::Int(_) | Type::Float(_)) => true,
                    (UnaryOp::BitNot, Type::Int(t)) => t != IntType::BOOL,
                    (UnaryOp::Not, t) => t == Type::BOOL,
                    _ => false,
                };
                if !fits {
                    let message = format!("not an operator on {}", type_name(ty(self, a)));
                    return self.fail_at(at, message);
                }
                Expr::Unary(op, a)
            }
            Operator::Binary(op) => {
                let (b, a) = (pop(), pop());
                self.binary(op, a, b, at)?
            }
            Operator::Compare(op, turned) => {
                let (b, a) = (pop(), pop());
                self.same_type(a, b, at)?;
                if turned { Expr::Compare(op, b, a) } else { Expr::Compare(op, a, b) }
            }
            Operator::Question => return self.fail_at(at, "this `?` has no `:`"),
            Operator::Colon => {
                let (b, a, c) = (pop(), pop(), pop());
                self.same_type(a, b, at)?;
                if ty(self, c) != Type::BOOL {
                    return self.fail_at(at, "the first operand of `?:` is not a condition");
                }
                Expr::Ite(c, a, b)
            }
        };
        let id = self.program.expr(e);
        frame.operands.push(id);
        Ok(())
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        at: usize,
    ) -> Result<Expr, ParseError> {
        let (ta, tb) = (self.program.exprs.type_of(a), self.program.exprs.type_of(b));
        let offset = Type::Int(self.program.target.offset_type());
        Ok(match (op, ta, tb) {
            (BinaryOp::Add, Type::Pointer, t) if t == offset => Expr::PointerAdd(a, b),
            (BinaryOp::Sub, Type::Pointer, Type::Pointer) => Expr::PointerDiff(a, b),
            (BinaryOp::Shl | BinaryOp::Shr, Type::Int(_), Type::Int(_)) => Expr::Binary(op, a, b),
            (_, Type::Int(x), Type::Int(y)) if x == y => Expr::Binary(op, a, b),
            (
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div,
                Type::Float(x),
                Type::Float(y),
            ) if x == y => Expr::Binary(op, a, b),
            _ => {
                let (x, y) = (type_name(ta), type_name(tb));
                let message = format!("`{}` does not work on {x} and {y}", BINARY.word(op));
                return self.fail_at(at, message);
            }
        })
    }

    fn same_type(&mut self, a: ExprId, b: ExprId, at: usize) -> Result<(), ParseError> {
        let (x, y) = (self.program.exprs.type_of(a), self.program.exprs.type_of(b));
        if x == y {
            return Ok(());
        }
        self.fail_at(at, format!("operands of types {} and {}", type_name(x), type_name(y)))
    }

    /// Makes the expression of a bracket that was closed.
    fn close(&mut self, frame: Frame) -> Result<ExprId, ParseError> {
        let Frame { opener, at, arguments, .. } = frame;
        let a = arguments[0];
        let ty = self.program.exprs.type_of(a);
        if !matches!(opener, Opener::Function(_)) && arguments.len() != 1 {
            return self.fail_at(at, "expected one operand");
        }
        let e = match opener {
            Opener::Root | Opener::Parenthesis => return Ok(a),
            Opener::Cast(to) => Expr::Cast(to, a),
            Opener::Load { ty: loaded, volatile } => {
                if ty != Type::Pointer {
                    return self.fail_at(at, "the address is not a pointer");
                }
                let bits = self.bit_range()?;
                let region = self.region_suffix()?;
                Expr::Load(Access { pointer: a, ty: loaded, bits, volatile, region })
            }
            Opener::Function(name) => return self.function_expr(&name, &arguments, at),
        };
        Ok(self.program.expr(e))
    }

    fn function_expr(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        at: usize,
    ) -> Result<ExprId, ParseError> {
        let types: Vec<Type> = arguments.iter().map(|&a| self.program.exprs.type_of(a)).collect();
        let size = Type::Int(self.program.target.size_type());
        let e = match (name, arguments) {
            ("valid", &[pointer, n]) if types == [Type::Pointer, size] => {
                Expr::Valid { pointer, size: n, region: self.region_suffix()? }
            }
            ("freeable", &[pointer]) if types == [Type::Pointer] => {
                Expr::Freeable { pointer, region: self.region_suffix()? }
            }
            ("coincide", &[a, b]) if types == [Type::Pointer; 2] => Expr::Coincide(a, b),
            ("same_object", &[a, b]) if types == [Type::Pointer; 2] => Expr::SameObject(a, b),
            ("read_only", &[pointer]) if types == [Type::Pointer] => Expr::ReadOnly(pointer),
            ("object_size", &[pointer]) if types == [Type::Pointer] => Expr::ObjectSize(pointer),
            ("offset", &[pointer]) if types == [Type::Pointer] => Expr::Offset(pointer),
            (_, &[a]) if name.starts_with("pattern_") => {
                let to = type_of_name(&name["pattern_".len()..]);
                match (to, types[0]) {
                    (Some(to @ Type::Float(_)), Type::Int(_))
                    | (Some(to @ Type::Int(_)), Type::Float(_)) => Expr::Pattern(to, a),
                    _ => return self.fail_at(at, "a pattern is of a float or an integer"),
                }
            }
            (_, &[a]) if matches!(types[0], Type::Float(_)) => {
                if let Some(op) = FLOAT_FNS.meaning(name) {
                    Expr::FloatFn(op, a)
                } else if let Some(op) = FLOAT_TESTS.meaning(name) {
                    Expr::FloatTest(op, a)
                } else {
                    return self.fail_at(at, format!("unknown function `{name}` on floats"));
                }
            }
            (_, &[a, b]) if types.iter().all(|t| matches!(t, Type::Int(_))) => {
                match OVERFLOWS.meaning(name) {
                    Some(op) => {
                        if !matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                            self.same_type(a, b, at)?;
                        }
                        Expr::Overflows(op, a, b)
                    }
                    None => return self.fail_at(at, format!("unknown function `{name}`")),
                }
            }
            _ => {
                let types: Vec<String> = types.into_iter().map(type_name).collect();
                let message = format!("no function `{name}` on ({})", types.join(", "));
                return self.fail_at(at, message);
            }
        };
        Ok(self.program.expr(e))
    }

    /// `{offset+width}` if it stands here.
    pub(super) fn bit_range(&mut self) -> Result<Option<BitRange>, ParseError> {
        if !self.eat("{") {
            return Ok(None);
        }
        let at = self.at;
        let offset = self.number()?;
        self.expect("+")?;
        let width = self.number()?;
        self.expect("}")?;
        if offset > 7 || !(1..=128).contains(&width) {
            return self.fail_at(at, "a bit-field starts at bit 0 to 7 and has 1 to 128 bits");
        }
        Ok(Some(BitRange { offset: offset as u8, width: width as u8 }))
    }

    /// `@r2` if it stands here, else all of memory.
    pub(super) fn region_suffix(&mut self) -> Result<RegionId, ParseError> {
        let is_region = !self.tokens[self.at].first
            && self.tokens[self.at].token == Token::Symbol("@")
            && matches!(self.tokens[self.at + 1].token, Token::Name { .. });
        if !is_region {
            return Ok(RegionId::ALL);
        }
        self.at += 1;
        self.region_ref()
    }
}

fn infix(symbol: &str) -> Option<Operator> {
    match symbol {
        ">" => Some(Operator::Compare(CompareOp::Lt, true)),
        ">=" => Some(Operator::Compare(CompareOp::Le, true)),
        _ => match COMPARE.meaning(symbol) {
            Some(op) => Some(Operator::Compare(op, false)),
            None => BINARY.meaning(symbol).map(Operator::Binary),
        },
    }
}

//! Reads the operations of edges.

use super::ParseError;
use super::lexer::Token;
use super::names::{ALLOCS, EFFECTS, OUTPUTS, type_name, type_of_name};
use super::parser::Parser;
use crate::expr::{Access, ExprId};
use crate::program::{NondetSource, Op, RegionId, VarId};
use crate::types::{IntType, Type};

impl Parser {
    pub(super) fn op(&mut self) -> Result<Op, ParseError> {
        let simple = match &self.tokens[self.at].token {
            Token::Name { quoted: true, .. } => true,
            Token::Name { .. } => {
                let behind = match self.tokens[self.at + 1].token {
                    Token::Id(_) => self.at + 2,
                    _ => self.at + 1,
                };
                self.tokens[behind].token == Token::Symbol(":=")
            }
            _ => false,
        };
        if simple {
            let target = self.var_ref()?;
            self.expect(":=")?;
            return self.assigning(target);
        }
        let Token::Name { text, .. } = self.tokens[self.at].token.clone() else {
            return self.expected("an operation");
        };
        let at = self.at;
        self.at += 1;
        match text.as_str() {
            "skip" => Ok(Op::Skip),
            "assume" => Ok(Op::Assume(self.condition()?)),
            "free" => {
                let [pointer] = self.arguments([Some(Type::Pointer)])?;
                Ok(Op::Free { pointer, region: self.region_suffix()? })
            }
            "end" => {
                let [pointer] = self.arguments([Some(Type::Pointer)])?;
                Ok(Op::EndLifetime { pointer, region: self.region_suffix()? })
            }
            "copy" => {
                let size = Some(Type::Int(self.program.target.size_type()));
                let pointer = Some(Type::Pointer);
                let [to, from, size] = self.arguments([pointer, pointer, size])?;
                let to_region =
                    if self.eat_word("to") { self.region_suffix()? } else { RegionId::ALL };
                let from_region =
                    if self.eat_word("from") { self.region_suffix()? } else { RegionId::ALL };
                Ok(Op::Copy { to, from, size, to_region, from_region })
            }
            "fill" => {
                let size = Some(Type::Int(self.program.target.size_type()));
                let byte = Some(Type::Int(IntType::unsigned(8)));
                let [to, byte, size] = self.arguments([Some(Type::Pointer), byte, size])?;
                Ok(Op::Fill { to, byte, size, region: self.region_suffix()? })
            }
            "call" | "external" | "output" => {
                self.at = at;
                self.calling(None)
            }
            "halt" => {
                let status =
                    if self.is_symbol("(") { Some(self.arguments([None])?[0]) } else { None };
                Ok(Op::Halt { status })
            }
            _ => {
                self.at = at;
                self.store()
            }
        }
    }

    fn store(&mut self) -> Result<Op, ParseError> {
        let volatile = self.is_word("volatile");
        self.at += usize::from(volatile);
        let at = self.at;
        let word = self.name()?.0;
        let (Some(ty), true) = (type_of_name(&word), self.eat("[")) else {
            return self.fail_at(at, format!("expected an operation, found `{word}`"));
        };
        let pointer = self.typed(Type::Pointer)?;
        self.expect("]")?;
        let bits = self.bit_range()?;
        let region = self.region_suffix()?;
        self.expect(":=")?;
        let value = self.typed(ty)?;
        Ok(Op::Store { access: Access { pointer, ty, bits, volatile, region }, value })
    }

    /// What stands behind `x :=`.
    fn assigning(&mut self, target: VarId) -> Result<Op, ParseError> {
        let next = &self.tokens[self.at + 1];
        let next_word = match &next.token {
            Token::Name { text, quoted: false } if !next.first => text.as_str(),
            _ => "",
        };
        let next_bracket = next.token == Token::Symbol("[") && !next.first;
        if self.is_word("nondet") && !next_word.is_empty() {
            let word = next_word.to_owned();
            self.at += 2;
            let source = match word.as_str() {
                "uninitialized" => NondetSource::Uninitialized,
                "input" => NondetSource::Input(self.text()?),
                "library" => NondetSource::Library(self.text()?),
                "unmodelled" => NondetSource::Unmodelled(self.text()?),
                _ => {
                    self.at -= 1;
                    return self.fail(format!("`{word}` is no source of values"));
                }
            };
            return Ok(Op::Nondet { target, source });
        }
        if self.is_word("alloc") && ALLOCS.meaning(next_word).is_some() {
            let kind = ALLOCS.meaning(next_word).expect("just looked up");
            self.at += 2;
            let size_type = Type::Int(self.program.target.size_type());
            let size = self.arguments([Some(size_type)])?[0];
            let align = self.keyword_number("align")?;
            let zeroed = self.eat_word("zeroed");
            let frame = match self.eat_word("within") {
                true => Some(self.arguments([Some(Type::Pointer)])?[0]),
                false => None,
            };
            let region = self.region_suffix()?;
            return Ok(Op::Alloc { target, size, align, kind, zeroed, frame, region });
        }
        let quoted_next = matches!(next.token, Token::Name { .. }) && !next.first;
        let call = self.is_word("call") && (quoted_next || next_bracket);
        let other = (self.is_word("external") || self.is_word("output")) && quoted_next;
        if call || other {
            return self.calling(Some(target));
        }
        let ty = self.program.variables[target].ty;
        Ok(Op::Assign { target, value: self.typed(ty)? })
    }

    fn calling(&mut self, result: Option<VarId>) -> Result<Op, ParseError> {
        let word = self.name()?.0;
        if word == "call" && self.eat("[") {
            let callee = self.typed(Type::Pointer)?;
            self.expect("]")?;
            let arguments = self.any_arguments()?;
            let variadic = self.eat_word("variadic");
            let candidates = if self.eat_word("among") {
                let mut list = Vec::new();
                if matches!(self.tokens[self.at].token, Token::Name { .. })
                    && !self.tokens[self.at].first
                {
                    list.push(self.function_ref()?);
                    while self.eat(",") {
                        list.push(self.function_ref()?);
                    }
                }
                Some(list)
            } else {
                None
            };
            return Ok(Op::CallIndirect { callee, candidates, arguments, result, variadic });
        }
        if word == "output" {
            let at = self.at;
            let kind = self.name()?.0;
            let Some(kind) = OUTPUTS.meaning(&kind) else {
                return self.fail_at(at, format!("`{kind}` is no output function"));
            };
            return Ok(Op::Output { kind, arguments: self.any_arguments()?, result });
        }
        let function = self.function_ref()?;
        let arguments = self.any_arguments()?;
        if word == "call" {
            return Ok(Op::Call { function, arguments, result });
        }
        let at = self.at;
        let effect = self.name()?.0;
        match EFFECTS.meaning(&effect) {
            Some(effect) => Ok(Op::External { function, arguments, result, effect }),
            None => self.fail_at(at, "expected `havoc` or `pure`"),
        }
    }

    fn any_arguments(&mut self) -> Result<Vec<ExprId>, ParseError> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        if self.eat(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expr()?);
            if self.eat(",") {
                continue;
            }
            self.expect(")")?;
            return Ok(arguments);
        }
    }

    /// As many arguments as there are types, each of its type.
    fn arguments<const N: usize>(
        &mut self,
        types: [Option<Type>; N],
    ) -> Result<[ExprId; N], ParseError> {
        let at = self.at;
        let Ok(arguments) = <[ExprId; N]>::try_from(self.any_arguments()?) else {
            return self.fail_at(at, format!("expected {N} operands"));
        };
        for (&a, ty) in arguments.iter().zip(types) {
            let found = self.program.exprs.type_of(a);
            if ty.is_some_and(|ty| ty != found) {
                return self.fail_at(at, format!("operand of wrong type {}", type_name(found)));
            }
        }
        Ok(arguments)
    }
}

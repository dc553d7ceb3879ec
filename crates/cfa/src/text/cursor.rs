//! Looks at the next tokens, reads words, numbers and names, and finds what
//! names stand for.

use super::ParseError;
use super::lexer::Token;
use super::names::{type_name, type_of_name};
use super::parser::{LARGEST_ID, NameTable, Parser};
use crate::program::{FunctionId, ObjectId, RegionId, VarId};
use crate::types::Type;
use bolide_base::Span;
use bolide_base::arena::Id;

impl Parser {
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        self.fail_at(self.at, message)
    }

    pub(super) fn fail_at<T>(
        &self,
        at: usize,
        message: impl Into<String>,
    ) -> Result<T, ParseError> {
        let t = &self.tokens[at.min(self.tokens.len() - 1)];
        Err(ParseError { line: t.line, column: t.column, message: message.into() })
    }

    /// Fails because something else stands here.
    pub(super) fn expected<T>(&self, what: impl std::fmt::Display) -> Result<T, ParseError> {
        self.fail(format!("expected {what}, found {}", self.describe()))
    }

    /// The next token for a message.
    pub(super) fn describe(&self) -> String {
        match &self.tokens[self.at].token {
            Token::End => "the end of the text".into(),
            _ if self.tokens[self.at].first && self.at > 0 => "the end of the line".into(),
            Token::Name { text, .. } => format!("`{text}`"),
            Token::Id(n) => format!("`'{n}`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Constant(digits, ty) => format!("`{digits}:{}`", type_name(*ty)),
            Token::Text(text) => format!("{text:?}"),
            Token::Let(n) => format!("`%{n}`"),
            Token::Symbol(s) => format!("`{s}`"),
        }
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        let t = &self.tokens[self.at];
        !t.first && matches!(t.token, Token::Symbol(s) if s == symbol)
    }

    pub(super) fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.eat(symbol) {
            return Ok(());
        }
        self.expected(format!("`{symbol}`"))
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(&self.tokens[self.at].token, Token::Name { text, quoted: false } if text == word)
    }

    /// Reads `word` if it stands on this line.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word) && !self.tokens[self.at].first;
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { self.expected(format!("`{word}`")) }
    }

    pub(super) fn number(&mut self) -> Result<u64, ParseError> {
        match self.tokens[self.at].token {
            Token::Number(n) if !self.tokens[self.at].first => {
                self.at += 1;
                Ok(n)
            }
            _ => self.expected("a number"),
        }
    }

    /// A name and, behind it, its id.
    pub(super) fn name(&mut self) -> Result<(String, Option<u32>), ParseError> {
        let Token::Name { text, .. } = self.tokens[self.at].token.clone() else {
            return self.expected("a name");
        };
        self.at += 1;
        let id = match self.tokens[self.at].token {
            Token::Id(n) => {
                self.at += 1;
                Some(n)
            }
            _ => None,
        };
        Ok((text, id))
    }

    pub(super) fn text(&mut self) -> Result<String, ParseError> {
        match self.tokens[self.at].token.clone() {
            Token::Text(text) => {
                self.at += 1;
                Ok(text)
            }
            _ => self.expected("text in quotation marks"),
        }
    }

    pub(super) fn ty(&mut self) -> Result<Type, ParseError> {
        let at = self.at;
        let (word, _) = self.name()?;
        match type_of_name(&word) {
            Some(ty) => Ok(ty),
            None => self.fail_at(at, format!("`{word}` is not a type")),
        }
    }

    /// `L3`, `e5`, `C0`, `r1`: an id with its letter.
    pub(super) fn lettered<I: Id>(&mut self, letter: char) -> Result<I, ParseError> {
        let at = self.at;
        if let Token::Name { text, .. } = &self.tokens[at].token
            && let Some(digits) = text.strip_prefix(letter)
            && let Ok(n) = digits.parse::<u64>()
            && n < LARGEST_ID
        {
            self.at += 1;
            return Ok(I::from_index(n as usize));
        }
        self.expected(format!("`{letter}` with a number"))
    }

    pub(super) fn end_of_line(&mut self) -> Result<(), ParseError> {
        if self.tokens[self.at].first {
            return Ok(());
        }
        self.expected("the end of the line")
    }

    /// `@start..end` if it stands here.
    pub(super) fn span(&mut self) -> Result<Option<Span>, ParseError> {
        let numbers =
            matches!(self.tokens.get(self.at + 1), Some(t) if matches!(t.token, Token::Number(_)));
        if !self.is_symbol("@") || !numbers {
            return Ok(None);
        }
        self.at += 1;
        let at = self.at;
        let start = self.number()?;
        self.expect("..")?;
        let end = self.number()?;
        match (u32::try_from(start), u32::try_from(end)) {
            (Ok(start), Ok(end)) if start <= end => Ok(Some(Span { start, end })),
            _ => self.fail_at(at, "this is no span"),
        }
    }

    pub(super) fn resolve<I: Id>(
        &mut self,
        what: &str,
        table: impl Fn(&Self) -> &NameTable<I>,
        len: impl Fn(&Self) -> usize,
    ) -> Result<I, ParseError> {
        let at = self.at;
        let (name, id) = self.name()?;
        if let Some(id) = id {
            let index = id as usize;
            return if index < len(self) {
                Ok(I::from_index(index))
            } else {
                self.fail_at(at, format!("there is no {what} with id {id}"))
            };
        }
        match table(self).get(&name).map(Vec::as_slice) {
            Some(&[only]) => Ok(only),
            Some(_) => {
                self.fail_at(at, format!("several {what}s are called `{name}`: write its id"))
            }
            None => self.fail_at(at, format!("there is no {what} `{name}`")),
        }
    }

    pub(super) fn function_ref(&mut self) -> Result<FunctionId, ParseError> {
        self.resolve("function", |p| &p.functions, |p| p.program.functions.len())
    }

    pub(super) fn object_ref(&mut self) -> Result<ObjectId, ParseError> {
        self.resolve("object", |p| &p.objects, |p| p.program.objects.len())
    }

    pub(super) fn var_ref(&mut self) -> Result<VarId, ParseError> {
        let at = self.at;
        let (name, id) = self.name()?;
        if let Some(id) = id {
            let index = id as usize;
            if let Some(Some(v)) = self.variables.get(index) {
                if v.name == name {
                    return Ok(VarId::from_index(index));
                }
                return self.fail_at(at, format!("variable {id} is called `{}`", v.name));
            }
            return self.fail_at(at, format!("there is no variable with id {id}"));
        }
        let of = |t: &NameTable<VarId>| t.get(&name).cloned().unwrap_or_default();
        let found: Vec<VarId> = of(&self.locals).into_iter().chain(of(&self.globals)).collect();
        match found[..] {
            [only] => Ok(only),
            [] => self.fail_at(at, format!("there is no variable `{name}`")),
            _ => self.fail_at(at, format!("several variables are called `{name}`: write its id")),
        }
    }

    pub(super) fn region_ref(&mut self) -> Result<RegionId, ParseError> {
        let at = self.at;
        let id: RegionId = self.lettered('r')?;
        if self.program.regions.get(id).is_none() {
            return self.fail_at(at, format!("there is no region r{}", id.index()));
        }
        Ok(id)
    }
}

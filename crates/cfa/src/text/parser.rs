//! Reads a program text: declarations, locations, edges.
//!
//! Functions and objects may be used before they are declared (an initial value
//! may be the address of a later function), so their names are collected first.

use super::ParseError;
use super::lexer::{Located, Token, tokenize};
use super::names::{KINDS, ROLES};
use crate::expr::ExprId;
use crate::program::*;
use crate::types::Target;
use bolide_base::arena::Id;
use bolide_base::{Arena, HashMap, Span};

/// Reads a program; the first mistake ends it.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let tokens = tokenize(text)?;
    let mut parser = Parser {
        tokens,
        at: 0,
        program: Program::new(Target::LP64),
        lets: HashMap::default(),
        functions: HashMap::default(),
        objects: HashMap::default(),
        globals: HashMap::default(),
        locals: HashMap::default(),
        variables: Vec::new(),
        next_var: 0,
        locations: Vec::new(),
        edges: Vec::new(),
        next_edge: 0,
        orders: Vec::new(),
    };
    parser.collect_names()?;
    parser.program()?;
    parser.assemble()
}

/// Which ids a name stands for, in order of declaration.
pub(super) type NameTable<I> = HashMap<String, Vec<I>>;

/// An order of edges that a location line asks for.
struct EdgeOrder {
    location: LocId,
    outgoing: bool,
    edges: Vec<EdgeId>,
    at: usize,
}

pub(super) struct Parser {
    pub(super) tokens: Vec<Located>,
    pub(super) at: usize,
    pub(super) program: Program,
    pub(super) lets: HashMap<u32, ExprId>,
    pub(super) functions: NameTable<FunctionId>,
    pub(super) objects: NameTable<ObjectId>,
    pub(super) globals: NameTable<VarId>,
    pub(super) locals: NameTable<VarId>,
    /// By id; holes are an error at the end.
    pub(super) variables: Vec<Option<Variable>>,
    next_var: usize,
    locations: Vec<Option<Location>>,
    edges: Vec<Option<Edge>>,
    next_edge: usize,
    orders: Vec<EdgeOrder>,
}

/// No program has more; keeps a mistyped id from asking for all memory.
pub(super) const LARGEST_ID: u64 = 1 << 28;

impl Parser {
    /// First pass: functions, objects and regions, with empty contents.
    fn collect_names(&mut self) -> Result<(), ParseError> {
        for at in 0..self.tokens.len() {
            if !self.tokens[at].first {
                continue;
            }
            self.at = at + 1;
            let Token::Name { text, quoted: false } = self.tokens[at].token.clone() else {
                continue;
            };
            match text.as_str() {
                "function" => {
                    let id = self.program.functions.next_id();
                    let name = self.declared_name(id.index())?;
                    self.program.functions.push(Function::named(name.clone()));
                    self.functions.entry(name).or_default().push(id);
                }
                "object" => {
                    let id = self.program.objects.next_id();
                    let name = self.declared_name(id.index())?;
                    self.program.objects.push(StaticObject::new(&name, 0, 1, Span::NONE));
                    self.objects.entry(name).or_default().push(id);
                }
                "region" => {
                    let id: RegionId = self.lettered('r')?;
                    if id != RegionId::ALL {
                        if id != self.program.regions.next_id() {
                            return self.fail("regions must be declared in order");
                        }
                        let region = Region {
                            name: String::new(),
                            cell: None,
                            aligned: false,
                            object: None,
                        };
                        self.program.regions.push(region);
                    }
                }
                _ => {}
            }
        }
        self.at = 0;
        Ok(())
    }

    fn declared_name(&mut self, expected: usize) -> Result<String, ParseError> {
        let at = self.at;
        let (name, id) = self.name()?;
        if id.is_some_and(|id| id as usize != expected) {
            return self.fail_at(at, format!("this is number {expected}"));
        }
        Ok(name)
    }

    fn program(&mut self) -> Result<(), ParseError> {
        if !self.is_word("program") {
            return self.fail("a program text starts with `program LP64` or `program ILP32`");
        }
        self.at += 1;
        let at = self.at;
        let target = match self.name()?.0.as_str() {
            "LP64" => Target::LP64,
            "ILP32" => Target::ILP32,
            _ => return self.fail_at(at, "expected `LP64` or `ILP32`"),
        };
        self.program.target = target;
        self.program.exprs = crate::expr::ExprPool::new(target);
        self.end_of_line()?;
        let (mut functions, mut objects) = (0, 0);
        loop {
            let at = self.at;
            let word = match self.tokens[at].token.clone() {
                Token::End => return Ok(()),
                Token::Name { text, quoted: false } => text,
                _ => String::new(),
            };
            self.at += 1;
            match word.as_str() {
                "entry" => self.program.entry = self.function_ref()?,
                "external" => {
                    self.expect_word("region")?;
                    self.program.external_region =
                        if self.eat_word("none") { None } else { Some(self.region_ref()?) };
                }
                "region" => self.region()?,
                "part" => self.part()?,
                "object" => {
                    self.object(ObjectId::from_index(objects))?;
                    objects += 1;
                }
                "global" => {
                    let var = self.variable(VariableKind::Global, None)?;
                    let name = self.variables[var.index()].as_ref().expect("declared").name.clone();
                    self.globals.entry(name).or_default().push(var);
                    self.lets.clear();
                }
                "check" => self.check()?,
                "let" => self.let_line()?,
                "function" => {
                    self.function(FunctionId::from_index(functions))?;
                    functions += 1;
                    continue;
                }
                _ => {
                    self.at = at;
                    let found = match &self.tokens[at].token {
                        Token::Name { text, .. } => format!("`{text}`"),
                        _ => self.describe(),
                    };
                    return self.fail(format!("expected a declaration, found {found}"));
                }
            }
            self.end_of_line()?;
        }
    }

    fn let_line(&mut self) -> Result<(), ParseError> {
        let Token::Let(n) = self.tokens[self.at].token else {
            return self.fail("expected `%` with a number");
        };
        self.at += 1;
        self.expect("=")?;
        let e = self.expr()?;
        self.lets.insert(n, e);
        Ok(())
    }

    fn region(&mut self) -> Result<(), ParseError> {
        let id = self.region_ref()?;
        let name = self.text()?;
        let cell = if self.eat_word("cell") { Some(self.ty()?) } else { None };
        let aligned = self.eat_word("aligned");
        let object = if self.eat_word("object") { Some(self.object_ref()?) } else { None };
        self.program.regions[id] = Region { name, cell, aligned, object };
        Ok(())
    }

    pub(super) fn keyword_number(&mut self, word: &str) -> Result<u64, ParseError> {
        self.expect_word(word)?;
        self.number()
    }

    fn part(&mut self) -> Result<(), ParseError> {
        let object = self.object_ref()?;
        let offset = self.number()?;
        let size = self.keyword_number("size")?;
        let stride = self.keyword_number("stride")?;
        let count = self.keyword_number("count")?;
        self.expect_word("in")?;
        let region = self.region_ref()?;
        let part = ObjectPart { object, offset, size, stride, count, region };
        self.program.object_parts.push(part);
        Ok(())
    }

    fn object(&mut self, id: ObjectId) -> Result<(), ParseError> {
        self.name()?;
        let size = self.keyword_number("size")?;
        let align = self.keyword_number("align")?;
        let constant = self.eat_word("constant");
        let external = self.eat_word("external");
        let span = self.span()?.unwrap_or(Span::NONE);
        let mut initial = Vec::new();
        // Lines that start with an offset (or a `let` before one) belong to it.
        loop {
            self.end_of_line()?;
            let next = &self.tokens[self.at].token;
            if let Token::Number(offset) = *next {
                self.at += 1;
                let bits = self.bit_range()?;
                self.expect("=")?;
                let value = self.expr()?;
                initial.push(InitialValue { offset, bits, value });
                self.lets.clear();
            } else if self.is_word("let") {
                self.at += 1;
                self.let_line()?;
            } else {
                break;
            }
        }
        let object = &mut self.program.objects[id];
        *object = StaticObject {
            name: std::mem::take(&mut object.name),
            size,
            align,
            initial,
            constant,
            external,
            span,
        };
        Ok(())
    }

    fn check(&mut self) -> Result<(), ParseError> {
        let at = self.at;
        let id: CheckId = self.lettered('C')?;
        if id != self.program.checks.next_id() {
            return self.fail_at(at, "checks must be declared in order");
        }
        // Names of properties have hyphens in them.
        let at = self.at;
        let mut word = self.name()?.0;
        while self.eat("-") {
            word = word + "-" + &self.name()?.0;
        }
        let Some(property) = Property::by_name(&word) else {
            return self.fail_at(at, format!("there is no property `{word}`"));
        };
        let description = self.text()?;
        let span = self.span()?.unwrap_or(Span::NONE);
        self.program.checks.push(Check { property, description, span });
        Ok(())
    }

    /// `kind name'id : type = initial @span scope @span`.
    fn variable(
        &mut self,
        usual: VariableKind,
        function: Option<FunctionId>,
    ) -> Result<VarId, ParseError> {
        let mut kind = usual;
        let token = |at: usize| self.tokens.get(at).map(|t| &t.token);
        if let (Some(Token::Name { text, quoted: false }), Some(Token::Name { .. })) =
            (token(self.at), token(self.at + 1))
            && let Some(k) = KINDS.meaning(text)
        {
            kind = k;
            self.at += 1;
        }
        let at = self.at;
        let (name, id) = self.name()?;
        let index = id.map_or(self.next_var, |id| id as usize);
        if index as u64 >= LARGEST_ID || matches!(self.variables.get(index), Some(Some(_))) {
            return self.fail_at(at, format!("there is already a variable with id {index}"));
        }
        self.next_var = index + 1;
        self.expect(":")?;
        let ty = self.ty()?;
        let initial = if self.eat("=") { Some(self.typed(ty)?) } else { None };
        let span = self.span()?.unwrap_or(Span::NONE);
        let scope = if self.eat_word("scope") { self.span()? } else { None };
        let variable = Variable {
            name,
            ty,
            function,
            kind,
            initial,
            span,
            scope: scope.unwrap_or(Span::NONE),
        };
        if self.variables.len() <= index {
            self.variables.resize(index + 1, None);
        }
        // The pool takes a variable's type from the program.
        while self.program.variables.len() <= index {
            self.program.variables.push(variable.clone());
        }
        self.program.variables[VarId::from_index(index)] = variable.clone();
        self.variables[index] = Some(variable);
        Ok(VarId::from_index(index))
    }

    fn local(&mut self, usual: VariableKind, id: FunctionId) -> Result<VarId, ParseError> {
        let var = self.variable(usual, Some(id))?;
        let name = self.program.variables[var].name.clone();
        self.locals.entry(name).or_default().push(var);
        Ok(var)
    }

    fn function(&mut self, id: FunctionId) -> Result<(), ParseError> {
        self.locals.clear();
        self.name()?;
        let mut function = self.program.functions[id].clone();
        self.expect("(")?;
        while !self.eat(")") {
            if self.eat("...") {
                function.variadic = true;
                self.expect(")")?;
                break;
            }
            function.parameters.push(self.local(VariableKind::Parameter, id)?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        if self.eat("->") {
            function.result = Some(self.local(VariableKind::Result, id)?);
        }
        function.unmodelled = self.eat_word("unmodelled");
        if self.eat_word("at") {
            function.span = self.span()?.unwrap_or(Span::NONE);
        }
        self.end_of_line()?;
        while let Token::Name { text, quoted: false } = self.tokens[self.at].token.clone() {
            let next = &self.tokens[self.at + 1];
            let starts_name = !next.first && matches!(next.token, Token::Name { .. });
            match text.as_str() {
                "function" | "global" | "object" | "region" | "part" | "check" if starts_name => {
                    break;
                }
                "unlisted" if starts_name => {
                    self.at += 1;
                    self.local(VariableKind::Local, id)?;
                }
                "entry" if starts_name => {
                    self.at += 1;
                    let entry = self.location(id)?;
                    self.expect_word("exit")?;
                    let exit = self.location(id)?;
                    function.body = Some(Body { entry, exit });
                }
                "let" => {
                    self.at += 1;
                    self.let_line()?;
                }
                word if KINDS.meaning(word).is_some() => {
                    let local = self.local(VariableKind::Local, id)?;
                    function.locals.push(local);
                }
                _ => {
                    self.graph_line(id)?;
                    self.lets.clear();
                }
            }
            self.end_of_line()?;
        }
        self.program.functions[id] = function;
        Ok(())
    }

    /// A location of the function, made when it is first named.
    fn location(&mut self, function: FunctionId) -> Result<LocId, ParseError> {
        let at = self.at;
        let id: LocId = self.lettered('L')?;
        if self.locations.len() <= id.index() {
            self.locations.resize(id.index() + 1, None);
        }
        let location = self.locations[id.index()].get_or_insert(Location::of(function));
        if location.function != function {
            return self.fail_at(at, format!("L{} belongs to another function", id.index()));
        }
        Ok(id)
    }

    /// `L3: ...`, `L3 -> L4 : op` or `e7: L3 -> L4 : op`.
    fn graph_line(&mut self, function: FunctionId) -> Result<(), ParseError> {
        let explicit = match &self.tokens[self.at].token {
            Token::Name { text, .. } if text.starts_with('e') => {
                let id: EdgeId = self.lettered('e')?;
                self.expect(":")?;
                Some(id)
            }
            _ => None,
        };
        let at = self.at;
        let from = self.location(function)?;
        if explicit.is_none() && self.eat(":") {
            return self.location_line(from);
        }
        self.expect("->")?;
        let to = self.location(function)?;
        self.expect(":")?;
        let op = self.op()?;
        let mut origin = Origin::default();
        if let Some(span) = self.span()? {
            origin.span = span;
            if let Token::Name { text, quoted: false } = &self.tokens[self.at].token
                && !self.tokens[self.at].first
            {
                let Some(role) = ROLES.meaning(text) else {
                    return self.fail(format!("`{text}` is no role of an edge"));
                };
                origin.role = role;
                self.at += 1;
            }
        }
        let index = explicit.map_or(self.next_edge, Id::index);
        if self.edges.len() <= index {
            self.edges.resize(index + 1, None);
        }
        if self.edges[index].is_some() {
            return self.fail_at(at, format!("there is already an edge e{index}"));
        }
        self.edges[index] = Some(Edge { from, to, op, origin });
        self.next_edge = index + 1;
        Ok(())
    }

    fn location_line(&mut self, id: LocId) -> Result<(), ParseError> {
        if self.eat_word("loop") {
            let span = self.span()?.unwrap_or(Span::NONE);
            self.location_mut(id).loop_keyword = Some(span);
        }
        if self.eat_word("label") {
            let label = self.text()?;
            self.location_mut(id).label = Some(label);
        }
        if self.eat_word("error") {
            let at = self.at;
            let check: CheckId = self.lettered('C')?;
            if self.program.checks.get(check).is_none() {
                return self.fail_at(at, format!("there is no check C{}", check.index()));
            }
            self.location_mut(id).error = Some(check);
        }
        for (word, outgoing) in [("outgoing", true), ("incoming", false)] {
            let at = self.at;
            if self.eat_word(word) {
                let mut edges = Vec::new();
                while !self.tokens[self.at].first
                    && !self.is_word("incoming")
                    && !matches!(self.tokens[self.at].token, Token::End)
                {
                    edges.push(self.lettered('e')?);
                }
                self.orders.push(EdgeOrder { location: id, outgoing, edges, at });
            }
        }
        Ok(())
    }

    fn location_mut(&mut self, id: LocId) -> &mut Location {
        self.locations[id.index()].as_mut().expect("the line named it")
    }

    /// Puts the parts together once all ids are known.
    fn assemble(mut self) -> Result<Program, ParseError> {
        fn dense<I: Id, T>(items: Vec<Option<T>>, what: &str) -> Result<Arena<I, T>, ParseError> {
            let mut arena = Arena::new();
            for (i, item) in items.into_iter().enumerate() {
                let Some(item) = item else {
                    let message = format!("there is no {what} with id {i}, but one after it");
                    return Err(ParseError { line: 1, column: 1, message });
                };
                arena.push(item);
            }
            Ok(arena)
        }
        self.program.variables = dense(std::mem::take(&mut self.variables), "variable")?;
        self.program.locations = dense(std::mem::take(&mut self.locations), "location")?;
        self.program.edges = dense(std::mem::take(&mut self.edges), "edge")?;
        for (id, edge) in self.program.edges.iter() {
            self.program.locations[edge.from].outgoing.push(id);
            self.program.locations[edge.to].incoming.push(id);
        }
        for order in std::mem::take(&mut self.orders) {
            let location = &mut self.program.locations[order.location];
            let list = if order.outgoing { &mut location.outgoing } else { &mut location.incoming };
            let mut sorted = order.edges.clone();
            sorted.sort_unstable();
            if sorted != *list {
                return self.fail_at(order.at, "these are not the edges of this location");
            }
            *list = order.edges;
        }
        Ok(self.program)
    }
}

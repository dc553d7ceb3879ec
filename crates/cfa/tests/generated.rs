//! Generated programs: the text form gives them back as they were, and the
//! interpreter's compiled expressions agree with the definition in `value`.

use bolide_base::arena::Id;
use bolide_base::{HashMap, Span};
use bolide_cfa::interpreter::{Config, Inputs, Interpreter, Observer, Outcome, Reason};
use bolide_cfa::text::{parse, print};
use bolide_cfa::value::{self, Undefined, Value};
use bolide_cfa::*;
use proptest::prelude::*;

/// Decisions out of a string of bytes, so that failures shrink; zeros at the
/// end of it lead to the simplest choices.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&b, rest)) => {
                self.0 = rest;
                b
            }
            None => 0,
        }
    }

    fn below(&mut self, n: usize) -> usize {
        let wide = usize::from(self.byte()) << 8 | usize::from(self.byte());
        wide % n.max(1)
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn bits(&mut self) -> u128 {
        // Small, negative, extreme and arbitrary numbers.
        match self.below(4) {
            0 => u128::from(self.byte()),
            1 => (-i128::from(self.byte())) as u128,
            2 => 1 << (self.byte() % 128),
            _ => (0..16).fold(0, |n, _| n << 8 | u128::from(self.byte())),
        }
    }

    fn span(&mut self) -> Span {
        if self.flag() {
            return Span::NONE;
        }
        let start = u32::from(self.byte());
        Span::new(start, start + u32::from(self.byte()))
    }

    fn name(&mut self) -> String {
        let names =
            ["x", "y", "s.f", "x#2", "true", "a b", "`", "\"é\"\n\\", "fn", "local", "i32", ""];
        names[self.below(names.len())].into()
    }

    fn ty(&mut self) -> Type {
        match self.below(6) {
            0 => Type::signed(32),
            1 => Type::Pointer,
            2 => Type::BOOL,
            3 => Type::Float(
                [FloatKind::F64, FloatKind::F32, FloatKind::F80, FloatKind::F128][self.below(4)],
            ),
            _ => {
                let bits = [8, 16, 32, 64, 128][self.below(5)];
                Type::Int(IntType { bits, signed: self.flag() })
            }
        }
    }
}

const BINARY: [BinaryOp; 10] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
];
const COMPARE: [CompareOp; 4] = [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le];

/// Makes expressions; variables are those of one function and the globals.
struct Generator<'a, 'b> {
    bytes: &'a mut Bytes<'b>,
    program: &'a mut Program,
    variables: Vec<VarId>,
    /// Only what `value` defines: no memory, no functions of the state.
    pure: bool,
}

impl Generator<'_, '_> {
    fn region(&mut self) -> RegionId {
        RegionId::from_index(self.bytes.below(self.program.regions.len()))
    }

    fn constant(&mut self, ty: Type) -> ExprId {
        let expr = match Value::from_bits(ty, self.bytes.bits()) {
            Value::Int { bits, ty } => Expr::Int { bits, ty },
            Value::Float { bits, kind } => {
                Expr::Float { bits: bits & value::float::mask(kind), kind }
            }
            Value::Pointer(_) => Expr::Null,
        };
        self.program.expr(expr)
    }

    fn leaf(&mut self, ty: Type) -> ExprId {
        let fitting: Vec<VarId> = self
            .variables
            .iter()
            .copied()
            .filter(|&v| self.program.variables[v].ty == ty)
            .collect();
        if self.bytes.flag() && !fitting.is_empty() {
            let v = fitting[self.bytes.below(fitting.len())];
            return self.program.read(v);
        }
        if ty == Type::Pointer && !self.pure {
            if self.bytes.flag() && !self.program.objects.is_empty() {
                let o = ObjectId::from_index(self.bytes.below(self.program.objects.len()));
                return self.program.expr(Expr::Object(o));
            }
            if self.bytes.flag() {
                let f = FunctionId::from_index(self.bytes.below(self.program.functions.len()));
                return self.program.expr(Expr::Function(f));
            }
        }
        self.constant(ty)
    }

    fn access(&mut self, ty: Type, depth: usize) -> Access {
        let pointer = self.expr(Type::Pointer, depth);
        let bits = match ty {
            Type::Int(t) if self.bytes.below(4) == 1 => Some(BitRange {
                offset: self.bytes.byte() % 8,
                width: 1 + self.bytes.byte() % t.bits,
            }),
            _ => None,
        };
        Access { pointer, ty, bits, volatile: self.bytes.flag(), region: self.region() }
    }

    fn expr(&mut self, ty: Type, depth: usize) -> ExprId {
        if depth == 0 {
            return self.leaf(ty);
        }
        let d = depth - 1;
        let offset = Type::Int(self.program.target.offset_type());
        let size = Type::Int(self.program.target.size_type());
        let expr = match (self.bytes.below(7), ty) {
            (0, _) => return self.leaf(ty),
            (1, _) if !self.pure => Expr::Load(self.access(ty, d)),
            (2, _) => Expr::Ite(self.expr(Type::BOOL, d), self.expr(ty, d), self.expr(ty, d)),
            (3, Type::Pointer) => {
                Expr::PointerAdd(self.expr(Type::Pointer, d), self.expr(offset, d))
            }
            (3, _) => {
                let mut from = self.bytes.ty();
                if self.pure && from == Type::Pointer {
                    from = offset;
                }
                Expr::Cast(ty, self.expr(from, d))
            }
            (4 | 5, Type::BOOL) => match self.bytes.below(if self.pure { 4 } else { 9 }) {
                0 => Expr::Unary(UnaryOp::Not, self.expr(ty, d)),
                1 => {
                    let t = self.bytes.ty();
                    let op = COMPARE[self.bytes.below(4)];
                    Expr::Compare(op, self.expr(t, d), self.expr(t, d))
                }
                2 => {
                    let t = Type::Float(FloatKind::F80);
                    let tests = [
                        FloatTest::IsNan,
                        FloatTest::IsInfinite,
                        FloatTest::IsFinite,
                        FloatTest::IsNormal,
                        FloatTest::SignBit,
                    ];
                    Expr::FloatTest(tests[self.bytes.below(5)], self.expr(t, d))
                }
                3 => {
                    let bits = [8, 32, 64, 128][self.bytes.below(4)];
                    let op = BINARY[self.bytes.below(7)];
                    let t = Type::signed(bits);
                    Expr::Overflows(op, self.expr(t, d), self.expr(t, d))
                }
                4 => Expr::Leaked,
                5 => Expr::HeapInUse,
                6 => {
                    let (pointer, size) = (self.expr(Type::Pointer, d), self.expr(size, d));
                    Expr::Valid { pointer, size, region: self.region() }
                }
                7 if self.bytes.flag() => Expr::ReadOnly(self.expr(Type::Pointer, d)),
                7 if self.bytes.flag() => {
                    Expr::Coincide(self.expr(Type::Pointer, d), self.expr(Type::Pointer, d))
                }
                7 if self.bytes.flag() => {
                    Expr::SameObject(self.expr(Type::Pointer, d), self.expr(Type::Pointer, d))
                }
                7 => Expr::Freeable { pointer: self.expr(Type::Pointer, d), region: self.region() },
                _ => Expr::Binary(
                    BINARY[7 + self.bytes.below(3)],
                    self.expr(ty, d),
                    self.expr(ty, d),
                ),
            },
            (4, Type::Int(_)) => {
                let op = if self.bytes.flag() { UnaryOp::Neg } else { UnaryOp::BitNot };
                Expr::Unary(op, self.expr(ty, d))
            }
            (4, Type::Float(_)) => match self.bytes.below(3) {
                0 => Expr::Unary(UnaryOp::Neg, self.expr(ty, d)),
                _ => {
                    let fns = [
                        FloatFn::Abs,
                        FloatFn::Sqrt,
                        FloatFn::Floor,
                        FloatFn::Ceil,
                        FloatFn::Trunc,
                        FloatFn::Round,
                        FloatFn::RoundEven,
                    ];
                    Expr::FloatFn(fns[self.bytes.below(7)], self.expr(ty, d))
                }
            },
            (5, t) if t == offset && !self.pure => {
                Expr::PointerDiff(self.expr(Type::Pointer, d), self.expr(Type::Pointer, d))
            }
            (5, t) if t == size && !self.pure => Expr::ObjectSize(self.expr(Type::Pointer, d)),
            (6, t) if t == offset && !self.pure => Expr::Offset(self.expr(Type::Pointer, d)),
            (_, Type::Int(_)) => {
                let op = BINARY[self.bytes.below(if ty == Type::BOOL { 3 } else { 10 })];
                let op = if ty == Type::BOOL { BinaryOp::BitXor } else { op };
                let amount = match op {
                    BinaryOp::Shl | BinaryOp::Shr if self.bytes.flag() => Type::signed(32),
                    _ => ty,
                };
                Expr::Binary(op, self.expr(ty, d), self.expr(amount, d))
            }
            (_, Type::Float(_)) => {
                Expr::Binary(BINARY[self.bytes.below(4)], self.expr(ty, d), self.expr(ty, d))
            }
            (_, Type::Pointer) => return self.leaf(ty),
        };
        self.program.expr(expr)
    }

    fn any_expr(&mut self) -> ExprId {
        let ty = self.bytes.ty();
        self.expr(ty, 2)
    }

    fn op(&mut self) -> Op {
        let size = Type::Int(self.program.target.size_type());
        let variable = |g: &mut Self| g.variables[g.bytes.below(g.variables.len())];
        let function =
            |g: &mut Self| FunctionId::from_index(g.bytes.below(g.program.functions.len()));
        let arguments =
            |g: &mut Self| -> Vec<ExprId> { (0..g.bytes.below(3)).map(|_| g.any_expr()).collect() };
        let result = |g: &mut Self| g.bytes.flag().then(|| variable(g));
        match self.bytes.below(16) {
            0 => Op::Skip,
            1 => Op::Assume(self.expr(Type::BOOL, 3)),
            2 | 3 => {
                let target = variable(self);
                Op::Assign { target, value: self.expr(self.program.variables[target].ty, 4) }
            }
            4 => {
                let ty = self.bytes.ty();
                Op::Store { access: self.access(ty, 2), value: self.expr(ty, 2) }
            }
            5 => {
                let source = match self.bytes.below(4) {
                    0 => NondetSource::Uninitialized,
                    1 => NondetSource::Input(self.bytes.name()),
                    2 => NondetSource::Library(self.bytes.name()),
                    _ => NondetSource::Unmodelled(self.bytes.name()),
                };
                Op::Nondet { target: variable(self), source }
            }
            6 => Op::Alloc {
                target: variable(self),
                size: self.expr(size, 2),
                align: 1 << (self.bytes.byte() % 6),
                kind: [AllocKind::Heap, AllocKind::Stack, AllocKind::Alloca][self.bytes.below(3)],
                zeroed: self.bytes.flag(),
                frame: self.bytes.flag().then(|| self.expr(Type::Pointer, 1)),
                region: self.region(),
            },
            7 => Op::Free { pointer: self.expr(Type::Pointer, 2), region: self.region() },
            8 => Op::EndLifetime { pointer: self.expr(Type::Pointer, 2), region: self.region() },
            9 => Op::Copy {
                to: self.expr(Type::Pointer, 1),
                from: self.expr(Type::Pointer, 1),
                size: self.expr(size, 1),
                to_region: self.region(),
                from_region: self.region(),
            },
            10 => Op::Fill {
                to: self.expr(Type::Pointer, 1),
                byte: self.expr(Type::unsigned(8), 1),
                size: self.expr(size, 1),
                region: self.region(),
            },
            11 => Op::Call {
                function: function(self),
                arguments: arguments(self),
                result: result(self),
            },
            12 => Op::CallIndirect {
                callee: self.expr(Type::Pointer, 1),
                candidates: self
                    .bytes
                    .flag()
                    .then(|| (0..self.bytes.below(3)).map(|_| function(self)).collect()),
                arguments: arguments(self),
                result: result(self),
                variadic: self.bytes.flag(),
            },
            13 => Op::External {
                function: function(self),
                arguments: arguments(self),
                result: result(self),
                effect: if self.bytes.flag() {
                    ExternalEffect::Pure
                } else {
                    ExternalEffect::Havoc
                },
            },
            14 => Op::Output {
                kind: [
                    OutputKind::Printf,
                    OutputKind::Puts,
                    OutputKind::Putchar,
                    OutputKind::Opaque,
                    OutputKind::FormatLength,
                    OutputKind::FormatCharacter,
                    OutputKind::Scan,
                    OutputKind::ReadFloat,
                ][self.bytes.below(8)],
                arguments: arguments(self),
                result: result(self),
            },
            _ => Op::Halt { status: self.bytes.flag().then(|| self.any_expr()) },
        }
    }
}

const ROLES: [Role; 8] = [
    Role::Implicit,
    Role::Statement,
    Role::Branch { taken: true },
    Role::Branch { taken: false },
    Role::Call,
    Role::Return,
    Role::Check,
    Role::Declaration,
];

/// A well-formed program with all kinds of things in all orders.
fn program(bytes: &mut Bytes<'_>) -> Program {
    let target = if bytes.flag() { Target::ILP32 } else { Target::LP64 };
    let mut p = Program::new(target);
    for _ in 0..bytes.below(3) {
        let cell = bytes.flag().then(|| bytes.ty());
        p.regions.push(Region { name: bytes.name(), cell, aligned: false, object: None });
    }
    if bytes.flag() {
        p.external_region = None;
    }
    let functions = 1 + bytes.below(3);
    for _ in 0..functions {
        p.functions.push(Function {
            name: bytes.name(),
            parameters: Vec::new(),
            variadic: bytes.flag(),
            result: None,
            locals: Vec::new(),
            body: None,
            unmodelled: bytes.flag(),
            span: bytes.span(),
        });
    }
    p.entry = FunctionId::from_index(bytes.below(functions));
    for _ in 0..bytes.below(3) {
        p.objects.push(StaticObject {
            name: bytes.name(),
            size: 64,
            align: 8,
            initial: Vec::new(),
            constant: bytes.flag(),
            external: bytes.flag(),
            span: bytes.span(),
        });
    }
    for _ in 0..bytes.below(3) {
        let properties = [Property::UnreachCall, Property::NoOverflow, Property::ValidMemtrack];
        let property = properties[bytes.below(3)];
        p.checks.push(Check { property, description: bytes.name(), span: bytes.span() });
    }
    // Variables, interleaved over the functions.
    for _ in 0..2 + bytes.below(12) {
        let function = bytes.flag().then(|| FunctionId::from_index(bytes.below(functions)));
        let kinds = [VariableKind::Local, VariableKind::Temporary, VariableKind::Address];
        let kind = if function.is_none() { VariableKind::Global } else { kinds[bytes.below(3)] };
        let id = p.variables.push(Variable {
            name: bytes.name(),
            ty: bytes.ty(),
            function,
            kind,
            initial: None,
            span: bytes.span(),
            scope: bytes.span(),
        });
        if let Some(f) = function {
            match bytes.below(4) {
                0 => {
                    p.functions[f].parameters.push(id);
                    p.variables[id].kind = VariableKind::Parameter;
                }
                1 if p.functions[f].result.is_none() => {
                    p.functions[f].result = Some(id);
                    p.variables[id].kind = VariableKind::Result;
                }
                2 => {}
                _ => p.functions[f].locals.push(id),
            }
        }
    }
    let globals: Vec<VarId> =
        p.variables.iter().filter(|(_, v)| v.function.is_none()).map(|(id, _)| id).collect();
    for &v in &globals {
        if bytes.flag() {
            let ty = p.variables[v].ty;
            let mut g = Generator { bytes, program: &mut p, variables: vec![], pure: false };
            let e = g.expr(ty, 1);
            p.variables[v].initial = Some(e);
        }
    }
    for o in p.objects.ids() {
        for i in 0..bytes.below(3) {
            let mut g = Generator { bytes, program: &mut p, variables: vec![], pure: false };
            let value = g.any_expr();
            let bits = bytes.flag().then_some(BitRange { offset: 3, width: 5 });
            let offset = 16 * i as u64;
            p.objects[o].initial.push(InitialValue { offset, bits, value });
        }
    }
    // Locations and edges, interleaved too.
    for _ in 0..bytes.below(12) {
        let l = p.add_location(FunctionId::from_index(bytes.below(functions)));
        p.locations[l].label = bytes.flag().then(|| bytes.name());
        p.locations[l].loop_keyword = bytes.flag().then(|| bytes.span());
        if !p.checks.is_empty() && bytes.flag() {
            p.locations[l].error = Some(CheckId::from_index(bytes.below(p.checks.len())));
        }
    }
    for _ in 0..bytes.below(12) {
        if p.locations.is_empty() {
            break;
        }
        let from = LocId::from_index(bytes.below(p.locations.len()));
        let f = p.locations[from].function;
        let own: Vec<LocId> =
            p.locations.iter().filter(|(_, l)| l.function == f).map(|(id, _)| id).collect();
        let to = own[bytes.below(own.len())];
        p.functions[f].body = Some(Body { entry: own[0], exit: to });
        let mut variables = globals.clone();
        variables
            .extend(p.variables.iter().filter(|(_, v)| v.function == Some(f)).map(|(id, _)| id));
        let op = if variables.is_empty() {
            Op::Skip
        } else {
            Generator { bytes, program: &mut p, variables, pure: false }.op()
        };
        let origin = Origin { span: bytes.span(), role: ROLES[bytes.below(8)] };
        p.add_edge(from, to, op, origin);
    }
    for l in p.locations.values_mut() {
        if bytes.flag() {
            l.outgoing.reverse();
        }
        if bytes.flag() {
            l.incoming.reverse();
        }
    }
    p
}

/// `op` with each expression replaced.
fn translated(op: &Op, f: impl Fn(ExprId) -> ExprId) -> Op {
    let all = |list: &Vec<ExprId>| list.iter().map(|&e| f(e)).collect();
    let mut op = op.clone();
    match &mut op {
        Op::Skip | Op::Nondet { .. } => {}
        Op::Assume(e) | Op::Assign { value: e, .. } => *e = f(*e),
        Op::Alloc { size, frame, .. } => {
            *size = f(*size);
            *frame = frame.map(&f);
        }
        Op::Free { pointer: e, .. } | Op::EndLifetime { pointer: e, .. } => *e = f(*e),
        Op::Store { access, value } => {
            access.pointer = f(access.pointer);
            *value = f(*value);
        }
        Op::Copy { to: a, from: b, size: c, .. } | Op::Fill { to: a, byte: b, size: c, .. } => {
            (*a, *b, *c) = (f(*a), f(*b), f(*c));
        }
        Op::Call { arguments, .. }
        | Op::External { arguments, .. }
        | Op::Output { arguments, .. } => {
            *arguments = all(arguments);
        }
        Op::CallIndirect { callee, arguments, .. } => {
            *callee = f(*callee);
            *arguments = all(arguments);
        }
        Op::Halt { status } => *status = status.map(&f),
    }
    op
}

/// Whether two programs are the same but for the numbers of expressions.
fn assert_same(p: &Program, q: &Program) {
    let mut pool = q.exprs.clone();
    let mut map: HashMap<ExprId, ExprId> = HashMap::default();
    for i in 0..p.exprs.len() {
        let id = ExprId::from_index(i);
        let expr = p.exprs.get(id).map_operands(|a| map[&a]);
        let to = match expr {
            Expr::Var(v) => pool.var(v, p.variables[v].ty),
            other => pool.intern(other),
        };
        map.insert(id, to);
    }
    let f = |e: ExprId| map[&e];
    assert_eq!(p.target, q.target);
    assert_eq!(p.functions, q.functions);
    assert_eq!(p.locations, q.locations);
    assert_eq!(p.checks, q.checks);
    assert_eq!(p.regions, q.regions);
    assert_eq!((p.entry, p.external_region), (q.entry, q.external_region));
    let mut variables = p.variables.clone();
    variables.values_mut().for_each(|v| v.initial = v.initial.map(f));
    assert_eq!(variables, q.variables);
    let mut objects = p.objects.clone();
    for o in objects.values_mut() {
        o.initial.iter_mut().for_each(|i| i.value = f(i.value));
    }
    assert_eq!(objects, q.objects);
    let mut edges = p.edges.clone();
    edges.values_mut().for_each(|e| e.op = translated(&e.op, f));
    assert_eq!(edges, q.edges);
}

/// The value of an expression by the definition, operands first.
fn reference(p: &Program, root: ExprId) -> Result<Value, Undefined> {
    let at = |e: ExprId| reference(p, e);
    Ok(match *p.exprs.get(root) {
        Expr::Int { bits, ty } => Value::Int { bits, ty },
        Expr::Float { bits, kind } => Value::Float { bits, kind },
        Expr::Null => Value::zero(Type::Pointer),
        Expr::Var(v) => Value::zero(p.variables[v].ty),
        Expr::Unary(op, a) => value::unary(op, at(a)?)?,
        Expr::Binary(op, a, b) => value::binary(op, at(a)?, at(b)?)?,
        Expr::Compare(op, a, b) => Value::bool(value::compare(op, at(a)?, at(b)?)?),
        Expr::Ite(c, a, b) => at(if at(c)?.is_true() { a } else { b })?,
        Expr::Cast(ty, a) => value::cast(ty, at(a)?, p.target),
        Expr::FloatFn(op, a) => value::float_fn(op, at(a)?)?,
        Expr::Pattern(ty, a) => value::pattern(ty, at(a)?)?,
        Expr::FloatTest(op, a) => Value::bool(value::float_test(op, at(a)?)?),
        Expr::Overflows(op, a, b) => Value::bool(value::overflows(op, at(a)?, at(b)?)?),
        Expr::PointerAdd(a, b) => {
            let address = at(a)?.bits().wrapping_add(at(b)?.bits());
            Value::from_bits(Type::Pointer, p.target.size_type().truncate(address))
        }
        ref other => panic!("not pure: {other:?}"),
    })
}

struct Last(Option<Value>);

impl Observer for Last {
    fn assigned(&mut self, _: EdgeId, _: VarId, value: Value) {
        self.0 = Some(value);
    }
}

#[test]
fn every_beginning_is_parsed_or_refused() {
    let bytes: Vec<u8> = (0..600u32).map(|i| (i * 197 % 251) as u8).collect();
    let text = print(&program(&mut Bytes(&bytes)));
    for (at, _) in text.char_indices() {
        let _ = parse(&text[..at]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_gives_programs_back(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        let original = program(&mut Bytes(&bytes));
        let text = print(&original);
        let once = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        prop_assert_eq!(&text, &print(&once));
        assert_same(&original, &once);
        // From the second time on the expressions have the same numbers too.
        let twice = parse(&text).unwrap();
        prop_assert_eq!(&once.edges, &twice.edges);
        prop_assert_eq!(&once.variables, &twice.variables);
    }

    #[test]
    fn the_parser_survives_damage(
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
        cut in any::<proptest::sample::Index>(),
        insert in "[ -~]{0,3}",
    ) {
        let mut text = print(&program(&mut Bytes(&bytes)));
        let chars: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        let at = chars[cut.index(chars.len())];
        let end = (at + 3).min(text.len());
        if text.is_char_boundary(end) {
            text.replace_range(at..end, &insert);
        }
        let _ = parse(&text);
    }

    #[test]
    fn compiled_expressions_agree_with_their_definition(
        bytes in proptest::collection::vec(any::<u8>(), 0..600)
    ) {
        let bytes = &mut Bytes(&bytes);
        let target = if bytes.flag() { Target::ILP32 } else { Target::LP64 };
        let mut p = Program::new(target);
        let main = p.functions.push(Function::named("main"));
        let ty = bytes.ty();
        let x = p.variables.push(Variable {
            name: "x".into(),
            ty,
            function: Some(main),
            kind: VariableKind::Local,
            initial: None,
            span: Span::NONE,
            scope: Span::NONE,
        });
        p.functions[main].locals.push(x);
        let (entry, exit) = (p.add_location(main), p.add_location(main));
        p.functions[main].body = Some(Body { entry, exit });
        let mut g = Generator { bytes, program: &mut p, variables: vec![x], pure: true };
        let value = g.expr(ty, 6);
        p.add_edge(entry, exit, Op::Assign { target: x, value }, Origin::default());
        let mut last = Last(None);
        let config = Config::default();
        let run = Interpreter::new(&p).run_observed(&mut Inputs::default(), &config, &mut last);
        match reference(&p, value) {
            Ok(expected) => {
                prop_assert_eq!(run.outcome, Outcome::Finished { status: Some(0) });
                let found = last.0.unwrap();
                prop_assert_eq!(found.bits(), expected.bits(), "{}", print(&p));
            }
            Err(undefined) => {
                let reason = Reason::Value(undefined);
                let edge = Some(EdgeId::from_index(0));
                prop_assert_eq!(run.outcome, Outcome::Undefined { reason, edge }, "{}", print(&p));
            }
        }
    }
}

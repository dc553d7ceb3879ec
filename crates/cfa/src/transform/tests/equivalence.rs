//! Generated programs, run before and after each transform: the outcome is the
//! same.
//!
//! Inputs are drawn by the *old* edge that asks and how often it asked, so
//! that transforms which remove inputs nobody reads do not shift the others.

use crate::expr::{Access, BinaryOp, BitRange, CompareOp, Expr, ExprId, UnaryOp};
use crate::interpreter::{self, Choices, Config, Outcome, Request, Source};
use crate::text;
use crate::transform::views::Asked;
use crate::transform::*;
use crate::types::{IntType, Target, Type};
use crate::value::Value;
use bolide_base::arena::Id;
use bolide_base::{HashMap, Span};
use bolide_testing::Dice;

const INTS: [IntType; 5] = [
    IntType::signed(32),
    IntType::unsigned(32),
    IntType::unsigned(8),
    IntType::signed(64),
    IntType::signed(8),
];
const CONSTANTS: [i128; 10] = [0, 1, 2, 3, 7, -1, 100, 255, -128, 2147483647];

struct Generator {
    dice: Dice,
    program: Program,
    function: FunctionId,
    at: LocId,
    variables: Vec<VarId>,
    pointers: Vec<VarId>,
    objects: Vec<ObjectId>,
    /// Objects that hold two pointers each.
    boxes: Vec<ObjectId>,
    /// Functions that may be called: those made before.
    callees: Vec<FunctionId>,
    loops: usize,
}

impl Generator {
    fn variable(
        &mut self,
        name: &str,
        ty: Type,
        function: Option<FunctionId>,
        kind: VariableKind,
    ) -> VarId {
        let number = self.program.variables.len();
        let id = self.program.variables.push(Variable {
            name: format!("{name}{number}"),
            ty,
            function,
            kind,
            initial: None,
            span: Span::NONE,
            scope: Span::NONE,
        });
        if let (Some(f), VariableKind::Local) = (function, kind) {
            self.program.functions[f].locals.push(id);
        }
        id
    }

    fn step(&mut self, op: Op) -> EdgeId {
        let next = self.program.add_location(self.function);
        let edge = self.program.add_edge(self.at, next, op, Origin::default());
        self.at = next;
        edge
    }

    fn constant(&mut self, ty: IntType) -> ExprId {
        let value = self.dice.pick(&CONSTANTS);
        self.program.exprs.int(value, ty)
    }

    /// A valid address: objects have 16 bytes, pointers point to their start.
    fn address(&mut self, size: u64) -> ExprId {
        let base = if self.dice.roll(2) == 0 && !self.pointers.is_empty() {
            let pointer = self.dice.pick(&self.pointers.clone());
            self.program.read(pointer)
        } else {
            let object = self.dice.pick(&self.objects.clone());
            self.program.expr(Expr::Object(object))
        };
        let slots = 16 / size;
        let i64_type = IntType::signed(64);
        let offset = if self.dice.roll(3) == 0 {
            // An index that is masked into the object.
            let index = self.int(IntType::unsigned(32), 1);
            let mask = self.program.exprs.int(i128::from(slots - 1), IntType::unsigned(32));
            let index = self.program.expr(Expr::Binary(BinaryOp::BitAnd, index, mask));
            let index = self.program.exprs.cast(Type::Int(i64_type), index);
            let width = self.program.exprs.int(i128::from(size), i64_type);
            self.program.expr(Expr::Binary(BinaryOp::Mul, index, width))
        } else {
            let slot = self.dice.roll(slots as usize) as i128;
            self.program.exprs.int(slot * i128::from(size), i64_type)
        };
        self.program.expr(Expr::PointerAdd(base, offset))
    }

    fn access(&mut self, ty: Type) -> Access {
        let size = ty.size(Target::LP64);
        let pointer = self.address(size);
        let bits = match ty {
            Type::Int(int) if self.dice.roll(4) == 0 => {
                let offset = self.dice.roll(8.min(usize::from(int.bits)));
                let width = 1 + self.dice.roll(usize::from(int.bits) - offset);
                Some(BitRange { offset: offset as u8, width: width as u8 })
            }
            _ => None,
        };
        Access { pointer, ty, bits, volatile: false, region: RegionId::ALL }
    }

    fn int(&mut self, ty: IntType, depth: usize) -> ExprId {
        let choice = if depth == 0 { self.dice.roll(2) } else { self.dice.roll(8) };
        match choice {
            0 => self.constant(ty),
            1 | 2 => {
                let list: Vec<VarId> = self.variables.clone();
                let var = self.dice.pick(&list);
                let value = self.program.read(var);
                self.program.exprs.cast(Type::Int(ty), value)
            }
            3 => {
                let of = self.dice.pick(&INTS[..4]);
                let access = self.access(Type::Int(of));
                let value = self.program.expr(Expr::Load(access));
                self.program.exprs.cast(Type::Int(ty), value)
            }
            4 => {
                let condition = self.condition(depth - 1);
                let (a, b) = (self.int(ty, depth - 1), self.int(ty, depth - 1));
                self.program.expr(Expr::Ite(condition, a, b))
            }
            5 => {
                let a = self.int(ty, depth - 1);
                self.program.expr(Expr::Unary(UnaryOp::BitNot, a))
            }
            _ => {
                use BinaryOp::*;
                let op = self.dice.pick(&[Add, Sub, Mul, BitAnd, BitOr, BitXor, Div, Rem]);
                let (a, b) = (self.int(ty, depth - 1), self.int(ty, depth - 1));
                self.program.expr(Expr::Binary(op, a, b))
            }
        }
    }

    fn condition(&mut self, depth: usize) -> ExprId {
        let ty = self.dice.pick(&INTS);
        let op = self.dice.pick(&[CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le]);
        let (a, b) = (self.int(ty, depth.min(1)), self.int(ty, depth.min(1)));
        let compare = self.program.expr(Expr::Compare(op, a, b));
        match self.dice.roll(4) {
            0 => self.program.exprs.not(compare),
            1 if depth > 0 => {
                let other = self.condition(depth - 1);
                let op = self.dice.pick(&[BinaryOp::BitAnd, BinaryOp::BitOr]);
                self.program.expr(Expr::Binary(op, compare, other))
            }
            _ => compare,
        }
    }

    fn branch(&mut self, condition: ExprId) -> (LocId, LocId) {
        let opposite = self.program.exprs.not(condition);
        let (yes, no) =
            (self.program.add_location(self.function), self.program.add_location(self.function));
        self.program.add_edge(self.at, yes, Op::Assume(condition), Origin::default());
        self.program.add_edge(self.at, no, Op::Assume(opposite), Origin::default());
        (yes, no)
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let variables = self.variables.clone();
        let target = self.dice.pick(&variables);
        let ty = self.program.variables[target].ty.as_int().expect("an integer");
        match self.dice.roll(16) {
            0..=2 => {
                let value = self.int(ty, 2);
                self.step(Op::Assign { target, value });
            }
            3 | 4 => {
                let of = self.dice.pick(&INTS[..4]);
                let value = self.int(of, 1);
                let access = self.access(Type::Int(of));
                self.step(Op::Store { access, value });
            }
            5 => {
                self.step(Op::Nondet { target, source: NondetSource::Input("input".into()) });
            }
            6 if !self.pointers.is_empty() => {
                let object = self.dice.pick(&self.objects.clone());
                let value = self.program.expr(Expr::Object(object));
                let target = self.dice.pick(&self.pointers.clone());
                self.step(Op::Assign { target, value });
            }
            7 if !self.callees.is_empty() => {
                let function = self.dice.pick(&self.callees.clone());
                let parameters = self.program.functions[function].parameters.clone();
                let arguments = parameters
                    .iter()
                    .map(|&p| match self.program.variables[p].ty {
                        Type::Int(ty) => self.int(ty, 1),
                        _ => {
                            let object = self.dice.pick(&self.objects.clone());
                            self.program.expr(Expr::Object(object))
                        }
                    })
                    .collect();
                let result = self.program.functions[function].result;
                let result = result
                    .filter(|&r| self.program.variables[r].ty == Type::Int(ty))
                    .map(|_| target);
                if self.dice.roll(3) == 0 {
                    let callee = self.program.expr(Expr::Function(function));
                    let op = Op::CallIndirect {
                        callee,
                        candidates: None,
                        arguments,
                        result,
                        variadic: false,
                    };
                    self.step(op);
                } else {
                    self.step(Op::Call { function, arguments, result });
                }
            }
            8 | 9 if depth > 0 => {
                let condition = self.condition(1);
                let (yes, no) = self.branch(condition);
                let end = self.program.add_location(self.function);
                for way in [yes, no] {
                    self.at = way;
                    let count = self.dice.roll(3);
                    self.statements(count, depth - 1);
                    self.program.add_edge(self.at, end, Op::Skip, Origin::default());
                }
                self.at = end;
            }
            10 if depth > 0 && self.loops < 3 => {
                self.loops += 1;
                let int = IntType::signed(32);
                let counter =
                    self.variable("i", Type::Int(int), Some(self.function), VariableKind::Local);
                let zero = self.program.exprs.int(0, int);
                self.step(Op::Assign { target: counter, value: zero });
                let head = self.at;
                let read = self.program.read(counter);
                let bound = self.dice.roll(4) as i128;
                let bound = self.program.exprs.int(bound, int);
                let condition = self.program.expr(Expr::Compare(CompareOp::Lt, read, bound));
                let (body, after) = self.branch(condition);
                self.at = body;
                self.statements(2, depth - 1);
                let one = self.program.exprs.int(1, int);
                let next = self.program.expr(Expr::Binary(BinaryOp::Add, read, one));
                let op = Op::Assign { target: counter, value: next };
                self.program.add_edge(self.at, head, op, Origin::default());
                self.at = after;
            }
            11 => {
                // A check.
                let condition = self.condition(1);
                let (bad, good) = self.branch(condition);
                let check = self.program.checks.push(Check {
                    property: Property::UnreachCall,
                    description: "generated".into(),
                    span: Span::NONE,
                });
                self.program.locations[bad].error = Some(check);
                self.at = good;
            }
            12 => {
                let size = self.program.exprs.int(16, IntType::unsigned(64));
                let byte = self.dice.pick(&[0, 1, 255]);
                let byte = self.program.exprs.int(byte, IntType::unsigned(8));
                let (a, b) =
                    (self.dice.pick(&self.objects.clone()), self.dice.pick(&self.objects.clone()));
                let (a, b) =
                    (self.program.expr(Expr::Object(a)), self.program.expr(Expr::Object(b)));
                let all = RegionId::ALL;
                let op = if self.dice.roll(2) == 0 {
                    Op::Fill { to: a, byte, size, region: all }
                } else {
                    Op::Copy { to: a, from: b, size, to_region: all, from_region: all }
                };
                self.step(op);
            }
            14 | 15 if !self.pointers.is_empty() => {
                let object = self.dice.pick(&self.boxes.clone());
                let mut pointer = self.program.expr(Expr::Object(object));
                let offset = IntType::signed(64);
                let offset = match self.dice.roll(3) {
                    0 => self.program.exprs.int(0, offset),
                    1 => self.program.exprs.int(8, offset),
                    _ => {
                        let value = self.int(IntType::signed(64), 1);
                        let one = self.program.exprs.int(1, offset);
                        let bit = self.program.expr(Expr::Binary(BinaryOp::BitAnd, value, one));
                        let eight = self.program.exprs.int(8, offset);
                        self.program.expr(Expr::Binary(BinaryOp::Mul, bit, eight))
                    }
                };
                pointer = self.program.expr(Expr::PointerAdd(pointer, offset));
                let access = Access {
                    pointer,
                    ty: Type::Pointer,
                    bits: None,
                    volatile: false,
                    region: RegionId::ALL,
                };
                let target = self.dice.pick(&self.pointers.clone());
                match self.dice.roll(5) {
                    0 | 1 => {
                        let value = self.program.expr(Expr::Load(access));
                        self.step(Op::Assign { target, value });
                    }
                    2 => {
                        let value = self.program.read(target);
                        // Through an integer and back.
                        let value = self.program.exprs.cast(Type::unsigned(64), value);
                        let value = self.program.exprs.cast(Type::Pointer, value);
                        self.step(Op::Store { access, value });
                    }
                    3 => {
                        let (a, b) = (
                            self.dice.pick(&self.boxes.clone()),
                            self.dice.pick(&self.boxes.clone()),
                        );
                        let (to, from) = (
                            self.program.expr(Expr::Object(a)),
                            self.program.expr(Expr::Object(b)),
                        );
                        let size = self.program.exprs.int(16, IntType::unsigned(64));
                        let all = RegionId::ALL;
                        self.step(Op::Copy { to, from, size, to_region: all, from_region: all });
                    }
                    _ => {
                        let value = self.program.read(target);
                        self.step(Op::Store { access, value });
                    }
                }
            }
            13 if self.dice.roll(3) == 0 => {
                let condition = self.condition(0);
                self.step(Op::Assume(condition));
            }
            _ => {
                let value = self.int(ty, 1);
                self.step(Op::Assign { target, value });
            }
        }
    }

    fn function(&mut self, name: &str, parameters: usize) {
        let f = self.program.functions.push(Function::named(name));
        self.function = f;
        let globals: Vec<VarId> = self
            .program
            .variables
            .iter()
            .filter(|(_, v)| v.function.is_none())
            .map(|(id, _)| id)
            .collect();
        self.variables = globals;
        self.pointers = vec![];
        for _ in 0..parameters {
            let ty = self.dice.pick(&INTS);
            let var = self.variable("p", Type::Int(ty), Some(f), VariableKind::Parameter);
            self.program.functions[f].parameters.push(var);
            self.variables.push(var);
        }
        if parameters > 0 {
            let var = self.variable("q", Type::Pointer, Some(f), VariableKind::Parameter);
            self.program.functions[f].parameters.push(var);
            self.pointers.push(var);
        }
        let entry = self.program.add_location(f);
        self.at = entry;
        let zero = self.program.exprs.int(0, INTS[0]);
        for _ in 0..3 {
            let ty = self.dice.pick(&INTS);
            let var = self.variable("x", Type::Int(ty), Some(f), VariableKind::Local);
            let value = self.program.exprs.cast(Type::Int(ty), zero);
            self.step(Op::Assign { target: var, value });
            self.variables.push(var);
        }
        let size = self.program.exprs.int(16, IntType::unsigned(64));
        let kind = if self.dice.roll(2) == 0 { AllocKind::Stack } else { AllocKind::Heap };
        let var = self.variable("m", Type::Pointer, Some(f), VariableKind::Address);
        self.program.functions[f].locals.push(var);
        let op = Op::Alloc {
            target: var,
            size,
            align: 16,
            kind,
            zeroed: true,
            frame: None,
            region: RegionId::ALL,
        };
        self.step(op);
        self.pointers.push(var);
        let count = 4 + self.dice.roll(8);
        self.statements(count, 2);
        let result_type = self.dice.pick(&INTS);
        let result = self.variable("r", Type::Int(result_type), Some(f), VariableKind::Result);
        let value = self.int(result_type, 1);
        self.step(Op::Assign { target: result, value });
        let exit = self.at;
        self.program.functions[f].result = Some(result);
        self.program.functions[f].body = Some(Body { entry, exit });
        self.callees.push(f);
        self.program.entry = f;
    }
}

fn generate(seed: u64) -> Program {
    let mut generator = Generator {
        dice: Dice::new(seed),
        program: Program::new(Target::LP64),
        function: FunctionId::from_index(0),
        at: LocId::from_index(0),
        variables: vec![],
        pointers: vec![],
        objects: vec![],
        boxes: vec![],
        callees: vec![],
        loops: 0,
    };
    for i in 0..3 {
        let ty = generator.dice.pick(&INTS);
        let var = generator.variable("g", Type::Int(ty), None, VariableKind::Global);
        if i == 0 {
            let value = generator.constant(ty);
            generator.program.variables[var].initial = Some(value);
        }
    }
    for i in 0..4 {
        let mut initial = vec![];
        if i % 2 == 0 {
            let value = generator.constant(INTS[0]);
            initial.push(InitialValue { offset: 4, bits: None, value });
        }
        let object = generator.program.objects.push(StaticObject {
            name: format!("o{i}"),
            size: 16,
            align: 16,
            initial,
            constant: false,
            external: false,
            span: Span::NONE,
        });
        generator.objects.push(object);
    }
    for i in 0..3 {
        let initial = [0, 8]
            .map(|offset| {
                let object = generator.dice.pick(&generator.objects.clone());
                let value = generator.program.expr(Expr::Object(object));
                InitialValue { offset, bits: None, value }
            })
            .to_vec();
        let object = generator.program.objects.push(StaticObject {
            name: format!("box{i}"),
            size: 16,
            align: 16,
            initial,
            constant: false,
            external: false,
            span: Span::NONE,
        });
        generator.boxes.push(object);
    }
    generator.function("leaf", 1);
    generator.function("middle", 2);
    generator.function("main", 0);
    generator.program
}

/// Inputs by old edge and occurrence.
struct Draw<'a> {
    old: &'a Program,
    mapped: Option<&'a Mapped>,
    seed: u64,
    asked: HashMap<EdgeId, u64>,
}

impl Choices for Draw<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        if !matches!(request.source, Source::Input(_)) {
            return Some(Value::zero(request.ty));
        }
        let edge = match self.mapped {
            None => request.edge,
            Some(mapped) => *mapped.edges[request.edge]
                .iter()
                .rev()
                .find(|&&e| matches!(self.old.edges[e].op, Op::Nondet { .. }))
                .expect("an input comes from an input"),
        };
        let count = self.asked.entry(edge).or_default();
        *count += 1;
        let mut dice = Dice::new(self.seed ^ (edge.index() as u64) << 20 ^ *count << 40);
        let value = if dice.chance(50) {
            dice.pick(&CONSTANTS)
        } else {
            i128::from(dice.between(-150, 149))
        };
        Some(Value::from_bits(request.ty, value as u128))
    }
}

fn outcome(old: &Program, mapped: Option<&Mapped>, seed: u64) -> Outcome {
    let program = mapped.map_or(old, |m| &m.program);
    let mut draw = Draw { old, mapped, seed, asked: HashMap::default() };
    let config = Config { step_limit: 20_000, ..Config::default() };
    match interpreter::run(program, &mut draw, &config).outcome {
        // Where an impossible condition was removed, a dead end is left.
        Outcome::Finished { status: None } => Outcome::Blocked,
        outcome => outcome,
    }
}

/// Runs `pass` on generated programs and compares outcomes. With
/// `errors_only`, runs that reach no error may end otherwise.
fn compare(pass: impl Fn(&mut Mapped), errors_only: bool, rounds: u64) {
    let (mut defined, mut violations) = (0, 0);
    for seed in 0..rounds {
        let program = generate(seed);
        let mut mapped = Mapped::identity(program.clone());
        pass(&mut mapped);
        super::tests::validate(&mapped);
        for run in 0..6 {
            let before = outcome(&program, None, run);
            if matches!(before, Outcome::Undefined { .. } | Outcome::StepLimit) {
                continue;
            }
            defined += 1;
            let after = outcome(&program, Some(&mapped), run);
            let is_error = matches!(before, Outcome::Violation(_));
            violations += usize::from(is_error);
            let same = if errors_only && !is_error {
                !matches!(after, Outcome::Violation(_))
            } else {
                before == after
            };
            assert!(
                same,
                "seed {seed} run {run}: {before:?} became {after:?}\n{}\nbecame\n{}",
                text::print_plain(&program),
                text::print_plain(&mapped.program)
            );
        }
    }
    // The generator must not have degenerated.
    assert!(defined as u64 > rounds, "{defined} defined runs");
    assert!(violations as u64 > rounds / 4, "{violations} violations");
}

/// Sees through which region each byte is accessed.
struct Bytes<'a> {
    /// By probe variable: region and size of the access.
    probes: &'a HashMap<VarId, (RegionId, u64)>,
    seen: HashMap<(crate::value::Provenance, u64), RegionId>,
    clash: Option<String>,
}

impl interpreter::Observer for Bytes<'_> {
    fn assigned(&mut self, edge: EdgeId, variable: VarId, value: Value) {
        let (Some(&(region, size)), Value::Pointer(p)) = (self.probes.get(&variable), value) else {
            return;
        };
        for byte in 0..size {
            let key = (p.provenance, p.address.wrapping_add(byte));
            let before = *self.seen.entry(key).or_insert(region);
            if before != region {
                self.clash = Some(format!("{edge:?}: {before:?} and {region:?}"));
            }
        }
    }
}

/// The bytes that an access touches.
fn size_of(access: &Access) -> u64 {
    match access.bits {
        Some(bits) => u64::from(bits.offset + bits.width).div_ceil(8),
        None => access.ty.size(Target::LP64),
    }
}

/// No byte is accessed through two regions.
#[test]
fn regions_do_not_overlap() {
    for seed in 0..3 * ROUNDS {
        let mut mapped = Mapped::identity(generate(seed));
        regions::regions(&mut mapped, regions::Promote::Nothing);
        // Before each access, put its address into a variable of its own.
        let mut probes = HashMap::default();
        let mut walker = crate::analysis::uses::Walker::new();
        let regions_text = text::print_plain(&mapped.program);
        for e in mapped.program.edges.ids() {
            let op = mapped.program.edges[e].op.clone();
            let mut accesses = Vec::new();
            walker.walk(&mapped.program.exprs, &op.operands(), |_, expr| {
                if let Expr::Load(access) = expr {
                    accesses.push((access.pointer, access.region, size_of(access)));
                }
            });
            match &op {
                Op::Store { access, .. } => {
                    accesses.push((access.pointer, access.region, size_of(access)));
                }
                Op::Copy { to, from, size, to_region, from_region } => {
                    let size = mapped.program.exprs.as_int(*size).unwrap() as u64;
                    // A copy touches the bytes of its region only.
                    if mapped.program.regions[*to_region].cell.is_none() {
                        accesses.extend([(*to, *to_region, size), (*from, *from_region, size)]);
                    }
                }
                _ => {}
            }
            let function = mapped.program.locations[mapped.program.edges[e].from].function;
            let mut ops = Vec::new();
            for (value, region, size) in accesses {
                assert_ne!(region, RegionId::ALL, "{op:?}");
                let probe = mapped.temporary(function, "probe", Type::Pointer);
                probes.insert(probe, (region, size));
                ops.push(Op::Assign { target: probe, value });
            }
            if matches!(op, Op::Assume(_)) {
                // A condition stays first: its alternatives start here too.
                ops.insert(0, op);
            } else {
                ops.push(op);
            }
            mapped.replace_by_sequence(e, ops);
        }
        for run in 0..4 {
            let old = mapped.program.clone();
            let mut draw = Draw { old: &old, mapped: None, seed: run, asked: HashMap::default() };
            let mut bytes = Bytes { probes: &probes, seen: HashMap::default(), clash: None };
            let config = Config { step_limit: 20_000, ..Config::default() };
            interpreter::Interpreter::new(&mapped.program)
                .run_observed(&mut draw, &config, &mut bytes);
            assert!(bytes.clash.is_none(), "seed {seed}: {:?}\n{regions_text}", bytes.clash);
        }
    }
}

const ROUNDS: u64 = 150;

#[test]
fn compacting_changes_nothing() {
    compare(|m| compact::compact(m, &crate::analysis::BitSet::default()), false, ROUNDS);
}

#[test]
fn resolved_calls_behave_the_same() {
    compare(resolve::resolve_calls, false, ROUNDS);
}

#[test]
fn bit_fields_as_bytes_behave_the_same() {
    let pass = |m: &mut Mapped| {
        bit_fields::bit_fields(m);
        let is_bit_field = |access: &Access| access.bits.is_some();
        let exprs = &m.program.exprs;
        let mut walker = crate::analysis::uses::Walker::new();
        for edge in m.program.edges.values() {
            assert!(!matches!(&edge.op, Op::Store { access, .. } if is_bit_field(access)));
            walker.walk(exprs, &edge.op.operands(), |_, expr| {
                assert!(!matches!(expr, Expr::Load(access) if is_bit_field(access)));
            });
        }
    };
    compare(pass, false, 3 * ROUNDS);
}

#[test]
fn views_of_one_type_behave_the_same() {
    compare(|m| views::views(m, &Asked::Nothing), false, ROUNDS);
    compare(|m| views::views(m, &Asked::All), false, 3 * ROUNDS);
    let some = |m: &mut Mapped| {
        let asked = m.program.edges.ids().filter(|e| e.index() % 3 == 0).collect();
        views::views(m, &Asked::ReadAt(asked));
    };
    compare(some, false, 2 * ROUNDS);
    let pass = |m: &mut Mapped| {
        views::views(m, &Asked::All);
        regions::regions(m, regions::Promote::Heap);
    };
    compare(pass, false, 3 * ROUNDS);
}

#[test]
fn regions_and_promotion_behave_the_same() {
    compare(|m| regions::regions(m, regions::Promote::Nothing), false, ROUNDS);
    compare(|m| regions::regions(m, regions::Promote::Heap), false, 3 * ROUNDS);
}

#[test]
fn folding_behaves_the_same() {
    compare(fold::fold, false, 2 * ROUNDS);
}

#[test]
fn dead_code_removal_behaves_the_same() {
    let pass = |m: &mut Mapped| {
        dead::dead_assignments(m);
        dead::join_skips(m);
    };
    compare(pass, false, 2 * ROUNDS);
}

#[test]
fn inlining_behaves_the_same() {
    let pass = |m: &mut Mapped| {
        resolve::resolve_calls(m);
        inline::inline(m, 1_000_000).expect("no recursion");
    };
    compare(pass, false, ROUNDS);
}

#[test]
fn slices_reach_the_same_errors() {
    compare(|m| slice::slice(m, slice::Loops::Keep), true, 2 * ROUNDS);
    compare(|m| slice::slice(m, slice::Loops::DropCounted), true, ROUNDS);
}

#[test]
fn the_whole_pipeline_reaches_the_same_errors() {
    let pass = |m: &mut Mapped| *m = simplify(m.program.clone());
    compare(pass, true, 3 * ROUNDS);
}

/// Every value that a run sees lies in its range.
#[test]
fn ranges_hold_on_runs() {
    struct Within<'a> {
        program: &'a Program,
        ranges: &'a crate::analysis::Ranges,
        walker: crate::analysis::uses::Walker,
        wrong: Option<String>,
        known: usize,
    }
    impl interpreter::Observer for Within<'_> {
        fn step(&mut self, edge: EdgeId, view: &interpreter::View<'_>) {
            let Edge { from, op, .. } = &self.program.edges[edge];
            if !self.ranges.may_reach(*from) {
                self.wrong = Some(format!("{edge:?} was thought to be unreachable"));
            }
            for var in crate::analysis::uses::variables_read(self.program, &mut self.walker, op) {
                let range = self.ranges.of_variable(self.program, *from, var);
                if let Some(value) = view.variable(var).and_then(Value::as_int) {
                    self.known += usize::from(range.lo != i128::MIN && range.hi != i128::MAX);
                    if !range.contains(value) {
                        self.wrong = Some(format!("{edge:?}: {var:?} is {value}, not {range:?}"));
                    }
                }
            }
        }
    }
    let mut known = 0;
    for seed in 0..2 * ROUNDS {
        let program = generate(seed);
        let ranges = crate::analysis::Ranges::new(&program);
        for run in 0..4 {
            let mut draw =
                Draw { old: &program, mapped: None, seed: run, asked: HashMap::default() };
            let walker = crate::analysis::uses::Walker::new();
            let mut within =
                Within { program: &program, ranges: &ranges, walker, wrong: None, known: 0 };
            let config = Config { step_limit: 20_000, ..Config::default() };
            interpreter::Interpreter::new(&program).run_observed(&mut draw, &config, &mut within);
            known += within.known;
            let wrong = within.wrong;
            assert!(wrong.is_none(), "seed {seed}: {wrong:?}\n{}", text::print_plain(&program));
        }
    }
    assert!(known > 1000, "{known}");
}

/// A hundred thousand edges go through the pipeline in seconds.
#[test]
fn a_large_program_is_simplified() {
    use std::fmt::Write;
    let mut source =
        String::from("program LP64\nentry main\nglobal g : i32\ncheck C0 unreach-call \"x\"\n");
    source += "object a size 400 align 4\nfunction main() -> result : i32\n  local x : i32\n  local i : i32\n";
    let n = 12_000;
    let _ = writeln!(source, "  entry L0 exit L{}", 8 * n);
    for k in 0..n {
        let base = 8 * k;
        let l = |d: usize| base + d;
        let _ = writeln!(source, "  L{} -> L{} : x := nondet input \"int\"", l(0), l(1));
        let _ = writeln!(source, "  L{} -> L{} : assume x < {k}:i32", l(1), l(2));
        let _ = writeln!(source, "  L{} -> L{} : assume {k}:i32 <= x", l(1), l(3));
        let _ = writeln!(source, "  L{} -> L{} : g := g + 1:i32", l(2), l(4));
        let _ =
            writeln!(source, "  L{} -> L{} : i32[&a + i64(x & 63:i32) * 4:i64] := g", l(3), l(4));
        let _ = writeln!(source, "  L{} -> L{} : i := i32[&a + 4:i64]", l(4), l(5));
        let _ = writeln!(source, "  L{} -> L{} : assume i == 77:i32", l(5), l(6));
        let _ = writeln!(source, "  L{} -> L{} : assume i != 77:i32", l(5), l(7));
        let _ = writeln!(source, "  L{} -> L{} : skip", l(7), l(8));
        let _ = writeln!(source, "  L{}: error C0", l(6));
    }
    let program = text::parse(&source).unwrap_or_else(|e| panic!("{e}"));
    assert!(program.edges.len() > 100_000);
    let mapped = simplify(program);
    assert!(mapped.program.edges.len() > 50_000);
    let flow = crate::analysis::Flow::new(&mapped.program);
    let loops = crate::analysis::Loops::new(&mapped.program, &flow);
    let options = crate::analysis::BlockOptions::default();
    crate::analysis::Blocks::new(&mapped.program, &flow, &loops, options);
}

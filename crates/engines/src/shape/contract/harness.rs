//! A program that builds a heap and calls a function on it.
//!
//! The program under proof gets a new entry, which makes some objects, chooses arguments and global
//! variables, calls the function, and asks whether what the contract promises holds. The same question is asked
//! where an `assert` stands, and before calls of functions that have a contract. The answer is the
//! value of a choice ([`Oracle`]), which whoever runs the program gives by evaluating the formula in the present
//! state; behind each promise that is broken lies an error. So a broken promise is a violation like any
//! other: it is replayed, explained and drawn by what does so for all of them.
//!
//! The heap is either open, to be chosen while the program runs, or given: then its fields are
//! written before the call, and nothing is left to choose but what the function asks for itself.

use super::start::{Slot, Start};
use super::structure::Value;
use bolide_base::{HashMap, Span};
use bolide_cfa::contract::{Contract, Written};
use bolide_cfa::{
    Access, AllocKind, Body, Check, CheckId, CompareOp, EdgeId, Expr, ExprId, Function, FunctionId,
    IntType, LocId, NondetSource, Op, Origin, Program, Property, RegionId, Role, Type, VarId,
    Variable, VariableKind,
};
use bolide_heap::program::view::Callees;

/// What is asked.
#[derive(Clone, Debug)]
pub(super) enum Promise {
    /// An `ensures` of the function, by number.
    Ensures(usize),
    /// Pointers are null or point to live objects.
    WellFormed,
    /// Nothing else than what `assigns` lists has changed.
    Assigns,
    /// An `assert`, by number.
    Assert(usize),
    /// A `requires` of a function that is about to be called, by number.
    Requires(usize),
}

/// A choice that tells which promise is broken: 0 for none, else its number from 1 on.
#[derive(Clone, Debug)]
pub(super) struct Oracle {
    /// In order.
    pub promises: Vec<Promise>,
    /// The function that is about to be called, and what holds the arguments for its parameters.
    pub call: Option<(FunctionId, Vec<(VarId, VarId)>)>,
}

/// The program, and what is special in it.
pub(super) struct Harness {
    pub program: Program,
    /// The edge that makes each object.
    pub allocations: Vec<EdgeId>,
    /// Choices of what the function starts with.
    pub questions: HashMap<EdgeId, Slot>,
    /// Choices that are answered by evaluation.
    pub oracles: HashMap<EdgeId, Oracle>,
    /// Holds the result of the call.
    pub result: Option<VarId>,
    /// Oracles behind calls of functions without a body, with what holds the result: they tell whether it returned
    /// what its contract says.
    pub returns: HashMap<EdgeId, Option<VarId>>,
}

/// Builds the program. An open start leaves all to be chosen.
pub(super) fn build(
    program: &Program,
    contract: &Contract,
    callees: &Callees<'_>,
    start: &Start<'_>,
    is_open: bool,
) -> Harness {
    let mut program = program.clone();
    let function = &program.functions[contract.function];
    let origin = Origin { span: function.span, role: Role::Declaration };
    let stub = program.functions.push(Function::named("entry#"));
    let entry = program.add_location(stub);
    let exit = program.add_location(stub);
    program.functions[stub].body = Some(Body { entry, exit });
    program.entry = stub;
    let harness = Harness {
        program,
        allocations: Vec::new(),
        questions: HashMap::default(),
        oracles: HashMap::default(),
        result: None,
        returns: HashMap::default(),
    };
    let mut builder = Builder { harness, contract, stub, at: entry, origin };
    builder.inside(callees);
    let objects = builder.objects(start);
    if !is_open {
        builder.fields(start, &objects);
    }
    builder.globals(start, &objects, is_open);
    builder.arrays(start, &objects, is_open);
    builder.call(start, &objects, is_open);
    builder.judge_end(exit);
    builder.harness
}

struct Builder<'a> {
    harness: Harness,
    contract: &'a Contract,
    stub: FunctionId,
    /// Where the next step begins.
    at: LocId,
    origin: Origin,
}

impl Builder<'_> {
    fn variable(&mut self, name: String, ty: Type, kind: VariableKind, of: FunctionId) -> VarId {
        let program = &mut self.harness.program;
        let id = program.variables.push(Variable {
            name,
            ty,
            function: Some(of),
            kind,
            initial: None,
            span: Span::NONE,
            scope: Span::NONE,
        });
        program.functions[of].locals.push(id);
        id
    }

    /// A step of the stub.
    fn step(&mut self, op: Op) -> EdgeId {
        let program = &mut self.harness.program;
        let next = program.add_location(self.stub);
        let edge = program.add_edge(self.at, next, op, self.origin);
        self.at = next;
        edge
    }

    fn objects(&mut self, start: &Start<'_>) -> Vec<VarId> {
        let size_type = self.harness.program.target.size_type();
        let mut all = Vec::new();
        for (number, &ty) in start.objects.iter().enumerate() {
            let name = start.name(number);
            let target = self.variable(name, Type::Pointer, VariableKind::Local, self.stub);
            let ty = &start.types.types[ty];
            let size = self.harness.program.exprs.int(i128::from(ty.size), size_type);
            let kind = AllocKind::Heap;
            let (align, zeroed, region) = (ty.align, false, RegionId::ALL);
            let edge =
                self.step(Op::Alloc { target, size, align, kind, zeroed, frame: None, region });
            self.harness.allocations.push(edge);
            all.push(target);
        }
        all
    }

    /// A value that was chosen.
    fn chosen(&mut self, value: Option<Value>, ty: Type, objects: &[VarId]) -> ExprId {
        let program = &mut self.harness.program;
        match (value, ty) {
            (Some(Value::Object(number)), Type::Pointer) => program.read(objects[number]),
            (_, Type::Pointer) => program.expr(Expr::Null),
            (Some(Value::Int(n)), Type::Int(ty)) => program.exprs.int(n, ty),
            (_, Type::Int(ty)) => program.exprs.int(0, ty),
            (_, Type::Float(kind)) => program.expr(Expr::Float { bits: 0, kind }),
        }
    }

    /// Writes the fields that were chosen.
    fn fields(&mut self, start: &Start<'_>, objects: &[VarId]) {
        for (&(object, offset), &value) in &start.fields {
            let Some((place, _)) = start.place(object, offset) else { continue };
            let value = self.chosen(Some(value), place.ty, objects);
            let base = self.harness.program.read(objects[object]);
            self.store(base, offset, place.ty, value);
        }
    }

    /// Writes so many bytes behind an address.
    fn store(&mut self, base: ExprId, offset: u64, ty: Type, value: ExprId) {
        let program = &mut self.harness.program;
        let pointer = match offset {
            0 => base,
            _ => {
                let ty = program.target.offset_type();
                let by = program.exprs.int(i128::from(offset), ty);
                program.expr(Expr::PointerAdd(base, by))
            }
        };
        let access = Access { pointer, ty, bits: None, volatile: false, region: RegionId::ALL };
        self.step(Op::Store { access, value });
    }

    /// Fills the arrays.
    fn arrays(&mut self, start: &Start<'_>, objects: &[VarId], is_open: bool) {
        for (array, _) in start.arrays {
            let kind = VariableKind::Temporary;
            let base = self.harness.program.expr(Expr::Object(array.object));
            let bytes = array.ty.size(self.harness.program.target);
            for index in 0..array.length {
                let slot = Slot::Cell(array.object, index);
                let value = match start.chosen(slot) {
                    _ if is_open => {
                        let target = self.variable("cell".into(), array.ty, kind, self.stub);
                        let source = NondetSource::Uninitialized;
                        let edge = self.step(Op::Nondet { target, source });
                        self.harness.questions.insert(edge, slot);
                        self.harness.program.read(target)
                    }
                    Some(value) => self.chosen(Some(value), array.ty, objects),
                    None => continue,
                };
                self.store(base, index * bytes, array.ty, value);
            }
        }
    }

    fn globals(&mut self, start: &Start<'_>, objects: &[VarId], is_open: bool) {
        for &target in start.globals {
            if is_open {
                let source = NondetSource::Uninitialized;
                let edge = self.step(Op::Nondet { target, source });
                self.harness.questions.insert(edge, Slot::Variable(target));
            } else if let Some(&value) = start.variables.get(&target) {
                let ty = self.harness.program.variables[target].ty;
                let value = self.chosen(Some(value), ty, objects);
                self.step(Op::Assign { target, value });
            }
        }
    }

    fn call(&mut self, start: &Start<'_>, objects: &[VarId], is_open: bool) {
        let function = self.contract.function;
        let parameters = self.harness.program.functions[function].parameters.clone();
        let mut arguments = Vec::new();
        for parameter in parameters {
            let ty = self.harness.program.variables[parameter].ty;
            if is_open {
                let kind = VariableKind::Temporary;
                let target = self.variable("argument".into(), ty, kind, self.stub);
                let source = NondetSource::Uninitialized;
                let edge = self.step(Op::Nondet { target, source });
                self.harness.questions.insert(edge, Slot::Variable(parameter));
                arguments.push(self.harness.program.read(target));
            } else {
                let value = start.variables.get(&parameter).copied();
                arguments.push(self.chosen(value, ty, objects));
            }
        }
        let result = self.harness.program.functions[function].result.map(|result| {
            let ty = self.harness.program.variables[result].ty;
            self.variable("result".into(), ty, VariableKind::Temporary, self.stub)
        });
        self.harness.result = result;
        self.origin.role = Role::Call;
        self.step(Op::Call { function, arguments, result });
        self.origin.role = Role::Check;
    }

    /// The question at the end.
    fn judge_end(&mut self, exit: LocId) {
        let name = &self.harness.program.functions[self.contract.function].name;
        let mut promises = Vec::new();
        for (number, words) in self.contract.ensures_words.iter().enumerate() {
            let text = format!("`{name}` returns and `ensures {}` does not hold", words.text);
            promises.push((Promise::Ensures(number), words.span, text));
        }
        let span = self.origin.span;
        let text = format!(
            "`{name}` returns and leaves a pointer that is neither null nor points to a live object"
        );
        promises.push((Promise::WellFormed, span, text));
        let text = format!("`{name}` changes what its `assigns` does not list");
        promises.push((Promise::Assigns, span, text));
        self.oracle(self.at, exit, None, promises, self.origin);
    }

    /// Asks between two locations of a function.
    fn oracle(
        &mut self,
        from: LocId,
        to: LocId,
        call: Option<(FunctionId, Vec<(VarId, VarId)>)>,
        promises: Vec<(Promise, Span, String)>,
        origin: Origin,
    ) -> EdgeId {
        let function = self.harness.program.locations[from].function;
        let ty = IntType::signed(32);
        let target = self.variable("kept".into(), Type::Int(ty), VariableKind::Temporary, function);
        let program = &mut self.harness.program;
        let asked = program.add_location(function);
        let source = NondetSource::Uninitialized;
        let edge = program.add_edge(from, asked, Op::Nondet { target, source }, origin);
        let answer = program.read(target);
        let mut kinds = Vec::new();
        for (number, (promise, span, description)) in promises.into_iter().enumerate() {
            let check: CheckId =
                program.checks.push(Check { property: Property::Contract, description, span });
            let error = program.add_location(function);
            program.locations[error].error = Some(check);
            let n = program.exprs.int(number as i128 + 1, ty);
            let broken = program.expr(Expr::Compare(CompareOp::Eq, answer, n));
            program.add_edge(asked, error, Op::Assume(broken), origin);
            kinds.push(promise);
        }
        let zero = program.exprs.int(0, ty);
        let kept = program.expr(Expr::Compare(CompareOp::Eq, answer, zero));
        program.add_edge(asked, to, Op::Assume(kept), origin);
        self.harness.oracles.insert(edge, Oracle { promises: kinds, call });
        edge
    }

    /// The questions inside of functions: at assertions and before calls.
    fn inside(&mut self, callees: &Callees<'_>) {
        let edges: Vec<EdgeId> = self.harness.program.edges.ids().collect();
        for edge in edges {
            let (Op::Call { function, .. } | Op::External { function, .. }) =
                &self.harness.program.edges[edge].op
            else {
                continue;
            };
            let function = *function;
            let name = &self.harness.program.functions[function].name;
            if let Some(&called) = callees.get(name) {
                self.before_call(edge, called);
            }
        }
        let contract = self.contract;
        for (number, ((location, _), words)) in
            contract.asserts.iter().zip(&contract.asserts_words).enumerate()
        {
            self.at_assert(*location, number, words);
        }
    }

    fn at_assert(&mut self, location: LocId, number: usize, words: &Written) {
        let program = &mut self.harness.program;
        let function = program.locations[location].function;
        let after = program.add_location(function);
        let moved = std::mem::take(&mut program.locations[location].outgoing);
        for &edge in &moved {
            program.edges[edge].from = after;
        }
        program.locations[after].outgoing = moved;
        if let Some(body) = &mut program.functions[function].body
            && body.exit == location
        {
            body.exit = after;
        }
        let text = format!("`assert {}` does not hold", words.text);
        let promises = vec![(Promise::Assert(number), words.span, text)];
        let origin = Origin { span: words.span, role: Role::Check };
        self.oracle(location, after, None, promises, origin);
    }

    /// A function without a body returns what its contract says; a run in which it does not is none.
    fn after_external(
        &mut self,
        edge: EdgeId,
        function: FunctionId,
        held: &[(VarId, VarId)],
        result: Option<VarId>,
    ) {
        let program = &mut self.harness.program;
        let (to, origin) = (program.edges[edge].to, program.edges[edge].origin);
        let caller = program.locations[to].function;
        let returned = program.add_location(caller);
        program.edges[edge].to = returned;
        program.locations[to].incoming.retain(|&e| e != edge);
        program.locations[returned].incoming.push(edge);
        let call = Some((function, held.to_vec()));
        let asked = self.oracle(returned, to, call, Vec::new(), origin);
        self.harness.returns.insert(asked, result);
    }

    /// Arguments are evaluated first, so that they can be looked at.
    fn before_call(&mut self, edge: EdgeId, called: &Contract) {
        let (Op::Call { function, arguments, result }
        | Op::External { function, arguments, result, .. }) =
            self.harness.program.edges[edge].op.clone()
        else {
            return;
        };
        let from = self.harness.program.edges[edge].from;
        let caller = self.harness.program.locations[from].function;
        let origin = self.harness.program.edges[edge].origin;
        if self.harness.program.locations[from].outgoing.len() != 1 {
            return;
        }
        self.harness.program.locations[from].outgoing.clear();
        let (mut at, mut held, mut passed) = (from, Vec::new(), Vec::new());
        let parameters = self.harness.program.functions[function].parameters.clone();
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            let ty = self.harness.program.variables[parameter].ty;
            let kind = VariableKind::Temporary;
            let target = self.variable("argument".into(), ty, kind, caller);
            let program = &mut self.harness.program;
            let next = program.add_location(caller);
            program.add_edge(at, next, Op::Assign { target, value: argument }, origin);
            at = next;
            held.push((parameter, target));
            passed.push(program.read(target));
        }
        let program = &mut self.harness.program;
        let name = program.functions[function].name.clone();
        let before = program.add_location(caller);
        program.edges[edge].from = before;
        program.locations[before].outgoing.push(edge);
        if let Op::Call { arguments, .. } | Op::External { arguments, .. } =
            &mut program.edges[edge].op
        {
            *arguments = passed;
        }
        if program.functions[function].body.is_none() {
            self.after_external(edge, function, &held, result);
        }
        let promises = called
            .requires_words
            .iter()
            .enumerate()
            .map(|(number, words)| {
                let text =
                    format!("`{name}` is called and `requires {}` does not hold", words.text);
                (Promise::Requires(number), origin.span, text)
            })
            .collect();
        self.oracle(at, before, Some((function, held)), promises, origin);
    }
}

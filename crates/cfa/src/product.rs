//! A program together with automata that watch it.
//!
//! The automaton is woven into the program: its state and variables become
//! global variables, and wherever the program does something that a transition reacts to, a choice by state
//! and conditions is inserted. Violations are error locations of
//! [`Property::Automaton`]. What is inserted maps back to nothing; the edges of the program map back to
//! themselves.
//!
//! An automaton looks at a statement before it is executed, at a call before
//! it is entered; where a pattern names the result of a call, after it
//! returned. Library functions that lowering turned into operations are still
//! calls here: `malloc`, `free`, `memcpy`, `printf`, `exit`, the inputs and so on. A call through a pointer
//! counts as a call of every function that a pattern names, under the condition
//! that the pointer is that function.

use crate::expr::{BinaryOp, CompareOp, Expr, ExprId, UnaryOp};
use crate::program::*;
use crate::property::*;
use crate::transform::{Mapped, VariableOrigin};
use crate::types::{IntType, Type};
use bolide_base::{Diagnostic, HashMap, Span};

/// Weaves the automata into the program, one after another.
pub fn product(program: Program, automata: &[Automaton]) -> Result<Mapped, Vec<Diagnostic>> {
    let mut mapped = Mapped::identity(program);
    for automaton in automata {
        let mut weaver = Weaver::new(&mut mapped, automaton);
        weaver.weave();
        if !weaver.errors.is_empty() {
            return Err(weaver.errors);
        }
    }
    Ok(mapped)
}

/// A transition that reacts to a place of the program.
#[derive(Clone)]
struct Hook {
    state: usize,
    transition: usize,
    /// What must hold for the place to match.
    conditions: Vec<ExprId>,
    /// What `$1`, `$2` ... stand for.
    bindings: HashMap<u32, ExprId>,
    /// The pattern names the result: look after the call.
    after: bool,
}

impl Hook {
    /// It matches whatever stands there.
    fn plain(state: usize, transition: usize) -> Hook {
        let (conditions, bindings) = (vec![], HashMap::default());
        Hook { state, transition, conditions, bindings, after: false }
    }
}

/// A call as patterns see it.
struct SeenCall {
    names: Vec<String>,
    /// For a call through a pointer: the pointer.
    callee: Option<ExprId>,
    arguments: Vec<ExprId>,
    result: Option<VarId>,
}

struct Weaver<'a> {
    mapped: &'a mut Mapped,
    automaton: &'a Automaton,
    state: Option<VarId>,
    variables: HashMap<String, VarId>,
    globals: HashMap<String, VarId>,
    functions: HashMap<String, FunctionId>,
    errors: Vec<Diagnostic>,
}

const INT: IntType = IntType::signed(32);
const LONG: IntType = IntType::signed(64);

impl<'a> Weaver<'a> {
    fn new(mapped: &'a mut Mapped, automaton: &'a Automaton) -> Self {
        let globals = mapped
            .program
            .variables
            .iter()
            .filter(|(_, variable)| variable.function.is_none())
            .map(|(id, variable)| (variable.name.clone(), id))
            .collect();
        let functions =
            mapped.program.functions.iter().map(|(id, f)| (f.name.clone(), id)).collect();
        let mut weaver = Weaver {
            mapped,
            automaton,
            state: None,
            variables: HashMap::default(),
            globals,
            functions,
            errors: Vec::new(),
        };
        if automaton.states.len() > 1 {
            weaver.state =
                Some(weaver.global("state", Type::Int(INT), automaton.initial as i128, Span::NONE));
        }
        for variable in &automaton.variables {
            if weaver.variables.contains_key(&variable.name) {
                let message = format!("the variable `{}` is declared twice", variable.name);
                weaver.errors.push(Diagnostic::error(variable.span, message));
            }
            let var = weaver.global(&variable.name, variable.ty, variable.initial, variable.span);
            weaver.variables.insert(variable.name.clone(), var);
        }
        weaver
    }

    fn global(&mut self, name: &str, ty: Type, initial: i128, span: Span) -> VarId {
        let mut name = format!("{}.{name}", self.automaton.name);
        while self.globals.contains_key(&name) {
            name.push('\'');
        }
        let initial = match ty {
            Type::Int(ty) => Some(self.mapped.program.exprs.int(initial, ty)),
            _ => None,
        };
        let plain = Variable::new(name.clone(), ty, None, VariableKind::Global);
        let variable = Variable { initial, span, ..plain };
        let id = self.mapped.add_variable(variable, VariableOrigin::Made);
        self.globals.insert(name, id);
        id
    }

    fn transitions(&self) -> impl Iterator<Item = (usize, usize, &'a Transition)> + use<'a> {
        let automaton = self.automaton;
        automaton.states.iter().enumerate().flat_map(|(s, state)| {
            state.transitions.iter().enumerate().map(move |(t, transition)| (s, t, transition))
        })
    }

    fn weave(&mut self) {
        let edges: Vec<EdgeId> = self.mapped.program.edges.ids().collect();
        let locations: Vec<LocId> = self.mapped.program.locations.ids().collect();
        // Statements that no transition mentions need no look at all.
        let watches_statements =
            self.transitions().any(|(_, _, t)| matches!(t.trigger, Trigger::Statement(_)));
        let at = |wanted: &dyn Fn(&Trigger) -> bool| -> Vec<Hook> {
            self.transitions()
                .filter(|(_, _, t)| wanted(&t.trigger))
                .map(|(s, t, _)| Hook::plain(s, t))
                .collect()
        };
        let exits = at(&|trigger| *trigger == Trigger::Exit);
        let entries = at(&|trigger| *trigger == Trigger::Entry);
        let labels: Vec<(LocId, Vec<Hook>)> = locations
            .iter()
            .filter_map(|&loc| {
                let label = self.mapped.program.locations[loc].label.as_ref()?;
                let hooks = at(&|trigger| matches!(trigger, Trigger::Label(l) if l == label));
                (!hooks.is_empty()).then_some((loc, hooks))
            })
            .collect();
        for e in edges {
            let mut hooks = if watches_statements { self.hooks(e) } else { Vec::new() };
            if matches!(self.mapped.program.edges[e].op, Op::Halt { .. }) {
                hooks.extend(exits.iter().cloned());
            }
            let (after, before): (Vec<Hook>, Vec<Hook>) = hooks.into_iter().partition(|h| h.after);
            if !before.is_empty() {
                self.before(e, &before);
            }
            if !after.is_empty() {
                self.after(e, &after);
            }
        }
        for (loc, hooks) in labels {
            let inserted = self.mapped.add_location(loc);
            let arriving = std::mem::take(&mut self.mapped.program.locations[loc].incoming);
            for &e in &arriving {
                self.mapped.program.edges[e].to = inserted;
            }
            self.mapped.program.locations[inserted].incoming = arriving;
            let function = self.mapped.program.locations[loc].function;
            if let Some(body) = &mut self.mapped.program.functions[function].body
                && body.entry == loc
            {
                body.entry = inserted;
            }
            self.dispatch(inserted, loc, &hooks, Span::NONE);
        }
        let entry = self.mapped.program.entry;
        if let Some(body) = self.mapped.program.functions[entry].body {
            if !entries.is_empty() {
                let start = self.mapped.add_location(body.entry);
                self.dispatch(start, body.entry, &entries, Span::NONE);
                self.body(entry).entry = start;
            }
            if !exits.is_empty() {
                let end = self.mapped.add_location(body.exit);
                self.dispatch(body.exit, end, &exits, Span::NONE);
                self.body(entry).exit = end;
            }
        }
    }

    fn body(&mut self, function: FunctionId) -> &mut Body {
        self.mapped.program.functions[function].body.as_mut().expect("the entry has a body")
    }

    /// Inserts a choice in front of an edge.
    fn before(&mut self, e: EdgeId, hooks: &[Hook]) {
        let Edge { from, origin, .. } = self.mapped.program.edges[e];
        let start = self.mapped.add_location(from);
        let end = self.mapped.add_location(from);
        // A skip takes the edge's place among the alternatives.
        let skip = self.mapped.program.edges.push(Edge {
            from,
            to: start,
            op: Op::Skip,
            origin: Origin { span: origin.span, role: Role::Implicit },
        });
        self.mapped.edges.push(Vec::new());
        for other in &mut self.mapped.program.locations[from].outgoing {
            if *other == e {
                *other = skip;
            }
        }
        self.mapped.program.locations[start].incoming.push(skip);
        self.mapped.program.edges[e].from = end;
        self.mapped.program.locations[end].outgoing.push(e);
        self.dispatch(start, end, hooks, origin.span);
    }

    /// Inserts a choice behind an edge.
    fn after(&mut self, e: EdgeId, hooks: &[Hook]) {
        let Edge { to, origin, .. } = self.mapped.program.edges[e];
        let start = self.mapped.add_location(to);
        self.mapped.program.edges[e].to = start;
        self.mapped.program.locations[start].incoming.push(e);
        self.mapped.program.locations[to].incoming.retain(|&other| other != e);
        self.dispatch(start, to, hooks, origin.span);
    }

    /// The transitions that react to an edge.
    fn hooks(&mut self, e: EdgeId) -> Vec<Hook> {
        let call = self.call_of(e);
        let mut hooks = Vec::new();
        for (state, index, transition) in self.transitions() {
            let hook = match (&transition.trigger, &call) {
                (Trigger::Statement(pattern @ StatementPattern::Call { .. }), Some(call)) => {
                    self.match_call(e, call, pattern)
                }
                (Trigger::Statement(StatementPattern::Assign { target, value }), None) => {
                    self.match_assignment(e, target, value)
                }
                _ => None,
            };
            if let Some(hook) = hook {
                hooks.push(Hook { state, transition: index, ..hook });
            }
        }
        hooks
    }

    fn call_of(&self, e: EdgeId) -> Option<SeenCall> {
        let program = &self.mapped.program;
        let op = &program.edges[e].op;
        let (mut arguments, mut callee) = (op.operands(), None);
        let names = match op {
            Op::Call { function, .. } | Op::External { function, .. } => {
                let function = &program.functions[*function];
                // The memory of extra arguments is no argument that a person wrote.
                if function.variadic && arguments.len() == function.parameters.len() {
                    arguments.pop();
                }
                vec![function.name.as_str()]
            }
            Op::CallIndirect { .. } => {
                callee = Some(arguments.remove(0));
                vec![]
            }
            Op::Alloc { kind: AllocKind::Heap, zeroed: true, .. } => vec!["calloc"],
            Op::Alloc { kind: AllocKind::Heap, .. } => vec!["malloc"],
            Op::Alloc { kind: AllocKind::Alloca, .. } => vec!["alloca"],
            Op::Free { .. } => vec!["free"],
            Op::Copy { .. } => vec!["memcpy", "memmove"],
            Op::Fill { .. } => vec!["memset"],
            Op::Output { kind: OutputKind::Printf, .. } => vec!["printf"],
            Op::Output { kind: OutputKind::Puts, .. } => vec!["puts"],
            Op::Output { kind: OutputKind::Putchar, .. } => vec!["putchar"],
            Op::Nondet {
                source: NondetSource::Input(name) | NondetSource::Library(name), ..
            } => vec![name.as_str()],
            Op::Halt { status: Some(_) } => vec!["exit"],
            Op::Halt { status: None } => vec!["abort"],
            _ => return None,
        };
        let names = names.into_iter().map(str::to_owned).collect();
        Some(SeenCall { names, callee, arguments, result: op.target() })
    }

    fn match_call(
        &mut self,
        e: EdgeId,
        call: &SeenCall,
        pattern: &StatementPattern,
    ) -> Option<Hook> {
        let StatementPattern::Call { target, function, arguments } = pattern else { return None };
        let mut hook = Hook::plain(0, 0);
        match (function, call.callee) {
            (None, _) => {}
            (Some(name), None) => {
                if !call.names.contains(name) {
                    return None;
                }
            }
            (Some(name), Some(callee)) => {
                let function = *self.functions.get(name)?;
                let address = self.mapped.program.expr(Expr::Function(function));
                let is = Expr::Compare(CompareOp::Eq, callee, address);
                hook.conditions.push(self.mapped.program.expr(is));
            }
        }
        if let Some(patterns) = arguments {
            if patterns.len() != call.arguments.len() {
                return None;
            }
            for (pattern, &argument) in patterns.iter().zip(&call.arguments) {
                if !self.match_value(&mut hook, pattern, argument) {
                    return None;
                }
            }
        }
        if let Some(target) = target {
            let (place, result) = self.result_of(e, call.result?);
            match target {
                ArgumentPattern::Any => {}
                ArgumentPattern::Name(name) => {
                    if self.mapped.program.variables[place].name != *name {
                        return None;
                    }
                }
                pattern => {
                    hook.after = true;
                    let value = self.mapped.program.read(result);
                    if !self.match_value(&mut hook, pattern, value) {
                        return None;
                    }
                }
            }
        }
        Some(hook)
    }

    /// The variable that gets the result of a call in the source, and the one
    /// that holds it right after the call: lowering may go through a temporary.
    fn result_of(&self, e: EdgeId, result: VarId) -> (VarId, VarId) {
        let program = &self.mapped.program;
        if program.variables[result].kind == VariableKind::Temporary
            && let [next] = program.locations[program.edges[e].to].outgoing[..]
            && let Op::Assign { target, value } = program.edges[next].op
            && variable_of(program, value) == Some(result)
        {
            return (target, result);
        }
        (result, result)
    }

    fn match_assignment(
        &mut self,
        e: EdgeId,
        target: &ArgumentPattern,
        value: &ArgumentPattern,
    ) -> Option<Hook> {
        let Op::Assign { target: var, value: assigned } = self.mapped.program.edges[e].op else {
            return None;
        };
        let mut hook = Hook::plain(0, 0);
        match target {
            ArgumentPattern::Name(name) if self.mapped.program.variables[var].name == *name => {}
            ArgumentPattern::Any => {}
            ArgumentPattern::Bind(n) => {
                let read = self.mapped.program.read(var);
                hook.bindings.insert(*n, read);
            }
            _ => return None,
        }
        self.match_value(&mut hook, value, assigned).then_some(hook)
    }

    /// Whether a value can match; what it depends on becomes a condition.
    fn match_value(&mut self, hook: &mut Hook, pattern: &ArgumentPattern, value: ExprId) -> bool {
        match pattern {
            ArgumentPattern::Any => true,
            ArgumentPattern::Bind(n) => {
                match hook.bindings.get(n).copied() {
                    None => {
                        hook.bindings.insert(*n, value);
                    }
                    Some(before) => {
                        let equal = self.compare(CompareOp::Eq, before, value);
                        hook.conditions.push(equal);
                    }
                }
                true
            }
            ArgumentPattern::Number(n) => {
                if let Some(constant) = self.mapped.program.exprs.as_int(value) {
                    return constant == *n;
                }
                if self.mapped.program.exprs.type_of(value) == Type::Pointer && *n != 0 {
                    return false;
                }
                let number = self.mapped.program.exprs.int(*n, LONG);
                let equal = self.compare(CompareOp::Eq, value, number);
                hook.conditions.push(equal);
                true
            }
            ArgumentPattern::Name(name) => {
                let program = &self.mapped.program;
                match variable_of(program, value) {
                    Some(var) => program.variables[var].name == *name,
                    None => false,
                }
            }
        }
    }

    /// Compares values of possibly different types.
    fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprId {
        let exprs = &mut self.mapped.program.exprs;
        let (s, t) = (exprs.type_of(a), exprs.type_of(b));
        let common = match (s, t) {
            _ if s == t => s,
            (Type::Pointer, _) | (_, Type::Pointer) => Type::Pointer,
            (Type::Float(k), _) | (_, Type::Float(k)) => Type::Float(k),
            (Type::Int(x), Type::Int(y)) if x.bits <= 32 && y.bits <= 32 => Type::Int(LONG),
            (Type::Int(x), Type::Int(y)) => {
                let fits = x.bits.max(y.bits) == 64 && x.signed && y.signed;
                Type::signed(if fits { 64 } else { 128 })
            }
        };
        let (a, b) = (exprs.cast(common, a), exprs.cast(common, b));
        exprs.intern(Expr::Compare(op, a, b))
    }

    /// An expression of the automaton at a place of the program.
    fn value(&mut self, e: &AutomatonExpr, bindings: &HashMap<u32, ExprId>) -> ExprId {
        match e {
            AutomatonExpr::Number(n) => {
                let ty = if *n >= INT.min() && *n <= INT.max() { INT } else { LONG };
                self.mapped.program.exprs.int(*n, ty)
            }
            AutomatonExpr::Name(name, span) => {
                let found = self.variables.get(name).or_else(|| self.globals.get(name)).copied();
                match found {
                    Some(var) => self.mapped.program.read(var),
                    None => {
                        let message = format!(
                            "`{name}` is neither a variable of the automaton nor a global \
                             variable of the program whose address is not taken"
                        );
                        self.error(Diagnostic::error(*span, message))
                    }
                }
            }
            AutomatonExpr::Matched(n, span) => match bindings.get(n) {
                Some(&value) => value,
                None => {
                    let message = format!("the pattern does not match anything as `${n}`");
                    self.error(Diagnostic::error(*span, message))
                }
            },
            AutomatonExpr::Unary('!', a) => {
                let a = self.condition(a, bindings);
                self.mapped.program.exprs.not(a)
            }
            AutomatonExpr::Unary(op, a) => {
                let a = self.value(a, bindings);
                let a = self.arithmetic(a);
                let op = if *op == '-' { UnaryOp::Neg } else { UnaryOp::BitNot };
                self.mapped.program.expr(Expr::Unary(op, a))
            }
            AutomatonExpr::Binary(op, a, b) => self.binary(*op, a, b, bindings),
        }
    }

    /// Reports a mistake; the value stands in for what has none.
    fn error(&mut self, diagnostic: Diagnostic) -> ExprId {
        if !self.errors.contains(&diagnostic) {
            self.errors.push(diagnostic);
        }
        self.mapped.program.exprs.int(0, INT)
    }

    /// Integers as `int`, or as `long` where that does not hold them.
    fn arithmetic(&mut self, a: ExprId) -> ExprId {
        let exprs = &mut self.mapped.program.exprs;
        let ty = match exprs.type_of(a) {
            Type::Int(t) if t.bits < 32 || t == INT => INT,
            _ => LONG,
        };
        exprs.cast(Type::Int(ty), a)
    }

    fn binary(
        &mut self,
        op: BinaryOperator,
        a: &AutomatonExpr,
        b: &AutomatonExpr,
        bindings: &HashMap<u32, ExprId>,
    ) -> ExprId {
        let op = match op {
            BinaryOperator::And | BinaryOperator::Or => {
                let (a, b) = (self.condition(a, bindings), self.condition(b, bindings));
                let is_and = op == BinaryOperator::And;
                let op = if is_and { BinaryOp::BitAnd } else { BinaryOp::BitOr };
                return self.mapped.program.expr(Expr::Binary(op, a, b));
            }
            BinaryOperator::Compare(op, turned) => {
                let (x, y) = (self.value(a, bindings), self.value(b, bindings));
                return if turned { self.compare(op, y, x) } else { self.compare(op, x, y) };
            }
            BinaryOperator::Arithmetic(op) => op,
        };
        let (x, y) = (self.value(a, bindings), self.value(b, bindings));
        let (mut x, mut y) = (self.arithmetic(x), self.arithmetic(y));
        let exprs = &mut self.mapped.program.exprs;
        if exprs.type_of(x) != exprs.type_of(y) {
            x = exprs.cast(Type::Int(LONG), x);
            y = exprs.cast(Type::Int(LONG), y);
        }
        exprs.intern(Expr::Binary(op, x, y))
    }

    fn condition(&mut self, e: &AutomatonExpr, bindings: &HashMap<u32, ExprId>) -> ExprId {
        let value = self.value(e, bindings);
        self.mapped.program.exprs.cast(Type::BOOL, value)
    }

    fn all(&mut self, conditions: &[ExprId]) -> Option<ExprId> {
        let program = &mut self.mapped.program;
        conditions.iter().copied().reduce(|a, b| program.expr(Expr::Binary(BinaryOp::BitAnd, a, b)))
    }

    fn edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) {
        let origin = Origin { span, role: Role::Implicit };
        self.mapped.add_edge(from, to, op, origin, Vec::new());
    }

    /// One step to a new location.
    fn step(&mut self, from: LocId, op: Op, span: Span) -> LocId {
        let to = self.mapped.add_location(from);
        self.edge(from, to, op, span);
        to
    }

    /// The reaction between two locations.
    fn dispatch(&mut self, start: LocId, end: LocId, hooks: &[Hook], span: Span) {
        let Some(state) = self.state else {
            self.react(start, end, hooks, span);
            return;
        };
        let read = self.mapped.program.read(state);
        let mut others = Vec::new();
        for s in 0..self.automaton.states.len() {
            let here: Vec<Hook> = hooks.iter().filter(|hook| hook.state == s).cloned().collect();
            if here.is_empty() {
                continue;
            }
            let number = self.mapped.program.exprs.int(s as i128, INT);
            let is = self.mapped.program.expr(Expr::Compare(CompareOp::Eq, read, number));
            others.push(self.mapped.program.exprs.not(is));
            let at = self.step(start, Op::Assume(is), span);
            self.react(at, end, &here, span);
        }
        if others.len() < self.automaton.states.len()
            && let Some(condition) = self.all(&others)
        {
            self.edge(start, end, Op::Assume(condition), span);
        }
    }

    /// The reaction in one state.
    fn react(&mut self, start: LocId, end: LocId, hooks: &[Hook], span: Span) {
        let Some(first) = hooks.first() else { return };
        let order = self.automaton.states[first.state].order;
        let mut at = start;
        let mut none = Vec::new();
        for (position, hook) in hooks.iter().enumerate() {
            let transition = &self.automaton.states[hook.state].transitions[hook.transition];
            let mut conditions = hook.conditions.clone();
            for condition in &transition.conditions {
                conditions.push(self.condition(condition, &hook.bindings));
            }
            let condition = self.all(&conditions);
            let next = match order {
                Order::Each if position + 1 < hooks.len() => self.mapped.add_location(start),
                _ => end,
            };
            let Some(condition) = condition else {
                self.execute(at, next, hook, transition, span);
                match order {
                    Order::First => return,
                    Order::Each => at = next,
                    Order::Any => none.push(self.mapped.program.exprs.bool(false)),
                }
                continue;
            };
            let opposite = self.mapped.program.exprs.not(condition);
            let inside = self.step(at, Op::Assume(condition), span);
            self.execute(inside, next, hook, transition, span);
            match order {
                Order::First if position + 1 == hooks.len() => {
                    self.edge(at, end, Op::Assume(opposite), span);
                }
                Order::First => at = self.step(at, Op::Assume(opposite), span),
                Order::Each => {
                    self.edge(at, next, Op::Assume(opposite), span);
                    at = next;
                }
                Order::Any => none.push(opposite),
            }
        }
        let impossible = self.mapped.program.exprs.bool(false);
        if order == Order::Any
            && !none.contains(&impossible)
            && let Some(condition) = self.all(&none)
        {
            self.edge(start, end, Op::Assume(condition), span);
        }
    }

    /// A transition, once it is clear that it is taken.
    fn execute(
        &mut self,
        start: LocId,
        end: LocId,
        hook: &Hook,
        transition: &Transition,
        span: Span,
    ) {
        let mut at = start;
        for assertion in &transition.assertions {
            let holds = self.condition(assertion, &hook.bindings);
            let fails = self.mapped.program.exprs.not(holds);
            let message = format!("the guard of {} does not hold", describe(&transition.trigger));
            let error = self.violation(at, message, span);
            self.edge(at, error, Op::Assume(fails), span);
            at = self.step(at, Op::Assume(holds), span);
        }
        for assumption in &transition.assumptions {
            let holds = self.condition(assumption, &hook.bindings);
            at = self.step(at, Op::Assume(holds), span);
        }
        for (name, value) in &transition.actions {
            let Some(&target) = self.variables.get(name) else {
                let message = format!("`{name}` is not a variable of the automaton");
                self.error(Diagnostic::error(transition.span, message));
                continue;
            };
            let value = self.value(value, &hook.bindings);
            let ty = self.mapped.program.variables[target].ty;
            let value = self.mapped.program.exprs.cast(ty, value);
            at = self.step(at, Op::Assign { target, value }, span);
        }
        match &transition.target {
            Target::State(to) if Some(*to) != Some(hook.state) => {
                let target = self.state.expect("several states");
                let value = self.mapped.program.exprs.int(*to as i128, INT);
                self.edge(at, end, Op::Assign { target, value }, span);
            }
            Target::State(_) => self.edge(at, end, Op::Skip, span),
            Target::Error(message) => {
                let message = if message.is_empty() {
                    format!("{} leads to an error", describe(&transition.trigger))
                } else {
                    message.clone()
                };
                let error = self.violation(at, message, span);
                self.edge(at, error, Op::Skip, span);
            }
            // The path ends here.
            Target::Stop => {
                self.step(at, Op::Skip, span);
            }
        }
    }

    fn violation(&mut self, like: LocId, message: String, span: Span) -> LocId {
        let description = format!("{}: {message}", self.automaton.name);
        let check = self.mapped.program.checks.push(Check {
            property: Property::Automaton,
            description,
            span,
        });
        let error = self.mapped.add_location(like);
        self.mapped.program.locations[error].error = Some(check);
        error
    }
}

/// The variable behind conversions.
fn variable_of(program: &Program, value: ExprId) -> Option<VarId> {
    let mut at = value;
    loop {
        match *program.exprs.get(at) {
            Expr::Var(var) => return Some(var),
            Expr::Cast(_, inner) => at = inner,
            _ => return None,
        }
    }
}

fn describe(trigger: &Trigger) -> String {
    match trigger {
        Trigger::Statement(StatementPattern::Call { function: Some(name), .. }) => {
            format!("the call of `{name}`")
        }
        Trigger::Statement(StatementPattern::Call { function: None, .. }) => "the call".into(),
        Trigger::Statement(StatementPattern::Assign { .. }) => "the assignment".into(),
        Trigger::Label(name) => format!("the label `{name}`"),
        Trigger::Entry => "the start of the program".into(),
        Trigger::Exit => "the end of the program".into(),
    }
}

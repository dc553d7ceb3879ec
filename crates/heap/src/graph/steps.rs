//! One step of the program on a graph.
//!
//! The graphs after a step have every state that it leads to. What a step does to memory must be certain: a write through
//! a pointer of which nothing is known is refused, since it may change any object.

use super::values::{Machine, Stop};
use super::{Address, End, Graph, Node, Place, Value, ZERO};
use bolide_cfa::analysis::Liveness;
use bolide_cfa::types::Type;
use bolide_cfa::{
    AllocKind, BinaryOp, CompareOp, EdgeId, Expr, ExprId, ExternalEffect, Op, Program, UnaryOp,
    VarId, VariableKind,
};

/// Why a step cannot be executed on graphs.
pub type Refused = String;

/// Graphs that one step may lead to, at most.
const GRAPHS: usize = 400;

/// Executes the steps of one program, which has no calls.
pub struct Steps<'p> {
    program: &'p Program,
    live: Option<Liveness>,
}

/// A graph before a step, with the conditions that were assumed for it and one that is to be.
struct Open {
    graph: Graph,
    decided: Vec<(ExprId, bool)>,
    assume: Option<(ExprId, bool)>,
}

impl<'p> Steps<'p> {
    /// For the steps of a program.
    pub fn new(program: &'p Program) -> Steps<'p> {
        Steps { program, live: program.checks_leaks().then(|| Liveness::of(program)) }
    }

    /// The states before the first step.
    pub fn initial(&self) -> Graph {
        super::start::initial(self.program)
    }

    /// The states that an edge leads to.
    ///
    /// # Errors
    /// When they cannot be said.
    pub fn step(&self, graph: &Graph, edge: EdgeId) -> Result<Vec<Graph>, Refused> {
        let edge = &self.program.edges[edge];
        let mut open = vec![Open { graph: graph.clone(), decided: Vec::new(), assume: None }];
        let mut done = Vec::new();
        while let Some(Open { graph, decided, assume }) = open.pop() {
            if done.len() + open.len() > GRAPHS {
                return Err("a step with too many cases".into());
            }
            let mut machine = Machine {
                program: self.program,
                live: self.live.as_ref(),
                at: edge.from,
                graph: graph.clone(),
                decided: decided.clone(),
            };
            let result = match assume {
                Some((e, truth)) => machine.assume(e, truth),
                None => machine.execute(&edge.op),
            };
            match result {
                Ok(graphs) => match assume {
                    None => done.extend(graphs),
                    Some(condition) => open.extend(graphs.into_iter().map(|graph| {
                        let decided = [&decided[..], &[condition]].concat();
                        Open { graph, decided, assume: None }
                    })),
                },
                Err(Stop::Unfold(node, end)) => {
                    open.extend(graph.unfold(node, end).into_iter().map(|graph| Open {
                        graph,
                        decided: decided.clone(),
                        assume,
                    }));
                }
                Err(Stop::Decide(e)) => {
                    for truth in [true, false] {
                        let (graph, decided) = (graph.clone(), decided.clone());
                        open.push(Open { graph, decided, assume: Some((e, truth)) });
                    }
                }
                Err(Stop::Count(number)) => {
                    let bounds = graph.numbers.get(&number).copied();
                    for n in bounds.into_iter().flat_map(|n| n.low..=n.high) {
                        let mut graph = graph.clone();
                        graph.substitute(number, Value::Known(n));
                        open.push(Open { graph, decided: decided.clone(), assume });
                    }
                }
                Err(Stop::Refused(why)) => return Err(why),
            }
        }
        Ok(done)
    }
}

fn refused<T>(why: &str) -> Result<T, Stop> {
    Err(Stop::Refused(why.into()))
}

impl Machine<'_> {
    /// The graphs after an operation.
    fn execute(&mut self, op: &Op) -> Result<Vec<Graph>, Stop> {
        match *op {
            Op::Skip | Op::Output { result: None, .. } => {}
            Op::Assume(e) => return self.assume(e, true),
            Op::Assign { target, value } => {
                let value = self.value(value)?;
                self.give(target, value);
            }
            Op::Store { ref access, value } => {
                let value = self.value(value)?;
                let to = self.value(access.pointer)?;
                let size = match access.bits {
                    Some(bits) => (i64::from(bits.offset) + i64::from(bits.width) + 7) / 8,
                    None => access.ty.size(self.program.target) as i64,
                };
                let plain = access.bits.is_none() && !matches!(access.ty, Type::Float(_));
                self.write(to, size, if plain { value } else { Value::Any })?;
            }
            Op::Nondet { target, .. } | Op::Output { result: Some(target), .. } => {
                self.give_any(target);
            }
            Op::Alloc { frame: Some(_), .. } => return refused("`alloca` in a loop"),
            Op::Alloc { target, size, kind, zeroed, region, .. } => {
                let size = self.value(size)?;
                let bytes = |n: i128| i64::try_from(n.clamp(0, 1 << 60)).unwrap_or(1 << 60);
                let (least, most) = self.graph.bounds(size).unwrap_or((0, 1 << 60));
                let place = match kind {
                    AllocKind::Heap => Place::Heap,
                    AllocKind::Stack | AllocKind::Alloca => Place::Stack,
                    AllocKind::Static => Place::Static,
                };
                let mut node = Node::region(place, (bytes(least), bytes(most)));
                node.region = Some(region);
                if zeroed {
                    node.clear(0, bytes(most));
                }
                let node = self.graph.add(node);
                self.give(target, Value::Address(Address::at(node, End::First, 0)));
            }
            Op::Free { pointer, .. } => self.end(pointer, Place::Heap)?,
            Op::EndLifetime { pointer, .. } => self.end(pointer, Place::Stack)?,
            Op::Fill { to, byte, size, .. } => {
                let (to, byte, size) = (self.value(to)?, self.value(byte)?, self.value(size)?);
                self.fill(to, byte, size)?;
            }
            Op::Copy { to, from, size, .. } => {
                let (to, from, size) = (self.value(to)?, self.value(from)?, self.value(size)?);
                self.copy(to, from, size)?;
            }
            Op::External { result, effect, .. } => {
                if effect != ExternalEffect::Pure {
                    self.external()?;
                }
                if let Some(target) = result {
                    self.give_any(target);
                }
            }
            Op::Halt { .. } => return Ok(Vec::new()),
            Op::Call { .. } | Op::CallIndirect { .. } => return refused("a call"),
        }
        Ok(vec![std::mem::take(&mut self.graph)])
    }

    fn give(&mut self, target: VarId, value: Value) {
        let value = self.converted(value, self.program.variables[target].ty);
        match value {
            Value::Any => self.graph.variables.remove(&target),
            value => self.graph.variables.insert(target, value),
        };
    }

    fn give_any(&mut self, target: VarId) {
        let value = self.graph.any(self.program.variables[target].ty);
        self.give(target, value);
    }

    /// A live object that surely has the bytes that are written.
    fn written(&mut self, to: Value, bytes: i128) -> Result<(Address, &mut Node), Stop> {
        let Value::Address(address) = to else {
            return refused("a write through a pointer of which nothing is known");
        };
        let node = self.region(address)?;
        let certain = node.alive && node.place != Place::Constant;
        // Required: a pointer that may point behind its object may not write to another one.
        if !certain {
            return refused("a write to an object that does not live");
        }
        if address.offset().is_some() && !node.holds(address.low, address.high, bytes) {
            return refused("a write behind the end of an object");
        }
        match self.graph.nodes.get_mut(&address.node) {
            Some(node) => Ok((address, node)),
            None => refused("an object without a node"),
        }
    }

    fn write(&mut self, to: Value, size: i64, value: Value) -> Result<(), Stop> {
        let (address, node) = self.written(to, i128::from(size))?;
        match address.offset() {
            Some(offset) => node.set(offset, size, value),
            None => node.forget(address.low, address.high.saturating_add(size)),
        }
        Ok(())
    }

    /// Ends the life of an object.
    fn end(&mut self, pointer: ExprId, place: Place) -> Result<(), Stop> {
        let address = match self.value(pointer)? {
            ZERO => return Ok(()),
            Value::Address(address) => address,
            _ => return refused("the end of an object of which nothing is known"),
        };
        let node = self.region(address)?;
        if !node.alive || node.place != place || address.offset() != Some(0) {
            return refused("the end of an object that does not live");
        }
        if let Some(node) = self.graph.nodes.get_mut(&address.node) {
            node.alive = false;
            node.cells.clear();
            node.zeros.clear();
        }
        Ok(())
    }

    /// Between which bounds a number of bytes lies; none where it is zero.
    fn length(&self, size: Value) -> Option<(i128, i128)> {
        let bounds = self.graph.bounds(size).unwrap_or((0, 1 << 60));
        (bounds.1 != 0).then_some(bounds)
    }

    fn fill(&mut self, to: Value, byte: Value, size: Value) -> Result<(), Stop> {
        let Some((least, most)) = self.length(size) else { return Ok(()) };
        let (address, node) = self.written(to, most)?;
        let most = i64::try_from(most).unwrap_or(1 << 60);
        match address.offset() {
            Some(offset) if least == i128::from(most) && byte == ZERO => {
                node.clear(offset, offset + most);
            }
            _ => node.forget(address.low, address.high.saturating_add(most)),
        }
        Ok(())
    }

    fn copy(&mut self, to: Value, from: Value, size: Value) -> Result<(), Stop> {
        let Some((least, most)) = self.length(size) else { return Ok(()) };
        let (target, _) = self.written(to, most)?;
        let bytes = i64::try_from(most).unwrap_or(1 << 60);
        let (mut cells, mut zeros) = (Vec::new(), Vec::new());
        if let (Value::Address(source), true) = (from, least == most) {
            let node = self.region(source)?;
            if let (Some(start), Some(there), true) = (source.offset(), target.offset(), node.alive)
            {
                let inside = |at: i64, size: i64| start <= at && at + size <= start + bytes;
                let here = node.cells.iter().filter(|(at, cell)| inside(**at, cell.size));
                cells.extend(here.map(|(at, cell)| (at - start + there, *cell)));
                let stretches = node.zeros.iter();
                let cut = stretches.map(|&(a, b)| (a.max(start), b.min(start + bytes)));
                zeros.extend(
                    cut.filter(|(a, b)| a < b).map(|(a, b)| (a - start + there, b - start + there)),
                );
            }
        }
        let (target, node) = self.written(to, most)?;
        node.forget(target.low, target.high.saturating_add(bytes));
        for (from, to) in zeros {
            node.clear(from, to);
        }
        for (at, cell) in cells {
            node.set(at, cell.size, cell.value);
        }
        Ok(())
    }

    /// A function without a body may change what it can reach.
    fn external(&mut self) -> Result<(), Stop> {
        if self.program.external_region.is_some() {
            return refused("a function without a body that can reach memory");
        }
        let globals: Vec<VarId> = self.graph.variables.keys().copied().collect();
        for var in globals {
            if self.program.variables[var].kind == VariableKind::Global {
                self.give_any(var);
            }
        }
        Ok(())
    }

    /// The graphs in which a condition holds, or does not.
    fn assume(&mut self, e: ExprId, wanted: bool) -> Result<Vec<Graph>, Stop> {
        if let Some(truth) = self.truth(e)? {
            let all = (truth == wanted).then(|| std::mem::take(&mut self.graph));
            return Ok(all.into_iter().collect());
        }
        match *self.program.exprs.get(e) {
            Expr::Unary(UnaryOp::Not, a) => self.assume(a, !wanted),
            Expr::Binary(op @ (BinaryOp::BitAnd | BinaryOp::BitOr), a, b) => {
                // Both hold, or neither does.
                if wanted == (op == BinaryOp::BitAnd) {
                    let mut found = Vec::new();
                    for graph in self.assume(a, wanted)? {
                        found.extend(self.with(graph).assume(b, wanted)?);
                    }
                    return Ok(found);
                }
                let before = self.graph.clone();
                let mut found = self.assume(a, wanted)?;
                for graph in self.with(before).assume(a, !wanted)? {
                    found.extend(self.with(graph).assume(b, wanted)?);
                }
                Ok(found)
            }
            Expr::Compare(op, a, b) if matches!(self.program.exprs.type_of(a), Type::Int(_)) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let (op, a, b) = if wanted { (op, a, b) } else { op.negated(a, b) };
                Ok(self.related(op, a, b))
            }
            Expr::Cast(..) | Expr::Var(_) | Expr::Load(_) => {
                let operand = match *self.program.exprs.get(e) {
                    Expr::Cast(_, a) => a,
                    _ => e,
                };
                let value = self.value(operand)?;
                let op = if wanted { CompareOp::Ne } else { CompareOp::Eq };
                let is_int = matches!(self.program.exprs.type_of(operand), Type::Int(_));
                Ok(if is_int {
                    self.related(op, value, ZERO)
                } else {
                    vec![std::mem::take(&mut self.graph)]
                })
            }
            _ => Ok(vec![std::mem::take(&mut self.graph)]),
        }
    }

    /// The same with another graph.
    fn with(&self, graph: Graph) -> Machine<'_> {
        Machine { graph, decided: self.decided.clone(), ..*self }
    }

    /// The states in which two integers are related so.
    fn related(&mut self, op: CompareOp, a: Value, b: Value) -> Vec<Graph> {
        let (Some((a_low, a_high)), Some((b_low, b_high))) =
            (self.graph.bounds(a), self.graph.bounds(b))
        else {
            return vec![std::mem::take(&mut self.graph)];
        };
        let feasible = match op {
            CompareOp::Eq => {
                let (low, high) = (a_low.max(b_low), a_high.min(b_high));
                let both = self.bound(a, low, high, false) && self.bound(b, low, high, false);
                if let (Value::Number(x), Value::Number(y)) = (a, b)
                    && let (Some(first), Some(second)) =
                        (self.graph.numbers.get(&x).copied(), self.graph.numbers.get(&y).copied())
                {
                    if let Some(number) = self.graph.numbers.get_mut(&y) {
                        number.nonzero = first.nonzero || second.nonzero;
                    }
                    self.graph.substitute(x, b);
                }
                both
            }
            CompareOp::Ne => self.apart(a, b) && self.apart(b, a),
            CompareOp::Lt => {
                self.bound(a, i128::MIN, b_high - 1, false)
                    && self.bound(b, a_low + 1, i128::MAX, false)
            }
            CompareOp::Le => {
                self.bound(a, i128::MIN, b_high, false) && self.bound(b, a_low, i128::MAX, false)
            }
        };
        feasible.then(|| std::mem::take(&mut self.graph)).into_iter().collect()
    }

    /// The states in which the first is not the second, if that is a constant.
    fn apart(&mut self, a: Value, b: Value) -> bool {
        let (Value::Known(n), Some((low, high))) = (b, self.graph.bounds(a)) else { return true };
        let (low, high) = (low + i128::from(low == n), high - i128::from(high == n));
        self.bound(a, low, high, n == 0)
    }
}

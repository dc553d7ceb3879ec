//! Expressions on a graph.
//!
//! A value is computed as far as the graph tells it. Where an element of a chain is looked at, the evaluation stops and names the
//! chain: [`steps`](super::steps) takes the element out and starts again. So it is with conditions on
//! which a choice in an expression depends.

use super::{Address, End, Graph, Node, NodeId, NumberId, Place, Value, ZERO};
use bolide_cfa::analysis::Liveness;
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::expr::Access;
use bolide_cfa::types::{IntType, Type};
use bolide_cfa::value::{self as concrete};
use bolide_cfa::{BinaryOp, CompareOp, Expr, ExprId, LocId, Program, UnaryOp, VariableKind};

/// Values of an index that are told apart, at most.
const FEW: i128 = 4;

/// Why an evaluation goes no further.
pub(super) enum Stop {
    /// An element of this chain is looked at.
    Unfold(NodeId, End),
    /// It depends on this condition.
    Decide(ExprId),
    /// It depends on this number, which has few values.
    Count(NumberId),
    /// It cannot be said on graphs.
    Refused(String),
}

/// A graph on which a step is executed.
pub(super) struct Machine<'p> {
    pub program: &'p Program,
    /// Where leaks are looked for: which variables are still in use.
    pub live: Option<&'p Liveness>,
    pub at: LocId,
    pub graph: Graph,
    /// Conditions whose truth was assumed for this step.
    pub decided: Vec<(ExprId, bool)>,
}

impl Machine<'_> {
    fn fresh(&mut self, e: ExprId) -> Value {
        self.graph.any(self.program.exprs.type_of(e))
    }

    /// The value of an expression.
    pub fn value(&mut self, e: ExprId) -> Result<Value, Stop> {
        let ty = self.program.exprs.type_of(e);
        match *self.program.exprs.get(e) {
            Expr::Int { bits, ty } if ty.bits < 128 => Ok(Value::Known(ty.value(bits))),
            Expr::Null => Ok(ZERO),
            Expr::Var(var) => match self.graph.variables.get(&var) {
                Some(&value) => Ok(value),
                None => {
                    let value = self.graph.any(ty);
                    if value != Value::Any {
                        self.graph.variables.insert(var, value);
                    }
                    Ok(value)
                }
            },
            Expr::Object(object) => Ok(match self.graph.statics.get(&object) {
                Some(&node) => Value::Address(Address::at(node, End::First, 0)),
                None => Value::Any,
            }),
            Expr::Load(access) => self.load(&access),
            Expr::Ite(c, a, b) => match self.truth(c)? {
                Some(true) => self.value(a),
                Some(false) => self.value(b),
                None => Err(Stop::Decide(c)),
            },
            Expr::Cast(to, a) if to != Type::BOOL => {
                let value = self.value(a)?;
                Ok(self.converted(value, to))
            }
            Expr::PointerAdd(p, by) => self.moved(p, by),
            Expr::PointerDiff(a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                if let (Value::Address(a), Value::Address(b)) = (a, b)
                    && (a.node, a.end) == (b.node, b.end)
                {
                    let (low, high) = (
                        i128::from(a.low) - i128::from(b.high),
                        i128::from(a.high) - i128::from(b.low),
                    );
                    return Ok(self.graph.number(low, high, None));
                }
                Ok(self.fresh(e))
            }
            Expr::ObjectSize(p) => match self.value(p)? {
                Value::Address(address) => {
                    let node = self.region(address)?;
                    match node.size {
                        (least, most) if least == most && node.alive => {
                            Ok(Value::Known(i128::from(least)))
                        }
                        _ => Ok(self.fresh(e)),
                    }
                }
                _ => Ok(self.fresh(e)),
            },
            Expr::Unary(_, a) if ty != Type::BOOL => {
                let a = self.value(a)?;
                Ok(self.computed(e, &[a]))
            }
            Expr::Binary(_, a, b) if ty != Type::BOOL => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(self.computed(e, &[a, b]))
            }
            _ if ty == Type::BOOL => Ok(match self.truth(e)? {
                Some(truth) => Value::Known(i128::from(truth)),
                None => return Err(Stop::Decide(e)),
            }),
            _ => Ok(self.fresh(e)),
        }
    }

    /// A pointer moved by a number of bytes.
    fn moved(&mut self, p: ExprId, by: ExprId) -> Result<Value, Stop> {
        let (p, offset) = (self.value(p)?, self.value(by)?);
        let bounds = self.graph.bounds(offset);
        if bounds.is_none_or(|(low, high)| low != high) {
            self.count(by)?;
        }
        Ok(match (p, bounds) {
            (Value::Address(address), Some((low, high))) => {
                address.moved(low, high).map_or(Value::Any, Value::Address)
            }
            (p, Some((0, 0))) => p,
            _ => Value::Any,
        })
    }

    /// Stops where an expression depends on a variable that has few values.
    fn count(&mut self, e: ExprId) -> Result<(), Stop> {
        for var in Walker::new().variables(&self.program.exprs, &[e]) {
            if let Some(&Value::Number(id)) = self.graph.variables.get(&var)
                && self.graph.numbers.get(&id).is_some_and(|n| n.high - n.low < FEW)
            {
                return Err(Stop::Count(id));
            }
        }
        Ok(())
    }

    /// The node of an address, which must be a region: an element of a chain is taken out first.
    pub fn region(&self, address: Address) -> Result<&Node, Stop> {
        let node = self.graph.nodes.get(&address.node);
        let node = node.ok_or_else(|| Stop::Refused("an object without a node".into()))?;
        match node.chain {
            Some(_) => Err(Stop::Unfold(address.node, address.end)),
            None => Ok(node),
        }
    }

    /// A value where it is of a type, else any of that type.
    pub fn converted(&mut self, value: Value, to: Type) -> Value {
        match (value, to) {
            (ZERO, Type::Pointer) => ZERO,
            (Value::Address(_), Type::Pointer) => value,
            (Value::Known(_) | Value::Number(_), Type::Int(int)) if int.bits < 128 => {
                let (low, high) = self.graph.bounds(value).unwrap_or((i128::MIN, i128::MAX));
                match value {
                    _ if int.min() <= low && high <= int.max() => value,
                    Value::Known(n) => Value::Known(int.value(int.truncate(n as u128))),
                    _ => self.graph.any(to),
                }
            }
            _ => self.graph.any(to),
        }
    }

    /// The result of an operator.
    fn computed(&mut self, e: ExprId, operands: &[Value]) -> Value {
        let exprs = &self.program.exprs;
        let expr = exprs.get(e);
        let Type::Int(int) = exprs.type_of(e) else { return self.fresh(e) };
        if int.bits >= 128 {
            return self.fresh(e);
        }
        let ids: Vec<ExprId> = expr.operands().collect();
        let known = |id: ExprId| {
            let Type::Int(int) = exprs.type_of(id) else { return None };
            let place = ids.iter().position(|other| *other == id)?;
            match operands[place] {
                Value::Known(n) => Some(concrete::Value::int(n, int)),
                _ => None,
            }
        };
        if let Some(result) = concrete::expression(expr, known, self.program.target)
            && let Some(n) = result.as_int()
        {
            return Value::Known(n);
        }
        let bounds: Option<Vec<(i128, i128)>> =
            operands.iter().map(|value| self.graph.bounds(*value)).collect();
        let range = bounds.and_then(|bounds| match (expr, bounds.as_slice()) {
            (Expr::Binary(op, ..), &[a, b]) => range(*op, a, b),
            (Expr::Unary(UnaryOp::Neg, _), &[(low, high)]) => Some((-high, -low)),
            _ => None,
        });
        match range {
            Some((low, high)) if int.min() <= low && high <= int.max() => {
                self.graph.number(low, high, None)
            }
            _ => self.fresh(e),
        }
    }

    fn load(&mut self, access: &Access) -> Result<Value, Stop> {
        let pointer = self.value(access.pointer)?;
        let ty = access.ty;
        let Value::Address(address) = pointer else { return Ok(self.graph.any(ty)) };
        let size = ty.size(self.program.target) as i64;
        let node = self.region(address)?;
        let certain = address.offset().filter(|_| !access.volatile && access.bits.is_none());
        let (Some(offset), true) = (certain, node.alive) else { return Ok(self.graph.any(ty)) };
        if !node.holds(offset, offset, i128::from(size)) {
            return Ok(self.graph.any(ty));
        }
        let held = node.get(offset, size);
        // Required: every byte but zero reads as a truth that holds.
        let odd = ty == Type::BOOL
            && self.graph.bounds(held).is_none_or(|(low, high)| low < 0 || high > 1);
        if odd && held != Value::Any {
            return Ok(self.graph.any(ty));
        }
        if held != Value::Any {
            return Ok(self.converted(held, ty));
        }
        // What was never written keeps the value that is read first.
        let apart =
            |(at, cell): (&i64, &super::Cell)| *at >= offset + size || at + cell.size <= offset;
        let untouched = node.cells.iter().all(apart)
            && node.zeros.iter().all(|&(from, to)| from >= offset + size || to <= offset);
        let value = self.graph.any(ty);
        if untouched && let Some(node) = self.graph.nodes.get_mut(&address.node) {
            node.set(offset, size, value);
        }
        Ok(value)
    }

    /// Whether a condition holds; none where that is open.
    pub fn truth(&mut self, e: ExprId) -> Result<Option<bool>, Stop> {
        if let Some(&(_, truth)) = self.decided.iter().find(|(known, _)| *known == e) {
            return Ok(Some(truth));
        }
        match *self.program.exprs.get(e) {
            Expr::Int { bits, .. } => Ok(Some(bits != 0)),
            Expr::Unary(UnaryOp::Not, a) => Ok(self.truth(a)?.map(|truth| !truth)),
            Expr::Binary(op @ (BinaryOp::BitAnd | BinaryOp::BitOr), a, b) => {
                let ends = op == BinaryOp::BitOr;
                let a = self.truth(a)?;
                if a == Some(ends) {
                    return Ok(a);
                }
                let b = self.truth(b)?;
                Ok(if b == Some(ends) || a.is_some() { b } else { None })
            }
            Expr::Compare(op, a, b) => {
                let ty = self.program.exprs.type_of(a);
                let (a, b) = (self.value(a)?, self.value(b)?);
                match ty {
                    Type::Pointer => self.compare_pointers(op, a, b),
                    Type::Int(_) => Ok(self.compare_numbers(op, a, b)),
                    Type::Float(_) => Ok(None),
                }
            }
            Expr::Cast(Type::Int(IntType::BOOL), a) => {
                let ty = self.program.exprs.type_of(a);
                let a = self.value(a)?;
                match ty {
                    Type::Pointer => self.compare_pointers(CompareOp::Ne, a, ZERO),
                    Type::Int(_) => Ok(self.compare_numbers(CompareOp::Ne, a, ZERO)),
                    Type::Float(_) => Ok(None),
                }
            }
            Expr::Var(_) | Expr::Load(_) => {
                let value = self.value(e)?;
                Ok(self.compare_numbers(CompareOp::Ne, value, ZERO))
            }
            Expr::Ite(c, a, b) => match self.truth(c)? {
                Some(true) => self.truth(a),
                Some(false) => self.truth(b),
                None => Err(Stop::Decide(c)),
            },
            Expr::Valid { pointer, size, .. } => self.valid(pointer, size),
            Expr::Freeable { pointer, .. } => match self.value(pointer)? {
                ZERO => Ok(Some(true)),
                Value::Address(address) => {
                    let node = self.region(address)?;
                    let starts = address.low <= 0 && address.high >= 0;
                    let frees = starts && node.alive && node.place == Place::Heap;
                    Ok(if frees && address.offset().is_none() { None } else { Some(frees) })
                }
                _ => Ok(None),
            },
            Expr::ReadOnly(pointer) => match self.value(pointer)? {
                Value::Address(address) => {
                    self.not_empty(address)?;
                    let place = self.graph.nodes.get(&address.node).map(|node| node.place);
                    Ok(Some(place == Some(Place::Constant)))
                }
                _ => Ok(None),
            },
            Expr::Coincide(a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(match (a, b) {
                    (ZERO, _) | (_, ZERO) => Some(false),
                    (Value::Address(a), Value::Address(b))
                        if a.node == b.node && a.end == b.end =>
                    {
                        Some(false)
                    }
                    _ => None,
                })
            }
            Expr::Overflows(op, a, b) => self.overflows(op, a, b),
            Expr::Leaked => Ok(self.leaked()),
            Expr::HeapInUse => self.heap_in_use(),
            _ => Ok(None),
        }
    }

    fn overflows(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Result<Option<bool>, Stop> {
        let Type::Int(int) = self.program.exprs.type_of(a) else { return Ok(None) };
        let (a, b) = (self.value(a)?, self.value(b)?);
        let (Some(a), Some(b)) = (self.graph.bounds(a), self.graph.bounds(b)) else {
            return Ok(None);
        };
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) || int.bits >= 128 {
            return Ok(None);
        }
        Ok(range(op, a, b).and_then(|(low, high)| match () {
            () if int.min() <= low && high <= int.max() => Some(false),
            () if high < int.min() || low > int.max() => Some(true),
            () => None,
        }))
    }

    fn compare_numbers(&self, op: CompareOp, a: Value, b: Value) -> Option<bool> {
        let (low, high) = (self.graph.bounds(a)?, self.graph.bounds(b)?);
        let ((a_low, a_high), (b_low, b_high)) = (low, high);
        let nonzero = |value: Value| match value {
            Value::Number(id) => self.graph.numbers[&id].nonzero,
            Value::Known(n) => n != 0,
            _ => false,
        };
        let equal = match () {
            () if a == b => Some(true),
            () if a_high < b_low || b_high < a_low => Some(false),
            () if a == ZERO && nonzero(b) || b == ZERO && nonzero(a) => Some(false),
            () => None,
        };
        match op {
            CompareOp::Eq => equal,
            CompareOp::Ne => equal.map(|truth| !truth),
            CompareOp::Lt if a_high < b_low => Some(true),
            CompareOp::Lt if a_low >= b_high || a == b => Some(false),
            CompareOp::Le if a_high <= b_low || a == b => Some(true),
            CompareOp::Le if a_low > b_high => Some(false),
            CompareOp::Lt | CompareOp::Le => None,
        }
    }

    fn compare_pointers(&self, op: CompareOp, a: Value, b: Value) -> Result<Option<bool>, Stop> {
        if !op.is_symmetric() {
            return Ok(match (a, b) {
                (Value::Address(a), Value::Address(b)) if a.node == b.node && a.end == b.end => {
                    match (op, a, b) {
                        (CompareOp::Lt, a, b) if a.high < b.low => Some(true),
                        (CompareOp::Lt, a, b) if a.low >= b.high => Some(false),
                        (CompareOp::Le, a, b) if a.high <= b.low => Some(true),
                        (CompareOp::Le, a, b) if a.low > b.high => Some(false),
                        _ => None,
                    }
                }
                _ => None,
            });
        }
        let equal = self.same(a, b)?;
        Ok(if op == CompareOp::Eq { equal } else { equal.map(|truth| !truth) })
    }

    /// Whether two pointers are equal.
    fn same(&self, a: Value, b: Value) -> Result<Option<bool>, Stop> {
        match (a, b) {
            (Value::Any | Value::Number(_), _) | (_, Value::Any | Value::Number(_)) => Ok(None),
            (Value::Known(a), Value::Known(b)) => Ok((a == 0 && b == 0).then_some(true)),
            (Value::Address(a), Value::Address(b)) if a.node == b.node => {
                if a.end != b.end {
                    return Err(Stop::Unfold(a.node, End::First));
                }
                Ok(match (a.offset(), b.offset()) {
                    (Some(a), Some(b)) => Some(a == b),
                    _ if a.high < b.low || b.high < a.low => Some(false),
                    _ => None,
                })
            }
            (Value::Address(a), Value::Address(b)) => {
                self.not_empty(a)?;
                self.not_empty(b)?;
                // Two pointers to bytes of live objects; of others the address may be any.
                Ok((self.is_inside(a) && self.is_inside(b)).then_some(false))
            }
            (Value::Address(a), Value::Known(n)) | (Value::Known(n), Value::Address(a)) => {
                self.not_empty(a)?;
                let node = &self.graph.nodes[&a.node];
                let near = a.low >= 0 && a.high <= node.size.0;
                Ok((n == 0 && near).then_some(false))
            }
        }
    }

    /// A pointer into a chain that may be empty may be one to elsewhere.
    fn not_empty(&self, address: Address) -> Result<(), Stop> {
        match self.graph.nodes[&address.node].chain {
            Some(chain) if chain.least == 0 => Err(Stop::Unfold(address.node, address.end)),
            _ => Ok(()),
        }
    }

    /// Whether it points to a byte of a live object that shares none with others.
    fn is_inside(&self, address: Address) -> bool {
        let node = &self.graph.nodes[&address.node];
        node.alive && node.place != Place::Constant && node.holds(address.low, address.high, 1)
    }

    fn valid(&mut self, pointer: ExprId, size: ExprId) -> Result<Option<bool>, Stop> {
        let (pointer, size) = (self.value(pointer)?, self.value(size)?);
        let Some((least, most)) = self.graph.bounds(size) else { return Ok(None) };
        match pointer {
            Value::Known(_) => Ok(Some(false)),
            Value::Address(address) => {
                self.not_empty(address)?;
                let node = &self.graph.nodes[&address.node];
                Ok(match () {
                    () if !node.alive => Some(false),
                    () if node.holds(address.low, address.high, most) => Some(true),
                    () if address.high < 0 => Some(false),
                    () if node.size.1 < 1 << 59
                        && i128::from(address.low) + least > i128::from(node.size.1) =>
                    {
                        Some(false)
                    }
                    () => None,
                })
            }
            Value::Any | Value::Number(_) => Ok(None),
        }
    }

    /// Whether some live heap object cannot be reached from a global variable or from one that may still be read. More
    /// states than those that leak: variables in scope that nobody reads any more do not count.
    fn leaked(&self) -> Option<bool> {
        if self.graph.lost {
            return None;
        }
        let counts = |var| {
            let global = self.program.variables[var].kind == VariableKind::Global;
            global || self.live.is_some_and(|live| live.may_be_read(self.program, self.at, var))
        };
        let variables = self.graph.variables.iter().filter(|(var, _)| counts(**var));
        let statics = self.graph.statics.values();
        let statics = statics.map(|&node| Value::Address(Address::at(node, End::First, 0)));
        let reached = self.graph.reached(variables.map(|(_, value)| *value).chain(statics));
        let in_use = |node: &Node| node.alive && node.place == Place::Heap;
        let all = self.graph.nodes.iter().filter(|(_, node)| in_use(node));
        all.clone().all(|(id, _)| reached.contains(id)).then_some(false)
    }

    fn heap_in_use(&self) -> Result<Option<bool>, Stop> {
        let mut maybe = None;
        for (&id, node) in &self.graph.nodes {
            if node.alive && node.place == Place::Heap && node.owner.is_none() {
                match node.chain {
                    Some(chain) if chain.least == 0 => maybe = Some(id),
                    _ => return Ok(Some(true)),
                }
            }
        }
        match maybe {
            Some(chain) => Err(Stop::Unfold(chain, End::First)),
            None => Ok(if self.graph.lost { None } else { Some(false) }),
        }
    }

    /// Keeps the states in which a number lies between bounds; false when there are none.
    pub fn bound(&mut self, value: Value, low: i128, high: i128, nonzero: bool) -> bool {
        match value {
            Value::Known(n) => low <= n && n <= high && !(nonzero && n == 0),
            Value::Number(id) => {
                let Some(number) = self.graph.numbers.get_mut(&id) else { return true };
                number.low = number.low.max(low);
                number.high = number.high.min(high);
                number.nonzero |= nonzero;
                if number.nonzero && number.low == 0 {
                    number.low = 1;
                }
                if number.nonzero && number.high == 0 {
                    number.high = -1;
                }
                let number = *number;
                if number.low == number.high {
                    self.graph.substitute(id, Value::Known(number.low));
                }
                number.low <= number.high
            }
            Value::Any | Value::Address(_) => true,
        }
    }
}

/// Between which bounds the mathematical result lies.
fn range(op: BinaryOp, (a, b): (i128, i128), (c, d): (i128, i128)) -> Option<(i128, i128)> {
    let small = [a, b, c, d].iter().all(|n| n.unsigned_abs() <= 1 << 64);
    if !small {
        return None;
    }
    match op {
        BinaryOp::Add => Some((a + c, b + d)),
        BinaryOp::Sub => Some((a - d, b - c)),
        BinaryOp::Mul => {
            let all = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            Some((*all.iter().min()?, *all.iter().max()?))
        }
        BinaryOp::Div if a >= 0 && c > 0 => Some((a / d, b / c)),
        BinaryOp::Rem if a >= 0 && c > 0 => Some((0, b.min(d - 1))),
        BinaryOp::Rem if c > 0 => Some(((1 - d).max(a.min(0)), (d - 1).min(b.max(0)))),
        BinaryOp::BitAnd if a >= 0 && c >= 0 => Some((0, b.min(d))),
        _ => None,
    }
}

//! States of a run that belong to a memory graph, made by steps of a program.
//!
//! What a graph [means](bolide_heap::graph), read the other way round: each chain gets a length, each number a value, and nodes become objects.
//! The state is a list of operations that build it from nothing; executed before a place, they start the interpreter
//! there. What the graph leaves open is chosen by [`Random`].

use bolide_cfa::expr::Access;
use bolide_cfa::types::{IntType, Type};
use bolide_cfa::{AllocKind, Expr, ExprId, Op, Program, RegionId, VarId, Variable, VariableKind};
use bolide_heap::graph::{Address, Cell, End, Graph, Node, NodeId, NumberId, Place, Value};
use std::collections::BTreeMap;

/// Objects of one state: of more a state is not made.
const OBJECTS: usize = 60;

/// Bytes of one object: of more a state is not made.
const BYTES: i64 = 1 << 16;

/// Numbers that repeat from run to run.
pub struct Random(pub u64);

impl Random {
    /// The next one (splitmix).
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// One of the integers between bounds: an end, or near zero, or any.
    fn between(&mut self, low: i128, high: i128) -> i128 {
        let width = (high - low).unsigned_abs().saturating_add(1);
        match self.next() % 4 {
            0 => low,
            1 => high,
            2 => (self.next() % 4) as i128 - 1,
            _ => low.saturating_add((u128::from(self.next()) % width) as i128),
        }
        .clamp(low, high)
    }
}

/// How far the lengths of chains exceed the least.
#[derive(Clone, Copy)]
pub enum Lengths {
    /// All by so much.
    By(usize),
    /// Each by 0 to 2.
    Mixed,
}

/// What a value becomes.
#[derive(Clone, Copy)]
enum Made {
    Any,
    Integer(i128),
    /// A byte of an object, by its number.
    Pointer(usize, i64),
}

struct Object<'g> {
    node: &'g Node,
    /// The chain whose element it is.
    id: NodeId,
    size: i64,
    variable: VarId,
    /// In which its cells are, and its links.
    scope: usize,
    around: usize,
    /// Elements of a chain: the neighbours, of a tree also the second child.
    next: Option<usize>,
    fork: Option<usize>,
    prev: Option<usize>,
    /// Where it holds what the chain as a whole leads to.
    gap: Option<i64>,
}

/// Builds states of one graph.
pub struct Maker<'g> {
    graph: &'g Graph,
    program: &'g mut Program,
    /// Variables for objects, which all states share.
    names: &'g mut Vec<VarId>,
    random: &'g mut Random,
    lengths: Lengths,
    objects: Vec<Object<'g>>,
    regions: BTreeMap<(usize, NodeId), usize>,
    lists: BTreeMap<(usize, NodeId), Vec<usize>>,
    numbers: BTreeMap<(usize, NumberId), i128>,
    /// Elements: chain, object, the scope around it.
    scopes: Vec<(NodeId, usize, usize)>,
    steps: Vec<Op>,
}

impl<'g> Maker<'g> {
    /// For one state.
    pub fn new(
        graph: &'g Graph,
        program: &'g mut Program,
        names: &'g mut Vec<VarId>,
        random: &'g mut Random,
        lengths: Lengths,
    ) -> Maker<'g> {
        Maker {
            graph,
            program,
            names,
            random,
            lengths,
            objects: Vec::new(),
            regions: BTreeMap::new(),
            lists: BTreeMap::new(),
            numbers: BTreeMap::new(),
            scopes: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The steps to a state in which these variables may be read; none where it would be too large.
    pub fn steps(mut self, read: &[VarId]) -> Option<Vec<Op>> {
        self.populate(0, None)?;
        for object in 0..self.objects.len() {
            self.begin(object);
        }
        for object in 0..self.objects.len() {
            self.fill(object);
        }
        for &variable in read {
            let value = self.graph.variables.get(&variable).copied().unwrap_or(Value::Any);
            let made = self.made(0, value, 0);
            self.assign(variable, made);
        }
        if self.graph.lost && self.random.next().is_multiple_of(2) {
            let target = self.name(self.objects.len());
            self.allocate(target, 8, AllocKind::Heap);
            let value = self.program.expr(Expr::Null);
            self.steps.push(Op::Assign { target, value });
        }
        for object in 0..self.objects.len() {
            let Object { node, variable, .. } = self.objects[object];
            let (pointer, region) = (self.program.read(variable), RegionId::ALL);
            match node.place {
                _ if node.alive => {}
                Place::Heap => self.steps.push(Op::Free { pointer, region }),
                Place::Stack => self.steps.push(Op::EndLifetime { pointer, region }),
                Place::Static | Place::Constant => return None,
            }
        }
        Some(self.steps)
    }

    /// The variable for an object.
    fn name(&mut self, number: usize) -> VarId {
        while self.names.len() <= number {
            let name = format!("object {}", self.names.len());
            let entry = Some(self.program.entry);
            let variable = Variable::new(name, Type::Pointer, entry, VariableKind::Temporary);
            self.names.push(self.program.variables.push(variable));
        }
        self.names[number]
    }

    /// Makes the objects of the nodes with this owner.
    fn populate(&mut self, scope: usize, owner: Option<NodeId>) -> Option<()> {
        let graph = self.graph;
        for (&id, node) in graph.nodes.iter().filter(|(_, node)| node.owner == owner) {
            let Some(chain) = node.chain else {
                let object = self.object(id, node, scope, scope)?;
                self.regions.insert((scope, id), object);
                continue;
            };
            let more = match self.lengths {
                Lengths::By(more) => more,
                Lengths::Mixed => (self.random.next() % 3) as usize,
            };
            let mut list: Vec<usize> = Vec::new();
            let most = if chain.links.are_nowhere() { 1 } else { usize::MAX };
            for _ in 0..(chain.least as usize + more).min(most) {
                self.scopes.push((id, self.objects.len(), scope));
                let inner = self.scopes.len();
                let element = self.object(id, node, inner, scope)?;
                match chain.links.fork {
                    None => {
                        self.objects[element].prev = list.last().copied();
                        if let Some(&before) = list.last() {
                            self.objects[before].next = Some(element);
                        }
                    }
                    Some(_) if list.is_empty() => {}
                    Some(fork) => {
                        let (parent, at) = self.place(&list, chain.links.next, fork);
                        let object = &mut self.objects[parent];
                        let child = if at == fork { &mut object.fork } else { &mut object.next };
                        *child = Some(element);
                        self.objects[element].prev = Some(parent);
                    }
                }
                list.push(element);
                self.populate(inner, Some(id))?;
            }
            if let (Some(fork), Some(&root)) = (chain.links.fork, list.first()) {
                let (holder, at) = self.place(&list, chain.links.next, fork);
                self.objects[holder].gap = Some(at);
                // The ends are what pointers to the list are asked for.
                list = vec![root, holder];
            } else if let Some(&last) = list.last() {
                self.objects[last].gap = Some(chain.links.next);
            }
            self.lists.insert((scope, id), list);
        }
        Some(())
    }

    /// Some place in a tree where no child is.
    fn place(&mut self, tree: &[usize], next: i64, fork: i64) -> (usize, i64) {
        let ends = |&element: &usize| {
            let Object { next: first, fork: second, .. } = self.objects[element];
            [(first, next), (second, fork)]
                .into_iter()
                .filter_map(move |(child, at)| child.is_none().then_some((element, at)))
        };
        let all: Vec<(usize, i64)> = tree.iter().flat_map(ends).collect();
        all[(self.random.next() % all.len() as u64) as usize]
    }

    fn object(&mut self, id: NodeId, node: &'g Node, scope: usize, around: usize) -> Option<usize> {
        let number = self.objects.len();
        let most = node.size.1.min(node.size.0.saturating_add(16));
        (node.size.0 <= most).then_some(())?;
        let size = self.random.between(i128::from(node.size.0), i128::from(most)) as i64;
        let variable = self.name(number);
        let (next, fork, prev, gap) = (None, None, None, None);
        self.objects.push(Object {
            node,
            id,
            size,
            variable,
            scope,
            around,
            next,
            fork,
            prev,
            gap,
        });
        (number < OBJECTS && size <= BYTES).then_some(number)
    }

    fn allocate(&mut self, target: VarId, size: i64, kind: AllocKind) {
        let ty = self.program.target.size_type();
        let size = self.program.exprs.int(i128::from(size), ty);
        let (align, zeroed, frame, region) = (16, false, None, RegionId::ALL);
        self.steps.push(Op::Alloc { target, size, align, kind, zeroed, frame, region });
    }

    fn begin(&mut self, number: usize) {
        let Object { node, id, size, variable, .. } = self.objects[number];
        let object = self.graph.statics.iter().find(|(_, other)| **other == id);
        match object {
            Some((&object, _)) => {
                let value = self.program.expr(Expr::Object(object));
                self.steps.push(Op::Assign { target: variable, value });
            }
            None if node.place == Place::Heap => self.allocate(variable, size, AllocKind::Heap),
            None => self.allocate(variable, size, AllocKind::Stack),
        }
    }

    /// Writes what the graph says of an object.
    fn fill(&mut self, number: usize) {
        let Object { node, size, scope, around, next, fork, prev, gap, .. } = self.objects[number];
        // What is dead has no cells; what is constant has those that it began with.
        if !node.alive || node.place == Place::Constant {
            return;
        }
        for &(from, to) in &node.zeros {
            if from < to.min(size) {
                let to_pointer = self.byte(number, from);
                let byte = self.program.exprs.int(0, IntType::unsigned(8));
                let count = i128::from(to.min(size) - from);
                let ty = self.program.target.size_type();
                let size = self.program.exprs.int(count, ty);
                let region = RegionId::ALL;
                self.steps.push(Op::Fill { to: to_pointer, byte, size, region });
            }
        }
        let links = node.chain.map(|chain| chain.links);
        let is_link = |at: i64| links.is_some_and(|l| l.places().any(|link| link == at));
        for (&offset, &Cell { size, value }) in node.cells.range(0..) {
            if !is_link(offset) {
                let made = self.made(scope, value, 0);
                self.store(number, offset, size, made);
            }
        }
        let Some(links) = links.filter(|links| !links.are_nowhere()) else { return };
        let neighbours = [(Some(links.next), next), (links.fork, fork), (links.prev, prev)];
        for (at, neighbour) in neighbours {
            let Some(at) = at else { continue };
            let made = match neighbour {
                Some(other) => Made::Pointer(other, links.head),
                None if gap == Some(at) => self.made(around, node.get(links.next, links.word), 0),
                None if links.prev == Some(at) => self.made(around, node.get(at, links.word), 0),
                None => Made::Integer(0),
            };
            self.store(number, at, links.word, made);
        }
    }

    fn byte(&mut self, object: usize, offset: i64) -> ExprId {
        let base = self.program.read(self.objects[object].variable);
        let by = self.program.exprs.int(i128::from(offset), IntType::signed(64));
        self.program.expr(Expr::PointerAdd(base, by))
    }

    fn store(&mut self, object: usize, offset: i64, size: i64, made: Made) {
        let word = i64::from(self.program.target.pointer_bits) / 8;
        let (ty, value) = match made {
            Made::Pointer(to, at) if size == word => (Type::Pointer, self.byte(to, at)),
            Made::Integer(n) if matches!(size, 1 | 2 | 4 | 8) => {
                let int = IntType::unsigned(8 * size as u8);
                let value = self.program.exprs.int(int.value(int.truncate(n as u128)), int);
                (Type::Int(int), value)
            }
            _ => return,
        };
        let pointer = self.byte(object, offset);
        self.steps.push(Op::Store { access: Access::of(pointer, ty), value });
    }

    fn assign(&mut self, target: VarId, made: Made) {
        let value = match (self.program.variables[target].ty, made) {
            (Type::Pointer, Made::Pointer(object, offset)) => self.byte(object, offset),
            (Type::Pointer, Made::Integer(0)) => self.program.expr(Expr::Null),
            (Type::Pointer, Made::Integer(n)) => {
                let number = self.program.exprs.int(n, IntType::signed(64));
                self.program.exprs.cast(Type::Pointer, number)
            }
            (Type::Pointer, Made::Any) => {
                let count = self.objects.len() as u64;
                match (self.random.next() % (2 * count + 1)) as usize {
                    n if n < self.objects.len() => self.byte(n, 0),
                    _ => self.program.expr(Expr::Null),
                }
            }
            (Type::Int(int), Made::Integer(n)) => self.program.exprs.int(n, int),
            (Type::Int(int), Made::Any) if int.bits < 128 => {
                let n = self.random.between(int.min(), int.max());
                self.program.exprs.int(n, int)
            }
            _ => return,
        };
        self.steps.push(Op::Assign { target, value });
    }

    fn scope(&self, owner: Option<NodeId>, from: usize) -> Option<usize> {
        super::scope::scope(&self.scopes, owner, from)
    }

    /// What a value is in a scope.
    fn made(&mut self, scope: usize, value: Value, hops: usize) -> Made {
        match value {
            Value::Any => Made::Any,
            Value::Known(n) => Made::Integer(n),
            Value::Number(id) => {
                let Some(number) = self.graph.numbers.get(&id) else { return Made::Any };
                let Some(scope) = self.scope(number.owner, scope) else { return Made::Any };
                let random = &mut self.random;
                let chosen = self.numbers.entry((scope, id)).or_insert_with(|| {
                    match random.between(number.low, number.high) {
                        0 if number.nonzero && number.high > 0 => number.high,
                        0 if number.nonzero => number.low,
                        n => n,
                    }
                });
                Made::Integer(*chosen)
            }
            Value::Address(to) => self.pointer(scope, to, hops),
        }
    }

    fn pointer(&mut self, from: usize, to: Address, hops: usize) -> Made {
        let graph = self.graph;
        let Some(node) = graph.nodes.get(&to.node) else { return Made::Any };
        let offset = self.random.between(i128::from(to.low), i128::from(to.high)) as i64;
        if to.end == End::Each {
            let element = self.scope(Some(to.node), from).map(|scope| self.scopes[scope - 1].1);
            return element.map_or(Made::Any, |element| Made::Pointer(element, offset));
        }
        let Some(scope) = self.scope(node.owner, from) else { return Made::Any };
        let Some(chain) = node.chain else {
            return Made::Pointer(self.regions[&(scope, to.node)], offset);
        };
        let list = self.lists.get(&(scope, to.node));
        let end = list.and_then(|l| if to.end == End::First { l.first() } else { l.last() });
        if let Some(&element) = end {
            return Made::Pointer(element, offset);
        }
        let link = match (to.end, chain.links.prev) {
            (End::First, _) => node.get(chain.links.next, chain.links.word),
            (_, Some(prev)) => node.get(prev, chain.links.word),
            (_, None) => Value::Any,
        };
        if hops > graph.nodes.len() || matches!(link, Value::Address(a) if a.node == to.node) {
            return Made::Any;
        }
        let by = offset - chain.links.head;
        match self.made(scope, link, hops + 1) {
            Made::Any => Made::Any,
            Made::Integer(n) => Made::Integer(n + i128::from(by)),
            Made::Pointer(object, at) => Made::Pointer(object, at + by),
        }
    }
}

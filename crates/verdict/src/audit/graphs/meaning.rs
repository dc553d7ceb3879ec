//! Whether a state of a run belongs to a memory graph.
//!
//! Written from what a graph [means](bolide_heap::graph) and from nothing else: objects of the run are given to nodes, and each thing that the
//! graph says becomes a [`Claim`] about a variable or some bytes. It shares no code with the steps on graphs and their
//! matching, so that an error in these has to be made here once more to stay unseen.
//!
//! Where the graph leaves open how long a list is, all lengths that the run allows are tried. Memory that nothing wrote
//! yet may hold anything: a claim about it holds only if it allows everything.

use bolide_cfa::interpreter::{Birth, View};
use bolide_cfa::value::{Pointer, Provenance, Value as Concrete};
use bolide_cfa::{AllocKind, Op, Program, Type};
use bolide_heap::graph::{Address, Chain, End, Graph, Node, NodeId, NumberId, Place, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Choices of lengths that are tried for one state.
const TRIES: u32 = 2_000;

/// Bytes of one stretch of zeros that are looked at.
const MOST_ZEROS: i64 = 4_096;

/// Whether the state belongs to the graph.
pub fn belongs(program: &Program, view: &View<'_>, graph: &Graph) -> bool {
    let mut meaning = Meaning { program, view, graph, tries: TRIES };
    let mut given = Given::default();
    for (&variable, &value) in &graph.variables {
        let Some(held) = view.variable(variable) else { return false };
        given.claims.push(Claim { scope: 0, value, holder: Holder::Variable(held), hops: 0 });
    }
    let objects = view.static_objects();
    for (object, &node) in &graph.statics {
        if let Some((_, start)) = objects.iter().find(|(other, _)| other == object) {
            let value = Value::Address(Address::at(node, End::First, 0));
            let holder = Holder::Variable(Concrete::Pointer(*start));
            given.claims.push(Claim { scope: 0, value, holder, hops: 0 });
        }
    }
    meaning.holds(given)
}

/// What a claim is about.
#[derive(Clone, Copy)]
enum Holder {
    /// The value of a variable.
    Variable(Concrete),
    /// So many bytes of memory.
    Bytes(Pointer, i64),
}

/// Something that has to hold.
#[derive(Clone, Copy)]
struct Claim {
    scope: usize,
    value: Value,
    holder: Holder,
    /// Empty lists that led here.
    hops: usize,
}

/// An object of the run: alive, with its first byte.
#[derive(Clone, Copy)]
struct Object {
    start: Pointer,
    size: i64,
    place: Place,
}

/// What was given to nodes so far, and what is to be shown.
#[derive(Clone, Default)]
struct Given {
    /// By scope and node; with the address of the first byte, which of dead objects one pointer tells.
    regions: BTreeMap<(usize, NodeId), Pointer>,
    lists: BTreeMap<(usize, NodeId), Vec<Pointer>>,
    /// What a number may still be: bytes do not tell a sign.
    numbers: BTreeMap<(usize, NumberId), Vec<i128>>,
    taken: BTreeSet<Provenance>,
    /// Live heap objects among them.
    heap: usize,
    /// Elements of lists: the chain, the first byte, the scope around it. Scope 0 is the whole state.
    scopes: Vec<(NodeId, Pointer, usize)>,
    claims: Vec<Claim>,
    /// Claims about pointers into lists whose length is open.
    waiting: Vec<Claim>,
}

/// The first byte of an object, with the number of its parent and where that points to it.
type Element = (Pointer, Option<(usize, i64)>);

/// Objects that hang together as a tree.
#[derive(Clone, Default)]
struct Tree {
    /// The first byte of each, with that of its parent and where that points to it; parents first.
    elements: Vec<(Pointer, Option<(Pointer, i64)>)>,
    /// Where the gap is; none where there is no element.
    gap: Option<(Pointer, i64)>,
}

struct Meaning<'a> {
    program: &'a Program,
    view: &'a View<'a>,
    graph: &'a Graph,
    tries: u32,
}

impl Meaning<'_> {
    /// Whether some way to go on shows all claims.
    fn holds(&mut self, mut given: Given) -> bool {
        while let Some(claim) = given.claims.pop() {
            if self.claim(&mut given, claim).is_none() {
                return false;
            }
        }
        let first = |claim: &Claim| matches!(claim.value, Value::Address(a) if a.end == End::First);
        let next = given.waiting.iter().position(first);
        let Some(next) = next.or(given.waiting.len().checked_sub(1)) else {
            return self.is_complete(&given);
        };
        let claim = given.waiting.swap_remove(next);
        given.claims.push(claim);
        let Value::Address(pointer) = claim.value else { return false };
        let node = &self.graph.nodes[&pointer.node];
        let (Some(chain), Some(scope)) = (node.chain, self.scope(&given, node.owner, claim.scope))
        else {
            return false;
        };
        if given.lists.contains_key(&(scope, pointer.node)) {
            return self.holds(given);
        }
        if let Some(fork) = chain.links.fork {
            for tree in self.trees(&given, claim, pointer, (node, chain, fork)) {
                let Some(rest) = self.tries.checked_sub(1) else { return false };
                self.tries = rest;
                let mut with = given.clone();
                if self.plant(&mut with, (scope, pointer.node), chain, &tree).is_some()
                    && self.holds(with)
                {
                    return true;
                }
            }
            return false;
        }
        for list in self.lists(&given, claim, pointer, (node, chain)) {
            let Some(rest) = self.tries.checked_sub(1) else { return false };
            self.tries = rest;
            let mut with = given.clone();
            if self.give(&mut with, (scope, pointer.node), chain, &list).is_some()
                && self.holds(with)
            {
                return true;
            }
        }
        false
    }

    fn object(&self, pointer: Pointer) -> Option<Object> {
        let (_, offset, size) = self.view.target(pointer)?;
        let mask = if self.program.target.pointer_bits == 32 { 0xffff_ffff } else { u64::MAX };
        let address = pointer.address.wrapping_sub(offset as u64) & mask;
        let start = Pointer { address, ..pointer };
        let place = match self.view.place(start)?.object {
            Birth::Static(object) if self.program.objects[object].constant => Place::Constant,
            Birth::Static(_) => Place::Static,
            Birth::Made(edge, _) => match self.program.edges[edge].op {
                Op::Alloc { kind: AllocKind::Heap, .. } => Place::Heap,
                Op::Alloc { kind: AllocKind::Static, .. } => Place::Static,
                _ => Place::Stack,
            },
            Birth::Environment(_) => return None,
        };
        Some(Object { start, size: size as i64, place })
    }

    fn at(&self, start: Pointer, offset: i64) -> Pointer {
        Pointer { address: start.address.wrapping_add(offset as u64), ..start }
    }

    /// The scope in which there is one of what a chain owns.
    fn scope(&self, given: &Given, owner: Option<NodeId>, from: usize) -> Option<usize> {
        super::scope::scope(&given.scopes, owner, from)
    }

    /// The integers that are held there, of either sign; none where nothing was written.
    fn integers(&self, holder: Holder) -> Option<Vec<i128>> {
        match holder {
            Holder::Variable(Concrete::Pointer(p)) => Some(vec![i128::from(p.address)]),
            Holder::Variable(value) => Some(vec![value.as_int()?]),
            Holder::Bytes(at, size @ (1 | 2 | 4 | 8)) => {
                let bits = 8 * size as u8;
                let unsigned = self.view.scalar(at, Type::unsigned(bits))?.as_int()?;
                let signed = unsigned - (unsigned >> (bits - 1) << bits);
                Some(if signed == unsigned { vec![signed] } else { vec![unsigned, signed] })
            }
            Holder::Bytes(..) => None,
        }
    }

    fn pointer(&self, holder: Holder) -> Option<Pointer> {
        match holder {
            Holder::Variable(Concrete::Pointer(pointer)) => Some(pointer),
            Holder::Variable(_) => None,
            Holder::Bytes(at, size) => {
                let word = i64::from(self.program.target.pointer_bits) / 8;
                match self.view.scalar(at, Type::Pointer).filter(|_| size == word)? {
                    Concrete::Pointer(pointer) => Some(pointer),
                    _ => None,
                }
            }
        }
    }

    /// Shows a claim, or says what else has to be shown.
    fn claim(&self, given: &mut Given, claim: Claim) -> Option<()> {
        match claim.value {
            Value::Any => Some(()),
            Value::Known(n) => self.integers(claim.holder)?.contains(&n).then_some(()),
            Value::Number(id) => {
                let number = self.graph.numbers.get(&id)?;
                let scope = self.scope(given, number.owner, claim.scope)?;
                let Some(held) = self.integers(claim.holder) else {
                    let Holder::Bytes(_, size @ (1 | 2 | 4 | 8)) = claim.holder else {
                        return None;
                    };
                    let all = number.high - number.low >= (1 << (8 * size)) - 1;
                    return (all && !number.nonzero).then_some(());
                };
                let fits = |n: &i128| {
                    number.low <= *n && *n <= number.high && !(number.nonzero && *n == 0)
                };
                let known = given.numbers.entry((scope, id)).or_insert_with(|| held.clone());
                known.retain(|n| fits(n) && held.contains(n));
                (!known.is_empty()).then_some(())
            }
            Value::Address(address) => self.address(given, claim, address),
        }
    }

    fn address(&self, given: &mut Given, claim: Claim, to: Address) -> Option<()> {
        let node = self.graph.nodes.get(&to.node)?;
        let between = |start: Pointer, pointer: Pointer| {
            let offset = pointer.address.wrapping_sub(start.address) as i64;
            (pointer.provenance == start.provenance && to.low <= offset && offset <= to.high)
                .then_some(())
        };
        if to.end == End::Each {
            let scope = self.scope(given, Some(to.node), claim.scope)?;
            return between(given.scopes[scope - 1].1, self.pointer(claim.holder)?);
        }
        let scope = self.scope(given, node.owner, claim.scope)?;
        let Some(chain) = node.chain else {
            let pointer = self.pointer(claim.holder)?;
            if let Some(start) = given.regions.get(&(scope, to.node)) {
                return between(*start, pointer);
            }
            return self.region(given, (scope, to), node, pointer);
        };
        let Some(list) = given.lists.get(&(scope, to.node)) else {
            given.waiting.push(claim);
            return Some(());
        };
        match if to.end == End::First { list.first() } else { list.last() } {
            Some(element) => between(*element, self.pointer(claim.holder)?),
            None => {
                let link = match (to.end, chain.links.prev) {
                    (End::First, _) => node.get(chain.links.next, chain.links.word),
                    (_, Some(prev)) => node.get(prev, chain.links.word),
                    (_, None) => Value::Any,
                };
                let (low, high) = (to.low - chain.links.head, to.high - chain.links.head);
                let value = match link {
                    // Empty lists that lead to each other in a circle say nothing.
                    _ if claim.hops > self.graph.nodes.len() => Value::Any,
                    Value::Address(a) if a.node == to.node => Value::Any,
                    Value::Address(a) => {
                        Value::Address(Address { low: a.low + low, high: a.high + high, ..a })
                    }
                    Value::Known(n) if low == high => Value::Known(n + i128::from(low)),
                    _ => Value::Any,
                };
                given.claims.push(Claim { scope, value, hops: claim.hops + 1, ..claim });
                Some(())
            }
        }
    }

    /// Gives the object that a pointer leads to to a region.
    fn region(
        &self,
        given: &mut Given,
        (scope, to): (usize, Address),
        node: &Node,
        pointer: Pointer,
    ) -> Option<()> {
        if pointer.provenance == Provenance::NONE || !given.taken.insert(pointer.provenance) {
            return None;
        }
        if !node.alive {
            // Where it was is told by the first pointer to it, if that is exact.
            let start = self.at(pointer, -to.offset()?);
            given.regions.insert((scope, to.node), start);
            return self.view.target(pointer).is_none().then_some(());
        }
        let object = self.object(pointer)?;
        let offset = pointer.address.wrapping_sub(object.start.address) as i64;
        let fits = object.place == node.place
            && (node.size.0..=node.size.1).contains(&object.size)
            && (to.low..=to.high).contains(&offset);
        given.regions.insert((scope, to.node), object.start);
        given.heap += usize::from(node.place == Place::Heap);
        self.contents(given, scope, node, object, &[]);
        fits.then_some(())
    }

    /// All cells of an object but some.
    fn contents(
        &self,
        given: &mut Given,
        scope: usize,
        node: &Node,
        Object { start, size, .. }: Object,
        but: &[(i64, i64)],
    ) {
        let apart = |from: i64, to: i64| but.iter().all(|&(a, b)| to <= a || from >= b);
        for (&offset, cell) in node.cells.iter().filter(|(at, c)| apart(**at, **at + c.size)) {
            let holder = Holder::Bytes(self.at(start, offset), cell.size);
            given.claims.push(Claim { scope, value: cell.value, holder, hops: 0 });
        }
        for &(from, to) in &node.zeros {
            let mut at = from;
            while at < to.min(size).min(from + MOST_ZEROS) {
                let width = if at + 8 <= to.min(size) && apart(at, at + 8) { 8 } else { 1 };
                if apart(at, at + width) {
                    let holder = Holder::Bytes(self.at(start, at), width);
                    given.claims.push(Claim { scope, value: Value::Known(0), holder, hops: 0 });
                }
                at += width;
            }
        }
    }

    /// The lists that a chain may be, given what points to one of its ends; the longest first.
    fn lists(
        &self,
        given: &Given,
        claim: Claim,
        to: Address,
        (node, chain): (&Node, Chain),
    ) -> Vec<Vec<Pointer>> {
        let links = chain.links;
        let step = if to.end == End::First { Some(links.next) } else { links.prev };
        let mut elements: Vec<Pointer> = Vec::new();
        let mut next = self.pointer(claim.holder);
        while let Some(object) = next.and_then(|pointer| self.object(pointer)) {
            let fits = object.place == node.place
                && (node.size.0..=node.size.1).contains(&object.size)
                && !given.taken.contains(&object.start.provenance)
                && elements.iter().all(|e| e.provenance != object.start.provenance);
            if !fits {
                break;
            }
            elements.push(object.start);
            if links.are_nowhere() {
                break;
            }
            let link = step.map(|at| Holder::Bytes(self.at(object.start, at), links.word));
            next = link.and_then(|link| self.pointer(link));
        }
        let list = |length: usize| {
            let mut list = elements[..length].to_vec();
            if to.end != End::First {
                list.reverse();
            }
            list
        };
        (chain.least as usize..=elements.len()).rev().map(list).collect()
    }

    /// Gives a list to a chain.
    fn give(
        &self,
        given: &mut Given,
        (scope, id): (usize, NodeId),
        chain: Chain,
        list: &[Pointer],
    ) -> Option<()> {
        let node = &self.graph.nodes[&id];
        let links = chain.links;
        let ends: Vec<(i64, i64)> = links.places().map(|at| (at, at + links.word)).collect();
        for (i, &element) in list.iter().enumerate() {
            given.taken.insert(element.provenance);
            given.heap += usize::from(node.place == Place::Heap);
            given.scopes.push((id, element, scope));
            let inner = given.scopes.len();
            let object = self.object(element).filter(|_| node.alive)?;
            self.contents(given, inner, node, object, &ends);
            let next = Some(links.next).filter(|_| !links.are_nowhere());
            let neighbours = [(next, list.get(i + 1)), (links.prev, list[..i].last())];
            for (at, neighbour) in neighbours {
                let Some(at) = at else { continue };
                let holder = Holder::Bytes(self.at(element, at), links.word);
                match neighbour {
                    Some(other) if self.pointer(holder)? == self.at(*other, links.head) => {}
                    Some(_) => return None,
                    None => {
                        let value = node.get(at, links.word);
                        given.claims.push(Claim { scope, value, holder, hops: 0 });
                    }
                }
            }
        }
        given.lists.insert((scope, id), list.to_vec());
        Some(())
    }

    /// The trees that one may be, given what points to its root or to the element that holds the gap. The gap may be wherever null is, and at each
    /// element, which with all below it is not one of the tree then; the largest trees first.
    fn trees(
        &self,
        given: &Given,
        claim: Claim,
        to: Address,
        (node, chain, fork): (&Node, Chain, i64),
    ) -> Vec<Tree> {
        let links = chain.links;
        let element = |pointer: Pointer| {
            let object = self.object(pointer)?;
            let fits = object.place == node.place
                && (node.size.0..=node.size.1).contains(&object.size)
                && !given.taken.contains(&object.start.provenance);
            fits.then_some(object.start)
        };
        let held = |start: Pointer, at: i64| {
            self.pointer(Holder::Bytes(self.at(start, at), links.word)).and_then(element)
        };
        let pointed = self.pointer(claim.holder).and_then(element);
        let mut root = pointed;
        if let (End::Last, Some(prev), Some(mut top)) = (to.end, links.prev, pointed) {
            let mut seen = BTreeSet::new();
            while let Some(above) = held(top, prev).filter(|p| seen.insert(p.provenance)) {
                top = above;
            }
            root = Some(top);
        }
        let (elements, ends) = self.places(root, [links.next, fork], links.word, &held);
        let below = |top: usize, mut at: usize| loop {
            match elements[at].1 {
                _ if at == top => return true,
                Some((parent, _)) => at = parent,
                None => return false,
            }
        };
        let gaps = ends.iter().map(|&(parent, at, _)| (Some((parent, at)), None));
        let cuts = elements.iter().enumerate().map(|(cut, element)| (element.1, Some(cut)));
        let mut found = Vec::new();
        for (gap, cut) in gaps.chain(cuts) {
            let is_left = |at: usize| cut.is_none_or(|cut| !below(cut, at));
            let whole = |&(parent, at, null): &(usize, i64, bool)| {
                null || gap == Some((parent, at)) || !is_left(parent)
            };
            if !ends.iter().all(whole) {
                continue;
            }
            let kept = (0..elements.len()).filter(|&at| is_left(at));
            let kept: Vec<_> = kept.map(|at| (elements[at].0, elements[at].1)).collect();
            let gap = gap.map(|(parent, at)| (elements[parent].0, at));
            let above = |p: Option<(usize, i64)>| p.map(|(parent, at)| (elements[parent].0, at));
            let elements = kept.into_iter().map(|(start, p)| (start, above(p))).collect();
            found.push(Tree { elements, gap });
        }
        if elements.is_empty() {
            found.push(Tree::default());
        }
        found.retain(|tree| tree.elements.len() >= chain.least as usize);
        found.sort_by_key(|tree| std::cmp::Reverse(tree.elements.len()));
        // Where the gap holds null and nobody asks who holds it, each place will do.
        let asks =
            |value| matches!(value, Value::Address(a) if (a.node, a.end) == (to.node, End::Last));
        if node.get(links.next, links.word) == Value::Known(0) && !self.graph.values().any(asks) {
            found.truncate(1);
        }
        found
    }

    /// All elements of a tree from its root down, each with its parent and in which place of that it is; and the places where none is: of which element, and
    /// whether null is there.
    fn places(
        &self,
        root: Option<Pointer>,
        links: [i64; 2],
        word: i64,
        held: &dyn Fn(Pointer, i64) -> Option<Pointer>,
    ) -> (Vec<Element>, Vec<(usize, i64, bool)>) {
        let mut elements: Vec<Element> = Vec::new();
        elements.extend(root.map(|root| (root, None)));
        let mut ends: Vec<(usize, i64, bool)> = Vec::new();
        let mut next = 0;
        while next < elements.len() {
            let start = elements[next].0;
            for at in links {
                let is_new = |p: &Pointer| elements.iter().all(|e| e.0.provenance != p.provenance);
                match held(start, at).filter(is_new) {
                    Some(child) => elements.push((child, Some((next, at)))),
                    None => {
                        let holder = Holder::Bytes(self.at(start, at), word);
                        let null = self.integers(holder).is_some_and(|all| all.contains(&0));
                        ends.push((next, at, null));
                    }
                }
            }
            next += 1;
        }
        (elements, ends)
    }

    /// Gives a tree to one.
    fn plant(
        &self,
        given: &mut Given,
        (scope, id): (usize, NodeId),
        chain: Chain,
        tree: &Tree,
    ) -> Option<()> {
        let node = &self.graph.nodes[&id];
        let links = chain.links;
        let ends: Vec<(i64, i64)> = links.places().map(|at| (at, at + links.word)).collect();
        for &(element, parent) in &tree.elements {
            given.taken.insert(element.provenance);
            given.heap += usize::from(node.place == Place::Heap);
            given.scopes.push((id, element, scope));
            let inner = given.scopes.len();
            let object = self.object(element).filter(|_| node.alive)?;
            self.contents(given, inner, node, object, &ends);
            // Children are pointed to at the head; so is the parent.
            if let Some((parent, at)) = parent {
                let holder = Holder::Bytes(self.at(parent, at), links.word);
                (self.pointer(holder)? == self.at(element, links.head)).then_some(())?;
            }
            let Some(prev) = links.prev else { continue };
            let holder = Holder::Bytes(self.at(element, prev), links.word);
            match parent {
                Some((parent, _)) => {
                    (self.pointer(holder)? == self.at(parent, links.head)).then_some(())?;
                }
                None => {
                    let value = node.get(prev, links.word);
                    given.claims.push(Claim { scope, value, holder, hops: 0 });
                }
            }
        }
        // The ends are what pointers to the list are asked for.
        let mut list: Vec<Pointer> = tree.elements.first().map(|e| e.0).into_iter().collect();
        if let Some((parent, at)) = tree.gap {
            let holder = Holder::Bytes(self.at(parent, at), links.word);
            let value = node.get(links.next, links.word);
            given.claims.push(Claim { scope, value, holder, hops: 0 });
            list.push(parent);
        }
        given.lists.insert((scope, id), list);
        Some(())
    }

    /// Every live heap object has a node, and there is one for each node that nothing led to.
    fn is_complete(&self, given: &Given) -> bool {
        let (mut missing, mut more) = (0, self.graph.lost);
        let scopes = given.scopes.iter().enumerate().map(|(i, s)| (i + 1, Some(s.0)));
        for (scope, owner) in scopes.chain([(0, None)]) {
            for (&id, node) in self.graph.nodes.iter().filter(|(_, node)| node.owner == owner) {
                let known = given.regions.contains_key(&(scope, id))
                    || given.lists.contains_key(&(scope, id));
                if !known && node.alive && node.place == Place::Heap {
                    missing += node.chain.map_or(1, |chain| chain.least as usize);
                    more |= node.chain.is_some();
                }
            }
        }
        let live = self.view.heap_objects();
        if more { given.heap + missing <= live } else { given.heap + missing == live }
    }
}

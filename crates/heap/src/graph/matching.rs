//! Whether every state of one graph belongs to another.
//!
//! The objects of the small graph are given to those of the large one: variables and static objects that correspond
//! lead to nodes that do, and so on through the cells. A region is given to a region. A chain of the large graph gets a list of
//! regions and chains of the small one, as many as there are before one that cannot be its element, or fewer: the longest
//! list is tried first. What a chain owns is given once for each element: in a *scope* of its own.
//!
//! Required, each for what a graph [means](super):
//! - no node of the small graph is given away twice, and each of the large one gets what it needs;
//! - every live heap object of the small graph is given away, or the large one says that some may be lost;
//! - what there is once in the large graph is there once in the small one: its owner is that of its scope.
//!
//! A *loose* match lets numbers and lengths differ and says which: so the search finds out what
//! to change in a graph that is nearly large enough. Objects whose numbers have no value in common can be kept apart.

use super::trees::Tree;
use super::{Address, Chain, End, Graph, Links, Node, NodeId, NumberId, Place, Value, ZERO};
use bolide_cfa::VarId;
use std::collections::{BTreeMap, BTreeSet};

/// Whether every state of the small graph belongs to the large one.
pub fn includes(large: &Graph, small: &Graph) -> bool {
    let (loose, apart, tries) = (false, true, 100);
    Matching { large, small, loose, apart, tries }.run().is_some()
}

/// What keeps the large graph from having every state of the small one, where these are numbers and
/// lengths only. Those in objects keep these apart where they have no value in common, if that is wanted.
pub fn loosely(large: &Graph, small: &Graph, apart: bool) -> Option<Slack> {
    let (loose, tries) = (true, 60);
    Matching { large, small, loose, apart, tries }.run().map(|given| given.slack)
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// In a variable.
    Variable(VarId),
    /// In some bytes of a node.
    Cell(NodeId, i64, i64),
}

/// By how much a graph is too small.
#[derive(Clone, Debug, Default)]
pub struct Slack {
    /// Values of the other graph that are not allowed here; none: any.
    pub numbers: Vec<(Slot, Option<(i128, i128)>)>,
    /// Chains that are shorter there.
    pub lengths: Vec<(NodeId, u32)>,
    /// Bytes that are zero here only.
    pub zeros: Vec<(NodeId, i64, i64)>,
    /// Objects that are missing there: the pointer to which byte of them, its size, and what is in its place.
    pub optional: Vec<(NodeId, i64, i64, Value)>,
    /// Objects may be lost there.
    pub lost: bool,
}

/// One element of a chain of the large graph, or the whole of it.
#[derive(Clone, Copy)]
struct Scope {
    /// The chain of the large graph.
    chain: NodeId,
    /// What was given to it as one element.
    element: NodeId,
    parent: usize,
}

/// Two values that have to correspond.
#[derive(Clone, Copy)]
struct Pair {
    scope: usize,
    large: Value,
    small: Value,
    slot: Slot,
}

/// A pointer to an end of a chain, and what corresponds to it.
#[derive(Clone, Copy)]
struct Tip {
    /// In which the chain is.
    scope: usize,
    pointer: Address,
    small: Value,
    slot: Slot,
}

/// What a chain got.
#[derive(Clone, Copy)]
struct Given {
    /// The pointer to the first element, or to what lies behind.
    first: Value,
    /// The pointer to the last element, if there is one.
    last: Option<Value>,
}

/// Nodes of the small graph, one after the other.
struct List {
    /// The pointer to the first element, or to what lies behind.
    first: Value,
    elements: Vec<NodeId>,
    behind: Value,
}

#[derive(Clone, Default)]
struct State {
    regions: BTreeMap<(usize, NodeId), NodeId>,
    chains: BTreeMap<(usize, NodeId), Given>,
    numbers: BTreeMap<(usize, NumberId), Value>,
    used: BTreeSet<NodeId>,
    scopes: Vec<Scope>,
    open: Vec<Pair>,
    tips: Vec<Tip>,
    slack: Slack,
}

struct Matching<'g> {
    large: &'g Graph,
    small: &'g Graph,
    loose: bool,
    apart: bool,
    /// Attempts that are left.
    tries: u32,
}

impl Matching<'_> {
    fn run(&mut self) -> Option<State> {
        let mut state = State::default();
        if self.small.lost && !self.large.lost {
            if !self.loose {
                return None;
            }
            state.slack.lost = true;
        }
        for (&var, &large) in &self.large.variables {
            let small = self.small.variables.get(&var).copied().unwrap_or(Value::Any);
            state.open.push(Pair { scope: 0, large, small, slot: Slot::Variable(var) });
        }
        for (object, &large) in &self.large.statics {
            let start = |node| Value::Address(Address::at(node, End::First, 0));
            let small = start(*self.small.statics.get(object)?);
            let slot = Slot::Cell(large, 0, 0);
            state.open.push(Pair { scope: 0, large: start(large), small, slot });
        }
        self.solve(state)
    }

    fn solve(&mut self, mut state: State) -> Option<State> {
        loop {
            while let Some(pair) = state.open.pop() {
                self.pair(&mut state, pair)?;
            }
            let next = state.tips.iter().position(|tip| self.is_next(&state, tip));
            // Where only the end of a list is known, it is gone through backwards.
            let Some(at) = next.or_else(|| state.tips.len().checked_sub(1)) else { break };
            let tip = state.tips.swap_remove(at);
            match state.chains.get(&(tip.scope, tip.pointer.node)).copied() {
                Some(given) => self.tip(&mut state, tip, given)?,
                None => return self.chain(state, tip),
            }
        }
        self.is_complete(&state).then_some(state)
    }

    /// Pointers to the last element wait for one to the first.
    fn is_next(&self, state: &State, tip: &Tip) -> bool {
        let known = state.chains.contains_key(&(tip.scope, tip.pointer.node));
        known || tip.pointer.end == End::First
    }

    /// The scope in which there is one of what this chain owns, seen from another scope.
    fn scope_of(&self, state: &State, owner: Option<NodeId>, mut from: usize) -> Option<usize> {
        let Some(owner) = owner else { return Some(0) };
        while from > 0 {
            let scope = state.scopes[from - 1];
            if scope.chain == owner {
                return Some(from);
            }
            from = scope.parent;
        }
        None
    }

    /// Who owns, in the small graph, what there is once in a scope.
    fn owner_in(&self, state: &State, scope: usize) -> Option<NodeId> {
        let element = state.scopes.get(scope.checked_sub(1)?)?.element;
        let node = &self.small.nodes[&element];
        if node.chain.is_some() { Some(element) } else { node.owner }
    }

    fn pair(&mut self, state: &mut State, pair: Pair) -> Option<()> {
        match pair.large {
            Value::Any => Some(()),
            Value::Known(n) => match pair.small {
                Value::Known(m) if n == m => Some(()),
                _ => self.differ(state, pair),
            },
            Value::Number(id) => self.number(state, id, pair),
            Value::Address(large) => self.address(state, large, pair),
        }
    }

    /// Numbers that differ.
    fn differ(&self, state: &mut State, pair: Pair) -> Option<()> {
        let bounds = match pair.small {
            Value::Address(_) => return None,
            value => self.small.bounds(value),
        };
        let own = self.large.bounds(pair.large);
        let distinct = own.zip(bounds).is_some_and(|((a, b), (c, d))| b < c || d < a);
        if self.apart && distinct && matches!(pair.slot, Slot::Cell(..)) {
            return None;
        }
        self.loose.then(|| state.slack.numbers.push((pair.slot, bounds)))
    }

    fn number(&self, state: &mut State, id: NumberId, pair: Pair) -> Option<()> {
        let large = self.large.numbers.get(&id)?;
        let scope = self.scope_of(state, large.owner, pair.scope)?;
        let Some((low, high)) = self.small.bounds(pair.small) else {
            return self.differ(state, pair);
        };
        let (nonzero, owner) = match pair.small {
            Value::Number(small) => {
                let number = &self.small.numbers[&small];
                (number.nonzero || low > 0 || high < 0, number.owner)
            }
            _ => (low != 0, None),
        };
        let fits = large.low <= low && high <= large.high && (nonzero || !large.nonzero);
        // Required: one number for many elements is not one of each.
        let is_one = owner.is_none() || owner == self.owner_in(state, scope);
        let known = *state.numbers.entry((scope, id)).or_insert(pair.small);
        if fits && is_one && known == pair.small { Some(()) } else { self.differ(state, pair) }
    }

    fn address(&mut self, state: &mut State, large: Address, pair: Pair) -> Option<()> {
        let node = self.large.nodes.get(&large.node)?;
        if large.end == End::Each {
            let scope = self.scope_of(state, Some(large.node), pair.scope)?;
            let element = state.scopes[scope - 1].element;
            let chain = self.small.nodes[&element].chain.is_some();
            let end = if chain { End::Each } else { End::First };
            let wanted = Value::Address(Address { node: element, end, ..large });
            return (wanted == pair.small).then_some(());
        }
        let scope = self.scope_of(state, node.owner, pair.scope)?;
        if node.chain.is_some() {
            let Pair { small, slot, .. } = pair;
            state.tips.push(Tip { scope, pointer: large, small, slot });
            return Some(());
        }
        if self.is_missing(state, large, scope, pair) {
            return Some(());
        }
        let Value::Address(small) = pair.small else { return None };
        let other = self.small.nodes.get(&small.node)?;
        let inside = large.low <= small.low && small.high <= large.high;
        if !inside || other.chain.is_some() || small.end != End::First {
            return None;
        }
        match state.regions.get(&(scope, large.node)) {
            Some(known) => (*known == small.node).then_some(()),
            None => {
                state.regions.insert((scope, large.node), small.node);
                let same = node.place == other.place && node.alive == other.alive;
                let fits = node.size.0 <= other.size.0 && other.size.1 <= node.size.1;
                self.take(state, small.node, scope)?;
                self.contents(state, (large.node, node), other, scope, &[])?;
                (same && fits).then_some(())
            }
        }
    }

    /// In a loose match, what an element owns may be missing: null is in its place, or the element itself.
    fn is_missing(&self, state: &mut State, large: Address, scope: usize, pair: Pair) -> bool {
        let Some(owner) = self.large.nodes[&large.node].owner.filter(|_| self.loose) else {
            return false;
        };
        let (Slot::Cell(_, _, word), Some(head)) = (pair.slot, large.offset()) else {
            return false;
        };
        let instead = match pair.small {
            ZERO => ZERO,
            Value::Address(a) if a.node == state.scopes[scope - 1].element => {
                Value::Address(Address { node: owner, end: End::Each, ..a })
            }
            _ => return false,
        };
        let found = !state.regions.contains_key(&(scope, large.node));
        if found {
            state.slack.optional.push((large.node, head, word, instead));
        }
        found
    }

    /// Gives a node of the small graph away.
    fn take(&self, state: &mut State, small: NodeId, scope: usize) -> Option<()> {
        let owner = self.small.nodes[&small].owner;
        (owner == self.owner_in(state, scope) && state.used.insert(small)).then_some(())
    }

    /// Cells correspond, but for links.
    fn contents(
        &self,
        state: &mut State,
        (id, large): (NodeId, &Node),
        small: &Node,
        scope: usize,
        links: &[i64],
    ) -> Option<()> {
        for (&offset, cell) in large.cells.iter().filter(|(at, _)| !links.contains(at)) {
            let slot = Slot::Cell(id, offset, cell.size);
            let held = small.get(offset, cell.size);
            state.open.push(Pair { scope, large: cell.value, small: held, slot });
        }
        for &(from, to) in &large.zeros {
            let mut left = vec![(from, to)];
            let mut cut = |a: i64, b: i64| {
                let rest = left.iter().flat_map(|&(x, y)| [(x, y.min(a)), (x.max(b), y)]);
                left = rest.filter(|(x, y)| x < y).collect();
            };
            small.zeros.iter().for_each(|&(a, b)| cut(a, b));
            for (&offset, cell) in &small.cells {
                if offset >= from && offset + cell.size <= to {
                    cut(offset, offset + cell.size);
                    let slot = Slot::Cell(id, offset, cell.size);
                    state.open.push(Pair { scope, large: ZERO, small: cell.value, slot });
                }
            }
            if !left.is_empty() && !self.loose {
                return None;
            }
            state.slack.zeros.extend(left.into_iter().map(|(a, b)| (id, a, b)));
        }
        Some(())
    }

    /// A pointer to an end of a chain that is known.
    fn tip(&self, state: &mut State, tip: Tip, given: Given) -> Option<()> {
        let chain = self.large.nodes[&tip.pointer.node].chain?;
        let target = match tip.pointer.end {
            End::First => Some(given.first),
            _ => given.last,
        };
        match target {
            Some(target) => {
                let wanted = shifted(target, tip.pointer, chain.links.head)?;
                (wanted == tip.small).then_some(())
            }
            // The chain is empty: it points to what lies before.
            None => {
                let node = &self.large.nodes[&tip.pointer.node];
                let before = node.get(chain.links.prev?, chain.links.word);
                let large = shifted(before, tip.pointer, chain.links.head)?;
                let Tip { scope, small, slot, .. } = tip;
                state.open.push(Pair { scope, large, small, slot });
                Some(())
            }
        }
    }

    /// Tries the lists that a chain may get.
    fn chain(&mut self, state: State, tip: Tip) -> Option<State> {
        let node = &self.large.nodes[&tip.pointer.node];
        let links = node.chain?.links;
        if links.fork.is_some() {
            return self.tree(&state, tip, links);
        }
        let end = node.get(links.next, links.word);
        let differ =
            |other: Value| matches!(other, Value::Address(_)) != matches!(end, Value::Address(_));
        for list in self.lists(&state, tip)? {
            let known = end != Value::Any && !links.are_nowhere();
            if known && differ(list.behind) && !self.may_be_empty(end) {
                continue;
            }
            self.tries = self.tries.checked_sub(1)?;
            if let Some(next) = self.give(state.clone(), tip, &list)
                && let Some(found) = self.solve(next)
            {
                return Some(found);
            }
        }
        None
    }

    /// Tries the trees that one may get.
    fn tree(&mut self, state: &State, tip: Tip, links: Links) -> Option<State> {
        let start = before_head(tip.small, tip.pointer, links)?;
        let node = &self.large.nodes[&tip.pointer.node];
        let owner = self.owner_in(state, tip.scope);
        let is_wanted = |id: NodeId, other: &Node| {
            is_alike(node, other) && other.owner == owner && !state.used.contains(&id)
        };
        // Who holds the gap, where a pointer to it tells.
        let here = |other: &Tip| (other.scope, other.pointer.node) == (tip.scope, tip.pointer.node);
        let mut tips = [&tip].into_iter().chain(&state.tips);
        let last = tips.find(|other| here(other) && other.pointer.end == End::Last);
        let holder = last.and_then(|last| before_head(last.small, last.pointer, links));
        let root = match tip.pointer.end {
            End::First => Some(start),
            _ => Tree::root_above(self.small, links, start, is_wanted),
        };
        let all = |root| Tree::all(self.small, links, root, holder, is_wanted);
        let trees = root.map(all).unwrap_or_default();
        // Nothing but a pointer, or what an empty chain leads to, is in the place of an element.
        let leads_on = matches!(node.get(links.next, links.word), Value::Address(_) | Value::Any);
        let count = if leads_on { trees.len() } else { 1 };
        let least = usize::from(tip.pointer.end == End::Last);
        for tree in trees.iter().take(count).filter(|tree| tree.members.len() >= least) {
            self.tries = self.tries.checked_sub(1)?;
            if let Some(next) = self.plant(state.clone(), tip, tree)
                && let Some(found) = self.solve(next)
            {
                return Some(found);
            }
        }
        None
    }

    /// Gives a tree to one.
    fn plant(&self, mut state: State, tip: Tip, tree: &Tree) -> Option<State> {
        let (id, scope) = (tip.pointer.node, tip.scope);
        let node = &self.large.nodes[&id];
        let Chain { least, links } = node.chain?;
        let count = |id: &NodeId| self.small.nodes[id].chain.map_or(1, |chain| chain.least);
        let length: u32 = tree.members.iter().map(|(member, _)| count(member)).sum();
        if length < least {
            self.loose.then(|| state.slack.lengths.push((id, length)))?;
        }
        let places: Vec<i64> = links.places().collect();
        for &(member, parent) in &tree.members {
            let other = &self.small.nodes[&member];
            self.take(&mut state, member, scope)?;
            if let Some(prev) = links.prev {
                let held = other.get(prev, links.word);
                match parent {
                    Some(parent) if parent == held => {}
                    Some(_) => return None,
                    None => {
                        let slot = Slot::Cell(id, prev, links.word);
                        let large = node.get(prev, links.word);
                        state.open.push(Pair { scope, large, small: held, slot });
                    }
                }
            }
            state.scopes.push(Scope { chain: id, element: member, parent: scope });
            let inner = state.scopes.len();
            self.contents(&mut state, (id, node), other, inner, &places)?;
        }
        let slot = Slot::Cell(id, links.next, links.word);
        let large = node.get(links.next, links.word);
        state.open.push(Pair { scope, large, small: tree.gap, slot });
        // Required: as for lists, a pointer to the holder of an empty tree is one to its parent, if there is a link to that.
        let certain = |holder: &Value| match holder {
            Value::Address(to) => {
                let chain = self.small.nodes[&to.node].chain;
                links.prev.is_some() || chain.is_none_or(|chain| chain.least > 0)
            }
            _ => false,
        };
        let given = Given { first: tree.root, last: tree.holder.filter(certain) };
        state.chains.insert((scope, id), given);
        self.tip(&mut state, tip, given)?;
        Some(state)
    }

    /// The lists that begin, or end, where a pointer to that end of a chain corresponds to one; the longest first.
    fn lists(&self, state: &State, tip: Tip) -> Option<Vec<List>> {
        let node = &self.large.nodes[&tip.pointer.node];
        let links = node.chain?.links;
        let forward = tip.pointer.end == End::First;
        let on = if forward { links.next } else { links.prev? };
        let start = before_head(tip.small, tip.pointer, links)?;
        let owner = self.owner_in(state, tip.scope);
        // Elements, and what lies after so many of them.
        let (mut elements, mut after) = (Vec::new(), vec![start]);
        while let Some(&Value::Address(address)) = after.last() {
            let Some(next) = self.small.nodes.get(&address.node) else { break };
            let side = if is_many(next) && !forward { End::Last } else { End::First };
            let alike = is_alike(node, next)
                && next.owner == owner
                && next.chain.is_none_or(|other| other.links == links || is_short(next, links))
                && (address.end, address.offset()) == (side, Some(links.head))
                && !state.used.contains(&address.node)
                && !elements.contains(&address.node);
            if !alike {
                break;
            }
            elements.push(address.node);
            after.push(next.get(on, links.word));
            if links.are_nowhere() {
                break;
            }
        }
        let list = |length: usize| {
            let mut elements = elements[..length].to_vec();
            if forward {
                return Some(List { first: start, elements, behind: after[length] });
            }
            elements.reverse();
            let first = Value::Address(Address::at(*elements.first()?, End::First, links.head));
            let behind = self.small.nodes[elements.last()?].get(links.next, links.word);
            Some(List { first, elements, behind })
        };
        Some((0..=elements.len()).rev().filter_map(list).collect())
    }

    /// Whether a pointer is to an end of a chain that may be empty: then it may be any value.
    fn may_be_empty(&self, value: Value) -> bool {
        let Value::Address(address) = value else { return false };
        let chain = self.large.nodes.get(&address.node).and_then(|node| node.chain);
        chain.is_some_and(|chain| chain.least == 0 || self.loose)
    }

    /// Gives a list to a chain.
    fn give(
        &mut self,
        mut state: State,
        tip: Tip,
        List { first, elements, behind }: &List,
    ) -> Option<State> {
        let (first, behind) = (*first, *behind);
        let (id, scope) = (tip.pointer.node, tip.scope);
        let (large, small) = (self.large, self.small);
        let node = &large.nodes[&id];
        let chain = node.chain?;
        let links = chain.links;
        let length: u32 = elements
            .iter()
            .map(|element| small.nodes[element].chain.map_or(1, |chain| chain.least))
            .sum();
        if length < chain.least {
            if !self.loose {
                return None;
            }
            state.slack.lengths.push((id, length));
        }
        for two in elements.windows(2) {
            let to = Value::Address(Address::at(two[1], End::First, links.head));
            if small.nodes[&two[0]].get(links.next, links.word) != to {
                return None;
            }
        }
        let (mut last, mut open_end) = (None, false);
        for &element in elements {
            let other = &small.nodes[&element];
            self.take(&mut state, element, scope)?;
            if let Some(prev) = links.prev {
                let held = other.get(prev, links.word);
                match last {
                    Some(before) if before == held => {}
                    Some(_) => return None,
                    None => {
                        let before = node.get(prev, links.word);
                        let slot = Slot::Cell(id, prev, links.word);
                        state.open.push(Pair { scope, large: before, small: held, slot });
                    }
                }
            }
            state.scopes.push(Scope { chain: id, element, parent: scope });
            let inner = state.scopes.len();
            let ends = [Some(links.next), links.prev];
            let ends: Vec<i64> = ends.into_iter().flatten().collect();
            self.contents(&mut state, (id, node), other, inner, &ends)?;
            let end = if is_many(other) { End::Last } else { End::First };
            last = Some(Value::Address(Address::at(element, end, links.head)));
            // Required: what points to the end of an empty list that is linked one way may be anything.
            open_end = links.prev.is_none() && other.chain.is_some_and(|chain| chain.least == 0);
        }
        // What is there for certain has nothing in its place.
        let certain = |element: &NodeId| small.nodes[element].chain.is_none();
        if !links.are_nowhere() || !elements.iter().any(certain) {
            let large = node.get(links.next, links.word);
            let slot = Slot::Cell(id, links.next, links.word);
            state.open.push(Pair { scope, large, small: behind, slot });
        }
        let last = last.filter(|_| !open_end);
        state.chains.insert((scope, id), Given { first, last });
        self.tip(&mut state, tip, Given { first, last })?;
        Some(state)
    }

    /// Every node of the large graph got something, and every object of the small one was given away.
    fn is_complete(&self, state: &State) -> bool {
        let got = |scope: usize, id: NodeId| {
            state.regions.contains_key(&(scope, id)) || state.chains.contains_key(&(scope, id))
        };
        let top = self.large.nodes.iter().filter(|(_, node)| node.owner.is_none());
        let all = top.map(|(id, _)| (0, *id)).chain(state.scopes.iter().enumerate().flat_map(
            |(number, scope)| {
                let of = self.large.nodes.iter();
                of.filter(|(_, node)| node.owner == Some(scope.chain))
                    .map(move |(id, _)| (number + 1, *id))
            },
        ));
        let in_use = |node: &Node| node.alive && node.place == Place::Heap;
        let covered = |(id, node): (&NodeId, &Node)| !in_use(node) || state.used.contains(id);
        // What only missing objects lead to is missing too; loosely, that is not looked at.
        (!state.slack.optional.is_empty() || all.into_iter().all(|(scope, id)| got(scope, id)))
            && (self.large.lost || self.small.nodes.iter().all(covered))
    }
}

/// Whether objects of the one may be objects of the other.
fn is_alike(large: &Node, small: &Node) -> bool {
    (large.alive && small.alive) && large.place == small.place && large.size == small.size
}

/// The pointer to the head of an element, given what corresponds to a pointer into it.
fn before_head(small: Value, pointer: Address, links: Links) -> Option<Value> {
    let back = i128::from(links.head) - i128::from(pointer.offset()?);
    match small {
        Value::Address(address) => address.moved(back, back).map(Value::Address),
        value => (back == 0).then_some(value),
    }
}

/// Whether it is a list that may have more than one element.
fn is_many(node: &Node) -> bool {
    node.chain.is_some_and(|chain| !chain.links.are_nowhere())
}

/// Whether an optional object is a list of at most one element: it leads to what is in its place where it is missing.
fn is_short(node: &Node, links: Links) -> bool {
    let Some(own) = node.chain.map(|chain| chain.links).filter(Links::are_nowhere) else {
        return false;
    };
    let instead = node.get(own.next, own.word);
    let leads = |at: i64| node.get(at, links.word) == instead;
    (own.head, own.word) == (links.head, links.word)
        && instead != Value::Any
        && leads(links.next)
        && links.prev.is_none_or(leads)
}

/// What a pointer to an end of a chain is, given the pointer to the head there.
fn shifted(head: Value, pointer: Address, at: i64) -> Option<Value> {
    let (low, high) = (i128::from(pointer.low - at), i128::from(pointer.high - at));
    match head {
        Value::Address(address) => address.moved(low, high).map(Value::Address),
        value if low == 0 && high == 0 => Some(value),
        _ => None,
    }
}

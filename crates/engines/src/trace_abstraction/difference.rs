//! The difference: the program automaton without what the interpolant automata accept.
//!
//! A node is a cut point together with one set of states of each automaton: what
//! the deterministic views of all automata know after some trace to that
//! point. Only what is reachable is built. A node is *covered* by an earlier
//! one of the same place in which every automaton knows at most as much: what the automata exclude
//! after the one they exclude after the other, so no error trace is lost. The
//! node that waits with the shortest trace goes first.
//!
//! The difference is kept when an automaton is added. Its view is run along the tree of nodes
//! ([`Difference::nodes_to_extend`], in the order of creation: parents first),
//! nodes whose trace it accepts are removed with all below them, and
//! coverings that no longer hold are given up.
//!
//! With calls, a node also has a *context*: one function entered with one
//! tuple of sets. The exits of a context serve all its callers (summary edges
//! of nested words), whose sets at the entry know at least as much. One of
//! them, which is older than the context, is where the trace to the entry
//! comes from; a new automaton's view enters with it.
//! A caller that this leaves with less than the context assumes has to look
//! for another one, and loses the returns that it had from this
//! ([`Difference::detach`]). When the caller that the trace came from goes, another
//! one takes its place if it is older than the context; otherwise the context goes
//! too, and its callers call again ([`Difference::take_orphans`]). Everything a node
//! follows from (parent, call, exit) is older than it, which is why the order of
//! creation serves for nested words as well.

use super::alphabet::LetterId;
use super::automaton::MacroId;
use bolide_base::{Arena, HashMap, define_id};
use bolide_cfa::{FunctionId, LocId};
use bolide_reachability::block::Transition;
use bolide_reachability::calls::CallSite;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

define_id!(
    /// A node of the difference; smaller ids were made earlier.
    pub struct NodeId
);
define_id!(
    /// A function entered with a tuple of sets.
    pub struct ContextId
);

/// How a node is reached.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// It is where the program starts.
    Start,
    /// Through a block.
    Block(NodeId, Rc<Transition>, LetterId),
    /// By entering a function.
    Call(NodeId, Rc<CallSite>),
    /// By returning: the node of the call, the call, the callee's exit.
    Return(NodeId, Rc<CallSite>, NodeId),
}

/// A node.
#[derive(Debug)]
pub struct Node {
    /// Where.
    pub location: LocId,
    /// In which context.
    pub context: ContextId,
    /// What each automaton knows.
    pub sets: Vec<MacroId>,
    /// How it is reached.
    pub arrival: Arrival,
    /// Letters of the trace to it.
    pub length: u32,
    children: Vec<NodeId>,
    /// Of an exit: the nodes after the returns from it, one for each caller.
    returned: Vec<NodeId>,
    /// The contexts that it calls into.
    entered: Vec<ContextId>,
    covered_by: Option<NodeId>,
    covers: Vec<NodeId>,
    removed: bool,
}

/// A function entered with a tuple of sets.
#[derive(Debug)]
pub struct Context {
    /// The function.
    pub function: FunctionId,
    /// What each automaton knows at its entry.
    pub entry: Vec<MacroId>,
    /// Letters of the trace to its entry.
    pub length: u32,
    /// The node of its entry. None for a context that is gone.
    pub root: Option<NodeId>,
    /// Nodes that call into it, in the order in which they did.
    pub callers: Vec<(NodeId, Rc<CallSite>)>,
    /// Its exit nodes.
    pub exits: Vec<NodeId>,
}

/// A node of a trace, with the innermost call around it that returns in the trace.
pub type TraceNode = (NodeId, Option<Rc<CallSite>>);

/// The reachable part of the difference.
#[derive(Default)]
pub struct Difference {
    nodes: Arena<NodeId, Node>,
    /// Contexts.
    pub contexts: Arena<ContextId, Context>,
    at: HashMap<(ContextId, LocId), Vec<NodeId>>,
    waiting: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// Callers whose context is gone.
    orphans: Vec<(NodeId, Rc<CallSite>)>,
    live: usize,
}

impl Difference {
    /// Adds a node and lets it wait.
    pub fn add(
        &mut self,
        location: LocId,
        context: ContextId,
        sets: Vec<MacroId>,
        arrival: Arrival,
    ) -> NodeId {
        let mut exit_of = None;
        let (parent, length) = match &arrival {
            Arrival::Start => (None, 0),
            Arrival::Block(from, ..) => (Some(*from), self.nodes[*from].length + 1),
            Arrival::Call(from, _) => (None, self.nodes[*from].length + 1),
            Arrival::Return(from, _, exit) => {
                exit_of = Some(*exit);
                let inside = self.nodes[*exit].length
                    - self.contexts[self.nodes[*exit].context].length.min(self.nodes[*exit].length);
                (Some(*from), self.nodes[*from].length + inside + 2)
            }
        };
        let id = self.nodes.push(Node {
            location,
            context,
            sets,
            arrival,
            length,
            children: Vec::new(),
            returned: Vec::new(),
            entered: Vec::new(),
            covered_by: None,
            covers: Vec::new(),
            removed: false,
        });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(id);
        }
        if let Some(exit) = exit_of {
            self.nodes[exit].returned.push(id);
        }
        self.at.entry((context, location)).or_default().push(id);
        self.waiting.push(Reverse((length, id)));
        self.live += 1;
        id
    }

    /// The next node to look at.
    pub fn next(&mut self) -> Option<NodeId> {
        while let Some(Reverse((_, id))) = self.waiting.pop() {
            if self.is_open(id) {
                return Some(id);
            }
        }
        None
    }

    /// Lets a node wait again.
    pub fn wait(&mut self, id: NodeId) {
        self.waiting.push(Reverse((self.nodes[id].length, id)));
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// How many nodes there are, removed ones not counted.
    pub fn len(&self) -> usize {
        self.live
    }

    /// How many nodes were ever made.
    pub fn made(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes that were not removed, in the order of their creation.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().filter(|(_, node)| !node.removed)
    }

    /// Whether the node is neither removed nor covered.
    pub fn is_open(&self, id: NodeId) -> bool {
        !self.nodes[id].removed && self.nodes[id].covered_by.is_none()
    }

    /// Whether the node was removed.
    pub fn is_removed(&self, id: NodeId) -> bool {
        self.nodes[id].removed
    }

    /// Uncovered nodes of the same place that were made before.
    pub fn earlier(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let node = &self.nodes[id];
        let all = &self.at[&(node.context, node.location)];
        all.iter().copied().filter(move |&n| n < id && self.is_open(n))
    }

    /// Records that `by` stands for `node`, which must be a leaf.
    pub fn cover(&mut self, node: NodeId, by: NodeId) {
        self.nodes[node].covered_by = Some(by);
        self.nodes[by].covers.push(node);
    }

    /// By which node a node is covered.
    pub fn coverer(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].covered_by
    }

    /// Gives up the covering of a node; it waits again.
    pub fn uncover(&mut self, node: NodeId) {
        if let Some(by) = self.nodes[node].covered_by.take() {
            self.nodes[by].covers.retain(|&c| c != node);
            self.wait(node);
        }
    }

    /// Nodes that a new automaton's view is run along, parents first.
    pub fn nodes_to_extend(&self) -> Vec<NodeId> {
        self.nodes().map(|(id, _)| id).collect()
    }

    /// Adds what a new automaton knows at a node.
    pub fn extend(&mut self, node: NodeId, set: MacroId) {
        self.nodes[node].sets.push(set);
        let context = &mut self.contexts[self.nodes[node].context];
        if context.root == Some(node) {
            context.entry.push(set);
        }
    }

    /// Makes a context with the node of its entry.
    pub fn open(
        &mut self,
        function: FunctionId,
        entry: LocId,
        sets: Vec<MacroId>,
        arrival: Arrival,
    ) -> ContextId {
        let length = match &arrival {
            Arrival::Call(from, _) => self.nodes[*from].length + 1,
            _ => 0,
        };
        let context = Context {
            function,
            entry: sets.clone(),
            length,
            root: None,
            callers: Vec::new(),
            exits: Vec::new(),
        };
        let context = self.contexts.push(context);
        let root = self.add(entry, context, sets, arrival);
        self.contexts[context].root = Some(root);
        context
    }

    /// Contexts of a function that are not gone.
    pub fn contexts_of(&self, function: FunctionId) -> impl Iterator<Item = ContextId> {
        let is_meant =
            move |(_, c): &(ContextId, &Context)| c.function == function && c.root.is_some();
        self.contexts.iter().filter(is_meant).map(|(id, _)| id)
    }

    /// Lets a node call into a context.
    pub fn attach(&mut self, caller: NodeId, site: &Rc<CallSite>, context: ContextId) {
        self.contexts[context].callers.push((caller, site.clone()));
        self.nodes[caller].entered.push(context);
    }

    /// Takes a call back, with all that followed from returns.
    pub fn detach(&mut self, caller: NodeId, site: &Rc<CallSite>, context: ContextId) {
        let is_meant = |c: &(NodeId, Rc<CallSite>)| c.0 == caller && c.1.edge == site.edge;
        self.contexts[context].callers.retain(|c| !is_meant(c));
        if let Some(at) = self.nodes[caller].entered.iter().position(|&c| c == context) {
            self.nodes[caller].entered.remove(at);
        }
        let mut gone: Vec<NodeId> = self.nodes[caller].children.clone();
        gone.retain(|&child| match &self.nodes[child].arrival {
            Arrival::Return(_, s, exit) => {
                s.edge == site.edge && self.nodes[*exit].context == context
            }
            _ => false,
        });
        gone.extend(self.without_root(context, caller));
        self.remove(gone);
    }

    /// Removes a node and all that follows from it. What they covered waits again.
    pub fn remove_subtree(&mut self, root: NodeId) {
        self.remove(vec![root]);
    }

    /// Calls that lead nowhere since their context is gone.
    pub fn take_orphans(&mut self) -> Vec<(NodeId, Rc<CallSite>)> {
        let mut orphans = std::mem::take(&mut self.orphans);
        orphans.retain(|(caller, _)| !self.nodes[*caller].removed);
        orphans
    }

    fn remove(&mut self, mut pending: Vec<NodeId>) {
        let mut uncovered = Vec::new();
        while let Some(id) = pending.pop() {
            if self.nodes[id].removed {
                continue;
            }
            self.nodes[id].removed = true;
            self.live -= 1;
            pending.append(&mut self.nodes[id].children);
            pending.append(&mut self.nodes[id].returned);
            uncovered.append(&mut self.nodes[id].covers);
            if let Some(by) = self.nodes[id].covered_by.take() {
                self.nodes[by].covers.retain(|&c| c != id);
            }
            let place = (self.nodes[id].context, self.nodes[id].location);
            if let Some(list) = self.at.get_mut(&place) {
                list.retain(|&n| n != id);
            }
            match self.nodes[id].arrival {
                Arrival::Block(parent, ..) => self.nodes[parent].children.retain(|&c| c != id),
                Arrival::Return(parent, _, exit) => {
                    self.nodes[parent].children.retain(|&c| c != id);
                    self.nodes[exit].returned.retain(|&c| c != id);
                }
                Arrival::Start | Arrival::Call(..) => {}
            }
            let context = &mut self.contexts[place.0];
            context.exits.retain(|&exit| exit != id);
            if context.root == Some(id) {
                context.root = None;
                self.orphans.append(&mut context.callers);
            }
            for context in std::mem::take(&mut self.nodes[id].entered) {
                self.contexts[context].callers.retain(|c| c.0 != id);
                pending.extend(self.without_root(context, id));
            }
        }
        for id in uncovered {
            self.nodes[id].covered_by = None;
            if !self.nodes[id].removed {
                self.wait(id);
            }
        }
    }

    /// A caller no longer calls into a context. If the trace to its entry came from
    /// there, it now comes from another caller; without one the entry, which
    /// is given, has to go.
    fn without_root(&mut self, context: ContextId, caller: NodeId) -> Option<NodeId> {
        let root = self.contexts[context].root?;
        match self.nodes[root].arrival {
            Arrival::Call(from, _) if from == caller => {}
            _ => return None,
        }
        let mut callers = self.contexts[context].callers.iter();
        // Required: traces are followed backwards to older nodes only.
        match callers.find(|(other, _)| *other < root && !self.nodes[*other].removed) {
            Some((other, site)) => {
                self.nodes[root].arrival = Arrival::Call(*other, site.clone());
                None
            }
            None => Some(root),
        }
    }

    /// The nodes through which a trace comes to `target`, from the start on,
    /// each with the innermost call around it that returns before the trace
    /// ends: at the entry of a context that is the call by which it is entered. None when
    /// there are more than `limit`: a trace may be exponentially longer than
    /// the difference is large.
    pub fn trace_to(&self, target: NodeId, limit: usize) -> Option<Vec<TraceNode>> {
        let mut trace = Vec::new();
        // Callers to go on with once the entry of a callee that returned is met.
        let mut callers: Vec<(NodeId, Rc<CallSite>)> = Vec::new();
        let mut at = target;
        loop {
            if trace.len() >= limit {
                return None;
            }
            trace.push((at, callers.last().map(|(_, site)| site.clone())));
            at = match &self.nodes[at].arrival {
                Arrival::Start => match callers.pop() {
                    None => break,
                    Some((caller, _)) => caller,
                },
                Arrival::Block(from, ..) => *from,
                Arrival::Call(from, _) => callers.pop().map_or(*from, |(caller, _)| caller),
                Arrival::Return(from, site, exit) => {
                    callers.push((*from, site.clone()));
                    *exit
                }
            };
        }
        trace.reverse();
        Some(trace)
    }
}

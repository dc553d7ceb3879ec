//! The abstract reachability graph: what `impact`, `predicate` and `trace` explore.
//!
//! A node is a cut point with a *label*: a formula, an abstract state, or what some automata
//! know. The graph does not look into labels; it knows how nodes are reached, which
//! of them stand for others, and which are still to be looked at. The papers call it an
//! unwinding ("Lazy abstraction with interpolants", Definition 1), an abstract
//! reachability tree, or the reachable part of a product of automata.
//!
//! *Covering.* An arc from a node to an earlier one of the same place says that the latter
//! stands for the former: whatever can be run from the one can be run from the other. Nothing below a covered
//! node counts, and no covered node covers. A node whose label is `false` is
//! [dead](Graph::kill) and counts as covered. When a node is strengthened, covered or removed, those that it covered
//! wait again.
//!
//! *Contexts.* A node lies in a context: one function entered with one label. The exits
//! of a context serve all its callers (summary edges; the nodes after the returns follow from
//! the call and the exit together). The run to its entry comes from one of them, which is older
//! than the entry; when that caller goes, another older one takes its place, otherwise the context
//! goes too and its callers have to call again ([`Graph::take_orphans`]). Everything that a node
//! follows from (parent, call, exit) is older than it, so that the order of
//! creation serves for relabelling. Without calls there is one context and the graph
//! is a tree with covering arcs.
//!
//! [`exploration`] expands the graph; [`runs`] reads runs and certificates off it.

pub mod exploration;
pub mod runs;

use crate::block::Transition;
use crate::calls::CallSite;
use bolide_base::{Arena, HashMap, define_id};
use bolide_cfa::{FunctionId, LocId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

define_id!(
    /// A node; smaller ids were made earlier.
    pub struct NodeId
);
define_id!(
    /// A function entered with a label.
    pub struct ContextId
);

/// How a node is reached.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// It is where the program starts.
    Start,
    /// Through a block.
    Block(NodeId, Rc<Transition>),
    /// By entering a function.
    Call(NodeId, Rc<CallSite>),
    /// By returning from a function: the node of the call, the call, and the
    /// exit node of the callee.
    Return(NodeId, Rc<CallSite>, NodeId),
}

/// A node.
#[derive(Debug)]
pub struct Node<L> {
    /// Where.
    pub location: LocId,
    /// In which context.
    pub context: ContextId,
    /// What is known there. Who weakens or strengthens it looks after the coverings.
    pub label: L,
    /// How it is reached.
    pub arrival: Arrival,
    /// Steps of the run to it.
    pub length: u32,
    children: Vec<NodeId>,
    /// Of an exit: the nodes after the returns from it, one for each caller.
    returned: Vec<NodeId>,
    /// The contexts that it calls into.
    entered: Vec<ContextId>,
    covered_by: Option<NodeId>,
    covers: Vec<NodeId>,
    /// How many nodes from the root of the context to this one are covered or dead.
    hidden: u32,
    expanded: bool,
    removed: bool,
}

/// A function entered with a label: that of its entry node.
#[derive(Debug)]
pub struct Context {
    /// The function.
    pub function: FunctionId,
    /// The node of its entry. None for a context that is gone.
    pub root: Option<NodeId>,
    /// Nodes that call into it, in the order in which they did.
    pub callers: Vec<(NodeId, Rc<CallSite>)>,
    /// Its exit nodes.
    pub exits: Vec<NodeId>,
}

/// Which of the nodes that wait is looked at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one that began to wait last: depth first.
    Newest,
    /// The one with the shortest run, of these the oldest: breadth first.
    Shortest,
}

/// The graph.
pub struct Graph<L> {
    nodes: Arena<NodeId, Node<L>>,
    contexts: Arena<ContextId, Context>,
    at: HashMap<(ContextId, LocId), Vec<NodeId>>,
    order: Order,
    /// Nodes by rank. Some need not be looked at any more; the search for the next one sorts them out.
    waiting: BinaryHeap<Reverse<(u64, NodeId)>>,
    /// How often a node began to wait.
    waited: u64,
    /// Callers whose context is gone.
    orphans: Vec<(NodeId, Rc<CallSite>)>,
    removed: usize,
    /// Nodes of graphs before the last [`Graph::clear`].
    cleared: usize,
    coverings: usize,
}

/// Making and finding nodes.
impl<L> Graph<L> {
    /// Nothing.
    pub fn new(order: Order) -> Graph<L> {
        Graph {
            nodes: Arena::new(),
            contexts: Arena::new(),
            at: HashMap::default(),
            order,
            waiting: BinaryHeap::new(),
            waited: 0,
            orphans: Vec::new(),
            removed: 0,
            cleared: 0,
            coverings: 0,
        }
    }

    /// Starts again with nothing; what was done so far is still counted.
    pub fn clear(&mut self) {
        let (cleared, coverings) = (self.made(), self.coverings);
        *self = Graph { cleared, coverings, ..Graph::new(self.order) };
    }

    /// Makes a context with the node of its entry, which is given.
    pub fn open(
        &mut self,
        function: FunctionId,
        entry: LocId,
        label: L,
        arrival: Arrival,
    ) -> NodeId {
        let (callers, exits) = (Vec::new(), Vec::new());
        let context = self.contexts.push(Context { function, root: None, callers, exits });
        let root = self.add(entry, context, label, arrival);
        self.contexts[context].root = Some(root);
        root
    }

    /// Adds the node that a block leads to.
    pub fn add_successor(&mut self, from: NodeId, block: &Rc<Transition>, label: L) -> NodeId {
        let context = self.nodes[from].context;
        self.add(block.to, context, label, Arrival::Block(from, block.clone()))
    }

    /// Adds a node and lets it wait.
    fn add(&mut self, location: LocId, context: ContextId, label: L, arrival: Arrival) -> NodeId {
        let length = match &arrival {
            Arrival::Start => 0,
            Arrival::Block(from, _) | Arrival::Call(from, _) => self.nodes[*from].length + 1,
            Arrival::Return(from, _, exit) => {
                let entry = self.contexts[self.nodes[*exit].context].root;
                let before = entry.map_or(0, |entry| self.nodes[entry].length);
                let inside = self.nodes[*exit].length.saturating_sub(before);
                self.nodes[*from].length + inside + 2
            }
        };
        let id = self.nodes.push(Node {
            location,
            context,
            label,
            arrival,
            length,
            children: Vec::new(),
            returned: Vec::new(),
            entered: Vec::new(),
            covered_by: None,
            covers: Vec::new(),
            hidden: 0,
            expanded: false,
            removed: false,
        });
        if let Some(parent) = self.parent(id) {
            self.nodes[id].hidden = self.nodes[parent].hidden;
            self.nodes[parent].children.push(id);
        }
        if let Arrival::Return(_, _, exit) = self.nodes[id].arrival {
            self.nodes[exit].returned.push(id);
        }
        self.at.entry((context, location)).or_default().push(id);
        self.wait(id);
        id
    }

    /// The next node to look at: one that is neither expanded nor covered.
    pub fn take_waiting(&mut self) -> Option<NodeId> {
        while let Some(Reverse((_, id))) = self.waiting.pop() {
            if !self.nodes[id].removed && !self.nodes[id].expanded && !self.is_covered(id) {
                return Some(id);
            }
        }
        None
    }

    /// Lets a node wait (again).
    pub fn wait(&mut self, id: NodeId) {
        self.waited += 1;
        let rank = match self.order {
            Order::Newest => u64::MAX - self.waited,
            Order::Shortest => u64::from(self.nodes[id].length),
        };
        self.waiting.push(Reverse((rank, id)));
    }

    /// Records that all successors of a node have been made.
    pub fn set_expanded(&mut self, id: NodeId) {
        self.nodes[id].expanded = true;
    }

    /// Whether the successors have been made.
    pub fn is_expanded(&self, id: NodeId) -> bool {
        self.nodes[id].expanded
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node<L> {
        &self.nodes[id]
    }

    /// The label of a node, to change.
    pub fn label_mut(&mut self, id: NodeId) -> &mut L {
        &mut self.nodes[id].label
    }

    /// All nodes that were not removed, in the order of their creation: what a node follows
    /// from comes before it.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node<L>)> {
        self.nodes.iter().filter(|(_, node)| !node.removed)
    }

    /// How many nodes there are, removed ones not counted.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.removed
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many nodes were ever made.
    pub fn made(&self) -> usize {
        self.cleared + self.nodes.len()
    }

    /// Whether the node was removed.
    pub fn is_removed(&self, id: NodeId) -> bool {
        self.nodes[id].removed
    }

    /// The node from which a node follows within its context; none for the entry.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        match self.nodes[id].arrival {
            Arrival::Block(from, _) | Arrival::Return(from, ..) => Some(from),
            Arrival::Start | Arrival::Call(..) => None,
        }
    }
}

/// The covering relation.
impl<L> Graph<L> {
    /// Nodes of the same place that were made before and may cover this one: no arc leaves them.
    pub fn earlier(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> {
        let node = &self.nodes[id];
        let all = &self.at[&(node.context, node.location)];
        let earlier = &all[..all.partition_point(|&other| other < id)];
        earlier.iter().copied().filter(|&other| !self.is_covered(other))
    }

    /// Whether the node, or one above it, is covered or dead.
    pub fn is_covered(&self, id: NodeId) -> bool {
        self.nodes[id].hidden > 0
    }

    /// The node that covers this one by an arc.
    pub fn covered_by(&self, id: NodeId) -> Option<NodeId> {
        self.nodes[id].covered_by
    }

    /// How many arcs were ever added.
    pub fn coverings(&self) -> usize {
        self.coverings
    }

    /// How many arcs count: those of nodes with nothing covered above them.
    pub fn arcs(&self) -> usize {
        self.nodes().filter(|(_, n)| n.covered_by.is_some() && n.hidden == 1).count()
    }

    /// Adds an arc: `by` stands for `id`. What `id` and its descendants covered waits again.
    pub fn cover(&mut self, id: NodeId, by: NodeId) {
        // Required: a covered node never covers, and arcs go to earlier nodes.
        debug_assert!(by < id && !self.is_covered(id) && !self.is_covered(by));
        self.nodes[id].covered_by = Some(by);
        self.nodes[by].covers.push(id);
        self.coverings += 1;
        self.hide(id);
    }

    /// Records that the label of a node is `false`.
    pub fn kill(&mut self, id: NodeId) {
        self.hide(id);
    }

    /// Gives up the covering of a node; it waits again.
    pub fn uncover(&mut self, id: NodeId) {
        if let Some(by) = self.nodes[id].covered_by {
            self.nodes[by].covers.retain(|&covered| covered != id);
            self.reveal(id);
        }
    }

    /// Gives up all coverings by a node, whose label says more than before.
    pub fn uncover_all(&mut self, by: NodeId) {
        for covered in std::mem::take(&mut self.nodes[by].covers) {
            self.reveal(covered);
        }
    }

    /// A node and all below it no longer count, and cover nothing.
    fn hide(&mut self, id: NodeId) {
        let mut pending = vec![id];
        while let Some(at) = pending.pop() {
            self.nodes[at].hidden += 1;
            pending.extend(&self.nodes[at].children);
            self.uncover_all(at);
        }
    }

    /// Takes back an arc that `hide` made; leaves that count again wait.
    fn reveal(&mut self, id: NodeId) {
        self.nodes[id].covered_by = None;
        let mut pending = vec![id];
        while let Some(at) = pending.pop() {
            let node = &mut self.nodes[at];
            node.hidden -= 1;
            pending.extend(&node.children);
            if !node.expanded && !node.removed {
                self.wait(at);
            }
        }
    }
}

/// Contexts, and nodes that go.
impl<L> Graph<L> {
    /// A context.
    pub fn context(&self, id: ContextId) -> &Context {
        &self.contexts[id]
    }

    /// All contexts, in the order of their creation.
    pub fn contexts(&self) -> impl ExactSizeIterator<Item = (ContextId, &Context)> {
        self.contexts.iter()
    }

    /// Lets a node call into a context.
    fn attach(&mut self, caller: NodeId, site: &Rc<CallSite>, context: ContextId) {
        self.contexts[context].callers.push((caller, site.clone()));
        self.nodes[caller].entered.push(context);
    }

    /// Takes a call back, with all that followed from its returns.
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

    /// Calls that lead nowhere since their context is gone.
    pub fn take_orphans(&mut self) -> Vec<(NodeId, Rc<CallSite>)> {
        let mut orphans = std::mem::take(&mut self.orphans);
        orphans.retain(|(caller, _)| !self.nodes[*caller].removed);
        orphans
    }

    /// Removes a node and all that follows from it. What they covered waits again.
    pub fn remove_subtree(&mut self, root: NodeId) {
        self.remove(vec![root]);
    }

    fn remove(&mut self, mut pending: Vec<NodeId>) {
        let mut uncovered = Vec::new();
        while let Some(id) = pending.pop() {
            if self.nodes[id].removed {
                continue;
            }
            self.nodes[id].removed = true;
            self.removed += 1;
            pending.append(&mut self.nodes[id].children);
            pending.append(&mut self.nodes[id].returned);
            uncovered.append(&mut self.nodes[id].covers);
            if let Some(by) = self.nodes[id].covered_by {
                self.nodes[by].covers.retain(|&covered| covered != id);
            }
            let place = (self.nodes[id].context, self.nodes[id].location);
            if let Some(list) = self.at.get_mut(&place) {
                list.retain(|&n| n != id);
            }
            if let Some(parent) = self.parent(id) {
                self.nodes[parent].children.retain(|&c| c != id);
            }
            if let Arrival::Return(_, _, exit) = self.nodes[id].arrival {
                self.nodes[exit].returned.retain(|&c| c != id);
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
            self.reveal(id);
        }
    }

    /// A caller no longer calls into a context. If the run to its entry came from
    /// there, it now comes from another caller; without one the entry, which
    /// is given, has to go.
    fn without_root(&mut self, context: ContextId, caller: NodeId) -> Option<NodeId> {
        let root = self.contexts[context].root?;
        match self.nodes[root].arrival {
            Arrival::Call(from, _) if from == caller => {}
            _ => return None,
        }
        let mut callers = self.contexts[context].callers.iter();
        // Required: runs are followed backwards to older nodes only.
        match callers.find(|(other, _)| *other < root && !self.nodes[*other].removed) {
            Some((other, site)) => {
                self.nodes[root].arrival = Arrival::Call(*other, site.clone());
                None
            }
            None => Some(root),
        }
    }
}

//! The abstract reachability graph.
//!
//! A node is a cut point with an abstract state, reached in a *context*: one
//! function entered in one abstract state. Contexts are what makes summaries: the
//! exit nodes of a context say all about a call that enters it, whoever
//! calls. Without calls there is one context and the graph is a tree with
//! covering arcs.
//!
//! Nodes are removed when refinement finds a better precision for them. A tree
//! loses a subtree; a graph with calls is started anew, since a summary that
//! falls may hold up many callers (the abstract posts are remembered, so
//! that this costs little).

use bolide_base::{Arena, HashMap, define_id};
use bolide_cfa::{FunctionId, LocId};
use bolide_reachability::block::Transition;
use bolide_reachability::calls::CallSite;
use bolide_terms::TermId;
use std::rc::Rc;

define_id!(
    /// A node; smaller ids were made earlier.
    pub struct NodeId
);
define_id!(
    /// A function entered in an abstract state.
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
pub struct Node {
    /// Where.
    pub location: LocId,
    /// In which context.
    pub context: ContextId,
    /// What is known of the state there.
    pub state: TermId,
    /// How it is reached.
    pub arrival: Arrival,
    children: Vec<NodeId>,
    covered_by: Option<NodeId>,
    covers: Vec<NodeId>,
    removed: bool,
}

/// A node on a run.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// The node.
    pub node: NodeId,
    /// Whether the function that it belongs to returns before the run ends.
    pub returns: bool,
    /// The node is reached by a return from a callee that the run does not show.
    pub summarised: bool,
}

/// A function entered in an abstract state.
#[derive(Debug)]
pub struct Context {
    /// The function.
    pub function: FunctionId,
    /// The abstract state at its entry.
    pub entry: TermId,
    /// Nodes that call into it.
    pub callers: Vec<(NodeId, Rc<CallSite>)>,
    /// Its exit nodes.
    pub exits: Vec<NodeId>,
}

/// The graph.
#[derive(Default)]
pub struct Graph {
    nodes: Arena<NodeId, Node>,
    /// Contexts.
    pub contexts: Arena<ContextId, Context>,
    at: HashMap<(ContextId, LocId), Vec<NodeId>>,
    /// Nodes that are to be looked at; the last first.
    pub waiting: Vec<NodeId>,
    live: usize,
}

impl Graph {
    /// Adds a node and lets it wait.
    pub fn add(
        &mut self,
        location: LocId,
        context: ContextId,
        state: TermId,
        arrival: Arrival,
    ) -> NodeId {
        let parent = match &arrival {
            Arrival::Block(from, _) | Arrival::Return(from, ..) => Some(*from),
            Arrival::Start | Arrival::Call(..) => None,
        };
        let id = self.nodes.push(Node {
            location,
            context,
            state,
            arrival,
            children: Vec::new(),
            covered_by: None,
            covers: Vec::new(),
            removed: false,
        });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(id);
        }
        self.at.entry((context, location)).or_default().push(id);
        self.waiting.push(id);
        self.live += 1;
        id
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

    /// The node that covers this one.
    pub fn covered_by(&self, id: NodeId) -> Option<NodeId> {
        self.nodes[id].covered_by
    }

    /// Uncovered nodes of the same place that were made before.
    pub fn earlier(&self, id: NodeId) -> Vec<NodeId> {
        let node = &self.nodes[id];
        let all = &self.at[&(node.context, node.location)];
        all.iter().copied().filter(|&n| n < id && self.is_open(n)).collect()
    }

    /// Records that `by` stands for all states of `node`. `node` must be a leaf.
    pub fn cover(&mut self, node: NodeId, by: NodeId) {
        debug_assert!(self.nodes[node].children.is_empty() && self.is_open(by));
        self.nodes[node].covered_by = Some(by);
        self.nodes[by].covers.push(node);
    }

    /// Removes a node and all below it. What they covered waits again. Gives
    /// the parent, which must be expanded again.
    pub fn remove_subtree(&mut self, root: NodeId) -> Option<NodeId> {
        let parent = match self.nodes[root].arrival {
            Arrival::Block(from, _) => Some(from),
            _ => None,
        };
        if let Some(parent) = parent {
            self.nodes[parent].children.retain(|&c| c != root);
        }
        let mut pending = vec![root];
        let mut uncovered = Vec::new();
        while let Some(id) = pending.pop() {
            self.nodes[id].removed = true;
            self.live -= 1;
            pending.append(&mut self.nodes[id].children);
            uncovered.append(&mut self.nodes[id].covers);
            let place = (self.nodes[id].context, self.nodes[id].location);
            if let Some(list) = self.at.get_mut(&place) {
                list.retain(|&n| n != id);
            }
        }
        for id in uncovered {
            self.nodes[id].covered_by = None;
            if !self.nodes[id].removed {
                self.waiting.push(id);
            }
        }
        parent
    }

    /// The nodes through which an abstract run comes to `target`, from the
    /// start on. Calls that returned are followed through the callee, `depth`
    /// calls deep; deeper ones are summarised. None when there are more than
    /// `limit` nodes: a run may be exponentially longer than the graph is large.
    pub fn run_to(&self, target: NodeId, depth: usize, limit: usize) -> Option<Vec<Visit>> {
        let mut run = Vec::new();
        // Callers to go on with once the entry of a callee that returned is met.
        let mut callers: Vec<NodeId> = Vec::new();
        let mut at = target;
        loop {
            if run.len() >= limit {
                return None;
            }
            let arrival = &self.nodes[at].arrival;
            let summarised = matches!(arrival, Arrival::Return(..)) && callers.len() >= depth;
            run.push(Visit { node: at, returns: !callers.is_empty(), summarised });
            at = match arrival {
                Arrival::Start => match callers.pop() {
                    None => break,
                    Some(caller) => caller,
                },
                Arrival::Block(from, _) => *from,
                Arrival::Call(from, _) => callers.pop().unwrap_or(*from),
                Arrival::Return(from, ..) if summarised => *from,
                Arrival::Return(from, _, exit) => {
                    callers.push(*from);
                    *exit
                }
            };
        }
        run.reverse();
        Some(run)
    }
}

//! What is read off a graph: the abstract run to a node, and the certificate.

use super::{Arrival, Graph, Node, NodeId};
use crate::calls::CallSite;
use crate::nested_path::Piece;
use crate::verdict::{Annotation, Contract};
use bolide_base::HashMap;
use bolide_base::arena::Id;
use bolide_cfa::LocId;
use bolide_terms::{TermId, TermStore};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A node on a run.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The node.
    pub node: NodeId,
    /// The innermost call around it that returns before the run ends: at the entry of a
    /// context that is the call by which it is entered.
    pub returning: Option<Rc<CallSite>>,
    /// The node is reached by a return from a callee that the run does not show.
    pub summarised: bool,
}

impl<L> Graph<L> {
    /// From the entry of its context to the node.
    pub fn path_to(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> =
            std::iter::successors(Some(id), |&at| self.parent(at)).collect();
        path.reverse();
        path
    }

    /// The nodes through which an abstract run comes to `target`, from the
    /// start on. Calls that returned are followed through the callee, `depth`
    /// calls deep; deeper ones are summarised. None when there are more than
    /// `limit` nodes: a run may be exponentially longer than the graph is large.
    pub fn run_to(&self, target: NodeId, depth: usize, limit: usize) -> Option<Vec<Visit>> {
        let mut run = Vec::new();
        // Callers to go on with once the entry of a callee that returned is met.
        let mut callers: Vec<(NodeId, Rc<CallSite>)> = Vec::new();
        let mut at = target;
        loop {
            if run.len() >= limit {
                return None;
            }
            let arrival = &self.nodes[at].arrival;
            let summarised = matches!(arrival, Arrival::Return(..)) && callers.len() >= depth;
            let returning = callers.last().map(|(_, site)| site.clone());
            run.push(Visit { node: at, returning, summarised });
            at = match arrival {
                Arrival::Start => match callers.pop() {
                    None => break,
                    Some((caller, _)) => caller,
                },
                Arrival::Block(from, _) => *from,
                Arrival::Call(from, _) => callers.pop().map_or(*from, |(caller, _)| caller),
                Arrival::Return(from, ..) if summarised => *from,
                Arrival::Return(from, site, exit) => {
                    callers.push((*from, site.clone()));
                    *exit
                }
            };
        }
        run.reverse();
        Some(run)
    }

    /// The steps of a run, as the path that its formula is made of. `summary` is what
    /// stands for a call that the run does not show: the label of its exit as a formula.
    pub fn pieces(&self, run: &[Visit], mut summary: impl FnMut(&L) -> TermId) -> Vec<Piece> {
        let piece = |visit: &Visit| match &self.nodes[visit.node].arrival {
            Arrival::Start => Piece::Start,
            Arrival::Block(_, block) => Piece::Block(block.clone()),
            Arrival::Call(_, site) => Piece::Call {
                // The context may have been entered from elsewhere first.
                site: visit.returning.as_ref().unwrap_or(site).clone(),
                returns: visit.returning.is_some(),
            },
            Arrival::Return(_, site, exit) if visit.summarised => {
                Piece::Summary { site: site.clone(), exit: summary(&self.nodes[*exit].label) }
            }
            Arrival::Return(_, site, _) => Piece::Return(site.clone()),
        };
        run.iter().map(piece).collect()
    }

    /// At each location the disjunction of the labels of its nodes that count: the
    /// invariants of the first context, and contracts for the others. `said`
    /// is a label as a formula.
    pub fn annotation(
        &self,
        store: &mut TermStore,
        said: impl Fn(&mut TermStore, &Node<L>) -> TermId,
    ) -> Annotation {
        let mut places: Vec<BTreeMap<LocId, Vec<TermId>>> =
            vec![BTreeMap::new(); self.contexts.len()];
        for (_, node) in self.nodes().filter(|(id, _)| !self.is_covered(*id)) {
            let label = said(store, node);
            places[node.context.index()].entry(node.location).or_default().push(label);
        }
        let mut annotation = Annotation::default();
        for ((_, context), labels) in self.contexts.iter().zip(places) {
            let invariants: HashMap<LocId, TermId> =
                labels.into_iter().map(|(at, labels)| (at, store.mk_or(&labels))).collect();
            match context.root.map(|root| &self.nodes[root]) {
                Some(root) if !matches!(root.arrival, Arrival::Start) => {
                    let (function, precondition) = (context.function, said(store, root));
                    annotation.contracts.push(Contract { function, precondition, invariants });
                }
                Some(_) => annotation.invariants = invariants,
                None => {}
            }
        }
        annotation
    }
}

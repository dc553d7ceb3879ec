//! How the graph grows: nodes are covered or get their successors until an error is met or nothing waits.
//!
//! What a label is, what it becomes after a step and when one stands for another is the
//! engine's affair: its [`Domain`]. Steps through blocks, into functions and back are
//! the same for all.

use super::{Arrival, ContextId, Graph, NodeId};
use crate::block::Transition;
use crate::calls::{CallSite, Calls};
use crate::prover::Prover;
use crate::verdict::Reason;
use bolide_cfa::{FunctionId, LocId, Program};
use std::rc::Rc;

/// What an engine knows of labels. None in place of a label: no state is left.
pub trait Domain {
    /// What is known at a node.
    type Label;

    /// The program.
    fn program(&self) -> &Program;
    /// Its calls.
    fn calls(&self) -> &Calls;
    /// Whom it asks: with the budget.
    fn prover(&self) -> &Prover;
    /// The blocks to follow from a location, in this order.
    fn blocks(&mut self, from: LocId) -> Vec<Rc<Transition>>;
    /// What is known after a block.
    fn after_block(
        &mut self,
        before: &Self::Label,
        block: &Rc<Transition>,
    ) -> Result<Option<Self::Label>, Reason>;
    /// What is known at the entry of a function that is called.
    fn after_call(
        &mut self,
        before: &Self::Label,
        site: &Rc<CallSite>,
        entry: LocId,
    ) -> Result<Option<Self::Label>, Reason>;
    /// What is known after a call: what was known before it, and what is known at the exit.
    fn after_return(
        &mut self,
        before: &Self::Label,
        site: &Rc<CallSite>,
        exit: &Self::Label,
    ) -> Result<Option<Self::Label>, Reason>;
    /// Whether one label stands for all states of another.
    fn covers(&mut self, by: &Self::Label, covered: &Self::Label) -> Result<bool, Reason>;
    /// Whether a context with this label at its entry is one for a caller that brings another.
    fn serves(&mut self, entry: &Self::Label, brought: &Self::Label) -> Result<bool, Reason> {
        self.covers(entry, brought)
    }
}

impl<L> Graph<L> {
    /// Until every node is expanded or covered; or gives a node at an error location.
    pub fn explore(
        &mut self,
        domain: &mut impl Domain<Label = L>,
    ) -> Result<Option<NodeId>, Reason> {
        while let Some(node) = self.take_waiting() {
            domain.prover().budget().progress().reached(self.len());
            domain.prover().poll()?;
            if domain.program().locations[self.nodes[node].location].error.is_some() {
                return Ok(Some(node));
            }
            if !self.close(domain, node)? {
                self.expand(domain, node)?;
            }
        }
        Ok(None)
    }

    /// Covers the node by an earlier one of the same place, if one can.
    fn close(&mut self, domain: &mut impl Domain<Label = L>, node: NodeId) -> Result<bool, Reason> {
        let mut found = None;
        for by in self.earlier(node) {
            if domain.covers(&self.nodes[by].label, &self.nodes[node].label)? {
                found = Some(by);
                break;
            }
        }
        if let Some(by) = found {
            self.cover(node, by);
        }
        Ok(found.is_some())
    }

    /// Adds the successors of a node.
    fn expand(&mut self, domain: &mut impl Domain<Label = L>, node: NodeId) -> Result<(), Reason> {
        self.set_expanded(node);
        let (location, context) = (self.nodes[node].location, self.nodes[node].context);
        let function = self.contexts[context].function;
        if domain.program().functions[function].body.is_some_and(|body| body.exit == location) {
            self.contexts[context].exits.push(node);
            for (caller, site) in self.contexts[context].callers.clone() {
                self.give_back(domain, caller, &site, node)?;
            }
        } else if let Some(sites) = domain.calls().at(location) {
            for site in sites.iter() {
                self.enter(domain, node, site)?;
            }
        } else {
            for block in domain.blocks(location) {
                self.follow(domain, node, &block)?;
            }
        }
        Ok(())
    }

    /// A block: adds the node after it.
    pub fn follow(
        &mut self,
        domain: &mut impl Domain<Label = L>,
        from: NodeId,
        block: &Rc<Transition>,
    ) -> Result<(), Reason> {
        if let Some(after) = domain.after_block(&self.nodes[from].label, block)? {
            self.add_successor(from, block, after);
        }
        Ok(())
    }

    /// A call: finds or makes the context that it enters.
    pub fn enter(
        &mut self,
        domain: &mut impl Domain<Label = L>,
        from: NodeId,
        site: &Rc<CallSite>,
    ) -> Result<(), Reason> {
        let body = domain.program().functions[site.callee].body;
        let entry = body.expect("calls are of functions with a body").entry;
        let Some(inside) = domain.after_call(&self.nodes[from].label, site, entry)? else {
            return Ok(());
        };
        let context = match self.context_for(domain, site.callee, &inside)? {
            Some(known) => known,
            None => {
                let arrival = Arrival::Call(from, site.clone());
                let root = self.open(site.callee, entry, inside, arrival);
                self.nodes[root].context
            }
        };
        self.attach(from, site, context);
        for exit in self.contexts[context].exits.clone() {
            self.give_back(domain, from, site, exit)?;
        }
        Ok(())
    }

    /// A context that serves a caller which brings this label.
    fn context_for(
        &self,
        domain: &mut impl Domain<Label = L>,
        function: FunctionId,
        brought: &L,
    ) -> Result<Option<ContextId>, Reason> {
        for (id, context) in self.contexts.iter().filter(|(_, c)| c.function == function) {
            if let Some(root) = context.root
                && domain.serves(&self.nodes[root].label, brought)?
            {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// A return: adds the node after a call, with what the exit of the callee says.
    fn give_back(
        &mut self,
        domain: &mut impl Domain<Label = L>,
        caller: NodeId,
        site: &Rc<CallSite>,
        exit: NodeId,
    ) -> Result<(), Reason> {
        let (before, inside) = (&self.nodes[caller].label, &self.nodes[exit].label);
        if let Some(after) = domain.after_return(before, site, inside)? {
            let context = self.nodes[caller].context;
            self.add(site.to, context, after, Arrival::Return(caller, site.clone(), exit));
        }
        Ok(())
    }
}

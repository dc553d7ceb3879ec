//! The difference is explored, and continued after each refinement.
//!
//! [`TraceAbstraction::explore`] is the emptiness test of section 4 on the fly: the
//! node that waits with the shortest trace is covered or gets its successors, until
//! an error is met or nothing waits. [`TraceAbstraction::subtract`] adds an automaton
//! to what has been explored: nothing is explored again but what the automaton
//! changes.
//!
//! A context serves every caller that knows at least as much as it assumes. The trace
//! to an error may so lead through a caller for which it is infeasible, while the body
//! was explored for another one for which it is not: the automaton accepts
//! the trace, the difference still has it. When a trace comes back, contexts are
//! from then on only for callers that know exactly the same
//! ([`TraceAbstraction::serves`]).

use super::alphabet::LetterId;
use super::automaton::{InterpolantAutomaton, MacroId, Situation, Source};
use super::difference::{Arrival, ContextId, Difference, NodeId};
use super::{LIMIT, TraceAbstraction};
use bolide_cfa::LocId;
use bolide_reachability::block::Transition;
use bolide_reachability::calls::CallSite;
use bolide_reachability::verdict::Reason;
use std::rc::Rc;

impl TraceAbstraction<'_, '_> {
    /// The difference, with nothing but the start.
    pub(super) fn start(&mut self) -> Result<(), Reason> {
        self.statistics.made += self.difference.made() as u64;
        self.difference = Difference::default();
        let (function, entry) = (self.program.program.entry, self.program.entry());
        let letter = self.alphabet.start();
        let sets = self.steps(letter, entry, false, |_| (MacroId::TRUE, MacroId::TRUE))?;
        if let Some(sets) = sets {
            self.difference.open(function, entry, sets, Arrival::Start);
        }
        Ok(())
    }

    /// Until nothing waits; or gives an error that no automaton excludes.
    pub(super) fn explore(&mut self) -> Result<Option<NodeId>, Reason> {
        while let Some(node) = self.difference.next() {
            self.prover.poll()?;
            self.prover.budget().progress().reached(self.difference.len());
            let location = self.difference.node(node).location;
            if self.program.program.locations[location].error.is_some() {
                return Ok(Some(node));
            }
            if !self.close(node) {
                self.expand(node)?;
            }
        }
        Ok(None)
    }

    /// Covers a node by one where every automaton knows at most as much.
    fn close(&mut self, node: NodeId) -> bool {
        let sets = &self.difference.node(node).sets;
        let by = self
            .difference
            .earlier(node)
            .find(|&by| self.subsumes(&self.difference.node(by).sets, sets));
        if let Some(by) = by {
            self.difference.cover(node, by);
            self.statistics.covered += 1;
        }
        by.is_some()
    }

    pub(super) fn subsumes(&self, weaker: &[MacroId], stronger: &[MacroId]) -> bool {
        let pairs = weaker.iter().zip(stronger);
        pairs.zip(&self.automata).all(|((&w, &s), automaton)| automaton.subsumes(w, s))
    }

    /// Adds the successors of a node.
    fn expand(&mut self, node: NodeId) -> Result<(), Reason> {
        let (location, context) =
            (self.difference.node(node).location, self.difference.node(node).context);
        let function = self.difference.contexts[context].function;
        if self.program.program.functions[function].body.is_some_and(|b| b.exit == location) {
            self.difference.contexts[context].exits.push(node);
            for (caller, site) in self.difference.contexts[context].callers.clone() {
                self.give_back(caller, &site, node)?;
            }
            return Ok(());
        }
        if let Some(sites) = self.calls.at(location) {
            for site in sites.iter() {
                self.enter(node, site)?;
            }
            return Ok(());
        }
        for transition in self.program.transitions(self.store, location).iter() {
            if self.useless.contains(&transition.to) {
                continue;
            }
            self.follow(node, transition)?;
        }
        Ok(())
    }

    fn follow(&mut self, from: NodeId, transition: &Rc<Transition>) -> Result<(), Reason> {
        let letter = self.alphabet.block(transition);
        let last = self.program.program.locations[transition.to].error.is_some();
        let (context, sets) = (self.difference.node(from).context, self.sets(from));
        let after = self.steps(letter, transition.to, last, |i| (sets[i], MacroId::TRUE))?;
        if let Some(after) = after {
            let arrival = Arrival::Block(from, transition.clone(), letter);
            self.difference.add(transition.to, context, after, arrival);
        }
        Ok(())
    }

    fn sets(&self, node: NodeId) -> Vec<MacroId> {
        self.difference.node(node).sets.clone()
    }

    /// A call: finds or makes the context that it enters.
    fn enter(&mut self, from: NodeId, site: &Rc<CallSite>) -> Result<(), Reason> {
        let entry = self.entry_of(site);
        let Some(inside) = self.inside(from, site)? else { return Ok(()) };
        let known =
            self.difference.contexts_of(site.callee).find(|&context| self.serves(context, &inside));
        let context = match known {
            Some(context) => context,
            None => {
                let arrival = Arrival::Call(from, site.clone());
                self.difference.open(site.callee, entry, inside, arrival)
            }
        };
        self.difference.attach(from, site, context);
        for exit in self.difference.contexts[context].exits.clone() {
            self.give_back(from, site, exit)?;
        }
        Ok(())
    }

    fn entry_of(&self, site: &CallSite) -> LocId {
        let body = self.program.program.functions[site.callee].body;
        body.expect("calls are of functions with a body").entry
    }

    /// What is known at the entry after a call; none when an automaton excludes it.
    fn inside(
        &mut self,
        from: NodeId,
        site: &Rc<CallSite>,
    ) -> Result<Option<Vec<MacroId>>, Reason> {
        let (letter, _) = self.alphabet.call(site);
        let (entry, sets) = (self.entry_of(site), self.sets(from));
        self.steps(letter, entry, false, |i| (sets[i], MacroId::TRUE))
    }

    /// Whether a context was explored for callers that know no more than this one.
    fn serves(&self, context: ContextId, inside: &[MacroId]) -> bool {
        let entry = &self.difference.contexts[context].entry;
        if self.exact_contexts { entry == inside } else { self.subsumes(entry, inside) }
    }

    /// A return: what is known where the call was made together with what is
    /// known at the callee's exit.
    fn give_back(
        &mut self,
        caller: NodeId,
        site: &Rc<CallSite>,
        exit: NodeId,
    ) -> Result<(), Reason> {
        let (_, letter) = self.alphabet.call(site);
        let (context, before) = (self.difference.node(caller).context, self.sets(caller));
        let inside = self.sets(exit);
        if let Some(after) = self.steps(letter, site.to, false, |i| (inside[i], before[i]))? {
            let arrival = Arrival::Return(caller, site.clone(), exit);
            self.difference.add(site.to, context, after, arrival);
        }
        Ok(())
    }

    /// Whether the last automaton accepts the trace to an error.
    pub(super) fn accepts_trace(&mut self, error: NodeId) -> Result<bool, Reason> {
        let Some(trace) = self.difference.trace_to(error, LIMIT) else { return Ok(false) };
        let index = self.automata.len() - 1;
        let nothing = (MacroId::TRUE, MacroId::TRUE);
        // What is known now, and where the calls that are open were made.
        let mut here = nothing;
        let mut callers: Vec<(MacroId, MacroId)> = Vec::new();
        for (node, returning) in trace {
            let place = self.difference.node(node).location;
            let last = self.program.program.locations[place].error.is_some();
            let arrival = self.difference.node(node).arrival.clone();
            let (letter, there) = match &arrival {
                Arrival::Start => (self.alphabet.start(), nothing),
                Arrival::Block(_, _, letter) => (*letter, nothing),
                Arrival::Call(_, site) => {
                    callers.push(here);
                    (self.alphabet.call(returning.as_ref().unwrap_or(site)).0, nothing)
                }
                Arrival::Return(_, site, _) => {
                    (self.alphabet.call(site).1, callers.pop().unwrap_or(nothing))
                }
            };
            let set = self.step(index, situation(letter, place, last, here, there))?;
            if set == MacroId::FALSE {
                return Ok(true);
            }
            here = (set, self.difference.node(node).sets[0]);
        }
        Ok(false)
    }

    /// Subtracts one more automaton; the difference is continued.
    pub(super) fn subtract(&mut self, automaton: InterpolantAutomaton) -> Result<(), Reason> {
        let source = match automaton.source {
            Source::Trace(length) => format!("a trace of {length} letters"),
            Source::Database => "the database".to_owned(),
            Source::Background => "the background".to_owned(),
        };
        self.history.push(format!(
            "{}\t{source}\t{}\t{}\t{}",
            self.automata.len(),
            automaton.states.len(),
            self.difference.len(),
            self.hoare.statistics.queries
        ));
        self.automata.push(automaton);
        let index = self.automata.len() - 1;
        for node in self.difference.nodes_to_extend() {
            self.extend(index, node)?;
        }
        self.enter_again()?;
        for node in self.difference.nodes_to_extend() {
            if let Some(by) = self.difference.coverer(node) {
                let (weaker, stronger) = (self.difference.node(by), self.difference.node(node));
                if !self.subsumes(&weaker.sets, &stronger.sets) {
                    self.difference.uncover(node);
                }
            } else if self.program.program.locations[self.difference.node(node).location]
                .error
                .is_some()
            {
                self.difference.wait(node);
            }
        }
        Ok(())
    }

    /// Runs the view of a new automaton to a node; what it accepts goes.
    fn extend(&mut self, index: usize, node: NodeId) -> Result<(), Reason> {
        let place = self.difference.node(node).location;
        let last = self.program.program.locations[place].error.is_some();
        while !self.difference.is_removed(node) {
            let arrival = self.difference.node(node).arrival.clone();
            let known = |node: NodeId| {
                let sets = &self.difference.node(node).sets;
                (sets[index], sets[0])
            };
            let nothing = (MacroId::TRUE, MacroId::TRUE);
            let (letter, here, there) = match &arrival {
                Arrival::Start => (self.alphabet.start(), nothing, nothing),
                Arrival::Block(parent, _, letter) => (*letter, known(*parent), nothing),
                Arrival::Call(from, site) => (self.alphabet.call(site).0, known(*from), nothing),
                Arrival::Return(caller, site, exit) => {
                    (self.alphabet.call(site).1, known(*exit), known(*caller))
                }
            };
            let set = self.step(index, situation(letter, place, last, here, there))?;
            match (&arrival, set) {
                (Arrival::Call(from, site), MacroId::FALSE) => {
                    // The function may still be entered from elsewhere.
                    let context = self.difference.node(node).context;
                    self.difference.detach(*from, site, context);
                }
                (_, MacroId::FALSE) => self.difference.remove_subtree(node),
                _ => {
                    self.difference.extend(node, set);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Looks after all calls once a new automaton's view was run along the nodes. Those that the
    /// automaton excludes are taken back; those whose context now assumes
    /// more than they know, or is gone, look for another one.
    fn enter_again(&mut self) -> Result<(), Reason> {
        let mut again = Vec::new();
        let contexts: Vec<ContextId> = self.difference.contexts.ids().collect();
        for context in contexts {
            for (caller, site) in self.difference.contexts[context].callers.clone() {
                if self.difference.is_removed(caller)
                    || self.difference.contexts[context].root.is_none()
                {
                    continue;
                }
                let inside = self.inside(caller, &site)?;
                match inside {
                    Some(inside) if self.serves(context, &inside) => {}
                    inside => {
                        self.difference.detach(caller, &site, context);
                        again.extend(inside.map(|_| (caller, site)));
                    }
                }
            }
        }
        again.extend(self.difference.take_orphans());
        for (caller, site) in again {
            if !self.difference.is_removed(caller) {
                self.enter(caller, &site)?;
            }
        }
        Ok(())
    }
}

/// A step from what is known here, for returns also there where the call was made; each
/// with what the background knows.
fn situation(
    letter: LetterId,
    place: LocId,
    last: bool,
    here: (MacroId, MacroId),
    there: (MacroId, MacroId),
) -> Situation {
    let background = (here.1, there.1);
    Situation { from: here.0, caller: there.0, background, letter, place, last }
}

//! Formulas of abstract runs, cut for calls.
//!
//! A run is a list of nodes in the order of execution. Each becomes one *piece*: the formula of the step that led to it. The pieces form a tree
//! (section 5.2 of "Abstractions from proofs"; in the words of Horn clauses, the
//! derivation of the last node): a step hangs below the step before it; a
//! return hangs below both the call's caller and the callee's last step.
//! The interpolant of a piece then speaks of what its node may speak about: the copies
//! of its own activation, globals, and entry values.
//!
//! An activation that returned starts from its entry constants alone and so
//! learns a summary; one that did not return before the run ends is bound to
//! its caller at once and learns facts about this caller's arguments. A call
//! may also be summarised: what the abstraction knows of its exit stands for it,
//! as the state at the start of a suffix stands for what came before. Then
//! the run is refuted with what is known of the callee, or must be shown deeper.

use super::graph::{Arrival, Graph, NodeId, Visit};
use bolide_base::HashMap;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::{CallSite, Calls};
use bolide_reachability::encode::Slots;
use bolide_reachability::path_formula::{Copies, Ssa, Step};
use bolide_reachability::verdict::Reason;
use bolide_terms::{TermId, TermStore};

/// Blocks of a run. Longer ones would not be decided in reasonable time.
const LIMIT: usize = 5_000;

/// A run as a tree of formulas.
pub struct RunFormula {
    /// The formulas, in the order of execution; the last is the root.
    pub formulas: Vec<TermId>,
    /// The parent of each formula; the root names itself.
    pub parents: Vec<usize>,
    /// The node that each leads to.
    pub nodes: Vec<NodeId>,
    /// The states at exits that stand for calls that the run does not show.
    pub summaries: Vec<TermId>,
    /// The steps through blocks.
    pub steps: Vec<Step>,
    /// The copies that the formulas speak of.
    pub copies: Copies,
}

/// A function that is being executed.
struct Activation {
    ssa: Ssa,
    last: usize,
    /// Entry constants of this activation, in the order of the scope's list.
    entry: Vec<TermId>,
}

impl RunFormula {
    /// The formula of the run to `target`, if it is not too long.
    pub fn new(
        program: &BlockProgram<'_>,
        calls: &Calls,
        store: &mut TermStore,
        graph: &Graph,
        target: NodeId,
        call_depth: usize,
    ) -> Result<RunFormula, Reason> {
        let slots = &program.slots;
        let run = graph.run_to(target, call_depth, LIMIT).ok_or_else(|| {
            Reason::Unsupported(format!("runs to an error of more than {LIMIT} blocks"))
        })?;
        let mut result = RunFormula {
            formulas: Vec::new(),
            parents: Vec::new(),
            nodes: run.iter().map(|visit| visit.node).collect(),
            summaries: Vec::new(),
            steps: Vec::new(),
            copies: Copies::default(),
        };
        let copies = &mut result.copies;
        let mut stack: Vec<Activation> = Vec::new();
        for (depth, &Visit { node: id, returns, summarised }) in run.iter().enumerate() {
            let mut below = Vec::new();
            let formula = match &graph.node(id).arrival {
                Arrival::Start => {
                    let ssa = Ssa::start();
                    let formula = copies.at(store, slots, &ssa, program.initial());
                    stack.push(Activation { ssa, last: depth, entry: Vec::new() });
                    formula
                }
                Arrival::Block(_, transition) => {
                    let activation = stack.last_mut().expect("a run starts somewhere");
                    let step = copies.step(store, slots, &activation.ssa, transition, depth);
                    below.push(activation.last);
                    activation.ssa = step.after.clone();
                    activation.last = depth;
                    result.steps.push(step);
                    result.steps[result.steps.len() - 1].formula
                }
                Arrival::Call(_, site) => {
                    let scope = calls.scope_of(site.callee);
                    let caller = stack.last().expect("somebody calls");
                    let mut own: Vec<_> = scope.own.iter().copied().collect();
                    own.sort_unstable();
                    if returns {
                        own.extend(&scope.changed);
                    }
                    let ssa = copies.renew(store, slots, &caller.ssa, own, depth);
                    let mut conjuncts = Vec::new();
                    let mut entry = Vec::new();
                    for &(slot, constant) in &scope.entry {
                        let copy = copies.entry_copy(store, constant, depth);
                        let current = copies.current(store, slots, &ssa, slot);
                        conjuncts.push(store.mk_eq(copy, current));
                        entry.push(copy);
                    }
                    if !returns {
                        let before = caller.ssa.clone();
                        conjuncts
                            .push(said(copies, store, program, &before, site, depth, site.guard));
                        for &(slot, argument) in &site.arguments {
                            let argument =
                                said(copies, store, program, &before, site, depth, argument);
                            let current = copies.current(store, slots, &ssa, slot);
                            conjuncts.push(store.mk_eq(current, argument));
                        }
                        below.push(caller.last);
                    }
                    stack.push(Activation { ssa, last: depth, entry });
                    store.mk_and(&conjuncts)
                }
                Arrival::Return(_, site, exit) if summarised => {
                    let caller = stack.last_mut().expect("somebody calls");
                    let summary = graph.node(*exit).state;
                    let formula = calls.returning(program, store, site, summary);
                    let new = calls.new_values(program, store, site);
                    let renewed = new.iter().map(|n| n.0);
                    let after = copies.renew(store, slots, &caller.ssa, renewed, depth);
                    let mut renaming: HashMap<TermId, TermId> = HashMap::default();
                    for constant in store.constants(formula) {
                        if slots.of_constant(constant).is_none() {
                            let copy = copies.entry_copy(store, constant, depth);
                            renaming.insert(constant, copy);
                        }
                    }
                    for &(slot, name) in &new {
                        renaming.insert(name, copies.current(store, slots, &after, slot));
                    }
                    let formula = store.substitute(formula, &renaming);
                    let formula = copies.at(store, slots, &caller.ssa, formula);
                    let guard = said(copies, store, program, &caller.ssa, site, depth, site.guard);
                    below.push(caller.last);
                    caller.ssa = after;
                    caller.last = depth;
                    result.summaries.push(summary);
                    store.mk_and(&[formula, guard])
                }
                Arrival::Return(_, site, _) => {
                    let scope = calls.scope_of(site.callee);
                    let callee = stack.pop().expect("the callee was entered");
                    let caller = stack.last_mut().expect("somebody calls");
                    let before = caller.ssa.clone();
                    let guard = said(copies, store, program, &before, site, depth, site.guard);
                    let mut conjuncts = vec![guard];
                    for &(slot, argument) in &site.arguments {
                        let argument = said(copies, store, program, &before, site, depth, argument);
                        // Required: what the parameter was, not what became of it.
                        let parameter = match scope.entry.iter().position(|e| e.0 == slot) {
                            Some(position) => callee.entry[position],
                            None => copies.current(store, slots, &callee.ssa, slot),
                        };
                        conjuncts.push(store.mk_eq(parameter, argument));
                    }
                    for (position, &(slot, _)) in scope.entry.iter().enumerate() {
                        if !scope.own.contains(&slot) {
                            let current = copies.current(store, slots, &before, slot);
                            conjuncts.push(store.mk_eq(callee.entry[position], current));
                        }
                    }
                    let renewed =
                        scope.changed.iter().copied().chain(site.results.iter().map(|r| r.0));
                    let after = copies.renew(store, slots, &before, renewed, depth);
                    let targets = |slot| site.results.iter().any(|r| r.0 == slot);
                    let shared = scope.changed.iter().filter(|&&s| !targets(s)).map(|&s| (s, s));
                    for (to, from) in shared.chain(site.results.iter().copied()) {
                        let value = copies.current(store, slots, &callee.ssa, from);
                        let target = copies.current(store, slots, &after, to);
                        conjuncts.push(store.mk_eq(target, value));
                    }
                    below.extend([caller.last, callee.last]);
                    caller.ssa = after;
                    caller.last = depth;
                    store.mk_and(&conjuncts)
                }
            };
            for piece in below {
                result.parents[piece] = depth;
            }
            result.formulas.push(formula);
            result.parents.push(depth);
        }
        Ok(result)
    }

    /// A formula over state constants, said of the copies after a piece of a run
    /// without calls.
    pub fn said_after(
        &self,
        store: &mut TermStore,
        slots: &Slots,
        piece: usize,
        formula: TermId,
    ) -> TermId {
        let ssa = &self.steps[piece - 1].after;
        // The copies were all made when the run was built.
        Copies::default().at(store, slots, ssa, formula)
    }

    /// The interpolant of a piece, over state and entry constants.
    pub fn to_scope(&self, store: &mut TermStore, interpolant: TermId) -> TermId {
        self.copies.to_state(store, interpolant)
    }
}

/// A term of a call, said of the caller's copies; local constants of the call
/// get copies of their own.
fn said(
    copies: &mut Copies,
    store: &mut TermStore,
    program: &BlockProgram<'_>,
    before: &Ssa,
    site: &CallSite,
    depth: usize,
    term: TermId,
) -> TermId {
    let mut locals: HashMap<TermId, TermId> = HashMap::default();
    for &local in &site.locals {
        locals.insert(local, copies.entry_copy(store, local, depth));
    }
    let term = store.substitute(term, &locals);
    copies.at(store, &program.slots, before, term)
}

//! Paths through calls as trees of formulas: nested words.
//!
//! A path is a list of *pieces* in the order of execution: a step through a
//! block, a call, a return. Each becomes one formula over copies. The formulas
//! form a tree (section 5.2 of "Abstractions from proofs"; in the words of Horn
//! clauses, the derivation of the last piece): a step hangs below the step
//! before it; a return hangs below both the call's caller and the callee's
//! last step. The interpolant of a piece then speaks of what holds at its end
//! and may be said there: the copies of its own activation, globals, and entry
//! values. These are the nested interpolants of Heizmann, Hoenicke, Podelski
//! (POPL 2010).
//!
//! An activation that returned starts from its entry constants alone and so
//! learns a summary; one that did not return before the path ends is bound to
//! its caller at once and learns facts about this caller's arguments. A call
//! may also be summarised: what is known of its exit stands for it.

use crate::block::{BlockProgram, Transition};
use crate::calls::{CallSite, Calls};
use crate::encode::SlotId;
use crate::path_formula::{Copies, Ssa, Step};
use bolide_base::HashMap;
use bolide_terms::{TermId, TermStore};
use std::rc::Rc;

/// One piece of a path.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Where the program starts; always the first, and only there.
    Start,
    /// Through a block.
    Block(Rc<Transition>),
    /// Into a function.
    Call {
        /// The call.
        site: Rc<CallSite>,
        /// Whether the callee returns before the path ends.
        returns: bool,
    },
    /// Out of the function that was entered last.
    Return(Rc<CallSite>),
    /// A whole call.
    Summary {
        /// The call.
        site: Rc<CallSite>,
        /// What is known of the callee's exit, in the callee's scope.
        exit: TermId,
    },
}

/// A path as a tree of formulas.
pub struct NestedPath {
    /// The formulas, in the order of execution; the last is the root.
    pub formulas: Vec<TermId>,
    /// The parent of each formula; the root names itself.
    pub parents: Vec<usize>,
    /// The steps through blocks.
    pub steps: Vec<Step>,
    /// The copies that the formulas speak of.
    pub copies: Copies,
}

/// A function that is being executed.
struct Activation {
    ssa: Ssa,
    /// The piece by which it was entered; 0 for where the program starts.
    first: usize,
    last: usize,
    /// Entry constants of this activation, by the constant of which each is the copy.
    entry_copies: HashMap<TermId, TermId>,
}

impl Activation {
    /// Copies of the entry values in a fact that the scope does not list. Such a value was
    /// not changed since the entry (but for where the program starts, which has no list): the
    /// slot still has it. Given are the new copies.
    fn copy_entries(
        &mut self,
        calls: &Calls,
        store: &mut TermStore,
        copies: &mut Copies,
        fact: TermId,
    ) -> Vec<(SlotId, TermId)> {
        let mut made = Vec::new();
        for constant in store.constants(fact) {
            if let Some(slot) = calls.entry_slot(constant)
                && !self.entry_copies.contains_key(&constant)
            {
                let copy = copies.entry_copy(store, constant, self.first);
                self.entry_copies.insert(constant, copy);
                made.push((slot, copy));
            }
        }
        made
    }
}

impl NestedPath {
    /// The formulas of a path. `known(k)` is a fact about the state after piece
    /// `k`, over state constants, that is assumed there.
    pub fn new(
        program: &BlockProgram<'_>,
        calls: &Calls,
        store: &mut TermStore,
        pieces: &[Piece],
        known: impl Fn(usize) -> TermId,
    ) -> NestedPath {
        let mut builder = Builder {
            program,
            calls,
            path: NestedPath {
                formulas: Vec::new(),
                parents: Vec::new(),
                steps: Vec::new(),
                copies: Copies::default(),
            },
            stack: Vec::new(),
        };
        for (depth, piece) in pieces.iter().enumerate() {
            let mut below = Vec::new();
            let formula = builder.piece(store, depth, piece, &mut below);
            let path = &mut builder.path;
            for child in below {
                path.parents[child] = depth;
            }
            let activation = builder.stack.last_mut().expect("a path starts somewhere");
            // Required: entry values in a fact are those of this activation.
            let unchanged = activation.copy_entries(calls, store, &mut path.copies, known(depth));
            let fact = store.substitute(known(depth), &activation.entry_copies);
            let fact = path.copies.at(store, &program.slots, &activation.ssa, fact);
            let mut conjuncts = vec![formula, fact];
            for (slot, copy) in unchanged {
                if depth == activation.first || activation.first > 0 {
                    let value = path.copies.current(store, &program.slots, &activation.ssa, slot);
                    conjuncts.push(store.mk_eq(copy, value));
                }
            }
            path.formulas.push(store.mk_and(&conjuncts));
            path.parents.push(depth);
        }
        builder.path
    }

    /// The interpolant of a piece, over state and entry constants.
    pub fn to_scope(&self, store: &mut TermStore, interpolant: TermId) -> TermId {
        self.copies.to_state(store, interpolant)
    }

    /// Whether no formula has two formulas below it: then the path is a sequence.
    pub fn is_sequence(&self) -> bool {
        self.parents.iter().enumerate().all(|(k, &p)| p == k + 1 || k + 1 == self.parents.len())
    }
}

struct Builder<'a, 'p> {
    program: &'a BlockProgram<'p>,
    calls: &'a Calls,
    path: NestedPath,
    stack: Vec<Activation>,
}

impl Builder<'_, '_> {
    fn piece(
        &mut self,
        store: &mut TermStore,
        depth: usize,
        piece: &Piece,
        below: &mut Vec<usize>,
    ) -> TermId {
        match piece {
            Piece::Start => {
                let ssa = Ssa::start();
                let copies = &mut self.path.copies;
                let formula = copies.at(store, &self.program.slots, &ssa, self.program.initial());
                let entry_copies = HashMap::default();
                self.stack.push(Activation { ssa, first: depth, last: depth, entry_copies });
                formula
            }
            Piece::Block(transition) => {
                let activation = self.stack.last_mut().expect("a path starts somewhere");
                let (copies, slots) = (&mut self.path.copies, &self.program.slots);
                let step = copies.step(store, slots, &activation.ssa, transition, depth);
                below.push(activation.last);
                activation.ssa = step.after.clone();
                activation.last = depth;
                let formula = step.formula;
                self.path.steps.push(step);
                formula
            }
            Piece::Call { site, returns } => self.call(store, depth, site, *returns, below),
            Piece::Summary { site, exit } => self.summary(store, depth, site, *exit, below),
            Piece::Return(site) => self.give_back(store, depth, site, below),
        }
    }

    fn call(
        &mut self,
        store: &mut TermStore,
        depth: usize,
        site: &CallSite,
        returns: bool,
        below: &mut Vec<usize>,
    ) -> TermId {
        let (copies, slots) = (&mut self.path.copies, &self.program.slots);
        let scope = self.calls.scope_of(site.callee);
        let caller = self.stack.last().expect("somebody calls");
        let mut own: Vec<_> = scope.own.iter().copied().collect();
        own.sort_unstable();
        if returns {
            own.extend(&scope.changed);
        }
        let ssa = copies.renew(store, slots, &caller.ssa, own, depth);
        let mut conjuncts = Vec::new();
        let mut entry_copies = HashMap::default();
        for &(slot, constant) in &scope.entry {
            let copy = copies.entry_copy(store, constant, depth);
            entry_copies.insert(constant, copy);
            let current = copies.current(store, slots, &ssa, slot);
            conjuncts.push(store.mk_eq(copy, current));
        }
        if !returns {
            let before = caller.ssa.clone();
            conjuncts.push(said(copies, store, self.program, &before, site, depth, site.guard));
            for &(slot, argument) in &site.arguments {
                let argument = said(copies, store, self.program, &before, site, depth, argument);
                let current = copies.current(store, slots, &ssa, slot);
                conjuncts.push(store.mk_eq(current, argument));
            }
            below.push(caller.last);
        }
        self.stack.push(Activation { ssa, first: depth, last: depth, entry_copies });
        store.mk_and(&conjuncts)
    }

    fn summary(
        &mut self,
        store: &mut TermStore,
        depth: usize,
        site: &CallSite,
        exit: TermId,
        below: &mut Vec<usize>,
    ) -> TermId {
        let (program, slots) = (self.program, &self.program.slots);
        let copies = &mut self.path.copies;
        let caller = self.stack.last_mut().expect("somebody calls");
        let formula = self.calls.returning(program, store, site, exit);
        let new = self.calls.new_values(program, store, site);
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
        store.mk_and(&[formula, guard])
    }

    fn give_back(
        &mut self,
        store: &mut TermStore,
        depth: usize,
        site: &CallSite,
        below: &mut Vec<usize>,
    ) -> TermId {
        let (program, slots) = (self.program, &self.program.slots);
        let copies = &mut self.path.copies;
        let scope = self.calls.scope_of(site.callee);
        let callee = self.stack.pop().expect("the callee was entered");
        let caller = self.stack.last_mut().expect("somebody calls");
        let before = caller.ssa.clone();
        let guard = said(copies, store, program, &before, site, depth, site.guard);
        let mut conjuncts = vec![guard];
        for &(slot, argument) in &site.arguments {
            let argument = said(copies, store, program, &before, site, depth, argument);
            // Required: what the parameter was, not what became of it.
            let parameter = match scope.entry.iter().find(|e| e.0 == slot) {
                Some((_, constant)) => callee.entry_copies[constant],
                None => copies.current(store, slots, &callee.ssa, slot),
            };
            conjuncts.push(store.mk_eq(parameter, argument));
        }
        for (slot, constant) in &scope.entry {
            if !scope.own.contains(slot) && program.matters(*slot, site.from) {
                let current = copies.current(store, slots, &before, *slot);
                conjuncts.push(store.mk_eq(callee.entry_copies[constant], current));
            }
        }
        let renewed = scope.changed.iter().copied().chain(site.results.iter().map(|r| r.0));
        let after = copies.renew(store, slots, &before, renewed, depth);
        let targets = |slot| site.results.iter().any(|r| r.0 == slot);
        let shared = scope.changed.iter().filter(|&&s| !targets(s)).map(|&s| (s, s));
        // What nobody reads any more is not said to be anything: interpolants would speak of it.
        let read = |&(to, _): &(SlotId, SlotId)| program.matters(to, site.to);
        for (to, from) in shared.chain(site.results.iter().copied()).filter(read) {
            let value = copies.current(store, slots, &callee.ssa, from);
            let target = copies.current(store, slots, &after, to);
            conjuncts.push(store.mk_eq(target, value));
        }
        below.extend([caller.last, callee.last]);
        caller.ssa = after;
        caller.last = depth;
        store.mk_and(&conjuncts)
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

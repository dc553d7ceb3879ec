//! A program as implications between its cut points.
//!
//! Guesses at cut points ([`templates`](crate::templates), [`summaries`](crate::summaries)) prove each other when
//! every way from cut point to cut point leads from what is said of one to what is said of the next: a
//! block, the entry of a called function, the return from it, which assumes what is said of its exit. These are
//! the obligations of a certificate, for [`houdini`](bolide_smt::houdini) to weaken guesses by.

use crate::block::{BlockProgram, Transition};
use crate::calls::{CallSite, Calls};
use crate::folds;
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_smt::houdini::{Implication, Said};
use bolide_terms::{Op, TermId, TermStore};
use std::rc::Rc;

/// One way to come to a cut point.
pub enum Step {
    /// Through a block.
    Block(Rc<Transition>),
    /// Into a called function, by its entry.
    Call(Rc<CallSite>, LocId),
    /// Out of it, by its exit.
    Return(Rc<CallSite>, LocId),
}

impl Step {
    /// Where it starts.
    pub fn from(&self) -> LocId {
        match self {
            Step::Block(transition) => transition.from,
            Step::Call(site, _) | Step::Return(site, _) => site.from,
        }
    }

    /// Where it ends.
    pub fn to(&self) -> LocId {
        match self {
            Step::Block(transition) => transition.to,
            Step::Call(_, entry) => *entry,
            Step::Return(site, _) => site.to,
        }
    }
}

/// All steps that the graph of the program reaches, in the order in which it reaches where they start.
pub fn steps(program: &mut BlockProgram<'_>, calls: &Calls, store: &mut TermStore) -> Vec<Step> {
    let mut locations = vec![program.entry()];
    let mut seen: HashSet<LocId> = locations.iter().copied().collect();
    let mut found: Vec<Step> = Vec::new();
    let (mut next, mut told) = (0, 0);
    while next < locations.len() {
        let from = locations[next];
        if let Some(sites) = calls.at(from) {
            for site in sites.iter() {
                let Some(body) = program.program.functions[site.callee].body else { continue };
                found.push(Step::Call(site.clone(), body.entry));
                found.push(Step::Return(site.clone(), body.exit));
            }
        } else {
            found.extend(program.transitions(store, from).iter().cloned().map(Step::Block));
        }
        locations.extend(found[told..].iter().map(Step::to).filter(|&to| seen.insert(to)));
        (next, told) = (next + 1, found.len());
    }
    found
}

/// What the steps say, and that the program starts in its initial states.
pub fn implications<'a>(
    program: &'a BlockProgram<'_>,
    calls: &'a Calls,
    steps: &'a [Step],
) -> Vec<Implication<'a, LocId>> {
    let entry = program.entry();
    let at_entry: Said<'a> = Box::new(|store, formula| calls.at_entry(program, store, formula));
    let mut found = vec![Implication {
        premises: vec![program.initial()],
        assumed: Vec::new(),
        goal: (entry, at_entry),
    }];
    let only_start = steps.iter().all(|step| step.to() != entry);
    for step in steps {
        let mut before: Said<'a> = Box::new(|_, said| said);
        let mut assumed: Vec<(LocId, Said<'a>)> = Vec::new();
        let mut premises = Vec::new();
        let goal: Said<'a> = match step {
            Step::Block(transition) => {
                premises.push(transition.formula);
                before = Box::new(|store, said| program.at_places(store, said, transition));
                let renaming = transition.new_values(&program.slots);
                Box::new(move |store, formula| {
                    let said = store.substitute(formula, &renaming);
                    // A term that is only looked at.
                    if !store.is_bool(said) {
                        return said;
                    }
                    let laws = folds::laws(store, &[said]);
                    let laws = store.mk_and(&laws);
                    store.mk_implies(laws, said)
                })
            }
            Step::Call(site, _) => {
                premises.push(site.guard);
                Box::new(|store, formula| calls.entering(program, store, site, formula))
            }
            Step::Return(site, exit) => {
                premises.push(site.guard);
                let post: Said<'a> =
                    Box::new(|store, formula| calls.returning(program, store, site, formula));
                assumed.push((*exit, post));
                Box::new(|store, formula| calls.after(program, store, site, formula))
            }
        };
        assumed.insert(0, (step.from(), before));
        // Where nothing leads back to the entry, all that is known of the start is known there.
        if only_start && step.from() == entry {
            premises.push(program.initial());
        }
        found.push(Implication { premises, assumed, goal: (step.to(), goal) });
    }
    found
}

/// The implications of steps, whose number is one less, where `settled` facts hold of where the steps start,
/// and products of unknowns are just numbers. What is inductive under these is inductive.
///
/// Counterexamples to guesses about bounds are easy to find there, and without that hard, or there are none.
pub fn without_products<'a>(
    store: &mut TermStore,
    implications: Vec<Implication<'a, LocId>>,
    steps: &[Step],
    settled: &HashMap<LocId, Vec<TermId>>,
) -> Vec<Implication<'a, LocId>> {
    let hiding = |said: Said<'a>| -> Said<'a> {
        Box::new(move |store, formula| {
            let said = said(store, formula);
            hide_products(store, said)
        })
    };
    let mut found = Vec::new();
    for (number, mut implication) in implications.into_iter().enumerate() {
        // The first is about the start.
        let from = number.checked_sub(1).map(|number| steps[number].from());
        implication.premises.extend(from.and_then(|from| settled.get(&from)).into_iter().flatten());
        let mut hide = |premise| hide_products(store, premise);
        found.push(Implication {
            premises: implication.premises.into_iter().map(&mut hide).collect(),
            assumed: implication.assumed.into_iter().map(|(at, said)| (at, hiding(said))).collect(),
            goal: (implication.goal.0, hiding(implication.goal.1)),
        });
    }
    found
}

/// A formula with a constant for each product of unknowns and each division by one.
pub fn hide_products(store: &mut TermStore, formula: TermId) -> TermId {
    let mut map: HashMap<TermId, TermId> = HashMap::default();
    for term in store.subterms(&[formula]) {
        let divides = matches!(store.op(term), Op::Div | Op::Mod)
            && store.number(store.arg(term, 1)).is_none();
        if divides || store.is_monomial(term) {
            let name = format!("product!{}", term.index());
            map.insert(term, store.mk_const(&name, store.sort(term)));
        }
    }
    if map.is_empty() { formula } else { store.substitute(formula, &map) }
}

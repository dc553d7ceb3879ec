//! Whether a Floyd-Hoare annotation is inductive.
//!
//! It is terms in a store of the engine's: an invariant for each cut point, and
//! for programs with calls a set of contracts, each a function under a precondition with
//! invariants of its own. The audit cuts and encodes the
//! program itself, reads the annotation into a store of its own, refuses what is not
//! well-scoped, and accepts when in every contract (and in the entry function,
//! whose precondition are the initial states)
//!
//! 1. the precondition implies the invariant of the entry;
//! 2. each step that is no call leads from invariant to invariant;
//! 3. at each call some contract's precondition holds of the arguments;
//! 4. the state after a call satisfies the invariant there, assuming of the
//!    call that whichever precondition held, its postcondition does;
//! 5. error locations have the invariant `false`.
//!
//! By induction over the length of a run no error is reached: what 4 assumes
//! of a call was established by the shorter run of the callee. Every
//! obligation is unsatisfiable with a proof that the independent checker accepts.
//!
//! An invariant may mention the index constant, which no step does: it then holds for all
//! indices, and where it is assumed it is assumed of several ([`instances`](bolide_reachability::instances)).
//! That is for annotations without contracts.
//!
//! The blocks are always the large ones: what is inductive over single steps is so over blocks.

use super::known::{self, KnownProofs, Terms};
use crate::prepared::Intervals;
use bolide_base::arena::Id;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::analysis::BlockOptions;
use bolide_cfa::{EdgeId, FunctionId, LocId, Program};
use bolide_reachability::block::{BlockProgram, Transition};
use bolide_reachability::calls::{CallSite, Calls};
use bolide_reachability::encode::{Exactness, Slot};
use bolide_reachability::instances::{is_about_indices, is_index};
use bolide_reachability::results::without_remainders;
use bolide_reachability::verdict::{Annotation, Contract, Reason};
use bolide_reachability::{folds, sums};
use bolide_terms::translate::Translation;
use bolide_terms::{TermId, TermStore};

/// How many obligations were discharged. Where a proof of an obligation is known already, it is checked
/// and no new one is looked for.
///
/// # Errors
/// When the annotation is not inductive or does not exclude all errors, or that was not decided.
pub fn check(
    program: &Program,
    intervals: Intervals<'_>,
    annotation: &Annotation,
    terms: &mut Terms<'_>,
    budget: &Budget,
) -> Result<usize, Reason> {
    let (mut audit, contracts) = Audit::new(program, intervals, annotation, terms, budget)?;
    // The entry function is called by nobody under its first contract.
    let (entry, called) = contracts.split_first().expect("the entry has a contract");
    for contract in std::iter::once(entry).chain(called) {
        audit.contract(contract, called)?;
    }
    Ok(audit.obligations)
}

/// Facts that were proved, and the program that they are about, cut and encoded by the audit.
pub struct Facts<'p> {
    /// The program.
    pub blocks: BlockProgram<'p>,
    /// Its terms.
    pub store: TermStore,
    /// What holds at the cut points that blocks lead to.
    pub facts: HashMap<LocId, TermId>,
    /// How many obligations were discharged.
    pub obligations: usize,
}

/// Whether an annotation of a program without calls holds, whatever it says of errors: these are somebody else's
/// question. A cut point that is not listed has the invariant true, but for the entry, to which nothing leads:
/// there the initial states are.
///
/// # Errors
/// When it is not inductive, or that was not decided.
pub fn facts<'p>(
    program: &'p Program,
    intervals: Intervals<'p>,
    annotation: &Annotation,
    terms: &mut Terms<'_>,
    budget: &Budget,
) -> Result<Facts<'p>, Reason> {
    let (mut audit, mut contracts) = Audit::new(program, intervals, annotation, terms, budget)?;
    if !audit.calls.is_empty() || contracts.len() > 1 {
        return Err(Reason::NotCertified("facts are about programs without calls".into()));
    }
    audit.errors_excluded = false;
    let mut entry = contracts.swap_remove(0);
    let (start, initial) = (audit.blocks.entry(), audit.blocks.initial());
    let is_led_to = !program.locations[start].incoming.is_empty();
    entry.invariants.entry(start).or_insert(if is_led_to { TermId::TRUE } else { initial });
    let (mut pending, mut reached) = (vec![start], HashSet::default());
    while let Some(at) = pending.pop() {
        if reached.insert(at) {
            entry.invariants.entry(at).or_insert(TermId::TRUE);
            pending.extend(audit.blocks.transitions(&mut audit.store, at).iter().map(|t| t.to));
        }
    }
    audit.contract(&entry, &[])?;
    let Audit { blocks, store, obligations, .. } = audit;
    Ok(Facts { blocks, store, facts: entry.invariants, obligations })
}

/// Whether an annotation is made of truth values of the store, about functions of the program.
fn is_about(program: &Program, annotation: &Annotation, store: &TermStore) -> Result<(), Reason> {
    let contracts = &annotation.contracts;
    let of_contracts =
        contracts.iter().flat_map(|c| c.invariants.values().chain([&c.precondition]));
    let mut formulas = annotation.invariants.values().chain(of_contracts);
    let is_formula = |&term: &TermId| term.index() < store.len() && store.is_bool(term);
    let is_known = |contract: &Contract| program.functions.get(contract.function).is_some();
    match formulas.all(is_formula) && contracts.iter().all(is_known) {
        true => Ok(()),
        false => Err(Reason::NotCertified("it is not about this program".into())),
    }
}

/// The annotation as contracts in the audit's own store; first that of the entry function.
fn read(
    annotation: &Annotation,
    foreign: &TermStore,
    store: &mut TermStore,
    entry: FunctionId,
    initial: TermId,
) -> Vec<Contract> {
    let mut translation = Translation::default();
    let mut own = |store: &mut TermStore, invariants: &HashMap<LocId, TermId>| {
        let mut sorted: Vec<(LocId, TermId)> = invariants.iter().map(|(&l, &t)| (l, t)).collect();
        sorted.sort_unstable();
        let translated = sorted
            .into_iter()
            .map(|(location, term)| (location, translation.term(foreign, store, term)));
        translated.collect::<HashMap<LocId, TermId>>()
    };
    let invariants = own(store, &annotation.invariants);
    let mut contracts = vec![Contract { function: entry, precondition: initial, invariants }];
    for contract in &annotation.contracts {
        let function = contract.function;
        let invariants = own(store, &contract.invariants);
        let precondition = Translation::default().term(foreign, store, contract.precondition);
        contracts.push(Contract { function, precondition, invariants });
    }
    contracts
}

/// Heuristic: so many polls of the budget for an obligation without the wrap-around of machine integers.
const PLAIN: u64 = 100_000;

struct Audit<'a, 'p> {
    blocks: BlockProgram<'p>,
    store: TermStore,
    calls: Calls,
    budget: &'a Budget,
    known: &'a mut dyn KnownProofs,
    obligations: usize,
    /// Whether error locations have the invariant `false`.
    errors_excluded: bool,
}

impl<'a, 'p> Audit<'a, 'p> {
    /// The program cut and encoded, and the annotation as contracts, of which the first is that of the entry function.
    fn new(
        program: &'p Program,
        intervals: Intervals<'p>,
        annotation: &Annotation,
        terms: &'a mut Terms<'_>,
        budget: &'a Budget,
    ) -> Result<(Audit<'a, 'p>, Vec<Contract>), Reason> {
        let mut store = TermStore::new();
        let blocks = blocks(program, intervals, &mut store, &terms.exact)?;
        let calls = Calls::new(&blocks, &mut store).map_err(Reason::Unsupported)?;
        is_about(program, annotation, terms.store)?;
        let contracts = read(annotation, terms.store, &mut store, program.entry, blocks.initial());
        let (known, obligations, errors_excluded) = (&mut *terms.known, 0, true);
        let audit = Audit { blocks, store, calls, budget, known, obligations, errors_excluded };
        let alone = contracts.len() == 1;
        contracts.iter().try_for_each(|contract| audit.is_well_scoped(contract, alone))?;
        Ok((audit, contracts))
    }

    /// A contract must speak of its function's variables, of what is shared, and of their values
    /// at its entry: any other constant might be one that the encoding uses itself. Where it is the only one (`alone`),
    /// of all indices as well.
    fn is_well_scoped(&self, contract: &Contract, alone: bool) -> Result<(), Reason> {
        let program = self.blocks.program;
        let own = |constant: &TermId| match self.blocks.slots.of_constant(*constant) {
            Some(slot) => match self.blocks.slots.slot(slot) {
                Slot::Value(var) | Slot::Object(var) | Slot::Offset(var) => {
                    program.variables[var].function.is_none_or(|f| f == contract.function)
                }
                _ => true,
            },
            // Required: what a call assumes of its callee is assumed of one index only.
            None if is_index(&self.store, *constant) => alone,
            None => self.calls.entry_slot(*constant).is_some(),
        };
        let locations = contract.invariants.keys().copied();
        let elsewhere = locations
            .filter(|&l| program.locations.get(l).is_none_or(|l| l.function != contract.function))
            .min();
        if let Some(location) = elsewhere {
            return Err(Reason::NotCertified(format!("{location:?} is not in its function")));
        }
        let formulas = contract.invariants.values().chain([&contract.precondition]);
        match formulas.into_iter().all(|&f| self.store.constants(f).iter().all(own)) {
            true => Ok(()),
            false => Err(Reason::NotCertified("it speaks of what is not in scope".into())),
        }
    }

    fn invariant(&self, contract: &Contract, location: LocId) -> TermId {
        if self.errors_excluded && self.blocks.program.locations[location].error.is_some() {
            return TermId::FALSE;
        }
        contract.invariants.get(&location).copied().unwrap_or(TermId::FALSE)
    }

    fn discharge(&mut self, conjuncts: &[TermId], what: &str) -> Result<(), Reason> {
        self.obligations += 1;
        discharge(&mut self.store, conjuncts, self.budget, self.known, || what.to_owned())
    }

    /// Whether a goal about sums follows where remainders by large numbers are functions of which nothing is known: sums are
    /// equal or not whatever is computed of them. What is proved so is proved of remainders.
    fn follows_without_remainders(
        &mut self,
        before: TermId,
        transition: &Transition,
        goal: TermId,
        renaming: &HashMap<TermId, TermId>,
    ) -> Result<bool, Reason> {
        let store = &mut self.store;
        let plain = without_remainders(store, goal);
        if sums::symbols(store, goal).is_empty() || plain == goal {
            return Ok(false);
        }
        let goal = store.substitute(plain, renaming);
        let mut conjuncts = folds::laws(store, &[goal]);
        conjuncts.extend([before, transition.formula, store.mk_not(goal)]);
        let conjuncts: Vec<TermId> =
            conjuncts.into_iter().map(|c| without_remainders(store, c)).collect();
        let budget = self.budget.child_for("sums", PLAIN);
        let found = discharge(store, &conjuncts, &budget, self.known, String::new).is_ok();
        self.budget.poll()?;
        self.obligations += usize::from(found);
        Ok(found)
    }

    fn contract(&mut self, contract: &Contract, called: &[Contract]) -> Result<(), Reason> {
        let function = &self.blocks.program.functions[contract.function];
        let name = function.name.clone();
        let body = function
            .body
            .ok_or_else(|| Reason::NotCertified(format!("`{name}` has no body to speak about")))?;
        let at_entry = self.invariant(contract, body.entry);
        let at_entry = self.calls.at_entry(&self.blocks, &mut self.store, at_entry);
        let before = self.calls.at_entry(&self.blocks, &mut self.store, contract.precondition);
        let goal = self.store.mk_not(at_entry);
        self.discharge(&[before, goal], &format!("the entry of `{name}`"))?;
        let mut sources: Vec<LocId> = contract.invariants.keys().copied().collect();
        sources.sort_unstable();
        for from in sources {
            let before = self.invariant(contract, from);
            if before == TermId::FALSE {
                continue;
            }
            if let Some(sites) = self.calls.at(from) {
                for site in sites.iter() {
                    self.call(contract, called, site, before, &name)?;
                }
                continue;
            }
            for transition in self.blocks.transitions(&mut self.store, from).iter() {
                let after = self.invariant(contract, transition.to);
                // The invariant of the target, said of the new values.
                let renaming: HashMap<TermId, TermId> = transition
                    .outputs
                    .iter()
                    .map(|&(slot, value)| (self.blocks.slots.constant(slot), value))
                    .collect();
                let before = self.blocks.at_places(&mut self.store, before, transition);
                let what = format!("the step in `{name}` from {from:?} to {:?}", transition.to);
                for goal in goals(&mut self.store, after) {
                    if self.follows_without_remainders(before, transition, goal, &renaming)? {
                        continue;
                    }
                    let goal = self.store.substitute(goal, &renaming);
                    let mut conjuncts = folds::laws(&mut self.store, &[goal]);
                    conjuncts.extend([before, transition.formula, self.store.mk_not(goal)]);
                    self.discharge(&conjuncts, &what)?;
                }
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        contract: &Contract,
        called: &[Contract],
        site: &CallSite,
        before: TermId,
        name: &str,
    ) -> Result<(), Reason> {
        let (blocks, store) = (&self.blocks, &mut self.store);
        let exit = blocks.program.functions[site.callee].body.map(|b| b.exit);
        let (mut preconditions, mut assumed) = (Vec::new(), vec![before, site.guard]);
        for callee in called.iter().filter(|c| c.function == site.callee) {
            let pre = self.calls.entering(blocks, store, site, callee.precondition);
            preconditions.push(pre);
            let post = exit.and_then(|exit| callee.invariants.get(&exit).copied());
            let post = post.unwrap_or(TermId::FALSE);
            let post = self.calls.returning(blocks, store, site, post);
            assumed.push(store.mk_implies(pre, post));
        }
        let some = store.mk_or(&preconditions);
        let none = store.mk_not(some);
        let what = format!("the precondition of the call in `{name}` at {:?}", site.from);
        self.discharge(&[before, site.guard, none], &what)?;
        let after = self.invariant(contract, site.to);
        let after = self.calls.after(&self.blocks, &mut self.store, site, after);
        assumed.push(self.store.mk_not(after));
        let what = format!("the state after the call in `{name}` at {:?}", site.from);
        self.discharge(&assumed, &what)
    }
}

/// The conjuncts of a formula that are about all indices one by one, which is easier to prove than to find out which of them
/// fails; before them the others together.
fn goals(store: &mut TermStore, formula: TermId) -> Vec<TermId> {
    let (of_indices, others): (Vec<TermId>, Vec<TermId>) =
        store.conjuncts(formula).into_iter().partition(|&c| is_about_indices(store, c));
    let others = store.mk_and(&others);
    std::iter::once(others).chain(of_indices).collect()
}

/// The program cut and encoded, of which no edge is lost.
pub fn blocks<'p>(
    program: &'p Program,
    intervals: Intervals<'p>,
    store: &mut TermStore,
    exact: &Exactness,
) -> Result<BlockProgram<'p>, Reason> {
    let cuts = BlockOptions { calls: true, single: false };
    let mut blocks = BlockProgram::new(program, store, cuts, intervals);
    blocks.slots.exact = exact.clone();
    blocks_are_complete(&blocks)?;
    Ok(blocks)
}

/// The blocks must not lose an edge: from every cut point, whatever can be run
/// to another cut point must be in its block. Found here by a search of our own.
fn blocks_are_complete(program: &BlockProgram<'_>) -> Result<(), Reason> {
    let (cfa, blocks) = (program.program, &program.blocks);
    let missing = |what: String| Err(Reason::NotCertified(what));
    // Locations from which a cut point can be reached, backwards from all of them.
    let before = |at: LocId| cfa.locations[at].incoming.iter().map(|&e| cfa.edges[e].from);
    let useful = closure(cfa.locations.ids().filter(|&l| blocks.is_cut(l)), before);
    for (location, description) in cfa.locations.iter() {
        if description.error.is_some()
            && !description.incoming.is_empty()
            && !blocks.is_cut(location)
        {
            return missing(format!("the error location {location:?} is no cut point"));
        }
    }
    // What the graphs of functions reach from their entries.
    let after = |at: LocId| cfa.locations[at].outgoing.iter().map(|&e| cfa.edges[e].to);
    let reached = closure(cfa.functions.values().filter_map(|f| Some(f.body?.entry)), after);
    for head in cfa.locations.ids().filter(|l| blocks.is_cut(*l) && reached.contains(l)) {
        let block: HashSet<EdgeId> = blocks
            .starting(head)
            .map(|id| blocks.get(id).edges.iter().copied().collect())
            .unwrap_or_default();
        let mut seen: HashSet<LocId> = std::iter::once(head).collect();
        let mut pending = vec![head];
        while let Some(at) = pending.pop() {
            for &edge in &cfa.locations[at].outgoing {
                let to = cfa.edges[edge].to;
                if !useful.contains(&to) {
                    continue;
                }
                if !block.contains(&edge) {
                    return missing(format!("the block at {head:?} lacks the edge {edge:?}"));
                }
                if !blocks.is_cut(to) && seen.insert(to) {
                    pending.push(to);
                }
            }
        }
    }
    Ok(())
}

/// All locations that are reached from some by such steps.
fn closure<I: Iterator<Item = LocId>>(
    from: impl Iterator<Item = LocId>,
    step: impl Fn(LocId) -> I,
) -> HashSet<LocId> {
    let mut pending: Vec<LocId> = from.collect();
    let mut seen: HashSet<LocId> = pending.iter().copied().collect();
    while let Some(at) = pending.pop() {
        pending.extend(step(at).filter(|&next| seen.insert(next)));
    }
    seen
}

/// One obligation: the conjunction must be unsatisfiable, with a proof that
/// the checker accepts.
fn discharge(
    store: &mut TermStore,
    conjuncts: &[TermId],
    budget: &Budget,
    known: &mut dyn KnownProofs,
    what: impl Fn() -> String,
) -> Result<(), Reason> {
    budget.poll()?;
    if known::refuted(known, store, conjuncts) {
        return Ok(());
    }
    bolide_smt::discharge::discharge(store, conjuncts, budget, what).map(drop)
}

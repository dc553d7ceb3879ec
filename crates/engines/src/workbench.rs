//! What every engine works with: terms, a prover, the program in blocks, and paper to write on.
//!
//! Each engine gets one of its own, so that engines that run side by side share
//! nothing but the task, which nobody changes.

use crate::picture::Picture;
use crate::task::Task;
use bolide_base::budget::Phase;
use bolide_base::{Budget, HashMap};
use bolide_cfa::LocId;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::encode::Exactness;
use bolide_reachability::facts;
use bolide_reachability::prover::{self, Prover};
use bolide_reachability::verdict::Annotation;
use bolide_terms::{TermId, TermStore};
use bolide_verdict::audit::{KnownProofs, NoProofs};

/// What happened on the way of one engine.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// What the solver was asked.
    pub prover: prover::Statistics,
    /// Locations and edges of the explored program.
    pub explored: (usize, usize),
    /// Facts that it began with and did not find itself.
    pub guessed: usize,
    /// Which part of it decided, where it has several.
    pub part: Option<&'static str>,
    /// How far the engine came, in its own words.
    pub figures: Vec<(&'static str, u64)>,
    /// What the engine drew or tabulated, if it was asked to: file names and contents.
    pub drawings: Vec<(String, String)>,
    /// The engine's graphs and where it needed how many predicates, if it was asked to show them.
    pub picture: Picture,
}

/// What an engine works with.
pub struct Workbench<'t> {
    task: &'t Task<'t>,
    /// Its terms; those of the certificate among them.
    pub store: TermStore,
    /// Whom it asks; with the budget.
    pub prover: Prover,
    /// What it tells of its way.
    pub statistics: Statistics,
    /// Proofs that the audit may use.
    pub known: Box<dyn KnownProofs>,
    /// Which operations of its blocks are the machine's.
    pub exact: Exactness,
    /// What the blocks assume.
    assumed: HashMap<LocId, TermId>,
}

impl<'t> Workbench<'t> {
    /// An empty one.
    pub fn new(task: &'t Task<'t>, budget: &Budget) -> Workbench<'t> {
        let program = &task.programs.flattest().mapped.program;
        Workbench {
            task,
            store: TermStore::new(),
            prover: Prover::new(budget.clone()),
            statistics: Statistics {
                explored: (program.locations.len(), program.edges.len()),
                picture: Picture { wanted: task.orders.pictures, ..Picture::default() },
                ..Statistics::default()
            },
            known: Box::new(NoProofs),
            exact: task.orders.exact.clone(),
            assumed: HashMap::default(),
        }
    }

    /// Everything from the start.
    pub fn clear(&mut self) {
        *self = Workbench::new(self.task, &self.budget());
    }

    /// The budget.
    pub fn budget(&self) -> Budget {
        self.prover.budget().clone()
    }

    /// The program for formulas, cut into blocks; each location is a cut point where that is wanted.
    pub fn blocks(&mut self, single: bool) -> BlockProgram<'t> {
        self.assumed.clear();
        self.prover.budget().progress().enter(Phase::Exploring);
        let mut blocks = self.task.blocks(&mut self.store, single);
        blocks.slots.exact = self.exact.clone();
        blocks
    }

    /// The same, with facts that were guessed before: blocks assume them, and so does what is concluded
    /// from these blocks.
    pub fn blocks_with_facts(&mut self, single: bool) -> BlockProgram<'t> {
        let mut blocks = self.blocks(single);
        if let Some(found) = self.task.facts() {
            self.statistics.guessed = found.values().map(Vec::len).sum();
            self.assumed = facts::conjunctions(&blocks, &mut self.store, found);
            let known = if single { self.said_before_blocks() } else { self.assumed.clone() };
            blocks.assume_invariants(&known);
        }
        blocks
    }

    /// What the blocks assume, and what it means at the places that the whole block after it reads and writes: a
    /// statement alone knows of its own places only, and a fact about all cells is of no use to the others.
    fn said_before_blocks(&mut self) -> HashMap<LocId, TermId> {
        let mut whole = self.task.blocks(&mut self.store, false);
        whole.slots.exact = self.exact.clone();
        let mut locations: Vec<LocId> = self.assumed.keys().copied().collect();
        locations.sort_unstable();
        let mut known = self.assumed.clone();
        for location in locations {
            let mut said = vec![known[&location]];
            for block in whole.transitions(&mut self.store, location).iter() {
                let placed = whole.at_places(&mut self.store, known[&location], block);
                for conjunct in self.store.conjuncts(placed) {
                    let inside = |constant: &TermId| block.locals.contains(constant);
                    if !self.store.constants(conjunct).iter().any(inside) {
                        said.push(conjunct);
                    }
                }
            }
            known.insert(location, self.store.mk_and(&said));
        }
        known
    }

    /// What the blocks assume.
    pub fn assumed(&self) -> Annotation {
        Annotation { invariants: self.assumed.clone(), contracts: Vec::new() }
    }

    /// An annotation of the blocks is one of the program together with what they assume.
    pub fn complete(&mut self, annotation: &mut Annotation) {
        for (location, invariant) in &mut annotation.invariants {
            if let Some(&known) = self.assumed.get(location) {
                *invariant = self.store.mk_and(&[*invariant, known]);
            }
        }
    }
}

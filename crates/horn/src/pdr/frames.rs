//! What the engine knows: lemmas in frames, facts, and the solver of each clause.

use crate::exchange::Desk;
use crate::system::{Atom, Clause, Figures, Interpretation, RelationId, System};
use bolide_base::{Budget, HashMap, HashSet};
use bolide_smt::solver::Solver;
use bolide_terms::{TermId, TermStore};

/// A lemma: no state of the cube is reachable within the level.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    /// Sorted literals over the parameters.
    pub cube: Vec<TermId>,
    /// The negation of the cube.
    pub formula: TermId,
    pub level: u32,
}

/// A cube all of whose states are derivable.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// Over the parameters of the relation that the head of the clause names.
    pub formula: TermId,
    pub clause: usize,
    /// One fact for each body atom.
    pub premises: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct RelationState {
    pub lemmas: Vec<Lemma>,
    /// Every lemma with each level it ever had, for the solvers to catch up.
    pub events: Vec<(TermId, u32)>,
    pub facts: Vec<usize>,
    /// Clauses with this head.
    pub definitions: Vec<usize>,
}

/// What a clause's solver knows.
pub(super) struct ClauseState {
    pub(super) solver: Option<Solver>,
    /// For each body atom: how many events of its relation were asserted.
    pub(super) events: Vec<usize>,
    /// For each body atom: instances of the facts of its relation.
    pub(super) facts: Vec<Vec<TermId>>,
    /// For each body atom: the literal of the facts asserted so far.
    pub(super) chains: Vec<Option<TermId>>,
    /// For each body atom: how many facts are in the chain.
    pub(super) chained: Vec<usize>,
    /// How many events the solver was given in all.
    pub(super) load: usize,
}

impl ClauseState {
    pub(super) fn new(clause: &Clause) -> ClauseState {
        let n = clause.body.len();
        ClauseState {
            solver: None,
            events: vec![0; n],
            facts: vec![Vec::new(); n],
            chains: vec![None; n],
            chained: vec![0; n],
            load: 0,
        }
    }
}

/// The level of what holds at all levels.
pub(super) const ALWAYS: u32 = u32::MAX;

/// Counts for the statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The highest level that was reached.
    pub level: u32,
    /// Lemmas learnt.
    pub lemmas: usize,
    /// Facts found.
    pub facts: usize,
    /// Obligations looked at.
    pub obligations: usize,
    /// Formulas that others told.
    pub told: usize,
}

impl Statistics {
    /// For people who want to know more.
    pub fn figures(&self) -> Figures {
        vec![
            ("levels of reachability", u64::from(self.level)),
            ("lemmas", self.lemmas as u64),
            ("facts", self.facts as u64),
            ("obligations of reachability", self.obligations as u64),
            ("formulas that reachability was told", self.told as u64),
        ]
    }
}

/// The engine.
pub struct Pdr<'a> {
    pub(super) store: &'a mut TermStore,
    pub(super) system: &'a System,
    pub(super) budget: &'a Budget,
    /// Known to hold of everything derivable.
    pub(super) invariants: Interpretation,
    pub(super) relations: HashMap<RelationId, RelationState>,
    pub(super) clauses: Vec<ClauseState>,
    pub(super) queries: Vec<usize>,
    pub(super) facts: Vec<Fact>,
    pub(super) statistics: Statistics,
    /// Where others tell what they know.
    pub(super) desk: Option<Desk<'a>>,
    /// Lemmas that others were told.
    pub(super) told: HashSet<(RelationId, TermId)>,
}

impl<'a> Pdr<'a> {
    pub(super) fn new(
        store: &'a mut TermStore,
        system: &'a System,
        invariants: Interpretation,
        desk: Option<Desk<'a>>,
        budget: &'a Budget,
    ) -> Pdr<'a> {
        let mut defined = system.definitions();
        let mut state = |id| {
            let definitions = defined.remove(&id).unwrap_or_default();
            (id, RelationState { definitions, ..RelationState::default() })
        };
        let relations = system.relations.ids().map(&mut state).collect();
        let is_query = |&number: &usize| system.clauses[number].head.is_none();
        let queries = (0..system.clauses.len()).filter(is_query).collect();
        let clauses = system.clauses.iter().map(ClauseState::new).collect();
        Pdr {
            store,
            system,
            budget,
            invariants,
            relations,
            clauses,
            queries,
            facts: Vec::new(),
            statistics: Statistics::default(),
            desk,
            told: HashSet::default(),
        }
    }

    /// The clauses with that head, or the queries.
    pub(super) fn definitions(&self, relation: Option<RelationId>) -> Vec<usize> {
        match relation {
            Some(relation) => self.relations[&relation].definitions.clone(),
            None => self.queries.clone(),
        }
    }

    /// The lemmas about the relation of a body atom that hold at a level, and the invariant, said
    /// of its arguments.
    pub(super) fn frame(&mut self, atom: &Atom, level: u32) -> Vec<TermId> {
        let mut known = vec![self.system.instance(self.store, &self.invariants, atom)];
        for lemma in &self.relations[&atom.relation].lemmas {
            if lemma.level >= level {
                known.push(self.system.instantiate(self.store, lemma.formula, atom));
            }
        }
        known
    }

    /// Adds a lemma and drops those that it implies.
    pub(super) fn add_lemma(&mut self, relation: RelationId, mut cube: Vec<TermId>, level: u32) {
        cube.sort_unstable();
        cube.dedup();
        let conjunction = self.store.mk_and(&cube);
        let formula = self.store.mk_not(conjunction);
        let state = self.relations.get_mut(&relation).expect("every relation has a state");
        let contains = |lemma: &Lemma| cube.iter().all(|l| lemma.cube.binary_search(l).is_ok());
        state.lemmas.retain(|lemma| !(lemma.level <= level && contains(lemma)));
        state.events.push((formula, level));
        state.lemmas.push(Lemma { cube, formula, level });
        self.statistics.lemmas += 1;
    }

    /// All lemmas above a level.
    pub(super) fn solution(&mut self, level: u32) -> Interpretation {
        let mut result = Interpretation::new();
        for relation in self.system.relations.ids() {
            let mut parts = vec![self.invariants.get(relation)];
            for lemma in &self.relations[&relation].lemmas {
                if lemma.level > level {
                    parts.push(lemma.formula);
                }
            }
            let formula = self.store.mk_and(&parts);
            result.set(relation, formula);
        }
        result
    }
}

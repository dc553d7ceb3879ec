//! Interpolant automata.
//!
//! A state of the automaton is a predicate (Definition 2). What the difference
//! needs is a deterministic view: a [`MacroId`] is a set of states, that is a
//! set of predicates known to hold; `FALSE` says that the trace read so far
//! is infeasible. The set grows with what Hoare triples say, found on demand:
//!
//! - *enhanced*: after a letter hold all predicates of the automaton whose
//!   triple is valid, with the conjunction of the present set as precondition. That
//!   covers all speculative edges of section 6 at once: statements outside of the
//!   trace, all pairs of positions, subsumed states.
//! - *canonical*: only the edges of Definition 3, states with equal interpolants merged.
//!   The view is then the subset construction.
//! - *bitvectors*: the automaton of a predicate abstraction, see `bitvectors`.
//!
//! The complement of such a deterministic automaton is the same graph with the other
//! states final; nothing is ever complemented explicitly.

use super::alphabet::LetterId;
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet, define_id};
use bolide_cfa::{FunctionId, LocId};
use bolide_terms::{Op, TermId, TermStore};

define_id!(
    /// A set of states of one automaton.
    pub struct MacroId
);

impl MacroId {
    /// Nothing is known. (Of a canonical automaton: it is in no state at all.)
    pub const TRUE: MacroId = MacroId(0);
    /// The trace is infeasible: the automaton accepts it.
    pub const FALSE: MacroId = MacroId(1);
}

/// A predicate of an automaton.
#[derive(Clone, Debug)]
pub struct State {
    /// The predicate; never `false` in an enhanced automaton.
    pub predicate: TermId,
    /// The functions whose own variables it mentions.
    pub scope: HashSet<FunctionId>,
}

/// An edge of a canonical automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// From this state,
    pub from: u32,
    /// for returns together with this state of the caller,
    pub caller: Option<u32>,
    /// by this letter,
    pub letter: LetterId,
    /// to this state.
    pub to: u32,
}

/// What a step of the deterministic view depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Situation {
    /// The set before the letter; for a return that of the callee's exit.
    pub from: MacroId,
    /// For a return, the set where the call was made.
    pub caller: MacroId,
    /// The background's set in the same places: what holds anyway.
    pub background: (MacroId, MacroId),
    /// The letter.
    pub letter: LetterId,
    /// Where it leads: predicates about dead variables are not asked for.
    pub place: LocId,
    /// Only infeasibility matters: the letter leads to an error.
    pub last: bool,
}

/// Which interpolant automata are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Construction {
    /// Only the edges of Definition 3.
    Canonical,
    /// All edges whose Hoare triples hold, on demand.
    #[default]
    Enhanced,
}

/// Where an automaton comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Facts that hold anyway, found before the search.
    Background,
    /// The refutation of an error trace of this length.
    Trace(usize),
    /// The database.
    Database,
}

/// An automaton that accepts infeasible traces only.
pub struct InterpolantAutomaton {
    /// Its states.
    pub states: Vec<State>,
    /// For a canonical automaton: its edges, sorted.
    pub edges: Option<Vec<Edge>>,
    /// For the automaton of a predicate abstraction: the predicates. Its states
    /// are bitvectors, and a set of them is a disjunction.
    pub bitvectors: Option<Vec<TermId>>,
    /// Where it comes from.
    pub source: Source,
    known_bitvectors: HashMap<Vec<bool>, u32>,
    sets: Vec<Vec<u32>>,
    ids: HashMap<Vec<u32>, MacroId>,
    formulas: Vec<TermId>,
    /// The steps of the deterministic view taken so far.
    delta: HashMap<Situation, MacroId>,
}

impl InterpolantAutomaton {
    /// An enhanced automaton over these predicates.
    pub fn enhanced(
        predicates: Vec<TermId>,
        scope: impl Fn(TermId) -> HashSet<FunctionId>,
        source: Source,
    ) -> Self {
        let states = predicates
            .into_iter()
            .map(|predicate| State { predicate, scope: scope(predicate) })
            .collect();
        Self::new(states, None, source)
    }

    /// A canonical automaton.
    pub fn canonical(states: Vec<State>, mut edges: Vec<Edge>, source: Source) -> Self {
        edges.sort_unstable();
        edges.dedup();
        Self::new(states, Some(edges), source)
    }

    /// The automaton of a predicate abstraction.
    pub fn predicate_abstraction(predicates: Vec<TermId>) -> Self {
        let automaton = Self::new(Vec::new(), None, Source::Trace(0));
        InterpolantAutomaton { bitvectors: Some(predicates), ..automaton }
    }

    /// The state of a bitvector over these predicates.
    pub fn bitvector(
        &mut self,
        store: &mut TermStore,
        predicates: &[TermId],
        bits: Vec<bool>,
    ) -> u32 {
        if let Some(&known) = self.known_bitvectors.get(&bits) {
            return known;
        }
        let literals: Vec<TermId> = predicates
            .iter()
            .zip(&bits)
            .map(|(&p, &bit)| if bit { p } else { store.mk_not(p) })
            .collect();
        let (predicate, scope) = (store.mk_and(&literals), HashSet::default());
        let state = self.states.len() as u32;
        self.states.push(State { predicate, scope });
        self.known_bitvectors.insert(bits, state);
        state
    }

    fn new(states: Vec<State>, edges: Option<Vec<Edge>>, source: Source) -> Self {
        let mut automaton = InterpolantAutomaton {
            states,
            edges,
            bitvectors: None,
            known_bitvectors: HashMap::default(),
            source,
            sets: vec![Vec::new(), Vec::new()],
            ids: HashMap::default(),
            formulas: vec![TermId::TRUE, TermId::FALSE],
            delta: HashMap::default(),
        };
        automaton.ids.insert(Vec::new(), MacroId::TRUE);
        automaton
    }

    /// Its predicates.
    pub fn predicates(&self) -> Vec<TermId> {
        self.states.iter().map(|s| s.predicate).collect()
    }

    /// Forgets the steps taken so far: what they were taken with has changed.
    pub fn forget_steps(&mut self) {
        self.delta.clear();
    }

    /// The set of these states.
    pub fn intern(&mut self, store: &mut TermStore, mut members: Vec<u32>) -> MacroId {
        members.sort_unstable();
        members.dedup();
        let disjunction = self.bitvectors.is_some();
        let is_false = |&m: &u32| self.states[m as usize].predicate == TermId::FALSE;
        if if disjunction { members.is_empty() } else { members.iter().any(is_false) } {
            return MacroId::FALSE;
        }
        if let Some(&known) = self.ids.get(&members) {
            return known;
        }
        let parts: Vec<TermId> =
            members.iter().map(|&m| self.states[m as usize].predicate).collect();
        let id = MacroId::from_index(self.sets.len());
        self.formulas.push(if disjunction { store.mk_or(&parts) } else { store.mk_and(&parts) });
        self.ids.insert(members.clone(), id);
        self.sets.push(members);
        id
    }

    /// The states in a set.
    pub fn members(&self, set: MacroId) -> &[u32] {
        &self.sets[set.index()]
    }

    /// What is known in a set: the conjunction of its predicates, the disjunction
    /// of its bitvectors.
    pub fn formula(&self, set: MacroId) -> TermId {
        self.formulas[set.index()]
    }

    /// Whether everything known in `weaker` is known in `stronger`.
    pub fn subsumes(&self, weaker: MacroId, stronger: MacroId) -> bool {
        if weaker == stronger || weaker == MacroId::TRUE || stronger == MacroId::FALSE {
            return true;
        }
        if weaker == MacroId::FALSE {
            return false;
        }
        let (strong, weak) = (self.members(stronger), self.members(weaker));
        match self.bitvectors.is_some() {
            false => weak.iter().all(|m| strong.binary_search(m).is_ok()),
            true => {
                stronger != MacroId::TRUE && strong.iter().all(|m| weak.binary_search(m).is_ok())
            }
        }
    }

    /// A step that was taken before.
    pub fn known_step(&self, situation: &Situation) -> Option<MacroId> {
        self.delta.get(situation).copied()
    }

    /// Remembers a step.
    pub fn record(&mut self, situation: Situation, to: MacroId) {
        self.delta.insert(situation, to);
    }

    /// The step of a canonical automaton.
    pub fn subset_step(&mut self, store: &mut TermStore, situation: &Situation) -> MacroId {
        let from = self.members(situation.from);
        let caller = self.members(situation.caller);
        let edges = self.edges.as_deref().unwrap_or_default();
        let to: Vec<u32> = edges
            .iter()
            .filter(|e| e.letter == situation.letter && from.binary_search(&e.from).is_ok())
            .filter(|e| e.caller.is_none_or(|c| caller.binary_search(&c).is_ok()))
            .map(|e| e.to)
            .collect();
        self.intern(store, to)
    }

    /// All steps taken so far, in a fixed order.
    pub fn steps(&self) -> Vec<(Situation, MacroId)> {
        let mut all: Vec<_> = self.delta.iter().map(|(&s, &t)| (s, t)).collect();
        all.sort_unstable();
        all
    }
}

/// Clauses that a disjunction of conjunctions is split into at most.
const CLAUSES: usize = 8;

/// A disjunction in which something is a conjunction, as clauses: some of them may be
/// inductive where the others are not.
fn clauses(store: &mut TermStore, disjunction: TermId) -> Option<Vec<TermId>> {
    let parts = |store: &TermStore, t| match store.op(t) {
        Op::And => store.args(t).to_vec(),
        _ => vec![t],
    };
    let disjuncts: Vec<Vec<TermId>> =
        store.args(disjunction).iter().map(|&d| parts(store, d)).collect();
    let count = disjuncts.iter().try_fold(1_usize, |n, d| n.checked_mul(d.len()))?;
    if !(2..=CLAUSES).contains(&count) {
        return None;
    }
    let mut clauses: Vec<Vec<TermId>> = vec![Vec::new()];
    for disjunct in &disjuncts {
        let longer = |clause: &Vec<TermId>| {
            let clause = clause.clone();
            let with = move |&part| [clause.as_slice(), &[part]].concat();
            disjunct.iter().map(with).collect::<Vec<_>>()
        };
        clauses = clauses.iter().flat_map(longer).collect();
    }
    Some(clauses.into_iter().map(|clause| store.mk_or(&clause)).collect())
}

/// The predicates that an enhanced automaton has for a sequence of
/// interpolants: conjuncts, also inside of disjunctions, and of an equality between
/// numbers both halves.
pub fn predicates_of(store: &mut TermStore, interpolants: &[TermId]) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    let mut seen: HashSet<TermId> = HashSet::default();
    for &interpolant in interpolants {
        let mut pending = vec![interpolant];
        while let Some(t) = pending.pop() {
            if t == TermId::TRUE || t == TermId::FALSE || !seen.insert(t) {
                continue;
            }
            match store.op(t) {
                Op::And => pending.extend(store.args(t).iter().rev()),
                Op::Or => match clauses(store, t) {
                    Some(clauses) => pending.extend(clauses.into_iter().rev()),
                    None => found.push(t),
                },
                _ => {
                    found.push(t);
                    pending.extend(store.halves(t).into_iter().rev());
                }
            }
        }
    }
    found
}

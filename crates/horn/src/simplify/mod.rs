//! Simplification of systems, with a way back for every answer.
//!
//! Each pass makes an equisatisfiable system of fewer relations, arguments or
//! clauses and leaves a [`Trail`] entry that turns an interpretation of the
//! new system into one of the old. Every clause carries the [`Skeleton`] of
//! original clauses that it stands for, from which a derivation of the
//! original system is rebuilt (`back`).
//!
//! - *slicing*: relations that no fact reaches are `false`, relations from
//!   which no query is reached are `true`;
//! - *solving*: a variable that equals a term is replaced by it;
//! - *inlining*: a relation that does not call itself is resolved away where
//!   this makes no more clauses;
//! - *merging*: clauses with the same relations become one whose constraint is
//!   a disjunction; with inlining this is large-block encoding;
//! - *constants*: an argument that is the same number in all heads is no argument;
//! - *unused arguments*: what nobody looks at is dropped.

mod arguments;
mod back;
mod inline;

use crate::system::{Clause, RelationId, System};
use bolide_base::{Budget, HashMap, HashSet};
use bolide_terms::{TermId, TermStore};

/// The original clauses that a clause stands for.
#[derive(Clone, Debug)]
pub(crate) enum Skeleton {
    /// One of them.
    Clause {
        /// Its number.
        clause: usize,
        /// How the atoms of its body are derived.
        premises: Vec<Premise>,
    },
    /// Any of these.
    Choice(Vec<Skeleton>),
}

/// How an atom of an original clause is derived.
#[derive(Clone, Debug)]
pub(crate) enum Premise {
    /// By the atom with this position in the body of the new clause.
    Open(usize),
    /// Inside.
    Derived(Box<Skeleton>),
}

impl Skeleton {
    fn size(&self) -> usize {
        match self {
            Skeleton::Choice(choices) => choices.iter().map(Skeleton::size).sum(),
            Skeleton::Clause { premises, .. } => {
                let inner = premises.iter().map(|premise| match premise {
                    Premise::Open(_) => 0,
                    Premise::Derived(inner) => inner.size(),
                });
                1 + inner.sum::<usize>()
            }
        }
    }

    /// Replaces open premises.
    fn map(&self, f: &mut impl FnMut(usize) -> Premise) -> Skeleton {
        match self {
            Skeleton::Choice(choices) => {
                Skeleton::Choice(choices.iter().map(|choice| choice.map(f)).collect())
            }
            Skeleton::Clause { clause, premises } => Skeleton::Clause {
                clause: *clause,
                premises: premises
                    .iter()
                    .map(|premise| match premise {
                        Premise::Open(position) => f(*position),
                        Premise::Derived(inner) => Premise::Derived(Box::new(inner.map(f))),
                    })
                    .collect(),
            },
        }
    }
}

/// How to extend an interpretation of the newer system to the older one.
#[derive(Clone, Debug)]
pub(crate) enum Trail {
    /// The relation is this, whatever the others are.
    Fixed(RelationId, TermId),
    /// The argument is always this number.
    Constant { relation: RelationId, parameter: TermId, value: TermId },
    /// The relation was resolved away: its definitions and its uses.
    Inlined {
        relation: RelationId,
        definitions: Vec<Clause>,
        uses: Vec<Clause>,
        /// The parameters that the relations of these clauses had then.
        parameters: HashMap<RelationId, Vec<TermId>>,
    },
}

/// A simplified system and the way back.
pub struct Simplified {
    /// What is left to solve. Relations keep their ids and parameters; those that are
    /// gone have no clauses, and of dropped arguments nothing is said.
    pub system: System,
    pub(crate) skeletons: Vec<Skeleton>,
    pub(crate) trail: Vec<Trail>,
    /// For each relation the positions of the arguments that are left.
    pub(crate) kept: HashMap<RelationId, Vec<usize>>,
    /// The parameters before arguments were dropped.
    pub(crate) original: System,
}

/// Simplifies a system.
pub fn simplify(store: &mut TermStore, original: &System, budget: &Budget) -> Simplified {
    let mut state = Simplified::start(original);
    // Heuristic: three rounds find nearly everything.
    for _ in 0..3 {
        let before = (state.system.clauses.len(), state.trail.len());
        state.slice();
        state.solve_equalities(store);
        state.constant_arguments(store);
        state.unused_arguments(store);
        state.inline(store, budget);
        if budget.poll().is_err() || before == (state.system.clauses.len(), state.trail.len()) {
            break;
        }
    }
    state.slice();
    state.unused_arguments(store);
    state
}

/// The system without arguments on which no constraint and no query depends.
pub fn used_arguments(store: &mut TermStore, original: &System) -> System {
    let mut state = Simplified::start(original);
    state.unused_arguments(store);
    state.system
}

impl Simplified {
    fn start(original: &System) -> Simplified {
        let skeletons = original
            .clauses
            .iter()
            .enumerate()
            .map(|(number, clause)| Skeleton::Clause {
                clause: number,
                premises: (0..clause.body.len()).map(Premise::Open).collect(),
            })
            .collect();
        let kept = original
            .relations
            .iter()
            .map(|(id, r)| (id, (0..r.parameters.len()).collect()))
            .collect();
        Simplified {
            system: original.clone(),
            skeletons,
            trail: Vec::new(),
            kept,
            original: original.clone(),
        }
    }

    /// Keeps the clauses that are not marked as gone.
    fn drop_clauses(&mut self, gone: &[bool]) {
        let mut flags = gone.iter();
        self.system.clauses.retain(|_| !flags.next().expect("one for each"));
        let mut flags = gone.iter();
        self.skeletons.retain(|_| !flags.next().expect("one for each"));
    }

    /// Drops what no fact reaches and what reaches no query.
    fn slice(&mut self) {
        let clauses = &self.system.clauses;
        let mut mentioned: HashSet<RelationId> = HashSet::default();
        for clause in clauses {
            mentioned.extend(clause.body.iter().chain(&clause.head).map(|atom| atom.relation));
        }
        let derivable = derivable(&self.system);
        let wanted = wanted(&self.system);
        for relation in self.system.relations.ids().filter(|r| mentioned.contains(r)) {
            if !derivable.contains(&relation) {
                self.trail.push(Trail::Fixed(relation, TermId::FALSE));
            } else if !wanted.contains(&relation) {
                self.trail.push(Trail::Fixed(relation, TermId::TRUE));
            }
        }
        let is_gone = |clause: &Clause| {
            clause.constraint == TermId::FALSE
                || clause.body.iter().any(|atom| !derivable.contains(&atom.relation))
                || clause.defines().is_some_and(|relation| !wanted.contains(&relation))
        };
        let gone: Vec<bool> = clauses.iter().map(is_gone).collect();
        self.drop_clauses(&gone);
    }

    fn solve_equalities(&mut self, store: &mut TermStore) {
        for clause in &mut self.system.clauses {
            solve_equalities(store, clause);
        }
    }
}

/// The relations that facts reach. Linear: each clause waits for the relations of its body.
fn derivable(system: &System) -> HashSet<RelationId> {
    let (clauses, waiting) = (&system.clauses, system.callers());
    let mut missing: Vec<usize> = clauses.iter().map(|clause| clause.body.len()).collect();
    let mut ready: Vec<usize> = (0..clauses.len()).filter(|&number| missing[number] == 0).collect();
    let mut derivable: HashSet<RelationId> = HashSet::default();
    while let Some(number) = ready.pop() {
        let clause = &clauses[number];
        let Some(head) = &clause.head else { continue };
        if clause.constraint == TermId::FALSE || !derivable.insert(head.relation) {
            continue;
        }
        for &user in waiting.get(&head.relation).into_iter().flatten() {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(user);
            }
        }
    }
    derivable
}

/// The relations from which a query is reached.
fn wanted(system: &System) -> HashSet<RelationId> {
    let (clauses, definitions) = (&system.clauses, system.definitions());
    let mut wanted: HashSet<RelationId> = HashSet::default();
    let mut open: Vec<usize> =
        (0..clauses.len()).filter(|&number| clauses[number].head.is_none()).collect();
    while let Some(number) = open.pop() {
        for atom in &clauses[number].body {
            if wanted.insert(atom.relation) {
                open.extend(definitions.get(&atom.relation).into_iter().flatten());
            }
        }
    }
    wanted
}

/// No clause with a larger constraint is solved.
const SOLVE_SIZE: usize = 20_000;

/// Replaces variables that equal something else by it.
pub(crate) fn solve_equalities(store: &mut TermStore, clause: &mut Clause) {
    let body: HashSet<TermId> =
        clause.body.iter().flat_map(|atom| atom.arguments.iter().copied()).collect();
    if store.dag_size(clause.constraint) > SOLVE_SIZE {
        return;
    }
    loop {
        let mut map = HashMap::default();
        let mut touched: HashSet<TermId> = HashSet::default();
        for conjunct in store.conjuncts(clause.constraint) {
            let Some((variable, value)) = store.solved(conjunct, |x| !body.contains(&x)) else {
                continue;
            };
            // One substitution at a time where they could depend on each other.
            let constants = store.constants(value);
            if touched.contains(&variable) || constants.iter().any(|c| map.contains_key(c)) {
                continue;
            }
            touched.extend(constants);
            touched.insert(variable);
            map.insert(variable, value);
        }
        if map.is_empty() {
            return;
        }
        *clause = clause.substitute(store, &map);
    }
}

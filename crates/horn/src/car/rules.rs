//! The rules as abstraction refinement sees them, and their abstraction.

use crate::system::{Atom, Clause, Interpretation, RelationId, System};
use bolide_base::{Budget, HashMap};
use bolide_terms::{TermId, TermStore};

/// A system in which arguments of calls are terms again: the Boolean level knows nothing of
/// equality.
pub(super) struct Rules<'a> {
    pub store: &'a mut TermStore,
    /// As it was given.
    pub system: &'a System,
    /// Its clauses with terms as arguments of calls.
    pub clauses: Vec<Clause>,
    /// Known to hold of everything derivable.
    pub invariants: Interpretation,
    pub budget: &'a Budget,
}

impl<'a> Rules<'a> {
    pub fn new(
        store: &'a mut TermStore,
        system: &'a System,
        invariants: Interpretation,
        budget: &'a Budget,
    ) -> Self {
        let clauses = system.clauses.iter().map(|clause| direct_calls(store, clause)).collect();
        Rules { store, system, clauses, invariants, budget }
    }

    /// The constraint of a clause and what is known of its calls.
    pub fn premises(&mut self, number: usize) -> Vec<TermId> {
        self.system.premises(self.store, &self.invariants, &self.clauses[number])
    }

    /// A formula over the parameters of a relation, said of the arguments of an atom.
    pub fn instantiate(&mut self, formula: TermId, atom: &Atom) -> TermId {
        self.system.instantiate(self.store, formula, atom)
    }
}

/// Undoes the normal form of bodies: a variable that equals a term becomes that term, also
/// where it is the argument of a call.
fn direct_calls(store: &mut TermStore, clause: &Clause) -> Clause {
    let mut clause = clause.clone();
    loop {
        // Only what normal form introduced: variables that equal another variable or a value.
        let found = store.conjuncts(clause.constraint).into_iter().find_map(|conjunct| {
            let (variable, value) = store.solved(conjunct, |_| true)?;
            (store.is_const(value) || store.is_value(value)).then_some((variable, value))
        });
        let Some(found) = found else { return clause };
        clause = clause.substitute(store, &HashMap::from_iter([found]));
    }
}

/// The abstraction of all rules.
#[derive(Clone, Debug, Default)]
pub struct Abstraction {
    /// For each relation its interface predicates: constraints over its parameters.
    pub interface: HashMap<RelationId, Vec<TermId>>,
    /// For each clause explicated constraints over its variables: true in the theory.
    pub explicated: HashMap<usize, Vec<TermId>>,
}

impl Abstraction {
    /// Makes the atoms of a formula interface predicates; whether there are new ones.
    pub(super) fn add_predicates(
        &mut self,
        store: &TermStore,
        relation: RelationId,
        formula: TermId,
    ) -> bool {
        let list = self.interface.entry(relation).or_default();
        let before = list.len();
        for atom in store.atoms(formula) {
            if !list.contains(&atom) {
                list.push(atom);
            }
        }
        list.len() > before
    }

    /// Adds an explicated constraint; whether it is new.
    pub(super) fn add_explicated(&mut self, clause: usize, formula: TermId) -> bool {
        let list = self.explicated.entry(clause).or_default();
        let new = formula != TermId::TRUE && !list.contains(&formula);
        if new {
            list.push(formula);
        }
        new
    }
}

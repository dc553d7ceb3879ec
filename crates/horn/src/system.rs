//! Systems of constrained Horn clauses.
//!
//! A clause is `constraint and P1(..) and .. and Pn(..) => H(..)`, for all
//! values of its variables; without a head it is a query and says `false`. A
//! system is *solvable* when relations exist that make all clauses true (the
//! answer `sat`: the program is safe), and not when the queries can be derived
//! (`unsat`). Clauses of one relation are the disjuncts of its defining rule in
//! the words of constraint logic (Flanagan, section 3), so that a derivation
//! needs to name the clause only and no disjunct.
//!
//! The normal form that every system has: the variables of a clause are
//! constants of the term store that belong to this clause alone, and the
//! arguments of body atoms are distinct variables (what was said about them is
//! in the constraint). Arguments of heads are any terms.

use bolide_base::{Arena, HashMap, HashSet, NoAnswer, define_id};
use bolide_smt::houdini::{Implication, Said};
use bolide_terms::{Evaluator, FunctionId, TermId, TermStore, Value};

define_id! {
    /// A relation of a [`System`].
    pub struct RelationId
}

/// A relation to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// As the input names it.
    pub name: String,
    /// As terms apply it.
    pub function: FunctionId,
    /// Constants that stand for the arguments in interpretations and lemmas.
    pub parameters: Vec<TermId>,
    /// Whether somebody wants to see it: simplification does not resolve it away.
    pub kept: bool,
}

/// A relation applied to arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// As many as the relation has parameters.
    pub arguments: Vec<TermId>,
}

/// One clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What follows; none for a query.
    pub head: Option<Atom>,
    /// What it follows from; arguments are distinct variables.
    pub body: Vec<Atom>,
    /// Under this condition.
    pub constraint: TermId,
    /// The line of the input where the clause begins; zero if there is none.
    pub line: u32,
}

impl Clause {
    /// All subterms of the clause, in the order of their ids.
    pub fn subterms(&self, store: &TermStore) -> Vec<TermId> {
        let mut roots = vec![self.constraint];
        for atom in self.body.iter().chain(&self.head) {
            roots.extend_from_slice(&atom.arguments);
        }
        store.subterms(&roots)
    }

    /// The variables of the clause in the order of their ids.
    pub fn variables(&self, store: &TermStore) -> Vec<TermId> {
        self.subterms(store).into_iter().filter(|&t| store.is_const(t)).collect()
    }

    /// The relation of the head.
    pub fn defines(&self) -> Option<RelationId> {
        self.head.as_ref().map(|head| head.relation)
    }

    /// An instance of the clause by the values that the model of a renamed copy gives its variables.
    pub(crate) fn step(
        &self,
        number: usize,
        store: &TermStore,
        renaming: impl Fn(TermId) -> TermId,
        evaluator: &mut Evaluator<'_>,
        premises: Vec<usize>,
    ) -> Result<Step, NoAnswer> {
        let mut values = Vec::new();
        for variable in self.variables(store) {
            let value = evaluator.value(renaming(variable));
            values.push((variable, value.map_err(|why| NoAnswer::solver(why.to_string()))?));
        }
        Ok(Step { clause: number, values, premises })
    }

    /// The clause with other terms for its variables, the arguments of its body
    /// included: the caller keeps them distinct variables.
    pub fn substitute(&self, store: &mut TermStore, map: &HashMap<TermId, TermId>) -> Clause {
        let mut result = self.clone();
        result.constraint = store.substitute(self.constraint, map);
        for atom in result.body.iter_mut().chain(&mut result.head) {
            for argument in &mut atom.arguments {
                *argument = store.substitute(*argument, map);
            }
        }
        result
    }

    /// The clause over variables that nobody else has.
    pub fn rename_apart(&self, store: &mut TermStore) -> (Clause, HashMap<TermId, TermId>) {
        let mut map = HashMap::default();
        for variable in self.variables(store) {
            let sort = store.sort(variable);
            let fresh = store.mk_fresh_const("v", sort);
            map.insert(variable, fresh);
        }
        (self.substitute(store, &map), map)
    }
}

/// Relations and the clauses about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// The relations.
    pub relations: Arena<RelationId, Relation>,
    /// The clauses.
    pub clauses: Vec<Clause>,
}

impl System {
    /// A system without relations.
    pub fn new() -> System {
        System::default()
    }

    /// Adds a relation for a declared function.
    pub fn add_relation(&mut self, store: &mut TermStore, function: FunctionId) -> RelationId {
        let name = store.function_name(function).to_owned();
        let sorts = store.function(function).arguments.clone();
        let parameters = sorts
            .iter()
            .enumerate()
            .map(|(i, &sort)| store.mk_const(&format!("{name}@{i}"), sort))
            .collect();
        self.relations.push(Relation { name, function, parameters, kept: false })
    }

    /// Adds a clause, in normal form. Its variables must be its own.
    pub fn add_clause(&mut self, store: &mut TermStore, mut clause: Clause) {
        distinct_arguments(store, &mut clause);
        self.clauses.push(clause);
    }

    /// The clauses that define each relation.
    pub(crate) fn definitions(&self) -> HashMap<RelationId, Vec<usize>> {
        self.by_relation(|clause| clause.head.iter())
    }

    /// The clauses that use each relation, as often as they do.
    pub(crate) fn callers(&self) -> HashMap<RelationId, Vec<usize>> {
        self.by_relation(|clause| clause.body.iter())
    }

    fn by_relation<'a, I: Iterator<Item = &'a Atom>>(
        &'a self,
        atoms: impl Fn(&'a Clause) -> I,
    ) -> HashMap<RelationId, Vec<usize>> {
        let mut found: HashMap<RelationId, Vec<usize>> = HashMap::default();
        for (number, clause) in self.clauses.iter().enumerate() {
            for atom in atoms(clause) {
                found.entry(atom.relation).or_default().push(number);
            }
        }
        found
    }

    /// The atom as a formula about its arguments, under an interpretation.
    pub fn instance(
        &self,
        store: &mut TermStore,
        interpretation: &Interpretation,
        atom: &Atom,
    ) -> TermId {
        let formula = interpretation.get(atom.relation);
        self.instantiate(store, formula, atom)
    }

    /// What a clause says that its head follows from, under an interpretation.
    pub fn premises(
        &self,
        store: &mut TermStore,
        interpretation: &Interpretation,
        clause: &Clause,
    ) -> Vec<TermId> {
        let mut parts = vec![clause.constraint];
        parts.extend(clause.body.iter().map(|atom| self.instance(store, interpretation, atom)));
        parts
    }

    /// A formula over the parameters of a relation, said of the arguments of an atom.
    pub fn instantiate(&self, store: &mut TermStore, formula: TermId, atom: &Atom) -> TermId {
        store.replace_all(formula, &self.relations[atom.relation].parameters, &atom.arguments)
    }

    /// The same for the head of a clause; what is asked of a query speaks of nothing.
    pub(crate) fn instantiate_head(
        &self,
        store: &mut TermStore,
        formula: TermId,
        clause: &Clause,
    ) -> TermId {
        clause.head.as_ref().map_or(formula, |head| self.instantiate(store, formula, head))
    }

    /// A formula over the arguments of an atom, said of the parameters of its relation.
    pub(crate) fn generalise(&self, store: &mut TermStore, formula: TermId, atom: &Atom) -> TermId {
        store.replace_all(formula, &atom.arguments, &self.relations[atom.relation].parameters)
    }

    /// The clauses that have a head, as implications between what is said of relations, under
    /// what is known of them already.
    pub(crate) fn implications<'a>(
        &'a self,
        store: &mut TermStore,
        known: &Interpretation,
    ) -> Vec<Implication<'a, RelationId>> {
        let mut found = Vec::new();
        for clause in &self.clauses {
            let Some(head) = &clause.head else { continue };
            found.push(Implication {
                premises: self.premises(store, known, clause),
                assumed: clause.body.iter().map(|atom| self.said_of(atom)).collect(),
                goal: self.said_of(head),
            });
        }
        found
    }

    fn said_of<'a>(&'a self, atom: &'a Atom) -> (RelationId, Said<'a>) {
        let said = move |store: &mut TermStore, term| self.instantiate(store, term, atom);
        (atom.relation, Box::new(said))
    }
}

/// Makes the arguments of the body distinct variables.
pub(crate) fn distinct_arguments(store: &mut TermStore, clause: &mut Clause) {
    let mut used: HashSet<TermId> = HashSet::default();
    let mut conjuncts = vec![clause.constraint];
    for atom in &mut clause.body {
        for argument in &mut atom.arguments {
            if store.is_const(*argument) && used.insert(*argument) {
                continue;
            }
            let sort = store.sort(*argument);
            let fresh = store.mk_fresh_const("v", sort);
            conjuncts.push(store.mk_eq(fresh, *argument));
            *argument = fresh;
            used.insert(fresh);
        }
    }
    if conjuncts.len() > 1 {
        clause.constraint = store.mk_and(&conjuncts);
    }
}

/// A formula for each relation, over its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interpretation {
    formulas: HashMap<RelationId, TermId>,
}

impl Interpretation {
    /// Every relation is `true`.
    pub fn new() -> Interpretation {
        Interpretation::default()
    }

    /// What is said of a relation; `true` if nothing.
    pub fn get(&self, relation: RelationId) -> TermId {
        self.formulas.get(&relation).copied().unwrap_or(TermId::TRUE)
    }

    /// Says something of a relation.
    pub fn set(&mut self, relation: RelationId, formula: TermId) {
        self.formulas.insert(relation, formula);
    }

    /// Says something more of a relation; whether that is new.
    pub fn strengthen(
        &mut self,
        store: &mut TermStore,
        relation: RelationId,
        formula: TermId,
    ) -> bool {
        let known = self.get(relation);
        let both = store.mk_and(&[known, formula]);
        self.set(relation, both);
        both != known
    }
}

/// One step of a derivation: an instance of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The clause, by its number in the system.
    pub clause: usize,
    /// Values for the variables of the clause, in the order of their ids.
    pub values: Vec<(TermId, Value)>,
    /// The steps that derive the atoms of the body; all are earlier.
    pub premises: Vec<usize>,
}

/// Clause instances, premises first; the last one is of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// The steps.
    pub steps: Vec<Step>,
}

/// How far a solver came, in its own words.
pub type Figures = Vec<(&'static str, u64)>;

/// What a solver says of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Solvable, by these relations.
    Sat(Interpretation),
    /// Not solvable: a query can be derived.
    Unsat(Derivation),
    /// Not decided, for this reason.
    Unknown(NoAnswer),
}

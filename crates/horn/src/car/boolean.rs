//! The Boolean level: abstract rules and the least fixpoint over them.
//!
//! A constraint is abstracted by giving each of its atoms a truth value of its
//! own (Figure 3: the map is injective and keeps the propositional structure).
//! The arguments of a relation are its interface predicates. A set of
//! valuations of these is a disjunction of cubes; the fixpoint grows the sets
//! until no abstract rule derives anything new, each question being one
//! incremental SAT query: rule, premises in their sets, head outside of its
//! set. An answer becomes a cube in which only the predicates are fixed that
//! the rule's satisfaction depends on.

use super::rules::{Abstraction, Rules};
use crate::project::implicant;
use crate::system::{Atom, Interpretation, RelationId};
use bolide_base::{HashMap, NoAnswer};
use bolide_smt::solver::{Answer, Solver};
use bolide_terms::{Evaluator, Model, Op, SortId, TermId, TermStore};

/// Values for some interface predicates, by position.
type Cube = Vec<(usize, bool)>;

/// A set of abstract states that a clause derives, with where from.
#[derive(Clone, Debug)]
struct Derived {
    cube: Cube,
    clause: usize,
    premises: Vec<usize>,
}

/// A trace: clauses as a tree, children in the order of body atoms.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// Clause and children of each node; children come first, the root is last.
    pub nodes: Vec<(usize, Vec<usize>)>,
}

// Heuristic: how many counterexamples are refuted at once.
const TRACES: usize = 4;
/// Larger traces are not written out.
const NODES: usize = 3_000;

pub(super) struct Fixpoint<'r, 'a> {
    rules: &'r mut Rules<'a>,
    derived: Vec<Derived>,
    /// For each relation, indices into `derived`.
    reached: HashMap<RelationId, Vec<usize>>,
    /// Truth values for atoms.
    names: HashMap<TermId, TermId>,
}

/// An abstract rule.
struct Rule {
    /// The rule as a propositional formula.
    formula: TermId,
    /// The interface predicates of the head, said of its arguments.
    head: Vec<TermId>,
    /// The same for each body atom.
    body: Vec<Vec<TermId>>,
}

/// What a rule derives from the present sets, as a question.
struct Question {
    solver: Solver,
    /// The rule, and that the premises are in their sets.
    formulas: Vec<TermId>,
    /// For each body atom: which set it is in.
    selectors: Vec<Vec<(TermId, usize)>>,
}

impl<'r, 'a> Fixpoint<'r, 'a> {
    pub(super) fn new(rules: &'r mut Rules<'a>) -> Self {
        let (derived, reached) = (Vec::new(), HashMap::default());
        Fixpoint { rules, derived, reached, names: HashMap::default() }
    }

    /// The propositional structure of a formula: `[[.]]` of Figure 3.
    fn skeleton(&mut self, formula: TermId) -> TermId {
        let store = &mut *self.rules.store;
        let mut map = HashMap::default();
        for atom in store.atoms(formula) {
            let next = self.names.len();
            let name = self.names.entry(atom);
            let name =
                name.or_insert_with(|| store.mk_const(&format!("@atom!{next}"), SortId::BOOL));
            map.insert(atom, *name);
        }
        store.substitute(formula, &map)
    }

    fn abstract_rule(&mut self, number: usize, abstraction: &Abstraction) -> Rule {
        let mut parts = self.rules.premises(number);
        parts.extend(abstraction.explicated.get(&number).into_iter().flatten());
        let skeletons: Vec<TermId> = parts.into_iter().map(|part| self.skeleton(part)).collect();
        let formula = self.rules.store.mk_and(&skeletons);
        let clause = self.rules.clauses[number].clone();
        let mut instances = |atom: &Atom| {
            let list = abstraction.interface.get(&atom.relation).into_iter().flatten();
            let said = |&predicate: &TermId| {
                let instance = self.rules.instantiate(predicate, atom);
                self.skeleton(instance)
            };
            list.map(said).collect()
        };
        let head = clause.head.as_ref().map(&mut instances).unwrap_or_default();
        let body = clause.body.iter().map(&mut instances).collect();
        Rule { formula, head, body }
    }

    /// The set with this number, said of the instances of the interface predicates.
    fn set(&mut self, id: usize, instances: &[TermId]) -> TermId {
        let store = &mut *self.rules.store;
        let cube = self.derived[id].cube.iter();
        let literals: Vec<TermId> =
            cube.map(|&(i, value)| store.mk_literal(instances[i], value)).collect();
        store.mk_and(&literals)
    }

    fn sets(&self, relation: RelationId) -> Vec<usize> {
        self.reached.get(&relation).cloned().unwrap_or_default()
    }

    /// Decides the Boolean query: traces of derivable queries, not more than [`TRACES`]; if there
    /// are none, no query is derivable.
    pub(super) fn run(&mut self, abstraction: &Abstraction) -> Result<Vec<Trace>, NoAnswer> {
        let count = self.rules.clauses.len();
        let rules: Vec<Rule> =
            (0..count).map(|number| self.abstract_rule(number, abstraction)).collect();
        // A rule has to be looked at again when a set of its body has grown.
        let mut seen: Vec<Option<usize>> = vec![None; count];
        loop {
            let mut grown = false;
            let mut traces = Vec::new();
            for (number, rule) in rules.iter().enumerate() {
                let body = self.rules.clauses[number].body.iter();
                let size =
                    body.map(|atom| self.reached.get(&atom.relation).map_or(0, Vec::len)).sum();
                if seen[number].replace(size) == Some(size) {
                    continue;
                }
                let found = self.close(number, rule)?;
                if self.rules.clauses[number].head.is_some() {
                    grown |= found > 0;
                    continue;
                }
                let last = self.derived.len();
                for derived in (last - found..last).take(TRACES - traces.len()) {
                    traces.push(self.trace(derived)?);
                }
            }
            if !traces.is_empty() || !grown {
                return Ok(traces);
            }
        }
    }

    /// Adds all that a rule derives from the present sets; returns how many cubes.
    fn close(&mut self, number: usize, rule: &Rule) -> Result<usize, NoAnswer> {
        let Some(Question { mut solver, formulas, selectors }) = self.question(number, rule) else {
            return Ok(0);
        };
        let defined = self.rules.clauses[number].defines();
        for id in defined.map(|relation| self.sets(relation)).unwrap_or_default() {
            self.exclude(&mut solver, id, rule);
        }
        let mut found = 0;
        loop {
            let Rules { store, budget, .. } = &mut *self.rules;
            budget.poll()?;
            match solver.check(store, &[], budget) {
                Answer::Unsat => return Ok(found),
                Answer::Sat => {}
                Answer::Unknown(why) => return Err(why),
            }
            let model = solver.take_model().expect("a satisfiable check has a model");
            let literals = implicant(store, &model, &formulas);
            let chosen: Vec<(TermId, usize)> = selectors
                .iter()
                .map(|choices| {
                    let chosen = choices.iter().find(|(selector, _)| literals.contains(selector));
                    *chosen.expect("one set was chosen")
                })
                .collect();
            let cube = head_cube(store, rule, &literals, &model);
            found += 1;
            let id = self.derived.len();
            let premises = chosen.iter().map(|&(_, id)| id).collect();
            self.derived.push(Derived { cube, clause: number, premises });
            if let Some(relation) = defined {
                self.reached.entry(relation).or_default().push(id);
                self.exclude(&mut solver, id, rule);
                continue;
            }
            if found == TRACES || chosen.is_empty() {
                return Ok(found);
            }
            // Another trace must come from other sets.
            let others: Vec<TermId> =
                chosen.iter().map(|&(selector, _)| self.rules.store.mk_not(selector)).collect();
            let other = self.rules.store.mk_or(&others);
            solver.assert(self.rules.store, other, 0);
        }
    }

    /// What a rule derives; none if a call has no set yet.
    fn question(&mut self, number: usize, rule: &Rule) -> Option<Question> {
        let mut formulas = vec![rule.formula];
        let mut selectors: Vec<Vec<(TermId, usize)>> = Vec::new();
        for (position, instances) in rule.body.iter().enumerate() {
            let sets = self.sets(self.rules.clauses[number].body[position].relation);
            if sets.is_empty() {
                return None;
            }
            let mut choices = Vec::new();
            let mut parts = Vec::new();
            for id in sets {
                let name = format!("@from!{position}!{id}");
                let selector = self.rules.store.mk_const(&name, SortId::BOOL);
                let set = self.set(id, instances);
                parts.push(self.rules.store.mk_and(&[selector, set]));
                choices.push((selector, id));
            }
            formulas.push(self.rules.store.mk_or(&parts));
            selectors.push(choices);
        }
        let mut solver = Solver::default();
        for &formula in &formulas {
            solver.assert(self.rules.store, formula, 0);
        }
        Some(Question { solver, formulas, selectors })
    }

    /// The head is to be outside of the set.
    fn exclude(&mut self, solver: &mut Solver, id: usize, rule: &Rule) {
        let set = self.set(id, &rule.head);
        let outside = self.rules.store.mk_not(set);
        solver.assert(self.rules.store, outside, 0);
    }

    /// The tree of clauses that derives a set.
    fn trace(&self, root: usize) -> Result<Trace, NoAnswer> {
        // Top-down numbering, then reversed: children first.
        let mut order: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut pending: Vec<(usize, Option<usize>)> = vec![(root, None)];
        let mut next = 0;
        while next < pending.len() {
            let (id, _) = pending[next];
            let first = pending.len();
            let premises = &self.derived[id].premises;
            pending.extend(premises.iter().map(|&p| (p, Some(next))));
            order.push((self.derived[id].clause, (first..first + premises.len()).collect()));
            next += 1;
            if pending.len() > NODES {
                return Err(NoAnswer::NoProgress("a trace has too many rules".to_owned()));
            }
        }
        let last = order.len() - 1;
        let nodes = order
            .into_iter()
            .rev()
            .map(|(clause, children)| (clause, children.into_iter().map(|c| last - c).collect()))
            .collect();
        Ok(Trace { nodes })
    }

    /// What the fixpoint says of each relation.
    pub(super) fn solution(&mut self, abstraction: &Abstraction) -> Interpretation {
        let mut result = self.rules.invariants.clone();
        for relation in self.rules.system.relations.ids() {
            let predicates = abstraction.interface.get(&relation).map_or(&[][..], Vec::as_slice);
            let sets: Vec<TermId> =
                self.sets(relation).into_iter().map(|id| self.set(id, predicates)).collect();
            let union = self.rules.store.mk_or(&sets);
            result.strengthen(self.rules.store, relation, union);
        }
        result
    }
}

/// The values of those interface predicates of the head that the literals fix.
fn head_cube(store: &TermStore, rule: &Rule, literals: &[TermId], model: &Model) -> Cube {
    let mut evaluator = Evaluator::new(store, model);
    let atom = |formula: TermId| store.atom_and_sign(formula).0;
    let mut cube = Cube::new();
    for (i, &instance) in rule.head.iter().enumerate() {
        let own = atom(instance);
        // What the rule does not depend on can have both values; what is no
        // truth value of its own depends on others.
        let fixed = literals.iter().any(|&l| atom(l) == own);
        let plain = matches!(store.op(own), Op::Apply(_));
        // Two predicates may share an atom; then both values are not free of each other.
        let shared = || rule.head.iter().filter(|&&other| atom(other) == own).count() > 1;
        if fixed || !plain || shared() {
            cube.push((i, evaluator.holds(instance)));
        }
    }
    cube
}

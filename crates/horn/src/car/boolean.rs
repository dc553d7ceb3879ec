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

use super::Abstraction;
use crate::project::implicant;
use crate::system::{Clause, Interpretation, RelationId, System};
use bolide_base::{Budget, HashMap, NoAnswer};
use bolide_smt::solver::{Answer, Solver};
use bolide_terms::{Evaluator, Op, SortId, TermId, TermStore};

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

pub(super) enum Outcome {
    NotDerivable,
    /// Traces of derivable queries, not more than [`TRACES`].
    Derivable(Vec<Trace>),
}

// Heuristic: how many counterexamples are refuted at once.
const TRACES: usize = 4;
/// Larger traces are not written out.
const NODES: usize = 3_000;

pub(super) struct Fixpoint<'a> {
    store: &'a mut TermStore,
    system: &'a System,
    clauses: &'a [Clause],
    budget: &'a Budget,
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

impl<'a> Fixpoint<'a> {
    pub(super) fn new(
        store: &'a mut TermStore,
        system: &'a System,
        clauses: &'a [Clause],
        budget: &'a Budget,
    ) -> Self {
        Fixpoint {
            store,
            system,
            clauses,
            budget,
            derived: Vec::new(),
            reached: HashMap::default(),
            names: HashMap::default(),
        }
    }

    /// The propositional structure of a formula: `[[.]]` of Figure 3.
    fn skeleton(&mut self, formula: TermId) -> TermId {
        let mut map = HashMap::default();
        for atom in self.store.atoms(formula) {
            let next = self.names.len();
            let name = match self.names.get(&atom) {
                Some(&name) => name,
                None => {
                    let name = self.store.mk_const(&format!("@atom!{next}"), SortId::BOOL);
                    self.names.insert(atom, name);
                    name
                }
            };
            map.insert(atom, name);
        }
        self.store.substitute(formula, &map)
    }

    fn abstract_rule(
        &mut self,
        number: usize,
        abstraction: &Abstraction,
        invariants: &Interpretation,
    ) -> Rule {
        let clause = &self.clauses[number];
        let mut parts = vec![clause.constraint];
        for atom in &clause.body {
            parts.push(self.system.instance(self.store, invariants, atom));
        }
        parts.extend(abstraction.explicated.get(&number).into_iter().flatten());
        let mut skeletons = Vec::new();
        for part in parts {
            skeletons.push(self.skeleton(part));
        }
        let formula = self.store.mk_and(&skeletons);
        let instances = |this: &mut Self, atom: &crate::system::Atom| {
            let list = abstraction.interface.get(&atom.relation).cloned().unwrap_or_default();
            let mut result = Vec::with_capacity(list.len());
            for predicate in list {
                let instance = this.system.instantiate(this.store, predicate, atom);
                result.push(this.skeleton(instance));
            }
            result
        };
        let head = clause.head.as_ref().map(|head| instances(self, head)).unwrap_or_default();
        let body = clause.body.iter().map(|atom| instances(self, atom)).collect();
        Rule { formula, head, body }
    }

    fn cube_formula(&mut self, cube: &Cube, instances: &[TermId]) -> TermId {
        let literals: Vec<TermId> = cube
            .iter()
            .map(|&(i, value)| if value { instances[i] } else { self.store.mk_not(instances[i]) })
            .collect();
        self.store.mk_and(&literals)
    }

    /// Decides the Boolean query.
    pub(super) fn run(
        &mut self,
        abstraction: &Abstraction,
        invariants: &Interpretation,
    ) -> Result<Outcome, NoAnswer> {
        let rules: Vec<Rule> = (0..self.clauses.len())
            .map(|number| self.abstract_rule(number, abstraction, invariants))
            .collect();
        // A rule has to be looked at again when a set of its body has grown.
        let mut seen: Vec<Option<usize>> = vec![None; rules.len()];
        loop {
            let mut grown = false;
            let mut traces = Vec::new();
            for (number, rule) in rules.iter().enumerate() {
                let size: usize = self.clauses[number]
                    .body
                    .iter()
                    .map(|atom| self.reached.get(&atom.relation).map_or(0, Vec::len))
                    .sum();
                if seen[number] == Some(size) {
                    continue;
                }
                let found = self.close(number, rule)?;
                match self.clauses[number].head {
                    Some(_) => grown |= found > 0,
                    None => {
                        let last = self.derived.len();
                        for derived in (last - found..last).take(TRACES - traces.len()) {
                            traces.push(self.trace(derived)?);
                        }
                    }
                }
                seen[number] = Some(size);
            }
            if !traces.is_empty() {
                return Ok(Outcome::Derivable(traces));
            }
            if !grown {
                return Ok(Outcome::NotDerivable);
            }
        }
    }

    /// Adds all that a rule derives from the present sets; returns how many cubes.
    fn close(&mut self, number: usize, rule: &Rule) -> Result<usize, NoAnswer> {
        let clause = &self.clauses[number];
        let mut solver = Solver::default();
        let mut formulas = vec![rule.formula];
        let mut selectors: Vec<Vec<(TermId, usize)>> = Vec::new();
        for (atom, instances) in clause.body.iter().zip(&rule.body) {
            let sets = self.reached.get(&atom.relation).cloned().unwrap_or_default();
            if sets.is_empty() {
                return Ok(0);
            }
            let position = selectors.len();
            let mut choices = Vec::new();
            for id in sets {
                let name = format!("@from!{position}!{id}");
                let selector = self.store.mk_const(&name, SortId::BOOL);
                let cube = self.derived[id].cube.clone();
                let cube = self.cube_formula(&cube, instances);
                choices.push((selector, id, self.store.mk_and(&[selector, cube])));
            }
            let parts: Vec<TermId> = choices.iter().map(|c| c.2).collect();
            formulas.push(self.store.mk_or(&parts));
            selectors.push(choices.into_iter().map(|(s, id, _)| (s, id)).collect());
        }
        for &formula in &formulas {
            solver.assert(self.store, formula, 0);
        }
        if let Some(head) = &clause.head {
            for id in self.reached.get(&head.relation).cloned().unwrap_or_default() {
                let cube = self.derived[id].cube.clone();
                let cube = self.cube_formula(&cube, &rule.head);
                let outside = self.store.mk_not(cube);
                solver.assert(self.store, outside, 0);
            }
        }
        let mut found = 0;
        loop {
            self.budget.poll()?;
            match solver.check(self.store, &[], self.budget) {
                Answer::Unsat => return Ok(found),
                Answer::Sat => {}
                Answer::Unknown(why) => return Err(why),
            }
            let model = solver.take_model().expect("a satisfiable check has a model");
            let literals = implicant(self.store, &model, &formulas);
            let mut evaluator = Evaluator::new(self.store, &model);
            let premises: Vec<usize> = selectors
                .iter()
                .map(|choices| {
                    let chosen = choices.iter().find(|(selector, _)| literals.contains(selector));
                    chosen.expect("one set was chosen").1
                })
                .collect();
            let mut cube = Cube::new();
            for (i, &instance) in rule.head.iter().enumerate() {
                let (atom, _) = self.store.atom_and_sign(instance);
                let fixed = literals.iter().any(|&l| self.store.atom_and_sign(l).0 == atom);
                let plain = matches!(self.store.op(atom), Op::Apply(_));
                // What the rule does not depend on can have both values; what is no
                // truth value of its own depends on others.
                if fixed || !plain {
                    cube.push((i, evaluator.holds(instance)));
                }
            }
            // Two predicates may share an atom; then both values are not free of each other.
            for (i, &instance) in rule.head.iter().enumerate() {
                let atom = self.store.atom_and_sign(instance).0;
                let shared = rule
                    .head
                    .iter()
                    .enumerate()
                    .any(|(j, &other)| j != i && self.store.atom_and_sign(other).0 == atom);
                if shared && !cube.iter().any(|&(j, _)| j == i) {
                    cube.push((i, evaluator.holds(instance)));
                }
            }
            cube.sort_unstable();
            found += 1;
            let id = self.derived.len();
            self.derived.push(Derived {
                cube: cube.clone(),
                clause: number,
                premises: premises.clone(),
            });
            let Some(head) = &clause.head else {
                // Another trace must come from other sets.
                let mut others: Vec<TermId> = Vec::new();
                for (choices, premise) in selectors.iter().zip(&premises) {
                    let chosen = choices.iter().find(|(_, id)| id == premise);
                    let selector = chosen.expect("it was chosen").0;
                    others.push(self.store.mk_not(selector));
                }
                if found == TRACES || others.is_empty() {
                    return Ok(found);
                }
                let other = self.store.mk_or(&others);
                solver.assert(self.store, other, 0);
                continue;
            };
            self.reached.entry(head.relation).or_default().push(id);
            let formula = self.cube_formula(&cube, &rule.head);
            let outside = self.store.mk_not(formula);
            solver.assert(self.store, outside, 0);
        }
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
    pub(super) fn solution(
        &mut self,
        abstraction: &Abstraction,
        invariants: &Interpretation,
    ) -> Interpretation {
        let mut result = Interpretation::new();
        for relation in self.system.relations.ids() {
            let predicates = abstraction.interface.get(&relation).cloned().unwrap_or_default();
            let mut cubes = Vec::new();
            for id in self.reached.get(&relation).cloned().unwrap_or_default() {
                let cube = self.derived[id].cube.clone();
                cubes.push(self.cube_formula(&cube, &predicates));
            }
            let union = self.store.mk_or(&cubes);
            let formula = self.store.mk_and(&[invariants.get(relation), union]);
            result.set(relation, formula);
        }
        result
    }
}

//! The way back from the simplified system.
//!
//! *Interpretations*: the trail is walked in reverse. A relation that was
//! resolved away lies between its definitions and its uses, which contradict
//! each other under the interpretation of the other relations: any interpolant
//! will do; where the solver has none, the definitions are projected by
//! quantifier elimination.
//!
//! *Derivations*: for each step the skeleton of its clause is written out as a
//! formula with a selector for each choice, the arguments of premises and head
//! are fixed to the values they have, and a model gives values to everything
//! else. Dropped arguments are found on the way: nothing depends on them, so
//! whatever the premises derived will do.

use super::{Premise, Simplified, Skeleton, Trail};
use crate::system::{Atom, Clause, Derivation, Interpretation, RelationId, Step, System};
use bolide_base::{Budget, HashMap, NoAnswer};
use bolide_smt::interpolate::{Options, SatOrInterpolants, sequence_interpolants};
use bolide_smt::newton;
use bolide_smt::solver::{Answer, Solver};
use bolide_terms::{Evaluator, Model, TermId, TermStore, Value};

/// An answer about the simplified system is none about the original one.
fn lost(why: impl Into<String>) -> NoAnswer {
    NoAnswer::not_certified(why)
}

pub(super) fn interpretation(
    simplified: &Simplified,
    store: &mut TermStore,
    found: &Interpretation,
    budget: &Budget,
) -> Result<Interpretation, NoAnswer> {
    let mut result = found.clone();
    for entry in simplified.trail.iter().rev() {
        match entry {
            Trail::Fixed(relation, formula) => result.set(*relation, *formula),
            Trail::Constant { relation, parameter, value } => {
                let equal = store.mk_eq(*parameter, *value);
                let formula = store.mk_and(&[result.get(*relation), equal]);
                result.set(*relation, formula);
            }
            Trail::Inlined { relation, definitions, uses, parameters } => {
                let name = &simplified.original.relations[*relation].name;
                let between = Between { name, relation: *relation, parameters };
                let formula = between.formula(store, &result, definitions, uses, budget)?;
                result.set(*relation, formula);
            }
        }
    }
    Ok(result)
}

/// A relation between its definitions and its uses.
struct Between<'a> {
    name: &'a str,
    relation: RelationId,
    /// Of all relations concerned.
    parameters: &'a HashMap<RelationId, Vec<TermId>>,
}

impl Between<'_> {
    fn formula(
        &self,
        store: &mut TermStore,
        known: &Interpretation,
        definitions: &[Clause],
        uses: &[Clause],
        budget: &Budget,
    ) -> Result<TermId, NoAnswer> {
        let mut cases = Vec::new();
        for clause in definitions {
            let mut parts = vec![clause.constraint];
            for atom in &clause.body {
                parts.push(self.instance(store, known, atom));
            }
            let head = clause.head.as_ref().expect("a definition has a head");
            self.equate(store, &head.arguments, &mut parts);
            cases.push(store.mk_and(&parts));
        }
        let defined = store.mk_or(&cases);
        let mut cases = Vec::new();
        for clause in uses {
            let mut parts = vec![clause.constraint];
            for atom in &clause.body {
                if atom.relation == self.relation {
                    self.equate(store, &atom.arguments, &mut parts);
                } else {
                    parts.push(self.instance(store, known, atom));
                }
            }
            if let Some(head) = &clause.head {
                let head = self.instance(store, known, head);
                parts.push(store.mk_not(head));
            }
            cases.push(store.mk_and(&parts));
        }
        let used = store.mk_or(&cases);
        let name = self.name;
        let options = Options { budget: budget.clone(), ..Options::default() };
        match sequence_interpolants(store, &[defined, used], &options) {
            Ok(SatOrInterpolants::Interpolants(interpolants)) => Ok(interpolants[1]),
            Ok(SatOrInterpolants::Sat) => {
                Err(lost(format!("the definitions of {name} do not fit its uses")))
            }
            Err(why) => self.project(store, defined).ok_or_else(|| lost(format!("{name}: {why}"))),
        }
    }

    /// The parameters of the relation equal the arguments.
    fn equate(&self, store: &mut TermStore, arguments: &[TermId], parts: &mut Vec<TermId>) {
        for (&parameter, &argument) in self.parameters[&self.relation].iter().zip(arguments) {
            parts.push(store.mk_eq(parameter, argument));
        }
    }

    fn project(&self, store: &mut TermStore, defined: TermId) -> Option<TermId> {
        let parameters = &self.parameters[&self.relation];
        let mut formula = defined;
        for constant in store.constants(defined) {
            if !parameters.contains(&constant) {
                formula = newton::exists(store, constant, formula)?;
            }
        }
        Some(formula)
    }

    fn instance(&self, store: &mut TermStore, known: &Interpretation, atom: &Atom) -> TermId {
        let parameters = self.parameters[&atom.relation].iter().copied();
        let map = parameters.zip(atom.arguments.iter().copied()).collect();
        store.substitute(known.get(atom.relation), &map)
    }
}

pub(super) fn derivation(
    simplified: &Simplified,
    store: &mut TermStore,
    found: &Derivation,
    budget: &Budget,
) -> Result<Derivation, NoAnswer> {
    let mut result = Derivation::default();
    // For each step found: the step of the result that derives its head.
    let mut roots: Vec<usize> = Vec::new();
    // For each step of the result: the arguments that it derives.
    let mut facts: Vec<Vec<Value>> = Vec::new();
    for step in &found.steps {
        budget.poll()?;
        let premises: Vec<usize> = step.premises.iter().map(|&premise| roots[premise]).collect();
        let clause = &simplified.system.clauses[step.clause];
        let mut model = Model::new();
        for (variable, value) in &step.values {
            let function =
                store.function_of(*variable).ok_or_else(|| lost("a value of no variable"))?;
            model.set_constant(function, value.clone());
        }
        let mut writer = Writer {
            system: &simplified.original,
            store: &mut *store,
            premises: &premises,
            facts: &facts,
            selectors: Vec::new(),
        };
        let mut tree = writer.write(&simplified.skeletons[step.clause]);
        let selectors = std::mem::take(&mut writer.selectors);
        let mut solver = Solver::default();
        solver.assert(store, tree.formula, 0);
        if let Some(head) = &clause.head {
            let kept = &simplified.kept[&head.relation];
            let values: Vec<Value> = {
                let mut evaluator = Evaluator::new(store, &model);
                let of = |t: &TermId| evaluator.value(*t).map_err(|e| lost(e.to_string()));
                head.arguments.iter().map(of).collect::<Result<_, NoAnswer>>()?
            };
            for (&position, value) in kept.iter().zip(&values) {
                let value = store.mk_value(value);
                let equal = store.mk_eq(tree.head[position], value);
                solver.assert(store, equal, 0);
            }
        }
        match solver.check(store, &[], budget) {
            Answer::Sat => {}
            Answer::Unsat => return Err(lost("a step has no counterpart in the input")),
            Answer::Unknown(why) => return Err(why),
        }
        let model = solver.take_model().ok_or_else(|| lost("no model"))?;
        let mut emit = Emit { store, model: &model, selectors: &selectors, facts: &mut facts };
        let root = emit.emit(&mut tree.node, &simplified.original, &premises, &mut result)?;
        roots.push(root);
    }
    Ok(result)
}

/// A skeleton over variables of its own.
struct Tree {
    formula: TermId,
    /// The arguments of the head of the root.
    head: Vec<TermId>,
    node: Node,
}

enum Node {
    Clause {
        clause: usize,
        renaming: HashMap<TermId, TermId>,
        premises: Vec<NodePremise>,
    },
    /// Each with its selector.
    Choice(Vec<(TermId, Node)>),
}

enum NodePremise {
    Open(usize),
    Derived(Box<Node>),
}

struct Writer<'a> {
    system: &'a System,
    store: &'a mut TermStore,
    premises: &'a [usize],
    facts: &'a [Vec<Value>],
    selectors: Vec<TermId>,
}

impl Writer<'_> {
    // Skeletons are as deep as chains of inlined relations, which the size limit of
    // inlined clauses bounds.
    fn write(&mut self, skeleton: &Skeleton) -> Tree {
        match skeleton {
            Skeleton::Choice(choices) => {
                let trees: Vec<Tree> = choices.iter().map(|choice| self.write(choice)).collect();
                let head: Vec<TermId> = trees[0]
                    .head
                    .iter()
                    .map(|&t| self.store.sort(t))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|sort| self.store.mk_fresh_const("h", sort))
                    .collect();
                let mut cases = Vec::new();
                let mut nodes = Vec::new();
                for tree in trees {
                    let selector = self.store.mk_fresh_const("choice", bolide_terms::SortId::BOOL);
                    let mut parts = vec![selector, tree.formula];
                    for (&mine, &theirs) in head.iter().zip(&tree.head) {
                        parts.push(self.store.mk_eq(mine, theirs));
                    }
                    cases.push(self.store.mk_and(&parts));
                    self.selectors.push(selector);
                    nodes.push((selector, tree.node));
                }
                let formula = self.store.mk_or(&cases);
                Tree { formula, head, node: Node::Choice(nodes) }
            }
            Skeleton::Clause { clause, premises } => {
                let number = *clause;
                let (clause, renaming) = self.system.clauses[number].rename_apart(self.store);
                let mut parts = vec![clause.constraint];
                let mut nodes = Vec::new();
                for (atom, premise) in clause.body.iter().zip(premises) {
                    match premise {
                        Premise::Open(position) => {
                            let fact = &self.facts[self.premises[*position]];
                            for (&argument, value) in atom.arguments.iter().zip(fact) {
                                let value = self.store.mk_value(value);
                                parts.push(self.store.mk_eq(argument, value));
                            }
                            nodes.push(NodePremise::Open(*position));
                        }
                        Premise::Derived(inner) => {
                            let tree = self.write(inner);
                            parts.push(tree.formula);
                            for (&argument, &derived) in atom.arguments.iter().zip(&tree.head) {
                                parts.push(self.store.mk_eq(argument, derived));
                            }
                            nodes.push(NodePremise::Derived(Box::new(tree.node)));
                        }
                    }
                }
                let formula = self.store.mk_and(&parts);
                let head = clause.head.map(|head| head.arguments).unwrap_or_default();
                let node = Node::Clause { clause: number, renaming, premises: nodes };
                Tree { formula, head, node }
            }
        }
    }
}

struct Emit<'a> {
    store: &'a TermStore,
    model: &'a Model,
    selectors: &'a [TermId],
    facts: &'a mut Vec<Vec<Value>>,
}

impl Emit<'_> {
    /// Adds the steps of a tree to the derivation; the last is its root.
    fn emit(
        &mut self,
        node: &mut Node,
        system: &System,
        open: &[usize],
        derivation: &mut Derivation,
    ) -> Result<usize, NoAnswer> {
        match node {
            Node::Choice(choices) => {
                debug_assert!(choices.iter().all(|(s, _)| self.selectors.contains(s)));
                let mut evaluator = Evaluator::new(self.store, self.model);
                let chosen = choices
                    .iter_mut()
                    .find(|(selector, _)| evaluator.holds(*selector))
                    .ok_or_else(|| lost("no choice was made"))?;
                self.emit(&mut chosen.1, system, open, derivation)
            }
            Node::Clause { clause, renaming, premises } => {
                let mut steps = Vec::new();
                for premise in premises {
                    steps.push(match premise {
                        NodePremise::Open(position) => open[*position],
                        NodePremise::Derived(inner) => {
                            self.emit(inner, system, open, derivation)?
                        }
                    });
                }
                let original = &system.clauses[*clause];
                let mut evaluator = Evaluator::new(self.store, self.model);
                let mut values = Vec::new();
                for variable in original.variables(self.store) {
                    let value = evaluator.value(renaming[&variable]);
                    let value = value.map_err(|e| lost(e.to_string()))?;
                    values.push((variable, value));
                }
                let mut model = Model::new();
                for (variable, value) in &values {
                    let function = self.store.function_of(*variable).expect("a variable");
                    model.set_constant(function, value.clone());
                }
                let mut evaluator = Evaluator::new(self.store, &model);
                let mut fact = Vec::new();
                if let Some(head) = &original.head {
                    for &argument in &head.arguments {
                        let value = evaluator.value(argument);
                        fact.push(value.map_err(|e| lost(e.to_string()))?);
                    }
                }
                derivation.steps.push(Step { clause: *clause, values, premises: steps });
                self.facts.push(fact);
                Ok(derivation.steps.len() - 1)
            }
        }
    }
}

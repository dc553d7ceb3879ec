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
use crate::system::{Atom, Clause, Derivation, Interpretation, RelationId, System};
use bolide_base::{Budget, HashMap, NoAnswer};
use bolide_smt::discharge::model_of;
use bolide_smt::interpolate::{Options, sequence_interpolants};
use bolide_smt::newton;
use bolide_terms::{Evaluator, Model, TermId, TermStore, Value};

/// An answer about the simplified system is none about the original one.
fn lost(why: impl Into<String>) -> NoAnswer {
    NoAnswer::not_certified(why)
}

impl Simplified {
    /// An interpretation of the original system from one of the simplified one.
    pub fn interpretation(
        &self,
        store: &mut TermStore,
        found: &Interpretation,
        budget: &Budget,
    ) -> Result<Interpretation, NoAnswer> {
        let mut result = found.clone();
        for entry in self.trail.iter().rev() {
            match entry {
                Trail::Fixed(relation, formula) => result.set(*relation, *formula),
                Trail::Constant { relation, parameter, value } => {
                    let equal = store.mk_eq(*parameter, *value);
                    result.strengthen(store, *relation, equal);
                }
                Trail::Inlined { relation, definitions, uses, parameters } => {
                    let name = &self.original.relations[*relation].name;
                    let between = Between { name, relation: *relation, parameters };
                    let formula = between.formula(store, &result, definitions, uses, budget)?;
                    result.set(*relation, formula);
                }
            }
        }
        Ok(result)
    }

    /// A derivation of the original system from one of the simplified one.
    pub fn derivation(
        &self,
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
            let premises: Vec<usize> = step.premises.iter().map(|&p| roots[p]).collect();
            let clause = &self.system.clauses[step.clause];
            let system = &self.original;
            let mut writer = Writer { system, store, premises: &premises, facts: &facts };
            let tree = writer.write(&self.skeletons[step.clause]);
            let mut formulas = vec![tree.formula];
            for (&position, value) in clause
                .defines()
                .iter()
                .flat_map(|r| &self.kept[r])
                .zip(derived(store, clause, &step.values)?)
            {
                let value = store.mk_value(&value);
                formulas.push(store.mk_eq(tree.head[position], value));
            }
            let Some(model) = model_of(store, &formulas, budget)? else {
                return Err(lost("a step has no counterpart in the input"));
            };
            let mut emit =
                Emit { system, store, model: &model, open: &premises, facts: &mut facts };
            roots.push(emit.emit(&tree.node, &mut result)?);
        }
        Ok(result)
    }
}

/// The arguments of the head of a clause under values of its variables.
fn derived(
    store: &TermStore,
    clause: &Clause,
    values: &[(TermId, Value)],
) -> Result<Vec<Value>, NoAnswer> {
    let model = Model::of(store, values).ok_or_else(|| lost("a value of no variable"))?;
    let mut evaluator = Evaluator::new(store, &model);
    let arguments = clause.head.iter().flat_map(|head| &head.arguments);
    arguments.map(|&t| evaluator.value(t).map_err(|why| lost(why.to_string()))).collect()
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
            parts.extend(store.mk_eqs(&self.parameters[&self.relation], &head.arguments));
            cases.push(store.mk_and(&parts));
        }
        let defined = store.mk_or(&cases);
        let mut cases = Vec::new();
        for clause in uses {
            let mut parts = vec![clause.constraint];
            for atom in &clause.body {
                if atom.relation == self.relation {
                    parts.extend(store.mk_eqs(&self.parameters[&self.relation], &atom.arguments));
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
            Ok(Some(interpolants)) => Ok(interpolants[1]),
            Ok(None) => Err(lost(format!("the definitions of {name} do not fit its uses"))),
            Err(why) => self.project(store, defined).ok_or_else(|| lost(format!("{name}: {why}"))),
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
        let parameters = &self.parameters[&atom.relation];
        store.replace_all(known.get(atom.relation), parameters, &atom.arguments)
    }
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
}

impl Writer<'_> {
    // Skeletons are as deep as chains of inlined relations, which the size limit of
    // inlined clauses bounds.
    fn write(&mut self, skeleton: &Skeleton) -> Tree {
        match skeleton {
            Skeleton::Choice(choices) => {
                let trees: Vec<Tree> = choices.iter().map(|choice| self.write(choice)).collect();
                let fresh = |&t: &TermId| self.store.mk_fresh_const("h", self.store.sort(t));
                let head: Vec<TermId> = trees[0].head.iter().map(fresh).collect();
                let mut cases = Vec::new();
                let mut nodes = Vec::new();
                for tree in trees {
                    let selector = self.store.mk_fresh_const("choice", bolide_terms::SortId::BOOL);
                    let mut parts = vec![selector, tree.formula];
                    parts.extend(self.store.mk_eqs(&head, &tree.head));
                    cases.push(self.store.mk_and(&parts));
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
                            let fact = self.facts[self.premises[*position]].iter();
                            let fact: Vec<TermId> = fact.map(|v| self.store.mk_value(v)).collect();
                            parts.extend(self.store.mk_eqs(&atom.arguments, &fact));
                            nodes.push(NodePremise::Open(*position));
                        }
                        Premise::Derived(inner) => {
                            let tree = self.write(inner);
                            parts.push(tree.formula);
                            parts.extend(self.store.mk_eqs(&atom.arguments, &tree.head));
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
    system: &'a System,
    store: &'a TermStore,
    model: &'a Model,
    open: &'a [usize],
    facts: &'a mut Vec<Vec<Value>>,
}

impl Emit<'_> {
    /// Adds the steps of a tree to the derivation; the last is its root.
    fn emit(&mut self, node: &Node, derivation: &mut Derivation) -> Result<usize, NoAnswer> {
        let mut evaluator = Evaluator::new(self.store, self.model);
        match node {
            Node::Choice(choices) => {
                let chosen = choices.iter().find(|(selector, _)| evaluator.holds(*selector));
                let (_, node) = chosen.ok_or_else(|| lost("no choice was made"))?;
                self.emit(node, derivation)
            }
            Node::Clause { clause: number, renaming, premises } => {
                let mut steps = Vec::new();
                for premise in premises {
                    steps.push(match premise {
                        NodePremise::Open(position) => self.open[*position],
                        NodePremise::Derived(inner) => self.emit(inner, derivation)?,
                    });
                }
                let clause = &self.system.clauses[*number];
                let renamed = |variable| renaming[&variable];
                let step = clause.step(*number, self.store, renamed, &mut evaluator, steps)?;
                self.facts.push(derived(self.store, clause, &step.values)?);
                derivation.steps.push(step);
                Ok(derivation.steps.len() - 1)
            }
        }
    }
}

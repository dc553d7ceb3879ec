//! What the engines ask: does one formula entail another, is one satisfiable,
//! which valuations of predicates does it allow.
//!
//! Engines ask tens of thousands of small questions, many of them twice, and
//! most negative answers are explained by a model that was seen shortly before. So
//! an [`Entailment`] first looks at the syntax, then into its memory of
//! answers, then tries a ring of recent models, and only then calls the
//! solver, in a scope of its own that is popped afterwards: nothing grows but the memory, which is
//! bounded.
//!
//! [`Entailment::valuations`] is the question of predicate abstraction: the strongest Boolean combination of given
//! predicates that a formula implies. Conjuncts and predicates
//! that share no symbols cannot influence each other, so the problem is split into components
//! and the answer is a product; in each component the satisfying valuations are enumerated by one incremental solver
//! that blocks what it has seen (Lahiri, Nieuwenhuis and Oliveras,
//! CAV 2006), and valuations that differ in one predicate are merged.

use std::collections::VecDeque;

use bolide_base::{Budget, HashMap, HashSet, NoAnswer};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::model::Model;
use bolide_terms::{FunctionId, Op, TermId, TermStore};

use crate::solver::{Answer, Solver};

/// A question's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Holds,
    /// No: there is a counterexample.
    Fails,
    /// Not decided.
    Unknown(NoAnswer),
}

impl Verdict {
    /// Whether the answer is yes for sure.
    pub fn holds(&self) -> bool {
        *self == Verdict::Holds
    }
}

/// How questions were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Questions asked, parts of questions included.
    pub questions: u64,
    /// Answered by looking at the formulas.
    pub by_syntax: u64,
    /// Answered from memory.
    pub by_memory: u64,
    /// Refuted by a model seen before.
    pub by_model: u64,
    /// Given to the solver.
    pub by_solver: u64,
}

// Heuristic: how many models are tried. More find more, but each costs an evaluation.
const MODELS: usize = 8;
/// Bounds the memory: about fifty megabytes.
const MEMORY: usize = 1 << 20;

/// Answers questions about formulas of one term store.
#[derive(Default)]
pub struct Entailment {
    solver: Solver,
    axioms: Vec<TermId>,
    answers: HashMap<(TermId, TermId), bool>,
    /// The most useful first.
    models: VecDeque<Model>,
    statistics: Statistics,
}

impl Entailment {
    /// Remembers nothing yet.
    pub fn new() -> Self {
        Entailment::default()
    }

    /// Adds an axiom under which all questions are asked from now on.
    pub fn add_axiom(&mut self, store: &mut TermStore, axiom: TermId) {
        self.solver.assert(store, axiom, 0);
        self.axioms.push(axiom);
        self.models.retain(|model| Evaluator::new(store, model).holds(axiom));
        // What held holds still; what failed may hold now.
        self.answers.retain(|_, holds| *holds);
    }

    /// Whether `premise` implies `conclusion`.
    pub fn entails(
        &mut self,
        store: &mut TermStore,
        premise: TermId,
        conclusion: TermId,
        budget: &Budget,
    ) -> Verdict {
        if store.op(conclusion) == Op::And {
            let mut unknown = None;
            for part in store.args(conclusion).to_vec() {
                match self.entails_part(store, premise, part, budget) {
                    Verdict::Holds => {}
                    Verdict::Fails => return Verdict::Fails,
                    Verdict::Unknown(reason) => unknown = Some(reason),
                }
            }
            return unknown.map_or(Verdict::Holds, Verdict::Unknown);
        }
        self.entails_part(store, premise, conclusion, budget)
    }

    /// Whether the formula has a model.
    pub fn is_satisfiable(
        &mut self,
        store: &mut TermStore,
        formula: TermId,
        budget: &Budget,
    ) -> Verdict {
        match self.entails_part(store, formula, TermId::FALSE, budget) {
            Verdict::Holds => Verdict::Fails,
            Verdict::Fails => Verdict::Holds,
            unknown => unknown,
        }
    }

    /// How questions were answered so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// A model in which the last question failed, or one that is as good.
    pub fn counterexample(&self) -> Option<&Model> {
        self.models.front()
    }

    fn entails_part(
        &mut self,
        store: &mut TermStore,
        premise: TermId,
        conclusion: TermId,
        budget: &Budget,
    ) -> Verdict {
        self.statistics.questions += 1;
        if follows_by_syntax(store, premise, conclusion) {
            self.statistics.by_syntax += 1;
            return Verdict::Holds;
        }
        if let Some(&known) = self.answers.get(&(premise, conclusion)) {
            self.statistics.by_memory += 1;
            return if known { Verdict::Holds } else { Verdict::Fails };
        }
        let verdict = if self.refuted_by_model(store, premise, conclusion) {
            self.statistics.by_model += 1;
            Verdict::Fails
        } else {
            self.statistics.by_solver += 1;
            self.ask(store, premise, conclusion, budget)
        };
        if matches!(verdict, Verdict::Holds | Verdict::Fails) {
            if self.answers.len() >= MEMORY {
                self.answers.clear();
            }
            self.answers.insert((premise, conclusion), verdict.holds());
        }
        verdict
    }

    fn refuted_by_model(&mut self, store: &TermStore, premise: TermId, conclusion: TermId) -> bool {
        let found = self.models.iter().position(|model| {
            let mut evaluator = Evaluator::new(store, model);
            !evaluator.holds(conclusion) && evaluator.holds(premise)
        });
        if let Some(position) = found
            && let Some(model) = self.models.remove(position)
        {
            self.models.push_front(model);
        }
        found.is_some()
    }

    fn ask(
        &mut self,
        store: &mut TermStore,
        premise: TermId,
        conclusion: TermId,
        budget: &Budget,
    ) -> Verdict {
        let _work = budget.progress().in_solver();
        let negated = store.mk_not(conclusion);
        self.solver.push(store);
        self.solver.assert(store, premise, 0);
        self.solver.assert(store, negated, 0);
        let answer = self.solver.check(store, &[], budget);
        let model = self.solver.take_model();
        self.solver.pop(store, 1);
        match answer {
            Answer::Unsat => Verdict::Holds,
            Answer::Sat => {
                self.remember(model);
                Verdict::Fails
            }
            Answer::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    fn remember(&mut self, model: Option<Model>) {
        if let Some(model) = model {
            self.models.truncate(MODELS - 1);
            self.models.push_front(model);
        }
    }

    /// The valuations of the predicates that the formula allows: the strongest Boolean
    /// combination of them that it implies.
    pub fn valuations(
        &mut self,
        store: &mut TermStore,
        formula: TermId,
        predicates: &[TermId],
        budget: &Budget,
    ) -> Result<Valuations, NoAnswer> {
        let conjuncts = conjuncts(store, formula);
        let mut result = Valuations { components: Vec::new() };
        for (conjuncts, members) in components(store, &self.axioms, &conjuncts, predicates) {
            let part = store.mk_and(&conjuncts);
            let chosen: Vec<TermId> = members.iter().map(|&i| predicates[i]).collect();
            let cubes = self.enumerate(store, part, &chosen, budget)?;
            if cubes.is_empty() {
                // The formula has no model at all.
                return Ok(Valuations {
                    components: vec![Component { predicates: vec![], cubes: vec![] }],
                });
            }
            if !members.is_empty() {
                result.components.push(Component { predicates: members, cubes });
            }
        }
        Ok(result)
    }

    /// All valuations of the predicates in models of the formula, as merged cubes.
    fn enumerate(
        &mut self,
        store: &mut TermStore,
        formula: TermId,
        predicates: &[TermId],
        budget: &Budget,
    ) -> Result<Vec<Cube>, NoAnswer> {
        self.statistics.questions += 1;
        self.solver.push(store);
        self.solver.assert(store, formula, 0);
        let mut found: Vec<Vec<bool>> = Vec::new();
        let result = loop {
            self.statistics.by_solver += 1;
            match self.solver.check(store, &[], budget) {
                Answer::Unsat => break Ok(()),
                Answer::Unknown(reason) => break Err(reason),
                Answer::Sat => {}
            }
            let model = self.solver.take_model().expect("a satisfiable check has a model");
            let mut evaluator = Evaluator::new(store, &model);
            let valuation: Vec<bool> = predicates.iter().map(|&p| evaluator.holds(p)).collect();
            self.remember(Some(model));
            let blocking: Vec<TermId> = predicates
                .iter()
                .zip(&valuation)
                .map(|(&p, &value)| if value { store.mk_not(p) } else { p })
                .collect();
            let clause = store.mk_or(&blocking);
            found.push(valuation);
            self.solver.assert(store, clause, 0);
        };
        self.solver.pop(store, 1);
        result.map(|()| merge(found))
    }
}

/// Part of a valuation: a value for some predicates, by position.
pub type Cube = Vec<Option<bool>>;

/// Predicates that depend on each other, with the valuations they may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Positions in the list of predicates that was asked about.
    pub predicates: Vec<usize>,
    /// One entry for each of `predicates`; `None` where both values are
    /// possible. The allowed valuations are exactly those in some cube.
    pub cubes: Vec<Cube>,
}

/// The product of the valuations of independent components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valuations {
    /// A component without cubes means that there is no model at all.
    pub components: Vec<Component>,
}

impl Valuations {
    /// Whether the formula had no model.
    pub fn is_empty(&self) -> bool {
        self.components.iter().any(|component| component.cubes.is_empty())
    }

    /// The combination as a formula over the predicates that were asked about.
    pub fn formula(&self, store: &mut TermStore, predicates: &[TermId]) -> TermId {
        let mut parts = Vec::new();
        for component in &self.components {
            let mut cubes = Vec::new();
            for cube in &component.cubes {
                let literals: Vec<TermId> = component
                    .predicates
                    .iter()
                    .zip(cube)
                    .filter_map(|(&i, value)| value.map(|value| (predicates[i], value)))
                    .map(|(p, value)| if value { p } else { store.mk_not(p) })
                    .collect();
                cubes.push(store.mk_and(&literals));
            }
            parts.push(store.mk_or(&cubes));
        }
        store.mk_and(&parts)
    }

    /// All cubes over all predicates: the product written out. There may be
    /// exponentially many.
    pub fn cubes(&self, predicates: usize) -> Vec<Cube> {
        let mut result: Vec<Cube> = vec![vec![None; predicates]];
        for component in &self.components {
            let mut next = Vec::with_capacity(result.len() * component.cubes.len());
            for cube in &result {
                for part in &component.cubes {
                    let mut cube = cube.clone();
                    for (&i, &value) in component.predicates.iter().zip(part) {
                        cube[i] = value;
                    }
                    next.push(cube);
                }
            }
            result = next;
        }
        result
    }
}

fn conjuncts(store: &TermStore, formula: TermId) -> Vec<TermId> {
    let mut result = Vec::new();
    let mut work = vec![formula];
    while let Some(part) = work.pop() {
        match store.op(part) {
            Op::And => work.extend(store.args(part).iter().rev()),
            Op::True => {}
            _ => result.push(part),
        }
    }
    result
}

/// Whether the implication is plain to see.
fn follows_by_syntax(store: &TermStore, premise: TermId, conclusion: TermId) -> bool {
    if premise == conclusion || premise == TermId::FALSE || conclusion == TermId::TRUE {
        return true;
    }
    // Arguments of conjunctions and disjunctions are sorted.
    let contains = |whole: TermId, op: Op, part: TermId| {
        store.op(whole) == op && store.args(whole).binary_search(&part).is_ok()
    };
    contains(premise, Op::And, conclusion)
        || contains(conclusion, Op::Or, premise)
        || (store.op(premise) == Op::And
            && store.args(premise).iter().any(|&part| contains(conclusion, Op::Or, part)))
}

/// Splits conjuncts and predicates into groups without common symbols, where
/// axioms make their symbols common.
fn components(
    store: &TermStore,
    axioms: &[TermId],
    conjuncts: &[TermId],
    predicates: &[TermId],
) -> Vec<(Vec<TermId>, Vec<usize>)> {
    let formulas: Vec<TermId> = conjuncts.iter().chain(predicates).chain(axioms).copied().collect();
    let mut parent: Vec<usize> = (0..formulas.len()).collect();
    fn find(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let mut owner: HashMap<FunctionId, usize> = HashMap::default();
    for (i, &formula) in formulas.iter().enumerate() {
        for &symbol in store.symbols(formula).iter() {
            match owner.get(&symbol) {
                None => {
                    owner.insert(symbol, i);
                }
                Some(&other) => {
                    let (a, b) = (find(&mut parent, i), find(&mut parent, other));
                    parent[a.max(b)] = a.min(b);
                }
            }
        }
    }
    let mut groups: Vec<(usize, Vec<TermId>, Vec<usize>)> = Vec::new();
    for (i, &formula) in formulas.iter().enumerate() {
        let root = find(&mut parent, i);
        let place = match groups.iter().position(|(r, _, _)| *r == root) {
            Some(place) => place,
            None => {
                groups.push((root, Vec::new(), Vec::new()));
                groups.len() - 1
            }
        };
        if i < conjuncts.len() {
            groups[place].1.push(formula);
        } else if i < conjuncts.len() + predicates.len() {
            groups[place].2.push(i - conjuncts.len());
        }
    }
    groups.into_iter().map(|(_, conjuncts, members)| (conjuncts, members)).collect()
}

/// Merges valuations that differ in one place, as long as there are any.
fn merge(valuations: Vec<Vec<bool>>) -> Vec<Cube> {
    let mut cubes: Vec<Cube> =
        valuations.into_iter().map(|v| v.into_iter().map(Some).collect()).collect();
    let places = cubes.first().map_or(0, Vec::len);
    for place in 0..places {
        let present: HashSet<Cube> = cubes.iter().cloned().collect();
        let mut next: Vec<Cube> = Vec::with_capacity(cubes.len());
        for cube in cubes {
            let Some(value) = cube[place] else {
                next.push(cube);
                continue;
            };
            let mut twin = cube.clone();
            twin[place] = Some(!value);
            if !present.contains(&twin) {
                next.push(cube);
            } else if value {
                // Of the two, the one with the true value stands for both.
                twin[place] = None;
                next.push(twin);
            }
        }
        cubes = next;
    }
    cubes
}

//! The public solver: assert, push and pop, check, read the answer.
//!
//! Who owns what. The terms belong to the caller: every method that needs them
//! borrows the [`TermStore`] for the call, so that engines can build terms
//! between calls and several solvers can share one store. A solver must always
//! be given the same store.
//!
//! The search is [`bolide_sat::Solver`]; the [`Bridge`] stands between it and
//! the theories: it implements the search's `Theory` and `ProofSink`, calls
//! the theories one after the other, and delivers what they put into the
//! [`Context`]: new atoms are defined (`clausify`) and announced, clauses are
//! handed over.
//!
//! What every answer went through: of `Sat`, a model was built and every asserted formula
//! and assumption evaluated in it by `bolide_terms::evaluate`; if one is not true the
//! answer is `Unknown`. Of `Unsat`, when proofs are on, the proof can be
//! extracted and given to `bolide_proof::check`.

use bolide_base::{Budget, NoAnswer};
use bolide_proof::{Literal, Partition, Proof};
use bolide_sat::{
    Actions, Dimacs, FinalCheck, Keep, Lit, Outcome, ProofId, ProofSink, Theory, Var,
};
use bolide_terms::evaluate::{EvaluateError, Evaluator};
use bolide_terms::model::{Model, Value};
use bolide_terms::{TermId, TermStore};

use crate::arrays::Arrays;
use crate::bitvectors::BitVectors;
use crate::candidate::{Candidate, Lemmas};
use crate::clausify::{self, Asserted};
use crate::combination::Combination;
use crate::context::{Context, Shared};
use crate::joined::Joined;
use crate::proof_log::ProofLog;

/// What a solver is to do beyond answering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Whether proofs are logged. Needed for [`Solver::proof`] and interpolants.
    pub proofs: bool,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model: [`Solver::model`].
    Sat,
    /// There is none: [`Solver::unsat_core`], [`Solver::proof`].
    Unsat,
    /// Not decided: the budget was exhausted, a theory is incomplete here, or the model that
    /// was found is none.
    Unknown(NoAnswer),
}

/// Counts since the solver was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Calls of [`Solver::check`].
    pub checks: u64,
    /// Conflicts, decisions and so on.
    pub search: bolide_sat::Statistics,
}

/// How much a solver keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Boolean terms that are variables of the search.
    pub atoms: usize,
    /// Clauses of the search.
    pub clauses: usize,
    /// Words that clauses take up, dead ones included.
    pub words: usize,
    /// Steps of the proof.
    pub steps: usize,
}

/// What to return to when a scope is popped.
#[derive(Clone, Copy)]
struct Scope {
    asserted: usize,
    atoms: usize,
    terms: usize,
}

struct Theories {
    combination: Combination,
    arrays: Arrays,
    bitvectors: BitVectors,
    joined: Joined,
}

impl Theories {
    /// Integers and reals, functions, and the integers that have bits.
    fn agree(&mut self, context: &mut Context<'_>, actions: &Actions<'_>) -> FinalCheck {
        let Theories { combination, bitvectors, joined, .. } = self;
        if !combination.integral(context) {
            return FinalCheck::Continue;
        }
        match joined.final_check(context, combination, bitvectors, actions) {
            FinalCheck::Consistent => combination.final_check(context),
            other => other,
        }
    }
}

/// An incremental SMT solver.
pub struct Solver {
    search: bolide_sat::Solver,
    theories: Theories,
    shared: Shared,
    asserted: Vec<(TermId, Partition)>,
    scopes: Vec<Scope>,
    assumptions: Vec<(TermId, Partition)>,
    core: Vec<TermId>,
    model: Option<Model>,
    /// The last answer was `Unsat`, and nothing has changed since.
    refuted: bool,
    /// How many entries the log had after the last collection.
    live_log: usize,
    checks: u64,
    clauses: Vec<Asserted>,
}

impl Default for Solver {
    fn default() -> Self {
        Solver::new(Config::default())
    }
}

impl Solver {
    /// A solver in which nothing is asserted.
    pub fn new(config: Config) -> Self {
        Solver {
            search: bolide_sat::Solver::new(),
            theories: Theories {
                combination: Combination::new(),
                arrays: Arrays::default(),
                bitvectors: BitVectors::default(),
                joined: Joined::default(),
            },
            shared: Shared { log: ProofLog::new(config.proofs), ..Shared::default() },
            asserted: Vec::new(),
            scopes: Vec::new(),
            assumptions: Vec::new(),
            core: Vec::new(),
            model: None,
            refuted: false,
            live_log: 0,
            checks: 0,
            clauses: Vec::new(),
        }
    }

    /// From now on models may have irrational values, which no term denotes.
    pub fn allow_irrational(&mut self) {
        self.theories.combination.allow_irrational();
    }

    // State a problem.

    /// Asserts a formula in the present scope, as part of a partition (which
    /// matters for interpolation only).
    pub fn assert(&mut self, store: &mut TermStore, formula: TermId, partition: Partition) {
        debug_assert!(store.is_bool(formula));
        self.forget_answer();
        self.asserted.push((formula, partition));
        self.shared.claims.truncate(self.asserted.len() - 1);
        self.shared.claims.push(formula);
        let budget = Budget::unlimited();
        let (search, mut bridge) = self.parts(store, &budget);
        search.reset_assignment(&mut bridge);
        let mut clauses = std::mem::take(&mut self.clauses);
        let (search, mut bridge) = self.parts(store, &budget);
        clausify::assert_formula(&mut bridge.context, formula, partition, &mut clauses);
        bridge.deliver_at_root(search);
        for clause in clauses.drain(..) {
            search.add_clause(&mut bridge, &clause.lits, clause.proof);
        }
        self.clauses = clauses;
    }

    /// Opens a scope.
    pub fn push(&mut self, store: &mut TermStore) {
        self.forget_answer();
        let budget = Budget::unlimited();
        let (search, mut bridge) = self.parts(store, &budget);
        search.push(&mut bridge);
        // What propagation added belongs to the outer scopes.
        bridge.deliver_at_root(search);
        self.scopes.push(Scope {
            asserted: self.asserted.len(),
            atoms: self.shared.atoms.len(),
            terms: self.shared.definitions.terms_log.len(),
        });
    }

    /// Closes the last `count` scopes, of which there must be as many.
    pub fn pop(&mut self, store: &mut TermStore, count: usize) {
        if count == 0 {
            return;
        }
        self.forget_answer();
        let kept = self.scopes.len().checked_sub(count).expect("as many scopes are open");
        let scope = self.scopes[kept];
        let budget = Budget::unlimited();
        let (search, mut bridge) = self.parts(store, &budget);
        search.pop(&mut bridge, count);
        self.scopes.truncate(kept);
        self.asserted.truncate(scope.asserted);
        self.shared.claims.truncate(scope.asserted);
        self.shared.truncate(scope.atoms, scope.terms);
        if self.shared.log.wants_collection(self.live_log) {
            self.collect_log();
        }
    }

    // Solve.

    /// Whether the asserted formulas and the assumptions have a model. Assumptions
    /// are any Boolean terms.
    pub fn check(
        &mut self,
        store: &mut TermStore,
        assumptions: &[TermId],
        budget: &Budget,
    ) -> Answer {
        self.assume(assumptions);
        self.search_and_confirm(store, budget)
    }

    /// Like [`check`](Self::check), of the lemmas too. After `Sat` there is no model yet: to have one, and to trust
    /// the answer, [`confirm`](Self::confirm) it.
    pub fn check_with_lemmas(
        &mut self,
        store: &mut TermStore,
        assumptions: &[TermId],
        lemmas: &mut dyn Lemmas,
        budget: &Budget,
    ) -> Answer {
        self.assume(assumptions);
        self.search(store, Some(lemmas), budget)
    }

    fn assume(&mut self, assumptions: &[TermId]) {
        self.assumptions.clear();
        self.assumptions.extend(assumptions.iter().map(|&formula| (formula, 0)));
    }

    fn search_and_confirm(&mut self, store: &mut TermStore, budget: &Budget) -> Answer {
        match self.search(store, None, budget) {
            Answer::Sat => self.confirm(store),
            other => other,
        }
    }

    /// After `Sat` with lemmas: builds the model and evaluates everything in it.
    pub fn confirm(&mut self, store: &mut TermStore) -> Answer {
        let model = self.candidate(|candidate| candidate.model(store));
        let mut evaluator = Evaluator::with_capacity(store, &model, 2 * self.shared.atoms.len());
        let claims = self.asserted.iter().chain(&self.assumptions);
        for &(formula, _) in claims {
            match evaluator.value(formula) {
                Ok(Value::Bool(true)) => {}
                // A defect of the solver, which costs an answer and no more.
                Ok(_) => return Answer::Unknown(NoAnswer::solver("model check failed")),
                // To the search a quantified formula is an atom without meaning.
                Err(EvaluateError::Irrational) => {
                    return Answer::Unknown(NoAnswer::solver("irrational numbers"));
                }
                Err(EvaluateError::TooLarge) => {
                    return Answer::Unknown(NoAnswer::solver("powers that are too large"));
                }
                Err(EvaluateError::Quantifier) => {
                    return Answer::Unknown(NoAnswer::solver("quantifiers are not decided"));
                }
            }
        }
        self.model = Some(model);
        Answer::Sat
    }

    fn candidate<T>(&self, read: impl FnOnce(&Candidate<'_>) -> T) -> T {
        let value = |lit: Lit| self.search.value(lit);
        let Theories { combination, bitvectors, .. } = &self.theories;
        read(&Candidate { combination, bitvectors, atoms: &self.shared.atoms, value: &value })
    }

    /// Like [`check`](Self::check), with assumptions that belong to partitions.
    pub fn check_partitioned(
        &mut self,
        store: &mut TermStore,
        assumptions: &[(TermId, Partition)],
        budget: &Budget,
    ) -> Answer {
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        self.search_and_confirm(store, budget)
    }

    fn search(
        &mut self,
        store: &mut TermStore,
        lemmas: Option<&mut dyn Lemmas>,
        budget: &Budget,
    ) -> Answer {
        let _question = budget.progress().ask();
        self.forget_answer();
        self.checks += 1;
        let assumptions = std::mem::take(&mut self.assumptions);
        self.shared.claims.truncate(self.asserted.len());
        self.shared.claims.extend(assumptions.iter().map(|&(formula, _)| formula));
        let (search, bridge) = self.parts(store, budget);
        let mut bridge = match lemmas {
            Some(lemmas) => Bridge { lemmas: Some(lemmas), ..bridge },
            None => bridge,
        };
        search.reset_assignment(&mut bridge);
        let lits: Vec<Lit> = assumptions
            .iter()
            .map(|&(formula, _)| {
                let literal = Literal::new(bridge.context.store, formula);
                bridge.context.literal_if_true(literal)
            })
            .collect();
        bridge.deliver_at_root(search);
        bridge.theories.combination.begin_check();
        let outcome = search.solve(&mut bridge, &lits, budget);
        let core = search.core().to_vec();
        let added = std::mem::take(&mut bridge.added);
        if !added.is_empty() {
            self.asserted.extend(added.into_iter().map(|formula| (formula, 0)));
            self.shared.claims.clear();
            self.shared.claims.extend(self.asserted.iter().map(|&(formula, _)| formula));
        }
        self.assumptions = assumptions;
        match outcome {
            Outcome::Sat => Answer::Sat,
            Outcome::Unsat => {
                self.refuted = true;
                for (i, &(formula, _)) in self.assumptions.iter().enumerate() {
                    if core.contains(&lits[i]) && !self.core.contains(&formula) {
                        self.core.push(formula);
                    }
                }
                Answer::Unsat
            }
            Outcome::Unknown(why) => Answer::Unknown(why),
        }
    }

    // Read the answer.

    /// After `Sat`: a model.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// After `Sat`: a model, which the solver then has no more.
    pub fn take_model(&mut self) -> Option<Model> {
        self.model.take()
    }

    /// After `Unsat`: assumptions that suffice for the contradiction.
    pub fn unsat_core(&self) -> &[TermId] {
        &self.core
    }

    /// After `Unsat`: a core from which no assumption can be left out (as far as
    /// checks decide within the budget). Changes the core that
    /// [`unsat_core`](Self::unsat_core) and [`proof`](Self::proof) report.
    pub fn minimise_core(&mut self, store: &mut TermStore, budget: &Budget) -> Vec<TermId> {
        let partitions = self.assumptions.clone();
        let mut needed: Vec<TermId> = Vec::new();
        let mut open: Vec<TermId> = self.core.clone();
        while let Some(candidate) = open.pop() {
            let trial: Vec<(TermId, Partition)> = partitions
                .iter()
                .copied()
                .filter(|(formula, _)| needed.contains(formula) || open.contains(formula))
                .collect();
            self.assumptions = trial;
            if self.search(store, None, budget) == Answer::Unsat {
                let core = &self.core;
                open.retain(|formula| core.contains(formula));
            } else {
                needed.push(candidate);
            }
        }
        let last: Vec<(TermId, Partition)> =
            partitions.into_iter().filter(|(formula, _)| needed.contains(formula)).collect();
        // Unless the budget ended, this repeats what has been found before.
        self.assumptions = last;
        if self.search(store, None, budget) == Answer::Unsat {
            needed = self.core.clone();
        }
        needed
    }

    /// After `Unsat`, if proofs are on: the proof of the empty clause. Assumptions
    /// occur in it as assertions.
    pub fn proof(&mut self, store: &TermStore) -> Option<Proof> {
        if !self.refuted || !self.shared.log.is_enabled() {
            return None;
        }
        let mut chain = Vec::new();
        let core = self.search.core().to_vec();
        let mut last = self.search.core_proof();
        for &lit in &core {
            let literal = self.shared.atoms.literal(lit);
            let (formula, partition) = *self
                .assumptions
                .iter()
                .find(|(formula, _)| Literal::new(store, *formula) == literal)?;
            let step = self.shared.log.assertion(literal, formula, partition);
            chain.push((literal, step));
        }
        if !last.is_some() {
            // Two assumptions that contradict each other.
            let (_, first) = chain.pop()?;
            last = first;
        }
        let root = self.shared.log.resolution([], last, chain);
        Some(self.shared.log.extract(root))
    }

    /// The clauses of the last check with its assumptions, as far as theories have spoken.
    pub fn dimacs(&self, store: &TermStore) -> Dimacs {
        let lit = |&(formula, _): &(TermId, Partition)| {
            let literal = Literal::new(store, formula);
            self.shared.atoms.var(literal.atom).map(|var| var.lit(literal.positive))
        };
        let assumed: Vec<Lit> = self.assumptions.iter().filter_map(lit).collect();
        let mut problem = self.search.dimacs(&assumed);
        // A constant has no variable.
        if self.assumptions.iter().any(|a| a.0 == TermId::FALSE) {
            problem.clauses.push(Vec::new());
        }
        problem
    }

    /// What happened so far.
    pub fn statistics(&self) -> Statistics {
        Statistics { checks: self.checks, search: self.search.statistics() }
    }

    /// How many atoms the search has.
    pub fn atoms(&self) -> usize {
        self.shared.atoms.len()
    }

    /// How much is kept: for tests of growth.
    pub fn size(&self) -> Size {
        let (clauses, words) = self.search.size();
        Size { atoms: self.shared.atoms.len(), clauses, words, steps: self.shared.log.len() }
    }

    // Internals.

    fn forget_answer(&mut self) {
        self.model = None;
        self.core.clear();
        self.refuted = false;
    }

    fn parts<'a>(
        &'a mut self,
        store: &'a mut TermStore,
        budget: &'a Budget,
    ) -> (&'a mut bolide_sat::Solver, Bridge<'a>) {
        let context = Context { store, shared: &mut self.shared, budget };
        let (theories, added) = (&mut self.theories, Vec::new());
        (&mut self.search, Bridge { context, theories, lemmas: None, added })
    }

    fn collect_log(&mut self) {
        let mut roots = Vec::new();
        self.search.for_each_proof(|id| roots.push(*id));
        let forwarding = self.shared.log.collect(roots);
        self.search.for_each_proof(|id| {
            if id.is_some() {
                *id = forwarding[id.0 as usize];
            }
        });
        self.live_log = self.shared.log.len();
    }
}

/// The theories as the search sees them.
struct Bridge<'a> {
    context: Context<'a>,
    theories: &'a mut Theories,
    /// What else models must satisfy.
    lemmas: Option<&'a mut dyn Lemmas>,
    /// Lemmas that were asserted during search.
    added: Vec<TermId>,
}

impl Bridge<'_> {
    /// Defines new atoms and tells the theories about them, until there are none.
    fn settle(&mut self) {
        let Bridge { context, theories, .. } = self;
        let mut next = 0;
        while next < context.shared.definitions.agenda.len() {
            let var = context.shared.definitions.agenda[next];
            next += 1;
            if clausify::define(context, var) {
                if theories.bitvectors.is_internal_bit(context.store, context.atom(var)) {
                    continue;
                }
                theories.bitvectors.register_atom(context, var);
                theories.arrays.register_atom(context, var);
                theories.combination.register_atom(context, var);
                theories.joined.register_atom(context, var);
            }
        }
        context.shared.definitions.agenda.clear();
    }

    /// Hands new atoms and clauses over to the search, between searches.
    fn deliver_at_root(&mut self, search: &mut bolide_sat::Solver) {
        self.settle();
        while search.variables() < self.context.shared.atoms.len() {
            search.new_var();
        }
        let mut outbox = std::mem::take(&mut self.context.shared.outbox);
        let mut start = 0;
        for &(end, _, proof) in &outbox.clauses {
            search.add_valid_clause(self, &outbox.lits[start..end], proof);
            start = end;
        }
        outbox.clear();
        self.context.shared.outbox = outbox;
    }

    /// Hands new atoms and clauses over to the search, during search.
    fn deliver(&mut self, actions: &mut Actions<'_>) {
        self.settle();
        while actions.variables() < self.context.shared.atoms.len() {
            actions.new_var();
        }
        let outbox = &mut self.context.shared.outbox;
        let mut start = 0;
        for &(end, keep, proof) in &outbox.clauses {
            actions.clause(&outbox.lits[start..end], keep, proof);
            start = end;
        }
        outbox.clear();
    }
}

impl Bridge<'_> {
    /// Asks the theories about a full assignment, each when the ones before it agree.
    fn consult(&mut self, actions: &mut Actions<'_>) -> FinalCheck {
        let verdict = self.theories.agree(&mut self.context, actions);
        if verdict == FinalCheck::Continue {
            self.deliver(actions);
            for var in self.theories.joined.take_first() {
                actions.decide_first(var);
            }
            return verdict;
        }
        let theories = &mut *self.theories;
        let combination = &mut theories.combination;
        let mut more = theories.bitvectors.final_check(&mut self.context, combination, actions);
        more |= theories.arrays.final_check(&mut self.context, combination, actions);
        self.deliver(actions);
        match verdict {
            _ if more => FinalCheck::Continue,
            FinalCheck::Consistent if self.exclude(actions) => FinalCheck::Continue,
            verdict => verdict,
        }
    }

    /// Asserts the lemmas that the assignment violates; whether there are any.
    fn exclude(&mut self, actions: &mut Actions<'_>) -> bool {
        let Some(lemmas) = &mut self.lemmas else { return false };
        let value = |lit: Lit| actions.value(lit);
        let Theories { combination, bitvectors, .. } = &*self.theories;
        let atoms = &self.context.shared.atoms;
        let candidate = Candidate { combination, bitvectors, atoms, value: &value };
        let violated = lemmas.violated(self.context.store, &candidate);
        let mut clauses = Vec::new();
        for &formula in &violated {
            clausify::assert_formula(&mut self.context, formula, 0, &mut clauses);
        }
        for clause in clauses {
            self.context.shared.outbox.push(&clause.lits, Keep::Always, clause.proof);
        }
        self.context.shared.claims.extend_from_slice(&violated);
        self.deliver(actions);
        let any = !violated.is_empty();
        self.added.extend(violated);
        any
    }
}

impl Theory for Bridge<'_> {
    #[inline]
    fn assign(&mut self, lit: Lit) {
        self.theories.combination.assign(lit);
    }

    fn push_level(&mut self) {
        self.theories.combination.push_level();
    }

    fn pop_levels(&mut self, count: usize) {
        self.theories.combination.pop_levels(count);
    }

    fn push_scope(&mut self) {
        self.theories.combination.push_scope();
        self.theories.arrays.push_scope();
        self.theories.bitvectors.push_scope();
        self.theories.joined.push_scope();
    }

    fn pop_scopes(&mut self, count: usize, first_retired: usize) {
        self.theories.combination.pop_scopes(count, first_retired);
        self.theories.arrays.pop_scopes(count);
        self.theories.bitvectors.pop_scopes(count);
        self.theories.joined.pop_scopes(count);
    }

    fn propagate(&mut self, actions: &mut Actions<'_>) {
        self.theories.combination.propagate(&mut self.context, actions);
        self.deliver(actions);
    }

    fn final_check(&mut self, actions: &mut Actions<'_>) -> FinalCheck {
        loop {
            let verdict = self.consult(actions);
            let is_stuck = verdict == FinalCheck::Continue && actions.is_silent();
            if !is_stuck || !self.theories.combination.has_late_values() {
                return verdict;
            }
            // An atom of old became a node: nothing is new to the search, but the e-graph has yet
            // to hear of its value.
            self.propagate(actions);
            if !actions.is_silent() {
                return verdict;
            }
        }
    }

    fn explain(&mut self, lit: Lit, reason: u32, clause: &mut Vec<Lit>) -> ProofId {
        self.theories.combination.explain(&mut self.context, lit, reason, clause)
    }

    fn phase(&mut self, var: Var) -> Option<bool> {
        self.theories.combination.phase(var)
    }
}

impl ProofSink for Bridge<'_> {
    fn wants_proof(&self) -> bool {
        self.context.shared.log.is_enabled()
    }

    fn resolution(
        &mut self,
        first: ProofId,
        chain: &[(Lit, ProofId)],
        conclusion: &[Lit],
    ) -> ProofId {
        let Shared { atoms, log, .. } = &mut *self.context.shared;
        log.resolution(
            conclusion.iter().map(|&lit| atoms.literal(lit)),
            first,
            chain.iter().map(|&(pivot, step)| (atoms.literal(pivot), step)),
        )
    }
}

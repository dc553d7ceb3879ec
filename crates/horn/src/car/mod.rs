//! CAR: constraint abstraction refinement.
//!
//! After Flanagan, *Software model checking via iterative abstraction refinement of
//! constraint logic queries*. The steps of its Figure 4:
//!
//! - the rules are abstracted to Boolean rules by the present abstraction
//!   ([`Abstraction`], Figure 3: `boolean::abstract_rule`);
//! - the Boolean query is decided by a least fixpoint ([`boolean::Fixpoint`]). If it
//!   cannot be derived, neither can the query, and what the fixpoint says of the interface
//!   predicates is a solution;
//! - otherwise a trace is read off and the Explicating Trace Checker
//!   ([`trace_checker::check`], section 6) decides the flattened constraint. A
//!   model is a derivation; else a hygienic proof, which is a tree
//!   interpolant along the trace, gives interface predicates for the relations and an explicated
//!   clause for each rule of the trace, which are joined to the abstraction (`collapse`).
//!
//! A rule of the paper with disjunctions between calls is several clauses here,
//! so a trace names clauses. Arguments of calls are terms again: variables that
//! normal form introduced for them are replaced ([`rules`]), because the
//! Boolean level knows nothing of equality.
//!
//! Predicate abstraction asks the prover for every combination of predicates;
//! here the prover is asked about traces only. No Cartesian approximation: the
//! fixpoint is over sets of cubes, not over single predicates.
//!
//! Deviation: one refinement takes several traces of the queries that are derivable, not one
//! only.

mod boolean;
mod describe;
mod partner;
mod rules;
mod trace_checker;

pub use rules::Abstraction;

use crate::exchange::Desk;
use crate::system::{Figures, Interpretation, RelationId, System, Verdict};
use bolide_base::{Budget, HashSet, Integer, NoAnswer};
use bolide_smt::restricted::Language;
use bolide_smt::vocabulary::Vocabulary;
use bolide_terms::{TermId, TermStore};
use boolean::{Fixpoint, Trace};
use rules::Rules;
use trace_checker::Checked;

/// How it signs.
pub const NAME: &str = "CAR";

/// Nobody reads more files.
const STEPS: usize = 100;

/// What came of the search.
pub struct Found {
    /// The answer.
    pub verdict: Verdict,
    /// How many Boolean queries were decided.
    pub iterations: usize,
    /// The last abstraction.
    pub abstraction: Abstraction,
    /// How many formulas others told.
    pub told: usize,
}

impl Found {
    /// For people who want to know more.
    pub fn figures(&self) -> Figures {
        let Abstraction { interface, explicated } = &self.abstraction;
        vec![
            ("iterations of CAR", self.iterations as u64),
            ("refinements", self.iterations.saturating_sub(1) as u64),
            ("interface predicates", interface.values().map(|p| p.len() as u64).sum()),
            ("explicated clauses", explicated.values().map(|c| c.len() as u64).sum()),
            ("formulas that CAR was told", self.told as u64),
        ]
    }
}

/// Decides the system. The invariants are inductive facts about all relations.
pub fn decide(
    store: &mut TermStore,
    system: &System,
    invariants: Interpretation,
    budget: &Budget,
) -> Found {
    solve(store, system, invariants, None, &mut None, budget)
}

/// The same beside a partner; the Boolean rules and the traces are written down if somebody wants to read them.
pub(crate) fn solve(
    store: &mut TermStore,
    system: &System,
    invariants: Interpretation,
    desk: Option<Desk<'_>>,
    steps: &mut Option<Vec<(String, String)>>,
    budget: &Budget,
) -> Found {
    // Heuristic: a partner finds what holds of all rounds of a loop by itself, and sooner.
    let language = match desk {
        Some(_) => Language::unrestricted(),
        None => Language::of(numbers(store, system)),
    };
    let mut engine = Car {
        rules: Rules::new(store, system, invariants, budget),
        abstraction: Abstraction::default(),
        vocabulary: Vocabulary::new(language),
        iterations: 0,
        desk,
        published: HashSet::default(),
        told: 0,
        steps,
    };
    Found {
        verdict: engine.run().unwrap_or_else(Verdict::Unknown),
        iterations: engine.iterations,
        abstraction: engine.abstraction,
        told: engine.told,
    }
}

/// The numbers that the clauses mention.
fn numbers(store: &TermStore, system: &System) -> Vec<Integer> {
    let terms = system.clauses.iter().flat_map(|clause| clause.subterms(store));
    terms.filter_map(|term| store.number(term)?.to_integer()).collect()
}

struct Car<'a> {
    rules: Rules<'a>,
    abstraction: Abstraction,
    /// What predicates may say.
    vocabulary: Vocabulary,
    iterations: usize,
    /// Where a partner tells what it knows.
    desk: Option<Desk<'a>>,
    /// Predicates that the partner was told or told itself.
    published: HashSet<(RelationId, TermId)>,
    told: usize,
    /// What is written down: names of files and their contents.
    steps: &'a mut Option<Vec<(String, String)>>,
}

impl Car<'_> {
    /// Writes down a trace, or the Boolean rules, of this iteration.
    fn describe(&mut self, trace: Option<(usize, &Trace)>) {
        let Some(steps) = self.steps.as_mut().filter(|steps| steps.len() < STEPS) else { return };
        let Rules { store, system, clauses, .. } = &mut self.rules;
        let n = self.iterations;
        steps.push(match trace {
            None => {
                let text = describe::boolean_rules(store, system, clauses, &self.abstraction);
                (format!("abstraction{n}.txt"), text)
            }
            Some((i, trace)) => {
                let text = describe::trace(store, system, clauses, trace);
                (format!("trace{n}.{}.txt", i + 1), text)
            }
        });
    }

    fn run(&mut self) -> Result<Verdict, NoAnswer> {
        loop {
            self.iterations += 1;
            self.listen()?;
            self.describe(None);
            let mut fixpoint = Fixpoint::new(&mut self.rules);
            let traces = fixpoint.run(&self.abstraction)?;
            if traces.is_empty() {
                return Ok(Verdict::Sat(fixpoint.solution(&self.abstraction)));
            }
            let mut refined = false;
            for (i, trace) in traces.into_iter().enumerate() {
                self.describe(Some((i, &trace)));
                self.rules.budget.progress().refined(trace.nodes.len());
                match trace_checker::check(
                    &mut self.rules,
                    &self.abstraction,
                    &mut self.vocabulary,
                    &trace,
                )? {
                    Checked::Feasible(derivation) => return Ok(Verdict::Unsat(derivation)),
                    Checked::Refuted(steps) => {
                        for (number, said, explicated) in steps {
                            if let Some(relation) = self.rules.clauses[number].defines() {
                                let store = &*self.rules.store;
                                refined |= self.abstraction.add_predicates(store, relation, said);
                            }
                            refined |= self.abstraction.add_explicated(number, explicated);
                        }
                    }
                }
            }
            if !refined {
                // Required: Lemma 6 promises progress; without it there is no end.
                let why = "a trace was not excluded by its refutation";
                return Err(NoAnswer::NoProgress(why.to_owned()));
            }
            self.tell();
        }
    }
}

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
//!   ([`etc::check`], section 6) decides the flattened constraint. A
//!   model is a derivation; else a hygienic proof, which is a tree
//!   interpolant along the trace, gives interface predicates for the relations and an explicated
//!   clause for each rule of the trace, which are joined to the abstraction (`collapse`).
//!
//! A rule of the paper with disjunctions between calls is several clauses here,
//! so a trace names clauses. Arguments of calls are terms again: variables that
//! normal form introduced for them are replaced ([`direct_calls`]), because the
//! Boolean level knows nothing of equality.
//!
//! Predicate abstraction asks the prover for every combination of predicates;
//! here the prover is asked about traces only. No Cartesian approximation: the
//! fixpoint is over sets of cubes, not over single predicates.
//!
//! Deviation: one refinement takes several traces of the queries that are derivable, not one
//! only.

mod boolean;
mod etc;
mod partner;

use crate::exchange::Desk;
use crate::project::solved;
use crate::system::{Clause, Interpretation, RelationId, System, Verdict};
use bolide_base::{Budget, HashMap, HashSet, NoAnswer};
use bolide_terms::{TermId, TermStore};
use boolean::{Fixpoint, Outcome};

/// The abstraction of all rules.
#[derive(Clone, Debug, Default)]
pub struct Abstraction {
    /// For each relation its interface predicates: constraints over its parameters.
    pub interface: HashMap<RelationId, Vec<TermId>>,
    /// For each clause explicated constraints over its variables: true in the theory.
    pub explicated: HashMap<usize, Vec<TermId>>,
}

impl Abstraction {
    fn add_predicates(&mut self, store: &TermStore, relation: RelationId, formula: TermId) -> bool {
        let list = self.interface.entry(relation).or_default();
        let before = list.len();
        for atom in store.atoms(formula) {
            if !list.contains(&atom) {
                list.push(atom);
            }
        }
        list.len() > before
    }

    fn add_explicated(&mut self, clause: usize, formula: TermId) -> bool {
        let list = self.explicated.entry(clause).or_default();
        let new = formula != TermId::TRUE && !list.contains(&formula);
        if new {
            list.push(formula);
        }
        new
    }
}

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
    /// In one line.
    pub fn note(&self) -> String {
        let predicates: usize = self.abstraction.interface.values().map(Vec::len).sum();
        format!(
            "car: {} iterations, {predicates} interface predicates, {} formulas from others",
            self.iterations, self.told
        )
    }
}

/// Decides the system. The invariants are inductive facts about all relations.
pub fn decide(
    store: &mut TermStore,
    system: &System,
    invariants: Interpretation,
    budget: &Budget,
) -> Found {
    solve(store, system, invariants, None, budget)
}

/// The same beside a partner.
pub(crate) fn solve(
    store: &mut TermStore,
    system: &System,
    invariants: Interpretation,
    desk: Option<Desk<'_>>,
    budget: &Budget,
) -> Found {
    let mut engine = Car {
        clauses: system.clauses.iter().map(|c| direct_calls(store, c)).collect(),
        store,
        system,
        invariants,
        budget,
        abstraction: Abstraction::default(),
        iterations: 0,
        desk,
        published: HashSet::default(),
        told: 0,
    };
    Found {
        verdict: engine.run().unwrap_or_else(Verdict::Unknown),
        iterations: engine.iterations,
        abstraction: engine.abstraction,
        told: engine.told,
    }
}

struct Car<'a> {
    store: &'a mut TermStore,
    system: &'a System,
    /// The clauses with terms as arguments of calls.
    clauses: Vec<Clause>,
    invariants: Interpretation,
    budget: &'a Budget,
    abstraction: Abstraction,
    iterations: usize,
    /// Where a partner tells what it knows.
    desk: Option<Desk<'a>>,
    /// Predicates that the partner was told or told itself.
    published: HashSet<(RelationId, TermId)>,
    told: usize,
}

impl Car<'_> {
    fn run(&mut self) -> Result<Verdict, NoAnswer> {
        loop {
            self.iterations += 1;
            self.listen()?;
            let mut fixpoint = Fixpoint::new(self.store, self.system, &self.clauses, self.budget);
            let traces = match fixpoint.run(&self.abstraction, &self.invariants)? {
                Outcome::NotDerivable => {
                    let cubes = fixpoint.solution(&self.abstraction, &self.invariants);
                    return Ok(Verdict::Sat(cubes));
                }
                Outcome::Derivable(traces) => traces,
            };
            let mut refined = false;
            for trace in traces {
                self.budget.progress().refined(trace.nodes.len());
                match etc::check(self, &trace)? {
                    etc::Outcome::Feasible(derivation) => return Ok(Verdict::Unsat(derivation)),
                    etc::Outcome::Refined => refined = true,
                    etc::Outcome::Nothing => {}
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

/// Undoes the normal form of bodies: a variable that equals a term becomes that term, also
/// where it is the argument of a call.
fn direct_calls(store: &mut TermStore, clause: &Clause) -> Clause {
    let mut clause = clause.clone();
    loop {
        let conjuncts: Vec<TermId> = match store.op(clause.constraint) {
            bolide_terms::Op::And => store.args(clause.constraint).to_vec(),
            _ => vec![clause.constraint],
        };
        // Only what normal form introduced: variables that equal another variable or a value.
        let found = conjuncts.into_iter().find_map(|conjunct| {
            let (variable, value) = solved(store, conjunct, |_| true)?;
            (store.is_const(value) || store.is_value(value)).then_some((variable, value))
        });
        let Some((variable, value)) = found else { return clause };
        let mut map = HashMap::default();
        map.insert(variable, value);
        clause = clause.substitute(store, &map);
    }
}

//! Runs engines on a program and audits what they conclude. The only place
//! that names them all.
//!
//! The program is executed on a few inputs; if that finds nothing, it is simplified (indirect calls resolved, memory split into
//! regions, irrelevant statements removed) and inlined; template invariants
//! are tried first, since they often decide small loops alone; then the
//! engine searches. A certificate is re-checked against the blocks it speaks
//! of; a counterexample is executed on the program as lowering made it.

use crate::{impact, predicate_abstraction, testing};
use bolide_base::{Budget, HashMap};
use bolide_cfa::analysis::{BlockOptions, Ranges};
use bolide_cfa::transform::{self, Mapped, SimplifyOptions, VariableOrigin};
use bolide_cfa::{CheckId, LocId, Op, Program, VariableKind};
use bolide_reachability::audit;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::c_expression;
use bolide_reachability::encode::{Interval, Slot};
use bolide_reachability::prover::{self, Prover};
use bolide_reachability::replay::{self, Violation};
use bolide_reachability::templates;
use bolide_reachability::verdict::{Certificate, Conclusion, Reason};
use bolide_terms::{TermId, TermStore};

/// Which engine is to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    /// By the features of the program.
    #[default]
    Auto,
    /// Lazy abstraction with interpolants.
    Impact,
    /// Lazy predicate abstraction.
    Predicate,
}

/// What to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which engine.
    pub engine: Engine,
    /// Every location is a cut point, as in the papers.
    pub single_blocks: bool,
    /// What the engine `predicate` is told.
    pub predicate: predicate_abstraction::Options,
}

/// An invariant for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The location in the original program.
    pub location: LocId,
    /// In infix notation.
    pub text: String,
    /// What of it can be said in C, over variables visible there.
    pub c: String,
}

/// An audited verdict.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No check can be violated.
    True {
        /// At loop heads.
        invariants: Vec<Invariant>,
        /// How many proof obligations were discharged with checked proofs.
        obligations: usize,
    },
    /// A check was violated by executing the program.
    False(Box<Violation>),
    /// Neither.
    Unknown(Reason),
}

/// What happened on the way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// What the solver was asked.
    pub prover: prover::Statistics,
    /// How far the unwinding came.
    pub impact: impact::Statistics,
    /// How far the abstract exploration came.
    pub predicate: predicate_abstraction::Statistics,
    /// Locations and edges of the explored program.
    pub explored: (usize, usize),
}

/// A verdict and how it came about.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// What was chosen, and why.
    pub chosen: String,
    /// What happened on the way.
    pub statistics: Statistics,
}

/// Verifies a program as lowering made it.
pub fn verify(original: &Program, options: &Options, budget: &Budget) -> Report {
    let mut statistics = Statistics::default();
    if options.engine == Engine::Auto
        && let Some(violation) = testing::test(original, testing::Options::default(), budget)
    {
        let verdict = Verdict::False(Box::new(violation));
        return Report { verdict, chosen: "executing the program".into(), statistics };
    }
    let (verdict, chosen) = match prepare(original, options.engine) {
        Ok((explored, engine, why)) => {
            let options = Options { engine, ..options.clone() };
            let verdict = explore(original, &explored, &options, budget, &mut statistics);
            (verdict, why)
        }
        Err(reason) => (Verdict::Unknown(reason), "none".to_owned()),
    };
    Report { verdict, chosen, statistics }
}

/// Simplifies, inlines where that can be done, and chooses the engine.
fn prepare(original: &Program, engine: Engine) -> Result<(Mapped, Engine, String), Reason> {
    // Required: the value ranges must not remove checks, or no obligation of the
    // audit would be left to say why they hold.
    let options = SimplifyOptions { propagate: false, ..SimplifyOptions::default() };
    let mut mapped = transform::simplify(original.clone(), options);
    let simplified = mapped.clone();
    match transform::inline(&mut mapped, INLINE_LIMIT) {
        Ok(()) if engine == Engine::Predicate => {
            Ok((mapped, engine, "predicate: as asked; all calls are inlined".into()))
        }
        Ok(()) => Ok((mapped, Engine::Impact, "impact: all calls can be inlined".into())),
        Err(why) if engine == Engine::Impact => Err(Reason::Unsupported(why.to_string())),
        Err(why) => Ok((simplified, Engine::Predicate, format!("predicate: {why}"))),
    }
}

/// Edges that the inlined program may have.
const INLINE_LIMIT: usize = 2_000_000;

fn explore(
    original: &Program,
    explored: &Mapped,
    options: &Options,
    budget: &Budget,
    statistics: &mut Statistics,
) -> Verdict {
    let program = &explored.program;
    statistics.explored = (program.locations.len(), program.edges.len());
    if !program.locations.values().any(|l| l.error.is_some()) {
        return Verdict::True { invariants: Vec::new(), obligations: 0 };
    }
    let mut store = TermStore::new();
    let mut prover = Prover::new(budget.clone());
    let blocks = BlockOptions { calls: true, single: options.single_blocks };
    let ranges = Ranges::new(program);
    let intervals = move |location: LocId, expr| -> Interval {
        ranges.of_expr(program, location, expr).map_or((None, None), |(a, b)| (Some(a), Some(b)))
    };
    let mut blocks = BlockProgram::new(program, &mut store, blocks, Box::new(intervals));
    let conclusion = search(&mut blocks, &mut store, &mut prover, options, statistics);
    statistics.prover = prover.statistics;
    match conclusion {
        Conclusion::Safe(certificate) => {
            match audit::certificate(&mut blocks, &mut store, &certificate, budget) {
                Ok(audited) => Verdict::True {
                    invariants: show(original, explored, &blocks, &store, &certificate),
                    obligations: audited.obligations,
                },
                Err(reason) => Verdict::Unknown(reason),
            }
        }
        Conclusion::Unsafe(run) => match replay::replay(original, explored, &run, budget) {
            Ok(violation) => Verdict::False(Box::new(violation)),
            Err(reason) => Verdict::Unknown(reason),
        },
        Conclusion::Unknown(Reason::NoProgress(_))
            if options.engine == Engine::Predicate && !options.single_blocks =>
        {
            // Smaller blocks have other interpolants.
            let options = Options { single_blocks: true, ..options.clone() };
            explore(original, explored, &options, budget, statistics)
        }
        Conclusion::Unknown(reason) => Verdict::Unknown(reason),
    }
}

fn search(
    blocks: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: &Options,
    statistics: &mut Statistics,
) -> Conclusion {
    // Heuristic only: without them the search has less to start from.
    let calls = blocks.program.edges.values().any(|e| matches!(e.op, Op::Call { .. }));
    let found = if calls {
        Ok(HashMap::default())
    } else {
        templates::inductive_invariants(blocks, store, prover, templates::Options::default())
    };
    let invariants: HashMap<LocId, TermId> = match found {
        Ok(found) => {
            found.into_iter().map(|(l, conjuncts)| (l, store.mk_and(&conjuncts))).collect()
        }
        Err(Reason::Exhausted(what)) => return Conclusion::Unknown(Reason::Exhausted(what)),
        Err(_) => HashMap::default(),
    };
    blocks.assume_invariants(&invariants);
    let conclusion = if options.engine == Engine::Predicate {
        let (options, statistics) = (options.predicate, &mut statistics.predicate);
        predicate_abstraction::verify(blocks, store, prover, options, statistics)
    } else {
        let options = impact::Options::default();
        impact::verify(blocks, store, prover, options, &mut statistics.impact)
    };
    match conclusion {
        Conclusion::Safe(mut certificate) => {
            for (location, invariant) in &mut certificate.invariants {
                if let Some(&template) = invariants.get(location) {
                    *invariant = store.mk_and(&[*invariant, template]);
                }
            }
            blocks.assume_invariants(&HashMap::default());
            Conclusion::Safe(certificate)
        }
        other => other,
    }
}

/// Larger invariants are not written out: nobody would read them.
const READABLE: u64 = 5000;

/// The invariants of loop heads, in the original program's terms. Copies of a
/// loop that inlining made come together again as a disjunction.
fn show(
    original: &Program,
    explored: &Mapped,
    blocks: &BlockProgram<'_>,
    store: &TermStore,
    certificate: &Certificate,
) -> Vec<Invariant> {
    let mut heads: Vec<LocId> =
        certificate.invariants.keys().copied().filter(|&l| blocks.is_loop_head(l)).collect();
    heads.sort_unstable();
    let mut found: Vec<Invariant> = Vec::new();
    for head in heads {
        let Some(location) = explored.locations[head] else { continue };
        let invariant = certificate.invariants[&head];
        // Written out, a formula with shared parts may be exponentially large.
        let size = store.tree_size(invariant);
        let (text, c) = if size > READABLE {
            (format!("a formula of {} terms", store.dag_size(invariant)), "1".to_owned())
        } else {
            let names = |constant| c_name(original, explored, blocks, location, constant);
            let conjuncts = c_expression::c_conjuncts(store, &names, invariant);
            let c = if conjuncts.is_empty() { "1".to_owned() } else { conjuncts.join(" && ") };
            (store.infix(invariant), c)
        };
        match found.iter_mut().find(|i| i.location == location) {
            Some(known) if known.text != text => {
                known.text = format!("({}) or ({text})", known.text);
                known.c = format!("({}) || ({c})", known.c);
            }
            Some(_) => {}
            None => found.push(Invariant { location, text, c }),
        }
    }
    found
}

/// The name of a state constant in the source, where it is visible at the location.
fn c_name(
    original: &Program,
    explored: &Mapped,
    blocks: &BlockProgram<'_>,
    location: LocId,
    constant: TermId,
) -> Option<String> {
    let slot = blocks.slots.of_constant(constant)?;
    let Slot::Value(var) = blocks.slots.slot(slot) else { return None };
    let VariableOrigin::Variable(var) = explored.variables[var] else { return None };
    let variable = &original.variables[var];
    let place = original.locations[location].loop_keyword?;
    let visible = match variable.kind {
        VariableKind::Global => true,
        VariableKind::Local | VariableKind::Parameter => {
            variable.function == Some(original.locations[location].function)
                && variable.scope.start <= place.start
                && place.end <= variable.scope.end
                && variable.span.start < place.start
        }
        _ => false,
    };
    // A suffix marks names that are shadowed.
    (visible && !variable.name.contains('#')).then(|| variable.name.clone())
}

/// What was violated, in the original program.
pub fn violated(verdict: &Verdict) -> Option<CheckId> {
    match verdict {
        Verdict::False(violation) => Some(violation.check),
        _ => None,
    }
}

//! Error traces: decided, and where infeasible turned into automata.
//!
//! A trace becomes a nested path with the background's facts at its positions;
//! its interpolants become the predicates of an enhanced automaton, or the states
//! of the canonical one (Definition 3), whose back edges are checked here.
//!
//! A trace may be exponentially longer than the difference is large, since the exits of a
//! context serve all its callers. One that is too long is decided with what all
//! automata know at the exit in place of the body of each call that returned
//! ([`Refuter::refute_summarised`]).

use super::alphabet::{LetterId, scope_of};
use super::automaton::{Construction, Edge, InterpolantAutomaton, Source, State, predicates_of};
use super::error_trace::{ErrorTrace, LIMIT};
use super::minimise;
use super::views::{Sets, Views};
use bolide_base::HashMap;
use bolide_reachability::arg::{Graph, NodeId};
use bolide_reachability::counterexample;
use bolide_reachability::nested_path::{NestedPath, Piece};
use bolide_reachability::prover::Feasibility;
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_smt::interpolate::Labelling;
use bolide_terms::TermId;

/// What came of an error trace.
pub enum Refutation {
    Feasible(Counterexample),
    Infeasible(InterpolantAutomaton),
}

/// Which interpolants a trace is refuted with, first and when it comes back.
const LABELLINGS: [Labelling; 3] = [Labelling::McMillan, Labelling::Pudlak, Labelling::Weak];

/// Decides traces, and remembers which came back.
#[derive(Default)]
pub struct Refuter {
    /// How often a trace was refuted.
    refuted: HashMap<Vec<LetterId>, usize>,
    /// Traces refuted.
    pub refinements: u64,
    /// Letters of the longest trace.
    pub longest: u64,
    /// The states of all automata before they were minimised.
    pub states: u64,
}

impl Refuter {
    /// Decides the trace to an error node. Without a construction nothing may be learnt from it.
    pub fn refute(
        &mut self,
        views: &mut Views<'_, '_>,
        difference: &Graph<Sets>,
        error: NodeId,
        construction: Option<Construction>,
    ) -> Result<Refutation, Reason> {
        let Some(trace) = ErrorTrace::whole(views, difference, error) else {
            return self.refute_summarised(views, difference, error);
        };
        self.longest = self.longest.max(trace.pieces.len() as u64 - 1);
        let (path, letters) = (trace.path(views), trace.letters(views));
        let labellings = self.labellings(views, &letters);
        let mut obstacle = Reason::NoProgress("a refuted trace came back".into());
        for &labelling in labellings {
            let interpolants = match decide(views, &path, labelling) {
                Ok(Decided::Feasible(run)) => return Ok(Refutation::Feasible(run)),
                Ok(Decided::Infeasible(interpolants)) => interpolants,
                Err(Reason::Solver(why)) => {
                    obstacle = Reason::Solver(why);
                    continue;
                }
                Err(other) => return Err(other),
            };
            let Some(construction) = construction else {
                return Err(Reason::NoProgress("the predicates do not suffice".into()));
            };
            self.refinements += 1;
            views.prover.budget().progress().refined(letters.len());
            let automaton = match construction {
                Construction::Enhanced => {
                    let found = predicates_of(views.store, &interpolants);
                    self.states += found.len() as u64;
                    let predicates = minimise::predicates(views, found)?;
                    views.enhanced(predicates, Source::Trace(letters.len() - 1))
                }
                Construction::Canonical => {
                    self.states += interpolants.len() as u64;
                    canonical(views, &trace, &letters, interpolants)?
                }
            };
            return Ok(Refutation::Infeasible(automaton));
        }
        Err(obstacle)
    }

    /// Decides a trace that is too long, with summaries of the calls in it. Values
    /// that are chosen inside of them are not known here; replay will tell.
    fn refute_summarised(
        &mut self,
        views: &mut Views<'_, '_>,
        difference: &Graph<Sets>,
        error: NodeId,
    ) -> Result<Refutation, Reason> {
        let everything = |views: &mut Views<'_, '_>, exit: &Sets| views.conjunction(exit);
        let Some(trace) = ErrorTrace::to(views, difference, error, 0, everything) else {
            let what = format!("error traces of more than {LIMIT} letters");
            return Err(Reason::Unsupported(what));
        };
        let (path, letters) = (trace.path(views), trace.letters(views));
        let Some(&labelling) = self.labellings(views, &letters).first() else {
            return Err(Reason::NoProgress("a refuted trace came back".into()));
        };
        let mut interpolants = match decide(views, &path, labelling)? {
            Decided::Feasible(run) => return Ok(Refutation::Feasible(run)),
            Decided::Infeasible(interpolants) => interpolants,
        };
        self.refinements += 1;
        // What the summaries say must be known to this automaton too.
        let summary = |piece: &Piece| match piece {
            Piece::Summary { exit, .. } => Some(*exit),
            _ => None,
        };
        interpolants.extend(trace.pieces.iter().rev().filter_map(summary));
        let predicates = predicates_of(views.store, &interpolants);
        let source = Source::Trace(letters.len() - 1);
        Ok(Refutation::Infeasible(views.enhanced(predicates, source)))
    }

    /// The labellings to try for a trace: fewer each time that it comes back.
    fn labellings(
        &mut self,
        views: &mut Views<'_, '_>,
        letters: &[LetterId],
    ) -> &'static [Labelling] {
        let times = self.refuted.entry(letters.to_vec()).and_modify(|n| *n += 1).or_insert(0);
        if *times > 0 {
            views.exact_contexts = true;
            views.hoare.be_thorough();
        }
        LABELLINGS.get(*times..).unwrap_or_default()
    }
}

/// A run, or what holds after each letter; after the last `false` does.
enum Decided {
    Feasible(Counterexample),
    Infeasible(Vec<TermId>),
}

fn decide(
    views: &mut Views<'_, '_>,
    path: &NestedPath,
    labelling: Labelling,
) -> Result<Decided, Reason> {
    let (formulas, parents) = (&path.formulas, &path.parents);
    let answer = match path.is_sequence() && labelling == Labelling::McMillan {
        true => views.prover.feasibility(views.store, formulas)?,
        false => views.prover.tree_feasibility(views.store, formulas, parents, labelling)?,
    };
    match answer {
        Feasibility::Feasible(model) => {
            let cfa = views.program.program;
            let steps = path.steps.iter().map(|step| &step.instance);
            let run = counterexample::read_off(cfa, views.store, steps, &model)?;
            Ok(Decided::Feasible(run))
        }
        Feasibility::Infeasible(mut interpolants) => {
            interpolants.truncate(formulas.len() - 1);
            for interpolant in &mut interpolants {
                *interpolant = path.to_scope(views.store, *interpolant);
            }
            interpolants.push(TermId::FALSE);
            Ok(Decided::Infeasible(interpolants))
        }
    }
}

/// Definition 3, with states of equal interpolants merged. The interpolant
/// at position `k` holds after letter `k`; letter 0 is the start.
fn canonical(
    views: &mut Views<'_, '_>,
    trace: &ErrorTrace,
    letters: &[LetterId],
    interpolants: Vec<TermId>,
) -> Result<InterpolantAutomaton, Reason> {
    let mut states: Vec<State> = Vec::new();
    let mut state_of: Vec<u32> = Vec::new();
    for &interpolant in &interpolants {
        let mut found = None;
        for (index, state) in states.iter().enumerate() {
            if equal(views, state.predicate, interpolant)? {
                found = Some(index as u32);
                break;
            }
        }
        state_of.push(found.unwrap_or(states.len() as u32));
        if found.is_none() {
            let scope = scope_of(views.program, &views.calls, views.store, interpolant);
            states.push(State { predicate: interpolant, scope });
        }
    }
    let mut edges = Vec::new();
    // Where the calls that are open were made.
    let mut callers: Vec<u32> = Vec::new();
    for j in 0..letters.len() - 1 {
        let (letter, to) = (letters[j + 1], state_of[j + 1]);
        match &trace.pieces[j + 1] {
            Piece::Call { .. } => {
                callers.push(state_of[j]);
                edges.push(Edge { from: state_of[j], caller: None, letter, to });
            }
            Piece::Return(_) | Piece::Summary { .. } => {
                let caller = callers.pop();
                edges.push(Edge { from: state_of[j], caller, letter, to });
            }
            _ => {
                edges.push(Edge { from: state_of[j], caller: None, letter, to });
                for i in j + 1..letters.len() - 1 {
                    let edge = Edge { from: state_of[i], caller: None, letter, to };
                    if trace.locations[i] == trace.locations[j]
                        && !edges.contains(&edge)
                        && views.is_valid(interpolants[i], letter, interpolants[j + 1])?
                    {
                        edges.push(edge);
                    }
                }
            }
        }
    }
    let source = Source::Trace(letters.len() - 1);
    Ok(InterpolantAutomaton::canonical(states, edges, source))
}

fn equal(views: &mut Views<'_, '_>, a: TermId, b: TermId) -> Result<bool, Reason> {
    if a == b {
        return Ok(true);
    }
    let same = views.store.constants(a) == views.store.constants(b);
    Ok(same
        && views.prover.entails(views.store, a, b)?
        && views.prover.entails(views.store, b, a)?)
}

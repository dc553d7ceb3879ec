//! Error traces: decided, and where infeasible turned into automata.
//!
//! A trace becomes a nested path with the background's facts at its positions;
//! its interpolants become the predicates of an enhanced automaton, or the states
//! of the canonical one (Definition 3), whose back edges are checked here.
//!
//! A trace may be exponentially longer than the difference is large, since the exits of a
//! context serve all its callers. One that is too long is decided with what all
//! automata know at the exit in place of the body of each call that returned
//! ([`TraceAbstraction::refute_summarised`]).

use super::alphabet::scope_of;
use super::automaton::{Edge, InterpolantAutomaton, Source, State, predicates_of};
use super::difference::{Arrival, NodeId};
use super::hoare::Post;
use super::shortcut::Summarised;
use super::{Construction, LIMIT, LetterId, TraceAbstraction, conjunction};
use bolide_cfa::LocId;
use bolide_reachability::counterexample;
use bolide_reachability::nested_path::{NestedPath, Piece};
use bolide_reachability::prover::Feasibility;
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_smt::interpolate::Labelling;
use bolide_terms::TermId;

/// What came of an error trace.
pub(super) enum Refutation {
    Feasible(Counterexample),
    Infeasible(InterpolantAutomaton),
}

/// Which interpolants a trace is refuted with, first and when it comes back.
const LABELLINGS: [Labelling; 3] = [Labelling::McMillan, Labelling::Pudlak, Labelling::Weak];

impl TraceAbstraction<'_, '_> {
    /// Decides the trace to an error node.
    pub(super) fn refute(&mut self, error: NodeId) -> Result<Refutation, Reason> {
        let Some(trace) = self.difference.trace_to(error, LIMIT) else {
            return self.refute_summarised(error);
        };
        self.statistics.longest = self.statistics.longest.max(trace.len() as u64 - 1);
        let pieces: Vec<Piece> = trace
            .iter()
            .map(|(node, returning)| match &self.difference.node(*node).arrival {
                Arrival::Start => Piece::Start,
                Arrival::Block(_, transition, _) => Piece::Block(transition.clone()),
                Arrival::Call(_, site) => Piece::Call {
                    // The context may have been entered from elsewhere first.
                    site: returning.as_ref().unwrap_or(site).clone(),
                    returns: returning.is_some(),
                },
                Arrival::Return(_, site, _) => Piece::Return(site.clone()),
            })
            .collect();
        let letters: Vec<LetterId> = pieces.iter().map(|p| self.letter_of(p)).collect();
        let known: Vec<TermId> = trace
            .iter()
            .map(|(node, _)| self.automata[0].formula(self.difference.node(*node).sets[0]))
            .collect();
        let (program, store) = (&*self.program, &mut *self.store);
        let path = NestedPath::new(program, &self.calls, store, &pieces, |k| known[k]);
        let times = *self.refuted.entry(letters.clone()).and_modify(|n| *n += 1).or_insert(0);
        self.exact_contexts |= times > 0;
        let mut obstacle = Reason::NoProgress("a refuted trace came back".into());
        for &labelling in LABELLINGS.iter().skip(times) {
            let answer = if path.is_sequence() && labelling == Labelling::McMillan {
                self.prover.feasibility(self.store, &path.formulas)
            } else {
                let (formulas, parents) = (&path.formulas, &path.parents);
                self.prover.tree_feasibility(self.store, formulas, parents, labelling)
            };
            let mut interpolants = match answer {
                Ok(Feasibility::Feasible(model)) => {
                    let cfa = self.program.program;
                    let run = counterexample::read_off(cfa, self.store, &path.steps, &model)?;
                    return Ok(Refutation::Feasible(run));
                }
                Ok(Feasibility::Infeasible(interpolants)) => interpolants,
                Err(Reason::Solver(why)) => {
                    obstacle = Reason::Solver(why);
                    continue;
                }
                Err(other) => return Err(other),
            };
            if self.options.predicates.is_some() {
                return Err(Reason::NoProgress("the predicates do not suffice".into()));
            }
            interpolants.truncate(pieces.len() - 1);
            for interpolant in &mut interpolants {
                *interpolant = path.to_scope(self.store, *interpolant);
            }
            interpolants.push(TermId::FALSE);
            self.statistics.refinements += 1;
            self.prover.budget().progress().refined(trace.len());
            let locations: Vec<LocId> =
                trace.iter().map(|(node, _)| self.difference.node(*node).location).collect();
            let automaton = match self.options.construction {
                Construction::Enhanced => {
                    let predicates = predicates_of(self.store, &interpolants);
                    self.enhanced(predicates, Source::Trace(letters.len() - 1))
                }
                Construction::Canonical => {
                    self.canonical(&pieces, &letters, &locations, &interpolants)?
                }
            };
            return Ok(Refutation::Infeasible(automaton));
        }
        Err(obstacle)
    }

    /// Decides a trace that is too long, with summaries of the calls in it. Values
    /// that are chosen inside of them are not known here; replay will tell.
    fn refute_summarised(&mut self, error: NodeId) -> Result<Refutation, Reason> {
        let everything = |engine: &mut Self, exit| {
            let sets = &engine.difference.node(exit).sets;
            conjunction(engine.store, &engine.automata, sets)
        };
        let Some(Summarised { pieces, known, mut exits }) = self.summarise(error, everything)
        else {
            let what = format!("error traces of more than {LIMIT} letters");
            return Err(Reason::Unsupported(what));
        };
        let (program, store) = (&*self.program, &mut *self.store);
        let path = NestedPath::new(program, &self.calls, store, &pieces, |k| known[k]);
        let letters: Vec<LetterId> = pieces.iter().map(|p| self.letter_of(p)).collect();
        let times = *self.refuted.entry(letters).and_modify(|n| *n += 1).or_insert(0);
        self.exact_contexts |= times > 0;
        let Some(&labelling) = LABELLINGS.get(times) else {
            return Err(Reason::NoProgress("a refuted trace came back".into()));
        };
        let (formulas, parents) = (&path.formulas, &path.parents);
        match self.prover.tree_feasibility(self.store, formulas, parents, labelling)? {
            Feasibility::Feasible(model) => {
                let cfa = self.program.program;
                let run = counterexample::read_off(cfa, self.store, &path.steps, &model)?;
                Ok(Refutation::Feasible(run))
            }
            Feasibility::Infeasible(mut interpolants) => {
                self.statistics.refinements += 1;
                interpolants.truncate(pieces.len() - 1);
                for interpolant in &mut interpolants {
                    *interpolant = path.to_scope(self.store, *interpolant);
                }
                // What the summaries say must be known to this automaton too.
                interpolants.append(&mut exits);
                let predicates = predicates_of(self.store, &interpolants);
                let source = Source::Trace(pieces.len() - 1);
                Ok(Refutation::Infeasible(self.enhanced(predicates, source)))
            }
        }
    }

    fn letter_of(&mut self, piece: &Piece) -> LetterId {
        match piece {
            Piece::Start => self.alphabet.start(),
            Piece::Block(transition) => self.alphabet.block(transition),
            Piece::Call { site, .. } => self.alphabet.call(site).0,
            Piece::Return(site) | Piece::Summary { site, .. } => self.alphabet.call(site).1,
        }
    }

    /// Definition 3, with states of equal interpolants merged. The interpolant
    /// at position `k` holds after letter `k`; letter 0 is the start.
    fn canonical(
        &mut self,
        pieces: &[Piece],
        letters: &[LetterId],
        locations: &[LocId],
        interpolants: &[TermId],
    ) -> Result<InterpolantAutomaton, Reason> {
        let mut states: Vec<State> = Vec::new();
        let mut state_of: Vec<u32> = Vec::new();
        for &interpolant in interpolants {
            let mut found = None;
            for (index, state) in states.iter().enumerate() {
                if self.equal(state.predicate, interpolant)? {
                    found = Some(index as u32);
                    break;
                }
            }
            state_of.push(found.unwrap_or(states.len() as u32));
            if found.is_none() {
                let scope = scope_of(self.program, &self.calls, self.store, interpolant);
                states.push(State { predicate: interpolant, scope });
            }
        }
        let mut edges = Vec::new();
        // Where the calls that are open were made.
        let mut callers: Vec<u32> = Vec::new();
        for j in 0..letters.len() - 1 {
            let (letter, to) = (letters[j + 1], state_of[j + 1]);
            match &pieces[j + 1] {
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
                        if locations[i] == locations[j]
                            && !edges.contains(&edge)
                            && self.triple(interpolants[i], letter, interpolants[j + 1])?
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

    fn equal(&mut self, a: TermId, b: TermId) -> Result<bool, Reason> {
        if a == b {
            return Ok(true);
        }
        let same = self.store.constants(a) == self.store.constants(b);
        Ok(same
            && self.prover.entails(self.store, a, b)?
            && self.prover.entails(self.store, b, a)?)
    }

    /// Whether `{before} letter {after}` is valid, for a letter that is no return.
    fn triple(&mut self, before: TermId, letter: LetterId, after: TermId) -> Result<bool, Reason> {
        let (program, calls, store) = (&*self.program, &self.calls, &mut *self.store);
        let premise = self.alphabet.premise(program, calls, store, letter, before, TermId::TRUE);
        let goal = self.alphabet.said(program, calls, store, letter, after);
        let goals: &[TermId] = if goal == TermId::FALSE { &[] } else { &[goal] };
        Ok(match self.hoare.post(store, self.prover, letter, premise, goals)? {
            Post::Infeasible => true,
            Post::Goals(answers) => answers == [true],
        })
    }
}

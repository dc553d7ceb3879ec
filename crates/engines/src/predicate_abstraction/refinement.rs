//! Abstract runs: refuted, and turned into predicates of the locations on them.
//!
//! A run is a list of nodes in the order of execution; each becomes one piece of
//! a [`NestedPath`]. Calls deeper than a bound are summarised: what the
//! abstraction knows of the exit stands for the call, as the state at the
//! start of a suffix stands for what came before. Then the run is refuted with
//! what is known of the callee, or must be shown deeper.

use super::post::Posts;
use super::precision::{is_of_state, predicates_of};
use bolide_base::HashMap;
use bolide_cfa::LocId;
use bolide_reachability::arg::exploration::Domain;
use bolide_reachability::arg::{Arrival, Graph, NodeId};
use bolide_reachability::counterexample;
use bolide_reachability::nested_path::{NestedPath, Piece};
use bolide_reachability::path_formula::Copies;
use bolide_reachability::prover::Feasibility;
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_smt::interpolate::Labelling;
use bolide_terms::{Model, TermId};

/// Blocks of a run. Longer ones would not be decided in reasonable time.
const LIMIT: usize = 5_000;

/// A run as a tree of formulas.
pub struct Run {
    /// One formula for each node.
    pub path: NestedPath,
    /// The node that each leads to.
    nodes: Vec<NodeId>,
    /// Their locations.
    locations: Vec<LocId>,
    /// The states at exits that stand for calls that the run does not show.
    pub summaries: Vec<TermId>,
}

impl Run {
    /// The run to `target`, if it is not too long.
    pub fn to(
        graph: &Graph<TermId>,
        posts: &mut Posts<'_, '_>,
        target: NodeId,
        call_depth: usize,
    ) -> Result<Run, Reason> {
        let visits = graph.run_to(target, call_depth, LIMIT).ok_or_else(|| {
            Reason::Unsupported(format!("runs to an error of more than {LIMIT} blocks"))
        })?;
        let pieces = graph.pieces(&visits, |exit| *exit);
        let summary = |piece: &Piece| match piece {
            Piece::Summary { exit, .. } => Some(*exit),
            _ => None,
        };
        let (program, calls) = (&*posts.program, &posts.calls);
        let path = NestedPath::new(program, calls, posts.store, &pieces, |_| TermId::TRUE);
        let nodes: Vec<NodeId> = visits.iter().map(|visit| visit.node).collect();
        let locations = nodes.iter().map(|&node| graph.node(node).location).collect();
        Ok(Run { path, nodes, locations, summaries: pieces.iter().filter_map(summary).collect() })
    }

    /// How the program fails, by a model of a run that shows all its calls.
    pub fn read_off(
        &self,
        posts: &mut Posts<'_, '_>,
        model: &Model,
    ) -> Result<Counterexample, Reason> {
        let steps = self.path.steps.iter().map(|step| &step.instance);
        counterexample::read_off(posts.program.program, posts.store, steps, model)
    }

    /// The first node of a run without calls whose state is not what the predicates that are tracked now say there: another run
    /// brought them, and what was explored before stayed as it was.
    pub fn outdated(
        &self,
        graph: &Graph<TermId>,
        posts: &mut Posts<'_, '_>,
    ) -> Result<Option<NodeId>, Reason> {
        for &node in &self.nodes {
            if let Arrival::Block(from, block) = &graph.node(node).arrival {
                let now = posts.after_block(&graph.node(*from).label, block)?;
                if now != Some(graph.node(node).label) {
                    return Ok(Some(node));
                }
            }
        }
        Ok(None)
    }

    /// Refutes the shortest suffix of a run without calls that contradicts the
    /// abstract state where it starts, by doubling its length. What does not
    /// mention the beginning of the run holds of more runs, and less is
    /// explored again. A model is one of the whole run.
    fn refute_suffix(
        &self,
        graph: &Graph<TermId>,
        posts: &mut Posts<'_, '_>,
    ) -> Result<Feasibility, Reason> {
        let last = self.nodes.len() - 1;
        let mut length = 1;
        loop {
            let start = last - length.min(last);
            let mut formulas = vec![self.path.formulas[0]];
            if start > 0 {
                let state = graph.node(self.nodes[start]).label;
                let (ssa, slots) = (&self.path.steps[start - 1].after, &posts.program.slots);
                // The copies were all made when the run was built.
                formulas[0] = Copies::default().at(posts.store, slots, ssa, state);
            }
            formulas.extend(&self.path.formulas[start + 1..]);
            match posts.prover.feasibility(posts.store, &formulas)? {
                Feasibility::Feasible(_) if start > 0 => length *= 2,
                Feasibility::Feasible(model) => return Ok(Feasibility::Feasible(model)),
                Feasibility::Infeasible(found) => {
                    // The first is implied by the state that is known already.
                    let mut interpolants = vec![TermId::TRUE; start + 1];
                    interpolants.extend(&found[1..]);
                    return Ok(Feasibility::Infeasible(interpolants));
                }
            }
        }
    }
}

/// What came of a run.
pub enum Refinement {
    /// It is refuted, and there are new predicates from this node on.
    Learnt(NodeId),
    /// It has a model.
    Feasible(Box<Model>),
    /// It is refuted, or undecided, but there is nothing new to track.
    Nothing(Reason),
}

/// How a run is refuted the first time, and when it comes back: which
/// interpolants, and whether they are predicates as a whole, too.
const ATTEMPTS: [(Labelling, bool); 5] = [
    (Labelling::McMillan, false),
    (Labelling::Pudlak, false),
    (Labelling::Weak, false),
    (Labelling::McMillan, true),
    (Labelling::Weak, true),
];

/// The runs that were refuted so far.
#[derive(Default)]
pub struct Refuted {
    /// How often a run with these locations and summaries was refuted.
    times: HashMap<(Vec<LocId>, Vec<TermId>), usize>,
    /// How many came back all the same.
    pub returned: usize,
}

impl Refuted {
    /// Refutes a run and tracks what its interpolants mention.
    pub fn refine(
        &mut self,
        graph: &Graph<TermId>,
        posts: &mut Posts<'_, '_>,
        run: &Run,
    ) -> Result<Refinement, Reason> {
        let key = (run.locations.clone(), run.summaries.clone());
        let times = *self.times.entry(key.clone()).and_modify(|n| *n += 1).or_insert(0);
        self.returned += usize::from(times > 0);
        let mut obstacle = Reason::NoProgress("a refuted run came back".into());
        for (attempt, &(labelling, whole)) in ATTEMPTS.iter().enumerate().skip(times) {
            let answer = match attempt {
                0 if posts.calls.is_empty() => run.refute_suffix(graph, posts),
                _ => {
                    let (formulas, parents) = (&run.path.formulas, &run.path.parents);
                    posts.prover.tree_feasibility(posts.store, formulas, parents, labelling)
                }
            };
            let interpolants = match answer {
                Ok(Feasibility::Feasible(model)) => return Ok(Refinement::Feasible(model)),
                Ok(Feasibility::Infeasible(interpolants)) => interpolants,
                Err(Reason::Solver(why)) => {
                    obstacle = Reason::Solver(why);
                    continue;
                }
                Err(other) => return Err(other),
            };
            if let Some(pivot) = learn(posts, run, &interpolants, attempt > 0, whole) {
                self.times.insert(key, attempt);
                return Ok(Refinement::Learnt(pivot));
            }
        }
        Ok(Refinement::Nothing(obstacle))
    }
}

/// Tracks what interpolants mention, `halves` of equalities too, and the interpolants as a
/// `whole`. Gives the first node of the run with a new predicate.
fn learn(
    posts: &mut Posts<'_, '_>,
    run: &Run,
    interpolants: &[TermId],
    halves: bool,
    whole: bool,
) -> Option<NodeId> {
    let (program, store, precision) = (&*posts.program, &mut *posts.store, &mut posts.precision);
    let mut pivot = None;
    for (position, &interpolant) in interpolants.iter().enumerate() {
        let location = run.locations[position];
        let fact = run.path.to_scope(store, interpolant);
        let mut predicates = predicates_of(store, fact, halves);
        if whole
            && is_of_state(store, fact)
            && store.atoms(fact).into_iter().all(|atom| is_of_state(store, atom))
        {
            predicates.push(fact);
        }
        precision.widen(store, location, &mut predicates);
        for predicate in predicates {
            if precision.add(program, location, predicate) {
                pivot = pivot.or(Some(run.nodes[position]));
            }
        }
    }
    pivot
}

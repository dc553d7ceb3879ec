//! Lazy abstraction with interpolants.
//!
//! After McMillan, "Lazy abstraction with interpolants" (CAV 2006). The program
//! is unwound into a tree. Each vertex carries a formula that holds whenever a
//! run comes there; at first `true`. A path to an error location is refuted,
//! and the interpolants of the refutation strengthen the formulas along it. A
//! vertex whose formula implies that of an earlier vertex of the same location
//! is covered and need not be expanded. When every leaf is covered, the
//! disjunction of the uncovered formulas of each location is an invariant.
//!
//! | paper | here |
//! |---|---|
//! | EXPAND, Figure 4 | [`Impact::expand`] |
//! | REFINE, Figure 4 | [`Impact::refine`] |
//! | COVER, Figure 4 | [`Impact::cover`] |
//! | CLOSE, Figure 5 | [`Impact::close`] |
//! | DFS, Figure 5 | [`Impact::search`], with an explicit stack |
//! | UNWIND, Figure 5 | [`search`] |
//! | FORCECOVER, Figure 6 | [`Impact::force_cover`] |
//! | restriction languages, section 3 | [`Restriction`], [`Impact::restricted`] |
//!
//! Deviations. An edge of the tree is a large block, not a statement. A vertex
//! whose formula is `false` counts as covered without an arc. Labels are kept
//! as sets of conjuncts, so that most coverings are seen without the solver.
//! The order of vertices is the order of their creation. The unwinding is a [`Graph`]. Labels have to be in the restriction
//! language where loops start, only: from one such vertex to the next there are finitely many pieces of paths.
//!
//! Limits. Calls must have been inlined; a recursive program is refused with that reason.

mod label;

use crate::picture::{self, Picture};
use crate::task::{Orders, Task};
use crate::workbench::Workbench;
use bolide_cfa::LocId;
use bolide_reachability::arg::{Arrival, Graph, NodeId, Order};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::counterexample;
use bolide_reachability::path_formula::{Copies, Ssa};
use bolide_reachability::prover::{Feasibility, Prover};
use bolide_reachability::restriction::{Point, Restriction};
use bolide_reachability::verdict::{Annotation, Reason};
use bolide_terms::{TermId, TermStore};
use bolide_verdict::Conclusion;
use bolide_verdict::audit::Figures;
use label::Label;
use std::collections::{BTreeMap, BTreeSet};

/// Decides whether an error location can be reached.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    if let Err(why) = &task.programs.inlined {
        return Conclusion::Unknown(Reason::Unsupported(why.to_string()));
    }
    let mut blocks = bench.blocks_with_facts(task.orders.single_blocks);
    let mut impact = Impact {
        restriction: Restriction::new(blocks.program),
        program: &mut blocks,
        store: &mut bench.store,
        prover: &mut bench.prover,
        tree: Graph::new(task.orders.order.unwrap_or(Order::Newest)),
        orders: &task.orders,
        copies: Copies::default(),
        refinements: 0,
        forced: 0,
    };
    let conclusion = impact.unwind();
    bench.statistics.figures = impact.figures();
    if bench.statistics.picture.wanted {
        impact.draw(&mut bench.statistics.picture);
    }
    conclusion.unwrap_or_else(Conclusion::Unknown)
}

struct Impact<'a, 'p> {
    program: &'a mut BlockProgram<'p>,
    store: &'a mut TermStore,
    prover: &'a mut Prover,
    orders: &'a Orders,
    tree: Graph<Label>,
    /// Copies of the state along all paths.
    copies: Copies,
    restriction: Restriction,
    /// Paths refuted.
    refinements: u64,
    /// Coverings by force.
    forced: u64,
}

impl Impact<'_, '_> {
    /// UNWIND: until every leaf is covered.
    fn unwind(&mut self) -> Result<Conclusion, Reason> {
        let (function, entry) = (self.program.program.entry, self.program.entry());
        self.tree.open(function, entry, Label::root(), Arrival::Start);
        while let Some(leaf) = self.tree.take_waiting() {
            for ancestor in self.tree.path_to(leaf) {
                self.close(ancestor)?;
            }
            if let Some(counterexample) = self.search(leaf)? {
                return Ok(counterexample);
            }
        }
        Ok(Conclusion::annotated(self.annotation()))
    }

    /// DFS: around one leaf, keeping all ancestors of the visited vertex closed.
    fn search(&mut self, start: NodeId) -> Result<Option<Conclusion>, Reason> {
        let mut stack = vec![start];
        while let Some(vertex) = stack.pop() {
            self.prover.poll()?;
            if self.tree.is_covered(vertex) || self.tree.is_expanded(vertex) {
                continue;
            }
            self.close(vertex)?;
            if self.tree.is_covered(vertex) {
                continue;
            }
            if self.is_error(vertex) {
                if let Some(counterexample) = self.refine(vertex)? {
                    return Ok(Some(counterexample));
                }
                continue;
            }
            if self.force_cover(vertex)? {
                continue;
            }
            // The last is popped first: error locations are looked at before
            // anything else is unwound.
            let mut children = self.expand(vertex);
            children.sort_by_key(|&c| self.is_error(c));
            // Breadth first, they wait like others.
            if self.orders.order != Some(Order::Shortest) {
                stack.extend(children);
            }
        }
        Ok(None)
    }

    fn location(&self, vertex: NodeId) -> LocId {
        self.tree.node(vertex).location
    }

    fn is_error(&self, vertex: NodeId) -> bool {
        self.program.program.locations[self.location(vertex)].error.is_some()
    }

    /// EXPAND: one child for each end of the block that starts here.
    fn expand(&mut self, vertex: NodeId) -> Vec<NodeId> {
        let blocks = self.program.transitions(self.store, self.location(vertex));
        let mut children = Vec::new();
        for block in blocks.iter() {
            let from = self.tree.node(vertex);
            let (before, depth) = (from.label.ssa(), from.length as usize);
            let (store, slots) = (&mut *self.store, &self.program.slots);
            let step = self.copies.step(store, slots, &before, block, depth);
            children.push(self.tree.add_successor(vertex, block, Label::after(step)));
        }
        self.tree.set_expanded(vertex);
        self.prover.budget().progress().reached(self.tree.len());
        children
    }

    /// REFINE: refutes the path to an error vertex and strengthens the labels
    /// along it; or finds that the path can be run.
    ///
    /// Heuristic: the shortest suffix of the path that contradicts the label
    /// it starts from is refuted, by doubling its length. What does not
    /// mention the beginning of the path holds of more paths.
    fn refine(&mut self, vertex: NodeId) -> Result<Option<Conclusion>, Reason> {
        let path = self.tree.path_to(vertex);
        self.refinements += 1;
        self.prover.budget().progress().refined(path.len() - 1);
        let mut length = 1;
        loop {
            let start = path.len() - 1 - length.min(path.len() - 1);
            let formulas = self.suffix_formulas(&path[start..]);
            match self.prover.feasibility(self.store, &formulas)? {
                Feasibility::Infeasible(given) => {
                    let path = &path[start..];
                    match self.restricted(path, &formulas, &given)? {
                        Some(interpolants) => {
                            // Between the premise and the first step nothing new is learnt.
                            self.strengthen(&path[1..path.len() - 1], &interpolants[1..])?;
                            self.conjoin(vertex, TermId::FALSE);
                            for &v in &path[1..] {
                                self.close(v)?;
                            }
                            return Ok(None);
                        }
                        // Required: what holds at the start of a suffix may be no use in the language.
                        None if start > 0 => length *= 2,
                        None => {
                            self.restriction.raise();
                            length = 1;
                        }
                    }
                }
                Feasibility::Feasible(model) if start == 0 => {
                    let step = |&v| Some(&self.tree.node(v).label.step.as_ref()?.instance);
                    let cfa = self.program.program;
                    let steps = path.iter().filter_map(step);
                    let run = counterexample::read_off(cfa, self.store, steps, &model)?;
                    return Ok(Some(Conclusion::path(run)));
                }
                Feasibility::Feasible(_) => length *= 2,
            }
        }
    }

    /// Interpolants of a path in the restriction language, where there are some: those given, or others.
    fn restricted(
        &mut self,
        path: &[NodeId],
        formulas: &[TermId],
        given: &[TermId],
    ) -> Result<Option<Vec<TermId>>, Reason> {
        let copies: Vec<Ssa> = path.iter().map(|&v| self.tree.node(v).label.ssa()).collect();
        let points: Vec<Point<'_>> =
            path.iter().zip(&copies).map(|(&v, ssa)| (self.location(v), ssa)).collect();
        let prover = (&mut *self.store, &mut *self.prover);
        self.restriction.interpolants(self.program, prover, &points, formulas, given)
    }

    /// The label of the first vertex and the steps to the last. The label of
    /// the root is the initial states.
    fn suffix_formulas(&mut self, path: &[NodeId]) -> Vec<TermId> {
        let label = self.label(path[0]);
        let mut formulas = vec![self.said_at(path[0], label)];
        if self.tree.parent(path[0]).is_none() {
            let initial = self.said_at(path[0], self.program.initial());
            formulas[0] = self.store.mk_and(&[formulas[0], initial]);
        }
        let steps = path[1..].iter().filter_map(|&v| self.tree.node(v).label.step.as_ref());
        formulas.extend(steps.map(|step| step.formula));
        formulas
    }

    /// The label of a vertex as one formula over state constants.
    fn label(&mut self, vertex: NodeId) -> TermId {
        self.tree.node(vertex).label.formula(self.store)
    }

    /// A formula over state constants, said of the copies at a vertex.
    fn said_at(&mut self, vertex: NodeId, formula: TermId) -> TermId {
        let ssa = self.tree.node(vertex).label.ssa();
        self.copies.at(self.store, &self.program.slots, &ssa, formula)
    }

    /// Conjoins an interpolant to each vertex of a path.
    fn strengthen(&mut self, path: &[NodeId], interpolants: &[TermId]) -> Result<(), Reason> {
        for (&v, &interpolant) in path.iter().zip(interpolants) {
            let fact = self.copies.to_state(self.store, interpolant);
            let label = self.label(v);
            if !self.prover.entails(self.store, label, fact)? {
                self.conjoin(v, fact);
            }
        }
        Ok(())
    }

    /// Adds a conjunct to a label; what the vertex covered is no longer covered.
    fn conjoin(&mut self, vertex: NodeId, fact: TermId) {
        self.tree.label_mut(vertex).conjoin(fact);
        match fact {
            TermId::FALSE => self.tree.kill(vertex),
            _ => self.tree.uncover_all(vertex),
        }
    }

    /// CLOSE: covers the vertex by an earlier one of the same location, if one can.
    fn close(&mut self, vertex: NodeId) -> Result<(), Reason> {
        let candidates: Vec<NodeId> = self.tree.earlier(vertex).collect();
        for candidate in candidates {
            if self.cover(vertex, candidate)? {
                break;
            }
        }
        Ok(())
    }

    /// COVER: adds the arc from `vertex` to `by`, an earlier one that is not covered, where the
    /// labels allow it.
    fn cover(&mut self, vertex: NodeId, by: NodeId) -> Result<bool, Reason> {
        if self.tree.is_covered(vertex) || self.tree.is_covered(by) {
            return Ok(false);
        }
        let (conclusion, premise) = (self.label(by), self.label(vertex));
        let implied = self.tree.node(vertex).label.includes(&self.tree.node(by).label)
            || decided(self.prover.entails(self.store, premise, conclusion))?.unwrap_or(false);
        if implied {
            self.tree.cover(vertex, by);
        }
        Ok(implied)
    }

    /// FORCECOVER: proves that the label of a recent vertex holds here too,
    /// from the nearest common ancestor on.
    fn force_cover(&mut self, vertex: NodeId) -> Result<bool, Reason> {
        let limit = self.orders.forced_covering;
        let candidates: Vec<NodeId> = self.tree.earlier(vertex).rev().take(limit).collect();
        for by in candidates {
            let (path, other) = (self.tree.path_to(vertex), self.tree.path_to(by));
            let common = path.iter().zip(&other).take_while(|(a, b)| a == b).count();
            let path = &path[common - 1..];
            let mut formulas = self.suffix_formulas(path);
            let goal = self.label(by);
            let goal = self.said_at(vertex, goal);
            formulas.push(self.store.mk_not(goal));
            if let Some(Feasibility::Infeasible(interpolants)) =
                decided(self.prover.feasibility(self.store, &formulas))?
                // Required: labels stay in the language. Heuristic: others are not looked for; a covering that is
                // not forced costs less than most searches for one.
                && interpolants.iter().all(|&i| self.restriction.language().contains(self.store, i))
            {
                self.strengthen(path, &interpolants)?;
                self.forced += 1;
                if self.cover(vertex, by)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The disjunction of the labels of uncovered vertices, by location.
    fn annotation(&mut self) -> Annotation {
        let initial = self.program.initial();
        self.tree.annotation(self.store, |store, vertex| {
            let label = vertex.label.formula(store);
            match vertex.arrival {
                Arrival::Start => store.mk_and(&[label, initial]),
                _ => label,
            }
        })
    }

    /// How far the unwinding came.
    fn figures(&self) -> Figures {
        vec![
            ("vertices", self.tree.len() as u64),
            ("refinements", self.refinements),
            ("covered", self.tree.coverings() as u64),
            ("covered by force", self.forced),
            ("covering arcs", self.tree.arcs() as u64),
            ("refutations restricted", self.restriction.replaced),
            ("restriction language", u64::from(self.restriction.language().k())),
        ]
    }

    /// Draws the unwinding, and counts the facts of each location.
    fn draw(&self, picture: &mut Picture) {
        let words = |label: &Label| {
            label.conjuncts().iter().map(|&c| picture::words(self.store, c)).collect()
        };
        picture.diagrams.push(picture::graph("unwinding", self.program, &self.tree, words));
        let mut facts: BTreeMap<LocId, BTreeSet<TermId>> = BTreeMap::new();
        for (_, vertex) in self.tree.nodes() {
            let known = vertex.label.conjuncts().iter().filter(|&&c| c != TermId::FALSE);
            facts.entry(vertex.location).or_default().extend(known);
        }
        for (location, known) in facts {
            picture.count(self.program.program, location, known.len());
        }
    }
}

/// An answer, if there is one: a question about a covering that the solver does not decide is a covering less.
fn decided<T>(answer: Result<T, Reason>) -> Result<Option<T>, Reason> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Reason::Solver(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

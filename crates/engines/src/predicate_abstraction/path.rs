//! Formulas of abstract runs, cut for calls.
//!
//! A run is a list of nodes in the order of execution; each becomes one piece of
//! a [`NestedPath`]. Calls deeper than a bound are summarised: what the
//! abstraction knows of the exit stands for the call, as the state at the
//! start of a suffix stands for what came before. Then the run is refuted with
//! what is known of the callee, or must be shown deeper.

use super::graph::{Arrival, Graph, NodeId, Visit};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
use bolide_reachability::encode::Slots;
use bolide_reachability::nested_path::{NestedPath, Piece};
use bolide_reachability::path_formula::{Copies, Step};
use bolide_reachability::verdict::Reason;
use bolide_terms::{TermId, TermStore};

/// Blocks of a run. Longer ones would not be decided in reasonable time.
const LIMIT: usize = 5_000;

/// A run as a tree of formulas.
pub struct RunFormula {
    /// The formulas, in the order of execution; the last is the root.
    pub formulas: Vec<TermId>,
    /// The parent of each formula; the root names itself.
    pub parents: Vec<usize>,
    /// The node that each leads to.
    pub nodes: Vec<NodeId>,
    /// The states at exits that stand for calls that the run does not show.
    pub summaries: Vec<TermId>,
    /// The steps through blocks.
    pub steps: Vec<Step>,
    /// The copies that the formulas speak of.
    pub copies: Copies,
}

impl RunFormula {
    /// The formula of the run to `target`, if it is not too long.
    pub fn new(
        program: &BlockProgram<'_>,
        calls: &Calls,
        store: &mut TermStore,
        graph: &Graph,
        target: NodeId,
        call_depth: usize,
    ) -> Result<RunFormula, Reason> {
        let run = graph.run_to(target, call_depth, LIMIT).ok_or_else(|| {
            Reason::Unsupported(format!("runs to an error of more than {LIMIT} blocks"))
        })?;
        let mut summaries = Vec::new();
        let mut pieces = Vec::new();
        for &Visit { node, returns, summarised } in &run {
            pieces.push(match &graph.node(node).arrival {
                Arrival::Start => Piece::Start,
                Arrival::Block(_, transition) => Piece::Block(transition.clone()),
                Arrival::Call(_, site) => Piece::Call { site: site.clone(), returns },
                Arrival::Return(_, site, exit) if summarised => {
                    let exit = graph.node(*exit).state;
                    summaries.push(exit);
                    Piece::Summary { site: site.clone(), exit }
                }
                Arrival::Return(_, site, _) => Piece::Return(site.clone()),
            });
        }
        let path = NestedPath::new(program, calls, store, &pieces, |_| TermId::TRUE);
        let nodes = run.iter().map(|visit| visit.node).collect();
        let NestedPath { formulas, parents, steps, copies } = path;
        Ok(RunFormula { formulas, parents, nodes, summaries, steps, copies })
    }

    /// A formula over state constants, said of the copies after a piece of a run
    /// without calls.
    pub fn said_after(
        &self,
        store: &mut TermStore,
        slots: &Slots,
        piece: usize,
        formula: TermId,
    ) -> TermId {
        let ssa = &self.steps[piece - 1].after;
        // The copies were all made when the run was built.
        Copies::default().at(store, slots, ssa, formula)
    }

    /// The interpolant of a piece, over state and entry constants.
    pub fn to_scope(&self, store: &mut TermStore, interpolant: TermId) -> TermId {
        self.copies.to_state(store, interpolant)
    }
}

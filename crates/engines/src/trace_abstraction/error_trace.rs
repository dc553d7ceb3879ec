//! Error traces of the difference, as the formulas that decide them.

use super::alphabet::LetterId;
use super::automaton::MacroId;
use super::views::{Sets, Views};
use bolide_cfa::LocId;
use bolide_reachability::arg::{Graph, NodeId};
use bolide_reachability::nested_path::{NestedPath, Piece};
use bolide_reachability::verdict::Reason;
use bolide_terms::TermId;

/// Letters of a trace. Longer ones would not be decided in reasonable time.
pub const LIMIT: usize = 5_000;

/// A trace to an error.
pub struct ErrorTrace {
    /// What it does, letter by letter.
    pub pieces: Vec<Piece>,
    /// Where it is after each.
    pub locations: Vec<LocId>,
    /// What the background knows there.
    known: Vec<TermId>,
}

impl ErrorTrace {
    /// The trace to a node, with `depth` calls inside of each other shown, and `summary` of its exit
    /// in place of deeper ones that returned; none when it is too long.
    pub fn to(
        views: &mut Views<'_, '_>,
        difference: &Graph<Sets>,
        error: NodeId,
        depth: usize,
        summary: impl Fn(&mut Views<'_, '_>, &Sets) -> TermId,
    ) -> Option<ErrorTrace> {
        let run = difference.run_to(error, depth, LIMIT)?;
        let pieces = difference.pieces(&run, |exit| summary(views, exit));
        let nodes = || run.iter().map(|visit| difference.node(visit.node));
        let locations = nodes().map(|node| node.location).collect();
        let known = nodes().map(|node| views.background(&node.label)).collect();
        Some(ErrorTrace { pieces, locations, known })
    }

    /// The trace to a node with all its calls; none when it is too long.
    pub fn whole(
        views: &mut Views<'_, '_>,
        difference: &Graph<Sets>,
        error: NodeId,
    ) -> Option<ErrorTrace> {
        Self::to(views, difference, error, usize::MAX, |_, _| TermId::TRUE)
    }

    /// The trace as formulas, with what the background knows on the way.
    pub fn path(&self, views: &mut Views<'_, '_>) -> NestedPath {
        let (program, calls, store) = (&*views.program, &views.calls, &mut *views.store);
        NestedPath::new(program, calls, store, &self.pieces, |k| self.known[k])
    }

    /// Its letters.
    pub fn letters(&self, views: &mut Views<'_, '_>) -> Vec<LetterId> {
        self.pieces.iter().map(|piece| views.alphabet.piece(piece)).collect()
    }
}

/// Whether the last automaton accepts the trace to an error.
pub fn last_accepts(
    views: &mut Views<'_, '_>,
    difference: &Graph<Sets>,
    error: NodeId,
) -> Result<bool, Reason> {
    let Some(run) = difference.run_to(error, usize::MAX, LIMIT) else { return Ok(false) };
    let pieces = difference.pieces(&run, |_| TermId::TRUE);
    let (index, nothing) = (views.automata.len() - 1, (MacroId::TRUE, MacroId::TRUE));
    // What is known now, and where the calls that are open were made.
    let mut here = nothing;
    let mut callers: Vec<(MacroId, MacroId)> = Vec::new();
    for (visit, piece) in run.iter().zip(&pieces) {
        let there = match piece {
            Piece::Return(_) => callers.pop().unwrap_or(nothing),
            _ => nothing,
        };
        if let Piece::Call { .. } = piece {
            callers.push(here);
        }
        let (node, letter) = (difference.node(visit.node), views.alphabet.piece(piece));
        let set = views.step(index, letter, node.location, here, there)?;
        if set == MacroId::FALSE {
            return Ok(true);
        }
        here = (set, node.label[0]);
    }
    Ok(false)
}

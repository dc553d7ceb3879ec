//! The unwinding as a drawing: vertices with their labels, covering arcs dashed.
//!
//! What lies below a covered vertex counts for nothing and is left out.

use super::Impact;
use super::unwinding::VertexId;
use crate::picture::{self, Picture, VERTICES};
use bolide_base::HashMap;
use bolide_cfa::LocId;
use bolide_cfa::render::diagram::{ArrowKind, Diagram};
use bolide_terms::TermId;
use std::collections::BTreeMap;

impl Impact<'_, '_> {
    /// Draws the unwinding, and counts the facts of each location.
    pub(super) fn draw(&self, picture: &mut Picture) {
        let program = self.program.program;
        let mut diagram = Diagram { name: "unwinding".into(), ..Diagram::default() };
        let mut positions: HashMap<VertexId, usize> = HashMap::default();
        let mut facts: BTreeMap<LocId, Vec<TermId>> = BTreeMap::new();
        let mut covers = Vec::new();
        for vertex in self.tree.vertices() {
            let location = self.tree.location(vertex);
            let known = facts.entry(location).or_default();
            known.extend(self.tree.conjuncts(vertex).iter().filter(|&&c| c != TermId::FALSE));
            if positions.len() >= VERTICES {
                diagram.omitted += 1;
                continue;
            }
            let parent = self.tree.parent(vertex);
            if parent.is_some_and(|parent| self.tree.is_covered(parent)) {
                continue;
            }
            let mut lines = vec![picture::title(program, location)];
            let conjuncts = self.tree.conjuncts(vertex);
            lines.extend(conjuncts.iter().map(|&c| picture::words(self.store, c)));
            let kind = picture::kind(self.program, location, self.tree.is_covered(vertex));
            let here = diagram.add_at(picture::place(program, location), kind, lines);
            positions.insert(vertex, here);
            if let Some(above) = parent.and_then(|p| positions.get(&p)) {
                diagram.connect(*above, here, ArrowKind::Step, String::new());
            }
            if let Some(by) = self.tree.covered_by(vertex) {
                covers.push((here, by));
            }
        }
        for (covered, by) in covers {
            if let Some(&by) = positions.get(&by) {
                diagram.connect(covered, by, ArrowKind::Cover, String::new());
            }
        }
        picture.diagrams.push(diagram);
        for (location, mut known) in facts {
            known.sort_unstable();
            known.dedup();
            picture.count(program, location, known.len());
        }
    }
}

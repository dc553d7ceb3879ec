//! The abstract reachability graph as a drawing: abstract states, covering arcs
//! dashed, calls dotted.

use super::PredicateAbstraction;
use super::graph::{Arrival, NodeId};
use crate::picture::{self, Picture, VERTICES};
use bolide_base::HashMap;
use bolide_cfa::render::diagram::{ArrowKind, Diagram};

impl PredicateAbstraction<'_, '_> {
    /// Draws the graph, and counts the predicates of each location.
    pub(super) fn draw(&self, picture: &mut Picture) {
        let program = self.program.program;
        let name = "abstract reachability graph".to_owned();
        let mut diagram = Diagram { name, ..Diagram::default() };
        let mut positions: HashMap<NodeId, usize> = HashMap::default();
        let mut covers = Vec::new();
        for (id, node) in self.graph.nodes() {
            if positions.len() >= VERTICES {
                diagram.omitted += 1;
                continue;
            }
            let mut lines = vec![picture::title(program, node.location)];
            lines.extend(picture::lines(self.store, node.state));
            let kind = picture::kind(self.program, node.location, !self.graph.is_open(id));
            let here = diagram.add_at(picture::place(program, node.location), kind, lines);
            positions.insert(id, here);
            let arrow = |from: &NodeId, kind, label| (positions.get(from).copied(), kind, label);
            let (from, kind, label) = match &node.arrival {
                Arrival::Start => (None, ArrowKind::Step, String::new()),
                Arrival::Block(from, _) => arrow(from, ArrowKind::Step, String::new()),
                Arrival::Call(from, _) => arrow(from, ArrowKind::Call, "call".into()),
                Arrival::Return(from, site, _) => {
                    let callee = &program.functions[site.callee].name;
                    arrow(from, ArrowKind::Step, format!("after {callee}"))
                }
            };
            if let Some(from) = from {
                diagram.connect(from, here, kind, label);
            }
            if let Some(by) = self.graph.covered_by(id) {
                covers.push((here, by));
            }
        }
        for (covered, by) in covers {
            if let Some(&by) = positions.get(&by) {
                diagram.connect(covered, by, ArrowKind::Cover, String::new());
            }
        }
        picture.diagrams.push(diagram);
        for location in program.locations.ids() {
            let predicates = self.precision.at(self.program, self.store, location);
            picture.count(program, location, predicates.len());
        }
    }
}

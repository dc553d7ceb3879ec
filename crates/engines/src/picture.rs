//! What an engine shows of its search to people: its graph or its automata, and
//! how many predicates it needed where.
//!
//! Made after the search, from what it left behind, and only when somebody asked.
//! Nothing is decided by it. Large graphs are cut off: nobody reads a drawing of
//! a thousand boxes.

use bolide_base::{HashMap, Span};
use bolide_cfa::render::diagram::{ArrowKind, Diagram, VertexKind};
use bolide_cfa::{LocId, Program};
use bolide_reachability::arg::{Arrival, Graph, NodeId};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::verdict::Annotation;
use bolide_terms::{Op, TermId, TermStore};

/// What is shown of a search.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Whether anybody asked.
    pub wanted: bool,
    /// Graphs, automata, heaps.
    pub diagrams: Vec<Diagram>,
    /// By place in the source: how many different predicates were needed there.
    pub predicates: Vec<(Span, u32)>,
}

/// Vertices of one drawing.
pub const VERTICES: usize = 250;
/// Drawings of one engine.
pub const DIAGRAMS: usize = 24;
/// Larger formulas are not written out.
const READABLE: u64 = 400;

/// Where a location is in the source: its loop, else the first statement that
/// leaves it, else one that arrives.
pub fn place(program: &Program, location: LocId) -> Option<Span> {
    let here = &program.locations[location];
    let leaving = here.outgoing.iter().map(|&e| program.edges[e].origin.span);
    let arriving = program.edges.values().filter(|e| e.to == location).map(|e| e.origin.span);
    here.loop_keyword.into_iter().chain(leaving).chain(arriving).find(|span| !span.is_none())
}

/// What a location is in a drawing.
pub fn kind(program: &BlockProgram<'_>, location: LocId, covered: bool) -> VertexKind {
    if program.program.locations[location].error.is_some() {
        VertexKind::Error
    } else if covered {
        VertexKind::Covered
    } else if program.is_loop_head(location) {
        VertexKind::Head
    } else if location == program.entry() {
        VertexKind::Marked
    } else {
        VertexKind::Plain
    }
}

/// The name of a location, with what goes wrong there.
pub fn title(program: &Program, location: LocId) -> String {
    use bolide_base::arena::Id;
    let here = &program.locations[location];
    let function = &program.functions[here.function].name;
    // The stub that calls the entry function has a name that is none in C.
    let function = if function.contains('#') { String::new() } else { format!("{function} ") };
    match here.error {
        Some(check) => {
            let property = program.checks[check].property.name();
            format!("{function}L{}: {property}", location.index())
        }
        None => format!("{function}L{}", location.index()),
    }
}

/// A formula, a line for each conjunct; nothing for `true`.
pub fn lines(store: &TermStore, formula: TermId) -> Vec<String> {
    if formula == TermId::TRUE {
        return Vec::new();
    }
    let parts = match store.op(formula) {
        Op::And => store.args(formula).to_vec(),
        _ => vec![formula],
    };
    parts.into_iter().map(|part| words(store, part)).collect()
}

/// A formula in infix notation, unless it is too large to read.
pub fn words(store: &TermStore, formula: TermId) -> String {
    match store.tree_size(formula) <= READABLE {
        // Variables of inlined functions are named by the way to them; the stub that calls the
        // entry function says nothing.
        true => store.infix(formula).replace("entry#::", ""),
        false => format!("(a formula of {} terms)", store.dag_size(formula)),
    }
}

/// An abstract reachability graph: nodes with their labels in words, covering arcs dashed, calls
/// dotted. What lies below a covered node counts for nothing and is left out.
pub fn graph<L>(
    name: &str,
    blocks: &BlockProgram<'_>,
    graph: &Graph<L>,
    label: impl Fn(&L) -> Vec<String>,
) -> Diagram {
    let program = blocks.program;
    let mut diagram = Diagram { name: name.to_owned(), ..Diagram::default() };
    let mut positions: HashMap<NodeId, usize> = HashMap::default();
    let mut covers = Vec::new();
    for (id, node) in graph.nodes() {
        if positions.len() >= VERTICES {
            diagram.omitted += 1;
            continue;
        }
        if graph.parent(id).is_some_and(|parent| graph.is_covered(parent)) {
            continue;
        }
        let mut lines = vec![title(program, node.location)];
        lines.extend(label(&node.label));
        let kind = kind(blocks, node.location, graph.is_covered(id));
        let here = diagram.add_at(place(program, node.location), kind, lines);
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
        covers.extend(graph.covered_by(id).map(|by| (here, by)));
    }
    for (covered, by) in covers {
        if let Some(&by) = positions.get(&by) {
            diagram.connect(covered, by, ArrowKind::Cover, String::new());
        }
    }
    diagram
}

/// A proof as a drawing for each function with contracts and for the program: cut
/// points with their invariants, and the blocks between them.
pub fn proof(
    blocks: &BlockProgram<'_>,
    store: &TermStore,
    annotation: &Annotation,
) -> Vec<Diagram> {
    let mut all = vec![("proof".to_owned(), &annotation.invariants)];
    let entry = blocks.program.entry;
    for contract in annotation.contracts.iter().filter(|c| c.function != entry) {
        let name = &blocks.program.functions[contract.function].name;
        all.push((format!("contract of {name}"), &contract.invariants));
    }
    let mut drawn = Vec::new();
    for (name, invariants) in all.into_iter().filter(|(_, i)| !i.is_empty()).take(DIAGRAMS) {
        let mut diagram = Diagram { name, ..Diagram::default() };
        let mut locations: Vec<LocId> = invariants.keys().copied().collect();
        locations.sort_unstable();
        diagram.omitted = locations.len().saturating_sub(VERTICES);
        locations.truncate(VERTICES);
        let mut positions: HashMap<LocId, usize> = HashMap::default();
        for &location in &locations {
            let mut words = vec![title(blocks.program, location)];
            words.extend(lines(store, invariants[&location]));
            let kind = kind(blocks, location, invariants[&location] == TermId::FALSE);
            let place = place(blocks.program, location);
            positions.insert(location, diagram.add_at(place, kind, words));
        }
        for &location in &locations {
            let ends = blocks.blocks.starting(location).map(|id| &blocks.blocks.get(id).ends);
            for to in ends.into_iter().flatten().filter_map(|end| positions.get(end)) {
                diagram.connect(positions[&location], *to, ArrowKind::Step, String::new());
            }
        }
        drawn.push(diagram);
    }
    drawn
}

impl Picture {
    /// Counts predicates of a location; several locations at one place add up
    /// to the largest count.
    pub fn count(&mut self, program: &Program, location: LocId, predicates: usize) {
        if predicates == 0 {
            return;
        }
        let Some(span) = place(program, location) else { return };
        let count = predicates as u32;
        match self.predicates.iter_mut().find(|(known, _)| *known == span) {
            Some((_, known)) => *known = (*known).max(count),
            None => self.predicates.push((span, count)),
        }
    }
}

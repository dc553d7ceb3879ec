//! Shapes by symbolic memory graphs: whole programs on [`bolide_heap::graph`].
//!
//! The search executes the program on graphs and keeps them where paths meet. Ways, one after the other:
//! - as it is: loops that end after a few rounds are unrolled, and every state is seen;
//! - with *abstraction* at the heads of loops: lists are [folded](fold) into chains, and two graphs that differ in numbers and
//!   lengths only become one that has both; but objects that hold different constants are not alike;
//! - the same where they may be, first all but the last of a list, then all;
//! - each of these with [trees], where some object has two children that look like it;
//! - all of it once more, for longer.
//!
//! Nothing is refined. A graph in which an error can be reached ends the way to search; whether the error is real a solver and an execution
//! say of the one path to it, or others, of which the Boolean heaps are one.

mod fold;
mod trees;

use bolide_base::{Budget, Exhausted, HashMap};
use bolide_cfa::analysis::{Flow, Liveness, Loops};
use bolide_cfa::{EdgeId, LocId, Program, VarId};
use bolide_heap::graph::matching::includes;
use bolide_heap::graph::steps::Steps;
use bolide_heap::graph::{Graph, NodeId, Value};
use bolide_verdict::certificate::MemoryGraphs;
use fold::{Bounds, Data};
use std::collections::{BTreeMap, BTreeSet};

/// What they are called where it is told who decided.
pub const PART: &str = "memory graphs";

/// Why there is no proof.
#[derive(Clone, Debug)]
pub enum Failure {
    /// An error can be reached in some graph, on this way.
    Suspected(Vec<EdgeId>),
    /// Graphs cannot say what the program does.
    Refused(String),
    /// There are too many graphs.
    Many,
    /// The budget is exhausted.
    Exhausted(Exhausted),
}

/// A way to search: whether and how graphs are folded, and how far it goes.
pub struct Attempt {
    data: Option<Data>,
    /// Whether trees are looked for.
    trees: bool,
    /// Steps on graphs.
    steps: usize,
    /// Graphs at one location: for a loop that is not folded, about its rounds.
    here: usize,
}

/// What is tried while there are too many graphs, or folding lets an error seem possible: with little effort each, then with more, as
/// one of them often ends soon where the others do not at all.
pub const ATTEMPTS: &[Attempt] = &[
    Attempt { data: None, trees: false, steps: 6_000, here: 24 },
    Attempt { data: Some(Data::Kept), trees: false, steps: 3_000, here: 30 },
    Attempt { data: Some(Data::Kept), trees: true, steps: 3_000, here: 40 },
    Attempt { data: Some(Data::Marked), trees: false, steps: 3_000, here: 30 },
    Attempt { data: Some(Data::Bounded), trees: false, steps: 6_000, here: 50 },
    Attempt { data: Some(Data::Bounded), trees: true, steps: 6_000, here: 60 },
    Attempt { data: Some(Data::Kept), trees: false, steps: 10_000, here: 100 },
    Attempt { data: Some(Data::Kept), trees: true, steps: 20_000, here: 150 },
    Attempt { data: Some(Data::Marked), trees: false, steps: 20_000, here: 100 },
    Attempt { data: Some(Data::Bounded), trees: false, steps: 40_000, here: 200 },
    Attempt { data: Some(Data::Bounded), trees: true, steps: 40_000, here: 200 },
    Attempt { data: None, trees: false, steps: 20_000, here: 200 },
];
/// Those with little effort.
pub const GLANCE: &[Attempt] = ATTEMPTS.split_at(6).0;
/// One in so many of the graphs at one location may differ from another one in variables only.
const VARIABLES: usize = 4;
/// How often a graph at a location is made larger before its numbers are given up.
const PATIENCE: usize = 3;

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Suspected(_) => f.write_str("an error is not excluded"),
            Failure::Refused(why) => f.write_str(why),
            Failure::Many => f.write_str("too many graphs"),
            Failure::Exhausted(what) => what.fmt(f),
        }
    }
}

/// Graphs that prove that no error can be reached.
///
/// # Errors
/// When there are none, or they were not found.
pub fn prove(
    program: &Program,
    attempts: &[Attempt],
    budget: &Budget,
) -> Result<MemoryGraphs, Failure> {
    // The finest way of folding that does not exclude an error: what is coarser does not either.
    let mut suspected: [Option<(Data, Vec<EdgeId>)>; 2] = [None, None];
    let mut forks = false;
    for attempt in attempts {
        let known = &mut suspected[usize::from(attempt.trees)];
        let is_coarser = |(data, known): (Data, &(Data, _))| data > known.0;
        if attempt.trees && !forks || attempt.data.zip(known.as_ref()).is_some_and(is_coarser) {
            continue;
        }
        let mut search = Search::new(program, attempt, budget);
        let found = search.run(attempt.steps);
        forks |= search.forks;
        match found {
            Err(Failure::Many) => {}
            Err(Failure::Suspected(way)) if let Some(data) = attempt.data => {
                *known = Some((data, way));
            }
            Ok(()) => return Ok(search.graphs()),
            Err(why) => return Err(why),
        }
    }
    let first = suspected.into_iter().flatten().next();
    Err(first.map_or(Failure::Many, |(_, way)| Failure::Suspected(way)))
}

struct Search<'a> {
    program: &'a Program,
    steps: Steps<'a>,
    flow: Flow,
    live: Liveness,
    loops: Loops,
    /// What numbers grow to; none: nothing is abstracted.
    bounds: Option<Bounds>,
    trees: bool,
    /// Whether some object may be the root of a tree.
    forks: bool,
    /// Where paths meet: graphs by number.
    places: BTreeMap<LocId, BTreeMap<usize, Graph>>,
    /// Graphs whose steps are to be taken, in the order of the program.
    waiting: BTreeSet<(usize, LocId, usize)>,
    grown: HashMap<LocId, usize>,
    variables: HashMap<LocId, Vec<VarId>>,
    /// How each graph was made, by number less one: from which, and on which way.
    origins: Vec<(usize, Vec<EdgeId>)>,
    taken: usize,
    /// Graphs at one location, at most.
    here: usize,
    budget: &'a Budget,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, attempt: &Attempt, budget: &'a Budget) -> Search<'a> {
        let flow = Flow::new(program);
        let loops = Loops::new(program, &flow);
        Search {
            program,
            steps: Steps::new(program),
            live: Liveness::of(program),
            flow,
            loops,
            bounds: attempt.data.map(|data| Bounds::of(program, data)),
            trees: attempt.trees,
            forks: false,
            places: BTreeMap::new(),
            waiting: BTreeSet::new(),
            grown: HashMap::default(),
            variables: HashMap::default(),
            origins: Vec::new(),
            taken: 0,
            here: attempt.here,
            budget,
        }
    }

    fn run(&mut self, most: usize) -> Result<(), Failure> {
        let body = self.program.functions[self.program.entry].body;
        let entry = body.ok_or_else(|| Failure::Refused("no entry".into()))?.entry;
        let initial = self.steps.initial();
        if self.program.locations[entry].error.is_some() {
            return Err(Failure::Suspected(Vec::new()));
        }
        self.arrive(entry, initial, (0, Vec::new()))?;
        while let Some((_, location, number)) = self.waiting.pop_first() {
            self.budget.poll().map_err(Failure::Exhausted)?;
            if self.taken > most {
                return Err(Failure::Many);
            }
            let Some(graph) = self.places.get(&location).and_then(|all| all.get(&number)) else {
                continue;
            };
            self.leave((location, number), graph.clone())?;
        }
        Ok(())
    }

    /// Where paths meet.
    fn graphs(self) -> MemoryGraphs {
        let graphs = |all: BTreeMap<usize, Graph>| all.into_values().collect();
        let places = self.places.into_iter().map(|(place, all)| (place, graphs(all))).collect();
        MemoryGraphs { places }
    }

    /// The graph with lists, and trees if they are wanted, folded into chains, as far as that goes.
    fn folded(&mut self, mut graph: Graph, data: Data) -> Graph {
        if self.trees {
            forget_dangling(&mut graph);
        } else {
            self.forks = self.forks || trees::are_likely(&graph);
        }
        loop {
            let tree = self.trees.then(|| trees::planted(&graph, data)).flatten();
            match tree.or_else(|| fold::paired(&graph, data)) {
                Some(next) => graph = next,
                None => return graph,
            }
        }
    }

    /// Takes all steps from a graph, and on to where paths meet.
    fn leave(&mut self, (location, number): (LocId, usize), graph: Graph) -> Result<(), Failure> {
        let mut open = vec![(location, graph, Vec::new())];
        while let Some((location, graph, way)) = open.pop() {
            let outgoing: Vec<EdgeId> = self.program.locations[location].outgoing.clone();
            for edge in outgoing {
                self.taken += 1;
                let after = self.steps.step(&graph, edge).map_err(Failure::Refused)?;
                let to = self.program.edges[edge].to;
                for graph in after {
                    let mut way: Vec<EdgeId> = way.clone();
                    way.push(edge);
                    if self.program.locations[to].error.is_some() {
                        return Err(Failure::Suspected(self.way(number, way)));
                    }
                    if self.program.locations[to].incoming.len() > 1 {
                        self.arrive(to, graph, (number, way))?;
                    } else {
                        open.push((to, graph, way));
                    }
                }
            }
        }
        Ok(())
    }

    /// The way from the start to a graph, and on.
    fn way(&self, mut number: usize, last: Vec<EdgeId>) -> Vec<EdgeId> {
        let mut parts = vec![last];
        while let Some((from, part)) = number.checked_sub(1).and_then(|n| self.origins.get(n)) {
            parts.push(part.clone());
            number = *from;
        }
        parts.into_iter().rev().flatten().collect()
    }

    /// Forgets what is not read any more.
    fn trim(&mut self, location: LocId, graph: &mut Graph) {
        let (program, live) = (self.program, &self.live);
        let used = self.variables.entry(location).or_insert_with(|| {
            let all = program.variables.iter().map(|(var, _)| var);
            all.filter(|&var| live.may_be_read(program, location, var)).collect()
        });
        graph.variables.retain(|var, _| used.binary_search(var).is_ok());
        graph.collect();
    }

    /// Keeps a graph where paths meet, unless it is known.
    fn arrive(
        &mut self,
        location: LocId,
        mut graph: Graph,
        origin: (usize, Vec<EdgeId>),
    ) -> Result<(), Failure> {
        self.trim(location, &mut graph);
        let is_head = self.loops.is_head(location);
        if let (Some(data), true) = (self.bounds.as_ref().map(|bounds| bounds.data), is_head) {
            graph = self.folded(graph, data);
        }
        let known = self.places.entry(location).or_default();
        if known.values().any(|other| includes(other, &graph)) {
            return Ok(());
        }
        if let Some(bounds) = &self.bounds {
            let grown = self.grown.entry(location).or_default();
            let few = known.len() < self.here / VARIABLES;
            let mut others: Vec<usize> = known.keys().rev().copied().collect();
            while let Some(number) = others.pop() {
                let widen = (*grown >= PATIENCE).then_some(bounds);
                let Some(other) = known.get(&number) else { continue };
                if let Some(both) =
                    fold::generalised(self.program, [other, &graph], (bounds.data, few), widen)
                {
                    *grown += 1;
                    graph = both;
                    known.retain(|_, other| !includes(&graph, other));
                    others = known.keys().rev().copied().collect();
                }
            }
        }
        known.retain(|_, other| !includes(&graph, other));
        if known.len() >= self.here {
            return Err(Failure::Many);
        }
        self.origins.push(origin);
        let number = self.origins.len();
        known.insert(number, graph);
        let order = self.flow.position(location).unwrap_or(usize::MAX);
        self.waiting.insert((order, location, number));
        Ok(())
    }
}

/// Forgets what cells hold that lead to objects which were freed: that tells elements apart that are alike else.
fn forget_dangling(graph: &mut Graph) {
    let freed: Vec<NodeId> =
        graph.nodes.iter().filter(|(_, node)| !node.alive).map(|(id, _)| *id).collect();
    for node in graph.nodes.values_mut() {
        let leads = |value: Value| matches!(value, Value::Address(a) if freed.contains(&a.node));
        node.cells.retain(|_, cell| !leads(cell.value));
    }
    graph.collect();
}

//! Who calls whom.
//!
//! A call through a pointer whose candidates are not known yet counts as a
//! call of every function with a body whose address appears in an expression
//! and that takes as many parameters as there are arguments.

use super::BitSet;
use super::flow::components;
use crate::expr::Expr;
use crate::program::{EdgeId, FunctionId, Op, Program};
use bolide_base::arena::Id;

/// The call graph over functions with and without bodies.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Vec<Vec<FunctionId>>,
    sites: Vec<Vec<EdgeId>>,
    bottom_up: Vec<Vec<FunctionId>>,
    component: Vec<u32>,
    recursive: BitSet,
    reachable: BitSet,
    address_taken: Vec<FunctionId>,
}

impl CallGraph {
    /// Reads the calls off the edges.
    pub fn new(program: &Program) -> CallGraph {
        let n = program.functions.len();
        let mut taken = BitSet::new(n);
        for id in program.exprs.ids() {
            if let Expr::Function(f) = program.exprs.get(id) {
                taken.insert(f.index());
            }
        }
        let address_taken: Vec<FunctionId> = taken.iter().map(FunctionId::from_index).collect();
        let mut graph = CallGraph {
            callees: vec![Vec::new(); n],
            sites: vec![Vec::new(); n],
            bottom_up: Vec::new(),
            component: vec![0; n],
            recursive: BitSet::new(n),
            reachable: BitSet::new(n),
            address_taken,
        };
        for (id, edge) in program.edges.iter() {
            let caller = program.locations[edge.from].function.index();
            let before = graph.callees[caller].len();
            graph.targets(program, &edge.op, |graph, f| graph.callees[caller].push(f));
            if graph.callees[caller].len() > before || matches!(edge.op, Op::CallIndirect { .. }) {
                graph.sites[caller].push(id);
            }
        }
        for caller in 0..n {
            graph.callees[caller].sort_unstable();
            graph.callees[caller].dedup();
        }
        let successors: Vec<Vec<usize>> =
            graph.callees.iter().map(|list| list.iter().map(|f| f.index()).collect()).collect();
        for component in components(&successors) {
            for &f in &component {
                graph.component[f] = graph.bottom_up.len() as u32;
                if component.len() > 1 || successors[f].contains(&f) {
                    graph.recursive.insert(f);
                }
            }
            graph.bottom_up.push(component.into_iter().map(FunctionId::from_index).collect());
        }
        let mut pending = vec![program.entry.index()];
        while let Some(f) = pending.pop() {
            if f < n && graph.reachable.insert(f) {
                pending.extend(&successors[f]);
            }
        }
        graph
    }

    fn targets(
        &mut self,
        program: &Program,
        op: &Op,
        mut found: impl FnMut(&mut Self, FunctionId),
    ) {
        match op {
            Op::Call { function, .. } | Op::External { function, .. } => found(self, *function),
            Op::CallIndirect { candidates: Some(list), .. } => {
                for &f in list {
                    found(self, f);
                }
            }
            Op::CallIndirect { candidates: None, arguments, .. } => {
                for position in 0..self.address_taken.len() {
                    let f = self.address_taken[position];
                    if program.functions[f].parameters.len() == arguments.len() {
                        found(self, f);
                    }
                }
            }
            _ => {}
        }
    }

    /// Functions that `f` calls directly, sorted.
    pub fn callees(&self, f: FunctionId) -> &[FunctionId] {
        &self.callees[f.index()]
    }

    /// The call edges of `f`.
    pub fn sites(&self, f: FunctionId) -> &[EdgeId] {
        &self.sites[f.index()]
    }

    /// The strongly connected components, callees first.
    pub fn bottom_up(&self) -> &[Vec<FunctionId>] {
        &self.bottom_up
    }

    /// Whether the two functions call each other, directly or not (or are one).
    pub fn same_component(&self, f: FunctionId, g: FunctionId) -> bool {
        self.component[f.index()] == self.component[g.index()]
    }

    /// Whether `f` can call itself, directly or not.
    pub fn is_recursive(&self, f: FunctionId) -> bool {
        self.recursive.contains(f.index())
    }

    /// Whether the program's entry can call `f`, directly or not.
    pub fn is_reachable(&self, f: FunctionId) -> bool {
        self.reachable.contains(f.index())
    }

    /// Functions whose address appears in an expression, sorted.
    pub fn address_taken(&self) -> &[FunctionId] {
        &self.address_taken
    }
}

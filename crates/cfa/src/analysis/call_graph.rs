//! Who calls whom.
//!
//! A call through a pointer whose candidates are not known yet counts as a
//! call of every function with a body whose address appears in an expression
//! and that takes as many parameters as there are arguments.

use super::BitSet;
use super::graph::{components, reached};
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
        let taken = program.exprs.ids().filter_map(|id| match program.exprs.get(id) {
            Expr::Function(f) => Some(f.index()),
            _ => None,
        });
        let taken: BitSet = taken.collect();
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
            let fits = |f: &FunctionId| match &edge.op {
                Op::CallIndirect { candidates: None, arguments, .. } => {
                    program.functions[*f].parameters.len() == arguments.len()
                }
                _ => true,
            };
            let named = match &edge.op {
                // A call that was cut does not enter the body, even if there is one.
                Op::External { function, .. } if program.functions[*function].body.is_some() => &[],
                Op::External { function, .. } => std::slice::from_ref(function),
                op => graph.called(op),
            };
            let targets: Vec<FunctionId> = named.iter().copied().filter(fits).collect();
            if !targets.is_empty() || matches!(edge.op, Op::CallIndirect { .. }) {
                graph.sites[caller].push(id);
            }
            graph.callees[caller].extend(targets);
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
        let entry = [program.entry.index()].into_iter().filter(|&f| f < n);
        graph.reachable = reached(entry, |f| successors[f].iter().copied()).into_iter().collect();
        graph
    }

    /// The functions that an operation may call, those without a body that it names as such apart.
    pub fn called<'a>(&'a self, op: &'a Op) -> &'a [FunctionId] {
        match op {
            Op::Call { function, .. } => std::slice::from_ref(function),
            Op::CallIndirect { candidates: Some(list), .. } => list,
            Op::CallIndirect { candidates: None, .. } => &self.address_taken,
            _ => &[],
        }
    }

    /// Functions that `f` calls directly, sorted.
    pub fn callees(&self, f: FunctionId) -> &[FunctionId] {
        &self.callees[f.index()]
    }

    /// The calls of each function, as far as [`called`](Self::called) knows them.
    pub fn callers(&self, program: &Program) -> Vec<Vec<EdgeId>> {
        let mut callers = vec![Vec::new(); program.functions.len()];
        for (id, edge) in program.edges.iter() {
            self.called(&edge.op).iter().for_each(|f| callers[f.index()].push(id));
        }
        callers
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

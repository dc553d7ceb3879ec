//! Programs into programs, with a map back.
//!
//! Every pass changes a [`Mapped`]: the program as it is now together with
//! where each of its edges, locations and variables comes from in the program
//! that it started as. Passes thus compose by running one after another, and a
//! trace or an invariant of the last program translates to the first.
//!
//! A pass keeps the outcome of every run up to its first undefined step: the
//! same error locations are reached on the same inputs. What may be added is
//! behaviour after a step that is undefined in C and that no check of the program guards (a null
//! pointer dereferenced where `valid-deref` is not asked for).

pub mod addresses;
pub mod bit_fields;
pub mod compact;
pub mod dead;
pub mod fold;
pub mod inline;
pub mod regions;
pub mod resolve;
pub mod simplify;
pub mod slice;
pub mod views;

pub use self::inline::{InlineError, inline};
pub use self::simplify::{prepare, reduce, simplify};

use crate::analysis::points_to::graph::Place;
use crate::program::*;
use crate::types::Type;
use bolide_base::Arena;

/// What a variable of the new program is in the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableOrigin {
    /// The same (in an inlined copy: that of the call in question).
    Variable(VarId),
    /// The value in memory of an object that was given back its name.
    Memory {
        /// The object.
        place: Place,
        /// Where in the object.
        offset: u64,
    },
    /// Made by a transform.
    Made,
}

/// A program and where it comes from.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The program as it is now.
    pub program: Program,
    /// The old edges that a new edge stands for, in order; empty for edges
    /// that only a transform needed.
    pub edges: Arena<EdgeId, Vec<EdgeId>>,
    /// The old location.
    pub locations: Arena<LocId, Option<LocId>>,
    /// The old variable.
    pub variables: Arena<VarId, VariableOrigin>,
    /// The old function.
    pub functions: Arena<FunctionId, Option<FunctionId>>,
    /// The old static object.
    pub objects: Arena<ObjectId, ObjectId>,
}

impl Mapped {
    /// The program itself, mapped to itself.
    pub fn identity(program: Program) -> Mapped {
        Mapped {
            edges: program.edges.ids().map(|id| vec![id]).collect(),
            locations: program.locations.ids().map(Some).collect(),
            variables: program.variables.ids().map(VariableOrigin::Variable).collect(),
            functions: program.functions.ids().map(Some).collect(),
            objects: program.objects.ids().collect(),
            program,
        }
    }

    /// What both maps say, where `later` started as the program of this one.
    pub fn then(&self, later: Mapped) -> Mapped {
        let variable = |origin: &VariableOrigin| match *origin {
            VariableOrigin::Variable(var) => self.variables[var],
            VariableOrigin::Memory { place: Place::Static(object), offset } => {
                VariableOrigin::Memory { place: Place::Static(self.objects[object]), offset }
            }
            VariableOrigin::Memory { place: Place::Site(edge), offset } => {
                match self.edges[edge].first() {
                    Some(&old) => VariableOrigin::Memory { place: Place::Site(old), offset },
                    None => VariableOrigin::Made,
                }
            }
            VariableOrigin::Made => VariableOrigin::Made,
        };
        let edges_back =
            |path: &Vec<EdgeId>| path.iter().flat_map(|&e| self.edges[e].iter().copied()).collect();
        Mapped {
            edges: later.edges.values().map(edges_back).collect(),
            locations: later.locations.values().map(|l| self.locations[(*l)?]).collect(),
            variables: later.variables.values().map(variable).collect(),
            functions: later.functions.values().map(|f| self.functions[(*f)?]).collect(),
            objects: later.objects.values().map(|&o| self.objects[o]).collect(),
            program: later.program,
        }
    }

    pub(crate) fn add_location(&mut self, like: LocId) -> LocId {
        let id = self.program.add_location(self.program.locations[like].function);
        self.locations.push(None);
        id
    }

    pub(crate) fn add_edge(
        &mut self,
        from: LocId,
        to: LocId,
        op: Op,
        origin: Origin,
        old: Vec<EdgeId>,
    ) -> EdgeId {
        self.edges.push(old);
        self.program.add_edge(from, to, op, origin)
    }

    pub(crate) fn add_variable(&mut self, variable: Variable, origin: VariableOrigin) -> VarId {
        self.variables.push(origin);
        let function = variable.function;
        let id = self.program.variables.push(variable);
        if let Some(f) = function {
            self.program.functions[f].locals.push(id);
        }
        id
    }

    /// A temporary of a function.
    pub(crate) fn temporary(&mut self, function: FunctionId, name: &str, ty: Type) -> VarId {
        let number = self.program.variables.len();
        let (name, kind) = (format!("{name}#{number}"), VariableKind::Temporary);
        self.add_variable(Variable::new(name, ty, Some(function), kind), VariableOrigin::Made)
    }

    /// Replaces an edge's operation by a sequence: the edge keeps the first
    /// operation, further edges and locations follow it.
    pub(crate) fn replace_by_sequence(&mut self, id: EdgeId, mut ops: Vec<Op>) {
        if ops.is_empty() {
            ops.push(Op::Skip);
        }
        let (to, origin) = (self.program.edges[id].to, self.program.edges[id].origin);
        let old = self.edges[id].clone();
        let last = ops.len() - 1;
        // The old edge stands for the whole sequence, once: where that does what it did.
        let kind = std::mem::discriminant(&self.program.edges[id].op);
        let same = |op: &Op| std::mem::discriminant(op) == kind;
        let keeper = ops.iter().position(same).unwrap_or(last);
        let mut ops = ops.into_iter();
        self.program.edges[id].op = ops.next().expect("made non-empty above");
        if last == 0 {
            return;
        }
        // The first edge now ends at a new location; the last takes its place at `to`.
        let mut at = self.add_location(to);
        self.program.edges[id].to = at;
        self.program.locations[at].incoming.push(id);
        let mut fresh = id;
        for (position, op) in (1..).zip(ops) {
            let next = if position == last { to } else { self.add_location(to) };
            fresh = self.program.edges.push(Edge { from: at, to: next, op, origin });
            self.edges.push(if position == keeper { old.clone() } else { Vec::new() });
            self.program.locations[at].outgoing.push(fresh);
            if next != to {
                self.program.locations[next].incoming.push(fresh);
            }
            at = next;
        }
        if keeper > 0 {
            self.edges[id] = Vec::new();
        }
        for edge in &mut self.program.locations[to].incoming {
            if *edge == id {
                *edge = fresh;
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests;

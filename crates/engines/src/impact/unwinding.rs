//! The unwinding: a tree of vertices with labels and a covering relation.
//!
//! Every operation keeps it well-labelled: a covered vertex covers nothing, a
//! vertex that is strengthened loses the vertices it covered, and arcs go from
//! later vertices to earlier ones.

use bolide_base::arena::Id;
use bolide_base::{Arena, HashMap, define_id};
use bolide_cfa::LocId;
use bolide_reachability::block::Transition;
use bolide_reachability::encode::Slots;
use bolide_reachability::path_formula::{Copies, Ssa, Step};
use bolide_terms::{TermId, TermStore};
use std::rc::Rc;

define_id!(
    /// A vertex of the unwinding; smaller ids were made earlier.
    pub struct VertexId
);

struct Vertex {
    location: LocId,
    parent: Option<VertexId>,
    depth: usize,
    /// How the vertex is reached from its parent; none for the root.
    step: Option<Step>,
    /// Conjuncts of the label; sorted.
    label: Vec<TermId>,
    expanded: bool,
    children: Vec<VertexId>,
    covered_by: Option<VertexId>,
    covers: Vec<VertexId>,
}

/// The tree.
pub struct Unwinding {
    vertices: Arena<VertexId, Vertex>,
    at_location: HashMap<LocId, Vec<VertexId>>,
    start: Ssa,
    /// Leaves that may be uncovered; a superset, sorted out when asked.
    open: Vec<VertexId>,
    /// Copies of the state along all paths.
    pub copies: Copies,
}

impl Unwinding {
    /// One vertex: the entry.
    pub fn new(entry: LocId) -> Unwinding {
        let mut tree = Unwinding {
            vertices: Arena::new(),
            at_location: HashMap::default(),
            start: Ssa::start(),
            open: Vec::new(),
            copies: Copies::default(),
        };
        tree.add(entry, None, None);
        tree
    }

    fn add(&mut self, location: LocId, parent: Option<VertexId>, step: Option<Step>) -> VertexId {
        let depth = parent.map_or(0, |p| self.vertices[p].depth + 1);
        let id = self.vertices.push(Vertex {
            location,
            parent,
            depth,
            step,
            label: Vec::new(),
            expanded: false,
            children: Vec::new(),
            covered_by: None,
            covers: Vec::new(),
        });
        self.at_location.entry(location).or_default().push(id);
        self.open.push(id);
        id
    }

    /// Adds the vertex that a transition leads to.
    pub fn add_child(
        &mut self,
        store: &mut TermStore,
        slots: &Slots,
        parent: VertexId,
        transition: &Rc<Transition>,
    ) -> VertexId {
        let depth = self.vertices[parent].depth;
        let before = self.ssa(parent).clone();
        let step = self.copies.step(store, slots, &before, transition, depth);
        let child = self.add(transition.to, Some(parent), Some(step));
        self.vertices[parent].children.push(child);
        child
    }

    /// Records that all successors of a vertex have been made.
    pub fn set_expanded(&mut self, v: VertexId) {
        self.vertices[v].expanded = true;
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// The root.
    pub fn root(&self) -> VertexId {
        VertexId::from_index(0)
    }

    /// All vertices in the order of their creation.
    pub fn vertices(&self) -> impl Iterator<Item = VertexId> + use<> {
        self.vertices.ids()
    }

    /// The location of a vertex.
    pub fn location(&self, v: VertexId) -> LocId {
        self.vertices[v].location
    }

    /// How a vertex is reached from its parent.
    pub fn step(&self, v: VertexId) -> &Step {
        self.vertices[v].step.as_ref().expect("the root is reached by no step")
    }

    /// The copies that are current at a vertex.
    pub fn ssa(&self, v: VertexId) -> &Ssa {
        self.vertices[v].step.as_ref().map_or(&self.start, |s| &s.after)
    }

    /// A formula over state constants, said of the copies at a vertex.
    pub fn said_at(
        &mut self,
        store: &mut TermStore,
        slots: &Slots,
        v: VertexId,
        formula: TermId,
    ) -> TermId {
        let ssa = self.ssa(v).clone();
        self.copies.at(store, slots, &ssa, formula)
    }

    /// The label as one formula over state constants.
    pub fn label(&self, store: &mut TermStore, v: VertexId) -> TermId {
        store.mk_and(&self.vertices[v].label)
    }

    /// The conjuncts of the label.
    pub fn conjuncts(&self, v: VertexId) -> &[TermId] {
        &self.vertices[v].label
    }

    /// The vertex above; none for the root.
    pub fn parent(&self, v: VertexId) -> Option<VertexId> {
        self.vertices[v].parent
    }

    /// The vertex that covers this one by an arc.
    pub fn covered_by(&self, v: VertexId) -> Option<VertexId> {
        self.vertices[v].covered_by
    }

    /// Whether the conjuncts of `other` are all among those of `v`.
    pub fn includes_label(&self, v: VertexId, other: VertexId) -> bool {
        let mine = &self.vertices[v].label;
        self.vertices[other].label.iter().all(|c| mine.binary_search(c).is_ok())
    }

    /// Whether the successors have been made.
    pub fn is_expanded(&self, v: VertexId) -> bool {
        self.vertices[v].expanded
    }

    fn is_false(&self, v: VertexId) -> bool {
        self.vertices[v].label.first() == Some(&TermId::FALSE)
    }

    /// Whether the vertex, or one above it, is covered or labelled `false`.
    pub fn is_covered(&self, v: VertexId) -> bool {
        let mut at = Some(v);
        while let Some(u) = at {
            if self.vertices[u].covered_by.is_some() || self.is_false(u) {
                return true;
            }
            at = self.vertices[u].parent;
        }
        false
    }

    /// Whether `a` is `v` or above it.
    pub fn is_ancestor(&self, a: VertexId, v: VertexId) -> bool {
        let mut at = v;
        while self.vertices[at].depth > self.vertices[a].depth {
            at = self.vertices[at].parent.expect("deeper than an ancestor");
        }
        at == a
    }

    /// From the root to the vertex.
    pub fn path_to(&self, v: VertexId) -> Vec<VertexId> {
        let mut path = vec![v];
        while let Some(parent) = self.vertices[path[path.len() - 1]].parent {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// From the nearest common ancestor of both down to `v`.
    pub fn path_from_common_ancestor(&self, v: VertexId, w: VertexId) -> Vec<VertexId> {
        let (to_v, to_w) = (self.path_to(v), self.path_to(w));
        let common = to_v.iter().zip(&to_w).take_while(|(a, b)| a == b).count();
        to_v[common - 1..].to_vec()
    }

    /// Earlier vertices of the same location, oldest first.
    pub fn earlier_at_same_location(&self, v: VertexId) -> Vec<VertexId> {
        let all = &self.at_location[&self.vertices[v].location];
        all[..all.partition_point(|&w| w < v)].to_vec()
    }

    /// A leaf that is not covered. The newest is taken first.
    pub fn uncovered_leaf(&mut self) -> Option<VertexId> {
        while let Some(&v) = self.open.last() {
            if !self.vertices[v].expanded && !self.is_covered(v) {
                return Some(v);
            }
            self.open.pop();
        }
        None
    }

    /// How many arcs of the covering relation count: those of vertices with no
    /// covered vertex above them.
    pub fn arcs(&self) -> usize {
        let above_is_covered = |v: VertexId| {
            let parent = self.vertices[v].parent;
            parent.is_some_and(|parent| self.is_covered(parent))
        };
        self.vertices
            .iter()
            .filter(|(v, vertex)| vertex.covered_by.is_some() && !above_is_covered(*v))
            .count()
    }

    /// Adds a conjunct to a label; what the vertex covered is no longer covered.
    pub fn strengthen(&mut self, store: &TermStore, v: VertexId, fact: TermId) {
        let label = &mut self.vertices[v].label;
        if fact == store.mk_false() {
            *label = vec![fact];
        } else if let Err(place) = label.binary_search(&fact) {
            label.insert(place, fact);
        }
        if fact == store.mk_false() {
            self.uncover_below(v);
        }
        for w in std::mem::take(&mut self.vertices[v].covers) {
            self.uncover(w);
        }
    }

    /// Removes all arcs to `v` and its descendants, which are covered now.
    fn uncover_below(&mut self, v: VertexId) {
        let mut pending = vec![v];
        while let Some(u) = pending.pop() {
            pending.extend(&self.vertices[u].children);
            for w in std::mem::take(&mut self.vertices[u].covers) {
                self.uncover(w);
            }
        }
    }

    fn uncover(&mut self, v: VertexId) {
        self.vertices[v].covered_by = None;
        self.reopen_below(v);
    }

    /// Leaves below `v` may be uncovered now.
    fn reopen_below(&mut self, v: VertexId) {
        let mut pending = vec![v];
        while let Some(u) = pending.pop() {
            if self.vertices[u].expanded {
                pending.extend(&self.vertices[u].children);
            } else {
                self.open.push(u);
            }
        }
    }

    /// Adds an arc. What `v` and its descendants covered is uncovered.
    pub fn cover(&mut self, v: VertexId, by: VertexId) {
        debug_assert!(by < v && !self.is_covered(v) && !self.is_covered(by));
        self.vertices[v].covered_by = Some(by);
        self.vertices[by].covers.push(v);
        self.uncover_below(v);
    }
}

//! Why two nodes of the e-graph are equal, as a set of the caller's literals.
//!
//! The path between two nodes in the proof forest is collected edge by edge; an
//! edge made by congruence asks in turn why the arguments are equal. Each edge
//! is expanded once for each explanation, so the work is at most the size of
//! the class for each pair, although the explanation tree may be exponential.

use super::node::{Justification, Link, Node, Scratch, Symbol, Tag};
use super::{Conflict, Egraph};

impl Egraph {
    /// Adds to `tags` the literals because of which the nodes are equal.
    ///
    /// Required: the nodes are in one class.
    pub fn explain(&mut self, left: Node, right: Node, tags: &mut Vec<Tag>) {
        let mut scratch = self.start();
        scratch.work.push((left, right));
        self.run(&mut scratch, tags);
        self.explanation = scratch;
    }

    /// Adds to `tags` the literals that made a watched node true or false.
    pub fn explain_truth(&mut self, node: Node, value: bool, tags: &mut Vec<Tag>) {
        self.explain(node, if value { Self::TRUE } else { Self::FALSE }, tags);
    }

    /// Adds to `tags` the literals that contradict each other.
    ///
    /// Required: [`Egraph::close`] answered false.
    pub fn explain_conflict(&mut self, tags: &mut Vec<Tag>) {
        let Conflict { left, right, justification } = self.conflict.expect("there is a conflict");
        let mut scratch = self.start();
        scratch.linking = true;
        scratch.links.clear();
        let left_constant = self.constant(left).expect("conflicts are between constants");
        let right_constant = self.constant(right).expect("conflicts are between constants");
        scratch.work.push((left, left_constant));
        scratch.work.push((right, right_constant));
        self.expand(left, right, justification, &mut scratch, tags);
        self.run(&mut scratch, tags);
        scratch.linking = false;
        self.explanation = scratch;
    }

    /// The links on the paths that the last explanation of a conflict took.
    pub fn links(&self) -> &[Link] {
        &self.explanation.links
    }

    fn start(&mut self) -> Scratch {
        let mut scratch = std::mem::take(&mut self.explanation);
        scratch.expanded.resize(self.nodes.len(), 0);
        scratch.visited.resize(self.nodes.len(), 0);
        scratch.stamp = scratch.stamp.wrapping_add(1);
        if scratch.stamp == 0 {
            scratch.expanded.fill(0);
            scratch.stamp = 1;
        }
        scratch
    }

    fn run(&self, scratch: &mut Scratch, tags: &mut Vec<Tag>) {
        let start = tags.len();
        while let Some((left, right)) = scratch.work.pop() {
            if left == right {
                continue;
            }
            scratch.search = scratch.search.wrapping_add(1);
            if scratch.search == 0 {
                scratch.visited.fill(0);
                scratch.search = 1;
            }
            let mut node = left;
            while node != Node::NONE {
                scratch.visited[node.index()] = scratch.search;
                node = self.nodes[node.index()].edge;
            }
            let mut meeting = right;
            while scratch.visited[meeting.index()] != scratch.search {
                meeting = self.nodes[meeting.index()].edge;
            }
            if scratch.linking {
                self.collect_links(left, right, meeting, &mut scratch.links);
            }
            for start in [left, right] {
                let mut node = start;
                while node != meeting {
                    let (edge, justification) = {
                        let data = &self.nodes[node.index()];
                        (data.edge, data.justification)
                    };
                    if scratch.expanded[node.index()] != scratch.stamp {
                        scratch.expanded[node.index()] = scratch.stamp;
                        self.expand(node, edge, justification, scratch, tags);
                    }
                    node = edge;
                }
            }
        }
        tags[start..].sort_unstable();
        let mut kept = start;
        for i in start..tags.len() {
            if i == start || tags[i] != tags[kept - 1] {
                tags[kept] = tags[i];
                kept += 1;
            }
        }
        tags.truncate(kept);
    }

    fn expand(
        &self,
        a: Node,
        b: Node,
        justification: Justification,
        scratch: &mut Scratch,
        tags: &mut Vec<Tag>,
    ) {
        match justification {
            Justification::Asserted(tag) => tags.push(tag),
            Justification::Congruence => {
                let (left, right) = (self.arguments(a), self.arguments(b));
                scratch.work.extend(left.iter().copied().zip(right.iter().copied()));
            }
            Justification::SwappedCongruence => {
                let (left, right) = (self.arguments(a), self.arguments(b));
                scratch.work.push((left[0], right[1]));
                scratch.work.push((left[1], right[0]));
            }
            Justification::Reflexive => {
                let atom = self.equality_of(a, b);
                let arguments = self.arguments(atom);
                scratch.work.push((arguments[0], arguments[1]));
            }
            Justification::Distinct => {
                let atom = self.equality_of(a, b);
                for &side in self.arguments(atom) {
                    let constant = self.constant(side).expect("sides equal constants");
                    scratch.work.push((side, constant));
                }
            }
        }
    }

    fn collect_links(&self, left: Node, right: Node, meeting: Node, links: &mut Vec<Link>) {
        // The last edge of each side, to be joined at the meeting point.
        let mut last = [None, None];
        for (side, start) in [left, right].into_iter().enumerate() {
            let mut node = start;
            while node != meeting {
                let data = &self.nodes[node.index()];
                let to = data.edge;
                let tag = match data.justification {
                    Justification::Asserted(tag) if node.0 > 1 && to.0 > 1 => Some((node, tag)),
                    _ => None,
                };
                if let (Some((from, first)), Some((_, second))) = (last[side], tag) {
                    links.push(Link { from, to, tags: [first, second] });
                }
                last[side] = tag;
                node = to;
            }
        }
        if let [Some((from, first)), Some((to, second))] = last {
            links.push(Link { from, to, tags: [first, second] });
        }
    }

    /// Which end of an edge to true or false is the atom.
    fn equality_of(&self, a: Node, b: Node) -> Node {
        if self.symbol(a) == Symbol::EQUALITY { a } else { b }
    }
}

//! The e-graph against a naive closure, with explanations replayed on it.

use proptest::prelude::*;

use super::{Egraph, Node, Symbol};

/// Recomputes all equalities from scratch until nothing changes.
#[derive(Clone)]
struct Naive {
    /// Symbol and arguments of each node; constants have a symbol of their own.
    nodes: Vec<(Symbol, Vec<Node>)>,
    class: Vec<usize>,
    constants: usize,
}

impl Naive {
    fn new(nodes: &[(Symbol, Vec<Node>)], constants: usize) -> Self {
        Naive { nodes: nodes.to_vec(), class: (0..nodes.len()).collect(), constants }
    }

    fn union(&mut self, a: Node, b: Node) -> bool {
        let (x, y) = (self.class[a.0 as usize], self.class[b.0 as usize]);
        if x == y {
            return false;
        }
        let (small, large) = (x.min(y), x.max(y));
        for c in &mut self.class {
            if *c == large {
                *c = small;
            }
        }
        true
    }

    fn same(&self, a: Node, b: Node) -> bool {
        self.class[a.0 as usize] == self.class[b.0 as usize]
    }

    fn close(&mut self) {
        loop {
            let mut changed = false;
            for i in 0..self.nodes.len() {
                for j in 0..i {
                    let (a, b) = (Node(i as u32), Node(j as u32));
                    let (f, x) = &self.nodes[i];
                    let (g, y) = &self.nodes[j];
                    if f != g || x.is_empty() || x.len() != y.len() {
                        continue;
                    }
                    let straight = x.iter().zip(y).all(|(&l, &r)| self.same(l, r));
                    let swapped =
                        *f == Symbol::EQUALITY && self.same(x[0], y[1]) && self.same(x[1], y[0]);
                    if straight || swapped {
                        changed |= self.union(a, b);
                    }
                }
                let (symbol, arguments) = self.nodes[i].clone();
                if symbol == Symbol::EQUALITY {
                    let atom = Node(i as u32);
                    if self.same(arguments[0], arguments[1]) {
                        changed |= self.union(atom, Egraph::TRUE);
                    }
                    if self.same(atom, Egraph::TRUE) {
                        changed |= self.union(arguments[0], arguments[1]);
                    }
                    let value = |n: Node| {
                        (0..self.constants).find(|&c| self.class[c] == self.class[n.0 as usize])
                    };
                    if let (Some(a), Some(b)) = (value(arguments[0]), value(arguments[1]))
                        && a != b
                    {
                        changed |= self.union(atom, Egraph::FALSE);
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn consistent(&self) -> bool {
        (0..self.constants).all(|i| (0..i).all(|j| self.class[i] != self.class[j]))
    }
}

/// Nodes by symbol and arguments.
type Nodes = Vec<(Symbol, Vec<Node>)>;

/// A small universe: 2 truth values, 2 numerals, 4 leaves, applications of depth two
/// and equality atoms between many of them.
fn universe() -> (Egraph, Nodes, usize, Vec<Node>) {
    let mut egraph = Egraph::new();
    let mut nodes: Nodes = vec![(Symbol(900), vec![]), (Symbol(901), vec![])];
    for i in 0..2 {
        egraph.add_constant();
        nodes.push((Symbol(902 + i), vec![]));
    }
    for i in 0..4 {
        egraph.add_leaf();
        nodes.push((Symbol(910 + i), vec![]));
    }
    let mut add = |egraph: &mut Egraph, symbol: Symbol, arguments: Vec<Node>| {
        let node = egraph.add(symbol, &arguments);
        nodes.push((symbol, arguments));
        assert_eq!(node.0 as usize + 1, nodes.len());
        node
    };
    let first: Vec<Node> = (2..8).map(Node).collect();
    let mut values = first.clone();
    for &x in &first[1..5] {
        values.push(add(&mut egraph, Symbol(0), vec![x]));
    }
    for &x in &values.clone()[6..9] {
        values.push(add(&mut egraph, Symbol(0), vec![x]));
        values.push(add(&mut egraph, Symbol(1), vec![x, first[2]]));
        values.push(add(&mut egraph, Symbol(1), vec![first[3], x]));
    }
    let mut atoms = Vec::new();
    for i in 0..values.len() {
        for j in [i + 1, i + 3, i + 7] {
            if j < values.len() {
                // Both orders occur so that swapping is exercised.
                let pair = if i % 2 == 0 {
                    vec![values[i], values[j]]
                } else {
                    vec![values[j], values[i]]
                };
                atoms.push(add(&mut egraph, Symbol::EQUALITY, pair));
            }
        }
    }
    for &x in &first[2..5] {
        atoms.push(add(&mut egraph, Symbol(5), vec![x]));
    }
    for &atom in &atoms {
        egraph.watch(atom);
    }
    (egraph, nodes, 4, atoms)
}

fn replay(nodes: &[(Symbol, Vec<Node>)], constants: usize, atoms: &[Node], tags: &[u32]) -> Naive {
    let mut naive = Naive::new(nodes, constants);
    for &tag in tags {
        let atom = atoms[tag as usize / 2];
        naive.union(atom, if tag % 2 == 0 { Egraph::TRUE } else { Egraph::FALSE });
    }
    naive.close();
    naive
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn agrees_with_naive_closure(steps in prop::collection::vec((0usize..50, any::<bool>(), 0u8..6), 1..40)) {
        let (mut egraph, nodes, constants, atoms) = universe();
        // The literals asserted at each level; a literal is 2 * atom + negated.
        let mut levels: Vec<Vec<u32>> = vec![Vec::new()];
        for (atom, value, action) in steps {
            let atom = atom % atoms.len();
            if action == 0 {
                egraph.push_level();
                levels.push(Vec::new());
                continue;
            }
            if action == 1 && levels.len() > 1 {
                levels.pop();
                egraph.backtrack(levels.len() - 1);
                continue;
            }
            let tag = 2 * atom as u32 + u32::from(!value);
            let mut tags: Vec<u32> = levels.concat();
            let before = replay(&nodes, constants, &atoms, &tags);
            egraph.assert_literal(atoms[atom], value, tag);
            let consistent = egraph.close();
            tags.push(tag);
            levels.last_mut().unwrap().push(tag);
            let naive = replay(&nodes, constants, &atoms, &tags);
            prop_assert_eq!(consistent, naive.consistent());
            if !consistent {
                let mut why = Vec::new();
                egraph.explain_conflict(&mut why);
                prop_assert!(why.iter().all(|t| tags.contains(t)));
                prop_assert!(!replay(&nodes, constants, &atoms, &why).consistent());
                // Leave the level with the contradiction.
                if levels.len() == 1 {
                    break;
                }
                levels.pop();
                egraph.backtrack(levels.len() - 1);
                continue;
            }
            for i in 0..nodes.len() {
                for j in 0..i {
                    let (a, b) = (Node(i as u32), Node(j as u32));
                    prop_assert_eq!(egraph.are_equal(a, b), naive.same(a, b), "{:?} {:?}", a, b);
                    if egraph.are_equal(a, b) && (i + j) % 5 == 0 {
                        let mut why = Vec::new();
                        egraph.explain(a, b, &mut why);
                        prop_assert!(replay(&nodes, constants, &atoms, &why).same(a, b));
                        if before.same(a, b) {
                            prop_assert!(!why.contains(&tag) || levels.concat().iter().filter(|t| **t == tag).count() > 1);
                        }
                    }
                }
            }
            for (node, value) in std::mem::take(egraph.propagated()) {
                prop_assert_eq!(egraph.truth(node), Some(value));
                let mut why = Vec::new();
                egraph.explain_truth(node, value, &mut why);
                let replayed = replay(&nodes, constants, &atoms, &why);
                let truth = if value { Egraph::TRUE } else { Egraph::FALSE };
                prop_assert!(replayed.same(node, truth));
            }
        }
    }
}

#[test]
fn nodes_created_late_find_their_congruence_again() {
    let mut egraph = Egraph::new();
    let (a, b) = (egraph.add_leaf(), egraph.add_leaf());
    let fa = egraph.add(Symbol(0), &[a]);
    let equal = egraph.add(Symbol::EQUALITY, &[a, b]);
    egraph.assert_literal(equal, true, 7);
    assert!(egraph.close());
    egraph.push_level();
    let fb = egraph.add(Symbol(0), &[b]);
    assert!(egraph.close());
    assert!(egraph.are_equal(fa, fb));
    egraph.backtrack(0);
    assert!(egraph.close());
    assert!(egraph.are_equal(fa, fb), "the equality behind it is still there");
    let mut why = Vec::new();
    egraph.explain(fa, fb, &mut why);
    assert_eq!(why, [7]);
}

#[test]
fn nodes_are_forgotten_from_the_end() {
    let mut egraph = Egraph::new();
    let nodes: Vec<Node> = (0..4).map(|_| egraph.add_leaf()).collect();
    assert!(egraph.close());
    let len = egraph.len();
    egraph.push_level();
    egraph.add(Symbol(3), &[nodes[0]]);
    let equal = egraph.add(Symbol::EQUALITY, &[nodes[0], nodes[1]]);
    egraph.assert_literal(equal, true, 0);
    assert!(egraph.close());
    egraph.backtrack(0);
    egraph.truncate(len);
    assert_eq!(egraph.len(), len);
    assert!(egraph.parents(nodes[0]).is_empty());
    assert!(!egraph.are_equal(nodes[0], nodes[1]));
}

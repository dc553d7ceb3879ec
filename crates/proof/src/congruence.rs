//! Checking of equality: a small congruence closure.
//!
//! Built anew for each lemma over the subterms of its literals: union-find, a table
//! of signatures, and rules for equality atoms and negations as terms. Simple
//! rather than fast; the closure is complete for these subterms (Ackermann), so a lemma needs no
//! path.

use bolide_base::HashMap;
use bolide_terms::{Op, SortId, TermId, TermStore};

use crate::{Literal, ensure};

struct Closure<'a> {
    store: &'a TermStore,
    terms: Vec<TermId>,
    index: HashMap<TermId, u32>,
    arguments: Vec<Vec<u32>>,
    parent: Vec<u32>,
    /// At a representative: terms with an argument in the class.
    users: Vec<Vec<u32>>,
    /// At a representative: the value in the class.
    value: Vec<Option<TermId>>,
    table: HashMap<(Op, SortId, Vec<u32>), u32>,
    pending: Vec<(u32, u32)>,
    contradiction: bool,
}

/// The negated literals must contradict congruence.
pub(crate) fn check_congruence(store: &TermStore, clause: &[Literal]) -> Result<(), String> {
    let mut closure = Closure {
        store,
        terms: Vec::new(),
        index: HashMap::default(),
        arguments: Vec::new(),
        parent: Vec::new(),
        users: Vec::new(),
        value: Vec::new(),
        table: HashMap::default(),
        pending: Vec::new(),
        contradiction: false,
    };
    let truth = closure.add(TermId::TRUE);
    let falsity = closure.add(TermId::FALSE);
    for literal in clause {
        let node = closure.add(literal.atom);
        closure.pending.push((node, if literal.positive { falsity } else { truth }));
    }
    closure.run(truth, falsity);
    ensure(closure.contradiction, "the negated literals are consistent with congruence")
}

impl Closure<'_> {
    /// Adds a term with its subterms.
    fn add(&mut self, root: TermId) -> u32 {
        let mut work = vec![root];
        while let Some(&term) = work.last() {
            if self.index.contains_key(&term) {
                work.pop();
                continue;
            }
            // Binders are opaque: congruence does not hold below them.
            let opaque = matches!(self.store.op(term), Op::Forall | Op::Exists);
            let arguments = if opaque { &[] } else { self.store.args(term) };
            let before = work.len();
            work.extend(arguments.iter().filter(|arg| !self.index.contains_key(arg)));
            if work.len() > before {
                continue;
            }
            work.pop();
            let node = self.terms.len() as u32;
            let arguments: Vec<u32> = arguments.iter().map(|arg| self.index[arg]).collect();
            for &argument in &arguments {
                let class = self.find(argument);
                self.users[class as usize].push(node);
            }
            self.index.insert(term, node);
            self.terms.push(term);
            self.parent.push(node);
            self.users.push(Vec::new());
            self.value.push(self.store.is_value(term).then_some(term));
            self.arguments.push(arguments);
            self.sign(node);
        }
        self.index[&root]
    }

    fn find(&self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            node = self.parent[node as usize];
        }
        node
    }

    /// Enters the node into the table; a node with the same signature is equal.
    fn sign(&mut self, node: u32) {
        if self.arguments[node as usize].is_empty() {
            return;
        }
        let term = self.terms[node as usize];
        let mut classes: Vec<u32> =
            self.arguments[node as usize].iter().map(|&arg| self.find(arg)).collect();
        if self.store.op(term) == Op::Eq {
            classes.sort_unstable();
        }
        // The sort is part of the operator for extractions and constant arrays.
        let key = (self.store.op(term), self.store.sort(term), classes);
        let other = *self.table.entry(key).or_insert(node);
        if other != node {
            self.pending.push((node, other));
        }
    }

    fn run(&mut self, truth: u32, falsity: u32) {
        loop {
            while let Some((a, b)) = self.pending.pop() {
                self.merge(a, b);
                if self.contradiction {
                    return;
                }
            }
            // Equalities and negations as truth values.
            for node in 0..self.terms.len() as u32 {
                let arguments = self.arguments[node as usize].clone();
                let class = self.find(node);
                let is = |closure: &Self, constant| class == closure.find(constant);
                match (self.store.op(self.terms[node as usize]), arguments.as_slice()) {
                    (Op::Eq, &[a, b]) => {
                        let (a, b) = (self.find(a), self.find(b));
                        if a == b && !is(self, truth) {
                            self.pending.push((node, truth));
                        } else if a != b && is(self, truth) {
                            self.pending.push((a, b));
                        }
                        let values = (self.value[a as usize], self.value[b as usize]);
                        if let (Some(x), Some(y)) = values
                            && x != y
                            && !is(self, falsity)
                        {
                            self.pending.push((node, falsity));
                        }
                    }
                    (Op::Not, &[a]) => {
                        let argument = self.find(a);
                        for (value, opposite) in [(truth, falsity), (falsity, truth)] {
                            if argument == self.find(value) && !is(self, opposite) {
                                self.pending.push((node, opposite));
                            }
                            if class == self.find(value) && argument != self.find(opposite) {
                                self.pending.push((a, opposite));
                            }
                        }
                    }
                    _ => {}
                }
            }
            if self.pending.is_empty() {
                return;
            }
        }
    }

    fn merge(&mut self, a: u32, b: u32) {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        if self.users[a as usize].len() > self.users[b as usize].len() {
            (a, b) = (b, a);
        }
        match (self.value[a as usize], self.value[b as usize]) {
            (Some(x), Some(y)) if x != y => {
                self.contradiction = true;
                return;
            }
            (Some(value), None) => self.value[b as usize] = Some(value),
            _ => {}
        }
        self.parent[a as usize] = b;
        let users = std::mem::take(&mut self.users[a as usize]);
        for &user in &users {
            self.sign(user);
        }
        self.users[b as usize].extend(users);
    }
}

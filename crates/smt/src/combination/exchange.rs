//! Making the arithmetic model and the e-graph agree.
//!
//! Two kinds of disagreement exist. Terms in one class may have different
//! numbers as values: then their equality, which the e-graph knows, is made an
//! atom for the arithmetic to hear of. And two applications of one function may
//! have arguments with equal numbers in different classes, but different
//! results: then either the arguments are equal and so must be the results, or
//! they are different and the arithmetic has to separate them.
//!
//! The simplex leaves what is free at zero, so that coincidences are
//! frequent and mostly meaningless. Before an equality is made an atom, columns that can
//! be moved without disturbing anything are moved apart.

use bolide_base::{HashMap, Rational};
use bolide_terms::{TermId, TermStore};

use super::Combination;
use crate::context::Context;
use crate::euf::{Node, Symbol};
use crate::simplex::{Column, DeltaRational};
use std::hash::Hash;

// Heuristic: how often values are moved apart before equalities become atoms.
const SEPARATIONS: usize = 6;
// Heuristic: pairs that are separated in one go.
const PAIRS: usize = 32;

/// By node: which number a term has as value; equal for equal values.
type Numbers = Vec<Option<u32>>;

impl Combination {
    /// Creates the equality atoms on which the theories disagree; false when
    /// they agree.
    pub(super) fn exchange(&mut self, context: &mut Context<'_>) -> bool {
        if !self.exchanging {
            return false;
        }
        for round in 0.. {
            let mut wanted = Vec::new();
            let numbers = self.numbers(&self.arithmetic(context.store), &mut wanted);
            if wanted.is_empty() {
                self.function_graphs(&numbers, &mut wanted);
                if round < SEPARATIONS && self.separate(context.store, &wanted) {
                    continue;
                }
            }
            return self.want_equalities(context, &wanted);
        }
        unreachable!("the loop is left from within")
    }

    /// What the e-graph and another theory, which gives values to some terms, disagree about.
    pub fn disagreements<V: Eq + Hash>(
        &self,
        value: impl Fn(TermId) -> Option<V>,
    ) -> Vec<(Node, Node)> {
        let mut wanted = Vec::new();
        let numbers = self.numbers(&value, &mut wanted);
        if wanted.is_empty() {
            self.function_graphs(&numbers, &mut wanted);
        }
        wanted
    }

    /// Makes equalities atoms, for the search to decide; false if there are none.
    pub fn want_equalities(&mut self, context: &mut Context<'_>, wanted: &[(Node, Node)]) -> bool {
        for &(left, right) in wanted {
            let equality = context.store.mk_eq_plain(self.term(left), self.term(right));
            let literal = context.literal(equality);
            // An atom of old may have been of no interest to the e-graph.
            self.node(context, context.atom(literal.var()));
        }
        !wanted.is_empty()
    }

    /// The values of numbers.
    fn arithmetic<'a>(
        &'a self,
        store: &'a TermStore,
    ) -> impl Fn(TermId) -> Option<DeltaRational> + 'a {
        |term| store.sort(term).is_arithmetic().then(|| self.linear.value(store, term))
    }

    /// Numbers the values of terms, and finds pairs in one class whose values differ.
    fn numbers<V: Eq + Hash>(
        &self,
        value: &impl Fn(TermId) -> Option<V>,
        different: &mut Vec<(Node, Node)>,
    ) -> Numbers {
        let mut numbers = vec![None; self.terms.len()];
        let mut of_value: HashMap<V, u32> = HashMap::default();
        let mut first_of: HashMap<Node, (Node, u32)> = HashMap::default();
        for (index, &term) in self.terms.iter().enumerate() {
            let Some(value) = value(term) else { continue };
            let count = of_value.len() as u32;
            let number = *of_value.entry(value).or_insert(count);
            numbers[index] = Some(number);
            let node = Node(index as u32);
            let first = *first_of.entry(self.egraph.root(node)).or_insert((node, number));
            if first.1 != number {
                different.push((first.0, node));
            }
        }
        numbers
    }

    /// Finds applications that have one place in the graph of their function but
    /// different results, and which of their arguments are to be compared.
    fn function_graphs(&self, numbers: &Numbers, wanted: &mut Vec<(Node, Node)>) {
        // Values of arithmetic terms and classes of others, told apart.
        let place = |node: Node| match numbers[node.0 as usize] {
            Some(number) => u64::from(number) << 1,
            None => u64::from(self.egraph.root(node).0) << 1 | 1,
        };
        let mut graph: HashMap<(Symbol, Vec<u64>), Node> = HashMap::default();
        for &application in &self.applications {
            let arguments = self.egraph.arguments(application);
            let places = arguments.iter().map(|&a| place(a)).collect();
            let key = (self.egraph.symbol(application), places);
            let other = *graph.entry(key).or_insert(application);
            if place(other) == place(application) {
                continue;
            }
            for (&a, &b) in self.egraph.arguments(other).iter().zip(arguments) {
                if !self.egraph.are_equal(a, b) {
                    wanted.push((a, b));
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
    }

    /// Moves values of pairs apart where nothing else is disturbed.
    fn separate(&mut self, store: &TermStore, pairs: &[(Node, Node)]) -> bool {
        let mut any = false;
        for (i, &(left, right)) in pairs.iter().take(PAIRS).enumerate() {
            let (left, right) = (self.term(left), self.term(right));
            if self.linear.value(store, left) != self.linear.value(store, right) {
                continue;
            }
            // Different distances, lest all move to the same place.
            let distance = i as i64 + 1;
            any |= self.separate_pair(store, left, right, distance);
        }
        any
    }

    fn separate_pair(
        &mut self,
        store: &TermStore,
        left: TermId,
        right: TermId,
        distance: i64,
    ) -> bool {
        let mut columns: Vec<Column> = Vec::new();
        for term in [right, left] {
            for (leaf, _) in &store.linear_form(term).terms {
                let Some(column) = self.linear.known_column(store, *leaf) else { continue };
                match self.linear.simplex.row(column) {
                    None => columns.push(column),
                    Some(row) => {
                        columns.extend(row.map(|(c, _)| c).filter(|c| *c != column).take(4))
                    }
                }
            }
        }
        columns.truncate(8);
        for column in columns {
            if self.linear.simplex.is_fixed(column) {
                continue;
            }
            let old = self.linear.simplex.value(column).clone();
            for step in [distance, -distance] {
                let mut target = old.clone();
                target.standard += Rational::from(step);
                if !self.linear.simplex.try_move(column, target) {
                    continue;
                }
                let mut different = Vec::new();
                let apart = self.linear.value(store, left) != self.linear.value(store, right);
                if apart {
                    self.numbers(&self.arithmetic(store), &mut different);
                }
                if apart && different.is_empty() && self.linear.is_intact(&self.pinned) {
                    return true;
                }
                let back = self.linear.simplex.try_move(column, old.clone());
                debug_assert!(back, "the old value was within all bounds");
            }
        }
        false
    }
}

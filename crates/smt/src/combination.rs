//! The combination of congruence closure and linear arithmetic.
//!
//! Each atom goes to the theory that understands it: inequalities to the
//! simplex, predicates and equalities to the e-graph. An arithmetic equality is
//! seen by the e-graph only; three clauses tie it to its two inequalities (they
//! come from `clausify`), so all exchange between the theories is by literals
//! of the search, and every conflict is one of one theory, with its own
//! certificate.
//!
//! At a full assignment the theories are made to agree (model-based theory
//! combination, de Moura and Bjorner 2007):
//!
//! 1. the simplex finds a vertex, [`integers`] an integral one or a
//!    split;
//! 2. arithmetic terms in one class of the e-graph whose values differ: their
//!    equality becomes an atom, which the e-graph then propagates;
//! 3. applications of one function whose arguments have equal values in the
//!    arithmetic model without being in one class, and whose results
//!    differ: the equality of the arguments becomes an atom, for the search to
//!    decide.
//!
//! Nothing happens for terms that merely have the same value: only what a
//! function graph would notice matters.
//!
//! Purely arithmetic equalities stay out of the e-graph until the
//! first function with arithmetic arguments or result appears.

mod exchange;
#[cfg(test)]
mod tests;

use bolide_base::{HashMap, HashSet, Integer, Rational};
use bolide_proof::Certificate;
use bolide_sat::{Actions, FinalCheck, Keep, Lit, ProofId, Var};
use bolide_terms::residue::{Range, range_width};
use bolide_terms::{Op, SortId, TermId, TermStore};

use crate::context::Context;
use crate::euf::{Egraph, Node, Symbol};
use crate::integers::{self, Verdict};
use crate::linear::{self, BoundReason, Linear};
use crate::nonlinear::{Nonlinear, remainders};
use crate::powers::Powers;
use crate::simplex::{Column, DeltaRational, Side};

/// Why a literal was propagated.
#[derive(Clone, Debug)]
enum Reason {
    /// An inequality follows from others.
    Bound(BoundReason),
    /// A node became true or false.
    Congruence(Node, bool),
}

/// A literal that got a node after it had been assigned. It is asserted at a
/// later level than its own, hence again whenever that level is left.
#[derive(Clone, Copy, Debug)]
struct Late {
    position: u32,
    /// How many scopes were open when it got the node.
    scopes: u32,
    pending: bool,
}

/// What to return to when a level of the search is left.
#[derive(Clone, Copy, Debug)]
struct Mark {
    assigned: usize,
    head: usize,
    simplex_trail: usize,
    antecedents: usize,
    reasons: usize,
}

/// What to return to when a scope of the user is left.
#[derive(Clone, Copy, Debug)]
struct ScopeMark {
    mark: Mark,
    nodes: usize,
    applications: usize,
    linear: linear::Extent,
    nonlinear: usize,
    powers: usize,
    seen: usize,
    dormant: usize,
    ties: usize,
    exchanging: bool,
}

/// Congruence closure and linear arithmetic, side by side.
#[derive(Default)]
pub(crate) struct Combination {
    pub egraph: Egraph,
    pub linear: Linear,
    pub nonlinear: Nonlinear,
    powers: Powers,
    /// Whether models may have irrational values.
    irrational: bool,

    /// The term of each node, and the other way round.
    terms: Vec<TermId>,
    node_of: HashMap<TermId, Node>,
    symbols: HashMap<(Op, SortId), Symbol>,
    /// Applications with arguments, in order of creation.
    applications: Vec<Node>,
    /// The literal of a Boolean node.
    literal_of: HashMap<Node, Lit>,
    /// For each variable the Boolean nodes that it decides, and whether
    /// positively.
    nodes_of: Vec<Vec<(Node, bool)>>,
    /// Variables in the order in which nodes were tied to them.
    ties: Vec<Var>,
    /// Terms that were searched for applications, in order.
    seen: Vec<TermId>,
    seen_set: HashSet<TermId>,
    /// Whether the e-graph looks at arithmetic equalities.
    exchanging: bool,
    /// Arithmetic equalities that arrived before that.
    dormant: Vec<Var>,

    /// The trail of the search; literals before `head` have been asserted.
    assigned: Vec<Lit>,
    head: usize,
    /// For each variable its place in `assigned`.
    positions: Vec<u32>,
    late: Vec<Late>,
    /// By variable: the side of a split to try first.
    preferred: Vec<Option<bool>>,
    reasons: Vec<Reason>,
    levels: Vec<Mark>,
    scopes: Vec<ScopeMark>,

    /// Columns that bits determine, with the values that they have to keep.
    pinned: Vec<(Column, DeltaRational)>,
    /// In how many conflicts two equalities followed one another.
    link_counts: HashMap<[u32; 2], u32>,
    tags: Vec<u32>,
    clause: Vec<Lit>,
}

// Heuristic: conflicts after which two equalities are joined to one.
const SHORTEN_AFTER: u32 = 8;

impl Combination {
    pub fn new() -> Self {
        let mut combination = Combination::default();
        combination.terms.extend([TermId::TRUE, TermId::FALSE]);
        combination.node_of.insert(TermId::TRUE, Egraph::TRUE);
        combination.node_of.insert(TermId::FALSE, Egraph::FALSE);
        combination
    }

    // Stating the problem.

    /// A Boolean term became a variable of the search.
    pub fn register_atom(&mut self, context: &mut Context<'_>, var: Var) {
        let atom = context.atom(var);
        match context.store.op(atom) {
            Op::Le | Op::Lt => {
                self.linear.add_atom(context.store, atom, var);
                self.find_applications(context, atom);
            }
            Op::Eq => {
                let sort = context.store.sort(context.store.arg(atom, 0));
                if sort == SortId::BOOL {
                    return;
                }
                self.find_applications(context, atom);
                if !sort.is_arithmetic() {
                    self.node(context, atom);
                } else if self.exchanging {
                    self.add_arithmetic_equality(context, var);
                } else {
                    self.dormant.push(var);
                }
            }
            Op::Apply(_) | Op::Select if !context.store.args(atom).is_empty() => {
                self.find_applications(context, atom);
                self.node(context, atom);
            }
            // Their bits are defined elsewhere, the functions and integers in them are not.
            Op::BvUlt | Op::BvSlt => self.find_applications(context, atom),
            _ => {}
        }
    }

    /// Internalises every application below a term. Boolean subterms are atoms
    /// of their own.
    fn find_applications(&mut self, context: &mut Context<'_>, root: TermId) {
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if !self.seen_set.insert(term) {
                continue;
            }
            self.seen.push(term);
            if context.store.is_monomial(term) {
                self.nonlinear.add(context.store, &mut self.linear, term);
            }
            match context.store.op(term) {
                Op::IntToBv => {
                    self.linear.add_leaves(context.store, context.store.arg(term, 0));
                }
                Op::Pow2 | Op::LowAnd => {
                    self.powers.add(context.store, &mut self.linear, term);
                }
                _ => {}
            }
            if is_function(context.store, term) && !context.store.is_bool(term) {
                self.node(context, term);
            }
            for i in 0..context.store.args(term).len() {
                let argument = context.store.arg(term, i);
                if !context.store.is_bool(argument) {
                    stack.push(argument);
                }
            }
        }
    }

    /// The node of a term, with those of its arguments.
    pub fn node(&mut self, context: &mut Context<'_>, root: TermId) -> Node {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.node_of.contains_key(&term) {
                stack.pop();
                continue;
            }
            let function = is_function(context.store, term);
            if function || is_equality(context.store, term) {
                let before = stack.len();
                for &argument in context.store.args(term) {
                    if !self.node_of.contains_key(&argument) {
                        stack.push(argument);
                    }
                }
                if stack.len() > before {
                    continue;
                }
            }
            stack.pop();
            self.new_node(context, term, function);
        }
        self.node_of[&root]
    }

    fn new_node(&mut self, context: &mut Context<'_>, term: TermId, function: bool) {
        let store = &*context.store;
        let sort = store.sort(term);
        let node = if function {
            let count = self.symbols.len() as u32;
            let symbol = *self.symbols.entry((store.op(term), sort)).or_insert(Symbol(count));
            let arguments: Vec<Node> = store.args(term).iter().map(|a| self.node_of[a]).collect();
            let node = self.egraph.add(symbol, &arguments);
            self.applications.push(node);
            node
        } else if is_equality(store, term) {
            let (left, right) = (store.arg(term, 0), store.arg(term, 1));
            self.egraph.add(Symbol::EQUALITY, &[self.node_of[&left], self.node_of[&right]])
        } else if store.is_value(term) {
            self.egraph.add_constant()
        } else {
            self.egraph.add_leaf()
        };
        debug_assert_eq!(node.0 as usize, self.terms.len());
        self.terms.push(term);
        self.node_of.insert(term, node);
        if sort == SortId::BOOL {
            let literal = context.literal(term);
            self.tie(literal, node);
        } else if sort.is_arithmetic() {
            self.linear.add_leaves(context.store, term);
            self.start_exchange(context);
        }
    }

    /// From now on the literal decides the node, and the other way round.
    fn tie(&mut self, literal: Lit, node: Node) {
        let var = literal.var();
        if self.nodes_of.len() <= var.index() {
            self.nodes_of.resize(var.index() + 1, Vec::new());
        }
        self.nodes_of[var.index()].push((node, literal.is_positive()));
        self.ties.push(var);
        self.literal_of.insert(node, literal);
        self.egraph.watch(node);
        if let Some(&position) = self.positions.get(var.index())
            && (position as usize) < self.head
        {
            self.late.push(Late { position, scopes: self.scopes.len() as u32, pending: true });
        }
    }

    /// Sums that are no arguments of functions say nothing to the e-graph.
    fn add_arithmetic_equality(&mut self, context: &mut Context<'_>, var: Var) {
        let atom = context.atom(var);
        let is_sum = |term: TermId| matches!(context.store.op(term), Op::Add | Op::Mul);
        let args = context.store.args(atom);
        if args.iter().all(|&a| self.node_of.contains_key(&a) || !is_sum(a)) {
            self.node(context, atom);
        }
    }

    fn start_exchange(&mut self, context: &mut Context<'_>) {
        if self.exchanging {
            return;
        }
        self.exchanging = true;
        for i in 0..self.dormant.len() {
            self.add_arithmetic_equality(context, self.dormant[i]);
        }
    }

    // Following the search.

    /// A check begins.
    pub fn begin_check(&mut self) {
        self.nonlinear.begin_check();
        self.powers.begin_check();
    }

    /// A literal became true.
    #[inline]
    pub fn assign(&mut self, lit: Lit) {
        let var = lit.var().index();
        if self.positions.len() <= var {
            self.positions.resize(var + 1, u32::MAX);
        }
        self.positions[var] = self.assigned.len() as u32;
        self.assigned.push(lit);
    }

    fn mark(&self) -> Mark {
        Mark {
            assigned: self.assigned.len(),
            head: self.head,
            simplex_trail: self.linear.simplex.trail_len(),
            antecedents: self.linear.antecedents_len(),
            reasons: self.reasons.len(),
        }
    }

    fn return_to(&mut self, mark: Mark, egraph_level: usize) {
        for lit in self.assigned.drain(mark.assigned..) {
            self.positions[lit.var().index()] = u32::MAX;
        }
        self.head = mark.head;
        if !self.late.is_empty() {
            self.late.retain(|late| (late.position as usize) < mark.assigned);
            for late in &mut self.late {
                late.pending = true;
            }
        }
        self.linear.backtrack(mark.simplex_trail, mark.antecedents);
        self.reasons.truncate(mark.reasons);
        self.egraph.backtrack(egraph_level);
    }

    /// A decision follows.
    pub fn push_level(&mut self) {
        self.levels.push(self.mark());
        self.egraph.push_level();
    }

    /// The last `count` levels are undone.
    pub fn pop_levels(&mut self, count: usize) {
        let left = self.levels.len() - count;
        if count > 0 {
            let mark = self.levels[left];
            self.levels.truncate(left);
            self.return_to(mark, self.scopes.len() + left);
        }
    }

    /// A scope of the user begins.
    pub fn push_scope(&mut self) {
        debug_assert!(self.levels.is_empty());
        self.scopes.push(ScopeMark {
            mark: self.mark(),
            nodes: self.terms.len(),
            applications: self.applications.len(),
            linear: self.linear.extent(),
            nonlinear: self.nonlinear.len(),
            powers: self.powers.len(),
            seen: self.seen.len(),
            dormant: self.dormant.len(),
            ties: self.ties.len(),
            exchanging: self.exchanging,
        });
        self.egraph.push_level();
    }

    /// The last `count` scopes end.
    pub fn pop_scopes(&mut self, count: usize, first_retired: usize) {
        if count == 0 {
            return;
        }
        debug_assert!(self.levels.is_empty());
        let left = self.scopes.len() - count;
        let scope = self.scopes[left];
        self.scopes.truncate(left);
        self.return_to(scope.mark, left);
        self.preferred.truncate(first_retired);
        self.link_counts.clear();
        for var in self.ties.drain(scope.ties..).rev() {
            let tied = self.nodes_of[var.index()].pop();
            self.literal_of.remove(&tied.expect("as many nodes as ties").0);
        }
        self.dormant.truncate(scope.dormant);
        for term in self.seen.drain(scope.seen..) {
            self.seen_set.remove(&term);
        }
        self.applications.truncate(scope.applications);
        for term in self.terms.drain(scope.nodes..) {
            self.node_of.remove(&term);
        }
        self.egraph.truncate(scope.nodes);
        self.nonlinear.truncate(scope.nonlinear);
        self.powers.truncate(scope.powers);
        self.linear.truncate(scope.linear);
        self.exchanging = scope.exchanging;
    }

    /// Finds conflicts and consequences of what has been assigned.
    pub fn propagate(&mut self, context: &mut Context<'_>, actions: &mut Actions<'_>) {
        let start = self.head;
        if !self.late.is_empty() {
            self.assert_late();
        }
        while self.head < self.assigned.len() {
            let lit = self.assigned[self.head];
            self.head += 1;
            self.assert_nodes(lit);
        }
        if !self.egraph.close() {
            self.tags.clear();
            self.egraph.explain_conflict(&mut self.tags);
            self.clause.clear();
            self.clause.extend(self.tags.iter().map(|&t| !Lit::from_code(t as usize)));
            context.lemma(&self.clause, Keep::WhileUseful, || Certificate::Congruence);
            self.shorten_paths(context);
            // Required: the inequalities of this batch are asserted when the
            // search comes back to this level.
            self.head = start;
            return;
        }
        for (node, value) in self.egraph.propagated().drain(..) {
            let Some(literal) = self.literal_of.get(&node) else { continue };
            let literal = literal.negate_unless(value);
            if actions.value(literal).is_none() {
                self.reasons.push(Reason::Congruence(node, value));
                actions.propagate(literal, self.reasons.len() as u32 - 1);
            }
        }
        let mut consistent = self.assert_bounds(start, actions);
        if consistent {
            match self.linear.check(context.budget) {
                Ok(answer) => consistent = answer,
                // The search polls the same budget and will stop; until then
                // the bounds of this batch count as not yet asserted.
                Err(_) => {
                    self.head = start;
                    return;
                }
            }
        }
        if !consistent {
            self.arithmetic_conflict(context);
            self.head = start;
            return;
        }
        let mut found = Vec::new();
        self.linear.propagate_rows(|other| actions.value(other), |l, why| found.push((l, why)));
        self.imply(found, actions);
    }

    /// Tells the e-graph the values of the nodes that the literal decides.
    #[inline]
    fn assert_nodes(&mut self, lit: Lit) {
        for &(node, positive) in self.nodes_of.get(lit.var().index()).into_iter().flatten() {
            self.egraph.assert_literal(node, positive == lit.is_positive(), lit.code() as u32);
        }
    }

    /// Asserts the inequalities of this batch; false when two of them contradict each other.
    fn assert_bounds(&mut self, start: usize, actions: &mut Actions<'_>) -> bool {
        for i in start..self.head {
            let lit = self.assigned[i];
            if !self.linear.is_atom(lit.var()) {
                continue;
            }
            let mut found = Vec::new();
            let value = |other| actions.value(other);
            let consistent = self.linear.assert(lit, value, |l, why| found.push((l, why)));
            self.imply(found, actions);
            if !consistent {
                return false;
            }
        }
        true
    }

    /// Literals that follow from bounds.
    fn imply(&mut self, found: Vec<(Lit, BoundReason)>, actions: &mut Actions<'_>) {
        for (implied, reason) in found {
            self.reasons.push(Reason::Bound(reason));
            actions.propagate(implied, self.reasons.len() as u32 - 1);
        }
    }

    /// Makes the sum of two equalities that occur in many conflicts an atom of its
    /// own, so that learning can speak of where paths meet. Without that, a chain
    /// of alternatives takes exponentially many conflicts.
    fn shorten_paths(&mut self, context: &mut Context<'_>) {
        for i in 0..self.egraph.links().len() {
            let link = self.egraph.links()[i];
            let ends = (link.from.min(link.to), link.from.max(link.to));
            let (from, to) = (self.term(ends.0), self.term(ends.1));
            // Arithmetic equalities bring inequalities along, which costs more.
            if context.store.sort(from).is_arithmetic() || context.store.is_bool(from) {
                continue;
            }
            let count = self.link_counts.entry(link.tags).or_default();
            *count += 1;
            if *count != SHORTEN_AFTER {
                continue;
            }
            let equality = context.store.mk_eq_plain(from, to);
            let equality = context.literal(equality);
            let [first, second] = link.tags.map(|t| !Lit::from_code(t as usize));
            context.lemma(&[first, second, equality], Keep::Always, || Certificate::Congruence);
        }
    }

    /// Whether the e-graph has yet to hear of values that atoms have had for some time.
    pub fn has_late_values(&self) -> bool {
        self.late.iter().any(|late| late.pending)
    }

    fn assert_late(&mut self) {
        let (levels, scopes) = (self.levels.len(), self.scopes.len() as u32);
        let mut late = std::mem::take(&mut self.late);
        late.retain_mut(|entry| {
            let lit = self.assigned[entry.position as usize];
            if std::mem::take(&mut entry.pending) {
                self.assert_nodes(lit);
            }
            // What is asserted outside of all levels stays as long as the node.
            levels > 0 || entry.scopes < scopes
        });
        self.late = late;
    }

    fn arithmetic_conflict(&mut self, context: &mut Context<'_>) {
        self.clause.clear();
        self.clause.extend(self.linear.conflict().map(|(lit, _)| !lit));
        let linear = &self.linear;
        context.lemma(&self.clause, Keep::WhileUseful, || {
            Certificate::Farkas(linear.conflict().map(|(_, factor)| factor.clone()).collect())
        });
    }

    /// Why `lit` was propagated.
    pub fn explain(
        &mut self,
        context: &mut Context<'_>,
        lit: Lit,
        reason: u32,
        clause: &mut Vec<Lit>,
    ) -> ProofId {
        let start = clause.len();
        clause.push(lit);
        match &self.reasons[reason as usize] {
            Reason::Congruence(node, value) => {
                self.tags.clear();
                self.egraph.explain_truth(*node, *value, &mut self.tags);
                clause.extend(self.tags.iter().map(|&t| !Lit::from_code(t as usize)));
                context.justify(&clause[start..], || Certificate::Congruence)
            }
            Reason::Bound(reason) => {
                self.linear.explain(reason, |antecedent, _| clause.push(!antecedent));
                let linear = &self.linear;
                context.justify(&clause[start..], || {
                    let mut factors = vec![Rational::ONE];
                    factors[0] = linear.explain(reason, |_, factor| factors.push(factor));
                    Certificate::Farkas(factors)
                })
            }
        }
    }

    /// The value to try first.
    pub fn phase(&self, var: Var) -> Option<bool> {
        match self.preferred.get(var.index()) {
            Some(Some(value)) => Some(*value),
            _ => self.linear.phase(var),
        }
    }

    /// Makes the search try this first.
    pub fn prefer(&mut self, lit: Lit) {
        let var = lit.var().index();
        if self.preferred.len() <= var {
            self.preferred.resize(var + 1, None);
        }
        self.preferred[var].get_or_insert(lit.is_positive());
    }

    // At a full assignment.

    /// Whether the integers have integral values; else says what is to be decided first.
    pub fn integral(&mut self, context: &mut Context<'_>) -> bool {
        // Out of budget, nothing is known; the search polls and stops.
        if self.head < self.assigned.len() || context.budget.poll().is_err() {
            return false;
        }
        match integers::check(&mut self.linear, context.budget) {
            Err(_) => false,
            Ok(Verdict::Split(split)) => {
                let mut form = self.linear.form(&split.sum);
                form.constant = -Rational::from(&split.bound);
                let atom = context.store.mk_nonpositive(form, SortId::INT, false);
                let literal = context.literal(atom);
                self.prefer(literal.negate_unless(split.prefer_upper));
                false
            }
            Ok(Verdict::Integral) => true,
        }
    }

    /// Makes the theories agree, or says what is to be decided first.
    pub fn final_check(&mut self, context: &mut Context<'_>) -> FinalCheck {
        let applications = self.applications().iter().map(|&node| self.term(node));
        let terms: Vec<TermId> =
            applications.filter(|&term| context.store.op(term) == Op::Mod).collect();
        if remainders(context, &self.linear, &terms) || self.exchange(context) {
            return FinalCheck::Continue;
        }
        if self.nonlinear.len() > 0 {
            let products = self.check_products(context);
            if products != FinalCheck::Consistent {
                return products;
            }
        }
        self.powers.check(context, &self.linear)
    }

    fn check_products(&mut self, context: &mut Context<'_>) -> FinalCheck {
        // Irrational values are not compared with those of other terms: nothing may depend on it.
        let is_quotient = |&node: &Node| context.store.op(self.term(node)) == Op::Quotient;
        let is_alone = self.applications().iter().all(is_quotient);
        self.nonlinear.allow_irrational(self.irrational && is_alone);
        let repaired =
            self.nonlinear.repair(context.store, &mut self.linear, &self.pinned, context.budget);
        // Values that have become equal are to be told to the e-graph.
        if repaired && self.exchange(context) {
            return FinalCheck::Continue;
        }
        if self.nonlinear.is_wrong(context.store, &self.linear) {
            let cases = self.nonlinear.quotients(context, &self.linear);
            for &case in &cases {
                let literal = context.literal(case);
                self.prefer(literal);
            }
            if !cases.is_empty() {
                return FinalCheck::Continue;
            }
        }
        let delta = self.infinitesimal(context.store);
        self.nonlinear.check(context, &self.linear, &delta)
    }

    /// Models may have irrational values from now on.
    pub fn allow_irrational(&mut self) {
        self.irrational = true;
    }

    // For the bits of integers.

    /// From now on these columns keep their values when others are moved.
    pub fn pin(&mut self, columns: Vec<(Column, DeltaRational)>) {
        self.pinned = columns;
    }

    /// The bounds of a leaf that were asserted first, with their literals.
    pub fn earliest_range(&self, store: &TermStore, leaf: TermId) -> Option<(Range, [Lit; 2])> {
        let mut earliest: [Option<(u32, Integer, Lit)>; 2] = [None, None];
        for (var, threshold) in self.linear.bounds_of(store, leaf) {
            let position = self.positions.get(var.index()).copied().unwrap_or(u32::MAX);
            let Some(&lit) = self.assigned.get(position as usize) else { continue };
            let bound = threshold.standard.floor();
            let (side, bound) =
                if lit.is_positive() { (1, bound) } else { (0, bound + Integer::ONE) };
            if earliest[side].as_ref().is_none_or(|(known, ..)| position < *known) {
                earliest[side] = Some((position, bound, lit));
            }
        }
        let [Some((_, low, lower)), Some((_, high, upper))] = earliest else { return None };
        Some(((low, high), [lower, upper]))
    }

    /// The equality that is asserted and of which the inequality is a half.
    pub fn equality_of(&self, context: &mut Context<'_>, inequality: TermId) -> Option<TermId> {
        let sum = context.store.arg(inequality, 0);
        let column = self.linear.known_column(context.store, sum)?;
        if !self.linear.simplex.is_fixed(column) {
            return None;
        }
        let bound = self.linear.simplex.bound(column, Side::Lower)?;
        let mut form = context.store.linear_form(sum);
        form.constant = -bound.value.standard.clone();
        let equality = context.store.mk_zero(form, context.store.sort(sum));
        let var = context.shared.atoms.var(equality)?;
        let position = self.positions.get(var.index()).copied().unwrap_or(u32::MAX);
        self.assigned.get(position as usize)?.is_positive().then_some(equality)
    }

    /// Makes the search try the bits of its present value first for an integer in this range.
    pub fn prefer_bits(&mut self, context: &mut Context<'_>, integer: TermId, range: &Range) {
        let value = self.linear.value(context.store, integer).standard.floor();
        let width = range_width((&range.0, &range.1)).max(1);
        let bits = context.store.mk_int_to_bv(width, integer);
        for i in 0..width {
            let bit = context.store.mk_bit(bits, i);
            if !context.store.is_value(bit) {
                let literal = context.literal(bit);
                self.prefer(literal.negate_unless(value.bit(i)));
            }
        }
    }

    // Reading the answer.

    /// A number for the infinitesimal of the simplex that suits the whole state.
    pub fn infinitesimal(&self, store: &TermStore) -> Rational {
        let numbers = self.terms.iter().copied().filter(|&t| store.sort(t).is_arithmetic());
        self.linear.infinitesimal(store, numbers)
    }

    /// The node of a term, if it has one.
    pub fn known_node(&self, term: TermId) -> Option<Node> {
        self.node_of.get(&term).copied()
    }

    /// The term of a node.
    pub fn term(&self, node: Node) -> TermId {
        self.terms[node.0 as usize]
    }

    /// Applications with arguments, in order of creation.
    pub fn applications(&self) -> &[Node] {
        &self.applications
    }

    /// A term of each class of a sort, in order of creation.
    pub fn representatives(&self, store: &TermStore, sort: SortId) -> Vec<TermId> {
        let mut seen: HashSet<Node> = HashSet::default();
        let nodes = (0..self.terms.len() as u32).map(Node);
        nodes
            .filter(|&node| store.sort(self.term(node)) == sort)
            .filter(|&node| seen.insert(self.egraph.root(node)))
            .map(|node| self.term(node))
            .collect()
    }

    /// Whether the e-graph knows the terms to be equal.
    pub fn are_equal(&self, left: TermId, right: TermId) -> bool {
        left == right
            || match (self.known_node(left), self.known_node(right)) {
                (Some(l), Some(r)) => self.egraph.are_equal(l, r),
                _ => false,
            }
    }
}

/// Whether the term is an equality that the e-graph understands.
fn is_equality(store: &TermStore, term: TermId) -> bool {
    store.op(term) == Op::Eq && !store.is_bool(store.arg(term, 0))
}

/// Whether congruence of the term's operator is for the e-graph to see to.
fn is_function(store: &TermStore, term: TermId) -> bool {
    match store.op(term) {
        Op::Apply(_) => !store.args(term).is_empty(),
        Op::Select | Op::Store | Op::ConstArray | Op::Diff | Op::Quotient => true,
        Op::Div | Op::Mod => store.number(store.arg(term, 1)).is_none_or(|n| n.is_zero()),
        _ => false,
    }
}

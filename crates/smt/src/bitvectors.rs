//! Bit-vectors by bit-blasting, without new names.
//!
//! Bit `i` of a term `t` is the atom `extract(i, i, t) = #b1`. The term builder moves
//! such atoms through concatenation, extraction and extension by itself; for every
//! other operator each bit is defined by one valid formula, *bit if and only if
//! circuit over the bits of the arguments*, whose clauses `clausify` makes and
//! whose circuit the proof checker builds again (the circuits are described
//! there, in the module `bits`). Carries and partial products are formulas, shared by hash-consing.
//! Equalities and comparisons are atoms equivalent to their circuits.
//!
//! With functions and arrays over bit-vectors the e-graph sees the terms as opaque. At a full assignment the two
//! are made to agree as in `combination`: terms in one class whose bits differ,
//! and arguments of functions with equal bits in different classes, get
//! an equality atom.

use bolide_base::{HashMap, Integer};
use bolide_proof::Tautology;
use bolide_sat::{Actions, Var};
use bolide_terms::model::{Model, Value};
use bolide_terms::{Op, TermId, TermStore};

use crate::clausify::add_valid_formula;
use crate::combination::Combination;
use crate::context::Context;
use crate::euf::Node;

/// The bits of terms.
#[derive(Default)]
pub(crate) struct BitVectors {
    /// For each bit-vector term its bits as formulas, the lowest first.
    bits: HashMap<TermId, Vec<TermId>>,
    log: Vec<TermId>,
    scopes: Vec<usize>,
}

impl BitVectors {
    pub fn push_scope(&mut self) {
        self.scopes.push(self.log.len());
    }

    pub fn pop_scopes(&mut self, count: usize) {
        let kept = self.scopes.len() - count;
        if let Some(&mark) = self.scopes.get(kept) {
            for term in self.log.drain(mark..) {
                self.bits.remove(&term);
            }
            self.scopes.truncate(kept);
        }
    }

    /// Whether the atom is a bit of a term that an earlier atom brought: then the e-graph
    /// need not see it.
    pub fn is_internal_bit(&self, store: &TermStore, atom: TermId) -> bool {
        if store.op(atom) != Op::Eq {
            return false;
        }
        let (piece, value) = (store.arg(atom, 0), store.arg(atom, 1));
        matches!(store.op(piece), Op::BvExtract { .. })
            && self.bits.contains_key(&store.arg(piece, 0))
            && store.width(piece) == 1
            && store.bv_number(value).is_some_and(|v| v.is_one())
    }

    /// Defines the bits of all terms in the atom, and the atom.
    pub fn register_atom(&mut self, context: &mut Context<'_>, var: Var) {
        let atom = context.atom(var);
        let mut work: Vec<TermId> = context.store.args(atom).to_vec();
        if matches!(context.store.op(atom), Op::Forall | Op::Exists) {
            return;
        }
        // Arguments first, by explicit stack.
        while let Some(&term) = work.last() {
            let store = &*context.store;
            if store.is_bool(term) || self.bits.contains_key(&term) {
                work.pop();
                continue;
            }
            let before = work.len();
            work.extend(
                store
                    .args(term)
                    .iter()
                    .filter(|&&arg| !store.is_bool(arg) && !self.bits.contains_key(&arg)),
            );
            if work.len() > before {
                continue;
            }
            work.pop();
            // Terms of other sorts have no bits, but are remembered as visited.
            self.define_term(context, term);
        }
        self.define_atom(context, atom);
    }

    fn define_atom(&mut self, context: &mut Context<'_>, atom: TermId) {
        let store = &mut *context.store;
        let op = store.op(atom);
        let is_comparison = matches!(op, Op::BvUlt | Op::BvSlt)
            || (op == Op::Eq && store.bv_width(store.sort(store.arg(atom, 0))).is_some());
        if !is_comparison {
            return;
        }
        let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
        if op == Op::Eq && store.width(a) == 1 && self.bits[&a] == [atom] {
            // The atom is a bit itself.
            return;
        }
        let (a, b) = (&self.bits[&a], &self.bits[&b]);
        let circuit = match op {
            Op::Eq => equal(store, a, b),
            _ => less(store, a, b, op == Op::BvSlt),
        };
        let formula = store.mk_iff(atom, circuit);
        add_valid_formula(context, formula, Tautology::Bits { term: atom, bit: 0 });
    }

    fn define_term(&mut self, context: &mut Context<'_>, term: TermId) {
        self.log.push(term);
        let store = &mut *context.store;
        let Some(width) = store.bv_width(store.sort(term)) else {
            self.bits.insert(term, Vec::new());
            return;
        };
        let bits: Vec<TermId> = (0..width).map(|i| bit(store, term, i)).collect();
        if let Some(outputs) = self.circuit(store, term) {
            for (i, (&bit, output)) in bits.iter().zip(outputs).enumerate() {
                let formula = context.store.mk_iff(bit, output);
                let rule = Tautology::Bits { term, bit: i as u32 };
                add_valid_formula(context, formula, rule);
            }
        }
        self.bits.insert(term, bits);
    }

    /// The bits of an operation as formulas over the bits of its arguments; none
    /// for terms that are not defined by their arguments' bits, and those that
    /// only move bits.
    fn circuit(&self, store: &mut TermStore, term: TermId) -> Option<Vec<TermId>> {
        let op = store.op(term);
        let args = store.args(term).to_vec();
        let bits = |i: usize| self.bits[&args[i]].as_slice();
        let inputs = || args.iter().map(|arg| self.bits[arg].as_slice());
        Some(match op {
            Op::BvNot => bits(0).iter().map(|&b| store.mk_not(b)).collect(),
            Op::BvNeg => {
                let complements: Vec<TermId> = bits(0).iter().map(|&b| store.mk_not(b)).collect();
                let zeros = vec![TermId::FALSE; complements.len()];
                sum(store, &complements, &zeros, TermId::TRUE).0
            }
            Op::BvAnd | Op::BvOr | Op::BvXor => (0..bits(0).len())
                .map(|i| {
                    let column: Vec<TermId> = inputs().map(|input| input[i]).collect();
                    match op {
                        Op::BvAnd => store.mk_and(&column),
                        Op::BvOr => store.mk_or(&column),
                        _ => column[1..].iter().fold(column[0], |a, &b| store.mk_xor(a, b)),
                    }
                })
                .collect(),
            Op::BvAdd => {
                let first = bits(0).to_vec();
                inputs().skip(1).fold(first, |a, b| sum(store, &a, b, TermId::FALSE).0)
            }
            Op::BvMul => {
                let first = bits(0).to_vec();
                inputs().skip(1).fold(first, |a, b| product(store, &a, b))
            }
            Op::BvUdiv => divide(store, bits(0), bits(1)).0,
            Op::BvUrem => divide(store, bits(0), bits(1)).1,
            Op::BvShl | Op::BvLshr | Op::BvAshr => shift(store, op, bits(0), bits(1)),
            Op::Ite => {
                let pairs = bits(1).iter().zip(bits(2));
                pairs.map(|(&a, &b)| store.mk_ite(args[0], a, b)).collect()
            }
            _ => return None,
        })
    }

    /// Makes the e-graph and the bits agree. True if there was anything to do.
    pub fn final_check(
        &mut self,
        context: &mut Context<'_>,
        combination: &mut Combination,
        actions: &Actions<'_>,
    ) -> bool {
        let involved = combination.applications().iter().any(|&node| {
            let term = combination.term(node);
            let is_vector = |t: TermId| context.store.bv_width(context.store.sort(t)).is_some();
            is_vector(term) || context.store.args(term).iter().any(|&arg| is_vector(arg))
        });
        if !involved {
            return false;
        }
        let wanted = self.disagreements(context, combination, actions);
        let any = !wanted.is_empty();
        for (left, right) in wanted {
            let equality = context.store.mk_eq_plain(left, right);
            let literal = context.literal(equality);
            combination.node(context, context.atom(literal.var()));
        }
        any
    }

    fn disagreements(
        &self,
        context: &Context<'_>,
        combination: &Combination,
        actions: &Actions<'_>,
    ) -> Vec<(TermId, TermId)> {
        let store = &*context.store;
        let truth = |formula: TermId| {
            let (atom, positive) = store.atom_and_sign(formula);
            context.shared.atoms.var(atom).and_then(|var| actions.value(var.lit(positive)))
        };
        let mut wanted = Vec::new();
        // A number for each value of each bit-vector node.
        let mut values: HashMap<TermId, Integer> = HashMap::default();
        let mut first_of: HashMap<Node, TermId> = HashMap::default();
        for index in 0..combination.egraph.len() {
            let term = combination.term(Node(index as u32));
            let Some(value) = self.value(store, term, &truth) else { continue };
            let class = combination.egraph.root(Node(index as u32));
            let first = *first_of.entry(class).or_insert(term);
            if first != term && values[&first] != value {
                wanted.push((first, term));
            }
            values.insert(term, value);
        }
        if !wanted.is_empty() {
            return wanted;
        }
        // Applications with equal arguments and different results.
        let place = |term: TermId| match values.get(&term) {
            Some(value) => (Some(value.clone()), 0),
            None => {
                let node = combination.known_node(term).expect("arguments have nodes");
                (None, combination.egraph.root(node).0)
            }
        };
        type Place = (Option<Integer>, u32);
        let mut graph: HashMap<(Op, Vec<Place>), TermId> = HashMap::default();
        for &node in combination.applications() {
            let term = combination.term(node);
            let arguments = store.args(term);
            if !arguments.iter().any(|arg| values.contains_key(arg)) {
                continue;
            }
            let key = (store.op(term), arguments.iter().map(|&arg| place(arg)).collect());
            let other = *graph.entry(key).or_insert(term);
            if combination.are_equal(term, other) || place(term) == place(other) {
                continue;
            }
            for (&a, &b) in arguments.iter().zip(store.args(other)) {
                if values.contains_key(&a) && !combination.are_equal(a, b) {
                    wanted.push((a.min(b), a.max(b)));
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    // Reading the answer.

    /// The value of a bit-vector term under the truth values of its bits; bits
    /// that nothing depends on are zero.
    pub fn value(
        &self,
        store: &TermStore,
        term: TermId,
        truth: &dyn Fn(TermId) -> Option<bool>,
    ) -> Option<Integer> {
        store.bv_width(store.sort(term))?;
        if let Some(value) = store.bv_number(term) {
            return Some(value);
        }
        let mut value = Integer::ZERO;
        for (i, &bit) in self.bits.get(&term)?.iter().enumerate() {
            let is_set = match bit {
                TermId::TRUE => true,
                TermId::FALSE => false,
                _ => truth(bit).unwrap_or(false),
            };
            if is_set {
                value += Integer::pow2(i as u32);
            }
        }
        Some(value)
    }

    /// Gives the bit-vector constants their values.
    pub fn constants(
        &self,
        store: &TermStore,
        truth: &dyn Fn(TermId) -> Option<bool>,
        model: &mut Model,
    ) {
        for &term in &self.log {
            if let Op::Apply(constant) = store.op(term)
                && store.args(term).is_empty()
                && let Some(width) = store.bv_width(store.sort(term))
                && let Some(value) = self.value(store, term, truth)
            {
                model.set_constant(constant, Value::bit_vec(&value, width));
            }
        }
    }
}

/// Bit `i` of a term as a formula.
fn bit(store: &mut TermStore, term: TermId, i: u32) -> TermId {
    let piece = store.mk_bv_extract(i, i, term);
    let one = store.mk_bv(1, 1);
    store.mk_eq(piece, one)
}

fn sum(
    store: &mut TermStore,
    a: &[TermId],
    b: &[TermId],
    mut carry: TermId,
) -> (Vec<TermId>, TermId) {
    let mut bits = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let half = store.mk_xor(x, y);
        bits.push(store.mk_xor(half, carry));
        carry = store.mk_ite(half, carry, x);
    }
    (bits, carry)
}

fn product(store: &mut TermStore, a: &[TermId], b: &[TermId]) -> Vec<TermId> {
    let width = a.len();
    let mut result: Vec<TermId> = Vec::new();
    for (j, &multiplier) in b.iter().enumerate() {
        let row: Vec<TermId> =
            a[..width - j].iter().map(|&bit| store.mk_and(&[bit, multiplier])).collect();
        if j == 0 {
            result = row;
        } else {
            let high = result.split_off(j);
            result.extend(sum(store, &high, &row, TermId::FALSE).0);
        }
    }
    result
}

fn divide(store: &mut TermStore, a: &[TermId], b: &[TermId]) -> (Vec<TermId>, Vec<TermId>) {
    let width = a.len();
    let mut divisor: Vec<TermId> = b.iter().map(|&bit| store.mk_not(bit)).collect();
    divisor.push(TermId::TRUE);
    let mut quotient = vec![TermId::FALSE; width];
    let mut rest = vec![TermId::FALSE; width];
    for i in (0..width).rev() {
        let mut shifted = vec![a[i]];
        shifted.extend_from_slice(&rest);
        let (difference, fits) = sum(store, &shifted, &divisor, TermId::TRUE);
        quotient[i] = fits;
        for k in 0..width {
            rest[k] = store.mk_ite(fits, difference[k], shifted[k]);
        }
    }
    (quotient, rest)
}

fn shift(store: &mut TermStore, op: Op, a: &[TermId], amount: &[TermId]) -> Vec<TermId> {
    let width = a.len();
    let fill = if op == Op::BvAshr { a[width - 1] } else { TermId::FALSE };
    let mut bits = a.to_vec();
    let mut too_far = Vec::new();
    for (k, &by) in amount.iter().enumerate() {
        let distance = if k < 31 { 1usize << k } else { usize::MAX };
        if distance >= width {
            too_far.push(by);
            continue;
        }
        bits = (0..width)
            .map(|i| {
                let moved = match op {
                    Op::BvShl if i >= distance => bits[i - distance],
                    Op::BvShl => fill,
                    _ => bits.get(i + distance).copied().unwrap_or(fill),
                };
                store.mk_ite(by, moved, bits[i])
            })
            .collect();
    }
    let too_far = store.mk_or(&too_far);
    bits.into_iter().map(|bit| store.mk_ite(too_far, fill, bit)).collect()
}

fn equal(store: &mut TermStore, a: &[TermId], b: &[TermId]) -> TermId {
    let same: Vec<TermId> = a.iter().zip(b).map(|(&x, &y)| store.mk_iff(x, y)).collect();
    store.mk_and(&same)
}

fn less(store: &mut TermStore, a: &[TermId], b: &[TermId], signed: bool) -> TermId {
    let mut less = TermId::FALSE;
    for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
        let differ = store.mk_xor(x, y);
        let winner = if signed && i + 1 == a.len() { x } else { y };
        less = store.mk_ite(differ, winner, less);
    }
    less
}

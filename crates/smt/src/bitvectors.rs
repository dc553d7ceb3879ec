//! Bit-vectors by bit-blasting, without new names.
//!
//! Bit `i` of a term `t` is the atom `extract(i, i, t) = #b1`. The term builder moves
//! such atoms through concatenation, extraction and extension by itself; for every
//! other operator each bit is defined by one valid formula, *bit if and only if
//! circuit over the bits of the arguments*, whose clauses `clausify` makes and
//! whose circuit the proof checker builds again (the circuits are those of
//! [`bolide_terms::circuit`]). Carries and partial products are formulas, shared by hash-consing.
//! Equalities and comparisons are atoms equivalent to their circuits.
//!
//! With functions and arrays over bit-vectors the e-graph sees the terms as opaque. At a full assignment the two
//! are made to agree as in `combination`: terms in one class whose bits differ,
//! and arguments of functions with equal bits in different classes, get
//! an equality atom.

use bolide_base::{HashMap, Integer};
use bolide_proof::Tautology;
use bolide_sat::{Actions, Var};
use bolide_terms::circuit::circuit;
use bolide_terms::model::{Model, Value};
use bolide_terms::{Op, TermId, TermStore};

use crate::clausify::add_valid_formula;
use crate::combination::Combination;
use crate::context::Context;

/// The bits of terms.
#[derive(Default)]
pub(crate) struct BitVectors {
    /// For each bit-vector term its bits as formulas, the lowest first.
    bits: HashMap<TermId, Vec<TermId>>,
    log: Vec<TermId>,
    /// For each integer whose bits occur the conversions that have them.
    conversions: HashMap<TermId, Vec<TermId>>,
    /// Conversions in the order in which they came, with the integer whose bits they are if they are such.
    converted: Vec<(TermId, Option<TermId>)>,
    /// How long both logs were.
    scopes: Vec<(usize, usize)>,
    /// Values of the integers: for bits that nothing depends on.
    integers: HashMap<TermId, Integer>,
}

impl BitVectors {
    pub fn push_scope(&mut self) {
        self.scopes.push((self.log.len(), self.converted.len()));
    }

    pub fn pop_scopes(&mut self, count: usize) {
        let kept = self.scopes.len() - count;
        if let Some(&(mark, converted)) = self.scopes.get(kept) {
            for term in self.log.drain(mark..) {
                self.bits.remove(&term);
            }
            for (_, integer) in self.converted.drain(converted..).rev() {
                if let Some(integer) = integer
                    && let Some(parts) = self.conversions.get_mut(&integer)
                {
                    parts.pop();
                }
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
        let inputs = [self.bits[&a].as_slice(), self.bits[&b].as_slice()];
        let output = circuit(store, op, &inputs).expect("a comparison has a circuit");
        let formula = store.mk_iff(atom, output[0]);
        add_valid_formula(context, formula, Tautology::Bits { term: atom, bit: 0 });
    }

    fn define_term(&mut self, context: &mut Context<'_>, term: TermId) {
        self.log.push(term);
        let store = &mut *context.store;
        match store.op(term) {
            Op::BvToInt => self.converted.push((term, None)),
            Op::IntToBv => {
                let integer = store.arg(term, 0);
                self.converted.push((term, Some(integer)));
                self.conversions.entry(integer).or_default().push(term);
            }
            _ => {}
        }
        let Some(width) = store.bv_width(store.sort(term)) else {
            self.bits.insert(term, Vec::new());
            return;
        };
        let bits: Vec<TermId> = (0..width).map(|i| store.mk_bit(term, i)).collect();
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
        let args = store.args(term).to_vec();
        // A condition is its own bit.
        let bits = |arg| self.bits.get(arg).map_or(std::slice::from_ref(arg), Vec::as_slice);
        let inputs: Vec<&[TermId]> = args.iter().map(bits).collect();
        circuit(store, store.op(term), &inputs)
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
        let (store, atoms) = (&*context.store, &context.shared.atoms);
        let truth = |formula: TermId| {
            let (atom, positive) = store.atom_and_sign(formula);
            atoms.var(atom).and_then(|var| actions.value(var.lit(positive)))
        };
        let wanted = combination.disagreements(|term| self.value(store, term, &truth));
        combination.want_equalities(context, &wanted)
    }

    // Integers and bits.

    /// Whether anything is a bit-vector and an integer at once.
    pub fn has_conversions(&self) -> bool {
        !self.converted.is_empty()
    }

    /// The bits of an integer that have truth values, the lowest first.
    pub fn used_bits(
        &self,
        integer: TermId,
        truth: &dyn Fn(TermId) -> Option<bool>,
    ) -> Vec<(u32, bool)> {
        let mut used = Vec::new();
        for part in self.conversions.get(&integer).into_iter().flatten() {
            let bits = self.bits[part].iter();
            used.extend((0..).zip(bits).filter_map(|(i, &bit)| Some((i, truth(bit)?))));
        }
        used.sort_unstable();
        used
    }

    /// Takes over the values of the integers whose bits occur.
    pub fn set_integers(&mut self, value: impl Fn(TermId) -> Integer) {
        self.integers = self.conversions.keys().map(|&integer| (integer, value(integer))).collect();
    }

    // Reading the answer.

    /// The value of a bit-vector term under the truth values of its bits; bits
    /// that nothing depends on are zero, or those of the integer that they belong to.
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
                _ => truth(bit).unwrap_or_else(|| self.free_bit(store, bit)),
            };
            if is_set {
                value += Integer::pow2(i as u32);
            }
        }
        Some(value)
    }

    /// A bit of an integer, if the formula is one.
    fn free_bit(&self, store: &TermStore, formula: TermId) -> bool {
        let (atom, _) = store.atom_and_sign(formula);
        let piece = if store.op(atom) == Op::Eq { store.arg(atom, 0) } else { return false };
        match store.op(piece) {
            Op::BvExtract { low } if store.op(store.arg(piece, 0)) == Op::IntToBv => {
                let integer = store.arg(store.arg(piece, 0), 0);
                self.integers.get(&integer).is_some_and(|value| value.bit(low))
            }
            _ => false,
        }
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

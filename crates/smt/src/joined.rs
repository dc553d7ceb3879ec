//! Integers joined with bit-vectors.
//!
//! Two kinds of terms belong to both theories: the number that bits denote is a leaf of arithmetic, and the low
//! bits of an integer are bits that nothing defines. What links them are *images*: an inequality over
//! integers in known ranges is equivalent to a comparison of bit-vectors that are wide
//! enough ([`bolide_terms::residue`]). With an image for every atom the bits alone would decide; but most
//! atoms have nothing to do with bits, so an image is made only when an assignment shows that it is missing
//! (as Zohar, Irfan, Mann, Niemetz et al. refine integer translations of bit-vectors lazily, *Bit-precise
//! reasoning via int-blasting*, VMCAI 2022, but in the other direction).
//!
//! At a full assignment the simplex has values for all leaves, and the bits say what those
//! leaves should be that have any ([`Readings`]). If the readings satisfy all asserted inequalities, the simplex
//! takes them over. Else, in this order:
//!
//! 1. violated inequalities of which every leaf has bits get their images;
//! 2. the simplex is asked for values of the other leaves that suit the readings. If there are none, the inequalities that
//!    say so get images, which gives bits to their leaves;
//! 3. the other violated inequalities get images;
//! 4. leaves without bounds are split at a power of two: on one side they are bounded;
//! 5. the values that the simplex has for leaves become atoms, some hundreds of them.
//!
//! An equality over leaves without bounds says at least that the lowest bits of its sides are the same.
//!
//! // Required: an image holds only where the leaves are in their ranges; the bounds that say so are literals
//! of its clause. The earliest asserted ones are taken, which are seldom withdrawn.
//!
//! Why it ends: there are finitely many atoms and widths, and each round adds an image. When all violated atoms
//! have theirs, their readings cannot violate them. Splits of leaves without bounds may go on; then the answer is unknown.

use bolide_base::{HashMap, HashSet, Integer, Rational};
use bolide_proof::Tautology;
use bolide_sat::{Actions, FinalCheck, Lit, Var};
use bolide_terms::residue::{Range, image, image_width, leaves, range, signed_width};
use bolide_terms::{Op, SortId, TermId, TermStore};

use crate::bitvectors::BitVectors;
use crate::clausify::add_valid_formula;
use crate::combination::Combination;
use crate::context::Context;
use crate::integers::{self, Verdict};
use crate::linear::Linear;
use crate::simplex::{DeltaRational, Side};

/// Says of a bound that only a trial asserted it.
const TRIAL: u32 = u32::MAX;
// Heuristic: the widest range at which a leaf without bounds is split.
const WIDEST_SPLIT: u32 = 1 << 7;
// Heuristic: so many values of the simplex become atoms.
const MOST_ASKED: usize = 1 << 8;

/// An image as asserted: the atom, the width, and the bounds that it rests on.
type Image = (TermId, u32, Vec<Lit>);

/// The images that have been asserted.
#[derive(Default)]
pub(crate) struct Joined {
    images: HashSet<Image>,
    log: Vec<Image>,
    scopes: Vec<usize>,
    /// Splits that the search should decide before anything else.
    first: Vec<Var>,
    /// How many values of the simplex were made atoms.
    asked: usize,
}

/// What became of a wanted image.
enum Wanted {
    New,
    Known,
    /// This leaf has no bounds.
    Unbounded(TermId),
}

impl Joined {
    pub fn push_scope(&mut self) {
        self.scopes.push(self.log.len());
    }

    pub fn pop_scopes(&mut self, count: usize) {
        let kept = self.scopes.len() - count;
        if let Some(&mark) = self.scopes.get(kept) {
            for image in self.log.drain(mark..) {
                self.images.remove(&image);
            }
            self.scopes.truncate(kept);
        }
    }

    /// An atom that compares only numbers of bits has its image at once.
    pub fn register_atom(&mut self, context: &mut Context<'_>, var: Var) {
        let atom = context.atom(var);
        let leaves = leaves(context.store, atom);
        if leaves.is_empty() || leaves.iter().any(|&leaf| context.store.op(leaf) != Op::BvToInt) {
            return;
        }
        if let Ok(width) = image_width(context.store, atom, &HashMap::default()) {
            self.assert_image(context, atom, width, &HashMap::default(), Vec::new());
        }
    }

    /// Makes the simplex and the bits agree on the leaves that both know.
    pub fn final_check(
        &mut self,
        context: &mut Context<'_>,
        combination: &mut Combination,
        bitvectors: &mut BitVectors,
        actions: &Actions<'_>,
    ) -> FinalCheck {
        combination.pin(Vec::new());
        if !bitvectors.has_conversions() {
            return FinalCheck::Consistent;
        }
        let readings = Readings::of(context, &combination.linear, bitvectors, actions);
        let values = &readings.values;
        let read = |leaf: TermId| values.get(&leaf).map(Rational::from);
        let violated = combination.linear.violated(&read);
        if violated.is_empty() {
            combination.linear.adopt(&read);
        } else {
            let trial = self.refine(context, combination, &readings, &violated);
            if trial != FinalCheck::Consistent {
                return trial;
            }
        }
        let linear = &combination.linear;
        let integer = |leaf| linear.value(context.store, leaf).standard.floor();
        bitvectors.set_integers(integer);
        let pinned = values.keys().filter_map(|&leaf| linear.known_column(context.store, leaf));
        let pinned = pinned.map(|column| (column, linear.simplex.value(column).clone())).collect();
        combination.pin(pinned);
        FinalCheck::Consistent
    }

    /// Asserts images that the readings violate. Consistent if the simplex found values that suit the readings.
    fn refine(
        &mut self,
        context: &mut Context<'_>,
        combination: &mut Combination,
        readings: &Readings,
        violated: &[Lit],
    ) -> FinalCheck {
        let atoms: Vec<TermId> = violated.iter().map(|lit| context.atom(lit.var())).collect();
        let is_read = |store: &TermStore, atom: TermId| {
            leaves(store, atom).iter().all(|leaf| readings.values.contains_key(leaf))
        };
        let mut inside: Vec<TermId> =
            atoms.iter().copied().filter(|&atom| is_read(context.store, atom)).collect();
        inside.extend(ranges_left(context, &combination.linear, readings));
        let mut unbounded = Vec::new();
        if self.want_images(context, combination, readings, &inside, &mut unbounded) {
            return FinalCheck::Continue;
        }
        let wanted = differing(context.store, &combination.linear, readings);
        let core: Vec<TermId> = match trial(context, &mut combination.linear, readings) {
            Trial::Suits => return FinalCheck::Consistent,
            Trial::Exhausted => return FinalCheck::Continue,
            Trial::Contradiction(core) => {
                core.into_iter().map(|lit| context.atom(lit.var())).collect()
            }
            Trial::Split(atom) => {
                let (bare, _) = context.store.atom_and_sign(atom);
                if context.shared.atoms.var(bare).is_none() {
                    context.literal(atom);
                    return FinalCheck::Continue;
                }
                Vec::new()
            }
        };
        if self.want_images(context, combination, readings, &core, &mut unbounded)
            || self.want_images(context, combination, readings, &atoms, &mut unbounded)
            || self.split(context, combination, &unbounded)
            || self.ask_values(context, combination, wanted)
        {
            return FinalCheck::Continue;
        }
        FinalCheck::GiveUp("integers and bits")
    }

    /// Makes atoms of the values that the simplex has for leaves whose bits say something else: what follows from
    /// inequalities over reals, which have no images, is then said of integers. Whether anything is new.
    fn ask_values(
        &mut self,
        context: &mut Context<'_>,
        combination: &mut Combination,
        wanted: Vec<(TermId, Integer)>,
    ) -> bool {
        let before = self.asked;
        for (leaf, value) in wanted {
            let value = context.store.mk_int(value);
            for bound in [context.store.mk_le(leaf, value), context.store.mk_ge(leaf, value)] {
                let (atom, _) = context.store.atom_and_sign(bound);
                if self.asked < MOST_ASKED && context.shared.atoms.var(atom).is_none() {
                    let literal = context.literal(bound);
                    combination.prefer(literal);
                    self.asked += 1;
                }
            }
        }
        self.asked > before
    }

    /// Asserts the images of atoms; whether there was a new one.
    fn want_images(
        &mut self,
        context: &mut Context<'_>,
        combination: &mut Combination,
        readings: &Readings,
        atoms: &[TermId],
        unbounded: &mut Vec<TermId>,
    ) -> bool {
        let mut any = false;
        for &atom in atoms {
            let equality = combination.equality_of(context, atom);
            match self.want_image(context, combination, readings, equality.unwrap_or(atom)) {
                Wanted::New => any = true,
                Wanted::Known => {}
                Wanted::Unbounded(leaf) => match equality {
                    Some(equality) if self.assert_residue(context, readings, equality) => {
                        any = true
                    }
                    _ => unbounded.push(leaf),
                },
            }
        }
        any
    }

    /// Asserts that the lowest bits of both sides of an equality are the same, as many as are in use.
    fn assert_residue(
        &mut self,
        context: &mut Context<'_>,
        readings: &Readings,
        equality: TermId,
    ) -> bool {
        let leaves = leaves(context.store, equality);
        let used = leaves.iter().filter_map(|leaf| readings.used.get(leaf));
        let Some(&width) = used.max() else { return false };
        let key = (equality, width, vec![]);
        if self.images.contains(&key) {
            return false;
        }
        let output = image(context.store, equality, width, &HashMap::default());
        let different = context.store.mk_not(equality);
        let output = output.expect("an equality over integers");
        context.tautology(&[different, output], Tautology::Residue { equality, width });
        self.images.insert(key.clone());
        self.log.push(key);
        true
    }

    fn want_image(
        &mut self,
        context: &mut Context<'_>,
        combination: &mut Combination,
        readings: &Readings,
        atom: TermId,
    ) -> Wanted {
        let mut given: HashMap<TermId, Range> = HashMap::default();
        let mut guards = Vec::new();
        let mut width = loop {
            match image_width(context.store, atom, &given) {
                Ok(width) => break width,
                Err(leaf) => match combination.earliest_range(context.store, leaf) {
                    Some((range, literals)) => {
                        given.insert(leaf, range);
                        guards.extend(literals);
                    }
                    None => return Wanted::Unbounded(leaf),
                },
            }
        };
        if let [leaf] = leaves(context.store, atom)[..] {
            width = width.max(readings.used.get(&leaf).copied().unwrap_or(0));
        }
        guards.sort_unstable();
        guards.dedup();
        if self.assert_image(context, atom, width, &given, guards) {
            // Heuristic: bits that are new begin with the values that the simplex has found.
            let mut ranges: Vec<(TermId, Range)> = given.into_iter().collect();
            ranges.sort_unstable();
            for (leaf, range) in ranges {
                if !readings.used.contains_key(&leaf) {
                    combination.prefer_bits(context, leaf, &range);
                }
            }
            return Wanted::New;
        }
        Wanted::Known
    }

    /// Splits leaves without bounds into a bounded part and the rest; whether anything is new.
    fn split(
        &mut self,
        context: &mut Context<'_>,
        combination: &mut Combination,
        unbounded: &[TermId],
    ) -> bool {
        let before = self.first.len();
        for &leaf in unbounded {
            if context.store.sort(leaf) != SortId::INT {
                continue;
            }
            let (mut width, known) = (64, self.first.len());
            while width <= WIDEST_SPLIT && self.first.len() == known {
                let high = context.store.mk_int(Integer::pow2(width - 1) - Integer::ONE);
                let low = context.store.mk_int(-Integer::pow2(width - 1));
                for bound in [context.store.mk_le(leaf, high), context.store.mk_ge(leaf, low)] {
                    let (atom, _) = context.store.atom_and_sign(bound);
                    if context.shared.atoms.var(atom).is_none() {
                        let literal = context.literal(bound);
                        combination.prefer(literal);
                        self.first.push(literal.var());
                    }
                }
                width *= 2;
            }
        }
        self.first.len() > before
    }

    /// Splits that the search should decide before anything else: what depends on them should know.
    pub fn take_first(&mut self) -> Vec<Var> {
        std::mem::take(&mut self.first)
    }

    /// Asserts an image; false if it has been asserted before.
    fn assert_image(
        &mut self,
        context: &mut Context<'_>,
        atom: TermId,
        width: u32,
        given: &HashMap<TermId, Range>,
        guards: Vec<Lit>,
    ) -> bool {
        let key = (atom, width, guards);
        if self.images.contains(&key) {
            return false;
        }
        let mut clause: Vec<TermId> = Vec::with_capacity(key.2.len() + 1);
        for &guard in &key.2 {
            let literal = context.shared.atoms.literal(guard);
            clause.push((!literal).term(context.store));
        }
        let output = image(context.store, atom, width, given).expect("an atom over integers");
        let formula = context.store.mk_iff(atom, output);
        let rule = Tautology::Image { atom, width };
        if clause.is_empty() {
            add_valid_formula(context, formula, rule);
        } else {
            clause.push(formula);
            context.tautology(&clause, rule);
        }
        self.images.insert(key.clone());
        self.log.push(key);
        true
    }
}

/// What the bits say of the leaves of arithmetic.
struct Readings {
    /// The leaves that bits, or leaves with bits, determine.
    values: HashMap<TermId, Integer>,
    /// For leaves of which some bits are in use: up to which one.
    used: HashMap<TermId, u32>,
}

impl Readings {
    fn of(
        context: &Context<'_>,
        linear: &Linear,
        bitvectors: &BitVectors,
        actions: &Actions<'_>,
    ) -> Readings {
        let (store, atoms) = (&*context.store, &context.shared.atoms);
        let truth = |formula: TermId| {
            let (atom, positive) = store.atom_and_sign(formula);
            atoms.var(atom).and_then(|var| actions.value(var.lit(positive)))
        };
        let mut readings = Readings { values: HashMap::default(), used: HashMap::default() };
        // Arguments have smaller ids.
        let mut leaves: Vec<TermId> = linear.leaves().map(|(_, leaf)| leaf).collect();
        leaves.retain(|&leaf| store.sort(leaf) == SortId::INT);
        leaves.sort_unstable();
        for leaf in leaves {
            let value = if store.op(leaf) == Op::BvToInt {
                bitvectors.value(store, store.arg(leaf, 0), &truth)
            } else {
                let used = bitvectors.used_bits(leaf, &truth);
                match used.last() {
                    Some(&(last, _)) => {
                        readings.used.insert(leaf, last + 1);
                        Some(read(store, linear, leaf, &used))
                    }
                    None => readings.derived(store, linear, leaf, &truth),
                }
            };
            if let Some(value) = value {
                readings.values.insert(leaf, value);
            }
        }
        readings
    }

    /// The value of a leaf that is made of others, if one of them was read.
    fn derived(
        &self,
        store: &TermStore,
        linear: &Linear,
        leaf: TermId,
        truth: &dyn Fn(TermId) -> Option<bool>,
    ) -> Option<Integer> {
        let read = |term: TermId| {
            let form = store.linear_form(term);
            form.terms.iter().any(|(part, _)| self.values.contains_key(part))
        };
        let value = |term: TermId| self.value(store, linear, term);
        match store.op(leaf) {
            op @ (Op::Div | Op::Mod) => {
                let divisor = store.number(store.arg(leaf, 1))?.to_integer()?;
                let dividend = store.arg(leaf, 0);
                if !divisor.is_positive() || !read(dividend) {
                    return None;
                }
                let (quotient, remainder) = value(dividend).div_rem_euclid(&divisor);
                Some(if op == Op::Div { quotient } else { remainder })
            }
            Op::Ite => {
                let place = if truth(store.arg(leaf, 0))? { 1 } else { 2 };
                let branch = store.arg(leaf, place);
                let other = store.arg(leaf, 3 - place);
                (read(branch) || read(other)).then(|| value(branch))
            }
            Op::Mul => {
                let factors = store.args(leaf);
                let product = |product: Integer, &factor: &TermId| product * value(factor);
                factors
                    .iter()
                    .any(|&factor| read(factor))
                    .then(|| factors.iter().fold(Integer::ONE, product))
            }
            _ => None,
        }
    }

    /// The value of a term by the readings, and where there are none by the simplex.
    fn value(&self, store: &TermStore, linear: &Linear, term: TermId) -> Integer {
        let form = store.linear_form(term);
        let mut sum = form.constant.numerator();
        for (leaf, coefficient) in &form.terms {
            let value = match self.values.get(leaf) {
                Some(value) => value.clone(),
                None => linear.value(store, *leaf).standard.floor(),
            };
            sum += coefficient.numerator() * value;
        }
        sum
    }
}

/// Leaves for which bits and simplex have different values, with those of the simplex.
fn differing(store: &TermStore, linear: &Linear, readings: &Readings) -> Vec<(TermId, Integer)> {
    let mut found: Vec<(TermId, Integer)> = Vec::new();
    for (&leaf, read) in &readings.values {
        let value = linear.value(store, leaf).standard.floor();
        if value != *read {
            found.push((leaf, value));
        }
    }
    found.sort_unstable();
    found
}

/// The range of an integer by the bounds that hold now.
fn present_range(store: &TermStore, linear: &Linear, integer: TermId) -> Option<Range> {
    let mut given = HashMap::default();
    let mut asked = integer;
    loop {
        let column = linear.known_column(store, asked);
        let bound = |side| column.and_then(|column| linear.simplex.bound(column, side));
        if let (Some(low), Some(high)) = (bound(Side::Lower), bound(Side::Upper)) {
            given.insert(asked, (low.value.standard.floor(), high.value.standard.floor()));
        } else if asked != integer {
            return None;
        }
        match range(store, integer, &given) {
            Ok(range) => return Some(range),
            Err(leaf) if given.contains_key(&leaf) || leaf == integer => return None,
            Err(leaf) => asked = leaf,
        }
    }
}

/// The integer with these bits. The others are those of its value in the simplex. Where the bounds end before
/// the last bit in use, that is the sign.
///
/// // Required: an image of a bound reads the bits in the same way.
fn read(store: &TermStore, linear: &Linear, leaf: TermId, used: &[(u32, bool)]) -> Integer {
    let old = linear.value(store, leaf).standard.floor();
    let top = used.last().map_or(0, |&(last, _)| last + 1);
    let width = match present_range(store, linear, leaf) {
        Some((low, high)) => signed_width(&low).max(signed_width(&high)).max(top),
        None => signed_width(&old).max(top + 1),
    };
    let mut value = Integer::ZERO;
    let mut used = used.iter().peekable();
    for i in 0..width {
        let set = used.next_if(|bit| bit.0 == i).map_or_else(|| old.bit(i), |bit| bit.1);
        if set {
            let weight = Integer::pow2(i);
            value += if i + 1 == width { -weight } else { weight };
        }
    }
    value
}

/// Inequalities that say what the readings violate and no inequality has said: the ranges of quotients and
/// remainders.
fn ranges_left(context: &mut Context<'_>, linear: &Linear, readings: &Readings) -> Vec<TermId> {
    let mut leaves: Vec<TermId> = readings.used.keys().copied().collect();
    leaves.retain(|&leaf| matches!(context.store.op(leaf), Op::Div | Op::Mod));
    leaves.sort_unstable();
    let mut atoms = Vec::new();
    for leaf in leaves {
        let Some((low, high)) = present_range(context.store, linear, leaf) else { continue };
        let value = &readings.values[&leaf];
        if low <= *value && *value <= high {
            continue;
        }
        let (low, high) = (context.store.mk_int(low), context.store.mk_int(high));
        for bound in [context.store.mk_ge(leaf, low), context.store.mk_le(leaf, high)] {
            context.literal(bound);
            atoms.push(context.store.atom_and_sign(bound).0);
        }
    }
    atoms
}

/// What the simplex says of the readings.
enum Trial {
    /// It has taken on values that suit them.
    Suits,
    /// These literals exclude them.
    Contradiction(Vec<Lit>),
    /// To be decided first.
    Split(TermId),
    Exhausted,
}

/// Asks the simplex for values that suit the readings.
fn trial(context: &mut Context<'_>, linear: &mut Linear, readings: &Readings) -> Trial {
    let mark = linear.simplex.trail_len();
    let mut columns: Vec<(crate::simplex::Column, Integer)> = Vec::new();
    for (&leaf, value) in &readings.values {
        if let Some(column) = linear.known_column(context.store, leaf) {
            columns.push((column, value.clone()));
        }
    }
    columns.sort_unstable();
    let mut consistent = true;
    for (column, value) in columns {
        let value = DeltaRational::from(Rational::from(value));
        consistent = consistent
            && linear.simplex.assert_bound(column, Side::Lower, value.clone(), TRIAL)
            && linear.simplex.assert_bound(column, Side::Upper, value, TRIAL);
    }
    let answer = if consistent { linear.check(context.budget) } else { Ok(false) };
    let found = match answer {
        Err(_) => Trial::Exhausted,
        Ok(false) => {
            let core = linear.simplex.conflict().iter().map(|(tag, _)| *tag);
            let core = core.filter(|&tag| tag != TRIAL).map(|tag| Lit::from_code(tag as usize));
            Trial::Contradiction(core.collect())
        }
        Ok(true) => match integers::check(linear, context.budget) {
            Err(_) => Trial::Exhausted,
            Ok(Verdict::Integral) => Trial::Suits,
            Ok(Verdict::Split(split)) => {
                let mut form = linear.form(&split.sum);
                form.constant = -Rational::from(&split.bound);
                Trial::Split(context.store.mk_nonpositive(form, SortId::INT, false))
            }
        },
    };
    linear.simplex.backtrack(mark);
    found
}

#[cfg(test)]
mod tests;

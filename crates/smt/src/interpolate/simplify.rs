//! Smaller formulas that are equivalent.
//!
//! What the scan produces is a tree of conjunctions and disjunctions over
//! bounds, equalities and other atoms. Each conjunction is simplified under the
//! literals of the conjunctions around it (and under the negated literals of the
//! disjunctions around it):
//!
//! - literals that the context decides are removed, or decide their group;
//! - bounds on one linear term become one interval; a lower and an upper bound
//!   that meet become an equality, so `x <= y and x >= y` is `x = y`; bounds that
//!   are implied disappear; integer bounds move over excluded values;
//! - the same for disjunctions, read as negated conjunctions: `x < y or x > y` is
//!   `not x = y`;
//! - conjuncts that all members of a disjunction share are taken out, and
//!   dually.
//!
//! // Required: the result is equivalent, not only implied. A sequence of
//! interpolants stays a sequence only then.
//!
//! Looking at a subformula under what holds around it takes a visit for each
//! place where it stands. That is worth its price for small formulas only; in
//! large ones, with much sharing, each conjunction and disjunction is simplified
//! by itself, once. Whatever would not make the formula smaller is not done.

use bolide_base::{HashMap, Rational};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};
use std::cmp::Ordering;

/// Formulas with more nodes than this, written out as trees, are simplified
/// without regard to context.
const CONTEXTUAL: u64 = 2_000;
/// No deeper than this many alternations of and, or.
const DEPTH: u32 = 60;

/// An equivalent formula, mostly a smaller one.
pub fn simplify(store: &mut TermStore, formula: TermId) -> TermId {
    simplify_with(store, formula, &mut HashMap::default())
}

/// The same, remembering what large formulas have in common.
pub(crate) fn simplify_with(
    store: &mut TermStore,
    formula: TermId,
    memo: &mut HashMap<TermId, TermId>,
) -> TermId {
    if !matches!(connective(store, formula, true), Connective::Group { .. }) {
        return formula;
    }
    let contextual = store.tree_size(formula) <= CONTEXTUAL;
    let mut simplifier = Simplifier { store, contextual };
    let result = if contextual {
        simplifier.formula(formula, true, &Facts::default(), 0)
    } else {
        simplifier.bottom_up(formula, memo)
    };
    if store.dag_size(result) <= store.dag_size(formula) { result } else { formula }
}

struct Simplifier<'s> {
    store: &'s mut TermStore,
    /// Whether to look into the members of a group.
    contextual: bool,
}

/// How a formula with a sign is to be read.
enum Connective {
    /// A conjunction, or else a disjunction, of the arguments; `flip` says that
    /// they are to be negated.
    Group {
        conjunction: bool,
        flip: bool,
    },
    Literal,
}

fn connective(store: &TermStore, formula: TermId, positive: bool) -> Connective {
    match store.op(formula) {
        Op::And => Connective::Group { conjunction: positive, flip: !positive },
        Op::Or => Connective::Group { conjunction: !positive, flip: !positive },
        Op::Not => {
            let inner = store.arg(formula, 0);
            match store.op(inner) {
                Op::And => Connective::Group { conjunction: !positive, flip: positive },
                Op::Or => Connective::Group { conjunction: positive, flip: positive },
                _ => Connective::Literal,
            }
        }
        _ => Connective::Literal,
    }
}

/// The sides of an interval.
const LOWER: usize = 0;
const UPPER: usize = 1;

/// A bound of an interval and whether it is excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bound {
    value: Rational,
    strict: bool,
}

impl Bound {
    /// Whether the value is on the right side of the bound; `at` it says itself.
    fn compare(&self, side: usize, value: &Rational, at: bool) -> bool {
        match value.cmp(&self.value) {
            Ordering::Equal => at,
            Ordering::Greater => side == LOWER,
            Ordering::Less => side == UPPER,
        }
    }

    fn allows(&self, side: usize, value: &Rational) -> bool {
        self.compare(side, value, !self.strict)
    }

    /// Whether this is at least as tight as the other.
    fn implies(&self, side: usize, other: &Bound) -> bool {
        other.compare(side, &self.value, self.strict || !other.strict)
    }
}

/// What is known of a linear term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Interval {
    bounds: [Option<Bound>; 2],
    excluded: Vec<Rational>,
}

impl Interval {
    fn add(&mut self, side: usize, value: Rational, strict: bool) {
        let bound = Bound { value, strict };
        if self.bounds[side].as_ref().is_none_or(|old| !old.implies(side, &bound)) {
            self.bounds[side] = Some(bound);
        }
    }

    fn exclude(&mut self, value: Rational) {
        if !self.excluded.contains(&value) {
            self.excluded.push(value);
        }
    }

    /// Moves bounds over excluded values.
    fn tighten(&mut self, integral: bool) {
        self.excluded.sort();
        for (side, step) in [(LOWER, Rational::ONE), (UPPER, Rational::MINUS_ONE)] {
            if let Some(bound) = &mut self.bounds[side] {
                for value in &self.excluded {
                    if bound.value == *value && integral {
                        bound.value += &step;
                    } else if bound.value == *value {
                        bound.strict = true;
                    }
                }
            }
            self.excluded.reverse();
        }
        let excluded = std::mem::take(&mut self.excluded);
        self.excluded = excluded.into_iter().filter(|value| self.allows(value)).collect();
    }

    /// Whether the bounds (not the excluded values) allow the value.
    fn allows(&self, value: &Rational) -> bool {
        let allows = |side: usize| self.bounds[side].as_ref().is_none_or(|b| b.allows(side, value));
        allows(LOWER) && allows(UPPER)
    }

    fn is_empty(&self) -> bool {
        let [Some(lower), Some(upper)] = &self.bounds else { return false };
        lower.value > upper.value
            || (lower.value == upper.value
                && (lower.strict || upper.strict || self.excluded.contains(&lower.value)))
    }

    /// The only value, if there is only one.
    fn point(&self) -> Option<&Rational> {
        match &self.bounds {
            [Some(lower), Some(upper)] if lower.value == upper.value => Some(&lower.value),
            _ => None,
        }
    }

    fn meet(&self, other: &Interval) -> Interval {
        let mut both = self.clone();
        for (side, bound) in other.bounds.iter().enumerate() {
            if let Some(bound) = bound {
                both.add(side, bound.value.clone(), bound.strict);
            }
        }
        for value in &other.excluded {
            both.exclude(value.clone());
        }
        both
    }
}

/// Literals that hold.
#[derive(Clone, Debug, Default)]
struct Facts {
    atoms: HashMap<TermId, bool>,
    intervals: HashMap<TermId, Interval>,
}

/// A literal about a linear term, or about anything else.
enum Reading {
    Interval { term: TermId, interval: Interval },
    Atom { atom: TermId, positive: bool },
}

impl Simplifier<'_> {
    /// Each subformula by itself.
    fn bottom_up(&mut self, formula: TermId, memo: &mut HashMap<TermId, TermId>) -> TermId {
        let mut stack = vec![formula];
        while let Some(&top) = stack.last() {
            if memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            let op = self.store.op(top);
            if !matches!(op, Op::And | Op::Or | Op::Not) {
                memo.insert(top, top);
                continue;
            }
            let depth = stack.len();
            stack.extend(self.store.args(top).iter().filter(|&arg| !memo.contains_key(arg)));
            if stack.len() > depth {
                continue;
            }
            let result = if op == Op::Not {
                let inner = memo[&self.store.arg(top, 0)];
                self.store.mk_not(inner)
            } else {
                let members = self.store.args(top).iter().map(|arg| (memo[arg], true)).collect();
                self.group(members, op == Op::And, &Facts::default(), 0)
            };
            memo.insert(top, result);
        }
        memo[&formula]
    }

    fn formula(&mut self, formula: TermId, positive: bool, facts: &Facts, depth: u32) -> TermId {
        match connective(self.store, formula, positive) {
            Connective::Group { conjunction, flip } if depth < DEPTH => {
                let inner = self.store.negated(formula).unwrap_or(formula);
                let members: Vec<(TermId, bool)> =
                    self.store.args(inner).iter().map(|&arg| (arg, !flip)).collect();
                self.group(members, conjunction, facts, depth)
            }
            Connective::Group { .. } => self.store.mk_literal(formula, positive),
            Connective::Literal => {
                let literal = self.store.mk_literal(formula, positive);
                self.group(vec![(literal, true)], true, facts, depth)
            }
        }
    }

    /// A conjunction or disjunction of members with signs.
    fn group(
        &mut self,
        members: Vec<(TermId, bool)>,
        conjunction: bool,
        facts: &Facts,
        depth: u32,
    ) -> TermId {
        // A disjunction is treated as the conjunction of the negations; `fails` is
        // what the group is when that conjunction is contradictory.
        let fails = self.store.mk_bool(!conjunction);
        let mut literals: Vec<Reading> = Vec::new();
        let mut compound: Vec<TermId> = Vec::new();
        let mut pending = members;
        let mut rounds = 0;
        loop {
            // Flatten and sort out.
            while let Some((member, positive)) = pending.pop() {
                match connective(self.store, member, positive) {
                    Connective::Group { conjunction: inner, flip } if inner == conjunction => {
                        let body = self.store.negated(member).unwrap_or(member);
                        pending.extend(self.store.args(body).iter().map(|&arg| (arg, !flip)));
                    }
                    Connective::Group { .. } => {
                        compound.push(self.store.mk_literal(member, positive))
                    }
                    Connective::Literal => {
                        let literal = self.store.mk_literal(member, positive == conjunction);
                        if literal == TermId::FALSE {
                            return fails;
                        }
                        if literal != TermId::TRUE {
                            literals.push(read(self.store, literal));
                        }
                    }
                }
            }
            // What holds inside of the compound members.
            let Some(known) = self.assume(&literals, facts) else { return fails };
            compound.sort_unstable();
            compound.dedup();
            if !self.contextual {
                break;
            }
            rounds += 1;
            let mut changed = false;
            let mut left = Vec::with_capacity(compound.len());
            for member in std::mem::take(&mut compound) {
                let simple = self.formula(member, true, &known, depth + 1);
                match connective(self.store, simple, true) {
                    Connective::Group { conjunction: inner, .. } if inner != conjunction => {
                        left.push(simple);
                    }
                    _ => {
                        pending.push((simple, true));
                        changed = true;
                    }
                }
            }
            compound = left;
            if !changed || rounds > 3 {
                break;
            }
        }
        let literals = match self.write(&literals, facts) {
            Some(literals) => literals,
            None => return fails,
        };
        let mut result: Vec<TermId> =
            literals.into_iter().map(|l| self.store.mk_literal(l, conjunction)).collect();
        result.extend(compound);
        result.extend(
            pending.into_iter().map(|(member, positive)| self.store.mk_literal(member, positive)),
        );
        self.factor(result, conjunction)
    }

    /// Takes out what all members of a disjunction share, and dually.
    fn factor(&mut self, members: Vec<TermId>, conjunction: bool) -> TermId {
        let (outer, inner) = if conjunction { (Op::And, Op::Or) } else { (Op::Or, Op::And) };
        if members.len() >= 2 && members.iter().all(|&m| self.store.op(m) == inner) {
            let mut common: Vec<TermId> = self.store.args(members[0]).to_vec();
            for &member in &members[1..] {
                let args = self.store.args(member);
                common.retain(|arg| args.contains(arg));
            }
            if !common.is_empty() {
                let mut rests = Vec::with_capacity(members.len());
                for &member in &members {
                    let mut rest = self.store.args(member).to_vec();
                    rest.retain(|arg| !common.contains(arg));
                    rests.push(self.store.mk_junction(inner, &rest));
                }
                common.push(self.store.mk_junction(outer, &rests));
                return self.store.mk_junction(inner, &common);
            }
        }
        self.store.mk_junction(outer, &members)
    }

    /// The facts together with the literals; none if they contradict each other.
    fn assume(&mut self, literals: &[Reading], facts: &Facts) -> Option<Facts> {
        let mut known = facts.clone();
        for literal in literals {
            match literal {
                Reading::Interval { term, interval } => {
                    let integral = self.store.sort(*term) == SortId::INT;
                    let slot = known.intervals.entry(*term).or_default();
                    *slot = slot.meet(interval);
                    slot.tighten(integral);
                    if slot.is_empty() {
                        return None;
                    }
                }
                Reading::Atom { atom, positive } => {
                    if known.atoms.insert(*atom, *positive) == Some(!*positive) {
                        return None;
                    }
                }
            }
        }
        Some(known)
    }

    /// The literals that remain to be said where the facts hold; none if they
    /// contradict each other or the facts.
    fn write(&mut self, literals: &[Reading], facts: &Facts) -> Option<Vec<TermId>> {
        let mut own = self.assume(literals, &Facts::default())?;
        self.assume(literals, facts)?;
        let mut result = Vec::new();
        let mut atoms: Vec<(TermId, bool)> = own.atoms.drain().collect();
        atoms.sort_unstable();
        for (atom, positive) in atoms {
            if facts.atoms.get(&atom) != Some(&positive) {
                result.push(self.store.mk_literal(atom, positive));
            }
        }
        let mut intervals: Vec<(TermId, Interval)> = own.intervals.drain().collect();
        intervals.sort_unstable_by_key(|pair| pair.0);
        for (term, interval) in intervals {
            let known = facts.intervals.get(&term).cloned().unwrap_or_default();
            let mut both = known.meet(&interval);
            both.tighten(self.store.sort(term) == SortId::INT);
            if both == known {
                continue;
            }
            if let Some(value) = interval.point() {
                result.push(self.equality(term, value));
                continue;
            }
            for (side, bound) in interval.bounds.iter().enumerate() {
                let implied =
                    |bound| known.bounds[side].as_ref().is_some_and(|k| k.implies(side, bound));
                if let Some(bound) = bound.as_ref().filter(|&bound| !implied(bound)) {
                    result.push(self.bound(term, bound, side));
                }
            }
            for value in &interval.excluded {
                if known.allows(value) && !known.excluded.contains(value) {
                    let equal = self.equality(term, value);
                    result.push(self.store.mk_not(equal));
                }
            }
        }
        Some(result)
    }

    fn equality(&mut self, term: TermId, value: &Rational) -> TermId {
        let sort = self.store.sort(term);
        let mut form = self.store.linear_form(term);
        form.constant -= value;
        self.store.mk_zero(form, sort)
    }

    fn bound(&mut self, term: TermId, bound: &Bound, side: usize) -> TermId {
        let sort = self.store.sort(term);
        let mut form = self.store.linear_form(term);
        form.constant -= &bound.value;
        let form = if side == UPPER { form } else { form.negated() };
        self.store.mk_nonpositive(form, sort, bound.strict)
    }
}

/// Reads a literal that is a bound or an equality with a number as an interval.
fn read(store: &mut TermStore, literal: TermId) -> Reading {
    let (atom, positive) = store.atom_and_sign(literal);
    let op = store.op(atom);
    let other = Reading::Atom { atom, positive };
    if !matches!(op, Op::Le | Op::Lt | Op::Eq) {
        return other;
    }
    let (left, right) = (store.arg(atom, 0), store.arg(atom, 1));
    let sort = store.sort(left);
    if !sort.is_arithmetic() {
        return other;
    }
    let mut interval = Interval::default();
    if op == Op::Eq {
        let mut form: LinearForm = store.linear_difference(left, right);
        // Plain equalities of sums are not in normal form; make them so.
        form.scale(&form.primitive_factor());
        if form.leads_negative() {
            form.scale(&Rational::MINUS_ONE);
        }
        let value = -&form.constant;
        form.constant = Rational::ZERO;
        if form.terms.is_empty() {
            return other;
        }
        let term = store.mk_linear(&form, sort);
        if positive {
            interval.add(LOWER, value.clone(), false);
            interval.add(UPPER, value, false);
        } else {
            interval.exclude(value);
        }
        return Reading::Interval { term, interval };
    }
    let Some(value) = store.number(right).cloned() else { return other };
    match (op, positive) {
        (Op::Le, true) => interval.add(UPPER, value, false),
        (Op::Lt, true) => interval.add(UPPER, value, true),
        (Op::Le, false) if sort == SortId::INT => interval.add(LOWER, value + Rational::ONE, false),
        (Op::Le, false) => interval.add(LOWER, value, true),
        _ => interval.add(LOWER, value, false),
    }
    Reading::Interval { term: left, interval }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a formula over x, y, z: Int, p, q: Bool and prints it simplified.
    fn check(build: impl Fn(&mut TermStore, [TermId; 3], [TermId; 2]) -> TermId, expected: &str) {
        let mut store = TermStore::new();
        let numbers = ["x", "y", "z"].map(|name| store.mk_const(name, SortId::INT));
        let truths = ["p", "q"].map(|name| store.mk_const(name, SortId::BOOL));
        let formula = build(&mut store, numbers, truths);
        let simple = simplify(&mut store, formula);
        assert_eq!(store.smtlib(simple), expected);
    }

    #[test]
    fn two_bounds_that_meet_are_an_equality() {
        check(
            |s, [x, y, _], _| {
                let (a, b) = (s.mk_le(x, y), s.mk_ge(x, y));
                s.mk_and(&[a, b])
            },
            "(= x y)",
        );
    }

    #[test]
    fn two_gaps_that_meet_are_a_disequality() {
        check(
            |s, [x, y, _], _| {
                let (a, b) = (s.mk_lt(x, y), s.mk_gt(x, y));
                s.mk_or(&[a, b])
            },
            "(not (= x y))",
        );
    }

    #[test]
    fn implied_bounds_go_and_excluded_values_move_bounds() {
        check(
            |s, [x, _, _], _| {
                let numbers: Vec<TermId> = (0..6).map(|n| s.mk_int(n)).collect();
                let a = s.mk_le(x, numbers[5]);
                let b = s.mk_le(x, numbers[3]);
                let c = s.mk_neq(x, numbers[3]);
                let d = s.mk_neq(x, numbers[5]);
                s.mk_and(&[a, b, c, d])
            },
            "(<= x 2)",
        );
    }

    #[test]
    fn the_context_decides_inside() {
        check(
            |s, [x, _, _], [p, q]| {
                let (three, five) = (s.mk_int(3), s.mk_int(5));
                let tight = s.mk_le(x, three);
                let loose = s.mk_le(x, five);
                let not_loose = s.mk_not(loose);
                let left = s.mk_and(&[loose, p]);
                let right = s.mk_and(&[not_loose, q]);
                let either = s.mk_or(&[left, right]);
                s.mk_and(&[tight, either])
            },
            "(and p (<= x 3))",
        );
    }

    #[test]
    fn contradictions_and_tautologies_are_found() {
        check(
            |s, [x, y, _], _| {
                let (a, b) = (s.mk_lt(x, y), s.mk_gt(x, y));
                s.mk_and(&[a, b])
            },
            "false",
        );
        check(
            |s, [x, y, _], [p, _]| {
                let (a, b) = (s.mk_le(x, y), s.mk_ge(x, y));
                s.mk_or(&[a, b, p])
            },
            "true",
        );
    }
}

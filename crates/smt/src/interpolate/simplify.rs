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

use bolide_base::{HashMap, Integer, Rational};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

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

/// A bound of an interval and whether it is excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bound {
    value: Rational,
    strict: bool,
}

/// What is known of a linear term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Interval {
    lower: Option<Bound>,
    upper: Option<Bound>,
    excluded: Vec<Rational>,
}

impl Interval {
    fn add_lower(&mut self, value: Rational, strict: bool) {
        let tighter = match &self.lower {
            None => true,
            Some(old) => value > old.value || (value == old.value && strict && !old.strict),
        };
        if tighter {
            self.lower = Some(Bound { value, strict });
        }
    }

    fn add_upper(&mut self, value: Rational, strict: bool) {
        let tighter = match &self.upper {
            None => true,
            Some(old) => value < old.value || (value == old.value && strict && !old.strict),
        };
        if tighter {
            self.upper = Some(Bound { value, strict });
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
        let one = Rational::ONE;
        let excluded = std::mem::take(&mut self.excluded);
        for value in &excluded {
            if let Some(lower) = &mut self.lower
                && lower.value == *value
            {
                if integral {
                    lower.value += &one;
                } else {
                    lower.strict = true;
                }
            }
        }
        for value in excluded.iter().rev() {
            if let Some(upper) = &mut self.upper
                && upper.value == *value
            {
                if integral {
                    upper.value -= &one;
                } else {
                    upper.strict = true;
                }
            }
        }
        self.excluded = excluded.into_iter().filter(|value| self.allows(value)).collect();
    }

    /// Whether the bounds (not the excluded values) allow the value.
    fn allows(&self, value: &Rational) -> bool {
        let above = match &self.lower {
            None => true,
            Some(lower) => *value > lower.value || (*value == lower.value && !lower.strict),
        };
        let below = match &self.upper {
            None => true,
            Some(upper) => *value < upper.value || (*value == upper.value && !upper.strict),
        };
        above && below
    }

    fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => {
                lower.value > upper.value
                    || (lower.value == upper.value
                        && (lower.strict || upper.strict || self.excluded.contains(&lower.value)))
            }
            _ => false,
        }
    }

    /// The only value, if there is only one.
    fn point(&self) -> Option<&Rational> {
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) if lower.value == upper.value => Some(&lower.value),
            _ => None,
        }
    }

    fn meet(&self, other: &Interval) -> Interval {
        let mut both = self.clone();
        if let Some(lower) = &other.lower {
            both.add_lower(lower.value.clone(), lower.strict);
        }
        if let Some(upper) = &other.upper {
            both.add_upper(upper.value.clone(), upper.strict);
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
            Connective::Group { .. } => signed(self.store, formula, positive),
            Connective::Literal => {
                let literal = signed(self.store, formula, positive);
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
                    Connective::Group { .. } => compound.push(signed(self.store, member, positive)),
                    Connective::Literal => {
                        let literal = signed(self.store, member, positive == conjunction);
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
            literals.into_iter().map(|l| signed(self.store, l, conjunction)).collect();
        result.extend(compound);
        result.extend(
            pending.into_iter().map(|(member, positive)| signed(self.store, member, positive)),
        );
        self.factor(result, conjunction)
    }

    /// Takes out what all members of a disjunction share, and dually.
    fn factor(&mut self, members: Vec<TermId>, conjunction: bool) -> TermId {
        let inner = if conjunction { Op::Or } else { Op::And };
        if members.len() >= 2 && members.iter().all(|&m| self.store.op(m) == inner) {
            let mut common: Vec<TermId> = self.store.args(members[0]).to_vec();
            for &member in &members[1..] {
                let args = self.store.args(member);
                common.retain(|arg| args.contains(arg));
            }
            if !common.is_empty() {
                let mut rests = Vec::with_capacity(members.len());
                for &member in &members {
                    let rest: Vec<TermId> = self
                        .store
                        .args(member)
                        .iter()
                        .copied()
                        .filter(|a| !common.contains(a))
                        .collect();
                    rests.push(if conjunction {
                        self.store.mk_or(&rest)
                    } else {
                        self.store.mk_and(&rest)
                    });
                }
                let rest =
                    if conjunction { self.store.mk_and(&rests) } else { self.store.mk_or(&rests) };
                common.push(rest);
                return if conjunction {
                    self.store.mk_or(&common)
                } else {
                    self.store.mk_and(&common)
                };
            }
        }
        if conjunction { self.store.mk_and(&members) } else { self.store.mk_or(&members) }
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
                result.push(signed(self.store, atom, positive));
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
            if let Some(lower) = &interval.lower
                && known.lower.as_ref() != Some(lower)
                && implied_lower(&known, lower).is_none()
            {
                let atom = self.bound(term, lower, false);
                result.push(atom);
            }
            if let Some(upper) = &interval.upper
                && known.upper.as_ref() != Some(upper)
                && implied_upper(&known, upper).is_none()
            {
                let atom = self.bound(term, upper, true);
                result.push(atom);
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

    fn bound(&mut self, term: TermId, bound: &Bound, upper: bool) -> TermId {
        let sort = self.store.sort(term);
        let mut form = self.store.linear_form(term);
        form.constant -= &bound.value;
        if !upper {
            form.scale(&Rational::MINUS_ONE);
        }
        self.store.mk_nonpositive(form, sort, bound.strict)
    }
}

/// Something if the known lower bound is at least as tight.
fn implied_lower(known: &Interval, bound: &Bound) -> Option<()> {
    let mut probe = Interval { lower: known.lower.clone(), ..Interval::default() };
    probe.add_lower(bound.value.clone(), bound.strict);
    (probe.lower == known.lower).then_some(())
}

fn implied_upper(known: &Interval, bound: &Bound) -> Option<()> {
    let mut probe = Interval { upper: known.upper.clone(), ..Interval::default() };
    probe.add_upper(bound.value.clone(), bound.strict);
    (probe.upper == known.upper).then_some(())
}

fn signed(store: &mut TermStore, formula: TermId, positive: bool) -> TermId {
    if positive { formula } else { store.mk_not(formula) }
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
            interval.add_lower(value.clone(), false);
            interval.add_upper(value, false);
        } else {
            interval.exclude(value);
        }
        return Reading::Interval { term, interval };
    }
    let Some(value) = store.number(right).cloned() else { return other };
    match (op, positive) {
        (Op::Le, true) => interval.add_upper(value, false),
        (Op::Lt, true) => interval.add_upper(value, true),
        (Op::Le, false) if sort == SortId::INT => {
            interval.add_lower(value + Rational::from(Integer::ONE), false);
        }
        (Op::Le, false) => interval.add_lower(value, true),
        _ => interval.add_lower(value, false),
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

//! Mixed literals: auxiliary variables, the patterns EQ and LA, and the rules
//! that resolve on mixed literals (Christ, Hoenicke, Nutz: Proof tree preserving
//! interpolation, TACAS 2013, in the corrected version of 2017).
//!
//! A literal that neither side of a cut can express is split by an auxiliary
//! variable that counts as shared. With `a` the part that only A knows:
//!
//! | negated literal of the clause | A's part | B's part |
//! |---|---|---|
//! | `a = b` | `a = x` | `x = b` |
//! | `a != b` | `p xor a = x` | `not p xor x = b` |
//! | `a + b <= c` | `a + x <= 0` | `b - x <= c` |
//!
//! so that the literal is equivalent to *exists x, p: both parts*. The shared
//! terms of an inequality, its constant and its strictness go to B's part.
//!
//! A partial interpolant of a clause `C` may mention `x` if `C` contains the
//! literal, in a form that lets a resolution on the literal remove it again:
//!
//! - `C` contains `a != b`: `x` may stand anywhere, `I(x)`.
//! - `C` contains `a = b`: only as `EQ(x, s)`, which means `p xor x = s`, in
//!   positive position, `I[EQ(x, s)]`. Resolving the two replaces each `EQ(x, s)`
//!   by `I(s)`. Why: choose for `x` the value of `a`. Then A's parts make `I(a)`
//!   true; and by the form of EQ, A knows of each `s` either that it is not `a`
//!   or that `I(s)` holds. Symmetrically for B.
//! - `C` contains an inequality: only inside `LA(s, k, F)`, in positive position,
//!   where `s` is linear with a positive coefficient for `x` and `LA` means just
//!   `F`, which must be monotone (true stays true when `x` decreases), false where
//!   `s > 0`, and true where `s < -k`. So `s <= 0` sums up what A knows, and only
//!   for `s` in the gap `[-k, 0]` need one look into `F`.
//!
//! Resolving `C1, a + b <= c : I1[LA(c1 x1 + s1, k1, F1)]` with
//! `C2, not (a + b <= c) : I2[LA(c2 x2 + s2, k2, F2)]` yields
//! `I1[I2[LA(s3, k3, F3)]]` where `F3` must be *exists x1: F1(x1) and F2(-x1)*.
//! Take `s3 = c2 s1 + c1 s2`. Over the integers only the values from
//! `floor(-s1 / c1)` down to where `F1` is true anyway are candidates:
//!
//! ```text
//! F3 = or over i in 0 ..= ceil((k1 + 1) / c1) of F1(floor(-s1/c1) - i) and F2(i - floor(-s1/c1))
//! k3 = c2 k1 + c1 k2 + c1 c2
//! ```
//!
//! (for the gap: below `-k3` there is an integer strictly between the two gaps).
//! The same with 1 and 2 exchanged is as good; we take the one with fewer
//! disjuncts, or with a coefficient of one, where no division arises. Over the
//! reals a gap is empty (`k = -epsilon`, F is `s <= 0`) or the single point 0:
//! the candidate is `-s1 / c1`, and if that is in a gap, also anything below when
//! `s3 < 0`.
//!
//! An `EQ` may stand inside the `F` of an `LA` (trichotomy has this form), and
//! when the equality is resolved upon, further `LA` come to stand inside. A
//! rule for an auxiliary variable therefore takes the outermost `LA` whose `s`
//! has the variable and looks into the `F` of others.
//!
//! EQ and LA are kept outside of the term language: in a partial interpolant
//! stands a Boolean constant with a reserved name, and [`Patterns`] knows what it
//! means. Partial interpolants are built with *and* and *or* only, so these
//! constants stay in positive position.

use super::failure::{Found, NoInterpolant};
use bolide_base::{HashMap, HashSet, Integer, Rational};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

/// How far below zero one has to look into the `F` of an `LA`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Integers: `F` is true where `s < -k`; `k >= -1`.
    Int(Integer),
    /// Reals: `F` is `s <= 0`.
    RealNone,
    /// Reals: `F` is true where `s < 0`, false where `s > 0`.
    RealPoint,
}

/// What a placeholder stands for.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// `EQ(x, s)`.
    Eq { x: TermId, s: TermId },
    /// `LA(s, k, F)`.
    La { s: LinearForm, gap: Gap, f: TermId },
}

/// The auxiliary variables and placeholders of one interpolation.
#[derive(Default)]
pub(crate) struct Patterns {
    /// By atom and whether the clause contains it positively. Equalities have
    /// one variable, filed under `true`.
    auxiliaries: HashMap<(TermId, bool), TermId>,
    is_auxiliary: HashSet<TermId>,
    placeholders: HashMap<TermId, Pattern>,
    /// Whether a term contains an auxiliary variable or a placeholder.
    mentions: HashMap<TermId, bool>,
    /// The size that the term store may grow to.
    store_limit: usize,
}

/// What to put in the place of a pattern, if anything.
type Replacement<'a> =
    dyn FnMut(&mut Patterns, &mut TermStore, &Pattern) -> Found<Option<TermId>> + 'a;

/// No more than this many candidates for one integer variable.
const DISJUNCTS: u32 = 64;
/// No more than this many `LA` inside of one another.
const NESTING: u32 = 100;

/// An integer bound `c * x + s <= 0` with the gap `k` and the formula `f` of its pattern.
struct Bound<'a> {
    c: Rational,
    s: LinearForm,
    k: &'a Integer,
    f: TermId,
    x: TermId,
}

impl Patterns {
    pub fn new(store_limit: usize) -> Self {
        Patterns { store_limit, ..Patterns::default() }
    }

    /// The auxiliary variable of a mixed literal that the clause contains with this sign.
    pub fn auxiliary(
        &mut self,
        store: &mut TermStore,
        atom: TermId,
        positive: bool,
        sort: SortId,
    ) -> TermId {
        if let Some(&known) = self.auxiliaries.get(&(atom, positive)) {
            return known;
        }
        // Names with an at-sign are reserved for solvers by SMT-LIB. They are the same
        // in every interpolation, so that the store does not grow by them.
        let name = format!("@aux!{}", self.auxiliaries.len());
        let x = store.mk_const(&name, sort);
        self.auxiliaries.insert((atom, positive), x);
        self.is_auxiliary.insert(x);
        self.mentions.insert(x, true);
        x
    }

    /// Whether the term is an auxiliary variable.
    pub fn is_auxiliary(&self, term: TermId) -> bool {
        self.is_auxiliary.contains(&term)
    }

    fn placeholder(&mut self, store: &mut TermStore, pattern: Pattern) -> TermId {
        let name = format!("@pattern!{}", self.placeholders.len());
        let placeholder = store.mk_const(&name, SortId::BOOL);
        self.placeholders.insert(placeholder, pattern);
        self.mentions.insert(placeholder, true);
        placeholder
    }

    /// `EQ(x, s)`.
    pub fn mk_eq(&mut self, store: &mut TermStore, x: TermId, s: TermId) -> TermId {
        self.placeholder(store, Pattern::Eq { x, s })
    }

    /// `LA(s, k, F)`, or `F` itself when no auxiliary variable is left in `s`.
    pub fn mk_la(&mut self, store: &mut TermStore, s: LinearForm, gap: Gap, f: TermId) -> TermId {
        let constant = f == TermId::TRUE || f == TermId::FALSE;
        if constant || !s.terms.iter().any(|(leaf, _)| self.is_auxiliary.contains(leaf)) {
            return f;
        }
        self.placeholder(store, Pattern::La { s, gap, f })
    }

    /// Whether an auxiliary variable or a placeholder stands in the term.
    pub fn mentioned_in(&mut self, store: &TermStore, term: TermId) -> bool {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.mentions.contains_key(&top) {
                stack.pop();
                continue;
            }
            let depth = stack.len();
            let mut found = false;
            for arg in store.args(top) {
                match self.mentions.get(arg) {
                    Some(true) => found = true,
                    Some(false) => {}
                    None => stack.push(*arg),
                }
            }
            if found || stack.len() == depth {
                stack.truncate(depth - 1);
                self.mentions.insert(top, found);
            }
        }
        self.mentions[&term]
    }

    /// The placeholders that stand in the Boolean structure of the term, in the
    /// order of their ids.
    fn placeholders_in(&mut self, store: &TermStore, term: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        if !self.mentioned_in(store, term) {
            return found;
        }
        let mut seen = HashSet::default();
        let mut stack = vec![term];
        while let Some(top) = stack.pop() {
            if !seen.insert(top) || !self.mentioned_in(store, top) {
                continue;
            }
            if self.placeholders.contains_key(&top) {
                found.push(top);
            } else if matches!(store.op(top), Op::And | Op::Or) {
                stack.extend_from_slice(store.args(top));
            }
        }
        found.sort_unstable();
        found
    }

    fn check_size(&self, store: &TermStore, depth: u32) -> Found<()> {
        if store.len() > self.store_limit {
            return Err(NoInterpolant::new("the interpolant grows too large"));
        }
        if depth > NESTING {
            return Err(NoInterpolant::new("patterns of mixed literals nest too deep"));
        }
        Ok(())
    }

    /// Replaces the outermost patterns for which `rule` has a replacement.
    fn replace(
        &mut self,
        store: &mut TermStore,
        term: TermId,
        depth: u32,
        rule: &mut Replacement<'_>,
    ) -> Found<TermId> {
        self.check_size(store, depth)?;
        let mut map = HashMap::default();
        for placeholder in self.placeholders_in(store, term) {
            let pattern = self.placeholders[&placeholder].clone();
            if let Some(replacement) = rule(self, store, &pattern)? {
                map.insert(placeholder, replacement);
            } else if let Pattern::La { s, gap, f } = pattern {
                let inner = self.replace(store, f, depth + 1, rule)?;
                if inner != f {
                    let outer = self.mk_la(store, s, gap, inner);
                    map.insert(placeholder, outer);
                }
            }
        }
        Ok(if map.is_empty() { term } else { store.substitute(term, &map) })
    }

    /// Replaces an auxiliary variable by a term, in patterns too.
    pub fn substitute(
        &mut self,
        store: &mut TermStore,
        term: TermId,
        x: TermId,
        by: TermId,
        depth: u32,
    ) -> Found<TermId> {
        self.check_size(store, depth)?;
        if !self.mentioned_in(store, term) {
            return Ok(term);
        }
        let mut map = HashMap::from_iter([(x, by)]);
        for placeholder in self.placeholders_in(store, term) {
            let replacement = match self.placeholders[&placeholder].clone() {
                Pattern::Eq { x: other, s } => {
                    let new = store.replace(s, x, by);
                    (new != s).then(|| self.mk_eq(store, other, new))
                }
                Pattern::La { s, gap, f } => {
                    let inner = self.substitute(store, f, x, by, depth + 1)?;
                    let sort = if matches!(gap, Gap::Int(_)) { SortId::INT } else { SortId::REAL };
                    let old = store.mk_linear(&s, sort);
                    let new = store.replace(old, x, by);
                    let changed = inner != f || new != old;
                    changed.then(|| {
                        let s = if new == old { s } else { store.linear_form(new) };
                        self.mk_la(store, s, gap, inner)
                    })
                }
            };
            if let Some(replacement) = replacement {
                map.insert(placeholder, replacement);
            }
        }
        Ok(store.substitute(term, &map))
    }

    /// The rule for a pivot `a = b` with auxiliary variable `x`: `positive` is
    /// the partial interpolant of the clause with `a = b`, `negative` that of the
    /// clause with `a != b`.
    pub fn resolve_equality(
        &mut self,
        store: &mut TermStore,
        atom: TermId,
        positive: TermId,
        negative: TermId,
    ) -> Found<TermId> {
        let Some(&x) = self.auxiliaries.get(&(atom, true)) else {
            // No leaf had anything to say about it: the first has no EQ.
            return Ok(positive);
        };
        self.replace(store, positive, 0, &mut |patterns, store, pattern| match pattern {
            Pattern::Eq { x: own, s } if *own == x => {
                patterns.substitute(store, negative, x, *s, 0).map(Some)
            }
            _ => Ok(None),
        })
    }

    /// The rule for a pivot that is a mixed inequality: `positive` is the partial
    /// interpolant of the clause that contains the atom, `negative` that of the
    /// clause that contains its negation.
    pub fn resolve_inequality(
        &mut self,
        store: &mut TermStore,
        atom: TermId,
        positive: TermId,
        negative: TermId,
    ) -> Found<TermId> {
        let x1 = self.auxiliaries.get(&(atom, true)).copied();
        let x2 = self.auxiliaries.get(&(atom, false)).copied();
        let (Some(x1), Some(x2)) = (x1, x2) else {
            // One of the two has no LA with the variable; the other's LA are then
            // replaced by it as a whole, which is what `I1[I2]` says.
            return match x1 {
                None => Ok(positive),
                Some(x1) => self.replace(store, positive, 0, &mut |_, _, pattern| {
                    Ok(has_variable(pattern, x1).then_some(negative))
                }),
            };
        };
        self.replace(store, positive, 0, &mut |patterns, store, first| {
            if !has_variable(first, x1) {
                return Ok(None);
            }
            let combined =
                patterns.replace(store, negative, 0, &mut |patterns, store, second| {
                    if !has_variable(second, x2) {
                        return Ok(None);
                    }
                    patterns.combine(store, (first, x1), (second, x2)).map(Some)
                })?;
            Ok(Some(combined))
        })
    }

    /// `LA(s3, k3, F3)` from the two; see the module's essay.
    fn combine(
        &mut self,
        store: &mut TermStore,
        (first, x1): (&Pattern, TermId),
        (second, x2): (&Pattern, TermId),
    ) -> Found<TermId> {
        let (Pattern::La { s: s1, gap: gap1, f: f1 }, Pattern::La { s: s2, gap: gap2, f: f2 }) =
            (first, second)
        else {
            unreachable!("has_variable holds for LA only");
        };
        let (c1, s1) = s1.isolate(x1);
        let (c2, s2) = s2.isolate(x2);
        if !c1.is_positive() || !c2.is_positive() {
            return Err(NoInterpolant::new("a mixed bound occurs with the wrong sign"));
        }
        let mut s3 = s1.clone();
        s3.scale(&c2);
        s3.add_scaled(&s2, &c1);
        match (gap1, gap2) {
            (Gap::Int(k1), Gap::Int(k2)) => {
                let first = Bound { c: c1, s: s1, k: k1, f: *f1, x: x1 };
                let second = Bound { c: c2, s: s2, k: k2, f: *f2, x: x2 };
                self.combine_integers(store, s3, first, second)
            }
            (Gap::RealNone | Gap::RealPoint, Gap::RealNone | Gap::RealPoint) => {
                let mut value = s1;
                value.scale(&(-&c1.recip()));
                let x1_value = store.mk_linear(&value, SortId::REAL);
                let x2_value = store.mk_neg(x1_value);
                let second = self.substitute(store, *f2, x2, x2_value, 0)?;
                let (gap3, f3) = if *gap1 == Gap::RealNone {
                    (gap2.clone(), second)
                } else {
                    let first = self.substitute(store, *f1, x1, x1_value, 0)?;
                    let both = store.mk_and(&[first, second]);
                    let zero = store.mk_real(Rational::ZERO);
                    let sum = store.mk_linear(&s3, SortId::REAL);
                    let below = store.mk_lt(sum, zero);
                    (Gap::RealPoint, store.mk_or(&[below, both]))
                };
                Ok(self.mk_la(store, s3, gap3, f3))
            }
            _ => Err(NoInterpolant::new("a mixed bound is over integers and reals at once")),
        }
    }

    /// Resolves two bounds over the integers: where `x` lies in the smaller gap, by cases.
    fn combine_integers(
        &mut self,
        store: &mut TermStore,
        mut sum: LinearForm,
        first: Bound<'_>,
        second: Bound<'_>,
    ) -> Found<TermId> {
        let (Some(c1), Some(c2)) = (first.c.to_integer(), second.c.to_integer()) else {
            return Err(NoInterpolant::new("a mixed integer bound is not integral"));
        };
        let mut gap = &(&(&c2 * first.k) + &(&c1 * second.k)) + &(&c1 * &c2);
        let count1 = (first.k + &Integer::ONE).div_ceil(&c1);
        let count2 = (second.k + &Integer::ONE).div_ceil(&c2);
        // Heuristic: fewer disjuncts first, then no division.
        let take_first = count1 < count2 || (count1 == count2 && (c1.is_one() || !c2.is_one()));
        let (count, c, near, far) = match take_first {
            true => (count1, c1, first, second),
            false => (count2, c2, second, first),
        };
        let Some(count) = count.to_u32().filter(|&count| count <= DISJUNCTS) else {
            return Err(NoInterpolant::new("resolving a mixed integer bound needs too many cases"));
        };
        let mut top = store.mk_linear(&near.s.negated(), SortId::INT);
        if !c.is_one() {
            let divisor = store.mk_int(c);
            top = store.mk_div(top, divisor);
        }
        let mut disjuncts = Vec::new();
        for i in 0..=count {
            let offset = store.mk_int(i64::from(i));
            let value = store.mk_sub(top, offset);
            let minus = store.mk_neg(value);
            let other = self.substitute(store, far.f, far.x, minus, 0)?;
            if i == count {
                // There the first formula is true whatever else holds.
                disjuncts.push(other);
            } else {
                let own = self.substitute(store, near.f, near.x, value, 0)?;
                disjuncts.push(store.mk_and(&[own, other]));
            }
        }
        let either = store.mk_or(&disjuncts);
        // A common factor only widens the gap.
        let factor = sum.primitive_factor();
        if !factor.is_one() && factor.numerator().is_one() && (&sum.constant * &factor).is_integer()
        {
            sum.scale(&factor);
            gap = gap.div_floor(&factor.denominator());
        }
        Ok(self.mk_la(store, sum, Gap::Int(gap), either))
    }
}

fn has_variable(pattern: &Pattern, x: TermId) -> bool {
    match pattern {
        Pattern::Eq { .. } => false,
        Pattern::La { s, .. } => s.terms.iter().any(|&(leaf, _)| leaf == x),
    }
}

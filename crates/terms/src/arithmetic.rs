//! Arithmetic in linear normal form.
//!
//! Sums are flattened into [`LinearForm`]s and built back in the order of the
//! leaves' ids. Atoms have one shape: a constant-free sum `t` whose
//! coefficients are coprime integers, the first one positive, compared with a
//! number `k`:
//!
//! - over `Int`: `t <= k` with `k` rounded down; `t >= k + 1` is exactly its
//!   negation, and there is no strict atom;
//! - over `Real`: `t <= k` and `t < k`; the other directions are negations;
//! - `t = k`, except that `x - y = 0` is written `x = y`; over `Int` an
//!   equality whose coefficients have a common divisor that does not divide
//!   `k` is `false`.
//!
//! So `t` is at once the slack variable that a simplex wants. Atoms over reals
//! whose leaves are all `to_real` of integers become integer atoms.
//!
//! Products of sums are distributed while the result is small. `div` and `mod`
//! by a number other than zero keep only a positive divisor and drop what it
//! divides.

use crate::{LinearForm, Op, Relation, SortId, TermId, TermStore};
use bolide_base::{Integer, Rational};

/// Products whose distribution has more summands stay products.
const DISTRIBUTE_LIMIT: usize = 64;

impl TermStore {
    // ---- linear forms ----

    /// The term as a linear form over its leaves.
    pub fn linear_form(&self, term: TermId) -> LinearForm {
        let mut form = LinearForm::zero();
        if self.op(term) == Op::Add {
            form.terms.reserve(self.args(term).len());
            for &arg in self.args(term) {
                match self.number(arg) {
                    Some(number) => form.constant = number.clone(),
                    // Required: the arguments of a sum are sorted by leaf.
                    None => form.terms.push(self.scaled_leaf(arg)),
                }
            }
        } else if let Some(number) = self.number(term) {
            form.constant = number.clone();
        } else {
            form.terms.push(self.scaled_leaf(term));
        }
        form
    }

    /// Splits `c * x` into `x` and `c`; any other term is its own leaf.
    pub fn scaled_leaf(&self, term: TermId) -> (TermId, Rational) {
        if self.op(term) == Op::Mul
            && let [first, leaf] = *self.args(term)
            && let Some(number) = self.number(first)
        {
            return (leaf, number.clone());
        }
        (term, Rational::ONE)
    }

    /// The linear form of `a - b`: zero exactly when `a = b`.
    pub fn linear_difference(&self, a: TermId, b: TermId) -> LinearForm {
        let mut form = self.linear_form(a);
        form.add_scaled(&self.linear_form(b), &Rational::MINUS_ONE);
        form
    }

    /// What an atom over numbers says of a linear form, or its negation.
    pub fn linear_constraint(
        &self,
        atom: TermId,
        positive: bool,
    ) -> Option<(LinearForm, Relation)> {
        let (Op::Le | Op::Lt | Op::Eq, &[left, right]) = (self.op(atom), self.args(atom)) else {
            return None;
        };
        let sort = self.sort(left);
        if !sort.is_arithmetic() {
            return None;
        }
        let form = self.linear_difference(left, right);
        let (mut form, relation) = match (self.op(atom), positive) {
            (Op::Eq, true) => (form, Relation::Equal),
            (Op::Eq, false) => (form, Relation::Different),
            (Op::Le, true) => (form, Relation::AtMost),
            (Op::Lt, true) => (form, Relation::Below),
            (Op::Le, false) => (form.negated(), Relation::Below),
            _ => (form.negated(), Relation::AtMost),
        };
        if sort == SortId::INT && relation == Relation::Below {
            form.constant += &Rational::ONE;
            return Some((form, Relation::AtMost));
        }
        Some((form, relation))
    }

    /// The term of a linear form, of the given sort.
    pub fn mk_linear(&mut self, form: &LinearForm, sort: SortId) -> TermId {
        if form.terms.is_empty() {
            return self.mk_number(form.constant.clone(), sort);
        }
        if let [(leaf, coefficient)] = form.terms.as_slice()
            && form.constant.is_zero()
        {
            return self.mk_scaled(coefficient, *leaf, sort);
        }
        let mut args = Vec::with_capacity(form.terms.len() + 1);
        for (leaf, coefficient) in &form.terms {
            args.push(self.mk_scaled(coefficient, *leaf, sort));
        }
        if !form.constant.is_zero() {
            args.push(self.mk_number(form.constant.clone(), sort));
        }
        self.intern(Op::Add, sort, &args)
    }

    fn mk_scaled(&mut self, coefficient: &Rational, leaf: TermId, sort: SortId) -> TermId {
        if coefficient.is_one() {
            return leaf;
        }
        let number = self.mk_number(coefficient.clone(), sort);
        self.intern(Op::Mul, sort, &[number, leaf])
    }

    // ---- sums and products ----

    /// The sum of at least one term.
    pub fn mk_add(&mut self, args: &[TermId]) -> TermId {
        let sort = self.sort(args[0]);
        debug_assert!(args.iter().all(|&a| self.sort(a) == sort));
        if let [single] = args {
            return *single;
        }
        let mut form = self.linear_form(args[0]);
        if args.len() <= 4 {
            for &arg in &args[1..] {
                form.add_scaled(&self.linear_form(arg), &Rational::ONE);
            }
        } else {
            // Many summands: collect, sort once, then merge neighbours.
            for &arg in &args[1..] {
                let other = self.linear_form(arg);
                form.constant += &other.constant;
                form.terms.extend(other.terms);
            }
            form.terms.sort_by_key(|t| t.0);
            form.terms.dedup_by(|next, kept| {
                if next.0 == kept.0 {
                    kept.1 += &next.1;
                    return true;
                }
                false
            });
            form.terms.retain(|t| !t.1.is_zero());
        }
        self.mk_linear(&form, sort)
    }

    /// `a - b`.
    pub fn mk_sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_linear(&self.linear_difference(a, b), self.sort(a))
    }

    /// `-a`.
    pub fn mk_neg(&mut self, a: TermId) -> TermId {
        self.mk_scale(&Rational::MINUS_ONE, a)
    }

    /// `factor * a`.
    pub fn mk_scale(&mut self, factor: &Rational, a: TermId) -> TermId {
        let mut form = self.linear_form(a);
        form.scale(factor);
        let sort = self.sort(a);
        self.mk_linear(&form, sort)
    }

    /// The product of at least one term.
    pub fn mk_mul(&mut self, args: &[TermId]) -> TermId {
        let sort = self.sort(args[0]);
        let mut factor = Rational::ONE;
        let mut rest = Vec::new();
        for &arg in args {
            match self.number(arg) {
                Some(number) => factor *= number,
                None => rest.push(arg),
            }
        }
        if factor.is_zero() || rest.is_empty() {
            return self.mk_number(factor, sort);
        }
        // Small factors first: the outcome does not depend on the order given.
        rest.sort_by_cached_key(|&t| (self.linear_form(t).terms.len(), t));
        let mut product = self.linear_form(rest[0]);
        product.scale(&factor);
        // Factors that were too large to be distributed.
        let mut opaque = Vec::new();
        for &other in &rest[1..] {
            let form = self.linear_form(other);
            let size = |f: &LinearForm| f.terms.len() + usize::from(!f.constant.is_zero());
            if size(&product) * size(&form) > DISTRIBUTE_LIMIT {
                opaque.push(other);
            } else {
                product = self.distribute(&product, &form, sort);
            }
        }
        if opaque.is_empty() {
            return self.mk_linear(&product, sort);
        }
        if let Some(number) = product.as_constant().cloned() {
            // Everything that was distributed cancelled out to a number.
            let rest = self.mk_monomial(&opaque, sort);
            return self.mk_scale(&number, rest);
        }
        // Keep the number outside of the monomial, as for any other leaf.
        let content = product.primitive_factor();
        product.scale(&content);
        let head = self.mk_linear(&product, sort);
        opaque.push(head);
        let monomial = self.mk_monomial(&opaque, sort);
        self.mk_scale(&content.recip(), monomial)
    }

    fn distribute(&mut self, a: &LinearForm, b: &LinearForm, sort: SortId) -> LinearForm {
        let mut result = LinearForm::from_constant(&a.constant * &b.constant);
        for (leaf, coefficient) in &a.terms {
            result.add_term(*leaf, &(coefficient * &b.constant));
        }
        for (leaf, coefficient) in &b.terms {
            result.add_term(*leaf, &(coefficient * &a.constant));
        }
        for (x, c) in &a.terms {
            for (y, d) in &b.terms {
                let monomial = self.mk_monomial(&[*x, *y], sort);
                result.add_term(monomial, &(c * d));
            }
        }
        result
    }

    /// The product of leaves, themselves perhaps monomials.
    fn mk_monomial(&mut self, leaves: &[TermId], sort: SortId) -> TermId {
        if let [single] = leaves {
            return *single;
        }
        let mut factors = Vec::with_capacity(leaves.len());
        for &leaf in leaves {
            if self.op(leaf) == Op::Mul {
                factors.extend_from_slice(self.args(leaf));
            } else {
                factors.push(leaf);
            }
        }
        factors.sort_unstable();
        self.intern(Op::Mul, sort, &factors)
    }

    /// Whether the term is a product of at least two factors that are not
    /// numbers.
    pub fn is_monomial(&self, term: TermId) -> bool {
        self.op(term) == Op::Mul && self.number(self.arg(term, 0)).is_none()
    }

    // ---- atoms ----

    /// `a <= b`.
    pub fn mk_le(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_nonpositive(self.linear_difference(a, b), self.sort(a), false)
    }

    /// `a < b`.
    pub fn mk_lt(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_nonpositive(self.linear_difference(a, b), self.sort(a), true)
    }

    /// `a >= b`.
    pub fn mk_ge(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_le(b, a)
    }

    /// `a > b`.
    pub fn mk_gt(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_lt(b, a)
    }

    /// `form <= 0`, or `form < 0` when strict; the leaves are of that sort.
    pub fn mk_nonpositive(&mut self, form: LinearForm, sort: SortId, strict: bool) -> TermId {
        self.mk_comparison(form, sort, strict, true)
    }

    /// The same as it stands: also where the value of an `ite` would decide it. For lemmas about the form itself.
    pub fn mk_nonpositive_plain(&mut self, form: LinearForm, sort: SortId, strict: bool) -> TermId {
        self.mk_comparison(form, sort, strict, false)
    }

    fn mk_comparison(
        &mut self,
        mut form: LinearForm,
        sort: SortId,
        strict: bool,
        folds: bool,
    ) -> TermId {
        if let Some(constant) = form.as_constant() {
            return self.mk_bool(constant.is_negative() || (!strict && constant.is_zero()));
        }
        let sort = self.integral_leaves(&mut form, sort);
        form.scale(&form.primitive_factor());
        if sort == SortId::INT && strict {
            // The sum of the leaves is an integer, the constant need not be:
            // s < -c is s <= ceil(-c) - 1.
            form.constant = Rational::from(form.constant.floor() + Integer::ONE);
        }
        let upper = !form.leads_negative();
        let mut bound = -&form.constant;
        form.constant = Rational::ZERO;
        if upper {
            if sort == SortId::INT {
                bound = Rational::from(bound.floor());
            }
            let (t, k) = self.mk_sides(&form, bound, sort);
            let op = if sort == SortId::REAL && strict { Op::Lt } else { Op::Le };
            self.mk_bound_atom(op, t, k, folds)
        } else {
            // -t <= bound, so t >= -bound: the negation of t < -bound.
            form.scale(&Rational::MINUS_ONE);
            bound = -bound;
            if sort == SortId::INT {
                bound = Rational::from(bound.ceil() - Integer::ONE);
            }
            let (t, k) = self.mk_sides(&form, bound, sort);
            let op = if sort == SortId::REAL && !strict { Op::Lt } else { Op::Le };
            let atom = self.mk_bound_atom(op, t, k, folds);
            self.mk_not(atom)
        }
    }

    /// `t <= k`, or `t < k` when strict (over `Real` only), as it stands: also where the
    /// value of an `ite` would decide it. Required: canonical `t` and a
    /// number `k`, see the head of this module. For the definitions of `ite`,
    /// which must bound the `ite` itself.
    pub fn mk_bound_plain(&mut self, t: TermId, k: TermId, strict: bool) -> TermId {
        debug_assert!(self.number(k).is_some() && !(strict && self.sort(t) == SortId::INT));
        self.intern(if strict { Op::Lt } else { Op::Le }, SortId::BOOL, &[t, k])
    }

    fn mk_sides(&mut self, form: &LinearForm, k: Rational, sort: SortId) -> (TermId, TermId) {
        let t = self.mk_linear(form, sort);
        let k = self.mk_number(k, sort);
        (t, k)
    }

    fn mk_bound_atom(&mut self, op: Op, t: TermId, k: TermId, folds: bool) -> TermId {
        if folds && self.op(t) == Op::Ite {
            let &[condition, then, other] = self.args(t) else { unreachable!("ite has three") };
            if let (Some(a), Some(b), Some(k)) =
                (self.number(then), self.number(other), self.number(k))
            {
                let holds = |x: &Rational| self.mk_bool(x < k || (op == Op::Le && x == k));
                let (then, other) = (holds(a), holds(b));
                return self.mk_ite(condition, then, other);
            }
        }
        self.intern(op, SortId::BOOL, &[t, k])
    }

    /// When every leaf of a form over `Real` is `to_real` of an integer, makes
    /// the form one over those integers.
    fn integral_leaves(&self, form: &mut LinearForm, sort: SortId) -> SortId {
        if sort != SortId::REAL || !form.terms.iter().all(|t| self.op(t.0) == Op::ToReal) {
            return sort;
        }
        for (leaf, _) in &mut form.terms {
            *leaf = self.arg(*leaf, 0);
        }
        form.terms.sort_by_key(|t| t.0);
        SortId::INT
    }

    pub(crate) fn mk_arithmetic_eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_zero(self.linear_difference(a, b), self.sort(a))
    }

    /// `form = 0`; the leaves are of that sort.
    pub fn mk_zero(&mut self, mut form: LinearForm, sort: SortId) -> TermId {
        if let Some(constant) = form.as_constant() {
            return self.mk_bool(constant.is_zero());
        }
        let sort = self.integral_leaves(&mut form, sort);
        form.scale(&form.primitive_factor());
        if sort == SortId::INT && !form.constant.is_integer() {
            return TermId::FALSE;
        }
        if form.leads_negative() {
            form.scale(&Rational::MINUS_ONE);
        }
        if let [(x, c), (y, d)] = form.terms.as_slice()
            && form.constant.is_zero()
            && c.is_one()
            && d.is_minus_one()
        {
            // Leaves are sorted by id and are no values.
            return self.intern(Op::Eq, SortId::BOOL, &[*x, *y]);
        }
        let k = -&form.constant;
        form.constant = Rational::ZERO;
        let (t, k) = self.mk_sides(&form, k, sort);
        if let Some(folded) = self.fold_ite_eq(t, k) {
            return folded;
        }
        self.intern(Op::Eq, SortId::BOOL, &[t, k])
    }

    // ---- division ----

    /// Integer quotient of SMT-LIB: the remainder is never negative. Division
    /// by zero is some function of the dividend.
    pub fn mk_div(&mut self, a: TermId, b: TermId) -> TermId {
        let Some(divisor) = self.number(b).and_then(Rational::to_integer) else {
            return self.intern(Op::Div, SortId::INT, &[a, b]);
        };
        if divisor.is_zero() {
            return self.intern(Op::Div, SortId::INT, &[a, b]);
        }
        if divisor.is_negative() {
            let positive = self.mk_int(-&divisor);
            let quotient = self.mk_div(a, positive);
            return self.mk_neg(quotient);
        }
        let (mut whole, mut rest) = self.split_multiples(a, &divisor);
        if let Some(constant) = rest.as_constant() {
            let constant = constant.to_integer().expect("an integer form");
            whole.constant += Rational::from(constant.div_floor(&divisor));
            return self.mk_linear(&whole, SortId::INT);
        }
        // (g*t + c) div (g*k) = (t + c div g) div k.
        let mut gcd = divisor.clone();
        for (_, coefficient) in &rest.terms {
            gcd = gcd.gcd(&coefficient.numerator());
        }
        let mut divisor = divisor;
        if !gcd.is_one() {
            divisor = divisor.div_exact(&gcd);
            rest.scale(&Rational::new(Integer::ONE, gcd));
            let (quotient, remainder) = if rest.constant.floor().abs() >= divisor {
                rest.constant.floor().div_rem_euclid(&divisor)
            } else {
                (Integer::ZERO, rest.constant.floor())
            };
            whole.constant += Rational::from(quotient);
            rest.constant = Rational::from(remainder);
        }
        let dividend = self.mk_linear(&rest, SortId::INT);
        let quotient = if divisor.is_one() {
            dividend
        } else if self.is_remainder_below(dividend, &divisor) {
            return self.mk_linear(&whole, SortId::INT);
        } else {
            let divisor = self.mk_int(divisor);
            self.intern(Op::Div, SortId::INT, &[dividend, divisor])
        };
        let quotient = self.linear_form(quotient);
        whole.add_scaled(&quotient, &Rational::ONE);
        self.mk_linear(&whole, SortId::INT)
    }

    /// `a div b` as it stands, for the definition of `a mod b`: what it simplifies to may have another dividend.
    pub fn mk_div_plain(&mut self, a: TermId, b: TermId) -> TermId {
        self.intern(Op::Div, SortId::INT, &[a, b])
    }

    /// Integer remainder of SMT-LIB, in `0 .. |b|`.
    pub fn mk_mod(&mut self, a: TermId, b: TermId) -> TermId {
        let divisor = match self.number(b).and_then(Rational::to_integer) {
            Some(divisor) if !divisor.is_zero() => divisor.abs(),
            _ => return self.intern(Op::Mod, SortId::INT, &[a, b]),
        };
        let (_, rest) = self.split_multiples(a, &divisor);
        let mut rest = self.drop_inner_remainders(rest, &divisor);
        if let Some(constant) = rest.as_constant() {
            let constant = constant.to_integer().expect("an integer form");
            return self.mk_int(constant.rem_euclid(&divisor));
        }
        // (g*t) mod (g*k) = g * (t mod k).
        let mut gcd = divisor.gcd(&rest.constant.numerator());
        for (_, coefficient) in &rest.terms {
            gcd = gcd.gcd(&coefficient.numerator());
        }
        let divisor = divisor.div_exact(&gcd);
        if divisor.is_one() {
            return self.mk_int(0);
        }
        rest.scale(&Rational::new(Integer::ONE, gcd.clone()));
        let dividend = self.mk_linear(&rest, SortId::INT);
        let remainder = if self.is_remainder_below(dividend, &divisor) {
            dividend
        } else {
            let divisor = self.mk_int(divisor);
            self.intern(Op::Mod, SortId::INT, &[dividend, divisor])
        };
        self.mk_scale(&Rational::from(gcd), remainder)
    }

    /// `a = divisor * first + second`, where `first` takes the summands that
    /// the divisor divides, and as much of the constant as is beyond it.
    fn split_multiples(&self, a: TermId, divisor: &Integer) -> (LinearForm, LinearForm) {
        let form = self.linear_form(a);
        let mut whole = LinearForm::zero();
        let mut rest = LinearForm::zero();
        for (leaf, coefficient) in form.terms {
            if divisor.divides(&coefficient.numerator()) {
                let quotient = coefficient.numerator().div_exact(divisor);
                whole.terms.push((leaf, Rational::from(quotient)));
            } else {
                rest.terms.push((leaf, coefficient));
            }
        }
        let constant = form.constant.numerator();
        if constant.abs() >= *divisor {
            let (quotient, remainder) = constant.div_rem_euclid(divisor);
            whole.constant = Rational::from(quotient);
            rest.constant = Rational::from(remainder);
        } else {
            rest.constant = form.constant;
        }
        (whole, rest)
    }

    /// Under `mod k`, `c * (x mod m)` is `c * x` when `k` divides `c * m`.
    fn drop_inner_remainders(&self, form: LinearForm, divisor: &Integer) -> LinearForm {
        let removable = |term: &(TermId, Rational)| {
            self.op(term.0) == Op::Mod
                && self
                    .number(self.arg(term.0, 1))
                    .is_some_and(|m| !m.is_zero() && divisor.divides(&(m * &term.1).numerator()))
        };
        let mut form = form;
        // An inner remainder may hold further ones that were kept because of
        // another modulus; each round removes one level.
        while form.terms.iter().any(removable) {
            let mut next = LinearForm::from_constant(form.constant.clone());
            for term in &form.terms {
                if removable(term) {
                    next.add_scaled(&self.linear_form(self.arg(term.0, 0)), &term.1);
                } else {
                    next.add_term(term.0, &term.1);
                }
            }
            next.terms.retain(|t| !divisor.divides(&t.1.numerator()));
            let constant = next.constant.numerator();
            if constant.abs() >= *divisor {
                next.constant = Rational::from(constant.rem_euclid(divisor));
            }
            form = next;
        }
        form
    }

    /// Whether the term is `x mod m` with `0 < m <= divisor`.
    fn is_remainder_below(&self, term: TermId, divisor: &Integer) -> bool {
        self.op(term) == Op::Mod
            && self
                .number(self.arg(term, 1))
                .is_some_and(|m| m.is_positive() && m.numerator() <= *divisor)
    }

    /// `a / b` over the reals. Division by zero is some function of the
    /// dividend.
    pub fn mk_quotient(&mut self, a: TermId, b: TermId) -> TermId {
        match self.number(b) {
            Some(divisor) if !divisor.is_zero() => {
                let factor = divisor.recip();
                self.mk_scale(&factor, a)
            }
            _ => self.intern(Op::Quotient, SortId::REAL, &[a, b]),
        }
    }

    /// The absolute value.
    pub fn mk_abs(&mut self, a: TermId) -> TermId {
        let zero = self.mk_number(Rational::ZERO, self.sort(a));
        let nonnegative = self.mk_ge(a, zero);
        let negated = self.mk_neg(a);
        self.mk_ite(nonnegative, a, negated)
    }

    // ---- between integers and reals ----

    /// The integer as a real; a real stays as it is.
    pub fn mk_to_real(&mut self, a: TermId) -> TermId {
        if self.sort(a) == SortId::REAL {
            return a;
        }
        let form = self.linear_form(a);
        let mut result = LinearForm::from_constant(form.constant);
        for (leaf, coefficient) in form.terms {
            let real = self.intern(Op::ToReal, SortId::REAL, &[leaf]);
            result.add_term(real, &coefficient);
        }
        self.mk_linear(&result, SortId::REAL)
    }

    /// The largest integer not above the real.
    pub fn mk_to_int(&mut self, a: TermId) -> TermId {
        let form = self.linear_form(a);
        // What is known to be an integer comes out of the floor.
        let mut whole = LinearForm::zero();
        let mut rest = LinearForm::zero();
        for (leaf, coefficient) in form.terms {
            if self.op(leaf) == Op::ToReal && coefficient.is_integer() {
                whole.add_term(self.arg(leaf, 0), &coefficient);
            } else {
                rest.terms.push((leaf, coefficient));
            }
        }
        let floor = Rational::from(form.constant.floor());
        rest.constant = &form.constant - &floor;
        whole.constant = floor;
        if !rest.terms.is_empty() {
            let rest = self.mk_linear(&rest, SortId::REAL);
            let leaf = self.intern(Op::ToInt, SortId::INT, &[rest]);
            whole.add_term(leaf, &Rational::ONE);
        }
        self.mk_linear(&whole, SortId::INT)
    }

    /// Whether the real is an integer.
    pub fn mk_is_int(&mut self, a: TermId) -> TermId {
        let floor = self.mk_to_int(a);
        let floor = self.mk_to_real(floor);
        self.mk_eq(a, floor)
    }
}

//! Every rule: a right step is accepted, the same step with one thing changed is
//! rejected.

use bolide_base::arena::Id;
use bolide_base::{HashMap, Integer, Rational};
use bolide_proof::{
    Certificate, Literal, Proof, Rule, Step, StepId, Tautology, check, check_refutation,
};
use bolide_terms::powers::lowest_bits;
use bolide_terms::residue::{image, image_width};
use bolide_terms::{SortId, TermId, TermStore};
use expect_test::expect;

fn step(store: &TermStore, formulas: &[TermId], rule: Rule) -> Step {
    Step { clause: formulas.iter().map(|&f| Literal::new(store, f)).collect(), rule }
}

fn accepts(store: &TermStore, formulas: &[TermId], rule: Rule) -> bool {
    check(store, &Proof { steps: vec![step(store, formulas, rule)] }).is_ok()
}

/// The clause is accepted; without any one of its literals, with any one
/// of them negated, or with `other` in place of any one of them it is not.
#[track_caller]
fn check_rule(store: &mut TermStore, formulas: &[TermId], rule: Rule, other: TermId) {
    assert!(accepts(store, formulas, rule.clone()), "the step is right");
    for i in 0..formulas.len() {
        let mut without = formulas.to_vec();
        without.remove(i);
        assert!(!accepts(store, &without, rule.clone()), "without literal {i}");
        let mut negated = formulas.to_vec();
        negated[i] = store.mk_not(formulas[i]);
        assert!(!accepts(store, &negated, rule.clone()), "with literal {i} negated");
        let mut replaced = formulas.to_vec();
        replaced[i] = other;
        assert!(!accepts(store, &replaced, rule.clone()), "with literal {i} replaced");
    }
}

fn tautology(rule: Tautology) -> Rule {
    Rule::Tautology(rule)
}

#[test]
fn propositional_definitions() {
    let mut store = TermStore::new();
    let [p, q, r, other] = ["p", "q", "r", "other"].map(|n| store.mk_const(n, SortId::BOOL));
    let [np, nq, nr] = [p, q, r].map(|t| store.mk_not(t));
    let and = store.mk_and(&[p, nq, r]);
    let not_and = store.mk_not(and);
    check_rule(&mut store, &[not_and, nq], tautology(Tautology::And(and)), other);
    check_rule(&mut store, &[and, np, q, nr], tautology(Tautology::And(and)), other);
    let or = store.mk_or(&[p, nq, r]);
    let not_or = store.mk_not(or);
    check_rule(&mut store, &[or, q], tautology(Tautology::Or(or)), other);
    check_rule(&mut store, &[not_or, p, nq, r], tautology(Tautology::Or(or)), other);
    let iff = store.mk_iff(p, q);
    let not_iff = store.mk_not(iff);
    for clause in [[not_iff, np, q], [not_iff, p, nq], [iff, p, q], [iff, np, nq]] {
        check_rule(&mut store, &clause, tautology(Tautology::Iff(iff)), other);
    }
    let ite = store.mk_ite(p, q, r);
    let not_ite = store.mk_not(ite);
    let clauses = [
        [not_ite, np, q],
        [not_ite, p, r],
        [ite, np, nq],
        [ite, p, nr],
        [not_ite, q, r],
        [ite, nq, nr],
    ];
    for clause in clauses {
        check_rule(&mut store, &clause, tautology(Tautology::IteBool(ite)), other);
    }
    check_rule(&mut store, &[TermId::TRUE], tautology(Tautology::Constant), other);
    // A rule for another operator.
    assert!(!accepts(&store, &[not_and, nq], tautology(Tautology::Or(and))));
}

#[test]
fn arithmetic_definitions() {
    let mut store = TermStore::new();
    let [x, y] = ["x", "y"].map(|n| store.mk_const(n, SortId::INT));
    let [r, s] = ["r", "s"].map(|n| store.mk_const(n, SortId::REAL));
    let c = store.mk_const("c", SortId::BOOL);
    let not_c = store.mk_not(c);
    let other = store.mk_lt(y, x);
    for (a, b) in [(x, y), (r, s)] {
        let eq = store.mk_eq(a, b);
        let ne = store.mk_not(eq);
        let (lt, gt) = (store.mk_lt(a, b), store.mk_gt(a, b));
        let (le, ge) = (store.mk_le(a, b), store.mk_ge(a, b));
        let unrelated = store.mk_const("unrelated", SortId::BOOL);
        check_rule(&mut store, &[eq, lt, gt], tautology(Tautology::Trichotomy(eq)), unrelated);
        check_rule(&mut store, &[ne, le], tautology(Tautology::EqualityBound(eq)), unrelated);
        check_rule(&mut store, &[ne, ge], tautology(Tautology::EqualityBound(eq)), unrelated);
    }
    let ite = store.mk_ite(c, x, y);
    let (is_x, is_y) = (store.mk_eq_plain(ite, x), store.mk_eq_plain(ite, y));
    check_rule(&mut store, &[not_c, is_x], tautology(Tautology::Ite(ite)), other);
    check_rule(&mut store, &[c, is_y], tautology(Tautology::Ite(ite)), other);
    assert!(!accepts(&store, &[c, is_x], tautology(Tautology::Ite(ite))));
    let three = store.mk_int(3);
    let quotient = store.mk_div(x, three);
    let multiple = store.mk_mul(&[three, quotient]);
    let below = store.mk_le(multiple, x);
    let last = store.mk_int(2);
    let end = store.mk_add(&[multiple, last]);
    let above = store.mk_le(x, end);
    check_rule(&mut store, &[below], tautology(Tautology::Div(quotient)), other);
    check_rule(&mut store, &[above], tautology(Tautology::Div(quotient)), other);
    let one = store.mk_int(1);
    let early = store.mk_add(&[multiple, one]);
    let too_strong = store.mk_le(x, early);
    assert!(!accepts(&store, &[too_strong], tautology(Tautology::Div(quotient))));
    let remainder = store.mk_mod(x, three);
    let sum = store.mk_add(&[remainder, multiple]);
    let at_most = store.mk_le(sum, x);
    check_rule(&mut store, &[at_most], tautology(Tautology::Mod(remainder)), other);
    let floor = store.mk_to_int(r);
    let real_floor = store.mk_to_real(floor);
    let lower = store.mk_le(real_floor, r);
    check_rule(&mut store, &[lower], tautology(Tautology::ToInt(floor)), other);
    let unit = store.mk_real(Rational::ONE);
    let next = store.mk_add(&[real_floor, unit]);
    let upper = store.mk_lt(r, next);
    check_rule(&mut store, &[upper], tautology(Tautology::ToInt(floor)), other);
    // Division by an unknown is guarded.
    let zero = store.mk_int(0);
    let by_y = store.mk_div(x, y);
    let product = store.mk_mul(&[y, by_y]);
    let bound = store.mk_le(product, x);
    let guard = store.mk_eq(y, zero);
    check_rule(&mut store, &[guard, bound], tautology(Tautology::Div(by_y)), other);
    let half = store.mk_quotient(r, s);
    let exact = store.mk_mul(&[s, half]);
    let exact = store.mk_eq(exact, r);
    let real_zero = store.mk_real(Rational::ZERO);
    let guard = store.mk_eq(s, real_zero);
    check_rule(&mut store, &[guard, exact], tautology(Tautology::Quotient(half)), other);
}

#[test]
fn products() {
    let mut store = TermStore::new();
    let [x, y] = ["x", "y"].map(|n| store.mk_const(n, SortId::INT));
    let other = store.mk_const("other", SortId::BOOL);
    let zero = store.mk_int(0);
    let product = store.mk_mul(&[x, y]);
    let rule = |left, right| tautology(Tautology::Product { left, right });
    let clause = [store.mk_le(x, zero), store.mk_le(y, zero), store.mk_gt(product, zero)];
    check_rule(&mut store, &clause, rule(x, y), other);
    // (x - 2) * (y - 3) <= 0 if x >= 2 and y <= 3.
    let (two, three, six) = (store.mk_int(2), store.mk_int(3), store.mk_int(6));
    let (tx, ty) = (store.mk_mul(&[three, x]), store.mk_mul(&[two, y]));
    let planes = store.mk_add(&[tx, ty]);
    let left = store.mk_add(&[product, six]);
    let plane = store.mk_le(left, planes);
    let clause = [store.mk_lt(x, two), store.mk_gt(y, three), plane];
    let (less, other_less) = (store.mk_sub(x, two), store.mk_sub(x, three));
    let right = store.mk_sub(y, three);
    check_rule(&mut store, &clause, rule(less, right), other);
    assert!(!accepts(&store, &clause, rule(other_less, right)));
    // y * (x - y) = 2 * y if x - y = 2.
    let difference = store.mk_sub(x, y);
    let (squared, twice) = (store.mk_mul(&[y, y]), store.mk_mul(&[two, y]));
    let right = store.mk_add(&[squared, twice]);
    let [rest, other_rest] = [two, three].map(|at| store.mk_sub(difference, at));
    for bound in [store.mk_le(product, right), store.mk_ge(product, right)] {
        let clause = [store.mk_lt(difference, two), store.mk_gt(difference, two), bound];
        check_rule(&mut store, &clause, rule(y, rest), other);
        assert!(!accepts(&store, &clause, rule(y, other_rest)));
    }
    // i * y <= n * y - y if i < n and y >= 0.
    let [i, n] = ["i", "n"].map(|name| store.mk_const(name, SortId::INT));
    let [small, large] = [i, n].map(|factor| store.mk_mul(&[factor, y]));
    let most = store.mk_sub(large, y);
    let clause = [store.mk_ge(i, n), store.mk_lt(y, zero), store.mk_le(small, most)];
    let one = store.mk_int(1);
    let room = store.mk_sub(n, i);
    let less = store.mk_sub(room, one);
    check_rule(&mut store, &clause, rule(less, y), other);
    assert!(!accepts(&store, &clause, rule(room, y)));
}

#[test]
fn integers_and_bits() {
    let mut store = TermStore::new();
    let [x, y] = ["x", "y"].map(|n| store.mk_const(n, SortId::INT));
    let other = store.mk_const("other", SortId::BOOL);
    let sort = store.mk_bv_sort(8);
    let v = store.mk_const("v", sort);
    let number = store.mk_bv_to_int(v, false);
    let [zero, seven, most] = [0, 7, 255].map(|n| store.mk_int(n));
    let range = tautology(Tautology::BitRange(number));
    for bound in [store.mk_ge(number, zero), store.mk_le(number, most)] {
        check_rule(&mut store, &[bound], range.clone(), other);
    }
    let too_strong = store.mk_lt(number, most);
    assert!(!accepts(&store, &[too_strong], range));

    // x + y <= number(v) for x and y in 0 ..= 7.
    let sum = store.mk_add(&[x, y]);
    let atom = store.mk_le(sum, number);
    let (atom, _) = store.atom_and_sign(atom);
    let given = HashMap::from_iter([x, y].map(|leaf| (leaf, (Integer::from(0), Integer::from(7)))));
    let width = image_width(&store, atom, &given).unwrap();
    let output = image(&mut store, atom, width, &given).unwrap();
    let formula = store.mk_iff(atom, output);
    let mut clause = vec![formula];
    for leaf in [x, y] {
        clause.extend([store.mk_lt(leaf, zero), store.mk_gt(leaf, seven)]);
    }
    check_rule(&mut store, &clause, tautology(Tautology::Image { atom, width }), other);
    // In fewer bits it might overflow.
    let narrow = image(&mut store, atom, width - 1, &given).unwrap();
    clause[0] = store.mk_iff(atom, narrow);
    let rule = tautology(Tautology::Image { atom, width: width - 1 });
    assert!(!accepts(&store, &clause, rule));

    // Without any range the low bits of equal numbers are the same.
    let equality = store.mk_eq(sum, number);
    let same = image(&mut store, equality, 5, &HashMap::default()).unwrap();
    let different = store.mk_not(equality);
    let rule = |width| tautology(Tautology::Residue { equality, width });
    check_rule(&mut store, &[different, same], rule(5), other);
    assert!(!accepts(&store, &[different, same], rule(4)));
}

#[test]
fn powers_of_two() {
    let mut store = TermStore::new();
    let s = &mut store;
    let [x, y, z] = ["x", "y", "z"].map(|n| s.mk_const(n, SortId::INT));
    let (p, q) = (s.mk_pow2(x), s.mk_pow2(y));
    let [zero, one, three, five, eight] = [0, 1, 3, 5, 8].map(|n: i64| s.mk_int(n));
    let other = s.mk_le(y, z);
    let rule = |at| tautology(Tautology::Power { power: p, at });
    let not_negative = s.mk_ge(p, zero);
    check_rule(s, &[not_negative], rule(0), other);
    let positive = s.mk_gt(p, zero);
    assert!(!accepts(s, &[positive], rule(0)));
    let below_zero = [s.mk_ge(x, zero), s.mk_le(p, zero)];
    check_rule(s, &below_zero, rule(0), other);
    let above = [s.mk_lt(x, zero), s.mk_gt(p, x)];
    check_rule(s, &above, rule(0), other);
    let from_below = [s.mk_lt(x, three), s.mk_ge(p, eight)];
    check_rule(s, &from_below, rule(3), other);
    assert!(!accepts(s, &from_below, rule(2)));
    let early = [s.mk_le(x, one), s.mk_ge(p, eight)];
    assert!(!accepts(s, &early, rule(3)));
    let from_above = [s.mk_gt(x, three), s.mk_le(p, eight)];
    check_rule(s, &from_above, rule(3), other);
    let even = lowest_bits(s, p, 2).unwrap();
    let small = s.mk_le(x, one);
    check_rule(s, &[small, even], rule(2), other);
    assert!(!accepts(s, &[small, even], rule(3)));
    assert!(!accepts(s, &from_below, rule(u32::MAX)));

    let order = |low, high, difference| tautology(Tautology::PowerOrder { low, high, difference });
    let twice = s.mk_add(&[p, p]);
    let next = [s.mk_ge(x, y), s.mk_le(twice, q)];
    check_rule(s, &next, order(p, q, 1), other);
    assert!(!accepts(s, &next, order(p, q, 2)));
    assert!(!accepts(s, &next, order(q, p, 1)));
    assert!(!accepts(s, &next, order(p, z, 1)));

    // The conjunction of the lowest z bits of x and y.
    let a = s.mk_low_and(z, x, y);
    let other = s.mk_eq(x, five);
    let rule = |at| tautology(Tautology::LowAnd { conjunction: a, at });
    let not_negative = s.mk_ge(a, zero);
    check_rule(s, &[not_negative], rule(0), other);
    for part in [x, y] {
        let clause = [s.mk_lt(part, zero), s.mk_le(a, part)];
        check_rule(s, &clause, rule(0), other);
    }
    let bound = [s.mk_gt(z, three), s.mk_lt(a, eight)];
    check_rule(s, &bound, rule(3), other);
    assert!(!accepts(s, &bound, rule(2)));
    let bits = lowest_bits(s, a, 3).unwrap();
    let few = s.mk_lt(z, three);
    check_rule(s, &[few, bits], rule(3), other);
    let fewer = s.mk_lt(z, one);
    assert!(!accepts(s, &[fewer, bits], rule(3)));
    let end = s.mk_pow2(z);
    let fits = |s: &mut TermStore, part| [s.mk_lt(part, zero), s.mk_ge(part, end)];
    let (x_fits, y_fits) = (fits(s, x), fits(s, y));
    let (sum, most) = (s.mk_add(&[x, y]), s.mk_add(&[a, end]));
    let mut clause = [x_fits, y_fits].concat();
    clause.push(s.mk_lt(sum, most));
    check_rule(s, &clause, rule(0), other);
    let mut same = x_fits.to_vec();
    same.extend([s.mk_lt(x, y), s.mk_gt(x, y), s.mk_le(x, a)]);
    check_rule(s, &same, rule(0), other);
}

#[test]
fn remainders_by_an_unknown() {
    let mut store = TermStore::new();
    let s = &mut store;
    let [a, b, c] = ["a", "b", "c"].map(|n| s.mk_const(n, SortId::INT));
    let zero = s.mk_int(0);
    let other = s.mk_le(a, b);
    let by_zero = s.mk_eq(c, zero);
    let inner = s.mk_mod(b, c);
    let multiple = s.mk_mul(&[a, c]);
    let (sum, longer) = (s.mk_add(&[a, inner]), s.mk_add(&[a, b, multiple]));
    let (left, right) = (s.mk_mod(sum, c), s.mk_mod(longer, c));
    let rule = tautology(Tautology::Remainders { left, right });
    let bound = s.mk_le(left, right);
    check_rule(s, &[by_zero, bound], rule, other);
    let shorter = s.mk_mod(a, c);
    let bound = s.mk_le(left, shorter);
    let rule = tautology(Tautology::Remainders { left, right: shorter });
    assert!(!accepts(s, &[by_zero, bound], rule));
    let elsewhere = s.mk_mod(longer, a);
    let bound = s.mk_le(left, elsewhere);
    let rule = tautology(Tautology::Remainders { left, right: elsewhere });
    assert!(!accepts(s, &[by_zero, bound], rule));
}

#[test]
fn arrays() {
    let mut store = TermStore::new();
    let sort = store.mk_array_sort(SortId::INT, SortId::INT);
    let [a, b] = ["a", "b"].map(|n| store.mk_const(n, sort));
    let [i, j, v] = ["i", "j", "v"].map(|n| store.mk_const(n, SortId::INT));
    let other = store.mk_eq(i, v);
    let written = store.mk_store(a, i, v);
    let read = store.mk_select_plain(written, i);
    let holds = store.mk_eq_plain(read, v);
    check_rule(&mut store, &[holds], tautology(Tautology::ReadWritten(written)), other);
    let above = store.mk_select_plain(written, j);
    let below = store.mk_select_plain(a, j);
    let clause = [store.mk_eq(i, j), store.mk_eq_plain(above, below)];
    let rule = tautology(Tautology::ReadOther { store: written, index: j });
    check_rule(&mut store, &clause, rule, other);
    let witness = store.mk_diff(a, b);
    let (x, y) = (store.mk_select(a, witness), store.mk_select(b, witness));
    let clause = [store.mk_eq(a, b), store.mk_neq(x, y)];
    let rule = tautology(Tautology::Extensionality { left: a, right: b });
    check_rule(&mut store, &clause, rule, other);
    // Any other index is no witness.
    let (x, y) = (store.mk_select(a, i), store.mk_select(b, i));
    let clause = [store.mk_eq(a, b), store.mk_neq(x, y)];
    let rule = tautology(Tautology::Extensionality { left: a, right: b });
    assert!(!accepts(&store, &clause, rule));
    let constant = store.mk_const_array(sort, v);
    let read = store.mk_select_plain(constant, j);
    let holds = store.mk_eq_plain(read, v);
    let rule = tautology(Tautology::ReadConstant { array: constant, index: j });
    check_rule(&mut store, &[holds], rule, other);
}

#[test]
fn bits() {
    let mut store = TermStore::new();
    let sort = store.mk_bv_sort(2);
    let [x, y] = ["x", "y"].map(|n| store.mk_const(n, sort));
    let other = store.mk_const("other", SortId::BOOL);
    let bit = |store: &mut TermStore, t: TermId, i: u32| {
        let piece = store.mk_bv_extract(i, i, t);
        let one = store.mk_bv(1, 1);
        store.mk_eq(piece, one)
    };
    let sum = store.mk_bv_add(&[x, y]);
    let [x0, x1] = [0, 1].map(|i| bit(&mut store, x, i));
    let [y0, y1] = [0, 1].map(|i| bit(&mut store, y, i));
    let [s0, s1] = [0, 1].map(|i| bit(&mut store, sum, i));
    let low = store.mk_xor(x0, y0);
    let definition = store.mk_iff(s0, low);
    let rule = |bit| tautology(Tautology::Bits { term: sum, bit });
    check_rule(&mut store, &[definition], rule(0), other);
    assert!(!accepts(&store, &[definition], rule(1)));
    let half = store.mk_xor(x1, y1);
    let carry = store.mk_and(&[x0, y0]);
    let high = store.mk_xor(half, carry);
    let definition = store.mk_iff(s1, high);
    check_rule(&mut store, &[definition], rule(1), other);
    let wrong = store.mk_iff(s1, half);
    assert!(!accepts(&store, &[wrong], rule(1)));
    let less = store.mk_bv_ult(x, y);
    let (not_x1, not_x0) = (store.mk_not(x1), store.mk_not(x0));
    let top = store.mk_and(&[not_x1, y1]);
    let same = store.mk_iff(x1, y1);
    let bottom = store.mk_and(&[same, not_x0, y0]);
    let either = store.mk_or(&[top, bottom]);
    let definition = store.mk_iff(less, either);
    let rule = tautology(Tautology::Bits { term: less, bit: 0 });
    check_rule(&mut store, &[definition], rule, other);
}

#[test]
fn farkas_lemmas() {
    let mut store = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| store.mk_const(n, SortId::REAL));
    let number = |store: &mut TermStore, n: i64| store.mk_real(Rational::from(n));
    // x < y, y < z, z < x are contradictory.
    let facts = [store.mk_lt(x, y), store.mk_lt(y, z), store.mk_lt(z, x)];
    let clause = facts.map(|f| store.mk_not(f));
    let farkas = |c: &[i64]| {
        Rule::Lemma(Certificate::Farkas(c.iter().map(|&c| Rational::from(c)).collect()))
    };
    let zero = number(&mut store, 0);
    let other = store.mk_le(x, zero);
    check_rule(&mut store, &clause, farkas(&[1, 1, 1]), other);
    for wrong in [&[1, 1, 2][..], &[1, 1, 0], &[-1, -1, -1], &[1, 1], &[1, 1, 1, 1]] {
        assert!(!accepts(&store, &clause, farkas(wrong)), "{wrong:?}");
    }
    // Equalities may have any sign: x = y, x < y.
    let clause = [store.mk_neq(x, y), store.mk_ge(x, y)];
    check_rule(&mut store, &clause, farkas(&[-1, 1]), other);
    assert!(!accepts(&store, &clause, farkas(&[1, 1])));
    // Over the integers 2 < 3 n < 6 has no room but over the reals it has.
    for (sort, expected) in [(SortId::INT, true), (SortId::REAL, false)] {
        let n = store.mk_const("n", sort);
        let one = store.mk_number(Rational::ONE, sort);
        let zero = store.mk_number(Rational::ZERO, sort);
        let clause = [store.mk_le(n, zero), store.mk_ge(n, one)];
        assert_eq!(accepts(&store, &clause, farkas(&[1, 1])), expected);
    }
}

#[test]
fn congruence_lemmas() {
    let mut store = TermStore::new();
    let sort = store.mk_uninterpreted_sort("U");
    let f = store.declare_fn("f", &[sort, sort], sort);
    let p = store.declare_fn("p", &[sort], SortId::BOOL);
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| store.mk_const(n, sort));
    let lemma = Rule::Lemma(Certificate::Congruence);
    let other = store.mk_eq(a, d);
    let (fab, fcd) = (store.mk_app(f, &[a, b]), store.mk_app(f, &[c, d]));
    let clause = [store.mk_neq(a, c), store.mk_neq(b, d), store.mk_eq(fab, fcd)];
    check_rule(&mut store, &clause, lemma.clone(), other);
    let (pa, pb) = (store.mk_app(p, &[a]), store.mk_app(p, &[b]));
    let not_pa = store.mk_not(pa);
    let clause = [store.mk_neq(a, c), store.mk_neq(c, b), not_pa, pb];
    check_rule(&mut store, &clause, lemma.clone(), other);
    // Different numbers differ.
    let x = store.mk_const("x", SortId::INT);
    let (one, two) = (store.mk_int(1), store.mk_int(2));
    let clause = [store.mk_neq(x, one), store.mk_neq(x, two)];
    check_rule(&mut store, &clause, lemma.clone(), other);
    // Equality as a truth value: a = b, g(a = b) differs from g(true).
    let g = store.declare_fn("g", &[SortId::BOOL], sort);
    let equal = store.mk_eq(a, b);
    let (left, right) = (store.mk_app(g, &[equal]), store.mk_app(g, &[TermId::TRUE]));
    let clause = [store.mk_neq(a, b), store.mk_eq(left, right)];
    check_rule(&mut store, &clause, lemma, other);
}

/// p, not p or q, not q.
fn refutation() -> (TermStore, Proof) {
    let mut store = TermStore::new();
    let [p, q] = ["p", "q"].map(|n| store.mk_const(n, SortId::BOOL));
    let (np, nq) = (store.mk_not(p), store.mk_not(q));
    let or = store.mk_or(&[np, q]);
    let not_or = store.mk_not(or);
    let id = StepId::from_index;
    let lit = |t| Literal::new(&store, t);
    let assertion = |formula, partition| Rule::Assertion { formula, partition };
    let steps = vec![
        step(&store, &[p], assertion(p, 0)),
        step(&store, &[or], assertion(or, 1)),
        step(&store, &[nq], assertion(nq, 2)),
        step(&store, &[not_or, np, q], tautology(Tautology::Or(or))),
        step(&store, &[np, q], Rule::Resolution { first: id(3), chain: vec![(lit(or), id(1))] }),
        step(
            &store,
            &[],
            Rule::Resolution { first: id(4), chain: vec![(lit(p), id(0)), (lit(nq), id(2))] },
        ),
    ];
    (store, Proof { steps })
}

#[test]
fn resolution() {
    let (store, proof) = refutation();
    assert_eq!(check_refutation(&store, &proof, |_, _| true), Ok(()));
    expect![[r#"
        (proof
          (step s0 (cl p) (assertion :partition 0))
          (step s1 (cl (or q (not p))) (assertion :partition 1))
          (step s2 (cl (not q)) (assertion :partition 2))
          (step s3 (cl (not (or q (not p))) (not p) q) (or))
          (step s4 (cl (not p) q) (resolution s3 ((or q (not p)) s1)))
          (step s5 (cl) (resolution s4 (p s0) ((not q) s2)))
        )
    "#]]
    .assert_eq(&proof.to_text(&store));
    // An assertion that nobody made.
    assert!(check_refutation(&store, &proof, |_, partition| partition != 2).is_err());
    // Without its end it proves something else.
    let mut shorter = proof.clone();
    shorter.steps.pop();
    assert!(check(&store, &shorter).is_ok());
    assert!(check_refutation(&store, &shorter, |_, _| true).is_err());
    // Every change of one chain or one conclusion.
    for at in [4, 5] {
        let Rule::Resolution { first, chain } = proof.steps[at].rule.clone() else { continue };
        let mut mutants = Vec::new();
        for i in 0..chain.len() {
            let mut without = chain.clone();
            without.remove(i);
            mutants.push(Rule::Resolution { first, chain: without });
            let mut flipped = chain.clone();
            flipped[i].0 = !flipped[i].0;
            mutants.push(Rule::Resolution { first, chain: flipped });
            for target in 0..=at {
                let mut moved = chain.clone();
                if moved[i].1 != StepId::from_index(target) {
                    moved[i].1 = StepId::from_index(target);
                    mutants.push(Rule::Resolution { first, chain: moved });
                }
            }
        }
        for target in 0..=at {
            if StepId::from_index(target) != first {
                let first = StepId::from_index(target);
                mutants.push(Rule::Resolution { first, chain: chain.clone() });
            }
        }
        for rule in mutants {
            let mut mutant = proof.clone();
            mutant.steps[at].rule = rule.clone();
            assert!(check(&store, &mutant).is_err(), "{at}: {rule:?}");
        }
    }
    for at in 0..proof.steps.len() {
        for extra in &proof.steps[3].clause {
            let mut mutant = proof.clone();
            if !mutant.steps[at].clause.contains(extra) {
                mutant.steps[at].clause.push(*extra);
                assert!(check(&store, &mutant).is_err(), "{at}: {extra:?}");
            }
        }
    }
}

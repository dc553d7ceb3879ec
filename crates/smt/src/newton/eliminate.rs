//! Quantifier elimination, as far as it is cheap.
//!
//! `exists x: F` is pushed inward over disjunctions and past conjuncts without
//! `x`. What remains is a conjunction, and for that, in this order:
//!
//! - an equality that can be solved for `x` is substituted (of any sort; over
//!   the integers `c x = t` gives `x = t div c` where `t mod c = 0`);
//! - an array `x` of which another one was made by writes is that other one
//!   with unknown elements written back: `a = store(x, i, v)` gives `x = store(a, i, w)` where
//!   `a[i] = v`, and `w` is eliminated in its turn;
//! - an array that is only read is the elements that are read, equal where the
//!   indices are;
//! - a Boolean `x` is tried with both values;
//! - conditions of `ite` terms around `x` become cases, and so do disjunctions,
//!   up to a limit;
//! - linear bounds on `x` are combined, each lower with each upper one, as by
//!   Fourier and Motzkin. Over the integers there is an `x` between all lower
//!   bounds `l <= a x` and all upper bounds `b x <= u` exactly if the rounded
//!   bounds do not cross, because the largest rounded lower bound is itself an
//!   integer: `b * ceil(l / a) <= u`. So this is exact too, at the price of `div`
//!   where neither coefficient is one;
//! - disequalities `x != t` matter only if `x` is bounded from both sides, and
//!   are then split.
//!
//! An `x` that occurs inside of a function, a read, a division or a product
//! cannot be eliminated in this way: the answer is none. The result is always
//! equivalent to the quantified formula.

use crate::interpolate::simplify;
use bolide_base::{Integer, Rational};
use bolide_terms::{LinearForm, Op, Relation, SortId, TermId, TermStore};

/// No more cases than this for one variable.
const CASES: usize = 64;
/// No more new bounds than this for one variable.
const BOUNDS: usize = 200;
/// No larger formulas than this.
const SIZE: usize = 5_000;

/// A formula without `variable` that is equivalent to `exists variable: formula`.
pub fn exists(store: &mut TermStore, variable: TermId, formula: TermId) -> Option<TermId> {
    let result = Elimination { store, cases: CASES }.exists(variable, formula, 0)?;
    debug_assert!(!store.occurs(variable, result));
    (store.dag_size(result) <= SIZE).then(|| simplify(store, result))
}

/// No deeper than this many alternations.
const DEPTH: u32 = 100;

/// One elimination under way.
struct Elimination<'s> {
    store: &'s mut TermStore,
    /// How many cases may still be told apart.
    cases: usize,
}

impl Elimination<'_> {
    fn exists(&mut self, x: TermId, formula: TermId, depth: u32) -> Option<TermId> {
        let store = &mut *self.store;
        if !store.occurs(x, formula) {
            return Some(formula);
        }
        if depth > DEPTH {
            return None;
        }
        if store.is_bool(x) {
            let values =
                [TermId::TRUE, TermId::FALSE].map(|value| store.replace(formula, x, value));
            return Some(store.mk_or(&values));
        }
        let formula = expand_reads(store, x, formula)?;
        let formula = push_negation(store, formula);
        if store.op(formula) == Op::Or {
            let mut results = Vec::new();
            for member in store.disjuncts(formula) {
                results.push(self.exists(x, member, depth + 1)?);
            }
            return Some(self.store.mk_or(&results));
        }
        let members = store.conjuncts(formula);
        self.conjunction(x, members, depth)
    }

    fn conjunction(&mut self, x: TermId, members: Vec<TermId>, depth: u32) -> Option<TermId> {
        // Flatten, and set aside what does not speak of x.
        let store = &mut *self.store;
        let mut free = Vec::new();
        let mut literals = Vec::new();
        let mut disjunctions = Vec::new();
        let mut pending = members;
        while let Some(member) = pending.pop() {
            if !store.occurs(x, member) {
                free.push(member);
                continue;
            }
            let member = push_negation(store, member);
            match store.op(member) {
                Op::And => pending.extend_from_slice(store.args(member)),
                Op::Or => disjunctions.push(member),
                _ if store.occurs(x, member) => literals.push(member),
                _ => free.push(member),
            }
        }
        literals.sort_unstable();
        free.push(self.literals(x, literals, disjunctions, depth)?);
        Some(self.store.mk_and(&free))
    }

    /// The disjunction of the cases, each a conjunction.
    fn by_cases(
        &mut self,
        x: TermId,
        cases: impl IntoIterator<Item = Vec<TermId>>,
        depth: u32,
    ) -> Option<TermId> {
        let mut results = Vec::new();
        for case in cases {
            self.cases = self.cases.checked_sub(1)?;
            results.push(self.conjunction(x, case, depth + 1)?);
        }
        Some(self.store.mk_or(&results))
    }

    /// The same for literals and disjunctions that all speak of `x`.
    fn literals(
        &mut self,
        x: TermId,
        literals: Vec<TermId>,
        mut disjunctions: Vec<TermId>,
        depth: u32,
    ) -> Option<TermId> {
        let store = &mut *self.store;
        let all = [literals.as_slice(), &disjunctions].concat();
        let without = |literal: TermId| -> Vec<TermId> {
            all.iter().copied().filter(|&other| other != literal).collect()
        };
        // Solve an equality.
        for &literal in &literals {
            let Some((value, condition)) = solve(store, x, literal) else { continue };
            let body = store.mk_and(&without(literal));
            let body = store.replace(body, x, value);
            return Some(store.mk_and(&[body, condition]));
        }
        for &literal in &literals {
            let Some((value, conditions, cells)) = undo_writes(store, x, literal) else { continue };
            let body = store.mk_and(&without(literal));
            let body = store.replace(body, x, value);
            let body = store.mk_and(&[&[body], conditions.as_slice()].concat());
            return self.cells(cells, body, depth);
        }
        // Cases by a condition around x.
        if let Some(ite) = literals.iter().find_map(|&literal| conditional(store, x, literal)) {
            let &[condition, then, other] = store.args(ite) else { return None };
            let body = store.mk_and(&all);
            let not_condition = store.mk_not(condition);
            let cases = [(condition, then), (not_condition, other)]
                .map(|(guard, branch)| vec![guard, store.replace(body, ite, branch)]);
            return self.by_cases(x, cases, depth);
        }
        // Cases of a disjunction.
        if let Some(disjunction) = disjunctions.pop() {
            if depth > DEPTH {
                return None;
            }
            let others = [literals.as_slice(), &disjunctions].concat();
            let cases = store.disjuncts(disjunction).into_iter();
            let cases = cases.map(|case| [others.as_slice(), &[case]].concat());
            return self.by_cases(x, cases, depth);
        }
        match elements_of(store, x, &literals) {
            Some((body, cells)) => self.cells(cells, body, depth),
            None => self.bounds(x, &literals, depth),
        }
    }

    /// Eliminates the unknown elements of an array that was eliminated.
    fn cells(&mut self, cells: Vec<TermId>, body: TermId, depth: u32) -> Option<TermId> {
        cells.into_iter().try_fold(body, |body, cell| self.exists(cell, body, depth + 1))
    }

    /// Eliminates `x` from literals that bound it.
    fn bounds(&mut self, x: TermId, literals: &[TermId], depth: u32) -> Option<TermId> {
        let store = &mut *self.store;
        let sort = store.sort(x);
        if !sort.is_arithmetic() {
            // No other sort is known to be infinite.
            return literals.is_empty().then_some(TermId::TRUE);
        }
        // (coefficient > 0, bound, strict): bound <= coefficient * x, and the other way.
        let mut lower: Vec<(Integer, LinearForm, bool)> = Vec::new();
        let mut upper: Vec<(Integer, LinearForm, bool)> = Vec::new();
        let mut excluded = None;
        for &literal in literals {
            let (atom, positive) = store.atom_and_sign(literal);
            let (mut form, relation) = store.linear_constraint(atom, positive)?;
            // With coprime integers.
            form.scale(&form.primitive_factor());
            let (coefficient, rest) = isolate(store, x, &form)?;
            match relation {
                Relation::Equal => return None,
                Relation::Different => excluded = Some(literal),
                Relation::AtMost | Relation::Below => {
                    let strict = relation == Relation::Below;
                    let c = coefficient.to_integer()?;
                    if c.is_positive() {
                        upper.push((c, rest.negated(), strict));
                    } else {
                        lower.push((-c, rest, strict));
                    }
                }
            }
        }
        if lower.is_empty() || upper.is_empty() {
            // There is always room further out.
            return Some(TermId::TRUE);
        }
        if let Some(literal) = excluded {
            let equality = store.negated(literal)?;
            let (left, right) = (store.arg(equality, 0), store.arg(equality, 1));
            let cases = [store.mk_lt(left, right), store.mk_gt(left, right)].map(|case| {
                let others = literals.iter().copied().filter(|&l| l != literal);
                others.chain([case]).collect()
            });
            return self.by_cases(x, cases, depth);
        }
        if lower.len() * upper.len() > BOUNDS {
            return None;
        }
        let mut results = Vec::new();
        for (a, l, l_strict) in &lower {
            for (b, u, u_strict) in &upper {
                results.push(between(store, sort, (a, l, *l_strict), (b, u, *u_strict)));
            }
        }
        Some(store.mk_and(&results))
    }
}

/// Pushes a negation at the top one level down, and dissolves Boolean
/// equivalences and conditionals at the top.
pub(super) fn push_negation(store: &mut TermStore, formula: TermId) -> TermId {
    let (inner, positive) = store.atom_and_sign(formula);
    match store.op(inner) {
        Op::And | Op::Or if !positive => {
            let args: Vec<TermId> = store.args(inner).to_vec();
            let args: Vec<TermId> = args.into_iter().map(|arg| store.mk_not(arg)).collect();
            let dual = if store.op(inner) == Op::And { Op::Or } else { Op::And };
            store.mk_junction(dual, &args)
        }
        Op::Eq if store.is_bool(store.arg(inner, 0)) => {
            let (a, b) = (store.arg(inner, 0), store.arg(inner, 1));
            let b = store.mk_literal(b, positive);
            let (not_a, not_b) = (store.mk_not(a), store.mk_not(b));
            let both = store.mk_and(&[a, b]);
            let neither = store.mk_and(&[not_a, not_b]);
            store.mk_or(&[both, neither])
        }
        Op::Ite => {
            let &[c, a, b] = store.args(inner) else { unreachable!("ite has three") };
            let (a, b) = (store.mk_literal(a, positive), store.mk_literal(b, positive));
            let not_c = store.mk_not(c);
            let left = store.mk_and(&[c, a]);
            let right = store.mk_and(&[not_c, b]);
            store.mk_or(&[left, right])
        }
        _ => formula,
    }
}

/// An equality literal solved for `x`: its value and a condition.
fn solve(store: &mut TermStore, x: TermId, literal: TermId) -> Option<(TermId, TermId)> {
    if store.op(literal) != Op::Eq {
        return None;
    }
    let (left, right) = (store.arg(literal, 0), store.arg(literal, 1));
    for (own, other) in [(left, right), (right, left)] {
        if own == x && !store.occurs(x, other) {
            return Some((other, TermId::TRUE));
        }
    }
    let sort = store.sort(left);
    if !sort.is_arithmetic() {
        return None;
    }
    let form = store.linear_difference(left, right);
    let (coefficient, rest) = isolate(store, x, &form)?;
    // coefficient * x + rest = 0.
    let mut value = rest;
    if sort == SortId::REAL {
        value.scale(&(-coefficient.recip()));
        return Some((store.mk_linear(&value, sort), TermId::TRUE));
    }
    if coefficient.is_positive() {
        value = value.negated();
    }
    let divisor = coefficient.abs().to_integer()?;
    let dividend = store.mk_linear(&value, sort);
    if divisor.is_one() {
        return Some((dividend, TermId::TRUE));
    }
    let divisor = store.mk_int(divisor);
    let quotient = store.mk_div(dividend, divisor);
    let remainder = store.mk_mod(dividend, divisor);
    let zero = store.mk_int(0);
    let condition = store.mk_eq(remainder, zero);
    Some((quotient, condition))
}

/// A constant that occurs nowhere.
fn fresh_cell(store: &mut TermStore, sort: SortId) -> TermId {
    // Every new name is a new term, so no two have one number.
    let name = format!("@cell!{}", store.len());
    store.mk_const(&name, sort)
}

/// An equation between an array without `x` and writes upon `x`, solved for `x`: its value, what
/// must hold besides, and the elements that are not known.
fn undo_writes(
    store: &mut TermStore,
    x: TermId,
    literal: TermId,
) -> Option<(TermId, Vec<TermId>, Vec<TermId>)> {
    if store.op(literal) != Op::Eq {
        return None;
    }
    let (_, element) = store.array_sorts(store.sort(x))?;
    let (left, right) = (store.arg(literal, 0), store.arg(literal, 1));
    for (whole, chain) in [(left, right), (right, left)] {
        if store.occurs(x, whole) {
            continue;
        }
        let mut writes = Vec::new();
        let mut base = chain;
        while let (Op::Store, &[inner, index, value]) = (store.op(base), store.args(base))
            && !store.occurs(x, index)
            && !store.occurs(x, value)
        {
            writes.push((index, value));
            base = inner;
        }
        if base != x {
            continue;
        }
        let (mut array, mut conditions, mut cells) = (whole, Vec::new(), Vec::new());
        for (index, value) in writes {
            let written = store.mk_select(array, index);
            conditions.push(store.mk_eq(written, value));
            let cell = fresh_cell(store, element);
            array = store.mk_store(array, index, cell);
            cells.push(cell);
        }
        return Some((array, conditions, cells));
    }
    None
}

/// No more reads of one array than this.
const READS: usize = 6;

/// The literals with a constant for each element of the array `x` that is read, if
/// it only is read.
fn elements_of(
    store: &mut TermStore,
    x: TermId,
    literals: &[TermId],
) -> Option<(TermId, Vec<TermId>)> {
    let (_, element) = store.array_sorts(store.sort(x))?;
    let mut reads: Vec<TermId> = store
        .subterms(literals)
        .into_iter()
        .filter(|&t| store.op(t) == Op::Select && store.arg(t, 0) == x)
        .collect();
    reads.sort_unstable();
    reads.dedup();
    if reads.is_empty() || reads.len() > READS {
        return None;
    }
    let indices: Vec<TermId> = reads.iter().map(|&read| store.arg(read, 1)).collect();
    if indices.iter().any(|&index| store.occurs(x, index)) {
        return None;
    }
    let cells: Vec<TermId> = reads.iter().map(|_| fresh_cell(store, element)).collect();
    let body = store.mk_and(literals);
    let mut parts = vec![store.replace_all(body, &reads, &cells)];
    if store.occurs(x, parts[0]) {
        return None;
    }
    for i in 0..reads.len() {
        for j in 0..i {
            let same_index = store.mk_eq(indices[i], indices[j]);
            let same_element = store.mk_eq(cells[i], cells[j]);
            parts.push(store.mk_implies(same_index, same_element));
        }
    }
    Some((store.mk_and(&parts), cells))
}

/// An equivalent formula with the cases of a literal spelled out: whether a read meets
/// a write, which branch a conditional takes. None if there are no cases.
pub(super) fn split_literal(store: &mut TermStore, literal: TermId) -> Option<TermId> {
    let subterms = store.subterms(&[literal]);
    if let Some(read) = subterms.iter().copied().find(|&t| is_read_of_write(store, t)) {
        return Some(expand_read(store, literal, read));
    }
    let conditional = |&t: &TermId| store.op(t) == Op::Ite && !store.is_bool(t);
    let ite = subterms.iter().copied().find(conditional)?;
    let &[condition, then, other] = store.args(ite) else { return None };
    let first = store.replace(literal, ite, then);
    let second = store.replace(literal, ite, other);
    let not_condition = store.mk_not(condition);
    let cases = [store.mk_and(&[condition, first]), store.mk_and(&[not_condition, second])];
    Some(store.mk_or(&cases))
}

fn is_read_of_write(store: &TermStore, term: TermId) -> bool {
    store.op(term) == Op::Select && store.op(store.arg(term, 0)) == Op::Store
}

/// The formula with a read of a write as a conditional.
fn expand_read(store: &mut TermStore, formula: TermId, read: TermId) -> TermId {
    let (written, index) = (store.arg(read, 0), store.arg(read, 1));
    let &[base, position, value] = store.args(written) else { unreachable!("store has three") };
    let hit = store.mk_eq(position, index);
    let below = store.mk_select(base, index);
    let element = store.mk_ite(hit, value, below);
    store.replace(formula, read, element)
}

/// Reads of writes that involve `x`, as conditionals. None if there are too many.
fn expand_reads(store: &mut TermStore, x: TermId, mut formula: TermId) -> Option<TermId> {
    for _ in 0..CASES {
        let involved = |t: TermId| is_read_of_write(store, t) && store.occurs(x, store.arg(t, 0));
        let read = store.subterms(&[formula]).into_iter().find(|&t| involved(t));
        let Some(read) = read else { return Some(formula) };
        formula = expand_read(store, formula, read);
    }
    None
}

/// The coefficient of `x` and the rest, if `x` occurs linearly only.
fn isolate(store: &TermStore, x: TermId, form: &LinearForm) -> Option<(Rational, LinearForm)> {
    let (coefficient, rest) = form.isolate(x);
    let linear = rest.terms.iter().all(|&(leaf, _)| !store.occurs(x, leaf));
    (linear && !coefficient.is_zero()).then_some((coefficient, rest))
}

/// An innermost conditional that contains `x`.
fn conditional(store: &TermStore, x: TermId, literal: TermId) -> Option<TermId> {
    let is_conditional = |&t: &TermId| store.op(t) == Op::Ite && store.occurs(x, t);
    store.subterms(&[literal]).into_iter().find(is_conditional)
}

/// Whether there is room between `l <= a x` and `b x <= u`.
fn between(
    store: &mut TermStore,
    sort: SortId,
    (a, l, l_strict): (&Integer, &LinearForm, bool),
    (b, u, u_strict): (&Integer, &LinearForm, bool),
) -> TermId {
    if sort == SortId::REAL || a.is_one() || b.is_one() {
        // b l <= a u.
        let mut form = l.clone();
        form.scale(&Rational::from(b.clone()));
        form.add_scaled(u, &-Rational::from(a.clone()));
        return store.mk_nonpositive(form, sort, l_strict || u_strict);
    }
    // b * ceil(l / a) <= u, with ceil(l / a) = -((-l) div a).
    let dividend = store.mk_linear(&l.clone().negated(), sort);
    let divisor = store.mk_int(a.clone());
    let quotient = store.mk_div(dividend, divisor);
    let mut form = store.linear_form(quotient);
    form.scale(&-Rational::from(b.clone()));
    form.add_scaled(u, &Rational::MINUS_ONE);
    store.mk_nonpositive(form, sort, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_base::HashMap;
    use bolide_testing::Dice;
    use expect_test::{Expect, expect};

    fn check(build: impl Fn(&mut TermStore, [TermId; 3]) -> TermId, expected: Expect) {
        let mut store = TermStore::new();
        let v = ["x", "y", "z"].map(|name| store.mk_const(name, SortId::INT));
        let formula = build(&mut store, v);
        let result = exists(&mut store, v[0], formula);
        expected.assert_eq(&result.map_or("none".to_owned(), |r| store.infix(r)));
    }

    #[test]
    fn equalities_are_substituted() {
        check(
            |s, [x, y, z]| {
                let one = s.mk_int(1);
                let y1 = s.mk_add(&[y, one]);
                let a = s.mk_eq(x, y1);
                let b = s.mk_le(x, z);
                s.mk_and(&[a, b])
            },
            expect!["y <= z - 1"],
        );
    }

    #[test]
    fn a_multiple_leaves_divisibility() {
        check(
            |s, [x, y, z]| {
                let two = s.mk_int(2);
                let twice = s.mk_mul(&[two, x]);
                let a = s.mk_eq(twice, y);
                let b = s.mk_le(x, z);
                s.mk_and(&[a, b])
            },
            expect!["y mod 2 = 0 and z >= y div 2"],
        );
    }

    #[test]
    fn bounds_are_combined() {
        check(
            |s, [x, y, z]| {
                let (two, three) = (s.mk_int(2), s.mk_int(3));
                let twice = s.mk_mul(&[two, x]);
                let thrice = s.mk_mul(&[three, x]);
                let a = s.mk_le(y, twice);
                let b = s.mk_le(thrice, z);
                s.mk_and(&[a, b])
            },
            expect!["z + 3*((-y) div 2) >= 0"],
        );
    }

    #[test]
    fn inside_of_a_product_it_stays() {
        check(
            |s, [x, y, z]| {
                let product = s.mk_mul(&[x, y]);
                s.mk_le(product, z)
            },
            expect!["none"],
        );
    }

    /// Of arrays `m`, `n` and integers `i`, `j`: without `m`.
    fn check_array(formulas: &[&str], expected: Expect) {
        let mut store = TermStore::new();
        let mut text = String::from(
            "(declare-const m (Array Int Int)) (declare-const n (Array Int Int))
            (declare-const i Int) (declare-const j Int)",
        );
        formulas.iter().for_each(|formula| text += &format!("(assert {formula})"));
        let mut reader = bolide_terms::smtlib::Reader::new(&text);
        let mut members = Vec::new();
        while let Some(command) = reader.next_command(&mut store) {
            if let Ok(bolide_terms::smtlib::Command::Assert { formula, .. }) = command {
                members.push(formula);
            }
        }
        let array = store.mk_array_sort(SortId::INT, SortId::INT);
        let m = store.mk_const("m", array);
        let formula = store.mk_and(&members);
        let result = exists(&mut store, m, formula);
        expected.assert_eq(&result.map_or("none".to_owned(), |r| store.infix(r)));
    }

    #[test]
    fn writes_are_undone() {
        check_array(
            &["(= n (store m i 7))", "(= (select m j) 3)"],
            expect!["n[i] = 7 and (i = j or n[j] = 3)"],
        );
        check_array(&["(= n (store m i 7))", "(= (select m i) 3)"], expect!["n[i] = 7"]);
        check_array(
            &["(= n (store (store m i 7) j 8))"],
            expect!["n[j] = 8 and (i = j or n[i] = 7)"],
        );
    }

    #[test]
    fn an_array_that_is_only_read_is_its_elements() {
        check_array(&["(= (select m i) 3)", "(= (select m j) 4)"], expect!["i != j"]);
        check_array(&["(< (select m i) (select n j))"], expect!["true"]);
        check_array(&["(= (select m (select m i)) 4)"], expect!["none"]);
    }

    /// Against the values of x in a range that the formulas do not leave.
    #[test]
    fn agrees_with_enumeration() {
        let mut dice = Dice::new(12345);
        let mut eliminated = 0;
        for _ in 0..200 {
            let mut store = TermStore::new();
            let v = ["x", "y", "z"].map(|name| store.mk_const(name, SortId::INT));
            let mut atom = |store: &mut TermStore| {
                let mut form = LinearForm::from_constant(dice.between(-3, 3));
                for &variable in &v {
                    form.add_term(variable, &Rational::from(dice.between(-2, 2)));
                }
                let literal = match dice.roll(4) {
                    0 => store.mk_zero(form, SortId::INT),
                    _ => store.mk_nonpositive(form, SortId::INT, false),
                };
                if dice.chance(25) { store.mk_not(literal) } else { literal }
            };
            let atoms: Vec<TermId> = (0..5).map(|_| atom(&mut store)).collect();
            let left = store.mk_or(&atoms[0..2]);
            let right = store.mk_and(&atoms[2..4]);
            let right = store.mk_or(&[right, atoms[4]]);
            // Keep x within reach of the enumeration.
            let (low, high) = (store.mk_int(-6), store.mk_int(6));
            let (low, high) = (store.mk_le(low, v[0]), store.mk_le(v[0], high));
            let formula = store.mk_and(&[left, right, low, high]);
            let Some(result) = exists(&mut store, v[0], formula) else { continue };
            eliminated += 1;
            for y in -3..=3i64 {
                for z in -3..=3i64 {
                    let value = |store: &mut TermStore, formula: TermId, x: i64| {
                        let mut map = HashMap::default();
                        for (variable, number) in v.iter().zip([x, y, z]) {
                            map.insert(*variable, store.mk_int(number));
                        }
                        store.substitute(formula, &map) == TermId::TRUE
                    };
                    let expected = (-6..=6).any(|x| value(&mut store, formula, x));
                    assert_eq!(value(&mut store, result, 0), expected, "{}", store.smtlib(formula));
                }
            }
        }
        assert!(eliminated > 160, "only {eliminated} of 200 eliminated");
    }
}

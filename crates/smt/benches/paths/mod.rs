//! Paths of a program as problems: assignments and assumptions over some
//! integer variables that cannot be executed.
//!
//! Inputs lie between 0 and 10; the values that a variable can have are tracked
//! as a linear form over the inputs; assumptions on the way hold for all
//! inputs; the last one is below the least value of some variable, so the trace
//! is infeasible and most of it is needed to see this.

use bolide_base::Rational;
use bolide_terms::{LinearForm, SortId, TermId, TermStore};
use bolide_testing::Dice;

/// Lengths, and numbers of variables.
pub const SIZES: [(usize, usize); 9] = [
    (20, 5),
    (50, 10),
    (50, 50),
    (100, 5),
    (100, 20),
    (200, 20),
    (200, 100),
    (500, 20),
    (500, 100),
];

/// The formulas of problem `number` of a size, in an order that is a path.
pub fn problem(
    length: usize,
    variables: usize,
    number: usize,
    store: &mut TermStore,
) -> Vec<TermId> {
    let mut dice = Dice::new((length * 1000 + variables * 10 + number) as u64 + 7);
    path(length, variables, &mut dice, store)
}

/// The least and the largest value of a form over inputs in 0 ..= 10.
fn range(form: &LinearForm) -> (Rational, Rational) {
    let (mut low, mut high) = (form.constant.clone(), form.constant.clone());
    for (_, coefficient) in &form.terms {
        let far = coefficient * &Rational::from(10i64);
        if coefficient.is_negative() {
            low += &far;
        } else {
            high += &far;
        }
    }
    (low, high)
}

/// A variable has a constant for each of its values in turn.
fn path(length: usize, variables: usize, dice: &mut Dice, store: &mut TermStore) -> Vec<TermId> {
    let mut versions = vec![0; variables];
    let mut named = |store: &mut TermStore, x: usize| {
        versions[x] += 1;
        store.mk_const(&format!("x{x}!{}", versions[x]), SortId::INT)
    };
    let inputs = (variables / 2).clamp(1, 20);
    let mut formulas = Vec::with_capacity(length);
    // Of each variable the constant of its value, and the value.
    let mut known: Vec<(TermId, LinearForm)> = Vec::new();
    let (zero, ten) = (store.mk_int(0), store.mk_int(10));
    for i in 0..variables {
        let x = named(store, i);
        if i < inputs {
            let (low, high) = (store.mk_le(zero, x), store.mk_le(x, ten));
            formulas.push(store.mk_and(&[low, high]));
            known.push((x, LinearForm::from_leaf(x)));
        } else {
            let constant = dice.roll(20) as i64;
            let number = store.mk_int(constant);
            formulas.push(store.mk_eq(x, number));
            known.push((x, LinearForm::from_constant(constant)));
        }
        if formulas.len() + 2 >= length {
            break;
        }
    }
    let mut last = 0;
    while formulas.len() + 1 < length {
        let (y, z) = (dice.roll(known.len()), dice.roll(known.len()));
        let c = dice.between(-4, 4);
        if dice.roll(4) == 0 {
            // An assumption that holds anyway.
            let (_, high) = range(&known[y].1);
            let bound = store.mk_number(high + Rational::from(dice.roll(5) as i64), SortId::INT);
            formulas.push(store.mk_le(known[y].0, bound));
            continue;
        }
        let mut form = LinearForm::from_constant(c);
        let mut sum = LinearForm::from_constant(c);
        // The last assigned variable takes part often, so that chains get long.
        let (leaf, value) = &known[if dice.roll(3) > 0 { last } else { y }];
        form.add_scaled(value, &Rational::ONE);
        sum.add_term(*leaf, &Rational::ONE);
        if dice.roll(3) == 0 {
            let sign = Rational::from(dice.pick(&[1i64, -1]));
            form.add_scaled(&known[z].1, &sign);
            sum.add_term(known[z].0, &sign);
        }
        if form.terms.iter().any(|t| t.1.abs() > Rational::from(50i64)) {
            continue;
        }
        last = dice.roll(known.len());
        let term = store.mk_linear(&sum, SortId::INT);
        let x = named(store, last);
        formulas.push(store.mk_eq(x, term));
        known[last] = (x, form);
    }
    let (low, _) = range(&known[last].1);
    let bound = store.mk_number(low, SortId::INT);
    formulas.push(store.mk_lt(known[last].0, bound));
    formulas
}

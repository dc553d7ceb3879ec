//! Paths of a program as problems: assignments and assumptions over some
//! integer variables that cannot be executed.
//!
//! Inputs lie between 0 and 10; the values that a variable can have are tracked
//! as a linear form over the inputs; assumptions on the way hold for all
//! inputs; the last one is below the least value of some variable, so the trace
//! is infeasible and most of it is needed to see this.

use bolide_base::{HashMap, Rational};
use bolide_smt::newton::{Statement, Trace};
use bolide_terms::{LinearForm, SortId, TermId, TermStore};

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
    let mut random = Random((length * 1000 + variables * 10 + number) as u64 + 7);
    let statements = trace(length, variables, &mut random, store);
    Trace::new(store, &statements).formulas
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }
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

fn trace(
    length: usize,
    variables: usize,
    random: &mut Random,
    store: &mut TermStore,
) -> Vec<Statement> {
    let variables: Vec<TermId> =
        (0..variables).map(|i| store.mk_const(&format!("x{i}"), SortId::INT)).collect();
    let inputs = (variables.len() / 2).clamp(1, 20);
    let mut statements = Vec::with_capacity(length);
    let mut value: HashMap<TermId, LinearForm> = HashMap::default();
    let (zero, ten) = (store.mk_int(0), store.mk_int(10));
    for (i, &x) in variables.iter().enumerate() {
        if i < inputs {
            let (low, high) = (store.mk_le(zero, x), store.mk_le(x, ten));
            statements.push(Statement::Assume(store.mk_and(&[low, high])));
            value.insert(x, LinearForm::from_leaf(x));
        } else {
            let constant = random.below(20) as i64;
            let number = store.mk_int(constant);
            statements.push(Statement::Assign { variable: x, value: number });
            value.insert(x, LinearForm::from_constant(constant));
        }
        if statements.len() + 2 >= length {
            break;
        }
    }
    let known: Vec<TermId> = variables.into_iter().filter(|x| value.contains_key(x)).collect();
    let mut last = known[0];
    while statements.len() + 1 < length {
        let (y, z) = (known[random.below(known.len())], known[random.below(known.len())]);
        let c = random.below(9) as i64 - 4;
        if random.below(4) == 0 {
            // An assumption that holds anyway.
            let (_, high) = range(&value[&y]);
            let bound = store.mk_number(high + Rational::from(random.below(5) as i64), SortId::INT);
            statements.push(Statement::Assume(store.mk_le(y, bound)));
            continue;
        }
        let mut form = LinearForm::from_constant(c);
        let mut sum = LinearForm::from_constant(c);
        // The last assigned variable takes part often, so that chains get long.
        let first = if random.below(3) > 0 { last } else { y };
        form.add_scaled(&value[&first], &Rational::ONE);
        sum.add_term(first, &Rational::ONE);
        if random.below(3) == 0 {
            let sign = Rational::from(if random.below(2) == 0 { 1i64 } else { -1 });
            form.add_scaled(&value[&z], &sign);
            sum.add_term(z, &sign);
        }
        let large = form.terms.iter().any(|t| t.1.abs() > Rational::from(50i64));
        if large {
            continue;
        }
        let x = known[random.below(known.len())];
        let term = store.mk_linear(&sum, SortId::INT);
        statements.push(Statement::Assign { variable: x, value: term });
        value.insert(x, form);
        last = x;
    }
    let (low, _) = range(&value[&last]);
    let bound = store.mk_number(low, SortId::INT);
    statements.push(Statement::Assume(store.mk_lt(last, bound)));
    statements
}

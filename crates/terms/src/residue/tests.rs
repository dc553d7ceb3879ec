//! Images and conversions, compared with evaluation for all values of a few bits.

use super::*;
use crate::circuit::tests::Computes;
use crate::evaluate;
use crate::model::{Model, Value};

/// Circuits over truth values, for terms that have values.
struct Assigned<'a> {
    store: &'a TermStore,
    model: &'a Model,
}

impl Assigned<'_> {
    fn value(&self, term: TermId) -> Value {
        evaluate(self.store, self.model, term).expect("no quantifiers")
    }
}

impl Computes for Assigned<'_> {}

impl Source for Assigned<'_> {
    fn store(&self) -> &TermStore {
        self.store
    }

    fn formula(&mut self, formula: TermId) -> bool {
        self.value(formula).as_bool()
    }

    fn vector_bit(&mut self, term: TermId, index: u32) -> bool {
        let Value::BitVec(bits, _) = self.value(term) else { panic!("a bit-vector") };
        bits.bit(index)
    }

    fn integer_bit(&mut self, leaf: TermId, index: u32) -> bool {
        self.value(leaf).as_integer().expect("an integer").bit(index)
    }
}

const RANGE: std::ops::RangeInclusive<i64> = -5..=6;

struct Fixture {
    store: TermStore,
    x: TermId,
    y: TermId,
    v: TermId,
}

impl Fixture {
    fn new() -> Fixture {
        let mut store = TermStore::new();
        let (x, y) = (store.mk_const("x", SortId::INT), store.mk_const("y", SortId::INT));
        let sort = store.mk_bv_sort(3);
        let v = store.mk_const("v", sort);
        Fixture { store, x, y, v }
    }

    /// Every assignment of values in range.
    fn for_each(&self, mut f: impl FnMut(&Model)) {
        for x in RANGE {
            for y in RANGE {
                for v in 0..8 {
                    let mut model = Model::new();
                    let of = |t| self.store.function_of(t).expect("a constant");
                    model.set_constant(of(self.x), Value::Int(Integer::from(x)));
                    model.set_constant(of(self.y), Value::Int(Integer::from(y)));
                    model.set_constant(of(self.v), Value::bit_vec(&Integer::from(v), 3));
                    f(&model);
                }
            }
        }
    }

    /// Integer terms of every shape.
    fn terms(&mut self) -> Vec<TermId> {
        let s = &mut self.store;
        let [two, three, four] = [2, 3, 4].map(|n| s.mk_int(n));
        let number = s.mk_bv_to_int(self.v, false);
        let signed = s.mk_bv_to_int(self.v, true);
        let sum = s.mk_add(&[self.x, self.x, self.y, number]);
        let difference = s.mk_sub(self.x, self.y);
        let product = s.mk_mul(&[self.x, self.y]);
        let square = s.mk_mul(&[number, number]);
        let remainder = s.mk_mod(difference, four);
        let quotient = s.mk_div(sum, four);
        let third = s.mk_div(self.x, three);
        let odd = s.mk_mod(self.y, three);
        let less = s.mk_lt(self.x, self.y);
        let choice = s.mk_ite(less, product, two);
        let mixed = s.mk_sub(choice, remainder);
        vec![
            self.x, sum, signed, difference, product, square, remainder, quotient, third, odd,
            mixed,
        ]
    }
}

#[test]
fn images_say_what_the_atoms_say() {
    let mut fixture = Fixture::new();
    let terms = fixture.terms();
    let given: HashMap<TermId, Range> = [fixture.x, fixture.y]
        .map(|leaf| (leaf, (Integer::from(*RANGE.start()), Integer::from(*RANGE.end()))))
        .into_iter()
        .collect();
    for &a in &terms {
        for &b in &terms {
            let scaled = fixture.store.mk_scale(&bolide_base::Rational::from(3), b);
            for atom in [fixture.store.mk_le(a, scaled), fixture.store.mk_eq(a, b)] {
                let (atom, _) = fixture.store.atom_and_sign(atom);
                if !matches!(fixture.store.op(atom), Op::Le | Op::Eq)
                    || fixture.store.is_bool(fixture.store.arg(atom, 0))
                {
                    continue;
                }
                // Quotients and remainders by three are leaves; their ranges follow.
                let width = image_width(&fixture.store, atom, &given).expect("ranges are given");
                for width in [width, width + 2] {
                    fixture.for_each(|model| {
                        let store = &fixture.store;
                        let expected = evaluate(store, model, atom).unwrap().as_bool();
                        let found = image(&mut Assigned { store, model }, atom, width, &given);
                        assert_eq!(found, Some(expected), "{} in {width}", store.smtlib(atom));
                    });
                }
            }
        }
    }
}

#[test]
fn one_bit_less_is_too_few() {
    let mut fixture = Fixture::new();
    let zero = fixture.store.mk_int(0);
    let given = HashMap::from_iter([(fixture.x, (Integer::from(-8), Integer::from(7)))]);
    let sum = fixture.store.mk_add(&[fixture.x, fixture.x]);
    let atom = fixture.store.mk_le(sum, fixture.y);
    assert_eq!(image_width(&fixture.store, atom, &given), Err(fixture.y));
    let bounded = fixture.store.mk_le(fixture.x, zero);
    assert_eq!(image_width(&fixture.store, bounded, &given), Ok(4));
}

#[test]
fn conversions_are_what_evaluation_says() {
    let mut fixture = Fixture::new();
    let terms = fixture.terms();
    for &term in &terms {
        for width in [1, 2, 3, 5, 66, 130] {
            let bits = fixture.store.mk_int_to_bv(width, term);
            assert_eq!(fixture.store.width(bits), width);
            let back = fixture.store.mk_bv_to_int(bits, false);
            let signed = fixture.store.mk_bv_to_int(bits, true);
            fixture.for_each(|model| {
                let store = &fixture.store;
                let integer = |t| evaluate(store, model, t).unwrap().as_integer().unwrap().clone();
                let expected = crate::bitvector::to_unsigned(&integer(term), width);
                let found = evaluate(store, model, bits).unwrap();
                assert_eq!(found, Value::BitVec(expected.clone(), width));
                assert_eq!(integer(back), expected, "{}", store.smtlib(back));
                let expected = crate::bitvector::to_signed(&expected, width);
                assert_eq!(integer(signed), expected, "{}", store.smtlib(signed));
            });
        }
    }
}

#[test]
fn what_is_linear_stays_with_the_integers() {
    let mut fixture = Fixture::new();
    let s = &mut fixture.store;
    let bits = s.mk_int_to_bv(8, fixture.x);
    let other = s.mk_int_to_bv(8, fixture.y);
    let three = s.mk_bv(3, 8);
    let sum = s.mk_bv_add(&[bits, other, three]);
    let number = s.mk_bv_to_int(sum, false);
    assert_eq!(s.smtlib(number), "(mod (+ x y 3) 256)");
    let twice = s.mk_bv_add(&[bits, bits, other]);
    let number = s.mk_bv_to_int(twice, false);
    assert_eq!(s.smtlib(number), "(mod (+ (* 2 x) y) 256)");
    let both = s.mk_bv_and(&[bits, three]);
    let number = s.mk_bv_to_int(both, false);
    assert_eq!(s.op(number), Op::BvToInt);
    let wide = s.mk_int_to_bv(40, number);
    let high = s.mk_bv_extract(39, 8, wide);
    assert_eq!(s.bv_number(high), Some(Integer::ZERO));
}

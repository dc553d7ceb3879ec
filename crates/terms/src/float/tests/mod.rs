//! All values of tiny formats against rational arithmetic, by evaluating the circuits; values of
//! `float` and `double` against the machine, by folding constants.

mod machine;
mod reference;

use crate::{FloatFormat, Model, RoundingMode, TermId, TermStore, Value, evaluate};
use bolide_base::Integer;
use bolide_testing::Dice;
use reference::{Datum, Reference, order, whole};
use std::cmp::Ordering;

const TINY: [FloatFormat; 5] = [
    FloatFormat { exponent: 2, significand: 2 },
    FloatFormat { exponent: 2, significand: 4 },
    FloatFormat { exponent: 3, significand: 2 },
    FloatFormat { exponent: 3, significand: 3 },
    FloatFormat { exponent: 3, significand: 4 },
];

/// A circuit with symbols for its operands.
struct Circuit {
    store: TermStore,
    symbols: Vec<TermId>,
    rounding: TermId,
    result: TermId,
}

type Build<'a> = &'a dyn Fn(&mut TermStore, TermId, &[TermId]) -> TermId;

impl Circuit {
    fn new(width: u32, arity: usize, build: Build) -> Circuit {
        let mut store = TermStore::new();
        let sort = store.mk_bv_sort(width);
        let symbols: Vec<TermId> =
            (0..arity).map(|i| store.mk_const(&format!("x{i}"), sort)).collect();
        let sort = store.mk_bv_sort(RoundingMode::WIDTH);
        let rounding = store.mk_const("rounding", sort);
        let result = build(&mut store, rounding, &symbols);
        Circuit { store, symbols, rounding, result }
    }

    /// The value for operands; truth values are one and zero.
    fn compute(&self, mode: RoundingMode, operands: &[usize]) -> usize {
        let mut model = Model::new();
        let width = self.store.width(self.symbols[0]);
        for (&symbol, &operand) in self.symbols.iter().zip(operands) {
            let function = self.store.function_of(symbol).unwrap();
            model.set_constant(function, Value::bit_vec(&Integer::from(operand), width));
        }
        let function = self.store.function_of(self.rounding).unwrap();
        model.set_constant(
            function,
            Value::bit_vec(&Integer::from(mode as i64), RoundingMode::WIDTH),
        );
        match evaluate(&self.store, &model, self.result).unwrap() {
            Value::BitVec(value, _) => value.to_u32().unwrap() as usize,
            Value::Bool(value) => usize::from(value),
            other => panic!("{other:?}"),
        }
    }
}

/// All operands and modes of a format: circuit against reference. Of three operands there are too
/// many in the larger formats; then every so many-th is taken, by an odd step, so that all values
/// occur at all places.
fn check(
    name: &str,
    format: FloatFormat,
    arity: usize,
    build: Build,
    expected: &dyn Fn(&Reference, RoundingMode, &[Datum]) -> usize,
) {
    let reference = Reference::new(format);
    let circuit = Circuit::new(format.width(), arity, build);
    let data: Vec<Datum> = (0..1usize << format.width()).map(|p| reference.decode(p)).collect();
    let all = 1usize << (format.width() as usize * arity);
    let step = (all / 20_000).max(1) | 1;
    let rounds = circuit.store.subterms(&[circuit.result]).contains(&circuit.rounding);
    let modes = if rounds { &RoundingMode::ALL[..] } else { &RoundingMode::ALL[..1] };
    for index in (0..all).step_by(step) {
        let patterns: Vec<usize> = (0..arity)
            .map(|i| index >> (i * format.width() as usize) & ((1 << format.width()) - 1))
            .collect();
        let operands: Vec<Datum> = patterns.iter().map(|&p| data[p].clone()).collect();
        for &mode in modes {
            let (found, right) =
                (circuit.compute(mode, &patterns), expected(&reference, mode, &operands));
            assert_eq!(found, right, "{name} {format:?} {mode:?} {patterns:?} {operands:?}");
        }
    }
}

#[test]
fn sums_are_right() {
    for format in TINY {
        check("add", format, 2, &|s, r, x| s.mk_float_add(format, r, x[0], x[1]), &|f, m, x| {
            f.add(m, &x[0], &x[1])
        });
        check("sub", format, 2, &|s, r, x| s.mk_float_sub(format, r, x[0], x[1]), &|f, m, x| {
            let minus = match &x[1] {
                Datum::Finite(sign, v) => Datum::Finite(!sign, -v.clone()),
                Datum::Infinite(sign) => Datum::Infinite(!sign),
                Datum::NotANumber => Datum::NotANumber,
            };
            f.add(m, &x[0], &minus)
        });
    }
}

#[test]
fn products_are_right() {
    for format in TINY {
        check("mul", format, 2, &|s, r, x| s.mk_float_mul(format, r, x[0], x[1]), &|f, m, x| {
            f.mul(m, &x[0], &x[1])
        });
        check("div", format, 2, &|s, r, x| s.mk_float_div(format, r, x[0], x[1]), &|f, m, x| {
            f.div(m, &x[0], &x[1])
        });
    }
}

#[test]
fn fused_products_and_roots_are_right() {
    for format in TINY {
        check("sqrt", format, 1, &|s, r, x| s.mk_float_sqrt(format, r, x[0]), &|f, m, x| {
            f.sqrt(m, &x[0])
        });
        check(
            "fma",
            format,
            3,
            &|s, r, x| s.mk_float_fma(format, r, [x[0], x[1], x[2]]),
            &|f, m, x| f.fma(m, &x[0], &x[1], &x[2]),
        );
    }
}

#[test]
fn remainders_are_right() {
    for format in TINY {
        check("rem", format, 2, &|s, _, x| s.mk_float_rem(format, x[0], x[1]), &|f, _, x| {
            f.remainder(RoundingMode::NearestEven, &x[0], &x[1])
        });
        check("fmod", format, 2, &|s, _, x| s.mk_float_fmod(format, x[0], x[1]), &|f, _, x| {
            f.remainder(RoundingMode::TowardZero, &x[0], &x[1])
        });
    }
}

#[test]
fn whole_numbers_are_right() {
    for format in TINY {
        let build: Build = &|s, r, x| s.mk_float_round_to_integral(format, r, x[0]);
        check("integral", format, 1, build, &|f, m, x| f.integral(m, &x[0]));
    }
}

#[test]
fn formats_convert() {
    for from in TINY {
        for to in TINY {
            let target = Reference::new(to);
            let build: Build = &|s, r, x| s.mk_float_convert(from, to, r, x[0]);
            check("convert", from, 1, build, &|f, m, x| f.convert(&target, m, &x[0]));
        }
    }
}

#[test]
fn integers_convert() {
    for format in TINY {
        let reference = Reference::new(format);
        for (width, signed) in [1, 2, 3, 5, 8].into_iter().flat_map(|w| [(w, false), (w, true)]) {
            let from =
                Circuit::new(width, 1, &|s, r, x| s.mk_float_from_bv(format, r, x[0], signed));
            for bits in 0..1i64 << width {
                let value =
                    if signed && bits >> (width - 1) == 1 { bits - (1 << width) } else { bits };
                for mode in RoundingMode::ALL {
                    let right = reference.round(mode, &value.into(), false);
                    assert_eq!(
                        from.compute(mode, &[bits as usize]),
                        right,
                        "{format:?} {mode:?} {value}"
                    );
                }
            }
            let half = 1i64 << (width - 1);
            let range = if signed { -half..half } else { 0..2 * half };
            let place = |mode, d: &Datum| match d {
                Datum::Finite(_, v) => whole(mode, v)
                    .to_i64()
                    .filter(|n| range.contains(n))
                    .map(|n| n.rem_euclid(2 * half)),
                _ => None,
            };
            check(
                "to_bv",
                format,
                1,
                &|s, r, x| {
                    let (value, in_range) = s.mk_float_to_bv(format, r, x[0], width, signed);
                    let none = s.mk_bv(-1, width + 1);
                    let value = s.mk_bv_zero_extend(1, value);
                    s.mk_ite(in_range, value, none)
                },
                &|_, mode, x| place(mode, &x[0]).unwrap_or(4 * half - 1) as usize,
            );
        }
    }
}

#[test]
fn classes_and_order_are_right() {
    type Class =
        (&'static str, fn(&mut TermStore, FloatFormat, TermId) -> TermId, fn(&Datum) -> bool);
    let classes: [Class; 5] = [
        ("nan", TermStore::mk_float_is_nan, |d| *d == Datum::NotANumber),
        ("infinite", TermStore::mk_float_is_infinite, |d| matches!(d, Datum::Infinite(_))),
        ("zero", TermStore::mk_float_is_zero, |d| matches!(d, Datum::Finite(_, v) if v.is_zero())),
        ("negative", TermStore::mk_float_is_negative, |d| {
            matches!(d, Datum::Finite(true, _) | Datum::Infinite(true))
        }),
        ("positive", TermStore::mk_float_is_positive, |d| {
            matches!(d, Datum::Finite(false, _) | Datum::Infinite(false))
        }),
    ];
    for format in TINY {
        for (name, build, is) in classes {
            check(name, format, 1, &|s, _, x| build(s, format, x[0]), &|_, _, x| {
                usize::from(is(&x[0]))
            });
        }
        // A normal number is one from 2^(1 - bias) on.
        let least = Reference::new(format).decode(1 << (format.significand - 1));
        let normal = move |d: &Datum| {
            let Datum::Finite(_, v) = d else { return false };
            order(&Datum::Finite(false, v.abs()), &least) != Some(Ordering::Less)
        };
        check("normal", format, 1, &|s, _, x| s.mk_float_is_normal(format, x[0]), &|_, _, x| {
            usize::from(normal(&x[0]))
        });
        check(
            "subnormal",
            format,
            1,
            &|s, _, x| s.mk_float_is_subnormal(format, x[0]),
            &|_, _, x| {
                usize::from(matches!(&x[0], Datum::Finite(_, v) if !v.is_zero()) && !normal(&x[0]))
            },
        );
        check("lt", format, 2, &|s, _, x| s.mk_float_lt(format, x[0], x[1]), &|_, _, x| {
            usize::from(order(&x[0], &x[1]) == Some(Ordering::Less))
        });
        check("le", format, 2, &|s, _, x| s.mk_float_le(format, x[0], x[1]), &|_, _, x| {
            usize::from(matches!(order(&x[0], &x[1]), Some(Ordering::Less | Ordering::Equal)))
        });
        check("eq", format, 2, &|s, _, x| s.mk_float_eq(format, x[0], x[1]), &|_, _, x| {
            usize::from(order(&x[0], &x[1]) == Some(Ordering::Equal))
        });
        let choose = |f: &Reference, wanted: Ordering, x: &[Datum]| {
            let first = match order(&x[0], &x[1]) {
                Some(found) => found == wanted,
                None => x[1] == Datum::NotANumber,
            };
            f.encode(&x[usize::from(!first)])
        };
        check("min", format, 2, &|s, _, x| s.mk_float_min(format, x[0], x[1]), &|f, _, x| {
            choose(f, Ordering::Less, x)
        });
        check("max", format, 2, &|s, _, x| s.mk_float_max(format, x[0], x[1]), &|f, _, x| {
            choose(f, Ordering::Greater, x)
        });
    }
}

#[test]
fn numbers_and_signs_are_right() {
    let mut dice = Dice::new(7);
    for format in TINY {
        let reference = Reference::new(format);
        let mut store = TermStore::new();
        for _ in 0..300 {
            let (n, d) = (dice.between(-200, 200), dice.between(1, 40));
            let number = bolide_base::Rational::new(n, d);
            for mode in RoundingMode::ALL {
                let rounding = store.mk_rounding_mode(mode);
                let found = store.mk_float_from_rational(format, rounding, &number);
                let right = reference.round(mode, &number, false);
                assert_eq!(
                    store.bv_number(found),
                    Some(Integer::from(right)),
                    "{format:?} {mode:?} {number}"
                );
            }
        }
        for pattern in 0..1usize << format.width() {
            let datum = reference.decode(pattern);
            let value = match &datum {
                Datum::Finite(_, v) => Some(v.clone()),
                _ => None,
            };
            assert_eq!(format.value(&Integer::from(pattern)), value);
            let x = store.mk_bv(pattern as i64, format.width());
            let (negated, positive) =
                (store.mk_float_neg(format, x), store.mk_float_abs(format, x));
            let flip = |keep: bool| match &datum {
                Datum::Finite(s, v) if *s || !keep => Datum::Finite(!s, -v.clone()),
                Datum::Infinite(s) if *s || !keep => Datum::Infinite(!s),
                other => other.clone(),
            };
            assert_eq!(
                store.bv_number(negated),
                Some(Integer::from(reference.encode(&flip(false))))
            );
            assert_eq!(
                store.bv_number(positive),
                Some(Integer::from(reference.encode(&flip(true))))
            );
        }
    }
}

#[test]
fn the_number_as_a_real() {
    for format in TINY {
        let (mut store, width) = (TermStore::new(), format.width());
        let sort = store.mk_bv_sort(width);
        let pattern = store.mk_const("x", sort);
        let real = store.mk_float_to_real(format, pattern);
        let function = store.function_of(pattern).unwrap();
        for bits in 0..1usize << width {
            let bits = Integer::from(bits);
            let Some(expected) = format.value(&bits) else { continue };
            let mut model = Model::new();
            model.set_constant(function, Value::bit_vec(&bits, width));
            assert_eq!(evaluate(&store, &model, real), Ok(Value::Real(expected)), "{bits}");
        }
    }
}

//! Random problems of all theories. No judge is needed: a `Sat` has been evaluated in its
//! model, of an `Unsat` the proof is checked, and `Unknown` fails the test.

use bolide_base::Budget;
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::{FunctionId, SortId, TermId, TermStore};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn number(&mut self) -> i64 {
        self.below(11) as i64 - 5
    }
}

/// Which operators problems are made of.
#[derive(Clone, Copy, PartialEq)]
enum Theory {
    Propositional,
    Equality,
    Integers,
    Reals,
    Functions,
    Division,
    Arrays,
    BitVectors,
    BitVectorArrays,
}

struct Generator<'a> {
    store: &'a mut TermStore,
    random: Random,
    theory: Theory,
    element: SortId,
    array: SortId,
    width: u32,
    /// Uninterpreted functions of one and two arguments over the sort of the theory.
    unary: FunctionId,
    binary: FunctionId,
    predicate: FunctionId,
}

impl<'a> Generator<'a> {
    fn new(store: &'a mut TermStore, seed: u64, theory: Theory) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E3779B97F4A7C15) + 1);
        random.below(2);
        let width = [1, 2, 3, 4, 8][random.below(5)];
        let element = match theory {
            Theory::Equality | Theory::Propositional => store.mk_uninterpreted_sort("U"),
            Theory::Reals => SortId::REAL,
            Theory::BitVectors | Theory::BitVectorArrays => store.mk_bv_sort(width),
            _ => SortId::INT,
        };
        let array = store.mk_array_sort(element, element);
        let unary = store.declare_fn("f", &[element], element);
        let binary = store.declare_fn("g", &[element, element], element);
        let predicate = store.declare_fn("p", &[element], SortId::BOOL);
        Generator { store, random, theory, element, array, width, unary, binary, predicate }
    }

    fn has_functions(&self) -> bool {
        matches!(self.theory, Theory::Equality | Theory::Functions | Theory::BitVectorArrays)
    }

    fn has_arrays(&self) -> bool {
        matches!(self.theory, Theory::Arrays | Theory::BitVectorArrays)
    }

    fn variable(&mut self) -> TermId {
        let name = self.random.pick(&["x", "y", "z", "w"]);
        self.store.mk_const(name, self.element)
    }

    fn number(&mut self) -> TermId {
        let value = self.random.number();
        match self.theory {
            Theory::Reals => {
                let value = bolide_base::Rational::new(value, 1 + self.random.below(3) as i64);
                self.store.mk_real(value)
            }
            Theory::BitVectors | Theory::BitVectorArrays => self.store.mk_bv(value, self.width),
            Theory::Equality | Theory::Propositional => self.variable(),
            _ => self.store.mk_int(value),
        }
    }

    fn term(&mut self, depth: usize) -> TermId {
        if depth == 0 {
            return if self.random.below(3) == 0 { self.number() } else { self.variable() };
        }
        if self.has_functions() && self.random.below(4) == 0 {
            let a = self.term(depth - 1);
            return if self.random.below(2) == 0 {
                self.store.mk_app(self.unary, &[a])
            } else {
                let b = self.term(depth - 1);
                self.store.mk_app(self.binary, &[a, b])
            };
        }
        if self.has_arrays() && self.random.below(3) == 0 {
            let (array, index) = (self.array(depth - 1), self.term(depth - 1));
            return self.store.mk_select(array, index);
        }
        if self.random.below(8) == 0 {
            let c = self.formula(depth - 1);
            let (a, b) = (self.term(depth - 1), self.term(depth - 1));
            return self.store.mk_ite(c, a, b);
        }
        match self.theory {
            Theory::Equality | Theory::Propositional => self.variable(),
            Theory::BitVectors | Theory::BitVectorArrays => self.vector(depth),
            _ => self.arithmetic(depth),
        }
    }

    fn arithmetic(&mut self, depth: usize) -> TermId {
        let a = self.term(depth - 1);
        match self.random.below(6) {
            0 | 1 => {
                let b = self.term(depth - 1);
                self.store.mk_add(&[a, b])
            }
            2 => {
                let b = self.term(depth - 1);
                self.store.mk_sub(a, b)
            }
            3 => {
                let k = self.number();
                self.store.mk_mul(&[k, a])
            }
            4 if self.theory == Theory::Division => {
                let k = self.store.mk_int([2i64, 3, 5, -2, 7][self.random.below(5)]);
                if self.random.below(2) == 0 {
                    self.store.mk_div(a, k)
                } else {
                    self.store.mk_mod(a, k)
                }
            }
            5 if self.theory == Theory::Reals => {
                let floor = self.store.mk_to_int(a);
                self.store.mk_to_real(floor)
            }
            _ => a,
        }
    }

    fn vector(&mut self, depth: usize) -> TermId {
        let (a, b) = (self.term(depth - 1), self.term(depth - 1));
        let store = &mut *self.store;
        match self.random.below(14) {
            0 => store.mk_bv_add(&[a, b]),
            1 => store.mk_bv_sub(a, b),
            2 => store.mk_bv_mul(&[a, b]),
            3 => store.mk_bv_udiv(a, b),
            4 => store.mk_bv_urem(a, b),
            5 => store.mk_bv_and(&[a, b]),
            6 => store.mk_bv_or(&[a, b]),
            7 => store.mk_bv_xor(&[a, b]),
            8 => store.mk_bv_shl(a, b),
            9 => store.mk_bv_lshr(a, b),
            10 => store.mk_bv_ashr(a, b),
            11 => store.mk_bv_not(a),
            12 => store.mk_bv_neg(a),
            _ => {
                let high = self.random.below(self.width as usize) as u32;
                let low = self.random.below(high as usize + 1) as u32;
                let piece = store.mk_bv_extract(high, low, a);
                let missing = self.width - (high - low + 1);
                if self.random.below(2) == 0 {
                    store.mk_bv_sign_extend(missing, piece)
                } else {
                    store.mk_bv_zero_extend(missing, piece)
                }
            }
        }
    }

    fn array(&mut self, depth: usize) -> TermId {
        if depth == 0 || self.random.below(3) == 0 {
            let name = self.random.pick(&["a", "b", "c"]);
            return self.store.mk_const(name, self.array);
        }
        match self.random.below(8) {
            0 => {
                let value = self.term(depth - 1);
                self.store.mk_const_array(self.array, value)
            }
            1 => {
                let c = self.formula(depth - 1);
                let (a, b) = (self.array(depth - 1), self.array(depth - 1));
                self.store.mk_ite(c, a, b)
            }
            _ => {
                let (array, index, value) =
                    (self.array(depth - 1), self.term(depth - 1), self.term(depth - 1));
                self.store.mk_store(array, index, value)
            }
        }
    }

    fn atom(&mut self, depth: usize) -> TermId {
        let depth = depth.min(2);
        if self.theory == Theory::Propositional || self.random.below(6) == 0 {
            let name = self.random.pick(&["q", "r", "s", "t", "u", "v"]);
            return self.store.mk_const(name, SortId::BOOL);
        }
        if self.has_functions() && self.random.below(5) == 0 {
            let a = self.term(depth);
            return self.store.mk_app(self.predicate, &[a]);
        }
        if self.has_arrays() && self.random.below(4) == 0 {
            let (a, b) = (self.array(depth), self.array(depth));
            return self.store.mk_eq(a, b);
        }
        let (a, b) = (self.term(depth), self.term(depth));
        match self.theory {
            Theory::Equality | Theory::Propositional => self.store.mk_eq(a, b),
            Theory::BitVectors | Theory::BitVectorArrays => match self.random.below(4) {
                0 => self.store.mk_bv_ult(a, b),
                1 => self.store.mk_bv_slt(a, b),
                2 => self.store.mk_bv_ule(a, b),
                _ => self.store.mk_eq(a, b),
            },
            _ => match self.random.below(4) {
                0 => self.store.mk_le(a, b),
                1 => self.store.mk_lt(a, b),
                _ => self.store.mk_eq(a, b),
            },
        }
    }

    fn formula(&mut self, depth: usize) -> TermId {
        if depth == 0 || self.random.below(4) == 0 {
            let atom = self.atom(depth);
            return if self.random.below(2) == 0 { atom } else { self.store.mk_not(atom) };
        }
        let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.random.below(7) {
            0 | 1 => self.store.mk_and(&[a, b]),
            2 | 3 => self.store.mk_or(&[a, b]),
            4 => self.store.mk_iff(a, b),
            5 => self.store.mk_xor(a, b),
            _ => {
                let c = self.formula(depth - 1);
                self.store.mk_ite(c, a, b)
            }
        }
    }
}

#[derive(Default, Debug)]
struct Counts {
    sat: usize,
    unsat: usize,
}

/// Checks and demands a justified answer.
fn check(
    store: &mut TermStore,
    solver: &mut Solver,
    assumptions: &[TermId],
    counts: &mut Counts,
    label: &str,
) {
    if std::env::var("BOLIDE_VERBOSE").is_ok() {
        for (formula, _) in solver.assertions() {
            eprintln!("(assert {})", store.smtlib(*formula));
        }
        for formula in assumptions {
            eprintln!("(assume {})", store.smtlib(*formula));
        }
    }
    match solver.check(store, assumptions, &Budget::unlimited()) {
        Answer::Sat => counts.sat += 1,
        Answer::Unsat => {
            counts.unsat += 1;
            let core = solver.unsat_core().to_vec();
            assert!(core.iter().all(|formula| assumptions.contains(formula)));
            if let Some(proof) = solver.proof(store) {
                let asserted: Vec<TermId> =
                    solver.assertions().iter().map(|a| a.0).chain(core).collect();
                let verdict =
                    bolide_proof::check_refutation(store, &proof, |f, _| asserted.contains(&f));
                if let Err(rejection) = verdict {
                    use bolide_base::arena::Id;
                    let step = &proof.steps[rejection.step.index()];
                    let clause: Vec<String> = step
                        .clause
                        .iter()
                        .map(|l| {
                            format!(
                                "{}{}",
                                if l.positive { "" } else { "not " },
                                store.smtlib(l.atom)
                            )
                        })
                        .collect();
                    panic!("{label}: {rejection}\n{clause:#?}\n{:?}", step.rule);
                }
            }
        }
        Answer::Unknown(reason) => {
            for (formula, _) in solver.assertions() {
                eprintln!("(assert {})", store.smtlib(*formula));
            }
            for formula in assumptions {
                eprintln!("(assume {})", store.smtlib(*formula));
            }
            panic!("{label}: unknown: {reason}");
        }
    }
}

fn run(theory: Theory, seeds: std::ops::Range<u64>, proofs: bool) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let label = format!("seed {seed}");
        if std::env::var("BOLIDE_VERBOSE").is_ok() {
            eprintln!("{label}");
        }
        let mut store = TermStore::new();
        let mut solver = Solver::new(Config { proofs });
        let mut generator = Generator::new(&mut store, seed, theory);
        let steps = 2 + generator.random.below(6);
        for _ in 0..steps {
            match generator.random.below(8) {
                0 => solver.push(generator.store),
                1 if solver.scopes() > 0 => {
                    let count = 1 + generator.random.below(solver.scopes());
                    solver.pop(generator.store, count);
                }
                2 | 3 => {
                    let assumptions: Vec<TermId> =
                        (0..generator.random.below(4)).map(|_| generator.formula(1)).collect();
                    check(generator.store, &mut solver, &assumptions, &mut counts, &label);
                }
                _ => {
                    for partition in 0..1 + generator.random.below(3) {
                        let depth = 1 + generator.random.below(3);
                        let formula = generator.formula(depth);
                        solver.assert(generator.store, formula, partition as u32);
                    }
                }
            }
        }
        check(generator.store, &mut solver, &[], &mut counts, &label);
    }
    counts
}

fn both(theory: Theory, seeds: u64) {
    let with = run(theory, 0..seeds, true);
    let without = run(theory, seeds..2 * seeds, false);
    assert!(with.sat > 0 && with.unsat > 0 && without.unsat > 0, "{with:?} {without:?}");
}

/// How many seeds to try: more when the environment says so.
fn seeds(default: u64) -> u64 {
    std::env::var("BOLIDE_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn propositional() {
    both(Theory::Propositional, seeds(300));
}

#[test]
fn equality() {
    both(Theory::Equality, seeds(400));
}

#[test]
fn reals() {
    both(Theory::Reals, seeds(300));
}

#[test]
fn integers() {
    both(Theory::Integers, seeds(300));
}

#[test]
fn integers_with_functions() {
    both(Theory::Functions, seeds(300));
}

#[test]
fn division() {
    both(Theory::Division, seeds(300));
}

#[test]
fn arrays() {
    both(Theory::Arrays, seeds(200));
}

#[test]
fn bit_vectors() {
    both(Theory::BitVectors, seeds(200));
}

#[test]
fn bit_vector_arrays() {
    both(Theory::BitVectorArrays, seeds(100));
}

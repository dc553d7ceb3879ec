//! The solver's own promises: scopes leave nothing behind, cores are cores, budgets are kept,
//! deep formulas are no danger.

use bolide_base::{Budget, Exhausted};
use bolide_proof::{Rule, Tautology};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::{SortId, TermId, TermStore};
use bolide_testing::Dice;

/// A random clause of arithmetic, functions and arrays.
fn clause(store: &mut TermStore, dice: &mut Dice) -> TermId {
    let array_sort = store.mk_array_sort(SortId::INT, SortId::INT);
    let f = store.declare_fn("f", &[SortId::INT], SortId::INT);
    let mut literals = Vec::new();
    for _ in 0..2 {
        let mut variable =
            |store: &mut TermStore| store.mk_const(["x", "y", "z"][dice.roll(3)], SortId::INT);
        let (a, b) = (variable(store), variable(store));
        let k = store.mk_int(dice.roll(9) as i64 - 4);
        let term = match dice.roll(6) {
            5 => {
                let three = store.mk_int(3);
                let sum = store.mk_add(&[a, b]);
                store.mk_mod(sum, three)
            }
            0 => store.mk_app(f, &[a]),
            1 => {
                let array = store.mk_const("m", array_sort);
                let array = store.mk_store(array, b, k);
                store.mk_select(array, a)
            }
            2 => store.mk_add(&[a, b]),
            _ => store.mk_sub(a, b),
        };
        let atom = if dice.roll(2) == 0 { store.mk_le(term, k) } else { store.mk_eq(term, k) };
        literals.push(if dice.roll(2) == 0 { atom } else { store.mk_not(atom) });
    }
    store.mk_or(&literals)
}

#[test]
fn scopes_leave_nothing_behind() {
    for proofs in [false, true] {
        let mut store = TermStore::new();
        let mut solver = Solver::new(Config { proofs });
        let mut dice = Dice::new(3);
        for _ in 0..5 {
            let clause = clause(&mut store, &mut dice);
            solver.assert(&mut store, clause, 0);
        }
        let base = solver.size();
        let mut largest = base;
        for round in 0..600 {
            solver.push(&mut store);
            for _ in 0..12 {
                let clause = clause(&mut store, &mut dice);
                solver.assert(&mut store, clause, 0);
            }
            let answer = solver.check(&mut store, &[], &Budget::unlimited());
            assert!(matches!(answer, Answer::Sat | Answer::Unsat), "{answer:?}");
            solver.pop(&mut store, 1);
            let size = solver.size();
            // Propagation at the root may add a few atoms to the outer scope, once.
            assert!(size.atoms < base.atoms + 30, "round {round}: {size:?}");
            largest.clauses = largest.clauses.max(size.clauses);
            largest.words = largest.words.max(size.words);
            largest.steps = largest.steps.max(size.steps);
        }
        assert!(largest.clauses < 500 && largest.words < 40_000, "{largest:?}");
        assert!(largest.steps < 40_000, "{largest:?}");
    }
}

#[test]
fn cores_are_minimised_on_request() {
    let mut store = TermStore::new();
    let x: Vec<TermId> = (0..12).map(|i| store.mk_const(&format!("x{i}"), SortId::INT)).collect();
    let mut solver = Solver::new(Config { proofs: true });
    // A chain x0 < x1 < ... < x11, and facts that are enough twice over.
    let chain: Vec<TermId> = x.windows(2).map(|pair| store.mk_lt(pair[0], pair[1])).collect();
    let backward = store.mk_lt(x[5], x[2]);
    let far_backward = store.mk_lt(x[11], x[0]);
    let mut assumptions = chain.clone();
    assumptions.extend([far_backward, backward]);
    let budget = Budget::unlimited();
    assert_eq!(solver.check(&mut store, &assumptions, &budget), Answer::Unsat);
    let core = solver.minimise_core(&mut store, &budget);
    for left_out in &core {
        let rest: Vec<TermId> = core.iter().copied().filter(|f| f != left_out).collect();
        assert_eq!(solver.check(&mut store, &rest, &budget), Answer::Sat);
    }
    assert_eq!(solver.check(&mut store, &core, &budget), Answer::Unsat);
    let proof = solver.proof(&store).expect("proofs are on");
    let verdict = bolide_proof::check_refutation(&store, &proof, |f, _| core.contains(&f));
    assert_eq!(verdict, Ok(()));
    // Without the assumptions all is well again.
    assert_eq!(solver.check(&mut store, &[], &budget), Answer::Sat);
    // Assumptions that contradict each other.
    let negated = store.mk_not(backward);
    assert_eq!(solver.check(&mut store, &[backward, negated], &budget), Answer::Unsat);
    assert_eq!(solver.unsat_core().len(), 2);
    let proof = solver.proof(&store).expect("proofs are on");
    assert_eq!(bolide_proof::check_refutation(&store, &proof, |_, _| true), Ok(()));
}

#[test]
fn a_stopped_budget_is_unknown() {
    let mut store = TermStore::new();
    let mut solver = Solver::new(Config::default());
    // Pigeons: no quick answer.
    let at = |store: &mut TermStore, p: usize, h: usize| {
        store.mk_const(&format!("p{p}h{h}"), SortId::BOOL)
    };
    for p in 0..11 {
        let holes: Vec<TermId> = (0..10).map(|h| at(&mut store, p, h)).collect();
        let clause = store.mk_or(&holes);
        solver.assert(&mut store, clause, 0);
        for q in 0..p {
            for h in 0..10 {
                let both = [at(&mut store, p, h), at(&mut store, q, h)];
                let both = store.mk_and(&both);
                let clause = store.mk_not(both);
                solver.assert(&mut store, clause, 0);
            }
        }
    }
    let budget = Budget::unlimited();
    budget.stop(Exhausted::Time);
    let answer = solver.check(&mut store, &[], &budget);
    assert_eq!(answer, Answer::Unknown(Exhausted::Time.into()));
}

#[test]
fn deep_formulas_do_not_overflow_the_stack() {
    let mut store = TermStore::new();
    let mut solver = Solver::new(Config { proofs: true });
    let x = store.mk_const("x", SortId::INT);
    let f = store.declare_fn("f", &[SortId::INT], SortId::INT);
    let (mut formula, mut term) = (store.mk_const("p", SortId::BOOL), x);
    for i in 0..20_000 {
        let q = store.mk_const(&format!("q{}", i % 7), SortId::BOOL);
        formula = if i % 2 == 0 { store.mk_iff(formula, q) } else { store.mk_or(&[formula, q]) };
        term = store.mk_app(f, &[term]);
    }
    let equal = store.mk_eq(term, x);
    solver.assert(&mut store, formula, 0);
    solver.assert(&mut store, equal, 0);
    assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Sat);
}

#[test]
fn propositional_atoms_inside_functions() {
    // f(p and q) with p and q true is f(true); the conjunction is known before f is.
    let mut store = TermStore::new();
    let mut solver = Solver::new(Config { proofs: true });
    let sort = store.mk_uninterpreted_sort("U");
    let f = store.declare_fn("f", &[SortId::BOOL], sort);
    let (p, q) = (store.mk_const("p", SortId::BOOL), store.mk_const("q", SortId::BOOL));
    let both = store.mk_and(&[p, q]);
    let r = store.mk_const("r", SortId::BOOL);
    let either = store.mk_or(&[both, r]);
    solver.assert(&mut store, either, 0);
    let not_r = store.mk_not(r);
    solver.assert(&mut store, not_r, 0);
    assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Sat);
    solver.push(&mut store);
    let (left, right) = (store.mk_app(f, &[both]), store.mk_app(f, &[TermId::TRUE]));
    let differ = store.mk_neq(left, right);
    solver.assert(&mut store, differ, 0);
    assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Unsat);
    let proof = solver.proof(&store).expect("proofs are on");
    assert_eq!(bolide_proof::check(&store, &proof), Ok(()));
    solver.pop(&mut store, 1);
    assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Sat);
}

/// Whether the checker takes the proof as a refutation of the formulas.
fn accepts(store: &TermStore, proof: &bolide_proof::Proof, formulas: &[TermId]) -> bool {
    bolide_proof::check_refutation(store, proof, |formula, _| formulas.contains(&formula)).is_ok()
}

#[test]
fn mutated_proofs_of_bit_vectors_are_rejected() {
    let scripts = [
        "(assert (= (bvadd x y) (bvsub x #b001))) (assert (= y #b001))",
        "(assert (bvult (bvmul x #b010) y)) (assert (= y #b001)) (assert (= x #b001))",
        "(assert (bvslt (bvand x y) #b100))",
        "(assert (not (= (bvudiv x #b000) #b111)))",
        "(assert (= (bvshl x y) #b001)) (assert (bvult #b000 y))",
        "(assert (not (= (concat x y) (bvor (concat x #b000) (concat #b000 y)))))",
    ];
    let mut mutants = 0;
    for script in scripts {
        let text =
            format!("(declare-const x (_ BitVec 3)) (declare-const y (_ BitVec 3)) {script}");
        let mut store = TermStore::new();
        let mut solver = Solver::new(Config { proofs: true });
        let mut reader = bolide_terms::smtlib::Reader::new(&text);
        let mut formulas = Vec::new();
        while let Some(command) = reader.next_command(&mut store) {
            if let Ok(bolide_terms::smtlib::Command::Assert { formula, .. }) = command {
                formulas.push(formula);
                solver.assert(&mut store, formula, 0);
            }
        }
        assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Unsat, "{script}");
        let proof = solver.proof(&store).expect("proofs are on");
        assert!(accepts(&store, &proof, &formulas), "{script}");
        for number in 0..proof.steps.len() {
            for place in 0..proof.steps[number].clause.len() {
                // A literal changes its sign.
                let mut mutant = proof.clone();
                let literal = &mut mutant.steps[number].clause[place];
                *literal = !*literal;
                assert!(!accepts(&store, &mutant, &formulas), "{script}: step {number}");
                mutants += 1;
            }
            // Another bit of the circuit, an antecedent less.
            let mut mutant = proof.clone();
            match &mut mutant.steps[number].rule {
                Rule::Tautology(Tautology::Bits { bit, .. }) => *bit ^= 1,
                Rule::Resolution { chain, .. } if !chain.is_empty() => drop(chain.pop()),
                _ => continue,
            }
            assert!(!accepts(&store, &mutant, &formulas), "{script}: rule of step {number}");
            mutants += 1;
        }
        // The last step gone, the conclusion is not the empty clause any more.
        let mut mutant = proof.clone();
        mutant.steps.pop();
        assert!(!accepts(&store, &mutant, &formulas), "{script}");
        // An assumption that nobody made.
        assert!(!accepts(&store, &proof, &formulas[1..]), "{script}");
    }
    assert!(mutants > 100, "{mutants}");
}

/// The place at which two arrays differ may be asserted something about, as interpolants do: it is
/// a function of the arrays, and there they differ if they do at all.
#[test]
fn a_place_where_arrays_differ_can_be_asserted() {
    let mut store = TermStore::new();
    let sort = store.mk_array_sort(SortId::INT, SortId::INT);
    let [a, b, c] = ["a", "b", "c"].map(|name| store.mk_const(name, sort));
    let (three, seven) = (store.mk_int(3), store.mk_int(7));
    let place = store.mk_diff(a, b);
    let read =
        |store: &mut TermStore, index: TermId| [a, b].map(|array| store.mk_select(array, index));
    let [[here, there], [a3, b3], [a7, b7]] =
        [place, three, seven].map(|index| read(&mut store, index));
    let agree = store.mk_eq(here, there);
    let (differ3, differ7) = (store.mk_neq(a3, b3), store.mk_neq(a7, b7));
    let at7 = store.mk_eq(place, seven);
    let agree7 = store.mk_eq(a7, b7);
    let other = store.mk_diff(c, b);
    let (same, apart) = (store.mk_eq(a, c), store.mk_neq(place, other));
    let mut check = |formulas: &[TermId]| {
        let mut solver = Solver::new(Config { proofs: true });
        for &formula in formulas {
            solver.assert(&mut store, formula, 0);
        }
        let answer = solver.check(&mut store, &[], &Budget::unlimited());
        if answer == Answer::Unsat {
            let proof = solver.proof(&store).expect("proofs are on");
            bolide_proof::check_refutation(&store, &proof, |f, _| formulas.contains(&f)).unwrap();
        }
        answer
    };
    // No equality of arrays is asserted, and still it matters.
    assert_eq!(check(&[agree, differ3]), Answer::Unsat);
    assert_eq!(check(&[at7, agree7, differ3]), Answer::Unsat);
    assert_eq!(check(&[same, apart]), Answer::Unsat);
    // Any place will do, not only the first.
    assert_eq!(check(&[at7, differ7, differ3]), Answer::Sat);
    assert_eq!(check(&[at7, agree7]), Answer::Sat);
    assert_eq!(check(&[apart, differ3]), Answer::Sat);
}

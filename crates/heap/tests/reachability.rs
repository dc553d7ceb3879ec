//! Reachability and its update formula against graphs that are searched by hand.

use bolide_base::Budget;
use bolide_heap::{Kind, Session};
use bolide_terms::TermId;
use bolide_terms::evaluate::Evaluator;
use bolide_testing::Dice;

/// Whether `y` lies on the path from `x` to the first `z`.
fn btwn(f: &[usize], x: usize, y: usize, z: usize) -> bool {
    let mut path = vec![x];
    while *path.last().unwrap() != z && path.len() <= f.len() {
        path.push(f[*path.last().unwrap()]);
    }
    *path.last().unwrap() == z && path.contains(&y)
}

/// A session in which the graph is given edge by edge, and its objects.
fn given(f: &[usize], session: &mut Session) -> (bolide_heap::Version, Vec<TermId>) {
    let mut objects = vec![session.null()];
    for i in 1..f.len() {
        objects.push(session.constant(&format!("o{i}"), Kind::Object));
    }
    let distinct = session.store.mk_distinct(&objects);
    session.assert(distinct);
    let field = session.base("f", Kind::Object);
    for i in 1..f.len() {
        let read = session.read(field, objects[i]);
        let fact = session.store.mk_eq(read, objects[f[i]]);
        session.assert(fact);
    }
    (field, objects)
}

#[test]
fn a_known_graph_determines_reachability_before_and_after_a_write() {
    let mut dice = Dice::new(42);
    for _ in 0..60 {
        let n = 4;
        let mut f: Vec<usize> = (0..n).map(|i| if i == 0 { 0 } else { dice.roll(n) }).collect();
        let mut session = Session::new(false);
        let (field, objects) = given(&f, &mut session);
        let (at, value) = (1 + dice.roll(n - 1), dice.roll(n));
        let written = session.write(field, objects[at], objects[value]);
        let mut atoms = Vec::new();
        let mut expected = Vec::new();
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    atoms.push(session.btwn(field, objects[x], objects[y], objects[z]));
                    expected.push(btwn(&f, x, y, z));
                }
            }
        }
        let before = f.clone();
        f[at] = value;
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    atoms.push(session.btwn(written, objects[x], objects[y], objects[z]));
                    expected.push(btwn(&f, x, y, z));
                }
            }
        }
        // Required for the test to see all atoms: each is mentioned, none is fixed.
        for &atom in &atoms {
            let not = session.store.mk_not(atom);
            let either = session.store.mk_or(&[atom, not]);
            session.assert(either);
        }
        let model = session.check(&Budget::unlimited()).unwrap().expect("the graph exists");
        let mut evaluator = Evaluator::new(&session.store, &model);
        for (i, &atom) in atoms.iter().enumerate() {
            assert_eq!(evaluator.holds(atom), expected[i], "{before:?} with {at} := {value}: {i}");
        }
    }
}

#[test]
fn what_holds_in_all_small_graphs_only_is_not_refuted() {
    // Unsat answers are compared with all graphs of four objects.
    let mut dice = Dice::new(7);
    let (mut unsat, n) = (0, 4);
    for round in 0..150 {
        let mut session = Session::new(round % 10 == 0);
        let field = session.base("f", Kind::Object);
        let names: Vec<TermId> = (0..3).map(|_| session.constant("x", Kind::Object)).collect();
        let all: Vec<TermId> = std::iter::once(session.null()).chain(names).collect();
        let written = session.write(field, all[1], all[dice.roll(4)]);
        let value = session.read(written, all[1]);
        let alive = session.store.mk_neq(all[1], all[0]);
        session.assert(alive);
        let literals: Vec<(usize, bool, [usize; 3])> = (0..6)
            .map(|_| {
                let places = [dice.roll(4), dice.roll(4), dice.roll(4)];
                (dice.roll(4), dice.roll(2) == 0, places)
            })
            .collect();
        for &(kind, positive, [x, y, z]) in &literals {
            let atom = match kind {
                0 => session.btwn(field, all[x], all[y], all[z]),
                1 => session.btwn(written, all[x], all[y], all[z]),
                2 => session.reach(written, all[x], all[y]),
                _ => {
                    let read = session.read(field, all[x]);
                    session.store.mk_eq(read, all[y])
                }
            };
            let literal = if positive { atom } else { session.store.mk_not(atom) };
            session.assert(literal);
        }
        if session.check(&Budget::unlimited()).unwrap().is_some() {
            continue;
        }
        unsat += 1;
        let target = all.iter().position(|&t| t == value).unwrap();
        for code in 0..n * n * n {
            let f = [0, code % n, code / n % n, code / n / n];
            for places in 0..n * n * n {
                let v = [0, places % n, places / n % n, places / n / n];
                if v[1] == 0 {
                    continue;
                }
                let mut g = f;
                g[v[1]] = v[target];
                let model = literals.iter().all(|&(kind, positive, [x, y, z])| {
                    let truth = match kind {
                        0 => btwn(&f, v[x], v[y], v[z]),
                        1 => btwn(&g, v[x], v[y], v[z]),
                        2 => btwn(&g, v[x], v[y], v[y]),
                        _ => f[v[x]] == v[y],
                    };
                    truth == positive
                });
                assert!(!model, "{literals:?} holds in {f:?} at {v:?}");
            }
        }
    }
    assert!(unsat > 20, "only {unsat} problems without a model");
}

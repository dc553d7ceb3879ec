//! The audit alone: certificates of all engines over blocks, honest and spoiled.
//!
//! What must be refused is not a matter of taste: of a program that reaches its error, every
//! certificate is wrong, whatever it says. So programs are broken, and each certificate of the
//! whole program is tried on the broken one as it is and spoiled in every way that the interface allows.

mod common;

use bolide_base::{Budget, HashMap};
use bolide_cfa::{LocId, Program};
use bolide_engines::task::Orders;
use bolide_reachability::verdict::{Annotation, Contract, Reason};
use bolide_terms::{SortId, TermId, TermStore};
use bolide_verdict::Certificate;
use common::{
    ADDITION, COUNTING, IDENTITY, INCREMENT, INCREMENT_CELL, LOCK, audited, parse, search_under,
};

/// Programs and edits after which they reach their error.
const BROKEN: &[(&str, &[(&str, &str)])] = &[
    (
        LOCK,
        &[("old := new", "old := new + 1:i32"), ("lock := 0:i32\n  L1 ", "lock := 2:i32\n  L1 ")],
    ),
    (
        COUNTING,
        &[("i := 0:i32", "i := 5:i32"), ("assume 0:i32 <= n", "skip"), ("i + 1:i32", "i + 2:i32")],
    ),
    (INCREMENT, &[("a := a + 1:i32", "a := a + 2:i32"), ("r := x", "r := 7:i32")]),
    (INCREMENT_CELL, &[("i32[x]@r1 + 1:i32", "i32[x]@r1 + 2:i32"), ("i32[y]@r1 := a", "skip")]),
    (IDENTITY, &[("r := 0:i32", "r := 1:i32"), ("a := 3:i32", "a := 4:i32")]),
    (ADDITION, &[("r := m", "r := n"), ("add(m + 1:i32", "add(m + 2:i32")]),
];

/// The annotations that engines find.
fn annotations(program: &Program) -> Vec<(&'static str, TermStore, Annotation)> {
    let mut found = Vec::new();
    for engine in ["impact", "predicate", "trace", "clp"] {
        let budget = Budget::unlimited().child_for("search", 200_000);
        let searched = search_under(engine, program, &Orders::default(), &budget);
        if let Some(annotation) = searched.annotation {
            found.push((engine, searched.store, annotation));
        }
    }
    found
}

/// Whether the audit accepts an annotation.
fn passes(
    program: &Program,
    store: &mut TermStore,
    annotation: &Annotation,
) -> Result<usize, Reason> {
    audited(program, store, &Certificate::Invariants(annotation.clone()))
}

type Invariants = HashMap<LocId, TermId>;

/// All ways to spoil a map of invariants.
fn spoiled_maps(store: &mut TermStore, invariants: &Invariants) -> Vec<Invariants> {
    let mut locations: Vec<LocId> = invariants.keys().copied().collect();
    locations.sort_unstable();
    let (yes, no) = (store.mk_true(), store.mk_false());
    let all = |value: TermId| locations.iter().map(|&l| (l, value)).collect::<Invariants>();
    let mut found = vec![all(yes), all(no), Invariants::default()];
    for (position, &location) in locations.iter().enumerate() {
        let next = locations[(position + 1) % locations.len()];
        let with = |value: TermId| {
            let mut spoiled = invariants.clone();
            spoiled.insert(location, value);
            spoiled
        };
        found.extend([with(yes), with(no), with(store.mk_not(invariants[&location]))]);
        found.push(with(invariants[&next]));
        let mut dropped = invariants.clone();
        dropped.remove(&location);
        found.push(dropped);
    }
    found
}

/// A certificate spoiled in all ways.
fn spoiled(store: &mut TermStore, certificate: &Annotation) -> Vec<Annotation> {
    let mut found = vec![certificate.clone()];
    for invariants in spoiled_maps(store, &certificate.invariants) {
        found.push(Annotation { invariants, ..certificate.clone() });
    }
    for (position, contract) in certificate.contracts.iter().enumerate() {
        let with = |contract: Contract| {
            let mut spoiled = certificate.clone();
            spoiled.contracts[position] = contract;
            spoiled
        };
        for invariants in spoiled_maps(store, &contract.invariants) {
            found.push(with(Contract { invariants, ..contract.clone() }));
        }
        for precondition in [store.mk_true(), store.mk_false()] {
            found.push(with(Contract { precondition, ..contract.clone() }));
        }
        let other = &certificate.contracts[(position + 1) % certificate.contracts.len()];
        found.push(with(Contract { function: other.function, ..contract.clone() }));
        let mut dropped = certificate.clone();
        dropped.contracts.remove(position);
        found.push(dropped);
    }
    found
}

#[test]
fn no_certificate_passes_for_a_program_that_fails() {
    let mut refused = 0;
    for (text, edits) in BROKEN {
        let whole = parse(text);
        let found = annotations(&whole);
        assert!(found.len() >= 2, "engines prove it:\n{text}");
        for (engine, mut store, honest) in found {
            let accepted = passes(&whole, &mut store, &honest);
            assert!(accepted.is_ok(), "{engine}: {accepted:?}\n{text}");
            let all = spoiled(&mut store, &honest);
            for (from, to) in *edits {
                assert!(text.contains(from), "{from}");
                let broken = parse(&text.replacen(from, to, 1));
                for certificate in &all {
                    let audited = passes(&broken, &mut store, certificate);
                    assert!(audited.is_err(), "{engine}, {from} -> {to}: {certificate:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

/// Invariants that are false where runs come, and maps without what the run starts from.
#[test]
fn what_excludes_runs_is_refused() {
    for (text, _) in BROKEN {
        let program = parse(text);
        let entry = program.functions[program.entry].body.unwrap().entry;
        for (engine, mut store, honest) in annotations(&program) {
            let mut never = honest.clone();
            never.invariants.insert(entry, store.mk_false());
            let mut nowhere = honest.clone();
            nowhere.invariants.remove(&entry);
            for certificate in [never, nowhere] {
                let audited = passes(&program, &mut store, &certificate);
                assert!(audited.is_err(), "{engine}\n{text}");
            }
        }
    }
}

/// Constants that are not the program's, among them those that the encoding has for itself, and invariants
/// for locations of other functions.
#[test]
fn what_is_out_of_scope_is_refused() {
    let program = parse(INCREMENT);
    let callee = program.functions.iter().find(|(_, f)| f.name == "inc").unwrap().1;
    for (engine, mut store, honest) in annotations(&program) {
        let mut spoil = |name: &str| {
            let constant = store.mk_const(name, SortId::INT);
            let zero = store.mk_int(0);
            let fact = store.mk_eq(constant, zero);
            let mut spoiled = honest.clone();
            for invariant in spoiled.invariants.values_mut() {
                *invariant = store.mk_and(&[*invariant, fact]);
            }
            spoiled
        };
        let names = ["b3!0", "nobody", "inc::x!callee", "main::a!new", "inc::r"];
        let mut all: Vec<Annotation> = names.into_iter().map(&mut spoil).collect();
        let mut elsewhere = honest.clone();
        elsewhere.invariants.insert(callee.body.unwrap().entry, TermId::TRUE);
        all.push(elsewhere);
        for certificate in all {
            let audited = passes(&program, &mut store, &certificate);
            let reason = audited.expect_err(engine).to_string();
            assert!(reason.contains("scope") || reason.contains("function"), "{engine}: {reason}");
        }
    }
}

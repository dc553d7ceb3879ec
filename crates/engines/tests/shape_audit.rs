//! The audit of the engine `shape`, alone: honest certificates pass, and each way to spoil one is refused.

mod common;

use bolide_base::Budget;
use bolide_base::arena::Id;
use bolide_cfa::contract::{Contract, Expr, FieldPlace};
use bolide_cfa::types::Type;
use bolide_cfa::{LocId, Program};
use bolide_engines::shape::Options;
use bolide_engines::shape::analysis::{Analysis, Outcome};
use bolide_engines::shape::unwinding::{Limits, Unwound, unwind};
use bolide_heap::program::{specification, view};
use bolide_heap::{Formula, Term};
use bolide_reachability::encode::Exactness;
use bolide_terms::TermStore;
use bolide_verdict::audit::{self, NoProofs, Terms};
use bolide_verdict::certificate::{BooleanHeap, BooleanHeaps, Certificate, Cube, PathTree};
use bolide_verdict::prepared::Prepared;
use common::LIST;

/// Few runs: two inputs are added up; the sum of two that are positive is positive.
const FEW_RUNS: &str = r#"
program LP64
entry main
check C0 unreach-call "the sum is positive"
function main() -> result : i32
  local a : i32
  local b : i32
  local p : ptr
  entry L0 exit L9
  L8: error C0
  L0 -> L1 : a := nondet input "__VERIFIER_nondet_int"
  L1 -> L2 : assume 0:i32 < a
  L1 -> L9 : assume a <= 0:i32
  L2 -> L3 : p := alloc heap(8:u64) align 8
  L3 -> L4 : i32[p] := a
  L4 -> L5 : assume a < 9:i32
  L4 -> L9 : assume 9:i32 <= a
  L5 -> L6 : b := i32[p]
  L6 -> L7 : assume b == a
  L6 -> L8 : assume b != a
  L7 -> L8 : assume b <= 0:i32
  L7 -> L9 : assume 0:i32 < b
"#;

/// Walks to the end of a list.
const WALK: &str = r#"
program LP64
entry walk
check C0 unreach-call "there is a node"
function walk(x : ptr) -> result : ptr
  local y : ptr
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : y := x
  L1 -> L2 : assume y != null
  L1 -> L4 : assume y == null
  L2 -> L3 : assume y != null
  L2 -> L5 : assume y == null
  L3 -> L1 : y := ptr[y]
  L4 -> L6 : result := y
"#;

fn parsed(text: &str) -> Program {
    bolide_cfa::text::parse(text).expect("the test's program parses")
}

fn location(number: usize) -> LocId {
    LocId::from_index(number)
}

/// A proof that the search finds.
fn proof(program: &Program) -> BooleanHeaps {
    let budget = Budget::unlimited();
    let view = view::view(program, program.entry).expect("the program has a view");
    let mut analysis = Analysis::new(&view, &[], &Options::default(), &budget);
    match analysis.run() {
        Outcome::Proved(heaps) => heaps,
        _ => panic!("the program is proved"),
    }
}

fn tree(program: &Program) -> PathTree {
    let view = view::view(program, program.entry).expect("the program has a view");
    let limits = Limits { visits: 9, checks: 1000, instances: 100_000 };
    match unwind(program, &view, limits, &Budget::unlimited()) {
        Ok(Unwound::Safe(tree)) => tree,
        other => panic!("the program has few runs: {other:?}"),
    }
}

fn accepts(program: &Program, certificate: &Certificate) -> bool {
    let (store, known) = (&mut TermStore::new(), &mut NoProofs);
    let mut terms = Terms::new(store, Exactness::default(), known);
    let programs = Prepared::plain(program);
    audit::audit(&programs, certificate, &mut terms, &Budget::unlimited()).is_ok()
}

/// What was accepted and should not have been.
#[derive(Default)]
struct Attacks {
    tried: usize,
    accepted: Vec<String>,
}

impl Attacks {
    fn on(&mut self, name: String, accepted: bool) {
        self.tried += 1;
        if accepted {
            self.accepted.push(name);
        }
    }

    fn end(self, at_least: usize) {
        assert_eq!(self.accepted, Vec::<String>::new(), "spoiled certificates were accepted");
        assert!(self.tried >= at_least, "only {} certificates were tried", self.tried);
    }
}

#[test]
fn boolean_heaps_are_believed_only_as_they_are() {
    let program = parsed(LIST);
    let honest = proof(&program);
    assert!(accepts(&program, &Certificate::Heaps(honest.clone())));
    let mut attacks = Attacks::default();
    let mut attack = |name: String, spoil: &dyn Fn(&mut BooleanHeaps)| {
        let mut spoiled = honest.clone();
        spoil(&mut spoiled);
        assert_ne!(spoiled, honest, "{name} changes nothing");
        attacks.on(name, accepts(&program, &Certificate::Heaps(spoiled)));
    };
    let places: Vec<LocId> = honest.invariants.keys().copied().collect();
    assert_eq!(places, [location(1), location(6)]);
    let nothing = Cube { mask: 0, bits: 0 };
    for &place in &places {
        let number = place.index();
        attack(format!("L{number} is no cut point"), &|all| {
            all.invariants.remove(&place);
        });
        attack(format!("L{number} is never reached"), &|all| {
            all.invariants.get_mut(&place).unwrap().heaps.clear();
        });
        let invariant = &honest.invariants[&place];
        for (at, heap) in invariant.heaps.iter().enumerate() {
            let name = |what: &str| format!("L{number}, heap {at}: {what}");
            let spoil = |f: &dyn Fn(&mut BooleanHeap), all: &mut BooleanHeaps| {
                f(&mut all.invariants.get_mut(&place).unwrap().heaps[at]);
            };
            attack(name("removed"), &|all| {
                all.invariants.get_mut(&place).unwrap().heaps.remove(at);
            });
            attack(name("no object"), &|all| spoil(&|heap| heap.objects.clear(), all));
            attack(name("a bit of no predicate"), &|all| {
                spoil(&|heap| heap.state |= 1 << 63, all);
            });
            attack(name("an object of no predicate"), &|all| {
                spoil(&|heap| heap.objects[0].mask |= 1 << 63, all);
            });
            for object in 0..heap.objects.len() {
                attack(name(&format!("object {object} removed")), &|all| {
                    spoil(
                        &|heap| {
                            heap.objects.remove(object);
                        },
                        all,
                    );
                });
            }
            for (bit, predicate) in invariant.predicates.state.iter().enumerate() {
                if !predicate.is_quantified() {
                    attack(name(&format!("state predicate {bit} flipped")), &|all| {
                        spoil(&|heap| heap.state ^= 1 << bit, all);
                    });
                }
            }
        }
    }
    attack("nothing is known of objects".into(), &|all| {
        for heap in all.invariants.values_mut().flat_map(|i| &mut i.heaps) {
            heap.objects = vec![nothing];
        }
    });
    attack("invariants moved".into(), &|all| {
        let first = all.invariants.remove(&places[0]).unwrap();
        let second = all.invariants.insert(places[1], first).unwrap();
        all.invariants.insert(places[0], second);
    });
    attack("the second loop has the invariant of the first".into(), &|all| {
        let first = all.invariants[&places[0]].clone();
        all.invariants.insert(places[1], first);
    });
    attack("predicates of nothing".into(), &|all| {
        for invariant in all.invariants.values_mut() {
            invariant.predicates.domain.fill(Formula::True);
        }
    });
    attack("predicates negated".into(), &|all| {
        for invariant in all.invariants.values_mut() {
            for predicate in &mut invariant.predicates.domain {
                *predicate = predicate.clone().negate();
            }
        }
    });
    attack("an object in a predicate about the state".into(), &|all| {
        let invariant = all.invariants.get_mut(&places[0]).unwrap();
        let domain = invariant.predicates.domain[0].clone();
        invariant.predicates.state.push(domain);
    });
    attack("a variable that the program does not have".into(), &|all| {
        let foreign = Term::Var(Id::from_index(9999));
        let state = &mut all.invariants.get_mut(&places[0]).unwrap().predicates.state;
        state.push(Formula::Eq(foreign, Term::Null));
    });
    attack("no invariant at all".into(), &|all| all.invariants.clear());
    attacks.end(20);
}

/// The certificate of one program is none of another, which has one edge changed.
#[test]
fn heaps_of_another_program_are_refused() {
    let honest = Certificate::Heaps(proof(&parsed(LIST)));
    let mut attacks = Attacks::default();
    for (old, new) in [
        ("L0 -> L1 : first := null", "L0 -> L1 : skip"),
        ("L4 -> L10 : ptr[n] := first", "L4 -> L10 : skip"),
        ("L5 -> L6 : x := first", "L5 -> L6 : skip"),
        ("L11 -> L6 : x := ptr[x]", "L11 -> L6 : free(x)"),
        ("L6 -> L7 : assume x != null", "L6 -> L7 : skip"),
        ("L4 -> L10 : ptr[n] := first", "L4 -> L10 : free(n)"),
    ] {
        assert!(LIST.contains(old), "{old}");
        let program = parsed(&LIST.replace(old, new));
        attacks.on(format!("{old} => {new}"), accepts(&program, &honest));
    }
    attacks.end(6);
}

#[test]
fn trees_of_paths_are_believed_only_as_they_are() {
    let program = parsed(FEW_RUNS);
    let honest = tree(&program);
    assert!(accepts(&program, &Certificate::Paths(honest.clone())));
    let mut attacks = Attacks::default();
    let mut attack = |name: String, spoil: &dyn Fn(&mut PathTree)| {
        let mut spoiled = honest.clone();
        spoil(&mut spoiled);
        assert_ne!(spoiled, honest, "{name} changes nothing");
        attacks.on(name, accepts(&program, &Certificate::Paths(spoiled)));
    };
    for node in 0..honest.nodes.len() {
        for &step in honest.nodes[node].keys() {
            attack(format!("node {node}: step {step} cut off"), &|tree| {
                tree.nodes[node].remove(&step);
            });
            attack(format!("node {node}: step {step} leads back"), &|tree| {
                tree.nodes[node].insert(step, node);
            });
            attack(format!("node {node}: step {step} leads nowhere"), &|tree| {
                tree.nodes[node].insert(step, 99);
            });
        }
    }
    attack("no tree".into(), &|tree| tree.nodes.clear());
    attack("only the entry".into(), &|tree| {
        tree.nodes.truncate(1);
        tree.nodes[0].clear();
    });
    for (old, new) in [
        ("L3 -> L4 : i32[p] := a", "L3 -> L4 : skip"),
        ("L5 -> L6 : b := i32[p]", "L5 -> L6 : skip"),
        ("L1 -> L2 : assume 0:i32 < a", "L1 -> L2 : skip"),
    ] {
        let other = parsed(&FEW_RUNS.replace(old, new));
        let certificate = Certificate::Paths(honest.clone());
        attacks.on(format!("{old} => {new}"), accepts(&other, &certificate));
    }
    attacks.end(15);
}

/// All lists end before and after, and the last thing that is met is null.
#[test]
fn contracts_are_believed_only_as_they_are() {
    let program = parsed(WALK);
    let next = FieldPlace { name: "next".into(), offset: 0, ty: Type::Pointer };
    let null = || Box::new(Expr::Null);
    let ends = Expr::Btwn(next, Box::new(Expr::Bound(0)), null(), null());
    let acyclic = Expr::Quantified(true, vec![0], Box::new(ends));
    let none = Expr::Binary("==", Box::new(Expr::Result), null());
    let contract = Contract {
        function: program.entry,
        requires: vec![acyclic.clone()],
        ensures: vec![acyclic.clone(), none.clone()],
        requires_words: Vec::new(),
        ensures_words: Vec::new(),
        assigns: None,
        asserts: Vec::new(),
        asserts_words: Vec::new(),
        objects: Default::default(),
        fields: Vec::new(),
    };
    let contracts = std::slice::from_ref(&contract);
    let specified =
        specification::specify(&program, &contract, contracts).expect("it is specified");
    let budget = Budget::unlimited();
    let mut analysis =
        Analysis::new(&specified.view, &specified.said, &Options::default(), &budget);
    let Outcome::Proved(honest) = analysis.run() else { panic!("the contract is proved") };
    let accepts = |contract: &Contract, heaps: &BooleanHeaps| {
        audit::contract(&program, contract, std::slice::from_ref(contract), heaps, &budget).is_ok()
    };
    assert!(accepts(&contract, &honest));
    let mut attacks = Attacks::default();
    let swapped = |requires: &[&Expr], ensures: &[&Expr]| Contract {
        requires: requires.iter().map(|e| (*e).clone()).collect(),
        ensures: ensures.iter().map(|e| (*e).clone()).collect(),
        ..contract.clone()
    };
    let (some, never) = (Expr::Not(Box::new(none)), Expr::Bool(false));
    attacks.on("another result".into(), accepts(&swapped(&[&acyclic], &[&some]), &honest));
    attacks.on("everything".into(), accepts(&swapped(&[&acyclic], &[&never]), &honest));
    attacks.on("nothing required".into(), accepts(&swapped(&[], &[&acyclic]), &honest));
    let cyclic = Expr::Not(Box::new(acyclic.clone()));
    attacks.on("the opposite required".into(), accepts(&swapped(&[&cyclic], &[&acyclic]), &honest));
    let mut spoiled = honest.clone();
    spoiled.invariants.values_mut().for_each(|invariant| invariant.heaps.truncate(1));
    attacks.on("only one heap".into(), spoiled != honest && accepts(&contract, &spoiled));
    attacks.on("no heaps".into(), accepts(&contract, &BooleanHeaps::default()));
    attacks.end(6);
}

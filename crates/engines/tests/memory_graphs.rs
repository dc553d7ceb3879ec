//! Memory graphs: what is proved on them passes the audit, and each way to spoil a proof is refused.

mod common;

use bolide_base::Budget;
use bolide_cfa::Program;
use bolide_engines::shape::graphs::{Failure, prove};
use bolide_heap::graph::Graph;
use bolide_terms::TermStore;
use bolide_verdict::certificate::{Certificate, MemoryGraphs};
use common::{audited, parse};

/// A circular list, linked both ways, whose head is a local variable and whose elements are linked by pointers to their middle: built,
/// walked through and freed.
const CIRCULAR: &str = r#"
program LP64
entry main
check C0 valid-deref "a node is read"
check C1 valid-free "a node is freed"
check C2 valid-memtrack "a node is lost"
function main() -> result : i32
  local more : i32
  local n : ptr
  local last : ptr
  local p : ptr
  local q : ptr
  address head : ptr
  entry L0 exit L28
  L25: error C0
  L26: error C1
  L27: error C2
  L0 -> L1 : head := alloc stack(16:u64) align 8
  L1 -> L2 : ptr[head] := head
  L2 -> L3 : ptr[head + 8:i64] := head
  L3 -> L4 : more := nondet input "__VERIFIER_nondet_int"
  L4 -> L5 : assume more != 0:i32
  L4 -> L14 : assume more == 0:i32
  L5 -> L6 : n := alloc heap(24:u64) align 8
  L6 -> L7 : last := ptr[head + 8:i64]
  L7 -> L8 : ptr[n + 8:i64] := head
  L8 -> L9 : ptr[n + 16:i64] := last
  L9 -> L10 : ptr[head + 8:i64] := n + 8:i64
  L10 -> L11 : assume valid(last, 8:u64)
  L10 -> L25 : assume !valid(last, 8:u64)
  L11 -> L12 : ptr[last] := n + 8:i64
  L12 -> L13 : i32[n] := 7:i32
  L13 -> L3 : skip
  L14 -> L15 : p := ptr[head]
  L15 -> L16 : assume p != head
  L15 -> L22 : assume p == head
  L16 -> L17 : assume valid(p + -8:i64, 4:u64)
  L16 -> L25 : assume !valid(p + -8:i64, 4:u64)
  L17 -> L18 : assume i32[p + -8:i64] == 7:i32
  L17 -> L25 : assume i32[p + -8:i64] != 7:i32
  L18 -> L19 : q := ptr[p]
  L19 -> L20 : assume freeable(p + -8:i64)
  L19 -> L26 : assume !freeable(p + -8:i64)
  L20 -> L21 : free(p + -8:i64)
  L21 -> L15 : p := q
  L22 -> L23 : end(head)
  L23 -> L27 : assume leaked
  L23 -> L24 : assume !leaked
  L24 -> L28 : result := 0:i32
"#;

/// Lists in a list: each element has a list of its own.
const NESTED: &str = r#"
program LP64
entry main
check C0 valid-deref "a node is read"
check C1 valid-memcleanup "a node is left"
function main() -> result : i32
  local more : i32
  local list : ptr
  local x : ptr
  local y : ptr
  entry L0 exit L26
  L24: error C0
  L25: error C1
  L0 -> L1 : list := null
  L1 -> L2 : more := nondet input "__VERIFIER_nondet_int"
  L2 -> L3 : assume more != 0:i32
  L2 -> L12 : assume more == 0:i32
  L3 -> L4 : x := alloc heap(16:u64) align 8
  L4 -> L5 : ptr[x] := list
  L5 -> L6 : ptr[x + 8:i64] := null
  L6 -> L7 : list := x
  L7 -> L8 : more := nondet input "__VERIFIER_nondet_int"
  L8 -> L9 : assume more != 0:i32
  L8 -> L1 : assume more == 0:i32
  L9 -> L10 : y := alloc heap(8:u64) align 8
  L10 -> L11 : ptr[y] := ptr[list + 8:i64]
  L11 -> L7 : ptr[list + 8:i64] := y
  L12 -> L13 : assume list != null
  L12 -> L22 : assume list == null
  L13 -> L14 : y := ptr[list + 8:i64]
  L14 -> L15 : assume y != null
  L14 -> L19 : assume y == null
  L15 -> L16 : assume valid(y, 8:u64)
  L15 -> L24 : assume !valid(y, 8:u64)
  L16 -> L17 : x := ptr[y]
  L17 -> L18 : free(y)
  L18 -> L14 : y := x
  L19 -> L20 : x := ptr[list]
  L20 -> L21 : free(list)
  L21 -> L12 : list := x
  L22 -> L25 : assume heap_in_use
  L22 -> L23 : assume !heap_in_use
  L23 -> L26 : result := 0:i32
"#;

fn proved(program: &Program) -> MemoryGraphs {
    match prove(program, &Budget::unlimited()) {
        Ok(graphs) => graphs,
        Err(why) => panic!("not proved: {why}"),
    }
}

fn accepts(program: &Program, graphs: &MemoryGraphs) -> bool {
    let certificate = Certificate::Graphs(graphs.clone());
    audited(program, &mut TermStore::new(), &certificate).is_ok()
}

#[test]
fn lists_of_any_length_are_proved() {
    for text in [CIRCULAR, NESTED] {
        let program = parse(text);
        let graphs = proved(&program);
        let chains = |graph: &Graph| graph.nodes.values().any(|node| node.chain.is_some());
        assert!(graphs.places.values().flatten().any(chains), "some list is a chain");
        assert!(accepts(&program, &graphs));
    }
}

#[test]
fn what_goes_wrong_is_not_proved() {
    let wrong = [
        // The element is not freed, freed twice, or read after that.
        CIRCULAR.replace("L20 -> L21 : free(p + -8:i64)", "L20 -> L21 : skip"),
        CIRCULAR.replace("L18 -> L19 : q := ptr[p]", "L18 -> L19 : q := p"),
        CIRCULAR.replace("i32[n] := 7:i32", "i32[n] := more"),
        // The pointer behind the head is not set.
        CIRCULAR.replace("ptr[head + 8:i64] := n + 8:i64", "skip"),
        NESTED.replace("L17 -> L18 : free(y)", "L17 -> L18 : skip"),
        NESTED.replace("ptr[y] := ptr[list + 8:i64]", "ptr[y] := y"),
        NESTED.replace("L20 -> L21 : free(list)", "L20 -> L21 : skip"),
        // The inner list is not emptied.
        NESTED.replace("L14 -> L15 : assume y != null", "L14 -> L19 : assume y != null"),
    ];
    for text in wrong {
        let outcome = prove(&parse(&text), &Budget::unlimited());
        assert!(matches!(outcome, Err(Failure::Suspected | Failure::Refused(_))), "{text}");
    }
}

#[test]
fn no_place_is_left_out() {
    for text in [CIRCULAR, NESTED] {
        let program = parse(text);
        let honest = proved(&program);
        for place in honest.places.keys() {
            let mut spoiled = honest.clone();
            spoiled.places.insert(*place, Vec::new());
            assert!(!accepts(&program, &spoiled), "nothing at {place:?}");
        }
    }
}

//! Programs that the tests of several engines share, and how each is asked about them.
#![allow(dead_code)] // Each test file uses some of them.

use bolide_base::Budget;
use bolide_cfa::Program;
use bolide_engines::choose;
use bolide_engines::task::{Orders, Task};
use bolide_engines::workbench::{Statistics, Workbench};
use bolide_reachability::encode::Exactness;
use bolide_reachability::verdict::{Annotation, Reason};
use bolide_terms::TermStore;
use bolide_verdict::audit::{self, NoProofs, Terms};
use bolide_verdict::prepared::Prepared;
use bolide_verdict::{Certificate, Conclusion, Suspicion};

pub fn parse(text: &str) -> Program {
    bolide_cfa::text::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// Whether a certificate of a program as it is passes the audit.
pub fn audited(
    program: &Program,
    store: &mut TermStore,
    certificate: &Certificate,
) -> Result<usize, Reason> {
    audited_with(program, store, certificate, Exactness::default())
}

/// The same, of an engine that takes bits apart, or of one that does not.
pub fn audited_with(
    program: &Program,
    store: &mut TermStore,
    certificate: &Certificate,
    exact: Exactness,
) -> Result<usize, Reason> {
    let mut known = NoProofs;
    let mut terms = Terms::new(store, exact, &mut known);
    audit::audit(&Prepared::plain(program), certificate, &mut terms, &Budget::unlimited())
}

/// What an engine makes of a program as it is, without guesses; certificates are audited.
pub struct Searched {
    pub words: String,
    pub statistics: Statistics,
    pub store: TermStore,
    pub annotation: Option<Annotation>,
}

impl Searched {
    pub fn figure(&self, name: &str) -> u64 {
        let found = self.statistics.figures.iter().find(|f| f.0 == name);
        found.unwrap_or_else(|| panic!("{name} among {:?}", self.statistics.figures)).1
    }
}

pub fn search(engine: &str, text: &str, orders: &Orders) -> Searched {
    search_under(engine, &parse(text), orders, &Budget::unlimited())
}

pub fn search_under(engine: &str, program: &Program, orders: &Orders, budget: &Budget) -> Searched {
    let engine = choose::engine(engine).expect("the table has it");
    let programs = Prepared::plain(program);
    let (guessed, tables) = Default::default();
    let task = Task { programs, guessed, tables, orders: orders.clone() };
    let mut bench = Workbench::new(&task, budget);
    let conclusion = (engine.search)(&task, &mut bench);
    let Workbench { mut store, statistics, exact, .. } = bench;
    let mut annotation = None;
    let words = match conclusion {
        Conclusion::Safe(certificate) => {
            let proved = audited_with(program, &mut store, &certificate, exact)
                .unwrap_or_else(|e| panic!("{e}"));
            // Memory graphs have no proofs.
            assert!(proved > 0 || matches!(certificate, Certificate::Graphs(_)));
            if let Certificate::Invariants(found) = certificate {
                annotation = Some(found);
            }
            "safe".to_owned()
        }
        Conclusion::Unsafe(Suspicion::Path(run)) => {
            format!("unsafe after {} edges", run.path.len())
        }
        Conclusion::Unsafe(Suspicion::Run(_)) => "unsafe".to_owned(),
        Conclusion::Unknown(reason) => format!("unknown: {reason}"),
    };
    Searched { words, statistics, store, annotation }
}

/// The lock of the paper on lazy abstraction with interpolants, Figure 1.
pub const LOCK: &str = r#"
program LP64
entry main
check C0 unreach-call "lock is taken twice"
function main() -> result : i32
  local lock : i32
  local old : i32
  local new : i32
  local n : i32
  entry L0 exit L9
  L8: error C0
  L0 -> L1 : lock := 0:i32
  L1 -> L2 : new := 0:i32
  L2 -> L8 : assume lock != 0:i32
  L2 -> L3 : assume lock == 0:i32
  L3 -> L4 : lock := 1:i32
  L4 -> L5 : old := new
  L5 -> L6 : n := nondet input "n"
  L6 -> L7 : assume n != 0:i32
  L7 -> L10 : lock := 0:i32
  L10 -> L11 : new := new + 1:i32
  L6 -> L11 : assume n == 0:i32
  L11 -> L2 : assume new != old
  L11 -> L9 : assume new == old
"#;

/// Counts up to an input that is not negative.
pub const COUNTING: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local i : i32
  local n : i32
  entry L0 exit L7
  L6: error C0
  L0 -> L1 : i := 0:i32
  L1 -> L2 : n := nondet input "n"
  L2 -> L3 : assume 0:i32 <= n
  L3 -> L4 : assume i < n
  L4 -> L3 : i := i + 1:i32
  L3 -> L5 : assume i >= n
  L5 -> L6 : assume i != n
  L5 -> L7 : assume i == n
"#;

/// Figure 8: a call whose summary relates the result to the entry value.
pub const INCREMENT: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function inc(x : i32) -> r : i32
  entry L0 exit L2
  L0 -> L1 : x := x + 1:i32
  L1 -> L2 : r := x
function main() -> result : i32
  local a : i32
  local b : i32
  entry L3 exit L8
  L7: error C0
  L3 -> L4 : a := nondet input "a"
  L4 -> L5 : b := call inc(a)
  L5 -> L6 : a := a + 1:i32
  L6 -> L7 : assume a != b
  L6 -> L8 : assume a == b
"#;

/// Figure 11: a call that changes a cell through a pointer into the caller's store. The cell
/// starts with any small value and not with zero, so that only the difference matters.
pub const INCREMENT_CELL: &str = r#"
program LP64
entry main
region r1 "cells" cell i32
check C0 unreach-call "x"
function inc(x : ptr)
  entry L0 exit L1
  L0 -> L1 : i32[x]@r1 := i32[x]@r1 + 1:i32
function main() -> result : i32
  local y : ptr
  local a : i32
  entry L2 exit L9
  L8: error C0
  L2 -> L3 : a := nondet input "a"
  L3 -> L4 : assume a < 1000:i32
  L4 -> L5 : y := alloc stack(4:u64) align 4 @r1
  L5 -> L6 : i32[y]@r1 := a
  L6 -> L7 : call inc(y)
  L7 -> L8 : assume i32[y]@r1 != a + 1:i32
  L7 -> L9 : assume i32[y]@r1 == a + 1:i32
"#;

/// Recursion: `id(n)` is `n`.
pub const IDENTITY: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function id(x : i32) -> r : i32
  local y : i32
  entry L0 exit L3
  L0 -> L1 : assume x == 0:i32
  L1 -> L3 : r := 0:i32
  L0 -> L2 : assume x != 0:i32
  L2 -> L4 : y := call id(x - 1:i32)
  L4 -> L3 : r := y + 1:i32
function main() -> result : i32
  local a : i32
  local b : i32
  entry L5 exit L9
  L8: error C0
  L5 -> L6 : a := 3:i32
  L6 -> L7 : b := call id(a)
  L7 -> L8 : assume b != 3:i32
  L7 -> L9 : assume b == 3:i32
"#;

/// No depth of recursion is enough here: the summary `r = m + n` is guessed from executions.
pub const ADDITION: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function add(m : i32, n : i32) -> r : i32
  entry L0 exit L3
  L0 -> L1 : assume n == 0:i32
  L1 -> L3 : r := m
  L0 -> L2 : assume n != 0:i32
  L2 -> L3 : r := call add(m + 1:i32, n - 1:i32)
function main() -> result : i32
  local a : i32
  local b : i32
  local c : i32
  entry L4 exit L10
  L9: error C0
  L4 -> L5 : a := nondet input "a"
  L5 -> L6 : b := nondet input "b"
  L6 -> L7 : assume b >= 0:i32
  L7 -> L8 : c := call add(a, b)
  L8 -> L9 : assume c != a + b
  L8 -> L10 : assume c == a + b
"#;

/// Builds a list of any length and walks along it. Every node that is met is alive.
pub const LIST: &str = r#"
program LP64
entry main
check C0 valid-deref "the node is alive"
function main() -> result : i32
  local first : ptr
  local x : ptr
  local n : ptr
  local go : i32
  entry L0 exit L9
  L8: error C0
  L0 -> L1 : first := null
  L1 -> L2 : go := nondet input "__VERIFIER_nondet_int"
  L2 -> L3 : assume go != 0:i32
  L2 -> L5 : assume go == 0:i32
  L3 -> L4 : n := alloc heap(8:u64) align 8
  L4 -> L10 : ptr[n] := first
  L10 -> L1 : first := n
  L5 -> L6 : x := first
  L6 -> L7 : assume x != null
  L6 -> L9 : assume x == null
  L7 -> L11 : assume valid(x, 8:u64)
  L7 -> L8 : assume !valid(x, 8:u64)
  L11 -> L6 : x := ptr[x]
"#;

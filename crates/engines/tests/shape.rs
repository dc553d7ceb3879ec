//! The engine `shape` on programs without a front end: how it refines.

use bolide_base::Budget;
use bolide_base::arena::Id;
use bolide_cfa::LocId;
use bolide_engines::shape::Options;
use bolide_engines::shape::analysis::{Analysis, Outcome};
use bolide_engines::shape::refinement::Refined;
use bolide_heap::Formula;
use bolide_heap::program::view;
use bolide_verdict::audit;
use expect_test::{Expect, expect};

/// Program LISTFILTER of Figure 4.1 of the thesis: nodes with data are taken out of any list.
/// The error location is reached when the node before the present one has no successor.
const LIST_FILTER: &str = r#"
program LP64
entry main
check C0 unreach-call "the node before has no next"
function main() -> result : i32
  local first : ptr
  local e : ptr
  local prev : ptr
  local tmp : ptr
  entry L0 exit L9
  L8: error C0
  L0 -> L1 : prev := null
  L1 -> L2 : e := first
  L2 -> L3 : assume e != null
  L2 -> L9 : assume e == null
  L3 -> L4 : tmp := ptr[e]
  L4 -> L5 : assume i32[e + 8:i64] != 0:i32
  L4 -> L10 : assume i32[e + 8:i64] == 0:i32
  L5 -> L6 : assume prev == null
  L5 -> L7 : assume prev != null
  L6 -> L11 : first := tmp
  L7 -> L8 : assume ptr[prev] == null
  L7 -> L12 : assume ptr[prev] != null
  L12 -> L11 : ptr[prev] := tmp
  L10 -> L11 : prev := e
  L11 -> L2 : e := tmp
"#;

fn shown(refined: &Refined) -> String {
    let name = |place: &LocId| format!("L{}", place.index());
    let places: Vec<String> = refined.trace.iter().map(name).collect();
    let added: Vec<String> =
        refined.added.iter().map(|(place, what)| format!("{}: {what}", name(place))).collect();
    format!(
        "{}; r_p {} r_s {}; {:?}; {}\n",
        places.join(" "),
        refined.spurious - 1,
        refined.spurious,
        refined.step,
        added.join(", ")
    )
}

fn check(cartesian: bool, expected: &Expect) {
    let program = bolide_cfa::text::parse(LIST_FILTER).expect("the test's program parses");
    let mut view = view::view(&program, program.entry).expect("the program has a view");
    // Any heap, as in the thesis.
    view.initial = Formula::True;
    let (budget, options) = (Budget::unlimited(), Options { cartesian, ..Options::default() });
    let mut analysis = Analysis::unguessed(&view, &[], &options, &budget);
    let outcome = analysis.run();
    let mut text: String = analysis.refined.iter().map(shown).collect();
    text += match outcome {
        Outcome::Proved(heaps) => match audit::heaps::check(&view, &heaps, &budget) {
            Ok(_) => "proved\n",
            Err(_) => "not certified\n",
        },
        Outcome::Suspected(_) => "suspected\n",
        Outcome::Unknown(_) => "unknown\n",
    };
    expected.assert_eq(&text);
}

/// Section 4.3: the trace by way of the loop's else branch is spurious at its second visit of the loop. Where the post is
/// Cartesian, the predicates about the state that phase 1 adds split what it would confuse: the same nodes are refined.
#[test]
fn the_spurious_node_is_refined() {
    let expected = expect![[r#"
        L0 L2 L8; r_p 0 r_s 1; Domain; L2: prev == \null
        L0 L2 L2 L8; r_p 1 r_s 2; Domain; L2: e == \null, L2: prev->@0 == \null, L2: v == prev->@0, L2: reach(@0, prev, v)
        proved
    "#]];
    for cartesian in [false, true] {
        check(cartesian, &expected);
    }
}

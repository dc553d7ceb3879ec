//! Reduced programs, honest and spoiled: what loses an error is refused.

use bolide_cfa::transform::{self, Mapped, VariableOrigin};
use bolide_cfa::{EdgeId, LocId, Op, Program, text};
use bolide_verdict::simulation::{Memory, simulates};

/// Something to leave out of every kind: a loop, a branch, a call, memory, a dead assignment.
const PROGRAM: &str = r#"
program LP64
entry main
region r1 "log" cell i32
region r2 "data" cell i32
object log size 4 align 4
object data size 4 align 4
check C0 unreach-call "x"
global noise : i32
global sum : i32
function note(v : i32)
  entry L0 exit L2
  L0 -> L1 : noise := noise + v
  L1 -> L2 : i32[&log]@r1 := v
function add(v : i32) -> r : i32
  entry L3 exit L6
  L3 -> L4 : sum := sum + v
  L4 -> L5 : r := noise
  L5 -> L6 : skip
function main() -> result : i32
  local x : i32
  local y : i32
  local i : i32
  entry L7 exit L22
  L7 -> L8 : x := nondet input "x"
  L8 -> L9 : y := x * 2:i32
  L9 -> L10 : assume y < 10:i32
  L10 -> L11 : noise := 1:i32
  L9 -> L11 : assume 10:i32 <= y
  L11 -> L12 : i := 0:i32
  L12 -> L13 : assume i < 5:i32
  L13 -> L14 : call note(i)
  L14 -> L12 : i := i + 1:i32
  L12 -> L15 : assume 5:i32 <= i
  L15 -> L16 : x := x + 0:i32
  L16 -> L17 : y := call add(x)
  L17 -> L18 : i32[&data]@r2 := sum
  L18 -> L19 : y := 3:i32
  L19 -> L20 : assume i32[&data]@r2 == 7:i32
  L19 -> L21 : assume i32[&data]@r2 != 7:i32
  L21 -> L22 : result := y
  L20: error C0
"#;

fn reduced(text: &str) -> (Program, Mapped) {
    let whole = text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut mapped = Mapped::identity(whole.clone());
    transform::reduce(&mut mapped);
    (whole, mapped)
}

#[test]
fn a_slice_shows_all_errors() {
    let (whole, mapped) = reduced(PROGRAM);
    assert!(mapped.program.edges.len() < whole.edges.len());
    assert_eq!(simulates(&whole, &mapped, Memory::All), Ok(()));
}

/// Where the same is done twice in a row the first is dead, and both are one step of the reduced program.
#[test]
fn what_is_done_twice_is_kept_once() {
    let again = "L11 -> L23 : i := 0:i32\n  L23 -> L24 : i := 0:i32\n  L24 -> L12 : i := 0:i32";
    let used = PROGRAM.replace("i32[&data]@r2 := sum", "i32[&data]@r2 := sum + i");
    let (whole, mapped) = reduced(&used.replace("L11 -> L12 : i := 0:i32", again));
    assert_eq!(simulates(&whole, &mapped, Memory::All), Ok(()));
}

/// Every single change to what was kept is refused, unless the change only adds runs.
#[test]
fn a_spoiled_slice_is_refused() {
    let (whole, mapped) = reduced(PROGRAM);
    let mut refused = 0;
    for edge in mapped.program.edges.ids() {
        let op = mapped.program.edges[edge].op.clone();
        // No step where there was one.
        let mut without = mapped.clone();
        without.program.locations[without.program.edges[edge].from].outgoing.retain(|&e| e != edge);
        without.program.locations[without.program.edges[edge].to].incoming.retain(|&e| e != edge);
        if leads_to_error(&mapped.program, edge) {
            assert!(simulates(&whole, &without, Memory::All).is_err(), "without {edge:?} {op:?}");
            refused += 1;
        }
        // A step that does nothing.
        let mut skipped = mapped.clone();
        skipped.program.edges[edge].op = Op::Skip;
        let writes = matches!(op, Op::Assign { .. } | Op::Store { .. } | Op::Nondet { .. });
        if writes && leads_to_error(&mapped.program, edge) {
            assert!(simulates(&whole, &skipped, Memory::All).is_err(), "skipped {edge:?} {op:?}");
            refused += 1;
        }
        // A step that goes nowhere.
        let mut astray = mapped.clone();
        let from = astray.program.edges[edge].from;
        let to = std::mem::replace(&mut astray.program.edges[edge].to, from);
        astray.program.locations[to].incoming.retain(|&e| e != edge);
        astray.program.locations[from].incoming.push(edge);
        if !matches!(op, Op::Skip) && leads_to_error(&mapped.program, edge) {
            assert!(simulates(&whole, &astray, Memory::All).is_err(), "astray {edge:?} {op:?}");
            refused += 1;
        }
    }
    assert!(refused >= 15, "{refused}");
}

fn leads_to_error(program: &Program, edge: EdgeId) -> bool {
    let mut seen: Vec<LocId> = vec![program.edges[edge].to];
    let mut next = 0;
    while let Some(&at) = seen.get(next) {
        next += 1;
        let location = &program.locations[at];
        if location.error.is_some() || program.functions[location.function].body.unwrap().exit == at
        {
            return location.error.is_some() || location.function != program.entry;
        }
        for &e in &location.outgoing {
            let to = program.edges[e].to;
            if !seen.contains(&to) {
                seen.push(to);
            }
        }
    }
    false
}

#[test]
fn a_spoiled_map_is_refused() {
    let (whole, mapped) = reduced(PROGRAM);
    let refuse = |spoil: &dyn Fn(&mut Mapped)| {
        let mut spoiled = mapped.clone();
        spoil(&mut spoiled);
        assert!(simulates(&whole, &spoiled, Memory::All).is_err());
    };
    let ids: Vec<_> = mapped.program.variables.ids().collect();
    for &var in &ids {
        refuse(&|m| m.variables[var] = VariableOrigin::Made);
        let other =
            mapped.variables[ids[(ids.iter().position(|&v| v == var).unwrap() + 1) % ids.len()]];
        refuse(&|m| m.variables[var] = other);
    }
    refuse(&|m| m.functions[m.program.entry] = None);
    refuse(&|m| {
        let zero =
            m.program.expr(bolide_cfa::Expr::Int { bits: 5, ty: bolide_cfa::IntType::signed(32) });
        let sum = m.program.variables.iter().find(|(_, v)| v.name == "sum").unwrap().0;
        m.program.variables[sum].initial = Some(zero);
    });
    for location in mapped.program.locations.ids() {
        if mapped.program.locations[location].error.is_some() {
            refuse(&|m| m.program.locations[location].error = None);
        }
    }
}

/// What is written to memory without a type is nothing to formulas, and only to them.
#[test]
fn memory_that_formulas_do_not_follow() {
    let text = PROGRAM.replace("region r2 \"data\" cell i32", "region r2 \"data\"");
    let whole = text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let sliced = transform::slice::slice_for_formulas(&Mapped::identity(whole.clone()));
    let sliced = sliced.expect("r2 is written");
    assert_eq!(simulates(&whole, &sliced, Memory::Typed), Ok(()));
    assert!(simulates(&whole, &sliced, Memory::All).is_err());
}

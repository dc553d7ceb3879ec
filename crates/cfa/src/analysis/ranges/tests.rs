//! Tests of the value ranges.

use super::tables::{Limits, tables};
use super::{Leads, Ranges};
use crate::program::VarId;
use crate::text;
use bolide_base::Budget;
use bolide_base::arena::Id;
use expect_test::{Expect, expect};

/// Shows the range of every assigned value and of every assumed condition.
fn check(input: &str, expected: Expect) {
    let program = text::parse(input).unwrap_or_else(|e| panic!("{e}"));
    let ranges = Ranges::new(&program);
    let mut out = String::new();
    for (_, edge) in program.edges.iter() {
        out += &format!(
            "{}: ",
            text::print_op(&program, program.locations[edge.from].function, &edge.op)
        );
        if !ranges.may_reach(edge.from) {
            out += "never";
        }
        for operand in edge.op.operands() {
            if ranges.may_reach(edge.from) && program.exprs.type_of(operand).as_int().is_some() {
                out += &match ranges.of_expr(&program, edge.from, operand) {
                    Some((lo, hi)) => format!("[{lo}, {hi}] "),
                    None => "any ".to_owned(),
                };
            }
        }
        out = out.trim_end().to_owned() + "\n";
    }
    expected.assert_eq(&out);
}

#[test]
fn a_counter_is_bounded_by_its_loop() {
    check(
        r#"
program LP64
entry main
function main()
  local i : i32
  local n : u8
  entry L0 exit L5
  L0 -> L1 : i := 0:i32
  L1 -> L2 : assume i < 100:i32
  L2 -> L3 : n := u8(i)
  L3 -> L1 : i := i + 1:i32
  L1 -> L4 : assume 100:i32 <= i
  L4 -> L5 : i := i * 2:i32
"#,
        expect![[r#"
            i := 0:i32: [0, 0]
            assume i < 100:i32: [0, 1]
            n := u8(i): [0, 99]
            i := i + 1:i32: [1, 100]
            assume 100:i32 <= i: [0, 1]
            i := i * 2:i32: [200, 200]
        "#]],
    );
}

#[test]
fn signed_overflow_makes_a_value_unknown_until_it_is_compared() {
    check(
        r#"
program LP64
entry main
function main()
  local x : i32
  local y : i32
  local u : u32
  entry L0 exit L8
  L0 -> L1 : x := nondet input "int"
  L1 -> L2 : y := x + 1:i32
  L2 -> L3 : u := u32(y)
  L3 -> L4 : assume y < 10:i32
  L4 -> L5 : assume -10:i32 <= y
  L5 -> L6 : y := y * y
  L6 -> L7 : u := u + 1:u32
  L7 -> L8 : u := u / 2:u32
"#,
        expect![[r#"
            x := nondet input "int":
            y := x + 1:i32: any
            u := u32(y): [0, 4294967295]
            assume y < 10:i32: [0, 1]
            assume -10:i32 <= y: [0, 1]
            y := y * y: [-90, 100]
            u := u + 1:u32: [0, 4294967295]
            u := u / 2:u32: [0, 2147483647]
        "#]],
    );
}

#[test]
fn ranges_pass_through_calls_and_globals() {
    check(
        r#"
program LP64
entry main
global g : i32 = 3:i32
global h : i32
function clamp(a : i32) -> r : i32
  entry L0 exit L4
  L0 -> L1 : assume a < 0:i32
  L1 -> L4 : r := 0:i32
  L0 -> L2 : assume 0:i32 <= a
  L2 -> L3 : r := a % 10:i32
  L3 -> L4 : g := g & 1:i32
function main() -> result : i32
  local x : i32
  entry L5 exit L10
  L5 -> L6 : x := nondet input "int"
  L6 -> L7 : x := call clamp(x)
  L7 -> L8 : result := x + g
  L8 -> L9 : x := call clamp(5:i32)
  L9 -> L10 : result := x + h
"#,
        expect![[r#"
            assume a < 0:i32: [0, 1]
            r := 0:i32: [0, 0]
            assume 0:i32 <= a: [0, 1]
            r := a % 10:i32: [0, 9]
            g := g & 1:i32: [0, 1]
            x := nondet input "int":
            x := call clamp(x): [-2147483648, 2147483647]
            result := x + g: [0, 12]
            x := call clamp(5:i32): [5, 5]
            result := x + h: [0, 9]
        "#]],
    );
}

#[test]
fn conditions_prune_paths() {
    check(
        r#"
program LP64
entry main
function main()
  local x : u8
  local b : bool
  entry L0 exit L6
  L0 -> L1 : x := nondet input "uchar"
  L1 -> L2 : assume (i32(x) < 5:i32) & !(x == 0:u8)
  L2 -> L3 : b := 7:u8 < x
  L3 -> L4 : assume i32(b) != 0:i32
  L4 -> L6 : skip
  L3 -> L5 : assume !b
  L5 -> L6 : x := x - 1:u8
"#,
        expect![[r#"
            x := nondet input "uchar":
            assume (i32(x) < 5:i32) & !(x == 0:u8): [0, 1]
            b := 7:u8 < x: [0, 0]
            assume i32(b) != 0:i32: [0, 0]
            skip: never
            assume !b: [1, 1]
            x := x - 1:u8: [0, 3]
        "#]],
    );
}

#[test]
fn recursion_terminates() {
    check(
        r#"
program LP64
entry main
function f(n : i32) -> r : i32
  local t : i32
  entry L0 exit L4
  L0 -> L1 : assume n < 1:i32
  L1 -> L4 : r := 0:i32
  L0 -> L2 : assume 1:i32 <= n
  L2 -> L3 : t := call f(n - 1:i32)
  L3 -> L4 : r := t + 1:i32
function main() -> result : i32
  entry L5 exit L6
  L5 -> L6 : result := call f(50:i32)
"#,
        expect![[r#"
            assume n < 1:i32: [0, 1]
            r := 0:i32: [0, 0]
            assume 1:i32 <= n: [0, 1]
            t := call f(n - 1:i32): [0, 49]
            r := t + 1:i32: any
            result := call f(50:i32): [50, 50]
        "#]],
    );
}

/// Shows the table of each loop head, a line for each way through it.
fn check_tables(input: &str, limits: Limits, expected: Expect) {
    let program = text::parse(input).unwrap_or_else(|e| panic!("{e}"));
    let mut out = String::new();
    for (location, table) in tables(&program, limits, &Budget::unlimited()).at_heads {
        out += &format!("{}:\n", location.index());
        let name = |&(var, factor): &(VarId, i64)| {
            let name = &program.variables[var].name;
            if factor == 1 { name.clone() } else { format!("{factor} {name}") }
        };
        let mut pending = vec![(Leads::To(table.nodes.len() - 1), String::new())];
        while let Some((leads, row)) = pending.pop() {
            let node = match leads {
                Leads::Nowhere => continue,
                Leads::Everywhere => {
                    out += &format!(" {row}\n");
                    continue;
                }
                Leads::To(node) => &table.nodes[node],
            };
            let names: Vec<String> = table.columns[node.column].iter().map(name).collect();
            for &(values, leads) in node.answers.iter().rev() {
                let end = |end: i128, open: &str| match end {
                    i128::MIN | i128::MAX => open.to_owned(),
                    end => end.to_string(),
                };
                let values = match values.value() {
                    Some(value) => value.to_string(),
                    None => format!("{}..{}", end(values.lo, ""), end(values.hi, "")),
                };
                pending.push((leads, format!("{row} {}={values}", names.join(" + "))));
            }
        }
    }
    expected.assert_eq(&out);
}

/// A protocol: `flag` is 1 in state 20 only, `last` is given what was the state, `n` is computed.
const PROTOCOL: &str = r#"
program LP64
entry main
function main()
  local state : i32
  local flag : i32
  local last : i32
  local n : i32
  local input : i32
  entry L0 exit L9
  L0 -> L1 : state := 10:i32
  L1 -> L2 : flag := 0:i32
  L2 -> L3 : n := n + 1:i32
  L3 -> L4 : input := nondet input "i"
  L4 -> L5 : assume state == 10:i32
  L5 -> L6 : flag := 1:i32
  L6 -> L7 : last := state
  L7 -> L2 : state := 20:i32
  L4 -> L8 : assume state == 20:i32
  L8 -> L10 : flag := 0:i32
  L10 -> L2 : state := last
  L4 -> L11 : assume flag == 1:i32
  L11 -> L9 : assume n == 5:i32
"#;

#[test]
fn values_that_go_together_are_rows() {
    let expected = expect![[r#"
        2:
          state=10 flag=0
          state=20 flag=1 last=10
    "#]];
    check_tables(PROTOCOL, Limits::default(), expected);
}

#[test]
fn with_fewer_rows_less_is_tracked() {
    let limits = Limits { table: 1, attempts: 1, ..Limits::default() };
    check_tables(PROTOCOL, limits, expect![[""]]);
    let limits = Limits { steps: 5, ..Limits::default() };
    check_tables(PROTOCOL, limits, expect![[""]]);
    let limits = Limits { nodes: 4, nodes_for_edge: 0, ..Limits::default() };
    check_tables(PROTOCOL, limits, expect![[""]]);
}

/// A token that any number may be, and that is one more than what is remembered whenever `turn` is 1.
#[test]
fn differences_are_counted() {
    let input = r#"
program LP64
entry main
function main()
  local token : i32
  local old : i32
  local turn : u8
  entry L0 exit L9
  L0 -> L1 : turn := 0:u8
  L1 -> L2 : token := nondet input "i"
  L2 -> L3 : old := token
  L3 -> L4 : assume turn == 0:u8
  L4 -> L5 : token := token + 1:i32
  L5 -> L3 : turn := 1:u8
  L3 -> L6 : assume !(turn == 0:u8)
  L6 -> L7 : assume !(token == old + 1:i32)
  L7 -> L9 : skip
  L6 -> L8 : assume token == old + 1:i32
  L8 -> L10 : turn := 0:u8
  L10 -> L3 : token := old
"#;
    check_tables(
        input,
        Limits::default(),
        expect![[r#"
        3:
          turn=0 token + -1 old=0
          turn=1 token + -1 old=1
    "#]],
    );
}

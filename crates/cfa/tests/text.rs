//! The text form: printed and parsed back, with positions in its messages.

use bolide_cfa::text::{parse, print, print_plain};
use expect_test::expect;

/// All kinds of declarations, expressions and operations, as printed.
const EVERYTHING: &str = r#"program LP64
entry main
external region r2

region r1 "cells" cell i32
region r2 "x" object buf
part buf 0 size 4 stride 4 count 2 in r1
object buf size 16 align 8 @12..20
  0 = 1:i8
  4{3+5} = -1:i32
  8 = fn g
object `"hi"` size 3 align 1 constant external
global x : i32 = 5:i32 @3..4
global s.f : f64 = 0.1:f64
global temporary t#2 : ptr = &`"hi"`
check C0 unreach-call "reach_error is called" @40..53
check C1 no-overflow "`i + 1` \"overflows\""

function g(a : i32, ...) -> result : i32

function main() -> result : i32 at @50..60
  local y : i32 @61..62 scope @50..99
  address p : ptr
  temporary `a b` : bool
  local x'10 : f80
  unlisted local old'9 : u128
  entry L0 exit L3
  L0 -> L1 : y := nondet input "__VERIFIER_nondet_int" @60..85 statement
  L1: loop @86..91 label "again" outgoing e2 e1
  L1 -> L2 : assume y < i32[p + 4:i64]@r1 @1..2 taken
  L1 -> L3 : result := (y + y) * -7:i32
  L2 -> L2 : skip
  L2 -> L4 : x'10 := 0x3fff8000000000000000:f80
  L4: error C0
  L4 -> L5 : `a b` := !(x'0 == x'0) @0..0 check
  L5 -> L6 : volatile i32[p]{3+5}@r1 := y
  L6 -> L7 : p := alloc heap(u64(y)) align 16 zeroed @r1
  e9: L7 -> L7 : free(p)@r2
  L7 -> L7 : end(p)
  L7 -> L7 : copy(p, &buf, 16:u64) to @r1 from @r2
  L7 -> L7 : fill(p, 0:u8, 16:u64)@r1
  L7 -> L7 : y := call g(y, p)
  L7 -> L7 : call [fn g](1:i32, null) variadic among g
  L7 -> L7 : y := external g(y, p) havoc
  L7 -> L7 : external g(y, p) pure
  L7 -> L7 : output printf(&`"hi"`, y)
  L7 -> L7 : halt(y)
  L7 -> L7 : assume overflows_add(y, 1:i32) | valid(p, 4:u64)@r1
  L7 -> L7 : assume freeable(p) & leaked
  L7 -> L7 : assume is_nan(sqrt(s.f)) ^ heap_in_use
  L7 -> L7 : y := (y < 3:i32) ? -(1:i32) : ~y
  L7 -> L7 : y := i32(object_size(p) + u64((p - null) >> 3:i32))
  L7 -> L7 : assume true & false
  L7 -> L7 : halt
  L8:

function h()
  entry L9 exit L10
  e8: L9 -> L10 : skip
"#;

fn check_error(text: &str, expected: expect_test::Expect) {
    expected.assert_eq(&parse(text).unwrap_err().to_string());
}

/// A program of one function `main` with variables `x: i32`, `u: u64`, `p: ptr`.
fn with_edge(op: &str) -> String {
    format!(
        "program LP64\nentry main\nfunction main()\n  local x : i32\n  local u : u64\n  \
         local p : ptr\n  entry L0 exit L1\n  L0 -> L1 : {op}\n"
    )
}

#[test]
fn everything_is_printed_as_it_was_read() {
    match parse(EVERYTHING) {
        Ok(program) => {
            let printed = print(&program);
            assert_eq!(printed, print(&parse(&printed).unwrap()));
            for (a, b) in EVERYTHING.lines().zip(printed.lines()) {
                assert_eq!(a, b);
            }
            assert_eq!(EVERYTHING, printed);
            let plain = print_plain(&program);
            assert!(!plain.contains("@60..85"));
            assert_eq!(plain, print_plain(&parse(&plain).unwrap()));
        }
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn mistakes_have_positions() {
    check_error("", expect!["2:1: a program text starts with `program LP64` or `program ILP32`"]);
    check_error("program LP64\nglobal x : int\n", expect!["2:12: `int` is not a type"]);
    check_error(&with_edge("x := u"), expect!["8:19: expected type i32, found u64"]);
    check_error(&with_edge("x := x + 1"), expect!["8:23: a constant needs a type: write `1:i32`"]);
    check_error(&with_edge("x := x + 1:i64"), expect!["8:21: `+` does not work on i32 and i64"]);
    check_error(
        &with_edge("x := (x + 1:i32"),
        expect!["9:1: expected an operator or `)`, found the end of the text"],
    );
    check_error(&with_edge("y := 1:i32"), expect!["8:14: there is no variable `y`"]);
    check_error(&with_edge("x := 300:i8"), expect!["8:19: 300 is no value of type i8"]);
    check_error(&with_edge("assume x"), expect!["8:21: expected type bool, found i32"]);
    check_error(&with_edge("i32[x] := 1:i32"), expect!["8:18: expected type ptr, found i32"]);
    check_error(&with_edge("jump"), expect!["8:14: expected an operation, found `jump`"]);
    check_error(&with_edge("assume freeable(x)"), expect!["8:21: no function `freeable` on (i32)"]);
    check_error(
        &with_edge("skip skip"),
        expect!["8:19: expected the end of the line, found `skip`"],
    );
    check_error(&with_edge("skip @5..3"), expect!["8:20: this is no span"]);
    check_error(&with_edge("call f()"), expect!["8:19: there is no function `f`"]);
}

#[test]
fn operators_have_the_precedences_of_c() {
    let shown = |op: &str| {
        let program = parse(&with_edge(op)).unwrap();
        print(&program).lines().last().unwrap().trim().to_owned()
    };
    assert_eq!(
        shown("x := x + 1:i32 * x - 2:i32 << 1:i32 & 3:i32 | x ^ x"),
        "L0 -> L1 : x := ((((x + (1:i32 * x)) - 2:i32) << 1:i32) & 3:i32) | (x ^ x)"
    );
    assert_eq!(
        shown("x := x > 1:i32 ? x >= 2:i32 ? 1:i32 : 2:i32 : x == 3:i32 ? 4:i32 : -x"),
        "L0 -> L1 : x := (1:i32 < x) ? ((2:i32 <= x) ? 1:i32 : 2:i32) : ((x == 3:i32) ? 4:i32 : -x)"
    );
    assert_eq!(shown("u := u64(p - null)"), "L0 -> L1 : u := u64(p - null)");
    assert_eq!(shown("p := p + -4:i64"), "L0 -> L1 : p := p + -4:i64");
}

#[test]
fn depth_costs_no_stack() {
    let depth = 200_000;
    let text = with_edge(&format!("x := {}x{}", "~(-".repeat(depth), ")".repeat(depth)));
    let program = parse(&text).unwrap();
    let printed = print(&program);
    assert_eq!(printed, print(&parse(&printed).unwrap()));
}

#[test]
fn shared_expressions_do_not_explode() {
    // Each line doubles the tree; the text stays linear.
    let mut text = String::from(
        "program LP64\nentry main\nfunction main()\n  local x : i32\n  entry L0 exit L1\n",
    );
    text += "  let %0 = x + x\n";
    for i in 1..100 {
        text += &format!("  let %{i} = %{} + %{}\n", i - 1, i - 1);
    }
    text += "  L0 -> L1 : x := %99\n";
    let program = parse(&text).unwrap();
    let printed = print(&program);
    assert!(printed.len() < 3000, "{}", printed.len());
    assert_eq!(printed, print(&parse(&printed).unwrap()));
}

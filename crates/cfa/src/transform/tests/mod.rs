//! Text in, text out, for each transform.

mod equivalence;

use super::*;
use crate::text;
use expect_test::{Expect, expect};

pub(super) fn check(input: &str, pass: impl Fn(&mut Mapped), expected: Expect) -> Mapped {
    let program = text::parse(input).unwrap_or_else(|e| panic!("{e}"));
    let mut mapped = Mapped::identity(program);
    pass(&mut mapped);
    validate(&mapped);
    expected.assert_eq(&text::print_plain(&mapped.program));
    mapped
}

/// The invariants that every transform keeps.
pub(super) fn validate(mapped: &Mapped) {
    let program = &mapped.program;
    assert_eq!(mapped.edges.len(), program.edges.len());
    assert_eq!(mapped.locations.len(), program.locations.len());
    assert_eq!(mapped.variables.len(), program.variables.len());
    assert_eq!(mapped.functions.len(), program.functions.len());
    assert_eq!(mapped.objects.len(), program.objects.len());
    let (mut outgoing, mut incoming) = (0, 0);
    for (id, location) in program.locations.iter() {
        for &e in &location.outgoing {
            assert_eq!(program.edges[e].from, id);
        }
        for &e in &location.incoming {
            assert_eq!(program.edges[e].to, id);
        }
        outgoing += location.outgoing.len();
        incoming += location.incoming.len();
    }
    assert_eq!((outgoing, incoming), (program.edges.len(), program.edges.len()));
    // Printing and parsing checks types and scopes.
    let printed = text::print(program);
    let again = text::parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(text::print(&again), printed);
}

#[test]
fn fields_of_list_nodes_get_regions_of_their_own() {
    check(
        r#"
program LP64
entry main
function main() -> result : i32
  local p : ptr
  local q : ptr
  local x : i32
  entry L0 exit L6
  L0 -> L1 : p := alloc heap(16:u64) align 16
  L1 -> L2 : i32[p] := 1:i32
  L2 -> L3 : ptr[p + 8:i64] := q
  L3 -> L4 : q := p
  L4 -> L5 : x := i32[ptr[q + 8:i64]]
  L5 -> L0 : assume x < 5:i32
  L5 -> L6 : assume 5:i32 <= x
"#,
        |m| regions::regions(m, regions::Promote::Heap),
        expect![[r#"
            program LP64
            entry main
            external region none

            region r1 "p+0" cell i32 aligned
            region r2 "p+8" cell ptr aligned

            function main() -> result : i32
              local p : ptr
              local q : ptr
              local x : i32
              entry L0 exit L6
              L0 -> L1 : p := alloc heap(16:u64) align 16 @r1
              L1 -> L2 : i32[p]@r1 := 1:i32
              L2 -> L3 : ptr[p + 8:i64]@r2 := q
              L3 -> L4 : q := p
              L4 -> L5 : x := i32[ptr[q + 8:i64]@r2]@r1
              L5 -> L0 : assume x < 5:i32
              L5 -> L6 : assume 5:i32 <= x
        "#]],
    );
}

#[test]
fn arrays_of_structs_keep_their_fields() {
    check(
        r#"
program LP64
entry main
object a size 80 align 4
  4 = 7:i32
object b size 80 align 4
function main() -> result : i32
  local i : i32
  entry L0 exit L5
  L0 -> L1 : i32[&a + i64(i) * 8:i64] := 1:i32
  L1 -> L2 : i32[&a + (i64(i + 1:i32) * 8:i64 + 4:i64)] := 2:i32
  L2 -> L3 : u8[&b + i64(i)] := 0:u8
  L3 -> L4 : i32[&b + 4:i64] := 0:i32
  L4 -> L5 : result := i32[&a + 12:i64]
"#,
        |m| regions::regions(m, regions::Promote::Heap),
        expect![[r#"
            program LP64
            entry main
            external region none

            region r1 "a+0%8" cell i32 aligned object a
            region r2 "a+4%8" cell i32 aligned object a
            region r3 "b" object b
            part a 0 size 4 stride 8 count 10 in r1
            part a 4 size 4 stride 8 count 10 in r2
            part b 0 size 80 stride 0 count 1 in r3
            object a size 80 align 4
              4 = 7:i32
            object b size 80 align 4

            function main() -> result : i32
              local i : i32
              entry L0 exit L5
              L0 -> L1 : i32[&a + (i64(i) * 8:i64)]@r1 := 1:i32
              L1 -> L2 : i32[&a + ((i64(i + 1:i32) * 8:i64) + 4:i64)]@r2 := 2:i32
              L2 -> L3 : u8[&b + i64(i)]@r3 := 0:u8
              L3 -> L4 : i32[&b + 4:i64]@r3 := 0:i32
              L4 -> L5 : result := i32[&a + 12:i64]@r2
        "#]],
    );
}

#[test]
fn scalars_come_back_from_memory() {
    check(
        r#"
program LP64
entry main
object g size 4 align 4
  0 = 5:i32
function set(p : ptr, v : i32)
  entry L0 exit L1
  L0 -> L1 : i32[p] := v
function main() -> result : i32
  local `&x` : ptr
  local `&y` : ptr
  local q : ptr
  entry L2 exit L9
  L2 -> L3 : `&x` := alloc stack(4:u64) align 4
  L3 -> L4 : call set(`&x`, 3:i32)
  L4 -> L5 : `&y` := alloc stack(4:u64) align 4
  L5 -> L6 : i32[`&y`] := i32[&g] + i32[`&x`]
  L6 -> L7 : result := i32[`&y`]
  L7 -> L8 : end(`&x`)
  L8 -> L9 : end(`&y`)
"#,
        |m| regions::regions(m, regions::Promote::Heap),
        expect![[r#"
            program LP64
            entry main
            external region none

            region r1 "untouched"
            region r2 "untouched"
            global x'5 : i32
            global g'7 : i32 = 5:i32

            function set(p'0 : ptr, v : i32)
              entry L0 exit L1
              L0 -> L1 : x := v

            function main() -> result : i32
              local `&x` : ptr
              local `&y` : ptr
              local y'6 : i32
              entry L2 exit L9
              L2 -> L10 : `&x` := alloc stack(4:u64) align 4 @r1
              L3 -> L4 : call set(`&x`, 3:i32)
              L4 -> L11 : `&y` := alloc stack(4:u64) align 4 @r2
              L5 -> L6 : y := g + x
              L6 -> L7 : result := y
              L7 -> L8 : end(`&x`)@r1
              L8 -> L9 : end(`&y`)@r2
              L10 -> L3 : x := nondet uninitialized
              L11 -> L5 : y := nondet uninitialized
        "#]],
    );
}

#[test]
fn zeroed_memory_copies_and_fills_are_taken_apart() {
    check(
        r#"
program LP64
entry main
object s size 16 align 8
function main() -> result : i32
  local p : ptr
  local n : u64
  entry L0 exit L7
  L0 -> L1 : p := alloc heap(n) align 16 zeroed
  L1 -> L2 : i32[p] := 1:i32
  L2 -> L3 : ptr[p + 8:i64] := null
  L3 -> L4 : copy(&s, p, 16:u64)
  L4 -> L5 : fill(p, 0:u8, 16:u64)
  L5 -> L6 : fill(&s, 255:u8, 4:u64)
  L6 -> L7 : result := i32[&s]
"#,
        |m| regions::regions(m, regions::Promote::Heap),
        expect![[r#"
            program LP64
            entry main
            external region none

            region r1 "s+0" cell i32 aligned
            region r2 "s+8" cell ptr aligned
            part s 0 size 4 stride 0 count 1 in r1
            part s 8 size 8 stride 0 count 1 in r2
            object s size 16 align 8

            function main() -> result : i32
              local p : ptr
              local n : u64
              temporary copied#3 : i32
              temporary copied#4 : ptr
              entry L0 exit L7
              L0 -> L8 : p := alloc heap(n) align 16 @r1
              L1 -> L2 : i32[p]@r1 := 1:i32
              L2 -> L3 : ptr[p + 8:i64]@r2 := null
              L3 -> L10 : copied#3 := i32[p]@r1
              L4 -> L13 : i32[p]@r1 := 0:i32
              L5 -> L6 : i32[&s]@r1 := -1:i32
              L6 -> L7 : result := i32[&s]@r1
              L8 -> L9 : fill(p, 0:u8, n)@r1
              L9 -> L1 : fill(p, 0:u8, n)@r2
              L10 -> L11 : copied#4 := ptr[p + 8:i64]@r2
              L11 -> L12 : i32[&s]@r1 := copied#3
              L12 -> L4 : ptr[&s + 8:i64]@r2 := copied#4
              L13 -> L5 : ptr[p + 8:i64]@r2 := null
        "#]],
    );
}

#[test]
fn what_external_code_knows_is_one_region() {
    check(
        r#"
program LP64
entry main
object a size 8 align 4
object b size 4 align 4
function ext(p : ptr) -> result : ptr
function main() -> result'2 : i32
  local p'3 : ptr
  entry L0 exit L4
  L0 -> L1 : p'3 := external ext(&a) havoc
  L1 -> L2 : i32[p'3] := 1:i32
  L2 -> L3 : i32[&a + 4:i64] := i32[&b]
  L3 -> L4 : result'2 := i32[&a]
"#,
        |m| regions::regions(m, regions::Promote::Heap),
        expect![[r#"
            program LP64
            entry main
            external region r1

            region r1 "external"
            part a 0 size 8 stride 0 count 1 in r1
            object a size 8 align 4
            global b'4 : i32

            function ext(p'0 : ptr) -> result : ptr

            function main() -> result : i32
              local p : ptr
              entry L0 exit L4
              L0 -> L1 : p := external ext(&a) havoc
              L1 -> L2 : i32[p]@r1 := 1:i32
              L2 -> L3 : i32[&a + 4:i64]@r1 := b
              L3 -> L4 : result := i32[&a]@r1
        "#]],
    );
}

#[test]
fn pointers_from_nowhere_that_are_kept_join_nothing() {
    let program = |then: &str| {
        format!(
            r#"
program LP64
entry main
object a size 16 align 8
object b size 16 align 8
function ext() -> given : ptr
function main() -> result : i32
  local p : ptr
  local q : ptr
  entry L0 exit L6
  L0 -> L1 : p := external ext() havoc
  L1 -> L2 : ptr[&a] := p
  L2 -> L3 : ptr[&a] := &b
  L3 -> L4 : ptr[&a + 8:i64] := &b
  L4 -> L5 : q := ptr[&a + {then}:i64]
  L5 -> L6 : i32[q] := 1:i32
"#
        )
    };
    check(
        &program("8"),
        |m| regions::regions(m, regions::Promote::Nothing),
        expect![[r#"
        program LP64
        entry main
        external region none

        region r1 "a+0" cell ptr aligned object a
        region r2 "a+8" cell ptr aligned object a
        region r3 "b" cell i32 aligned object b
        part a 0 size 8 stride 0 count 1 in r1
        part a 8 size 8 stride 0 count 1 in r2
        part b 0 size 4 stride 0 count 1 in r3
        object a size 16 align 8
        object b size 16 align 8

        function ext() -> given : ptr

        function main() -> result : i32
          local p : ptr
          local q : ptr
          entry L0 exit L6
          L0 -> L1 : p := external ext() havoc
          L1 -> L2 : ptr[&a]@r1 := p
          L2 -> L3 : ptr[&a]@r1 := &b
          L3 -> L4 : ptr[&a + 8:i64]@r2 := &b
          L4 -> L5 : q := ptr[&a + 8:i64]@r2
          L5 -> L6 : i32[q]@r3 := 1:i32
    "#]],
    );
    check(
        &program("0"),
        |m| regions::regions(m, regions::Promote::Nothing),
        expect![[r#"
        program LP64
        entry main
        external region r3

        region r1 "a+0" cell ptr aligned object a
        region r2 "a+8" cell ptr aligned object a
        region r3 "external"
        part a 0 size 8 stride 0 count 1 in r1
        part a 8 size 8 stride 0 count 1 in r2
        part b 0 size 16 stride 0 count 1 in r3
        object a size 16 align 8
        object b size 16 align 8

        function ext() -> given : ptr

        function main() -> result : i32
          local p : ptr
          local q : ptr
          entry L0 exit L6
          L0 -> L1 : p := external ext() havoc
          L1 -> L2 : ptr[&a]@r1 := p
          L2 -> L3 : ptr[&a]@r1 := &b
          L3 -> L4 : ptr[&a + 8:i64]@r2 := &b
          L4 -> L5 : q := ptr[&a + 0:i64]@r1
          L5 -> L6 : i32[q]@r3 := 1:i32
    "#]],
    );
}

#[test]
fn calls_through_pointers_become_choices() {
    check(
        r#"
program LP64
entry main
object table size 16 align 8
  0 = fn inc
  8 = fn dec
function inc(a : i32) -> r : i32
  entry L0 exit L1
  L0 -> L1 : r := a + 1:i32
function dec(b : i32) -> s : i32
  entry L2 exit L3
  L2 -> L3 : s := b - 1:i32
function other(c : i32) -> t : i32
  entry L4 exit L5
  L4 -> L5 : t := c
function main() -> result : i64
  local i : u64
  local x : i32
  local h : ptr
  entry L6 exit L9
  L6 -> L7 : x := call [ptr[&table + i64(i) * 8:i64]](x)
  L7 -> L8 : h := fn other
  L8 -> L9 : result := call [h](5:i64)
"#,
        resolve::resolve_calls,
        expect![[r#"
            program LP64
            entry main

            object table size 16 align 8
              0 = fn inc
              8 = fn dec

            function inc(a : i32) -> r : i32
              entry L0 exit L1
              L0 -> L1 : r := a + 1:i32

            function dec(b : i32) -> s : i32
              entry L2 exit L3
              L2 -> L3 : s := b - 1:i32

            function other(c : i32) -> t : i32
              entry L4 exit L5
              L4 -> L5 : t := c

            function main() -> result : i64
              local i : u64
              local x : i32
              local h : ptr
              temporary returned#10 : i32
              entry L6 exit L9
              L7 -> L8 : h := fn other
              L6 -> L10 : assume ptr[&table + (i64(i) * 8:i64)] == fn inc
              L10 -> L7 : x := call inc(x)
              L6 -> L11 : assume ptr[&table + (i64(i) * 8:i64)] == fn dec
              L11 -> L7 : x := call dec(x)
              L8 -> L12 : assume h == fn other
              L12 -> L13 : returned#10 := call other(5:i32)
              L13 -> L9 : result := i64(returned#10)
        "#]],
    );
}

#[test]
fn an_unknown_target_is_an_unknown_function() {
    check(
        r#"
program LP64
entry main
function f()
  entry L0 exit L1
  L0 -> L1 : skip
function main()
  local p : ptr
  entry L2 exit L5
  L2 -> L3 : p := nondet input "pointer"
  L3 -> L5 : call [p]()
  L2 -> L4 : p := fn f
  L4 -> L5 : call [p]()
"#,
        resolve::resolve_calls,
        expect![[r#"
            program LP64
            entry main

            function f()
              entry L0 exit L1
              L0 -> L1 : skip

            function main()
              local p : ptr
              entry L2 exit L5
              L2 -> L3 : p := nondet input "pointer"
              L2 -> L4 : p := fn f
              L3 -> L6 : assume p == fn f
              L6 -> L5 : call f()
              L3 -> L7 : assume p != fn f
              L7 -> L5 : external `unknown function`() havoc
              L4 -> L8 : assume p == fn f
              L8 -> L5 : call f()
              L4 -> L9 : assume p != fn f
              L9 -> L5 : external `unknown function`() havoc

            function `unknown function`(...)
        "#]],
    );
}

#[test]
fn constants_are_folded() {
    check(
        r#"
program LP64
entry main
object s size 8 align 4
check C0 unreach-call "x"
function main() -> result : i32
  local n : i32
  local x : u8
  local p : ptr
  entry L0 exit L7
  L0 -> L1 : n := 2:i32 * 3:i32
  L1 -> L2 : assume i32(n < 10:i32) != 0:i32
  L1 -> L3 : assume i32(n < 10:i32) == 0:i32
  L2 -> L4 : x := u8(n + 255:i32)
  L4 -> L5 : p := &s + 4:i64 + 0:i64
  L5 -> L6 : assume !valid(&s + 4:i64, 4:u64)
  L5 -> L7 : result := i32(x) * 1:i32 + (2147483647:i32 + 1:i32)
  L6: error C0
  L3 -> L7 : skip
"#,
        fold::fold,
        expect![[r#"
            program LP64
            entry main

            object s size 8 align 4
            check C0 unreach-call "x"

            function main() -> result : i32
              local n : i32
              local x : u8
              local p : ptr
              entry L0 exit L6
              L0 -> L1 : n := 6:i32
              L1 -> L2 : assume n < 10:i32
              L1 -> L3 : assume 10:i32 <= n
              L2 -> L4 : x := u8(n + 255:i32)
              L4 -> L5 : p := &s + 4:i64
              L5 -> L6 : result := i32(x) + (2147483647:i32 + 1:i32)
              L3 -> L6 : skip
        "#]],
    );
}

#[test]
fn dead_assignments_and_skips_go() {
    let mapped = check(
        r#"
program LP64
entry main
function main() -> result : i32
  local a : i32
  local b : i32
  local c : i32
  entry L0 exit L5
  L0 -> L1 : a := nondet input "int"
  L1 -> L2 : b := a + 1:i32
  L2 -> L3 : c := b * 2:i32
  L3 -> L4 : a := 5:i32
  L4 -> L5 : result := a
"#,
        |m| {
            dead::dead_assignments(m);
            dead::join_skips(m);
        },
        expect![[r#"
            program LP64
            entry main

            function main() -> result : i32
              local a : i32
              entry L0 exit L2
              L0 -> L1 : a := 5:i32
              L1 -> L2 : result := a
        "#]],
    );
    // The old steps are still named.
    assert_eq!(mapped.edges.values().map(Vec::len).sum::<usize>(), 5);
}

const SLICE: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function noise(a : i32) -> r : i32
  entry L0 exit L3
  L0 -> L1 : assume a < 3:i32
  L0 -> L2 : assume 3:i32 <= a
  L1 -> L3 : r := 1:i32
  L2 -> L3 : r := 2:i32
function main() -> result : i32
  local x : i32
  local y : i32
  local i : i32
  entry L4 exit L16
  L4 -> L5 : x := nondet input "int"
  L5 -> L6 : y := nondet input "int"
  L6 -> L7 : assume y < 0:i32
  L6 -> L8 : assume 0:i32 <= y
  L7 -> L9 : y := call noise(y)
  L8 -> L9 : y := y + 1:i32
  L9 -> L10 : i := 0:i32
  L10 -> L11 : assume i < y
  L11 -> L10 : i := i + 1:i32
  L10 -> L12 : assume y <= i
  L12 -> L13 : assume 0:i32 <= x
  L13 -> L14 : assume x == 7:i32
  L13 -> L15 : assume x != 7:i32
  L15 -> L16 : result := y
  L14: error C0
"#;

#[test]
fn slicing_keeps_loops_that_may_not_end() {
    check(
        SLICE,
        |m| slice::slice(m, slice::Loops::Keep),
        expect![[r#"
        program LP64
        entry main

        check C0 unreach-call "x"

        function noise(a : i32) -> r : i32
          entry L0 exit L3
          L0 -> L1 : assume a < 3:i32
          L0 -> L2 : assume 3:i32 <= a
          L1 -> L3 : r := 1:i32
          L2 -> L3 : r := 2:i32

        function main() -> result : i32
          local x : i32
          local y : i32
          local i : i32
          entry L4 exit L16
          L4 -> L5 : x := nondet input "int"
          L5 -> L6 : y := nondet input "int"
          L6 -> L7 : assume y < 0:i32
          L6 -> L8 : assume 0:i32 <= y
          L7 -> L9 : y := call noise(y)
          L8 -> L9 : y := y + 1:i32
          L9 -> L10 : i := 0:i32
          L10 -> L11 : assume i < y
          L11 -> L10 : i := i + 1:i32
          L10 -> L12 : assume y <= i
          L12 -> L13 : assume 0:i32 <= x
          L13 -> L14 : assume x == 7:i32
          L13 -> L15 : assume x != 7:i32
          L15 -> L16 : skip
          L14: error C0
    "#]],
    );
}

#[test]
fn slicing_drops_loops_that_count() {
    check(
        SLICE,
        |m| {
            slice::slice(m, slice::Loops::DropCounted);
            dead::join_skips(m);
        },
        expect![[r#"
            program LP64
            entry main

            check C0 unreach-call "x"

            function main() -> result : i32
              local x : i32
              entry L0 exit L4
              L0 -> L1 : x := nondet input "int"
              L1 -> L2 : assume 0:i32 <= x
              L2 -> L3 : assume x == 7:i32
              L2 -> L4 : assume x != 7:i32
              L3: error C0
        "#]],
    );
}

/// A slice once took the first way only: whoever writes what matters was lost with the second.
#[test]
fn slicing_keeps_steps_that_are_ways() {
    check(
        r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local m : i32
  entry L0 exit L3
  L0 -> L1 : m := 0:i32
  L1 -> L2 : skip
  L1 -> L2 : m := 1:i32
  L2 -> L4 : assume m == 1:i32
  L2 -> L3 : assume m != 1:i32
  L4: error C0
"#,
        |m| slice::slice(m, slice::Loops::Keep),
        expect![[r#"
            program LP64
            entry main

            check C0 unreach-call "x"

            function main() -> result : i32
              local m : i32
              entry L0 exit L3
              L0 -> L1 : m := 0:i32
              L1 -> L2 : skip
              L1 -> L2 : m := 1:i32
              L2 -> L4 : assume m == 1:i32
              L2 -> L3 : assume m != 1:i32
              L4: error C0
        "#]],
    );
}

#[test]
fn what_is_written_to_mixed_memory_is_nothing_to_formulas() {
    let program = text::parse(
        r#"
program LP64
entry main
check C0 unreach-call "x"
region r1 "mixed"
region r2 "numbers" cell i32
object a size 8 align 4
object b size 4 align 4
function main()
  local i : i32
  local c : i8
  entry L0 exit L9
  L8: error C0
  L0 -> L1 : i := 0:i32
  L1 -> L2 : assume i < 8:i32
  L2 -> L3 : c := nondet input "c"
  L3 -> L4 : i8[&a + i64(i)]@r1 := c
  L4 -> L1 : i := i + 1:i32
  L1 -> L5 : assume 8:i32 <= i
  L5 -> L6 : i32[&b]@r2 := 1:i32
  L6 -> L7 : assume i32[&a]@r1 == 7:i32
  L7 -> L8 : assume i32[&b]@r2 == 1:i32
  L7 -> L9 : assume i32[&b]@r2 != 1:i32
"#,
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let mut sliced = slice::slice_for_formulas(&Mapped::identity(program)).expect("r1 is written");
    dead::join_skips(&mut sliced);
    expect![[r#"
        program LP64
        entry main

        region r1 "mixed"
        region r2 "numbers" cell i32
        object a size 8 align 4
        object b size 4 align 4
        check C0 unreach-call "x"

        function main()
          entry L0 exit L4
          L0 -> L1 : i32[&b]@r2 := 1:i32
          L1 -> L2 : assume i32[&a]@r1 == 7:i32
          L2 -> L3 : assume i32[&b]@r2 == 1:i32
          L2 -> L4 : assume i32[&b]@r2 != 1:i32
          L3: error C0
    "#]]
    .assert_eq(&text::print(&sliced.program));
    // Nothing is left to be forgotten.
    assert!(slice::slice_for_formulas(&sliced).is_none());
}

#[test]
fn slicing_knows_functions_that_do_not_return() {
    check(
        r#"
program LP64
entry main
check C0 unreach-call "x"
global g : i32
function must(c : i32)
  entry L0 exit L2
  L0 -> L1 : assume c == 0:i32
  L0 -> L2 : assume c != 0:i32
  L1 -> L1 : halt(1:i32)
function main()
  local x : i32
  local z : i32
  entry L3 exit L8
  L3 -> L4 : x := nondet input "int"
  L4 -> L5 : z := x
  L5 -> L6 : call must(x)
  L6 -> L7 : skip
  L7: error C0
"#
        .replace("L1 -> L1 : halt(1:i32)", "L1 -> L8 : halt(1:i32)")
        .replace("entry L0 exit L2", "entry L0 exit L2\n  L8: label \"end\"")
        .replace("entry L3 exit L8", "entry L3 exit L9")
        .as_str(),
        |m| slice::slice(m, slice::Loops::Keep),
        expect![[r#"
            program LP64
            entry main

            check C0 unreach-call "x"

            function must(c : i32)
              entry L0 exit L2
              L0 -> L1 : assume c == 0:i32
              L0 -> L2 : assume c != 0:i32
              L1 -> L8 : halt
              L8: label "end"

            function main()
              local x : i32
              entry L3 exit L9
              L3 -> L4 : x := nondet input "int"
              L4 -> L5 : skip
              L5 -> L6 : call must(x)
              L6 -> L7 : skip
              L7: error C0
        "#]],
    );
}

#[test]
fn calls_are_dissolved() {
    check(
        r#"
program LP64
entry main
function add(a : i32, b : i32) -> r : i32
  local t : i32
  entry L0 exit L3
  L0 -> L1 : assume a < b
  L1 -> L3 : r := t
  L0 -> L2 : assume b <= a
  L2 -> L3 : r := a + b
function twice(c : i32) -> s : i32
  entry L4 exit L5
  L4 -> L5 : s := call add(c, c)
function main() -> result : i32
  local x : i32
  entry L6 exit L8
  L6 -> L7 : x := call add(1:i32, 2:i32)
  L7 -> L8 : result := call twice(x)
"#,
        |m| inline::inline(m, 1000).unwrap(),
        expect![[r#"
            program LP64
            entry main

            function main() -> result : i32
              local x : i32
              local `add::a` : i32
              local `add::b` : i32
              local `add::t` : i32
              temporary `add::r` : i32
              local `twice::c` : i32
              temporary `twice::s` : i32
              local `add::a'1` : i32
              local `add::b'1` : i32
              local `add::t'1` : i32
              temporary `add::r'1` : i32
              entry L0 exit L2
              L0 -> L7 : `add::a` := 1:i32
              L7 -> L8 : `add::b` := 2:i32
              L8 -> L3 : `add::t` := nondet uninitialized
              L3 -> L4 : assume `add::a` < `add::b`
              L4 -> L6 : `add::r` := `add::t`
              L3 -> L5 : assume `add::b` <= `add::a`
              L5 -> L6 : `add::r` := `add::a` + `add::b`
              L6 -> L1 : x := `add::r`
              L1 -> L9 : `twice::c` := x
              L10 -> L2 : result := `twice::s`
              L9 -> L15 : `add::a'1` := `twice::c`
              L15 -> L16 : `add::b'1` := `twice::c`
              L16 -> L11 : `add::t'1` := nondet uninitialized
              L11 -> L12 : assume `add::a'1` < `add::b'1`
              L12 -> L14 : `add::r'1` := `add::t'1`
              L11 -> L13 : assume `add::b'1` <= `add::a'1`
              L13 -> L14 : `add::r'1` := `add::a'1` + `add::b'1`
              L14 -> L10 : `twice::s` := `add::r'1`
        "#]],
    );
}

#[test]
fn recursion_is_refused_and_size_is_limited() {
    let text = r#"
program LP64
entry main
function f()
  entry L0 exit L1
  L0 -> L1 : skip
function main()
  entry L2 exit L4
  L2 -> L3 : call f()
  L3 -> L4 : call f()
"#;
    let flat = |text: &str, limit| {
        let mut mapped = Mapped::identity(text::parse(text).unwrap());
        inline::inline(&mut mapped, limit)
    };
    assert_eq!(flat(text, 100), Ok(()));
    assert_eq!(flat(text, 3), Err(inline::InlineError::TooLarge(3)));
    let recursive = text.replace("L0 -> L1 : skip", "L0 -> L1 : call f()");
    assert_eq!(flat(&recursive, 100), Err(inline::InlineError::Recursion("f".into())));
}

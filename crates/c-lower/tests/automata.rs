//! C snippets and the automata they become.

mod common;

use bolide_cfa::Property;
use common::*;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let lowered = lower_text(text, &options(&[])).expect("lowers");
    expected.assert_eq(&function_text(&lowered, "main"));
}

fn check_refused(text: &str, expected: Expect) {
    let errors = lower_text(text, &options(&[])).expect_err("is refused");
    expected.assert_eq(&errors);
}

fn check_properties(text: &str, properties: &[Property], expected: Expect) {
    let lowered = lower_text(text, &options(properties)).expect("lowers");
    expected.assert_eq(&checks(&lowered));
}

#[test]
fn branches_and_loops() {
    check(
        "int main(void) { int s = 0; for (int i = 0; i < 3; i++) if (i && s < 9) s += i; return s; }",
        expect![[r#"
            function main() -> result# : i32
              local s : i32
              local i : i32
              entry L4 exit L5
              L4 -> L6 : s := 0:i32
              L6 -> L7 : i := 0:i32
              L7 -> L8 : skip
              L8: loop
              L8 -> L9 : assume i < 3:i32
              L8 -> L11 : assume 3:i32 <= i
              L9 -> L14 : assume i != 0:i32
              L9 -> L12 : assume i == 0:i32
              L14 -> L13 : assume s < 9:i32
              L14 -> L12 : assume 9:i32 <= s
              L13 -> L15 : s := s + i
              L15 -> L12 : skip
              L12 -> L10 : skip
              L10 -> L16 : i := i + 1:i32
              L16 -> L8 : skip
              L11 -> L17 : result# := s
              L17 -> L5 : skip
        "#]],
    );
}

#[test]
fn a_local_lives_in_memory_only_if_its_address_is_taken() {
    check(
        "int main(void) { int a = 1, b = 2; { int *p = &a; *p = b; } return a; }",
        expect![[r#"
        function main() -> result# : i32
          address a : ptr
          local b : i32
          local p : ptr
          entry L4 exit L5
          L11 -> L6 : i32[a] := 1:i32
          L6 -> L7 : b := 2:i32
          L7 -> L8 : p := a
          L8 -> L9 : i32[p] := b
          L9 -> L10 : result# := i32[a]
          L4 -> L11 : a := alloc stack(4:u64) align 4
          L10 -> L5 : end(a)
    "#]],
    );
}

#[test]
fn leaving_a_block_by_goto_ends_its_objects() {
    check(
        "int main(void) { { int a[2]; if (a[0]) goto out; a[1] = 0; } out: return 0; }",
        expect![[r#"
            function main() -> result# : i32
              address a : ptr
              entry L4 exit L5
              L11 -> L7 : assume i32[a] != 0:i32
              L11 -> L6 : assume i32[a] == 0:i32
              L6 -> L9 : i32[a + 4:i64] := 0:i32
              L9 -> L10 : end(a)
              L4 -> L11 : a := alloc stack(8:u64) align 4
              L10 -> L8 : skip
              L8: label "out"
              L8 -> L12 : result# := 0:i32
              L7 -> L8 : end(a)
              L12 -> L5 : skip
        "#]],
    );
}

#[test]
fn structs_come_apart_and_travel_by_leaves() {
    check(
        "struct P { int x; short y; }; struct P f(struct P p) { p.x++; return p; }
         int main(void) { struct P q = { 1 }; q = f(q); return q.x + q.y; }",
        expect![[r#"
            function main() -> result# : i32
              local q.x : i32
              local q.y : i16
              temporary tmp#1'6 : i32
              temporary tmp#2 : i16
              entry L4 exit L5
              L4 -> L6 : q.y := 0:i16
              L6 -> L7 : q.x := 1:i32
              L7 -> L8 : call f(q.x, q.y)
              L8 -> L9 : tmp#1 := `result#(struct P).x`
              L9 -> L10 : tmp#2 := `result#(struct P).y`
              L10 -> L11 : q.x := tmp#1
              L11 -> L12 : q.y := tmp#2
              L12 -> L13 : result# := q.x + i32(q.y)
              L13 -> L5 : skip

        "#]],
    );
}

#[test]
fn operands_are_saved_only_where_the_order_shows() {
    check(
        "int g, h; int f(void) { g++; return g; } int main(void) { return (g - f()) + h * 2; }",
        expect![[r#"
            function main() -> result# : i32
              temporary tmp#1'3 : i32
              temporary tmp#2 : i32
              temporary tmp#3 : i32
              temporary tmp#4 : bool
              entry L4 exit L5
              L4 -> L6 : tmp#1 := g
              L6 -> L7 : tmp#2 := call f()
              L7 -> L8 : assume tmp#1 == g
              L7 -> L9 : assume tmp#1 != g
              L8 -> L11 : tmp#3 := g
              L11 -> L10 : skip
              L9 -> L12 : tmp#4 := nondet unmodelled "the order of evaluation at test.c:1:67"
              L12 -> L13 : tmp#3 := tmp#4 ? g : tmp#1
              L13 -> L10 : skip
              L10 -> L14 : result# := (tmp#3 - tmp#2) + (h * 2:i32)
              L14 -> L5 : skip

        "#]],
    );
}

#[test]
fn a_switch_has_one_edge_for_each_case() {
    check(
        "int main(void) { int r = 0; switch (r) { case 1: r = 2; case 3 ... 5: r++; break; } return r; }",
        expect![[r#"
            function main() -> result# : i32
              local r : i32
              temporary tmp#1 : i32
              entry L4 exit L5
              L4 -> L6 : r := 0:i32
              L6 -> L7 : tmp#1 := r
              L9 -> L10 : r := 2:i32
              L10 -> L11 : skip
              L11 -> L12 : r := r + 1:i32
              L8 -> L13 : result# := r
              L12 -> L8 : skip
              L7 -> L9 : assume tmp#1 == 1:i32
              L7 -> L11 : assume (3:i32 <= tmp#1) & (tmp#1 <= 5:i32)
              L7 -> L8 : assume (tmp#1 != 1:i32) & !((3:i32 <= tmp#1) & (tmp#1 <= 5:i32))
              L13 -> L5 : skip
        "#]],
    );
}

#[test]
fn unsupported_constructs_are_named_with_their_place() {
    check_refused(
        "int main(void) { _BitInt(7) x = 1; return x; }",
        expect![[r#"
        test.c:1:18: error: `_BitInt` is not supported
    "#]],
    );
    check_refused(
        "int main(void) { return x; }",
        expect![[r#"
        test.c:1:25: error: `x` is not declared
    "#]],
    );
    check_refused(
        "struct S { int a; }; int main(void) { struct S s; return s.b; }",
        expect![[r#"
        test.c:1:60: error: `struct S` has no member `b`
    "#]],
    );
    check_refused(
        "int f(void) { return 0; }",
        expect![[r#"
        error: there is no function `main` to start with
          help: choose another with `--entry`
    "#]],
    );
}

#[test]
fn what_cannot_be_reached_cannot_fail() {
    let text = "double _Complex f(void) { return 1.0i; } int main(void) { return 0; f(); }";
    assert!(lower_text(text, &options(&[])).is_ok());
}

#[test]
fn checks_name_property_and_expression() {
    check_properties(
        "int a[3]; int main(void) { int i = 0, n = 0, *p = 0; unsigned u = 1; char c = 1;
           a[i] = *p; a[1] = 0; n = n + i; u = u + 1; c++; n = -n; n = n / i; n <<= 2; return n++; }",
        &[Property::NoOverflow, Property::ValidDeref, Property::DivByZero],
        expect![[r#"
            valid-deref: `*p` reads outside of live memory
            valid-deref: `a[i] = *p` writes outside of live memory
            no-overflow: `n + i` overflows
            no-overflow: `-n` overflows
            div-by-zero: `n / i` divides by zero
            no-overflow: `n / i` overflows
            no-overflow: `n <<= 2` overflows
            no-overflow: `n++` overflows
        "#]],
    );
}

#[test]
fn errors_can_be_calls_labels_and_assertions() {
    check_properties(
        "void reach_error(void) { } void __assert_fail(const char *, const char *, unsigned, const char *);
         int main(int c, char **v) { if (c == 1) reach_error(); if (c == 2) goto ERROR;
           c > 3 ? (void)0 : __assert_fail(\"c > 3\", \"f.c\", 1, \"main\"); assert(c < 9); return 0; ERROR: return 1; }",
        &[Property::UnreachCall],
        expect![[r#"
            unreach-call: `reach_error` is called
            unreach-call: the assertion `c > 3` fails
            unreach-call: the assertion `assert(c < 9)` fails
            unreach-call: the label `ERROR` is reached
        "#]],
    );
}

#[test]
fn memory_is_checked_at_frees_and_at_the_end() {
    check_properties(
        "void *malloc(unsigned long); void free(void *); void exit(int);
         int main(void) { char *p = malloc(3); free(p); if (!p) exit(1); return 0; }",
        &[Property::ValidFree, Property::ValidMemtrack, Property::ValidMemcleanup],
        expect![[r#"
            valid-memtrack: allocated memory is neither freed nor reachable at the end
            valid-memcleanup: allocated memory is not freed at the end
            valid-free: `free(p)` frees what was not allocated or is freed already
            valid-memtrack: allocated memory is neither freed nor reachable at the end
            valid-memcleanup: allocated memory is not freed at the end
        "#]],
    );
}

#[test]
fn files_are_linked() {
    let a = "static int x = 1; extern int shared; int f(void); int main(void) { return x + f() + shared; }";
    let b = "static int x = 2; int shared = 40; int f(void) { return x; }";
    let lowered = lower_texts(&[("a.c", a), ("b.c", b)], &options(&[])).expect("links");
    let (_, outcome) = run(&lowered);
    expect!["Finished { status: Some(43) }"].assert_eq(&format!("{outcome:?}"));
    let c = "int shared = 3;";
    let errors = lower_texts(&[("a.c", a), ("b.c", b), ("c.c", c)], &options(&[]));
    expect![[r#"
        c.c:1:5: error: `shared` is defined twice
          b.c:1:23: note: the other definition is here
    "#]]
    .assert_eq(&errors.expect_err("conflicts"));
}

#[test]
fn functions_without_a_body_are_reported_once() {
    let text = "int ext(int *); int main(void) { int x = 0; ext(&x); return ext(&x); }";
    let lowered = lower_text(text, &options(&[])).expect("lowers");
    let names: Vec<_> = lowered.externals.iter().map(|e| e.0.as_str()).collect();
    assert_eq!(names, ["ext"]);
    let refuse =
        bolide_c_lower::Options { external: Some(bolide_c_lower::External::Error), ..options(&[]) };
    expect![[r#"
        test.c:1:45: error: `ext` has no body
          help: choose how to treat such functions with `--external havoc|pure`
    "#]]
    .assert_eq(&lower_text(text, &refuse).expect_err("is refused"));
}

#[test]
fn deep_and_long_inputs() {
    let lower_main = |body: String| {
        lower_text(&format!("int main(void) {{ int a = 1; {body} }}"), &options(&[]))
            .expect("lowers")
    };
    let chain = vec!["a"; 100_000].join(" + ");
    let (_, outcome) = run(&lower_main(format!("return ({chain}) == 100000;")));
    assert_eq!(format!("{outcome:?}"), "Finished { status: Some(1) }");
    lower_main(format!("return {}a{};", "(".repeat(100_000), ")".repeat(100_000)));
    lower_main(format!("return {}a;", "-~".repeat(20_000)));
    lower_main(format!("return {};", vec!["a"; 30_000].join(" && ")));
    lower_main(format!("return {}0;", "a ? 1 : ".repeat(20_000)));
    let ifs: String = (0..20_000).map(|i| format!("if (a == {i}) a = {i}; else ")).collect();
    lower_main(format!("{ifs} a = 0; return a;"));
    lower_main(format!("{} a = 2; {} return a;", "{".repeat(20_000), "}".repeat(20_000)));
}

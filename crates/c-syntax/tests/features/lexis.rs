//! Options, line markers, pragmas and characters.

use super::*;

#[test]
fn labels_as_values() {
    check(
        "void f(void) { void *p = &&a; a: goto *p; }",
        expect![[r#"
        (function void f (fn)
          (block
            (declare void (p ptr = (&& a)))
            (label a
              (goto * p))))
    "#]],
    );
}

#[test]
fn c23_keywords_when_asked_for() {
    let options = ParseOptions { c23: true, ..ParseOptions::default() };
    check_with(
        &options,
        "bool a = true, b = false; static_assert(1); void *p = nullptr; auto c = 1; typeof_unqual(a) d;",
        expect![[r#"
            (declare bool (a = true) (b = false))
            (static-assert 1)
            (declare void (p ptr = nullptr))
            (declare auto auto-type (c = 1))
            (declare (typeof-unqual a) (d))
        "#]],
    );
    check(
        "typedef int bool; bool true, false, nullptr;",
        expect![[r#"
        (declare typedef int (bool))
        (declare bool (true) (false) (nullptr))
    "#]],
    );
}

#[test]
fn line_markers_pragmas_and_annotations() {
    check(
        "# 1 \"x.h\"\n#line 7 \"y.h\"\n#pragma once\n#ident \"id\"\nint a; /* c */ // d\n/*@ requires a; @*/\n//@ assert b;\n#\n_Pragma(\"foo(\\\"x\\\")\") int b;",
        expect![[r#"
            (declare int (a))
            (declare int (b))
            (annotation " requires a; ")
            (annotation " assert b;")
            (pragma "once")
            (pragma "foo(\"x\")")
        "#]],
    );
}

#[test]
fn pragma_pack() {
    check(
        "#pragma pack(push, 1)\nstruct a { char c; int i; };\n#pragma pack(2)\nstruct b { int i; };\n#pragma pack(pop)\nstruct c { int i; };\n#pragma pack(4)\nstruct d { int i; };\n#pragma pack()\nstruct e { int i; };\n",
        expect![[r#"
            (declare (struct a (pack 1) {
              (field char (c))
              (field int (i))}))
            (declare (struct b (pack 2) {
              (field int (i))}))
            (declare (struct c {
              (field int (i))}))
            (declare (struct d (pack 4) {
              (field int (i))}))
            (declare (struct e {
              (field int (i))}))
            (pragma "pack(push, 1)")
            (pragma "pack(2)")
            (pragma "pack(pop)")
            (pragma "pack(4)")
            (pragma "pack()")
        "#]],
    );
}

#[test]
fn bytes_that_are_no_ascii() {
    check(
        "char *s = \"\u{fffd}é\"; int é; // \u{fffd}\nint \u{fffd};",
        expect![[r#"
        (declare char (s ptr = "�é"))
        (declare int (é))
        (declare int (�))
    "#]],
    );
}

#[test]
fn joined_lines_and_digraphs() {
    check(
        "char *s = \"a\\\nb\"; int \\\n x; int y<:2:> = <% 1 %>;",
        expect![[r#"
        (declare char (s ptr = "ab"))
        (declare int (x))
        (declare int (y array 2 = {1}))
    "#]],
    );
}

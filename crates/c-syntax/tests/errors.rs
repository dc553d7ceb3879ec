//! What is wrong, where, and what was expected; several in one run; no
//! consequences of one error reported as others.

mod dump;

use bolide_base::SourceMap;
use bolide_c_syntax::{ParseOptions, parse};
use dump::dump;
use expect_test::{Expect, expect};

fn errors(text: &str) -> String {
    let mut sources = SourceMap::new();
    let start = sources.add("a.c", text.to_owned()).expect("a small text");
    let result = parse(&mut sources, start, &ParseOptions::default());
    result.diagnostics.iter().map(|d| d.render_plain(&sources)).collect()
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

#[test]
fn missing_semicolons() {
    check(
        "int a\nint b;",
        expect![[r#"
        a.c:2:1: error: expected `;`, found `int`
    "#]],
    );
    check(
        "void f(void) { x = 1\n y = 2; return 3 }",
        expect![[r#"
        a.c:2:2: error: expected `;`, found `y`
        a.c:2:18: error: expected `;`, found `}`
    "#]],
    );
    check(
        "void f(void) { x = 1 y = 2; z = }",
        expect![[r#"
        a.c:1:22: error: expected `;`, found `y`
        a.c:1:33: error: expected expression, found `}`
    "#]],
    );
    check(
        "struct s { int a int b; } x;",
        expect![[r#"
        a.c:1:18: error: expected `;`, found `int`
    "#]],
    );
}

#[test]
fn missing_brackets() {
    check(
        "void f(void) { if (a { b; } }",
        expect![[r#"
        a.c:1:22: error: expected `)`, found `{`
          a.c:1:19: note: to match this
    "#]],
    );
    check(
        "void f(void) { g(1, 2; a[3; x ? y; }",
        expect![[r#"
        a.c:1:22: error: expected `)`, found `;`
          a.c:1:17: note: to match this
        a.c:1:27: error: expected `]`, found `;`
          a.c:1:25: note: to match this
        a.c:1:34: error: expected `:`, found `;`
          a.c:1:31: note: to match this
    "#]],
    );
    check(
        "void f(void) {\n  if (x) {\n}\n",
        expect![[r#"
        a.c:4:1: error: expected `}`, found end of file
          a.c:1:14: note: to match this
    "#]],
    );
    check(
        "int a[3 = { 1, 2 };",
        expect![[r#"
        a.c:1:11: error: expected expression, found `{`
    "#]],
    );
    check(
        "int a[] = { 1, 2 ;",
        expect![[r#"
        a.c:1:18: error: expected `}`, found `;`
          a.c:1:11: note: to match this
    "#]],
    );
    check(
        "int f(int a;",
        expect![[r#"
        a.c:1:13: error: expected type, found end of file
    "#]],
    );
}

#[test]
fn several_errors_in_one_run() {
    check(
        "int f(void) { return 1 +; }\nint g(void) { int = 3; x = 4; y + ; }\n}\nint 5;\nint h(void) { ok(); }\nint k(void) { while }\n",
        expect![[r#"
            a.c:1:25: error: expected expression, found `;`
            a.c:2:19: error: expected identifier or `(`, found `=`
            a.c:2:35: error: expected expression, found `;`
            a.c:3:1: error: expected declaration, found `}`
            a.c:4:5: error: expected identifier or `(`, found `5`
            a.c:6:21: error: expected `(`, found `}`
        "#]],
    );
}

#[test]
fn one_error_in_a_statement_does_not_hide_the_next() {
    check(
        "void f(void) { if (a b) { c; } else { d; } e f g; for (;;;) h; }",
        expect![[r#"
            a.c:1:22: error: expected `)`, found `b`
              a.c:1:19: note: to match this
            a.c:1:46: error: expected `;`, found `f`
            a.c:1:58: error: expected expression, found `;`
        "#]],
    );
    check(
        "void f(void) { case: x; switch (1) { default y; } }",
        expect![[r#"
        a.c:1:20: error: expected expression, found `:`
        a.c:1:46: error: expected `:`, found `y`
    "#]],
    );
    check(
        "void f(void) { do x; until (y); z z; else w; }",
        expect![[r#"
        a.c:1:22: error: expected `while`, found `until`
        a.c:1:33: error: unknown type name `z`
        a.c:1:38: error: expected statement, found `else`
    "#]],
    );
}

#[test]
fn unknown_types_are_reported_once() {
    check(
        "foo x; foo *y; void f(foo z, bar w) { foo a; bar *b; baz c; }\nstruct s { qux q; };",
        expect![[r#"
            a.c:1:1: error: unknown type name `foo`
            a.c:1:30: error: unknown type name `bar`
            a.c:1:54: error: unknown type name `baz`
            a.c:2:12: error: unknown type name `qux`
        "#]],
    );
    check(
        "int x = (foo)1; int y = sizeof(foo *);",
        expect![[r#"
            a.c:1:14: error: expected `;`, found `1`
              help: is `foo` a type that is not declared?
            a.c:1:37: error: expected expression, found `)`
              help: is `foo` a type that is not declared?
        "#]],
    );
}

#[test]
fn types_that_do_not_go_together() {
    check(
        "long char a; unsigned float b; short long c; struct s int d; int int e; long long long f;",
        expect![[r#"
            a.c:1:1: error: these type specifiers do not go together
            a.c:1:14: error: these type specifiers do not go together
            a.c:1:32: error: these type specifiers do not go together
            a.c:1:55: error: two types in one declaration: found `int`
              a.c:1:46: note: the first type
            a.c:1:66: error: two types in one declaration: found `int`
              a.c:1:62: note: the first type
            a.c:1:83: error: two types in one declaration: found `long`
              a.c:1:73: note: the first type
        "#]],
    );
    check(
        "static extern int a; enum { }; enum; struct;",
        expect![[r#"
        a.c:1:8: error: storage class `extern` after another one
          a.c:1:1: note: the other one
        a.c:1:29: error: an enum needs at least one enumerator
        a.c:1:36: error: expected tag or `{`, found `;`
        a.c:1:44: error: expected tag or `{`, found `;`
    "#]],
    );
}

#[test]
fn tokens() {
    check(
        "int a = @; int b = `;",
        expect![[r#"
        a.c:1:9: error: stray `@` in program
        a.c:1:20: error: stray ``` in program
    "#]],
    );
    check(
        "char *s = \"abc\n;\nchar c = 'x\n;",
        expect![[r#"
        a.c:1:11: error: unterminated string literal
        a.c:3:10: error: unterminated character constant
    "#]],
    );
    check(
        "int a; /* never ends",
        expect![[r#"
        a.c:1:8: error: unterminated comment
    "#]],
    );
    check(
        "int a = 08, b = 1x, c = '', d = 0x, e = 1e, f = \"\\xg\";",
        expect![[r#"
        a.c:1:9: error: invalid digit `8` in octal constant
        a.c:1:17: error: invalid suffix `x` on integer constant
        a.c:1:25: error: empty character constant
        a.c:1:33: error: invalid number `0x`
        a.c:1:41: error: exponent has no digits
        a.c:1:49: error: `\x` without hexadecimal digits
    "#]],
    );
    check(
        "#define X 1\nint a;\n#include <b.h>\n",
        expect![[r#"
        a.c:1:1: error: preprocessing directive `#define` in preprocessed text
          help: run the file through the C preprocessor first
        a.c:3:1: error: preprocessing directive `#include` in preprocessed text
          help: run the file through the C preprocessor first
    "#]],
    );
}

#[test]
fn functions_in_wrong_places() {
    check(
        "void f(void) {\n  for (int g(int x) { return x; } ;;) ;\n}",
        expect![[r#"
        a.c:2:12: error: a function cannot stand here
    "#]],
    );
}

#[test]
fn positions_go_through_line_markers() {
    check(
        "# 1 \"a.h\"\nint a;\n# 10 \"b.c\" 2\n\nint b = ;\n",
        expect![[r#"
        b.c:11:9: error: expected expression, found `;`
    "#]],
    );
    check(
        "int x;\n#line 100\nint b = ;\n",
        expect![[r#"
        a.c:100:9: error: expected expression, found `;`
    "#]],
    );
}

#[test]
fn at_file_scope() {
    check(
        "return 1;\nint a;",
        expect![[r#"
        a.c:1:1: error: expected declaration, found `return`
    "#]],
    );
    check(
        "void f(void) { } }\nint b = ;",
        expect![[r#"
        a.c:1:18: error: expected declaration, found `}`
        a.c:2:9: error: expected expression, found `;`
    "#]],
    );
    check(
        "int f(void) int g(void);\nint a { 3 };\n",
        expect![[r#"
        a.c:1:13: error: expected `;`, found `int`
        a.c:2:7: error: expected `;`, found `{`
    "#]],
    );
    check(
        "void f(void) = { } int z = ;",
        expect![[r#"
        a.c:1:20: error: expected `;`, found `int`
    "#]],
    );
    check(
        "foo(int x) bar { }",
        expect![[r#"
        a.c:1:12: error: expected `;`, found `bar`
    "#]],
    );
}

#[test]
fn attributes_and_asm() {
    check(
        "int a __attribute__((x);\nint b __attribute__(y);",
        expect![[r#"
        a.c:1:24: error: expected `)`, found `;`
          a.c:1:20: note: to match this
        a.c:2:21: error: expected `(`, found `y`
    "#]],
    );
    check(
        "void f(void) { asm(1); asm(\"\" : x); asm(\"\" : \"=r\" x); }",
        expect![[r#"
        a.c:1:20: error: expected string literal, found `1`
        a.c:1:33: error: expected `)`, found `x`
          a.c:1:27: note: to match this
        a.c:1:51: error: expected `(`, found `x`
    "#]],
    );
}

#[test]
fn errors_end_after_a_limit() {
    let text = "int = 1;\n".repeat(100);
    assert_eq!(errors(&text).lines().count(), 20);
    let text = format!("void f(void) {{ {} }}", "x + ; ".repeat(100));
    assert_eq!(errors(&text).lines().count(), 20);
    let text = format!("void f(void) {{ {} }}", "x = 08; ".repeat(100));
    assert_eq!(errors(&text).lines().count(), 20);
}

#[test]
fn what_is_right_is_kept() {
    let mut sources = SourceMap::new();
    let text = "int a; int = 1; void f(void) { x; y + ; z; } int b;";
    let start = sources.add("a.c", text.to_owned()).expect("a small text");
    let result = parse(&mut sources, start, &ParseOptions::default());
    assert!(result.has_errors());
    expect![[r#"
        (declare int (a))
        (function void f (fn)
          (block
            x
            (empty)
            z))
        (declare int (b))
    "#]]
    .assert_eq(&dump(&result.unit));
}

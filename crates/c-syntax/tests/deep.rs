//! Deep nesting neither overflows the stack nor takes long: on a thread with
//! two megabytes, in whatever build the tests run.

use bolide_base::SourceMap;
use bolide_c_syntax::{ParseOptions, ParseResult, parse};

/// Parses on a thread with a small stack, and drops the tree
/// there.
fn on_small_stack(text: String, check: fn(&ParseResult, &str)) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let mut sources = SourceMap::new();
        let start = sources.add("deep.c", text).expect("fits");
        let result = parse(&mut sources, start, &ParseOptions::default());
        let messages: String =
            result.diagnostics.iter().take(1).map(|d| d.render_plain(&sources)).collect();
        check(&result, &messages);
    });
    thread.expect("a thread").join().expect("no panic");
}

fn accepted(text: String) {
    on_small_stack(text, |result, messages| assert!(!result.has_errors(), "{messages}"));
}

/// `open` n times, `middle`, `close` n times.
fn nest(open: &str, middle: &str, close: &str, n: usize) -> String {
    format!("{}{middle}{}", open.repeat(n), close.repeat(n))
}

const DEEP: usize = 100_000;

#[test]
fn expressions() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("-", "1", ""),
        ("- -!*&~", "x", ""),
        ("(int)", "1", ""),
        ("f(", "1", ")"),
        ("f(2, ", "1", ", 3)"),
        ("a[", "1", "]"),
        ("x ? ", "1", " : 2"),
        ("x ? 1 : ", "1", ""),
        ("x ?: ", "1", ""),
        ("x = ", "1", ""),
        ("(1 + ", "1", ")"),
        ("(", "1", " * 2)"),
        ("sizeof ", "x", ""),
        ("__extension__ ", "1", ""),
        ("x + ", "1", ""),
        ("", "x", " + y"),
        ("", "x", "[0]"),
        ("", "x", "->y"),
        ("", "x", "()"),
        ("1, ", "2", ""),
    ] {
        accepted(format!("int main(void) {{ {}; }}", nest(open, middle, close, DEEP)));
    }
}

#[test]
fn statements() {
    for (open, close) in [
        ("{", "}"),
        ("if (x) ", ""),
        ("if (x) ; else ", ""),
        ("if (x) y; else { ", "}"),
        ("while (1) ", ""),
        ("do ", " while (0);"),
        ("for (int i = 0;;) ", ""),
        ("switch (x) case 1: ", ""),
        ("case 1: ", ""),
        ("case 1 ... 2: default: ", ""),
        ("{ int x; { ", " } }"),
    ] {
        accepted(format!("int main(void) {{ {} }}", nest(open, ";", close, DEEP)));
    }
    let labels: String = (0..DEEP).map(|i| format!("l{i}: ")).collect();
    accepted(format!("int main(void) {{ {labels} ; }}"));
    let chain: String =
        (0..20_000).map(|i| format!("if (x == {i}) {{ y = {i}; }} else ")).collect();
    accepted(format!("int main(void) {{ {chain} {{ y = 0; }} }}"));
}

#[test]
fn initializers_and_declarators() {
    accepted(format!("int x = {};", nest("{", "1", "}", DEEP)));
    accepted(format!("int x = {};", nest("{ .a = ", "1", ", 2 }", DEEP)));
    accepted(format!("int {};", nest("(", "x", ")", DEEP)));
    accepted(format!("int {};", nest("(*", "x", ")", DEEP)));
    accepted(format!("int {};", nest("*", "x", "", DEEP)));
    accepted(format!("int {};", nest("(*", "x", "[1])", DEEP)));
    accepted(format!("int {};", nest("(*", "x", ")(void)", DEEP)));
    accepted(format!("int {};", nest("", "x", "[1]", DEEP)));
    accepted(format!("int y = sizeof(int {});", nest("(*", "", ")(void)", DEEP)));
    accepted(format!("int x __attribute__(({}));", nest("a, ", "b", "", DEEP)));
    accepted(format!("char *s = {};", "\"a\" ".repeat(DEEP)));
    accepted(nest("typedef int t; ", "", "", DEEP));
}

/// What is parsed by recursion, one level of it in each pair.
const LIMITED: &[(&str, &str, &str, &str, &str)] = &[
    ("", "struct { ", "int x;", " } y;", ""),
    ("int x = ", "({ ", "1", "; })", ";"),
    ("int f", "(int g", "(void)", ")", ";"),
    ("", "typeof(", "int", ")", " x;"),
    ("int x = sizeof(", "int[sizeof(", "int", ")]", ");"),
    ("int x = ", "(int){ ", "1", " }", ";"),
    ("int x = ", "_Generic(1, default: ", "1", ")", ";"),
    ("int x = ", "__builtin_choose_expr(1, ", "1", ", 2)", ";"),
    ("int x ", "__attribute__((a(sizeof(int ", "", "))))", ";"),
    ("int x", "[sizeof(int", "[1]", ")]", ";"),
    ("int x = ", "(enum { A = ", "1", " }) 1", ";"),
    ("", "_Atomic(", "int", ")", " x;"),
];

#[test]
fn thousands_of_levels_of_what_is_recursive() {
    for (before, open, middle, close, after) in LIMITED {
        accepted(format!("{before}{}{after}", nest(open, middle, close, 1300)));
    }
}

#[test]
fn more_levels_than_that_are_refused() {
    for (before, open, middle, close, after) in LIMITED {
        let text = format!("{before}{}{after}", nest(open, middle, close, DEEP));
        on_small_stack(text, |result, messages| {
            assert!(result.has_errors());
            assert!(messages.contains("nested too deeply"), "{messages}");
        });
    }
}

#[test]
fn brackets_that_are_never_closed() {
    for open in ["(", "[", "{", "f(", "a[", "({", "(int){", "struct {", "int (", "if (", "x ?"] {
        for before in ["", "int x = ", "int main(void) { ", "int a[] = {"] {
            let text = format!("{before}{}", open.repeat(20_000));
            on_small_stack(text, |result, _| assert!(result.has_errors()));
        }
    }
}

//! One check for each construct of C11 and GNU C: text in, tree out.

mod declarations;
mod expressions;
mod lexis;
mod statements;

#[path = "../dump/mod.rs"]
mod dump;

use bolide_base::SourceMap;
use bolide_c_syntax::{ParseOptions, parse};
use dump::dump;
use expect_test::{Expect, expect};

fn check_with(options: &ParseOptions, text: &str, expected: Expect) {
    let mut sources = SourceMap::new();
    let start = sources.add("a.c", text.to_owned()).expect("a small text");
    let result = parse(&mut sources, start, options);
    let mut out = String::new();
    for diagnostic in &result.diagnostics {
        out += &diagnostic.render_plain(&sources);
    }
    out += &dump(&result.unit);
    expected.assert_eq(&out);
}

fn check(text: &str, expected: Expect) {
    check_with(&ParseOptions::default(), text, expected);
}

/// Checks one expression, in the scope of a few declarations.
fn check_expr(text: &str, expected: Expect) {
    let mut sources = SourceMap::new();
    let file = format!("typedef int T; int v = {text};");
    let start = sources.add("a.c", file).expect("a small text");
    let result = parse(&mut sources, start, &ParseOptions::default());
    let mut out = String::new();
    for diagnostic in &result.diagnostics {
        out += &diagnostic.render_plain(&sources);
    }
    let tree = dump(&result.unit);
    let last = tree.split_once("(v = ").map_or(tree.as_str(), |(_, rest)| rest);
    let last = last.trim_end();
    out += last.strip_suffix("))").unwrap_or(last);
    expected.assert_eq(&out);
}

/// Checks the body of a function.
fn check_body(text: &str, expected: Expect) {
    check(&format!("typedef int T;\nvoid f(void)\n{{ {text} }}"), expected);
}

//! Programs that come in sizes.
//!
//! Generated ones grow in one respect each: components that take turns, flags, loops one after
//! the other, calls that double, a chain of calls, fields of a structure on the heap, lines that do not matter. All are
//! safe, with an invariant that is linear in n. Public ones are found by their names below a folder.

use crate::experiment::{files_below, read};
use std::fmt::Write;
use std::path::Path;

/// Programs of one kind, by size.
pub struct Family {
    pub name: &'static str,
    /// Size and text, in ascending order.
    pub members: Vec<(u64, String)>,
}

/// The program of a size.
type Generator = fn(u64) -> String;

/// Names of public programs: what they begin with, before a number.
const PUBLIC: [&str; 8] = [
    "token_ring.",
    "transmitter.",
    "pals_lcr.",
    "pals_floodmax.",
    "pals_opt-floodmax.",
    "test_locks_",
    "elevator_spec",
    "s3_srvr.blast.",
];

/// What a generated program begins with.
const PRELUDE: &str =
    "extern void __VERIFIER_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

/// All families: generated, and public where there is a folder.
pub fn families(sizes: &[u64], folder: Option<&Path>) -> Vec<Family> {
    let generators: [(&'static str, Generator); 7] = [
        ("components", components),
        ("flags", flags),
        ("loops", loops),
        ("doubled calls", doubled_calls),
        ("call depth", call_depth),
        ("fields", fields),
        ("hundreds of lines", lines),
    ];
    let generated = generators.into_iter().map(|(name, generate)| Family {
        name,
        members: sizes.iter().map(|&n| (n, format!("{PRELUDE}{}", generate(n)))).collect(),
    });
    let files = folder.map(|folder| files_below(folder, &["c"])).unwrap_or_default();
    let public = PUBLIC.into_iter().map(|prefix| {
        let mut members: Vec<(u64, String)> = Vec::new();
        for file in &files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let Some(rest) = name.strip_prefix(prefix) else { continue };
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            if let (Ok(n), Ok(text)) = (digits.parse(), read(file)) {
                members.push((n, text));
            }
        }
        // One of each size.
        members.sort();
        members.dedup_by_key(|member| member.0);
        Family { name: prefix, members }
    });
    generated.chain(public).filter(|family| !family.members.is_empty()).collect()
}

/// Lines with `{i}` for each number below n, and `{j}` for the next one round.
fn each(n: u64, line: &str) -> String {
    let next = |i: u64| ((i + 1) % n).to_string();
    (0..n).map(|i| line.replace("{i}", &i.to_string()).replace("{j}", &next(i)) + "\n").collect()
}

/// A token goes round: one component is ready at a time, and whose turn it is it counts.
fn components(n: u64) -> String {
    let mut text = each(n, "int pc{i} = 0, ready{i} = 0;") + "int token, first;\n";
    text += "int main(void) {\n  token = __VERIFIER_nondet_int(); first = token; ready0 = 1;\n  while (1) {\n";
    text += &each(
        n,
        "    if (ready{i} == 1 && __VERIFIER_nondet_int()) {\n      if (pc{i} == 0) pc{i} = 1;\n      ready{i} = 0; ready{j} = 1; token = token + 1;\n      if ({j} == 0) token = first;\n    }",
    );
    text += &each(n, "    if (ready{i} == 1) { if (token != first + {i}) __VERIFIER_error(); }");
    text + "  }\n}\n"
}

/// Locks that are taken where a choice is made, and given back where the same choice was.
fn flags(n: u64) -> String {
    let mut text = String::from("int main(void) {\n  while (1) {\n");
    text += &each(n, "    int p{i} = __VERIFIER_nondet_int(); int lock{i} = 0;");
    text += &each(n, "    if (p{i} != 0) lock{i} = 1;");
    text += &each(n, "    if (p{i} != 0) { if (lock{i} != 1) __VERIFIER_error(); lock{i} = 0; }");
    text + "  }\n}\n"
}

/// Loops one after the other, each with a bound of its own.
fn loops(n: u64) -> String {
    let mut text =
        String::from("int main(void) {\n  int n = __VERIFIER_nondet_int(); if (n < 0) return 0;\n");
    text += &each(
        n,
        "  int i{i} = 0; while (i{i} < n) i{i} = i{i} + 1;\n  if (i{i} != n) __VERIFIER_error();",
    );
    text + "}\n"
}

/// Each function calls the next one twice.
fn doubled_calls(n: u64) -> String {
    let mut text = format!("int x = 0;\nvoid f{n}(void) {{ if (x < 1000) x = x + 1; }}\n");
    for i in (0..n).rev() {
        let _ = writeln!(text, "void f{i}(void) {{ f{0}(); f{0}(); }}", i + 1);
    }
    text + "int main(void) { f0(); if (x > 1000) __VERIFIER_error(); }\n"
}

/// Each function calls the next one and adds to what it returns.
fn call_depth(n: u64) -> String {
    let mut text = format!("int f{n}(int x) {{ return x; }}\n");
    for i in (0..n).rev() {
        let _ = writeln!(text, "int f{i}(int x) {{ return f{}(x) + 1; }}", i + 1);
    }
    text + &format!(
        "int main(void) {{ int x = __VERIFIER_nondet_int(); if (x < 0 || x > 9) return 0;\n  if (f0(x) != x + {n}) __VERIFIER_error(); }}\n"
    )
}

/// A state machine whose states are fields of a structure on the heap.
fn fields(n: u64) -> String {
    let mut text = String::from("void *malloc(unsigned long);\nstruct s {");
    text += &each(n, " int a{i};");
    text += "};\nint main(void) {\n  struct s *s = malloc(sizeof *s);\n";
    text += &each(n, "  s->a{i} = 0;");
    text += "  s->a0 = 1;\n  while (1) {\n";
    text +=
        &each(n, "    if (s->a{i} == 1 && __VERIFIER_nondet_int()) { s->a{i} = 0; s->a{j} = 1; }");
    text += &each(n, "    if (s->a{i} != 0) { if (s->a{i} != 1) __VERIFIER_error(); }");
    text + "  }\n}\n"
}

/// A hundred lines for each n that have nothing to do with the error.
fn lines(n: u64) -> String {
    let mut text = String::from("int table[64];\n");
    for i in 0..n {
        let _ = writeln!(text, "int g{i}(int x) {{");
        for line in 0..96 {
            let _ = writeln!(text, "  if (x > {line}) table[{}] = x * {line};", line % 64);
        }
        text += "  return x;\n}\n";
    }
    text += "int main(void) {\n  int i = 0, x = __VERIFIER_nondet_int();\n";
    text += &each(n, "  x = g{i}(x);");
    text + "  while (i < 10) i = i + 1;\n  if (i != 10) __VERIFIER_error();\n}\n"
}

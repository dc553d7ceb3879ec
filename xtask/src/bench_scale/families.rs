//! Programs that come in sizes.
//!
//! Generated ones grow in one respect each: components that take turns, flags, loops one after
//! the other, calls that double, a chain of calls, fields of a structure on the heap, lines that do not matter, and modules with a bit of
//! everything ([`MODULE`]), of a hundred lines each. All are
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
    let generators: [(&'static str, Generator); 8] = [
        ("components", components),
        ("flags", flags),
        ("loops", loops),
        ("doubled calls", doubled_calls),
        ("call depth", call_depth),
        ("fields", fields),
        ("hundreds of lines", lines),
        ("mixed", mixed),
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

/// Modules with lists, arrays, switches and calls through pointers, all of which take one lock.
fn mixed(n: u64) -> String {
    let mut text = String::from(
        "int locked;\nstatic void acquire(void) { if (locked) __VERIFIER_error(); locked = 1; }\nstatic void release(void) { if (!locked) __VERIFIER_error(); locked = 0; }\n",
    );
    text += &each(n, MODULE);
    text += "int main(void) {\n  int x, y, sum = 0;\n  while (1) {\n    x = __VERIFIER_nondet_int(); y = __VERIFIER_nondet_int();\n    switch (__VERIFIER_nondet_int()) {\n";
    text += &each(n, "    case {i}: sum = step{i}(x, y); break;");
    text + "    default: return sum;\n    }\n  }\n}\n"
}

/// A module of [`mixed`].
const MODULE: &str = "\
struct item{i} { int kind; long weight; struct item{i} *next; int cells[16]; };
struct ops{i} { int (*open)(int); int (*close)(int); void (*fill)(struct item{i} *, int); };
static struct item{i} pool{i}[8];
static struct item{i} *free{i};
int table{i}[32] = { 1, 2, 3, 4 };
int count{i};
unsigned int flags{i} = {i}u;
static int compute{i}(int x, int y) {
  int result = 0;
  switch (x) {
  case 0:
    result = y + 1;
    break;
  case 1:
    result = y - 1;
    break;
  case 2:
  case 3:
    result = table{i}[y & 31];
    break;
  case 4:
    result = (int)(flags{i} >> (y & 7));
    break;
  default:
    if (y > 100 && x < 7)
      result = 100;
    else if (y < -100 || x == 9)
      result = -100;
    else
      result = y;
  }
  return result;
}
static void fill{i}(struct item{i} *p, int n) {
  int k;
  for (k = 0; k < 16; k++) {
    if (k < n)
      p->cells[k] = compute{i}(k, n);
    else
      p->cells[k] = 0;
  }
  p->kind = n & 3;
  p->weight = p->weight + n;
}
static struct item{i} *take{i}(void) {
  struct item{i} *p = free{i};
  if (p) {
    free{i} = p->next;
    p->next = 0;
    count{i}++;
  }
  return p;
}
static void give{i}(struct item{i} *p) {
  if (p) {
    p->next = free{i};
    free{i} = p;
    count{i}--;
  }
}
static int open{i}(int mode) {
  int result;
  acquire();
  if (mode < 0) {
    release();
    return -1;
  }
  flags{i} = flags{i} | (unsigned int)mode;
  result = compute{i}(mode, count{i});
  release();
  return result;
}
static int close{i}(int mode) {
  acquire();
  flags{i} = flags{i} & ~(unsigned int)mode;
  release();
  return 0;
}
static struct ops{i} operations{i} = { open{i}, close{i}, fill{i} };
static void start{i}(void) {
  int k;
  free{i} = 0;
  for (k = 0; k < 8; k++)
    give{i}(&pool{i}[k]);
  count{i} = 0;
}
int step{i}(int what, int value) {
  struct item{i} *p;
  struct ops{i} *ops = &operations{i};
  int result = 0;
  if (what == 0) {
    result = ops->open(value);
  } else if (what == 1) {
    result = ops->close(value);
  } else if (what == 2) {
    p = take{i}();
    if (p) {
      ops->fill(p, value);
      result = p->cells[value & 15];
      give{i}(p);
    }
  } else {
    start{i}();
  }
  return result;
}";

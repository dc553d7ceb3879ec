//! The engine `shape`: functions with contracts, their seeded bugs, and whole
//! list programs.
//!
//! A program of `tests/shape` says in its first lines what its function is
//! called (`// entry: NAME`) and which changes make it wrong (`// bug: OLD => NEW`).
//! The contract must be proved as it stands, and be broken by a run with any of the changes.

use std::path::{Path, PathBuf};
use std::process::Command;

fn result(file: &Path, entry: Option<&str>, property: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bolide"));
    command.args(["verify", "--engine", "shape", "--property", property, "--timeout", "240s"]);
    if let Some(entry) = entry {
        command.args(["--entry", entry]);
    }
    let output = command.arg(file).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!errors.contains("internal error"), "{}: {errors}", file.display());
    text.lines().last().unwrap_or(&errors).to_owned()
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Scratch {
        let name = format!("bolide-shape-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The programs of a folder below `tests`.
fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// `--json` is about the contract too, and says the same.
#[test]
fn a_contract_is_told_as_json() {
    let text = "/*@ requires \\true; ensures \\result == x; */\nint same(int x) { return x; }\n";
    for (from, to, expected) in [("x; }", "x; }", "true"), ("return x", "return x + 1", "false")] {
        let file = Scratch::new(&format!("json-{expected}.c"), &text.replacen(from, to, 1));
        let plain = result(&file.0, Some("same"), "valid-deref");
        let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
            .args(["verify", "--engine", "shape", "--json", "-p", "valid-deref", "--entry", "same"])
            .arg(&file.0)
            .output()
            .unwrap();
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let verdict = object["verdict"].as_str().or(object["result"].as_str()).unwrap_or_default();
        assert!(verdict.starts_with(expected), "{object:#}");
        assert!(plain.contains(expected), "{plain}");
    }
}

#[test]
fn contracts_are_proved_and_seeded_bugs_are_not() {
    check_programs("shape");
}

/// The doubly-linked list with an iterator, the two-level skip list, and students and schools of section 5.1.
#[test]
fn field_constraints_are_kept() {
    check_programs("shape/fields");
}

/// What the table of the thesis does not have: subtrees and segments that move, both directions of a list, recursion by
/// contract, arrays of list heads.
#[test]
fn beyond_the_table() {
    check_programs("shape/beyond");
}

/// Places of arrays are objects of the logic, not of the heap: what is said of all objects is not said of them. Were it,
/// each of these would be proved, for want of a heap with fewer objects than the array has places. (It is too long for
/// the search for runs, so that the prover is asked.)
#[test]
fn places_of_arrays_are_no_objects() {
    let empty = "requires \\forall x; x == \\null; ensures table[0] != \\null;";
    let some = "ensures \\exists x; x != \\null;";
    let long = "requires acyclic(next) && (\\forall x; x != \\null ==> reach(next, l, x));
                ensures l != \\null;";
    let all = "requires \\forall x; x != \\null ==> x->data < 5;
               ensures \\forall integer i; table[i] == table[i] ==> i < 5;";
    for (number, contract) in [empty, some, long, all].into_iter().enumerate() {
        let text = format!(
            "struct node {{ struct node *next; int data; }};
             struct node *table[100];
             /*@ {contract} */
             void f(int h, struct node *l) {{ if (h >= 0 && h < 100) table[h] = 0; }}"
        );
        let file = Scratch::new(&format!("places-{number}.c"), &text);
        assert_eq!(result(&file.0, Some("f"), "valid-memsafety"), "RESULT: unknown", "{contract}");
    }
}

/// A pointer into an array could change what is known of its elements.
#[test]
fn arrays_that_pointers_lead_into_are_refused() {
    let text = "struct node { struct node *next; };
        struct node *table[4];
        /*@ requires 0 <= h && h < 4 && table[1] == \\null; ensures table[1] == \\null; */
        void f(int h, struct node *n) { struct node **p = &table[1]; *p = n; table[h] = 0; }";
    let file = Scratch::new("into-array.c", text);
    let found = result(&file.0, Some("f"), "valid-memsafety");
    assert_ne!(found, "RESULT: true");
}

/// Small programs with trees.
#[test]
fn trees_are_kept() {
    check_programs("shape/judged");
}

/// That a list that ends has a last object needs induction: true, not proved, and the message says that nothing
/// was decided.
#[test]
fn what_is_not_decided_is_said() {
    let text = "struct node { struct node *next; };\n\
        /*@ requires acyclic(next) && list != \\null;\n\
            ensures \\exists y; reach(next, list, y) && y != \\null && y->next == \\null; */\n\
        void same(struct node *list) { }\n";
    let file = Scratch::new("last.c", text);
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["verify", "--engine", "shape", "--property", "valid-memsafety", "--entry", "same"])
        .arg(&file.0)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = "no contradiction was found (not decided: a field is read at a quantified object)";
    assert!(said.contains(words), "{said}");
    assert!(said.ends_with("RESULT: unknown\n"), "{said}");
}

/// The Cartesian post proves the same, though not alone: `list-fixed.c` needs the second phase of refinement, and so does
/// `List.create`, as in Table 6.1 of the thesis.
#[test]
fn the_cartesian_post_is_refined() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (file, entry, refined) in [
        ("tests/shape/create.c", Some("create"), true),
        ("tests/shape/reverse.c", Some("reverse"), false),
        ("examples/list-fixed.c", None, true),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bolide"));
        command.args(["verify", "--engine", "shape", "--property", "valid-memsafety"]);
        command.args(["--abstraction", "cartesian", "--timeout", "60s", "--verbose"]);
        command.args(entry.map(|entry| format!("--entry={entry}")));
        let output = command.arg(root.join(file)).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.lines().last(), Some("RESULT: true"), "{file}");
        assert_eq!(!text.contains(" 0 refined posts"), refined, "{file}: {text}");
    }
}

fn check_programs(folder: &str) {
    for file in programs(folder) {
        let text = std::fs::read_to_string(&file).unwrap();
        let line = |prefix: &'static str| text.lines().filter_map(move |l| l.strip_prefix(prefix));
        let entry = line("// entry: ").next().expect("the program names its function").to_owned();
        let name = file.file_name().unwrap().to_str().unwrap();
        assert_eq!(result(&file, Some(&entry), "valid-memsafety"), "RESULT: true", "{name}");
        let bugs: Vec<(String, String)> = line("// bug: ")
            .map(|bug| {
                let (old, new) = bug.split_once(" => ").expect("a bug is OLD => NEW");
                (old.to_owned(), new.to_owned())
            })
            .collect();
        assert_eq!(bugs.len(), 3, "{name}");
        let body: String =
            text.lines().filter(|l| !l.starts_with("// ")).collect::<Vec<_>>().join("\n");
        for (i, (old, new)) in bugs.iter().enumerate() {
            assert!(body.contains(old.as_str()), "{name} has no `{old}`");
            let seeded = Scratch::new(&format!("{i}-{name}"), &body.replacen(old.as_str(), new, 1));
            let found = result(&seeded.0, Some(&entry), "valid-memsafety");
            // A run shows it.
            assert!(found.starts_with("RESULT: false("), "{name} with `{old}` => `{new}`: {found}");
        }
    }
}

const LIST: &str = "
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node { struct node *next; int data; };
int main(void) {
  struct node *h = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->next = h; n->data = 1; h = n;
  }
  struct node *p = h;
  while (p) { if (p->data != 1) reach_error(); p = p->next; }
  while (h) { struct node *t = h->next; free(h); h = t; }
  return 0;
}
";

#[test]
fn a_list_is_made_read_and_freed() {
    let file = Scratch::new("list.c", LIST);
    assert_eq!(result(&file.0, None, "unreach-call"), "RESULT: true");
    assert_eq!(result(&file.0, None, "valid-memsafety"), "RESULT: true");
}

#[test]
fn mistakes_with_lists_are_not_proved() {
    for (name, old, new, property) in [
        (
            "after-free.c",
            "struct node *t = h->next; free(h);",
            "free(h); struct node *t = h->next;",
            "valid-memsafety",
        ),
        ("leak.c", "free(h); h = t;", "h = t;", "valid-memsafety"),
        ("null.c", "while (p) {", "while (1) {", "valid-memsafety"),
        ("data.c", "n->data = 1;", "n->data = __VERIFIER_nondet_int();", "unreach-call"),
    ] {
        assert!(LIST.contains(old), "{name}");
        let file = Scratch::new(name, &LIST.replace(old, new));
        assert_ne!(result(&file.0, None, property), "RESULT: true", "{name}");
    }
}

/// Each program reaches its error in some run of some compiler.
#[test]
fn addresses_may_be_used_again() {
    let program = |body: &str| {
        format!(
            "#include <stdlib.h>\nextern void reach_error(void);\n\
             struct node {{ struct node *next; }};\n\
             int main(void) {{ {body} return 0; }}\n"
        )
    };
    for (name, body) in [
        (
            "freed.c",
            "struct node *p = malloc(sizeof *p); free(p);
             struct node *q = malloc(sizeof *q);
             if (p == q) reach_error();",
        ),
        (
            "not-set.c",
            "struct node *p; struct node *q = malloc(sizeof *q);
             if (p == q) reach_error();",
        ),
        (
            "field.c",
            "struct node *n = malloc(sizeof *n); struct node *q = malloc(sizeof *q);
             if (n->next == q) reach_error();",
        ),
    ] {
        let file = Scratch::new(name, &program(body));
        assert_ne!(result(&file.0, None, "unreach-call"), "RESULT: true", "{name}");
    }
    let file = Scratch::new(
        "distinct.c",
        &program(
            "struct node *p = malloc(sizeof *p); struct node *q = malloc(sizeof *q);
             if (p == q) reach_error(); free(p); free(q);",
        ),
    );
    assert_eq!(result(&file.0, None, "unreach-call"), "RESULT: true");
}

/// Bounded loops, pointers to members, quotients: all runs are executed.
#[test]
fn programs_with_few_runs_are_unwound() {
    let text = "
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node { int data; struct node *next; };
static void put(struct node **at, int data) {
  struct node *n = malloc(sizeof *n);
  n->data = data; n->next = *at; *at = n;
}
int main(void) {
  const int length = 7 / 2;
  struct node *head = 0;
  for (int i = 0; i < length; i++) put(&head, i);
  put(&head->next, __VERIFIER_nondet_int() ? 8 : 9);
  int sum = 0;
  while (head) { struct node *t = head->next; sum += head->data; free(head); head = t; }
  if (sum != 11 && sum != 12) reach_error();
  return 0;
}
";
    let file = Scratch::new("few.c", text);
    assert_eq!(result(&file.0, None, "unreach-call"), "RESULT: true");
    assert_eq!(result(&file.0, None, "valid-memsafety"), "RESULT: true");
    let wrong = Scratch::new("few-wrong.c", &text.replace("sum != 12", "sum != 13"));
    assert_eq!(result(&wrong.0, None, "unreach-call"), "RESULT: false(unreach-call)");
}

const CALLER: &str = r"
struct node { struct node *next; int data; };

/*@ requires n != \null;
    assigns data;
    ensures n->data == 1;
    ensures \forall x; x != n ==> x->data == \old(x->data); */
void set(struct node *n) { n->data = 1; }

/*@ requires a != \null && b != \null && a != b;
    ensures a->data == 1 && b->data == \old(b->data) && a->next == \old(a->next); */
void caller(struct node *a, struct node *b) { set(a); }
";

#[test]
fn calls_go_by_contract() {
    let check = |name: &str, text: &str, expected: &str| {
        let file = Scratch::new(name, text);
        assert_eq!(result(&file.0, Some("caller"), "valid-memsafety"), expected, "{name}");
    };
    check("called.c", CALLER, "RESULT: true");
    for (name, old, new, expected) in [
        // What is required is proved at the call.
        ("required.c", "set(a);", "set(a->next);", "false(contract)"),
        // What is not ensured is not known; no run breaks a promise.
        ("weak.c", "ensures n->data == 1;", "ensures n->data >= 1;", "unknown"),
        // What is not assigned alone may change.
        ("any.c", "assigns data;", "", "unknown"),
        // The body is proved too, and so is what it assigns.
        ("body.c", "n->data = 1;", "n->data = 2;", "false(contract)"),
        ("assigned.c", "n->data = 1;", "n->data = 1; n->next = 0;", "false(contract)"),
    ] {
        assert!(CALLER.contains(old), "{name}");
        check(name, &CALLER.replacen(old, new, 1), &format!("RESULT: {expected}"));
    }
}

const TREE: &str = r"
struct node { struct node *left; struct node *right; };

/*@ logic content(r) = { x | reach(left, right, r, x) && x != \null }; */

/*@ requires tree(left, right) && r != \null && n != \null && r->left == \null;
    requires !(r \in content(n));
    requires \forall x; x != \null ==> x->left != n && x->right != n;
    ensures tree(left, right);
    ensures content(r) == \old(content(r) \union content(n)); */
void hang(struct node *r, struct node *n) { r->left = n; }
";

#[test]
fn trees_are_read_through_their_parents() {
    let check = |name: &str, text: &str, expected: &str| {
        let file = Scratch::new(name, text);
        assert_eq!(result(&file.0, Some("hang"), "valid-memsafety"), expected, "{name}");
    };
    check("tree.c", TREE, "RESULT: true");
    for (name, old, new, expected) in [
        ("cycle.c", "requires !(r \\in content(n));", "", "false(contract)"),
        ("shared.c", "x->left != n && x->right != n", "x->left != n", "false(contract)"),
        ("lost.c", "&& r->left == \\null;", ";", "false(contract)"),
        ("other.c", "r->left = n;", "r->right = n;", "false(contract)"),
        ("no-tree.c", "ensures tree(left, right);", "", "unknown"),
    ] {
        assert!(TREE.contains(old), "{name}");
        check(name, &TREE.replacen(old, new, 1), &format!("RESULT: {expected}"));
    }
}

/// What was refuted is kept in the folder of `--proofs`, and used the next time.
#[test]
fn refutations_are_kept_between_runs() {
    let folder = std::env::temp_dir().join(format!("bolide-shape-proofs-{}", std::process::id()));
    let file = programs("shape").into_iter().find(|f| f.ends_with("contains.c")).unwrap();
    let queries = || {
        let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
            .args(["verify", "--engine", "shape", "--entry", "contains", "--verbose"])
            .args(["--property", "valid-memsafety", "--proofs"])
            .args([&folder, &file])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.ends_with("RESULT: true\n"), "{text}");
        let search = text.lines().find(|l| l.contains("search: ")).unwrap();
        let part = search.split(", ").find(|p| p.ends_with(" queries")).unwrap();
        part.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let (first, second) = (queries(), queries());
    let stat = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["proofs", "stat", "--proofs"])
        .arg(&folder)
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(second < first, "{first} queries, then {second}");
    let stat = String::from_utf8_lossy(&stat.stdout).into_owned();
    let kept = stat.lines().find_map(|l| l.strip_prefix("heap questions: ")).unwrap();
    assert!(kept.parse::<u64>().unwrap() > 10, "{stat}");
}

const FORMS: &str = r"
struct node { struct node *next; struct node *prev; int data; };
struct node *top;

/*@ invariant acyclic(next);
    field prev: \forall x, y; x != \null && y != \null && x->prev == y ==> y->next == x;
    logic all = { x | reach(next, top, x) && x != \null };
    logic outside(a) = { x | x != \null && !(x \in all) && x != a };
    predicate low(x, n) = x->data <= n && n - 1 < 10; */

/*@ requires from != \null && !(from \in all) && low(from, 5);
    requires (\exists x; x == from) && (\true <==> !\false);
    requires all \inter {from} == \empty && from->prev == \null;
    requires \forall x; x != \null ==> x->next != from && x->prev != from;
    assigns next, top;
    ensures top == from && \result == \old(top) && from->data < 6 && \valid(from);
    ensures all == \old(all) \union {from} && {from} <= all && outside(from) \inter all == {};
    ensures btwn(next, from, \result, \null); */
struct node *push(struct node *from, int n);

struct node *push(struct node *e, int number)
{
    struct node *before = top;
    //@ assert before == \old(top) && e != \null;
    e->next = before;
    /*@ assert reach(next, e, top) && all == \old(all); */
    top = e;
    return before;
}
";

/// Every form of annotation, with a contract on a prototype whose parameters have other names.
#[test]
fn all_forms_of_annotations_are_read() {
    let check = |name: &str, text: &str, expected: &str| {
        let file = Scratch::new(name, text);
        assert_eq!(result(&file.0, Some("push"), "valid-memsafety"), expected, "{name}");
    };
    check("forms.c", FORMS, "RESULT: true");
    for (name, old, new) in [
        ("assert.c", "assert before == \\old(top)", "assert before != \\old(top)"),
        ("assert-field.c", "assert reach(next, e, top)", "assert !reach(next, e, top)"),
        ("prototype.c", "\\result == \\old(top)", "\\result == top"),
        ("invariant.c", "e->next = before;", "e->next = e;"),
        ("field.c", "x->next != from && x->prev != from;", "x->next != from;"),
        ("set.c", "\\union {from}", "\\diff {from}"),
        ("order.c", "from->data < 6", "from->data < 5"),
        ("assigns.c", "assigns next, top;", "assigns next;"),
    ] {
        let (old, new) = (old.replace("\\\\", "\\"), new.replace("\\\\", "\\"));
        assert!(FORMS.contains(&old), "{name}");
        check(name, &FORMS.replacen(&old, &new, 1), "RESULT: false(contract)");
    }
}

const OUTSIDE: &str = r"
struct node { struct node *next; int data; };
struct node *top;
int limit;

/*@ requires n != \null;
    assigns data;
    ensures \result == n->data && n->data <= limit;
    ensures \forall x; x != n ==> x->data == \old(x->data); */
int measure(struct node *n);

/*@ requires a != \null && top != \null && a != top && limit == 3;
    ensures a->data <= 3 && \result <= 3 && top->data == \old(top->data); */
int caller(struct node *a) { return measure(a); }
";

/// A function without a body is what its contract says, and global variables may occur in annotations alone.
#[test]
fn contracts_of_prototypes_are_believed() {
    let check = |name: &str, text: &str, expected: &str| {
        let file = Scratch::new(name, text);
        assert_eq!(result(&file.0, Some("caller"), "valid-memsafety"), expected, "{name}");
    };
    check("outside.c", OUTSIDE, "RESULT: true");
    for (name, old, new, expected) in [
        ("outside-required.c", "measure(a)", "measure(a->next)", "false(contract)"),
        // A run shows it when the function returns 3, which its contract allows.
        ("outside-weak.c", "a->data <= 3 &&", "a->data <= 2 &&", "false(contract)"),
        // What it changes is not executed: no run, and no proof either.
        (
            "outside-frame.c",
            "ensures \\forall x; x != n ==> x->data == \\old(x->data);",
            "",
            "unknown",
        ),
    ] {
        let (old, new) = (old.replace("\\\\", "\\"), new.replace("\\\\", "\\"));
        assert!(OUTSIDE.contains(&old), "{name}");
        check(name, &OUTSIDE.replacen(&old, &new, 1), &format!("RESULT: {expected}"));
    }
}

/// In the function that is started, `assert` needs no contract.
#[test]
fn assertions_at_the_start_are_checked() {
    let text = "struct node { struct node *next; };\n\
                void start(struct node *l) { if (l) { l->next = 0; /*@ assert reach(next, l, \\null); */ } }\n";
    let check = |name: &str, text: &str, expected: &str| {
        let file = Scratch::new(name, text);
        assert_eq!(result(&file.0, Some("start"), "valid-memsafety"), expected, "{name}");
    };
    check("asserted.c", text, "RESULT: true");
    check("asserted-not.c", &text.replace("= 0", "= l"), "RESULT: false(contract)");
}

/// Mistakes in annotations are told with their place; the contract is then ignored as a whole.
#[test]
fn mistakes_in_annotations_have_places() {
    for (clause, words) in [
        ("requires l->nxt == \\null;", "no record has a scalar field `nxt`"),
        (
            "requires m != \\null;",
            "`m` is neither a parameter nor a global variable nor a definition",
        ),
        ("requires \\forall x; y != x;", "`y` is neither"),
        ("requires later(l);", "`later` is not defined"),
        ("requires reach(l, \\null);", "`reach` is not defined"),
        ("requires \\nil == l;", "`\\nil` is not known"),
        ("requires l == ;", "expected an expression, found `;`"),
        ("requires l == l->data;", "`==` compares a pointer with an integer"),
        ("requires l < l->next;", "`<` does not order pointers"),
        ("requires (l == \\null) == l;", "`==` compares a formula with a pointer"),
        ("requires l \\in l;", "a pointer is used where a set is expected"),
        ("requires l->data + 1;", "an integer is used as a formula"),
        ("requires l->data->next == l;", "an integer is used where a pointer is expected"),
        ("requires reach(data, l, l);", "`data` does not hold pointers"),
        ("ensures \\result == l;", "`\\result` of a function that returns nothing"),
        ("requires \\true; field data: \\forall x; x->data == 1;", "`data` does not hold pointers"),
    ] {
        let text = format!(
            "struct node {{ struct node *next; int data; }};\n/*@ {clause} */\n\
             void f(struct node *l) {{ if (l) l->next = 0; }}\n"
        );
        let file = Scratch::new("mistake.c", &text);
        let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
            .args(["verify", "--engine", "shape", "--entry", "f"])
            .args(["--property", "valid-memsafety", "--timeout", "5s"])
            .arg(&file.0)
            .output()
            .unwrap();
        let both = [output.stdout, output.stderr].concat();
        let both = String::from_utf8_lossy(&both);
        assert!(both.contains(words), "{clause}: {both}");
        assert!(both.contains("mistake.c:2:"), "{clause}: {both}");
        assert!(!both.contains("RESULT: true") || both.contains("warning"), "{clause}: {both}");
    }
}

/// The book shows every annotation of the examples as it stands there.
#[test]
fn the_book_shows_the_examples() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/shape.md");
    let book = std::fs::read_to_string(book).unwrap();
    for file in programs("shape") {
        let name = file.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let part = book.split("\n`").find(|part| part.contains(&format!("({name})")));
        let part = part.unwrap_or_else(|| panic!("{name} is not in docs/shape.md"));
        for comment in text.split("/*@").skip(1).filter_map(|rest| rest.split("*/").next()) {
            for line in comment.lines().map(str::trim) {
                assert!(part.contains(line), "docs/shape.md lacks of {name}: {line}");
            }
        }
    }
}

/// With `--drawings`, the heap of a run that breaks a contract is drawn at the call and whenever it changes.
#[test]
fn runs_are_drawn() {
    let folder = std::env::temp_dir().join(format!("bolide-shape-runs-{}", std::process::id()));
    let file = programs("shape").into_iter().find(|f| f.ends_with("reverse.c")).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let wrong = text.replace("list->next = done;", "list->next = list;");
    let file = Scratch::new("drawn.c", &wrong);
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["verify", "--engine", "shape", "--entry", "reverse", "--drawings"])
        .arg(&folder)
        .args(["--property", "valid-memsafety"])
        .arg(&file.0)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(10));
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".dot") && name.contains("run"))
        .collect();
    names.sort();
    let last = std::fs::read_to_string(folder.join(names.last().unwrap())).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(names.len() > 2, "{names:?}");
    assert!(names[0].contains("at-the-call"), "{names:?}");
    assert!(last.contains("n1"), "{last}");
}

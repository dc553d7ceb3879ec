//! The words of verdicts: what went wrong is called by its name, values that nobody fixed are told, and mistakes
//! of the user are met with help.

use std::path::PathBuf;
use std::process::Command;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bolide-words-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    /// Both outputs of `bolide verify`.
    fn verify(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
            .arg("verify")
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn freed_memory_is_called_that() {
    let folder = Folder::new("freed");
    let program = "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(sizeof *p);\n  if (!p)\n    \
                   return 0;\n  int **q = &p;\n  free(*q);\n  USE\n  return 0;\n}\n";
    for (statement, property, words) in [
        (
            "*p = 1;",
            "valid-deref",
            "use after free: `*p = 1` writes memory that was freed at a.c:7:3",
        ),
        (
            "return *p;",
            "valid-deref",
            "use after free: `*p` reads memory that was freed at a.c:7:3",
        ),
        ("free(p);", "valid-free", "double free: `free(p)` frees what was freed at a.c:7:3"),
        // Never freed: outside all the same.
        ("p = 0; *p = 1;", "valid-deref", "`*p = 1` writes outside of live memory"),
    ] {
        folder.write("a.c", &program.replace("USE", statement));
        let said = folder.verify(&["-p", property, "a.c", "--timeout", "60s"]);
        assert!(said.contains(words), "{statement}: {said}");
    }
}

#[test]
fn values_that_nobody_fixed_are_told() {
    let folder = Folder::new("values");
    folder.write(
        "a.c",
        "#include <stdlib.h>\nint main(int argc, char **argv) {\n  int x;\n  int r = rand();\n  \
         if (argc == 2 && argv[1][0] == 'z' && r == 7 && x == 9)\n    return 1 / (r - 7);\n  return 0;\n}\n",
    );
    let said =
        folder.verify(&["-p", "div-by-zero", "a.c", "--report", "a.html", "--timeout", "60s"]);
    for words in ["argc = 2", "argv[1] = \"z", "rand = 7", "x (not initialised) = 9"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("__bolide"), "{said}");
    // Arguments that nobody looks at are told once, as what they are.
    let unread = "int main(int argc, char **argv) {\n  return 5 / (argc - 2);\n}\n";
    folder.write("b.c", unread);
    folder.verify(&["-p", "div-by-zero", "b.c", "--sarif", "b.sarif", "-q"]);
    let log = std::fs::read_to_string(folder.0.join("b.sarif")).unwrap();
    assert!(log.contains("argc = 2; argv[0] = ") && !log.contains("argv = NULL"), "{log}");
    let page = std::fs::read_to_string(folder.0.join("a.html")).unwrap();
    for words in ["argv[1] = &quot;z", "input `rand` = 7", "`x` is not initialised", "argc = 2"] {
        assert!(page.contains(words), "{words}");
    }
    let steps = &page[page.find("id=\"steps\"").unwrap()..page.find("</ol>").unwrap()];
    assert!(!steps.contains("__bolide"), "{steps}");
}

#[test]
fn invariants_are_in_words_of_the_source() {
    let folder = Folder::new("invariants");
    folder.write(
        "a.c",
        "extern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\nint a[100];\n\
         int main(void) {\n  unsigned n = __VERIFIER_nondet_uint();\n  if (n > 100)\n    return 0;\n  \
         for (unsigned i = 0; i < n; i++)\n    a[i] = 7;\n  for (unsigned i = 0; i < n; i++)\n    \
         if (a[i] != 7)\n      reach_error();\n  return 0;\n}\n",
    );
    for arguments in [&["-v", "--threads", "1", "a.c"][..], &["--json", "--threads", "1", "a.c"]] {
        let said = folder.verify(arguments);
        assert!(said.contains("==> a[k] == 7)"), "{said}");
        assert!(!said.contains("mem:") && !said.contains("main::"), "{said}");
    }
}

/// What C is said to know at a loop head is about the variables that its names mean there.
#[test]
fn invariants_in_c_mean_what_they_say() {
    let folder = Folder::new("names");
    let invariants = |text: &str| -> String {
        folder.write("a.c", text);
        let said = folder.verify(&["--json", "--threads", "1", "-p", "assert", "a.c"]);
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["verdict"], "true", "{said}");
        let all = said["invariants"].as_array().unwrap();
        all.iter().map(|i| i["c"].as_str().unwrap().to_owned() + "\n").collect()
    };
    let input = "extern int __VERIFIER_nondet_int(void);\n";
    // A field of a structure, and a variable whose address is taken.
    let counted = "  int n = __VERIFIER_nondet_int();\n  int i;\n  for (i = 0; i < n; i++)\n    bump(WHAT);\n  \
                   __VERIFIER_assert(CELL <= 41);\n  return 0;\n}\n";
    for (before, start, what, cell, words) in [
        (
            "struct pt { int y, x; } g;\nstatic void bump(struct pt *p) { if (p->x < 40) p->x += 2; }\n",
            "",
            "&g",
            "g.x",
            "(g.x <= 41)",
        ),
        (
            "static void bump(int *p) { if (*p < 40) *p += 2; }\n",
            "int m = 0;\n",
            "&m",
            "m",
            "(m <= 41)",
        ),
    ] {
        let rest = counted.replace("WHAT", what).replace("CELL", cell);
        let c = invariants(&format!("{input}{before}int main(void) {{\n{start}{rest}"));
        assert!(c.contains(words), "{cell}: {c}");
    }
    // The global is not what `y` means at the loop, nor is the first `x`.
    let hidden = "int y;\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x < 500) x = 500;\n  y = x;\n  {\n    \
                  int x = 0, y = 100;\n    while (x < 3) { x++; y++; }\n    __VERIFIER_assert(x == 3 && y == 103);\n  }\n  \
                  __VERIFIER_assert(x >= 500 && y >= 500);\n  return 0;\n}\n";
    let c = invariants(&format!("{input}{hidden}"));
    assert!(!c.contains("499") && !c.contains("500"), "{c}");
}

/// What memory graphs prove has words too: in the text, in JSON, in the report.
#[test]
fn memory_graphs_have_words() {
    let folder = Folder::new("graphs");
    folder.write(
        "a.c",
        "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstruct node { int v; struct node *next; };\n\
         int main(void) {\n  struct node *l = 0;\n  while (__VERIFIER_nondet_int()) {\n    \
         struct node *n = malloc(sizeof *n);\n    n->v = 7;\n    n->next = l;\n    l = n;\n  }\n  \
         for (struct node *p = l; p; p = p->next)\n    __VERIFIER_assert(p->v == 7);\n  \
         while (l) {\n    struct node *t = l->next;\n    free(l);\n    l = t;\n  }\n  return 0;\n}\n",
    );
    let list = "(\\forall e \\in \\list(l, next, \\null); e->v == 7)";
    let said = folder.verify(&["--engine", "shape", "a.c", "--report", "a.html"]);
    assert!(said.contains("invariant at a.c:6:3: ") && said.contains(list), "{said}");
    let said = folder.verify(&["--engine", "shape", "a.c", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["invariants"].as_array().map(Vec::len), Some(3), "{said}");
    assert!(said["invariants"][0]["text"].as_str().unwrap().contains(list), "{said}");
    let page = std::fs::read_to_string(folder.0.join("a.html")).unwrap();
    assert!(page.contains("What holds where") && page.contains("e-&gt;v == 7"));
    // Nobody asked a solver.
    assert!(!page.contains("to the solver"));
}

/// The parts of a condition that all hold are one line of a trace, rounds of a loop are not.
#[test]
fn a_condition_is_told_once() {
    let folder = Folder::new("condition");
    folder.write(
        "a.c",
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int a = __VERIFIER_nondet_int(), \
         b = __VERIFIER_nondet_int();\n  if (a == 4 && b == 5 && a < b)\n    __VERIFIER_assert(a > b);\n  return 0;\n}\n",
    );
    let said = folder.verify(&["a.c"]);
    assert_eq!(said.matches("   // taken").count(), 1, "{said}");
}

#[test]
fn mistakes_are_met_with_help() {
    let folder = Folder::new("help");
    folder.write("a.cpp", "int main() { return 0; }\n");
    folder.write("b.c", "class A {\npublic:\n  int x;\n};\nint main(void) { return 0; }\n");
    folder.write("c.c", "int main(void) { return 0; }\n");
    for (arguments, words) in [
        (&["a.cpp"][..], "`a.cpp` is a C++ file"),
        (&["b.c"], "this looks like C++"),
        (&["c.c", "-p", "valid-defer"], "did you mean `valid-deref`?"),
        (&["c.c", "--engine", "impcat"], "'impact'"),
        (&["c.c", "--timout", "1s"], "'--timeout'"),
    ] {
        let said = folder.verify(arguments);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new("manual");
    let bolide = || Command::new(env!("CARGO_BIN_EXE_bolide"));
    assert!(bolide().arg("man").arg("--folder").arg(&folder.0).status().unwrap().success());
    let help = String::from_utf8(bolide().arg("--help").output().unwrap().stdout).unwrap();
    let commands = help.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = commands.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"verify") && names.contains(&"scan"), "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let page = std::fs::read_to_string(folder.0.join(format!("bolide-{name}.1")));
        assert!(page.is_ok_and(|page| page.starts_with(".ie") || page.contains(".TH")), "{name}");
    }
}

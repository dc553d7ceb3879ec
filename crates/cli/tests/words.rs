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

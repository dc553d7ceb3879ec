//! The engine `clp` on programs with loops, calls and recursion, and what
//! `bolide clp` writes: our Horn solver must agree with the verdict.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn bolide(arguments: &[&str], file: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(arguments)
        .arg(file)
        .output()
        .expect("bolide starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn programs_are_decided_and_the_rules_mean_the_same() {
    let folder = std::env::temp_dir().join(format!("bolide-clp-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the rules");
    for (file, verdict, answer) in [
        ("tests/corpus/counter.c", "true", "sat"),
        ("tests/corpus/lock_safe.c", "true", "sat"),
        ("tests/corpus/lock_unsafe.c", "false(unreach-call)", "unsat"),
        // A function that changes none of its parameters and calls itself twice.
        ("examples/recursion.c", "true", "sat"),
    ] {
        let path = root().join(file);
        for relations in ["forward", "backward"] {
            let told = ["--relations", relations];
            let verify = ["verify", "-q", "--engine", "clp", "--timeout", "60s"];
            let said = bolide(&[&verify[..], &told].concat(), &path);
            assert_eq!(said.trim(), format!("RESULT: {verdict}"), "{file} {relations}");
            let rules = bolide(&[&["clp", "--emit", "smt2"][..], &told].concat(), &path);
            let script = folder.join("rules.smt2");
            std::fs::write(&script, rules).expect("the rules can be written");
            let said = bolide(&["chc", "--timeout", "60s"], &script);
            assert_eq!(said.lines().next(), Some(answer), "{file} {relations}");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

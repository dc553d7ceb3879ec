//! The rules of the house, checked. ARCHITECTURE.md explains each rule; a violation names the
//! file and the rule.
//!
//! A module here is a rule: dependency arrows point down and are used ([`arrows`]), absences stay
//! absent and files readable ([`words`]), modules form no cycles ([`cycles`]), engines do not know
//! each other nor the audit them ([`engines`]), functions fit on a screen ([`functions`]), and what
//! is public has a user ([`public`]). They read the text of the house ([`source`]) and nothing
//! else: no compiler is asked.

mod arrows;
mod cycles;
mod engines;
mod functions;
mod public;
mod source;
mod words;

use crate::experiment::root;
use std::path::Path;

/// Prints violations; whether there are none.
pub fn run() -> bool {
    let violations = violations(&root());
    for violation in &violations {
        eprintln!("{violation}");
    }
    violations.is_empty()
}

fn violations(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let crates = source::crates(root);
    for krate in &crates {
        arrows::check(krate, &mut found);
        for file in &krate.files {
            words::check(&krate.name, file, &mut found);
        }
        arrows::check_used(krate, &mut found);
        cycles::check(krate, &mut found);
        for file in &krate.files {
            functions::check(file, &mut found);
        }
    }
    engines::check(&crates, &mut found);
    public::check(&crates, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_tidy() {
        let violations = violations(&root());
        assert!(violations.is_empty(), "\n{}", violations.join("\n"));
    }

    /// What is said of a house of these files.
    fn said(name: &str, files: &[(&str, &str)]) -> String {
        let folder = format!("bolide-tidy-{}-{name}", std::process::id());
        let root = std::env::temp_dir().join(folder);
        for (file, text) in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = violations(&root).join("\n");
        std::fs::remove_dir_all(&root).unwrap();
        found
    }

    fn broken(name: &str, files: &[(&str, &str)], rules: &[&str]) {
        let found = said(name, files);
        for words in rules {
            assert!(found.contains(words), "{words} not in:\n{found}");
        }
        assert_eq!(found.lines().count(), rules.len(), "{found}");
    }

    #[test]
    fn broken_rules_are_named() {
        let manifest = "[dependencies]\nbolide-terms.workspace = true\n";
        let root = "use bolide_terms::T;\nuse std::time::Instant;\n";
        broken(
            "words",
            &[("crates/sat/Cargo.toml", manifest), ("crates/sat/src/lib.rs", root)],
            &["sat uses terms", "look at the clock", "opens with an essay"],
        );
    }

    #[test]
    fn a_dependency_that_nobody_uses_is_named() {
        let manifest = "[dependencies]\nrustc-hash.workspace = true\n[lints]\nworkspace = true\n";
        let file = ("crates/sat/Cargo.toml", manifest);
        let without = ("crates/sat/src/lib.rs", "//! No rustc_hash.\n");
        broken("unused", &[file, without], &["sat: the dependency `rustc-hash` is not used"]);
        let with = ("crates/sat/tests/a.rs", "use rustc_hash::FxHashMap;\n");
        broken("used", &[file, without, with], &[]);
    }

    #[test]
    fn a_cycle_is_named_by_its_edges() {
        let house = |c: &'static str| {
            [
                ("crates/sat/Cargo.toml", ""),
                ("crates/sat/src/lib.rs", "//! A.\nmod a;\nmod b;\npub use a::c::X;\n"),
                ("crates/sat/src/a/mod.rs", "//! A.\nmod c;\nuse crate::{a::c::X, b};\n"),
                ("crates/sat/src/a/c.rs", c),
                ("crates/sat/src/b.rs", "//! B.\nfn f() { crate::a::c::X }\n"),
            ]
        };
        broken("acyclic", &house("//! C: not super::f.\npub(super) struct X;\n"), &[]);
        let edges = "a -> a::c, a -> b, a::c -> a, b -> a::c";
        broken("cycle", &house("//! C.\nuse super::f as g;\n"), &[edges]);
    }

    #[test]
    fn an_engine_that_knows_another_is_named() {
        let engine = "//! E.\nuse crate::choose;\nfn f() { super::shape::g() }\n";
        let files = [
            ("crates/engines/Cargo.toml", ""),
            ("crates/engines/src/choose.rs", "//! C.\nfn f() { crate::shape::g() }\n"),
            ("crates/engines/src/impact.rs", engine),
            ("crates/engines/src/shape.rs", "//! S.\n"),
            ("crates/verdict/Cargo.toml", "[dependencies]\nbolide-engines.workspace = true\n"),
            ("crates/verdict/src/lib.rs", "//! V.\nuse bolide_engines::shape::S;\n"),
        ];
        let rules = ["impact uses shape: no engine knows", "verdict uses engines"];
        broken("engines", &files, &rules);
    }

    #[test]
    fn a_long_function_wants_a_reason() {
        let body = "    f();\n".repeat(79);
        let long = format!("//! A.\n#[inline]\nfn f() {{\n{body}}}\n");
        let manifest = ("crates/sat/Cargo.toml", "");
        broken("long", &[manifest, ("crates/sat/src/lib.rs", &long)], &["`f` has 81 lines"]);
        let told = long.replace("#[inline]", "// Long: a table.\n#[inline]");
        broken("told", &[manifest, ("crates/sat/src/lib.rs", &told)], &[]);
        let short = long.replacen("    f();\n", "", 1);
        broken("short", &[manifest, ("crates/sat/src/lib.rs", &short)], &[]);
    }

    #[test]
    fn a_public_item_for_nobody_is_named() {
        let root = "//! A.\n/// Not alone.\npub const fn alone() {}\npub struct Used;\n";
        let files = [
            ("crates/sat/Cargo.toml", ""),
            ("crates/sat/src/lib.rs", root),
            ("crates/sat/tests/a.rs", "use bolide_sat::Used;\n"),
        ];
        broken("public", &files, &["lib.rs:3: `alone` is public and nobody uses it"]);
    }
}

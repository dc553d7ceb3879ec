//! Programs that run here as gcc's binaries do: same output, same exit status.

mod common;

use bolide_base::SourceMap;
use bolide_c_lower::{Options, lower};
use bolide_c_syntax::{ParseOptions, parse};
use bolide_cfa::Property;
use bolide_cfa::interpreter::Outcome;
use std::path::Path;
use std::process::Command;

/// Runs one program both ways, without checks and with all of them (which must
/// then all pass).
fn compare(path: &Path) {
    let binary = std::env::temp_dir().join(format!(
        "bolide-{}-{}",
        std::process::id(),
        path.file_stem().expect("a file").to_string_lossy()
    ));
    let built = Command::new("gcc")
        .args(["-w", "-O0", "-fwrapv", "-std=gnu11", "-o"])
        .arg(&binary)
        .arg(path)
        .arg("-lm")
        .status()
        .expect("gcc runs");
    assert!(built.success(), "gcc refuses {}", path.display());
    let expected = Command::new(&binary).output().expect("the binary runs");
    std::fs::remove_file(&binary).expect("the binary was made");
    let text = Command::new("gcc")
        .args(["-E", "-std=gnu11"])
        .arg(path)
        .output()
        .expect("gcc preprocesses");
    let mut sources = SourceMap::new();
    let text = String::from_utf8(text.stdout).expect("a text");
    let start = sources.add(path.display().to_string(), text).expect("small");
    let parsed = parse(&mut sources, start, &ParseOptions::default());
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    for properties in [
        vec![],
        vec![Property::UnreachCall, Property::ValidDeref, Property::ValidFree, Property::DivByZero],
    ] {
        let options =
            Options { properties: properties.into_iter().collect(), ..Options::default() };
        let lowered = lower(&[&parsed.unit], &sources, &options).unwrap_or_else(|diagnostics| {
            panic!("{}", diagnostics.iter().map(|d| d.render_plain(&sources)).collect::<String>())
        });
        let (output, outcome) = common::run(&lowered);
        assert_eq!(output, String::from_utf8_lossy(&expected.stdout), "{}", path.display());
        assert_eq!(
            outcome,
            Outcome::Finished { status: expected.status.code() },
            "{}",
            path.display()
        );
    }
}

#[test]
fn programs() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<_> = std::fs::read_dir(directory)
        .expect("the programs are there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 8);
    for path in paths {
        compare(&path);
    }
}

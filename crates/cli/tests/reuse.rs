//! A database of proofs makes the verification of the next version cheap.
//!
//! The small version of `cargo xtask bench-reuse`: a few of its programs, calls of the
//! solver only. Times are for the whole benchmark: a test on a busy machine says
//! little about them.

#[path = "../../../xtask/src/bench_reuse/edits.rs"]
mod edits;

#[expect(dead_code, reason = "the tests of the store use more of it")]
#[path = "../src/proofs/test_server.rs"]
mod test_server;

use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: [&str; 3] = ["account", "elevator", "pool"];

fn verify(text: &str, folder: &Path, proofs: Option<&OsStr>) -> Value {
    let file = folder.join("program.c");
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bolide"));
    command.args(["verify", "--json", "--engine", "trace", "--timeout", "120s"]).arg(&file);
    if let Some(proofs) = proofs {
        command.arg("--proofs").arg(proofs);
    }
    let output = command.output().unwrap();
    let object: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(object["verdict"], "true", "{text}\n{object:#}");
    object
}

fn figure(object: &Value, group: &str, name: &str) -> u64 {
    object["statistics"]["engines"][0][group][name]
        .as_u64()
        .unwrap_or_else(|| panic!("no {name} in {object:#}"))
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bolide-reuse-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn an_edited_program_takes_a_third_of_the_solver_calls() {
    let folder = folder("edits");
    let mut shares: Vec<(f64, String)> = Vec::new();
    for name in PROGRAMS {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reuse");
        let text = std::fs::read_to_string(file.join(format!("{name}.c"))).unwrap();
        let (base, edits) = edits::versions(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(edits.len(), 5, "{name}");
        let proofs = folder.join(name);
        verify(&base, &folder, Some(proofs.as_os_str()));
        let kept = std::fs::read(proofs.join("proofs.sqlite")).unwrap();
        for edit in edits {
            let without = verify(&edit.text, &folder, None);
            // Each edit is one of the base, not of the edit before.
            let _ = std::fs::remove_dir_all(&proofs);
            std::fs::create_dir_all(&proofs).unwrap();
            std::fs::write(proofs.join("proofs.sqlite"), &kept).unwrap();
            let with = verify(&edit.text, &folder, Some(proofs.as_os_str()));
            if edit.kind == "rename" {
                assert_eq!(figure(&with, "solver", "interpolations"), 0, "{name}");
            }
            let calls = [&without, &with].map(|o| figure(o, "search", "solver_calls") as f64);
            shares.push((calls[1] / calls[0], format!("{name} {}: {calls:?}", edit.kind)));
        }
    }
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median = shares[shares.len() / 2].0;
    assert!(median <= 0.3, "{shares:#?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// One user proves, another one with rights of his own profits: at most a fifth of the solver calls.
#[test]
fn a_team_shares_a_store_on_a_server() {
    let Some(server) = test_server::TestServer::start("team") else { return };
    let folder = folder("team");
    let calls = |user: &str| {
        let url = server.url().replace("postgres@", &format!("{user}@"));
        let calls = PROGRAMS.map(|name| {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reuse");
            let text = std::fs::read_to_string(file.join(format!("{name}.c"))).unwrap();
            let object = verify(&text, &folder, Some(OsStr::new(&url)));
            figure(&object, "search", "solver_calls")
        });
        calls.iter().sum::<u64>()
    };
    let mut owner = postgres::Client::connect(&server.url(), postgres::NoTls).unwrap();
    owner
        .batch_execute(
            "CREATE ROLE first LOGIN; CREATE ROLE second LOGIN; \
                        GRANT CREATE ON DATABASE postgres TO first",
        )
        .unwrap();
    let first = calls("first");
    owner
        .batch_execute(
            "GRANT USAGE ON SCHEMA bolide TO second; \
                        GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA bolide TO second",
        )
        .unwrap();
    let second = calls("second");
    assert!(first > 0 && second * 5 <= first, "{first} solver calls, then {second}");
    std::fs::remove_dir_all(&folder).unwrap();
}

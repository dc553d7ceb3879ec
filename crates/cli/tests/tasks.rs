//! Task definitions as input, and BenchExec's view of the tool.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn verify(words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["verify", "--quiet"])
        .args(words)
        .current_dir(root())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).trim().to_owned())
}

#[test]
fn a_definition_stands_for_its_program() {
    let freed = "RESULT: false(valid-deref)".to_owned();
    assert_eq!(verify(&["tests/tasks/freed.yml"]), (Some(10), freed));
    let total = "RESULT: false(no-overflow)".to_owned();
    assert_eq!(verify(&["tests/tasks/total.yml"]), (Some(10), total));
    // Two properties: one has to be chosen, by name or by file.
    let (code, said) = verify(&["tests/tasks/count.yml"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("choose one, such as -p unreach-call or -p no-overflow"), "{said}");
    for property in ["unreach-call", "tests/tasks/no-overflow.prp"] {
        let (code, said) = verify(&["tests/tasks/count.yml", "-p", property]);
        assert_eq!((code, said.as_str()), (Some(0), "RESULT: true"), "{property}");
    }
    // What the user says wins.
    let (code, _) = verify(&["tests/tasks/total.yml", "-p", "div-by-zero", "--data-model", "LP64"]);
    assert_eq!(code, Some(0));
}

/// BenchExec's own test of tool-info modules, and its run of the definition, where it is installed.
#[test]
fn benchexec_understands_the_tool() {
    let installed = Command::new("python3").args(["-c", "import benchexec"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        eprintln!("BenchExec is not installed: skipped");
        return;
    }
    let folder = root().join("packaging/benchexec");
    let binary = Path::new(env!("CARGO_BIN_EXE_bolide")).parent().unwrap().to_owned();
    let script = "import sys\n\
        from tools import bolide\n\
        from benchexec.tools.template import BaseTool2 as B\n\
        from benchexec.util import ProcessExitCode as E\n\
        t = bolide.Tool()\n\
        e = t.executable(B.ToolLocator(use_path=False, use_current=False, tool_directory=sys.argv[1]))\n\
        print(t.name(), t.version(e))\n\
        task = B.Task.with_files(['a.i'], property_file='p.prp', options={'language': 'C', 'data_model': 'ILP32'})\n\
        limits = B.ResourceLimits(cputime=60, cputime_hard=None, walltime=None, memory=1000000000, cpu_cores=None)\n\
        print(' '.join(t.cmdline('bolide', ['--threads', '1'], task, limits)))\n\
        for code, words in [(0, 'true'), (10, 'false(valid-deref)'), (10, 'false(assert)'), (20, 'unknown')]:\n\
        \x20 run = B.Run(['bolide'], E.create(value=code), B.RunOutput(['RESULT: ' + words + '\\n']), None)\n\
        \x20 print(t.determine_result(run))\n\
        print(t.determine_result(B.Run(['bolide'], E.create(value=70), B.RunOutput([]), None)))\n";
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(binary)
        .env("PYTHONPATH", folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = format!(
        "Bolide {}\nbolide verify --no-config --quiet --property p.prp --data-model ILP32 --cpu-time 58s \
         --memory 900000000 --threads 1 a.i\ntrue\nfalse(valid-deref)\nfalse(assert)\nunknown\nERROR (internal)\n",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(said, expected, "{}", String::from_utf8_lossy(&output.stderr));
}

/// The benchmark definition with the real thing. It needs control groups, which not every machine lets it have.
#[test]
fn benchexec_runs_the_definition() {
    let results = std::env::temp_dir().join(format!("bolide-benchexec-{}", std::process::id()));
    let mut output = Command::new("benchexec");
    output.args(["--no-container", "--no-compress-results", "--tool-directory"]);
    output.arg(Path::new(env!("CARGO_BIN_EXE_bolide")).parent().unwrap());
    output.arg("-o").arg(format!("{}/", results.display()));
    output.arg(root().join("packaging/benchexec/bolide.xml"));
    output.env("PYTHONPATH", root().join("packaging/benchexec"));
    let output = output.env("PYTHONDONTWRITEBYTECODE", "1").output();
    let _ = std::fs::remove_dir_all(results);
    let Ok(output) = output else {
        // Not by `eprintln`, which is shown of failed tests only.
        let _ = writeln!(std::io::stderr(), "skipped: BenchExec is not installed (pip)");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let score = said.lines().find(|line| line.trim().starts_with("Score:")).unwrap_or("");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(score.contains("6 (max: 6)"), "{said}{complaint}");
}

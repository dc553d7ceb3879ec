//! `bolide bench` as a user meets it: the table, the files it writes, going on after
//! an interruption, comparisons, and other tools.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder with three tasks, removed when dropped.
struct Folder(PathBuf);

const SAFE: &str = "extern void reach_error(void);\nint main(void) {\n  int i = 0;\n  \
                    while (i < 5) i++;\n  if (i != 5) reach_error();\n  return 0;\n}\n";
const UNSAFE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                      int main(void) {\n  if (__VERIFIER_nondet_int() == 7) reach_error();\n  \
                      return 0;\n}\n";

impl Folder {
    fn new(name: &str) -> Folder {
        let folder =
            Folder(std::env::temp_dir().join(format!("bolide-{name}-{}", std::process::id())));
        std::fs::create_dir_all(folder.0.join("p")).unwrap();
        let definition = |file: &str, verdict: &str| {
            format!(
                "format_version: '2.0'\ninput_files: '{file}'\nproperties:\n  - property_file: \
                 p/unreach-call.prp\n    expected_verdict: {verdict}\n  - property_file: \
                 p/termination.prp\n    expected_verdict: true\noptions:\n  language: C\n  \
                 data_model: LP64\n"
            )
        };
        folder.write("p/unreach-call.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
        folder.write("safe.c", SAFE);
        folder.write("unsafe.c", UNSAFE);
        folder.write("a.yml", &definition("safe.c", "true"));
        folder.write("b.yml", &definition("unsafe.c", "false"));
        folder.write("all.set", "# both\n*.yml\n");
        folder.write(
            "lies.tsv",
            "file\tproperty\texpected\tdata_model\nsafe.c\tunreach-call\tfalse\tLP64\n",
        );
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn bench(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_bolide"))
            .current_dir(&self.0)
            .args(["bench", "--timeout", "60s"])
            .args(arguments)
            .output()
            .unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn out(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    format!("{}{errors}", String::from_utf8_lossy(&output.stdout))
}

#[test]
fn a_set_is_run_tabulated_and_drawn() {
    let folder = Folder::new("bench-set");
    let arguments = [
        "all.set",
        "--engine",
        "impact,predicate",
        "--jobs",
        "2",
        "--csv",
        "r.csv",
        "--svg",
        "r.svg",
        "--junit",
        "r.xml",
    ];
    let output = folder.bench(&arguments);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("impact: 2 tasks, right 2 (true 1, false 1), wrong 0, score 3"),
        "{text}"
    );
    let csv = folder.read("r.csv");
    let firsts: Vec<String> =
        csv.lines().map(|l| l.split(',').take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        firsts,
        [
            "task tool",
            "a.yml#unreach-call impact",
            "a.yml#unreach-call predicate",
            "b.yml#unreach-call impact",
            "b.yml#unreach-call predicate"
        ]
    );
    assert_eq!(folder.read("r.svg").matches("<polyline").count(), 2);
    assert!(folder.read("r.xml").contains("tests=\"2\" failures=\"0\""));

    // Nothing is run twice, and nothing is overwritten by accident.
    assert_eq!(folder.bench(&arguments).status.code(), Some(2));
    let lines: Vec<&str> = csv.lines().collect();
    // An interruption: one row, and half of the next.
    let cut = format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..20]);
    folder.write("r.csv", &cut);
    let output = folder.bench(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    let resumed = folder.read("r.csv");
    assert_eq!(resumed.lines().count(), 5);
    assert_eq!(resumed.lines().nth(1), Some(lines[1]), "the first row is the old one");
}

#[test]
fn wrong_verdicts_come_first_and_set_the_exit_code() {
    let folder = Folder::new("bench-wrong");
    let output = folder.bench(&["lies.tsv", "--csv", "lies.csv"]);
    assert_eq!(output.status.code(), Some(10), "{}", out(&output));
    assert!(out(&output).starts_with("WRONG safe.c#unreach-call by auto: said true"));
    folder.bench(&["a.yml", "--csv", "a.csv"]);
    let output = folder.bench(&["--compare", "a.csv", "lies.csv"]);
    assert_eq!(output.status.code(), Some(10), "{}", out(&output));
    let output = folder.bench(&["--compare", "lies.csv", "a.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert!(out(&output).contains("0 tasks in both"), "{}", out(&output));
}

#[test]
fn other_tools_are_run_by_their_command() {
    let folder = Folder::new("bench-tool");
    let tool = "cat=/bin/sh -c 'echo VERIFICATION FAILED; cat $0; exit 3' {file}";
    let output = folder.bench(&["all.set", "--tool", tool, "--csv", "t.csv"]);
    // The safe program is called unsafe: that is wrong.
    assert_eq!(output.status.code(), Some(10), "{}", out(&output));
    assert!(out(&output).contains("right 1 (true 0, false 1), wrong 1, score -15"));
    let output = folder.bench(&["all.set", "--tool", "none={file}-missing"]);
    assert!(out(&output).contains("failed 2"), "{}", out(&output));
    for bad in [&["nothing.set"][..], &["a.yml", "--tool", "x"], &["a.yml", "--shard", "3/2"]] {
        assert_eq!(folder.bench(bad).status.code(), Some(2), "{bad:?}");
    }
}

#[test]
fn shards_share_the_tasks() {
    let folder = Folder::new("bench-shard");
    let tasks = |shard: &str| {
        let file = format!("{}.csv", shard.replace('/', "-"));
        folder.bench(&["all.set", "--shard", shard, "--csv", &file]);
        let csv = folder.read(&file);
        csv.lines().skip(1).map(|l| l.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(tasks("1/2"), ["a.yml#unreach-call"]);
    assert_eq!(tasks("2/2"), ["b.yml#unreach-call"]);
}

/// The parts of a plan are run by number, each as often as a scheduler likes, and joined.
#[test]
fn a_plan_is_run_in_parts() {
    let folder = Folder::new("bench-plan");
    let bolide = |arguments: &[&str], part: &str| {
        Command::new(env!("CARGO_BIN_EXE_bolide"))
            .current_dir(&folder.0)
            .args(["plan"])
            .args(arguments)
            .env("JOB_COMPLETION_INDEX", part)
            .output()
            .unwrap()
    };
    let new = ["new", "p.json", "--parts", "2", "--", "bench", "all.set", "--timeout", "60s"];
    assert_eq!(bolide(&new, "").status.code(), Some(0));
    assert!(folder.read("p.json").contains("\"matrix\": ["));
    for part in ["0", "0"] {
        let output = bolide(&["run", "p.json"], part);
        assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    }
    let early = bolide(&["merge", "p.json", "-o", "all.csv"], "");
    assert_eq!(early.status.code(), Some(2), "{}", out(&early));
    assert!(out(&early).contains("not at their end: parts 1"), "{}", out(&early));
    assert_eq!(bolide(&["run", "p.json", "--part", "1"], "0").status.code(), Some(0));
    assert_eq!(bolide(&["run", "p.json"], "2").status.code(), Some(2), "there are two parts");
    assert_eq!(bolide(&["run", "p.json"], "").status.code(), Some(2), "which part?");
    assert_eq!(bolide(&["merge", "p.json", "-o", "all.csv"], "").status.code(), Some(0));
    let rows = folder.read("all.csv");
    let verdict = |line: &str| line.split(',').nth(4).unwrap().to_owned();
    let verdicts: Vec<String> = rows.lines().skip(1).map(verdict).collect();
    assert_eq!(verdicts, ["true", "false(unreach-call)"], "{rows}");
    let shard = ["new", "q.json", "--parts", "2", "--", "bench", "all.set", "--shard", "1/2"];
    assert_eq!(bolide(&shard, "").status.code(), Some(2));
}

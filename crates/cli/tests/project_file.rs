//! `bolide.toml`: what it says counts for each command unless a flag says otherwise, what it accepts makes
//! no scan fail, and mistakes in it are told with their place.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

struct Project(PathBuf);

impl Project {
    fn new(name: &str) -> Project {
        let path = std::env::temp_dir().join(format!("bolide-toml-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("src/old")).unwrap();
        Project(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.0);
        for (name, value) in [("NAME", "a"), ("EMAIL", "a@example.org")] {
            command.env(format!("GIT_AUTHOR_{name}"), value);
            command.env(format!("GIT_COMMITTER_{name}"), value);
        }
        command.env("BOLIDE", env!("CARGO_BIN_EXE_bolide")).output().unwrap()
    }

    /// Exit code, and both outputs.
    fn bolide(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.run(env!("CARGO_BIN_EXE_bolide"), arguments);
        (output.status.code(), text(&output))
    }

    fn git(&self, arguments: &[&str]) {
        let output = self.run("git", arguments);
        assert!(output.status.success(), "git {arguments:?}: {}", text(&output));
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(output: &Output) -> String {
    let (out, errors) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(errors))
}

const DIVIDES: &str = "extern int read_it(void);\nint main(void) {\n  return 10 / read_it();\n}\n";

#[test]
fn the_file_stands_for_flags_and_flags_win() {
    let project = Project::new("flags");
    project.write("src/a.c", DIVIDES);
    project.write("stub.c", "int read_it(void) { return 5; }\n");
    // Nothing is asserted; with the property there is a violation.
    project.write("bolide.toml", "properties = [\"div-by-zero\"]\n[limits]\ntimeout = \"30s\"\n");
    let (code, words) = project.bolide(&["verify", "-q", "src/a.c"]);
    assert_eq!((code, words.trim()), (Some(10), "RESULT: false(div-by-zero)"));
    // The user's flag wins, and so does wanting no file.
    let (code, words) = project.bolide(&["verify", "-q", "src/a.c", "-p", "no-overflow"]);
    assert_eq!(code, Some(0), "{words}");
    let (code, words) = project.bolide(&["verify", "-q", "src/a.c", "--no-config", "-p", "assert"]);
    assert_eq!(code, Some(0), "{words}");
    // A stub gives the function a body, for verify and for a scan alike.
    let with_stub = "properties = [\"div-by-zero\"]\n[files]\nstubs = [\"stub.c\"]\n";
    project.write("bolide.toml", with_stub);
    assert_eq!(project.bolide(&["verify", "-q", "src/a.c"]).0, Some(0));
    let (code, words) = project.bolide(&["scan", "--quiet"]);
    assert_eq!(code, Some(0), "{words}");
    // From below, names are still relative to the file.
    let (code, words) = project.bolide(&["verify", "-q", "./src/../src/a.c"]);
    assert_eq!(code, Some(0), "{words}");
}

#[test]
fn models_and_patterns() {
    let project = Project::new("models");
    let program = "extern void log_it(int *);\nint main(void) {\n  int x = 1;\n  log_it(&x);\n  return 10 / x;\n}\n";
    project.write("src/a.c", program);
    project.write("src/old/b.c", DIVIDES);
    let settings = "properties = [\"div-by-zero\"]\n[files]\nexclude = [\"src/old\"]\n";
    project.write("bolide.toml", settings);
    // What the function may have done to its argument, nobody can show.
    let (code, words) = project.bolide(&["scan", "-q"]);
    assert_eq!(code, Some(20), "{words}");
    assert!(!words.contains("b.c"), "{words}");
    project.write("bolide.toml", &format!("{settings}[models]\nlog_it = \"pure\"\n"));
    assert_eq!(project.bolide(&["verify", "-q", "src/a.c"]).0, Some(0));
    let (code, words) = project.bolide(&["scan", "-q"]);
    assert_eq!(code, Some(0), "{words}");
}

#[test]
fn accepted_findings_are_told_and_do_not_count() {
    let project = Project::new("accepted");
    project.write("src/a.c", DIVIDES);
    let property = "properties = [\"div-by-zero\"]\n";
    let rule = |reason: &str| {
        format!(
            "{property}[[suppress]]\nproperty = \"div-by-zero\"\nfile = \"src/*.c\"\n\
             function = \"main\"\nreason = \"{reason}\"\nowner = \"alice\"\n"
        )
    };
    project.write("bolide.toml", &rule("the device sends no zero"));
    let (code, words) = project.bolide(&["scan", "-q", "--sarif", "log.sarif"]);
    assert_eq!(code, Some(0), "{words}");
    assert!(words.contains("(accepted: the device sends no zero (alice))"), "{words}");
    let log = std::fs::read_to_string(project.0.join("log.sarif")).unwrap();
    let log: Value = serde_json::from_str(&log).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["suppressions"][0]["justification"], "the device sends no zero (alice)");
    assert!(result["partialFingerprints"]["primaryLocationLineHash"].is_string(), "{result}");
    // A single program stays violated, and the reason is told.
    let (code, words) = project.bolide(&["verify", "src/a.c"]);
    assert_eq!(code, Some(10), "{words}");
    assert!(words.contains("accepted: the device sends no zero (alice)"), "{words}");
    // Without a reason nothing is accepted.
    project.write("bolide.toml", &rule(" "));
    let (code, words) = project.bolide(&["scan", "-q"]);
    assert_eq!(code, Some(10), "{words}");
    assert!(words.contains("without a reason and an owner does not count"), "{words}");
    assert!(words.contains("bolide.toml:2:1"), "{words}");
    // What stood in the log of an earlier scan is no news; what is new counts.
    let baseline = "[baseline]\nfile = \"log.sarif\"\nreason = \"before us\"\nowner = \"bob\"\n";
    project.write("bolide.toml", &format!("{property}{baseline}"));
    let (code, words) = project.bolide(&["scan", "-q"]);
    assert_eq!(code, Some(0), "{words}");
    project.write("src/new.c", &DIVIDES.replace("10", "11"));
    let (code, words) = project.bolide(&["scan", "-q"]);
    assert_eq!(code, Some(10), "{words}");
}

#[test]
fn mistakes_are_told_with_their_place() {
    let project = Project::new("mistakes");
    project.write("src/a.c", DIVIDES);
    let cases = [
        ("properties = [\"no-overfow\"]\n", "did you mean `no-overflow`?", "bolide.toml:1:15"),
        ("engine = \"impcat\"\n", "did you mean `impact`?", "bolide.toml:1:10"),
        ("[limits]\ntimeout = \"soon\"\n", "soon", "bolide.toml:2:11"),
        ("[limits]\ntimout = \"1s\"\n", "unknown field `timout`", "bolide.toml:2:1"),
        ("x = [\n", "", "bolide.toml:"),
        ("[[suppress]]\nreason = \"r\"\nowner = \"o\"\n", "of everything", "bolide.toml:1:1"),
    ];
    for (text, words, place) in cases {
        project.write("bolide.toml", text);
        for command in [&["verify", "-q", "src/a.c"][..], &["scan", "-q", "."]] {
            let (code, said) = project.bolide(command);
            assert_eq!(code, Some(2), "{text}: {said}");
            assert!(said.contains(words) && said.contains(place), "{text}: {said}");
        }
    }
}

/// What was found out is kept before a violation makes the job red: a failed job keeps nothing.
#[test]
fn the_action_keeps_answers_of_red_jobs() {
    let action = include_str!("../../../action.yml");
    let at = |words: &str| action.find(words).unwrap_or_else(|| panic!("{words}"));
    assert!(at("cache/restore@") < at("action.sh scan"));
    assert!(at("action.sh scan") < at("cache/save@") && at("cache/save@") < at("!= 10"));
}

/// The action's own script on a repository with a base branch: only what changed is verified, and the
/// summary says what became of it.
#[test]
fn the_action_scans_what_changed() {
    let project = Project::new("action");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../action.sh");
    let two = "int half(int x) {\n  return x / 2;\n}\n\nint share(int sum, int n) {\n  return n > 0 ? sum / n : 0;\n}\n";
    project.write("src/a.c", two);
    project.write("bolide.toml", "properties = [\"div-by-zero\"]\n[files]\neach-function = true\n");
    project.write(".gitignore", "*.sarif\n.bolide-cache\n.bolide\n*.md\noutput\n");
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "first"]);
    let scan = |base: &str| {
        let _ = std::fs::remove_file(project.0.join("summary.md"));
        let output = Command::new(script)
            .arg("scan")
            .current_dir(&project.0)
            .env("BOLIDE", env!("CARGO_BIN_EXE_bolide"))
            .env("BASE", base)
            .env("GITHUB_STEP_SUMMARY", project.0.join("summary.md"))
            .env("GITHUB_OUTPUT", project.0.join("output"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output));
        std::fs::read_to_string(project.0.join("summary.md")).unwrap()
    };
    // The base branch, once: its answers are kept.
    assert!(scan("").contains("2 proved, 0 violated"));
    project.git(&["checkout", "-q", "-b", "topic"]);
    // A change, a new function, and one that only moved.
    let changed = two.replace("n > 0 ? sum / n : 0", "sum / n");
    project.write("src/a.c", &format!("\n{changed}\nint twice(int x) {{\n  return x / 1;\n}}\n"));
    project.git(&["commit", "-q", "-a", "-m", "second"]);
    let summary = scan("main");
    assert!(summary.contains("2 changed since `main`, 0 removed"), "{summary}");
    let row = |name: &str| summary.lines().find(|l| l.contains(&format!("`{name}`")));
    let share = row("share").expect("it is in the table");
    assert!(share.contains("| div-by-zero | **false**: "), "{share}");
    assert!(share.ends_with("| code; was true |"), "{share}");
    assert!(row("twice").expect("it is in the table").ends_with("| new |"), "{summary}");
    assert_eq!(row("half"), None, "{summary}");
    let output = std::fs::read_to_string(project.0.join("output")).unwrap();
    assert!(output.ends_with("exit=10\n"), "{output}");
    // Mended: the same command, green.
    project.write("src/a.c", two);
    project.git(&["commit", "-q", "-a", "-m", "third"]);
    assert!(scan("main").contains("Nothing that is verified has changed."));
}

#[test]
fn proofs_run_where_something_changed() {
    let project = Project::new("prove");
    project.write("push.c", "unsigned head, count; unsigned char ring[8];\nint push(void) { if (count == 8) return 0; ring[(head + count) % 8] = 1; count++; return 1; }\n");
    project.write("harness.c", "extern unsigned count; int push(void); unsigned nondet_uint(void);\nvoid right(void) { count = nondet_uint() % 9; push(); __VERIFIER_assert(count <= 8); }\nvoid wrong(void) { push(); __VERIFIER_assert(count == 0); }\n");
    let proof = |name: &str, expect: &str| {
        format!(
            "[[proof]]\nname = \"{name}\"\nfiles = [\"harness.c\", \"push.c\"]\nentry = \"{name}\"\nexpect = \"{expect}\"\n"
        )
    };
    project.write("bolide.toml", &(proof("right", "true") + &proof("wrong", "false")));
    let (code, said) = project.bolide(&["prove"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 of 2 as expected") && said.matches(" s  new").count() == 2, "{said}");
    let (_, said) = project.bolide(&["prove", "--quiet"]);
    assert_eq!(said.matches(" s  nothing").count(), 2, "{said}");
    // The code changes for the worse.
    let text = std::fs::read_to_string(project.0.join("push.c")).unwrap();
    project.write("push.c", &text.replace("count == 8", "count == 9"));
    let (code, said) =
        project.bolide(&["prove", "--junit", "j.xml", "--summary", "s.md", "--sarif", "x.sarif"]);
    assert_eq!(code, Some(10), "{said}");
    assert!(said.contains("was true") && said.contains("expected true; harness.c:2"), "{said}");
    let read = |name: &str| std::fs::read_to_string(project.0.join(name)).unwrap();
    assert!(read("j.xml").contains("failures=\"1\""), "{}", read("j.xml"));
    assert!(read("s.md").contains("| `right` | **false** |"), "{}", read("s.md"));
    let log: Value = serde_json::from_str(&read("x.sarif")).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(2));
    let (code, said) = project.bolide(&["prove", "rihgt"]);
    assert!(code == Some(2) && said.contains("did you mean `right`"), "{said}");
    project.write("bolide.toml", &(proof("right", "true") + &proof("right", "true")));
    let (code, said) = project.bolide(&["prove"]);
    assert!(code == Some(2) && said.contains("two proofs are called `right`"), "{said}");
}

#[test]
fn proofs_for_cbmc_are_imported() {
    let project = Project::new("import");
    std::fs::create_dir_all(project.0.join("proofs/add")).unwrap();
    std::fs::create_dir_all(project.0.join("proofs/broken")).unwrap();
    project.write("src/add.c", "unsigned add(unsigned x) { return x > LIMIT ? x : x + 1; }\n");
    project.write("proofs/common.mk", "ROOT = $(CURDIR)/../..\nDEFINES += -DLIMIT=\"(1 + 1)\"\n");
    project.write(
        "proofs/add/Makefile",
        "include ../common.mk\nHARNESS_ENTRY = add_harness\nPROOF_SOURCES += add_harness.c\nPROJECT_SOURCES += $(ROOT)/src/add.c\nREMOVE_FUNCTION_BODY += log_it\n",
    );
    project.write(
        "proofs/add/add_harness.c",
        "unsigned add(unsigned); void log_it(void) { add(0); }\nvoid add_harness(void) { unsigned x; log_it(); __CPROVER_assert(add(x) > 0, \"more\"); }\n",
    );
    project.write("proofs/broken/Makefile", "include ../nowhere.mk\n");
    let (code, said) = project.bolide(&["prove", "--import", "cbmc", "proofs"]);
    assert!(code == Some(2) && said.contains("`proofs/broken`: make says"), "{said}");
    let (code, said) = project.bolide(&["prove", "--import", "cbmc", "proofs/add"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("name = \"add\"\nfiles = [\"src/add.c\"]\n"), "{said}");
    assert!(said.contains("\"--remove-body\", \"log_it\", \"-D\", \"LIMIT=(1 + 1)\""), "{said}");
    project.write("bolide.toml", &said);
    let (code, said) = project.bolide(&["prove"]);
    assert!(code == Some(0) && said.contains("1 of 1 as expected"), "{said}");
}

#[test]
fn proofs_tell_what_they_cover() {
    let project = Project::new("cover");
    project.write(
        "half.c",
        "int nondet_int(void);\nint half(int x) {\n  if (x < 0)\n    return -1;\n  return x / 2;\n}\nint main(void) {\n  int x = nondet_int();\n  __VERIFIER_assume(x > 10);\n  __VERIFIER_assert(half(x) > 4);\n}\n",
    );
    // The file has another name, and its property is violated by nothing that is asserted.
    project.write(
        "other.toml",
        "properties = [\"assert\", \"div-by-zero\"]\n[[proof]]\nname = \"half\"\nfiles = [\"half.c\"]\nowner = \"<me>\"\n",
    );
    let prove = ["prove", "--config", "other.toml", "--coverage", "--report", "pages"];
    let (code, said) = project.bolide(&prove);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("never: half.c:3 (the condition holds), half.c:4"), "{said}");
    let page = std::fs::read_to_string(project.0.join("pages/index.html")).unwrap();
    assert!(page.contains("half.c:4") && page.contains("<td>&lt;me&gt;"), "{page}");
    project.write("half.c", "int nondet_int(void);\nint main(void) { return 8 / nondet_int(); }\n");
    let (code, said) = project.bolide(&["prove", "--config", "other.toml"]);
    assert!(code == Some(10) && said.contains("expected true; half.c:2"), "{said}");
}

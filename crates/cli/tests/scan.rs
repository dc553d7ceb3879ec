//! Scans of small projects: verdicts by function, the cache, shards and their
//! union, vacuous verdicts.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Project(PathBuf);

impl Project {
    fn new(name: &str) -> Project {
        let path = std::env::temp_dir().join(format!("bolide-scan-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("src")).unwrap();
        Project(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn bolide(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_bolide"))
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    fn log(&self, name: &str) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.0.join(name)).unwrap()).unwrap()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn out(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

const SAFE: &str =
    "int twice(int x) {\n  if (x > 1000 || x < -1000)\n    return 0;\n  return 2 * x;\n}\n";
const UNSAFE: &str = "int share(int sum, int count) {\n  return sum / count;\n}\n";

#[test]
fn functions_are_verified_once_and_again_when_they_change() {
    let project = Project::new("cache");
    project.write("src/a.c", &SAFE.replace("twice", "double_it"));
    project.write("src/b.c", &format!("{SAFE}{UNSAFE}"));
    let scan = [
        "scan",
        "src",
        "--each-function",
        "-p",
        "div-by-zero",
        "-p",
        "no-overflow",
        "--sarif",
        "log.sarif",
    ];
    let output = project.bolide(&scan);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(10), "{text}");
    assert!(text.contains("src/b.c:7: ") && text.contains("[div-by-zero]"), "{text}");
    assert!(!text.contains("from before"), "{text}");
    let log = project.log("log.sarif");
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|r| r["ruleId"] == "div-by-zero" && r["level"] == "warning"));
    assert!(results.iter().all(|r| r["codeFlows"][0]["threadFlows"].is_array()));

    // Nothing changed: nothing is verified.
    let text = out(&project.bolide(&scan));
    assert!(text.contains("6 of 6 answers were known from before"), "{text}");

    // The violation is mended, and moved: its own answers are no longer known.
    let mended = UNSAFE.replace("return sum / count", "return count > 0 ? sum / count : 0");
    project.write("src/b.c", &format!("{SAFE}\n\n{mended}"));
    let output = project.bolide(&scan);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("4 of 6 answers were known from before"), "{text}");
}

/// The index leads to the failing step; an interrupted scan counts what was running.
#[test]
fn the_index_leads_to_the_step_and_interrupts_are_unknown() {
    let project = Project::new("index");
    project.write("src/a.c", UNSAFE);
    let scan = ["scan", "src", "--each-function", "-p", "div-by-zero", "--report", "pages"];
    assert_eq!(project.bolide(&scan).status.code(), Some(10));
    let index = std::fs::read_to_string(project.0.join("pages/index.html")).unwrap();
    let link = "<a href=\"src-a-c-share-div-by-zero.html#step=last\">src/a.c:2</a>";
    assert!(index.contains(link), "{index}");
    project.write("src/a.c", "int work(unsigned a) {\n  unsigned b = a * a * a, i = 0;\n  while (i < a) {\n    i++;\n    b = b * i + a % (i + 1);\n  }\n  return 1 / (b * b != 3 * a + 77777);\n}\n");
    let child = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(&scan[..5])
        .args(["--timeout", "100s"])
        .current_dir(&project.0)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = out(&output);
    assert_eq!(output.status.code(), Some(20), "{text}");
    let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row, ["src/a.c", "0", "0", "1", "0"], "{text}");
}

#[test]
fn shards_together_are_the_whole() {
    let project = Project::new("shards");
    project.write("src/a.c", &format!("{SAFE}{UNSAFE}"));
    let run = |shard: &str, file: &str| {
        project.bolide(&[
            "scan",
            "src",
            "--each-function",
            "-p",
            "div-by-zero",
            "--shard",
            shard,
            "--sarif",
            file,
        ])
    };
    assert_eq!(run("1/2", "1.sarif").status.code(), Some(0));
    assert_eq!(run("2/2", "2.sarif").status.code(), Some(10));
    let output = project.bolide(&["merge", "1.sarif", "2.sarif", "-o", "all.sarif"]);
    assert_eq!(output.status.code(), Some(10), "{}", out(&output));
    let log = project.log("all.sarif");
    assert_eq!(log["runs"][0]["properties"]["bolide/units"].as_array().map(Vec::len), Some(2));
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(1));
}

#[test]
fn vacuous_verdicts_are_flagged_and_bad_files_left_out() {
    let project = Project::new("vacuous");
    let declarations = "extern void __VERIFIER_assume(int);\nextern int __VERIFIER_nondet_int(void);\n\
                        void __assert_fail(void);\n#define assert(c) ((c) ? (void)0 : __assert_fail())\n";
    project.write(
        "src/contradiction.c",
        &format!(
            "{declarations}int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  \
             __VERIFIER_assume(x > 3);\n  __VERIFIER_assume(x < 2);\n  return 10 / x;\n}}\n"
        ),
    );
    project.write("src/nothing.c", "int main(void) { return 0; }\n");
    project.write(
        "src/fine.c",
        "int main(int argc, char **argv) {\n  return argc > 0 ? 10 / argc : 0;\n}\n",
    );
    project.write("src/bad.c", "int main(void) { return ;;; ) }\n");
    let output = project.bolide(&[
        "scan",
        "src",
        "-p",
        "div-by-zero",
        "--report",
        "pages",
        "--sarif",
        "l.sarif",
    ]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("src/bad.c` is left out"), "{text}");
    assert!(text.contains("contradiction.c:5: `main` is safe for want"), "{text}");
    assert!(text.contains("contradict each other"), "{text}");
    assert!(text.contains("nothing.c:1: `main` is safe for want"), "{text}");
    assert!(!text.contains("fine.c:1: `main` is safe for want"), "{text}");
    let index = std::fs::read_to_string(project.0.join("pages/index.html")).unwrap();
    let link = index.split("href=\"").nth(2).unwrap().split('"').next().unwrap();
    assert!(Path::new(&project.0).join("pages").join(link).exists(), "{link}");
}

#[test]
fn flags_come_from_the_compilation_database() {
    let project = Project::new("database");
    std::fs::create_dir_all(project.0.join("include")).unwrap();
    project.write("include/k.h", "#define K 0\n");
    project.write("src/a.c", "#include \"k.h\"\nint main(void) { return 10 / K; }\n");
    project.write("src/other.c", "int main(void) { return 1; }\n");
    project.write(
        "compile_commands.json",
        r#"[{"directory": ".", "file": "src/a.c", "command": "gcc -Iinclude -c src/a.c"}]"#,
    );
    let output = project.bolide(&["scan", ".", "-p", "div-by-zero"]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(10), "{text}");
    assert!(!text.contains("other.c"), "only what the database lists: {text}");
}

/// Without a compilation database the headers of the project itself are found; and arguments
/// that live in memory, here for their union and their array, have any value.
#[test]
fn headers_of_the_project_and_records_as_arguments() {
    let project = Project::new("headers");
    project.write(
        "entry.h",
        "typedef struct { unsigned char kind; union { int count; char *text; } of; int last[2]; } \
         Entry;\n",
    );
    project.write(
        "src/entry.c",
        "#include \"entry.h\"\nint share(Entry e) {\n  if (e.kind == 1)\n    return 100 / \
         e.of.count;\n  return 0;\n}\nint pick(Entry e) {\n  if (e.last[0] == 0 || e.kind != 1)\n    \
         return 0;\n  return 7 % e.last[0];\n}\n",
    );
    let text = out(&project.bolide(&["scan", ".", "--each-function", "-p", "div-by-zero"]));
    assert!(text.contains("src/entry.c       1      1        0      0"), "{text}");
    assert!(text.contains("src/entry.c:4: "), "{text}");
    assert!(!text.contains("left out"), "{text}");
}

#[test]
fn contracts_are_entries_and_other_files_come_along() {
    let project = Project::new("linked");
    // Alone, `limit` may return anything: 0 too.
    project.write(
        "src/main.c",
        "int limit(int x);\nint __VERIFIER_nondet_int(void);\nint main(void) {\n  return 10 / \
         limit(__VERIFIER_nondet_int());\n}\n",
    );
    project.write(
        "src/limit.c",
        "static int least(void) { return 1; }\nint limit(int x) {\n  return x > 1 ? x : least();\n}\n",
    );
    // Another program of the same project with a helper of the same name as nothing here.
    project.write("src/other.c", "int main(void) { return 0; }\n");
    project.write(
        "src/list.c",
        "struct node { struct node *next; };\n/*@ requires \\valid(n); ensures n->next == m; */\n\
         void set(struct node *n, struct node *m) {\n  n->next = m;\n}\n",
    );
    let scan = ["scan", "src", "-p", "div-by-zero", "--sarif", "log.sarif"];
    let output = project.bolide(&scan);
    let text = out(&output);
    let log = project.log("log.sarif");
    let units = log["runs"][0]["properties"]["bolide/units"].as_array().unwrap().clone();
    let unit = |entry: &str, file: &str| {
        let found = units
            .iter()
            .find(|u| u["entry"] == entry && u["file"].as_str().is_some_and(|f| f.ends_with(file)));
        found.unwrap_or_else(|| panic!("{entry} of {file}: {text}")).clone()
    };
    let main = unit("main", "main.c");
    assert_eq!(main["verdict"], "true", "{text}");
    assert_eq!(main["assumptions"].as_array().map(Vec::len), Some(0), "{main}");
    let set = unit("set", "list.c");
    assert_eq!((&set["verdict"], &set["property"]), (&"true".into(), &"contract".into()), "{text}");
    assert_eq!(units.len(), 3, "{text}");

    // What is linked belongs to the content: with another helper the answer is another.
    project.write("src/limit.c", "int limit(int x) {\n  return x > 1 ? x : 0;\n}\n");
    let output = project.bolide(&scan);
    assert_eq!(output.status.code(), Some(10), "{}", out(&output));
}

#[test]
fn checks_in_dead_code_are_flagged() {
    let project = Project::new("dead");
    project.write(
        "src/a.c",
        "int main(int argc, char **argv) {\n  int k = 3;\n  if (k > 4)\n    return 10 / argc;\n  \
         return 10 / k;\n}\n",
    );
    let output = project.bolide(&["scan", "src", "-p", "div-by-zero"]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("comes to the checks at src/a.c:4: they are dead code"), "{text}");
}

#[test]
fn a_scan_says_why_there_are_unknowns() {
    let project = Project::new("unknowns");
    let program = "int iswalnum(unsigned x);\nint main(void) { return 10 / iswalnum(65); }\n";
    project.write("src/one.c", program);
    project.write("src/two.c", program);
    let text = out(&project.bolide(&["scan", ".", "-p", "div-by-zero"]));
    assert!(text.contains("unknown because: `iswalnum` has no model: 2\n"), "{text}");
    let again = out(&project.bolide(&["scan", ".", "-p", "div-by-zero"]));
    assert!(again.contains("unknown because: `iswalnum` has no model: 2\n"), "{again}");
}

/// A function without a harness is called as a sane caller would: what is wrong then is told, and nothing else.
#[test]
fn functions_are_called_as_a_sane_caller_would() {
    let text = |bound: &str| {
        format!(
            "#include <stddef.h>\n\
             struct box {{ int *items; size_t used, capacity; }};\n\
             int sum(const int *values, size_t count) {{\n\
               unsigned all = 0;\n\
               for (size_t i = 0; i {bound} count; i++) all += values[i];\n\
               return all > 3;\n\
             }}\n\
             size_t blanks(const char *text) {{\n\
               size_t n = 0;\n\
               while (text[n] == ' ') n++;\n\
               return n;\n\
             }}\n\
             int last(const struct box *box) {{\n\
               return box->used ? box->items[box->used - 1] : 0;\n\
             }}\n"
        )
    };
    let scan = ["scan", "src", "--each-function", "-p", "valid-deref"];
    let project = Project::new("sane");
    project.write("src/a.c", &text("<"));
    let right = project.bolide(&scan);
    assert!(!out(&right).contains("outside of live memory"), "{}", out(&right));
    project.write("src/a.c", &text("<="));
    let wrong = out(&project.bolide(&scan));
    assert!(wrong.contains("a.c:5: `values[i]` reads outside of live memory"), "{wrong}");
    assert!(!wrong.contains("text[n]") && !wrong.contains("items"), "{wrong}");
    let strange = [&scan[..], &["--arguments", "any"]].concat();
    let all = out(&project.bolide(&strange));
    assert!(all.contains("text[n]") && all.contains("nothing constrains"), "{all}");
}

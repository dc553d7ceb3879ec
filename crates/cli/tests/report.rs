//! The report in a real browser: it loads without complaints, walking through
//! the trace marks the right lines, the drawing appears.
//!
//! Needs Chromium (Debian: `apt install chromium`); without one the tests say
//! so on standard error and check the text of the page only.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bolide-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bolide(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bolide"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .args(arguments)
        .output()
        .unwrap()
}

/// The page as the browser has it after its scripts ran; none without a browser.
fn browse(folder: &Path, page: &Path, fragment: &str) -> Option<String> {
    let browser = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(browser) = browser else {
        // Past the capture of the test harness: whoever reads the log shall see it.
        let _ = writeln!(std::io::stderr(), "no browser is installed: the page was not opened");
        return None;
    };
    let output = Command::new("timeout")
        .arg("100")
        .arg(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--window-size=1400,1500", "--virtual-time-budget=2000"])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}{fragment}", page.display()))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<&str> = log.lines().filter(|l| l.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(page.contains("has-js"), "the script did not run: {log}");
    Some(page)
}

/// The start tag of the element with this id.
fn tag<'a>(page: &'a str, id: &str) -> &'a str {
    let at = page.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
    let start = page[..at].rfind('<').unwrap();
    let end = at + page[at..].find('>').unwrap();
    &page[start..=end]
}

#[test]
fn walking_the_trace_marks_lines_and_edges() {
    let folder = Folder::new("report-false");
    let page = folder.0.join("report.html");
    let path = page.to_str().unwrap();
    let program = "examples/overflow.c";
    let output = bolide(&["verify", "-p", "no-overflow", program, "--report", path]);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(tag(&text, "verdict").contains("badge false"));
    // Readable without a script: executed lines, the violation, values.
    assert!(tag(&text, "f0L12").contains("l ran") && tag(&text, "f0L5").contains("l bad"));
    assert!(text.contains("data-n=\"low\" data-v=\""));

    let Some(dom) = browse(&folder.0, &page, "#step=4") else { return };
    assert!(tag(&dom, "f0L12").contains("now"), "{}", tag(&dom, "f0L12"));
    assert!(!tag(&dom, "f0L8").contains("now"));
    let steps = dom.matches("<li data-l").count();
    assert!(dom.contains(&format!("step 4 of {steps}")));
    let values = &dom[dom.find("id=\"values\"").unwrap()..];
    assert!(values[..values.find("</tbody>").unwrap()].contains("<td>low</td>"));
    let view = &dom[dom.find("id=\"view\"").unwrap()..];
    assert!(view.contains("<svg") && view.contains("edge path now"), "the edge is marked");

    let dom = browse(&folder.0, &page, &format!("#step={steps}")).unwrap();
    assert!(tag(&dom, "f0L5").contains("now"), "the last step is the violation");
    assert!(!tag(&dom, "f0L12").contains("now"));
}

/// The heap at each step: a cell that was freed, and who still points to it.
#[test]
fn the_heap_is_drawn_at_each_step() {
    let folder = Folder::new("report-heap");
    let page = folder.0.join("report.html");
    let path = page.to_str().unwrap();
    let output = bolide(&["verify", "-p", "valid-memsafety", "examples/list.c", "--report", path]);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let text = std::fs::read_to_string(&page).unwrap();
    let Some(dom) = browse(&folder.0, &page, "#step=4") else { return };
    let heap = |dom: &str| -> String {
        let start = dom.find("id=\"heap\"").expect("there is a place for the heap");
        dom[start..start + dom[start..].find("</div>").unwrap()].to_owned()
    };
    let before = heap(&dom);
    assert!(before.contains(">heap#1</text>") && before.contains(">cell</text>"), "{before}");
    assert!(before.contains(">next = NULL</text>") && !before.contains("freed"), "{before}");
    let steps = text.matches("<li data-l").count();
    let after = heap(&browse(&folder.0, &page, &format!("#step={steps}")).unwrap());
    assert!(after.contains(">list</text>") && after.contains(">freed</text>"), "{after}");
}

#[test]
fn a_proof_shows_invariants_and_the_drawing() {
    let folder = Folder::new("report-true");
    let page = folder.0.join("report.html");
    let output = bolide(&[
        "verify",
        "examples/lock.c",
        "--engine",
        "impact",
        "--report",
        page.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("<div class=\"note\">invariant: "));
    assert!(text.contains("obligations anew"));
    assert!(text.contains("<optgroup label=\"search of impact\">"), "the search is drawn");
    assert!(text.contains(">proof</option>") && text.contains(">main</option>"));
    assert!(text.contains("in the solver</span>"), "the solver's time is there");
    let Some(dom) = browse(&folder.0, &page, "#graphs") else { return };
    let view = &dom[dom.find("id=\"view\"").unwrap()..dom.find("id=\"graph-0\"").unwrap()];
    assert!(view.contains("<svg") && view.contains("id=\"L"), "the drawing is there");
    assert!(view.contains(">line 19</text>"), "the unwinding names the loop: {view}");
    assert!(view.contains("edge cover"), "and shows what covers what");
}

/// A program of ten thousand lines: the report stays small and the trace can be walked.
#[test]
fn large_programs_stay_usable() {
    let folder = Folder::new("report-large");
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nint total;\n");
    let functions = 1000;
    for i in 0..functions {
        text += &format!(
            "int step{i}(int x) {{\n  int y = x;\n  if (x > {i}) {{\n    y = y - 1;\n    total = \
             total + 1;\n  }} else {{\n    y = y + 1;\n  }}\n  return y;\n}}\n"
        );
    }
    text += "int main(void) {\n  int x = 5;\n";
    for i in 0..functions {
        text += &format!("  x = step{i}(x);\n");
    }
    text += "  return 100 / (x - x);\n}\n";
    assert!(text.lines().count() > 10_000);
    let program = folder.0.join("large.c");
    std::fs::write(&program, text).unwrap();
    let page = folder.0.join("report.html");
    let output = bolide(&[
        "verify",
        "-p",
        "div-by-zero",
        program.to_str().unwrap(),
        "--report",
        page.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let size = std::fs::metadata(&page).unwrap().len();
    assert!(size < 10 << 20, "{size} bytes");
    let Some(dom) = browse(&folder.0, &page, "#step=9999") else { return };
    // The line of the division, two before the end.
    let line = 2 + 10 * functions + 2 + functions + 1;
    assert!(tag(&dom, &format!("f0L{line}")).contains("now"), "the last step is the violation");
    let view = &dom[dom.find("id=\"view\"").unwrap()..dom.find("id=\"graph-0\"").unwrap()];
    assert_eq!(view.matches("class=\"graph\"").count(), 1, "one drawing at a time");
}

/// A limit leaves a page and a log too, wherever it strikes.
#[test]
fn a_limit_leaves_a_page() {
    let folder = Folder::new("report-limit");
    let (page, log) = (folder.0.join("report.html"), folder.0.join("log.sarif"));
    let output = bolide(&[
        "verify",
        "examples/lock.c",
        "--timeout",
        "1ms",
        "--engine",
        "execution",
        "--report",
        page.to_str().unwrap(),
        "--sarif",
        log.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(20), "{output:?}");
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(tag(&text, "verdict").contains("badge unknown"));
    assert!(text.contains("the time limit was reached") && text.contains("What to try"), "{text}");
    assert!(std::fs::read_to_string(&log).unwrap().contains("the time limit was reached"));
}

#[test]
fn abstract_heaps_are_drawn_where_a_proof_ends() {
    let folder = Folder::new("abstract");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("tests/shape/reverse.c")).unwrap();
    let program = folder.0.join("wrong.c");
    // Wrong for an input that no search for runs tries.
    let far = "list->next = key() == 77777777 ? list : done;";
    let wrong = format!("int key(void);\n{}", text.replace("list->next = done;", far));
    assert!(wrong.contains(far));
    std::fs::write(&program, wrong).unwrap();
    let drawings = folder.0.join("drawings");
    let output = bolide(&[
        "verify",
        "--engine",
        "shape",
        "--entry",
        "reverse",
        "--property",
        "valid-memsafety",
        "--drawings",
        drawings.to_str().unwrap(),
        program.to_str().unwrap(),
    ]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.ends_with("RESULT: unknown\n"), "{said}");
    let mut names: Vec<String> = std::fs::read_dir(&drawings)
        .unwrap()
        .map(|f| f.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("search-of-shape-heap-before-part"))
        .collect();
    names.sort();
    assert!(names.iter().any(|name| name.ends_with(".svg")), "{names:?}");
    let dot = names.iter().find(|name| name.ends_with(".dot")).unwrap();
    let dot = std::fs::read_to_string(drawings.join(dot)).unwrap();
    assert!(dot.starts_with("digraph") && dot.contains("next*"), "{dot}");
}

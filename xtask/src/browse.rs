//! `cargo xtask browse [PAGE.html...]`: opens reports in a headless Chromium as a
//! reader would, and says how long that took. Without a page it makes its own: a
//! violation, a proof and a list.
//!
//! A page is opened three times. An empty page gives the time the browser takes
//! for itself; the report as it is gives, less that, the time a reader waits; and a
//! copy with a short script at its end (the *probe*) presses the keys and buttons:
//! it walks the whole trace forth with the arrow key and a part of it back, compares
//! the highlighted line with the one the step names, and asks for every drawing of the
//! page. What the probe finds wrong, and every complaint on the browser's console, fails
//! the task.

use crate::experiment::{Scratch, bolide, output, read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a reader may wait for a page.
const PATIENCE: Duration = Duration::from_secs(2);

/// The script added to the copy. It runs before the page has ended loading, so the
/// browser prints the document with the probe's findings in it.
const PROBE: &str = include_str!("browse/probe.js");

#[derive(clap::Args)]
pub struct Settings {
    pages: Vec<PathBuf>,
}

pub fn run(Settings { pages }: Settings) -> Result<bool, String> {
    let folder = &Scratch::new("browse")?;
    let own = if pages.is_empty() { reports(folder)? } else { Vec::new() };
    let empty = folder.write("empty.html", "<!doctype html><title>empty</title>")?;
    // The first start fills the browser's profile.
    open(folder, &empty)?;
    let idle = open(folder, &empty)?.waited;
    println!("the browser itself: {} ms", idle.as_millis());
    let mut good = true;
    for name in pages.iter().chain(&own) {
        let text = read(name)?;
        let name = name.display();
        let page = std::fs::canonicalize(name.to_string()).map_err(|e| format!("{name}: {e}"))?;
        let plain = open(folder, &page)?;
        let waited = plain.waited.saturating_sub(idle);
        let with_probe = format!("{text}\n<script>{PROBE}</script>\n");
        let probed = open(folder, &folder.write("probed.html", &with_probe)?)?;
        let findings = findings(&probed.document);
        let first = findings.lines().next().unwrap_or_default();
        println!("{name}: {} KB, {} ms; {first}", text.len() >> 10, waited.as_millis());
        for line in findings.lines().skip(1).chain(plain.complaints.lines()) {
            println!("  {line}");
        }
        good &= waited < PATIENCE && plain.complaints.is_empty() && first.ends_with("wrong 0");
    }
    Ok(good)
}

/// Reports of some examples.
fn reports(folder: &Scratch) -> Result<Vec<PathBuf>, String> {
    let binary = bolide(&None)?;
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut pages = Vec::new();
    for (program, property) in
        [("overflow.c", "no-overflow"), ("lock.c", "unreach-call"), ("list.c", "valid-memsafety")]
    {
        let page = folder.join(program).with_extension("html");
        let mut command = Command::new(&binary);
        command.args(["verify", "--quiet", "--property", property, "--report"]);
        let output = output(command.arg(&page).arg(examples.join(program)))?;
        if !matches!(output.status.code(), Some(0 | 10)) {
            return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        pages.push(page);
    }
    Ok(pages)
}

/// A page as the browser has it.
struct Opened {
    document: String,
    complaints: String,
    waited: Duration,
}

fn open(folder: &Scratch, page: &Path) -> Result<Opened, String> {
    let start = Instant::now();
    let mut command = Command::new("chromium");
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--window-size=1400,1500", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", page.display()));
    let output = output(&mut command)?;
    let waited = start.elapsed();
    let log = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    Ok(Opened {
        document: String::from_utf8_lossy(&output.stdout).into_owned(),
        complaints: complaints.join("\n"),
        waited,
    })
}

/// What the probe wrote into the page.
fn findings(document: &str) -> &str {
    let start = "<pre id=\"probe\">";
    let Some(at) = document.rfind(start) else { return "the probe did not run" };
    let text = &document[at + start.len()..];
    text[..text.find("</pre>").unwrap_or(text.len())].trim_end()
}

//! A second judge: `cvc5`, where its Python package is installed.
//!
//! One long-lived Python process reads scripts and answers as a solver would; it is
//! started anew after a crash or when it does not come back. It gives opinions on
//! sat and unsat only, and only on every so-many-th problem, because it is
//! slower than z3 on such small ones.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PROGRAM: &str = include_str!("second.py");

/// No answer at all for this long: the process is given up.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Cvc5 {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
    /// As the package tells it.
    pub version: String,
}

impl Cvc5 {
    /// `None` if it is not installed.
    pub fn start() -> Option<Cvc5> {
        let mut child = Command::new("python3")
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take()?;
        let lines = BufReader::new(child.stdout.take()?).lines();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut cvc5 = Cvc5 { child, input, output, version: String::new() };
        cvc5.version = cvc5.output.recv_timeout(PATIENCE).ok()?;
        Some(cvc5)
    }

    /// The answers to a script, none if there was an error (what it says after one may be
    /// wrong); `None` when the process is gone or silent.
    pub fn ask(&mut self, script: &str) -> Option<Vec<String>> {
        self.input.write_all(script.as_bytes()).ok()?;
        self.input.write_all(b"\n@@go\n").ok()?;
        self.input.flush().ok()?;
        let mut lines = Vec::new();
        loop {
            let line = self.output.recv_timeout(PATIENCE).ok()?;
            if line == "@@done" {
                let failed = lines.iter().any(|line: &String| line.starts_with("(error"));
                return Some(if failed { Vec::new() } else { lines });
            }
            lines.push(line);
        }
    }
}

impl Drop for Cvc5 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! What tasks share that run programs: a folder that goes when they end, the command `bolide` of
//! this build and what it says, other programs as processes, and several things at a time.

use bolide_base::{Diagnostic, SourceMap};
use bolide_c_lower::{Options, lower};
use bolide_c_syntax::{ParseOptions, parse};
use bolide_cfa::Program;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

/// A folder for files that nobody needs afterwards.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Result<Scratch, String> {
        let folder = std::env::temp_dir().join(format!("bolide-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Scratch(folder))
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file; where it is.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.join(name);
        write(&path, text).map(|()| path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes a file, in a folder that need not be there.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The files below, in order, with one of the endings.
pub fn files_below(path: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            open.extend(entries.flatten().map(|entry| entry.path()));
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The command: the one that is given, or that of the same profile as this program, made now.
pub fn bolide(given: &Option<PathBuf>) -> Result<PathBuf, String> {
    if let Some(given) = given {
        return Ok(given.clone());
    }
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let status = cargo()
        .args(["build", "--profile", profile, "--quiet", "--package", "bolide"])
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let binary = this.with_file_name("bolide");
    if status.success() && binary.exists() {
        Ok(binary)
    } else {
        Err(format!("{} could not be built", binary.display()))
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
}

/// Runs a command to its end, whatever that is.
pub fn output(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).output().map_err(|e| format!("cannot run {program}: {e}"))
}

/// Runs a command for at most so long; none if it was stopped then. Messages are not kept.
pub fn output_within(command: &mut Command, limit: Duration) -> std::io::Result<Option<Output>> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = quiet.spawn()?;
    let mut pipe = child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    let stdout = receiver.recv_timeout(limit).ok();
    if stdout.is_none() {
        let _ = child.kill();
    }
    let status = child.wait()?;
    let _ = reader.join();
    Ok(stdout.map(|stdout| Output { status, stdout, stderr: Vec::new() }))
}

/// Runs a command that should succeed; what it prints, or the first of its messages that is an error.
pub fn succeed(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let said = |l: &&str| l.contains("error") || l.contains("undefined");
    let first = messages.lines().find(said).or(messages.lines().next()).unwrap_or_default();
    Err(format!("{} failed: {first}", command.get_program().to_string_lossy()))
}

/// What `bolide verify` said.
pub struct Said {
    /// `true`, `false(property)`, `unknown`; none if it did not get that far.
    pub verdict: Option<String>,
    pub text: String,
    pub messages: String,
    pub code: Option<i32>,
    /// Of processor time; zero where there is no `/proc`.
    pub seconds: f64,
}

/// Runs `bolide verify` with these arguments.
pub fn verify(command: &mut Command) -> Result<Said, String> {
    let before = children_seconds();
    let output = output(command)?;
    let seconds = children_seconds() - before;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let verdict = text.lines().last().and_then(|line| line.strip_prefix("RESULT: "));
    let verdict = verdict.map(str::to_owned);
    Ok(Said { verdict, text, messages, code: output.status.code(), seconds })
}

/// Processor time of all processes that were started and have ended.
pub fn children_seconds() -> f64 {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return 0.0 };
    // The name of the program, in parentheses, may contain anything.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    // The state is the first of these; children's user and system time are 13 and 14 further on.
    let ticks = rest.split_whitespace().skip(13).take(2);
    ticks.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The results for the numbers below `count`, in their order, so many at a time.
pub fn in_parallel<T: Send>(jobs: usize, count: u64, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = work(number);
                    results.lock().expect("no thread panics").push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics");
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The automata of preprocessed C with its sources, or the errors in it.
pub fn lowered(path: &Path, options: &Options) -> Result<(Program, SourceMap), String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let mut sources = SourceMap::new();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let start = sources.add("program.c", text).ok_or("the program is too large")?;
    let parsed = parse(&mut sources, start, &ParseOptions::default());
    let show = |diagnostics: &[Diagnostic]| -> String {
        diagnostics.iter().map(|d| d.render_plain(&sources)).collect()
    };
    if parsed.has_errors() {
        return Err(show(&parsed.diagnostics));
    }
    let program = lower(&[&parsed.unit], &sources, options).map_err(|d| show(&d))?.program;
    Ok((program, sources))
}

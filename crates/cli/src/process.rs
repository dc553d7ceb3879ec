//! One child process under limits, measured.
//!
//! The child leads a process group of its own: when it is out of time or
//! memory, the whole group is killed, and so are children of a tool's start script. Output
//! goes to files, since a pipe that nobody reads would stop the child.
//!
//! Time and memory are read from `/proc`. The processor time of a child that has ended is
//! read before it is waited for, so it is exact; memory is sampled from the kernel's own high-water mark
//! and misses at most what happens in the last moments. Where there is no
//! `/proc`, memory is 0 and processor time is wall time.

use crate::signals;
use bolide_api::Limits;
use bolide_api::limits::stat;
use std::ffi::OsString;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Limits as flags of our own binary.
pub fn limit_flags(limits: &Limits) -> Vec<OsString> {
    let milliseconds = |time: Duration| format!("{}ms", time.as_millis());
    let given = [
        ("--timeout", limits.time.map(milliseconds)),
        ("--cpu-time", limits.cpu.map(milliseconds)),
        ("--memory", limits.memory.map(|memory| memory.to_string())),
    ];
    let words = given.into_iter().filter_map(|(flag, value)| Some([flag.into(), value?.into()]));
    words.flatten().collect()
}

/// How long a child takes at most where it has a processor of its own.
pub fn longest(limits: &Limits) -> Duration {
    limits.time.or(limits.cpu).unwrap_or_default()
}

/// For a child that keeps these limits by itself, and says more when it is not killed for them.
pub fn lenient(limits: &Limits) -> Limits {
    let longer = |time: Duration| time * 4 + Duration::from_secs(30);
    let memory = limits.memory.map(|memory| memory.saturating_mul(2));
    Limits { time: limits.time.map(longer), cpu: limits.cpu.map(longer), memory }
}

/// Why a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited,
    /// It ran too long, and was killed.
    Time,
    /// It was too big, and was killed.
    Memory,
    /// It could not be started.
    NotStarted,
}

/// What was seen of a child.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Why it ended.
    pub ended: Ended,
    /// The exit code; minus the signal where one killed it.
    pub code: Option<i32>,
    /// Standard output, the last mebibyte of it.
    pub output: String,
    /// Standard error, likewise.
    pub errors: String,
    /// Wall time.
    pub wall: Duration,
    /// Processor time.
    pub cpu: Duration,
    /// Most resident memory, in bytes.
    pub memory: u64,
}

/// A temporary folder, removed when dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A folder of this process.
    pub fn new() -> Result<Folder, String> {
        let path = std::env::temp_dir().join(format!("bolide-{}", std::process::id()));
        std::fs::create_dir_all(&path)
            .map_err(|e| format!("cannot make the folder `{}`: {e}", path.display()))?;
        Ok(Folder(path))
    }

    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        &self.0
    }

    /// The files of one run.
    pub fn files(&self, index: usize) -> Files {
        Files::at(self.0.clone(), index)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Names of files that one run may leave.
#[derive(Clone, Debug)]
pub struct Files {
    folder: PathBuf,
    index: usize,
}

impl Files {
    /// Files in a folder.
    pub fn at(folder: PathBuf, index: usize) -> Files {
        Files { folder, index }
    }

    fn named(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.index))
    }

    /// Where the witness goes.
    pub fn witness(&self) -> PathBuf {
        self.named("witness.yml")
    }

    /// Where the harness goes.
    pub fn harness(&self) -> PathBuf {
        self.named("harness.c")
    }

    /// Where a SARIF log goes.
    pub fn log(&self) -> PathBuf {
        self.named("sarif")
    }

    /// Where a property is written for tools that want a file.
    pub fn property(&self) -> PathBuf {
        self.named("prp")
    }

    /// Where a compiled harness goes.
    pub fn binary(&self) -> PathBuf {
        self.named("out")
    }

    /// Removes all of them.
    pub fn remove(&self) {
        for ending in ["witness.yml", "harness.c", "sarif", "prp", "out", "stdout", "stderr"] {
            let _ = std::fs::remove_file(self.named(ending));
        }
    }
}

/// Does the work for the numbers below `count`, so many at a time, until the user interrupts; what
/// came of each that was done.
pub fn side_by_side<T: Send>(
    jobs: usize,
    count: usize,
    work: impl Fn(usize) -> Option<T> + Sync,
) -> Vec<Option<T>> {
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, count.max(1)) {
            scope.spawn(|| {
                while !signals::interrupted() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(place) = done.get(number) else { return };
                    let found = work(number);
                    if let Ok(mut place) = place.lock() {
                        *place = found;
                    }
                }
            });
        }
    });
    done.into_iter().map(|place| place.into_inner().ok().flatten()).collect()
}

/// How often a child is looked at.
const PERIOD: Duration = Duration::from_millis(5);
/// Time beyond the limit for a child that keeps limits itself.
const GRACE: Duration = Duration::from_millis(1500);

/// Runs a command to its end or to a limit. Limits are enforced with some
/// grace: tools that keep them by themselves say more than those that are killed.
pub fn run(words: &[OsString], limits: &Limits, files: &Files) -> Measured {
    let start = Instant::now();
    let mut seen = Measured {
        ended: Ended::NotStarted,
        code: None,
        output: String::new(),
        errors: String::new(),
        wall: Duration::ZERO,
        cpu: Duration::ZERO,
        memory: 0,
    };
    let mut child = match start_child(words, files) {
        Ok(child) => child,
        Err(error) => {
            seen.errors = error;
            return seen;
        }
    };
    let status = watch(&mut child, limits, start, &mut seen);
    // Whatever the child itself started must not outlive it.
    signals::kill_group(child.id());
    seen.wall = start.elapsed();
    if seen.cpu.is_zero() && !std::path::Path::new("/proc/self/stat").exists() {
        seen.cpu = seen.wall;
    }
    seen.code = status.and_then(|s| s.code().or(s.signal().map(|signal| -signal)));
    seen.output = tail(&files.named("stdout"));
    seen.errors = tail(&files.named("stderr"));
    seen
}

fn start_child(words: &[OsString], files: &Files) -> Result<Child, String> {
    let create = |ending: &str| {
        let path = files.named(ending);
        std::fs::File::create(&path).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
    };
    let (program, arguments) = words.split_first().ok_or("the command is empty")?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(create("stdout")?)
        .stderr(create("stderr")?)
        .process_group(0)
        .spawn()
        .map_err(|e| format!("cannot start `{}`: {e}", program.display()))
}

fn watch(
    child: &mut Child,
    limits: &Limits,
    start: Instant,
    seen: &mut Measured,
) -> Option<ExitStatus> {
    let mut round = 0u32;
    loop {
        if let Some((state, cpu)) = stat(child.id()) {
            seen.cpu = cpu;
            if state == 'Z' {
                seen.ended = Ended::Exited;
                return child.wait().ok();
            }
            seen.memory = seen.memory.max(high_water(child.id()));
            if round.is_multiple_of(20) {
                seen.memory = seen.memory.max(group_memory(child.id()));
            }
        } else if let Ok(Some(status)) = child.try_wait() {
            seen.ended = Ended::Exited;
            return Some(status);
        }
        let late = limits.time.is_some_and(|limit| start.elapsed() > limit + GRACE)
            || limits.cpu.is_some_and(|limit| seen.cpu > limit + GRACE);
        let big = limits.memory.is_some_and(|limit| seen.memory > limit.saturating_add(limit / 8));
        if late || big || signals::interrupted() {
            seen.ended = if big { Ended::Memory } else { Ended::Time };
            signals::kill_group(child.id());
            if let Some((_, cpu)) = stat(child.id()) {
                seen.cpu = cpu;
            }
            return child.wait().ok();
        }
        round += 1;
        std::thread::sleep(PERIOD);
    }
}

/// Most memory that a process had resident.
fn high_water(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|l| l.split_ascii_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// Memory of all processes of a group.
fn group_memory(group: u32) -> u64 {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let mut total = 0;
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let Some(end) = text.rfind(')') else { continue };
        let of_group = text[end + 1..].split_ascii_whitespace().nth(2);
        if of_group.and_then(|g| g.parse::<u32>().ok()) == Some(group) {
            total += high_water(pid);
        }
    }
    total
}

/// The end of a file, as text.
fn tail(path: &std::path::Path) -> String {
    const KEPT: u64 = 1 << 20;
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = std::fs::File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(KEPT)))?;
        let mut bytes = Vec::new();
        file.take(KEPT).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        ["/bin/sh", "-c", text].map(OsString::from).to_vec()
    }

    #[test]
    fn children_are_measured_and_kept_in_limits() {
        let folder = Folder(std::env::temp_dir().join(format!("bolide-p-{}", std::process::id())));
        std::fs::create_dir_all(&folder.0).unwrap();
        let limits = Limits { time: Some(Duration::from_millis(100)), cpu: None, memory: None };
        let seen = run(&words("echo words; exit 7"), &limits, &folder.files(0));
        assert_eq!((seen.ended, seen.code), (Ended::Exited, Some(7)));
        assert_eq!(seen.output, "words\n");
        // The group dies, not only its leader.
        let start = Instant::now();
        let seen = run(&words("sleep 60 & sleep 60"), &limits, &folder.files(1));
        assert_eq!((seen.ended, seen.code), (Ended::Time, Some(-9)));
        assert!(start.elapsed() < Duration::from_secs(30));
        let missing = [OsString::from("/no/such/tool")];
        assert_eq!(run(&missing, &limits, &folder.files(2)).ended, Ended::NotStarted);
    }
}

//! Parses files and says which fail, and how fast it went.
//!
//! `cargo run --release -p bolide-c-syntax --example parse_files -- [--threads N] [--cc CC] [--list FILE] FILE...`
//!
//! Files with directives go through `CC -E` first (default `gcc`). For each
//! file that does not parse, its diagnostics are printed; at the end the
//! counts, the bytes for each second of parsing, and the slowest file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bolide_base::SourceMap;
use bolide_c_syntax::{ParseOptions, needs_preprocessing, parse};

#[derive(Default)]
struct Tally {
    parsed: usize,
    failed: usize,
    panicked: usize,
    not_preprocessed: usize,
    bytes: usize,
    time: Duration,
    slowest: (Duration, String),
    output: Vec<(usize, String)>,
}

enum Outcome {
    Parsed,
    Failed(String),
    Panicked,
    NotPreprocessed(String),
}

fn main() {
    let mut threads = 2;
    let mut compiler = "gcc".to_owned();
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--threads" => threads = value().parse().unwrap_or(2),
            "--cc" => compiler = value(),
            "--list" => match std::fs::read_to_string(value()) {
                Ok(list) => files.extend(list.lines().map(str::to_owned)),
                Err(error) => eprintln!("cannot read the list: {error}"),
            },
            _ => files.push(argument),
        }
    }
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(index) else { return };
                    let (outcome, bytes, time) = run(file, &compiler);
                    let mut tally = tally.lock().expect("no thread panics with the lock");
                    tally.bytes += bytes;
                    tally.time += time;
                    if time > tally.slowest.0 {
                        tally.slowest = (time, file.clone());
                    }
                    let line = match outcome {
                        Outcome::Parsed => {
                            tally.parsed += 1;
                            continue;
                        }
                        Outcome::Failed(text) => {
                            tally.failed += 1;
                            format!("FAILED {file}\n{text}")
                        }
                        Outcome::Panicked => {
                            tally.panicked += 1;
                            format!("PANIC {file}\n")
                        }
                        Outcome::NotPreprocessed(text) => {
                            tally.not_preprocessed += 1;
                            format!("NOT PREPROCESSED {file}\n{text}")
                        }
                    };
                    tally.output.push((index, line));
                }
            });
        }
    });
    let mut tally = tally.into_inner().expect("no thread panics with the lock");
    tally.output.sort();
    for (_, line) in &tally.output {
        print!("{line}");
    }
    println!(
        "{} parsed, {} failed, {} panicked, {} not preprocessed",
        tally.parsed, tally.failed, tally.panicked, tally.not_preprocessed
    );
    println!(
        "{:.1} MB in {:.2} s: {:.1} MB/s; slowest {:.3} s: {}",
        tally.bytes as f64 / 1e6,
        tally.time.as_secs_f64(),
        tally.bytes as f64 / 1e6 / tally.time.as_secs_f64().max(1e-9),
        tally.slowest.0.as_secs_f64(),
        tally.slowest.1
    );
}

fn run(file: &str, compiler: &str) -> (Outcome, usize, Duration) {
    let text = match std::fs::read(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            return (Outcome::NotPreprocessed(format!("{error}\n")), 0, Duration::ZERO);
        }
    };
    let text = if needs_preprocessing(&text) {
        match Command::new(compiler).args(["-E", file]).output() {
            Ok(output) if output.status.success() => {
                String::from_utf8_lossy(&output.stdout).into_owned()
            }
            Ok(output) => {
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                return (Outcome::NotPreprocessed(message), 0, Duration::ZERO);
            }
            Err(error) => {
                return (Outcome::NotPreprocessed(format!("{error}\n")), 0, Duration::ZERO);
            }
        }
    } else {
        text
    };
    let bytes = text.len();
    let mut sources = SourceMap::new();
    let Some(start) = sources.add(file, text) else {
        return (Outcome::Failed("too large\n".to_owned()), 0, Duration::ZERO);
    };
    let begin = Instant::now();
    let result =
        catch_unwind(AssertUnwindSafe(|| parse(&mut sources, start, &ParseOptions::default())));
    let time = begin.elapsed();
    let outcome = match result {
        Err(_) => Outcome::Panicked,
        Ok(result) if result.has_errors() => {
            Outcome::Failed(result.diagnostics.iter().map(|d| d.render_plain(&sources)).collect())
        }
        Ok(_) => Outcome::Parsed,
    };
    (outcome, bytes, time)
}

//! `cargo xtask fuzz-shape [N] [--seed S] [--engine E] [--cpu-time T] [--bolide FILE]`: random list programs, our
//! verdicts against executions.
//!
//! A program makes lists, walks, changes and frees them, with a mistake here
//! and there: a guard left out, a use after a free, a comparison with a pointer that
//! dangles. gcc compiles it with the address sanitizer and runs it on many sequences of inputs. A
//! `true` is wrong if one of these runs reaches the error (or, for memory safety, an invalid access,
//! an invalid free or a leak); `unknown` and `false` are counted. What is `false` was
//! replayed by the interpreter, which `cargo xtask csmith` compares with gcc.
//!
//! Not judged: reads of memory that was never set, which the sanitizer does not see.

use crate::experiment::{Scratch, bolide, succeed, verify};
use bolide_testing::Dice;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const HEAD: &str = "\
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
";

const NODE: &str = "\
struct node { struct node *next; struct node *prev; int data; };
";

/// Statements about the pointers `h`, `p`, `q` and `t`. `X` and `Y` are any of the first three, `C` is a small
/// number; a guard in brackets is sometimes forgotten.
const STATEMENTS: &str = include_str!("fuzz_shape/statements.txt");

fn statement(dice: &mut Dice) -> String {
    let statements: Vec<&str> = STATEMENTS.lines().collect();
    let mut text = dice.pick(&statements).to_owned();
    if let Some((guard, rest)) = text.strip_prefix('[').and_then(|t| t.split_once("] ")) {
        let guard = if dice.roll(8) == 0 { String::new() } else { format!("if ({guard}) ") };
        text = guard + rest;
    }
    for letter in ["X", "Y"] {
        text = text.replace(letter, dice.pick(&["h", "p", "q"]));
    }
    text.replace('C', &dice.roll(3).to_string())
}

/// Data structures, each with its types, its variables, and ways to make it (`+`), to use it (`*`) and to free it (`-`).
/// `N` is an input.
const STRUCTURES: &str = include_str!("fuzz_shape/structures.txt");

/// A program that makes, uses and frees one data structure; every other one with a mistake.
fn structured(dice: &mut Dice) -> String {
    let all: Vec<Vec<&str>> =
        STRUCTURES.split("# ").skip(1).map(|block| block.lines().skip(1).collect()).collect();
    let lines = &all[dice.roll(all.len())];
    let marked = |mark: char| -> Vec<&str> {
        lines[2..].iter().filter_map(|line| line.strip_prefix(mark)).collect()
    };
    let mut body = vec![dice.pick(&marked('+')).to_owned()];
    body.extend((0..dice.roll(4)).map(|_| dice.pick(&marked('*')).to_owned()));
    body.push(dice.pick(&marked('-')).to_owned());
    let mut body = body.join("\n ");
    if dice.roll(2) == 0 {
        spoil(&mut body, dice);
    }
    let body = body
        .replace("(N)", "(__VERIFIER_nondet_int())")
        .replace(" N)", " __VERIFIER_nondet_int())");
    format!("{HEAD}{}\nint main(void) {{\n  {}\n {body}\n  return 0;\n}}\n", lines[0], lines[1])
}

/// A statement left out or doubled, another field, another constant.
fn spoil(body: &mut String, dice: &mut Dice) {
    let (from, to) = dice.pick(&[
        (";", ""),
        (";", ""),
        ("next", "prev"),
        ("prev", "next"),
        ("next = 0", "next = t"),
        ("= 1", "= 2"),
        ("!=", "=="),
        ("h->next", "h"),
        ("->next", ""),
        ("&&", "||"),
    ]);
    let places: Vec<usize> = body.match_indices(from).map(|(at, _)| at).collect();
    if places.is_empty() {
        return;
    }
    let at = dice.pick(&places);
    if from != ";" {
        body.replace_range(at..at + from.len(), to);
        return;
    }
    // The statement that ends here.
    let start = body[..at].rfind([';', '{', '}', ')']).map_or(0, |before| before + 1);
    let statement = body[start..=at].to_owned();
    let twice = dice.roll(2) == 0;
    body.replace_range(start..=at, &if twice { statement.repeat(2) } else { ";".to_owned() });
}

fn program(dice: &mut Dice) -> String {
    if dice.roll(3) > 0 {
        return structured(dice);
    }
    let mut body: Vec<String> = (0..2 + dice.roll(4)).map(|_| statement(dice)).collect();
    body.push(match dice.roll(8) {
        0 => "while (h) { free(h); h = h->next; }".into(),
        1 => String::new(),
        _ => "while (h) { t = h->next; free(h); h = t; }".into(),
    });
    let body = body.join("\n  ");
    let set = if dice.roll(10) == 0 { "h = 0, *p" } else { "h = 0, *p = 0" };
    format!(
        "{HEAD}{NODE}int main(void) {{\n  struct node *{set}, *q = 0, *t = 0; int i;\n  {body}\n  return 0;\n}}\n"
    )
}

/// What some run of the program does.
#[derive(Default)]
struct Judged {
    error: bool,
    memory: bool,
}

fn judge(scratch: &Scratch, text: &str, runs: u64) -> Result<Judged, String> {
    let text = text.replace("int main(void)", "int program_main(void)");
    let file = scratch.write("judged.c", &text)?;
    let judge = scratch.write("judge.c", include_str!("fuzz_shape/judge.c"))?;
    let binary = scratch.join("judged");
    let mut gcc = Command::new("gcc");
    succeed(gcc.args(["-w", "-O0", "-fsanitize=address", "-o"]).args([&binary, &file, &judge]))?;
    let mut judged = Judged::default();
    for run in 0..runs {
        let status = Command::new(&binary)
            .arg(run.to_string())
            // Small quarantine: addresses are used again, as they are without the sanitizer.
            .env(
                "ASAN_OPTIONS",
                "exitcode=34:detect_leaks=1:quarantine_size_mb=0:thread_local_quarantine_size_kb=0",
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|e| e.to_string())?;
        match status.code() {
            Some(33) => judged.error = true,
            Some(34 | 35) => judged.memory = true,
            _ => {}
        }
    }
    Ok(judged)
}

#[derive(clap::Args)]
pub struct Settings {
    #[arg(default_value_t = 100)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "3s")]
    cpu_time: String,
    #[arg(long, default_value = "shape")]
    engine: String,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
}

/// Whether all verdicts stand.
pub fn run(settings: Settings) -> Result<bool, String> {
    let Settings { count, seed, cpu_time, engine, .. } = &settings;
    let binary = bolide(&settings.bolide)?;
    let scratch = Scratch::new("shape")?;
    let (mut programs, mut proved, mut refuted, mut unknown, mut wrong) = (0, 0, 0, 0, 0);
    for number in 0..*count {
        let own = seed.wrapping_mul(1_000_003).wrapping_add(number);
        let text = program(&mut Dice::new(own));
        let file = scratch.write("program.c", &text)?;
        // Some mistakes are no programs.
        let mut gcc = Command::new("gcc");
        if succeed(gcc.args(["-w", "-fsyntax-only"]).arg(&file)).is_err() {
            continue;
        }
        programs += 1;
        let mut judged: Option<Judged> = None;
        for property in ["unreach-call", "valid-memsafety"] {
            let mut command = Command::new(&binary);
            command
                .args(["verify", "--engine", engine, "--cpu-time", cpu_time])
                .args(["--property", property])
                .arg(&file);
            let verdict = verify(&mut command)?.verdict.unwrap_or_default();
            if verdict == "true" {
                proved += 1;
                if judged.is_none() {
                    judged = Some(judge(&scratch, &text, 40)?);
                }
                let Some(judged) = &judged else { continue };
                // After an invalid access anything may happen.
                let refutes = match property {
                    "unreach-call" => judged.error && !judged.memory,
                    _ => judged.memory,
                };
                if refutes {
                    wrong += 1;
                    println!("seed {own}, {property}: true, but a run fails\n{text}");
                }
            } else if verdict.starts_with("false") {
                refuted += 1;
            } else if verdict == "unknown" {
                unknown += 1;
            } else {
                wrong += 1;
                println!("seed {own}, {property}: no verdict but `{verdict}`\n{text}");
            }
        }
    }
    println!(
        "{programs} programs: {proved} times true, {refuted} false, {unknown} unknown; {wrong} wrong (seed {seed})"
    );
    Ok(wrong == 0)
}

//! `cargo xtask fuzz-shape [N] [--seed S] [--engine E] [--timeout T] [--binary FILE]`: random list programs, our
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

use bolide_testing::Dice;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A guard, which is sometimes forgotten.
fn guard(dice: &mut Dice, condition: &str) -> String {
    if dice.roll(8) == 0 { String::new() } else { format!("if ({condition}) ") }
}

const HEAD: &str = "\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node { struct node *next; struct node *prev; int data; };
";

/// Inputs from the number of the run; exit codes 33 for the error, 35 for a leak.
const JUDGE: &str = "
#include <stdlib.h>
#include <unistd.h>
#include <sanitizer/lsan_interface.h>
static unsigned long long seed;
int program_main(void);
int __VERIFIER_nondet_int(void) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((seed >> 40) % 3) - ((seed >> 60) == 0);
}
void reach_error(void) { _exit(33); }
int main(int count, char **words) {
  seed = strtoull(words[1], 0, 10) * 0x9e3779b97f4a7c15ULL + 1;
  alarm(1);
  program_main();
  _exit(__lsan_do_recoverable_leak_check() ? 35 : 0);
}
";

/// One statement about the pointers `h`, `p`, `q` and `t`.
fn statement(dice: &mut Dice) -> String {
    let c = dice.roll(3);
    let (x, y) = (dice.pick(&["h", "p", "q"]), dice.pick(&["h", "p", "q"]));
    match dice.roll(14) {
        0 | 1 => format!(
            "while (__VERIFIER_nondet_int()) {{ t = malloc(sizeof *t); t->prev = 0; t->next = h; t->data = {c}; h = t; }}"
        ),
        2 => format!(
            "for (i = 0; i < {}; i++) {{ t = malloc(sizeof *t); t->prev = 0; t->next = h; t->data = {c}; h = t; }}",
            1 + dice.roll(3)
        ),
        3 => format!("p = h; while (p) {{ if (p->data == {c}) reach_error(); p = p->next; }}"),
        4 => {
            let guard = guard(dice, "h");
            format!("{guard}{{ t = h->next; free(h); h = t; }}")
        }
        5 => "p = 0; while (h) { t = h->next; h->next = p; p = h; h = t; } h = p;".into(),
        6 => {
            let guard = guard(dice, x);
            format!(
                "{guard}{{ t = malloc(sizeof *t); t->prev = {x}; t->data = {c}; t->next = {x}->next; {x}->next = t; }}"
            )
        }
        7 => {
            let guard = guard(dice, &format!("{x} && {x}->next"));
            format!("{guard}{{ t = {x}->next; {x}->next = t->next; free(t); }}")
        }
        8 => format!("if ({x} == {y}) {}", dice.pick(&["reach_error();", "p = q;", "q = h;"])),
        9 => format!("{x} = {y};"),
        10 => {
            let guard = guard(dice, x);
            format!("{guard}{y} = {x}->next;")
        }
        11 => {
            let guard = guard(dice, x);
            format!("{guard}{x}->data = {c};")
        }
        12 => "p = h; while (p && p->next && __VERIFIER_nondet_int()) p = p->next;".into(),
        _ => {
            let guard = guard(dice, x);
            format!("{guard}if ({x}->data != {c}) reach_error();")
        }
    }
}

fn program(dice: &mut Dice) -> String {
    let mut body: Vec<String> = (0..2 + dice.roll(4)).map(|_| statement(dice)).collect();
    body.push(match dice.roll(8) {
        0 => "while (h) { free(h); h = h->next; }".into(),
        1 => String::new(),
        _ => "while (h) { t = h->next; free(h); h = t; }".into(),
    });
    let body = body.join("\n  ");
    let set = if dice.roll(10) == 0 { "h = 0, *p" } else { "h = 0, *p = 0" };
    format!(
        "{HEAD}int main(void) {{\n  struct node *{set}, *q = 0, *t = 0; int i;\n  {body}\n  return 0;\n}}\n"
    )
}

/// What some run of the program does.
#[derive(Default)]
struct Judged {
    error: bool,
    memory: bool,
}

fn judge(folder: &Path, text: &str, runs: u64) -> Result<Judged, String> {
    let (file, judge, binary) =
        (folder.join("judged.c"), folder.join("judge.c"), folder.join("judged"));
    let text = text.replace("int main(void)", "int program_main(void)");
    std::fs::write(&file, text).map_err(|e| e.to_string())?;
    std::fs::write(&judge, JUDGE).map_err(|e| e.to_string())?;
    let compiled = Command::new("gcc")
        .args(["-w", "-O0", "-fsanitize=address", "-o"])
        .args([&binary, &file, &judge])
        .output()
        .map_err(|e| format!("cannot run gcc: {e}"))?;
    if !compiled.status.success() {
        return Err(format!("gcc failed: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
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

/// Runs; the exit code says whether all verdicts stand.
pub fn run(arguments: &[String]) -> i32 {
    match fuzz(arguments) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("fuzz-shape: {why}");
            2
        }
    }
}

fn fuzz(arguments: &[String]) -> Result<i32, String> {
    let word = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let count = arguments.first().and_then(|a| a.parse::<u64>().ok()).unwrap_or(100);
    let seed: u64 = word("--seed").and_then(|s| s.parse().ok()).unwrap_or(1);
    let timeout = word("--timeout").unwrap_or("3s".into());
    let engine = word("--engine").unwrap_or("shape".into());
    let binary = match word("--binary") {
        Some(binary) => PathBuf::from(binary),
        None => crate::attack::binary()?,
    };
    let folder = std::env::temp_dir().join(format!("bolide-shape-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let (mut proved, mut refuted, mut unknown, mut wrong) = (0, 0, 0, 0);
    for number in 0..count {
        let own = seed.wrapping_mul(1_000_003).wrapping_add(number);
        let text = program(&mut Dice::new(own));
        let file = folder.join("program.c");
        std::fs::write(&file, &text).map_err(|e| e.to_string())?;
        let mut judged: Option<Judged> = None;
        for property in ["unreach-call", "valid-memsafety"] {
            let output = Command::new(&binary)
                .args(["verify", "--engine", &engine, "--timeout", &timeout])
                .args(["--property", property])
                .arg(&file)
                .output()
                .map_err(|e| e.to_string())?;
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let verdict = said.lines().last().unwrap_or("").to_owned();
            if verdict == "RESULT: true" {
                proved += 1;
                if judged.is_none() {
                    judged = Some(judge(&folder, &text, 40)?);
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
            } else if verdict.starts_with("RESULT: false") {
                refuted += 1;
            } else if verdict == "RESULT: unknown" {
                unknown += 1;
            } else {
                wrong += 1;
                println!("seed {own}, {property}: no verdict but `{verdict}`\n{text}");
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!(
        "{count} programs: {proved} times true, {refuted} false, {unknown} unknown; {wrong} wrong (seed {seed})"
    );
    Ok(i32::from(wrong > 0))
}

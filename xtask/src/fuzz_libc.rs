//! Models of the C library against the machine's own.
//!
//! `cargo xtask fuzz-libc [N] [--seed S] [--keep DIR]` makes N calls of library functions with random
//! and edge arguments from templates, some hundred in a program. gcc compiles the
//! program without builtins and runs it; parser, lowering and interpreter run the same
//! preprocessed text. Each call prints numbers, and the first that differs is shown with its call.
//!
//! Every twentieth call is also verified, with what gcc's binary gave: `false` of the assertion that
//! it is so, and `true` of the assertion that it is not, are wrong. How often `true` was
//! said is counted.

use crate::experiment::{Scratch, bolide, lowered, output, succeed, verify};
use bolide_c_lower::Options;
use bolide_cfa::interpreter::{Config, Inputs, Outcome, run as interpret};
use bolide_testing::Dice;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line: what is set up before a call, and what numbers it gives, separated by `|`. `{s}` is a string
/// literal, `{t}` another one, `{w}` a text with a number, `{n}` a small number, `{c}` a character,
/// `{i}` an `int`, `{l}` a `long`, `{b}` a base, `{x}` and `{y}` doubles.
const TEMPLATES: &str = include_str!("fuzz_libc/templates.txt");

const PRELUDE: &str = include_str!("fuzz_libc/prelude.c");

#[derive(clap::Args)]
pub struct Settings {
    #[arg(default_value_t = 1000)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_os_t = std::env::temp_dir().join("fuzz-libc"))]
    keep: PathBuf,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
}

/// A call: what comes before it, and its numbers.
struct Call {
    setup: String,
    values: Vec<String>,
}

fn call(dice: &mut Dice) -> Call {
    let templates: Vec<&str> = TEMPLATES.lines().collect();
    let template = dice.pick(&templates);
    let (setup, values) = template.split_once(" => ").expect("a setup and its values");
    let setup = fill(setup, dice);
    let values = values.split(" | ").map(|value| fill(value, dice)).collect();
    Call { setup, values }
}

fn fill(template: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        out += &rest[..at];
        rest = &rest[at..];
        let made = match rest.as_bytes().get(..3) {
            Some([b'{', kind, b'}']) => argument(*kind, dice),
            _ => None,
        };
        match made {
            Some(text) => {
                out += &text;
                rest = &rest[3..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn pick(from: &[&str], dice: &mut Dice) -> String {
    dice.pick(from).to_owned()
}

// Long: a table of what to try, one entry for each kind of argument.
fn argument(kind: u8, dice: &mut Dice) -> Option<String> {
    Some(match kind {
        b's' | b't' => {
            const WORDS: [&str; 6] = ["", "a", "ab,c", "Abc", "\\377\\200", "a b"];
            if dice.roll(3) == 0 {
                return Some(format!("\"{}\"", pick(&WORDS, dice)));
            }
            let length = dice.roll(9);
            let letter = |dice: &mut Dice| pick(&["a", "b", "A", "B", "c", " ", ",", "1"], dice);
            let text: String = (0..length).map(|_| letter(dice)).collect();
            format!("\"{text}\"")
        }
        b'w' => {
            const WORDS: [&str; 20] = [
                "",
                "0",
                "-0",
                "+7",
                " 42x",
                "0x1fG",
                "0xg",
                "010",
                "-99999999999999999999",
                "99999999999999999999",
                "9223372036854775807",
                "-9223372036854775808",
                "18446744073709551615",
                "zz",
                "1.5e3",
                "-.25",
                "1e400",
                "0x1.8p1",
                "\\t12 34",
                "- 1",
            ];
            if dice.roll(2) == 0 {
                return Some(format!("\"{}\"", pick(&WORDS, dice)));
            }
            let space = pick(&["", " ", "-", "+"], dice);
            let base = pick(&["", "0x", "0"], dice);
            let more = pick(&["", "x", " 8", ".5", "e2"], dice);
            format!("\"{space}{base}{}{more}\"", dice.roll(1 << 40) >> dice.roll(40))
        }
        b'n' => dice.roll(9).to_string(),
        b'c' => {
            const EDGES: [&str; 8] = ["0", "'a'", "'Z'", "' '", "','", "'1'", "127", "-128"];
            if dice.roll(3) > 0 {
                return Some(pick(&EDGES, dice));
            }
            (dice.roll(256) as i64 - 128).to_string()
        }
        b'i' => match dice.roll(3) {
            0 => pick(&["0", "1", "-1", "2147483647", "(-2147483647 - 1)", "255", "-128"], dice),
            1 => (dice.roll(200) as i64 - 100).to_string(),
            _ => (dice.roll(1 << 32) as u32 as i32).max(-2147483647).to_string(),
        },
        b'l' => match dice.roll(3) {
            0 => pick(&["0L", "-1L", "9223372036854775807L", "(-9223372036854775807L - 1)"], dice),
            1 => format!("{}L", dice.roll(200) as i64 - 100),
            _ => {
                let (high, low) = (dice.roll(1 << 32) as i64, dice.roll(1 << 32) as i64);
                format!("{}L", (high << 32 | low).max(-i64::MAX))
            }
        },
        b'b' => pick(&["10", "10", "16", "0", "8", "2", "36", "1"], dice),
        b'x' | b'y' => match dice.roll(3) {
            0 => pick(
                &[
                    "0.0",
                    "-0.0",
                    "1.0",
                    "-2.5",
                    "0.5",
                    "1e300",
                    "1e-310",
                    "INFINITY",
                    "-INFINITY",
                    "NAN",
                ],
                dice,
            ),
            1 => format!("{}.{}", dice.roll(20) as i64 - 10, dice.roll(100)),
            _ => {
                let exponent = dice.roll(100) as i64 - 50;
                format!("{}{}e{exponent}", ["", "-"][dice.roll(2)], dice.roll(1 << 50))
            }
        },
        _ => return None,
    })
}

pub fn run(settings: Settings) -> Result<bool, String> {
    const IN_A_PROGRAM: u64 = 100;
    let bolide = bolide(&settings.bolide)?;
    let folder = Scratch::new("libc")?;
    let mut dice = Dice::new(settings.seed);
    let (mut done, mut different, mut asked, mut proved) = (0, 0, 0, 0);
    let mut complaints = Vec::new();
    while done < settings.count {
        let count = IN_A_PROGRAM.min(settings.count - done);
        let calls: Vec<Call> = (0..count).map(|_| call(&mut dice)).collect();
        let (theirs, ours) = execute(&folder, &calls)?;
        for (i, call) in calls.iter().enumerate() {
            let found = |lines: &[String]| {
                let prefix = format!("{i}:");
                lines.iter().find(|l| l.starts_with(&prefix)).cloned().unwrap_or_default()
            };
            let (gcc, interpreter) = (found(&theirs), found(&ours));
            if gcc != interpreter {
                different += 1;
                let values = call.values.join(", ");
                complaints.push(format!(
                    "{{ {} }} {values}: gcc {gcc}, interpreter {interpreter}",
                    call.setup
                ));
            } else if (done + i as u64).is_multiple_of(20) {
                asked += 1;
                match check(&bolide, &folder, call, &gcc)? {
                    Ok(is_proved) => proved += u64::from(is_proved),
                    Err(complaint) => complaints.push(complaint),
                }
            }
        }
        done += count;
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    if !complaints.is_empty() {
        let _ = std::fs::create_dir_all(&settings.keep);
        let _ = std::fs::copy(folder.join("calls.c"), settings.keep.join("calls.c"));
    }
    println!(
        "{done} calls: {different} different; {asked} verified: {proved} proved, {} wrong",
        complaints.len() - different
    );
    Ok(complaints.is_empty())
}

/// What gcc's binary and the interpreter print for the calls.
fn execute(folder: &Scratch, calls: &[Call]) -> Result<(Vec<String>, Vec<String>), String> {
    let (text, binary) = (folder.join("calls.i"), folder.join("calls"));
    let mut program = String::from(PRELUDE);
    for (i, call) in calls.iter().enumerate() {
        program +=
            &format!("static void call{i}(void) {{\n  {}\n  printf(\"{i}:\");\n", call.setup);
        for value in &call.values {
            program += &format!("  printf(\" %ld\", (long)({value}));\n");
        }
        program += "  printf(\"\\n\");\n}\n";
    }
    program += "int main(void) {\n";
    for i in 0..calls.len() {
        program += &format!("  call{i}();\n");
    }
    program += "  return 0;\n}\n";
    let source = folder.write("calls.c", &program)?;
    succeed(Command::new("gcc").args(["-E", "-w"]).arg(&source).arg("-o").arg(&text))?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-O0", "-w", "-fno-builtin", "-ffp-contract=off"]).arg(&text).arg("-lm");
    succeed(compiler.arg("-o").arg(&binary))?;
    let output = output(Command::new("timeout").arg("10").arg(&binary))?;
    let lines = |bytes: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
    };
    if !output.status.success() {
        return Err(format!("gcc's binary fails on {}", source.display()));
    }
    let (program, _) = lowered(&text, &Options::default())?;
    let run = interpret(&program, &mut Inputs::default(), &Config::default());
    let mut ours = lines(&run.stdout);
    if !matches!(run.outcome, Outcome::Finished { .. }) {
        println!("the interpreter stops after {} calls: {:?}", ours.len(), run.outcome);
        ours.push(String::new());
    }
    Ok((lines(&output.stdout), ours))
}

/// Verifies one number of a call; whether it was proved, or what is wrong.
fn check(
    bolide: &Path,
    folder: &Scratch,
    call: &Call,
    printed: &str,
) -> Result<Result<bool, String>, String> {
    let Some(number) = printed.split_whitespace().nth(1) else { return Ok(Ok(false)) };
    let value = &call.values[0];
    let mut verdicts = Vec::new();
    for operator in ["!=", "=="] {
        let file = folder.write(
            "verified.c",
            &format!(
                "{PRELUDE}extern void reach_error(void);\nint main(void) {{\n  {}\n  \
                 if ((unsigned long)({value}) {operator} {}UL) reach_error();\n  return 0;\n}}\n",
                call.setup,
                number.parse::<i64>().map_err(|e| e.to_string())? as u64
            ),
        )?;
        let mut command = Command::new(bolide);
        command
            .args(["verify", "-q", "--property", "unreach-call", "--timeout", "2s"])
            .args(["--memory", "2G"])
            .arg(&file);
        verdicts.push(verify(&mut command)?.verdict.unwrap_or("none".to_owned()));
    }
    let told = format!("{{ {} }} {value} is {number}", call.setup);
    if verdicts[0].starts_with("false")
        || verdicts[1] == "true"
        || verdicts.contains(&"none".into())
    {
        return Ok(Err(format!(
            "{told}; verified: `is`: {}, `is not`: {}",
            verdicts[0], verdicts[1]
        )));
    }
    Ok(Ok(verdicts[0] == "true"))
}

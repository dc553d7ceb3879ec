//! Models of the C library against the machine's own.
//!
//! `cargo xtask fuzz-libc [N] [--seed S] [--keep DIR]` makes N calls of library functions with random
//! and edge arguments from the templates below, some hundred in a program. gcc compiles the
//! program without builtins and runs it; parser, lowering and interpreter run the same
//! preprocessed text. Each call prints numbers, and the first that differs is shown with its call.
//!
//! Every twentieth call is also verified, with what gcc's binary gave: `false` of the assertion that
//! it is so, and `true` of the assertion that it is not, are wrong. How often `true` was
//! said is counted.

use bolide_base::SourceMap;
use bolide_c_lower::{Options, lower};
use bolide_c_syntax::{ParseOptions, parse};
use bolide_cfa::interpreter::{Config, Inputs, Outcome, run as interpret};
use bolide_testing::Dice;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is set up before a call, and what numbers it gives, separated by `|`. `{s}` is a string
/// literal, `{t}` another one, `{w}` a text with a number, `{n}` a small number, `{c}` a character,
/// `{i}` an `int`, `{l}` a `long`, `{b}` a base, `{x}` and `{y}` doubles.
const TEMPLATES: &[(&str, &str)] = &[
    ("char s[] = {s};", "strlen(s) | strnlen(s, {n})"),
    (
        "char d[99] = \"zzzzzzzzzzzzzzzzzzzzzzzz\", s[] = {s}; char *r = strcpy(d, s);",
        "r - d | hash(d, 24)",
    ),
    (
        "char d[99] = \"zzzzzzzzzzzzzzzzzzzzzzzz\", s[] = {s}; char *r = stpcpy(d, s);",
        "r - d | hash(d, 24)",
    ),
    (
        "char d[99] = \"zzzzzzzzzzzzzzzzzzzzzzzz\", s[] = {s}; char *r = strncpy(d, s, {n});",
        "r - d | hash(d, 24)",
    ),
    (
        "char d[99] = \"zzzzzzzzzzzzzzzzzzzzzzzz\", s[] = {s}; char *r = stpncpy(d, s, {n});",
        "r - d | hash(d, 24)",
    ),
    ("char d[99] = {t}, s[] = {s}; char *r = strcat(d, s);", "r - d | hash(d, 40)"),
    ("char d[99] = {t}, s[] = {s}; char *r = strncat(d, s, {n});", "r - d | hash(d, 40)"),
    (
        "char s[] = {s}, t[] = {t};",
        "sign(strcmp(s, t)) | sign(strncmp(s, t, {n})) | sign(strcoll(s, t))",
    ),
    ("char s[] = {s}, t[] = {t};", "sign(strcasecmp(s, t)) | sign(strncasecmp(s, t, {n}))"),
    ("char s[40] = {s}, t[40] = {t};", "sign(memcmp(s, t, {n})) | !bcmp(s, t, {n})"),
    (
        "char s[] = {s};",
        "at(s, strchr(s, {c})) | at(s, strrchr(s, {c})) | at(s, strchrnul(s, {c}))",
    ),
    ("char s[] = {s};", "at(s, index(s, {c})) | at(s, rindex(s, {c}))"),
    ("char s[40] = {s};", "at(s, memchr(s, {c}, {n})) | at(s, memrchr(s, {c}, {n}))"),
    ("char s[] = {s}, t[] = {t};", "strspn(s, t) | strcspn(s, t) | at(s, strpbrk(s, t))"),
    (
        "char s[] = {s}, t[] = {t};",
        "at(s, strstr(s, t)) | at(s, strcasestr(s, t)) | at(s, memmem(s, strlen(s), t, strlen(t)))",
    ),
    (
        "char s[40] = {s}, t[] = {t}; char *a = strtok(s, t), *b = strtok(0, t), *c = strtok(0, t);",
        "at(s, a) | at(s, b) | at(s, c) | hash(s, 40)",
    ),
    (
        "char s[40] = {s}, t[] = {t}, *k; char *a = strtok_r(s, t, &k), *b = strtok_r(0, t, &k);",
        "at(s, a) | at(s, b) | hash(s, 40)",
    ),
    (
        "char s[40] = {s}, t[] = {t}, *k = s; char *a = strsep(&k, t), *b = strsep(&k, t);",
        "at(s, a) | at(s, b) | at(s, k) | hash(s, 40)",
    ),
    ("char s[40] = {s}, d[40] = {t}; char *r = memccpy(d, s, {c}, {n});", "at(d, r) | hash(d, 40)"),
    (
        "char s[60] = {s}; memmove(s + {n}, s, 20); memset(s + 30, {c}, {n}); char *r = mempcpy(s + 40, s, {n});",
        "at(s, r) | hash(s, 60)",
    ),
    (
        "char s[] = {s}; char *a = strdup(s), *b = strndup(s, {n});",
        "hash(a, strlen(a)) | strlen(b) | hash(b, strlen(b))",
    ),
    ("char s[] = {s}, d[40] = {t}; long n = strxfrm(d, s, {n});", "n"),
    ("char s[40] = {s}; bzero(s + 3, {n}); bcopy(s, s + 5, {n});", "hash(s, 40)"),
    (
        "int c = (unsigned char){c};",
        "!!isalpha(c) | !!isdigit(c) | !!isalnum(c) | !!isupper(c) | !!islower(c) | !!isxdigit(c)",
    ),
    (
        "int c = (unsigned char){c};",
        "!!isspace(c) | !!isblank(c) | !!iscntrl(c) | !!isprint(c) | !!isgraph(c) | !!ispunct(c)",
    ),
    ("int c = {c};", "tolower(c) | toupper(c) | toascii(c) | !!isascii(c)"),
    ("char *e = 0, s[] = {w}; errno = 0; long v = strtol(s, &e, {b});", "v | at(s, e) | errno"),
    (
        "char *e = 0, s[] = {w}; errno = 0; unsigned long v = strtoul(s, &e, {b});",
        "v | at(s, e) | errno",
    ),
    (
        "char *e = 0, s[] = {w}; errno = 0; long long v = strtoll(s, &e, {b});",
        "v | at(s, e) | errno",
    ),
    (
        "char *e = 0, s[] = {w}; errno = 0; unsigned long long v = strtoull(s, &e, {b});",
        "v | at(s, e) | errno",
    ),
    (
        "char *e = 0, s[] = {w}; errno = 0; long v = strtoimax(s, &e, {b}); unsigned long u = strtoumax(s, &e, {b});",
        "v | u | at(s, e) | errno",
    ),
    ("char s[20] = {w}; s[8] = 0;", "atoi(s) | atol(s) | atoll(s)"),
    ("char *e = 0, s[] = {w}; double v = strtod(s, &e);", "bits(v) | at(s, e)"),
    ("char *e = 0, s[] = {w}; float v = strtof(s, &e);", "bits(v) | at(s, e)"),
    ("char *e = 0, s[] = {w}; long double v = strtold(s, &e);", "bits(v) | at(s, e)"),
    ("char s[] = {w};", "bits(atof(s))"),
    ("int i = {i};", "i == -2147483647 - 1 ? 0 : abs(i)"),
    (
        "long l = {l};",
        "l < -9223372036854775807 ? 0 : labs(l) | l < -9223372036854775807 ? 0 : llabs(l)",
    ),
    ("int a = {i}, b = {n} + 1; div_t d = div(a, b);", "d.quot | d.rem"),
    (
        "long a = {l}, b = -1 - {n}; a /= 2; ldiv_t d = ldiv(a, b); lldiv_t e = lldiv(a, b);",
        "d.quot | d.rem | e.quot | e.rem",
    ),
    (
        "int a[6] = {{i}, {i}, {i}, {n}, {n}, {i}}, k = {n}; qsort(a, 6, sizeof *a, order); int *r = bsearch(&k, a, 6, sizeof *a, order);",
        "hash(a, sizeof a) | r != 0 | at(a, r)",
    ),
    ("unsigned s = {i}; int a = rand_r(&s), b = rand_r(&s);", "a | b | s"),
    (
        "char d[99]; int n = sprintf(d, \"%d|%5d|%-6d|%+d|%05d\", {i}, {i}, {i}, {i}, {i});",
        "n | hash(d, n + 1)",
    ),
    (
        "char d[99]; int n = sprintf(d, \"%ld|%lx|%#lo|%llu|%hhd\", {l}, {l}, {l}, {l}, {i});",
        "n | hash(d, n + 1)",
    ),
    (
        "char d[40] = \"zzzzzzzzzzz\"; int n = snprintf(d, {n}, \"%s-%c-%.2s\", {s}, 'a' + {n}, {t});",
        "n | hash(d, 12)",
    ),
    (
        "char d[900]; int n = sprintf(d, \"%f|%.2e|%g|%a|%10.3f\", {x}, {x}, {x}, {x}, {y});",
        "n | hash(d, n + 1)",
    ),
    (
        "char d[200]; int m = -1, n = sprintf(d, \"%s%n|%*d|%.*s\", {s}, &m, {n}, {i}, {n}, {t});",
        "n | m | hash(d, n + 1)",
    ),
    ("char *d = 0; int n = asprintf(&d, \"%x %s\", {i}, {s});", "n | hash(d, n + 1)"),
    ("int a = 1, b = 2, n = sscanf({w}, \"%d%d\", &a, &b);", "n | a | b"),
    (
        "int a = 1; char s[40] = \"\"; int n = sscanf(\"0x1\" {w}, \"%i %5s\", &a, s);",
        "n | a | hash(s, 8)",
    ),
    (
        "long a = 1; unsigned b = 1; int m = -1, n = sscanf({w}, \"%3ld%x%n\", &a, &b, &m);",
        "n | a | b | m",
    ),
    (
        "char s[40] = \"\", t[40] = \"\", c = 'z'; int n = sscanf({s}, \"%[a-cA]%c%s\", s, &c, t);",
        "n | c | hash(s, 8) | hash(t, 8)",
    ),
    (
        "char s[40] = \"\"; int a = 1, n = sscanf({s}, \"a%*s%[^b]%d\", s, &a);",
        "n | a | hash(s, 8)",
    ),
    ("double x = {x}, y = {y};", "bits(fmod(x, y)) | bits(remainder(x, y)) | bits(fdim(x, y))"),
    (
        "double x = {x}, y = {y};",
        "bits(fmin(x, y)) | bits(fmax(x, y)) | bits(copysign(x, y)) | bits(nextafter(x, y))",
    ),
    (
        "float x = {x}, y = {y};",
        "bits(fmodf(x, y)) | bits(remainderf(x, y)) | bits(fdimf(x, y)) | bits(nextafterf(x, y))",
    ),
    (
        "double x = {x}, y = {y};",
        "bits(fma(x, y, {x})) | bits(ldexp(x, {i} % 2000)) | bits(scalbn(y, {n}))",
    ),
    (
        "double x = {x}, w; int e; double m = modf(x, &w), f = frexp(x, &e);",
        "bits(m) | bits(w) | bits(f) | isfinite(x) ? e : 0 | ilogb(x) | bits(logb(x))",
    ),
    (
        "float x = {x}, w; int e; float m = modff(x, &w), f = frexpf(x, &e);",
        "bits(m) | bits(w) | bits(f) | isfinite(x) ? e : 0 | ilogbf(x)",
    ),
    (
        "double x = {x};",
        "bits(floor(x)) | bits(ceil(x)) | bits(trunc(x)) | bits(round(x)) | bits(rint(x)) | bits(sqrt(x)) | bits(fabs(x))",
    ),
    (
        "double x = {x}; if (!(fabs(x) < 1e9)) x = {n};",
        "lrint(x) | llrint(x) | lround(x) | llround(x) | lrintf(x) | lroundf(x)",
    ),
    ("double x = {x};", "!!isnan(x) | !!isinf(x) | !!isfinite(x) | !!isnormal(x) | !!signbit(x)"),
    ("int *p = calloc({n} + 1, 4); p[{n} % 1] = {i}; p = realloc(p, 40);", "p[0]"),
    ("char *p = malloc(8); strcpy(p, \"abc\"); p = realloc(p, 4 + {n});", "hash(p, 4)"),
    (
        "wchar_t s[] = L{s}, t[] = L{t}, d[40];",
        "wcslen(s) | sign(wcscmp(s, t)) | sign(wcsncmp(s, t, {n})) | wcscpy(d, s) == d | wcslen(wcscat(d, t)) | at(s, wcschr(s, {c}))",
    ),
    ("", "bits(difftime({l} / 3, {i}))"),
    (
        "unsigned u = {i}; unsigned long v = {l};",
        "__builtin_popcountl(v) | __builtin_parity(u) | __builtin_bswap32(u) | __builtin_bswap64(v) >> 3 | __builtin_clrsb(u) | ffs(u) | ffsl(v)",
    ),
];

const PRELUDE: &str = r#"#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>
static int sign(int v) { return (v > 0) - (v < 0); }
static long at(const void *from, const void *p) { return p ? (const char *)p - (const char *)from : -99; }
static long hash(const void *p, long n) {
  const unsigned char *b = p;
  unsigned long h = 7;
  for (long i = 0; i < n; i++) h = h * 31 + b[i];
  return h;
}
static long bits(double v) {
  long l;
  if (v != v) return 1;
  memcpy(&l, &v, 8);
  return l;
}
static int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
"#;

struct Settings {
    count: u64,
    seed: u64,
    keep: PathBuf,
}

fn settings(arguments: &[String]) -> Result<Settings, String> {
    let keep = std::env::temp_dir().join("fuzz-libc");
    let mut settings = Settings { count: 1000, seed: 1, keep };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().cloned().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--seed" => settings.seed = value()?.parse().map_err(|_| "a seed is a number")?,
            "--keep" => settings.keep = PathBuf::from(value()?),
            n => settings.count = n.parse().map_err(|_| format!("`{n}` is not understood"))?,
        }
    }
    Ok(settings)
}

/// A call: what comes before it, and its numbers.
struct Call {
    setup: String,
    values: Vec<String>,
}

fn call(dice: &mut Dice) -> Call {
    let (setup, values) = dice.pick(TEMPLATES);
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

/// Runs the task; the exit code.
pub fn run(arguments: &[String]) -> i32 {
    let outcome = settings(arguments).and_then(|settings| fuzz(&settings));
    outcome.unwrap_or_else(|message| {
        eprintln!("fuzz-libc: {message}");
        2
    })
}

fn fuzz(settings: &Settings) -> Result<i32, String> {
    const IN_A_PROGRAM: u64 = 100;
    let bolide = crate::attack::binary()?;
    let folder = std::env::temp_dir().join(format!("bolide-libc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
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
                match verify(&bolide, &folder, call, &gcc)? {
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
    let _ = std::fs::remove_dir_all(&folder);
    println!(
        "{done} calls: {different} different; {asked} verified: {proved} proved, {} wrong",
        complaints.len() - different
    );
    Ok(i32::from(!complaints.is_empty()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| e.to_string())
}

/// What gcc's binary and the interpreter print for the calls.
fn execute(folder: &Path, calls: &[Call]) -> Result<(Vec<String>, Vec<String>), String> {
    let (source, text, binary) =
        (folder.join("calls.c"), folder.join("calls.i"), folder.join("calls"));
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
    write(&source, &program)?;
    gcc(Command::new("gcc").args(["-E", "-w"]).arg(&source).arg("-o").arg(&text))?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-O0", "-w", "-fno-builtin", "-ffp-contract=off"]).arg(&text).arg("-lm");
    gcc(compiler.arg("-o").arg(&binary))?;
    let output = Command::new("timeout").arg("10").arg(&binary).output();
    let output = output.map_err(|e| e.to_string())?;
    let lines = |bytes: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
    };
    if !output.status.success() {
        return Err(format!("gcc's binary fails on {}", source.display()));
    }
    let text = std::fs::read(&text).map_err(|e| e.to_string())?;
    let mut sources = SourceMap::new();
    let text = String::from_utf8_lossy(&text).into_owned();
    let start = sources.add("calls.c", text).ok_or("the program is too large")?;
    let parsed = parse(&mut sources, start, &ParseOptions::default());
    let show = |diagnostics: &[bolide_base::Diagnostic], sources: &SourceMap| -> String {
        diagnostics.iter().map(|d| d.render_plain(sources)).collect()
    };
    if parsed.has_errors() {
        return Err(show(&parsed.diagnostics, &sources));
    }
    let lowered = lower(&[&parsed.unit], &sources, &Options::default())
        .map_err(|diagnostics| show(&diagnostics, &sources))?;
    let run = interpret(&lowered.program, &mut Inputs::default(), &Config::default());
    let mut ours = lines(&run.stdout);
    if !matches!(run.outcome, Outcome::Finished { .. }) {
        println!("the interpreter stops after {} calls: {:?}", ours.len(), run.outcome);
        ours.push(String::new());
    }
    Ok((lines(&output.stdout), ours))
}

fn gcc(command: &mut Command) -> Result<(), String> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|e| format!("cannot run gcc: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("gcc failed: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Verifies one number of a call; whether it was proved, or what is wrong.
fn verify(
    bolide: &Path,
    folder: &Path,
    call: &Call,
    printed: &str,
) -> Result<Result<bool, String>, String> {
    let Some(number) = printed.split_whitespace().nth(1) else { return Ok(Ok(false)) };
    let value = &call.values[0];
    let mut verdicts = Vec::new();
    for operator in ["!=", "=="] {
        let file = folder.join("verified.c");
        write(
            &file,
            &format!(
                "{PRELUDE}extern void reach_error(void);\nint main(void) {{\n  {}\n  \
                 if ((unsigned long)({value}) {operator} {}UL) reach_error();\n  return 0;\n}}\n",
                call.setup,
                number.parse::<i64>().map_err(|e| e.to_string())? as u64
            ),
        )?;
        let output = Command::new(bolide)
            .args(["verify", "-q", "--property", "unreach-call", "--timeout", "2s"])
            .args(["--memory", "2G"])
            .arg(&file)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let verdict = text.lines().last().and_then(|l| l.strip_prefix("RESULT: "));
        verdicts.push(verdict.unwrap_or("none").to_owned());
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

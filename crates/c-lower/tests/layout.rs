//! Sizes and offsets are gcc's: our numbers are given to gcc as static
//! assertions, for both data models.

mod common;

use bolide_c_lower::Options;
use common::*;
use std::io::Write;
use std::process::{Command, Stdio};

const RECORDS: &str = r"
struct A { char c; int i; short s; };
struct B { char c; long long l; char d; double f; };
struct C { unsigned a:3; int b:30; unsigned char c:4; long long d:33; };
struct D { char c; unsigned a:3; unsigned :0; unsigned b:7; char e; };
struct __attribute__((packed)) E { char c; int i; unsigned a:5, b:31; long double d; };
struct F { char c; struct { short s; char t; }; union { int i; double d; }; } __attribute__((aligned(16)));
union G { char c[5]; int i; struct A a; unsigned b:9; };
struct H { char c; int i __attribute__((packed)); short s __attribute__((aligned(8))); };
typedef int wide __attribute__((aligned(16)));
struct I { char c; wide w; char d; };
#pragma pack(push, 2)
struct J { char c; int i; long long l; unsigned a:20, b:20; };
#pragma pack(pop)
struct K { int n; char flexible[]; };
struct L { _Bool b:1; enum { X, Y } e:2; signed char c:3; long l:9; };
struct M { long double x; char c; __builtin_va_list v; float f; };
struct N { };
struct O { short a:5; short :3; int b:17; char c:7; char d:2; };
struct P { char c; double d[2]; long long l; };
enum Q { Q1 = 1 }; enum R { R1 = -1 }; enum S { S1 = 0x1ffffffffLL };
enum __attribute__((packed)) T { T1 = 200 };
struct U { enum Q q; enum T t; enum S s; };
";

const TYPES: &[&str] = &[
    "struct A",
    "struct B",
    "struct C",
    "struct D",
    "struct E",
    "struct F",
    "union G",
    "struct H",
    "struct I",
    "struct J",
    "struct K",
    "struct L",
    "struct M",
    "struct N",
    "struct O",
    "struct P",
    "enum Q",
    "enum R",
    "enum S",
    "enum T",
    "struct U",
    "long",
    "void *",
    "wchar",
    "long double",
    "int (*)[3]",
    "char[3][4]",
    "__builtin_va_list",
];

const OFFSETS: &[(&str, &str)] = &[
    ("struct A", "s"),
    ("struct B", "l"),
    ("struct B", "f"),
    ("struct D", "e"),
    ("struct E", "d"),
    ("struct F", "t"),
    ("struct F", "d"),
    ("struct H", "i"),
    ("struct H", "s"),
    ("struct I", "w"),
    ("struct I", "d"),
    ("struct J", "l"),
    ("struct K", "flexible"),
    ("struct M", "v"),
    ("struct M", "f"),
    ("struct P", "d"),
    ("struct P", "l"),
    ("struct P", "d[1]"),
    ("struct U", "s"),
];

fn compare(options: &Options, flags: &[&str]) {
    let mut main =
        String::from("int printf(const char *, ...); typedef int wchar; int main(void) {\n");
    for ty in TYPES {
        main += &format!(
            "printf(\"_Static_assert(sizeof({ty}) == %d, \\\"{ty}\\\");\\n\", (int)sizeof({ty}));\n"
        );
    }
    for (ty, field) in OFFSETS {
        main += &format!(
            "printf(\"_Static_assert(__builtin_offsetof({ty}, {field}) == %d, \\\"{ty}.{field}\\\");\\n\", (int)__builtin_offsetof({ty}, {field}));\n"
        );
    }
    main += "return 0; }\n";
    let lowered = lower_text(&format!("{RECORDS}{main}"), options).expect("lowers");
    let (asserts, _) = run(&lowered);
    assert_eq!(asserts.lines().count(), TYPES.len() + OFFSETS.len());
    let mut gcc = Command::new("gcc")
        .args(["-x", "c", "-w", "-fsyntax-only", "-"])
        .args(flags)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gcc runs");
    let text = format!("typedef int wchar;\n{RECORDS}{asserts}");
    gcc.stdin.take().expect("piped").write_all(text.as_bytes()).expect("gcc reads");
    let output = gcc.wait_with_output().expect("gcc ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn lp64() {
    compare(&options(&[]), &["-m64"]);
}

#[test]
fn ilp32_layout() {
    compare(&ilp32(), &["-m32"]);
}

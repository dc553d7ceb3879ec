//! The interpreter on small programs in text form.

use bolide_base::arena::Id;
use bolide_cfa::interpreter::{
    Choices, Config, Inputs, Interpreter, Observer, Outcome, Request, Source, Trace, View,
};
use bolide_cfa::text::{parse, print_plain};
use bolide_cfa::value::{Pointer, Value};
use bolide_cfa::{EdgeId, FunctionId, Program, VarId};
use expect_test::{Expect, expect};
use std::fmt::Write;

/// Writes down what happens.
struct Log<'a> {
    program: &'a Program,
    lines: String,
}

impl Observer for Log<'_> {
    fn assigned(&mut self, _: EdgeId, variable: VarId, value: Value) {
        let v = &self.program.variables[variable];
        // Addresses are not part of the contract.
        if let Value::Pointer(p) = value {
            let shown = if p.address == 0 { "null" } else { "pointer" };
            let _ = writeln!(self.lines, "{} = {shown}", v.name);
        } else {
            let _ = writeln!(self.lines, "{} = {value}", v.name);
        }
    }

    fn stored(&mut self, _: EdgeId, _: Pointer, value: Value) {
        match value {
            Value::Pointer(_) => self.lines += "store pointer\n",
            _ => writeln!(self.lines, "store {value}").unwrap(),
        }
    }

    fn entered(&mut self, function: FunctionId, arguments: &[Value]) {
        let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
        let name = &self.program.functions[function].name;
        let _ = writeln!(self.lines, "call {name}({})", arguments.join(", "));
    }

    fn left(&mut self, function: FunctionId, result: Option<Value>) {
        let name = &self.program.functions[function].name;
        let _ = match result {
            Some(v) => writeln!(self.lines, "{name} returns {v}"),
            None => writeln!(self.lines, "{name} returns"),
        };
    }
}

fn outcome(program: &Program, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Violation(c) => format!("violation: {}", program.checks[*c].description),
        Outcome::Undefined { reason, edge } => match edge {
            Some(e) => format!("undefined at e{}: {reason}", e.index()),
            None => format!("undefined: {reason}"),
        },
        other => format!("{other:?}"),
    }
}

fn run_text(text: &str, inputs: &[i128]) -> String {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut log = Log { program: &program, lines: String::new() };
    let config = Config { step_limit: 10_000, ..Config::default() };
    let mut choices = Inputs::ints(inputs.iter().copied());
    let run = Interpreter::new(&program).run_observed(&mut choices, &config, &mut log);
    let mut out = log.lines;
    if !run.stdout.is_empty() {
        let _ = writeln!(out, "stdout: {:?}", String::from_utf8_lossy(&run.stdout));
    }
    out + &outcome(&program, &run.outcome) + "\n"
}

fn check(text: &str, inputs: &[i128], expected: Expect) {
    expected.assert_eq(&run_text(text, inputs));
}

/// A straight-line `main` with some variables.
fn straight(ops: &[&str]) -> String {
    straight_on("LP64", "", ops)
}

fn straight_on(model: &str, declarations: &str, ops: &[&str]) -> String {
    let mut text = format!("program {model}\nentry main\n{declarations}\nfunction main()\n");
    text +=
        "  local a : i32\n  local b : i32\n  local u : u64\n  local c : bool\n  local d : f64\n";
    text += "  local s : i8\n  local p : ptr\n  local q : ptr\n  local n : i128\n  local w : u32\n";
    let _ = writeln!(text, "  entry L0 exit L{}", ops.len());
    for (i, op) in ops.iter().enumerate() {
        let _ = writeln!(text, "  L{i} -> L{} : {op}", i + 1);
    }
    text
}

const LOOP: &str = "program LP64
entry main
check C0 unreach-call \"sum is 6\"
global sum : i32 = 0:i32
function main() -> result : i32
  local n : i32
  entry L0 exit L6
  L0 -> L1 : n := nondet input \"__VERIFIER_nondet_int\"
  L1: loop
  L1 -> L2 : assume 0:i32 < n
  L1 -> L4 : assume n <= 0:i32
  L2 -> L3 : sum := sum + n
  L3 -> L1 : n := n - 1:i32
  L4 -> L5 : assume sum == 6:i32
  L4 -> L6 : result := sum
  L5: error C0
";

#[test]
fn loops_inputs_and_violations() {
    // L4 has an edge that is always enabled: the first one wins where both are.
    check(
        LOOP,
        &[2],
        expect![[r#"
        n = 2
        sum = 2
        n = 1
        sum = 3
        n = 0
        result = 3
        main returns 3
        Finished { status: Some(3) }
    "#]],
    );
    check(
        LOOP,
        &[3],
        expect![[r#"
        n = 3
        sum = 3
        n = 2
        sum = 5
        n = 1
        sum = 6
        n = 0
        violation: sum is 6
    "#]],
    );
}

#[test]
fn recursion_needs_no_stack_of_ours() {
    let text = "program LP64
entry main
function f(n : i32) -> result : i32
  local r : i32
  entry L0 exit L3
  L0 -> L1 : assume n != 0:i32
  L0 -> L3 : assume n == 0:i32
  L1 -> L2 : r := call f(n - 1:i32)
  L2 -> L3 : result := r + 1:i32
function main() -> result : i32
  entry L4 exit L6
  L4 -> L5 : result := call f(DEPTH:i32)
  L5 -> L6 : skip
";
    let run = |depth: &str| {
        let program = parse(&text.replace("DEPTH", depth)).unwrap();
        Interpreter::new(&program).run(&mut Inputs::default(), &Config::default()).outcome
    };
    assert_eq!(run("150000"), Outcome::Finished { status: Some(150000) });
    let Outcome::Undefined { reason, .. } = run("-1") else { panic!("no end") };
    assert_eq!(reason.to_string(), "too many nested calls");
}

#[test]
fn arithmetic() {
    check(
        &straight(&[
            "a := 2147483647:i32 + 1:i32",
            "s := i8(200:i32)",
            "w := u32(-1:i32) / 2:u32",
            "a := -7:i32 / 2:i32",
            "a := -7:i32 % 2:i32",
            "a := -8:i32 >> 1:i32",
            "w := 1:u32 << 33:i32",
            "u := u64(s)",
            "c := bool(256:i32)",
            "c := overflows_add(2147483647:i32, 1:i32)",
            "d := 1.0:f64 / 3.0:f64",
            "a := i32(d * 10.0:f64)",
            "n := i128(u) * i128(u)",
            "d := f64(n)",
            "d := sqrt(2.0:f64)",
            "a := (a < 0:i32) ? 1:i32 / 0:i32 : 5:i32",
            "a := i32(u) / (a - 5:i32)",
        ]),
        &[],
        expect![[r#"
            a = -2147483648
            s = -56
            w = 2147483647
            a = -3
            a = -1
            a = -4
            w = 2
            u = 18446744073709551560
            c = 1
            c = 1
            d = 0.3333333333333333
            a = 3
            n = -2066035336255469777856
            d = -2.0660353362554698e21
            d = 1.4142135623730951
            a = 5
            undefined at e16: division by zero
        "#]],
    );
}

#[test]
fn memory_is_bytes_with_bounds() {
    check(
        &straight(&[
            "p := alloc stack(8:u64) align 8",
            "i32[p] := 16909060:i32",
            "s := i8[p + 1:i64]",
            "i32[p]{3+5} := -1:i32",
            "a := i32[p]{3+5}",
            "w := u32[p]{3+5}",
            "a := i32[p]",
            "i32[p + 4:i64]{6+4} := 9:i32",
            "a := i32[p + 4:i64]{6+4}",
            "w := u32[p + 4:i64]{6+4}",
            "c := valid(p, 8:u64)",
            "c := valid(p + 1:i64, 8:u64)",
            "u := object_size(p + 100:i64)",
            "end(p)",
            "c := valid(p, 1:u64)",
            "a := i32[p]",
        ]),
        &[],
        expect![[r#"
            p = pointer
            store 16909060
            s = 3
            store -1
            a = -1
            w = 31
            a = 16909308
            store 9
            a = -7
            w = 9
            c = 1
            c = 0
            u = 8
            c = 0
            undefined at e15: access to an object whose life has ended
        "#]],
    );
    check(
        &straight(&["a := i32[null]"]),
        &[],
        expect![[r#"
        undefined at e0: access through a null pointer
    "#]],
    );
    check(
        &straight(&["p := alloc heap(4:u64) align 4", "i32[p + 1:i64] := 0:i32"]),
        &[],
        expect![[r#"
            p = pointer
            undefined at e1: access outside the bounds of an object
        "#]],
    );
}

#[test]
fn pointers_survive_copies_as_bytes_and_integers() {
    let text = straight_on(
        "ILP32",
        "object x size 4 align 4\n  0 = 7:i32\nobject y size 16 align 4",
        &[
            "ptr[&y] := &x",
            "copy(&y + 4:i32, &y, 4:u32)",
            // Byte by byte into an odd place.
            "u8[&y + 9:i32] := u8[&y + 4:i32]",
            "u8[&y + 10:i32] := u8[&y + 5:i32]",
            "u8[&y + 11:i32] := u8[&y + 6:i32]",
            "u8[&y + 12:i32] := u8[&y + 7:i32]",
            "a := i32[ptr[&y + 4:i32]]",
            "a := i32[ptr[&y + 9:i32]]",
            "w := u32(ptr[&y])",
            "a := i32[ptr(w)]",
            "c := ptr(w) == &x",
            "c := &x == &y",
            "a := (&y + 12:i32) - &y",
            "ptr[&y + 1:i32] := &x",
            "a := i32[ptr[&y + 1:i32]]",
            "a := i32[ptr[&y]]",
        ],
    );
    check(
        &text,
        &[],
        expect![[r#"
        store pointer
        store 0
        store 160
        store 4
        store 8
        a = 7
        a = 7
        w = 134520832
        a = 7
        c = 1
        c = 0
        a = 12
        store pointer
        a = 7
        undefined at e15: access to an address where no object lives
    "#]],
    );
}

#[test]
fn the_heap_is_watched() {
    let text = straight_on(
        "LP64",
        "global g : ptr",
        &[
            "c := heap_in_use",
            "p := alloc heap(16:u64) align 16 zeroed",
            "q := alloc heap(8:u64) align 16",
            "c := freeable(p)",
            "c := freeable(p + 8:i64)",
            "c := freeable(null)",
            "ptr[p + 8:i64] := q",
            "q := null",
            "c := leaked",
            "g := p",
            "p := null",
            "c := leaked",
            "i64[g + 8:i64] := 0:i64",
            "c := leaked",
            "free(g)",
            "c := freeable(g)",
            "c := heap_in_use",
            "free(null)",
            "free(g)",
        ],
    );
    check(
        &text,
        &[],
        expect![[r#"
        c = 0
        p = pointer
        q = pointer
        c = 1
        c = 0
        c = 1
        store pointer
        q = null
        c = 0
        g = pointer
        p = null
        c = 0
        store 0
        c = 1
        c = 0
        c = 1
        undefined at e18: access to an object whose life has ended
    "#]],
    );
    check(
        &straight(&["p := alloc stack(4:u64) align 4", "free(p)"]),
        &[],
        expect![[r#"
        p = pointer
        undefined at e1: free of memory that was not allocated
    "#]],
    );
}

#[test]
fn constants_cannot_be_written() {
    let text = |op: &str| {
        let declarations = "object \"hi\" size 3 align 1 constant\n  0 = 104:i8\n  1 = 105:i8";
        straight_on("LP64", &declarations.replace("\"hi\"", "`\"hi\"`"), &[op])
    };
    check(
        &text("output puts(&`\"hi\"`)"),
        &[],
        expect![[r#"
        main returns
        stdout: "hi\n"
        Finished { status: Some(0) }
    "#]],
    );
    check(
        &text("u8[&`\"hi\"`] := 1:u8"),
        &[],
        expect![[r#"
        undefined at e0: write to a constant
    "#]],
    );
}

#[test]
fn output() {
    let text = straight_on(
        "LP64",
        "object f size 13 align 1\n  0 = 7236837:i32\n  4 = 0:i32\nobject g size 8 align 1\n  0 = 8385565046850348133:u64",
        &[
            "u8[&f] := 37:u8",
            "u8[&f + 1:i64] := 100:u8",
            "u8[&f + 2:i64] := 10:u8",
            "u8[&f + 3:i64] := 0:u8",
            "a := output printf(&f, -42:i32)",
            "a := output putchar(65:i32)",
            "output puts(&f)",
            "output puts(&g)",
        ],
    );
    check(
        &text,
        &[],
        expect![[r#"
        store 37
        store 100
        store 10
        store 0
        a = 4
        a = 65
        stdout: "-42\nA%d\n\n"
        undefined at e7: access outside the bounds of an object
    "#]],
    );
}

#[test]
fn calls_through_pointers() {
    let text = "program LP64
entry main
object table size 16 align 8
  0 = fn inc
  8 = fn dec
function inc(x : i32) -> result : i32
  entry L0 exit L1
  L0 -> L1 : result := x + 1:i32
function dec(x : i32) -> result : i32
  entry L2 exit L3
  L2 -> L3 : result := x - 1:i32
function main() -> result : i32
  local i : i64
  local f : ptr
  entry L4 exit L7
  L4 -> L5 : i := nondet input \"i\"
  L5 -> L6 : f := ptr[&table + (i * 8:i64)]
  L6 -> L7 : result := call [f](10:i32) among inc, dec
";
    check(
        text,
        &[1],
        expect![[r#"
        i = 1
        f = pointer
        call dec(10)
        result = 9
        dec returns 9
        result = 9
        main returns 9
        Finished { status: Some(9) }
    "#]],
    );
    check(
        text,
        &[2],
        expect![[r#"
        i = 2
        undefined at e3: access outside the bounds of an object
    "#]],
    );
    check(
        &straight(&["p := alloc heap(4:u64) align 4", "call [p]()"]),
        &[],
        expect![[r#"
        p = pointer
        undefined at e1: call through a pointer that is no function
    "#]],
    );
}

#[test]
fn unknown_values_come_from_choices() {
    struct Sevens;
    impl Choices for Sevens {
        fn value(&mut self, request: &Request<'_>) -> Option<Value> {
            (!matches!(request.source, Source::Input(_))).then(|| Value::from_bits(request.ty, 7))
        }
    }
    let text = straight(&[
        "a := nondet uninitialized",
        "p := alloc heap(8:u64) align 8",
        "u8[p + 1:i64] := 0:u8",
        "b := i32[p]",
        "b := i32[p]",
        "a := nondet input \"f\"",
    ]);
    let program = parse(&text).unwrap();
    let mut log = Log { program: &program, lines: String::new() };
    let config = Config::default();
    let run = Interpreter::new(&program).run_observed(&mut Sevens, &config, &mut log);
    assert_eq!(run.outcome, Outcome::OutOfInputs);
    assert!(run.used_unknown);
    assert_eq!(log.lines, "a = 7\np = pointer\nstore 0\nb = 7\nb = 7\n");
}

#[test]
fn limits() {
    let text = "program LP64\nentry main\nfunction main()\n  entry L0 exit L1\n  L0 -> L0 : skip\n";
    let program = parse(text).unwrap();
    let config = Config { step_limit: 1000, trace: Trace::Last(10), ..Config::default() };
    let run = Interpreter::new(&program).run(&mut Inputs::default(), &config);
    assert_eq!(run.outcome, Outcome::StepLimit);
    assert_eq!(run.steps, 1000);
    assert!((10..=20).contains(&run.trace.len()));
    let config = Config::default();
    config.budget.stop(bolide_base::Exhausted::Time);
    let run = Interpreter::new(&program).run(&mut Inputs::default(), &config);
    assert_eq!(run.outcome, Outcome::Exhausted(bolide_base::Exhausted::Time));
    check(
        &straight(&["p := alloc heap(18446744073709551615:u64) align 1"]),
        &[],
        expect![[r#"
        OutOfMemory
    "#]],
    );
    check(
        &straight(&["assume false"]),
        &[],
        expect![[r#"
        Blocked
    "#]],
    );
    check(
        &straight(&["halt(3:i32)"]),
        &[],
        expect![[r#"
        Finished { status: Some(3) }
    "#]],
    );
}

#[test]
fn observers_see_the_state() {
    struct Sum<'a>(&'a Program, Vec<String>);
    impl Observer for Sum<'_> {
        fn step(&mut self, edge: EdgeId, view: &View<'_>) {
            let variables = self.0.variables.iter();
            let seen: Vec<String> = variables
                .filter_map(|(id, v)| Some(format!("{}={}", v.name, view.variable(id)?)))
                .collect();
            self.1.push(format!("e{} {}", edge.index(), seen.join(" ")));
        }
    }
    let program = parse(LOOP).unwrap();
    let mut sum = Sum(&program, Vec::new());
    let config = Config::default();
    Interpreter::new(&program).run_observed(&mut Inputs::ints([1]), &config, &mut sum);
    expect![[r#"
        e0 sum=0 result=0 n=0
        e1 sum=0 result=0 n=1
        e3 sum=0 result=0 n=1
        e4 sum=1 result=0 n=1
        e2 sum=1 result=0 n=0
        e6 sum=1 result=0 n=0"#]]
    .assert_eq(&sum.1.join("\n"));
    assert!(print_plain(&program).contains("loop"));
}

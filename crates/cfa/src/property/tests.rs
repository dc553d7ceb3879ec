//! Tests of property files, automata and formulas.

use super::*;
use crate::interpreter::{self, Config, Inputs, Outcome};
use crate::program::Program;
use crate::{product::product, text};
use bolide_base::SourceMap;
use bolide_base::Span;
use bolide_testing::Dice;
use expect_test::{Expect, expect};

fn errors(text: &str, errors: &[Diagnostic]) -> String {
    let mut sources = SourceMap::new();
    sources.add("spec", text.to_owned());
    errors.iter().map(|e| e.render_plain(&sources)).collect()
}

/// Texts in a source map start at offset 1.
const START: u32 = 1;

fn check_file(text: &str, expected: Expect) {
    let out = match parse_property_file(text, START) {
        Ok(file) => format!("{} {:?}", file.entry, file.specifications),
        Err(found) => errors(text, &found),
    };
    expected.assert_eq(&out);
}

#[test]
fn property_files_in_all_forms() {
    check_file(
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
        expect![[r#"main [NeverCalled("reach_error")]"#]],
    );
    check_file(
        "CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )",
        expect![[r#"main [NeverCalled("__VERIFIER_error")]"#]],
    );
    check_file(
        "CHECK( init(start()), LTL(G ! label(ERROR)) )",
        expect![[r#"start [NeverAt("ERROR")]"#]],
    );
    check_file(
        "CHECK( init(main()), LTL(G valid-free) )
CHECK( init(main()), LTL(G valid-deref) )
CHECK( init(main()), LTL(G valid-memtrack) )
",
        expect!["main [Property(ValidFree), Property(ValidDeref), Property(ValidMemtrack)]"],
    );
    check_file(
        "CHECK( init(main()), LTL(G valid-memcleanup) )",
        expect!["main [Property(ValidMemcleanup)]"],
    );
    check_file("CHECK( init(main()), LTL(G ! overflow) )", expect!["main [Property(NoOverflow)]"]);
    check_file(
        "CHECK( init(main()), LTL(G (call(lock()) -> X (!call(lock()) W call(unlock())))) )",
        expect![[
            r#"main [Formula(Globally(Implies(Call("lock"), Next(WeakUntil(Not(Call("lock")), Call("unlock"))))))]"#
        ]],
    );
}

#[test]
fn property_files_that_are_refused() {
    check_file(
        "CHECK( init(main()), LTL(G ! data-race) )",
        expect![[r#"
        spec:1:26: error: data races are not checked: programs with threads are not supported
    "#]],
    );
    check_file(
        "CHECK( init(main()), LTL(F end) )",
        expect![[r#"
        spec:1:26: error: termination (`F end`) is not a safety property and is not checked
    "#]],
    );
    check_file(
        "CHECK( init(main()), FQL(COVER EDGES(@BASICBLOCKENTRY)) )",
        expect![[r#"
            spec:1:22: error: coverage criteria (FQL) are not supported: they ask for tests, not for a proof
        "#]],
    );
    check_file(
        "CHECK( init(main()), LTL(G valid-magic) )\nCHECK( init(main() LTL(G ! overflow) )",
        expect![[r#"
            spec:1:26: error: `valid-magic` is not a property that is known
              help: known are assert, ! overflow, ! div-by-zero, valid-shift, valid-deref, valid-free, valid-memtrack, valid-memcleanup, ! call(f()), ! label(L)
            spec:2:20: error: expected `)`, found `LTL`
        "#]],
    );
    check_file(
        "",
        expect![[r#"
        spec:1:1: error: expected `CHECK( init(main()), LTL(...) )`, found the end of the text
    "#]],
    );
}

const LOCKS: &str = r#"
program LP64
entry main
function lock(l : ptr)
function unlock(m : ptr)
object a size 4 align 4
object b size 4 align 4
function main() -> result : i32
  local x : i32
  entry L0 exit L4
  L0 -> L1 : x := nondet input "__VERIFIER_nondet_int"
  L1 -> L2 : assume x == 0:i32
  L1 -> L3 : assume x != 0:i32
  L2 -> L3 : external lock(&a) pure
  L3 -> L5 : external lock(&b) pure
  L5 -> L4 : external unlock(&b) pure
"#;

fn watched(spec: &str) -> Program {
    let automaton = parse_automaton(spec, START).unwrap_or_else(|e| panic!("{}", errors(spec, &e)));
    let program = text::parse(LOCKS).unwrap_or_else(|e| panic!("{e}"));
    match product(program, &[automaton]) {
        Ok(mapped) => mapped.program,
        Err(e) => panic!("{}", errors(spec, &e)),
    }
}

fn outcome(program: &Program, input: i128) -> String {
    let run = interpreter::run(program, &mut Inputs::ints([input]), &Config::default());
    match run.outcome {
        Outcome::Violation(check) => program.checks[check].description.clone(),
        other => format!("{other:?}"),
    }
}

#[test]
fn events_of_blast() {
    let program = watched(
        "global int locked = 0;
event { pattern { lock($?); } guard { locked == 0 } action { locked = 1; } }
event { pattern { unlock($1); } guard { locked == 1 && $1 != 0 } action { locked--; } }",
    );
    expect![[r#"
        program LP64
        entry main

        object a size 4 align 4
        object b size 4 align 4
        global events.locked'4 : i32 = 0:i32
        check C0 automaton "events: the guard of the call of `lock` does not hold"
        check C1 automaton "events: the guard of the call of `lock` does not hold"
        check C2 automaton "events: the guard of the call of `unlock` does not hold"

        function lock(l'0 : ptr)

        function unlock(m : ptr)

        function main() -> result : i32
          local x : i32
          entry L0 exit L4
          L0 -> L1 : x := nondet input "__VERIFIER_nondet_int"
          L1 -> L2 : assume x == 0:i32
          L1 -> L3 : assume x != 0:i32
          L7 -> L3 : external lock(&a) pure
          L12 -> L5 : external lock(&b) pure
          L17 -> L4 : external unlock(&b) pure
          L2 -> L6 : skip
          L6 -> L8 : assume events.locked != 0:i32
          L6 -> L9 : assume events.locked == 0:i32
          L9 -> L10 : events.locked := 1:i32
          L10 -> L7 : skip
          L3 -> L11 : skip
          L11 -> L13 : assume events.locked != 0:i32
          L11 -> L14 : assume events.locked == 0:i32
          L14 -> L15 : events.locked := 1:i32
          L15 -> L12 : skip
          L5 -> L16 : skip
          L16 -> L18 : assume !((events.locked == 1:i32) & (&b != null))
          L16 -> L19 : assume (events.locked == 1:i32) & (&b != null)
          L19 -> L20 : events.locked := events.locked - 1:i32
          L20 -> L17 : skip
          L8: error C0
          L13: error C1
          L18: error C2
    "#]]
    .assert_eq(&text::print_plain(&program));
    expect!["events: the guard of the call of `lock` does not hold"]
        .assert_eq(&outcome(&program, 0));
    expect!["Finished { status: Some(0) }"].assert_eq(&outcome(&program, 1));
}

#[test]
fn automata_of_cpachecker() {
    let program = watched(
        r#"OBSERVER AUTOMATON Locks
LOCAL int depth = 0;
LOCAL void * held = 0;
INITIAL STATE Free;
STATE USEFIRST Free :
  MATCH {lock($1)} -> DO depth = depth + 1 DO held = $1 GOTO Held;
  MATCH FUNCTIONCALL "unlock" -> ERROR("unlock without lock");
STATE USEFIRST Held :
  MATCH {unlock($1)} && held == $1 ASSERT depth == 1 -> DO depth = 0 GOTO Free;
  MATCH {lock($?)} -> ERROR("locked twice");
  MATCH EXIT -> ERROR("left locked");
END AUTOMATON"#,
    );
    expect!["Locks: locked twice"].assert_eq(&outcome(&program, 0));
    expect!["Finished { status: Some(0) }"].assert_eq(&outcome(&program, 1));
}

#[test]
fn mistakes_in_automata_have_places() {
    let check = |spec: &str, expected: Expect| {
        let found = match parse_automaton(spec, START) {
            Err(e) => e,
            Ok(automaton) => {
                let program = text::parse(LOCKS).unwrap();
                product(program, &[automaton]).expect_err("a mistake")
            }
        };
        expected.assert_eq(&errors(spec, &found));
    };
    check(
        "global int x = 0; event { guard { x == 0 } }",
        expect![[r#"
        spec:1:19: error: the event has no pattern
    "#]],
    );
    check(
        "event { pattern { lock( } }",
        expect![[r#"
        spec:1:25: error: expected `$?`, `$1`, a number or a name, found `}`
    "#]],
    );
    check(
        "event { pattern { lock($1); } guard { y == $2 } }",
        expect![[r#"
        spec:1:39: error: `y` is neither a variable of the automaton nor a global variable of the program whose address is not taken
        spec:1:44: error: the pattern does not match anything as `$2`
    "#]],
    );
    check(
        "OBSERVER AUTOMATON A\nINITIAL STATE S;\nSTATE S :\n MATCH EXIT -> GOTO T;\nEND AUTOMATON",
        expect![[r#"
            spec:4:21: error: there is no state `T`
        "#]],
    );
    check(
        "AUTOMATON A INITIAL STATE S; STATE S : MATCH \"x.*\" -> ERROR; END AUTOMATON",
        expect![[r#"
            spec:1:46: error: expected `{statement}`, `LABEL`, `FUNCTIONCALL`, `ENTRY` or `EXIT`, found "x.*"
              help: regular expressions (`MATCH "..."` and `[...]`) are not supported
        "#]],
    );
    check(
        "global float x;",
        expect![[r#"
        spec:1:14: error: `float` is not a type that automata know
          help: variables of automata are integers or pointers (`int`, `long`, `void *`)
    "#]],
    );
}

fn automaton_text(formula: &str) -> String {
    let parsed = match ltl::parse(formula, START) {
        Ok(parsed) => parsed,
        Err(e) => return errors(formula, &e),
    };
    match ltl::bad_prefixes(&parsed, Span::new(START, START + formula.len() as u32)) {
        Err(e) => errors(formula, &[e]),
        Ok(automaton) => automaton
            .states
            .iter()
            .map(|state| {
                let mut line = format!("{}:", state.name);
                for t in &state.transitions {
                    let Some(f) = called(&t.trigger) else { continue };
                    line += &match &t.target {
                        Target::State(to) => format!(" {f} -> S{to}"),
                        _ => format!(" {f} -> error"),
                    };
                }
                line + "\n"
            })
            .collect(),
    }
}

#[test]
fn formulas_become_automata_of_bad_prefixes() {
    let check = |formula: &str, expected: Expect| expected.assert_eq(&automaton_text(formula));
    check(
        "G ! call(f)",
        expect![[r#"
        S0: f -> error
    "#]],
    );
    check(
        "G (call(lock) -> X (!call(lock) W call(unlock)))",
        expect![[r#"
        S0: lock -> S1
        S1: lock -> error unlock -> S0
    "#]],
    );
    check(
        "!call(use) W call(init)",
        expect![[r#"
        S0: use -> error init -> S1
        S1:
    "#]],
    );
    check(
        "!(F call(f))",
        expect![[r#"
        S0: f -> error
    "#]],
    );
    check(
        "!(call(a) U call(b))",
        expect![[r#"
        S0: b -> error
    "#]],
    );
    check(
        "call(a) R !call(b)",
        expect![[r#"
        S0: a -> S1 b -> error
        S1:
    "#]],
    );
    check(
        "X X call(a) <-> true",
        expect![[r#"
        S0: a -> S1
        S1: a -> S2
        S2: a -> S3
        S3:
    "#]],
    );
}

#[test]
fn formulas_that_are_refused() {
    let check = |formula: &str, expected: Expect| expected.assert_eq(&automaton_text(formula));
    check(
        "G (call(req) -> F call(ack))",
        expect![[r#"
        spec:1:1: error: the formula is not a safety property: something must happen eventually (`F`)
          help: only properties that a finite run can violate are checked; a weak until `W` does not demand that its right side happens
    "#]],
    );
    check(
        "call(a) U call(b)",
        expect![[r#"
        spec:1:1: error: the formula is not a safety property: something must happen eventually (the right side of `U`)
          help: only properties that a finite run can violate are checked; a weak until `W` does not demand that its right side happens
    "#]],
    );
    check(
        "G x",
        expect![[r#"
        spec:1:3: error: `x` is no atom of a formula
          help: atoms are written `call(f)`
    "#]],
    );
    check(
        "G (call(a)",
        expect![[r#"
        spec:1:11: error: expected `)`, found the end of the text
    "#]],
    );
}

/// The automaton against the semantics of the formula on all short words.
#[test]
fn automata_agree_with_the_semantics() {
    use ltl::Formula;
    // Weak finite semantics: what may still become true counts as true. A
    // bad prefix is one that is false so, up to prefixes that are not informative.
    fn holds(f: &Formula, word: &[&str], at: usize) -> bool {
        let more = at < word.len();
        match f {
            Formula::Constant(b) => *b,
            Formula::Call(name) => !more || word[at] == name,
            Formula::Not(a) => match &**a {
                Formula::Call(name) => !more || word[at] != name,
                _ => unreachable!("normal form"),
            },
            Formula::And(a, b) => holds(a, word, at) && holds(b, word, at),
            Formula::Or(a, b) => holds(a, word, at) || holds(b, word, at),
            Formula::Next(a) => !more || holds(a, word, at + 1),
            Formula::Globally(a) => !more || (holds(a, word, at) && holds(f, word, at + 1)),
            Formula::WeakUntil(a, b) => {
                !more || holds(b, word, at) || (holds(a, word, at) && holds(f, word, at + 1))
            }
            Formula::Release(a, b) => {
                !more || (holds(b, word, at) && (holds(a, word, at) || holds(f, word, at + 1)))
            }
            _ => unreachable!("normal form"),
        }
    }
    fn formula(dice: &mut Dice, depth: usize) -> Formula {
        let choice = dice.roll(if depth == 0 { 2 } else { 8 });
        let name = dice.pick(&["a", "b"]).to_owned();
        let mut sub = || Box::new(formula(dice, depth.saturating_sub(1)));
        match choice {
            0 => Formula::Call(name),
            1 => Formula::Not(Box::new(Formula::Call(name))),
            2 => Formula::And(sub(), sub()),
            3 => Formula::Or(sub(), sub()),
            4 => Formula::Next(sub()),
            5 => Formula::Globally(sub()),
            6 => Formula::WeakUntil(sub(), sub()),
            _ => Formula::Release(sub(), sub()),
        }
    }
    for seed in 0..300 {
        let f = formula(&mut Dice::new(seed), 3);
        let automaton = ltl::bad_prefixes(&f, Span::NONE).unwrap();
        for code in 0..64usize {
            let word: Vec<&str> = (0..6).map(|i| ["a", "b"][code >> i & 1]).collect();
            for length in 0..=6 {
                let (mut state, mut error) = (automaton.initial, false);
                for letter in &word[..length] {
                    let step = automaton.states[state]
                        .transitions
                        .iter()
                        .find(|t| called(&t.trigger).is_some_and(|name| name == *letter));
                    match step.map(|t| &t.target) {
                        Some(Target::State(to)) => state = *to,
                        Some(_) => {
                            error = true;
                            break;
                        }
                        None => {}
                    }
                }
                let mentions_all =
                    ["a", "b"].iter().all(|n| format!("{f:?}").contains(&format!("{n:?}")));
                if mentions_all {
                    assert_eq!(
                        error,
                        !holds(&f, &word[..length], 0),
                        "{f:?} on {:?}",
                        &word[..length]
                    );
                }
            }
        }
    }
}

/// The function to whose call a trigger reacts.
fn called(trigger: &Trigger) -> Option<&str> {
    match trigger {
        Trigger::Statement(StatementPattern::Call { function, .. }) => function.as_deref(),
        _ => None,
    }
}

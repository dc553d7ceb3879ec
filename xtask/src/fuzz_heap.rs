//! `cargo xtask fuzz-heap N [--seed S]`: random entailments about lists and (every
//! other one) binary trees, decided by the heap logic and by MONA. The two share no line: MONA works on
//! automata over strings and trees, and knows no axioms of reachability.
//!
//! A disagreement is printed with the input for MONA. When the heap logic
//! proves what MONA refutes, it is unsound; when it fails to prove what MONA proves, it is
//! incomplete where it should not be. Both fail the run.

use crate::random::Random;
use bolide_base::Budget;
use bolide_heap::mona::ListProblem;
use bolide_heap::mona::trees::{Atom, Object, Side, TreeProblem};
use bolide_heap::{FieldId, Formula, Kind, Signature, Symbol, Term};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs; the exit code says whether all agreed.
pub fn run(arguments: &[String]) -> i32 {
    let number = |word: &str| {
        let at = arguments.iter().position(|a| a == word)?;
        arguments.get(at + 1)?.parse::<u64>().ok()
    };
    let count = arguments.first().and_then(|a| a.parse::<u64>().ok()).unwrap_or(200);
    let seed = number("--seed").unwrap_or(1);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut valid, mut bad) = (0, 0);
    for round in 0..count {
        let question = match round % 2 {
            0 => Question::List(Box::new(problem(&mut random))),
            _ => Question::Tree(tree_problem(&mut random)),
        };
        let judge = match mona(&question.to_mona()) {
            Ok(answer) => answer,
            Err(why) => {
                eprintln!("fuzz-heap: {why}");
                return 2;
            }
        };
        valid += u64::from(judge);
        match question.entailed() {
            Ok(ours) if ours == judge => {}
            other => {
                bad += 1;
                println!("round {round}: MONA says {judge}, the heap logic {other:?}");
                question.show();
            }
        }
    }
    println!("{count} entailments, {valid} of them valid, {bad} disagreements (seed {seed})");
    i32::from(bad > 0)
}

enum Question {
    List(Box<ListProblem>),
    Tree(TreeProblem),
}

impl Question {
    fn to_mona(&self) -> String {
        match self {
            Question::List(problem) => problem.to_mona(),
            Question::Tree(problem) => problem.to_mona(),
        }
    }

    fn entailed(&self) -> Result<bool, bolide_heap::Undecided> {
        match self {
            Question::List(problem) => problem.entailed(&Budget::unlimited()),
            Question::Tree(problem) => problem.entailed(&Budget::unlimited()),
        }
    }

    fn show(&self) {
        match self {
            Question::List(problem) => {
                println!("  {}", problem.signature.show(&problem.hypothesis));
                println!("  |= {}", problem.signature.show(&problem.goal));
            }
            Question::Tree(problem) => println!("  {problem:?}"),
        }
    }
}

/// A random entailment about trees with a few literals.
fn tree_problem(random: &mut Random) -> TreeProblem {
    let written = random.below(3) > 0;
    let side = |random: &mut Random| [Side::Left, Side::Right][random.below(2) as usize];
    let object = |random: &mut Random| match random.below(8) {
        0 => Object::Null,
        1 | 2 => {
            let after = written && random.below(2) == 0;
            Object::Child(side(random), random.below(3) as usize, after)
        }
        _ => Object::Variable(random.below(3) as usize),
    };
    let literal = |random: &mut Random| {
        let atom = match random.below(6) {
            0 | 1 => Atom::Equal(object(random), object(random)),
            2 => Atom::InSet(object(random)),
            _ => Atom::Below(object(random), object(random), written && random.below(2) == 0),
        };
        (random.below(3) > 0, atom)
    };
    let hypotheses = (0..1 + random.below(4)).map(|_| literal(random)).collect();
    let goals = (0..1 + random.below(2)).map(|_| literal(random)).collect();
    let at = random.below(3) as usize;
    let value = random.below(3) as usize;
    let written = written.then(|| (at, side(random), value));
    TreeProblem { variables: 3, written, hypotheses, goals }
}

/// A random entailment with a few literals.
fn problem(random: &mut Random) -> ListProblem {
    let mut signature = Signature::default();
    let variables: Vec<Symbol> =
        ["x", "y", "z"].iter().map(|n| signature.variable(*n, Kind::Object)).collect();
    let next = signature.field("next", Kind::Object);
    let set = signature.field("S", Kind::Truth);
    let after = signature.field("after", Kind::Object);
    let written = random.below(3) > 0;
    let (at, value) = (variables[random.below(3) as usize], variables[random.below(3) as usize]);
    let mut hypothesis: Vec<Formula> = (0..1 + random.below(4))
        .map(|_| literal(random, &variables, next, after, set, written))
        .collect();
    if written {
        hypothesis.push(Formula::ne(Term::Var(at), Term::Null));
    }
    let goals = 1 + random.below(2);
    let goal =
        Formula::or((0..goals).map(|_| literal(random, &variables, next, after, set, written)));
    ListProblem {
        signature,
        backbone: next,
        written: written.then_some((after, at, value)),
        hypothesis: Formula::and(hypothesis),
        goal,
    }
}

fn literal(
    random: &mut Random,
    variables: &[Symbol],
    next: FieldId,
    after: FieldId,
    set: FieldId,
    written: bool,
) -> Formula {
    let field = if written && random.below(2) == 0 { after } else { next };
    let term = |random: &mut Random| match random.below(8) {
        0 => Term::Null,
        1 => Term::read(next, Term::Var(variables[random.below(3) as usize])),
        2 if written => Term::read(after, Term::Var(variables[random.below(3) as usize])),
        _ => Term::Var(variables[random.below(3) as usize]),
    };
    let atom = match random.below(5) {
        0 => Formula::Eq(term(random), term(random)),
        1 => Formula::Holds(set, term(random)),
        2 => Formula::Btwn(field, term(random), term(random), term(random)),
        _ => Formula::reach(field, term(random), term(random)),
    };
    if random.below(3) == 0 { atom.negate() } else { atom }
}

/// Whether MONA finds the formula valid.
fn mona(text: &str) -> Result<bool, String> {
    let file = std::env::temp_dir().join(format!("bolide-fuzz-heap-{}.mona", std::process::id()));
    let mut out = std::fs::File::create(&file).map_err(|e| e.to_string())?;
    out.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
    drop(out);
    let output = Command::new("mona")
        .args(["-q"])
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run `mona` (Debian: `apt install mona`): {e}"))?;
    let _ = std::fs::remove_file(&file);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.contains("Formula is valid") {
        Ok(true)
    } else if text.contains("counter-example") || text.contains("unsatisfiable") {
        Ok(false)
    } else {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(format!("no answer from MONA: {text}{errors}"))
    }
}

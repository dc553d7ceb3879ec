//! `cargo xtask fuzz-heap N [--seed S]`: random entailments about lists and binary trees,
//! decided by the heap logic and by MONA. The two share no line: MONA works on automata over strings
//! and trees, and knows no axioms of reachability, no update formula and no instances.
//!
//! Six kinds take turns: lists, with up to two writes; trees with a new child, where the judge follows children and
//! not parents; trees with writes of any sort, to the children and to the parent; lists in
//! a context as Boolean heaps make it, "every object is of one of these kinds"; trees in such a context; and lists
//! with a derived field that points back.
//!
//! A disagreement is printed with the input for MONA. When the heap logic refutes what MONA has an
//! example for, it is unsound; when it says that a state exists for certain (`Certainty::Decided`) which MONA
//! refutes, it is incomplete where it should not be. Both fail the run. Where it only says that it found no
//! refutation, one of MONA is counted as missed. An example of MONA that came by approximation proves nothing.

use crate::experiment::{Scratch, output};
use crate::mona::problem::{Problem, Write, Written};
use crate::mona::simulation::Simulation;
use crate::mona::trees::{Atom, Object, Side, TreeProblem};
use bolide_base::Budget;
use bolide_heap::lists::List;
use bolide_heap::trees::Tree;
use bolide_heap::{Certainty, FieldId, Formula, Kind, Symbol, Term};
use bolide_testing::Dice;
use std::collections::BTreeMap;
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    #[arg(default_value_t = 200)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Whether all agreed.
pub fn run(Settings { count, seed }: Settings) -> Result<bool, String> {
    let mut dice = Dice::new(seed);
    let mut tallies: [Tally; KINDS.len()] = Default::default();
    for round in 0..count {
        let kind = (round % KINDS.len() as u64) as usize;
        let compared = match kind {
            0 => compare(&lists(&mut dice, false, false)),
            1 => compare_children(&tree_problem(&mut dice)),
            2 => compare(&trees(&mut dice, false)),
            3 => compare(&lists(&mut dice, true, false)),
            4 => compare(&trees(&mut dice, true)),
            _ => compare(&lists(&mut dice, false, true)),
        };
        let Compared { valid, outcome } =
            compared.map_err(|why| format!("round {round} ({}): {why}", KINDS[kind]))?;
        let mut counted = vec!["entailments"];
        counted.extend(valid.then_some("of them valid"));
        match outcome {
            Agreement::Same => {}
            Agreement::Missed => counted.push("missed outside of the fragment"),
            Agreement::Unjudged => counted.push("approximated by the judge"),
            Agreement::Disagreement(why) => {
                counted.push("disagreements");
                println!("round {round} ({}): {why}", KINDS[kind]);
            }
        }
        counted.into_iter().for_each(|what| *tallies[kind].entry(what).or_default() += 1);
    }
    let mut sum = Tally::default();
    for (kind, tally) in KINDS.iter().zip(&tallies) {
        println!("{kind}: {}", words(tally));
        tally.iter().for_each(|(what, n)| *sum.entry(what).or_default() += n);
    }
    println!("all: {} (seed {seed})", words(&sum));
    Ok(!sum.contains_key("disagreements"))
}

/// How often what was seen.
type Tally = BTreeMap<&'static str, u64>;

fn words(tally: &Tally) -> String {
    let words = [
        "entailments",
        "of them valid",
        "disagreements",
        "missed outside of the fragment",
        "approximated by the judge",
    ];
    words.map(|what| format!("{} {what}", tally.get(what).unwrap_or(&0))).join(", ")
}

const KINDS: [&str; 6] = [
    "lists",
    "trees with a new child",
    "trees",
    "lists of some kinds of objects",
    "trees of some kinds of objects",
    "lists with a derived field",
];

struct Compared {
    /// MONA has no example against it.
    valid: bool,
    outcome: Agreement,
}

enum Agreement {
    Same,
    /// MONA refutes what the heap logic does not claim to decide.
    Missed,
    /// The heap logic refutes, and the example of MONA may be none.
    Unjudged,
    Disagreement(String),
}

/// Whether what is given has a model, by both.
fn compare(problem: &Problem) -> Result<Compared, String> {
    let simulation = Simulation::new(problem);
    let refuted = match simulation.refuted {
        true => true,
        // Every example is checked against what is given.
        false => !simulation.read(&ask(&simulation.text)?)?,
    };
    let mut session = problem.session();
    let ours = session.check(&Budget::unlimited()).map(|model| model.is_none());
    let certainty = session.certainty();
    let outcome = match ours {
        Ok(ours) if ours == refuted => Agreement::Same,
        Ok(true) if !simulation.exact => Agreement::Unjudged,
        Ok(false) if certainty != Certainty::Decided => Agreement::Missed,
        other => {
            let given: Vec<String> =
                problem.given.iter().map(|f| format!("  {}", problem.signature.show(f))).collect();
            Agreement::Disagreement(format!(
                "MONA refutes: {refuted}; the heap logic does: {other:?}, {certainty}\n{}\n{:?}\n{}",
                given.join("\n"),
                problem.writes,
                simulation.text
            ))
        }
    };
    Ok(Compared { valid: refuted, outcome })
}

/// The same of a problem that has a judge of its own.
fn compare_children(problem: &TreeProblem) -> Result<Compared, String> {
    let judge = mona(&problem.to_mona())?;
    let outcome = match problem.entailed(&Budget::unlimited()) {
        Ok(ours) if ours == judge => Agreement::Same,
        other => Agreement::Disagreement(format!(
            "MONA says {judge}, the heap logic {other:?}\n  {problem:?}"
        )),
    };
    Ok(Compared { valid: judge, outcome })
}

/// A random entailment about trees with a few literals.
fn tree_problem(dice: &mut Dice) -> TreeProblem {
    let written = dice.roll(3) > 0;
    let side = |dice: &mut Dice| dice.pick(&[Side::Left, Side::Right]);
    let object = |dice: &mut Dice| match dice.roll(8) {
        0 => Object::Null,
        1 | 2 => {
            let after = written && dice.roll(2) == 0;
            Object::Child(side(dice), dice.roll(3), after)
        }
        _ => Object::Variable(dice.roll(3)),
    };
    let literal = |dice: &mut Dice| {
        let atom = match dice.roll(6) {
            0 | 1 => Atom::Equal(object(dice), object(dice)),
            2 => Atom::InSet(object(dice)),
            _ => Atom::Below(object(dice), object(dice), written && dice.roll(2) == 0),
        };
        (dice.roll(3) > 0, atom)
    };
    let hypotheses = (0..1 + dice.roll(4)).map(|_| literal(dice)).collect();
    let goals = (0..1 + dice.roll(2)).map(|_| literal(dice)).collect();
    let at = dice.roll(3);
    let value = dice.roll(3);
    let written = written.then(|| (at, side(dice), value));
    TreeProblem { variables: 3, written, hypotheses, goals }
}

/// What random formulas speak of.
struct Names {
    variables: Vec<Symbol>,
    /// Fields that may be read.
    fields: Vec<FieldId>,
    /// Fields along which reachability is said.
    along: Vec<FieldId>,
    /// Sets.
    sets: Vec<FieldId>,
}

impl Names {
    fn variable(&self, dice: &mut Dice) -> Term {
        Term::Var(dice.pick(&self.variables))
    }

    fn term(&self, dice: &mut Dice) -> Term {
        match dice.roll(8) {
            0 => Term::Null,
            1 | 2 => Term::read(dice.pick(&self.fields), self.variable(dice)),
            _ => self.variable(dice),
        }
    }

    fn literal(&self, dice: &mut Dice) -> Formula {
        let along = dice.pick(&self.along);
        let atom = match dice.roll(6) {
            0 | 1 => Formula::Eq(self.term(dice), self.term(dice)),
            2 => Formula::Holds(dice.pick(&self.sets), self.term(dice)),
            3 => Formula::Btwn(along, self.term(dice), self.term(dice), self.term(dice)),
            _ => Formula::reach(along, self.term(dice), self.term(dice)),
        };
        if dice.roll(3) == 0 { atom.negate() } else { atom }
    }

    /// Literals of which all hold, and some of which one should: its negation.
    fn question(&self, dice: &mut Dice, given: &mut Vec<Formula>) {
        given.extend((0..1 + dice.roll(4)).map(|_| self.literal(dice)));
        let goals = Formula::or((0..1 + dice.roll(2)).map(|_| self.literal(dice)));
        given.push(goals.negate());
    }

    /// Every object is of one of a few kinds.
    fn context(&self, dice: &mut Dice, any: Symbol) -> Formula {
        let kinds = (0..2 + dice.roll(3)).map(|_| {
            let literals = (0..1 + dice.roll(3)).map(|_| {
                let (v, x) = (Term::Var(any), self.variable(dice));
                let along = dice.pick(&self.along);
                let atom = match dice.roll(7) {
                    0 => Formula::Eq(v, Term::Null),
                    1 => Formula::Eq(v, x),
                    2 => Formula::Holds(dice.pick(&self.sets), v),
                    3 => Formula::Btwn(along, x, v, self.variable(dice)),
                    4 => Formula::reach(along, v, x),
                    _ => Formula::reach(along, x, v),
                };
                if dice.roll(3) == 0 { atom.negate() } else { atom }
            });
            Formula::and(literals.collect::<Vec<_>>())
        });
        Formula::Forall(vec![any], Box::new(Formula::or(kinds.collect::<Vec<_>>())))
    }
}

/// Lists, perhaps after writes, perhaps with a set that one object was put into.
fn lists(dice: &mut Dice, context: bool, derived: bool) -> Problem {
    let mut problem = Problem::default();
    let signature = &mut problem.signature;
    let variables = ["x", "y", "z"].map(|n| signature.variable(n, Kind::Object));
    let bound = ["a", "b", "c"].map(|n| signature.variable(n, Kind::Object));
    let any = signature.variable("v", Kind::Object);
    let next = signature.field("next", Kind::Object);
    let set = signature.field("S", Kind::Truth);
    problem.given.push(List { next }.holds(bound));
    let mut names = Names {
        variables: variables.to_vec(),
        fields: vec![next],
        along: vec![next],
        sets: vec![set],
    };
    let mut last = next;
    for number in 0..dice.roll(3) {
        let at = names.variable(dice);
        let value = if dice.roll(4) == 0 { Term::Null } else { names.variable(dice) };
        problem.given.push(Formula::ne(at.clone(), Term::Null));
        let field = problem.signature.field(format!("next{number}"), Kind::Object);
        problem.writes.push(Write { field, before: last, at, value: Written::Term(value) });
        names.fields.push(field);
        names.along.push(field);
        last = field;
    }
    if dice.roll(3) == 0 {
        let field = problem.signature.field("S'", Kind::Truth);
        let value = if dice.roll(2) == 0 { Formula::True } else { Formula::False };
        let (at, value) = (names.variable(dice), Written::Truth(value));
        problem.writes.push(Write { field, before: set, at, value });
        names.sets.push(field);
    }
    if derived {
        // An object that comes after another one points back to it.
        let prev = problem.signature.field("prev", Kind::Object);
        let (a, b) = (Term::Var(bound[0]), Term::Var(bound[1]));
        let follows = Formula::Eq(Term::read(next, a.clone()), b.clone());
        let proper = Formula::ne(b.clone(), Term::Null);
        let back = Formula::Eq(Term::read(prev, b), a);
        let constraint = Formula::implies(Formula::and([follows, proper]), back);
        problem.given.push(Formula::Forall(bound[..2].to_vec(), Box::new(constraint)));
        names.fields.extend([prev, prev]);
    }
    if context {
        problem.given.push(names.context(dice, any));
    }
    names.question(dice, &mut problem.given);
    problem
}

/// Trees, perhaps after a write to a child with the writes to the parent that go with it.
fn trees(dice: &mut Dice, context: bool) -> Problem {
    let mut problem = Problem::default();
    let signature = &mut problem.signature;
    let variables = ["x", "y", "z"].map(|n| signature.variable(n, Kind::Object));
    let bound = ["a", "b"].map(|n| signature.variable(n, Kind::Object));
    let any = signature.variable("v", Kind::Object);
    let [left, right, parent] =
        ["left", "right", "parent"].map(|n| signature.field(n, Kind::Object));
    let set = signature.field("S", Kind::Truth);
    problem.given.push(Tree { left, right, parent }.holds(bound));
    let mut names = Names {
        variables: variables.to_vec(),
        fields: vec![left, right, parent],
        along: vec![parent],
        sets: vec![set],
    };
    if dice.roll(3) > 0 {
        let child = dice.pick(&[left, right]);
        let (at, value) = (names.variable(dice), names.variable(dice));
        problem.given.push(Formula::ne(at.clone(), Term::Null));
        let mut write = |name: &str, before: FieldId, at: Term, value: Term| {
            let field = problem.signature.field(name, Kind::Object);
            problem.writes.push(Write { field, before, at, value: Written::Term(value) });
            field
        };
        let old = Term::read(child, at.clone());
        let orphaned = write("parent1", parent, old, Term::Null);
        let none = Box::new(Formula::Eq(value.clone(), Term::Null));
        let above = Term::If(none, Box::new(Term::Null), Box::new(at.clone()));
        let adopted = write("parent2", orphaned, value.clone(), above);
        let written = write("child", child, at, value);
        names.fields.push(written);
        names.along.extend([adopted, adopted]);
    }
    if context {
        problem.given.push(names.context(dice, any));
    }
    names.question(dice, &mut problem.given);
    problem
}

/// Whether MONA finds the formula valid.
fn mona(text: &str) -> Result<bool, String> {
    let said = ask(text)?;
    if said.contains("Formula is valid") {
        Ok(true)
    } else if said.contains("counter-example") || said.contains("unsatisfiable") {
        Ok(false)
    } else {
        Err(format!("no answer from MONA: {said}"))
    }
}

/// What MONA prints.
fn ask(text: &str) -> Result<String, String> {
    let scratch = Scratch::new("fuzz-heap")?;
    let file = scratch.write("question.mona", text)?;
    let output = output(Command::new("mona").arg("-q").arg(&file))?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(said)
}

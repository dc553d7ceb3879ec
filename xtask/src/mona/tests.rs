//! Questions in MONA's language, and how its examples are read. No tool is run.

use super::problem::{Problem, Write, Written};
use super::simulation::Simulation;
use bolide_heap::lists::List;
use bolide_heap::trees::Tree;
use bolide_heap::{Formula, Kind, Term};
use expect_test::{Expect, expect};

/// Compares what follows the prelude.
fn check(problem: &Problem, expected: Expect) -> Simulation {
    let simulation = Simulation::new(problem);
    let said: Vec<&str> =
        simulation.text.lines().skip_while(|l| !l.starts_with("pred btwn")).skip(1).collect();
    expected.assert_eq(&(said.join("\n") + "\n"));
    simulation
}

#[test]
fn a_list_that_is_written_to() {
    let mut problem = Problem::default();
    let [x, y, a, b, c] =
        ["x", "y", "a", "b", "c"].map(|n| problem.signature.variable(n, Kind::Object));
    let next = problem.signature.field("next", Kind::Object);
    let after = problem.signature.field("after", Kind::Object);
    let (x, y) = (Term::Var(x), Term::Var(y));
    problem.given.push(List { next }.holds([a, b, c]));
    problem.given.push(Formula::ne(x.clone(), Term::Null));
    let value = Written::Term(y.clone());
    problem.writes.push(Write { field: after, before: next, at: x.clone(), value });
    problem.given.push(Formula::reach(after, Term::read(next, x), y));
    let simulation = check(
        &problem,
        expect![[r#"
            var1 v0;
            var1 v1;
            pred step1(var1 a, b) = a = v0 & b = v1 | a ~= v0 & next(a, b);
            pred cut1(var1 a, b, c) = all2 S: (a in S & (all1 v, w: (v in S & v ~= c & step1(v, w)) => w in S)) => b in S;
            pred along1(var1 a, b) = all2 S: (a in S & (all1 v, w: (v in S & step1(v, w)) => w in S)) => b in S;
            pred btwn1(var1 a, b, c) = along1(a, c) & cut1(a, b, c);
            ~(v0 = 0);
            (ex1 t1: next(v0, t1) & along1(t1, v1));
            true;
        "#]],
    );
    assert!(simulation.exact);
    let answer = "A satisfying example of least length (3) is:\nD = {1,2}\nv0 = 1\nv1 = 2\n";
    assert_eq!(simulation.read(answer), Ok(true));
    // From null only null is reached.
    let wrong = "A satisfying example of least length (4) is:\nD = {1,3}\nv0 = 1\nv1 = 3\n";
    let refused = simulation.read(wrong).unwrap_err();
    assert!(refused.starts_with("an example of MONA does not satisfy"), "{refused}");
    assert_eq!(simulation.read("Formula is unsatisfiable\n"), Ok(false));
}

#[test]
fn a_tree_and_the_objects_of_its_example() {
    let mut problem = Problem::default();
    let [x, v, a, b] = ["x", "v", "a", "b"].map(|n| problem.signature.variable(n, Kind::Object));
    let [left, right, parent] =
        ["left", "right", "parent"].map(|n| problem.signature.field(n, Kind::Object));
    let tree = Tree { left, right, parent };
    problem.given.push(tree.holds([a, b]));
    let (x, any) = (Term::Var(x), Term::Var(v));
    problem.given.push(Formula::ne(Term::read(left, x.clone()), Term::Null));
    problem.given.push(Formula::Eq(Term::read(right, x.clone()), Term::Null));
    problem.given.push(tree.below(x, any).negate());
    let simulation = check(
        &problem,
        expect![[r#"
            var1 v0;
            var1 v1;
            ~(left(v0, root));
            right(v0, root);
            ~(v1 = root);
            (v0 = root) | (~(reach(v1, v0)));
            true;
        "#]],
    );
    let answer = "Free variables are: D, v0, v1\n\nA satisfying example is:\nBooleans:\nXXX\n\
        Universe <univ>:\n(000,(110,(100,(),()),()),(101,(),()))\nUniverse <dummy>:\n()\n";
    assert_eq!(simulation.read(answer), Ok(true));
    let below =
        answer.replace("(110,(100,", "(110,(101,").replace("(101,(),()))\n", "(100,(),()))\n");
    let refused = simulation.read(&below).unwrap_err();
    assert!(refused.starts_with("an example of MONA does not satisfy"), "{refused}");
}

#[test]
fn what_contradicts_itself_is_not_asked() {
    let mut problem = Problem::default();
    let [x, y] = ["x", "y"].map(|n| problem.signature.variable(n, Kind::Object));
    let set = problem.signature.field("S", Kind::Truth);
    let (x, y) = (Term::Var(x), Term::Var(y));
    problem.given.push(Formula::Eq(x.clone(), y.clone()));
    problem.given.push(Formula::or([Formula::Holds(set, x), Formula::Eq(Term::Null, y.clone())]));
    problem.given.push(Formula::ne(y.clone(), Term::Null));
    problem.given.push(Formula::Holds(set, y).negate());
    assert!(Simulation::new(&problem).refuted);
}

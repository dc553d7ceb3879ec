//! What is said of answers that are no refutations.

use bolide_base::Budget;
use bolide_heap::lists::List;
use bolide_heap::problem::{Write, Written};
use bolide_heap::{Certainty, Formula, Kind, Problem, Term};

/// Objects `x` and `y`, bound ones, and two fields.
struct Small {
    problem: Problem,
    x: Term,
    y: Term,
    bound: [bolide_heap::Symbol; 3],
    next: bolide_heap::FieldId,
    other: bolide_heap::FieldId,
}

impl Small {
    fn new() -> Small {
        let mut problem = Problem::default();
        let [x, y, a, b, c] =
            ["x", "y", "a", "b", "c"].map(|n| problem.signature.variable(n, Kind::Object));
        let [next, other] = ["next", "other"].map(|n| problem.signature.field(n, Kind::Object));
        Small { problem, x: Term::Var(x), y: Term::Var(y), bound: [a, b, c], next, other }
    }

    fn answer(&self) -> Certainty {
        let mut session = self.problem.session();
        assert!(session.check(&Budget::unlimited()).unwrap().is_some());
        session.certainty()
    }
}

#[test]
fn questions_without_quantifiers_are_decided() {
    let mut small = Small::new();
    small.problem.given.push(Formula::reach(small.next, small.x.clone(), small.y.clone()));
    small.problem.given.push(Formula::ne(small.x.clone(), small.y.clone()));
    assert_eq!(small.answer(), Certainty::Decided);
}

#[test]
fn lists_are_decided_until_they_are_written_to() {
    let mut small = Small::new();
    small.problem.given.push(List { next: small.next }.holds(small.bound));
    assert_eq!(small.answer(), Certainty::Decided);
    let after = small.problem.signature.field("after", Kind::Object);
    let value = Written::Term(Term::Null);
    let at = small.x.clone();
    small.problem.writes.push(Write { field: after, before: small.next, at, value });
    assert_eq!(small.answer(), Certainty::Decided);
    small.problem.given.push(List { next: after }.holds(small.bound));
    let reason = "a field is read at a quantified object";
    assert_eq!(small.answer(), Certainty::NoRefutation(reason));
}

#[test]
fn an_endless_path_is_only_not_refuted() {
    // Everything but null has a successor other than null, and null is reached: no heap is like this.
    let mut small = Small::new();
    let a = Term::Var(small.bound[0]);
    let follows = Formula::ne(Term::read(small.other, a.clone()), Term::Null);
    let body = Formula::or([Formula::Eq(a.clone(), Term::Null), follows]);
    small.problem.given.push(Formula::Forall(vec![small.bound[0]], Box::new(body)));
    let ends = Formula::reach(small.other, a, Term::Null);
    small.problem.given.push(Formula::Forall(vec![small.bound[0]], Box::new(ends)));
    small.problem.given.push(Formula::ne(small.x.clone(), Term::Null));
    let reason = "a field is read at a quantified object";
    assert_eq!(small.answer(), Certainty::NoRefutation(reason));
}

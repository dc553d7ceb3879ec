//! What is said of answers that are no refutations.

use bolide_base::Budget;
use bolide_heap::lists::List;
use bolide_heap::{Certainty, FieldId, Formula, Kind, Session, State, Symbol, Term, Version};
use std::rc::Rc;

/// Objects `x` and `y`, bound ones, and two fields.
struct Small {
    given: Vec<Formula>,
    /// A field that is another one with null written at `x`.
    written: Option<FieldId>,
    x: Term,
    y: Term,
    bound: [Symbol; 3],
    next: FieldId,
    other: FieldId,
    signature: bolide_heap::Signature,
}

impl Small {
    fn new() -> Small {
        let mut signature = bolide_heap::Signature::default();
        let [x, y, a, b, c] =
            ["x", "y", "a", "b", "c"].map(|n| signature.variable(n, Kind::Object));
        let [next, other] = ["next", "other"].map(|n| signature.field(n, Kind::Object));
        let (given, written) = (Vec::new(), None);
        let (x, y) = (Term::Var(x), Term::Var(y));
        Small { given, written, x, y, bound: [a, b, c], next, other, signature }
    }

    fn answer(&self) -> Certainty {
        let mut session = Session::new(false);
        let mut state = State::default();
        for variable in [&self.x, &self.y] {
            let Term::Var(symbol) = variable else { unreachable!("they are variables") };
            let value = session.constant("x", Kind::Object);
            state.variables.insert(*symbol, value);
        }
        for (field, info) in self.signature.fields.iter() {
            let version: Version = match self.written {
                Some(written) if written == field => {
                    let at = session.term(&Rc::new(state.clone()), &[], &self.x);
                    let null = session.null();
                    session.write(state.fields[&self.next], at, null)
                }
                _ => session.base(&info.name, info.kind),
            };
            state.fields.insert(field, version);
        }
        let state = Rc::new(state);
        for formula in &self.given {
            session.assume(&state, formula);
        }
        assert!(session.check(&Budget::unlimited()).unwrap().is_some());
        session.certainty()
    }
}

#[test]
fn questions_without_quantifiers_are_decided() {
    let mut small = Small::new();
    small.given.push(Formula::reach(small.next, small.x.clone(), small.y.clone()));
    small.given.push(Formula::ne(small.x.clone(), small.y.clone()));
    assert_eq!(small.answer(), Certainty::Decided);
}

#[test]
fn lists_are_decided_until_they_are_written_to() {
    let mut small = Small::new();
    small.given.push(List { next: small.next }.holds(small.bound));
    assert_eq!(small.answer(), Certainty::Decided);
    let after = small.signature.field("after", Kind::Object);
    small.written = Some(after);
    assert_eq!(small.answer(), Certainty::Decided);
    small.given.push(List { next: after }.holds(small.bound));
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
    small.given.push(Formula::Forall(vec![small.bound[0]], Box::new(body)));
    let ends = Formula::reach(small.other, a, Term::Null);
    small.given.push(Formula::Forall(vec![small.bound[0]], Box::new(ends)));
    small.given.push(Formula::ne(small.x.clone(), Term::Null));
    let reason = "a field is read at a quantified object";
    assert_eq!(small.answer(), Certainty::NoRefutation(reason));
}

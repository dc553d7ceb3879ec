//! Lists: what a field that is acyclic and free of sharing satisfies.

use crate::formula::{FieldId, Formula, Symbol, Term};

/// A field that forms lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    /// From an object to the next one.
    pub next: FieldId,
}

impl List {
    /// All paths end at null, and no object but null comes after two others. That of two objects from which a third
    /// one can be reached one reaches the other follows by induction, which the prover does not do, so it is said.
    pub fn holds(self, bound: [Symbol; 3]) -> Formula {
        let [x, y, z] = bound.map(Term::Var);
        let next = |t: &Term| Term::read(self.next, t.clone());
        let reach = |a: &Term, b: &Term| Formula::reach(self.next, a.clone(), b.clone());
        let ends = reach(&x, &Term::Null);
        let shared = Formula::Eq(next(&x), next(&y));
        let proper = |t: Term| Formula::ne(t, Term::Null);
        let alone = Formula::implies(
            Formula::and([shared, proper(next(&x))]),
            Formula::Eq(x.clone(), y.clone()),
        );
        let meet = Formula::and([reach(&x, &z), reach(&y, &z), proper(z.clone())]);
        let chain = Formula::implies(meet, Formula::or([reach(&x, &y), reach(&y, &x)]));
        let all =
            |count: usize, body: Formula| Formula::Forall(bound[..count].to_vec(), Box::new(body));
        Formula::and([all(1, ends), all(2, alone), all(3, chain)])
    }
}

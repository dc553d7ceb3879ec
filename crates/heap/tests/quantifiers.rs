//! Where quantified statements are put in, and the objects that are named for them.

use bolide_base::Budget;
use bolide_heap::{FieldId, Formula, Kind, Session, Signature, State, Symbol, Term};
use bolide_terms::TermId;
use bolide_testing::Dice;
use std::rc::Rc;

/// Three variables, a bound one, two fields and a set.
struct Small {
    variables: [Symbol; 3],
    bound: Symbol,
    next: FieldId,
    other: FieldId,
    set: FieldId,
    session: Session,
    state: Rc<State>,
    objects: Vec<TermId>,
}

impl Small {
    /// Asserts that one object lies between two others along a field, or that it does not.
    fn claim(&mut self, field: FieldId, positive: bool, [x, y, z]: [usize; 3]) {
        let (version, o) = (self.state.fields[&field], self.objects.clone());
        let atom = self.session.btwn(version, o[x], o[y], o[z]);
        let literal = if positive { atom } else { self.session.store.mk_not(atom) };
        self.session.assert(literal);
    }

    /// Whether all that contradicts itself, by a plain search and by a thorough one.
    fn refuted(&mut self, budget: &Budget) -> (bool, bool) {
        let plainly = self.session.refutes(&[], budget).unwrap();
        self.session.thorough = true;
        (plainly, self.session.refutes(&[], budget).unwrap())
    }

    fn new(proofs: bool) -> Small {
        let mut signature = Signature::default();
        let variables = ["x", "y", "z"].map(|n| signature.variable(n, Kind::Object));
        let bound = signature.variable("v", Kind::Object);
        let next = signature.field("next", Kind::Object);
        let other = signature.field("other", Kind::Object);
        let set = signature.field("set", Kind::Truth);
        let (mut session, mut state) = (Session::new(proofs), State::default());
        let mut objects = vec![session.null()];
        for symbol in variables {
            let value = session.constant("x", Kind::Object);
            state.variables.insert(symbol, value);
            objects.push(value);
        }
        for (field, info) in signature.fields.iter() {
            let version = session.base(&info.name, info.kind);
            state.fields.insert(field, version);
        }
        let state = Rc::new(state);
        Small { variables, bound, next, other, set, session, state, objects }
    }

    fn all(&self, body: Formula) -> Formula {
        Formula::Forall(vec![self.bound], Box::new(body))
    }

    fn assume(&mut self, formula: &Formula) {
        self.session.assume(&self.state, formula);
    }

    fn is_refuted(&mut self) -> bool {
        self.session.refutes(&[], &Budget::unlimited()).unwrap()
    }
}

/// What an instance brought in and is spoken of later is like what was spoken of from the start.
#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let mut small = Small::new(true);
    let v = Term::Var(small.bound);
    let step = |t: &Term| Term::read(small.next, t.clone());
    let holds = |t: Term| Formula::Holds(small.set, t);
    let closed = small.all(Formula::implies(holds(v.clone()), holds(step(&v))));
    let x = Term::Var(small.variables[0]);
    let (here, later) = (holds(x.clone()), holds(step(&step(&x))).negate());
    small.assume(&closed);
    small.assume(&here);
    assert!(!small.is_refuted());
    small.assume(&later);
    assert!(small.is_refuted());
}

/// A statement about a field is put in at objects at which nothing reads it, if all else is not enough.
#[test]
fn a_thorough_search_goes_beyond_triggers() {
    for thorough in [false, true] {
        let mut small = Small::new(true);
        small.session.everywhere = Some(small.variables[2]);
        small.session.thorough = thorough;
        let [x, y, _] = small.variables.map(Term::Var);
        let ends = Formula::Eq(Term::read(small.next, Term::Var(small.bound)), Term::Null);
        let ends = small.all(ends);
        small.assume(&ends);
        small.assume(&Formula::reach(small.next, x.clone(), y.clone()));
        small.assume(&Formula::ne(x, y.clone()));
        small.assume(&Formula::ne(y, Term::Null));
        assert_eq!(small.is_refuted(), thorough);
    }
}

/// Whether `y` lies on the path from `x` to the first `z`.
fn btwn(f: &[usize], x: usize, y: usize, z: usize) -> bool {
    let mut path = vec![x];
    while *path.last().unwrap() != z && path.len() <= f.len() {
        path.push(f[*path.last().unwrap()]);
    }
    *path.last().unwrap() == z && path.contains(&y)
}

/// With a statement that nothing leads to `x`: what is refuted holds in no graph of four objects, and some of it needs the object
/// before another.
#[test]
fn predecessors_exist_where_they_are_named() {
    let mut dice = Dice::new(11);
    let (mut refuted, mut plainly) = (0, 0);
    let budget = Budget::unlimited();
    for round in 0..200 {
        let mut small = Small::new(round % 10 == 0);
        let v = Term::Var(small.bound);
        let x = Term::Var(small.variables[0]);
        let leads = Formula::Eq(Term::read(small.next, v.clone()), x);
        let nothing = small.all(Formula::or([Formula::Eq(v, Term::Null), leads.negate()]));
        small.assume(&nothing);
        let literals: Vec<(bool, [usize; 3])> = (0..4)
            .map(|_| (dice.roll(3) > 0, [dice.roll(4), dice.roll(4), dice.roll(4)]))
            .collect();
        for &(positive, places) in &literals {
            small.claim(small.next, positive, places);
        }
        let (without, with) = small.refuted(&budget);
        if !with {
            continue;
        }
        refuted += 1;
        plainly += usize::from(without);
        for code in 0..64 {
            let f = [0, code % 4, code / 4 % 4, code / 16];
            for places in 0..64 {
                let at = [0, places % 4, places / 4 % 4, places / 16];
                let holds = (1..4).all(|v| f[v] != at[1])
                    && literals
                        .iter()
                        .all(|&(positive, [x, y, z])| btwn(&f, at[x], at[y], at[z]) == positive);
                assert!(!holds, "{literals:?} holds in {f:?} at {at:?}");
            }
        }
    }
    assert!(refuted > 20 && plainly < refuted, "{refuted} refuted, {plainly} without predecessors");
}

/// With a statement that two fields differ at `x` only: what is refuted holds in no two graphs of four objects, and some of it needs the
/// object at which they differ.
#[test]
fn differences_exist_where_they_are_named() {
    let mut dice = Dice::new(5);
    let (mut refuted, mut plainly) = (0, 0);
    let budget = Budget::unlimited();
    for round in 0..150 {
        let mut small = Small::new(round % 10 == 0);
        let v = Term::Var(small.bound);
        let [next, other] = [small.next, small.other].map(|field| Term::read(field, v.clone()));
        let here = Formula::Eq(v, Term::Var(small.variables[0]));
        let same = small.all(Formula::or([here, Formula::Eq(next, other)]));
        small.assume(&same);
        let literals: Vec<(bool, bool, [usize; 3])> = (0..5)
            .map(|_| {
                let places = [dice.roll(4), dice.roll(4), dice.roll(4)];
                (dice.roll(2) == 0, dice.roll(2) == 0, places)
            })
            .collect();
        for &(positive, first, places) in &literals {
            small.claim(if first { small.next } else { small.other }, positive, places);
        }
        let (without, with) = small.refuted(&budget);
        if !with {
            continue;
        }
        refuted += 1;
        plainly += usize::from(without);
        for code in 0..64 * 64 * 4 {
            let f = [0, code % 4, code / 4 % 4, code / 16 % 4];
            let at = [0, code / 64 % 4, code / 256 % 4, code / 1024 % 4];
            let mut g = f;
            if at[1] != 0 {
                g[at[1]] = code / 4096;
            }
            let holds = literals.iter().all(|&(positive, first, [x, y, z])| {
                btwn(if first { &f } else { &g }, at[x], at[y], at[z]) == positive
            });
            assert!(!holds, "{literals:?} holds in {f:?} and {g:?} at {at:?}");
        }
    }
    assert!(refuted > 20 && plainly < refuted, "{refuted} refuted, {plainly} without differences");
}

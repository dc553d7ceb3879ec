//! Binary trees through their parent function.
//!
//! The logic knows reachability along one field only. In a forest of trees every object but the roots is the
//! left or the right child of one other, its parent, and what lies below an object is what
//! reaches it along `parent`. So the pair of fields is described with a third, the parent, from which
//! they are derived (chapter 5 of the thesis, with the roles of backbone and derived field exchanged):
//!
//! 1. a child's parent is the object, for each of the two fields;
//! 2. the children of an object differ, unless they are null;
//! 3. an object is a child of its parent;
//! 4. along `parent` all paths end at null;
//! 5. what lies below an object and is not it, lies below one of its children. This follows from the others by
//!    induction, which the prover does not do, so it is said.

use crate::formula::{FieldId, Formula, Symbol, Term};

/// Two fields and the parent function of the trees that they form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The left child.
    pub left: FieldId,
    /// The right child.
    pub right: FieldId,
    /// The object whose child an object is.
    pub parent: FieldId,
}

impl Tree {
    /// What the fields of a forest satisfy, with two names for bound objects.
    pub fn holds(self, bound: [Symbol; 2]) -> Formula {
        let Tree { left, right, parent } = self;
        let null = |t: &Term| Formula::Eq(t.clone(), Term::Null);
        let (x, y) = (Term::Var(bound[0]), Term::Var(bound[1]));
        let all = |body: Formula| Formula::Forall(vec![bound[0]], Box::new(body));
        let both = |body: Formula| Formula::Forall(bound.to_vec(), Box::new(body));
        let read = |f: FieldId, t: &Term| Term::read(f, t.clone());
        let child_of = |f: FieldId| {
            let child = read(f, &x);
            let linked = Formula::Eq(read(parent, &child), x.clone());
            all(Formula::or([null(&x), null(&child), linked]))
        };
        let (l, r) = (read(left, &x), read(right, &x));
        let differ = all(Formula::or([null(&x), null(&l), Formula::ne(l.clone(), r.clone())]));
        let above = read(parent, &x);
        let is_child = all(Formula::or([
            null(&above),
            Formula::Eq(read(left, &above), x.clone()),
            Formula::Eq(read(right, &above), x.clone()),
        ]));
        let ends = all(Formula::reach(parent, x.clone(), Term::Null));
        let under = |child: &Term| {
            let reached = Formula::reach(parent, y.clone(), child.clone());
            Formula::and([null(child).negate(), reached])
        };
        let splits = both(Formula::or([
            null(&x),
            Formula::Eq(x.clone(), y.clone()),
            Formula::reach(parent, y.clone(), x.clone()).negate(),
            under(&l),
            under(&r),
        ]));
        Formula::and([child_of(left), child_of(right), differ, is_child, ends, splits])
    }

    /// In a forest: the second object is null, or it is the first or lies below it.
    pub fn below(self, x: Term, y: Term) -> Formula {
        let reached = Formula::reach(self.parent, y.clone(), x.clone());
        let proper = Formula::and([Formula::ne(x, Term::Null), reached]);
        Formula::or([Formula::Eq(y, Term::Null), proper])
    }
}

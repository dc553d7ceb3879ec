//! Objects that there are by induction.
//!
//! Instances of the axioms do no induction, and no ground term stands for an object that only induction gives. Two sorts of
//! such objects are named by fresh constants, in a thorough search, where the model has none.
//!
//! *Predecessors*: where `y` can be reached from `x` and is not it, there is an object on the path whose field leads to `y`.
//! That matters to statements that ask which objects lead to one (`\\forall z; z->f != x`).
//!
//! ```text
//! reach_f(x, y) and x != y  ==>  btwn_f(x, p, y) and p != y and f(p) = y
//! ```
//!
//! *Differences*: where `y` can be reached from `x` along one version of a field and not along another, the versions differ
//! first at some object on the path. That matters to statements that a call leaves a field as it was (`\\forall z; ... ==> z->f == \\old(z->f)`).
//!
//! ```text
//! reach_f(x, y) and not reach_g(x, y)  ==>  btwn_f(x, d, y) and d != y and reach_g(x, d) and f(d) != g(d)
//! ```
//!
//! Required: the constant is fresh for each choice of versions, `x` and `y`. What is named is never `x` or `y` itself, nor is what
//! follows a predecessor, so that there is an end.

use super::{Named, Session, Version, index};
use crate::formula::{Formula, Kind, Term};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::model::Value;
use bolide_terms::{Model, TermId};

impl Session {
    /// An instance of one of the axioms for an object that the model does not have.
    pub(super) fn missing_object(
        &mut self,
        model: &Model,
        assumptions: &[TermId],
    ) -> Option<TermId> {
        let (backwards, compared) = self.asked_of_paths(assumptions);
        let is_named = |t: &TermId| self.named.values().any(|p| p == t);
        // What follows a predecessor is the object that it was named for, or nothing that matters.
        let before = |(name, p): (&Named, &TermId), t: TermId| {
            matches!(name, Named::Predecessor(..)) && self.store.args(t).contains(p)
        };
        let named = |&t: &TermId| is_named(&t) || self.named.iter().any(|name| before(name, t));
        let all = self.old_and_present(&self.ground.objects);
        let objects: Vec<TermId> = all.into_iter().filter(|t| !named(t)).collect();
        for &x in &objects {
            for &y in objects.iter().filter(|&&y| y != x) {
                for &version in &backwards {
                    let name = Named::Predecessor(version, x, y);
                    if !self.named.contains_key(&name)
                        && self.lacks_predecessor(model, version, x, y)
                    {
                        return Some(self.predecessor(version, x, y));
                    }
                }
                for &(f, g) in &compared {
                    let name = Named::Difference(f, g, x, y);
                    if !self.named.contains_key(&name) && self.lacks_difference(model, f, g, x, y) {
                        return Some(self.difference(f, g, x, y));
                    }
                }
            }
        }
        None
    }

    /// The fields of which statements ask whether they lead from a quantified object to a given one, and pairs of those
    /// that they say to be equal at quantified objects.
    #[allow(clippy::type_complexity)]
    fn asked_of_paths(&self, assumptions: &[TermId]) -> (Vec<Version>, Vec<(Version, Version)>) {
        let (mut backwards, mut compared) = (Vec::new(), Vec::new());
        for universal in self.universals.iter().filter(|u| self.is_on(u, assumptions)) {
            // The field that is read at a bound variable, and the variable.
            let read = |term: &Term| match term {
                Term::Read(field, of) => match **of {
                    Term::Var(one) if universal.bound.contains(&one) => {
                        Some((*universal.state.fields.get(field)?, one))
                    }
                    _ => None,
                },
                _ => None,
            };
            universal.body.atoms(&mut |atom| {
                let Formula::Eq(a, b) = atom else { return };
                match (read(a), read(b)) {
                    (Some((f, x)), Some((g, y))) if x == y && f != g => {
                        compared.extend([(f, g), (g, f)]);
                    }
                    (Some((f, x)), None) if matches!(b, Term::Var(y) if *y != x) => {
                        backwards.push(f);
                    }
                    (None, Some((g, y))) if matches!(a, Term::Var(x) if *x != y) => {
                        backwards.push(g);
                    }
                    _ => {}
                }
            });
        }
        let goes = |version: Version| self.versions[index(version)].btwn.is_some();
        backwards.retain(|&f| goes(f));
        backwards.sort_unstable();
        backwards.dedup();
        compared.retain(|&(f, g)| goes(f) && goes(g));
        compared.sort_unstable();
        compared.dedup();
        (backwards, compared)
    }

    /// Whether the second lies on the path from the first to the third in the model. Where the path ends it need not have an
    /// atom of its own ([`axioms`](crate::axioms)).
    fn on_path(&self, model: &Model, version: Version, [x, y, z]: [&Value; 3]) -> bool {
        let Some(btwn) = self.versions[index(version)].btwn else { return false };
        let holds = |places: [&Value; 3]| {
            model.apply(&self.store, btwn, &places.map(Value::clone)) == Value::Bool(true)
        };
        let null = Evaluator::new(&self.store, model).value(self.null).ok();
        let ends = || null.is_some_and(|null| holds([x, &null, &null]));
        holds([x, y, z]) || holds([x, y, y]) && holds([y, z, z]) && ends()
    }

    /// Whether a path leads from one object to another in the model, and from no ground object on it the last step.
    fn lacks_predecessor(&self, model: &Model, version: Version, x: TermId, y: TermId) -> bool {
        let info = &self.versions[index(version)];
        let mut evaluator = Evaluator::new(&self.store, model);
        let mut value = |t: TermId| evaluator.value(t).ok();
        let (Some(source), Some(target)) = (value(x), value(y)) else { return false };
        let on_path = |p: &Value| self.on_path(model, version, [&source, p, &target]);
        source != target
            && on_path(&target)
            && !info.reads.iter().any(|&(p, next)| {
                value(next).as_ref() == Some(&target)
                    && value(p).is_some_and(|p| p != target && on_path(&p))
            })
    }

    /// Whether an object is reached along one version and not along the other in the model, and they differ at no ground object
    /// of the path.
    fn lacks_difference(
        &self,
        model: &Model,
        f: Version,
        g: Version,
        x: TermId,
        y: TermId,
    ) -> bool {
        let [of_f, of_g] = [f, g].map(|version| &self.versions[index(version)]);
        let mut evaluator = Evaluator::new(&self.store, model);
        let mut value = |t: TermId| evaluator.value(t).ok();
        let (Some(source), Some(target)) = (value(x), value(y)) else { return false };
        let on_path = |version, p: &Value| self.on_path(model, version, [&source, p, &target]);
        source != target
            && on_path(f, &target)
            && !on_path(g, &target)
            && !of_f.reads.iter().any(|&(d, next)| {
                let other = of_g.reads.iter().find(|(argument, _)| *argument == d);
                other.is_some_and(|&(_, other)| value(other) != value(next))
                    && value(d).is_some_and(|d| d != target && on_path(f, &d))
            })
    }

    /// A fresh constant for an object on a path from `x` to `y`.
    fn name(&mut self, text: &str, name: Named, x: TermId, y: TermId) -> TermId {
        let object = self.constant(text, Kind::Object);
        self.named.insert(name, object);
        let belongs = &mut self.witnesses.belongs;
        if let Some(&witness) = [x, y].iter().filter_map(|t| belongs.get(t)).max() {
            belongs.insert(object, witness);
        }
        object
    }

    /// The first axiom.
    fn predecessor(&mut self, version: Version, x: TermId, y: TermId) -> TermId {
        let p = self.name("before", Named::Predecessor(version, x, y), x, y);
        let reached = self.reach(version, x, y);
        let same = self.store.mk_eq(x, y);
        let none = self.store.mk_not(reached);
        let between = self.btwn(version, x, p, y);
        let differs = self.store.mk_neq(p, y);
        let next = self.read(version, p);
        let last = self.store.mk_eq(next, y);
        let before = self.store.mk_and(&[between, differs, last]);
        self.store.mk_or(&[none, same, before])
    }

    /// The second axiom.
    fn difference(&mut self, f: Version, g: Version, x: TermId, y: TermId) -> TermId {
        let d = self.name("differs", Named::Difference(f, g, x, y), x, y);
        let reached = self.reach(f, x, y);
        let none = self.store.mk_not(reached);
        let other = self.reach(g, x, y);
        let between = self.btwn(f, x, d, y);
        let apart = self.store.mk_neq(d, y);
        let common = self.reach(g, x, d);
        let (here, there) = (self.read(f, d), self.read(g, d));
        let differs = self.store.mk_neq(here, there);
        let first = self.store.mk_and(&[between, apart, common, differs]);
        self.store.mk_or(&[none, other, first])
    }
}

//! The object before another on a path.
//!
//! Where `y` can be reached from `x` and is not it, there is an object on the path whose field leads to `y`. That follows
//! by induction, which instances of the axioms do not do, and no ground term stands for the object. It matters to
//! statements that ask which objects lead to one (`\\forall z; z->f != x`): so for fields that are read in this way, and only
//! in a thorough search, such an object is named. The axiom, for a fresh `p`:
//!
//! ```text
//! reach(x, y) and x != y  ==>  btwn(x, p, y) and p != y and f(p) = y
//! ```
//!
//! Required: `p` is fresh for each field, start and object; what is named in this way has no predecessors that are named.

use super::{Session, Version, index};
use crate::formula::{Formula, Kind, Term};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::model::Value;
use bolide_terms::{Model, TermId};

impl Session {
    /// An instance of the axiom for an object that the model has no predecessor of.
    pub(super) fn missing_predecessor(
        &mut self,
        model: &Model,
        assumptions: &[TermId],
    ) -> Option<TermId> {
        let named = |t: &TermId| self.predecessors.values().any(|p| p == t);
        let all = self.old_and_present(&self.ground.objects);
        let objects: Vec<TermId> = all.into_iter().filter(|t| !named(t)).collect();
        for version in self.asked_backwards(assumptions) {
            for &x in &objects {
                for &y in objects.iter().filter(|&&y| y != x) {
                    if !self.predecessors.contains_key(&(version, x, y))
                        && self.lacks_predecessor(model, version, x, y)
                    {
                        return Some(self.predecessor(version, x, y));
                    }
                }
            }
        }
        None
    }

    /// The fields of which statements ask whether they lead from a quantified object to a given one.
    fn asked_backwards(&self, assumptions: &[TermId]) -> Vec<Version> {
        let mut found = Vec::new();
        for universal in self.universals.iter().filter(|u| self.is_on(u, assumptions)) {
            let mut asks = |read: &Term, other: &Term| {
                if let (Term::Read(field, of), Term::Var(other)) = (read, other)
                    && let Term::Var(one) = **of
                    && one != *other
                    && universal.bound.contains(&one)
                    && let Some(&version) = universal.state.fields.get(field)
                    && !found.contains(&version)
                {
                    found.push(version);
                }
            };
            universal.body.atoms(&mut |atom| {
                if let Formula::Eq(a, b) = atom {
                    asks(a, b);
                    asks(b, a);
                }
            });
        }
        found.retain(|&version| self.versions[index(version)].btwn.is_some());
        found
    }

    /// Whether a path leads from one object to another in the model, and from no ground object on it the last step.
    fn lacks_predecessor(&self, model: &Model, version: Version, x: TermId, y: TermId) -> bool {
        let info = &self.versions[index(version)];
        let Some(btwn) = info.btwn else { return false };
        let mut evaluator = Evaluator::new(&self.store, model);
        let mut value = |t: TermId| evaluator.value(t).ok();
        let (Some(source), Some(target)) = (value(x), value(y)) else { return false };
        let on_path = |p: &Value| {
            let places = [source.clone(), p.clone(), target.clone()];
            model.apply(&self.store, btwn, &places) == Value::Bool(true)
        };
        source != target
            && on_path(&target)
            && !info.reads.iter().any(|&(p, next)| {
                value(next).as_ref() == Some(&target)
                    && value(p).is_some_and(|p| p != target && on_path(&p))
            })
    }

    /// The axiom.
    fn predecessor(&mut self, version: Version, x: TermId, y: TermId) -> TermId {
        let p = self.constant("before", Kind::Object);
        self.predecessors.insert((version, x, y), p);
        let belongs = &mut self.witnesses.belongs;
        if let Some(&witness) = [x, y].iter().filter_map(|t| belongs.get(t)).max() {
            belongs.insert(p, witness);
        }
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
}

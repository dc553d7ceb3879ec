//! How far an answer that is no refutation can be believed.
//!
//! A refutation is right always. A state that was not refuted exists for certain where the procedure is complete:
//!
//! - without universal quantifiers: reachability along any fields with their writes, sets, linear integer
//!   arithmetic on data (the axioms of `btwn` are a local theory extension, see [`axioms`](crate::axioms));
//! - with universal quantifiers in what is assumed, none inside another, that read no field at the objects that they
//!   bind: all objects of the question are put in, and no state needs more objects than these;
//! - with the statements that make a field [lists](crate::lists) or three fields [trees](crate::trees), before any write.
//!   That their instances at the objects of the question suffice is not proved here; `cargo xtask fuzz-heap`
//!   compares it with MONA.
//!
//! Anything else may have been missed, and [`Session::certainty`] says what.

use crate::formula::{FieldId, Formula, Symbol, Term};
use crate::lists::List;
use crate::session::{Session, Universal, index};
use crate::trees::Tree;

/// How far a state that was not refuted can be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It exists.
    Decided,
    /// No refutation was found, for this reason there may be one.
    NoRefutation(&'static str),
}

impl std::fmt::Display for Certainty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Certainty::Decided => f.write_str("decided"),
            Certainty::NoRefutation(why) => write!(f, "no refutation was found: {why}"),
        }
    }
}

impl Session {
    /// Of the last answer, if that was no refutation.
    pub fn certainty(&self) -> Certainty {
        let mut structures = false;
        for universal in &self.universals {
            if universal.body.is_quantified() {
                return Certainty::NoRefutation("a quantifier stands inside another");
            }
            let above = reads_bound(&universal.body, &universal.bound);
            if above && !self.is_structure(universal) {
                return Certainty::NoRefutation("a field is read at a quantified object");
            }
            structures |= above;
        }
        // Statements of structures bring in the neighbours of objects; nothing else may.
        let all = self.ground.objects.iter().all(|(_, generation)| *generation == 0);
        let plain = self.universals.iter().all(|universal| self.is_structure(universal));
        match all || plain && structures || self.universals.is_empty() {
            true => Certainty::Decided,
            false => Certainty::NoRefutation(
                "neighbours of the objects of the question are not put in for quantified ones",
            ),
        }
    }

    /// Whether the statement is one of those about lists and trees, of fields that were not written to.
    fn is_structure(&self, universal: &Universal) -> bool {
        let formula = Formula::Forall(universal.bound.clone(), Box::new((*universal.body).clone()));
        let fields: Vec<FieldId> = universal.body.fields();
        let written = |field: &FieldId| {
            let version = universal.state.fields.get(field);
            version.is_none_or(|&version| self.versions[index(version)].write.is_some())
        };
        if universal.negated || fields.iter().any(written) {
            return false;
        }
        let list = |&next: &FieldId| is_part(&formula, |b| List { next }.holds(b));
        let is_tree = |tree: Tree| is_part(&formula, |[a, b, _]| tree.holds([a, b]));
        let tree = |&left: &FieldId| {
            let below = |&right: &FieldId| {
                fields.iter().any(|&parent| is_tree(Tree { left, right, parent }))
            };
            fields.iter().any(below)
        };
        fields.iter().any(list) || fields.iter().any(tree)
    }
}

/// Whether the formula is one of the statements that make up a structure, up to the names of bound objects.
fn is_part(formula: &Formula, structure: impl Fn([Symbol; 3]) -> Formula) -> bool {
    let Formula::Forall(bound, _) = formula else { return false };
    let Some(&first) = bound.first() else { return false };
    let name = |at: usize| *bound.get(at).unwrap_or(&first);
    structure([name(0), name(1), name(2)]).conjuncts().contains(formula)
}

fn reads_bound(body: &Formula, bound: &[Symbol]) -> bool {
    let mut found = false;
    body.terms(&mut |term| {
        if let Term::Read(_, of) = term {
            of.terms(&mut |t| found |= matches!(t, Term::Var(s) if bound.contains(s)));
        }
    });
    found
}

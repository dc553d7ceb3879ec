//! The fields that a whole problem is simulated with (section 6.3.2 of the thesis).
//!
//! A *backbone* is what the problem assumes to be lists or trees: one field that is acyclic and free of
//! sharing, or two fields with the parent function of the trees that they form ([`Tree::holds`]). Its
//! assumptions are then true by construction and need not be said; every other field is derived.

use super::problem::Problem;
use bolide_heap::lists::List;
use bolide_heap::trees::Tree;
use bolide_heap::{FieldId, Formula, Kind, Term};

/// What the positions of a string or of a tree stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backbone {
    /// Objects without links.
    None,
    /// Lists along one field.
    List(List),
    /// Binary trees; reachability goes upwards, along the parent.
    Tree(Tree),
}

impl Backbone {
    /// The backbone along which reachability is said most often. What says that it is one is taken out of
    /// what is given.
    pub(super) fn find(problem: &mut Problem) -> Backbone {
        let mut best: Option<(usize, Backbone)> = None;
        for (field, info) in problem.signature.fields.iter() {
            if info.kind != Kind::Object || problem.write_of(field).is_some() {
                continue;
            }
            let list = Backbone::List(List { next: field });
            let tree = tree(problem, field).map(Backbone::Tree);
            for candidate in [Some(list), tree].into_iter().flatten() {
                if candidate.stated(problem) {
                    let count = uses(problem, field);
                    if best.is_none_or(|(most, _)| count > most) {
                        best = Some((count, candidate));
                    }
                }
            }
        }
        let Some((_, backbone)) = best else { return Backbone::None };
        problem.given.retain(|formula| !backbone.says(formula));
        backbone
    }

    /// Whether reading the field moves along the backbone.
    pub fn has(self, field: FieldId) -> bool {
        match self {
            Backbone::None => false,
            Backbone::List(list) => field == list.next,
            Backbone::Tree(tree) => [tree.left, tree.right, tree.parent].contains(&field),
        }
    }

    /// The field along which reachability can be said.
    pub fn reaches(self) -> Option<FieldId> {
        match self {
            Backbone::None => None,
            Backbone::List(list) => Some(list.next),
            Backbone::Tree(tree) => Some(tree.parent),
        }
    }

    /// Whether the problem assumes all that the simulation makes true.
    fn stated(self, problem: &Problem) -> bool {
        // Of the statements about lists the last follows from the others.
        let needed = if matches!(self, Backbone::List(_)) { 2 } else { TREE };
        let states = |what: usize| problem.given.iter().any(|f| self.is(f, what));
        self != Backbone::None && (0..needed).all(states)
    }

    /// Whether the formula is one of those statements.
    pub(crate) fn says(self, formula: &Formula) -> bool {
        (0..TREE).any(|what| self.is(formula, what))
    }

    /// Whether the formula is the statement of this number, up to the names of bound objects.
    fn is(self, formula: &Formula, what: usize) -> bool {
        let Formula::Forall(bound, body) = formula else { return false };
        let Some(&first) = bound.first() else { return false };
        let name = |at: usize| *bound.get(at).unwrap_or(&first);
        let all = match self {
            Backbone::None => return false,
            Backbone::List(list) => list.holds([name(0), name(1), name(2)]),
            Backbone::Tree(tree) => tree.holds([name(0), name(1)]),
        };
        let expected = all.conjuncts().into_iter().nth(what);
        matches!(expected, Some(Formula::Forall(own, said)) if own == *bound && said == *body)
    }
}

/// Statements that make up a tree.
const TREE: usize = 6;

/// How often reachability along a field or what it became is spoken of.
fn uses(problem: &Problem, field: FieldId) -> usize {
    let mut count = 0;
    for formula in &problem.given {
        formula.atoms(&mut |atom| {
            let along = matches!(atom, Formula::Btwn(f, ..) if problem.root(*f) == field);
            count += usize::from(along);
        });
    }
    count
}

/// The tree of which the field is said to be the parent: the two fields of which an object is said to be one
/// at its parent.
fn tree(problem: &Problem, parent: FieldId) -> Option<Tree> {
    for formula in &problem.given {
        let Formula::Forall(bound, body) = formula else { continue };
        let (Formula::Or(parts), [x]) = (&**body, &bound[..]) else { continue };
        let above = Term::read(parent, Term::Var(*x));
        let child = |part: &Formula| match part {
            Formula::Eq(Term::Read(field, of), Term::Var(child)) => {
                (**of == above && child == x).then_some(*field)
            }
            _ => None,
        };
        if let [first, left, right] = &parts[..]
            && *first == Formula::Eq(above.clone(), Term::Null)
            && let (Some(left), Some(right)) = (child(left), child(right))
        {
            return Some(Tree { left, right, parent });
        }
    }
    None
}

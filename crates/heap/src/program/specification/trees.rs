//! Binary trees of contracts: the ghost that their fields are derived from.
//!
//! A contract that says `tree(left, right)` gets a ghost field, the parent (see [`crate::trees`]).
//! Every write to a tree field is accompanied by writes to the ghost: the
//! old child loses its parent, the new one gets the object. Where subtrees are moved, an old child may have a new parent already. Whatever the ghost is, `tree` is proved only where
//! it satisfies all that makes it the parent function: so no ghost
//! update can make a proof wrong. Required: reachability in a tree means this only where the
//! fields form one, so a contract that speaks of it must require and ensure that.

use super::super::view::Command;
use super::parts;
use super::reader::Reader;
use crate::trees::Tree;
use crate::{FieldId, Formula, Kind, Term};
use bolide_cfa::contract::{Contract, Expr, FieldPlace};

impl Reader<'_> {
    /// The tree of two fields.
    pub(super) fn tree(&mut self, left: &FieldPlace, right: &FieldPlace) -> Tree {
        let (left, right) = (self.field(left, false), self.field(right, false));
        if let Some(known) = self.trees.iter().find(|t| t.left == left && t.right == right) {
            return *known;
        }
        let fields = &self.view.signature.fields;
        let name = format!("parent({}, {})", fields[left].name, fields[right].name);
        let parent = self.view.signature.field(name, Kind::Object);
        self.view.fields.parents.push(parent);
        let tree = Tree { left, right, parent };
        self.trees.push(tree);
        tree
    }

    /// The tree now, or as it was.
    fn tree_at(&mut self, tree: Tree, old: bool) -> Tree {
        Tree {
            left: self.at(tree.left, old),
            right: self.at(tree.right, old),
            parent: self.at(tree.parent, old),
        }
    }

    /// What the fields of a tree satisfy.
    pub(super) fn is_tree(&mut self, tree: Tree, old: bool) -> Formula {
        let tree = self.tree_at(tree, old);
        self.bind(&[u32::MAX, u32::MAX - 1], |_, symbols| tree.holds([symbols[0], symbols[1]]))
    }

    /// The second object is null or lies below the first, or is it.
    pub(super) fn below(&mut self, tree: Tree, old: bool, x: Term, y: Term) -> Formula {
        let parent = self.at(tree.parent, old);
        Tree { parent, ..tree }.below(x, y)
    }

    /// Gives every write to a tree field its writes to the ghost.
    pub(super) fn accompany(&mut self) {
        let trees = self.trees.clone();
        let moves: Vec<bool> = trees.iter().map(|tree| self.moves_subtrees(*tree)).collect();
        for step in &mut self.view.steps {
            for (tree, &moves) in trees.iter().zip(&moves) {
                let mut all = Vec::new();
                for command in step.commands.drain(..) {
                    if let Command::Write(field, at, value) = &command
                        && (*field == tree.left || *field == tree.right)
                    {
                        let child = Term::read(*field, at.clone());
                        let above = if moves { tree.kept(*field, at) } else { Term::Null };
                        all.push(Command::Write(tree.parent, child, Some(above)));
                        if let Some(value) = value
                            && *value != Term::Null
                        {
                            let none = Formula::Eq(value.clone(), Term::Null);
                            let above = Term::If(
                                Box::new(none),
                                Box::new(Term::Null),
                                Box::new(at.clone()),
                            );
                            all.push(Command::Write(tree.parent, value.clone(), Some(above)));
                        }
                    }
                    let forgotten = matches!(&command, Command::Forget(field)
                        if *field == tree.left || *field == tree.right);
                    all.push(command);
                    if forgotten {
                        all.push(Command::Forget(tree.parent));
                    }
                }
                step.commands = all;
            }
        }
    }

    /// Whether what is stored into a tree field may have come from one.
    // Heuristic: any variable that is ever assigned may have. A ghost that is wrong costs a proof, not its soundness.
    fn moves_subtrees(&self, tree: Tree) -> bool {
        let commands = || self.view.steps.iter().flat_map(|step| &step.commands);
        let assigned =
            |symbol| commands().any(|c| matches!(c, Command::Assign(s, _) if *s == symbol));
        commands().any(|command| match command {
            Command::Write(field, _, Some(value))
                if *field == tree.left || *field == tree.right =>
            {
                match value {
                    Term::Null => false,
                    Term::Var(symbol) => assigned(*symbol),
                    _ => true,
                }
            }
            _ => false,
        })
    }
}

impl Tree {
    /// The parent of the old child of an object, when the field is written to there: none, unless the child has another one or is
    /// that object's other child too.
    fn kept(self, field: FieldId, at: &Term) -> Term {
        let child = Term::read(field, at.clone());
        let above = Term::read(self.parent, child.clone());
        let other = if field == self.left { self.right } else { self.left };
        let lost = Formula::and([
            Formula::Eq(above.clone(), at.clone()),
            Formula::ne(Term::read(other, at.clone()), child),
        ]);
        Term::If(Box::new(lost), Box::new(Term::Null), Box::new(above))
    }
}

/// Whether the contract speaks of what lies below an object, but not of a tree when it has to.
pub(super) fn lacks_tree(contract: &Contract) -> bool {
    let mut used: Vec<(FieldPlace, FieldPlace)> = Vec::new();
    parts::visit_all(contract.requires.iter().chain(&contract.ensures), &mut |e| {
        if let Expr::Below(left, right, ..) = e {
            used.push((left.clone(), right.clone()));
        }
    });
    let says = |all: &[Expr], pair: &(FieldPlace, FieldPlace)| all.iter().any(|e| states(e, pair));
    let stated = |pair| says(&contract.requires, pair) && says(&contract.ensures, pair);
    !used.iter().all(stated)
}

/// Whether a conjunct says that the fields form a tree.
fn states(e: &Expr, pair: &(FieldPlace, FieldPlace)) -> bool {
    match e {
        Expr::Binary("&&", a, b) => states(a, pair) || states(b, pair),
        Expr::Tree(left, right) => *left == pair.0 && *right == pair.1,
        _ => false,
    }
}

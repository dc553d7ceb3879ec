//! Entailments about binary trees as input for MONA.
//!
//! After Figure 6.11 of the thesis: the heap is a list of trees of a recursive
//! type, whose leaves all stand for null. The judge knows no parents: what lies below an object is
//! the smallest set that is closed under both children, before and after a write.

use bolide_base::Budget;
use bolide_heap::trees::Tree;
use bolide_heap::{Formula, Kind, Signature, Symbol, Term};
use bolide_heap::{Session, State, Undecided};
use std::fmt::Write;
use std::rc::Rc;

/// One of the two children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// An object; variables are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// Null.
    Null,
    /// A variable.
    Variable(usize),
    /// A child of a variable, after the write or before.
    Child(Side, usize, bool),
}

/// A statement about objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// They are the same.
    Equal(Object, Object),
    /// It is in the set.
    InSet(Object),
    /// The second is null, the first or below it, after the write or before.
    Below(Object, Object, bool),
}

/// Whether some literals entail that one of others holds, in all forests of binary trees.
#[derive(Clone, Debug)]
pub struct TreeProblem {
    /// How many variables there are.
    pub variables: usize,
    /// A child that is written: of which object, which, and the new child. It was null before, and the new
    /// child is the root of another tree.
    pub written: Option<(usize, Side, usize)>,
    /// All of them hold; false for negated ones.
    pub hypotheses: Vec<(bool, Atom)>,
    /// One of them should.
    pub goals: Vec<(bool, Atom)>,
}

impl TreeProblem {
    /// The answer of the decision procedure of this crate.
    ///
    /// # Errors
    /// When the procedure gives up.
    // Long: all of it speaks of the symbols of the two trees that it declares first.
    pub fn entailed(&self, budget: &Budget) -> Result<bool, Undecided> {
        let mut signature = Signature::default();
        let field = |signature: &mut Signature, name: &str| signature.field(name, Kind::Object);
        let before = Tree {
            left: field(&mut signature, "left"),
            right: field(&mut signature, "right"),
            parent: field(&mut signature, "parent"),
        };
        let after = Tree {
            left: field(&mut signature, "left'"),
            right: field(&mut signature, "right'"),
            parent: field(&mut signature, "parent'"),
        };
        let set = signature.field("S", Kind::Truth);
        let variables: Vec<Symbol> = (0..self.variables)
            .map(|n| signature.variable(format!("x{n}"), Kind::Object))
            .collect();
        let bound = [signature.variable("x", Kind::Object), signature.variable("y", Kind::Object)];
        let mut session = Session::new(false);
        session.thorough = true;
        let mut state = State::default();
        for &symbol in &variables {
            let value = session.constant("x", Kind::Object);
            state.variables.insert(symbol, value);
        }
        for field in [before.left, before.right, before.parent] {
            let version = session.base("tree", Kind::Object);
            state.fields.insert(field, version);
        }
        let members = session.base("S", Kind::Truth);
        state.fields.insert(set, members);
        for (new, old) in
            [(after.left, before.left), (after.right, before.right), (after.parent, before.parent)]
        {
            let version = state.fields[&old];
            state.fields.insert(new, version);
        }
        let var = |n: usize| Term::Var(variables[n]);
        let mut given = vec![before.holds(bound)];
        if let Some((at, side, value)) = self.written {
            let (x, y) = (state.variables[&variables[at]], state.variables[&variables[value]]);
            let (old, new) = match side {
                Side::Left => (before.left, after.left),
                Side::Right => (before.right, after.right),
            };
            let written = session.write(state.fields[&old], x, y);
            state.fields.insert(new, written);
            let written = session.write(state.fields[&before.parent], y, x);
            state.fields.insert(after.parent, written);
            given.push(Formula::ne(var(at), Term::Null));
            given.push(Formula::ne(var(value), Term::Null));
            given.push(Formula::Eq(Term::read(old, var(at)), Term::Null));
            given.push(Formula::Eq(Term::read(before.parent, var(value)), Term::Null));
            given.push(before.below(var(value), var(at)).negate());
        }
        let object = |o: Object| match o {
            Object::Null => Term::Null,
            Object::Variable(n) => var(n),
            Object::Child(side, n, later) => {
                let tree = if later { after } else { before };
                let field = if side == Side::Left { tree.left } else { tree.right };
                Term::read(field, var(n))
            }
        };
        let literal = |(holds, atom): (bool, Atom)| {
            let formula = match atom {
                Atom::Equal(a, b) => Formula::Eq(object(a), object(b)),
                Atom::InSet(a) => Formula::Holds(set, object(a)),
                Atom::Below(a, b, later) => {
                    let tree = if later { after } else { before };
                    tree.below(object(a), object(b))
                }
            };
            if holds { formula } else { formula.negate() }
        };
        given.extend(self.hypotheses.iter().copied().map(literal));
        given.extend(self.goals.iter().copied().map(|goal| literal(goal).negate()));
        let state = Rc::new(state);
        for formula in &given {
            session.assume(&state, formula);
        }
        Ok(session.check(budget)?.is_none())
    }

    /// The problem for MONA: the formula is valid when a goal follows.
    pub fn to_mona(&self) -> String {
        let mut out = String::from(PRELUDE);
        for n in 0..self.variables {
            let _ = writeln!(out, "var1 [U] x{n} where type(x{n}, Node) & x{n} in H;");
        }
        out.push_str("var2 [U] S where S sub H;\n");
        let mut given = Vec::new();
        for side in ["l", "r"] {
            let changed = match self.written {
                Some((at, Side::Left, value)) if side == "l" => Some((at, value)),
                Some((at, Side::Right, value)) if side == "r" => Some((at, value)),
                _ => None,
            };
            let _ = match changed {
                None => writeln!(out, "pred {side}w(var1 a, b) = {side}(a, b);"),
                Some((at, value)) => {
                    given.push(format!("~null(x{at}) & ~null(x{value}) & ~below(x{value}, x{at})"));
                    given.push(format!("(ex1 a: {side}(x{at}, a) & null(a))"));
                    given.push(format!(
                        "(all1 a: (a in H & cell(a)) => ~l(a, x{value}) & ~r(a, x{value}))"
                    ));
                    writeln!(
                        out,
                        "pred {side}w(var1 a, b) = a = x{at} & b = x{value} | ~(a = x{at}) & {side}(a, b);"
                    )
                }
            };
        }
        out.push_str(
            "pred beloww(var1 a, b) = all2 T: (T sub H & elem(a, T) & \
             (all1 v, w: (v in H & w in H & type(v, Node) & type(w, Node) & elem(v, T) & \
             (lw(v, w) | rw(v, w))) => elem(w, T))) => elem(b, T);\n",
        );
        let mut fresh = 0;
        given.extend(self.hypotheses.iter().map(|&l| mona_literal(l, &mut fresh)));
        let goals: Vec<String> = self.goals.iter().map(|&l| mona_literal(l, &mut fresh)).collect();
        let given = if given.is_empty() { "true".into() } else { given.join(" & ") };
        let _ = writeln!(out, "({given}) => ({});", goals.join(" | "));
        out
    }
}

/// The heap, equality up to null, children and what lies below.
const PRELUDE: &str = "ws2s;\n\
    type Node = Nil, Cell(l: Node, r: Node);\n\
    type Heap = Empty, Cons(first: Node, rest: Heap);\n\
    universe U: Heap;\n\
    tree [U] H where tree_root(H) = root(U);\n\
    pred null(var1 v) = variant(v, H, Node, Nil) & v in H;\n\
    pred cell(var1 v) = variant(v, H, Node, Cell) & v in H;\n\
    pred eq(var1 a, b) = null(a) & null(b) | a = b;\n\
    pred elem(var1 a, var2 S) = ex1 b: b in S & eq(a, b);\n\
    pred l(var1 a, b) = null(a) & null(b) | cell(a) & type(b, Node) & b in H & eq(b, succ(a, Node, Cell, l));\n\
    pred r(var1 a, b) = null(a) & null(b) | cell(a) & type(b, Node) & b in H & eq(b, succ(a, Node, Cell, r));\n\
    pred below(var1 a, b) = all2 T: (T sub H & elem(a, T) & (all1 v, w: (v in H & w in H & type(v, Node) & \
    type(w, Node) & elem(v, T) & (l(v, w) | r(v, w))) => elem(w, T))) => elem(b, T);\n";

fn mona_literal((holds, atom): (bool, Atom), fresh: &mut u32) -> String {
    let (mut before, mut after) = (String::new(), String::new());
    let mut name = |object: Object| match object {
        Object::Variable(n) => format!("x{n}"),
        other => {
            *fresh += 1;
            let name = format!("t{fresh}");
            let _ = match other {
                Object::Child(side, n, later) => {
                    let side = if side == Side::Left { "l" } else { "r" };
                    let word = if later { "w" } else { "" };
                    write!(before, "(ex1 {name}: {side}{word}(x{n}, {name}) & ")
                }
                _ => write!(before, "(ex1 {name}: null({name}) & "),
            };
            after.push(')');
            name
        }
    };
    let said = match atom {
        Atom::Equal(a, b) => format!("eq({}, {})", name(a), name(b)),
        Atom::InSet(a) => format!("elem({}, S)", name(a)),
        Atom::Below(a, b, later) => {
            let word = if later { "beloww" } else { "below" };
            format!("{word}({}, {})", name(a), name(b))
        }
    };
    let said = format!("({before}{said}{after})");
    if holds { said } else { format!("~{said}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_of_siblings_are_disjoint() {
        let under = |side| Object::Child(side, 0, false);
        let mut problem = TreeProblem {
            variables: 2,
            written: None,
            hypotheses: vec![
                (true, Atom::Below(under(Side::Left), Object::Variable(1), false)),
                (true, Atom::Below(under(Side::Right), Object::Variable(1), false)),
            ],
            goals: vec![(true, Atom::Equal(Object::Variable(1), Object::Null))],
        };
        assert_eq!(problem.entailed(&Budget::unlimited()), Ok(true));
        let text = problem.to_mona();
        assert!(text.ends_with("=> (((ex1 t3: null(t3) & eq(x1, t3))));\n"), "{text}");
        problem.hypotheses.pop();
        assert_eq!(problem.entailed(&Budget::unlimited()), Ok(false));
    }

    #[test]
    fn a_new_child_is_below() {
        let var = Object::Variable;
        let problem = TreeProblem {
            variables: 3,
            written: Some((0, Side::Right, 1)),
            hypotheses: vec![(true, Atom::Below(var(2), var(0), false))],
            goals: vec![(true, Atom::Below(var(2), var(1), true))],
        };
        // Unless the third is null: below null there is only null.
        assert_eq!(problem.entailed(&Budget::unlimited()), Ok(true));
        let without = TreeProblem { hypotheses: Vec::new(), ..problem };
        assert_eq!(without.entailed(&Budget::unlimited()), Ok(false));
    }
}

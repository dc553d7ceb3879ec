//! Formulas that are instantiated again and again.
//!
//! The body of a universal statement is made ground at every object, and that of a Boolean heap says the same few
//! atoms over and over, in one cube after the other. Here each atom has a number, so that an instance encodes it once.

use crate::formula::{Formula, Symbol};
use bolide_base::HashMap;

/// A formula whose atoms are known by number.
pub(crate) struct Compiled {
    /// Each once.
    pub atoms: Vec<Formula>,
    /// Parts before wholes; the last is the root.
    pub nodes: Vec<Node>,
}

/// A part of a compiled formula.
pub(crate) enum Node {
    Atom(usize),
    Not(usize),
    /// A conjunction, or else a disjunction.
    List(bool, Vec<usize>),
    /// All objects, or else some.
    Quantified(bool, Vec<Symbol>, Formula),
}

impl Compiled {
    pub fn new(formula: &Formula) -> Compiled {
        let mut compiled = Compiled { atoms: Vec::new(), nodes: Vec::new() };
        let mut numbers = HashMap::default();
        compiled.add(formula, &mut numbers);
        compiled
    }

    pub fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    fn add<'f>(
        &mut self,
        formula: &'f Formula,
        numbers: &mut HashMap<&'f Formula, usize>,
    ) -> usize {
        let node = match formula {
            Formula::Not(inner) => Node::Not(self.add(inner, numbers)),
            Formula::And(all) | Formula::Or(all) => {
                let parts = all.iter().map(|part| self.add(part, numbers)).collect();
                Node::List(matches!(formula, Formula::And(_)), parts)
            }
            Formula::Forall(bound, body) | Formula::Exists(bound, body) => {
                let all = matches!(formula, Formula::Forall(..));
                Node::Quantified(all, bound.clone(), (**body).clone())
            }
            atom => {
                let next = self.atoms.len();
                let number = *numbers.entry(atom).or_insert(next);
                if number == next {
                    self.atoms.push(atom.clone());
                }
                Node::Atom(number)
            }
        };
        self.nodes.push(node);
        self.root()
    }
}

//! Temporal formulas over calls, and the automata of their bad prefixes.
//!
//! A run is read as the sequence of its calls of functions that the formula
//! mentions; other calls are not positions. `call(f)` holds at a position
//! where `f` is called; `X p` says that `p` holds at the next position, if
//! there is one. There are `G`, `F`, `X`, `U`, `W` (weak until), `R` (release), `!`, `&&`, `||`,
//! `->`, `<->`, `true`, `false`; `[]`, `<>` are read too.
//!
//! A formula whose negation normal form has neither `F` nor `U` is a safety
//! property (Sistla 1994). Its bad prefixes that are *informative* (Kupferman and Vardi 1999) are accepted by the
//! automaton of its progressions (Bacchus and Kabanza): a state is what is still to be shown, as a disjunction
//! of sets of subformulas; a call leads to what remains; nothing left in the
//! disjunction is the violation. Sets that include another one are dropped, so
//! that there are finitely many states. Formulas that may be violated only in
//! the infinite are refused.

use super::automaton::{Automaton, Order, State, Target, Transition, Trigger};
use super::lexer::{Token, Tokens};
use bolide_base::{Diagnostic, HashMap, Span};
use std::collections::BTreeSet;

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Formula {
    Constant(bool),
    /// The function is called now.
    Call(String),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Globally(Box<Formula>),
    Finally(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    WeakUntil(Box<Formula>, Box<Formula>),
    Release(Box<Formula>, Box<Formula>),
}

/// Reads a formula and nothing else.
pub fn parse(text: &str, start: u32) -> Result<Formula, Vec<Diagnostic>> {
    let mut tokens = Tokens::new(text, start, true)?;
    let result = formula(&mut tokens).map_err(|error| vec![error])?;
    if !tokens.at_end() {
        return Err(vec![tokens.expected("an operator or the end of the formula")]);
    }
    Ok(result)
}

const DEEPEST: usize = 200;

type Make = fn(Box<Formula>, Box<Formula>) -> Formula;

/// A level of operators that bind equally tight.
struct Level {
    /// Signs or words, and what they make.
    operators: &'static [(&'static str, Make)],
    /// `a -> b -> c` is `a -> (b -> c)`.
    to_the_right: bool,
}

/// From loosest to tightest.
const LEVELS: [Level; 5] = [
    Level { operators: &[("<->", Formula::Equivalent)], to_the_right: false },
    Level { operators: &[("->", Formula::Implies), ("=>", Formula::Implies)], to_the_right: true },
    Level { operators: &[("||", Formula::Or), ("|", Formula::Or)], to_the_right: false },
    Level { operators: &[("&&", Formula::And), ("&", Formula::And)], to_the_right: false },
    Level {
        operators: &[
            ("U", Formula::Until),
            ("W", Formula::WeakUntil),
            ("R", Formula::Release),
            ("V", Formula::Release),
        ],
        to_the_right: true,
    },
];

pub(super) fn formula(tokens: &mut Tokens) -> Result<Formula, Diagnostic> {
    level(tokens, 0, 0)
}

fn level(tokens: &mut Tokens, at: usize, depth: usize) -> Result<Formula, Diagnostic> {
    if depth > DEEPEST {
        return Err(Diagnostic::error(tokens.span(), "the formula is nested too deeply"));
    }
    let Some(Level { operators, to_the_right }) = LEVELS.get(at) else {
        return unary(tokens, depth);
    };
    let mut left = level(tokens, at + 1, depth)?;
    while let Some((_, make)) =
        operators.iter().find(|(sign, _)| tokens.sign(sign) || tokens.word(sign))
    {
        let right = match to_the_right {
            true => level(tokens, at, depth + 1)?,
            false => level(tokens, at + 1, depth)?,
        };
        left = make(Box::new(left), Box::new(right));
    }
    Ok(left)
}

fn unary(tokens: &mut Tokens, depth: usize) -> Result<Formula, Diagnostic> {
    if depth > DEEPEST {
        return Err(Diagnostic::error(tokens.span(), "the formula is nested too deeply"));
    }
    let operand = |tokens: &mut Tokens| Ok(Box::new(unary(tokens, depth + 1)?));
    if tokens.sign("!") {
        return Ok(Formula::Not(operand(tokens)?));
    }
    for (open, close, make) in
        [("[", "]", Formula::Globally as fn(Box<Formula>) -> Formula), ("<", ">", Formula::Finally)]
    {
        if tokens.is_sign(open) && *tokens.ahead(1) == Token::Sign(close) {
            tokens.take();
            tokens.take();
            return Ok(make(operand(tokens)?));
        }
    }
    if tokens.sign("(") {
        let inner = level(tokens, 0, depth + 1)?;
        tokens.expect_sign(")")?;
        return Ok(inner);
    }
    let span = tokens.span();
    let word = tokens.expect_word("a formula")?;
    match word.as_str() {
        "G" => Ok(Formula::Globally(operand(tokens)?)),
        "F" => Ok(Formula::Finally(operand(tokens)?)),
        "X" => Ok(Formula::Next(operand(tokens)?)),
        "true" => Ok(Formula::Constant(true)),
        "false" => Ok(Formula::Constant(false)),
        "call" => {
            tokens.expect_sign("(")?;
            let function = tokens.expect_word("a function's name")?;
            if tokens.sign("(") {
                tokens.expect_sign(")")?;
            }
            tokens.expect_sign(")")?;
            Ok(Formula::Call(function))
        }
        _ => {
            let message = format!("`{word}` is no atom of a formula");
            Err(Diagnostic::error(span, message).with_help("atoms are written `call(f)`"))
        }
    }
}

type NodeId = u32;
/// A conjunction of subformulas, by their ids; empty is true.
type Set = BTreeSet<NodeId>;
/// A disjunction of conjunctions; empty is false.
type Dnf = BTreeSet<Set>;

/// A formula in negation normal form; children are made before parents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    Constant(bool),
    Call(usize, bool),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Next(NodeId),
    Globally(NodeId),
    Weak(NodeId, NodeId),
    Release(NodeId, NodeId),
}

#[derive(Default)]
struct Nodes {
    nodes: Vec<Node>,
    ids: HashMap<Node, NodeId>,
    functions: Vec<String>,
}

impl Nodes {
    fn make(&mut self, node: Node) -> NodeId {
        let next = self.nodes.len() as NodeId;
        let id = *self.ids.entry(node.clone()).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// The negation normal form. Depth is limited by the parser.
    fn normal(&mut self, formula: &Formula, positive: bool) -> Result<NodeId, &'static str> {
        Ok(match (formula, positive) {
            (Formula::Constant(value), _) => self.make(Node::Constant(*value == positive)),
            (Formula::Call(name), _) => {
                let position = self.functions.iter().position(|f| f == name);
                let position = position.unwrap_or_else(|| {
                    self.functions.push(name.clone());
                    self.functions.len() - 1
                });
                self.make(Node::Call(position, positive))
            }
            (Formula::Not(a), _) => self.normal(a, !positive)?,
            (Formula::And(a, b), true) | (Formula::Or(a, b), false) => {
                self.pair(Node::And, (a, positive), (b, positive))?
            }
            (Formula::Or(a, b), true) | (Formula::And(a, b), false) => {
                self.pair(Node::Or, (a, positive), (b, positive))?
            }
            (Formula::Implies(a, b), true) => self.pair(Node::Or, (a, false), (b, true))?,
            (Formula::Implies(a, b), false) => self.pair(Node::And, (a, true), (b, false))?,
            (Formula::Equivalent(a, b), _) => {
                // (a and b) or (not a and not b), the second turned for the negation.
                let both = self.pair(Node::And, (a, true), (b, positive))?;
                let neither = self.pair(Node::And, (a, false), (b, !positive))?;
                self.make(Node::Or(both, neither))
            }
            (Formula::Next(a), _) => {
                let a = self.normal(a, positive)?;
                self.make(Node::Next(a))
            }
            (Formula::Globally(a), true) | (Formula::Finally(a), false) => {
                let a = self.normal(a, positive)?;
                self.make(Node::Globally(a))
            }
            (Formula::Finally(_), true) | (Formula::Globally(_), false) => {
                return Err("something must happen eventually (`F`)");
            }
            (Formula::Until(..), true) | (Formula::Release(..), false) => {
                return Err("something must happen eventually (the right side of `U`)");
            }
            (Formula::WeakUntil(..), false) => {
                return Err("something must happen eventually (a negated `W`)");
            }
            // not (a U b) is (not a) R (not b)
            (Formula::Until(a, b), false) | (Formula::Release(a, b), true) => {
                self.pair(Node::Release, (a, positive), (b, positive))?
            }
            (Formula::WeakUntil(a, b), true) => self.pair(Node::Weak, (a, true), (b, true))?,
        })
    }

    /// The normal forms of two formulas, or of their negations, joined.
    fn pair(
        &mut self,
        make: fn(NodeId, NodeId) -> Node,
        (a, a_positive): (&Formula, bool),
        (b, b_positive): (&Formula, bool),
    ) -> Result<NodeId, &'static str> {
        let node = make(self.normal(a, a_positive)?, self.normal(b, b_positive)?);
        Ok(self.make(node))
    }

    /// What remains of each subformula after a call of `letter`.
    fn steps(&self, letter: usize) -> Vec<Dnf> {
        let mut steps: Vec<Dnf> = Vec::with_capacity(self.nodes.len());
        for (id, node) in self.nodes.iter().enumerate() {
            let of = |n: NodeId| &steps[n as usize];
            let later = |n: usize| Dnf::from([Set::from([n as NodeId])]);
            let truth = |value: bool| if value { Dnf::from([Set::new()]) } else { Dnf::new() };
            let step = match *node {
                Node::Constant(value) => truth(value),
                Node::Call(f, positive) => truth((f == letter) == positive),
                Node::And(a, b) => both(of(a), of(b)),
                Node::Or(a, b) => either(of(a), of(b)),
                Node::Next(a) => later(a as usize),
                Node::Globally(a) => both(of(a), &later(id)),
                Node::Weak(a, b) => either(of(b), &both(of(a), &later(id))),
                Node::Release(a, b) => both(of(b), &either(of(a), &later(id))),
            };
            steps.push(step);
        }
        steps
    }
}

fn either(a: &Dnf, b: &Dnf) -> Dnf {
    minimal(a.iter().chain(b).cloned().collect())
}

fn both(a: &Dnf, b: &Dnf) -> Dnf {
    let mut product = Dnf::new();
    for x in a {
        for y in b {
            product.insert(x | y);
        }
    }
    minimal(product)
}

/// Without sets that include another.
fn minimal(dnf: Dnf) -> Dnf {
    let mut kept: Vec<Set> = Vec::new();
    let mut sorted: Vec<Set> = dnf.into_iter().collect();
    sorted.sort_by_key(Set::len);
    for set in sorted {
        if !kept.iter().any(|smaller| smaller.is_subset(&set)) {
            kept.push(set);
        }
    }
    kept.into_iter().collect()
}

/// The automaton that goes to an error where a run can no longer satisfy the
/// formula. An error when the formula is not a safety property.
pub fn bad_prefixes(formula: &Formula, span: Span) -> Result<Automaton, Diagnostic> {
    let mut nodes = Nodes::default();
    let root = nodes.normal(formula, true).map_err(|why| {
        let message = format!("the formula is not a safety property: {why}");
        let help = "only properties that a finite run can violate are checked; \
                    a weak until `W` does not demand that its right side happens";
        Diagnostic::error(span, message).with_help(help)
    })?;
    let steps: Vec<Vec<Dnf>> = (0..nodes.functions.len()).map(|f| nodes.steps(f)).collect();
    let mut states: Vec<Dnf> = vec![Dnf::from([Set::from([root])])];
    let mut ids: HashMap<Dnf, usize> = HashMap::default();
    ids.insert(states[0].clone(), 0);
    let mut automaton =
        Automaton { name: "formula".into(), variables: vec![], states: vec![], initial: 0 };
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        let mut transitions = Vec::new();
        for (f, function) in nodes.functions.iter().enumerate() {
            let mut after = Dnf::new();
            for set in &state {
                let mut conjunction = Dnf::from([Set::new()]);
                for &member in set {
                    conjunction = both(&conjunction, &steps[f][member as usize]);
                }
                after = either(&after, &conjunction);
                if after.len() > 4096 {
                    return Err(Diagnostic::error(span, "the formula has too many states"));
                }
            }
            let target = if after.is_empty() {
                Target::Error(format!("the call of `{function}` violates the formula"))
            } else {
                let fresh = states.len();
                let id = *ids.entry(after.clone()).or_insert(fresh);
                if id == fresh {
                    states.push(after);
                }
                if states.len() > 10_000 {
                    return Err(Diagnostic::error(span, "the formula has too many states"));
                }
                Target::State(id)
            };
            if target != Target::State(next) {
                let trigger = Trigger::call(function.clone());
                transitions.push(Transition::plain(trigger, target, span));
            }
        }
        let name = format!("S{next}");
        automaton.states.push(State { name, order: Order::First, transitions });
        next += 1;
    }
    Ok(automaton)
}

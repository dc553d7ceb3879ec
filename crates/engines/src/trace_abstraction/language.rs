//! Automata as graphs over words: for people, and to compare languages.
//!
//! What an engine's automaton looks like once it is detached from the program:
//! numbered states with their predicates in words, edges labelled by
//! statements in words. [`difference`] compares two languages by walking both subset
//! constructions side by side and gives a shortest word on which they
//! differ.

use super::alphabet::LetterId;
use super::automaton::{InterpolantAutomaton, MacroId};
use crate::picture::VERTICES;
use bolide_base::HashMap;
use bolide_cfa::render::diagram::{ArrowKind, Diagram, VertexKind};
use bolide_terms::TermId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

/// A nondeterministic automaton over statements in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// The predicate of each state.
    pub states: Vec<String>,
    /// Where it starts.
    pub initial: BTreeSet<usize>,
    /// Where it accepts.
    pub accepting: BTreeSet<usize>,
    /// From, letter, to; for returns the letter names the caller's state.
    pub edges: BTreeSet<(usize, String, usize)>,
}

impl Automaton {
    /// An automaton from its edges; states are numbers.
    pub fn from_edges(initial: usize, accepting: usize, edges: &[(usize, &str, usize)]) -> Self {
        let count = edges.iter().flat_map(|e| [e.0, e.2]).max().map_or(1, |m| m + 1);
        Automaton {
            states: vec![String::new(); count.max(initial + 1).max(accepting + 1)],
            initial: [initial].into(),
            accepting: [accepting].into(),
            edges: edges.iter().map(|&(a, l, b)| (a, l.to_owned(), b)).collect(),
        }
    }

    fn step(&self, from: &BTreeSet<usize>, letter: &str) -> BTreeSet<usize> {
        let edges = self.edges.iter();
        edges.filter(|(a, l, _)| from.contains(a) && l == letter).map(|e| e.2).collect()
    }

    fn accepts(&self, set: &BTreeSet<usize>) -> bool {
        !set.is_disjoint(&self.accepting)
    }

    /// In the language of Graphviz.
    pub fn to_dot(&self, name: &str) -> String {
        let mut out = format!("digraph \"{name}\" {{\n  rankdir=LR;\n");
        for (state, predicate) in self.states.iter().enumerate() {
            let shape = if self.accepting.contains(&state) { "doublecircle" } else { "ellipse" };
            let label = format!("q{state}\n{predicate}");
            let _ = writeln!(out, "  q{state} [shape={shape}, label={label:?}];");
        }
        for state in &self.initial {
            let _ = writeln!(out, "  start{state} [shape=point]; start{state} -> q{state};");
        }
        for (from, letter, to) in &self.edges {
            let _ = writeln!(out, "  q{from} -> q{to} [label={letter:?}];");
        }
        out.push_str("}\n");
        out
    }

    /// As a drawing: states in the order of a walk from the start, the letters
    /// of parallel edges together.
    pub fn diagram(&self, name: String) -> Diagram {
        let mut order: Vec<usize> = self.initial.iter().copied().collect();
        let mut seen: BTreeSet<usize> = self.initial.clone();
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            let to = self.edges.iter().filter(|e| e.0 == state).map(|e| e.2);
            order.extend(to.filter(|&to| seen.insert(to)));
        }
        order.extend((0..self.states.len()).filter(|state| !seen.contains(state)));
        let mut diagram = Diagram { name, ..Diagram::default() };
        diagram.omitted = order.len().saturating_sub(VERTICES);
        let mut positions: HashMap<usize, usize> = HashMap::default();
        for state in order.into_iter().take(VERTICES) {
            let kind = match (self.accepting.contains(&state), self.initial.contains(&state)) {
                (true, _) => VertexKind::Marked,
                (_, true) => VertexKind::Head,
                _ => VertexKind::Plain,
            };
            let lines = vec![format!("q{state}"), self.states[state].clone()];
            positions.insert(state, diagram.add(kind, lines));
        }
        let mut letters: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
        for (from, letter, to) in &self.edges {
            if let (Some(&from), Some(&to)) = (positions.get(from), positions.get(to)) {
                letters.entry((from, to)).or_default().push(letter);
            }
        }
        for ((from, to), letters) in letters {
            let label = match letters.as_slice() {
                [one] => (*one).to_owned(),
                several => format!("{} letters: {}", several.len(), several.join(" | ")),
            };
            diagram.connect(from, to, ArrowKind::Step, label);
        }
        diagram
    }

    /// States with their predicates, then edges.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (state, predicate) in self.states.iter().enumerate() {
            let mut marks = String::new();
            if self.initial.contains(&state) {
                marks += " initial";
            }
            if self.accepting.contains(&state) {
                marks += " accepting";
            }
            let _ = writeln!(out, "q{state}{marks}: {predicate}");
        }
        for (from, letter, to) in &self.edges {
            let _ = writeln!(out, "q{from} -> q{to} : {letter}");
        }
        out
    }
}

/// A shortest word that exactly one of two automata accepts; none when their
/// languages are equal.
pub fn difference(a: &Automaton, b: &Automaton) -> Option<Vec<String>> {
    let letters: BTreeSet<&String> = a.edges.iter().chain(&b.edges).map(|e| &e.1).collect();
    let start = (a.initial.clone(), b.initial.clone());
    let mut seen = BTreeSet::from([start.clone()]);
    let mut pending = VecDeque::from([(start, Vec::new())]);
    while let Some(((x, y), word)) = pending.pop_front() {
        if a.accepts(&x) != b.accepts(&y) {
            return Some(word);
        }
        for &letter in &letters {
            let next = (a.step(&x, letter), b.step(&y, letter));
            if seen.insert(next.clone()) {
                let mut longer = word.clone();
                longer.push(letter.clone());
                pending.push_back((next, longer));
            }
        }
    }
    None
}

/// Automata as files, with a table of the steps that led to them.
pub(super) fn drawings(automata: &[Automaton], history: &[String]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (number, automaton) in automata.iter().enumerate() {
        let name = if number == 0 { "background".to_owned() } else { format!("A{number}") };
        files.push((format!("{name}.dot"), automaton.to_dot(&name)));
        files.push((format!("{name}.txt"), automaton.to_text()));
    }
    let mut table = String::from(
        "automaton\tmade from\tpredicates\tnodes of the difference before\tsolver queries before\n",
    );
    for line in history {
        table.push_str(line);
        table.push('\n');
    }
    files.push(("refinements.tsv".to_owned(), table));
    files
}

/// The view of an interpolant automaton, as far as it was asked for.
pub(super) fn of_view(
    automaton: &InterpolantAutomaton,
    letter_text: impl Fn(LetterId) -> String,
    predicate_text: impl Fn(TermId) -> String,
) -> Automaton {
    let mut result = Automaton::default();
    let mut number: HashMap<MacroId, usize> = HashMap::default();
    let mut state = |set: MacroId, result: &mut Automaton| {
        *number.entry(set).or_insert_with(|| {
            result.states.push(predicate_text(automaton.formula(set)));
            result.states.len() - 1
        })
    };
    // A letter may be long, and occurs in many steps.
    let mut letters: HashMap<LetterId, String> = HashMap::default();
    for (situation, to) in automaton.steps() {
        let letter = situation.letter;
        let text = letters.entry(letter).or_insert_with(|| letter_text(letter)).clone();
        let target = state(to, &mut result);
        if text == "start" {
            result.initial.insert(target);
        } else if !(situation.last && to != MacroId::FALSE) {
            // A last letter that is not excluded leads nowhere.
            let from = state(situation.from, &mut result);
            let text = match situation.caller {
                MacroId::TRUE => text,
                caller => format!("{text} with q{}", state(caller, &mut result)),
            };
            result.edges.insert((from, text, target));
        }
        if to == MacroId::FALSE {
            result.accepting.insert(target);
        }
    }
    result
}

//! A verdict and its reasons as plain data, from which every presentation is made.
//!
//! The command line fills it in: it knows files, clock and engines. Nothing
//! here refers to a program or a term store (diagrams are boxes and arrows), so that an account can be kept,
//! compared and written in any form.

use bolide_cfa::render::diagram::Diagram;
use std::ops::Range;
use std::rc::Rc;

/// A place in one of the account's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Position in [`Account::files`].
    pub file: usize,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// A text that the account speaks of.
#[derive(Clone, Debug, Default)]
pub struct SourceFile {
    /// Its name as the user knows it.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Pieces with a colour, in order and without overlap. The letter is the class of the report's
    /// style: keyword, type, number, string, comment or directive.
    pub colours: Vec<(Range<usize>, char)>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The property holds.
    Holds {
        /// Proof obligations that the audit discharged with checked proofs.
        obligations: usize,
        /// How it was proved, in a few words.
        how: String,
    },
    /// It does not: the run that [`Account::steps`] tells violates it.
    Violated {
        /// Which property.
        property: String,
        /// What went wrong.
        message: String,
        /// Where.
        place: Option<Place>,
        /// The values that the program asked for, with the name of the
        /// function that it called.
        inputs: Vec<(String, String)>,
    },
    /// Neither is known.
    Undecided {
        /// What stopped the search.
        reason: String,
        /// What the user can try.
        advice: Vec<String>,
    },
}

/// A variable of an open call, or a place in memory, got a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// How many calls are open below the one it belongs to; none for globals
    /// and memory.
    pub depth: Option<usize>,
    /// Its name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// One step of a run: what happened at one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The line.
    pub place: Place,
    /// The function that is executed.
    pub function: String,
    /// How many calls are open below it.
    pub depth: usize,
    /// What is worth saying: which way a branch went, which input was read.
    pub words: Vec<String>,
    /// What got a value.
    pub changes: Vec<Change>,
    /// Numbers of the automaton's edges.
    pub edges: Vec<u32>,
    /// The heap as the step leaves it, if there is one.
    pub heap: Option<Rc<Diagram>>,
}

/// Something that holds at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub place: Place,
    /// What kind: "invariant", "requires", "ensures".
    pub kind: &'static str,
    /// In C where it can be said in C.
    pub text: String,
}

/// A drawing with numbered edges.
#[derive(Clone, Debug)]
pub struct Graph {
    /// What it shows.
    pub name: String,
    /// The group it is listed in: "functions", "abstract reachability graph".
    pub group: String,
    /// The drawing; edges have the ids `E` and a number.
    pub svg: String,
    /// Edges that a counterexample takes.
    pub path: Vec<u32>,
    /// The same for graph tools.
    pub dot: Option<String>,
}

/// One number of the statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Of what.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Behind the number: "ms" or nothing.
    pub unit: &'static str,
}

/// A verdict with its reasons.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The program's name.
    pub program: String,
    /// The properties that were asked.
    pub properties: Vec<String>,
    /// What was found.
    pub finding: Finding,
    /// How: the engine and why it was chosen.
    pub engine: String,
    /// The texts.
    pub files: Vec<SourceFile>,
    /// The run of a violation.
    pub steps: Vec<Step>,
    /// Invariants and contracts.
    pub notes: Vec<Note>,
    /// What the verdict rests on besides the program.
    pub assumptions: Vec<String>,
    /// By place: how much was going on there, for the heat map; with words
    /// that say what is counted.
    pub heat: (String, Vec<(Place, u32)>),
    /// Statistics in groups; a group is drawn as one chart.
    pub measures: Vec<(String, Vec<Measure>)>,
    /// Drawings.
    pub graphs: Vec<Graph>,
    /// Drawings that were left out, because there is too much to draw.
    pub not_drawn: Vec<String>,
    /// Version of the program that wrote this.
    pub version: String,
}

impl Default for Finding {
    fn default() -> Self {
        Finding::Undecided { reason: String::new(), advice: Vec::new() }
    }
}

impl Account {
    /// The verdict in one word.
    pub fn verdict(&self) -> &'static str {
        match self.finding {
            Finding::Holds { .. } => "true",
            Finding::Violated { .. } => "false",
            Finding::Undecided { .. } => "unknown",
        }
    }

    /// `file:line:column`.
    pub fn position(&self, place: Place) -> String {
        let name = self.files.get(place.file).map_or("?", |f| f.name.as_str());
        format!("{name}:{}:{}", place.line, place.column)
    }
}

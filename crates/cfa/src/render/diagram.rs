//! A graph of an engine, ready to be drawn: an abstract reachability graph, an
//! interpolant automaton, a heap.
//!
//! Boxes with a few lines of text and arrows with labels, nothing that refers to a
//! program or a term (only to places in the source): engines make one when they are asked to, and what shows
//! it knows no engine. Vertices must be listed in the order of the drawing
//! (parents before children); an arrow to an earlier vertex is drawn upwards.

use super::figure::{self, Figure, LABEL_LIMIT};
use super::shortened;
use bolide_base::Span;
use std::fmt::Write;

/// What a vertex is to the engine; decides how it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexKind {
    /// Nothing special.
    #[default]
    Plain,
    /// The start, or an accepting state.
    Marked,
    /// A loop head.
    Head,
    /// An error.
    Error,
    /// Covered by another, or known to be unreachable.
    Covered,
}

/// A box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagramVertex {
    /// What stands in it; the first line names it.
    pub lines: Vec<String>,
    /// How it looks.
    pub kind: VertexKind,
    /// Where in the source it is.
    pub place: Option<Span>,
}

/// What an arrow is; decides how it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArrowKind {
    /// A step.
    #[default]
    Step,
    /// The target covers the source.
    Cover,
    /// The target stands for what a call does.
    Call,
}

/// An arrow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrow {
    /// Source, by position in the list of vertices.
    pub from: usize,
    /// Target.
    pub to: usize,
    /// What stands at it; may be empty.
    pub label: String,
    /// How it looks.
    pub kind: ArrowKind,
}

/// A graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// What it shows.
    pub name: String,
    /// Boxes.
    pub vertices: Vec<DiagramVertex>,
    /// Arrows.
    pub arrows: Vec<Arrow>,
    /// How many vertices were left out.
    pub omitted: usize,
}

/// Lines of one box that are shown; the rest is in its tip.
const LINES: usize = 8;

impl Diagram {
    /// Adds a vertex; its position.
    pub fn add(&mut self, kind: VertexKind, lines: Vec<String>) -> usize {
        self.vertices.push(DiagramVertex { lines, kind, place: None });
        self.vertices.len() - 1
    }

    /// Adds a vertex that stands for a place in the source; its position.
    pub fn add_at(&mut self, place: Option<Span>, kind: VertexKind, lines: Vec<String>) -> usize {
        self.vertices.push(DiagramVertex { lines, kind, place });
        self.vertices.len() - 1
    }

    /// Adds an arrow.
    pub fn connect(&mut self, from: usize, to: usize, kind: ArrowKind, label: String) {
        self.arrows.push(Arrow { from, to, label, kind });
    }

    /// The graph in the language of Graphviz.
    pub fn dot(&self) -> String {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut out = format!("digraph \"{}\" {{\n  node [shape=box];\n", quoted(&self.name));
        for (number, vertex) in self.vertices.iter().enumerate() {
            let lines: Vec<String> = vertex.lines.iter().map(|line| quoted(line)).collect();
            let style = match vertex.kind {
                VertexKind::Plain => "",
                VertexKind::Marked => ", style=rounded",
                VertexKind::Head => ", peripheries=2",
                VertexKind::Error => ", color=red",
                VertexKind::Covered => ", style=dashed",
            };
            let _ = writeln!(out, "  n{number} [label=\"{}\"{style}];", lines.join("\\n"));
        }
        for arrow in &self.arrows {
            let style = if arrow.kind == ArrowKind::Step { "" } else { ", style=dashed" };
            let (from, to, label) = (arrow.from, arrow.to, quoted(&arrow.label));
            let _ = writeln!(out, "  n{from} -> n{to} [label=\"{label}\"{style}];");
        }
        out + "}\n"
    }

    /// The drawing, without style, as [`super::Functions::draw`] makes them:
    /// vertices have the id `L` and their position, arrows `E` and theirs.
    pub fn svg(&self) -> String {
        let block = |(position, vertex): (usize, &DiagramVertex)| figure::Block {
            id: format!("L{position}"),
            class: match vertex.kind {
                VertexKind::Plain => "loc",
                VertexKind::Marked => "loc end",
                VertexKind::Head => "loc head",
                VertexKind::Error => "loc error",
                VertexKind::Covered => "loc covered",
            }
            .into(),
            tip: Some(vertex.lines.join("\n")),
            lines: shown_lines(&vertex.lines),
        };
        let arrow = |(position, arrow): (usize, &Arrow)| figure::Arrow {
            id: format!("E{position}"),
            class: match arrow.kind {
                ArrowKind::Cover => "edge cover",
                ArrowKind::Call => "edge call",
                ArrowKind::Step if arrow.to <= arrow.from => "edge back",
                ArrowKind::Step => "edge",
            },
            from: arrow.from,
            to: arrow.to,
            label: arrow.label.clone(),
        };
        let blocks = self.vertices.iter().enumerate().map(block).collect();
        Figure::new(blocks, self.arrows.iter().enumerate().map(arrow).collect()).framed(0.0)
    }
}

fn shown_lines(lines: &[String]) -> Vec<String> {
    let mut shown: Vec<String> =
        lines.iter().take(LINES).map(|l| shortened(l, LABEL_LIMIT)).collect();
    if lines.len() > LINES {
        shown.push(format!("… {} more", lines.len() - LINES));
    }
    shown
}

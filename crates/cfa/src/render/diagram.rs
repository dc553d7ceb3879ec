//! A graph of an engine, ready to be drawn: an abstract reachability graph, an
//! interpolant automaton, a heap.
//!
//! Boxes with a few lines of text and arrows with labels, nothing that refers to a
//! program or a term (only to places in the source): engines make one when they are asked to, and what shows
//! it knows no engine. Vertices must be listed in the order of the drawing
//! (parents before children); an arrow to an earlier vertex is drawn upwards.

use super::escape;
use super::layout::{Link, Vertex as Size, layout};
use super::shortened;
use super::svg::{CHARACTER, LABEL_LIMIT, MARGIN, curve, px};
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

const LINE: f64 = 16.0;
const PADDING: f64 = 8.0;
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
        let shown: Vec<Vec<String>> = self.vertices.iter().map(|v| shown_lines(&v.lines)).collect();
        let boxes: Vec<Size> = shown
            .iter()
            .map(|lines| {
                let longest = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
                Size {
                    width: longest as f64 * CHARACTER + 2.0 * PADDING,
                    height: lines.len().max(1) as f64 * LINE + PADDING,
                }
            })
            .collect();
        let labels: Vec<String> =
            self.arrows.iter().map(|a| shortened(&a.label, LABEL_LIMIT)).collect();
        let text_width = |text: &str| text.chars().count() as f64 * CHARACTER;
        let mut sizes = boxes.clone();
        for (arrow, label) in self.arrows.iter().zip(&labels) {
            if arrow.from == arrow.to {
                // Room for the loop and its label, on both sides: the box stays in the middle.
                let wider = boxes[arrow.from].width + 2.0 * (text_width(label) + 46.0);
                sizes[arrow.from].width = sizes[arrow.from].width.max(wider);
            }
        }
        let links: Vec<Link> = self
            .arrows
            .iter()
            .zip(&labels)
            .map(|(arrow, label)| Link {
                from: arrow.from,
                to: arrow.to,
                back: arrow.to <= arrow.from,
                label: (!label.is_empty())
                    .then(|| Size { width: text_width(label) + 6.0, height: 18.0 }),
            })
            .collect();
        let order: Vec<usize> = (0..boxes.len()).collect();
        let placed = layout(&sizes, &links, &order);
        let mut out = String::new();
        for (position, arrow) in self.arrows.iter().enumerate() {
            let class = match arrow.kind {
                ArrowKind::Cover => "edge cover",
                ArrowKind::Call => "edge call",
                ArrowKind::Step if arrow.to <= arrow.from => "edge back",
                ArrowKind::Step => "edge",
            };
            let (label, tip) = (escape(&labels[position]), escape(&arrow.label));
            let text = |out: &mut String, x: f64, y: f64, anchor: &str| {
                if !label.is_empty() {
                    let _ = writeln!(
                        out,
                        "<g><title>{tip}</title><text x=\"{}\" y=\"{}\"{anchor}>{label}</text></g>",
                        px(x),
                        px(y)
                    );
                }
            };
            let d = if arrow.from == arrow.to {
                let (x, y) = placed.vertices[arrow.from];
                let (x, y) = (x + MARGIN + boxes[arrow.from].width / 2.0, y + MARGIN);
                text(&mut out, x + 34.0, y + 4.0, "");
                format!(
                    "M{0} {1}C{2} {3} {2} {4} {0} {5}",
                    px(x),
                    px(y - 5.0),
                    px(x + 36.0),
                    px(y - 22.0),
                    px(y + 22.0),
                    px(y + 5.0)
                )
            } else {
                if let Some((x, y)) = placed.labels[position] {
                    let (x, y) = (x + MARGIN, y + MARGIN);
                    text(&mut out, x, y + 4.0, " text-anchor=\"middle\"");
                }
                curve(&placed.routes[position], MARGIN, MARGIN)
            };
            let _ = writeln!(
                out,
                "<path id=\"E{position}\" class=\"{class}\" marker-end=\"url(#tip)\" d=\"{d}\"/>"
            );
        }
        for (position, vertex) in self.vertices.iter().enumerate() {
            let (x, y) = placed.vertices[position];
            let (x, y) = (x + MARGIN, y + MARGIN);
            let Size { width, height } = boxes[position];
            let class = match vertex.kind {
                VertexKind::Plain => "loc",
                VertexKind::Marked => "loc end",
                VertexKind::Head => "loc head",
                VertexKind::Error => "loc error",
                VertexKind::Covered => "loc covered",
            };
            let _ = write!(
                out,
                "<g id=\"L{position}\"><title>{}</title><rect class=\"{class}\" x=\"{}\" y=\"{}\" \
                 width=\"{}\" height=\"{}\" rx=\"8\"/>",
                escape(&vertex.lines.join("\n")),
                px(x - width / 2.0),
                px(y - height / 2.0),
                px(width),
                px(height)
            );
            let top = y - height / 2.0 + PADDING / 2.0;
            for (number, line) in shown[position].iter().enumerate() {
                let _ = write!(
                    out,
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                    px(x),
                    px(top + (number as f64 + 0.75) * LINE),
                    escape(line)
                );
            }
            out += "</g>\n";
        }
        let (w, h) = placed.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\">{out}</svg>",
            w = px(w + 2.0 * MARGIN),
            h = px(h + 2.0 * MARGIN),
        )
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

//! The program as a drawing, without any other tool.

use super::figure::{Arrow, Block, Figure, LABEL_LIMIT, MARGIN, px};
use super::{edge_label, escape, location_label, shortened};
use crate::analysis::{Flow, Loops};
use crate::program::*;
use bolide_base::arena::Id;
use bolide_base::{HashMap, Span};
use std::fmt::Write;

const TITLE: f64 = 26.0;
/// Functions are put side by side up to this width.
const ROW: f64 = 2400.0;

const STYLE: &str = "text{font:12px monospace;fill:#222}\
.title{font-weight:bold;font-size:14px}\
.cluster{fill:#fafafa;stroke:#bbb}\
.loc{fill:#fff;stroke:#444}\
.head{fill:#e8f0fe;stroke:#1a56c4}\
.error{fill:#fde8e8;stroke:#c41a1a;stroke-width:2}\
.end{stroke-width:2.5}\
.edge{fill:none;stroke:#555}\
.back{stroke:#1a56c4}\
.label{fill:#fafafa}";

/// The whole program: a box for each function with a body.
pub fn svg(program: &Program) -> String {
    let functions = Functions::new(program);
    let (mut body, mut x, mut y, mut row, mut width) = (String::new(), MARGIN, MARGIN, 0.0, 0.0);
    for (f, function) in program.functions.iter() {
        let Some(ends) = function.body else { continue };
        let figure =
            functions.figure(program, f, ends, &|loc| (location_label(program, loc), None));
        let title = shortened(&function.name, LABEL_LIMIT);
        let (w, h) = figure.size();
        let box_width = (w + 2.0 * MARGIN).max(title.len() as f64 * 9.0 + 2.0 * MARGIN);
        let box_height = h + TITLE + 2.0 * MARGIN;
        if x > MARGIN && x + box_width > ROW {
            (x, y, row) = (MARGIN, y + row + MARGIN, 0.0);
        }
        let _ = writeln!(
            body,
            "<g transform=\"translate({} {})\"><rect class=\"cluster\" width=\"{}\" height=\"{}\" \
             rx=\"6\"/><text class=\"title\" x=\"12\" y=\"20\">{}</text>",
            px(x),
            px(y),
            px(box_width),
            px(box_height),
            escape(&title)
        );
        body += &figure.draw(MARGIN, MARGIN + TITLE);
        body += "</g>\n";
        x += box_width + MARGIN;
        row = f64::max(row, box_height);
        width = f64::max(width, x);
    }
    let height = y + row + MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\">\n<style>{STYLE}</style>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" \
         fill=\"#555\"/></marker></defs>\n{body}</svg>\n",
        w = px(width.max(2.0 * MARGIN)),
        h = px(height),
    )
}

/// Draws functions one by one, without style and frame, for pages that bring
/// their own: the classes are those of [`svg`]; locations have the id `L` and
/// their number, edges the id `E` and theirs.
pub struct Functions {
    flow: Flow,
    loops: Loops,
    /// By function.
    locations: Vec<Vec<LocId>>,
}

impl Functions {
    /// Prepares the drawing of functions one by one.
    pub fn new(program: &Program) -> Functions {
        let flow = Flow::new(program);
        let loops = Loops::new(program, &flow);
        Functions { flow, loops, locations: program.locations_by_function() }
    }

    /// The drawing of one function. Locations are named by their lines, where `line` knows them; their numbers,
    /// which look like lines, are told when asked for.
    pub fn draw(
        &self,
        program: &Program,
        function: FunctionId,
        body: Body,
        line: &dyn Fn(Span) -> Option<u32>,
    ) -> String {
        let name = |loc: LocId| {
            let location = &program.locations[loc];
            let edges = location.outgoing.iter().chain(&location.incoming);
            let mut spans = edges.map(|&edge| program.edges[edge].origin.span);
            let words = match spans.find_map(line) {
                Some(line) => format!("line {line}"),
                None => "·".to_owned(),
            };
            let number = format!("L{}", loc.index());
            let label = location_label(program, loc).replacen(&number, &words, 1);
            (label, Some(format!("location {number}")))
        };
        self.figure(program, function, body, &name).framed(TITLE)
    }

    /// The locations of a function in order of the flow, unreachable ones last.
    fn in_order(&self, function: FunctionId) -> Vec<LocId> {
        let mut locations = self.locations[function.index()].clone();
        locations.sort_by_key(|&loc| (self.flow.position(loc).unwrap_or(usize::MAX), loc));
        locations
    }

    /// The figure, with what stands in a location, and what is told of it when asked for.
    fn figure(
        &self,
        program: &Program,
        function: FunctionId,
        body: Body,
        name: &dyn Fn(LocId) -> (String, Option<String>),
    ) -> Figure {
        let locations = self.in_order(function);
        let index: HashMap<LocId, usize> =
            locations.iter().enumerate().map(|(position, &loc)| (loc, position)).collect();
        let block = |&loc: &LocId| {
            let error = program.locations[loc].error;
            let is_end = loc == body.entry || loc == body.exit;
            let mut class = String::from("loc");
            class += if self.loops.is_head(loc) { " head" } else { "" };
            class += if error.is_some() { " error" } else { "" };
            class += if is_end { " end" } else { "" };
            let (label, tip) = name(loc);
            Block {
                id: format!("L{}", loc.index()),
                class,
                tip: error.map(|check| program.checks[check].description.clone()).or(tip),
                lines: vec![shortened(&label, LABEL_LIMIT)],
            }
        };
        let arrow = |&e: &EdgeId| {
            let edge = &program.edges[e];
            let (from, to) = (index[&edge.from], index[&edge.to]);
            let is_plain = edge.op == Op::Skip && from != to;
            Arrow {
                id: format!("E{}", e.index()),
                class: if to <= from { "edge back" } else { "edge" },
                from,
                to,
                label: if is_plain { String::new() } else { edge_label(program, edge) },
            }
        };
        let edges = locations.iter().flat_map(|&loc| &program.locations[loc].outgoing);
        Figure::new(locations.iter().map(block).collect(), edges.map(arrow).collect())
    }
}

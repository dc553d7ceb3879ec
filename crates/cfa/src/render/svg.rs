//! The program as a drawing, without any other tool.

use super::layout::{Layout, Link, Vertex, layout};
use super::{edge_label, escape, location_label, shortened};
use crate::analysis::{Flow, Loops};
use crate::program::*;
use bolide_base::arena::Id;
use std::fmt::Write;

/// Width of a character of the 12-pixel monospace font.
pub(super) const CHARACTER: f64 = 7.3;
pub(super) const LABEL_LIMIT: usize = 64;
pub(super) const MARGIN: f64 = 20.0;
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
    let Functions { flow, loops, locations } = Functions::new(program);
    let (mut body, mut x, mut y, mut row, mut width) = (String::new(), MARGIN, MARGIN, 0.0, 0.0);
    for (f, function) in program.functions.iter() {
        if function.body.is_none() {
            continue;
        }
        let drawing = Drawing::new(program, &flow, &locations[f.index()]);
        let title = shortened(&function.name, LABEL_LIMIT);
        let (w, h) = drawing.layout.size;
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
        drawing.draw(program, &loops, function.body.expect("checked above"), &mut body);
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

    /// The drawing of one function.
    pub fn draw(&self, program: &Program, function: FunctionId, body: Body) -> String {
        let drawing = Drawing::new(program, &self.flow, &self.locations[function.index()]);
        let (w, h) = drawing.layout.size;
        let mut inner = String::new();
        drawing.draw(program, &self.loops, body, &mut inner);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" width=\"{w}\" \
             height=\"{h}\" viewBox=\"0 0 {w} {h}\">{inner}</svg>",
            w = px(w + 2.0 * MARGIN),
            h = px(h + TITLE + 2.0 * MARGIN),
        )
    }
}

/// One function.
struct Drawing {
    locations: Vec<LocId>,
    edges: Vec<EdgeId>,
    sizes: Vec<Vertex>,
    layout: Layout,
}

impl Drawing {
    fn new(program: &Program, flow: &Flow, all: &[LocId]) -> Drawing {
        // In order of the flow, unreachable locations last.
        let mut locations = all.to_vec();
        locations.sort_by_key(|&loc| (flow.position(loc).unwrap_or(usize::MAX), loc));
        let mut index = bolide_base::HashMap::default();
        for (position, &loc) in locations.iter().enumerate() {
            index.insert(loc, position);
        }
        let mut sizes: Vec<Vertex> = locations
            .iter()
            .map(|&loc| Vertex {
                width: shortened(&location_label(program, loc), LABEL_LIMIT).chars().count() as f64
                    * CHARACTER
                    + 16.0,
                height: 24.0,
            })
            .collect();
        let (mut edges, mut links) = (Vec::new(), Vec::new());
        for &loc in &locations {
            for &e in &program.locations[loc].outgoing {
                let edge = &program.edges[e];
                let (from, to) = (index[&edge.from], index[&edge.to]);
                let label = shortened(&edge_label(program, edge), LABEL_LIMIT);
                let width = label.chars().count() as f64 * CHARACTER + 6.0;
                if from == to {
                    // Room for the loop and its label at the right, and as much
                    // at the left: the box stays in the middle.
                    sizes[from].width += 2.0 * (width + 40.0);
                }
                edges.push(e);
                links.push(Link {
                    from,
                    to,
                    back: to <= from,
                    label: (label != "skip").then_some(Vertex { width, height: 18.0 }),
                });
            }
        }
        let order: Vec<usize> = (0..locations.len()).collect();
        let layout = layout(&sizes, &links, &order);
        Drawing { locations, edges, sizes, layout }
    }

    fn draw(&self, program: &Program, loops: &Loops, body: Body, out: &mut String) {
        let (dx, dy) = (MARGIN, MARGIN + TITLE);
        for (position, &e) in self.edges.iter().enumerate() {
            let edge = &program.edges[e];
            let route = &self.layout.routes[position];
            let full = edge_label(program, edge);
            let label = escape(&shortened(&full, LABEL_LIMIT));
            let tip = escape(&full);
            if route.is_empty() {
                self.draw_loop(e, edge.from, &label, &tip, (dx, dy), out);
                continue;
            }
            let back =
                if route.first().map(|p| p.1) > route.last().map(|p| p.1) { " back" } else { "" };
            let _ = writeln!(
                out,
                "<path id=\"E{}\" class=\"edge{back}\" marker-end=\"url(#tip)\" d=\"{}\"/>",
                e.index(),
                curve(route, dx, dy)
            );
            if let Some((x, y)) = self.layout.labels[position] {
                let width = shortened(&full, LABEL_LIMIT).chars().count() as f64 * CHARACTER;
                let _ = writeln!(
                    out,
                    "<g><title>{tip}</title><rect class=\"label\" x=\"{}\" y=\"{}\" width=\"{}\" \
                     height=\"16\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{label}</text></g>",
                    px(x + dx - width / 2.0),
                    px(y + dy - 8.0),
                    px(width),
                    px(x + dx),
                    px(y + dy + 4.0),
                );
            }
        }
        for (position, &loc) in self.locations.iter().enumerate() {
            let (x, y) = self.layout.vertices[position];
            let label = shortened(&location_label(program, loc), LABEL_LIMIT);
            let width = label.chars().count() as f64 * CHARACTER + 16.0;
            let left = x - width / 2.0;
            let mut class = String::from("loc");
            if loops.is_head(loc) {
                class += " head";
            }
            if program.locations[loc].error.is_some() {
                class += " error";
            }
            if loc == body.entry || loc == body.exit {
                class += " end";
            }
            let title = match program.locations[loc].error {
                Some(check) => {
                    format!("<title>{}</title>", escape(&program.checks[check].description))
                }
                None => String::new(),
            };
            let _ = writeln!(
                out,
                "<g id=\"L{}\">{title}<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" \
                 height=\"24\" rx=\"10\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>",
                loc.index(),
                px(left + dx),
                px(y + dy - 12.0),
                px(width),
                px(left + dx + width / 2.0),
                px(y + dy + 4.0),
                escape(&label),
            );
        }
    }

    fn draw_loop(
        &self,
        e: EdgeId,
        loc: LocId,
        label: &str,
        tip: &str,
        (dx, dy): (f64, f64),
        out: &mut String,
    ) {
        let Some(position) = self.locations.iter().position(|&l| l == loc) else { return };
        let (x, y) = self.layout.vertices[position];
        let right = x + dx + self.sizes[position].width / 2.0;
        let text_width = label.chars().count() as f64 * CHARACTER;
        let start = right - text_width - 46.0;
        let y = y + dy;
        let _ = writeln!(
            out,
            "<path id=\"E{8}\" class=\"edge back\" marker-end=\"url(#tip)\" d=\"M{0} {1}C{2} {3} {2} {4} {0} {5}\"/>\
             <g><title>{tip}</title><text x=\"{6}\" y=\"{7}\">{label}</text></g>",
            px(start),
            px(y - 5.0),
            px(start + 36.0),
            px(y - 22.0),
            px(y + 22.0),
            px(y + 5.0),
            px(start + 34.0),
            px(y + 4.0),
            e.index(),
        );
    }
}

/// A smooth line that enters and leaves every point vertically.
pub(super) fn curve(points: &[(f64, f64)], dx: f64, dy: f64) -> String {
    let mut out = String::new();
    let mut last: Option<(f64, f64)> = None;
    for &(x, y) in points {
        let (x, y) = (x + dx, y + dy);
        match last {
            None => {
                let _ = write!(out, "M{} {}", px(x), px(y));
            }
            Some((a, _)) if (a - x).abs() < 0.5 => {
                let _ = write!(out, "L{} {}", px(x), px(y));
            }
            Some((a, b)) => {
                let middle = (b + y) / 2.0;
                let _ = write!(
                    out,
                    "C{} {} {} {} {} {}",
                    px(a),
                    px(middle),
                    px(x),
                    px(middle),
                    px(x),
                    px(y)
                );
            }
        }
        last = Some((x, y));
    }
    out
}

/// A number with at most one digit behind the point.
pub(super) fn px(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded == rounded.trunc() { format!("{}", rounded as i64) } else { format!("{rounded:.1}") }
}

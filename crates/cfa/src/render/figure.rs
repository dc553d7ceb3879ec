//! Boxes and arrows as SVG: what functions and diagrams become.

use super::layout::{Layout, Link, Vertex as Size, layout};
use super::{escape, shortened};
use std::fmt::Write;

/// Width of a character of the 12-pixel monospace font.
const CHARACTER: f64 = 7.3;
/// Longer labels are cut; the tip has them in full.
pub(super) const LABEL_LIMIT: usize = 64;
pub(super) const MARGIN: f64 = 20.0;
const LINE: f64 = 16.0;
const PADDING: f64 = 8.0;

/// A box.
pub(super) struct Block {
    pub(super) id: String,
    pub(super) class: String,
    pub(super) tip: Option<String>,
    pub(super) lines: Vec<String>,
}

impl Block {
    fn size(&self) -> Size {
        let longest = self.lines.iter().map(|line| text_width(line)).fold(0.0, f64::max);
        let height = self.lines.len().max(1) as f64 * LINE + PADDING;
        Size { width: longest + 2.0 * PADDING, height }
    }
}

/// An arrow between two boxes.
pub(super) struct Arrow {
    pub(super) id: String,
    pub(super) class: &'static str,
    pub(super) from: usize,
    pub(super) to: usize,
    /// What stands at it; may be empty.
    pub(super) label: String,
}

/// Boxes in the order of the drawing and the arrows between them; an arrow to an earlier box is drawn
/// upwards.
pub(super) struct Figure {
    blocks: Vec<Block>,
    arrows: Vec<Arrow>,
    layout: Layout,
}

impl Figure {
    pub(super) fn new(blocks: Vec<Block>, arrows: Vec<Arrow>) -> Figure {
        let mut sizes: Vec<Size> = blocks.iter().map(Block::size).collect();
        let mut links = Vec::new();
        for Arrow { from, to, label, .. } in &arrows {
            let label = shortened(label, LABEL_LIMIT);
            if from == to {
                // Room for the loop and its label, on both sides: the box stays in the middle.
                let wider = blocks[*from].size().width + 2.0 * (text_width(&label) + 46.0);
                sizes[*from].width = sizes[*from].width.max(wider);
            }
            let size = Size { width: text_width(&label) + 6.0, height: 18.0 };
            let label = (!label.is_empty()).then_some(size);
            links.push(Link { from: *from, to: *to, label });
        }
        let layout = layout(&sizes, &links);
        Figure { blocks, arrows, layout }
    }

    /// Width and height, without margins.
    pub(super) fn size(&self) -> (f64, f64) {
        self.layout.size
    }

    /// The drawing by itself, with room for `title` above it.
    pub(super) fn framed(&self, title: f64) -> String {
        let (w, h) = self.size();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" width=\"{w}\" \
             height=\"{h}\" viewBox=\"0 0 {w} {h}\">{}</svg>",
            self.draw(MARGIN, MARGIN + title),
            w = px(w + 2.0 * MARGIN),
            h = px(h + title + 2.0 * MARGIN),
        )
    }

    /// The drawing, moved.
    pub(super) fn draw(&self, dx: f64, dy: f64) -> String {
        let mut out = String::new();
        for position in 0..self.arrows.len() {
            self.draw_arrow(position, (dx, dy), &mut out);
        }
        for (block, &(x, y)) in self.blocks.iter().zip(&self.layout.vertices) {
            draw_block(block, (x + dx, y + dy), &mut out);
        }
        out
    }

    fn draw_arrow(&self, position: usize, (dx, dy): (f64, f64), out: &mut String) {
        let Arrow { id, class, from, to, label } = &self.arrows[position];
        let (path, place) = if from == to {
            let (x, y) = self.layout.vertices[*from];
            let (x, y) = (x + dx + self.blocks[*from].size().width / 2.0, y + dy);
            let path = format!(
                "M{0} {1}C{2} {3} {2} {4} {0} {5}",
                px(x),
                px(y - 5.0),
                px(x + 36.0),
                px(y - 22.0),
                px(y + 22.0),
                px(y + 5.0)
            );
            let width = text_width(&shortened(label, LABEL_LIMIT));
            (path, Some((x + 34.0 + width / 2.0, y)))
        } else {
            let place = self.layout.labels[position].map(|(x, y)| (x + dx, y + dy));
            (curve(&self.layout.routes[position], dx, dy), place)
        };
        let _ = writeln!(
            out,
            "<path id=\"{id}\" class=\"{class}\" marker-end=\"url(#tip)\" d=\"{path}\"/>"
        );
        if let Some((x, y)) = place.filter(|_| !label.is_empty()) {
            let shown = shortened(label, LABEL_LIMIT);
            let width = text_width(&shown);
            let _ = writeln!(
                out,
                "<g><title>{}</title><rect class=\"label\" x=\"{}\" y=\"{}\" width=\"{}\" \
                 height=\"16\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>",
                escape(label),
                px(x - width / 2.0),
                px(y - 8.0),
                px(width),
                px(x),
                px(y + 4.0),
                escape(&shown),
            );
        }
    }
}

fn draw_block(block: &Block, (x, y): (f64, f64), out: &mut String) {
    let Size { width, height } = block.size();
    let _ = write!(out, "<g id=\"{}\">", block.id);
    if let Some(tip) = &block.tip {
        let _ = write!(out, "<title>{}</title>", escape(tip));
    }
    let _ = write!(
        out,
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>",
        block.class,
        px(x - width / 2.0),
        px(y - height / 2.0),
        px(width),
        px(height)
    );
    let top = y - height / 2.0 + PADDING / 2.0;
    for (number, line) in block.lines.iter().enumerate() {
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            px(x),
            px(top + (number as f64 + 0.75) * LINE),
            escape(line)
        );
    }
    *out += "</g>\n";
}

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// A smooth line that enters and leaves every point vertically.
fn curve(points: &[(f64, f64)], dx: f64, dy: f64) -> String {
    let mut out = String::new();
    let mut last: Option<(f64, f64)> = None;
    for &(x, y) in points {
        let (x, y) = (x + dx, y + dy);
        let (to_x, to_y) = (px(x), px(y));
        let _ = match last {
            None => write!(out, "M{to_x} {to_y}"),
            Some((a, _)) if (a - x).abs() < 0.5 => write!(out, "L{to_x} {to_y}"),
            Some((a, b)) => {
                let middle = px((b + y) / 2.0);
                write!(out, "C{} {middle} {to_x} {middle} {to_x} {to_y}", px(a))
            }
        };
        last = Some((x, y));
    }
    out
}

/// A number with at most one digit behind the point.
pub(super) fn px(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded == rounded.trunc() { format!("{}", rounded as i64) } else { format!("{rounded:.1}") }
}

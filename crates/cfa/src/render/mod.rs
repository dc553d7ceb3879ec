//! Programs as drawings and data: Graphviz, JSON, and SVG drawn here;
//! graphs of engines too.

pub mod diagram;
mod dot;
mod figure;
mod json;
pub mod layout;
mod svg;

pub use self::dot::dot;
pub use self::json::json;
pub use self::svg::{Functions, svg};
use crate::program::{Edge, LocId, Program};
use crate::text;
use bolide_base::arena::Id;

/// Text that is safe between tags and inside quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // No browser shows them; HTML forbids them, and XML 1.0 has no way to write them.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// What stands at an edge.
fn edge_label(program: &Program, edge: &Edge) -> String {
    text::print_op(program, program.locations[edge.from].function, &edge.op)
}

/// What stands in a location.
fn location_label(program: &Program, loc: LocId) -> String {
    let location = &program.locations[loc];
    let mut label = format!("L{}", loc.index());
    if let Some(name) = &location.label {
        label += &format!(" {name}:");
    }
    if let Some(check) = location.error {
        label += &format!(" {}", program.checks[check].property.name());
    }
    label
}

/// At most `limit` characters, the last one a sign that some are missing.
fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests;

//! The program for Graphviz.

use super::{edge_label, location_label};
use crate::analysis::{Flow, Loops};
use crate::program::Program;
use bolide_base::arena::Id;
use std::fmt::Write;

/// The whole program, a cluster for each function with a body.
pub fn dot(program: &Program) -> String {
    let flow = Flow::new(program);
    let loops = Loops::new(program, &flow);
    let mut out = String::from(
        "digraph program {\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n  \
         edge [fontname=\"monospace\"];\n",
    );
    let by_function = program.locations_by_function();
    for (f, function) in program.functions.iter() {
        let Some(body) = function.body else { continue };
        let name = quoted(&function.name);
        let _ = writeln!(out, "  subgraph cluster_{} {{\n    label={name};", f.index());
        for &loc in &by_function[f.index()] {
            let label = quoted(&location_label(program, loc));
            let mut style = String::new();
            if program.locations[loc].error.is_some() {
                style += ", color=red, fontcolor=red";
            }
            if loc == body.entry || loc == body.exit {
                style += ", peripheries=2";
            }
            if loops.is_head(loc) {
                style += ", color=blue";
            }
            let _ = writeln!(out, "    n{} [label={label}{style}];", loc.index());
        }
        out += "  }\n";
    }
    for edge in program.edges.values() {
        let label = quoted(&edge_label(program, edge));
        let (from, to) = (edge.from.index(), edge.to.index());
        let _ = writeln!(out, "  n{from} -> n{to} [label={label}];");
    }
    out + "}\n"
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

//! Graphs in words.

use super::{End, Graph, Node, Place, Value};
use bolide_cfa::Program;
use std::fmt::Write as _;

impl Graph {
    /// The graph, one line for each node.
    pub fn show(&self, program: &Program) -> String {
        let mut text = String::new();
        for (var, value) in &self.variables {
            let name = &program.variables[*var].name;
            let _ = writeln!(text, "{name} = {}", self.shown(*value));
        }
        for (id, node) in &self.nodes {
            let _ = writeln!(text, "{}: {}", id.0, self.shown_node(node));
        }
        if self.lost {
            text.push_str("objects may be lost\n");
        }
        text
    }

    fn shown_node(&self, node: &Node) -> String {
        let mut text = String::new();
        if let Some(chain) = node.chain {
            let ways = if chain.links.prev.is_some() { "both ways" } else { "one way" };
            let _ = write!(text, "{} or more, linked {ways}, each ", chain.least);
        }
        let place = match node.place {
            Place::Heap => "heap",
            Place::Stack => "local",
            Place::Static => "static",
            Place::Constant => "constant",
        };
        let life = if node.alive { "" } else { "freed " };
        let _ = write!(text, "{life}{place} {} bytes", node.size.0);
        if let Some(owner) = node.owner {
            let _ = write!(text, " of {}", owner.0);
        }
        for (offset, cell) in &node.cells {
            let _ = write!(text, ", +{offset}: {}", self.shown(cell.value));
        }
        for (from, to) in &node.zeros {
            let _ = write!(text, ", +{from}..{to}: 0");
        }
        text
    }

    fn shown(&self, value: Value) -> String {
        match value {
            Value::Any => "any".into(),
            Value::Known(n) => n.to_string(),
            Value::Number(id) => {
                let number = &self.numbers[&id];
                let not = if number.nonzero { " not 0" } else { "" };
                format!("#{} in {}..{}{not}", id.0, number.low, number.high)
            }
            Value::Address(a) => {
                let end = match a.end {
                    End::First => "",
                    End::Last => " last",
                    End::Each => " own",
                };
                let upto = if a.low == a.high { String::new() } else { format!("..{}", a.high) };
                format!("&{}{end}+{}{upto}", a.node.0, a.low)
            }
        }
    }
}

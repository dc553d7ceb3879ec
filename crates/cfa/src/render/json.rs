//! The program as data for other tools.
//!
//! One object with `target`, `entry`, `functions` (with `locations` and
//! `edges`), `globals`, `objects`, `regions` and `checks`. Operations are in the text form; `kind` names them for
//! programs that do not want to parse it. Spans are byte offsets in the
//! source map. Fields may be added, none will change its meaning.

use super::edge_label;
use crate::program::*;
use crate::text::type_name;
use bolide_base::Span;
use bolide_base::arena::Id;

/// The whole program.
pub fn json(program: &Program) -> String {
    let mut out = Writer::default();
    out.open('{');
    out.key("target").string(if program.target.pointer_bits == 32 { "ILP32" } else { "LP64" });
    out.key("entry").string(&program.functions[program.entry].name);
    let (locations, edges) = (program.locations_by_function(), program.edges_by_function());
    out.key("functions").open('[');
    for (f, function) in program.functions.iter() {
        out.open('{');
        out.key("id").number(f.index());
        out.key("name").string(&function.name);
        out.key("variadic").boolean(function.variadic);
        out.span(function.span);
        out.key("parameters").open('[');
        for &var in &function.parameters {
            variable(&mut out, program, var);
        }
        out.close(']');
        out.key("result");
        match function.result {
            Some(var) => variable(&mut out, program, var),
            None => out.raw("null"),
        }
        out.key("locals").open('[');
        for &var in &function.locals {
            variable(&mut out, program, var);
        }
        out.close(']');
        if let Some(body) = function.body {
            out.key("entry").number(body.entry.index());
            out.key("exit").number(body.exit.index());
        }
        out.key("locations").open('[');
        for &loc in &locations[f.index()] {
            let location = &program.locations[loc];
            out.open('{');
            out.key("id").number(loc.index());
            if let Some(label) = &location.label {
                out.key("label").string(label);
            }
            if let Some(span) = location.loop_keyword {
                out.key("loop").open('[');
                out.number(span.start as usize);
                out.number(span.end as usize);
                out.close(']');
            }
            if let Some(check) = location.error {
                out.key("error").number(check.index());
            }
            out.close('}');
        }
        out.close(']');
        out.key("edges").open('[');
        for &id in &edges[f.index()] {
            let edge = &program.edges[id];
            out.open('{');
            out.key("id").number(id.index());
            out.key("from").number(edge.from.index());
            out.key("to").number(edge.to.index());
            out.key("kind").string(kind(&edge.op));
            out.key("operation").string(&edge_label(program, edge));
            out.span(edge.origin.span);
            out.key("role").string(role(edge.origin.role));
            out.close('}');
        }
        out.close(']');
        out.close('}');
    }
    out.close(']');
    out.key("globals").open('[');
    for (id, global) in program.variables.iter() {
        if global.function.is_none() {
            variable(&mut out, program, id);
        }
    }
    out.close(']');
    out.key("objects").open('[');
    for (id, object) in program.objects.iter() {
        out.open('{');
        out.key("id").number(id.index());
        out.key("name").string(&object.name);
        out.key("size").raw(&object.size.to_string());
        out.key("constant").boolean(object.constant);
        out.key("external").boolean(object.external);
        out.span(object.span);
        out.close('}');
    }
    out.close(']');
    out.key("regions").open('[');
    for (id, region) in program.regions.iter() {
        out.open('{');
        out.key("id").number(id.index());
        out.key("name").string(&region.name);
        out.close('}');
    }
    out.close(']');
    out.key("checks").open('[');
    for (id, check) in program.checks.iter() {
        out.open('{');
        out.key("id").number(id.index());
        out.key("property").string(check.property.name());
        out.key("description").string(&check.description);
        out.span(check.span);
        out.close('}');
    }
    out.close(']');
    out.close('}');
    out.text + "\n"
}

fn variable(out: &mut Writer, program: &Program, id: VarId) {
    let variable = &program.variables[id];
    out.open('{');
    out.key("id").number(id.index());
    out.key("name").string(&variable.name);
    out.key("type").string(&type_name(variable.ty));
    out.span(variable.span);
    out.close('}');
}

fn kind(op: &Op) -> &'static str {
    match op {
        Op::Skip => "skip",
        Op::Assume(_) => "assume",
        Op::Assign { .. } => "assign",
        Op::Store { .. } => "store",
        Op::Nondet { .. } => "nondet",
        Op::Alloc { .. } => "alloc",
        Op::Free { .. } => "free",
        Op::EndLifetime { .. } => "end-lifetime",
        Op::Copy { .. } => "copy",
        Op::Fill { .. } => "fill",
        Op::Call { .. } => "call",
        Op::CallIndirect { .. } => "call-indirect",
        Op::External { .. } => "external",
        Op::Output { .. } => "output",
        Op::Halt { .. } => "halt",
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Implicit => "implicit",
        Role::Statement => "statement",
        Role::Branch { taken: true } => "branch-taken",
        Role::Branch { taken: false } => "branch-not-taken",
        Role::Call => "call",
        Role::Return => "return",
        Role::Check => "check",
        Role::Declaration => "declaration",
    }
}

/// Writes JSON; commas come by themselves.
#[derive(Default)]
struct Writer {
    text: String,
    /// A value or key may follow without a comma.
    fresh: bool,
}

impl Writer {
    fn separate(&mut self) {
        if !self.fresh && !self.text.is_empty() {
            self.text.push(',');
        }
        self.fresh = false;
    }

    fn open(&mut self, bracket: char) {
        self.separate();
        self.text.push(bracket);
        self.fresh = true;
    }

    fn close(&mut self, bracket: char) {
        self.text.push(bracket);
        self.fresh = false;
    }

    fn key(&mut self, key: &str) -> &mut Self {
        self.string(key);
        self.text.push(':');
        self.fresh = true;
        self
    }

    fn raw(&mut self, text: &str) {
        self.separate();
        self.text.push_str(text);
    }

    fn number(&mut self, n: usize) {
        self.raw(&n.to_string());
    }

    fn boolean(&mut self, b: bool) {
        self.raw(if b { "true" } else { "false" });
    }

    fn string(&mut self, text: &str) {
        self.separate();
        self.text.push('"');
        for c in text.chars() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\t' => self.text.push_str("\\t"),
                c if (c as u32) < 0x20 => self.text.push_str(&format!("\\u{:04x}", c as u32)),
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    fn span(&mut self, span: Span) {
        if !span.is_none() {
            self.key("span").open('[');
            self.number(span.start as usize);
            self.number(span.end as usize);
            self.close(']');
        }
    }
}

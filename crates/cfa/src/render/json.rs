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
    let (locations, edges) = (program.locations_by_function(), program.edges_by_function());
    let mut out = Writer::default();
    out.object(|out| {
        out.key("target").string(if program.target.pointer_bits == 32 { "ILP32" } else { "LP64" });
        out.key("entry").string(&program.functions[program.entry].name);
        out.list("functions", program.functions.ids(), |out, f| {
            function(out, program, f, &locations[f.index()], &edges[f.index()]);
        });
        let is_global = |v: &VarId| program.variables[*v].function.is_none();
        out.list("globals", program.variables.ids().filter(is_global), |out, var| {
            variable(out, program, var);
        });
        out.list("objects", program.objects.iter(), |out, (id, object)| {
            out.named(id.index(), &object.name);
            out.key("size").raw(&object.size.to_string());
            out.key("constant").raw(&object.constant.to_string());
            out.key("external").raw(&object.external.to_string());
            out.span("span", object.span);
        });
        out.list("regions", program.regions.iter(), |out, (id, region)| {
            out.named(id.index(), &region.name);
        });
        out.list("checks", program.checks.iter(), |out, (id, check)| {
            out.key("id").number(id.index());
            out.key("property").string(check.property.name());
            out.key("description").string(&check.description);
            out.span("span", check.span);
        });
    });
    out.text + "\n"
}

fn function(
    out: &mut Writer,
    program: &Program,
    id: FunctionId,
    locations: &[LocId],
    edges: &[EdgeId],
) {
    let function = &program.functions[id];
    out.named(id.index(), &function.name);
    out.key("variadic").raw(&function.variadic.to_string());
    out.span("span", function.span);
    out.list("parameters", function.parameters.iter(), |out, v| variable(out, program, *v));
    out.key("result");
    match function.result {
        Some(result) => out.object(|out| variable(out, program, result)),
        None => out.raw("null"),
    }
    out.list("locals", function.locals.iter(), |out, v| variable(out, program, *v));
    if let Some(body) = function.body {
        out.key("entry").number(body.entry.index());
        out.key("exit").number(body.exit.index());
    }
    out.list("locations", locations.iter(), |out, loc| {
        let location = &program.locations[*loc];
        out.key("id").number(loc.index());
        if let Some(label) = &location.label {
            out.key("label").string(label);
        }
        if let Some(span) = location.loop_keyword {
            out.range("loop", span);
        }
        if let Some(check) = location.error {
            out.key("error").number(check.index());
        }
    });
    out.list("edges", edges.iter(), |out, id| {
        let edge = &program.edges[*id];
        out.key("id").number(id.index());
        out.key("from").number(edge.from.index());
        out.key("to").number(edge.to.index());
        out.key("kind").string(kind(&edge.op));
        out.key("operation").string(&edge_label(program, edge));
        out.span("span", edge.origin.span);
        out.key("role").string(role(edge.origin.role));
    });
}

fn variable(out: &mut Writer, program: &Program, id: VarId) {
    let variable = &program.variables[id];
    out.named(id.index(), &variable.name);
    out.key("type").string(&type_name(variable.ty));
    out.span("span", variable.span);
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

    /// `write` between brackets.
    fn between(&mut self, open: char, close: char, write: impl FnOnce(&mut Self)) {
        self.separate();
        self.text.push(open);
        self.fresh = true;
        write(self);
        self.text.push(close);
        self.fresh = false;
    }

    fn object(&mut self, write: impl FnOnce(&mut Self)) {
        self.between('{', '}', write);
    }

    /// A list of objects under a key.
    fn list<T>(
        &mut self,
        key: &str,
        items: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.key(key).between('[', ']', |out| {
            items.for_each(|item| out.object(|out| write(out, item)));
        });
    }

    /// How most objects begin.
    fn named(&mut self, id: usize, name: &str) {
        self.key("id").number(id);
        self.key("name").string(name);
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

    fn span(&mut self, key: &str, span: Span) {
        if !span.is_none() {
            self.range(key, span);
        }
    }

    fn range(&mut self, key: &str, span: Span) {
        self.key(key).raw(&format!("[{},{}]", span.start, span.end));
    }
}

//! Writes a program as text.

use super::names::*;
use crate::expr::ExprId;
use crate::program::*;
use crate::types::Target;
use bolide_base::arena::Id;
use bolide_base::{HashMap, Span};
use std::fmt::Write;

/// The whole program, with origins.
pub fn print(program: &Program) -> String {
    Printer::new(program, true).program()
}

/// The whole program without positions in the source.
pub fn print_plain(program: &Program) -> String {
    Printer::new(program, false).program()
}

/// One operation, as it stands on an edge.
pub fn print_op(program: &Program, function: FunctionId, op: &Op) -> String {
    let mut printer = Printer::new(program, false);
    printer.elide = true;
    let own = program.variables.iter().filter(|(_, v)| v.function == Some(function));
    printer.enter(function, own.map(|(id, _)| id));
    printer.op(op);
    printer.out
}

pub(super) struct Printer<'a> {
    pub(super) program: &'a Program,
    pub(super) out: String,
    origins: bool,
    /// Replace large expressions by `...` rather than by `let` lines.
    pub(super) elide: bool,
    /// Number of nodes of each expression's tree; computed when first needed.
    pub(super) sizes: Vec<u64>,
    /// Expressions that have a `let` line before the current line.
    pub(super) lets: HashMap<ExprId, usize>,
    global_names: HashMap<&'a str, u32>,
    local_names: HashMap<&'a str, u32>,
    function_names: HashMap<&'a str, u32>,
    object_names: HashMap<&'a str, u32>,
    function: Option<FunctionId>,
    next_var: usize,
    next_edge: usize,
}

/// How often each name occurs.
fn count<'a>(names: impl Iterator<Item = &'a str>) -> HashMap<&'a str, u32> {
    let mut counts = HashMap::default();
    for name in names {
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, origins: bool) -> Self {
        let globals = program.variables.values().filter(|v| v.function.is_none());
        Printer {
            program,
            out: String::new(),
            origins,
            elide: false,
            sizes: Vec::new(),
            lets: HashMap::default(),
            global_names: count(globals.map(|v| v.name.as_str())),
            local_names: HashMap::default(),
            function_names: count(program.functions.values().map(|f| f.name.as_str())),
            object_names: count(program.objects.values().map(|o| o.name.as_str())),
            function: None,
            next_var: 0,
            next_edge: 0,
        }
    }

    fn program(mut self) -> String {
        let p = self.program;
        let model = if p.target == Target::ILP32 { "ILP32" } else { "LP64" };
        let _ = writeln!(self.out, "program {model}");
        if p.functions.get(p.entry).is_some() {
            let entry = self.function_name(p.entry);
            let _ = writeln!(self.out, "entry {entry}");
        }
        match p.external_region {
            Some(RegionId::ALL) => {}
            Some(r) => {
                let _ = writeln!(self.out, "external region r{}", r.index());
            }
            None => self.out += "external region none\n",
        }
        self.out.push('\n');
        let head = self.out.len();
        for (id, region) in p.regions.iter() {
            let all = Region { name: "memory".into(), cell: None, aligned: false, object: None };
            if id != RegionId::ALL || *region != all {
                self.region(id, region);
            }
        }
        for part in &p.object_parts {
            self.part(part);
        }
        for (id, object) in p.objects.iter() {
            self.object(id, object);
        }
        for (id, variable) in p.variables.iter().filter(|(_, v)| v.function.is_none()) {
            self.global(id, variable);
        }
        for (id, check) in p.checks.iter() {
            let _ = write!(self.out, "check C{} {} ", id.index(), check.property.name());
            self.out += &quote(&check.description, '"');
            self.span(" ", check.span);
            self.out.push('\n');
        }
        let mut variables = vec![Vec::new(); p.functions.len()];
        for (id, v) in p.variables.iter() {
            if let Some(f) = v.function {
                variables[f.index()].push(id);
            }
        }
        let (locations, edges) = (p.locations_by_function(), p.edges_by_function());
        for id in p.functions.ids() {
            if self.out.len() > head {
                self.out.push('\n');
            }
            let i = id.index();
            self.function(id, &variables[i], &locations[i], &edges[i]);
        }
        self.out
    }

    fn region(&mut self, id: RegionId, region: &Region) {
        let _ = write!(self.out, "region r{} {}", id.index(), quote(&region.name, '"'));
        if let Some(cell) = region.cell {
            let aligned = if region.aligned { " aligned" } else { "" };
            let _ = write!(self.out, " cell {}{aligned}", type_name(cell));
        }
        if let Some(object) = region.object {
            let name = self.object_name(object);
            let _ = write!(self.out, " object {name}");
        }
        self.out.push('\n');
    }

    fn part(&mut self, part: &ObjectPart) {
        let name = self.object_name(part.object);
        let ObjectPart { offset, size, stride, count, region, .. } = *part;
        let _ = writeln!(
            self.out,
            "part {name} {offset} size {size} stride {stride} count {count} in r{}",
            region.index()
        );
    }

    fn object(&mut self, id: ObjectId, object: &'a StaticObject) {
        let name = self.object_name(id);
        let _ = write!(self.out, "object {name} size {} align {}", object.size, object.align);
        if object.constant {
            self.out += " constant";
        }
        if object.external {
            self.out += " external";
        }
        self.span(" ", object.span);
        self.out.push('\n');
        for initial in &object.initial {
            self.prepare(&[initial.value], "  ");
            let _ = write!(self.out, "  {}{} = ", initial.offset, bits_suffix(initial.bits));
            self.expr(initial.value, false);
            self.out.push('\n');
        }
    }

    fn global(&mut self, id: VarId, variable: &'a Variable) {
        if let Some(initial) = variable.initial {
            self.prepare(&[initial], "");
        }
        self.out += "global ";
        self.variable(id, VariableKind::Global, false);
        self.out.push('\n');
    }

    /// `kind name : type = initial @span scope @span`.
    fn variable(&mut self, id: VarId, usual: VariableKind, with_kind: bool) {
        let variable = &self.program.variables[id];
        if with_kind || variable.kind != usual {
            let _ = write!(self.out, "{} ", KINDS.word(variable.kind));
        }
        let is_out_of_order = id.index() != self.next_var;
        self.out += &numbered(&variable.name, id, is_out_of_order || self.is_ambiguous(id));
        self.next_var = id.index() + 1;
        let _ = write!(self.out, " : {}", type_name(variable.ty));
        if let Some(initial) = variable.initial {
            self.out += " = ";
            self.expr(initial, false);
        }
        self.span(" ", variable.span);
        self.span(" scope ", variable.scope);
    }

    /// What follows stands in a function with these variables.
    fn enter(&mut self, id: FunctionId, variables: impl Iterator<Item = VarId>) {
        let program = self.program;
        self.function = Some(id);
        self.local_names = count(variables.map(|v| program.variables[v].name.as_str()));
    }

    fn function(
        &mut self,
        id: FunctionId,
        variables: &[VarId],
        locations: &[LocId],
        edges: &[EdgeId],
    ) {
        let program = self.program;
        let function = &program.functions[id];
        self.enter(id, variables.iter().copied());
        let name = self.function_name(id);
        let _ = write!(self.out, "function {name}(");
        for (i, &parameter) in function.parameters.iter().enumerate() {
            if i > 0 {
                self.out += ", ";
            }
            self.variable(parameter, VariableKind::Parameter, false);
        }
        if function.variadic {
            self.out += if function.parameters.is_empty() { "..." } else { ", ..." };
        }
        self.out += ")";
        if let Some(result) = function.result {
            self.out += " -> ";
            self.variable(result, VariableKind::Result, false);
        }
        if function.unmodelled {
            self.out += " unmodelled";
        }
        // A position behind the result would be the result's own.
        self.span(" at ", function.span);
        self.out.push('\n');
        for &local in &function.locals {
            self.out += "  ";
            self.variable(local, VariableKind::Local, true);
            self.out.push('\n');
        }
        let mut listed: Vec<VarId> = function.parameters.clone();
        listed.extend(&function.locals);
        listed.extend(function.result);
        listed.sort_unstable();
        for &variable in variables {
            if listed.binary_search(&variable).is_err() {
                self.out += "  unlisted ";
                self.variable(variable, VariableKind::Local, true);
                self.out.push('\n');
            }
        }
        if let Some(body) = function.body {
            let _ =
                writeln!(self.out, "  entry L{} exit L{}", body.entry.index(), body.exit.index());
        }
        self.graph(locations, edges);
    }

    fn graph(&mut self, locations: &[LocId], edges: &[EdgeId]) {
        // A location gets a line of its own where it has something to say,
        // before the first edge that leaves it; else at the end.
        let mut pending: Vec<(LocId, String)> = Vec::new();
        for &id in locations {
            if let Some(line) = self.location_line(id) {
                pending.push((id, line));
            }
        }
        let mut done = vec![false; pending.len()];
        for &id in edges {
            let from = self.program.edges[id].from;
            if let Ok(i) = pending.binary_search_by_key(&from, |&(l, _)| l)
                && !done[i]
            {
                done[i] = true;
                self.out += &pending[i].1;
            }
            self.edge(id);
        }
        for (i, (_, line)) in pending.iter().enumerate() {
            if !done[i] {
                self.out += line;
            }
        }
    }

    fn location_line(&mut self, id: LocId) -> Option<String> {
        let program = self.program;
        let location = &program.locations[id];
        let mut line = format!("  L{}:", id.index());
        let bare = line.len();
        if let Some(keyword) = location.loop_keyword {
            line += " loop";
            if self.origins && !keyword.is_none() {
                let _ = write!(line, " @{}..{}", keyword.start, keyword.end);
            }
        }
        if let Some(label) = &location.label {
            let _ = write!(line, " label {}", quote(label, '"'));
        }
        if let Some(check) = location.error {
            let _ = write!(line, " error C{}", check.index());
        }
        for (word, list) in [("outgoing", &location.outgoing), ("incoming", &location.incoming)] {
            if !list.is_sorted() {
                let _ = write!(line, " {word}");
                for edge in list {
                    let _ = write!(line, " e{}", edge.index());
                }
            }
        }
        let body = program.functions[location.function].body;
        let named = body.is_some_and(|b| b.entry == id || b.exit == id)
            || !location.outgoing.is_empty()
            || !location.incoming.is_empty();
        if line.len() == bare && named {
            return None;
        }
        line.push('\n');
        Some(line)
    }

    fn edge(&mut self, id: EdgeId) {
        let edge = &self.program.edges[id];
        let operands = edge.op.operands();
        self.prepare(&operands, "  ");
        self.out += "  ";
        if id.index() != self.next_edge {
            let _ = write!(self.out, "e{}: ", id.index());
        }
        self.next_edge = id.index() + 1;
        let _ = write!(self.out, "L{} -> L{} : ", edge.from.index(), edge.to.index());
        self.op(&edge.op);
        if self.origins && edge.origin != Origin::default() {
            let Origin { span, role } = edge.origin;
            let _ = write!(self.out, " @{}..{}", span.start, span.end);
            if role != Role::Implicit {
                let _ = write!(self.out, " {}", ROLES.word(role));
            }
        }
        self.out.push('\n');
    }

    fn op(&mut self, op: &Op) {
        if let Some(target) = op.target() {
            let name = self.var_name(target);
            let _ = write!(self.out, "{name} := ");
        }
        match op {
            Op::Skip => self.out += "skip",
            Op::Assume(c) => {
                self.out += "assume ";
                self.expr(*c, false);
            }
            Op::Assign { value, .. } => self.expr(*value, false),
            Op::Store { access, value } => {
                self.out += &access_open(access);
                self.expr(access.pointer, false);
                self.out += &access_close(access);
                self.out += " := ";
                self.expr(*value, false);
            }
            Op::Nondet { source, .. } => {
                let (word, name) = match source {
                    NondetSource::Uninitialized => ("uninitialized", None),
                    NondetSource::Input(name) => ("input", Some(name)),
                    NondetSource::Library(name) => ("library", Some(name)),
                    NondetSource::Unmodelled(what) => ("unmodelled", Some(what)),
                };
                let name = name.map_or(String::new(), |name| format!(" {}", quote(name, '"')));
                let _ = write!(self.out, "nondet {word}{name}");
            }
            Op::Alloc { size, align, kind, zeroed, frame, region, .. } => {
                self.applied(&format!("alloc {}", ALLOCS.word(*kind)), &[*size]);
                let _ = write!(self.out, " align {align}");
                if *zeroed {
                    self.out += " zeroed";
                }
                if let Some(frame) = frame {
                    self.applied(" within", &[*frame]);
                }
                self.region_suffix(*region, " ");
            }
            Op::Free { region, .. } => self.applied_in("free", op, *region),
            Op::EndLifetime { region, .. } => self.applied_in("end", op, *region),
            Op::Fill { region, .. } => self.applied_in("fill", op, *region),
            Op::Copy { to, from, size, to_region, from_region } => {
                self.applied("copy", &[*to, *from, *size]);
                self.region_suffix(*to_region, " to ");
                self.region_suffix(*from_region, " from ");
            }
            Op::Call { function, arguments, .. } => {
                self.applied(&format!("call {}", self.function_name(*function)), arguments);
            }
            Op::CallIndirect { callee, candidates, arguments, variadic, .. } => {
                self.out += "call [";
                self.expr(*callee, false);
                self.applied("]", arguments);
                if *variadic {
                    self.out += " variadic";
                }
                if let Some(candidates) = candidates {
                    self.out += " among";
                    for (i, &f) in candidates.iter().enumerate() {
                        self.out += if i > 0 { ", " } else { " " };
                        self.out += &self.function_name(f);
                    }
                }
            }
            Op::External { function, arguments, effect, .. } => {
                self.applied(&format!("external {}", self.function_name(*function)), arguments);
                let _ = write!(self.out, " {}", EFFECTS.word(*effect));
            }
            Op::Output { kind, arguments, .. } => {
                self.applied(&format!("output {}", OUTPUTS.word(*kind)), arguments);
            }
            Op::Halt { status: None } => self.out += "halt",
            Op::Halt { status: Some(status) } => self.applied("halt", &[*status]),
        }
    }

    /// A word with the operands of an operation, and where it works.
    fn applied_in(&mut self, word: &str, op: &Op, region: RegionId) {
        self.applied(word, &op.operands());
        self.region_suffix(region, "");
    }

    /// A word with its arguments.
    fn applied(&mut self, word: &str, arguments: &[ExprId]) {
        self.out += word;
        self.out.push('(');
        for (i, &a) in arguments.iter().enumerate() {
            if i > 0 {
                self.out += ", ";
            }
            self.expr(a, false);
        }
        self.out.push(')');
    }

    fn span(&mut self, before: &str, span: Span) {
        if self.origins && !span.is_none() {
            let _ = write!(self.out, "{before}@{}..{}", span.start, span.end);
        }
    }

    fn region_suffix(&mut self, region: RegionId, before: &str) {
        if region != RegionId::ALL {
            self.out += before;
            self.out += &region_suffix(region);
        }
    }

    fn is_ambiguous(&self, id: VarId) -> bool {
        let variable = &self.program.variables[id];
        let occurrences =
            |names: &HashMap<&str, u32>| names.get(variable.name.as_str()).copied().unwrap_or(0);
        // A variable of another function (in an ill-formed program) has no
        // plain name here.
        let foreign = variable.function.is_some() && variable.function != self.function;
        foreign || occurrences(&self.global_names) + occurrences(&self.local_names) > 1
    }

    pub(super) fn var_name(&self, id: VarId) -> String {
        numbered(&self.program.variables[id].name, id, self.is_ambiguous(id))
    }

    pub(super) fn function_name(&self, id: FunctionId) -> String {
        let name = &self.program.functions[id].name;
        numbered(name, id, self.function_names[name.as_str()] > 1)
    }

    pub(super) fn object_name(&self, id: ObjectId) -> String {
        let name = &self.program.objects[id].name;
        numbered(name, id, self.object_names[name.as_str()] > 1)
    }
}

/// A name, with its id where it means several things.
fn numbered(name: &str, id: impl Id, ambiguous: bool) -> String {
    let quoted = quoted_name(name);
    if ambiguous { format!("{quoted}'{}", id.index()) } else { quoted }
}

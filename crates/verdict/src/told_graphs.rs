//! Memory graphs in words: what holds of the memory at the head of a loop, as cases in the manner of ACSL.
//!
//! | graph | words |
//! |---|---|
//! | an object that `p` points to, with a cell | `p->v == 7` |
//! | a pointer to the same object | `q == p` |
//! | a chain from `p` on, whose last element leads to null | `\list(p, next, \null)` |
//! | one that is linked both ways | `\list(p, next, prev, \null)` |
//! | of at least one, or so many elements | `p != \null`, `\length(p, next, \null) >= 2` |
//! | a tree, in which one of the places of null holds `q` | `\tree(p, left, right, q)` |
//! | a cell of all its elements | `(\forall e \in \list(p, next, \null); e->v == 7)` |
//! | an object that may be missing | `(p == \null \|\| p->v == 7)` |
//! | an object that was freed | `\dangling(p)` |
//!
//! An object is called by the first variable that points to its start, else by the cell that leads to it. What nothing of
//! the source leads to is left out: this is for people, and nothing rests on it.

use crate::certificate::MemoryGraphs;
use crate::verdict::Invariant;
use bolide_cfa::analysis::{Flow, Liveness, Loops};
use bolide_cfa::transform::{Mapped, VariableOrigin};
use bolide_cfa::{LocId, Program, Type, VarId, VariableKind};
use bolide_heap::graph::{Address, Chain, End, Graph, Links, Node, NodeId, NumberId, Value};
use std::collections::BTreeMap;

/// Longer ones would not be read.
const READABLE: usize = 5000;

/// The invariants of loop heads.
pub fn invariants(explored: &Mapped, graphs: &MemoryGraphs) -> Vec<Invariant> {
    let program = &explored.program;
    let loops = Loops::new(program, &Flow::new(program));
    let liveness = Liveness::of(program);
    let mut cases: BTreeMap<LocId, Vec<String>> = BTreeMap::new();
    for (&head, all) in graphs.places.iter().filter(|(place, _)| loops.is_head(**place)) {
        let Some(location) = explored.locations[head] else { continue };
        let known = cases.entry(location).or_default();
        for graph in all {
            let is_shown = |var: VarId| {
                let is_of_source = !matches!(explored.variables[var], VariableOrigin::Made)
                    && !matches!(
                        program.variables[var].kind,
                        VariableKind::Temporary | VariableKind::Result
                    );
                is_of_source && liveness.is_live(program, head, var)
            };
            let words = Words::of(program, graph, &is_shown).join(" && ");
            let words = if words.is_empty() { "\\true".to_owned() } else { words };
            if !known.contains(&words) {
                known.push(words);
            }
        }
    }
    let told = |(location, words): (LocId, Vec<String>)| {
        let mut text = words.join(" || ");
        if words.iter().any(|case| case == "\\true") {
            "\\true".clone_into(&mut text);
        } else if text.len() > READABLE {
            text = format!("one of {} memory graphs", words.len());
        }
        Invariant { location, text, c: "1".into() }
    };
    cases.into_iter().map(told).collect()
}

/// A graph that is put into words.
struct Words<'g> {
    program: &'g Program,
    graph: &'g Graph,
    /// What objects are called, which of a chain that is the first of, and how far behind its start that points.
    names: BTreeMap<NodeId, Called>,
    said: Vec<String>,
}

/// The name of an object.
#[derive(Clone)]
struct Called {
    name: String,
    offset: i64,
}

impl Words<'_> {
    fn of(program: &Program, graph: &Graph, is_shown: &dyn Fn(VarId) -> bool) -> Vec<String> {
        let mut words = Words { program, graph, names: BTreeMap::new(), said: Vec::new() };
        let shown = || graph.variables.iter().filter(|(var, _)| is_shown(**var));
        for (&object, &node) in &graph.statics {
            let name = format!("&{}", program.objects[object].name);
            words.names.insert(node, Called { name, offset: 0 });
        }
        // Pointers to the first byte give better names than others.
        for is_wanted in [|a: &Address| a.offset() == Some(0), |a: &Address| a.offset().is_some()] {
            for (&var, value) in shown() {
                if let Value::Address(address) = value
                    && address.end == End::First
                    && is_wanted(address)
                {
                    let name = program.variables[var].name.clone();
                    let called = Called { name, offset: address.low };
                    words.names.entry(address.node).or_insert(called);
                }
            }
        }
        let mut described: Vec<NodeId> = words.names.keys().copied().collect();
        for (&var, &value) in shown() {
            let Type::Int(int) = program.variables[var].ty else {
                words.pointer(&program.variables[var].name, value);
                continue;
            };
            words.number(&program.variables[var].name, value, (int.min(), int.max()));
        }
        let mut at = 0;
        while at < described.len() {
            let id = described[at];
            at += 1;
            if graph.nodes[&id].owner.is_none() {
                words.node(id, &mut described);
            }
        }
        words.said
    }

    /// What a pointer is.
    fn pointer(&mut self, name: &str, value: Value) {
        if let Some(words) = self.target(value).filter(|words| words != name) {
            self.said.push(format!("{name} == {words}"));
        }
    }

    /// A pointer in words, where what it points to has a name.
    fn target(&self, value: Value) -> Option<String> {
        let address = match value {
            Value::Known(0) => return Some("\\null".into()),
            Value::Address(address) => address,
            _ => return None,
        };
        let called = self.names.get(&address.node)?;
        let distance = address.offset()? - called.offset;
        let chain = self.graph.nodes[&address.node].chain;
        let base = match (address.end, chain) {
            (End::Last, Some(chain)) if !chain.links.are_nowhere() => {
                format!("\\last({})", self.list(address.node, &chain))
            }
            _ => called.name.clone(),
        };
        Some(match distance {
            0 => base,
            bytes => format!("(char *){base} + {bytes}"),
        })
    }

    /// An integer between bounds; the type has bounds of its own.
    fn number(&mut self, name: &str, value: Value, of_type: (i128, i128)) {
        match value {
            Value::Known(n) => self.said.push(format!("{name} == {n}")),
            Value::Number(id) => self.bounds(name, id, of_type),
            Value::Any | Value::Address(_) => {}
        }
    }

    fn bounds(&mut self, name: &str, id: NumberId, (least, greatest): (i128, i128)) {
        let Some(number) = self.graph.numbers.get(&id) else { return };
        if number.low > least {
            self.said.push(format!("{name} >= {}", number.low));
        }
        if number.high < greatest {
            self.said.push(format!("{name} <= {}", number.high));
        }
        if number.nonzero && number.low < 0 && number.high > 0 {
            self.said.push(format!("{name} != 0"));
        }
    }

    /// The cells of an object or chain that has a name. Objects that these lead to get one too.
    fn node(&mut self, id: NodeId, described: &mut Vec<NodeId>) {
        let (graph, called) = (self.graph, self.names[&id].clone());
        let node = &graph.nodes[&id];
        if !node.alive {
            self.said.push(format!("\\dangling({})", called.name));
            return;
        }
        let before = self.said.len();
        let Some(chain) = node.chain else {
            self.cells(node, &called, None, described);
            if self.said.len() == before && !called.name.starts_with('&') {
                self.said.push(format!("\\valid({})", called.name));
            }
            return;
        };
        if chain.links.are_nowhere() {
            let missing = self.behind(node, &chain);
            self.cells(node, &called, Some(chain.links), described);
            let cells = self.said.split_off(before);
            let cells = match cells.is_empty() {
                true => format!("\\valid({})", called.name),
                false => cells.join(" && "),
            };
            self.said.push(format!("({} == {missing} || {cells})", called.name));
            return;
        }
        self.said.push(self.list(id, &chain));
        match chain.least {
            0 => {}
            1 => self.said.push(format!("{} != {}", called.name, self.behind(node, &chain))),
            least => {
                let list = self.list(id, &chain);
                self.said.push(format!("\\length({list}) >= {least}"));
            }
        }
        let before = self.said.len();
        let depth = called.name.matches("->").count();
        let element = if depth == 0 { "e".to_owned() } else { format!("e{}", depth + 1) };
        let each = Called { name: element.clone(), offset: called.offset };
        self.cells(node, &each, Some(chain.links), described);
        // Lists of lists: what there is once for each element.
        let mut owned = Vec::new();
        let names = self.names.iter().map(|(id, called)| (*id, called.name.clone()));
        let prefix = format!("{element}->");
        owned.extend(names.filter(|(_, name)| name.starts_with(&prefix)).map(|(id, _)| id));
        for inner in owned.into_iter().filter(|inner| graph.nodes[inner].owner == Some(id)) {
            self.node(inner, described);
        }
        let cells = self.said.split_off(before);
        if !cells.is_empty() {
            let list = self.list(id, &chain);
            self.said.push(format!("(\\forall {element} \\in {list}; {})", cells.join(" && ")));
        }
    }

    /// The list that a chain stands for.
    fn list(&self, id: NodeId, chain: &Chain) -> String {
        let node = &self.graph.nodes[&id];
        let called = &self.names[&id];
        let link = |offset: i64| self.field(node, offset, chain.links.word, true);
        let links: Vec<String> = chain.links.places().map(link).collect();
        let what = if chain.links.fork.is_some() { "tree" } else { "list" };
        let behind = self.behind(node, chain);
        format!("\\{what}({}, {}, {behind})", called.name, links.join(", "))
    }

    /// What the last element of a chain leads to.
    fn behind(&self, node: &Node, chain: &Chain) -> String {
        let value = node.get(chain.links.next, chain.links.word);
        self.target(value).unwrap_or_else(|| "\\any".to_owned())
    }

    /// The cells of an object, but for the links of a chain.
    fn cells(
        &mut self,
        node: &Node,
        called: &Called,
        links: Option<Links>,
        described: &mut Vec<NodeId>,
    ) {
        let is_link = |offset: i64| links.is_some_and(|l| l.places().any(|link| link == offset));
        for (&offset, cell) in node.cells.iter().filter(|(offset, _)| !is_link(**offset)) {
            let is_pointer = matches!(cell.value, Value::Address(_));
            let field = self.field(node, offset, cell.size, is_pointer);
            let name = match called.name.strip_prefix('&') {
                Some(object) => format!("{object}.{field}"),
                None => format!("{}->{field}", called.name),
            };
            match cell.value {
                Value::Address(address) => {
                    let is_new = !self.names.contains_key(&address.node)
                        && address.end != End::Last
                        && address.offset().is_some();
                    if is_new {
                        let called = Called { name: name.clone(), offset: address.low };
                        self.names.insert(address.node, called);
                        described.push(address.node);
                    }
                    self.pointer(&name, cell.value);
                }
                value => {
                    let bits = u32::try_from(cell.size * 8).unwrap_or(64).min(64);
                    let half = 1i128 << (bits - 1);
                    // Whichever sign the type has.
                    self.number(&name, value, (-half, 2 * half - 1));
                }
            }
        }
    }

    /// What records of this size call the cell, or its offset.
    fn field(&self, node: &Node, offset: i64, size: i64, is_pointer: bool) -> String {
        let record_size = (node.size.0 == node.size.1).then_some(node.size.0);
        let mut names = self
            .program
            .records
            .iter()
            .filter(|record| record_size.is_none_or(|size| record.size as i64 == size))
            .flat_map(|record| &record.fields)
            .filter(|field| {
                field.offset as i64 == offset
                    && field.ty.size(self.program.target) as i64 == size
                    && (!is_pointer || field.ty == Type::Pointer)
            })
            .map(|field| field.name.as_str());
        let first = names.next().filter(|first| names.all(|name| name == *first));
        first.map_or_else(|| format!("byte{offset}"), str::to_owned)
    }
}

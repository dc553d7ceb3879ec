//! Memory graphs: what is proved on them passes the audit, and each way to spoil a proof is refused.

mod common;

use bolide_base::Budget;
use bolide_cfa::interpreter::{Config, Inputs, Interpreter, Observer, View};
use bolide_cfa::{EdgeId, LocId, Program};
use bolide_engines::shape::graphs::{ATTEMPTS, Failure, prove};
use bolide_heap::graph::{Address, End, Graph, Node, Place, Value, ZERO};
use bolide_terms::TermStore;
use bolide_verdict::audit::graphs::{executed, inductive, meaning};
use bolide_verdict::certificate::{Certificate, MemoryGraphs};
use common::{audited, parse};

/// A circular list, linked both ways, whose head is a local variable and whose elements are linked by pointers to their middle: built,
/// walked through and freed.
const CIRCULAR: &str = r#"
program LP64
entry main
check C0 valid-deref "a node is read"
check C1 valid-free "a node is freed"
check C2 valid-memtrack "a node is lost"
function main() -> result : i32
  local more : i32
  local n : ptr
  local last : ptr
  local p : ptr
  local q : ptr
  address head : ptr
  entry L0 exit L28
  L25: error C0
  L26: error C1
  L27: error C2
  L0 -> L1 : head := alloc stack(16:u64) align 8
  L1 -> L2 : ptr[head] := head
  L2 -> L3 : ptr[head + 8:i64] := head
  L3 -> L4 : more := nondet input "__VERIFIER_nondet_int"
  L4 -> L5 : assume more != 0:i32
  L4 -> L14 : assume more == 0:i32
  L5 -> L6 : n := alloc heap(24:u64) align 8
  L6 -> L7 : last := ptr[head + 8:i64]
  L7 -> L8 : ptr[n + 8:i64] := head
  L8 -> L9 : ptr[n + 16:i64] := last
  L9 -> L10 : ptr[head + 8:i64] := n + 8:i64
  L10 -> L11 : assume valid(last, 8:u64)
  L10 -> L25 : assume !valid(last, 8:u64)
  L11 -> L12 : ptr[last] := n + 8:i64
  L12 -> L13 : i32[n] := 7:i32
  L13 -> L3 : skip
  L14 -> L15 : p := ptr[head]
  L15 -> L16 : assume p != head
  L15 -> L22 : assume p == head
  L16 -> L17 : assume valid(p + -8:i64, 4:u64)
  L16 -> L25 : assume !valid(p + -8:i64, 4:u64)
  L17 -> L18 : assume i32[p + -8:i64] == 7:i32
  L17 -> L25 : assume i32[p + -8:i64] != 7:i32
  L18 -> L19 : q := ptr[p]
  L19 -> L20 : assume freeable(p + -8:i64)
  L19 -> L26 : assume !freeable(p + -8:i64)
  L20 -> L21 : free(p + -8:i64)
  L21 -> L15 : p := q
  L22 -> L23 : end(head)
  L23 -> L27 : assume leaked
  L23 -> L24 : assume !leaked
  L24 -> L28 : result := 0:i32
"#;

/// Lists in a list: each element has a list of its own.
const NESTED: &str = r#"
program LP64
entry main
check C0 valid-deref "a node is read"
check C1 valid-memcleanup "a node is left"
function main() -> result : i32
  local more : i32
  local list : ptr
  local x : ptr
  local y : ptr
  entry L0 exit L26
  L24: error C0
  L25: error C1
  L0 -> L1 : list := null
  L1 -> L2 : more := nondet input "__VERIFIER_nondet_int"
  L2 -> L3 : assume more != 0:i32
  L2 -> L12 : assume more == 0:i32
  L3 -> L4 : x := alloc heap(16:u64) align 8
  L4 -> L5 : ptr[x] := list
  L5 -> L6 : ptr[x + 8:i64] := null
  L6 -> L7 : list := x
  L7 -> L8 : more := nondet input "__VERIFIER_nondet_int"
  L8 -> L9 : assume more != 0:i32
  L8 -> L1 : assume more == 0:i32
  L9 -> L10 : y := alloc heap(8:u64) align 8
  L10 -> L11 : ptr[y] := ptr[list + 8:i64]
  L11 -> L7 : ptr[list + 8:i64] := y
  L12 -> L13 : assume list != null
  L12 -> L22 : assume list == null
  L13 -> L14 : y := ptr[list + 8:i64]
  L14 -> L15 : assume y != null
  L14 -> L19 : assume y == null
  L15 -> L16 : assume valid(y, 8:u64)
  L15 -> L24 : assume !valid(y, 8:u64)
  L16 -> L17 : x := ptr[y]
  L17 -> L18 : free(y)
  L18 -> L14 : y := x
  L19 -> L20 : x := ptr[list]
  L20 -> L21 : free(list)
  L21 -> L12 : list := x
  L22 -> L25 : assume heap_in_use
  L22 -> L23 : assume !heap_in_use
  L23 -> L26 : result := 0:i32
"#;

/// A list whose elements may have a part, which may have another.
const OPTIONAL: &str = r#"
program LP64
entry main
check C0 valid-deref "a part is read"
check C1 valid-memcleanup "something is left"
function main() -> result : i32
  local more : i32
  local list : ptr
  local x : ptr
  local y : ptr
  local z : ptr
  entry L0 exit L30
  L28: error C0
  L29: error C1
  L0 -> L1 : list := null
  L1 -> L2 : more := nondet input "__VERIFIER_nondet_int"
  L2 -> L3 : assume more != 0:i32
  L2 -> L14 : assume more == 0:i32
  L3 -> L4 : x := alloc heap(16:u64) align 8
  L4 -> L5 : ptr[x] := list
  L5 -> L6 : ptr[x + 8:i64] := null
  L6 -> L7 : more := nondet input "__VERIFIER_nondet_int"
  L7 -> L8 : assume more != 0:i32
  L7 -> L13 : assume more == 0:i32
  L8 -> L9 : y := alloc heap(24:u64) align 8
  L9 -> L10 : ptr[y + 8:i64] := null
  L10 -> L11 : ptr[x + 8:i64] := y
  L11 -> L12 : assume more > 1:i32
  L11 -> L13 : assume more <= 1:i32
  L12 -> L25 : z := alloc heap(4:u64) align 4
  L25 -> L13 : ptr[y + 8:i64] := z
  L13 -> L1 : list := x
  L14 -> L15 : assume list != null
  L14 -> L26 : assume list == null
  L15 -> L16 : y := ptr[list + 8:i64]
  L16 -> L17 : assume y != null
  L16 -> L22 : assume y == null
  L17 -> L18 : assume valid(y, 24:u64)
  L17 -> L28 : assume !valid(y, 24:u64)
  L18 -> L19 : z := ptr[y + 8:i64]
  L19 -> L20 : assume freeable(z)
  L19 -> L28 : assume !freeable(z)
  L20 -> L21 : free(z)
  L21 -> L22 : free(y)
  L22 -> L23 : x := ptr[list]
  L23 -> L24 : free(list)
  L24 -> L14 : list := x
  L26 -> L29 : assume heap_in_use
  L26 -> L27 : assume !heap_in_use
  L27 -> L30 : result := 0:i32
"#;

/// A list that is linked one way, with data of which bounds are known.
const ONE_WAY: &str = r#"
program LP64
entry main
check C0 valid-deref "a node is read"
check C1 valid-memcleanup "a node is left"
check C2 unreach-call "data"
function main() -> result : i32
  local more : i32
  local data : i32
  local list : ptr
  local x : ptr
  entry L0 exit L19
  L16: error C0
  L17: error C1
  L18: error C2
  L0 -> L1 : list := null
  L1 -> L2 : more := nondet input "__VERIFIER_nondet_int"
  L2 -> L3 : assume more != 0:i32
  L2 -> L8 : assume more == 0:i32
  L3 -> L4 : data := nondet input "__VERIFIER_nondet_int"
  L4 -> L5 : assume data > 3:i32
  L4 -> L1 : assume data <= 3:i32
  L5 -> L6 : x := alloc heap(16:u64) align 8
  L6 -> L7 : ptr[x] := list
  L7 -> L20 : i32[x + 8:i64] := data
  L20 -> L1 : list := x
  L8 -> L9 : assume list != null
  L8 -> L14 : assume list == null
  L9 -> L10 : assume valid(list, 16:u64)
  L9 -> L16 : assume !valid(list, 16:u64)
  L10 -> L11 : assume i32[list + 8:i64] > 3:i32
  L10 -> L18 : assume i32[list + 8:i64] <= 3:i32
  L11 -> L12 : x := list
  L12 -> L13 : list := ptr[list]
  L13 -> L8 : free(x)
  L14 -> L17 : assume heap_in_use
  L14 -> L15 : assume !heap_in_use
  L15 -> L19 : result := 0:i32
"#;

/// A list that is linked both ways, with its last element in a variable: freed from its end.
const BOTH_WAYS: &str = r#"
program LP64
entry main
check C0 valid-deref "a node is read"
check C1 valid-memcleanup "a node is left"
function main() -> result : i32
  local more : i32
  local first : ptr
  local last : ptr
  local x : ptr
  entry L0 exit L22
  L20: error C0
  L21: error C1
  L0 -> L1 : first := alloc heap(16:u64) align 8
  L1 -> L2 : ptr[first] := null
  L2 -> L3 : ptr[first + 8:i64] := null
  L3 -> L4 : last := first
  L4 -> L5 : more := nondet input "__VERIFIER_nondet_int"
  L5 -> L6 : assume more != 0:i32
  L5 -> L11 : assume more == 0:i32
  L6 -> L7 : x := alloc heap(16:u64) align 8
  L7 -> L8 : ptr[x] := null
  L8 -> L9 : ptr[x + 8:i64] := last
  L9 -> L10 : ptr[last] := x
  L10 -> L4 : last := x
  L11 -> L12 : assume first != null
  L11 -> L18 : assume first == null
  L12 -> L13 : assume valid(last, 16:u64)
  L12 -> L20 : assume !valid(last, 16:u64)
  L13 -> L14 : x := ptr[last + 8:i64]
  L14 -> L15 : assume last == first
  L14 -> L16 : assume last != first
  L15 -> L16 : first := null
  L16 -> L17 : free(last)
  L17 -> L11 : last := x
  L18 -> L21 : assume heap_in_use
  L18 -> L19 : assume !heap_in_use
  L19 -> L22 : result := 0:i32
"#;

/// A tree that is freed leaf by leaf, each found from the root on.
const LEAVES: &str = r#"
program LP64
entry main
check C0 valid-deref "a node is read"
check C1 valid-memcleanup "a node is left"
function main() -> result : i32
  local more : i32
  local root : ptr
  local p : ptr
  local q : ptr
  entry L0 exit L36
  L37: error C0
  L38: error C1
  L0 -> L1 : root := alloc heap(16:u64) align 8
  L1 -> L2 : ptr[root] := null
  L2 -> L4 : ptr[root + 8:i64] := null
  L4 -> L5 : more := nondet input "__VERIFIER_nondet_int"
  L5 -> L6 : assume more != 0:i32
  L5 -> L20 : assume more == 0:i32
  L6 -> L7 : p := root
  L7 -> L8 : assume ptr[p] != null
  L7 -> L12 : assume ptr[p] == null
  L8 -> L9 : more := nondet input "__VERIFIER_nondet_int"
  L9 -> L10 : assume more != 0:i32
  L9 -> L11 : assume more == 0:i32
  L10 -> L7 : p := ptr[p]
  L11 -> L13 : assume ptr[p + 8:i64] != null
  L11 -> L14 : assume ptr[p + 8:i64] == null
  L13 -> L7 : p := ptr[p + 8:i64]
  L12 -> L15 : q := alloc heap(16:u64) align 8
  L15 -> L16 : ptr[q] := null
  L16 -> L17 : ptr[q + 8:i64] := null
  L17 -> L4 : ptr[p] := q
  L14 -> L18 : q := alloc heap(16:u64) align 8
  L18 -> L19 : ptr[q] := null
  L19 -> L3 : ptr[q + 8:i64] := null
  L3 -> L4 : ptr[p + 8:i64] := q
  L20 -> L21 : assume root != null
  L20 -> L34 : assume root == null
  L21 -> L22 : q := null
  L22 -> L23 : p := root
  L23 -> L24 : assume valid(p, 16:u64)
  L23 -> L37 : assume !valid(p, 16:u64)
  L24 -> L25 : assume ptr[p] != null
  L24 -> L27 : assume ptr[p] == null
  L25 -> L26 : q := p
  L26 -> L23 : p := ptr[p]
  L27 -> L28 : assume ptr[p + 8:i64] != null
  L27 -> L30 : assume ptr[p + 8:i64] == null
  L28 -> L29 : q := p
  L29 -> L23 : p := ptr[p + 8:i64]
  L30 -> L31 : assume q == null
  L30 -> L32 : assume q != null
  L31 -> L33 : root := null
  L32 -> L39 : assume ptr[q] == p
  L32 -> L40 : assume ptr[q] != p
  L39 -> L33 : ptr[q] := null
  L40 -> L33 : ptr[q + 8:i64] := null
  L33 -> L20 : free(p)
  L34 -> L38 : assume heap_in_use
  L34 -> L35 : assume !heap_in_use
  L35 -> L36 : result := 0:i32
"#;

/// All of them.
const PROGRAMS: [&str; 6] = [CIRCULAR, NESTED, OPTIONAL, ONE_WAY, BOTH_WAYS, LEAVES];

fn proved(program: &Program) -> MemoryGraphs {
    match prove(program, ATTEMPTS, &Budget::unlimited()) {
        Ok(graphs) => graphs,
        Err(why) => panic!("not proved: {why}"),
    }
}

fn accepts(program: &Program, graphs: &MemoryGraphs) -> bool {
    let certificate = Certificate::Graphs(graphs.clone());
    audited(program, &mut TermStore::new(), &certificate).is_ok()
}

#[test]
fn lists_of_any_length_are_proved() {
    for text in PROGRAMS {
        let program = parse(text);
        let graphs = proved(&program);
        let chains = |graph: &Graph| graph.nodes.values().any(|node| node.chain.is_some());
        assert!(graphs.places.values().flatten().any(chains), "some list is a chain");
        assert!(accepts(&program, &graphs));
    }
}

#[test]
fn what_goes_wrong_is_not_proved() {
    let wrong = [
        // The element is not freed, freed twice, or read after that.
        CIRCULAR.replace("L20 -> L21 : free(p + -8:i64)", "L20 -> L21 : skip"),
        CIRCULAR.replace("L18 -> L19 : q := ptr[p]", "L18 -> L19 : q := p"),
        CIRCULAR.replace("i32[n] := 7:i32", "i32[n] := more"),
        // The pointer behind the head is not set.
        CIRCULAR.replace("ptr[head + 8:i64] := n + 8:i64", "skip"),
        NESTED.replace("L17 -> L18 : free(y)", "L17 -> L18 : skip"),
        NESTED.replace("ptr[y] := ptr[list + 8:i64]", "ptr[y] := y"),
        NESTED.replace("L20 -> L21 : free(list)", "L20 -> L21 : skip"),
        // The inner list is not emptied.
        NESTED.replace("L14 -> L15 : assume y != null", "L14 -> L19 : assume y != null"),
        // What is optional is not freed, taken for certain, or leads to itself.
        OPTIONAL.replace("L20 -> L21 : free(z)", "L20 -> L21 : skip"),
        OPTIONAL.replace("L21 -> L22 : free(y)", "L21 -> L22 : skip"),
        OPTIONAL.replace("L16 -> L17 : assume y != null", "L16 -> L17 : skip"),
        OPTIONAL.replace("L9 -> L10 : ptr[y + 8:i64] := null", "L9 -> L10 : ptr[y + 8:i64] := y"),
        // The wrong child is cut off, a leaf is not freed, or the root is its own child.
        LEAVES.replace("L40 -> L33 : ptr[q + 8:i64] := null", "L40 -> L33 : ptr[q] := null"),
        LEAVES.replace("L33 -> L20 : free(p)", "L33 -> L20 : skip"),
        LEAVES.replace("L14 -> L18 : q := alloc heap(16:u64) align 8", "L14 -> L18 : q := root"),
    ];
    for text in wrong {
        let program = parse(&text);
        let outcome = prove(&program, ATTEMPTS, &Budget::unlimited());
        assert!(matches!(outcome, Err(Failure::Suspected(_) | Failure::Refused(_))), "{text}");
        let Err(Failure::Suspected(way)) = outcome else { continue };
        let mut at = program.functions[program.entry].body.unwrap().entry;
        for edge in way {
            assert_eq!(program.edges[edge].from, at, "{text}");
            at = program.edges[edge].to;
        }
        assert!(program.locations[at].error.is_some(), "{text}");
    }
}

#[test]
fn no_place_is_left_out() {
    for text in PROGRAMS {
        let program = parse(text);
        let honest = proved(&program);
        for place in honest.places.keys() {
            let mut spoiled = honest.clone();
            spoiled.places.insert(*place, Vec::new());
            assert!(!accepts(&program, &spoiled), "nothing at {place:?}");
        }
    }
}

/// Another value, of which a state that holds this one has not got.
fn others(graph: &Graph, value: Value) -> Vec<Value> {
    match value {
        Value::Any => Vec::new(),
        Value::Known(n) => vec![Value::Known(n + 1)],
        Value::Number(id) => vec![Value::Known(graph.numbers[&id].low), ZERO],
        Value::Address(a) => {
            let turned = if a.end == End::First { End::Last } else { End::First };
            let end = if graph.nodes[&a.node].chain.is_some() { turned } else { a.end };
            let moved = Address { low: a.low + 8, high: a.high + 8, ..a };
            vec![ZERO, Value::Address(Address { end, ..a }), Value::Address(moved)]
        }
    }
}

/// A node spoiled in each of its parts.
fn spoiled_nodes(graph: &Graph, node: &Node) -> Vec<Node> {
    let mut found = Vec::new();
    let mut spoil = |change: &dyn Fn(&mut Node)| {
        let mut spoiled = node.clone();
        change(&mut spoiled);
        found.push(spoiled);
    };
    spoil(&|node| node.alive = !node.alive);
    spoil(&|node| node.owner = None);
    spoil(&|node| node.size.0 += 8);
    spoil(&|node| node.size.1 -= 8);
    spoil(&|node| node.place = Place::Stack);
    spoil(&|node| node.clear(0, node.size.0));
    spoil(&|node| node.chain = None);
    for add in [1, 2] {
        spoil(&|node| node.chain.iter_mut().for_each(|chain| chain.least += add));
    }
    spoil(&|node| node.chain.iter_mut().for_each(|chain| chain.links.head += 8));
    spoil(&|node| node.chain.iter_mut().for_each(|chain| chain.links.next += 8));
    spoil(&|node| node.chain.iter_mut().for_each(|chain| chain.links.fork = None));
    spoil(&|node| {
        let fork = |next: i64| if next == 0 { 8 } else { 0 };
        node.chain.iter_mut().for_each(|chain| chain.links.fork = Some(fork(chain.links.next)));
    });
    spoil(&|node| {
        let prev = |next: i64| if next == 0 { 8 } else { 0 };
        node.chain.iter_mut().for_each(|chain| chain.links.prev = Some(prev(chain.links.next)));
    });
    for (&at, cell) in &node.cells {
        for other in others(graph, cell.value) {
            spoil(&|node| node.set(at, cell.size, other));
        }
    }
    found
}

/// A graph spoiled in each of its parts.
fn spoiled_graphs(graph: &Graph) -> Vec<Graph> {
    let mut found = Vec::new();
    let mut spoil = |change: &dyn Fn(&mut Graph)| {
        let mut spoiled = graph.clone();
        change(&mut spoiled);
        found.push(spoiled);
    };
    spoil(&|graph| graph.lost = false);
    for (&variable, &value) in &graph.variables {
        for other in others(graph, value) {
            spoil(&|graph| _ = graph.variables.insert(variable, other));
        }
    }
    for &id in graph.numbers.keys() {
        spoil(&|graph| graph.numbers.get_mut(&id).unwrap().low += 1);
        spoil(&|graph| graph.numbers.get_mut(&id).unwrap().high -= 1);
        spoil(&|graph| graph.numbers.get_mut(&id).unwrap().nonzero = true);
        spoil(&|graph| graph.numbers.get_mut(&id).unwrap().owner = None);
    }
    for (&id, node) in &graph.nodes {
        spoil(&|graph| _ = graph.nodes.remove(&id));
        for other in spoiled_nodes(graph, node) {
            spoil(&|graph| _ = graph.nodes.insert(id, other.clone()));
        }
    }
    found
}

/// A proof spoiled in each of its parts, one at a time.
fn spoiled(honest: &MemoryGraphs) -> Vec<(LocId, MemoryGraphs)> {
    let mut found = Vec::new();
    for (&place, all) in &honest.places {
        for (at, graph) in all.iter().enumerate() {
            let mut without = honest.clone();
            without.places.get_mut(&place).unwrap().remove(at);
            found.push((place, without));
            for other in spoiled_graphs(graph) {
                let mut spoiled = honest.clone();
                spoiled.places.get_mut(&place).unwrap()[at] = other;
                found.push((place, spoiled));
            }
        }
    }
    found
}

/// Looks for states of runs outside of the graphs.
struct Judge<'a> {
    program: &'a Program,
    graphs: &'a MemoryGraphs,
    outside: bool,
}

impl Observer for Judge<'_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        let Some(all) = self.graphs.places.get(&self.program.edges[edge].from) else { return };
        self.outside |= !all.iter().any(|graph| meaning::belongs(self.program, view, graph));
    }
}

/// Whether some run on few small inputs comes to a state without a graph.
fn excludes_a_run(program: &Program, graphs: &MemoryGraphs) -> bool {
    let interpreter = Interpreter::new(program);
    let mut judge = Judge { program, graphs, outside: false };
    let config = Config { step_limit: 400, ..Config::default() };
    for number in (0..1024).step_by(9) {
        let inputs = (0..8).map(|bit| [0, 4, 1, i128::from(i32::MAX)][number >> bit & 3]);
        interpreter.run_observed(&mut Inputs::ints(inputs), &config, &mut judge);
        if judge.outside {
            return true;
        }
    }
    false
}

/// What excludes a state that a run comes to is no invariant: both checks of the audit see it, each without the other.
#[test]
fn what_excludes_a_run_is_refused() {
    let budget = Budget::unlimited();
    for text in PROGRAMS {
        let program = parse(text);
        let honest = proved(&program);
        assert!(!excludes_a_run(&program, &honest));
        let (mut wrong, mut seen) = (0, 0);
        for (place, spoiled) in spoiled(&honest) {
            if !excludes_a_run(&program, &spoiled) {
                continue;
            }
            wrong += 1;
            let passed = inductive(&program, &spoiled, &budget).is_ok();
            assert!(
                !passed,
                "at {place:?}: {:?} instead of {:?}",
                spoiled.places[&place], honest.places[&place]
            );
            seen += usize::from(executed::check(&program, &spoiled, &budget).is_err());
        }
        assert!(wrong >= 30 && seen * 10 >= wrong * 9, "{seen} of {wrong}");
    }
}

/// Makers and judges of states agree on what graphs mean.
#[test]
fn states_that_are_made_belong_to_their_graphs() {
    for text in PROGRAMS {
        let program = parse(text);
        let tried = executed::check(&program, &proved(&program), &Budget::unlimited()).unwrap();
        assert!(tried.made > 10 && tried.seen > 100, "{tried:?}");
        assert_eq!(tried.strange, 0);
    }
}

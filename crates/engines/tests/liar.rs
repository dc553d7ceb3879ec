//! An engine that lies, in every way that the interface allows, and is refused every time.
//!
//! It also shows what a new engine takes: a function `search` and a row, here [`LIAR`]. It goes through the same
//! one place as all others. What must be refused is not a matter of taste: a program that reaches its
//! error has no proof, and one that does not has no counterexample.

mod common;

use bolide_base::arena::Id;
use bolide_base::budget::Progress;
use bolide_base::{Budget, HashMap};
use bolide_cfa::value::Value as Concrete;
use bolide_cfa::{CheckId, EdgeId, FunctionId, LocId, Op, Program, Type};
use bolide_engines::choose::{self, Engine, Options};
use bolide_engines::task::{Orders, Task};
use bolide_engines::workbench::Workbench;
use bolide_heap::graph::{Address, Chain, End, Graph, Links, Node, Place, Value};
use bolide_reachability::instances::index;
use bolide_reachability::normal_form::NormalForm;
use bolide_reachability::verdict::{Annotation, Contract, Counterexample};
use bolide_terms::{SortId, TermId};
use bolide_verdict::audit::{Figures, KnownProofs};
use bolide_verdict::certificate::{
    BooleanHeap, BooleanHeaps, Cube, Invariant, MemoryGraphs, PathTree,
};
use bolide_verdict::{Certificate, Conclusion, Verdict};
use common::{COUNTING, IDENTITY, INCREMENT, LIST, LOCK, parse};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What the engine says, and with what.
type Lie = Box<dyn Fn(&Task<'_>, &mut Workbench<'_>) -> Conclusion>;

thread_local! {
    /// What it will say next.
    static LIE: RefCell<Option<Lie>> = const { RefCell::new(None) };
}

/// The row.
static LIAR: Engine = Engine {
    name: "liar",
    summary: "Says what it was told to say",
    rank: |_| Err("nobody should run it".into()),
    wants_facts: false,
    effort: None,
    pace: 1,
    opening: None,
    search,
    contracts: None,
};

/// The engine.
fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    LIE.with_borrow(|lie| lie.as_ref().expect("it has something to say")(task, bench))
}

/// What becomes of a lie.
fn told(program: &Program, lie: Lie) -> Verdict {
    LIE.set(Some(lie));
    let options = Options { engine: Some(&LIAR), ..Options::default() };
    choose::verify(program, &options, &Budget::unlimited()).verdict
}

/// No input: one run, of three rounds.
const ALONE: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local i : i32
  entry L0 exit L5
  L4: error C0
  L0 -> L1 : i := 0:i32
  L1 -> L2 : assume i < 3:i32
  L2 -> L1 : i := i + 1:i32
  L1 -> L3 : assume i >= 3:i32
  L3 -> L4 : assume i != 3:i32
  L3 -> L5 : assume i == 3:i32
"#;

/// Programs that are safe, and an edit after which they reach their error.
const PROGRAMS: [(&str, &str, &str); 6] = [
    (LOCK, "old := new", "old := new + 1:i32"),
    (COUNTING, "i := 0:i32", "i := 5:i32"),
    (INCREMENT, "r := x", "r := 7:i32"),
    (IDENTITY, "r := 0:i32", "r := 1:i32"),
    (LIST, "L11 -> L6 : x := ptr[x]", "L11 -> L6 : free(x)"),
    (ALONE, "i := i + 1:i32", "i := i + 2:i32"),
];

/// Each program, whole and broken.
fn programs() -> Vec<(Program, Program)> {
    let broken = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        parse(&text.replacen(from, to, 1))
    };
    PROGRAMS.iter().map(|(text, from, to)| (parse(text), broken(text, from, to))).collect()
}

/// What an honest engine concludes of a program, with the terms of the workbench.
fn honest(engine: &str, program: &Program, bench: &mut Workbench<'_>) -> Conclusion {
    let engine = choose::engine(engine).expect("the table has it");
    let task = Task::new(program, &Orders::default(), &Progress::default());
    let budget = Budget::unlimited().child_for("search", 20_000);
    let mut own = Workbench::new(&task, &budget);
    let conclusion = (engine.search)(&task, &mut own);
    bench.store = own.store;
    conclusion
}

/// Every location says the same.
fn everywhere(task: &Task<'_>, formula: TermId) -> Annotation {
    let program = &task.programs.flattest().mapped.program;
    let of = |function: FunctionId| -> HashMap<LocId, TermId> {
        let locations = program.locations.iter().filter(|(_, l)| l.function == function);
        locations.map(|(id, _)| (id, formula)).collect()
    };
    let functions = program.functions.iter().filter(|(_, f)| f.body.is_some());
    Annotation {
        invariants: of(program.entry),
        contracts: functions
            .map(|(function, _)| Contract {
                function,
                precondition: formula,
                invariants: of(function),
            })
            .collect(),
    }
}

/// Proofs of everything, in somebody's handwriting.
struct Forger(&'static str);

impl KnownProofs for Forger {
    fn are_kept(&self) -> bool {
        true
    }

    fn recall(&mut self, _: &NormalForm) -> Option<String> {
        Some(self.0.to_owned())
    }

    fn checked(&mut self, _: Option<NormalForm>, accepted: Option<bool>) {
        assert_ne!(accepted, Some(true), "a forged proof passed");
    }

    fn close(&mut self, _: bool, _: usize, _: &Budget) -> Figures {
        Vec::new()
    }
}

fn annotated(annotation: Annotation) -> Conclusion {
    Conclusion::annotated(annotation)
}

fn heaps(invariants: BTreeMap<LocId, Invariant>) -> Conclusion {
    Conclusion::Safe(Certificate::Heaps(BooleanHeaps { invariants }))
}

fn paths(nodes: Vec<BTreeMap<usize, usize>>) -> Conclusion {
    Conclusion::Safe(Certificate::Paths(PathTree { nodes }))
}

fn graphs(places: impl IntoIterator<Item = (LocId, Graph)>) -> Conclusion {
    let places = places.into_iter().map(|(place, graph)| (place, vec![graph])).collect();
    Conclusion::Safe(Certificate::Graphs(MemoryGraphs { places }))
}

/// The same graph, or none, at every location that is no error.
fn graphs_everywhere(task: &Task<'_>, graph: Option<Graph>) -> Conclusion {
    let program = match &task.programs.inlined {
        Ok(explored) => &explored.mapped.program,
        Err(_) => task.programs.original,
    };
    let fine = program.locations.iter().filter(|(_, location)| location.error.is_none());
    let all: Vec<Graph> = graph.into_iter().collect();
    let places = fine.map(|(place, _)| (place, all.clone())).collect();
    Conclusion::Safe(Certificate::Graphs(MemoryGraphs { places }))
}

fn induction(k: u32, mut facts: Annotation) -> Conclusion {
    facts.contracts.clear();
    Conclusion::Safe(Certificate::Induction { k, facts })
}

/// Claims of safety that need no other program.
fn invented_proofs() -> Vec<(&'static str, Lie)> {
    let nowhere: LocId = Id::from_index(9999);
    let whole_view = |task: &Task<'_>, heap: Vec<BooleanHeap>| {
        let program = &task.programs.flattest().mapped.program;
        let invariant = Invariant { heaps: heap, ..Invariant::default() };
        heaps(program.locations.ids().map(|l| (l, invariant.clone())).collect())
    };
    let anything = BooleanHeap { state: 0, objects: vec![Cube { mask: 0, bits: 0 }] };
    vec![
        ("no invariant", Box::new(|_, _| annotated(Annotation::default()))),
        ("true everywhere", Box::new(|task, _| annotated(everywhere(task, TermId::TRUE)))),
        ("false everywhere", Box::new(|task, _| annotated(everywhere(task, TermId::FALSE)))),
        (
            "true, but the entry",
            Box::new(|task, _| {
                let mut all = everywhere(task, TermId::TRUE);
                let program = &task.programs.flattest().mapped.program;
                all.invariants.remove(&program.functions[program.entry].body.unwrap().entry);
                annotated(all)
            }),
        ),
        (
            "no contract",
            Box::new(|task, _| {
                let mut all = everywhere(task, TermId::TRUE);
                all.contracts.clear();
                annotated(all)
            }),
        ),
        (
            "a location that is not there",
            Box::new(move |_, _| {
                let invariants = [(nowhere, TermId::TRUE)].into_iter().collect();
                annotated(Annotation { invariants, contracts: Vec::new() })
            }),
        ),
        (
            "a function that is not there",
            Box::new(|task, _| {
                let mut all = everywhere(task, TermId::TRUE);
                all.contracts.push(Contract {
                    function: Id::from_index(99),
                    precondition: TermId::TRUE,
                    invariants: HashMap::default(),
                });
                annotated(all)
            }),
        ),
        (
            "a term that is not there",
            Box::new(|task, _| annotated(everywhere(task, Id::from_index(1 << 20)))),
        ),
        (
            "a number for a truth value",
            Box::new(|task, bench| {
                let number = bench.store.mk_int(1);
                annotated(everywhere(task, number))
            }),
        ),
        (
            "a contradiction that is out of scope",
            Box::new(|task, bench| {
                let constant = bench.store.mk_const("b3!0", SortId::BOOL);
                let never = bench.store.mk_not(constant);
                let all = bench.store.mk_and(&[constant, never]);
                annotated(everywhere(task, all))
            }),
        ),
        (
            "something about one index only",
            Box::new(|task, bench| {
                let (index, seven) = (index(&mut bench.store), bench.store.mk_int(7));
                let one = bench.store.mk_eq(index, seven);
                annotated(Annotation { contracts: Vec::new(), ..everywhere(task, one) })
            }),
        ),
        (
            "all indices in contracts",
            Box::new(|task, bench| {
                let (index, seven) = (index(&mut bench.store), bench.store.mk_int(7));
                let one = bench.store.mk_eq(index, seven);
                annotated(everywhere(task, one))
            }),
        ),
        (
            "forged proofs",
            Box::new(|task, bench| {
                bench.known = Box::new(Forger("obligation"));
                annotated(everywhere(task, TermId::TRUE))
            }),
        ),
        (
            "forged proofs of nothing",
            Box::new(|task, bench| {
                bench.known = Box::new(Forger(""));
                annotated(everywhere(task, TermId::TRUE))
            }),
        ),
        ("no heaps", Box::new(|_, _| heaps(BTreeMap::new()))),
        ("no location has a heap", Box::new(move |task, _| whole_view(task, Vec::new()))),
        ("any heap anywhere", Box::new(move |task, _| whole_view(task, vec![anything.clone()]))),
        (
            "a heap where nothing is",
            Box::new(move |_, _| heaps([(nowhere, Invariant::default())].into())),
        ),
        ("no graphs", Box::new(|_, _| graphs([]))),
        ("a graph where nothing is", Box::new(move |_, _| graphs([(nowhere, Graph::default())]))),
        ("no place has a graph", Box::new(|task, _| graphs_everywhere(task, None))),
        ("any graph anywhere", Box::new(|task, _| graphs_everywhere(task, Some(Graph::default())))),
        (
            "a graph of things that are not there",
            Box::new(|task, _| {
                let mut graph = Graph::default();
                let node = graph.add(Node::region(Place::Heap, (8, 8)));
                let to = Value::Address(Address::at(node, End::First, 0));
                graph.variables.insert(Id::from_index(9999), to);
                graph.nodes.clear();
                graphs_everywhere(task, Some(graph))
            }),
        ),
        (
            "chains that own each other",
            Box::new(|task, _| {
                let mut graph = Graph::default();
                let links = Links { next: 0, fork: None, prev: None, head: 0, word: 8 };
                let chain = Some(Chain { least: 0, links });
                let node = Node { chain, ..Node::region(Place::Heap, (8, 8)) };
                let [a, b] = [(); 2].map(|()| graph.add(node.clone()));
                for (id, owner) in [(a, b), (b, a)] {
                    graph.nodes.get_mut(&id).expect("it was added").owner = Some(owner);
                }
                graphs_everywhere(task, Some(graph))
            }),
        ),
        ("no rounds", Box::new(|_, _| Conclusion::Safe(Certificate::Unrolled { rounds: 0 }))),
        ("a few rounds", Box::new(|_, _| Conclusion::Safe(Certificate::Unrolled { rounds: 4 }))),
        ("induction over nothing", Box::new(|_, _| induction(0, Annotation::default()))),
        ("plain induction", Box::new(|_, _| induction(1, Annotation::default()))),
        ("induction over some blocks", Box::new(|_, _| induction(5, Annotation::default()))),
        (
            "induction with facts that do not hold",
            Box::new(|task, _| induction(1, everywhere(task, TermId::FALSE))),
        ),
        ("no tree", Box::new(|_, _| paths(Vec::new()))),
        ("a tree without ways", Box::new(|_, _| paths(vec![BTreeMap::new()]))),
        ("a tree that leads back", Box::new(|_, _| paths(vec![[(0, 0)].into()]))),
        (
            "steps that are not there",
            Box::new(|_, _| paths(vec![[(9999, 1)].into(), BTreeMap::new()])),
        ),
        ("the only run", Box::new(|_, _| Conclusion::Safe(Certificate::OnlyRun))),
        ("nothing to check", Box::new(|_, _| Conclusion::Safe(Certificate::NothingToCheck))),
    ]
}

#[test]
fn no_proof_is_believed_of_a_program_that_fails() {
    let mut refused = 0;
    for (number, (_, broken)) in programs().iter().enumerate() {
        for (name, lie) in invented_proofs() {
            let verdict = told(broken, lie);
            assert!(
                matches!(verdict, Verdict::Unknown(_)),
                "{name}, program {number}: {verdict:?}"
            );
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Proofs of one program, told of all others that fail. Told of their own program they are believed.
#[test]
fn a_proof_of_another_program_is_none() {
    let all = programs();
    let mut refused = 0;
    for (number, (whole, _)) in all.iter().enumerate() {
        let mut proved = 0;
        for engine in ["impact", "predicate", "shape", "bounded"] {
            let lie = |program: &Program| -> Lie {
                let program = program.clone();
                Box::new(move |_, bench| honest(engine, &program, bench))
            };
            if !matches!(told(whole, lie(whole)), Verdict::True { .. }) {
                continue;
            }
            proved += 1;
            for (other, (_, broken)) in all.iter().enumerate() {
                let verdict = told(broken, lie(whole));
                let which = format!("{engine}: {number} for {other}");
                assert!(matches!(verdict, Verdict::Unknown(_)), "{which}: {verdict:?}");
                refused += 1;
            }
        }
        assert!(proved >= 1, "program {number}");
    }
    assert!(refused >= 60, "{refused}");
}

/// That there is one run only can be true of a program without inputs alone.
#[test]
fn the_only_run_has_no_inputs() {
    for (number, (whole, broken)) in programs().iter().enumerate() {
        let only = || -> Lie { Box::new(|_, _| Conclusion::Safe(Certificate::OnlyRun)) };
        let asks = |op: &Op| matches!(op, Op::Nondet { .. });
        let is_alone = !whole.edges.values().any(|edge| asks(&edge.op));
        let believed = matches!(told(whole, only()), Verdict::True { .. });
        assert_eq!(believed, is_alone, "program {number}");
        assert!(matches!(told(broken, only()), Verdict::Unknown(_)), "program {number}");
    }
}

/// Paths to an error, with choices, that nobody found.
fn invented_paths(program: &Program) -> Vec<Counterexample> {
    let edges: Vec<EdgeId> = program.edges.ids().collect();
    let check = CheckId::from_index(0);
    let backwards = edges.iter().rev().copied().collect();
    let value = |edge: EdgeId| match &program.edges[edge].op {
        Op::Nondet { target, .. } => match program.variables[*target].ty {
            Type::Int(ty) => Concrete::int(i128::from(i32::MIN), ty),
            other => Concrete::zero(other),
        },
        _ => Concrete::zero(Type::Pointer),
    };
    let nowhere: EdgeId = Id::from_index(9999);
    let mut found: Vec<Vec<EdgeId>> =
        vec![Vec::new(), edges.clone(), backwards, vec![nowhere], edges[..1].to_vec()];
    let errors = program.edges.iter().filter(|(_, e)| program.locations[e.to].error.is_some());
    found.extend(errors.map(|(edge, _)| vec![edge]));
    let mut all = Vec::new();
    for path in found {
        let choices: Vec<(EdgeId, Concrete)> = path
            .iter()
            .filter(|edge| program.edges.get(**edge).is_some())
            .map(|&edge| (edge, value(edge)))
            .collect();
        let strange = vec![(nowhere, Concrete::zero(Type::Pointer))];
        for choices in [Vec::new(), choices, strange] {
            let path = path.clone();
            all.push(Counterexample { path, choices, check });
        }
        all.push(Counterexample { path, choices: Vec::new(), check: Id::from_index(77) });
    }
    all
}

#[test]
fn no_path_is_believed_in_a_program_that_is_safe() {
    let mut refused = 0;
    for (number, (whole, _)) in programs().iter().enumerate() {
        let explored = Task::new(whole, &Orders::default(), &Progress::default());
        for path in invented_paths(&explored.programs.flattest().mapped.program) {
            let said = format!("program {number}: {path:?}");
            let verdict = told(whole, Box::new(move |_, _| Conclusion::path(path.clone())));
            assert!(matches!(verdict, Verdict::Unknown(_)), "{said}: {verdict:?}");
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Runs that happened, but in another program; and what is said to be violated is what the run violates.
#[test]
fn a_run_is_executed_again() {
    let all = programs();
    for (number, (_, broken)) in all.iter().enumerate() {
        let found = choose::verify(broken, &Options::default(), &Budget::unlimited()).verdict;
        let Verdict::False(mut violation) = found else { panic!("program {number} fails") };
        let check = violation.check;
        violation.check = Id::from_index(77);
        let lie = || -> Lie {
            let violation = violation.clone();
            Box::new(move |_, _| Conclusion::run(violation.clone()))
        };
        assert_eq!(told(broken, lie()).violated(), Some(check), "program {number}");
        for (other, (whole, _)) in all.iter().enumerate() {
            let verdict = told(whole, lie());
            assert!(matches!(verdict, Verdict::Unknown(_)), "{number} for {other}: {verdict:?}");
        }
    }
}

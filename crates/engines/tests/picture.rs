//! What engines show of their search: their graphs, and where they needed predicates.
//!
//! Not every vertex is compared here: how many there are is the engine's affair.

mod common;

use bolide_base::Budget;
use bolide_cfa::render::diagram::{Arrow, ArrowKind, Diagram, VertexKind};
use bolide_engines::choose::{self, Options, Report};
use common::{IDENTITY, LOCK};

fn run(text: &str, engine: &str, pictures: bool) -> Report {
    let program = bolide_cfa::text::parse(text).expect("the test's program parses");
    let mut options = Options { engine: choose::engine(engine), ..Options::default() };
    options.orders.pictures = pictures;
    // What is guessed would leave nothing to refine.
    options.orders.guess = false;
    options.orders.trace.pictures = pictures;
    choose::verify(&program, &options, &Budget::unlimited())
}

/// The drawings by name; each can be drawn.
fn drawings(text: &str, engine: &str) -> Vec<Diagram> {
    let report = run(text, engine, true);
    let picture = report.runs[0].statistics.picture.clone();
    for diagram in &picture.diagrams {
        let svg = diagram.svg();
        let last = diagram.vertices.len() - 1;
        assert!(svg.starts_with("<svg") && svg.contains(&format!("id=\"L{last}\"")), "{svg}");
    }
    picture.diagrams
}

fn named<'d>(all: &'d [Diagram], name: &str) -> &'d Diagram {
    let names: Vec<&str> = all.iter().map(|d| d.name.as_str()).collect();
    all.iter().find(|d| d.name == name).unwrap_or_else(|| panic!("{name} among {names:?}"))
}

fn arrows(diagram: &Diagram, kind: ArrowKind) -> Vec<&Arrow> {
    diagram.arrows.iter().filter(|a| a.kind == kind).collect()
}

fn says(diagram: &Diagram, title: &str, words: &str) -> bool {
    let mut there = diagram.vertices.iter().filter(|v| v.lines[0] == title);
    there.any(|v| v.lines[1..].iter().any(|l| l.contains(words)))
}

#[test]
fn nothing_is_drawn_unless_asked_for() {
    for engine in ["impact", "predicate", "trace", "clp"] {
        let report = run(LOCK, engine, false);
        let picture = &report.runs[0].statistics.picture;
        assert!(picture.diagrams.is_empty() && picture.predicates.is_empty());
    }
}

#[test]
fn an_unwinding_shows_its_covers() {
    let all = drawings(LOCK, "impact");
    let unwinding = named(&all, "unwinding");
    let covers = arrows(unwinding, ArrowKind::Cover);
    assert!(!covers.is_empty());
    for cover in covers {
        assert_eq!(unwinding.vertices[cover.from].kind, VertexKind::Covered);
        // Only a vertex of the same location covers.
        assert_eq!(unwinding.vertices[cover.from].lines[0], unwinding.vertices[cover.to].lines[0]);
    }
    assert!(says(named(&all, "proof"), "main L2", "main::lock = 0"));
}

#[test]
fn an_abstract_reachability_graph_shows_calls_and_returns() {
    let all = drawings(IDENTITY, "predicate");
    let graph = named(&all, "abstract reachability graph");
    let titles: Vec<&str> = graph.vertices.iter().map(|v| v.lines[0].as_str()).collect();
    let calls = arrows(graph, ArrowKind::Call);
    assert!(calls.iter().any(|a| (titles[a.from], titles[a.to]) == ("main L6", "id L0")));
    let returns = graph.arrows.iter().filter(|a| a.label == "after id");
    assert!(returns.clone().count() > 1);
    assert!(says(graph, "main L7", "main::b"));
    assert!(says(named(&all, "contract of id"), "id L3", "id::r"));
}

#[test]
fn automata_show_predicates_and_statements() {
    let all = drawings(LOCK, "trace");
    let automaton = named(&all, "automaton A1");
    assert!(automaton.vertices.iter().any(|v| v.lines[1].contains("main::lock = 0")));
    let to_false = |a: &&Arrow| automaton.vertices[a.to].lines[1] == "false";
    let excluded: Vec<&Arrow> = automaton.arrows.iter().filter(to_false).collect();
    assert!(excluded.iter().any(|a| a.label.contains("assume main::lock != 0")), "{excluded:?}");
}

#[test]
fn clauses_show_their_solution() {
    let all = drawings(LOCK, "clp");
    assert!(says(named(&all, "proof"), "main L2", "main::lock = 0"));
}

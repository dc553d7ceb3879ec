//! Tests of the drawings.

use super::layout::{Link, Vertex, layout};
use super::*;
use bolide_testing::Dice;
use expect_test::expect;

const LOOP: &str = r#"
program LP64
entry main
global g : i32
check C0 unreach-call "reach_error is called"
function main() -> result : i32
  local i : i32
  entry L0 exit L5
  L0 -> L1 : i := 0:i32
  L1 -> L2 : assume i < 10:i32
  L2 -> L1 : i := i + 1:i32
  L1 -> L3 : assume 10:i32 <= i
  L3 -> L4 : assume i != 10:i32
  L3 -> L5 : assume i == 10:i32
  L4: error C0
"#;

fn program() -> Program {
    text::parse(LOOP).unwrap()
}

#[test]
fn graphviz() {
    expect![[r#"
        digraph program {
          node [shape=box, style=rounded, fontname="monospace"];
          edge [fontname="monospace"];
          subgraph cluster_0 {
            label="main";
            n0 [label="L0", peripheries=2];
            n1 [label="L1", color=blue];
            n2 [label="L2"];
            n3 [label="L3"];
            n4 [label="L4 unreach-call", color=red, fontcolor=red];
            n5 [label="L5", peripheries=2];
          }
          n0 -> n1 [label="i := 0:i32"];
          n1 -> n2 [label="assume i < 10:i32"];
          n2 -> n1 [label="i := i + 1:i32"];
          n1 -> n3 [label="assume 10:i32 <= i"];
          n3 -> n4 [label="assume i != 10:i32"];
          n3 -> n5 [label="assume i == 10:i32"];
        }
    "#]]
    .assert_eq(&dot(&program()));
}

#[test]
fn data() {
    let text = json(&program());
    // Well-formed: brackets and quotes pair up, no comma is missing or doubled.
    let mut depth = Vec::new();
    let mut inside = false;
    let mut previous = ' ';
    for c in text.trim().chars() {
        match c {
            '"' if previous != '\\' => inside = !inside,
            '{' | '[' if !inside => {
                assert!(matches!(previous, ' ' | ',' | ':' | '[' | '{'), "{previous}{c}");
                depth.push(c);
            }
            '}' | ']' if !inside => {
                assert!(previous != ',' && previous != ':');
                let open = depth.pop();
                assert_eq!(open, Some(if c == '}' { '{' } else { '[' }));
            }
            ',' if !inside => assert!(!matches!(previous, ',' | ':' | '[' | '{')),
            _ => {}
        }
        previous = c;
    }
    assert!(depth.is_empty() && !inside);
    expect![[r#"
        {"target":"LP64","entry":"main","functions":[{"id":0,"name":"main","variadic":false,"parameters":[],"result":{"id":1,"name":"result","type":"i32"},"locals":[{"id":2,"name":"i","type":"i32"}],"entry":0,"exit":5,"locations":[{"id":0},
        {"id":1},
        {"id":2},
        {"id":3},
        {"id":4,"error":0},
        {"id":5}],"edges":[{"id":0,"from":0,"to":1,"kind":"assign","operation":"i := 0:i32","role":"implicit"},
        {"id":1,"from":1,"to":2,"kind":"assume","operation":"assume i < 10:i32","role":"implicit"},
        {"id":2,"from":2,"to":1,"kind":"assign","operation":"i := i + 1:i32","role":"implicit"},
        {"id":3,"from":1,"to":3,"kind":"assume","operation":"assume 10:i32 <= i","role":"implicit"},
        {"id":4,"from":3,"to":4,"kind":"assume","operation":"assume i != 10:i32","role":"implicit"},
        {"id":5,"from":3,"to":5,"kind":"assume","operation":"assume i == 10:i32","role":"implicit"}]}],"globals":[{"id":0,"name":"g","type":"i32"}],"objects":[],"regions":[{"id":0,"name":"memory"}],"checks":[{"id":0,"property":"unreach-call","description":"reach_error is called"}]}
    "#]].assert_eq(&text.replace(",{", ",\n{"));
}

#[test]
fn drawing_has_every_location_and_edge() {
    let program = program();
    let text = svg(&program);
    for loc in program.locations.ids() {
        assert!(text.contains(&format!("id=\"L{}\"", loc.index())), "{text}");
    }
    assert_eq!(text.matches("<path id=\"E").count(), program.edges.len());
    assert_eq!(text.matches("class=\"edge back\"").count(), 1);
    assert!(text.contains("i := i + 1:i32") && text.contains("class=\"loc error\""));
    assert_eq!(text.matches("<g").count(), text.matches("</g>").count());
    assert!(!text.contains("NaN") && !text.contains("inf"));
}

/// Boxes and labels of random graphs do not overlap, and links that go
/// forward go down.
#[test]
fn layouts_do_not_overlap() {
    let mut dice = Dice::new(5);
    for _ in 0..100 {
        let n = 2 + dice.roll(14);
        let vertices: Vec<Vertex> =
            (0..n).map(|_| Vertex { width: 20.0 + dice.roll(80) as f64, height: 24.0 }).collect();
        let links: Vec<Link> = (0..2 * n)
            .map(|_| {
                let (from, to) = (dice.roll(n), dice.roll(n));
                let label = Vertex { width: 30.0 + dice.roll(90) as f64, height: 18.0 };
                Link { from, to, label: Some(label) }
            })
            .collect();
        let result = layout(&vertices, &links);
        let mut boxes: Vec<(f64, f64, f64, f64)> = Vec::new();
        for (v, &(x, y)) in result.vertices.iter().enumerate() {
            boxes.push((x, y, vertices[v].width, vertices[v].height));
        }
        for (link, label) in links.iter().zip(&result.labels) {
            if let (Some((x, y)), Some(size)) = (label, link.label) {
                boxes.push((*x, *y, size.width, size.height));
            }
        }
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[..i] {
                let apart = (a.0 - b.0).abs() >= (a.2 + b.2) / 2.0 - 0.01
                    || (a.1 - b.1).abs() >= (a.3 + b.3) / 2.0 - 0.01;
                assert!(apart, "{a:?} {b:?}");
            }
        }
        for (link, route) in links.iter().zip(&result.routes) {
            if link.from != link.to {
                let down = route.windows(2).all(|w| w[0].1 <= w[1].1 + 0.01);
                let up = route.windows(2).all(|w| w[0].1 >= w[1].1 - 0.01);
                assert!(if link.is_back() { up } else { down }, "{route:?}");
            }
        }
    }
}

#[test]
fn diagrams_have_boxes_arrows_and_covers() {
    use super::diagram::{ArrowKind, Diagram, VertexKind};
    let mut diagram = Diagram { name: "unwinding".into(), ..Diagram::default() };
    let root = diagram.add(VertexKind::Marked, vec!["L0".into()]);
    let head = diagram.add(VertexKind::Head, vec!["L1".into(), "x <= 10 & y".into()]);
    let covered = diagram.add(VertexKind::Covered, vec!["L1".into()]);
    diagram.connect(root, head, ArrowKind::Step, "x := 0".into());
    diagram.connect(head, covered, ArrowKind::Step, String::new());
    diagram.connect(covered, head, ArrowKind::Cover, String::new());
    diagram.connect(head, head, ArrowKind::Step, "skip".into());
    let svg = diagram.svg();
    for part in [
        "id=\"L2\"",
        "id=\"E3\"",
        "class=\"edge cover\"",
        "class=\"loc head\"",
        ">x &lt;= 10 &amp; y</text>",
    ] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
    // Boxes do not overlap: each has a layer of its own here.
    let tops: Vec<f64> = svg
        .split("<rect class=\"loc")
        .skip(1)
        .map(|r| r.split(" y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
        .collect();
    assert!(tops[0] + 24.0 <= tops[1] && tops[1] + 40.0 <= tops[2], "{tops:?}");
    assert_eq!(svg, diagram.svg());
}

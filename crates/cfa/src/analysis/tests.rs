//! Tests of the graph analyses, most against brute force on generated graphs.

use super::*;
use crate::expr::{BinaryOp, Expr};
use crate::program::*;
use crate::types::{Target, Type};
use bolide_base::Span;
use bolide_base::arena::Id;
use bolide_testing::Dice;
use expect_test::expect;

fn function(program: &mut Program, name: &str) -> FunctionId {
    program.functions.push(Function::named(name))
}

fn variable(program: &mut Program, name: &str, function: Option<FunctionId>) -> VarId {
    program.variables.push(Variable {
        name: name.into(),
        ty: Type::signed(32),
        function,
        kind: if function.is_some() { VariableKind::Local } else { VariableKind::Global },
        initial: None,
        span: Span::NONE,
        scope: Span::NONE,
    })
}

/// One function with `n` locations; location 0 is the entry, the last the exit.
fn graph(n: usize, edges: &[(usize, usize)]) -> Program {
    let mut program = Program::new(Target::LP64);
    let f = function(&mut program, "f");
    for _ in 0..n {
        program.add_location(f);
    }
    let loc = LocId::from_index;
    program.functions[f].body = Some(Body { entry: loc(0), exit: loc(n - 1) });
    for &(a, b) in edges {
        program.add_edge(loc(a), loc(b), Op::Skip, Origin::default());
    }
    program
}

fn random_graph(dice: &mut Dice) -> (usize, Vec<(usize, usize)>) {
    let n = 2 + dice.roll(9);
    let m = dice.roll(2 * n + 1);
    let edges = (0..m).map(|_| (dice.roll(n - 1), dice.roll(n))).collect();
    (n, edges)
}

fn reach(n: usize, edges: &[(usize, usize)], from: usize, without: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; n];
    let mut pending = vec![from];
    while let Some(v) = pending.pop() {
        if Some(v) != without && !std::mem::replace(&mut seen[v], true) {
            pending.extend(edges.iter().filter(|e| e.0 == v).map(|e| e.1));
        }
    }
    seen
}

#[test]
fn dominators_equal_their_definition() {
    let mut dice = Dice::new(7);
    for _ in 0..2000 {
        let (n, edges) = random_graph(&mut dice);
        let mut successors = vec![Vec::new(); n];
        edges.iter().for_each(|&(from, to)| successors[from].push(to));
        let dominators = DominatorTree::new(&successors, 0);
        let reached = reach(n, &edges, 0, None);
        for a in (0..n).filter(|&a| reached[a]) {
            let around = reach(n, &edges, 0, Some(a));
            for b in (0..n).filter(|&b| reached[b]) {
                let expected = !around[b];
                let ((first, last), (at, _)) = (dominators.interval[a], dominators.interval[b]);
                let found = first <= at && at <= last;
                assert_eq!(found, expected, "{a} dom {b} in {n} {edges:?}");
            }
        }
    }
}

#[test]
fn loops_cut_every_cycle_and_contain_their_paths() {
    let mut dice = Dice::new(11);
    for _ in 0..2000 {
        let (n, edges) = random_graph(&mut dice);
        let program = graph(n, &edges);
        let flow = Flow::new(&program);
        let loops = Loops::new(&program, &flow);
        let reached = reach(n, &edges, 0, None);
        let head = |v: usize| loops.is_head(LocId::from_index(v));
        for v in (0..n).filter(|&v| reached[v]) {
            let rest: Vec<_> = edges.iter().copied().filter(|e| !head(e.1)).collect();
            let again = edges
                .iter()
                .filter(|e| e.0 == v && !head(e.1))
                .any(|e| reach(n, &rest, e.1, None)[v]);
            assert!(head(v) || !again, "uncut cycle through {v} in {n} {edges:?}");
            let on_cycle =
                edges.iter().filter(|e| e.0 == v).any(|e| reach(n, &edges, e.1, None)[v]);
            assert_eq!(on_cycle, loops.depth(LocId::from_index(v)) > 0, "{v} in {n} {edges:?}");
        }
    }
}

#[test]
fn nested_and_irreducible_loops() {
    // 1 and 2 nest; 5 and 6 are entered both ways from 4.
    let edges =
        [(0, 1), (1, 2), (2, 3), (3, 2), (3, 1), (1, 4), (4, 5), (4, 6), (5, 6), (6, 5), (6, 7)];
    let program = graph(8, &edges);
    let flow = Flow::new(&program);
    let loops = Loops::new(&program, &flow);
    let mut out = String::new();
    for (_, l) in loops.iter() {
        let parent = l.parent.map(|p| loops.get(p).head.index());
        out += &format!(
            "{} in {:?}{}\n",
            l.head.index(),
            parent,
            if l.irreducible { " irreducible" } else { "" }
        );
    }
    expect![[r#"
        1 in None
        2 in Some(1)
        5 in None irreducible
    "#]]
    .assert_eq(&out);
}

fn blocks_text(program: &Program, options: BlockOptions) -> String {
    let flow = Flow::new(program);
    let loops = Loops::new(program, &flow);
    let blocks = Blocks::new(program, &flow, &loops, options);
    let mut out = String::new();
    for (_, block) in blocks.iter() {
        let edges: Vec<_> = block.edges.iter().map(|e| e.index()).collect();
        out += &format!("{}: {edges:?}", block.head.index());
        let ends: Vec<_> = block.ends.iter().map(|end| end.index()).collect();
        out += &format!(" -> {ends:?}\n");
    }
    out
}

#[test]
fn blocks_run_between_cut_points() {
    // A diamond, then a loop with a diamond in it; location 9 is a dead end.
    let edges = [
        (0, 1),
        (0, 2),
        (1, 3),
        (2, 3),
        (3, 4),
        (4, 5),
        (4, 6),
        (5, 7),
        (6, 7),
        (7, 4),
        (4, 8),
        (1, 9),
        (8, 10),
    ];
    let program = graph(11, &edges);
    expect![[r#"
        0: [0, 1, 3, 2, 4] -> [4]
        4: [5, 6, 10, 12, 8, 7, 9] -> [4, 10]
    "#]]
    .assert_eq(&blocks_text(&program, BlockOptions::default()));
    let single = blocks_text(&program, BlockOptions { single: true, calls: false });
    assert_eq!(single.lines().count(), 9);
}

#[test]
fn blocks_stay_linear_when_tails_are_shared() {
    // Many loops that all jump into one long common tail.
    let (loops, tail) = (400, 400);
    let mut edges = vec![];
    for i in 0..loops {
        edges.extend([(i, i + 1), (i, i), (i, loops + 1)]);
    }
    for i in loops + 1..loops + tail {
        edges.push((i, i + 1));
    }
    let program = graph(loops + tail + 1, &edges);
    let flow = Flow::new(&program);
    let nesting = Loops::new(&program, &flow);
    let blocks = Blocks::new(&program, &flow, &nesting, BlockOptions::default());
    let total: usize = blocks.iter().map(|(_, b)| b.edges.len()).sum();
    assert!(total < 3 * program.edges.len(), "{total}");
}

/// `n` locations and random assignments `vi = vj + vk` on random edges.
fn random_code(dice: &mut Dice) -> Program {
    let (n, edges) = random_graph(dice);
    let mut program = graph(n, &edges);
    let f = program.entry;
    let vars: Vec<_> = (0..4).map(|i| variable(&mut program, &format!("v{i}"), Some(f))).collect();
    program.functions[f].result = Some(vars[0]);
    for e in program.edges.ids() {
        if dice.roll(3) == 0 {
            continue;
        }
        let a = program.read(vars[dice.roll(4)]);
        let b = program.read(vars[dice.roll(4)]);
        let value = program.expr(Expr::Binary(BinaryOp::Add, a, b));
        program.edges[e].op = Op::Assign { target: vars[dice.roll(4)], value };
    }
    program
}

#[test]
fn liveness_equals_its_definition() {
    let mut dice = Dice::new(3);
    for round in 0..1000 {
        let program = random_code(&mut dice);
        let flow = Flow::new(&program);
        let calls = CallGraph::new(&program);
        let effects = ModRef::new(&program, &calls);
        let liveness = Liveness::new(&program, &flow, &calls, &effects);
        let exit = program.functions[program.entry].body.unwrap().exit;
        let mut walker = uses::Walker::new();
        for &loc in flow.order(program.entry) {
            for var in program.variables.ids() {
                // By definition: some path reads the variable before writing it.
                let mut seen = vec![false; program.locations.len()];
                let (mut pending, mut expected) = (vec![loc], false);
                while let Some(at) = pending.pop() {
                    if std::mem::replace(&mut seen[at.index()], true) {
                        continue;
                    }
                    expected |= at == exit && program.functions[program.entry].result == Some(var);
                    for &e in &program.locations[at].outgoing {
                        let op = &program.edges[e].op;
                        expected |= uses::variables_read(&program, &mut walker, op).contains(&var);
                        if op.target() != Some(var) {
                            pending.push(program.edges[e].to);
                        }
                    }
                }
                assert_eq!(liveness.is_live(&program, loc, var), expected, "round {round}");
                let listed = liveness.live_at(&program, loc).contains(&var);
                assert_eq!(listed, expected, "round {round}");
            }
        }
    }
}

#[test]
fn call_graph_knows_recursion_and_order() {
    let mut program = Program::new(Target::LP64);
    let fs: Vec<_> =
        ["main", "even", "odd", "leaf", "unused"].map(|name| function(&mut program, name)).into();
    for &f in &fs {
        let (entry, exit) = (program.add_location(f), program.add_location(f));
        program.functions[f].body = Some(Body { entry, exit });
    }
    for (a, b) in [(0, 1), (1, 2), (2, 1), (1, 3), (4, 3)] {
        let body = program.functions[fs[a]].body.unwrap();
        let op = Op::Call { function: fs[b], arguments: vec![], result: None };
        program.add_edge(body.entry, body.exit, op, Origin::default());
    }
    let g = variable(&mut program, "g", None);
    let zero = program.exprs.int(0, crate::types::IntType::signed(32));
    let body = program.functions[fs[3]].body.unwrap();
    program.add_edge(
        body.entry,
        body.exit,
        Op::Assign { target: g, value: zero },
        Origin::default(),
    );
    let calls = CallGraph::new(&program);
    let effects = ModRef::new(&program, &calls);
    let mut out = String::new();
    for component in calls.bottom_up() {
        for &f in component {
            out += &format!(
                "{}{}{}{} ",
                program.functions[f].name,
                if calls.is_recursive(f) { " recursive" } else { "" },
                if calls.is_reachable(f) { "" } else { " unreachable" },
                if effects.writes(f, g) { " writes g" } else { "" },
            );
        }
        out += "\n";
    }
    expect![[r#"
        leaf writes g 
        even recursive writes g odd recursive writes g 
        main writes g 
        unused unreachable writes g 
    "#]]
    .assert_eq(&out);
}

/// A global that a function and its callees do not touch is live in all of it where it is live after
/// one of its calls, also calls of calls; nowhere else.
#[test]
fn globals_pass_through_functions_that_do_not_touch_them() {
    let mut program = Program::new(Target::LP64);
    let [main, outer, inner, other] =
        ["main", "outer", "inner", "other"].map(|name| function(&mut program, name));
    let [late, written, never] =
        ["late", "written", "never"].map(|name| variable(&mut program, name, None));
    let copy = variable(&mut program, "copy", Some(main));
    let mut add = |f: FunctionId, ops: Vec<Op>| {
        let locations: Vec<LocId> = (0..=ops.len()).map(|_| program.add_location(f)).collect();
        program.functions[f].body = Some(Body { entry: locations[0], exit: locations[ops.len()] });
        for (position, op) in ops.into_iter().enumerate() {
            let (from, to) = (locations[position], locations[position + 1]);
            program.add_edge(from, to, op, Origin::default());
        }
    };
    let call = |function| Op::Call { function, arguments: Vec::new(), result: None };
    let any = |target| Op::Nondet { target, source: NondetSource::Uninitialized };
    add(inner, vec![Op::Skip]);
    add(outer, vec![call(inner), any(written), Op::Skip]);
    add(other, vec![Op::Skip]);
    add(main, vec![call(outer), Op::Skip, Op::Skip, Op::Skip, call(other)]);
    // After the call of `outer`: reads of `late` and `written`.
    let reads = [late, written].map(|var| program.read(var));
    let entry = program.functions[main].body.unwrap().entry;
    let mut at = program.edges[program.locations[entry].outgoing[0]].to;
    for value in reads {
        let edge = program.locations[at].outgoing[0];
        program.edges[edge].op = Op::Assign { target: copy, value };
        at = program.edges[edge].to;
    }
    let liveness = Liveness::of(&program);
    let told = [main, outer, inner, other].map(|f| {
        let entry = program.functions[f].body.unwrap().entry;
        let listed = liveness.live_at(&program, entry);
        let live = [late, written, never].map(|var| {
            assert_eq!(listed.contains(&var), liveness.is_live(&program, entry, var));
            u8::from(listed.contains(&var))
        });
        (program.functions[f].name.clone(), live)
    });
    let told: Vec<String> = told.iter().map(|(name, live)| format!("{name} {live:?}")).collect();
    // A call does not count as a write, as the function called need not come to it.
    assert_eq!(told, ["main [1, 1, 0]", "outer [1, 0, 0]", "inner [1, 0, 0]", "other [0, 0, 0]"]);
}

/// A hundred thousand edges in one function: everything stays near linear.
#[test]
fn a_long_function_is_no_problem() {
    let n = 50_000;
    let mut edges = vec![];
    for i in 0..n - 2 {
        edges.push((i, i + 1));
        edges.push((i, n - 2));
        if i % 100 == 99 {
            edges.push((i, i - 99));
        }
    }
    let mut program = graph(n, &edges);
    let f = program.entry;
    let vars: Vec<_> =
        (0..500).map(|i| variable(&mut program, &format!("v{i}"), Some(f))).collect();
    let one = program.exprs.int(1, crate::types::IntType::signed(32));
    for (position, e) in program.edges.ids().enumerate() {
        let read = program.read(vars[position % 500]);
        let value = program.expr(Expr::Binary(BinaryOp::Add, read, one));
        program.edges[e].op = Op::Assign { target: vars[(position * 7) % 500], value };
    }
    let flow = Flow::new(&program);
    let loops = Loops::new(&program, &flow);
    Blocks::new(&program, &flow, &loops, BlockOptions::default());
    let calls = CallGraph::new(&program);
    let effects = ModRef::new(&program, &calls);
    let liveness = Liveness::new(&program, &flow, &calls, &effects);
    let mut edges_seen = 0;
    liveness.sweep(&program, &flow, f, |_, _| edges_seen += 1);
    assert_eq!(edges_seen, program.edges.len());
}

/// Blocks that would repeat a long shared tail are cut again; none may lose an
/// edge by that.
#[test]
fn blocks_with_a_shared_tail_lose_no_edges() {
    let (heads, tail) = (12, 1500);
    let n = heads + tail + 1;
    let mut edges = Vec::new();
    for h in 0..heads {
        edges.push((h, h + 1));
        edges.push((h, heads));
        if h > 0 {
            edges.push((h, h));
        }
    }
    for t in heads..n - 1 {
        edges.push((t, t + 1));
    }
    let program = graph(n, &edges);
    let flow = Flow::new(&program);
    let loops = Loops::new(&program, &flow);
    let blocks = Blocks::new(&program, &flow, &loops, BlockOptions::default());
    let mut covered: Vec<EdgeId> =
        blocks.iter().flat_map(|(_, b)| b.edges.iter().copied()).collect();
    covered.sort_unstable();
    covered.dedup();
    assert_eq!(covered.len(), program.edges.len());
    for (_, block) in blocks.iter() {
        for &edge in program.locations[block.head].outgoing.iter() {
            assert!(block.edges.contains(&edge), "{:?} loses {edge:?}", block.head);
        }
    }
}

/// A tail that leads to no cut point is in no block, however many share it: the audit, which looks for lost
/// edges by itself, would miss the edges to a cut point there.
#[test]
fn shared_tails_that_lead_nowhere_are_not_cut() {
    let (heads, tail) = (12, 1500);
    let exit = heads + tail + 2;
    let (nowhere, last) = (heads + tail, heads + tail + 1);
    let mut edges = vec![(nowhere, last), (heads + tail - 1, exit)];
    for h in 0..heads {
        edges.extend([(h, h + 1), (h, heads), (h, nowhere)]);
        if h > 0 {
            edges.push((h, h));
        }
    }
    edges.extend((heads..heads + tail - 1).map(|t| (t, t + 1)));
    let program = graph(exit + 1, &edges);
    let flow = Flow::new(&program);
    let loops = Loops::new(&program, &flow);
    let blocks = Blocks::new(&program, &flow, &loops, BlockOptions::default());
    let cut: Vec<usize> =
        program.locations.ids().filter(|&l| blocks.is_cut(l)).map(|l| l.index()).collect();
    let expected: Vec<usize> = (0..=heads).chain([exit]).collect();
    assert_eq!(cut, expected);
}

/// Which of the loops surely end, by their heads.
fn counted(body: &str) -> String {
    let text = format!(
        "program LP64\nentry main\nglobal g : i32\nfunction f()\n  entry L0 exit L0\n\
         function main()\n  local i : i32\n  local n : i32\n  local c : u8\n{body}"
    );
    let program = crate::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let flow = Flow::new(&program);
    let loops = Loops::new(&program, &flow);
    let ends = |id| counted::surely_ends(&program, &flow, &loops, id);
    let found: Vec<String> =
        loops.iter().map(|(id, l)| format!("{}: {}", l.head.index(), ends(id))).collect();
    found.join(", ")
}

#[test]
fn loops_that_count_to_a_bound_end() {
    let one = |guard: &str, other: &str, step: &str| {
        counted(&format!(
            "  entry L1 exit L4\n  L1 -> L2 : i := 0:i32\n  L2 -> L3 : assume {guard}\n  \
             L3 -> L2 : {step}\n  L2 -> L4 : assume {other}\n"
        ))
    };
    let (below, reached) = ("i < 10:i32", "10:i32 <= i");
    assert_eq!(one(below, reached, "i := i + 1:i32"), "2: true");
    assert_eq!(one(below, reached, "i := i + 3:i32"), "2: true");
    assert_eq!(one("u32(i) < 56:u32", "56:u32 <= u32(i)", "i := i + 1:i32"), "2: true");
    assert_eq!(one("i < n", "n <= i", "i := i + 1:i32"), "2: true");
    // The bound moves away, or is jumped over, or is never reached.
    assert_eq!(one("i < n", "n <= i", "i := i + 2:i32"), "2: false");
    assert_eq!(one("i <= n", "n < i", "i := i + 1:i32"), "2: false");
    assert_eq!(one("i < n", "n <= i", "n := n + 1:i32"), "2: false");
    assert_eq!(one(below, reached, "i := i - 1:i32"), "2: false");
    assert_eq!(one(below, reached, "i := i + 0:i32"), "2: false");
    assert_eq!(one("i32(c) < 256:i32", "256:i32 <= i32(c)", "c := c + 1:u8"), "2: false");
    assert_eq!(one("i32(c) < 255:i32", "255:i32 <= i32(c)", "c := c + 1:u8"), "2: true");
    assert_eq!(one("i != 10:i32", "i == 10:i32", "i := i + 1:i32"), "2: false");
}

#[test]
fn every_way_around_counts() {
    let twice = |second: &str| {
        counted(&format!(
            "  entry L1 exit L6\n  L1 -> L2 : i := 0:i32\n  L2 -> L3 : assume i < 9:i32\n  \
             L2 -> L6 : assume 9:i32 <= i\n  L3 -> L4 : assume n == 0:i32\n  \
             L3 -> L5 : assume n != 0:i32\n  L4 -> L2 : i := i + 1:i32\n  L5 -> L2 : {second}\n"
        ))
    };
    assert_eq!(twice("i := i + 2:i32"), "2: true");
    assert_eq!(twice("skip"), "2: false");
    assert_eq!(twice("i := nondet input \"x\""), "2: false");
    // What is called can change global variables only.
    let called = |counter: &str| {
        counted(&format!(
            "  entry L1 exit L5\n  L1 -> L2 : skip\n  L2 -> L3 : assume {counter} < 9:i32\n  \
             L2 -> L5 : assume 9:i32 <= {counter}\n  L3 -> L4 : call f()\n  \
             L4 -> L2 : {counter} := {counter} + 1:i32\n"
        ))
    };
    assert_eq!(called("i"), "2: true");
    assert_eq!(called("g"), "2: false");
}

//! The report as text.

use super::*;
use crate::account::{Change, Measure, Note, SourceFile};

fn account() -> Account {
    let text = "/* a\n<b> */ int x;\nif (x) y();\n".to_owned();
    Account {
        program: "<p>.c".into(),
        properties: vec!["unreach-call".into()],
        finding: Finding::Violated {
            property: "unreach-call".into(),
            message: "`y` & \"z\"".into(),
            place: Some(Place { file: 0, line: 3, column: 8 }),
            inputs: vec![("f".into(), "-3".into())],
        },
        engine: "executing the program".into(),
        files: vec![SourceFile {
            name: "<p>.c".into(),
            colours: vec![(0..11, 'c'), (12..15, 't'), (19..21, 'k')],
            text,
        }],
        steps: vec![Step {
            place: Place { file: 0, line: 3, column: 1 },
            function: "main".into(),
            depth: 0,
            words: vec!["the condition holds".into()],
            changes: vec![Change { depth: Some(0), name: "x".into(), value: "1".into() }],
            edges: vec![4, 5],
            heap: None,
        }],
        notes: vec![Note {
            place: Place { file: 0, line: 2, column: 1 },
            kind: "invariant",
            text: "x < 3".into(),
        }],
        assumptions: vec!["`f` has no body".into()],
        heat: (String::new(), Vec::new()),
        measures: vec![(
            "solver".into(),
            vec![Measure { name: "models".into(), value: 12345.0, unit: "" }],
        )],
        graphs: Vec::new(),
        not_drawn: Vec::new(),
        version: "0".into(),
    }
}

#[test]
fn what_comes_from_outside_is_escaped() {
    let page = report(&account());
    let body = &page[page.find("<body>").unwrap()..page.find("<script>").unwrap()];
    assert!(!body.contains("<p>.c") && !body.contains("<b> */"), "{body}");
    assert!(body.contains("&lt;p&gt;.c"));
    assert!(body.contains("`y` &amp; &quot;z&quot;"));
}

#[test]
fn lines_have_numbers_colours_notes_and_marks() {
    let page = report(&account());
    for words in [
        "<span class=\"c\">/* a</span>",
        "<span class=\"c\">&lt;b&gt; */</span> <span class=\"t\">int</span> x;",
        "<div class=\"note\">invariant: <code>x &lt; 3</code></div><span class=\"l\" id=\"f0L2\">",
        "<span class=\"l bad\" id=\"f0L3\"><a href=\"#f0L3\">3</a><span class=\"k\">if</span> (x) y();",
        "data-n=\"x\" data-v=\"1\">x = 1</span>",
        "12,345",
    ] {
        assert!(page.contains(words), "{words} is not in\n{page}");
    }
    assert!(!page.contains("f0L4"), "no line behind the end");
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let page = report(&account());
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!elsewhere.contains("http:") && !elsewhere.contains("https:"));
}

#[test]
fn no_heading_is_without_content() {
    let mut account = account();
    account.steps.clear();
    account.notes.clear();
    account.assumptions.clear();
    let page = report(&account);
    for heading in ["What holds where", "Trace", "Values after", "Heap after", "Graphs", "rests on"]
    {
        assert!(!page.contains(&format!("{heading}</h")), "{heading}");
        assert!(!page.contains(&format!(">{heading}</a>")), "{heading}");
    }
    assert!(!page.contains("<aside>"));
}

#[test]
fn long_invariants_are_folded() {
    let mut account = account();
    account.steps.clear();
    let part = "(a[k] == 0 && b[k] == 1 || k >= n)";
    account.notes[0].text = [part; 4].join(" && ");
    let page = report(&account);
    assert!(page.contains("invariant: 4 parts</summary>"), "{page}");
    assert_eq!(
        page.matches("<li><code>(a[k] == 0 &amp;&amp; b[k] == 1 || k &gt;= n)</code>").count(),
        8
    );
}

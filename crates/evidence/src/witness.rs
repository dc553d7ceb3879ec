//! Verification witnesses in the YAML format 2.0 of the field: what they say, and their text.
//!
//! The writer is small enough to write its YAML directly: every scalar that
//! comes from outside is a double-quoted string.

use std::fmt::Write;

/// What a witness says about its origin.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// A UUID.
    pub uuid: String,
    /// ISO 8601 with zone.
    pub creation_time: String,
    /// Version of the producer.
    pub version: String,
    /// Files with their SHA-256 hashes.
    pub input_files: Vec<(String, String)>,
    /// The property's text.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// File name.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The function.
    pub function: String,
}

/// An expression that holds whenever control is at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The place; column 0 when it is not said.
    pub location: Location,
    /// The C expression.
    pub value: String,
    /// At the head of a loop.
    pub at_loop: bool,
}

/// A waypoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The place; column 0 when it is not said.
    pub location: Location,
    /// What happens there.
    pub kind: PointKind,
}

/// What happens at a waypoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// Before the statement the expression holds.
    Assumption(String),
    /// The condition has this truth.
    Branching(bool),
    /// The function is called.
    FunctionEnter,
    /// The call returns; the expression over `\result` holds.
    FunctionReturn(Option<String>),
    /// The violation.
    Target,
}

/// A correctness witness.
pub fn correctness(metadata: &Metadata, invariants: &[Invariant]) -> String {
    let mut text = String::new();
    header(&mut text, "invariant_set", metadata);
    if invariants.is_empty() {
        text += "  content: []\n";
        return text;
    }
    text += "  content:\n";
    for invariant in invariants {
        let kind = if invariant.at_loop { "loop_invariant" } else { "location_invariant" };
        let _ = write!(text, "    - invariant:\n        type: {kind}\n        location:\n");
        location(&mut text, "          ", &invariant.location);
        let _ = writeln!(text, "        value: {}", quoted(&invariant.value));
        text += "        format: c_expression\n";
    }
    text
}

/// A violation witness: waypoints in order, the last is the target.
pub fn violation(metadata: &Metadata, waypoints: &[Point]) -> String {
    let mut text = String::new();
    header(&mut text, "violation_sequence", metadata);
    text += "  content:\n";
    for Point { location: place, kind } in waypoints {
        let (kind, constraint, format) = match kind {
            PointKind::Assumption(value) => ("assumption", Some(value.clone()), "c_expression"),
            PointKind::Branching(taken) => ("branching", Some(taken.to_string()), ""),
            PointKind::FunctionEnter => ("function_enter", None, ""),
            PointKind::FunctionReturn(value) => {
                ("function_return", value.clone(), "ext_c_expression")
            }
            PointKind::Target => ("target", None, ""),
        };
        let _ = write!(
            text,
            "    - segment:\n        - waypoint:\n            type: {kind}\n            \
             action: follow\n            location:\n"
        );
        location(&mut text, "              ", place);
        if let Some(constraint) = constraint {
            let _ = writeln!(text, "            constraint:");
            let _ = writeln!(text, "              value: {}", quoted(&constraint));
            if !format.is_empty() {
                let _ = writeln!(text, "              format: {format}");
            }
        }
    }
    text
}

fn header(text: &mut String, entry_type: &str, metadata: &Metadata) {
    let _ = writeln!(text, "- entry_type: {entry_type}");
    text.push_str("  metadata:\n    format_version: \"2.0\"\n");
    let _ = writeln!(text, "    uuid: {}", quoted(&metadata.uuid));
    let _ = writeln!(text, "    creation_time: {}", quoted(&metadata.creation_time));
    let _ = writeln!(
        text,
        "    producer:\n      name: \"Bolide\"\n      version: {}",
        quoted(&metadata.version)
    );
    text.push_str("    task:\n      input_files:\n");
    for (file, _) in &metadata.input_files {
        let _ = writeln!(text, "        - {}", quoted(file));
    }
    text.push_str("      input_file_hashes:\n");
    for (file, hash) in &metadata.input_files {
        let _ = writeln!(text, "        {}: {}", quoted(file), quoted(hash));
    }
    let _ = writeln!(text, "      specification: {}", quoted(&metadata.specification));
    let _ = writeln!(text, "      data_model: {}", metadata.data_model);
    text.push_str("      language: C\n");
}

fn location(text: &mut String, indent: &str, place: &Location) {
    let _ = writeln!(text, "{indent}file_name: {}", quoted(&place.file));
    let _ = writeln!(text, "{indent}line: {}", place.line);
    let _ = writeln!(text, "{indent}column: {}", place.column);
    let _ = writeln!(text, "{indent}function: {}", quoted(&place.function));
}

/// A double-quoted YAML scalar.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text += "\\\"",
            '\\' => text += "\\\\",
            '\n' => text += "\\n",
            '\t' => text += "\\t",
            c if c.is_control() => {
                let _ = write!(text, "\\x{:02x}", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn metadata() -> Metadata {
        Metadata {
            uuid: "00000000-0000-4000-8000-000000000000".into(),
            creation_time: "2026-01-01T00:00:00Z".into(),
            version: "0.1.0".into(),
            input_files: vec![("a \"b\".c".into(), "00ff".into())],
            specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )".into(),
            data_model: "LP64".into(),
        }
    }

    fn place(line: u32) -> Location {
        Location { file: "a.c".into(), line, column: 3, function: "main".into() }
    }

    #[test]
    fn both_kinds_have_the_fields_of_the_format() {
        let value = "x <= 5".to_owned();
        let invariants = [Invariant { location: place(4), value, at_loop: true }];
        expect![[r#"
            - entry_type: invariant_set
              metadata:
                format_version: "2.0"
                uuid: "00000000-0000-4000-8000-000000000000"
                creation_time: "2026-01-01T00:00:00Z"
                producer:
                  name: "Bolide"
                  version: "0.1.0"
                task:
                  input_files:
                    - "a \"b\".c"
                  input_file_hashes:
                    "a \"b\".c": "00ff"
                  specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"
                  data_model: LP64
                  language: C
              content:
                - invariant:
                    type: loop_invariant
                    location:
                      file_name: "a.c"
                      line: 4
                      column: 3
                      function: "main"
                    value: "x <= 5"
                    format: c_expression
        "#]]
        .assert_eq(&correctness(&metadata(), &invariants));
        let point = |line, kind| Point { location: place(line), kind };
        let path = [point(5, PointKind::Branching(true)), point(6, PointKind::Target)];
        let text = violation(&metadata(), &path);
        let content = &text[text.find("  content").unwrap()..];
        expect![[r#"
            waypoints
              content:
                - segment:
                    - waypoint:
                        type: branching
                        action: follow
                        location:
                          file_name: "a.c"
                          line: 5
                          column: 3
                          function: "main"
                        constraint:
                          value: "true"
                - segment:
                    - waypoint:
                        type: target
                        action: follow
                        location:
                          file_name: "a.c"
                          line: 6
                          column: 3
                          function: "main"
        "#]]
        .assert_eq(&format!("waypoints\n{content}"));
    }
}

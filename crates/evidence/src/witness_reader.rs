//! Reads verification witnesses of the YAML format 2.0.
//!
//! Whatever a file holds, the outcome is a [`Witness`] or words for people:
//! witnesses come from other tools and from damaged disks. Fields that are not
//! needed are not asked for. The older GraphML format is recognised and refused.

use crate::witness::{Invariant, Location, Point, PointKind};
use serde_json::Value;

/// What a witness claims.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// The property's text; empty when it is not said.
    pub specification: String,
    /// `ILP32` or `LP64`; empty when it is not said.
    pub data_model: String,
    /// Hashes of the input files (SHA-256).
    pub hashes: Vec<String>,
    /// Invariants of a correctness witness.
    pub invariants: Vec<Invariant>,
    /// The path of a violation witness; none for a correctness witness.
    pub segments: Option<Vec<Segment>>,
}

/// What happens next on the path, and what must not happen before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Must not be passed before `follow` is.
    pub avoid: Vec<Point>,
    /// What is passed.
    pub follow: Point,
}

/// Reads a witness.
///
/// # Errors
/// Why the text is no witness that can be checked.
pub fn read(text: &str) -> Result<Witness, String> {
    if text.trim_start().starts_with('<') {
        return Err(
            "this looks like a witness in GraphML (format 1.0): only YAML (format 2.0) is \
                    read; most tools write both"
                .into(),
        );
    }
    let yaml: Value = serde_saphyr::from_str(text).map_err(|e| format!("no YAML: {e}"))?;
    let entries = yaml.as_array().ok_or("a witness is a list of entries")?;
    let mut witness = Witness::default();
    let mut known = false;
    for entry in entries {
        let text =
            |pointer: &str| entry.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
        match entry.get("entry_type").and_then(Value::as_str) {
            Some("invariant_set") => {
                known = true;
                witness.invariants.extend(invariants(entry)?);
            }
            Some("violation_sequence") => {
                known = true;
                witness.segments = Some(segments(entry)?);
            }
            Some(other) => return Err(format!("entries of type `{other}` are not supported")),
            None => return Err("an entry has no `entry_type`".into()),
        }
        witness.specification = text("/metadata/task/specification");
        witness.data_model = text("/metadata/task/data_model");
        if let Some(Value::Object(hashes)) = entry.pointer("/metadata/task/input_file_hashes") {
            witness.hashes.extend(hashes.values().filter_map(Value::as_str).map(str::to_owned));
        }
    }
    if !known {
        return Err("there is no entry: an empty witness claims nothing".into());
    }
    Ok(witness)
}

fn content(entry: &Value) -> Result<&[Value], String> {
    match entry.get("content") {
        Some(Value::Array(list)) => Ok(list),
        Some(Value::Null) => Ok(&[]),
        _ => Err("an entry has no list `content`".into()),
    }
}

fn invariants(entry: &Value) -> Result<Vec<Invariant>, String> {
    let mut found = Vec::new();
    for element in content(entry)? {
        let invariant = element.get("invariant").unwrap_or(element);
        let at_loop = match invariant.get("type").and_then(Value::as_str) {
            Some("loop_invariant") => true,
            Some("location_invariant") => false,
            Some(other) => return Err(format!("invariants of type `{other}` are not supported")),
            None => return Err("an invariant has no `type`".into()),
        };
        found.push(Invariant {
            location: location(invariant)?,
            value: expression(invariant)?,
            at_loop,
        });
    }
    Ok(found)
}

/// The field `value` as an expression; YAML may have read a number or a truth.
fn expression(of: &Value) -> Result<String, String> {
    match of.get("value") {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        Some(Value::Bool(truth)) => Ok(u8::from(*truth).to_string()),
        _ => Err("an expression (`value`) is missing".into()),
    }
}

fn location(of: &Value) -> Result<Location, String> {
    let location = of.get("location").ok_or("a `location` is missing")?;
    let number =
        |name: &str| location.get(name).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
    let text = |name: &str| location.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    Ok(Location {
        file: text("file_name"),
        line: number("line").filter(|&n| n > 0).ok_or("a location has no `line`")?,
        column: number("column").unwrap_or(0),
        function: text("function"),
    })
}

fn segments(entry: &Value) -> Result<Vec<Segment>, String> {
    let mut found = Vec::new();
    for element in content(entry)? {
        let list = element
            .get("segment")
            .and_then(Value::as_array)
            .ok_or("a violation sequence is a list of segments")?;
        let mut avoid = Vec::new();
        let mut follow = None;
        for element in list {
            let waypoint = element.get("waypoint").unwrap_or(element);
            let point = point(waypoint)?;
            match waypoint.get("action").and_then(Value::as_str) {
                Some("follow") if follow.is_none() => follow = Some(point),
                Some("follow") => return Err("a segment follows two waypoints".into()),
                Some("avoid") => avoid.push(point),
                Some(other) => return Err(format!("the action `{other}` is not supported")),
                None => return Err("a waypoint has no `action`".into()),
            }
        }
        let follow = follow.ok_or("a segment follows no waypoint")?;
        found.push(Segment { avoid, follow });
    }
    match found.last() {
        Some(Segment { follow: Point { kind: PointKind::Target, .. }, .. }) => Ok(found),
        _ => Err("the last waypoint of a violation sequence must be the target".into()),
    }
}

fn point(waypoint: &Value) -> Result<Point, String> {
    let constraint = waypoint.get("constraint");
    let value = || match constraint {
        Some(constraint) => expression(constraint),
        None => Err("a waypoint has no `constraint`".to_owned()),
    };
    let kind = match waypoint.get("type").and_then(Value::as_str) {
        Some("assumption") => PointKind::Assumption(value()?),
        Some("branching") => match value()?.as_str() {
            "true" | "1" => PointKind::Branching(true),
            "false" | "0" => PointKind::Branching(false),
            other => return Err(format!("a branch is `true` or `false`, not `{other}`")),
        },
        Some("function_enter") => PointKind::FunctionEnter,
        Some("function_return") => {
            PointKind::FunctionReturn(constraint.map(expression).transpose()?)
        }
        Some("target") => PointKind::Target,
        Some(other) => return Err(format!("waypoints of type `{other}` are not supported")),
        None => return Err("a waypoint has no `type`".into()),
    };
    Ok(Point { location: location(waypoint)?, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::witness::{self, Metadata};

    fn metadata() -> Metadata {
        Metadata {
            uuid: "u".into(),
            creation_time: "2026-01-01T00:00:00Z".into(),
            version: "0".into(),
            input_files: vec![("a.c".into(), "00ff".into())],
            specification: "CHECK( init(main()), LTL(G ! overflow) )".into(),
            data_model: "ILP32".into(),
        }
    }

    fn place(line: u32) -> Location {
        Location { file: "a.c".into(), line, column: 3, function: "main".into() }
    }

    #[test]
    fn what_is_written_is_read() {
        let value = "x <= \"5\"".to_owned();
        let invariant = Invariant { location: place(4), value, at_loop: true };
        let text = witness::correctness(&metadata(), &[invariant]);
        let read_back = read(&text).unwrap();
        assert_eq!(read_back.invariants[0].value, "x <= \"5\"");
        assert_eq!(read_back.invariants[0].location, place(4));
        assert!(read_back.invariants[0].at_loop && read_back.segments.is_none());
        assert_eq!(read_back.data_model, "ILP32");
        assert_eq!(read_back.hashes, ["00ff"]);
        assert!(read_back.specification.contains("overflow"));
        let path = [
            PointKind::FunctionReturn(Some("\\result == 5".into())),
            PointKind::Assumption("x == 1".into()),
            PointKind::Branching(true),
            PointKind::FunctionEnter,
            PointKind::Target,
        ]
        .map(|kind| Point { location: place(2), kind });
        let segments = read(&witness::violation(&metadata(), &path)).unwrap().segments.unwrap();
        let points: Vec<Point> = segments.into_iter().map(|s| s.follow).collect();
        assert_eq!(points, path);
    }

    #[test]
    fn damaged_texts_are_refused_in_words() {
        let good = witness::violation(
            &metadata(),
            &[Point { location: place(6), kind: PointKind::Target }],
        );
        assert!(read(&good).is_ok());
        // Every prefix, and every text with one line missing, is read or refused.
        for end in (0..good.len()).filter(|&end| good.is_char_boundary(end)) {
            let _ = read(&good[..end]);
        }
        let lines: Vec<&str> = good.lines().collect();
        for skipped in 0..lines.len() {
            let mut rest = lines.clone();
            rest.remove(skipped);
            let _ = read(&rest.join("\n"));
        }
        for (text, words) in [
            ("<?xml version=\"1.0\"?><graphml/>", "GraphML"),
            ("", "list"),
            ("- 1", "entry_type"),
            ("[]", "no entry"),
            ("- entry_type: invariant_set\n  content: 3\n", "content"),
            ("a: [", "YAML"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}

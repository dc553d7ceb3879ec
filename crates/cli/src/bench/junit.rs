//! Verdicts as JUnit XML, which every continuous integration service shows. A
//! wrong verdict is a failure, a crash an error, no verdict a skipped test.

use super::results::{Grade, Row};
use super::table::tools;
use bolide_cfa::render::escape;
use std::fmt::Write;

/// One verdict.
pub struct Case<'a> {
    pub name: &'a str,
    pub seconds: f64,
    /// `failure`, `error` or `skipped`, and why; none where all is well.
    pub fault: Option<(&'static str, String)>,
}

/// The rows of a measurement: one suite for each tool.
pub fn xml(rows: &[Row]) -> String {
    let of_tool = |tool| rows.iter().filter(move |row| row.tool == tool).map(case).collect();
    let all: Vec<(&str, Vec<Case<'_>>)> =
        tools(rows).into_iter().map(|tool| (tool, of_tool(tool))).collect();
    suites(&all)
}

/// Suites by name.
pub fn suites(all: &[(&str, Vec<Case<'_>>)]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (suite, cases) in all {
        let count = |kind: &str| {
            let faults = cases.iter().filter_map(|case| case.fault.as_ref());
            faults.filter(|fault| fault.0 == kind).count()
        };
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" \
             time=\"{:.3}\">",
            escape(suite),
            cases.len(),
            count("failure"),
            count("error"),
            count("skipped"),
            cases.iter().map(|case| case.seconds).sum::<f64>()
        );
        for case in cases {
            let _ = write!(
                text,
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
                escape(suite),
                escape(case.name),
                case.seconds
            );
            text += &match &case.fault {
                Some((kind, why)) => {
                    format!("><{kind} message=\"{}\"/></testcase>\n", escape(why))
                }
                None => "/>\n".to_owned(),
            };
        }
        text += "  </testsuite>\n";
    }
    text += "</testsuites>\n";
    text
}

fn case(row: &Row) -> Case<'_> {
    let kind = match row.grade {
        Grade::OtherPart => Some("failure"),
        grade if grade.is_wrong() || row.evidence.is_refuted() => Some("failure"),
        Grade::Failed => Some("error"),
        Grade::Unknown | Grade::Time | Grade::Memory => Some("skipped"),
        _ => None,
    };
    let message = format!(
        "said {}, expected {}{}{}",
        if row.verdict.is_empty() { "nothing" } else { &row.verdict },
        if row.expected.is_empty() { "anything" } else { &row.expected },
        if row.reason.is_empty() { "" } else { ": " },
        row.reason
    );
    Case { name: &row.task, seconds: row.wall, fault: kind.map(|kind| (kind, message)) }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::sample;
    use super::*;
    use expect_test::expect;

    #[test]
    fn verdicts_become_test_outcomes() {
        let rows = [
            sample("a", "auto", "true", Grade::Right, 0.5),
            sample("b", "auto", "true", Grade::WrongTrue, 1.0),
            sample("c\"", "auto", "unknown", Grade::Time, 30.0),
        ];
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="auto" tests="3" failures="1" errors="0" skipped="1" time="31.500">
                <testcase classname="auto" name="a" time="0.500"/>
                <testcase classname="auto" name="b" time="1.000"><failure message="said true, expected true"/></testcase>
                <testcase classname="auto" name="c&quot;" time="30.000"><skipped message="said unknown, expected true"/></testcase>
              </testsuite>
            </testsuites>
        "#]]
        .assert_eq(&xml(&rows));
    }
}

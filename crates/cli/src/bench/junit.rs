//! The rows as JUnit XML, which every continuous integration service shows. A
//! wrong verdict is a failure, a crash an error, no verdict a skipped test.

use super::results::{Grade, Row};
use super::table::tools;
use bolide_cfa::render::escape;
use std::fmt::Write;

/// One suite for each tool.
pub fn xml(rows: &[Row]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for tool in tools(rows) {
        let of_tool: Vec<&Row> = rows.iter().filter(|row| row.tool == tool).collect();
        let count = |wanted: fn(&Row) -> bool| of_tool.iter().filter(|row| wanted(row)).count();
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" \
             time=\"{:.3}\">",
            escape(tool),
            of_tool.len(),
            count(is_failure),
            count(|r| !is_failure(r) && r.grade == Grade::Failed),
            count(|r| !is_failure(r) && is_skipped(r)),
            of_tool.iter().map(|row| row.wall).sum::<f64>()
        );
        for row in of_tool {
            case(&mut text, row);
        }
        text += "  </testsuite>\n";
    }
    text += "</testsuites>\n";
    text
}

fn is_failure(row: &Row) -> bool {
    row.grade.is_wrong() || row.grade == Grade::OtherPart || row.evidence.is_refuted()
}

fn is_skipped(row: &Row) -> bool {
    matches!(row.grade, Grade::Unknown | Grade::Time | Grade::Memory)
}

fn case(text: &mut String, row: &Row) {
    let _ = write!(
        text,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        escape(&row.tool),
        escape(&row.task),
        row.wall
    );
    let message = format!(
        "said {}, expected {}{}{}",
        if row.verdict.is_empty() { "nothing" } else { &row.verdict },
        if row.expected.is_empty() { "anything" } else { &row.expected },
        if row.reason.is_empty() { "" } else { ": " },
        row.reason
    );
    let element = if is_failure(row) {
        "failure"
    } else if row.grade == Grade::Failed {
        "error"
    } else if is_skipped(row) {
        "skipped"
    } else {
        *text += "/>\n";
        return;
    };
    let _ = writeln!(text, "><{element} message=\"{}\"/></testcase>", escape(&message));
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

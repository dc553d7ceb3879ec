//! The rows for people: wrong verdicts first, then the table, then a summary
//! for each tool.

use super::results::{Evidence, Grade, Row};
use std::fmt::Write;

/// Everything that standard output shows. `brief` leaves the table out.
pub fn table(rows: &[Row], brief: bool) -> String {
    let mut text = String::new();
    let alarming = |row: &&Row| row.grade.is_wrong() || row.evidence.is_refuted();
    for row in rows.iter().filter(alarming) {
        let what = if row.grade.is_wrong() { "WRONG" } else { "REFUTED EVIDENCE" };
        let _ = writeln!(
            text,
            "{what} {} by {}: said {}, expected {}",
            row.task, row.tool, row.verdict, row.expected
        );
    }
    if !text.is_empty() {
        text.push('\n');
    }
    if !brief {
        text += &aligned(rows);
        text.push('\n');
    }
    text += &summary(rows);
    text
}

fn aligned(rows: &[Row]) -> String {
    let with_evidence = rows.iter().any(|row| row.evidence != Evidence::None);
    let mut header =
        vec!["task", "tool", "verdict", "expected", "grade", "wall s", "cpu s", "MiB", "refined"];
    if with_evidence {
        header.push("evidence");
    }
    let mut lines: Vec<Vec<String>> = vec![header.iter().map(|h| (*h).to_owned()).collect()];
    for row in rows {
        let mut line = vec![
            row.task.clone(),
            row.tool.clone(),
            if row.verdict.is_empty() { "-".into() } else { row.verdict.clone() },
            if row.expected.is_empty() { "-".into() } else { row.expected.clone() },
            row.grade.name(),
            format!("{:.2}", row.wall),
            format!("{:.2}", row.cpu),
            row.memory.to_string(),
            row.refinements.map_or_else(|| "-".to_owned(), |r| r.to_string()),
        ];
        if with_evidence {
            line.push(row.evidence.name());
        }
        lines.push(line);
    }
    let widths: Vec<usize> = (0..header.len())
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in &lines {
        let mut shown = String::new();
        for (column, cell) in line.iter().enumerate() {
            // Numbers stand right, words left.
            if (5..9).contains(&column) {
                let _ = write!(shown, "{cell:>width$}  ", width = widths[column]);
            } else {
                let _ = write!(shown, "{cell:<width$}  ", width = widths[column]);
            }
        }
        text += shown.trim_end();
        text.push('\n');
    }
    text
}

/// The tools in the order of their first row.
pub fn tools(rows: &[Row]) -> Vec<&str> {
    let mut tools: Vec<&str> = Vec::new();
    for row in rows {
        if !tools.contains(&row.tool.as_str()) {
            tools.push(&row.tool);
        }
    }
    tools
}

fn summary(rows: &[Row]) -> String {
    let mut text = String::new();
    for tool in tools(rows) {
        let of_tool: Vec<&Row> = rows.iter().filter(|row| row.tool == tool).collect();
        let count = |wanted: fn(&Row) -> bool| of_tool.iter().filter(|row| wanted(row)).count();
        let right_true = count(|r| r.is_solved() && !r.verdict.starts_with("false"));
        let right_false = count(|r| r.is_solved() && r.verdict.starts_with("false"));
        let score: i64 = of_tool.iter().map(|row| row.score).sum();
        // An empty sum of floats is minus zero.
        let cpu = of_tool.iter().filter(|r| r.is_solved()).fold(0.0, |sum: f64, row| sum + row.cpu);
        let _ = writeln!(
            text,
            "{tool}: {} tasks, right {} (true {right_true}, false {right_false}), wrong {}, \
             score {score}, {cpu:.1} s of processor time for the right ones",
            of_tool.len(),
            right_true + right_false,
            count(|r| r.grade.is_wrong()),
        );
        let rest = [
            Grade::OtherPart,
            Grade::Unchecked,
            Grade::Unknown,
            Grade::Time,
            Grade::Memory,
            Grade::Failed,
        ];
        let rest: Vec<String> = rest
            .into_iter()
            .filter_map(|grade| {
                let number = of_tool.iter().filter(|row| row.grade == grade).count();
                (number > 0).then(|| format!("{} {number}", grade.name()))
            })
            .collect();
        if !rest.is_empty() {
            let _ = writeln!(text, "  others: {}", rest.join(", "));
        }
        let asked = count(|r| !matches!(r.evidence, Evidence::None | Evidence::NotApplicable));
        if asked > 0 {
            let _ = writeln!(
                text,
                "  evidence: {} of {asked} confirmed, {} refuted, {} undecided",
                count(|r| r.evidence == Evidence::Confirmed),
                count(|r| r.evidence == Evidence::Refuted),
                count(|r| r.evidence == Evidence::Undecided)
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::sample;
    use super::*;
    use expect_test::expect;

    #[test]
    fn wrong_verdicts_come_first() {
        let rows = [
            sample("a.c", "auto", "true", Grade::Right, 0.25),
            sample("long/name.c", "auto", "true", Grade::WrongTrue, 1.0),
            sample("c.c", "other", "", Grade::Time, 30.0),
        ];
        expect![[r#"
            WRONG long/name.c by auto: said true, expected true

            task         tool   verdict  expected  grade       wall s  cpu s  MiB  refined
            a.c          auto   true     true      right         0.25   0.25   12        3
            long/name.c  auto   true     true      wrong true    1.00   1.00   12        3
            c.c          other  -        true      time         30.00  30.00   12        3

            auto: 2 tasks, right 1 (true 1, false 0), wrong 1, score -30, 0.2 s of processor time for the right ones
            other: 1 tasks, right 0 (true 0, false 0), wrong 0, score 0, 0.0 s of processor time for the right ones
              others: time 1
        "#]]
        .assert_eq(&table(&rows, false));
    }
}

//! Two files of results set against each other: what changed, and how much
//! faster or slower it became.
//!
//! Rows belong together when task and tool are the same; where each file is about one tool
//! only, the task is enough, so two engines or two tools can be compared too.

use super::results::{self, Row};
use super::table::tools;
use crate::exit::Exit;
use std::fmt::Write;
use std::path::PathBuf;

/// Prints the comparison; wrong verdicts of the second file set the exit code.
pub fn compare(files: &[PathBuf]) -> Result<Exit, String> {
    let [before, after] = files else {
        return Err("--compare takes two files of results".into());
    };
    let (before, after) = (results::read_csv(before)?, results::read_csv(after)?);
    let (text, wrong) = comparison(&before, &after);
    print!("{text}");
    Ok(if wrong { Exit::False } else { Exit::True })
}

/// Whether a pair of rows belongs to a group.
type Belongs = fn(&Row, &Row) -> bool;

/// Less than this is noise.
const MEASURABLE: f64 = 0.05;

fn comparison(before: &[Row], after: &[Row]) -> (String, bool) {
    let by_task = tools(before).len() <= 1 && tools(after).len() <= 1;
    let pairs: Vec<(&Row, &Row)> = after
        .iter()
        .filter_map(|new| {
            let old = before
                .iter()
                .find(|old| old.task == new.task && (by_task || old.tool == new.tool))?;
            Some((old, new))
        })
        .collect();
    let mut text = String::new();
    let mut wrong = false;
    for row in after.iter().filter(|row| row.grade.is_wrong()) {
        wrong = true;
        let _ = writeln!(
            text,
            "WRONG {} by {}: said {}, expected {}",
            row.task, row.tool, row.verdict, row.expected
        );
    }
    let groups: [(&str, Belongs); 3] = [
        ("lost", |old, new| old.is_solved() && !new.is_solved()),
        ("gained", |old, new| !old.is_solved() && new.is_solved()),
        ("changed", |old, new| {
            old.is_solved() == new.is_solved()
                && (old.verdict != new.verdict || old.grade != new.grade)
        }),
    ];
    for (name, belongs) in groups {
        let found: Vec<_> = pairs.iter().filter(|(old, new)| belongs(old, new)).collect();
        if found.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{name} {}:", found.len());
        for (old, new) in found {
            let _ = writeln!(text, "  {}: {} -> {}", new.task, said(old), said(new));
        }
    }
    let _ = writeln!(
        text,
        "{} tasks in both; {} only before, {} only after",
        pairs.len(),
        before.len().saturating_sub(pairs.len()),
        after.len() - pairs.len()
    );
    let sum = |rows: &[Row]| rows.iter().map(|row| row.score).sum::<i64>();
    let right = |rows: &[Row]| rows.iter().filter(|row| row.is_solved()).count();
    let _ = writeln!(
        text,
        "right {} -> {}, score {} -> {}",
        right(before),
        right(after),
        sum(before),
        sum(after)
    );
    text += &speed(&pairs);
    (text, wrong)
}

fn said(row: &Row) -> String {
    match row.verdict.as_str() {
        "" | "unknown" => format!("unknown ({})", row.grade.name()),
        verdict => format!("{verdict} ({})", row.grade.name()),
    }
}

/// The geometric mean of the ratios over tasks that both solved.
fn speed(pairs: &[(&Row, &Row)]) -> String {
    let both: Vec<_> =
        pairs.iter().filter(|(old, new)| old.is_solved() && new.is_solved()).collect();
    if both.is_empty() {
        return String::new();
    }
    let ratio = |old: &Row, new: &Row| new.cpu.max(MEASURABLE) / old.cpu.max(MEASURABLE);
    let logs: f64 = both.iter().map(|(old, new)| ratio(old, new).ln()).sum();
    let mean = (logs / both.len() as f64).exp();
    let (old, new): (f64, f64) =
        both.iter().fold((0.0, 0.0), |(a, b), (old, new)| (a + old.cpu, b + new.cpu));
    let mut text = format!(
        "both solved {}: processor time {old:.1} s -> {new:.1} s, each task on average x{mean:.2}\n",
        both.len()
    );
    let mut extreme: Vec<_> = both.iter().map(|(old, new)| (ratio(old, new), old, new)).collect();
    extreme.sort_by(|a, b| b.0.ln().abs().total_cmp(&a.0.ln().abs()));
    for (ratio, old, new) in extreme.into_iter().take(5).filter(|(r, ..)| !(0.5..=2.0).contains(r))
    {
        let _ = writeln!(text, "  x{ratio:.2} {}: {:.2} s -> {:.2} s", new.task, old.cpu, new.cpu);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::results::Grade;
    use super::super::results::tests::sample;
    use super::*;
    use expect_test::expect;

    #[test]
    fn changes_and_speed_are_told() {
        let before = [
            sample("a", "old", "true", Grade::Right, 4.0),
            sample("b", "old", "true", Grade::Right, 1.0),
            sample("c", "old", "", Grade::Time, 30.0),
        ];
        let after = [
            sample("a", "new", "true", Grade::Right, 1.0),
            sample("b", "new", "unknown", Grade::Unknown, 1.0),
            sample("c", "new", "true", Grade::WrongTrue, 2.0),
        ];
        let (text, wrong) = comparison(&before, &after);
        assert!(wrong);
        expect![[r#"
            WRONG c by new: said true, expected true
            lost 1:
              b: true (right) -> unknown (unknown)
            changed 1:
              c: unknown (time) -> true (wrong true)
            3 tasks in both; 0 only before, 0 only after
            right 2 -> 1, score 4 -> -30
            both solved 1: processor time 4.0 s -> 1.0 s, each task on average x0.25
              x0.25 a: 4.00 s -> 1.00 s
        "#]]
        .assert_eq(&text);
    }
}

//! A smaller program with the same defect: lines are left out as long as it stays.
//!
//! Delta debugging (Zeller and Hildebrandt) with lines as units; larger pieces first. A piece whose braces do
//! not match is not tried.

/// The lines that are left when no single one can go.
pub fn shrink(lines: &[String], mut is_bad: impl FnMut(&[String]) -> bool) -> Vec<String> {
    let mut lines = lines.to_vec();
    let mut size = (lines.len() / 2).max(1);
    loop {
        let (mut at, mut changed) = (0, false);
        while at < lines.len() {
            let end = balanced_end(&lines, at, size);
            let mut fewer = lines.clone();
            fewer.drain(at..end);
            // A block may go without its contents, too.
            let mut opened = lines.clone();
            let is_block = end > at + 1 && lines[at].ends_with('{');
            if is_block {
                opened.remove(end - 1);
                opened.remove(at);
            }
            if is_balanced(&fewer) && is_bad(&fewer) {
                lines = fewer;
                changed = true;
            } else if is_block && is_balanced(&opened) && is_bad(&opened) {
                lines = opened;
                changed = true;
            } else {
                at += 1;
            }
        }
        if size == 1 && !changed {
            return lines;
        }
        size = (size / 2).max(1);
    }
}

/// The end of at least so many lines whose braces match, if there is one.
fn balanced_end(lines: &[String], start: usize, size: usize) -> usize {
    let mut open = 0;
    for (index, line) in lines.iter().enumerate().skip(start) {
        open += depth(line);
        if open <= 0 && index + 1 >= start + size {
            return index + 1;
        }
    }
    lines.len()
}

fn depth(line: &str) -> i64 {
    line.matches('{').count() as i64 - line.matches('}').count() as i64
}

fn is_balanced(lines: &[String]) -> bool {
    let mut open = 0;
    for line in lines {
        open += depth(line);
        if open < 0 && !line.contains("else") {
            return false;
        }
    }
    open == 0
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn what_does_not_matter_goes() {
        let lines: Vec<String> =
            ["a;", "if (x) {", "  bad;", "  b;", "}", "c;"].map(String::from).to_vec();
        let left = shrink(&lines, |lines| lines.iter().any(|l| l.contains("bad")));
        assert_eq!(left, ["  bad;"]);
    }
}

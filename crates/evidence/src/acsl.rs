//! Invariants in the words of ACSL, from the infix notation of formulas.
//!
//! Formulas name variables by where they live (`entry#::main::n`) and memory by its region, with offsets in bytes
//! (`mem:1:a[1][4*k]`, or by a pointer `mem:1:a[p.obj][p.off + 4*k]`), and say what holds of all indices as a clause. Here a variable has the name that
//! the source gives it, a cell of an array is `a[k]`, and a clause about all indices is a range and what holds in it:
//!
//! `(\forall integer k; mem:1:a[1][4*k] = 7 or k <= -1 or i <= k)` becomes
//! `(\forall integer k; 0 <= k && k < i ==> a[k] == 7)`.
//!
//! What is not understood stays as it is: this is for reading, and nothing reads it back.

/// The same in ACSL.
pub fn readable(formula: &str) -> String {
    let conjuncts: Vec<String> = split(formula, " and ").into_iter().map(conjunct).collect();
    conjuncts.join(" && ")
}

/// Whether all of it is in words of the source.
pub fn is_clean(words: &str) -> bool {
    !["::", "mem:", "#", " terms"].iter().any(|sign| words.contains(sign))
}

const ALL: &str = "(\\forall integer k; ";

fn conjunct(text: &str) -> String {
    let Some(body) = text.strip_prefix(ALL).and_then(|rest| rest.strip_suffix(')')) else {
        let parts: Vec<String> = split(text, " or ").into_iter().map(atom).collect();
        return parts.join(" || ");
    };
    let parts: Vec<String> = split(body, " or ").into_iter().map(atom).collect();
    // What compares the index itself is the range, said the other way round.
    let is_range =
        |part: &&String| !part.contains('[') && mentions_index(part) && negated(part).is_some();
    let (range, rest): (Vec<&String>, Vec<&String>) = parts.iter().partition(is_range);
    let mut range: Vec<String> = range.into_iter().filter_map(|part| negated(part)).collect();
    // From below, then from above.
    range.sort_by_key(|part| !part.ends_with("<= k"));
    let rest: Vec<&str> = rest.into_iter().map(String::as_str).collect();
    match (range.is_empty(), rest.is_empty()) {
        (false, false) => format!("{ALL}{} ==> {})", range.join(" && "), rest.join(" || ")),
        _ => format!("{ALL}{})", parts.join(" || ")),
    }
}

fn mentions_index(text: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == "k")
}

/// A comparison the other way round, with the index on the side where a range has it.
fn negated(text: &str) -> Option<String> {
    let mut found = None;
    for (sign, other) in [(" <= ", "<"), (" >= ", ">"), (" < ", "<="), (" > ", ">=")] {
        if let Some((left, right)) = text.split_once(sign) {
            found = Some((left, right, other));
            break;
        }
    }
    let (left, right, sign) = found?;
    // `a <= b` fails where `b < a`, and `a >= b` where `a < b`.
    let (low, high, sign) = match sign {
        "<" => (right, left, "<"),
        ">" => (left, right, "<"),
        "<=" => (right, left, "<="),
        _ => (left, right, "<="),
    };
    Some(match (low, high, sign) {
        ("-1", "k", "<") => "0 <= k".to_owned(),
        (low, "k + 1", "<") => format!("{low} <= k"),
        (low, "k", "<") if low.ends_with(" - 1") => {
            format!("{} <= k", low.trim_end_matches(" - 1"))
        }
        _ => format!("{low} {sign} {high}"),
    })
}

/// A part without connectives around it: names, cells and signs of C.
fn atom(text: &str) -> String {
    let text = text.replace(" = ", " == ").replace(" and ", " && ").replace(" or ", " || ");
    let mut out = String::new();
    let mut rest = text.as_str();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | ':' | '$' | '.' | '\'');
    while !rest.is_empty() {
        let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..first]);
            rest = &rest[first..];
            continue;
        }
        let (word, behind) = rest.split_at(length);
        match cell(word, behind) {
            Some((shown, behind)) => {
                out.push_str(&shown);
                rest = behind;
            }
            None => {
                let before = behind.strip_prefix("@in");
                rest = before.unwrap_or(behind);
                let name = name(word);
                out += &if before.is_some() { format!("\\old({name})") } else { name.to_owned() };
            }
        }
    }
    out
}

/// The name that the source gives a variable.
fn name(word: &str) -> &str {
    match word.rsplit_once("::") {
        Some((_, "result#")) => "\\result",
        // Behind `#` and `'` stand numbers of scopes and of copies of a function.
        Some((_, name)) => name.split(['#', '\'']).next().unwrap_or(name),
        // A region without an index is all that is in it.
        None => {
            word.strip_prefix("mem:").and_then(|rest| rest.split_once(':')).map_or(word, |r| r.1)
        }
    }
}

/// `mem:1:a` and the two indices behind it, as a cell of `a`; by a pointer into the object, as a cell behind the pointer.
fn cell<'t>(word: &str, behind: &'t str) -> Option<(String, &'t str)> {
    let array = word.strip_prefix("mem:")?.split_once(':')?.1;
    let (object, behind) = bracket(behind)?;
    let (offset, behind) = bracket(behind)?;
    if object.parse::<u64>().is_ok() {
        return Some((format!("{}[{}]", name(array), index(&atom(offset))?), behind));
    }
    let pointer = object.strip_suffix(".obj")?;
    let start = format!("{pointer}.off");
    let offset = offset.replace(" - ", " + -");
    let parts = split(&offset, " + ");
    let rest: Vec<&str> = parts.iter().copied().filter(|&part| part != start).collect();
    if rest.len() + 1 != parts.len() {
        return None;
    }
    let rest = if rest.is_empty() { "0".to_owned() } else { rest.join(" + ") };
    Some((format!("{}[{}]", name(pointer), index(&atom(&rest))?), behind))
}

/// What stands in the brackets that a text begins with, and what stands behind them.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[..at].strip_prefix('[').map(|inside| (inside, &text[at + 1..]));
        }
    }
    None
}

/// An offset in bytes as an index: divided by the factor that all its terms have.
fn index(offset: &str) -> Option<String> {
    let mut terms: Vec<(i64, String)> = Vec::new();
    let signed = offset.replace(" - ", " + -");
    for term in signed.split(" + ") {
        let (factor, rest) = match term.split_once('*') {
            Some((factor, rest)) => (factor.parse().ok()?, rest.to_owned()),
            None => match term.parse::<i64>() {
                Ok(number) => (number, String::new()),
                Err(_) => (1, term.to_owned()),
            },
        };
        terms.push((factor, rest));
    }
    let scales = terms.iter().filter(|(_, rest)| !rest.is_empty()).map(|(f, _)| f.abs());
    let Some(scale) = scales.min() else {
        // Of one cell only its first byte is known to be one.
        return (offset == "0").then(|| "0".to_owned());
    };
    if scale == 0 || terms.iter().any(|(factor, _)| factor % scale != 0) {
        return None;
    }
    let shown = |(factor, rest): &(i64, String)| match (factor / scale, rest.as_str()) {
        (number, "") => number.to_string(),
        (1, rest) => rest.to_owned(),
        (factor, rest) => format!("{factor}*{rest}"),
    };
    Some(terms.iter().map(shown).collect::<Vec<_>>().join(" + ").replace("+ -", "- "))
}

/// The parts between the occurrences of a connective outside of parentheses.
fn split<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ if depth == 0 && at >= start && text[at..].starts_with(sign) => {
                parts.push(&text[start..at]);
                start = at + sign.len();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_words_of_the_source() {
        for (formula, words) in [
            ("L = 0", "L == 0"),
            (
                "entry#::main::n >= entry#::main::i#2 and entry#::main::n <= 1000",
                "n >= i && n <= 1000",
            ),
            ("x = 1 or entry#::f::y != 2", "x == 1 || y != 2"),
            (
                "(\\forall integer k; mem:1:a[1][4*k] = 7 or k <= -1 or entry#::main::i <= k)",
                "(\\forall integer k; 0 <= k && k < i ==> a[k] == 7)",
            ),
            (
                "(\\forall integer k; mem:1:a[1][4*k + 8] != 7 or main::i >= k + 1 or k >= 42)",
                "(\\forall integer k; i <= k && k < 42 ==> a[k + 2] != 7)",
            ),
            ("(\\forall integer k; k <= 3)", "(\\forall integer k; k <= 3)"),
            ("mem:2:b[3][8*main::j - 16] = 1", "b[j - 2] == 1"),
            ("mem:2:b[main::p][4*k] = 1", "b[p][4*k] == 1"),
            ("mem:1:b[main::x.obj][main::x.off + 4*f::i'2] = 1", "x[i] == 1"),
            ("mem:1:b[f::x'2.obj][4*k + f::x'2.off - 4] = 1", "x[k - 1] == 1"),
            ("mem:1:b[main::x.obj][main::x.off] = 1", "x[0] == 1"),
            ("mem:1:b[main::x.obj][main::y.off] = 1", "b[x.obj][y.off] == 1"),
            ("inc::result# = inc::x@in + 1", "\\result == \\old(x) + 1"),
            ("mem:1:cell = mem:1:cell@in", "cell == \\old(cell)"),
            ("(a = 1 or b = 2) and c = 3", "(a == 1 || b == 2) && c == 3"),
        ] {
            assert_eq!(readable(formula), words);
        }
        assert!(is_clean("a[k] == 7") && !is_clean("i#2"));
    }
}

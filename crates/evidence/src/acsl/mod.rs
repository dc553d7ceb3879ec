//! Invariants in the words of ACSL, from the infix notation of formulas.
//!
//! Formulas name variables by where they live (`entry#::main::n`) and memory by its region, with offsets in bytes
//! (`mem:1:a[1][4*k]`), and say what holds of all indices as a clause. Here a variable has the name that the source gives it
//! ([`places`]), and a clause about all indices is a range and what holds in it:
//!
//! `(\forall integer k; mem:1:a[1][4*k] = 7 or k <= -1 or i <= k)` becomes
//! `(\forall integer k; 0 <= k && k < i ==> a[k] == 7)`.
//!
//! What is not understood stays as it is: this is for reading, and nothing reads it back.

mod places;

use places::{atom, is_word, split};
use std::collections::BTreeSet;

/// The same in ACSL.
pub fn readable(formula: &str) -> String {
    let formula = told_apart(formula);
    let mut conjuncts: Vec<String> =
        split(&formula, " and ").into_iter().map(conjunct).filter(|words| words != TRUE).collect();
    if conjuncts.is_empty() {
        conjuncts.push(TRUE.to_owned());
    }
    conjuncts.join(" && ")
}

/// Whether all of it is in words of the source.
pub fn is_clean(words: &str) -> bool {
    !["::", "mem:", "#", " terms"].iter().any(|sign| words.contains(sign))
}

/// A variable that shadows another of which the formula speaks too gets its number as an index: `x₂`.
fn told_apart(formula: &str) -> String {
    let words: BTreeSet<&str> = formula.split(|c| !is_word(c)).filter(|w| !w.is_empty()).collect();
    let hidden = |base: &str| words.iter().any(|word| word.split('\'').next() == Some(base));
    let mut out = formula.to_owned();
    // From behind: `x#21` before `x#2`.
    for word in words.iter().rev() {
        let Some((base, number)) = word.rsplit_once('#') else { continue };
        let number = number.split('\'').next().unwrap_or("");
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) || !hidden(base) {
            continue;
        }
        let index = number.bytes().filter_map(|b| char::from_u32(0x2080 + u32::from(b - b'0')));
        out = out.replace(word, &format!("{base}{}", index.collect::<String>()));
    }
    out
}

/// The parts of what holds, and the sign between them, which is `||` where there are cases. What stands in parentheses
/// is part of a part.
pub fn parts(words: &str) -> (&'static str, Vec<&str>) {
    let cases = split(words, " || ");
    if cases.len() > 1 { ("||", cases) } else { ("&&", split(words, " && ")) }
}

/// Of more characters nobody wants to read all at once.
const SHORT: usize = 100;

/// What stands for something long until it is unfolded; none where it is short.
pub fn summary(words: &str) -> Option<String> {
    if words.chars().count() <= SHORT {
        return None;
    }
    let (sign, parts) = parts(words);
    Some(match (parts.len(), sign) {
        (1, _) => "one part".to_owned(),
        (count, "||") => format!("one of {count} cases"),
        (count, _) => format!("{count} parts"),
    })
}

const ALL: &str = "(\\forall integer k; ";

const TRUE: &str = "\\true";

fn conjunct(text: &str) -> String {
    let Some(body) = text.strip_prefix(ALL).and_then(|rest| rest.strip_suffix(')')) else {
        let parts: Vec<String> = split(text, " or ").into_iter().map(literal).collect();
        return parts.join(" || ");
    };
    let parts: Vec<String> = split(body, " or ").into_iter().map(literal).collect();
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

/// A part without connectives around it. Numbers of objects and of the kinds of their lives are known to formulas only.
fn literal(text: &str) -> String {
    let words = atom(&text.replace(" = ", " == ").replace(" and ", " && ").replace(" or ", " || "));
    if let Some(object) = words.strip_prefix("\\base_addr(") {
        for (behind, said) in [
            (") >= 1", "!= \\null"),
            (") != 0", "!= \\null"),
            (") == 0", "== \\null"),
            (") <= 0", "== \\null"),
        ] {
            match object.strip_suffix(behind) {
                Some(pointer) if !pointer.contains(" ") => return format!("{pointer} {said}"),
                _ => {}
            }
        }
        // Whatever has an address was made before.
        if words.ends_with(") <= \\objects - 1") {
            return TRUE.to_owned();
        }
    }
    let life = words.strip_prefix("\\allocation(").and_then(|rest| rest.rsplit_once(") "));
    match life {
        Some((pointer, "!= 0")) => format!("\\allocation({pointer}) != \\unallocated"),
        Some((pointer, "== 0")) => format!("\\allocation({pointer}) == \\unallocated"),
        Some((pointer, "== 2")) => format!("\\allocation({pointer}) == \\dynamic"),
        Some((pointer, "!= 2")) => format!("\\allocation({pointer}) != \\dynamic"),
        _ => words,
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
            ("mem:1:b[main::x.obj][main::y.off] = 1", "*(\\base_addr(x) + \\offset(y)) == 1"),
            ("mem:1:b[main::x.obj][k] = 1", "*(\\base_addr(x) + k) == 1"),
            ("mem:2:main::tmp#1+4.cap[main::b.obj][main::b.off + 4] = 16", "b->cap == 16"),
            // A pointer into the middle of the record.
            (
                "mem:2:main::tmp#1+4.cap[main::b.obj][main::b.off - 4] = 16",
                "*(\\base_addr(b) + \\offset(b) - 4) == 16",
            ),
            ("mem:2:t+8.next.obj[main::b.obj][main::b.off + 8] >= 1", "b->next != \\null"),
            (
                "mem:3:c[mem:2:t+8.next.obj[b.obj][b.off + 8]][4*i + mem:2:t+8.next.off[b.obj][b.off + 8]] = 1",
                "b->next[i] == 1",
            ),
            ("mem:3:main::t#1+0.key%16[2][16*main::i + 16] = 1", "t[i + 1].key == 1"),
            ("mem:3:t+4.n%8[p.obj][p.off + 8*i + 4] = 1", "p[i].n == 1"),
            ("mem:3:g+4.n[7][4] = 1", "g.n == 1"),
            (
                "mem:live[p.obj] = 2 and mem:size[p.obj] >= 8",
                "\\allocation(p) == \\dynamic && \\block_length(p) >= 8",
            ),
            ("p.obj <= mem:next - 1 and p.obj != q.obj", "\\base_addr(p) != \\base_addr(q)"),
            ("mem:heap = 2", "\\heap_objects == 2"),
            // A promoted field, and a member that is called like a part of a pointer.
            ("entry#::main::c->used <= 10 and main::s.off' = 1", "c->used <= 10 && s.off == 1"),
            ("inc::result# = inc::x@in + 1", "\\result == \\old(x) + 1"),
            ("mem:1:cell = mem:1:cell@in", "cell == \\old(cell)"),
            ("main::x#2 = 1 and main::x >= 5 and main::y#3 = 2", "x₂ == 1 && x >= 5 && y == 2"),
            ("(a = 1 or b = 2) and c = 3", "(a == 1 || b == 2) && c == 3"),
        ] {
            assert_eq!(readable(formula), words);
        }
        assert_eq!(parts("a && (b || c && d) && e"), ("&&", vec!["a", "(b || c && d)", "e"]));
        assert_eq!(parts("a && b || c"), ("||", vec!["a && b", "c"]));
        assert!(is_clean("a[k] == 7") && !is_clean("i#2"));
    }
}

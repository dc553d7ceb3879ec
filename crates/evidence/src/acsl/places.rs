//! Names, pointers and cells of memory, as C and ACSL write them.
//!
//! | in formulas | here |
//! |---|---|
//! | `entry#::main::n` | `n` |
//! | `p.obj`, `p.off` | `\base_addr(p)`, `\offset(p)` |
//! | `mem:1:a[3][4*k + 8]` | `a[k + 2]` (object 3 is the array itself) |
//! | `mem:1:b[p.obj][p.off + 4*k]` | `p[k]` |
//! | `mem:2:b+4.limit[p.obj][p.off + 4]` | `p->limit` |
//! | `mem:3:b+0.key%16[p.obj][p.off + 16*k]` | `p[k].key` |
//! | `mem:1:b[p.obj][k]` | `*(\base_addr(p) + k)` |
//! | `mem:4:b+8.next.obj[p.obj][p.off + 8]` | `\base_addr(p->next)`: a cell that holds a pointer is two tables |
//! | `mem:size[p.obj]`, `mem:live[p.obj]` | `\block_length(p)`, `\allocation(p)` |
//!
//! A region is called after an object in it, the offset of its cells there, their name in the record where there is one, and
//! their distance in an array of records (`cfa::transform::regions`). Whether `p->limit` may be said depends on the offset: it must be that of the field.

/// Names, cells and signs of C in a part without connectives around it.
pub fn atom(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..first]);
            rest = &rest[first..];
            continue;
        }
        let (word, behind) = rest.split_at(length);
        let (before, behind) = match behind.strip_prefix("@in") {
            Some(behind) => (true, behind),
            None => (false, behind),
        };
        let (shown, behind) = table(word, behind)
            .or_else(|| cell(word, behind))
            .unwrap_or_else(|| (value(word), behind));
        out += &if before { format!("\\old({shown})") } else { shown };
        rest = behind;
    }
    out
}

/// Signs between terms stand between spaces; without them they are part of a region's name.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | ':' | '$' | '.' | '\'' | '+' | '%')
}

/// A variable, or a part of one that is a pointer.
fn value(word: &str) -> String {
    match split_pointer(word) {
        (pointer, Some(part)) => format!("{part}({})", name(pointer)),
        (variable, None) => name(variable).to_owned(),
    }
}

/// What of a pointer a table or constant has, and the pointer.
fn split_pointer(word: &str) -> (&str, Option<&'static str>) {
    match (word.strip_suffix(".obj"), word.strip_suffix(".off")) {
        (Some(pointer), _) => (pointer, Some("\\base_addr")),
        (_, Some(pointer)) => (pointer, Some("\\offset")),
        _ => (word, None),
    }
}

/// The name that the source gives a variable.
fn name(word: &str) -> &str {
    let cut = |name: &'_ str| name.split(['#', '\'']).next().map_or(0, str::len);
    match word.rsplit_once("::") {
        Some((_, "result#")) => "\\result",
        // Behind `#` and `'` stand numbers of scopes and of copies of a function.
        Some((_, name)) => &name[..cut(name)],
        // A region without an index is all that is in it.
        None => match word.strip_prefix("mem:").and_then(|rest| rest.split_once(':')) {
            Some((_, region)) => &region[..region.find(['+', '#']).unwrap_or(region.len())],
            None => match word {
                "mem:heap" => "\\heap_objects",
                "mem:next" => "\\objects",
                _ => &word[..word.find('\'').unwrap_or(word.len())],
            },
        },
    }
}

/// The tables of sizes and lives, by pointers.
fn table<'t>(word: &str, behind: &'t str) -> Option<(String, &'t str)> {
    let function = match word {
        "mem:size" => "\\block_length",
        "mem:live" => "\\allocation",
        _ => return None,
    };
    let (object, behind) = bracket(behind)?;
    let pointer = pointer_to(object).unwrap_or_else(|| format!("object {object}"));
    Some((format!("{function}({pointer})"), behind))
}

/// The pointer of an expression that is the object it points into.
fn pointer_to(object: &str) -> Option<String> {
    let words = atom(object);
    words.strip_prefix("\\base_addr(")?.strip_suffix(')').map(str::to_owned)
}

/// How the cells of a region lie in its objects.
struct Region<'t> {
    /// After which object it is called.
    base: &'t str,
    /// Where the first cell is.
    offset: i64,
    field: Option<&'t str>,
    /// From one record of an array to the next.
    period: Option<i64>,
}

impl<'t> Region<'t> {
    fn parse(text: &'t str) -> Region<'t> {
        let (text, period) = match text.split_once('%') {
            Some((text, period)) => (text, period.parse().ok()),
            None => (text, None),
        };
        let (base, place) = text.split_once('+').unwrap_or((text, "0"));
        let (offset, field) = match place.split_once('.') {
            Some((offset, field)) => (offset, Some(field)),
            None => (place, None),
        };
        Region { base, offset: offset.parse().unwrap_or(0), field, period }
    }

    /// The cell at an offset from the start of what `of` points to, or of the object `of`.
    fn cell(&self, of: &str, is_pointer: bool, offset: &str) -> Option<String> {
        let (field, from_start) = match self.field {
            Some(field) => (field, format!("{offset} + {}", -self.offset)),
            None => return Some(format!("{of}[{}]", index(offset, None)?)),
        };
        match index(&from_start, Some(self.period.unwrap_or(0)))?.as_str() {
            "0" if is_pointer => Some(format!("{of}->{field}")),
            "0" if self.period.is_none() => Some(format!("{of}.{field}")),
            number => Some(format!("{of}[{number}].{field}")),
        }
    }
}

/// `mem:1:a` and the two indices behind it, as a cell of `a`; by a pointer into the object, as a cell behind the pointer.
fn cell<'t>(word: &str, behind: &'t str) -> Option<(String, &'t str)> {
    let (_, region) = word.strip_prefix("mem:")?.split_once(':')?;
    let (region, part) = split_pointer(region);
    let region = Region::parse(region);
    let (object, behind) = bracket(behind)?;
    let (offset, behind) = bracket(behind)?;
    let shown = if object.parse::<u64>().is_ok() {
        let (array, offset) = (name(region.base), atom(offset));
        let bytes = || format!("*((char *)&{array} + {offset})");
        region.cell(array, false, &offset).unwrap_or_else(bytes)
    } else {
        let pointer = pointer_to(object)?;
        let start = format!("\\offset({pointer})");
        let offset = atom(offset).replace(" - ", " + -");
        let parts = split(&offset, " + ");
        let rest: Vec<&str> = parts.iter().copied().filter(|&part| part != start).collect();
        let is_near = rest.len() < parts.len();
        let rest = if rest.is_empty() { "0".to_owned() } else { rest.join(" + ") };
        let near = is_near.then(|| region.cell(&pointer, true, &rest)).flatten();
        let at = || match offset.as_str() {
            "0" => format!("*\\base_addr({pointer})"),
            _ => format!("*(\\base_addr({pointer}) + {})", offset.replace("+ -", "- ")),
        };
        near.unwrap_or_else(at)
    };
    Some((part.map_or(shown.clone(), |part| format!("{part}({shown})")), behind))
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

/// An offset in bytes as an index: divided by the size of a record, or by the factor that all its terms have. A size of 0
/// stands for the only record.
fn index(offset: &str, size: Option<i64>) -> Option<String> {
    let mut terms: Vec<(i64, String)> = Vec::new();
    let signed = offset.replace(" - ", " + -");
    for term in split(&signed, " + ") {
        let (factor, rest) = match (term.parse::<i64>(), term.split_once('*')) {
            (Ok(number), _) => (number, ""),
            (_, Some((factor, rest))) if factor.parse::<i64>().is_ok() => {
                (factor.parse().ok()?, rest)
            }
            _ => (1, term),
        };
        match terms.iter_mut().find(|(_, known)| known == rest) {
            Some(known) => known.0 += factor,
            None => terms.push((factor, rest.to_owned())),
        }
    }
    terms.retain(|(factor, _)| *factor != 0);
    if terms.is_empty() {
        return Some("0".to_owned());
    }
    let scales = terms.iter().filter(|(_, rest)| !rest.is_empty()).map(|(f, _)| f.abs());
    // Without a size, of one cell only its first byte is known to be one.
    let scale = size.or_else(|| scales.min())?;
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
pub fn split<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
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

//! Which integer says how long which array is: by names and by what stands beside what.

/// Parts of names of what counts elements or bytes.
const LENGTHS: [&str; 12] = [
    "len", "size", "count", "cnt", "num", "sz", "capacity", "cap", "max", "limit", "bytes", "used",
];

/// Of these, what counts the room that there is.
const ROOM: [&str; 6] = ["cap", "alloc", "max", "limit", "room", "size"];

/// The words of a name: `queryLength`, `num_tokens`.
fn words(name: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && before.is_lowercase()) || c.is_ascii_digit() {
            all.push(String::new());
        }
        if c.is_alphabetic() {
            all.last_mut().expect("there is one").extend(c.to_lowercase());
        }
        before = c;
    }
    all.retain(|word| !word.is_empty());
    all
}

/// Whether a name is that of a length.
pub fn is_length(name: &str) -> bool {
    let is_short = matches!(name, "n" | "m" | "l");
    is_short
        || words(name).iter().any(|w| LENGTHS.iter().any(|l| w.starts_with(l) || w.ends_with(l)))
}

/// Whether a name is that of the room of something, of which only a part need be used.
pub fn is_room(name: &str) -> bool {
    words(name).iter().any(|w| ROOM.iter().any(|l| w.starts_with(l)))
}

/// How well a length fits to an array by their names: `query`, `queryLength`.
fn kinship(array: &str, length: &str) -> usize {
    let (array, length) = (words(array), words(length));
    let stem = |word: &String| word.trim_end_matches('s').to_owned();
    let array: Vec<String> = array.iter().map(stem).collect();
    let same = length.iter().map(stem).filter(|w| {
        array.iter().any(|a| a == w || (w.len() > a.len() && w.starts_with(a.as_str())))
    });
    same.count()
}

/// For each array the index of its length. Given are names, in order, and what each is.
pub fn lengths_of(names: &[&str], is_array: &[bool], is_integer: &[bool]) -> Vec<Option<usize>> {
    let integers: Vec<usize> = (0..names.len()).filter(|&i| is_integer[i]).collect();
    let mut found: Vec<Option<usize>> = vec![None; names.len()];
    let is_free = |found: &[Option<usize>], i: usize| !found.contains(&Some(i));
    // Names first, then the next one, then the one before, then a length at the end for the first array.
    for array in (0..names.len()).filter(|&i| is_array[i]) {
        let kin = |i: &&usize| kinship(names[array], names[**i]) > 0 && is_length(names[**i]);
        found[array] = integers.iter().find(kin).copied();
    }
    for array in (0..names.len()).filter(|&i| is_array[i]) {
        let fits = |found: &[Option<usize>], i: usize| {
            is_integer.get(i) == Some(&true) && is_length(names[i]) && is_free(found, i)
        };
        if found[array].is_none() && fits(&found, array + 1) {
            found[array] = Some(array + 1);
        } else if found[array].is_none()
            && array > 0
            && fits(&found, array - 1)
            && (array == 1 || !is_array[array - 2])
        {
            found[array] = Some(array - 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(names: &[&str], kinds: &str) -> Vec<Option<usize>> {
        let is = |c: char| kinds.chars().map(|k| k == c).collect::<Vec<_>>();
        lengths_of(names, &is('p'), &is('i'))
    }

    #[test]
    fn lengths_are_found_by_name_and_by_place() {
        assert_eq!(pairs(&["buf", "len"], "pi"), [Some(1), None]);
        assert_eq!(pairs(&["n", "values"], "ip"), [None, Some(0)]);
        let all = ["parser", "js", "len", "tokens", "num_tokens"];
        assert_eq!(pairs(&all, ".pipi"), [None, Some(2), None, Some(4), None]);
        let all = ["buf", "max", "query", "queryLength"];
        assert_eq!(pairs(&all, "pipi"), [Some(1), None, Some(3), None]);
        assert_eq!(pairs(&["text", "flags"], "pi"), [None, None]);
    }
}

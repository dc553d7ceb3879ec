//! `#pragma pack`: from which place on which alignment is in force.

use crate::ast::Annotation;

/// From which offset on which `#pragma pack` is in force.
pub(super) fn pack_states(pragmas: &[Annotation]) -> Vec<(u32, Option<u32>)> {
    let mut states = Vec::new();
    let mut current = None;
    let mut stack: Vec<(Option<String>, Option<u32>)> = Vec::new();
    for pragma in pragmas {
        let Some(rest) = pragma.text.trim().strip_prefix("pack") else { continue };
        let rest = rest.trim();
        let Some(inner) = rest.strip_prefix('(').and_then(|r| r.split(')').next()) else {
            continue;
        };
        let words: Vec<&str> = inner.split(',').map(str::trim).collect();
        let number = words.iter().rev().find_map(|w| w.parse::<u32>().ok()).filter(|n| *n > 0);
        let name = words[1..].iter().find(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()));
        match words[0] {
            "push" => {
                stack.push((name.map(|n| n.to_string()), current));
                current = number.or(current);
            }
            "pop" => {
                // A name pops down to its push.
                let to = match name {
                    Some(name) => stack.iter().rposition(|(n, _)| n.as_deref() == Some(name)),
                    None => stack.len().checked_sub(1),
                };
                if let Some(to) = to {
                    current = stack[to].1;
                    stack.truncate(to);
                }
            }
            "" => current = None,
            _ => current = number,
        }
        states.push((pragma.span.end, current));
    }
    states
}

//! MONA's examples as heaps, on which formulas are evaluated.
//!
//! A string is printed as values of names, a tree as nested tuples of bits. Every example is checked
//! against all that was given before anything is read from it: should it be misread, or MONA be
//! wrong, there is no answer rather than a wrong one.

use super::backbone::Backbone;
use super::problem::{Problem, Written};
use super::text::{Declared, set_name, variable};
use bolide_base::HashMap;
use bolide_heap::{FieldId, Formula, Kind, Symbol, Term};

/// Objects are numbered; null is the first.
#[derive(Debug, Default)]
pub(super) struct Example {
    objects: usize,
    variables: HashMap<Symbol, usize>,
    truths: HashMap<Symbol, bool>,
    sets: HashMap<FieldId, Vec<bool>>,
    fields: HashMap<FieldId, Vec<usize>>,
}

/// Positions: for strings a number as text, for trees the way from the root.
#[derive(Default)]
struct Printed {
    singles: HashMap<String, String>,
    sets: HashMap<String, Vec<String>>,
}

impl Example {
    /// Reads what MONA printed.
    pub fn read(
        answer: &str,
        problem: &Problem,
        backbone: Backbone,
        declared: &Declared,
    ) -> Option<Example> {
        let (_, example) = answer.split_once("A satisfying example")?;
        let is_tree = matches!(backbone, Backbone::Tree(_));
        let printed = if is_tree { tree(answer, example)? } else { string(example) };
        let mut positions = vec![if is_tree { String::new() } else { "0".into() }];
        positions.extend(printed.sets.get("D")?.iter().cloned());
        let find = |position: &String| positions.iter().position(|p| p == position);
        let mut heap = Example { objects: positions.len(), ..Example::default() };
        for &symbol in &declared.variables {
            let value = printed.singles.get(&variable(symbol));
            if problem.signature.variables[symbol].kind == Kind::Truth {
                heap.truths.insert(symbol, value.is_some_and(|v| v == "true"));
            } else {
                heap.variables.insert(symbol, find(value?)?);
            }
        }
        for &field in &declared.sets {
            let members = printed.sets.get(&set_name(field))?;
            heap.sets.insert(field, positions.iter().map(|p| members.contains(p)).collect());
        }
        let links = |step: &dyn Fn(&str) -> Option<String>| -> Vec<usize> {
            let next = |(at, p): (usize, &String)| match at {
                0 => 0,
                _ => step(p).and_then(|to| find(&to)).unwrap_or(0),
            };
            positions.iter().enumerate().map(next).collect()
        };
        match backbone {
            Backbone::None => {}
            Backbone::List(list) => {
                let step = |p: &str| Some((p.parse::<usize>().ok()? + 1).to_string());
                heap.fields.insert(list.next, links(&step));
            }
            Backbone::Tree(tree) => {
                heap.fields.insert(tree.left, links(&|p| Some(format!("{p}0"))));
                heap.fields.insert(tree.right, links(&|p| Some(format!("{p}1"))));
                let up = |p: &str| p.len().checked_sub(1).map(|n| p[..n].to_owned());
                heap.fields.insert(tree.parent, links(&up));
            }
        }
        for write in &problem.writes {
            let Written::Term(value) = &write.value else { continue };
            let (at, value) = (heap.object(&write.at, &[]), heap.object(value, &[]));
            let before = heap.fields.get(&write.before).cloned();
            if let (Some(mut links), Some(value), Some(at)) = (before, value, at) {
                links[at] = value;
                heap.fields.insert(write.field, links);
            }
        }
        Some(heap)
    }

    /// Whether the formula holds; none when it speaks of what the example lacks.
    pub fn holds(&self, formula: &Formula) -> Option<bool> {
        self.truth(formula, &mut Vec::new())
    }

    fn truth(&self, formula: &Formula, bound: &mut Vec<(Symbol, usize)>) -> Option<bool> {
        Some(match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::Not(inner) => !self.truth(inner, bound)?,
            Formula::And(parts) | Formula::Or(parts) => {
                let conjunction = matches!(formula, Formula::And(_));
                for part in parts {
                    if self.truth(part, bound)? != conjunction {
                        return Some(!conjunction);
                    }
                }
                conjunction
            }
            Formula::Truth(symbol) => *self.truths.get(symbol)?,
            Formula::Eq(a, b) => self.object(a, bound)? == self.object(b, bound)?,
            Formula::Holds(field, a) => self.sets.get(field)?[self.object(a, bound)?],
            Formula::Btwn(field, a, b, c) => {
                let links = self.fields.get(field)?;
                let (b, c) = (self.object(b, bound)?, self.object(c, bound)?);
                let mut at = self.object(a, bound)?;
                let mut passed = at == b;
                for _ in 0..self.objects {
                    if at == c {
                        break;
                    }
                    at = links[at];
                    passed |= at == b;
                }
                at == c && passed
            }
            Formula::Forall(symbols, body) | Formula::Exists(symbols, body) => {
                let universal = matches!(formula, Formula::Forall(..));
                let outside = bound.len();
                let mut choice = vec![0; symbols.len()];
                let mut found = false;
                while !found {
                    bound.extend(symbols.iter().copied().zip(choice.iter().copied()));
                    let holds = self.truth(body, bound);
                    bound.truncate(outside);
                    found = holds? != universal;
                    if !self.advance(&mut choice) {
                        break;
                    }
                }
                found != universal
            }
            Formula::Le(..) => return None,
        })
    }

    /// The next tuple of objects; false after the last.
    fn advance(&self, choice: &mut [usize]) -> bool {
        for digit in choice {
            *digit += 1;
            if *digit < self.objects {
                return true;
            }
            *digit = 0;
        }
        false
    }

    fn object(&self, term: &Term, bound: &[(Symbol, usize)]) -> Option<usize> {
        match term {
            Term::Null => Some(0),
            Term::Var(symbol) => match bound.iter().rev().find(|(s, _)| s == symbol) {
                Some((_, object)) => Some(*object),
                None => self.variables.get(symbol).copied(),
            },
            Term::Read(field, of) => Some(self.fields.get(field)?[self.object(of, bound)?]),
            _ => None,
        }
    }
}

/// Lines such as `v0 = 3`, `p = true`, `S = {1,3}`.
fn string(example: &str) -> Printed {
    let mut printed = Printed::default();
    for line in example.lines() {
        let Some((name, value)) = line.split_once(" = ") else { continue };
        match value.trim().strip_prefix('{').and_then(|v| v.strip_suffix('}')) {
            Some(members) => {
                let members = members.split(',').map(str::trim).filter(|m| !m.is_empty());
                printed.sets.insert(name.into(), members.map(str::to_owned).collect());
            }
            None => {
                printed.singles.insert(name.into(), value.trim().into());
            }
        }
    }
    printed
}

/// One bit for each name at every position, as in `(0001,(1100,(),()),())`; `X` is any.
fn tree(answer: &str, example: &str) -> Option<Printed> {
    let names: Vec<&str> = answer
        .lines()
        .find_map(|l| l.strip_prefix("Free variables are: "))?
        .split(',')
        .map(str::trim)
        .collect();
    let mut printed = Printed::default();
    for name in &names {
        printed.sets.insert((*name).to_owned(), Vec::new());
    }
    let mut lines = example.lines();
    lines.find(|l| l.starts_with("Booleans"))?;
    for (name, bit) in names.iter().zip(lines.next()?.chars()) {
        printed.singles.insert((*name).to_owned(), (bit == '1').to_string());
    }
    lines.find(|l| l.starts_with("Universe"))?;
    // The way to the tuple being read, and how many parts of it were.
    let mut way = String::new();
    let mut parts: Vec<u8> = Vec::new();
    let mut at = 0;
    for c in lines.next()?.chars() {
        match c {
            '(' => {
                if let Some(&part) = parts.last() {
                    way.push(if part == 1 { '0' } else { '1' });
                }
                parts.push(0);
                at = 0;
            }
            ')' => {
                parts.pop()?;
                way.pop();
            }
            ',' => *parts.last_mut()? += 1,
            bit => {
                let name = names.get(at)?;
                at += 1;
                if bit == '1' {
                    printed.sets.get_mut(*name)?.push(way.clone());
                    printed.singles.insert((*name).to_owned(), way.clone());
                }
            }
        }
    }
    Some(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_tree_is_read() {
        let answer = "Free variables are: D, x, p\n\nA satisfying example is:\nBooleans:\nXX1\n\
            Universe <univ>:\n(00X,(10X,(),(11X,(),())),())\n";
        let printed = tree(answer, answer).unwrap();
        assert_eq!(printed.sets["D"], ["0", "01"]);
        assert_eq!(printed.singles["x"], "01");
        assert_eq!(printed.singles["p"], "true");
    }
}

//! What random programs say, line by line (`grammar.txt`), and the globals and helpers that it is
//! about (`memory.c`).
//!
//! The helpers keep promises that generated lines rely on: what they make is initialized, what they
//! are given is only read where they stand in expressions.
//!
//! Both files are in parts for features: `a|b` is for programs with one of the two, `a+b` for those
//! with both. A line of the grammar has a kind, such as statement or condition; ` $ ` begins a new
//! line of the program, and `«..~..»` is any of the alternatives, `‹..~..›` the first where something
//! may go wrong and else the second. Lines `@block`, `@loop` and `@round` are statements, the last two
//! of what is repeated; [`Generator::fill`] knows the letters behind `@`.

use super::generate::{Features, Generator};
use std::collections::BTreeMap;

const LINES: &str = include_str!("grammar.txt");

/// Declarations for the features.
pub fn header(features: &Features) -> String {
    let mut text = String::new();
    let mut wanted = false;
    for line in include_str!("memory.c").lines() {
        match line.strip_prefix("// ") {
            Some(condition) => wanted = features.satisfy(condition),
            None if wanted => text += &format!("{line}\n"),
            None => {}
        }
    }
    text
}

impl Generator {
    /// The lines of a kind that the features allow.
    pub fn lines(&self, kind: &str) -> Vec<&'static str> {
        let allowed = LINES.lines().filter_map(|line| {
            let (condition, text) = line.strip_prefix(kind)?.strip_prefix(' ')?.split_once(": ")?;
            self.features.satisfy(condition).then_some(text)
        });
        allowed.collect()
    }

    /// A line of a kind of which there always is one; expressions in it are less deep.
    pub fn phrase(&mut self, kind: &str, depth: usize) -> String {
        let lines = self.lines(kind);
        let line = self.pick(&lines);
        self.fill(line, depth, &mut BTreeMap::new())
    }

    /// Writes a statement.
    pub fn say(&mut self, statement: &str) {
        let mut names = BTreeMap::new();
        for line in statement.split(" $ ") {
            match line {
                "@block" => self.block(),
                "@round" => self.round(),
                "@loop" => {
                    self.round();
                    if self.dice.chance(20) {
                        self.say("if (@q) «break~continue»;");
                    }
                }
                _ => {
                    self.depth -= usize::from(line.starts_with('}'));
                    let filled = self.fill(line, 1, &mut names);
                    if !filled.is_empty() {
                        self.line(&filled);
                    }
                    self.depth += usize::from(line.ends_with('{'));
                }
            }
        }
        // A variable is known behind its declaration.
        self.locals.extend(names.remove(&'v'));
    }

    /// An index below a power of two; rarely any.
    fn index(&mut self, size: usize) -> String {
        let e = self.expression(1);
        if self.risky() { format!("({e}) % {}", size + 2) } else { format!("({e}) & {}", size - 1) }
    }

    /// The text with alternatives chosen and letters replaced: `@x`, `@e` and `@c` by expressions, `@q` by a
    /// condition, `@f` by a call perhaps, `@i` and `@j` by indices of two and of four elements, `@p` by a place, others by
    /// names that are new; `@v` is that of a variable.
    fn fill(&mut self, text: &str, depth: usize, names: &mut BTreeMap<char, String>) -> String {
        let mut out = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let end = match c {
                '@' => {
                    let letter = rest.next().expect("a letter follows");
                    out += &match letter {
                        'x' => self.expression(depth.saturating_sub(1)),
                        'e' => self.expression(1),
                        'c' => self.expression(0),
                        'q' => self.phrase("condition", 1),
                        'f' => self.value(),
                        'i' => self.index(2),
                        'j' => self.index(4),
                        'p' => self.place(),
                        _ => names.entry(letter).or_insert_with(|| self.name(letter)).clone(),
                    };
                    continue;
                }
                '«' => '»',
                '‹' => '›',
                c => {
                    out.push(c);
                    continue;
                }
            };
            let (inside, after) = rest.as_str().split_once(end).expect("the alternatives end");
            let alternatives: Vec<&str> = inside.split('~').collect();
            let chosen = match end {
                '»' => self.pick(&alternatives),
                _ if self.risky() => alternatives[0],
                _ => alternatives[1],
            };
            out += &self.fill(chosen, depth, names);
            rest = after.chars();
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_for_known_features_and_its_alternatives_are_closed() {
        let known = Features::all();
        for line in LINES.lines().filter(|line| !line.is_empty()) {
            let (head, text) = line.split_once(": ").expect("a kind, features and a text");
            let (kind, condition) = head.split_once(' ').expect("a kind and features");
            assert!(
                ["constant", "place", "expression", "condition", "claim", "statement", "end"]
                    .contains(&kind),
                "{line}"
            );
            assert!(
                condition.split(['|', '+']).all(|name| name == "always" || known.has(name)),
                "{line}"
            );
            for (open, close) in [('«', '»'), ('‹', '›')] {
                let inside = text.split(open).skip(1).map(|rest| rest.split_once(close));
                for part in inside {
                    let (inside, _) = part.expect("what is opened is closed");
                    assert!(inside.contains('~') && !inside.contains(['«', '‹']), "{line}");
                }
            }
        }
    }
}

//! The memory of random programs: the globals and helpers of each feature (`memory.c`), and what is
//! said about them (`memory.txt`).
//!
//! The helpers keep promises that generated lines rely on: what they make is initialized, what they
//! are given is only read where they stand in expressions.
//!
//! Both files are in parts for features: `a|b` is for programs with one of the two, `a+b` for those
//! with both. A line of `memory.txt` is a place, a value, a condition or a statement; `$` begins a new
//! line of the program, and `«..~..»` is any of the alternatives, `‹..~..›` the first where something
//! may go wrong and else the second. [`Generator::fill`] knows the letters behind `@`.

use super::generate::{Features, Generator};
use std::collections::BTreeMap;

const LINES: &str = include_str!("memory.txt");

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
    fn lines(&self, kind: &str) -> Vec<&'static str> {
        let allowed = LINES.lines().filter_map(|line| {
            let (condition, text) = line.strip_prefix(kind)?.strip_prefix(' ')?.split_once(": ")?;
            self.features.satisfy(condition).then_some(text)
        });
        allowed.collect()
    }

    /// A place in memory, a value that helpers or sizes give, a condition; none where the
    /// features have none.
    pub fn memory(&mut self, kind: &str) -> Option<String> {
        let lines = self.lines(kind);
        (!lines.is_empty()).then(|| {
            let line = self.pick(&lines);
            self.fill(line, &mut BTreeMap::new())
        })
    }

    /// A statement about memory; whether there is any for the features.
    pub fn memory_statement(&mut self) -> bool {
        let mut lines = self.lines("statement");
        // Not too deep.
        lines.retain(|line| !line.starts_with("{ ") || self.depth < 4);
        if lines.is_empty() {
            return false;
        }
        let line = self.pick(&lines);
        self.say(line);
        true
    }

    /// Frees what there is, mostly.
    pub fn clean_up(&mut self) {
        if self.dice.chance(60) {
            self.lines("end").into_iter().for_each(|line| self.say(line));
        }
    }

    fn say(&mut self, statement: &str) {
        let mut names = BTreeMap::new();
        for line in statement.split(" $ ") {
            if line == "@block" {
                self.depth -= 1;
                self.block(2);
                self.depth += 1;
                continue;
            }
            self.depth -= usize::from(line == "}");
            match self.fill(line, &mut names) {
                nothing if nothing.is_empty() => {}
                filled => self.line(&filled),
            }
            self.depth += usize::from(line == "{");
        }
    }

    /// An index below a power of two; rarely any.
    fn index(&mut self, size: usize) -> String {
        let e = self.expression(1);
        if self.risky() { format!("({e}) % {}", size + 2) } else { format!("({e}) & {}", size - 1) }
    }

    /// The text with alternatives chosen and letters replaced: `@e` and `@c` by expressions, `@i` and
    /// `@j` by indices of two and of four elements, `@p` by a place, others by names that are new.
    fn fill(&mut self, text: &str, names: &mut BTreeMap<char, String>) -> String {
        let mut out = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let end = match c {
                '@' => {
                    let letter = rest.next().expect("a letter follows");
                    out += &match letter {
                        'e' => self.expression(1),
                        'c' => self.expression(0),
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
            out += &self.fill(chosen, names);
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
            assert!(["place", "value", "condition", "statement", "end"].contains(&kind), "{line}");
            assert!(condition.split(['|', '+']).all(|name| known.has(name)), "{line}");
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

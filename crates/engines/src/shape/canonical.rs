//! Questions modulo renaming, kept from one run to the next.
//!
//! Two questions that differ only in the names of variables and fields have the same answer (6.2.3 of the thesis). A
//! question's print numbers names in the order in which they occur; what was refuted is remembered under its
//! print, with the parts that were needed. The memory is shared by all functions of a program, and
//! `--proofs DIR` keeps it between runs. Nothing is believed: prints are short and may collide, so the audit
//! proves what is used as if it had just been found.

use super::view::Command;
use bolide_base::HashMap;
use bolide_heap::{FieldId, Formula, Symbol, Term};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

/// What was refuted, by print, with the numbers of the parts that were needed.
#[derive(Clone, Debug, Default)]
pub struct Remembered(pub Arc<Mutex<BTreeMap<u64, Vec<usize>>>>);

impl Remembered {
    /// The parts that were needed the last time.
    pub fn get(&self, print: u64) -> Option<Vec<usize>> {
        self.0.lock().ok()?.get(&print).cloned()
    }

    /// Keeps an answer.
    pub fn add(&self, print: u64, needed: &[usize]) {
        if let Ok(mut all) = self.0.lock() {
            all.insert(print, needed.to_vec());
        }
    }

    /// As text, one question on a line.
    pub fn text(&self) -> String {
        let Ok(all) = self.0.lock() else { return String::new() };
        let line = |(print, needed): (&u64, &Vec<usize>)| {
            let needed: Vec<String> = needed.iter().map(usize::to_string).collect();
            format!("{print:016x} {}\n", needed.join(" "))
        };
        all.iter().map(line).collect()
    }

    /// From text; what cannot be read is left out.
    pub fn read(text: &str) -> Remembered {
        let mut all = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let print = words.next().and_then(|word| u64::from_str_radix(word, 16).ok());
            let needed: Result<Vec<usize>, _> = words.map(str::parse).collect();
            if let (Some(print), Ok(needed)) = (print, needed) {
                all.insert(print, needed);
            }
        }
        Remembered(Arc::new(Mutex::new(all)))
    }
}

/// The print of a question: what holds, what is done, and what is to hold then.
pub fn print(parts: &[Formula], commands: &[Command], goal: Option<&Formula>) -> u64 {
    // Required to be the same in every run: no seed.
    let mut printer = Printer {
        hasher: std::hash::DefaultHasher::new(),
        symbols: HashMap::default(),
        fields: HashMap::default(),
    };
    parts.len().hash(&mut printer.hasher);
    for part in parts {
        printer.formula(part);
    }
    for command in commands {
        printer.command(command);
    }
    goal.is_some().hash(&mut printer.hasher);
    if let Some(goal) = goal {
        printer.formula(goal);
    }
    printer.hasher.finish()
}

struct Printer {
    hasher: std::hash::DefaultHasher,
    symbols: HashMap<Symbol, u32>,
    fields: HashMap<FieldId, u32>,
}

impl Printer {
    fn tag(&mut self, tag: u8) {
        tag.hash(&mut self.hasher);
    }

    fn symbol(&mut self, symbol: Symbol) {
        let next = self.symbols.len() as u32;
        self.symbols.entry(symbol).or_insert(next).hash(&mut self.hasher);
    }

    fn field(&mut self, field: FieldId) {
        let next = self.fields.len() as u32;
        self.fields.entry(field).or_insert(next).hash(&mut self.hasher);
    }

    fn term(&mut self, term: &Term) {
        match term {
            Term::Null => self.tag(1),
            Term::Var(symbol) => {
                self.tag(2);
                self.symbol(*symbol);
            }
            Term::Read(field, of) => {
                self.tag(3);
                self.field(*field);
                self.term(of);
            }
            Term::Int(n) => {
                self.tag(4);
                n.hash(&mut self.hasher);
            }
            Term::Add(a, b) => {
                self.tag(5);
                self.term(a);
                self.term(b);
            }
            Term::Scale(k, a) => {
                self.tag(6);
                k.hash(&mut self.hasher);
                self.term(a);
            }
            Term::If(c, a, b) => {
                self.tag(7);
                self.formula(c);
                self.term(a);
                self.term(b);
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::True => self.tag(10),
            Formula::False => self.tag(11),
            Formula::Eq(a, b) | Formula::Le(a, b) => {
                self.tag(if matches!(formula, Formula::Eq(..)) { 12 } else { 13 });
                self.term(a);
                self.term(b);
            }
            Formula::Truth(symbol) => {
                self.tag(14);
                self.symbol(*symbol);
            }
            Formula::Holds(field, a) => {
                self.tag(15);
                self.field(*field);
                self.term(a);
            }
            Formula::Btwn(field, a, b, c) => {
                self.tag(16);
                self.field(*field);
                [a, b, c].into_iter().for_each(|t| self.term(t));
            }
            Formula::Not(a) => {
                self.tag(17);
                self.formula(a);
            }
            Formula::And(all) | Formula::Or(all) => {
                self.tag(if matches!(formula, Formula::And(_)) { 18 } else { 19 });
                all.len().hash(&mut self.hasher);
                all.iter().for_each(|f| self.formula(f));
            }
            Formula::Forall(bound, body) | Formula::Exists(bound, body) => {
                self.tag(if matches!(formula, Formula::Forall(..)) { 20 } else { 21 });
                bound.len().hash(&mut self.hasher);
                bound.iter().for_each(|s| self.symbol(*s));
                self.formula(body);
            }
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Assume(formula) => {
                self.tag(30);
                self.formula(formula);
            }
            Command::Assign(symbol, term) => {
                self.tag(31);
                self.symbol(*symbol);
                self.term(term);
            }
            Command::Havoc(symbol, range) => {
                self.tag(32);
                self.symbol(*symbol);
                range.hash(&mut self.hasher);
            }
            Command::Write(field, at, value) => {
                self.tag(33);
                self.field(*field);
                self.term(at);
                value.is_some().hash(&mut self.hasher);
                value.iter().for_each(|t| self.term(t));
            }
            Command::Mark(field, at, value) => {
                self.tag(34);
                self.field(*field);
                self.term(at);
                value.hash(&mut self.hasher);
            }
            Command::New(symbol) => {
                self.tag(35);
                self.symbol(*symbol);
            }
            Command::Snapshot(a, b) => {
                self.tag(36);
                self.field(*a);
                self.field(*b);
            }
            Command::Forget(field) => {
                self.tag(37);
                self.field(*field);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_heap::{Kind, Signature};

    #[test]
    fn names_do_not_matter_and_everything_else_does() {
        let mut signature = Signature::default();
        let x = signature.variable("x", Kind::Object);
        let y = signature.variable("y", Kind::Object);
        let (f, g) = (signature.field("f", Kind::Object), signature.field("g", Kind::Object));
        let question = |x: Symbol, y: Symbol, f: FieldId, n: i128| {
            let (vx, vy) = (Term::Var(x), Term::Var(y));
            let parts = [Formula::reach(f, vx.clone(), vy.clone()), Formula::ne(vx.clone(), vy)];
            let commands = [Command::Assign(y, Term::read(f, vx)), Command::Havoc(x, Some((0, n)))];
            print(&parts, &commands, None)
        };
        let first = question(x, y, f, 1);
        assert_eq!(first, question(y, x, g, 1));
        assert_ne!(first, question(x, y, f, 2));
        assert_ne!(first, question(x, x, f, 1));
        let remembered = Remembered::default();
        remembered.add(first, &[0, 2]);
        let again = Remembered::read(&remembered.text());
        assert_eq!(again.get(first), Some(vec![0, 2]));
        assert_eq!(again.get(first ^ 1), None);
    }
}

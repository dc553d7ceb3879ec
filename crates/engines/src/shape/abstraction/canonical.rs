//! Questions modulo renaming, kept from one run to the next.
//!
//! Two questions that differ only in the names of variables and fields have the same answer (6.2.3 of the thesis). A
//! question's print numbers names in the order in which they occur; what was refuted is remembered under its
//! print, with the parts that were needed. The memory is shared by all functions of a program, and
//! `--proofs DIR` keeps it between runs. Nothing is believed: prints are short and may collide, so the audit
//! proves what is used as if it had just been found.

use bolide_base::HashMap;
use bolide_base::arena::Id;
use bolide_heap::program::view::Command;
use bolide_heap::{FieldId, Formula, Symbol, Term};
use std::cell::RefCell;
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
    let names = Names::default();
    // Required to be the same in every run: no seed.
    let mut hasher = std::hash::DefaultHasher::new();
    parts.len().hash(&mut hasher);
    parts.iter().for_each(|part| names.formula(part).hash(&mut hasher));
    commands.iter().for_each(|command| names.command(command).hash(&mut hasher));
    goal.map(|goal| names.formula(goal)).hash(&mut hasher);
    hasher.finish()
}

/// Numbers for names, in the order in which they occur.
#[derive(Default)]
struct Names {
    symbols: RefCell<HashMap<Symbol, Symbol>>,
    fields: RefCell<HashMap<FieldId, FieldId>>,
}

impl Names {
    fn symbol(&self, symbol: Symbol) -> Symbol {
        let mut known = self.symbols.borrow_mut();
        let next = Symbol::from_index(known.len());
        *known.entry(symbol).or_insert(next)
    }

    fn field(&self, field: FieldId) -> FieldId {
        let mut known = self.fields.borrow_mut();
        let next = FieldId::from_index(known.len());
        *known.entry(field).or_insert(next)
    }

    fn term(&self, term: &Term) -> Term {
        term.replace(&|s| Some(Term::Var(self.symbol(s))), &|f| self.field(f))
    }

    fn formula(&self, formula: &Formula) -> Formula {
        let bound = |all: &[Symbol]| all.iter().map(|s| self.symbol(*s)).collect();
        let list = |all: &[Formula]| all.iter().map(|f| self.formula(f)).collect();
        match formula {
            Formula::Truth(symbol) => Formula::Truth(self.symbol(*symbol)),
            Formula::Not(a) => Formula::Not(Box::new(self.formula(a))),
            Formula::And(all) => Formula::And(list(all)),
            Formula::Or(all) => Formula::Or(list(all)),
            Formula::Forall(names, a) => Formula::Forall(bound(names), Box::new(self.formula(a))),
            Formula::Exists(names, a) => Formula::Exists(bound(names), Box::new(self.formula(a))),
            atom => atom.replace(&|s| Some(Term::Var(self.symbol(s))), &|f| self.field(f)),
        }
    }

    fn command(&self, command: &Command) -> Command {
        match command {
            Command::Assume(formula) => Command::Assume(self.formula(formula)),
            Command::Assign(s, value) => Command::Assign(self.symbol(*s), self.term(value)),
            Command::Havoc(symbol, range) => Command::Havoc(self.symbol(*symbol), *range),
            Command::Write(field, at, value) => {
                let value = value.as_ref().map(|value| self.term(value));
                Command::Write(self.field(*field), self.term(at), value)
            }
            Command::Mark(f, at, value) => Command::Mark(self.field(*f), self.term(at), *value),
            Command::New(symbol) => Command::New(self.symbol(*symbol)),
            Command::Snapshot(a, b) => Command::Snapshot(self.field(*a), self.field(*b)),
            Command::Forget(field) => Command::Forget(self.field(*field)),
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

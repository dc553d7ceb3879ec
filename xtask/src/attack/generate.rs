//! Random C programs that ask for a few inputs and claim something.
//!
//! What they say is in `grammar.txt` and is put together by [`grammar`](super::grammar); here is where it stands.
//!
//! Each program uses some of the features only (swarm testing, Groce et al., ISSTA 2012), so that
//! programs are small and different. What may go wrong does so rarely and on purpose ([`Generator::risky`]): small
//! integers, narrow types and masks keep most runs defined, everything is initialized, and pointers are compared
//! with null only where they may dangle. The few globals are shared, so that aliasing is likely.
//!
//! Lines that end in `// frame` and `// vla` are rewritten for the judge.

use bolide_testing::Dice;
use std::fmt::Write;

/// The program of a seed: lines of the header, which belong to all programs, and those that may be left out.
pub fn random_program(seed: u64) -> (Features, String) {
    let mut dice = Dice::new(seed);
    // Few, so that they meet.
    // Memory that comes and goes is met twice as often as the rest.
    let chosen: Vec<usize> = (0..1 + dice.roll(5)).map(|_| dice.roll(21)).collect();
    let has = |number: usize| chosen.iter().any(|c| *c == number || *c == number + 12 && *c > 16);
    let chosen = FEATURES.iter().enumerate().filter(|(number, _)| has(*number));
    let features = Features(chosen.map(|(_, name)| *name).collect());
    let risk = [0, 25, 60][dice.roll(3)];
    let mut generator = Generator {
        dice,
        features,
        risk,
        text: String::new(),
        depth: 0,
        locals: Vec::new(),
        loops: 0,
        fresh: 0,
        budget: 0,
        callable: 0,
        has_table: false,
        inputs: 0,
    };
    generator.program();
    (generator.features, generator.text)
}

/// What a program may be made of.
#[derive(Clone, Debug)]
pub struct Features(Vec<&'static str>);

impl Features {
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    #[cfg(test)]
    pub fn all() -> Features {
        Features(FEATURES.to_vec())
    }

    /// Whether all of some alternative are there.
    pub fn satisfy(&self, condition: &str) -> bool {
        let mut alternatives = condition.split('|');
        alternatives.any(|all| all == "always" || all.split('+').all(|name| self.has(name)))
    }
}

const FEATURES: [&str; 17] = [
    // `int *p`.
    "pointers",
    // `int a[4]`, `int d[2][3]`.
    "arrays",
    // Structs, in arrays, copied, passed by value.
    "structs",
    // Unions with members of several types.
    "unions",
    // Bit-fields.
    "bit_fields",
    // Lists on the heap.
    "lists",
    // Arrays on the heap.
    "heap_arrays",
    // Pointers to locals of scopes and functions.
    "lifetimes",
    // `alloca` and arrays of variable length.
    "allocas",
    // Characters and functions of `string.h`.
    "strings",
    // Calls through pointers.
    "function_pointers",
    // `goto` and `switch`.
    "jumps",
    // `unsigned`, `long` and narrow types.
    "wide",
    // Objects as bytes.
    "bytes",
    // Pointers in structs and arrays.
    "holders",
    // Pointers that are moved and compared within an array.
    "walks",
    // Recursion with pointers to locals, static locals, compound literals.
    "calls",
];

pub struct Generator {
    pub dice: Dice,
    pub features: Features,
    /// How often something undefined may happen, in percent of the places where it could.
    risk: usize,
    text: String,
    /// Of blocks.
    pub depth: usize,
    pub locals: Vec<String>,
    /// Loops around the place.
    pub loops: usize,
    fresh: usize,
    /// Statements that may still be made.
    budget: usize,
    /// Functions that may be called here: those before, so that calls end.
    callable: usize,
    /// Whether they are in a table, through which they may be called.
    has_table: bool,
    /// Inputs that were asked for; every one multiplies the runs of the judge.
    inputs: usize,
}

impl Generator {
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 2 * self.depth);
    }

    /// Whether something may go wrong here.
    pub fn risky(&mut self) -> bool {
        self.dice.chance(self.risk)
    }

    /// A name that nothing has yet.
    pub fn name(&mut self, letter: char) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh)
    }

    /// One of these.
    pub fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.dice.roll(among.len())]
    }

    fn program(&mut self) {
        let functions = self.dice.roll(3);
        for i in 0..functions {
            self.function(i);
        }
        if self.features.has("function_pointers") && functions > 0 {
            let all: Vec<String> = (0..2).map(|i| format!("f{}", i % functions)).collect();
            self.line(&format!("static int (*table[2])(int, int) = {{{}}};", all.join(", ")));
            self.has_table = true;
        }
        self.callable = functions;
        self.line("int main(void) { // frame");
        self.depth += 1;
        self.locals.clear();
        self.budget = 6 + self.dice.roll(8);
        for name in ["x", "y"] {
            let (low, width) = (self.dice.roll(5) as i64 - 2, self.dice.roll(5) as i64);
            self.line(&format!("int {name} = input({low}, {});", low + width));
            self.locals.push(name.to_owned());
        }
        while self.budget > 0 {
            self.statement();
        }
        self.claim();
        self.clean_up();
        self.line("return 0;");
        self.depth -= 1;
        self.line("}");
    }

    fn function(&mut self, i: usize) {
        self.callable = i;
        self.line(&format!("static int f{i}(int v, int w) {{ // frame"));
        self.depth += 1;
        self.locals = vec!["v".into(), "w".into()];
        self.budget = 1 + self.dice.roll(4);
        if self.dice.chance(25) {
            // The recursion ends: its first argument falls to zero.
            let e = self.expression(1);
            self.line("if (v <= 0 || v > 6)");
            self.line(&format!("  return {e};"));
            let (e, d) = (self.expression(1), self.expression(1));
            self.line(&format!("w = f{i}(v - 1, {e}) + ({d});"));
        }
        while self.budget > 0 {
            self.statement();
        }
        let e = self.expression(2);
        self.line(&format!("return {e};"));
        self.depth -= 1;
        self.line("}");
    }

    /// A few statements, after which their variables are gone.
    pub fn block(&mut self) {
        let locals = self.locals.len();
        for _ in 0..1 + self.dice.roll(3) {
            self.statement();
        }
        self.locals.truncate(locals);
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        if self.dice.chance(6) {
            return self.claim();
        }
        let mut lines = self.lines("statement");
        let (deep, looping) = (self.depth >= 4, self.loops >= 2);
        let asks = self.inputs < 2 && self.loops == 0;
        lines.retain(|line| {
            let repeats = line.contains("@loop") || line.contains("@round");
            let nests = repeats || line.contains("@block") || line.starts_with("{ ");
            !(deep && nests || looping && repeats || line.contains("input(") && !asks)
        });
        let line = self.pick(&lines);
        self.inputs += usize::from(line.contains("input("));
        self.say(line);
    }

    fn claim(&mut self) {
        let lines = self.lines("claim");
        let line = self.pick(&lines);
        self.say(line);
    }

    /// Frees what there is, mostly.
    fn clean_up(&mut self) {
        if self.dice.chance(60) {
            self.lines("end").into_iter().for_each(|line| self.say(line));
        }
    }

    /// The body of a loop, or of what is jumped back to.
    pub fn round(&mut self) {
        self.loops += 1;
        self.block();
        self.loops -= 1;
    }

    /// Of a new variable: calls stand here only, so that no order of evaluation matters.
    pub fn value(&mut self) -> String {
        let (e, d) = (self.expression(2), self.expression(1));
        match self.callable {
            0 => e,
            _ if self.loops > 0 || self.dice.chance(30) => e,
            _ if self.has_table && self.dice.chance(50) => {
                format!("table[({d}) & 1]({e}, {d})")
            }
            n => format!("f{}({e}, {d})", self.dice.roll(n)),
        }
    }

    /// Something of an arithmetic type that can be assigned.
    pub fn place(&mut self) -> String {
        match self.dice.roll(10) {
            0 | 1 => self.pick(&["g", "h"]).to_owned(),
            2 if self.features.has("wide") => self.pick(&["u", "c", "b", "s", "l"]).to_owned(),
            3..=6 if !self.locals.is_empty() => {
                self.locals[self.dice.roll(self.locals.len())].clone()
            }
            _ => match self.lines("place").is_empty() {
                true => "g".to_owned(),
                false => self.phrase("place", 0),
            },
        }
    }

    pub fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.chance(30) {
            return if self.dice.chance(35) { self.phrase("constant", 0) } else { self.place() };
        }
        self.phrase("expression", depth)
    }
}

//! Random C programs that ask for a few inputs and claim something.
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
    locals: Vec<String>,
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

    pub fn block(&mut self, statements: usize) {
        self.depth += 1;
        let locals = self.locals.len();
        for _ in 0..statements {
            self.statement();
        }
        self.locals.truncate(locals);
        self.depth -= 1;
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        let shallow = self.depth < 4;
        match self.dice.roll(32) {
            0..=4 => {
                let (to, e) = (self.place(), self.expression(2));
                let op = self.pick(&["=", "=", "=", "+=", "-=", "^=", "|=", "&="]);
                self.line(&format!("{to} {op} {e};"));
            }
            5 => {
                let (to, op) = (self.place(), self.pick(&["++", "--"]));
                self.line(&format!("{to}{op};"));
            }
            6 | 7 if shallow => {
                let e = self.condition();
                self.line(&format!("if ({e}) {{"));
                let size = 1 + self.dice.roll(3);
                self.block(size);
                if self.dice.chance(50) {
                    self.line("} else {");
                    let size = 1 + self.dice.roll(2);
                    self.block(size);
                }
                self.line("}");
            }
            8 if shallow && self.loops < 2 => self.counted_loop(),
            9 if shallow && self.loops < 2 => self.open_loop(),
            10 if shallow && self.features.has("jumps") => self.switch(),
            11 if shallow && self.features.has("jumps") => self.jump(),
            12 => {
                let (name, e) = (self.name('t'), self.value());
                let ty = match self.features.has("wide") {
                    true => {
                        self.pick(&["int", "unsigned", "signed char", "short", "long", "_Bool"])
                    }
                    false => "int",
                };
                self.line(&format!("{ty} {name} = {e};"));
                self.locals.push(name);
            }
            13 if self.inputs < 2 && self.loops == 0 => {
                self.inputs += 1;
                let (to, low) = (self.place(), self.dice.roll(4) as i64 - 1);
                let high = low + 1 + self.dice.roll(2) as i64;
                self.line(&format!("{to} = input({low}, {high});"));
            }
            14 if self.dice.chance(30) => {
                let e = self.condition();
                self.line(&format!("__VERIFIER_assume({e});"));
            }
            15 | 16 => self.claim(),
            _ => {
                if !self.memory_statement() {
                    let (to, e) = (self.place(), self.expression(1));
                    self.line(&format!("{to} = {e};"));
                }
            }
        }
    }

    /// Of a new variable: calls stand here only, so that no order of evaluation matters.
    fn value(&mut self) -> String {
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

    fn counted_loop(&mut self) {
        let name = self.name('i');
        let bound = match self.dice.roll(3) {
            0 => (1 + self.dice.roll(5)).to_string(),
            1 => format!("(({}) & 7)", self.expression(1)),
            _ => format!("(unsigned)({}) % 6u", self.expression(1)),
        };
        let (ty, step) = (self.pick(&["int", "unsigned", "unsigned char"]), 1 + self.dice.roll(2));
        self.line(&format!("for ({ty} {name} = 0; {name} < {bound}; {name} += {step}) {{"));
        self.inside_loop(Some(name));
        self.line("}");
    }

    fn open_loop(&mut self) {
        let fuel = self.name('k');
        match self.dice.roll(3) {
            0 if self.inputs < 2 => {
                // As long as the inputs say, but not for long: the judge tries them all.
                self.inputs += 1;
                let times = 1 + self.dice.roll(4);
                self.line(&format!("int {fuel} = {times};"));
                self.line(&format!("while ({fuel}-- > 0 && input(0, 1)) {{"));
            }
            1 => {
                let times = 2 + self.dice.roll(6);
                self.line(&format!("int {fuel} = {times};"));
                let e = self.condition();
                self.line(&format!("while ({fuel}-- > 0 && ({e})) {{"));
            }
            _ => {
                let times = 1 + self.dice.roll(4);
                self.line(&format!("int {fuel} = {times};"));
                self.line("do {");
                self.inside_loop(None);
                self.line(&format!("}} while (--{fuel} > 0);"));
                return;
            }
        }
        self.inside_loop(None);
        self.line("}");
    }

    fn inside_loop(&mut self, counter: Option<String>) {
        self.loops += 1;
        let known = self.locals.len();
        let size = 1 + self.dice.roll(3);
        // The counter is read in the body, never written: the loop ends.
        if let Some(counter) = counter
            && self.dice.chance(60)
        {
            self.depth += 1;
            let to = self.place();
            self.line(&format!("{to} += {counter};"));
            self.depth -= 1;
        }
        self.block(size);
        if self.dice.chance(20) {
            let (e, what) = (self.condition(), self.pick(&["break", "continue"]));
            self.line(&format!("  if ({e}) {what};"));
        }
        self.locals.truncate(known);
        self.loops -= 1;
    }

    fn switch(&mut self) {
        let e = self.expression(1);
        self.line(&format!("switch (({e}) & 3) {{"));
        for case in 0..1 + self.dice.roll(3) {
            self.line(&format!("case {case}: {{"));
            self.block(1);
            self.line("}");
            if self.dice.chance(70) {
                self.line("  break;");
            }
        }
        if self.dice.chance(50) {
            self.line("default: {");
            self.block(1);
            self.line("}");
        }
        self.line("}");
    }

    /// Over a block, out of one, or back to its start a few times.
    fn jump(&mut self) {
        let label = self.name('L');
        match self.dice.roll(3) {
            0 => {
                let e = self.condition();
                self.line(&format!("if ({e}) goto {label};"));
                self.line("{");
                self.block(2);
                self.line("}");
                self.line(&format!("{label}:;"));
            }
            1 => {
                self.line("{");
                self.block(1);
                let e = self.condition();
                self.line(&format!("  if ({e}) goto {label};"));
                self.block(1);
                self.line("}");
                self.line(&format!("{label}:;"));
            }
            _ => {
                let (fuel, times) = (self.name('k'), 1 + self.dice.roll(3));
                self.line(&format!("int {fuel} = {times};"));
                self.line(&format!("{label}:;"));
                self.line("{");
                self.loops += 1;
                self.block(2);
                self.loops -= 1;
                self.line("}");
                self.line(&format!("if ({fuel}-- > 0) goto {label};"));
            }
        }
    }

    fn claim(&mut self) {
        let e = match self.dice.roll(4) {
            0 => self.condition(),
            1 => {
                let (x, k) = (self.place(), self.dice.roll(40) as i64 - 5);
                format!("{x} <= {k}")
            }
            2 => {
                let (x, k) = (self.place(), self.dice.roll(12) as i64 - 8);
                format!("{x} >= {k}")
            }
            _ => {
                let (x, k) = (self.expression(1), self.dice.roll(300) as i64 - 100);
                format!("({x}) != {k}")
            }
        };
        self.line(&format!("if (!({e})) reach_error();"));
    }

    /// Something of an arithmetic type that can be assigned.
    pub fn place(&mut self) -> String {
        match self.dice.roll(10) {
            0 | 1 => self.pick(&["g", "h"]).to_owned(),
            2 if self.features.has("wide") => self.pick(&["u", "c", "b", "s", "l"]).to_owned(),
            3..=6 if !self.locals.is_empty() => {
                self.locals[self.dice.roll(self.locals.len())].clone()
            }
            _ => self.memory("place").unwrap_or_else(|| "g".into()),
        }
    }

    fn constant(&mut self) -> String {
        match self.dice.roll(8) {
            0 | 1 if self.risky() => {
                self.pick(&["2147483647", "1000000000", "-2147483647"]).to_owned()
            }
            0 => self.pick(&["255", "256", "127", "128", "65535", "32768"]).to_owned(),
            1 if self.features.has("wide") => self.pick(&["1u", "4u", "2l", "200u"]).to_owned(),
            _ => (self.dice.roll(9) as i64 - 2).to_string(),
        }
    }

    pub fn condition(&mut self) -> String {
        let compare = |g: &mut Self| {
            let op = g.pick(&["<", "<=", ">", ">=", "==", "!="]);
            let (left, right) = (g.expression(1), g.expression(1));
            format!("{left} {op} {right}")
        };
        match self.dice.roll(8) {
            0 => {
                let (left, right) = (compare(self), compare(self));
                format!("{left} && {right}")
            }
            1 => {
                let (left, right) = (compare(self), compare(self));
                format!("{left} || {right}")
            }
            2 => format!("!({})", self.expression(1)),
            3 => self.memory("condition").unwrap_or_else(|| "g".into()),
            _ => compare(self),
        }
    }

    pub fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.chance(30) {
            return if self.dice.chance(35) { self.constant() } else { self.place() };
        }
        let left = self.expression(depth - 1);
        match self.dice.roll(17) {
            0..=5 => {
                let right = self.expression(depth - 1);
                let op = self.pick(&["+", "-", "+", "-", "&", "|", "^"]);
                format!("({left} {op} {right})")
            }
            6 => {
                let right = self.expression(depth - 1);
                format!("(({left}) % 16 * (({right}) & 7))")
            }
            7 => format!("({left} & {})", [1, 3, 7, 15, 255][self.dice.roll(5)]),
            8 => format!("({left} % {})", [2, 3, 4, 5, 256][self.dice.roll(5)]),
            9 if self.risky() => {
                let right = self.expression(depth - 1);
                format!("(({left}) {} ({right}))", self.pick(&["/", "%"]))
            }
            9 => format!("({left} / {})", [2, 3, -2, 8][self.dice.roll(4)]),
            10 if self.risky() => {
                let right = self.expression(depth - 1);
                format!("(({left}) {} ({right}))", self.pick(&["<<", ">>"]))
            }
            10 => format!("(({left} & 255) {} {})", self.pick(&["<<", ">>"]), self.dice.roll(6)),
            11 if self.features.has("wide") => {
                let ty = self.pick(&["signed char", "unsigned char", "short", "unsigned", "long"]);
                format!("({ty})({left})")
            }
            12 => {
                let (test, right) = (self.condition(), self.expression(depth - 1));
                format!("({test} ? {left} : {right})")
            }
            13 => format!("{}({left})", self.pick(&["~", "-", "!"])),
            // Rarely: they loop.
            14 | 15 if self.dice.chance(30) => self.memory("value").unwrap_or(left),
            _ => {
                let right = self.expression(depth - 1);
                format!("({left} {} {right})", self.pick(&["<", "==", ">="]))
            }
        }
    }
}

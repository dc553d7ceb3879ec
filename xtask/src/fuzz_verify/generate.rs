//! Random C programs that ask for inputs and claim something.
//!
//! Small integers, narrow types and masks keep most runs defined; what is
//! undefined all the same ends the run for the judge. Every program uses the
//! same few globals, so that aliasing through the pointers is likely.

use crate::fuzz_smt::Dice;
use std::fmt::Write;

/// The program of a seed.
pub fn random_program(seed: u64) -> String {
    let mut generator = Generator {
        dice: Dice::new(seed),
        text: String::new(),
        depth: 0,
        locals: Vec::new(),
        loops: 0,
        fresh: 0,
        functions: 0,
        budget: 0,
        callable: 0,
    };
    generator.program();
    generator.text
}

const GLOBALS: [&str; 7] = ["g", "h", "u", "c", "b", "s", "l"];

const HEADER: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern void *malloc(unsigned long);
struct pair { int x; unsigned char y; struct pair *next; };
int g = 1, h;
unsigned u = 3;
signed char c = -1;
unsigned char b;
short s;
long l = 7;
int a[4] = {1, 2};
struct pair q = {2, 5}, r;
int *p = &g;
struct pair *n = &q;
static int input(int low, int high) {
  int v = __VERIFIER_nondet_int();
  __VERIFIER_assume(v >= low && v <= high);
  return v;
}
";

struct Generator {
    dice: Dice,
    text: String,
    /// Of blocks.
    depth: usize,
    locals: Vec<String>,
    /// Loops around the place.
    loops: usize,
    fresh: usize,
    functions: usize,
    /// Statements that may still be made.
    budget: usize,
    /// Functions that may be called here: those before, so that calls end.
    callable: usize,
}

impl Generator {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 2 * self.depth);
    }

    fn program(&mut self) {
        self.text.push_str(HEADER);
        let functions = self.dice.roll(3);
        for i in 0..functions {
            self.function(i);
        }
        self.functions = functions;
        self.callable = functions;
        self.line("int main(void) {");
        self.depth += 1;
        self.locals.clear();
        self.budget = 6 + self.dice.roll(10);
        for name in ["x", "y"] {
            let (low, width) = (self.dice.roll(5) as i64 - 2, self.dice.roll(6) as i64);
            self.line(&format!("int {name} = input({low}, {});", low + width));
            self.locals.push(name.to_owned());
        }
        while self.budget > 0 {
            self.statement();
        }
        self.claim();
        self.line("return 0;");
        self.depth -= 1;
        self.line("}");
    }

    fn function(&mut self, i: usize) {
        self.callable = i;
        let result = ["int", "unsigned", "short", "unsigned char"][self.dice.roll(4)];
        self.line(&format!("static {result} f{i}(int v, int w) {{"));
        self.depth += 1;
        self.locals = vec!["v".into(), "w".into()];
        self.budget = 1 + self.dice.roll(5);
        if self.dice.chance(30) {
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

    fn block(&mut self, statements: usize) {
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
        match self.dice.roll(20) {
            0..=5 => {
                let (to, e) = (self.place(), self.expression(2));
                let op = ["=", "=", "=", "+=", "-=", "^=", "|=", "&="][self.dice.roll(8)];
                self.line(&format!("{to} {op} {e};"));
            }
            6 => {
                let to = self.place();
                let op = ["++", "--"][self.dice.roll(2)];
                self.line(&format!("{to}{op};"));
            }
            7 => {
                let i = self.expression(1);
                let target = [
                    "&g".into(),
                    "&h".into(),
                    format!("&a[({i}) & 3]"),
                    "&q.x".into(),
                    "&n->x".into(),
                ];
                let to = &target[self.dice.roll(5)];
                self.line(&format!("p = {to};"));
            }
            8 => {
                let target = ["&q", "&r", "n->next ? n->next : &r"][self.dice.roll(3)];
                let to = ["n", "q.next", "r.next"][self.dice.roll(3)];
                self.line(&format!("{to} = {target};"));
            }
            9 | 10 if shallow => {
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
            11 | 12 if shallow && self.loops < 2 => self.counted_loop(),
            13 if shallow && self.loops < 2 => self.open_loop(),
            14 if shallow => self.switch(),
            15 => {
                let name = format!("t{}", self.fresh);
                self.fresh += 1;
                let ty = ["int", "unsigned", "signed char", "unsigned short", "long", "_Bool"]
                    [self.dice.roll(6)];
                let e = self.expression(2);
                self.line(&format!("{ty} {name} = {e};"));
                self.locals.push(name);
            }
            16 => {
                let (to, low) = (self.place(), self.dice.roll(4) as i64 - 1);
                let high = low + 1 + self.dice.roll(3) as i64;
                self.line(&format!("{to} = input({low}, {high});"));
            }
            17 if self.dice.chance(40) => {
                let e = self.condition();
                self.line(&format!("__VERIFIER_assume({e});"));
            }
            18 if self.depth < 3 && self.loops == 0 => {
                self.line("{");
                self.depth += 1;
                self.line("struct pair *m = malloc(sizeof(struct pair));");
                self.line("if (m) {");
                let (e, f) = (self.expression(1), self.expression(1));
                self.line(&format!("  m->x = {e}; m->y = {f}; m->next = n;"));
                if self.dice.chance(70) {
                    self.line("  n = m;");
                }
                self.line("}");
                self.depth -= 1;
                self.line("}");
            }
            _ => self.claim(),
        }
    }

    fn counted_loop(&mut self) {
        let name = format!("i{}", self.fresh);
        self.fresh += 1;
        let bound = match self.dice.roll(3) {
            0 => (1 + self.dice.roll(5)).to_string(),
            1 => format!("(({}) & 7)", self.expression(1)),
            _ => format!("(unsigned)({}) % 6u", self.expression(1)),
        };
        let (ty, step) =
            (["int", "unsigned", "unsigned char"][self.dice.roll(3)], 1 + self.dice.roll(2));
        self.line(&format!("for ({ty} {name} = 0; {name} < {bound}; {name} += {step}) {{"));
        self.inside_loop(Some(name));
        self.line("}");
    }

    fn open_loop(&mut self) {
        let fuel = format!("k{}", self.fresh);
        self.fresh += 1;
        match self.dice.roll(3) {
            0 => {
                // As long as the inputs say.
                self.line("while (input(0, 1)) {");
                self.inside_loop(None);
                self.line("}");
            }
            1 => {
                let times = 2 + self.dice.roll(6);
                self.line(&format!("int {fuel} = {times};"));
                let e = self.condition();
                self.line(&format!("while ({fuel}-- > 0 && ({e})) {{"));
                self.inside_loop(None);
                self.line("}");
            }
            _ => {
                let times = 1 + self.dice.roll(4);
                self.line(&format!("int {fuel} = {times};"));
                self.line("do {");
                self.inside_loop(None);
                self.line(&format!("}} while (--{fuel} > 0);"));
            }
        }
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
            let (e, what) = (self.condition(), ["break", "continue"][self.dice.roll(2)]);
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

    /// Something that can be assigned.
    fn place(&mut self) -> String {
        match self.dice.roll(10) {
            0..=3 => GLOBALS[self.dice.roll(GLOBALS.len())].to_owned(),
            4..=6 if !self.locals.is_empty() => {
                self.locals[self.dice.roll(self.locals.len())].clone()
            }
            7 => {
                let i = self.expression(1);
                format!("a[({i}) & 3]")
            }
            8 => "*p".to_owned(),
            _ => ["q.x", "q.y", "n->x", "n->y", "r.x"][self.dice.roll(5)].to_owned(),
        }
    }

    fn constant(&mut self) -> String {
        match self.dice.roll(8) {
            0 => ["255", "256", "127", "128", "65535", "32768"][self.dice.roll(6)].to_owned(),
            1 => ["1u", "4u", "2l", "200u"][self.dice.roll(4)].to_owned(),
            _ => (self.dice.roll(9) as i64 - 2).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let compare = |g: &mut Self| {
            let op = ["<", "<=", ">", ">=", "==", "!="][g.dice.roll(6)];
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
            3 => "n->next != &q".to_owned(),
            _ => compare(self),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.chance(30) {
            return if self.dice.chance(35) { self.constant() } else { self.leaf() };
        }
        let left = self.expression(depth - 1);
        match self.dice.roll(16) {
            0..=6 => {
                let right = self.expression(depth - 1);
                let op = ["+", "-", "+", "-", "*", "&", "|", "^"][self.dice.roll(8)];
                format!("({left} {op} {right})")
            }
            7 => format!("({left} & {})", [1, 3, 7, 15, 255][self.dice.roll(5)]),
            8 => format!("({left} % {})", [2, 3, 4, 5, 256][self.dice.roll(5)]),
            9 => format!("({left} / {})", [2, 3, -2, 8][self.dice.roll(4)]),
            10 => {
                let op = ["<<", ">>"][self.dice.roll(2)];
                format!("(({left} & 255) {op} {})", self.dice.roll(6))
            }
            11 => {
                let ty = ["signed char", "unsigned char", "short", "unsigned", "long", "_Bool"]
                    [self.dice.roll(6)];
                format!("({ty})({left})")
            }
            12 => {
                let (test, right) = (self.condition(), self.expression(depth - 1));
                format!("({test} ? {left} : {right})")
            }
            13 => format!("{}({left})", ["~", "-", "!"][self.dice.roll(3)]),
            14 if self.callable > 0 => {
                let f = self.dice.roll(self.callable);
                let right = self.expression(depth - 1);
                format!("f{f}({left}, {right})")
            }
            _ => {
                let right = self.expression(depth - 1);
                let op = ["<", "==", ">="][self.dice.roll(3)];
                format!("({left} {op} {right})")
            }
        }
    }

    fn leaf(&mut self) -> String {
        self.place()
    }
}

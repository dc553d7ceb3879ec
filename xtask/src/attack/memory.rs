//! The memory of random programs: the globals and helpers of each feature (`memory.c`), and statements about them.
//!
//! The helpers keep promises that generated lines rely on: what they make is initialized, what they
//! are given is only read where they stand in expressions.

use super::generate::{Features, Generator};

/// The part of `memory.c` below the line with this name.
fn part(name: &str) -> &'static str {
    let text = include_str!("memory.c");
    let text = text.split_once(&format!("// {name}\n")).expect("a part of memory.c").1;
    text.find("// ").map_or(text, |end| &text[..end])
}

/// Declarations for the features.
pub fn header(f: Features) -> String {
    let parts = [
        (true, "basics"),
        (f.wide, "wide"),
        (has_pointer(f), "pointers"),
        (f.arrays, "arrays"),
        (f.arrays || f.heap_arrays || f.allocas, "sum"),
        (f.structs, "structs"),
        (f.unions, "unions"),
        (f.bit_fields, "bit fields"),
        (f.lists, "lists"),
        (f.heap_arrays, "heap arrays"),
        (f.strings, "strings"),
        (f.holders, "holders"),
        (f.walks, "walks"),
        (f.calls, "calls"),
    ];
    parts.into_iter().filter(|(used, _)| *used).map(|(_, name)| part(name)).collect()
}

fn has_pointer(f: Features) -> bool {
    f.pointers || f.lifetimes || f.allocas
}

impl Generator {
    /// An index below a power of two; rarely any.
    fn index(&mut self, size: usize) -> String {
        let e = self.expression(1);
        if self.risky() { format!("({e}) % {}", size + 2) } else { format!("({e}) & {}", size - 1) }
    }

    /// A place in memory, if there is any.
    pub fn memory_place(&mut self) -> Option<String> {
        let f = self.features;
        for _ in 0..20 {
            let place = match self.dice.roll(11) {
                0 if has_pointer(f) => "(*p)".to_owned(),
                1 if f.arrays => format!("a[{}]", self.index(4)),
                2 if f.arrays => {
                    let (i, j) = (self.index(2), self.expression(0));
                    format!("d[{i}][(unsigned)({j}) % 3u]")
                }
                3 if f.structs => match self.dice.roll(4) {
                    0 => format!("e[{}].x", self.index(2)),
                    1 => format!("q.v[{}]", self.index(2)),
                    _ => self.pick(&["q.x", "q.y", "r.x", "r.y"]).to_owned(),
                },
                4 if f.unions => match self.dice.roll(3) {
                    0 => "cell.i".to_owned(),
                    1 => format!("cell.s[({}) & 1]", self.expression(0)),
                    _ => format!("cell.b[({}) & 3]", self.expression(0)),
                },
                5 if f.bit_fields => self.pick(&["z.a", "z.b", "z.c", "z.d"]).to_owned(),
                6 if f.lists && self.risky() => "n->x".to_owned(),
                6 if f.lists => "(n ? n : &first)->x".to_owned(),
                7 if f.heap_arrays && self.risky() => "was[1]".to_owned(),
                7 if f.heap_arrays => format!("m[{}]", self.index(4)),
                9 if f.holders => match self.dice.roll(3) {
                    0 => format!("(*three[{}])", self.index(2)),
                    _ => self.pick(&["(*one.at)", "(*two.at)", "one.kind"]).to_owned(),
                },
                10 if f.walks => self.pick(&["(*at)", "track[2]", "at[0]"]).to_owned(),
                8 if f.strings => format!("text[({}) & 3]", self.expression(0)),
                8 if f.bytes => format!("((unsigned char *)&h)[({}) & 3]", self.expression(0)),
                _ => continue,
            };
            return Some(place);
        }
        None
    }

    /// A value that helpers or sizes give.
    pub fn memory_value(&mut self) -> Option<String> {
        let f = self.features;
        // Rarely: they loop.
        if !self.dice.chance(30) {
            return None;
        }
        Some(match self.dice.roll(9) {
            6 if f.holders => self.pick(&["held(one)", "held(two)"]).to_owned(),
            7 if f.walks => "before(track, at)".to_owned(),
            8 if f.walks => "(int)(at - track)".to_owned(),
            0 if f.strings => "(int)strlen(text)".to_owned(),
            1 if f.strings => format!("(strcmp(text, \"{}\") < 0)", self.pick(&["", "ab", "b"])),
            2 if f.lists => "length(n)".to_owned(),
            3 if f.arrays => "sum(a, 4)".to_owned(),
            4 if f.heap_arrays => "sum(m, 4)".to_owned(),
            5 if f.structs => self.pick(&["both(q)", "both(e[1])", "(int)sizeof q"]).to_owned(),
            _ => return None,
        })
    }

    pub fn memory_condition(&mut self) -> Option<String> {
        let f = self.features;
        Some(match self.dice.roll(9) {
            // Memory that is gone may have the address of other memory, but not that of `backup`.
            6 if f.heap_arrays => "m == was".to_owned(),
            7 if f.heap_arrays => "was != backup && was != 0".to_owned(),
            8 if has_pointer(f) => "p != &g && p != &h".to_owned(),
            4 if f.walks => "at < track + 3".to_owned(),
            5 if f.holders => "one.at == two.at".to_owned(),
            0 if f.lists => "n && n->next".to_owned(),
            1 if f.lists => "n != 0".to_owned(),
            2 if f.heap_arrays => "m != backup".to_owned(),
            3 if has_pointer(f) => "p == &g".to_owned(),
            _ => return None,
        })
    }

    /// A statement about memory; whether there is any for the features.
    pub fn memory_statement(&mut self) -> bool {
        let f = self.features;
        for _ in 0..20 {
            match self.dice.roll(13) {
                0 | 1 if f.lists => self.list_statement(),
                2 if f.pointers => self.pointer_statement(),
                3 if f.lifetimes && self.depth < 4 => self.scope(),
                4 if f.heap_arrays => self.heap_array_statement(),
                5 if f.allocas && self.depth < 4 => self.stack_array(),
                6 if f.strings => self.string_statement(),
                7 if f.structs => self.struct_statement(),
                8 if f.bit_fields => self.line("z = (struct bits){1, 2, 3};"),
                10 if f.holders => self.holder_statement(),
                11 if f.walks => self.walk_statement(),
                12 if f.calls => self.call_statement(),
                9 if f.lifetimes => {
                    let e = self.expression(1);
                    let odd = if self.risky() { "" } else { " | 1" };
                    self.line(&format!("p = kept(({e}){odd});"));
                }
                _ => continue,
            }
            return true;
        }
        false
    }

    fn list_statement(&mut self) {
        match self.dice.roll(8) {
            0..=2 => {
                let e = self.expression(1);
                self.line(&format!("n = new_node({e}, n);"));
            }
            3 => {
                let guard = if self.risky() { "" } else { "if (n) " };
                let o = self.name('o');
                let next = if self.risky() { "" } else { "n = n->next; " };
                self.line(&format!("{guard}{{ struct node *{o} = n; {next}free({o}); }}"));
            }
            4 => {
                let e = self.expression(1);
                self.line(&format!("if (n) n->next = new_node({e}, n->next);"));
            }
            5 => {
                let o = self.name('o');
                let unlink = if self.risky() { "" } else { "n->next = " };
                self.line(&format!(
                    "if (n && n->next) {{ struct node *{o} = n->next; {unlink}{o}->next; free({o}); }}"
                ));
            }
            6 if self.dice.chance(40) => self.line("n = n ? n->next : 0;"),
            _ => {
                let (o, to) = (self.name('o'), self.pick(&["g", "h"]));
                self.line(&format!(
                    "for (struct node *{o} = n; {o}; {o} = {o}->next) {to} = ({to} + {o}->x) % 100;"
                ));
            }
        }
    }

    fn holder_statement(&mut self) {
        let e = self.expression(1);
        match self.dice.roll(6) {
            0 => self.line("one = two;"),
            1 => {
                let to = self.pick(&["&g", "&h", "&one.kind", "two.at"]);
                self.line(&format!("one.at = {to};"));
            }
            2 => {
                let i = self.index(2);
                self.line(&format!("three[{i}] = ({e}) > 0 ? &h : one.at;"));
            }
            3 if self.risky() => self.line("two.at = 0;"),
            4 => {
                let o = self.name('o');
                self.line(&format!("struct holder *{o} = ({e}) & 1 ? &one : &two;"));
                self.line(&format!("*{o}->at = {o}->kind;"));
            }
            _ => {
                let (o, i) = (self.name('o'), self.index(2));
                self.line(&format!("int **{o} = &three[{i}];"));
                self.line(&format!("**{o} = {e};"));
            }
        }
    }

    fn walk_statement(&mut self) {
        let e = self.expression(1);
        let risky = self.risky();
        match self.dice.roll(4) {
            0 => self.line(&format!("at = track + (({e}) & 3);")),
            1 if risky => self.line("at++;"),
            1 => self.line("if (at < track + 5) at++;"),
            2 if risky => self.line("at--;"),
            2 => self.line("if (at > track) at--;"),
            _ => self.line(&format!("if (at + 1 < track + 6) at[1] = {e};")),
        }
    }

    fn call_statement(&mut self) {
        let (e, o) = (self.expression(1), self.name('o'));
        match self.dice.roll(4) {
            0 => self.line(&format!("h = deep({e}, &g);")),
            1 => self.line(&format!("g = often(({e}) & 3);")),
            2 => {
                self.line(&format!("int *{o} = (int[]){{{e}, 2, g}};"));
                let (to, i) = (self.place(), self.dice.roll(3));
                self.line(&format!("{to} = {o}[{i}];"));
            }
            _ => {
                self.line(&format!("int {o} = {e};"));
                self.line(&format!("g = deep(2, &{o});"));
                self.line(&format!("g += {o} % 8;"));
            }
        }
    }

    fn pointer_statement(&mut self) {
        let f = self.features;
        let e = self.expression(1);
        let to = match self.dice.roll(7) {
            0 if f.arrays => format!("&a[{}]", self.index(4)),
            1 if f.structs => "&q.x".to_owned(),
            2 if f.structs => format!("&e[{}].x", self.index(2)),
            3 if f.heap_arrays && self.risky() => "m".to_owned(),
            4 if f.unions => "&cell.i".to_owned(),
            5 => {
                let at = self.pick(&["p", "&g", "&h"]);
                self.line(&format!("bump({at}, {e});"));
                return;
            }
            6 => {
                let o = self.name('o');
                self.line(&format!("int **{o} = &p;"));
                self.line(&format!("*{o} = ({e}) > 0 ? &g : &h;"));
                return;
            }
            _ => self.pick(&["&g", "&h"]).to_owned(),
        };
        self.line(&format!("p = {to};"));
    }

    /// A pointer to a local of a scope, which is left.
    fn scope(&mut self) {
        let (name, e) = (self.name('t'), self.expression(1));
        self.line("{");
        self.depth += 1;
        self.line(&format!("int {name}[2] = {{{e}, 1}};"));
        let i = self.dice.roll(2);
        self.line(&format!("p = &{name}[{i}];"));
        self.depth -= 1;
        self.block(2);
        self.depth += 1;
        if !self.risky() && !self.risky() {
            let back = self.pick(&["&g", "&h"]);
            self.line(&format!("p = {back};"));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn heap_array_statement(&mut self) {
        match self.dice.roll(5) {
            3 => self.line("was = m;"),
            4 => {
                let count = if self.risky() { 3 } else { 4 };
                self.line(&format!("if (m != backup) m = realloc(m, {count} * sizeof(int));"));
                self.line("m[3] = 2;");
            }
            0 => {
                self.line("if (m != backup) free(m);");
                if !self.risky() {
                    self.line("m = backup;");
                }
            }
            1 if self.dice.chance(30) => self.line("m = new_ints(4);"),
            _ => {
                let count = if self.risky() { 3 } else { 4 };
                self.line(&format!("if (m == backup) m = new_ints({count});"));
            }
        }
    }

    /// `alloca` or an array of variable length.
    fn stack_array(&mut self) {
        let (e, o) = (self.expression(1), self.name('o'));
        if self.dice.chance(50) {
            self.line(&format!("int *{o} = __builtin_alloca(2 * sizeof(int));"));
            self.line(&format!("zero({o}, 2);"));
            let i = self.index(2);
            self.line(&format!("{o}[{i}] = {e};"));
            if self.risky() || self.risky() {
                self.line(&format!("p = {o};"));
            }
            let (to, i) = (self.place(), self.index(2));
            self.line(&format!("{to} = {o}[{i}];"));
            return;
        }
        let k = self.name('k');
        self.line("{");
        self.depth += 1;
        self.line(&format!("int {k} = 1 + (({e}) & 3);"));
        self.line(&format!("int {o}[{k}]; // vla"));
        self.line(&format!("zero({o}, {k});"));
        let (i, e) = (self.index(2), self.expression(1));
        let i = if self.risky() { i } else { format!("{k} - 1") };
        self.line(&format!("{o}[{i}] = {e};"));
        let to = self.place();
        self.line(&format!("{to} = sum({o}, {k});"));
        if self.risky() || self.risky() {
            self.line(&format!("p = &{o}[{k} - 1];"));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn string_statement(&mut self) {
        let e = self.expression(1);
        match self.dice.roll(4) {
            0 => {
                let from = self.pick(&["", "x", "abc", "hello"]);
                self.line(&format!("strcpy(text, \"{from}\");"));
            }
            1 => {
                let mask = if self.risky() { 15 } else { 3 };
                self.line(&format!("memset(text, 'a' + (({e}) & 7), ({e}) & {mask});"));
            }
            2 => {
                let from = self.pick(&["x", "yz"]);
                let guard = if self.risky() { "" } else { "if (strlen(text) < 5) " };
                self.line(&format!("{guard}strcat(text, \"{from}\");"));
            }
            _ => self.line("memcpy(text, &g, 4);"),
        }
    }

    fn struct_statement(&mut self) {
        let e = self.expression(1);
        match self.dice.roll(4) {
            0 => self.line(&format!("q = make({e}, 3);")),
            1 => {
                let i = self.index(2);
                self.line(&format!("e[{i}] = q;"));
            }
            2 => {
                let i = self.index(2);
                self.line(&format!("r = e[{i}];"));
            }
            _ => {
                let o = self.name('o');
                self.line(&format!("struct pair *{o} = ({e}) > 1 ? &q : &e[1];"));
                self.line(&format!("{o}->v[1] = {o}->x;"));
            }
        }
    }

    /// Frees what there is, mostly.
    pub fn clean_up(&mut self) {
        if !self.dice.chance(60) {
            return;
        }
        if self.features.lists {
            let o = self.name('o');
            self.line(&format!("while (n) {{ struct node *{o} = n->next; free(n); n = {o}; }}"));
        }
        if self.features.heap_arrays {
            self.line("if (m != backup) free(m);");
            self.line("m = backup;");
        }
    }
}

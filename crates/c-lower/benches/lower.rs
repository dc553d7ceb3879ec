//! How lowering grows with the program: `cargo bench -p bolide-c-lower`.
//!
//! Programs of 1,000, 2,000, 4,000 and 8,000 functions are parsed and lowered;
//! the time per function must stay about the same. Medians of five runs.

use bolide_base::SourceMap;
use bolide_c_lower::{Options, lower};
use bolide_cfa::Property;
use std::fmt::Write;
use std::time::Instant;

fn program(functions: usize) -> String {
    let mut text = String::from("struct s { int a; char b[8]; struct s *next; };\nint g;\n");
    for i in 0..functions {
        let _ = write!(
            text,
            "static int f{i}(int x, struct s *p) {{\n  int a[4] = {{ 1, 2, {i} }};\n  \
             for (int i = 0; i < x; i++) {{\n    if (p && p->a > i) a[i & 3] += p->b[i & 7];\n    \
             else switch (x % 3) {{ case 0: g++; break; case 1: a[0] ^= x << 2; }}\n  }}\n  \
             return a[1] ? a[2] * x : g;\n}}\n"
        );
    }
    text += "int main(void) {\n  struct s s = { 1 };\n  int r = 0;\n";
    for i in 0..functions {
        let _ = writeln!(text, "  r += f{i}(r, &s);");
    }
    text += "  return r;\n}\n";
    text
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    println!("functions     bytes  parse ms  lower ms  edges  µs per function");
    for functions in [1000, 2000, 4000, 8000] {
        let text = program(functions);
        let (mut parsing, mut lowering, mut edges) = (Vec::new(), Vec::new(), 0);
        for _ in 0..5 {
            let mut sources = SourceMap::new();
            let start = sources.add("bench.c", text.clone()).expect("it fits");
            let clock = Instant::now();
            let parsed = bolide_c_syntax::parse(&mut sources, start, &Default::default());
            parsing.push(clock.elapsed().as_secs_f64() * 1e3);
            assert!(!parsed.has_errors());
            let options = Options {
                properties: [Property::ValidDeref, Property::NoOverflow].into_iter().collect(),
                ..Options::default()
            };
            let clock = Instant::now();
            let lowered = lower(&[&parsed.unit], &sources, &options).expect("it lowers");
            lowering.push(clock.elapsed().as_secs_f64() * 1e3);
            edges = lowered.program.edges.len();
        }
        let (parse, lower) = (median(parsing), median(lowering));
        println!(
            "{functions:9} {:9} {parse:9.1} {lower:9.1} {edges:6} {:10.1}",
            text.len(),
            lower * 1e3 / functions as f64
        );
    }
}

//! How fast the parser is: `cargo bench -p bolide-c-syntax`.
//!
//! The input is made here: declarations as headers have them and functions as
//! C tools print them, about 16 MB. `BOLIDE_BENCH_FILE=path` measures a preprocessed
//! file of yours as well.

use std::time::{Duration, Instant};

use bolide_base::SourceMap;
use bolide_c_syntax::{ParseOptions, parse};

fn synthetic(bytes: usize) -> String {
    let mut text = String::from(
        "# 1 \"synthetic.c\"\ntypedef unsigned long size_t;\ntypedef unsigned int u32;\n",
    );
    let mut i = 0;
    while text.len() < bytes {
        text += &format!(
            "# {line} \"header_{i}.h\" 1 3\n\
             struct device_{i} {{\n\
             \x20  struct device_{i} *parent ;\n\
             \x20  u32 flags : 4 ;\n\
             \x20  int (*open)(struct device_{i} *device , unsigned long mode ) ;\n\
             \x20  char name[32U] ;\n\
             }} __attribute__((aligned(8)));\n\
             typedef struct device_{i} device_{i}_t;\n\
             extern int register_device_{i}(device_{i}_t *device , size_t size ) __attribute__((nonnull(1)));\n\
             static int state_{i} = 0;\n\
             /* Opens a device. */\n\
             static int open_{i}(struct device_{i} *device , unsigned long mode )\n\
             {{ int tmp ; int result ; unsigned long __cil_tmp{i} ; device_{i}_t *copy ;\n\
             \x20 {{\n\
             # {line} \"source_{i}.c\"\n\
             \x20 copy = (device_{i}_t *)device;\n\
             \x20 __cil_tmp{i} = (unsigned long )copy->flags + (mode & 255UL) * sizeof(struct device_{i} );\n\
             \x20 tmp = register_device_{i}(copy, __cil_tmp{i});\n\
             \x20 if (tmp != 0 && (state_{i} == 1 || state_{i} > 2)) {{\n\
             \x20   goto error_label;\n\
             \x20 }} else {{\n\
             \x20   state_{i} = state_{i} + 1;\n\
             \x20 }}\n\
             \x20 for (result = 0; result < 10; result++) {{\n\
             \x20   device->name[result] = (char )(copy->name[result] ^ 0x5a);\n\
             \x20   switch (device->name[result]) {{\n\
             \x20   case 'a': case 10: tmp += result << 2; break;\n\
             \x20   default: tmp = tmp ? tmp - 1 : -result;\n\
             \x20   }}\n\
             \x20 }}\n\
             \x20 printf(\"device %d opened\\n\", tmp);\n\
             \x20 error_label: return (tmp);\n\
             \x20 }}\n\
             }}\n",
            line = i * 37 % 1000 + 1,
        );
        i += 1;
    }
    text
}

fn measure(name: &str, text: &str) {
    let mut best = Duration::MAX;
    let mut nodes = 0;
    for _ in 0..5 {
        let mut sources = SourceMap::new();
        let start = sources.add(name, text.to_owned()).expect("fits");
        let begin = Instant::now();
        let result = parse(&mut sources, start, &ParseOptions::default());
        best = best.min(begin.elapsed());
        nodes = result.unit.exprs.len() + result.unit.stmts.len();
        if let Some(diagnostic) = result.diagnostics.first() {
            print!("{}", diagnostic.render_plain(&sources));
        }
    }
    let megabytes = text.len() as f64 / 1e6;
    let seconds = best.as_secs_f64();
    println!(
        "{name}: {megabytes:.1} MB, {nodes} nodes, best of 5: {:.0} ms, {:.1} MB/s",
        seconds * 1e3,
        megabytes / seconds
    );
}

fn main() {
    measure("synthetic", &synthetic(16 << 20));
    if let Ok(path) = std::env::var("BOLIDE_BENCH_FILE") {
        match std::fs::read(&path) {
            Ok(bytes) => measure(&path, &String::from_utf8_lossy(&bytes)),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}

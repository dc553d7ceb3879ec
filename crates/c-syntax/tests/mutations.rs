//! Random changes to right programs: whatever the text, the parser comes back
//! with a well-formed tree or an error, and soon.
//!
//! `BOLIDE_FUZZ_ITERATIONS` sets the number of inputs (default 20,000), and
//! `BOLIDE_FUZZ_SEED` where the sequence begins.

use bolide_testing::Dice;
use std::time::{Duration, Instant};

use bolide_base::arena::Id;
use bolide_base::{SourceMap, Span};
use bolide_c_syntax::ast::*;
use bolide_c_syntax::{ParseOptions, needs_preprocessing, parse};

/// Right programs, to begin with.
const CORPUS: &[&str] = &[
    "int main(void) { int x = 0; while (x < 10) { x++; if (x == 5) break; } return x; }",
    "typedef struct list { struct list *next; int data[]; } *L; L f(L l) { return l->next; }",
    "static inline unsigned long long g(const char *restrict s, ...) { return sizeof *s; }",
    "enum e { A, B = 2, C }; enum e h(enum e x) { switch (x) { case A: case B ... C: return A; default: ; } }",
    "int a[3] = { [0] = 1, [1 ... 2] = 2 }; struct s { int x : 3; } b = { .x = 1 }, c = { x: 2 };",
    "int k(a, b) int a; char *b; { goto end; end: return a ? b[0] : *b ?: 1; }",
    "void m(void) { int y = ({ int z = 1; z; }); (void)(T)y; typedef int T; T *p = &(T){ 1 }; }",
    "# 1 \"a.h\"\n#line 3\n#pragma pack(push, 1)\nstruct q { char c; int i; } __attribute__((packed));\n",
    "__extension__ typedef __typeof__(1 + 1) t __attribute__((aligned(8))); extern t v asm(\"w\");",
    "_Static_assert(sizeof(int) == 4, \"int\"); _Noreturn void n(void) { for (;;) asm volatile (\"\" ::: \"memory\"); }",
    "int (*(*fp)(int (*)(void), char *[static 3]))[4]; _Atomic(int) at; _Alignas(16) char al;",
    "int o(void) { return _Generic(1, int: 2, default: 3) + __builtin_offsetof(struct s, x.y[1]); }",
    "void p(__builtin_va_list ap) { __builtin_va_arg(ap, int); __label__ l; l: ; [[fallthrough]]; }",
    "char *s = \"a\\n\\x41\\101\" L\"b\" u8\"c\"; int ch = 'a' + L'\\u00e9' + 0x1p3 + 1.5e-3f + 10uLL;",
    "/*@ requires x; */ int r(int x) //@ assert x;\n{ do { x -= 1, x <<= 2; } while (!x && x || ~x); return -x; }",
    "union u { float f; struct { int a, b; }; } w; double _Complex z = 1.0i; __int128 big; _BitInt(9) bits;",
    "int q2(int n; int m[n], int n); x; *y(); main() { return __real__ 1; }",
];

/// What may be inserted.
const WORDS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "?",
    ".",
    "->",
    "...",
    "+",
    "-",
    "*",
    "/",
    "%",
    "++",
    "--",
    "&",
    "|",
    "^",
    "~",
    "!",
    "&&",
    "||",
    "<<",
    ">>",
    "<",
    ">",
    "==",
    "=",
    "+=",
    "int",
    "char",
    "unsigned",
    "long",
    "void",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "const",
    "extern",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "case",
    "default",
    "goto",
    "break",
    "continue",
    "return",
    "sizeof",
    "_Generic",
    "__attribute__",
    "((",
    "))",
    "[[",
    "]]",
    "asm",
    "typeof",
    "__extension__",
    "_Alignas",
    "_Atomic",
    "__label__",
    "_Static_assert",
    "_Pragma",
    "__builtin_va_arg",
    "__builtin_offsetof",
    "x",
    "T",
    "t",
    "0",
    "1",
    "08",
    "1.5",
    "0x",
    "'a'",
    "''",
    "\"s\"",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\n",
    "\\\n",
    "#",
    "\n# 7 \"f\"\n",
    "\n#define X\n",
    "@",
    "\\",
    "\0",
    "é",
    "\u{fffd}",
    "L",
    "u8",
    "\n#pragma pack(pop)\n",
    "({",
    "})",
    "(T)",
    "(int){",
];

/// Runs of letters and digits, and other characters by themselves.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match pieces.last_mut() {
            Some(last) if is_word && in_word => last.push(c),
            _ => pieces.push(c.to_string()),
        }
        in_word = is_word;
    }
    pieces
}

fn mutate(dice: &mut Dice) -> String {
    let mut words = pieces(CORPUS[dice.roll(CORPUS.len())]);
    if dice.roll(4) == 0 {
        let other = pieces(CORPUS[dice.roll(CORPUS.len())]);
        let (cut, from) = (dice.roll(words.len()), dice.roll(other.len()));
        words.truncate(cut);
        words.extend_from_slice(&other[from..]);
    }
    for _ in 0..=dice.roll(6) {
        let at = dice.roll(words.len());
        let other = dice.roll(words.len());
        let word = WORDS[dice.roll(WORDS.len())].to_owned();
        match dice.roll(8) {
            0 | 1 if !words.is_empty() => drop(words.remove(at)),
            2 if !words.is_empty() => words.swap(at, other),
            3 if !words.is_empty() => words[at] = word,
            4 if !words.is_empty() => {
                let copy = words[other].clone();
                words.insert(at, copy);
            }
            5 => words.truncate(at.max(1)),
            6 if dice.roll(8) == 0 => words.insert(at, word.repeat(dice.roll(400))),
            _ => words.insert(at, word),
        }
    }
    words.concat()
}

/// Operands precede their operators, and all spans lie in the text.
fn check_tree(unit: &TranslationUnit) {
    let check_span = |span: Span| {
        assert!(span.start <= span.end, "{span:?}");
        assert!(unit.span.start <= span.start && span.end <= unit.span.end, "{span:?}");
    };
    for (id, e) in unit.exprs.iter() {
        check_span(e.span);
        let check = |child: &ExprId| {
            assert!(child.index() < id.index(), "{child:?} in {id:?}");
            let inner = unit.exprs[*child].span;
            assert!(
                e.span.start <= inner.start && inner.end <= e.span.end,
                "{:?} {inner:?}",
                e.span
            );
        };
        match &e.kind {
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => check(operand),
            ExprKind::Binary { left, right, .. } | ExprKind::Comma { left, right } => {
                check(left);
                check(right);
            }
            ExprKind::Assign { target, value, .. } => {
                check(target);
                check(value);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                check(condition);
                then.iter().for_each(check);
                check(otherwise);
            }
            ExprKind::Call { callee, arguments } => {
                check(callee);
                arguments.iter().for_each(check);
            }
            ExprKind::Index { base, index } => {
                check(base);
                check(index);
            }
            ExprKind::Member { base, .. } => check(base),
            _ => {}
        }
    }
    for stmt in unit.stmts.values() {
        check_span(stmt.span);
    }
    for declaration in unit.decls.values() {
        check_span(declaration.span);
        check_span(declaration.specifiers.span);
        for declarator in &declaration.declarators {
            check_span(declarator.span);
            check_span(declarator.declarator.span);
            check_span(declarator.declarator.name_span);
        }
    }
    for init in unit.inits.values() {
        check_span(init.span);
    }
    for ty in unit.type_names.values() {
        check_span(ty.span);
        check_span(ty.declarator.span);
    }
}

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn the_corpus_itself_is_right() {
    for text in CORPUS {
        let mut sources = SourceMap::new();
        let start = sources.add("a.c", format!("typedef int T;\n{text}")).expect("fits");
        let result = parse(&mut sources, start, &ParseOptions::default());
        let messages: String =
            result.diagnostics.iter().map(|d| d.render_plain(&sources)).collect();
        assert_eq!(messages, "", "{text}");
        check_tree(&result.unit);
    }
}

#[test]
fn mutated_programs_do_no_harm() {
    let iterations = number_from("BOLIDE_FUZZ_ITERATIONS", 20_000);
    let seed = number_from("BOLIDE_FUZZ_SEED", 1);
    let mut with_errors = 0;
    for iteration in 0..iterations {
        // Each input depends on its number alone, so that one can be repeated:
        // set the seed to what the message says and the count to 1.
        let number = seed + iteration;
        let mut dice = Dice::new(number);
        let text = mutate(&mut dice);
        let begin = Instant::now();
        let outcome = std::panic::catch_unwind(|| {
            needs_preprocessing(&text);
            let mut sources = SourceMap::new();
            let start = sources.add("a.c", text.clone()).expect("fits");
            let result = parse(&mut sources, start, &ParseOptions::default());
            check_tree(&result.unit);
            assert!(result.diagnostics.len() <= 60);
            for diagnostic in &result.diagnostics {
                diagnostic.render_plain(&sources);
            }
            result.has_errors()
        });
        match outcome {
            Ok(has_errors) => with_errors += u64::from(has_errors),
            Err(_) => panic!("BOLIDE_FUZZ_SEED={number}: panic on\n{text}"),
        }
        assert!(
            begin.elapsed() < Duration::from_secs(5),
            "BOLIDE_FUZZ_SEED={number}: too slow on\n{text}"
        );
    }
    // The mutations are neither too wild nor too tame to tell anything.
    if iterations >= 1000 {
        assert!(
            with_errors > iterations / 2 && with_errors < iterations * 49 / 50,
            "{with_errors}"
        );
    }
}

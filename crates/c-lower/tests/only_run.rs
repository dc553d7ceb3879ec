//! Which programs have one run only: what may stay open, and what must not.

mod common;

use bolide_cfa::interpreter::{Config, Interpreter, Outcome};

/// Whether the run of `main` with this body is the only one.
fn is_only(body: &str) -> bool {
    let text = format!(
        "void *malloc(unsigned long); void free(void *); int sprintf(char *, const char *, ...);
         void *memcpy(void *, const void *, unsigned long); int unknown(void); extern int outside;
         int input(void) {{ return unknown(); }} char global[4]; int target;
         struct bits {{ unsigned low : 3, high : 5; }};
         int main(void) {{ {body} return 0; }}"
    );
    let program = common::lower_text(&text, &common::options(&[])).expect("it is C").program;
    let outcome = Interpreter::new(&program).run_determined(&Config::default()).outcome;
    match outcome {
        Outcome::Finished { .. } => true,
        Outcome::Undetermined(_) => false,
        other => panic!("{other:?}: {body}"),
    }
}

#[test]
fn what_nothing_depends_on_may_stay_open() {
    for body in [
        "int x, y; y = x; target = 3; if (target != 3) target = y;",
        "int a[3], b[3]; a[1] = 5; memcpy(b, a, sizeof a); if (b[1] == 5) target = 1;",
        "long n = (long)&target; (void)n;",
        "int *p = malloc(4); *p = 1; if (p) free(p);",
        "int *p = &target, *q = p; if (p == q && p != (int *)global) *p = 2;",
        "struct bits s = {1, 2}; s.low = 3; if (s.high == 2) target = 1;",
        "char text[8]; sprintf(text, \"%d\", 42); if (text[1] == '2') target = 1;",
    ] {
        assert!(is_only(body), "{body}");
    }
}

#[test]
fn what_decides_must_not() {
    for body in [
        "int x; if (x == 7) target = 1;",
        "int a[3], b[3]; a[1] = 5; memcpy(b, a, sizeof a); if (b[2] == 5) target = 1;",
        "if ((long)&target % 16 == 0) target = 1;",
        "unsigned char *p; int *q = &target; p = (unsigned char *)&q; if (*p) target = 1;",
        "if (&global[4] == (char *)&target) target = 1;",
        "if (global < (char *)&target) target = 1;",
        "char *p = \"xa\" + 1, *q = \"a\"; if (p == q) target = 1;",
        "int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) target = 1; free(q);",
        "struct bits s; s.low = 3; if (s.high == 2) target = 1;",
        "char text[8]; int x; sprintf(text, \"%d\", x); if (text[1] == '2') target = 1;",
        "if (input() == 3) target = 1;",
        "unknown();",
        "if (outside) target = 1;",
        "int x; int *p = &target; p += x; *p = 1;",
        "int x; char *p = malloc(x); free(p);",
    ] {
        assert!(!is_only(body), "{body}");
    }
}

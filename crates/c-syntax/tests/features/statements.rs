//! Statements.

use super::*;

#[test]
fn control_flow() {
    check_body(
        "if (a) b; else if (c) d; else e;",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (if a
              b
              (if c
                d
                e))))
    "#]],
    );
    check_body(
        "if (a) if (b) c; else d;",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (if a
              (if b
                c
                d))))
    "#]],
    );
    check_body(
        "while (a) { b; } do c; while (d);",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (while a
              (block
                b))
            (do-while
              c
              d)))
    "#]],
    );
    check_body(
        "for (;;) break; for (i = 0; i < 3; i++) continue; for (int j = 0, k; ;) ;",
        expect![[r#"
            (declare typedef int (T))
            (function void f (fn)
              (block
                (for _; _; _
                  (break))
                (for (= i 0); (< i 3); (post++ i)
                  (continue))
                (for (declare int (j = 0) (k)); _; _
                  (empty))))
        "#]],
    );
    check_body(
        "switch (a) { case 1: case 2 ... 4: b; break; default: c; }",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (switch a
              (block
                (case 1
                  (case 2 ... 4
                    b))
                (break)
                (default
                  c)))))
    "#]],
    );
    check_body(
        "switch (a) while (b) { case 1: c; }",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (switch a
              (while b
                (block
                  (case 1
                    c))))))
    "#]],
    );
    check_body(
        "a: b: c; goto a; return; return d, e; ;",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (label a
              (label b
                c))
            (goto a)
            (return)
            (return (, d e))
            (empty)))
    "#]],
    );
}

#[test]
fn labels_before_declarations_and_braces() {
    check_body(
        "a: int x; switch (x) { case 1: T y; default: } b:",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (label a
              (empty))
            (declare int (x))
            (switch x
              (block
                (case 1
                  (empty))
                (declare T (y))
                (default
                  (empty))))
            (label b
              (empty))))
    "#]],
    );
    check_body(
        "a: __attribute__((unused)) b; __label__ c, d; c: ;",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (label a @unused
              b)
            (local-labels c d)
            (label c
              (empty))))
    "#]],
    );
    check_body(
        "a: __attribute__((unused)) int b;",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (label a
              (empty))
            (declare int @unused (b))))
    "#]],
    );
}

#[test]
fn statement_attributes() {
    check_body(
        "switch (a) { case 1: __attribute__((fallthrough)); case 2: [[fallthrough]]; }
         __attribute__((unused)) int x; __attribute__((hot)) while (1) ;",
        expect![[r#"
            (declare typedef int (T))
            (function void f (fn)
              (block
                (switch a
                  (block
                    (case 1
                      (empty))
                    (case 2
                      (empty))))
                (declare int @unused (x))
                (while 1
                  (empty))))
        "#]],
    );
}

#[test]
fn assembly() {
    check_body(
        "asm(\"nop\"); asm volatile (\"mov %1, %0\" : \"=r\" (x), [y] \"+m\" (*z) : \"r\" (a + b) : \"memory\", \"cc\");
         __asm__ __volatile__ goto (\"jmp %l0\" :: \"i\" (1) : : l1, l2); asm (\"\" ::: \"memory\"); register int r asm (\"ebx\") = 1;",
        expect![[r#"
            (declare typedef int (T))
            (function void f (fn)
              (block
                (asm basic "nop")
                (asm volatile "mov %1, %0" (out "=r" x) (out y "+m" (deref z)) (in "r" (+ a b)) (clobber "memory") (clobber "cc"))
                (asm volatile goto "jmp %l0" (in "i" 1) (label l1) (label l2))
                (asm "" (clobber "memory"))
                (declare register int (r (asm "ebx") = 1))))
        "#]],
    );
}

#[test]
fn block_declarations() {
    check_body(
        "static int a = 1; extern int b; typedef char T; T c; _Static_assert(1, \"\"); int g(int);",
        expect![[r#"
            (declare typedef int (T))
            (function void f (fn)
              (block
                (declare static int (a = 1))
                (declare extern int (b))
                (declare typedef char (T))
                (declare T (c))
                (static-assert 1 "")
                (declare int (g (fn (_: int))))))
        "#]],
    );
    check_body(
        "__extension__ union { int i; } u; __extension__ ({ 1; }); auto int z;",
        expect![[r#"
            (declare typedef int (T))
            (function void f (fn)
              (block
                (declare (union {
                  (field int (i))}) (u))
                (stmt-expr
                  (block
                    1))
                (declare auto int (z))))
        "#]],
    );
    check_body(
        "T *x; T(y); T (*z)(T); sizeof(T); (T)1;",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (declare T (x ptr))
            (declare T (y))
            (declare T (z ptr (fn (_: T))))
            (sizeof <T>)
            (cast <T> 1)))
    "#]],
    );
    check_body(
        "int n = 3; int a[n]; static w;",
        expect![[r#"
        (declare typedef int (T))
        (function void f (fn)
          (block
            (declare int (n = 3))
            (declare int (a array n))
            (declare static implicit-int (w))))
    "#]],
    );
}

#[test]
fn functions_in_blocks() {
    check_body(
        "int g(int a) { return a; } T h(b) T b; { return g(b); }",
        expect![[r#"
            (declare typedef int (T))
            (function void f (fn)
              (block
                (function int g (fn (a: int))
                  (block
                    (return a)))
                (function T h (fn names b)
                  (declare T (b))
                  (block
                    (return (call g b))))))
        "#]],
    );
}

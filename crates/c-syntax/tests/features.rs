//! One check for each construct of C11 and GNU C: text in, tree out.

use bolide_base::SourceMap;
use bolide_c_syntax::{ParseOptions, dump::dump, parse};
use expect_test::{Expect, expect};

fn check_with(options: &ParseOptions, text: &str, expected: Expect) {
    let mut sources = SourceMap::new();
    let start = sources.add("a.c", text.to_owned()).expect("a small text");
    let result = parse(&mut sources, start, options);
    let mut out = String::new();
    for diagnostic in &result.diagnostics {
        out += &diagnostic.render_plain(&sources);
    }
    out += &dump(&result.unit);
    expected.assert_eq(&out);
}

fn check(text: &str, expected: Expect) {
    check_with(&ParseOptions::default(), text, expected);
}

/// Checks one expression, in the scope of a few declarations.
fn check_expr(text: &str, expected: Expect) {
    let mut sources = SourceMap::new();
    let file = format!("typedef int T; int v = {text};");
    let start = sources.add("a.c", file).expect("a small text");
    let result = parse(&mut sources, start, &ParseOptions::default());
    let mut out = String::new();
    for diagnostic in &result.diagnostics {
        out += &diagnostic.render_plain(&sources);
    }
    let tree = dump(&result.unit);
    let last = tree.split_once("(v = ").map_or(tree.as_str(), |(_, rest)| rest);
    let last = last.trim_end();
    out += last.strip_suffix("))").unwrap_or(last);
    expected.assert_eq(&out);
}

/// Checks the body of a function.
fn check_body(text: &str, expected: Expect) {
    check(&format!("typedef int T;\nvoid f(void)\n{{ {text} }}"), expected);
}

// Expressions.

#[test]
fn precedence_of_binary_operators() {
    check_expr(
        "a || b && c | d ^ e & f == g < h << i + j * k",
        expect!["(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))))"],
    );
    check_expr(
        "a * b + c << d < e == f & g ^ h | i && j || k",
        expect!["(|| (&& (| (^ (& (== (< (<< (+ (* a b) c) d) e) f) g) h) i) j) k)"],
    );
    check_expr("a - b - c / d / e % f", expect!["(- (- a b) (% (/ (/ c d) e) f))"]);
    check_expr("a != b >= c <= d > e >> f", expect!["(!= a (> (<= (>= b c) d) (>> e f)))"]);
}

#[test]
fn unary_and_postfix() {
    check_expr("-+!~*&a", expect!["(- (+ (! (~ (deref (addr a))))))"]);
    check_expr("- a++ + --b[1]->c.d", expect!["(+ (- (post++ a)) (-- (. (-> (index b 1) c) d)))"]);
    check_expr("*p++", expect!["(deref (post++ p))"]);
    check_expr("__real__ z + __imag__ z", expect!["(+ (__real__ z) (__imag__ z))"]);
    check_expr("f()(a)(b, (c, d))", expect!["(call (call (call f) a) b (, c d))"]);
}

#[test]
fn conditional_and_assignment() {
    check_expr("a ? b : c ? d : e", expect!["(? a b (? c d e))"]);
    check_expr("a ? b ? c : d : e", expect!["(? a (? b c d) e)"]);
    check_expr("a ? b, c : d", expect!["(? a (, b c) d)"]);
    check_expr("a ?: b ?: c", expect!["(?: a (?: b c))"]);
    check_expr("a = b += c ? d : e", expect!["(= a (+= b (? c d e)))"]);
    check_expr("(a, b = c)", expect!["(, a (= b c))"]);
    check_expr(
        "a *= b /= c %= d -= e <<= f >>= g &= h ^= i |= j",
        expect!["(*= a (/= b (%= c (-= d (<<= e (>>= f (&= g (^= h (|= i j)))))))))"],
    );
}

#[test]
fn casts_sizeof_and_alignof() {
    check_expr("(T) -x * (T) (y)", expect!["(* (cast <T> (- x)) (cast <T> y))"]);
    check_expr("(a) - x", expect!["(- a x)"]);
    check_expr(
        "sizeof(T) * 2 + sizeof x[1] + sizeof (x)->y",
        expect!["(+ (+ (* (sizeof <T>) 2) (sizeof (index x 1))) (sizeof (-> x y)))"],
    );
    check_expr(
        "sizeof (T){1} + _Alignof(T) + __alignof__(x)",
        expect!["(+ (+ (sizeof (literal <T> {1})) (alignof <T>)) (alignof x))"],
    );
    check_expr(
        "(T *(*)(int, char *[3]))p",
        expect!["(cast <T: ptr (fn (_: int) (_ array 3 ptr: char)) ptr> p)"],
    );
    check_expr(
        "(int (*)[])p + (const T * const *)q",
        expect!["(+ (cast <int: ptr array ?> p) (cast <const T: ptr const ptr> q))"],
    );
    check_expr("(__extension__ long long) 1", expect!["(cast <long-long> 1)"]);
    check_expr("sizeof(int[2][3])", expect!["(sizeof <int: array 2 array 3>)"]);
    check_expr("sizeof(int (T))", expect!["(sizeof <int: (fn (_: T))>)"]);
}

#[test]
fn constants() {
    check_expr(
        "f(0, 1u, 0x1FuL, 017, 0b11, 1LL, 3i, 18446744073709551615ull)",
        expect!["(call f 0 1u 0x1ful 0xf 0x3 1ll 3i 18446744073709551615ull)"],
    );
    check_expr(
        "f(1.5, 1.f, .5L, 1e10, 0x1.8p-3, 1.0i, 2.0f128, 1.0Q, 1.5df)",
        expect!["(call f 1.5 1.f .5l 1e10 0x1.8p-3 1.0i 2.0f128 1.0f128 1.5df)"],
    );
    check_expr(
        r"f('a', '\n', '\0', '\377', '\x41', 'ab', L'\xe9', u'x', U'x')",
        expect![
            "(call f (char 97) (char 10) (char 0) (char -1) (char 65) (char 24930) (char L 233) (char u 120) (char U 120))"
        ],
    );
    check_expr(
        r#"f("a" "b\n" L"c", u8"x", "\x41" "1", "")"#,
        expect![[r#"(call f L"ab\nc" u8"x" "A1" "")"#]],
    );
    check_expr(
        "f(__func__, __FUNCTION__, __PRETTY_FUNCTION__)",
        expect!["(call f __func__ __func__ __func__)"],
    );
    check_expr(
        "99999999999999999999",
        expect![[r#"
        a.c:1:24: warning: integer constant is too large, its upper bits are dropped
        7766279631452241919"#]],
    );
}

#[test]
fn compound_literals() {
    check_expr("((struct s){1, .b = 2}).b", expect!["(. (literal <(struct s)> {1 .b=2}) b)"]);
    check_expr("(int[]){1, 2}[1]", expect!["(index (literal <int: array ?> {1 2}) 1)"]);
    check_expr("&(T){0}", expect!["(addr (literal <T> {0}))"]);
}

#[test]
fn statement_expressions() {
    check_expr(
        "({ int y = 1; y; })",
        expect![[r#"
            (stmt-expr
              (block
                (declare int (y = 1))
                y))"#]],
    );
    check_expr(
        "1 + ({ ({ 2; }); }) * 3",
        expect![[r#"
            (+ 1 (* (stmt-expr
              (block
                (stmt-expr
                  (block
                    2)))) 3))"#]],
    );
    check_expr(
        "__extension__ ({ T T = 1; T * T; })",
        expect![[r#"
            (stmt-expr
              (block
                (declare T (T = 1))
                (* T T)))"#]],
    );
}

#[test]
fn builtins_with_types() {
    check_expr(
        "__builtin_va_arg(ap, unsigned char *)",
        expect!["(va-arg <unsigned-char: ptr> ap)"],
    );
    check_expr(
        "__builtin_offsetof(struct s, a.b[2].c)",
        expect!["(offsetof <(struct s)> .a.b[2].c)"],
    );
    check_expr(
        "__builtin_types_compatible_p(T, typeof(x))",
        expect!["(types-compatible <T> <(typeof x)>)"],
    );
    check_expr("__builtin_choose_expr(1, a, b)", expect!["(choose 1 a b)"]);
    check_expr("__builtin_expect(!!(x), 0)", expect!["(call __builtin_expect (! (! x)) 0)"]);
    check_expr("__builtin_convertvector(v, T)", expect!["(convert-vector <T> v)"]);
    check_expr(
        "_Generic(x, int: 1, T *: 2, default: f)(y)",
        expect!["(call (generic x (<int> 1) (<T: ptr> 2) (default f)) y)"],
    );
}

// Declarations.

#[test]
fn declarators_read_from_the_name() {
    check(
        "int *(*f[3])(void);",
        expect![[r#"
        (declare int (f array 3 ptr (fn) ptr))
    "#]],
    );
    check(
        "char *const *volatile p, (*q)[2][3], *(*(*r)(int))[4];",
        expect![[r#"
        (declare char (p volatile ptr const ptr) (q ptr array 2 array 3) (r ptr (fn (_: int)) ptr array 4 ptr))
    "#]],
    );
    check(
        "void (*signal(int sig, void (*func)(int)))(int);",
        expect![[r#"
        (declare void (signal (fn (sig: int) (func ptr (fn (_: int)): void)) ptr (fn (_: int))))
    "#]],
    );
    check(
        "int (((x))), (*(y));",
        expect![[r#"
        (declare int (x) (y ptr))
    "#]],
    );
}

#[test]
fn arithmetic_types() {
    check(
        "unsigned a; long unsigned int long b; char signed c; short d; long double e;
         _Bool f; __int128 g; unsigned __int128 h; __int128_t i; __uint128_t j;
         _Float128 k; __float128 l; _Float32x m; _Decimal64 n; _Complex o; float _Complex p;
         int _Complex q; long _Complex r; __signed__ s; __complex__ double t; __builtin_va_list u;
         _BitInt(7) v; unsigned _BitInt(9) w; const volatile x; long int static const y;",
        expect![[r#"
            (declare unsigned-int (a))
            (declare unsigned-long-long (b))
            (declare signed-char (c))
            (declare short (d))
            (declare long-double (e))
            (declare bool (f))
            (declare int128 (g))
            (declare unsigned-int128 (h))
            (declare int128 (i))
            (declare unsigned-int128 (j))
            (declare float128 (k))
            (declare float128 (l))
            (declare float32x (m))
            (declare decimal64 (n))
            (declare complex double (o))
            (declare complex float (p))
            (declare complex int (q))
            (declare complex long (r))
            (declare int (s))
            (declare complex double (t))
            (declare va-list (u))
            (declare (bit-int 7) (v))
            (declare (unsigned-bit-int 9) (w))
            (declare const volatile implicit-int (x))
            (declare static const long (y))
        "#]],
    );
}

#[test]
fn storage_and_function_specifiers() {
    check(
        "static inline int f(void); extern __thread int a; _Thread_local static int b;
         _Noreturn void g(void); register int c asm(\"r1\"); _Alignas(16) _Alignas(double) char d;
         __inline__ __attribute__((__gnu_inline__)) extern int h(void);",
        expect![[r#"
            (declare static inline int (f (fn)))
            (declare extern thread-local int (a))
            (declare static thread-local int (b))
            (declare noreturn void (g (fn)))
            (declare register int (c (asm "r1")))
            (declare (alignas 16) (alignas <double>) char (d))
            (declare extern inline int @gnu_inline (h (fn)))
        "#]],
    );
}

#[test]
fn records() {
    check(
        "struct s { int a, *b; unsigned c : 3, : 0, d : 2; struct { int e; }; union u { char f; } g;
                    struct s *next; int h[]; };",
        expect![[r#"
            (declare (struct s {
              (field int (a) (b ptr))
              (field unsigned-int (c : 3) (_ : 0) (d : 2))
              (field (struct {
                (field int (e))}))
              (field (union u {
                (field char (f))}) (g))
              (field (struct s) (next ptr))
              (field int (h array ?))}))
        "#]],
    );
    check(
        "struct {} e; union { } f; struct t; struct t { ; int a;; };",
        expect![[r#"
        (declare (struct {}) (e))
        (declare (union {}) (f))
        (declare (struct t))
        (declare (struct t {
          (field int (a))}))
    "#]],
    );
    check(
        "struct s { int z[0]; _Static_assert(1, \"m\"); __extension__ union { int i; }; };",
        expect![[r#"
            (declare (struct s {
              (field int (z array 0))
              (static-assert 1 "m")
              (field (union {
                (field int (i))}))}))
        "#]],
    );
    check(
        "struct s { int a; int b } x = { 1 };",
        expect![[r#"
        (declare (struct s {
          (field int (a))
          (field int (b))}) (x = {1}))
    "#]],
    );
}

#[test]
fn enums() {
    check(
        "enum e { A, B = 2, C = B + 1, } x; enum e y; enum { D };",
        expect![[r#"
        (declare (enum e {A B=2 C=(+ B 1)}) (x))
        (declare (enum e) (y))
        (declare (enum {D}))
    "#]],
    );
    check(
        "enum f : unsigned char { E __attribute__((deprecated)) = 1 };",
        expect![[r#"
        (declare (enum f <unsigned-char> {E @deprecated=1}))
    "#]],
    );
    check(
        "struct s { enum e : 3; enum e x : 4; const y : 2; };",
        expect![[r#"
            (declare (struct s {
              (field (enum e) (_ : 3))
              (field (enum e) (x : 4))
              (field const implicit-int (y : 2))}))
        "#]],
    );
}

#[test]
fn initializers() {
    check(
        "int a[] = { 1, [3] = 2, [5 ... 7] = 3, [9] 4 };
         struct s b = { .x = 1, .y.z[2] = { 3 }, w: 5, {} };
         int c[2][2] = { { 1, 2 }, { 3, 4, }, };
         char d[] = \"abc\", *e = (\"x\"), f = { 1 };",
        expect![[r#"
            (declare int (a array ? = {1 [3]=2 [5 ... 7]=3 [9]=4}))
            (declare (struct s) (b = {.x=1 .y.z[2]={3} .w=5 {}}))
            (declare int (c array 2 array 2 = {{1 2} {3 4}}))
            (declare char (d array ? = "abc") (e ptr = "x") (f = {1}))
        "#]],
    );
}

#[test]
fn attributes_everywhere() {
    check(
        "__attribute__((noreturn)) void __attribute__((cold)) f(int __attribute__((unused)) a)
           __attribute__((format(printf, 1, 2), nonnull)) __attribute__(());
         struct __attribute__((packed)) s { int a __attribute__((aligned(8))); char b; }
           __attribute__((aligned(sizeof(long)))) x __attribute__((section(\"s\"))), __attribute__((unused)) y;
         typedef int v4 __attribute__((vector_size(16)));
         int *__attribute__((may_alias)) p; void (__attribute__((stdcall)) *q)(void);
         int g(void) __asm__(\"g2\") __attribute__((const));
         typedef unsigned int u __attribute__((__mode__(__DI__)));
         [[nodiscard, gnu::pure]] int h [[maybe_unused]] (void);
         struct s __attribute__((unused)) z;
         static int __attribute__((const)) k(void) { return 1; }",
        expect![[r#"
            (declare void @noreturn @cold (f (fn (a: int @unused)) @format(printf 1 2) @nonnull))
            (declare (struct s @packed @aligned((sizeof <long>)) {
              (field int (a @aligned(8)))
              (field char (b))}) (x @section("s")) (y @unused))
            (declare typedef int (v4 @vector_size(16)))
            (declare int (p ptr @may_alias))
            (declare void (q ptr (fn) @stdcall))
            (declare int (g (fn) (asm "g2") @const))
            (declare typedef unsigned-int (u @mode(__DI__)))
            (declare int @nodiscard @pure (h (fn) @maybe_unused))
            (declare (struct s) @unused (z))
            (function static int @const k (fn)
              (block
                (return 1)))
        "#]],
    );
}

#[test]
fn typeof_and_auto_type() {
    check(
        "int x; typeof(x) a; __typeof__(int *) b; typeof(x + 1) *c; const __auto_type d = 1;
         _Atomic(int) e; _Atomic int f; int *_Atomic g;",
        expect![[r#"
            (declare int (x))
            (declare (typeof x) (a))
            (declare (typeof <int: ptr>) (b))
            (declare (typeof (+ x 1)) (c ptr))
            (declare const auto-type (d = 1))
            (declare (atomic <int>) (e))
            (declare atomic int (f))
            (declare int (g atomic ptr))
        "#]],
    );
}

#[test]
fn functions() {
    check(
        "int f(a, b, c) int a; char *b; { return a; }",
        expect![[r#"
        (function int f (fn names a b c)
          (declare int (a))
          (declare char (b ptr))
          (block
            (return a)))
    "#]],
    );
    check(
        "main() { }",
        expect![[r#"
        (function implicit-int main (fn ?)
          (block))
    "#]],
    );
    check(
        "static g(register x) { }",
        expect![[r#"
        (function static implicit-int g (fn (x: register implicit-int))
          (block))
    "#]],
    );
    check(
        "int f(int, char *, ...); int g(...); int h(int n; int a[n], int n);",
        expect![[r#"
        (declare int (f (fn (_: int) (_ ptr: char) ...)))
        (declare int (g (fn ...)))
        (declare int (h (fn (forward n: int) (a array n: int) (n: int))))
    "#]],
    );
    check(
        "int f(int a[static 3], int b[const *], int c[restrict], int n, int d[n][n + 1]);",
        expect![[r#"
            (declare int (f (fn (a static array 3: int) (b const array *: int) (c restrict array ?: int) (n: int) (d array n array (+ n 1): int))))
        "#]],
    );
    check(
        "int f(int g(void), int (*h)(int), int (int));",
        expect![[r#"
        (declare int (f (fn (g (fn): int) (h ptr (fn (_: int)): int) (_ (fn (_: int)): int))))
    "#]],
    );
    check(
        "*p(); x; y = 1; (*z)(void);",
        expect![[r#"
        (declare implicit-int (p (fn ?) ptr))
        (declare implicit-int (x))
        (declare implicit-int (y = 1))
        (declare implicit-int (z ptr (fn)))
    "#]],
    );
}

#[test]
fn typedef_names_and_their_shadows() {
    check(
        "typedef int T; typedef T U, *V;
         T f(T T) { T = 1; return T * T; }
         void g(void) { U *x; { int U = 2; U * x; } U *y; T: goto T; }
         void h(T (*p)(T), int(T), int q(U)) { T a; }
         struct s { T T; U V; };
         enum { K = sizeof(T) };
         void k(void) { enum { T }; T * 1; }
         void l(void) { for (int T = 0; T * 2;) T++; T m; }
         unsigned T;",
        expect![[r#"
            (declare typedef int (T))
            (declare typedef T (U) (V ptr))
            (function T f (fn (T: T))
              (block
                (= T 1)
                (return (* T T))))
            (function void g (fn)
              (block
                (declare U (x ptr))
                (block
                  (declare int (U = 2))
                  (* U x))
                (declare U (y ptr))
                (label T
                  (goto T))))
            (function void h (fn (p ptr (fn (_: T)): T) (_ (fn (_: T)): int) (q (fn (_: U)): int))
              (block
                (declare T (a))))
            (declare (struct s {
              (field T (T))
              (field U (V))}))
            (declare (enum {K=(sizeof <T>)}))
            (function void k (fn)
              (block
                (declare (enum {T}))
                (* T 1)))
            (function void l (fn)
              (block
                (for (declare int (T = 0)); (* T 2); _
                  (post++ T))
                (declare T (m))))
            (declare unsigned-int (T))
        "#]],
    );
}

#[test]
fn file_scope_oddities() {
    check(
        ";; asm(\".globl x\"); __extension__ typedef long long ll; _Static_assert(1 == 1);
         _Static_assert(sizeof(int) == 4, \"int\" \" is 4\"); __extension__ int a; int $b$; int;",
        expect![[r#"
            (asm basic ".globl x")
            (declare typedef long-long (ll))
            (static-assert (== 1 1))
            (static-assert (== (sizeof <int>) 4) "int is 4")
            (declare int (a))
            (declare int ($b$))
            (declare int)
        "#]],
    );
}

#[test]
fn headers_that_define_extended_types_themselves() {
    check(
        "typedef float _Float32; typedef double _Float64x; _Float32 x;",
        expect![[r#"
        (declare typedef float (_Float32))
        (declare typedef double (_Float64x))
        (declare float32 (x))
    "#]],
    );
}

// Statements.

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
fn labels_as_values_when_asked_for() {
    let options = ParseOptions { labels_as_values: true, ..ParseOptions::default() };
    check_with(
        &options,
        "void f(void) { void *p = &&a; a: goto *p; }",
        expect![[r#"
        (function void f (fn)
          (block
            (declare void (p ptr = (&& a)))
            (label a
              (goto * p))))
    "#]],
    );
}

#[test]
fn c23_keywords_when_asked_for() {
    let options = ParseOptions { c23: true, ..ParseOptions::default() };
    check_with(
        &options,
        "bool a = true, b = false; static_assert(1); void *p = nullptr; auto c = 1; typeof_unqual(a) d;",
        expect![[r#"
            (declare bool (a = true) (b = false))
            (static-assert 1)
            (declare void (p ptr = nullptr))
            (declare auto auto-type (c = 1))
            (declare (typeof-unqual a) (d))
        "#]],
    );
    check(
        "typedef int bool; bool true, false, nullptr;",
        expect![[r#"
        (declare typedef int (bool))
        (declare bool (true) (false) (nullptr))
    "#]],
    );
}

// What is no C proper.

#[test]
fn line_markers_pragmas_and_annotations() {
    check(
        "# 1 \"x.h\"\n#line 7 \"y.h\"\n#pragma once\n#ident \"id\"\nint a; /* c */ // d\n/*@ requires a; @*/\n//@ assert b;\n#\n_Pragma(\"foo(\\\"x\\\")\") int b;",
        expect![[r#"
            (declare int (a))
            (declare int (b))
            (annotation " requires a; ")
            (annotation " assert b;")
            (pragma "once")
            (pragma "foo(\"x\")")
        "#]],
    );
}

#[test]
fn pragma_pack() {
    check(
        "#pragma pack(push, 1)\nstruct a { char c; int i; };\n#pragma pack(2)\nstruct b { int i; };\n#pragma pack(pop)\nstruct c { int i; };\n#pragma pack(4)\nstruct d { int i; };\n#pragma pack()\nstruct e { int i; };\n",
        expect![[r#"
            (declare (struct a (pack 1) {
              (field char (c))
              (field int (i))}))
            (declare (struct b (pack 2) {
              (field int (i))}))
            (declare (struct c {
              (field int (i))}))
            (declare (struct d (pack 4) {
              (field int (i))}))
            (declare (struct e {
              (field int (i))}))
            (pragma "pack(push, 1)")
            (pragma "pack(2)")
            (pragma "pack(pop)")
            (pragma "pack(4)")
            (pragma "pack()")
        "#]],
    );
}

#[test]
fn bytes_that_are_no_ascii() {
    check(
        "char *s = \"\u{fffd}é\"; int é; // \u{fffd}\nint \u{fffd};",
        expect![[r#"
        (declare char (s ptr = "�é"))
        (declare int (é))
        (declare int (�))
    "#]],
    );
}

#[test]
fn joined_lines_and_digraphs() {
    check(
        "char *s = \"a\\\nb\"; int \\\n x; int y<:2:> = <% 1 %>;",
        expect![[r#"
        (declare char (s ptr = "ab"))
        (declare int (x))
        (declare int (y array 2 = {1}))
    "#]],
    );
}

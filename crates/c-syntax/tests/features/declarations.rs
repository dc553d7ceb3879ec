//! Declarations, types and functions.

use super::*;

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

//! Expressions.

use super::*;

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

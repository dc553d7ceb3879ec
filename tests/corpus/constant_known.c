// expect: true --property unreach-call
// What gcc takes for a constant without optimisation.
extern void reach_error(void);
static const int three = 3;
struct pair { int a, b; };

int main(int argc, char **argv) {
    struct pair p = {1, 2};
    if (!__builtin_constant_p(3) || !__builtin_constant_p(0.5) || !__builtin_constant_p(sizeof p))
        reach_error();
    if (!__builtin_constant_p("text") || !__builtin_constant_p((char *)"text") || !__builtin_constant_p((char *)0))
        reach_error();
    if (__builtin_constant_p(argc) || __builtin_constant_p(three) || __builtin_constant_p(argc + 1))
        reach_error();
    if (__builtin_constant_p(&three) || __builtin_constant_p(p.b) || __builtin_constant_p("text"[1]))
        reach_error();
    return 0;
}

// expect: unknown --property unreach-call
// Whether the compiler simplifies is not the program's meaning.
extern void reach_error(void);

int main(int argc, char **argv) {
    if (__builtin_constant_p(argc * 0) != __builtin_constant_p((argc, 0)))
        reach_error();
    return 0;
}

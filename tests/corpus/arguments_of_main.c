// expect: false(valid-deref) -p valid-deref
// The arguments of a program are its user's: any number of them, of any contents. What the
// run does not come to, such as a library function without a model, has no part in the violation.
extern double strtod(const char *text, char **end);

int main(int argc, char **argv) {
    char first[1];
    if (argc == 2 && argv[1][0] == 'x')
        first[1] = argv[1][0];
    if (argc > 2 && strtod(argv[1], 0) > 1.0)
        return 1;
    return 0;
}

// expect: true -p valid-deref
// skip bounded: a loop without a bound
// The arguments of a program live as long as it does. (Once a violation was claimed: they ended
// with the function that makes them.)
int use(const char *text);

int main(int argc, char *argv[]) {
    int error;
    if (argc <= 1)
        return 1;
    error = use(argv[1]);
    return error < 0;
}

// expect: false(unreach-call)
// The number of a program's arguments is its user's. What the run does not come to, such as a
// library function without a model, has no part in the violation.
extern void reach_error(void);
extern double strtod(const char *text, char **end);

int main(int argc, char **argv) {
    if (argc == 4)
        reach_error();
    if (argc > 5 && strtod("1.5", 0) > 1.0)
        return 1;
    return 0;
}

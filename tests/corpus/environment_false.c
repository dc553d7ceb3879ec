// expect: false(unreach-call)
// Memory that the program did not make: the environment may hold what the
// error asks for.
extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);

struct device {
    int state;
    struct device *next;
};

int main(void) {
    struct device *first = __VERIFIER_nondet_pointer();
    struct device *other = __VERIFIER_nondet_pointer();
    if (!first || !other)
        return 0;
    first->state = 3;
    if (first->next && first->next->state == 7 && other->state == 5 && other->next != first)
        reach_error();
    return 0;
}

// expect: unknown --property unreach-call
// What an unknown attribute does to a function, nobody knows.
extern void reach_error(void);

__attribute__((nobody_knows_this)) int one(void) { return 1; }

int main(void) {
    if (one() != 1)
        reach_error();
    return 0;
}

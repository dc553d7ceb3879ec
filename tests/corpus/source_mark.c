// expect: true --property unreach-call
// A byte order mark is no part of the program.
extern void reach_error(void);
int main(void) { return sizeof "" == 1 ? 0 : (reach_error(), 1); }

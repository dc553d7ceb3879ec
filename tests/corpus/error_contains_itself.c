// expect: error
// C forbids it, used or not.
struct list { struct list next; };
int main(void) { return 0; }

// expect: unknown -p valid-deref
// How long it is, nobody says.
extern int a[];
int main(void) { return a[1000]; }

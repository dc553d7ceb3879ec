// expect: unknown -p valid-deref
// Where it leads, nobody says.
extern int *p;
int main(void) { return *p; }

// expect: unknown --property no-overflow
// Read late, the difference overflows.
int g = 1;
int f(void) { g = -2147483647 - 1; return 1; }

int main(void) { return (g - 1) + f() > 0; }

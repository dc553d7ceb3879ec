// expect: true --property unreach-call
// The order of evaluation where C leaves it open is gcc's.
extern void reach_error(void);
int g;
char small;
enum e { zero, nine = 9 } e;
struct { int x; } s;
int f(void) { g = 5; small = 5; e = nine; s.x = 5; return 1; }
long wide(void) { return f(); }
char narrow(void) { return f(); }
void reset(void) { g = 1; small = 1; e = zero; s.x = 1; }
#define CHECK(expression, value) reset(); result = (expression); if (result != (value)) reach_error()

int main(void) {
    long result;
    CHECK(g * f(), 5);
    CHECK(g * wide(), 1);
    CHECK((unsigned)g + f(), 6);
    CHECK(+g | f(), 5);
    CHECK((long)g + f(), 2);
    CHECK(s.x + f(), 2);
    CHECK(e + f(), 10);
    CHECK(small + f(), 2);
    CHECK(small | narrow(), 5);
    CHECK(g > f(), 1);
    CHECK(g > wide(), 0);
    return 0;
}

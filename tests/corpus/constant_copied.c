// expect: true --property valid-deref
// Arrays that literals initialise are the program's own; so are local objects, constant or not, to a write of no bytes.
#include <string.h>
static char row[2][4] = {"one", "two"};
static char *second = row[1];

static void set(char *place, const char *from) { place[0] = from[1]; }

int main(void) {
    char own[] = "abc";
    set(own, "xy");
    set(second, own);
    memcpy("abc", own, own[1] - 'b');
    return 0;
}

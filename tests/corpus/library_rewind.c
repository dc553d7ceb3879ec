// expect: unknown --property unreach-call
// What is read twice is read the same way.
#include <stdio.h>
extern void reach_error(void);

int main(void) {
    FILE *file = fopen("letters", "r");
    if (!file)
        return 1;
    int first = fgetc(file);
    rewind(file);
    int again = fgetc(file);
    if (first != EOF && again != EOF && first != again)
        reach_error();
    return 0;
}

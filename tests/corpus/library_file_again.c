// expect: unknown --property unreach-call
// What the program wrote itself is not anything when it is read again.
#include <stdio.h>
extern void reach_error(void);

int main(void) {
    FILE *file = fopen("letters", "w");
    if (!file || fputs("q", file) == EOF || fclose(file) == EOF)
        return 1;
    file = fopen("letters", "r");
    if (!file)
        return 1;
    int c = fgetc(file);
    if (c != EOF && c != 'q')
        reach_error();
    return 0;
}

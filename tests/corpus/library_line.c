// expect: true --property unreach-call
// A line ends with its first newline.
#include <stdio.h>
extern void reach_error(void);

int main(void) {
    char line[4];
    if (fgets(line, 4, stdin) && line[0] == '\n' && line[1] != 0)
        reach_error();
    return 0;
}

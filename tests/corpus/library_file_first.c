// expect: false(unreach-call) --property unreach-call
// What another wrote may be anything, at whatever place.
// skip harness: files cannot be given by a harness
#include <stdio.h>
extern void reach_error(void);

int main(void) {
    FILE *file = fopen("letters", "r");
    if (!file)
        return 1;
    fseek(file, 7, SEEK_SET);
    if (fgetc(file) == 'q')
        reach_error();
    return 0;
}

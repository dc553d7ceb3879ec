// expect: unknown
// Nobody here knows what `mblen` returns, and for an empty string it is zero: a run through it
// that takes another value shows nothing.
extern void reach_error(void);
extern int mblen(const char *text, unsigned long bytes);

int main(void) {
    if (mblen("", 1) != 0)
        reach_error();
    return 0;
}

// expect: not-true
// String literals may share their bytes, as linkers have it.
extern void reach_error(void);

int main(void) {
    const char *whole = "abc", *tail = "bc";
    if (whole + 1 == tail)
        reach_error();
    return 0;
}

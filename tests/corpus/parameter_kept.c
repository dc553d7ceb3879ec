// expect: false(valid-deref) --property valid-deref
// skip harness: gcc's sanitizer looks for uses after a return only if asked
// A parameter ends with its function.
static int *own(int x) {
    int *at = &x;
    return at;
}

int main(void) {
    return *own(3);
}

// expect: false(valid-deref) --property valid-deref
// A parameter ends with its function.
static int *own(int x) {
    int *at = &x;
    return at;
}

int main(void) {
    return *own(3);
}

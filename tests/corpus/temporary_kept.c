// expect: false(valid-deref) --property valid-deref
// skip harness: gcc keeps the value of a call in its frame, and its sanitizer does not look
// What a call returns ends with the full expression (C11 6.2.4).
struct row { int of[2]; };

static struct row made(int x) {
    struct row r = {{x, x}};
    return r;
}

int main(void) {
    int *kept = made(3).of;
    return kept[1];
}

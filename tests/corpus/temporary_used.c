// expect: true --property valid-deref
// Until its full expression ends, what a call returns can be read; each evaluation makes it anew.
struct row { int of[2]; };

static struct row made(int x) {
    struct row r = {{x, x}};
    return r;
}

static int sum(const int *of) {
    return of[0] + of[1];
}

int main(void) {
    int all = 0, i = 0;
    while (made(i).of[1] < 2)
        all += sum(made(i++).of);
    int last = made(all).of[0] ? sum(made(1).of) : 0;
    return last + ({ made(2); }).of[1];
}

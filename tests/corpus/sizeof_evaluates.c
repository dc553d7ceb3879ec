// expect: true --property unreach-call
// sizeof and typeof evaluate an operand whose type varies, and no other.
extern void reach_error(void);

int main(void) {
    int n = 2, i = 0, j = 0;
    int a[3][n], b[3][2];
    unsigned long size = sizeof(a[i++]) + sizeof(b[j++]) + sizeof(int[n++]);
    __typeof__(a[i++]) c;
    if (i != 2 || j != 0 || n != 3 || size != 24 || sizeof c != 8)
        reach_error();
    return 0;
}

// expect: false(no-overflow) --property no-overflow
// skip harness: the compiler's sanitizer lets shifts into the sign pass
// What gcc defines is still no arithmetic that C allows.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char high = __VERIFIER_nondet_uchar();
    int word = high << 24;
    return word == 0;
}

// expect: false(unreach-call) --property unreach-call
// gcc defines left shifts of signed values where C does not: bits that leave are lost, and the sign is a bit.
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char high = __VERIFIER_nondet_uchar(), low = __VERIFIER_nondet_uchar();
    int word = high << 24 | low;
    if (word < 0 && low == 7)
        reach_error();
    return 0;
}

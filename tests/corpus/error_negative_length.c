// expect: error
// C forbids it, used or not.
int a[-1];
int main(void) { return 0; }

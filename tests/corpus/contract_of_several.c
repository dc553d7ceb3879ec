// expect: not-true --property assert
// So with one before several declarators, and before a function that is declared by the name of its type.
typedef int unary(int n);
/*@ requires n > 0; */
int first(int n), second(int n);
/*@ requires n > 0; */
unary third;
int first(int n) { return n; }
int third(int n) { return n; }
int main(void) { return first(0) + third(0); }

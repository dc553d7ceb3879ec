// expect: true -p valid-deref
extern int a[10];
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum ^= a[i];
  return sum;
}

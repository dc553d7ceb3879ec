// expect: not-true --property assert
int level;
/*@ global invariant never_below: level >= 0; */
int main(void) {
  level = -1;
  return 0;
}

// expect: true --property assert
// skip impact: the only run is found by execution
// skip predicate: the only run is found by execution
// skip trace: the only run is found by execution
// skip bounded: the only run is found by execution
// There is nothing to ask: the program has one run. What it declares without a value it sets before it reads.
#include <assert.h>
#include <stdio.h>
#include <string.h>
struct flags { unsigned a : 3, b : 5; int n; };
static volatile int seed = 41;

static unsigned mix(unsigned h, unsigned x) {
  h ^= x;
  for (int i = 0; i < 13; i++)
    h = h * 16777619u ^ h >> 15;
  return h;
}

int main(int argc, char **argv) {
  int unset, table[64];
  struct flags f, g;
  unsigned h = (unsigned)seed;
  for (int i = 0; i < 64; i++)
    table[i] = (i * 37 + 11) % 64;
  for (int i = 1; i < 64; i++)
    for (int j = i; j > 0 && table[j - 1] > table[j]; j--) {
      unset = table[j];
      table[j] = table[j - 1];
      table[j - 1] = unset;
    }
  for (int i = 0; i < 64; i++) {
    assert(table[i] == i);
    h = mix(h, (unsigned)table[i]);
  }
  f.a = h % 8;
  f.b = 17;
  g = f;
  char text[32];
  assert(sprintf(text, "%u-%d", g.b, seed) == 5 && strcmp(text, "17-41") == 0);
  assert(g.a == h % 8);
  return 0;
}

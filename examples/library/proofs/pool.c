#include "pool.h"
#include <assert.h>

int main(void) {
  struct pool pool;
  pool_init(&pool);
  unsigned char *a = pool_take(&pool), *b = pool_take(&pool);
  assert(a && b && a != b);
  a[BLOCK - 1] = 1;
  b[0] = 2;
  assert(a[BLOCK - 1] == 1);
  pool_give(&pool, a);
  assert(pool_take(&pool) == a);
}

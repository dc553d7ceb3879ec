#include "pool.h"

void pool_init(struct pool *pool) {
  for (unsigned i = 0; i < BLOCKS; i++)
    pool->next[i] = (unsigned char)(i + 1);
  pool->free = 0;
}

void *pool_take(struct pool *pool) {
  if (pool->free == BLOCKS)
    return NULL;
  unsigned char taken = pool->free;
  pool->free = pool->next[taken];
  return pool->memory[taken];
}

void pool_give(struct pool *pool, void *block) {
  size_t at = (size_t)((unsigned char(*)[BLOCK])block - pool->memory);
  pool->next[at] = pool->free;
  pool->free = (unsigned char)at;
}

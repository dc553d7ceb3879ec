// An allocator: blocks of one size out of a pool.
#include <stddef.h>

enum { BLOCKS = 8, BLOCK = 32 };

struct pool {
  _Alignas(16) unsigned char memory[BLOCKS][BLOCK];
  unsigned char next[BLOCKS]; // the free block behind each, or BLOCKS
  unsigned char free;         // the first free block, or BLOCKS
};

void pool_init(struct pool *pool);
void *pool_take(struct pool *pool); // null when there is none
void pool_give(struct pool *pool, void *block);

// Executes a program on all short sequences of inputs, each run in a process of its own, and says
// on standard output what runs did, each word with the inputs of the first such run:
//   error | overflow | division | shift | deref | free | other    the run ended with that
//   lost | used      at the end memory was not reachable; was not freed
//   perhaps-lost     a run that ended early had memory that nobody may have known
//   complete|incomplete N runs
// The program is instrumented by the sanitizers for addresses and for undefined behaviour. What
// the former does not see, it is shown: alloca and arrays of variable length are blocks
// of the heap here, freed when their function or scope is left.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST 24
#define RUNS 300
#define BLOCKS 400

enum { FINE, BLOCKED = 40, ERROR, OVERFLOW, DIVISION, SHIFT, DEREF, FREE, OTHER };
static const char *const words[] = {"error", "overflow", "division", "shift", "deref", "free", "other"};

static struct tape {
  int length, cut, position;
  int value[LONGEST], high[LONGEST];
  int lost, used, perhaps;
} *tape;

// Blocks of the heap, outside of the memory that is searched for pointers.
static struct registry {
  int count;
  struct { char *start; unsigned long size; int live, seen; } block[BLOCKS];
  int depth, frame[BLOCKS], allocas;
  void *on_frame[BLOCKS];
} *registry;

static void reach(char *from, char *to) {
  for (void **word = (void **)(((unsigned long)from + 7) & ~7ul); (char *)(word + 1) <= to; word++)
    for (int i = 0; i < registry->count; i++) {
      char *start = registry->block[i].start;
      if (!registry->block[i].live || registry->block[i].seen) continue;
      if ((char *)*word < start || (char *)*word > start + registry->block[i].size) continue;
      registry->block[i].seen = 1;
      reach(start, start + registry->block[i].size);
    }
}

extern char __data_start[], _end[];

static void leave(int code) {
  reach(__data_start, _end);
  for (int i = 0; i < registry->count; i++) {
    if (!registry->block[i].live) continue;
    if (code == FINE) {
      tape->used = 1;
      if (!registry->block[i].seen) tape->lost = 1;
    }
    if (!registry->block[i].seen) tape->perhaps = 1;
  }
  _exit(code);
}

void *judge_malloc(unsigned long size) {
  if (registry->count == BLOCKS) {
    tape->cut = 1;
    _exit(BLOCKED);
  }
  char *made = malloc(size);
  registry->block[registry->count].start = made;
  registry->block[registry->count].size = size;
  registry->block[registry->count++].live = 1;
  return made;
}

void *judge_calloc(unsigned long count, unsigned long size) {
  return memset(judge_malloc(count * size), 0, count * size);
}

void judge_free(void *pointer) {
  for (int i = 0; i < registry->count; i++)
    if (registry->block[i].start == pointer) registry->block[i].live = 0;
  free(pointer);
}

// Moves the block always, so that a use of the old one is seen.
void *judge_realloc(void *pointer, unsigned long size) {
  char *made = judge_malloc(size);
  for (int i = 0; i < registry->count; i++)
    if (registry->block[i].start == pointer) {
      unsigned long had = registry->block[i].size;
      memcpy(made, pointer, had < size ? had : size);
    }
  judge_free(pointer);
  return made;
}

int judge_enter(void) {
  registry->frame[registry->depth++] = registry->allocas;
  return 0;
}

void judge_leave(int *frame) {
  registry->depth--;
  while (registry->allocas > registry->frame[registry->depth])
    free(registry->on_frame[--registry->allocas]);
}

void *judge_alloca(unsigned long size) {
  if (registry->depth >= BLOCKS - 1 || registry->allocas >= BLOCKS - 1) {
    tape->cut = 1;
    _exit(BLOCKED);
  }
  return registry->on_frame[registry->allocas++] = malloc(size);
}

void *judge_array(unsigned long size) { return malloc(size); }
void judge_drop(void *array) { free(*(void **)array); }

int judge_input(int low, int high) {
  if (low > high) leave(BLOCKED);
  if (tape->position == tape->length) {
    if (tape->length == LONGEST) {
      tape->cut = 1;
      _exit(BLOCKED);
    }
    tape->value[tape->length] = low;
    tape->high[tape->length] = high;
    tape->length++;
  }
  return tape->value[tape->position++];
}
int __VERIFIER_nondet_int(void) { _exit(OTHER); }
void __VERIFIER_assume(int holds) { if (!holds) leave(BLOCKED); }
void reach_error(void) { leave(ERROR); }

#define HANDLER(name, code) \
  void __ubsan_handle_##name##_abort() { _exit(code); } \
  void __ubsan_handle_##name() { _exit(code); }
HANDLER(add_overflow, OVERFLOW)
HANDLER(sub_overflow, OVERFLOW)
HANDLER(mul_overflow, OVERFLOW)
HANDLER(negate_overflow, OVERFLOW)
HANDLER(load_invalid_value, OTHER)
HANDLER(builtin_unreachable, OTHER)
HANDLER(missing_return, OTHER)
HANDLER(nonnull_arg, OTHER)
HANDLER(vla_bound_not_positive, OTHER)

void __ubsan_handle_divrem_overflow_abort(void *site, long left, long right) {
  _exit(right == 0 ? DIVISION : OVERFLOW);
}

void __ubsan_handle_type_mismatch_v1_abort(void *site, void *pointer) {
  _exit(pointer == 0 ? DEREF : OTHER);
}

// As the runtime library describes types: sign in the lowest bit, above it the logarithm of the width.
struct type { unsigned short kind, info; };
struct shift { const char *file; unsigned line, column; struct type *left, *right; };
void __ubsan_handle_shift_out_of_bounds_abort(struct shift *site, long left, long right) {
  long width = 1l << (site->left->info >> 1), own = 1l << (site->right->info >> 1);
  if (own < 64) right = site->right->info & 1 ? right << (64 - own) >> (64 - own) : right & ((1l << own) - 1);
  // Otherwise bits are lost, which is an overflow.
  _exit(right < 0 || right >= width ? SHIFT : OVERFLOW);
}

const char *__asan_default_options(void) {
  return "detect_leaks=0:symbolize=0:detect_stack_use_after_return=1:redzone=64:print_legend=0:"
         "allocator_may_return_null=1:quarantine_size_mb=8:strict_string_checks=0";
}
void __asan_set_error_report_callback(void (*)(const char *));
static void reported(const char *text) {
  if (strstr(text, "double-free") || strstr(text, "attempting free") || strstr(text, "bad-free")) _exit(FREE);
  if (strstr(text, "overlap") || strstr(text, "too-big") || strstr(text, "stack-overflow")) _exit(OTHER);
  _exit(DEREF);
}

int program_main(void);

static void show(const char *word) {
  printf("%s", word);
  for (int i = 0; i < tape->length; i++) printf("%c%d", i ? ',' : ' ', tape->value[i]);
  printf("\n");
}

static void *shared(unsigned long size) {
  return mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

int main(void) {
  tape = shared(sizeof *tape);
  registry = shared(sizeof *registry);
  __asan_set_error_report_callback(reported);
  if (!freopen("/dev/null", "w", stderr)) return 2;
  int runs = 0, stuck = 0, seen[sizeof words / sizeof *words] = {0}, lost = 0, used = 0, perhaps = 0;
  for (;;) {
    tape->position = tape->lost = tape->used = tape->perhaps = 0;
    memset(registry, 0, sizeof *registry);
    pid_t child = fork();
    if (child == 0) {
      struct itimerval half = {{0, 0}, {0, 500000}};
      setitimer(ITIMER_REAL, &half, 0);
      signal(SIGALRM, SIG_DFL);
      program_main();
      leave(FINE);
    }
    int status;
    waitpid(child, &status, 0);
    runs++;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code >= ERROR && code <= OTHER) {
      if (seen[code - ERROR]++ == 0) show(words[code - ERROR]);
    } else if (code != FINE && code != BLOCKED) {
      tape->cut = 1;
      stuck++;
    }
    if (tape->lost && lost++ == 0) show("lost");
    if (tape->used && used++ == 0) show("used");
    if (tape->perhaps && perhaps++ == 0) show("perhaps-lost");
    // The next sequence in lexicographic order.
    tape->length = tape->position < tape->length ? tape->position : tape->length;
    while (tape->length > 0 && tape->value[tape->length - 1] == tape->high[tape->length - 1])
      tape->length--;
    if (tape->length == 0) break;
    tape->value[tape->length - 1]++;
    if (runs >= RUNS || stuck >= 2) {
      tape->cut = 1;
      break;
    }
  }
  printf("%s %d runs\n", tape->cut ? "incomplete" : "complete", runs);
  return 0;
}

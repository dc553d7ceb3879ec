// Executes a program on all short sequences of inputs, each run in a process
// of its own, and says on standard output which of them reach the error:
//   error [v0,v1,...]   complete|incomplete N runs
// Undefined behaviour ends a run; signed overflow counts as `overflow`.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST 24
#define RUNS 3000

struct tape {
  int length, cut;
  int position;
  int value[LONGEST], high[LONGEST];
};
static struct tape *tape;

enum { FINE = 0, BLOCKED = 40, REACHED = 41, UNDEFINED = 42, OVERFLOWED = 43 };

int judge_input(int low, int high) {
  if (low > high) _exit(BLOCKED);
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
int __VERIFIER_nondet_int(void) { _exit(BLOCKED); }
void __VERIFIER_assume(int holds) { if (!holds) _exit(BLOCKED); }
void reach_error(void) { _exit(REACHED); }

#define HANDLER(name, code) \
  void __ubsan_handle_##name##_abort() { _exit(code); } \
  void __ubsan_handle_##name() { _exit(code); }
HANDLER(add_overflow, OVERFLOWED)
HANDLER(sub_overflow, OVERFLOWED)
HANDLER(mul_overflow, OVERFLOWED)
HANDLER(negate_overflow, OVERFLOWED)
HANDLER(divrem_overflow, UNDEFINED)
HANDLER(shift_out_of_bounds, UNDEFINED)
HANDLER(out_of_bounds, UNDEFINED)
HANDLER(type_mismatch_v1, UNDEFINED)
HANDLER(pointer_overflow, UNDEFINED)
HANDLER(load_invalid_value, UNDEFINED)
HANDLER(builtin_unreachable, UNDEFINED)
HANDLER(missing_return, UNDEFINED)
HANDLER(nonnull_arg, UNDEFINED)

int program_main(void);

static void show(const char *word) {
  printf("%s", word);
  for (int i = 0; i < tape->length; i++) printf("%c%d", i ? ',' : ' ', tape->value[i]);
  printf("\n");
}

int main(void) {
  tape = mmap(0, sizeof *tape, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int runs = 0, errors = 0, overflows = 0, undefined = 0;
  for (;;) {
    tape->position = 0;
    pid_t child = fork();
    if (child == 0) {
      alarm(2);
      program_main();
      _exit(FINE);
    }
    int status;
    waitpid(child, &status, 0);
    runs++;
    if (!WIFEXITED(status)) tape->cut = 1;
    else if (WEXITSTATUS(status) == REACHED && errors++ == 0) show("error");
    else if (WEXITSTATUS(status) == OVERFLOWED && overflows++ == 0) show("overflow");
    else if (WEXITSTATUS(status) == UNDEFINED && undefined++ == 0) show("undefined");
    // The next sequence in lexicographic order.
    tape->length = tape->position < tape->length ? tape->position : tape->length;
    while (tape->length > 0 && tape->value[tape->length - 1] == tape->high[tape->length - 1])
      tape->length--;
    if (tape->length == 0) break;
    tape->value[tape->length - 1]++;
    if (runs >= RUNS) {
      tape->cut = 1;
      break;
    }
  }
  printf("%s %d runs\n", tape->cut ? "incomplete" : "complete", runs);
  return 0;
}

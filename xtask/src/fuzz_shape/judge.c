// Inputs from the number of the run; exit codes 33 for the error, 35 for a leak.
#include <stdlib.h>
#include <unistd.h>
#include <sanitizer/lsan_interface.h>
static unsigned long long seed;
int program_main(void);
int __VERIFIER_nondet_int(void) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((seed >> 40) % 3) - ((seed >> 60) == 0);
}
void reach_error(void) { _exit(33); }
int main(int count, char **words) {
  seed = strtoull(words[1], 0, 10) * 0x9e3779b97f4a7c15ULL + 1;
  alarm(1);
  program_main();
  _exit(__lsan_do_recoverable_leak_check() ? 35 : 0);
}

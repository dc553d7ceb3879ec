// expect: true
// `assume`, which nobody declares, is the verifiers' word: it cuts the run.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  assume(x > 3);
  if (x <= 3)
    reach_error();
}

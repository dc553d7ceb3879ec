// expect: not-true -p unreach-call
// Other files can name the table.
extern void reach_error(void);
struct handler { int kind; void (*run)(int); };
extern void start(void);
static int state;
static void run(int v) { state = v; }
struct handler table[2] = {{1, run}, {2, run}};
int main(void) {
  start();
  if (state == 7) reach_error();
  return table[0].kind - 1;
}

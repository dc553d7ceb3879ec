// always
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);
static int input(int low, int high) {
  int v = __VERIFIER_nondet_int();
  __VERIFIER_assume(v >= low && v <= high);
  return v;
}
int g = 1, h;
// wide
unsigned u = 3;
signed char c = -1;
unsigned char b;
short s;
long l = 7;
// pointers|lifetimes|allocas
int *p = &g;
static void bump(int *at, int by) { *at = (*at + by) % 64; }
static int *kept(int v) {
  static int still;
  int here = v;
  int *o = &here;
  if (v & 1) {
    still = v;
    o = &still;
  }
  return o;
}
// arrays
int a[4] = {1, 2};
int d[2][3] = {{1}, {4, 5, 6}};
// arrays|heap_arrays|allocas
static int sum(const int *of, int count) {
  int all = 0;
  for (int i = 0; i < count; i++)
    all += of[i] & 255;
  return all;
}
static void zero(int *of, int count) {
  for (int i = 0; i < count; i++)
    of[i] = 0;
}
// structs
struct pair { int x; unsigned char y; int v[2]; };
struct pair q = {2, 5}, r, e[2] = {{1, 2, {3, 4}}};
static struct pair make(int x, int y) {
  struct pair made = {x, y, {y, x}};
  return made;
}
static int both(struct pair of) { return (of.x & 1023) + of.y; }
// unions
union word { int i; short s[2]; unsigned char b[4]; } cell;
// bit_fields
struct bits { int a : 5; unsigned b : 3; int c : 12; unsigned d : 1; } z;
// lists
struct node { int x; struct node *next; };
struct node first, *n;
static struct node *new_node(int x, struct node *next) {
  struct node *made = malloc(sizeof(struct node));
  made->x = x;
  made->next = next;
  return made;
}
static int length(const struct node *of) {
  int count = 0;
  for (; of; of = of->next)
    count++;
  return count;
}
// heap_arrays
extern void *realloc(void *, unsigned long);
int backup[4];
int *m = backup, *was = backup;
static int *new_ints(int count) { return calloc(count, sizeof(int)); }
// strings
extern unsigned long strlen(const char *);
extern char *strcpy(char *, const char *);
extern char *strcat(char *, const char *);
extern int strcmp(const char *, const char *);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
char text[8] = "ab";
// holders
struct holder { int kind; int *at; } one = {1, &g}, two = {2, &h};
int *three[3] = {&g, &h, &g};
static int held(struct holder of) { return of.at ? *of.at % 64 : of.kind; }
// walks
int track[6] = {5, 4, 3, 2, 1, 0};
int *at = track;
static int before(const int *from, const int *to) {
  int all = 0;
  while (from < to)
    all += *from++ & 15;
  return all;
}
// calls
static int deep(int left, int *up) {
  int here = left & 7;
  *up = (*up + here) % 32;
  if (here == 0)
    return *up;
  return deep(here - 1, here & 1 ? &here : up);
}
static int often(int by) {
  static int count;
  count = (count + by) % 16;
  return count;
}

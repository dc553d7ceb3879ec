// <stdlib.h>, <errno.h> and <inttypes.h>.

typedef unsigned long size_t;
void *malloc(size_t);
void *memalign(size_t, size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
size_t strlen(const char *);
void __bolide_check_text(const char *);
size_t __bolide_object_size(const void *);
void __bolide_check_freeable(void *);
void __bolide_assume(int);
int __bolide_opaque_int(int);
long __bolide_opaque_long(long);
// Values that may be anything, and those that C fixes and no model knows: no violation
// counts that rests on one of these.
int __bolide_any_int(void);
long __bolide_any_long(void);
double __bolide_any_double(void);
size_t __bolide_any_size(void);
int __bolide_unmodelled_int(void);
long __bolide_unmodelled_long(void);
double __bolide_unmodelled_double(void);
size_t __bolide_unmodelled_size(void);
void *__bolide_allocate(size_t);

int __bolide_errno;
int *__errno_location(void) { return &__bolide_errno; }
enum { EINVAL = 22, ERANGE = 34 };

void *realloc(void *old, size_t size) {
  __bolide_check_freeable(old);
  if (old == 0) return malloc(size);
  if (size == 0) {
    // glibc frees; others give an object without bytes.
    free(old);
    return __bolide_opaque_int(1) ? 0 : malloc(0);
  }
  void *new = malloc(size);
  if (new == 0) return 0;
  size_t had = __bolide_object_size(old);
  memcpy(new, old, had < size ? had : size);
  free(old);
  return new;
}

void *reallocarray(void *old, size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / size) {
    __bolide_errno = 12;
    return 0;
  }
  return realloc(old, count * size);
}

void *valloc(size_t size) { return memalign(4096, size); }
void *pvalloc(size_t size) { return memalign(4096, (size + 4095) / 4096 * 4096); }

int posix_memalign(void **result, size_t align, size_t size) {
  void *new = memalign(align, size);
  if (new == 0) return 12;
  *result = new;
  return 0;
}

size_t malloc_usable_size(void *object) {
  size_t size = object == 0 ? 0 : __bolide_object_size(object);
  size_t more = __bolide_unmodelled_size();
  __bolide_assume(more >= size && more - size < 64);
  return more;
}

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
long long imaxabs(long long x) { return x < 0 ? -x : x; }

static int __bolide_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

long atol(const char *s) {
  long value = 0;
  int minus = 0;
  while (__bolide_space(*s)) s++;
  if (*s == '-' || *s == '+') {
    minus = *s == '-';
    s++;
  }
  for (; *s >= '0' && *s <= '9'; s++) value = value * 10 - (*s - '0');
  return minus ? value : -value;
}

long long atoll(const char *s) {
  long long value = 0;
  int minus = 0;
  while (__bolide_space(*s)) s++;
  if (*s == '-' || *s == '+') {
    minus = *s == '-';
    s++;
  }
  for (; *s >= '0' && *s <= '9'; s++) value = value * 10 - (*s - '0');
  return minus ? value : -value;
}

int atoi(const char *s) { return (int)atol(s); }

static int __bolide_digit(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 36;
}

// The number that a text begins with, without its sign; at most `most`, or one more if it is
// negative and `below` is set.
static unsigned long long __bolide_number(const char *s, char **end, int base, int *minus,
                                          unsigned long long most, int below) {
  const char *begin = s;
  unsigned long long value = 0;
  int over = 0;
  *minus = 0;
  if (base < 0 || base == 1 || base > 36) {
    __bolide_errno = EINVAL;
    return 0;
  }
  while (__bolide_space(*s)) s++;
  if (*s == '-' || *s == '+') {
    *minus = *s == '-';
    s++;
  }
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
      __bolide_digit(s[2]) < 16) {
    base = 16;
    s += 2;
  } else if (base == 0) {
    base = *s == '0' ? 8 : 10;
  }
  if (*minus && below) most++;
  if (__bolide_digit(*s) < base) begin = 0;
  for (; __bolide_digit(*s) < base; s++) {
    unsigned digit = __bolide_digit(*s);
    if (value > (most - digit) / base)
      over = 1;
    else
      value = value * base + digit;
  }
  if (over) {
    value = most;
    __bolide_errno = ERANGE;
    if (!below) *minus = 0;
  }
  if (end != 0) *end = (char *)(begin == 0 ? s : begin);
  return value;
}

long strtol(const char *s, char **end, int base) {
  int minus;
  unsigned long value = __bolide_number(s, end, base, &minus, (unsigned long)-1 / 2, 1);
  return minus ? -value : value;
}

long long strtoll(const char *s, char **end, int base) {
  int minus;
  unsigned long long value =
      __bolide_number(s, end, base, &minus, (unsigned long long)-1 / 2, 1);
  return minus ? -value : value;
}

unsigned long strtoul(const char *s, char **end, int base) {
  int minus;
  unsigned long value = __bolide_number(s, end, base, &minus, (unsigned long)-1, 0);
  return minus ? -value : value;
}

unsigned long long strtoull(const char *s, char **end, int base) {
  int minus;
  unsigned long long value = __bolide_number(s, end, base, &minus, (unsigned long long)-1, 0);
  return minus ? -value : value;
}

long long strtoq(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtouq(const char *s, char **end, int base) { return strtoull(s, end, base); }
// `long` has 64 bits where `intmax_t` is `long`.
long long strtoimax(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtoumax(const char *s, char **end, int base) {
  return strtoull(s, end, base);
}

float __bolide_read_float(const char *, float);
double __bolide_read_double(const char *, double);
long double __bolide_read_long_double(const char *, long double);
int __bolide_read_float_length(const char *, float);
int __bolide_read_double_length(const char *, double);
int __bolide_read_long_double_length(const char *, long double);

static void __bolide_end_of_float(const char *s, char **end, int length, int finite) {
  __bolide_assume(length >= 0 && (size_t)length <= strlen(s));
  if (end != 0) *end = (char *)s + length;
  // Overflow and underflow set `errno`; a text that says infinity does not.
  if (!finite) __bolide_errno = __bolide_unmodelled_int();
}

float strtof(const char *s, char **end) {
  float value = __bolide_read_float(s, 0);
  float size = value < 0 ? -value : value;
  __bolide_end_of_float(s, end, __bolide_read_float_length(s, 0),
                        size == 0 || (size > 1e-37f && size < 1e38f));
  return value;
}

double strtod(const char *s, char **end) {
  double value = __bolide_read_double(s, 0);
  double size = value < 0 ? -value : value;
  __bolide_end_of_float(s, end, __bolide_read_double_length(s, 0),
                        size == 0 || (size > 1e-307 && size < 1e308));
  return value;
}

long double strtold(const char *s, char **end) {
  long double value = __bolide_read_long_double(s, 0);
  long double size = value < 0 ? -value : value;
  __bolide_end_of_float(s, end, __bolide_read_long_double_length(s, 0),
                        size == 0 || (size > 1e-4000L && size < 1e4000L));
  return value;
}

double atof(const char *s) { return strtod(s, 0); }

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  // Insertion sort: equal elements keep their order, as glibc's merge sort has it.
  char *a = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && compare(a + (j - 1) * size, a + j * size) > 0; j--)
      for (size_t k = 0; k < size; k++) {
        char c = a[(j - 1) * size + k];
        a[(j - 1) * size + k] = a[j * size + k];
        a[j * size + k] = c;
      }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const void *element = (const char *)base + middle * size;
    int order = compare(key, element);
    if (order == 0) return (void *)element;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}

// Any number, until a second seed is set: then numbers may have to be those of before.
static int __bolide_seeds;
void srand(unsigned seed) {
  if (__bolide_seeds < 2) __bolide_seeds++;
}
void srandom(unsigned seed) { srand(seed); }
void srand48(long seed) { srand(0); }

int rand(void) {
  int value = __bolide_seeds < 2 ? __bolide_any_int() : __bolide_unmodelled_int();
  __bolide_assume(value >= 0);
  return value;
}
long random(void) { return rand(); }
long lrand48(void) { return rand(); }

long mrand48(void) {
  return (int)(__bolide_seeds < 2 ? __bolide_any_int() : __bolide_unmodelled_int());
}

double drand48(void) {
  double value = __bolide_seeds < 2 ? __bolide_any_double() : __bolide_unmodelled_double();
  __bolide_assume(value >= 0 && value < 1);
  return value;
}

int rand_r(unsigned *seed) {
  unsigned next = *seed, result;
  next = next * 1103515245 + 12345;
  result = next / 65536 % 2048;
  next = next * 1103515245 + 12345;
  result = result << 10 ^ next / 65536 % 1024;
  next = next * 1103515245 + 12345;
  result = result << 10 ^ next / 65536 % 1024;
  *seed = __bolide_opaque_int(next);
  int value = __bolide_opaque_int(result);
  __bolide_assume(value >= 0);
  return value;
}

// One block holds all values. The first answer may be anything; how later ones relate to
// those before is not modelled.
char *getenv(const char *name) {
  static char *block;
  static size_t size;
  int first = block == 0;
  __bolide_check_text(name);
  if (first) {
    size = __bolide_any_size();
    __bolide_assume(size > 0 && size < 0x100000);
    block = __bolide_allocate(size);
    block[size - 1] = 0;
  }
  if (first ? __bolide_any_int() : __bolide_unmodelled_int()) return 0;
  size_t at = first ? 0 : __bolide_unmodelled_size();
  __bolide_assume(at < size);
  return block + at;
}
char *secure_getenv(const char *name) { return getenv(name); }

// The arguments of main: as many strings as there are, each of any length.
char **__bolide_argv(int count) {
  char **argv = __bolide_allocate(((size_t)count + 1) * sizeof(char *));
  for (int i = 0; i < count; i++) {
    size_t length = __bolide_any_size();
    __bolide_assume(length < 0x100000);
    char *argument = __bolide_allocate(length + 1);
    argument[length] = 0;
    argv[i] = argument;
  }
  argv[count] = 0;
  return argv;
}

// Functions that run when `exit` is called or `main` returns, the last one first. C promises room for 32;
// the machine's library finds room for more as long as there is memory.
static void (*__bolide_handlers[32])(void);
static int __bolide_handler_count;
static struct __bolide_handler {
  void (*run)(void);
  struct __bolide_handler *before;
} *__bolide_later_handlers;
int atexit(void (*handler)(void)) {
  if (__bolide_handler_count < 32) {
    __bolide_handlers[__bolide_handler_count++] = handler;
    return 0;
  }
  if (!__bolide_opaque_int(1)) return -1;
  struct __bolide_handler *later = __bolide_allocate(sizeof *later);
  later->run = handler;
  later->before = __bolide_later_handlers;
  __bolide_later_handlers = later;
  return 0;
}
void __bolide_run_exit_handlers(void) {
  while (__bolide_later_handlers != 0) {
    struct __bolide_handler *last = __bolide_later_handlers;
    __bolide_later_handlers = last->before;
    last->run();
  }
  while (__bolide_handler_count > 0) __bolide_handlers[--__bolide_handler_count]();
}

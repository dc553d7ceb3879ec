// General utilities.

typedef unsigned long size_t;
void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
size_t strlen(const char *);
size_t __bolide_object_size(const void *);
void __bolide_check_freeable(void *);
size_t __bolide_any_size(void);
int __bolide_any_int(void);
long __bolide_any_long(void);
char __bolide_any_char(void);
void *__bolide_allocate(size_t);
void __VERIFIER_assume(int);

void *realloc(void *old, size_t size) {
  __bolide_check_freeable(old);
  if (old == 0) return malloc(size);
  void *new = malloc(size);
  size_t had = __bolide_object_size(old);
  memcpy(new, old, had < size ? had : size);
  free(old);
  return new;
}

void *reallocarray(void *old, size_t count, size_t size) { return realloc(old, count * size); }

int posix_memalign(void **result, size_t align, size_t size) {
  *result = malloc(size);
  return 0;
}

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }


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

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  // Insertion sort: the order of equal elements is as open as the standard leaves it.
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
    size_t middle = low + (high - low) / 2;
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

long time(long *result) {
  long now = __bolide_any_long();
  if (result != 0) *result = now;
  return now;
}

int rand_r(unsigned *seed) {
  *seed = __bolide_any_int();
  int value = __bolide_any_int();
  __VERIFIER_assume(value >= 0);
  return value;
}

// Any line that fits, as long as the stream delivers one.
char *fgets(char *s, int n, void *stream) {
  if (n <= 0 || __bolide_any_int()) return 0;
  int length = __bolide_any_int();
  __VERIFIER_assume(length >= 0 && length < n);
  for (int i = 0; i < length; i++) s[i] = __bolide_any_char();
  s[length] = 0;
  return s;
}

// Text of any length and contents, cut to the size of the buffer.
int __bolide_print_to(char *s, size_t size) {
  int length = __bolide_any_int();
  __VERIFIER_assume(length >= 0);
  if (size == 0) return length;
  size_t written = (size_t)length < size - 1 ? (size_t)length : size - 1;
  for (size_t i = 0; i < written; i++) {
    char c = __bolide_any_char();
    s[i] = c;
  }
  s[written] = 0;
  return length;
}

int snprintf(char *s, size_t size, const char *format, ...) { return __bolide_print_to(s, size); }
int vsnprintf(char *s, size_t size, const char *format, __builtin_va_list arguments) {
  return __bolide_print_to(s, size);
}

char *getenv(const char *name) {
  if (__bolide_any_int()) return 0;
  size_t length = __bolide_any_size();
  __VERIFIER_assume(length < 0x100000);
  char *value = __bolide_allocate(length + 1);
  value[length] = 0;
  return value;
}

// The arguments of main: as many strings as there are, each of any length.
char **__bolide_argv(int count) {
  char **argv = __bolide_allocate(((size_t)count + 1) * sizeof(char *));
  for (int i = 0; i < count; i++) {
    size_t length = __bolide_any_size();
    __VERIFIER_assume(length < 0x100000);
    char *argument = __bolide_allocate(length + 1);
    argument[length] = 0;
    argv[i] = argument;
  }
  argv[count] = 0;
  return argv;
}

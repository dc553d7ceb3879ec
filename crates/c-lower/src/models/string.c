// <string.h>, <strings.h> and <wchar.h>: strings and blocks of memory, byte by byte as the
// standard describes them.

typedef unsigned long size_t;
void *malloc(size_t);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
int __bolide_opaque_int(int);
void __bolide_assume(int);

size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
  return n;
}

size_t strnlen(const char *s, size_t limit) {
  size_t n = 0;
  while (n < limit && s[n] != 0) n++;
  return n;
}

// What output functions read of a string.
size_t __bolide_length(const char *s) { return strlen(s); }

void __bolide_read_string(const char *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
}

void __bolide_read_prefix(const char *s, int limit) {
  size_t n = 0;
  while ((limit < 0 || n < (size_t)limit) && s[n] != 0) n++;
}

char *strcpy(char *to, const char *from) {
  size_t i = 0;
  while ((to[i] = from[i]) != 0) i++;
  return to;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from) != 0) {
    to++;
    from++;
  }
  return to;
}

char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i] != 0; i++) to[i] = from[i];
  for (; i < n; i++) to[i] = 0;
  return to;
}

char *stpncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i] != 0; i++) to[i] = from[i];
  for (size_t k = i; k < n; k++) to[k] = 0;
  return to + i;
}

size_t strlcpy(char *to, const char *from, size_t n) {
  size_t length = strlen(from), i = 0;
  if (n == 0) return length;
  for (; i < n - 1 && i < length; i++) to[i] = from[i];
  to[i] = 0;
  return length;
}

size_t strlcat(char *to, const char *from, size_t n) {
  size_t had = strnlen(to, n);
  return had == n ? n + strlen(from) : had + strlcpy(to + had, from, n - had);
}

char *strcat(char *to, const char *from) {
  size_t n = 0, i = 0;
  while (to[n] != 0) n++;
  while ((to[n + i] = from[i]) != 0) i++;
  return to;
}

char *strncat(char *to, const char *from, size_t limit) {
  size_t n = 0, i = 0;
  while (to[n] != 0) n++;
  for (; i < limit && from[i] != 0; i++) to[n + i] = from[i];
  to[n + i] = 0;
  return to;
}

// How two different bytes compare: only the sign is fixed.
static int __bolide_order(int a, int b) {
  int difference = __bolide_opaque_int(a - b);
  __bolide_assume(a < b ? difference < 0 : difference > 0);
  return difference;
}

int strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return a[i] == b[i] ? 0 : __bolide_order((unsigned char)a[i], (unsigned char)b[i]);
}

int strncmp(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (a[i] != b[i]) return __bolide_order((unsigned char)a[i], (unsigned char)b[i]);
    if (a[i] == 0) return 0;
  }
  return 0;
}

int strcoll(const char *a, const char *b) { return strcmp(a, b); }

size_t strxfrm(char *to, const char *from, size_t n) {
  size_t length = strlen(from);
  for (size_t i = 0; i < n && i <= length; i++) to[i] = from[i];
  return length;
}

static int __bolide_lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

int strcasecmp(const char *a, const char *b) {
  for (size_t i = 0;; i++) {
    int x = __bolide_lower((unsigned char)a[i]), y = __bolide_lower((unsigned char)b[i]);
    if (x != y) return __bolide_order(x, y);
    if (x == 0) return 0;
  }
}

int strncasecmp(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int x = __bolide_lower((unsigned char)a[i]), y = __bolide_lower((unsigned char)b[i]);
    if (x != y) return __bolide_order(x, y);
    if (x == 0) return 0;
  }
  return 0;
}

char *strchr(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c) return (char *)s;
    if (*s == 0) return 0;
  }
}

char *index(const char *s, int c) { return strchr(s, c); }

char *strchrnul(const char *s, int c) {
  while (*s != 0 && *s != (char)c) s++;
  return (char *)s;
}

char *strrchr(const char *s, int c) {
  char *found = 0;
  for (;; s++) {
    if (*s == (char)c) found = (char *)s;
    if (*s == 0) return found;
  }
}

char *rindex(const char *s, int c) { return strrchr(s, c); }

size_t strspn(const char *s, const char *accept) {
  size_t n = 0;
  for (; s[n] != 0; n++) {
    size_t i = 0;
    while (accept[i] != 0 && accept[i] != s[n]) i++;
    if (accept[i] == 0) break;
  }
  return n;
}

size_t strcspn(const char *s, const char *reject) {
  size_t n = 0;
  for (; s[n] != 0; n++) {
    size_t i = 0;
    while (reject[i] != 0 && reject[i] != s[n]) i++;
    if (reject[i] != 0) break;
  }
  return n;
}

char *strpbrk(const char *s, const char *accept) {
  s += strcspn(s, accept);
  return *s != 0 ? (char *)s : 0;
}

char *strstr(const char *s, const char *part) {
  for (;; s++) {
    size_t i = 0;
    while (part[i] != 0 && part[i] == s[i]) i++;
    if (part[i] == 0) return (char *)s;
    if (*s == 0) return 0;
  }
}

char *strcasestr(const char *s, const char *part) {
  for (;; s++) {
    size_t i = 0;
    while (part[i] != 0 &&
           __bolide_lower((unsigned char)part[i]) == __bolide_lower((unsigned char)s[i]))
      i++;
    if (part[i] == 0) return (char *)s;
    if (*s == 0) return 0;
  }
}

char *strtok_r(char *s, const char *separators, char **rest) {
  if (s == 0) s = *rest;
  if (s == 0) return 0;
  s += strspn(s, separators);
  if (*s == 0) {
    *rest = 0;
    return 0;
  }
  char *end = s + strcspn(s, separators);
  if (*end == 0) {
    *rest = 0;
  } else {
    *end = 0;
    *rest = end + 1;
  }
  return s;
}

char *strtok(char *s, const char *separators) {
  static char *rest;
  return strtok_r(s, separators, &rest);
}

char *strsep(char **text, const char *separators) {
  char *start = *text;
  if (start == 0) return 0;
  char *end = start + strcspn(start, separators);
  if (*end == 0) {
    *text = 0;
  } else {
    *end = 0;
    *text = end + 1;
  }
  return start;
}

char *strdup(const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = malloc(n);
  if (copy == 0) return 0;
  memcpy(copy, s, n);
  return copy;
}

char *strndup(const char *s, size_t limit) {
  size_t n = strnlen(s, limit);
  char *copy = malloc(n + 1);
  if (copy == 0) return 0;
  memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

int memcmp(const void *left, const void *right, size_t n) {
  const unsigned char *a = left, *b = right;
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i]) return __bolide_order(a[i], b[i]);
  return 0;
}

int bcmp(const void *left, const void *right, size_t n) { return memcmp(left, right, n); }

void *memchr(const void *block, int c, size_t n) {
  const unsigned char *p = block;
  for (size_t i = 0; i < n; i++)
    if (p[i] == (unsigned char)c) return (void *)(p + i);
  return 0;
}

void *rawmemchr(const void *block, int c) {
  const unsigned char *p = block;
  while (*p != (unsigned char)c) p++;
  return (void *)p;
}

void *memmem(const void *block, size_t n, const void *part, size_t size) {
  const unsigned char *p = block, *q = part;
  for (size_t at = 0; at + size <= n; at++) {
    size_t i = 0;
    while (i < size && p[at + i] == q[i]) i++;
    if (i == size) return (void *)(p + at);
  }
  return 0;
}

void *memrchr(const void *block, int c, size_t n) {
  const unsigned char *p = block;
  while (n > 0) {
    n--;
    if (p[n] == (unsigned char)c) return (void *)(p + n);
  }
  return 0;
}

void *memccpy(void *to, const void *from, int c, size_t n) {
  unsigned char *t = to;
  const unsigned char *f = from;
  for (size_t i = 0; i < n; i++) {
    t[i] = f[i];
    if (f[i] == (unsigned char)c) return t + i + 1;
  }
  return 0;
}

size_t wcslen(const int *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
  return n;
}

int *wcscpy(int *to, const int *from) {
  size_t i = 0;
  while ((to[i] = from[i]) != 0) i++;
  return to;
}

int *wcsncpy(int *to, const int *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i] != 0; i++) to[i] = from[i];
  for (; i < n; i++) to[i] = 0;
  return to;
}

int *wcscat(int *to, const int *from) {
  size_t n = 0, i = 0;
  while (to[n] != 0) n++;
  while ((to[n + i] = from[i]) != 0) i++;
  return to;
}

int *wcsncat(int *to, const int *from, size_t limit) {
  size_t n = 0, i = 0;
  while (to[n] != 0) n++;
  for (; i < limit && from[i] != 0; i++) to[n + i] = from[i];
  to[n + i] = 0;
  return to;
}

int wcscmp(const int *a, const int *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return a[i] < b[i] ? -1 : a[i] > b[i];
}

int wcsncmp(const int *a, const int *b, size_t n) {
  size_t i = 0;
  while (i < n && a[i] != 0 && a[i] == b[i]) i++;
  return i == n ? 0 : a[i] < b[i] ? -1 : a[i] > b[i];
}

int *wcschr(const int *s, int c) {
  for (;; s++) {
    if (*s == c) return (int *)s;
    if (*s == 0) return 0;
  }
}

int *wcsrchr(const int *s, int c) {
  int *found = 0;
  for (;; s++) {
    if (*s == c) found = (int *)s;
    if (*s == 0) return found;
  }
}

int *wmemset(int *to, int c, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = c;
  return to;
}

int *wmemcpy(int *to, const int *from, size_t n) {
  memcpy(to, from, n * sizeof(int));
  return to;
}

int *wmemmove(int *to, const int *from, size_t n) {
  memmove(to, from, n * sizeof(int));
  return to;
}

size_t __bolide_unmodelled_text(char *, size_t);
char *strerror(int number) {
  static char text[64];
  __bolide_unmodelled_text(text, 64);
  return text;
}

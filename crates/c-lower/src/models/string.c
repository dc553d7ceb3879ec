// Strings and blocks of memory, byte by byte as the standard describes them.

typedef unsigned long size_t;
void *malloc(size_t);
void *memcpy(void *, const void *, size_t);

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

int strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

int strncmp(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (a[i] != b[i]) return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
    if (a[i] == 0) return 0;
  }
  return 0;
}

int strcoll(const char *a, const char *b) { return strcmp(a, b); }

static int __bolide_lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

int strcasecmp(const char *a, const char *b) {
  for (size_t i = 0;; i++) {
    int x = __bolide_lower((unsigned char)a[i]), y = __bolide_lower((unsigned char)b[i]);
    if (x != y || x == 0) return x - y;
  }
}

int strncasecmp(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int x = __bolide_lower((unsigned char)a[i]), y = __bolide_lower((unsigned char)b[i]);
    if (x != y || x == 0) return x - y;
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
  memcpy(copy, s, n);
  return copy;
}

char *strndup(const char *s, size_t limit) {
  size_t n = strnlen(s, limit);
  char *copy = malloc(n + 1);
  memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

int memcmp(const void *left, const void *right, size_t n) {
  const unsigned char *a = left, *b = right;
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i]) return (int)a[i] - (int)b[i];
  return 0;
}

int bcmp(const void *left, const void *right, size_t n) { return memcmp(left, right, n); }

void *memchr(const void *block, int c, size_t n) {
  const unsigned char *p = block;
  for (size_t i = 0; i < n; i++)
    if (p[i] == (unsigned char)c) return (void *)(p + i);
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

int *wmemset(int *to, int c, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = c;
  return to;
}

int *wmemcpy(int *to, const int *from, size_t n) {
  memcpy(to, from, n * sizeof(int));
  return to;
}

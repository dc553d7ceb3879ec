// <stdio.h>: files may hold anything, and every access may fail. What formats say is
// read by `output.rs` and `scan.rs`.

typedef unsigned long size_t;
typedef void FILE;
void *malloc(size_t);
void __bolide_check_text(const char *);
void __bolide_check_readable(const void *, size_t);
void *realloc(void *, size_t);
extern int __bolide_errno;
void __bolide_assume(int);
int __bolide_any_int(void);
char __bolide_any_char(void);
size_t __bolide_any_size(void);
char __bolide_unmodelled_char(void);
int __bolide_unmodelled_int(void);
int __bolide_opaque_int(int);
void *__bolide_allocate(size_t);
void __bolide_given_buffer(void);

static void __bolide_fails(void) {
  int reason = __bolide_any_int();
  __bolide_assume(reason > 0 && reason < 134);
  __bolide_errno = reason;
}

static int __bolide_succeeds_or(int failure) {
  if (__bolide_any_int() == 0) return 0;
  __bolide_fails();
  return failure;
}

// A file may hold anything, but for what the program has written itself, and what it has read
// before: that is known. Which bytes it is, is not modelled, so a run that reads it shows nothing.
int __bolide_writes;
static FILE *__bolide_read, *__bolide_known, *__bolide_also_known;
static int __bolide_many_known;

static void __bolide_is_known(FILE *stream) {
  if (__bolide_known == 0 || __bolide_known == stream) __bolide_known = stream;
  else if (__bolide_also_known == 0 || __bolide_also_known == stream) __bolide_also_known = stream;
  else __bolide_many_known = 1;
}
void __bolide_reads(FILE *stream) {
  if (__bolide_many_known || stream == __bolide_known || stream == __bolide_also_known) {
    int what = __bolide_unmodelled_int();
  }
  __bolide_read = stream;
}

static FILE *__bolide_opened(FILE *stream, const char *mode) {
  __bolide_check_text(mode);
  int both = mode[0] != 0 && (mode[1] == '+' || (mode[1] != 0 && mode[2] == '+'));
  if (mode[0] != 'r' || both) __bolide_writes = 1;
  if (__bolide_any_int()) {
    __bolide_fails();
    return 0;
  }
  if (stream == 0) stream = __bolide_allocate(8 * 27);
  if (both || (mode[0] == 'r' && __bolide_writes)) __bolide_is_known(stream);
  return stream;
}

FILE *fopen(const char *path, const char *mode) {
  __bolide_check_text(path);
  return __bolide_opened(0, mode);
}
FILE *fdopen(int fd, const char *mode) { return __bolide_opened(0, mode); }
FILE *popen(const char *command, const char *mode) { return fopen(command, mode); }
FILE *tmpfile(void) { return __bolide_opened(0, "w+"); }
FILE *freopen(const char *path, const char *mode, FILE *stream) {
  return __bolide_opened(stream, mode);
}

// A buffer that the program gives is written to whenever the stream is used.
void setbuf(FILE *stream, char *buffer) {
  if (buffer != 0) __bolide_given_buffer();
}
int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
  if (buffer != 0) __bolide_given_buffer();
  return __bolide_succeeds_or(-1);
}

int fclose(FILE *stream) { return __bolide_succeeds_or(-1); }
int fflush(FILE *stream) { return __bolide_succeeds_or(-1); }

int remove(const char *path) {
  __bolide_check_text(path);
  return __bolide_succeeds_or(-1);
}
int rename(const char *from, const char *to) {
  __bolide_check_text(from);
  __bolide_check_text(to);
  return __bolide_succeeds_or(-1);
}

// The stream whose last line came without its end: there is nothing behind it.
static FILE *__bolide_ended;

void clearerr(FILE *stream) {
  if (stream == __bolide_ended) __bolide_ended = 0;
}
void rewind(FILE *stream) {
  if (stream == __bolide_read) __bolide_is_known(stream);
  clearerr(stream);
}
int fseek(FILE *stream, long offset, int whence) {
  rewind(stream);
  return __bolide_succeeds_or(-1);
}
int fseeko(FILE *stream, long offset, int whence) { return fseek(stream, offset, whence); }

int fgetc(FILE *stream) {
  __bolide_reads(stream);
  int c = __bolide_any_int();
  __bolide_assume(c >= -1 && c <= 255 && (c == -1 || stream != __bolide_ended));
  return c;
}
int getc(FILE *stream) { return fgetc(stream); }
int _IO_getc(FILE *stream) { return fgetc(stream); }

// Any line, or as much of it as there is room for, as long as the stream delivers one. A line
// ends with its first newline; only the last of a file may have none.
char *fgets(char *s, int n, FILE *stream) {
  __bolide_reads(stream);
  if (n <= 0 || stream == __bolide_ended || __bolide_any_int()) return 0;
  int length = __bolide_any_int();
  __bolide_assume(length >= 0 && length < n);
  // A line has a character, if there is room for one.
  __bolide_assume(length > 0 || n == 1);
  for (int i = 0; i < length; i++) {
    char c = __bolide_any_char();
    __bolide_assume(c != '\n' || i == length - 1);
    s[i] = c;
  }
  if (length < n - 1 && s[length - 1] != '\n') __bolide_ended = stream;
  s[length] = 0;
  return s;
}

char *gets(char *s) {
  if (__bolide_any_int()) return 0;
  int length = __bolide_any_int();
  __bolide_assume(length >= 0);
  for (int i = 0; i < length; i++) {
    char c = __bolide_any_char();
    __bolide_assume(c != '\n');
    s[i] = c;
  }
  s[length] = 0;
  return s;
}

long getdelim(char **line, size_t *size, int delimiter, FILE *stream) {
  __bolide_reads(stream);
  if (stream == __bolide_ended || __bolide_any_int()) return -1;
  size_t length = __bolide_any_size();
  __bolide_assume(length > 0 && length < 0x100000);
  if (*line == 0 || *size <= length) {
    char *new = realloc(*line, length + 1);
    if (new == 0) return -1;
    *line = new;
    *size = length + 1;
  }
  for (size_t i = 0; i < length; i++) {
    char c = __bolide_any_char();
    __bolide_assume(c != (char)delimiter || i == length - 1);
    (*line)[i] = c;
  }
  if ((*line)[length - 1] != (char)delimiter) __bolide_ended = stream;
  (*line)[length] = 0;
  return length;
}
long getline(char **line, size_t *size, FILE *stream) { return getdelim(line, size, '\n', stream); }

size_t fread(void *to, size_t size, size_t count, FILE *stream) {
  __bolide_reads(stream);
  char *bytes = to;
  if (size == 0 || count == 0) return 0;
  size_t got = __bolide_any_size(), partial = 0;
  __bolide_assume(got <= count);
  if (got < count) {
    partial = __bolide_any_size();
    __bolide_assume(partial < size);
  }
  for (size_t i = 0; i < got * size + partial; i++) bytes[i] = __bolide_any_char();
  return got;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *stream) {
  __bolide_check_readable(from, size * count);
  if (size == 0) return 0;
  size_t put = __bolide_any_size();
  __bolide_assume(put <= count);
  return put;
}

int fputc(int c, FILE *stream) { return __bolide_succeeds_or(-1) ? -1 : (unsigned char)c; }
int putc(int c, FILE *stream) { return fputc(c, stream); }
int _IO_putc(int c, FILE *stream) { return fputc(c, stream); }
int putw(int word, FILE *stream) { return __bolide_succeeds_or(-1); }

int fputs(const char *s, FILE *stream) {
  __bolide_check_text(s);
  if (__bolide_succeeds_or(-1)) return -1;
  int value = __bolide_opaque_int(1);
  __bolide_assume(value >= 0);
  return value;
}

void perror(const char *s) {
  if (s != 0) __bolide_check_text(s);
}

// Text that no model knows: at most `size` bytes with the zero at its end.
size_t __bolide_unmodelled_text(char *s, size_t size) {
  size_t length = 0;
  if (size == 0) return 0;
  while (length + 1 < size && __bolide_unmodelled_int()) s[length++] = __bolide_unmodelled_char();
  s[length] = 0;
  return length;
}

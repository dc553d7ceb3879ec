// <unistd.h>, <fcntl.h> and <sys/stat.h>: the system may refuse everything.

typedef unsigned long size_t;
extern int __bolide_errno;
void __bolide_assume(int);
int __bolide_any_int(void);
long __bolide_any_long(void);
char __bolide_any_char(void);
int __bolide_unmodelled_int(void);
long __bolide_unmodelled_long(void);
size_t __bolide_unmodelled_text(char *, size_t);
void __bolide_check_text(const char *);
void __bolide_check_readable(const void *, size_t);


int __bolide_succeeds(void) {
  if (__bolide_any_int() == 0) return 0;
  int reason = __bolide_any_int();
  __bolide_assume(reason > 0 && reason < 134);
  __bolide_errno = reason;
  return -1;
}

// Numbers that stay for the whole run.
static int __bolide_fixed(int *value, int *known) {
  if (!*known) {
    *known = 1;
    *value = __bolide_any_int();
    __bolide_assume(*value >= 0);
  }
  return *value;
}
int getpid(void) {
  static int value, known;
  __bolide_fixed(&value, &known);
  __bolide_assume(value > 0);
  return value;
}
unsigned getuid(void) {
  static int value, known;
  return __bolide_fixed(&value, &known);
}
unsigned getgid(void) {
  static int value, known;
  return __bolide_fixed(&value, &known);
}
int getpagesize(void) { return 4096; }

// What the program has written itself is not anything when it is read.
extern int __bolide_writes;

// No descriptor is negative.
static int __bolide_is_none(int fd) {
  if (fd < 0) __bolide_errno = 9;
  return fd < 0;
}

// Descriptors: the first may be any, how later ones relate to it is not modelled.
static int __bolide_descriptor(void) {
  static int opened;
  int fd = opened ? __bolide_unmodelled_int() : __bolide_any_int();
  __bolide_assume(fd >= -1);
  if (fd < 0) {
    __bolide_errno = __bolide_any_int();
    __bolide_assume(__bolide_errno > 0 && __bolide_errno < 134);
  }
  opened = 1;
  return fd;
}
int open(const char *path, int flags, ...) {
  __bolide_check_text(path);
  if (flags & 3) __bolide_writes = 1;
  return __bolide_descriptor();
}
int creat(const char *path, unsigned mode) { return open(path, 1); }
int dup(int fd) { return __bolide_is_none(fd) ? -1 : __bolide_descriptor(); }
int close(int fd) { return __bolide_is_none(fd) ? -1 : __bolide_succeeds(); }

long read(int fd, void *to, size_t size) {
  char *bytes = to;
  if (__bolide_is_none(fd)) return -1;
  if (fd > 2 && __bolide_writes) {
    int what = __bolide_unmodelled_int();
  }
  long got = __bolide_any_long();
  __bolide_assume(got >= 0 && (size_t)got <= size);
  if (__bolide_succeeds()) return -1;
  for (long i = 0; i < got; i++) bytes[i] = __bolide_any_char();
  return got;
}
long write(int fd, const void *from, size_t size) {
  if (__bolide_is_none(fd)) return -1;
  __bolide_check_readable(from, size);
  long put = __bolide_any_long();
  __bolide_assume(put >= 0 && (size_t)put <= size);
  return __bolide_succeeds() ? -1 : put;
}

// Where the descriptor stands is not modelled, nor what is read again.
long lseek(int fd, long offset, int whence) {
  if (__bolide_is_none(fd)) return -1;
  __bolide_writes = 1;
  long at = __bolide_unmodelled_long();
  __bolide_assume(at >= -1);
  return at;
}

int unlink(const char *path) {
  __bolide_check_text(path);
  return __bolide_succeeds();
}
int access(const char *path, int mode) {
  __bolide_check_text(path);
  return __bolide_succeeds();
}
int chdir(const char *path) { return unlink(path); }
int rmdir(const char *path) { return unlink(path); }
int mkdir(const char *path, unsigned mode) { return unlink(path); }

unsigned sleep(unsigned seconds) {
  unsigned left = __bolide_any_int();
  __bolide_assume(left <= seconds);
  return left;
}
int usleep(unsigned microseconds) { return __bolide_succeeds(); }


// <arpa/inet.h>: the machine has the least byte first, the network the greatest.
unsigned __builtin_bswap32(unsigned);
unsigned short __builtin_bswap16(unsigned short);
unsigned htonl(unsigned x) { return __builtin_bswap32(x); }
unsigned ntohl(unsigned x) { return __builtin_bswap32(x); }
unsigned short htons(unsigned short x) { return __builtin_bswap16(x); }
unsigned short ntohs(unsigned short x) { return __builtin_bswap16(x); }

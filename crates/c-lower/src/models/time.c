// <time.h>: the clock may show anything. How dates are written is not modelled.

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

int __bolide_succeeds(void);

long time(long *result) {
  long now = __bolide_any_long();
  if (result != 0) *result = now;
  return now;
}

double difftime(long later, long earlier) {
  if (later >= earlier) return (double)((unsigned long)later - (unsigned long)earlier);
  return -(double)((unsigned long)earlier - (unsigned long)later);
}

struct __bolide_tm {
  int fields[9];
  long offset;
  const char *zone;
};

static struct __bolide_tm *__bolide_broken_down(struct __bolide_tm *t) {
  static const int most[9] = {60, 59, 23, 31, 11, 0x7fffffff, 6, 365, 1};
  for (int i = 0; i < 9; i++) {
    int value = __bolide_unmodelled_int();
    __bolide_assume(value <= most[i] && (value >= (i == 3) || i == 5 || (i == 8 && value == -1)));
    t->fields[i] = value;
  }
  t->offset = __bolide_unmodelled_long();
  static char zone[4];
  t->zone = zone;
  return __bolide_unmodelled_int() ? t : 0;
}
static struct __bolide_tm __bolide_time;

struct __bolide_tm *gmtime_r(const long *clock, struct __bolide_tm *t) {
  *(volatile const long *)clock;
  return __bolide_broken_down(t);
}
struct __bolide_tm *localtime_r(const long *clock, struct __bolide_tm *t) {
  return gmtime_r(clock, t);
}
struct __bolide_tm *gmtime(const long *clock) { return gmtime_r(clock, &__bolide_time); }
struct __bolide_tm *localtime(const long *clock) { return gmtime_r(clock, &__bolide_time); }

size_t strftime(char *s, size_t size, const char *format, const struct __bolide_tm *t) {
  __bolide_check_text(format);
  *(volatile const int *)t->fields;
  return __bolide_unmodelled_text(s, size);
}

char *asctime_r(const struct __bolide_tm *t, char *s) {
  *(volatile const int *)t->fields;
  __bolide_unmodelled_text(s, 26);
  return s;
}
char *ctime_r(const long *clock, char *s) {
  *(volatile const long *)clock;
  __bolide_unmodelled_text(s, 26);
  return s;
}
static char __bolide_time_text[26];
char *asctime(const struct __bolide_tm *t) { return asctime_r(t, __bolide_time_text); }
char *ctime(const long *clock) { return ctime_r(clock, __bolide_time_text); }

int gettimeofday(long *now, void *zone) {
  long micro = __bolide_any_long();
  __bolide_assume(micro >= 0 && micro < 1000000);
  now[0] = __bolide_any_long();
  now[1] = micro;
  return 0;
}
// The clocks of the day and of the time since the start are always there; the second never goes back.
int clock_gettime(int clock, long *now) {
  static long seconds, nanoseconds;
  long second = __bolide_any_long(), nano = __bolide_any_long();
  __bolide_assume(nano >= 0 && nano < 1000000000);
  if (clock != 0 && clock != 1 && __bolide_succeeds()) return -1;
  if (clock == 1) {
    __bolide_assume(second > seconds || (second == seconds && nano >= nanoseconds));
    seconds = second;
    nanoseconds = nano;
  }
  now[0] = second;
  now[1] = nano;
  return 0;
}
// The time that the program has used.
long clock(void) {
  static long used;
  long now = __bolide_any_long();
  if (now == -1) return -1;
  __bolide_assume(now >= used);
  used = now;
  return now;
}

// Types of library functions that the table of models knows, for programs that
// call them without declaring them. `long` is as wide as a pointer in both data
// models, so `unsigned long` stands for size_t.

typedef unsigned long size_t;
typedef __builtin_va_list va_list;
typedef void FILE;

void *malloc(size_t); void *calloc(size_t, size_t); void free(void *);
void *aligned_alloc(size_t, size_t); void *memalign(size_t, size_t);
void *alloca(size_t);
void *__builtin_alloca(size_t); void *__builtin_alloca_with_align(size_t, size_t);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
void *mempcpy(void *, const void *, size_t); void *memset(void *, int, size_t);
void bcopy(const void *, void *, size_t); void bzero(void *, size_t);

void abort(void); void exit(int); void _exit(int); void _Exit(int);
void __builtin_trap(void); void __builtin_unreachable(void);
void __assert_fail(const char *, const char *, unsigned, const char *);
void assert(int);
void __VERIFIER_assume(int); void __VERIFIER_assert(int);
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
void __VERIFIER_error(void); void reach_error(void);

_Bool __VERIFIER_nondet_bool(void); _Bool __VERIFIER_nondet__Bool(void);
char __VERIFIER_nondet_char(void); signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void); unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void);
unsigned __VERIFIER_nondet_unsigned(void); unsigned __VERIFIER_nondet_unsigned_int(void);
long __VERIFIER_nondet_long(void); unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
__int128 __VERIFIER_nondet_int128(void); unsigned __int128 __VERIFIER_nondet_uint128(void);
float __VERIFIER_nondet_float(void); double __VERIFIER_nondet_double(void);
size_t __VERIFIER_nondet_size_t(void); long long __VERIFIER_nondet_loff_t(void);
unsigned long __VERIFIER_nondet_sector_t(void); unsigned __VERIFIER_nondet_u32(void);
unsigned char __VERIFIER_nondet_u8(void); unsigned short __VERIFIER_nondet_u16(void);
char *__VERIFIER_nondet_pchar(void); void *__VERIFIER_nondet_pointer(void);
unsigned long __VERIFIER_nondet_pthread_t(void);

// The types of input functions in words, as SMACK's header has them.
void *__VERIFIER_nondet(void);
signed char __VERIFIER_nondet_signed_char(void); unsigned char __VERIFIER_nondet_unsigned_char(void);
short __VERIFIER_nondet_short_int(void); short __VERIFIER_nondet_signed_short(void);
short __VERIFIER_nondet_signed_short_int(void);
unsigned short __VERIFIER_nondet_unsigned_short(void);
unsigned short __VERIFIER_nondet_unsigned_short_int(void);
int __VERIFIER_nondet_signed_int(void);
long __VERIFIER_nondet_long_int(void); long __VERIFIER_nondet_signed_long(void);
long __VERIFIER_nondet_signed_long_int(void);
unsigned long __VERIFIER_nondet_unsigned_long(void);
unsigned long __VERIFIER_nondet_unsigned_long_int(void);
long long __VERIFIER_nondet_long_long(void); long long __VERIFIER_nondet_long_long_int(void);
long long __VERIFIER_nondet_signed_long_long(void);
long long __VERIFIER_nondet_signed_long_long_int(void);
unsigned long long __VERIFIER_nondet_unsigned_long_long(void);
unsigned long long __VERIFIER_nondet_unsigned_long_long_int(void);
long double __VERIFIER_nondet_long_double(void);

// Names of other verifiers.
void __CPROVER_assume(_Bool); void __CPROVER_assert(_Bool, ...);
void __CPROVER_precondition(_Bool, ...); void __CPROVER_postcondition(_Bool, ...);
double __CPROVER_fabs(double); float __CPROVER_fabsf(float); long double __CPROVER_fabsl(long double);
void __CPROVER_input(const char *, ...); void __CPROVER_output(const char *, ...);
void __CPROVER_cover(_Bool, ...); void __CPROVER_printf(const char *, ...);
void __CPROVER_atomic_begin(void); void __CPROVER_atomic_end(void);
void __ESBMC_assume(_Bool); void __ESBMC_assert(_Bool, ...);
void *__ESBMC_memset(void *, int, size_t);
void __ESBMC_atomic_begin(void); void __ESBMC_atomic_end(void);
void __VERIFIER_plot(const char *, ...);
void ___sl_break(const char *); void ___sl_plot(const char *, ...);
void ___sl_plot_trace_now(const char *, const char *);
void ___sl_plot_trace_once(const char *, const char *);
void ___sl_enable_debugging_of(int, int);
int Frama_C_interval(int, int); char Frama_C_char_interval(char, char);
unsigned char Frama_C_unsigned_char_interval(unsigned char, unsigned char);
short Frama_C_short_interval(short, short);
unsigned short Frama_C_unsigned_short_interval(unsigned short, unsigned short);
unsigned Frama_C_unsigned_int_interval(unsigned, unsigned);
long Frama_C_long_interval(long, long);
unsigned long Frama_C_unsigned_long_interval(unsigned long, unsigned long);
long long Frama_C_long_long_interval(long long, long long);
unsigned long long Frama_C_unsigned_long_long_interval(unsigned long long, unsigned long long);

int printf(const char *, ...); int puts(const char *); int putchar(int);
int fprintf(FILE *, const char *, ...); int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list); int fputs(const char *, FILE *);
int fputc(int, FILE *); int putc(int, FILE *); int getchar(void); int fgetc(FILE *);
int getc(FILE *); void perror(const char *); int fflush(FILE *);
int sprintf(char *, const char *, ...); int snprintf(char *, size_t, const char *, ...);
int vsprintf(char *, const char *, va_list); int vsnprintf(char *, size_t, const char *, va_list);
int scanf(const char *, ...); int fscanf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...);
int rand(void); void srand(unsigned); long random(void); void srandom(unsigned);
long clock(void); double atof(const char *);

double fabs(double); float fabsf(float); long double fabsl(long double);
double sqrt(double); float sqrtf(float); long double sqrtl(long double);
double floor(double); float floorf(float); long double floorl(long double);
double ceil(double); float ceilf(float); long double ceill(long double);
double trunc(double); float truncf(float); long double truncl(long double);
double round(double); float roundf(float); long double roundl(long double);
double rint(double); float rintf(float); long double rintl(long double);
double nearbyint(double); float nearbyintf(float); long double nearbyintl(long double);
double fmin(double, double); float fminf(float, float);
long double fminl(long double, long double);
double fmax(double, double); float fmaxf(float, float);
long double fmaxl(long double, long double);
double copysign(double, double); float copysignf(float, float);
long double copysignl(long double, long double);
double sin(double); double cos(double); double tan(double); double asin(double);
double acos(double); double atan(double); double atan2(double, double);
double exp(double); double log(double); double log2(double); double log10(double);
double pow(double, double); double fmod(double, double); double cbrt(double);
float sinf(float); float cosf(float); float tanf(float); float expf(float); float logf(float);
float powf(float, float); float fmodf(float, float);
double fdim(double, double); double fma(double, double, double);
double remainder(double, double); double ldexp(double, int); double hypot(double, double);
long lrint(double); long long llrint(double); long lround(double); long long llround(double);
int __isnan(double); int __isnanf(float); int __isnanl(long double);
int __isinf(double); int __isinff(float); int __isinfl(long double);
int __finite(double); int __finitef(float); int __finitel(long double);
int __signbit(double); int __signbitf(float); int __signbitl(long double);

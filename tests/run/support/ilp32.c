/* What a program needs of the C library and of libgcc to run as a freestanding
   32-bit Linux executable, so that the ILP32 data model can be compared with
   gcc on machines without 32-bit libraries:
       gcc -m32 -ffreestanding -nostdlib -static program.c ilp32.c
   Output is limited to integers, characters and strings; a program that prints
   anything else exits with status 99. */

typedef unsigned int size_t;
typedef __builtin_va_list va_list;

static int system_call(int number, int a, const void *b, int c) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}

static char output[1 << 16];
static int used;

static void flush(void) {
    for (int at = 0; at < used;) {
        int n = system_call(4, 1, output + at, used - at);
        if (n <= 0) break;
        at += n;
    }
    used = 0;
}

static void finish(int status) {
    flush();
    for (;;) system_call(1, status, 0, 0);
}

void exit(int status) { finish(status); }
void abort(void) { finish(134); }

int main(int argc, char **argv);

__asm__(".globl _start\n_start:\n\txorl %ebp, %ebp\n\tandl $-16, %esp\n\tcall start_c\n");

void start_c(void) {
    char *arguments[] = {"program", 0};
    finish(main(1, arguments));
}

int putchar(int c) {
    if (used == sizeof output) flush();
    output[used++] = (char)c;
    return (unsigned char)c;
}

static int put(const char *s, int n) {
    for (int i = 0; i < n; i++) putchar(s[i]);
    return n;
}

size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

int puts(const char *s) {
    put(s, (int)strlen(s));
    putchar('\n');
    return 1;
}

static int repeat(char c, int n) {
    for (int i = 0; i < n; i++) putchar(c);
    return n > 0 ? n : 0;
}

int printf(const char *format, ...) {
    va_list list;
    int written = 0;
    __builtin_va_start(list, format);
    for (; *format; format++) {
        if (*format != '%') {
            written += put(format, 1);
            continue;
        }
        int left = 0, zero = 0, alternate = 0, width = 0, precision = -1, size = 0;
        char plus = 0;
        for (format++;; format++) {
            if (*format == '-') left = 1;
            else if (*format == '0') zero = 1;
            else if (*format == '#') alternate = 1;
            else if (*format == '+') plus = '+';
            else if (*format == ' ') plus = plus ? plus : ' ';
            else break;
        }
        if (*format == '*') {
            width = __builtin_va_arg(list, int);
            if (width < 0) left = 1, width = -width;
            format++;
        } else for (; *format >= '0' && *format <= '9'; format++) width = width * 10 + *format - '0';
        if (*format == '.') {
            precision = 0;
            if (*++format == '*') {
                precision = __builtin_va_arg(list, int);
                format++;
            } else for (; *format >= '0' && *format <= '9'; format++) precision = precision * 10 + *format - '0';
        }
        for (;; format++) {
            if (*format == 'h') size--;
            else if (*format == 'l') size++;
            else if (*format == 'j' || *format == 'q') size = 2;
            else if (*format != 'z' && *format != 't') break;
        }
        char digits[32], prefix[3];
        const char *text = 0;
        int length = 0, prefixes = 0;
        char c = *format;
        if (c == '%') {
            written += put("%", 1);
            continue;
        } else if (c == 'c') {
            digits[0] = (char)__builtin_va_arg(list, int);
            text = digits;
            length = 1;
        } else if (c == 's') {
            text = __builtin_va_arg(list, const char *);
            if (!text) text = "(null)";
            while ((precision < 0 || length < precision) && text[length]) length++;
        } else if (c == 'd' || c == 'i' || c == 'u' || c == 'x' || c == 'X' || c == 'o' || c == 'p') {
            unsigned long long v;
            int is_signed = c == 'd' || c == 'i';
            if (size >= 2) v = __builtin_va_arg(list, unsigned long long);
            else {
                unsigned u = __builtin_va_arg(list, unsigned);
                if (size == -1) u = is_signed ? (unsigned)(short)u : (unsigned short)u;
                if (size <= -2) u = is_signed ? (unsigned)(signed char)u : (unsigned char)u;
                v = is_signed ? (unsigned long long)(int)u : u;
            }
            if (is_signed && (long long)v < 0) prefix[prefixes++] = '-', v = -v;
            else if (is_signed && plus) prefix[prefixes++] = plus;
            unsigned base = c == 'x' || c == 'X' || c == 'p' ? 16 : c == 'o' ? 8 : 10;
            if (c == 'p' && !v) {
                text = "(nil)";
                length = 5;
            } else {
                if ((alternate && base == 16 && v) || c == 'p') {
                    prefix[prefixes++] = '0';
                    prefix[prefixes++] = c == 'X' ? 'X' : 'x';
                }
                char *p = digits + sizeof digits;
                for (unsigned long long rest = v; rest; rest /= base) *--p = (c == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[rest % base];
                length = (int)(digits + sizeof digits - p);
                text = p;
                int least = precision < 0 ? 1 : precision;
                if (base == 8 && alternate && least <= length) least = length + 1;
                if (zero && !left && precision < 0 && least < width - prefixes) least = width - prefixes;
                int zeros = least > length ? least - length : 0;
                int fill = width - prefixes - zeros - length;
                if (!left) written += repeat(' ', fill);
                written += put(prefix, prefixes) + repeat('0', zeros) + put(text, length);
                if (left) written += repeat(' ', fill);
                continue;
            }
        } else finish(99);
        if (!left) written += repeat(' ', width - length);
        written += put(text, length);
        if (left) written += repeat(' ', width - length);
    }
    __builtin_va_end(list);
    return written;
}

void *memcpy(void *to, const void *from, size_t n) {
    for (size_t i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, size_t n) {
    if ((char *)to < (const char *)from) return memcpy(to, from, n);
    while (n--) ((char *)to)[n] = ((const char *)from)[n];
    return to;
}

void *memset(void *to, int c, size_t n) {
    for (size_t i = 0; i < n; i++) ((char *)to)[i] = (char)c;
    return to;
}

int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *p = a, *q = b;
    for (size_t i = 0; i < n; i++) if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

static char heap[1 << 20];
static size_t taken;

void *malloc(size_t n) {
    size_t *block = (size_t *)(heap + taken);
    taken += (n + 31) & ~15u;
    if (taken > sizeof heap) return 0;
    *block = n;
    return block + 4;
}

void free(void *p) { (void)p; }

void *calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }

void *realloc(void *p, size_t n) {
    void *q = malloc(n);
    size_t old = p ? ((size_t *)p)[-4] : 0;
    return memcpy(q, p, old < n ? old : n);
}

unsigned long long __udivmoddi4(unsigned long long a, unsigned long long b, unsigned long long *rest) {
    unsigned long long quotient = 0, r = 0;
    for (int i = 63; i >= 0; i--) {
        int carry = (int)(r >> 63);
        r = r << 1 | (a >> i & 1);
        if (carry || r >= b) {
            r -= b;
            quotient |= 1ULL << i;
        }
    }
    if (rest) *rest = r;
    return quotient;
}

unsigned long long __udivdi3(unsigned long long a, unsigned long long b) { return __udivmoddi4(a, b, 0); }

unsigned long long __umoddi3(unsigned long long a, unsigned long long b) {
    unsigned long long r;
    __udivmoddi4(a, b, &r);
    return r;
}

long long __divdi3(long long a, long long b) {
    unsigned long long q = __udivmoddi4(a < 0 ? 0ULL - a : a, b < 0 ? 0ULL - b : b, 0);
    return (a < 0) != (b < 0) ? (long long)(0 - q) : (long long)q;
}

long long __moddi3(long long a, long long b) {
    unsigned long long r;
    __udivmoddi4(a < 0 ? 0ULL - a : a, b < 0 ? 0ULL - b : b, &r);
    return a < 0 ? (long long)(0 - r) : (long long)r;
}

long long __divmoddi4(long long a, long long b, long long *rest) {
    *rest = __moddi3(a, b);
    return __divdi3(a, b);
}

int strncmp(const char *a, const char *b, size_t n) {
    for (; n && *a && *a == *b; n--) a++, b++;
    return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

char *strcpy(char *to, const char *from) { return memcpy(to, from, strlen(from) + 1); }

char *strncpy(char *to, const char *from, size_t n) {
    size_t i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}

char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t n) {
    char *end = to + strlen(to);
    for (; n && *from; n--) *end++ = *from++;
    *end = 0;
    return to;
}

char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (!*s) return 0;
    }
}

char *strrchr(const char *s, int c) {
    const char *found = 0;
    do if (*s == (char)c) found = s; while (*s++);
    return (char *)found;
}

char *strdup(const char *s) { return strcpy(malloc(strlen(s) + 1), s); }

void *memchr(const void *s, int c, size_t n) {
    for (const unsigned char *p = s; n; n--, p++) if (*p == (unsigned char)c) return (void *)p;
    return 0;
}

int isdigit(int c) { return c >= '0' && c <= '9'; }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isalpha(int c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }

int atoi(const char *s) {
    int n = 0, negative;
    while (isspace(*s)) s++;
    negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    while (isdigit(*s)) n = n * 10 + *s++ - '0';
    return negative ? -n : n;
}

double fabs(double x) { return __builtin_copysign(x, 1.0); }
float fabsf(float x) { return __builtin_copysignf(x, 1.0f); }

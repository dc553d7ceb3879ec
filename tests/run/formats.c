/* printf: every conversion with many flags, widths and precisions. */
#include <stdio.h>

static const char *const reals[] = {
    "%f|", "%.0f|", "%#.0f|", "%.1f|", "%.10f|", "%15.3f|", "%-15.3f|", "%+f|", "% f|", "%015.2f|",
    "%e|", "%.0e|", "%.3E|", "%20.12e|", "%g|", "%.0g|", "%.3g|", "%#.4g|", "%.15g|", "%G|",
    "%a|", "%.0a|", "%.1a|", "%.5A|", "%25a|", "%+.20a|", "%#g|", "%.40f|", "%.17g|",
};

static const char *const integers[] = {
    "%d|", "%5d|", "%-5d|", "%05d|", "%+d|", "% d|", "%.0d|", "%.5d|", "%8.3d|", "%-8.3d|", "%08.3d|",
    "%u|", "%x|", "%X|", "%#x|", "%#X|", "%#010x|", "%-#10x|", "%o|", "%#o|", "%#.3o|", "%+.3i|", "%hd|", "%hhu|", "%hhx|",
};

static const char *const longs[] = {"%ld|", "%lld|", "%20lld|", "%-20llu|", "%llx|", "%#llo|", "%zu|", "%jd|", "%td|"};

int main(void) {
    const double values[] = {
        0.0, -0.0, 1.0, -1.5, 0.1, 2.5, 3.5, 0.5, 9.9999999, 99999.95, 123456.789, 1e6, 999999.4, 1e-4, 9.9999e-5,
        1e15, 1e16, 1e22, 1e100, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, 1.0 / 3, 2.0 / 3, 0.125,
        1e23, 123.456e-7, 4503599627370497.5, 0.30000000000000004, 8.5, 1 / 0.0, -1 / 0.0,
    };
    const int numbers[] = {0, 1, -1, 7, 42, -42, 255, 65535, 100000, 2147483647, -2147483647 - 1};
    const long long wide[] = {0, 1, -1, 1LL << 40, 9223372036854775807LL, -9223372036854775807LL - 1};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        for (unsigned k = 0; k < sizeof reals / sizeof *reals; k++) printf(reals[k], values[i]);
        printf("\n");
    }
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (unsigned k = 0; k < sizeof integers / sizeof *integers; k++) printf(integers[k], numbers[i]);
        printf("\n");
    }
    for (unsigned i = 0; i < sizeof wide / sizeof *wide; i++) {
        for (unsigned k = 0; k < sizeof longs / sizeof *longs; k++) printf(longs[k], wide[i]);
        printf("\n");
    }
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        long double x = values[i] * 1.1L;
        printf("%Lf|%.0Lf|%Le|%.25Lg|%La|%.3La|%30.20Lf|\n", x, x, x, x, x, x, x);
    }
    int n = printf("%s|%10s|%-10s|%.2s|%.0s|%c|%5c|%-5c|%%|%*d|%-*d|%.*f|%p\n", "text", "right", "left", "cut", "none", 'a', 'b',
                   'c', 6, 42, 6, 42, 2, 3.14159, (void *)0);
    printf("%d\n", n);
    return n;
}

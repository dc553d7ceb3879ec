/* Side effects and sequence points: short circuit, comma, conditional, compound assignment. */
#include <stdio.h>

static int log_count;
static int trace(int id, int value) { log_count = log_count * 7 + id; return value; }

int main(void) {
    int a = 0, b = 5, c;
    c = trace(1, 0) && trace(2, 1);
    c += trace(3, 1) || trace(4, 1);
    printf("%d %d\n", c, log_count);
    c = (a++, a += 10, a * 2);
    printf("%d %d\n", a, c);
    c = a > 5 ? trace(5, b++) : trace(6, b--);
    printf("%d %d %d\n", b, c, log_count);
    int array[4] = {0, 1, 2, 3}, i = 0;
    array[i++] += 10;
    array[i++] *= 7;
    printf("%d %d %d\n", array[0], array[1], i);
    int *p = array;
    *p++ = 3;
    ++*p;
    (*p)--;
    *++p -= 8;
    printf("%d %d %d %d\n", array[0], array[1], array[2], (int)(p - array));
    a = b = c = 4;
    a += b -= c *= 2;
    printf("%d %d %d\n", a, b, c);
    int x = 3, y = (x = 4, x + 1), z = ({ int t = y * 2; t + 1; });
    printf("%d %d %d\n", x, y, z);
    printf("%d %d\n", x ?: 9, 0 ?: 9);
    for (i = 0, c = 10; i < c; i++, c--);
    printf("%d %d\n", i, c);
    int k = 0;
    do k += 2; while (k < 5 && trace(7, 1));
    printf("%d %d\n", k, log_count);
    unsigned char narrow = 255;
    int kept = narrow++ + 1;
    printf("%d %d\n", narrow, kept);
    int truth = (a == -b) + !(a != b) + (a < b || b < a) * 2 + !!c;
    printf("%d\n", truth);
    if (trace(8, 0), trace(9, 1)) printf("comma\n");
    printf("%d\n", log_count);
    return !log_count;
}

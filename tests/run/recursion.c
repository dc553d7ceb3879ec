/* Recursion: deep, mutual, with local arrays; Ackermann, hanoi, permutations. */
#include <stdio.h>

static unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
static int is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

static long moves;
static void hanoi(int n, int from, int to, int via) {
    if (n == 0) return;
    hanoi(n - 1, from, via, to);
    moves += from * 3 + to;
    hanoi(n - 1, via, to, from);
}

static int count;
static void permute(int *a, int n, int k) {
    int saved[8];
    if (k == n) {
        count += a[0] * 100 + a[n - 1];
        return;
    }
    for (int i = 0; i < n; i++) saved[i] = a[i];
    for (int i = k; i < n; i++) {
        int t = a[k]; a[k] = a[i]; a[i] = t;
        permute(a, n, k + 1);
        for (int j = 0; j < n; j++) a[j] = saved[j];
    }
}

static int depth(int n) { int local = n; int *p = &local; return n ? depth(n - 1) + (*p & 1) : 0; }

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(void) {
    printf("%u %d %d\n", ackermann(2, 9), is_even(1000), is_odd(77));
    hanoi(10, 1, 3, 2);
    int a[5] = {1, 2, 3, 4, 5};
    permute(a, 5, 0);
    printf("%ld %d %d %d\n", moves, count, depth(10000), fib(18));
    return 0;
}

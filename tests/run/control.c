/* switch with fall-through and ranges, Duff's device, goto, nested loops. */
#include <stdio.h>

static int classify(int n) {
    int r = 0;
    switch (n) {
    case 0: return 100;
    case 1: r += 1; /* fall through */
    case 2: r += 2; break;
    case 10 ... 19: r = 50; break;
    case -5: { r = -1; case 7: r += 7; break; }
    default: r = -100;
    }
    return r;
}

static void duff(char *to, const char *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int jumps(int n) {
    int i = 0, steps = 0;
again:
    if (i > n) goto out;
    {
        int block = i * 2;
        if (block % 3 == 0) { i++; steps += block; goto again; }
    }
    while (1) {
        steps++;
        if (steps % 5 == 0) goto inner;
        if (steps > 1000) break;
        i++;
        goto again;
    inner:
        i += 2;
    }
out:
    return steps * 100 + i;
}

static int into(int n) {
    int x = 1;
    if (n) goto inside;
    for (x = 10; x < 13; x++) {
    inside:
        n += x;
    }
    return n;
}

int main(void) {
    int inputs[] = {0, 1, 2, 7, 10, 19, 20, -5};
    for (int i = 0; i < 8; i++) printf("%d ", classify(inputs[i]));
    char text[32] = {0};
    duff(text, "the quick brown fox", 20);
    printf("%s\n", text);
    printf("%d %d %d %d\n", jumps(0), jumps(7), jumps(20), into(0) * 1000 + into(5));
    int found = 0;
    for (int a = 1; a < 30; a++) {
        for (int b = a; b < 30; b++) {
            int c = 0;
            do {
                if (++c > 40) break;
                if (a * a + b * b != c * c) continue;
                found = found * 31 + a * b;
                if (found > 1000000) goto done;
            } while (c * c <= a * a + b * b);
        }
    }
done:
    printf("%d\n", found);
    unsigned char u = 255;
    switch (u + 1) { case 0: puts("zero"); break; case 256: puts("promoted"); break; }
    switch (3) { int hidden; default: hidden = 5; printf("%d\n", hidden); }
    long long big = 1LL << 40;
    switch (big) { case 1LL << 40: puts("wide"); break; case 0: puts("cut"); }
    int k = 5;
    while (k --> 0) if (k == 2) continue; else if (k == 1) break;
    printf("%d %d\n", k, (k ? k > 0 ? 1 : 2 : 3));
    return 0;
}

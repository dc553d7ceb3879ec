/* Static locals, initialisers of globals with addresses, tentative definitions, scope. */
#include <stdio.h>

int tentative;
int tentative;
static int values[5] = {1, 2, [4] = 9};
static int *middle = &values[2], *end = values + 5;
static const char *const words[] = {"alpha", "beta"};
static char letters[] = {'x', 'y', 0};
struct config { const char *name; int *where; int (*get)(void); struct { int a; char b[4]; } in; };
static int getter(void) { return values[4]; }
static struct config config = {"cfg", &values[1], getter, {3, "abc"}};
static struct config *self = &config;
static int x = 10;
static long offset = sizeof(values) / sizeof(values[0]) * 2 + (1 << 3);
enum color { RED, GREEN = 5, BLUE };
static enum color color = BLUE;
static double third = 1.0 / 3;
static unsigned char wrapped = (unsigned char)300;

static int counter(void) {
    static int count = 100;
    static int *p = &count;
    (*p)++;
    return count;
}

static int other(void) {
    static int count;
    return count += 2;
}

int main(void) {
    printf("%d %d %d\n", tentative, *middle, (int)(end - middle));
    printf("%s %s %s\n", words[1], letters, config.name);
    printf("%d %d %d %s\n", *config.where, self->get(), config.in.a, config.in.b);
    *self->where = 77;
    printf("%d\n", values[1]);
    int x = 20;
    { int x = 30; { extern int tentative; tentative = x; } }
    printf("%d %d\n", x, tentative);
    for (int x = 0; x < 2; x++) printf("%d ", x);
    printf("%ld %d %d %d\n", offset, color, (int)(third * 1e9), wrapped);
    for (int i = 0; i < 3; i++) printf("%d %d ", counter(), other());
    printf("\n");
    return x;
}

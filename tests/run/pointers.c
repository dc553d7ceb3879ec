/* Pointer arithmetic, arrays of arrays, pointers to pointers, comparisons, casts. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct node { char c; short s; int i; struct node *next; double d; int tail[3]; };

static int total(int (*rows)[4], int n) {
    int sum = 0;
    for (int (*r)[4] = rows; r < rows + n; r++)
        for (int *p = *r; p != *r + 4; ++p) sum += *p;
    return sum;
}

static void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }

int main(void) {
    int m[3][4];
    for (int i = 0; i < 12; i++) (&m[0][0])[i] = i * i;
    printf("%d %d %d\n", total(m, 3), m[2][3], *(*(m + 1) + 2));
    int a[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    int *p = a + 3, *q = &a[8];
    printf("%d %d %d %d\n", (int)(q - p), *p++, *++p, *--q);
    printf("%d %d %d\n", p < q, p == a + 5, (int)((char *)q - (char *)p) / (int)sizeof(int));
    printf("%d %d\n", 4[a], p[-2]);
    swap(&p, &q);
    printf("%d %d\n", *p, *q);
    struct node n[2] = {{'a', 1, 2, NULL, 0.5, {1, 2, 3}}, {'b', 3, 4, n, 1.5, {4, 5, 6}}};
    struct node *s = &n[1];
    printf("%c %d %d %d %d\n", s->next->c, s->next->s, (*s).i, (int)(s->d * 10), s->tail[1]);
    printf("%d %d\n", (int)(s - n), s->next == &n[0]);
    int *field = (int *)((char *)s + offsetof(struct node, tail)) + 2;
    printf("%d\n", *field);
    struct node *back = (struct node *)((char *)field - offsetof(struct node, tail[2]));
    printf("%d\n", back == s);
    intptr_t bits = (intptr_t)&a[4];
    printf("%d\n", *(int *)(bits + 2 * (intptr_t)sizeof(int)));
    unsigned char *bytes = (unsigned char *)&a[7];
    bytes[1] = 1;
    printf("%d\n", a[7]);
    int *copy;
    for (unsigned k = 0; k < sizeof copy; k++) ((char *)&copy)[k] = ((char *)&p)[k];
    printf("%d\n", *copy == *p);
    void *v = a;
    printf("%d %d\n", ((int *)v)[2], v == (void *)&a);
    int **pp = &p;
    **pp = 99;
    (*pp)++;
    printf("%d\n", p[-1]);
    const char *names[] = {"zero", "one", "two", 0};
    int count = 0;
    for (const char **name = names; *name; name++) count += (*name)[0];
    printf("%d %s\n", count, *(names + 1) + 1);
    printf("%d\n", !p + (p && 1) + (p != NULL ? 10 : 20));
    return 0;
}

/* malloc, calloc, realloc and free: lists, trees, growing arrays, flexible members. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree { int key; struct tree *left, *right; };
struct buffer { int length; char data[]; };

static struct tree *insert(struct tree *t, int key) {
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
    } else if (key < t->key) t->left = insert(t->left, key);
    else t->right = insert(t->right, key);
    return t;
}

static int walk(const struct tree *t, int depth) {
    return t ? walk(t->left, depth + 1) * 3 + t->key * depth + walk(t->right, depth + 1) : 1;
}

static void drop(struct tree *t) {
    if (t) {
        drop(t->left);
        drop(t->right);
        free(t);
    }
}

int main(void) {
    struct tree *root = NULL;
    unsigned seed = 1;
    for (int i = 0; i < 40; i++) root = insert(root, (int)((seed = seed * 1103515245 + 12345) >> 20 & 63));
    printf("%d\n", walk(root, 1));
    drop(root);
    int *array = NULL, size = 0, capacity = 0;
    for (int i = 0; i < 100; i++) {
        if (size == capacity) {
            capacity = capacity ? capacity * 2 : 1;
            array = realloc(array, capacity * sizeof *array);
        }
        array[size++] = i * i;
    }
    int sum = 0;
    for (int i = 0; i < size; i++) sum += array[i];
    printf("%d %d\n", sum, capacity);
    array = realloc(array, 10 * sizeof *array);
    printf("%d\n", array[9]);
    free(array);
    struct buffer *b = malloc(sizeof *b + 6);
    b->length = 6;
    memcpy(b->data, "flex!", 6);
    printf("%s %d\n", b->data, (int)sizeof *b);
    free(b);
    int **rows = malloc(3 * sizeof *rows);
    for (int i = 0; i < 3; i++) {
        rows[i] = malloc((i + 1) * sizeof **rows);
        for (int j = 0; j <= i; j++) rows[i][j] = i * 10 + j;
    }
    printf("%d %d\n", rows[2][1], *rows[0]);
    for (int i = 0; i < 3; i++) free(rows[i]);
    free(rows);
    free(NULL);
    return 0;
}

/* Arrays of variable length, sizeof on them, two dimensions, loops, alloca. */
#include <stdio.h>
#include <stdlib.h>

static int sum(int n, int m, int a[n][m]) {
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) s += a[i][j] * (i + 1);
    return s;
}

static unsigned long width(int n) { return sizeof(char[n + 3]); }

int main(void) {
    int total = 0;
    for (int n = 1; n < 6; n++) {
        int a[n], *end = a + n;
        for (int i = 0; i < n; i++) a[i] = i * n;
        for (int *p = a; p < end; p++) total += *p;
        total += (int)(sizeof a / sizeof a[0]);
    }
    printf("%d\n", total);
    int rows = 3, columns = 4;
    int grid[rows][columns];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) grid[i][j] = i * 10 + j;
    printf("%d %d %d\n", sum(rows, columns, grid), (int)sizeof grid, (int)(sizeof grid[0]));
    int (*row)[columns] = grid + 1;
    columns = 100;
    printf("%d %d %d\n", (*row)[3], (int)sizeof *row, (int)(&grid[2][1] - &grid[0][0]));
    printf("%lu\n", width(rows));
    char *scratch = __builtin_alloca(rows * 2);
    for (int i = 0; i < rows * 2; i++) scratch[i] = 'a' + i;
    scratch[rows * 2 - 1] = 0;
    printf("%s\n", scratch);
    typedef int row_type[rows];
    row_type r;
    r[2] = 0;
    rows = 7;
    r[1] = 5;
    printf("%d %d %d\n", (int)sizeof(row_type), r[1], r[2]);
    return 0;
}

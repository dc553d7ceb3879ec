/* String literals, character arrays, the string functions, formats. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *reverse(char *s) {
    for (char *a = s, *b = s + strlen(s); a < b;) {
        char t = *a;
        *a++ = *--b;
        *b = t;
    }
    return s;
}

int main(void) {
    char s[20] = "hello", t[] = "wor\x6c" "d\n", u[5] = "abcde", w[3][4] = {"ab", "cde"};
    printf("%s %d %d %.5s|%s|%s|%d\n", s, (int)sizeof t, (int)strlen(t), u, w[0], w[1], w[2][0]);
    strcat(s, ", ");
    strncat(s, "world and more", 5);
    printf("%s %d\n", s, (int)strlen(s));
    printf("%s\n", reverse(s));
    printf("%d %d %d\n", strcmp("abc", "abd") < 0, strcmp("b", "a") > 0, strcmp("x", "x"));
    printf("%d %d\n", strncmp("abcdef", "abcxyz", 3), strncmp("ab", "abc", 5) < 0);
    printf("%s %s\n", strchr("key=value", '=') + 1, strrchr("a/b/c", '/'));
    printf("%d\n", strchr("abc", 'z') == NULL);
    char buffer[16];
    memset(buffer, 'x', sizeof buffer);
    strcpy(buffer, "ab");
    printf("%c%c %d\n", buffer[3], buffer[15], buffer[2]);
    strncpy(buffer, "long enough string", 8);
    buffer[8] = 0;
    printf("%s\n", buffer);
    memmove(buffer + 2, buffer, 6);
    printf("%s %d\n", buffer, memcmp("aa", "ab", 2) < 0);
    printf("%d\n", (int)((const char *)memchr("hello", 'l', 5) - "hello") >= 0 ? 1 : 0);
    char *copy = strdup("copied");
    copy[0] = toupper((unsigned char)copy[0]);
    printf("%s %d\n", copy, atoi("  -123abc"));
    free(copy);
    int digits = 0, spaces = 0, letters = 0;
    for (const char *p = "a1 b22\tc333\n"; *p; p++) {
        digits += !!isdigit((unsigned char)*p);
        spaces += !!isspace((unsigned char)*p);
        letters += !!isalpha((unsigned char)*p);
    }
    printf("%d %d %d\n", digits, spaces, letters);
    printf("[%5d][%-5d][%05d][%+d][% d][%x][%X][%#x][%o][%c][%%]\n", 42, 42, 42, 42, 42, 255, 255, 255, 8, 'z');
    printf("[%10s][%-10s][%.2s][%*d][%-*d][%.3d]\n", "right", "left", "cut", 6, 7, 6, 8, 5);
    printf("[%hhd][%hd][%ld][%lld][%lu][%zu]\n", (char)300, (short)70000, -1L, -1LL, 1ul << 31, sizeof(int));
    puts("done\ttab\\ \"quote\" \101\x42");
    putchar('!');
    putchar('\n');
    return (int)strlen("\0abc");
}

// expect: false(unreach-call)
// skip impact: it unrolls the loops of the models, which takes too long
// Models of `strsep` and `memccpy`: only what they do leads to the error.
extern void reach_error(void);
extern char *strsep(char **text, const char *separators);
extern void *memccpy(void *to, const void *from, int c, unsigned long n);

int main(void) {
    char text[4] = "a:b", copy[2];
    char *rest = text;
    char *word = strsep(&rest, ":;");
    if (word != text || text[1] != 0 || rest != text + 2)
        return 1;
    if (strsep(&rest, ":") != text + 2 || rest != 0 || strsep(&rest, ":") != 0)
        return 2;
    if (memccpy(copy, "xyz", 'y', 3) != copy + 2 || copy[1] != 'y')
        return 3;
    reach_error();
    return 0;
}

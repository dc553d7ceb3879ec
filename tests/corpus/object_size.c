// expect: true --property unreach-call
// What gcc knows of the size of an object without optimisation.
extern void reach_error(void);
struct s { int x; char text[5]; int y; } s;
char buffer[10];

int main(void) {
    char *p = buffer;
    int k = 2;
    if (__builtin_object_size(buffer, 0) != 10 || __builtin_object_size(&buffer[3], 1) != 7)
        reach_error();
    if (__builtin_object_size(s.text, 0) != 12 || __builtin_object_size(s.text, 1) != 5)
        reach_error();
    if (__builtin_object_size(buffer + 3, 0) != 7 || __builtin_object_size(buffer + 3, 3) != 0)
        reach_error();
    if (__builtin_object_size(p, 0) != -1ul || __builtin_object_size(&buffer[k], 2) != 0)
        reach_error();
    if (__builtin_object_size("text" + k++, 0) != -1ul || k != 2)
        reach_error();
    return 0;
}

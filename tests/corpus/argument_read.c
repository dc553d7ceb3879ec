// expect: false(valid-deref) -p valid-deref
// What the arguments hold is the user's too, and it lives as long as the program.
int main(int argc, char **argv) {
    char first[1];
    if (argc < 2)
        return 0;
    char *argument = argv[1];
    if (argument[0] == 'x')
        first[1] = 'x';
    return 0;
}

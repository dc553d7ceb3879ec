// expect: false(valid-deref) --property valid-deref
// A compound literal ends with its block.
struct pair { int x, y; };

int main(void) {
    struct pair *kept;
    {
        kept = &(struct pair){1, 2};
    }
    return kept->y;
}

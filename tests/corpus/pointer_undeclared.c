// expect: unknown --property valid-memsafety
// Nobody says what a function returns that is declared nowhere: no violation rests on it.
struct node {
    struct node *next;
};

int main(void) {
    struct node *first = make_node();
    return first->next != 0;
}

// expect: false(valid-deref) --property valid-deref
// skip harness: gcc's sanitizer does not see the memory of alloca end
// One call of alloca makes many objects, which all end with the function.
void *alloca(unsigned long);
struct node { struct node *next; int value; };

static struct node *oldest(int count) {
    struct node *head = 0, *first = 0;
    for (int i = 0; i < count; i++) {
        struct node *made = alloca(sizeof(struct node));
        made->next = head;
        made->value = i;
        head = made;
        if (i == 0)
            first = made;
    }
    return first;
}

int main(void) {
    struct node *first = oldest(3);
    return first->value;
}

/* Structures by value: arguments, results, assignment, nesting, arrays inside. */
#include <stdio.h>

struct point { int x, y; };
struct rect { struct point min, max; const char *name; };
struct big { char tag; int values[10]; double d; };
struct list { int value; struct list *next; };

static struct point make(int x, int y) { struct point p = {x, y}; return p; }
static struct point add(struct point a, struct point b) { a.x += b.x; a.y += b.y; return a; }
static struct rect hull(struct point a, struct point b) {
    return (struct rect){.min = {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y},
                         .max = {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y},
                         .name = "hull"};
}
static struct big fill(struct big b, int start) {
    for (int i = 0; i < 10; i++) b.values[i] = start + i;
    b.tag++;
    b.d *= 2;
    return b;
}
static int area(const struct rect *r) { return (r->max.x - r->min.x) * (r->max.y - r->min.y); }
static struct list *push(struct list *node, int value, struct list *next) {
    *node = (struct list){value, next};
    return node;
}

int main(void) {
    struct point p = make(1, 2), q;
    q = p;
    q.x = 10;
    p = add(p, add(q, make(100, 200)));
    printf("%d %d %d\n", p.x, p.y, make(3, 4).y);
    struct rect r = hull((struct point){5, 1}, (struct point){2, 9}), copy = r;
    copy.max.x += 10;
    printf("%s %d %d\n", r.name, area(&r), area(&copy));
    struct big b = {'a', {1, 2, 3}, 1.25}, c = fill(b, 50);
    printf("%c %d %d %d %c %d %d\n", b.tag, b.values[2], b.values[9], (int)(b.d * 100), c.tag, c.values[9], (int)(c.d * 100));
    struct big array[2] = {c};
    array[1] = array[0];
    array[1].values[0] = -1;
    printf("%d %d\n", array[0].values[0], array[1].values[0]);
    struct list nodes[3], *head = NULL;
    for (int i = 0; i < 3; i++) head = push(&nodes[i], i * i, head);
    int sum = 0;
    for (struct list *l = head; l; l = l->next) sum = sum * 10 + l->value;
    printf("%d\n", sum);
    struct { struct { int deep; } in; int after; } s = {{7}, 8}, *sp = &s;
    sp->in.deep *= sp->after;
    printf("%d %d\n", s.in.deep, (sp->after ? *sp : s).in.deep);
    struct point line[] = {[2] = {1, 1}, [0].y = 9, [1] = p};
    printf("%d %d %d %d\n", (int)(sizeof line / sizeof *line), line[0].x, line[0].y, line[1].x);
    p = q, q = (struct point){p.y, p.x};
    printf("%d %d\n", q.x, q.y);
    return area(&r) % 256;
}

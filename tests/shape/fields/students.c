// entry: enrol
// bug: s->attends = schools; => s->attends = s;
// bug: s->next = students; => s->next = schools;
// bug: students = s; => schools = s;
struct node { struct node *next; struct node *attends; };

struct node *students;
struct node *schools;

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null;
    invariant acyclic(next) && sharing_free(next) && head(students) && head(schools);
    invariant \forall x; reach(next, students, x) && reach(next, schools, x) ==> x == \null;
    field attends: \forall x, y; x != \null && x->attends == y ==>
        (reach(next, students, x) ==> y != \null && reach(next, schools, y)); */

/*@ requires s != \null && s->next == \null && head(s);
    requires !reach(next, students, s) && !reach(next, schools, s);
    requires schools != \null;
    ensures reach(next, students, s) && s->attends == schools;
    ensures \forall x; x != s ==> x->attends == \old(x->attends); */
void enrol(struct node *s)
{
    s->attends = schools;
    s->next = students;
    students = s;
}

// entry: addStudent
// bug: st->attends = sc; => st->attends = st;
// bug: st->next = students; => st->next = schools;
// bug: students = st; => schools = st;
/* thesis Fig 5.6 addStudent(st, sc) */
struct elem { struct elem *next; struct elem *attends; };
struct elem *students; struct elem *schools;
/*@ logic ST = { x | x != \null && reach(next, students, x) };
    logic SC = { x | x != \null && reach(next, schools, x) };
    invariant ST \inter SC == \empty;
    invariant acyclic(next) && sharing_free(next);
    invariant \forall x; x != \null && !(x \in ST) && !(x \in SC) ==> x->next == \null && (\forall y; y != \null ==> y->next != x);
    field attends: \forall x, y; x != \null && x->attends == y ==> (x \in ST ==> y \in SC) && (!(x \in ST) ==> y == \null); */
/*@ requires st != \null && !(st \in ST) && !(st \in SC) && sc \in SC;
    ensures ST == \old(ST) \union {st}; */
void addStudent(struct elem *st, struct elem *sc)
{ st->attends = sc; st->next = students; students = st; }

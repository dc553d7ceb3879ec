// expect: true --entry push
// The places that are listed are computed before what is called asks for them.
struct ring { unsigned head, count; unsigned char cell[8]; };
static void store(struct ring *r, unsigned at, unsigned char b) { r->cell[at & 7] = b; }
/*@ requires \valid(r) && r->count < 8 && r->head < 8;
    assigns r->count, r->cell[0 .. 7];
    ensures r->count == \old(r->count) + 1; */
void push(struct ring *r, unsigned char b) { store(r, r->head + r->count, b); r->count++; }

// expect: false(valid-deref) --property valid-deref
// A static object that is constant lies in read-only memory, whatever the type of the pointer.
static const int limits[2] = {1, 2};

static void set(int *place, int value) { *place = value; }

int main(void) {
    int own = 0;
    set(&own, 1);
    set((int *)&limits[1], own);
    return 0;
}

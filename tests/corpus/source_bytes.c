// expect: true --property unreach-call
// Source bytes are bytes: é is one, in UTF-8 it is two.
extern void reach_error(void);
static const unsigned char text[] = "éÿ";

int main(void) {
    if (sizeof text != 3 || text[0] != 0xe9 || text[1] != 0xff || 'é' != -23 || sizeof "Ã©" != 3)
        reach_error();
    return 0;
}

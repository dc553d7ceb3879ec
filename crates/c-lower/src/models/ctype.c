// <ctype.h>: character classes of the C locale. A class is any number but zero: which one,
// the machine decides (glibc gives a bit of its table), and no proof rests on it.

int __bolide_opaque_int(int);
void __bolide_assume(int);

enum {
  UPPER = 0x100, LOWER = 0x200, ALPHA = 0x400, DIGIT = 0x800, XDIGIT = 0x1000, SPACE = 0x2000,
  PRINT = 0x4000, GRAPH = 0x8000, BLANK = 0x1, CNTRL = 0x2, PUNCT = 0x4, ALNUM = 0x8
};

static int __bolide_digit(int c) { return c >= '0' && c <= '9'; }
static int __bolide_upper(int c) { return c >= 'A' && c <= 'Z'; }
static int __bolide_lower(int c) { return c >= 'a' && c <= 'z'; }
static int __bolide_alpha(int c) { return __bolide_upper(c) || __bolide_lower(c); }
static int __bolide_xdigit(int c) {
  return __bolide_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static int __bolide_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int __bolide_blank(int c) { return c == ' ' || c == '\t'; }
static int __bolide_cntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
static int __bolide_print(int c) { return c >= 32 && c < 127; }
static int __bolide_graph(int c) { return c > 32 && c < 127; }
static int __bolide_punct(int c) {
  return __bolide_graph(c) && !__bolide_alpha(c) && !__bolide_digit(c);
}

static int __bolide_in_class(int yes, int bit) {
  if (!yes) return 0;
  int value = __bolide_opaque_int(bit);
  __bolide_assume(value != 0);
  return value;
}

int isdigit(int c) { return __bolide_in_class(__bolide_digit(c), 1); }
int isupper(int c) { return __bolide_in_class(__bolide_upper(c), UPPER); }
int islower(int c) { return __bolide_in_class(__bolide_lower(c), LOWER); }
int isalpha(int c) { return __bolide_in_class(__bolide_alpha(c), ALPHA); }
int isalnum(int c) { return __bolide_in_class(__bolide_alpha(c) || __bolide_digit(c), ALNUM); }
int isxdigit(int c) { return __bolide_in_class(__bolide_xdigit(c), XDIGIT); }
int isspace(int c) { return __bolide_in_class(__bolide_space(c), SPACE); }
int isblank(int c) { return __bolide_in_class(__bolide_blank(c), BLANK); }
int iscntrl(int c) { return __bolide_in_class(__bolide_cntrl(c), CNTRL); }
int isprint(int c) { return __bolide_in_class(__bolide_print(c), PRINT); }
int isgraph(int c) { return __bolide_in_class(__bolide_graph(c), GRAPH); }
int ispunct(int c) { return __bolide_in_class(__bolide_punct(c), PUNCT); }
int iswspace(unsigned c) { return __bolide_in_class(__bolide_space((int)c), SPACE); }
int isascii(int c) { return __bolide_in_class(c >= 0 && c < 128, 1); }
int toascii(int c) { return c & 127; }

// glibc takes characters from -128 on, as many programs pass them.
static int __bolide_byte(int c) { return c < -1 && c >= -128 ? c + 256 : c; }
int tolower(int c) { return __bolide_upper(c) ? c + ('a' - 'A') : __bolide_byte(c); }
int toupper(int c) { return __bolide_lower(c) ? c - ('a' - 'A') : __bolide_byte(c); }
int _tolower(int c) { return c + ('a' - 'A'); }
int _toupper(int c) { return c - ('a' - 'A'); }

// What glibc's macros look into: a table of class bits, indexed from -128.
const unsigned short **__ctype_b_loc(void) {
  static const unsigned short classes[384] = {
    [128] =
    0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2003, 0x2002, 0x2002, 0x2002, 0x2002, 0x2, 0x2,
    0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2,
    0x6001, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    0xc004, 0xd508, 0xd508, 0xd508, 0xd508, 0xd508, 0xd508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508,
    0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    0xc004, 0xd608, 0xd608, 0xd608, 0xd608, 0xd608, 0xd608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608,
    0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc004, 0xc004, 0xc004, 0xc004, 0x2,
  };
  static const unsigned short *table = classes + 128;
  return &table;
}

const int **__ctype_tolower_loc(void) {
  static int map[384];
  static const int *table;
  if (table == 0) {
    for (int c = -128; c < 256; c++) map[c + 128] = tolower(c);
    table = map + 128;
  }
  return &table;
}

const int **__ctype_toupper_loc(void) {
  static int map[384];
  static const int *table;
  if (table == 0) {
    for (int c = -128; c < 256; c++) map[c + 128] = toupper(c);
    table = map + 128;
  }
  return &table;
}

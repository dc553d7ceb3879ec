// Character classes of the C locale.

int isdigit(int c) { return c >= '0' && c <= '9'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return isupper(c) || islower(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isxdigit(int c) { return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
int isprint(int c) { return c >= 32 && c < 127; }
int isgraph(int c) { return c > 32 && c < 127; }
int ispunct(int c) { return isgraph(c) && !isalnum(c); }
int isascii(int c) { return c >= 0 && c < 128; }
int toascii(int c) { return c & 127; }
int tolower(int c) { return isupper(c) ? c + ('a' - 'A') : c; }
int toupper(int c) { return islower(c) ? c - ('a' - 'A') : c; }
int iswspace(unsigned c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What glibc's macros look into: a table of class bits, indexed from -128.
enum {
  UPPER = 0x100, LOWER = 0x200, ALPHA = 0x400, DIGIT = 0x800, XDIGIT = 0x1000, SPACE = 0x2000,
  PRINT = 0x4000, GRAPH = 0x8000, BLANK = 0x1, CNTRL = 0x2, PUNCT = 0x4, ALNUM = 0x8
};

const unsigned short **__ctype_b_loc(void) {
  static unsigned short classes[384];
  static const unsigned short *table;
  if (table == 0) {
    for (int c = 0; c < 128; c++) {
      unsigned short bits = 0;
      if (isupper(c)) bits |= UPPER;
      if (islower(c)) bits |= LOWER;
      if (isalpha(c)) bits |= ALPHA;
      if (isdigit(c)) bits |= DIGIT;
      if (isxdigit(c)) bits |= XDIGIT;
      if (isspace(c)) bits |= SPACE;
      if (isprint(c)) bits |= PRINT;
      if (isgraph(c)) bits |= GRAPH;
      if (isblank(c)) bits |= BLANK;
      if (iscntrl(c)) bits |= CNTRL;
      if (ispunct(c)) bits |= PUNCT;
      if (isalnum(c)) bits |= ALNUM;
      classes[c + 128] = bits;
    }
    table = classes + 128;
  }
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

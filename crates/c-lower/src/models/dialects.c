// Names by which other verifiers are told what to check and what to assume.
//
// What is an operation of its own stands in the table of models; here is what can be said with those.
// Where a verifier leaves a value open, or ours differs from it in a corner, the value is unmodelled.

typedef unsigned long size_t;
typedef long ptrdiff_t;
void *malloc(size_t); void *calloc(size_t, size_t);
void __bolide_assume(int);
_Bool __bolide_is_readable(const void *, size_t);
_Bool __bolide_is_read_only(const void *);
size_t __bolide_object_size(const void *);
ptrdiff_t __bolide_offset(const void *);
_Bool __bolide_same_object(const void *, const void *);
char __bolide_any_char(void);
int __bolide_unmodelled_int(void);
size_t __bolide_unmodelled_size(void);

// CBMC: what a float is.
_Bool __CPROVER_isnanf(float x) { return __builtin_isnan(x); }
_Bool __CPROVER_isnand(double x) { return __builtin_isnan(x); }
_Bool __CPROVER_isnanld(long double x) { return __builtin_isnan(x); }
_Bool __CPROVER_isinff(float x) { return __builtin_isinf(x); }
_Bool __CPROVER_isinfd(double x) { return __builtin_isinf(x); }
_Bool __CPROVER_isinfld(long double x) { return __builtin_isinf(x); }
_Bool __CPROVER_isfinitef(float x) { return __builtin_isfinite(x); }
_Bool __CPROVER_isfinited(double x) { return __builtin_isfinite(x); }
_Bool __CPROVER_isfiniteld(long double x) { return __builtin_isfinite(x); }
_Bool __CPROVER_isnormalf(float x) { return __builtin_isnormal(x); }
_Bool __CPROVER_isnormald(double x) { return __builtin_isnormal(x); }
_Bool __CPROVER_isnormalld(long double x) { return __builtin_isnormal(x); }
_Bool __CPROVER_signf(float x) { return __builtin_signbit(x) != 0; }
_Bool __CPROVER_signd(double x) { return __builtin_signbit(x) != 0; }
_Bool __CPROVER_signld(long double x) { return __builtin_signbit(x) != 0; }
float __CPROVER_inff(void) { return __builtin_inff(); }
double __CPROVER_inf(void) { return __builtin_inf(); }
long double __CPROVER_infl(void) { return __builtin_infl(); }

// CBMC and ESBMC: memory. Whether no byte can be read where nothing is, and whether a constant can be written: they do
// not say.
_Bool __bolide_r_ok(const void *p, size_t size) {
  if (__bolide_is_readable(p, size)) return 1;
  return size == 0 ? __bolide_unmodelled_int() : 0;
}
_Bool __bolide_w_ok(const void *p, size_t size) {
  return __bolide_is_read_only(p) ? __bolide_unmodelled_int() : __bolide_r_ok(p, size);
}
size_t __CPROVER_OBJECT_SIZE(const void *p) {
  return __bolide_is_readable(p, 0) ? __bolide_object_size(p) : __bolide_unmodelled_size();
}
size_t __ESBMC_get_object_size(const void *p) { return __CPROVER_OBJECT_SIZE(p); }
void *__CPROVER_allocate(size_t size, _Bool zeroed) {
  void *object = zeroed ? calloc(1, size) : malloc(size);
  __bolide_assume(object != 0);
  return object;
}

// CBMC and ESBMC: which object a pointer points into, and where. Their numbers of objects are their own; here the address
// of its start stands for an object. What object an address without one belongs to, they do not agree on.
static const char *__bolide_start(const void *p) { return (const char *)p - __bolide_offset(p); }
ptrdiff_t __CPROVER_POINTER_OFFSET(const void *p) { return __bolide_offset(p); }
ptrdiff_t __ESBMC_POINTER_OFFSET(const void *p) { return __bolide_offset(p); }
size_t __CPROVER_POINTER_OBJECT(const void *p) {
  const char *start = __bolide_start(p);
  return start == 0 && p != 0 ? __bolide_unmodelled_size() : (size_t)start;
}
size_t __ESBMC_POINTER_OBJECT(const void *p) { return __CPROVER_POINTER_OBJECT(p); }
_Bool __CPROVER_same_object(const void *p, const void *q) {
  if (!__bolide_same_object(p, q)) return 0;
  return __bolide_object_size(p) > 0 || (p == 0 && q == 0) ? 1 : __bolide_unmodelled_int();
}
_Bool __CPROVER_pointer_in_range_dfcc(const void *low, const void *p, const void *high) {
  return __CPROVER_same_object(low, high) && __CPROVER_same_object(low, p)
      && __bolide_offset(low) <= __bolide_offset(p) && __bolide_offset(p) <= __bolide_offset(high);
}
_Bool __ESBMC_same_object(const void *p, const void *q) { return __CPROVER_same_object(p, q); }

// CBMC and ESBMC: any contents.
void __CPROVER_havoc_slice(void *p, size_t size) {
  for (size_t i = 0; i < size; i++) ((char *)p)[i] = __bolide_any_char();
}
void __CPROVER_havoc_object(void *p) {
  __CPROVER_havoc_slice((char *)p - __bolide_offset(p), __bolide_object_size(p));
}

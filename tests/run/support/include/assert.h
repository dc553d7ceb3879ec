/* For freestanding ILP32 executables; see ../ilp32.c. */
#ifndef _ASSERT_H
#define _ASSERT_H
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#endif

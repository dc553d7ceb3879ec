/* For freestanding ILP32 executables; see ../ilp32.c. */
#ifndef _STDIO_H
#define _STDIO_H
#include <stddef.h>
int printf(const char *, ...);
int puts(const char *);
int putchar(int);
#endif

/* For freestanding ILP32 executables; see ../ilp32.c. */
#ifndef _CTYPE_H
#define _CTYPE_H
int isdigit(int);
int isspace(int);
int isalpha(int);
int toupper(int);
#endif

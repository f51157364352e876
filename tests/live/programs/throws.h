/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of throws.cc and cleans.c, through whose copies exceptions are thrown. */
#ifndef MEMSEARCH_TESTS_LIVE_THROWS_H
#define MEMSEARCH_TESTS_LIVE_THROWS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef int callee(int x);
typedef int passes(callee *next, int x);

extern long cleaned;
int c_cleans(callee *next, int x);

/* copy_functions of copier.c: machine code copied, each instruction moved by a random number of bytes, and its unwind tables registered. NULL or the reason why not. */
typedef const char *copier(void *const *functions, unsigned long nr, void **copies);

#ifdef __cplusplus
}
#endif
#endif

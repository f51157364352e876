/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_INTERPOSE_H
#define MEMSEARCH_LOADER_INTERPOSE_H

#include <stdint.h>

#include "ompt_tool/arrays/heap.h"

/*
 * The functions that libmemsearch.so exports in place of libc's (interpose.c), for the core. Never
 * NULL.
 */
const struct heap_interposer *interpose_offer(void);
/*
 * Until it is called with what it returned, this thread allocates from a heap of the tool's own
 * while it is on `stack` (of OWN_STACK_BYTES), or on any with INTERPOSE_ANY_STACK: for the dynamic
 * linker's blocks where the tool calls it on the program's stack. Also for libmemsearch-gomp.so,
 * where this library is preloaded.
 */
#define INTERPOSE_ANY_STACK ((const void *)UINTPTR_MAX)
const void *memsearch_own_work(const void *stack);
/*
 * The function of that name that calls would reach without `own`, which is exported under it. Before
 * the program's tables lead to it.
 */
void *interpose_behind(const char *name, const void *own);
/* From now on libmemsearch.so makes no system calls of its own. Any thread. */
void interpose_end(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_INTERPOSE_H
#define MEMSEARCH_LOADER_INTERPOSE_H

#include "ompt_tool/arrays/heap.h"

/*
 * The functions that libmemsearch.so exports in place of libc's (interpose.c), for the core. Never
 * NULL.
 */
const struct heap_interposer *interpose_offer(void);
/* From now on libmemsearch.so makes no system calls of its own. Any thread. */
void interpose_end(void);

#endif

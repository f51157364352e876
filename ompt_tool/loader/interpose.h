/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_INTERPOSE_H
#define MEMSEARCH_LOADER_INTERPOSE_H

#include "ompt_tool/arrays/heap.h"

/*
 * What the core gets of the functions that libmemsearch.so exports in libc's place (interpose.c).
 * Never NULL.
 */
const struct heap_interposer *interpose_offer(void);
/* From then on nothing in libmemsearch.so makes a call of its own any more. Any thread. */
void interpose_end(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_OWN_LIBRARIES_H
#define MEMSEARCH_PROCESS_OWN_LIBRARIES_H

/*
 * Leads libdw, libelf and what they decompress with to a heap of their own (regions/own_heap.h), if
 * they came with memsearch-core.so: one that the program had before keeps its malloc. Once, before
 * any of them is used, on the thread that will read.
 */
void own_libraries_lead(void);
/* NULL, or why libdw and libelf stay where they are. */
const char *own_libraries_why(void);

#endif

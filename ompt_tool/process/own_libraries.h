/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_OWN_LIBRARIES_H
#define MEMSEARCH_PROCESS_OWN_LIBRARIES_H

/*
 * Gives libdw, libelf and the decompression libraries they use a heap of their own
 * (analysis/base/own_heap.h), if they were loaded with memsearch-core.so; libraries that the
 * program had loaded before keep its malloc. Once, before any of them is used, on the thread that
 * will read debug information.
 */
void own_libraries_lead(void);
/* Why libdw and libelf use the program's malloc; NULL: they do not. */
const char *own_libraries_why(void);

#endif

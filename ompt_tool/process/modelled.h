/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_MODELLED_H
#define MEMSEARCH_PROCESS_MODELLED_H

#include <stdint.h>

/*
 * NUMA nodes of the machine that is simulated after the run: `name` as --machine has it. 0: none is
 * named, or this host, or its file has mistakes, which are printed. Not from a callback.
 */
uint32_t modelled_nodes(const char *name);

#endif

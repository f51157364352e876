/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_MODELLED_H
#define MEMSEARCH_PROCESS_MODELLED_H

#include <stdint.h>

/*
 * Number of NUMA nodes of the machine that is simulated after the run; `name`: the value of
 * --machine. 0: none is named, or this host, or its file has errors, which are logged. Not in
 * callbacks.
 */
uint32_t modelled_nodes(const char *name);

#endif

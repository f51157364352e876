/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_MODELLED_H
#define MEMSEARCH_PROCESS_MODELLED_H

#include <stdbool.h>

/*
 * Whether the machine that is simulated after the run has several NUMA nodes, or may have, as hwloc's
 * XML says it; `name`: the value of --machine. False: none is named, or this host, or its file has
 * errors, which are logged. Not in callbacks.
 */
bool modelled_has_nodes(const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_NODE_MEMORY_H
#define MEMSEARCH_PLACEMENT_NODE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Free memory of NUMA nodes, by the kernel's files nodeN/meminfo. No malloc, no stdio; some 20 us a
 * node. At phase boundaries, one thread at a time.
 */
struct arena;
struct run;

#define NODE_MEMORY_FOLDER "/sys/devices/system/node"
/*
 * Keeps in run->node_memory, for each of run->machine.nodes nodes in `folder`, the time with the
 * smallest free part. Nodes whose file cannot be read are left out. False: no memory.
 */
bool node_memory_note(struct arena *arena, const char *folder, struct run *run);

#endif

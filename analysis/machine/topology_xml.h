/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_TOPOLOGY_XML_H
#define MEMSEARCH_MACHINE_TOPOLOGY_XML_H

#include <stddef.h>

/*
 * What hwloc 2 writes of a machine (`lstopo file.xml`), read without hwloc: its own reader falls over damaged files (2.9.0, in hwloc_bitmap_compare_first
 * and others), and inside a user's program it would take that along. Of the file only cores, CPUs, NUMA nodes, data caches, their CPU
 * sets, and the distances between nodes are looked at.
 */
struct arena;
struct topology;

/* NULL: all is well, else why not. Any bytes may be given. `out` is cleared first; its `version` and `here` are the caller's. */
const char *topology_parse_xml(struct arena *arena, const char *text, size_t length, struct topology *out);

#endif

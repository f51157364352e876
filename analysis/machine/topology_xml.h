/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_TOPOLOGY_XML_H
#define MEMSEARCH_MACHINE_TOPOLOGY_XML_H

#include <stddef.h>

/*
 * The XML of hwloc 2 (`lstopo file.xml`), read without hwloc: its own reader crashes on damaged
 * files (2.9.0, in hwloc_bitmap_compare_first and others), which would end a user's program. Of the
 * file only cores, CPUs, NUMA nodes, data caches, their CPU sets, and the distances between nodes
 * are read.
 */
struct arena;
struct topology;

/*
 * NULL: success, else why not. Any bytes are accepted. `out` is cleared first; its `version` and
 * `here` are the caller's.
 */
const char *topology_parse_xml(struct arena *arena, const char *text, size_t length,
			       struct topology *out);

#endif

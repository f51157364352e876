/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_TOPOLOGY_H
#define MEMSEARCH_MACHINE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/machine/model.h"

/*
 * Cores, nodes and caches by hwloc, which has no latencies. libhwloc is opened by dlopen, not
 * linked: commands without need of it have no cost, and work where it is not installed. Opening it
 * took 0.4 ms, this machine of 2 CPUs 1.2 ms. It allocates by malloc, reads /sys and starts a child
 * for files: not in users' programs. Its part that binds the thread to each CPU in turn (x86) is
 * left out. One thread at a time.
 */
struct arena;
struct figure;

struct topology {
	uint32_t cores, nodes; /* cores: without hyperthreads; nodes: those that have cores */
	struct {
		uint64_t bytes;      /* 0: there is none */
		uint32_t ways, line; /* 0: hwloc does not know */
		uint32_t cores;      /* that share one */
	} cache[MODEL_LEVELS];
	/* cores or caches of several kinds: those of the first core are used */
	bool uneven;
	bool here; /* it is really this machine's; never of XML files */
	/*
	 * Relative, as the firmware reports (ACPI SLIT): 10 is a node's own memory. All 0: unknown.
	 */
	uint32_t distances[MODEL_NODES][MODEL_NODES];
	const char *version; /* of hwloc's interface, "2.8"; NULL: of XML files */
};

/*
 * This machine, or the one that HWLOC_XMLFILE, HWLOC_SYNTHETIC and the like name. NULL: success,
 * else why not.
 */
const char *topology_here(struct arena *arena, struct topology *out);
/* The same of a file that `lstopo file.xml` wrote; any bytes are accepted. */
const char *topology_of_xml(struct arena *arena, const char *path, struct topology *out);
/* The same of its text. */
const char *topology_parse_xml(struct arena *arena, const char *text, struct topology *out);

/*
 * Converts it to a model, as far as models can represent it: a shared second level becomes the
 * third where there is none, else each core gets its share; lines and ways that hwloc does not know
 * are TOPOLOGY_LINE and TOPOLOGY_WAYS.
 */
#define TOPOLOGY_LINE 64 /* bytes: of all x86-64 and most ARM servers */
#define TOPOLOGY_WAYS 16
void topology_apply(const struct topology *topology, struct machine_model *model);
/*
 * The source of a figure of the topology: "hwloc", or the conversion where the model cannot
 * represent it.
 */
const char *topology_says(const struct topology *topology, const struct machine_model *model,
			  const struct figure *figure);
/*
 * Distances in cycles, by the firmware's and the model's latency of memory. No effect without
 * distances of the firmware.
 */
void topology_apply_distances(const struct topology *topology, struct machine_model *model);
/*
 * Ways with which the cache has a power of two of sets: hwloc's, TOPOLOGY_WAYS, or another common
 * number; 0: none fits.
 */
uint32_t topology_ways(uint64_t lines, uint32_t ways);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_MODEL_H
#define MEMSEARCH_MACHINE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A modelled machine, on which analysis/simulator/ simulates recorded accesses. One text file each
 * in properties/machines/, read by model_text.c; or this machine, as hwloc sees it. Latencies are
 * load-to-use, in cycles of the core.
 */
#define MODEL_LEVELS 3
#define MODEL_CORES 256
#define MODEL_NODES 64

enum model_replacement { MODEL_LRU, MODEL_TREE_PLRU };
/* Inclusion of an outer cache, see analysis/simulator/simulator.h. */
enum model_inclusion { MODEL_NON_INCLUSIVE, MODEL_INCLUSIVE, MODEL_EXCLUSIVE };

/* bytes 0: there is no such level */
struct model_cache {
	uint64_t bytes;
	/* line: bytes, a power of two, 16 … 256; ways × line × sets = bytes */
	uint32_t ways, line;
	uint32_t cores; /* that share one, 1 for a private one; of L1 and L2: 1 */
	uint32_t latency;
	enum model_replacement replacement;
	enum model_inclusion inclusion; /* of L3 only */
	bool write_around;              /* of L1, L2: a write that misses does not allocate */
	/*
	 * of L1, L2: write-through: lines are never dirty, each write also goes to the next level
	 */
	bool write_through;
	/*
	 * of L1, where there is an L2: accesses by floating-point or vector registers go to L2 at
	 * once
	 */
	bool float_bypasses;
	/* prefetches, into L2, the line behind one that missed here */
	bool next_line;
	/* prefetches, into L2, along constant strides of the accesses of one site that look here */
	bool strides;
};

/* entries 0: there is no such level */
struct model_tlb {
	uint32_t entries, ways; /* ways: entries for a fully associative one */
	uint32_t latency;       /* added if this level is the first that hits */
};

struct machine_model {
	const char *name;      /* of its file, or "host" */
	const char *source;    /* where its figures are from, for reports */
	const char *path;      /* of the file; NULL: host */
	uint32_t cores, nodes; /* cores: a multiple of nodes */
	double hz;             /* of the core; 0: not known */
	struct model_cache cache[MODEL_LEVELS];
	struct model_tlb tlb[2];
	uint32_t page; /* bytes, a power of two */
	/*
	 * prefetchers stop at its end: a power of two, page at most; 0: page. Set for huge pages,
	 * as prefetchers use small ones
	 */
	uint32_t prefetch_page;
	/* the same of pages that programs may ask for; 0: not known */
	uint32_t huge_page;
	/* of these, with the latencies of tlb; entries 0: not known */
	struct model_tlb huge_tlb[2];
	uint32_t walk_latency;   /* page table walk */
	uint32_t memory_latency; /* of the own node */
	/* of the farthest other node, where there is no table of distances */
	uint32_t remote_latency;
	/* a line that another core's cache has modified, of the own node */
	uint32_t transfer_latency;
	uint32_t remote_transfer_latency;
	/* cycles from a node's core to a node's memory; all 0: the latencies above */
	uint32_t distances[MODEL_NODES][MODEL_NODES];
	/* pages are interleaved over the nodes, instead of first touch */
	bool interleave;
};

/* Of all caches that so many threads use, one on each of the first cores. */
static inline uint64_t model_cache_bytes(const struct machine_model *model, uint32_t threads)
{
	uint64_t bytes = 0;

	threads = threads < model->cores ? threads : model->cores;
	for (unsigned int level = 0; level < MODEL_LEVELS; level++)
		if (model->cache[level].bytes)
			bytes += model->cache[level].bytes *
				 ((threads + model->cache[level].cores - 1) /
				  model->cache[level].cores);
	return bytes;
}

#endif

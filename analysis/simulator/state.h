/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_STATE_H
#define MEMSEARCH_SIMULATOR_STATE_H

#include "analysis/simulator/cache.h"
#include "analysis/simulator/remote_writes.h"
#include "analysis/simulator/directory.h"
#include "analysis/simulator/outer.h"
#include "analysis/simulator/pages.h"
#include "analysis/simulator/sampling.h"
#include "analysis/simulator/simulator.h"
#include "analysis/simulator/stages.h"

/*
 * What the files of this folder share. Levels are counted from 0; caches are numbered: L1 of core c
 * is c, its L2 threads + c, L3s follow.
 */
enum { L1, L2, L3 };

struct stride_row {
	uint64_t last;
	int64_t distance; /* 0: none yet */
	int64_t ahead;    /* distance of the request; 0: none */
	uint64_t site;    /* + 1 */
};

struct interleaving;
struct runner;
struct schedule;
struct stages;

/* of one thread */
struct core {
	struct cache caches[2]; /* L1, L2 */
	struct cache tlb[2];
	struct cache *levels[MODEL_LEVELS]; /* NULL: there is none; L3 is shared */
	struct stride_row *strides[MODEL_LEVELS];
	/*
	 * by slot and entry (sampling.h); the last is for uncounted slots; NULL: the core has not
	 * run
	 */
	struct simulator_counters *counters;
	/* since they were cleared: all from here on are 0; 0: nothing was accessed */
	uint32_t used_counters;
	/* counters of outer.c: the same, or separate ones that are added when counters are read */
	struct simulator_counters *outer_counters;
	/* lines from memory: by index of counters * nodes + node of the page; NULL: not counted */
	uint64_t *node_lines;
	uint32_t number, node, l3;         /* l3: which one it uses */
	struct interleaving *interleaving; /* the group that is under way, or NULL */
	uint16_t *runs_in_way; /* by way of L1: the number of runs of that group there */
	bool running;          /* its time slice is simulated */
	/* where its next event goes; NULL: events are simulated at once */
	struct outer_event *event, *events_end;
	/* since the last check other cores invalidated or downgraded lines of this core */
	bool disturbed;
	/* coherence lines + 1 of non-temporal writes, the latest first */
	uint64_t combining[SIMULATOR_COMBINING];
	char apart[STAGES_APART];
	/* of schedule.c, which may run ahead in another thread */
	uint64_t *remotely_written; /* by slot: not yet in `counters` */
	uint32_t used_remotely_written;
	/*
	 * an access of its time slice, or of the last one, was to a remotely written line;
	 * initially true
	 */
	bool meets_remote_writes;
	char apart_too[STAGES_APART];
};

struct simulator {
	struct machine_model model;
	struct arena *arena;
	struct space space; /* of the modelled caches */
	uint32_t threads, slots, nr_l3;
	unsigned parts;
	unsigned classified; /* levels whose misses have classes, as bits */
	struct sampling sampling;
	bool next_line, strides; /* some level has a stride prefetcher */
	bool fast_path, common;  /* see fast_path.h */
	bool shared;             /* by several threads: there is coherence */
	/* the outermost private level: where prefetches go, and utilisation is kept */
	unsigned last_private;
	uint32_t coherence_shift, piece_shift, page_shift, prefetch_shift, part_shift;
	struct core *cores; /* by thread */
	struct schedule *schedule;
	struct runner *runners; /* by thread */
	struct stages *stages;  /* NULL: one thread simulates */
	bool defers;            /* outer_applies */
	/* no core holds lines that another one accesses now (stages.h) */
	bool private;
	struct cache *l3s;
	struct directory directory;
	uint64_t lost;
	bool settled; /* counters are up to date */
	char apart[STAGES_APART];
	/* of outer.c, which may run behind in another thread */
	/* of the current access: cycles counted; L3 missed it */
	struct outer {
		uint64_t lost;
		uint32_t cycles;
		bool missed;
	} outer;
	struct pages pages;
	size_t page_budget; /* bytes that may still be mapped for these */
	char apart_too[STAGES_APART];
	/* of schedule.c */
	uint64_t uncounted;
	struct remote_writes remote_writes; /* where it is shared */
	/* bytes that may be mapped for the histories of all caches */
	size_t history_budget;
};

/* Cores that run have counters. False: no memory. */
bool core_counts(struct simulator *simulator, struct core *core);

/* Whether only this core has accessed memory there, including the current access. */
static inline bool directory_is_alone(struct simulator *simulator, const struct core *core,
				      uint64_t address)
{
	const struct directory *directory = &simulator->directory;
	uint64_t block = address >> DIRECTORY_BLOCK_SHIFT;
	uint64_t recent = directory->recent[hash_place(block, DIRECTORY_RECENT_BITS)];

	if (simulator->private || recent == directory_owned(block, core->number))
		return true;
	if (recent == directory_owned(block, NO_OWNER))
		return false;
	return directory_is_alone_now(simulator, block, core->number);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_SIMULATION_H
#define MEMSEARCH_TRACE_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/simulator.h"
#include "analysis/trace/blocks.h"
#include "analysis/trace/stream.h"

/*
 * The threads' traces (stream.h) on their way through the simulator, in an order that does not depend on the host: what threads of
 * a team accessed between two barriers is one window, and so is a stretch of serial code.
 *
 *     thread 0  ── serial ──┤team│── accesses ──┤barrier│── accesses ──┤end│── serial ──
 *     thread 1              │team│── accesses ──┤barrier│── accesses ──┤end│
 *                            ▲ join              ▲ window ends          ▲ leave
 *
 * Thread 0 leads: teams are simulated in the order in which it was in them. Teams it was never in come at the end, one after the other,
 * and are counted: their place in time is not known. Memory is bounded: when the pool of traces is full what is there
 * is simulated at once, by the thread that found it so, and the window that ended early is counted; from there on the order is the host's.
 *
 * By one thread at a time, see simulation_run.
 */
struct simulation;

/* What an access is counted for: `slot`s are found by these, and asked by number. */
struct simulation_key { uint32_t region, site, array; };

/* What lies at [low, high) in the program is on the node, or SIMULATOR_EVERYWHERE. */
struct simulation_home { uint64_t low, high; uint32_t node; };

/* Blocks of the array with each `unit` bytes taking `padded`, which is not less, from an address that `align` divides, a power of two; 0: as it was. */
struct simulation_layout { uint32_t array; uint64_t unit, padded, align; };

/* Where the program's data was, and where it and the threads are on the modelled machine. */
struct simulation_places {
	/* The array and block that an address was in at a time in [since, until], or its page, as array_or_page_at has it. */
	void (*at)(void *ctx, uint64_t address, uint64_t since, uint64_t until, struct array_place *out);
	/* From the block to the part of it that accesses count for; the block stays in one piece on the modelled machine. NULL: all of it. */
	void (*narrow)(void *ctx, uint64_t address, struct array_place *place);
	void *ctx;
	uint64_t stack_end;              /* where the stack of the initial thread began */
	const uint32_t *cores;           /* of the model, by thread, each another one; NULL: thread i runs on core i. Stays the caller's until simulation_free */
	bool on_node;                    /* all pages lie on `node`, not where the program touched them first */
	uint32_t node;
	/* The thread that touched all of the array first, for pages of which it is not known by page_touches.h; UINT32_MAX: none did. NULL: not known. */
	uint32_t (*toucher)(void *ctx, uint32_t array);
	const struct simulation_home *homes;     /* by address; pages that lie elsewhere than where they were touched first … */
	size_t nr_homes;
	const struct simulation_layout *layouts; /* … and arrays that are laid out anew; both stay the caller's */
	size_t nr_layouts;
};

struct simulation_order {                /* what keeps results from being the same in each run */
	uint64_t early_windows;          /* ended because memory was full */
	uint64_t lost_teams;             /* whose place in time is not known */
	uint64_t lost_accesses;          /* at least so many found no room in a trace, or among the slots */
	uint64_t lost_lines;             /* whose misses may have a wrong class (simulator_lost) */
};

/* Pages that were accessed, and those of them that lie where the program touched them first (page_touches.h); 0: it does not matter to this machine. */
struct simulator_pages simulation_pages(const struct simulation *simulation);

/* NULL: no memory, or more threads have traces than the model can have. Maps memory. `model` and `traces` are kept. `parts`: enum simulator_parts. */
struct simulation *simulation_new(const struct machine_model *model, struct trace_streams *traces, unsigned parts, const struct simulation_places *places);
/* Data lies where this host has it, not in the order of first accesses. Before anything is simulated. */
void simulation_use_real_addresses(struct simulation *simulation);
/* So many threads simulate (simulator_use_threads); `places` is called by one at a time. Before anything is simulated. False: no memory; the caller simulates. */
bool simulation_use_threads(struct simulation *simulation, uint32_t jobs);
/* Only one line in so many is looked at (simulator_sample). Before anything is simulated. False: not so. */
bool simulation_sample(struct simulation *simulation, uint32_t one_in);
/* Fewer lines than so far; nothing counted since the last clear counts (simulator_thin). At a phase boundary, or between windows. False: not so. */
bool simulation_thin(struct simulation *simulation, uint32_t one_in);
void simulation_free(struct simulation *simulation);

/* Which core of the modelled machine the thread was last. False: nothing of it was simulated since the last clear. At a phase boundary. */
bool simulation_core(const struct simulation *simulation, uint32_t thread, uint32_t *core_out);

/* Called between the windows of simulation_run; false: what is left need not be simulated, as if there was no time. NULL: nobody asks. */
void simulation_between(struct simulation *simulation, bool (*go_on)(void *ctx), void *ctx);
/* Words of record that are still to be simulated. At a phase boundary, or between windows. */
uint64_t simulation_words_left(const struct simulation *simulation);
/*
 * All that is in the traces, at a phase boundary. False: it was not done by `deadline_ns` (thread_clock_ns; 0: none), and the
 * counters are of a part.
 */
bool simulation_run(struct simulation *simulation, uint64_t deadline_ns);
/* What was simulated so far does not count any more, and what is left in the traces is forgotten; caches keep what they hold. */
void simulation_clear(struct simulation *simulation);
/* Every slot in which thread `core` accessed anything; `estimates`: its counters, by so many replicates (simulator_estimate). At a phase boundary, after simulation_run. */
void simulation_each(struct simulation *simulation, uint32_t core,
		     void (*visit)(void *ctx, const struct simulation_key *key, const struct simulator_counters *estimates, uint32_t replicates), void *ctx);
struct simulation_order simulation_order(const struct simulation *simulation);

/* Blocks of memory that have a place on the modelled machine: the program's addresses, where it lies there, and the array that was accessed in it last. */
struct simulation_block { uint64_t start, bytes, at; uint32_t array; };
void simulation_each_block(const struct simulation *simulation, void (*visit)(void *ctx, const struct simulation_block *block), void *ctx);
/* With SIMULATE_PAGES: as simulator_each_page, since the last clear. */
void simulation_each_page(struct simulation *simulation, simulator_page *visit, void *ctx);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_SIMULATION_H
#define MEMSEARCH_TRACE_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/simulator.h"
#include "analysis/trace/stream.h"

/*
 * Simulates the threads' traces (stream.h) in an order that does not depend on the host. A window
 * has the accesses of a team between two barriers, or of serial code.
 *
 *     thread 0  ── serial ──┤team│── accesses ──┤barrier│── accesses ──┤end│── serial ──
 *     thread 1              │team│── accesses ──┤barrier│── accesses ──┤end│
 *                            ▲ join              ▲ window ends          ▲ leave
 *
 * Teams are simulated in thread 0's order. Teams without thread 0 follow at the end, as their time
 * is unknown, and are counted. Memory is bounded: when the pool of traces is full, the thread that
 * fills it simulates its contents; this ends a window early, which is counted, and from then on the
 * order depends on the host.
 *
 * By one thread at a time, see simulation_run.
 */
struct simulation;
struct simulation_places;

/* Unit of counting: each key has a slot of the simulator. */
struct simulation_key {
	uint32_t region, site, array;
	uint32_t
		call; /* CALL_REGION that leads to the team's region; 0: none, or they are not used */
};

/* reasons for which results may differ between runs */
struct simulation_order {
	uint64_t early_windows; /* ended because the pool was full */
	uint64_t lost_teams;    /* without thread 0: their time is unknown */
	/* at least; dropped for lack of space in a trace or of slots */
	uint64_t lost_accesses;
	uint64_t lost_lines; /* whose misses may have a wrong class (simulator_lost) */
};

/* Accessed pages, and those placed by first touch (page_touches.h); 0: the machine has one node. */
struct simulator_pages simulation_pages(const struct simulation *simulation);

/*
 * NULL: no memory, or more threads have traces than the model can have. Maps memory. `model` and
 * `traces` are kept. `parts`: enum simulator_parts.
 */
struct simulation *simulation_new(const struct machine_model *model, struct trace_streams *traces,
				  unsigned parts, const struct simulation_places *places);
/*
 * Uses this host's addresses instead of addresses in the order of first accesses. Before the first
 * run.
 */
void simulation_use_real_addresses(struct simulation *simulation);
/* Tells calls apart, which takes a slot for each. Before the first run. */
void simulation_use_calls(struct simulation *simulation);
/*
 * Sets the number of simulating threads (simulator_use_threads); `places` is called by one at a
 * time. Before the first run. False: no memory; the caller simulates.
 */
bool simulation_use_threads(struct simulation *simulation, uint32_t jobs);
/* Set sampling 1:`one_in` (simulator_sample). Before the first run. False: not possible. */
bool simulation_sample(struct simulation *simulation, uint32_t one_in);
void simulation_free(struct simulation *simulation);

/*
 * The thread's last modelled core. False: no access of it was simulated since the last clear. At a
 * phase boundary.
 */
bool simulation_core(const struct simulation *simulation, uint32_t thread, uint32_t *core_out);

/*
 * Called between the windows of simulation_run; false: stop, as at the deadline. NULL: no callback.
 */
void simulation_between(struct simulation *simulation, bool (*go_on)(void *ctx), void *ctx);
/* Words still to be simulated. At a phase boundary, or between windows. */
uint64_t simulation_words_left(const struct simulation *simulation);
/*
 * Simulates the contents of the traces, at a phase boundary. False: `deadline_ns` (thread_clock_ns;
 * 0: none) has passed; the counters are of a part.
 */
bool simulation_run(struct simulation *simulation, uint64_t deadline_ns);
/* Clears the counters and drops the rest of the traces; caches keep their contents. */
void simulation_clear(struct simulation *simulation);
/*
 * Visits each slot with accesses of thread `core`; `estimates`: its counters, by replicate
 * (simulator_estimate). At a phase boundary, after simulation_run.
 */
void simulation_each(struct simulation *simulation, uint32_t core,
		     void (*visit)(void *ctx, const struct simulation_key *key,
				   const struct simulator_counters *estimates, uint32_t replicates),
		     void *ctx);
/*
 * For `visit` of simulation_each, with SIMULATE_PAGES: the slot's lines from the memory of each node
 * (simulator_node_lines). `key`: as visited. False: not counted.
 */
bool simulation_node_lines(struct simulation *simulation, uint32_t core,
			   const struct simulation_key *key, uint32_t replicate,
			   uint64_t *lines_out);
/*
 * With SIMULATE_PAGES: marks pages by the lines since the last clear (simulator_mark_pages). After
 * simulation_run.
 */
void simulation_mark_pages(struct simulation *simulation);
struct simulation_order simulation_order(const struct simulation *simulation);

/*
 * A block of memory on the modelled machine: the program's address, the modelled one, and the array
 * accessed in it last.
 */
struct simulation_block {
	uint64_t start, bytes, at;
	uint32_t array;
};
void simulation_each_block(const struct simulation *simulation,
			   void (*visit)(void *ctx, const struct simulation_block *block),
			   void *ctx);
/* With SIMULATE_PAGES: as simulator_each_page, since the last clear. */
void simulation_each_page(struct simulation *simulation, simulator_page *visit, void *ctx);

#endif

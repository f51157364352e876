/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_COUNT_PRIVATE_H
#define MEMSEARCH_COUNTING_COUNT_PRIVATE_H

#include "analysis/counting/access_table.h"
#include "analysis/counting/burst_sums.h"
#include "analysis/counting/burst_weights.h"
#include "analysis/counting/code_loops.h"
#include "analysis/counting/comparison.h"
#include "analysis/counting/count_rows.h"
#include "analysis/trace/trace_reader.h"

/*
 * count.c reads the threads' traces, count_lines.c compares lines, count_calls.c counts by call,
 * count_instructions.c writes rows of instructions.
 */

/* Identifies one execution of a construct: by team, and number of the execution in the team. */
struct lines_key {
	uint32_t team, region, nth;
};

/* Lines of one thread in one execution of a construct. */
struct lines_set {
	struct compared of;
	struct lines_key key;
	struct counted_thread *thread;
	uint32_t threads;                   /* of the team */
	struct lines_set *next_free, *next; /* of the thread; of the same execution */
};

struct open_construct {
	uint32_t region, depth;
	uint32_t call; /* CALL_REGION that leads to the team's region; 0: none */
	bool goes_on;
	struct lines_set *lines;
};

struct counted_thread {
	uint32_t number;
	struct trace_stream *stream;
	struct access_table *table; /* in reserved memory, as the next */
	struct line_pool *pool;     /* NULL: no lines marked yet */
	struct lines_set *free_sets;
	struct open_construct *open; /* innermost last */
	size_t nr_open, room_open;
	/* region + 1 of the outermost construct, of which a part began before the execution; 0: none */
	uint32_t before;
	uint64_t burst_ns;               /* when the burst of the words began; 0: unknown */
	bool before_goes_on;             /* that part has not ended yet, only pieces of it have */
	struct pair_map met;             /* team, region → executions */
	uint32_t waiting;                /* ended sets that are not compared yet */
	uint64_t two[2 * ACCESS_PERIOD]; /* words of two iterations */
};

/* Ended sets of an execution that other threads have not ended. */
struct lines_waiting {
	struct lines_set *first, **last;
	uint32_t nr;
};

/* Of a construct reached by a call: a thread's accesses to one array, or (data 0) to all. */
struct counted_call {
	uint32_t construct, call, data, thread; /* data: array + 1 */
	struct access_counts counts;
	uint64_t executions;
	uint32_t region; /* in the run; MS_REGION_NONE: none */
};

struct counted_calls {
	struct counted_call *items;
	size_t nr, room;
	struct pair_map index; /* (construct, call), (thread, data) → position + 1 */
};

struct counted_sharing {
	uint64_t lines, same_lines, executions, accesses, threads;
	bool unknown;
};

/* of the run */
struct counted_region {
	uint64_t phases; /* in which it was requested */
	uint32_t own_loop;
	/* in complete executions; in the current one, of which only the begin is stored */
	bool whole, cut;
	bool counted, bursts; /* bursts: counted from bursts */
	bool estimated;       /* counted from parts of executions */
	/* executions that its stored begin represents; 0: complete */
	uint64_t cut_executions;
	/* reads and writes of a phase, counted during the run; 0: unknown */
	double recorded;
	uint64_t recorded_executions;
};

struct counting {
	struct arena *arena, *scratch; /* of the run; temporary */
	struct run *run;
	struct trace_reader *reader;
	struct trace_streams *streams;
	struct counted_thread *threads;
	struct code_loops loops;
	struct access_world world;
	struct count_rows rows;
	struct burst_times burst_times;
	struct burst_sums *burst_sums;
	struct burst_weights *burst_weights;
	size_t execution;  /* counted now */
	bool cut;          /* only its begin is stored */
	bool all_asked;    /* all parts of the phase were requested */
	uint64_t now;      /* latest block time so far */
	size_t nr_regions; /* of the run */
	struct counted_region *regions;
	/* [nr_regions][streams->threads]: counted_region.recorded by thread; time in ns */
	double *recorded, *times;
	struct counted_calls calls;
	struct counted_sharing *sharings; /* by region */
	size_t nr_sharings, room_sharings;
	struct comparison comparison;
	struct pair_map waiting_index; /* (team, region), nth → position in `waiting` + 1 */
	struct lines_waiting *waiting;
	size_t nr_waiting, room_waiting;
	uint64_t undivided, not_compared; /* see struct count_result */
};

/* Region of the innermost loop at or around it that has one; else the construct. */
uint32_t count_loop_around(struct counting *counting, uint32_t construct, uint32_t loop);
/* Adds a value of one execution. */
void count_add(struct counting *counting, uint32_t region, uint32_t thread, enum ms_metric metric,
	       double sum, uint64_t executions);
void count_add_counts(struct counting *counting, uint32_t region, uint32_t thread,
		      const struct access_counts *counts, uint64_t executions);

/* Adds the sums of an execution that ended (count_calls.c). `first`: of the whole construct. */
void count_calls_note(struct counting *counting, const struct counted_thread *thread,
		      const struct open_construct *of, const struct access_sum *first);
/* Adds rows of calls, where calls of a construct have different data; before count_rows_end. */
void count_calls_put(struct counting *counting);
/* Copies what the run has measured of their data: after count_rows_end. */
void count_calls_end(struct counting *counting);

/* Writes rows by instruction and array into the run (count_instructions.c). */
void count_instructions_put(struct counting *counting);

/* NULL: no memory. */
struct lines_set *count_lines_begin(struct counting *counting, struct counted_thread *thread,
				    struct lines_key key, uint32_t threads);
void count_lines_free(struct lines_set *set);
/* Ends the thread's part; `whole`: complete. The last thread of the team compares. */
void count_lines_end(struct counting *counting, struct lines_set *set, bool whole);
/* Drops sets that still wait at the end of the execution of the phase. */
void count_lines_forget(struct counting *counting);
/* Marks the region's lines as unknown. */
void count_lines_unknown(struct counting *counting, uint32_t region);
/* Writes the results into the run. */
void count_lines_put(struct counting *counting);

#endif

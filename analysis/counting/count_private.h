/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_COUNT_PRIVATE_H
#define MEMSEARCH_COUNTING_COUNT_PRIVATE_H

#include "analysis/counting/access_table.h"
#include "analysis/counting/burst_times.h"
#include "analysis/counting/code_loops.h"
#include "analysis/counting/comparison.h"
#include "analysis/counting/count_rows.h"
#include "analysis/trace/kept.h"

/*
 * count.c reads the threads' traces, count_lines.c compares lines, count_instructions.c tells what instructions do.
 */

/* Which execution of which construct: of what team, and how often the team had met it. */
struct lines_key { uint32_t team, region, nth; };

/* Lines of one thread in one execution of a construct. */
struct lines_set {
	struct compared of;
	struct lines_key key;
	struct counted_thread *thread;
	uint32_t threads;                /* of the team */
	struct lines_set *next_free, *next;      /* of the thread; of the same execution */
};

struct open_construct { uint32_t region, depth; bool goes_on; struct lines_set *lines; };

struct counted_thread {
	uint32_t number;
	struct trace_stream *stream;
	struct access_table *table;      /* reserved, as the next */
	struct line_pool *pool;          /* NULL: no lines were marked yet */
	struct lines_set *free_sets;
	struct open_construct *open;     /* innermost last */
	size_t nr_open, room_open;
	struct map met;                  /* team, region → executions */
	uint32_t waiting;                /* sets that have ended and are not compared */
	uint64_t two[2 * ACCESS_PERIOD]; /* words of two times of a loop */
};

/* Sets that have ended, of an execution whose other threads have not. */
struct lines_waiting { struct lines_set *first, **last; uint32_t nr; };

struct counted_sharing { uint64_t lines, same_lines, executions, accesses, threads; bool unknown; };

struct counted_region {                  /* that the run came with */
	uint64_t phases;                 /* in which it was asked for */
	uint32_t own_loop;
	bool whole, cut;                 /* in executions that are kept whole; in the one under way, whose begin alone is kept */
	bool counted, bursts;            /* bursts: of these */
	uint64_t cut_executions;         /* that what is kept of it stands for; 0: it is whole */
	double recorded;                 /* reads and writes of a phase, as counted while the program ran; 0: not known */
	uint64_t recorded_executions;
};

struct counting {
	struct arena *arena, *scratch;   /* the run's; what is forgotten afterwards */
	struct run *run;
	struct kept *kept;
	struct trace_streams *streams;
	struct counted_thread *threads;
	struct code_loops loops;
	struct access_world world;
	struct count_rows rows;
	struct burst_times burst_times;
	size_t execution;                /* that is counted */
	bool cut;                        /* of it the begin alone is kept */
	bool all_asked;                  /* all parts of the phase are in it */
	uint64_t now;                    /* the latest time of blocks so far */
	size_t nr_regions;               /* that the run came with */
	struct counted_region *regions;
	struct counted_sharing *sharings;        /* by region */
	size_t nr_sharings, room_sharings;
	struct comparison comparison;
	struct map waiting_index;        /* (team, region), nth → position in `waiting` + 1 */
	struct lines_waiting *waiting;
	size_t nr_waiting, room_waiting;
	uint64_t undivided, not_compared;        /* see struct count_result */
};

/* Region of the innermost loop at or around it that has one; else the construct. */
uint32_t count_loop_around(struct counting *counting, uint32_t construct, uint32_t loop);
/* Adds a value of one execution. */
void count_add(struct counting *counting, uint32_t region, uint32_t thread, enum ms_metric metric, double sum, uint64_t executions);

/* Rows of what instructions do to arrays, into the run (count_instructions.c). */
void count_instructions_put(struct counting *counting);

/* NULL: no memory. */
struct lines_set *count_lines_begin(struct counting *counting, struct counted_thread *thread, struct lines_key key, uint32_t threads);
void count_lines_free(struct lines_set *set);
/* The thread's part has ended; `whole`: nothing is missing. The last one of the team compares. */
void count_lines_end(struct counting *counting, struct lines_set *set, bool whole);
/* The execution of the phase has ended: what waits still is not compared. */
void count_lines_forget(struct counting *counting);
/* Nothing is known of lines of the region. */
void count_lines_unknown(struct counting *counting, uint32_t region);
/* Into the run. */
void count_lines_put(struct counting *counting);

#endif

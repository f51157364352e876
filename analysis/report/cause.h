/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_CAUSE_H
#define MEMSEARCH_REPORT_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/report/array_facts.h"

/*
 * Causes: the findings and candidates of a run grouped by the change of the program that fixes
 * them. All that is found of the same arrays in the same loops is one cause with one remedy, which
 * the strides, the kinds of misses and the use of cache lines decide; what is no memory access is a
 * cause by itself. Not here: how a cause is printed (report_answer.c).
 *
 * To add a kind: 1. its row in CAUSE_LIST; 2. the condition under which it holds, in `diagnose`
 * (cause_kind.c); 3. its words in cause_words.c.
 */
struct arena;

/*  X(ID, name in JSON, title) */
/* clang-format off */
#define CAUSE_LIST(X) \
	X(FALSE_SHARING, "false_sharing", "false sharing") \
	X(TRUE_SHARING, "true_sharing", "threads write the same data") \
	X(COMMUNICATION, "communication", "transfers between cores") \
	X(REMOTE_MEMORY, "remote_memory", "memory of another NUMA node") \
	X(SHARED_READ_ONLY, "shared_read_only", "several NUMA nodes read the same pages") \
	X(HUGE_PAGES, "huge_pages", "huge pages with parts of several NUMA nodes") \
	X(LOOP_ORDER, "loop_order", "strided access") \
	X(TRANSPOSITION, "transposition", "transposed access") \
	X(NARROW_BLOCKS, "narrow_blocks", "narrow blocks") \
	X(LAYOUT, "layout", "few bytes used of each cache line") \
	X(CONFLICTS, "conflicts", "cache conflicts") \
	X(ATOMICS, "atomic_updates", "atomic updates") \
	X(IRREGULAR, "irregular_access", "irregular access") \
	X(BANDWIDTH, "bandwidth", "streaming from memory") \
	X(REUSE, "reuse", "data leaves the cache between uses") \
	X(PROPERTY, "property", NULL)
/* clang-format on */

enum cause_kind {
#define X(id, name, title) CAUSE_##id,
	CAUSE_LIST(X)
#undef X
		CAUSE_KINDS
};

struct cause_array {
	uint32_t array;  /* of run->arrays */
	uint32_t region; /* the loop or construct in which it is found */
	const struct array_facts *facts;
	struct array_pattern pattern;
	double low, high; /* share of the phase's time, at least and at most */
};

#define CAUSE_ONCE 0.05
struct cause {
	enum cause_kind kind;
	double low, high; /* share of the phase's time that goes to it */
	/*
	 * part of the phase's time in the constructs of its arrays, or of its node; NAN: not known
	 */
	double share;
	/*
	 * streaming: part of the bytes that come from memory which come more than once in an execution of
	 * the phase; below CAUSE_ONCE fusing or blocking loops gains nothing. NAN: not known
	 */
	double again;
	size_t nr_constructs;             /* in which its arrays, or its property, are found */
	uint32_t region;                  /* the loop or construct of its worst node */
	const struct run_node *worst;     /* the node with the highest severity */
	const struct cause_array *arrays; /* with the most to gain first */
	size_t nr_arrays, room_arrays;
	/* all that is found of it, worst first: the evidence */
	const struct run_node *const *nodes;
	size_t nr_nodes, room_nodes;
};

/*
 * Of the machine that the program ran on, or of the modelled one. Most to gain first; in the arena.
 */
size_t causes_of(struct arena *arena, const struct run *run, bool of_model,
		 const struct cause **out);
/* The construct that a loop or data structure is part of; any other region is that itself. */
uint32_t cause_construct(const struct run *run, uint32_t region);
/* Gain to rank by: the lower bound, and a third of the uncertain part. */
double cause_gain(double low, double high);
/* The same of a finding or candidate. */
double cause_node_gain(const struct run_node *node);
/*
 * The same of a cause. Contiguous accesses that find their lines in another cache count with the
 * least: prefetchers and other instructions overlap nearly all that they may wait.
 */
double cause_worth(const struct cause *cause);

const char *cause_name(enum cause_kind kind);
/* In the arena or constant: a short phrase; why it is slow; what to change. `why` may be NULL. */
const char *cause_title(struct arena *arena, const struct cause *cause);
const char *cause_why(struct arena *arena, const struct run *run, const struct cause *cause);
const char *cause_remedy(struct arena *arena, const struct run *run, const struct cause *cause);
/* The same text, and what it tells to do, as a word for programs: a constant of memsearch-report-1. */
struct cause_remedy {
	const char *action, *text;
};
struct cause_remedy cause_remedy_of(struct arena *arena, const struct run *run,
				    const struct cause *cause);
/*
 * The loop of the hottest access and those around it, innermost first, as a remedy names them. Returns
 * how many; 0: it is about no array's loop.
 */
#define CAUSE_LOOPS 3
size_t cause_loops(const struct run *run, const struct cause *cause,
		   const struct source *loops[CAUSE_LOOPS], size_t most);
/* What else the evidence says, in a line; NULL: nothing. */
const char *cause_also(struct arena *arena, const struct run *run, const struct cause *cause);
/* "temp", "rho, flux", "a, b and 3 more"; NULL: it is about no array. */
const char *cause_arrays(struct arena *arena, const struct run *run, const struct cause *cause);
/*
 * The line where most of it happens: of the hottest access, else of the samples, else of the
 * region. NULL: not known.
 */
const struct source *cause_line(const struct run *run, const struct cause *cause);
/* Of a cause in serial code, where most samples of it are. NULL: it is no such cause, or spread. */
const struct run_hotspot *cause_serial_spot(const struct run *run, const struct cause *cause);

/*
 * Where it is in several regions, their lines: "swim.c:120, swim.c:157"; NULL: in one, or they are
 * not known.
 */
const char *cause_lines(struct arena *arena, const struct run *run, const struct cause *cause);

/*
 * From evidence to the kind of one array's cause (cause_kind.c). `around`: other arrays of the same
 * loop.
 */
struct cause_evidence {
	const struct run *run;
	const struct cause_array *array;
	const struct run_node *const *nodes; /* of the array in the construct */
	size_t nr_nodes;
	/* another array is accessed contiguously in the same loop */
	bool beside_contiguous;
};
enum cause_kind cause_kind_of(const struct cause_evidence *evidence);
/*
 * What a property of a region as a whole is about: it is evidence of an array's cause there, of any
 * kind or of one that costs the same.
 */
enum cause_about { CAUSE_ABOUT_OTHER, CAUSE_ABOUT_MEMORY, CAUSE_ABOUT_SHARING, CAUSE_ABOUT_NODES };
enum cause_about cause_about(const char *property);
bool cause_is_about(enum cause_kind kind, enum cause_about about);

#endif

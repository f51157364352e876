/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_ARRAYS_H
#define MEMSEARCH_RECORD_RUN_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/debuginfo/source.h"
#include "memsearch/property.h"

/* Data structures of a run (run.h), and which thread touched their pages first. */
struct run;

struct run_site {
	struct code_address address; /* return address of the allocation */
	struct source source;        /* filled when resolved */
};

/*
 * A data structure of the program, by the name the programmer gave it. Heap blocks of one
 * allocation site are one.
 */
struct run_array {
	uint32_t id;
	/*
	 * id + 1 of the array that it is a range of, whose accesses in it count here; 0: it is
	 * none. Set only in the process that requested the range
	 */
	uint32_t whole;
	/* "static", "common", "module", "heap", "stack", "thread_private", "automatic" */
	const char *kind;
	const char *name; /* COMMON members "block/member"; "" unknown */
/* … of heap blocks below the size of those that are arrays of their own */
#define RUN_SMALL_BLOCKS "small heap blocks"
	const char *type; /* of an element; "" unknown */
	/* as declared: "[1335][1335]", "(0:1334,1335)"; "" a scalar, or unknown */
	const char *shape;
	/* of the declaration, or of the allocation; "" unknown */
	const char *file;
	int line;               /* 0 unknown */
	const char *module;     /* path of the file it is in; "" heap, stacks */
	uint32_t element_bytes; /* 0 unknown */
	uint64_t bytes;         /* of its largest state */
	uint64_t blocks, live_blocks;
	struct code_address site;  /* heap: return address of the allocation */
	struct source site_source; /* filled when resolved */
	/* in memory at the end, by the process's page table … */
	uint64_t resident_bytes;
	enum ms_missing resident_why; /* … unless this says why that is not known */
	/* heap: calls that led to the site, outermost first, as far as they are known */
	size_t nr_path;
	struct code_address *path; /* return addresses */
	/* the same with those that were inlined, filled when resolved */
	size_t nr_callers;
	struct source *callers;
	/* small heap blocks: further sites that allocated many of them, descending */
	size_t nr_further;
	struct run_site *further;
};

/* Only blocks below the threshold of those that are recorded were allocated at its site. */
static inline bool run_array_is_empty(const struct run_array *array)
{
	return array->site.module != UINT32_MAX && !array->blocks && !array->bytes;
}

/* The array that was declared or allocated: itself, or that which it is a range of. */
static inline uint32_t run_array_declared(const struct run_array *arrays, uint32_t array)
{
	return arrays[array].whole ? arrays[array].whole - 1 : array;
}

/* Whether ranges of it are arrays of their own. `nr`: of arrays. */
static inline bool run_array_is_divided(const struct run_array *arrays, size_t nr, uint32_t array)
{
	/* ranges come last */
	while (nr && arrays[nr - 1].whole && arrays[nr - 1].whole != array + 1)
		nr--;
	return nr && arrays[nr - 1].whole;
}

static inline bool run_array_is_stack(const struct run_array *array)
{
	return array->kind && !strcmp(array->kind, "stack");
}

/* Consecutive pages of the system's page size; the address is in the process. */
struct run_pages {
	uint64_t address, pages;
};

/*
 * Pages of an array that one thread was the first to touch, from one instruction in one region.
 * `before`: pages that were in memory when memsearch started, touched by the initial thread
 * (RUN_THREAD_UNKNOWN: there were others) at an unknown place. `by_kernel`: pages that no
 * instruction of the program faulted: system calls such as read wrote them, or the kernel made a
 * huge page.
 */
#define RUN_THREAD_UNKNOWN UINT32_MAX
struct run_touch {
	uint32_t array, thread;
	/* where the thread was last seen by then, or RUN_PLACE_UNKNOWN */
	uint32_t node;
	uint32_t region; /* MS_REGION_NONE: not known */
	bool before, by_kernel;
	struct code_address address, leaf; /* as in struct run_hotspot */
	bool is_return;
	/*
	 * page faults whose address lies in the array; 0 where a neighbour's brought its pages, too
	 */
	uint64_t faults;
	/*
	 * of the system's page size, of which at least a part is the array's; each is counted once
	 */
	uint64_t pages;
	uint64_t bytes;       /* of the array, in these pages */
	struct source source; /* filled when resolved */
	/*
	 * pages whose addresses are known, by address; one page in `every` stands for its
	 * neighbours. 0: not kept
	 */
	uint64_t every;
	size_t nr_ranges;
	struct run_pages *ranges;
};

/* How first touches were observed. */
struct run_touching {
	uint64_t page_bytes; /* 0: page faults were not sampled */
	uint64_t faults;     /* seen */
	uint64_t lost;       /* not seen: the kernel's ring was full */
	uint64_t nobodys;    /* of those seen: in none of the arrays */
	/* of those seen: counted, not sampled one by one, as a thread had many at once */
	uint64_t others;
	double read_ns; /* what reading the declarations took */
};

/* A metric of an array in all regions and on all threads; 0: no rows. */
double run_array_sum(const struct run *run, uint32_t array, uint32_t metric);
/*
 * Part of what was written of the array, as far as that is known, whose first touches were seen; 1:
 * also where it has, or had, several blocks.
 */
double run_touched_part(const struct run *run, uint32_t array);
#define RUN_TOUCHED_LEAST 0.5 /* to tell who touched it first */

#endif

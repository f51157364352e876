/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_RESULT_CACHE_H
#define MEMSEARCH_SIMULATION_RESULT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Cache of simulation results, in a file beside the record: "prog.ms.kept" of "prog.ms". A result
 * is the run after counting and simulation, as bytes of a record, under a key of all inputs. All
 * numbers are little-endian:
 *
 *     header  | magic 8 | version u32 |
 *     entry   | record u64 | question u64 | payload bytes u32 | CRC-32C u32 | payload |
 *     entry   …                             (newest first; the CRC covers head and payload)
 *     payload | threads varint | begins word | pages | record |
 *     pages   | nodes varint, 0: none were kept | page bytes varint | rows varint | row …
 *     row     | array, address, offset, home | lines by node | rows that continue it | varints; a row
 *             that continues is the next page, and equal otherwise
 *
 * No SQLite: results are read and replaced as a whole, and checked as records are (run_check). The
 * file is replaced atomically: readers see the old file, the new one, or none; of two concurrent
 * writers one is lost. Without O_TMPFILE a killed process may leave "prog.ms.kept.new", which the
 * next writer removes. Failures are no errors: the simulation is repeated.
 */
struct arena;
struct machine_model;
struct page_uses;
struct run;

#define RESULTS_SUFFIX ".kept"
#define RESULTS_NEW_SUFFIX ".new" /* after that suffix */
#define RESULTS_MOST 8            /* in a file … */
/* … and its maximal size; the oldest results are removed first */
#define RESULTS_BYTES ((size_t)64 << 20)

struct results_key {
	uint64_t record;   /* hash of the record, and of the run read from it */
	uint64_t question; /* hash of model, options and program version */
};

/*
 * The key of the run read from the record at `path`, simulated on the model with `options` (texts
 * of the user, NULL: unset). The number of simulating threads and the model's clock frequency do
 * not change results. False: the record cannot be read.
 */
bool results_key(struct arena *arena, const char *path, const struct run *run,
		 const struct machine_model *model, const char *const *options, size_t nr,
		 struct results_key *out);

/*
 * The stored run and the number of simulated threads; without modelled.placement, .thread_cores and
 * .title. `pages`: gets the pages by node, without the model, in the arena; NULL: not wanted. False: no
 * valid result, or none with pages; *run is unchanged. Reads only files of this user or of the
 * record's owner.
 */
bool results_find(struct arena *arena, const char *path, const struct results_key *key,
		  struct run *run, struct page_uses *pages, uint32_t *threads_out);

/* Stores a result, with sorted pages unless they are NULL. Does not replace a file that is no cache of results. */
void results_keep(struct arena *arena, const char *path, const struct results_key *key,
		  const struct run *run, const struct page_uses *pages, uint32_t threads);

#endif

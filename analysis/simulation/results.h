/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_RESULTS_H
#define MEMSEARCH_SIMULATION_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Results of simulations, kept in a file beside the record: "prog.ms.kept" of "prog.ms". Each is the run when its accesses had been counted and simulated, as a
 * record's bytes, under a key of all that this depends on. All numbers little-endian:
 *
 *     header  | magic 8 | version u32 |
 *     entry   | record u64 | question u64 | payload bytes u32 | CRC-32C of these and the payload u32 | payload |      the newest first
 *     payload | threads varint | begins word | record |
 *
 * No SQLite: a result is read and replaced as a whole, and a record's bytes are checked as such when they are read (run_check). The file is replaced as a whole,
 * too, so a reader sees all of an old one, or of a new one, or none; of two who write at once one is lost. A process that is killed leaves nothing else behind; where the
 * file system has no files without names (O_TMPFILE), it may leave "prog.ms.kept.new", which the next one to keep a result removes. Nothing here is an error: without the file it is simulated again.
 */
struct arena;
struct machine_model;
struct run;

#define RESULTS_SUFFIX ".kept"
#define RESULTS_NEW_SUFFIX ".new"        /* behind that one */
#define RESULTS_MOST 8                   /* in a file … */
#define RESULTS_BYTES ((size_t)64 << 20)         /* … and its size; what was kept longest ago goes first */

struct results_key {
	uint64_t record;                 /* the whole record, and the run as it was read from it */
	uint64_t question;               /* the model, what was asked for, and the program that simulates */
};

/*
 * The run, as read from the record at `path`, simulated on the model as `options` say: words of the user, NULL where there are none. Threads that simulate and
 * the model's clock change no result. False: it cannot be known.
 */
bool results_key(struct arena *arena, const char *path, const struct run *run, const struct machine_model *model, const char *const *options, size_t nr, struct results_key *out);

/*
 * The run as it was when that was kept, and the threads that were simulated; without modelled.placement, .thread_cores and .title. False: nothing is kept that is sound, and *run
 * is as it was. A file that belongs neither to this user nor to the record's owner is not read.
 */
bool results_find(struct arena *arena, const char *path, const struct results_key *key, struct run *run, uint32_t *threads_out);

/* Keeps it. What is no file of results stays as it is. */
void results_keep(struct arena *arena, const char *path, const struct results_key *key, const struct run *run, uint32_t threads);

#endif

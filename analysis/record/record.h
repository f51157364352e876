/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_H
#define MEMSEARCH_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "memsearch/status.h"

/*
 * The record: an append-only file that a run leaves behind, readable up to its
 * last whole entry after kill -9, a full disk or a cut. Entries are length,
 * type, CRC-32C and payload, little-endian; a later entry of the same key
 * replaces an earlier one. Not the store (analysis/store), which is SQLite.
 *
 * The writer runs inside the user's program at phase boundaries, on one thread at
 * a time: no malloc, write(2) only, one write per record_flush. When writing
 * fails (disk full, quota) it logs one line, keeps what is on disk valid,
 * and every later call does nothing and returns MS_ERR_IO.
 */
struct arena;
struct record;

/*
 * Creates `path`; if there is such a file already, path-2, path-3 …. If its folder cannot be
 * written, $TMPDIR or /tmp with one line saying so. NULL: nothing can be written anywhere, one line
 * has been logged. `path_out` gets the name in use, in the arena.
 */
struct record *record_create(struct arena *arena, const char *path, const char **path_out);

/*
 * The same for a file that the user named: an old record there is replaced (unless a live
 * process is writing it: then the name gets a number), an empty file is used, anything else is
 * left alone: NULL, one line has been logged.
 */
struct record *record_replace(struct arena *arena, const char *path, const char **path_out);

/*
 * Writes whatever of `run` is new or changed since the last call (the writer keeps
 * its own marks by index and content hash), then flushes. Call it at every search
 * step and at the end.
 */
enum ms_status record_update(struct record *record, const struct run *run);
/* A piece of the trace (analysis/trace/trace_pieces.h), at once. */
enum ms_status record_trace(struct record *record, const uint8_t *bytes, size_t nr);
/* The results of another phase of the program (run->phases); at its end. */
enum ms_status record_phase(struct record *record, uint32_t number, const struct run *run);
/* update, end mark, close */
enum ms_status record_close(struct record *record, const struct run *run);
/* in a forked child: forget it, touch nothing on disk */
void record_abandon(struct record *record);
uint64_t record_bytes(const struct record *record);

/*
 * Reads a record into *run. MS_OK also for one that was cut (run->complete false
 * and `bytes_ignored_out` > 0). MS_ERR_FORMAT: not a record at all,
 * or an invalid one (run_check); MS_ERR_VERSION:
 * of another version; MS_ERR_IO: cannot be read. The cause has been logged.
 */
enum ms_status record_read(struct arena *arena, const char *path, struct run *run,
			   uint64_t *bytes_ignored_out);

/* The same of bytes in memory; `name` stands in messages. Strings are copied to the arena. */
enum ms_status record_parse(struct arena *arena, const char *name, const uint8_t *bytes, size_t nr,
			    struct run *run, uint64_t *bytes_ignored_out);

/*
 * The reverse: a whole record of the run, without a trace, as bytes in the arena. MS_ERR_MEMORY;
 * nothing has been logged.
 */
enum ms_status record_format(struct arena *arena, const struct run *run, const uint8_t **bytes_out,
			     size_t *nr_out);

/* The run of another phase (record_phase). MS_ERR_NOT_FOUND: it has none of that number. */
enum ms_status record_read_phase(struct arena *arena, const char *path, uint32_t number,
				 struct run *run);

/*
 * The trace's pieces of a record that can be read, in their order, till `visit` returns false; in
 * the arena.
 */
enum ms_status record_traces(struct arena *arena, const char *path,
			     bool (*visit)(void *ctx, const uint8_t *bytes, size_t nr), void *ctx);

/* True if the file begins like a record; for "takes either wherever it asks for data". */
bool record_is(const char *path);
/* The process that began the record, in its PID namespace; 0: it is no record. */
uint32_t record_writer(const char *path);

#endif

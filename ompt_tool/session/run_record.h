/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_RUN_RECORD_H
#define MEMSEARCH_SESSION_RUN_RECORD_H

/*
 * The record (NAME.ms) of this run: description of program and machine, and updates while the
 * program runs, so that results survive kill -9. finish.c completes it.
 */
struct record;
struct search;

/* Writes program, machine and settings to the run. Keeps `runtimes`. */
void run_record_begin(const char *runtimes);
/*
 * NULL: it cannot be written (a warning was logged). Replaces the record of an earlier run if the
 * user gave its name.
 */
struct record *run_record_open(void);
/* Writes traces of accesses recorded from now on to the record. */
void run_record_keep_traces(void);
/* Writes the results so far, at intervals that grow with the length of the run. */
void run_record_update(const struct search *search);

#endif

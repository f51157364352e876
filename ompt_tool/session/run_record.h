/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_RUN_RECORD_H
#define MEMSEARCH_SESSION_RUN_RECORD_H

/*
 * The record (NAME.ms) of this run: what it says of program and machine, and its growth while the
 * program runs, so that what was found survives kill -9. finish.c completes it.
 */
struct record;
struct search;

/* Program, machine and settings, into the run. `runtimes` is kept. */
void run_record_begin(const char *runtimes);
/*
 * NULL: it cannot be written (one line was logged). A name that the user gave replaces the record
 * of an earlier run.
 */
struct record *run_record_open(void);
/* Accesses that are recorded from now on go to the record. */
void run_record_keep_traces(void);
/* What was found so far, seldom enough for a run of days. */
void run_record_update(const struct search *search);

#endif

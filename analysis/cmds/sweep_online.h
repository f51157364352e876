/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SWEEP_ONLINE_H
#define MEMSEARCH_CMDS_SWEEP_ONLINE_H

#include "analysis/sweep/outputs.h"

/*
 * `memsearch sweep --online`: runs in which the number of threads varies. Their standard output is
 * compared with that of runs without memsearch; the tool in the program leaves a record for each
 * number (ompt_tool/session/varying.h).
 */
struct arena;
struct sweep_plan;

/* Numbers of threads for OPTIONS_VARIED_THREADS, the greatest first. In the arena. */
const char *sweep_online_counts(struct arena *arena, const struct sweep_plan *plan);
/* Name of the record of one of them, where `record` is that of the run. In the arena. */
const char *sweep_online_record(struct arena *arena, const char *record, unsigned int threads);

/* An open file without a name, on the file system of `folder`. -1: after a message. */
int sweep_online_file(struct arena *arena, const char *folder);
/* Such a file's last bytes, as many as there is room for, with a zero behind them. */
void sweep_online_end_of(int file, char *out, size_t room);
/* All of it, on stderr. */
void sweep_online_show(int file);
struct outputs_difference sweep_online_compare(struct arena *arena, const int alone[2], int varied);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_PROGRESS_H
#define MEMSEARCH_CMDS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One line on stderr of how far a simulation is and how long it still takes, rewritten in place:
 * only on a terminal, and only where it takes longer than a second. One at a time. Times are of
 * thread_clock_ns. SIGINT erases the line on its way, unless the process ignores or handles it.
 */
struct progress {
	uint64_t begin_ns;
	bool wanted, shown;
};

void progress_begin(struct progress *progress, uint64_t now_ns);
/* `part` of all is done, 0 … 1. */
void progress_show(struct progress *progress, double part, uint64_t now_ns);
/* "12 s", "3 min" */
void progress_duration(double seconds, char *out, size_t room);
/* Erases the line. */
void progress_end(struct progress *progress);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SWEEP_PROGRESS_H
#define MEMSEARCH_CMDS_SWEEP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How far a sweep is, on stderr: one line that is rewritten on a terminal, else one line for each
 * run. Times are of thread_clock_ns.
 */
struct sweep_progress {
	uint64_t begin_ns;
	size_t done, all; /* runs */
	bool terminal, brief;
};

void sweep_progress_begin(struct sweep_progress *progress, size_t all);
/* The run that `words` name begins. */
void sweep_progress_run(const struct sweep_progress *progress, const char *words);
/* It has ended. `took_ns`: of the program. */
void sweep_progress_ran(struct sweep_progress *progress, const char *words, double took_ns);
/* Call before any other line is printed. */
void sweep_progress_erase(const struct sweep_progress *progress);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_WATCH_STATE_H
#define MEMSEARCH_CMDS_WATCH_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a search, as text for a terminal and line by line. */
struct run;
struct text;

/* Program, time, cost, current experiment, findings and graph. `running`: it has not ended. */
void watch_state_print(struct text *out, const struct run *run, bool running, int width);

/*
 * A line for each verdict that differs from `seen`, states by node, of `nr` nodes; then copies the
 * states to it. `seen` has room for run->nr_nodes.
 */
void watch_state_changes(struct text *out, const struct run *run, uint8_t *seen, size_t nr,
			 int width);

#endif

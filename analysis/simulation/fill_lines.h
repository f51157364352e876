/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_FILL_LINES_H
#define MEMSEARCH_SIMULATION_FILL_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct machine_model;
struct trace_stream;

/*
 * Accesses in streams that stand for data which is not simulated: one to each of a number of adjacent
 * lines. They count for no region.
 */

/* Of the first level: the one that accesses go by. */
uint32_t fill_line(const struct machine_model *model);
/*
 * Lines of the largest cache that does not hold `bytes`, which `threads` threads share, as far as they
 * are the thread's; 0: all do. `cores`: of the model, by thread; NULL: thread i runs on core i.
 */
uint64_t fill_capacity(const struct machine_model *model, const uint32_t *cores, uint32_t thread,
		       uint32_t threads, double bytes);
/* Stretches of one access, the same in all streams; zeroed at first. */
struct fill_stretches {
	uint32_t reading, writing;
};
bool fill_begin(struct fill_stretches *stretches); /* false: no memory */
#define FILL_PERIOD 4 /* lines, of which `written` are written, the others read */
void fill_lines(const struct fill_stretches *stretches, struct trace_stream *stream,
		uint64_t address, uint32_t line, uint64_t lines, uint32_t written);

#endif

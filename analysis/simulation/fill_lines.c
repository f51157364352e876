/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that stand for others. */
#include "analysis/simulation/fill_lines.h"

#include <math.h>

#include "analysis/machine/model.h"
#include "analysis/trace/record_rows.h"
#include "analysis/trace/stream.h"

#define SURE 1.25 /* more than the cache has, as not all its sets get the same number */

uint32_t fill_line(const struct machine_model *model)
{
	return model->cache[0].line ? model->cache[0].line : 64;
}

static uint32_t core_of(const uint32_t *cores, uint32_t thread)
{
	return cores ? cores[thread] : thread;
}

uint64_t fill_capacity(const struct machine_model *model, const uint32_t *cores, uint32_t thread,
		       uint32_t threads, double bytes)
{
	double most = 0;

	for (size_t level = 0; level < MODEL_LEVELS; level++) {
		uint64_t capacity = model->cache[level].bytes;
		uint32_t sharing = 0, of = model->cache[level].cores;

		if (!capacity || !of)
			continue;
		for (uint32_t i = 0; i < threads; i++)
			sharing += core_of(cores, i) / of == core_of(cores, thread) / of;
		if (bytes / threads * sharing > (double)capacity)
			most = fmax(most, SURE * (double)capacity / sharing);
	}
	return (uint64_t)most / fill_line(model);
}

static uint32_t stretch_of(uint32_t bytes, bool write)
{
	struct record_site site = { .size = bytes, .base_word = 1, .read = !write, .write = write };
	struct record_stretch row = { .nr_sites = 1, .words = 1 };

	row.first_site = record_rows_add_site(&site);
	return row.first_site == UINT32_MAX ? 0 : record_rows_add_stretch(&row);
}

bool fill_begin(struct fill_stretches *stretches)
{
	if (!stretches->reading)
		stretches->reading = stretch_of(8, false);
	if (!stretches->writing)
		stretches->writing = stretch_of(8, true);
	return stretches->reading && stretches->writing;
}

void fill_lines(const struct fill_stretches *stretches, struct trace_stream *stream,
		uint64_t address, uint32_t line, uint64_t lines, uint32_t written)
{
	uint64_t words[4 * FILL_PERIOD];

	/* a period, and the next one */
	for (uint32_t i = 0; i < 2 * FILL_PERIOD; i++) {
		words[2 * i] = i % FILL_PERIOD < written ? stretches->writing : stretches->reading;
		words[2 * i + 1] = address + (uint64_t)i * line;
	}
	if (lines >= FILL_PERIOD)
		trace_stream_again(stream, words, 2 * FILL_PERIOD, lines / FILL_PERIOD);
}

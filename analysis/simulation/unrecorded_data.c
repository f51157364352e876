/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the caches with what was not recorded between two recorded parts. */
#include "analysis/simulation/unrecorded_data.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "analysis/simulation/fill_lines.h"
#include "analysis/simulator/simulator.h"
#include "analysis/trace/stream.h"
#include "memsearch/region.h"

/* Of a thread: no program on Linux has data there by default. The next thread's is 64 GiB on. */
#define BASE (UINT64_C(1) << 44)
#define OF_THREAD (UINT64_C(1) << 36)
#define PAGE 4096

/* with what it stands for */
struct of_array {
	double bytes, written;
};

struct unrecorded_data {
	const struct run *run;
	const struct machine_model *model;
	const uint32_t *cores;
	struct of_array *arrays; /* by array; the last one: what belongs to none */
	struct fill_stretches stretches;
	uint64_t plays;
};

struct unrecorded_data *unrecorded_data_new(struct arena *arena, const struct run *run,
					    const struct machine_model *model,
					    const uint32_t *cores)
{
	struct unrecorded_data *data = arena_alloc(arena, sizeof(*data));

	if (!data)
		return NULL;
	*data = (struct unrecorded_data){
		.run = run,
		.model = model,
		.cores = cores,
		.arrays = arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*data->arrays)),
	};
	return data->arrays ? data : NULL;
}

void unrecorded_data_add(struct unrecorded_data *data, uint32_t array, double lines, double times,
			 bool written)
{
	struct of_array *to =
		&data->arrays[array < data->run->nr_arrays ? array : data->run->nr_arrays];

	lines *= fmax(1, times);
	to->bytes += lines * fill_line(data->model);
	to->written += written ? lines * fill_line(data->model) : 0;
}

static double bytes_of(const struct unrecorded_data *data, size_t array)
{
	double bytes = data->arrays[array].bytes,
	       most = array < data->run->nr_arrays ? (double)data->run->arrays[array].bytes : 0;

	return most > 0 ? fmin(bytes, most) : bytes;
}

/* Of all arrays that were added, with what they stand for; the threads share them. */
static double all_bytes(const struct unrecorded_data *data)
{
	double bytes = 0;

	for (size_t i = 0; i <= data->run->nr_arrays; i++)
		bytes += bytes_of(data, i);
	return bytes;
}

/* Lines of a period that are written: as many as of the program's. */
static uint32_t written_of(const struct unrecorded_data *data)
{
	double written = 0, all = 0;

	for (size_t i = 0; i <= data->run->nr_arrays; i++) {
		written += data->arrays[i].written;
		all += data->arrays[i].bytes;
	}
	return all > 0 ? (uint32_t)lround(FILL_PERIOD * written / all) : 0;
}

bool unrecorded_data_play(struct unrecorded_data *data, struct trace_streams *streams,
			  uint64_t *nr_pages_out)
{
	uint64_t lines[SIMULATOR_MAX_THREADS] = { 0 };
	double bytes = all_bytes(data);
	bool any = false;

	*nr_pages_out = 0;
	for (uint32_t i = 0; i < streams->threads; i++) {
		lines[i] = fill_capacity(data->model, data->cores, i, streams->threads, bytes);
		any |= lines[i] > 0;
	}
	if (!any || !fill_begin(&data->stretches))
		return false;
	data->plays++;
	for (uint32_t i = 0; i < streams->threads; i++) {
		struct trace_stream *stream = &streams->streams[i];

		trace_stream_team(stream, UINT64_MAX - data->plays, i);
		trace_stream_part(stream, MS_REGION_NONE, 0, UINT64_MAX);
		fill_lines(&data->stretches, stream, BASE + i * OF_THREAD, fill_line(data->model),
			   lines[i], written_of(data));
		trace_stream_team_end(stream);
		*nr_pages_out += lines[i] * fill_line(data->model) / PAGE;
	}
	return true;
}

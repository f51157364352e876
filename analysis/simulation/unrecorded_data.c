/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the caches with what was not recorded between two recorded parts. */
#include "analysis/simulation/unrecorded_data.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "analysis/trace/record_rows.h"
#include "analysis/trace/stream.h"
#include "memsearch/region.h"

/* Of a thread: no program on Linux has data there by default. The next thread's is 64 GiB on. */
#define BASE (UINT64_C(1) << 44)
#define OF_THREAD (UINT64_C(1) << 36)
#define PERIOD 4  /* lines, of which as many are written as of the program's */
#define SURE 1.25 /* more than the cache has, as not all its sets get the same number */
#define PAGE 4096

/* with what it stands for */
struct of_array {
	double bytes, written;
};

struct unrecorded_data {
	const struct run *run;
	const struct machine_model *model;
	const uint32_t *cores;
	struct of_array *arrays;   /* by array; the last one: what belongs to none */
	uint32_t reading, writing; /* stretches of one access to a line; 0: none yet */
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

static uint32_t line_of(const struct machine_model *model)
{
	return model->cache[0].line ? model->cache[0].line : 64;
}

void unrecorded_data_add(struct unrecorded_data *data, uint32_t array, double lines, double times,
			 bool written)
{
	struct of_array *to =
		&data->arrays[array < data->run->nr_arrays ? array : data->run->nr_arrays];

	lines *= fmax(1, times);
	to->bytes += lines * line_of(data->model);
	to->written += written ? lines * line_of(data->model) : 0;
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

/* Lines of a period that are written. */
static uint32_t written_of(const struct unrecorded_data *data)
{
	double written = 0, all = 0;

	for (size_t i = 0; i <= data->run->nr_arrays; i++) {
		written += data->arrays[i].written;
		all += data->arrays[i].bytes;
	}
	return all > 0 ? (uint32_t)lround(PERIOD * written / all) : 0;
}

static uint32_t core_of(const struct unrecorded_data *data, uint32_t thread)
{
	return data->cores ? data->cores[thread] : thread;
}

/* Bytes that a thread accesses, so that each of its caches that does not hold all is filled. */
static double bytes_to_play(const struct unrecorded_data *data, uint32_t thread, uint32_t threads)
{
	double bytes = all_bytes(data), play = 0;

	for (size_t level = 0; level < MODEL_LEVELS; level++) {
		uint64_t capacity = data->model->cache[level].bytes;
		uint32_t cores = data->model->cache[level].cores, sharing = 0;

		if (!capacity || !cores)
			continue;
		for (uint32_t i = 0; i < threads; i++)
			sharing += core_of(data, i) / cores == core_of(data, thread) / cores;
		if (bytes / threads * sharing > (double)capacity)
			play = fmax(play, SURE * (double)capacity / sharing);
	}
	return play;
}

static uint32_t stretch_of(uint32_t bytes, bool write)
{
	struct record_site site = { .size = bytes, .base_word = 1, .read = !write, .write = write };
	struct record_stretch row = { .nr_sites = 1, .words = 1 };

	row.first_site = record_rows_add_site(&site);
	return row.first_site == UINT32_MAX ? 0 : record_rows_add_stretch(&row);
}

static bool has_stretches(struct unrecorded_data *data)
{
	if (!data->reading)
		data->reading = stretch_of(8, false);
	if (!data->writing)
		data->writing = stretch_of(8, true);
	return data->reading && data->writing;
}

static void play_lines(const struct unrecorded_data *data, struct trace_stream *stream,
		       uint64_t lines)
{
	uint32_t line = line_of(data->model), written = written_of(data);
	uint64_t words[4 * PERIOD], at = BASE + stream->thread * OF_THREAD;

	/* a period, and the next one */
	for (uint32_t i = 0; i < 2 * PERIOD; i++) {
		words[2 * i] = i % PERIOD < written ? data->writing : data->reading;
		words[2 * i + 1] = at + (uint64_t)i * line;
	}
	trace_stream_again(stream, words, 2 * PERIOD, lines / PERIOD);
}

bool unrecorded_data_play(struct unrecorded_data *data, struct trace_streams *streams,
			  uint64_t *nr_pages_out)
{
	bool any = false;

	*nr_pages_out = 0;
	for (uint32_t i = 0; i < streams->threads; i++)
		any |= bytes_to_play(data, i, streams->threads) > 0;
	if (!any || !has_stretches(data))
		return false;
	data->plays++;
	for (uint32_t i = 0; i < streams->threads; i++) {
		struct trace_stream *stream = &streams->streams[i];
		double bytes = bytes_to_play(data, i, streams->threads);

		trace_stream_team(stream, UINT64_MAX - data->plays, i);
		trace_stream_part(stream, MS_REGION_NONE, 0, UINT64_MAX);
		if (bytes > 0)
			play_lines(data, stream, (uint64_t)bytes / line_of(data->model));
		trace_stream_team_end(stream);
		*nr_pages_out += (uint64_t)(bytes / PAGE);
	}
	return true;
}

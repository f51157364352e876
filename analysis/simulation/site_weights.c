/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of bursts by site. */
#include "analysis/simulation/site_weights.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/trace/stretch_rows.h"
#include "analysis/trace/stretches.h"

struct weighted_site {
	double accesses, weighted; /* of weighted regions in the current execution */
};

struct site_weights {
	const struct burst_weights *bursts;
	const struct trace_reader *reader;
	uint32_t nr_sites;
	struct weighted_site *sites;
};

struct site_weights *site_weights_new(struct arena *arena, const struct burst_weights *bursts,
				      const struct trace_reader *reader)
{
	struct site_weights *weights = arena_alloc(arena, sizeof(*weights));

	if (!weights)
		return NULL;
	*weights = (struct site_weights){ .bursts = bursts,
					  .reader = reader,
					  .nr_sites = trace_reader_sites(reader) };
	weights->sites = arena_alloc(arena, (weights->nr_sites + 1) * sizeof(*weights->sites));
	return weights->sites ? weights : NULL;
}

/* A string instruction counts as one access. */
static void add_words(struct site_weights *weights, const struct trace_entry *entry, double weight)
{
	double times = entry->kind == TRACE_AGAIN ? (double)entry->times : 1;

	for (uint32_t at = 0; at < entry->nr;) {
		const struct record_stretch *row = record_stretch(entry->words[at]);

		if (!row)
			return;
		for (uint32_t i = 0; i < row->nr_sites; i++) {
			uint32_t number;

			if (!trace_reader_site(weights->reader, row->first_site + i, &number))
				continue;
			weights->sites[number].accesses += times;
			weights->sites[number].weighted += times * weight;
		}
		at += 1 + row->words;
	}
}

static void read_stream(struct site_weights *weights, const struct traced_execution *of,
			const struct trace_stream *stream)
{
	struct trace at = stream->trace;
	struct trace_entry entry;
	uint64_t begin_ns = 0;
	double unit = 1, weight = 1;

	for (; trace_look(&at, &entry); trace_pass(&at)) {
		if (entry.kind != TRACE_MARK) {
			if (unit > 1)
				add_words(weights, &entry, weight / unit);
		} else if (entry.mark == TRACE_BURST) {
			begin_ns = entry.words[0];
		} else if (entry.mark == TRACE_PART) {
			uint32_t region = trace_reader_region(of, (uint32_t)entry.words[0]);

			unit = burst_weights_unit(weights->bursts, region);
			weight = burst_weights_of(weights->bursts, region, stream->thread,
						  begin_ns);
		}
	}
}

void site_weights_read(struct site_weights *weights, size_t execution,
		       const struct trace_streams *streams)
{
	const struct traced_execution *of = trace_reader_execution(weights->reader, execution);

	memset(weights->sites, 0, weights->nr_sites * sizeof(*weights->sites));
	for (uint32_t i = 0; of->nr_bursts && i < streams->threads; i++)
		if (trace_stream_is_begun(&streams->streams[i]))
			read_stream(weights, of, &streams->streams[i]);
}

double site_weights_of(const struct site_weights *weights, uint32_t region, uint32_t site)
{
	uint32_t number;

	if (!trace_reader_site(weights->reader, site, &number) ||
	    !(weights->sites[number].accesses > 0) ||
	    burst_weights_unit(weights->bursts, region) <= 1)
		return 1;
	return weights->sites[number].weighted / weights->sites[number].accesses;
}

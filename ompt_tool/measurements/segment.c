/* SPDX-License-Identifier: Apache-2.0 */
/* The shared segment: region table, request table and the buffer of summary rows. */
#define _GNU_SOURCE
#include "ompt_tool/measurements/segment.h"

#include <string.h>
#include <sys/mman.h>

#include "analysis/base/own_memory.h"

#define REQUESTS_MAX 65536
#define ROWS_MAX 4096

/*
 * All positions are offsets from the header, so that another process may map it at another address.
 */
struct segment {
	uint64_t bytes;
	uint64_t regions_at, requests_at, words_at, rows_at;
	uint64_t nr_requests, nr_rows;
};

/*
 * Scratch of segment_requests_apply: requested sensors of a region, one bit each, and the kinds of
 * its subregions.
 */
struct words {
	uint32_t own[MS_REGION_MAX], kinds[MS_REGION_MAX][MS_SENSORS];
};

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + 4095) & ~4095ull;
}

struct segment *segment_new(void)
{
	uint64_t regions_at = aligned(sizeof(struct segment));
	uint64_t requests_at = regions_at + aligned(region_table_bytes());
	uint64_t words_at = requests_at + aligned(REQUESTS_MAX * sizeof(struct ms_request));
	uint64_t rows_at = words_at + aligned(sizeof(struct words));
	uint64_t bytes = rows_at + aligned(ROWS_MAX * sizeof(struct ms_measurement));
	struct segment *segment = own_memory(bytes, MAP_SHARED);

	if (!segment)
		return NULL;
	*segment = (struct segment){ .bytes = bytes,
				     .regions_at = regions_at,
				     .requests_at = requests_at,
				     .words_at = words_at,
				     .rows_at = rows_at };
	region_table_init(segment_regions(segment));
	return segment;
}

void segment_free(struct segment *segment)
{
	if (segment)
		own_memory_give_back(segment, segment->bytes);
}

struct region_table *segment_regions(struct segment *segment)
{
	return (struct region_table *)((char *)segment + segment->regions_at);
}

static struct ms_request *requests_of(const struct segment *segment)
{
	return (struct ms_request *)((char *)segment + segment->requests_at);
}

static struct ms_measurement *rows_of(struct segment *segment)
{
	return (struct ms_measurement *)((char *)segment + segment->rows_at);
}

enum ms_status segment_requests_set(struct segment *segment, const struct ms_request *requests,
				    size_t nr)
{
	enum ms_status status = nr > REQUESTS_MAX ? MS_ERR_FULL : MS_OK;

	segment->nr_requests = nr > REQUESTS_MAX ? REQUESTS_MAX : nr;
	if (segment->nr_requests)
		memcpy(requests_of(segment), requests, segment->nr_requests * sizeof(*requests));
	return status;
}

size_t segment_requests(const struct segment *segment, const struct ms_request **out)
{
	*out = requests_of(segment);
	return segment->nr_requests;
}

static void ask(struct words *words, const struct ms_request *request, uint32_t sensor)
{
	words->own[request->region] |= 1u << sensor;
	if (request->flags & MS_REQUEST_SUBREGIONS)
		words->kinds[request->region][sensor] |= request->kinds ? request->kinds
									: UINT32_MAX;
}

/*
 * The request table as words, one a region. Threads and address ranges of a request narrow
 * what the search reads, not what is measured: a callback tests one word.
 */
static void collect(const struct segment *segment, struct words *words, uint32_t nr_regions)
{
	const struct ms_request *requests = requests_of(segment);

	/* later ones have never been written */
	memset(words->own, 0, nr_regions * sizeof(words->own[0]));
	memset(words->kinds, 0, nr_regions * sizeof(words->kinds[0]));
	for (size_t i = 0; i < segment->nr_requests; i++) {
		uint32_t region = requests[i].region, sensor;

		if (region >= nr_regions || requests[i].metric >= MS_METRICS)
			continue;
		sensor = ms_metric_info(requests[i].metric)->sensor;
		ask(words, &requests[i], sensor);
	}
}

/* A parent has a smaller number than its children, so one pass in order propagates everything. */
static uint32_t apply_to(struct region_table *table, const struct words *words, uint32_t id)
{
	struct region *region = region_table_at(table, id),
		      *above = region_table_at(table, region->parent);
	uint32_t wanted = words->own[id];

	for (int sensor = 0; sensor < MS_SENSORS; sensor++)
		__atomic_store_n(&region->subregion_kinds[sensor], words->kinds[id][sensor],
				 __ATOMIC_RELAXED);
	if (id != MS_REGION_USER) {
		wanted |= region_subregion_requests(above, region->kind);
		region_inherit(region, above);
	}
	__atomic_store_n(&region->requests, wanted, __ATOMIC_RELAXED);
	return wanted;
}

uint32_t segment_requests_apply(struct segment *segment)
{
	struct region_table *table = segment_regions(segment);
	struct words *words = (struct words *)((char *)segment + segment->words_at);
	uint32_t all = 0;

	collect(segment, words, region_table_count(table));
	/* the count is read again each time: regions made meanwhile may have taken the old words */
	for (uint32_t id = 0; id < region_table_count(table); id++)
		all |= apply_to(table, words, id);
	return all;
}

void segment_row(struct segment *segment, const struct ms_measurement *row, segment_drain *drain,
		 void *ctx)
{
	rows_of(segment)[segment->nr_rows++] = *row;
	if (segment->nr_rows == ROWS_MAX)
		segment_flush(segment, drain, ctx);
}

void segment_flush(struct segment *segment, segment_drain *drain, void *ctx)
{
	if (segment->nr_rows)
		drain(ctx, rows_of(segment), segment->nr_rows);
	segment->nr_rows = 0;
}

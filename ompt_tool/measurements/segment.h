/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MEASUREMENTS_SEGMENT_H
#define MEMSEARCH_MEASUREMENTS_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/request.h"
#include "memsearch/status.h"
#include "ompt_tool/regions/region_table.h"

/*
 * The data shared by the measuring and the analysing part (Periscope: monitor and agent): region
 * table, request table and summary table, position-independent, in one shared mapping, so that the
 * analysis can be a function call at the phase boundary (as it is now) or another process. Not
 * backed by a file, so that RLIMIT_FSIZE, a full disk and the program's descriptors do not affect
 * it.
 *
 *     [ header: offsets ][ regions ][ requests ][ summary rows, a buffer ]
 *
 * The summary buffer is passed to `drain` when it is full and at the end of a fold.
 */
struct segment;

typedef void segment_drain(void *ctx, const struct ms_measurement *rows, size_t nr);

struct segment *segment_new(void); /* NULL: no memory */
void segment_free(struct segment *segment);
struct region_table *segment_regions(struct segment *segment);

/* Replaces the request table; MS_ERR_FULL: too many requests, the excess is dropped. */
enum ms_status segment_requests_set(struct segment *segment, const struct ms_request *requests,
				    size_t nr);
size_t segment_requests(const struct segment *segment, const struct ms_request **out);
/*
 * Translates the request table into the regions' request words; returns the union of all requested
 * sensors.
 */
uint32_t segment_requests_apply(struct segment *segment);

void segment_row(struct segment *segment, const struct ms_measurement *row, segment_drain *drain,
		 void *ctx);
void segment_flush(struct segment *segment, segment_drain *drain, void *ctx);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REQUEST_H
#define MEMSEARCH_REQUEST_H

#include <stdint.h>

#include "memsearch/interval.h"

/*
 * Periscope's monitoring request: "metric M in region R, on these threads, during this interval,
 * restricted to this address range". The engine passes all requests of the next experiment; they
 * replace the previous set.
 */
enum ms_request_flags {
	/* also in regions below R, including those first met later */
	MS_REQUEST_SUBREGIONS = 1 << 0,
};

#define MS_REQUEST_ALL_THREADS UINT32_MAX
#define MS_REQUEST_ALL_KINDS 0u

struct ms_request {
	uint32_t metric; /* enum ms_metric */
	uint32_t region;
	uint32_t thread; /* or MS_REQUEST_ALL_THREADS */
	uint32_t flags;  /* enum ms_request_flags */
	/* bit set of subregion kinds, 1 << enum ms_region_kind; 0: all kinds */
	uint32_t kinds;
	/* in whose executions; or MS_INTERVAL_WHOLE. Sensors measure while it is open */
	uint32_t interval;
	/*
	 * data addresses [low, high); both 0: no restriction. Only requests of strategies
	 * (ms_host.measure) have a range
	 */
	uint64_t address_low, address_high;
};

static inline int ms_request_has_range(const struct ms_request *request)
{
	return request->address_low || request->address_high;
}

static inline int ms_request_wants(const struct ms_request *request, unsigned int subregion_kind)
{
	return (request->flags & MS_REQUEST_SUBREGIONS) &&
	       (!request->kinds || (request->kinds >> subregion_kind & 1));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REQUEST_H
#define MEMSEARCH_REQUEST_H

#include <stdint.h>

/*
 * Periscope's monitoring request: "metric M in region R, on these threads,
 * restricted to this address range". The engine hands over the whole set of
 * requests of the next experiment; it replaces the previous set.
 */
enum ms_request_flags {
	MS_REQUEST_SUBREGIONS = 1 << 0,   /* also in regions below R, those first met later included */
};

#define MS_REQUEST_ALL_THREADS UINT32_MAX

struct ms_request {
	uint32_t metric;                  /* enum ms_metric */
	uint32_t region;
	uint32_t thread;                  /* or MS_REQUEST_ALL_THREADS */
	uint32_t flags;                   /* enum ms_request_flags */
	uint64_t address_low, address_high;  /* data addresses [low, high); both 0: no restriction */
};

#endif

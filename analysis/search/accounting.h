/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_ACCOUNTING_H
#define MEMSEARCH_SEARCH_ACCOUNTING_H

#include <stdint.h>

/*
 * How much data a search takes compared with measuring everything, in the terms of
 * Hollingsworth & Miller 1993, table 1. A counter is one (region, thread, metric); a
 * sample is its value of one execution of the phase, and takes 12 bytes: 4 for which,
 * 4 for when, 4 for the value. database_volume counts them.
 */
#define ACCOUNTING_SAMPLE_BYTES 12u

static inline uint64_t accounting_bytes(uint64_t samples)
{
	return samples * ACCOUNTING_SAMPLE_BYTES;
}

/* used / possible; 0 where nothing was possible. */
static inline double accounting_share(uint64_t used, uint64_t possible)
{
	return possible ? (double)used / (double)possible : 0;
}

/* How many times smaller than a trace of that many bytes; 0: no sample was taken. */
static inline double accounting_ratio(double trace_bytes, uint64_t samples)
{
	return samples ? trace_bytes / (double)accounting_bytes(samples) : 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_OLDEST_H
#define MEMSEARCH_SIMULATOR_OLDEST_H

#include <stdint.h>

/*
 * The first of the least stamps of a set: what most misses ask for, so that it is worth a way of its own where the processor has one.
 * Stamps are below 2^31.
 */
typedef uint32_t oldest_function(const uint32_t *stamps, uint32_t ways);

/* On any processor, for any number of ways. */
oldest_function oldest_anywhere;
/* The fastest that this processor has for so many ways. */
oldest_function *oldest_here(uint32_t ways);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_MODEL_CHECK_H
#define MEMSEARCH_MACHINE_MODEL_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a modelled machine can be simulated. NULL: yes. Else the first impossible figure, and
 * why: a sentence that begins with the key of a figure (figure.h), "l1.size is 512 KiB, more than
 * the 256 KiB of l2.size". The indexing of L1, L2 and the TLBs takes bits of the address, so that
 * their sets must be a power of two; a shared L3 is spread over slices, and may have any number of
 * them.
 */
struct arena;
struct machine_model;

const char *model_check(struct arena *arena, const struct machine_model *model);
/*
 * Whether it has latencies between single nodes; else memory_latency and remote_latency are used.
 */
bool model_has_distances(const struct machine_model *model);

/* A number of sets that address bits can index. */
static inline bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

#endif

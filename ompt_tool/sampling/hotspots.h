/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_HOTSPOTS_H
#define MEMSEARCH_SAMPLING_HOTSPOTS_H

#include "memsearch/status.h"

struct sampler_kind;
struct sensor_record;
struct unwinder;

/*
 * Writes the most frequent sample sites of every region, over all threads, replacing those that the
 * run has of the kind's metric. `unwinder` traces library code to the program's own line (opens
 * files); NULL: instructions are kept as sampled. At phase boundaries or the end.
 */
enum ms_status hotspots_harvest(const struct sampler_kind *kind, const struct sensor_record *to,
				struct unwinder *unwinder);
/* Notes in the run how many samples the full tables dropped, as `what`. At the end. */
void hotspots_losses(const struct sampler_kind *kind, const struct sensor_record *to,
		     const char *what);

#endif

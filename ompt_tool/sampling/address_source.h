/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_ADDRESS_SOURCE_H
#define MEMSEARCH_SAMPLING_ADDRESS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "ompt_tool/sampling/perf_machine.h"
#include "ompt_tool/sampling/kernel_event.h"

/*
 * Which events of this machine sample data addresses: found in /sys/bus/event_source, where the
 * kernel describes its PMUs. Reads files: not for callbacks.
 *
 * To add a source: a row in address_source.c.
 */
#define ADDRESS_SOURCE_EVENTS (2 * PERF_KINDS_MAX)

struct address_source {
	const char *name; /* as --addresses takes it */
	const char *title;
	const char *warning; /* how far it is to be trusted; "": all the way */
	/* on each thread, all of them; those of a kind of cores wait while it is on others */
	struct kernel_event_spec events[ADDRESS_SOURCE_EVENTS];
	size_t nr_events;
};

/* Of it on each thread: file descriptors, and rings (AUX areas are some, too). */
unsigned int address_source_descriptors(const struct address_source *source);
unsigned int address_source_rings(const struct address_source *source);

#define ADDRESS_SOURCE_WHY 200

/*
 * `how`: "auto" (what the CPU has, but for POWER), a name, or "none". `root` stands before /sys: ""
 * for this machine, a folder in tests. False: `why` says why there is none.
 */
bool address_source_find(const char *how, const char *root, struct address_source *out,
			 char why[ADDRESS_SOURCE_WHY]);

#endif

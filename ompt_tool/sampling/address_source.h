/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_ADDRESS_SOURCE_H
#define MEMSEARCH_SAMPLING_ADDRESS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "ompt_tool/sampling/perf_machine.h"
#include "ompt_tool/sampling/kernel_event.h"

/*
 * Finds the events of this machine that sample data addresses, in /sys/bus/event_source, where the
 * kernel describes its PMUs. Reads files: not in callbacks.
 *
 * To add a source: a row in address_source.c.
 */
#define ADDRESS_SOURCE_EVENTS (2 * PERF_KINDS_MAX)

struct address_source {
	const char *name; /* name for --addresses */
	const char *title;
	const char *warning; /* limits of its reliability; "": none */
	/*
	 * all are opened on each thread; those of one kind of core do not count while the thread is
	 * on another kind
	 */
	struct kernel_event_spec events[ADDRESS_SOURCE_EVENTS];
	size_t nr_events;
};

/* File descriptors, and rings (including AUX areas), per thread. */
unsigned int address_source_descriptors(const struct address_source *source);
unsigned int address_source_rings(const struct address_source *source);

#define ADDRESS_SOURCE_WHY 200

/*
 * `how`: "auto" (the CPU's source, except on POWER), a name, or "none". `root`: prefix of /sys, ""
 * for this machine, a folder in tests. False: none, `why` is the reason.
 */
bool address_source_find(const char *how, const char *root, struct address_source *out,
			 char why[ADDRESS_SOURCE_WHY]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_PERF_PAGE_H
#define MEMSEARCH_COUNTERS_PERF_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a counter without a system call: the page that the kernel maps for an event contains the
 * index of its hardware counter, which the CPU lets user code read (rdpmc) if the kernel allows it.
 * Only for events of the calling thread. Callbacks allowed. Tested with synthetic pages; not yet
 * with a hardware counter.
 */
struct perf_event_mmap_page;

struct perf_cpu {
	/* NULL: this CPU has no such instruction, or it is not used here */
	uint64_t (*counter)(uint32_t index);
	/* ticks of the clock from which the page's times are scaled */
	uint64_t (*ticks)(void);
};

extern const struct perf_cpu perf_cpu;

struct perf_page_reading {
	uint64_t value, enabled_ns, running_ns;
};

/*
 * False: not readable this way (the event is in no counter, the kernel does not allow it, the page
 * keeps changing): use read(2).
 */
bool perf_page_read(const volatile struct perf_event_mmap_page *page, const struct perf_cpu *cpu,
		    struct perf_page_reading *out);

#endif

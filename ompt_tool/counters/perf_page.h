/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_PERF_PAGE_H
#define MEMSEARCH_COUNTERS_PERF_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reading a counter without a system call: the page that the kernel maps for an event says in which
 * of the CPU's counters it is now, and the CPU reads that to user code (rdpmc), where the kernel
 * allows it. Only for events of the calling thread. Callbacks allowed. Tested with invented pages;
 * no hardware counter was read with it yet.
 */
struct perf_event_mmap_page;

struct perf_cpu {
	/* NULL: this CPU has no such instruction, or it is not used here */
	uint64_t (*counter)(uint32_t index);
	/* of the clock that the page's times are scaled from */
	uint64_t (*ticks)(void);
};

extern const struct perf_cpu perf_cpu;

struct perf_page_reading {
	uint64_t value, enabled_ns, running_ns;
};

/*
 * False: not now (the event is in no counter, the kernel does not allow it, the page does not hold
 * still): ask the kernel.
 */
bool perf_page_read(const volatile struct perf_event_mmap_page *page, const struct perf_cpu *cpu,
		    struct perf_page_reading *out);

#endif

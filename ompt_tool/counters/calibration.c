/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that distinguishes events that count from events that can only be opened. */
#define _GNU_SOURCE
#include "ompt_tool/counters/calibration.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memsearch/metric.h"

#define PAGES 8
#define LINES_PER_PAGE 16
#define LINES (PAGES * LINES_PER_PAGE) /* 128 misses are enough */

/* Evicts a line from all caches, if user code may do that. */
#if defined(__x86_64__)
#define CAN_FLUSH true
static void flush(const volatile void *line)
{
	__asm__ volatile("clflush (%0)\n\tmfence" : : "r"(line) : "memory");
}
#elif defined(__aarch64__)
#define CAN_FLUSH true
static void flush(const volatile void *line)
{
	__asm__ volatile("dc civac, %0\n\tdsb ish" : : "r"(line) : "memory");
}
#elif defined(__powerpc64__)
#define CAN_FLUSH true
static void flush(const volatile void *line)
{
	__asm__ volatile("dcbf 0, %0\n\tsync" : : "r"(line) : "memory");
}
#else
#define CAN_FLUSH false
static void flush(const volatile void *line)
{
	(void)line;
}
#endif

/* Metrics that count in any case, and metrics that count if lines can be evicted. */
static const uint32_t always[] = { MS_METRIC_CYCLES, MS_METRIC_INSTRUCTIONS, MS_METRIC_LOADS,
				   MS_METRIC_STORES, MS_METRIC_PAGE_FAULTS };
static const uint32_t flushed[] = {
	MS_METRIC_STALL_CYCLES,     MS_METRIC_L1D_MISSES,      MS_METRIC_L1D_READ_MISSES,
	MS_METRIC_L1D_WRITE_MISSES, MS_METRIC_L2D_MISSES,      MS_METRIC_L2D_READ_MISSES,
	MS_METRIC_L2D_WRITE_MISSES, MS_METRIC_L3D_MISSES,      MS_METRIC_L3D_READ_MISSES,
	MS_METRIC_TLB_WALKS,        MS_METRIC_TLB_WALK_CYCLES, MS_METRIC_DRAM_READS,
};

static bool is_among(uint32_t metric, const uint32_t *metrics, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (metrics[i] == metric)
			return true;
	return false;
}

bool calibration_moves(uint32_t metric)
{
	return is_among(metric, always, sizeof(always) / sizeof(always[0])) ||
	       (CAN_FLUSH && is_among(metric, flushed, sizeof(flushed) / sizeof(flushed[0])));
}

/*
 * Misses that do not wait for each other, and little else: some CPUs count as stalls only what a
 * full load queue holds up, of 72 loads on Zen 3.
 */
static void load_at_once(volatile char *const *lines)
{
	for (size_t i = 0; i < LINES; i++)
		flush(lines[i]);
	for (size_t i = 0; i < LINES; i++)
		(void)*lines[i];
}

void calibration_run(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		      *lines[LINES];

	if ((void *)memory == MAP_FAILED)
		return;
	for (size_t i = 0; i < LINES; i++) {
		/* pseudo-random order, so that prefetching does not hide the misses */
		volatile char *at = lines[i] = memory + i * 37 % LINES * (page / LINES_PER_PAGE);

		*at = 1;
		flush(at);
		(void)*at;
		flush(at);
		*at = 2;
	}
	load_at_once(lines);
	munmap((void *)memory, PAGES * page);
}

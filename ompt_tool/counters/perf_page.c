/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters read by user code, as <linux/perf_event.h> describes it at struct perf_event_mmap_page.
 */
#include "ompt_tool/counters/perf_page.h"

#include <linux/perf_event.h>

/* each failed one means that the kernel wrote the page meanwhile */
#define TRIES 100

#if defined(__x86_64__)
#include <x86intrin.h>

static uint64_t counter(uint32_t index)
{
	return __rdpmc((int)index);
}

static uint64_t ticks(void)
{
	return __rdtsc();
}

const struct perf_cpu perf_cpu = { counter, ticks };
#else
const struct perf_cpu perf_cpu = { 0 };
#endif

static void fence(void)
{
	/* a compiler barrier suffices: the kernel writes on this CPU */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* From the clock's ticks to nanoseconds since the page's times were written. */
static uint64_t since_ns(const volatile struct perf_event_mmap_page *page, uint64_t now)
{
	uint64_t whole = now >> page->time_shift, rest = now & ((1ull << page->time_shift) - 1);

	return page->time_offset + whole * page->time_mult +
	       (rest * page->time_mult >> page->time_shift);
}

/* Sign-extends a counter value of `bits` bits. */
static uint64_t extend(uint64_t value, unsigned int bits)
{
	return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

static bool read_once(const volatile struct perf_event_mmap_page *page, const struct perf_cpu *cpu,
		      struct perf_page_reading *out)
{
	uint32_t index = page->index, bits = page->pmc_width;
	uint64_t elapsed_ns;

	if (!index || !page->cap_user_rdpmc || !page->cap_user_time || !bits || bits > 64)
		return false;
	out->value = (uint64_t)page->offset + extend(cpu->counter(index - 1), bits);
	elapsed_ns = since_ns(page, cpu->ticks());
	out->enabled_ns = page->time_enabled + elapsed_ns;
	out->running_ns = page->time_running + elapsed_ns; /* it has an index, so it is running */
	return true;
}

bool perf_page_read(const volatile struct perf_event_mmap_page *page, const struct perf_cpu *cpu,
		    struct perf_page_reading *out)
{
	for (int i = 0; cpu->counter && i < TRIES; i++) {
		uint32_t lock = page->lock;
		bool readable;

		fence();
		readable = read_once(page, cpu, out);
		fence();
		if (page->lock == lock && !(lock & 1))
			return readable;
	}
	return false;
}

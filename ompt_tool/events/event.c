/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of callbacks; code addresses of the runtime and of memsearch. */
#define _GNU_SOURCE
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/event_code.h"

#include <link.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/clock_cost.h"

struct thread *event_initial(void)
{
	int os_id = (int)syscall(SYS_gettid);

	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		if (thread->index == 0)
			return thread->os_id == os_id ? thread : NULL;
	return NULL;
}

/*
 * Random distance to the next timed callback: uniform in 1 … 2 * COST_PERIOD - 1 (xorshift after
 * Marsaglia 2003).
 */
uint32_t event_cost_distance(struct thread *self)
{
	uint32_t random = self->cost_random;

	random ^= random << 13;
	random ^= random >> 17;
	random ^= random << 5;
	self->cost_random = random;
	return 1 + random % (2 * COST_PERIOD - 1);
}

/*
 * Longer callbacks include a preemption or first touches of pages, which do not occur in every
 * callback.
 */
#define COST_RARE_NS 200000

uint64_t event_cost_draw(struct thread *self)
{
	self->cost_countdown = event_cost_distance(self);
	return thread_clock_ns();
}

/* Cost of reading the clock: included in every timed callback, absent from all others. */
static uint64_t clock_read_ns;

void event_cost_init(void)
{
	clock_read_ns = clock_cost_ns();
}

static uint64_t cpu_ns_of(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

/*
 * The time of a long callback without that in which other programs had the thread's CPU: with it the limit
 * was exceeded beside other programs, and sensors were disabled. Where the thread was preempted since the
 * long callback before, its time without a CPU since then is subtracted. The first one counts in full.
 */
static uint64_t without_preemption(struct thread *self, uint64_t own_ns)
{
	struct thread_usage last = self->usage;
	uint64_t wall_ns, cpu_ns, off_ns;
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return own_ns;
	self->usage = (struct thread_usage){ .wall_ns = thread_clock_ns(),
					     .cpu_ns = cpu_ns_of(&usage),
					     .preemptions = (uint64_t)usage.ru_nivcsw };
	if (!last.wall_ns || self->usage.preemptions == last.preemptions)
		return own_ns;
	wall_ns = self->usage.wall_ns - last.wall_ns;
	cpu_ns = self->usage.cpu_ns - last.cpu_ns;
	off_ns = wall_ns > cpu_ns ? wall_ns - cpu_ns : 0;
	return off_ns < own_ns ? own_ns - off_ns : 0;
}

/* Without the events of regions of which nothing is requested: these have no values. */
static void attribute(struct thread *self, uint32_t region, uint64_t ns)
{
	struct region *entry = region == MS_REGION_USER ? NULL
							: region_table_at(events.regions, region);

	if (entry && (region_requests(entry) & CLOCK_BIT))
		summary_add(self->summary, region, MS_METRIC_TOOL_TIME, (double)ns);
}

void event_cost_add(struct thread *self, const struct event_cost *cost)
{
	uint64_t counted_ns = self->boundary_ns - cost->boundary_ns + self->timed_ns -
			      cost->timed_ns,
		 not_ours_ns = counted_ns + clock_read_ns;
	uint64_t now_ns = thread_clock_ns(), elapsed_ns = now_ns - cost->begin_ns;
	uint64_t own_ns = elapsed_ns > not_ours_ns ? elapsed_ns - not_ours_ns : 0;
	uint64_t stands_for = own_ns < COST_RARE_NS ? COST_PERIOD : 1;

	if (own_ns >= COST_RARE_NS)
		own_ns = without_preemption(self, own_ns);
	own_ns = own_ns * stands_for + 2 * clock_read_ns;
	__atomic_store_n(&self->cost_ns, self->cost_ns + own_ns, __ATOMIC_RELAXED);
	attribute(self, self->event_region, own_ns);
	if (!self->index && events_enter(0)) {
		events.listener->spent(self, now_ns);
		events_leave();
	}
}

uint64_t event_cost_clock_ns(void)
{
	return clock_read_ns;
}

void event_cost_add_skipped(struct thread *self)
{
	__atomic_store_n(&self->cost_ns, self->cost_ns + clock_read_ns, __ATOMIC_RELAXED);
}

void event_cost_attribute_skipped(struct thread *self, uint32_t region, uint32_t nr)
{
	if (nr)
		attribute(self, region, nr * clock_read_ns);
}

static uint64_t chunks_ns; /* of CHUNKS_TIMED chunks */
#define CHUNKS_TIMED 256
#define CHUNKS_ROUNDS 8

void event_cost_init_chunks(void)
{
	/* an indirect call, as the runtime makes it, not inlined */
	void (*volatile dispatch)(ompt_dispatch_t kind) = handle_dispatch;
	uint64_t least_ns = UINT64_MAX;

	for (int round = 0; round < CHUNKS_ROUNDS; round++) {
		uint64_t begin_ns = thread_clock_ns(), elapsed_ns;

		for (int i = 0; i < CHUNKS_TIMED; i++)
			dispatch(ompt_dispatch_ws_loop_chunk);
		elapsed_ns = thread_clock_ns() - begin_ns;
		least_ns = elapsed_ns < least_ns ? elapsed_ns : least_ns;
	}
	chunks_ns = least_ns > clock_read_ns ? least_ns - clock_read_ns : 0;
}

void event_cost_add_chunks(struct thread *self, uint32_t region, uint32_t chunks)
{
	uint64_t ns = chunks * chunks_ns / CHUNKS_TIMED;

	__atomic_store_n(&self->cost_ns, self->cost_ns + ns, __ATOMIC_RELAXED);
	attribute(self, region, ns);
}

enum { RANGE_LIBC, RANGE_OWN, RANGE_RUNTIMES, RANGES = RANGE_RUNTIMES + 2 * EVENT_RUNTIMES };

static struct range {
	uint64_t low, high;
	const void *inside;
} ranges[RANGES]; /* empty ones contain nothing */

static bool contains(const struct range *range, uint64_t address)
{
	return address >= range->low && address < range->high;
}

/* Executable part of the object that `inside` lies in. */
static int find_range(struct dl_phdr_info *info, size_t size, void *data)
{
	struct range *range = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		struct range found = { .low = info->dlpi_addr + header->p_vaddr };

		found.high = found.low + header->p_memsz;
		if (header->p_type == PT_LOAD && (header->p_flags & PF_X) &&
		    contains(&found, (uint64_t)range->inside)) {
			*range = found;
			return 1;
		}
	}
	return 0;
}

static void add_range(int which, const void *inside)
{
	struct range range = { .inside = inside };

	dl_iterate_phdr(find_range, &range);
	ranges[which] = range;
}

void event_code_init(void)
{
	add_range(RANGE_LIBC, (const void *)getpid);
	add_range(RANGE_OWN, (const void *)event_code);
}

void event_code_of_runtime(const void *in_runtime, const void *in_producer)
{
	int which = RANGE_RUNTIMES;

	while (which < RANGES - 2 && ranges[which].inside)
		which += 2;
	add_range(which, in_runtime);
	add_range(which + 1, in_producer);
}

uint64_t event_code(const void *codeptr)
{
	uint64_t code = clone_original((uintptr_t)codeptr);

	for (int i = RANGE_OWN; i < RANGES; i++)
		if (contains(&ranges[i], code))
			return 0;
	return code;
}

bool event_code_in_libc(uint64_t address)
{
	return contains(&ranges[RANGE_LIBC], address);
}

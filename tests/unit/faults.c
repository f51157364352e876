/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensor faults: every touched page is one sample, on the right thread, with its address and the
 * touching line.
 */
#define _GNU_SOURCE
#include "ompt_tool/arrays/touch_runs.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/ring.h"
#include "ompt_tool/sampling/sampler.h"
#include "tests/unit/sampling.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGES 1000

NOT_INSTRUMENTED static void touch(volatile char *memory, size_t from, size_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = from; i < to; i++)
		memory[i * page + 0x238] = 1;
}
enum { TOUCHING_LINE = __LINE__ - 2 };

TEST(faults__every_page_is_one_sample_in_its_region)
{
	struct tally outer = { .region = 3 }, inner = { .region = 4 };
	char *memory = fresh_pages(2 * PAGES + 10);
	struct thread *self;

	need_sensor(&sensor_faults);
	bounds(&outer, (void *)touch);
	bounds(&inner, (void *)touch);
	self = begin_thread(&sensor_faults, 0);
	touch(memory, 2 * PAGES, 2 * PAGES + 10); /* outside of all regions: nobody's */
	enter(&sensor_faults, self, 3);
	touch(memory, 0, 600);
	enter(&sensor_faults, self, 4);
	touch(memory, 600, 2 * PAGES);
	leave(&sensor_faults, self);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &outer);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &inner);
	CHECK_INT(outer.inside, 600);
	CHECK_INT(inner.inside, 2 * PAGES - 600);
	CHECK_INT(outer.address, (uintptr_t)memory + 0x238);
	CHECK_INT(line_at(outer.ip), TOUCHING_LINE);
	CHECK_INT(line_at(inner.ip), TOUCHING_LINE);
	CHECK_INT(folded(self, 3, MS_METRIC_FAULT_SAMPLES).sum, outer.all);
	CHECK(self->sampled_ns >= 2 * PAGES * faults_kind()->kernel_ns &&
	      self->sampled_ns < 2 * (2 * PAGES + 10) * faults_kind()->kernel_ns);
}

/* What the queue holds of the pages of one piece of memory. */
struct pages_seen {
	const struct thread *thread;
	uintptr_t low, high;
	size_t nr;
	unsigned int shift;
	uint64_t offsets; /* of addresses in their pages, or-ed */
	int line;
};

static void see_page(void *ctx, const struct touch *touch)
{
	struct pages_seen *seen = ctx;
	struct sample_site site;

	if (touch->address - seen->low >= seen->high - seen->low)
		return;
	CHECK(samples_site(seen->thread, MS_SENSOR_FAULTS, touch->site, &site));
	seen->line = seen->nr ? seen->line : line_at(site.ip);
	seen->nr++;
	seen->shift = touch->page_shift;
	seen->offsets |= touch->address & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

TEST(faults__every_page_is_kept_with_its_address)
{
	char *memory = fresh_pages(PAGES);
	struct pages_seen seen = { .low = (uintptr_t)memory,
				   .high = (uintptr_t)memory +
					   PAGES * (uintptr_t)sysconf(_SC_PAGESIZE) };

	need_sensor(&sensor_faults);
	seen.thread = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, (struct thread *)seen.thread, 1);
	touch(memory, 0, PAGES);
	leave(&sensor_faults, (struct thread *)seen.thread);
	touch_log_read(&(struct touch_source){ samples_touches(seen.thread), &seen }, 1, see_page);
	CHECK_INT(seen.nr, PAGES);
	CHECK_INT(seen.offsets, 0x238);
	CHECK_INT(seen.line, TOUCHING_LINE);
	if (seen.shift) /* Linux 5.11 */
		CHECK_INT(1l << seen.shift, sysconf(_SC_PAGESIZE));
	CHECK_INT(samples_losses(seen.thread, MS_SENSOR_FAULTS).touches, 0);
	seen.nr = 0;
	touch_log_read(&(struct touch_source){ samples_touches(seen.thread), &seen }, 1, see_page);
	CHECK_INT(seen.nr, 0);
}

TEST(faults__huge_pages_are_known)
{
	enum { HUGE = 2 << 20 };
	char *memory = mmap(NULL, 8 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	char *aligned = (char *)(((uintptr_t)memory + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
	struct pages_seen seen = { .low = (uintptr_t)aligned,
				   .high = (uintptr_t)aligned + 4 * HUGE };

	need_sensor(&sensor_faults);
	if (sysconf(_SC_PAGESIZE) != 4096 || madvise(aligned, 4 * HUGE, MADV_HUGEPAGE))
		test_skip("no huge pages of 2 MiB on demand here");
	seen.thread = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, (struct thread *)seen.thread, 1);
	touch(aligned, 0, 4 * HUGE / 4096);
	leave(&sensor_faults, (struct thread *)seen.thread);
	touch_log_read(&(struct touch_source){ samples_touches(seen.thread), &seen }, 1, see_page);
	if (seen.nr == 4 * HUGE / 4096)
		test_skip("the kernel had no huge pages to give");
	CHECK_INT(seen.nr, 4);
	CHECK_INT(seen.shift, 21);
}

TEST(faults__nothing_is_lost_and_that_is_said)
{
	struct ms_stat lost;
	struct thread *self;

	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, self, 1);
	touch(fresh_pages(PAGES), 0, PAGES);
	leave(&sensor_faults, self);
	lost = folded(self, MS_REGION_USER, MS_METRIC_FAULT_SAMPLES_LOST);
	CHECK_INT(lost.count, 1);
	CHECK_INT(lost.sum, 0);
}

/* What region 1 has, and what is lost. */
static void pick_both(void *ctx, const struct ms_measurement *row)
{
	struct ms_stat *stats = ctx;

	if (row->metric == MS_METRIC_FAULT_SAMPLES && row->region == 1)
		stats[0] = row->stat;
	if (row->metric == MS_METRIC_FAULT_SAMPLES_LOST && row->region == MS_REGION_USER)
		stats[1] = row->stat;
}

TEST(faults__samples_and_losses_add_up_when_the_ring_overflows)
{
	/* 2.4 MB of records for a ring of 1 MiB at most */
	enum { MANY = 60000 };
	struct tally tally = { .region = 1 };
	struct ms_stat both[2] = { { 0 } }, lost;
	struct thread *self;

	configure(&sensor_faults, &(struct options){ .machine = "altix-bx2" }, NULL);
	need_sensor(&sensor_faults);
	bounds(&tally, (void *)touch);
	self = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, self, 1);
	touch(fresh_pages(MANY), 0, MANY);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &tally);
	summary_fold(self->summary, 0, pick_both, both);
	lost = both[1];
	CHECK_THAT(lost.sum, >, 10000);
	/* the region has them all, known place or not */
	CHECK_NEAR(both[0].sum, tally.all + lost.sum, 0);
	CHECK_THAT(tally.inside, >, 1000);
	CHECK_THAT(tally.inside + lost.sum, >=, MANY);
	/* sanitizers take faults while the full ring is read */
	CHECK_THAT(tally.all + lost.sum, <, MANY * (SANITIZED ? 1.1 : 1.02));
	/* The next region is whole again. */
	tally = (struct tally){ .region = 2, .low = tally.low, .high = tally.high };
	enter(&sensor_faults, self, 2);
	touch(fresh_pages(PAGES), 0, PAGES);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &tally);
	CHECK_INT(tally.inside, PAGES);
	CHECK_INT(folded(self, MS_REGION_USER, MS_METRIC_FAULT_SAMPLES_LOST).sum, 0);
}

/* What the queue says of many pages touched at once. */
struct many_seen {
	uintptr_t low, high;
	uint64_t nr, others, one_by_one;
};

static void see_many(void *ctx, const struct touch *touch)
{
	struct many_seen *seen = ctx;

	if (touch->address - seen->low >= seen->high - seen->low)
		return;
	seen->one_by_one += seen->nr == touch->address / (uint64_t)sysconf(_SC_PAGESIZE) -
						seen->low / (uint64_t)sysconf(_SC_PAGESIZE);
	seen->nr++;
	seen->others += touch->others;
}

/* What one stretch that touches so many pages leaves of them. */
static struct many_seen touch_many(struct thread *self, uint32_t region, size_t pages,
				   struct tally *tally)
{
	char *memory = fresh_pages(pages);
	struct many_seen seen = { .low = (uintptr_t)memory,
				  .high = (uintptr_t)memory +
					  pages * (uintptr_t)sysconf(_SC_PAGESIZE) };

	*tally = (struct tally){ .region = region };
	bounds(tally, (void *)touch);
	enter(&sensor_faults, self, region);
	touch(memory, 0, pages);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, tally);
	touch_log_read(&(struct touch_source){ samples_touches(self), &seen }, 1, see_many);
	munmap(memory, pages * (size_t)sysconf(_SC_PAGESIZE));
	if (samples_losses(self, MS_SENSOR_FAULTS).lost)
		test_skip("the ring is too small here");
	return seen;
}

TEST(faults__many_at_once_are_counted_and_few_are_kept)
{
	enum { MANY = 20000 };
	struct thread *self;

	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	for (uint32_t region = 1; region <= 3; region++) { /* each begins one by one */
		struct tally tally;
		struct many_seen seen = touch_many(self, region, MANY, &tally);

		CHECK(tally.inside <= MANY && tally.inside + TOUCH_SPARSE > MANY);
		CHECK_INT(seen.nr + seen.others, tally.inside);
		if (seen.others)
			CHECK(seen.one_by_one >= 1000 && seen.nr < MANY / 2);
	}
	CHECK_THAT(samples_losses(self, MS_SENSOR_FAULTS).touches, ==, 0);
}

/*
 * The sampled fault may be the very first one after the others were allowed again: here it is once
 * at least.
 */
TEST(faults__no_more_are_kept_wherever_the_sampled_ones_fall)
{
	/* a step of 1, or of any other number in which no SPARSE is: that is a prime */
	enum { MANY = 148 * TOUCH_SPARSE + 1 };
	struct thread *self;
	struct tally tally;
	/* of the second: faults of others come before the first one's */
	uint64_t kept = 0;

	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	for (uint32_t region = 1; region <= TOUCH_SPARSE; region++) {
		struct many_seen seen = touch_many(self, region, MANY, &tally);

		if (region == 1 && !seen.others)
			test_skip("all are kept here");
		kept = region <= 2 ? seen.nr : kept;
		CHECK_NEAR((double)seen.nr, kept, TOUCH_SPARSE);
	}
}

/*
 * Of the 8 MiB that users may lock as a rule the initial thread gets enough for what it
 * initialises.
 */
TEST(faults__an_ordinary_users_initial_thread_may_touch_much)
{
	enum { MANY = 20000 };
	struct rlimit limit = { 8 << 20, 8 << 20 };
	struct thread *self;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) ||
	    (!getuid() && syscall(SYS_setresuid, 65534, 65534, 65534)))
		test_skip("cannot become a user who may lock little memory");
	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, self, 1);
	touch(fresh_pages(MANY), 0, MANY);
	leave(&sensor_faults, self);
	if (sysconf(_SC_PAGESIZE) == 4096)
		CHECK_INT(samples_losses(self, MS_SENSOR_FAULTS).lost, 0);
}

TEST(faults__so_many_are_allowed_and_no_more)
{
	char *memory = fresh_pages(PAGES);
	struct kernel_event event;
	struct ring ring;
	size_t pending;

	need_sensor(&sensor_faults);
	CHECK_INT(kernel_event_open(
			  &event,
			  &(struct kernel_event_spec){ .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
						       .period = 1,
						       .address = true }),
		  MS_OK);
	CHECK_INT(ring_map(&ring, event.fd, 32 * (uint64_t)sysconf(_SC_PAGESIZE), RING_SHARE),
		  MS_OK);
	CHECK(kernel_event_allow(&event, 20));
	touch(memory, 0, 100);
	pending = ring_pending(&ring);
	CHECK(kernel_event_allow(&event, 5));
	CHECK(kernel_event_allow(&event, 5));
	touch(memory, 100, 200);
	CHECK_INT(ring_pending(&ring) * 2, pending * 3);
	kernel_event_close(&event);
	CHECK(!kernel_event_allow(&event, 5));
	ring_unmap(&ring);
}

struct slice {
	char *memory;
	size_t from, to;
	uint32_t index;
	struct thread *thread;
};

static void *touch_slice(void *argument)
{
	struct slice *slice = argument;

	slice->thread = begin_thread(&sensor_faults, slice->index);
	enter(&sensor_faults, slice->thread, 1);
	touch(slice->memory, slice->from, slice->to);
	leave(&sensor_faults, slice->thread);
	sensor_faults.thread_end(slice->thread);
	return NULL;
}

static void threads_touch_their_own(uint32_t threads)
{
	struct slice slices[4];
	pthread_t ids[4];
	char *memory = fresh_pages(PAGES * threads);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	need_sensor(&sensor_faults);
	for (uint32_t i = 0; i < threads; i++) {
		slices[i] = (struct slice){ memory, i * PAGES, (i + 1) * PAGES - i * 10, i, NULL };
		pthread_create(&ids[i], NULL, touch_slice, &slices[i]);
	}
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (uint32_t i = 0; i < threads; i++) {
		struct tally tally = { .region = 1 };

		bounds(&tally, (void *)touch);
		samples_each(slices[i].thread, MS_SENSOR_FAULTS, tally_site, &tally);
		CHECK_INT(tally.inside, PAGES - i * 10);
		CHECK_THAT(tally.address, >=, (uintptr_t)memory + slices[i].from * page);
		CHECK_THAT(tally.address, <, (uintptr_t)memory + slices[i].to * page);
	}
}

TEST(faults__two_threads_touch_their_own)
{
	threads_touch_their_own(2);
}

TEST(faults__four_threads_touch_their_own)
{
	threads_touch_their_own(4);
}

static const struct kernel_event_spec touches = { .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
						  .period = 1,
						  .address = true };

struct order {
	uint64_t next, page, nr;
};

/* Records of the touching loop come one a page, in order, exact to the byte. */
static void check_address(void *ctx, const struct perf_event_header *record)
{
	struct order *order = ctx;
	struct kernel_sample sample;

	CHECK(kernel_event_parse(record, &touches, &sample));
	if (sample.address != order->next)
		return;
	order->next += order->page;
	order->nr++;
}

TEST(faults__every_address_is_exact)
{
	char *memory = fresh_pages(PAGES);
	struct order order = { (uintptr_t)memory + 0x238, (uint64_t)sysconf(_SC_PAGESIZE), 0 };
	struct kernel_event event;
	struct ring ring;

	need_sensor(&sensor_faults);
	CHECK_INT(kernel_event_open(&event, &touches), MS_OK);
	CHECK_INT(ring_map(&ring, event.fd, 32 * order.page, RING_SHARE), MS_OK);
	CHECK(kernel_event_switch(&event, true));
	touch(memory, 0, PAGES / 2);
	CHECK(ring_drain(&ring, check_address, &order));
	touch(memory, PAGES / 2, PAGES); /* these wrap */
	CHECK(ring_drain(&ring, check_address, &order));
	CHECK_INT(order.nr, PAGES);
}

TEST(faults__switched_off_means_nothing_is_sampled)
{
	struct tally tally = { .region = 1, .high = UINTPTR_MAX };
	struct thread *self;

	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	sensor_faults.enable(self, false);
	enter(&sensor_faults, self, 1);
	touch(fresh_pages(PAGES), 0, PAGES);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &tally);
	CHECK_INT(tally.inside, 0);
	sensor_faults.enable(self, true);
	enter(&sensor_faults, self, 1);
	touch(fresh_pages(PAGES), 0, PAGES);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &tally);
	CHECK_THAT(tally.inside, >=, PAGES);
}

TEST(faults__a_forked_child_keeps_away_from_its_parents_ring)
{
	struct tally tally = { .region = 1 };
	struct thread *self;
	int status;
	pid_t child;

	need_sensor(&sensor_faults);
	bounds(&tally, (void *)touch);
	self = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, self, 1);
	touch(fresh_pages(PAGES), 0, 10);
	child = fork();
	if (child == 0) {
		touch(fresh_pages(PAGES), 0, PAGES);
		samples_drain(self, MS_SENSOR_FAULTS);
		leave(&sensor_faults, self);
		enter(&sensor_faults, self, 1);
		leave(&sensor_faults, self);
		sensor_faults.enable(self, false);
		samples_each(self, MS_SENSOR_FAULTS, tally_site, &tally);
		sensor_faults.thread_end(self);
		_exit(tally.inside != 0);
	}
	waitpid(child, &status, 0);
	CHECK_INT(status, 0);
	touch(fresh_pages(PAGES), 0, 10);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &tally);
	CHECK_INT(tally.inside, 20);
}

NOT_INLINED static void set_memory(char *memory, size_t bytes)
{
	memset(memory, 1, bytes);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

/* The last site with a stack; its count is that of all. */
static void find_stack(void *ctx, const struct sample_site *site)
{
	struct sample_site *found = ctx;
	uint64_t count = found->count;

	if (!site->has_stack)
		return;
	*found = *site;
	found->count += count;
}

TEST(faults__memset_leaves_a_stack_to_follow)
{
	struct sample_site found = { 0 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct thread *self;

	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, self, 1);
	set_memory(fresh_pages(PAGES), PAGES * page);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, find_stack, &found);
	CHECK_THAT(found.count, >, PAGES / 2);
	CHECK_THAT(found.stack_bytes, >=, 64);
	CHECK_THAT(found.registers[register_map.stack_pointer], !=, 0);
}

TEST(faults__a_place_taken_over_keeps_its_sites)
{
	struct tally tally = { .region = 1 };
	struct thread *self;

	need_sensor(&sensor_faults);
	bounds(&tally, (void *)touch);
	self = begin_thread(&sensor_faults, 0);
	for (int i = 0; i < 3; i++) {
		void *place = self->sensor[MS_SENSOR_FAULTS];

		enter(&sensor_faults, self, 1);
		touch(fresh_pages(PAGES), 0, PAGES);
		leave(&sensor_faults, self);
		sensor_faults.thread_end(self);
		sensor_faults.enable(self, true); /* too late: does nothing */
		CHECK(sensor_faults.thread_begin(self));
		CHECK_THAT(self->sensor[MS_SENSOR_FAULTS], ==, place);
	}
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &tally);
	CHECK_INT(tally.inside, 3 * PAGES);
}

TEST(faults__a_full_table_drops_sites_and_says_so)
{
	struct tally tally = { .region = 5, .high = UINTPTR_MAX };
	struct thread *self;
	uint64_t dropped;

	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	for (uint32_t region = 10; region < 10 + 4096; region++) { /* a site each */
		enter(&sensor_faults, self, region);
		touch(fresh_pages(1), 0, 1);
		leave(&sensor_faults, self);
	}
	dropped = samples_losses(self, MS_SENSOR_FAULTS).sites;
	enter(&sensor_faults, self, 5);
	touch(fresh_pages(PAGES), 0, PAGES);
	leave(&sensor_faults, self);
	samples_each(self, MS_SENSOR_FAULTS, tally_site, &tally);
	CHECK_INT(tally.inside, 0);
	CHECK_THAT(samples_losses(self, MS_SENSOR_FAULTS).sites - dropped, >=, PAGES);
	CHECK_THAT(folded(self, 5, MS_METRIC_FAULT_SAMPLES).sum, >=, PAGES);
}
